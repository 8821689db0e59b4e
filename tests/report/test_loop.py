"""How the reconstructions went, in the form of the paper's table."""

from __future__ import annotations

from reviewscore.report.lines import failure_words, loop_line, loop_rows
from reviewscore.report.summary import LoopTally
from tests.report.synthetic import accepted_argument, failed_argument


def test_first_and_last_attempts_are_counted_apart() -> None:
    tally = LoopTally()
    tally.add(accepted_argument())
    tally.add(failed_argument())

    counts = tally.counts()

    assert (counts.first.n, counts.first.valid, counts.first.passed) == (2, 0, 0)
    assert (counts.last.n, counts.last.valid, counts.last.passed) == (2, 1, 1)
    assert (counts.last.judged, counts.last.faithful) == (1, 1)
    assert counts.mean_rounds == 3
    assert counts.failures == {"ill_formed": 1, "invalid": 2, "unfaithful": 1, "unknown": 1}
    assert failure_words(counts) == "1 ill-formed, 2 invalid, 1 unfaithful, 1 unknown"


def test_the_table_stands_beside_the_papers_figures() -> None:
    tally = LoopTally()
    tally.add(accepted_argument())
    tally.add(failed_argument())

    table = loop_rows(tally.counts())

    assert table[0] == ("validity", "0.000 (n = 2)", "0.500 (n = 2)", "0.895", "1.00")
    assert table[1][1:3] == ("–", "1.000 (n = 1)")
    assert table[3][2] == "3.00 ± 1.41"
    assert "pass rate 0.500 (n = 2), 3.00 ± 1.41 rounds" in loop_line(tally.counts())


def test_without_arguments_nothing_is_made_up() -> None:
    counts = LoopTally().counts()

    assert counts.mean_rounds is None
    assert [row[2] for row in loop_rows(counts)] == ["–"] * 4
    assert failure_words(counts) == ""
