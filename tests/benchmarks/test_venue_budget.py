"""The simulation of budgets: nobody is shown more than the budget, and the page keeps the rest."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import venue_budget
from benchmarks.venue_budget import HEADING, drawn, put_into, shown


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PAPERS": 200, "REVIEWS": 760, "CHAIRS": 16, "DAYS": 7}.items():
        monkeypatch.setattr(venue_budget, name, value)


def test_nobody_is_shown_a_flag_twice_or_more_than_the_budget_on_a_day() -> None:
    flags = drawn()

    found = shown(flags, 2)

    assert found.most <= 2
    assert len(set(found.flags.tolist())) == len(found.flags)
    assert np.bincount(flags.chair[found.flags]).max() <= 2 * 7


def test_without_a_budget_every_flag_is_shown() -> None:
    flags = drawn()

    assert sorted(shown(flags, None).flags.tolist()) == list(range(len(flags.right)))


def test_a_smaller_budget_shows_flags_that_are_right_more_often() -> None:
    flags = drawn()

    reached = [flags.right[shown(flags, budget).flags].mean() for budget in (None, 3, 1)]

    assert reached == sorted(reached)


def test_the_same_seed_draws_the_same_venue() -> None:
    one, other = drawn(), drawn()

    assert np.array_equal(one.worth, other.worth)
    assert not np.array_equal(one.right[:50], drawn(seed=1).right[:50])


def test_the_section_takes_the_place_of_the_one_before_and_leaves_the_rest() -> None:
    page = "# Page\n\ntext\n\n## Measured costs\n\ncosts\n"

    first = put_into(page, [HEADING, "", "one", ""])
    second = put_into(first, [HEADING, "", "two", ""])

    assert first == f"# Page\n\ntext\n\n{HEADING}\n\none\n\n## Measured costs\n\ncosts\n"
    assert second == first.replace("one", "two")
