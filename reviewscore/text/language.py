"""The language of a text, as far as the text is long enough to tell it: by the library py3langid.

Formulas, code, links and citations say nothing about it. What reads as English by its function
words is not looked up, so that most runs never load the library (half a second, 80 MB).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from reviewscore.text.stems import FUNCTION_WORDS

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = "en"

_NAMES = """
af Afrikaans, ar Arabic, az Azerbaijani, be Belarusian, bg Bulgarian, bn Bengali, bs Bosnian,
ca Catalan, cs Czech, da Danish, de German, el Greek, en English, es Spanish, et Estonian,
eu Basque, fa Persian, fi Finnish, fr French, gl Galician, he Hebrew, hi Hindi, hr Croatian,
hu Hungarian, hy Armenian, id Indonesian, is Icelandic, it Italian, ja Japanese, ka Georgian,
kk Kazakh, ko Korean, la Latin, lt Lithuanian, lv Latvian, mk Macedonian, mn Mongolian, ms Malay,
ne Nepali, nl Dutch, no Norwegian, pl Polish, pt Portuguese, ro Romanian, ru Russian, sk Slovak,
sl Slovenian, sq Albanian, sr Serbian, sv Swedish, sw Swahili, ta Tamil, te Telugu, th Thai,
tl Tagalog, tr Turkish, uk Ukrainian, ur Urdu, uz Uzbek, vi Vietnamese, zh Chinese
"""
_NAME_OF = dict(name.split() for name in _NAMES.replace("\n", " ").split(","))
_VARIETIES = {"yue": "zh", "wuu": "zh", "ary": "ar", "arz": "ar", "nn": "no"}
"""Labels of the library that count as those of a larger language."""
_NO_LANGUAGE = "zxx"
"""The library's label for what is in no language."""

_WITHOUT_WORDS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]{1,300}\$|\\[a-zA-Z]+|https?://\S+|www\.\S+"
    r"|\b[\w.+-]{1,64}@\S+|\[[^\][\n]{0,200}\]|\([^()\n]{0,100}\b(?:19|20)\d\d[a-z]?\)",
    re.DOTALL,
)
"""Code, formulas, links, addresses and citations."""
_WORD = re.compile(r"[^\W\d_]{2,}")
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"
)
"""Letters of scripts that put no space between words (Thai, Lao, Burmese, Khmer, kana, Chinese),
for a class of characters in a pattern."""
_LAST_LATIN = "\u036f"
"""Letters beyond this are of other scripts, but for a few with accents."""
_ALSO_FOREIGN = frozenset("also bill con cry due fill fire former für move per sincere top was".split())  # noqa: SIM905, E501 # fmt: skip
_ENGLISH_WORDS = frozenset(word for word in FUNCTION_WORDS if len(word) > 2) - _ALSO_FOREIGN  # noqa: PLR2004
"""Function words of English that other languages in Latin letters do not have."""

_LEAST_WORDS = 5
_MOST_WORDS = 3000
"""Words that are looked at; a longer text is told by its beginning."""
_LEAST_PROBABILITY = 0.8
_ENGLISH_SHARE = 0.15
"""Share of such words from which on a text is in English; in reviews it is 0.28 in the median."""
_ODD_WORDS = 8
"""Words of a line from which on it is odd, inside English, to have no such word."""


def language_name(code: str) -> str:
    """The English name of a language; a rare language goes by its code."""
    return _NAME_OF.get(code, f"a language other than English (code {code})")


def prose(text: str) -> str:
    """A text without its code, formulas, links and citations."""
    return _WITHOUT_WORDS.sub(" ", text)


def language_of(text: str) -> str | None:
    """ISO 639 code of the language of a text; None where too little of it tells.

    A text of fewer than five words (letters, if they are not Latin) is too short, and what the
    library is not sure of (probability below 0.8) is no language.
    """
    words = _WORD.findall(prose(text))
    if not words or _english_share(words) >= _ENGLISH_SHARE:
        return ENGLISH if len(words) >= _LEAST_WORDS else None
    return _looked_up(words)


def is_odd_in_english(line: str) -> bool:
    """Whether a line of a text in English may be in another language: a long one, by its words."""
    words = _WORD.findall(prose(line))
    return _size(words) >= _ODD_WORDS and not _english_share(words)


def reads_as_english(text: str) -> bool:
    """Whether most of a text is in English, by its function words alone."""
    return _english_share(_WORD.findall(prose(text))) >= _ENGLISH_SHARE


def _english_share(words: list[str]) -> float:
    known = map(_ENGLISH_WORDS.__contains__, map(str.lower, words))
    return sum(known) / len(words) if words else 0.0


def _size(words: list[str]) -> int:
    """Number of words; of scripts other than Latin each letter counts: it tells as much."""
    if "".join(words).isascii():
        return len(words)
    return sum(len(word) if word[0] > _LAST_LATIN else 1 for word in words)


def _looked_up(words: list[str]) -> str | None:
    if _size(words) < _LEAST_WORDS:
        return None
    shares: dict[str, float] = {}
    for label, probability in _identifier().rank(" ".join(words[:_MOST_WORDS])):
        code = _VARIETIES.get(label, label)
        shares[code] = shares.get(code, 0.0) + probability
    best = max(shares, key=shares.__getitem__)
    return None if shares[best] < _LEAST_PROBABILITY or best == _NO_LANGUAGE else best


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
