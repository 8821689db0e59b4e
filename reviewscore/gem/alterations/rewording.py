"""Small rewordings of a sentence by rule: what it says stays, the string changes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_SYNONYMS = {
    "appreciates": "values", "criticizes": "objects to", "questions": "wonders about",
    "suggests": "recommends", "shows": "demonstrates", "show": "demonstrate",
    "presents": "introduces", "present": "introduce", "proposes": "puts forward",
    "propose": "put forward", "provides": "gives", "provide": "give", "uses": "employs",
    "mentions": "notes", "claims": "states", "claim": "state", "discusses": "talks about",
    "adding": "including", "comparing": "contrasting", "clarifying": "making clear",
}  # fmt: skip
"""Reporting verbs and others of their kind."""
_SMALL = {
    "very": "quite", "also": "as well", "however": "yet", "many": "numerous", "some": "several",
    "mostly": "mainly", "only": "merely", "often": "frequently", "clearly": "plainly",
    "lack of": "absence of", "a lot of": "much", "the paper": "this paper", "the work": "this work",
    "the authors": "these authors", "the proposed": "this proposed", "the results": "these results",
    "the experiments": "these experiments", "the method": "this method",
}  # fmt: skip
"""Articles, adverbs and other small words."""
_HINGE = re.compile(r"^(.{12,}?),? \b(although|because|since|while|whereas|if) (.{8,}?)([.!?]?)$")


def _swapper(table: dict[str, str]) -> Callable[[str], str]:
    longest_first = sorted(table, key=len, reverse=True)
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)

    def other(found: re.Match[str]) -> str:
        return like(found[0], table[found[0].lower()])

    return lambda sentence: pattern.sub(other, sentence, count=1)


def like(old: str, new: str) -> str:
    """A word with capitals as in the one it replaces."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _clauses_swapped(sentence: str) -> str:
    """Turn ``A, although B.`` into ``Although B, A.``, where it can be done."""
    found = _HINGE.match(sentence)
    if found is None or "," in found[3]:
        return sentence
    return f"{found[2].capitalize()} {found[3]}, {lowered(found[1])}{found[4]}"


def lowered(sentence: str) -> str:
    """A sentence with a small first letter, unless its first word is a name or "I"."""
    first = sentence.split(maxsplit=1)[0] if sentence.strip() else ""
    return sentence[:1].lower() + sentence[1:] if first[1:].islower() else sentence


_RULES = (_swapper(_SYNONYMS), _swapper(_SMALL), _clauses_swapped)


def reworded(sentence: str, rng: random.Random) -> str:
    """The sentence in other words, never letter by letter the same.

    One or two of the rules that apply are drawn; where none applies, words that say nothing stand
    before it.

    Args:
        sentence: One sentence or judgment.
        rng: Draws the rules.
    """
    applicable = [rule for rule in _RULES if rule(sentence) != sentence]
    drawn = rng.sample(applicable, min(len(applicable), rng.choice((1, 2))))
    changed = sentence
    for rule in drawn:
        changed = rule(changed)
    return changed if changed != sentence else f"In addition, {lowered(sentence)}"
