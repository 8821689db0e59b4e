"""One ledger in PostgreSQL for many processes: whoever dies, nothing is paid twice or lost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from tests.conftest import ROOT
from tests.ledgers import asked
from tests.loopback import Loopback
from tests.mishaps import sometimes
from tests.postgres import running
from tests.sessions import request

CALLS, AT_ONCE = 160, 8
KINDS = ("server_error", "too_often", "reset")

Begin = Callable[[str, str], subprocess.Popen[bytes]]

WORKER = """
import asyncio, random, sys
from reviewscore.llm import client as module, retry
from reviewscore.llm.client import Client, Limits
from reviewscore.llm.ledger.book import Ledger
from reviewscore.llm.prices import Price
from reviewscore.llm.provider import open_provider
from tests.sessions import request

place, url, run, count, at_once = *sys.argv[1:4], *map(int, sys.argv[4:6])
retry._BACKOFF = lambda _: 0.001
module._LOOK_AGAIN = 0.05

async def main():
    ledger = Ledger(place, run=run)
    await ledger.bury()
    price = Price(input=1, cached=0.1, output=1)
    client = Client(
        lambda model: open_provider(model, base_url=url, timeout=30),
        ledger, limits=Limits(connections=at_once), price=lambda _: price,
    )
    numbers = list(range(count))
    random.Random(run).shuffle(numbers)
    await asyncio.gather(*(client.complete(request(n), stage="is_question") for n in numbers))
    await client.close()
    ledger.close()

asyncio.run(main())
"""


@pytest.fixture
def begin(server: Loopback) -> Iterator[Begin]:
    """Begins workers; those that a failed test leaves are ended."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin(place: str, run: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-c", WORKER, place, server.url, run, str(CALLS), str(AT_ONCE)]
        own = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "k"}
        begun.append(subprocess.Popen(line, cwd=ROOT, env=own))
        return begun[-1]

    yield begin
    for one in begun:
        one.kill()
        one.wait()


@pytest.fixture
def server() -> Iterator[Loopback]:
    started = Loopback().start()
    yield started
    started.stop()


def answered(server: Loopback) -> Counter[int]:
    """How often each request was answered, whether or not the answer arrived."""
    texts = [str(body["messages"]) for body in list(server.bodies)]
    return Counter(int(found[1]) for one in texts if (found := re.search(r"Why\? (\d+)", one)))


def test_four_processes_pay_each_call_once_although_three_calls_of_ten_fail_and_two_are_killed(
    server: Loopback, begin: Begin
) -> None:
    place = running().database()
    server.latency = 0.03
    server.mishap = sometimes(0.3, kinds=KINDS, most=8)
    runs = ["one", "two", "three", "four"]
    workers = {run: begin(place, run) for run in runs}
    cut = set()

    for run, reached in (("one", CALLS // 4), ("three", CALLS // 2)):
        while len(server.served) < reached:
            assert all(one.poll() is None for one in workers.values())
            time.sleep(0.01)
        workers[run].send_signal(signal.SIGKILL)
        workers[run].wait()
        cut |= {key for (key,) in asked(place, "SELECT key FROM claims WHERE run = ?", run)}
        workers[run] = begin(place, run)
    codes = [worker.wait(60) for worker in workers.values()]

    keys = [str(key) for (key,) in asked(place, "SELECT key FROM calls")]
    uses = asked(place, "SELECT run, count(*) FROM uses GROUP BY run")
    assert codes == [0, 0, 0, 0]
    assert len(keys) == len(set(keys)) == CALLS  # none is lost, none recorded twice
    assert dict(uses) == dict.fromkeys(runs, CALLS)
    assert asked(place, "SELECT count(*) FROM claims") == [(0,)]
    ((where,),) = asked(place, "SELECT DISTINCT place FROM calls")
    times = {request(n).key(place=str(where)): often for n, often in answered(server).items()}
    assert len(times) == CALLS
    assert {key for key, often in times.items() if often > 1} <= cut  # only the dead knew of them
    doubts = {key for (key,) in asked(place, "SELECT key FROM doubts")}
    assert cut  # both were killed with calls under way,
    assert cut <= doubts  # which count as billed


def test_processes_that_begin_at_once_make_the_tables_once() -> None:
    place = running().database()
    line = (
        "import sys; from reviewscore.llm.ledger.book import Ledger; "
        "Ledger(sys.argv[1], run='x').close()"
    )
    own = {**os.environ, "PYTHONPATH": str(ROOT)}

    begun = [subprocess.Popen([sys.executable, "-c", line, place], env=own) for _ in range(4)]

    assert [one.wait(60) for one in begun] == [0, 0, 0, 0]
    assert asked(place, "SELECT version FROM ledger_version") == [(2,)]
