"""Models behind servers that give log-probabilities of a prompt (vLLM), as evaluation models.

Calls go the way of all calls: through the ledger, the budget, the lane and the retries of
`llm.client`. What was computed once is found again by the next run, and a kill loses nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal

from pydantic import ValidationError

from reviewscore.errors import ModelError, SettingsError, StopError, StoppedError
from reviewscore.gem.evaluation import LogProbability, Question, Steadiness, check_steadiness
from reviewscore.gem.layout import Layout, chat_layout, forms, plain_layout, reference_of
from reviewscore.llm.budget import Budget
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.store import CallsInMemory, CallStore
from reviewscore.llm.local_servers import starter
from reviewscore.llm.prices import Price
from reviewscore.llm.provider import check_model
from reviewscore.llm.providers.completions import CompletionsProvider, ScoredTokens
from reviewscore.llm.retry import with_retries
from reviewscore.papers.hygiene import broken_up
from reviewscore.schema.call import Completion, Message, Request

PREFIX = "server/"
STAGE = "gem"
Form = Literal["auto", "chat", "plain"]


@dataclass(frozen=True)
class Means:
    """What calls are made with.

    Attributes:
        book: The record of calls; one that lasts as long as the process if not given.
        limits: How many calls at once, how often tried again, how long waited for.
        budget: The spending cap.
        price: The price of the model, if it is known; that of one's own server is not.
        say: Told what the user should know.
    """

    book: CallStore = field(default_factory=CallsInMemory)
    limits: CallLimits = field(default_factory=CallLimits)
    budget: Budget = field(default_factory=Budget)
    price: Callable[[str], Price | None] = lambda _: None
    say: Callable[[str], None] = lambda _: None


class CompletionsModel:
    """Log-probabilities of forced continuations by a server.

    The server's tokenizer reads control markers wherever they stand; those in synopsis, candidate
    and reference are therefore broken up by a space (`hygiene.broken_up`), and the text so changed
    is what is scored. A call that fails for good is the reason of its own answer. Not for use
    inside a running event loop.

    Args:
        model: ``server/NAME``, or the name that the server knows.
        base_url: The server's address; its key, if it wants one, is OPENAI_API_KEY.
        means: What calls are made with.
        form: Whether the prompt goes into the server's chat template; ``auto`` does so where the
            server shows its template.

    Raises:
        SettingsError: The address or the key cannot be sent.
    """

    def __init__(
        self, model: str, *, base_url: str, means: Means | None = None, form: Form = "auto"
    ) -> None:
        name = model.removeprefix(PREFIX)
        check_model(f"openai/{name}", base_url=base_url)
        self.name, self._form = f"{PREFIX}{name}", form
        self._means = means or Means()
        self._base_url = base_url
        self._runner = asyncio.Runner()
        self._provider: CompletionsProvider | None = None
        self._layout: Layout | None = None

    def __enter__(self) -> CompletionsModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self) -> Steadiness:
        """Ask the server the same questions twice, past the record of calls.

        Raises:
            SettingsError: It gives no log-probabilities, or too different ones.
            StopError: It cannot be reached, or gives no access.
        """
        return check_steadiness(_Anew(self.name, lambda asked: self._run(asked, renew=True)))

    def answers(self, questions: Sequence[Question]) -> list[LogProbability]:
        """One answer for each question, in order; equal questions are asked once.

        Raises:
            StopError: Nothing more can be asked; what was answered is in the record.
            SettingsError: The server has no chat template where one was wanted.
        """
        return self._run(questions, renew=False)

    def close(self) -> None:
        """Close the connections."""
        if self._provider is not None:
            self._runner.run(self._provider.close())
        self._runner.close()

    def _run(self, questions: Sequence[Question], *, renew: bool) -> list[LogProbability]:
        return self._runner.run(self._all(questions, renew=renew))

    async def _all(self, questions: Sequence[Question], *, renew: bool) -> list[LogProbability]:
        provider, fixed = await self._opened()
        means = self._means
        client = Client(
            lambda _: provider, means.book, limits=means.limits, budget=means.budget,
            price=means.price, say=means.say,
        )  # fmt: skip

        async def one(question: Question) -> LogProbability:
            if not question.reference.strip():
                return LogProbability(None, 0, "the reference is empty")
            try:
                request = self._request(question, fixed)
                completion, _ = await client.complete(request, stage=STAGE, renew=renew)
                return _answer(completion)
            except ModelError as error:
                return LogProbability(None, 0, str(error))
            except StopError:
                client.stop()  # those under way are paid for: they finish and are recorded
                raise

        distinct = list(dict.fromkeys(questions))
        found = await asyncio.gather(*map(one, distinct), return_exceptions=True)
        failures = [error for error in found if isinstance(error, BaseException)]
        if failures:
            raise next((e for e in failures if not isinstance(e, StoppedError)), failures[0])
        known = dict(zip(distinct, found, strict=True))
        return [
            answer
            for question in questions
            if isinstance(answer := known[question], LogProbability)
        ]

    async def _opened(self) -> tuple[CompletionsProvider, Layout]:
        """The provider and the layout; which doors the server has is asked once."""
        if self._provider is None:
            self._provider = CompletionsProvider(
                base_url=self._base_url, timeout=self._means.limits.timeout
            )
        provider = self._provider
        if self._layout is None:
            fixed, _ = await with_retries(
                lambda: self._laid_out(provider),
                max_retries=self._means.limits.max_retries,
                start=starter(self.name, self._base_url),
            )
            self._layout, provider.begins = fixed, not fixed.chat
        return provider, self._layout

    async def _laid_out(self, provider: CompletionsProvider) -> Layout:
        chat = self._form != "plain" and await provider.door(self.name) == "tokens"
        made = None
        if chat:
            shown = {}
            for turns in forms():
                shown[str(turns)] = await provider.template(self.name, turns)
            try:
                made = chat_layout(lambda turns: _known(shown[str(turns)]))
            except SettingsError:
                made = None
        if made is None and self._form == "chat":
            raise SettingsError(f"{self.name}: the server shows no chat template that can be used")
        return made or plain_layout()

    def _request(self, question: Question, fixed: Layout) -> Request:
        parts = fixed.context(question)
        messages = [
            Message(
                role="user" if part.foreign else "system",
                content=broken_up(part.text) if part.foreign else part.text,
            )
            for part in parts[1:]
        ]
        reference = broken_up(reference_of(question))
        return Request(
            model=self.name,
            system=parts[0].text,
            messages=(*messages, Message(role="assistant", content=reference)),
            schema_name="Scored",
            reply_schema="",
            structured="text",
            max_tokens=1,
        )


class _Anew:
    """The same model past the record of its answers."""

    def __init__(
        self, name: str, ask: Callable[[Sequence[Question]], list[LogProbability]]
    ) -> None:
        self.name, self._ask = name, ask

    def answers(self, questions: Sequence[Question]) -> list[LogProbability]:
        """One answer for each question, in order."""
        return self._ask(questions)


def _answer(completion: Completion) -> LogProbability:
    """The answer that a recorded reply holds."""
    try:
        scored = ScoredTokens.model_validate_json(completion.text)
    except ValidationError as error:
        return LogProbability(
            None, 0, f"the recorded reply cannot be read ({error.error_count()} errors)"
        )
    if scored.problem or not scored.logprobs:
        return LogProbability(None, scored.tokens, scored.problem or "the server scored no token")
    return LogProbability(fsum(scored.logprobs), scored.tokens)


def _known(text: str | None) -> str:
    if text is None:
        raise ValueError("the server does not show it")
    return text
