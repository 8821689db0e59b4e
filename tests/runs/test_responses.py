"""The authors' response: judges see it, and the record says what they say without it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.config import resolve
from reviewscore.report.html import write_report
from reviewscore.report.lines import response_words, summary_lines
from reviewscore.report.summary import Responses, summarise
from reviewscore.runs.audit import audit
from reviewscore.runs.estimate import estimate
from reviewscore.runs.export import frame, parquet_row, row
from reviewscore.runs.folder import read_points
from reviewscore.schema.author_answer import AlignmentMethod
from reviewscore.schema.point_score import PointScore, WithoutResponse
from reviewscore.sources.collection import read_collection
from tests.loopback import Loopback, completion, contents, schema_name
from tests.runs.conftest import frogs

ANSWER = "The counter is tested in four countries, see Section 3."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """One paper; a review that was answered and one that was not."""
    points = "- The counter is tested in one country only.\n- The writing is dense."
    answered = {"sections": {"weaknesses": points}, "author_response": ANSWER}
    return frogs(tmp_path / "data", [answered, {"sections": {"weaknesses": "- Too short."}}])


@pytest.fixture(autouse=True)
def _denied(server: Loopback) -> None:
    """A model that calls false what the authors deny."""

    def quirk(body: dict[str, object], _: int) -> web.Response | None:
        prompt = "\n".join(contents(body))
        if (
            "FactualityReply" not in schema_name(body)
            or "country" not in prompt.split("weakness")[-2]
        ):
            return None
        denied = ANSWER in prompt
        reply = {"reasoning": "r", "factuality": 1 if denied else 4, "quotes": []}
        return web.json_response(completion(json.dumps(reply), key="0" * 64, size=10))

    server.quirk = quirk


def run(data: Path, out: Path, server: Loopback, **flags: object) -> dict[str, PointScore]:
    given = {"model": "openai/loopback", "base_url": server.url, "score": "base", **flags}
    audit(read_collection(data), out, resolve(given))
    return {one.text: one for one in read_points(out)}


def test_a_verdict_that_the_response_changes_is_counted_and_shown(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    found = run(data, tmp_path / "run", server, author_response=True)

    denied = next(one for text, one in found.items() if "country" in text)
    assert denied.misinformed is True
    assert denied.without_response == WithoutResponse(base=4, advanced=None, misinformed=False)
    assert found["Too short."].without_response is None
    summary = summarise(tmp_path / "run")
    assert summary.judged is not None
    effect = summary.judged.responses
    assert effect is not None
    assert (effect.n, effect.changed, effect.settled, effect.excused) == (2, 1, 1, 0)
    assert effect.share == 0.5
    assert any("responses change 1 of 2 verdicts (50.0 %" in one for one in summary_lines(summary))
    page = write_report(tmp_path / "run", None, None)[0].read_text("utf-8")
    assert "Judged with the authors&#39; response: misinformed; without it: not misinformed" in page
    assert "responses change 1 of 2 verdicts" in page


def test_only_verdicts_are_asked_for_twice(data: Path, server: Loopback, tmp_path: Path) -> None:
    run(data, tmp_path / "with", server, author_response=True, score="both")

    names = [schema_name(body) for body in server.bodies]
    answered = 2
    verdicts = sum("Factuality" in name for name in names)
    without = run(data, tmp_path / "without", server, score="both", refresh=True)
    assert len(without) == 3
    again = [schema_name(body) for body in server.bodies[len(names) :]]
    assert verdicts - sum("Factuality" in name for name in again) == answered
    assert len(names) - len(again) == answered


def test_without_the_setting_nothing_is_said_of_responses(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    found = run(data, tmp_path / "run", server)

    assert all(one.without_response is None for one in found.values())
    summary = summarise(tmp_path / "run")
    assert summary.judged is not None
    assert summary.judged.responses is None


def test_the_embedded_judge_does_not_pretend_to_read_responses(data: Path, tmp_path: Path) -> None:
    audit(read_collection(data), tmp_path / "run", resolve({"author_response": True}))

    assert all(one.without_response is None for one in read_points(tmp_path / "run"))


def test_an_answer_of_blanks_is_none(data: Path, server: Loopback, tmp_path: Path) -> None:
    file = data / "reviews.jsonl"
    file.write_text(file.read_text().replace(ANSWER, " \\n "))

    found = run(data, tmp_path / "run", server, author_response=True)

    assert all(one.without_response is None for one in found.values())


def test_an_estimate_counts_the_second_verdict(data: Path) -> None:
    def calls(**flags: object) -> float:
        settings = resolve({"model": "openai/gpt-4o", "score": "base", **flags}).settings
        return asyncio.run(estimate(read_collection(data), settings)).calls["claim_factuality"]

    assert calls(author_response=True) == calls() + 2


def test_what_is_not_known_both_ways_is_no_change() -> None:
    none = Responses(
        n=0, changed=0, settled=0, excused=0, unknown=3, share=None, low=None, high=None
    )

    assert response_words(none) == "the authors' responses: 3 points, none known both ways"


def test_what_answers_a_point_stands_in_its_record_and_exports_and_changes_no_verdict(
    data: Path, tmp_path: Path
) -> None:
    points = "- The counter is tested in one country only.\n- The writing is dense."
    silent = frogs(tmp_path / "silent", [{"sections": {"weaknesses": points}}])
    for name, source in (("run", data), ("bare", silent)):
        audit(read_collection(source), tmp_path / name, resolve({}))

    records = {one.text: one for one in read_points(tmp_path / "run")}
    bare = {one.text: one for one in read_points(tmp_path / "bare")}
    tested = records["The counter is tested in one country only."]
    assert tested.author_answers is not None
    (answer,) = tested.author_answers
    assert (answer.text, answer.start, answer.end) == (ANSWER, 0, len(ANSWER))
    assert answer.method is AlignmentMethod.RETRIEVAL
    assert records["The writing is dense."].author_answers == ()
    assert records["Too short."].author_answers is None
    for text, one in bare.items():
        assert records[text].model_copy(update={"author_answers": None}) == one
    cells = row(tested)
    assert cells["answer_method"] == "retrieval"
    assert (cells["answer_start"], cells["answer_end"]) == (0, len(ANSWER))
    assert cells["answer_words"] == ANSWER
    assert ANSWER in str(parquet_row(tested)["author_answers"])
    assert "answer_start" in frame([tmp_path / "run"]).columns
