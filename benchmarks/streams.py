"""Peak memory of verbs on the reviews of a venue, and on the same reviews several times over.

The copies have identifiers of their own; nothing else about them is new. What a verb holds of each
review shows in the second figure, and the first one is its baseline.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import QUICK, SHARED, Measured, head, row, run, skip

NEURIPS = SHARED / "neurips"
FURTHER = tuple(NEURIPS / f"reviews_{year}.parquet" for year in (2023, 2024, 2025))
PAPERS, REVIEWS = (NEURIPS / f"submissions_{name}.parquet" for name in ("papers", "reviews"))
TIMES = {"focus": 2 if QUICK else 5, "gem": 2 if QUICK else 5, "audit": 2 if QUICK else 10}
GOAL = "<= 1.15"


def copies(table: pa.Table, times: int) -> pa.Table:
    """The rows so many times, each time with other identifiers."""
    parts = []
    for number in range(times):
        part = table
        for name in {"paper_id", "review_id"} & set(table.column_names):
            ids = [f"{one}-{number}" for one in table[name].to_pylist()]
            part = part.set_column(part.column_names.index(name), name, pa.array(ids))
        parts.append(part)
    return pa.concat_tables(parts)


def further(folder: Path, times: int) -> Path:
    """The further reviews so many times over, in Parquet; made once."""
    file = folder / f"further-{times}.parquet"
    if not file.is_file():
        tables = [pq.read_table(one) for one in FURTHER]
        pq.write_table(copies(pa.concat_tables(tables, promote_options="default"), times), file)
    return file


def figures(verb: str, folder: Path, times: int) -> Measured:
    """A verb that reads reviews and writes tables: `focus profile`, or `gem score`.

    The backgrounds that `gem` learns are kept in the folder, so that they are learned anew.
    """
    reviews, out = further(folder, times), folder / f"{verb}-{times}"
    kept = {"REVIEWSCORE_CACHE_DIR": str(folder / "cache")}
    return run("-m", "reviewscore", verb, str(reviews), "-o", str(out), env=kept)


def audited(folder: Path, times: int) -> Measured:
    """`audit` of the submissions by the embedded judge, in Parquet."""
    data = folder / f"data-{times}"
    data.mkdir()
    for file, name in ((PAPERS, "papers"), (REVIEWS, "reviews")):
        pq.write_table(copies(pq.read_table(file), times), data / f"{name}.parquet")
    return run("-m", "reviewscore", "audit", str(data), "-o", str(folder / f"run-{times}"), "-q")


def scored(folder: Path, times: int) -> Path:
    """The same run as a model might have scored it: `venue` takes no findings.

    The verdicts are made up, every fifth a flag; nothing but memory is read off them.
    """
    old, new = folder / f"run-{times}", folder / f"scored-{times}"
    new.mkdir()
    manifest = json.loads((old / "manifest.json").read_text("utf-8"))
    manifest |= {"judge": "invented/model", "judge_version": None}
    manifest.pop("digests")  # these records are no longer the run's own
    (new / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with (old / "points.jsonl").open() as lines, (new / "points.jsonl").open("w") as out:
        for number, line in enumerate(lines):
            point = json.loads(line) | {
                "status": "scored", "finding": None, "passages": [], "judge": "invented/model",
                "judge_version": None, "base": 2 if number % 5 == 0 else 4,
                "misinformed": number % 5 == 0,
            }  # fmt: skip
            out.write(json.dumps(point) + "\n")
    return new


def compared(name: str, few: Measured, many: Measured, times: int) -> None:
    """Rows of a verb: memory, and processor time a review."""
    row(
        f"{name}, {times} times the reviews",
        f"{many.peak_mb:.0f} MB",
        f"once {few.peak_mb:.0f} MB",
        many.peak_mb / few.peak_mb,
        GOAL,
    )
    each, once = many.cpu_seconds / times, few.cpu_seconds
    row("… processor time a review", f"{each:.1f} s", f"{once:.1f} s", each / once, "<= 1.1")


def main() -> None:
    """Print the table."""
    if not all(one.is_file() for one in (*FURTHER, PAPERS, REVIEWS)):
        skip(f"no reviews at {NEURIPS}")
        return
    with tempfile.TemporaryDirectory() as place:
        folder, many = Path(place), TIMES["audit"]
        head("Peak memory and time as reviews grow in number")
        for verb, name in (("focus", "`focus profile`"), ("gem", "`gem score`")):
            few, several = (figures(verb, folder, times) for times in (1, TIMES[verb]))
            compared(name, few, several, TIMES[verb])
        compared("`audit`, embedded judge", audited(folder, 1), audited(folder, many), many)
        for ending in ("csv", "jsonl", "parquet"):
            found = [
                run("-m", "reviewscore", "export", str(folder / f"run-{times}"),
                    "-o", str(folder / f"{times}.{ending}"))
                for times in (1, many)
            ]  # fmt: skip
            compared(f"`export` to .{ending}", *found, many)
        found = [run("-m", "reviewscore", "venue", str(scored(folder, times)))
                 for times in (1, many)]  # fmt: skip
        compared("`venue`", *found, many)


if __name__ == "__main__":
    main()
