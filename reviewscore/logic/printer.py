"""A tree as text, in each of the notations that the parser reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from reviewscore.logic import fol


class Spelling(StrEnum):
    """A notation of formulas."""

    ASCII = "ascii"  # forall x (P(x) -> -Q(x))
    WORDS = "words"  # forall x (P(x) implies not Q(x))
    UNICODE = "unicode"  # ∀x (P(x) → ¬Q(x))
    LATEX = "latex"  # \forall x (P(x) \rightarrow \lnot Q(x))
    NLTK = "nltk"  # all x. (P(x) -> -Q(x))
    Z3 = "z3"  # ForAll([x], Implies(P(x), Not(Q(x))))


@dataclass(frozen=True, slots=True)
class _Signs:
    joins: tuple[str, str, str, str, str]
    """Of And, Or, Xor, Implies, Iff."""
    negation: str
    forall: str
    exists: str
    after_variable: str = " "
    unequal: str = "!="
    at_most: str = "<="


_ASCII = _Signs(("&", "|", "xor", "->", "<->"), "-", "forall ", "exists ")
_SIGNS = {
    Spelling.ASCII: _ASCII,
    Spelling.WORDS: _Signs(
        ("and", "or", "xor", "implies", "iff"), "not ", "forall ", "exists ", ": "
    ),
    Spelling.UNICODE: _Signs(("∧", "∨", "⊕", "→", "↔"), "¬", "∀", "∃", " ", "≠", "≤"),
    Spelling.LATEX: _Signs(
        ("\\land", "\\lor", "\\oplus", "\\rightarrow", "\\leftrightarrow"),
        "\\lnot ",
        "\\forall ",
        "\\exists ",
        "\\, ",
        "\\neq",
        "\\leq",
    ),
    Spelling.NLTK: _Signs(("&", "|", "xor", "->", "<->"), "-", "all ", "exists ", ". "),
}
_JOINS = (fol.And, fol.Or, fol.Xor, fol.Implies, fol.Iff)
_Z3 = {fol.And: "And", fol.Or: "Or", fol.Xor: "Xor", fol.Implies: "Implies"}


def to_text(formula: fol.Formula) -> str:
    """The formula in the grammar that models are told: ASCII operators, quantifiers bracketed.

    Parsing the text gives the same tree again.
    """
    return write(formula, Spelling.ASCII)


def write(formula: fol.Formula, spelling: Spelling) -> str:
    """The formula in a notation; parsing the text gives the same tree again.

    Bodies of quantifiers and mixed operators are always bracketed.
    """
    if spelling is Spelling.Z3:
        return _function(formula)
    text = _infix(formula, _SIGNS[spelling])
    return text.replace("_", "\\_") if spelling is Spelling.LATEX else text


def term_text(term: fol.Term) -> str:
    """The term, in the same letters in every notation."""
    if isinstance(term, fol.Func):
        return f"{term.name}({', '.join(map(term_text, term.terms))})"
    return term.name


def _infix(formula: fol.Formula, signs: _Signs) -> str:
    match formula:
        case fol.Atom() | fol.Equal() | fol.Not(fol.Equal() | fol.Atom(name="<")):
            return _atomic(formula, signs)
        case fol.Not(body):
            text = _operand(body, signs)
            # A minus sign right before a digit would be the number's.
            return f"{signs.negation}({text})" if text[0].isdigit() else f"{signs.negation}{text}"
        case fol.ForAll() | fol.Exists():
            return _quantified(formula, signs)
    sign = signs.joins[_JOINS.index(type(formula))]
    return f" {sign} ".join([_operand(part, signs) for part in fol.parts_of(formula)])


def _atomic(formula: fol.Atom | fol.Equal | fol.Not, signs: _Signs) -> str:
    match formula:
        case fol.Atom(name, (left, right)) if name == fol.LESS:
            return f"{term_text(left)} < {term_text(right)}"
        case fol.Not(fol.Atom(_, (left, right))):
            return f"{term_text(right)} {signs.at_most} {term_text(left)}"
        case fol.Atom(name, terms):
            return f"{name}({', '.join(map(term_text, terms))})" if terms else name
        case fol.Equal(left, right):
            return f"{term_text(left)} = {term_text(right)}"
        case fol.Not(fol.Equal(left, right)):
            return f"{term_text(left)} {signs.unequal} {term_text(right)}"
    raise AssertionError(formula)


def _quantified(formula: fol.Quantified, signs: _Signs) -> str:
    word = signs.forall if isinstance(formula, fol.ForAll) else signs.exists
    inner = _infix(formula.body, signs)
    body = inner if isinstance(formula.body, fol.Quantified) else f"({inner})"
    return f"{word}{formula.variable}{signs.after_variable}{body}"


def _operand(formula: fol.Formula, signs: _Signs) -> str:
    text = _infix(formula, signs)
    return f"({text})" if isinstance(formula, _JOINS) else text


def _function(formula: fol.Formula) -> str:
    match formula:
        case fol.Atom() | fol.Equal() | fol.Not(fol.Equal() | fol.Atom(name="<")):
            return _atomic(formula, _ASCII).replace(" = ", " == ")
        case fol.Not(body):
            return f"Not({_function(body)})"
        case fol.ForAll(variable, body) | fol.Exists(variable, body):
            word = "ForAll" if isinstance(formula, fol.ForAll) else "Exists"
            return f"{word}([{variable}], {_function(body)})"
        case fol.Iff(left, right):
            return f"({_function(left)}) == ({_function(right)})"
    return f"{_Z3[type(formula)]}({', '.join(map(_function, fol.parts_of(formula)))})"
