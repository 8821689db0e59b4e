"""Pages in a real browser: Debian's Chromium, driven by playwright, never its own download."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-gpu"]  # fmt: skip
MARKS = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        not CHROMIUM.exists(), reason=f"NO BROWSER TEST WAS RUN: {CHROMIUM} is missing"
    ),
]
"""Marks of a module of browser tests; without Chromium they are skipped, and say so."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield found
        found.close()


def violations(page: Page) -> list[str]:
    """What axe-core finds, as rule and place."""
    from axe_playwright_python.base import AXE_FILE_PATH

    # The page's own policy forbids foreign scripts, so axe comes by the debugger's door.
    page.evaluate(Path(AXE_FILE_PATH).read_text("utf-8") + "\n;0")
    found: dict[str, Any] = page.evaluate("() => axe.run()")
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found["violations"]]
