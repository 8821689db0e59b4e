"""Whole papers go to the annotators with the least to do."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from reviewscore.annotate.workspace import assign


def test_three_annotate_each_paper_and_loads_are_even() -> None:
    papers = {f"p{n}": [f"p{n}#{k}" for k in range(10)] for n in range(40)}
    people = [f"A{n}" for n in range(15)]

    given_out = assign(papers, people)

    assert {len(names) for names in given_out.values()} == {3}
    load = Counter(name for names in given_out.values() for name in names)
    assert set(load.values()) == {8}  # 40 papers x 3 / 15, as in the ReviewScore paper


def test_fewer_annotators_than_wanted_all_get_every_paper() -> None:
    assert assign({"p": ["p#1"]}, ["A1", "A2"]) == {"p": ["A1", "A2"]}


def test_what_was_given_out_stays_when_someone_joins() -> None:
    papers = {"p": ["p#1"], "q": ["q#1"]}

    later = assign(papers, ["A1", "A2", "A3"], 2, taken={"p": ["A1"], "q": ["A1"]})

    assert all("A1" in names and len(names) == 2 for names in later.values())
    assert {name for names in later.values() for name in names} == {"A1", "A2", "A3"}


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=20),
    people=st.integers(1, 9),
    wanted=st.integers(1, 5),
)
def test_nobody_has_more_than_one_long_paper_above_another(
    sizes: list[int], people: int, wanted: int
) -> None:
    papers = {f"p{n}": [f"{n}#{k}" for k in range(size)] for n, size in enumerate(sizes)}
    names = [f"A{n}" for n in range(people)]

    out = assign(papers, names, wanted)

    assert all(len(set(found)) == min(wanted, people) for found in out.values())
    load = Counter({name: sum(len(papers[p]) for p in out if name in out[p]) for name in names})
    assert max(load.values()) - min(load.values()) <= max(sizes)
