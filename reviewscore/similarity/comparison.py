"""Predictions of methods, from files or computed, beside the ratings of people.

No pair without a value in every method is compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from reviewscore.bounds import in_force
from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.papers.hygiene import read_text
from reviewscore.papers.load import Identifier
from reviewscore.similarity.affinity import Affinity, Library, Recipe
from reviewscore.similarity.corpus import ONLY, CorpusLine, UnreadPaper, beside, cells, lines
from reviewscore.similarity.goldstandard import LOSS, Ratings, measures
from reviewscore.sources.system_reviews import Numbered
from reviewscore.stats.statistic import Floats

NAME = "predictions"
_CURE = "give a file of reviewer_id, paper_id, similarity (and algorithm, version)"
_OPENREVIEW = ("paper_id", "reviewer_id", "similarity")
"""Columns of the scores of openreview-expertise, which have no heading."""


@dataclass(frozen=True)
class Predicted:
    """Similarities of one method.

    Attributes:
        name: The method.
        versions: By version of the data, by pair of reviewer and paper: the similarity.
        unread: Reviewers and papers that the method cannot compare.
        file: Where it was read; None if it was computed.
    """

    name: str
    versions: dict[str, dict[tuple[str, str], float]]
    unread: UnreadPaper = field(default_factory=UnreadPaper)
    file: Path | None = None


class _PredictionRow(BaseModel):
    """One prediction; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reviewer_id: Annotated[
        Numbered, Field(validation_alias=AliasChoices("reviewer_id", "reviewer", "user"))
    ]
    paper_id: Annotated[
        Numbered, Field(validation_alias=AliasChoices("paper_id", "paper", "submission"))
    ]
    similarity: Annotated[float | None, Field(validation_alias=AliasChoices("similarity", "score"))]
    algorithm: Annotated[
        str | None, Field(validation_alias=AliasChoices("algorithm", "regime"))
    ] = None
    version: Annotated[Identifier, BeforeValidator(lambda one: ONLY if one is None else one)] = ONLY


def predictions_file(folder: Path) -> Path:
    """The file of predictions in a folder.

    Raises:
        InputError: There is none.
    """
    if (found := beside(folder, NAME)) is None:
        raise InputError(f"has no {NAME}", file=folder, cure=_CURE)
    return found


def read_predictions(file: Path, name: str | None = None) -> list[Predicted]:
    """Read predictions of one or several methods.

    Args:
        file: Records of reviewer_id, paper_id, similarity, and possibly algorithm and version; a
            CSV file of paper, reviewer, score without a heading (openreview-expertise); or JSON
            of papers and scores by reviewer.
        name: What to call the method; if the file has several, it goes before their names.

    Raises:
        InputError: A line cannot be used, or a pair is given twice.
    """
    found: dict[str, Predicted] = {}
    places: dict[tuple[str, str, str, str], int] = {}
    for line in _lines(file):
        row = line.validated(_PredictionRow)
        if row.similarity is not None and math.isinf(row.similarity):
            raise line.error(
                "is infinite", "similarity", cure="give a number, or leave the line out"
            )
        named = " ".join(filter(None, (name, row.algorithm))) or file.stem
        key = (named, row.version, row.reviewer_id, row.paper_id)
        if key in places:
            raise line.error(
                f"reviewer '{row.reviewer_id}', paper '{row.paper_id}' is also at line "
                f"{places[key]}",
                "similarity",
                cure="keep one of the two",
            )
        places[key] = line.number
        if row.similarity is None or math.isnan(row.similarity):
            continue  # no value is not 0: the pair is missing
        one = found.setdefault(named, Predicted(named, {}, file=file))
        one.versions.setdefault(row.version, {})[row.reviewer_id, row.paper_id] = row.similarity
    if not found:
        raise InputError("holds no predictions", file=file, cure=_CURE)
    return list(found.values())


def _lines(file: Path) -> Iterator[CorpusLine]:
    if file.suffix.lower() == ".json":
        yield from _nested(file)
        return
    if file.suffix.lower() == ".csv" and file.is_file():
        first = next(cells(file), None)
        if first is not None and len(first[1]) == len(_OPENREVIEW) and _is_number(first[1][2]):
            yield from _bare(file)
            return
    yield from lines(file)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _bare(file: Path) -> Iterator[CorpusLine]:
    for number, row in cells(file):
        if len(row) != len(_OPENREVIEW):
            raise InputError(
                f"has {len(row)} cells, not paper, reviewer, score",
                file=file, line=number, cure="take the line out",
            )  # fmt: skip
        yield CorpusLine(file, number, dict(zip(_OPENREVIEW, row, strict=True)))


def _nested(file: Path) -> Iterator[CorpusLine]:
    try:
        read = load_json(read_text(file, bound=in_force().table))
    except UnusableJsonError as error:
        raise error.of_input(file) from error
    except ValueError as error:
        raise InputError(f"is not JSON ({error})", file=file, cure=_CURE) from error
    if not isinstance(read, dict) or not all(isinstance(one, dict) for one in read.values()):
        raise InputError(
            "is no object of scores by reviewer and paper", file=file,
            cure='write {"reviewer": {"paper": 0.5}}',
        )  # fmt: skip
    pairs = ((who, paper, score) for who, papers in read.items() for paper, score in papers.items())
    for number, (who, paper, score) in enumerate(pairs, 1):
        yield CorpusLine(file, number,
                   {"reviewer_id": who, "paper_id": paper, "similarity": score})  # fmt: skip


_SHOWN = 3


@dataclass(frozen=True)
class MethodComparison:
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


def compare(
    ratings: Ratings, methods: Sequence[Predicted], *, common: bool = False
) -> MethodComparison:
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
    matched = [_matched(one, set(ratings.participants)) for one in methods]
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
    return MethodComparison(ratings, tuple(names), np.array(tables), counts, tuple(notes))


def _matched(one: Predicted, known: set[str]) -> Predicted:
    """With reviewers named as in the ratings: profiles of OpenReview begin with a tilde."""
    versions = {
        version: {
            (bare if who not in known and (bare := who.strip("~")) in known else who, paper): value
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


TRIED = 25
"""Variants of recipes that were measured on the 58 released participants while this was built;
which ones is told in ``benchmarks/README.md``. The default was fixed before."""


def predicted(library: Library, recipe: Recipe, ratings: Ratings) -> Predicted:
    """What a recipe predicts for all rated pairs, for every version of the profiles.

    A pair that the recipe has no similarity for is left out.
    """
    versions: dict[str, dict[tuple[str, str], float]] = {}
    unread = UnreadPaper()
    for seed, version in enumerate(library.corpus.profiles):
        # Versions of the data are draws of ties of years; other draws need other seeds.
        drawn = recipe if recipe.recent is None else recipe.varied(seed=recipe.seed + seed)
        found = library.affinity(drawn, version)
        unread.submissions.update(found.unread.submissions)
        unread.reviewers.update(found.unread.reviewers)
        versions[version] = dict(_rated(found, ratings))
    return Predicted(recipe.name, versions, unread)


def _rated(found: Affinity, ratings: Ratings) -> Iterator[tuple[tuple[str, str], float]]:
    columns = {name: place for place, name in enumerate(found.reviewers)}
    columns |= {name.strip("~"): place for name, place in columns.items()}
    rows: dict[str, list[tuple[str, str]]] = {}
    for who, paper in ratings.pairs:
        if who in columns:
            rows.setdefault(paper, []).append((who, paper))
    for block in found.blocks():
        for place, scores in enumerate(block.scores, block.first):
            for pair in rows.get(found.submissions[place], ()):
                value = scores[columns[pair[0]]]
                if not np.isnan(value):
                    yield pair, float(value)


def sweep(
    library: Library, recipes: Sequence[Recipe], lengths: Sequence[int], ratings: Ratings
) -> dict[str, list[float]]:
    """Loss of recipes by the length of profiles (arXiv 2303.16750, Figure 2).

    Args:
        library: The corpus.
        recipes: What is compared, on the pairs that all of them have a similarity for.
        lengths: How many recent papers are kept.
        ratings: What people say.

    Returns:
        By name of the recipe, the loss at each length, mean over versions.
    """
    methods = [
        predicted(library, recipe.varied(recent=length), ratings)
        for recipe in recipes
        for length in lengths
    ]
    found = compare(ratings, methods, common=True)
    losses = [one[LOSS].point()[0] for one in measures(found.ratings, found.similarity, ())]
    step = len(lengths)
    return {recipe.name: losses[at * step : (at + 1) * step] for at, recipe in enumerate(recipes)}
