"""Points as readers marked them: sheets and sets, words found again, faults with their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.paper import Paper
from reviewscore.schema.presupposition import supplied_by
from reviewscore.schema.review import PointKind, PointType, Review
from reviewscore.sources.point_labels import (
    PointLabels,
    place_of_sum,
    place_of_words,
    points_file,
    read_point_labels,
    with_quotes,
)
from reviewscore.sources.system_reviews import read_reviews
from tests.agreement.marked import CONCERNS, marks, reviews, write

KNOWN = reviews(1)
(FIRST, SECOND) = KNOWN
PAPER = build_paper(
    PaperRow(paper_id="tides0", text="We use a gate.\n\nThe rate was 0.003. Five seeds were run.")
)


def paper_of(paper_id: str) -> Paper | None:
    return PAPER if paper_id == "tides0" else None


def read(tmp_path: Path, *lines: dict[str, Any], papers: bool = True) -> PointLabels:
    file = write(tmp_path / "A1.jsonl", list(lines))
    return read_point_labels([file], KNOWN, paper_of if papers else None)


def line(**changes: Any) -> dict[str, Any]:
    return marks({FIRST: KNOWN[FIRST]})[0] | changes


def test_a_sheet_and_the_set_that_is_made_of_it_say_the_same(tmp_path: Path) -> None:
    given = [one | {"passages": ["The rate was  0.003."]} for one in marks(KNOWN)]
    sheet = read(tmp_path, *given)

    text = "".join(f"{one.model_dump_json(exclude_none=True)}\n" for one in sheet.labels)
    (tmp_path / "points.jsonl").write_text(text)
    again = read_point_labels([tmp_path / "points.jsonl"], KNOWN, paper_of)

    assert len(sheet.labels) == 4
    assert again.labels == sheet.labels
    assert sheet.faults == again.faults == ()
    assert again.warnings == ()
    first = sheet.labels[0]
    (span,) = first.spans
    assert KNOWN[FIRST].fields[span.field][span.start : span.end] == CONCERNS[0]
    (passage,) = first.passages
    assert PAPER.text[passage.start : passage.end] == "The rate was 0.003."
    assert (first.type, first.kind, first.misinformed) == (
        PointType.CLAIM, PointKind.CRITICISM, False,
    )  # fmt: skip


def test_presuppositions_keep_the_places_of_their_passages(tmp_path: Path) -> None:
    stated = {"statement": "The rate is not given.", "true": 1, "supplies": "fully",
              "central": True, "passages": ["The rate was 0.003.", "No such words."]}  # fmt: skip
    hidden = {"statement": "The figure shows it.", "true": "not_visible", "central": False}

    sheet = read(tmp_path, line(presuppositions=[stated, hidden]))
    quoted = list(with_quotes(sheet.labels, KNOWN, paper_of))
    lines = [json.loads(label.model_dump_json(exclude_none=True)) for label in sheet.labels]
    again = read(tmp_path, *lines)

    (label,) = sheet.labels
    assert again.labels == sheet.labels
    assert label.paper_text_sha256 is not None
    (fault,) = sheet.faults
    assert (fault.field, "'No such words.' cannot be found" in str(fault)) == (
        "presuppositions", True,
    )  # fmt: skip
    first, second = label.presuppositions
    (passage,) = first.passages
    assert PAPER.text[passage.start : passage.end] == "The rate was 0.003."
    assert first.contradicted
    assert second.invisible
    assert quoted[0].presuppositions[0].passages[0].quote == "The rate was 0.003."
    assert supplied_by(label.presuppositions) is True


def test_words_are_looked_for_in_the_named_section_first(tmp_path: Path) -> None:
    twice = Review(review_id="x", paper_id="p", fields={"a": "Why? No.", "b": "Really. Why?"})
    file = write(tmp_path / "s.jsonl", [line(review_id="x", section="b", spans=["Why?"])])

    labels = read_point_labels([file], {"x": twice}).labels

    assert [(span.field, span.start) for span in labels[0].spans] == [("b", 8)]


def test_words_whose_place_moved_are_found_by_their_sum(tmp_path: Path) -> None:
    before = KNOWN[FIRST].fields["weaknesses"]
    start = before.index(CONCERNS[0])
    mark = {"field": "weaknesses", "start": start, "end": start + len(CONCERNS[0]),
            "sha256": sum_of_words(CONCERNS[0])}  # fmt: skip
    changed = {
        "other": "Nothing.",
        "weaknesses": "A new head.\n" + before.replace(" abl", "\n abl"),
    }
    moved = {FIRST: KNOWN[FIRST].model_copy(update={"fields": changed})}
    file = write(tmp_path / "set.jsonl", [line(spans=[mark])])

    found = read_point_labels([file], moved)

    (span,) = found.labels[0].spans
    words = changed["weaknesses"][span.start : span.end]
    assert words.split() == CONCERNS[0].split()
    assert "and were found again: 1" in found.warnings[0]


def test_a_passage_is_found_again_when_the_reading_changed(tmp_path: Path) -> None:
    mark = {"start": 900, "end": 919, "sha256": sum_of_words("The rate was 0.003.")}

    found = read(tmp_path, line(passages=[mark]))

    (passage,) = found.labels[0].passages
    assert PAPER.text[passage.start : passage.end] == "The rate was 0.003."
    assert found.labels[0].paper_text_sha256 is not None


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"annotator_kind": None}, "annotator_kind", "write human for a person's label"),
        ({"annotator": "Ann"}, "annotator", "'Ann' is no pseudonym; use a pseudonym"),
        ({"type": "weakness"}, "type", "'weakness' cannot be used"),
        ({"kind": "praise"}, "kind", "'praise' cannot be used"),
        ({"score": 6}, "score", "6 cannot be used"),
        ({"score": True}, "score", "a truth value is no number of a scale"),
        ({"standing": 2.5}, "standing", "2.5 cannot be used"),
        ({"spans": []}, "spans", "cannot be used"),
        ({"spans": ["No such words."]}, "spans", "'No such words.' cannot be found in review"),
        ({"spans": [{"field": "weaknesses", "start": 0, "end": 9, "sha256": "0" * 64}]}, "spans",
         "the words at a place cannot be found in review"),
        ({"spans": [{"field": "weaknesses", "start": 0, "end": 9}]}, "spans", "add sha256, or"),
        ({"spans": [" "]}, "spans", "cannot be found"),
        ({"paper_id": "other"}, "paper_id", "'other' is not the paper of review"),
        ({"supplies": "maybe"}, "supplies", "'maybe' cannot be used"),
        ({"where": "figure"}, "where", "'figure' cannot be used"),
        ({"presuppositions": [{"true": 1, "central": True}]}, "presuppositions", "is missing"),
        ({"presuppositions": [{"statement": "S", "true": 0, "central": True}]}, "presuppositions",
         "0 cannot be used"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_used_is_named_and_ends_nothing(
    tmp_path: Path, changes: dict[str, Any], field: str, words: str
) -> None:
    wrong = {name: value for name, value in line(**changes).items() if value is not None}

    found = read(tmp_path, wrong, *marks(KNOWN))

    (fault,) = found.faults
    assert str(fault).startswith(f"{tmp_path / 'A1.jsonl'}:1: field '{field}'")
    assert words in str(fault)
    assert fault.cure
    assert len(found.labels) == 4


def test_a_line_that_is_no_object_is_named_too(tmp_path: Path) -> None:
    file = tmp_path / "A1.jsonl"
    file.write_text(f"[1]\n{{\n{json.dumps(line())}\n")

    found = read_point_labels([file], KNOWN)

    assert [fault.line for fault in found.faults] == [1, 2]
    assert len(found.labels) == 1


def test_what_is_not_found_beside_the_span_leaves_the_point(tmp_path: Path) -> None:
    found = read(tmp_path, line(passages=["No such passage at all."], also=["Nor this."]))

    assert [fault.field for fault in found.faults] == ["also", "passages"]
    assert all("the point is kept without it" in str(fault) for fault in found.faults)
    assert (found.labels[0].passages, found.labels[0].also) == ((), ())


def test_without_papers_places_stay_and_quotes_are_left_out(tmp_path: Path) -> None:
    mark = {"start": 16, "end": 35, "sha256": sum_of_words("The rate was 0.003.")}

    found = read(tmp_path, line(passages=[mark, "Five seeds were run."]), papers=False)

    assert [passage.start for passage in found.labels[0].passages] == [16]
    assert "papers are not at hand: 1" in found.warnings[0]


def test_reviews_that_are_not_at_hand_are_apart_from_faults(tmp_path: Path) -> None:
    found = read(tmp_path, line(), line(review_id="stranger"))

    assert found.faults == ()
    (fault,) = found.elsewhere
    assert "the review 'stranger' is not among those given" in str(fault)


def test_a_reader_marks_the_same_words_once_and_is_of_one_kind(tmp_path: Path) -> None:
    other = marks({SECOND: KNOWN[SECOND]})[0]

    found = read(tmp_path, line(), line(), other | {"annotator_kind": "human"})

    assert "marked the same words in A1.jsonl:1 already" in str(found.faults[0])
    assert "'A1' is human, but model in A1.jsonl:1" in str(found.faults[1])


def test_unknown_fields_and_mixed_codebooks_are_warned_of(tmp_path: Path) -> None:
    other = marks({SECOND: KNOWN[SECOND]})[0] | {"codebook": "codebook 2"}

    found = read(tmp_path, line(mood="good"), other)

    assert found.warnings == (
        "the field 'mood' is not known and was ignored (1 lines)",
        "labels follow different codebooks: 'codebook 2', none",
    )


def test_peoples_labels_are_kept_alone(tmp_path: Path) -> None:
    other = marks({SECOND: KNOWN[SECOND]}, "H1", annotator_kind="human")[0]
    both = read(tmp_path, line(), other)

    people = both.of_people()

    assert [label.annotator for label in people.labels] == ["H1"]
    assert "1 labels by models (A1) are left out" in people.notes[0]
    assert people.of_people() == people
    with pytest.raises(InputError, match="holds no label by a person: A1 are models"):
        read(tmp_path, line()).of_people()


def test_words_are_written_where_they_are_asked_for(tmp_path: Path) -> None:
    read_labels = read(tmp_path, line(passages=["The rate was 0.003."])).labels

    (quoted,) = with_quotes(read_labels, KNOWN, paper_of)

    assert quoted.spans[0].quote == CONCERNS[0]
    assert quoted.passages[0].quote == "The rate was 0.003."
    assert "quote" not in read_labels[0].model_dump_json(exclude_none=True)


def test_a_sheet_may_be_a_table_with_empty_cells(tmp_path: Path) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text(
        "review_id,section,spans,type,kind,score,supplies,passages,annotator,annotator_kind\n"
        f'{FIRST},weaknesses,{CONCERNS[0]},claim,criticism,4,,,H1,human\n'
        f'{SECOND},questions,"[""{CONCERNS[3]}""]",claim,request,,,[],H1,human\n'
    )  # fmt: skip

    found = read_point_labels([file], KNOWN)

    assert found.faults == ()
    assert [label.score for label in found.labels] == [4, None]
    assert {label.annotator_kind for label in found.labels} == {AnnotatorKind.HUMAN}


def test_sets_of_marked_points_are_told_from_others(tmp_path: Path) -> None:
    sheet = write(tmp_path / "a.jsonl", [line()])
    other = write(tmp_path / "b.jsonl", [{"unit_id": "x", "annotator": "A1"}])
    folder = tmp_path / "set"
    folder.mkdir()
    write(folder / "points.jsonl", [line()])

    assert points_file(sheet) == sheet
    assert points_file(other) is None
    assert points_file(folder) == folder / "points.jsonl"
    write(folder / "labels.jsonl", [{}])
    assert points_file(folder) is None
    assert points_file(tmp_path / "none") is None


def test_reviews_are_read_without_their_papers(tmp_path: Path) -> None:
    file = write(
        tmp_path / "reviews.jsonl",
        [
            {"paper_id": "p", "reviewer": 2, "review": "No ablation."},
            {"paper_id": "p", "review_id": "r", "weaknesses": "Too short."},
            {"paper_id": "p", "review_id": "empty", "text": " "},
            {"review_id": "nothing"},
        ],
    )

    found = {review.review_id: review.fields for review in read_reviews(file)}

    assert found == {"p/people/2": {"text": "No ablation."}, "r": {"weaknesses": "Too short."}}
    assert [one.review_id for one in read_reviews(file, {"r"})] == ["r"]


WORDS = st.lists(st.text("abcdé(.-", min_size=1, max_size=6), min_size=1, max_size=8)
GAPS = st.sampled_from([" ", "\n", "  ", "\n\n", "\t"])


@given(WORDS, WORDS, WORDS, GAPS, GAPS)
@example(["a"], ["a"], ["a"], " ", "\n\n")
def test_words_are_found_again_after_text_and_spaces_around_them_changed(
    before: list[str], words: list[str], after: list[str], gap: str, other: str
) -> None:
    quote = gap.join(words)
    text = other.join([" ".join(before), other.join(words), " ".join(after)])

    by_words = place_of_words(text, quote)
    by_sum = place_of_sum(text, sum_of_words(quote), len(quote) + 3 * len(words))

    for place in (by_words, by_sum):
        assert place is not None
        assert text[slice(*place)].split() == words


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_is_found_has_the_words_that_were_looked_for(text: str, quote: str) -> None:
    place = place_of_sum(text, sum_of_words(quote), len(quote))

    if place is not None:
        assert text[slice(*place)].split() == quote.split()


def test_of_several_occurrences_the_nearest_is_taken_and_whole_words_first() -> None:
    assert place_of_words("ablations, no ablation", "ablation") == (14, 22)
    assert place_of_words("Why? And why? Why?", "Why?", near=12) == (14, 18)
    assert place_of_words("Its ablations", "ablation") == (4, 12)
    assert place_of_words("“No ablation of the gate”", '"No ablation of the gate"') is not None
    assert place_of_words("text", " ") is None
