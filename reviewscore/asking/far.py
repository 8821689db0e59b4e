"""Questions put on worker processes, for runs that ask more than one process can."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from reviewscore import prompts
from reviewscore.config import Settings
from reviewscore.engine.crew import Crew, LostError
from reviewscore.errors import ProviderError
from reviewscore.judges.asker import Asker, Judged, Manner
from reviewscore.llm.client import Client, Traffic
from reviewscore.llm.connect import RunContext, connect, open_ledger
from reviewscore.llm.ledger import store
from reviewscore.schema.paper import Paper

T = TypeVar("T", bound=BaseModel)

_TRIES = 3
"""How often a question is put whose worker is lost."""


class Asks(Protocol):
    """What puts questions (`judges.asker.Asker`), here or elsewhere."""

    async def ask(
        self,
        prompt: str,
        output: type[T],
        *,
        paper: Paper | None = None,
        check: Callable[[T], None] | None = None,
        **variables: object,
    ) -> Judged[T]:
        """Ask with one prompt; see `judges.asker.Asker.ask`."""
        ...


@dataclass(frozen=True)
class Orders:
    """What every worker is told; paths in it are whole.

    Attributes:
        settings: How to ask.
        out: The folder that is written into.
        run_id: Name of the run in the ledger.
        renew: Whether unusable recorded replies may be asked for anew, once.
        refused: What earlier sessions of the run have found models to refuse.
    """

    settings: Settings
    out: Path
    run_id: str
    renew: bool
    refused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class _Bench:
    """What a worker works with."""

    settings: Settings
    client: Client
    askers: dict[str, Asker] = field(default_factory=dict)


@dataclass(frozen=True)
class FarAsker:
    """Puts questions to a model on the workers.

    Args:
        crew: The workers.
        model: ``provider/name``.
        traffic: Calls of each worker so far; kept up to date.
    """

    crew: Crew
    model: str
    traffic: dict[str, Traffic]

    async def ask(
        self,
        prompt: str,
        output: type[T],
        *,
        paper: Paper | None = None,
        check: Callable[[T], None] | None = None,
        **variables: object,
    ) -> Judged[T]:
        """Ask with one prompt; see `judges.asker.Asker.ask`.

        Raises:
            ModelError: There is no usable reply.
            StopError: Nothing more can be asked.
        """
        given = {"paper": paper, "check": check, **variables}
        for _ in range(_TRIES):
            try:
                judged, worker, traffic = await self.crew.do(
                    _ask, self.model, prompt, output, given
                )
            except LostError:
                continue
            self.traffic[worker] = traffic
            return judged
        raise ProviderError("the process that asked was lost each time", retryable=False)


@asynccontextmanager
async def open_bench(orders: Orders, around: RunContext) -> AsyncIterator[_Bench]:
    """What a worker works with.

    Raises:
        SettingsError, RunFolderError: Something cannot be used on this machine.
    """
    book = await open_ledger(orders.settings, orders.out, run=orders.run_id)
    try:
        around = replace(around, renew=orders.renew, refused=orders.refused)
        client = await connect(orders.settings, book, around)
        try:
            yield _Bench(orders.settings, client)
        finally:
            await client.close()
    finally:
        book.close()


async def halt(bench: _Bench) -> None:
    """Begin nothing new; calls under way finish and are recorded."""
    bench.client.stop()


async def _ask(
    bench: _Bench, model: str, prompt: str, output: type[T], given: Mapping[str, Any]
) -> tuple[Judged[T], str, Traffic]:
    """Ask; returns the reply, the name of this process, and its calls so far."""
    if model not in bench.askers:
        manner = Manner.of(bench.settings)
        bench.askers[model] = Asker(bench.client, model=model, manner=manner)
    with prompts.use_directory(bench.settings.prompts_dir):
        judged = await bench.askers[model].ask(prompt, output, **given)
    return judged, store.process_name(), bench.client.traffic
