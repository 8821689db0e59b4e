"""How near each reviewer's papers are to each submission, by recipes that have names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from reviewscore.errors import SettingsError
from reviewscore.similarity.bags import PLAIN, TPMS, Bags, Representation, bags
from reviewscore.similarity.corpus import Corpus, UnreadPaper, most_recent
from reviewscore.similarity.encoder import NO_VECTOR, Embeddings
from reviewscore.similarity.vectors import (
    Matrix,
    Method,
    Pool,
    ScoreBlock,
    Vectors,
    centred,
    pooled,
    vectors,
)
from reviewscore.stats.statistic import Floats, Ints

JOIN = "+"
"""Joins names of methods that are averaged."""
_TEXTS = {Representation.TITLE: "titles", Representation.FULL: "full texts"}


@dataclass(frozen=True)
class Recipe:
    """How affinities are computed.

    Attributes:
        base: Name it was made from.
        methods: One method, or several whose standardised similarities are averaged.
        pool: How similarities of single papers are pooled.
        centre: Whether each submission's mean over reviewers is taken off.
        representation: Which texts of papers are read.
        recent: Only so many papers of each reviewer, the most recent; None for all.
        seed: Of ties of years, and of LSA.
    """

    base: str = "tfidf"
    methods: tuple[Method, ...] = (Method.TFIDF,)
    pool: Pool = Pool.MEAN
    centre: bool = True
    representation: Representation = Representation.ABSTRACT
    recent: int | None = None
    seed: int = 0

    @property
    def levelled(self) -> bool:
        """Whether similarities are less the submission's mean: of a lone reviewer they say nothing.

        Methods have means of their own, which must not weigh in an average of several.
        """
        return self.centre or len(self.methods) > 1

    @property
    def name(self) -> str:
        """Its name in tables: whatever is not as its base is said."""
        plain = recipe(self.base)
        parts = [self.base]
        if self.pool is not plain.pool:
            parts.append(self.pool)
        if self.centre is not plain.centre:
            parts.append("centred" if self.centre else "not centred")
        if self.representation in _TEXTS:
            parts.append(_TEXTS[self.representation])
        if self.recent is not None:
            parts.append(f"{self.recent} papers")
        return ", ".join(parts)

    def varied(self, **changes: Any) -> Recipe:
        """The recipe with some of its fields changed; None changes nothing."""
        return replace(
            self, **{name: value for name, value in changes.items() if value is not None}
        )


RECIPES = {
    "tfidf": Recipe(),
    "tpms": Recipe("tpms", (Method.TPMS,), Pool.DOCUMENT, centre=False),
    "bm25": Recipe("bm25", (Method.BM25,)),
    "lsa": Recipe("lsa", (Method.LSA,)),
    "acl-style": Recipe("acl-style", (Method.TFIDF,), Pool.TOP3, centre=False),
    "embeddings": Recipe("embeddings", (Method.EMBEDDINGS,), Pool.MAX, centre=False),
}
"""The recipe that a name stands for. ``acl-style`` pools as ACL does, but compares by ``tfidf``.
``embeddings`` is pooled as the best encoder of arXiv 2303.16750, Table 3."""


def recipe(name: str) -> Recipe:
    """The recipe of a name, such as ``tfidf`` or ``tfidf+bm25+lsa``.

    Raises:
        SettingsError: There is no such method.
    """
    if name in RECIPES:
        return RECIPES[name]
    parts = name.split(JOIN)
    for part in parts:
        if part not in set(Method):
            known = ", ".join(RECIPES)
            raise SettingsError(
                f"unknown method '{part}'; use one of {known}, or several of "
                f"{', '.join(Method)} joined by '{JOIN}'"
            )
    return Recipe(name, tuple(map(Method, parts)))


_SAMPLE = 512
"""Submissions from which the spread of a method is taken before methods are averaged."""
NO_PAPER, NO_WORDS, NO_TEXT = "has no papers", "has no words", "has no full text"


@dataclass(frozen=True)
class Affinity:
    """What is compared; computed when it is asked for, block by block.

    Attributes:
        recipe: How.
        submissions: Identifiers, the rows.
        reviewers: Identifiers, the columns.
        papers: For each reviewer, the papers that can be compared.
        unread: Submissions and reviewers without a similarity.
        sides: For each method, its vectors.
        members: For each reviewer, the rows of its documents.
    """

    recipe: Recipe
    submissions: tuple[str, ...]
    reviewers: tuple[str, ...]
    papers: tuple[tuple[str, ...], ...]
    unread: UnreadPaper
    sides: tuple[Vectors, ...]
    members: tuple[Ints, ...]

    def blocks(self) -> Iterator[ScoreBlock]:
        """Similarities of some submissions after others, each with all reviewers.

        Higher is nearer; NaN for what is in `unread`, never 0.
        """
        empty = np.array([submission in self.unread.submissions for submission in self.submissions])
        streams = [pooled(side, self.members, self.recipe.pool) for side in self.sides]
        scales = [1.0] if len(self.sides) == 1 else [self._spread(side) for side in self.sides]
        for blocks in zip(*streams, strict=True):
            total = np.zeros(blocks[0].scores.shape)
            for block, scale in zip(blocks, scales, strict=True):
                total += self._levelled(block.scores) / scale
            total /= len(blocks)
            first = blocks[0].first
            total[empty[first : first + len(total)]] = np.nan
            yield ScoreBlock(first, total)

    def matrix(self) -> Floats:
        """All similarities, shape (submissions, reviewers); of small sets only."""
        return np.concatenate([block.scores for block in self.blocks()])

    def nearest(self, submission: str, reviewer: str, count: int = 3) -> list[tuple[str, float]]:
        """The reviewer's papers that are nearest to a submission, by the first method."""
        row, column = self._rows[submission], self._columns[reviewer]
        if self.recipe.pool is Pool.DOCUMENT or submission in self.unread.submissions:
            return []
        side = self.sides[0]
        some = side.documents[self.members[column]] @ side.submissions[[row]].T
        single = np.asarray(some.toarray() if hasattr(some, "toarray") else some).reshape(-1)
        order = np.argsort(-single, kind="stable")[:count]
        return [(self.papers[column][at], float(single[at])) for at in order]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.submissions)}

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.reviewers)}

    def _levelled(self, scores: Floats) -> Floats:
        return centred(scores) if self.recipe.levelled else scores

    def _spread(self, side: Vectors) -> float:
        """The standard deviation of a method, from submissions evenly picked."""
        total = side.submissions.shape[0]
        rows = np.unique(np.linspace(0, total - 1, min(total, _SAMPLE)).astype(np.int64))
        some = Vectors(side.submissions[rows], side.documents)
        scores = [
            self._levelled(block.scores) for block in pooled(some, self.members, self.recipe.pool)
        ]
        known = np.concatenate(scores)
        known = known[~np.isnan(known)]
        spread = float(known.std()) if len(known) else 0.0
        return spread if spread > 0 else 1.0


class Library:
    """A corpus whose texts are read once for all recipes.

    Args:
        corpus: Submissions and profiles.
        embeddings: Vectors of papers, for the method ``embeddings``.
    """

    def __init__(self, corpus: Corpus, embeddings: Embeddings | None = None) -> None:
        self.corpus, self.embeddings = corpus, embeddings
        self._bags: dict[tuple[Representation, str], Bags] = {}

    def _read(self, representation: Representation, method: Method) -> Bags | Embeddings:
        if method is Method.EMBEDDINGS:
            if self.embeddings is None:
                raise SettingsError("method embeddings needs their file; name it: --embeddings")
            return self.embeddings
        wording = TPMS if method is Method.TPMS else PLAIN
        key = (representation, wording.name)
        if key not in self._bags:
            papers = list(self.corpus.papers)
            self._bags[key] = bags(self.corpus, papers, representation, wording=wording)
        return self._bags[key]

    def affinity(self, recipe: Recipe, version: str) -> Affinity:
        """The affinity of all reviewers of a version of the profiles with all submissions."""
        corpus = self.corpus
        read = [self._read(recipe.representation, method) for method in recipe.methods]
        unread = UnreadPaper()
        for submission in corpus.submissions:
            if why := _fault(submission, read):
                unread.submissions[submission] = why
        profiles = self._profiles(recipe, version, read, unread.reviewers)
        readable = [text for text in corpus.submissions if text not in unread.submissions]
        used = dict.fromkeys((*readable, *(text for some in profiles.values() for text in some)))
        documents = list(dict.fromkeys(text for some in profiles.values() for text in some))
        places = {paper: row for row, paper in enumerate(documents)}
        members = [np.array([places[text] for text in some], dtype=np.int64)
                   for some in profiles.values()]  # fmt: skip
        sides = []
        for method, bag in zip(recipe.methods, read, strict=True):
            # A paper that cannot be compared has some row of its own or another's, and is emptied.
            rows, own, all_of = (
                bag.table[[bag.rows.get(paper, 0) for paper in papers]]
                for papers in (corpus.submissions, documents, used)
            )
            rows = _without(rows, [text in unread.submissions for text in corpus.submissions])
            if recipe.pool is Pool.DOCUMENT:
                own = _joined(own, members)
            sides.append(vectors(method, rows, own, all_of, seed=recipe.seed))
        if recipe.pool is Pool.DOCUMENT:
            members = _numbered(members)
        return Affinity(
            recipe, corpus.submissions, tuple(profiles), tuple(profiles.values()), unread,
            tuple(sides), tuple(members),
        )  # fmt: skip

    def _profiles(
        self,
        recipe: Recipe,
        version: str,
        read: Sequence[Bags | Embeddings],
        unread: dict[str, str],
    ) -> dict[str, tuple[str, ...]]:
        """What each reviewer is judged by; who has nothing is added to `unread`."""
        text_groups = {}
        for reviewer, papers in self.corpus.profiles[version].items():
            faults = {paper: _fault(paper, read) for paper in papers}
            some = tuple(paper for paper in papers if not faults[paper])
            if recipe.recent is not None:
                some = most_recent(
                    some, self.corpus.papers, recipe.recent, reviewer=reviewer, seed=recipe.seed
                )
            text_groups[reviewer] = some
            if not some:
                unread[reviewer] = next(iter(faults.values()), NO_PAPER) or NO_PAPER
        return text_groups


def _fault(paper: str, read: Sequence[Bags | Embeddings]) -> str:
    """Why a paper cannot be compared; nothing if it can."""
    for embeddings in read:
        if isinstance(embeddings, Embeddings):
            if paper not in embeddings.rows:
                return NO_VECTOR
        elif paper not in embeddings.readable:
            return NO_TEXT
        elif paper in embeddings.empty:
            return NO_WORDS
    return ""


def _without(table: Matrix, gone: Sequence[bool]) -> Matrix:
    """The table with some rows emptied, so that they weigh nothing."""
    from scipy.sparse import diags_array

    kept = 1.0 - np.array(gone, dtype=np.float64)
    if isinstance(table, np.ndarray):
        return table * kept[:, np.newaxis]
    out = (diags_array(kept) @ table).tocsr()
    out.eliminate_zeros()
    return out


def _joined(table: Matrix, members: Sequence[Ints]) -> Matrix:
    """The papers of each reviewer as one document; reviewers without papers have none."""
    from scipy.sparse import csr_array

    filled = [member for member in members if len(member)]
    ends = np.cumsum([0, *map(len, filled)])
    columns = np.concatenate([*filled, np.zeros(0, dtype=np.int64)])
    picks = csr_array((np.ones(len(columns)), columns, ends), shape=(len(filled), table.shape[0]))
    joined = picks @ table
    return joined if isinstance(joined, np.ndarray) else joined.tocsr()


def _numbered(members: Sequence[Ints]) -> list[Ints]:
    """The row of each reviewer's one document; none for a reviewer without papers."""
    filled = np.cumsum([len(member) > 0 for member in members]) - 1
    return [
        np.array([row] if len(values) else [], dtype=np.int64)
        for row, values in zip(filled, members, strict=True)
    ]
