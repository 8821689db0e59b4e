"""A folder full of traps: modules that leave a mark when they are executed."""

from __future__ import annotations

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ADDED = ("reviewscore", "sitecustomize", "usercustomize", "conftest", "tests")


class Traps:
    """The traps of a folder.

    Args:
        folder: Where they are set: one for each module of the standard library, and of every
            package that is installed.
        marks: Where the marks go; not in that folder.
    """

    def __init__(self, folder: Path, marks: Path) -> None:
        self._marks = marks
        marks.mkdir()
        packages = [name for name in packages_distributions() if name.isidentifier()]
        for name in {*sys.stdlib_module_names, *packages, *ADDED}:
            text = f"open({str(marks / name)!r}, 'w').close()\n"
            (folder / f"{name}.py").write_text(text)
        for name in ("z3", "reviewscore", "pydantic"):  # a package comes before a module
            (folder / name).mkdir()
            text = f"open({str(marks / name)!r}, 'w').close()\n"
            (folder / name / "__init__.py").write_text(text)
        (folder / "any.pth").write_text(f"import os; open({str(marks / 'pth')!r}, 'w').close()\n")

    def fired(self) -> list[str]:
        """Names of the modules that were executed."""
        return sorted(mark.name for mark in self._marks.iterdir())
