"""On excerpts nothing is judged absent, and no flag stands without a passage."""

from __future__ import annotations

import json

import pytest

from reviewscore.config import Settings
from reviewscore.errors import SettingsError
from reviewscore.judges.asker import Asker, SamplingParams, paper_prefix
from reviewscore.judges.excerpts import excerpt_room, judged_on, premise_on_excerpts
from reviewscore.judges.model_judges import ModelJudges
from reviewscore.llm.client import Client
from reviewscore.llm.context_window import estimated_tokens
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.parts import hiding_all_but
from reviewscore.papers.quotes import find_quote
from reviewscore.pipeline import score_point
from reviewscore.schema.call import Request
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import PointScore, Status, UnknownReason
from reviewscore.schema.verdict import KnowledgeSource, PremiseVerdict
from tests.conftest import make_point

SEEN = "We train with Adam and a learning rate of 0.001."
HIDDEN = "We record at four ponds during twelve nights and compare with manual counts"
CLAIM = make_point("The network is trained with too large a learning rate.")
DENIAL = make_point("There is no ablation of the network.")
QUESTION = make_point("Which learning rate is used?", section="questions")


@pytest.fixture
def excerpts(paper: Paper) -> Paper:
    start = paper.text.index("2 Method")
    return hiding_all_but(paper, [(start, paper.text.index("3 Experiments"))])


async def scored(point: object, paper: Paper, score: int, quotes: list[str]) -> PointScore:
    """The record of a point whose judge gives a score with quotes."""
    asks = point is QUESTION
    reply = {
        "reasoning": "-",
        "unanswerability" if asks else "factuality": score,
        "quotes": [{"section": "Method", "sentence": quote} for quote in quotes],
        **({"answer": "0.001"} if asks else {}),
    }
    kinds = [{"reasoning": "-", "is_argument": False}]
    kinds += [{"reasoning": "-", "kind": "question" if asks else "claim"}]
    provider = ScriptedProvider([json.dumps(answer) for answer in (*kinds, reply)])
    client = Client(lambda _: provider, CallsInMemory())
    judges = ModelJudges(Asker(client, model="scripted/x", sampling=SamplingParams()))
    return await score_point(point, paper, judges)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("point", "score", "quotes", "counts"),
    [
        (CLAIM, 1, [SEEN], True),  # contradicted by what is shown
        (CLAIM, 1, [], False),
        (CLAIM, 2, [HIDDEN], False),  # out of the model's memory
        (CLAIM, 3, [SEEN], False),
        (CLAIM, 5, [SEEN], True),
        (CLAIM, 5, [], False),
        (DENIAL, 1, [SEEN], True),
        (DENIAL, 5, [SEEN], False),  # absent from excerpts is not absent
        (QUESTION, 1, [SEEN], True),
        (QUESTION, 2, [], False),
        (QUESTION, 3, [], False),
        (QUESTION, 5, [], False),
    ],
)
async def test_a_score_counts_only_where_excerpts_can_show_it(
    point: object, score: int, quotes: list[str], counts: bool, excerpts: Paper
) -> None:
    record = await scored(point, excerpts, score, quotes)

    assert record.seen is not None
    assert record.seen.kind == "excerpts"
    if counts:
        assert (record.status, record.base) == (Status.SCORED, score)
        assert record.misinformed == (score <= 2)
    else:
        assert (record.status, record.reason) == (Status.UNKNOWN, UnknownReason.EXCERPTS)
        assert (record.base, record.misinformed) == (None, None)
        assert record.verdict is not None
        assert record.verdict.on_excerpts == score


@pytest.mark.parametrize(("point", "score"), [(CLAIM, 1), (DENIAL, 5), (QUESTION, 5)])
async def test_on_a_whole_paper_scores_count_as_before(
    point: object, score: int, paper: Paper
) -> None:
    record = await scored(point, paper, score, [])

    assert (record.status, record.base) == (Status.SCORED, score)
    assert record.seen is None
    assert "on_excerpts" not in record.model_dump_json()


@pytest.mark.parametrize(
    ("source", "text", "factuality", "quotes", "counts"),
    [
        (KnowledgeSource.GIVEN_PAPER, "The network has two layers.", 1, [SEEN], True),
        (KnowledgeSource.GIVEN_PAPER, "The network has two layers.", 1, [], False),
        (KnowledgeSource.GIVEN_PAPER, "The network has three layers.", 5, [SEEN], True),
        (KnowledgeSource.GIVEN_PAPER, "There is no ablation.", 5, [SEEN], False),
        (KnowledgeSource.ANNOTATOR_KNOWLEDGE, "One country is too few.", 2, [], True),
        (KnowledgeSource.OTHER_PAPERS, "Others counted bats.", 4, [], True),
    ],
)
def test_a_premise_counts_where_excerpts_or_other_knowledge_settle_it(
    source: KnowledgeSource,
    text: str,
    factuality: int,
    quotes: list[str],
    counts: bool,
    excerpts: Paper,
    paper: Paper,
) -> None:
    evidence = tuple(find_quote(excerpts, quote) for quote in quotes)
    verdict = PremiseVerdict(source=source, factuality=factuality, evidence=evidence)

    judged = premise_on_excerpts(verdict, excerpts, text)

    assert premise_on_excerpts(verdict, paper, text) is verdict
    if counts:
        assert judged is verdict
    else:
        assert (judged.factuality, judged.on_excerpts) == (None, factuality)


def test_the_prompt_shows_the_excerpts_and_says_that_they_are_excerpts(
    paper: Paper, excerpts: Paper
) -> None:
    from reviewscore.judges.model_judges import FactualityReply

    asker = Asker(Client(lambda _: ScriptedProvider([]), CallsInMemory()), model="scripted/x")

    def asked(about: Paper) -> Request:
        given = {"point": "p", "context": "", "response": None, "places": ()}
        return asker.request("claim_factuality", FactualityReply, paper=about, **given)[0]

    prefix = asked(excerpts).prefix
    assert SEEN in prefix.replace("\n", " ")
    assert HIDDEN not in prefix
    assert "parts of this paper alone" in prefix
    assert "2 Method" in prefix
    assert "parts of this paper alone" not in asked(paper).prefix


@pytest.mark.parametrize(
    ("given", "room"),
    [
        ({"context_tokens": 20_000, "max_tokens": 2000}, 14_400 - 2_450),
        ({"context_tokens": 20_000, "max_tokens": 2000, "score": "base"}, 14_400 - 1_250),
        ({"max_tokens": 4096}, 9_830 - 2_450),
        ({"max_tokens": 2000, "effort": "low"}, 6_707 - 2_450),
    ],
)
def test_what_is_left_of_the_context_goes_to_the_paper_whichever_tokenizer_counts(
    given: dict[str, object], room: int
) -> None:
    settings = Settings.model_validate({"model": "openai/x", "context": "excerpts", **given})

    assert excerpt_room(settings) == room
    assert excerpt_room(settings, beside=1000) == room - 1000


def test_a_context_without_room_for_a_paper_is_refused_with_what_would_do() -> None:
    given = {"model": "openai/x", "context": "excerpts", "max_tokens": 1000}
    settings = Settings.model_validate({**given, "context_tokens": 4096})

    with pytest.raises(SettingsError, match="--context-tokens 5063") as refused:
        excerpt_room(settings)

    assert "1,000 are kept for the reply" in str(refused.value)
    assert excerpt_room(Settings.model_validate({**given, "context_tokens": 5063})) == 800


@pytest.mark.parametrize("tokens", [4_000, 5_000, 7_000])
def test_a_prompt_with_excerpts_their_places_and_the_point_keeps_to_its_room(tokens: int) -> None:
    gear = ("nets", "traps", "pots", "lines")
    sentences = (
        f"In pond {n} we caught {n}.{n}2 kg (p < 0.0{n}) of small fish with {gear[n % 4]}."
        for n in range(900)
    )
    text = "1 Introduction\nWe fish.\n\n2 Results\n" + " ".join(sentences)
    pond = build_paper(PaperRow(paper_id="pond", title="Ponds", text=text))
    given = {"context": "excerpts", "context_tokens": tokens, "max_tokens": 900, "score": "base"}
    settings = Settings.model_validate({"model": "openai/x", **given})
    long = make_point("Why is x_7 of nets below that of traps? " * 6)

    for point in (make_point("Nets catch little."), long):
        seen, size = judged_on(point, pond, settings, response=None)

        assert seen.excerpt_share is not None
        assert size <= (tokens - 900) / 1.25
        assert size > 0.8 * (tokens - 900) / 1.25
        assert estimated_tokens(paper_prefix(seen)) < size


def test_a_paper_that_fits_is_judged_whole(paper: Paper) -> None:
    settings = Settings(model="openai/x", context="excerpts")

    assert judged_on(CLAIM, paper, settings, response=None)[0] is paper
