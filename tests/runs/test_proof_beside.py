"""Audits by presuppositions with arguments beside them: the verdict stays, proofs stand apart."""

from __future__ import annotations

import asyncio
import json
import re
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.config import Settings, resolve
from reviewscore.pages.presuppositions import argument_words
from reviewscore.pages.wording import headline
from reviewscore.report.html import write_report
from reviewscore.report.lines import summary_lines
from reviewscore.report.summary import summarise, write_summary
from reviewscore.runs.estimate import estimate
from reviewscore.runs.export import row
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.runs.manifest import prompt_names
from reviewscore.schema.argument import ArgumentState
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointType
from reviewscore.sources.collection import read_collection
from tests.answering import answer
from tests.commands import invoker
from tests.loopback import Loopback, schema_name
from tests.quirks import replies
from tests.runs.conftest import audited, frogs, run

WEAKNESSES = (
    "- The gain is unexplained because no part of the network is ever removed.\n"
    "- If the counter is tested in one country only, then its use elsewhere is open, so it fails.\n"
    "- The writing is dense."
)
PLAIN = {"protocol": "presupposition", "points": "rules", "second_look": "off"}
PROOF = {**PLAIN, "protocol": "presupposition+proof"}
LOOP = {"ExtractReply", "ReconstructionReply", "FaithfulnessReply"}


@pytest.fixture
def review(tmp_path: Path) -> Path:
    """A paper with a review: an argument of one reason, one with a stated step, and a claim."""
    return frogs(tmp_path / "one", [{"sections": {"weaknesses": WEAKNESSES}}])


def stages(server: Loopback) -> set[str]:
    return {schema_name(body) for body in server.bodies}


def verdict(score: PointScore) -> dict[str, object]:
    """All that a record says of its point but for the argument beside it."""
    return score.model_dump(exclude={"argument", "extraction", "error"})


def test_an_argument_with_an_inference_is_rebuilt_and_no_verdict_changes(
    review: Path, server: Loopback, tmp_path: Path
) -> None:
    plain = run(review, tmp_path / "plain", server, **PLAIN)
    scores = run(review, tmp_path / "proof", server, **PROOF)

    assert list(map(verdict, scores)) == list(map(verdict, plain))
    one_reason, step, claim = scores
    assert (one_reason.type, step.type, claim.type) == (
        *(PointType.ARGUMENT, PointType.ARGUMENT, PointType.CLAIM),
    )
    assert one_reason.argument is None
    assert one_reason.extraction is not None
    assert one_reason.extraction.reasons == ("no part of the network is ever removed",)
    assert step.argument is not None
    assert step.extraction is None
    assert step.argument.state is ArgumentState.ACCEPTED
    assert all(premise.verdict is not None for premise in step.argument.premises)
    assert (claim.argument, claim.extraction) == (None, None)
    assert [row(score)["inference"] for score in scores] == [False, True, None]
    assert [row(score)["inference"] for score in plain] == [None] * 3


def test_a_verdict_never_rests_on_the_argument_beside_it(
    review: Path, server: Loopback, tmp_path: Path
) -> None:
    _, step, _ = run(review, tmp_path / "proof", server, **PROOF)
    assert step.argument is not None
    false = [
        premise.model_copy(update={"verdict": premise.verdict.model_copy(update={"factuality": 1})})
        for premise in step.argument.premises
        if premise.verdict is not None
    ]
    refuted = step.model_copy(
        update={"argument": step.argument.model_copy(update={"premises": tuple(false)})}
    )

    assert refuted.min_score == refuted.base == step.standing
    assert (refuted.unquoted, refuted.panel_split) == (step.unquoted, step.panel_split)
    assert headline(refuted) == headline(step)
    assert refuted.advanced is None


@pytest.mark.parametrize(("score", "judged"), [("base", False), ("advanced", True)])
def test_premises_are_judged_where_the_settings_ask_for_it(
    score: str, judged: bool, review: Path, server: Loopback, tmp_path: Path
) -> None:
    _, step, _ = run(review, tmp_path / "proof", server, **PROOF, score=score)

    assert stages(server) >= LOOP
    assert ("PremiseReply" in stages(server)) is judged
    assert ("premise_factuality/v" in "".join(read_manifest(tmp_path / "proof").prompts)) is judged
    assert step.argument is not None
    assert {premise.verdict is not None for premise in step.argument.premises} == {judged}


def test_an_argument_that_fails_leaves_its_verdict_and_is_counted(
    review: Path, server: Loopback, tmp_path: Path
) -> None:
    plain = run(review, tmp_path / "plain", server, **PLAIN)

    def no_draft(body: dict[str, object], seen: int) -> web.Response | None:
        return replies("no")(body, seen) if schema_name(body) == "ReconstructionReply" else None

    server.quirk = no_draft
    scores = run(review, tmp_path / "proof", server, **PROOF)

    assert list(map(verdict, scores)) == list(map(verdict, plain))
    assert scores[1].status is Status.SCORED
    assert "no usable reply" in str(scores[1].error)
    beside = summarise(tmp_path / "proof").arguments.beside
    assert beside is not None
    assert (beside.failed, beside.without_inference) == (1, 1)


def test_a_run_that_is_taken_up_again_asks_nothing_twice(
    review: Path, server: Loopback, tmp_path: Path
) -> None:
    flags = {**PROOF, "cache": False, "max_connections": 1}
    server.interrupt_at(4)  # in the loop
    stopped = audited(review, tmp_path / "run", server, **flags)
    server.quirk = None
    done = audited(review, tmp_path / "run", server, **flags)
    served = len(server.bodies)
    audited(review, tmp_path / "run", server, **flags)

    assert stopped.interrupted
    assert not done.failed
    assert len(server.bodies) == served
    assert len({json.dumps(body, sort_keys=True) for body in server.bodies}) == served
    fresh = run(review, tmp_path / "fresh", server, **PROOF)
    assert [verdict(score) for score in fresh] == [
        verdict(score)
        for score in sorted(read_points(tmp_path / "run"), key=lambda score: score.ordinal)
    ]


def test_the_prompts_of_a_run_are_those_that_it_can_put() -> None:
    def names(**flags: object) -> set[str]:
        return set(prompt_names(Settings.model_validate({"model": "x/y", **flags}).decisive()))

    looks, published = names(**PLAIN), names()
    loop = {"extract_argument", "reconstruct_argument", "formulas", "streamline", "faithfulness"}
    assert names(**PROOF) - looks == loop | {"feedback", "premise_factuality"}
    assert names(**PROOF) - looks <= published
    assert names(**PROOF, score="base") - looks == loop | {"feedback"}


def test_summary_and_report_count_arguments_apart(
    review: Path, server: Loopback, tmp_path: Path
) -> None:
    scores = run(review, tmp_path / "run", server, **PROOF)
    summary = write_summary(tmp_path / "run")

    beside = summary.arguments.beside
    assert beside is not None
    assert summary.arguments.reconstructed == 1
    assert (beside.without_inference, beside.judged, beside.failed) == (1, 1, 0)
    lines = summary_lines(summary)
    assert any(line.startswith("beside the verdicts: 1 argument rebuilt") for line in lines)
    assert len(lines) <= 10
    page = write_report(tmp_path / "run", None, None)[0].read_text("utf-8")
    assert "Beside the verdicts: 1 argument rebuilt" in page
    one_reason, step, claim = scores
    assert argument_words(one_reason) in page
    assert page.index(argument_words(step)) > page.index(step.presuppositions[0].statement)
    assert argument_words(claim) == ""
    assert summarise(tmp_path / "run").judged == summary.judged


def test_what_arguments_ask_for_is_estimated_by_the_same_rule(review: Path) -> None:
    def calls(**flags: object) -> dict[str, float]:
        settings = resolve({"model": "openai/gpt-5.6-luna", **flags}).settings
        way = asyncio.run(estimate(read_collection(review), settings)).command
        assert way is not None
        return {**way.calls}

    proof, looks = calls(**PROOF), calls(**PLAIN)
    published = calls(points="rules")
    assert {name: proof[name] for name in looks} == looks
    assert proof["extract_argument"] == 2
    for name in ("reconstruct_argument", "faithfulness", "premise_factuality"):
        assert proof[name] == pytest.approx(published[name] / 2)
    assert "premise_factuality" not in calls(**PROOF, score="base")


@pytest.mark.parametrize("per", ["review", "point"])
def test_replies_from_a_folder_carry_a_run_to_its_report(
    review: Path, tmp_path: Path, per: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "folder", tmp_path / "run"
    audit_command = partial(
        invoker("audit", capsys),
        *(review, "-o", out, "--model", f"exchange:{folder}", "--no-cache"),
        *("--protocol", "presupposition+proof", "--per", per),
    )
    first = last = audit_command()
    for _ in range(15):
        if not last.exit_code:
            break
        answer(folder)
        last = audit_command()

    assert (first.exit_code, last.exit_code) == (4, 0)
    assert re.search(
        r"presupposition\+proof ~\d+ calls, .* tokens in \(this command\)", first.stderr
    )
    assert "beside the verdicts: 1 argument rebuilt" in last.stdout


def test_a_panel_has_its_looks_and_one_argument(
    review: Path, server: Loopback, tmp_path: Path
) -> None:
    _, step, _ = run(review, tmp_path / "run", server, **PROOF, repeats=2)

    assert len(step.looks) == 2
    assert step.argument is not None
    assert step.argument.rounds[-1].votes == (True, True)


def test_on_excerpts_arguments_are_rebuilt_on_what_was_seen(
    review: Path, server: Loopback, tmp_path: Path
) -> None:
    room = {"context": "excerpts", "context_tokens": 7500, "max_tokens": 700}
    scores = run(review, tmp_path / "run", server, **PROOF, **room)

    assert [score.argument is not None for score in scores] == [False, True, False]
