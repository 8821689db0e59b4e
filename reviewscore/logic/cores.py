"""Which premises a proof needs: an irreducible set, and a smallest one.

The smallest set comes from implicit hitting sets (Ignatiev et al., "Smallest MUS extraction with
minimal hitting set dualization", 2015): every set that suffices must hit, for each set that does
not, the premises left out of it. Candidates grow from the bottom, so few subsets are ever tried.
"""

from __future__ import annotations

from collections.abc import Sequence

from reviewscore.logic.z3_backend import Outcome, Session

MAX_PREMISES = 20
"""Most premises among which a smallest set is looked for."""


def irreducible(
    session: Session, core: Sequence[str], *, fixed: Sequence[str] = ()
) -> tuple[str, ...]:
    """A core from which no formula can be left out, by trying each in turn.

    Others may exist. A formula stays in where a limit keeps it from being tested.

    Args:
        session: Holds the formulas.
        core: Labels of formulas that cannot all hold.
        fixed: Labels of formulas without which the others are known to be able to hold.
    """
    kept = list(core)
    for label in core:
        if label not in kept or label in fixed:
            continue
        answer = session.check([one for one in kept if one != label])
        if answer.outcome is Outcome.UNSATISFIABLE:
            kept = [one for one in kept if one in answer.core]
    return tuple(kept)


def smallest(session: Session, labels: Sequence[str], denied: str) -> tuple[str, ...] | None:
    """A smallest set of labels that cannot hold together with `denied`.

    Args:
        session: Holds the formulas.
        labels: All premises, which cannot hold together with `denied`.
        denied: Label of the denied conclusion.

    Returns:
        Of several smallest sets the first in the order of `labels`; None if there are more than
        20 labels, or a limit was reached on the way.
    """
    if len(labels) > MAX_PREMISES:
        return None
    missing: list[int] = []
    for n, label in enumerate(labels):
        answer = session.check([*[one for one in labels if one != label], denied])
        if answer.outcome is Outcome.UNKNOWN:
            return None
        if answer.outcome is Outcome.SATISFIABLE:
            missing.append(1 << n)
    size = len(missing)
    while size <= len(labels):
        candidate = _first_hitting(missing, len(labels), size)
        if candidate is None:
            size += 1
            continue
        chosen = [label for n, label in enumerate(labels) if candidate >> n & 1]
        answer = session.check([*chosen, denied])
        if answer.outcome is Outcome.UNSATISFIABLE:
            return tuple(chosen)
        if answer.outcome is Outcome.UNKNOWN:
            return None
        grown = _grown(session, labels, candidate, denied)
        if grown is None:
            return None
        missing.append(_above(0, len(labels)) & ~grown)
    return None


def _grown(session: Session, labels: Sequence[str], chosen: int, denied: str) -> int | None:
    """A largest set around one that does not suffice; None if a limit was reached."""
    for n, label in enumerate(labels):
        if chosen >> n & 1:
            continue
        inside = [one for m, one in enumerate(labels) if chosen >> m & 1]
        answer = session.check([*inside, label, denied])
        if answer.outcome is Outcome.UNKNOWN:
            return None
        if answer.outcome is Outcome.SATISFIABLE:
            chosen |= 1 << n
    return chosen


def _first_hitting(sets: Sequence[int], elements: int, size: int, start: int = 0) -> int | None:
    """The first set of that size, as bits, that has an element in each of the sets; else None."""
    if size == 0:
        return None if sets else 0
    if _disjoint(sets) > size:
        return None
    for n in range(start, elements - size + 1):
        if any(not one & _above(n, elements) for one in sets):
            return None
        left = [one for one in sets if not one >> n & 1]
        found = _first_hitting(left, elements, size - 1, n + 1)
        if found is not None:
            return found | 1 << n
    return None


def _above(start: int, elements: int) -> int:
    """The elements from `start` on, as bits."""
    return (1 << elements) - (1 << start)


def _disjoint(sets: Sequence[int]) -> int:
    """How many of the sets have no element in common, by taking the smallest first."""
    seen = count = 0
    for one in sorted(sets, key=int.bit_count):
        if not one & seen:
            seen |= one
            count += 1
    return count
