"""Labels and runs laid side by side: what is counted, what is dropped and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from reviewscore.agreement.judge_scores import (
    NO_PREMISES,
    NOT_IN_RUN,
    OTHER_KIND,
    OTHER_WORDS,
    point_units,
)
from reviewscore.agreement.study import Study, page, study, write_study
from reviewscore.annotate.material import text_sha256
from reviewscore.arguments.aggregate import with_failure
from reviewscore.errors import InputError, SettingsError
from reviewscore.schema.annotation import Unit, UnitKind
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from reviewscore.schema.span import Span
from reviewscore.stats.estimates import Estimate, PendingEstimate
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.tables import Table
from tests.agreement.invented import (
    Said,
    compared_of,
    judged,
    labels_of,
    point,
    run_of,
    study_of,
    truth,
)
from tests.report.synthetic import named_by_content

FAST = Resampling(resamples=200)


def table(found: Study, name: str) -> Table:
    return next(one for one in found.tables if one.name == name)


def cell(found: Study, name: str, row: int, column: str) -> Estimate:
    one = table(found, name)
    value = one.rows[row][one.columns.index(column)]
    assert isinstance(value, PendingEstimate)
    return value.answer


def unit_of(score: PointScore, *, span: Span | None) -> dict[str, object]:
    """A point as a set of labels names it."""
    return Unit(
        unit_id=score.point_id,
        paper_id=score.paper_id,
        review_id=score.review_id,
        span=span,
        text=score.text,
    ).model_dump(mode="json", exclude_none=True)


def test_a_judge_without_errors_agrees_wholly_with_people_without_errors(tmp_path: Path) -> None:
    points = truth(6, 9)
    run = judged(tmp_path / "run", points, wrong=0.0)

    found = study_of(tmp_path, [run], labels_of(points, wrong=0.0))

    for column in ("Precision", "Recall", "F1", "Pearson", "Spearman", "AC2", "Kappa", "Alpha"):
        one = cell(found, "agreement-review-points", 0, column)
        assert one.value == pytest.approx(1.0)
        assert (one.n, one.dropped) == (54, {})
    assert found.disagreements["openai/imagined"] == []


def test_errors_lower_agreement_and_give_it_an_interval(tmp_path: Path) -> None:
    points = truth(12, 9)
    run = judged(tmp_path / "run", points, wrong=0.5)

    found = study_of(tmp_path, [run], labels_of(points))

    kappa = cell(found, "agreement-review-points", 0, "Kappa")
    assert kappa.value is not None
    assert kappa.low is not None
    assert kappa.high is not None
    assert 0.2 < kappa.low < kappa.value < kappa.high < 0.9
    differ = found.disagreements["openai/imagined"]
    assert differ
    assert [abs(one.difference) for one in differ] == sorted(
        (abs(one.difference) for one in differ), reverse=True
    )


def test_the_human_label_is_the_lower_median_and_arguments_take_their_premises(
    tmp_path: Path,
) -> None:
    name = "paper0-r1#1"
    run = run_of(tmp_path / "run", [point(name, PointType.ARGUMENT, Said(5))], "openai/x")
    scores = {"A1": (5, 2, 4), "A2": (4, 3, 4), "A3": (3, 1, 5), "A4": (2, 4, 5)}
    labels: list[dict[str, object]] = []
    for who, (whole, first, second) in scores.items():
        for unit, field, value in (
            (name, "type", "argument"),
            (name, "factuality", whole),
            (f"{name}/P1", "factuality", first),
            (f"{name}/P1", "source", "given_paper"),
            (f"{name}/P2", "factuality", second),
            (f"{name}/P2", "untrivialness", 1),
        ):
            labels.append(
                {
                    "unit_id": unit,
                    "annotator": who,
                    "annotator_kind": "human",
                    "field": field,
                    "value": value,
                }
            )

    people = compared_of(tmp_path, [run], labels).people

    score, flag = people.advanced, people.flags
    assert people.base.tolist() == [3.0]
    assert people.premise.tolist() == [2.0, 4.0]
    assert flag.tolist() == [1.0]
    assert score[0] == pytest.approx((2 * 2 + 1 * 4) / 3)
    assert people.each[1].tolist() == [[1.0, 0.0, 1.0, 0.0]]


def test_a_reconstruction_that_people_find_unfaithful_has_no_advanced_label(
    tmp_path: Path,
) -> None:
    points = [one for one in truth(3, 6) if one[1] is PointType.ARGUMENT]
    run = judged(tmp_path / "run", points)
    labels = labels_of(points)
    for one in labels:
        if one["field"] == "faithfulness" and one["unit_id"] == points[0][0]:
            one["value"] = 3

    people = compared_of(tmp_path, [run], labels).people

    score, flag = people.advanced, people.flags
    assert np.isnan(score).tolist() == [True] + [False] * (len(points) - 1)
    assert np.isnan(flag[0])
    assert not np.isnan(people.base[0])


def with_links(score: PointScore) -> PointScore:
    """The point, the second premise of an argument an implicit conditional."""
    if score.argument is None:
        return score
    fact, second = score.argument.premises
    link = second.model_copy(update={"explicit": False, "formula": "p -> c"})
    argument = score.argument.model_copy(update={"premises": (fact, link)})
    return score.model_copy(update={"argument": argument})


def test_agreement_by_facts_alone_stands_beside_the_published_one(tmp_path: Path) -> None:
    kinds = (PointType.ARGUMENT, PointType.CLAIM)
    whole = [(f"paper{n}-r1#{m}", kinds[m - 1], n) for n in range(12) for m in (1, 2)]
    to_judge = [(name, kind, Said(4, (2 if n % 4 == 0 else 4, 2 if n % 4 == 1 else 4)))
                for name, kind, n in whole]  # fmt: skip
    to_people = [(name, kind, Said(4, (said.premises[0], 4))) for name, kind, said in to_judge]
    scores = [with_failure(with_links(point(*one))) for one in to_judge]
    run = run_of(tmp_path / "run", scores, "openai/imagined")

    found = study_of(tmp_path, [run], labels_of(to_people, annotators=1, wrong=0))

    name = "fact-and-inference"
    assert cell(found, name, 0, "F1").value == pytest.approx(2 * 3 / (6 + 3))
    assert cell(found, name, 0, "F1").value == cell(found, "agreement", 0, "arguments F1").value
    assert cell(found, name, 1, "F1").value == cell(found, name, 1, "review points F1").value == 1
    by_judge = [cell(found, name, row, "share by judge").value for row in (0, 1)]
    assert by_judge == [pytest.approx(0.5), pytest.approx(0.25)]
    assert [cell(found, name, row, "share by people").value for row in (0, 1)] == [0.25, 0.25]
    assert any("3 arguments misinformed as published fail by" in note for note in found.notes)


def test_people_who_call_a_link_false_flag_nothing_by_facts_alone(tmp_path: Path) -> None:
    points = [(f"paper{n}-r1#1", PointType.ARGUMENT, Said(4, (4, 1))) for n in range(6)]
    run = run_of(tmp_path / "run", [with_links(point(*one)) for one in points], "openai/imagined")

    compared = compared_of(tmp_path, [run], labels_of(points, annotators=1, wrong=0))

    assert compared.people.flags.tolist() == [1.0] * 6
    assert compared.people.flags_by_facts(compared.links).tolist() == [0.0] * 6
    unknown = np.full(12, np.nan)
    assert np.isnan(compared.people.flags_by_facts(unknown)).all()


def test_without_premises_there_is_one_reading(tmp_path: Path) -> None:
    points = [(f"paper{n}-r1#1", PointType.CLAIM, Said(2)) for n in range(6)]
    run = judged(tmp_path / "run", points)

    found = study_of(tmp_path, [run], labels_of(points))

    assert "fact-and-inference" not in {one.name for one in found.tables}


def test_points_that_the_run_lacks_or_words_otherwise_are_dropped_and_counted(
    tmp_path: Path,
) -> None:
    points = truth(2, 6)
    scored = [point(name, kind, said) for name, kind, said in points]
    other = scored[3].model_copy(update={"text": "Something else."})
    turned = scored[2].model_copy(update={"type": PointType.CLAIM})
    assert scored[2].type is PointType.QUESTION
    run = run_of(tmp_path / "run", [scored[1], turned, other, *scored[4:]], "openai/x")
    units = [unit_of(one, span=None) for one in scored]
    labels = [one for one in labels_of(points) if "/" not in str(one["unit_id"])]

    found = compared_of(tmp_path, [run], labels, units=units)

    missing = found.judges[0].missing
    assert missing[scored[0].point_id] == NOT_IN_RUN
    assert missing[scored[3].point_id] == OTHER_WORDS
    assert missing[scored[2].point_id] == OTHER_KIND
    assert len(missing) == 3
    page = study(found)
    dropped = cell(page, "shares", 3, "share by judge").dropped
    assert dropped[NOT_IN_RUN] == dropped[OTHER_WORDS] == 1


def test_a_point_with_another_number_is_found_by_its_place_in_the_review(tmp_path: Path) -> None:
    points = truth(1, 6)
    scored = [point(name, kind, said) for name, kind, said in points]
    moved = [one.model_copy(update={"point_id": f"paper0-r1#{n}9"}) for n, one in enumerate(scored)]
    run = run_of(tmp_path / "run", moved, "openai/x")
    units = [unit_of(one, span=one.span) for one in scored]
    labels = [one for one in labels_of(points) if "/" not in str(one["unit_id"])]

    found = compared_of(tmp_path, [run], labels, units=units)

    assert found.judges[0].missing == {}


def test_premises_of_another_reconstruction_are_not_compared(tmp_path: Path) -> None:
    points = truth(2, 6)
    scored = [point(name, kind, said) for name, kind, said in points]
    run = run_of(tmp_path / "run", scored, "openai/x")
    units = []
    for one in scored:
        common = {"paper_id": one.paper_id, "review_id": one.review_id}
        units.append({"unit_id": one.point_id, **common})
        for premise in () if one.argument is None else one.argument.premises:
            text = premise.text if premise.premise_id == "P1" else "Another premise."
            units.append(
                {"unit_id": f"{one.point_id}/{premise.premise_id}", "kind": "premise",
                 "point_id": one.point_id, "text": text, **common}
            )  # fmt: skip

    compared = compared_of(tmp_path, [run], labels_of(points), units=units)
    found = study(compared)

    lost = [unit for unit, why in compared.judges[0].missing.items() if why == NO_PREMISES]
    assert lost
    assert all(unit.endswith("/P2") for unit in lost)
    assert any("other premises" in note for note in found.notes)
    assert cell(found, "base-and-advanced", 0, "premises").dropped == {NO_PREMISES: len(lost)}
    assert cell(found, "reconstruction", 1, "faithfulness 1-5").n == 0


def test_a_premise_that_nobody_labelled_leaves_its_argument_without_a_label(
    tmp_path: Path,
) -> None:
    points = truth(2, 6)
    run = judged(tmp_path / "run", points)
    labels = [one for one in labels_of(points) if not str(one["unit_id"]).endswith("/P2")]

    compared = compared_of(tmp_path, [run], labels)

    of_arguments = compared.of((PointType.ARGUMENT,))
    score, flag = compared.people.advanced, compared.people.flags
    false = compared.people.premise[compared.people.premises_labelled] <= 2
    assert np.isnan(score[of_arguments]).all()
    # One false premise decides; where none is known to be false, nothing is known.
    assert np.isnan(flag[of_arguments]).tolist() == (~false).tolist()
    found = study(compared)
    assert "12 points and 4 premises of 2 papers" in found.notes[0]
    assert {row[0]: row[1] for row in table(found, "data").rows}["premises"] == 4


def test_faithfulness_of_a_reconstruction_is_not_that_of_another(tmp_path: Path) -> None:
    # Premises of an unfaithful reconstruction are not labelled, but they tell it from others.
    points = [one for one in truth(2, 6) if one[1] is PointType.ARGUMENT]
    scored = [point(name, kind, said) for name, kind, said in points]
    run = run_of(tmp_path / "run", scored, "openai/x")
    units = []
    for number, one in enumerate(scored):
        common = {"paper_id": one.paper_id, "review_id": one.review_id}
        units.append({"unit_id": one.point_id, **common})
        assert one.argument is not None
        for premise in one.argument.premises:
            text = premise.text if number == 0 else "Another premise."
            units.append({"unit_id": f"{one.point_id}/{premise.premise_id}", "kind": "premise",
                          "point_id": one.point_id, "text": text, **common})  # fmt: skip
    labels = [one for one in labels_of(points) if "/" not in str(one["unit_id"])]
    for one in labels:
        one["value"] = 2 if one["field"] == "faithfulness" else one["value"]

    found = study_of(tmp_path, [run], labels, units=units)

    rated = cell(found, "reconstruction", 1, "faithfulness 1-5")
    assert (rated.value, rated.n) == (2.0, 1)


def test_labels_of_units_that_no_run_has_are_counted(tmp_path: Path) -> None:
    points = truth(3, 6)
    run = judged(tmp_path / "run", points[:12])

    found = study_of(tmp_path, [run], labels_of(points))

    # Six points and the two premises of each of two arguments.
    assert any("10 labelled units (such as paper2-r1#1) are in none" in one for one in found.notes)


def test_a_point_on_whose_type_people_are_tied_is_in_no_table_and_told(tmp_path: Path) -> None:
    points = truth(2, 6)
    run = judged(tmp_path / "run", points)
    labels = labels_of(points, annotators=2)
    first = next(one for one in labels if one["field"] == "type")
    first["value"] = "argument" if first["value"] == "claim" else "claim"

    compared = compared_of(tmp_path, [run], labels)

    assert compared.people.types.count(None) == 1
    assert any("1 point without a type" in one for one in study(compared).notes)


def test_a_weakness_to_people_is_no_question_because_a_judge_says_so(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [point("p-r#1", PointType.QUESTION, Said(2))], "openai/x")
    labels = [
        {
            "unit_id": "p-r#1",
            "annotator": "A1",
            "annotator_kind": "human",
            "field": "factuality",
            "value": 2,
        }
    ]

    compared = compared_of(tmp_path, [run], labels)

    assert compared.people.types == (None,)


@pytest.mark.parametrize(
    ("kind", "scale"), [("claim", "unanswerability"), ("question", "factuality")]
)
def test_a_point_on_the_scale_of_another_type_is_in_no_table(
    tmp_path: Path, kind: str, scale: str
) -> None:
    run = run_of(tmp_path / "run", [point("p-r#1", PointType(kind), Said(2))], "openai/x")
    labels: list[dict[str, object]] = [
        {
            "unit_id": "p-r#1",
            "annotator": "A1",
            "annotator_kind": "human",
            "field": "type",
            "value": kind,
        },
        {
            "unit_id": "p-r#1",
            "annotator": "A1",
            "annotator_kind": "human",
            "field": scale,
            "value": 2,
        },
    ]

    compared = compared_of(tmp_path, [run], labels)

    assert compared.people.types == (None,)
    assert any("1 point without a type" in one for one in study(compared).notes)


def test_the_type_of_other_words_under_the_same_number_is_not_taken(tmp_path: Path) -> None:
    here = point("p-r#1", PointType.CLAIM, Said(4))
    other = point("p-r#2", PointType.ARGUMENT, Said(4), text="Something else.")
    run = run_of(tmp_path / "run", [here, other], "openai/x")
    units = [
        {"unit_id": name, "paper_id": "p", "review_id": "p-r", "text": f"Point {name}."}
        for name in ("p-r#1", "p-r#2")
    ]
    labels = [
        {
            "unit_id": name,
            "annotator": "A1",
            "annotator_kind": "human",
            "field": "factuality",
            "value": 3,
        }
        for name in ("p-r#1", "p-r#2")
    ]

    compared = compared_of(tmp_path, [run], labels, units=units)

    assert compared.people.types == (PointType.CLAIM, None)


@pytest.mark.parametrize("folders", [("a/run", "b/run"), ("run", "run")])
def test_runs_of_one_judge_in_folders_of_one_name_are_told_apart(
    tmp_path: Path, folders: tuple[str, str]
) -> None:
    points = truth(2, 6)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    made = {name: judged(tmp_path / name, points) for name in dict.fromkeys(folders)}

    found = study_of(tmp_path, [made[one] for one in folders], labels_of(points))

    assert len({judge.name for judge in found.compared.judges}) == 2
    assert len(found.disagreements) == 2


def units_as(points: Sequence[PointScore], listed: str) -> list[dict[str, object]]:
    """Units of an old set: with their words, or the sum of these, or their spans alone."""
    left_out = {"text": {"span"}, "sha256": {"span", "text"}, "span": {"text"}}[listed]
    return [
        {
            **unit.model_dump(mode="json", exclude_none=True, exclude=left_out),
            **({"sha256": text_sha256(unit)} if listed == "sha256" else {}),
        }
        for score in points
        for unit in point_units(score)
    ]


@pytest.mark.parametrize("listed", ["text", "sha256", "span", "old run"])
def test_labels_on_places_are_those_of_the_same_words_in_a_run_of_today(
    tmp_path: Path, listed: str
) -> None:
    points = truth(5, 6)
    scored = [point(*one) for one in points]
    old = run_of(tmp_path / "old", scored, "openai/imagined")
    new = run_of(tmp_path / "new", named_by_content(scored)[::-1], "openai/today")
    units = {} if listed == "old run" else {"units": units_as(scored, listed)}
    runs = [old, new] if listed == "old run" else [new]

    expected = study_of(tmp_path / "a", [old], labels_of(points))
    found = study_of(tmp_path / "b", runs, labels_of(points), **units)

    judge, known = found.compared.judges[-1], expected.compared.judges[0]
    assert not judge.missing
    for name in ("base", "advanced", "flags", "premise"):
        assert np.array_equal(getattr(judge, name), getattr(known, name), equal_nan=True)


def test_labels_on_places_without_words_say_what_to_do(tmp_path: Path) -> None:
    points = truth(2, 3)
    new = run_of(tmp_path / "new", named_by_content(point(*one) for one in points), "openai/today")

    with pytest.raises(InputError, match=r"place in its review.* name the run that was labelled"):
        compared_of(tmp_path, [new], labels_of(points))


def test_an_edited_review_keeps_the_labels_of_its_other_remarks(tmp_path: Path) -> None:
    points = truth(2, 6)
    before = named_by_content(point(*one) for one in points)
    names = dict(zip((one[0] for one in points), (one.point_id for one in before), strict=True))
    labels = labels_of(points)
    for label in labels:
        place, slash, premise = str(label["unit_id"]).partition("/")
        label["unit_id"] = f"{names[place]}{slash}{premise}"
    edited = [
        before[0].model_copy(update={"text": "Another remark."}),
        *(
            one.model_copy(update={"span": Span(field="weaknesses", start=n, end=n + 1)})
            for n, one in enumerate(before[1:])
        ),
    ]
    units = [unit.model_dump(mode="json") for one in before for unit in point_units(one)]
    run = run_of(tmp_path / "run", named_by_content(edited), "openai/today")

    found = compared_of(tmp_path, [run], labels, units=units)

    judge = found.judges[0]
    assert {name for name, why in judge.missing.items() if why == NOT_IN_RUN} == {
        before[0].point_id
    }


def test_nothing_in_common_is_an_error_that_names_both_sides(tmp_path: Path) -> None:
    run = judged(tmp_path / "run", truth(2, 3))
    elsewhere = [("other-r1#1", PointType.CLAIM, Said(2))]

    with pytest.raises(InputError, match=r"labels \(such as other-r1#1\).*such as paper0-r1#"):
        compared_of(tmp_path, [run], labels_of(elsewhere))


def test_the_embedded_judge_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    points = truth(3, 6)
    runs = [judged(tmp_path / "model", points), run_of(tmp_path / "finder", [], "lexical")]

    with pytest.raises(SettingsError, match=r"finder is of the embedded judge.*--model"):
        compared_of(tmp_path, runs, labels_of(points))


def test_runs_with_and_without_the_authors_response_are_paired(tmp_path: Path) -> None:
    points = truth(8, 9)
    runs = [
        judged(tmp_path / "without", points, wrong=0.6),
        judged(tmp_path / "with", points, wrong=0.1, author_response=True),
    ]

    found = study_of(tmp_path, runs, labels_of(points))

    rows = table(found, "authors-response").rows
    assert [row[1] for row in rows] == [
        "WScore", "ArgScore without aggregation", "ArgScore", "QScore", "ClaimScore", "ReviewScore",
    ]  # fmt: skip
    gain = cell(found, "authors-response", 5, "Kappa gain")
    assert gain.value is not None
    assert gain.value > 0.1
    assert gain.p is not None
    assert gain.p < 0.05


def test_a_panel_with_the_response_is_not_paired_with_a_single_judge(tmp_path: Path) -> None:
    points = truth(4, 6)
    runs = [
        judged(tmp_path / "panel", points, panel=["anthropic/y"]),
        judged(tmp_path / "alone", points, author_response=True),
    ]

    found = study_of(tmp_path, runs, labels_of(points))

    assert "authors-response" not in {one.name for one in found.tables}


def test_units_left_out_do_not_shift_ac2(tmp_path: Path) -> None:
    points = truth(6, 9)
    some = [one for one in points if one[1] is not PointType.CLAIM]
    runs = [judged(tmp_path / "some", some), judged(tmp_path / "all", points, judge="openai/all")]

    with_others = study_of(tmp_path, runs, labels_of(points))
    alone = study_of(
        tmp_path,
        runs[:1],
        [
            one
            for one in labels_of(points)
            if str(one["unit_id"]).partition("/")[0] in {name for name, _, _ in some}
        ],
    )

    one = cell(with_others, "agreement-review-points", 0, "AC2")
    assert one.dropped == {NOT_IN_RUN: 18}
    assert one.value == cell(alone, "agreement-review-points", 0, "AC2").value


def test_units_that_differences_and_annotators_lack_are_counted(tmp_path: Path) -> None:
    points = truth(6, 9)
    runs = [
        judged(tmp_path / "all", points),
        judged(tmp_path / "some", points[:36], judge="openai/some"),
    ]
    labels = [one for one in labels_of(points, annotators=2)
              if (one["annotator"], one["unit_id"]) != ("A2", points[0][0])]  # fmt: skip

    found = study_of(tmp_path, runs, labels)

    assert cell(found, "judges-compared", 0, "F1").dropped == {"without all that is compared": 18}
    lacking = cell(found, "agreement", 2, "review points F1")
    assert lacking.n == 53
    assert lacking.dropped == {"not labelled by this annotator and another": 1}


def test_annotators_without_a_group_are_in_the_row_of_all(tmp_path: Path) -> None:
    points = truth(3, 6)
    run = judged(tmp_path / "run", points)
    cards = [{"annotator": name, "group": "1"} for name in ("A1", "A2")]

    found = study_of(tmp_path, [run], labels_of(points), annotators=cards)

    assert [row[0] for row in table(found, "between-annotators").rows] == ["group 1", "all"]


def test_equal_runs_differ_by_nothing_and_no_chance_test_finds_more(tmp_path: Path) -> None:
    points = truth(6, 9)
    runs = [judged(tmp_path / name, points, judge=f"openai/{name}") for name in ("one", "two")]

    found = study_of(tmp_path, runs, labels_of(points))

    for column in ("F1", "Kappa", "AC2"):
        one = cell(found, "judges-compared", 0, column)
        assert (one.value, one.low, one.high, one.p) == (0.0, 0.0, 0.0, 1.0)


def test_tables_of_the_data_count_what_was_labelled(tmp_path: Path) -> None:
    points = truth(4, 6)
    scored = [point(name, kind, said) for name, kind, said in points]
    run = run_of(tmp_path / "run", scored, "openai/x")
    units = []
    for one in scored:
        subset = "pilot" if one.paper_id == "paper0" else "main"
        common = {"paper_id": one.paper_id, "review_id": one.review_id, "subset": subset}
        units.append({"unit_id": one.point_id, **common})
        for premise in () if one.argument is None else one.argument.premises:
            units.append({"unit_id": f"{one.point_id}/{premise.premise_id}", "kind": "premise",
                          "point_id": one.point_id, **common})  # fmt: skip
    people = [
        {"annotator": "A1", "group": "1", "publications": 2, "relevance": {"paper0": 4}},
        {"annotator": "A2", "group": "1", "publications": 5, "relevance": {"paper0": 3}},
        {"annotator": "A3", "group": "2"},
    ]

    found = study_of(tmp_path, [run], labels_of(points), units=units, annotators=people)

    rows = {row[0]: row[1:] for row in table(found, "data").rows}
    assert table(found, "data").columns == ("", "main", "pilot", "all")
    assert rows["papers"] == (3, 1, 4)
    assert rows["review points"] == (18, 6, 24)
    assert rows["arguments"] == (6, 2, 8)
    assert rows["premises"] == (12, 4, 16)
    experience = table(found, "annotators").rows
    assert experience[2] == ("1", "mean", "3.50", "3.50")
    assert experience[3] == ("2", "A3", None, "")
    between = table(found, "between-annotators").rows
    assert [row[0] for row in between] == ["group 1", "group 2", "median of groups", "all"]


def test_a_dollar_sign_in_the_name_of_a_judge_is_no_formula_of_a_plot(tmp_path: Path) -> None:
    points = truth(2, 6)
    run = judged(tmp_path / "run", points, judge="x/$a_{$")

    written = write_study(study_of(tmp_path, [run], labels_of(points)), tmp_path / "out")

    assert tmp_path / "out" / "plots" / "confusion.svg" in written
    assert "](plots/confusion.svg)" in written[0].read_text("utf-8")


def test_names_of_groups_are_no_markup_of_the_page(tmp_path: Path) -> None:
    points = truth(2, 6)
    run = judged(tmp_path / "run", points)
    cards = [{"annotator": "A1", "group": "<img src=x>"}]

    found = page(study_of(tmp_path, [run], labels_of(points), annotators=cards))

    assert "\\<img src=x\\>" in found
    assert found.count("<img") == found.count("\\<img")


def test_a_part_named_all_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    points = truth(2, 6)
    run = judged(tmp_path / "run", points)
    units = [
        {"unit_id": name, "paper_id": name[:6], "review_id": name.partition("#")[0]}
        | ({"subset": "all"} if name.startswith("paper0") else {})
        for name, _, _ in points
    ]
    labels = [one for one in labels_of(points) if "/" not in str(one["unit_id"])]

    found = table(study_of(tmp_path, [run], labels, units=units), "data")

    assert found.columns == ("", "all", "all parts")
    assert found.rows[0] == ("papers", 1, 2)


def test_reconstruction_is_measured_in_the_first_round_and_by_the_loop(tmp_path: Path) -> None:
    points = truth(4, 6)
    run = judged(tmp_path / "run", points)

    found = study_of(tmp_path, [run], labels_of(points))

    assert cell(found, "reconstruction", 0, "validity").value == 0.0
    assert cell(found, "reconstruction", 0, "pass rate").value == 0.0
    assert cell(found, "reconstruction", 1, "validity").value == 1.0
    assert cell(found, "reconstruction", 1, "rounds").value == 2.0
    assert cell(found, "reconstruction", 1, "faithfulness 1-5").value == 5.0


def test_one_annotator_and_one_paper_are_said(tmp_path: Path) -> None:
    points = truth(1, 9)
    run = judged(tmp_path / "run", points)

    found = study_of(tmp_path, [run], labels_of(points, annotators=1))

    assert any("One annotator" in note for note in found.notes)
    assert any("Only 1 paper" in note for note in found.notes)
    alpha = cell(found, "between-annotators", 0, "review points")
    assert (alpha.value, alpha.reason) == (None, "no unit has two ratings")


def test_labels_of_other_units_are_read_past_and_the_numbers_stay_the_same(tmp_path: Path) -> None:
    points = truth(5, 6)
    run = judged(tmp_path / "run", points)
    some = [one for one in labels_of(points) if not str(one["unit_id"]).startswith("paper4")]

    found = compared_of(tmp_path, [run], some)

    assert {one.paper_id for one in found.people.points} == {f"paper{n}" for n in range(4)}
    assert {one.kind for one in found.people.premises} == {UnitKind.PREMISE}
