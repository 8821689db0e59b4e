"""The stance of a review turned round: praise for blame, blame for praise."""

from __future__ import annotations

import re

from reviewscore.gem.alterations.rewording import like

_FLIPPED = {
    "appreciates": "criticizes",
    "criticizes": "appreciates",
    "questions": "appreciates",
    "suggests": "opposes",
}
"""What a judgment becomes. A suggestion turned round is against what it asked for."""
_OPENING = re.compile(rf"^(The reviewers?) ({'|'.join(_FLIPPED)})\b", re.IGNORECASE)
_WHETHER = re.compile(r"^ (?:whether|if)\b")

_OPPOSITES = (
    ("good", "bad"), ("strong", "weak"), ("strength", "weakness"), ("strengths", "weaknesses"),
    ("clear", "unclear"), ("clearly", "vaguely"), ("novel", "unoriginal"), ("well", "poorly"),
    ("easy", "hard"), ("interesting", "dull"), ("convincing", "unconvincing"),
    ("sufficient", "insufficient"), ("significant", "insignificant"), ("correct", "incorrect"),
    ("important", "unimportant"), ("useful", "useless"), ("better", "worse"), ("best", "worst"),
    ("more", "less"), ("improves", "worsens"), ("improve", "worsen"), ("accept", "reject"),
    ("acceptance", "rejection"), ("positive", "negative"),
    ("agree", "disagree"), ("thorough", "superficial"),
    ("sound", "unsound"), ("high", "low"), ("careful", "careless"), ("pros", "cons"),
    ("succeeds", "fails"), ("success", "failure"),
    ("reasonable", "unreasonable"), ("appropriate", "inappropriate"), ("fair", "unfair"),
    ("motivated", "unmotivated"), ("valid", "invalid"), ("rich", "poor"),
)  # fmt: skip
"""Words and their opposites, each in one pair alone, so that turning twice gives back the text."""
_TURNED = {a: b for a, b in _OPPOSITES} | {b: a for a, b in _OPPOSITES}
_POLAR = re.compile(
    rf"(?<![\w'-])({'|'.join(map(re.escape, sorted(_TURNED, key=len, reverse=True)))})(?![\w'-])",
    re.IGNORECASE,
)


def flipped_judgment(line: str) -> str:
    """A judgment with its verb turned round; a line that opens otherwise as raw text."""
    found = _OPENING.match(line)
    if found is None:
        return flipped_text(line)
    verb, rest = _FLIPPED[found[2].lower()], line[found.end() :]
    if verb == "appreciates":
        rest = _WHETHER.sub(" that", rest)
    return f"{found[1]} {verb}{rest}"


def flipped_text(text: str) -> str:
    """Raw text with simple polarity words replaced by their opposites."""
    return _POLAR.sub(lambda found: like(found[0], _TURNED[found[0].lower()]), text)
