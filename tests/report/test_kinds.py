"""Kind and repeats of a point on pages; what is no point stands apart and counts nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewscore.pages.wording import headline, kind_beside_type, occurrence_words
from reviewscore.report.html import write_report
from reviewscore.report.lines import summary_lines
from reviewscore.report.markdown import markdown_report
from reviewscore.report.role_pages import markdown
from reviewscore.report.roles import Reader, sheet
from reviewscore.report.summary import summarise
from reviewscore.schema.point_score import PointScore, Status, UnknownReason, read_point
from reviewscore.schema.review import Neighbours, Occurrence, PointKind, PointType
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Finding
from tests.report.synthetic import lexical_points, manifest, model_points, point, write_run

AGAIN = Occurrence(
    section="Summary",
    text="Tuning was <b>not</b> done.",
    span=Span(field="summary", start=3, end=29),
)
MARKS = {
    "kind": PointKind.REQUEST,
    "occurrences": (AGAIN,),
    "neighbours": Neighbours(before="We read it.", after="Thanks."),
}


def requested() -> PointScore:
    """The first misinformed point, as a request that the review makes twice."""
    flagged = next(score for score in model_points() if score.misinformed)
    return flagged.model_copy(update=MARKS)


def no_point(*, embedded: bool = False) -> PointScore:
    return point(
        9,
        "The paper is a pleasure to read.",
        judge="lexical" if embedded else "openai/x",
        status=Status.UNSCORED if embedded else Status.UNKNOWN,
        finding=Finding.CANNOT_JUDGE if embedded else None,
        kind=PointKind.NONE,
        reason=UnknownReason.NO_POINT,
        rationale="This is no criticism, request or question: it was not judged.",
    )


def test_a_record_with_kind_repeats_and_neighbours_is_read_as_it_was_written() -> None:
    score = requested()

    assert read_point(score.model_dump_json()) == score


def test_a_record_of_before_has_neither_and_is_written_without() -> None:
    old = model_points()[0]

    assert (old.kind, old.neighbours, old.occurrences) == (None, None, ())
    assert not {"kind", "neighbours", "occurrences"} & set(old.model_dump())


@pytest.mark.parametrize(
    ("kind", "point_type", "words"),
    [
        (PointKind.REQUEST, PointType.CLAIM, "request"),
        (PointKind.QUESTION, PointType.QUESTION, ""),
        (PointKind.CRITICISM, PointType.QUESTION, "criticism"),
        (PointKind.CRITICISM, PointType.ARGUMENT, ""),
        (PointKind.QUESTION, PointType.CLAIM, "question"),
        (PointKind.NONE, None, ""),
        (None, PointType.CLAIM, ""),
    ],
)
def test_a_kind_stands_beside_the_type_where_that_lets_expect_another(
    kind: PointKind | None, point_type: PointType | None, words: str
) -> None:
    score = model_points()[0].model_copy(update={"kind": kind, "type": point_type})

    assert kind_beside_type(score) == words


def test_a_long_repeat_is_cut_between_words() -> None:
    long = AGAIN.model_copy(update={"text": "one two " * 60})

    words = occurrence_words(requested().model_copy(update={"occurrences": (long, AGAIN)}))

    assert words.startswith("also in Summary (“one two")
    assert "two …”), in Summary (“Tuning was" in words
    assert len(words) < 260


@pytest.mark.parametrize("embedded", [False, True])
def test_what_is_no_point_is_in_no_count(tmp_path: Path, embedded: bool) -> None:
    points = lexical_points() if embedded else model_points()
    made = manifest("lexical") if embedded else manifest()
    before = summarise(write_run(tmp_path / "a", points, made=made))

    after = summarise(write_run(tmp_path / "b", [*points, no_point(embedded=embedded)], made=made))

    assert after == before.model_copy(update={"no_points": 1})
    assert "not judged, in no count: 1 that are no review points" in summary_lines(after)


def test_what_is_no_point_says_so_in_its_headline() -> None:
    headlines = [headline(no_point(embedded=embedded)) for embedded in (False, True)]

    assert [one.short for one in headlines] == ["no review point"] * 2
    assert [one.misinformed for one in headlines] == ["unknown", ""]
    assert all(one.order > headline(score).order for one in headlines for score in lexical_points())


def test_a_report_shows_kinds_and_repeats_escaped(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [requested(), no_point()])

    page = write_report(run, None, None)[0].read_text("utf-8")
    text = markdown_report(run)

    assert page.count("request") >= 2  # in the table and on the card
    assert "also in Summary (“Tuning was &lt;b&gt;not&lt;/b&gt; done.”)" in page
    assert "not judged: no review point" in page
    assert "1 that are no review points were not judged" in page
    assert "Also in Summary" in text
    assert "<b>" not in text
    assert "a pleasure to read" not in text


@pytest.mark.parametrize("reader", Reader)
def test_pages_for_readers_list_apart_what_is_no_point(reader: Reader) -> None:
    page = sheet(reader, "tides", "Tides", [requested(), no_point()])

    *others, last = page.parts
    assert last.heading == "Not judged"
    assert [entry.said for entry in last.entries] == [no_point().text]
    assert not last.to_read
    shown = [entry for part in others for entry in part.entries if entry.quotes]
    assert {(entry.kind, entry.also) for entry in shown} == {
        ("request", occurrence_words(requested()))
    }
    assert "a pleasure" not in " ".join(entry.said for part in others for entry in part.entries)


def test_a_markdown_page_for_a_reader_names_kind_and_repeats() -> None:
    text = markdown(sheet(Reader.META_REVIEWER, "tides", "Tides", [requested()]))

    assert "request" in text
    assert "also in Summary" in text
