"""Random formulas for property tests."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from reviewscore.logic.fol import (
    And,
    Atom,
    Const,
    Equal,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Var,
    Xor,
)

VARIABLES = ("x", "y", "z", "w1", "someone")
_PREDICATES = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,6}", fullmatch=True).filter(
    lambda name: name.lower() not in ("and", "or", "not", "xor", "all", "forall", "exists")
)
_CONSTANTS = st.from_regex(r"[a-t][a-z0-9_]{1,5}", fullmatch=True).filter(
    lambda name: (
        name not in ("and", "or", "not", "all", "forall", "exists", "someone")
        and not re.fullmatch(r"[u-z][0-9]*", name)
    )
)


def _joined(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        parts.map(Not),
        several.map(And),
        several.map(Or),
        *[st.builds(kind, parts, parts) for kind in (Xor, Implies, Iff)],
    )


def propositional(names: tuple[str, ...] = ("A", "B", "C")) -> st.SearchStrategy[Formula]:
    """Formulas of propositions only."""
    return st.recursive(st.sampled_from(names).map(Atom), _joined, max_leaves=8)


@st.composite
def closed(draw: st.DrawFn, scope: tuple[str, ...] = (), depth: int = 4) -> Formula:
    """Formulas without free variables, as the parser may give them."""
    kinds = ["atom", "equal"] if depth == 0 else ["atom", "equal", "joined", "forall", "exists"]
    kind = draw(st.sampled_from(kinds))
    terms = (
        _CONSTANTS.map(Const) | st.sampled_from(scope).map(Var) if scope else _CONSTANTS.map(Const)
    )
    if kind == "atom":
        return Atom(draw(_PREDICATES), tuple(draw(st.lists(terms, max_size=3))))
    if kind == "equal":
        return Equal(draw(terms), draw(terms))
    if kind == "joined":
        return draw(_joined(closed(scope, depth - 1)))
    variable = draw(st.sampled_from(VARIABLES))
    body = draw(closed((*scope, variable), depth - 1))
    return ForAll(variable, body) if kind == "forall" else Exists(variable, body)
