"""A file with one row for each of many things, filled by a model. Front door: `fill`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from reviewscore.asking.account import Folder, Outcome
from reviewscore.asking.rows import Rows, RowT
from reviewscore.asking.session import Clock, Say, Session, close_account, open_session
from reviewscore.config import Settings

ThingT = TypeVar("ThingT")


@dataclass(frozen=True)
class Work(Generic[ThingT, RowT]):
    """What is asked about, and how rows are made.

    Attributes:
        things: By the key of their row, in the order of the file.
        name: Of the rows, in the account.
        current: Whether a row that is there still belongs to a thing.
        make: Asks for the row of a thing.
        instead: The row of a failure, from its fields.
    """

    things: Mapping[str, ThingT]
    name: str
    current: Callable[[RowT, ThingT], bool]
    make: Callable[[Session, ThingT], Awaitable[RowT]]
    instead: Callable[[ThingT, dict[str, object]], RowT]


async def fill(
    folder: Folder,
    rows: Rows[RowT],
    work: Work[ThingT, RowT],
    settings: Settings,
    *,
    say: Say,
    step: Callable[[], None],
    renew: bool,
) -> Outcome:
    """Make the rows that are missing; what is there and current is not asked for again.

    Args:
        folder: The folder, with its account.
        rows: The file; closed when this returns.
        work: What is asked about.
        settings: Name the model and the limits.
        say: Told what the user should know.
        step: Called for each row that is there, old or new.
        renew: Whether unusable recorded replies may be asked for anew, once.

    Raises:
        RunFolderError: The folder cannot be written.
    """
    clock = Clock()
    try:
        for key, row in list(rows.done.items()):
            if key not in work.things or not work.current(row, work.things[key]):
                rows.forget(key)
        before = len(rows.done)
        async with open_session(folder, settings, say, renew=renew) as session:
            await session.each(_tasks(session, rows, work, step))
            rows.finish(work.things)
            return await close_account(
                folder, session, clock, written={work.name: rows}, before=before
            )
    finally:
        rows.close()


def _tasks(
    session: Session, rows: Rows[RowT], work: Work[ThingT, RowT], step: Callable[[], None]
) -> Iterator[Callable[[], Awaitable[None]]]:
    for key, thing in work.things.items():
        if key in rows.done:
            step()
        else:
            yield partial(_write, session, rows, work, key, thing, step)


async def _write(
    session: Session,
    rows: Rows[RowT],
    work: Work[ThingT, RowT],
    key: str,
    thing: ThingT,
    step: Callable[[], None],
) -> None:
    await session.write(rows, partial(work.make, session, thing), partial(work.instead, thing))
    if key in rows.done:
        step()
