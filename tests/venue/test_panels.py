"""Rates of a venue: right, with intervals, and hidden where they would name somebody."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from reviewscore.runs.parts import read_parts
from reviewscore.schema.review import PointKind
from reviewscore.stats.resampling import Resampling, wilson
from reviewscore.stats.shares import ONE_PAPER
from reviewscore.venue.drift import columns_of
from reviewscore.venue.outcomes import OutcomeCounts, count_points, rates
from reviewscore.venue.panels import (
    TOGETHER,
    Grouping,
    RatePanel,
    Reviewers,
    Size,
    WrittenReview,
    by_load,
    rates_of_venue,
    suppressed_cells,
    tell_reviewers,
)
from reviewscore.venue.study import Strata, study_venue
from tests.report.venues import venue_points, venue_run

QUICK = Resampling(resamples=200, scheme="papers")
TABLES = st.integers(1, 12).flatmap(
    lambda papers: st.lists(st.tuples(*[st.integers(0, 6)] * 4), min_size=papers, max_size=papers)
)


def counts_of(sizes: list[tuple[int, int]], points: int = 2) -> OutcomeCounts:
    """Reviews by (paper, how many), each with some points, every third misinformed."""
    paper_of = [paper for paper, often in sizes for _ in range(often)]
    table = np.zeros((len(paper_of), 4, 4), dtype=np.int64)
    for row in range(len(paper_of)):
        table[row, row % 3, int(row % 3 > 0)] = points
    papers = tuple(f"p{number}" for number in range(max(paper_of) + 1))
    reviews = tuple(f"r{number}" for number in range(len(paper_of)))
    return OutcomeCounts(reviews, papers, np.array(paper_of), table)


@given(TABLES)
@budget(max_examples=40)
def test_a_rate_is_the_naive_share_and_lies_in_its_interval(
    rows: list[tuple[int, int, int, int]],
) -> None:
    table = np.array([[*row, 0] for row in rows], dtype=np.float64)

    found = rates([table], QUICK)[0]

    hits, misses, unknown, failed = (sum(row[place] for row in rows) for place in range(4))
    for name, hit, n in (
        ("misinformed", hits, hits + misses),
        ("unknown", unknown, hits + misses + unknown + failed),
        ("error", failed, hits + misses + unknown + failed),
    ):
        one = found[name]
        assert one.n == n
        assert one.value == (pytest.approx(hit / n) if n else None)
        if one.low is not None and one.high is not None and one.value is not None:
            assert 0 <= one.low <= one.value <= one.high <= 1


def test_a_share_of_none_or_of_all_has_an_interval_that_is_no_point() -> None:
    none = np.tile([0.0, 5.0, 0, 0, 0], (20, 1))

    low = rates([none], QUICK)[0]["misinformed"]
    high = rates([none[:, [1, 0, 2, 3, 4]]], QUICK)[0]["misinformed"]

    assert (low.value, low.low) == (0.0, 0.0)
    assert low.high == pytest.approx(0.161, abs=1e-3)  # Wilson, 0 of 20 papers
    assert (high.value, high.high) == (1.0, 1.0)
    assert "wilson" == low.method == high.method


def test_points_of_one_paper_have_no_interval() -> None:
    one = rates([np.array([[3.0, 5, 0, 0, 0], [0, 0, 4, 0, 0]])], QUICK)[0]

    assert one["misinformed"].low is None
    assert one["misinformed"].reason == ONE_PAPER
    assert one["unknown"].low is not None


def test_papers_are_drawn_whole_so_that_alike_points_widen_the_interval() -> None:
    split = np.array([[5.0, 5.0, 0, 0, 0], [6.0, 4.0, 0, 0, 0], [4.0, 6.0, 0, 0, 0]] * 7)
    apart = np.array([[10.0, 0, 0, 0, 0], [0, 10.0, 0, 0, 0]] * 10)

    narrow, wide = (rates([one], QUICK)[0]["misinformed"] for one in (split, apart))

    assert narrow.value == wide.value == 0.5
    assert wide.high is not None and wide.low is not None
    assert narrow.high is not None and narrow.low is not None
    assert wide.high - wide.low > 4 * (narrow.high - narrow.low) > 0


def test_papers_that_are_all_alike_have_an_interval_by_their_number() -> None:
    alike = np.tile([5.0, 15.0, 0, 0, 0], (16, 1))

    one = rates([alike], QUICK)[0]["misinformed"]

    assert one.method == "wilson"
    assert (one.low, one.high) == pytest.approx(wilson(4, 16))


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 12)), min_size=1, max_size=9),
    st.integers(5, 15),
)
def test_what_is_withheld_can_never_be_had_by_subtraction(
    cells: list[tuple[int, int]], at_least: int
) -> None:
    sizes = [Size(reviews, min(reviews, people)) for reviews, people in cells]

    def pooled(places: frozenset[int]) -> Size:
        of = [sizes[place] for place in places]
        return Size(sum(one.reviews for one in of), sum(one.people for one in of))

    hidden = suppressed_cells(sizes, pooled, at_least=at_least)

    assert {place for place, one in enumerate(sizes) if one.few(at_least)} <= hidden
    if hidden and len(sizes) > 1:
        # The total less what is shown is the sum of the hidden: two or more, and no small one
        # unless the whole table is hidden.
        assert len(hidden) >= 2
        assert not pooled(hidden).few(at_least) or len(hidden) == len(sizes)
    if not any(one.few(at_least) for one in sizes):
        assert not hidden


@given(st.lists(st.sampled_from("abcdef"), min_size=60, max_size=60), st.randoms())
@budget(max_examples=15)
def test_no_number_of_a_withheld_area_is_anywhere(areas: list[str], random: object) -> None:
    counts = counts_of([(paper, 3) for paper in range(20)])
    of = dict(zip(counts.reviews, areas, strict=True))

    panels = rates_of_venue(counts, [Grouping("area", "Areas", of)], how=QUICK)

    area = panels[-1]
    hidden = [cell for cell in area.cells if cell.withheld]
    shown = [cell for cell in area.cells if not cell.withheld]
    assert {*of.values()} | {TOGETHER} >= {cell.group for cell in area.cells}
    assert all(cell.reviews is None and not cell.rates for cell in hidden)
    assert len(hidden) != 1
    assert all((cell.reviews or 0) >= 10 for cell in shown)
    if shown:
        assert sum(cell.points or 0 for cell in shown) == panels[0].cells[0].points


def test_a_venue_of_too_few_reviews_shows_nothing() -> None:
    panels = rates_of_venue(counts_of([(0, 3), (1, 3)]), how=QUICK)

    assert [panel.name for panel in panels] == ["overall"]
    assert panels[0].cells[0].withheld
    assert panels[0].cells[0].points is None


def test_an_area_of_few_reviewers_is_withheld_however_many_reviews_they_wrote() -> None:
    counts = counts_of([(paper, 3) for paper in range(30)])
    busy = {f"r{n}": n % 3 for n in range(45)}
    many = {f"r{n}": n for n in range(45, 90)}
    reviewers = Reviewers(busy | many, dict.fromkeys([*busy.values(), *many.values()], 1))
    of = {one: "busy" if n < 45 else "x" if n < 60 else "y" for n, one in enumerate(counts.reviews)}

    area = rates_of_venue(counts, [Grouping("area", "Areas", of)], reviewers=reviewers, how=QUICK)[
        -1
    ]

    assert [cell.group for cell in area.cells] == ["y", "busy", "x", TOGETHER]
    assert [cell.withheld for cell in area.cells] == [False, True, True, False]


def test_the_order_of_runs_changes_nothing(tmp_path: Path) -> None:
    a = venue_run(tmp_path / "a", venue_points(8, seed=1, name="a"))
    b = venue_run(tmp_path / "b", venue_points(8, seed=2, name="b"))

    there, back = (
        rates_of_venue(count_points(read_parts(runs)), how=QUICK) for runs in ([a, b], [b, a])
    )

    assert there == back


def load_of(named: dict[str, tuple[str, str | None]]) -> Reviewers:
    return tell_reviewers({key: WrittenReview(*one) for key, one in named.items()})


def test_load_is_the_number_of_reviews_by_one_pseudonym() -> None:
    names = {
        "r1": ("p1", "otter"),
        "r2": ("p2", "otter"),
        "r3": ("p2", "heron"),
        "r4": ("p3", None),
    }
    found = load_of({**names, **{f"s{n}": (f"p{n}", "vole") for n in range(7)}})

    assert [found.bucket(f"r{n}") for n in (1, 2, 3, 4)] == ["2", "2", "1", None]
    assert found.bucket("s0") == "5 or more"
    assert found.unnamed == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Reviewer {place}", "hold for one paper only"),
        ("AnonReviewer{place}", "hold for one paper only"),
        ("Reviewer_{paper:02d}{place:02d}", "hold for one paper only"),
        ("R{place}", "hold for one paper only"),
        ("model-{place}", "only 3 names for 20 papers"),
        ("note-{paper}-{place}", "no reviewer has two reviews"),
        (None, "no review names its reviewer"),
    ],
)
def test_names_that_hold_for_one_paper_say_nothing_of_load(name: str | None, words: str) -> None:
    found = load_of({
        f"{paper}-{place}": (f"p{paper}", name and name.format(paper=paper, place=place))
        for paper in range(20)
        for place in range(3)
    })  # fmt: skip

    assert words in found.reason
    assert by_load(found, given=False) is None
    assert found.bucket("0-0") is None


def test_reviewers_that_were_given_on_purpose_are_believed() -> None:
    written = {f"r{n}": WrittenReview("", f"{n % 3}") for n in range(30)}

    assert tell_reviewers(written, trusted=True).bucket("r0") == "5 or more"


def test_types_add_up_to_all_points(tmp_path: Path) -> None:
    run = venue_run(tmp_path / "a", venue_points(20))

    overall, types = rates_of_venue(count_points(read_parts([run])), how=QUICK)

    assert isinstance(types, RatePanel)
    assert overall.cells[0].points == sum(cell.points or 0 for cell in types.cells) == 240


def test_what_is_no_point_is_in_no_rate_of_a_venue(tmp_path: Path) -> None:
    points = list(venue_points(8))
    none = points[0].model_copy(
        update={"kind": PointKind.NONE, "point_id": f"{points[0].review_id}#99"}
    )
    counts = [
        count_points(read_parts([venue_run(tmp_path / name, some)]))
        for name, some in (("a", points), ("b", [*points, none]))
    ]

    assert (counts[0].points == counts[1].points).all()
    assert len(columns_of(read_parts([tmp_path / "b"])[0]).names) == len(points)


def test_versions_of_a_paper_are_drawn_as_one_and_lie_in_its_area(tmp_path: Path) -> None:
    points = venue_points(6)
    revised = [
        one.model_copy(update={"paper_id": f"{one.paper_id}@v2"})
        if one.review_id.endswith("r1") else one
        for one in points
    ]  # fmt: skip
    areas = tmp_path / "areas.csv"
    areas.write_text("paper_id,area\n" + "".join(f"p{n},a{n % 2}\n" for n in range(6)), "utf-8")
    runs = [venue_run(tmp_path / name, some) for name, some in (("a", points), ("b", revised))]

    once, twice = (
        study_venue([run], Strata(areas=areas), at_least=5, how=QUICK).venue.panels for run in runs
    )
    assert twice == once
