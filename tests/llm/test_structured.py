"""Replies become records, or are asked for again, or fail by name."""

from __future__ import annotations

import json
import threading
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import field_validator

from reviewscore.errors import BadReplyError, FilteredError, RefusalError, TruncatedError
from reviewscore.judges.asker import Reply
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.providers.scripted import Reply as ScriptedReply
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.llm.structured import LONG_REPLY, Answer, ask, parse_reply, reply_schema
from reviewscore.schema.answer import FivePoints, Sentence, Several
from reviewscore.schema.call import Completion
from tests.sessions import plain_request


class Score(Reply):
    """A score."""

    score: FivePoints


request = partial(
    plain_request, schema_name="Score", reply_schema=reply_schema(Score), max_tokens=100
)


async def asked(*replies: ScriptedReply) -> tuple[Answer[Score], ScriptedProvider]:
    provider = ScriptedProvider(list(replies))
    client = Client(lambda _: provider, CallsInMemory(), limits=CallLimits(connections=1))
    answer = await ask(client, request(), Score, stage="s", again=lambda error: f"again: {error}")
    assert provider.left_over == 0
    return answer, provider


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 2}',
        'Sure! ```json\n{"score": 2}\n```',
        'A set {of things} first, then {"score": 2} and more.',
        '{"score": 2, "unasked": "kept out"}',
        'In LaTeX: $\\frac{1}{2}$, {}, {{}}. {"score": 2} fits {"no": "other"}, {"score": 2}',
        '<think>Perhaps {"score": 1}? Or {"score": ?</think>\n{"score": 2}',
        '<think>\n</think> So. <think>{"score": ?</think>\n{"score": 2}',
        '{"score": 2} <think>Or {"score": 1}?</think>',
        '{"why": "a <think> that never ends", "score": 2}',
        'Sets $\\{x : x > 0\\}$ of \'it\': "as it were". {"score": 2}',
        "- `score`: 2, since it is so\n{score, that is}\n~~~\n" + '{"score": 2}\n~~~',
        '{{"score": 2}}',
        '[{"score": 2}]',
        '\ufeff\u00a0{"score": 2}\u00a0',
        '{"score": "2"}',
        '{"score": 2.0}',
    ],
)
def test_a_record_is_found_in_a_reply(text: str) -> None:
    assert Score(score=2) == parse_reply(text, Score)


@pytest.mark.parametrize("text", ["", "two", "{", '{"score": 9}', '{"score": "x"}', "{}", "[2]"])
def test_what_does_not_fit_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"score|JSON"):
        parse_reply(text, Score)


@pytest.mark.parametrize("score", ["true", "false", '"true"', "2.5", "1e999", "9" * 400])
def test_only_a_whole_number_is_a_score(score: str) -> None:
    with pytest.raises(ValueError, match="score"):
        parse_reply(f'{{"score": {score}}}', Score)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"score": 1, "score": 5}', "more than once"),
        ('{"score": 2, "other": {"a": 1, "a": 2}}', "more than once"),
        ('{"score": NaN}', "NaN"),
        ('{"score": 2, "other": -Infinity}', "Infinity"),
        ('{"score": ' + "1" * 5_000 + "}", "digits"),
        ('{"score": 2, "other": "\\u0000"}', "u0000"),
        ('{"score": 2, "other": "\\ud800"}', "JSON"),
        ('{"score": 2, "other": "\ud800"}', "unicode"),
        ('{"score": 2, "other": ' + "[" * 500 + "]" * 500 + "}", "recursion"),
        ('{"a":' * 100_000, "deeply"),
        ('{"score": 2, "other": "' + "x" * 100_000 + '"}', "at most 100,000"),
        ("x" * 1_000_001, "1,000,001"),
        ('{"score": 2}{"a": 1}' * 60, "more than 100"),
    ],
)
def test_what_does_not_say_one_thing_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_reply(text, Score)


@pytest.mark.parametrize(
    "text",
    [
        'The paper says {"score": 1}. My verdict: {"score": 5}',
        '{"score": 5}. The paper says {"score": 1}',
        'The paper says {"score": 1}. My verdict: {"score": 5, "why": "it "shows" this"}',
        '{"why": "the paper says "{"score": 1}"", "score": 5}',
    ],
)
async def test_a_quoted_verdict_is_never_taken_for_the_answer(text: str) -> None:
    answer, provider = await asked(text, '{"score": 5}')

    assert answer.value.score == 5
    assert "JSON" in provider.requests[-1].messages[-1].content


BROKEN = [
    '{/* c */ "score": 1}',
    '{// c\n"score": 1}',
    '{/* {} */ "score": 1}',
    "{'score': 1}",
    "{'verdict': {'a': 1}}",
    "{`score`: 1}",
    "{\u201cscore\u201d: 1}",
    "{score: 1}",
    "{Score: 1}",
    '{\u00a0"score": 1}',
    '{"score"\u00a0: 1}',
    '{\u200b"score": 1}',
    '{"score"\uff1a 1}',
    '{, "score": 1}',
    '{why: "because", "score": 1}',
    "{'why': 'because'",
    '{{/**/"score": 1}}',
    "<think>{</think>{'score': 1}",
]


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("between", ["\n", " or rather ", "\n```json\n"])
async def test_a_broken_object_is_asked_for_again_and_no_later_one_is_taken(
    broken: str, between: str
) -> None:
    answer, provider = await asked(f'{broken}{between}{{"score": 5}}', '{"score": 3}')

    assert answer.value.score == 3
    assert "JSON" in provider.requests[-1].messages[-1].content


@pytest.mark.parametrize("text", ["{'why': {\"score\": 5}}", '{/* c */ {"score": 5}}'])
def test_an_object_inside_of_a_broken_one_is_no_answer(text: str) -> None:
    with pytest.raises(ValueError, match="JSON is broken"):
        parse_reply(text, Score)


@pytest.mark.parametrize(
    "text",
    [
        '<think>It is {"score": 5}',
        'Well. <think>It is {"score": 5}',
        '<think>a</think><think>{"score": 5}',
        '{"score": 5} <think>or {"score": 1}',
    ],
)
def test_thoughts_without_an_end_make_a_reply_unusable(text: str) -> None:
    with pytest.raises(ValueError, match="<think> has no </think>"):
        parse_reply(text, Score)


@given(
    st.text(max_size=30).filter(lambda text: not set(text) & set("{}")),
    st.sampled_from(BROKEN[:10]),
    st.text(alphabet=" \nab.,`", max_size=30),
)
def test_whatever_stands_around_a_broken_object_the_next_one_is_not_taken(
    before: str, broken: str, between: str
) -> None:
    with pytest.raises(ValueError, match=r"JSON|think"):
        parse_reply(f'{before}{broken}{between}{{"score": 5}}', Score)


@given(st.text(max_size=500) | st.text(alphabet='{}[]":,\\ 1ae\n\ud800', max_size=2_000))
def test_no_reply_crashes_the_reader(text: str) -> None:
    try:
        parse_reply(text, Score)
    except ValueError as error:
        assert str(error)


async def test_a_long_reply_is_read_beside_the_event_loop() -> None:
    threads = []

    class Seen(Score):
        @field_validator("score", mode="after")
        @classmethod
        def note(cls, score: int) -> int:
            threads.append(threading.current_thread())
            return score

    provider = ScriptedProvider(['{"score": 2}' + " " * LONG_REPLY, '{"score": 2}'])
    client = Client(lambda _: provider, CallsInMemory())
    for number in range(2):
        await ask(client, request(str(number)), Seen, stage="s", again=lambda error: error)

    assert [one is threading.main_thread() for one in threads] == [False, True]


def test_a_model_is_told_of_some_problems_and_of_their_number() -> None:
    class Many(Reply):
        scores: Several[FivePoints]

    with pytest.raises(ValueError, match=r"scores.9: .*; and 140 more problems") as caught:
        parse_reply('{"scores": [' + ", ".join(["9"] * 150) + "]}", Many)
    assert len(str(caught.value)) < 1_000


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


def test_bounds_are_checked_here_and_not_sent_to_providers() -> None:
    class Many(Reply):
        texts: Several[Sentence]

    schema = json.loads(reply_schema(Many))

    assert schema["properties"]["texts"] == {"type": "array", "items": {"type": "string"}}
