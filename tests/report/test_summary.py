"""The numbers of a run: each with its n, unknown never counted as no."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.arguments.aggregate import round_half_up
from reviewscore.errors import RunFolderError
from reviewscore.report.argument_counts import LoopTally
from reviewscore.report.lines import (
    duration_words,
    failure_words,
    loop_line,
    loop_rows,
    summary_lines,
)
from reviewscore.report.summary import NamedPlaces, summarise, write_summary
from reviewscore.schema.point_score import Status
from reviewscore.stats.resampling import wilson
from tests.report.synthetic import (
    accepted_argument,
    failed_argument,
    lexical_points,
    manifest,
    model_points,
    naming_places,
    without_quotes,
    write_run,
)


def test_every_point_is_counted_once_by_type_and_state(tmp_path: Path) -> None:
    points = model_points()

    summary = summarise(write_run(tmp_path / "run", points))

    assert summary.points == len(points)
    assert sum(counts.total for counts in summary.counts.values()) == len(points)
    for status in Status:
        expected = sum(score.status is status for score in points)
        assert expected == sum(getattr(one, status.value) for one in summary.counts.values())


def test_a_share_counts_only_points_whose_answer_is_known(tmp_path: Path) -> None:
    points = model_points()
    known = [score for score in points if score.misinformed is not None]

    judged = summarise(write_run(tmp_path / "run", points)).judged

    assert judged is not None
    assert judged.overall.n == len(known)
    assert judged.overall.misinformed == sum(bool(score.misinformed) for score in known)
    assert judged.overall.share == pytest.approx(judged.overall.misinformed / len(known))


def test_the_embedded_judge_gets_no_share_of_any_kind(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", lexical_points(), made=manifest("lexical"))

    summary = write_summary(run)

    assert summary.judged is None
    assert summary.findings is not None
    assert summary.findings["question"] == {"addressed": 1, "passages": 0, "cannot_judge": 1}
    assert {(one.scored, one.unknown) for one in summary.counts.values()} == {(0, 0)}
    assert sum(one.unscored for one in summary.counts.values()) == len(lexical_points())
    assert "share" not in (run / "summary.json").read_text()
    assert not any(word in line for line in summary_lines(summary)
                   for word in ("misinformed", "unknown", "scored", "%"))  # fmt: skip
    assert any("evidence finder" in line for line in summary_lines(summary))


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, Statistics in Medicine 17, table I, method 3
        (15, 148, 0.0624, 0.1605),  # the same
        (0, 20, 0.0000, 0.1611),  # the same
        (1, 29, 0.0061, 0.1718),  # the same
    ],
)
def test_intervals_equal_published_ones(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits, n) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_share(pair: tuple[int, int]) -> None:
    low, high = wilson(*pair)

    assert 0 <= low <= pair[0] / pair[1] + 1e-12
    assert pair[0] / pair[1] - 1e-12 <= high <= 1


@pytest.mark.parametrize(("score", "expected"), [(2.5, 3), (3.49, 3), (3.5, 4), (1.0, 1)])
def test_halves_are_rounded_up(score: float, expected: int) -> None:
    assert round_half_up(score) == expected


@pytest.mark.parametrize(
    ("seconds", "words"), [(3.2, "3.2 s"), (75, "1 min 15 s"), (7260, "2 h 1 min")]
)
def test_times_are_as_coarse_as_they_are_long(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


def test_the_terminal_gets_at_most_nine_lines(tmp_path: Path) -> None:
    for name, points in (("model", model_points()), ("lexical", lexical_points())):
        made = manifest(name) if name == "lexical" else manifest(selection={"limit": 1})
        lines = summary_lines(summarise(write_run(tmp_path / name, points, made=made)))
        assert 2 <= len(lines) <= 9


def test_a_run_without_known_points_has_no_share(tmp_path: Path) -> None:
    summary = summarise(write_run(tmp_path / "run", []))

    assert summary.judged is not None
    assert summary.judged.overall.share is None
    assert any("not known" in line for line in summary_lines(summary))


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError):
        summarise(tmp_path)


def test_misinformed_points_without_a_verified_quote_are_counted(tmp_path: Path) -> None:
    points = [without_quotes(score) for score in model_points()]
    # The question has no quote left; the argument's false premise still has its own.

    summary = summarise(write_run(tmp_path / "run", points))

    assert summary.judged is not None
    share = summary.judged.overall
    assert (share.misinformed, share.unquoted) == (2, 1)
    assert summary.judged.per_type["question"].unquoted == 1
    assert any("of these 2, 1 without a verified quote" in line for line in summary_lines(summary))


def test_points_with_their_quotes_are_not_said_to_lack_them(tmp_path: Path) -> None:
    lines = summary_lines(summarise(write_run(tmp_path / "run", model_points())))

    assert not any("without a verified quote" in line for line in lines)


def test_places_are_counted_once_a_point_and_old_records_say_nothing(tmp_path: Path) -> None:
    named = summarise(write_run(tmp_path / "new", [naming_places(), *model_points()]))
    old = summarise(write_run(tmp_path / "old", model_points()))

    assert named.places == NamedPlaces(points=1, places=2, at_hand=1)
    assert old.places is None
    assert any("2 places of the paper" in line for line in summary_lines(named))


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
