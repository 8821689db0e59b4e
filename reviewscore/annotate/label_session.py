"""One annotator at one point: save, skip, show, undo, each checked against rules and other tabs."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from reviewscore.annotate.label_store import LabelChange, LabelEntry, LabelPage, LabelStore, now
from reviewscore.annotate.material import LabelPoint
from reviewscore.annotate.rules import Codebook, Key, Mark, Value, course, outdated, refusal
from reviewscore.schema.annotation import LabelField

LONGEST_REASON = 10_000
"""Characters of a justification."""
_LONGEST_LOOK = 3600.0


class RefusedError(Exception):
    """A label that may not be given now; the message tells why. Nothing was changed."""


class OutdatedError(Exception):
    """The point was changed elsewhere since the page was made. Nothing was changed.

    Args:
        page: What there is now.
    """

    def __init__(self, page: LabelPage) -> None:
        self.page = page
        super().__init__("this point was changed in another window")


@dataclass(frozen=True)
class LabelSession:
    """One annotator at one point.

    Attributes:
        store: Where labels are kept.
        annotator: Who labels.
        point: What is labelled.
        codebook: What the set follows.
    """

    store: LabelStore
    annotator: str
    point: LabelPoint
    codebook: Codebook

    def save(
        self, key: Key, entry: LabelEntry, *, version: int, seconds: float = 0.0, sure: bool = False
    ) -> int:
        """Save one label; it is on the disk when this returns.

        Labels that it makes pointless (of another type, of premises) are set aside.

        Args:
            key: Unit and field.
            entry: Value and reason.
            version: The version of the page that the annotator saw.
            seconds: Time spent on the point since the last label.
            sure: Save although the point was changed elsewhere.

        Returns:
            How many labels were set aside.

        Raises:
            RefusedError: The label may not be given now.
            OutdatedError: The point was changed elsewhere.
            sqlite3.Error: It could not be written.
        """
        if len(entry.reason or "") > LONGEST_REASON:
            raise RefusedError(f"a reason has at most {LONGEST_REASON:,} characters")
        with self.store.turn() as base:
            page = self.store.page(self.annotator, self.point.point_id)
            before = page.labels.get(key)
            if before is not None and (before.value, before.reason) == (entry.value, entry.reason):
                return 0  # the same again, as when a reply was lost: it is saved
            if page.version != version and not sure:
                raise OutdatedError(page)
            why = refusal(self.point, page.values, page.marks, key, entry.value, self.codebook)
            if why:
                raise RefusedError(why)
            seen = Mark.PEEKED in page.marks or (before is not None and before.saw_scores)
            spent = _bounded(seconds)
            total = spent + (0.0 if before is None else before.seconds)
            after = replace(entry, saw_scores=seen, seconds=total, at=now())
            values = page.values | {key: entry.value}
            dropped = outdated(self.point, values, page.marks, self.codebook)
            changes = [LabelChange(key, before, after)]
            changes += [LabelChange(pair, page.labels[pair], None) for pair in dropped]
            self._write(base, f"label {key[1].value}", changes, spent)
            return len(dropped)

    def show(self, *, version: int, seconds: float = 0.0) -> None:
        """Show the reconstruction; from then on what was said of the whole is fixed.

        Raises:
            RefusedError: The whole argument has not been labelled yet.
            OutdatedError: The point was changed elsewhere.
        """

        def may(page: LabelPage) -> str:
            ready = course(self.point, page.values, page.marks, self.codebook).may_show
            return "" if ready else "label the whole argument first"

        self._mark(Mark.SHOWN, may, version=version, seconds=seconds)

    def peek(self, *, version: int) -> None:
        """Show the model's scores; labels saved from now on note it."""
        self._mark(Mark.PEEKED, lambda _: "", version=version)

    def skip(self, *, version: int, seconds: float = 0.0) -> None:
        """Pass over a text that is no review point."""

        def may(page: LabelPage) -> str:
            return "undo its labels first" if page.labels else ""

        self._mark(Mark.SKIPPED, may, version=version, seconds=seconds)

    def undo(self, *, version: int) -> str:
        """Take back the last label or skip of this point.

        Returns:
            What was taken back.

        Raises:
            RefusedError: There is nothing that can be taken back.
            OutdatedError: The point was changed elsewhere.
        """
        with self.store.turn() as base:
            page = self._current(version)
            value = base.execute(
                "SELECT event, what, changes FROM events WHERE annotator = ? AND point_id = ? "
                "AND undone IS NULL ORDER BY event DESC LIMIT 1",
                (self.annotator, self.point.point_id),
            ).fetchone()
            if value is None:
                raise RefusedError("there is nothing to undo here")
            event, what, changes = int(value[0]), str(value[1]), json.loads(value[2])
            if what == Mark.SHOWN:
                raise RefusedError("the reconstruction has been seen; that cannot be undone")
            if what == Mark.PEEKED:
                raise RefusedError("the model's scores have been seen; that cannot be undone")
            if what == Mark.SKIPPED:
                self._unmark(base, Mark.SKIPPED)
            for change in reversed(changes):
                key = change["key"][0], LabelField(change["key"][1])
                old = LabelEntry(**change["before"]) if change["before"] else None
                # What was seen stays seen, whatever label comes back.
                if old is not None and Mark.PEEKED in page.marks:
                    old = replace(old, saw_scores=True)
                self._put(base, key, old)
            base.execute("UPDATE events SET undone = ? WHERE event = ?", (now(), event))
            # An event of its own, so that other windows see that the point has changed.
            self._log(base, "undo", [], 0.0, undone=now())
            return what

    def _mark(
        self, mark: Mark, may: Callable[[LabelPage], str], *, version: int, seconds: float = 0.0
    ) -> None:
        with self.store.turn() as base:
            page = self.store.page(self.annotator, self.point.point_id)
            if mark in page.marks:
                return
            self._current(version)
            why = may(page)
            if why:
                raise RefusedError(why)
            base.execute(
                "INSERT INTO marks VALUES (?, ?, ?, ?)",
                (self.annotator, self.point.point_id, mark.value, now()),
            )
            self._log(base, mark.value, [], _bounded(seconds))

    def _unmark(self, base: sqlite3.Connection, mark: Mark) -> None:
        base.execute(
            "DELETE FROM marks WHERE annotator = ? AND point_id = ? AND mark = ?",
            (self.annotator, self.point.point_id, mark.value),
        )

    def _current(self, version: int) -> LabelPage:
        page = self.store.page(self.annotator, self.point.point_id)
        if page.version != version:
            raise OutdatedError(page)
        return page

    def _write(
        self, base: sqlite3.Connection, what: str, changes: list[LabelChange], seconds: float
    ) -> None:
        for change in changes:
            self._put(base, change.key, change.after)
        self._log(base, what, changes, seconds)

    def _put(self, base: sqlite3.Connection, key: Key, entry: LabelEntry | None) -> None:
        place = (self.annotator, self.point.point_id, key[0], key[1].value)
        if entry is None:
            base.execute(
                "DELETE FROM labels WHERE annotator = ? AND point_id = ? AND unit_id = ? "
                "AND field = ?",
                place,
            )
            return
        base.execute(
            "INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*place, json.dumps(entry.value), entry.reason, int(entry.saw_scores),
             entry.seconds, entry.at),
        )  # fmt: skip

    def _log(
        self,
        base: sqlite3.Connection,
        what: str,
        changes: list[LabelChange],
        seconds: float,
        undone: str | None = None,
    ) -> None:
        text = json.dumps([asdict(change) for change in changes])
        base.execute(
            "INSERT INTO events (annotator, point_id, what, seconds, at, changes, undone) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self.annotator, self.point.point_id, what, seconds, now(), text, undone),
        )


def _bounded(seconds: float) -> float:
    """Time looked at a point: what a page says is not believed beyond an hour."""
    return 0.0 if math.isnan(seconds) else round(min(max(seconds, 0.0), _LONGEST_LOOK), 1)


def value_of(field: LabelField, text: str) -> Value:
    """A value as a form sends it; what is no whole number stays a word."""
    if field in (LabelField.TYPE, LabelField.SOURCE, LabelField.KIND, LabelField.PRESUPPOSITIONS):
        return text
    return int(text) if len(text) == 1 and text.isascii() and text.isdecimal() else text
