"""The results file: figures of all benchmarks with the machine, the versions and the date."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from benchmarks.figures import Figure, shown_ratio
from benchmarks.measure import ROOT

PACKAGES = (
    *("reviewscore", "aiohttp", "anthropic", "numpy", "openai", "pandas", "pyarrow", "pydantic"),
    *("pypdfium2", "ray", "scikit-learn", "scipy", "torch", "z3-solver"),
)
BUSY = 0.5
"""Load per core from which a machine was not quiet."""


class UnusableError(Exception):
    """A results file cannot be used; says where and what to do."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Machine(_Part):
    """What the benchmarks ran on.

    Attributes:
        load_start: Load average of the last minute, five and fifteen minutes.
    """

    cpu: str
    cores: int
    memory_gb: float
    system: str
    python: str
    load_start: tuple[float, float, float]
    load_end: tuple[float, float, float]

    @property
    def quiet(self) -> bool:
        """Whether nothing else kept it busy when the benchmarks began."""
        return self.load_start[0] <= BUSY * self.cores

    @property
    def same_as(self) -> tuple[object, ...]:
        """What two runs on the same kind of machine have in common."""
        return self.cpu, self.cores, round(self.memory_gb), self.python


class Ran(_Part):
    """What became of one benchmark.

    Attributes:
        why: Why it failed or was not run, or which part of it was not.
        seconds: What it took, all its runs together.
    """

    name: str
    state: Literal["done", "failed", "not run"]
    why: str = ""
    seconds: float = 0.0
    figures: tuple[Figure, ...] = ()


class Results(_Part):
    """A whole results file.

    Attributes:
        quick: Whether sizes were cut.
        times: How often each benchmark was run.
    """

    schema_id: Literal["reviewscore.benchmarks/1"] = "reviewscore.benchmarks/1"
    date: str
    commit: str
    quick: bool
    times: int = 1
    machine: Machine
    versions: dict[str, str]
    benchmarks: tuple[Ran, ...]


def read_results(path: Path) -> Results:
    """Read a results file.

    Raises:
        UnusableError: It cannot be used.
    """
    cure = "make one with: python -m benchmarks -o FILE"
    try:
        return Results.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UnusableError(f"{path}: {error.strerror or error}; {cure}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UnusableError(f"{path}: {where}: {first['msg']}; {cure}") from error


def machine_now(load_start: tuple[float, float, float]) -> Machine:
    """This machine, with the load at the start as given and that at the end as it is now."""
    return Machine(
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        load_start=load_start,
        load_end=os.getloadavg(),
    )


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def versions_now() -> dict[str, str]:
    """Versions of the main packages that are here."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def commit_now() -> str:
    """The commit that was measured; with a plus where files were changed since."""
    asked = ["git", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def as_markdown(results: Results) -> str:
    """The results as a page with one table."""
    here = results.machine
    load = f"{here.load_start[0]:.1f} at the start, {here.load_end[0]:.1f} at the end"
    packages = ", ".join(f"{name} {one}" for name, one in results.versions.items())
    lines = [
        "# Benchmarks",
        "",
        "Made by `python -m benchmarks`; the same figures are in the `.json` file beside it, which "
        "`python -m benchmarks.compare OLD NEW` reads.",
        "",
        f"- Date: {results.date}, commit `{results.commit}`",
        f"- Machine: {here.cpu}, {here.cores} cores, {here.memory_gb:g} GB, {here.system}",
        f"- Load average: {load}",
        f"- Versions: Python {here.python}, {packages}",
    ]
    if results.times > 1:
        lines.append(f"- Each benchmark ran {results.times} times; the figure is that with the "
                     "median ratio, the range of ratios in brackets")  # fmt: skip
    if results.quick:
        lines.append("- **Quick run: sizes are cut, and the figures mean nothing.**")
    if not here.quiet:
        lines.append("- **The machine did other work when this began: times are too long.**")
    lines += ["", "| benchmark | what | measured | baseline | ratio | better | goal | met |",
              "|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for ran in results.benchmarks:
        lines += [_row(ran.name, one) for one in ran.figures]
        if ran.state != "done" or ran.why:
            state = "a part was not run" if ran.state == "done" else ran.state
            lines.append(f"| {ran.name} | **{state}**: {_cell(ran.why)} | | | | | | |")
    lines += ["", "| benchmark | seconds |", "|---|---|"]
    lines += [f"| {ran.name} | {ran.seconds:.0f} |" for ran in results.benchmarks]
    return "\n".join(lines) + "\n"


def _row(name: str, one: Figure) -> str:
    base = one.against or one.baseline
    ratio = shown_ratio(one.ratio)
    if one.low is not None and one.high is not None:
        ratio += f" ({shown_ratio(one.low)} to {shown_ratio(one.high)})"
    met = {True: "yes", False: "**no**", None: "-"}[one.met]
    better = "-" if one.ratio is None else one.better
    cells = (name, one.name, one.text, base, ratio, better, one.goal or "-", met)
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
