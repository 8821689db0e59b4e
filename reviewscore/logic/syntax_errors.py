"""Why a text is not a formula, in sentences that say what to write instead."""

from __future__ import annotations

from typing import NamedTuple

from reviewscore.errors import FormulaError
from reviewscore.logic.fol import Formula, Term
from reviewscore.logic.lenient import widened
from reviewscore.logic.operators import EQUALS, QUANTIFIERS, TokenKind
from reviewscore.logic.printer import term_text, to_text
from reviewscore.logic.tokens import ENGLISH, FormulaText, Token, identifier

_REWRITE_UP_TO = 300
"""Longer rewrites, in characters, are left out of messages."""

_OPERATORS = (
    TokenKind.NOT,
    TokenKind.AND,
    TokenKind.OR,
    TokenKind.XOR,
    TokenKind.IMPLIES,
    TokenKind.IFF,
)


class Spot(NamedTuple):
    """Where a parser stands: the text, the token before, the token it found, the one after."""

    source: FormulaText
    before: Token | None
    found: Token
    after: Token | None

    def error(self, code: str, message: str, at: Token | None = None) -> FormulaError:
        """An error at a token, or at the one that was found."""
        return self.source.error(code, message, (at or self.found).offset)


def _write(*rewrites: str) -> str:
    """One or two rewrites as the end of a clause; only the cure if they are too long to help."""
    text = " or ".join(rewrites)
    return f"write {text}" if len(text) <= _REWRITE_UP_TO else "add brackets"


def formula_expected(spot: Spot) -> FormulaError:
    """Something stands where a formula must begin."""
    place = f" after {spot.before.described}" if spot.before else ""
    return spot.error(
        "formula-expected",
        f"A formula is expected{place}, such as P(a), -P(a) or a bracket, not "
        f"{spot.found.described}.",
    )


def not_the_end(spot: Spot) -> FormulaError:
    """A complete formula is followed by something that cannot follow it."""
    token, before = spot.found, spot.before
    if token.kind is TokenKind.CLOSE:
        return spot.error(
            "extra-bracket", "This ')' closes no bracket; remove it or open one before."
        )
    if token.kind is TokenKind.COMMA:
        return spot.error("comma", "',' only separates arguments; write & for 'and'.")
    if before and before.kind is TokenKind.NAME:
        return _after_a_name(spot, before)
    return _operator_expected(spot)


def _after_a_name(spot: Spot, before: Token) -> FormulaError:
    token = spot.found
    if token.text == "-" and token.offset == before.end and spot.after:
        return spot.error(
            "hyphen", f"Names hold no hyphens; write {before.text}_{spot.after.text} as one name."
        )
    if token.kind is TokenKind.NAME and before.text.lower() in ENGLISH:
        return spot.error(
            "english",
            f"'{before.text} {token.text}' is English, not a formula; write forall x (...), "
            "exists x (...) and the operators - & | xor -> <-> instead of words.",
            before,
        )
    if token.kind is TokenKind.NAME:
        return spot.error(
            "english",
            f"'{before.text} {token.text}' is not a formula: names are one word, and formulas "
            f"are joined by operators; write {before.text}_{token.text} as one name or put an "
            "operator (& | -> <->) between them.",
            before,
        )
    return _operator_expected(spot)


def _operator_expected(spot: Spot) -> FormulaError:
    before = f"After {spot.before.described} an" if spot.before else "An"
    return spot.error(
        "operator-expected",
        f"{before} operator (& | xor -> <->) or the end is expected, not {spot.found.described}.",
    )


def mixed(spot: Spot, joined: Formula, join: TokenKind) -> FormulaError:
    """`&`, `|` and `xor` follow each other without brackets."""
    rewrite = _write(f"({to_text(joined)}) {spot.found.sign} ...")
    if spot.found.kind is join:
        return spot.error("chained-xor", f"A second 'xor' follows without brackets; {rewrite}.")
    return spot.error(
        "mixed-operators",
        f"{join.value} and {spot.found.kind.value} are mixed without brackets; {rewrite}, if that "
        "is meant.",
    )


def chained_arrows(spot: Spot, left: Formula, arrow: Token, right: Formula) -> FormulaError:
    """An arrow follows the right side of an arrow."""
    a, b = (f"({to_text(side)})" for side in (left, right))
    first, then = arrow.sign, spot.found.sign
    rewrite = _write(f"({a} {first} {b}) {then} ...", f"{a} {first} ({b} {then} ...)")
    return spot.error(
        "chained-arrows",
        f"A second arrow {spot.found.described} follows without brackets; {rewrite}.",
    )


def in_arguments(spot: Spot, predicate: Token) -> FormulaError:
    """Something other than names and commas stands among the arguments of a predicate."""
    token, before, name = spot.found, spot.before, predicate.text
    words = (TokenKind.NAME, TokenKind.NUMBER)
    if before and before.kind in words and (token.kind in words or token.text == "-"):
        rest = spot.after if token.text == "-" else token
        joined = identifier(f"{before.raw} {rest.raw if rest else ''}")
        return spot.error("two-words", f"A name is one word; write {joined}.", before)
    if token.kind is TokenKind.END:
        return spot.error("unclosed-bracket", f"The bracket of {name}( is never closed; add ')'.")
    if token.kind in (TokenKind.OPEN, *_OPERATORS, *QUANTIFIERS, *EQUALS):
        return spot.error(
            "nested-formula",
            f"{token.described} stands inside {name}(...), where only names separated by commas "
            f"are allowed; write operators outside of it, such as {name}(a) & {name}(b).",
        )
    return spot.error(
        "argument",
        f"Inside {name}(...) names separated by commas are expected, not {token.described}.",
    )


def nested(spot: Spot, inner: Token, predicate: Token) -> FormulaError:
    """A predicate, or a function, stands among the arguments of a predicate."""
    small = inner.text[0].lower() + inner.text[1:]
    return spot.error(
        "nested-formula",
        f"{inner.raw}(...) stands inside {predicate.raw}(...), where no formula can stand; write "
        f"one predicate for both, such as {predicate.text}_{inner.text}(a), or, if it names one "
        f"individual, a function with a small letter: {small}(...).",
        inner,
    )


def capital_function(spot: Spot, name: Token) -> FormulaError:
    """A comparison of what looks like a predicate."""
    small = name.text[0].lower() + name.text[1:]
    return spot.error(
        "capital-function",
        f"{name.raw}(...) stands beside {spot.found.described} as if it named something; functions "
        f"begin with a small letter: write {small}(...).",
        name,
    )


def in_function_notation(spot: Spot, word: Token) -> FormulaError:
    """The list of parts of ``And(...)`` and the like goes wrong."""
    return spot.error(
        "function-notation",
        f"Inside {word.raw}(...) formulas separated by commas and then ')' are expected, not "
        f"{spot.found.described}.",
    )


def wrong_number_of_parts(spot: Spot, word: Token, parts: int) -> FormulaError:
    """``Not`` of two formulas, or ``Implies`` of one or three."""
    wanted = "one formula" if word.raw == "Not" else "two formulas"
    return spot.error(
        "function-notation", f"{word.raw}(...) has {wanted} inside, not {parts}.", word
    )


def ambiguous_scope(spot: Spot, operator: Token, body: Formula) -> FormulaError:
    """An operator follows an unbracketed body, and the variable does not occur after it."""
    return spot.error(
        "ambiguous-scope",
        f"Does {operator.described} belong to the quantifier's body or not? Put the body in "
        f"brackets: {_write(f'... ({to_text(body)}) {operator.sign} ...')} if it does not, or "
        "close the bracket at the end if it does.",
        operator,
    )


def shadowed(spot: Spot, variable: Token) -> FormulaError:
    """A quantifier binds a variable that is bound already."""
    return spot.error(
        "shadowed-variable",
        f"The variable '{variable.text}' is bound already by a quantifier around this one; use "
        "another variable here.",
        variable,
    )


def variable_as_formula(spot: Spot, name: Token) -> FormulaError:
    """A bound variable stands alone or as a predicate."""
    return spot.error(
        "variable-as-formula",
        f"The variable '{name.text}' stands where a formula is expected; "
        f"say something of it, such as P({name.text}).",
        name,
    )


def pseudo_quantifier(spot: Spot, word: Token) -> FormulaError:
    """``no x`` and the like."""
    after = spot.found.text
    return spot.error(
        "pseudo-quantifier",
        f"'{word.raw}' is not a quantifier; there are only forall and exists: "
        f"write -exists {after} (...) for 'no', exists {after} (...) for 'some', "
        f"forall {after} (...) for 'every'.",
        word,
    )


def number_as_formula(spot: Spot) -> FormulaError:
    """A number stands where a formula must begin."""
    number = spot.before or spot.found
    return spot.error(
        "number-as-formula",
        f"The number {number.text} is no formula; a comparison, such as {number.text} < size(a), "
        "is one.",
        number,
    )


def name_expected(spot: Spot, sign: Token) -> FormulaError:
    """Nothing that could be compared follows a comparison sign."""
    return spot.error(
        "name-expected",
        f"After {sign.described} a name or a number is expected, such as a {sign.sign} b, "
        f"not {spot.found.described}.",
    )


def chained_comparison(spot: Spot, left: Term, sign: Token, right: Term) -> FormulaError:
    """A comparison follows a comparison."""
    a, b = term_text(left), term_text(right)
    return spot.error(
        "chained-equality",
        f"Two comparisons in a row; write ({a} {sign.sign} {b}) & ({b} {spot.found.sign} ...).",
    )


def equals_between_formulas(spot: Spot, sign: Token) -> FormulaError:
    """`=` or `!=` beside something that is not the name of an individual."""
    instead = "xor" if sign.kind is TokenKind.UNEQUAL else "<->"
    return spot.error(
        "equals-between-formulas",
        f"{sign.described} stands between names of individuals only, not beside P(...) or a "
        f"bracket; between formulas write {instead}.",
        sign,
    )


def free_variable(
    source: FormulaText, name: str, offset: int, formula: Formula, *, bound: bool
) -> FormulaError:
    """A variable stands where no quantifier reaches it."""
    rewrite = widened(formula, [name])
    if rewrite is not None:
        message = (
            f"The variable '{name}' stands outside its quantifier, whose body ends with its "
            f"bracket; {_write(to_text(rewrite))}, if that is meant."
        )
    elif bound:
        message = (
            f"The variable '{name}' stands outside its quantifier, whose body ends with its "
            "bracket; put everything that it speaks about into one bracket after the quantifier."
        )
    else:
        message = (
            f"No quantifier binds the variable '{name}'; "
            f"{_write(f'forall {name} ({to_text(formula)})')} if it holds of everything, or use "
            "the name of one individual."
        )
    return source.error("free-variable", message, offset)
