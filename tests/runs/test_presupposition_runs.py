"""Audits by what points take for granted: a call a review, taken up again, stopped, in jobs."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web

import reviewscore as rs
from reviewscore.config import resolve
from reviewscore.errors import SettingsError
from reviewscore.llm import batch_jobs
from reviewscore.pages.wording import headline, seen_words
from reviewscore.runs.audit import audit
from reviewscore.runs.export import row
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.runs.session import Quiet
from reviewscore.schema.paper import Scope
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointType
from reviewscore.schema.verdict import UnknownReason
from reviewscore.sources.collection import read_collection
from tests.answering import answer
from tests.commands import invoker
from tests.conftest import ROOT
from tests.ledgers import column, wait_for_calls
from tests.loopback import ANSWERS, Loopback, contents, marked, schema_name
from tests.quirks import replies
from tests.runs.conftest import (
    QUESTIONS,
    WEAKNESSES,
    audited,
    command,
    environment,
    frogs,
    points,
    run,
)

BY_REVIEW, ALONE = "ReviewRemarksReply", "RemarkReply"
OURS = {"protocol": "presupposition", "points": "rules"}
FLAGS = ("--protocol", "presupposition", "--max-connections", "3")


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    """A paper with two reviews of four points and one."""
    first = {"weaknesses": WEAKNESSES, "questions": QUESTIONS}
    return frogs(
        tmp_path / "two", [{"sections": first}, {"sections": {"weaknesses": "- Too short."}}]
    )


def stages(server: Loopback) -> Counter[str]:
    return Counter(schema_name(body) for body in server.bodies)


def asked(server: Loopback) -> list[list[int]]:
    """Numbers of the points of each question about reviews."""
    return [
        [number for number, _ in marked("\n".join(contents(body)))]
        for body in server.bodies
        if schema_name(body) == BY_REVIEW
    ]


def test_a_review_is_one_call_and_what_would_not_stand_is_one_more(
    reviews: Path, server: Loopback, tmp_path: Path
) -> None:
    scores = run(reviews, tmp_path / "run", server, **OURS)

    shaky = [score for score in scores if len(score.looks) == 2]
    assert len(scores) == 6
    assert stages(server) == {BY_REVIEW: 2, ALONE: len(shaky)}
    assert 0 < len(shaky) < 6
    for score in scores:
        assert score.status is Status.SCORED
        assert score.protocol == "presupposition"
        assert score.base == score.standing
        assert score.misinformed == score.supplied == (score in shaky)
        assert score.advanced is None
        assert score.type in PointType
    assert [row(score)["scale"] for score in scores] == ["standing"] * 6


def test_without_second_looks_a_review_is_one_call(
    reviews: Path, server: Loopback, tmp_path: Path
) -> None:
    run(reviews, tmp_path / "run", server, **OURS, second_look="off")

    assert stages(server) == {BY_REVIEW: 2}


def test_all_reviews_of_a_paper_are_one_call_and_each_point_alone_is_one(
    reviews: Path, tmp_path: Path, server: Loopback
) -> None:
    together = run(reviews, tmp_path / "paper", server, **OURS, per="paper", second_look="off")
    by_paper = stages(server)
    alone = run(reviews, tmp_path / "point", server, **OURS, per="point", second_look="off")

    assert by_paper == {BY_REVIEW: 1}
    assert stages(server) == {BY_REVIEW: 1, ALONE: 6}
    assert [score.standing for score in together] == [score.standing for score in alone]


def test_a_review_with_too_many_points_is_split_and_that_is_told(
    reviews: Path, server: Loopback, tmp_path: Path
) -> None:
    told: list[str] = []

    class Telling(Quiet):
        def say(self, sentence: str) -> None:
            told.append(sentence)

    flags = {"model": "openai/loopback", "base_url": server.url, **OURS, "points_per_call": 2}
    audit(read_collection(reviews), tmp_path / "run", resolve(flags), progress=Telling())

    assert sorted(asked(server)) == [[1], [1], [2, 3], [4, 5]]
    assert "review r1: 5 points are asked about in 3 calls" in told


def test_a_run_that_is_taken_up_again_asks_nothing_twice(
    reviews: Path, server: Loopback, tmp_path: Path
) -> None:
    run(reviews, tmp_path / "run", server, **OURS, point=("r1#2",))
    once = stages(server)
    scores = run(reviews, tmp_path / "run", server, **OURS)

    assert once[BY_REVIEW] == 1
    assert sorted(asked(server)) == [[1], [1, 2, 3, 4, 5]]
    assert len(scores) == 6
    run(reviews, tmp_path / "run", server, **OURS)
    assert sum(server.served.values()) == len(column(tmp_path / "ledger", "key"))


def test_a_killed_run_is_finished_without_paying_twice_and_to_the_same_bytes(
    reviews: Path, tmp_path: Path, server: Loopback
) -> None:
    server.latency = 0.1
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    flags = {"protocol": "presupposition", "max_connections": 3, "cache": False}
    audited(reviews, whole, server, **flags)
    process = subprocess.Popen(command(reviews, killed, server.url, *FLAGS), env=environment())
    wait_for_calls(killed, 3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    recorded = column(killed, "key")
    audited(reviews, killed, server, **flags)

    keys = column(killed, "key")
    assert len(recorded) >= 3
    assert len(keys) == len(set(keys))
    assert set(recorded) <= set(keys)
    assert points(whole) == points(killed)
    spent = [read_manifest(folder).spending for folder in (whole, killed)]
    assert spent[0].input_tokens == spent[1].input_tokens


def test_a_run_stopped_after_the_reviews_call_uses_it_when_it_goes_on(
    reviews: Path, tmp_path: Path, server: Loopback
) -> None:
    server.interrupt_at(3)  # in the middle of a second look
    stopped = audited(reviews, tmp_path / "run", server, **OURS, cache=False, max_connections=1)
    server.quirk = None
    done = audited(reviews, tmp_path / "run", server, **OURS, cache=False)

    keys = column(tmp_path / "run", "key")
    assert stopped.interrupted
    assert not done.failed
    assert len(keys) == len(set(keys)) == sum(server.served.values())
    assert len(asked(server)) == 2


def test_a_run_that_meets_its_cap_keeps_the_reviews_call_and_goes_on_from_there(
    reviews: Path, tmp_path: Path, server: Loopback
) -> None:
    prices = tmp_path / "p.toml"
    prices.write_text(
        'source = "a test"\ndate = "2026-01-01"\n'
        "[models.loopback]\ninput = 1\ncached = 1\noutput = 1\n"
    )
    flags = {**OURS, "cache": False, "prices": prices, "max_connections": 1, "second_look": "0/1"}
    audited(reviews, tmp_path / "whole", server, **flags)
    spent = read_manifest(tmp_path / "whole").spending.usd
    assert spent is not None
    server.bodies.clear()
    capped = audited(reviews, tmp_path / "run", server, **flags, max_usd=0.9 * spent)
    before = stages(server)
    done = audited(reviews, tmp_path / "run", server, **flags)

    assert capped.stopped is not None
    assert before[BY_REVIEW] >= 1
    assert 0 < sum(before.values()) < sum(stages(server).values())
    assert not done.failed
    assert len(column(tmp_path / "run", "key")) == len(server.bodies) == 8
    assert stages(server)[BY_REVIEW] == 2


def test_a_point_that_is_scored_by_itself_is_asked_about_alone(
    reviews: Path, server: Loopback
) -> None:
    point = rs.split("r1", data=reviews)[1]
    flags = {"model": "openai/loopback", "base_url": server.url, "protocol": "presupposition"}

    score = rs.score(point, data=reviews, **flags)

    assert stages(server) == {ALONE: len(score.looks)}
    assert score.standing == score.base


def test_a_point_without_a_usable_reply_fails_alone_and_is_tried_again(
    reviews: Path, tmp_path: Path, server: Loopback
) -> None:
    def leaves_one_out(body: dict[str, object], seen: int) -> web.Response | None:
        if schema_name(body) != BY_REVIEW:
            return None
        reply = ANSWERS[BY_REVIEW]("\n".join(contents(body)))
        assert isinstance(reply["points"], list)
        kept = [said for said in reply["points"] if "country" not in json.dumps(said["parts"])]
        return replies(json.dumps({"points": kept}))(body, seen)

    server.quirk = leaves_one_out
    first = run(reviews, tmp_path / "run", server, **OURS)
    server.quirk = None
    again = audited(reviews, tmp_path / "run", server, **OURS, retry_errors=True)

    failed = [score for score in first if score.status is Status.ERROR]
    assert ["country" in score.text for score in failed] == [True]
    assert "no usable reply in 3 tries" in str(failed[0].error)
    assert failed[0].looks == ()
    assert len(first) == 6
    assert again.failed == 0


def test_base_scores_by_review_are_those_of_each_point_alone(
    reviews: Path, server: Loopback, tmp_path: Path
) -> None:
    flags = {"protocol": "economy", "points": "rules", "score": "base"}
    alone = run(reviews, tmp_path / "alone", server, **flags)
    before = len(server.bodies)
    together = run(reviews, tmp_path / "together", server, **flags, per="review")

    later = Counter(schema_name(body) for body in server.bodies[before:])
    assert later == {"BaseReviewReply": 2}

    def judgement(score: PointScore) -> tuple[object, ...]:
        assert score.verdict is not None
        return score.type, score.base, score.misinformed, score.evidence, score.verdict.scale

    assert [judgement(score) for score in together] == [judgement(score) for score in alone]


def test_arguments_go_through_the_loop_after_their_base_was_asked_by_review(
    reviews: Path, server: Loopback, tmp_path: Path
) -> None:
    scores = run(
        reviews, tmp_path / "run", server, protocol="economy", points="rules", per="review"
    )

    names = stages(server)
    assert names["BaseReviewReply"] == 2
    assert {"PointTypeReply", "FactualityReply", "AnswerabilityReply"}.isdisjoint(names)
    assert any(score.argument is not None and score.base is not None for score in scores)


def test_calls_about_reviews_go_as_batch_jobs_too(
    reviews: Path, server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    quick = partial(batch_jobs.Patience, first=0.05, most=0.1)
    monkeypatch.setattr(batch_jobs, "Patience", quick)
    scores = run(reviews, tmp_path / "run", server, **OURS, batch=True)

    assert {score.status for score in scores} == {Status.SCORED}
    spending = read_manifest(tmp_path / "run").spending
    assert spending.batched == spending.calls


@pytest.mark.parametrize("per", ["review", "paper", "point"])
def test_replies_from_a_folder_carry_a_run_to_its_report(
    reviews: Path, tmp_path: Path, per: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "folder", tmp_path / "run"
    audit_command = partial(
        invoker("audit", capsys),
        *(reviews, "-o", out, "--model", f"exchange:{folder}", "--no-cache"),
        *("--protocol", "presupposition", "--per", per),
    )
    first = last = audit_command()
    for _ in range(4):
        if not last.exit_code:
            break
        answer(folder)
        last = audit_command()

    assert (first.exit_code, last.exit_code) == (4, 0)
    assert re.search(
        r"by protocol: paper ~\d+ calls, .*; economy ~\d+ calls, .*; presupp", first.stderr
    )
    page = (out / "report.html").read_text("utf-8")
    assert "a fair reviewer would probably still make this remark" in page
    assert {score.status for score in read_points(out)} == {Status.SCORED}


def test_a_contested_point_is_unknown_in_records_and_report(
    reviews: Path, server: Loopback, tmp_path: Path
) -> None:
    def fair_at_second_sight(body: dict[str, object], seen: int) -> web.Response | None:
        if schema_name(body) != ALONE:
            return None
        fair = {
            **ANSWERS[ALONE]("\n".join(contents(body))),
            "parts": [{"words": "", "presuppositions": [], "standing": 5}],
        }
        return replies(json.dumps(fair))(body, seen)

    server.quirk = fair_at_second_sight
    scores = run(reviews, tmp_path / "run", server, **OURS)

    contested = [score for score in scores if len(score.looks) == 2]
    assert contested
    for score in contested:
        assert (score.status, score.reason) == (Status.UNKNOWN, UnknownReason.CONTESTED)
        assert (score.misinformed, score.standing) == (None, 2)
        assert headline(score).misinformed == "unknown"
        assert "differ" in headline(score).words
    counts = read_manifest(tmp_path / "run").counts
    assert (counts.unknown, counts.scored) == (len(contested), 6 - len(contested))


def test_on_excerpts_points_are_asked_about_alone_and_nothing_is_judged_absent(
    server: Loopback, tmp_path: Path
) -> None:
    room = {"context": "excerpts", "context_tokens": 7500, "max_tokens": 700}
    scores = run(ROOT / "examples", tmp_path / "run", server, **OURS, **room)

    assert set(stages(server)) == {ALONE}
    assert len(scores) > 6
    for score in scores:
        assert score.seen is not None
        assert score.seen.kind is Scope.EXCERPTS
        assert 0 < score.seen.share < 1
        assert score.supplied is not False
        fair = score.standing is not None and score.standing > 2
        assert (score.reason is UnknownReason.EXCERPTS) == fair  # the paper is said to lack it
        assert score.base == (None if fair else score.standing)
    assert {score.misinformed for score in scores} == {True, None}
    assert "excerpts/v1" in read_manifest(tmp_path / "run").prompts
    assert all(seen_words(score).startswith("Judged on excerpts (") for score in scores)


def test_every_reason_of_an_unknown_point_has_words_of_its_own(
    reviews: Path, server: Loopback, tmp_path: Path
) -> None:
    score = run(reviews, tmp_path / "run", server, **OURS, second_look="off")[0]
    unknown = {"status": Status.UNKNOWN, "misinformed": None}
    words = {
        headline(score.model_copy(update={**unknown, "reason": reason})).words
        for reason in UnknownReason
    }

    assert len(words) == len(UnknownReason)
    assert not any("judged misinformed" in text for text in words)


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        ({"protocol": "presupposition"}, "need a model"),
        ({"model": "openai/x", "per": "review"}, "point by point"),
        ({"model": "openai/x", "protocol": "presupposition", "author_response": True}, "response"),
        (
            {"model": "openai/x", "protocol": "economy", "per": "paper", "author_response": True},
            "point by point",
        ),
        (
            {
                "model": "openai/x",
                "protocol": "economy",
                "per": "review",
                "judges": {"point_type": "openai/y"},
            },
            "point_type answers point by point",
        ),
        (
            {"model": "openai/x", "protocol": "economy", "per": "review", "context": "excerpts"},
            "--per point",
        ),
        ({"model": "openai/x", "second_look": "0.7/0.3"}, "LOW/HIGH"),
        ({"model": "openai/x", "second_look": "often"}, "second_look"),
        (
            {"model": "openai/x", "protocol": "presupposition", "calibration": "c.json"},
            "standing",
        ),
    ],
)
def test_settings_that_do_not_go_together_are_refused(
    flags: dict[str, object], problem: str
) -> None:
    with pytest.raises(SettingsError, match=problem):
        resolve(flags)


def test_the_embedded_judge_looks_points_up_one_by_one_whatever_is_set(
    reviews: Path, tmp_path: Path
) -> None:
    plain = run(reviews, tmp_path / "plain")

    assert run(reviews, tmp_path / "set", protocol="economy", per="review") == plain


def test_how_looks_are_taken_is_decisive_where_it_can_change_a_verdict() -> None:
    def decisive(**flags: object) -> dict[str, object]:
        return {**resolve({"model": "openai/x", **flags}).settings.decisive()}

    ours = decisive(protocol="presupposition")
    assert (ours["per"], ours["second_look"], ours["points_per_call"]) == ("review", "0.3/0.7", 20)
    assert ours != decisive(protocol="presupposition", second_look="off")
    assert ours != decisive(protocol="presupposition", points_per_call=5)
    assert decisive() == decisive(second_look="off", points_per_call=5)
