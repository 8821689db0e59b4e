"""Two judges on the same planted points as a page, as tidy rows and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reviewscore.pages.figures import FigurePage, write_pages
from reviewscore.printable import counted
from reviewscore.runs.folder import changed_words
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import FEW_PAPERS, percent
from reviewscore.stats.tables import Cell, Kind, Table, csv_text, ends, number
from reviewscore.validation.comparison import (
    FEWEST,
    FIRST,
    SECOND,
    ComparedJudge,
    ValidationComparison,
)
from reviewscore.validation.figures import PlantedSection
from reviewscore.validation.page import COLUMNS, HARDER, fields, group_name, section_picture

_DRAWN = ("sensitivity", "specificity")


def sentence(found: ValidationComparison) -> str:
    """What the comparison says, in words that a chair can act on; A is the first judge."""
    groups = found.sections[0].groups
    if not groups:
        return "Nothing was judged by both."
    head = groups[0].estimates
    kind = "hard planted" if groups[0].group == "hard" else "planted"
    hits, kept = head["sensitivity"], head["specificity"]
    flags = _turned(kept)
    found_more, spared_more = (_sign(head, name) for name in _DRAWN)
    if found_more:
        text = f"B finds {_more(hits)} of {kind} misinformed remarks than A"
    else:
        text = (
            f"B is not shown to find more or fewer {kind} misinformed remarks than A{_beside(hits)}"
        )
    if spared_more:
        text += f"; it flags {_more(flags)} of fair ones"
    else:
        text += f"; no difference is shown in fair ones that are flagged{_beside(flags)}"
    return f"{text}. {_advice(found, found_more, spared_more, _sign(head, 'verdicts'))}"


def _advice(found: ValidationComparison, hits: int, kept: int, given: int) -> str:
    """What to do.

    Signs are of what is shown to be better (1) or worse (-1) of the second judge: finding, sparing,
    and giving a verdict at all.
    """
    names = {FIRST: "A", SECOND: "B"}
    trusted = [name for side, name in names.items() if getattr(found, side).tells_apart]
    if not trusted:
        return "Of neither is it shown that it can tell the two apart: do not act on their flags."
    if len(trusted) == 1:
        other = "A" if trusted == ["B"] else "B"
        return (
            f"Of {other} it is not shown that it can tell the two apart: do not act on its flags."
        )
    return _weighed(hits, kept, given)


def _weighed(hits: int, kept: int, given: int) -> str:
    """What to do with two judges of which both can tell the two apart; signs as of `_advice`."""
    better, talks = ("B" if sign > 0 else "A" for sign in (hits + kept, given))
    if hits * kept < 0:
        return "What counts more, finding or sparing, is yours to weigh."
    if (hits or kept) and (not given or talks == better):
        return f"Use {better}."
    if hits or kept:
        return (
            f"{talks} gives a verdict more often, which the shares above leave out: what counts is "
            "yours to weigh."
        )
    if given:
        return f"{talks} gives a verdict more often; where both do, no difference is shown."
    return "Nothing here speaks for one of them: take the cheaper one, or measure with more points."


def _turned(one: Estimate) -> Estimate:
    """A difference the other way round."""
    low, high = (None if end is None else -end for end in (one.high, one.low))
    value = None if one.value is None else -one.value
    return one.model_copy(update={"value": value, "low": low, "high": high})


def _sign(head: dict[str, Estimate], measure: str) -> int:
    """1 or -1 where the second judge is shown to have more or less of a measure; else 0.

    Where all papers differ alike the difference has no interval; then those of the two judges must
    lie apart.
    """
    one, first, second = (head[name] for name in (measure, *_of_each(measure)))
    if one.low is not None and one.high is not None:
        return (one.low > 0) - (one.high < 0)
    return _above(second, first) - _above(first, second)


def _above(one: Estimate, other: Estimate) -> bool:
    return one.low is not None and other.high is not None and one.low > other.high


def _of_each(measure: str) -> tuple[str, str]:
    """The names of both judges' own values of a measure."""
    return f"{measure}_{FIRST}", f"{measure}_{SECOND}"


def _more(one: Estimate) -> str:
    """A difference that is shown, such as ``12.0 points more [3.0, 20.0]``."""
    more = (one.value or 0.0) > 0
    shown = one if more else _turned(one)
    return f"{number(shown.value or 0.0, 'share')} points {'more' if more else 'fewer'}" + (
        f" {ends(shown, 'share')}" if shown.low is not None else ""
    )


def _beside(one: Estimate) -> str:
    """A difference that is not shown, in brackets; empty where there is none."""
    if one.value is None:
        return ""
    interval = ends(one, "difference") or "without an interval"
    return f" ({number(one.value, 'difference')} points {interval})"


def write_comparison(
    found: ValidationComparison, out: Path, *, allow_foreign: bool = False
) -> list[Path]:
    """Write page, Markdown, CSV and JSON into a folder.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
        StopError: The disk is full.
    """
    return write_pages(comparison_page(found), found, out, verb="compare", csv=tidy(found),
                       allow_foreign=allow_foreign)  # fmt: skip


def tidy(found: ValidationComparison) -> str:
    """All estimates as CSV, with the columns of a validation's."""
    return csv_text(COLUMNS, _rows(found))


def _rows(found: ValidationComparison) -> Iterator[list[object]]:
    for section in found.sections:
        for group in section.groups:
            for name, one in group.estimates.items():
                own: Kind = "coefficient" if name.startswith("area") else "share"
                kind = found.kinds.get(name, own)
                yield [section.name, group.group, name, kind, *fields(one)]


def comparison_page(found: ValidationComparison) -> FigurePage:
    """The comparison as a page for chairs."""
    titles = {name: found.titles[name] for name in _DRAWN}
    return FigurePage(
        title="Which of two judges?",
        eyebrow=f"reviewscore {found.reviewscore_version}",
        lead=f"{headline(found)} {HARDER[False]}",
        banners=tuple(_banners(found)),
        tables=(
            *_own(found),
            *(_table(found, section) for section in found.sections if section.groups),
            _right(found),
            _setup(found),
        ),
        foot=tuple(_foot(found)),
        pictures=(
            section_picture(found.sections, titles, "B less A: to the right, B is better",
                            kind="difference"),
        ),
    )  # fmt: skip


def headline(found: ValidationComparison) -> str:
    """Who is A and B, what they were compared on, and the sentence."""
    on = f"{counted(found.points, 'planted point')} of {counted(found.papers, 'paper')}"
    return (
        f"{sentence(found)} A is {_who(found.first)}, B is {_who(found.second)}; both judged {on}."
    )


def _who(judge: ComparedJudge) -> str:
    return f"{judge.judge} (protocol {judge.protocol}, {judge.place})"


def _banners(found: ValidationComparison) -> Iterator[str]:
    for name, judge in (("A", found.first), ("B", found.second)):
        if judge.changed:
            yield f"{name}: {changed_words(judge.changed)}."
        if not judge.complete:
            yield f"{name} has not judged everything; run its `validate` again to go on."
    if found.only_first or found.only_second or found.other_version:
        yield (
            f"Left out: {counted(found.only_first, 'planted point')} that only A has, "
            f"{found.only_second:,} that only B has, and {counted(found.other_version, 'trial')} "
            "of other versions of a paper."
        )
    yield (
        "Planted remarks are clearer than real ones: the better judge here need not be the better "
        "one on real reviews."
    )
    if found.papers < FEW_PAPERS:
        yield f"Intervals rest on {counted(found.papers, 'paper')} and are too narrow."


def _own(found: ValidationComparison) -> Iterator[Table]:
    """Each judge's own values on what both judged, of the stratum that is named first."""
    for group in found.sections[0].groups[:1]:
        rows: list[tuple[Cell, ...]] = [
            (name, *(group.estimates[_of_each(measure)[at]] for measure in found.titles))
            for at, name in enumerate((f"A: {found.first.judge}", f"B: {found.second.judge}"))
        ]  # fmt: skip
        kinds: tuple[Kind, ...] = tuple(
            "share" if kind == "difference" else kind for kind in found.kinds.values()
        )
        yield Table(
            "judges", f"Each judge on the same remarks ({group.group})",
            ("", *found.titles.values()), tuple(rows), kind=("share", *kinds),
        )  # fmt: skip


def _table(found: ValidationComparison, section: PlantedSection) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (group_name(section, group.group), group.items,
         *(group.estimates[name] for name in found.titles))
        for group in section.groups
    ]  # fmt: skip
    few = ", ".join(group_name(section, name) for name in found.small.get(section.name, ()))
    notes = (f"Too few points (less than {FEWEST}): {few}.",) if few else ()
    kinds: tuple[Kind, ...] = ("share", "share", *found.kinds.values())
    return Table(section.name, f"B less A: {section.title[:1].lower()}{section.title[1:]}",
                 ("", "Items", *found.titles.values()), tuple(rows), kind=kinds,
                 notes=notes)  # fmt: skip


def _right(found: ValidationComparison) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (f"{one.group}, {'misinformed' if one.misinformed else 'fair'}", one.both, one.only_first,
         one.only_second, one.neither, one.unknown)
        for one in found.right
    ]  # fmt: skip
    return Table(
        "right",
        "Who is right",
        ("", "Both", "Only A", "Only B", "Neither", "No verdict of one or both"),
        tuple(rows),
        lead="Remarks. Right: a misinformed one is flagged, a fair one is not.",
    )


def _setup(found: ValidationComparison) -> Table:
    both = (found.first, found.second)
    rows: list[tuple[Cell, ...]] = [
        ("judge", *(one.judge for one in both)),
        ("protocol", *(one.protocol for one in both)),
        ("validated on", *(one.at[:10] for one in both)),
        ("settings and prompts", *(one.made_with[:16] for one in both)),
        ("planted points judged", *(one.points for one in both)),
        ("cost of the run", *("not known" if one.usd is None else f"${one.usd:,.2f}"
                              for one in both)),
    ]  # fmt: skip
    return Table("setup", "How they were made", ("", "A", "B"), tuple(rows))


def _foot(found: ValidationComparison) -> Iterator[str]:
    yield (
        "A difference is B's value less A's, in percentage points (of the area, as it is). Its "
        "interval is what counts: where it holds 0, no difference is shown, which is not to say "
        "that there is none."
    )
    yield (
        "Pairs are trials of one planted point with one truth in one version of its paper. Shares "
        "of right judgments are of trials on which both judges have a verdict, the area of those "
        "to which both give a score; passages are those that each gives with its own flags."
    )
    if found.pending:
        yield f"Not judged yet by one of them, and in no figure: {counted(found.pending, 'trial')}."
    yield (
        f"Cite: reviewscore {found.reviewscore_version}, settings {found.first.made_with[:16]} and "
        f"{found.second.made_with[:16]}, points {found.items_sha256[:16]}, versions of seed "
        f"{found.seed_of_versions}, {percent(found.level)} intervals of {found.resamples:,} "
        f"resamples of papers, seed {found.seed}."
    )
