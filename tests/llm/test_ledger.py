"""The ledger: nothing paid is lost or paid twice, whoever dies when."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import OperationalError

from reviewscore.errors import RunFolderError, StopError
from reviewscore.llm.ledger import store
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.sqlite import SQLiteFile
from reviewscore.llm.ledger.store import FILE, Location
from reviewscore.llm.ledger.tables import pack, unpack
from reviewscore.llm.ledger.upkeep import clear, exported, info, note_estimate
from reviewscore.schema.call import Call, Completion, Usage
from tests.conftest import ROOT
from tests.ledgers import asked
from tests.sessions import plain_request


def call(
    text: str = "hello", *, reply: str = "yes", usd: float | None = 0.5, prefix: str = "paper"
) -> Call:
    request = plain_request(text, model="openai/x", prefix=prefix, task="judge")
    usage = Usage(input_tokens=100, cached_tokens=60, written_tokens=10, output_tokens=7)
    return Call(
        key=request.key(place="here"),
        place="here",
        stage="claim_factuality",
        request=request,
        completion=Completion(text=reply, model="x-1", usage=usage),
        attempts=2,
        started="2026-01-01T00:00:00.000+00:00",
        seconds=1.5,
        usd=usd,
    )


async def recorded(place: Location, *calls: Call) -> None:
    """Record calls of a run that ends."""
    ledger = Ledger(place, run="one")
    for one in calls:
        await ledger.add(one)
    ledger.close()


@pytest.fixture
def ledger(place: Location) -> Iterator[Ledger]:
    """A ledger of each kind, open for a run."""
    opened = Ledger(place, run="one")
    yield opened
    opened.close()


async def test_a_recorded_call_is_found_by_every_run(place: Location) -> None:
    await recorded(place, call())

    second = Ledger(place, run="two")
    found = await second.find(call().key)
    second.close()

    assert found == call().completion


async def test_a_fresh_run_finds_only_what_it_paid_for_itself(place: Location) -> None:
    await recorded(place, call())

    fresh = Ledger(place, run="two", fresh=True)
    assert await fresh.find(call().key) is None
    await fresh.add(call(reply="anew"))
    found = await fresh.find(call().key)
    fresh.close()

    assert found is not None
    assert found.text == "anew"


async def test_a_replaced_reply_stays_in_the_book_and_in_the_sum(
    place: Location, ledger: Ledger
) -> None:
    await ledger.add(call(reply="broken"))
    await ledger.add(call(reply="mended"))

    paid = await ledger.paid()
    latest = await ledger.find(call().key)

    assert latest is not None
    assert latest.text == "mended"
    assert (paid.calls, paid.usd, paid.input_tokens, paid.cached_tokens) == (2, 1.0, 200, 120)
    assert paid.models == ("x-1",)
    assert [one.completion.text for one in exported(place)] == ["broken", "mended"]


async def test_the_whole_request_comes_back_and_the_paper_is_stored_once(place: Location) -> None:
    long = "a long paper " * 1000
    await recorded(place, *(call(f"item {number}", prefix=long) for number in range(5)))

    assert asked(place, "SELECT count(*) FROM prefixes") == [(1,)]
    assert [one.request.prefix for one in exported(place)] == [long] * 5


async def test_export_of_a_run_holds_what_it_used_whoever_paid(place: Location) -> None:
    await recorded(place, call("shared"), call("its own"))
    other = Ledger(place, run="two")
    await other.use(call("shared").key)
    other.close()

    used = [one.request.messages[0].content for one in exported(place, run="two")]

    assert used == ["shared"]
    assert len(list(exported(place))) == 2


async def test_hundreds_of_writes_at_once_are_all_on_the_disk(
    place: Location, ledger: Ledger
) -> None:

    await asyncio.gather(*(ledger.add(call(f"item {number}")) for number in range(600)))

    assert asked(place, "SELECT count(*) FROM calls") == [(600,)]


async def test_a_call_claimed_by_a_living_process_is_not_ours(
    place: Location, ledger: Ledger
) -> None:
    script = f"""
import asyncio, sys
from pathlib import PosixPath
from reviewscore.llm.ledger.database import Ledger
ledger = Ledger({place!r}, run="other")
print(asyncio.run(ledger.claim("k", 2.0, seconds=60)), flush=True)
sys.stdin.readline()
"""
    other = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    assert other.stdin is not None
    assert other.stdout.readline() == "True\n"

    while_alive = await ledger.claim("k", 1.0, seconds=60)
    other.kill()
    other.wait()
    when_dead = await ledger.claim("k", 1.0, seconds=60)
    doubts = asked(place, "SELECT run, usd FROM doubts")
    other.stdin.close()
    other.stdout.close()

    assert not while_alive
    assert when_dead
    assert doubts == [("other", 2.0)]


async def test_calls_under_way_when_a_session_died_count_at_their_worst(
    place: Location, ledger: Ledger
) -> None:
    await ledger.claim("mine", 1.0, seconds=60)
    host, soon = store.process_name().partition("/")[0], time.time() + 60
    sql = "INSERT INTO claims VALUES (?, 'one', ?, ?, ?)"
    asked(place, sql, "gone", f"{host}/999999999/1", 3.0, soon)
    asked(place, sql, "far", "elsewhere/1/1", 5.0, soon)

    await ledger.reclaim_stale_claims()
    paid = await ledger.paid()

    assert paid.doubtful == 3.0


async def test_a_claim_of_another_computer_holds_for_as_long_as_a_call_can_take(
    place: Location,
    ledger: Ledger,
) -> None:
    sql = "INSERT INTO claims VALUES (?, 'other', 'elsewhere/7/1', 5.0, ?)"
    asked(place, sql, "new", time.time() + 60)
    asked(place, sql, "old", time.time() - 1)

    holders = [await ledger.holder("new"), await ledger.holder("old")]
    claimed = [await ledger.claim(key, 1.0, seconds=60) for key in ("new", "old")]
    doubts = asked(place, "SELECT run, key, usd FROM doubts")

    assert holders == ["process 7 on elsewhere", None]
    assert claimed == [False, True]
    assert doubts == [("other", "old", 5.0)]


async def test_a_failure_gives_the_claim_up_and_keeps_its_doubts(
    place: Location, ledger: Ledger
) -> None:
    await ledger.claim("k", 1.0, seconds=60)
    await ledger.drop("k", possibly_billed=0.25)

    assert asked(place, "SELECT count(*) FROM claims") == [(0,)]
    paid = await ledger.paid()
    assert paid.doubtful == 0.25


@pytest.mark.parametrize("usd", [-100.0, float("inf"), float("-inf")])
async def test_amounts_that_are_none_are_refused_and_lower_no_sum(
    place: Location, ledger: Ledger, usd: float
) -> None:
    await ledger.add(call("a"))
    await ledger.add(call("b"))
    asked(place, "UPDATE calls SET usd = ? WHERE key = ?", usd, call("b").key)
    row = asked(place, "SELECT id FROM calls WHERE key = ?", call("b").key)[0][0]
    with pytest.raises(RunFolderError, match=rf"table calls, row {row} .*usd") as refused:
        await ledger.paid()
    asked(place, "DELETE FROM calls WHERE key = ?", call("b").key)
    asked(place, "INSERT INTO doubts VALUES ('one', 'k', ?)", usd)
    with pytest.raises(RunFolderError, match=r"table doubts, call 'k' .*usd"):
        await ledger.paid()
    asked(place, "DELETE FROM doubts")
    assert (await ledger.paid()).total == 0.5
    assert ledger.backend.name in str(refused.value)


async def test_words_and_negative_tokens_are_no_amounts(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, run="one")
    await ledger.add(call())
    for column, value in (("usd", "cheap"), ("output", -1), ("input", -5)):
        asked(tmp_path, f"UPDATE calls SET usd = 0.5, input = 1, output = 1, {column} = ?", value)
        with pytest.raises(RunFolderError, match=column):
            await ledger.paid()
    ledger.close()


async def test_a_claim_of_less_than_nothing_gives_no_money_back(tmp_path: Path) -> None:
    dead = Ledger(tmp_path, run="one")
    assert await dead.claim("k", -100.0, seconds=0.0)
    dead.close()
    later = Ledger(tmp_path, run="one")
    await later.reclaim_stale_claims()
    with pytest.raises(RunFolderError, match=r"doubts, call 'k'"):
        await later.paid()
    later.close()


def test_a_process_number_that_was_given_to_another_process_is_not_its_owner() -> None:
    host, pid, born = store.process_name().split("/")

    assert store.owner_alive(f"{host}/{pid}/{born}")
    assert not store.owner_alive(f"{host}/{pid}/{born}1")


def test_a_folder_that_cannot_be_made_is_refused_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(RunFolderError, match="REVIEWSCORE_CACHE_DIR"):
        Ledger(tmp_path / "file" / "ledger", run="one")


def test_only_its_owner_can_read_the_ledger(tmp_path: Path) -> None:
    Ledger(tmp_path / "new", run="one").close()

    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    assert (tmp_path / "new" / FILE).stat().st_mode & 0o077 == 0


async def test_a_write_that_fails_tells_whoever_waits(place: Location, ledger: Ledger) -> None:
    asked(place, "ALTER TABLE doubts RENAME TO elsewhere")

    with pytest.raises(RunFolderError, match="cannot be written"):
        await ledger.drop("k", possibly_billed=1.0)
    await ledger.add(call())  # and the next write goes well

    assert await ledger.find(call().key) is not None
    asked(place, "ALTER TABLE elsewhere RENAME TO doubts")


async def test_an_error_of_our_own_in_a_write_tells_whoever_waits(ledger: Ledger) -> None:

    with pytest.raises(ZeroDivisionError):
        await asyncio.wait_for(ledger.write(lambda _: 1 // 0), 5)
    await asyncio.wait_for(ledger.add(call()), 5)  # and the next write goes well

    assert await ledger.find(call().key) is not None


@pytest.mark.parametrize(
    ("name", "kind"), [("SQLITE_FULL", StopError), ("SQLITE_CORRUPT", RunFolderError)]
)
def test_a_full_disk_stops_the_run_and_other_failures_are_errors(
    name: str, kind: type[Exception], tmp_path: Path
) -> None:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorname = name

    failed = SQLiteFile(tmp_path).failed(OperationalError("COMMIT", {}, error))

    assert isinstance(failed, kind)
    assert "COMMIT" not in str(failed)


async def test_info_says_what_each_model_came_to(place: Location) -> None:
    assert info(place).models == ()
    await recorded(place, call("a"), call("b", usd=None))
    note_estimate(place, "one", "openai/x", calls=4, usd=None, finished=True)

    found = info(place)

    (use,) = found.models
    assert (use.model, use.calls, use.input_tokens, use.usd) == ("openai/x", 2, 200, None)
    assert (found.runs, found.open_jobs, found.errors) == (1, 0, (0.5,))
    assert clear(place) > 0
    assert info(place).models == ()


async def test_the_first_estimate_of_a_run_is_held_against_its_dollars(place: Location) -> None:
    await recorded(place, call())
    note_estimate(place, "one", "openai/x", calls=4, usd=0.25, finished=False)
    unfinished = info(place).errors
    note_estimate(place, "one", "openai/x", calls=4, usd=99.0, finished=True)

    assert unfinished == ()
    assert info(place).errors == (2.0,)


@given(st.text())
def test_any_text_is_stored_as_it_is(text: str) -> None:
    assert unpack(pack(text)) == text


async def test_runs_that_used_no_tokens_say_nothing_about_estimates(place: Location) -> None:
    free = call().completion.model_copy(update={"usage": Usage()})
    ledger = Ledger(place, run="written")
    await ledger.add(call(usd=0.0).model_copy(update={"completion": free}))
    ledger.close()

    note_estimate(place, "written", "exchange:x", calls=4, usd=0.0, finished=True)

    assert info(place).errors == ()


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_ledger_that_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(tmp_path / FILE)
    else:
        (tmp_path / FILE).symlink_to("/dev/zero")

    with pytest.raises(RunFolderError, match="no ordinary file"):
        Ledger(tmp_path, run="one")
