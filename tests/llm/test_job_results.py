"""What comes back from batch jobs: replies, refusals, and lines that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.errors import ProviderError
from reviewscore.schema.call import Completion
from tests.loopback import Loopback
from tests.quirks import NO_TEMPERATURE, RESPONSES_ONLY
from tests.sessions import MODELS, Session, asked_once, failures, interrupted, request, sizes, three


@pytest.mark.parametrize("earlier", [True, False])
@pytest.mark.parametrize("model", MODELS)
async def test_what_a_job_was_refused_is_left_out_of_the_next(
    server: Loopback, tmp_path: Path, model: str, earlier: bool
) -> None:
    server.quirk = NO_TEMPERATURE
    if earlier:
        await interrupted(tmp_path, server, *three(model))

    replies, _ = await asked_once(tmp_path, server, *three(model))

    assert failures(replies) == []
    assert sizes(server) == [3, 3]


@pytest.mark.parametrize("model", MODELS)
async def test_a_reply_from_an_earlier_sessions_job_says_what_was_sent(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    asked = request(0, model=model).model_copy(update={"prefix": "a paper"})
    await interrupted(tmp_path, server, asked)

    (reply,), _ = await asked_once(tmp_path, server, asked)

    assert isinstance(reply, Completion)
    assert "temperature" in reply.parameters
    assert ("cache_ttl" in reply.parameters) == (model == "anthropic/x")


@pytest.mark.parametrize("model", MODELS)
async def test_other_line_separators_in_replies_cut_no_line(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    def separated(lines: str) -> str:
        changed = [json.loads(line) for line in lines.split("\n")]
        texts = [json.dumps(one, ensure_ascii=False) for one in changed]
        return "\n".join(texts).replace("Looked", "Look\u2028\u0085ed")

    server.jobs.rewrite = separated

    replies, _ = await asked_once(tmp_path, server, *three(model))

    assert failures(replies) == []


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("bad", ['{"custom_id": "%s", "resp', '{"custom_id": "%s"}'])
async def test_a_line_that_cannot_be_read_spoils_its_own_request_only(
    server: Loopback, tmp_path: Path, model: str, bad: str
) -> None:
    server.jobs.rewrite = lambda lines: "\n".join(
        bad % json.loads(line)["custom_id"] if number == 1 else line
        for number, line in enumerate(lines.split("\n"))
    )

    replies, _ = await asked_once(tmp_path, server, *three(model))

    (failed,) = failures(replies)
    assert isinstance(failed, ProviderError)
    assert "strange reply" in str(failed)
    assert sizes(server) == [3]


async def test_fields_that_the_sdk_does_not_know_spoil_no_reply(
    server: Loopback, tmp_path: Path
) -> None:
    def odd(lines: str) -> str:
        line = json.loads(lines)
        body = line["response"]["body"]
        body.update(service_tier="batch", created=1.5)
        body["choices"][0]["finish_reason"] = "eos"
        return json.dumps(line)

    server.jobs.rewrite = odd

    (reply,), _ = await asked_once(tmp_path, server, request(0))

    assert isinstance(reply, Completion)
    assert reply.usage.output_tokens > 0


@pytest.mark.parametrize("count", [1, 3])
async def test_all_requests_of_a_model_of_the_other_endpoint_go_there_with_the_next_job(
    server: Loopback, tmp_path: Path, count: int
) -> None:
    server.quirk = RESPONSES_ONLY

    replies, _ = await asked_once(tmp_path, server, *three()[:count])

    assert failures(replies) == []
    assert all(one.usage.cached_tokens > 0 for one in replies)  # type: ignore[attr-defined]
    assert [job["endpoint"] for job in server.jobs.jobs.values()] == [
        "/v1/chat/completions",
        "/v1/responses",
    ]


async def test_a_request_that_its_job_answers_with_too_often_fails_alone(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewscore.llm.retry.LONGEST_STORM", 0.0)
    session = Session(tmp_path, server)
    bad = request(1)
    key = bad.key(place=session.api.place)

    def again(lines: str) -> str:
        server.jobs.spoil[key] = "too_often"
        return lines

    server.jobs.spoil[key] = "too_often"
    server.jobs.rewrite = again
    good, failed = await session.ask(request(0), bad)
    await session.close()

    assert failures([good]) == []
    assert isinstance(failed, ProviderError)
    assert sizes(server) == [2, 1, 1]


async def test_replies_that_were_passed_on_are_not_kept(server: Loopback, tmp_path: Path) -> None:
    await interrupted(tmp_path, server, *three("openai/x"))
    session = Session(tmp_path, server)
    await session.ask(*three("openai/x"))

    again, _ = await session.client.complete(request(0), stage="s", renew=True)
    await session.close()

    assert again.job == "batch_1"
    assert sizes(server) == [3, 1]
