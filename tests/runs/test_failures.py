"""What fails in one place stays there, is told, and costs nothing that was paid for."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.config import resolve
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.runs.audit import audit
from reviewscore.runs.folder import read_points
from reviewscore.schema.point_score import Status
from reviewscore.schema.review import PointType
from reviewscore.sources.collection import read_collection, single
from tests.conftest import PAPER, ROOT
from tests.ledgers import column
from tests.loopback import Body, Loopback, proposed, schema_name
from tests.quirks import replies
from tests.runs.conftest import audited, command, environment, run

ARGUMENT = "The gain is unexplained because no part of the network is ever removed."


def refuse(server: Loopback, *names: str) -> None:
    """Have the server decline to answer some questions."""
    server.quirk = replies("", *names, refusal="I would rather not.")


def test_a_refused_base_score_leaves_the_arguments_own_score(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    refuse(server, "FactualityReply")

    scores = {score.text: score for score in run(data, tmp_path / "run", server)}

    argued = scores[ARGUMENT]
    assert argued.status is Status.SCORED
    assert argued.base is None
    assert argued.argument is not None
    assert "RefusalError" in str(argued.error)
    claim = scores["The writing is dense."]
    assert (claim.status, claim.type) == (Status.ERROR, PointType.CLAIM)


def test_one_refused_premise_does_not_hide_another_that_is_false(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    seen = 0

    def quirk(body: Body, _: int) -> web.Response | None:
        nonlocal seen
        if schema_name(body) != "PremiseReply":
            return None
        seen += 1
        if seen % 3 == 1:
            return replies("", refusal="No.")(body, 0)
        reply = {
            "reasoning": "-",
            "source": "given_paper",
            "factuality": 1,
            "settled_by_general_knowledge": False,
            "untrivialness": 2,
            "quotes": [],
        }
        return replies(json.dumps(reply))(body, 0)

    server.quirk = quirk
    scores = {score.text: score for score in run(data, tmp_path / "run", server)}

    argued = scores[ARGUMENT]
    assert (argued.status, argued.misinformed) == (Status.SCORED, True)
    assert argued.advanced is not None
    assert argued.advanced.score is None
    assert argued.argument is not None
    verdicts = [premise.verdict for premise in argued.argument.premises]
    assert any(one is not None and "RefusalError" in str(one.error) for one in verdicts)


def test_all_premises_refused_is_an_error_of_a_point_whose_type_is_known(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    refuse(server, "PremiseReply")
    scores = {score.text: score for score in run(data, tmp_path / "run", server)}
    assert scores[ARGUMENT].status is Status.ERROR
    assert scores[ARGUMENT].type is PointType.ARGUMENT


def test_recorded_refusals_are_asked_anew_only_when_errors_are_tried_again(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    server.quirk = replies("no JSON here", "AnswerabilityReply")
    out = tmp_path / "run"
    run(data, out, server)
    assert [one.status for one in read_points(out)].count(Status.ERROR) == 2
    server.quirk = None

    run(data, out, server)
    assert [one.status for one in read_points(out)].count(Status.ERROR) == 2
    run(data, out, server, retry_errors=True)

    assert [one.status for one in read_points(out)].count(Status.ERROR) == 0


def test_half_a_character_in_a_reply_or_an_error_does_not_stop_the_batch(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    def quirk(body: Body, _: int) -> web.Response | None:
        if schema_name(body) == "ReviewPointsReply" and "Too short" in json.dumps(body):
            return web.Response(
                text='{"error": {"message": "bad \\ud800 text"}}',
                status=400,
                content_type="application/json",
            )
        return replies("\ud800", "FactualityReply")(body, 0)

    server.quirk = quirk
    scores = run(data, tmp_path / "run", server)

    assert scores
    errors = (tmp_path / "run" / "errors.jsonl").read_text("utf-8")
    assert "bad \ufffd text" in errors


def test_the_limitations_box_is_shown_to_the_model_unless_it_is_left_out(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    review = {
        "review_id": "r3",
        "paper_id": "frogs",
        "sections": {"weaknesses": "- Short.", "limitations": "- Snow is not discussed."},
    }
    (data / "reviews.jsonl").write_text(json.dumps(review) + "\n")
    asked: list[str] = []

    def quirk(body: Body, _: int) -> web.Response | None:
        if schema_name(body) != "ReviewPointsReply":
            return None
        asked.append(json.dumps(body))
        texts = ("Short.", "Snow is not discussed.")
        return replies(json.dumps({"points": [proposed(text) for text in texts]}))(body, 0)

    server.quirk = quirk
    texts = [one.text for one in run(data, tmp_path / "a", server)]
    narrower = [one.text for one in run(data, tmp_path / "b", server, limitations=False)]

    assert texts == ["Short.", "Snow is not discussed."]
    assert narrower == ["Short."]
    assert "weaknesses\\nlimitations" in asked[0]


def test_rejected_proposals_are_not_said_to_come_from_the_model(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    reply = {"points": [proposed("Words that no reviewer wrote.")]}
    server.quirk = replies(json.dumps(reply), "ReviewPointsReply")
    scores = run(data, tmp_path / "run", server)

    assert len(scores) == 6
    assert all(one.stage != "split_points" for score in scores for one in score.provenance)


@pytest.mark.slow
def test_an_interrupted_run_records_every_call_that_was_answered(
    data: Path, tmp_path: Path
) -> None:
    log = tmp_path / "served.log"
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.loopback", "--latency", "0.5", "--log", str(log)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    out = tmp_path / "run"
    try:
        line = command(data, out, url, "--max-connections", "8")
        running = subprocess.Popen(line, env=environment())
        deadline = time.monotonic() + 60
        # Stopped while scores of the whole and reconstructions are under way side by side.
        while time.monotonic() < deadline:
            if "extract_argument" in column(out, "stage"):
                break
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()

    assert len(log.read_text().split()) == len(column(out, "key"))


def test_another_input_or_year_is_refused(tmp_path: Path) -> None:
    for folder in ("papers", "reviews"):
        (tmp_path / folder).mkdir()
    paper, review = tmp_path / "papers" / "1.txt", tmp_path / "reviews" / "1.txt"
    paper.write_text(PAPER)
    review.write_text("Weaknesses\n- There is no ablation study.\n")
    out = tmp_path / "run"
    audit(single(paper, review, year=2019), out, resolve({}))

    with pytest.raises(RunFolderError, match="year was 2019 and is now 2024"):
        audit(single(paper, review, year=2024), out, resolve({}))
    paper.write_text(PAPER + "\nOne more line.\n")
    with pytest.raises(RunFolderError, match=r"input file 1.txt is another one"):
        audit(single(paper, review, year=2019), out, resolve({}))


def test_a_misspelt_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVIEWSCORE_ROUND", "3")

    with pytest.raises(SettingsError, match="did you mean REVIEWSCORE_ROUNDS"):
        resolve({})


def test_the_servers_address_comes_from_the_sdks_variable_too_and_is_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:secret@127.0.0.1:9/v1")

    resolved = resolve({"model": "openai/x"})

    assert resolved.origins["base_url"] == "OPENAI_BASE_URL"
    assert "secret" not in str(resolved.settings.decisive())
    assert resolve({}).settings.base_url is None


def test_a_point_that_no_review_holds_is_told(data: Path, tmp_path: Path) -> None:
    outcome = audited(data, tmp_path / "run", point=("r1#99",))

    assert outcome.failed == 1
    assert "no review holds the point r1#99" in (tmp_path / "run" / "errors.jsonl").read_text()


@pytest.mark.parametrize(
    "line",
    [
        '{"paper_id": "p", "year": ' + "9" * 5000 + "}",
        '{"paper_id": "p", "title": "\\ud800", "x": ' + "[" * 900 + "]" * 900 + "}",
        json.dumps({"paper_id": "p", "sections": "[" * 100_000}),
    ],
)
def test_strange_json_is_a_bad_line_and_no_crash(tmp_path: Path, line: str) -> None:
    good = json.dumps({"paper_id": "frogs", "title": "Frogs", "text": PAPER})
    (tmp_path / "papers.jsonl").write_text(f"{line}\n{good}\n")
    (tmp_path / "reviews.jsonl").write_text(
        '{"review_id": "r", "paper_id": "frogs", "text": "Short."}\n'
    )

    collection = read_collection(tmp_path, skip_bad_lines=True)

    assert list(collection.papers) in (["frogs"], ["p", "frogs"])


def test_points_keep_the_places_that_they_name_whatever_becomes_of_them(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    review = {
        "review_id": "r1",
        "paper_id": "frogs",
        "sections": {"weaknesses": "- Section 3.1 is dense.\n- Table 7 is dense."},
    }
    (data / "reviews.jsonl").write_text(json.dumps(review) + "\n")
    refuse(server, "ArgumentReply")
    failed = run(data, tmp_path / "untyped", server)
    refuse(server, "FactualityReply")
    refused = run(data, tmp_path / "unread", server)
    looked_up = audited(data, tmp_path / "lexical")

    assert looked_up.failed == 0
    for points in (failed, refused, list(read_points(tmp_path / "lexical"))):
        named = [place for point in points for place in point.places or ()]
        assert [place.label for place in named] == ["Section 3.1", "Table 7"]
        assert [place.target is None for place in named] == [False, True]
    assert {point.status for point in failed} == {Status.ERROR}
    assert {point.type for point in failed} == {None}
