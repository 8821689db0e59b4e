"""The report of a run as HTML that needs no network: one file, or one and a page per batch."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup
from pydantic import ValidationError

from reviewscore.config import EMBEDDED
from reviewscore.errors import RunFolderError
from reviewscore.files import opened, read_lines, write_whole
from reviewscore.pages.environment import assets, environment, render, rendered
from reviewscore.pages.figures import BarPart, stacked
from reviewscore.pages.finder import finder_figures
from reviewscore.pages.paper_list import PaperLine
from reviewscore.pages.point_card import anchor_of
from reviewscore.printable import counted, without_folders
from reviewscore.report.first_screen import PAPERS_SHOWN, first_screen
from reviewscore.report.focus import Focus
from reviewscore.report.lines import (
    aligned_words,
    beside_words,
    doubted_words,
    doubtful_words,
    duration_words,
    excerpt_lines,
    failure_words,
    inference_lines,
    language_words,
    level_lines,
    loop_rows,
    note_lines,
    page_lines,
    paper_unread_words,
    place_words,
    plural,
    replies_words,
    response_words,
    share_words,
    spending_words,
    unread_words,
    version_lines,
    work_words,
)
from reviewscore.report.paper_pages import (
    LaterOf,
    Page,
    PaperOf,
    PaperPages,
    ReviewOf,
    Row,
    rows_of,
)
from reviewscore.report.similarity import HONEST, Nearness
from reviewscore.report.summary import LEXICAL_NOTE, Five, Summary, summarise
from reviewscore.runs.consent import LOCAL
from reviewscore.runs.folder import ERRORS, REPORT, ErrorRecord, read_manifest
from reviewscore.runs.judgments import looked_at_words, with_flag_answers
from reviewscore.runs.manifest import Manifest, Setting
from reviewscore.runs.parts import by_presuppositions

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
    later: LaterOf | None = None,
    notes: Sequence[str] = (),
    summary: Summary | None = None,
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
        later: Gives what came later than a point and is shown beside it.
        notes: What a reader must know before anything else.
        summary: The numbers of the run, where they were counted just now.

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
    if summary is None:
        summary = summarise(run, accept_changed=accept_changed)
    papers_html = PaperPages(
        run, environment.get_template("paper.html"), papers, reviews,
        missed=focus.missed, near=near.beside, manifest=manifest,
        later=with_flag_answers(run, later),
    )  # fmt: skip
    lines = rows_of(run)
    flags = {row.anchor for row in lines if row.state == "flag"}
    looked = looked_at_words(run, len(flags), lambda point_id: anchor_of(point_id) in flags)
    pages = papers_html.pages(lines)
    first = next(pages, Page((), (), ()))
    second = next(pages, None)
    _drop_pages(target)
    notes = (*notes, *filter(None, (looked,)))
    frame = _frame(run, manifest, summary, focus, near, notes)
    if second is None:
        shown = frame | {
            "tabled": True,
            "rows": first.rows,
            "fragments": first.fragments,
            "pages": (),
            "screen": first_screen(lines, first.papers, lexical=summary.lexical),
        }
        write_whole(
            target,
            rendered(environment.get_template("report.html"), **shown),
            named=out is not None,
        )
        return [target]
    # One table of all points is enough, on the first page or, of very many, on each.
    frame |= {"tabled": len(lines) > ROWS_IN_INDEX}
    every = chain((first, second), pages)
    return _write_pages(
        target, environment, frame, every, lines, lexical=summary.lexical, named=out is not None
    )


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
    lines: Sequence[Row],
    *,
    lexical: bool,
    named: bool,
) -> list[Path]:
    written: list[Path] = []
    rows: list[Row] = []
    listed: list[tuple[str, tuple[PaperLine, ...]]] = []
    template = environment.get_template("page.html")
    for number, page in enumerate(pages, start=1):
        path = target.with_name(f"{target.stem}-{number}{target.suffix}")
        shown = {"rows": page.rows, "fragments": page.fragments, "index": target.name}
        screen = first_screen(page.rows, page.papers, lexical=lexical)
        write_whole(path, rendered(template, **frame, **shown, screen=screen, number=number))
        written.append(path)
        if not frame["tabled"]:
            rows += [replace(row, page=path.name) for row in page.rows]
        linked = (replace(line, link=quote(path.name) + line.link) for line in page.papers)
        listed.append((path.name, tuple(linked)))
    papers = [line for _, group in listed for line in group]
    index = frame | {
        "tabled": True,
        "rows": rows,
        "fragments": (),
        "pages": listed,
        "screen": first_screen(lines, papers, lexical=lexical),
    }
    write_whole(target, rendered(environment.get_template("report.html"), **index), named=named)
    return [target, *written]


def _frame(
    run: Path,
    manifest: Manifest,
    summary: Summary,
    focus: Focus,
    near: Nearness,
    notes: Sequence[str],
) -> dict[str, object]:
    """What every page of a report shows besides points."""
    failures = read_failures(run)
    return {
        "manifest": manifest,
        # A run that has judged nothing yet has no counts that would tell.
        "presupposes": by_presuppositions(manifest)
        or (summary.judged is not None and summary.judged.presuppositions is not None),
        "version": manifest.reviewscore_version,
        "summary": summary,
        "failures": failures,
        "banners": [*notes, *banners(summary, failures)],
        "apart": f"{LOCAL}/{REPORT}" if (run / LOCAL / REPORT).is_file() else None,
        "command": repeat_command(manifest),
        "bars": _histograms(summary),
        "loop_rows": loop_rows(summary.arguments),
        "failed_rounds": failure_words(summary.arguments),
        "beside_words": beside_words(summary.arguments),
        "focus": focus.digest,
        "focus_panels": focus.panels,
        "focus_elsewhere": focus.elsewhere,
        "focus_spots": focus.spots,
        "near": near,
        "near_honest": HONEST,
        "finder": finder_figures(summary.judge_version) if summary.lexical else None,
    }


@dataclass(frozen=True)
class Histogram:
    """How often each of the scores 1..5 was given, as a stacked bar."""

    label: str
    counts: Five
    parts: tuple[BarPart, ...]


def _histograms(summary: Summary) -> list[Histogram]:
    if summary.judged is None:
        return []
    scales = {"question": "questions, unanswerability (BASE)"}
    standing = summary.judged.presuppositions is not None
    rows = [
        (
            f"{plural(kind)}, standing"
            if standing
            else scales.get(kind, f"{plural(kind)}, factuality (BASE)"),
            counts,
        )
        for kind, counts in summary.judged.base.items()
    ]
    rows.append(("arguments, weighted (ADVANCED)", summary.judged.weighted))
    return [_histogram(label, counts) for label, counts in rows if sum(counts)]


def _histogram(label: str, counts: Five) -> Histogram:
    total = sum(counts)
    parts = stacked(
        (f"f{score}", count / total, f"{count} with score {score}")
        for score, count in enumerate(counts, start=1)
    )
    return Histogram(label, counts, parts)


@cache
def page_environment(room: str = "reviewscore.report") -> Environment:
    """The templates of reports and role pages, or of a room that shows the same.

    With the words that they use.
    """
    return environment(
        room,
        script=Markup(assets("report.js", room="reviewscore.report")),
        papers_shown=PAPERS_SHOWN,
        plural=plural,
        level_lines=level_lines,
        inference_lines=inference_lines,
        counted=counted,
        paper_unread_words=paper_unread_words,
        place_words=place_words,
        share_words=share_words,
        work_words=work_words,
        response_words=response_words,
        aligned_words=aligned_words,
        spending_words=spending_words,
        replies_words=replies_words,
        duration_words=duration_words,
    )


_FAILURES_SHOWN = 20


@dataclass(frozen=True)
class Failures:
    """What failed in a run.

    Attributes:
        total: How many failures there are.
        kinds: Failures by what failed and why, the commonest first.
        first: The first few, to read.
    """

    total: int
    kinds: tuple[tuple[str, int], ...]
    first: tuple[ErrorRecord, ...]


def read_failures(run: Path) -> Failures:
    """Count the failures of a run.

    Raises:
        RunFolderError: A line is no failure record; names file and line.
    """
    kinds: Counter[str] = Counter()
    first: list[ErrorRecord] = []
    for number, (_, raw) in enumerate(read_lines(run / ERRORS), start=1):
        try:
            record = ErrorRecord.model_validate_json(raw)
        except ValidationError as error:
            raise RunFolderError(f"{run / ERRORS}:{number}: not a record of a failure") from error
        kinds[f"{record.what}: {record.kind}"] += 1
        if len(first) < _FAILURES_SHOWN:
            first.append(record)
    return Failures(kinds.total(), tuple(kinds.most_common()), tuple(first))


def banners(summary: Summary, failures: Failures) -> list[str]:
    """What a reader must know before any number."""
    notes = []
    if summary.changed:
        notes.append(doubted_words(summary.changed))
    if summary.judge == EMBEDDED:
        notes.append(f"{LEXICAL_NOTE} For scores, run again with --model provider/name.")
    if summary.languages:
        words = language_words(summary)
        notes.append(f"{words[:1].upper()}{words[1:]}.")
    if summary.selection:
        picks = ", ".join(f"{name} = {value}" for name, value in summary.selection.items())
        notes.append(f"Only a selection was judged ({picks}): its shares stand for nothing else.")
    if summary.judged is not None and summary.judged.calibrated is not None:
        after = share_words(summary.judged.calibrated)
        notes.append(
            f"A calibration by human labels was asked for. Of the points it covers, {after} are "
            "misinformed after it; scores below are the judge's own, the calibrated one beside."
        )
    if summary.unread is not None:
        words = unread_words(summary.unread)
        notes.append(f"{words[:1].upper()}{words[1:]}.")
    if summary.doubtful:
        notes.append(doubtful_words(summary))
    lines = [*page_lines(summary), *note_lines(summary), *excerpt_lines(summary)]
    lines += version_lines(summary)
    notes += [f"{line[:1].upper()}{line[1:]}." for line in lines]
    if not summary.complete:
        notes.append("The run is not complete; run the same command again to finish it.")
    if failures.total:
        notes.append(
            f"Failures: {failures.total:,}. What failed is listed below and in no share; "
            "--retry-errors tries it again."
        )
    return notes


def repeat_command(manifest: Manifest) -> str:
    """The command that repeats a run; data and folder stand as DATA and RUN, files by their names.

    Settings that did not come from a flag are given as the environment variables that set them.
    """
    variables, flags = [], []
    for name, setting in manifest.settings.items():
        if setting.origin == "default" or setting.value in (None, [], ""):
            continue
        if setting.origin == "flag":
            flags += _flag(name, setting)
        else:
            variables.append(f"REVIEWSCORE_{name.upper()}={shlex.quote(_text(setting))}")
    source = "DATA"
    if manifest.pair is not None:
        source = "--paper PAPER --review REVIEW"
        flags = [flag for flag in flags if not flag.startswith("--paper ")]
        flags += [f"--year {manifest.year}"] if manifest.year is not None else []
    return " ".join([*variables, f"reviewscore audit {source} -o RUN", *flags])


def _flag(name: str, setting: Setting) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(setting.value, bool):
        return [flag if setting.value else f"--no-{flag[2:]}"]
    if isinstance(setting.value, list):
        return [f"{flag} {shlex.quote(without_folders(value))}" for value in setting.value]
    return [f"{flag} {shlex.quote(_text(setting))}"]


def _text(setting: Setting) -> str:
    value = setting.value
    return without_folders(",".join(value) if isinstance(value, list) else str(value))


_FLAGS_SHOWN = 5
"""Flags of a run that are shown."""


def run_html(run: Path, summary: Summary, notes: Sequence[str] = ()) -> str:
    """A run in short: counts, the first flags, and a link to its report.

    Args:
        run: The run folder.
        summary: Its numbers.
        notes: What a reader should know besides.

    Raises:
        RunFolderError: The run cannot be read.
    """
    flagged = [row for row in rows_of(run) if row.state == "flag"]
    report = run / REPORT
    return render(
        page_environment().get_template("notebook.html"),
        run=str(run),
        summary=summary,
        banners=[*notes, *banners(summary, read_failures(run))],
        flagged=len(flagged),
        flags=list(islice(sorted(flagged, key=lambda row: row.headline.order), _FLAGS_SHOWN)),
        report=_link(report) if report.is_file() else None,
    )


def _link(file: Path) -> str:
    """A link from a notebook that lies in the current folder; browsers follow no absolute path."""
    try:
        return quote(Path(os.path.relpath(file)).as_posix())
    except ValueError:  # on another drive
        return file.resolve().as_uri()
