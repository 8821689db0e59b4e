"""The app on runs of 300 reviews and of 20,000 papers: first paint, filters, index, memory.

``python -m benchmarks.view [--papers 20000] [--reviews 76000]``. Runs are simulated
(`benchmarks.view_runs`). Pages are measured in a real browser (Chromium), without its start;
the rest by HTTP. A page of a PDF is one of the example's; people who judge do so for ``--seconds``,
with one SIGKILL of the server in between.
"""

from __future__ import annotations

import argparse
import http.client
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from pydantic_core import from_json

from benchmarks.measure import QUICK, ROOT, head, row, skip
from benchmarks.view_runs import PER_REVIEW, Words, write_run
from reviewscore.runs.folder import POINTS, VIEW_INDEX

PEOPLE = 20
_CHROMIUM = Path("/usr/bin/chromium")
_READ = re.compile(r"(\d+) % of the points are read")
_TIMES = 3
Reply = tuple[int, http.client.HTTPMessage, str]


class Served:
    """The app on a folder, in a process of its own."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reviewscore", "view", str(folder), "--no-browser",
             "--port", str(port)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.base, _, key = self.address.partition("/enter/")
        self.port = int(self.base.rpartition(":")[2])
        self.cookie = self.entered(key)

    def entered(self, key: str) -> str:
        """The cookie of whoever has a key."""
        _, headers, _ = self.ask(f"/enter/{key}", cookie="")
        return str(headers["set-cookie"]).partition(";")[0]

    def ask(self, path: str, cookie: str | None = None, **form: str) -> Reply:
        """One request on a connection of its own; a form is sent."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": self.cookie if cookie is None else cookie, "Origin": self.base}
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = urlencode(form) if form else None
        link.request("POST" if form else "GET", path, body, headers)
        reply = link.getresponse()
        text = reply.read().decode("utf-8", "replace")
        link.close()
        return reply.status, reply.headers, text

    def seconds(self, path: str) -> float:
        """Seconds of an answer."""
        began = time.perf_counter()
        status = self.ask(path)[0]
        assert status == http.HTTPStatus.OK, f"{path}: {status}"
        return time.perf_counter() - began

    @property
    def run(self) -> str:
        """The address of its only run."""
        return str(self.ask("/")[1]["location"])

    @property
    def peak_mb(self) -> float:
        """Largest resident set so far, MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) * 1024 / 1e6

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop it."""
        self.process.send_signal(how)
        self.process.wait()


def built(served: Served) -> tuple[float, float]:
    """Seconds until all points are in the index, and of the slowest page on the way."""
    began, slowest = time.perf_counter(), 0.0
    while True:
        start = time.perf_counter()
        page = served.ask(served.run)[2]
        slowest = max(slowest, time.perf_counter() - start)
        if not _READ.search(page) and ">untitled<" not in page:
            return time.perf_counter() - began, slowest
        time.sleep(0.5)


def painted(served: Served, *paths: str) -> list[float]:
    """Seconds to the first paint of pages in a browser, each opened anew; the median of three."""
    from playwright.sync_api import sync_playwright

    paint = """() => new Promise((done) => new PerformanceObserver((list) => {
      const [entry] = list.getEntriesByName("first-contentful-paint");
      if (entry) done(entry.startTime);
    }).observe({ type: "paint", buffered: true }))"""
    found = []
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=str(_CHROMIUM), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(served.address)
        for path in paths:
            times = []
            for _ in range(_TIMES):
                page.goto(served.base + path)
                times.append(page.evaluate(paint) / 1000)
            found.append(sorted(times)[_TIMES // 2])
        browser.close()
    return found


def filters(words: Words) -> list[str]:
    """Queries of lists: words that are frequent, rare and nowhere, verdicts and types."""
    some = ["words=the", f"words={words.some_rare}", "words=nowhereatall", "words=method+results",
            "verdict=flag", "verdict=no", "type=argument", "verdict=unknown&type=argument",
            "words=the&verdict=flag", "seen=no", "sort=title"]  # fmt: skip
    return [f"{one}{tab}" for one in some for tab in ("", "&list=points")]


def measured(folder: Path, words: Words, papers: int, reviews: int, aims: tuple[str, str]) -> None:
    """A run's index, pages, filters and memory.

    Args:
        folder: Where it is written.
        words: What its texts are made of.
        papers: How many.
        reviews: How many.
        aims: For the first paint and for filters.
    """
    run = write_run(folder, papers, reviews, words)
    what = f"{reviews:,} reviews of {papers:,} papers"
    served = Served(run)
    seconds, slowest = built(served)
    size = (run / VIEW_INDEX).stat().st_size / 1e6
    per = 1e6 * seconds / (reviews * PER_REVIEW)
    row(f"index of {what}, behind its pages", f"{seconds:.1f} s for {reviews * PER_REVIEW:,} "
        f"points ({per:.0f} µs each; {size:.0f} MB)", "", None, "-")  # fmt: skip
    row("… slowest page on the way", f"{slowest:.2f} s", "", None, "-")
    served.end()
    served = Served(run)
    if _CHROMIUM.exists():
        flags = f"{served.run}?list=points&verdict=flag"
        first, second = painted(served, served.run, flags)
        row(f"first paint, {what}", f"{first:.2f} s", "", None, aims[0])
        row("… of its flags", f"{second:.2f} s", "", None, aims[0])
    else:
        skip(f"no first paint: {_CHROMIUM} is missing")
    took = {query: served.seconds(f"{served.run}?{query}") for query in filters(words)}
    worst = max(took, key=lambda query: took[query])
    middle = sorted(took.values())[len(took) // 2]
    row(f"slowest of {len(took)} filters, each for the first time, {what}",
        f"{took[worst]:.3f} s ({worst}); median {middle:.3f} s", "", None, aims[1])  # fmt: skip
    place = served.ask(f"{served.run}/next")[1]["location"]
    cold, warm = (served.seconds(str(place)) for _ in range(2))
    row(f"a paper's page, {what}", f"{warm:.2f} s (the first one: {cold:.2f} s)", "", None, "-")
    row(f"memory of the server, {what}", f"{served.peak_mb:.0f} MB", "", None, "<= 500 MB")
    served.end()


def pdf_page(folder: Path) -> None:
    """A page of the example's PDF with its marks."""
    review = (ROOT / "examples" / "reviews.jsonl").read_text("utf-8").splitlines()[0]
    data = folder / "pdf"
    data.mkdir()
    (data / "paper.pdf").write_bytes((ROOT / "examples" / "paper.pdf").read_bytes())
    known = re.search(r'"paper_id":\s*"([^"]+)"', review)
    assert known is not None
    line = f'{{"paper_id": "{known[1]}", "pdf": "paper.pdf"}}\n'
    (data / "papers.jsonl").write_text(line, "utf-8")
    (data / "reviews.jsonl").write_text(review + "\n", "utf-8")
    audit = ["-m", "reviewscore", "audit", str(data), "-o", str(folder / "audited"), "-q"]
    subprocess.run([sys.executable, *audit], check=True)
    served = Served(folder / "audited")
    built(served)
    place = f"{served.run}/page/{known[1]}"
    first = served.seconds(f"{place}?n=1&size=1")
    cold = [served.seconds(f"{place}?n={n}&size=1") for n in (2, 3, 4)]
    warm = [served.seconds(f"{place}?n={n}&size=1") for n in (2, 3, 4)]
    shown = f"{max(cold):.2f} s (the first one, with the server's start: {first:.2f} s)"
    row("a page of a PDF, drawn", shown, "", None, "<= 0.4 s")
    row("… drawn before", f"{max(warm):.3f} s", "", None, "<= 0.05 s")
    paper = f"{served.run}/paper/{known[1]}"
    cold_pane, warm_pane = (served.seconds(paper) for _ in range(2))
    shown = f"{warm_pane:.2f} s (the first one: {cold_pane:.2f} s)"
    row("… the page of its paper, with marks", shown, "", None, "-")
    served.end()


class Judge:
    """One person who judges the points of a run, one after another.

    Args:
        name: Their pseudonym.
        key: Of their invitation.
        points: Address of the paper and identifier of each point.
    """

    def __init__(self, name: str, key: str, points: list[tuple[str, str]]) -> None:
        self._name, self._key, self._points = name, key, points
        self.acknowledged: list[str] = []
        self.times: list[float] = []

    def work(self, served: Callable[[], Served], until: float) -> None:
        """Judge until a time; each judgment has a note of its own, by which it is known again."""
        rng, cookie, secret, turn = random.Random(self._name), "", "", 0
        while time.monotonic() < until:
            link, point = rng.choice(self._points)
            turn += 1
            form = {"point": point, "verdict": rng.choice(("agree", "disagree", "unsure")),
                    "note": f"{self._name}-{turn}.", "fragment": "1"}  # fmt: skip
            try:
                if not secret:
                    cookie = served().entered(self._key)
                    secret = secret_of(served().ask(link, cookie)[2])
                began = time.perf_counter()
                status, _, _ = served().ask(link, cookie, csrf=secret, **form)
            except (OSError, http.client.HTTPException):
                status = http.HTTPStatus.SERVICE_UNAVAILABLE
                time.sleep(0.2)
            if status == http.HTTPStatus.OK:
                self.times.append(time.perf_counter() - began)
                self.acknowledged.append(form["note"])
            else:
                secret = ""  # a server that was started again has other secrets


def secret_of(page: str) -> str:
    """What a page's forms must carry."""
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    return found[1] if found else ""


def judging(folder: Path, words: Words, seconds: float) -> None:
    """People who judge at once, and one kill."""
    run = write_run(folder, 79, 300, words)
    held = [Served(run)]
    served = held[0]
    built(served)
    with (run / POINTS).open("rb") as file:
        scores = [from_json(line) for line in file]
    points = [(f"{served.run}/paper/{one['paper_id']}", one["point_id"]) for one in scores]
    if 'name="verdict"' not in served.ask(points[0][0])[2]:
        skip("the app has no form for judgments")
        served.end()
        return
    secret, people = secret_of(served.ask("/people")[2]), list[Judge]()
    for number in range(PEOPLE):
        page = served.ask("/people", csrf=secret, name=f"AC{number}")[2]
        people.append(Judge(f"AC{number}", re.findall(r"/enter/([\w-]+)", page)[0], points))
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=one.work, args=(lambda: held[-1], until)) for one in people]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 2)
    served.end(signal.SIGKILL)
    held.append(Served(run, served.port))
    for thread in threads:
        thread.join()
    held[-1].end(signal.SIGKILL)
    kept = "".join(file.read_text("utf-8") for file in run.glob("*judgments*.jsonl"))
    notes = set(re.findall(r'"note": ?"([^"]*)"', kept))
    said = [note for one in people for note in one.acknowledged]
    times = sorted(taken for one in people for taken in one.times)
    lost = sum(note not in notes for note in said)
    row(f"judgments acknowledged and lost, {PEOPLE} people, {seconds:.0f} s, one SIGKILL",
        f"{lost} of {len(said):,}", "", None, "0", met=lost == 0)  # fmt: skip
    shown = f"{times[len(times) // 2]:.2f} s, 99 %: {times[int(0.99 * len(times))]:.2f} s"
    row("… a judgment, saved", shown, "", None, "-")


def main() -> None:
    """Make the runs and measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--papers", type=int, default=400 if QUICK else 20_000)
    options.add_argument("--reviews", type=int, default=1_520 if QUICK else 76_000)
    options.add_argument("--seconds", type=float, default=10.0 if QUICK else 300.0)
    chosen = options.parse_args()
    head("The app")
    words = Words()
    with tempfile.TemporaryDirectory(prefix="reviewscore-bench-") as name:
        folder = Path(name)
        measured(folder / "small", words, 79, 300, ("<= 0.5 s", "<= 0.1 s"))
        large = (chosen.papers, chosen.reviews)
        measured(folder / "large", words, *large, ("<= 1.5 s", "<= 0.5 s"))
        pdf_page(folder)
        judging(folder / "judged", words, chosen.seconds)


if __name__ == "__main__":
    main()
