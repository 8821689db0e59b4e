"""Disagreements: which, how wide, and what may lie behind them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from reviewscore.agreement.disagree import (
    SHEET,
    Disagreement,
    Kind,
    disagreements,
    sheet_rows,
    value_laden,
)
from reviewscore.agreement.measure import Resampling
from reviewscore.agreement.study import compare, study
from reviewscore.agreement.write import write_study
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from reviewscore.schema.verdict import Verdict
from reviewscore.sources.annotations import read_annotations
from tests.agreement.invented import Said, point, run_of, write_labels

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
                "unit_id": each.point_id, "annotator": f"A{number}", "field": field,
                "value": value if each is score else each.base,
            }  # fmt: skip
            if justification and each is score:
                record["justification"] = justification
            said.append(record)
    path = write_labels(tmp_path / "labels", said)
    compared = compare([run], read_annotations(path), Resampling(resamples=100))
    return disagreements(compared, compared.judges[0], paper_text=lambda _: PAPER)


def claim(text: str, score: int, **changes: object) -> PointScore:
    return point("p-r#1", PointType.CLAIM, Said(score), text=text, **changes)


def test_scores_less_than_one_apart_on_the_same_side_are_no_disagreement(tmp_path: Path) -> None:
    assert one(tmp_path, claim("It has no ablation.", 1), (1, 1, 2)) == []


def test_a_judge_with_the_score_of_a_minority_of_people_is_told(tmp_path: Path) -> None:
    (found,) = one(tmp_path, claim("It has no ablation.", 2), (2, 4, 5))

    assert found.kinds == (Kind.MINORITY,)
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

    assert found.kinds == (Kind.VALUE_LADEN,)


def test_a_verdict_without_a_verified_quote_lacks_evidence(tmp_path: Path) -> None:
    (found,) = one(tmp_path, claim("It has no ablation.", 1, evidence=()), (4, 4, 4))

    assert found.kinds == (Kind.NO_EVIDENCE,)


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

    assert Kind.UNPARSED in found.kinds


def test_a_part_that_is_there_is_no_reason(tmp_path: Path) -> None:
    (found,) = one(tmp_path, claim("It is small.", 1), (4, 4, 4), justification="See Table 1.")

    assert Kind.UNPARSED not in found.kinds


def test_a_rationale_much_longer_than_usual_may_be_overthinking(tmp_path: Path) -> None:
    verdict = Verdict(scale="factuality", score=1, rationale="On the one hand it is so. " * 20)
    others = tuple(point(f"p-r#{n}", PointType.CLAIM, Said(4)) for n in range(2, 6))

    (found,) = one(tmp_path, claim("It has no ablation.", 1, verdict=verdict), (4, 4, 4),
                   others=others)  # fmt: skip

    assert found.kinds == (Kind.OVERTHINKING,)


def test_what_no_rule_explains_is_left_to_a_person(tmp_path: Path) -> None:
    (found,) = one(tmp_path, claim("It has no ablation.", 1), (4, 4, 4))

    assert found.kinds == (Kind.OTHER,)


def test_the_sheet_has_an_empty_column_for_the_kind_by_hand(tmp_path: Path) -> None:
    found = one(tmp_path, claim("=SUM(A1) is wrong.", 1), (4, 4, 4))

    (row,) = sheet_rows(found)

    assert len(row) == len(SHEET)
    assert row[SHEET.index("kind_by_hand")] == ""
    assert row[SHEET.index("labels")] == "A1 4; A2 4; A3 4"


def test_texts_of_reviews_are_no_formulas_in_the_written_sheet(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [claim("=SUM(A1) is wrong.", 1)], "openai/x")
    labels = [{"unit_id": "p-r#1", "annotator": "A1", "field": "factuality", "value": 5}]
    path = write_labels(tmp_path / "labels", labels)

    found = study(compare([run], read_annotations(path), Resampling(resamples=100)))
    write_study(found, tmp_path / "out")

    text = (tmp_path / "out" / "disagreements.csv").read_text()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["text"] == "'=SUM(A1) is wrong."
    assert row["difference"] == "-4"
