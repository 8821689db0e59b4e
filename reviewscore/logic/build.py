"""Compound formulas from their parsed parts."""

from __future__ import annotations

from reviewscore.logic.fol import And, Formula, Iff, Implies, Not, Or, Xor
from reviewscore.logic.operators import Kind


def folded(operands: list[Formula], joins: list[Kind]) -> Formula:
    """Operands joined, `|` and `xor` last where they are mixed with `&`."""
    if not joins:
        return operands[0]
    last = next(kind for kind in (Kind.OR, Kind.XOR, Kind.AND) if kind in joins)
    groups: list[tuple[list[Formula], list[Kind]]] = [([operands[0]], [])]
    for join, operand in zip(joins, operands[1:], strict=True):
        if join is last:
            groups.append(([operand], []))
        else:
            groups[-1][0].append(operand)
            groups[-1][1].append(join)
    parts = tuple([folded(*group) for group in groups])
    if last is Kind.XOR:
        return Xor(parts[0], parts[1])
    return And(parts) if last is Kind.AND else Or(parts)


def made_of(kind: Kind, parts: list[Formula]) -> Formula | None:
    """A formula in function notation; None if it has the wrong number of parts."""
    if kind is Kind.NOT:
        return Not(parts[0]) if len(parts) == 1 else None
    if kind in (Kind.AND, Kind.OR):
        if len(parts) == 1:
            return parts[0]
        return And(tuple(parts)) if kind is Kind.AND else Or(tuple(parts))
    if len(parts) != len(("left", "right")):
        return None
    left, right = parts
    if kind is Kind.XOR:
        return Xor(left, right)
    return Implies(left, right) if kind is Kind.IMPLIES else Iff(left, right)
