"""Atoms: predicates of terms, propositions and comparisons."""

from __future__ import annotations

from reviewscore.logic import syntax_errors
from reviewscore.logic.cursor import Cursor, Role
from reviewscore.logic.fol import LESS, Atom, Equal, Formula, Func, Not, Term
from reviewscore.logic.operators import COMPARISONS, EQUALS, QUANTIFIERS, Kind
from reviewscore.logic.tokens import Token

_PSEUDO = frozenset(
    ["no", "none", "every", "each", "some", "any", "most", "many", "few", "several"]
)


class Atoms(Cursor):
    """How a parser reads what holds no other formula."""

    def _atom(self) -> Formula:
        name = self._take(Kind.NAME)
        if name is None:
            return self._comparison(self._number())
        if self._source.lenient and self._peek.kind is Kind.NAME:
            name = self._joined_predicate(name)
        if self._peek.kind is Kind.OPEN:
            return self._application(name)
        if self._peek.kind in COMPARISONS:
            return self._comparison(self._named_term(name))
        if name.text in self._scope:
            raise syntax_errors.variable_as_formula(self._spot, name)
        if name.text.lower() in _PSEUDO and self._peek.kind is Kind.NAME:
            raise syntax_errors.pseudo_quantifier(self._spot, name)
        self._uses.append(self._use(name, Role.PREDICATE))
        return Atom(name.text)

    def _application(self, name: Token) -> Formula:
        """A predicate of terms, or a comparison that begins with a function of terms."""
        if name.text in self._scope:
            raise syntax_errors.variable_as_formula(self._spot, name)
        place = len(self._uses)
        terms = self._arguments(name)
        if self._peek.kind in COMPARISONS and terms and self._is_function(name):
            self._uses.insert(place, self._use(name, Role.FUNCTION, len(terms)))
            return self._comparison(Func(name.text, terms))
        self._uses.insert(place, self._use(name, Role.PREDICATE, len(terms)))
        return Atom(name.text, terms)

    def _is_function(self, name: Token) -> bool:
        if not name.text[0].isupper():
            return True
        sign, after = self._peek, self._after()
        if sign.kind not in EQUALS:
            if self._source.lenient:
                return True
            raise syntax_errors.capital_function(self._spot, name)
        if after.kind not in (Kind.NAME, Kind.NUMBER):
            return False
        formula = sign.text == "==" or self._after(2).kind is Kind.OPEN
        if not self._source.lenient and not formula:
            raise syntax_errors.capital_function(self._spot, name)
        return self._source.lenient

    def _comparison(self, left: Term) -> Formula:
        sign = self._peek
        if sign.kind not in COMPARISONS:
            raise syntax_errors.number_as_formula(self._spot)
        self._advance()
        if self._peek.kind in (Kind.OPEN, *QUANTIFIERS) or (
            self._peek.kind is Kind.NOT and not self._at_number
        ):
            raise syntax_errors.equals_between_formulas(self._spot, sign)
        if self._peek.kind not in (Kind.NAME, Kind.NUMBER, Kind.NOT):
            raise syntax_errors.name_expected(self._spot, sign)
        right = self._argument(sign)
        if self._peek.kind in COMPARISONS:
            raise syntax_errors.chained_comparison(self._spot, left, sign, right)
        return _compared(sign.kind, left, right)


def _compared(sign: Kind, left: Term, right: Term) -> Formula:
    match sign:
        case Kind.EQUAL:
            return Equal(left, right)
        case Kind.UNEQUAL:
            return Not(Equal(left, right))
        case Kind.LESS:
            return Atom(LESS, (left, right))
        case Kind.MORE:
            return Atom(LESS, (right, left))
        case Kind.AT_MOST:
            return Not(Atom(LESS, (right, left)))
        case _:  # at least
            return Not(Atom(LESS, (left, right)))
