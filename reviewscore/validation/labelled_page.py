"""A judge on a labelled set as a page, as tidy rows and as JSON; and what it says in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from reviewscore.pages.figures import FigurePage, IntervalPlot, write_pages
from reviewscore.printable import counted
from reviewscore.runs.folder import changed_words
from reviewscore.schema.validation import ValidationRecord
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import FEW_PAPERS, percent
from reviewscore.stats.tables import Cell, Kind, Table, csv_text, number
from reviewscore.validation.judgments import TrialState
from reviewscore.validation.labelled import SetKind
from reviewscore.validation.labelled_figures import (
    ADDRESSED_FAIR,
    ADDRESSED_WRONG,
    AREA,
    DIFFERENCE,
    F1,
    OF_MODELS,
    OF_THE_FINDER,
    PRECISION,
    SENSITIVITY,
    SPECIFICITY,
    VERDICTS,
    LabelledGroup,
    LabelledValidation,
)
from reviewscore.validation.page import (
    COLUMNS,
    VERB,
    apart,
    cost_row,
    fields,
    in_words,
    scores_table,
    states_table,
    turned,
)

_TITLES = {
    SENSITIVITY: "Misinformed flagged",
    SPECIFICITY: "Fair not flagged",
    DIFFERENCE: "Difference",
    AREA: "Area",
    PRECISION: "Flags that are right",
    F1: "F1",
    VERDICTS: "With a verdict",
    ADDRESSED_WRONG: "Addressed, misinformed",
    ADDRESSED_FAIR: "Addressed, fair",
}
_KINDS: dict[str, Kind] = {AREA: "coefficient", F1: "coefficient", DIFFERENCE: "difference"}
_MEANINGS = {
    SENSITIVITY: "sensitivity: of misinformed remarks with a verdict, those flagged",
    SPECIFICITY: "specificity: of fair remarks with a verdict, those not flagged",
    PRECISION: "precision: of flagged remarks, those that the labels call misinformed; it goes "
    "with their share in the set, which is not that of your reviews",
    F1: "F1: 2 TP / (2 TP + FP + FN) of misinformed remarks with a verdict",
    AREA: "area: how often a misinformed remark has a lower score than a fair one (ROC; 0.5 is "
    "chance)",
    ADDRESSED_WRONG: "addressed: of remarks of each truth, those that the evidence finder calls "
    "addressed; which passages answer a remark is not known, so recall is not measured",
}
_PLANTED = {SENSITIVITY: "sensitivity", SPECIFICITY: "specificity"}
_MOST_FAULTS = 5


def labelled_sentence(made: LabelledValidation, kind: SetKind) -> str:
    """What the figures say, in words that can be acted on."""
    estimates = made.whole.estimates
    if made.embedded:
        wrong, fair = estimates[ADDRESSED_WRONG], estimates[ADDRESSED_FAIR]
        if wrong.value is None or fair.value is None:
            return "No finding on misinformed or on fair remarks, so nothing can be said."
        return (
            f"The evidence finder calls {in_words(wrong)} of {kind.misinformed} addressed, and "
            f"{in_words(fair)} of {kind.fair}. It judges no truth: read the passages."
        )
    hit, kept = estimates[SENSITIVITY], estimates[SPECIFICITY]
    if hit.value is None or kept.value is None:
        return "No verdict was given on misinformed or on fair remarks, so nothing can be said."
    alarm = turned(kept)
    text = (
        f"This judge flags {in_words(hit)} of {kind.misinformed} and {in_words(alarm)} of "
        f"{kind.fair}"
    )
    if not apart(estimates[DIFFERENCE], hit, alarm):
        return f"{text}. That it can tell the two apart is not shown: do not act on its flags."
    base = made.baselines[0].estimates[PRECISION].value if made.baselines else None
    chance = "" if base is None else f", where flagging all is right in {number(base, 'share')} %"
    right = in_words(estimates[PRECISION])
    return (
        f"{text}; {right} of its flags are right{chance}. Read each passage before you act on a "
        "flag."
    )


def labelled_headline(made: LabelledValidation, kind: SetKind) -> str:
    """The sentence, and what it was measured on."""
    remarks = counted(made.whole.misinformed + made.whole.fair, "remark")
    papers = counted(made.whole.papers, "paper")
    return f"Measured on {kind.title}: {remarks} about {papers}. {labelled_sentence(made, kind)}"


def write_labelled(
    made: LabelledValidation, kind: SetKind, out: Path, *, allow_foreign: bool = False
) -> list[Path]:
    """Write page, Markdown, CSV and JSON into a folder.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder cannot be written, or holds other things.
        StopError: The disk is full.
    """
    csv = csv_text(COLUMNS, _rows(made))
    page = labelled_page(made, kind)
    return write_pages(page, made, out, verb=VERB, csv=csv, allow_foreign=allow_foreign)


def _rows(made: LabelledValidation) -> Iterator[list[object]]:
    tables = (("all", (made.whole,)), ("parts", made.parts), ("baselines", made.baselines))
    for table, groups in tables:
        for group in groups:
            for name, one in group.estimates.items():
                yield [table, group.group, name, _kind(name), *fields(one)]


def _kind(name: str) -> Kind:
    return _KINDS.get(name, "share")


def labelled_page(made: LabelledValidation, kind: SetKind) -> FigurePage:
    """The figures as a page for chairs."""
    return FigurePage(
        title=f"How does this judge do on {kind.title}?",
        eyebrow=f"reviewscore {made.reviewscore_version} · {made.judge}",
        lead=labelled_headline(made, kind),
        banners=tuple(_banners(made, kind)),
        tables=(
            _apart(made),
            *([] if made.embedded else [_worth(made)]),
            states_table(
                made.states,
                made.several,
                both="truths",
                lead="" if made.embedded else "What has no verdict is in no share of flags.",
            ),
            *([scores_table(made.scores)] if made.scores else []),
            _setup(made, kind),
        ),
        foot=tuple(_foot(made, kind)),
        pictures=(_picture(made),) if made.whole.papers else (),
    )


def _picture(made: LabelledValidation) -> IntervalPlot:
    """How often remarks of each truth are flagged, of all, of parts, and of planted ones."""
    drawn = (ADDRESSED_WRONG, ADDRESSED_FAIR) if made.embedded else (SENSITIVITY, SPECIFICITY)
    rows: list[tuple[Cell, ...]] = [
        (name, *(group.estimates[one] for one in drawn))
        for name, group in _groups(made)
        if group not in made.baselines
    ]
    if made.planted is not None and not made.embedded:
        rows.append(_planted_row(made.planted, drawn))
    title = "What this judge shows" if made.embedded else "What this judge gets right"
    columns = ("", *(_TITLES[one] for one in drawn))
    return IntervalPlot(Table("at-a-glance", title, columns, tuple(rows), kind="share"))


def _banners(made: LabelledValidation, kind: SetKind) -> Iterator[str]:
    if made.changed:
        yield f"{changed_words(made.changed)}."
    if not made.complete:
        yield "Not everything was judged; run the same command again to go on."
    yield kind.bounds
    yield f"Judges saw {kind.seen}."
    if kind.public:
        yield "The set is public: a model may have been trained on it, and look better for that."
    yield from made.notes
    if made.whole.papers < FEW_PAPERS:
        yield f"Intervals rest on {counted(made.whole.papers, 'paper')} and are too narrow."


def _apart(made: LabelledValidation) -> Table:
    """How often remarks of each truth are flagged."""
    measures = OF_THE_FINDER if made.embedded else (SENSITIVITY, SPECIFICITY, DIFFERENCE, AREA)
    rows: list[tuple[Cell, ...]] = [
        (name, group.misinformed, group.fair, *(group.estimates.get(one) for one in measures))
        for name, group in _groups(made)
    ]
    notes = list(_notes(made))
    if made.planted is not None and not made.embedded:
        name, *cells = _planted_row(made.planted, measures)
        rows.append((name, None, None, *cells))
        other = "" if made.planted_alike else ", with other settings or prompts"
        notes.append(
            f"Planted: the same judge on {counted(made.planted.items, 'planted point')} of "
            f"{counted(made.planted.papers, 'paper')}, {made.planted.at[:10]}{other}. There the "
            "truth is made; here labels say it."
        )
    titles = _TITLES | ({VERDICTS: "With a finding"} if made.embedded else {})
    return Table(
        "apart",
        "Does it tell misinformed remarks from fair ones?",
        ("", "Misinformed", "Fair", *(titles[one] for one in measures)),
        tuple(rows),
        kind=("share", "share", "share", *map(_kind, measures)),
        notes=tuple(notes),
    )


def _worth(made: LabelledValidation) -> Table:
    """What a flag is worth."""
    measures = (PRECISION, F1, VERDICTS)
    return Table(
        "worth",
        "What is a flag worth?",
        ("", *(_TITLES[one] for one in measures)),
        tuple(
            (name, *(group.estimates.get(one) for one in measures)) for name, group in _groups(made)
        ),
        kind=("share", *map(_kind, measures)),
        notes=tuple(_notes(made)),
    )


def _groups(made: LabelledValidation) -> Iterator[tuple[str, LabelledGroup]]:
    """All remarks, the parts of the set, and the judges that read nothing."""
    yield "all remarks" if made.parts else "this judge", made.whole
    yield from ((group.group, group) for group in made.parts)
    yield from ((group.group, group) for group in made.baselines)


def _notes(made: LabelledValidation) -> Iterator[str]:
    if made.baselines:
        yield (
            "Flag all and a coin read nothing: expected values by formula, on all remarks that "
            "have a verdict."
        )


def _planted_row(planted: ValidationRecord, measures: Iterable[str]) -> tuple[Cell, ...]:
    """What was measured of the same judge on planted remarks."""
    cells: list[Cell] = []
    for measure in measures:
        known = planted.shares.get(_PLANTED.get(measure, ""))
        cells.append(
            None if known is None else
            Estimate(coefficient=measure, value=known.value, low=known.low, high=known.high,
                     n=known.n)
        )  # fmt: skip
    return ("Planted", *cells)


def _setup(made: LabelledValidation, kind: SetKind) -> Table:
    family = f" (family: {', '.join(made.families)})" if made.families else ""
    rows: list[tuple[Cell, ...]] = [
        ("judge", f"{made.judge}{family}"),
        ("protocol", made.protocol or "none: no model was asked"),
        ("truth", kind.labels),
        ("misinformed", kind.misinformed),
        ("fair", kind.fair),
        ("licence of the set", kind.licence),
        ("papers", made.whole.papers),
        *((f"left out: {why}", count) for why, count in made.excluded.items()),
        ("left out: could not be used", len(made.left_out)),
    ]
    judged = sum(map(sum, made.states.values())) - sum(made.states.get(TrialState.PENDING, (0, 0)))
    if made.usd is not None and judged:
        rows.append(cost_row(made.usd, judged, made.calls, made.reused))
    return Table(
        "setup", "How it was made", ("", "Value"), tuple(rows), notes=made.left_out[:_MOST_FAULTS]
    )


def _foot(made: LabelledValidation, kind: SetKind) -> Iterator[str]:
    yield "Each remark is judged as a review of its own, by the pipeline of an audit."
    for measure in OF_THE_FINDER if made.embedded else OF_MODELS:
        if measure in _MEANINGS:
            text = _MEANINGS[measure]
            yield f"{text[:1].upper()}{text[1:]}."
    what = "called addressed" if made.embedded else "flagged"
    advice = "" if made.embedded else " If its interval holds 0, flags are not to be acted on."
    yield (
        f"Difference: how much oftener misinformed remarks are {what} than fair ones, in "
        f"percentage points.{advice}"
    )
    sums = ", ".join(sum_of[:16] for sum_of in made.inputs.values())
    yield (
        f"Cite: reviewscore {made.reviewscore_version}, settings {made.made_with[:16]}, "
        f"{kind.title} {sums}, {percent(made.level)} intervals of {made.resamples:,} resamples of "
        f"papers, seed {made.seed}."
    )
