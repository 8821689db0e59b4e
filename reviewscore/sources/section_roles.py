"""What each text box or heading of a review form is for: one table for all venues."""

from __future__ import annotations

import difflib
import re
from enum import StrEnum
from functools import lru_cache

from reviewscore.schema.review import Review, Role

POINT_ROLES = frozenset({Role.WEAKNESSES, Role.MIXED, Role.QUESTIONS, Role.REQUESTS})
"""Roles whose sections hold review points."""

_SIFTED_NAMES = """
claims and evidence, methods and evaluation criteria, theoretical claims, experimental designs or
analyses, relation to broader scientific literature, essential references not discussed, claims
explanation, audience explanation
"""
_CLOSING_NAMES = "summary of the review, summary of review, review summary"
_NAMES: dict[Role, str] = {
    Role.SUMMARY: """
        summary, summary of the paper, summary of contributions, summary of the contributions,
        paper summary, short summary, brief summary, overall summary, summary and contributions,
        paper topic and main contributions, main contributions, title, overall, overall
        assessment, overall
        evaluation, overall recommendation, recommendation, conclusion, decision, justification,
        justification of score, reasons for score
    """,
    Role.STRENGTHS: """
        strengths, summary of strengths, reasons to accept, reasons for acceptance, reasons to
        accept the paper, positive aspects, positives, what i liked, contributions
    """,
    Role.WEAKNESSES: f"""{_SIFTED_NAMES},
        weaknesses, summary of weaknesses, reasons to reject, reasons for rejection, reasons to
        reject the paper, negative aspects, negatives, missing references, areas for
        improvement, room for improvement
    """,
    Role.MIXED: f"""{_CLOSING_NAMES},
        text, review, main review, comments, strength and weaknesses, strengths and weaknesses,
        other strengths and weaknesses, clarity quality novelty and reproducibility, quality
        clarity originality and significance, detailed review, detailed comments, technical
        quality, correctness, related work, experiments, presentation, writing
    """,
    Role.QUESTIONS: """
        questions, questions for authors, questions for the authors, questions to authors,
        questions to the authors, questions and suggestions for the authors, questions for
        rebuttal, questions for the rebuttal, clarification questions, clarifications
    """,
    Role.REQUESTS: """
        requested changes, comments suggestions and typos, other comments or suggestions, other
        comments and suggestions, additional feedback, suggestions, suggestions for improvement,
        suggestions for improvements, typos, typos and minor issues, typos grammar style and
        presentation improvements, additional comments, minor comments, minor issues, minor
    """,
    Role.LIMITATIONS: """
        limitations, limitations and societal impact, limitations and potential negative
        societal impact, societal impact, broader impact concerns, broader impact
    """,
    Role.LATE: """
        final justification, post rebuttal, after rebuttal, update after rebuttal, post rebuttal
        update, after rebuttal update, post rebuttal comments, comments after rebuttal, after
        the rebuttal, update after author response, after author response, after rebuttal
        thoughts, update, updates, post discussion, after discussion, rebuttal response,
        response to rebuttal
    """,
    Role.IGNORE: """
        references, reference, refs, ref, bibliography, supplementary material, code of conduct,
        ethical concerns, ethics review, details of ethics concerns, ethics flag, flag for
        ethics review, needs ethics review, ethics review area, first time reviewer, llm usage,
        paper id, license agreement, code of conduct acknowledgement, responsible reviewing
        acknowledgement, reproducibility justification, knowledge of paper
    """,
    Role.SCORES: """
        rating, score, confidence, reviewer confidence, soundness, contribution, excitement,
        audience, datasets, software, experience assessment, technical novelty and significance,
        empirical novelty and significance, decision recommendation, paper rating,
        recommendation confidence, review assessment thoroughness in paper reading, review
        assessment checking correctness of derivations and theory, review assessment checking
        correctness of experiments
    """,
}
"""Names of boxes on forms, by what they are for."""


def _split(names: str) -> list[str]:
    return [" ".join(name.split()) for name in names.split(",")]


_ROLE_OF = {name: role for role, names in _NAMES.items() for name in _split(names)}
_SIFTED = frozenset(_split(_SIFTED_NAMES))
"""Boxes that are asked for criticism (ICML 2025, TMLR), and in practice also confirm and praise."""
_CLOSING = frozenset(_split(_CLOSING_NAMES))
_SUBJECTS = frozenset(
    {"experiments", "writing", "presentation", "related work", "correctness", "technical quality"}
    | {"soundness", "contribution", "audience", "datasets", "software", "main contributions"}
)
"""Names that, written inside a box, say what a remark is about and not what the box is for."""

_TOPIC_WORDS = """
clarity quality novelty reproducibility originality significance technical writing presentation
correctness soundness
"""
_TOPICS = frozenset(_TOPIC_WORDS.split())
_WORDS: dict[Role, str] = {
    Role.STRENGTHS: """
        strength strengths strenghts strenght stength stengths strong pro pros merits advantages
        positives positive
    """,
    Role.WEAKNESSES: """
        weakness weaknesses weakneses weaknessess weaknes weak con cons flaw flaws concern
        concerns drawback drawbacks negatives negative issues issue shortcomings disadvantages
        criticism criticisms
    """,
    Role.QUESTIONS: """
        question questions clarifications
    """,
    Role.REQUESTS: """
        suggestion suggestions typo typos nits nitpicks nit minor minors corrections
        improvements
    """,
    Role.LIMITATIONS: """
        limitations limitation
    """,
}
_KINDS = {word: role for role, words in _WORDS.items() for word in words.split()}
"""Single words of headings, as they are also misspelt, by what they announce."""
_FILLER_WORDS = """
the of this paper main major key some other others additional further potential possible few
comments comment points point detailed details specific general and or for authors author my list
remarks remark feedback things notes note more aspects aspect areas work contributions to w s q in
experimental technical on errors small a following include are is as follows clarity writing
presentation remaining primary significant big open rebuttal potential
"""
_FILLERS = frozenset(_FILLER_WORDS.split())
"""Words that stand beside strengths or weaknesses in headings and change nothing."""

_ANNOUNCING_WORDS = """
manuscript submission publication has have had i see we with what follows following given below here
there two three four five several proposed method approach think believe opinion view think mainly
can be summarized listed however but also
"""
_ANNOUNCING = _FILLERS | frozenset(_ANNOUNCING_WORDS.split())
"""Words that may stand beside them in a line that ends with a colon."""
_VERDICTS = {
    **dict.fromkeys(("reject", "rejection", "rejecting"), Role.WEAKNESSES),
    **dict.fromkeys(("accept", "acceptance", "accepting"), Role.STRENGTHS),
}
"""What reasons for a verdict are."""
_LONG_KINDS = ("strengths", "weaknesses", "questions", "limitations", "suggestions")
_ALIKE = 0.82
_LEAST_LETTERS = 6

_PLURAL = re.compile(r"\((?:es|s)\)")
_BRACKETS = re.compile(r"\s*\([^()]{0,60}\)?\s*$")
_CLEAN = re.compile(r"[^a-z0-9]+")


def plain_name(name: str) -> str:
    """A field name or heading in lower case, its words separated by single spaces."""
    return _CLEAN.sub(" ", name.lower().replace("&", " and ")).strip()


@lru_cache(maxsize=4096)
def _kind_of(word: str) -> Role | None:
    """What a word announces, misspelt ones by the long word that they are nearly."""
    kind = _KINDS.get(word)
    if kind is not None or len(word) < _LEAST_LETTERS or word.endswith(("en", "ened", "ening")):
        return kind
    alike = [long for long in _LONG_KINDS if long[0] == word[0]]
    near = difflib.get_close_matches(word, alike, n=1, cutoff=_ALIKE)
    return _KINDS[near[0]] if near else None


def _kinds_together(words: list[str], fillers: frozenset[str] = _FILLERS) -> Role | None:
    named = {word: _kind_of(word) for word in words if word not in fillers}
    if words[0].startswith("reason") or "reasons" in words:
        named = {
            word: _VERDICTS.get(word, kind) for word, kind in named.items() if word != "reasons"
        }
    if not named or None in named.values():
        return None
    kinds = set(named.values())
    if Role.STRENGTHS in kinds:
        return Role.STRENGTHS if len(kinds) == 1 else Role.MIXED
    for role in (Role.WEAKNESSES, Role.QUESTIONS, Role.LIMITATIONS):
        if role in kinds:
            return role
    return Role.REQUESTS


def _only_topics(words: list[str]) -> bool:
    rest = [word for word in words if word not in {"and", "the", "of", "technical"}]
    return bool(rest) and all(word in _TOPICS for word in rest)


class Level(StrEnum):
    """How much a heading inside a review governs."""

    FORM = "form"  # a box of the form
    SIDE = "side"  # strengths or weaknesses, questions, minor issues: changes the role
    TOPIC = "topic"  # clarity, experiments: the role stays what it was


_LONGEST_HEADING = 9
"""Words of the longest heading that is looked at."""


def heading_kind(heading: str, *, announces: bool = False) -> tuple[Role, Level] | None:
    """The role a heading inside a review names and what it governs, or None if it is none.

    Args:
        heading: Without its ornaments; brackets at its end are left out.
        announces: Whether the line ends with a colon, so that it may be a short sentence.
    """
    plain = plain_name(heading)
    words = plain.split()
    if not words or len(words) > _LONGEST_HEADING:
        return None
    if _is_late(words):
        return Role.LATE, Level.FORM
    if plain in _ROLE_OF and plain not in _SUBJECTS:
        role = _ROLE_OF[plain]
        return role, Level.SIDE if len(words) == 1 and plain in _KINDS else Level.FORM
    if plain in _SUBJECTS or _only_topics(words):
        return Role.MIXED, Level.TOPIC
    bare = plain_name(_BRACKETS.sub("", _PLURAL.sub("s", heading))).split()
    together = _kinds_together(bare or words, _ANNOUNCING if announces else _FILLERS)
    return None if together is None else (together, Level.SIDE)


def _is_late(words: list[str]) -> bool:
    """Whether a heading announces words written after the authors' response."""
    times = {"after", "post", "update", "updates", "updated", "posthoc", "edit"}
    return bool(times & set(words)) and bool(
        {"rebuttal", "response", "responses", "discussion", "posthoc"} & set(words)
    )


def is_sifted(name: str) -> bool:
    """Whether a box asked for criticism (ICML 2025, TMLR) in practice also confirms and praises."""
    return plain_name(name) in _SIFTED


def is_closing(name: str) -> bool:
    """Whether a box or heading is for a summary of the review itself, which mostly repeats it."""
    return plain_name(name) in _CLOSING


def known_role(name: str) -> Role | None:
    """The role of a text box by its name on the form; None if it is not known."""
    plain = plain_name(name)
    named = _ROLE_OF.get(plain)
    return _kinds_together(plain.split()) if named is None else named


def first_boxes(review: Review) -> dict[str, str]:
    """The boxes of a review without those that are written after the discussion."""
    return {name: text for name, text in review.fields.items() if field_role(name) != Role.LATE}


def field_role(name: str) -> Role:
    """The role of a text box by its name on the form; an unknown box is mixed."""
    return known_role(name) or Role.MIXED
