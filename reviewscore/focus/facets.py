"""Facets, what a point is about (target) and by which criterion it judges (aspect); points.

The default set has the names of Shin et al. 2025 (arXiv 2502.17086, Table 1 and app. A.2.2) with
definitions of our own; other fields bring theirs as a file.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewscore.bounds import in_force
from reviewscore.errors import InputError
from reviewscore.papers.load import input_error
from reviewscore.toml_files import read_toml

UNKNOWN = "unknown"
"""Label of a point for which no facet could be had; never counted as one."""


class FacetKind(StrEnum):
    """Which question a facet answers."""

    TARGET = "target"  # what is praised or criticised
    ASPECT = "aspect"  # by which criterion


class Polarity(StrEnum):
    """Whether a point praises or criticises."""

    STRENGTH = "strength"
    WEAKNESS = "weakness"


class Facet(BaseModel):
    """One facet.

    Attributes:
        name: As in tables; lower case.
        definition: What a point with this facet addresses.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    name: Annotated[str, Field(min_length=1, max_length=60)]
    definition: Annotated[str, Field(min_length=1)]


@dataclass(frozen=True)
class FacetSet:
    """The facets of a study.

    Attributes:
        name: Of the set.
        targets: In the order of tables.
        aspects: In the order of tables.
    """

    name: str
    targets: tuple[Facet, ...]
    aspects: tuple[Facet, ...]

    def of(self, kind: FacetKind) -> tuple[Facet, ...]:
        """The facets of a kind."""
        return self.targets if kind is FacetKind.TARGET else self.aspects

    def names(self, kind: FacetKind) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(facet.name for facet in self.of(kind))

    @property
    def sha256(self) -> str:
        """Hash of all names and definitions, which tells sets of one name apart."""
        record_groups = [[facet.model_dump() for facet in self.of(kind)] for kind in FacetKind]
        return hashlib.sha256(json.dumps(record_groups).encode()).hexdigest()


def _facets(definitions: Mapping[str, str]) -> tuple[Facet, ...]:
    return tuple(Facet(name=name, definition=text) for name, text in definitions.items())


DEFAULT = FacetSet(
    "papers",
    _facets({
        "problem": "The task itself: why it matters, how it is posed.",
        "prior research": "Earlier work: what is cited, and how the paper stands to it.",
        "method": "What is proposed: an approach, model, algorithm, data set or system.",
        "theory": "Assumptions, derivations, proofs, and the reasons a method should work.",
        "experiment": "How it was tested: set-up, baselines, data used, results, analyses.",
        "conclusion": "What follows: findings, implications, limits, and their discussion.",
        "paper": "The submission as a whole, such as its writing, or no part in particular.",
    }),
    _facets({
        "impact": "Whether it matters: significance, use, influence.",
        "novelty": "Whether it is new against what was known before.",
        "clarity": "Whether it can be understood: writing, figures, missing explanation or detail.",
        "validity": "Whether it holds: soundness, completeness, rigour, enough evidence.",
        "not-specific": "Several criteria at once, or none that can be named.",
    }),
)  # fmt: skip


class _File(BaseModel):
    """A facet file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1)] = "own"
    target: tuple[Facet, ...] = Field(min_length=2)
    aspect: tuple[Facet, ...] = Field(min_length=2)


def read_facets(path: Path) -> FacetSet:
    """Facets from a TOML file with tables ``[[target]]`` and ``[[aspect]]``.

    Each has ``name`` and ``definition``.

    Raises:
        InputError: The file cannot be used; names the field and the cure.
    """
    raw = read_toml(path, in_force().text)
    try:
        found = _File.model_validate(raw)
    except ValidationError as error:
        raise input_error(error, file=path) from error
    for kind, facets in ((FacetKind.TARGET, found.target), (FacetKind.ASPECT, found.aspect)):
        _check(kind, facets, path)
    return FacetSet(found.name, found.target, found.aspect)


def _check(kind: FacetKind, facets: Sequence[Facet], path: Path) -> None:
    """Names must be distinct, whatever their case, and none may be the word for unknown."""
    often = Counter(facet.name.casefold() for facet in facets)
    twice = [name for name, count in often.items() if count > 1]
    if twice:
        raise InputError(
            f"'{twice[0]}' is there twice", file=path, field=kind, cure="give each facet once"
        )
    if UNKNOWN in often:
        raise InputError(
            f"'{UNKNOWN}' cannot be a facet", file=path, field=kind, cure="call it otherwise"
        )


@dataclass(frozen=True, slots=True)
class FacetPoint:
    """One strength or weakness.

    Attributes:
        point_id: Unique among all points.
        paper_id: Paper.
        review_id: Review.
        system: Who wrote the review: ``people``, or the name of a model.
        polarity: Praise or criticism.
        text: The point, verbatim.
    """

    point_id: str
    paper_id: str
    review_id: str
    system: str
    polarity: Polarity
    text: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """A point with its facets.

    Attributes:
        point: The point.
        target: Name of its target, or `UNKNOWN`.
        aspect: Name of its aspect, or `UNKNOWN`.
        reason: Why a label is unknown; empty if none is.
    """

    point: FacetPoint
    target: str = UNKNOWN
    aspect: str = UNKNOWN
    reason: str = ""
