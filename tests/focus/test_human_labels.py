"""Labels of facets by people, and how far an annotator agrees with them."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, confusion_matrix, precision_recall_fscore_support

from reviewscore.errors import InputError
from reviewscore.focus.facets import DEFAULT, UNKNOWN, FacetKind, FacetPoint, Polarity
from reviewscore.focus.human_labels import (
    FacetRatings,
    agreement_tables,
    coded_labels,
    confusion,
    draw_points,
    empty_sheet,
    facet_scores,
    find_points,
    read_human_labels,
    same,
    words_sum,
)
from reviewscore.focus.profile import SystemPoints
from reviewscore.sources.system_reviews import Materials, read_materials
from reviewscore.stats.metrics import nominal_kappa
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.statistic import Floats, MissingReason
from reviewscore.stats.tables import Table, latex, markdown
from tests.focus.invented import SMALL, strengths, weaknesses

UNIT: dict[str, object] = {"unit_id": "u1", "polarity": "strength", "sha256": "0" * 64}
LABEL: dict[str, object] = {
    "unit_id": "u1", "annotator": "A1", "field": "target", "value": "Method",
}  # fmt: skip


@pytest.fixture
def materials(data: Path) -> Materials:
    return read_materials(data)


def folder(tmp_path: Path, units: list[dict[str, object]], labels: list[dict[str, object]]) -> Path:
    path = tmp_path / "set"
    path.mkdir()
    for name, records in (("units", units), ("labels", labels)):
        text = "".join(f"{json.dumps(one)}\n" for one in records)
        (path / f"{name}.jsonl").write_text(text)
    return path


def test_a_folder_of_units_and_labels_is_read_whatever_the_case(tmp_path: Path) -> None:
    aspect = {**LABEL, "field": "aspect", "value": "unknown", "codebook": "ours"}
    found = read_human_labels(folder(tmp_path, [{**UNIT, "source": "x"}], [LABEL, aspect]), DEFAULT)

    assert found.annotators == ["A1"]
    assert found.labels["A1"] == {
        FacetKind.TARGET: {"u1": "method"},
        FacetKind.ASPECT: {"u1": "unknown"},
    }
    assert [one.name for one in found.files] == ["units.jsonl", "labels.jsonl"]


@pytest.mark.parametrize(
    ("units", "labels", "says"),
    [
        ([UNIT], [{**LABEL, "value": "frogs"}],
         r"labels\.jsonl:1: field 'target': 'frogs' is no target of the facets 'papers'; use one"),
        ([UNIT], [LABEL, LABEL], r"labels\.jsonl:2: field 'unit_id': 'u1' has a target by 'A1'"),
        ([UNIT], [{**LABEL, "unit_id": "u2"}], r"labels\.jsonl:1: .*'u2' is no unit of this set"),
        ([UNIT], [{**LABEL, "annotator": "Ann"}], r"labels\.jsonl:1: field 'annotator'.*pseudonym"),
        ([UNIT], [{**LABEL, "field": "type"}], r"labels\.jsonl:1: field 'field'"),
        ([UNIT], [{"unit_id": "u1"}], r"labels\.jsonl:1: field 'annotator': is missing"),
        ([UNIT, UNIT], [LABEL], r"units\.jsonl:2: field 'unit_id': 'u1' is there twice"),
        ([{**UNIT, "polarity": "praise"}], [LABEL], r"units\.jsonl:1: field 'polarity'"),
        ([{**UNIT, "sha256": "x"}], [LABEL], r"units\.jsonl:1: field 'sha256'"),
        ([UNIT], [], "holds no labels"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_used_is_named_with_field_and_cure(
    tmp_path: Path, units: list[dict[str, object]], labels: list[dict[str, object]], says: str
) -> None:
    with pytest.raises(InputError, match=says) as error:
        read_human_labels(folder(tmp_path, units, labels), DEFAULT)
    assert error.value.cure


def test_a_cut_line_and_missing_units_are_errors_too(tmp_path: Path) -> None:
    path = folder(tmp_path, [UNIT], [LABEL])
    (path / "labels.jsonl").write_text('{"unit_id": "u1')

    with pytest.raises(InputError, match=r"labels\.jsonl:1: is cut off"):
        read_human_labels(path, DEFAULT)
    (path / "units.jsonl").unlink()
    with pytest.raises(InputError, match="cannot be read"):
        read_human_labels(path, DEFAULT)


def fill(
    path: Path, text: str, labels: dict[str, tuple[str, str]], *, delimiter: str = ","
) -> None:
    """Write labels into the rows of a sheet, by the words of the point."""
    rows = list(csv.DictReader(text.splitlines()))
    for row in rows:
        row["target"], row["aspect"] = labels.get(row["text"], ("", ""))
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def test_filled_sheets_are_labels_of_those_they_are_named_after(
    tmp_path: Path, materials: Materials
) -> None:
    text = empty_sheet(list(SystemPoints.of(materials)))
    fill(tmp_path / "A1.csv", text, {"No proof.": ("Theory", "validity")})
    fill(tmp_path / "B-2.csv", text, {"No proof.": ("theory", "")}, delimiter=";")

    both = read_human_labels(tmp_path, DEFAULT)
    one = read_human_labels(tmp_path / "A1.csv", DEFAULT)

    assert both.annotators == ["A1", "B-2"]
    assert list(both.labels["A1"][FacetKind.TARGET].values()) == ["theory"]
    assert both.labels["B-2"][FacetKind.ASPECT] == {}
    assert one.annotators == ["A1"]
    assert len(find_points(both.units, [materials])) == len(both.units) == 12


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("ann.csv", "", r"ann\.csv: 'ann' is no pseudonym.*A1\.csv"),
        ("A1.csv", "unit_id,polarity,text\n1,strength,x\n", r"A1\.csv:2: field 'sha256': is miss"),
        ("A1.csv", f"unit_id,polarity,sha256,target\n\n1,strength,{'0' * 64},frogs\n",
         r"A1\.csv:3: field 'target': 'frogs' is no target"),
        ("A1.csv", f"unit_id,polarity,sha256\n1,strength,{'0' * 64}\n1,weakness,{'0' * 64}\n",
         r"A1\.csv:3: field 'unit_id': '1' is there twice"),
        ("A1.csv", "", "holds no labels"),
    ],
)  # fmt: skip
def test_a_sheet_that_cannot_be_used_is_named(
    tmp_path: Path, name: str, text: str, says: str
) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(InputError, match=says):
        read_human_labels(tmp_path / name, DEFAULT)


def test_points_are_found_by_their_words_and_polarity_in_either_form(
    tmp_path: Path, materials: Materials
) -> None:
    judged = Materials(
        {"p": [
            one for group in materials.papers.values() for one in group if one.review_id == "f1"
        ]}, {},
    )  # fmt: skip
    points = list(SystemPoints.of(materials))
    units = [
        {"unit_id": name, "polarity": polarity, "sha256": words_sum(one)}
        for name, polarity, one in (
            ("a", "strength", points[0]),
            ("b", "weakness", points[0]),
            ("t2#3", "weakness", points[-1]),
            ("t1#2", "strength", points[1]),
        )
    ]
    read = read_human_labels(folder(tmp_path, units, [{**LABEL, "unit_id": "a"}]), DEFAULT)

    found = find_points(read.units, [judged, materials])

    assert set(found) == {"a", "t2#3", "t1#2"}
    assert found["a"].text == points[0].text
    assert found["a"].point_id == "a"
    # Four reviews have these words; the one with the unit's identifier is meant.
    assert found["t1#2"].review_id == "t1"


def test_half_of_the_points_drawn_are_strengths_as_far_as_there_are() -> None:
    def some(number: int, polarity: Polarity) -> list[FacetPoint]:
        return [FacetPoint(f"{n}", "p", "r", "s", polarity, f"Text {n}.") for n in range(number)]

    points = [*some(30, Polarity.STRENGTH), *some(30, Polarity.WEAKNESS)] * 2
    few = [*some(2, Polarity.STRENGTH), *some(30, Polarity.WEAKNESS)]

    drawn = draw_points(points, 10, 0)

    assert drawn == draw_points(points, 10, 0) != draw_points(points, 10, 1)
    assert sum(one.polarity is Polarity.STRENGTH for one in drawn) == 5
    assert len({(one.text, one.polarity) for one in drawn}) == 10
    for lot in (few, few[::-1]):
        assert len(draw_points(lot, 20, 0)) == 20
    assert len(draw_points(few, 99, 0)) == 32
    one_sided = [*some(30, Polarity.STRENGTH), *some(2, Polarity.WEAKNESS)]
    assert len(draw_points(one_sided, 20, 0)) == 20


def test_a_sheet_tells_nothing_of_the_author_and_holds_no_formula() -> None:
    text = empty_sheet(
        [FacetPoint("m:gpt#1", "p", "r", "gpt", Polarity.WEAKNESS, "=1+1 is\nwrong")]
    )

    assert "gpt" not in text
    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    assert rows[0]["text"] == "'=1+1 is\nwrong"
    assert rows[0]["unit_id"] == "1"


Q = 4
LABELS = st.lists(
    st.tuples(*[st.one_of(st.none(), st.integers(0, Q - 1))] * 2), min_size=1, max_size=30
)


def columns(labels: list[tuple[int | None, int | None]]) -> tuple[Floats, Floats]:
    both = np.array([[math.nan if one is None else one for one in pair] for pair in labels])
    return both[:, 0].astype(np.float64), both[:, 1].astype(np.float64)


@given(LABELS)
def test_kappa_is_that_of_scikit_learn_on_what_both_labelled(
    labels: list[tuple[int | None, int | None]],
) -> None:
    known = [pair for pair in labels if None not in pair]

    found = nominal_kappa(*columns(labels), Q)

    value, reason = found.point()
    assert found.n == len(known)
    if reason is MissingReason.NONE:
        theirs = cohen_kappa_score(*zip(*known, strict=True), labels=list(range(Q)))
        assert value == pytest.approx(theirs)
    else:
        assert len({left for left, _ in known}) <= 1 or len({right for _, right in known}) <= 1


@given(LABELS)
def test_confusion_precision_recall_and_f1_are_those_of_scikit_learn(
    labels: list[tuple[int | None, int | None]],
) -> None:
    known = [(left, right) for left, right in labels if left is not None and right is not None]
    first, second = columns(labels)
    names = list(range(Q))

    counts = confusion(first, second, Q)

    assert counts.sum() == len(known)
    if known:
        human, other = (list(side) for side in zip(*known, strict=True))
        assert (counts == confusion_matrix(human, other, labels=names)).all()
        theirs = precision_recall_fscore_support(human, other, labels=names, zero_division=np.nan)
        for place in names:
            for mine, their in zip(facet_scores(first, second, place), theirs, strict=False):
                value, _ = mine.point()
                assert value == pytest.approx(float(their[place]), nan_ok=True)
        assert same(first, second).point()[0] == pytest.approx(
            np.mean([left == right for left, right in known])
        )


def test_a_facet_that_one_side_never_gives_has_a_reason_in_words_of_facets() -> None:
    scores = facet_scores(np.array([0.0, 1.0]), np.array([0.0, 0.0]), 1)
    neither = facet_scores(np.array([0.0]), np.array([0.0]), 1)

    assert [one.point()[1] for one in scores] == [
        MissingReason.NOT_GIVEN, MissingReason.NONE, MissingReason.NOT_GIVEN,
    ]  # fmt: skip
    assert neither[1].point()[1] is MissingReason.NOT_MEANT
    assert neither[2].point()[1] is MissingReason.NEITHER_GIVES
    assert "annotator" in MissingReason.NOT_GIVEN.words


def ratings() -> FacetRatings:
    """Six points; the annotator errs once, A2 labelled the first three, one of them unknown."""
    points = [
        *strengths("people", "p1", "method/novelty", "theory/validity"),
        *weaknesses("people", "p2", "method/novelty", "experiment/validity"),
        *weaknesses("model", "p3", "theory/validity", "experiment/novelty"),
    ]
    truth = ["method", "theory", "method", "experiment", "theory", "method"]
    second = ["method", UNKNOWN, "theory", None, None, None]
    targets = {
        "A1": truth,
        "A2": second,
        "words": [one.target for one in points],
    }
    aspects = {name: [one.aspect for one in points] for name in targets}
    return FacetRatings(
        SMALL,
        [one.point for one in points],
        ("A1", "A2"),
        "words",
        {
            name: {
                FacetKind.TARGET: coded_labels(targets[name], SMALL, FacetKind.TARGET),
                FacetKind.ASPECT: coded_labels(aspects[name], SMALL, FacetKind.ASPECT),
            }
            for name in targets
        },
    )


def tables() -> dict[str, Table]:
    return {one.name: one for one in agreement_tables(ratings(), Resampling(200, scheme="papers"))}


def test_annotator_and_people_are_compared_on_all_points_and_on_each_side() -> None:
    found = tables()["focus-agreement"]

    assert [row[:5] for row in found.rows[:4]] == [
        ("target", "A1", "words", "all", 6),
        ("target", "A1", "words", "strengths", 2),
        ("target", "A1", "words", "weaknesses", 4),
        ("target", "A2", "words", "all", 2),
    ]
    assert {row[1:3] for row in found.rows} == {("A1", "words"), ("A2", "words"), ("A1", "A2")}
    text = markdown(found)
    assert "0.750" in text  # kappa: 5 of 6 agree, 12 of 36 by chance
    assert "0.833" in text


def test_unknown_labels_are_counted_and_no_category() -> None:
    found = tables()

    row = next(one for one in found["focus-agreement"].rows if one[1:4] == ("A2", "words", "all"))
    kappa = row[5]
    assert not isinstance(kappa, str | int | None)
    assert kappa.answer.dropped == {"points without a label by A2": 4}
    assert UNKNOWN not in found["focus-confusion-target-A1-A2"].columns


def test_confusion_matrices_have_the_first_in_rows_and_sums_at_the_ends() -> None:
    found = tables()["focus-confusion-target-A1-words"]

    assert found.columns == ("A1 \\ words", "method", "theory", "experiment", "all")
    assert found.rows == (
        ("method", 2, 0, 1, 3), ("theory", 0, 2, 0, 2), ("experiment", 0, 0, 1, 1),
        ("all", 2, 2, 2, 6),
    )  # fmt: skip
    assert "A1 \\textbackslash{} words" in latex(found)


def test_a_label_of_no_facet_is_an_error_of_the_program() -> None:
    with pytest.raises(KeyError):
        coded_labels(["nonsense"], SMALL, FacetKind.TARGET)
