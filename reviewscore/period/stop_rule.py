"""The stop rule: people judge a random sample of flags, and delivery stops if too few are right.

The sample is of all flags, not of those that were pushed: what is ranked first is right more often
than the rest, so that the rule errs on the side of stopping. Flags that people judged because they
wanted to are a review of flags, and count in no rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from reviewscore.config import Plain
from reviewscore.errors import InputError, RunFolderError
from reviewscore.files import write_whole
from reviewscore.period import log
from reviewscore.period.venue import is_venue
from reviewscore.report.roles import proof
from reviewscore.runs.folder import read_digest
from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record
from reviewscore.sources.records import table_rows
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import PAPERS, plan_of_papers, share
from reviewscore.stats.tables import csv_text, unguarded

SAMPLE, JUDGED = "sample.json", "judged_flags.csv"
"""What was drawn, and what people said of it, beside the run's records or in the venue's folder."""
COLUMNS = ("point_id", "paper_id", "context", "text", "quotes", "verdict", "who")
"""Columns of the sheet that people fill in: ``verdict`` and, as a pseudonym, ``who``."""
FEWEST, FEWEST_PAPERS, ENOUGH = 10, 5, 20
"""Judged flags and papers from which an interval decides, and flags from which the share does."""
MOST_DIFFERING = 1 / 3
"""Share of judged flags that people may differ on, if the decision hangs on these."""
_NAMED = 5
"""Flags that people differ on which are named."""


class Said(StrEnum):
    """What a person says of a flag."""

    RIGHT = "right"  # the point is misinformed
    WRONG = "wrong"  # a false alarm
    UNSURE = "unsure"  # counts for neither


class FlagSample(Record):
    """A random sample of a run's flags, as written to ``sample.json``.

    Attributes:
        seed: Of the draw.
        wanted: How many were asked for.
        of: How many flags there were.
        flags: Papers of the drawn flags, by point id.
    """

    schema_id: Literal["reviewscore.flag_sample/1"] = Field(
        default="reviewscore.flag_sample/1", alias="schema"
    )
    seed: int
    wanted: int = Field(ge=1)
    of: int = Field(ge=0)
    flags: dict[str, str]


def draw_flags(points: Iterable[PointScore], wanted: int, *, seed: int = 0) -> FlagSample:
    """Draw flags at random, each as likely as any other.

    Every flag has a lot, made of the seed and its id alone, and those with the lowest lots are
    drawn. So the sample runs on: of more flags, or with a higher number, the same seed draws most
    of the same ones again, and their verdicts stay of use.

    Args:
        points: All points of a run.
        wanted: How many to draw; all flags if there are not more.
        seed: Of the draw.
    """
    flags = {point.point_id: point.paper_id for point in points if point.misinformed}
    lots = sorted(flags, key=lambda name: sha256(f"{seed}\n{name}".encode()).digest())
    drawn = {name: flags[name] for name in lots[:wanted]}
    return FlagSample(seed=seed, wanted=wanted, of=len(flags), flags=drawn)


def write_sample(folder: Path, sample: FlagSample) -> None:
    """Keep a sample in the venue's folder, whose log names it, or the run's."""
    write_whole(folder / SAMPLE, sample.model_dump_json(indent=1) + "\n")
    if is_venue(folder):
        details: dict[str, Plain] = {"drawn": len(sample.flags), "of": sample.of}
        log.append(folder, "sampled", details=details, files=[folder / SAMPLE])


def read_sample(folder: Path) -> FlagSample:
    """The sample that was drawn.

    Raises:
        RunFolderError: None was, or it cannot be read.
    """
    draw = f"reviewscore report {folder} --sample-flags 100 -o flags.csv"
    sample = read_digest(folder / SAMPLE, FlagSample, draw)
    if sample is None:
        raise RunFolderError(f"{folder} has no sample of flags; draw one with {draw}")
    return sample


def sheet_of(sample: FlagSample, points: Iterable[PointScore]) -> str:
    """The drawn flags as CSV, in the order of their lots, for people to judge.

    It shows the point and the paper's own words, and not what the judge thinks of its own verdict:
    neither score nor probability.
    """
    rows = {point.point_id: sheet_row(point) for point in points if point.point_id in sample.flags}
    return csv_text(COLUMNS, (rows[name] for name in sample.flags if name in rows))


def sheet_row(point: PointScore, verdict: str = "", who: str = "") -> list[str]:
    """A flag as a row of `COLUMNS`, with what a person says of it."""
    quoted = "\n".join(quote.text for quote in proof(point))
    return [point.point_id, point.paper_id, point.context, point.text, quoted, verdict, who]


class FlagPrecision(Record):
    """What people said of a sample of flags.

    Attributes:
        precision: The share that is right among those judged right or wrong; its interval draws
            papers, and its n counts flags.
        papers: Papers of these.
        right: How many are right.
        wrong: How many are false alarms.
        unsure: How many nobody was sure of.
        differing: Those that one person calls right and another wrong; they do not count.
        left: How many of the sample nobody judged.
        outside: Judged flags that are not of the sample: a review of flags.
        of: How many flags the sample was drawn from.
    """

    precision: Estimate
    papers: int
    right: int
    wrong: int
    unsure: int
    differing: tuple[str, ...]
    left: int
    outside: int
    of: int

    @property
    def words(self) -> str:
        """What came of it in one line, without the share."""
        parts = [f"{self.right} right, {self.wrong} wrong, {self.unsure} unsure",
                 f"{self.left} not judged"]  # fmt: skip
        if self.differing:
            names = ", ".join(self.differing[:_NAMED]) + (" .." * (len(self.differing) > _NAMED))
            parts.append(f"people differ on {len(self.differing)}, not counted ({names})")
        if self.outside:
            parts.append(f"{self.outside} others are a review of flags and count in no rate")
        return "; ".join(parts)


def verdicts_of(files: Sequence[Path]) -> dict[str, dict[str, Said]]:
    """What people said of flags, by point id and person; rows without a verdict are passed over.

    Args:
        files: Filled-in sheets. Who left ``who`` empty is called by the file's name.

    Raises:
        InputError: A verdict is none of `Said`, a point has no id, or a person said two things of
            one flag; names file, line and field.
    """
    said: dict[str, dict[str, Said]] = {}
    for file in files:
        for line, row in table_rows(file, COLUMNS):
            given = " ".join(str(row.get("verdict") or "").split()).casefold()
            if not given:
                continue
            point = unguarded(str(row.get("point_id") or "").strip())
            if given not in tuple(Said) or not point:
                field, cure = ("point_id", "give the id of the sheet")
                if point:
                    field, cure = ("verdict", "write right, wrong or unsure, or leave it empty")
                raise InputError(f"'{row.get(field) or ''}' is none", file=file, line=line,
                                 field=field, cure=cure)  # fmt: skip
            who = unguarded(" ".join(str(row.get("who") or "").split())) or file.stem
            if said.setdefault(point, {}).setdefault(who, Said(given)) != given:
                raise InputError(
                    f"{who} said '{said[point][who]}' of {point} before", file=file, line=line,
                    field="verdict", cure="leave one verdict of a person on a flag",
                )  # fmt: skip
    return said


def settled(
    sample: FlagSample, verdicts: Mapping[str, Mapping[str, Said]]
) -> dict[str, Said | None]:
    """What people together say of the flags of a sample, by point id.

    Whoever is unsure leaves it to the others; None where one says right and another wrong. Flags
    that nobody judged are not in it.
    """
    together: dict[str, Said | None] = {}
    for name in sample.flags:
        if name in verdicts:
            sure = {said for said in verdicts[name].values() if said is not Said.UNSURE}
            together[name] = None if len(sure) > 1 else next(iter(sure), Said.UNSURE)
    return together


def precision_of(
    sample: FlagSample, verdicts: Mapping[str, Mapping[str, Said]], *, how: Resampling = PAPERS
) -> FlagPrecision:
    """How many of a sample's flags are right, by what people said."""
    together = settled(sample, verdicts)
    counts = Counter(together.values())
    known = {name: said for name, said in together.items() if said in (Said.RIGHT, Said.WRONG)}
    paper_of = {name: base_paper_id(sample.flags[name]) for name in known}
    papers = {paper: row for row, paper in enumerate(sorted(set(paper_of.values())))}
    hits, base = np.zeros(len(papers)), np.zeros(len(papers))
    for name, said in known.items():
        hits[papers[paper_of[name]]] += said is Said.RIGHT
        base[papers[paper_of[name]]] += 1
    plan = plan_of_papers(len(papers), how)
    slot = plan.ask(share("precision", hits, base))
    plan.run()
    return FlagPrecision(
        precision=slot.answer,
        papers=len(papers),
        right=counts[Said.RIGHT],
        wrong=counts[Said.WRONG],
        unsure=counts[Said.UNSURE],
        differing=tuple(sorted(name for name, said in together.items() if said is None)),
        left=len(sample.flags) - len(together),
        outside=len(verdicts.keys() - sample.flags.keys()),
        of=sample.of,
    )


class StopDecision(StrEnum):
    """What a measured precision means for delivery."""

    STOP = "stop"
    GO_ON = "go on"
    DIFFER = "people differ"  # on so many flags that it hangs on them; delivery stops
    UNKNOWN = "unknown"  # too few flags were judged; delivery goes on and says so


def stop_decision(measured: FlagPrecision, threshold: float) -> StopDecision:
    """Whether delivery stops.

    It stops if the whole interval of the precision lies below the threshold (from `FEWEST` judged
    flags of `FEWEST_PAPERS` papers on), or the share itself does (from `ENOUGH` flags on): that is
    the cautious side, since a judge that is exactly as good as wanted is stopped half of the time.
    With fewer than `ENOUGH` flags and no such interval nothing is known. Where people differ on
    more than `MOST_DIFFERING` of at least `FEWEST` flags, and the share would be too low if these
    were false alarms, delivery stops too: else one person who calls all right would hide them.

    Args:
        measured: What people said of a sample.
        threshold: The least precision that the venue wants, 0..1.
    """
    found, differing = measured.precision, len(measured.differing)
    judged = found.n + differing
    many = judged >= FEWEST and differing > MOST_DIFFERING * judged
    if many and measured.right < threshold * judged:
        return StopDecision.DIFFER
    if found.value is None:
        return StopDecision.UNKNOWN
    sure = found.n >= FEWEST and measured.papers >= FEWEST_PAPERS
    if sure and found.high is not None and found.high < threshold:
        return StopDecision.STOP
    if found.n < ENOUGH:
        return StopDecision.UNKNOWN
    return StopDecision.STOP if found.value < threshold else StopDecision.GO_ON


def sheets_of(folder: Path, files: Sequence[Path] = ()) -> list[Path]:
    """The sheets that count: those that are named, else the one that the folder keeps, if any.

    Args:
        folder: The venue's folder or the run's.
        files: Sheets that people filled in.
    """
    kept = folder / JUDGED
    return list(files) or ([kept] if kept.is_file() else [])
