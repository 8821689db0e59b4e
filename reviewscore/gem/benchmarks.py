"""Other numbers of systems, from CSV files: sizes and other benchmarks, and how these agree."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from math import isfinite, nan
from pathlib import Path

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError
from reviewscore.gem.ranking import PaperScores
from reviewscore.stats.metrics import RankCorrelation, rank_correlation
from reviewscore.stats.tables import Cell, Table, chance

SIZE = "parameters_billions"
CORRELATIONS, BENCHMARKS = "gem-correlations", "gem-benchmarks"
_NAMES = ("system", "model_name")
_HOW = (
    "n systems with both scores; p two-sided over all orders up to 8 systems, else over drawn "
    "ones; systems of one maker are not independent, so that p is too small"
)


def read_columns(path: Path) -> dict[str, dict[str, float]]:
    """Numbers of systems from a CSV file: by column, then by system; empty cells are left out.

    Args:
        path: The file; a column ``system`` (or ``model_name``) names the systems.

    Raises:
        InputError: The file, a system's name or a number cannot be used; names file and line.
    """
    try:
        text = read_bounded(path, in_force().table).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot be read: {error}", file=path, cure="give a CSV file") from error
    key = next((one for one in _NAMES if rows and one in rows[0]), None)
    if key is None:
        raise InputError("has no column 'system'", file=path, cure="name the systems in it")
    found: dict[str, dict[str, float]] = {name: {} for name in rows[0] if name and name != key}
    seen: set[str] = set()
    for line, row in enumerate(rows, start=2):
        system = (row[key] or "").strip()
        if not system or system in seen:
            problem = f"'{system}' is there twice" if system else "names no system"
            raise InputError(problem, file=path, line=line, field=key, cure="one line a system")
        seen.add(system)
        for column, known in found.items():
            if text := (row[column] or "").strip():
                known[system] = _number(text, path, line, column)
    return found


def _number(text: str, path: Path, line: int, column: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not isfinite(value):
        raise InputError(
            f"'{text}' is no number", file=path, line=line, field=column, cure="or leave it empty"
        )
    return value


def read_sizes(path: Path) -> dict[str, float]:
    """Billions of parameters by system, from a CSV file ``system,parameters_billions``.

    Raises:
        InputError: As `read_columns`; or the column is missing, or a size is not above 0.
    """
    columns = read_columns(path)
    if SIZE not in columns:
        raise InputError(f"has no column '{SIZE}'", file=path, cure="write billions into it")
    for system, size in columns[SIZE].items():
        if size <= 0:
            raise InputError(
                f"'{system}' has {size:g} billion parameters", file=path, field=SIZE,
                cure="leave it empty where the size is not known",
            )  # fmt: skip
    return columns[SIZE]


def compare_models(
    left: Sequence[PaperScores], right: Sequence[PaperScores], *, names: tuple[str, str]
) -> Table:
    """How alike two evaluation models rank the same systems, by variant.

    Args:
        left: Scores by one evaluation model.
        right: Scores by the other.
        names: Of the two.
    """
    others = {one.variant: one.means() for one in right}
    rows: list[tuple[Cell, ...]] = []
    for one in left:
        if one.variant in others:
            pair = (one.means(), others[one.variant])
            rho, tau = (rank_correlation(*pair, kind=kind) for kind in ("spearman", "kendall"))
            rows.append((one.variant, in_words(rho), in_words(tau)))
    return Table(
        CORRELATIONS,
        f"Rank correlation of systems' means by {names[0]} and by {names[1]} "
        "(arXiv 2411.07228, sec. 5)",
        ("variant", "Spearman", "Kendall"),
        tuple(rows),
        notes=(_HOW,),
    )


def compare_benchmarks(
    means: Mapping[str, Mapping[str, float]], others: Mapping[str, Mapping[str, float]]
) -> Table:
    """Spearman's correlation of systems' means with other benchmarks.

    Args:
        means: By variant, then by system.
        others: By benchmark, then by system (`read_columns`).
    """
    rows = tuple(
        (variant, *(in_words(rank_correlation(known, other)) for other in others.values()))
        for variant, known in means.items()
    )
    return Table(
        BENCHMARKS,
        "Spearman's rank correlation with other benchmarks (arXiv 2411.07228, Table 3)",
        ("variant", *others),
        rows,
        notes=(_HOW,),
    )


def in_words(one: RankCorrelation) -> str:
    """A correlation as tables print it."""
    if one.value is None or one.p is None:
        return f"– (n={one.n}: {one.reason})"
    return f"{one.value:.2f} (n={one.n}, {chance(one.p)})".replace("-", "−")
