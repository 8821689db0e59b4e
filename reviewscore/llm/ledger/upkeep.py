"""What people do with a ledger: look at it, export its calls, take a run's out of it, empty it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from sqlalchemy import (
    BindParameter,
    Connection,
    Row,
    RowMapping,
    bindparam,
    delete,
    exists,
    func,
    select,
    update,
)

from reviewscore.errors import RunFolderError
from reviewscore.llm.ledger.connection import TROUBLE, Backend, LedgerConnection, backend_of
from reviewscore.llm.ledger.store import FILE, Location, describe_owner, is_there
from reviewscore.llm.ledger.tables import (
    call_of,
    calls,
    claims,
    doubts,
    estimates,
    job_requests,
    jobs,
    prefixes,
    unless_there,
    unpack,
    uses,
)
from reviewscore.schema.call import Call

_AT_ONCE = 200
"""Calls that are read at once when all are exported."""
_PAGE = select(calls).where(calls.c.id > bindparam("after")).order_by(calls.c.id).limit(_AT_ONCE)
_PREFIX = select(prefixes.c.text).where(prefixes.c.prefix == bindparam("prefix"))
_BY_MODEL = (
    select(
        calls.c.model,
        *(func.count(), func.sum(calls.c.input), func.sum(calls.c.cached)),
        *(func.sum(calls.c.output), func.sum(calls.c.usd), func.count(calls.c.usd)),
    )
    .group_by(calls.c.model)
    .order_by(calls.c.model)
)
_OF_RUNS = (
    select(
        *(estimates.c.usd, estimates.c.calls),
        *(func.sum(calls.c.usd).label("spent"), func.count().label("made")),
    )
    .join(calls, calls.c.run == estimates.c.run)
    .where(estimates.c.finished == 1)
    .group_by(estimates.c.run)
    .having(func.sum(calls.c.input) + func.sum(calls.c.output) > 0)
)


_OLDEST = select(calls.c.started).order_by(calls.c.id).limit(1)
_RUNS: BindParameter[str] = bindparam("runs", expanding=True)
_KEYS_OF_OTHERS = select(uses.c.key).where(uses.c.run.not_in(_RUNS))
_KEYS_OF_RUN = select(uses.c.key).where(uses.c.run.in_(_RUNS))
_KEYS_USED = calls.c.key.in_(_KEYS_OF_RUN)
_ITS_ALONE = _KEYS_USED & calls.c.key.not_in(_KEYS_OF_OTHERS)
_SHARED = _KEYS_USED & calls.c.key.in_(_KEYS_OF_OTHERS)
_SIZE = func.coalesce(func.sum(func.length(calls.c.request) + func.length(calls.c.reply)), 0)
_ITS_PREFIXES = select(calls.c.prefix).where(_ITS_ALONE, calls.c.prefix != "").distinct()
_KEPT_PREFIXES = select(calls.c.prefix).where(~_ITS_ALONE)
_OTHER_RUNS = (
    select(uses.c.run)
    .where(uses.c.run.not_in(_RUNS), uses.c.key.in_(_KEYS_OF_RUN))
    .distinct()
    .order_by(uses.c.run)
)
_PREFIXES = (
    select(prefixes).where(prefixes.c.prefix > bindparam("after")).order_by(prefixes.c.prefix)
).limit(20)
_WITHOUT_CALLS = delete(prefixes).where(~exists().where(calls.c.prefix == prefixes.c.prefix))
_OPEN_JOBS = select(jobs.c.label, jobs.c.job).where(jobs.c.run.in_(_RUNS), jobs.c.open == 1)
_CLOSED_JOBS = select(jobs.c.label).where(jobs.c.run.in_(_RUNS), jobs.c.open == 0)
_REMOVALS = (
    delete(calls).where(_ITS_ALONE),
    _WITHOUT_CALLS,
    delete(job_requests).where(job_requests.c.label.in_(_CLOSED_JOBS)),
    delete(jobs).where(jobs.c.label.in_(_CLOSED_JOBS)),
    *(delete(table).where(table.c.run.in_(_RUNS)) for table in (claims, doubts, estimates, uses)),
)
"""The calls and the texts of papers that no other run uses; the run's own rows last, since they
say which those are."""


@dataclass(frozen=True)
class RunShare:
    """What a ledger holds of some runs.

    Attributes:
        calls: Calls that no other run has used.
        size: Bytes of their prompts and replies, as they are stored.
        papers: Texts that stand in front of prompts, such as a paper's, and that no other call has.
        shared_calls: Calls that other runs have used too.
        shared_papers: Texts of its prompts that calls of other runs have too.
        other_runs: Ids of these runs.
        open_jobs: Batch jobs of the run that are open at the provider, by their ids there.
    """

    calls: int = 0
    size: int = 0
    papers: int = 0
    shared_calls: int = 0
    shared_papers: int = 0
    other_runs: tuple[str, ...] = ()
    open_jobs: tuple[str, ...] = ()


@dataclass(frozen=True)
class TextSearch:
    """Calls that hold certain texts.

    Attributes:
        in_prefix: Whether a text that stands in front of prompts, such as a paper's, is one.
        in_call: Whether the rest of a request, or a reply, as JSON text, holds one; asked after all
            texts in front of prompts were looked at.
        keys: Keys of calls that hold one anyway.
    """

    in_prefix: Callable[[str], bool]
    in_call: Callable[[str], bool]
    keys: Collection[str] = ()


@dataclass(frozen=True)
class RemovedCalls:
    """Calls that were taken out of a ledger, or are to be.

    Attributes:
        calls: How many.
        prompts: Ids of their prompts in an exchange folder.
        left: What may still hold deleted texts, and why.
    """

    calls: int
    prompts: frozenset[str]
    left: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelUse:
    """What the calls to one model came to."""

    model: str
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    usd: float | None


@dataclass(frozen=True)
class Info:
    """What a ledger holds.

    Attributes:
        name: The ledger as users know it: a file, or an address without its password.
        shared: Whether it is a database, which others may use too.
        size: Bytes on the disk, with side files and indexes.
        open_jobs: Batch jobs whose replies are not all recorded.
        oldest: When its oldest call was made, ISO 8601; None where there is none.
        errors: Real cost of each finished run as a multiple of its estimate (calls where the
            price was not known); runs that used no tokens, such as of written replies, left out.
    """

    name: str
    shared: bool
    size: int
    runs: int
    models: tuple[ModelUse, ...]
    open_jobs: int
    errors: tuple[float, ...]
    oldest: str | None = None


def info(location: Location) -> Info:
    """What a ledger holds; nothing is made in a folder where there is none.

    Raises:
        RunFolderError: It cannot be used.
    """
    shared = isinstance(location, str)
    if not is_there(location):
        return Info(f"{location}/{FILE}", shared, 0, 0, (), 0, ())
    with closing(LedgerConnection(backend_of(location))) as link:
        return link.read(
            lambda db: Info(
                name=link.backend.name,
                shared=shared,
                size=link.backend.size(db),
                runs=db.execute(select(func.count(calls.c.run.distinct()))).scalar_one(),
                models=tuple(_models(db)),
                open_jobs=db.execute(select(func.count()).where(jobs.c.open == 1)).scalar_one(),
                errors=past_errors(db),
                oldest=db.execute(_OLDEST).scalar(),
            )
        )


def _models(db: Connection) -> Iterator[ModelUse]:
    for model, made, read, cached, written, usd, priced in db.execute(_BY_MODEL):
        known = usd if priced == made else None
        yield ModelUse(model, made, int(read), int(cached), int(written), known)


def past_errors(db: Connection) -> tuple[float, ...]:
    """Real cost of each finished run as a multiple of its estimate."""
    values = []
    for usd, estimated, spent, made in db.execute(_OF_RUNS):
        if usd and spent is not None:
            values.append(spent / usd)
        elif estimated:
            values.append(made / estimated)
    return tuple(values)


def note_estimate(
    location: Location, run: str, model: str, *, calls: float, usd: float | None, finished: bool
) -> None:
    """Remember what a run was estimated to need, so that later estimates can be judged.

    Args:
        location: Where the ledger lies.
        run: The run; its first estimate counts.
        model: What was estimated for.
        calls: Estimated calls.
        usd: Estimated dollars; None if the price was not known.
        finished: Whether the run was finished whole, and paid for all its calls itself.

    Raises:
        RunFolderError: The ledger cannot be used.
    """
    row = {"run": run, "model": model, "calls": calls, "usd": usd}
    noted = update(estimates).where(estimates.c.run == run).values(finished=int(finished))

    def write(db: Connection) -> None:
        db.execute(unless_there(estimates, db.dialect.name), row)
        db.execute(noted)

    with closing(LedgerConnection(backend_of(location))) as link:
        link.write(write)


def exported(location: Location, *, run: str | None = None, alone: bool = False) -> Iterator[Call]:
    """Calls with their whole requests, in the order they were made.

    Args:
        location: Where the ledger lies.
        run: Only calls that this run has used, whichever run paid for them.
        alone: Only those of them that no other run has used.

    Raises:
        RunFolderError: The ledger cannot be used.
    """
    if not is_there(location):
        return
    after, known = -1, ("", "")
    with closing(LedgerConnection(backend_of(location))) as link:
        while page := _page(link, run, after, alone=alone):
            for row in page:
                if row["prefix"] != known[0]:  # calls of one paper mostly follow each other
                    known = row["prefix"], _prefix(link, row["prefix"])
                yield call_of(row, known[1])
            after = page[-1]["id"]


def _page(
    link: LedgerConnection, run: str | None, after: int, *, alone: bool
) -> Sequence[RowMapping]:
    wanted = _PAGE if run is None else _PAGE.where(_ITS_ALONE if alone else _KEYS_USED)
    values = {} if run is None else {"runs": [run]}
    return link.read(lambda db: db.execute(wanted, {**values, "after": after}).mappings().all())


def _prefix(link: LedgerConnection, name: str) -> str:
    if not name:
        return ""
    return unpack(link.read(lambda db: db.execute(_PREFIX, {"prefix": name}).scalar_one()))


def share_of(location: Location, runs: Sequence[str]) -> RunShare:
    """What a ledger holds of some runs and of no others.

    Raises:
        RunFolderError: It cannot be used, or a model is being asked for one of the runs.
    """
    if not is_there(location):
        return RunShare()
    with closing(LedgerConnection(backend_of(location))) as link:
        return link.read(lambda db: _share(db, link.backend, runs))


def _share(db: Connection, backend: Backend, runs: Sequence[str]) -> RunShare:
    values = {"runs": list(runs)}
    lives = backend.living(db)
    for claim in db.execute(select(claims).where(claims.c.run.in_(_RUNS)), values):
        if backend.now() < claim.until and lives(claim.owner):
            raise RunFolderError(
                f"{describe_owner(claim.owner)} is asking a model for this run; wait until it has "
                "ended"
            )
    count, size = db.execute(select(func.count(), _SIZE).where(_ITS_ALONE), values).one()
    kept = set(db.execute(_KEPT_PREFIXES.distinct(), values).scalars())
    own = set(db.execute(_ITS_PREFIXES, values).scalars())
    shared = select(calls.c.prefix).where(_SHARED, calls.c.prefix != "").distinct()
    both = (own & kept) | set(db.execute(shared, values).scalars())
    return RunShare(
        calls=count,
        size=int(size),
        papers=len(own - kept),
        shared_calls=db.execute(select(func.count()).where(_SHARED), values).scalar_one(),
        shared_papers=len(both),
        other_runs=tuple(db.execute(_OTHER_RUNS, values).scalars()),
        open_jobs=tuple(job or label for label, job in db.execute(_OPEN_JOBS, values)),
    )


def remove_runs(location: Location, runs: Sequence[str]) -> list[str]:
    """Take the calls of runs out of a ledger, and out of the copies kept of it.

    Calls and texts that other runs use stay. What is deleted is overwritten where the database
    can do that; done again after a kill, it does what is left.

    Args:
        location: Where the ledger lies.
        runs: The runs.

    Returns:
        What may still hold deleted texts, and why; empty if nothing does.

    Raises:
        RunFolderError: It cannot be used, or a model is being asked for one of the runs.
    """
    if not is_there(location):
        return []
    main = backend_of(location)
    return [left for backend in (main, *main.copies()) if (left := _removed_from(backend, runs))]


def _removed_from(backend: Backend, runs: Sequence[str]) -> str:
    def write(db: Connection) -> None:
        _share(db, backend, runs)  # refuses a run that is under way
        backend.overwrite_deleted(db)
        for removal in _REMOVALS:
            db.execute(removal, {"runs": list(runs)})

    with closing(LedgerConnection(backend)) as link:
        link.write(write)
        return link.read(backend.compact)


def remove_calls(location: Location, search: TextSearch, *, dry: bool = False) -> RemovedCalls:
    """Take the calls that hold certain texts out of a ledger and its copies, whoever made them.

    What is deleted is overwritten where the database can do that; done again after a kill, it does
    what is left.

    Args:
        location: Where the ledger lies.
        search: Which calls.
        dry: Only look for them.

    Raises:
        RunFolderError: It cannot be used.
    """
    if not is_there(location):
        return RemovedCalls(0, frozenset())
    main = backend_of(location)
    counted, prompts, left = 0, set[str](), []
    for backend in (main, *main.copies()):
        with closing(LedgerConnection(backend)) as link:
            rows = list(_holding(link, search))
        counted += len(rows)
        prompts |= {prompt for _, _, prompt in rows}
        if dry:
            continue
        with closing(LedgerConnection(backend)) as link:  # one that has not begun to read
            link.write(_removal(backend, rows))
            left.append(link.read(backend.compact))
    return RemovedCalls(counted, frozenset(prompts), tuple(filter(None, left)))


def _holding(link: LedgerConnection, search: TextSearch) -> Iterator[tuple[int, str, str]]:
    """Number, key and id of the prompt of each call that holds a text."""
    held, name, after = set[str](), "", -1
    while rows := _prefixes_after(link, name):
        held |= {row.prefix for row in rows if search.in_prefix(unpack(row.text))}
        name = rows[-1].prefix
    while page := _page(link, None, after, alone=False):
        for row in page:
            if (
                row["key"] in search.keys
                or row["prefix"] in held
                or any(search.in_call(unpack(row[part])) for part in ("request", "reply"))
            ):
                call = call_of(row, _prefix(link, row["prefix"]))
                yield row["id"], call.key, call.request.prompt_key()
        after = page[-1]["id"]


def _prefixes_after(link: LedgerConnection, name: str) -> Sequence[Row[tuple[str, bytes]]]:
    return link.read(lambda db: db.execute(_PREFIXES, {"after": name}).all())


def _removal(
    backend: Backend, rows: Sequence[tuple[int, str, str]]
) -> Callable[[Connection], None]:
    def write(db: Connection) -> None:
        backend.overwrite_deleted(db)
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            keys = [key for _, key, _ in some]
            db.execute(delete(calls).where(calls.c.id.in_([number for number, _, _ in some])))
            for table in (uses, job_requests):
                db.execute(
                    delete(table).where(
                        table.c.key.in_(keys), ~exists().where(calls.c.key == table.c.key)
                    )
                )
        db.execute(_WITHOUT_CALLS)

    return write


def clear(location: Location) -> int:
    """Delete everything in a ledger; returns the bytes set free.

    Raises:
        RunFolderError: It cannot be used.
    """
    backend = backend_of(location)
    try:
        return backend.clear()
    except TROUBLE as error:
        raise backend.failed(error) from error
