"""What a worker writes about a paper, without any worker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from reviewscore.batch.far import Orders, PaperTask, open_bench, score_paper
from reviewscore.config import resolve
from reviewscore.errors import InputError
from reviewscore.llm.connect import RunContext
from reviewscore.schema.point_score import Status
from reviewscore.sources.files import Collection, read_collection
from reviewscore.store.shards import Shard, Shards
from tests.conftest import ROOT


def collection() -> Collection:
    return read_collection(ROOT / "examples")


async def judged(
    out: Path, reviews: Sequence[int], done: Sequence[str] = (), *, point: Sequence[str] = ()
) -> Shard:
    """The shard after some reviews of the example were judged."""
    settings = resolve({"engine": "ray", "point": tuple(point)}).settings
    orders = Orders(settings, out, str(out / "shards"), "run", "d", None, renew=False)
    found = collection()
    (paper_id,) = found.papers
    handle = found.papers[paper_id]
    assert handle.raw is not None
    task = PaperTask(
        paper_id,
        handle.title,
        handle.raw().packed(),
        tuple(found.reviews[one] for one in reviews),
        dict.fromkeys(done, Status.UNKNOWN),
    )
    async with open_bench(orders, RunContext()) as bench:
        assert (await score_paper(bench, task)).finished
    shard = Shards(orders.store).read(paper_id)
    assert shard is not None
    return shard


async def test_a_shard_keeps_what_it_has_of_reviews_that_are_not_asked_for(tmp_path: Path) -> None:
    both = await judged(tmp_path, (0, 1))
    again = await judged(tmp_path, (0,))

    assert again.whole
    assert again.reviews == both.reviews
    assert again.points == both.points
    assert sorted(one.point_id for one in again.scores) == sorted(
        one.point_id for one in both.scores
    )


async def test_a_shard_that_lacks_points_scored_elsewhere_is_not_whole(tmp_path: Path) -> None:
    alone = await judged(tmp_path / "alone", (0,))
    first, *others = (one.point_id for one in alone.scores)

    shard = await judged(tmp_path / "mixed", (0,), [first])
    assert not shard.whole
    assert [one.point_id for one in shard.scores] == others

    shard = await judged(tmp_path / "mixed", (0,), others)
    assert shard.whole
    assert {one.point_id for one in shard.scores} == {first, *others}


async def test_a_shard_of_chosen_points_is_whole_once_all_are_there(tmp_path: Path) -> None:
    alone = await judged(tmp_path / "alone", (0,))
    chosen = [one.point_id for one in alone.scores][:1]

    assert not (await judged(tmp_path / "one", (0,), point=chosen)).whole
    assert (await judged(tmp_path / "one", (0,), chosen)).whole


async def test_a_paper_that_changed_meanwhile_is_told_with_its_line(tmp_path: Path) -> None:
    for name in ("papers", "reviews"):
        text = (ROOT / "examples" / f"{name}.jsonl").read_text("utf-8")
        (tmp_path / f"{name}.jsonl").write_text(text, "utf-8")
    (handle,) = read_collection(tmp_path).papers.values()
    row = {"paper_id": handle.paper_id, "text": 7}
    (tmp_path / "papers.jsonl").write_text(json.dumps(row), "utf-8")
    assert handle.raw is not None

    with pytest.raises(InputError, match=r"papers\.jsonl:1: field 'text'"):
        handle.raw()
