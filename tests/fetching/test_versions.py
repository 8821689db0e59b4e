"""Reviews as they were first written, where the server lets their history be read."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from reviewscore.sources.collection import read_collection
from tests.commands import Ended, Invoke
from tests.fetching.server import JSON, Replay, load
from tests.fetching.test_fetch import VENUE, lines, more

CREATED = 1600000000000


def review(name: str) -> dict[str, Any]:
    found: dict[str, Any] = load(f"{name}_thread")["submission"]["details"]["replies"][0]
    return found


def edit(change: dict[str, Any], made: int = CREATED, **fields: Any) -> dict[str, Any]:
    note = review("v2_iclr2025")
    content = {**copy.deepcopy(note["content"]), **change}
    invitation = note["invitations"][0]
    return {"id": f"E{made}", "invitation": invitation, "tcdate": made,
            "note": {"id": note["id"], "content": content}, **fields}  # fmt: skip


@pytest.fixture
def first(openreview: Replay, fetch: Invoke, tmp_path: Path) -> Any:
    def fetched(*words: object) -> Ended:
        return fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs", "--first-versions", *words)

    return fetched


def test_a_review_is_taken_as_it_was_first_written(
    openreview: Replay, first: Invoke, tmp_path: Path
) -> None:
    before = {"weaknesses": {"value": "No baseline. ~Jane_Doe1"}, "rating": {"value": 1}}
    openreview.edits["Rev25a"] = [edit({}, CREATED + 10**7), edit(before), {"note": None}, 3]

    ended = first()

    assert ended.exit_code == 0, ended.stderr
    assert "first versions of 1 changed review" in ended.stderr
    (written,) = lines(tmp_path / "data" / "reviews.jsonl")
    assert written["version"] == "first"
    assert sorted(written["changed"]) == ["rating", "weaknesses"]
    assert written["sections"]["weaknesses"] == "No baseline. ~"
    assert written["rating"] == 1.0
    assert "Jane" not in (tmp_path / "data" / "raw" / "versions.jsonl").read_text()
    assert json.loads((tmp_path / "data" / "fetch.json").read_text())["first_versions"] == 1


def test_a_review_whose_words_never_changed_is_its_only_version(
    openreview: Replay, first: Invoke, tmp_path: Path
) -> None:
    openreview.edits["Rev25a"] = [edit({})]

    first()

    assert lines(tmp_path / "data" / "reviews.jsonl")[0]["version"] == "only"


@pytest.mark.parametrize(
    "history",
    [
        None,
        [],
        [edit({}, CREATED + 10**7)],
        [edit({}, invitation="ICLR.cc/2025/Conference/-/Edit")],
        [edit({}, tcdate="soon")],
    ],
)
def test_what_is_not_surely_the_first_version_is_not_taken_for_it(
    openreview: Replay, first: Invoke, tmp_path: Path, history: list[Any] | None
) -> None:
    if history is not None:
        openreview.edits["Rev25a"] = history

    ended = first()

    assert ended.exit_code == 0
    assert "of 1 more it may not be seen" in ended.stderr
    assert lines(tmp_path / "data" / "reviews.jsonl")[0]["version"] == "latest"


def test_the_first_api_has_its_history_elsewhere(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    note = review("v1_iclr2018")
    older = {**note, "id": "Old", "content": {**note["content"], "rating": "2: Strong rejection"}}
    openreview.edits[note["id"]] = [{**note, "tcdate": CREATED + 10**7}, older]

    fetch("Sub18", "-o", tmp_path / "data", "--no-pdfs", "--first-versions")

    (written,) = lines(tmp_path / "data" / "reviews.jsonl")
    assert (written["rating"], written["changed"]) == (2.0, ["rating"])
    assert ("/v1/references", {"referent": note["id"]}) in openreview.asked


def test_asking_goes_on_where_it_stopped_and_asks_for_nothing_twice(
    openreview: Replay, first: Invoke, tmp_path: Path
) -> None:
    openreview.extra = more(3)
    true, count = openreview.answer, iter(range(99))

    def answer(path: str, query: dict[str, str]) -> Any:
        limited = path.endswith("edits") and next(count) == 2
        return (429, b"{}", {**JSON, "Retry-After": "3000"}) if limited else true(path, query)

    openreview.answer = answer  # type: ignore[method-assign]
    stopped = first()
    before = len(openreview.asked)
    ended = first()

    assert stopped.exit_code == 4
    assert "(2 first versions asked for)" in stopped.stderr
    assert "4 papers" in stopped.stdout
    assert ended.exit_code == 0
    again = [path for path, _ in openreview.asked[before:]]
    assert again == ["/v2/notes/edits"] * 2
    assert len(lines(tmp_path / "data" / "raw" / "versions.jsonl")) == 4


def test_a_damaged_history_is_named(first: Invoke, tmp_path: Path) -> None:
    first()
    (tmp_path / "data" / "raw" / "versions.jsonl").write_text("{}\n")

    ended = first()

    assert ended.exit_code == 2
    assert "delete it to ask anew" in ended.stderr


def test_first_versions_are_of_openreview_alone(fetch: Invoke, tmp_path: Path) -> None:
    ended = fetch("--from-export", "x.json", "-o", tmp_path / "data", "--first-versions")

    assert ended.exit_code == 2
    assert "goes with a venue or forums" in ended.stderr


def test_a_first_version_is_read_without_a_warning(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.edits["Rev25a"] = [edit({"rating": {"value": 1}})]

    fetch(VENUE, "-o", tmp_path / "data", "--first-versions")

    assert read_collection(tmp_path / "data").warnings == []
