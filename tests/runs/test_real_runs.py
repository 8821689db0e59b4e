"""Whole runs on real papers and reviews, where the development data is at hand."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewscore.arguments.reconstruct import reconstruct
from reviewscore.config import resolve
from reviewscore.judges.model_judges import open_judges
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.points.split import split_review
from reviewscore.runs.audit import audit
from reviewscore.runs.folder import read_points
from reviewscore.schema.argument import Argument
from reviewscore.schema.paper import Evidence
from reviewscore.schema.point_score import PointScore, Status, UnknownReason
from reviewscore.schema.review import Role
from reviewscore.sources.collection import Collection, read_collection, single
from tests.conftest import ROOT
from tests.loopback import Loopback

pytestmark = pytest.mark.shared


def quotes(score: PointScore) -> Iterator[Evidence]:
    """Every quote in a record, wherever it stands."""
    yield from (*score.evidence, *score.passages)
    if score.verdict is not None:
        yield from score.verdict.evidence
    for premise in score.argument.premises if score.argument else ():
        if premise.verdict is not None:
            yield from premise.verdict.evidence


def check_quotes(scores: list[PointScore], collection: Collection) -> int:
    """Compare every verified quote with the paper; how many there were."""
    papers = {name: collection.paper(name) for name in collection.papers}
    checked = 0
    for score in scores:
        paper = papers[score.paper_id]
        for quote in quotes(score):
            if not quote.verified:
                assert quote.start is None
                continue
            assert quote.start is not None
            assert paper.text[quote.start : quote.end] == quote.quote
            section = paper.section_at(quote.start)
            assert section is not None
            # A row of a table is cited with its section, caption and columns.
            assert (quote.section or "").split(", row of a table")[0] == section.label
            checked += 1
    return checked


def run(collection: Collection, out: Path, **flags: object) -> list[PointScore]:
    outcome = audit(collection, out, resolve(flags))
    assert outcome.failed == 0
    return list(read_points(out))


def test_the_embedded_judge_quotes_sample12_to_the_character(shared: Path, tmp_path: Path) -> None:
    collection = read_collection(shared / "iclr2022" / "sample12")

    scores = run(collection, tmp_path / "run")

    assert len({score.review_id for score in scores}) == 36
    assert check_quotes(scores, collection) > 50


def test_a_model_is_quoted_only_where_it_quotes_the_paper(
    shared: Path, tmp_path: Path, server: Loopback
) -> None:
    collection = read_collection(shared / "iclr2022" / "sample12")
    flags = {"model": "openai/x", "base_url": server.url, "max_connections": 16}
    server.letters = 3  # formulas have few letters a token: fewer tokens would be a prompt cut
    scores = run(collection, tmp_path / "run", **flags)

    unscored = {score.reason for score in scores if score.status is not Status.SCORED}
    assert unscored <= {UnknownReason.AFTER_REVIEW}  # some are published papers
    assert check_quotes(scores, collection) > 50


def test_text_and_pdf_of_a_paper_give_the_same_points(shared: Path, tmp_path: Path) -> None:
    folder = shared / "iclr2020_human"
    collection = read_collection(folder)
    from_text = run(collection, tmp_path / "text")

    from_pdf = []
    for line in (folder / "reviews.jsonl").read_text("utf-8").splitlines():
        name = json.loads(line)["paper_id"]
        review = tmp_path / f"{name}.json"
        review.write_text(line, "utf-8")
        pair = single(folder / f"{name}.pdf", review, year=2020)
        scores = run(pair, tmp_path / name)
        check_quotes(scores, pair)
        from_pdf += scores

    assert [one.text for one in from_text] == [one.text for one in from_pdf]
    assert [one.type for one in from_text] == [one.type for one in from_pdf]
    assert check_quotes(from_text, collection) > 0
    assert sum(len(one.passages) for one in from_pdf) > 0


def test_five_real_arguments_go_through_every_failure_with_its_feedback(
    shared: Path,
) -> None:
    server = Loopback(every_failure=True).start()
    collection = read_collection(shared / "iclr2020_human")
    points = [
        point
        for review in collection.reviews
        for point in split_review(review)
        if point.role is Role.WEAKNESSES
    ]
    settings = resolve({"model": "openai/loopback", "base_url": server.url}).settings

    async def rebuilt() -> list[Argument]:
        async with open_judges(settings, CallsInMemory()) as (judges, _):
            return [
                await reconstruct(point, collection.paper(point.paper_id), judges)
                for point in sorted(points, key=lambda one: -len(one.text))[:5]
            ]

    arguments = asyncio.run(rebuilt())
    server.stop()

    assert len(arguments) == 5
    for argument in arguments:
        assert [attempt.state.value for attempt in argument.rounds] == [
            "ill_formed",
            "ill_typed",
            "invalid",
            "inconsistent",
            "circular",
            "tautological",
            "unknown",
            "unfaithful",
            "accepted",
        ]
        for words, attempt in zip(
            (
                "could not be read",
                "'Sound' is not among the keys",
                "The weakest premise that would close the gap",
                "contradict each other",
                "circular: premise P2",
                "true by logic alone",
                "gave up",
                "does not say what the reviewer said",
            ),
            argument.rounds,
            strict=False,
        ):
            assert words in attempt.feedback


def test_a_whole_paper_is_audited_by_a_second_program_through_a_folder(
    shared: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "exchange"
    folder.mkdir()
    collection = read_collection(shared / "iclr2022" / "sample12")
    paper = next(iter(collection.papers))
    flags = {"model": f"exchange:{folder}", "paper": (paper,)}
    program = [sys.executable, "-m", "tests.answering", str(folder)]
    rounds = 0
    while True:
        outcome = audit(collection, tmp_path / "run", resolve(flags))
        if outcome.stopped is None:
            break
        rounds += 1
        assert rounds < 30
        subprocess.run(program, cwd=ROOT, check=True, capture_output=True)

    scores = list(read_points(tmp_path / "run"))
    assert outcome.manifest.complete
    assert outcome.failed == 0
    assert len(scores) > 10
    assert any(one.argument is not None for one in scores)
