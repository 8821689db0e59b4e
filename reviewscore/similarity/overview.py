"""What was scored, as tables: how much there is, what has no score, and who is nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewscore.similarity.affinity import Affinity
from reviewscore.similarity.write import Pair
from reviewscore.stats.tables import Cell, Table

SHOWN = 20
"""Submissions that are shown; the files have all."""
_NEAREST = 3
_LISTED = 50
_METHODS = (
    "Similarities say which reviewers' papers are nearer to a submission than others', on a scale "
    "of the method's own. They judge texts, not people: on people's own ratings the best methods "
    "put one pair of papers in five in the wrong order."
)


def overview(
    scored: Sequence[tuple[str, Affinity]],
    nearest: Mapping[str, Sequence[Pair]],
    conflicts: Sequence[int],
) -> list[Table]:
    """Tables of a set of scores.

    Args:
        scored: Versions of the profiles, and what was compared.
        nearest: Of some submissions of the first version, reviewers nearest first.
        conflicts: Of each version, pairs of a reviewer and a submission of their own.
    """
    rows: list[tuple[Cell, ...]] = []
    for (version, one), own in zip(scored, conflicts, strict=True):
        rows.append(
            (one.recipe.name, version, len(one.submissions), len(one.reviewers),
             sum(map(len, one.papers)), len(one.unread.submissions),
             len(one.unread.reviewers), own)
        )  # fmt: skip
    found = [
        Table(
            "similarity-scored",
            "What was compared",
            ("method", "version", "submissions", "reviewers", "papers of profiles",
             "submissions without a score", "reviewers without a score", "own papers"),
            tuple(rows),
            keys=2,
            notes=("Own papers: submissions that stand in a reviewer's own profile.",),
        )
    ]  # fmt: skip
    why = dict.fromkeys(
        (kind, name, reason)
        for _, one in scored
        for kind, some in (("submission", one.unread.submissions),
                           ("reviewer", one.unread.reviewers))
        for name, reason in some.items()
    )  # fmt: skip
    if why:
        more = f" The first {_LISTED} of {len(why):,}." if len(why) > _LISTED else ""
        found.append(
            Table(
                "similarity-unread",
                "Without a score",
                ("kind", "name", "why"),
                tuple(list(why)[:_LISTED]),
                keys=2,
                notes=(f"No score is not a score of 0.{more}",),
            )
        )
    found.append(_nearest(scored[0][1], nearest))
    return found


def _nearest(affinity: Affinity, nearest: Mapping[str, Sequence[Pair]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for submission, some in nearest.items():
        for one in some[:_NEAREST]:
            papers = affinity.nearest(submission, one.reviewer, 2)
            rows.append(
                (submission, one.reviewer, f"{one.similarity:.4f}", f"{one.percentile:.0f}",
                 "yes" if one.conflict else "no", ", ".join(paper for paper, _ in papers))
            )  # fmt: skip
    return Table(
        "similarity-nearest",
        f"The nearest reviewers of {len(nearest):,} of {len(affinity.submissions):,} submissions",
        ("submission", "reviewer", "similarity", "percentile", "own paper", "nearest papers"),
        tuple(rows),
        keys=2,
        notes=(_METHODS,),
    )
