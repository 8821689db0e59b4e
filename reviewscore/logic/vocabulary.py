"""One role and one number of arguments for each name of an argument.

A name that is a predicate here and a constant there, or has two arities, marks a bad translation
(12 % and 2 % of formalisations by models); the proof would treat it as two unrelated names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewscore.errors import FormulaError
from reviewscore.logic.parser import Reading, Role, Use


def conflicts(readings: Sequence[tuple[str, Reading]]) -> Iterator[tuple[str, FormulaError]]:
    """Each name that is used in two ways, once per way.

    Args:
        readings: Labels and parsed formulas, in order; the first use of a name counts as right.

    Yields:
        The label of the formula that disagrees, and an error at the place of the name in it.
    """
    first: dict[str, tuple[str, Use]] = {}
    told: set[tuple[str, Role, int]] = set()
    for label, reading in readings:
        for use in reading.uses:
            where, known = first.setdefault(use.name, (label, use))
            way = (use.name, use.role, use.arity)
            if (known.role, known.arity) == (use.role, use.arity) or way in told:
                continue
            told.add(way)
            yield label, reading.source.error(*_complaint(where, known, use), use.offset)


def _complaint(where: str, known: Use, use: Use) -> tuple[str, str]:
    before, here = _described(known), _described(use)
    if known.role is use.role:
        return (
            "two-arities",
            f"'{use.name}' is {here} here but {before} in {where}; give it the same number of "
            "arguments everywhere.",
        )
    return (
        "two-roles",
        f"'{use.name}' is {here} here but {before} in {where}; use two different names.",
    )


def _described(use: Use) -> str:
    if use.role is Role.CONSTANT:
        return "the name of an individual"
    if use.arity == 0:
        return "a proposition without arguments"
    return f"a predicate with {use.arity} argument{'s' if use.arity > 1 else ''}"
