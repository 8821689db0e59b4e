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
  all other spellings are in `signs`.

Lenient reading is for formulas that nobody can be asked about any more. It makes assumptions, and
notes each: see `lenient`, and ``NOTES`` in `lenient` for the names of all notes.

Written by hand rather than for a parser generator: the rule for bodies is not LALR, and each
error says what a model should write instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reviewscore.logic import (
    lenient,
    syntax_errors,
)
from reviewscore.logic.atoms import Atoms
from reviewscore.logic.build import folded, made_of
from reviewscore.logic.cursor import Role, Use
from reviewscore.logic.fol import Exists, ForAll, Formula, Iff, Implies, Not
from reviewscore.logic.names import VARIABLE
from reviewscore.logic.operators import (
    ARROWS,
    EQUALS,
    FUNCTIONS,
    JOINS,
    QUANTIFIERS,
    Kind,
)
from reviewscore.logic.tokens import Note, Source, Token, tokenize

MAX_QUANTIFIERS = 12
"""Most quantifiers inside one another."""

_LETTER = re.compile(r"[A-Za-z][0-9]?")


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed formula, where its names occur in reading order, and what was noted."""

    formula: Formula
    uses: tuple[Use, ...]
    source: Source
    notes: tuple[Note, ...]


def parse(text: str) -> Formula:
    """The tree of a formula, read strictly.

    Raises:
        FormulaError: The text is not a formula of the grammar above.
    """
    return read(text).formula


def read(text: str, *, lenient: bool = False) -> Reading:
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

    def __init__(self, source: Source, tokens: tuple[Token, ...]) -> None:
        if source.lenient:
            tokens = lenient.balanced(source, lenient.reworded(source, tokens))
        super().__init__(source, tokens)

    def reading(self) -> Reading:
        formula = self._formula()
        if self._peek.kind is not Kind.END:
            raise syntax_errors.not_the_end(self._spot)
        leaked = [
            use
            for use in self._uses
            if use.role is Role.CONSTANT
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
        uses = [one for one in self._uses if one.role is not Role.CONSTANT or one.name not in names]
        return Reading(formula, tuple(uses), self._source, tuple(self._source.notes))

    def _formula(self) -> Formula:
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
            kind = Implies if arrow.kind is Kind.IMPLIES else Iff
            formula = kind(left, formula)
        return formula

    def _arrow(self) -> Token | None:
        """An arrow that stands next; ``==`` after a formula is one, ``=`` leniently too."""
        sign = self._peek
        if sign.kind in ARROWS:
            return sign
        if sign.kind not in EQUALS:
            return None
        if sign.kind is Kind.EQUAL and (sign.text == "==" or self._source.lenient):
            if sign.text != "==":
                self._source.note("equals-as-iff", sign.offset, assumed=True)
            return sign._replace(kind=Kind.IFF)
        raise syntax_errors.equals_between_formulas(self._spot, sign)

    def _may_chain(self, before: Token, arrow: Token) -> bool:
        both = before.kind is arrow.kind is Kind.IMPLIES
        if both and self._source.lenient:
            self._source.note("chain", arrow.offset, assumed=True)
        return both and self._source.lenient

    def _side(self) -> Formula:
        operands, joins = [self._unary()], list[Kind]()
        while self._peek.kind in JOINS:
            if joins and not self._may_join(joins):
                raise syntax_errors.mixed(self._spot, folded(operands, joins), joins[-1])
            joins.append(self._advance().kind)
            operands.append(self._unary())
        return folded(operands, joins)

    def _may_join(self, joins: list[Kind]) -> bool:
        join = self._peek.kind
        kinds = {*joins, join}
        if kinds == {join}:
            return join is not Kind.XOR
        # `&` binds tighter than `|` by custom; with `xor` there is no custom beyond one of it.
        others = kinds - {Kind.AND}
        known = Kind.AND in kinds and len(others) == 1 and [*joins, join].count(Kind.XOR) <= 1
        if known and self._source.lenient:
            self._source.note("precedence", self._peek.offset, assumed=True)
        return known and self._source.lenient

    def _unary(self) -> Formula:
        signs = 0
        while self._peek.kind is Kind.NOT and not self._at_number and not self._at_list:
            self._deeper(self._advance())
            signs += 1
        body = self._positive()
        self._depth -= signs
        for _ in range(signs):
            body = Not(body)
        return body

    @property
    def _at_list(self) -> bool:
        """Whether a quantifier of the form ``![X]`` follows."""
        return self._peek.raw in ("!", "?") and self._after().kind is Kind.OPEN_LIST

    def _positive(self) -> Formula:
        kind = self._peek.kind
        if kind in QUANTIFIERS or self._at_list or self._at_bracketed_quantifier:
            return self._quantified()
        if kind in (Kind.OPEN, Kind.OPEN_LIST):
            return self._bracket()
        if kind is Kind.NAME and self._at_function_notation:
            return self._function_notation()
        if kind in (Kind.NAME, Kind.NUMBER) or self._at_number:
            return self._atom()
        raise syntax_errors.formula_expected(self._spot)

    @property
    def _at_bracketed_quantifier(self) -> bool:
        kinds = [self._after(steps).kind for steps in range(4)]
        return (
            kinds[0] is Kind.OPEN
            and kinds[1] in QUANTIFIERS
            and kinds[2:] == [Kind.NAME, Kind.CLOSE]
        )

    def _bracket(self) -> Formula:
        opening = self._advance()
        self._deeper(opening)
        inner = self._formula()
        closing = Kind.CLOSE if opening.kind is Kind.OPEN else Kind.CLOSE_LIST
        if not self._take(closing):
            if self._peek.kind is not Kind.END:
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
        if kind is None or self._after().kind is not Kind.OPEN:
            return False
        # ``Exists(a)`` is a predicate.
        return kind not in QUANTIFIERS or self._after(3).kind is not Kind.CLOSE

    def _function_notation(self) -> Formula:
        word = self._advance()
        self._deeper(self._advance())
        kind = FUNCTIONS[word.raw]
        made = self._called_quantifier(kind) if kind in QUANTIFIERS else self._called(word, kind)
        if not self._take(Kind.CLOSE):
            raise syntax_errors.in_function_notation(self._spot, word)
        self._depth -= 1
        return made

    def _called_quantifier(self, kind: Kind) -> Formula:
        listed = self._take(Kind.OPEN_LIST)
        scope = len(self._scope)
        variables = [self._bind(self._peek)]
        while listed and self._take(Kind.COMMA):
            variables.append(self._bind(self._peek))
        if (listed and not self._take(Kind.CLOSE_LIST)) or not self._take(Kind.COMMA):
            raise self._error(
                "no-variable", "After ForAll( or Exists( write [x, y], and then the formula."
            )
        body = self._formula()
        del self._scope[scope:]
        self._depth -= len(variables)
        for variable in reversed(variables):
            body = ForAll(variable, body) if kind is Kind.FORALL else Exists(variable, body)
        return body

    def _called(self, word: Token, kind: Kind) -> Formula:
        listed = self._take(Kind.OPEN_LIST)
        parts = [self._formula()]
        while self._take(Kind.COMMA):
            parts.append(self._formula())
        if listed and not self._take(Kind.CLOSE_LIST):
            raise syntax_errors.in_function_notation(self._spot, word)
        made = made_of(kind, parts)
        if made is None:
            raise syntax_errors.wrong_number_of_parts(self._spot, word, len(parts))
        return made

    def _quantified(self) -> Formula:
        depth, scope = self._depth, len(self._scope)
        prefix: list[tuple[Kind, str]] = []
        while self._peek.kind in QUANTIFIERS or self._at_list or self._at_bracketed_quantifier:
            wrapped = self._take(Kind.OPEN)
            quantifier = self._advance()
            kind = Kind.FORALL if quantifier.kind is Kind.NOT else quantifier.kind
            prefix += [(kind, variable) for variable in self._listed(quantifier)]
            if wrapped:
                self._advance()
            self._take(Kind.DOT, Kind.COLON)
        bracketed = self._peek.kind in (Kind.OPEN, Kind.OPEN_LIST)
        body = self._bracket() if bracketed else self._open_body(scope)
        self._depth = depth
        del self._scope[scope:]
        for bound_by, variable in reversed(prefix):
            body = ForAll(variable, body) if bound_by is Kind.FORALL else Exists(variable, body)
        return body

    def _listed(self, quantifier: Token) -> list[str]:
        """The variables after a quantifier, with commas, with spaces or in square brackets."""
        bracket = self._take(Kind.OPEN_LIST)
        variables = [self._bind(quantifier)]
        while self._take(Kind.COMMA) or self._another_variable:
            variables.append(self._bind(quantifier))
        if bracket and not self._take(Kind.CLOSE_LIST):
            raise self._error("no-variable", "The list of variables is not closed; add ']'.")
        return variables

    @property
    def _another_variable(self) -> bool:
        """Whether a name that follows a variable is one more, as in ``all x y. (..)``."""
        name, after = self._peek, self._after().kind
        if name.kind is not Kind.NAME or not _LETTER.fullmatch(name.text):
            return False
        if after is Kind.OPEN:
            return VARIABLE.fullmatch(name.text) is not None
        return after in (Kind.NAME, Kind.DOT, Kind.COLON, Kind.COMMA, *QUANTIFIERS)

    def _open_body(self, scope: int) -> Formula:
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
        if any(one.text in mine and one.offset > end.offset for one in self._variables):
            return wide
        if not self._source.lenient:
            raise syntax_errors.ambiguous_scope(self._spot, end, tight)
        self._back_to(state)
        tight = self._unary()
        assert self._next == after_tight.next
        self._source.note("narrow-scope", end.offset, assumed=True)
        return tight

    def _bind(self, quantifier: Token) -> str:
        variable = self._take(Kind.NAME)
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
