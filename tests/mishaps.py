"""What goes wrong between a program and a provider, made to order."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable

from aiohttp import web

Body = dict[str, object]
Mishap = Callable[[web.Request, Body, int], Awaitable[web.StreamResponse | None]]

KINDS = (
    "too_often",
    "server_error",
    "overloaded",
    "reset",
    "half",
    "no_json",
    "other_json",
    "empty",
    "no_choices",
)
"""Failures that a second try mends."""


def _answers(kind: str) -> web.Response | None:
    """Failures that are whole answers."""
    slow_down = {"error": {"message": "slow down"}}
    none = {"id": "x", "object": "chat.completion", "choices": []}
    made: dict[str, Callable[[], web.Response]] = {
        "too_often": lambda: web.json_response(slow_down, status=429, headers={"retry-after": "0"}),
        "server_error": lambda: web.Response(status=500, text="<html>oops</html>"),
        "gone": lambda: web.json_response({"error": {"message": "no such job"}}, status=404),
        "overloaded": lambda: web.json_response({"error": {"message": "busy"}}, status=503),
        "no_json": lambda: web.Response(text='{"id": "cut', content_type="application/json"),
        "other_json": lambda: web.json_response(["not", "a", "completion"]),
        "empty": lambda: web.Response(text="", content_type="application/json"),
        "no_choices": lambda: web.json_response(none),
    }
    return made[kind]() if kind in made else None


async def spoiled(kind: str, request: web.Request) -> web.StreamResponse:
    """A failure of a kind."""
    answer = _answers(kind)
    if answer is not None:
        return answer
    if kind == "slow":
        await asyncio.sleep(3)
        return web.Response(status=500)
    half = web.StreamResponse(headers={"content-type": "application/json"})
    if kind == "half":
        half.content_length = 10_000
        await half.prepare(request)
        await half.write(b'{"id": "chatcmpl-1", "choices": [{"mess')
    assert request.transport is not None
    request.transport.abort()
    return half


def sometimes(share: float, *, kinds: tuple[str, ...] = KINDS, most: int = 99) -> Mishap:
    """Spoil a share of all answers, the same ones in every run.

    Args:
        share: Of answers that are spoiled, 0 to 1.
        kinds: Kinds that are drawn from.
        most: How often in a row one request is spoiled at most.
    """

    async def mishap(request: web.Request, body: Body, seen: int) -> web.StreamResponse | None:
        text = json.dumps(body, sort_keys=True) + str(seen)
        draw = int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)
        if seen >= most or (draw % 1000) / 1000 >= share:
            return None
        return await spoiled(kinds[draw // 1000 % len(kinds)], request)

    return mishap
