"""What was changed in a venue folder after it was written is found and named."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from reviewscore.config import resolve
from reviewscore.errors import RunFolderError
from reviewscore.period.audit import venue_audit
from reviewscore.period.budget import PUSHED, PushedFlag
from reviewscore.period.log import LOG, Head, LogEntry, append, head, read
from reviewscore.period.stop_rule import FlagSample, write_sample
from reviewscore.period.venue import VenueFolder
from reviewscore.period.verify import PAGE_SUMS, note_pages, verify
from reviewscore.runs.folder import MANIFEST, POINTS, digests_of, manifest_of
from tests.commands import Invoke, invoker
from tests.period.moving_venue import COUNTRIES, DENSE, LAYERS, MovingVenue, listed
from tests.report.synthetic import many_points, write_run


@pytest.fixture
def venue(tmp_path: Path) -> Path:
    """A venue with data, a run, pages, and a log of how they were made."""
    folder = tmp_path / "iclr27"
    (folder / "data").mkdir(parents=True)
    data = [folder / "data" / name for name in ("papers.jsonl", "reviews.jsonl")]
    for file in data:
        file.write_text("{}\n")
    append(folder, "synced", files=data)
    run = write_run(folder / "run", list(many_points(4, 3)))
    seal(run)
    append(folder, "audited", files=[run / MANIFEST, run / POINTS])
    for person in ("p1", "p2"):
        (folder / "pages" / person).mkdir(parents=True)
        (folder / "pages" / person / "index.html").write_text(f"<p>{person}</p>")
    append(folder, "delivered", files=[note_pages(folder)])
    append(folder, "seen", who="p1")
    return folder


def seal(run: Path) -> None:
    """Note the digests of a run's records as they are, as a session does at its end."""
    manifest = manifest_of(run).model_copy(update={"digests": digests_of(run)})
    (run / MANIFEST).write_text(manifest.model_dump_json())


def faults(venue: Path, kept: Head | None = None) -> list[str]:
    return [fault for check in verify(venue, kept).checks for fault in check.faults]


def lines_of(venue: Path) -> list[bytes]:
    return (venue / LOG).read_bytes().splitlines(keepends=True)


def test_what_was_written_holds_and_is_counted(venue: Path) -> None:
    found = verify(venue, head(venue))

    assert found.holds
    assert [(check.what, check.count) for check in found.checks] == [
        ("entries of the log", 4),
        ("files that entries name", 5),
        ("files of records of run", 2),
        ("delivered pages", 2),
    ]
    assert found.head == head(venue)


def test_a_verdict_changed_by_hand_is_found_even_when_its_run_is_sealed_anew(venue: Path) -> None:
    points = venue / "run" / POINTS
    points.write_bytes(points.read_bytes().replace(b'"rationale":"', b'"rationale":"No. ', 1))

    changed = faults(venue)
    assert changed[0] == f"{points} was changed after entry 2 of the log"
    assert changed[1].startswith(f"{points} was changed after the run")

    seal(venue / "run")
    resealed = faults(venue)
    assert [fault.split()[0] for fault in resealed] == [str(venue / "run" / MANIFEST), str(points)]


def test_records_of_a_session_that_was_cut_off_are_said_to_be_unfinished(venue: Path) -> None:
    run = venue / "run"
    manifest = manifest_of(run).model_copy(update={"growing": True})
    (run / MANIFEST).write_text(manifest.model_dump_json())

    assert "run the same command again" in faults(venue)[0]


def test_a_byte_of_a_page_a_page_taken_away_and_a_page_put_there_are_found(venue: Path) -> None:
    first, second = (venue / "pages" / name / "index.html" for name in ("p1", "p2"))
    first.write_text("<p>p3</p>")
    second.unlink()
    (venue / "pages" / "p3.html").write_text("<p>p1</p>")

    assert [fault.split(" ")[0] for fault in faults(venue)] == [
        str(first), str(second), str(venue / "pages" / "p3.html"),
    ]  # fmt: skip


def test_sums_of_pages_that_are_written_anew_for_one_folder_keep_the_others(venue: Path) -> None:
    (venue / "pages" / "p1" / "index.html").write_text("anew")
    (venue / "pages" / "p1" / "more.html").write_text("more")
    note_pages(venue, [venue / "pages" / "p1"])

    names = [line.split("  ")[1] for line in (venue / PAGE_SUMS).read_text().splitlines()]
    assert names == ["pages/p1/index.html", "pages/p1/more.html", "pages/p2/index.html"]
    assert faults(venue) == [f"{venue / PAGE_SUMS} was changed after entry 3 of the log"]
    checked = subprocess.run(["sha256sum", "-c", PAGE_SUMS], cwd=venue, check=False)
    assert checked.returncode == 0


def test_pages_whose_sums_no_entry_names_are_not_taken_to_be_ours(tmp_path: Path) -> None:
    append(tmp_path, "synced")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("a")
    note_pages(tmp_path)

    assert faults(tmp_path) == [f"{tmp_path / PAGE_SUMS} is named by no entry of the log"]


def test_an_entry_that_is_taken_out_or_moved_is_found(venue: Path) -> None:
    one, two, three, four = lines_of(venue)

    for lines, place in (
        ([one, three, four], 2), ([two, three, four], 1), ([one, three, two, four], 2),
        ([one, two, two, three, four], 3),
    ):  # fmt: skip
        (venue / LOG).write_bytes(b"".join(lines))
        assert faults(venue)[0].startswith(f"{venue / LOG}:{place}: entry")
        assert "does not follow" in faults(venue)[0]


def test_a_tail_that_was_cut_off_is_found_with_the_head_that_was_kept(venue: Path) -> None:
    kept = head(venue)
    (venue / LOG).write_bytes(b"".join(lines_of(venue)[:2]))
    assert faults(venue) == [f"{venue / PAGE_SUMS} is named by no entry of the log"]

    assert "entries 3 to 4 are missing" in faults(venue, kept)[0]

    append(venue, "delivered", files=[venue / PAGE_SUMS])
    append(venue, "seen", who="p2")
    assert faults(venue) == []
    assert faults(venue, kept) == [f"{venue / LOG}:4: entry 4 is not the one that was kept"]


def test_an_entry_that_is_edited_and_given_its_own_hash_is_found_by_the_next(venue: Path) -> None:
    lines = lines_of(venue)
    forged = LogEntry.model_validate_json(lines[1]).model_copy(update={"who": "somebody"})
    forged = forged.model_copy(update={"hash": forged.own_hash()})
    (venue / LOG).write_bytes(b"".join([lines[0], forged.line() + b"\n", *lines[2:]]))

    (fault,) = faults(venue)
    assert fault.startswith(f"{venue / LOG}:3: entry 3 (delivered) does not follow")


def test_an_entry_that_says_the_same_in_other_bytes_is_found(venue: Path) -> None:
    lines = lines_of(venue)
    lines[1] = json.dumps(json.loads(lines[1])).encode() + b"\n"
    (venue / LOG).write_bytes(b"".join(lines))

    (fault,) = faults(venue)
    assert fault.startswith(f"{venue / LOG}:2: entry 2 (audited) was changed")


def test_a_folder_without_a_log_is_no_venue_that_can_be_verified(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"has no log\.jsonl; name a folder"):
        verify(tmp_path)


@pytest.fixture
def verified(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("verify", capsys)


def test_the_command_prints_each_check_and_the_head_to_keep(venue: Path, verified: Invoke) -> None:
    kept = head(venue)

    ended = verified(venue, "--head", kept)

    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [
        "entries of the log (4): as written",
        "files that entries name (5): as written",
        "files of records of run (2): as written",
        "delivered pages (2): as written",
        f"head: 4:{kept.hash}",
    ]


def test_the_command_ends_with_1_and_names_what_differs(venue: Path, verified: Invoke) -> None:
    (venue / "pages" / "p1" / "index.html").write_text("other")

    ended = verified(venue)

    assert ended.exit_code == 1
    assert "delivered pages (2): 1 differ" in ended.stdout
    assert f"  {venue / 'pages' / 'p1' / 'index.html'} was changed" in ended.stdout


@pytest.mark.parametrize("wrong", ["4", "4:abc", "x:y", "-1:" + "0" * 64])
def test_a_head_that_is_none_is_refused(venue: Path, verified: Invoke, wrong: str) -> None:
    ended = verified(venue, f"--head={wrong}")

    assert ended.exit_code == 2
    assert "is NUMBER:HASH" in ended.stderr


def test_a_purged_run_is_no_fault_and_a_run_that_knows_less_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = MovingVenue(tmp_path, model="lexical")
    found.next_day()
    found.write("r2", weaknesses="No baseline is given.")
    found.sync()

    ended = invoker("report", capsys)(found.path)
    assert ended.exit_code == 0
    assert "The run knows sync 1 of 2" in ended.stderr
    assert "The run knows sync 1 of 2" in (found.path / "run" / "report.html").read_text("utf-8")

    assert invoker("purge", capsys)(found.path, "--yes").exit_code == 0
    assert verify(found.path).holds
    found.audit()
    assert verify(found.path).holds
    assert VenueFolder(found.path).behind is None


def test_a_venue_whose_run_was_purged_verifies_and_says_what_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    venue = MovingVenue(tmp_path)
    venue.next_day()

    done = invoker("purge", capsys)(venue.path, "--yes")

    assert done.exit_code == 0, done.stderr
    assert f"the rest of the venue folder {venue.path}" in done.stdout
    assert [fault for check in verify(venue.path).checks for fault in check.faults] == []
    assert [entry.event for entry in read(venue.path)][-1] == "purged"


def test_rates_are_of_a_venue_folder_as_of_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    venue = MovingVenue(tmp_path)
    venue.next_day()
    rates = invoker("venue", capsys)

    of_folder, of_run = rates(venue.path), rates(venue.path / "run")

    assert of_folder.stderr == of_run.stderr
    assert of_folder.stdout == of_run.stdout
    assert "is no run folder" not in of_folder.stderr


def test_a_venue_verifies_after_every_verb_and_shows_a_change_of_whatever_they_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moving = MovingVenue(tmp_path)
    folder = moving.path
    people = tmp_path / "assignments.csv"
    people.write_text("person,role,paper\nac,area-chair,frogs\n")

    def holds() -> None:
        assert faults(folder) == []

    def verb(name: str, *words: object) -> None:
        ended = invoker(name, capsys)(*words)
        assert ended.exit_code == 0, ended.stderr
        holds()

    audit = ("audit", folder, "--model", "lexical", "-q")
    report = ("report", folder, "--budget", "3", "--for")
    moving.sync()
    holds()
    verb(*audit)
    sample = FlagSample(seed=0, wanted=1, of=1, flags={"r1.89abcdef": "frogs"})
    write_sample(folder, sample)
    holds()
    verb(*report, "area-chair", "--out-of", people)
    push(folder, "ac")
    verb(*report, "area-chair", "--out-of", people)
    push(folder, "meta-reviewer")
    verb(*report, "meta-reviewer")
    verb("withdraw", folder, "r2", "--yes")
    moving.write("r1", weaknesses=listed(LAYERS, COUNTRIES, DENSE))
    moving.sync()
    holds()
    verb(*audit)
    written = [
        "edits.jsonl", "index.jsonl", "pushed.jsonl", "sample.json", "taken_back.jsonl",
        "venue.json", "withdrawn.jsonl", "syncs/0001/changes.jsonl", "syncs/0001/past.jsonl",
        "syncs/0001/sync.json", "syncs/0002/past.jsonl", "syncs/0002/retired.jsonl",
    ]  # fmt: skip
    for name in written:
        file = folder / name
        before = file.read_bytes()
        file.write_bytes(before + b"\n")
        assert [fault.split()[0] for fault in faults(folder)] == [str(file)]
        file.write_bytes(before)
    verb("purge", folder, "--yes")
    moving.sync()
    holds()


def push(folder: Path, person: str) -> None:
    """A flag that was pushed to a person, as `report` with a budget remembers it."""
    flag = PushedFlag(person=person, point_id="r1.89abcdef", day="2026-05-01")
    with (folder / PUSHED).open("a") as file:
        file.write(flag.model_dump_json() + "\n")


def test_a_venue_verifies_where_an_audit_went_no_further_than_its_cost(tmp_path: Path) -> None:
    moving = MovingVenue(tmp_path)
    moving.next_day()
    moving.write("r1", weaknesses=listed(LAYERS, COUNTRIES, DENSE))
    moving.sync()

    with venue_audit(moving.path, resolve(moving.flags)):
        pass

    assert faults(moving.path) == []
