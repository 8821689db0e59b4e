"""Tables of focus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from reviewscore.focus.blind_spots import differences, spots
from reviewscore.focus.distribution import CodedPoints, coded
from reviewscore.focus.facets import FacetKind
from reviewscore.focus.tables import difference_table, spots_table, tables, text_table
from reviewscore.sources.system_reviews import PEOPLE, Materials, SystemReview, TextForm
from reviewscore.stats.estimates import PendingEstimate
from reviewscore.stats.tables import Table, as_csv, latex, markdown
from reviewscore.text.similarity import RougeL, TextPair
from tests.focus.invented import QUICK, SMALL, strengths, weaknesses


def study() -> CodedPoints:
    points = []
    for at in range(12):
        paper = f"p{at}"
        points += weaknesses("people", paper, "method/novelty", "theory/validity")
        points += strengths("people", paper, "method/novelty")
        points += weaknesses("model", paper, "method/novelty", "experiment/validity")
        points += strengths("model", paper, "method/validity")
        points += weaknesses("critic", paper, "method/validity", "unknown/unknown")
    return coded(points, SMALL)


def difference_tables() -> list[Table]:
    return [
        difference_table(differences(study(), name, "people", QUICK), name, "people")
        for name in ("model", "critic")
    ]


def named(found: list[Table]) -> dict[str, Table]:
    return {one.name: one for one in found}


def row(table: Table, *names: str) -> list[object]:
    cells = next(cells for cells in table.rows if cells[: len(names)] == names)
    return [
        one.answer.value if isinstance(one, PendingEstimate) else one for one in cells[len(names) :]
    ]


def test_the_main_table_has_the_columns_of_table_3() -> None:
    table = named(tables(study(), "people", QUICK))["focus-similarity"]

    assert table.columns == (
        "system", "KL divergence", "overall F1", "strength F1", "weakness F1",
    )  # fmt: skip
    assert row(table, "model")[1:] == [0.25, 0.0, 0.5]
    assert row(table, "critic")[1:] == [0.0, None, 0.0]


def test_notes_state_direction_smoothing_and_averaging() -> None:
    notes = " ".join(named(tables(study(), "people", QUICK))["focus-similarity"].notes)

    for words in ("KL(reference || system)", "adds 0.5 points", "plain one over the four", "nats"):
        assert words in notes


def test_levels_are_not_rounded_to_what_no_interval_has() -> None:
    titles = [one.title for one in tables(study(), "people", replace(QUICK, level=0.999))]

    assert any("99.9% intervals" in title for title in titles)
    assert not any("100% intervals" in title for title in titles)


def test_tables_7_to_12_have_a_column_for_each_facet_and_a_row_for_each_score() -> None:
    found = named(tables(study(), "people", QUICK))

    for kind in FacetKind:
        for number, word in enumerate(("both", "strengths", "weaknesses")):
            table = found[f"focus-{kind}-{word}"]
            assert table.columns == ("score", "system", *SMALL.names(kind))
            assert len(table.rows) == 3 * 2
            assert f"Table {number + (7 if kind is FacetKind.TARGET else 10)}" in table.title
    assert row(found["focus-target-weaknesses"], "F1", "model") == [1.0, 0.0, 0.0]


def test_distributions_list_points_and_unknown_labels_of_every_system() -> None:
    table = named(tables(study(), "people", QUICK))["focus-distribution-target-weaknesses"]

    assert row(table, "critic") == [1.0, 0.0, 0.0, 12, 12]
    assert row(table, "people") == [0.5, 0.5, 0.0, 24, 0]


def test_points_are_counted_per_review_and_per_paper() -> None:
    table = named(tables(study(), "people", QUICK))["focus-points"]

    assert row(table, "people", "review") == [3.0, 1.0, 2.0]
    assert row(table, "critic", "paper") == [2.0, 0.0, 2.0]


def test_pairs_tell_how_many_sets_were_empty_on_one_side() -> None:
    table = named(tables(study(), "people", QUICK))["focus-pairs"]

    assert row(table, "model", "overall")[-1] == 0
    assert row(table, "model", "weaknesses") == [0.5, 0.5, 0.5, 0]


def test_without_the_reference_there_are_distributions_and_points_alone() -> None:
    found = named(tables(study(), "nobody", QUICK))

    assert len(found) == 5
    assert not any("similarity" in name for name in found)
    assert tables(coded([], SMALL), "people", QUICK) == []


def test_few_papers_are_said_to_be_few() -> None:
    one = coded(weaknesses("people", "p1", "method/novelty"), SMALL)

    first = tables(one, "people", QUICK)[0]

    assert first.notes[-1].startswith("Only 1 paper:")


def test_differences_have_shares_of_both_and_an_adjusted_p() -> None:
    model, critic = difference_tables()

    assert (model.name, critic.name) == ("focus-differences-model", "focus-differences-critic")
    theory = row(model, "weaknesses", "target", "theory")
    assert theory[:3] == ["0.0", "50.0", -0.5]
    assert str(theory[3]).startswith("q=0.0")
    assert row(critic, "strengths", "target", "method") == ["–", "100.0", None, None]


def test_blind_spots_are_listed_overlooked_first() -> None:
    found = spots(differences(study(), "model", "people", QUICK))

    table = spots_table(found, "model", "people")
    none = spots_table(spots([]), "model", "people")

    assert [cells[0] for cells in table.rows] == [
        "overlooked",
        "overlooked",
        "favoured",
        "favoured",
    ]
    assert none.rows == ()
    assert "q up to 0.05" in table.notes[0]
    assert none.notes[1:] == ("There is none.",)


def test_every_table_can_be_written_in_each_format() -> None:
    for table in [*tables(study(), "people", QUICK), *difference_tables()]:
        assert markdown(table).startswith(f"## {table.title.split(' ', 1)[0]}")
        assert "\\begin{table}" in latex(table)
        assert as_csv(table).count("\n") > 1


class Same:
    """1 where two texts are the same, 0 elsewhere; no score for one with a dash."""

    name = "same"

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        return [
            None if "-" in one.candidate else float(one.candidate == one.reference) for one in pairs
        ]


def materials(**papers: str) -> Materials:
    """Papers with reviews such as ``people:a people:b model:a``."""
    return Materials(
        {
            paper: [
                SystemReview(paper, f"{paper}/{at}", None, system, f"raw {text}", text)
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

    table = text_table(given, TextForm.JUDGMENTS, PEOPLE, [Same(), RougeL()], QUICK)

    assert value(table, 0) == pytest.approx((0.5 + 1.0) / 2)
    assert table is not None
    assert [row[0] for row in table.rows] == ["model", "people, one with another"]
    assert [row[-1] for row in table.rows] == [3, 2]
    assert table.columns[1:3] == ("same", "ROUGE-L")


def test_the_reference_is_compared_with_itself_where_it_wrote_twice() -> None:
    given = materials(p1="people:a people:a", p2="people:a")

    table = text_table(given, TextForm.JUDGMENTS, PEOPLE, [Same()], QUICK)

    assert value(table, 0) == 1.0


def test_pairs_without_a_score_do_not_count() -> None:
    given = materials(p1="people:a model:- model:a", p2="people:a model:-")

    assert value(text_table(given, TextForm.JUDGMENTS, PEOPLE, [Same()], QUICK), 0) == 1.0


def test_texts_are_of_the_form_the_points_are_of() -> None:
    given = materials(p1="people:a model:a")

    written = text_table(given, TextForm.RAW, PEOPLE, [RougeL()], QUICK)

    assert value(written, 0, "ROUGE-L") == 1.0


@pytest.mark.parametrize("papers", [{"p1": "people:a", "p2": "model:a"}, {"p1": "model:a"}, {}])
def test_without_a_pair_there_is_no_table(papers: dict[str, str]) -> None:
    assert text_table(materials(**papers), TextForm.RAW, PEOPLE, [Same()], QUICK) is None


def test_without_a_metric_there_is_no_table() -> None:
    assert text_table(materials(p="people:a model:a"), TextForm.RAW, PEOPLE, [], QUICK) is None
