"""How costs grow: a review twice as long, a paper with twice as many reviews.

The baseline of each figure is the same command on half of it, so that about 2 is linear and 4
quadratic. The texts are invented, each of a kind that has been costly for some reader of texts.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import QUICK, ROOT, Measured, head, row, run

SIZE = 50_000 if QUICK else 1_000_000
"""Bytes of the longest review: as many as one may have."""
REVIEWS = 20 if QUICK else 500
"""Of one paper: as many as one may have."""
FOCUS_REVIEWS = 20 if QUICK else 300
GOAL = "<= 2.6"
_PARTS = ("loss", "encoder", "sampler", "optimiser", "data set", "baseline", "metric", "proof")

UNITS: dict[str, Callable[[int], str]] = {
    "bullets": lambda n: f"- There is no ablation of the {_PARTS[n % len(_PARTS)]} {n}.\n",
    "bullets, indented": lambda n: f"{' ' * (n % 40)}- There is no ablation of part {n}.\n",
    "one line": lambda n: f"The ablation {n} is missing, and the gain of Table {n % 9} is small. ",
    "lines": lambda n: f"The ablation {n} is missing, and this is a weakness of it.\n",
    "headings": lambda n: f"## Weaknesses\nThe ablation {n} is missing.\n",
    "open brackets": lambda n: f"(The ablation {n} is missing. ",
    "open quotation marks": lambda _: "“",
    "code": lambda _: "`a` ",
    "numbers": lambda n: f"{n}. ",
    "tables": lambda n: f"Table {n % 30} and Fig. {n % 20} lack units. ",
    "addresses": lambda n: f"https://a.example/{n} ",
    "pipes": lambda n: f"| a | {n} | c |\n",
    "LaTeX": lambda n: f"$x_{{{n}}}$ is not $\\frac{{a}}{{b}}$. ",
    "blank lines": lambda _: "\n",
    "no spaces": lambda _: "这篇论文没有消融实验。",
}


def long_review(unit: Callable[[int], str], size: int) -> str:
    """A review of so many bytes, at most."""

    def parts() -> Iterator[str]:
        made = number = 0
        while made < size:
            part = unit(number)
            made, number = made + len(part.encode()), number + 1
            yield part

    text = f"There is no ablation. {''.join(parts())}"
    return text.encode()[:size].decode(errors="ignore")


def data(folder: Path, texts: list[str]) -> Path:
    """A folder with the example's paper and these reviews of it, of two systems in turn."""
    folder.mkdir()
    paper = json.loads((ROOT / "examples" / "papers.jsonl").read_text("utf-8").splitlines()[0])
    (folder / "papers.jsonl").write_text(json.dumps(paper) + "\n", "utf-8")
    with (folder / "reviews.jsonl").open("w", encoding="utf-8") as out:
        for number, text in enumerate(texts):
            record = {
                "review_id": f"r{number}", "paper_id": paper["paper_id"], "reviewer": f"r{number}",
                "sections": {"weaknesses": text}, "system": ("people", "model")[number % 2],
            }  # fmt: skip
            out.write(json.dumps(record) + "\n")
    return folder


def invented(number: int) -> str:
    """A review of the usual length."""
    return "".join(
        f"- The {_PARTS[(number + n) % len(_PARTS)]} is not compared with method "
        f"{number * n % 97}, so that the gain of {number % 7}.{n} points "
        f"in Table {n % 5} may be chance.\n"
        for n in range(12)
    )


def both(verb: tuple[str, ...], folder: Path, texts: list[list[str]]) -> list[Measured]:
    """A command on half and on the whole."""
    found = []
    for number, some in enumerate(texts):
        given = data(folder / f"data-{number}", some)
        out = str(folder / f"out-{number}")
        found.append(run("-m", "reviewscore", *verb, str(given), "-o", out))
    return found


def show(name: str, half: Measured, whole: Measured, goal: str) -> None:
    """Print the processor time of a command beside that on half."""
    row(name, f"{whole.cpu_seconds:.1f} s", f"half of it {half.cpu_seconds:.1f} s",
        whole.cpu_seconds / half.cpu_seconds, GOAL)  # fmt: skip
    row(f"{name}, against the goal", f"{whole.cpu_seconds:.1f} s", "none", None, goal)


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as place:
        head(f"One review of {SIZE / 1e6:g} MB through the whole of `audit` (processor time)")
        for number, (name, unit) in enumerate(UNITS.items()):
            folder = Path(place) / f"review-{number}"
            folder.mkdir()
            text = long_review(unit, SIZE)
            half, whole = both(("audit",), folder, [[text[: len(text) // 2]], [text]])
            show(name, half, whole, "<= 10 s")
        head("Many reviews of one paper (processor time)")
        for verb, count in ((("audit",), REVIEWS), (("focus", "profile"), FOCUS_REVIEWS)):
            folder = Path(place) / verb[-1]
            folder.mkdir()
            texts = [invented(number) for number in range(count)]
            half, whole = both(verb, folder, [texts[: count // 2], texts])
            name = f"{' '.join(verb)} of {count} reviews"
            show(name, half, whole, "<= 20 s")
            row(f"{name}, peak memory", f"{whole.peak_mb:.0f} MB", f"half {half.peak_mb:.0f} MB",
                whole.peak_mb / half.peak_mb, "<= 500 MB")  # fmt: skip


if __name__ == "__main__":
    main()
