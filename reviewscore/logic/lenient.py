"""Assumptions about formulas that the strict grammar refuses, each noted.

For data that nobody can be asked about any more; what a model has just written is read strictly
and goes back to it. Never assumed: sets, ellipses, ``no x``, mixed ``|`` and ``xor``, formulas as
arguments, one name in two roles or with two arities.
"""

from __future__ import annotations

from collections.abc import Sequence

from reviewscore.logic.fol import (
    ForAll,
    Formula,
    Iff,
    Implies,
    Quantified,
    bind,
    parts_of,
    with_parts,
)
from reviewscore.logic.operators import TokenKind
from reviewscore.logic.tokens import FormulaText, Token

NOTES = {
    # What cannot change the meaning, in every reading:
    "label": "a label or number before the formula was left out",
    "comment": "a comment after the formula was left out",
    "fence": "code fences were left out",
    "math": "LaTeX delimiters or fonts were left out",
    "quotes": "quotation marks were left out",
    "full-stop": "the final full stop was left out",
    "punctuation": "hyphens, apostrophes or dots inside a name became '_'",
    "no-arguments": "empty brackets after a name were left out",
    # Assumptions, in lenient reading only:
    "renamed": "a name with a leading digit, accents, '+' or '$' got a plain one",
    "several-words": "several words in a row were taken for one name",
    "wide-scope": "a quantifier was taken to reach beyond its bracket",
    "narrow-scope": "a quantifier without a bracket was taken to end before the next operator",
    "closed": "a free variable was taken to mean everything",
    "shadowed": "a variable is bound twice; the inner quantifier was taken to count",
    "equals-as-iff": "'=' between formulas was taken for '<->'",
    "caret": "'^' was taken for '&'",
    "precedence": "'&' was taken to bind tighter than '|' and 'xor'",
    "chain": "a chain of '->' was taken to group to the right",
    "english": "'there is an x such that', 'if' or a final 'for all x' was taken for what it means",
    "bracket-added": "a bracket that is never closed, or never opened, was completed at the end",
    "bracket-dropped": "a closing bracket too many at the end was left out",
}
"""Every note that a reading may carry."""


_THERE = (("there",), ("is", "exists"), ("a", "an"))
_SUCH = (("such",), ("that",))


def reworded(source: FormulaText, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with a few English phrases as the signs that they stand for, each noted."""
    kept = list(tokens)
    if _spells(kept, 0, (("if",),)) and any(token.kind is TokenKind.IMPLIES for token in kept):
        source.note("english", kept[0].offset, assumed=True)
        del kept[0]
    start, after = len(_THERE), len(_THERE) + 1
    if _spells(kept, 0, _THERE) and _spells(kept, after, _SUCH):
        source.note("english", kept[0].offset, assumed=True)
        exists = kept[0]._replace(kind=TokenKind.EXISTS, text="exists")
        kept = [exists, kept[start], *kept[after + len(_SUCH) :]]
    return _final_quantifier(source, kept)


def _final_quantifier(source: FormulaText, tokens: list[Token]) -> tuple[Token, ...]:
    """``(A(x) for all x)`` as ``forall x (A(x))``."""
    *body, end = tokens
    wrapped = bool(body) and body[0].kind is TokenKind.OPEN and body[-1].kind is TokenKind.CLOSE
    inside = body[1:-1] if wrapped else body
    words = [token.text.lower() for token in inside[-3:]]
    length = 3 if words[:2] == ["for", "all"] else 2 if words[-2:-1] == ["for"] else 0
    if not length or inside[-1].kind is not TokenKind.NAME or len(inside) == length:
        return tuple(tokens)
    source.note("english", inside[-length].offset, assumed=True)
    forall = inside[-length]._replace(kind=TokenKind.FORALL, text="forall")
    opening = Token(TokenKind.OPEN, "(", forall.offset, "")
    closing = Token(TokenKind.CLOSE, ")", forall.offset, "")
    return (forall, inside[-1], opening, *inside[:-length], closing, end)


def _spells(tokens: list[Token], start: int, words: tuple[tuple[str, ...], ...]) -> bool:
    texts = [token.text.lower() for token in tokens[start : start + len(words)]]
    return len(texts) == len(words) and all(
        text in known for text, known in zip(texts, words, strict=True)
    )


def balanced(source: FormulaText, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with round brackets completed at the two ends of the formula, where they fail."""
    *body, end = tokens
    depth, missing = 0, 0
    kept: list[Token] = []
    for index, token in enumerate(body):
        depth += (token.kind is TokenKind.OPEN) - (token.kind is TokenKind.CLOSE)
        if depth < 0:
            depth = 0
            if all(token.kind is TokenKind.CLOSE for token in body[index:]):
                source.note("bracket-dropped", token.offset, assumed=True)
                continue
            source.note("bracket-added", token.offset, assumed=True)
            missing += 1
        kept.append(token)
    if depth:
        source.note("bracket-added", end.offset, assumed=True)
    start = kept[0].offset if kept else 0
    opening = [Token(TokenKind.OPEN, "(", start, "")] * missing
    return (*opening, *kept, *[Token(TokenKind.CLOSE, ")", end.offset, "")] * depth, end)


def bound(formula: Formula, leaked: Sequence[tuple[str, int]], source: FormulaText) -> Formula:
    """The formula with every free variable bound, by a wider scope if there is one for it.

    Args:
        formula: A formula in which free variables stand as constants.
        leaked: Their names, and the offset of each occurrence.
        source: Where the assumptions are noted.
    """
    names = list(dict.fromkeys(name for name, _ in leaked))
    wide = widened(formula, names)
    reached = _prefix(wide) if wide is not None else []
    for name in names:
        offset = next(at for text, at in leaked if text == name)
        source.note("wide-scope" if name in reached else "closed", offset, assumed=True)
    formula = wide or formula
    for name in reversed([name for name in names if name not in reached]):
        formula = ForAll(name, bind(formula, name))
    return formula


def widened(formula: Formula, names: Sequence[str]) -> Formula | None:
    """``forall x (A) -> B`` as ``forall x (A -> B)``, if a variable of that row leaked.

    Args:
        formula: A formula in which the names stand as constants where they leaked.
        names: Variables that no quantifier reaches.

    Returns:
        The wider formula; None if no leaked variable belongs to quantifiers before an arrow.
    """
    if not isinstance(formula, Implies | Iff):
        return None
    row: list[Quantified] = []
    first, rest = parts_of(formula)
    while isinstance(first, Quantified):
        row.append(first)
        first = first.body
    mine = [one.variable for one in row if one.variable in names]
    if not mine:
        return None
    for name in mine:
        rest = bind(rest, name)
    wider = with_parts(formula, (first, rest))
    for one in reversed(row):
        wider = type(one)(one.variable, wider)
    return wider


def _prefix(formula: Formula) -> list[str]:
    variables = []
    while isinstance(formula, Quantified):
        variables.append(formula.variable)
        formula = formula.body
    return variables
