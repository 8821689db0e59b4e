"""What a remark does, sentence by sentence, and the features by which it is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from reviewscore.judges.lexical.forms import is_interrogative, sentences_of
from reviewscore.schema.review import Role
from reviewscore.text.patterns import load_patterns

_CUES = load_patterns(Path(__file__).with_name("remark_cues.toml"))
_LOOKED_AT = 1000
"""Characters of a sentence that are looked at."""
_MOST_SENTENCES = 12
_LEAD = re.compile(
    r"\W*(?:(?:and|but|also|moreover|furthermore|however|in addition|additionally|besides|further"
    r"|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|similarly|then|next|so|thus"
    r"|therefore|indeed|in general|in summary|overall|minor|alternatively|if possible|perhaps"
    r"|maybe|ideally|on the other hand|[a-z]+:)[,:]?\s+)*",
    re.IGNORECASE,
)
"""What a sentence may begin with before it says anything."""
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?|\?", re.IGNORECASE)
_ARROW = re.compile(r"->|=>|→")
_UNMARKED = re.compile(
    r"(?:what|why|who|where|when) (?:if|we|you|i|is|are|was|were|do|does|did|the authors|\w+ is)\b"
    r"|(?:do|does|did|is|are|was|were|would|could|can|have|has|will) (?:you|we|they|it|this|these"
    r"|the|your|there|any|such)\b",
    re.IGNORECASE,
)
"""Begins as a question does, though no mark ends it."""

_ASKED = ("why_not", "tried", "work", "why", "explain", "compare")
_WISHED = ("wonder", "wish", "should", "could", "need")
_OPENS = ("example", "follows")
_SAID = ("puzzled", "criticism")
_GROUPS = {
    **dict.fromkeys((*_ASKED, "ask", "tell", "wonder"), "question"),
    **dict.fromkeys(("order", "wish", "should", "could", "need"), "request"),
    **dict.fromkeys(("typo", "puzzled", "criticism"), "criticism"),
    **dict.fromkeys(("example", "follows", "plain"), "plain"),
}
"""Sentence acts by what they are at large."""
_JOINTS = ("because", "therefore", "contrast", "example", "purpose")
_SIGNS = {
    "colon": re.compile(r":\s"),
    "bracket": re.compile(r"\("),
    "quote": re.compile(r"[\"“]"),
    "digit": re.compile(r"\d"),
    "dash": re.compile(r" [-–—] |—"),
    "semicolon": re.compile(r";"),
    "citation": re.compile(r"\[\d+\]|et al|\(\d{4}\)"),
    "measure": re.compile(r"\d ?\\?%|\d\.\d"),
    "formula": re.compile(r"\$"),
    "list": re.compile(r"(?m)^\s*(?:[-*•]|\d+[.)])\s"),
}
_LENGTHS = (8, 14, 20, 28, 40, 60, 90, 140)


def _act(sentence: str, cues: frozenset[str], head: str) -> str:
    """What a sentence does: the first of the acts whose words it has."""
    if is_interrogative(sentence):
        if "?" not in sentence:
            return "order" if "order" in cues and "explain" not in cues else "tell"
        return next((name for name in _ASKED if name in cues), "ask")
    if _UNMARKED.match(head):
        return "ask"
    if "typo" in cues or _ARROW.search(sentence):
        return "typo"
    for name in ("tell", "order"):
        if _CUES[name].match(head):
            return name
    for name in _WISHED:
        if name in cues and not (name in ("should", "need") and "puzzled" in cues):
            return name
    for name in _OPENS:
        if _CUES[name].match(head):
            return name
    return next((name for name in _SAID if name in cues), "plain")


def _bucket(number: int, ends: Sequence[int]) -> str:
    return next((f"<={end}" for end in ends if number <= end), f">{ends[-1]}")


def remark_features(text: str, role: Role | None = None) -> dict[str, float]:
    """Values of what the type and kind of a remark are told by, by name.

    Args:
        text: A point in the reviewer's words.
        role: Of the section that it stands in, if known.
    """
    place = role.value if role else "unknown"
    sentences = sentences_of(text)[:_MOST_SENTENCES] or (text,)
    names = []
    acts = []
    groups = []
    for number, sentence in enumerate(sentences):
        seen = sentence[:_LOOKED_AT]
        lead = _LEAD.match(seen)
        head = seen[lead.end() :] if lead else seen
        cues = frozenset(name for name, pattern in _CUES.items() if pattern.search(seen))
        act = _act(seen, cues, head)
        group = _GROUPS[act]
        acts.append(act)
        groups.append(group)
        where = "later" if number else "first"
        for cue in cues:
            names += [f"has {cue}", f"{where} {cue}", f"{group} with {cue}"]
        words = [word.lower() for word in _WORD.findall(head[:80])[:2]]
        names += [f"{where} begins {' '.join(words[:size])}" for size in range(1, len(words) + 1)]
    names += [f"act {act}" for act in acts]
    names += [f"later act {act}" for act in acts[1:]]
    names += [f"first act {acts[0]}", f"first act {acts[0]} in {place}", f"last act {acts[-1]}"]
    names += [f"{group} x{min(groups.count(group), 3)}" for group in set(_GROUPS.values())]
    runs = [g for i, g in enumerate(groups) if not i or g != groups[i - 1]]
    names.append("order " + " ".join(runs[:3]))
    names.append("pair " + " ".join(acts[:2]))
    every = "+".join(sorted(set(groups)))
    names += [f"all {every}", f"all {every} in {place}", f"in {place}"]
    length = _bucket(len(text.split()), _LENGTHS)
    names += [f"words {length}", f"sentences {_bucket(len(sentences), (1, 2, 3, 4, 6))}"]
    if len(sentences) == 1:
        names += ["alone", f"alone {acts[0]}", f"alone words {length}"]
        names += [f"alone with {cue}" for cue in _JOINTS if _CUES[cue].search(text)]
    names += [f"sign {name}" for name, pattern in _SIGNS.items() if pattern.search(text)]
    names += [f"word {word.lower()}" for word in _WORD.findall(text[:3000])]
    return dict.fromkeys(names, 1.0)
