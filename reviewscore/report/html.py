"""The report of a run as HTML that needs no network: one file, or one and a page per batch."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import chain, groupby
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reviewscore.files import opened, write_whole
from reviewscore.papers.converted import gaps_in_words
from reviewscore.report import argument_map, excerpts, wording
from reviewscore.report.focus import Focus, spot_words
from reviewscore.report.head import banners, read_failures, repeat_command
from reviewscore.report.lines import (
    counted,
    duration_words,
    paper_unread_words,
    place_words,
    plural,
    response_words,
    share_words,
    spending_words,
)
from reviewscore.report.loop import failure_words
from reviewscore.report.loop import rows as loop_rows
from reviewscore.report.pages import Page, PaperOf, PaperPages, ReviewOf, Row, paper_of, rows_of
from reviewscore.report.similarity import HONEST, Nearness
from reviewscore.report.summary import Five, Summary, passage_doubts, summarise
from reviewscore.runs.folder import REPORT, read_manifest
from reviewscore.runs.manifest import Manifest

_MARK = b'<meta name="generator" content="reviewscore '
_HEAD = 4_000
"""Bytes at the start of a page that tell it from a stranger's file."""
ROWS_IN_INDEX = 5000
"""A run of more points lists papers instead of points on its first page."""


def write_report(
    run: Path,
    papers: PaperOf | None,
    reviews: ReviewOf | None,
    *,
    out: Path | None = None,
    accept_changed: bool = False,
) -> list[Path]:
    """Write the report of a run.

    Points are read twice and held a page at a time; only a line of each stays in memory.

    Args:
        run: The run folder.
        papers: Gives a paper by its id, so that quotes are shown in their surroundings.
        reviews: Gives a review by its id, so that points are.
        out: The file to write; ``report.html`` in the run folder if None. Further pages are put
            beside it, as ``report-1.html`` and so on.
        accept_changed: Go on with records that something else has changed, and say so.

    Returns:
        The files written, the first to be opened first.

    Raises:
        RunFolderError: The run cannot be read, its records were changed, or the file cannot be
            written.
        StopError: The disk is full.
    """
    target = run / REPORT if out is None else out
    environment = page_environment()
    manifest = read_manifest(run, accept_changed=accept_changed)
    focus, near = Focus.of(run, manifest), Nearness.of(run, manifest)
    summary = summarise(run, accept_changed=accept_changed)
    papers_html = PaperPages(
        run, environment.get_template("paper.html"), papers, reviews,
        missed=focus.missed, near=near.beside, manifest=manifest,
    )  # fmt: skip
    lines = rows_of(run)
    pages = papers_html.pages(lines)
    first = next(pages, Page((), ()))
    second = next(pages, None)
    _drop_pages(target)
    if second is None:
        shown = _frame(run, manifest, summary, focus, near) | {
            "tabled": True,
            "rows": first.rows,
            "fragments": first.fragments,
            "pages": (),
        }
        _write(target, environment.get_template("report.html").render(shown), named=out is not None)
        return [target]
    # One table of all points is enough, on the first page or, of very many, on each.
    frame = _frame(run, manifest, summary, focus, near)
    frame |= {"tabled": len(lines) > ROWS_IN_INDEX}
    every = chain((first, second), pages)
    return _write_pages(target, environment, frame, every, named=out is not None)


def _drop_pages(target: Path) -> None:
    """Take away the further pages of an earlier, longer report."""
    pattern = re.compile(re.escape(target.stem) + r"-[0-9]+" + re.escape(target.suffix))
    for path in target.parent.iterdir() if target.parent.is_dir() else ():
        if pattern.fullmatch(path.name) and path.is_file():
            with opened(path) as file:
                ours = _MARK in file.read(_HEAD)
            if ours:
                path.unlink()


def _write_pages(
    target: Path,
    environment: Environment,
    frame: dict[str, object],
    pages: Iterator[Page],
    *,
    named: bool,
) -> list[Path]:
    written: list[Path] = []
    rows: list[Row] = []
    listed: list[tuple[str, list[tuple[str, int]]]] = []
    template = environment.get_template("page.html")
    for number, page in enumerate(pages, start=1):
        path = target.with_name(f"{target.stem}-{number}{target.suffix}")
        shown = {"rows": page.rows, "fragments": page.fragments, "index": target.name}
        _write(path, template.render(frame | shown | {"number": number}))
        written.append(path)
        if not frame["tabled"]:
            rows += [replace(row, page=path.name) for row in page.rows]
        counts = [(key, len(list(group))) for key, group in groupby(page.rows, paper_of)]
        listed.append((path.name, counts))
    index = frame | {"tabled": True, "rows": rows, "fragments": (), "pages": listed}
    _write(target, environment.get_template("report.html").render(index), named=named)
    return [target, *written]


def _write(path: Path, text: str, *, named: bool = False) -> None:
    # A lone surrogate in a review has no UTF-8 form; it is shown as a question mark.
    write_whole(path, text.encode("utf-8", "replace").decode("utf-8"), named=named)


def _frame(
    run: Path, manifest: Manifest, summary: Summary, focus: Focus, near: Nearness
) -> dict[str, object]:
    """What every page of a report shows besides points."""
    failures = read_failures(run)
    return {
        "manifest": manifest,
        "version": manifest.reviewscore_version,
        "summary": summary,
        "failures": failures,
        "banners": banners(summary, failures),
        "command": repeat_command(manifest),
        "bars": _bars(summary),
        "loop_rows": loop_rows(summary.arguments),
        "failed_rounds": failure_words(summary.arguments),
        "focus": focus.digest,
        "focus_panels": focus.panels,
        "focus_elsewhere": focus.elsewhere,
        "spot_words": spot_words,
        "near": near,
        "near_honest": HONEST,
    }


_WITHIN = Markup(
    "background: var(--paper); color: var(--ink); padding: .6rem 1rem; border-radius: .5rem; "
    "font: 15px/1.5 system-ui, sans-serif; max-width: 60rem;"
)
"""What the style of a page gives to its body, for a part of another page."""


@dataclass(frozen=True)
class Bar:
    """A histogram of scores 1..5 as a row of boxes: score, count, left edge and width in %."""

    label: str
    total: int
    boxes: tuple[tuple[int, int, float, float], ...]


def _bars(summary: Summary) -> list[Bar]:
    if summary.judged is None:
        return []
    scales = {"question": "questions, unanswerability (BASE)"}
    rows = [
        (scales.get(kind, f"{plural(kind)}, factuality (BASE)"), counts)
        for kind, counts in summary.judged.base.items()
    ]
    rows.append(("arguments, weighted (ADVANCED)", summary.judged.weighted))
    return [_bar(label, counts) for label, counts in rows if sum(counts)]


def _bar(label: str, counts: Five) -> Bar:
    total, left = sum(counts), 0.0
    boxes = []
    for score, count in enumerate(counts, start=1):
        width = 100 * count / total
        boxes.append((score, count, round(left, 2), round(width, 2)))
        left += width
    return Bar(label, total, tuple(boxes))


def page_environment() -> Environment:
    """The templates of all pages, with style, script and the policy that allows only these."""
    environment = Environment(
        loader=PackageLoader("reviewscore.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["gaps_in_words"] = gaps_in_words
    style, script = _asset("report.css"), _asset("report.js")
    environment.globals.update(
        style=Markup(style),
        # Inside of another page the same rules hold within its part of it, and nowhere else.
        nested_style=Markup(".reviewscore {%s\n%s}")
        % (Markup(style.replace(":root", "&")), _WITHIN),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
            "base-uri 'none'; form-action 'none'"
        ),
        wording=wording,
        argument_map=argument_map.svg,
        argdown=argument_map.argdown,
        quote_in_paper=excerpts.quote_in_paper,
        passage_doubts=passage_doubts,
        packed=excerpts.packed,
        plural=plural,
        counted=counted,
        paper_unread_words=paper_unread_words,
        place_words=place_words,
        share_words=share_words,
        response_words=response_words,
        spending_words=spending_words,
        duration_words=duration_words,
    )
    return environment


def _asset(name: str) -> str:
    return (files("reviewscore.report") / "templates" / name).read_text("utf-8").strip()


def _hash(text: str) -> str:
    """A source expression that allows one inline style or script (CSP level 3, sec. 2.3.1)."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
