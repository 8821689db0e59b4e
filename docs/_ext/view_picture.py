"""Draw the picture of the app in the README: ``make picture``.

The invented example is audited with its written replies, its PDF beside it, and opened in the
system's Chromium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "_static" / "view.png"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SIZE = {"width": 1280, "height": 800}
COMMAND = (sys.executable, "-m", "reviewscore")


def main() -> None:
    """Audit the example, open it, and draw what is seen."""
    with tempfile.TemporaryDirectory() as name:
        data, runs = Path(name, "data"), Path(name, "runs")
        data.mkdir()
        for file in ("papers.jsonl", "reviews.jsonl"):
            shutil.copy(ROOT / "examples" / file, data)
        shutil.copy(ROOT / "examples" / "paper.pdf", data / "crossread.pdf")
        model = f"exchange:{ROOT / 'examples' / 'exchange'}"
        audit = ("audit", data, "-o", runs / "example", "--model", model, "-q")
        subprocess.run([*COMMAND, *audit, "--protocol", "presupposition"], check=False)
        view = [*COMMAND, "view", str(runs), "--no-browser", "--port", "0"]
        with subprocess.Popen(view, stdout=subprocess.PIPE, text=True) as app:
            assert app.stdout is not None
            try:
                draw(app.stdout.readline().strip())
            finally:
                app.terminate()


def draw(address: str) -> None:
    """Draw the first flag beside its page."""
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(address)
        page.locator("[data-key=n]").first.click()
        page.wait_for_load_state("networkidle")
        page.locator("article.point.current").wait_for()
        page.wait_for_timeout(1500)  # the page of the PDF is drawn
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
