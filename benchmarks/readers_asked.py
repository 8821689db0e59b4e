"""Points that readers judge through an exchange folder, in the way that an audit asks.

A *task* is a set of reviews with their points given, their papers, and settings; the real scoring
session puts the real prompts into ``FOLDER/TASK/exchange`` and reads the replies that lie there.
Nothing of the labels goes into a prompt, but for the cut of the points:

    python -m benchmarks.readers_asked TASK.. -o FOLDER

The same command again goes on, with the second looks, until nothing waits. What was judged then
stands in ``FOLDER/TASK.jsonl``, a line a point, without texts; `benchmarks.presuppositions` makes
figures of it.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from benchmarks import places
from benchmarks.local import planted_point, point_of
from benchmarks.measure import SHARED
from benchmarks.planted import FILES, PLANTED
from benchmarks.points_measured import HALVES, LABELS, reviews_of, sources_of
from reviewscore.config import Settings
from reviewscore.errors import InputError, StopError
from reviewscore.judges.asker import Asker, SamplingParams
from reviewscore.judges.lexical.finder import find
from reviewscore.judges.model_judges import open_judges
from reviewscore.judges.presupposition_judge import PresuppositionJudge
from reviewscore.judges.presuppositions import verdict_of
from reviewscore.llm.connect import RunContext
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.offsets import MappedText
from reviewscore.papers.parts import seen_of
from reviewscore.papers.parts import shown as shown_parts
from reviewscore.pipeline import score_of_looks
from reviewscore.points.places import with_places
from reviewscore.points.split import split_review
from reviewscore.runs.folder import ErrorRecord
from reviewscore.runs.scoring import LocalScoring
from reviewscore.runs.session import Quiet
from reviewscore.schema.paper import Paper, Scope
from reviewscore.schema.planted_point import PlantedForm, PlantedPoint, TextEdit
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.presupposition import Look, Supplies
from reviewscore.schema.review import PointType, Review, ReviewPoint, Role
from reviewscore.schema.span import Span
from reviewscore.sources.collection import Collection, of_records, read_collection, read_papers
from reviewscore.sources.point_labels import read_point_labels, reviews_named
from reviewscore.validation.planted import found_again, read_planted, seams

CUT_BY = "A"
"""The reader whose cut of the reviews is judged."""
BY_POINT = 110
"""Points that are asked one by one, of `BY_POINT_PAPERS` papers."""
BY_POINT_PAPERS = 8
REVIEWS, MANY = 10, range(6, 9)
"""Reviews whose order is changed, and how many points they have."""
STATEMENTS, JUDGE_DEV = 60, SHARED / "judge_dev"
"""Statements about papers that are drawn, and where they lie."""
LEADING = 60
"""Points that are asked about with the nearest passages, and with those of another paper."""
VERSIONS = ("one", "two")
"""Two versions of a paper with planted remarks; each lacks the answers to half of them."""


@dataclass(frozen=True)
class Task:
    """Reviews whose points are judged.

    Attributes:
        papers: Their papers.
        reviews: The reviews.
        points: The points of each, by its identifier.
        settings: How they are judged, without the model.
        collection: Where papers come from, if their PDFs are to be seen.
    """

    papers: Sequence[Paper]
    reviews: Sequence[Review]
    points: Mapping[str, tuple[ReviewPoint, ...]]
    settings: Mapping[str, object]
    collection: Collection | None = None


PRESUPPOSITION = {"protocol": "presupposition"}
ECONOMY = {"protocol": "economy", "score": "base"}


def in_order(name: str) -> str:
    """An order that nobody has chosen."""
    return hashlib.sha256(f"benchmarks.readers_asked:{name}".encode()).hexdigest()


@cache
def _submissions() -> tuple[dict[str, Review], dict[str, Paper], tuple[PointLabel, ...]]:
    """Labelled reviews, their papers, and the points as one reader cut them."""
    files = [LABELS / half / f"submissions-{CUT_BY}.jsonl" for half in HALVES]
    reviews = reviews_of(reviews_named(files), sources_of(files).values(), SHARED)
    if not reviews:
        raise InputError("the labelled submissions are not at hand", cure="put the data beside")
    marked = read_point_labels(files, reviews, name=CUT_BY)
    return reviews, places.papers(), tuple(label for label in marked.labels if label.is_point)


def _without_labels(label: PointLabel, reviews: Mapping[str, Review]) -> ReviewPoint:
    """A point as the reader cut it, with nothing else that the reader said."""
    return point_of(label, reviews[label.review_id]).model_copy(update={"kind": None, "type": None})


def real(settings: Mapping[str, object], names: Sequence[str] = ()) -> Task:
    """All reviews of the labelled submissions; if names are given, their points of these alone."""
    reviews, papers, labels = _submissions()
    points: dict[str, list[ReviewPoint]] = {}
    for label in labels:
        point = _without_labels(label, reviews)
        if not names or point.point_id in names:
            points.setdefault(point.review_id, []).append(point)
    ordered = {
        name: tuple(sorted(some, key=lambda p: (list(reviews[name].fields).index(p.span.field),
                                                p.span.start)))
        for name, some in points.items()
    }  # fmt: skip
    kept = sorted((reviews[name] for name in ordered), key=lambda r: (r.paper_id, r.review_id))
    own = {review.paper_id for review in kept}
    return Task([papers[name] for name in sorted(own)], kept, ordered, settings)


def some_points() -> list[str]:
    """Points that are asked one by one: so many of so many papers, drawn by their identifiers."""
    reviews, _, labels = _submissions()
    papers = sorted({label.paper_id for label in labels}, key=in_order)[:BY_POINT_PAPERS]
    names = {_without_labels(label, reviews).point_id for label in labels
             if label.paper_id in papers}  # fmt: skip
    return sorted(names, key=in_order)[:BY_POINT]


@dataclass(frozen=True)
class PlantedVersion:
    """A paper without the answers to some of its planted remarks.

    Attributes:
        paper: The paper.
        points: The remarks about it.
        misinformed: By remark, whether it is; without those whose answer is touched by the cut of
            another.
    """

    paper: Paper
    points: Sequence[PlantedPoint]
    misinformed: Mapping[str, bool]


def planted_versions(version: str) -> list[PlantedVersion]:
    """One version of each paper with planted remarks.

    Every second remark, in an order that nobody has chosen, has its answer cut out in version
    ``one``, the others in ``two``; so no review is all wrong or all fair. Remarks about another
    paper are wrong in both and count in ``one`` alone.
    """
    every = [point for half in HALVES for point in read_planted(PLANTED / f"{half}.jsonl").points]
    handles = {
        source: read_papers(SHARED / name).papers
        for source, name in FILES.items()
        if (SHARED / name).is_file()
    }
    versions = []
    for source, paper_id in sorted({(point.source, point.paper_id) for point in every}):
        if paper_id not in handles.get(source, {}):
            raise InputError(f"paper '{paper_id}' is not at hand", cure="put the data beside")
        points = [point for point in every if point.paper_id == paper_id]
        points.sort(key=lambda point: in_order(point.id))
        versions.append(_version(version, handles[source][paper_id].load(), points))
    return versions


def _version(version: str, paper: Paper, points: Sequence[PlantedPoint]) -> PlantedVersion:
    own = [point for point in points if point.form is not PlantedForm.ANOTHER_PAPER]
    cut_out = own[VERSIONS.index(version) :: 2]
    edits = [edit for point in cut_out for edit in point.edits]
    apart: list[TextEdit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if not apart or edit.start >= apart[-1].end:
            apart.append(edit)
    mapped = MappedText(paper.text).replaced(seams(paper.text, apart))
    meant = {
        point.id: True
        for point in points
        if (point in own or version == VERSIONS[0])
        and point not in cut_out
        and all(found_again(passage, mapped) for passage in point.passages)
    }
    meant |= {point.id: False for point in cut_out if all(edit in apart for edit in point.edits)}
    row = PaperRow(paper_id=paper.paper_id, title=paper.title, text=mapped.text)
    return PlantedVersion(build_paper(row), points, meant)


def planted(version: str, settings: Mapping[str, object]) -> Task:
    """The planted remarks about a paper as the points of one review."""
    reviews, points = [], {}
    versions = planted_versions(version)
    for made in versions:
        name = f"{made.paper.paper_id}-planted"
        texts: dict[str, list[str]] = {}
        marked = []
        for remark in made.points:
            point = planted_point(remark)
            before = texts.setdefault(point.section, [])
            start = sum(len(text) + 2 for text in before)
            before.append(point.text)
            span = Span(field=point.section, start=start, end=start + len(point.text))
            marked.append(point.model_copy(update={"span": span, "point_id": remark.id}))
        fields = {name: "\n\n".join(some) for name, some in texts.items()}
        reviews.append(Review(review_id=name, paper_id=made.paper.paper_id, fields=fields))
        points[name] = tuple(sorted(marked, key=lambda p: (list(fields).index(p.section),
                                                           p.span.start)))  # fmt: skip
    return Task([made.paper for made in versions], reviews, points, settings)


def of_reviews(names: Sequence[str], settings: Mapping[str, object], *, shuffled: bool) -> Task:
    """Some reviews again; with their points in another order, one below the other, if wanted."""
    task = real(settings)
    reviews, points = [], {}
    for review in task.reviews:
        own = task.points[review.review_id]
        if review.review_id not in names:
            continue
        if shuffled:
            texts: dict[str, str] = {}
            moved = []
            for point in sorted(own, key=lambda point: in_order(point.point_id)):
                before = texts.get(point.section, "")
                start = len(before) + 2 * bool(before)
                texts[point.section] = f"{before}\n\n{point.text}" if before else point.text
                span = Span(field=point.section, start=start, end=start + len(point.text))
                moved.append(point.model_copy(update={"span": span}))
            review = review.model_copy(update={"fields": texts})  # noqa: PLW2901 - the same, moved
            own = tuple(sorted(moved, key=lambda p: (list(texts).index(p.section), p.span.start)))
        reviews.append(review)
        points[review.review_id] = own
    kept = {review.paper_id for review in reviews}
    return Task([p for p in task.papers if p.paper_id in kept], reviews, points, settings)


def some_reviews() -> list[str]:
    """Reviews whose order is changed: ten of six to eight points, drawn by their identifiers."""
    points = real(PRESUPPOSITION).points
    many = [name for name, own in points.items() if len(own) in MANY]
    return sorted(many, key=in_order)[:REVIEWS]


def statements() -> Task:
    """Statements about papers, half of them altered by a model, and questions, as single points."""
    rows = [json.loads(line) for line in (JUDGE_DEV / "bamboo_senhallu_dev.jsonl").open("rb")]
    rows += [json.loads(line) for line in (JUDGE_DEV / "bamboo_abshallu_dev.jsonl").open("rb")]
    rows.sort(key=lambda row: in_order(row["title"] + row["statement"]))
    papers, remarks = {}, []
    for number, drawn in enumerate(rows[:STATEMENTS]):
        name = f"bamboo-{number}"
        papers[name] = PaperRow(paper_id=name, title=drawn["title"], text=drawn["text"])
        remarks.append((name, f"{name}:{drawn['true']}", "weaknesses", drawn["statement"]))
    for line in (JUDGE_DEV / "qasper_papers.jsonl").open("rb"):
        paper = json.loads(line)
        papers[paper["paper_id"]] = PaperRow(
            **{key: paper[key] for key in ("paper_id", "title", "text")}
        )
    for line in (JUDGE_DEV / "qasper_questions.jsonl").open("rb"):
        asked = json.loads(line)
        votes = set(asked["unanswerable_votes"])
        if len(votes) == 1:
            name = f"{asked['question_id']}:{not votes.pop()}"
            remarks.append((asked["paper_id"], name, "questions", asked["question"]))
    return single_points(papers, remarks)


def by_people(settings: Mapping[str, object]) -> Task:
    """Two reviews by people, as the rules split them, of papers whose PDFs are at hand."""
    collection = read_collection(SHARED / "iclr2020_human")
    points = {review.review_id: split_review(review) for review in collection.reviews}
    return Task([], collection.reviews, points, settings, collection)


def single_points(
    papers: Mapping[str, PaperRow], remarks: Sequence[tuple[str, str, str, str]]
) -> Task:
    """Remarks as reviews of one point each: paper, name, section and text."""
    reviews, points = [], {}
    for paper_id, name, section, text in remarks:
        reviews.append(
            Review(review_id=name, paper_id=paper_id, reviewer="R1", fields={section: text})
        )
        role = Role.QUESTIONS if section == "questions" else Role.WEAKNESSES
        points[name] = (
            ReviewPoint(
                review_id=name, paper_id=paper_id, section=section, role=role, text=text,
                span=Span(field=section, start=0, end=len(text)),
                type=PointType.QUESTION if section == "questions" else PointType.CLAIM,
            ),
        )  # fmt: skip
    read = [build_paper(papers[name]) for name in sorted({name for name, *_ in remarks})]
    return Task(read, reviews, points, {})


def with_settings(task: Task, settings: Mapping[str, object]) -> Task:
    """The same, judged otherwise."""
    return replace(task, settings=settings)


TASKS: dict[str, Callable[[], Task]] = {
    "shuffled": lambda: of_reviews(some_reviews(), PRESUPPOSITION, shuffled=True),
    "halves": lambda: of_reviews(
        some_reviews(), {**PRESUPPOSITION, "points_per_call": max(MANY) // 2}, shuffled=False
    ),
    "people": lambda: by_people(PRESUPPOSITION),
    "people-pages": lambda: by_people({**PRESUPPOSITION, "paper_as": "pages"}),
    "statements": lambda: with_settings(statements(), {**PRESUPPOSITION, "per": "point"}),
    "statements-economy": lambda: with_settings(statements(), ECONOMY),
    "real": lambda: real(PRESUPPOSITION),
    "real-economy": lambda: real({**ECONOMY, "per": "review"}),
    "points": lambda: real({**PRESUPPOSITION, "per": "point"}, some_points()),
    "points-economy": lambda: real(ECONOMY, some_points()),
    **{f"planted-{name}": (lambda name=name: planted(name, PRESUPPOSITION)) for name in VERSIONS},
    **{f"planted-{name}-economy": (lambda name=name: planted(name, ECONOMY)) for name in VERSIONS},
}
"""What can be asked."""
LOOKS = ("nearest-passages", "foreign-passages")
"""Second looks at points, to see whether passages lead."""


@dataclass
class Kept:
    """Takes scores and failures; nothing is on disk before the end."""

    scores: list[PointScore] = field(default_factory=list)
    errors: list[ErrorRecord] = field(default_factory=list)
    done: dict[str, Status] = field(default_factory=dict)

    def add(self, score: PointScore) -> None:
        """Take a score."""
        self.scores.append(score)

    def add_error(self, error: ErrorRecord) -> None:
        """Take a failure."""
        self.errors.append(error)


async def ask(task: Task, exchange: Path) -> tuple[Kept, str | None]:
    """Score all points of a task, as far as there are replies, and say what is waited for."""
    settings = Settings(model=f"exchange:{exchange}", cache=False, **task.settings)
    kept, under_way = Kept(), []
    around = RunContext(idle=lambda: not any(scoring.reading for scoring in under_way))
    async with open_judges(settings, CallsInMemory(), around) as (judges, client):
        session = LocalScoring(
            collection=task.collection or of_records(task.papers, task.reviews),
            # Points are given; a type that one has is taken as that of a model that splits.
            settings=settings.model_copy(update={"points": "rules"}),
            judges=judges,
            run=kept,
            client=client,
            progress=Quiet(),
            by_rule=dict(task.points),
        )
        under_way.append(session)
        await session.score(task.reviews)
    return kept, session.stopped


async def ask_leading(exchange: Path, *, foreign: bool) -> tuple[Kept, str | None]:
    """A second look at points, with the nearest passages of their paper or of another one."""
    task = real({**PRESUPPOSITION, "per": "point"})
    papers = {paper.paper_id: shown_parts(paper, "auto") for paper in task.papers}
    names = sorted(papers, key=in_order)
    points = sorted(
        (point for own in task.points.values() for point in own),
        key=lambda point: in_order(f"leading:{point.point_id}"),
    )[:LEADING]
    settings = Settings(model=f"exchange:{exchange}", cache=False, **task.settings)
    kept, waits = Kept(), None
    async with open_judges(settings, CallsInMemory()) as (judges, client):
        asker = Asker(client, model=settings.model, sampling=SamplingParams.of(settings))
        judge = PresuppositionJudge(asker)

        async def look(point: ReviewPoint) -> Look:
            paper = papers[point.paper_id]
            other = papers[names[names.index(point.paper_id) - 1]] if foreign else paper
            near = find(point.text, other).passages
            spans = sorted((p.start, p.end) for p in near if p.start is not None)
            passages = [other.text[start:end] for start, end in spans]
            return await judge.second_look(with_places(point, paper), paper, passages)

        looks = await asyncio.gather(*map(look, points), return_exceptions=True)
        for point, answer in zip(points, looks, strict=True):
            if isinstance(answer, StopError):
                waits = str(answer)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                paper = papers[point.paper_id]
                seen = seen_of(paper)
                verdict = verdict_of([answer], scope=seen.kind)
                kept.add(score_of_looks(point, verdict, seen, paper, judges))
    return kept, waits


def _lowest(look: Look) -> int | None:
    """The least that is left of a central presupposition, 1..5: how true it is, or supplied."""
    of = () if look.main is None else look.main.presuppositions
    central = [known for known in of if known.central]
    said = [known.true for known in central if not isinstance(known.true, str)]
    said += [1 + list(Supplies).index(known.supplies) for known in central if known.supplies]
    return min(said, default=None)


def line_of(score: PointScore) -> dict[str, object]:
    """A point's score without texts."""
    line: dict[str, object] = {
        "paper_id": score.paper_id,
        "review_id": score.review_id,
        "point_id": score.point_id,
        "field": score.span.field,
        "start": score.span.start,
        "kind": score.kind,
        "type": score.type,
        "status": score.status,
        "reason": score.reason,
        "base": score.base,
        "misinformed": score.misinformed,
        "supplied": score.supplied,
        "probability": score.probability,
        "acknowledged": score.acknowledged,
    }
    if score.looks:
        for number, look in enumerate(score.looks, 1):
            alone = verdict_of([look], scope=Scope.WHOLE if score.seen is None else score.seen.kind)
            line[f"look {number}"] = {
                "kind": look.kind,
                "standing": look.standing,
                "truth": _lowest(look),
                "probability": look.probability,
                "supplied": alone.supplied,
                "misinformed": alone.misinformed,
                "reason": alone.reason,
            }
    return line


def main() -> None:
    """Ask what can be asked, and write down what is judged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "tasks", nargs="+", metavar="TASK", help=f"of {', '.join((*TASKS, *LOOKS))}, -READER"
    )
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    for name in arguments.tasks:
        task = name.rpartition("-")[0]
        exchange = arguments.output / name / "exchange"
        if task in LOOKS:
            kept, waits = asyncio.run(ask_leading(exchange, foreign=task == LOOKS[1]))
        elif task in TASKS:
            kept, waits = asyncio.run(ask(TASKS[task](), exchange))
        else:
            parser.error(f"there is no task '{task}'; name it with its reader, such as real-1")
        print(f"{name}: {len(kept.scores)} points are judged; {waits or 'nothing waits'}")
        for error in kept.errors:
            print(f"  {error.message}")
        scores = sorted(kept.scores, key=lambda score: score.point_id)
        text = "".join(json.dumps(line_of(score)) + "\n" for score in scores)
        (arguments.output / f"{name}.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
