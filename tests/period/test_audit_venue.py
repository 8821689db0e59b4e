"""Of a venue that moves only what changed is judged, and nothing that stands changes silently."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from aiohttp import web

import reviewscore as rs
from reviewscore.config import resolve
from reviewscore.errors import RunFolderError
from reviewscore.period.log import read
from reviewscore.period.verify import verify
from reviewscore.runs.folder import MANIFEST, digests_of, manifest_of, read_manifest, read_points
from reviewscore.schema.point_score import Status
from tests.conftest import PAPER
from tests.loopback import Loopback, completion, contents, fenced
from tests.period.moving_venue import (
    COUNTRIES,
    COUNTRY,
    DENSE,
    LAYERS,
    RATE,
    MovingVenue,
    audit_venue,
    listed,
)

ALONE = {"protocol": "economy", "score": "base"}


@pytest.fixture
def venue(tmp_path: Path, server: Loopback) -> MovingVenue:
    """A venue that was synced and audited once, each point by itself."""
    found = MovingVenue(tmp_path, server, **ALONE)
    found.next_day()
    found.asked()
    return found


def test_an_edit_of_one_point_asks_for_that_point_alone(venue: MovingVenue) -> None:
    before = venue.points
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRIES, DENSE))

    assert venue.next_day().new == 1
    assert venue.asked() == {"PointTypeReply": 1, "FactualityReply": 1}
    assert before.keys() - venue.points.keys() == {COUNTRY}
    assert venue.points.keys() - before.keys() == {COUNTRIES}
    assert venue.audit().new == 0
    assert not venue.asked()


def test_unchanged_points_keep_their_verdicts_and_move_with_their_words(
    venue: MovingVenue,
) -> None:
    before = venue.points
    venue.write("r1", weaknesses=listed("Something new is said first.", LAYERS, DENSE))
    venue.next_day()

    fields = venue.reviews["r1"]["sections"]
    assert isinstance(fields, dict)
    anchors = {"span", "number", "neighbours", "places"}
    for text in (LAYERS, DENSE):
        now, span = venue.points[text], venue.points[text].span
        assert fields[span.field][span.start : span.end] == text
        assert now.model_dump(exclude=anchors) == before[text].model_dump(exclude=anchors)
    assert [venue.points[text].number for text in (LAYERS, DENSE)] == [2, 3]
    other = [score for score in before.values() if score.review_id == "r2"]
    assert [venue.points[score.text] for score in other] == other


def test_other_white_space_within_a_point_is_no_edit_of_it(venue: MovingVenue) -> None:
    venue.write("r1", weaknesses=listed(LAYERS.replace(" no part", "\n  no part"), COUNTRY, DENSE))
    venue.next_day()

    assert not venue.asked()
    (score,) = (one for text, one in venue.points.items() if text.startswith("The gain"))
    assert "\n" in score.text
    assert score.misinformed is not None


def test_a_reworded_point_keeps_the_link_to_what_it_was(venue: MovingVenue) -> None:
    old = venue.points[COUNTRY]
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRIES, "Frogs are not mentioned.", DENSE))
    venue.next_day()

    (retired,) = venue.lines("syncs/0002/retired.jsonl")
    assert (retired["point_id"], retired["since"], retired["until"]) == (old.point_id, 1, 2)
    assert retired["score"]["text"] == COUNTRY  # type: ignore[index]
    link = {
        "point_id": venue.points[COUNTRIES].point_id,
        "edited_from": old.point_id,
        "sync": 2,
    }
    assert venue.lines("edits.jsonl") == [link]


def test_a_withdrawal_asks_nothing_and_its_points_are_retired(venue: MovingVenue) -> None:
    gone = venue.reviews.pop("r2")
    venue.next_day()

    assert not venue.asked()
    assert {score.review_id for score in venue.points.values()} == {"r1"}
    assert len(venue.lines("syncs/0002/retired.jsonl")) == 2
    counts = read_manifest(venue.path / "run").counts
    assert (counts.reviews, counts.points) == (1, 3)
    venue.reviews["r2"] = gone
    venue.next_day()
    assert not venue.asked()  # what it says again was judged before
    assert len(venue.points) == 5


def test_an_added_response_asks_nothing_and_is_aligned_with_points(venue: MovingVenue) -> None:
    before = venue.points
    response = f"> {DENSE}\n\nWe rewrote sections two and three."
    venue.reviews["r1"]["author_response"] = response
    venue.next_day()

    assert not venue.asked()
    (answer,) = venue.points[DENSE].author_answers or ()
    assert "rewrote" in answer.text
    for text, score in venue.points.items():
        assert score.model_dump(exclude={"author_answers"}) == before[text].model_dump(
            exclude={"author_answers"}
        )


def test_a_revised_paper_asks_nothing_for_reviews_of_the_version_before(
    venue: MovingVenue,
) -> None:
    before = venue.points
    venue.papers["frogs"]["text"] = PAPER.replace("four ponds", "nine ponds")
    venue.next_day()

    assert not venue.asked()
    assert venue.points == before
    venue.write("r3", weaknesses=listed("Nine ponds are few."))
    venue.next_day()
    assert venue.points["Nine ponds are few."].paper_id == "frogs@v2"
    assert venue.asked() == {"PointTypeReply": 1, "FactualityReply": 1}


def test_the_embedded_judge_judges_only_what_changed_too(tmp_path: Path) -> None:
    venue = MovingVenue(tmp_path)
    venue.next_day()
    before = venue.points
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRIES, DENSE))

    assert venue.next_day().new == 1
    assert venue.points[DENSE].passages == before[DENSE].passages
    assert read_manifest(venue.path / "run").counts.findings


def test_several_syncs_between_two_audits_retire_points_with_the_sync_that_took_them(
    venue: MovingVenue,
) -> None:
    venue.write("r1", weaknesses=listed(LAYERS, DENSE))
    venue.sync()
    venue.write("r1", weaknesses=listed(LAYERS))
    venue.sync()
    venue.write("r1", weaknesses=listed(LAYERS, DENSE))
    venue.next_day()

    assert not venue.asked()
    found = {
        (line["score"]["text"], line["since"], line["until"])  # type: ignore[index]
        for number in (2, 3, 4)
        for line in venue.lines(f"syncs/{number:04d}/retired.jsonl")
    }
    assert found == {(COUNTRY, 1, 2), (DENSE, 1, 3)}
    assert venue.points.keys() == {LAYERS, DENSE, RATE, "No statistical test is reported."}


def test_other_settings_are_refused_before_anything_is_written(venue: MovingVenue) -> None:
    before = (venue.path / "run" / "points.jsonl").read_bytes()
    venue.write("r1", weaknesses=listed(LAYERS))
    venue.sync()

    with pytest.raises(RunFolderError, match=r"temperature was 0\.0 and is now 0\.5; use the same"):
        venue.audit(temperature=0.5)
    assert (venue.path / "run" / "points.jsonl").read_bytes() == before
    assert venue.folder.record.judged == 1


def test_one_paper_or_point_can_be_judged_before_the_rest(venue: MovingVenue) -> None:
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRIES, DENSE))
    venue.write("r2", weaknesses=listed("No test of significance is reported."), questions=RATE)
    venue.sync()
    venue.audit(point=("r2#1",))

    assert venue.asked() == {"PointTypeReply": 1, "FactualityReply": 1}
    assert not venue.lines("edits.jsonl")
    venue.audit()
    assert venue.asked() == {"PointTypeReply": 1, "FactualityReply": 1}
    assert len(venue.lines("edits.jsonl")) == 2


def test_a_point_that_failed_is_tried_again_on_demand_after_further_syncs(
    venue: MovingVenue, server: Loopback
) -> None:
    def broken(body: dict[str, object], _seen: int) -> web.Response | None:
        if COUNTRIES not in fenced("\n".join(contents(body)), "weakness"):
            return None
        return web.json_response(completion("no record at all", key="x" * 16, size=9))

    venue.write("r1", weaknesses=listed(LAYERS, COUNTRIES, DENSE))
    server.quirk = broken
    assert venue.next_day().failed == 1
    server.quirk = None
    venue.write("r1", weaknesses=listed("Now it is the second one.", COUNTRIES, DENSE))
    assert venue.next_day().failed == 1
    assert venue.points[COUNTRIES].number == 2
    venue.asked()

    again = audit_venue(venue.path, resolve(venue.flags), retry_errors=True)
    assert (again.failed, again.new) == (0, 1)
    assert venue.points[COUNTRIES].status is Status.SCORED


def test_the_run_of_a_judge_beside_the_main_one_is_brought_up_to_date_too(
    venue: MovingVenue, tmp_path: Path
) -> None:
    local = venue.path / "run" / "local"
    shutil.copytree(venue.path / "run", tmp_path / "copy")
    shutil.copytree(tmp_path / "copy", local)
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRIES, DENSE))
    venue.next_day()

    assert COUNTRY not in {score.text for score in read_points(local)}
    (retired,) = venue.lines("syncs/0002/local-retired.jsonl")
    assert retired["score"]["text"] == COUNTRY  # type: ignore[index]
    manifest = read_manifest(local)
    assert manifest.inputs == read_manifest(venue.path / "run").inputs
    assert (manifest.counts.points, manifest.complete) == (4, False)


def test_python_audits_and_opens_a_venue_as_the_command_does(tmp_path: Path) -> None:
    found = MovingVenue(tmp_path)
    found.sync()
    first = rs.audit(found.path, model="lexical")
    found.write("r1", weaknesses=listed(LAYERS, COUNTRIES, DENSE))
    found.sync()

    rs.audit(str(found.path), model="lexical")

    assert first.path == found.path / "run" == rs.load_run(found.path).path
    assert COUNTRIES in found.points
    assert COUNTRY not in found.points
    assert [entry.event for entry in read(found.path)] == ["synced", "begun", "audited"] * 2
    apart = rs.audit(found.path, tmp_path / "apart", model="lexical")
    assert {point.text for point in apart.points} == found.points.keys()


@pytest.mark.parametrize("name", ["run/points.jsonl", "syncs/0002/retired.jsonl", "venue.json"])
def test_what_the_log_knows_otherwise_is_refused_or_noted_for_good(
    tmp_path: Path, name: str
) -> None:
    venue = MovingVenue(tmp_path)
    venue.next_day()
    venue.write("r1", weaknesses=listed(LAYERS))
    venue.next_day()
    file = venue.path / name
    file.write_bytes(file.read_bytes().replace(b":", b": ", 1))
    run = venue.path / "run"
    manifest = manifest_of(run).model_copy(update={"digests": digests_of(run)})
    (run / MANIFEST).write_text(manifest.model_dump_json())

    with pytest.raises(RunFolderError, match=f"{name}.*: changed by something else"):
        venue.audit()
    audit_venue(venue.path, resolve(venue.flags), accept_changed=True)

    faults = verify(venue.path).checks[0].faults
    assert any(f"{name} had been changed before" in fault for fault in faults)
