"""Replies become records, or are asked for again, or fail by name."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import BadReplyError, FilteredError, RefusalError, TruncatedError
from reviewscore.judges.asker import Reply
from reviewscore.llm.client import Client, Limits
from reviewscore.llm.ledger.memory import CallsInMemory
from reviewscore.llm.providers.scripted import Reply as ScriptedReply
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.llm.structured import Answer, ask, parse_reply, reply_schema
from reviewscore.schema.call import Completion, Message, Request


class Score(Reply):
    """A score."""

    score: Literal[1, 2, 3]


async def asked(*replies: ScriptedReply) -> tuple[Answer[Score], ScriptedProvider]:
    provider = ScriptedProvider(list(replies))
    request = Request(
        model="scripted/x",
        system="s",
        messages=(Message(role="user", content="score it"),),
        schema_name="Score",
        reply_schema=reply_schema(Score),
        max_tokens=100,
    )
    client = Client(lambda _: provider, CallsInMemory(), limits=Limits(connections=1))
    answer = await ask(client, request, Score, stage="s", again=lambda error: f"again: {error}")
    assert provider.left_over == 0
    return answer, provider


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 2}',
        'Sure! ```json\n{"score": 2}\n```',
        'A set {of things} first, then {"score": 2} and more.',
        '{"score": 2, "unasked": "kept out"}',
    ],
)
def test_a_record_is_found_in_a_reply(text: str) -> None:
    assert Score(score=2) == parse_reply(text, Score)


@pytest.mark.parametrize("text", ["", "two", "{", '{"score": 9}', '{"score": "2"}', "{}", "[2]"])
def test_what_does_not_fit_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"score|JSON"):
        parse_reply(text, Score)


@given(st.text())
def test_no_reply_crashes_the_reader(text: str) -> None:
    try:
        parse_reply(text, Score)
    except ValueError as error:
        assert str(error)


def test_deeply_nested_json_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        parse_reply('{"a":' * 100_000, Score)


async def test_a_bad_reply_is_asked_again_with_the_problem() -> None:
    answer, provider = await asked("no idea", '{"score": 7}', '{"score": 3}')

    assert answer.value == Score(score=3)
    turns = [turn.content for turn in provider.requests[-1].messages]
    assert turns[1] == "no idea"
    assert "score" in turns[-1]
    assert [turn.role for turn in provider.requests[-1].messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]


async def test_a_third_bad_reply_is_an_error_that_keeps_the_reply() -> None:
    with pytest.raises(BadReplyError) as caught:
        await asked("a", "b", "c")

    assert caught.value.reply == "c"


async def test_a_reply_cut_off_is_asked_for_with_more_room() -> None:
    cut = Completion(text="", model="m", finish="length")

    answer, provider = await asked(cut, cut, '{"score": 1}')

    assert answer.value.score == 1
    assert [request.max_tokens for request in provider.requests] == [100, 200, 400]


async def test_a_reply_that_stays_cut_off_is_no_answer() -> None:
    cut = Completion(text='{"score": 1}', model="m", finish="length")

    with pytest.raises(TruncatedError):
        await asked(cut, cut, cut)


async def test_refusals_and_filters_have_names() -> None:
    with pytest.raises(RefusalError, match="cannot help"):
        await asked(Completion(text="I cannot help", model="m", finish="refusal"))
    with pytest.raises(FilteredError):
        await asked(Completion(text="", model="m", finish="filter"))


def test_schemas_are_strict_enough_for_structured_output() -> None:
    schema = json.loads(reply_schema(Score))

    assert schema["additionalProperties"] is False
    assert schema["required"] == ["score"]
