"""Model servers of one's own on loopback (Ollama, llama.cpp, vLLM, ..): how they cut and count.

Their tokens are words and signs. A prompt with a code word at its beginning is answered by that
word, if it was read; all others as `tests.loopback` does, from what was read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from tests.loopback import ANSWERS, Served, completion, words_of

_TOKEN = re.compile(r"\w+|[^\w\s]")
_TITLE = re.compile(r'"title": ?"(\w+Reply)"')
Kind = Literal["ollama", "llamacpp", "vllm", "lmstudio", "llama-cpp-python"]

NO_SCHEMA = (
    "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
    "'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}"
)
"""How llama-cpp-python's server refuses the form of a reply."""


def tokens(text: str) -> int:
    """Tokens of a text, as these servers make them."""
    return len(_TOKEN.findall(text))


@dataclass
class LocalModel(Served):
    """A server with one model, ``small``.

    Attributes:
        kind: Which server it is.
        window: Tokens of prompt and reply together that it reads, as it says.
        granted: Tokens that it really reads; None for what it says.
        cuts: Where it cuts longer prompts; empty where it refuses them by name.
        counts: What it says it has read: what it ``read``, what was ``sent``, what was not in its
            cache (``fresh``), or ``nothing``.
        dense: Tokens that it makes of each word and sign.
        forgets: Whether the model does not give code words back.
        spoils: Replies, counted from 0, that are no JSON.
        asked: Bodies of chats in order, those for a code word too.
        paths: Paths that were asked for.
    """

    kind: Kind = "ollama"
    window: int = 32_768
    granted: int | None = None
    cuts: str = ""
    counts: str = "read"
    dense: int = 1
    forgets: bool = False
    spoils: frozenset[int] = frozenset()
    shown: dict[str, object] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    cached: str = ""
    url: str = ""

    @property
    def root(self) -> str:
        """The address without ``/v1``."""
        return self.url.removesuffix("/v1")

    @property
    def judged(self) -> list[dict[str, Any]]:
        """The chats that asked for something else than a code word."""
        return [body for body in self.asked if "code word" not in text_of(body)]

    def routes(self, app: web.Application) -> None:
        app.router.add_route("*", "/{path:.*}", self.handle)

    async def handle(self, request: web.Request) -> web.Response:
        self.paths.append(request.path)
        body = await request.json() if request.can_read_body else {}
        answers = {
            ("ollama", "/api/show"): self._show,
            ("ollama", "/api/chat"): self._ollama,
            ("llamacpp", "/props"): self._props,
            ("llamacpp", "/tokenize"): self._tokenize,
            ("vllm", "/tokenize"): self._tokenize,
            ("lmstudio", "/api/v0/models"): self._loaded,
        }
        if (handler := answers.get((self.kind, request.path))) is not None:
            return handler(body)
        if request.path == "/v1/models":
            return web.json_response({"data": [self._model()]})
        if self.kind != "ollama" and request.path == "/v1/chat/completions":
            return self._chat(body)
        return web.json_response({"error": "not here"}, status=404)

    def _model(self) -> dict[str, object]:
        length = {"max_model_len": self.window} if self.kind == "vllm" else {}
        return {"id": "small", "object": "model", **length}

    def _loaded(self, _: dict[str, Any]) -> web.Response:
        model = {"id": "small", "state": "loaded", "loaded_context_length": self.window}
        return web.json_response({"data": [model]})

    def _props(self, _: dict[str, Any]) -> web.Response:
        settings = {"n_ctx": self.window}
        known = {"default_generation_settings": settings, "total_slots": 1}
        return web.json_response({**known, **self.shown})

    def _tokenize(self, body: dict[str, Any]) -> web.Response:
        text = body["content" if self.kind == "llamacpp" else "prompt"]
        return web.json_response({"tokens": list(range(tokens(text) * self.dense))})

    def _show(self, body: dict[str, Any]) -> web.Response:
        if body["model"] != "small":
            return web.json_response({"error": f"model '{body['model']}' not found"}, status=404)
        known = {"general.architecture": "tiny", "tiny.context_length": self.window}
        return web.json_response({"model_info": known, **self.shown})

    def _ollama(self, body: dict[str, Any]) -> web.Response:
        room = min(body["options"]["num_ctx"], self.granted or self.window)
        text, counted = self._read(body, room)
        if text is None:
            error = "the input length exceeds the context length"
            return web.json_response({"error": error}, status=400)
        reply = self._reply(body, text)
        counts = {} if counted is None else {"prompt_eval_count": counted, "eval_count": 9}
        message = {"role": "assistant", "content": reply}
        answer = {"model": "small", "message": message, "done": True, "done_reason": "stop"}
        return web.json_response({**answer, **counts})

    def _chat(self, body: dict[str, Any]) -> web.Response:
        form = body.get("response_format", {}).get("type")
        if self.kind == "llama-cpp-python" and form == "json_schema":
            return web.json_response({"error": {"message": NO_SCHEMA}}, status=500)
        text, counted = self._read(body, self.granted or self.window)
        if text is None and self.kind == "llama-cpp-python":
            message = (
                f"This model's maximum context length is {self.window} tokens. However, you .."
            )
            return web.json_response({"error": {"message": message}}, status=400)
        if text is None:
            error = {"message": "this is longer than the maximum context length", "code": 400}
            return web.json_response({"error": error}, status=400)
        answer = completion(self._reply(body, text), key="0" * 16, size=0)
        del answer["usage"]
        if counted is not None:
            answer["usage"] = {"prompt_tokens": counted, "completion_tokens": 9}
        return web.json_response(answer)

    def _read(self, body: dict[str, Any], room: int) -> tuple[str | None, int | None]:
        """What is read of a prompt, None if it is refused, and what is said of it."""
        self.asked.append(body)
        text = text_of(body)
        places = [match.start() for match in _TOKEN.finditer(text)]
        sent = len(places)
        if sent * self.dense > room and not self.cuts:
            return None, None
        read = text
        if sent * self.dense > room:
            left = room // self.dense
            half = left // 2
            read = {
                "front": text[places[sent - left] :],
                "end": text[: places[left]],
                "middle": text[: places[half]] + text[places[sent - half] :],
                "half": text[places[sent - half] :],
            }[self.cuts]
        counted: int | None = {"sent": sent, "nothing": 0}.get(
            self.counts, tokens(read) * self.dense
        )
        if self.counts == "fresh":
            same = next((n for n, (a, b) in enumerate(zip(self.cached, read, strict=False))
                         if a != b), min(len(self.cached), len(read)))  # fmt: skip
            counted, self.cached = tokens(read[same:]), read
        return read, counted or None

    def _reply(self, body: dict[str, Any], read: str) -> str:
        if "code word" in text_of(body):
            word = re.search(r"The code word is (\w+)", read)
            asked = "Answer with this code word alone" in read
            given = word is not None and asked and not self.forgets
            return f"It is {word[1]}." if word and given else "I see none."
        if len(self.judged) - 1 in self.spoils:
            return "Let me think about this."
        name = _TITLE.findall(text_of(body))[-1]
        return json.dumps(ANSWERS[name](read))


def text_of(body: dict[str, Any]) -> str:
    """All that a request says, in order."""
    return "\n\n".join(words_of(message["content"]) for message in body["messages"])
