"""A judge on loopback that answers every prompt by its words alone, and counts what it is asked.

``python -m benchmarks.period_judge FILE`` prints its port and writes a line to FILE for each
prompt: the record that was asked for and the remarks it was asked about. The same prompt gets the
same answer; a remark gets another one where the review around it changes, as models do.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

from aiohttp import web

_LISTED = re.compile(r"Judge these remarks: ([\d, and]+)\.")
_MARKED = re.compile(r"⟦(\d+)⟧(.*?)⟦/\1⟧", re.DOTALL)
_REMARK = re.compile(r"<(?:remark|point|weakness|question|claim)-\w+>\n(.*?)\n</", re.DOTALL)
_SENTENCE = re.compile(r"[A-Z][^.\n]{40,160}\.")


def value_of(schema: dict[str, Any], root: dict[str, Any], rng: random.Random, quote: str) -> Any:
    """A value that fits a JSON schema, drawn; every sentence that it quotes is the given one."""
    if "$ref" in schema:
        return value_of(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, rng, quote)
    if "anyOf" in schema:
        return value_of(rng.choice(schema["anyOf"]), root, rng, quote)
    kind = schema.get("type")
    if kind == "object":
        return {
            name: value_of(part, root, rng, quote)
            for name, part in schema.get("properties", {}).items()
        }
    if kind == "array":
        return [value_of(schema["items"], root, rng, quote)]
    plain = {
        "integer": rng.randint(schema.get("minimum", 1), schema.get("maximum", 5)),
        "number": round(rng.random(), 2),
        "boolean": rng.random() < 0.5,
        "null": None,
    }
    choices = schema.get("enum") or [schema.get("const", plain.get(str(kind), quote))]
    return rng.choice(choices)


def answer(body: dict[str, Any]) -> tuple[str, str, list[str]]:
    """The reply to a request, the record that it asks for, and the remarks that it is about."""
    text = str(body["messages"][-1]["content"])
    if "response_format" not in body:
        return "yes", "none", []
    schema = body["response_format"]["json_schema"]["schema"]
    rng = random.Random(hashlib.sha256(text.encode()).digest())
    paper = text.partition("# Task")[0]
    sentences = _SENTENCE.findall(paper) or [paper[:80]]
    value = value_of(schema, schema, rng, rng.choice(sentences))
    name = str(schema.get("title"))
    asked = _LISTED.search(text)
    if asked is None:
        return json.dumps(value), name, _REMARK.findall(text)[-1:]
    numbers = [int(number) for number in re.findall(r"\d+", asked[1])]
    item = schema["properties"]["points"]["items"]
    value["points"] = [
        {**value_of(item, schema, rng, rng.choice(sentences)), "point": number}
        for number in numbers
    ]
    for point in value["points"]:
        for part in point["parts"]:
            part["words"] = ""
    marked = {int(number): words for number, words in _MARKED.findall(text)}
    return json.dumps(value), name, [marked.get(number, "") for number in numbers]


async def serve(kept: Path) -> None:
    """Answer for ever."""

    async def chat(request: web.Request) -> web.Response:
        body = await request.json()
        reply, name, remarks = answer(body)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"record": name, "remarks": remarks}) + "\n")
        message = {"role": "assistant", "content": reply, "refusal": None}
        read = sum(len(str(one["content"])) for one in body["messages"]) // 3
        usage = {"prompt_tokens": read, "completion_tokens": 100, "total_tokens": read + 100}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        whole = {"id": "1", "object": "chat.completion", "created": 0, "model": "words"}
        return web.json_response({**whole, "choices": [choice], "usage": usage})

    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
