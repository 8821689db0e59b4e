"""What a method is: a fixed recipe with a name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reviewscore.errors import SettingsError
from reviewscore.similarity.bags import Representation
from reviewscore.similarity.pooling import Pool
from reviewscore.similarity.vectors import Method

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

    def varied(
        self,
        *,
        pool: Pool | None = None,
        centre: bool | None = None,
        representation: Representation | None = None,
        recent: int | None = None,
        seed: int | None = None,
    ) -> Recipe:
        """The recipe with some things changed; None changes nothing."""
        wanted = {
            "pool": pool, "centre": centre, "representation": representation, "recent": recent,
            "seed": seed,
        }  # fmt: skip
        return replace(self, **{name: one for name, one in wanted.items() if one is not None})  # type: ignore[arg-type]


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
