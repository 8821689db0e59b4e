"""Formulas that people and models wrote: how many are read, and that nothing crashes or hangs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.errors import FormulaError
from reviewscore.logic.parser import parse, read
from reviewscore.logic.printer import to_text
from reviewscore.logic.validity import prove
from reviewscore.schema.proof import Validity

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
    ("name", "strict", "lenient"),
    [
        ("folio_train", 0.985, 0.998),
        ("logiclm_gpt-3.5-turbo", 0.89, 0.999),
        ("logiclm_text-davinci-003", 0.90, 0.998),
        ("linc_gpt-3.5_folio", 0.925, 0.991),
    ],
)
def test_most_formulas_are_read_and_printed_back(
    shared: Path, name: str, strict: float, lenient: float
) -> None:
    texts = [text for record in records(shared, name) for text in formulas(record)]
    trees, leniently = [], 0
    for text in texts:
        try:
            trees.append(parse(text))
        except FormulaError as error:
            assert error.message.endswith(".")
        try:
            leniently += bool(read(text, lenient=True))
        except FormulaError:
            continue

    assert len(trees) / len(texts) >= strict
    assert leniently / len(texts) >= lenient
    assert all(parse(to_text(tree)) == tree for tree in set(trees))


def test_malformed_formulas_are_refused_or_the_deviation_is_noted(shared: Path) -> None:
    silent = 0
    for record in records(shared, "malformed"):
        try:
            reading = read(str(record["text"]))
        except FormulaError:
            continue
        silent += not reading.notes

    # Those have a variable list or a body without brackets, whose reach the grammar fixes, or a
    # name that only looks like a variable.
    assert silent <= 60


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logiclm_gpt-3.5-turbo", "logiclm_text-davinci-003"])
def test_arguments_by_models_are_decided_within_the_limits(shared: Path, name: str) -> None:
    for record in records(shared, name):
        *premises, conclusion = formulas(record)
        proof = prove({f"P{n}": text for n, text in enumerate(premises)}, conclusion)

        assert proof.validity is not Validity.UNKNOWN
