"""Parts of a venue that were audited apart, as one run folder."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from reviewscore.config import Plain
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.files import InputFile, JsonLines, read_lines, unwritable, write_whole
from reviewscore.runs.folder import ERRORS, MANIFEST, POINTS, REFERENCES, digests_of
from reviewscore.runs.manifest import (
    INPUT,
    ConsentCounts,
    Counts,
    Manifest,
    Spending,
    beside,
    in_use,
    of_input,
    sum_of,
)
from reviewscore.runs.parts import PointsOnce, RunPart, check_alike, read_parts
from reviewscore.runs.unvalidated import latest_of
from reviewscore.schema.point_score import Status

_CURE = "merge runs of one judge and settings; `compare` sets others side by side"

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Merged:
    """What came of a merge.

    Attributes:
        manifest: Of the new run.
        repeated: Points that were in two parts word for word, and are in the new run once.
    """

    manifest: Manifest
    repeated: int


class _Tally:
    """What the points of all parts show, beyond what their manifests count."""

    def __init__(self) -> None:
        self.status: Counter[Status] = Counter()
        self.findings: Counter[str] = Counter()
        self.papers: set[str] = set()
        self.reviews: set[str] = set()
        self.papers_of: Counter[int] = Counter()
        self.reviews_of: Counter[int] = Counter()


def merge(runs: Sequence[Path], out: Path, *, accept_changed: bool = False) -> Merged:
    """Write one run folder that holds the points of several.

    The parts may share no point, unless its record is the same to the letter: then it is kept
    once. The order of the parts is of no account but for the order of the lines. The new folder
    appears only once it is whole.

    Args:
        runs: Two run folders or more, made by one judge with the same settings and prompts.
        out: The new folder; it must not be there, or be empty.
        accept_changed: Go on with records that something else has changed; the new folder's
            account says so, and whoever reads it must accept them again.

    Raises:
        SettingsError: Fewer than two runs.
        RunFolderError: A folder is no run, two were made otherwise, a point is there twice with
            different content, or the new folder cannot be written.
        StopError: The disk is full.
    """
    if len(runs) < 2:  # noqa: PLR2004 - nothing to merge
        raise SettingsError("merge needs two runs or more")
    parts = read_parts(runs, accept_changed=accept_changed)
    check_alike(parts, cure=_CURE)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RunFolderError(f"{out} is there already; name a new folder with -o")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise unwritable(out, error) from error
    try:
        tally, repeated = _points(parts, draft / POINTS)
        _once_each(parts, draft / ERRORS)
        if any((part.path / REFERENCES).exists() for part in parts):
            _once_each(parts, draft / REFERENCES)
        manifest = _manifest(parts, tally, out).model_copy(update={"digests": digests_of(draft)})
        write_whole(draft / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
        if out.is_dir():
            out.rmdir()
        draft.chmod(0o755)  # a temporary folder is its maker's alone
        draft.rename(out)
    except OSError as error:
        raise unwritable(out, error) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Merged(manifest, repeated)


def _points(parts: Sequence[RunPart], path: Path) -> tuple[_Tally, int]:
    tally, once = _Tally(), PointsOnce(parts)
    with closing(JsonLines(path)) as lines:
        for number, part in enumerate(parts):
            papers, reviews = set[str](), set[str]()
            for raw, score in once.read(part):
                lines.append(raw.decode().rstrip("\n"))
                tally.status[score.status] += 1
                if score.finding is not None:
                    tally.findings[score.finding.value] += 1
                papers.add(score.paper_id)
                reviews.add(score.review_id)
            tally.papers_of[number], tally.reviews_of[number] = len(papers), len(reviews)
            tally.papers |= papers
            tally.reviews |= reviews
    return tally, once.repeated


def _once_each(parts: Sequence[RunPart], path: Path) -> None:
    """The lines of a file of all parts; the same one twice stands once."""
    every = (raw for part in parts for _, raw in read_lines(part.path / path.name))
    with closing(JsonLines(path)) as lines:
        for raw in dict.fromkeys(every):
            lines.append(raw.decode().rstrip("\n"))


def _manifest(parts: Sequence[RunPart], tally: _Tally, out: Path) -> Manifest:
    made = [part.manifest for part in parts]
    first = made[0]
    data = _shared(manifest.data for manifest in made)
    near = first.data_beside if data is not None else None
    inputs = first.inputs
    if any(manifest.inputs != inputs for manifest in made):
        names = _once(manifest.inputs for manifest in made)
        inputs = tuple(sorted(names, key=lambda file: file.model_dump_json()))
    decisive = _decisive(made, inputs)
    validated = latest_of(manifest.validation for manifest in made)
    versions = sorted(_once(manifest.reviewscore_versions for manifest in made))
    settings = {
        name: value
        for name, value in first.settings.items()
        if all(manifest.settings.get(name) == value for manifest in made)
    }
    return Manifest(
        # The name in the ledger: the same parts give the same one, in any order.
        run_id=_sum("\n".join(sorted(manifest.run_id for manifest in made)))[:32],
        reviewscore_version=versions[-1],
        reviewscore_versions=tuple(versions),
        judge=first.judge,
        judge_version=first.judge_version,
        settings=settings,
        decisive=decisive,
        decisive_sha256=sum_of(decisive),
        selection=_selection([manifest.selection for manifest in made]),
        prompts={name: value for manifest in made for name, value in manifest.prompts.items()},
        versions={
            name: " or ".join(
                sorted({manifest.versions[name] for manifest in made if name in manifest.versions})
            )
            for name in sorted({name for manifest in made for name in manifest.versions})
        },
        inputs=inputs,
        data=data,
        data_beside=None if near is None else beside(out, parts[0].path / near),
        year=_shared(manifest.year for manifest in made),
        models_answered=tuple(sorted(_once(manifest.models_answered for manifest in made))),
        counts=_counts([manifest.counts for manifest in made], tally),
        spending=_spending([manifest.spending for manifest in made]),
        warnings=tuple(_once(manifest.warnings for manifest in made)),
        doubtful=tuple(_once(manifest.doubtful for manifest in made)),
        unread={paper: unread for part in made for paper, unread in part.unread.items()},
        times=tuple(sorted(time for manifest in made for time in manifest.times)),
        complete=all(manifest.complete for manifest in made),
        unvalidated=() if validated else tuple(_once(one.unvalidated for one in made)),
        validation=validated,
        changed=tuple(_once(part.changed for part in parts)),
        consent=ConsentCounts.total(manifest.consent for manifest in made),
    )


def _decisive(made: Sequence[Manifest], inputs: Iterable[InputFile]) -> dict[str, Plain]:
    """The settings of all parts, and the inputs; the same as a part's if all had one input."""
    shared = {name: value for name, value in in_use(made[0].decisive).items() if not of_input(name)}
    if "year" in made[0].decisive:
        shared["year"] = _shared(manifest.year for manifest in made)
    named = {f"{INPUT}{n} {file.name}": file.sha256 for n, file in enumerate(inputs, start=1)}
    return {**shared, **named}


def _selection(selections: Sequence[dict[str, Plain]]) -> dict[str, Plain]:
    """What was left out in any part: lists joined, numbers added up."""
    values: dict[str, Plain] = {}
    for selection in selections:
        for name, value in selection.items():
            old = values.get(name)
            if isinstance(old, list) and isinstance(value, list):
                values[name] = sorted({*old, *value})
            elif isinstance(old, int) and isinstance(value, int):
                values[name] = old + value
            else:
                values[name] = value
    return values


def _counts(counted: Sequence[Counts], tally: _Tally) -> Counts:
    """Counts of the whole: what has points is counted anew, the rest added up."""
    pointless_papers = sum(
        max(0, counts.papers - tally.papers_of[number]) for number, counts in enumerate(counted)
    )
    pointless_reviews = sum(
        max(0, counts.reviews - tally.reviews_of[number]) for number, counts in enumerate(counted)
    )
    return Counts(
        papers=len(tally.papers) + pointless_papers,
        reviews=len(tally.reviews) + pointless_reviews,
        reviews_without_points=sum(counts.reviews_without_points for counts in counted),
        bad_lines=sum(counts.bad_lines for counts in counted),
    ).of_points(tally.status, tally.findings)


def _spending(spent: Sequence[Spending]) -> Spending:
    dollars = [spending.usd for spending in spent]
    known = [usd for usd in dollars if usd is not None]
    added = {
        name: sum(getattr(spending, name) for spending in spent)
        for name in Spending.model_fields.keys() - {"usd", "prices"}
    }
    return Spending(
        **added,
        usd=sum(known) if len(known) == len(dollars) else None,
        prices="; ".join(sorted({spending.prices for spending in spent if spending.prices}))
        or None,
    )


def _shared(values: Iterable[_Value | None]) -> _Value | None:
    """The value of all parts; None where they differ."""
    by_key = set(values)
    return by_key.pop() if len(by_key) == 1 else None


def _once(groups: Iterable[Iterable[_Value]]) -> list[_Value]:
    return list(dict.fromkeys(value for group in groups for value in group))


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
