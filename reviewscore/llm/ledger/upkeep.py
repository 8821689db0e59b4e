"""What people do with a ledger: look at it, take calls out of it, empty it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from sqlalchemy import Connection, RowMapping, bindparam, func, select, update

from reviewscore.llm.ledger.connection import TROUBLE, LedgerConnection, backend_of
from reviewscore.llm.ledger.store import FILE, Location, is_there
from reviewscore.llm.ledger.tables import (
    call_of,
    calls,
    estimates,
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
_USED = calls.c.key.in_(select(uses.c.key).where(uses.c.run == bindparam("run")))
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
            )
        )


def _models(db: Connection) -> Iterator[ModelUse]:
    for model, made, read, cached, written, usd, priced in db.execute(_BY_MODEL):
        known = usd if priced == made else None
        yield ModelUse(model, made, int(read), int(cached), int(written), known)


def past_errors(db: Connection) -> tuple[float, ...]:
    """Real cost of each finished run as a multiple of its estimate."""
    found = []
    for usd, estimated, spent, made in db.execute(_OF_RUNS):
        if usd and spent is not None:
            found.append(spent / usd)
        elif estimated:
            found.append(made / estimated)
    return tuple(found)


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


def exported(location: Location, *, run: str | None = None) -> Iterator[Call]:
    """Calls with their whole requests, in the order they were made.

    Args:
        location: Where the ledger lies.
        run: Only calls that this run has used, whichever run paid for them.

    Raises:
        RunFolderError: The ledger cannot be used.
    """
    if not is_there(location):
        return
    after, known = -1, ("", "")
    with closing(LedgerConnection(backend_of(location))) as link:
        while page := _page(link, run, after):
            for row in page:
                if row["prefix"] != known[0]:  # calls of one paper mostly follow each other
                    known = row["prefix"], _prefix(link, row["prefix"])
                yield call_of(row, known[1])
            after = page[-1]["id"]


def _page(link: LedgerConnection, run: str | None, after: int) -> Sequence[RowMapping]:
    wanted, values = (_PAGE, {}) if run is None else (_PAGE.where(_USED), {"run": run})
    return link.read(lambda db: db.execute(wanted, {**values, "after": after}).mappings().all())


def _prefix(link: LedgerConnection, name: str) -> str:
    if not name:
        return ""
    return unpack(link.read(lambda db: db.execute(_PREFIX, {"prefix": name}).scalar_one()))


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
