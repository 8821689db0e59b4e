"""Likeness of texts: each review beside each of the reference, paper by paper."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from reviewscore.focus.tables import text_table
from reviewscore.likeness.overlap import RougeL
from reviewscore.likeness.pair import Pair
from reviewscore.sources.written import PEOPLE, Form, Materials, Written
from reviewscore.stats.tables import Table
from tests.focus.invented import QUICK


class Same:
    """1 where two texts are the same, 0 elsewhere; no score for one with a dash."""

    name = "same"

    def scores(self, pairs: Sequence[Pair]) -> list[float | None]:
        return [
            None if "-" in one.candidate else float(one.candidate == one.reference) for one in pairs
        ]


def materials(**papers: str) -> Materials:
    """Papers with reviews such as ``people:a people:b model:a``."""
    return Materials(
        {
            paper: [
                Written(paper, f"{paper}/{at}", None, system, f"raw {text}", text)
                for at, (system, text) in enumerate(word.split(":") for word in words.split())
            ]
            for paper, words in papers.items()
        },
        {},
    )


def value(table: Table | None, row: int, column: str = "same") -> float | None:
    assert table is not None
    slot = table.rows[row][table.columns.index(column)]
    return slot.answer.value  # type: ignore[union-attr]


def test_a_paper_counts_once_however_many_pairs_it_has() -> None:
    given = materials(p1="people:a people:b model:a", p2="people:a model:a", p3="model:x")

    table = text_table(given, Form.JUDGMENTS, PEOPLE, [Same(), RougeL()], QUICK)

    assert value(table, 0) == pytest.approx((0.5 + 1.0) / 2)
    assert table is not None
    assert [row[0] for row in table.rows] == ["model", "people, one with another"]
    assert [row[-1] for row in table.rows] == [3, 2]
    assert table.columns[1:3] == ("same", "ROUGE-L")


def test_the_reference_is_compared_with_itself_where_it_wrote_twice() -> None:
    given = materials(p1="people:a people:a", p2="people:a")

    table = text_table(given, Form.JUDGMENTS, PEOPLE, [Same()], QUICK)

    assert value(table, 0) == 1.0


def test_pairs_without_a_score_do_not_count() -> None:
    given = materials(p1="people:a model:- model:a", p2="people:a model:-")

    assert value(text_table(given, Form.JUDGMENTS, PEOPLE, [Same()], QUICK), 0) == 1.0


def test_texts_are_of_the_form_the_points_are_of() -> None:
    given = materials(p1="people:a model:a")

    written = text_table(given, Form.RAW, PEOPLE, [RougeL()], QUICK)

    assert value(written, 0, "ROUGE-L") == 1.0


@pytest.mark.parametrize("papers", [{"p1": "people:a", "p2": "model:a"}, {"p1": "model:a"}, {}])
def test_without_a_pair_there_is_no_table(papers: dict[str, str]) -> None:
    assert text_table(materials(**papers), Form.RAW, PEOPLE, [Same()], QUICK) is None


def test_without_a_metric_there_is_no_table() -> None:
    assert text_table(materials(p="people:a model:a"), Form.RAW, PEOPLE, [], QUICK) is None
