"""What GEM is compared with: worked examples, edges, and a judge whose replies are scripted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.config import Settings
from reviewscore.errors import ProviderError, SettingsError, StopError
from reviewscore.gem.baselines import NO_PAPER, NO_REVIEW, Compression, Examiner, similarity
from reviewscore.gem.estimator import NO_SCORE, NOT_FINITE, Scored, scored
from reviewscore.judges.asker import Asker
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.runs.generation import open_asker
from reviewscore.schema.call import Request
from reviewscore.text.similarity import Bleu, RougeL, TextMetric, TextPair, rouge_l
from tests.gem.invented import asks
from tests.ledgers import column
from tests.loopback import ANSWERS, Loopback

OVERLAPS: tuple[TextMetric, ...] = (Bleu(), RougeL(), Compression())
GRADE = {
    "understanding": "u",
    "coverage": "c",
    "substantiation": "s",
    "constructiveness": "k",
    "overall_assessment": "o",
    "overall_score": 7,
}


def score(metric: TextMetric, candidate: str, reference: str) -> float | None:
    return metric.scores([TextPair("p", candidate, reference)])[0]


def test_bleu_is_the_geometric_mean_of_four_precisions() -> None:
    # By hand: 5 of 6 words, 3 of 5 pairs, 2 of 4 triples, 1 of 3 quadruples; equal lengths.
    expected = (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4)

    assert score(Bleu(), "the cat sat on the mat", "the cat sat on a mat") == pytest.approx(
        expected
    )


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c,", "d.", " ", "E"])), min_size=1, max_size=4)
)
def test_bleu_of_texts_that_are_read_once_is_that_of_sacrebleu(words: list[list[str]]) -> None:
    from sacrebleu.metrics.bleu import BLEU

    library = BLEU(effective_order=True)
    texts = [" ".join(" ".join(some).split()) for some in words]
    pairs = [
        TextPair(f"p{n % 2}", one, other)
        for n, one in enumerate(texts)
        for other in texts
        if one and other
    ]

    expected = [library.sentence_score(p.candidate, [p.reference]).score / 100 for p in pairs]
    assert expected == Bleu().scores(pairs)


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [("police kill the gunman", 3 / 4), ("the gunman kill police", 2 / 4)],
)
def test_rouge_l_is_as_in_the_example_of_its_paper(candidate: str, expected: float) -> None:
    # Lin 2004, sec. 3.1, reference S1 with S2 and S3.
    assert expected == score(RougeL(), candidate, "Police killed the gunman.")


def test_rouge_l_weighs_recall_and_precision_alike() -> None:
    # Three of four words in common order of five: 2 * 3 / (4 + 5).
    assert rouge_l(list("abxc"), list("aybcz")) == pytest.approx(2 / 3)


@pytest.mark.parametrize("metric", OVERLAPS, ids=lambda one: one.name)
def test_a_text_is_most_like_itself(metric: TextMetric) -> None:
    text = "The idea is good and the data are public, but the rain matters to frogs."
    other = "We regret that glaciers were left aside when radar met thickness."

    same, different = (score(metric, text, reference) for reference in (text, other))

    assert same is not None
    assert different is not None
    assert same > 0.8
    assert different < 0.35


@pytest.mark.parametrize("metric", OVERLAPS, ids=lambda one: one.name)
def test_an_empty_reference_gives_no_score(metric: TextMetric) -> None:
    assert score(metric, "words", " \n") is None


@pytest.mark.parametrize(("metric", "expected"), [(Bleu(), 0.0), (RougeL(), 0.0)])
def test_an_empty_candidate_has_nothing_in_common(metric: TextMetric, expected: float) -> None:
    assert expected == score(metric, " ", "words")


def test_an_empty_candidate_cannot_be_compressed() -> None:
    assert score(Compression(), " ", "words") is None


@pytest.mark.parametrize("metric", OVERLAPS, ids=lambda one: one.name)
@settings(deadline=None)  # the first one loads a library
@given(candidate=st.text(), reference=st.text())
def test_any_two_texts_have_a_score_in_range_or_none(
    metric: TextMetric, candidate: str, reference: str
) -> None:
    found = score(metric, candidate, reference)

    assert found is None or -0.5 <= found <= 1 + 1e-9


@given(st.text(min_size=1), st.text(min_size=1))
def test_compression_does_not_mind_which_text_comes_first(left: str, right: str) -> None:
    assert similarity(left, right) == similarity(right, left)


@pytest.mark.parametrize("metric", OVERLAPS, ids=lambda one: one.name)
def test_a_megabyte_is_scored(metric: TextMetric) -> None:
    assert score(metric, "the frogs sing " * 70_000, "the frogs sing") is not None


def test_scores_come_in_the_order_of_the_pairs() -> None:
    pairs = [TextPair("p", "a b", "c d"), TextPair("p", "a b", "a b"), TextPair("p", "a b", "")]

    assert RougeL().scores(pairs) == [0.0, 1.0, None]


def test_libraries_are_loaded_when_a_score_is_asked_for() -> None:
    code = (
        "import sys\nimport reviewscore.text.similarity, reviewscore.gem.validation\n"
        "print([n for n in ('sacrebleu', 'rapidfuzz', 'scipy', 'sklearn') if n in sys.modules])"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"


def test_a_missing_score_has_a_reason() -> None:
    class Moody:
        name = "moody"

        def scores(self, pairs: list[TextPair]) -> list[float | None]:
            return [None, float("nan"), 1.0]

    found = scored(Moody(), [TextPair("p", "", "")] * 3)  # type: ignore[arg-type]

    assert found == [Scored(None, NO_SCORE), Scored(None, NOT_FINITE), Scored(1.0)]


def test_the_examiner_reads_the_paper_and_the_review_and_no_reference() -> None:
    provider = ScriptedProvider([json.dumps(GRADE)])
    pairs = [
        TextPair("p", "My review.", reference, paper="On frogs.") for reference in ("R1", "R2")
    ]

    examinations = Examiner(asks(provider)).examinations(pairs)

    request = provider.requests[0]
    assert [one.reply.overall_score for one in examinations if one.reply] == [7, 7]
    assert len(provider.requests) == 1
    assert "On frogs." in request.prefix
    assert "My review." in request.messages[0].content
    assert "R1" not in request.messages[0].content
    assert examinations[0].provenance is not None
    assert examinations[0].provenance.prompt_id == "examiner/v1"


@pytest.mark.parametrize("wrong", [{"overall_score": 11}, {"overall_score": -1}, {"coverage": 3}])
def test_a_grade_out_of_range_is_asked_for_again(wrong: dict[str, object]) -> None:
    provider = ScriptedProvider([json.dumps({**GRADE, **wrong}), json.dumps(GRADE)])

    assert Examiner(asks(provider)).scores([TextPair("p", "r", "", paper="t")]) == [7.0]


def test_a_failed_grade_is_none_with_its_reason_and_never_nought() -> None:
    def script(request: Request) -> str | Exception:
        if "bad" in request.messages[0].content:
            return ProviderError("down", retryable=False)
        return json.dumps({**GRADE, "overall_score": 0})

    pairs = [
        TextPair("p", "bad", "", paper="t"),
        TextPair("p", "good", "", paper="t"),
        TextPair("p", "good", ""),
        TextPair("p", " ", "", paper="t"),
    ]

    found = scored(Examiner(asks(ScriptedProvider(script))), pairs)

    assert found == [
        Scored(None, "ProviderError: down"),
        Scored(0.0),
        Scored(None, NO_PAPER),
        Scored(None, NO_REVIEW),
    ]


def test_a_reply_that_never_fits_is_no_grade() -> None:
    found = Examiner(asks(ScriptedProvider(["no"] * 3))).scored([TextPair("p", "r", "", paper="t")])

    assert found[0].value is None
    assert found[0].reason.startswith("BadReplyError")


def test_a_stated_limit_ends_the_examination() -> None:
    with pytest.raises(StopError):
        Examiner(asks(ScriptedProvider([StopError("cap")]))).scores(
            [TextPair("p", "r", "", paper="t")]
        )


def test_grades_are_recorded_and_never_paid_for_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ANSWERS, "ExaminerReply", lambda _: GRADE)
    server = Loopback().start()
    settings = Settings(model="openai/loop", base_url=server.url)
    pairs = [TextPair("p", review, "", paper="On frogs.") for review in ("one", "two")]

    @asynccontextmanager
    async def opened() -> AsyncIterator[Asker]:
        with closing(Ledger(tmp_path, run="r")) as book:
            async with open_asker(settings, book) as asker:
                yield asker

    try:
        first, second = (Examiner(opened).scores(pairs) for _ in range(2))
    finally:
        server.stop()

    assert first == second == [7.0, 7.0]
    assert column(tmp_path, "stage") == ["examiner", "examiner"]
    assert sum(server.served.values()) == 2


async def test_the_embedded_judge_cannot_be_asked() -> None:
    with pytest.raises(SettingsError, match="name one with --model"):
        async with open_asker(Settings(), CallsInMemory()):
            pass
