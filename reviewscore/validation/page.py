"""A validation as a page, as tidy rows and as JSON; and the sentence that a chair can act on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from reviewscore.pages.figures import FigurePage, IntervalPlot, write_pages
from reviewscore.printable import counted
from reviewscore.runs.folder import changed_words
from reviewscore.schema.planted_point import PlantedForm
from reviewscore.schema.point_label import PassagePlace
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import FEW_PAPERS, percent
from reviewscore.stats.tables import Cell, Kind, Table, csv_text, ends, number, shown
from reviewscore.validation.families import PERSON, UNKNOWN, Families
from reviewscore.validation.figures import (
    ANOTHER_PAPER,
    DIFFERENCE,
    FIRST,
    PlantedSection,
    PlantedValidation,
)
from reviewscore.validation.judgments import TrialState
from reviewscore.validation.reliability import Reliability, Said
from reviewscore.validation.robustness import MEASURES

VERB = "validate"
COLUMNS = ("table", "group", "measure", "kind", "value", "low", "high", "n", "method", "reason")
"""Columns of ``validate.csv``: a line for each estimate, unrounded; shares lie between 0 and 1."""
FORM_NAMES = {
    PlantedForm.DENIAL: "denial",
    PlantedForm.REQUEST: "request for what is there",
    PlantedForm.QUESTION: "question",
    PlantedForm.HEDGED: "hedged",
    PlantedForm.ARGUMENT: "argument",
    PlantedForm.MISREADING: "misreading",
    PlantedForm.ANOTHER_PAPER: "about another paper",
}
PLACE_NAMES = {
    PassagePlace.MAIN: "main text",
    PassagePlace.CAPTION: "caption",
    PassagePlace.TABLE: "table",
    PassagePlace.FOOTNOTE: "footnote",
    PassagePlace.APPENDIX: "appendix alone",
    PassagePlace.CHECKLIST: "checklist alone",
}
_WHERE = {
    PassagePlace.MAIN: "in the main text",
    PassagePlace.CAPTION: "in captions",
    PassagePlace.TABLE: "in tables",
    PassagePlace.FOOTNOTE: "in footnotes",
    PassagePlace.APPENDIX: "in the appendix alone",
    PassagePlace.CHECKLIST: "in the checklist alone",
}
STATE_NAMES = {
    TrialState.VERDICT: "with a verdict",
    TrialState.FINDING: "with a finding (lexical gives no verdict)",
    TrialState.UNKNOWN: "unknown: the judge gave no verdict",
    TrialState.FAILED: "failed",
    TrialState.NO_POINT: "the remark was split into no point",
    TrialState.PENDING: "not judged yet",
}
_SAID: Mapping[Said, str] = {
    "probability": "by the probability given",
    "score": "by the score given",
}
_DRAWN = {
    False: ("sensitivity", "specificity"),
    True: (f"first_{FIRST[-1]}", "addressed_whole", "addressed_cut"),
}
"""Measures that are drawn, of judges that give scores and of the embedded one."""
_MOSTLY, _FEWEST = 0.5, 5
"""Places are named of whose answers surely fewer than this share are met, of so many at least; of
fewer papers than that it is not said whether a judge can tell."""
_SILENT = 0.05
"""So large a share of remarks without a verdict is named in the sentence."""
HARDER = {
    False: "Real remarks are harder: where readers had labelled real points, most flags were not "
    "confirmed. Read each passage.",
    True: "Real remarks are harder. Read each passage.",
}
"""What stands behind the sentence, of judges that give scores and of the embedded one."""


def sentence(sections: tuple[PlantedSection, ...], *, embedded: bool) -> str:
    """What a validation says, in words that a chair can act on.

    Args:
        sections: Its tables; the first has the strata.
        embedded: Whether the judge is ``lexical``.
    """
    groups = sections[0].groups
    if not groups:
        return "Nothing was judged."
    head = groups[0].estimates
    kind = {"hard": "hard planted", ANOTHER_PAPER: "planted foreign"}.get(
        groups[0].group, "planted"
    )
    if embedded:
        return _of_the_finder(head, kind)
    hit, kept = head["sensitivity"], head["specificity"]
    if hit.value is None or kept.value is None:
        return "No verdict was given on misinformed or on fair remarks, so nothing can be said."
    alarm = turned(kept)
    text = (
        f"This judge finds {in_words(hit)} of {kind} misinformed remarks and flags "
        f"{in_words(alarm)} of {kind} fair ones"
    )
    share = turned(head["verdicts"])
    if share.value is not None and share.value >= _SILENT:
        text += f", where it gives a verdict; on {in_words(share)} of all it gives none"
    if not tells_apart(sections):
        if groups[0].papers < _FEWEST:
            few = counted(groups[0].papers, "paper")
            return f"{text}. Whether it can tell the two apart cannot be said of {few}."
        return f"{text}. That it can tell the two apart is not shown: do not act on its flags."
    missed = list(_missed(sections))
    return f"{text}; answers {' and '.join(missed)} are mostly missed." if missed else f"{text}."


def tells_apart(sections: tuple[PlantedSection, ...]) -> bool:
    """Whether misinformed remarks are shown to be flagged oftener than fair ones.

    Where papers differ all alike, as by a judge that is always right, the difference has no
    interval; then those of the two shares must lie apart.

    Args:
        sections: The tables of a judge that gives scores.
    """
    if not sections[0].groups:
        return False
    head = sections[0].groups[0].estimates
    return apart(head[DIFFERENCE], head["sensitivity"], turned(head["specificity"]))


def apart(gain: Estimate, hit: Estimate, alarm: Estimate) -> bool:
    """Whether a difference of shares is above 0; without an interval, whether theirs lie apart."""
    if gain.low is not None:
        return gain.low > 0
    return hit.low is not None and alarm.high is not None and hit.low > alarm.high


def _of_the_finder(head: dict[str, Estimate], kind: str) -> str:
    first = FIRST[-1]
    recall, there, gone = (
        head[name] for name in (f"first_{first}", "addressed_whole", "addressed_cut")
    )
    if recall.value is None or there.value is None or gone.value is None:
        return "Nothing was judged in both versions of a paper, so nothing can be said."
    return (
        f"The evidence finder shows the answer to {in_words(recall)} of {kind} "
        f"remarks among its first {first} passages; it calls {in_words(there)} addressed "
        f"where the paper answers them and {in_words(gone)} where the answer is cut out. It judges "
        "no truth."
    )


def turned(share: Estimate) -> Estimate:
    """The share of the others."""
    low, high = (None if end is None else 1 - end for end in (share.high, share.low))
    value = None if share.value is None else 1 - share.value
    return share.model_copy(update={"value": value, "low": low, "high": high})


def in_words(share: Estimate) -> str:
    """A share with its interval and what it rests on."""
    interval = ends(share, "share")
    value = f"{number(share.value or 0.0, 'share')} %"
    return f"{value} {interval}" if interval else f"{value} (of {share.n:,})"


def _missed(sections: tuple[PlantedSection, ...]) -> Iterator[str]:
    """Places of which most answers are missed."""
    for section in sections:
        for group in section.groups if section.name == "place" else ():
            hit = group.estimates["sensitivity"]
            if hit.high is not None and hit.high < _MOSTLY and hit.n >= _FEWEST:
                yield _WHERE[PassagePlace(group.group)]


def write_validation(
    made: PlantedValidation, out: Path, *, allow_foreign: bool = False
) -> list[Path]:
    """Write page, Markdown, CSV and JSON into a folder.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder cannot be written, or holds other things.
        StopError: The disk is full.
    """
    return write_pages(
        validation_page(made), made, out, verb=VERB, csv=tidy(made), allow_foreign=allow_foreign
    )


def tidy(made: PlantedValidation) -> str:
    """All estimates as CSV, with the columns of `COLUMNS`."""
    return csv_text(COLUMNS, _rows(made))


def _rows(made: PlantedValidation) -> Iterator[list[object]]:
    for section in made.sections:
        for group in section.groups:
            for name, one in group.estimates.items():
                yield [section.name, group.group, name, made.kinds[name], *fields(one)]
    for row in made.variations:
        for name, one in row.estimates.items():
            yield ["variations", row.variation, name, "share", *fields(one)]
    for said in made.reliability:
        for part in said.bins:
            yield [f"by {said.of}", part.label, "misinformed", "share", *fields(part.share)]
        if said.error is not None:
            yield [f"by {said.of}", "all", "calibration error", "coefficient", *fields(said.error)]


def fields(one: Estimate) -> list[object]:
    """An estimate as the last columns of `COLUMNS`."""
    return [one.value, one.low, one.high, one.n, one.method, one.reason]


def headline(made: PlantedValidation) -> str:
    """The sentence, and what it was measured on."""
    record = made.record
    measured = f"{counted(record.items, 'planted point')} of {counted(record.papers, 'paper')}"
    return f"Measured with {measured}. {record.sentence}"


def validation_page(made: PlantedValidation) -> FigurePage:
    """The validation as a page for chairs."""
    return FigurePage(
        title="Can this judge be trusted here?",
        eyebrow=f"reviewscore {made.reviewscore_version} · {made.record.judge}",
        lead=f"{headline(made)} {HARDER[made.embedded]}",
        banners=tuple(_banners(made)),
        tables=(
            *(_table(made, section) for section in made.sections if section.groups),
            *([_variations(made)] if made.variations else []),
            states_table(
                made.states,
                made.several,
                both="versions",
                lead="Remarks of all strata in both versions. What has no verdict is in no share "
                "of flags.",
            ),
            *([scores_table(made.scores)] if made.scores else []),
            *map(_reliability, made.reliability),
            _setup(made),
        ),
        foot=tuple(_foot(made)),
        pictures=tuple(_pictures(made)),
    )


def _pictures(made: PlantedValidation) -> Iterator[IntervalPlot]:
    """What is right by group, and how often remarks are misinformed by what is said of them."""
    names = _DRAWN[made.embedded]
    title = "What this judge shows" if made.embedded else "What this judge gets right"
    columns = {name: made.titles[name] for name in names}
    if any(section.groups for section in made.sections):
        yield section_picture(made.sections, columns, title, kind="share")
    if not made.reliability:
        return
    rows: list[tuple[Cell, ...]] = []
    marks: list[float | None] = []
    for one in made.reliability:
        rows += [(_SAID[one.of], None), *((part.label, part.share) for part in one.bins)]
        marks += [None, *(part.said for part in one.bins)]
    lead = "Bars: share of planted remarks that are misinformed, with its interval."
    if any(mark is not None for mark in marks):
        lead += " Grey line: the mean probability that the judge gave, which the bar should meet."
    headings = ("", "Misinformed, of remarks with it")
    table = Table("meaning", "What its probabilities and scores mean" if len(made.reliability) > 1
                  else "What its scores mean", headings, tuple(rows), kind="share",
                  lead=lead)  # fmt: skip
    yield IntervalPlot(table, tuple(marks))


def section_picture(
    sections: Iterable[PlantedSection], columns: Mapping[str, str], title: str, *, kind: Kind
) -> IntervalPlot:
    """Estimates of all groups below each other.

    Args:
        sections: The tables.
        columns: Headings by measure.
        title: What stands above it.
        kind: Of all measures.
    """
    rows: list[tuple[Cell, ...]] = []
    for section in sections:
        if section.groups:
            rows.append((section.title, *(None for _ in columns)))
            rows += [
                (group_name(section, group.group), *(group.estimates.get(name) for name in columns))
                for group in section.groups
            ]
    headings = ("", *columns.values())
    return IntervalPlot(Table("at-a-glance", title, headings, tuple(rows), kind=kind))


def _banners(made: PlantedValidation) -> Iterator[str]:
    if made.changed:
        yield f"{changed_words(made.changed)}."
    if not made.complete:
        yield "Not everything was judged; run the same command again to go on."
    yield (
        "Planted remarks are clearer than real ones: these figures bound trust from above, and say "
        "nothing of papers of another field or language."
    )
    if made.families.warning:
        yield made.families.warning
    if made.record.papers < FEW_PAPERS:
        yield f"Intervals rest on {counted(made.record.papers, 'paper')} and are too narrow."


def group_name(section: PlantedSection, group: str) -> str:
    """What a group of a table is called."""
    if section.name == "form":
        return FORM_NAMES[PlantedForm(group)]
    if section.name == "place":
        return PLACE_NAMES[PassagePlace(group)]
    return group


def _table(made: PlantedValidation, section: PlantedSection) -> Table:
    names = list(made.titles)
    rows: list[tuple[Cell, ...]] = [
        (group_name(section, group.group), group.items, *(group.estimates[name] for name in names))
        for group in section.groups
    ]
    kinds: tuple[Kind, ...] = ("share", "share", *(made.kinds[name] for name in names))
    columns = ("", "Items", *(made.titles[name] for name in names))
    return Table(section.name, section.title, columns, tuple(rows), kind=kinds)


def _variations(made: PlantedValidation) -> Table:
    """The same remarks asked in other ways; a cell stays empty where nothing can be said."""
    rows: list[tuple[Cell, ...]] = [
        (row.variation, row.trials, *(row.estimates.get(name) for name in MEASURES))
        for row in made.variations
    ]
    return Table(
        "variations",
        "The same remarks asked in other ways",
        ("", "Trials", "Same verdict", "Misinformed remarks flagged", "Fair remarks not flagged",
         "Injected text followed"),
        tuple(rows),
        kind="share",
        lead="Each is set against the trial of the same remark and truth that the figures above "
        "rest on. Injected text tells the model what to say of all remarks.",
        notes=tuple(f"{text[:1].upper()}{text[1:]}." for text in MEASURES.values()),
    )  # fmt: skip


def states_table(
    states: Mapping[str, tuple[int, int]], several: int, *, lead: str, both: str
) -> Table:
    """What came of each remark.

    Args:
        states: Misinformed and fair remarks by state.
        several: Remarks that were split into several points.
        lead: What stands above the table.
        both: What the last row counts both of.
    """
    rows: list[tuple[Cell, ...]] = [
        (STATE_NAMES[TrialState(state)], *counts) for state, counts in states.items()
    ]
    rows.append(("of all, remarks split into several points", several, None))
    return Table(
        "states",
        "What came of each remark",
        ("", "Misinformed", "Fair"),
        tuple(rows),
        lead=lead,
        notes=(
            "A remark that is split into several points is flagged if any of them is, and has a "
            f"verdict without a flag only if all of them have; the last row counts both {both}.",
        ),
    )


def scores_table(scores: Mapping[int, tuple[int, int]]) -> Table:
    """Misinformed and fair remarks by the score that was given to them."""
    rows: list[tuple[Cell, ...]] = [(f"score {score}", *counts) for score, counts in scores.items()]
    return Table(
        "scores",
        "Scores that were given",
        ("", "Misinformed", "Fair"),
        tuple(rows),
        lead="Of arguments the lowest score of a premise; 1 and 2 are misinformed.",
    )


def _reliability(made: Reliability) -> Table:
    """How often remarks are misinformed, by what a judge says of them."""
    rows: list[tuple[Cell, ...]] = [
        (
            part.label,
            None
            if part.said is None
            else Estimate(coefficient="mean", value=part.said, n=part.share.n),
            part.share,
        )
        for part in made.bins
    ]
    notes = [
        "About half of planted remarks are misinformed, since each is judged in both versions. Of "
        "real remarks fewer may be: what fits here is then too high there."
    ]
    if made.error is not None:
        notes.insert(
            0,
            f"Calibration error: {shown(made.error)} (0 is best): how far mean probabilities and "
            "shares lie apart, weighted by remarks. Chance alone makes it greater than 0.",
        )
    columns: tuple[str, ...] = ("", "Mean probability", "Misinformed")
    if made.of == "score":
        columns, rows = (columns[0], columns[2]), [(row[0], row[2]) for row in rows]
    return Table(f"by-{made.of}", f"How often remarks are misinformed, {_SAID[made.of]}", columns,
                 tuple(rows), kind="share", notes=tuple(notes))  # fmt: skip


def _setup(made: PlantedValidation) -> Table:
    families = made.families
    rows: list[tuple[Cell, ...]] = [
        ("judge", f"{made.record.judge}{_in_words(families.judge)}"),
        ("protocol", made.protocol or "none: no model was asked"),
        ("writer of the remarks", _people(families.writer)),
        ("confirmer of both truths", _confirmers(families)),
        ("papers", made.record.papers),
        ("points left out as a truth of them is denied", made.refuted),
        ("points left out for other reasons", len(made.left_out)),
    ]
    judged = sum(trial.state is not TrialState.PENDING for trial in made.trials)
    if made.usd is not None and judged:
        rows.append(cost_row(made.usd, judged, made.calls, made.reused))
    rows += _written(made)
    return Table("setup", "How it was made", ("", "Value"), tuple(rows), notes=made.left_out[:5])


def cost_row(usd: float, judged: int, calls: int, reused: int) -> tuple[Cell, ...]:
    """What judging has cost; by remark only if all calls were new.

    Args:
        usd: Dollars.
        judged: Remarks that were judged, in every way they were asked.
        calls: Calls that were paid for.
        reused: Calls that were at hand and cost nothing.
    """
    if reused:
        new = f"${usd:,.2f} for {counted(calls, 'new call')}; {reused:,} were at hand"
        return ("cost of judging", new)
    return ("cost per 1,000 remarks", f"${1000 * usd / judged:,.2f}")


def _written(made: PlantedValidation) -> Iterator[tuple[Cell, ...]]:
    """How the remarks were written for this validation, and what that cost."""
    items = made.written
    if items is None:
        return
    yield "remarks by", items.writer
    if items.confirmers:
        yield "both truths asked of", " and ".join(items.confirmers)
    yield "remarks planted, of those written", f"{items.kept:,} of {items.written:,}"
    yield "of these mended in a second round", items.mended
    yield "of these with something to look at", items.doubtful
    for reason, count in items.dropped.items():
        yield f"dropped: {reason}", count
    for reason, count in items.failed.items():
        yield f"papers without remarks: {reason}", count
    if items.decoys_left_out:
        yield "neutral cuts that could not be made", items.decoys_left_out
    if items.usd is not None:
        yield "cost of writing and confirming", f"${items.usd:,.2f}"


def _confirmers(families: Families) -> str:
    """Who confirmed the remarks, in words."""
    people = _people(families.verifier) or "nobody"
    return f"{people}: {families.confirmed_by}" if families.confirmed_by else people


def _people(families: tuple[str, ...]) -> str:
    """Who wrote or confirmed, in words."""
    names = {PERSON: "a person", UNKNOWN: "a model whose family is not named"}
    return ", ".join(names.get(family, f"a model of the family {family}") for family in families)


def _in_words(families: tuple[str, ...]) -> str:
    return f" (family: {', '.join(families)})" if families else ""


def _foot(made: PlantedValidation) -> Iterator[str]:
    yield (
        "Each remark is judged twice: about a version of the paper that holds what answers it "
        "(misinformed), and about one without those passages (fair). The remarks about a version "
        "are the points of reviews; each version lacks the answers to some of them, drawn by lot, "
        "and neutral sentences elsewhere. No prompt holds two versions, or names one."
    )
    yield from (f"{text[:1].upper()}{text[1:]}." for text in made.meanings)
    yield (
        "The stratum plain holds points whose two truths a reader confirmed without a doubt; hard "
        "ones (hedged, deep in an appendix, doubted) stand apart, and so do remarks that are fair "
        "about another paper, for which nothing is cut."
    )
    yield "Where an answer stands in several places, the one that is read first counts."
    yield (
        f"Cite: reviewscore {made.reviewscore_version}, settings {made.record.made_with[:16]}, "
        f"points {made.record.items_sha256[:16]}, {percent(made.level)} intervals of "
        f"{made.resamples:,} resamples of papers, seed {made.seed}."
    )
