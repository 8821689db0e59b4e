"""Scores of pairs: one by one from blocks, and as files."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reviewscore.files import drafted
from reviewscore.similarity.affinity import Affinity
from reviewscore.stats.statistic import Floats, Ints
from reviewscore.stats.tables import guarded

VERB, PAIRS, SCORES = "similarity", "pairs.csv", "scores.csv"
HEADING = ("algorithm", "version", "reviewer_id", "paper_id", "similarity", "percentile",
           "conflict")  # fmt: skip


_FEW = 32
_LONGEST = 80
"""Characters of a version in a file name."""


@dataclass(frozen=True, slots=True)
class PaperPair:
    """One reviewer and one submission.

    Attributes:
        submission: Identifier.
        reviewer: Identifier.
        similarity: How near; higher is nearer, on a scale of the method's own.
        percentile: Percent of the reviewers with a similarity that are not nearer, 0..100.
        conflict: Whether the submission is in the reviewer's own profile.
    """

    submission: str
    reviewer: str
    similarity: float
    percentile: float
    conflict: bool


def pairs(
    affinity: Affinity,
    conflicts: set[tuple[str, str]],
    *,
    top: int | None = None,
    without_conflicts: bool = False,
) -> Iterator[PaperPair]:
    """Every pair that has a similarity, submission by submission.

    Args:
        affinity: What is compared.
        conflicts: Pairs of a reviewer and a submission of their own.
        top: Only so many reviewers of each submission, nearest first; all, in order, for None.
        without_conflicts: Leave conflicts out.
    """
    reviewers = affinity.reviewers
    columns = {reviewer: place for place, reviewer in enumerate(reviewers)}
    own: dict[str, set[int]] = {}
    for reviewer, submission in conflicts:
        own.setdefault(submission, set()).add(columns[reviewer])
    for block in affinity.blocks():
        for row, scores in enumerate(block.scores, block.first):
            submission = affinity.submissions[row]
            mine = own.get(submission, set())
            gone = mine if without_conflicts else set()
            kept, places = _kept(scores, gone, top)
            for column, percentile in zip(kept, places, strict=True):
                score, rank = float(scores[column]), float(percentile)
                yield PaperPair(submission, reviewers[column], score, rank, int(column) in mine)


def _kept(scores: Floats, gone: set[int], top: int | None) -> tuple[Ints, Floats]:
    """The columns to tell, and their percentiles."""
    known = np.flatnonzero(~np.isnan(scores))
    values = scores[known]
    wanted = known if not gone else known[~np.isin(known, list(gone))]
    if top is not None:
        left = scores[wanted]
        if top < len(wanted):
            least = -np.partition(-left, top - 1)[top - 1]
            above, level = wanted[left > least], wanted[left == least]
            wanted = np.concatenate([above, level[: top - len(above)]])
        wanted = wanted[np.lexsort((wanted, -scores[wanted]))]
    if len(wanted) <= _FEW:  # comparing is quicker than sorting
        count = (values <= scores[wanted][:, np.newaxis]).sum(axis=1)
    else:
        count = np.searchsorted(np.sort(values), scores[wanted], side="right")
    share = count / max(len(values), 1)
    return wanted.astype(np.int64), (100.0 * share).astype(np.float64)


class PairFiles:
    """The two files of pairs: one with all there is to say, one for openreview-expertise.

    Args:
        folder: A folder that is there.
        versions: Versions of the profiles; each has scores of its own.
    """

    def __init__(self, folder: Path, versions: Iterable[str]) -> None:
        names = list(versions)
        self.pairs = folder / PAIRS
        self.scores = {names[0]: folder / SCORES} if len(names) == 1 else {
            text: folder / f"scores-{word}.csv"
            for text, word in zip(names, _file_words(names), strict=True)
        }  # fmt: skip

    @property
    def written(self) -> list[Path]:
        """All files."""
        return [self.pairs, *self.scores.values()]

    def write(self, streams: Iterable[tuple[str, str, Iterable[PaperPair]]]) -> int:
        """Write pairs as they come.

        In ``pairs.csv`` no cell is a formula to a spreadsheet; our reader takes the guards off.
        ``scores.csv`` is for a program that does not, and stays as it is.

        Args:
            streams: Name of the method, version, and pairs.

        Returns:
            How many pairs there are.

        Raises:
            RunFolderError: A file cannot be written.
        """
        total = 0
        with csv_lines(self.pairs) as all_of:
            all_of.writerow(HEADING)
            for name, version, paper_pairs in streams:
                told_name, told_version = guarded(name), guarded(version)
                with csv_lines(self.scores[version]) as scores:
                    for pair in paper_pairs:
                        total += 1
                        text = repr(pair.similarity)
                        all_of.writerow(
                            (told_name, told_version, guarded(pair.reviewer),
                             guarded(pair.submission), text, f"{pair.percentile:.2f}",
                             "yes" if pair.conflict else "no")
                        )  # fmt: skip
                        scores.writerow((pair.submission, pair.reviewer, text))
        return total


def _file_words(names: list[str]) -> list[str]:
    """Versions as parts of file names: a version may be called anything, even ``../x``."""
    words: list[str] = []
    for name in names:
        word = re.sub(r"[^\w.-]", "_", name)[:_LONGEST]
        while word in words:
            word += "_"
        words.append(word)
    return words


@contextmanager
def csv_lines(path: Path) -> Iterator[Any]:
    """Write lines of a CSV file, more than can be held; it takes its place when it is whole."""
    with drafted(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        yield csv.writer(file, lineterminator="\n")
