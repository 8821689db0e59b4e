"""Ratings and predictions brought together: no pair without a value in every method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewscore.errors import InputError
from reviewscore.similarity.goldstandard import Ratings
from reviewscore.similarity.predictions import Predicted
from reviewscore.stats.statistic import Floats

_SHOWN = 3


@dataclass(frozen=True)
class Comparison:
    """What is compared.

    Attributes:
        ratings: Of the pairs that every method has a value for.
        names: Of the methods.
        similarity: Shape (methods, versions, participants, papers).
        versions: How many versions of the data each method has.
        notes: What was left out, in words.
    """

    ratings: Ratings
    names: tuple[str, ...]
    similarity: Floats
    versions: tuple[int, ...]
    notes: tuple[str, ...]


def compare(ratings: Ratings, methods: Sequence[Predicted], *, common: bool = False) -> Comparison:
    """Bring ratings and methods together.

    Args:
        ratings: What people say.
        methods: What methods predict; each has all versions of the data, or one that stands for
            all.
        common: Go on with the pairs that every method has a value for, and name the others.

    Raises:
        InputError: Names are not unique, versions differ, or (unless `common`) a pair has no
            prediction; a missing one is never taken for 0.
    """
    names = [one.name for one in methods]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two methods are called '{name}'", cure="name them: NAME=FILE")
    known = {person: person for person in ratings.participants}
    matched = [_matched(one, known) for one in methods]
    versions = _versions(matched)
    pairs = ratings.pairs
    missing = {
        one.name: [pair for pair in pairs
                   if any(pair not in values for values in one.versions.values())]
        for one in matched
    }  # fmt: skip
    gone = {pair for some in missing.values() for pair in some}
    notes = list(_told(missing, matched, len(pairs)))
    if gone and not common:
        raise InputError(
            notes[0],
            file=next(one.file for one in matched if missing[one.name]),
            field="similarity",
            cure="add the predictions, or compare on common pairs alone (--common)",
        )
    if gone:
        ratings = ratings.only(set(pairs) - gone)
        notes.append(
            f"{len(gone):,} of {len(pairs):,} rated pairs are left out for all methods; "
            f"{len(ratings.participants)} participants and {len(ratings.pairs):,} pairs are left"
        )
    if not ratings.pairs:
        raise InputError(
            "no rated pair has a prediction of every method", cure="check the identifiers"
        )
    tables = [[ratings.table(_values(one, version)) for version in versions] for one in matched]
    counts = tuple(len(one.versions) for one in matched)
    return Comparison(ratings, tuple(names), np.array(tables), counts, tuple(notes))


def _matched(one: Predicted, known: dict[str, str]) -> Predicted:
    """With reviewers named as in the ratings: profiles of OpenReview begin with a tilde."""
    versions = {
        version: {
            (who if who in known else known.get(who.strip("~"), who), paper): value
            for (who, paper), value in values.items()
        }
        for version, values in one.versions.items()
    }
    return replace(one, versions=versions)


def _versions(methods: Iterable[Predicted]) -> list[str]:
    """All versions, of methods that have more than one."""
    found: dict[str, None] = {}
    several = [one for one in methods if len(one.versions) > 1]
    for one in several:
        found |= dict.fromkeys(one.versions)
    for one in several:
        if lacking := [version for version in found if version not in one.versions]:
            raise InputError(
                f"'{one.name}' has no predictions of version {', '.join(lacking)}, which other "
                "methods have",
                field="version",
                cure="give the same versions for all",
            )
    return list(found) or [""]


def _values(one: Predicted, version: str) -> dict[tuple[str, str], float]:
    if len(one.versions) == 1:
        return next(iter(one.versions.values()))
    return one.versions[version]


def _told(
    missing: dict[str, list[tuple[str, str]]], methods: Iterable[Predicted], total: int
) -> Iterable[str]:
    for one in methods:
        if some := missing[one.name]:
            shown = "; ".join(
                f"reviewer '{who}', paper '{paper}'{_why(one, who, paper)}"
                for who, paper in some[:_SHOWN]
            )
            more = f"; and {len(some) - _SHOWN:,} more" if len(some) > _SHOWN else ""
            yield (
                f"'{one.name}' has no similarity for {len(some):,} of {total:,} rated pairs: "
                f"{shown}{more}"
            )


def _why(one: Predicted, who: str, paper: str) -> str:
    for name, known in ((who, one.unread.reviewers), (paper, one.unread.submissions)):
        if name in known:
            return f" ('{name}' {known[name]})"
    return ""
