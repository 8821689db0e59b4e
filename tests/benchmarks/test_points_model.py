"""The linear model of sentences: its labels of sentences, and the course that it takes."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import points_model
from benchmarks.points_model import Label, Point, labels_of, likeliest
from reviewscore.points.languages import ReviewLanguages
from reviewscore.points.sections import open_sections
from reviewscore.points.split import split_review
from reviewscore.schema.review import Review
from reviewscore.schema.span import Span

TEXT = "- There is no ablation. Table 2 has one seed. Thanks!\n- Which optimiser was used?"
ODDS = st.floats(-5, 5)


def review(text: str) -> Review:
    return Review(review_id="R", paper_id="P", fields={"weaknesses": text})


def parts(text: str) -> list[points_model.Part]:
    read = review(text)
    (section,) = open_sections(read)
    stretches = ReviewLanguages(read).stretches(section.field, section.start, section.end)
    return [points_model.part_of(text, section, stretch) for stretch in stretches]


def marked(words: str) -> Span:
    start = TEXT.index(words)
    return Span(field="weaknesses", start=start, end=start + len(words))


def test_sentences_are_labelled_by_the_point_that_holds_most_of_them() -> None:
    (part,) = parts(TEXT)
    points = [
        Point((marked("There is no ablation."),), repeats=(marked("Which optimiser was used?"),)),
        Point((marked("2 has one seed."),), repeats=()),
    ]

    labels = labels_of(review(TEXT), part, points)

    assert labels == [Label.BEGINS, Label.BEGINS, Label.OUT, Label.BEGINS]


def test_sentences_of_one_point_go_on_within_an_entry_and_begin_anew_in_the_next() -> None:
    (part,) = parts(TEXT)

    labels = labels_of(review(TEXT), part, [Point((marked(TEXT[2:]),), repeats=())])

    assert labels == [Label.BEGINS, Label.GOES_ON, Label.GOES_ON, Label.BEGINS]


def probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def course(labels: tuple[Label, ...], odds: list[tuple[float, float, float]]) -> float:
    """The probability of some labels, step by step."""
    total, before = 1.0, Label.OUT
    for label, (after_out, after_part, begins) in zip(labels, odds, strict=True):
        part = probability(after_out if before is Label.OUT else after_part)
        if label is Label.OUT:
            total *= 1 - part
        elif before is Label.OUT:
            total *= part if label is Label.BEGINS else 0
        else:
            share = probability(begins)
            total *= part * (share if label is Label.BEGINS else 1 - share)
        before = label
    return total


@given(st.lists(st.tuples(ODDS, ODDS, ODDS), min_size=1, max_size=5))
def test_no_other_course_through_a_block_is_likelier(
    odds: list[tuple[float, float, float]],
) -> None:
    best = max(course(some, odds) for some in itertools.product(Label, repeat=len(odds)))

    assert math.isclose(course(tuple(likeliest(odds)), odds), best)


def test_features_name_the_outcome_of_the_rules() -> None:
    (part,) = parts(TEXT)
    (first, *_) = part.features
    points = [point.text for point in split_review(review(TEXT))]

    assert points[0].startswith("There is no ablation.")
    assert "rule begins" in first
    assert not any(name.startswith("word") for name in first)


@given(text=st.text(alphabet="aB .?!\n-1)(*:", max_size=200))
def test_any_text_has_as_many_rows_of_features_as_sentences(text: str) -> None:
    if text.strip():
        for part in parts(f"x{text}"):
            assert len(part.features) == len(part.sentences)
            assert all(a.end <= b.start for a, b in itertools.pairwise(part.sentences))


@pytest.mark.shared
def test_each_labelled_point_is_counted_once_under_the_model(shared: Path) -> None:
    read = points_model.labelled("train")
    model = points_model.Model(read[:40])

    for labelled in read[40:60]:
        for part in labelled.parts:
            assert len(model.labels(part)) == len(part.sentences)
        outcome = points_model.counts(labelled, model.concerns)
        assert outcome[0] == sum(map(len, labelled.points))
        assert outcome[1:6].sum() == outcome[0]
