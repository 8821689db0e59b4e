"""How well similarities order the papers that people rated their expertise in.

Measures of A Gold Standard Dataset for the Reviewer Assignment Problem (arXiv 2303.16750),
sec. 5.1 (loss), sec. 7 (easy and hard triplets) and app. C (at the top k). Where the paper leaves
a choice open, ours is the one that gives its figures on the predictions released with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from reviewscore.errors import InputError
from reviewscore.similarity.corpus import CorpusLine, beside, lines
from reviewscore.sources.system_reviews import Numbered
from reviewscore.stats.statistic import (
    Floats,
    Ints,
    MissingReason,
    Statistic,
    Values,
    ratio,
    values,
)

CUTOFFS = (1, 3, 5, 7)
"""The k of the paper's Tables 6 to 9."""
LOSS, EASY, HARD = "loss", "easy triplets", "hard triplets"
WKTD, WKTD_PRINTED, MRR, NDCG, PRECISION = "WKTD", "WKTD printed", "MRR", "NDCG", "precision"
HIGH, LOW = 4.0, 2.0
"""Expertise from which on it is high, and up to which it is low (sec. 7)."""
SCALE = (1.0, 5.0)
"""Expertise goes from 1, not qualified to review, to 5, background for all aspects (app. A)."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Ratings:
    """Expertise that people report.

    Attributes:
        participants: Identifiers, in the order of the file.
        papers: Of each participant, the papers in the order of the file.
        expertise: Shape (participants, most papers of one); 1..5, NaN where there are fewer.
    """

    participants: tuple[str, ...]
    papers: tuple[tuple[str, ...], ...]
    expertise: Floats

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every rated pair of a participant and a paper."""
        return [
            (person, paper)
            for person, some in zip(self.participants, self.papers, strict=True)
            for paper in some
        ]

    def table(self, known: dict[tuple[str, str], float]) -> Floats:
        """Values of pairs in the shape of `expertise`; NaN where a pair has none."""
        out = np.full(self.expertise.shape, np.nan)
        for row, (person, some) in enumerate(zip(self.participants, self.papers, strict=True)):
            for column, paper in enumerate(some):
                out[row, column] = known.get((person, paper), np.nan)
        return out

    def only(self, wanted: set[tuple[str, str]]) -> Ratings:
        """The ratings of some pairs; participants without any of them are left out."""
        kept = [
            (person, [(paper, rating) for paper, rating in zip(some, row, strict=False)
                      if (person, paper) in wanted])
            for person, some, row in zip(self.participants, self.papers, self.expertise,
                                         strict=True)
        ]  # fmt: skip
        return ratings_of([(person, rated) for person, rated in kept if rated])


def ratings_of(rated: Sequence[tuple[str, Sequence[tuple[str, float]]]]) -> Ratings:
    """Ratings from participants, each with papers and expertise."""
    most = max((len(papers) for _, papers in rated), default=0)
    expertise = np.full((len(rated), most), np.nan)
    for row, (_, papers) in enumerate(rated):
        expertise[row, : len(papers)] = [value for _, value in papers]
    names = tuple(tuple(paper for paper, _ in papers) for _, papers in rated)
    return Ratings(tuple(person for person, _ in rated), names, expertise)


@dataclass(frozen=True)
class _Pairs:
    """All pairs of papers of one participant, for all participants.

    Attributes:
        left: Shape (pairs,); the place of the first paper.
        right: Shape (pairs,); the place of the second.
        apart: Shape (participants, pairs); expertise of the first minus that of the second; 0
            where there is no such pair.
        easy: Shape (participants, pairs); high expertise in one and low in the other.
        hard: Shape (participants, pairs); high in both, and not the same.
    """

    left: Ints
    right: Ints
    apart: Floats
    easy: Bools
    hard: Bools

    @classmethod
    def of(cls, expertise: Floats) -> _Pairs:
        left, right = (
            triu_indice.astype(np.int64) for triu_indice in np.triu_indices(expertise.shape[1], 1)
        )
        first, second = expertise[:, left], expertise[:, right]
        apart = np.nan_to_num(first - second)
        more, less = np.fmax(first, second), np.fmin(first, second)
        there = ~np.isnan(first) & ~np.isnan(second)
        easy = there & (more >= HIGH) & (less <= LOW)
        hard = there & (less >= HIGH) & (apart != 0)
        return cls(left, right, apart, easy, hard)


def _ranks(scores: Floats) -> Ints:
    """1 for the highest score along the last axis; ties keep their order, NaN comes last."""
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranks = np.empty(order.shape, dtype=np.int64)
    places = np.broadcast_to(np.arange(1, scores.shape[-1] + 1), order.shape)
    np.put_along_axis(ranks, order, places, axis=-1)
    return ranks


def measures(
    ratings: Ratings, similarity: Floats, cutoffs: Sequence[int] = CUTOFFS
) -> list[dict[str, Statistic]]:
    """Every measure of every method, with participants as units.

    A measure of a method is the mean of its values over the versions of the data.

    Args:
        ratings: What people say.
        similarity: Shape (methods, versions, participants, papers), higher is more similar; NaN
            only where `ratings` has no paper.
        cutoffs: The k of measures at the top k.

    Returns:
        For each method, measures by name: `LOSS` (0..1, lower is better), `EASY` and `HARD`
        (share of triplets in the right order, 0..1, higher is better), and for each k `WKTD`
        (0..1, lower is better), `WKTD_PRINTED`, `MRR`, `NDCG` and `PRECISION` (0..1, higher is
        better), as in ``WKTD@3``.

    Raises:
        ValueError: A similarity of a rated paper is missing.
    """
    if np.isnan(similarity[..., ~np.isnan(ratings.expertise)]).any():
        raise ValueError("a similarity of a rated paper is missing")
    pairs = _Pairs.of(ratings.expertise)
    apart = similarity[..., pairs.left] - similarity[..., pairs.right]
    order = np.sign(np.nan_to_num(apart)) * np.sign(pairs.apart)
    weights = np.abs(pairs.apart)
    # A tie of similarities costs half (sec. 5.1); one of expertise has no weight.
    lost = 0.5 * (1.0 - order) * weights
    statisticses: list[dict[str, Statistic]] = []
    for method in range(len(similarity)):
        right = order[method] > 0
        statisticses.append(
            {
                LOSS: _pooled(LOSS, lost[method].sum(-1), weights.sum(-1)),
                EASY: _pooled(EASY, (right & pairs.easy).sum(-1), pairs.easy.sum(-1)),
                HARD: _pooled(HARD, (right & pairs.hard).sum(-1), pairs.hard.sum(-1)),
            }
        )
    top = _Top(ratings.expertise, similarity)
    for k in cutoffs:
        for method, named in enumerate(statisticses):
            named.update(top.measures(method, k, pairs, lost[method], weights))
    return statisticses


class _Top:
    """Measures that look at the first papers of an order alone (app. C)."""

    def __init__(self, expertise: Floats, similarity: Floats) -> None:
        self.there = ~np.isnan(expertise)
        self.rated = self.there.sum(axis=1)
        self.gain = np.nan_to_num(expertise)
        self.ranks = _ranks(similarity)
        self.ideal = _ranks(expertise)
        self.cheaper = 1.0 / np.log2(self.ranks + 1.0)
        self.best = self.gain / np.log2(self.ideal + 1.0)

    def measures(
        self, method: int, k: int, pairs: _Pairs, lost: Floats, weights: Floats
    ) -> dict[str, Statistic]:
        """Measures at k of one method; `lost` has shape (versions, participants, pairs)."""
        ranks = self.ranks[method]
        chosen = (ranks <= k) & self.there
        wanted = (self.ideal <= k) & self.there
        held = np.minimum(self.rated, k)
        reciprocal = (wanted / ranks).sum(-1) / held
        gained = (chosen * self.gain * self.cheaper[method]).sum(-1)
        ideal = (wanted * self.best).sum(-1)
        shared = (chosen & wanted).sum(-1) / k
        statistics = []
        for name, top in ((WKTD, chosen), (WKTD_PRINTED, wanted)):
            # The figures of Tables 6 to 9 are those of pairs that touch the method's first k
            # papers, though app. C defines them by the participant's.
            touched = top[..., pairs.left] | top[..., pairs.right]
            over, under = (lost * touched).sum(-1), (weights * touched).sum(-1)
            statistics.append(_pooled(f"{name}@{k}", over, under))
        for name, each in ((MRR, reciprocal), (NDCG, gained / ideal), (PRECISION, shared)):
            statistics.append(_pooled(f"{name}@{k}", each, np.ones(len(held))))
        return {statistic.name: statistic for statistic in statistics}


def _pooled(name: str, over: Floats | Ints, under: Floats | Ints) -> Statistic:
    """Sums over participants divided by sums, then the mean over versions.

    Args:
        name: Of the measure.
        over: Shape (versions, participants).
        under: Shape (participants,), or as `over` where versions differ.
    """
    counts = np.atleast_2d(under).sum(axis=0) > 0
    if under.ndim == 1:  # the mean of quotients with one divisor is the quotient of the mean
        parts = np.stack([over.mean(axis=0), under], axis=1).astype(np.float64)
    else:
        parts = np.concatenate([over, under]).T.astype(np.float64)
    return Statistic(name, parts, _finish(parts.shape[1] // 2), counts)


def _finish(versions: int) -> Callable[[Floats], Values]:
    def from_sums(sums: Floats) -> Values:
        over, under = sums[:, :versions], sums[:, versions:]
        value = ratio(over, under).mean(axis=1)
        return values(value, ((under == 0).any(axis=1), MissingReason.NO_PAIR, None))

    return from_sums


def chosen_elsewhere(ratings: Ratings, similarity: Floats) -> tuple[Floats, Ints]:
    """Each participant's similarities by the method that is best for all other participants.

    So a choice among methods is judged on people whom it was not made on.

    Args:
        ratings: What people say.
        similarity: As for `measures`.

    Returns:
        Shape (versions, participants, papers), and the method used for each participant.
    """
    parts = [named[LOSS].contributions for named in measures(ratings, similarity, ())]
    sums = np.stack(parts)  # (methods, participants, 2)
    left = sums.sum(axis=1, keepdims=True) - sums
    choice = ratio(left[..., 0], left[..., 1]).argmin(axis=0).astype(np.int64)
    people = np.arange(similarity.shape[2])
    return np.moveaxis(similarity[choice, :, people], 0, 1), choice


NAMES = ("evaluations", "ratings")
_PERSON = ("reviewer_id", "reviewer", "participant", "participantid", "user")
_PAPER = re.compile(r"paper(\d+)")
_CURE = "give a file of reviewer_id, paper_id, expertise, or a folder with evaluations"


class _RatingRow(BaseModel):
    """One rating; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reviewer_id: Annotated[Numbered, Field(validation_alias=AliasChoices(*_PERSON))]
    paper_id: Annotated[Numbered, Field(validation_alias=AliasChoices("paper_id", "paper"))]
    expertise: Annotated[float, Field(validation_alias=AliasChoices("expertise", "rating"))]


def ratings_file(place: Path) -> Path:
    """The file of ratings: itself, or the one in a folder.

    Raises:
        InputError: There is none.
    """
    if not place.is_dir():
        return place
    path = next(filter(None, (beside(place, name) for name in NAMES)), None)
    if path is None:
        raise InputError(f"has no {' or '.join(NAMES)}", file=place, cure=_CURE)
    return path


def read_ratings(file: Path) -> Ratings:
    """Read ratings, in the order of the file.

    A line is one rating (reviewer_id, paper_id, expertise) or, as in the released gold standard,
    one participant (ParticipantID, Paper1, Paper2, .., Expertise1, Expertise2, ..).

    Raises:
        InputError: A line cannot be used, a rating is outside 1..5 or is given twice.
    """
    value_groups: dict[str, dict[str, float]] = {}
    for line, record, field in _single(file):
        row = line.validated(_RatingRow, record)
        low, high = SCALE
        if not low <= row.expertise <= high:  # also where it is no number
            raise line.error(
                f"{row.expertise:g} is outside of {low:g} to {high:g}",
                field,
                cure="correct the rating",
            )
        papers = value_groups.setdefault(row.reviewer_id, {})
        if row.paper_id in papers:
            raise line.error(
                f"'{row.reviewer_id}' has rated '{row.paper_id}' before",
                field,
                cure="keep one of the two",
            )
        papers[row.paper_id] = row.expertise
    if not value_groups:
        raise InputError("holds no ratings", file=file, cure=_CURE)
    return ratings_of([(person, list(papers.items())) for person, papers in value_groups.items()])


def _single(file: Path) -> Iterator[tuple[CorpusLine, dict[str, object], str]]:
    """Lines, one rating at a time, with the field it stands in."""
    for line in lines(file):
        record = {name.lower(): value for name, value in line.record.items()}
        numbers = [match[1] for name in record if (match := _PAPER.fullmatch(name))]
        if not numbers:
            yield line, record, "expertise"
            continue
        for number in numbers:
            paper = record[f"paper{number}"]
            field = f"Expertise{number}"
            rating = record.get(field.lower())
            if _blank(paper) and _blank(rating):
                continue
            if _blank(paper) or _blank(rating):
                raise line.error(
                    f"has no {field if _blank(rating) else f'Paper{number}'}",
                    f"Paper{number}",
                    cure="fill in both",
                )
            person = next((record[text] for text in _PERSON if text in record), None)
            yield (
                line,
                {"reviewer_id": person, "paper_id": paper, "expertise": rating},
                field,
            )


def _blank(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))
