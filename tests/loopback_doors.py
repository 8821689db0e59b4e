"""Further doors of the loopback server: responses, files and batches, and Anthropic's messages.

Each turns its requests into chat completions, which `tests.loopback` answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from aiohttp import web

from tests.mishaps import spoiled

Body = dict[str, Any]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server(Protocol):
    """What the doors lead to."""

    def answer(self, body: Body) -> web.Response: ...


@dataclass
class Jobs:
    """Batch jobs of both protocols.

    Attributes:
        looks: How often a job is looked at before it has ended.
        spoil: Keys and what becomes of them: ``errored``, ``expired``, ``canceled``, ``missing``,
            ``too_often``.
        breaks: How the next answers fail, by what is asked (``create``, ``list``, ``state``,
            ``results``): a kind of `tests.mishaps`, ``late`` for work done whose answer is lost.
        rewrite: Changes the lines of results.
        refuse: Status with which new jobs are refused; None to take them.
        fail: Whether a job is found wanting after it was taken.
        made: Jobs in order: id, label, keys.
    """

    looks: int = 1
    spoil: dict[str, str] = field(default_factory=dict)
    breaks: dict[str, list[str]] = field(default_factory=dict)
    rewrite: Callable[[str], str] = str
    refuse: int | None = None
    fail: bool = False
    made: list[tuple[str, str, list[str]]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    jobs: dict[str, Body] = field(default_factory=dict)
    lines: dict[str, list[Body]] = field(default_factory=dict)
    looked: dict[str, int] = field(default_factory=dict)


def doors(app: web.Application, server: Server, jobs: Jobs) -> None:
    """Open the further doors of a server."""
    anthropic, openai = _Anthropic(server, jobs), _OpenAI(server, jobs)

    def door(name: str, handler: Handler) -> Handler:
        async def opened(request: web.Request) -> web.StreamResponse:
            kind = jobs.breaks[name].pop(0) if jobs.breaks.get(name) else "whole"
            if kind not in ("whole", "late"):
                return await spoiled(kind, request)
            answer = await handler(request)
            return answer if kind == "whole" else await spoiled("reset", request)

        return opened

    app.router.add_post("/v1/responses", openai.responses)
    app.router.add_post("/v1/files", door("upload", openai.upload))
    app.router.add_get("/v1/files/{id}/content", door("results", openai.content))
    app.router.add_post("/v1/batches", door("create", openai.create))
    app.router.add_get("/v1/batches", door("list", openai.listed))
    app.router.add_get("/v1/batches/{id}", door("state", openai.retrieve))
    app.router.add_post("/anthropic/v1/messages", anthropic.messages)
    app.router.add_post("/anthropic/v1/messages/batches", door("create", anthropic.create))
    app.router.add_get("/anthropic/v1/messages/batches", door("list", anthropic.listed))
    app.router.add_get("/anthropic/v1/messages/batches/{id}", door("state", anthropic.retrieve))
    app.router.add_get(
        "/anthropic/v1/messages/batches/{id}/results", door("results", anthropic.results)
    )


class _OpenAI:
    def __init__(self, server: Server, jobs: Jobs) -> None:
        self._server, self._jobs = server, jobs

    async def responses(self, request: web.Request) -> web.Response:
        body = await request.json()
        status, answer = self._respond(body)
        return web.json_response(answer, status=status)

    def _respond(self, body: Body) -> tuple[int, Body]:
        form = body.get("text", {}).get("format")
        chat: Body = {
            "model": body["model"],
            "messages": [{"role": "system", "content": body["instructions"]}, *body["input"]],
        }
        if form and form["type"] == "json_schema":
            chat["response_format"] = {"type": "json_schema", "json_schema": form}
        status, answer = _answered(self._server, chat)
        if status != 200:
            return status, answer
        choice, usage = answer["choices"][0], answer["usage"]
        content = {"type": "output_text", "text": choice["message"]["content"], "annotations": []}
        message = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [content],
        }
        return 200, {
            "id": "resp_1",
            "object": "response",
            "created_at": 0,
            "model": answer["model"],
            "status": "completed",
            "output": [message],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": usage["prompt_tokens"],
                "input_tokens_details": {"cached_tokens": usage["prompt_tokens"] // 2},
                "output_tokens": usage["completion_tokens"],
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": usage["total_tokens"],
            },
        }

    async def upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        name = f"file-{len(self._jobs.files)}"
        self._jobs.files[name] = file.file.read().decode()
        return web.json_response(
            {
                "id": name,
                "object": "file",
                "bytes": 0,
                "created_at": 0,
                "filename": file.filename,
                "purpose": "batch",
                "status": "processed",
            }
        )

    async def content(self, request: web.Request) -> web.Response:
        return web.Response(text=self._jobs.rewrite(self._jobs.files[request.match_info["id"]]))

    async def create(self, request: web.Request) -> web.Response:
        jobs = self._jobs
        if jobs.refuse is not None:
            return web.json_response({"error": {"message": "no job now"}}, status=jobs.refuse)
        body = await request.json()
        name = f"batch_{len(jobs.jobs)}"
        lines = [json.loads(one) for one in jobs.files[body["input_file_id"]].splitlines()]
        jobs.lines[name] = lines
        jobs.made.append(
            (name, body["metadata"]["reviewscore"], [one["custom_id"] for one in lines])
        )
        jobs.jobs[name] = {
            "id": name,
            "object": "batch",
            "completion_window": "24h",
            "created_at": 0,
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "metadata": body["metadata"],
            "status": "in_progress",
            "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
        }
        return web.json_response(jobs.jobs[name])

    async def listed(self, _: web.Request) -> web.Response:
        data = list(self._jobs.jobs.values())
        return web.json_response({"object": "list", "data": data, "has_more": False})

    async def retrieve(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        job = self._jobs.jobs[name]
        if self._jobs.fail:
            problem = {"object": "list", "data": [{"code": "limit", "message": "queue is full"}]}
            job.update(status="failed", errors=problem)
        elif _looked(self._jobs, name) and job["status"] == "in_progress":
            self._end(name, job)
        return web.json_response(job)

    def _end(self, name: str, job: Body) -> None:
        good, bad = [], []
        for line in self._jobs.lines[name]:
            key = line["custom_id"]
            fate = self._jobs.spoil.pop(key, None)
            if fate == "missing":
                continue
            if fate in ("expired", "canceled"):
                code = "batch_expired" if fate == "expired" else "batch_cancelled"
                error = {"code": code, "message": "not run"}
                bad.append({"id": "r", "custom_id": key, "response": None, "error": error})
                continue
            if fate == "errored":
                status, answer = 500, {"error": {"message": "broken"}}
            elif fate == "too_often":
                status, answer = 429, {"error": {"message": "slow down"}}
            elif line["url"] == "/v1/responses":
                status, answer = self._respond(line["body"])
            else:
                status, answer = _answered(self._server, line["body"])
            response = {"status_code": status, "request_id": "r", "body": answer}
            entry = {"id": "r", "custom_id": key, "response": response, "error": None}
            (good if status == 200 else bad).append(entry)
        for kind, entries in (("output", good), ("error", bad)):
            if entries:
                file = f"file-{len(self._jobs.files)}"
                self._jobs.files[file] = "\n".join(map(json.dumps, entries))
                job[f"{kind}_file_id"] = file
        counts = {"total": len(self._jobs.lines[name]), "completed": len(good), "failed": len(bad)}
        job.update(status="completed", request_counts=counts)


class _Anthropic:
    def __init__(self, server: Server, jobs: Jobs) -> None:
        self._server, self._jobs = server, jobs

    async def messages(self, request: web.Request) -> web.Response:
        status, answer = self._message(await request.json())
        headers = {"retry-after": "0"} if status == 529 else None
        return web.json_response(answer, status=status, headers=headers)

    def _message(self, body: Body) -> tuple[int, Body]:
        first, *rest = body["messages"]
        text = "\n\n".join(block["text"] for block in first["content"] if "text" in block)
        chat: Body = {
            name: body[name]
            for name in ("model", "temperature", "max_tokens", "output_config")
            if name in body
        }
        chat["marks"] = [
            block["cache_control"] for block in first["content"] if "cache_control" in block
        ]
        if any(block["type"] == "image" for block in first["content"]):
            chat["blocks"] = first["content"]
        chat["messages"] = [
            {"role": "system", "content": body["system"]},
            {"role": "user", "content": text},
            *rest,
        ]
        status, answer = _answered(self._server, chat)
        if status != 200:
            kind = {400: "invalid_request_error", 529: "overloaded_error"}.get(status, "api_error")
            return status, {"type": "error", "error": {"type": kind, **answer["error"]}}
        choice, usage = answer["choices"][0], answer["usage"]
        reasons = {"length": "max_tokens", "stop": "end_turn", "content_filter": "refusal"}
        return 200, {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": answer["model"],
            "stop_reason": reasons[choice["finish_reason"]],
            "stop_sequence": None,
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": choice["message"]["content"]},
            ],
            "usage": {
                "input_tokens": max(usage["prompt_tokens"] - 30, 0),
                "cache_read_input_tokens": 20,
                "cache_creation_input_tokens": 10,
                "output_tokens": usage["completion_tokens"],
            },
        }

    async def create(self, request: web.Request) -> web.Response:
        jobs = self._jobs
        if jobs.refuse is not None:
            error = {"type": "api_error", "message": "no job now"}
            return web.json_response({"type": "error", "error": error}, status=jobs.refuse)
        body = await request.json()
        name, now = f"msgbatch_{len(jobs.jobs)}", datetime.now(UTC)
        jobs.lines[name] = body["requests"]
        jobs.made.append((name, "", [one["custom_id"] for one in body["requests"]]))
        jobs.jobs[name] = {
            "id": name,
            "type": "message_batch",
            "created_at": now.isoformat(),
            "expires_at": (now + timedelta(days=1)).isoformat(),
            "processing_status": "in_progress",
            "results_url": None,
            "request_counts": _counts(processing=len(body["requests"])),
        }
        return web.json_response(jobs.jobs[name])

    async def listed(self, _: web.Request) -> web.Response:
        for name in self._jobs.jobs:
            self._look(name)
        data = list(reversed(self._jobs.jobs.values()))
        answer = {"data": data, "has_more": False, "first_id": None, "last_id": None}
        return web.json_response(answer)

    async def retrieve(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        self._look(name)
        return web.json_response(self._jobs.jobs[name])

    def _look(self, name: str) -> None:
        if _looked(self._jobs, name):
            counts = _counts(succeeded=len(self._jobs.lines[name]))
            self._jobs.jobs[name].update(processing_status="ended", request_counts=counts)

    async def results(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        if name not in self._jobs.files:
            entries = [self._entry(line) for line in self._jobs.lines[name]]
            self._jobs.files[name] = "\n".join(json.dumps(one) for one in entries if one)
        return web.Response(
            text=self._jobs.rewrite(self._jobs.files[name]),
            content_type="application/x-jsonl",
            charset="utf-8",
        )

    def _entry(self, line: Body) -> Body | None:
        key = line["custom_id"]
        fate = self._jobs.spoil.pop(key, None)
        if fate == "missing":
            return None
        if fate in ("expired", "canceled"):
            return {"custom_id": key, "result": {"type": fate}}
        status, answer = self._message(line["params"])
        if fate == "errored":
            problem = {"type": "overloaded_error", "message": "busy"}
            status, answer = 500, {"type": "error", "error": problem}
        if status != 200:
            error = {**answer, "request_id": None}
            return {"custom_id": key, "result": {"type": "errored", "error": error}}
        return {"custom_id": key, "result": {"type": "succeeded", "message": answer}}


def _counts(*, processing: int = 0, succeeded: int = 0) -> Body:
    rest = {"errored": 0, "canceled": 0, "expired": 0}
    return {"processing": processing, "succeeded": succeeded, **rest}


def _looked(jobs: Jobs, name: str) -> bool:
    jobs.looked[name] = jobs.looked.get(name, 0) + 1
    return jobs.looked[name] >= jobs.looks


def _answered(server: Server, chat: Body) -> tuple[int, Body]:
    response = server.answer(chat)
    assert isinstance(response.text, str)
    try:
        return response.status, json.loads(response.text)
    except ValueError:
        return response.status, {"error": {"message": re.sub(r"\s+", " ", response.text)}}
