"""Counts of reconstructed arguments: how the loop ended, and what stands beside presuppositions."""

from __future__ import annotations

import statistics
from collections import Counter

from pydantic import Field

from reviewscore.arguments.aggregate import advanced
from reviewscore.schema.argument import Argument, Round
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record


class Attempts(Record):
    """One attempt of each argument: all first ones, or all last ones.

    Attributes:
        n: Arguments.
        valid: Attempts whose conclusion follows from consistent premises without repeating one or
            being true by logic alone (stricter than the paper's validity).
        judged: Valid attempts on which a judge of faithfulness decided.
        faithful: Those judged faithful.
        passed: Attempts that met every check that was made.
    """

    n: int = 0
    valid: int = 0
    judged: int = 0
    faithful: int = 0
    passed: int = 0


class ArgumentsBeside(Record):
    """Arguments that stand beside verdicts, which do not rest on them: never added to these.

    Attributes:
        without_inference: Arguments that were not rebuilt: fewer than two reasons, no step stated.
        judged: Rebuilt ones whose premises decide: all have a factuality, or one is judged false.
        holding: Those of them without a premise that is judged false.
        failed: Arguments that came to nothing, as a judge gave no usable reply.
    """

    without_inference: int = 0
    judged: int = 0
    holding: int = 0
    failed: int = 0


class ArgumentCounts(Record):
    """How reconstructing the arguments went.

    Attributes:
        states: Arguments by the state they ended in.
        reconstructed: Points that have a reconstruction.
        mean_rounds: Mean number of rounds of these; None if there are none.
        sd_rounds: Sample standard deviation of the number of rounds; None for fewer than two.
        first: The first attempts, as without feedback.
        last: The last attempts, as with feedback.
        failures: Why rounds failed: failed rounds of all arguments by state.
        beside: Where no verdict rests on them, as of ``presupposition+proof``; None elsewhere.
    """

    states: dict[str, int]
    reconstructed: int
    mean_rounds: float | None
    sd_rounds: float | None
    first: Attempts
    last: Attempts
    failures: dict[str, int]
    beside: ArgumentsBeside | None = Field(default=None, exclude_if=lambda value: value is None)


class LoopTally:
    """Counts of arguments that come one after another."""

    def __init__(self) -> None:
        self._states: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._rounds: Counter[int] = Counter()
        self._first: Counter[str] = Counter()
        self._last: Counter[str] = Counter()
        self._beside: Counter[str] | None = None

    def add_beside(self, score: PointScore) -> None:
        """Count what stands beside a verdict that rests on something else."""
        self._beside = self._beside if self._beside is not None else Counter()
        if score.argument is None:
            self._beside["failed" if score.extraction is None else "without_inference"] += 1
            return
        self.add(score.argument)
        holds = None
        if score.argument.state.passed:
            holds = advanced(score.argument.premises).conjunction
        self._beside["judged"] += holds is not None
        self._beside["holding"] += holds is True

    def add(self, argument: Argument) -> None:
        """Count one reconstruction."""
        self._states[argument.state.value] += 1
        self._rounds[len(argument.rounds)] += 1
        for attempt in argument.rounds:
            if not attempt.state.passed:
                self._failures[attempt.state.value] += 1
        self._first.update(_counted(argument.rounds[0]))
        self._last.update(_counted(argument.rounds[-1]))

    def counts(self) -> ArgumentCounts:
        """All that was counted."""
        rounds = list(self._rounds.elements())
        return ArgumentCounts(
            states=dict(sorted(self._states.items())),
            reconstructed=len(rounds),
            mean_rounds=statistics.fmean(rounds) if rounds else None,
            sd_rounds=statistics.stdev(rounds) if len(rounds) > 1 else None,
            first=Attempts(**self._first),
            last=Attempts(**self._last),
            failures=dict(sorted(self._failures.items())),
            beside=None if self._beside is None else ArgumentsBeside(**self._beside),
        )


def _counted(attempt: Round) -> Counter[str]:
    return Counter(
        n=1,
        valid=int(attempt.finding.shows),
        judged=int(attempt.faithful is not None),
        faithful=int(attempt.faithful is True),
        passed=int(attempt.state.passed),
    )
