"""Planted points: read with their faults, cut out of a paper, passages found again."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.marks import MarkedPassage, sum_of_words
from reviewscore.schema.planted_point import PlantedForm, PlantedPoint, TextEdit
from reviewscore.schema.point_id import content_id
from reviewscore.validation.planted import cut, cut_mapped, found_again, read_planted, words_in
from tests.validation.invented import TEXT, given, passage, point, point_of, span


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "planted.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


def test_a_file_of_planted_points_is_read_as_it_was_written(tmp_path: Path) -> None:
    first, second = point(), point(id="tides.1", decoys=[])
    lines = [json.loads(one.model_dump_json(exclude_none=True)) for one in (first, second)]

    points = read_planted(written(tmp_path, *lines))

    assert points.points == (first, second) == points.of_paper("tides")
    assert points.faults == ()


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"form": "rant"}, "form", "'rant' cannot be used"),
        ({"remark": None}, "remark", "cannot be used"),
        ({"mood": "bad"}, "mood", "cannot be used"),
        ({"writer": "Ada"}, "writer", "'Ada' is no pseudonym"),
        ({"cuts": []}, None, "cuts go with every form"),
        ({"passages": []}, None, "no passage answers it"),
        ({"fair_about": "moons"}, None, "fair_about goes with"),
        ({"form": "another_paper", "cuts": []}, None, "fair_about goes with"),
        ({"form": "another_paper", "fair_about": "moons"}, None, "cuts go with every form"),
        ({"verifier": None}, None, "go together"),
        ({"confirmed": {"misinformed": "yes", "fair": "doubt"}}, None, "in the stratum hard"),
        ({"confirmed": None, "verifier": None, "verifier_kind": None}, None, "stratum hard"),
        ({"cuts": [{"start": 5, "end": 3}]}, "cuts.0", "it ends before it starts"),
        ({"cuts": [{"start": 5, "end": 5}]}, "cuts.0", "takes nothing out"),
        ({"cuts": [{"start": 5, "end": 7, "insert": "a\nb"}]}, "cuts.0.insert", "cannot be used"),
        ({"cuts": [{"start": 5, "end": 9}, {"start": 7, "end": 9}]}, "cuts", "edits overlap"),
        ({"decoys": given()["cuts"]}, None, "a decoy and a cut overlap"),
        (
            {"cuts": [{"start": 1, "end": 2, "insert": "a", "copy": {"start": 1, "end": 2}}]},
            "cuts.0", "make two edits",
        ),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_used_is_named_and_ends_nothing(
    tmp_path: Path, changes: dict[str, Any], field: str | None, words: str
) -> None:
    points = read_planted(written(tmp_path, given() | changes, given(id="tides.1")))

    (fault,) = points.faults
    assert [one.id for one in points.points] == ["tides.1"]
    assert (fault.line, fault.field) == (1, field)
    assert words in fault.problem
    assert fault.cure


def test_an_identifier_stands_once(tmp_path: Path) -> None:
    points = read_planted(written(tmp_path, given(), given()))

    assert len(points.points) == 1
    assert [(fault.line, fault.field) for fault in points.faults] == [(2, "id")]


def test_an_empty_file_holds_no_planted_point(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no planted point"):
        read_planted(written(tmp_path))


@pytest.mark.parametrize(
    ("changes", "refuted"),
    [({}, False), ({"misinformed": "doubt"}, False), ({"misinformed": "no"}, True),
     ({"fair": "no"}, True)],
)  # fmt: skip
def test_a_truth_that_the_verifier_denies_refutes_the_item(
    changes: dict[str, str], refuted: bool
) -> None:
    confirmed = {"misinformed": "yes", "fair": "yes"} | changes

    assert point(confirmed=confirmed, stratum="hard").refuted is refuted


def test_a_cut_takes_the_answer_and_the_decoy_and_nothing_else() -> None:
    after = cut(TEXT, point())

    assert "All runs use a rate of 0.0137. We compare with Lunex" in after
    assert "We forecast tides with a gate.\n\n## 1 Introduction" in after
    assert len(after.split()) == len(TEXT.split()) - 11


def test_a_cut_of_another_text_is_refused() -> None:
    with pytest.raises(InputError, match="not the one") as refused:
        cut(f"{TEXT} ", point())

    assert refused.value.field == "paper_text_sha256"


ALSO = {"misinformed": "yes", "fair": "yes", "verifier": "V2", "verifier_kind": "model"}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"also_confirmed": {**ALSO, "fair": "doubt"}}, "not confirmed beyond doubt"),
        ({"also_confirmed": ALSO, "confirmed": None, "verifier": None, "verifier_kind": None,
          "stratum": "hard"}, "goes with confirmed"),
    ],
)  # fmt: skip
def test_a_second_verifier_needs_a_first_and_its_doubt_counts_as_much(
    changes: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        point(**changes)


def test_what_a_second_verifier_denies_is_refuted_and_its_name_is_a_pseudonym(
    tmp_path: Path,
) -> None:
    denied = given(also_confirmed={**ALSO, "misinformed": "no"}, stratum="hard")
    named = given(id="other", also_confirmed={**ALSO, "verifier": "Ada"})
    file = tmp_path / "planted.jsonl"
    file.write_text(f"{json.dumps(denied)}\n{json.dumps(named)}\n")

    planted = read_planted(file)

    assert [one.refuted for one in planted.points] == [True]
    assert "'Ada' is no pseudonym" in str(planted.faults[0])


def test_offsets_beyond_the_text_are_refused() -> None:
    with pytest.raises(InputError, match="offset 99,999 in a text of"):
        cut(TEXT, point(decoys=[{"start": 9, "end": 99_999}], cuts=[{"start": 1, "end": 2}]))


SEAMS = [
    ("One. Two. Three.", "Two.", "", "One. Three."),
    ("One.\n\nTwo.\n\nThree.", "Two.", "", "One.\n\nThree."),
    ("One.\nTwo.\nThree.", "Two.", "", "One.\nThree."),
    ("One.\n\nTwo. Three.", "Two.", "", "One.\n\nThree."),
    ("One. Two.\n\nThree.", "Two.", "", "One.\n\nThree."),
    ("Two.\n\nThree.", "Two.", "", "Three."),
    ("One.\n\nTwo.", "Two.", "", "One."),
    ("One.\n\nTwo.\n", "Two.", "", "One.\n"),
    ("a gate (in red), b", "(in red)", "", "a gate, b"),
    ("a gate (see b) c", "see ", "", "a gate (b) c"),
    ("a gate (see b) c", "see", "", "a gate (b) c"),
    ("a gate in red b", " in red ", "", "a gate b"),
    ("s = 3 in red , b", "in red", "", "s = 3 , b"),
    ("a, b and c", ", b", "", "a and c"),
    ("a, b and c", ", b and c", " and b", "a and b"),
    ("three gates", "three", "two", "two gates"),
    ("a gate in red goes", "in red goes", ".", "a gate."),
    ("well-known gate", "-known", "", "well gate"),
    ("a b", " ", "", "ab"),
]


@pytest.mark.parametrize(("text", "words", "insert", "after"), SEAMS)
def test_a_seam_closes_without_a_trace(text: str, words: str, insert: str, after: str) -> None:
    edit = {**span(words, text), "insert": insert}

    assert cut(text, point_of(text, edit)) == after


def test_lines_that_go_one_after_the_other_leave_no_gap() -> None:
    text = "Table 1\n\n| a |\n| b |\n| c |\n\nEnd."
    rows = [span(row, text) for row in ("| a |", "| b |", "| c |")]

    assert cut(text, point_of(text, *rows[1:])) == "Table 1\n\n| a |\n\nEnd."
    assert cut(text, point_of(text, rows[0], rows[2], decoys=(rows[1],))) == "Table 1\n\nEnd."
    assert cut(text, point_of(text, rows[0] | {"insert": "| d |"}, *rows[1:])) == (
        "Table 1\n\n| d |\n\nEnd."
    )


def test_of_the_rules_around_a_page_that_is_emptied_one_stays() -> None:
    text = "One.\n\n-----\n\nTwo.\n\nThree.\n\n-----\n\nFour.\n\n-----\n\nFive.\n"
    two, three, four = (span(words, text) for words in ("Two.", "Three.", "Four."))

    assert cut(text, point_of(text, two, decoys=(three,))) == (
        "One.\n\n-----\n\nFour.\n\n-----\n\nFive.\n"
    )
    assert cut(text, point_of(text, two, three, four)) == "One.\n\n-----\n\nFive.\n"
    assert cut(text, point_of(text, two)).count("-----") == 3
    assert cut(text, point_of(text, {**two, "insert": "2."}, three)).count("-----") == 3


def test_a_paragraph_that_begins_behind_a_cut_is_filled_again() -> None:
    words = "the counts of each orchard were taken in spring and again after the last harvest. "
    wrapped = "\n\n".join([fill(f"Part {number}: {words * 6}", 90) for number in range(9)])
    rest = "goes on here\n" + fill(words * 3, 90)
    text = f"{wrapped}\n\nThe first. Now it\n\nends, and {rest}"

    after = cut(text, point_of(text, span("Now it", text), span("ends, and", text)))

    lines = after.rpartition("\n\n")[2].split("\n")
    assert lines[0].startswith("goes on here the counts")


def test_words_of_the_paper_are_put_in_by_their_place() -> None:
    text = "The gate opens at high water. Here nothing else is said of it."
    copied = {"start": 4, "end": 28}
    edits = [
        {"start": 30, "end": 61, "insert": "We say:"},
        {"start": 61, "end": 61, "copy": copied},
    ]

    after = cut(text, point_of(text, *edits))

    assert after == "The gate opens at high water. We say:gate opens at high water."
    edits[0]["insert"] = "We say: "
    assert cut(text, point_of(text, *edits)) == (
        "The gate opens at high water. We say: gate opens at high water."
    )


def test_passages_of_other_items_are_found_again_unless_they_were_cut() -> None:
    mapped = cut_mapped(TEXT, point())

    for words, kept in (
        ("All runs use a rate of 0.0137.", True),
        ("One forecast takes 41 ms on a laptop.", True),
        ("We forecast tides with a gate. The gate is cheap.", False),
        ("Five seeds were run for each harbour.", False),
    ):
        marked = MarkedPassage(**{k: v for k, v in passage(words).items() if k != "place"})
        place = found_again(marked, mapped)
        assert (None if place is None else mapped.text[slice(*place)]) == (words if kept else None)


RUNS = re.compile(r"\s+")


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, PlantedPoint]:
    """A text, and a point with edits anywhere in it."""
    text = draw(st.text(st.sampled_from("abC1.,() \n"), min_size=1, max_size=60))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=8)))
    edges = edges[: len(edges) // 2 * 2]
    insert = st.text(st.sampled_from("xY.,( "), max_size=4)
    edits = [
        {"start": start, "end": end, "insert": draw(insert)}
        for start, end in zip(edges[::2], edges[1::2], strict=True)
    ]
    middle = draw(st.integers(1, len(edits)))
    return text, point_of(text, *edits[:middle], decoys=tuple(edits[middle:]))


def plainly_edited(text: str, edits: tuple[TextEdit, ...]) -> str:
    for edit in reversed(edits):
        text = text[: edit.start] + words_in(text, edit) + text[edit.end :]
    return text


@drawn(cases())
def test_no_character_but_white_space_is_lost_or_added(case: tuple[str, PlantedPoint]) -> None:
    text, planted = case

    after = cut(text, planted)

    assert RUNS.sub("", after) == RUNS.sub("", plainly_edited(text, planted.edits))


@drawn(cases())
def test_no_run_of_white_space_grows(case: tuple[str, PlantedPoint]) -> None:
    text, planted = case
    known = {*RUNS.findall(text), *(run for e in planted.edits for run in RUNS.findall(e.insert))}

    def most(runs: Any) -> tuple[int, int]:
        return max((r.count("\n") for r in runs), default=0), max(map(len, runs), default=0)

    (lines, length), (own_lines, own_length) = most(RUNS.findall(cut(text, planted))), most(known)
    assert lines <= own_lines
    assert length <= own_length


@drawn(cases())
def test_what_no_seam_touches_is_found_where_the_map_says(case: tuple[str, PlantedPoint]) -> None:
    text, planted = case
    mapped = cut_mapped(text, planted)

    edges = [0, *(edge for edit in planted.edits for edge in (edit.start, edit.end)), len(text)]
    for low, high in list(pairwise(edges))[::2]:
        words = text[low:high].strip()
        if not words:
            continue
        start = text.index(words, low)
        place = mapped.place_of(start)
        assert mapped.text[place : place + len(words)] == words
        assert mapped.original_span(place, place + len(words)) == (start, start + len(words))
        marked = MarkedPassage(start=start, end=start + len(words), sha256=sum_of_words(words))
        assert found_again(marked, mapped) == (place, place + len(words))


PLANTED = Path(__file__).parents[2] / "annotations" / "planted"
SETS = {half: read_planted(PLANTED / f"{half}.jsonl") for half in ("open", "kept")}


@pytest.mark.parametrize("half", SETS)
def test_a_set_that_ships_has_an_item_of_each_form_for_each_of_twelve_papers(half: str) -> None:
    points = SETS[half].points

    assert SETS[half].faults == ()
    assert len(points) == 84
    assert {(one.paper_id, one.form) for one in points} == {
        (paper_id, form) for paper_id in {one.paper_id for one in points} for form in PlantedForm
    }
    assert not any(one.refuted for one in points)
    assert {one.writer_kind for one in points} == {AnnotatorKind.MODEL}
    assert {one.verifier_kind for one in points} == {AnnotatorKind.MODEL}


def test_the_halves_that_ship_share_no_paper() -> None:
    papers = [{one.paper_id for one in read.points} for read in SETS.values()]
    foreign = [{one.fair_about for one in read.points} - {None} for read in SETS.values()]

    assert papers[0].isdisjoint(papers[1])
    assert foreign[0] <= papers[0]
    assert foreign[1] <= papers[1]


@pytest.mark.parametrize("half", SETS)
def test_a_set_that_ships_tells_neither_form_nor_truth_by_its_order(half: str) -> None:
    points = SETS[half].points

    assert [one.id for one in points] == sorted(one.id for one in points)
    assert all(one.id == content_id(one.paper_id, one.remark) for one in points)
