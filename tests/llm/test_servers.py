from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field

import pytest

from reviewscore.errors import ProviderError, SettingsError
from reviewscore.llm.provider import Traits, check_model, open_jobs, open_provider
from reviewscore.llm.providers import openai
from reviewscore.llm.providers.openai import ServersProvider
from reviewscore.schema.call import Completion, Request, Usage
from tests.sessions import request


@dataclass
class Server:
    place: str
    fails: bool = False
    traits: Traits = field(default_factory=Traits)
    asked: list[str] = field(default_factory=list)
    halted: bool = False
    closed: bool = False
    wait: float = 0.0

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request.prefix)
        await asyncio.sleep(self.wait)
        if self.fails:
            raise ProviderError("not reached", retryable=True)
        return Completion(text=self.place, model="x", usage=Usage())

    def halt(self) -> None:
        self.halted = True

    async def close(self) -> None:
        self.closed = True


def about(paper: str, number: int = 0) -> Request:
    return request(number).model_copy(update={"prefix": paper})


async def test_questions_about_a_paper_go_to_the_server_that_has_read_it() -> None:
    several = [Server(f"http://{n}/v1") for n in range(4)]
    together = ServersProvider(tuple(several))

    for number in range(40):
        await together.complete(about(f"paper {number % 8}", number))

    homes = [{paper for paper in one.asked} for one in several]
    assert sum(map(len, homes)) == 8  # each paper at one server only
    assert sum(bool(home) for home in homes) > 1


async def test_calls_are_spread_where_one_server_would_be_crowded() -> None:
    several = [Server(f"http://{n}/v1", wait=0.001) for n in range(4)]
    together = ServersProvider(tuple(several))

    await asyncio.gather(*(together.complete(about("the same paper", n)) for n in range(100)))

    assert max(len(one.asked) for one in several) <= 1.25 * 25 + 2


async def test_a_server_that_is_not_reached_is_passed_over_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    down, up = Server("http://down/v1", fails=True), Server("http://up/v1")
    together = ServersProvider((down, up))
    replies: Counter[str] = Counter()
    for number in range(20):
        try:
            replies[(await together.complete(about(f"paper {number}"))).text] += 1
        except ProviderError:
            replies["failed"] += 1

    assert replies == {"http://up/v1": 19, "failed": 1}

    monkeypatch.setattr(openai.time, "monotonic", lambda: 1e12)
    down.fails = False
    for number in range(20):
        await together.complete(about(f"paper {number}"))
    assert len(down.asked) > 1  # it is asked again


async def test_where_all_are_down_one_of_them_is_tried() -> None:
    together = ServersProvider((Server("http://a/v1", fails=True),))
    for _ in range(2):
        with pytest.raises(ProviderError, match="not reached"):
            await together.complete(about("paper"))


async def test_all_are_halted_and_closed_and_the_first_names_them() -> None:
    several = (Server("http://a/v1"), Server("http://b/v1"))
    together = ServersProvider(several)
    together.halt()
    await together.close()

    assert together.place == "http://a/v1"
    assert all(one.halted and one.closed for one in several)


async def test_addresses_with_commas_between_are_several_servers() -> None:
    found = open_provider("openai/x", base_url="http://a/v1, http://b/v1", timeout=1)
    assert isinstance(found, ServersProvider)
    await found.close()


def test_each_address_is_checked() -> None:
    with pytest.raises(SettingsError, match="name or password"):
        check_model("openai/x", base_url="http://a/v1,http://me:secret@b/v1")


def test_batch_jobs_want_one_server() -> None:
    with pytest.raises(SettingsError, match="one server"):
        open_jobs("openai/x", base_url="http://a/v1,http://b/v1", timeout=1)
