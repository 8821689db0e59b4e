"""The evidence finder against passages that readers marked: does what it shows hold the answer?

Three sets: (a) the questions of a QASPER sample with their evidence paragraphs; (b) points of real
reviews of NeurIPS 2025 submissions that both readers of `annotations/points-dev` call misinformed;
(c) the planted points of `annotations/planted`. The texts are not part of this repository. Beside
what the finder shows stand BM25 over the same passages and four chunks of 512 tokens, as Peerispect
shows them (built anew from its description), at as many characters. `benchmarks.finder` prints it.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measure import ROOT, head, row
from benchmarks.points_measured import reviews_of
from reviewscore.agreement.segmentation import Piece, matches
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.points.places import with_places
from reviewscore.retrieval.encoder import SentenceEncoder
from reviewscore.retrieval.index import PaperIndex, bm25_of
from reviewscore.retrieval.ranking import shown_passages
from reviewscore.schema.place import Place
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.review import PointKind, Review, ReviewPoint, Role
from reviewscore.schema.span import Span
from reviewscore.sources.point_labels import read_point_labels, reviews_named
from reviewscore.stats.estimates import BootstrapPlan, Estimate, mean
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.text.stems import stems
from reviewscore.validation.planted import check_text, read_planted

LABELS = ROOT / "annotations" / "points-dev"
PLANTED = ROOT / "annotations" / "planted"
FIRST = (1, 3, 5, 10)
BUDGET = 7400
"""Characters of four chunks of 512 tokens, a tenth of a paper."""
CHARACTERS = (300, 600, 1000, 2000, 4000, BUDGET)
CHUNK, CHUNKS = 512, 4
HOW = Resampling(resamples=2000, scheme="papers")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_DRAWS = 40
"""Random orders of a paper's passages, for chance."""

AIMS = (
    {
        **{
            ("qasper", "first 5"): "0.50",
            ("real", "first 3"): "0.32",
            ("real", "first 10"): "0.54",
        },
        **{("real", f"{BUDGET} characters"): "0.68", ("planted", "first 5"): "0.33"},
    },
    {
        **{
            ("qasper", "first 5"): "0.58",
            ("real", "first 3"): "0.42",
            ("real", "first 10"): "0.65",
        },
        **{("real", f"{BUDGET} characters"): "0.76", ("planted", "first 5"): "0.48"},
    },
)
"""What is aimed at without an encoder and with one."""

Spans = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Sought:
    """A remark, and what answers it in its paper.

    Attributes:
        source: The set it is of: ``qasper``, ``real`` or ``planted``.
        index: Its paper.
        text: Its words.
        answers: Where the answers stand.
        places: Places of the paper that it names.
        kind: What it does; None where nobody said.
        measured: Whether it is in the figures; others are for training alone.
    """

    source: str
    index: PaperIndex
    text: str
    answers: tuple[tuple[int, int], ...]
    places: tuple[Place, ...] = ()
    kind: PointKind | None = None
    measured: bool = True

    @property
    def paper(self) -> str:
        """The paper's identifier."""
        return self.index.paper.paper_id

    def answered(self, shown: Iterable[tuple[int, int]]) -> bool:
        """Whether one of these spans meets one of the answers."""
        return any(s < end and start < e for s, e in shown for start, end in self.answers)


Order = Callable[[Sought], Sequence[int]]
"""Numbers of the passages, the nearest first."""


class Papers:
    """Papers of the data by source and identifier, read when they are asked for."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._rows: dict[str, dict[str, PaperRow]] = {}
        self._read: dict[str, PaperIndex] = {}

    def __call__(self, source: str, paper_id: str) -> PaperIndex:
        """The paper, prepared for look-ups."""
        if paper_id not in self._read:
            if source not in self._rows:
                self._rows[source] = self._table(source)
            self._read[paper_id] = PaperIndex(build_paper(self._rows[source][paper_id]))
        return self._read[paper_id]

    def _table(self, source: str) -> dict[str, PaperRow]:
        if source == "qasper":
            lines = (self.data / "judge_dev" / "qasper_papers.jsonl").read_text("utf-8")
            rows = [json.loads(line) for line in lines.splitlines()]
        else:
            name = {"neurips/submissions": "neurips/submissions_papers.parquet"}.get(
                source, f"{source}/papers.parquet"
            )
            rows = pd.read_parquet(self.data / name).to_dict("records")
        return {
            one["paper_id"]: PaperRow(
                paper_id=one["paper_id"], title=one["title"], text=one["text"]
            )
            for one in rows
        }


def qasper(papers: Papers) -> Iterator[Sought]:
    """Answerable questions of the sample whose evidence is found in its paper's text."""
    lines = (papers.data / "judge_dev" / "qasper_questions.jsonl").read_text("utf-8")
    for question in map(json.loads, lines.splitlines()):
        if all(question["unanswerable_votes"]):
            continue
        index = papers("qasper", question["paper_id"])
        pieces = [piece for vote in question["evidence"] for piece in vote]
        answers = tuple(filter(None, (_found(index.paper.text, piece) for piece in pieces)))
        if answers:
            yield Sought("qasper", index, question["question"], answers)


def _found(text: str, piece: str) -> tuple[int, int] | None:
    """Where a paragraph stands, or begins; None if it does not."""
    words = piece.removeprefix("FLOAT SELECTED: ").split()
    for some in (words, words[:12]):
        match = re.search(r"\s+".join(map(re.escape, some)), text) if some else None
        if match is not None:
            return match.start(), max(match.end(), match.start() + len(piece))
    return None


def real(papers: Papers, half: str) -> Iterator[Sought]:
    """Points with passages that both readers marked; measured where both say misinformed."""
    files = [LABELS / half / f"submissions-{reader}.jsonl" for reader in "AB"]
    reviews = reviews_of(reviews_named(files), ["neurips/submissions"], papers.data)
    first, second = (
        [label for label in read_point_labels([file], reviews).labels if label.is_point]
        for file in files
    )
    for left, right in matches(_pieces(first, reviews), _pieces(second, reviews)):
        one, other = first[left], second[right]
        index = papers("neurips/submissions", one.paper_id)
        digest = sha256(index.paper.text.encode()).hexdigest()
        if one.paper_text_sha256 not in (None, digest):
            raise ValueError(f"the text of {one.paper_id} is another one than that of the labels")
        answers = tuple((p.start, p.end) for p in (*one.passages, *other.passages))
        if answers:
            point = with_places(_point(one, reviews[one.review_id]), index.paper)
            both = bool(one.misinformed and other.misinformed)
            yield Sought(
                "real", index, _words(one, reviews), answers, point.places or (), one.kind, both
            )


def _pieces(labels: Sequence[PointLabel], reviews: Mapping[str, Review]) -> list[Piece]:
    return [
        Piece.of(
            label.review_id,
            reviews[label.review_id].fields,
            [Span(field=s.field, start=s.start, end=s.end) for s in label.spans],
        )
        for label in labels
    ]


def _words(label: PointLabel, reviews: Mapping[str, Review]) -> str:
    fields = reviews[label.review_id].fields
    return "\n".join(fields[span.field][span.start : span.end] for span in label.spans)


def _point(label: PointLabel, review: Review) -> ReviewPoint:
    first = label.spans[0]
    span = Span(field=first.field, start=first.start, end=first.end)
    return ReviewPoint(
        review_id=review.review_id,
        paper_id=label.paper_id,
        section=first.field,
        role=Role.WEAKNESSES,
        text=review.fields[first.field][first.start : first.end],
        span=span,
    )


def planted(papers: Papers, half: str) -> Iterator[Sought]:
    """Planted points that the paper answers."""
    for point in read_planted(PLANTED / f"{half}.jsonl").points:
        if point.passages and not point.refuted and point.fair_about is None:
            index = papers(point.source, point.paper_id)
            check_text(index.paper.text, point)
            answers = tuple((passage.start, passage.end) for passage in point.passages)
            yield Sought("planted", index, point.remark, answers)


def sought(data: Path, half: str) -> list[Sought]:
    """All remarks of a half; the sample of QASPER belongs to the open one."""
    papers = Papers(data)
    own = [*qasper(papers)] if half == "open" else []
    return [*own, *real(papers, half), *planted(papers, half)]


def by_words(remark: Sought) -> list[int]:
    """The order of BM25 over all words of the remark, the same passages left out."""
    scores = remark.index.bm25.scores(list(dict.fromkeys(stems(remark.text))))
    kept = shown_passages(remark.index)
    order = np.argsort(-scores, kind="stable").tolist()
    return [number for number in order if kept[number]]


def shown_within(remark: Sought, order: Sequence[int], characters: int) -> Spans:
    """The first passages that fit into so many characters."""
    spans, left = [], characters
    for number in order:
        passage = remark.index.passages[number]
        left -= passage.end - passage.start
        if left < 0:
            break
        spans.append((passage.start, passage.end))
    return spans


def chunks(remark: Sought) -> Spans:
    """The four chunks of 512 tokens that BM25 ranks first."""
    text = remark.index.paper.text
    tokens = [(match.start(), match.end()) for match in _TOKEN.finditer(text)]
    spans = [
        (tokens[at][0], tokens[min(at + CHUNK, len(tokens)) - 1][1])
        for at in range(0, len(tokens), CHUNK)
    ]
    scores = bm25_of([stems(text[start:end]) for start, end in spans]).scores(
        list(dict.fromkeys(stems(remark.text)))
    )
    return [spans[number] for number in np.argsort(-scores, kind="stable")[:CHUNKS]]


def hits(remarks: Sequence[Sought], order_of: Order) -> dict[str, np.ndarray]:
    """1.0 for each remark whose answer is shown, by how much is shown; shape (remarks,) each."""
    orders = [order_of(remark) for remark in remarks]
    columns: dict[str, np.ndarray] = {}
    for most in FIRST:
        columns[f"first {most}"] = np.array(
            [
                remark.answered(
                    (remark.index.passages[n].start, remark.index.passages[n].end)
                    for n in order[:most]
                )
                for remark, order in zip(remarks, orders, strict=True)
            ],
            float,
        )
    for most in CHARACTERS:
        columns[f"{most} characters"] = np.array(
            [
                remark.answered(shown_within(remark, order, most))
                for remark, order in zip(remarks, orders, strict=True)
            ],
            float,
        )
    return columns


def chance(remarks: Sequence[Sought], characters: int) -> float:
    """Share of the remarks whose answer is among passages drawn at random."""
    generator, met = random.Random(0), 0
    for remark in remarks:
        order = np.flatnonzero(shown_passages(remark.index)).tolist()
        for _ in range(_DRAWS):
            generator.shuffle(order)
            met += remark.answered(shown_within(remark, order, characters))
    return met / (_DRAWS * len(remarks))


def estimates(
    remarks: Sequence[Sought], columns: Mapping[str, np.ndarray], minus: Mapping[str, np.ndarray]
) -> dict[str, tuple[Estimate, Estimate]]:
    """Each share, and its difference to another way's, with intervals by paper."""
    plan = BootstrapPlan(Clusters.by([remark.paper for remark in remarks]), HOW)
    slots = {
        name: (
            plan.ask(mean(name, values)),
            plan.ask(mean(name, values), minus=mean(name, minus[name])),
        )
        for name, values in columns.items()
    }
    plan.run()
    return {name: (share.answer, gain.answer) for name, (share, gain) in slots.items()}


def spelled(one: Estimate) -> str:
    """An estimate with its interval."""
    if one.value is None or one.low is None or one.high is None:
        return "-"
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"


def report(
    remarks: Sequence[Sought], order_of: Order, title: str, *, with_encoder: bool = False
) -> None:
    """Print what is shown by this order, by BM25 and by chunks, set by set."""
    for source in ("qasper", "real", "planted"):
        some = [one for one in remarks if one.source == source and one.measured]
        if not some:
            continue
        columns, plain = hits(some, order_of), hits(some, by_words)
        head(f"{title}: {source}, {len(some)} points, {len({one.paper for one in some})} papers")
        for name, (share, gain) in estimates(some, columns, plain).items():
            goal = AIMS[with_encoder].get((source, name), "")
            base = f"BM25 {plain[name].mean():.2f}, gain {spelled(gain)}"
            row(f"{title}, {source}: {name}", spelled(share), base, None, goal and f">= {goal}")
        cut = {"four chunks": np.array([one.answered(chunks(one)) for one in some], float)}
        ours = {"four chunks": np.array([_at_equal(one, order_of) for one in some], float)}
        (share, gain) = estimates(some, ours, cut)["four chunks"]
        row(
            f"{title}, {source}: as many characters as four chunks",
            spelled(share),
            f"chunks {cut['four chunks'].mean():.2f}, gain {spelled(gain)}",
            None,
            "",
        )


def _at_equal(remark: Sought, order_of: Order) -> bool:
    most = sum(end - start for start, end in chunks(remark))
    return remark.answered(shown_within(remark, order_of(remark), most))


def encoder_in(folder: Path) -> SentenceEncoder:
    """The sentence encoder of a folder."""
    from reviewscore.retrieval.encoder import FastembedEncoder

    return FastembedEncoder(folder)
