"""Type and kind of a remark, told from what its sentences do by two small linear models."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from reviewscore.judges.lexical.argument import conclusion_and_reasons
from reviewscore.judges.lexical.forms import is_interrogative, sentences_of
from reviewscore.schema.review import PointKind, PointType, Role
from reviewscore.text.linear import LinearModel, load_linear_models
from reviewscore.text.patterns import load_patterns

CUES = Path(__file__).with_name("remark_cues.toml")
WEIGHTS = Path(__file__).with_name("remark_weights.json")

_CUES = {name: re.compile(pattern.pattern) for name, pattern in load_patterns(CUES).items()}
"""For text in small letters: so they are searched more than twice as fast as ignoring case."""
_AT_HEAD = ("tell", "order")
"""Cues that count at the beginning of a sentence alone."""
_ANYWHERE = {name: pattern for name, pattern in _CUES.items() if name not in _AT_HEAD}
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
_DOUBTED = ("should", "need")
"""Ask for nothing in a sentence about what is not understood ("unclear why this should hold")."""
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
_COUNTS = (1, 2, 3, 4, 6)


def _act_of_question(sentence: str, cues: Sequence[str], head: str) -> str:
    if "?" in sentence:
        return next((name for name in _ASKED if name in cues), "ask")
    return "order" if _CUES["order"].match(head) and "explain" not in cues else "tell"


def _act(sentence: str, cues: Sequence[str], head: str) -> str:
    """What a sentence does: the first of the acts whose words it has."""
    if is_interrogative(sentence):
        return _act_of_question(sentence, cues, head)
    puzzled = "puzzled" in cues
    acts = [
        ("ask", _UNMARKED.match(head)),
        ("typo", "typo" in cues or _ARROW.search(sentence)),
        *((name, _CUES[name].match(head)) for name in _AT_HEAD),
        *((name, name in cues and not (puzzled and name in _DOUBTED)) for name in _WISHED),
        *((name, _CUES[name].match(head)) for name in _OPENS),
        *((name, name in cues) for name in _SAID),
    ]
    return next((name for name, holds in acts if holds), "plain")


def _bucket(number: int, ends: Sequence[int]) -> str:
    return next((f"<={end}" for end in ends if number <= end), f">{ends[-1]}")


def remark_features(text: str, role: Role | None = None) -> Mapping[str, float]:
    """Values of what the type and kind of a remark are told by, by name.

    Args:
        text: A point in the reviewer's words.
        role: Of the section that it stands in, if known.
    """
    place = role.value if role else "unknown section"
    sentences = sentences_of(text)[:_MOST_SENTENCES] or (text,)
    names: list[str] = []
    acts: list[str] = []
    for sentence in sentences:
        act, seen = _of_sentence(sentence[:_LOOKED_AT], "later" if acts else "first")
        acts.append(act)
        names += seen
    groups = [_GROUPS[act] for act in acts]
    runs = [group for at, group in enumerate(groups) if not at or group != groups[at - 1]]
    every = "+".join(sorted(set(groups)))
    length = _bucket(len(text.split()), _LENGTHS)
    reasons = len(conclusion_and_reasons(text)[1])
    names += [
        *(f"act {act}" for act in acts),
        *(f"later act {act}" for act in acts[1:]),
        f"first act {acts[0]}",
        f"first act {acts[0]} in {place}",
        f"last act {acts[-1]}",
        *(f"{group} x{min(groups.count(group), 3)}" for group in dict.fromkeys(_GROUPS.values())),
        f"order {' '.join(runs[:3])}",
        f"pair {' '.join(acts[:2])}",
        f"all {every}",
        f"all {every} in {place}",
        f"in {place}",
        f"words {length}",
        f"sentences {_bucket(len(sentences), _COUNTS)}",
        f"reasons {min(reasons, 3)}",
        *(f"sign {name}" for name, pattern in _SIGNS.items() if pattern.search(text)),
    ]
    if len(sentences) == 1:
        joints = (cue for cue in _JOINTS if f"has {cue}" in names)
        names += ["alone", f"alone {acts[0]}", f"alone words {length}"]
        names += [f"alone with {cue}" for cue in joints]
    return dict.fromkeys(names, 1.0)


def _of_sentence(sentence: str, where: str) -> tuple[str, list[str]]:
    """What a sentence does, and the names of the features that it gives."""
    small = sentence.lower()
    lead = _LEAD.match(small)
    head = small[lead.end() :] if lead else small
    cues = tuple(name for name, pattern in _ANYWHERE.items() if pattern.search(small))
    act = _act(sentence, cues, head)
    names = [f"{told} {cue}" for cue in cues for told in ("has", where, f"{_GROUPS[act]} with")]
    words = _WORD.findall(head[:80])[:2]
    names += [f"{where} begins {' '.join(words[:size])}" for size in range(1, len(words) + 1)]
    return act, names


@cache
def _models() -> dict[str, LinearModel]:
    return load_linear_models(WEIGHTS)


@lru_cache(maxsize=30_000)  # all points of a run are told their kind, and then each its type
def _classes(text: str, role: Role | None) -> tuple[PointType, PointKind]:
    features, models = remark_features(text, role), _models()
    return PointType(models["type"].choose(features)), PointKind(models["kind"].choose(features))


def type_of(text: str, role: Role | None = None) -> PointType:
    """Question, argument or claim (ReviewScore, arXiv 2509.21679, sec. 3.1; codebook 2).

    A question asks for information; an argument is a weakness or request with a reason or fact of
    its own that supports it, a claim one without. The weights of the linear model were fitted to
    points that readers marked; its file says how well it agrees with them.

    Args:
        text: A point in the reviewer's words.
        role: Of the section that it stands in, if known.
    """
    return _classes(text, role)[0]


def kind_of(text: str, role: Role | None = None) -> PointKind:
    """Criticism, request or question (codebook 2), by a linear model as `type_of`.

    What holds no letter is none; other pieces that are no points are for the splitter to leave out.

    Args:
        text: A point in the reviewer's words.
        role: Of the section that it stands in, if known.
    """
    if not any(char.isalpha() for char in text):
        return PointKind.NONE
    return _classes(text, role)[1]
