"""Porter's stemmer in the dialect of NLTK, which the open TPMS was computed with.

The algorithm is Porter's (1980, Program 14, 130-137); snowballstemmer has it too, but NLTK departs
from it in some endings by default (``ties`` is ``tie``, ``happy`` and ``enjoy`` differ, ``-bli``,
``-fulli``, ``-logi``), and an exact re-implementation of TPMS needs the same stems.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

_SHORT = 2
"""Words up to this length stay as they are."""
_IES = 4
"""Length of words such as ``ties``, which keep their ``ie``."""
_IRREGULAR = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe", "proceed": "proceed",
    "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("fulli", "ful"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=500_000)
def porter_stem(word: str) -> str:
    """The stem of one word in lower-case Latin letters."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= _SHORT:
        return word
    for step in (_plurals, _past, _final_y, _double_suffix, _suffix, _ending, _final_e, _double_l):
        word = step(word)
    return word


def _pattern(word: str) -> str:
    """Consonants as ``c`` and vowels as ``v``; a ``y`` is a vowel after a consonant."""
    out = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and out[-1:] == "c")
        out += "v" if vowel else "c"
    return out


def _measure(stem: str) -> int:
    """How many times vowels are followed by consonants."""
    return _pattern(stem).count("vc")


def _closed(word: str) -> bool:
    """Ends in consonant, vowel, consonant other than w, x, y; or is a vowel and a consonant."""
    pattern = _pattern(word)
    return (pattern.endswith("cvc") and word[-1] not in "wxy") or pattern == "vc"


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _pattern(word)[-1] == "c"


def _replaced(
    word: str, ending: str, new: str, condition: Callable[[str], bool] = lambda stem: True
) -> str | None:
    """The word with its ending replaced, unchanged if the rest does not allow it.

    Returns None if the word does not end so, so that the next rule is tried.
    """
    if not word.endswith(ending):
        return None
    stem = word[: len(word) - len(ending)]
    return stem + new if condition(stem) else word


def _plurals(word: str) -> str:
    if word.endswith("ies") and len(word) == _IES:
        return word[:-1]
    for ending, new in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending):
            return word.removesuffix(ending) + new
    return word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == _IES else word[:-2]
    found = _replaced(word, "eed", "ee", lambda stem: _measure(stem) > 0)
    if found is not None:
        return found
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and "v" in _pattern(stem):
            return _restored(stem)
    return word


def _restored(stem: str) -> str:
    """A stem that lost ``-ed`` or ``-ing`` with its ``e``, or without the doubled letter."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _doubled(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _closed(stem) else stem


def _final_y(word: str) -> str:
    stem = word[:-1]
    turns = word.endswith("y") and len(stem) > 1 and _pattern(stem)[-1] == "c"
    return stem + "i" if turns else word


def _double_suffix(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _double_suffix(word[:-2])
    for ending, new in _STEP_2:
        found = _replaced(word, ending, new, lambda stem: _measure(stem) > 0)
        if found is not None:
            return found
    found = _replaced(word, "logi", "log", lambda stem: _measure(stem + "l") > 0)
    return word if found is None else found


def _suffix(word: str) -> str:
    for ending, new in _STEP_3:
        found = _replaced(word, ending, new, lambda stem: _measure(stem) > 0)
        if found is not None:
            return found
    return word


def _ending(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            fits = ending != "ion" or stem.endswith(("s", "t"))
            return stem if _measure(stem) > 1 and fits else word
    return word


def _final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    stem = word[:-1]
    measure = _measure(stem)
    return stem if measure > 1 or (measure == 1 and not _closed(stem)) else word


def _double_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
