"""A server on loopback that gives log-probabilities of prompts, by a small model of its own.

A token's weight is a smoothed bigram of it and the one before, raised by how often it stood in the
text before: a distribution over a fixed vocabulary, and one in which contexts matter.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from aiohttp import web

from tests.loopback import Served

VOCABULARY = 4096
BOS = "<|bos|>"
_WORDS = re.compile(r"<\|\w+\|>|</s>|\[/?INST\]|\n+| ?[A-Za-z]+|.", re.DOTALL)
_SEEN = 50.0
Fail = Callable[[str, dict[str, Any], int], web.Response | None]
Spoil = Callable[[list[float | None]], list[float | None]]


@cache
def _weights(before: int) -> float:
    return float(sum(1 + (before * 31 + one * 17) % 11 for one in range(VOCABULARY)))


def log_probabilities(ids: list[int]) -> list[float | None]:
    """Of each token given all before it; None for the first."""
    values: list[float | None] = [None]
    seen: Counter[int] = Counter(ids[:1])
    for number in range(1, len(ids)):
        before, one = ids[number - 1], ids[number]
        weight = 1 + (before * 31 + one * 17) % 11 + _SEEN * seen[one]
        values.append(math.log(weight / (_weights(before) + _SEEN * number)))
        seen[one] += 1
    return values


@dataclass
class ScoringServer(Served):
    """The server.

    Attributes:
        tokenizes: Whether it has ``/tokenize`` and ``/detokenize``.
        templates: Whether it has a chat template.
        gives: ``prompt_logprobs``, ``echo`` (refuses the other), ``ignores`` (takes it without a
            word) or ``none``.
        least: Fewest tokens that it can be asked to generate.
        limit: Most tokens it reads.
        counts_bos: Whether offsets count the text of its own first token.
        fail: May answer in another way (path, body, how often this body came).
        spoil: May change the log-probabilities.
    """

    tokenizes: bool = True
    templates: bool = True
    gives: str = "prompt_logprobs"
    least: int = 0
    limit: int = 2048
    counts_bos: bool = True
    fail: Fail | None = None
    spoil: Spoil | None = None
    bodies: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    most: int = 0
    url: str = ""
    _times: Counter[str] = field(default_factory=Counter)
    _vocabulary: dict[str, int] = field(default_factory=dict)
    _under_way: int = 0

    def ids(self, text: str, *, bos: bool = False) -> list[int]:
        words = [BOS, *_WORDS.findall(text)] if bos else _WORDS.findall(text)
        known = self._vocabulary
        return [known.setdefault(word, len(known)) for word in words]

    def words(self, ids: list[int]) -> list[str]:
        named = {number: word for word, number in self._vocabulary.items()}
        return [named[one] for one in ids]

    def scored(self) -> list[dict[str, Any]]:
        """Bodies of the completion requests."""
        return [body for path, body in self.bodies if path == "/v1/completions"]

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        path = request.path
        key = path + json.dumps(body, sort_keys=True)
        self._times[key] += 1
        self.bodies.append((path, body))
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        try:
            await asyncio.sleep(0.001)
            failed = self.fail and self.fail(path, body, self._times[key])
            return failed or self._answer(path, body)
        finally:
            self._under_way -= 1

    def _answer(self, path: str, body: dict[str, Any]) -> web.Response:
        if path == "/v1/completions":
            return self._completion(body)
        if not self.tokenizes:
            return web.json_response({"detail": "Not Found"}, status=404)
        if path == "/detokenize":
            return web.json_response({"prompt": "".join(self.words(body["tokens"]))})
        if "messages" in body:
            if not self.templates:
                return refusal("no chat template")
            turns = [f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n"
                     for one in body["messages"]]  # fmt: skip
            ids = self.ids("".join(turns) + "<|im_start|>assistant\n", bos=True)
        else:
            ids = self.ids(body["prompt"], bos=body["add_special_tokens"])
        return web.json_response({"tokens": ids, "count": len(ids), "max_model_len": self.limit})

    def _completion(self, body: dict[str, Any]) -> web.Response:
        prompt = body["prompt"]
        ids = self.ids(prompt, bos=True) if isinstance(prompt, str) else prompt
        if self.gives == "echo" and "prompt_logprobs" in body:
            return refusal("Unrecognized request argument: prompt_logprobs")
        if body["max_tokens"] < self.least:
            return refusal(f"max_tokens must be at least {self.least}")
        if len(ids) + body["max_tokens"] > self.limit:
            return refusal(f"This model's maximum context length is {self.limit} tokens")
        values = log_probabilities(ids)
        if self.spoil is not None:
            values = self.spoil(values)
        choice: dict[str, Any] = {"index": 0, "text": "x", "finish_reason": "length"}
        if self.gives == "prompt_logprobs" and "prompt_logprobs" in body:
            top = {str(VOCABULARY + 1): {"logprob": -0.1, "rank": 1}}
            choice["prompt_logprobs"] = [
                None if value is None else {**top, str(one): {"logprob": value, "rank": 2}}
                for one, value in zip(ids, values, strict=False)
            ]
        elif self.gives in ("prompt_logprobs", "echo", "ignores") and body.get("echo"):
            choice["logprobs"] = self._echo(ids, values, generated=body["max_tokens"])
        usage = {"prompt_tokens": len(ids), "completion_tokens": body["max_tokens"]}
        whole = {"id": "cmpl-1", "model": "tiny-1", "choices": [choice], "usage": usage}
        return web.Response(text=json.dumps(whole), content_type="application/json")

    def _echo(
        self, ids: list[int], values: list[float | None], *, generated: int
    ) -> dict[str, Any]:
        words = self.words(ids) + ["x"] * generated
        shown = list(words)
        if not self.counts_bos:
            shown[0] = ""
        offsets = [sum(map(len, shown[:number])) for number in range(len(words))]
        return {
            "tokens": words,
            "token_logprobs": [*values, *[-0.5] * generated],
            "text_offset": offsets,
        }

    def routes(self, app: web.Application) -> None:
        for path in ("/tokenize", "/detokenize", "/v1/completions"):
            app.router.add_post(path, self.handle)


def refusal(message: str, status: int = 400, **headers: str) -> web.Response:
    """An error in the protocol's form."""
    return web.json_response({"error": {"message": message}}, status=status, headers=headers)
