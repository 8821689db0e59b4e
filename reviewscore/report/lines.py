"""The numbers of a run in plain lines, for terminals and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from reviewscore.pages.wording import FINDING_NAMES
from reviewscore.papers.parts import QUESTIONS, REPEATS
from reviewscore.printable import counted
from reviewscore.report.argument_counts import ArgumentCounts
from reviewscore.report.summary import (
    LEXICAL_NOTE,
    UNTYPED,
    AlignedResponses,
    ArgumentFailures,
    JudgedCounts,
    NamedPlaces,
    PresuppositionCounts,
    Responses,
    Share,
    Summary,
    SuppliedShare,
)
from reviewscore.runs.folder import changed_words
from reviewscore.schema.cited_work import Listing, WorkRecord
from reviewscore.schema.paper import DoubtKind, Unread, UnreadTotal
from reviewscore.text.language import language_name

_MINUTE, _HOUR = 60, 3600


def summary_lines(summary: Summary) -> list[str]:
    """The summary in at most ten plain lines, for a terminal."""
    lines = [_who(summary), *_count_lines(summary)]
    if summary.judged is not None:
        share = summary.judged.overall
        words = share_words(share) + unquoted_words(share) + panel_words(summary.judged)
        lines.append(f"judged misinformed: {words}")
        lines += inference_lines(summary.judged.failures)
        if summary.judged.presuppositions is not None:
            lines += level_lines(summary.judged.presuppositions)
        if summary.judged.calibrated is not None:
            lines.append(f"after calibration: {share_words(summary.judged.calibrated)}")
        if summary.judged.responses is not None:
            lines.append(response_words(summary.judged.responses))
    if summary.findings is not None:
        total: Counter[str] = Counter()
        for counts_of_type in summary.findings.values():
            total.update(counts_of_type)
        counts_of_all = [f"{name}: {total[one.value]:,}" for one, name in FINDING_NAMES.items()]
        lines += [f"{'; '.join(counts_of_all)} (counts, no rates)", LEXICAL_NOTE]
    if summary.languages:
        lines.append(language_words(summary))
    lines += _paper_lines(summary)
    if summary.arguments.beside is not None:
        lines.append(f"beside the verdicts: {beside_words(summary.arguments)}")
    elif summary.arguments.reconstructed and not summary.lexical:
        lines.append(loop_line(summary.arguments))
    return [*lines, *_spent_lines(summary)]


def inference_lines(failures: ArgumentFailures | None) -> list[str]:
    """How many misinformed arguments fail by their inference; nothing if all do by facts alone."""
    if failures is None or not (failures.link or failures.mixed or failures.unknown):
        return []
    total = failures.fact + failures.link + failures.mixed + failures.unknown
    unknown = f"; of {failures.unknown:,} it is not known" if failures.unknown else ""
    return [
        f"of {counted(total, 'misinformed argument')}, {failures.fact:,} "
        f"{'fails' if failures.fact == 1 else 'fail'} by a fact, {failures.link:,} by the "
        "inference alone (the facts hold, the conclusion does not follow), "
        f"{failures.mixed:,} by both{unknown}"
    ]


def level_lines(counts: PresuppositionCounts) -> list[str]:
    """What looks at presuppositions say beside the share of misinformed points."""
    stated = sum(counts.acknowledged.values())
    lines = [
        f"the paper speaks to: {supplied_words(counts.overall)}, flagged or not",
        f"not misinformed, and the authors state it too: {stated:,}",
    ]
    if counts.bundled:
        apart = f"; in {counts.parts_misinformed:,} another part alone is misinformed"
        lines.append(
            f"remarks of several parts: {counts.bundled:,}, each judged by its main part"
            f"{apart if counts.parts_misinformed else ''}"
        )
    if counts.contested:
        lines.append(f"unknown since looks differ: {counts.contested:,}")
    return lines


def supplied_words(share: SuppliedShare) -> str:
    """A share of points that the paper speaks to, with its n and interval in words."""
    if share.share is None or share.low is None or share.high is None:
        return f"{share.supplied:,} (a count and no rate; {share.unknown:,} unknown)"
    return (
        f"{share.supplied:,} of {share.n:,} ({share.share:.1%}, 95 % interval {share.low:.1%} to "
        f"{share.high:.1%}; {share.unknown:,} unknown)"
    )


def _spent_lines(summary: Summary) -> list[str]:
    """What replies were like, and what the run took."""
    sessions = f" in {summary.sessions} sessions" if summary.sessions > 1 else ""
    spent = f"{spending_words(summary)}; {duration_words(summary.seconds)}{sessions}"
    return [line for line in (replies_words(summary), spent) if line]


def _count_lines(summary: Summary) -> list[str]:
    """How many points there are of each type, and what is no point."""
    lines = []
    for kind, counts in summary.counts.items():
        if counts.total:
            states = f"{counts.scored:,} scored, {counts.unknown:,} unknown, "
            states = "" if summary.lexical else states
            lines.append(f"{plural(kind)}: {counts.total:,} ({states}{counts.error:,} failed)")
    if summary.no_points:
        lines.append(f"not judged, in no count: {summary.no_points:,} that are no review points")
    return lines


def _paper_lines(summary: Summary) -> list[str]:
    """What of the papers judges or reviewers did not see, and which places of them points name."""
    unread, places = summary.unread, summary.places
    lines = [] if unread is None else [unread_words(unread)]
    lines += [*page_lines(summary), *note_lines(summary), *excerpt_lines(summary)]
    lines += version_lines(summary)
    return lines + ([place_words(places)] if places is not None and places.points else [])


def page_lines(summary: Summary) -> list[str]:
    """Which papers judges saw as images of their pages."""
    shown = summary.pages
    if shown is None:
        return []
    pages, alone = sum(shown.pages.values()), len(shown.text_alone)
    words = (
        f"judges saw {counted(pages, 'page')} of {counted(len(shown.pages), 'paper')} as images "
        f"({shown.dpi} dpi); what they read off a figure or a table is not verified"
    )
    return [f"{words}; {counted(alone, 'paper')} without pages by text alone" if alone else words]


def note_lines(summary: Summary) -> list[str]:
    """What is known of a judge's worth, and what it was not given for want of consent.

    What else must be said of the embedded one stands apart.
    """
    note = None if summary.lexical else summary.note
    left_out = [] if summary.consent is None else summary.consent.words
    return [*(line for line in (note, summary.validation) if line), *left_out]


def excerpt_lines(summary: Summary) -> list[str]:
    """How many points were judged on excerpts, and for how many these were too little."""
    counts = summary.excerpts
    if counts is None:
        return []
    share = f"{100 * counts.median_share:.0f} %"
    return [
        f"judged on excerpts (a median of {share} of the paper): {counted(counts.points, 'point')} "
        f"of {summary.points:,}; {counts.undecidable:,} of them are unknown, since nothing is "
        "judged absent on excerpts, and no share of misinformed points is given for that reason"
    ]


def excerpt_words(shares: Sequence[float], points: int) -> str:
    """How many points of one paper were judged on excerpts, and what that means.

    Args:
        shares: The share of the paper that was seen for each of these points, 0..1.
        points: How many points there are in all.
    """
    return (
        f"Judged on excerpts (a median of {100 * median(shares):.0f} % of the paper): "
        f"{len(shares):,} of {counted(points, 'point')}. Nothing is judged absent on excerpts."
    )


def language_words(summary: Summary) -> str:
    """How many reviews are not in English, and what that means for their points."""
    named = [f"{language_name(code)} {n:,}" for code, n in summary.languages.items()]
    words = f"reviews with points that are not in English: {', '.join(named)}"
    if summary.lexical:
        return f"{words}; they are listed and not looked up: the embedded judge reads English alone"
    return f"{words}; prompts and pages are in English"


def unread_words(total: UnreadTotal) -> str:
    """What of the papers judges do not see."""
    words = []
    if total.papers:
        parts = [f"{part} of {counted(papers, 'paper')}" for part, papers in total.papers.items()]
        words.append(
            f"not read by the judge: {', '.join(parts)} ({total.unread:,} of their "
            f"{total.characters:,} characters)"
        )
    lacking = []
    if total.papers_without_formulas:
        of = counted(total.papers_without_formulas, "paper")
        lacking.append(f"{counted(total.formulas, 'formula')} of {of}")
    if total.papers_without_figures:
        lacking.append(f"the figures of {counted(total.papers_without_figures, 'paper')}")
    if lacking:
        words.append(f"missing in the texts: {' and '.join(lacking)}")
    return "; ".join(words)


_VERSIONS = {
    DoubtKind.CAMERA_READY: "published versions, or ones that name their authors",
    DoubtKind.REVISED_VERSION: "versions that were changed after the reviews",
}
_NAMED = 5


def version_lines(summary: Summary) -> list[str]:
    """Which papers may not be what reviewers read, and how many points that keeps from a flag."""
    lines = []
    for kind, names in summary.versions.items():
        shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
        lines.append(
            f"{len(names):,} of {counted(summary.papers, 'paper')} may differ from what reviewers "
            f"read: the texts at hand are {_VERSIONS[kind]} ({shown}); flags in them stand"
        )
    if count := sum(summary.after_review.values()):
        lines.append(
            f"{counted(count, 'point')} {'not addressed' if summary.lexical else 'not flagged'}, "
            f"as what the paper says to {'it' if count == 1 else 'them'} stands only where "
            "reviewers could not see it: in answers to reviews, text marked as revised, or a "
            "revision"
        )
    return lines


def paper_unread_words(unread: Unread) -> str:
    """What of one paper judges did not see."""
    sentences = []
    if unread.parts:
        parts = [f"{part} ({count:,} characters)" for part, count in unread.parts.items()]
        read = unread.characters - sum(unread.parts.values())
        sentences.append(
            f"Not read by the judge: {', '.join(parts)}. Read: {read:,} of {unread.characters:,} "
            "characters."
        )
    if unread.missing.words:
        sentences.append(f"Missing in the text at hand: {unread.missing.words}.")
    return " ".join(sentences)


def unread_evidence_words(unread: Unread | None) -> str:
    """Says beside a verdict what it could not rest on; some parts are no evidence."""
    if unread is None:
        return ""
    parts = [part for part in unread.parts if part not in ("references", QUESTIONS, REPEATS)]
    parts += [unread.missing.words] if unread.missing.words else []
    if not parts:
        return ""
    return f"Judged without: {', '.join(parts)}. What stands there was not read."


def response_words(found: Responses) -> str:
    """What the authors' responses change, in words."""
    if found.share is None or found.low is None or found.high is None:
        return f"the authors' responses: {counted(found.unknown, 'point')}, none known both ways"
    share = f"{100 * found.share:.1f} %, 95 % interval {100 * found.low:.1f} to "
    share += f"{100 * found.high:.1f} %"
    unknown = f", {found.unknown:,} unknown" if found.unknown else ""
    return (
        f"the authors' responses change {found.changed:,} of {found.n:,} verdicts ({share}): "
        f"{found.settled:,} misinformed only with them, {found.excused:,} only without{unknown}"
    )


def aligned_words(found: AlignedResponses) -> str:
    """With how many points authors' responses were aligned, and what the authors say there."""
    says = {"contests": "contested", "changed": "said to be changed", "answers": "answered"}
    stances = ", ".join(f"{count:,} {says[stance]}" for stance, count in found.stances.items())
    return (
        f"The authors' responses were aligned with {found.answered:,} of "
        f"{counted(found.points, 'point')} of reviews that have one: {stances}, by cues in "
        "their words"
    )


def place_words(named: NamedPlaces) -> str:
    """How many points name places of their paper, and how many of these are there."""
    return (
        f"{counted(named.points, 'point')} name {counted(named.places, 'place')} of the paper, "
        f"{named.at_hand:,} of them in the text at hand"
    )


def session_line(new: int, before: int, seconds: float) -> str:
    """What one session of several has done."""
    if not new:
        return f"nothing to do: {counted(before, 'point')} done before"
    return (
        f"this session: {counted(new, 'new point')} in {duration_words(seconds)}, "
        f"{before:,} done before"
    )


def plural(kind: str) -> str:
    """A type of points in the plural, as a label."""
    return "type unknown" if kind == UNTYPED else f"{kind}s"


def _who(summary: Summary) -> str:
    words = f"{counted(summary.points, 'point')} of {counted(summary.reviews, 'review')}"
    if summary.reviews_without_points:
        words += f" ({summary.reviews_without_points:,} of them without a point)"
    words += f", judge {summary.judge}"
    if summary.judge_version:
        words += f" {summary.judge_version}"
    if summary.bad_lines:
        words += f"; {counted(summary.bad_lines, 'line')} of the input left out"
    if summary.selection:
        picks = ", ".join(f"{name} {value}" for name, value in summary.selection.items())
        words += f"; a selection ({picks})"
    return words if summary.complete else f"{words}; not complete yet"


def panel_words(judged: JudgedCounts) -> str:
    """On how many points a panel is divided; nothing without a panel."""
    if not judged.panel:
        return ""
    return f"; the panel is divided on {judged.divided:,} of {judged.panel:,}"


def share_words(share: Share) -> str:
    """A share with its n and interval in words."""
    if share.n and share.share is None:
        return (
            f"{share.misinformed:,} (a count and no rate: on excerpts {share.unknown:,} are "
            f"unknown, {share.error:,} failed)"
        )
    if share.share is None or share.low is None or share.high is None:
        return f"not known for any point ({share.unknown:,} unknown, {share.error:,} failed)"
    return (
        f"{share.misinformed:,} of {share.n:,} ({share.share:.1%}, 95 % interval "
        f"{share.low:.1%} to {share.high:.1%}; {share.unknown:,} unknown, {share.error:,} failed)"
    )


def unquoted_words(share: Share) -> str:
    """How many of the misinformed points rest on no quote from the paper; nothing if none do."""
    if not share.unquoted:
        return ""
    return f"; of these {share.misinformed:,}, {share.unquoted:,} without a verified quote"


def spending_words(summary: Summary) -> str:
    """Calls, tokens and dollars in words."""
    if summary.lexical:
        return "no model was asked, no cost"
    spent = summary.spending
    cost = (
        "price not known" if spent.usd is None else f"${spent.usd:,.2f}" if spent.usd else "no cost"
    )
    if spent.doubtful_usd:
        cost += f" (and at most ${spent.doubtful_usd:,.2f} for calls that broke off)"
    cached = spent.cached_tokens / spent.input_tokens if spent.input_tokens else 0.0
    batched = f", {spent.batched:,} in batch jobs" if spent.batched else ""
    return (
        f"{counted(spent.calls, 'call')} ({spent.reused:,} reused{batched}), "
        f"{spent.input_tokens:,} tokens in ({cached:.0%} from the provider's cache), "
        f"{spent.output_tokens:,} out, {cost}"
    )


def replies_words(summary: Summary) -> str:
    """How many replies could not be used; nothing if all could, or if nobody counted."""
    replies = summary.replies
    if replies is None or not replies.unusable:
        return ""
    return (
        f"replies that could not be used: {replies.unusable:,} of {replies.n:,} "
        f"({replies.share:.1%}, 95 % {replies.low:.1%} to {replies.high:.1%}); they were asked for "
        "again, at most twice"
    )


def duration_words(seconds: float) -> str:
    """A time in words, as coarse as it is long."""
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min {seconds % _MINUTE:.0f} s"
    return f"{seconds // _HOUR:.0f} h {seconds % _HOUR // _MINUTE:.0f} min"


def doubted_words(changed: Sequence[str]) -> str:
    """Which records were changed after the run, and what that means for a page."""
    return f"{changed_words(changed)}: what stands here may be nobody's verdict."


def doubtful_words(summary: Summary) -> str:
    """Which papers are doubtful, and why that matters."""
    names = summary.doubtful
    shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    return (
        f"Papers to look at first: {len(names):,} of {summary.papers:,} ({shown}) "
        "badly read, not in English, or with text that people cannot see or that addresses a "
        "model. Judges may be wrong there; what was found stands under Doubts."
    )


def rate(hits: int, n: int) -> str:
    """A share as in the paper's table, with its n; a dash if there is none."""
    return f"{hits / n:.3f} (n = {n:,})" if n else "–"


def loop_rows(counts: ArgumentCounts) -> list[tuple[str, str, str, str, str]]:
    """The table: measure, first attempts, last attempts, and the paper's two columns."""
    first, last = counts.first, counts.last
    rounds = "–" if counts.mean_rounds is None else f"{counts.mean_rounds:.2f}"
    if counts.sd_rounds is not None:
        rounds += f" ± {counts.sd_rounds:.2f}"
    return [
        ("validity", rate(first.valid, first.n), rate(last.valid, last.n), "0.895", "1.00"),
        (
            "faithfulness (judge)",
            rate(first.faithful, first.judged),
            rate(last.faithful, last.judged),
            "2.91 of 5, by people",
            "4.47 of 5, by people",
        ),
        ("pass rate", rate(first.passed, first.n), rate(last.passed, last.n), "0.369", "0.935"),
        ("rounds", "–", rounds, "–", "3.09 ± 2.73"),
    ]


def beside_words(counts: ArgumentCounts) -> str:
    """What became of the arguments that stand beside verdicts; empty elsewhere."""
    beside = counts.beside
    if beside is None:
        return ""
    words = f"{counted(counts.reconstructed, 'argument')} rebuilt"
    if beside.judged:
        words += f", {beside.holding:,} of {beside.judged:,} without a premise judged false"
    words += f"; {beside.without_inference:,} not, for want of two reasons or a stated step"
    words += f"; {beside.failed:,} failed" if beside.failed else ""
    return f"{words}; in no count of misinformed points"


def failure_words(counts: ArgumentCounts) -> str:
    """Why rounds failed, in words; empty if none did."""
    return ", ".join(
        f"{count:,} {state.replace('_', '-')}" for state, count in counts.failures.items()
    )


def loop_line(counts: ArgumentCounts) -> str:
    """The table in one line."""
    last = counts.last
    words = (
        f"arguments: validity {rate(last.valid, last.n)}, "
        f"judged faithful {rate(last.faithful, last.judged)}, "
        f"pass rate {rate(last.passed, last.n)}, {loop_rows(counts)[3][2]} rounds"
    )
    failed = failure_words(counts)
    return f"{words}; failed rounds: {failed}" if failed else words


_LISTED = {
    Listing.FOUND: "in the paper's list of references",
    Listing.AMBIGUOUS: "several entries of the paper's list may be meant",
    Listing.NOT_FOUND: "not in the paper's list of references",
    Listing.NO_LIST: "the text at hand has no list of references",
    Listing.UNKNOWN: "whether the paper's list has it cannot be told",
}


def work_words(record: WorkRecord) -> str:
    """A work that a review names, and whether it is listed, in words."""
    work = record.work
    people = (
        " and ".join(work.authors) if len(work.authors) <= _TWO else f"{work.authors[0]} et al."
    )
    date = "" if work.year is None else f"{work.year}{work.letter}"
    parts = [people, date, work.name if not work.title else "", work.title]
    number = "" if work.number is None else f"[{work.number}]"
    address = work.doi or work.url or (f"arXiv {work.arxiv}" if work.arxiv else "")
    what = ", ".join(filter(None, parts)) or number or address or work.words
    pages = dict.fromkeys(entry.page for entry in record.in_paper.entries if entry.page)
    where = f" (p. {', '.join(map(str, pages))})" if pages else ""
    outside = "" if record.outside is None else f"; elsewhere: {record.outside.replace('_', ' ')}"
    return f"{what}: {_LISTED[record.in_paper.listing]}{where}{outside}"


_TWO = 2
