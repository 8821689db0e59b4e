"""Text of a formula to tokens, with the guards that stand before parsing.

Meaning is never guessed. What is dropped silently cannot change it: a leading label (``P1:``), a
trailing ``::: English`` and the final full stop; operators have several spellings.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from reviewscore.errors import FormulaError

MAX_CHARACTERS = 20_000
MAX_TOKENS = 4_000


class Kind(Enum):
    """Kind of a token; the value is how messages name it."""

    NAME = "a name"
    FORALL = "'forall'"
    EXISTS = "'exists'"
    NOT = "'-'"
    AND = "'&'"
    OR = "'|'"
    XOR = "'xor'"
    IMPLIES = "'->'"
    IFF = "'<->'"
    EQUAL = "'='"
    UNEQUAL = "'!='"
    OPEN = "'('"
    CLOSE = "')'"
    COMMA = "','"
    DOT = "'.'"
    COLON = "':'"
    END = "the end of the formula"


class Token(NamedTuple):
    """One token and the 0-based offset of its first character."""

    kind: Kind
    text: str
    offset: int

    @property
    def described(self) -> str:
        """How messages name this token."""
        return self.kind.value if self.kind is Kind.END else f"'{self.text}'"

    @property
    def sign(self) -> str:
        """The operator in its ASCII spelling."""
        return self.kind.value.strip("'")

    @property
    def end(self) -> int:
        """Offset just after the token."""
        return self.offset + len(self.text)


@dataclass(frozen=True)
class Source:
    """The text of a formula, for positions in messages."""

    text: str

    def error(self, code: str, message: str, offset: int) -> FormulaError:
        """An error at an offset, told as 1-based line and column."""
        line = self.text.count("\n", 0, offset) + 1
        column = offset - (self.text.rfind("\n", 0, offset) + 1) + 1
        return FormulaError(code, message, line=line, column=column)


SPELLINGS: dict[Kind, tuple[str, ...]] = {
    Kind.IFF: ("<->", "<=>", "↔", "⇔", "≡"),
    Kind.IMPLIES: ("->", "=>", "→", "⇒", "⟶"),
    Kind.AND: ("&&", "&", "∧", "/\\"),
    Kind.OR: ("||", "|", "∨", "\\/"),
    Kind.XOR: ("⊕",),
    Kind.UNEQUAL: ("!=", "≠"),
    Kind.EQUAL: ("==", "="),
    Kind.NOT: ("¬", "~", "!", "-"),
    Kind.FORALL: ("∀",),
    Kind.EXISTS: ("∃",),
    Kind.OPEN: ("(",),
    Kind.CLOSE: (")",),
    Kind.COMMA: (",",),
    Kind.DOT: (".",),
    Kind.COLON: (":",),
}
WORDS: dict[Kind, tuple[str, ...]] = {
    Kind.AND: ("and",),
    Kind.OR: ("or",),
    Kind.XOR: ("xor",),
    Kind.NOT: ("not",),
    Kind.FORALL: ("forall", "all"),
    Kind.EXISTS: ("exists",),
}
QUANTIFIERS = (Kind.FORALL, Kind.EXISTS)

_KIND_OF = {spelling: kind for kind, all_of in SPELLINGS.items() for spelling in all_of}
_WORD_OF = {word: kind for kind, all_of in WORDS.items() for word in all_of}
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<ellipsis>\.\.+)|(?P<word>\w+)|(?P<sign>"
    + "|".join(re.escape(one) for one in sorted(_KIND_OF, key=len, reverse=True))
    + ")"
)
_LABEL = re.compile(r"(?:p(?:remise)?_?\d+|c(?:onclusion)?)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

_SIGNS = {
    "[": "square brackets are not used; write round brackets ( )",
    "]": "square brackets are not used; write round brackets ( )",
    "{": "there are no sets; write one predicate per element, such as A(x) | B(x)",
    "}": "there are no sets; write one predicate per element, such as A(x) | B(x)",
    "<": "there are no comparisons; write a predicate such as Less(a, b)",
    ">": "there are no comparisons; write a predicate such as Greater(a, b)",
    "≤": "there are no comparisons; write a predicate such as AtMost(a, b)",
    "≥": "there are no comparisons; write a predicate such as AtLeast(a, b)",
    "+": "there is no arithmetic; write a predicate instead",
    "*": "there is no arithmetic; write a predicate instead",
    "/": "there is no arithmetic; write a predicate instead",
    "^": "'^' is not an operator; write & for 'and', xor for 'either .. or .. but not both'",
    "∄": "write -exists x (...) instead",
    "'": "names are not quoted and hold no apostrophes; use letters, digits and _ only",
    '"': "names are not quoted; use letters, digits and _ only, such as room_8",
    "`": "no quotes or code fences; write the formula alone",
    "…": "the formula must be written out in full",
    "?": "write a statement, not a question",
    ";": "write one formula at a time",
}


def tokenize(text: str) -> tuple[Source, tuple[Token, ...]]:
    """Tokens of a formula, the last of kind END.

    Raises:
        FormulaError: The text is empty, too long, or holds a character or name that is not part
            of the grammar.
    """
    source = Source(text)
    if len(text) > MAX_CHARACTERS:
        raise source.error(
            "too-long",
            f"A formula has at most {MAX_CHARACTERS} characters; this has {len(text)}.",
            0,
        )
    formula = text.partition(":::")[0]
    tokens = _scan(source, formula)
    if [token.kind for token in tokens[:2]] == [Kind.NAME, Kind.COLON] and _LABEL.fullmatch(
        tokens[0].text
    ):
        del tokens[:2]
    if tokens and tokens[-1].kind is Kind.DOT:
        del tokens[-1]
    tokens = _names_for_quantifiers(tokens)
    if not tokens:
        raise source.error("empty", "There is no formula here; write one, such as P(a) -> Q(a).", 0)
    return source, (*tokens, Token(Kind.END, "", len(formula.rstrip())))


def _scan(source: Source, formula: str) -> list[Token]:
    tokens: list[Token] = []
    offset = 0
    while offset < len(formula):
        found = _TOKEN.match(formula, offset)
        if found is None or found.lastgroup == "ellipsis":
            raise _bad_character(source, "…" if found else formula[offset], offset)
        if found.lastgroup == "space":
            _check_space(source, found[0], offset)
        elif found.lastgroup == "word":
            tokens.append(_word(source, found[0], offset))
        else:
            tokens.append(Token(_KIND_OF[found[0]], found[0], offset))
        if len(tokens) > MAX_TOKENS:
            raise source.error(
                "too-many-tokens", f"A formula has at most {MAX_TOKENS} tokens; split it.", offset
            )
        offset = found.end()
    return tokens


def _names_for_quantifiers(tokens: list[Token]) -> list[Token]:
    """`Exists` and `All` are quantifiers before a name; elsewhere, as in ``Exists(a)``, names."""
    following = [*tokens[1:], Token(Kind.END, "", 0)]
    return [
        token._replace(kind=Kind.NAME)
        if token.text.capitalize() in ("Exists", "All")
        and token.text[0].isupper()
        and after.kind is not Kind.NAME
        else token
        for token, after in zip(tokens, following, strict=False)
    ]


def _check_space(source: Source, space: str, offset: int) -> None:
    """White space in Python's sense includes control characters, which are refused."""
    for index, character in enumerate(space):
        if character not in "\t\n\r" and unicodedata.category(character) == "Cc":
            raise _bad_character(source, character, offset + index)


def _bad_character(source: Source, character: str, offset: int) -> FormulaError:
    if unicodedata.category(character).startswith("C"):
        return source.error(
            "hidden-character",
            f"There is an invisible or control character (U+{ord(character):04X}) here; remove it.",
            offset,
        )
    hint = _SIGNS.get(character, "use only names, ( ) , and the operators - & | xor -> <-> = !=")
    return source.error("character", f"'{character}' cannot stand here: {hint}.", offset)


def _word(source: Source, word: str, offset: int) -> Token:
    kind = _WORD_OF.get(word.lower())
    if kind is not None and (word in (word.lower(), word.upper()) or kind in QUANTIFIERS):
        return Token(kind, word, offset)
    if _NAME.fullmatch(word):
        return Token(Kind.NAME, word, offset)
    if not word.isascii():
        raise _foreign_letters(source, word, offset)
    rewrite = f"n{word}" if word[0].isdigit() else word.lstrip("_") or "name"
    raise source.error(
        "name",
        f"'{word}' is not a name: names start with a letter, followed by letters, digits and _; "
        f"write {rewrite}.",
        offset,
    )


def _foreign_letters(source: Source, word: str, offset: int) -> FormulaError:
    index = next(i for i, character in enumerate(word) if not character.isascii())
    letter = unicodedata.name(word[index], f"U+{ord(word[index]):04X}")
    mixed = not letter.startswith("LATIN") and any(c.isascii() and c.isalpha() for c in word)
    plain = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()
    rewrite = f"; write {plain}" if not mixed and _NAME.fullmatch(plain) else ""
    return source.error(
        "mixed-script" if mixed else "name",
        f"The name '{word}' holds {letter}; names use the letters A-Z and a-z, digits and _ only"
        f"{rewrite}.",
        offset + index,
    )
