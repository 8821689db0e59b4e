"""A ledger that lasts as long as the process, for library users and tests."""

from __future__ import annotations

from reviewscore.llm.ledger.paid import Paid
from reviewscore.schema.call import Call, Completion


class CallsInMemory:
    """Remembers calls; implements `llm.sending.Book`."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._latest: dict[str, Call] = {}
        self._doubtful = 0.0

    async def find(self, key: str) -> Completion | None:
        """The latest reply to an equal call."""
        call = self._latest.get(key)
        return None if call is None else call.completion

    async def use(self, key: str) -> None:
        """Note nothing: all calls are this process's own."""

    async def claim(
        self, key: str, usd: float | None, *, seconds: float, unless_known: bool = False
    ) -> bool:
        """Every call is ours."""
        return True

    async def holder(self, key: str) -> str | None:
        """Nobody else is there."""
        return None

    async def add(self, call: Call, *, doubtful: float | None = None) -> None:
        """Remember a call."""
        self._doubtful += doubtful or 0.0
        self.calls.append(call)
        self._latest[call.key] = call

    async def drop(self, key: str, *, doubtful: float | None = None) -> None:
        """Remember what a failure may have cost."""
        self._doubtful += doubtful or 0.0

    async def paid(self) -> Paid:
        """What all calls came to."""
        usages = [call.completion.usage for call in self.calls]
        return Paid(
            calls=len(self.calls),
            input_tokens=sum(usage.input_tokens for usage in usages),
            cached_tokens=sum(usage.cached_tokens for usage in usages),
            written_tokens=sum(usage.written_tokens for usage in usages),
            output_tokens=sum(usage.output_tokens for usage in usages),
            usd=sum(call.usd or 0.0 for call in self.calls),
            unpriced=sum(call.usd is None for call in self.calls),
            batched=sum(call.completion.batch for call in self.calls),
            doubtful=self._doubtful,
            models=tuple(sorted({call.completion.model for call in self.calls})),
        )
