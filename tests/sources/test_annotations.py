"""Human labels read and checked: every fault with its file, line and cure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.schema.annotation import VALUES, LabelField
from reviewscore.sources.annotations import (
    AnnotationSet,
    check_labels,
    first_fault,
    read_annotations,
    read_units,
)
from reviewscore.sources.records import RecordRow
from tests.agreement.invented import write_labels

ROOT = Path(__file__).parents[2]


def label(**changes: object) -> dict[str, object]:
    base: dict[str, object] = {
        "unit_id": "p-r#1", "annotator": "A1", "annotator_kind": "human",
        "field": "factuality", "value": 2,
    }  # fmt: skip
    return {name: value for name, value in (base | changes).items() if value is not None}


def unit(unit_id: str = "p-r#1", **more: object) -> dict[str, object]:
    return {"unit_id": unit_id, "paper_id": "p", "review_id": "p-r", **more}


def read(tmp_path: Path, *labels: dict[str, object], **files: object) -> AnnotationSet:
    return read_annotations(write_labels(tmp_path / "set", labels, **files))


def test_the_example_set_has_no_fault() -> None:
    found = read_annotations(ROOT / "annotations" / "example")

    assert found.faults == ()
    assert found.warnings == ()
    assert {one.annotator for one in found.labels} == {"A1", "A2", "A3"}
    assert found.units is not None
    assert {one.unit_id for one in found.labels} == set(found.units)


@pytest.mark.parametrize(
    ("changes", "field", "problem"),
    [
        ({"value": 6}, "value", "6 is not on the scale of factuality; use one of 1, 2, 3, 4, 5"),
        ({"value": 0}, "value", "0 is not on the scale"),
        ({"value": "4"}, "value", "'4' is text, but factuality is a number; write one of 1, 2"),
        ({"value": 3.5}, "value", "3.5 is no whole number"),
        ({"value": True}, "value", "True is no whole number"),
        ({"value": None}, "value", "is missing"),
        ({"annotator": "Jane Doe"}, "annotator", "'Jane Doe' is no pseudonym"),
        ({"annotator": "a1@uni.edu"}, "annotator", "no names and no addresses"),
        ({"annotator_kind": None}, "annotator_kind", "is missing; write human for a person's"),
        ({"annotator_kind": "robot"}, "annotator_kind", "'robot' cannot be used"),
        ({"annotator_kind": "model"}, "annotator_kind", "'A1' is model, but human in line 1"),
        ({"field": "factualty"}, "field", "did you mean 'factuality'"),
        ({"field": "colour"}, "field", "use one of type, unanswerability"),
        ({"field": "untrivialness"}, "field", "untrivialness is not labelled of a point"),
        ({"field": "type", "value": "argumentt"}, "value", "use one of question, claim, argument"),
        ({"unit_id": "p-r#1/P1", "field": "faithfulness"}, "field", "not labelled of a premise"),
        ({"unit_id": ""}, "unit_id", "cannot be used"),
        ({"field": "kind", "value": "praise"}, "value", "use one of criticism, request, question"),
        ({"field": "standing", "value": 6}, "value", "6 is not on the scale of standing"),
        ({"field": "presuppositions"}, "value", "write a list of objects, each with a statement"),
        ({"field": "standing", "value": []}, "value", "standing is no list; use one of 1, 2"),
        (
            {"field": "presuppositions", "value": [{"true": 1, "central": True}]},
            "value.0.statement",
            "is missing",
        ),
        (
            {"field": "presuppositions", "value": [{"statement": "S", "true": 7, "central": True}]},
            "value.0.true",
            "7 cannot be used",
        ),
        (
            {"unit_id": "p-r#1/P1", "field": "presuppositions", "value": []},
            "field",
            "presuppositions is not labelled of a premise",
        ),
    ],
)
def test_a_label_that_cannot_be_used_is_a_fault_with_line_field_and_cure(
    tmp_path: Path, changes: dict[str, object], field: str, problem: str
) -> None:
    found = read(tmp_path, label(unit_id="p-r#2"), {**label(**changes)})

    (fault,) = found.faults
    assert (fault.line, fault.field) == (2, field)
    assert fault.file == tmp_path / "set" / "labels.jsonl"
    assert problem in str(fault)
    assert len(found.labels) == 1


def test_standing_kind_and_presuppositions_are_labels_of_a_point(tmp_path: Path) -> None:
    stated = {
        "statement": "There is no ablation.", "true": 1, "supplies": "fully", "central": True,
        "passages": [{"start": 3, "end": 9, "sha256": "0" * 64}],
    }  # fmt: skip
    found = read(
        tmp_path,
        label(field="kind", value="request"),
        label(field="standing"),
        label(field="presuppositions", value=[stated]),
    )

    assert found.faults == ()
    kind, standing, presuppositions = found.labels
    assert (kind.value, standing.number) == ("request", 2)
    (known,) = presuppositions.presuppositions
    assert known.contradicted
    assert known.passages[0].end == 9
    assert json.loads(presuppositions.model_dump_json(exclude_none=True))["value"] == [stated]


def test_the_same_annotator_labels_a_unit_once(tmp_path: Path) -> None:
    found = read(tmp_path, label(), label(annotator="A2"), label(value=4))

    (fault,) = found.faults
    assert "'A1' labelled factuality of p-r#1 in line 1 already" in str(fault)
    assert fault.line == 3
    assert [one.value for one in found.labels] == [2, 2]


def test_a_unit_that_the_set_does_not_list_is_a_fault_with_a_suggestion(tmp_path: Path) -> None:
    found = read(tmp_path, label(unit_id="p-r#11"), units=[unit("p-r#12")])

    (fault,) = found.faults
    assert "there is no unit 'p-r#11'" in str(fault)
    assert "did you mean 'p-r#12'" in str(fault)


def test_a_point_on_two_scales_is_a_fault_and_has_no_score(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        label(field="type", value="claim"),
        label(),
        label(annotator="A2", field="unanswerability"),
    )

    (fault,) = found.faults
    assert "labelled on two scales, unanswerability in line 3 and factuality" in str(fault)
    assert [one.field for one in found.labels] == [LabelField.TYPE]


@pytest.mark.parametrize("listed", [True, False])
def test_a_review_may_have_a_slash_in_its_name(tmp_path: Path, listed: bool) -> None:
    name = "venue/Paper1-r#1"
    labels = [label(unit_id=name, field="type", value="claim"), label(unit_id=name)]
    other = label(unit_id=name, annotator="A2", field="unanswerability")
    more = {"units": [unit(name)]} if listed else {}

    fine = read(tmp_path / "fine", *labels, **more)
    mixed = read(tmp_path / "mixed", *labels, other, **more)

    assert (fine.faults, len(fine.labels)) == ((), 2)
    (fault,) = mixed.faults
    assert "labelled on two scales" in str(fault)


@pytest.mark.parametrize("point", [None, "p-r#2"])
def test_a_premise_of_no_listed_point_is_a_fault(tmp_path: Path, point: str | None) -> None:
    more = {} if point is None else {"point_id": point}
    premise = unit("p-r#1/P1", kind="premise", **more)

    found = read(tmp_path, label(), units=[unit(), premise])

    (fault,) = found.faults
    assert "units.jsonl:2: field 'point_id': the premise 'p-r#1/P1'" in str(fault)
    assert "name the point it belongs to" in str(fault)


def test_like_units_are_looked_for_only_a_few_times(tmp_path: Path) -> None:
    wrong = [label(unit_id=f"p-s#{n}") for n in range(50)]

    found = read(tmp_path, *wrong, units=[unit("p-r#1")])

    assert len(found.faults) == 50
    assert sum("did you mean" in str(one) for one in found.faults) == 5


def test_relevance_beyond_its_scale_is_a_fault(tmp_path: Path) -> None:
    found = read(tmp_path, label(), annotators=[{"annotator": "A1", "relevance": {"p": 9}}])

    (fault,) = found.faults
    assert "annotators.jsonl:1: field 'relevance.p': 9 cannot be used" in str(fault)


def test_strange_but_usable_things_are_warnings(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        label(field="faithfulness", value=2, codebook="codebook 1", mood="bad"),
        label(unit_id="p-r#1/P1"),
        annotators=[{"annotator": "A2"}],
    )

    assert found.faults == ()
    words = "\n".join(found.warnings)
    assert "the field 'mood' is not known" in words
    assert "rated below 4" in words
    assert "different codebooks" in words
    assert "not in annotators.jsonl: A1" in words


def test_a_unit_listed_twice_is_a_fault(tmp_path: Path) -> None:
    found = read(tmp_path, label(), units=[unit(), unit()])

    (fault,) = found.faults
    assert "units.jsonl:2" in str(fault)
    assert "'p-r#1' stands in line 1 already" in str(fault)


def test_the_first_fault_says_how_many_there_are(tmp_path: Path) -> None:
    one = read(tmp_path / "one", label(value=9))
    three = read(tmp_path / "three", label(value=9), label(value=8), label(value=7))

    assert first_fault(one.faults) == one.faults[0]
    assert "2 more lines cannot be used; use one of 1, 2, 3, 4, 5" in str(first_fault(three.faults))
    assert "agree --check lists all" in str(first_fault(three.faults))


def test_no_labels_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")

    with pytest.raises(InputError, match="there are no labels"):
        read_annotations(tmp_path)
    with pytest.raises(InputError, match="holds no label"):
        read_annotations(tmp_path / "empty.jsonl")


def test_a_file_of_labels_alone_is_a_set_without_units(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text(json.dumps(label()) + "\nnot json\n")

    found = read_annotations(tmp_path / "mine.jsonl")

    assert (found.name, found.units, len(found.labels)) == ("mine", None, 1)
    assert "is not JSON" in str(found.faults[0])


def test_units_alone_can_be_read(tmp_path: Path) -> None:
    write_labels(tmp_path / "set", [label()], units=[unit()])
    write_labels(tmp_path / "bad", [label()], units=[{"unit_id": "x"}])

    assert read_units(tmp_path) is None
    assert list(read_units(tmp_path / "set") or {}) == ["p-r#1"]
    with pytest.raises(InputError, match=r"units\.jsonl:1: field 'paper_id': is missing"):
        read_units(tmp_path / "bad")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["unit_id", "annotator", "field", "value", "codebook", "x"]),
            _JSON | st.sampled_from(["A1", "p-r#1", "factuality", "type", "claim", 3]),
            max_size=6,
        ),
        min_size=1,
        max_size=6,
    )
)
@settings(deadline=None)
def test_any_records_become_labels_on_their_scale_or_faults(
    records: list[dict[str, object]],
) -> None:
    rows = [RecordRow(line, 0, one) for line, one in enumerate(records, start=1)]

    found = check_labels("any", rows, Path("any.jsonl"), None)

    assert len(found.labels) + len(found.faults) >= len(records)
    assert all(one.value in VALUES[one.field] for one in found.labels)


def test_labels_by_models_are_not_among_those_of_people(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        label(),
        label(annotator="M1", annotator_kind="model"),
        label(annotator="M1", annotator_kind="model", unit_id="p-r#2"),
    )

    people = found.of_people()

    assert [one.annotator for one in people.labels] == ["A1"]
    assert people.notes == (
        "2 labels by models (M1) are left out: --human takes people's alone, --labels takes all.",
    )
    assert len(found.labels) == 3


def test_a_set_of_people_alone_stays_as_it_is(tmp_path: Path) -> None:
    found = read(tmp_path, label())

    assert found.of_people() is found


def test_a_set_of_models_alone_has_no_label_by_a_person(tmp_path: Path) -> None:
    found = read(tmp_path, label(annotator="M1", annotator_kind="model"))

    with pytest.raises(InputError, match="no label by a person: M1 are models"):
        found.of_people()
