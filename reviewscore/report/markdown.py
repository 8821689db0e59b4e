"""A run as Markdown, for pull requests and terminals: head, summary, the twenty lowest points."""

from __future__ import annotations

import heapq
from pathlib import Path

from reviewscore.pages.finder import recall_sentence
from reviewscore.pages.point_card import shown_places
from reviewscore.pages.presuppositions import own_words
from reviewscore.pages.wording import (
    NO_QUOTE,
    PASSAGES_SHOWN,
    answer_label,
    headline,
    not_flagged_words,
    occurrence_words,
    passage_doubts,
    quote_place,
    seen_words,
)
from reviewscore.papers.converted import gaps_in_words
from reviewscore.printable import markdown_escaped
from reviewscore.report.lines import (
    doubted_words,
    doubtful_words,
    excerpt_lines,
    language_words,
    note_lines,
    summary_lines,
    version_lines,
)
from reviewscore.report.similarity import HONEST, Nearness
from reviewscore.report.summary import Summary, summarise
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.schema.paper import Evidence
from reviewscore.schema.point_score import PointScore

LOWEST = 20
"""Points shown: those that ask for attention first."""
_UNTOUCHED = 8.0
"""Order from which on a point has no verdict to show (see `wording.Headline`)."""


def markdown_report(run: Path, *, accept_changed: bool = False) -> str:
    """The report of a run as Markdown.

    Args:
        run: The run folder.
        accept_changed: Go on with records that something else has changed, and say so.

    Raises:
        RunFolderError: The folder is no run, or its records were changed.
    """
    manifest = read_manifest(run, accept_changed=accept_changed)
    summary = summarise(run, accept_changed=accept_changed)
    parts = ["# Review audit", *_banners(summary), "## Summary", _list(summary_lines(summary))]
    if near := Nearness.of(run, manifest).lines:
        parts += ["## How near the reviewers' own papers are", HONEST, _list([*near])]
    points = heapq.nsmallest(LOWEST, enumerate(read_points(run)), key=_attention)
    shown = [score for _, score in points if headline(score).order < _UNTOUCHED]
    if shown:
        parts.append(f"## The {len(shown)} points that ask most for attention")
        beside = [score.kind for score in shown if score.passages]
        if beside and (words := recall_sentence(summary.judge_version, beside)):
            parts.append(markdown_escaped(words))
        parts += [_point(score) for score in shown]
    people = "" if summary.lexical else "Scores judge statements, not people. "
    parts.append(f"{people}Read the quoted passages before you act.")
    return "\n\n".join(parts) + "\n"


def _attention(numbered: tuple[int, PointScore]) -> tuple[float, int]:
    return headline(numbered[1]).order, numbered[0]


def _banners(summary: Summary) -> list[str]:
    texts = []
    if summary.changed:
        texts.append(f"> {markdown_escaped(doubted_words(summary.changed))}")
    if summary.lexical and summary.note:
        texts.append(f"> {summary.note}")
    if summary.selection:
        texts.append("> Only a selection of the points was judged.")
    if summary.languages:
        texts.append(f"> {markdown_escaped(language_words(summary))}")
    if summary.doubtful:
        texts.append(f"> {markdown_escaped(doubtful_words(summary))}")
    texts += [
        f"> {markdown_escaped(line)}."
        for line in (*note_lines(summary), *excerpt_lines(summary), *version_lines(summary))
    ]
    if not summary.complete:
        texts.append("> The run is not complete yet.")
    return texts


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {markdown_escaped(line)}" for line in lines)


def _point(score: PointScore) -> str:
    lines = [f"### {markdown_escaped(score.short_name)}", f"> {markdown_escaped(score.text)}"]
    if words := occurrence_words(score):
        lines.append(markdown_escaped(f"{words[:1].upper()}{words[1:]}"))
    if places := shown_places(score):
        lines.append(f"Names: {markdown_escaped('; '.join(place.words for place in places))}")
    lines.append(f"**{markdown_escaped(headline(score).words)}**")
    lines += [markdown_escaped(words) for words in own_words(score)]
    if doubts := passage_doubts(score):
        lines.append(markdown_escaped(not_flagged_words(score, doubts)))
    if score.excerpts is not None:
        lines.append(markdown_escaped(seen_words(score)))
    if score.unquoted:
        lines.append(f"{NO_QUOTE}.")
    if score.verdict and score.verdict.answer:
        lines.append(f"{answer_label(score.verdict)}: {markdown_escaped(score.verdict.answer)}")
    if score.finding is not None:
        lines.append(markdown_escaped(score.rationale))
    quoted = [*score.passages[:PASSAGES_SHOWN], *score.evidence]
    quotes = [_quote(quote) for quote in quoted if quote.verified]
    if quotes:
        lines.append("\n".join(quotes))
    return "\n\n".join(lines)


def _quote(quote: Evidence) -> str:
    words = quote_place(quote)
    place = f" {markdown_escaped(f'({words})')}" if words else ""
    return f"- “{markdown_escaped(gaps_in_words(quote.quote))}”{place}"
