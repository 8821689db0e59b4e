"""Text of a formula to tokens, with the guards that stand before parsing.

What cannot change the meaning is normalised, and each time noted: labels and numbering, comments,
fences, quotation marks, the final full stop, punctuation inside names. `lenient` scanning also
renames names of several words, names that begin with a digit and names with accents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from reviewscore.errors import FormulaError
from reviewscore.logic.operators import (
    FUNCTIONS,
    KIND_OF_COMMAND,
    KIND_OF_SIGN,
    KIND_OF_WORD,
    LATEX_FONTS,
    LATEX_SPACE,
    NOT_USED,
    QUANTIFIERS,
    TokenKind,
)

if TYPE_CHECKING:
    pass


NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
VARIABLE = re.compile(r"[u-zU-Z][0-9]?")
"""Names that look like variables: where no quantifier binds one, something is wrong."""

_WORD = r"(?:\w|\\_)+"
JOINED = {
    False: re.compile(rf"{_WORD}(?:[-'’.]{_WORD})*"),
    True: re.compile(rf"{_WORD}(?:[-'’.$+]{_WORD}|\++(?=\s*[,)]))*"),
}
"""A name with hyphens, apostrophes or dots inside; leniently also with ``$`` and ``+``."""

ENGLISH = frozenset(
    (
        *("if", "then", "there", "is", "are", "was", "for", "such", "that", "when", "only"),
        *("no", "none", "not", "nor", "neither", "either", "every", "each", "some", "any"),
        *("most", "many", "few", "several", "a", "an", "the"),
    )
)
"""Words that mark a sentence rather than a name."""


def identifier(raw: str) -> str | None:
    """A name of our grammar for a name with other characters; None if it has no Latin letters.

    Accents are dropped, ``+`` becomes ``plus``, every other run of characters ``_``; a name that
    begins with a digit gets an ``n`` before it.
    """
    if NAME.fullmatch(raw):
        return raw
    if any(
        character.isalpha() and not unicodedata.name(character, "").startswith("LATIN")
        for character in raw
    ):
        return None
    plain = unicodedata.normalize("NFKD", raw).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9]+", "_", plain.replace("+", "_plus")).strip("_")
    if not plain:
        return None
    return plain if plain[0].isalpha() else f"n{plain}"


def name_error(source: FormulaText, word: str, offset: int) -> FormulaError:
    """Why a word is no name, and what to write."""
    if not word.isascii():
        return _foreign_letters(source, word, offset)
    rewrite = identifier(word) or "name"
    return source.error(
        "name",
        f"'{word}' is not a name: names start with a letter, followed by letters, digits and _; "
        f"write {rewrite}.",
        offset,
    )


def _foreign_letters(source: FormulaText, word: str, offset: int) -> FormulaError:
    index = next(i for i, character in enumerate(word) if not character.isascii())
    letter = unicodedata.name(word[index], f"U+{ord(word[index]):04X}")
    mixed = not letter.startswith("LATIN") and any(c.isascii() and c.isalpha() for c in word)
    plain = identifier(word)
    rewrite = f"; write {plain}" if plain and not mixed else ""
    return source.error(
        "mixed-script" if mixed else "name",
        f"The name '{word}' holds {letter}; names use the letters A-Z and a-z, digits and _ only"
        f"{rewrite}.",
        offset + index,
    )


MAX_CHARACTERS = 20_000
MAX_TOKENS = 4_000


class Token(NamedTuple):
    """One token: its text (of names, the identifier), where it starts and what stands there."""

    kind: TokenKind
    text: str
    offset: int
    raw: str

    @property
    def described(self) -> str:
        """How messages name this token."""
        return self.kind.value if self.kind is TokenKind.END else f"'{self.raw}'"

    @property
    def sign(self) -> str:
        """The operator in its ASCII spelling."""
        return self.kind.value.strip("'")

    @property
    def end(self) -> int:
        """Offset just after the token."""
        return self.offset + len(self.raw)


class ReadingNote(NamedTuple):
    """A deviation from the grammar that was read all the same.

    Attributes:
        code: Short stable name of the deviation.
        offset: 0-based offset in the text.
        assumed: Whether another meaning is conceivable (lenient reading only).
    """

    code: str
    offset: int
    assumed: bool = False


@dataclass(frozen=True)
class FormulaText:
    """The text of a formula, for positions in messages, and what was noted about it."""

    text: str
    lenient: bool = False
    notes: list[ReadingNote] = field(default_factory=list)

    def place(self, offset: int) -> tuple[int, int]:
        """1-based line and column of an offset."""
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - (self.text.rfind("\n", 0, offset) + 1) + 1

    def error(self, code: str, message: str, offset: int) -> FormulaError:
        """An error at an offset, told as 1-based line and column."""
        line, column = self.place(offset)
        return FormulaError(code, message, line=line, column=column)

    def note(self, code: str, offset: int, *, assumed: bool = False) -> None:
        """Keep a deviation in mind."""
        self.notes.append(ReadingNote(code, offset, assumed))


_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<ellipsis>\.\.+)|(?P<number>[0-9]+(?:\.[0-9]+)?(?![\w]|[-'’.]\w))"
    r"|(?P<quoted>\"[^\"\n]{1,120}\"|“[^”\n]{1,120}”|'[^'\n]{1,120}'|‘[^’\n]{1,120}’)"
    r"|(?P<word>(?:\w|\\_)+)|(?P<sign>"
    + "|".join(re.escape(text) for text in sorted(KIND_OF_SIGN, key=len, reverse=True))
    + r")|\\(?P<command>[A-Za-z]+|[,;:! ])|(?P<math>\$+|\\[()\[\]])"
)
_LABEL = re.compile(
    r"\s*(?:(?:p(?:remise)?|c(?:onclusion)?|assumption|axiom|hypothesis|goal|therefore)"
    r"[ _]?\d*\s*:(?!:)|\(\d{1,3}\)(?=\s*\S)|\d{1,3}[.)](?=\s))\s*",
    re.IGNORECASE,
)
_COMMENT = re.compile(r":::|(?:^|(?<=\s))(?:#|%|//)", re.MULTILINE)
_FENCE = re.compile(r"\s*```[a-z]*\s*\n?")
_BRACED = re.compile(r"\{\s*((?:\w|\\_|[- ])+?)\s*\}")
_AROUND = {'"': '"', "`": "`", "“": "”", "'": "'"}


def tokenize(text: str, *, lenient: bool = False) -> tuple[FormulaText, tuple[Token, ...]]:
    """Tokens of a formula, the last of kind END.

    Raises:
        FormulaError: The text is empty, too long, or holds a character or name that is not part
            of the grammar.
    """
    source = FormulaText(text, lenient)
    if len(text) > MAX_CHARACTERS:
        raise source.error(
            "too-long",
            f"A formula has at most {MAX_CHARACTERS} characters; this has {len(text)}.",
            0,
        )
    start, end = _inside(source)
    tokens = _Scanner(source, start, end).tokens()
    if tokens and tokens[-1].kind is TokenKind.DOT:
        source.note("full-stop", tokens.pop().offset)
    if not tokens:
        raise source.error("empty", "There is no formula here; write one, such as P(a) -> Q(a).", 0)
    at = start + len(text[start:end].rstrip())
    return source, (*_names_for_quantifiers(tokens), Token(TokenKind.END, "", at, ""))


def _inside(source: FormulaText) -> tuple[int, int]:
    """Where the formula starts and ends, within fences, quotation marks, labels and comments."""
    text, start = source.text, 0
    end = len(text.rstrip())
    if fence := _FENCE.match(text):
        source.note("fence", fence.start())
        start = fence.end()
        end = start + len(text[start:end].removesuffix("```").rstrip())
    start += len(text[start:end]) - len(text[start:end].lstrip())
    closing = _AROUND.get(text[start : start + 1])
    if closing and text[start + 1 : end].endswith(closing) and "(" in text[start:end]:
        inside = text[start + 1 : end - 1]
        if closing not in inside:
            source.note("quotes", start)
            start, end = start + 1, end - 1
    if (label := _LABEL.match(text, start, end)) and label.end() < end:
        source.note("label", start)
        start = label.end()
    if comment := _COMMENT.search(text, start, end):
        source.note("comment", comment.start())
        end = comment.start()
    return start, end


class _Scanner:
    """One pass over the text, token by token."""

    def __init__(self, source: FormulaText, start: int, end: int) -> None:
        self._source, self._at, self._end = source, start, end
        self._tokens: list[Token] = []
        self._handlers: dict[str, Callable[[re.Match[str]], None]] = {
            "space": self._space,
            "word": self._word,
            "quoted": self._quoted,
            "command": self._command,
        }

    def tokens(self) -> list[Token]:
        text = self._source.text
        while self._at < self._end:
            hit = _TOKEN.match(text, self._at, self._end)
            if hit is None or hit.lastgroup == "ellipsis":
                self._unknown("…" if hit else text[self._at])
                continue
            handler = self._handlers.get(hit.lastgroup or "")
            if handler is not None:
                handler(hit)
            elif hit.lastgroup == "math":
                self._source.note("math", self._at)
                self._at = hit.end()
            else:
                number = hit.lastgroup == "number"
                self._add(TokenKind.NUMBER if number else KIND_OF_SIGN[hit[0]], hit[0], hit.end())
        return self._tokens

    def _add(self, kind: TokenKind, text: str, end: int) -> None:
        raw = self._source.text[self._at : end]
        self._tokens.append(Token(kind, text, self._at, raw))
        if len(self._tokens) > MAX_TOKENS:
            raise self._source.error(
                "too-many-tokens", f"A formula has at most {MAX_TOKENS} tokens; split it.", self._at
            )
        self._at = end

    def _unknown(self, character: str) -> None:
        if character == "^" and self._source.lenient:
            self._source.note("caret", self._at, assumed=True)
            self._add(TokenKind.AND, "^", self._at + 1)
            return
        raise _bad_character(self._source, character, self._at)

    def _space(self, match: re.Match[str]) -> None:
        """White space in Python's sense includes control characters, which are refused."""
        for index, character in enumerate(match[0]):
            if character not in "\t\n\r" and unicodedata.category(character) == "Cc":
                raise _bad_character(self._source, character, self._at + index)
        self._at = match.end()

    def _command(self, hit: re.Match[str]) -> None:
        command = hit["command"]
        if command in LATEX_SPACE:
            self._at = hit.end()
        elif command in LATEX_FONTS and (
            braced := _BRACED.match(self._source.text, hit.end(), self._end)
        ):
            self._add(TokenKind.NAME, self._named(braced[1], self._at, "math"), braced.end())
        elif command in KIND_OF_COMMAND:
            self._add(KIND_OF_COMMAND[command], hit[0], hit.end())
        else:
            raise _bad_character(self._source, "\\", self._at)

    def _quoted(self, match: re.Match[str]) -> None:
        inner = match[0][1:-1].strip()
        if not any(map(str.isalnum, inner)):
            raise _bad_character(self._source, match[0][0], self._at)
        self._source.note("quotes", self._at)
        name = identifier(inner)
        if name is None:
            raise name_error(self._source, inner, self._at + 1)
        self._add(TokenKind.NAME, name, match.end())

    def _word(self, hit: re.Match[str]) -> None:
        word = hit[0].replace("\\_", "_")
        kind = KIND_OF_WORD.get(word.lower())
        if kind is not None and (word in (word.lower(), word.upper()) or kind in QUANTIFIERS):
            self._add(kind, word, hit.end())
            return
        after_quantifier = bool(self._tokens) and self._tokens[-1].kind in QUANTIFIERS
        joined = None
        if not after_quantifier and not VARIABLE.fullmatch(word):
            pattern = JOINED[self._source.lenient]
            joined = pattern.match(self._source.text, self._at, self._end)
        raw = joined[0] if joined and joined.end() > hit.end() else hit[0]
        self._add(TokenKind.NAME, self._named(raw, self._at, "name"), self._at + len(raw))

    def _named(self, raw: str, offset: int, code: str) -> str:
        """The identifier for a name, with what was changed noted; strictly only punctuation."""
        if NAME.fullmatch(raw):
            return raw
        plain = raw.replace("\\_", "_")
        name = identifier(plain)
        changed = re.sub(r"[^\w]+", "_", plain).strip("_")
        strict_name = changed if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", changed) else None
        if name is None or (strict_name is None and not self._source.lenient):
            raise name_error(self._source, plain, offset)
        if strict_name is None or "+" in plain or "$" in plain:
            self._source.note("renamed", offset, assumed=True)
        elif plain != name:
            self._source.note("punctuation" if code == "name" else code, offset)
        return name


def _names_for_quantifiers(tokens: list[Token]) -> list[Token]:
    """`Exists` and `All` are quantifiers before a name; elsewhere, as in ``Exists(a)``, names."""
    following = [*tokens[1:], Token(TokenKind.END, "", 0, "")]
    return [
        token._replace(kind=TokenKind.NAME)
        if token.kind in QUANTIFIERS
        and (token.text in FUNCTIONS or token.text.lower() in ("all", "exist", "exists"))
        and (token.text[0].isupper() or token.text == "exist")
        and after.kind is not TokenKind.NAME
        else token
        for token, after in zip(tokens, following, strict=False)
    ]


def _bad_character(source: FormulaText, character: str, offset: int) -> FormulaError:
    if unicodedata.category(character).startswith("C"):
        return source.error(
            "hidden-character",
            f"There is an invisible or control character (U+{ord(character):04X}) here; remove it.",
            offset,
        )
    hint = NOT_USED.get(character, "use only names, ( ) , and the operators - & | xor -> <-> = !=")
    return source.error("character", f"'{character}' cannot stand here: {hint}.", offset)
