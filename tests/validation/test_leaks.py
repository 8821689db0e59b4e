"""Checks of planted points, each with a leak that was planted for it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.validation.leaks import CutVersion, LeakKind, leaks, nearest
from reviewscore.validation.planted import cut
from tests.validation.invented import TEXT, paper, passage, point, point_of, span

TIMES = "### 4.2 Times\n\nOne forecast takes 41 ms on a laptop."


def said(**changes: Any) -> list[tuple[LeakKind, str]]:
    return [(leak.kind, leak.problem) for leak in leaks(paper(), point(**changes))]


def edit(words: str, insert: str = "") -> dict[str, Any]:
    return {**span(words), "insert": insert}


def test_an_item_without_a_leak_passes_every_check() -> None:
    assert said() == []


def test_a_remark_about_another_paper_is_checked_without_a_cut() -> None:
    foreign = {"form": "another_paper", "fair_about": "moons", "cuts": [], "decoys": []}

    assert said(**foreign, passages=[]) == []
    assert said(**foreign, remark="Why are five seeds were run for tides?")[0][0] is (
        LeakKind.SHARED_WORDS
    )


def test_another_text_is_refused() -> None:
    with pytest.raises(InputError, match="not the one"):
        leaks(paper(TEXT.replace("Five", "Six")), point())


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        (
            {"passages": [{**passage("Gates help harbours."), **span("Harbours need forecasts.")}]},
            LeakKind.PASSAGE, "'Harbours need forecasts.' are not the words",
        ),
        (
            {"remark": "Nobody tells whether they were run; for each HARBOUR it may differ."},
            LeakKind.SHARED_WORDS, "'were run for each'",
        ),
        (
            {"passages": [*point().model_dump(mode="json")["passages"],
                          passage("The seeds are 3, 5 and 8.", "appendix")]},
            LeakKind.UNCUT, "'The seeds are 3, 5 and 8.'",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_for_sure_is_named(
    changes: dict[str, Any], kind: LeakKind, words: str
) -> None:
    ((first, problem), *_) = said(**changes)

    assert first is kind
    assert kind.certain
    assert words in problem


SEEDS = "Five seeds were run for each harbour."
RUNS = f"All runs use a rate of 0.0137. {SEEDS} We compare with Lunex and\nwith a plain mean."


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (TEXT.replace("The gate is cheap.", f"The gate is cheap. {SEEDS}"), {}),
        (TEXT.replace("The gate is cheap.", "Five seeds were\nrun for each har-\nbour."), {}),
        (TEXT, {"insert": SEEDS}),
        (TEXT, {"insert": "Indeed five seeds (Five seeds were run for each harbour)."}),
    ],
)
def test_a_passage_that_stands_elsewhere_after_the_cut_is_wrong_for_sure(
    text: str, changes: dict[str, Any]
) -> None:
    start = text.rindex(SEEDS)
    place = {"start": start, "end": start + len(SEEDS)}
    item = point_of(text, {**place, **changes}).model_dump(mode="json")
    item = point(**item | {"passages": [{**passage(SEEDS), **place}]})

    ((kind, problem),) = {(one.kind, one.problem) for one in leaks(paper(text), item, certain=True)}

    assert kind is LeakKind.UNCUT
    assert problem == f"{SEEDS!r} still stands in the paper after the cut"


def test_most_of_a_long_passage_is_looked_at_and_quoted_by_its_beginning() -> None:
    cuts = [span("0.0137"), span(" and\nwith a plain mean")]

    ((kind, problem),) = (
        leak for leak in said(cuts=cuts[:1], decoys=[], passages=[passage(RUNS)])
        if "most words" in leak[1]
    )  # fmt: skip

    assert kind is LeakKind.LEFTOVER
    assert not kind.certain
    assert problem.startswith(f"most words of {RUNS[:60] + '..'!r} still stand in 'runs use")
    assert not [1 for _, text in said(cuts=cuts, decoys=[], passages=[passage(RUNS)])
                if "most words" in text]  # fmt: skip


TABLE = """| Gate  |   Error | Kind      |
|-------|---------|-----------|
| Lunex |     7.1 | wooden    |
| ours  |     5.5 | iron      |

Behind it we see(a) harbours.
"""


def test_the_checks_read_the_text_that_judges_read_and_know_where_its_seams_are() -> None:
    first, second = TABLE.index("7.1"), TABLE.index("(a)")
    item = point_of(
        TABLE,
        {"start": first, "end": first + 3, "insert": "one"},
        {"start": second, "end": second, "insert": " all"},
    )

    version = CutVersion(paper(TABLE), item)

    assert version.text == cut(TABLE, item)
    assert "|     one | wooden" in version.text
    assert [version.text[one.place : one.place_end] for one in version.seams] == ["one", " all"]


PLANTED = [
    (LeakKind.LEFTOVER, ["We compare with Lunex and\nwith a plain mean."], "'Lunex' still stands"),
    (LeakKind.SEAM, ["All runs use a"], "a sentence begins without a capital"),
    (LeakKind.SEAM, ["each harbour."], "a sentence does not end"),
    (LeakKind.SEAM, ["(see "], "a bracket stands alone"),
    (LeakKind.SEAM, ["see Table 2"], "stands alone"),
    (LeakKind.SEAM, ["Five ", "seeds were "], "a sentence begins without a capital"),
    (LeakKind.NUMBERING, ["(i) a gate for tides, "], "(i): 1 is gone, 2 follows"),
    (LeakKind.COUNT, [", and (iii) a public archive"], "'three contributions' of which 2 are left"),
    (LeakKind.NUMBERING, ["Table 2: Memory of all gates."], "Table 2 is gone"),
    (LeakKind.NUMBERING, ["### 4.1 Setup"], "Section 4.1 is gone"),
    (LeakKind.REFERENCE, [TIMES], "'Section 4.2' is named"),
    (LeakKind.REFERENCE, ["## B Seeds\n\nThe seeds are 3, 5 and 8."], "'Appendix B' is named"),
    (LeakKind.REFERENCE, ["Table 2: Memory of all gates."], "'Table 2' is named and gone"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "words", "problem"), PLANTED)
def test_a_trace_of_a_cut_is_seen(kind: LeakKind, words: list[str], problem: str) -> None:
    changes: dict[str, Any] = {
        "cuts": [span(one) for one in words],
        "passages": [passage(words[0])],
    }
    if kind is LeakKind.LEFTOVER:
        changes["fact"] = "It compares with Lunex."

    problems = [text for found, text in said(**changes, decoys=[]) if found is kind]

    assert any(problem in text for text in problems), problems


BLANK = {"start": TEXT.index(" need forecasts"), "end": TEXT.index("need forecasts")}


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (BLANK, "two words are glued: "),
        (BLANK | {"insert": " then  "}, "'  ' stands alone"),
        (BLANK | {"insert": ", ,"}, "', ,' stands alone"),
    ],
)
def test_a_word_or_mark_that_an_insert_tears_is_seen(changed: dict[str, Any], problem: str) -> None:
    made = said(cuts=[changed], decoys=[], passages=[passage("Harbours need forecasts.")])

    ((kind, words),) = (leak for leak in made if leak[0] is not LeakKind.LEFTOVER)
    assert kind is LeakKind.SEAM
    assert words.startswith(problem.split(":", maxsplit=1)[0])


MENDED = [
    [edit("(i) a gate for tides, (ii) a study", "(i) a study"), edit("(iii)", "(ii)"),
     edit("three", "two")],
    [edit(" (see Table 2)"), edit("Table 2: Memory of all gates."), edit("Table 3:", "Table 2:")],
    [edit(" Section 4.2 reports times, and Appendix B lists seeds.", " Appendix B lists seeds."),
     edit(TIMES)],
    [edit("Appendix B", "Appendix A"), edit("## A Proofs\n\nNothing is left to prove."),
     edit("## B Seeds", "## A Seeds")],
    [edit("rate of 0.0137. Five seeds were run", "rate of 0.0137 and one seed")],
]  # fmt: skip


@pytest.mark.parametrize("edits", MENDED)
def test_a_cut_whose_traces_were_mended_passes(edits: list[dict[str, Any]]) -> None:
    edits.sort(key=lambda one: int(one["start"]))
    first = TEXT[edits[0]["start"] : edits[0]["end"]]

    assert said(cuts=edits, decoys=[], passages=[passage(first)]) == []


def test_numbers_and_names_that_run_through_the_paper_are_no_trace() -> None:
    fact = "The Gate was tried with the Lunex of 0.0137 on Cadiz."

    kinds = [
        (kind, problem[:7])
        for kind, problem in said(
            fact=fact,
            cuts=[span("We compare with Lunex and\nwith a plain mean.")],
            passages=[passage("We compare with Lunex and\nwith a plain mean.")],
        )
    ]

    assert kinds == [(LeakKind.LEFTOVER, "'Lunex'")]


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, len(TEXT)), min_size=2, max_size=8, unique=True),
    st.text("a( ,.", max_size=3),
)
def test_any_cut_can_be_checked_and_its_leaks_stand_in_the_cut_text(
    edges: list[int], insert: str
) -> None:
    edges = sorted(edges)[: len(edges) // 2 * 2]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    planted = point(cuts=[{"start": a, "end": b, "insert": insert} for a, b in pairs], decoys=[])
    after = cut(TEXT, planted)

    for leak in leaks(paper(), planted):
        assert 0 <= leak.start <= leak.end <= len(TEXT if leak.kind.certain else after)
        assert leak.problem


def test_the_writer_is_shown_what_lies_nearest_in_the_cut_paper() -> None:
    planted = point(
        remark="Which seeds were used?", fact="Five seeds were run, the seeds are named."
    )

    shown = [one.text for one in nearest(paper(), planted, most=2)]

    assert shown[0] == "The seeds are 3, 5 and 8."
    assert not any("Five seeds" in text for text in shown)
