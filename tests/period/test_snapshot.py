"""A venue as of a day: its texts and points of then, and what came later beside a point of now."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from reviewscore.errors import RunFolderError
from reviewscore.period.snapshot import sync_named, write_snapshot
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.sources.collection import read_collection
from tests.commands import Invoke, invoker
from tests.conftest import PAPER
from tests.period.moving_venue import COUNTRIES, COUNTRY, DENSE, LAYERS, RATE, MovingVenue, listed


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Invoke:
    """The command that writes reports."""
    return invoker("report", capsys)


@pytest.fixture
def venue(tmp_path: Path) -> MovingVenue:
    """A venue of four days: an edit, a revision with a new review, a withdrawal."""
    found = MovingVenue(tmp_path)
    found.next_day()
    found.write("r1", weaknesses=listed("New words stand at the head.", LAYERS, COUNTRIES))
    found.next_day()
    found.papers["frogs"]["text"] = PAPER.replace("four ponds", "nine ponds")
    found.sync()
    found.write("r3", weaknesses=listed("Nine ponds are few."))
    del found.reviews["r2"]
    found.next_day()
    return found


def as_of(venue: MovingVenue, when: str, out: Path) -> dict[str, set[str]]:
    """The words of the points of a snapshot by review, each where it stands."""
    run = write_snapshot(venue.folder, sync_named(venue.folder, when), out)
    collection = read_collection(out / "data")
    found: dict[str, set[str]] = {review.review_id: set() for review in collection.reviews}
    for score in read_points(run):
        review = collection.review(score.review_id)
        assert review.fields[score.span.field][score.span.start : score.span.end] == score.text
        assert review.paper_id == score.paper_id
        found[score.review_id].add(score.text)
    manifest = read_manifest(run)
    assert manifest.counts.points == sum(map(len, found.values()))
    assert manifest.counts.reviews == len(found)
    return found


def test_each_sync_can_be_written_as_it_was(venue: MovingVenue, tmp_path: Path) -> None:
    second = {"No statistical test is reported.", RATE}
    edited = {"New words stand at the head.", LAYERS, COUNTRIES}

    first = as_of(venue, "1", tmp_path / "1")
    assert first == {"r1": {LAYERS, COUNTRY, DENSE}, "r2": second}
    assert as_of(venue, "2", tmp_path / "2") == {"r1": edited, "r2": second}
    assert as_of(venue, "4", tmp_path / "4") == {"r1": edited, "r3": {"Nine ponds are few."}}
    papers = [len(read_collection(tmp_path / name / "data").papers) for name in ("1", "2", "4")]
    assert papers == [1, 1, 2]


def test_a_day_means_its_last_sync_and_one_before_the_first_is_refused(
    venue: MovingVenue,
) -> None:
    numbers = [sync_named(venue.folder, f"2026-05-0{day}").number for day in (1, 2, 3, 9)]

    assert numbers == [1, 2, 3, 4]
    assert sync_named(venue.folder, "2026-05-02T09:00:00").number == 1
    with pytest.raises(RunFolderError, match="the first sync was at 2026-05-01"):
        sync_named(venue.folder, "2026-04-30")
    with pytest.raises(RunFolderError, match="has no sync 7; name one of 1 to 4"):
        sync_named(venue.folder, "7")


def test_texts_of_a_day_before_the_last_audit_have_the_scores_that_were_given_later(
    tmp_path: Path,
) -> None:
    venue = MovingVenue(tmp_path)
    venue.sync()
    venue.reviews["r1"]["rating"] = 3
    venue.next_day()

    assert as_of(venue, "1", tmp_path / "1")["r1"] == {LAYERS, COUNTRY, DENSE}
    rows = (tmp_path / "1" / "data" / "reviews.jsonl").read_text().splitlines()
    assert not [row for row in map(json.loads, rows) if row.get("rating")]


def test_a_report_as_of_a_day_says_so_and_holds_the_words_of_then(
    venue: MovingVenue, report: Invoke
) -> None:
    done = report(str(venue.path), "--as-of", "2026-05-01")

    assert done.exit_code == 0, done.stderr
    page = (venue.path / "as-of-2026-05-01.html").read_text("utf-8")
    assert "As of 2026-05-01T10:00:00+00:00 (sync 1 of 4)" in page
    assert COUNTRY in page
    assert COUNTRIES not in page
    assert not [*venue.path.glob(".reviewscore-*")]
    assert "Reworded" not in page


def test_as_of_is_refused_for_a_run_that_is_no_venue(venue: MovingVenue, report: Invoke) -> None:
    apart = venue.path.parent / "apart"
    shutil.copytree(venue.path / "run", apart)

    done = report(str(apart), "--as-of", "1")

    assert done.exit_code == 2
    assert "--as-of is of venue folders" in done.stderr


def test_what_came_later_stands_beside_the_point(venue: MovingVenue, report: Invoke) -> None:
    page = report(str(venue.path))

    assert page.exit_code == 0, page.stderr
    text = (venue.path / "run" / "report.html").read_text("utf-8")
    assert f"Reworded on 2026-05-02: it was “{COUNTRY}”" in text
    assert "The review is of version 1 of 2 of the paper" in text
    assert text.count("The review is of version") == 3  # and not of the review that came later
    pages = venue.path.parent / "pages"
    assert report(str(venue.path), "--for", "meta-reviewer", "-o", pages).exit_code == 0
    revised = "These reviews are of version 1 of 2 of the paper"
    assert "".join(page.read_text("utf-8") for page in pages.glob("frogs*.md")).count(revised) == 1


def test_what_a_reviewer_takes_back_is_shown_beside_its_point_and_changes_no_verdict(
    tmp_path: Path, report: Invoke
) -> None:
    venue = MovingVenue(tmp_path)
    venue.next_day()
    before = venue.points
    said = "The rebuttal resolved my concern that the writing is dense and hard to follow."
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRY, DENSE), final_justification=said)
    venue.next_day()

    (remark,) = venue.lines("taken_back.jsonl")
    assert remark["point_id"] == venue.points[DENSE].point_id
    assert venue.points == before
    done = report(str(venue.path))
    assert done.exit_code == 0, done.stderr
    page = (venue.path / "run" / "report.html").read_text("utf-8")
    assert f"The reviewer took this back later, seen on 2026-05-02: “{said}”" in page


def test_the_command_judges_a_venue_into_its_own_run_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = invoker("audit", capsys)
    venue = MovingVenue(tmp_path)
    venue.sync()
    first = audit(str(venue.path))
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRIES, DENSE))
    venue.sync()
    again = audit(str(venue.path))
    elsewhere = audit(str(venue.path), "-o", str(tmp_path / "other"))

    assert [first.exit_code, again.exit_code, elsewhere.exit_code] == [0, 0, 0], again.stderr
    assert venue.points.keys() >= {COUNTRIES, DENSE}
    assert "Reworded on 2026-05-02" in (venue.path / "run" / "report.html").read_text("utf-8")
    assert len([*read_points(tmp_path / "other")]) == len(venue.points)
    events = [line["event"] for line in venue.lines("log.jsonl")]
    assert events.count("audited") == 2
