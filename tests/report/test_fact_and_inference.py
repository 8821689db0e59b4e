"""Arguments whose facts hold and whose conclusion does not follow, wherever verdicts are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.arguments.aggregate import advanced, failure
from reviewscore.pages.wording import headline
from reviewscore.report.html import write_report
from reviewscore.report.lines import summary_lines
from reviewscore.report.markdown import markdown_report
from reviewscore.report.roles import Reader, faults, sheet
from reviewscore.report.summary import summarise, write_summary
from reviewscore.runs.export import export, frame, row
from reviewscore.runs.folder import Points, read_points
from reviewscore.schema.argument import Failure
from reviewscore.schema.paper import Evidence
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from reviewscore.schema.verdict import Verdict
from tests.report.synthetic import accepted_argument, model_points, point, quote, write_run

SEEDS = quote("We repeat every run with five seeds")
REMARKS = {
    Failure.FACT: "The results cannot be trusted because the authors ran every experiment once.",
    Failure.LINK: "With five seeds at most, nothing can be learnt from the results.",
    Failure.MIXED: "As one harbour was used, the network is of no use anywhere.",
    None: "Since the code is not there, the rates may be invented.",
}


def argued(
    number: int,
    fact: int | None,
    link: int | None,
    *,
    text: str = "It is so.",
    evidence: tuple[Evidence, ...] = (SEEDS,),
) -> PointScore:
    """An argument of a fact and a link, as its premises' verdicts leave it."""
    argument = accepted_argument()
    premises = tuple(
        premise.model_copy(
            update={
                "verdict": premise.verdict.model_copy(
                    update={"factuality": score, "evidence": evidence}
                )
            }
        )
        for premise, score in zip(argument.premises, (fact, link), strict=True)
        if premise.verdict is not None
    )
    found = advanced(premises)
    return point(
        number,
        text,
        type=PointType.ARGUMENT,
        base=3,
        advanced=found,
        misinformed=None if found.conjunction is None else not found.conjunction,
        verdict=Verdict(scale="factuality", score=3),
        evidence=evidence,
        argument=argument.model_copy(update={"premises": premises, "failure": failure(premises)}),
    )


SCORES = {Failure.FACT: (1, 4), Failure.LINK: (5, 2), Failure.MIXED: (2, 1), None: (None, 2)}
POINTS = {
    why: argued(number, *SCORES[why], text=REMARKS[why])
    for number, why in enumerate(SCORES, start=1)
}
INFERRED = POINTS[Failure.LINK]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", POINTS.values())


def test_of_facts_that_hold_it_is_said_that_the_conclusion_does_not_follow() -> None:
    words = {why: headline(score).words for why, score in POINTS.items()}

    assert words[Failure.LINK] == (
        "its facts hold, its conclusion does not follow: the link is judged likely false (2/5), "
        "weighted score 4.0"
    )
    assert "misinformed" not in headline(INFERRED).short
    assert words[Failure.FACT].startswith("judged misinformed: a premise")
    assert "conclusion" not in words[Failure.FACT]
    assert ", and its conclusion does not follow" in words[Failure.MIXED]
    assert words[None].startswith("judged likely misinformed: a premise")


def test_they_ask_for_attention_after_false_facts_and_before_what_is_not_misinformed() -> None:
    worst, best = (headline(argued(1, 5, link)).order for link in (1, 2))

    assert max(headline(argued(1, fact, 5)).order for fact in (1, 2)) < worst < best
    assert best < headline(argued(1, 3, 3)).order


def test_a_fact_without_a_verdict_is_not_said_to_hold() -> None:
    words = headline(argued(1, 3, 1)).words

    assert words.startswith("no fact of it is judged false, its conclusion does not follow")


def test_the_published_definition_counts_all_and_the_summary_names_what_fails(run: Path) -> None:
    judged = summarise(run).judged

    assert judged is not None and judged.failures is not None
    assert judged.overall.misinformed == judged.overall.n == 4
    counts = json.loads(write_summary(run).model_dump_json())["judged"]["failures"]
    assert counts == {"fact": 1, "link": 1, "mixed": 1, "unknown": 1}
    assert (
        "of 4 misinformed arguments, 1 fails by a fact, 1 by the inference alone (the facts hold, "
        "the conclusion does not follow), 1 by both; of 1 it is not known"
    ) in summary_lines(summarise(run))


def test_where_facts_alone_fail_nothing_is_added_to_the_lines(tmp_path: Path) -> None:
    summary = summarise(write_run(tmp_path / "run", [POINTS[Failure.FACT]]))

    assert summary.judged is not None and summary.judged.failures is not None
    assert summary.judged.failures.fact == 1
    assert not any("inference" in line for line in summary_lines(summary))


def test_reports_filter_by_what_fails_and_say_it(run: Path, tmp_path: Path) -> None:
    html = write_report(run, None, None)[0].read_text("utf-8")

    for why in Failure:
        assert html.count(f'data-failure="{why.value}"') == 1
        assert f'<option value="{why.value}">' in html
    assert html.count('data-misinformed="yes"') == 4
    assert "Of 4 misinformed arguments" in html
    assert "its facts hold, its conclusion does not follow" in markdown_report(run)
    assert html.count("links reasons to the conclusion") == 4 + 1  # and once where it is explained
    others = write_report(write_run(tmp_path / "other", model_points()[:1]), None, None)
    assert 'data-filter="failure"' not in others[0].read_text("utf-8")


def test_exports_have_a_column_of_what_fails(run: Path, tmp_path: Path) -> None:
    assert [row(score)["failure"] for score in read_points(run)] == ["fact", "link", "mixed", None]
    assert frame([run])["failure"].isna().tolist() == [False, False, False, True]
    export(run, tmp_path / "points.jsonl")
    lines = (tmp_path / "points.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[1])["argument"]["failure"] == "link"


def test_records_of_before_are_read_with_what_fails(run: Path) -> None:
    records = [json.loads(line) for line in (run / "points.jsonl").read_text().splitlines()]
    for record in records:
        record["argument"].pop("failure", None)
    (run / "points.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))

    assert [score.failure for score in read_points(run)] == list(POINTS)
    assert [score.failure for score in Points(run)] == list(POINTS)


@pytest.mark.parametrize("reader", [Reader.META_REVIEWER, Reader.AUTHOR])
def test_readers_find_them_apart_from_what_is_misinformed(reader: Reader) -> None:
    page = sheet(reader, "tides", "T", list(POINTS.values()))

    holding = {entry.point: part.heading for part in page.parts for entry in part.entries
               if entry.own}  # fmt: skip
    assert holding[INFERRED.short_name] == "The facts hold, the conclusion does not follow"
    assert len({*holding.values()}) > 1
    assert not any(
        INFERRED.short_name == entry.point
        for part in page.parts
        for entry in part.entries
        if "misinformed" in part.heading or "contradicted" in part.heading
    )


def test_the_lead_for_a_meta_reviewer_counts_them_apart() -> None:
    page = sheet(Reader.META_REVIEWER, "tides", "T", list(POINTS.values()))
    lead = page.lead

    entries = [entry for part in page.parts for entry in part.entries
               if entry.point == INFERRED.short_name and entry.own]  # fmt: skip
    assert entries[0].own[1].startswith("It presumes: Results of experiments")
    assert "3 called misinformed with proof" in lead
    assert "Of 1 argument more the facts hold, the conclusion does not follow." in lead


def test_a_note_to_the_reviewer_grants_the_facts() -> None:
    page = sheet(Reader.REVIEWER, "tides", "T", [INFERRED])

    (note,) = page.parts[0].entries
    assert "seems to hold" in note.own[0]
    assert not faults(note)
