"""A place in the tokens of a formula, and the parsing of terms from there."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from reviewscore.errors import FormulaError
from reviewscore.logic import syntax_errors
from reviewscore.logic.fol import Const, Func, Term, Var
from reviewscore.logic.names import ENGLISH, identifier
from reviewscore.logic.operators import Kind
from reviewscore.logic.syntax_errors import Spot
from reviewscore.logic.tokens import Source, Token

MAX_DEPTH = 120
"""Most brackets, negations, quantifiers and functions inside one another."""


class Role(StrEnum):
    """What a name stands for in a formula."""

    PREDICATE = "predicate"
    CONSTANT = "constant"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Use:
    """One occurrence of a predicate, function or constant.

    Attributes:
        name: The name.
        role: What it stands for here.
        arity: Number of arguments; 0 for propositions and constants.
        offset: 0-based offset in the text.
        spelled: The name as it stands there, before it was made plain.
    """

    name: str
    role: Role
    arity: int
    offset: int
    spelled: str


class _State(NamedTuple):
    next: int
    depth: int
    uses: int
    variables: int
    notes: int


class Cursor:
    """Where a parser stands, what it has met, and how it reads terms."""

    def __init__(self, source: Source, tokens: tuple[Token, ...]) -> None:
        self._source, self._tokens, self._next = source, tokens, 0
        self._depth = 0
        self._scope: list[str] = []
        self._bound: set[str] = set()
        self._uses: list[Use] = []
        self._variables: list[Token] = []

    @property
    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _after(self, steps: int = 1) -> Token:
        return self._tokens[min(self._next + steps, len(self._tokens) - 1)]

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

    def _state(self) -> _State:
        return _State(
            self._next,
            self._depth,
            len(self._uses),
            len(self._variables),
            len(self._source.notes),
        )

    def _back_to(self, state: _State) -> None:
        self._next, self._depth = state.next, state.depth
        del self._uses[state.uses :]
        del self._variables[state.variables :]
        del self._source.notes[state.notes :]

    def _use(self, token: Token, role: Role, arity: int = 0) -> Use:
        return Use(token.text, role, arity, token.offset, token.raw)

    def _arguments(self, name: Token) -> tuple[Term, ...]:
        """What stands in the brackets after a name; the opening one is next."""
        self._deeper(self._advance())
        terms: list[Term] = []
        if self._peek.kind is Kind.CLOSE:
            self._source.note("no-arguments", self._peek.offset)
        else:
            terms.append(self._argument(name))
            while self._take(Kind.COMMA):
                terms.append(self._argument(name))
        if not self._take(Kind.CLOSE):
            raise syntax_errors.in_arguments(self._spot, name)
        self._depth -= 1
        return tuple(terms)

    def _argument(self, outer: Token) -> Term:
        words = self._source.lenient and self._after().kind is Kind.NAME
        if self._at_number or (self._peek.kind is Kind.NUMBER and not words):
            return self._number()
        token = self._take(Kind.NAME, *([Kind.NUMBER] if words else []))
        if token is None:
            raise syntax_errors.in_arguments(self._spot, outer)
        if self._source.lenient:
            token = self._joined(token)
        if self._peek.kind is Kind.OPEN:
            if token.text[0].isupper() and not self._source.lenient:
                raise syntax_errors.nested(self._spot, token, outer)
            return self._function(token)
        return self._named_term(token)

    def _joined(self, token: Token) -> Token:
        """Several words in a row as one name, which is an assumption."""
        words = [token]
        while self._peek.kind in (Kind.NAME, Kind.NUMBER):
            words.append(self._advance())
        if len(words) == 1:
            return token
        raw = self._source.text[token.offset : words[-1].end]
        self._source.note("several-words", token.offset, assumed=True)
        return Token(Kind.NAME, identifier(raw) or token.text, token.offset, raw)

    def _joined_predicate(self, name: Token) -> Token:
        """Capitalised words before a bracket as one name, unless one of them is English."""
        steps = 0
        while self._after(steps).kind is Kind.NAME:
            steps += 1
        words = [name, *[self._after(step) for step in range(steps)]]
        if self._after(steps).kind is not Kind.OPEN or any(
            not word.text[0].isupper() or word.text.lower() in ENGLISH for word in words
        ):
            return name
        return self._joined(name)

    def _function(self, name: Token) -> Term:
        place = len(self._uses)
        terms = self._arguments(name)
        if not terms:
            return self._named_term(name)
        self._uses.insert(place, self._use(name, Role.FUNCTION, len(terms)))
        return Func(name.text, terms)

    def _named_term(self, token: Token) -> Term:
        if token.text in self._scope:
            self._variables.append(token)
            return Var(token.text)
        self._uses.append(self._use(token, Role.CONSTANT))
        return Const(token.text)

    @property
    def _at_number(self) -> bool:
        """Whether a minus sign and, right after it, a number follow."""
        sign, number = self._peek, self._after()
        return sign.kind is Kind.NOT and number.kind is Kind.NUMBER and sign.end == number.offset

    def _number(self) -> Const:
        sign = "-" if self._take(Kind.NOT) else ""
        value = Decimal(sign + self._advance().text)
        # 3, 3.0 and 03 are one number; a second minus sign before zero says nothing.
        plain = f"{value.normalize():f}"
        return Const("0" if value == 0 else plain)
