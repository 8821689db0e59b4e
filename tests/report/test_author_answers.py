"""What authors answer, beside the points on a meta-reviewer's page: their words, and no verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewscore.points.responses import align_response
from reviewscore.report.html import write_report
from reviewscore.report.role_pages import write_for
from reviewscore.report.roles import Reader
from reviewscore.report.summary import summarise
from reviewscore.schema.author_answer import AlignmentMethod, AnswerStance
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Review
from tests.report.synthetic import PAPER, REVIEW, lexical_points, model_points, write_run

CONTESTS = "We respectfully disagree. Every run was repeated with five seeds <b>& more</b> `=1+1`."
RESPONSE = (
    "We thank the reviewer.\n\n"
    "> the authors ran every experiment only once\n\n"
    f"{CONTESTS} This is in the *text*.\n\n"
    "The baselines were not tuned: We have added their budget to the appendix.\n\n"
    "Q1: The rate was 0.003.\n\n"
    "Best regards"
)
ANSWERED = REVIEW.model_copy(update={"author_response": RESPONSE})


def answered(points: list[PointScore], review: Review = ANSWERED) -> list[PointScore]:
    found = align_response(review, points).answers
    return [
        one.model_copy(update={"author_answers": found.get(one.point_id, ())}) for one in points
    ]


def page(run: Path, out: Path, reader: Reader = Reader.META_REVIEWER, review: Review | None = None
         ) -> str:  # fmt: skip
    reviews = {} if review is None else {review.review_id: review}
    papers = {"tides": PAPER}.__getitem__
    (path,) = write_for(run, reader, papers=papers, reviews=reviews.__getitem__, out=out)
    return path.read_text("utf-8")


def test_a_meta_reviewer_reads_what_authors_say_in_their_own_words(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", answered(model_points()))

    html = page(run, tmp_path / "x.html", review=ANSWERED)

    escaped = CONTESTS.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f'<b>The authors contest this:</b> “<span class="said">{escaped}</span>”' in html
    assert "<b>The authors say they changed this:</b>" in html
    assert '<b>The authors answer:</b> “<span class="said">The rate was 0.003.</span>”' in html
    assert (
        "aligned by quote (sure), since it repeats “the authors ran every experiment only" in html
    )
    assert "<b>& more" not in html


def test_the_paragraph_to_copy_holds_exact_quotes_with_their_places_and_judges_nothing(
    tmp_path: Path,
) -> None:
    points = answered(model_points())
    text = page(write_run(tmp_path / "run", points), tmp_path / "x.md").replace("\\", "")

    draft = next(line for line in text.splitlines() if line.startswith("To copy: ")
                 and "ran every experiment" in line)  # fmt: skip
    start = RESPONSE.index("We respectfully")
    end = start + len(CONTESTS)
    assert f"“{points[1].text}”" in draft
    assert f"The authors (response, characters {start} to {end}): “{CONTESTS}”" in draft
    assert "The paper (1 Method, characters " in draft
    for word in ("misinformed", "wrong", "right", "contest", "1/5"):
        assert word not in draft.replace(points[1].text, "")


def test_what_is_aligned_with_no_point_is_listed(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", answered(model_points()))

    listed = page(run, tmp_path / "x.md", review=ANSWERED).split("aligned with no point")[1]
    apart = page(run, tmp_path / "y.md").split("aligned with no point")[1]

    assert "We thank the reviewer" in listed
    assert "Best regards" in listed
    assert "disagree" not in listed.split("##")[0]
    assert "not at hand" in apart


def test_records_of_before_are_aligned_when_the_page_is_made(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", model_points())

    assert "authors contest this" in page(run, tmp_path / "x.md", review=ANSWERED)
    assert "that the authors answer" not in page(run, tmp_path / "y.md")
    assert "<script>" not in page(run, tmp_path / "z.html", review=REVIEW)


@pytest.mark.parametrize("reader", [Reader.REVIEWER, Reader.AUTHOR])
def test_other_readers_pages_hold_nothing_of_the_response(tmp_path: Path, reader: Reader) -> None:
    bare = write_run(tmp_path / "bare", model_points())
    run = write_run(tmp_path / "run", answered(model_points()))

    for ending in ("md", "html"):
        with_answers = page(run, tmp_path / f"x.{ending}", reader, ANSWERED)
        assert with_answers == page(bare, tmp_path / f"y.{ending}", reader, REVIEW)


def test_closest_passages_which_nobody_judged_are_not_quoted_as_the_papers_answer(
    tmp_path: Path,
) -> None:
    points = answered(lexical_points())
    run = write_run(tmp_path / "run", points, made=None)

    drafts = [line for line in page(run, tmp_path / "x.md").splitlines() if "To copy" in line]

    assert drafts
    quoted = {one.point_id: one.finding for one in points if one.author_answers}
    assert sum("The paper (" in line for line in drafts) == sum(
        finding == "addressed" for finding in quoted.values()
    )


def test_the_report_shows_answers_and_counts_them_and_verdicts_stay(tmp_path: Path) -> None:
    points = answered(model_points())
    run = write_run(tmp_path / "run", points)
    bare = write_run(tmp_path / "bare", model_points())

    html = write_report(run, None, None)[0].read_text("utf-8")
    counted = summarise(run)

    assert "The authors contest this:" in html
    assert (
        "3 of 6 points of reviews that have one: 1 contested, 1 said to be changed, 1 answered"
        in html
    )
    assert counted.aligned is not None
    assert (counted.aligned.points, counted.aligned.answered) == (6, 3)
    assert counted.aligned.stances == dict.fromkeys(AnswerStance, 1)
    assert counted.aligned.methods[AlignmentMethod.QUOTE] == 2
    before = summarise(bare)
    assert before.aligned is None
    assert counted.model_copy(update={"aligned": None}) == before
