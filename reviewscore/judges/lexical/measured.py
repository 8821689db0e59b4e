"""How often the finder's passages held the answer, where a paper answered: as it was measured.

A benchmark writes ``measured.json``; pages show what it says beside passages. Where it says that
nothing was measured, nothing is shown.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from reviewscore.errors import InputError
from reviewscore.schema.record import Record
from reviewscore.schema.review import PointKind

FILE = Path(__file__).with_name("measured.json")
_FEWEST = 20
"""Points of a kind; with fewer the figure of all kinds together is used."""
_WITH = " with "
"""Stands in the judge's version before the name of a sentence encoder."""

Share = Annotated[float, Field(ge=0, le=1)]


class Finder(StrEnum):
    """Which finder was measured."""

    WITHOUT = "without"  # by words alone
    WITH = "with"  # with a sentence encoder


class PointGroup(StrEnum):
    """Points that were measured together."""

    QUESTION = "question"
    CRITICISM = "criticism"
    REQUEST = "request"
    ALL = "all"


class Estimated(Record):
    """A share of points with its interval.

    Attributes:
        share: Of the points that their paper answers, those whose answer is shown, 0..1.
        low: Lower end of its 95 % interval.
        high: Upper end.
    """

    share: Share
    low: Share
    high: Share

    @model_validator(mode="after")
    def _within_its_interval(self) -> Self:
        if not self.low <= self.share <= self.high:
            raise ValueError("a share lies within its interval: low <= share <= high")
        return self


class Recall(Estimated):
    """The share where a number of passages is shown.

    Attributes:
        shown: How many passages are shown of each point.
        n: Points.
    """

    shown: int = Field(ge=1)
    n: int = Field(ge=1)


class CurvePoint(Estimated):
    """The share where a number of characters is shown.

    Attributes:
        characters: Characters of the paper that are shown of each point.
        chance: The share for passages drawn at random, of the same length, 0..1.
    """

    characters: int = Field(ge=1)
    chance: Share


class Measured(Record):
    """What was measured of one version of the embedded judge.

    Attributes:
        version: The version, as in records, without an encoder.
        n_papers: Papers of the points.
        kinds: Recall by kind of point and finder.
        curve: Recall against characters shown, fewest first, by finder.
        data: One sentence on what was measured.
        absent: Whether nothing was measured; then nothing else is said.
    """

    version: str
    n_papers: int = Field(ge=0)
    kinds: dict[PointGroup, dict[Finder, Recall]]
    curve: dict[Finder, tuple[CurvePoint, ...]]
    data: str
    absent: bool

    @model_validator(mode="after")
    def _something_was_measured(self) -> Self:
        if self.absent and (self.n_papers or self.kinds or self.curve or self.data):
            raise ValueError("where 'absent' is true there are no figures")
        if not self.absent and not (self.n_papers and self.data and PointGroup.ALL in self.kinds):
            raise ValueError("a measurement has 'n_papers', 'data' and the kind 'all'")
        for points in self.curve.values():
            lengths = [point.characters for point in points]
            if sorted(set(lengths)) != lengths:
                raise ValueError("the points of a curve go up in 'characters'")
        return self

    def finder_of(self, judge_version: str | None) -> Finder | None:
        """The finder that a version of the judge is; None if it is not the one measured."""
        version, encoder, _ = (judge_version or "").partition(_WITH)
        if self.absent or version != self.version:
            return None
        return Finder.WITH if encoder else Finder.WITHOUT

    def recall(self, finder: Finder, kind: PointKind | None) -> tuple[PointGroup, Recall] | None:
        """The figure for a kind of point, and of which points it is; None if there is none.

        A kind with fewer than 20 points has the figure of all kinds together.
        """
        if kind is not None and kind is not PointKind.NONE:
            group = PointGroup(kind.value)
            own = self.kinds.get(group, {}).get(finder)
            if own is not None and own.n >= _FEWEST:
                return group, own
        every = self.kinds.get(PointGroup.ALL, {}).get(finder)
        return None if every is None else (PointGroup.ALL, every)


def measured() -> Measured:
    """What was measured of the embedded judge as it ships.

    Raises:
        InputError: The file is none of these; names the field.
    """
    return read_measured(FILE)


@cache
def read_measured(file: Path) -> Measured:
    """A file of such figures.

    Raises:
        InputError: It cannot be read; names the field.
    """
    try:
        return Measured.model_validate_json(file.read_bytes())
    except OSError as error:
        raise InputError(
            "it cannot be read", file=file, cure="install reviewscore again"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or None
        cure = "write it again with python -m benchmarks.finder --write"
        raise InputError(first["msg"], file=file, field=field, cure=cure) from error
