"""The scales in words, as the codebooks in `annotations/` have them; a test holds them together."""

from __future__ import annotations

from dataclasses import dataclass

from reviewscore.annotate.rules import Codebook, Value
from reviewscore.schema.annotation import VALUES, LabelField
from reviewscore.schema.presupposition import NOT_VISIBLE, Supplies


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
    """A field with its question, its values (none of presuppositions) and the codebook's advice."""

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
    LabelField.KIND: (
        ("says that something is wrong or lacking", "There is no ablation."),
        ("asks for, or suggests, something more or other", "Please add an ablation."),
        ("asks for information", "Which learning rate was used?"),
        ("praise, a verdict, thanks, a pointer, a fragment: no point", "I lean to accept."),
    ),
    LabelField.STANDING: (
        ("surely not: with the passages in view nobody would write it", ""),
        ("probably not", ""),
        ("open: fair reviewers would differ", ""),
        ("probably", ""),
        ("surely", ""),
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
_ADVICE[LabelField.KIND] = (
    "Kind and type are apart: “Please add an ablation, as the gain is small” is a request and an "
    "argument.",
    "“Please state the learning rate” is a question.",
    "None ends the point: nothing else is asked of it.",
)
_ADVICE[LabelField.STANDING] = (
    "Read the nearest passages first.",
    "An answer that is there but does not convince is there: the score says so, and the doubt goes "
    "into standing.",
    "A true remark that the authors make themselves can stand.",
)
_ADVICE[LabelField.PRESUPPOSITIONS] = (
    "A wish takes for granted that the thing is missing, a hedge what it hedges.",
    "Write each as a sentence about the paper that could be looked up; one to four.",
    "A passage a line, verbatim; at most four.",
    "What is a matter of taste alone takes nothing for granted: state none.",
)
_SECOND: dict[LabelField, tuple[tuple[tuple[str, str], ...], tuple[str, ...]]] = {
    LabelField.TYPE: (
        (
            ("asks for information or a reason", "How many seeds were used?"),
            ("a weakness or request without one", "The evaluation is weak."),
            (
                "a weakness or request with at least one reason or fact of its own that supports "
                "it",
                "With a single seed, the gain may be chance.",
            ),
        ),
        (
            "Facts that support the weakness make it an argument, without a marker word too; a "
            "bare purpose (“to assess robustness”) is no reason.",
            "A question that carries a criticism is typed by what would settle it: an answer, a "
            "question; new work or a change, a claim or argument.",
            "“Could you add an ablation?” is a claim (a request).",
        ),
    ),
    LabelField.UNANSWERABILITY: (
        (
            ("definitely answerable: a passage says it", ""),
            ("probably answerable: it follows from passages, or is mostly answered", ""),
            ("no verdict: it cannot be decided, or only what is not visible would decide", ""),
            ("probably unanswerable: hints, or hardly answered", ""),
            ("definitely unanswerable", ""),
        ),
        (
            "The appendix is part of the paper; a supplement that the text lacks is not visible: "
            "3.",
            "Partly answered is 2 (mostly) or 4 (hardly), never 3.",
            "The answer need not be a good one: the doubt goes into standing.",
            "Do not use the authors' response to find the answer; it came after the question.",
        ),
    ),
    LabelField.FACTUALITY: (
        (
            ("definitely false: a passage contradicts it", "There is no ablation."),
            ("probably false", ""),
            ("no verdict: it cannot be decided, or only what is not visible would decide", ""),
            ("probably true", ""),
            ("definitely true", ""),
        ),
        (
            "A request is judged by whether the thing asked for is missing, not by whether it is "
            "needed.",
            "An answer that is there but does not convince is there; the doubt goes into standing.",
            "A half-true remark is judged by its main part.",
            "Matters of judgment: by whether the facts that they rest on are so; where nothing "
            "checkable is said, 4 if a fair expert could say it of this paper, else 2 or 3.",
        ),
    ),
}
"""What codebook 2 says in place of the first."""
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
    LabelField.KIND: ("Kind", "What does the remark do?"),
    LabelField.STANDING: (
        "Standing",
        "Would a fair reviewer who has the nearest passages before their eyes still make this "
        "remark, as it is meant?",
    ),
    LabelField.PRESUPPOSITIONS: (
        "Presuppositions",
        "What does the remark take for granted about the paper, and is it so?",
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


TRUE: tuple[Choice, ...] = tuple(
    Choice(value, str(value), str(value), meaning)
    for value, meaning in (
        (1, "surely not so"),
        (2, "probably not so"),
        (3, "open"),
        (4, "probably so"),
        (5, "surely so"),
        (NOT_VISIBLE, "the text lacks the place that would decide"),
    )
)
"""Whether a presupposition is so."""
SUPPLIES: tuple[Choice, ...] = tuple(
    Choice(value, value, value.replace("_", " "), meaning)
    for value, meaning in (
        (Supplies.FULLY, "all of it is there"),
        (Supplies.MOSTLY, "the main thing is there"),
        (Supplies.PARTLY, "some of it is there"),
        (Supplies.TOPIC_ONLY, "the paper speaks of the matter and supplies nothing"),
        (Supplies.NO, "nothing is there"),
    )
)
"""How far the paper holds what a presupposition says is lacking."""


def _choices(field: LabelField, words: tuple[tuple[str, str], ...]) -> tuple[Choice, ...]:
    rows = zip(VALUES.get(field, ()), words, strict=True)
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


def _scale(field: LabelField, codebook: Codebook) -> LabelScale:
    words, advice = _WORDS.get(field, ()), _ADVICE[field]
    if codebook is Codebook.SECOND and field in _SECOND:
        words, advice = _SECOND[field]
    return LabelScale(field, *_TITLES[field], _choices(field, words), advice)


SCALES: dict[Codebook, dict[LabelField, LabelScale]] = {
    codebook: {field: _scale(field, codebook) for field in LabelField} for codebook in Codebook
}
"""All scales of each codebook, by field."""


def scale_of(
    field: LabelField, codebook: Codebook, *, premise: bool, question: str = ""
) -> LabelScale:
    """The scale of a field as it is asked of a point or of a premise."""
    # Of premises codebook 2 says nothing of its own.
    scale = SCALES[Codebook.FIRST if premise else codebook][field]
    if field is not LabelField.FACTUALITY:
        return scale
    if premise:
        asked = "Is this premise, by itself, true?"
        return LabelScale(field, scale.title, asked, scale.choices, _PREMISE_ADVICE)
    return LabelScale(field, scale.title, question or scale.question, scale.choices, scale.advice)
