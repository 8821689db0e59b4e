"""The annotation workspace under load: time to save a label, and many annotators at once.

``python -m benchmarks.workspace_load [SECONDS]``: a label saved over HTTP when 10,000 are there;
then 20 annotators for SECONDS (60 unless told), with one SIGKILL and restart
in between. Every label that the server said was saved must be in the file afterwards.
"""

from __future__ import annotations

import http.client
import json
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote, urlencode

from benchmarks.measure import QUICK, head, keep
from reviewscore.annotate.label_store import LabelStore

PEOPLE = 20
_POINTS = 600
_POINT = re.compile(r'href="(/by/[^"]+/point/[^"]+)"')
_FORM = {name: re.compile(rf'name="{name}" value="([^"]*)"') for name in ("csrf", "version")}


class Served:
    """A workspace in a process of its own."""

    def __init__(self, data: Path, folder: Path, port: int = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reviewscore", "annotate", str(data), "--set", "load",
             "-o", str(folder), "--annotators", ",".join(f"A{n}" for n in range(PEOPLE)),
             "--per-item", str(PEOPLE), "--port", str(port), "--codebook", "1"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline().split() for _ in range(PEOPLE + 1)]
        self.addresses = dict(lines)
        self.port = int(self.addresses["A0"].split(":")[2].split("/")[0])

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop it."""
        self.process.send_signal(how)
        self.process.wait()


class Person:
    """One annotator's browser."""

    def __init__(self, who: str, served: Served) -> None:
        self.who, self.port = who, served.port
        self.cookie = ""
        reply, _ = self.ask("GET", served.addresses[who].split(str(served.port))[1])
        self.cookie = str(reply.getheader("set-cookie")).partition(";")[0]
        _, page = self.ask("GET", f"/by/{who}")
        if "csrf" not in page:  # taken up again: forms stand on the pages of points
            _, page = self.ask("GET", _POINT.findall(page)[0])
        self.csrf = _FORM["csrf"].findall(page)[0]
        self.ask("POST", f"/by/{who}/about", publications=3)

    def ask(self, method: str, path: str, **form: object) -> tuple[http.client.HTTPResponse, str]:
        """One request on a connection of its own."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{self.port}", "X-Part": "1"}
        body = None
        if method == "POST":
            body = urlencode(form | {"csrf": self.csrf})
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        link.request(method, path, body, headers)
        reply = link.getresponse()
        text = reply.read().decode()
        link.close()
        return reply, text

    def label(self, point: str, version: int, value: str) -> tuple[int, int, float]:
        """Save one type; status, new version and seconds."""
        start = time.perf_counter()
        reply, page = self.ask(
            "POST", f"/by/{self.who}/label/{quote(point, safe='')}",
            unit=point, field="type", value=value, version=version,
        )  # fmt: skip
        spent = time.perf_counter() - start
        found = _FORM["version"].search(page)
        return reply.status, int(found[1]) if found else version, spent


def _data(folder: Path) -> Path:
    folder.mkdir()
    paper = {
        "paper_id": "p",
        "title": "T",
        "text": "Abstract\nWe count.\n\n1 Method\n" + "Words. " * 8000,
    }
    points = "\n".join(f"- There is no experiment number {n}." for n in range(_POINTS))
    review = {"review_id": "r", "paper_id": "p", "sections": {"weaknesses": points}}
    (folder / "papers.jsonl").write_text(json.dumps(paper) + "\n", "utf-8")
    (folder / "reviews.jsonl").write_text(json.dumps(review) + "\n", "utf-8")
    return folder


def _fill(folder: Path, points: list[str], labels: int = 10_000) -> None:
    store = LabelStore(folder)
    with store.turn() as base:
        for n in range(labels):
            row = (f"A{n % PEOPLE}", points[n // PEOPLE], points[n // PEOPLE])
            base.execute(
                "INSERT INTO labels VALUES (?, ?, ?, 'type', '\"claim\"', NULL, 0, 1.0, 'then')",
                row,
            )
    store.close()


def _shown(name: str, times: list[float], base: float | None = None) -> float:
    """Print and keep a line; returns the median in milliseconds."""
    ordered = sorted(times)
    middle, late = 1000 * statistics.median(ordered), 1000 * ordered[int(0.99 * len(ordered))]
    told = f"{middle:.1f} ms, 99 %: {late:.1f} ms of {len(ordered):,} labels"
    ratio = None if base is None else middle / base
    keep(name, told, "-" if base is None else f"one annotator {base:.1f} ms", ratio, "-")
    print(f"| {name} | {len(ordered):,} | {middle:.1f} | {late:.1f} |")
    return middle


def _work(served: Served, points: list[str], until: float, told: dict[str, str], times: list[float], n: int) -> None:  # fmt: skip  # noqa: E501
    """Label without a pause; ask again when the server is away, as the page does."""
    person = None
    versions: dict[str, int] = {}
    turn = 0
    while time.monotonic() < until:
        try:
            person = person or Person(f"A{n}", served)
            point = points[turn % len(points)]
            value = ("claim", "argument", "question")[(turn // len(points) + 1) % 3]
            status, versions[point], spent = person.label(point, versions.get(point, 0), value)
            if status == 200:
                told[point] = value
                times.append(spent)
                turn += 1
        except (OSError, http.client.HTTPException):
            time.sleep(0.2)


def main(seconds: float = 60.0) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        data, folder = _data(Path(name) / "data"), Path(name) / "set"
        served = Served(data, folder)
        served.end()
        store = LabelStore(folder)
        points = [one.unit_id for one in store.units()]
        store.close()
        _fill(folder, points)
        served = Served(data, folder)
        head("The annotation workspace")
        print("\n| what | labels | median ms | p99 ms |\n|---|---|---|---|")
        one = Person("A0", served)
        alone = [one.label(point, 0, "argument")[2] for point in points[:500]]
        alone_ms = _shown("one annotator, 10,000 labels there", alone)
        told: list[dict[str, str]] = [{} for _ in range(PEOPLE)]
        times: list[float] = []
        until = time.monotonic() + seconds
        people = [
            threading.Thread(target=_work, args=(served, points[500:], until, told[n], times, n))
            for n in range(PEOPLE)
        ]
        for thread in people:
            thread.start()
        time.sleep(seconds / 2)
        served.end(signal.SIGKILL)
        served = Served(data, folder, served.port)
        for thread in people:
            thread.join()
        served.end(signal.SIGKILL)
        _shown(
            f"{PEOPLE} annotators at once, {seconds:.0f} s, one SIGKILL in between", times, alone_ms
        )
        store = LabelStore(folder)
        kept = {(g.annotator, g.unit_id): g.entry.value for g in store.given()}
        store.close()
        lost = sum(kept.get((f"A{n}", point)) != value for n in range(PEOPLE) for point, value in told[n].items())  # fmt: skip  # noqa: E501
        print(f"\nlabels said to be saved and not there: {lost} of {sum(map(len, told)):,} units")
        keep("labels said to be saved and not there", str(lost), "-", None, "0", met=lost == 0)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 4.0 if QUICK else 60.0)
