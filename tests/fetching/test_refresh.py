"""A venue of OpenReview that is kept in step: only what was modified is asked for again."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from reviewscore.period.venue import RemovedRow, VenueFolder
from tests.commands import Invoke, invoker
from tests.fetching.server import DATA, JSON, Answer, Replay, load, pdf

VENUE = "ICLR.cc/2025/Conference"


class Living:
    """A venue whose forums can be changed, on top of the replayed servers."""

    def __init__(self, replay: Replay) -> None:
        self.forums = {"Sub25": copy.deepcopy(load("v2_iclr2025_thread")["submission"])}
        self.replay, self.plain = replay, replay.answer
        self.deleted: list[dict[str, Any]] = []
        self.heeds_time = True
        replay.answer = self.answer  # type: ignore[method-assign]

    def answer(self, path: str, query: dict[str, str]) -> Answer:
        if path != "/v2/notes":
            return self.plain(path, query)
        self.replay.asked.append((path, query))
        forums = [self.forums[name] for name in sorted(self.forums)]
        if "domain" in query:
            since = int(query["mintmdate"]) if self.heeds_time else 0
            notes = [note for forum in forums for note in (forum, *forum["details"]["replies"])]
            notes = [note for note in [*notes, *self.deleted] if note["tmdate"] >= since]
            found = sorted(notes, key=lambda note: int(note["tmdate"]))
        elif "id" in query:
            found = [forum for forum in forums if forum["id"] == query["id"]]
        else:
            found = [forum for forum in forums if forum["id"] > query.get("after", "")]
        return 200, json.dumps({"notes": found}).encode(), JSON

    @property
    def reviews(self) -> list[dict[str, Any]]:
        replies: list[dict[str, Any]] = self.forums["Sub25"]["details"]["replies"]
        return [one for one in replies if one["invitations"][0].endswith("Official_Review")]

    def add(self, number: int) -> None:
        """A further forum."""
        text = json.dumps(load("v2_iclr2025_thread")["submission"])
        text = text.replace("Sub25", f"Sub{number:04}").replace("Rev25a", f"Rev{number:04}")
        self.forums[f"Sub{number:04}"] = json.loads(text)
        self.forums[f"Sub{number:04}"]["tmdate"] = LATER

    def listed(self) -> int:
        """How often the list of submissions was asked for."""
        return sum("invitation" in query for _, query in self.replay.asked)


LATER = 4_000_000_000_000


@pytest.fixture
def living(openreview: Replay) -> Living:
    return Living(openreview)


@pytest.fixture
def sync(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("sync", capsys)


def changes(venue: Path, number: int) -> list[tuple[str, str]]:
    found = VenueFolder(venue).changes(number - 1)
    return [(one.change.value, one.id) for one in found]


def test_only_forums_that_were_modified_are_fetched_again(
    living: Living, sync: Invoke, tmp_path: Path
) -> None:
    living.add(1)
    first = sync(VENUE, "-o", tmp_path / "v")
    listed = living.listed()
    still = sync(VENUE, "-o", tmp_path / "v", "--json")
    review = living.reviews[0]
    review["content"]["weaknesses"] = {"value": "There is no baseline of equal cost at all."}
    review["tmdate"] = LATER + 1
    edited = sync(VENUE, "-o", tmp_path / "v")

    assert (first.exit_code, still.exit_code, edited.exit_code) == (0, 0, 0), first.stderr
    assert json.loads(still.stdout)["reviews"] == {}
    assert changes(tmp_path / "v", 3) == [("edited", "Rev25a")]
    assert living.listed() == listed
    alone = [
        query["id"] for path, query in living.replay.asked if "id" in query and "notes" in path
    ]
    assert alone == ["Sub25"]
    assert "PDFs" not in still.stderr


def test_a_deleted_review_is_withdrawn_and_a_new_forum_is_new(
    living: Living, sync: Invoke, tmp_path: Path
) -> None:
    sync(VENUE, "-o", tmp_path / "v")
    gone = living.reviews[0]
    living.forums["Sub25"]["details"]["replies"].remove(gone)
    living.deleted.append({**gone, "tmdate": LATER, "ddate": LATER})
    living.add(2)
    ended = sync(VENUE, "-o", tmp_path / "v", "--yes")

    assert ended.exit_code == 0, ended.stderr
    assert sorted(changes(tmp_path / "v", 2)) == [
        ("new", "Rev0002"),
        ("new", "Sub0002"),
        ("withdrawn", "Rev25a"),
    ]


@pytest.mark.parametrize("heeded", [True, False])
def test_the_list_is_read_as_a_whole_once_a_day_and_where_times_are_not_looked_at(
    living: Living, sync: Invoke, tmp_path: Path, *, heeded: bool
) -> None:
    sync(VENUE, "-o", tmp_path / "v")
    listed = living.listed()
    if heeded:
        places = tmp_path / "v" / "source" / "raw" / "places.json"
        places.write_text(json.dumps({**json.loads(places.read_text()), "complete": "2020-01-01"}))
    living.heeds_time = heeded
    living.reviews[0]["content"]["rating"] = {"value": 1}  # without a new time
    ended = sync(VENUE, "-o", tmp_path / "v")

    assert ended.exit_code == 0, ended.stderr
    assert living.listed() > listed
    assert changes(tmp_path / "v", 2) == [("rated", "Rev25a")]


@pytest.mark.parametrize("forum", ["Sub25", "Sub{}"])
def test_changes_without_an_end_are_not_followed(
    living: Living, sync: Invoke, tmp_path: Path, forum: str
) -> None:
    sync(VENUE, "-o", tmp_path / "v")
    asked: list[int] = []

    def endless(path: str, query: dict[str, str]) -> Answer:
        if "domain" not in query or len(asked) > 300:
            return living.answer(path, query)
        asked.append(int(query["mintmdate"]))
        notes = [{"id": f"N{n}", "forum": forum.format(asked[-1] + n), "tmdate": asked[-1] + n}
                 for n in range(1000)]  # fmt: skip
        return 200, json.dumps({"notes": notes}).encode(), JSON

    living.replay.answer = endless  # type: ignore[method-assign]
    ended = sync(VENUE, "-o", tmp_path / "v")

    assert ended.exit_code == 0, ended.stderr
    assert len(asked) <= 100


def test_a_pdf_is_fetched_again_where_the_paper_names_another(
    living: Living, sync: Invoke, tmp_path: Path
) -> None:
    sync(VENUE, "-o", tmp_path / "v")
    other = pdf() + b"\n% another file\n"
    living.replay.pdf = lambda _: (200, other, {"Content-Type": "application/pdf"})
    living.forums["Sub25"]["content"]["pdf"] = {"value": "/pdf/another.pdf"}
    living.forums["Sub25"]["tmdate"] = LATER
    sync(VENUE, "-o", tmp_path / "v")
    asked = [path for path, _ in living.replay.asked if path.endswith("/pdf")]
    sync(VENUE, "-o", tmp_path / "v")

    assert ("revised", "Sub25") in changes(tmp_path / "v", 2)
    assert len(asked) == 2
    assert [path for path, _ in living.replay.asked if path.endswith("/pdf")] == asked
    papers = (tmp_path / "v" / "data" / "papers.jsonl").read_text().splitlines()
    files = {json.loads(line)["paper_id"]: json.loads(line)["pdf"] for line in papers}
    assert (tmp_path / "v" / "data" / files["Sub25@v2"]).read_bytes() == other
    assert (tmp_path / "v" / "data" / files["Sub25"]).read_bytes() == pdf()


def test_papers_whose_pdf_is_not_there_wait_and_refusals_are_said(
    living: Living, sync: Invoke, tmp_path: Path
) -> None:
    living.add(1)
    living.replay.pdf = lambda name: (
        (404, b"{}", JSON)
        if name == "Sub0001"
        else (200, pdf(), {"Content-Type": "application/pdf"})
    )
    ended = sync(VENUE, "-o", tmp_path / "v")

    assert ended.exit_code == 0, ended.stderr
    assert "1 paper without a text yet" in ended.stderr
    assert sorted(changes(tmp_path / "v", 1)) == [("new", "Rev25a"), ("new", "Sub25")]

    refused = (403, json.dumps({"name": "ChallengeRequiredError"}).encode(), JSON)
    living.replay.answer = lambda path, query: refused  # type: ignore[method-assign]
    stopped = sync(VENUE, "-o", tmp_path / "v")
    assert stopped.exit_code == 4
    assert "OPENREVIEW_USERNAME" in stopped.stderr
    assert VenueFolder(tmp_path / "v").record.syncs == 1


def test_an_export_is_a_source(sync: Invoke, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    note = json.loads((DATA / "v2_iclr2025_thread.json").read_text("utf-8"))["submission"]
    (tmp_path / "notes" / "one.json").write_text(json.dumps(note))
    (tmp_path / "notes" / "Sub25.pdf").write_bytes(pdf())
    first = sync(tmp_path / "notes", "--export", "-o", tmp_path / "v")
    note["content"]["title"] = {"value": "Another title"}
    (tmp_path / "notes" / "one.json").write_text(json.dumps(note))
    sync(tmp_path / "notes", "--export", "-o", tmp_path / "v")

    assert first.exit_code == 0, first.stderr
    assert VenueFolder(tmp_path / "v").record.kind == "export"
    assert changes(tmp_path / "v", 2) == [("updated", "Sub25")]


def test_what_was_removed_for_good_is_not_brought_back_by_a_fetch(
    living: Living, sync: Invoke, tmp_path: Path
) -> None:
    living.add(1)
    sync(VENUE, "-o", tmp_path / "v")
    gone = RemovedRow(what="paper", id="Sub0001", at="2027-03-02T00:00:00+00:00")
    (tmp_path / "v" / "withdrawn.jsonl").write_text(gone.model_dump_json() + "\n")
    living.forums["Sub0001"]["tmdate"] = LATER + 5
    ended = sync(VENUE, "-o", tmp_path / "v", "--yes")

    assert ended.exit_code == 0, ended.stderr
    assert sorted(changes(tmp_path / "v", 2)) == [
        ("withdrawn", "Rev0001"),
        ("withdrawn", "Sub0001"),
    ]
    for file in (tmp_path / "v" / "source").rglob("*.jsonl"):
        assert "Rev0001" not in file.read_text("utf-8")
