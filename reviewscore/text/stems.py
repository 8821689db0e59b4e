"""Words of a text as stems: one reading for review points and papers alike."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Protocol

_WORD = re.compile(r"[^\W\d_]+(?:['’]s\b)?|\d+(?:\.\d+)*")
_JOINED = (
    (re.compile(r"\bhyper[-\s]+param", re.IGNORECASE), "hyperparam"),
    (re.compile(r"\bdata[-\s]+(set|base)", re.IGNORECASE), r"data\1"),
    (re.compile(r"\brun(?:ning)?[-\s]+times?\b", re.IGNORECASE), "runtime"),
    (re.compile(r"\b(pre|fine|semi|meta|multi|sub|non|co|re)-(?=[a-z])", re.IGNORECASE), r"\1"),
    (re.compile(r"\bfine tun", re.IGNORECASE), "finetun"),
)


_LETTERS = "αβγδεζηθικλμµνξπρσςτυφχψωϵϕΓΔΘΛΞΠΣΦΨΩ"
_NAMES = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu mu nu xi pi rho sigma sigma tau
upsilon phi chi psi omega epsilon phi gamma delta theta lambda xi pi sigma phi psi omega
"""
_GREEK = str.maketrans(dict(zip(_LETTERS, _NAMES.split(), strict=True)))
"""Greek letters by name, as reviewers who write LaTeX spell them."""


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str:  # noqa: N802 - the library's name
        """The stem of one lower-case word."""
        ...


@cache
def _stemmer() -> _Stemmer:
    import snowballstemmer

    stemmer: _Stemmer = snowballstemmer.stemmer("english")
    return stemmer


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The stem of a word in lower case; single letters and numbers stay as they are."""
    if len(word) == 1:
        return word
    plain = word.lower()
    for ending in ("'s", "’s"):
        plain = plain.removesuffix(ending)
    return _stemmer().stemWord(plain) if plain.isalpha() else plain


def words(text: str) -> list[str]:
    """Words and numbers of a text in order; compounds written apart or with a hyphen are joined."""
    for pattern, joined in _JOINED:
        text = pattern.sub(joined, text)
    return _WORD.findall(text.translate(_GREEK))


def stems(text: str) -> list[str]:
    """Stems of the words and numbers of a text, in order.

    Single letters keep their case, so that a symbol ``N`` is not the article of another text.
    """
    return [stem(word) for word in words(text)]
