"""A server on loopback, in a process of its own, that answers chat completions after a while.

``python -m benchmarks.model_server SECONDS`` prints its port. Latency is log-normal with that mean.
"""

from __future__ import annotations

import asyncio
import math
import random
import sys

from aiohttp import web

SIGMA = 0.5
"""Of the logarithm of the latency: one call in twenty takes twice the mean."""


async def serve(seconds: float) -> None:
    """Answer for ever."""
    rng = random.Random(0)
    answer = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "loop",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": '{"score": 4}', "refusal": None},
            }
        ],
        "usage": {
            "prompt_tokens": 3000,
            "completion_tokens": 100,
            "total_tokens": 3100,
            "prompt_tokens_details": {"cached_tokens": 2000},
        },
    }

    async def reply(request: web.Request) -> web.Response:
        await request.read()
        await asyncio.sleep(seconds * math.exp(rng.gauss(0, SIGMA) - SIGMA**2 / 2))
        return web.json_response(answer)

    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", reply)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=2048).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
