"""How near each reviewer of a run is to the paper reviewed, for the report of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from reviewscore.errors import InputError
from reviewscore.files import hash_file, write_whole
from reviewscore.papers.hygiene import tidy
from reviewscore.runs.folder import SIMILARITY, read_manifest
from reviewscore.schema.review import Review
from reviewscore.schema.similarity import OwnPaper, ReviewSimilarity, SimilarityDigest
from reviewscore.similarity.affinity import Affinity, Library, Recipe
from reviewscore.similarity.bags import Representation
from reviewscore.similarity.corpus import ONLY, Corpus, Publication, gaps, title_key
from reviewscore.sources.collection import Collection
from reviewscore.stats.statistic import Floats, Ints

NAMELESS = "the review names no reviewer"
NO_PROFILE = "has no profile"
ALONE = "no other reviewer has papers to compare with"
_CELLS = 4_000_000
"""Comparisons of pairs with a block of papers held at once."""


def add_digest(
    run: Path,
    collection: Collection,
    profiles: Corpus,
    recipe: Recipe | None = None,
    *,
    accept_changed: bool = False,
) -> SimilarityDigest:
    """Compute the similarities of all reviews that a run was made of, and write them into it.

    Args:
        run: The run folder.
        collection: Its papers and reviews.
        profiles: Papers of reviewers, who are named as in the reviews.
        recipe: How they are compared; `Recipe()` if not given.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: The folder is no run, or its records were changed.
        SettingsError: The recipe needs what is not there.
    """
    recipe = recipe or Recipe()
    papers = submitted(collection, full=recipe.representation is Representation.FULL)
    similarity_digest = digest(
        profiles,
        papers,
        collection.reviews,
        recipe,
        inputs=[file.sha256 for file in read_manifest(run, accept_changed=accept_changed).inputs],
    )
    write_whole(run / SIMILARITY, similarity_digest.model_dump_json(indent=1) + "\n")
    return similarity_digest


def submitted(collection: Collection, *, full: bool = False) -> dict[str, Publication | str]:
    """Titles and abstracts of a collection's papers; why not, of those that cannot be read.

    Args:
        collection: The papers.
        full: Whether full texts are read too.
    """
    values: dict[str, Publication | str] = {}
    for name in collection.papers:
        try:
            source_paper = collection.paper(name)
        except InputError as error:
            values[name] = f"the paper cannot be read ({error.problem})"
            continue
        title, abstract, text = (
            tidy(some).text.strip()
            for some in (
                source_paper.title,
                source_paper.abstract or "",
                source_paper.text if full else "",
            )
        )
        values[name] = Publication(name, title, abstract, text, source_paper.year)
    return values


def digest(
    profiles: Corpus,
    papers: Mapping[str, Publication | str],
    reviews: Sequence[Review],
    recipe: Recipe,
    *,
    inputs: Sequence[str] = (),
) -> SimilarityDigest:
    """The similarity of each review's reviewer to its paper.

    Papers of all versions of a reviewer's profile count.

    Args:
        profiles: Papers of reviewers; its own submissions are not looked at.
        papers: The papers under review, or why one cannot be read.
        reviews: Whose reviewers are looked up.
        recipe: How they are compared.
        inputs: SHA-256 of the files of papers and reviews.

    Raises:
        SettingsError: The recipe needs what is not there.
    """
    joined = _Joined.of(profiles, papers)
    affinity = Library(joined.corpus).affinity(recipe, ONLY)
    known = len(affinity.reviewers) - len(affinity.unread.reviewers)
    similarities: dict[str, ReviewSimilarity] = {}
    pairs: dict[str, tuple[int, int]] = {}
    rows = {name: row for row, name in enumerate(affinity.submissions)}
    columns = {name: column for column, name in enumerate(affinity.reviewers)}
    for review in reviews:
        why = _why_not(review, papers, joined, affinity)
        if not why and recipe.levelled and known == 1:
            why = ALONE  # less the mean of one it would be 0 for every paper
        similarities[review.review_id] = ReviewSimilarity(reviewer=review.reviewer, why=why)
        if not why and review.reviewer is not None:
            pairs[review.review_id] = rows[joined.keys[review.paper_id]], columns[review.reviewer]
    at = np.array(list(pairs.values()), dtype=np.int64).reshape(-1, 2)
    values, among = _placed(affinity, at)
    for place, name in enumerate(pairs):
        row, column = map(int, at[place])
        similarities[name] = similarities[name].model_copy(
            update={
                "value": float(values[place]),
                "among_reviewers": _percent(among[place, 0]),
                "among_papers": _percent(among[place, 1]),
                "own": (affinity.reviewers[column], affinity.submissions[row]) in joined.own,
                "nearest": _nearest(affinity, joined.corpus, row, column),
            }
        )
    return SimilarityDigest(
        method=recipe.name,
        centred=recipe.levelled,
        notes=tuple(gaps(joined.corpus.papers, {})),
        inputs=tuple(inputs),
        profiles=tuple(hash_file(file).sha256 for file in profiles.files),
        reviewers=known,
        papers=len(affinity.submissions) - len(affinity.unread.submissions),
        reviews=similarities,
    )


@dataclass(frozen=True)
class _Joined:
    """Papers under review beside those of the reviewers.

    Attributes:
        corpus: All of them; the papers under review are its submissions.
        keys: Of each paper under review, its identifier in the corpus.
        own: Reviewers and submissions in their own profile.
    """

    corpus: Corpus
    keys: Mapping[str, str]
    own: set[tuple[str, str]]

    @classmethod
    def of(cls, profiles: Corpus, papers: Mapping[str, Publication | str]) -> _Joined:
        merged: dict[str, dict[str, None]] = {}
        for people in profiles.profiles.values():
            for who, some in people.items():
                merged.setdefault(who, {}).update(dict.fromkeys(some))
        known, keys = dict(profiles.papers), {}
        for name, paper in papers.items():
            if isinstance(paper, str):
                continue
            key = name
            while key in known or (key != name and key in papers):
                key += "'"  # the same name may stand for another paper in the profiles
            keys[name], known[key] = key, replace(paper, paper_id=key)
        own = {who: tuple(some) for who, some in merged.items()}
        corpus = Corpus(known, tuple(keys.values()), {ONLY: own}, profiles.counts)
        same = {
            (who, key)
            for who, some in merged.items()
            for name, key in keys.items()
            if name in some and _alike(profiles.papers[name], known[key])
        }
        return cls(corpus, keys, corpus.conflicts(ONLY) | same)


def _alike(publication: Publication, other: Publication) -> bool:
    """Whether papers of one name can be one paper: their titles do not say otherwise."""
    titles = title_key(publication.title), title_key(other.title)
    return not all(titles) or titles[0] == titles[1]


def _why_not(
    review: Review, papers: Mapping[str, Publication | str], joined: _Joined, affinity: Affinity
) -> str:
    """Why a review gets no similarity; empty if it gets one."""
    if review.reviewer is None:
        return NAMELESS
    if review.reviewer not in joined.corpus.profiles[ONLY]:
        return NO_PROFILE
    if why := affinity.unread.reviewers.get(review.reviewer):
        return why
    paper = papers.get(review.paper_id, "the paper is not there")
    if isinstance(paper, str):
        return paper
    why = affinity.unread.submissions.get(joined.keys[review.paper_id], "")
    return f"the paper {why}" if why else ""


def _placed(affinity: Affinity, pairs: Ints) -> tuple[Floats, Floats]:
    """Values of pairs and their percentiles, in two passes so that no matrix is held.

    Args:
        affinity: Of all with all.
        pairs: Shape (pairs, 2); submission and reviewer.

    Returns:
        Values, shape (pairs,), and percent of the reviewers and of the papers that are not
        nearer, shape (pairs, 2); NaN where there is only one.
    """
    values, percent = np.full(len(pairs), np.nan), np.full((len(pairs), 2), np.nan)
    if not len(pairs):
        return values, percent
    for block in affinity.blocks():
        here = np.flatnonzero(
            (pairs[:, 0] >= block.first) & (pairs[:, 0] < block.first + len(block.scores))
        )
        for place in here:
            scores = block.scores[pairs[place, 0] - block.first]
            values[place] = scores[pairs[place, 1]]
            percent[place, 0] = _share((scores <= values[place]).sum(), (~np.isnan(scores)).sum())
    under, over = np.zeros(len(pairs)), np.zeros(len(pairs))
    for block in affinity.blocks():
        step = max(1, _CELLS // max(len(block.scores), 1))
        for first in range(0, len(pairs), step):
            some = slice(first, first + step)
            scores = block.scores[:, pairs[some, 1]]
            under[some] += (scores <= values[some]).sum(axis=0)
            over[some] += (~np.isnan(scores)).sum(axis=0)
    percent[:, 1] = [_share(*pair) for pair in zip(under, over, strict=True)]
    return values, percent


def _share(count: float, total: float) -> float:
    return 100.0 * float(count) / float(total) if total > 1 else float("nan")


def _percent(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _nearest(affinity: Affinity, corpus: Corpus, row: int, column: int) -> tuple[OwnPaper, ...]:
    pairs = affinity.nearest(affinity.submissions[row], affinity.reviewers[column])
    return tuple(
        OwnPaper(title=corpus.papers[paper].title or paper, similarity=similarity)
        for paper, similarity in pairs
        if similarity > 0  # else they have nothing in common
    )
