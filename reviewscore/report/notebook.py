"""A run, a score and an argument as notebooks show them: parts of a page, with their style."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from jinja2 import Template

from reviewscore.report.head import banners, read_failures
from reviewscore.report.html import page_environment
from reviewscore.report.pages import Row, card_of, rows_of
from reviewscore.report.summary import Summary
from reviewscore.runs.folder import REPORT
from reviewscore.schema.argument import Argument
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.verdict import Finding

_SHOWN = 5
"""Flags of a run that are shown."""


@cache
def _template() -> Template:
    return page_environment().get_template("notebook.html")


def point_html(score: PointScore) -> str:
    """A point with its verdict, passages and argument; all text in it is escaped."""
    return _rendered(card=card_of(score, None, None))


def argument_html(argument: Argument) -> str:
    """An argument with its map, premises and rounds; all text in it is escaped."""
    return _rendered(argument=argument)


def run_html(run: Path, summary: Summary, notes: Sequence[str] = ()) -> str:
    """A run in short: counts, the first flags, and a link to its report.

    Args:
        run: The run folder.
        summary: Its numbers.
        notes: What a reader should know besides.

    Raises:
        RunFolderError: The run cannot be read.
    """
    flagged = [row for row in rows_of(run) if _is_flag(row)]
    report = run / REPORT
    return _rendered(
        run=str(run),
        summary=summary,
        banners=[*notes, *banners(summary, read_failures(run))],
        flagged=len(flagged),
        flags=list(islice(sorted(flagged, key=lambda row: row.headline.order), _SHOWN)),
        report=_link(report) if report.is_file() else None,
    )


def _is_flag(row: Row) -> bool:
    return row.headline.misinformed == "yes" or row.finding == Finding.ADDRESSED.value


def _link(file: Path) -> str:
    """A link from a notebook that lies in the current folder; browsers follow no absolute path."""
    try:
        return quote(Path(os.path.relpath(file)).as_posix())
    except ValueError:  # on another drive
        return file.resolve().as_uri()


def _rendered(**shown: object) -> str:
    empty = {"run": None, "card": None, "argument": None, "unchanged": str}
    return _template().render(empty | shown).encode("utf-8", "replace").decode("utf-8")
