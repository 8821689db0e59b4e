"""Run folders side by side: their names, whether they were made alike, and points met twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from reviewscore.config import EMBEDDED, PRESUPPOSING
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.runs.folder import (
    changed_records,
    changed_words,
    read_lines_of_points,
    read_manifest,
    read_points,
)
from reviewscore.runs.manifest import Manifest, differences, sum_of
from reviewscore.schema.point_score import PointScore


@dataclass(frozen=True)
class RunPart:
    """One of several run folders.

    Attributes:
        path: The folder.
        name: Name of the folder, with those above it where two have one name.
        manifest: What it was made with and what came of it.
    """

    path: Path
    name: str
    manifest: Manifest

    @property
    def changed(self) -> tuple[str, ...]:
        """Files of its records that something else has changed since, and that were accepted."""
        return changed_records(self.path, self.manifest)


def read_parts(runs: Sequence[Path], *, accept_changed: bool = False) -> tuple[RunPart, ...]:
    """Run folders with a name each, in the order given.

    Args:
        runs: The folders.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: One is no run folder, is named twice, or its records were changed.
    """
    places = [run.resolve() for run in runs]
    for place, often in Counter(places).items():
        if often > 1:
            raise RunFolderError(f"{place} is named {often} times; name each run once")
    names = _names(places)
    return tuple(
        RunPart(run, name, read_manifest(run, accept_changed=accept_changed))
        for run, name in zip(runs, names, strict=True)
    )


def changed_notes(parts: Sequence[RunPart]) -> list[str]:
    """What pages about runs must say of those whose changed records were accepted."""
    return [
        f"Run {part.name}: {changed_words(part.changed)}; what is counted of it may be nobody's "
        "verdict."
        for part in parts
        if part.changed
    ]


def _names(places: Sequence[Path]) -> list[str]:
    """The last part of each path, with more of it until no two are alike."""
    depth = [1] * len(places)
    while True:
        names = ["/".join(one.parts[-n:]) for one, n in zip(places, depth, strict=True)]
        often = Counter(names)
        if len(often) == len(names):
            return names
        depth = [n + (often[name] > 1) for n, name in zip(depth, names, strict=True)]


def check_alike(parts: Sequence[RunPart], *, cure: str) -> None:
    """Refuse runs that were made otherwise: with another judge, settings, prompts or methods.

    What was judged may differ: parts of one venue have inputs of their own.

    Args:
        parts: The runs.
        cure: What to do instead.

    Raises:
        RunFolderError: Names the first two that differ, and in what.
    """
    for other in parts[1:]:
        found = differences(parts[0].manifest.decisive, other.manifest.decisive, inputs=False)
        if found:
            one = found[0]
            raise RunFolderError(
                f"{other.path} was made otherwise than {parts[0].path}: {one.name} is "
                f"{one.now!r} there and {one.before!r} here; {cure}"
            )


def protocol_of(manifest: Manifest) -> str:
    """The protocol that a run was judged by; runs of before there were others are by ``paper``."""
    return str(manifest.decisive.get("protocol") or "paper")


def by_presuppositions(manifest: Manifest) -> bool:
    """Whether judges said what points take for granted: two levels, and standing as BASE score."""
    return protocol_of(manifest) in PRESUPPOSING


def check_one_protocol(parts: Sequence[RunPart], verb: str) -> None:
    """Refuse runs of several protocols: a flag of one is not what it is of another.

    Args:
        parts: The runs.
        verb: What would be made of them.

    Raises:
        RunFolderError: Names the runs of each protocol and what to do instead.
    """
    runs: dict[str, list[str]] = {}
    for part in parts:
        runs.setdefault(protocol_of(part.manifest), []).append(str(part.path))
    if len(runs) < 2:  # noqa: PLR2004 - of one protocol
        return
    named = "; ".join(f"{protocol}: {', '.join(paths)}" for protocol, paths in runs.items())
    raise RunFolderError(
        f"`{verb}` is of runs of one protocol, and these are of {len(runs)} ({named}), whose "
        f"scores mean different things; run `{verb}` on those of each protocol alone, and "
        "`compare` two that judged the same points"
    )


def check_scored(runs: Iterable[tuple[Path, Manifest]], verb: str, *, rates: bool = True) -> None:
    """Refuse runs of the embedded judge: it gives no score, and no rate is made of its findings.

    Nor is a rate made of verdicts on excerpts, among which nothing is judged absent.

    Args:
        runs: Run folders with their manifests.
        verb: What would be made of them.
        rates: Whether that holds shares of misinformed points.

    Raises:
        SettingsError: Names the first such run and what to do instead.
    """
    for path, manifest in runs:
        if manifest.judge == EMBEDDED:
            raise SettingsError(
                f"{path} is of the embedded judge `{EMBEDDED}`, which gives no score: no rate is "
                f"made of its findings, and `{verb}` has nothing to measure. Read them with "
                "`report` and `export`; for scores, audit again with --model provider/name"
            )
        if rates and manifest.decisive.get("context") == "excerpts":
            raise SettingsError(
                f"{path} was judged on excerpts, where what the paper may lack is unknown: a share "
                f"of misinformed points would be too high, and `{verb}` has none to give. Read the "
                "points with `report` and `export`; for rates, audit again with --context whole"
            )


class PointsOnce:
    """The points of several runs, each once.

    Of each point 16 bytes are kept (and what a table of them takes), not the point itself.

    Args:
        parts: The runs.

    Attributes:
        repeated: How many lines were left out since they had been met before, word for word.
    """

    def __init__(self, parts: Sequence[RunPart]) -> None:
        self._parts = parts
        self._met: dict[bytes, bytes] = {}
        self.repeated = 0

    def read(self, part: RunPart) -> Iterator[tuple[bytes, PointScore]]:
        """The points of a run that were not met in an earlier one, with their lines.

        Raises:
            RunFolderError: A line is no score, or a point was met with other content.
        """
        for raw, score in read_lines_of_points(part.path):
            if len(self._parts) == 1:  # a run holds a point once
                yield raw, score
                continue
            key, content = _fingerprint(score.point_id.encode()), _fingerprint(raw.rstrip())
            earlier = self._met.setdefault(key, content)
            if earlier is content:  # it was put there just now
                yield raw, score
            elif earlier == content:
                self.repeated += 1
            else:
                raise self._clash(part, score)

    def _clash(self, part: RunPart, score: PointScore) -> RunFolderError:
        for one in self._parts:
            for other in read_points(one.path):
                if other.point_id == score.point_id and other != score:
                    fields = (name for name in PointScore.model_fields
                              if getattr(other, name) != getattr(score, name))  # fmt: skip
                    return RunFolderError(
                        f"point '{score.point_id}' is in {one.path} and in {part.path}, and its "
                        f"field '{next(fields)}' differs; give runs that share no point, or "
                        "`compare` the two"
                    )
        return RunFolderError(f"point '{score.point_id}' changed in {part.path}; try again")


def _fingerprint(data: bytes) -> bytes:
    return blake2b(data, digest_size=8).digest()


def settings_sum(manifest: Manifest) -> str:
    """SHA-256 of what runs that were made alike share: all that is decisive but their inputs."""
    return sum_of(manifest.decisive, inputs=False)
