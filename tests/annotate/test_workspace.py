"""Whole papers go to the annotators with the least to do."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.annotate.export import export
from reviewscore.annotate.label_store import LABELS_FILE
from reviewscore.annotate.pages import numbers_part
from reviewscore.annotate.rules import Codebook
from reviewscore.annotate.workspace import assign
from reviewscore.errors import SettingsError
from tests.annotate.invented import CLAIM, TYPE, give, make_workspace


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


def test_labels_are_exported_with_the_kind_of_their_annotator(tmp_path: Path) -> None:
    made = make_workspace(tmp_path / "set", annotators=("A1", "M1:model"))
    for who in ("A1", "M1"):
        give(made, who, CLAIM, TYPE, "claim")

    export(made)

    lines = (tmp_path / "set" / "labels.jsonl").read_text("utf-8").splitlines()
    kinds = {one["annotator"]: one["annotator_kind"] for one in map(json.loads, lines)}
    assert kinds == {"A1": "human", "M1": "model"}
    assert "1 person and 1 model reader" in (tmp_path / "set" / "SOURCE.md").read_text("utf-8")
    assert '>M1 <span class="muted">(model)</span>' in numbers_part(made, "127.0.0.1:1")


@pytest.mark.parametrize(
    ("later", "problem"),
    [
        (("M1",), "M1 is model in this set"),
        (("A1:model",), "A1 is human in this set"),
        (("A2:robot",), "'robot' is no kind of annotator"),
        (("A2", "A2:model"), "named twice"),
    ],
)
def test_whoever_is_a_person_stays_one(
    later: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    make_workspace(tmp_path / "set", annotators=("A1", "M1:model")).store.close()

    with pytest.raises(SettingsError, match=problem):
        make_workspace(tmp_path / "set", annotators=later)


def test_a_set_begun_before_kinds_were_kept_asks_for_them_once(tmp_path: Path) -> None:
    made = make_workspace(tmp_path / "set", annotators=("A1", "A2"))
    give(made, "A1", CLAIM, TYPE, "claim")
    made.store.close()
    with sqlite3.connect(tmp_path / "set" / LABELS_FILE) as base:
        base.execute("ALTER TABLE annotators DROP COLUMN kind")
    base.close()

    with pytest.raises(SettingsError, match="whether A1, A2 are people"):
        make_workspace(tmp_path / "set", annotators=())
    later = make_workspace(tmp_path / "set", annotators=("A1", "A2:model"))

    assert [one.annotator for one in later.store.given()] == ["A1"]
    assert {name: kind for name, kind in later.store.kinds().items()} == {
        "A1": "human",
        "A2": "model",
    }
    later.store.close()
    assert make_workspace(tmp_path / "set", annotators=()).store.kinds()["A2"] == "model"


@pytest.mark.parametrize("first", list(Codebook))
def test_a_set_stays_with_its_codebook(first: Codebook, tmp_path: Path) -> None:
    make_workspace(tmp_path / "set", codebook=first).store.close()
    other = next(book for book in Codebook if book is not first)

    later = make_workspace(tmp_path / "set", annotators=(), codebook=None)
    assert later.codebook is first
    later.store.close()
    with pytest.raises(SettingsError, match=f"this set follows {first}"):
        make_workspace(tmp_path / "set", annotators=(), codebook=other)


def test_a_new_set_follows_the_newest_codebook_and_one_of_before_the_first(tmp_path: Path) -> None:
    new = make_workspace(tmp_path / "new", codebook=None)
    new.store.close()
    old = make_workspace(tmp_path / "old", codebook=None)
    with old.store.turn() as base:  # as sets were begun before codebooks were kept
        base.execute("DELETE FROM meta WHERE key = 'codebook'")
    old.store.close()

    again = make_workspace(tmp_path / "old", annotators=(), codebook=None)

    assert (new.codebook, again.codebook) == (Codebook.SECOND, Codebook.FIRST)
    again.store.close()
