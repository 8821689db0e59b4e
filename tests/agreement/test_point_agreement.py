"""Readers of whole reviews with each other and with programs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from reviewscore.agreement.judge_scores import read_run
from reviewscore.agreement.point_agreement import (
    MarkedPoint,
    Marking,
    PointStudy,
    against_programs,
    between_readers,
    levels_on_points,
    marking_of_run,
    numbers,
    page,
    point_study,
    program,
    readers,
    write_point_study,
)
from reviewscore.agreement.segmentation import Piece
from reviewscore.errors import InputError
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.span import Span
from reviewscore.sources.point_labels import PointLabels, read_point_labels
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.tables import Table, estimate_of
from tests.agreement.marked import marks, reviews, write
from tests.agreement.presupposed import by_presuppositions, run_by_presuppositions

KNOWN = reviews()
QUICK = Resampling(resamples=100, scheme="papers")


def labels(tmp_path: Path, name: str, lines: list[dict]) -> PointLabels:
    return read_point_labels([write(tmp_path / f"{name}.jsonl", lines)], KNOWN, name=name)


@pytest.fixture
def first(tmp_path: Path) -> PointLabels:
    return labels(tmp_path, "A", marks(KNOWN, "A1"))


@pytest.fixture
def second(tmp_path: Path) -> PointLabels:
    """A reader who differs: without the last review, with other types, scores and one span."""
    lines = marks(KNOWN, "B1")[:-2]
    lines[0] |= {"type": "argument", "score": 1, "standing": 2}
    lines[3] |= {"kind": "criticism", "score": 2}
    lines[4] |= {"spans": ["ablation"]}
    lines[5] |= {"kind": "none"}
    return labels(tmp_path, "B", lines)


def cell(table: Table, column: str, row: int = 0) -> object:
    found = table.rows[row][table.columns.index(column)]
    return estimate_of(found) or found


def estimate(table: Table, column: str, row: int = 0) -> Estimate:
    found = cell(table, column, row)
    assert isinstance(found, Estimate)
    return found


def test_points_are_matched_one_to_one_and_compared_on_these(
    first: PointLabels, second: PointLabels
) -> None:
    table = between_readers(readers([first, second], KNOWN), QUICK)

    assert [cell(table, name) for name in ("reviews", "points", "points of the other", "matched")] \
        == [11, 22, 21, 20]  # fmt: skip
    assert estimate(table, "share matched").value == pytest.approx(20 / 22)
    assert estimate(table, "share of the other's").value == pytest.approx(20 / 21)
    kinds = [one.type.value for one in first.labels[:22]]
    del kinds[4:6]
    others = ["argument", *kinds[1:]]
    expected = cohen_kappa_score(kinds, others)
    assert estimate(table, "type kappa").value == pytest.approx(expected)
    kappa = estimate(table, "kind kappa")
    assert kappa.n == 20
    assert kappa.low is not None
    assert kappa.low < (kappa.value or 0) < 1
    mine = [one.score <= 2 for one in first.labels[:22] if one.score]
    del mine[4:6]
    theirs = [True, *mine[1:3], True, *mine[4:]]
    both = sum(a and b for a, b in zip(mine, theirs, strict=True))
    positive = 2 * both / (sum(mine) + sum(theirs))
    assert estimate(table, "positive agreement").value == pytest.approx(positive)
    assert estimate(table, "score weighted kappa").n == 20


def test_a_reader_who_says_nothing_of_a_field_gets_no_figure(
    tmp_path: Path, first: PointLabels
) -> None:
    quiet = labels(tmp_path, "B", marks(KNOWN, "B1", score=None, standing=None))

    table = between_readers(readers([first, quiet], KNOWN), QUICK)

    assert cell(table, "score weighted kappa") == "–"
    assert cell(table, "misinformed kappa") == "–"
    assert estimate(table, "type kappa").value == 1


def test_readers_without_a_common_point_have_no_kappa(tmp_path: Path, first: PointLabels) -> None:
    apart = labels(tmp_path, "B", marks(KNOWN, "B1", spans=["Thanks!"], section="weaknesses")[:1])

    table = between_readers(readers([first, apart], KNOWN), QUICK)

    assert cell(table, "matched") == 0
    assert cell(table, "type kappa") == "–"


def test_points_of_one_paper_have_no_interval(tmp_path: Path) -> None:
    paper = {name: one for name, one in KNOWN.items() if one.paper_id == "tides0"}
    sets = [labels(tmp_path, name, marks(paper, name)) for name in ("A1", "B1")]
    sets[1] = replace(sets[1], labels=(*sets[1].labels[:3],))

    table = between_readers(readers(sets, KNOWN), QUICK)
    by_review = between_readers(readers(sets, KNOWN), QUICK, "reviews")

    for column in ("share matched", "type kappa", "score weighted kappa"):
        found = estimate(table, column)
        assert (found.low, found.high) == (None, None)
        assert "of one paper" in found.reason
    assert estimate(by_review, "type kappa").low is not None


def test_annotators_who_divided_the_reviews_are_one_reader(tmp_path: Path) -> None:
    half = {name: one for name, one in KNOWN.items() if one.paper_id < "tides3"}
    rest = {name: one for name, one in KNOWN.items() if one.paper_id >= "tides3"}
    divided = labels(tmp_path, "A", [*marks(half, "A1"), *marks(rest, "A2")])
    same = labels(tmp_path, "both", [*marks(KNOWN, "A1"), *marks(KNOWN, "A2")])

    assert [one.name for one in readers([divided], KNOWN)] == ["A"]
    assert [one.name for one in readers([same], KNOWN)] == ["A1", "A2"]
    assert [one.name for one in readers([same, same], KNOWN)] == [
        "A1 (1)", "A2 (1)", "A1 (2)", "A2 (2)",
    ]  # fmt: skip


def cut(name: str, first: PointLabels, **changes: object) -> Marking:
    """A program that cuts as a reader does, with points changed."""
    (reader,) = readers([first], KNOWN)
    points = [replace(point, **changes) for point in reader.points]  # type: ignore[arg-type]
    return program(name, points, reader.reviews)


def test_a_program_that_cuts_as_the_reader_has_all_points_whole(first: PointLabels) -> None:
    same = cut("same", first, kind=None)

    cuts, judged = against_programs(readers([first], KNOWN), [same], QUICK)

    assert estimate(cuts, "whole").value == 1
    assert estimate(cuts, "whole").low == pytest.approx(0.6097, abs=1e-4)  # Wilson, 6 papers
    assert estimate(cuts, "no points").value == 0
    assert estimate(judged, "type kappa").value == 1
    assert cell(judged, "kind kappa") == "–"


def test_a_run_is_held_against_readers_by_its_facts_alone_too(first: PointLabels) -> None:
    (reader,) = readers([first], KNOWN)
    pieces = [
        replace(one, misinformed=one.misinformed or one.type is PointType.CLAIM,
                by_facts=one.misinformed)
        for one in reader.points
    ]  # fmt: skip
    run = program("run", pieces, reader.reviews)

    _, judged = against_programs([reader], [run], QUICK)

    published = estimate(judged, "positive agreement").value
    assert published is not None and published < 1
    assert estimate(judged, "positive agreement, facts alone").value == 1
    assert estimate(judged, "misinformed kappa, facts alone").value == 1


def test_pieces_that_a_program_takes_for_no_points_are_in_no_rate(first: PointLabels) -> None:
    marked = cut("marked", first, kind=PointKind.NONE)

    cuts, judged = against_programs(readers([first], KNOWN), [marked], QUICK)

    assert marked.not_points == 24
    assert cell(cuts, "pieces") == 0
    assert cell(cuts, "no points") == "–"
    assert estimate(cuts, "missed").value == 1
    assert cell(judged, "type kappa") == "–"


def test_a_piece_beside_the_points_is_counted_and_merged_points_are_not_judged(
    first: PointLabels,
) -> None:
    (reader,) = readers([first], KNOWN)
    name, review = next(iter(KNOWN.items()))
    fields = review.fields
    whole = Piece(name, frozenset((box, at) for box in fields for at in range(len(fields[box]))))
    thanks = Piece(name, frozenset(("weaknesses", at) for at in range(44, 52)))
    pieces = [MarkedPoint(one, review.paper_id, PointType.CLAIM) for one in (whole, thanks)]

    cuts, judged = against_programs(
        [reader], [program("p", pieces, frozenset([name]))], QUICK, "reviews"
    )

    assert cell(cuts, "points") == 2
    assert estimate(cuts, "merged").value == 1
    assert estimate(cuts, "no points").value == 0.5
    assert cell(judged, "points") == 0


def test_a_run_by_presuppositions_is_held_against_standing_alone(first: PointLabels) -> None:
    """The reader's scores are its standings: 4, 2, 1 and 5 by concern."""
    (reader,) = readers([first], KNOWN)
    found = [
        replace(
            point,
            score=None,
            misinformed=None,
            supplied=True,
            probability=1 - point.standing / 5,
            flag=point.would_not_stand,
        )
        for point in reader.points
        if point.standing is not None
    ]
    run = program("run", found, reader.reviews)

    _, judged = against_programs([reader], [run], QUICK)
    levels = levels_on_points([reader], [run], QUICK)

    assert cell(judged, "score weighted kappa") == "–"
    assert cell(judged, "misinformed kappa") == "–"
    assert estimate(judged, "standing weighted kappa").value == 1
    assert estimate(judged, "standing AC2").value == 1
    rows = {row[2:4]: row for row in levels.rows}
    assert set(rows) == {
        (labels, level)
        for labels in ("score 1 or 2", "standing 1 or 2")
        for level in ("supplied", "misinformed")
    }
    column = levels.columns.index
    for words, level, precision in (
        ("score 1 or 2", "supplied", 0.5),
        ("standing 1 or 2", "misinformed", 1),
    ):
        row = rows[words, level]
        assert estimate_of(row[column("Precision")]).value == precision  # type: ignore[union-attr]
        assert estimate_of(row[column("area")]).value == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("standing", "flag", "low"), [(2, True, True), (2, None, True), (4, None, False)]
)
def test_what_a_run_by_presuppositions_says_is_no_score(
    tmp_path: Path, standing: int, flag: bool | None, low: bool
) -> None:
    name, review = next(iter(KNOWN.items()))
    text = review.fields["questions"]
    changes = {
        "review_id": name, "paper_id": review.paper_id, "text": text,
        "span": Span(field="questions", start=0, end=len(text)), "misinformed": flag,
    }  # fmt: skip
    scored = by_presuppositions("x-y#1", PointType.QUESTION, standing, supplied=True)
    path = run_by_presuppositions(tmp_path / "run", [scored.model_copy(update=changes)])

    (made,) = marking_of_run("run", read_run(path, None), KNOWN).points

    assert (made.score, made.misinformed) == (None, None)
    assert (made.standing, made.would_not_stand, made.flag) == (standing, low, flag)
    assert made.supplied is True
    assert made.probability == (5 - standing) / 4


def test_standing_of_a_run_is_held_against_standing_whether_it_is_flagged_or_not(
    first: PointLabels,
) -> None:
    """The run agrees on every standing, and proves only half of what would not stand."""
    (reader,) = readers([first], KNOWN)
    low = [point for point in reader.points if point.would_not_stand]
    fine = [replace(point, flag=False) for point in reader.points if not point.would_not_stand]
    found = [replace(point, flag=True if at % 2 else None) for at, point in enumerate(low)]
    found = [replace(point, probability=0.5) for point in (*found, *fine)]
    run = program("run", found, reader.reviews)

    _, judged = against_programs([reader], [run], QUICK)
    levels = levels_on_points([reader], [run], QUICK)

    kappa = estimate(judged, "standing 1 or 2 kappa")
    assert (kappa.value, kappa.n) == (1, sum(p.standing is not None for p in reader.points))
    flags = next(row for row in levels.rows if row[2:4] == ("standing 1 or 2", "misinformed"))
    made = estimate_of(flags[levels.columns.index("Recall")])
    assert made is not None
    assert made.n < kappa.n
    for table in (judged, levels):
        assert any("reviewers could see" in note for note in table.notes)


def study(*sets: PointLabels, programs: tuple[Marking, ...] = ()) -> PointStudy:
    return point_study(sets, programs, KNOWN, QUICK)


def test_the_page_says_who_read_and_what_limits_the_figures(
    first: PointLabels, second: PointLabels
) -> None:
    text = page(study(first, second)).replace("\\", "")

    assert "- A1: 1 model reader (A1)." in text
    assert "no person but a model that reads" in text
    assert "Listed by readers as no point, and in no figure: 1." in text
    assert "Only 6 papers: the intervals say little of others." in text


def test_numbers_name_the_annotators_with_their_kinds(
    first: PointLabels, second: PointLabels
) -> None:
    made = json.loads(numbers(study(first, second, programs=(cut("run", first),))))

    assert made["annotators"] == {"A1": "model", "B1": "model"}
    assert made["runs"] == ["run"]
    assert set(made["tables"]) == {
        "readers", "agreement-of-readers", "points-in-pieces", "agreement-on-points",
    }  # fmt: skip


def test_a_study_is_written_with_its_tables(
    tmp_path: Path, first: PointLabels, second: PointLabels
) -> None:
    written = write_point_study(study(first, second), tmp_path / "out")

    assert written[0] == tmp_path / "out" / "agreement.md"
    assert (tmp_path / "out" / "tables" / "agreement-of-readers.csv").is_file()


def test_labels_of_nobody_else_and_no_run_compare_nothing(first: PointLabels) -> None:
    with pytest.raises(InputError, match="there is nothing to compare"):
        study(first)


def test_the_same_labels_give_the_same_figures(first: PointLabels, second: PointLabels) -> None:
    assert numbers(study(first, second)) == numbers(study(first, second))
