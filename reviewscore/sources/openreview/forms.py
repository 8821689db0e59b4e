"""Review forms by venue and year, one row each: what each box is for, and which scales hold.

Facts from public dumps and the venues' own forms; the lists of NeurIPS 2021 and EMNLP 2023 are
less sure than others. A form that is not here is read by the names of its boxes, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from reviewscore.schema.review import Role

_NUMBER = re.compile(r"\s*([+-]?\d{1,4}(?:\.\d{1,4})?)(?![\w.])")


@dataclass(frozen=True)
class ScoreScale:
    """The values that a form allows.

    Attributes:
        values: All of them, lowest first. Scales with gaps are ordinal: their values are never
            averaged over forms.
    """

    values: tuple[float, ...]

    @classmethod
    def between(cls, low: float, high: float, step: float = 1.0) -> ScoreScale:
        """All values from low to high."""
        return cls(tuple(low + step * at for at in range(round((high - low) / step) + 1)))

    @property
    def low(self) -> float:
        """The lowest value."""
        return self.values[0]

    @property
    def high(self) -> float:
        """The highest value."""
        return self.values[-1]


@dataclass(frozen=True)
class FormScore:
    """A score.

    Attributes:
        value: The number; None if the text names none, as "Not applicable".
        raw: What stood there, as text.
        scale: What the form allows; None if the form is not known.
    """

    value: float | None
    raw: str
    scale: ScoreScale | None

    @property
    def allowed(self) -> bool:
        """Whether the form allows the value; so it is where either is not known."""
        return self.value is None or self.scale is None or self.value in self.scale.values


def read_score(value: object, scale: ScoreScale | None) -> FormScore | None:
    """A score from ``8``, ``2.5``, ``"8: accept"``, ``"3 good"`` or ``"3.5 = ..."``.

    A leading number that ends at a word's end; never the first digit alone, as of "10: ...".

    Returns:
        The score; None if nothing stands there.
    """
    if value is None or isinstance(value, bool) or value == "":
        return None
    if isinstance(value, int | float):
        return FormScore(float(value), str(value), scale)
    if not isinstance(value, str):
        return FormScore(None, str(value), scale)
    hit = _NUMBER.match(value)
    return FormScore(None if hit is None else float(hit[1]), value, scale)


_YEAR = re.compile(r"(?:^|/)((?:19|20)\d\d)(?:/|$)")

ONE_TO_TEN = ScoreScale.between(1, 10)
ONE_TO_FIVE = ScoreScale.between(1, 5)
ONE_TO_FOUR = ScoreScale.between(1, 4)
HALVES = ScoreScale.between(1, 5, 0.5)
FOUR_STEPS = ScoreScale((1.0, 3.0, 6.0, 8.0))  # ICLR 2020
SIX_STEPS = ScoreScale((1.0, 3.0, 5.0, 6.0, 8.0, 10.0))  # ICLR 2022 to 2025

_NEVER_WORDS = """
title code_of_conduct code_of_conduct_acknowledgement responsible_reviewing_acknowledgement
flag_for_ethics_review ethics_flag ethics_review_area needs_ethics_review ethical_concerns
details_of_ethics_concerns first_time_reviewer paper_formatting_concerns time_spent_reviewing
supplementary_material license_agreement
"""
_NEVER = frozenset(_NEVER_WORDS.split())
"""Boxes of many forms that say nothing about the paper's content."""


@dataclass(frozen=True)
class Form:
    """The review form of one venue in some years.

    Attributes:
        name: As in messages.
        venue: Matches the venue's id, whole, whatever its case.
        years: First and last year; None for journals.
        roles: What a box is for, by its name on the form.
        aside: Boxes with text that the form gives no role of its own.
        rating: Name of the overall score; None if there is none.
        rating_scale: Its values.
        confidence: Name of the reviewer's confidence; None if there is none.
        scores: Further scores, with their scales.
        named_authors: Whether authors sign their comments with their own names.
    """

    name: str
    venue: re.Pattern[str]
    years: tuple[int, int] | None
    roles: Mapping[str, Role]
    aside: tuple[str, ...] = ()
    rating: str | None = "rating"
    rating_scale: ScoreScale | None = ONE_TO_TEN
    confidence: str | None = "confidence"
    confidence_scale: ScoreScale = ONE_TO_FIVE
    scores: Mapping[str, ScoreScale | None] = field(default_factory=dict)
    named_authors: bool = False

    @property
    def known(self) -> frozenset[str]:
        """All boxes and scores of the form."""
        named = {self.rating or "", self.confidence or "", *self.roles, *self.aside, *self.scores}
        return frozenset(named) | _NEVER

    def is_text(self, name: str) -> bool:
        """Whether a box holds what the reviewer wrote about the paper."""
        return name not in {self.rating, self.confidence, *self.scores} | _NEVER


def _roles(**names: str) -> dict[str, Role]:
    """Boxes by role: ``strengths="strengths reasons_to_accept"``."""
    return {name: Role(role) for role, some in names.items() for name in some.split()}


_FREE = _roles(mixed="review")
_ICLR_MAIN = _roles(summary="summary_of_the_paper", mixed="main_review strength_and_weaknesses")
_FOUR_BOXES = _roles(
    summary="summary",
    strengths="strengths",
    weaknesses="weaknesses",
    questions="questions",
    limitations="limitations",
)
_MIXED_BOX = _roles(
    summary="summary",
    mixed="strengths_and_weaknesses main_review",
    questions="questions",
    limitations="limitations limitations_and_societal_impact",
    late="final_justification",
)
_ICML = _roles(
    summary="summary",
    weaknesses="claims_and_evidence methods_and_evaluation_criteria theoretical_claims "
    "experimental_designs_or_analyses relation_to_broader_scientific_literature "
    "essential_references_not_discussed",
    mixed="other_strengths_and_weaknesses",
    questions="questions_for_authors",
    requests="other_comments_or_suggestions",
)
_TMLR = _roles(
    summary="summary_of_contributions",
    mixed="strengths_and_weaknesses",
    weaknesses="claims_explanation",
    requests="requested_changes",
)
_ARR = _roles(
    summary="paper_summary",
    strengths="summary_of_strengths",
    weaknesses="summary_of_weaknesses",
    requests="comments_suggestions_and_typos comments,_suggestions_and_typos",
)
_EMNLP = _roles(
    summary="paper_topic_and_main_contributions",
    strengths="reasons_to_accept",
    weaknesses="reasons_to_reject",
    questions="questions_for_the_authors questions_for_the_author(s)",
    requests="typos_grammar_style_and_presentation_improvements missing_references",
)
_COLM = _roles(
    summary="summary",
    strengths="reasons_to_accept",
    weaknesses="reasons_to_reject",
    questions="questions_to_authors",
)
_THREE: dict[str, ScoreScale | None] = dict.fromkeys(
    ("soundness", "presentation", "contribution"), ONE_TO_FOUR
)
_NOVELTY: dict[str, ScoreScale | None] = dict.fromkeys(
    (
        "correctness",
        "technical_novelty_and_significance",
        "empirical_novelty_and_significance",
    ),
    ONE_TO_FOUR,
)
_CHECKED: dict[str, ScoreScale | None] = dict.fromkeys(
    (
        "experience_assessment",
        "review_assessment:_thoroughness_in_paper_reading",
        "review_assessment:_checking_correctness_of_derivations_and_theory",
        "review_assessment:_checking_correctness_of_experiments",
    )
)
_OF_REVIEW = "summary_of_the_review"
_CLARITY = "clarity,_quality,_novelty_and_reproducibility"
_OF_2025: dict[str, ScoreScale | None] = dict.fromkeys(
    ("quality", "clarity", "significance", "originality"), ONE_TO_FOUR
)
_OF_ARR: dict[str, ScoreScale | None] = {
    "soundness": HALVES, "excitement": HALVES, "reproducibility": ONE_TO_FIVE,
    "datasets": ONE_TO_FIVE, "software": ONE_TO_FIVE, "best_paper": None, "ethical_concerns": None,
    "ethical_concerns_details": None, "knowledge_of_or_educated_guess_at_author_identity": None,
    "knowledge_of_paper": None, "knowledge_of_paper_source": None, "replicability": None,
}  # fmt: skip

_ICLR = re.compile(r"ICLR\.cc/\d{4}(/Conference)?", re.I)
_NEURIPS = re.compile(r"NeurIPS\.cc/\d{4}/(Conference|Track/.*)", re.I)

FORMS: tuple[Form, ...] = (
    Form("ICLR 2017", _ICLR, (2017, 2017), _FREE, named_authors=True),
    Form("ICLR 2018-2019", _ICLR, (2018, 2019), _FREE),
    Form("ICLR 2020", _ICLR, (2020, 2020), _FREE, rating_scale=FOUR_STEPS, confidence=None,
         scores=_CHECKED),
    Form("ICLR 2021", _ICLR, (2021, 2021), _FREE),
    Form("ICLR 2022-2023", _ICLR, (2022, 2023), _ICLR_MAIN, (_OF_REVIEW, _CLARITY),
         rating="recommendation", rating_scale=SIX_STEPS, scores=_NOVELTY),
    Form("ICLR 2024-2025", _ICLR, (2024, 2025), _FOUR_BOXES, rating_scale=SIX_STEPS,
         scores=_THREE),
    Form("ICLR 2026", _ICLR, (2026, 2026), _FOUR_BOXES,
         rating_scale=ScoreScale((0.0, 2.0, 4.0, 6.0, 8.0, 10.0)), scores=_THREE),
    Form("NeurIPS 2021-2022", _NEURIPS, (2021, 2022), _MIXED_BOX, scores=_THREE),
    Form("NeurIPS 2023-2024", _NEURIPS, (2023, 2024), _FOUR_BOXES, scores=_THREE),
    Form("NeurIPS 2025", _NEURIPS, (2025, 2025), _MIXED_BOX, rating_scale=ScoreScale.between(1, 6),
         scores=_OF_2025),
    Form("ICML 2025", re.compile(r"ICML\.cc/\d{4}/Conference", re.I), (2025, 2025), _ICML,
         rating="overall_recommendation", rating_scale=ONE_TO_FIVE, confidence=None),
    Form("TMLR", re.compile(r"TMLR", re.I), None, _TMLR,
         ("audience_explanation", "broader_impact_concerns"), rating=None, confidence=None,
         scores={"claims_and_evidence": None, "audience": None}),
    Form("ARR", re.compile(r"aclweb\.org/ACL/ARR/.*", re.I), (2021, 2100), _ARR,
         rating="overall_assessment", rating_scale=HALVES, scores=_OF_ARR),
    Form("EMNLP 2023", re.compile(r"EMNLP/\d{4}/Conference", re.I), (2023, 2023), _EMNLP,
         rating=None, confidence="reviewer_confidence",
         scores={"soundness": ONE_TO_FIVE, "excitement": ONE_TO_FIVE, "reproducibility": None,
                 "ethical_concerns": None}),
    Form("COLM 2024-2025", re.compile(r"colmweb\.org/COLM/\d{4}/Conference", re.I),
         (2024, 2025), _COLM, scores={"ethics_comments": None}),
)  # fmt: skip
"""All rows; a new venue or year is a new row."""


def year_of(venue: str) -> int | None:
    """The year in a venue's id; None if there is none."""
    match = _YEAR.search(venue)
    return None if match is None else int(match[1])


def form_of(venue: str) -> Form | None:
    """The row of a venue's form; None if there is none.

    Args:
        venue: Its id, such as ``ICLR.cc/2024/Conference``. Workshops have forms and scales of
            their own, and no row.
    """
    year = year_of(venue)
    for form in FORMS:
        if form.venue.fullmatch(venue) and (
            form.years is None or (year is not None and form.years[0] <= year <= form.years[1])
        ):
            return form
    return None
