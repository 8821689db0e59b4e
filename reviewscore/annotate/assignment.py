"""Who labels which points: whole papers, to the annotators who have the least to do so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PER_POINT = 3
"""Annotators of each point (ReviewScore, arXiv 2509.21679, sec. 3.3)."""


def assign(
    papers: Mapping[str, Sequence[str]],
    annotators: Sequence[str],
    per_point: int = PER_POINT,
    *,
    taken: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, list[str]]:
    """Give every point of a paper to the same annotators, so that each reads few papers.

    The longest papers are given first, each to those who have the fewest points; among equals
    those who stand first. What was given before stays given.

    Args:
        papers: The points of each paper.
        annotators: All annotators, in order.
        per_point: Annotators wanted for each point; all of them if there are fewer.
        taken: The annotators of papers that were given out before.

    Returns:
        The annotators of each paper, in the order of `annotators`.
    """
    given = {paper: list((taken or {}).get(paper, ())) for paper in papers}
    load = dict.fromkeys(annotators, 0)
    for paper, names in given.items():
        for name in names:
            load[name] = load.get(name, 0) + len(papers[paper])
    place = {name: number for number, name in enumerate(annotators)}
    for paper in sorted(papers, key=lambda one: -len(papers[one])):
        free = [name for name in annotators if name not in given[paper]]
        free.sort(key=lambda name: (load[name], place[name]))
        for name in free[: max(0, per_point - len(given[paper]))]:
            given[paper].append(name)
            load[name] += len(papers[paper])
    return {
        paper: sorted(names, key=lambda name: place.get(name, len(place)))
        for paper, names in given.items()
    }
