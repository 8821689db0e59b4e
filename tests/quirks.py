"""What a server on loopback answers in place of its script."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from tests.loopback import Body, completion, schema_name

Quirk = Callable[[Body, int], web.Response | None]


def complaint(words: str, status: int = 400, **fields: object) -> web.Response:
    """An error in the form that most servers give it."""
    return web.json_response({"error": {"message": words, **fields}}, status=status)


def complains(words: str, status: int = 400, *, about: str = "", record: str = "") -> Quirk:
    """Refuses requests with a field, or for a record; without either, all."""

    def quirk(body: Body, _: int) -> web.Response | None:
        refused = about in body if about else record in ("", schema_name(body))
        return complaint(words, status) if refused else None

    return quirk


def replies(text: str, *records: str, refusal: str | None = None) -> Quirk:
    """Gives one reply to all requests for these records; without any, to all requests."""

    def quirk(body: Body, _: int) -> web.Response | None:
        if records and schema_name(body) not in records:
            return None
        answer = completion(text, key="k" * 16, size=40)
        answer["choices"][0]["message"]["refusal"] = refusal  # type: ignore[index]
        return web.json_response(answer)

    return quirk


NO_TEMPERATURE = complains("temperature is not supported with this model", about="temperature")
RESPONSES_ONLY = complains(  # what is asked at that endpoint has no temperature here
    "This model is only supported in v1/responses and not in v1/chat/completions.",
    404,
    about="temperature",
)
