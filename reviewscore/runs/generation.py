"""Rows that models write: files with a line for each text, streamed, resumable, stoppable."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, Field, ValidationError

from reviewscore import prompts
from reviewscore.config import Plain, Settings
from reviewscore.errors import (
    BadReplyError,
    FilteredError,
    InputError,
    ProviderError,
    RefusalError,
    ReviewScoreError,
    RunFolderError,
    SettingsError,
    StopError,
    TruncatedError,
)
from reviewscore.files import InputFile, JsonLines, read_whole, write_whole
from reviewscore.judges.asker import ASKING_VERSION, Asker, Judged, SamplingParams
from reviewscore.llm.client import Client, Traffic
from reviewscore.llm.confidentiality import kept_rule, rule_of, settled, with_kept
from reviewscore.llm.connect import RunContext, check, connect, open_ledger
from reviewscore.llm.ledger import store
from reviewscore.llm.ledger.store import CallStore
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.runs.folder import LockedFolder, parsed_lines
from reviewscore.runs.manifest import (
    FRAME,
    METHOD,
    PROMPT,
    RunManifest,
    first_difference,
    of_the_same_prompts,
)
from reviewscore.runs.ray_pool import (
    NEEDS_LEDGER,
    LostError,
    WorkerOrders,
    WorkerPool,
    absolute_paths,
    check_engine,
    open_pool,
)
from reviewscore.runs.session import Clock, Outcome, Say, Session, interruptible
from reviewscore.schema.confidentiality import Consent
from reviewscore.schema.paper import Paper
from reviewscore.schema.record import Record
from reviewscore.schema.verdict import Provenance

log = logging.getLogger(__name__)

ReplyT = TypeVar("ReplyT", bound=BaseModel)
ResultT = TypeVar("ResultT")
ThingT = TypeVar("ThingT")

_ASKED = ("base_url", "temperature", "effort", "max_tokens", "structured")
"""Settings that can change a reply."""
_TRIES = 3
"""How often a question is put whose worker is lost."""


class GenerationManifest(RunManifest):
    """The manifest of a folder of texts.

    Attributes:
        counts: How many of what.
        failures: How many failed, by what was asked and then by kind.
    """

    schema_id: Literal["reviewscore.account/1"] = Field(
        default="reviewscore.account/1", alias="schema"
    )
    counts: dict[str, int] = Field(default_factory=dict)
    failures: dict[str, dict[str, int]] = Field(default_factory=dict)


def new_manifest(
    names: tuple[str, ...],
    settings: Settings,
    *,
    inputs: tuple[InputFile, ...] = (),
    more: Mapping[str, Plain] | None = None,
) -> GenerationManifest:
    """What a run is to be made with.

    Args:
        names: Names of the prompts that are used, beside those that every question is put with.
        settings: How they are asked.
        inputs: The files read.
        more: Further settings that can change a text.
    """
    asked = settings.decisive()
    used = {prompt.prompt_id: prompt.sha256 for prompt in map(prompts.latest, (*names, *FRAME))}
    decisive: dict[str, Plain] = {
        **{name: asked[name] for name in _ASKED},
        f"{METHOD}asking": ASKING_VERSION,
        **{f"{PROMPT}{name}": sha256 for name, sha256 in used.items()},
        **(more or {}),
    }
    return GenerationManifest(
        decisive=decisive, prompts=used, inputs=inputs, confidentiality=rule_of(settings)
    )


class GenerationFolder(LockedFolder):
    """A folder of texts opened for writing; one process at a time.

    Args:
        path: The folder; made if it is not there.
        name: File of the manifest.
        manifest: What is to be made.

    Attributes:
        manifest: That, with what an earlier session left.

    Raises:
        RunFolderError: Another process writes to it, it was made otherwise, it holds something
            else, or it cannot be written.
    """

    def __init__(self, path: Path, name: str, manifest: GenerationManifest) -> None:
        super().__init__(path)
        self._file = path / name
        try:
            self.update(self._continued(manifest))
        except BaseException:
            self.close()
            raise

    def _continued(self, new: GenerationManifest) -> GenerationManifest:
        if not self._file.is_file():
            foreign = self.foreign()
            if foreign is not None:
                raise RunFolderError(
                    f"{self.path} holds {foreign!r} and no {self._file.name}; choose another folder"
                )
            return new
        try:
            old = GenerationManifest.model_validate_json(read_whole(self._file) or b"")
        except ValidationError as error:
            raise RunFolderError(
                f"{self._file}: not an account of this version of reviewscore"
            ) from error
        # A prompt that one session asks and the other does not decides nothing between them.
        difference = first_difference(*of_the_same_prompts(old.decisive, new.decisive))
        if difference is not None:
            raise RunFolderError(
                f"{self.path} was made otherwise: {difference}; "
                "use the same settings, or another folder"
            )
        both = {
            "decisive": {**old.decisive, **new.decisive},
            "prompts": {**old.prompts, **new.prompts},
        }
        return new.model_copy(update=new.taken_over(old) | both)

    def update(self, manifest: GenerationManifest) -> None:
        """Replace the manifest."""
        self.manifest = manifest
        write_whole(self._file, manifest.model_dump_json(indent=2) + "\n")


@contextmanager
def generation_folder(
    out: Path,
    name: str,
    used: tuple[str, ...],
    settings: Settings,
    *,
    inputs: Iterable[InputFile] = (),
    more: Mapping[str, Plain] | None = None,
) -> Iterator[GenerationFolder]:
    """A folder of texts opened for writing, with the prompts of the settings while it is open.

    Args:
        out: The folder; it must be new, or of an earlier session.
        name: File of the manifest.
        used: Names of the prompts that are used.
        settings: Name the models and the limits.
        inputs: The files read.
        more: Further settings that can change a text.

    Raises:
        ConfidentialityError: Texts would leave this machine, which is not allowed.
        SettingsError: No model is named, or it cannot be asked.
        RunFolderError: The folder cannot be used.
    """
    settings = with_kept(settings, kept_rule(out / name))
    check_models(settings)
    settings = settled(settings)
    with prompts.use_directory(settings.prompts_dir):
        manifest = new_manifest(used, settings, inputs=tuple(inputs), more=more)
        with GenerationFolder(out, name, manifest) as folder:
            yield folder


State: TypeAlias = Literal["made", "given", "none", "no-text", "not-asked", "failed"]
"""How a text came about: a model wrote it; it came with the input; the model says that there is
nothing to write; there was nothing to read; it was not wanted; the model gave nothing usable."""

_KINDS: tuple[tuple[type[Exception], str], ...] = (
    (RefusalError, "the model declined"),
    (TruncatedError, "the reply was cut off"),
    (FilteredError, "the provider's filter withheld the reply"),
    (BadReplyError, "no reply fitted"),
    (ProviderError, "the provider failed"),
    (InputError, "the paper cannot be read"),
)


class GeneratedRow(Record):
    """What every line says of how its text came about.

    Attributes:
        state: How.
        failure: Of a failed one, the kind of failure; empty otherwise.
        reason: Of a failed one, the error in words; empty otherwise.
        provenance: Model, prompt and call, where a model answered.
        consent: Who may judge it, which is who may judge what it was made of.
    """

    state: State
    failure: str = ""
    reason: str = ""
    provenance: Provenance | None = None
    consent: Consent | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def key(self) -> str:
        """What tells it from the other lines of its file."""
        raise NotImplementedError


RowT = TypeVar("RowT", bound=GeneratedRow)


class Counted(Protocol):
    """What a manifest counts of a file of rows."""

    def states(self) -> Counter[str]:
        """How many rows came about in which way."""

    def failures(self) -> Counter[str]:
        """How many rows failed, by kind."""


def failed(error: Exception) -> dict[str, object]:
    """State, kind and reason of a failure, as fields of a `GeneratedRow`."""
    kind = next((words for type_, words in _KINDS if isinstance(error, type_)), "unexpected error")
    reason = str(without_surrogates(f"{type(error).__name__}: {error}"))
    return {"state": "failed", "failure": kind, "reason": reason}


class Rows(Generic[RowT]):
    """One file of rows, appended to while a run goes on.

    Args:
        path: The file; made if it is not there.
        kind: Record of its lines.
        retry_errors: Forget failed rows, so that they are asked for again.

    Attributes:
        done: Rows by key.

    Raises:
        RunFolderError: A line is no such record, or the file cannot be written.
    """

    def __init__(self, path: Path, kind: type[RowT], *, retry_errors: bool = False) -> None:
        self.path = path
        self.done: dict[str, RowT] = {row.key: row for row in read_rows(path, kind)}
        if retry_errors:
            self._keep(value for value in self.done.values() if value.state != "failed")
        self._file = JsonLines(path)

    def add(self, row: RowT) -> None:
        """Write a row; it is with the operating system when this returns."""
        self._file.append(row.model_dump_json())
        self.done[row.key] = row

    def forget(self, key: str) -> None:
        """Take a row for not done; a new one, written later, replaces it."""
        self.done.pop(key, None)

    def finish(self, keys: Iterable[str]) -> None:
        """Keep the rows of these keys, in this order, so that equal runs leave equal files."""
        self._file.close()
        self._keep(self.done[key] for key in keys if key in self.done)
        self._file = JsonLines(self.path)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _keep(self, rows: Iterable[RowT]) -> None:
        kept = {row.key: row for row in rows}
        write_whole(self.path, "".join(f"{value.model_dump_json()}\n" for value in kept.values()))
        self.done = kept

    def states(self) -> Counter[str]:
        """How many rows came about in which way."""
        return Counter(value.state for value in self.done.values())

    def failures(self) -> Counter[str]:
        """How many rows failed, by kind."""
        return Counter(value.failure for value in self.done.values() if value.state == "failed")


def read_rows(path: Path, kind: type[RowT]) -> Iterator[RowT]:
    """The rows of a file, in order.

    Raises:
        RunFolderError: A line is no such record; names file and line.
    """
    return (row for _, row in parsed_lines(path, kind.model_validate_json))


@dataclass(eq=False, kw_only=True)
class GenerationSession(Session):
    """What one session works with; questions are put by this process or by its workers.

    Attributes:
        new: Texts written.
        computing: Tasks that compute in threads, after which more may be asked.
    """

    client: Client
    new: int = 0
    computing: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _askers: dict[str, Asks] = field(default_factory=dict)

    def asker(self, model: str) -> Asks:
        """Puts questions to a model."""
        if model not in self._askers:
            self._askers[model] = (
                Asker(self.client, model=model, sampling=SamplingParams.of(self.settings))
                if self.pool is None
                else RemoteAsker(self.pool, model, self.worker_traffic)
            )
        return self._askers[model]

    async def compute(self, work: Callable[[], ResultT]) -> ResultT:
        """Do in a thread what takes the processor a while between two questions.

        Until it ends, whoever collects questions knows that there may be more of them. One works at
        a time: stemming, of which looking things up is made, is not safe in several threads.
        """
        self.computing += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(work)
        finally:
            self.computing -= 1

    async def write(
        self,
        rows: Rows[RowT],
        make: Callable[[], Awaitable[RowT]],
        instead: Callable[[dict[str, object]], RowT],
    ) -> None:
        """Make one row and write it down, whatever comes of it.

        Args:
            rows: The file.
            make: Asks for the row.
            instead: The row of a failure, from its fields.
        """
        try:
            row = await make()
        except StopError as error:
            self.stop_for(error)
            return
        except Exception as error:  # the outer loop: one bad text never ends a batch
            if not isinstance(error, ReviewScoreError):
                log.exception("a text failed")
            row = instead(failed(error))
            self.say(f"{row.key}: {row.reason}")
        try:
            rows.add(row)
        except StopError as error:
            self.stop_for(error)
            return
        self.new += 1


@dataclass(frozen=True)
class RemoteAsker:
    """Puts questions to a model on the workers.

    Args:
        pool: The workers.
        model: ``provider/name``.
        traffic: Calls of each worker so far; kept up to date.
    """

    pool: WorkerPool
    model: str
    traffic: dict[str, Traffic]

    async def ask(
        self,
        prompt: str,
        output: type[ReplyT],
        *,
        paper: Paper | None = None,
        check: Callable[[ReplyT], None] | None = None,
        **variables: object,
    ) -> Judged[ReplyT]:
        """Ask with one prompt; see `judges.asker.Asker.ask`.

        Raises:
            ModelError: There is no usable reply.
            StopError: Nothing more can be asked.
        """
        given = {"paper": paper, "check": check, **variables}
        try:
            judged, worker, traffic = await self.pool.do(
                _ask, self.model, prompt, output, given, tries=_TRIES
            )
        except LostError as error:
            problem = "the process that asked was lost each time"
            raise ProviderError(problem, retryable=False) from error
        self.traffic[worker] = traffic
        return judged


Asks: TypeAlias = Asker | RemoteAsker
"""What puts questions, in this process or on workers."""


@dataclass
class _WorkerContext:
    """What a worker that puts questions works with."""

    settings: Settings
    client: Client
    askers: dict[str, Asker] = field(default_factory=dict)

    def stop(self, reason: str | None) -> None:
        """Begin nothing new; calls under way finish and are recorded."""
        del reason
        self.client.stop()


@asynccontextmanager
async def _open_context(orders: WorkerOrders, around: RunContext) -> AsyncIterator[_WorkerContext]:
    async with orders.open_calls(around) as (calls, known):
        client = await connect(orders.settings, calls, known)
        try:
            yield _WorkerContext(orders.settings, client)
        finally:
            await client.close()


async def _ask(
    context: _WorkerContext,
    model: str,
    prompt: str,
    output: type[ReplyT],
    given: Mapping[str, Any],
) -> tuple[Judged[ReplyT], str, Traffic]:
    """Ask; returns the reply, the name of this process, and its calls so far."""
    if model not in context.askers:
        manner = SamplingParams.of(context.settings)
        context.askers[model] = Asker(context.client, model=model, sampling=manner)
    with prompts.use_directory(context.settings.prompts_dir):
        judged = await context.askers[model].ask(prompt, output, **given)
    return judged, store.process_name(), context.client.traffic


def check_models(settings: Settings) -> None:
    """Refuse, before anything is made or paid for, what cannot be asked or paid.

    Raises:
        SettingsError: No model is named, one is unknown, or its key or price is missing.
    """
    if settings.embedded:
        raise SettingsError("this needs a model that writes; name one with --model")
    check(settings)
    check_engine(settings)


@asynccontextmanager
async def _open_session(
    folder: GenerationFolder, settings: Settings, say: Say, *, renew: bool
) -> AsyncIterator[GenerationSession]:
    """A session of a folder, its ledger, its client and its workers; Ctrl-C stops it."""
    manifest = folder.manifest
    settings = with_kept(settings, manifest.confidentiality)
    ledger = await open_ledger(settings, folder.path, run=manifest.run_id, say=say)
    try:
        opened: list[GenerationSession] = []
        around = RunContext(
            idle=lambda: not any(session.computing for session in opened),
            say=say,
            renew=renew,
            refused=manifest.refused,
        )
        client = await connect(settings, ledger, around)
        session = GenerationSession(
            client=client, settings=settings, say=say, refused=manifest.refused
        )
        opened.append(session)
        try:
            async with AsyncExitStack() as stack:
                if settings.engine == "ray":
                    orders = WorkerOrders(
                        absolute_paths(settings),
                        folder.path.resolve(),
                        manifest.run_id,
                        renew,
                        manifest.refused,
                    )
                    pool = open_pool(
                        partial(_open_context, orders),
                        settings,
                        spent=(await client.paid()).total,
                        say=say,
                        several_machines=None if settings.ledger else NEEDS_LEDGER,
                    )
                    session.pool = await stack.enter_async_context(pool)
                with interruptible(session):
                    yield session
                await session.halted()
        finally:
            await client.close()
    finally:
        ledger.close()


async def write_rows(
    folder: GenerationFolder,
    settings: Settings,
    files: Mapping[str, Rows[Any]],
    tasks: Callable[[GenerationSession], Iterable[Callable[[], Awaitable[None]]]],
    *,
    finish: Callable[[], None],
    say: Say,
    renew: bool,
    left_out: Mapping[str, Counted] | None = None,
) -> Outcome[GenerationManifest]:
    """One session: do what is missing, and write down in the manifest what came of it.

    Args:
        folder: The folder, with its manifest.
        settings: Name the models and the limits.
        files: The files of rows by what was asked; closed when this returns.
        tasks: What is to be done (`GenerationSession.write`).
        finish: Called when that is done or was stopped, before rows are counted.
        say: Told what the user should know.
        renew: Whether unusable recorded replies may be asked for anew, once.
        left_out: What else the manifest counts.

    Raises:
        RunFolderError: The folder cannot be written.
    """
    clock = Clock()
    try:
        before = sum(len(rows.done) for rows in files.values())
        async with _open_session(folder, settings, say, renew=renew) as session:
            await session.each(tasks(session))
            finish()
            counted: dict[str, Counted] = {**files, **(left_out or {})}
            old, times = folder.manifest, clock.read()
            failures = {
                name: dict(sorted(each.failures().items())) for name, each in counted.items()
            }
            update = session.models_update(await session.client.paid(), old.spending) | {
                "counts": {
                    f"{name} {state}": count
                    for name, each in counted.items()
                    for state, count in sorted(each.states().items())
                },
                "failures": failures,
                "times": (*old.times, times),
                "complete": not session.stopping,
            }
            folder.update(old.model_copy(update=update))
            return Outcome(
                manifest=folder.manifest,
                interrupted=session.interrupted,
                stopped=session.stopped,
                failed=sum(sum(each.values()) for each in failures.values()),
                new=session.new,
                before=before,
                seconds=times[1],
            )
    finally:
        for rows in files.values():
            rows.close()


@dataclass(frozen=True)
class Work(Generic[ThingT, RowT]):
    """What is asked about, and how rows are made.

    Attributes:
        things: By the key of their row, in the order of the file.
        name: Of the rows, in the manifest.
        current: Whether a row that is there still belongs to a thing.
        make: Asks for the row of a thing.
        instead: The row of a failure, from its fields.
    """

    things: Mapping[str, ThingT]
    name: str
    current: Callable[[RowT, ThingT], bool]
    make: Callable[[GenerationSession, ThingT], Awaitable[RowT]]
    instead: Callable[[ThingT, dict[str, object]], RowT]


def fill(
    folder: GenerationFolder,
    rows: Rows[RowT],
    work: Work[ThingT, RowT],
    settings: Settings,
    *,
    say: Say,
    renew: bool,
    step: Callable[[], None] = lambda: None,
    left_out: Mapping[str, Counted] | None = None,
) -> Outcome[GenerationManifest]:
    """Make the rows that are missing; what is there and current is not asked for again.

    Args:
        folder: The folder, with its manifest.
        rows: The file; closed when this returns.
        work: What is asked about.
        settings: Name the model and the limits.
        say: Told what the user should know.
        renew: Whether unusable recorded replies may be asked for anew, once.
        step: Called for each row that is there, old or new.
        left_out: What else the manifest counts.

    Raises:
        RunFolderError: The folder cannot be written.
    """
    for key, row in list(rows.done.items()):
        if key not in work.things or not work.current(row, work.things[key]):
            rows.forget(key)

    async def write(session: GenerationSession, key: str, thing: ThingT) -> None:
        await session.write(rows, partial(work.make, session, thing), partial(work.instead, thing))
        if key in rows.done:
            step()

    def tasks(session: GenerationSession) -> Iterator[Callable[[], Awaitable[None]]]:
        for key, thing in work.things.items():
            if key in rows.done:
                step()
            else:
                yield partial(write, session, key, thing)

    return asyncio.run(
        write_rows(
            folder,
            settings,
            {work.name: rows},
            tasks,
            finish=lambda: rows.finish(work.things),
            say=say,
            renew=renew,
            left_out=left_out,
        )
    )


OpenAsker: TypeAlias = Callable[[], AbstractAsyncContextManager[Asker]]
"""Opens what puts questions; a client lives as long as one event loop, so each use opens one."""


@asynccontextmanager
async def open_asker(
    settings: Settings, book: CallStore, around: RunContext | None = None
) -> AsyncIterator[Asker]:
    """What puts questions to the model that the settings name.

    Raises:
        SettingsError: No model is named, it is unknown, or its key is missing.
    """
    if settings.embedded:
        raise SettingsError("this needs a model; name one with --model")
    client = await connect(settings, book, around)
    manner = SamplingParams.of(settings)
    try:
        yield Asker(client, model=settings.model, judges=settings.judges, sampling=manner)
    finally:
        await client.close()


def with_asker(
    open_one: OpenAsker, work: Callable[[Asker], Coroutine[Any, Any, ResultT]]
) -> ResultT:
    """Run work that asks, from code that is not asynchronous."""

    async def run() -> ResultT:
        async with open_one() as asker:
            return await work(asker)

    return asyncio.run(run())
