"""Premise scores to one argument score (ReviewScore, arXiv 2509.21679, sec. 3.1).

Two ways: the logical conjunction, which decides whether the argument is misinformed, and the
average of factuality weighted by untrivialness. Unknown stays unknown. Beside the conjunction it is
said whether a fact fails or the inference alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from reviewscore.errors import FormulaError, InputError
from reviewscore.logic.fol import And, ForAll, Formula, Iff, Implies
from reviewscore.logic.parser import parse
from reviewscore.schema.argument import Failure, Premise
from reviewscore.schema.point_score import Advanced, PointScore
from reviewscore.schema.scale import FIVE_POINTS

AGGREGATION_VERSION = 1
"""Raise it when the same verdicts would give a point another score, status or flag."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """An average of premise scores.

    Attributes:
        score: 1..5, 5 is best, not rounded; None is unknown.
        all_trivial: All weights were 0, so `score` is the plain mean.
    """

    score: float | None
    all_trivial: bool = False


def conjunction(scores: Sequence[int | None]) -> bool | None:
    """Whether every premise is true, that is has factuality 3, 4 or 5.

    Args:
        scores: Factuality of each premise, 1..5; None is unknown.

    Returns:
        False as soon as one known premise is false; otherwise None if a score is missing or there
        are no premises.
    """
    if any(score is not None and FIVE_POINTS.misinformed(score) for score in scores):
        return False
    return None if not scores or None in scores else True


def weighted(factualities: Sequence[int | None], untrivialness: Sequence[int | None]) -> Weighted:
    """The average factuality, each premise weighted by its untrivialness: sum(u f) / sum(u).

    Where all weights are 0 it is the plain mean, marked so. A missing factuality or weight makes
    it unknown, and so does the lack of premises.

    Args:
        factualities: 1..5 for each premise; None is unknown.
        untrivialness: 0..2 for each premise, in the same order; None is unknown.

    Raises:
        InputError: The two differ in length.
    """
    if len(factualities) != len(untrivialness):
        raise InputError(
            f"{len(factualities)} factualities but {len(untrivialness)} weights; "
            "each premise has one of both"
        )
    scores = [score for score in factualities if score is not None]
    weights = [weight for weight in untrivialness if weight is not None]
    if not scores or len(scores) < len(factualities) or len(weights) < len(untrivialness):
        return Weighted(None)
    total = sum(weights)
    if total == 0:
        return Weighted(sum(scores) / len(scores), all_trivial=True)
    return Weighted(sum(u * f for u, f in zip(weights, scores, strict=True)) / total)


def advanced(premises: Sequence[Premise]) -> Advanced:
    """The ADVANCED ReviewScore of an argument, from the verdicts on its premises."""
    verdicts = [premise.verdict for premise in premises]
    factualities = _factualities(premises)
    average = weighted(
        factualities, [None if verdict is None else verdict.untrivialness for verdict in verdicts]
    )
    return Advanced(
        score=average.score,
        conjunction=conjunction(factualities),
        all_trivial=average.all_trivial,
    )


def _factualities(premises: Iterable[Premise]) -> list[int | None]:
    verdicts = (premise.verdict for premise in premises)
    return [None if verdict is None else verdict.factuality for verdict in verdicts]


def false_premises(premises: Iterable[Premise]) -> tuple[Premise, ...]:
    """Those that are judged false: factuality 1 or 2."""
    return tuple(premise for premise in premises if conjunction(_factualities([premise])) is False)


def is_link(premise: Premise) -> bool:
    """Whether a premise only carries reasons to a conclusion: implicit, and a conditional.

    A conditional is ``->`` or ``<->`` below any universal quantifiers, or several such joined by
    ``&``. A formula that cannot be read is none.
    """
    if premise.explicit:
        return False
    try:
        return _conditional(parse(premise.formula))
    except FormulaError:
        return False


def _conditional(formula: Formula) -> bool:
    match formula:
        case Implies() | Iff():
            return True
        case ForAll(_, body):
            return _conditional(body)
        case And(parts):
            return bool(parts) and all(map(_conditional, parts))
        case _:
            return False


def conjunction_of_facts(premises: Iterable[Premise]) -> bool | None:
    """`conjunction` without links: whether everything that the argument takes as a fact holds."""
    return conjunction(_factualities(premise for premise in premises if not is_link(premise)))


def failure(premises: Sequence[Premise]) -> Failure | None:
    """By what the conjunction of premises fails.

    Returns:
        None if it does not fail, or if links alone are known to be false and not all facts are
        known to hold (or there are no facts).
    """
    false = false_premises(premises)
    if not false:
        return None
    if conjunction_of_facts(premises) is False:
        return Failure.MIXED if any(map(is_link, false)) else Failure.FACT
    return Failure.LINK if conjunction_of_facts(premises) else None


def misinformed_by_facts(score: PointScore) -> bool | None:
    """Whether a point is misinformed if an argument fails by its facts alone.

    Of an argument whose premises decide the negated `conjunction_of_facts`; of all else the flag
    as it is. The published definition counts links too.
    """
    if score.argument is None or not score.argument.state.passed or score.looks:
        return score.misinformed
    holds = conjunction_of_facts(score.argument.premises)
    return None if holds is None else not holds


def with_failure(score: PointScore) -> PointScore:
    """The record with `Argument.failure`, which records of before do not hold."""
    argument = score.argument
    if argument is None or argument.failure is not None:
        return score
    why = failure(argument.premises)
    if why is None:
        return score
    return score.model_copy(update={"argument": argument.model_copy(update={"failure": why})})


def round_half_up(score: float) -> int:
    """The nearest integer of a score that is not negative; halves go up (2.5 is 3)."""
    return int(Decimal(score).quantize(Decimal(1), rounding=ROUND_HALF_UP))
