"""Verdicts in careful words: what was judged, by which score, and never that someone is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from reviewscore.arguments.aggregate import is_link, round_half_up
from reviewscore.config import EMBEDDED
from reviewscore.papers.versions import doubt_words
from reviewscore.printable import counted
from reviewscore.schema.argument import Argument, ArgumentState, Failure, Round
from reviewscore.schema.calibration import Calibrated
from reviewscore.schema.later_remark import LaterKind, LaterRemark
from reviewscore.schema.paper import Doubt, Evidence
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.proof import Validity
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.scale import (
    FACTUALITY,
    FIVE_POINTS,
    PREMISE_FACTUALITY,
    STANDING,
    UNANSWERABILITY,
    UNTRIVIALNESS,  # noqa: F401 - for templates
)
from reviewscore.schema.verdict import (
    Finding,
    KnowledgeSource,
    Rating,
    UnknownReason,
    Verdict,
    panel_split,
    spread,
)

SOURCES = {
    KnowledgeSource.GIVEN_PAPER: "judged by the paper",
    KnowledgeSource.ANNOTATOR_KNOWLEDGE: "judged by knowledge of the field",
    KnowledgeSource.OTHER_PAPERS: "needs other papers",
}
FINDING_NAMES = {
    Finding.ADDRESSED: "the paper speaks to this",
    Finding.PASSAGES: "closest passages",
    Finding.CANNOT_JUDGE: "cannot judge",
}
"""What the embedded judge's findings are called, those to read first first."""
STATES = {
    ArgumentState.ACCEPTED: "valid and judged faithful",
    ArgumentState.VALID_UNJUDGED: "valid; faithfulness was not judged",
    ArgumentState.UNFAITHFUL: "rounds ran out: not judged faithful",
    ArgumentState.CIRCULAR: "rounds ran out: circular",
    ArgumentState.TAUTOLOGICAL: "rounds ran out: the conclusion is true by logic alone",
    ArgumentState.INVALID: "rounds ran out: not valid",
    ArgumentState.INCONSISTENT: "rounds ran out: premises contradict each other",
    ArgumentState.ILL_FORMED: "rounds ran out: formulas could not be read",
    ArgumentState.ILL_TYPED: "rounds ran out: names were used in two ways or not explained",
    ArgumentState.UNKNOWN: "rounds ran out: the solver could not tell",
}
VALIDITIES = {
    Validity.VALID: "valid",
    Validity.INVALID: "not valid",
    Validity.INCONSISTENT_PREMISES: "premises contradict each other",
    Validity.UNKNOWN: "validity unknown",
    Validity.ILL_FORMED: "formulas could not be read",
}
FAILURES = {
    Failure.FACT: "a fact",
    Failure.LINK: "its conclusion alone",
    Failure.MIXED: "both",
}
"""By what an argument fails, as filters name it."""
INFERRED = "The facts hold, the conclusion does not follow"
"""Heading of arguments that fail by their inference alone; their leads follow."""
INFERRED_LEAD = (
    "What these say of the paper is not judged false, but what they make of it. Where no passage "
    "stands below, that is the judge's word alone."
)
INFERRED_TO_AUTHOR = "Grant the facts, and answer what is concluded from them."
INFERENCE_KINDLY = (
    "What this point says of the paper seems to hold; a passage may bear on what it concludes."
)
"""How a note to the reviewer of such an argument begins."""
NO_QUOTE = "No quote for this was found in the paper: the verdict is the judge's word alone"
"""Stands beside a point that is judged misinformed without a verified quote."""


UNSEEN = "reviewers could not see this"
"""Stands beside a passage that came after the reviews."""


def unseen_words(doubt: Doubt) -> str:
    """Why reviewers could not see a passage."""
    return f"{UNSEEN}: it {doubt_words(doubt)}"


def passage_doubts(score: PointScore) -> tuple[Doubt, ...]:
    """Why a point is not flagged although a judge would: what it rests on came after the reviews.

    Empty for all others, also for those that are flagged for another reason.
    """
    if score.misinformed is not None or score.finding is Finding.ADDRESSED:
        return ()
    return tuple(doubt for doubt in score.doubts if doubt.kind.of_passages)


def not_flagged_words(score: PointScore, doubts: Sequence[Doubt]) -> str:
    """Why a point carries no flag, or is not addressed, although a judge would have called it so.

    Args:
        score: The point.
        doubts: Those about what speaks against it.
    """
    where = "; ".join(dict.fromkeys(f"it {doubt_words(doubt)}" for doubt in doubts))
    if score.finding is not None:
        return f"What the paper says to this came after the reviews: {where}."
    scores = [doubt.score for doubt in doubts if doubt.score is not None]
    judged = f" (judged {min(scores)}/5 on it, which does not count)" if scores else ""
    return f"Not flagged: what speaks against this point came after the reviews{judged}: {where}."


def seen_words(score: PointScore) -> str:
    """How much of the paper the judge of a point saw, in words; empty where that is all of it."""
    if score.excerpts is None:
        return ""
    words = f"Judged on excerpts ({score.excerpts.share:.0%} of the paper)".replace("%", " %")
    if score.reason is not UnknownReason.EXCERPTS:
        return f"{words}."
    return (
        f"{words}: that the paper lacks something cannot be told from them, nor is anything held "
        "against a point without a passage; what the judge said does not count."
    )


ACKNOWLEDGED = "the authors state this too"
"""Stands beside a passage that confirms what a point criticises, and answers nothing."""


def quote_place(quote: Evidence) -> str:
    """Where a passage stands, whether it confirms the point, and whether it could not be seen."""
    unseen = None if quote.doubt is None else unseen_words(quote.doubt)
    acknowledged = ACKNOWLEDGED if quote.acknowledges else None
    return "; ".join(part for part in (quote.place, acknowledged, unseen) if part)


PASSAGES_SHOWN = 3
"""Passages of a finding that are shown; pages unfold the others."""


def further_words(count: int) -> str:
    """What further passages are called where they unfold."""
    return counted(count, "more passage")


def answer_label(verdict: Verdict) -> str:
    """What an answer to a question is called: found in the paper only where a quote shows it."""
    found = any(quote.verified for quote in verdict.evidence)
    return "Answer found in the paper" if found else "Answer as the judge gives it"


@dataclass(frozen=True)
class Headline:
    """A verdict in one line.

    Attributes:
        words: The verdict in words.
        short: The same for a table.
        tone: ``s1`` .. ``s5``, ``addressed``, ``passages``, ``unknown`` or ``error``: the name of
            its colour.
        order: Sorts what asks for attention first: misinformed points (those whose facts hold
            last), or those that the paper speaks to, then the others, then unknown ones, then
            failures.
        misinformed: ``yes``, ``no``, ``unknown``, or empty for the embedded judge.
    """

    words: str
    short: str
    tone: str
    order: float
    misinformed: str


def headline(score: PointScore) -> Headline:
    """The verdict on a point in careful words."""
    if score.status is Status.ERROR:
        return Headline("not judged: something failed", "failed", "error", 9, _known(score))
    if score.reason is not None:
        words, short, order = _OF_REASONS[score.reason]
        if score.reason is UnknownReason.EXCERPTS and score.excerpts is None:
            words, short = "unknown: not all of the paper was seen", "unknown: paper seen in part"
        return Headline(words, short, "unknown", order, _known(score))
    if score.finding is not None:
        return _OF_FINDINGS[score.finding]
    if score.deciding_argument is not None:
        return _of_argument(score)
    if score.base is None:
        return Headline("unknown: no verdict was reached", "unknown", "unknown", 8, "unknown")
    return (_of_whole if score.protocol is None else _of_standing)(score, score.base)


def kind_beside_type(score: PointScore) -> str:
    """The kind of a point where its type lets expect another one; else empty."""
    if score.kind is None or not score.is_point:
        return ""
    asks = score.type is PointType.QUESTION
    expected = PointKind.QUESTION if asks else PointKind.CRITICISM
    return "" if score.kind is expected else score.kind.value


_REPEAT = 160
"""Characters of a repeat that are shown."""


def occurrence_words(score: PointScore) -> str:
    """Where else in its review a point is said, with the words there; empty for most points."""
    places = []
    for again in score.occurrences:
        text = " ".join(again.text.split())
        cut = text if len(text) <= _REPEAT else f"{text[:_REPEAT].rsplit(' ', 1)[0]} …"
        places.append(f"{again.section} (“{cut}”)")
    return f"also in {', in '.join(places)}" if places else ""


def _known(score: PointScore) -> str:
    if score.judge == EMBEDDED:
        return ""
    return {True: "yes", False: "no", None: "unknown"}[score.misinformed]


_OF_REASONS = {
    UnknownReason.AFTER_REVIEW: (
        "not flagged: what speaks against it came after the reviews",
        "not flagged: after the reviews",
        7.5,
    ),
    UnknownReason.EXCERPTS: (
        "unknown: judged on excerpts, which cannot show what a verdict would need",
        "unknown: excerpts",
        8.0,
    ),
    UnknownReason.NO_POINT: ("not judged: no review point", "no review point", 8.5),
    UnknownReason.CONTESTED: (
        "unknown: looks at it differ on whether it is misinformed",
        "unknown: looks differ",
        7.1,
    ),
    UnknownReason.UNPROVED: (
        "not flagged: judged not to stand, but no passage of the paper shows why",
        "not flagged: no passage",
        7.2,
    ),
    UnknownReason.NOT_VISIBLE: (
        "unknown: what would decide is not in the text at hand",
        "unknown: not visible",
        7.6,
    ),
}
"""The words of a verdict that is not there, in short too, and its order."""
_OF_FINDINGS = {
    Finding.ADDRESSED: Headline(
        "the paper speaks to this (passage)", "the paper speaks to this", "addressed", 1.0, ""
    ),
    Finding.PASSAGES: Headline(
        "closest passages, which may or may not bear on it", "closest passages", "passages", 2.0, ""
    ),
    Finding.CANNOT_JUDGE: Headline("cannot judge", "cannot judge", "unknown", 8.0, ""),
}


def _of_whole(score: PointScore, base: int) -> Headline:
    scale = score.verdict.scale if score.verdict else "factuality"
    scales = {UNANSWERABILITY.name: UNANSWERABILITY, STANDING.name: STANDING}
    meaning = scales.get(scale, FACTUALITY)[base]
    if base < FIVE_POINTS.middle:
        lead = "judged misinformed" if base == 1 else "judged likely misinformed"
        words = f"{lead} ({base}/5): {meaning}"
    elif base == FIVE_POINTS.middle:
        lead = "judged undecided"
        words = f"no verdict either way ({base}/5)"
    else:
        lead = "not judged misinformed"
        words = f"{lead} ({base}/5): {meaning}"
    return Headline(words, f"{lead} ({base}/5)", f"s{base}", float(base), _known(score))


def _of_standing(score: PointScore, base: int) -> Headline:
    """Ranked by standing, then by the probability that an expert would call the point wrong."""
    shown = _of_whole(score, base)
    words, short = shown.words, shown.short
    if score.misinformed is False and score.acknowledged:
        short = f"not misinformed: the authors state it ({base}/5)"
    elif score.misinformed is False and score.supplied:
        short = f"not misinformed: the paper speaks to it ({base}/5)"
    order = base - (score.probability or 0) / 10
    return Headline(words, short, shown.tone, round(order, 2), shown.misinformed)


def _of_argument(score: PointScore) -> Headline:
    """The conjunction decides; the weighted average only says how far (1..5)."""
    weighted = score.advanced.score if score.advanced else None
    ratings = [
        premise.verdict.factuality
        for premise in (score.argument.premises if score.argument else ())
        if premise.verdict and premise.verdict.factuality is not None
    ]
    if score.misinformed is None or not ratings:
        words = "unknown: the premises could not all be judged"
        return Headline(words, "unknown", "unknown", 8, _known(score))
    lowest = min(ratings)
    mean = "" if weighted is None else f", weighted score {weighted:.1f}"
    # As the words that are shown with it sort: by the lowest premise, among the same by the mean.
    order = lowest + (lowest if weighted is None else weighted) / 10
    if score.argument is not None and by_inference(score):
        lead = inference_words(score.argument)
        words = f"{lead}: the link is judged {PREMISE_FACTUALITY[lowest]} ({lowest}/5){mean}"
        short = f"conclusion does not follow ({lowest}/5)"
        # After those with a false fact: their lowest premise has 2, and their mean at most 5.
        return Headline(words, short, f"s{lowest}", 2.6 + order / 100, "yes")
    if score.misinformed:
        lead = "judged misinformed" if lowest == 1 else "judged likely misinformed"
        mixed = ", and its conclusion does not follow" if score.failure is Failure.MIXED else ""
        words = (
            f"{lead}: a premise is judged {PREMISE_FACTUALITY[lowest]} ({lowest}/5){mixed}{mean}"
        )
        return Headline(words, f"{lead} ({lowest}/5)", f"s{lowest}", order, "yes")
    words = f"not judged misinformed: no premise is judged false (lowest {lowest}/5{mean})"
    rounded = 0 if weighted is None else round_half_up(weighted)
    tone = f"s{max(FIVE_POINTS.middle, rounded)}"
    return Headline(words, f"not judged misinformed ({lowest}/5)", tone, order, "no")


def by_inference(score: PointScore) -> bool:
    """Whether a misinformed argument fails by its inference alone: its facts hold."""
    return score.failure is Failure.LINK


def inferred_words(count: int) -> str:
    """How many further arguments fail by their inference alone, as a sentence that follows one."""
    if not count:
        return ""
    return f" Of {counted(count, 'argument')} more the facts hold, the conclusion does not follow."


def inference_words(argument: Argument) -> str:
    """What is said of an argument that fails by its inference alone.

    A fact without a verdict either way (3 of 5) is not false, which is less than that it holds.
    """
    facts = [premise.verdict for premise in argument.premises if not is_link(premise)]
    open_fact = any(fact is not None and fact.factuality == FIVE_POINTS.middle for fact in facts)
    held = "no fact of it is judged false" if open_fact else "its facts hold"
    return f"{held}, its conclusion does not follow"


ROUNDS = {
    ArgumentState.ACCEPTED: "valid and judged faithful",
    ArgumentState.VALID_UNJUDGED: "valid; faithfulness not judged",
    ArgumentState.UNFAITHFUL: "valid, but not judged faithful",
    ArgumentState.CIRCULAR: "circular: a premise says what is to be shown",
    ArgumentState.TAUTOLOGICAL: "the conclusion is true by logic alone",
    ArgumentState.INVALID: "not valid",
    ArgumentState.INCONSISTENT: "premises contradict each other",
    ArgumentState.ILL_FORMED: "formulas could not be read",
    ArgumentState.ILL_TYPED: "names used in two ways or not explained",
    ArgumentState.UNKNOWN: "validity unknown",
}
"""What came of one round of the loop."""


def unaided_words(score: PointScore) -> str:
    """What is said of a point without the authors' response, beside what is said with it."""
    alone = score.without_response
    assert alone is not None
    words = {True: "misinformed", False: "not misinformed", None: "unknown"}
    now, before = words[score.misinformed], words[alone.misinformed]
    if now == before:
        return f"Judged with the authors' response; without it {before} as well."
    return f"Judged with the authors' response: {now}; without it: {before}."


def calibrated_words(calibrated: Calibrated) -> str:
    """What a calibration by human labels makes of a point, in one line."""
    if calibrated.probability is None:
        return "Calibrated by human labels: unknown."
    side = "misinformed" if calibrated.misinformed else "not misinformed"
    score = "" if calibrated.score is None else f", score {calibrated.score:.1f}/5"
    return (
        f"Calibrated by human labels: {side}; people would call such a point misinformed with "
        f"probability {calibrated.probability:.2f}{score}."
    )


def ratings(given: tuple[Rating, ...]) -> str:
    """What each judge of a panel said, in one line; empty without a panel."""
    texts = []
    for rating in given:
        seat = f"{rating.judge} #{rating.repeat + 1}" if rating.repeat else rating.judge
        texts.append(f"{seat}: {'no usable reply' if rating.score is None else rating.score}")
    if not texts:
        return ""
    apart = spread(given)
    words = "" if apart is None else f"; {apart} apart"
    side = "; they disagree whether it is misinformed" if panel_split(given) else ""
    return f"Panel, the median counts: {', '.join(texts)}{words}{side}"


def round_passed(attempt: Round) -> bool:
    """Whether a round met every check that was made."""
    return attempt.state.passed


def later_words(remark: LaterRemark) -> str:
    """What came later than a point, in words."""
    on = "" if remark.at is None else f" on {remark.at}"
    match remark.kind:
        case LaterKind.REVISED:
            return (
                f"The review is of version {remark.version} of {remark.versions} of the paper; the "
                "point is judged against that version."
            )
        case LaterKind.REWORDED:
            return f"Reworded{on}: it was \u201c{remark.text}\u201d"
        case LaterKind.TAKEN_BACK:
            return (
                f"The reviewer took this back later, seen{on}: \u201c{remark.text}\u201d "
                "(This changes no verdict.)"
            )
        case LaterKind.REVIEWER_ANSWERS:
            return f"The reviewer answers{on}: \u201c{remark.text}\u201d"
        case LaterKind.AUTHORS_ANSWER:
            return f"The authors answer{on}: \u201c{remark.text}\u201d"
        case _:
            assert_never(remark.kind)
