"""One ledger in PostgreSQL for many processes: whoever dies, nothing is paid twice or lost."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess

import pytest

from reviewscore.llm import client, retry
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.tables import newest
from reviewscore.llm.prices import Price
from reviewscore.llm.provider import open_provider
from tests.ledgers import ALIKE, asked, at_once
from tests.loopback import Loopback
from tests.mishaps import sometimes
from tests.postgres import running
from tests.sessions import request

CALLS, AT_ONCE = 160, 8
KINDS = ("server_error", "too_often", "reset")

Begin = Callable[[str, str], BaseProcess]


def work(place: str, url: str, run: str) -> None:
    """Ask everything, in an order of one's own."""
    retry._BACKOFF = lambda _: 0.001  # type: ignore[assignment]
    client._LOOK_AGAIN = 0.25
    asyncio.run(asking(place, url, run))


async def asking(place: str, url: str, run: str) -> None:
    ledger = Ledger(place, run=run)
    await ledger.reclaim_stale_claims()
    price = Price(input=1, cached=0.1, output=1)
    asker = client.Client(
        lambda model: open_provider(model, base_url=url, timeout=30),
        ledger,
        limits=client.CallLimits(connections=AT_ONCE),
        price=lambda _: price,
    )
    numbers = random.Random(run).sample(range(CALLS), CALLS)
    await asyncio.gather(*(asker.complete(request(n), stage="is_question") for n in numbers))
    await asker.close()
    ledger.close()


@pytest.fixture
def begin(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Iterator[Begin]:
    """Begins workers; those that a failed test leaves are ended."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    begun: list[BaseProcess] = []
    ALIKE.set_forkserver_preload([__name__, "openai", "pg8000"])

    def begin(place: str, run: str) -> BaseProcess:
        begun.append(ALIKE.Process(target=work, args=(place, server.url, run)))
        begun[-1].start()
        return begun[-1]

    yield begin
    for one in begun:
        one.kill()
        one.join()
        one.close()


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
            assert all(one.is_alive() for one in workers.values())
            time.sleep(0.01)
        pid = workers[run].pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)  # nobody takes its claims before they are read
        time.sleep(0.05)  # a commit that it has sent comes through
        cut |= {key for (key,) in asked(place, "SELECT key FROM claims WHERE run = ?", run)}
        workers[run].kill()
        workers[run].join()
        workers[run] = begin(place, run)
    for worker in workers.values():
        worker.join(60)

    keys = [str(key) for (key,) in asked(place, "SELECT key FROM calls")]
    uses = asked(place, "SELECT run, count(*) FROM uses GROUP BY run")
    assert [worker.exitcode for worker in workers.values()] == [0, 0, 0, 0]
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


def open_it(place: str) -> None:
    Ledger(place, run="x").close()


def test_processes_that_begin_at_once_make_the_tables_once() -> None:
    place = running().database()

    assert at_once(open_it, place) == [0, 0, 0, 0]
    assert asked(place, "SELECT version FROM ledger_version") == [(newest(),)]
