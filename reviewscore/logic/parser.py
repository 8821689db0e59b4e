"""Text of a formula to its tree, strictly, with a position and a rewrite in every error.

The grammar, tightest first::

    atom        Name | Name(name, ..., name) | name = name | name != name
    unary       -unary | quantified | ( formula ) | atom
    quantified  (forall|exists) x [, y ...] [.] body         several may stand in a row
    side        unary | unary & unary & ... | unary | unary | ... | unary xor unary
    formula     side | side -> side | side <-> side

- The body of a quantifier is the bracket that follows it: ``forall x (P(x)) -> Q`` is
  ``(forall x (P(x))) -> Q``. Without a bracket it reaches as far right as it can:
  ``forall x. P(x) -> Q(x)`` is ``forall x (P(x) -> Q(x))``. A row of quantifiers has one body.
- ``&``, ``|`` and ``xor`` bind tighter than arrows. They have no order among themselves: mixing
  them without brackets is an error, and so are chained arrows and a chained ``xor``.
- A name among arguments is a variable where a quantifier binds it and a constant elsewhere. A
  name that is bound in another part of the formula, or that looks like a variable (``u`` to
  ``z``, perhaps with digits), is never taken for a constant: it is an error (a free variable).
- ``all`` is read as ``forall``; other spellings of the operators are in `tokens`.

Written by hand rather than for a parser generator: the rule for bodies is not LALR, and each
error says what a model should write instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from reviewscore.errors import FormulaError
from reviewscore.logic import complaints
from reviewscore.logic.complaints import Spot
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
    Term,
    Var,
    Xor,
)
from reviewscore.logic.tokens import QUANTIFIERS, Kind, Source, Token, tokenize

MAX_DEPTH = 120
"""Most brackets, negations and quantifiers inside one another."""

MAX_QUANTIFIERS = 12
"""Most quantifiers inside one another."""

_VARIABLE = re.compile(r"[u-z][0-9]*")
_PSEUDO = frozenset(
    ["no", "none", "every", "each", "some", "any", "most", "many", "few", "several", "exist"]
)
_ARROWS = (Kind.IMPLIES, Kind.IFF)
_JOINS = (Kind.AND, Kind.OR, Kind.XOR)
_EQUALS = (Kind.EQUAL, Kind.UNEQUAL)


class Role(StrEnum):
    """What a name stands for in a formula."""

    PREDICATE = "predicate"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Use:
    """One occurrence of a predicate or constant.

    Attributes:
        name: The name.
        role: What it stands for here.
        arity: Number of arguments; 0 for propositions and constants.
        offset: 0-based offset in the text.
    """

    name: str
    role: Role
    arity: int
    offset: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed formula, and where its names occur, in reading order."""

    formula: Formula
    uses: tuple[Use, ...]
    source: Source


def parse(text: str) -> Formula:
    """The tree of a formula.

    Raises:
        FormulaError: The text is not a formula of the grammar above.
    """
    return read(text).formula


def read(text: str) -> Reading:
    """The tree of a formula, with the place of each name.

    Raises:
        FormulaError: The text is not a formula of the grammar above.
    """
    return _Parser(*tokenize(text)).reading()


class _Parser:
    """Recursive descent over tokens; nesting is limited, so recursion is too."""

    def __init__(self, source: Source, tokens: tuple[Token, ...]) -> None:
        self._source, self._tokens, self._next = source, tokens, 0
        self._depth = 0
        self._scope: list[str] = []
        self._bound: set[str] = set()
        self._uses: list[Use] = []

    def reading(self) -> Reading:
        formula = self._formula()
        if self._peek.kind is not Kind.END:
            raise complaints.not_the_end(self._spot)
        for use in self._uses:
            bound = use.name in self._bound
            if use.role is Role.CONSTANT and (bound or _VARIABLE.fullmatch(use.name)):
                raise complaints.free_variable(
                    self._source, use.name, use.offset, formula, bound=bound
                )
        return Reading(formula, tuple(self._uses), self._source)

    @property
    def _peek(self) -> Token:
        return self._tokens[self._next]

    @property
    def _spot(self) -> Spot:
        at = self._next
        before = self._tokens[at - 1] if at else None
        after = self._tokens[at + 1] if at + 1 < len(self._tokens) else None
        return Spot(self._source, before, self._tokens[at], after)

    def _advance(self) -> Token:
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _take(self, *kinds: Kind) -> Token | None:
        return self._advance() if self._peek.kind in kinds else None

    def _error(self, code: str, message: str, token: Token | None = None) -> FormulaError:
        return self._spot.error(code, message, token)

    def _deeper(self, token: Token) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(
                "too-deep", f"The formula nests more than {MAX_DEPTH} levels deep; split it.", token
            )

    def _formula(self) -> Formula:
        left = self._side()
        arrow = self._take(*_ARROWS)
        if arrow is None:
            return left
        right = self._side()
        if self._peek.kind in _ARROWS:
            raise complaints.chained_arrows(self._spot, left, arrow, right)
        return Implies(left, right) if arrow.kind is Kind.IMPLIES else Iff(left, right)

    def _side(self) -> Formula:
        first = self._unary()
        join = self._peek.kind
        if join not in _JOINS:
            return first
        joined: Formula
        if self._take(Kind.XOR):
            joined = Xor(first, self._unary())
        else:
            parts = [first]
            while self._take(join):
                parts.append(self._unary())
            joined = And(tuple(parts)) if join is Kind.AND else Or(tuple(parts))
        if self._peek.kind in _JOINS:
            raise complaints.mixed(self._spot, joined, join)
        return joined

    def _unary(self) -> Formula:
        signs = 0
        while sign := self._take(Kind.NOT):
            self._deeper(sign)
            signs += 1
        body = self._positive()
        self._depth -= signs
        for _ in range(signs):
            body = Not(body)
        return body

    def _positive(self) -> Formula:
        kind = self._peek.kind
        if kind in QUANTIFIERS:
            return self._quantified()
        if kind is Kind.OPEN:
            return self._bracket()
        if kind is Kind.NAME:
            return self._atom()
        raise complaints.formula_expected(self._spot)

    def _bracket(self) -> Formula:
        opening = self._advance()
        self._deeper(opening)
        inner = self._formula()
        if not self._take(Kind.CLOSE):
            if self._peek.kind is not Kind.END:
                raise complaints.not_the_end(self._spot)
            raise self._error(
                "unclosed-bracket", "The bracket opened here is never closed; add ')'.", opening
            )
        self._depth -= 1
        return inner

    def _quantified(self) -> Formula:
        depth = self._depth
        prefix: list[tuple[Kind, str]] = []
        while quantifier := self._take(*QUANTIFIERS):
            prefix.append((quantifier.kind, self._bind(quantifier)))
            while self._take(Kind.COMMA):
                prefix.append((quantifier.kind, self._bind(quantifier)))
            self._take(Kind.DOT, Kind.COLON)
        body = self._bracket() if self._peek.kind is Kind.OPEN else self._formula()
        self._depth = depth
        for kind, variable in reversed(prefix):
            self._scope.pop()
            body = ForAll(variable, body) if kind is Kind.FORALL else Exists(variable, body)
        return body

    def _bind(self, quantifier: Token) -> str:
        variable = self._take(Kind.NAME)
        if variable is None:
            raise self._error(
                "no-variable",
                f"After {quantifier.described} a variable is expected, not "
                f"{self._peek.described}; write {quantifier.sign} x (...).",
            )
        self._deeper(variable)
        self._scope.append(variable.text)
        self._bound.add(variable.text)
        if len(self._scope) > MAX_QUANTIFIERS:
            raise self._error(
                "too-many-quantifiers",
                f"More than {MAX_QUANTIFIERS} quantifiers are nested; split the formula.",
                quantifier,
            )
        return variable.text

    def _atom(self) -> Formula:
        name = self._advance()
        after = self._peek
        if after.kind in _EQUALS:
            return self._equality(name)
        if name.text in self._scope:
            raise self._error(
                "variable-as-formula",
                f"The variable '{name.text}' stands where a formula is expected; "
                f"say something of it, such as P({name.text}).",
                name,
            )
        if after.kind is Kind.OPEN:
            return self._predicate(name)
        if name.text.lower() in _PSEUDO and after.kind is Kind.NAME:
            raise self._error(
                "pseudo-quantifier",
                f"'{name.text}' is not a quantifier; there are only forall and exists: "
                f"write -exists {after.text} (...) for 'no', exists {after.text} (...) for 'some', "
                f"forall {after.text} (...) for 'every'.",
                name,
            )
        self._uses.append(Use(name.text, Role.PREDICATE, 0, name.offset))
        return Atom(name.text)

    def _predicate(self, name: Token) -> Formula:
        self._advance()
        if self._peek.kind is Kind.CLOSE:
            raise self._error(
                "no-arguments", f"Write {name.text} without brackets if it has no arguments."
            )
        place = len(self._uses)
        terms = [self._argument(name)]
        while self._take(Kind.COMMA):
            terms.append(self._argument(name))
        if not self._take(Kind.CLOSE):
            raise complaints.in_arguments(self._spot, name)
        if self._peek.kind in _EQUALS:
            raise complaints.equals_between_formulas(self._spot, self._peek)
        self._uses.insert(place, Use(name.text, Role.PREDICATE, len(terms), name.offset))
        return Atom(name.text, tuple(terms))

    def _argument(self, predicate: Token) -> Term:
        token = self._take(Kind.NAME)
        if token is None:
            raise complaints.in_arguments(self._spot, predicate)
        if self._peek.kind is Kind.OPEN:
            raise complaints.nested(self._spot, token, predicate)
        return self._term(token)

    def _equality(self, left: Token) -> Formula:
        sign = self._advance()
        right = self._take(Kind.NAME)
        if right is None and self._peek.kind not in (Kind.OPEN, Kind.NOT, *QUANTIFIERS):
            raise self._error(
                "name-expected",
                f"After {sign.described} a name is expected, such as {left.text} {sign.sign} a, "
                f"not {self._peek.described}.",
            )
        if right is None or self._peek.kind is Kind.OPEN:
            raise complaints.equals_between_formulas(self._spot, sign)
        equal = Equal(self._term(left), self._term(right))
        if self._peek.kind in _EQUALS:
            a, b = left.text, right.text
            raise self._error(
                "chained-equality",
                f"Two comparisons in a row; write ({a} {sign.sign} {b}) & ({b} "
                f"{self._peek.sign} ...).",
            )
        return Not(equal) if sign.kind is Kind.UNEQUAL else equal

    def _term(self, token: Token) -> Term:
        if token.text in self._scope:
            return Var(token.text)
        self._uses.append(Use(token.text, Role.CONSTANT, 0, token.offset))
        return Const(token.text)
