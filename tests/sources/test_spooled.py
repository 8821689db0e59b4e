"""Records that wait on disk: the same records, read one at a time."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.config import Settings
from reviewscore.focus.distribution import coded
from reviewscore.focus.facets import DEFAULT, FacetPoint, Labelled, Polarity
from reviewscore.focus.points import PointLines
from reviewscore.focus.profile import SystemPoints
from reviewscore.focus.tables import text_table
from reviewscore.runs.consent import chosen_reviews
from reviewscore.schema.review import Review
from reviewscore.sources.collection import read_collection
from reviewscore.sources.spooled import GroupedList, MappedGroups, SpooledList
from reviewscore.sources.system_reviews import Materials, SystemReview, TextForm, read_materials
from reviewscore.stats.resampling import Resampling
from reviewscore.text.similarity import TextPair

MANY, REVIEWS = 60, 4


@dataclass
class Alive:
    """How many records of some kinds are in memory."""

    kinds: tuple[type, ...]

    def count(self) -> int:
        gc.collect()
        return sum(isinstance(one, self.kinds) for one in gc.get_objects())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    papers = [{"paper_id": f"p{n}", "title": "T", "text": "Words."} for n in range(MANY)]
    reviews = [
        {"paper_id": f"p{n % MANY}", "review_id": f"r{n}", "reviewer": f"R{n % 3}",
         "text": f"Strengths:\n\n- A novel idea {n}.\n\nWeaknesses:\n\n- No baselines {n}.\n"}
        for n in range(MANY * REVIEWS)
    ]  # fmt: skip
    for name, rows in (("papers", papers), ("reviews", reviews)):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    return tmp_path


@given(st.lists(st.text(st.characters(exclude_categories=())), max_size=20), st.data())
def test_records_come_back_as_they_went_in(texts: list[str], data: st.DataObject) -> None:
    shelf = SpooledList(texts)
    kept = data.draw(st.sets(st.sampled_from(texts))) if texts else set()

    assert list(shelf) == texts
    assert len(shelf) == len(texts)
    assert list(shelf[1:4]) == texts[1:4]
    assert [shelf[n] for n in range(len(texts))] == texts
    shelf.keep(kept.__contains__)
    assert list(shelf) == [text for text in texts if text in kept]


def test_records_can_be_added_between_readings() -> None:
    shelf = SpooledList("ab")
    groups = GroupedList(shelf)
    groups.add("x", [0])
    first = iter(shelf)

    assert next(first) == "a"
    groups.add("x", [shelf.append("c" * 2_000_000)])
    groups.add("y", [1])
    assert next(first) == "b"
    assert {name: [len(one) for one in some] for name, some in groups.items()} == {
        "x": [1, 2_000_000],
        "y": [1],
    }
    assert list(MappedGroups(groups, str.upper)["y"]) == ["B"]


def test_the_file_of_records_goes_with_them(recwarn: pytest.WarningsRecorder) -> None:
    shelf = SpooledList(["x" * 2_000_000])
    gone = weakref.ref(shelf)
    del shelf
    gc.collect()

    assert gone() is None
    assert not recwarn.list


def test_a_collection_holds_no_review(folder: Path) -> None:
    alive = Alive((Review,))
    before = alive.count()

    collection = read_collection(folder)
    chosen = chosen_reviews(collection, Settings(paper=("p1", "p0")))

    assert alive.count() == before
    assert [one.review_id for one in chosen] == ["r0", "r60", "r120", "r180", "r1", "r61", "r121",
                                                 "r181"]  # fmt: skip
    assert collection.review("r7").paper_id == "p7"
    assert alive.count() == before


def test_points_of_reviews_are_gone_through_one_review_at_a_time(folder: Path) -> None:
    alive = Alive((SystemReview, FacetPoint, Labelled))
    before, most = alive.count(), 0
    materials = read_materials(folder)
    lines = PointLines()

    def labelled() -> Iterator[Labelled]:
        nonlocal most
        for number, point in enumerate(SystemPoints.of(materials)):
            if number % 40 == 0:
                most = max(most, alive.count() - before)
            yield Labelled(point, "method", "novelty")

    found = coded(lines.noted(labelled()), DEFAULT)

    assert len(found.review) == 2 * MANY * REVIEWS
    assert len(found.reviews) == MANY * REVIEWS
    assert most <= 12
    assert alive.count() == before
    (folder / "out").mkdir()
    written = lines.write(folder / "out").read_text().splitlines()
    assert [json.loads(line)["text"] for line in written[:2]] == [
        "A novel idea 0.", "No baselines 0."
    ]  # fmt: skip
    assert found.weak[:4].tolist() == [False, True] * 2
    assert Polarity(json.loads(written[1])["polarity"]) is Polarity.WEAKNESS


class Counting:
    """A metric that sees how many texts it is given at once."""

    name = "length"
    most = 0

    def scores(self, pairs: list[TextPair]) -> list[float | None]:
        self.most = max(self.most, len(pairs))
        return [float(len(one.candidate)) for one in pairs]


def test_texts_are_compared_a_few_papers_at_a_time(folder: Path) -> None:
    materials, metric = read_materials(folder), Counting()

    found = text_table(
        materials, TextForm.RAW, "people", [metric], Resampling(50, 0, scheme="papers", level=0.95)
    )

    assert found is not None
    assert found.rows[0][-1] == MANY * REVIEWS * (REVIEWS - 1)
    assert metric.most < 300


def test_many_systems_are_renamed_as_they_are_read(folder: Path) -> None:
    from reviewscore.cli.focus.points import by_reviewer

    materials: Materials = by_reviewer(read_materials(folder))

    assert materials.systems() == ["R0", "R1", "R2"]
    assert {one.system for one in materials.papers["p0"]} == {"R0"}
