"""A long review costs in proportion to its length, whatever it is made of."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from reviewscore.points.cited_works import cited_works
from reviewscore.points.mentions import own_numbers
from reviewscore.points.places import mentions, with_places
from reviewscore.points.response_paragraphs import response_paragraphs
from reviewscore.points.split import split_review
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review
from reviewscore.text.sentences import sentence_spans, sentences
from tests.growth import LINEAR, growth, timed


def _all_sentences(text: str) -> object:
    return sentences(text, 0, len(text))


@timed
@pytest.mark.parametrize(
    ("work", "unit", "size"),
    [
        (_all_sentences, "“", 40_000),
        (_all_sentences, "`a` ", 40_000),
        (_all_sentences, "这篇论文没有消融实验。", 40_000),
        (_all_sentences, "\n", 10_000),
        (lambda text: list(sentence_spans(text)), "“", 40_000),
        (own_numbers, " ", 2_000_000),
    ],
)
def test_time_grows_with_the_text_and_not_with_its_square(
    work: Callable[[str], object], unit: str, size: int
) -> None:
    def made(length: int) -> str:
        return f"There is {unit * (length // len(unit))} no ablation."

    assert growth(work, made, size) < LINEAR


@timed
@pytest.mark.parametrize(
    ("before", "run", "after"),
    [
        ('The term "a foo bar"', " ", "is unclear."),
        ("On line 12", " ", "it is unclear."),
        ("Tables 1", " ", " and 3 lack units."),
        ("It is unclear.", "\n", "The abstract is too long."),
    ],
)
def test_a_run_of_white_space_beside_a_place_costs_as_much_as_its_length(
    before: str, run: str, after: str
) -> None:
    assert growth(mentions, lambda length: f"{before}{run * length}{after}", 4_000) < LINEAR


@timed
@pytest.mark.parametrize("mark", ["“", '"', "`"])
@pytest.mark.parametrize("before", ["There is ", "1. "])
def test_works_and_points_of_many_quotation_marks_cost_as_much_as_their_length(
    before: str, mark: str
) -> None:
    runs = count()  # blocks of a text that was read are kept

    def work(text: str) -> None:
        fields = {"weaknesses": f"{text} (run {next(runs)})."}
        review = Review(review_id="r", paper_id="p", fields=fields)
        cited_works(review)
        split_review(review)

    assert growth(work, lambda length: f"{before}{mark * length} no ablation", 8_000) < LINEAR


@timed
@pytest.mark.parametrize(
    ("before", "unit"), [("Table 1", " "), ("Table 1", "\n"), ("Table 1", "\n \n"), ("", "§")]
)
def test_places_beside_a_run_of_one_sign_cost_as_much_as_its_length(before: str, unit: str) -> None:
    def made(length: int) -> str:
        return f"{before}{unit * (length // len(unit))} section Table 2"

    assert growth(mentions, made, 4_000) < LINEAR


@timed
@pytest.mark.parametrize("unit", [",", ", ", ". "])
def test_works_of_a_run_of_stops_or_commas_cost_as_much_as_its_length(unit: str) -> None:
    def work(text: str) -> None:
        cited_works(Review(review_id="r", paper_id="p", fields={"weaknesses": text}))

    assert growth(work, lambda length: unit * (length // len(unit)), 8_000) < LINEAR


@timed
@pytest.mark.parametrize("before", ["W1", "W1,"])
@pytest.mark.parametrize("unit", [" ", "\t"])
def test_a_label_of_a_response_before_white_space_costs_as_much_as_its_length(
    before: str, unit: str
) -> None:
    assert growth(response_paragraphs, lambda n: f"{before}{unit * n}We did.", 8_000) < LINEAR


@timed
def test_places_of_the_points_of_a_long_review_cost_as_much_each_as_those_of_a_short_one() -> None:
    paper = Paper(paper_id="p", title="T", text="Intro. We train.", sections=())

    def work(text: str) -> None:
        review = Review(review_id="r", paper_id="p", fields={"weaknesses": text})
        for point in split_review(review):
            with_places(point, paper, review)

    def made(length: int) -> str:
        return "".join(f"- There is no ablation of part {n}.\n" for n in range(length))

    assert growth(work, made, 1_500) < LINEAR


def test_a_long_paragraph_has_the_sentences_that_it_has_in_short_pieces() -> None:
    parts = [f'The loss of model {n} (see Table {n}) is not "small. Or" so.' for n in range(500)]
    text = " ".join(parts)

    assert parts == [text[start:end] for start, end in sentences(text, 0, len(text))]
    assert parts == [text[start:end] for start, end in sentence_spans(text)]


def test_whether_a_review_names_lines_is_asked_of_each_review_anew() -> None:
    numbered = "".join(f"Line {n} of the text.\n" for n in range(1, 300))
    paper = Paper(paper_id="p", title="T", text=numbered, sections=())
    point = "The claim here (141-142) is wrong."
    fields = {"weaknesses": point, "questions": "Why line 12?"}
    with_lines = Review(review_id="a", paper_id="p", fields=fields)
    without = Review(review_id="b", paper_id="p", fields={"weaknesses": point})

    found = [
        len(with_places(split_review(one)[0], paper, one).places or ())
        for one in (with_lines, without, with_lines)
    ]

    assert found[0] == found[2]
    assert found[1] == 0
