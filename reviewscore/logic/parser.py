"""Text of a formula to its tree, with a position and a rewrite in every error.

The grammar, tightest first::

    term        name | number | name(term, ..., term)
    atom        Name | Name(term, ..., term) | term = term | term != term
                | term < term | term <= term | term > term | term >= term
    unary       -unary | quantified | ( formula ) | atom
    quantified  (forall|exists) x [, y ...] [.] body         several may stand in a row
    side        unary | unary & unary & ... | unary | unary | ... | unary xor unary
    formula     side | side -> side | side <-> side

- The body of a quantifier is the bracket that follows it: ``forall x (P(x)) -> Q`` is
  ``(forall x (P(x))) -> Q``. A row of quantifiers has one body. Without a bracket, the body
  reaches as far right as it can if the variable occurs there: ``forall x. P(x) -> Q(x)`` is
  ``forall x (P(x) -> Q(x))``; ``forall x. P(x) -> Q(a)`` has two readings and is an error.
- ``&``, ``|`` and ``xor`` bind tighter than arrows. They have no order among themselves: mixing
  them without brackets is an error, and so are chained arrows and a chained ``xor``.
- A name among arguments is a variable where a quantifier binds it and a constant elsewhere. A
  name that is bound in another part of the formula, or that looks like a variable (``u`` to
  ``z`` or ``U`` to ``Z``, perhaps with a digit), is never taken for a constant: it is an error (a
  free variable).
- Names of functions begin with a lower-case letter, so that a formula inside a predicate is not
  taken for one. Numbers are constants; different numbers are different individuals. Comparisons
  are a strict total order, under which numbers stand as usual; there is no other arithmetic.
- ``And(P, Q)``, ``Not(P)``, ``ForAll([x], P(x))`` and the like are read too, and ``![X]: p(X)``;
  all other spellings are in `operators`.

Lenient reading is for formulas that nobody can be asked about any more. It makes assumptions, and
notes each: see `lenient`, and ``NOTES`` in `lenient` for the names of all notes.

Written by hand rather than for a parser generator: the rule for bodies is not LALR, and each
error says what a model should write instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from reviewscore.errors import FormulaError
from reviewscore.logic import fol, lenient, syntax_errors
from reviewscore.logic.operators import (
    ARROWS,
    COMPARISONS,
    EQUALS,
    FUNCTIONS,
    JOINS,
    QUANTIFIERS,
    TokenKind,
)
from reviewscore.logic.syntax_errors import Spot
from reviewscore.logic.tokens import (
    ENGLISH,
    VARIABLE,
    FormulaText,
    ReadingNote,
    Token,
    identifier,
    tokenize,
)

MAX_DEPTH = 120
"""Most brackets, negations, quantifiers and functions inside one another."""


class NameRole(StrEnum):
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
    role: NameRole
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

    def __init__(self, source: FormulaText, tokens: tuple[Token, ...]) -> None:
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

    def _take(self, *kinds: TokenKind) -> Token | None:
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

    def _use(self, token: Token, role: NameRole, arity: int = 0) -> Use:
        return Use(token.text, role, arity, token.offset, token.raw)

    def _arguments(self, name: Token) -> tuple[fol.Term, ...]:
        """What stands in the brackets after a name; the opening one is next."""
        self._deeper(self._advance())
        terms: list[fol.Term] = []
        if self._peek.kind is TokenKind.CLOSE:
            self._source.note("no-arguments", self._peek.offset)
        else:
            terms.append(self._argument(name))
            while self._take(TokenKind.COMMA):
                terms.append(self._argument(name))
        if not self._take(TokenKind.CLOSE):
            raise syntax_errors.in_arguments(self._spot, name)
        self._depth -= 1
        return tuple(terms)

    def _argument(self, outer: Token) -> fol.Term:
        words = self._source.lenient and self._after().kind is TokenKind.NAME
        if self._at_number or (self._peek.kind is TokenKind.NUMBER and not words):
            return self._number()
        token = self._take(TokenKind.NAME, *([TokenKind.NUMBER] if words else []))
        if token is None:
            raise syntax_errors.in_arguments(self._spot, outer)
        if self._source.lenient:
            token = self._joined(token)
        if self._peek.kind is TokenKind.OPEN:
            if token.text[0].isupper() and not self._source.lenient:
                raise syntax_errors.nested(self._spot, token, outer)
            return self._function(token)
        return self._named_term(token)

    def _joined(self, token: Token) -> Token:
        """Several words in a row as one name, which is an assumption."""
        words = [token]
        while self._peek.kind in (TokenKind.NAME, TokenKind.NUMBER):
            words.append(self._advance())
        if len(words) == 1:
            return token
        raw = self._source.text[token.offset : words[-1].end]
        self._source.note("several-words", token.offset, assumed=True)
        return Token(TokenKind.NAME, identifier(raw) or token.text, token.offset, raw)

    def _joined_predicate(self, name: Token) -> Token:
        """Capitalised words before a bracket as one name, unless one of them is English."""
        steps = 0
        while self._after(steps).kind is TokenKind.NAME:
            steps += 1
        words = [name, *[self._after(step) for step in range(steps)]]
        if self._after(steps).kind is not TokenKind.OPEN or any(
            not word.text[0].isupper() or word.text.lower() in ENGLISH for word in words
        ):
            return name
        return self._joined(name)

    def _function(self, name: Token) -> fol.Term:
        place = len(self._uses)
        terms = self._arguments(name)
        if not terms:
            return self._named_term(name)
        self._uses.insert(place, self._use(name, NameRole.FUNCTION, len(terms)))
        return fol.Func(name.text, terms)

    def _named_term(self, token: Token) -> fol.Term:
        if token.text in self._scope:
            self._variables.append(token)
            return fol.Var(token.text)
        self._uses.append(self._use(token, NameRole.CONSTANT))
        return fol.Const(token.text)

    @property
    def _at_number(self) -> bool:
        """Whether a minus sign and, right after it, a number follow."""
        sign, number = self._peek, self._after()
        return (
            sign.kind is TokenKind.NOT
            and number.kind is TokenKind.NUMBER
            and sign.end == number.offset
        )

    def _number(self) -> fol.Const:
        sign = "-" if self._take(TokenKind.NOT) else ""
        value = Decimal(sign + self._advance().text)
        # 3, 3.0 and 03 are one number; a second minus sign before zero says nothing.
        plain = f"{value.normalize():f}"
        return fol.Const("0" if value == 0 else plain)


_PSEUDO = frozenset(
    ["no", "none", "every", "each", "some", "any", "most", "many", "few", "several"]
)


class Atoms(Cursor):
    """How a parser reads what holds no other formula."""

    def _atom(self) -> fol.Formula:
        name = self._take(TokenKind.NAME)
        if name is None:
            return self._comparison(self._number())
        if self._source.lenient and self._peek.kind is TokenKind.NAME:
            name = self._joined_predicate(name)
        if self._peek.kind is TokenKind.OPEN:
            return self._application(name)
        if self._peek.kind in COMPARISONS:
            return self._comparison(self._named_term(name))
        if name.text in self._scope:
            raise syntax_errors.variable_as_formula(self._spot, name)
        if name.text.lower() in _PSEUDO and self._peek.kind is TokenKind.NAME:
            raise syntax_errors.pseudo_quantifier(self._spot, name)
        self._uses.append(self._use(name, NameRole.PREDICATE))
        return fol.Atom(name.text)

    def _application(self, name: Token) -> fol.Formula:
        """A predicate of terms, or a comparison that begins with a function of terms."""
        if name.text in self._scope:
            raise syntax_errors.variable_as_formula(self._spot, name)
        place = len(self._uses)
        terms = self._arguments(name)
        if self._peek.kind in COMPARISONS and terms and self._is_function(name):
            self._uses.insert(place, self._use(name, NameRole.FUNCTION, len(terms)))
            return self._comparison(fol.Func(name.text, terms))
        self._uses.insert(place, self._use(name, NameRole.PREDICATE, len(terms)))
        return fol.Atom(name.text, terms)

    def _is_function(self, name: Token) -> bool:
        if not name.text[0].isupper():
            return True
        sign, after = self._peek, self._after()
        if sign.kind not in EQUALS:
            if self._source.lenient:
                return True
            raise syntax_errors.capital_function(self._spot, name)
        if after.kind not in (TokenKind.NAME, TokenKind.NUMBER):
            return False
        formula = sign.text == "==" or self._after(2).kind is TokenKind.OPEN
        if not self._source.lenient and not formula:
            raise syntax_errors.capital_function(self._spot, name)
        return self._source.lenient

    def _comparison(self, left: fol.Term) -> fol.Formula:
        sign = self._peek
        if sign.kind not in COMPARISONS:
            raise syntax_errors.number_as_formula(self._spot)
        self._advance()
        if self._peek.kind in (TokenKind.OPEN, *QUANTIFIERS) or (
            self._peek.kind is TokenKind.NOT and not self._at_number
        ):
            raise syntax_errors.equals_between_formulas(self._spot, sign)
        if self._peek.kind not in (TokenKind.NAME, TokenKind.NUMBER, TokenKind.NOT):
            raise syntax_errors.name_expected(self._spot, sign)
        right = self._argument(sign)
        if self._peek.kind in COMPARISONS:
            raise syntax_errors.chained_comparison(self._spot, left, sign, right)
        return _compared(sign.kind, left, right)


def _compared(sign: TokenKind, left: fol.Term, right: fol.Term) -> fol.Formula:
    match sign:
        case TokenKind.EQUAL:
            return fol.Equal(left, right)
        case TokenKind.UNEQUAL:
            return fol.Not(fol.Equal(left, right))
        case TokenKind.LESS:
            return fol.Atom(fol.LESS, (left, right))
        case TokenKind.MORE:
            return fol.Atom(fol.LESS, (right, left))
        case TokenKind.AT_MOST:
            return fol.Not(fol.Atom(fol.LESS, (right, left)))
        case _:  # at least
            return fol.Not(fol.Atom(fol.LESS, (left, right)))


def folded(operands: list[fol.Formula], joins: list[TokenKind]) -> fol.Formula:
    """Operands joined, `|` and `xor` last where they are mixed with `&`."""
    if not joins:
        return operands[0]
    last = next(kind for kind in (TokenKind.OR, TokenKind.XOR, TokenKind.AND) if kind in joins)
    groups: list[tuple[list[fol.Formula], list[TokenKind]]] = [([operands[0]], [])]
    for join, operand in zip(joins, operands[1:], strict=True):
        if join is last:
            groups.append(([operand], []))
        else:
            groups[-1][0].append(operand)
            groups[-1][1].append(join)
    parts = tuple([folded(*group) for group in groups])
    if last is TokenKind.XOR:
        return fol.Xor(parts[0], parts[1])
    return fol.And(parts) if last is TokenKind.AND else fol.Or(parts)


def made_of(kind: TokenKind, parts: list[fol.Formula]) -> fol.Formula | None:
    """A formula in function notation; None if it has the wrong number of parts."""
    if kind is TokenKind.NOT:
        return fol.Not(parts[0]) if len(parts) == 1 else None
    if kind in (TokenKind.AND, TokenKind.OR):
        if len(parts) == 1:
            return parts[0]
        return fol.And(tuple(parts)) if kind is TokenKind.AND else fol.Or(tuple(parts))
    if len(parts) != len(("left", "right")):
        return None
    left, right = parts
    if kind is TokenKind.XOR:
        return fol.Xor(left, right)
    return fol.Implies(left, right) if kind is TokenKind.IMPLIES else fol.Iff(left, right)


MAX_QUANTIFIERS = 12
"""Most quantifiers inside one another."""

_LETTER = re.compile(r"[A-Za-z][0-9]?")


@dataclass(frozen=True, slots=True)
class ParsedFormula:
    """A parsed formula, where its names occur in reading order, and what was noted."""

    formula: fol.Formula
    uses: tuple[Use, ...]
    source: FormulaText
    notes: tuple[ReadingNote, ...]


def parse(text: str) -> fol.Formula:
    """The tree of a formula, read strictly.

    Raises:
        FormulaError: The text is not a formula of the grammar above.
    """
    return read(text).formula


def read(text: str, *, lenient: bool = False) -> ParsedFormula:
    """The tree of a formula, with the place of each name.

    Args:
        text: The formula.
        lenient: Make and note assumptions where the strict grammar refuses.

    Raises:
        FormulaError: The text is not a formula of the grammar above.
    """
    source, tokens = tokenize(text, lenient=lenient)
    return _Parser(source, tokens).reading()


class _Parser(Atoms):
    """Recursive descent over tokens; nesting is limited, so recursion is too."""

    def __init__(self, source: FormulaText, tokens: tuple[Token, ...]) -> None:
        if source.lenient:
            tokens = lenient.balanced(source, lenient.reworded(source, tokens))
        super().__init__(source, tokens)

    def reading(self) -> ParsedFormula:
        formula = self._formula()
        if self._peek.kind is not TokenKind.END:
            raise syntax_errors.not_the_end(self._spot)
        leaked = [
            use
            for use in self._uses
            if use.role is NameRole.CONSTANT
            and (use.name in self._bound or VARIABLE.fullmatch(use.name))
        ]
        if leaked and not self._source.lenient:
            first = leaked[0]
            raise syntax_errors.free_variable(
                self._source, first.name, first.offset, formula, bound=first.name in self._bound
            )
        if leaked:
            formula = lenient.bound(
                formula, [(use.name, use.offset) for use in leaked], self._source
            )
        names = {use.name for use in leaked}
        uses = [
            use for use in self._uses if use.role is not NameRole.CONSTANT or use.name not in names
        ]
        return ParsedFormula(formula, tuple(uses), self._source, tuple(self._source.notes))

    def _formula(self) -> fol.Formula:
        sides, arrows = [self._side()], list[Token]()
        depth = self._depth
        while arrow := self._arrow():
            if arrows and not self._may_chain(arrows[-1], arrow):
                raise syntax_errors.chained_arrows(self._spot, sides[-2], arrows[-1], sides[-1])
            self._advance()
            if arrows:
                self._deeper(arrow)
            arrows.append(arrow)
            sides.append(self._side())
        self._depth = depth
        formula = sides.pop()
        for arrow in reversed(arrows):
            left = sides.pop()
            kind = fol.Implies if arrow.kind is TokenKind.IMPLIES else fol.Iff
            formula = kind(left, formula)
        return formula

    def _arrow(self) -> Token | None:
        """An arrow that stands next; ``==`` after a formula is one, ``=`` leniently too."""
        sign = self._peek
        if sign.kind in ARROWS:
            return sign
        if sign.kind not in EQUALS:
            return None
        if sign.kind is TokenKind.EQUAL and (sign.text == "==" or self._source.lenient):
            if sign.text != "==":
                self._source.note("equals-as-iff", sign.offset, assumed=True)
            return sign._replace(kind=TokenKind.IFF)
        raise syntax_errors.equals_between_formulas(self._spot, sign)

    def _may_chain(self, before: Token, arrow: Token) -> bool:
        both = before.kind is arrow.kind is TokenKind.IMPLIES
        if both and self._source.lenient:
            self._source.note("chain", arrow.offset, assumed=True)
        return both and self._source.lenient

    def _side(self) -> fol.Formula:
        operands, joins = [self._unary()], list[TokenKind]()
        while self._peek.kind in JOINS:
            if joins and not self._may_join(joins):
                raise syntax_errors.mixed(self._spot, folded(operands, joins), joins[-1])
            joins.append(self._advance().kind)
            operands.append(self._unary())
        return folded(operands, joins)

    def _may_join(self, joins: list[TokenKind]) -> bool:
        join = self._peek.kind
        kinds = {*joins, join}
        if kinds == {join}:
            return join is not TokenKind.XOR
        # `&` binds tighter than `|` by custom; with `xor` there is no custom beyond one of it.
        others = kinds - {TokenKind.AND}
        known = (
            TokenKind.AND in kinds and len(others) == 1 and [*joins, join].count(TokenKind.XOR) <= 1
        )
        if known and self._source.lenient:
            self._source.note("precedence", self._peek.offset, assumed=True)
        return known and self._source.lenient

    def _unary(self) -> fol.Formula:
        signs = 0
        while self._peek.kind is TokenKind.NOT and not self._at_number and not self._at_list:
            self._deeper(self._advance())
            signs += 1
        body = self._positive()
        self._depth -= signs
        for _ in range(signs):
            body = fol.Not(body)
        return body

    @property
    def _at_list(self) -> bool:
        """Whether a quantifier of the form ``![X]`` follows."""
        return self._peek.raw in ("!", "?") and self._after().kind is TokenKind.OPEN_LIST

    def _positive(self) -> fol.Formula:
        kind = self._peek.kind
        if kind in QUANTIFIERS or self._at_list or self._at_bracketed_quantifier:
            return self._quantified()
        if kind in (TokenKind.OPEN, TokenKind.OPEN_LIST):
            return self._bracket()
        if kind is TokenKind.NAME and self._at_function_notation:
            return self._function_notation()
        if kind in (TokenKind.NAME, TokenKind.NUMBER) or self._at_number:
            return self._atom()
        raise syntax_errors.formula_expected(self._spot)

    @property
    def _at_bracketed_quantifier(self) -> bool:
        kinds = [self._after(steps).kind for steps in range(4)]
        return (
            kinds[0] is TokenKind.OPEN
            and kinds[1] in QUANTIFIERS
            and kinds[2:] == [TokenKind.NAME, TokenKind.CLOSE]
        )

    def _bracket(self) -> fol.Formula:
        opening = self._advance()
        self._deeper(opening)
        inner = self._formula()
        closing = TokenKind.CLOSE if opening.kind is TokenKind.OPEN else TokenKind.CLOSE_LIST
        if not self._take(closing):
            if self._peek.kind is not TokenKind.END:
                raise syntax_errors.not_the_end(self._spot)
            raise self._error(
                "unclosed-bracket",
                f"The bracket opened here is never closed; add {closing.value}.",
                opening,
            )
        self._depth -= 1
        return inner

    @property
    def _at_function_notation(self) -> bool:
        kind = FUNCTIONS.get(self._peek.raw)
        if kind is None or self._after().kind is not TokenKind.OPEN:
            return False
        # ``Exists(a)`` is a predicate.
        return kind not in QUANTIFIERS or self._after(3).kind is not TokenKind.CLOSE

    def _function_notation(self) -> fol.Formula:
        word = self._advance()
        self._deeper(self._advance())
        kind = FUNCTIONS[word.raw]
        made = self._called_quantifier(kind) if kind in QUANTIFIERS else self._called(word, kind)
        if not self._take(TokenKind.CLOSE):
            raise syntax_errors.in_function_notation(self._spot, word)
        self._depth -= 1
        return made

    def _called_quantifier(self, kind: TokenKind) -> fol.Formula:
        listed = self._take(TokenKind.OPEN_LIST)
        scope = len(self._scope)
        variables = [self._bind(self._peek)]
        while listed and self._take(TokenKind.COMMA):
            variables.append(self._bind(self._peek))
        if (listed and not self._take(TokenKind.CLOSE_LIST)) or not self._take(TokenKind.COMMA):
            raise self._error(
                "no-variable", "After ForAll( or Exists( write [x, y], and then the formula."
            )
        body = self._formula()
        del self._scope[scope:]
        self._depth -= len(variables)
        for variable in reversed(variables):
            body = (
                fol.ForAll(variable, body)
                if kind is TokenKind.FORALL
                else fol.Exists(variable, body)
            )
        return body

    def _called(self, word: Token, kind: TokenKind) -> fol.Formula:
        listed = self._take(TokenKind.OPEN_LIST)
        parts = [self._formula()]
        while self._take(TokenKind.COMMA):
            parts.append(self._formula())
        if listed and not self._take(TokenKind.CLOSE_LIST):
            raise syntax_errors.in_function_notation(self._spot, word)
        made = made_of(kind, parts)
        if made is None:
            raise syntax_errors.wrong_number_of_parts(self._spot, word, len(parts))
        return made

    def _quantified(self) -> fol.Formula:
        depth, scope = self._depth, len(self._scope)
        prefix: list[tuple[TokenKind, str]] = []
        while self._peek.kind in QUANTIFIERS or self._at_list or self._at_bracketed_quantifier:
            wrapped = self._take(TokenKind.OPEN)
            quantifier = self._advance()
            kind = TokenKind.FORALL if quantifier.kind is TokenKind.NOT else quantifier.kind
            prefix += [(kind, variable) for variable in self._listed(quantifier)]
            if wrapped:
                self._advance()
            self._take(TokenKind.DOT, TokenKind.COLON)
        bracketed = self._peek.kind in (TokenKind.OPEN, TokenKind.OPEN_LIST)
        body = self._bracket() if bracketed else self._open_body(scope)
        self._depth = depth
        del self._scope[scope:]
        for bound_by, variable in reversed(prefix):
            body = (
                fol.ForAll(variable, body)
                if bound_by is TokenKind.FORALL
                else fol.Exists(variable, body)
            )
        return body

    def _listed(self, quantifier: Token) -> list[str]:
        """The variables after a quantifier, with commas, with spaces or in square brackets."""
        bracket = self._take(TokenKind.OPEN_LIST)
        variables = [self._bind(quantifier)]
        while self._take(TokenKind.COMMA) or self._another_variable:
            variables.append(self._bind(quantifier))
        if bracket and not self._take(TokenKind.CLOSE_LIST):
            raise self._error("no-variable", "The list of variables is not closed; add ']'.")
        return variables

    @property
    def _another_variable(self) -> bool:
        """Whether a name that follows a variable is one more, as in ``all x y. (..)``."""
        name, after = self._peek, self._after().kind
        if name.kind is not TokenKind.NAME or not _LETTER.fullmatch(name.text):
            return False
        if after is TokenKind.OPEN:
            return VARIABLE.fullmatch(name.text) is not None
        return after in (
            TokenKind.NAME,
            TokenKind.DOT,
            TokenKind.COLON,
            TokenKind.COMMA,
            *QUANTIFIERS,
        )

    def _open_body(self, scope: int) -> fol.Formula:
        """A body without a bracket: as wide as it can be, if a variable of the row is there."""
        state = self._state()
        tight = self._unary()
        if self._peek.kind not in (*JOINS, *ARROWS):
            return tight
        end = self._peek
        after_tight = self._state()
        mine = set(self._scope[scope:])
        self._back_to(state)
        wide = self._formula()
        if any(
            variable.text in mine and variable.offset > end.offset for variable in self._variables
        ):
            return wide
        if not self._source.lenient:
            raise syntax_errors.ambiguous_scope(self._spot, end, tight)
        self._back_to(state)
        tight = self._unary()
        assert self._next == after_tight.next
        self._source.note("narrow-scope", end.offset, assumed=True)
        return tight

    def _bind(self, quantifier: Token) -> str:
        variable = self._take(TokenKind.NAME)
        if variable is None:
            raise self._error(
                "no-variable",
                f"After {quantifier.described} a variable is expected, not "
                f"{self._peek.described}; write {quantifier.sign} x (...).",
            )
        self._deeper(variable)
        if variable.text in self._scope:
            if not self._source.lenient:
                raise syntax_errors.shadowed(self._spot, variable)
            self._source.note("shadowed", variable.offset, assumed=True)
        self._scope.append(variable.text)
        self._bound.add(variable.text)
        if len(self._scope) > MAX_QUANTIFIERS:
            raise self._error(
                "too-many-quantifiers",
                f"More than {MAX_QUANTIFIERS} quantifiers are nested; split the formula.",
                quantifier,
            )
        return variable.text
