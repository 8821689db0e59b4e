"""The interface for Python: one import, plain calls, the records and the ledger of the command."""

from __future__ import annotations

import asyncio
import html
import inspect
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import click
import pandas as pd
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

import reviewscore as rs
from reviewscore import api
from reviewscore.cli.audit import command
from reviewscore.cli.main import main
from reviewscore.config import Settings, resolve
from reviewscore.errors import (
    InputError,
    ModelError,
    ReviewScoreError,
    RunFolderError,
    SettingsError,
)
from reviewscore.runs.audit import audit as audit_collection
from reviewscore.runs.session import Interruption, Outcome, Quiet
from reviewscore.schema.paper import Evidence
from reviewscore.schema.point_score import PointScore
from tests.answering import answer
from tests.conftest import PAPER, ROOT, make_point
from tests.loopback import Loopback, completion
from tests.report import synthetic

EXAMPLES = ROOT / "examples"
WEAKNESSES = (
    "- The gain is unexplained because no part of the network is ever removed.\n"
    "- The writing is dense."
)
QUESTIONS = "- What learning rate is used to train the convolutional network with Adam?"
TERMINAL = {"output", "dry_run", "json", "show_config", "quiet", "view"}
"""Flags that say where and how the command prints."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one paper and one review."""
    folder = tmp_path / "data"
    folder.mkdir()
    paper = {"paper_id": "frogs", "title": "Counting Frogs", "text": PAPER, "year": 2021}
    review = {
        "review_id": "r1",
        "paper_id": "frogs",
        "sections": {"weaknesses": WEAKNESSES, "questions": QUESTIONS},
        "author_response": "The learning rate is in section 2.",
    }
    (folder / "papers.jsonl").write_text(json.dumps(paper) + "\n")
    (folder / "reviews.jsonl").write_text(json.dumps(review) + "\n")
    return folder


def by_id(run: rs.Run) -> list[PointScore]:
    return sorted(run.points, key=lambda score: score.number or 0)


# What a call makes


def test_a_call_and_the_command_write_the_same_records(data: Path, tmp_path: Path) -> None:
    run = rs.audit(data, tmp_path / "called", model="lexical")
    with pytest.raises(SystemExit):
        main(["audit", str(data), "-o", str(tmp_path / "commanded"), "-q"])

    for name in ("points.jsonl", "errors.jsonl"):
        assert (run.path / name).read_bytes() == (tmp_path / "commanded" / name).read_bytes()
    assert (run.path / "report.html").is_file()
    assert (run.path / "summary.json").is_file()
    assert run.report() == run.path / "report.html"
    assert (run.failed, run.stopped) == (0, None)


def test_the_numbers_points_and_reviews_of_a_run_are_at_hand(data: Path, tmp_path: Path) -> None:
    run = rs.audit(data, tmp_path / "run", model="lexical")

    assert run.summary.points == len(run.points) == 3
    assert [point.short_name for point in run.points] == ["r1#1", "r1#2", "r1#3"]
    assert run.points[-1] == run.points[2] == list(run.points)[2]
    assert [point.short_name for point in run.points[:2]] == ["r1#1", "r1#2"]
    assert [review.review_id for review in run.reviews] == ["r1"]
    assert run.manifest.complete
    with pytest.raises(IndexError):
        _ = run.points[3]


def test_a_data_frame_has_a_row_a_point_and_knows_what_is_missing(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    found = rs.audit(data, tmp_path / "lexical", model="lexical").to_frame()
    judged = rs.audit(
        data, tmp_path / "judged", model="openai/loopback", base_url=server.url
    ).to_frame()

    assert len(found) == 3
    assert found["base"].isna().all()
    assert str(found["base"].dtype) == "Int64"
    assert str(found["misinformed"].dtype) == "boolean"
    assert set(found["finding"]) <= {"addressed", "passages", "cannot_judge"}
    scores = {score.point_id: score for score in rs.load_run(tmp_path / "judged").points}
    assert set(judged["point_id"]) == set(scores)
    for row in judged.itertuples():
        score = scores[str(row.point_id)]
        assert (None if row.base is pd.NA else row.base) == score.base
        assert row.text == score.text
    assert list(found.columns) == list(judged.columns)


def test_a_run_of_before_is_opened_by_its_folder(data: Path, tmp_path: Path) -> None:
    before = rs.audit(data, tmp_path / "run", model="lexical", limit=1)
    (before.path / "report.html").unlink()

    run = rs.load_run(str(tmp_path / "run"))

    assert repr(run) == repr(before)
    assert run.reviews[0] == before.reviews[0]
    assert run.failed is None
    assert run.report().is_file()
    with pytest.raises(RunFolderError, match="no run folder"):
        rs.load_run(data)
    (data / "papers.jsonl").unlink()
    with pytest.raises(InputError, match="not where they were"):
        _ = rs.load_run(tmp_path / "run").reviews


def test_the_same_call_again_does_only_what_is_missing(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    first = rs.audit(data, tmp_path / "run", model="openai/loopback", base_url=server.url, limit=1)
    asked = len(server.bodies)
    again = rs.audit(data, tmp_path / "run", model="openai/loopback", base_url=server.url, limit=1)

    assert asked > 0
    assert len(server.bodies) == asked
    assert by_id(first) == by_id(again)


def test_a_run_folder_is_named_after_its_data(data: Path) -> None:
    assert rs.audit(data, model="lexical").path == Path("runs/data")


# Loops, threads and Ctrl-C


async def test_a_plain_call_works_inside_of_a_running_loop(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    run = rs.audit(data, tmp_path / "run", model="openai/loopback", base_url=server.url)
    point = rs.split("r1", data=run)[2]

    score = rs.score(point, data=run, model="openai/loopback", base_url=server.url)

    assert len(run.points) == 3
    assert score.base == by_id(run)[2].base


async def test_the_loop_goes_on_while_an_audit_is_awaited(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    server.latency = 0.05
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    flags = {"model": "openai/loopback", "base_url": server.url, "max_connections": 1}
    runs = await asyncio.gather(
        rs.audit_async(data, tmp_path / "one", **flags),
        rs.audit_async(data, tmp_path / "two", **flags, refresh=True),
    )
    ticking.cancel()

    assert ticks > 5
    assert by_id(runs[0])[0].text == by_id(runs[1])[0].text


def interrupt_when(true: Callable[[], bool], times: int = 1) -> threading.Thread:
    """Presses Ctrl-C once something has come true, at most half a minute later."""

    def press() -> None:
        deadline = time.monotonic() + 30
        while not true() and time.monotonic() < deadline:
            time.sleep(0.01)
        for _ in range(times):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            time.sleep(0.3)

    pressing = threading.Thread(target=press)
    pressing.start()
    return pressing


@pytest.mark.parametrize("looped", [False, True])
def test_ctrl_c_ends_a_call_and_the_same_call_goes_on(
    data: Path, server: Loopback, tmp_path: Path, looped: bool
) -> None:
    server.latency = 0.2
    flags = {"model": "openai/loopback", "base_url": server.url, "max_connections": 1}
    pressing = interrupt_when(lambda: len(server.bodies) > 1)

    async def inside() -> rs.Run:
        return rs.audit(data, tmp_path / "run", **flags)

    with pytest.raises(KeyboardInterrupt):
        if looped:
            # As in a notebook's kernel, Ctrl-C is a KeyboardInterrupt in the main thread.
            loop = asyncio.new_event_loop()
            try:
                loop.run_until_complete(inside())
            finally:
                loop.close()
        else:
            rs.audit(data, tmp_path / "run", **flags)
    pressing.join()

    stopped = rs.load_run(tmp_path / "run")
    asked = len(server.bodies)
    assert not stopped.summary.complete
    assert "not complete" in repr(stopped)
    server.latency = 0.0
    whole = rs.audit(data, tmp_path / "run", **flags)
    assert whole.summary.complete
    assert len(whole.points) == 3
    assert server.bodies[asked:]
    assert not [body for body in server.bodies[:asked] if body in server.bodies[asked:]]


def test_ctrl_c_before_the_work_begins_is_not_lost(data: Path, tmp_path: Path) -> None:
    interruption = Interruption()
    interruption.interrupt()

    outcome = audit_collection(
        rs.load_collection(data),
        tmp_path / "run",
        resolve({"model": "lexical"}),
        interruption=interruption,
    )

    assert outcome.interrupted
    assert not outcome.manifest.complete


def test_ctrl_c_ends_the_wait_for_replies_in_a_folder(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "nobody"
    folder.mkdir()
    pressing = interrupt_when((folder / "prompts.jsonl").is_file)

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        rs.audit(data, tmp_path / "run", model=f"exchange:{folder}", wait=60)
    pressing.join()

    assert time.monotonic() - begun < 20


def test_ctrl_c_twice_waits_for_no_reply(data: Path, server: Loopback, tmp_path: Path) -> None:
    server.latency = 2
    pressing = interrupt_when(lambda: server.under_way > 0, times=2)

    with pytest.raises(KeyboardInterrupt):
        rs.audit(data, tmp_path / "run", model="openai/loopback", base_url=server.url)
    unanswered = not server.bodies
    pressing.join()

    assert unanswered
    assert len(rs.load_run(tmp_path / "run").points) == 0


def test_ctrl_c_ends_the_scoring_of_a_point(data: Path, server: Loopback) -> None:
    server.latency = 2
    pressing = interrupt_when(lambda: server.under_way > 0)
    point = rs.split("r1", data=data)[2]

    with pytest.raises(KeyboardInterrupt):
        rs.score(point, data=data, model="openai/loopback", base_url=server.url)
    unanswered = not server.bodies
    pressing.join()

    assert unanswered


async def test_a_cancelled_task_stops_its_run(data: Path, server: Loopback, tmp_path: Path) -> None:
    server.latency = 0.2
    task = asyncio.create_task(
        rs.audit_async(
            data, tmp_path / "run", model="openai/loopback", base_url=server.url, max_connections=1
        )
    )
    while not server.bodies:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    asked = len(server.bodies)
    await asyncio.sleep(0.5)
    assert len(server.bodies) == asked
    assert not rs.load_run(tmp_path / "run").summary.complete


# Points, and what is given


def test_a_scored_point_is_the_record_of_an_audit_and_no_call_is_paid_twice(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    flags = {"model": "openai/loopback", "base_url": server.url, "points": "rules"}
    run = rs.audit(data, tmp_path / "run", **flags)
    asked = len(server.bodies)
    del flags["points"]

    scores = [rs.score(point, data=run, **flags) for point in rs.split(run.reviews[0])]

    alone = [one.model_copy(update={"author_answers": None}) for one in by_id(run)]
    assert scores == alone  # a response is aligned with all points of a review together
    assert any(score.argument is not None for score in scores)
    assert len(server.bodies) == asked


def test_a_point_meets_the_response_where_that_is_asked_for(data: Path, server: Loopback) -> None:
    flags = {"model": "openai/loopback", "base_url": server.url}
    point = rs.split("r1", data=data)[2]
    said = "The rate is 0.001."

    without = rs.score(point, data=data, response=said, **flags)
    answered = rs.score(
        point,
        data=data,
        response=said,
        author_response=True,
        **flags,
    )

    assert without.without_response is None
    assert answered.without_response is not None


def test_without_the_shared_ledger_nothing_is_recorded(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    point = rs.split("r1", data=data)[2]

    rs.score(point, data=data, model="openai/loopback", base_url=server.url, cache=False)

    assert not (tmp_path / "ledger").exists()


def test_papers_and_reviews_are_given_as_files_names_or_records(data: Path) -> None:
    collection = rs.load_collection(data)
    review, paper = collection.reviews[0], collection.paper("frogs")
    Path("paper.txt").write_text(PAPER)
    Path("review.md").write_text(f"## Weaknesses\n\n{WEAKNESSES}\n\n## Questions\n\n{QUESTIONS}\n")

    of_record = rs.split(review)
    point = of_record[2]
    scores = [
        rs.score(point, paper, model="lexical"),
        rs.score(point, "frogs", data=str(data), model="lexical"),
        rs.score(point, data=collection, model="lexical"),
        rs.score(point, "paper.txt", model="lexical"),
        rs.score(point, Path("paper.txt"), model="lexical"),
    ]

    assert rs.split("r1", data=data) == rs.split("r1", data=collection) == of_record
    assert [one.text for one in rs.split("review.md")] == [one.text for one in of_record]
    assert rs.load_review(Path("review.md"), paper_id="frogs").paper_id == "frogs"
    assert {score.finding for score in scores} == {scores[0].finding}
    assert {score.passages[0].quote for score in scores} == {scores[0].passages[0].quote}


def test_an_audit_takes_files_and_records_in_any_mixture(data: Path, tmp_path: Path) -> None:
    collection = rs.load_collection(data)
    review, paper = collection.reviews[0], collection.paper("frogs")
    Path("frogs.txt").write_text(PAPER)
    Path("review.md").write_text(f"## Weaknesses\n\n{WEAKNESSES}\n")

    runs = [
        rs.audit(collection, "a", model="lexical"),
        rs.audit(paper=paper, review=review, output="b", model="lexical"),
        rs.audit(paper="frogs.txt", review=[review], output="c", model="lexical", year=2021),
        rs.audit(paper=[paper], review=["review.md"], output="d", model="lexical"),
        rs.audit(paper="frogs.txt", review="review.md", model="lexical"),
        rs.audit(data, "e", paper="frogs", point="r1#3", model="lexical"),
    ]

    assert [len(run.points) for run in runs] == [3, 3, 3, 2, 2, 1]
    assert runs[4].path == Path("runs/frogs")
    assert rs.load_run("a").reviews[0].review_id == "r1"  # it is known where a collection lay
    assert {run.points[0].text for run in runs[:5]} == {runs[0].points[0].text}


def test_a_run_folder_holds_one_set_of_records(data: Path) -> None:
    collection = rs.load_collection(data)
    review, paper = collection.reviews[0], collection.paper("frogs")
    rs.audit(paper=paper, review=review, output="run", model="lexical")
    before = Path("run/points.jsonl").read_bytes()

    rs.audit(paper=paper, review=review, output="run", model="lexical")
    other = paper.model_copy(update={"year": 1999})
    with pytest.raises(RunFolderError, match="was made otherwise"):
        rs.audit(paper=other, review=review, output="run", model="lexical")

    assert Path("run/points.jsonl").read_bytes() == before


def test_prompts_that_wait_end_a_call_and_their_replies_let_it_go_on(
    data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "exchange"
    rounds = 0
    while True:
        run = rs.audit(data, tmp_path / "run", model=f"exchange:{folder}", limit=1, score="base")
        rounds += 1
        if run.stopped is None or rounds > 20:
            break
        assert "wait" in run.stopped
        assert run.stopped in html.unescape(run._repr_html_())
        answer(folder)

    assert rounds > 2
    assert run.summary.complete
    assert {point.status.value for point in run.points} <= {"scored", "unknown"}


def test_several_models_sit_on_a_panel_and_a_judge_may_have_its_own(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    run = rs.audit(
        data,
        tmp_path / "run",
        model=["openai/loopback", "openai/second"],
        judge={"point_type": "openai/third"},
        base_url=server.url,
    )

    assert run.points[0].judge == "openai/loopback + openai/second"
    assert {str(body["model"]) for body in server.bodies} == {"loopback", "second", "third"}


def test_what_happens_is_told_to_who_watches(data: Path, tmp_path: Path) -> None:
    class Watching(Quiet):
        def __init__(self) -> None:
            self.seen: list[str] = []

        def finished(self, score: PointScore, traffic: object) -> None:
            self.seen.append(score.short_name)

    watching = Watching()
    rs.audit(data, tmp_path / "run", model="lexical", progress=watching)

    assert watching.seen == ["r1#1", "r1#2", "r1#3"]


def test_profiles_are_noted_for_the_report(tmp_path: Path) -> None:
    profiles = EXAMPLES / "similarity"
    run = rs.audit(EXAMPLES, tmp_path / "run", model="lexical", profiles=profiles, limit=1)

    assert (run.path / "similarity-digest.json").is_file()


def test_profiles_are_noted_for_changed_records_that_were_accepted(tmp_path: Path) -> None:
    more = {"model": "lexical", "limit": 1, "profiles": EXAMPLES / "similarity"}
    out = rs.audit(EXAMPLES, tmp_path / "run", **more).path
    points = out / "points.jsonl"
    points.write_text(points.read_text("utf-8").replace('"rationale":"', '"rationale":"Well. ', 1))

    run = rs.audit(EXAMPLES, out, accept_changed=True, **more)

    assert (run.path / "similarity-digest.json").is_file()


def test_a_run_is_called_after_the_whole_name_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "conf.2023").mkdir()

    assert api.run_name(tmp_path / "conf.2023") == "conf.2023"
    assert api.run_name(Path("frogs.pdf")) == "frogs"


# Settings


def flags_of_audit() -> list[str]:
    return [one.name for one in command.params if isinstance(one, click.Option) and one.name]


def test_flags_of_the_command_are_keyword_arguments() -> None:
    arguments = set(inspect.signature(rs.audit).parameters)
    named = arguments | api.SETTINGS

    assert set(flags_of_audit()) - named == TERMINAL - {"output"}
    assert set(inspect.signature(rs.audit_async).parameters) == arguments


GIVEN: dict[str, object] = {
    "judge": {"faithfulness": "openai/b"}, "model": "openai/a", "engine": "local",
    "prompts_dir": "prompts", "calibration": "c.json", "prices": "p.toml", "speed": "500/30",
    "base_url": "http://127.0.0.1:9/v1", "ledger": "postgresql://u@h/d", "paper": ["frogs"],
    "point": "r1#1", "score": "base", "protocol": "economy", "paper_parts": "main",
    "points": "rules", "structured": "text", "effort": "low", "cache_dir": "ledgers",
    "max_tokens": 64, "per": "point", "second_look": "off", "encoder": "mini",
    "confidentiality": "provider", "context": "excerpts", "context_tokens": 9000,
    "paper_as": "both", "consent": "local", "local_judge": "ollama/m",
    "check_references": "crossref", "canaries": "c.txt",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(api.SETTINGS))
def test_every_setting_is_taken_by_its_name(name: str) -> None:
    field = {"judge": "judges"}.get(name, name)
    value = GIVEN.get(name, True if Settings.model_fields[field].annotation is bool else 2)
    more = {"model": "openai/a"} if name in ("judge", "batch", "calibration", "paper_as") else {}
    more |= {"engine": "ray"} if name in ("workers", "store") else {}
    value = "shards" if name == "store" else value

    found = api.resolved_from({**more, name: value})

    assert found.origins[field] == "flag"
    assert getattr(found.settings, field) != Settings.model_fields[field].default or value in (
        "local",
        True,
    )


def test_an_unknown_keyword_names_those_near_it(data: Path) -> None:
    with pytest.raises(SettingsError, match="'modell'; did you mean model"):
        rs.audit(data, "run", modell="lexical")
    with pytest.raises(SettingsError, match=r"'max_dollars'.*flags of `reviewscore audit`"):
        rs.audit(data, "run", max_dollars=3)
    with pytest.raises(SettingsError, match="unknown setting 'limit'"):
        rs.score(make_point("Why?"), data=data, limit=3)
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"temperature": 9}, "temperature"),
        ({"model": 7}, "model"),
        ({"model": ["openai/a", 7]}, "7 is no text"),
        ({"model": "openai/a", "judge": "faithfulness"}, "JUDGE=MODEL"),
        ({"model": "openai/a", "judge": {"fate": "openai/b"}}, "unknown judge 'fate'"),
        ({"score": "both ways"}, "score"),
        ({"config": "nowhere.toml"}, "no file nowhere.toml"),
        ({"model": None}, ""),
    ],
)
def test_impossible_settings_are_said_before_anything_is_made(
    data: Path, named: dict[str, object], words: str
) -> None:
    if words:
        with pytest.raises(SettingsError, match=words):
            rs.audit(data, "run", **named)
        assert not Path("run").exists()
    else:
        assert rs.audit(data, "run", **named).summary.lexical


def test_none_takes_a_value_of_the_environment_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVIEWSCORE_MAX_USD", "3")
    monkeypatch.setenv("REVIEWSCORE_ROUNDS", "4")

    found = api.resolved_from({"max_usd": None, "temperature": None}).settings

    assert (found.max_usd, found.temperature, found.rounds) == (None, None, 4)
    assert api.resolved_from({}).settings.max_usd == 3


def test_keys_come_from_the_environment(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        rs.audit(data, "run", model="openai/gpt-5")
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        rs.score(make_point("Why?"), data=data, model="openai/gpt-5")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (rs.audit, "nothing to audit is named"),
        (lambda: rs.audit("nowhere", "run"), "there is no such folder"),
        (lambda: rs.audit("data", "run", review="r.txt"), "both given"),
        (lambda: rs.audit(review="r.txt", output="run"), "exactly one paper"),
        (lambda: rs.audit(paper="p.txt", review="r.txt", output="run"), "p.txt"),
        (lambda: rs.split("nowhere.txt"), "nowhere.txt"),
        (lambda: rs.split("."), "is a folder"),
        (lambda: rs.split("r11", data="data"), "no review 'r11'; did you mean r1"),
        (lambda: rs.score(make_point("Why?")), "no paper is given"),
        (lambda: rs.score(make_point("Why?"), "toads", data="data"), "no paper 'toads'"),
    ],
)
def test_errors_are_our_own(data: Path, call: Callable[[], object], words: str) -> None:
    with pytest.raises(ReviewScoreError, match=words):
        call()
    assert not Path("run").exists()


def test_records_that_do_not_fit_together_are_refused(data: Path) -> None:
    collection = rs.load_collection(data)
    review, paper = collection.reviews[0], collection.paper("frogs")
    for papers, reviews, words in (
        ([paper, paper], [review], "two papers are 'frogs'"),
        ([paper], [review, review], "two reviews are 'r1'"),
        ([paper], [review.model_copy(update={"paper_id": "x"})], "of paper 'x', which is not"),
    ):
        with pytest.raises(InputError, match=words):
            rs.audit(paper=papers, review=reviews, output="run", model="lexical")
    with pytest.raises(InputError, match="no run folder is named"):
        rs.audit(paper=paper, review=review, model="lexical")
    with pytest.raises(InputError, match="holds 2 reviews"):
        line = (data / "reviews.jsonl").read_text()
        Path("two.jsonl").write_text(line + line.replace("r1", "r2"))
        rs.split("two.jsonl")


def test_a_point_without_a_usable_reply_raises(data: Path, server: Loopback) -> None:
    server.quirk = lambda body, seen: web.json_response(completion("no JSON", key="k", size=1))
    point = rs.split("r1", data=data)[2]

    with pytest.raises(ModelError):
        rs.score(point, data=data, model="openai/loopback", base_url=server.url)


# How records look


def test_records_print_short() -> None:
    paper = rs.load_paper(EXAMPLES / "paper.txt")
    review = rs.load_collection(EXAMPLES).reviews[0]
    point = rs.split(review)[0]

    assert repr(point) == "ReviewPoint('There is no ablation study. It is ..', weaknesses)"
    assert repr(paper) == (
        "Paper('paper', 'Second Readers: Filtering Label Noise ..', 19,452 characters)"
    )
    assert repr(review).startswith("Review('crossread-R1', summary, strengths, ")
    assert str(point) == repr(point)


def test_no_record_prints_a_long_text() -> None:
    long = "word " * 5000
    quote = Evidence(quote=long, verified=True)
    points = [*synthetic.model_points(), synthetic.naming_places()]
    arguments = [one.argument for one in points if one.argument is not None]
    rounds = [one for argument in arguments for one in (*argument.premises, *argument.rounds)]
    papers = [synthetic.PAPER.model_copy(update={"title": long, "text": long}), synthetic.REVIEW]

    for record in (quote, make_point(long), *papers, *points, *arguments, *rounds):
        assert len(repr(record)) < 400
        assert "\n" not in str(record)
    assert repr(quote) == (
        "Evidence(quote='word word word word word word word word ..', verified=True)"
    )
    assert repr(points[1]).endswith(", argument, misinformed)")
    assert repr(arguments[0]) == (
        "Argument('The results cannot be trusted.', accepted, premises=2, rounds=4)"
    )
    assert len(repr(rs.load_collection(EXAMPLES))) < 60


@given(text=st.text(max_size=300))
def test_any_text_prints_in_short(text: str) -> None:
    assert len(repr(make_point(text))) < 500


HOSTILE = '</style><script>alert(1)</script><img src=x onerror="alert(2)">{{ 7 * 7 }}'


def hostile(value: object) -> object:
    """A record's fields with hostile text in place of all of its English."""
    if isinstance(value, dict):
        return {key: hostile(one) for key, one in value.items()}
    if isinstance(value, list):
        return [hostile(one) for one in value]
    return HOSTILE if isinstance(value, str) and " " in value else value


class Parsed(HTMLParser):
    """The elements of a page, and whether any of them could act."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.acts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "iframe", "object", "form"):
            self.acts.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (value or "").startswith("javascript:"):
                self.acts.append(name)


def inert(page: str) -> bool:
    """Whether nothing of `HOSTILE` is anything but text."""
    return not Parsed(page).acts and page.count("<style") == page.count("</style") == 1


def test_text_of_papers_and_models_is_data_in_a_notebook() -> None:
    shown = 0
    for score in synthetic.model_points():
        record = json.dumps(hostile(json.loads(score.model_dump_json())))
        spoilt = PointScore.model_validate_json(record)
        pages = [spoilt._repr_html_()]
        pages += [spoilt.argument._repr_html_()] if spoilt.argument is not None else []
        for page in pages:
            shown += 1
            assert inert(page)
            assert "&lt;script&gt;alert(1)" in page
            assert "{{ 7 * 7 }}" in page
    assert shown > 6


def test_a_run_shows_counts_the_first_flags_and_its_report(tmp_path: Path) -> None:
    model = f"exchange:{EXAMPLES / 'exchange'}"
    found = rs.audit(EXAMPLES, "runs/found", model="lexical")
    judged = rs.audit(EXAMPLES, "runs/#judged", model=model)

    assert inert(found._repr_html_())
    assert "the first 4 of 4" in found._repr_html_()
    assert "the paper speaks to this" in found._repr_html_()
    page = judged._repr_html_()
    assert 'href="runs/%23judged/report.html"' in page
    assert "the first 5 of 15" in page
    assert "15 of 26" in page
    assert page.count("<tr>") < 20
    (found.path / "report.html").unlink()
    assert "href=" not in found._repr_html_()


def test_identifiers_of_a_run_are_data_too(tmp_path: Path) -> None:
    paper = rs.load_paper(EXAMPLES / "paper.txt").model_copy(update={"paper_id": HOSTILE})
    review = rs.load_collection(EXAMPLES).reviews[0]
    review = review.model_copy(update={"review_id": HOSTILE, "paper_id": HOSTILE})

    page = rs.audit(paper=paper, review=review, output="run", model="lexical")._repr_html_()

    assert inert(page)
    assert "&lt;script&gt;alert(1)" in page


def test_the_style_of_what_is_shown_holds_nowhere_else(tmp_path: Path) -> None:
    style = synthetic.model_points()[0]._repr_html_().split("<style>")[1].split("</style>")[0]

    assert style.startswith(".reviewscore {")
    assert style.endswith("}")
    assert ":root" not in style
    depth = 0
    for number, letter in enumerate(style):
        depth += (letter == "{") - (letter == "}")
        assert depth > 0 or number in (*range(13), len(style) - 1)


# Names of before


@pytest.mark.parametrize(
    ("name", "now"),
    [
        ("read_collection", "load_collection"), ("split_review", "split"),
        ("score_point", "score"), ("Settings", "keyword arguments"),
    ],
)  # fmt: skip
def test_names_of_before_work_and_say_what_to_use(name: str, now: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"reviewscore.{name} is deprecated.*{now}") as seen:
        old = getattr(rs, name)

    assert old is not None
    assert name not in rs.__all__
    assert seen[0].filename == __file__
    page = (ROOT / "docs" / "reference" / "compatibility.md").read_text("utf-8")
    assert f"| `{name}" in page


def test_what_was_written_before_runs_as_it_did(tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="is deprecated"):
        from reviewscore import LexicalJudges, read_collection, score_point, split_review
    collection = read_collection(EXAMPLES)
    point = split_review(collection.reviews[0])[6]

    score = asyncio.run(score_point(point, collection.paper("crossread"), LexicalJudges()))
    with pytest.warns(DeprecationWarning, match="settings are keyword arguments") as seen:
        outcome = rs.audit(
            collection, tmp_path / "run", resolve({"model": "lexical"}), data=EXAMPLES
        )

    assert isinstance(outcome, Outcome)
    assert seen[0].filename == __file__
    assert outcome.manifest.counts.points == 27
    assert score == rs.score(rs.split(collection.reviews[0])[6], data=EXAMPLES, model="lexical")


def test_the_package_loads_the_front_door_when_it_is_first_used() -> None:
    code = (
        "import sys, reviewscore as rs; before = 'reviewscore.api' in sys.modules; "
        "print(before, len([m for m in sys.modules if m.startswith('reviewscore.')]), "
        "'audit' in dir(rs), rs.audit.__name__)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "0", "True", "audit"]
