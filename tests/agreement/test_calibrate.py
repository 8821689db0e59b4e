"""Calibration: learnt by paper, measured out of fold, applied only when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from reviewscore.agreement.study import Study, page, study, write_calibration, write_study
from reviewscore.errors import InputError, SettingsError
from reviewscore.runs.audit import read_calibration
from reviewscore.schema.calibration import Calibration, Curve, TypeCalibration, calibrated
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from tests.agreement.invented import Said, compared_of, labels_of, point, run_of, study_of, truth

Points = Sequence[tuple[str, PointType, Said]]


def strict_study(tmp_path: Path, papers: int = 30, per_paper: int = 12) -> Study:
    """A judge that is one or two too low half of the time."""
    rng = np.random.default_rng(5)

    def lower(score: int) -> int:
        return int(max(1, score - (rng.random() < 0.55) * rng.integers(1, 3)))

    points = truth(papers, per_paper)
    scored = [
        point(name, kind, Said(lower(s.whole), (lower(s.premises[0]), lower(s.premises[1]))))
        for name, kind, s in points
    ]
    run = run_of(tmp_path / "run", scored, "openai/strict")
    return study_of(tmp_path, [run], labels_of(points), with_calibration=True)


def calibration_of(
    folder: Path, points: Points, scored: Sequence[PointScore] = (), **settings: object
) -> Calibration:
    """What is learnt of a judge that scores the points like this, or as they are."""
    run = run_of(folder / "run", scored or [point(*one) for one in points], "openai/x", **settings)
    compared = compared_of(folder, [run], labels_of(points), resamples=100)
    (found,) = study(compared, with_calibration=True).calibrations.values()
    return found


def test_a_judge_that_is_too_strict_gains_on_papers_it_was_not_fitted_to(tmp_path: Path) -> None:
    found = strict_study(tmp_path)

    gains = {one.metric: one for one in found.calibrations["openai/strict"].gains}

    kappa, share, people = gains["Kappa"], gains["share"], gains["share by people"]
    assert kappa.before is not None
    assert kappa.after is not None
    assert kappa.after > kappa.before
    assert kappa.low is not None
    assert kappa.low > 0
    assert share.before is not None
    assert share.after is not None
    assert people.before is not None
    assert abs(share.after - people.before) < abs(share.before - people.before)
    assert "gain +" in page(found)
    types = found.calibrations["openai/strict"].types
    assert set(types) == {"question", "claim", "argument"}
    for one in types.values():  # curves are monotone and stay on their scales
        assert list(one.probability.y) == sorted(one.probability.y, reverse=True)
        assert list(one.score.y) == sorted(one.score.y)
        assert 0 <= min(one.probability.y) <= max(one.probability.y) <= 1
        assert 1 <= min(one.score.y) <= max(one.score.y) <= 5


def test_misinformed_points_of_a_single_paper_can_be_calibrated(tmp_path: Path) -> None:
    points = [
        (f"paper{paper}-r1#{n}", PointType.CLAIM, Said(1 if paper == 0 else 4))
        for paper in range(8)
        for n in range(1, 8)
    ]

    found = calibration_of(tmp_path, points)

    gains = {one.metric: one for one in found.gains}
    assert found.types["claim"].misinformed == 7
    assert (gains["F1"].before, gains["F1"].after) == (1.0, 0.0)


def test_a_calibration_goes_by_the_type_that_the_judge_sees(tmp_path: Path) -> None:
    # At work nobody tells the judge that what it takes for an argument is a claim to people.
    points = [(name, PointType.CLAIM, said) for name, _, said in truth(20, 6)]
    scored = [point(name, PointType.ARGUMENT, said) for name, _, said in points]

    found = calibration_of(tmp_path, points, scored)

    assert set(found.types) == {"argument"}
    assert found.types["argument"].n == 120
    assert all(calibrated(one, found) is not None for one in scored)


@pytest.mark.parametrize(
    ("papers", "per_paper", "why"),
    [
        (6, 3, "6 labelled points with a score; 30 are needed"),
        (2, 45, "points of 2 papers; 6 are needed"),
    ],
)
def test_too_little_to_learn_from_is_said_and_nothing_is_written(
    tmp_path: Path, papers: int, per_paper: int, why: str
) -> None:
    found = strict_study(tmp_path, papers, per_paper)

    calibration = found.calibrations["openai/strict"]
    written = write_study(found, tmp_path / "out")

    assert calibration.types == {}
    assert why in calibration.left_out.values()
    assert why in page(found)
    assert not any("calibration" in path.name for path in written)


def learnt(judge: str = "openai/imagined", threshold: float = 0.5) -> Calibration:
    return Calibration(
        reviewscore_version="0.1.0",
        judge=judge,
        learnt_from="somewhere",
        types={
            "argument": TypeCalibration(
                probability=Curve(x=(1.0, 3.0), y=(0.9, 0.1)),
                threshold=threshold,
                score=Curve(x=(2.0, 4.0), y=(3.0, 5.0)),
                n=40,
                papers=8,
                misinformed=9,
            )
        },
    )


def test_an_argument_is_calibrated_by_its_lowest_premise_and_its_weighted_score() -> None:
    score = point("p-r#1", PointType.ARGUMENT, Said(1, (2, 4), (2, 2)))

    found = calibrated(score, learnt())

    assert found is not None
    assert found.probability == pytest.approx(0.5)
    assert found.misinformed is True
    assert found.score == pytest.approx(4.0)
    assert calibrated(point("p-r#2", PointType.CLAIM, Said(1)), learnt()) is None


def test_a_premise_without_a_score_stays_unknown() -> None:
    score = point("p-r#1", PointType.ARGUMENT, Said(1, (2, 4)))
    assert score.argument is not None
    first, second = score.argument.premises
    premises = (first, second.model_copy(update={"verdict": None}))
    argument = score.argument.model_copy(update={"premises": premises})
    partly = score.model_copy(update={"argument": argument})

    found = calibrated(partly, learnt())

    assert found is not None
    assert (found.probability, found.misinformed) == (None, None)


def test_calibrations_of_judges_with_like_names_have_files_of_their_own(tmp_path: Path) -> None:
    points = truth(12, 9)
    scored = [point(*one) for one in points]
    runs = [
        run_of(tmp_path / f"{number}", scored, judge)
        for number, judge in enumerate(("openai/x-y", "openai/x.y", "openai/x y"))
    ]
    compared = compared_of(tmp_path, runs, labels_of(points), resamples=100)

    written = write_study(study(compared, with_calibration=True), tmp_path / "out")

    names = [one.name for one in written if one.name.startswith("calibration")]
    assert names == [
        "calibration-openai-x-y.json", "calibration-openai-x.y.json",
        "calibration-openai-x-y-2.json",
    ]  # fmt: skip


def test_a_calibration_of_a_panel_is_not_one_of_its_first_judge(tmp_path: Path) -> None:
    found = calibration_of(tmp_path, truth(4, 3), panel=["anthropic/y"])

    assert found.judge == "openai/x + anthropic/y"


@pytest.mark.parametrize(
    ("name", "heights", "problem"),
    [
        ("probability", "[0.9, 1.5]", "y of probability must lie between 0 and 1"),
        ("probability", "[NaN, 0.5]", "y of probability must lie between 0 and 1"),
        ("score", "[0.0, 5.0]", "y of score must lie between 1 and 5"),
    ],
)
def test_a_calibration_that_leaves_its_scales_is_refused(
    tmp_path: Path, name: str, heights: str, problem: str
) -> None:
    text = learnt().model_dump_json()
    old = {"probability": "[0.9,0.1]", "score": "[3.0,5.0]"}[name]
    (tmp_path / "c.json").write_text(text.replace(old, heights), "utf-8")

    with pytest.raises(InputError, match=problem):
        read_calibration(tmp_path / "c.json", judge="openai/imagined")


def test_a_calibration_of_another_judge_is_refused(tmp_path: Path) -> None:
    write_calibration(tmp_path / "c.json", learnt())

    assert read_calibration(tmp_path / "c.json", judge="openai/imagined") == learnt()
    with pytest.raises(SettingsError, match="learnt of openai/imagined, but the judge is openai/y"):
        read_calibration(tmp_path / "c.json", judge="openai/y")


def test_a_file_that_is_no_calibration_says_so(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"judge": 3}')

    with pytest.raises(InputError, match=r"c\.json: field '.*': is no calibration"):
        read_calibration(tmp_path / "c.json", judge="x")
    with pytest.raises(InputError, match="cannot be read"):
        read_calibration(tmp_path / "nowhere.json", judge="x")


def test_a_curve_must_rise_in_x() -> None:
    with pytest.raises(ValidationError, match="x must rise"):
        Curve(x=(2.0, 1.0), y=(1.0, 2.0))


@given(st.floats(0, 6), st.floats(0, 6))
def test_a_curve_keeps_the_order_of_scores_and_its_ends(one: float, other: float) -> None:
    curve = Curve(x=(1.0, 2.0, 5.0), y=(1.5, 3.0, 4.0))

    low, high = sorted((one, other))

    assert 1.5 <= curve.at(low) <= curve.at(high) <= 4.0
