"""What a benchmark finds: a figure beside its baseline, and whether its goal is met."""

from __future__ import annotations

import operator
import re
from typing import Literal, TypedDict, Unpack

from pydantic import BaseModel, ConfigDict, Field

NO_BASELINE = "none by nature"
"""Name of the baseline of a figure that is compared with nothing: it stands by its goal alone."""
FIXED = "a fixed figure"
"""Name of a baseline that is a number agreed on and not measured."""
_UNITS = r"pairs/s|kB|MB|GB|ms|/s|%|k|s"
_QUANTITY = re.compile(rf"(?<![\w.])([-−+]?\d[\d,]*(?:\.\d+)?)\s?({_UNITS})?(?![\w/])")
_CLAUSE = re.compile(rf"^(<=|>=|<|>)\s*(\d[\d,]*(?:\.\d+)?)\s?({_UNITS})?$")
_TESTS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}

Better = Literal["lower", "higher"]


class Figure(BaseModel):
    """One result.

    Attributes:
        title: Of the table it stands in.
        name: What was measured; unique within a benchmark.
        text: The result as it is shown.
        value: Its first number; None if it has none.
        unit: Of the value.
        against: The baseline with what it took, as it is shown.
        baseline: Name of what it is compared with.
        baseline_value: What the baseline took.
        ratio: Result / baseline; None if there is no baseline by nature.
        better: Which end of the ratio is a gain.
        goal: What was aimed at; empty if nothing was.
        met: Whether the goal is met; None if there is none, or none that a program can check.
        low: Least ratio of several runs.
        high: Greatest ratio of several runs.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    title: str = ""
    name: str = Field(min_length=1)
    text: str
    value: float | None = None
    unit: str = ""
    against: str = ""
    baseline: str = NO_BASELINE
    baseline_value: float | None = None
    ratio: float | None = Field(default=None, ge=0)
    better: Better = "lower"
    goal: str = ""
    met: bool | None = None
    low: float | None = None
    high: float | None = None


def quantities(text: str) -> list[tuple[float, str]]:
    """Numbers in a text with their units, in order; thousands may have commas."""
    return [(_number(found[1]), found[2] or "") for found in _QUANTITY.finditer(text)]


def _number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def goal_met(goal: str, text: str, ratio: float | None) -> bool | None:
    """Whether a result meets a goal such as ``<= 60 s, <= 1,000 MB`` or ``>= 0.95``.

    A bound with a unit holds for the first number of that unit in the result, one without for the
    ratio.

    Returns:
        None if a part of the goal is no such bound, or speaks of what the result does not hold.
    """
    held = []
    for part in re.split(r",\s+", goal):
        clause = _CLAUSE.match(part.strip())
        if clause is None:
            return None
        unit = clause[3] or ""
        of_unit = (number for number, its in quantities(text) if its == unit)
        found = next(of_unit, None) if unit else ratio
        if found is None:
            return None
        held.append(bool(_TESTS[clause[1]](found, _number(clause[2]))))
    return all(held)


def better_of(goal: str, unit: str) -> Better:
    """Which end of a ratio is a gain, where goal and unit say it: of rates the higher."""
    return "higher" if goal.strip().startswith(">") or unit.endswith("/s") else "lower"


class Judged(TypedDict, total=False):
    """What a row says beyond its cells.

    Attributes:
        better: Which end of the ratio is a gain; if not given, as the goal says, else the lower.
        met: Whether the goal is met; if not given, as goal and result say.
    """

    better: Better | None
    met: bool | None


def figure(
    name: str, text: str, baseline: str, ratio: float | None, goal: str, **judged: Unpack[Judged]
) -> Figure:
    """A figure from the cells of its row."""
    better, met = judged.get("better"), judged.get("met")
    goal = "" if goal == "-" else goal
    value, unit = next(iter(quantities(text)), (None, ""))
    base, base_value = (NO_BASELINE, None) if ratio is None else _baseline(baseline, unit)
    return Figure(
        name=name,
        text=text,
        value=value,
        unit=unit,
        against="" if ratio is None else baseline,
        baseline=base,
        baseline_value=base_value,
        ratio=ratio,
        better=better or better_of(goal, unit),
        goal=goal,
        met=goal_met(goal, text, ratio) if met is None else met,
    )


def _baseline(text: str, unit: str) -> tuple[str, float | None]:
    """Name and value of a baseline, such as ``bare aiohttp 112/s``."""
    found = list(_QUANTITY.finditer(text))
    best = next((one for one in found if (one[2] or "") == unit), found[0] if found else None)
    if best is None:
        return text or FIXED, None
    plain = _QUANTITY.sub(lambda one: "" if one[2] or one.start() == best.start() else one[0], text)
    bare = re.sub(r"\(\W*\)", "", " ".join(plain.split()))
    name = re.sub(r"[\s,]+(?=[,)])", "", bare).strip(" :,")
    return name or FIXED, _number(best[1])


def shown_ratio(ratio: float | None) -> str:
    """A ratio as tables show it."""
    if ratio is None:
        return "-"
    return f"{ratio:.2f}" if ratio >= 0.1 or ratio == 0 else f"{ratio:.2g}"
