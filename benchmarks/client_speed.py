"""How near our client comes to a bare aiohttp loop that sends the same requests.

``python -m benchmarks.client_speed WHO URL CALLS AT_ONCE`` is one sender in a process of its own;
without arguments all are measured side by side.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.measure import QUICK, ROOT, head, row
from reviewscore.llm.providers.openai import chat_body, parameters
from reviewscore.schema.call import Message, Request

CALLS = 256 if QUICK else 4096
CASES = ((2.0, 256, CALLS, 0.95), (0.2, 64, CALLS, 0.80))
"""Mean latency in seconds, calls at once, calls, goal."""
WITH_PAPER = 0.42
"""Share of calls that carry the paper, as in the cost model of the paper protocol (78 of 187)."""
PER_PAPER = 40
PAPER = "The quick brown fox jumps over the lazy dog and counts the frogs of the pond. " * 600
MOST_CPU_MS = 1.0

Send = Callable[[Request], Awaitable[object]]


def requests(count: int) -> list[Request]:
    """Calls as an audit makes them, paper by paper."""
    made = []
    for number in range(count):
        paper = f"Paper {number // PER_PAPER}. {PAPER}"
        carries = number % 100 < 100 * WITH_PAPER
        made.append(
            Request(
                model="openai/loop",
                system="You judge reviews of papers.",
                prefix=paper if carries else "",
                task="Judge this point of a review. " * 60,
                messages=(Message(role="user", content=f"Point {number}. " * 30),),
                schema_name="Score",
                reply_schema="{}",
                structured="object",
            )
        )
    return made


async def bare_loop(url: str, asked: list[Request]) -> Send:
    """Aiohttp and nothing else; bodies are made beforehand."""
    import aiohttp

    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
    address = f"{url}/chat/completions"
    nothing: frozenset[str] = frozenset()
    bodies = {
        id(one): json.dumps(chat_body(one, parameters(one, nothing))).encode() for one in asked
    }
    headers = {"content-type": "application/json"}

    async def send(request: Request) -> object:
        async with session.post(address, data=bodies[id(request)], headers=headers) as answer:
            return await answer.json()

    return send


async def bare_sdk(url: str, asked: list[Request]) -> Send:
    """The vendor's SDK as our provider uses it."""
    from reviewscore.llm.providers.openai import open_client

    client = open_client(url, timeout=100)
    nothing: frozenset[str] = frozenset()

    async def send(request: Request) -> object:
        body = chat_body(request, parameters(request, nothing))
        return await client.chat.completions.create(**body)

    return send


async def ours(url: str, asked: list[Request], at_once: int) -> Send:
    """The whole client: ledger on disk, lane, warm prefixes, retries."""
    from reviewscore.llm.client import CallLimits, Client
    from reviewscore.llm.ledger.database import Ledger
    from reviewscore.llm.provider import open_provider
    from reviewscore.llm.providers.openai import open_client

    open_client(url, timeout=100)  # loads the SDK, as the bare one has before the clock starts
    folder = Path(tempfile.mkdtemp(prefix="ledger-"))
    client = Client(
        lambda model: open_provider(model, base_url=url, timeout=100),
        Ledger(folder, run="bench"),
        limits=CallLimits(connections=at_once),
    )

    async def send(request: Request) -> object:
        return await client.complete(request, stage="bench")

    return send


async def sender(who: str, url: str, calls: int, at_once: int) -> None:
    """Send all requests and print calls a second and CPU milliseconds a call."""
    asked = requests(calls)
    if who == "ours":
        send = await ours(url, asked, at_once)
    else:
        send = await {"aiohttp": bare_loop, "sdk": bare_sdk}[who](url, asked)
    # Ours has its own limit; enough calls wait in front of it, as in an audit.
    places = asyncio.Semaphore(at_once * (4 if who == "ours" else 1))

    async def one(request: Request) -> None:
        async with places:
            await send(request)

    clock, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*map(one, asked))
    seconds, cpu = time.perf_counter() - clock, time.process_time() - cpu
    print(json.dumps({"rate": calls / seconds, "cpu_ms": 1000 * cpu / calls}), flush=True)
    sys.stdout.flush()
    import os

    os._exit(0)  # sessions are left open on purpose: closing them is not measured


def measured(who: str, seconds: float, at_once: int, calls: int) -> dict[str, float]:
    """One sender against a server of its own."""
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.model_server", str(seconds)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        line = [sys.executable, "-m", "benchmarks.client_speed", who, url, str(calls), str(at_once)]
        done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
        found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return found
    finally:
        server.kill()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()


def main() -> None:
    """Measure aiohttp, the SDK and our client side by side."""
    head("Client: calls a second, and CPU a call, 42 % of calls with a paper of 46 kB")
    for seconds, at_once, calls, goal in CASES:
        bare, sdk, own = (measured(w, seconds, at_once, calls) for w in ("aiohttp", "sdk", "ours"))
        name = f"{seconds:g} s log-normal, {at_once} at once, {calls} calls"
        rate, base = f"{own['rate']:.0f}/s", f"bare aiohttp {bare['rate']:.0f}/s"
        row(name, rate, base, own["rate"] / bare["rate"], f">= {goal}")
        row(
            "… the bare SDK",
            f"{sdk['rate']:.0f}/s",
            base,
            sdk["rate"] / bare["rate"],
            "",
            better="higher",
        )
        row(
            "… our CPU a call",
            f"{own['cpu_ms']:.2f} ms",
            f"bare SDK {sdk['cpu_ms']:.2f} ms",
            own["cpu_ms"] / sdk["cpu_ms"],
            f"<= {MOST_CPU_MS:g} ms more: {own['cpu_ms'] - sdk['cpu_ms']:+.2f} ms",
            met=own["cpu_ms"] - sdk["cpu_ms"] <= MOST_CPU_MS,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(sender(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    else:
        main()
