"""Names of predicates, functions, constants and variables: how they look and are made plain."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from reviewscore.errors import FormulaError

if TYPE_CHECKING:
    from reviewscore.logic.tokens import Source

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


def name_error(source: Source, word: str, offset: int) -> FormulaError:
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


def _foreign_letters(source: Source, word: str, offset: int) -> FormulaError:
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
