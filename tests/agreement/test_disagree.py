"""Disagreements: which, how wide, and what may lie behind them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from reviewscore.agreement.disagree import (
    SHEET,
    Disagreement,
    DisagreementKind,
    disagreements,
    sheet_rows,
)
from reviewscore.agreement.judge_scores import value_laden
from reviewscore.agreement.study import page, write_study
from reviewscore.arguments.aggregate import advanced
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from reviewscore.schema.verdict import Verdict
from tests.agreement.invented import Said, compared_of, labels_of, point, run_of, study_of

PAPER = "We use four datasets. Table 1 lists them. See Appendix B."


def one(
    tmp_path: Path,
    score: PointScore,
    labels: tuple[int, ...],
    *,
    justification: str | None = None,
    others: tuple[PointScore, ...] = (),
) -> list[Disagreement]:
    """Disagreements of a run of one claim, labelled by one annotator per label."""
    everything = [score, *others]
    run = run_of(tmp_path / "run", everything, "openai/x")
    said = []
    for each in everything:
        field = "unanswerability" if each.type is PointType.QUESTION else "factuality"
        for number, value in enumerate(labels, start=1):
            record: dict[str, object] = {
                "unit_id": each.point_id, "annotator": f"A{number}", "annotator_kind": "human",
                "field": field, "value": value if each is score else each.base,
            }  # fmt: skip
            if justification and each is score:
                record["justification"] = justification
            said.append(record)
    compared = compared_of(tmp_path, [run], said, resamples=100)
    return disagreements(compared, compared.judges[0], paper_text=lambda _: PAPER)


def claim(text: str, score: int, **changes: object) -> PointScore:
    return point("p-r#1", PointType.CLAIM, Said(score), text=text, **changes)


def test_scores_less_than_one_apart_on_the_same_side_are_no_disagreement(tmp_path: Path) -> None:
    assert one(tmp_path, claim("It has no ablation.", 1), (1, 1, 2)) == []


def test_a_judge_with_the_score_of_a_minority_of_people_is_told(tmp_path: Path) -> None:
    (found,) = one(tmp_path, claim("It has no ablation.", 2), (2, 4, 5))

    assert found.kinds == (DisagreementKind.MINORITY,)
    assert (found.human, found.score, found.difference, found.flips) == (4.0, 2.0, -2.0, True)
    assert found.labels == {"A1": 2.0, "A2": 4.0, "A3": 5.0}


@pytest.mark.parametrize(
    ("text", "laden"),
    [
        ("The novelty is limited.", True),
        ("The paper is hard to follow.", True),
        ("There is no ablation study.", False),
        ("Only one dataset is used.", False),
    ],
)
def test_claims_about_worth_are_value_laden(text: str, *, laden: bool) -> None:
    assert value_laden(text) is laden


def test_a_value_laden_claim_is_told(tmp_path: Path) -> None:
    (found,) = one(tmp_path, claim("The novelty is limited.", 1), (4, 4, 4))

    assert found.kinds == (DisagreementKind.VALUE_LADEN,)


def test_a_verdict_without_a_verified_quote_lacks_evidence(tmp_path: Path) -> None:
    (found,) = one(tmp_path, claim("It has no ablation.", 1, evidence=()), (4, 4, 4))

    assert found.kinds == (DisagreementKind.NO_EVIDENCE,)


@pytest.mark.parametrize(
    ("rationale", "justification"),
    [
        ("The appendix is not included, so this cannot be seen.", None),
        ("Nothing says so.", "Table 7 has it."),
        ("Nothing says so.", "See Appendix C."),
    ],
)
def test_a_part_that_the_parsed_paper_lacks_is_told(
    tmp_path: Path, rationale: str, justification: str | None
) -> None:
    verdict = Verdict(scale="factuality", score=1, rationale=rationale)
    score = claim("It has no ablation.", 1, verdict=verdict)

    (found,) = one(tmp_path, score, (4, 4, 4), justification=justification)

    assert DisagreementKind.UNPARSED in found.kinds


def test_a_part_that_is_there_is_no_reason(tmp_path: Path) -> None:
    (found,) = one(tmp_path, claim("It is small.", 1), (4, 4, 4), justification="See Table 1.")

    assert DisagreementKind.UNPARSED not in found.kinds


def test_a_rationale_much_longer_than_usual_may_be_overthinking(tmp_path: Path) -> None:
    verdict = Verdict(scale="factuality", score=1, rationale="On the one hand it is so. " * 20)
    others = tuple(point(f"p-r#{n}", PointType.CLAIM, Said(4)) for n in range(2, 6))

    (found,) = one(tmp_path, claim("It has no ablation.", 1, verdict=verdict), (4, 4, 4),
                   others=others)  # fmt: skip

    assert found.kinds == (DisagreementKind.OVERTHINKING,)


def test_what_no_rule_explains_is_left_to_a_person(tmp_path: Path) -> None:
    (found,) = one(tmp_path, claim("It has no ablation.", 1), (4, 4, 4))

    assert found.kinds == (DisagreementKind.OTHER,)


def test_scores_one_apart_are_listed_though_their_difference_is_rounded(tmp_path: Path) -> None:
    # Premises weighted 2, 2 and 1 give 4.6 and 3.6, which are 0.9999999999999996 apart.
    score = point("p-r#1", PointType.ARGUMENT, Said(5))
    assert score.argument is not None
    people, judge = (5, 5, 3), (4, 4, 2)
    labels: list[dict[str, object]] = [
        {
            "unit_id": "p-r#1",
            "annotator": "A1",
            "annotator_kind": "human",
            "field": "type",
            "value": "argument",
        }
    ]
    premises = []
    for n, (weight, ours, theirs) in enumerate(zip((2, 2, 1), people, judge, strict=True), 1):
        one = score.argument.premises[0]
        assert one.verdict is not None
        verdict = one.verdict.model_copy(update={"factuality": theirs, "untrivialness": weight})
        premises.append(one.model_copy(update={"premise_id": f"P{n}", "verdict": verdict}))
        for field, value in (("factuality", ours), ("untrivialness", weight)):
            labels.append(
                {
                    "unit_id": f"p-r#1/P{n}",
                    "annotator": "A1",
                    "annotator_kind": "human",
                    "field": field,
                    "value": value,
                }
            )
    argument = score.argument.model_copy(update={"premises": tuple(premises)})
    update = {"argument": argument, "advanced": advanced(premises), "misinformed": False}
    run = run_of(tmp_path / "run", [score.model_copy(update=update)], "openai/x")

    compared = compared_of(tmp_path, [run], labels, resamples=100)

    (found,) = disagreements(compared, compared.judges[0])
    assert found.difference == pytest.approx(-1.0)
    assert found.flips is False


def test_the_page_counts_what_the_sheet_lists(tmp_path: Path) -> None:
    scored = point("p-r#1", PointType.ARGUMENT, Said(5, (4, 2)))
    run = run_of(tmp_path / "run", [scored], "openai/x")
    truth = [("p-r#1", PointType.ARGUMENT, Said(5, (4, 3)))]

    found = study_of(tmp_path, [run], labels_of(truth, wrong=0.0), resamples=100)

    (one,) = found.disagreements["openai/x"]
    assert abs(one.difference) < 1
    assert "1 listed, whose scores differ by one or more or lie on the two sides" in page(found)


def test_sides_that_differ_without_scores_are_counted(tmp_path: Path) -> None:
    scored = point("p-r#1", PointType.ARGUMENT, Said(5))
    run = run_of(tmp_path / "run", [scored], "openai/x")
    # A false premise decides the side; without untrivialness there is no weighted score.
    truth = [("p-r#1", PointType.ARGUMENT, Said(5, (1, 4)))]
    labels = [one for one in labels_of(truth, wrong=0.0)
              if one["field"] not in ("untrivialness", "source")]  # fmt: skip

    found = study_of(tmp_path, [run], labels, resamples=100)

    assert found.disagreements["openai/x"] == []
    assert "as 0 do. 1 more do, but lack a score to compare." in page(found)


def test_the_sheet_has_an_empty_column_for_the_kind_by_hand(tmp_path: Path) -> None:
    found = one(tmp_path, claim("=SUM(A1) is wrong.", 1), (4, 4, 4))

    (row,) = sheet_rows(found)

    assert len(row) == len(SHEET)
    assert row[SHEET.index("kind_by_hand")] == ""
    assert row[SHEET.index("labels")] == "A1 4; A2 4; A3 4"


def test_texts_of_reviews_are_no_formulas_in_the_written_sheet(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [claim("=SUM(A1) is wrong.", 1)], "openai/x")
    labels = [
        {
            "unit_id": "p-r#1",
            "annotator": "A1",
            "annotator_kind": "human",
            "field": "factuality",
            "value": 5,
        }
    ]

    found = study_of(tmp_path, [run], labels, resamples=100)
    write_study(found, tmp_path / "out")

    text = (tmp_path / "out" / "disagreements.csv").read_text()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["text"] == "'=SUM(A1) is wrong."
    assert row["difference"] == "-4"
