"""Exchange folders: prompts out, replies in, by whoever and whenever."""

from __future__ import annotations

import asyncio
import json
import os
import re
from functools import partial
from pathlib import Path

import pytest
from pydantic import BaseModel

from reviewscore.bounds import Bounds, put_in_force
from reviewscore.config import Settings
from reviewscore.errors import InputError, SettingsError, StopError, TooLargeError
from reviewscore.llm import structured
from reviewscore.llm.batch_jobs import BatchCollector, Waiting
from reviewscore.llm.client import Client
from reviewscore.llm.connect import connect
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.provider import check_model
from reviewscore.llm.providers.exchange import ExchangeProvider, _line, page_file, take_out
from reviewscore.schema.call import Completion, Request
from tests.conftest import ROOT
from tests.llm.pages_of_tests import shown
from tests.sessions import plain_request

request = partial(
    plain_request,
    model="exchange:x",
    prefix="paper",
    task="task",
    schema_name="QuestionReply",
    reply_schema='{"title":"QuestionReply"}',
)


def put(folder: Path, item: str = "hello", /, **line: object) -> None:
    """Reply to the prompt of an item."""
    line = {"prompt": request(item).prompt_key(), **line}
    with (folder / "replies.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def prompts(folder: Path, name: str = "prompts.jsonl") -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


async def ask(folder: Path, *asked: Request, wait: float = 0.0) -> list[Completion | Exception]:
    provider = ExchangeProvider(folder, wait=wait, quiet=0.01)
    found = await asyncio.gather(*map(provider.complete, asked), return_exceptions=True)
    await provider.close()
    return found  # type: ignore[return-value]


async def test_all_that_can_be_asked_is_written_before_the_run_stops(tmp_path: Path) -> None:
    found = await ask(tmp_path, request("a"), request("b"))

    assert all(isinstance(one, StopError) for one in found)
    assert "2 prompts wait" in str(found[0])
    first = prompts(tmp_path)[0]
    assert first["prompt"] == request("a").prompt_key()
    assert first["record"] == "QuestionReply"
    assert first["schema"] == {"title": "QuestionReply"}
    assert first["messages"][1]["content"] == "paper\n\ntask\n\na"  # type: ignore[index]


async def test_replies_that_are_there_are_used_and_say_who_answered(tmp_path: Path) -> None:
    put(tmp_path, reply={"kind": "question"}, by="Ada")

    (reply,) = await ask(tmp_path, request())

    assert isinstance(reply, Completion)
    assert (json.loads(reply.text), reply.model) == ({"kind": "question"}, "Ada")
    assert not (tmp_path / "prompts.jsonl").exists()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            [{"text": "Rather not.", "finish": "refusal"}],
            ("Rather not.", "refusal"),
        ),
        ([{"text": "first"}, {"text": "second thoughts"}], ("second thoughts", "stop")),
    ],
)
async def test_replies_may_be_text_or_refusals_and_the_last_to_a_prompt_counts(
    tmp_path: Path, lines: list[dict[str, str]], expected: tuple[str, str]
) -> None:
    for line in lines:
        put(tmp_path, **line)

    (reply,) = await ask(tmp_path, request())

    assert isinstance(reply, Completion)
    assert (reply.text, reply.finish) == expected


@pytest.mark.parametrize("file", ["prompts.jsonl", "open.jsonl"])
async def test_replies_that_come_while_it_waits_are_taken_up_and_none_stays_open(
    tmp_path: Path, file: str
) -> None:
    waiting = asyncio.create_task(ask(tmp_path, request(), wait=5))
    while not (tmp_path / file).exists():
        await asyncio.sleep(0.01)
    put(tmp_path, reply={})

    (reply,) = await asyncio.wait_for(waiting, 5)

    assert isinstance(reply, Completion)
    assert not (tmp_path / "open.jsonl").exists()


async def test_a_last_line_that_never_ends_counts_once_it_is_whole(tmp_path: Path) -> None:
    line = json.dumps({"prompt": request().prompt_key(), "reply": {"kind": "claim"}})
    provider = ExchangeProvider(tmp_path, quiet=0.01)
    replies = tmp_path / "replies.jsonl"

    replies.write_text(line[:-1])
    cut_off = provider._look()
    replies.write_text(line)
    looks = [provider._look(), provider._look()]
    replies.write_text(line + "\n")
    put(tmp_path, prompt="short", reply={})
    with pytest.raises(InputError, match="jsonl:2"):
        provider._look()
    (found,) = [await provider.complete(request())]

    assert not cut_off
    assert looks == [True, False]
    assert found.text == '{"kind": "claim"}'


async def test_a_prompt_is_written_once_however_often_it_is_asked(tmp_path: Path) -> None:
    await ask(tmp_path, request())
    await ask(tmp_path, request())

    assert len(prompts(tmp_path)) == 1


async def test_a_line_cut_off_by_a_kill_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "prompts.jsonl").write_text('{"prompt": "cut o')
    (tmp_path / "replies.jsonl").write_text('{"prompt": "also cut')

    await ask(tmp_path, request())

    lines = (tmp_path / "prompts.jsonl").read_text().splitlines()
    assert json.loads(lines[1])["prompt"] == request().prompt_key()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("nonsense", "JSON"),
        ('{"prompt": "short", "text": "x"}', "prompt"),
        ('{"prompt": "%s"}' % ("a" * 64), "give either 'reply'"),
        ('{"prompt": "%s", "reply": 3}' % ("a" * 64), "reply"),
        ('{"prompt": "%s", "reply": {"score": 1, "score": 5}}' % ("a" * 64), "more than once"),
        ('{"prompt": "%s", "reply": {"score": 1}, "reply": {}}' % ("a" * 64), "more than once"),
        ('{"prompt": "%s", "reply": {"score": NaN}}' % ("a" * 64), "NaN"),
        ("[" * 100_000, "JSON"),
    ],
)
def test_a_broken_reply_is_named_by_file_and_line(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "replies.jsonl").write_text("\n" + line + "\n")

    with pytest.raises(InputError, match=problem) as caught:
        ExchangeProvider(tmp_path)

    assert caught.value.line == 2


async def test_replies_cost_nothing_and_are_booked_once(tmp_path: Path) -> None:
    put(tmp_path, text="yes")
    book = CallsInMemory()
    for _ in range(2):
        client = await connect(Settings(model=f"exchange:{tmp_path}"), book)
        asked = request().model_copy(update={"model": f"exchange:{tmp_path}"})
        await client.complete(asked, stage="s")
        await client.close()

    paid = await book.paid()
    assert (paid.calls, paid.usd, paid.unpriced) == (1, 0.0, 0)


async def test_a_corrected_reply_replaces_the_one_in_the_ledger(tmp_path: Path) -> None:
    book = CallsInMemory()
    texts = []
    for text in ("yes", "no"):
        put(tmp_path, text=text)
        client = Client(lambda _: ExchangeProvider(tmp_path), book)
        texts.append((await client.complete(request(), stage="s"))[0].text)

    assert texts == ["yes", "no"]


def test_exchange_needs_a_folder() -> None:
    with pytest.raises(SettingsError, match="exchange:FOLDER"):
        check_model("exchange:", base_url=None)


def open_prompts(folder: Path) -> list[object]:
    return [one["prompt"] for one in prompts(folder, "open.jsonl")]


async def test_a_file_of_its_own_holds_the_prompts_that_wait(tmp_path: Path) -> None:
    asked = (request("a"), request("b"))
    await ask(tmp_path, *asked)
    both = open_prompts(tmp_path)

    put(tmp_path, "a", reply={})
    await ask(tmp_path, *asked)

    assert both == [one.prompt_key() for one in asked]
    assert open_prompts(tmp_path) == [asked[1].prompt_key()]
    assert len(prompts(tmp_path)) == 2


async def test_a_reply_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    class Answer(BaseModel):
        kind: str

    heard: list[str] = []
    first = request()
    put(tmp_path, reply={"sort": "claim"})
    client = Client(
        lambda _: ExchangeProvider(tmp_path, quiet=0.01), CallsInMemory(), say=heard.append
    )

    with pytest.raises(StopError, match="1 prompt waits"):
        await structured.ask(client, first, Answer, stage="s", again=lambda error: error)
    await client.close()

    (told,) = heard
    assert f"the reply to prompt {first.prompt_key()[:12]} could not be used" in told
    assert "kind: Field required" in told
    assert open_prompts(tmp_path)[0][:12] in told


def test_the_lines_in_the_guide_are_of_the_format(tmp_path: Path) -> None:
    lines = re.findall(
        r"```json\n(.+)\n```", (ROOT / "docs" / "guide" / "models.md").read_text("utf-8")
    )
    prompt, reply = (json.loads(line) for line in lines if '"prompt"' in line)
    (tmp_path / "replies.jsonl").write_text(json.dumps(reply) + "\n")
    written = json.loads(_line("a" * 64, request()))

    provider = ExchangeProvider(tmp_path)

    assert prompt.keys() == written.keys()
    assert prompt["prompt"] == reply["prompt"]
    assert provider._replies[reply["prompt"]].by == "Ada"


async def test_a_reply_that_is_too_large_is_named_and_not_held(tmp_path: Path) -> None:
    put_in_force(Bounds(max_reply_mb=0.01, max_results_mb=0.05))
    await ask(tmp_path, request("a"))
    put(tmp_path, "a", text="Yes.")
    put(tmp_path, "b", text="Yes. " * 3000)

    with pytest.raises(TooLargeError, match=r"max_reply_mb allows: it has 15,0\d\d") as caught:
        ExchangeProvider(tmp_path)
    assert caught.value.line == 2

    put(tmp_path, "b", text="Yes. " * 9000)
    with pytest.raises(TooLargeError, match="max_results_mb"):
        ExchangeProvider(tmp_path)


@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "device", "folder"])
@pytest.mark.parametrize(
    "name", ["prompts.jsonl", "replies.jsonl", "open.jsonl", ".open.jsonl.new"]
)
def test_only_ordinary_files_of_the_folder_are_read_and_written(
    tmp_path: Path, name: str, kind: str
) -> None:
    folder, outside = tmp_path / "exchange", tmp_path / "outside"
    folder.mkdir()
    outside.write_text("mine\n")
    if kind == "pipe":
        os.mkfifo(folder / name)
    elif kind == "folder":
        (folder / name).mkdir()
    else:
        places = {"link": outside, "dangling link": tmp_path / "new", "device": Path("/dev/zero")}
        (folder / name).symlink_to(places[kind])

    with pytest.raises(InputError, match=re.escape(str(folder / name))):
        ExchangeProvider(folder)

    assert outside.read_text() == "mine\n"
    assert not (tmp_path / "new").exists()


async def test_a_link_that_is_put_there_later_is_not_followed_either(tmp_path: Path) -> None:
    folder, outside = tmp_path / "exchange", tmp_path / "outside"
    outside.write_text("mine\n")
    provider = ExchangeProvider(folder, quiet=0.01)
    (folder / "prompts.jsonl").symlink_to(outside)

    with pytest.raises(InputError, match="is a link"):
        await provider.complete(request())
    await provider.close()

    assert outside.read_text() == "mine\n"


async def test_pages_lie_in_the_folder_once_and_prompts_name_them_in_their_order(
    tmp_path: Path,
) -> None:
    pages = shown(2)

    await ask(tmp_path, request("a", pages=pages))
    names = [f"pages/{page.sha256}.png" for page in pages]
    before = [(tmp_path / name).stat().st_mtime_ns for name in names]
    await ask(tmp_path, request("b", pages=pages[::-1]))

    assert [line["pages"] for line in prompts(tmp_path)] == [names, names[::-1]]
    assert [line["pages"] for line in prompts(tmp_path, "open.jsonl")] == [names[::-1]]
    assert [(tmp_path / name).read_bytes() for name in names] == [page.png for page in pages]
    assert [(tmp_path / name).stat().st_mtime_ns for name in names] == before
    assert len(list((tmp_path / "pages").iterdir())) == 2
    assert pages[0].base64 not in (tmp_path / "prompts.jsonl").read_text()


async def test_a_prompt_without_pages_makes_no_folder_for_them(tmp_path: Path) -> None:
    await ask(tmp_path, request("a"))

    assert "pages" not in prompts(tmp_path)[0]
    assert not (tmp_path / "pages").exists()


@pytest.mark.parametrize("place", ["folder", "page"])
async def test_no_link_leads_pages_out_of_the_folder(tmp_path: Path, place: str) -> None:
    (page,) = shown(1)
    elsewhere, inside = tmp_path / "elsewhere", tmp_path / "exchange"
    inside.mkdir()
    if place == "folder":
        elsewhere.mkdir()
        (inside / "pages").symlink_to(elsewhere)
    else:
        (inside / "pages").mkdir()
        (inside / page_file(page)).symlink_to(elsewhere)

    (found,) = await ask(inside, request("a", pages=(page,)))

    assert isinstance(found, InputError)
    assert not elsewhere.is_file()
    assert not list(elsewhere.glob("*"))
    assert not (inside / "prompts.jsonl").exists()


async def test_pages_that_no_prompt_names_any_more_go_with_the_last_that_did(
    tmp_path: Path,
) -> None:
    first, second, third = shown(3)
    asked = [request("a", pages=(first, second)), request("b", pages=(second, third))]
    await ask(tmp_path, *asked)

    take_out(tmp_path, {asked[0].prompt_key()})
    left = {path.name for path in (tmp_path / "pages").iterdir()}
    take_out(tmp_path, {asked[1].prompt_key()})

    assert left == {f"{page.sha256}.png" for page in (second, third)}
    assert not list((tmp_path / "pages").iterdir())


def test_what_asks_a_moment_after_it_has_ended_goes_with_the_same_wave() -> None:
    waves: list[list[str]] = []

    async def wave() -> None:
        looks, asked = 0, []

        async def hand_over(batch: tuple[Waiting, ...]) -> None:
            waves.append([job.key for job in batch])
            for job in batch:
                job.reply.cancel()

        def ask(key: str) -> None:
            asked.append(asyncio.ensure_future(collector.ask(key, plain_request(key))))

        def idle() -> bool:
            """At rest from the second look on, just after which the second request is made."""
            nonlocal looks
            looks += 1
            if looks == 2:
                asyncio.get_running_loop().call_soon(ask, "second")
            return looks > 1

        collector = BatchCollector(hand_over, idle=idle, quiet=0.01)
        ask("first")
        while len(asked) < 2 or not all(reply.done() for reply in asked):
            await asyncio.sleep(0.01)
        await collector.close()

    asyncio.run(asyncio.wait_for(wave(), 30))

    assert waves == [["first", "second"]]
