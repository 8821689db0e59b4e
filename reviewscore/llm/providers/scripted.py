"""The fake for every test: replies come from a list or a function of the request."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from reviewscore.errors import ProviderError
from reviewscore.llm.provider import Provider
from reviewscore.schema.call import Completion, Request, Usage

Reply = str | Completion | Exception
Script = Callable[[Request], Reply | Awaitable[Reply]]


class ScriptedProvider(Provider):
    """Answers from a script and remembers what it was asked.

    Args:
        script: Replies in order, or a (possibly async) function of the request. An exception is
            raised instead of returned.

    Attributes:
        requests: Every request, in order.
    """

    place = "scripted"

    def __init__(self, script: Sequence[Reply] | Script) -> None:
        self._script = script if callable(script) else None
        self._queue: deque[Reply] = deque() if callable(script) else deque(script)
        self.requests: list[Request] = []

    @property
    def left_over(self) -> int:
        """Replies nobody asked for."""
        return len(self._queue)

    async def complete(self, request: Request) -> Completion:
        """Give the next reply of the script."""
        self.requests.append(request)
        if self._script is not None:
            outcome = self._script(request)
            reply = await outcome if inspect.isawaitable(outcome) else outcome
        elif self._queue:
            reply = self._queue.popleft()
        else:
            raise ProviderError("the script has no reply left", retryable=False)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Completion):
            return reply
        size = sum(len(message.content) for message in request.conversation())
        usage = Usage(input_tokens=size // 4, output_tokens=len(reply) // 4)
        return Completion(text=reply, model=request.model, reply_id="scripted", usage=usage)
