"""Whole runs: every stage against a server on loopback, stopped, killed and taken up again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.config import resolve
from reviewscore.errors import InputError, RunFolderError
from reviewscore.runs.audit import finished
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.schema.argument import ArgumentState
from reviewscore.schema.point_id import content_id
from reviewscore.schema.point_score import Status
from reviewscore.schema.proof import Validity
from reviewscore.schema.review import PointType
from reviewscore.sources.collection import read_collection
from tests.ledgers import asked, column, wait_for_calls
from tests.loopback import Loopback, proposed, schema_name
from tests.quirks import complains, complaint, replies
from tests.runs.conftest import audited, command, environment, points, run, small_disk

FEW = ("--max-connections", "3")


def stages(server: Loopback) -> list[str]:
    return [schema_name(body) for body in server.bodies]


def test_every_stage_ends_in_the_right_record(data: Path, server: Loopback, tmp_path: Path) -> None:
    scores = {score.text: score for score in run(data, tmp_path / "run", server)}

    kinds = {text: score.type for text, score in scores.items()}
    assert len(kinds) == 6
    assert kinds["The writing is dense."] is PointType.CLAIM
    assert kinds["Why frogs?"] is PointType.QUESTION
    answered = next(score for text, score in scores.items() if "learning rate" in text)
    assert (answered.base, answered.misinformed, answered.status) == (2, True, Status.SCORED)
    assert answered.evidence[0].verified
    assert answered.verdict is not None
    assert answered.verdict.answer


def test_a_reconstruction_goes_through_every_failure_until_it_is_accepted(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    scores = run(data, tmp_path / "run", server)

    argument = next(one.argument for one in scores if one.type is PointType.ARGUMENT)
    assert argument is not None
    assert argument.state is ArgumentState.ACCEPTED
    outcomes = [(one.finding.validity, one.faithful) for one in argument.rounds]
    assert outcomes == [
        (Validity.ILL_FORMED, None),
        (Validity.INVALID, None),
        (Validity.VALID, False),
        (Validity.VALID, True),
    ]
    assert all(one.feedback for one in argument.rounds[:-1])
    assert [premise.needed for premise in argument.premises] == [True, True, True]
    assert all(premise.verdict is not None for premise in argument.premises)


def test_an_argument_is_misinformed_if_and_only_if_a_premise_is_false(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    for score in run(data, tmp_path / "run", server):
        if score.argument is None or score.argument.state is not ArgumentState.ACCEPTED:
            continue
        assert score.advanced is not None
        false = [
            premise.verdict.factuality
            for premise in score.argument.premises
            if premise.verdict is not None and (premise.verdict.factuality or 3) <= 2
        ]
        assert score.misinformed is bool(false)
        assert score.advanced.conjunction is not bool(false)
        assert score.advanced.score is not None


def test_rounds_that_run_out_leave_an_honest_unknown(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    scores = run(data, tmp_path / "run", server, rounds=2)

    score = next(one for one in scores if one.type is PointType.ARGUMENT)
    assert score.argument is not None
    assert score.argument.state is ArgumentState.INVALID
    assert (score.status, score.misinformed) == (Status.UNKNOWN, None)
    assert score.base is not None
    assert all(premise.verdict is None for premise in score.argument.premises)


@pytest.mark.parametrize(("score", "asked"), [("base", False), ("advanced", True)])
def test_only_the_chosen_score_is_asked_for(
    data: Path, server: Loopback, tmp_path: Path, score: str, asked: bool
) -> None:
    scores = run(data, tmp_path / "run", server, score=score)

    argument = next(one for one in scores if one.type is PointType.ARGUMENT)
    assert ("ReconstructionReply" in stages(server)) is asked
    assert (argument.argument is not None) is asked
    assert (argument.base is None) is asked


def test_a_finished_run_asks_nothing_again(data: Path, server: Loopback, tmp_path: Path) -> None:
    first = run(data, tmp_path / "run", server)
    calls = len(server.bodies)

    assert run(data, tmp_path / "run", server) == first
    assert len(server.bodies) == calls


def test_a_lost_record_is_made_again_without_paying(
    data: Path, server: Loopback, tmp_path: Path
) -> None:
    first = run(data, tmp_path / "run", server)
    calls, file = len(server.bodies), tmp_path / "run" / "points.jsonl"
    kept = file.read_bytes().splitlines(keepends=True)[:2]
    file.write_bytes(b"".join(kept) + b'{"schema": "half')

    with pytest.raises(RunFolderError, match=r"points\.jsonl was changed .*--accept-changed"):
        run(data, tmp_path / "run", server)
    assert run(data, tmp_path / "run", server, accept_changed=True) == first
    assert len(server.bodies) == calls


def test_one_failed_point_becomes_a_record_and_is_tried_again_when_asked(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    broken = True

    def quirk(body: dict[str, object], _: int) -> web.Response | None:
        if broken and schema_name(body) == "FactualityReply" and "dense" in json.dumps(body):
            return complaint("context too long")
        return None

    server.quirk = quirk
    scores = run(data, tmp_path / "run", server)
    failed = [score for score in scores if score.status is Status.ERROR]
    outcome = audited(data, tmp_path / "run", server)
    broken = False
    again = audited(data, tmp_path / "run", server, retry_errors=True)

    assert [score.text for score in failed] == ["The writing is dense."]
    assert "context too long" in (failed[0].error or "")
    assert outcome.failed == 1
    assert again.failed == 0
    assert (tmp_path / "run" / "errors.jsonl").read_text() == ""


def test_a_refused_key_stops_the_run_and_keeps_what_is_done(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    server.quirk = complains("key revoked", 401, record="AnswerabilityReply")
    outcome = audited(data, tmp_path / "run", server)

    assert "key revoked" in (outcome.stopped or "")
    assert not outcome.manifest.complete
    assert all(score.status is not Status.ERROR for score in read_points(tmp_path / "run"))


def test_proposed_points_that_are_not_verbatim_are_refused(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    texts = ("The writing is dense.", "The paper is about toads.")
    reply = json.dumps({"points": [proposed(text) for text in texts]})
    server.quirk = replies(reply, "ReviewPointsReply")
    scores = [one for one in run(data, tmp_path / "run", server) if one.review_id == "r1"]

    assert [score.text for score in scores] == ["The writing is dense."]
    assert "not verbatim" in " ".join(read_manifest(tmp_path / "run").warnings)


def test_other_settings_in_the_same_folder_are_refused(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "run")

    with pytest.raises(RunFolderError, match="score was 'both' and is now 'base'"):
        run(data, tmp_path / "run", score="base")


def test_changed_input_in_the_same_folder_is_refused(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "run")
    with (data / "reviews.jsonl").open("a") as file:
        file.write("\n")

    with pytest.raises(RunFolderError, match=r"reviews\.jsonl"):
        run(data, tmp_path / "run")


def test_a_selection_is_said_and_the_rest_is_done_later(data: Path, tmp_path: Path) -> None:
    first = run(data, tmp_path / "run", limit=1)
    picked = read_manifest(tmp_path / "run").selection
    whole = run(data, tmp_path / "run")

    assert picked == {"limit": 1}
    assert {score.review_id for score in first} == {"r1"}
    assert {score.review_id for score in whole} == {"r1", "r2"}


@pytest.mark.parametrize("flags", [{"paper": ("toads",)}, {"point": ("r9#1",)}])
def test_choosing_what_is_not_there_is_an_error(
    data: Path, tmp_path: Path, flags: dict[str, object]
) -> None:
    with pytest.raises(InputError, match="no review"):
        run(data, tmp_path / "run", **flags)


def test_one_point_can_be_chosen(data: Path, tmp_path: Path) -> None:
    chosen = run(data, tmp_path / "run", point=("r1#3",))
    again = run(data, tmp_path / "again", point=(chosen[0].point_id,))

    assert [(one.short_name, one.point_id) for one in chosen] == [
        ("r1#3", content_id("r1", chosen[0].text))
    ]
    assert again == chosen


def test_a_run_whose_ids_are_places_is_not_gone_on_with_and_says_why(
    data: Path, tmp_path: Path
) -> None:
    run(data, tmp_path / "run")
    file = tmp_path / "run" / "manifest.json"
    made = json.loads(file.read_text("utf-8"))
    del made["decisive"]["method point_ids"]
    file.write_text(json.dumps(made), "utf-8")

    with pytest.raises(RunFolderError, match=r"ids by their places in the review.*another folder"):
        run(data, tmp_path / "run")


def test_a_point_is_chosen_by_its_place_or_by_its_words_alike(data: Path, tmp_path: Path) -> None:
    whole = run(data, tmp_path / "whole")
    resolved = resolve({"point": ("r1#1", whole[1].point_id)})

    done = finished(read_collection(data), tmp_path / "whole", resolved)

    assert done is not None and done.complete
    with pytest.raises(InputError, match="'r1' names no point; write REVIEW#NUMBER"):
        run(data, tmp_path / "other", point=("r1",))


def test_the_embedded_judge_gives_the_same_bytes_every_time(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "one")
    run(data, tmp_path / "two")

    one, two = ((tmp_path / name / "points.jsonl").read_bytes() for name in ("one", "two"))
    assert one == two


def test_a_killed_run_is_finished_without_paying_twice_and_to_the_same_bytes(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    server.latency = 0.05
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run(command(data, whole, server.url, *FEW), env=environment(), check=True)
    before = set(server.served)
    process = subprocess.Popen(command(data, killed, server.url, *FEW), env=environment())
    wait_for_calls(killed, 8)
    process.send_signal(signal.SIGKILL)
    process.wait()
    recorded = column(killed, "key")
    subprocess.run(command(data, killed, server.url, *FEW), env=environment(), check=True)

    keys = column(killed, "key")
    assert before
    assert len(recorded) >= 8
    assert len(keys) == len(set(keys))
    assert set(recorded) <= set(keys)
    assert points(whole) == points(killed)
    spent = [read_manifest(run).spending for run in (whole, killed)]
    assert spent[0].input_tokens == spent[1].input_tokens
    assert spent[0].calls == spent[1].calls == len(keys)


def test_an_interrupted_run_finishes_calls_under_way_and_exits_130(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    server.latency = 0.2
    out = tmp_path / "run"
    process = subprocess.Popen(command(data, out, server.url, *FEW), env=environment())
    wait_for_calls(out, 2)
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=30)
    answered = sum(server.served.values())

    assert code == 130
    assert len(column(out, "key")) == answered
    assert not read_manifest(out).complete


def test_a_full_disk_stops_the_run_and_leaves_it_readable(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    flags = [sys.executable, "-m", "reviewscore", "audit", str(data), "-o", str(out), "-q"]

    stopped = subprocess.run(
        flags,
        env=environment(),
        preexec_fn=small_disk(7500),
        capture_output=True,
        text=True,
        check=False,
    )
    kept = list(read_points(out))
    again = subprocess.run(flags, env=environment(), check=False)

    assert stopped.returncode == 4
    assert "run the same command again" in stopped.stderr
    assert again.returncode == 0
    assert 0 < len(kept) < len(list(read_points(out)))


def test_a_planted_ledger_gives_nobody_money_back(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    prices, out = tmp_path / "p.toml", tmp_path / "run"
    prices.write_text(
        'source = "a test"\ndate = "2026-01-01"\n'
        "[models.loopback]\ninput = 1\ncached = 1\noutput = 1\n"
    )
    flags = {"cache": False, "prices": prices, "max_usd": 0.000_001}
    assert audited(data, out, server, **flags).stopped is not None
    before = len(stages(server))
    place = read_manifest(out).run_id
    asked(out, "INSERT INTO doubts VALUES (?, 'k', -1000.0)", place)

    with pytest.raises(RunFolderError, match=r"ledger\.sqlite .* table doubts"):
        run(data, out, server, **flags)
    assert len(stages(server)) == before
