"""A study as files: tables, plots, disagreements, calibrations, and all estimates as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from reviewscore import __version__
from reviewscore.agreement.disagree import SHEET, sheet_rows
from reviewscore.agreement.plots import draw_all
from reviewscore.agreement.study import Study
from reviewscore.files import write_whole
from reviewscore.schema.calibration import Calibration
from reviewscore.stats.tables import chance, csv_text, escaped, markdown, records
from reviewscore.stats.writing import points, sections, write_report

STEM, SHEET_FILE = "agreement", "disagreements.csv"


def write_study(study: Study, out: Path, *, allow_foreign: bool = False) -> list[Path]:
    """Write everything into a folder.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
    """
    written = write_report(
        study.tables,
        out,
        verb="agree",
        stem=STEM,
        numbers=numbers(study),
        page=lambda plots: page(study, plots),
        draw=lambda folder: draw_all(
            study.compared, study.tables, study.disagreements, folder / "plots"
        ),
        allow_foreign=allow_foreign,
    )
    write_whole(out / SHEET_FILE, _sheet(study))
    written.append(out / SHEET_FILE)
    for name, calibration in study.calibrations.items():
        if not calibration.types:  # too few labels: the page says so
            continue
        path = _free(out, f"calibration-{_file_name(name)}", written)
        write_calibration(path, calibration)
        written.append(path)
    return written


def page(study: Study, plots: str = "") -> str:
    """All tables, notes and plots as one Markdown page."""
    return sections(
        "Human-model agreement",
        points(study.notes),
        *map(markdown, study.tables),
        _calibrations(study.calibrations) if study.calibrations else "",
        _disagreements(study),
        plots,
    )


def numbers(study: Study) -> str:
    """All estimates and notes as JSON."""
    return json.dumps(
        {
            "schema": "reviewscore.agreement/1",
            "reviewscore_version": __version__,
            "labels": study.compared.people.name,
            "runs": {
                judge.name: {"folder": judge.run.path.name, "run_id": judge.run.manifest.run_id}
                for judge in study.compared.judges
            },
            "notes": study.notes,
            "tables": {table.name: records(table) for table in study.tables},
            "calibrations": {
                name: one.model_dump(mode="json") for name, one in study.calibrations.items()
            },
            "disagreements": {
                name: [one.model_dump(mode="json") for one in found]
                for name, found in study.disagreements.items()
            },
        },
        indent=1,
        ensure_ascii=False,
    )


def _sheet(study: Study) -> str:
    rows = (row for found in study.disagreements.values() for row in sheet_rows(found))
    return csv_text(SHEET, rows)


def _disagreements(study: Study) -> str:
    lines = ["## Disagreements\n"]
    _, flags = study.compared.people.advanced
    by_name = {judge.name: judge for judge in study.compared.judges}
    for name, found in study.disagreements.items():
        flips = sum(one.flips is True for one in found)
        # 1 and 0 are 1 apart; what is unknown is never 1 apart from anything.
        unlisted = int((abs(by_name[name].flags - flags) == 1).sum()) - flips
        lines.append(
            f"- {escaped(name)}: {len(found):,} listed, whose scores differ by one or more or lie "
            f"on the two sides of misinformed, as {flips:,} do."
            + (f" {unlisted:,} more do, but lack a score to compare." if unlisted else "")
        )
    if len(lines) == 1:
        lines.append("- No judge has five-point scores.")
    lines.append(
        f"\n{SHEET_FILE} lists them with guesses of what lies behind; fill in its column "
        "kind_by_hand to settle them.\n"
    )
    return "\n".join(lines)


def _calibrations(found: dict[str, Calibration]) -> str:
    parts = ["## Calibration\n", "Gains on papers that the calibration had not seen.\n"]
    for judge, one in found.items():
        name = escaped(judge)
        for gain in one.gains:
            if gain.before is None or gain.after is None or gain.metric == "share by people":
                continue
            ends = "" if gain.low is None else f" [{gain.low:+.3f}, {gain.high:+.3f}]"
            p = "" if gain.p is None else f", {chance(gain.p)}"
            parts.append(
                f"- {name}, {gain.metric}: {gain.before:.3f} becomes {gain.after:.3f} "
                f"(gain {gain.after - gain.before:+.3f}{ends}{p}, n={gain.n:,})"
            )
        people = [gain for gain in one.gains if gain.metric == "share by people"]
        parts += [f"- {name}: people call {gain.before:.3f} of them misinformed"
                  for gain in people if gain.before is not None]  # fmt: skip
        parts += [f"- {name}: {kind}s are left as they are: {why}"
                  for kind, why in one.left_out.items()]  # fmt: skip
    return "\n".join(parts) + "\n"


def _free(out: Path, stem: str, written: Sequence[Path]) -> Path:
    """A file of its own, though names that differ in their signs alone look the same."""
    names = (f"{stem}{'' if number == 1 else f'-{number}'}.json" for number in count(1))
    return next(out / name for name in names if out / name not in written)


def _file_name(judge: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", judge).strip("-").lower() or "judge"


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write a calibration as `audit --calibration` reads it.

    Raises:
        RunFolderError: The file cannot be written.
    """
    write_whole(path, calibration.model_dump_json(indent=2) + "\n")
