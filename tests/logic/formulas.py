"""Random formulas for property tests."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from reviewscore.logic import fol
from reviewscore.logic.operators import WORDS

VARIABLES = ("x", "y", "z", "w1", "someone")
_WORDS = {word for words in WORDS.values() for word in words} | {"no", "none", "ellipsis"}
_PREDICATES = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,6}", fullmatch=True).filter(
    lambda name: name.lower() not in _WORDS and not name.endswith("_")
)
_CONSTANTS = st.from_regex(r"[a-t][a-z0-9_]{1,5}", fullmatch=True).filter(
    lambda name: name not in _WORDS and name != "someone" and not re.fullmatch(r"[u-z][0-9]?", name)
)


_NUMERALS = st.one_of(st.integers(-99, 99).map(str), st.sampled_from(["0.5", "-0.25", "3.75"]))
_FUNCTIONS = st.sampled_from(("size", "next_one", "f2"))


def _terms(scope: tuple[str, ...]) -> st.SearchStrategy[fol.Term]:
    simple: st.SearchStrategy[fol.Term] = (_CONSTANTS | _NUMERALS).map(fol.Const)
    if scope:
        simple |= st.sampled_from(scope).map(fol.Var)
    applied = st.builds(fol.Func, _FUNCTIONS, st.lists(simple, min_size=1, max_size=2).map(tuple))
    return simple | applied


def _joined(parts: st.SearchStrategy[fol.Formula]) -> st.SearchStrategy[fol.Formula]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        parts.map(fol.Not),
        several.map(fol.And),
        several.map(fol.Or),
        *[st.builds(kind, parts, parts) for kind in (fol.Xor, fol.Implies, fol.Iff)],
    )


def propositional(names: tuple[str, ...] = ("A", "B", "C")) -> st.SearchStrategy[fol.Formula]:
    """Formulas of propositions only."""
    return st.recursive(st.sampled_from(names).map(fol.Atom), _joined, max_leaves=8)


@st.composite
def closed(draw: st.DrawFn, scope: tuple[str, ...] = (), depth: int = 4) -> fol.Formula:
    """Formulas without free variables, as the parser may give them."""
    kinds = ["atom", "equal", "less"]
    kinds += ["joined", "forall", "exists"] if depth else []
    kind = draw(st.sampled_from(kinds))
    terms = _terms(scope)
    if kind == "atom":
        return fol.Atom(draw(_PREDICATES), tuple(draw(st.lists(terms, max_size=3))))
    if kind == "equal":
        return fol.Equal(draw(terms), draw(terms))
    if kind == "less":
        return fol.Atom(fol.LESS, (draw(terms), draw(terms)))
    if kind == "joined":
        return draw(_joined(closed(scope, depth - 1)))
    variable = draw(st.sampled_from([one for one in VARIABLES if one not in scope]))
    body = draw(closed((*scope, variable), depth - 1))
    return fol.ForAll(variable, body) if kind == "forall" else fol.Exists(variable, body)
