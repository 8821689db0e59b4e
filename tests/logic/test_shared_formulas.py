"""Formulas that people and models wrote: how many are read, and that nothing crashes or hangs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.errors import FormulaError
from reviewscore.logic.fol import to_text
from reviewscore.logic.parser import parse
from reviewscore.logic.validity import prove
from reviewscore.schema.argument import Validity

pytestmark = pytest.mark.shared


def records(shared: Path, name: str) -> list[dict[str, object]]:
    path = shared / "fol" / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip(f"the development data is not here ({path})")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def formulas(record: dict[str, object]) -> list[str]:
    premises = record["premises"]
    assert isinstance(premises, list)
    return [*premises, *([str(record["conclusion"])] if record["conclusion"] else [])]


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("folio_train", 0.95),
        ("logiclm_gpt-3.5-turbo", 0.85),
        ("logiclm_text-davinci-003", 0.88),
        ("linc_gpt-3.5_folio", 0.88),
    ],
)
def test_most_formulas_are_read_strictly_and_printed_back(
    shared: Path, name: str, share: float
) -> None:
    texts = [text for record in records(shared, name) for text in formulas(record)]
    trees = []
    for text in texts:
        try:
            trees.append(parse(text))
        except FormulaError as error:
            assert error.message.endswith(".")

    assert len(trees) / len(texts) >= share
    assert all(parse(to_text(tree)) == tree for tree in trees)


def test_malformed_formulas_are_refused_or_have_one_documented_reading(shared: Path) -> None:
    accepted = 0
    for record in records(shared, "malformed"):
        proof = prove({"P1": str(record["text"])}, "Zzz")
        accepted += proof.validity is not Validity.ILL_FORMED

    # Those accepted have an unbracketed body, whose reach the grammar fixes.
    assert accepted <= 60


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logiclm_gpt-3.5-turbo", "logiclm_text-davinci-003"])
def test_arguments_by_models_are_decided_within_the_limits(shared: Path, name: str) -> None:
    for record in records(shared, name):
        *premises, conclusion = formulas(record)
        proof = prove({f"P{n}": text for n, text in enumerate(premises)}, conclusion)

        assert proof.validity is not Validity.UNKNOWN
