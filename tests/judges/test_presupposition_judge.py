"""What a review takes for granted is asked once for all its points, and again where it matters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.config import POINT_TOKENS
from reviewscore.errors import BadReplyError, ModelError, RefusalError
from reviewscore.judges.asker import Asker, SamplingParams
from reviewscore.judges.by_review import MOST_OF_PLACES, ReviewPoints, _with_marks, pieces, words_of
from reviewscore.judges.model_judges import ModelJudges
from reviewscore.judges.panel import Panel
from reviewscore.judges.presupposition_judge import PresuppositionJudge
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.providers.scripted import Reply, ScriptedProvider
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.pipeline import score_presuppositions
from reviewscore.points.places import with_places
from reviewscore.points.split import split_review
from reviewscore.schema.call import Completion, Request
from reviewscore.schema.paper import Paper, Scope, Zone
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.presupposition import Look
from reviewscore.schema.review import Occurrence, PointKind, PointType, Review
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import UnknownReason
from tests.conftest import make_point

Answer = dict[str, object]
SHOWN = (
    "Accuracy drops by four points\nwithout the overlap and by one point without the third layer."
)
ADAM = "We train with Adam and a learning rate of 0.001."
REVIEW = Review(
    review_id="r1",
    paper_id="frogs",
    fields={
        "summary": "It counts frogs.",
        "weaknesses": "- There is no ablation.\n- The writing is dense.\n- Rain is left out.",
        "questions": "- Which learning rate was used?",
    },
)
POINTS = split_review(REVIEW)
TEXTS = [point.text for point in POINTS]


def granted(**changes: object) -> Answer:
    return {
        "statement": "The paper has no ablation.",
        "nearest": [],
        "supplies": None,
        "true": 4,
        "central": True,
        "foreign": False,
        "acknowledged": False,
        **changes,
    }


def said(*given: Answer, standing: int = 4, probability: float = 0.1, **changes: object) -> Answer:
    part = {"words": "", "presuppositions": [*given] or [granted()], "standing": standing}
    return {
        "kind": "criticism",
        "type": "claim",
        "parts": [part],
        "reason": "So it is.",
        "probability": probability,
        **changes,
    }


def of_text(sentence: str, source: str = "text") -> Answer:
    return {"section": "?", "sentence": sentence, "source": source}


WRONG = said(granted(true=1, supplies="fully", nearest=[of_text(SHOWN)]), standing=1)


def wanted(request: Request) -> list[int]:
    """The numbers that a prompt about a review asks about."""
    line = re.findall(r"^Judge these remarks: (.*)\.$", item(request), re.MULTILINE)[-1]
    return [int(number) for number in re.findall(r"\d+", line)]


def item(request: Request) -> str:
    return request.messages[0].content


def points_reply(numbers: list[int], **of: Answer) -> str:
    points = [{**of.get(f"n{number}", said()), "point": number} for number in numbers]
    return json.dumps({"points": points})


def judge_with(
    script: Callable[[Request], Reply] | list[Reply], **settings: object
) -> tuple[PresuppositionJudge, ScriptedProvider]:
    provider = ScriptedProvider(script)  # type: ignore[arg-type]
    client = Client(lambda _: provider, CallsInMemory(), limits=CallLimits(connections=4))
    asker = Asker(client, model="scripted/x", sampling=SamplingParams(max_tokens=500))
    return PresuppositionJudge(asker, **settings), provider  # type: ignore[arg-type]


async def outcomes(
    judge: PresuppositionJudge, paper: Paper, review: Review = REVIEW
) -> list[tuple[Look, ...] | str]:
    """What is said of each point of a review, or the kind of error."""
    points = split_review(review)
    await judge.by_review([ReviewPoints(review, points)], paper)
    found: list[tuple[Look, ...] | str] = []
    for point in points:
        try:
            found.append(await judge.looks(point, paper))
        except ModelError as error:
            found.append(type(error).__name__)
    return found


async def test_one_call_asks_about_all_points_of_a_review_after_the_paper(paper: Paper) -> None:
    judge, provider = judge_with(lambda request: points_reply(wanted(request)))

    found = await outcomes(judge, paper)

    (request,) = provider.requests
    assert paper.text in request.prefix
    assert paper.text not in item(request)
    assert wanted(request) == [1, 2, 3, 4]
    assert "⟦1⟧There is no ablation.⟦/1⟧" in item(request)
    assert "[summary]\nIt counts frogs." in item(request)
    assert request.max_tokens == 4 * POINT_TOKENS["presupposition"]
    assert [len(looks) for looks in found] == [1, 1, 1, 1]


async def test_the_paper_opens_all_three_prompts_byte_for_byte(paper: Paper) -> None:
    first = points_reply([1, 2, 3, 4], n1=WRONG)
    judge, provider = judge_with([first, json.dumps(WRONG), json.dumps(said())])

    await outcomes(judge, paper)
    await judge.looks(make_point("Too dense."), paper)

    assert len({(one.system, one.prefix) for one in provider.requests}) == 1
    assert [one.schema_name for one in provider.requests] == [
        *("ReviewRemarksReply", "RemarkReply", "RemarkReply"),
    ]


async def test_points_that_a_reply_leaves_out_are_asked_about_alone(paper: Paper) -> None:
    def script(request: Request) -> str:
        numbers = wanted(request)
        return points_reply([1, 3] if len(numbers) > 2 else numbers)

    judge, provider = judge_with(script)

    found = await outcomes(judge, paper)

    assert [wanted(one) for one in provider.requests] == [[1, 2, 3, 4], [2, 4]]
    assert not any(isinstance(looks, str) for looks in found)


async def test_a_point_that_is_left_out_twice_fails_alone(paper: Paper) -> None:
    judge, _ = judge_with(lambda request: points_reply([n for n in wanted(request) if n != 2]))

    found = await outcomes(judge, paper)

    assert [looks if isinstance(looks, str) else "ok" for looks in found] == [
        *("ok", BadReplyError.__name__, "ok", "ok"),
    ]


@pytest.mark.parametrize("numbers", [[1, 2, 3, 4, 5], [1, 1, 2, 3, 4], [0]])
async def test_an_entry_for_a_point_that_was_not_asked_about_is_asked_for_again(
    paper: Paper, numbers: list[int]
) -> None:
    judge, provider = judge_with([points_reply(numbers), points_reply([1, 2, 3, 4])])

    found = await outcomes(judge, paper)

    assert (
        "an entry is needed for each of 1, 2, 3 and 4" in provider.requests[1].messages[-1].content
    )
    assert not any(isinstance(looks, str) for looks in found)


async def test_a_review_with_too_many_points_is_split_evenly_and_shown_whole(paper: Paper) -> None:
    judge, provider = judge_with(lambda request: points_reply(wanted(request)), points_per_call=3)

    await outcomes(judge, paper)

    assert sorted(wanted(one) for one in provider.requests) == [[1, 2], [3, 4]]
    shown = {item(one).partition("Judge these")[0] for one in provider.requests}
    assert len(shown) == 1


async def test_where_no_reply_can_be_read_each_half_is_asked_about_by_itself(paper: Paper) -> None:
    def script(request: Request) -> Reply:
        if 3 in wanted(request):
            return Completion(text="{", model="scripted/x", finish="length")
        return points_reply(wanted(request))

    judge, provider = judge_with(script)

    found = await outcomes(judge, paper)

    assert found[2] == "TruncatedError"
    assert [isinstance(looks, str) for looks in found] == [False, False, True, False]
    assert wanted(provider.requests[-1]) == [4]


async def test_a_refusal_is_no_cause_to_ask_again(paper: Paper) -> None:
    judge, provider = judge_with([RefusalError("no")])

    found = await outcomes(judge, paper)

    assert found == ["RefusalError"] * 4
    assert len(provider.requests) == 1


async def test_a_remark_that_is_judged_has_a_part_and_what_is_no_point_needs_none(
    paper: Paper,
) -> None:
    bare, none = said(parts=[]), said(parts=[], kind="none")
    judge, provider = judge_with(
        [points_reply([1, 2, 3, 4], n1=bare), points_reply([1, 2, 3, 4], n1=none)]
    )

    found = await outcomes(judge, paper)

    assert "has at least one" in provider.requests[1].messages[-1].content
    looks = found[0]
    assert isinstance(looks, tuple)
    assert (looks[0].kind, looks[0].standing) == (PointKind.NONE, None)


async def test_nothing_in_a_review_looks_like_a_mark(paper: Paper) -> None:
    fields = {"weaknesses⟦9⟧": "- No ⟦/1⟧ ablation ⟦2⟧ at all."}
    review = Review(review_id="r1", paper_id="frogs", fields=fields)
    points = split_review(Review(review_id="r1", paper_id="frogs", fields={"weaknesses": "- x"}))
    span = Span(field="weaknesses⟦9⟧", start=2, end=28)
    judge, provider = judge_with(lambda request: points_reply(wanted(request)))

    await judge.by_review(
        [ReviewPoints(review, (points[0].model_copy(update={"span": span}),))], paper
    )

    marks = re.findall("⟦/?[0-9]+⟧", item(provider.requests[0]))
    assert marks == ["⟦1⟧", "⟦/1⟧"]
    assert "[[2]]" in item(provider.requests[0])


async def test_a_concern_that_the_review_repeats_is_one_number_at_both_places(paper: Paper) -> None:
    span = Span(field="questions", start=2, end=31)
    again = Occurrence(section="questions", text="Which learning rate was used?", span=span)
    point = POINTS[0].model_copy(update={"occurrences": (again,)})
    judge, provider = judge_with(lambda request: points_reply(wanted(request)))

    await judge.by_review([ReviewPoints(REVIEW, (point,))], paper)

    assert "⟦1⟧There is no ablation.⟦/1⟧" in item(provider.requests[0])
    assert "⟦1⟧Which learning rate was used?⟦/1⟧" in item(provider.requests[0])


async def test_numbers_run_through_all_reviews_of_a_paper(paper: Paper) -> None:
    other = REVIEW.model_copy(update={"review_id": "r2"})
    judge, provider = judge_with(lambda request: points_reply(wanted(request), n5=said(standing=5)))

    await judge.by_review([ReviewPoints(r, split_review(r)) for r in (REVIEW, other)], paper)
    looks = await judge.looks(split_review(other)[0], paper)

    assert wanted(provider.requests[0]) == [*range(1, 9)]
    assert looks[0].standing == 5


async def test_places_that_points_name_are_shown_once_with_who_names_them(paper: Paper) -> None:
    text = "- Section 3.1 is thin.\n- I doubt Section 3.1.\n- Table 9 is odd."
    review = Review(review_id="r1", paper_id="frogs", fields={"weaknesses": text})
    points = tuple(with_places(point, paper, review) for point in split_review(review))
    judge, provider = judge_with(lambda request: points_reply(wanted(request)))

    await judge.by_review([ReviewPoints(review, points)], paper)

    shown = item(provider.requests[0])
    assert shown.count("Remark 1 and 2 names Section 3.1") == 1
    assert "Remark 3 names Table 9: is not in the text at hand" in shown
    assert shown.count("We remove the network's third layer") == 1


async def test_places_of_a_long_review_have_bounded_room() -> None:
    sections = "".join(f"\n\n{n} Part {n}\n\n{'Frogs call at night. ' * 70}" for n in range(1, 15))
    paper = build_paper(PaperRow(paper_id="frogs", title="T", text=f"Abstract\nShort.{sections}"))
    text = "\n".join(f"- Section {n} is thin." for n in range(1, 15))
    review = Review(review_id="r1", paper_id="frogs", fields={"weaknesses": text})
    points = tuple(with_places(point, paper, review) for point in split_review(review))
    judge, provider = judge_with(lambda request: points_reply(wanted(request)))

    await judge.by_review([ReviewPoints(review, points)], paper)

    shown = item(provider.requests[0])
    assert 1 < shown.count("<place-") <= MOST_OF_PLACES // 1000
    assert sum(map(len, re.findall(r"<place-.*?</place", shown, re.DOTALL))) < MOST_OF_PLACES * 1.2


async def test_a_second_look_is_fresh_and_has_the_passages_of_the_first_and_of_the_finder(
    paper: Paper,
) -> None:
    judge, provider = judge_with([json.dumps(WRONG), json.dumps(said(standing=4))])
    point = make_point("There is no ablation of the network.")

    first, second = await judge.looks(point, paper)

    shown = item(provider.requests[1])
    assert (first.number, first.standing, second.number, second.standing) == (1, 1, 2, 4)
    assert SHOWN in shown
    assert "3.1 Ablation" in shown or "We remove the network's third layer" in shown
    assert "So it is." not in shown
    assert "supplies" not in shown
    assert [one.provenance[0].prompt_id for one in (first, second)] == [
        *("presuppositions_point/v1", "presuppositions_second_look/v1"),
    ]


@pytest.mark.parametrize(
    ("between", "answer", "looks"),
    [
        ((0.3, 0.7), said(standing=2), 2),
        ((0.3, 0.7), said(standing=5, probability=0.5), 2),
        ((0.3, 0.7), said(standing=5, probability=0.2), 1),
        ((0.1, 0.9), said(standing=5, probability=0.2), 2),
        (None, said(standing=1), 1),
    ],
)
async def test_who_gets_a_second_look_is_bounded_by_the_settings(
    paper: Paper, between: tuple[float, float] | None, answer: Answer, looks: int
) -> None:
    judge, _ = judge_with([json.dumps(answer), json.dumps(said())], second_look=between)

    assert len(await judge.looks(make_point("Too dense."), paper)) == looks


async def test_passages_are_the_papers_own_or_marked_as_not_verified(paper: Paper) -> None:
    nearest = [
        of_text("accuracy DROPS"),
        of_text(ADAM),
        of_text("Three seeds stand in Table 2.", "table"),
        of_text(ADAM, "figure"),
    ]
    judge, _ = judge_with([json.dumps(said(granted(nearest=nearest)))])

    (look,) = await judge.looks(make_point("Which optimiser?"), paper)

    made_up, real, read_off = look.parts[0].presuppositions[0].nearest
    assert (made_up.verified, made_up.source) == (False, None)
    assert (real.verified, real.quote, real.source) == (True, ADAM, None)
    assert paper.text[real.start : real.end] == ADAM
    assert (read_off.verified, read_off.source) == (False, "table")


async def test_a_caption_that_stands_for_a_reading_off_its_figure_flags_nothing() -> None:
    caption = (
        "Figure 2: Calls that were counted by hour of the night.\nDots stand for single ponds."
    )
    text = f"Abstract\nWe count frogs.\n\n1 Results\nWe listen at night.\n\n0.1 0.2\n{caption}\n"
    paper = build_paper(PaperRow(paper_id="frogs", title="T", text=text))
    told = [of_text(sentence, "figure") for sentence in caption.split("\n")]
    wrong = said(granted(true=1, nearest=told), standing=1)

    record = await score_presuppositions(
        make_point("No hours are given."), paper, judges([json.dumps(wrong)] * 2)
    )

    nearest = record.presuppositions[0].nearest
    assert [(passage.verified, passage.source) for passage in nearest] == [(True, "figure")] * 2
    assert (record.misinformed, record.reason) == (None, UnknownReason.UNPROVED)
    assert record.supplied is None


async def test_what_the_authors_answer_in_a_checklist_is_no_evidence() -> None:
    text = (
        "Abstract\nWe count frogs.\n\n1 Method\nWe listen at ponds all night long.\n\n"
        "2 Checklist\nThe claims match our results with error bars.\n"
    )
    built = build_paper(PaperRow(paper_id="frogs", title="T", text=text))
    last = built.sections[-1].model_copy(update={"zone": Zone.CHECKLIST})
    paper = built.model_copy(update={"sections": (*built.sections[:-1], last)})
    quotes = ["The claims match our results with error bars.", "We listen at ponds all night long."]
    judge, _ = judge_with([json.dumps(said(granted(nearest=[*map(of_text, quotes)])))])

    (look,) = await judge.looks(make_point("No error bars."), paper)

    answer, method = look.parts[0].presuppositions[0].nearest
    assert (answer.verified, answer.of_venue, method.verified) == (False, True, True)


async def test_parts_stand_where_their_words_stand_in_the_review(paper: Paper) -> None:
    text = "There is neither an ablation nor a standard\ndeviation."
    part = {"presuppositions": [granted()], "standing": 4}
    parts = [{**part, "words": words} for words in ("a standard deviation", "an ablation", "Adam")]
    judge, _ = judge_with([json.dumps(said(parts=parts))])
    span = Span(field="weaknesses", start=10, end=10 + len(text))
    point = make_point(text).model_copy(update={"span": span})

    (look,) = await judge.looks(point, paper)

    spans = [None if one.span is None else (one.span.start, one.span.end) for one in look.parts]
    assert spans == [(10 + 33, 10 + 53), (10 + 17, 10 + 28), None]


async def test_what_was_said_by_review_is_used_until_it_is_forgotten(paper: Paper) -> None:
    judge, provider = judge_with([points_reply([1, 2, 3, 4]), json.dumps(said(standing=5))])
    await judge.by_review([ReviewPoints(REVIEW, POINTS)], paper)

    kept = await judge.looks(POINTS[0], paper)
    judge.forget(POINTS)
    anew = await judge.looks(POINTS[0], paper)

    assert (kept[0].standing, anew[0].standing) == (4, 5)
    assert len(provider.requests) == 2


def judges(script: list[Reply], name: str = "scripted/x") -> ModelJudges:
    judge, _ = judge_with(script)
    judge._asker.model = name
    return ModelJudges(judge._asker, presuppositions=judge)


async def test_a_point_that_two_looks_flag_is_misinformed_with_its_passages(paper: Paper) -> None:
    point = make_point("There is no ablation.")

    record = await score_presuppositions(point, paper, judges([json.dumps(WRONG)] * 2))

    assert (record.status, record.misinformed, record.supplied) == (Status.SCORED, True, True)
    assert (record.base, record.standing, record.advanced) == (1, 1, None)
    assert (record.kind, record.type) == (PointKind.CRITICISM, PointType.CLAIM)
    assert [quote.quote for quote in record.evidence] == [SHOWN]
    assert record.verdict is not None
    assert (record.verdict.scale, record.verdict.rationale) == ("standing", "So it is.")
    assert record.presuppositions[0].statement == "The paper has no ablation."
    assert record.parts[0].misinformed is True
    assert record.seen is not None
    assert record.seen.kind is Scope.WHOLE
    assert len(record.looks) == len(record.origins) == 2
    assert PointScore.model_validate_json(record.model_dump_json()) == record


async def test_a_point_whose_looks_differ_is_contested_with_both_kept(paper: Paper) -> None:
    script: list[Reply] = [json.dumps(WRONG), json.dumps(said(granted(), standing=5))]

    record = await score_presuppositions(make_point("There is no ablation."), paper, judges(script))

    assert (record.status, record.misinformed) == (Status.UNKNOWN, None)
    assert (record.reason, record.standing, record.supplied) == (UnknownReason.CONTESTED, 1, None)
    assert [look.standing for look in record.looks] == [1, 5]


async def test_what_the_judge_takes_for_no_point_is_not_judged(paper: Paper) -> None:
    script: list[Reply] = [json.dumps(said(kind="none", parts=[]))]

    record = await score_presuppositions(make_point("Nice paper."), paper, judges(script))

    assert (record.is_point, record.status) == (False, Status.UNKNOWN)
    assert (record.reason, record.base, record.verdict) == (UnknownReason.NO_POINT, None, None)


async def test_what_is_no_point_by_the_rules_is_never_asked_about(paper: Paper) -> None:
    point = make_point("Nice.").model_copy(update={"kind": PointKind.NONE})

    record = await score_presuppositions(point, paper, judges([]))

    assert record.reason is UnknownReason.NO_POINT


async def test_a_panel_has_the_looks_of_all_and_the_lower_median(paper: Paper) -> None:
    panel = Panel(
        [
            judges([json.dumps(said(standing=5))], "a/b"),
            judges([RefusalError("no")], "c/d"),
            judges([json.dumps(said(standing=3, reason="Open."))], "e/f"),
        ]
    )

    record = await score_presuppositions(make_point("Too dense."), paper, panel)

    assert [(look.judge, look.standing) for look in record.looks] == [("a/b", 5), ("e/f", 3)]
    assert (record.standing, record.misinformed) == (3, False)
    assert record.verdict is not None
    assert record.verdict.rationale == "Open."
    assert [(rating.score, rating.error) for rating in record.verdict.ratings] == [
        *((5, None), (3, None), (None, "RefusalError: no")),
    ]
    assert record.error is None


@pytest.mark.parametrize(
    "missing", [[RefusalError("no")], [json.dumps(said(probability=0.5)), RefusalError("no")]]
)
async def test_a_flag_of_a_panel_of_which_a_judge_gave_no_reply_is_an_error_and_no_flag(
    paper: Paper, missing: list[Reply]
) -> None:
    panel = Panel([judges([json.dumps(WRONG)] * 2, "a/b"), judges(missing, "c/d")])

    record = await score_presuppositions(make_point("There is no ablation."), paper, panel)

    assert (record.status, record.misinformed, record.reason) == (Status.ERROR, None, None)
    assert record.error == "c/d: RefusalError: no"
    assert record.verdict is not None
    assert [(rating.judge, rating.score) for rating in record.verdict.ratings] == [
        *(("a/b", 1), ("c/d", None)),
    ]
    assert [look.judge for look in record.looks] == ["a/b", "a/b"]
    assert PointScore.model_validate_json(record.model_dump_json()) == record


async def test_a_panel_of_which_nobody_answers_is_an_error(paper: Paper) -> None:
    panel = Panel([judges([RefusalError("no")]), judges([RefusalError("no")])])

    with pytest.raises(RefusalError):
        await score_presuppositions(make_point("Too dense."), paper, panel)


@given(st.text(alphabet="ab ⟦⟧1/[", max_size=30), st.lists(st.tuples(*[st.integers(0, 30)] * 2)))
def test_marks_come_in_pairs_and_leave_the_words_of_a_review_alone(
    text: str, edges: list[tuple[int, int]]
) -> None:
    spans = [
        (number, Span(field="w", start=min(*ends, len(text)), end=min(max(ends), len(text))))
        for number, ends in enumerate(edges, start=1)
    ]

    marked = _with_marks(text, spans)

    marks = re.findall("⟦(/?)([0-9]+)⟧", marked)
    assert re.sub("⟦/?[0-9]+⟧", "", marked) == text.replace("⟦", "[[").replace("⟧", "]]")
    assert sorted(int(number) for slash, number in marks if not slash) == [n for n, _ in spans]
    assert sorted(int(number) for slash, number in marks if slash) == [n for n, _ in spans]


@pytest.mark.parametrize(
    ("count", "most", "sizes"), [(0, 3, []), (3, 3, [3]), (4, 3, [2, 2]), (20, 6, [5, 5, 5, 5])]
)
def test_pieces_are_few_and_even(count: int, most: int, sizes: list[int]) -> None:
    found = pieces(range(count), most)

    assert [len(piece) for piece in found] == sizes
    assert [number for piece in found for number in piece] == [*range(count)]


def test_numbers_in_words() -> None:
    assert [words_of(numbers) for numbers in ([], [3], [1, 2], [1, 2, 5])] == [
        *("none", "3", "1 and 2", "1, 2 and 5"),
    ]
