"""Drift between two runs: paired and unpaired differences, and what the mix of types explains."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from reviewscore.similarity.comparison import MethodComparison
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.metrics import weighted_kappa
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import TwoSamples, by_composition
from reviewscore.stats.statistic import SCALE, Floats, ratio
from reviewscore.venue.compare import compare_runs
from reviewscore.venue.drift import DriftSection
from tests.report.synthetic import manifest, named_by_content
from tests.report.venues import venue_points, venue_run, verdict

QUICK = Resampling(resamples=200, scheme="papers")
SUMS = st.lists(
    st.tuples(*[st.tuples(st.integers(0, 5), st.integers(0, 5))] * 3), min_size=2, max_size=8
)


def table(
    rows: list[tuple[tuple[int, int], ...]],
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Hits of three types, then bases, from (hits, others)."""
    return np.array(
        [[*(hit for hit, _ in row), *(hit + miss for hit, miss in row)] for row in rows], float
    )


@given(SUMS, SUMS)
@budget(max_examples=60)
def test_the_two_parts_of_a_difference_add_up_to_it(
    old: list[tuple[tuple[int, int], ...]], new: list[tuple[tuple[int, int], ...]]
) -> None:
    first, second = (table(rows).sum(axis=0, keepdims=True) for rows in (old, new))
    split = by_composition(3)

    within, mix = split["within"](first, second)[0], split["mix"](first, second)[0]

    empty = (first[0, 3:] == 0) != (second[0, 3:] == 0)
    if empty.any() or not first[0, 3:].sum():
        assert np.isnan(within) or not second[0, 3:].sum()
    else:
        whole = second[0, :3].sum() / second[0, 3:].sum() - first[0, :3].sum() / first[0, 3:].sum()
        assert within + mix == pytest.approx(whole)
        assert split["within"](second, first)[0] == pytest.approx(-within)


def test_a_shift_of_the_mix_alone_is_no_drift_within_types() -> None:
    # Questions 10 %, claims 50 %, arguments 0 %; only how many there are of each differs.
    old = np.array([[10.0, 50, 0, 100, 100, 100]])
    new = np.array([[5.0, 100, 0, 50, 200, 50]])
    split = by_composition(3)

    assert split["within"](old, new)[0] == pytest.approx(0)
    assert split["mix"](old, new)[0] == pytest.approx(105 / 300 - 60 / 300)


@given(SUMS, SUMS)
@budget(max_examples=30)
def test_an_interval_of_a_difference_holds_it(
    old: list[tuple[tuple[int, int], ...]], new: list[tuple[tuple[int, int], ...]]
) -> None:
    def difference(first: Floats, second: Floats) -> Floats:
        return ratio(second[:, 0], second[:, 3]) - ratio(first[:, 0], first[:, 3])

    one = TwoSamples.of(table(old), table(new), QUICK).estimate("d", difference, n=1)

    if one.value is not None and one.low is not None and one.high is not None:
        assert one.low <= one.value <= one.high


def section(found: MethodComparison, name: str) -> DriftSection:
    return next(one for one in found.sections if one.name == name)


def cell(found: MethodComparison, name: str, group: str, column: str) -> Estimate:
    lines = section(found, name).lines
    return next(line for line in lines if line.group == group).estimates[column]


def other_judge(points: list[PointScore], *, share: float = 0.2) -> list[PointScore]:
    random = Random(3)
    made = []
    for one in points:
        if one.base is not None and random.random() < share:
            base = random.randrange(1, 6)
            made.append(one.model_copy(update={"base": base, "misinformed": base <= 2}))
        else:
            made.append(one)
    return made


def two_judges(tmp_path: Path) -> tuple[Path, Path, list[PointScore], list[PointScore]]:
    points = venue_points(20, seed=1)
    others = other_judge(points)
    first = venue_run(tmp_path / "first", points)
    second = venue_run(tmp_path / "second", reversed(others), judge="other/judge",
                       decisive={"model": "other/judge", "rounds": 4})  # fmt: skip
    return first, second, points, others


def test_two_judges_of_the_same_points_are_paired(tmp_path: Path) -> None:
    first, second, points, others = two_judges(tmp_path)

    compared = compare_runs(first, second, points=3, how=QUICK)

    found = compared.found
    known = [(a, b) for a, b in zip(points, others, strict=True) if a.misinformed is not None]
    rates = [sum(bool(pair[side].misinformed) for pair in known) / len(known) for side in (0, 1)]
    assert found.paired and found.shared == len(points)
    assert cell(found, "rates", "all points", "first").value == pytest.approx(rates[0])
    assert cell(found, "rates", "all points", "second").value == pytest.approx(rates[1])
    difference = cell(found, "rates", "all points", "difference")
    assert difference.value == pytest.approx(rates[1] - rates[0])
    assert difference.n == len(known)
    assert [one.name for one in found.made_otherwise] == ["model"]
    outcomes = next(one for one in found.crosses if one.name == "outcomes")
    assert sum(map(sum, outcomes.counts)) == len(points)


def test_kappa_of_two_judges_is_that_of_their_points(tmp_path: Path) -> None:
    first, second, points, others = two_judges(tmp_path)

    found = compare_runs(first, second, how=QUICK).found

    claims = [place for place, one in enumerate(points) if one.type is PointType.CLAIM]
    columns = [np.array([side[place].base or np.nan for place in claims], float)
               for side in (points, others)]  # fmt: skip
    expected = weighted_kappa(columns[0], columns[1], categories=SCALE)
    got = cell(found, "agreement", "claims", "kappa")
    assert got.value == pytest.approx(expected.point()[0])
    assert got.n == expected.n
    assert got.low is not None and got.high is not None and got.low < got.high


def test_the_points_that_differ_most_come_first_and_hold_ids_alone(tmp_path: Path) -> None:
    first, second, points, others = two_judges(tmp_path)

    sheet = compare_runs(first, second, points=5, how=QUICK).sheet

    apart = [abs(int(row["base_first"]) - int(row["base_second"])) for row in sheet]
    most = max(
        abs(a.base - b.base) for a, b in zip(points, others, strict=True) if a.base and b.base
    )
    assert apart == sorted(apart, reverse=True)
    assert apart[0] == most
    assert not any("tuned" in value for row in sheet for value in row.values())


def test_a_run_of_before_is_paired_with_one_of_today_by_words_with_the_same_figures(
    tmp_path: Path,
) -> None:
    first, second, points, others = two_judges(tmp_path)
    assert len({one.text for one in points}) == 1  # so that all of a review are repeats
    others[0] = others[0].model_copy(update={"text": "  The baselines\nwere not tuned."})
    today = venue_run(
        tmp_path / "today", named_by_content(others)[::-1], judge="other/judge",
        decisive={"model": "other/judge", "rounds": 4, "method point_ids": 2},
    )  # fmt: skip

    before = compare_runs(first, second, points=4, how=QUICK)
    after = compare_runs(first, today, points=4, how=QUICK)

    assert after.found.shared == len(points)
    assert [one.name for one in after.found.made_otherwise] == ["model"]
    assert (after.found.sections, after.found.crosses) == (
        before.found.sections, before.found.crosses,
    )  # fmt: skip
    assert [row["base_second"] for row in after.sheet] == [
        row["base_second"] for row in before.sheet
    ]
    assert {row["point_id"] for row in after.sheet} <= {one.point_id for one in points}


def test_the_same_run_twice_shows_no_drift(tmp_path: Path) -> None:
    points = venue_points(20)
    first, second = (venue_run(tmp_path / name, points) for name in "ab")

    found = compare_runs(first, second, how=QUICK).found

    one = cell(found, "rates", "all points", "difference")
    assert one.value == 0
    assert one.low is not None and one.high is not None
    assert one.low < 0 < one.high  # nothing moved in 20 papers, which is not all papers
    assert cell(found, "agreement", "claims", "exact").value == 1


def test_points_whose_words_changed_are_not_paired(tmp_path: Path) -> None:
    points = venue_points(20)
    moved = [one.model_copy(update={"text": "Other words."}) for one in points[:24]] + points[24:]
    first, second = venue_run(tmp_path / "a", points), venue_run(tmp_path / "b", moved)

    found = compare_runs(first, second, how=QUICK).found

    assert (found.shared, found.reworded) == (len(points) - 24, 24)
    assert any("24 points have one identifier and other words" in note for note in found.notes)


def test_two_years_are_compared_as_two_sets_of_papers(tmp_path: Path) -> None:
    first = venue_run(tmp_path / "y1", venue_points(30, seed=1, rate=0.1, name="a"))
    second = venue_run(tmp_path / "y2", venue_points(30, seed=2, rate=0.5, name="b"))

    found = compare_runs(first, second, how=QUICK).found

    assert not found.paired and found.shared == 0
    one = cell(found, "rates", "all points", "difference")
    rates = [cell(found, "rates", "all points", side).value for side in ("first", "second")]
    assert rates[0] is not None and rates[1] is not None and one.low is not None
    assert one.value == pytest.approx(rates[1] - rates[0])
    assert one.low > 0.2
    parts = [cell(found, "composition", line.group, "difference").value
             for line in section(found, "composition").lines]  # fmt: skip
    assert parts[0] == pytest.approx((parts[1] or 0) + (parts[2] or 0))


def test_a_rate_of_none_gives_a_difference_an_interval_all_the_same(tmp_path: Path) -> None:
    none = [verdict(f"x{n}/r#1", PointType.CLAIM, False) for n in range(20)]
    some = [verdict(f"y{n}/r#1", PointType.CLAIM, n < 5) for n in range(20)]
    found = compare_runs(
        venue_run(tmp_path / "a", none), venue_run(tmp_path / "b", some), how=QUICK
    ).found

    one = cell(found, "rates", "all points", "difference")

    assert one.method == "mover"
    assert one.low is not None and one.high is not None and one.value == 0.25
    assert one.low < 0.11  # beyond what 20 papers without a hit leave open
    assert section(found, "rates").lines[1].estimates["difference"].value is None  # no questions


def test_a_single_paper_has_a_difference_and_no_interval(tmp_path: Path) -> None:
    first = venue_run(tmp_path / "a", venue_points(1, points=10, name="a"))
    second = venue_run(tmp_path / "b", venue_points(20, name="b"))

    one = cell(compare_runs(first, second, how=QUICK).found, "rates", "all points", "difference")

    assert one.value is not None
    assert one.low is None
    assert "one paper" in one.reason


def test_agreement_on_one_paper_has_no_interval(tmp_path: Path) -> None:
    points = venue_points(1, points=12, name="a")
    first, second = (venue_run(tmp_path / name, points) for name in "ab")

    found = compare_runs(first, second, how=QUICK, paired=True).found

    estimates = [
        one for line in section(found, "agreement").lines for one in line.estimates.values()
    ]
    assert any(one.value is not None for one in estimates)
    assert not any(one.low is not None for one in estimates)


def test_a_type_of_one_paper_leaves_differences_without_an_interval(tmp_path: Path) -> None:
    claims = [verdict(f"x{n}/r#1", PointType.CLAIM, n % 3 == 0) for n in range(20)]
    question = verdict("x1/r#2", PointType.QUESTION, False)
    first = venue_run(tmp_path / "a", venue_points(20, name="a"))
    second = venue_run(tmp_path / "b", [*claims, question])

    found = compare_runs(first, second, how=QUICK).found

    one = cell(found, "rates", "questions", "difference")
    assert one.value is not None and one.low is None and "one paper" in one.reason
    within = cell(found, "composition", "within types (standardised)", "difference")
    assert within.value is None and "in one run only" in within.reason  # no arguments in the second


def test_a_type_without_hits_widens_the_standardised_difference(tmp_path: Path) -> None:
    def run(name: str, hits: int) -> Path:
        points = [verdict(f"{name}{n}/r#1", PointType.CLAIM, n % 3 == 0) for n in range(20)]
        points += [verdict(f"{name}{n}/r#2", PointType.QUESTION, n < hits) for n in range(20)]
        return venue_run(tmp_path / name, points)

    found = compare_runs(run("a", 0), run("b", 0), how=QUICK).found

    one = cell(found, "composition", "within types (standardised)", "difference")
    questions = cell(found, "rates", "questions", "difference")
    assert one.method == "mover" and one.value == pytest.approx(0)
    assert one.high is not None and questions.high is not None
    assert one.high >= questions.high / 2


@pytest.mark.parametrize("paired", [True, False])
def test_pairing_can_be_forced(tmp_path: Path, paired: bool) -> None:
    points = venue_points(12)
    first, second = (venue_run(tmp_path / name, points) for name in "ab")

    found = compare_runs(first, second, paired=paired, how=QUICK).found

    assert found.paired is paired
    assert found.why.startswith("as was asked for")


def test_what_cannot_be_compared_is_refused_in_words(tmp_path: Path) -> None:
    a = venue_run(tmp_path / "a", venue_points(3, name="a"))
    b = venue_run(tmp_path / "b", venue_points(3, name="b"))
    finder = venue_run(tmp_path / "finder", [])
    (finder / "manifest.json").write_text(manifest("lexical").model_dump_json(), "utf-8")
    empty = venue_run(tmp_path / "empty", [])

    with pytest.raises(SettingsError, match="leave out --paired"):
        compare_runs(a, b, paired=True)
    with pytest.raises(SettingsError, match="no rate is made of its findings"):
        compare_runs(a, finder)
    with pytest.raises(RunFolderError, match="holds no points"):
        compare_runs(a, empty)
    with pytest.raises(SettingsError, match="--points"):
        compare_runs(a, b, points=3)
