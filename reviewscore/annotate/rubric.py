"""The scales in words, as `annotations/codebook.md` has them; a test holds the two together."""

from __future__ import annotations

from dataclasses import dataclass

from reviewscore.annotate.rules import Value
from reviewscore.schema.annotation import VALUES, LabelField


@dataclass(frozen=True)
class Choice:
    """One value of a scale.

    Attributes:
        value: As it is kept.
        key: The key that chooses it.
        name: The value as it is shown.
        meaning: The codebook's words.
        example: An example, if the codebook has one.
    """

    value: Value
    key: str
    name: str
    meaning: str
    example: str = ""


@dataclass(frozen=True)
class LabelScale:
    """A field with its question, its values and the codebook's advice."""

    field: LabelField
    title: str
    question: str
    choices: tuple[Choice, ...]
    advice: tuple[str, ...]

    def choice(self, value: Value) -> Choice:
        """The choice of a value."""
        return next(choice for choice in self.choices if choice.value == value)


_FACTUALITY = (
    ("definitely false: a passage contradicts it", "There is no ablation."),
    ("probably false", ""),
    ("no verdict: taste, unclear, or the evidence is balanced", "The title is too playful."),
    ("probably true", ""),
    ("definitely true", ""),
)
_WORDS: dict[LabelField, tuple[tuple[str, str], ...]] = {
    LabelField.TYPE: (
        ("asks for information or a reason", "How many seeds were used?"),
        ("a weakness without a reason", "The evaluation is weak."),
        (
            "a weakness with at least one reason for it",
            "With a single seed, the gain may be chance.",
        ),
    ),
    LabelField.UNANSWERABILITY: (
        ("definitely answerable: a passage says it", ""),
        ("probably answerable: it follows from passages with little effort", ""),
        ("no verdict: the question is unclear, or only half of it is answered", ""),
        ("probably unanswerable: hints, but no answer", ""),
        ("definitely unanswerable", ""),
    ),
    LabelField.FACTUALITY: _FACTUALITY,
    LabelField.FAITHFULNESS: (
        ("more than two serious faults", ""),
        ("one or two serious faults: a reason left out or added, another conclusion", ""),
        ("more than two details should change", ""),
        ("faithful; one or two details of the premises should change", ""),
        ("faithful; nothing needs to change", ""),
    ),
    LabelField.SOURCE: (
        ("only this paper can settle it", "The method is tested on one dataset."),
        (
            "general knowledge of the field, before the paper's year, settles it",
            "Results on one dataset may not carry over to others.",
        ),
        ("it speaks of a certain other work", "The 2018 co-teaching paper uses two networks."),
    ),
    LabelField.UNTRIVIALNESS: (
        ("definitely trivial", "A result should be reproducible."),
        ("probably trivial", "With unequal classes, accuracy can mislead."),
        (
            "definitely not trivial",
            "Boosted trees fit wrong labels without a sign in the training loss.",
        ),
    ),
}
_ADVICE: dict[LabelField, tuple[str, ...]] = {
    LabelField.TYPE: (
        "A detail is not a reason: “The tables are small, such as Table 2” is a claim.",
        "A request in the form of a question asks for no information: it is a claim.",
        "“X is missing. It is therefore unclear whether Y” is an argument.",
    ),
    LabelField.UNANSWERABILITY: (
        "The appendix is part of the paper.",
        "Two questions in one point: label the harder one to answer.",
        "The answer need not be a good one.",
        "Do not use the authors' response to find the answer; it came after the question.",
    ),
    LabelField.FACTUALITY: (
        "Absence: “the paper does not do X” is true (5) once you have searched all of it, "
        "appendix included.",
        "Degree (“too few”, “limited”): judge the fact behind the word.",
        "A whole weakness with true and false parts: judge what it comes to.",
    ),
    LabelField.FAITHFULNESS: (
        "A presumed premise is no fault if the reviewer needs it.",
        "Stronger words are a fault: “may be chance” is not “is chance”.",
        "A false premise is no fault of the reconstruction: faithful to the reviewer.",
    ),
    LabelField.SOURCE: (
        "You may need the paper to understand a premise without needing it to judge it. Only "
        "judging counts.",
        "“If A, then B”: take A as true; source, factuality and untrivialness are those of B.",
    ),
    LabelField.UNTRIVIALNESS: (
        "If the source is this paper or other papers, the value is 2, unless knowledge of the "
        "field alone would settle the premise too.",
        "A common belief that is false is not trivial: 2.",
    ),
}
_PREMISE_ADVICE = (
    "Each premise is judged by itself: a false neighbour does not make it false.",
    "“If A, then B”: take A as true, even if it is false of the paper, and judge whether B "
    "follows.",
)
_TITLES = {
    LabelField.TYPE: ("Type", "Is the point a question, a claim or an argument?"),
    LabelField.UNANSWERABILITY: (
        "Unanswerability",
        "Could the question have been answered by reading the paper?",
    ),
    LabelField.FACTUALITY: ("Factuality", "Is it true?"),
    LabelField.FAITHFULNESS: (
        "Faithfulness",
        "Does the reconstruction say what the reviewer meant?",
    ),
    LabelField.SOURCE: (
        "Knowledge source",
        "What must one look at to decide whether the premise is true?",
    ),
    LabelField.UNTRIVIALNESS: (
        "Untrivialness",
        "Would an undergraduate in the subject have known it without reading anything?",
    ),
}
_NAMES: dict[Value, str] = {
    "given_paper": "this paper",
    "annotator_knowledge": "knowledge of the field",
    "other_papers": "other papers",
}
RELEVANCE: tuple[Choice, ...] = tuple(
    Choice(value, str(value), str(value), meaning)
    for value, meaning in (
        (1, "another field"),
        (2, "hardly related; the main methods are new to you"),
        (3, "the same broad field, another topic; you follow the contributions and may miss "
            "fine points"),
        (4, "a neighbouring topic whose methods you use; little to look up"),
        (5, "your own topic: you could have reviewed every detail"),
    )
)  # fmt: skip
"""How near a paper is to an annotator."""


def _choices(field: LabelField) -> tuple[Choice, ...]:
    rows = zip(VALUES[field], _WORDS[field], strict=True)
    return tuple(
        Choice(
            value,
            str(value) if isinstance(value, int) else str(number),
            _NAMES.get(value, str(value)),
            meaning,
            example,
        )
        for number, (value, (meaning, example)) in enumerate(rows, start=1)
    )


SCALES: dict[LabelField, LabelScale] = {
    field: LabelScale(field, *_TITLES[field], _choices(field), _ADVICE[field])
    for field in LabelField
}
"""All scales, by field."""


def scale_of(field: LabelField, *, premise: bool, question: str = "") -> LabelScale:
    """The scale of a field as it is asked of a point or of a premise."""
    scale = SCALES[field]
    if field is not LabelField.FACTUALITY:
        return scale
    if premise:
        asked = "Is this premise, by itself, true?"
        return LabelScale(field, scale.title, asked, scale.choices, _PREMISE_ADVICE)
    return LabelScale(field, scale.title, question or scale.question, scale.choices, scale.advice)
