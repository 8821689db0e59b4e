"""Removal: no eight words of a removed text are left anywhere, and nothing else goes."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewscore.errors import InputError, RunFolderError
from reviewscore.llm.ledger.upkeep import exported
from reviewscore.period import withdraw as module
from reviewscore.period.log import LOG, append, read
from reviewscore.period.passages import Passages
from reviewscore.period.removed_ids import RemovedIds, take_out
from reviewscore.period.sync import sync
from reviewscore.period.venue import removed_ids
from reviewscore.period.verify import verify
from reviewscore.period.withdraw import Receipt, withdraw
from reviewscore.runs.folder import (
    CANARIES,
    MANIFEST,
    POINTS,
    REFERENCES,
    changed_records,
    digests_of,
    manifest_of,
    read_manifest,
)
from tests.commands import Invoke, invoker
from tests.ledgers import bytes_in, paid_call, record, traces
from tests.period.withdrawals import (
    FROGS,
    OLD_FROGS,
    R1,
    R1_OLD,
    R2,
    R3,
    REPLY,
    ROWS,
    TOADS,
    counts_of,
    ledger_of,
    lines,
    make_venue,
    point_ids,
    rows_of,
)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The venue and the ledger, made once."""
    folder = tmp_path_factory.mktemp("pristine")
    made = make_venue(folder / "venue")
    ledger_of(folder / "ledger")
    assert verify(made).holds
    return folder


@pytest.fixture
def venue(pristine: Path, tmp_path: Path) -> Path:
    return shutil.copytree(pristine, tmp_path / "copy") / "venue"


def removed(venue: Path, *names: str, dry: bool = False) -> Receipt:
    return withdraw(venue, names, ledger=venue.parent / "ledger", who="p9", dry=dry)


def left_of(venue: Path, *texts: str) -> list[str]:
    """Files of the venue folder and the ledger that hold eight words of a text, however written."""
    found = []
    for file in sorted(venue.rglob("*")):
        if file.is_file():
            words = " ".join(file.read_text("utf-8", "replace").replace("\\", " ").split())
            for text in texts:
                parts = text.replace('"', ' "').split()
                windows = (" ".join(parts[at : at + 8]) for at in range(len(parts) - 7))
                found += [f"{file}: {window}" for window in windows if window in words]
    stored = bytes_in(venue.parent / "ledger")
    return found + [trace for text in texts for trace in traces(stored, text)]


def prompts_in(venue: Path) -> list[str]:
    return [call.request.messages[0].content for call in exported(venue.parent / "ledger")]


def test_a_withdrawn_paper_leaves_no_eight_words_of_it_in_any_file_or_ledger(venue: Path) -> None:
    assert left_of(venue, R1)

    receipt = removed(venue, "frogs@v2")

    assert receipt.remains == ()
    assert left_of(venue, FROGS, OLD_FROGS, R1, R1_OLD, R2, REPLY) == []
    assert prompts_in(venue) == [f"Judge this remark: {R3}"]
    assert receipt.papers == ("frogs",)
    assert receipt.reviews == ("frogs-r1", "frogs-r2")


def test_what_is_of_others_stays_as_it_was(venue: Path) -> None:
    untouched = [venue / "pages" / "p1" / "toads.html", venue / "syncs" / "0001" / "changes.jsonl"]
    before = [file.read_bytes() for file in untouched]
    lines = (venue / "run" / POINTS).read_bytes().splitlines(keepends=True)
    points = [line for line in lines if b"toads-r1" in line]

    removed(venue, "frogs")

    assert [file.read_bytes() for file in untouched] == before
    assert (venue / "run" / POINTS).read_bytes() == b"".join(points)
    assert [row["paper_id"] for row in rows_of(venue / "data" / "papers.jsonl")] == ["toads"]
    assert "toads-r1#1,right" in (venue / "judged_flags.csv").read_text()
    assert [row["id"] for row in rows_of(venue / "index.jsonl")] == ["toads", "toads-r1"]
    with closing(sqlite3.connect(venue / "labels" / "workspace.sqlite")) as db:
        assert db.execute("SELECT unit_id FROM units").fetchall() == [("toads-r1.89abcdef",)]
    assert not (venue / "pages" / "p1" / "frogs.html").exists()
    assert list((venue / "source").iterdir()) == []


def test_a_withdrawn_review_leaves_the_paper_and_its_other_reviews(venue: Path) -> None:
    receipt = removed(venue, "frogs-r1")

    assert receipt.remains == ()
    quoted = "compare the counts with those of two patient biologists who sat"
    assert quoted in (venue / "data" / "papers.jsonl").read_text()  # the paper's own words stay
    assert left_of(venue, R1.split('"')[0], R1_OLD, REPLY) == []
    assert {name.partition(".")[0] for name in point_ids(venue)} == {"frogs-r2", "toads-r1"}
    assert prompts_in(venue) == [f"Judge this remark: {R2}", f"Judge this remark: {R3}"]
    assert (venue / "source" / "frogs.pdf").exists()
    assert receipt.papers == ()


def test_flags_of_a_sample_go_and_canaries_stay_for_the_owner_alone(venue: Path) -> None:
    removed(venue, "frogs-r1")

    sample = json.loads((venue / "sample.json").read_text())
    assert sample["flags"] == {"toads-r1.89abcdef": "toads"}
    canaries = venue / "run" / CANARIES
    assert canaries.read_bytes() == b""
    assert canaries.stat().st_mode & 0o777 == 0o600


def test_a_review_of_which_a_run_holds_its_works_alone_is_no_change_by_others(venue: Path) -> None:
    run = venue / "run"
    work = {"review_id": "toads-r1", "paper_id": "toads", "work": {"title": "Toads"}}
    (run / REFERENCES).write_text(f"{json.dumps(work)}\n")
    points = [line for line in (run / POINTS).read_text().splitlines() if "toads-r1" not in line]
    (run / POINTS).write_text("".join(f"{line}\n" for line in points))
    manifest = manifest_of(run).model_copy(update={"digests": digests_of(run)})
    (run / MANIFEST).write_text(manifest.model_dump_json())
    append(venue, "audited", files=[run / MANIFEST, run / POINTS])
    papers, reviews, _ = counts_of(venue)

    removed(venue, "toads-r1")

    assert verify(venue).holds
    assert changed_records(run, manifest_of(run)) == ()
    assert counts_of(venue)[:2] == (papers, reviews)


def test_the_folder_can_be_verified_and_read_as_before(venue: Path) -> None:
    papers, reviews, points = counts_of(venue)

    removed(venue, "frogs")

    assert verify(venue).holds
    assert read_manifest(venue / "run").changed == ()
    assert counts_of(venue) == (papers - 2, reviews - 2, len(point_ids(venue)))
    assert len(point_ids(venue)) < points
    last = list(read(venue))[-1]
    assert (last.event, last.who) == ("withdrawn", "p9")
    assert {"data/papers.jsonl", "run/points.jsonl", "pages.sha256"} <= last.files.keys()
    assert removed_ids(venue) == {"paper": {"frogs"}, "review": {"frogs-r1", "frogs-r2"}}


def test_later_syncs_leave_out_what_was_removed(venue: Path, tmp_path: Path) -> None:
    for name, rows in ROWS.items():
        lines(tmp_path / "pile" / f"{name}.jsonl", [row for row in rows if "@" not in str(row)])
    synced = tmp_path / "synced"
    sync(tmp_path / "pile", synced)
    removed(synced, "frogs-r1", "toads")

    again = sync(tmp_path / "pile", synced)

    assert again.counts == {}
    assert rows_of(synced / "data" / "reviews.jsonl") == []
    assert [row["paper_id"] for row in rows_of(synced / "data" / "papers.jsonl")] == ["frogs"]
    assert left_of(synced, R1, R3, TOADS) == []
    assert verify(synced).holds


def test_the_receipt_says_what_went_where_and_holds_no_text(venue: Path) -> None:
    receipt = removed(venue, "frogs")

    file = venue / "receipts" / "0001.json"
    assert Receipt.model_validate_json(file.read_bytes()) == receipt
    assert receipt.removed["ledger"] == 3
    assert receipt.removed["data/papers.jsonl"] == 2
    assert receipt.removed["data/reviews.jsonl"] == 2
    assert receipt.removed["syncs/0001/past.jsonl"] == 1
    assert receipt.removed["judged_flags.csv"] == 1
    assert receipt.removed["labels/workspace.sqlite"] == 5
    assert not Passages([FROGS, OLD_FROGS, R1, R2]).found(file.read_text())


def test_what_a_dry_run_names_is_what_goes(venue: Path) -> None:
    before = {file: file.read_bytes() for file in venue.rglob("*.json*")}

    foretold = removed(venue, "frogs", dry=True)
    assert {file: file.read_bytes() for file in before} == before
    assert len(prompts_in(venue)) == 4

    assert removed(venue, "frogs").removed == foretold.removed


def kills(monkeypatch: pytest.MonkeyPatch, at: int) -> Callable[[], None]:
    """Have the n-th change of a file or ledger end the process, so far as that can be played."""
    met = 0

    def counted(work: Callable[..., object]) -> Callable[..., object]:
        def act(*given: object, **named: object) -> object:
            nonlocal met
            met += 1
            if met == at:
                raise KeyboardInterrupt
            return work(*given, **named)

        return act

    for name in ("write_whole", "append", "note_pages"):
        monkeypatch.setattr(module, name, counted(getattr(module, name)))
    monkeypatch.setattr(Path, "unlink", counted(Path.unlink))
    return monkeypatch.undo


@pytest.mark.parametrize("at", range(1, 40, 2))
def test_a_removal_that_was_killed_is_finished_by_the_same_command(
    venue: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    alive_again = kills(monkeypatch, at)
    try:
        removed(venue, "frogs")
    except KeyboardInterrupt:
        pass
    finally:
        alive_again()

    receipt = removed(venue, "frogs")

    assert receipt.finished
    assert receipt.differed == ()
    assert left_of(venue, FROGS, OLD_FROGS, R1, R1_OLD, R2, REPLY) == []
    assert verify(venue).holds
    assert counts_of(venue)[:2] == (1, 1)
    assert prompts_in(venue) == [f"Judge this remark: {R3}"]


def test_the_same_removal_again_finds_nothing(venue: Path) -> None:
    removed(venue, "frogs")

    again = removed(venue, "frogs")

    assert (again.number, again.removed, again.remains) == (2, {}, ())
    assert verify(venue).holds


def test_a_note_of_somebody_s_own_is_not_removed_but_named(venue: Path) -> None:
    (venue / "notes.txt").write_text(f"I read:\n{R2}")

    receipt = removed(venue, "frogs-r2")

    (left,) = receipt.remains
    assert left.startswith(f"{venue / 'notes.txt'}: ")
    assert "passages of eight words" in left


def test_files_of_killed_commands_are_searched_too(
    venue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    for name, text in (("reviewscore-a/1", R1), ("reviewscore-b", R3), ("others", R1)):
        file = tmp_path / "tmp" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    removed(venue, "frogs")

    assert not (tmp_path / "tmp" / "reviewscore-a" / "1").exists()
    assert (tmp_path / "tmp" / "reviewscore-b").exists()
    assert (tmp_path / "tmp" / "others").exists()


def test_what_a_killed_command_left_half_written_in_the_folder_goes_too(venue: Path) -> None:
    torn = json.dumps({"review_id": "frogs-r1", "text": R1})[:-9]
    points = venue / "run" / "cut.jsonl"
    points.write_text(json.dumps({"review_id": "toads-r1", "text": R3}) + "\n" + torn)
    left = venue / ".reviewscore-a1" / "data" / "pdfs" / "frogs-0123.pdf"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"%PDF-1.4 packed")

    receipt = removed(venue, "frogs")

    assert receipt.remains == ()
    assert not left.exists()
    assert points.read_text() == json.dumps({"review_id": "toads-r1", "text": R3}) + "\n"


def test_a_paper_that_lies_in_a_file_goes_with_the_file_and_what_was_made_of_it(
    venue: Path,
) -> None:
    newts = "Newts return to the pond where they were born even when it has been moved by a mile. "
    papers = venue / "data" / "papers.jsonl"
    (venue / "data" / "pdfs").mkdir()
    for name, text in (("newts", newts), ("eels", TOADS)):
        (venue / "data" / "pdfs" / f"{name}.txt").write_text(text * 3)
        row = {"paper_id": name, "file": f"pdfs/{name}.txt"}
        papers.write_text(papers.read_text() + json.dumps(row) + "\n")
    record(venue.parent / "ledger", "a run", paid_call("Is it so?", prefix=newts * 3))

    receipt = removed(venue, "newts")

    assert receipt.remains == ()
    assert [file.name for file in (venue / "data" / "pdfs").iterdir()] == ["eels.txt"]
    assert left_of(venue, newts) == []
    assert "Is it so?" not in prompts_in(venue)


def test_prompts_in_an_exchange_folder_are_named_or_taken_out(venue: Path) -> None:
    folder = venue.parent / "exchange"
    folder.mkdir()
    asked = [{"prompt": f"{number:064x}", "messages": [{"role": "user", "content": text}]}
             for number, text in enumerate((R1, R3))]  # fmt: skip
    for name in ("prompts.jsonl", "open.jsonl"):
        (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in asked))
    replies = [{"prompt": line["prompt"], "text": "no"} for line in asked]
    (folder / "replies.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in replies))
    manifest = manifest_of(venue / "run").model_copy(update={"judge": f"exchange:{folder}"})
    (venue / "run" / "manifest.json").write_text(manifest.model_dump_json())
    place = venue.parent / "ledger"

    named = withdraw(venue, ["frogs"], ledger=place, dry=True)
    taken = withdraw(venue, ["frogs"], ledger=place, exchange=True)

    assert named.remains == (f"{folder}: 3 prompts and replies; --exchange takes them",)
    assert taken.removed["exchange"] == 3
    for name in ("prompts.jsonl", "open.jsonl", "replies.jsonl"):
        assert [row["prompt"] for row in rows_of(folder / name)] == [f"{1:064x}"]


def test_a_passage_that_stands_in_a_text_that_stays_is_no_leak(venue: Path) -> None:
    reviews = venue / "data" / "reviews.jsonl"
    quoting = {
        "review_id": "toads-r2",
        "paper_id": "toads",
        "fields": {"weaknesses": f"As in {R2}"},
    }
    with reviews.open("a") as file:
        file.write(json.dumps(quoting) + "\n")

    receipt = removed(venue, "frogs-r2")

    assert receipt.remains == ()
    assert "toads-r2" in reviews.read_text()


def test_what_was_changed_by_hand_before_stays_known_to_have_been(venue: Path) -> None:
    file = venue / "data" / "reviews.jsonl"
    file.write_text(file.read_text().replace("may change", "do change"))

    receipt = removed(venue, "frogs")

    assert receipt.differed == ("data/reviews.jsonl",)
    (fault,) = verify(venue).checks[0].faults
    assert "data/reviews.jsonl had been changed before" in fault


def test_a_verdict_changed_by_hand_before_is_not_sealed_by_a_removal(venue: Path) -> None:
    points = venue / "run" / POINTS
    points.write_bytes(points.read_bytes().replace(b'"rationale":"', b'"rationale":"No. '))

    removed(venue, "frogs")

    with pytest.raises(RunFolderError, match=r"holds records that were changed"):
        read_manifest(venue / "run")


def test_a_name_that_the_venue_does_not_hold_is_refused_before_anything_goes(venue: Path) -> None:
    with pytest.raises(InputError, match="holds no 'newts'"):
        removed(venue, "frogs", "newts")

    assert verify(venue).holds
    assert not (venue / "receipts").exists()


def test_a_name_of_both_a_paper_and_a_review_has_to_say_which(venue: Path) -> None:
    reviews = venue / "data" / "reviews.jsonl"
    reviews.write_text(reviews.read_text().replace("toads-r1", "frogs"))

    with pytest.raises(InputError, match="write paper:frogs or review:frogs"):
        removed(venue, "frogs")

    assert removed(venue, "review:frogs").reviews == ("frogs",)
    assert len((venue / "data" / "papers.jsonl").read_text().splitlines()) == 3


def test_a_venue_that_is_being_written_is_refused(venue: Path) -> None:
    from filelock import FileLock

    with FileLock(venue / "run" / ".lock"), pytest.raises(RunFolderError, match="this run"):
        removed(venue, "frogs")


@pytest.mark.parametrize("ids", ["1", "P1", "p-1"])
def test_identifiers_that_are_common_words_take_only_what_is_theirs(ids: str) -> None:
    mine = RemovedIds({ids}, set())

    assert mine.owns({"paper_id": f"{ids}@v3"})
    assert not mine.owns({"paper_id": f"{ids}0"})
    assert not mine.owns({"id": ids, "text": "a premise"})
    assert mine.owns({"id": ids, "what": "paper"})
    assert not mine.owns({"id": ids, "what": "review"})
    kept = {"points": [{"paper_id": "other", "looks": [{"id": ids}]}], "none": None}
    assert mine.without({**kept, "more": [{"paper_id": ids}]}) == {**kept, "more": []}


def thread_of(forum: str, *replies: tuple[str, str, str]) -> dict[str, object]:
    """A forum of OpenReview as it is kept: a submission, and notes in reply to one another."""
    notes = [{"id": name, "forum": forum, "replyto": to, "content": {"text": {"value": text}}}
             for name, to, text in replies]  # fmt: skip
    content = {"abstract": {"value": FROGS}}
    note = {"id": forum, "forum": forum, "content": content, "details": {"replies": notes}}
    return {"api": 2, "note": note}


def test_raw_threads_lose_a_review_with_what_replies_to_it_or_the_whole_forum(
    tmp_path: Path,
) -> None:
    raw, pdfs = tmp_path / "raw", tmp_path / "pdfs"
    pdfs.mkdir()
    raw.mkdir()
    for name in ("frogs", "legs"):
        (pdfs / f"{name}.pdf").write_bytes(b"%PDF")
    replies = ("frogs-r1", "frogs", R1), ("n1", "frogs-r1", REPLY), ("n2", "frogs", R2)
    forums = [thread_of("frogs", *replies), thread_of("legs", ("n3", "legs", R3))]
    (raw / "forums.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in forums))
    version = {"id": "frogs-r1", "content": {"review": R1_OLD}}
    (raw / "versions.jsonl").write_text(f"{json.dumps(version)}\n")

    take_out(tmp_path, RemovedIds(set(), {"frogs-r1"}))
    left, other = rows_of(raw / "forums.jsonl")
    assert [note["id"] for note in left["note"]["details"]["replies"]] == ["n2"]
    assert other == forums[1]
    assert rows_of(raw / "versions.jsonl") == []

    take_out(tmp_path, RemovedIds({"frogs"}, {"n2"}))
    assert rows_of(raw / "forums.jsonl") == [forums[1]]
    assert [file.name for file in pdfs.iterdir()] == ["legs.pdf"]


@pytest.mark.parametrize("form", [
    lambda text: json.dumps({"prompt": json.dumps({"text": text.replace(" ", "\n")})}),
    lambda text: "<p>" + text.replace(" ", "</b> <b class='x'>") + "</p>",
    lambda text: f"<i data-quote='{text}'></i>",
    lambda text: text.upper().replace(" ", "  \r\n"),
    lambda text: json.dumps(text.replace("never", "n\u00e9ver")).replace("\\u00e9", "e"),
])  # fmt: skip
def test_passages_are_found_however_they_are_written(form: Callable[[str], str]) -> None:
    passages = Passages([R1, R2])
    words = R1.split()[3:11]

    assert len(passages.found(form(" ".join(words)))) == 1
    assert not passages.found(form(" ".join(words[:7])))
    assert not passages.found(form(TOADS))


@pytest.fixture
def verb(venue: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Invoke]:
    os.environ["REVIEWSCORE_CACHE_DIR"] = str(venue.parent / "ledger")
    yield invoker("withdraw", capsys)
    del os.environ["REVIEWSCORE_CACHE_DIR"]


def test_the_command_says_what_goes_asks_and_gives_a_receipt(venue: Path, verb: Invoke) -> None:
    dry, unsure, done = (
        verb(venue, "frogs", "--dry-run"), verb(venue, "frogs"), verb(venue, "frogs", "--yes"),
    )  # fmt: skip

    assert (dry.exit_code, unsure.exit_code, done.exit_code) == (0, 2, 0)
    assert "to be removed: 1 paper, 2 reviews" in dry.stdout
    assert "  ledger: 3" in dry.stdout
    assert "say --yes" in unsure.stderr
    assert "removed: 1 paper, 2 reviews" in done.stdout
    assert f"receipt: {venue}/receipts/0001.json" in done.stdout


def test_the_command_ends_with_3_where_something_is_left(venue: Path, verb: Invoke) -> None:
    (venue / "notes.txt").write_text(R2)

    ended = verb(venue, "frogs-r2", "--yes")

    assert ended.exit_code == 3
    assert f"still there: {venue / 'notes.txt'}" in ended.stdout


def test_the_log_is_there_even_where_there_was_none(venue: Path) -> None:
    (venue / LOG).unlink()

    removed(venue, "frogs-r2")

    assert [entry.event for entry in read(venue)] == ["withdrawn"]
