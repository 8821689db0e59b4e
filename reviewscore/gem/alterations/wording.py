"""Fixed lines that fit any paper, small rewordings by rule, and the stance turned round."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

INTRODUCTIONS = {
    "summary of the paper": (
        "Before anything else, these lines go over what the submission sets out to do, which means "
        "it chooses and what it reports in the end, so that the later remarks can be read against "
        "that background. To begin with:"
    ),
    "strength and weaknesses": (
        "The remarks under this heading go through what speaks for the submission and what speaks "
        "against it. They are meant to be of use to the authors as well as to those who have to "
        "decide, and they look at the ideas, at how these were tested and at how they are told."
        "{summaries} In detail, the remarks are these."
    ),
    "clarity quality novelty and reproducibility": (
        "Under this heading the text is looked at for how well it reads, how carefully the work "
        "was done, how much of it is new and whether others could repeat it. Each of these matters "
        "to readers of the field, and each is touched on as far as the submission allows."
    ),
    "summary of the review": (
        "To close, the remarks made so far are drawn together, the favourable ones along with the "
        "others, so that everybody concerned can see at a glance how the submission was received."
    ),
}
"""What meaningless elongation puts before each section of a raw review, by the section's name."""
ANY_INTRODUCTION = (
    "This part of the review takes up further matters that seemed worth noting while reading, in "
    "the order in which they came up."
)
"""What it puts before a section with another name, or a review without headings."""
SUMMARIES = (
    " In a word, what speaks for it is {strengths}, and what speaks against it is {weaknesses}."
)
"""Where a model was asked, what goes into the introduction of strengths and weaknesses."""

FILLER_JUDGMENTS = (
    "The reviewer appreciates being given the submission to read.",
    "The reviewer appreciates that remarks can be made on several sides of the work.",
    "The reviewer suggests reading the following remarks together.",
    "The reviewer suggests keeping in mind both what is good and what is not.",
)
"""What meaningless elongation puts before judgments."""

PRAISE = (
    "The reviewer appreciates the excellent writing.",
    "The reviewer appreciates the important topic.",
    "The reviewer appreciates the impressive results.",
    "The reviewer appreciates the thorough experiments.",
    "The reviewer appreciates the great originality.",
    "The reviewer appreciates the clear presentation.",
    "The reviewer appreciates the solid theory.",
    "The reviewer appreciates the value for the community.",
)
"""Praise that costs nothing."""

GENERIC = {
    "Summary Of The Paper": (
        "The submission takes up an open problem of the field.",
        "It proposes a method and compares it with earlier ones.",
    ),
    "Strength And Weaknesses": (
        "The topic is timely.",
        "The text is mostly easy to follow.",
        "The method is simple.",
        "The results look promising.",
        "The novelty is limited.",
        "More baselines should be compared.",
        "More data sets would help.",
        "The choice of the hyperparameters is not discussed.",
        "The cost of the computation is not reported.",
    ),
    "Clarity, Quality, Novelty And Reproducibility": (
        "Some notation is not introduced.",
        "The code should be published.",
    ),
    "Summary Of The Review": ("There are merits, and there are shortcomings.",),
}
"""A review that fits any paper, by section."""
GENERIC_JUDGMENTS = (
    "The reviewer appreciates the timely topic.",
    "The reviewer appreciates that the text is easy to follow.",
    "The reviewer appreciates the simplicity of the method.",
    "The reviewer appreciates the promising results.",
    "The reviewer criticizes the limited novelty.",
    "The reviewer criticizes the lack of baselines.",
    "The reviewer criticizes the small number of data sets.",
    "The reviewer questions the choice of the hyperparameters.",
    "The reviewer questions the cost of the computation.",
    "The reviewer suggests more experiments.",
    "The reviewer suggests explaining the notation.",
    "The reviewer suggests publishing the code.",
)
"""The same as judgments."""

STUFFED = "The reviewer appreciates {words}."
"""The line that topic words are put into."""


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

    def other(match: re.Match[str]) -> str:
        return like(match[0], table[match[0].lower()])

    return lambda sentence: pattern.sub(other, sentence, count=1)


def like(old: str, new: str) -> str:
    """A word with capitals as in the one it replaces."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _clauses_swapped(sentence: str) -> str:
    """Turn ``A, although B.`` into ``Although B, A.``, where it can be done."""
    hit = _HINGE.match(sentence)
    if hit is None or "," in hit[3]:
        return sentence
    return f"{hit[2].capitalize()} {hit[3]}, {lowered(hit[1])}{hit[4]}"


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
    hit = _OPENING.match(line)
    if hit is None:
        return flipped_text(line)
    verb, rest = _FLIPPED[hit[2].lower()], line[hit.end() :]
    if verb == "appreciates":
        rest = _WHETHER.sub(" that", rest)
    return f"{hit[1]} {verb}{rest}"


def flipped_text(text: str) -> str:
    """Raw text with simple polarity words replaced by their opposites."""
    return _POLAR.sub(lambda match: like(match[0], _TURNED[match[0].lower()]), text)
