"""Papers from PDF: how much is read, how fast, in how much memory, and what is found hidden.

A sentence of the parsed text counts as found in ours if its letters and digits, without case,
accents and spaces, stand there in a row, or (counted apart) if a stretch of ours is like it by at
least 90 of 100 (rapidfuzz, partial ratio): formulas within a sentence are written in many orders.
Marks of the parser (tables drawn with bars, links, brackets around indices) are taken off first.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from rapidfuzz import fuzz

from benchmarks.measure import QUICK, ROOT, SHARED, head, row, skip
from examples.typeset import write_pdf
from reviewscore.papers.hidden import Hidden
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.pdf import PdfReaders, read_pdf
from reviewscore.papers.sentences import SentenceKind, sentences
from tests.papers.pdfs import SECRET, TRICKS, layered, with_trick

PAIRS = {"132_automated_relational": 17, "2_carpe_diem": 14}
"""Papers with a PDF and a parsed text, and the pages of each."""
ALIKE = 90
FEWEST_WORDS = 5
MANY, FEW = (20, 5) if QUICK else (200, 50)
_LINK = re.compile(r"\[([^\]\n]*)\]\((?:https?|mailto)[^)\n]*\)")
_MARKS = re.compile(r"[*_#\[\]]")
_TABLE = re.compile(r"^\|.*\|\s*$", re.MULTILINE)


def letters(text: str) -> str:
    """Letters and digits of a text, without case and accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(one for one in plain if one.isalnum())


def plain_text(path: Path) -> str:
    """The baseline: PDFium's own text, page after page."""
    from pypdfium2 import PdfDocument

    document = PdfDocument(path)
    text = "\n\n".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return text


def found(wanted: Sequence[str], text: str) -> tuple[int, int, list[str]]:
    """How many stand in a text in a row, how many are alike, and the others."""
    whole, exact, alike, missed = letters(text), 0, 0, []
    for one in wanted:
        if letters(one) in whole:
            exact += 1
        elif fuzz.partial_ratio(letters(one), whole) >= ALIKE:
            alike += 1
        else:
            missed.append(one)
    return exact, alike, missed


def wanted_sentences(text: str) -> list[str]:
    """The sentences and captions of a parsed text, of five words and more."""
    bare = _MARKS.sub("", _LINK.sub(r"\1", _TABLE.sub("", text)))
    paper = build_paper(PaperRow(paper_id="parsed", text=bare))
    kinds = (SentenceKind.SENTENCE, SentenceKind.CAPTION)
    units = [one.text for one in sentences(paper) if one.kind in kinds]
    return [one for one in units if len(re.findall(r"[A-Za-z]{2,}", one)) >= FEWEST_WORDS]


def all_units(text: str) -> list[str]:
    """Every unit of a parsed text as it stands: tables, axis labels and formulas too."""
    units = sentences(build_paper(PaperRow(paper_id="parsed", text=text)))
    return [one.text for one in units if letters(one.text)]


def seconds(work: Callable[[], object], times: int = 5) -> float:
    """Median time of some work, after one to warm up."""
    work()
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return median(taken)


def reading() -> None:
    """Sentences, headings and time of the two papers; hidden text and loss that are none."""
    head("Two papers from PDF")
    folder = SHARED / "iclr2020_human"
    records = {one["paper_id"]: one for one in map(json.loads, (folder / "papers.jsonl").open())}
    readers = PdfReaders(1, held=0)
    for name, pages in PAIRS.items():
        path, parsed = folder / f"{name}.pdf", records[name]["text"]
        ours = read_pdf(path)
        wanted = wanted_sentences(parsed)
        exact, alike, missed = found(wanted, ours.text)
        base_exact, base_alike, _ = found(wanted, plain_text(path))
        share, base = (exact + alike) / len(wanted), (base_exact + base_alike) / len(wanted)
        row(
            f"{name}: sentences found",
            f"{share:.1%} of {len(wanted)} ({exact / len(wanted):.1%} in a row)",
            f"PDFium's text {base:.1%} ({base_exact / len(wanted):.1%})",
            share / base,
            ">= 98 %",
        )
        for one in missed:
            print(f"<!-- missed: {one[:100]!r} -->")
        units = all_units(parsed)
        hit, near, _ = found(units, ours.text)
        base_hit, base_near, _ = found(units, plain_text(path))
        row(
            f"{name}: units, tables and axes too",
            f"{(hit + near) / len(units):.1%} of {len(units)}",
            f"PDFium's text {(base_hit + base_near) / len(units):.1%}",
            (hit + near) / (base_hit + base_near),
            "-",
            better="higher",
        )
        paper = build_paper(PaperRow(paper_id=name, text=ours.text))
        theirs = build_paper(PaperRow(paper_id=name, text=parsed))
        mine = {letters(one.label) for one in paper.sections}
        labels = [one.label for one in theirs.sections]
        count = sum(letters(one) in mine for one in labels)
        row(
            f"{name}: headings", f"{count} of {len(labels)}", "-", None, "all",
            met=count == len(labels),
        )  # fmt: skip
        taken, bare = seconds(lambda: readers.read(path)), seconds(lambda: plain_text(path))  # noqa: B023
        row(
            f"{name}: time, {pages} pages",
            f"{taken:.2f} s",
            f"PDFium's text {bare:.3f} s",
            taken / bare,
            "< 2 s",
        )
        row(
            f"{name}: false alarms, {pages} pages",
            f"{sum(not one.stray for one in ours.hidden)}",
            f"{len(ours.hidden)} stray labels left out",
            None,
            "0",
            met=all(one.stray for one in ours.hidden),
        )
        row(f"{name}: characters lost", f"{ours.lost:.2%}", "-", None, "-")
    readers.close()


def memory(process: int) -> float:
    """Largest resident set of a process so far, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) * 1024 / 1e6


def pool() -> None:
    """200 PDFs of six pages each, read by as many workers as there are cores."""
    head(f"{MANY} PDFs through the workers")
    text = (ROOT / "examples" / "paper.txt").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.pdf" for number in range(MANY)]
        for number, path in enumerate(paths):
            write_pdf(text.replace("CrossRead", f"CrossRead{number}"), path)
        readers = PdfReaders(held=0)
        with ThreadPoolExecutor(readers.workers) as threads:
            list(threads.map(readers.read, paths[: 2 * readers.workers]))  # start the workers
            times = {}
            for count in (FEW, MANY):
                began = time.perf_counter()
                read = list(threads.map(readers.read, paths[:count]))
                times[count] = time.perf_counter() - began
        assert all(f"CrossRead{number} " in one.text for number, one in enumerate(read))
        workers = readers.pool.children
        most = sum(memory(worker.process.pid) for worker in workers)
        began = time.perf_counter()
        for path in paths[:FEW]:
            plain_text(path)
        bare = (time.perf_counter() - began) / FEW
        readers.close()
    each, few = 1000 * times[MANY] / MANY, 1000 * times[FEW] / FEW
    baseline = f"PDFium's text {1000 * bare:.0f} ms"
    row(f"{MANY} PDFs, each", f"{each:.0f} ms", baseline, each / 1000 / bare, "-")
    row(
        f"each of {MANY}", f"{each:.0f} ms", f"each of {FEW}: {few:.0f} ms", each / few, "linear: 1"
    )
    row("memory of the workers", f"{most:.0f} MB in {len(workers)}", "-", None, "<= 1,000 MB")


def tricks() -> None:
    """PDFs with words hidden by each trick."""
    head("Hidden text")
    hits, alarms = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pdf"
        for name in TRICKS:
            hits += _finds(read_pdf(with_trick(path, name)).hidden)
        hits += _finds(read_pdf(layered(path)).hidden)
        alarms += sum(not one.stray for one in read_pdf(ROOT / "examples" / "paper.pdf").hidden)
    every = len(TRICKS) + 1
    row("tricks found", f"{hits} of {every}", "-", None, "all", met=hits == every)
    row("false alarms on examples/paper.pdf", str(alarms), "-", None, "0", met=alarms == 0)


def _finds(hidden: Sequence[Hidden]) -> bool:
    return [one.text for one in hidden] == [SECRET]


def main() -> None:
    """Run all of them; those that need the development data only where it is."""
    if SHARED.is_dir():
        reading()
    else:
        skip(f"two papers: no data at {SHARED}")
    pool()
    tricks()


if __name__ == "__main__":
    main()
