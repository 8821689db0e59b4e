"""How many formulas and arguments by people and models are read, and whether verdicts agree.

    python -m benchmarks.logic_formulas --data ../shared/data/fol [--differences]

The baseline is the verdict that LINC stored for Prover9 with each sample. A verdict is True if the
premises entail the conclusion, False if they entail its negation, else Uncertain.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import head, keep, skip
from reviewscore.errors import FormulaError
from reviewscore.logic.fol import Not, background
from reviewscore.logic.parser import ParsedFormula, read
from reviewscore.logic.vocabulary import conflicts
from reviewscore.logic.z3_backend import CheckOutcome, ProofLimits, ProofSession

SOURCES = (
    "folio_train",
    "logiclm_gpt-3.5-turbo",
    "logiclm_text-davinci-003",
    "linc_gpt-3.5_folio",
)


class Row(NamedTuple):
    """One argument of the data."""

    row_id: str
    premises: list[str]
    conclusion: str | None
    label: str
    prover9: str | None
    count: int


def rows(file: Path) -> Iterator[Row]:
    """The arguments of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        yield Row(
            one["id"],
            one["premises"],
            one["conclusion"],
            one["label"],
            one.get("prover9"),
            one["n"],
        )


def verdict(premises: list[ParsedFormula], conclusion: ParsedFormula) -> str:
    """True, False, Uncertain; Inconsistent if the premises are, Undecided at a limit."""
    formulas = [one.formula for one in premises]
    session = ProofSession(ProofLimits())
    session.assume(background([*formulas, conclusion.formula]))
    labels = [str(number) for number in range(len(formulas))]
    for label, formula in zip(labels, formulas, strict=True):
        session.add(label, formula)
    session.add("yes", conclusion.formula)
    session.add("no", Not(conclusion.formula))
    outcomes = [session.check([*labels, *end]).outcome for end in ([], ["no"], ["yes"])]
    if CheckOutcome.UNKNOWN in outcomes:
        return "Undecided"
    if outcomes[0] is CheckOutcome.UNSATISFIABLE:
        return "Inconsistent"
    if outcomes[1] is CheckOutcome.UNSATISFIABLE:
        return "True"
    return "False" if outcomes[2] is CheckOutcome.UNSATISFIABLE else "Uncertain"


def readings(row: Row, *, lenient: bool) -> list[ParsedFormula] | str:
    """All formulas of an argument, or the code of the first that is refused."""
    texts = [*row.premises, *([row.conclusion] if row.conclusion is not None else [])]
    try:
        found = [read(text, lenient=lenient) for text in texts]
    except FormulaError as error:
        return error.code
    for _, error in conflicts([(str(number), one) for number, one in enumerate(found)]):
        return error.code
    return found


def shares(file: Path) -> dict[str, float]:
    """Shares of formulas and arguments that are read, in percent."""
    formulas: Counter[str] = Counter()
    arguments: Counter[str] = Counter()
    for row in rows(file):
        arguments["all"] += 1
        for mode in ("strict", "lenient"):
            lenient = mode == "lenient"
            arguments[mode] += not isinstance(readings(row, lenient=lenient), str)
            for text in (*row.premises, *([row.conclusion] if row.conclusion is not None else [])):
                formulas[f"all {mode}"] += 1
                formulas[f"weight {mode}"] += row.count
                try:
                    read(text, lenient=lenient)
                except FormulaError:
                    continue
                formulas[mode] += 1
                formulas[f"weighted {mode}"] += row.count
    result: dict[str, float] = {"formulas": formulas["all strict"], "arguments": arguments["all"]}
    for mode in ("strict", "lenient"):
        result[f"formulas {mode} %"] = 100 * formulas[mode] / formulas[f"all {mode}"]
        weighted = formulas[f"weighted {mode}"] / formulas[f"weight {mode}"]
        result[f"formulas {mode}, by samples %"] = 100 * weighted
        result[f"arguments {mode} %"] = 100 * arguments[mode] / arguments["all"]
    return result


def agreement(file: Path, *, differences: bool) -> dict[str, float]:
    """How verdicts compare with the stored ones and with the labels, read leniently."""
    seen: Counter[str] = Counter()
    for row in rows(file):
        if row.conclusion is None:
            continue
        found = readings(row, lenient=True)
        if isinstance(found, str):
            seen["refused"] += 1
            continue
        ours = verdict(found[:-1], found[-1])
        seen["decided" if ours != "Undecided" else "undecided"] += 1
        seen["inconsistent"] += ours == "Inconsistent"
        seen["as the label"] += ours == row.label
        if row.prover9 in (None, "Error") or ours == "Undecided":
            continue
        # From premises that contradict each other everything follows, as Prover9 says.
        same = ours == row.prover9 or (ours == "Inconsistent" and row.prover9 == "True")
        seen["both decide"] += 1
        seen["agree"] += same
        assumed = any(note.assumed for one in found for note in one.notes)
        seen["both decide, nothing assumed"] += not assumed
        seen["agree, nothing assumed"] += same and not assumed
        if differences and not same:
            notes = sorted({note.code for one in found for note in one.notes if note.assumed})
            print(row.row_id, "ours", ours, "Prover9", row.prover9, *notes)
    decided = seen["decided"] + seen["undecided"]
    return {
        "refused": seen["refused"],
        "decided": seen["decided"],
        "undecided %": 100 * seen["undecided"] / max(1, decided),
        "inconsistent": seen["inconsistent"],
        "as the label %": 100 * seen["as the label"] / max(1, decided),
        "both decide": seen["both decide"],
        "agree %": 100 * seen["agree"] / max(1, seen["both decide"]),
        "both decide, nothing assumed": seen["both decide, nothing assumed"],
        "agree, nothing assumed %": 100
        * seen["agree, nothing assumed"]
        / max(1, seen["both decide, nothing assumed"]),
    }


def _keep(name: str, figures: dict[str, float]) -> None:
    """Keep the main figures: what is read leniently beside strictly, and agreement."""
    for kind in ("formulas", "arguments"):
        strict, lenient = figures[f"{kind} strict %"], figures[f"{kind} lenient %"]
        base = f"read strictly {strict:.2f} %"
        told = f"{lenient:.2f} %"
        keep(f"{name}: {kind} read", told, base, lenient / strict, "-", better="higher")
    if figures["both decide"]:
        told = f"{figures['agree %']:.2f} % of {figures['both decide']:.0f}"
        ratio = figures["agree %"] / 100
        keep(f"{name}: verdicts", told, "Prover9's 100 %", ratio, "-", better="higher")


def main() -> None:
    """Print a table per source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--differences", action="store_true")
    options = parser.parse_args()
    for name in SOURCES:
        file = options.data / f"{name}.jsonl"
        print(name)
        if not file.is_file():
            skip(f"no formulas at {file}")
            continue
        head(f"Formulas: {name}")
        figures = {**shares(file), **agreement(file, differences=options.differences)}
        _keep(name, figures)
        for figure, value in figures.items():
            print(f"  {figure:<34}{value:>10.2f}" if value % 1 else f"  {figure:<34}{value:>10.0f}")


if __name__ == "__main__":
    main()
