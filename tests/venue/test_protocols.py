"""Runs of several protocols: two levels in a venue, and what may be held against what."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.pages.figures import markdown
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointKind
from reviewscore.stats.resampling import Resampling
from reviewscore.venue.compare import Comparison, compare_runs
from reviewscore.venue.compare_page import comparison_page
from reviewscore.venue.drift import CLASSES
from reviewscore.venue.panels import Venue
from reviewscore.venue.study import study_venue
from reviewscore.venue.venue_page import venue_page
from tests.report.presupposed import presupposed_points
from tests.report.synthetic import MODEL
from tests.report.test_fact_and_inference import POINTS as ARGUMENTS
from tests.report.venues import venue_run

QUICK = Resampling(resamples=100, scheme="papers")
PAPERS = 12


def of_papers(points: Iterable[PointScore], papers: int = PAPERS) -> list[PointScore]:
    """The points once for each of some papers."""
    return [
        one.model_copy(
            update={
                "point_id": f"p{paper}/r#{number}",
                "review_id": f"p{paper}/r",
                "paper_id": f"p{paper}",
            }
        )
        for paper in range(papers)
        for number, one in enumerate(points, start=1)
    ]


def run_by(protocol: str, folder: Path, points: Iterable[PointScore]) -> Path:
    decisive = {"model": MODEL, "protocol": protocol}
    return venue_run(folder, points, decisive=decisive)


def by_paper(points: Iterable[PointScore]) -> list[PointScore]:
    """The same remarks as the published protocol might score them."""
    return [
        one.model_copy(
            update={
                "protocol": None, "looks": (), "supplied": None, "standing": None,
                "acknowledged": None, "probability": None, "reason": None, "seen": None,
                "base": 5, "misinformed": one.point_id.endswith("#1"),
            }
        )
        for one in points
    ]  # fmt: skip


def venue(*runs: Path) -> Venue:
    return study_venue(runs, how=QUICK).venue


def share(found: Venue, measure: str) -> tuple[float | None, int]:
    one = found.overall.rates[measure]
    return one.value, one.n


def test_a_venue_by_presuppositions_counts_two_levels_and_what_authors_state(
    tmp_path: Path,
) -> None:
    found = venue(run_by("presupposition", tmp_path / "a", of_papers(presupposed_points())))

    # Of eight points two are misinformed (one is supplied besides), four are not, two unknown.
    assert found.protocol == "presupposition"
    assert [*found.titles] == ["misinformed", "supplied", "acknowledged", "unknown", "error"]
    assert share(found, "misinformed") == (pytest.approx(2 / 6), 6 * PAPERS)
    known = [one.supplied for one in presupposed_points() if one.supplied is not None]
    assert share(found, "supplied") == (pytest.approx(sum(known) / len(known)), len(known) * PAPERS)
    assert share(found, "acknowledged") == (pytest.approx(1 / 6), 6 * PAPERS)
    assert found.overall.points == 8 * PAPERS
    assert "never added" in found.measures["supplied"]
    assert "2509.21679" not in markdown(venue_page(found))


def test_what_is_no_point_is_said_and_in_no_rate_of_either_level(tmp_path: Path) -> None:
    points = of_papers(presupposed_points())
    none = points[0].model_copy(update={"kind": PointKind.NONE, "point_id": "p0/r#99"})

    plain = venue(run_by("presupposition", tmp_path / "a", points))
    found = venue(run_by("presupposition", tmp_path / "b", [*points, none]))

    assert found.panels == plain.panels
    assert "In no count: 1 that are no review points (kind none)." in found.notes


def test_a_venue_by_premises_says_how_many_fail_by_inference_alone(tmp_path: Path) -> None:
    points = of_papers(ARGUMENTS.values())

    found = venue(run_by("paper", tmp_path / "a", points))
    whole = venue(venue_run(tmp_path / "b", points, decisive={"model": MODEL, "score": "base"}))

    assert share(found, "misinformed") == (1, 4 * PAPERS)
    assert share(found, "inference") == (pytest.approx(1 / 4), 4 * PAPERS)
    assert "inference" not in whole.measures


def test_a_venue_of_several_protocols_is_refused_by_name(tmp_path: Path) -> None:
    points = of_papers(presupposed_points())
    runs = [
        run_by("presupposition", tmp_path / "new", points),
        run_by("paper", tmp_path / "old", by_paper(points)),
        venue_run(tmp_path / "older", by_paper(points)),  # of before there were protocols
    ]

    with pytest.raises(RunFolderError) as refused:
        venue(*runs)

    words = str(refused.value)
    assert f"presupposition: {runs[0]}" in words
    assert f"paper: {runs[1]}, {runs[2]}" in words
    assert "`compare`" in words


def compared(first: Path, second: Path, **more: bool) -> Comparison:
    return compare_runs(first, second, how=QUICK, **more).found


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """A run by each protocol; each has points that the other lacks."""
    points = of_papers(presupposed_points())
    return (
        run_by("paper", tmp_path / "old", by_paper(points[:-3])),
        run_by("presupposition", tmp_path / "new", points[1:]),
    )


def test_two_protocols_are_compared_on_identical_points_and_the_rest_is_counted(
    both: tuple[Path, Path],
) -> None:
    found = compared(*both)

    total = 8 * PAPERS
    assert found.paired and found.shared == total - 4
    assert (found.first.points, found.second.points) == (total - 4, total - 4)
    assert "left out are 1 that only the first run has as a review point, 3 that only" in found.why
    assert [found.first.protocol, found.second.protocol] == ["paper", "presupposition"]
    assert found.first.rates["misinformed"].n == total - 4
    text = markdown(comparison_page(found))
    assert "Of the points that both have" in text
    assert "All of its points" not in text and "Left out of all tables but the first" not in text


def test_scales_of_two_protocols_are_named_and_no_coefficient_mixes_them(
    both: tuple[Path, Path],
) -> None:
    found = compared(*both)

    assert "first run: unanswerability of questions, factuality" in found.base
    assert "second: standing" in found.base
    assert found.base in found.notes
    agreement = next(one for one in found.sections if one.name == "agreement")
    flags = [(number == 1, one.misinformed) for number, one in enumerate(presupposed_points(), 1)
             if one.misinformed is not None] * PAPERS  # fmt: skip
    flags.remove((True, True))  # the first point of a paper is in one run alone,
    flags.remove((False, False))  # the last of another too
    kappa = agreement.lines[0].estimates["kappa"]
    assert kappa.value == pytest.approx(cohen_kappa_score(*zip(*flags, strict=True)))
    assert agreement.columns == {"exact": "Same verdict", "kappa": "Kappa of misinformed"}
    titles = {one.name: one.title for one in found.crosses}
    assert titles["scores-weaknesses"].endswith("factuality (rows) beside standing")
    main = next(one for one in found.sections if one.name == "rates")
    assert "in the second, points whose standing is 1 or 2" in main.notes[0]


def test_levels_stand_in_a_cross_table_of_verdicts(both: tuple[Path, Path]) -> None:
    found = compared(*both)

    table = next(one for one in found.crosses if one.name == "classes")
    of_second = dict(zip(CLASSES, map(sum, zip(*table.counts, strict=True)), strict=True))
    assert of_second == {
        "misinformed": 2 * PAPERS - 1,  # each run lacks points of one paper
        "misinformed by the inference alone": 0,
        "the paper speaks to it (no flag)": PAPERS,
        "the authors state it too": PAPERS,
        "not misinformed": 2 * PAPERS - 1,
        "unknown": 2 * PAPERS - 2,
        "error": 0,
    }


def test_points_that_differ_most_across_scales_are_those_with_another_verdict(
    both: tuple[Path, Path],
) -> None:
    sheet = compare_runs(*both, points=500, how=QUICK).sheet

    assert sheet
    assert all(row["outcome_first"] != row["outcome_second"] for row in sheet)


def test_two_protocols_are_never_compared_as_sets_of_papers(
    both: tuple[Path, Path], tmp_path: Path
) -> None:
    strangers = [
        one.model_copy(update={"point_id": f"x{one.point_id}"})
        for one in of_papers(presupposed_points())
    ]

    with pytest.raises(SettingsError, match="leave out --unpaired"):
        compared(*both, paired=False)
    with pytest.raises(SettingsError, match="audit the same reviews by both"):
        compared(both[0], run_by("presupposition", tmp_path / "x", strangers))


def test_two_runs_by_presuppositions_share_their_levels_and_scale(tmp_path: Path) -> None:
    points = of_papers(presupposed_points())
    first, second = (run_by("presupposition", tmp_path / name, points) for name in "ab")

    paired, apart = compared(first, second), compared(first, second, paired=False)

    assert paired.base.startswith("BASE is in both runs: standing")
    for found in (paired, apart):
        rest = next(one for one in found.sections if one.name == "others")
        assert "The paper speaks to it (no flag)" in {line.group for line in rest.lines}
    agreement = next(one for one in paired.sections if one.name == "agreement")
    assert "kappa" in agreement.columns
    assert not any("factuality" in note for note in agreement.notes)
