"""What came of a trial: a verdict, a finding, or one of the things that are neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewscore.runs.folder import ERRORS, POINTS, ErrorRecord
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.validation.judgments import JudgedTrial, TrialState, judged_trials
from tests.validation.judged import finding, no_point, quote, score, trial

FAILED = score(status=Status.ERROR, error="no reply")


def judged_in(folder: Path, *points: PointScore, complete: bool = True) -> JudgedTrial:
    (folder / POINTS).write_text("".join(f"{point.model_dump_json()}\n" for point in points))
    (result,) = judged_trials([trial()], folder, complete=complete)
    return result


@pytest.mark.parametrize(
    ("points", "state", "flagged"),
    [
        ([score(True)], TrialState.VERDICT, True),
        ([score(False)], TrialState.VERDICT, False),
        ([score(None)], TrialState.UNKNOWN, None),
        ([FAILED], TrialState.FAILED, None),
        ([], TrialState.NO_POINT, None),
        ([no_point()], TrialState.NO_POINT, None),
        ([score(True), score(None)], TrialState.VERDICT, True),
        ([score(False), score(None)], TrialState.UNKNOWN, None),
        ([score(False), FAILED], TrialState.FAILED, None),
        ([score(False), no_point()], TrialState.VERDICT, False),
        ([finding()], TrialState.FINDING, False),
        ([finding(quote())], TrialState.FINDING, False),
        ([finding(quote(), addressed=True), finding()], TrialState.FINDING, True),
    ],
)
def test_unknown_failed_and_unsplit_remarks_are_never_a_verdict(
    tmp_path: Path, points: list[PointScore], state: TrialState, flagged: bool | None
) -> None:
    result = judged_in(tmp_path, *points)

    assert (result.state, result.flagged) == (state, flagged)


def test_what_a_run_did_not_reach_waits(tmp_path: Path) -> None:
    assert judged_in(tmp_path, complete=False).state is TrialState.PENDING


def test_a_review_that_failed_as_a_whole_failed(tmp_path: Path) -> None:
    record = ErrorRecord(what="review", review_id="r", kind="ModelError", message="gone")
    (tmp_path / ERRORS).write_text(record.model_dump_json() + "\n")

    assert judged_in(tmp_path).state is TrialState.FAILED


def test_the_lowest_score_of_a_remark_counts(tmp_path: Path) -> None:
    assert judged_in(tmp_path, score(False), score(True)).score == 2
    assert judged_in(tmp_path, score(None)).score is None


def test_passages_of_flags_count_by_whether_they_meet_an_answer(tmp_path: Path) -> None:
    unverified = quote().model_copy(update={"verified": False})
    same = quote().model_copy(update={"acknowledges": True})
    flag = score(True, evidence=(quote(), quote(10_000), unverified, same))
    passed = score(False, evidence=(quote(),))

    assert judged_in(tmp_path, flag, passed).quotes == (2, 1)


@pytest.mark.parametrize(("first", "shown"), [(1, False), (2, True), (5, True)])
def test_the_finder_is_asked_whether_its_first_passages_meet_an_answer(
    tmp_path: Path, first: int, shown: bool
) -> None:
    assert judged_in(tmp_path, finding(quote(10_000), quote())).shown_among(first) is shown
