"""How the reconstruction of arguments went, in the form of ReviewScore's table 5.

There, with feedback: validity 1.00, faithfulness 4.47 (rated 1 to 5 by people), pass rate 0.935,
3.09 rounds (standard deviation 2.73); without: 0.895, 2.91 and 0.369 (arXiv 2509.21679, app. C.2).
"""

from __future__ import annotations

import statistics
from collections import Counter

from reviewscore.schema.argument import Argument, Round
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
    """

    states: dict[str, int]
    reconstructed: int
    mean_rounds: float | None
    sd_rounds: float | None
    first: Attempts
    last: Attempts
    failures: dict[str, int]


class LoopTally:
    """Counts of arguments that come one after another."""

    def __init__(self) -> None:
        self._states: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._rounds: Counter[int] = Counter()
        self._first: Counter[str] = Counter()
        self._last: Counter[str] = Counter()

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
        )


def _counted(attempt: Round) -> Counter[str]:
    return Counter(
        n=1,
        valid=int(attempt.finding.shows),
        judged=int(attempt.faithful is not None),
        faithful=int(attempt.faithful is True),
        passed=int(attempt.state.passed),
    )


def rate(hits: int, n: int) -> str:
    """A share as in the paper's table, with its n; a dash if there is none."""
    return f"{hits / n:.3f} (n = {n:,})" if n else "–"


def rows(counts: ArgumentCounts) -> list[tuple[str, str, str, str, str]]:
    """The table: measure, first attempts, last attempts, and the paper's two columns."""
    first, last = counts.first, counts.last
    rounds = "–" if counts.mean_rounds is None else f"{counts.mean_rounds:.2f}"
    if counts.sd_rounds is not None:
        rounds += f" ± {counts.sd_rounds:.2f}"
    return [
        ("validity", rate(first.valid, first.n), rate(last.valid, last.n), "0.895", "1.00"),
        (
            "faithfulness (judge)",
            rate(first.faithful, first.judged),
            rate(last.faithful, last.judged),
            "2.91 of 5, by people",
            "4.47 of 5, by people",
        ),
        ("pass rate", rate(first.passed, first.n), rate(last.passed, last.n), "0.369", "0.935"),
        ("rounds", "–", rounds, "–", "3.09 ± 2.73"),
    ]


def failure_words(counts: ArgumentCounts) -> str:
    """Why rounds failed, in words; empty if none did."""
    return ", ".join(
        f"{count:,} {state.replace('_', '-')}" for state, count in counts.failures.items()
    )


def loop_line(counts: ArgumentCounts) -> str:
    """The table in one line."""
    last = counts.last
    words = (
        f"arguments: validity {rate(last.valid, last.n)}, "
        f"judged faithful {rate(last.faithful, last.judged)}, "
        f"pass rate {rate(last.passed, last.n)}, {rows(counts)[3][2]} rounds"
    )
    failed = failure_words(counts)
    return f"{words}; failed rounds: {failed}" if failed else words
