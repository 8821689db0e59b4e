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


LONG = Verdict(scale="factuality", score=1, rationale="On the one hand it is so. " * 20)


@pytest.mark.parametrize(
    ("text", "changes", "kind"),
    [
        ("The novelty is limited.", {}, DisagreementKind.VALUE_LADEN),
        ("It has no ablation.", {"evidence": ()}, DisagreementKind.NO_EVIDENCE),
        ("It has no ablation.", {"verdict": LONG}, DisagreementKind.OVERTHINKING),
        ("It has no ablation.", {}, DisagreementKind.OTHER),  # left to a person
    ],
)
def test_what_may_lie_behind_a_disagreement_is_told(
    tmp_path: Path, text: str, changes: dict[str, object], kind: DisagreementKind
) -> None:
    others = tuple(point(f"p-r#{n}", PointType.CLAIM, Said(4)) for n in range(2, 6))

    (found,) = one(tmp_path, claim(text, 1, **changes), (4, 4, 4), others=others)

    assert found.kinds == (kind,)


@pytest.mark.parametrize(
    ("rationale", "justification", "told"),
    [
        ("The appendix is not included, so this cannot be seen.", None, True),
        ("Nothing says so.", "Table 7 has it.", True),
        ("Nothing says so.", "See Appendix C.", True),
        ("Nothing says so.", "See Table 1.", False),  # it is there
    ],
)
def test_a_part_that_the_parsed_paper_lacks_is_told(
    tmp_path: Path, rationale: str, justification: str | None, told: bool
) -> None:
    verdict = Verdict(scale="factuality", score=1, rationale=rationale)
    score = claim("It has no ablation.", 1, verdict=verdict)

    (found,) = one(tmp_path, score, (4, 4, 4), justification=justification)

    assert (DisagreementKind.UNPARSED in found.kinds) is told


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
