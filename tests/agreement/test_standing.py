"""Runs by presuppositions beside labels: standing against standing, level against level."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reviewscore.agreement.disagree import disagreements
from reviewscore.agreement.human_labels import majority
from reviewscore.agreement.study import Study, page, study, write_study
from reviewscore.errors import InputError, SettingsError
from reviewscore.schema.review import PointType
from reviewscore.stats.tables import Table, estimate_of
from tests.agreement.invented import Said, compared_of, judged, labels_of, study_of, truth
from tests.agreement.presupposed import (
    by_presuppositions,
    labels_of_standing,
    run_by_presuppositions,
    stated,
    with_proof,
)

TRUTH = truth(8, 6)


@pytest.fixture(params=["presupposition", "presupposition+proof"])
def exact(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A run that gives every point its true standing, and knows what the paper speaks to."""
    scored = [by_presuppositions(name, kind, said.whole, supplied=said.whole <= 2)
              for name, kind, said in TRUTH]  # fmt: skip
    if request.param == "presupposition+proof":
        scored = [with_proof(score) for score in scored]
    return run_by_presuppositions(tmp_path / "exact", scored, request.param)


def table(found: Study, name: str) -> Table:
    return next(one for one in found.tables if one.name == name)


def value(found: Table, column: str, *row: str) -> float | None:
    cells = next(cells for cells in found.rows if cells[: len(row)] == row)
    estimate = estimate_of(cells[found.columns.index(column)])
    return None if estimate is None else estimate.value


def test_standing_is_held_against_standing_and_not_against_factuality(
    tmp_path: Path, exact: Path
) -> None:
    found = study_of(tmp_path, [exact], labels_of_standing(TRUTH))

    points = table(found, "agreement-review-points")
    assert points.title == "Agreement with people on the standing of review points"
    assert value(points, "Kappa", "openai/imagined") == 1
    assert value(points, "AC2", "openai/imagined") == 1
    assert value(points, "F1", "openai/imagined") == 1
    assert not disagreements(found.compared, found.compared.judges[0])
    assert "held against labels of standing" in page(found)


def test_tables_of_premises_are_none_of_standing(tmp_path: Path, exact: Path) -> None:
    found = study_of(tmp_path, [exact], [*labels_of(TRUTH), *labels_of_standing(TRUTH, scores=False,
                                         annotators=("B1",))])  # fmt: skip

    names = {one.name for one in found.tables}
    assert not names & {"base-and-advanced", "reconstruction", "authors-response"}
    assert {"standing-and-kind", "levels"} <= names
    written = {path.name for path in write_study(found, tmp_path / "out")}
    assert "agreement.md" in written
    assert (tmp_path / "out" / "tables" / "levels.csv").is_file()


def test_the_two_levels_are_held_against_each_level_of_the_labels(tmp_path: Path) -> None:
    """Points of standing 1 and 2; only those of 1 have a score of 1 or 2."""
    points = [
        (f"paper{paper}-r1#{number}", PointType.CLAIM, Said(number))
        for paper in range(6)
        for number in (1, 2, 3, 4)
    ]
    scored = [
        by_presuppositions(name, kind, said.whole, supplied=said.whole in (1, 3))
        for name, kind, said in points
    ]
    run = run_by_presuppositions(tmp_path / "run", scored)

    found = table(study_of(tmp_path, [run], labels_of_standing(points)), "levels")

    judge = "openai/imagined"
    assert value(found, "Precision", judge, "score 1 or 2", "supplied") == 0.5
    assert value(found, "Recall", judge, "score 1 or 2", "supplied") == 1
    assert value(found, "F1", judge, "score 1 or 2", "misinformed") == 1
    assert value(found, "Precision", judge, "standing 1 or 2", "misinformed") == 1
    assert value(found, "Recall", judge, "standing 1 or 2", "misinformed") == 0.5
    assert value(found, "F1", judge, "standing 1 or 2", "supplied") == 0.5
    assert value(found, "area", judge, "standing 1 or 2", "supplied") == 1
    assert value(found, "Recall", judge, "presuppositions supplied", "supplied") == 0.5


def test_kinds_have_a_kappa_and_what_is_no_point_is_in_no_other_figure(tmp_path: Path) -> None:
    labels = labels_of_standing(TRUTH)
    for line in labels:
        if line["unit_id"] == TRUTH[0][0] and line["field"] == "kind":
            line["value"] = "none"
    scored = [by_presuppositions(name, kind, said.whole, supplied=said.whole <= 2)
              for name, kind, said in TRUTH]  # fmt: skip
    run = run_by_presuppositions(tmp_path / "run", scored)

    found = study_of(tmp_path, [run], labels)

    kinds = table(found, "standing-and-kind")
    assert 0.9 < (value(kinds, "kind Kappa", "openai/imagined") or 0) < 1
    assert value(kinds, "kind Kappa", "annotator A1") == 1
    assert value(kinds, "standing Kappa", "annotator A2") == 1
    (cells,) = [row for row in kinds.rows if row[0] == "openai/imagined"]
    estimate = estimate_of(cells[kinds.columns.index("standing Kappa")])
    assert estimate is not None
    assert estimate.n == len(TRUTH) - 1
    assert any("1 point of kind none" in note for note in found.notes)


def test_annotators_agree_on_standing_and_kind_beside_the_five_point_scores(
    tmp_path: Path,
) -> None:
    run = judged(tmp_path / "run", TRUTH)

    both = study_of(tmp_path, [run], [*labels_of(TRUTH), *labels_of_standing(TRUTH, scores=False,
                    annotators=("B1", "B2"))])  # fmt: skip
    plain = study_of(tmp_path / "plain", [run], labels_of(TRUTH))

    people = table(both, "between-annotators")
    assert people.columns[-2:] == ("standing", "kind (nominal)")
    assert value(people, "standing", "all") == 1
    assert value(people, "kind (nominal)", "all") == 1
    assert "standing" not in table(plain, "between-annotators").columns
    assert not {one.name for one in plain.tables} & {"standing-and-kind", "levels"}
    kinds = table(both, "standing-and-kind")
    assert value(kinds, "standing Kappa", "openai/imagined") is None


def test_scales_that_are_mixed_up_are_refused_by_name(tmp_path: Path, exact: Path) -> None:
    other = judged(tmp_path / "scores", TRUTH)

    with pytest.raises(
        SettingsError, match=r"exact was judged by presuppositions and .*/scores scores"
    ):
        compared_of(tmp_path, [exact, other], labels_of_standing(TRUTH))
    with pytest.raises(InputError, match=r"no label of standing, which is what .*exact scores"):
        compared_of(tmp_path, [exact], labels_of(TRUTH))
    with pytest.raises(InputError, match="labels of standing and none of unanswerability"):
        compared_of(tmp_path, [other], labels_of_standing(TRUTH, scores=False))


def test_nothing_rests_on_arguments_that_are_proved_beside_standing(tmp_path: Path) -> None:
    scored = [with_proof(by_presuppositions(name, kind, 1, supplied=True))
              for name, kind, _ in TRUTH]  # fmt: skip
    run = run_by_presuppositions(tmp_path / "run", scored, "presupposition+proof")

    compared = compared_of(tmp_path, [run], labels_of_standing(TRUTH))

    assert np.isnan(compared.judges[0].spread).all()
    found = disagreements(compared, compared.judges[0])
    assert {disagreement.rationale for disagreement in found} == {
        "Because of 3.1.\nThe text names it."
    }


def test_no_calibration_is_learnt_of_standing(tmp_path: Path, exact: Path) -> None:
    compared = compared_of(tmp_path, [exact], labels_of_standing(TRUTH))

    with pytest.raises(SettingsError, match="runs by presuppositions score standing"):
        study(compared, with_calibration=True)


@pytest.mark.parametrize(
    ("presuppositions", "known"),
    [
        ([], np.nan),
        ([stated(1)], 1),
        ([stated(1, passage=False)], np.nan),
        ([stated(1, central=False)], 0),
        ([stated(5), stated(2)], 1),
        ([stated("not_visible")], np.nan),
        ([{**stated(3), "supplies": "mostly"}], 1),
        ([{**stated(3), "supplies": "partly"}], 0),
    ],
)
def test_a_point_is_supplied_by_what_was_stated_of_it(
    tmp_path: Path, exact: Path, presuppositions: list[object], known: float
) -> None:
    labels = [line for line in labels_of_standing(TRUTH[:1], annotators=("A1",))
              if line["field"] != "presuppositions"]  # fmt: skip
    labels.append({**labels[0], "field": "presuppositions", "value": presuppositions})

    compared = compared_of(tmp_path, [exact], labels)

    assert np.array_equal(compared.people.stated, [[known]], equal_nan=True)


def test_the_majority_is_open_where_two_come_first() -> None:
    ratings = np.asarray([[0, 0, 1], [2, 1, np.nan], [np.nan] * 3, [3, np.nan, np.nan]])

    assert np.array_equal(majority(ratings, 4), [0, np.nan, np.nan, 3], equal_nan=True)


def test_points_on_the_scale_of_another_type_have_a_standing_all_the_same(
    tmp_path: Path, exact: Path
) -> None:
    labels = labels_of_standing(TRUTH)
    for line in labels:
        if line["unit_id"] == TRUTH[0][0] and line["field"] == "factuality":
            line["field"] = "unanswerability"

    found = study_of(tmp_path, [exact], labels)

    points = table(found, "agreement-review-points")
    estimate = estimate_of(points.rows[0][points.columns.index("Kappa")])
    assert estimate is not None
    assert estimate.n == len(TRUTH)
