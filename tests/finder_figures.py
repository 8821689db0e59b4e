"""Invented figures of a finder, in the form of ``measured.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FIGURES: dict[str, Any] = {
    "version": "6",
    "n_papers": 12,
    "kinds": {
        "question": {"without": {"shown": 3, "share": 0.5, "low": 0.375, "high": 0.625, "n": 32}},
        "request": {"without": {"shown": 3, "share": 0.25, "low": 0.0, "high": 1.0, "n": 4}},
        "all": {
            "without": {"shown": 3, "share": 0.4375, "low": 0.3125, "high": 0.5625, "n": 64},
            "with": {"shown": 3, "share": 0.75, "low": 0.625, "high": 0.875, "n": 64},
        },
    },
    "curve": {
        "without": [
            {"characters": 500, "share": 0.25, "low": 0.125, "high": 0.375, "chance": 0.0625},
            {"characters": 2000, "share": 0.5, "low": 0.375, "high": 0.625, "chance": 0.125},
        ]
    },
    "data": "Invented points on invented papers about tides.",
    "absent": False,
}


def use_figures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pages read these figures instead of what ships."""
    file = folder / "measured-for-tests.json"
    file.write_text(json.dumps(FIGURES), "utf-8")
    monkeypatch.setattr("reviewscore.judges.lexical.measured.FILE", file)
