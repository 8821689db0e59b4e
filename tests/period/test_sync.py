"""Syncs: what changed is found by content, kept with what it was, and safe from kills."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.errors import InputError, RunFolderError
from reviewscore.period import log
from reviewscore.period.sync import SyncSource, sync
from reviewscore.period.taken_back import TakenBack
from reviewscore.period.venue import (
    CHANGES,
    INDEX,
    PAST,
    TAKEN_BACK,
    WITHDRAWN,
    RemovedRow,
    SyncRecord,
    VenueFolder,
    lines_of,
)
from reviewscore.period.verify import verify
from reviewscore.schema.paper import base_paper_id
from reviewscore.sources.collection import read_collection
from tests.fetching.server import pdf

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
Rows = Sequence[Mapping[str, Any]]


def paper(
    name: str, text: str = "We train a router and measure it.", **more: Any
) -> dict[str, Any]:
    return {"paper_id": name, "title": f"On {name}", "text": text, **more}


def review(name: str, of: str, words: str = "There is no baseline.", **more: Any) -> dict[str, Any]:
    return {"review_id": name, "paper_id": of, "sections": {"weaknesses": words}, **more}


def put(folder: Path, papers: Rows, reviews: Rows) -> Path:
    """Write a source."""
    folder.mkdir(exist_ok=True)
    for name, rows in (("papers", papers), ("reviews", reviews)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return folder


def rows(venue: Path, name: str) -> dict[str, dict[str, Any]]:
    """Rows of the data by identifier."""
    lines = (venue / "data" / f"{name}s.jsonl").read_text("utf-8").splitlines()
    return {row[f"{name}_id"]: row for row in map(json.loads, lines)}


def found(venue: Path, number: int) -> list[tuple[str, str, str]]:
    """Change, identifier and version of the paper, of one sync."""
    return [
        (one.change.value, one.id, one.paper_id)
        for one in VenueFolder(venue).changes(number - 1)
        if one.sync == number
    ]


@pytest.fixture
def venue(tmp_path: Path) -> Path:
    return tmp_path / "venue"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return put(tmp_path / "source", [paper("p1"), paper("p2")], [review("r1", "p1"),
                                                               review("r2", "p2")])  # fmt: skip


def test_the_first_sync_makes_data_that_can_be_read_and_says_that_all_is_new(
    source: Path, venue: Path
) -> None:
    done = sync(source, venue, now=NOW, consent="local")

    assert (done.number, done.papers, done.reviews) == (1, {"new": 2}, {"new": 2})
    assert done.counts == {"new": 4}
    held = read_collection(venue / "data")
    assert [one.review_id for one in held.reviews] == ["r1", "r2"]
    assert held.reviews[0].date == "2027-03-01"
    record = VenueFolder(venue).record
    assert (record.source, record.kind) == (str(source), "folder")
    assert (record.consent, record.syncs, record.judged) == ("local", 1, 0)


def test_a_sync_of_what_is_already_there_changes_no_byte_of_the_data(
    source: Path, venue: Path
) -> None:
    sync(source, venue, now=NOW)
    files = sorted((venue / "data").iterdir())
    before = [(file.read_bytes(), file.stat().st_ino) for file in files]
    done = sync(source, venue, now=NOW + timedelta(days=1))

    assert done.number == 2
    assert done.counts == {}
    assert before == [
        (file.read_bytes(), file.stat().st_ino) for file in (venue / "data").iterdir()
    ]


@pytest.mark.parametrize(
    ("papers", "reviews", "changes"),
    [
        ([paper("p1")], [review("r1", "p1", "There are two baselines.")], ["edited"]),
        ([paper("p1")], [review("r1", "p1", author_response="See Table 2.")], ["answered"]),
        ([paper("p1")], [review("r1", "p1", rating=6)], ["rated"]),
        ([paper("p1")], [review("r1", "p1", scores={"soundness": 3})], ["rated"]),
        ([paper("p1")], [review("r1", "p1", reviewer="R9")], ["updated"]),
        ([paper("p1", decision="Accept")], [review("r1", "p1")], ["decided"]),
        ([paper("p1", general_response="Dear all.")], [review("r1", "p1")], ["answered"]),
        ([paper("p1", year=2027)], [review("r1", "p1")], ["updated"]),
        ([paper("p1", "We train two.")], [review("r1", "p1")], ["revised"]),
        ([paper("p1"), paper("p2")], [review("r1", "p1")], ["new"]),
        ([paper("p1")], [review("r1", "p1"), review("r2", "p1")], ["new"]),
        ([paper("p1")], [], ["withdrawn"]),
        ([paper("p1")], [review("r1", "p1", "Two.", rating=1)], ["edited", "rated"]),
    ],
)
def test_each_change_has_its_name(
    papers: Rows, reviews: Rows, changes: list[str], tmp_path: Path, venue: Path
) -> None:
    sync(put(tmp_path / "one", [paper("p1")], [review("r1", "p1")]), venue)
    sync(put(tmp_path / "two", papers, reviews), venue, yes=True)

    assert [change for change, *_ in found(venue, 2)] == changes


def test_final_remarks_never_count_as_an_edit(tmp_path: Path, venue: Path) -> None:
    late = review("r1", "p1")
    sync(put(tmp_path / "one", [paper("p1")], [late]), venue)
    first = [row.sha for row in VenueFolder(venue).index()]
    late["sections"] = {**late["sections"], "final_justification": "I keep my score."}
    sync(put(tmp_path / "two", [paper("p1")], [late]), venue)

    assert found(venue, 2) == [("remarked", "r1", "p1")]
    assert [row.sha for row in VenueFolder(venue).index()] == first
    assert "final_justification" in rows(venue, "review")["r1"]["sections"]


def test_reviews_stay_with_the_version_of_the_paper_that_their_reviewer_read(
    tmp_path: Path, venue: Path
) -> None:
    sync(put(tmp_path / "a", [paper("p1", "First.")], [review("r1", "p1")]), venue)
    sync(put(tmp_path / "b", [paper("p1", "Second.")], [review("r1", "p1")]), venue)
    reviews = [review("r1", "p1", "Edited since."), review("r2", "p1")]
    sync(put(tmp_path / "c", [paper("p1", "Second.", decision="Reject")], reviews), venue)

    papers = rows(venue, "paper")
    assert {name: row["text"] for name, row in papers.items()} == {
        "p1": "First.",
        "p1@v2": "Second.",
    }
    assert {row["decision"] for row in papers.values()} == {"Reject"}
    assert {n: row["paper_id"] for n, row in rows(venue, "review").items()} == {
        "r1": "p1",
        "r2": "p1@v2",
    }
    assert {row.id: row.version for row in VenueFolder(venue).index() if row.what == "review"} == {
        "r1": 1,
        "r2": 2,
    }


def test_a_paper_that_goes_takes_its_reviews_along_and_brings_them_back(
    tmp_path: Path, venue: Path
) -> None:
    kept = [paper("p2")], [review(f"s{n}", "p2") for n in range(3)]
    whole = [paper("p1", "Second."), *kept[0]], [review("r1", "p1"), *kept[1]]
    sync(put(tmp_path / "a", [paper("p1", "First."), *kept[0]], whole[1]), venue)
    sync(put(tmp_path / "b", *whole), venue)
    gone = sync(put(tmp_path / "c", kept[0], whole[1]), venue)
    back = sync(tmp_path / "b", venue)

    assert (gone.papers, gone.reviews) == ({"withdrawn": 1}, {"withdrawn": 1})
    assert (back.papers, back.reviews) == ({"returned": 1}, {"returned": 1})
    assert found(venue, 4) == [("returned", "p1", "p1@v2"), ("returned", "r1", "p1")]
    assert rows(venue, "paper")["p1"]["text"] == "First."
    assert rows(venue, "review")["r1"]["paper_id"] == "p1"


def test_a_review_that_is_there_twice_counts_once_and_two_that_differ_are_refused(
    tmp_path: Path, venue: Path
) -> None:
    twice = [review("r1", "p1"), review("r1", "p1")]
    sync(put(tmp_path / "a", [paper("p1")], twice), venue)
    differ = put(tmp_path / "b", [paper("p1")], [review("r1", "p1"), review("r1", "p1", "Else.")])

    assert list(rows(venue, "review")) == ["r1"]
    with pytest.raises(InputError, match=r"reviews.jsonl:2: .*'r1' is also on line 1.*--skip-bad"):
        sync(differ, venue)
    done = sync(differ, venue, skip_bad_lines=True)
    assert (done.counts, done.bad_lines, done.kept) == ({}, 1, 1)
    assert rows(venue, "review")["r1"]["sections"] == {"weaknesses": "There is no baseline."}


@pytest.mark.parametrize(
    "line", ['{"review_id": "r1", "paper_id": "p1", "sections": {"weak', '{"what": "is this"}']
)
def test_what_a_bad_line_held_stays_as_it_was(
    line: str, source: Path, venue: Path, tmp_path: Path
) -> None:
    sync(source, venue)
    with (put(source, [paper("p1")], [review("r3", "p1")]) / "reviews.jsonl").open("a") as file:
        file.write(f"{line}\n")
    told: list[str] = []

    with pytest.raises(InputError, match=r"reviews.jsonl:2: .*--skip-bad-lines"):
        sync(source, venue, yes=True)
    done = sync(source, venue, yes=True, skip_bad_lines=True, say=told.append)

    assert (done.bad_lines, done.kept) == (1, 1)
    assert set(rows(venue, "review")) == {"r1", "r3"}
    assert "reviews.jsonl:2" in told[0]


def test_a_source_that_lost_most_of_its_reviews_is_refused_unless_that_is_meant(
    tmp_path: Path, venue: Path
) -> None:
    all_of_them = [review(f"r{n}", "p1") for n in range(5)]
    sync(put(tmp_path / "a", [paper("p1")], all_of_them), venue)
    few = put(tmp_path / "b", [paper("p1")], all_of_them[:2])

    with pytest.raises(InputError, match=r"2 reviews of 5: more than half .*--yes"):
        sync(few, venue)
    assert len(rows(venue, "review")) == 5
    assert sync(few, venue, yes=True).reviews == {"withdrawn": 3}


def test_what_was_removed_for_good_does_not_come_back_and_leaves_no_text(
    source: Path, venue: Path
) -> None:
    sync(source, venue)
    removed = RemovedRow(what="review", id="r2", at="2027-03-02T00:00:00+00:00")
    (venue / WITHDRAWN).write_text(removed.model_dump_json() + "\n", "utf-8")
    sync(source, venue)
    sync(source, venue)

    assert set(rows(venue, "review")) == {"r1"}
    assert found(venue, 2) == [("withdrawn", "r2", "p2")]
    assert found(venue, 3) == []
    assert [*VenueFolder(venue).past()] == []


def test_papers_in_files_are_copied_and_a_changed_file_is_a_revision(
    tmp_path: Path, venue: Path
) -> None:
    source = put(tmp_path / "s", [{"paper_id": "p1", "file": "p1.md"}], [review("r1", "p1")])
    (source / "p1.md").write_text("# Router\n\nWe train one.", "utf-8")
    sync(source, venue)
    os.utime(source / "p1.md", (1, 1))
    touched = sync(source, venue)
    (source / "p1.md").write_text("# Router\n\nWe train two.", "utf-8")
    sync(source, venue)

    assert touched.counts == {}
    assert found(venue, 3) == [("revised", "p1", "p1@v2")]
    held = read_collection(venue / "data")
    assert "We train one" in held.paper("p1").text
    assert "We train two" in held.paper("p1@v2").text


def test_a_folder_of_papers_with_reviews_beside_them_and_other_tables_are_sources_too(
    tmp_path: Path, venue: Path
) -> None:
    beside = tmp_path / "pdfs"
    beside.mkdir()
    (beside / "p1.pdf").write_bytes(pdf())
    (beside / "p1-R1.txt").write_text("There is no baseline.", "utf-8")
    table = put(tmp_path / "csv", [paper("p1")], [])
    (table / "reviews.jsonl").unlink()
    (table / "reviews.csv").write_text("review_id,paper_id,text\nr1,p1,No baseline\n", "utf-8")

    first = sync(beside, venue)
    assert first.counts == {"new": 2}
    assert sync(beside, venue).counts == {}
    (beside / "p1-R1.txt").write_text("There is one baseline.", "utf-8")
    assert sync(beside, venue).counts == {"edited": 1}
    assert sync(table, tmp_path / "other").counts == {"new": 2}
    assert sync(table / "papers.jsonl", tmp_path / "other").counts == {}


def test_an_identifier_that_looks_like_a_version_is_refused(tmp_path: Path, venue: Path) -> None:
    source = put(tmp_path / "s", [paper("p1@v2")], [review("r1", "p1@v2")])

    with pytest.raises(InputError, match="'p1@v2' ends as later versions of a paper do"):
        sync(source, venue)


def test_papers_without_a_text_wait_for_it_where_the_source_brings_it_later(
    tmp_path: Path, venue: Path
) -> None:
    bare = {"paper_id": "p1", "title": "On p1"}
    source = put(tmp_path / "s", [bare, paper("p2")], [review("r1", "p1"), review("r2", "p2")])
    given, told = SyncSource(source, "V/2027", "openreview"), list[str]()
    done = sync(given, venue, say=told.append)
    put(source, [paper("p1"), paper("p2")], [review("r1", "p1"), review("r2", "p2")])

    assert (done.counts, done.bad_lines) == ({"new": 2}, 0)
    assert told == [
        "1 paper without a text yet: left out with the reviews, until a sync finds the text"
    ]
    assert sync(given, venue).counts == {"new": 2}


def test_a_venue_is_not_mixed_with_another_source_or_folder(
    source: Path, venue: Path, tmp_path: Path
) -> None:
    sync(source, venue)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine", "utf-8")

    with pytest.raises(RunFolderError, match="in step with another source"):
        sync(SyncSource(source, "V/2027", "openreview"), venue)
    with pytest.raises(RunFolderError, match=r"holds 'notes.txt' and is no venue folder"):
        sync(source, tmp_path / "full")
    with pytest.raises(InputError, match="the venue's own data"):
        sync(venue / "data", venue)


def test_data_that_something_else_has_changed_are_not_built_on(source: Path, venue: Path) -> None:
    sync(source, venue)
    file = venue / "data" / "reviews.jsonl"
    file.write_text(file.read_text("utf-8").splitlines()[1] + "\n", "utf-8")

    with pytest.raises(RunFolderError, match="changed by something else"):
        sync(put(source, [paper("p1")], [review("r1", "p1")]), venue, yes=True)


def test_what_later_text_takes_back_is_written_down_once(tmp_path: Path, venue: Path) -> None:
    late = review("r1", "p1")
    sync(put(tmp_path / "a", [paper("p1")], [late]), venue)
    late["sections"] = {**late["sections"], "final_justification": "The rebuttal resolved W1."}
    sync(put(tmp_path / "b", [paper("p1")], [late]), venue, now=NOW)
    sync(put(tmp_path / "c", [paper("p1")], [{**late, "rating": 8}]), venue)

    (label,) = lines_of(venue / TAKEN_BACK, TakenBack)
    assert (label.review_id, label.point_id, label.text) == (
        "r1",
        None,
        "The rebuttal resolved W1.",
    )
    assert label.span.field == "final_justification"
    assert label.at == NOW.isoformat()


def test_each_sync_is_written_into_the_log(source: Path, venue: Path) -> None:
    sync(source, venue)
    (entry,) = log.read(venue)

    assert entry.event == "synced"
    assert entry.details == {"number": 1, "papers new": 2, "reviews new": 2}
    files = [path.relative_to(venue).as_posix() for path in venue.rglob("*.json*")]
    assert set(entry.files) == {name for name in files if name != "log.jsonl"}
    assert {"index.jsonl", "venue.json", "syncs/0001/changes.jsonl"} <= entry.files.keys()


def test_a_sync_does_not_pass_off_what_something_else_changed(source: Path, venue: Path) -> None:
    sync(source, venue)
    reviews = venue / "data" / "reviews.jsonl"
    reviews.write_text(reviews.read_text().replace("baseline", "Baseline"))

    sync(source, venue)
    sync(source, venue)

    (fault,) = verify(venue).checks[0].faults
    assert "entry 2 (synced): data/reviews.jsonl had been changed before" in fault


@pytest.mark.parametrize(
    "name", ["venue.json", "index.jsonl", "syncs/0001/past.jsonl", "syncs/0001/changes.jsonl"]
)
def test_what_a_sync_keeps_of_a_venue_is_in_the_log(source: Path, venue: Path, name: str) -> None:
    sync(source, venue, consent="local")
    with (venue / name).open("a") as file:
        file.write(" ")

    (fault,) = verify(venue).checks[1].faults
    assert f"{venue / name} was changed after entry 1" in fault


def test_a_sync_that_is_refused_lets_no_change_pass_afterwards(source: Path, venue: Path) -> None:
    sync(source, venue)
    bad = put(venue.parent / "bad", [paper("p1")], [{"review_id": "r1"}])
    with pytest.raises(InputError):
        sync(bad, venue)
    reviews = venue / "data" / "reviews.jsonl"
    reviews.write_text(reviews.read_text().replace("baseline", "Baseline"))

    sync(source, venue)

    assert "data/reviews.jsonl had been changed before" in verify(venue).checks[0].faults[0]


# Kills: a child dies at one step after the other, and the next sync comes to the same end.

BEFORE = [paper("p1", "First."), paper("p2")], [review("r1", "p1"), review("r2", "p2")]
LATE = {"weaknesses": "No baseline.", "final_justification": "The rebuttal resolved it, W1 too."}
AFTER = (
    [paper("p1", "Second."), paper("p3")],
    [review("r1", "p1", "Edited."), review("r3", "p3", sections=LATE)],
)
_WRITING = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}


def state(venue: Path) -> dict[str, str]:
    """What a venue holds, whatever the number of its syncs."""
    parts = {name: (venue / name).read_text("utf-8") for name in (
        "data/papers.jsonl", "data/reviews.jsonl", INDEX)}  # fmt: skip
    for name in (CHANGES, PAST):
        files = sorted((venue / "syncs").rglob(name))
        parts[name] = "".join(file.read_text("utf-8") for file in files)
    return parts


def unnumbered(parts: dict[str, str]) -> dict[str, str]:
    """The same without numbers of syncs: one that a kill cut after its end is there twice."""
    number = re.compile(r'"(sync|since|judged_since|until)":\d+')
    return {name: number.sub("", text) for name, text in parts.items()}


def killed(source: Path, venue: Path, step: int) -> bool:
    """Sync in a child that dies at a step; whether it came so far."""
    child = os.fork()
    if child == 0:
        steps = iter(range(step))

        def die(event: str, arguments: tuple[object, ...]) -> None:
            inside = event in _WRITING and str(venue) in str(arguments[0])
            if inside and next(steps, None) is None:
                os._exit(9)

        try:
            sys.addaudithook(die)
            sync(source, venue, now=NOW, yes=True)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are made by fork")
def test_a_kill_at_any_step_comes_to_the_same_end(tmp_path: Path) -> None:
    before, after = put(tmp_path / "a", *BEFORE), put(tmp_path / "b", *AFTER)
    sync(before, tmp_path / "start", now=NOW)
    shutil.copytree(tmp_path / "start", tmp_path / "whole")
    sync(after, tmp_path / "whole", now=NOW, yes=True)
    end = state(tmp_path / "whole")

    step, ends = 0, list[dict[str, str]]()
    while True:
        venue = tmp_path / f"venue{step}"
        shutil.copytree(tmp_path / "start", venue)
        if not killed(after, venue, step):
            break
        assert VenueFolder(venue).record.syncs in (1, 2)
        sync(after, venue, now=NOW, yes=True)
        ends.append(state(venue))
        assert not (venue / ".next").exists()
        assert verify(venue).holds
        step += 1

    assert step > 20
    assert all(one == end for one in ends)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are made by fork")
def test_ten_kills_at_random_from_the_first_sync_on_come_to_the_same_end(tmp_path: Path) -> None:
    before, after = put(tmp_path / "a", *BEFORE), put(tmp_path / "b", *AFTER)
    for source in (before, after):
        sync(source, tmp_path / "whole", now=NOW, yes=True)
    chance, venue = random.Random(7), tmp_path / "venue"
    for source in (before, after):
        for _ in range(5):
            killed(source, venue, chance.randrange(60))
        sync(source, venue, now=NOW, yes=True)

    assert unnumbered(state(venue)) == unnumbered(state(tmp_path / "whole"))


# Whatever the source went through, the venue is what its last state says.

TEXTS = st.sampled_from(["We train one.", "We train two.", "We train three."])
WORDS = st.sampled_from(["No baseline.", "No proof.", "Too long."])
REVIEWS = st.dictionaries(
    st.sampled_from(["r1", "r2", "r3", "r4"]),
    st.tuples(st.sampled_from(["p1", "p2", "p3"]), WORDS, st.sampled_from([None, 3, 8]),
              st.sampled_from([None, "See Table 2."])),
)  # fmt: skip
STATES = st.tuples(
    st.dictionaries(
        st.sampled_from(["p1", "p2", "p3"]), st.tuples(TEXTS, st.sampled_from([None, "Accept"]))
    ),
    REVIEWS,
    st.randoms(use_true_random=False),
)


def written(folder: Path, given: Any) -> Path:
    """A state as a source, in any order."""
    papers, reviews, chance = given
    paper_rows = [paper(name, text, decision=end) for name, (text, end) in papers.items()]
    review_rows = [
        review(name, of, words, rating=rating, author_response=response)
        for name, (of, words, rating, response) in reviews.items()
        if of in papers
    ]
    chance.shuffle(paper_rows)
    chance.shuffle(review_rows)
    return put(folder, paper_rows, review_rows)


def newest(venue: Path) -> dict[str, dict[str, Any]]:
    """Papers in their newest version, and reviews, without versions and dates."""
    held: dict[str, dict[str, Any]] = {}
    papers = rows(venue, "paper")
    for name in sorted(papers, key=lambda name: (len(name), name)):
        held[base_paper_id(name)] = {**papers[name], "paper_id": base_paper_id(name)}
    for name, row in rows(venue, "review").items():
        assert row["paper_id"] in papers
        held[name] = {**row, "paper_id": base_paper_id(row["paper_id"]), "date": None}
    return held


def rebuilt(venue: Path, number: int) -> dict[str, dict[str, Any]]:
    """The rows of the data as they were after a sync, from the index and the past."""
    folder = VenueFolder(venue)
    now = {**rows(venue, "paper"), **rows(venue, "review")}
    held = {one.id: now[one.id] for one in folder.index() if one.since <= number}
    return held | {p.id: p.row for p in folder.past() if p.since <= number < p.until}


@settings(max_examples=25, deadline=None)
@given(states=st.lists(STATES, min_size=1, max_size=4))
def test_a_venue_is_what_the_last_state_of_its_source_says(
    states: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("states")
    venue, alone = root / "venue", root / "alone"
    snapshots: list[dict[str, dict[str, Any]]] = []
    done: list[SyncRecord] = []
    for day, given_state in enumerate(states):
        source = written(root / "source", given_state)
        done.append(sync(source, venue, now=NOW + timedelta(days=day), yes=True))
        snapshots.append({**rows(venue, "paper"), **rows(venue, "review")})
    sync(root / "source", alone)

    assert newest(venue) == newest(alone)
    assert [rebuilt(venue, one.number) for one in done] == snapshots
    assert VenueFolder(venue).syncs() == done
    check_chain(venue)


def check_chain(venue: Path) -> None:
    """Each change of something begins where the one before ended, and all end at what is there."""
    now: dict[tuple[str, str], str | None] = {}
    step: dict[tuple[str, str], tuple[int, str | None]] = {}
    for one in VenueFolder(venue).changes():
        key = (one.what, one.id)
        if step.get(key, (0, None))[0] != one.sync:
            step[key] = (one.sync, now.get(key))
        assert one.before == step[key][1]
        assert (one.change in ("new", "returned")) == (one.before is None)
        assert (one.change == "withdrawn") == (one.after is None)
        assert (one.change != "new") or key not in now
        now[key] = one.after
    last = {(r.what, base_paper_id(r.id) if r.what == "paper" else r.id): r.sha
            for r in sorted(VenueFolder(venue).index(), key=lambda r: r.version)}  # fmt: skip
    assert {key: sha for key, sha in now.items() if sha is not None} == last
