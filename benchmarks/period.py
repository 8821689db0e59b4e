"""A review period replayed: is anything judged twice, does a verdict change, is a label lost?

``python -m benchmarks.period [--days 30] [--papers N] [--kills 10]`` replays real submissions and
reviews over days: reviews arrive, a tenth is edited, some are withdrawn, responses come, papers are
revised. Each day is synced and audited by the embedded judge and by two protocols with a judge on
loopback (`benchmarks.period_judge`). With ``--kills`` the same days run once more, killed at
random moments, and must end in the same state.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.measure import QUICK, ROOT, SHARED, skip

SOURCE = SHARED / "neurips"
ANCHORS = ("span", "section", "ordinal", "neighbours", "occurrences", "places", "provenance")
"""Fields of a score that say where a remark stands; they may change with the review around it."""
VERDICT = ("status", "base", "advanced", "misinformed", "finding", "standing", "probability")
Row = dict[str, Any]
JUDGES = ("lexical", "economy", "presupposition")
COLUMNS = (
    *("judge", "days", "points", "judged twice", "changed"),
    *("contested", "labels lost", "wall", "kills"),
)


@dataclass
class Days:
    """The states of a venue's export, one a day, made of real papers and reviews."""

    papers: list[Row]
    reviews: list[Row]
    days: int
    rng: random.Random = field(default_factory=lambda: random.Random(34))

    def states(self) -> Iterator[tuple[list[Row], list[Row]]]:
        """What the export held, day by day."""
        arrives = {row["review_id"]: self.rng.randrange(self.days * 2 // 3) for row in self.reviews}
        edited = self._days_of(self.reviews, "review_id", 0.10, after=arrives)
        gone = self._days_of(self.reviews, "review_id", 0.02, after=arrives)
        answered = self._days_of(self.reviews, "review_id", 0.50, after=arrives)
        revised = self._days_of(self.papers, "paper_id", 0.05, after={})
        papers, reviews = deepcopy(self.papers), {r["review_id"]: r for r in deepcopy(self.reviews)}
        for day in range(self.days):
            for row in papers:
                if revised.get(row["paper_id"]) == day:
                    row["text"] += "\n\nWe report a further experiment that reviewers asked for.\n"
            for name, row in reviews.items():
                if edited.get(name) == day:
                    row["sections"] = self._edited(row["sections"], name)
                if answered.get(name) == day:
                    row["author_response"] = "We thank the reviewer and answer each remark below."
            here = [
                row
                for name, row in reviews.items()
                if arrives[name] <= day < gone.get(name, self.days)
            ]
            yield deepcopy(papers), deepcopy(here)

    def _days_of(
        self, rows: Sequence[Row], key: str, share: float, *, after: dict[str, int]
    ) -> dict[str, int]:
        names = [row[key] for row in rows]
        chosen = self.rng.sample(names, round(share * len(names)))
        return {name: self.rng.randrange(after.get(name, 0) + 1, self.days) for name in chosen}

    def _edited(self, sections: dict[str, str], name: str) -> dict[str, str]:
        longest = max(sections, key=lambda name: len(sections[name]))
        added = f"\n- The appendix does not say how the thresholds of table {name} were chosen."
        return {**sections, longest: sections[longest] + added}


def read_days(days: int, papers: int | None) -> Days:
    """The submissions that reviewers read, with their reviews."""
    texts = pd.read_parquet(SOURCE / "submissions_papers.parquet").head(papers or 10_000)
    found = pd.read_parquet(SOURCE / "submissions_reviews.parquet")
    found = found[found["paper_id"].isin(set(texts["paper_id"]))]
    keep = ("paper_id", "title", "text", "abstract")
    rows = [
        {name: row[name] for name in keep if isinstance(row.get(name), str)}
        for row in texts.to_dict("records")
    ]
    reviews = [
        {
            "review_id": row["review_id"],
            "paper_id": row["paper_id"],
            "sections": json.loads(row["sections"]),
        }
        for row in found.to_dict("records")
    ]
    return Days(rows, reviews, days)


def write_days(source: Days, folder: Path) -> list[Path]:
    """Write each state as a folder of the ordinary input format."""
    paths = []
    for number, (papers, reviews) in enumerate(source.states()):
        path = folder / f"day-{number:02}"
        path.mkdir(parents=True)
        for name, rows in (("papers", papers), ("reviews", reviews)):
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (path / f"{name}.jsonl").write_text(lines, "utf-8")
        paths.append(path)
    return paths


def command(*arguments: str, port: int | None, kill_after: float | None = None) -> bool:
    """Run the program; False if it was killed.

    Raises:
        RuntimeError: It failed.
    """
    env = {**os.environ, "OPENAI_API_KEY": "none", "REVIEWSCORE_POINTS": "rules"}
    process = subprocess.Popen(
        [sys.executable, "-m", "reviewscore", *arguments],
        cwd=ROOT,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _, said = process.communicate(timeout=kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return False
    if process.returncode:
        raise RuntimeError(f"{arguments}: {process.returncode}: {said.decode()[-2000:]}")
    return True


def judge_flags(judge: str, port: int | None) -> list[str]:
    """How the program is told who judges."""
    if judge == "lexical":
        return ["--model", "lexical"]
    base = ["--score", "base"] if judge == "economy" else []
    address = f"http://127.0.0.1:{port}/v1"
    return ["--protocol", judge, *base, "--model", "openai/words", "--base-url", address]


def scores_of(venue: Path) -> dict[str, Row]:
    """The scores that a venue's run holds."""
    lines = (venue / "run" / "points.jsonl").read_text("utf-8").splitlines()
    return {row["point_id"]: row for row in map(json.loads, lines)}


def verdict(score: Row) -> Row:
    """What must not change without a change of text."""
    return {name: score.get(name) for name in VERDICT}


@dataclass
class Replayed:
    """What a replay came to.

    Attributes:
        days: How many.
        points: Points that were ever judged, by identifier.
        twice: Judgments of a point whose text was judged before.
        changed: Points whose verdict is another one although their text is the same.
        contested: Of those, points that a second look made contested, which is said on the page.
        lost: Labels whose remark still stands and whose point is gone.
        seconds: Wall clock of all syncs and audits.
        state: The end state: points with their verdicts.
    """

    days: int
    points: set[str] = field(default_factory=set)
    twice: int = 0
    changed: int = 0
    contested: int = 0
    lost: int = 0
    labels: int = 0
    seconds: float = 0.0
    state: dict[str, Row] = field(default_factory=dict)


def replay(
    days: Sequence[Path], venue: Path, judge: str, *, port: int | None, kills: int = 0
) -> Replayed:
    """Sync and audit day by day; with kills, some commands are killed and run again."""
    rng, done, known = random.Random(7), Replayed(len(days)), dict[str, Row]()
    labels: set[str] = set()
    killed = set(rng.sample(range(2 * len(days)), min(kills, 2 * len(days))))
    for number, day in enumerate(days):
        began = time.perf_counter()
        steps = (
            ["sync", str(day), "-o", str(venue), "-q", "--yes"],
            ["audit", str(venue), "-q", "--no-cache", *judge_flags(judge, port)],
        )
        for step, arguments in enumerate(steps):
            if 2 * number + step in killed:
                command(*arguments, port=port, kill_after=rng.uniform(0.4, 6.0))
            command(*arguments, port=port)
        done.seconds += time.perf_counter() - began
        now = scores_of(venue)
        for name, score in now.items():
            if name in known and verdict(score) != verdict(known[name]):
                contested = score.get("reason") == "contested"
                done.contested += contested
                done.changed += not contested
        if number == len(days) // 2:
            labels = set(rng.sample(sorted(now), min(100, len(now))))
        known |= now
    done.points, done.labels = set(known), len(labels)
    texts = _texts(venue)
    done.lost = sum(
        name not in now and known[name]["text"] in texts.get(known[name]["review_id"], "")
        for name in labels
    )
    done.state = {name: verdict(score) for name, score in now.items()}
    return done


def _texts(venue: Path) -> dict[str, str]:
    """The reviews that a venue holds, each as one text."""
    lines = (venue / "data" / "reviews.jsonl").read_text("utf-8").splitlines()
    rows = map(json.loads, lines)
    return {row["review_id"]: "\n".join(row["sections"].values()) for row in rows}


def asked_twice(asked: Path) -> Counter[tuple[str, ...]]:
    """Questions that a judge was asked once more than needed, with the remarks they are about."""
    counts: Counter[tuple[str, ...]] = Counter()
    for line in asked.read_text("utf-8").splitlines() if asked.exists() else ():
        row = json.loads(line)
        if row["remarks"]:  # what kind of point it is, is asked of words alone
            counts[(row["record"], *row["remarks"])] += 1
    return counts - Counter(dict.fromkeys(counts, 1))


def main() -> None:
    """Replay, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--days", type=int, default=3 if QUICK else 30)
    options.add_argument("--papers", type=int, default=4 if QUICK else None)
    options.add_argument("--kills", type=int, default=0)
    options.add_argument("--judges", nargs="*", choices=JUDGES, default=list(JUDGES))
    chosen = options.parse_args()
    print("\n### A review period, replayed\n")
    if not SOURCE.is_dir():
        skip("no submissions with reviews beside the checkout")
        return
    print(f"| {' | '.join(COLUMNS)} |")
    print(f"|{'---|' * len(COLUMNS)}")
    with tempfile.TemporaryDirectory(prefix="reviewscore-bench-") as name:
        folder = Path(name)
        days = write_days(read_days(chosen.days, chosen.papers), folder / "days")
        for judge in chosen.judges:
            _row(judge, days, folder, chosen.kills)


def _row(judge: str, days: Sequence[Path], folder: Path, kills: int) -> None:
    """Replay with one judge, without kills and with them."""
    asked = folder / f"asked-{judge}"
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.period_judge", str(asked)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        plain = replay(days, folder / f"venue-{judge}", judge, port=port)
        repeated = asked_twice(asked)
        plain.twice = repeated.total()
        for record, *remarks in repeated:
            words = "; ".join(remark[:60] for remark in remarks)
            print(f"asked again: {record}: {words}", file=sys.stderr)
        same = "none"
        if kills:
            killed = replay(days, folder / f"killed-{judge}", judge, port=port, kills=kills)
            same = f"{kills}: {'same end' if killed.state == plain.state else 'OTHER END'}"
    finally:
        server.kill()
    print(
        f"| {judge} | {plain.days} | {len(plain.points):,} | {plain.twice} | {plain.changed} "
        f"| {plain.contested} | {plain.lost} of {plain.labels} | {plain.seconds:.0f} s | {same} |"
    )


if __name__ == "__main__":
    main()
