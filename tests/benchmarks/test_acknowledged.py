"""The benchmark of passages that confirm a criticism, on invented labels."""

from __future__ import annotations

from benchmarks.acknowledged import MarkedCounts, passages
from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.marks import MarkedPassage, MarkedSpan, sum_of_words
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.review import PointKind, PointType, Review

POINT = "There is no evaluation on estuary gauges."
CONFIRMS, ANSWERS = "We do not evaluate on estuary gauges.", "Table 2 is on estuary gauges."
PAPER = Paper(paper_id="p", title="T", text=f"{CONFIRMS} {ANSWERS}")


def label(passage: str, *, acknowledged: bool) -> PointLabel:
    start = PAPER.text.index(passage)
    place = MarkedPassage(start=start, end=start + len(passage), sha256=sum_of_words(passage))
    span = MarkedSpan(field="weaknesses", start=0, end=len(POINT), sha256=sum_of_words(POINT))
    return PointLabel(
        paper_id="p", review_id="r", spans=(span,), type=PointType.CLAIM, kind=PointKind.CRITICISM,
        passages=(place,), acknowledged=acknowledged, annotator="A1",
        annotator_kind=AnnotatorKind.MODEL,
    )  # fmt: skip


def test_marks_are_counted_against_what_readers_say_of_the_point() -> None:
    labels = (
        label(CONFIRMS, acknowledged=True),
        label(CONFIRMS, acknowledged=False),
        label(ANSWERS, acknowledged=True),
        label(ANSWERS, acknowledged=False),
    )
    review = Review(review_id="r", paper_id="p", fields={"weaknesses": POINT})

    counts = MarkedCounts.of(passages(labels, {"r": review}, {"p": PAPER}))

    assert counts == MarkedCounts(right=1, wrong=1, missed=1)
