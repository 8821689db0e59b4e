"""Pages of papers as providers get them, and what the ledger keeps of them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from reviewscore.errors import StopError
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import FILE, CallsInMemory
from reviewscore.llm.ledger.upkeep import exported
from reviewscore.llm.provider import open_provider
from reviewscore.llm.providers.openai import responses_body
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.schema.call import Request
from tests import sessions
from tests.llm.pages_of_tests import shown
from tests.local_models import LocalModel
from tests.loopback import Loopback
from tests.quirks import complains

SERVE = Callable[..., Loopback]
PAGES = shown(2)
URIS = [f"data:image/png;base64,{page.base64}" for page in PAGES]
FORM = '{"title":"QuestionReply"}'


def asked(model: str, **fields: Any) -> Request:
    fields = {"prefix": "the paper", "pages": PAGES, **fields}
    return sessions.request(model=model, **fields)


def test_a_page_is_known_by_the_hash_of_its_bytes() -> None:
    page = PAGES[0]

    assert page.png.startswith(b"\x89PNG")
    assert page.sha256 == hashlib.sha256(page.png).hexdigest()
    assert page.base64 not in page.model_dump_json()


async def test_anthropic_gets_images_after_the_title_and_a_marker_at_their_end(
    serve: SERVE,
) -> None:
    server = serve()

    await sessions.answer(asked("anthropic/claude-x"))

    blocks = server.bodies[0]["blocks"]
    assert isinstance(blocks, list)
    kinds = [(block["type"], "cache_control" in block) for block in blocks]
    assert kinds == [
        ("text", False), ("image", False), ("image", True), ("text", True), ("text", False)
    ]  # fmt: skip
    assert blocks[0]["text"] == "the paper"
    sources = [block["source"] for block in blocks if block["type"] == "image"]
    assert {(one["type"], one["media_type"]) for one in sources} == {("base64", "image/png")}
    assert [base64.b64decode(one["data"]) for one in sources] == [page.png for page in PAGES]


async def test_openai_gets_images_as_addresses_that_hold_them(server: Loopback) -> None:
    await sessions.answer(asked("openai/x"), server.url)

    system, turn = server.bodies[0]["messages"]  # type: ignore[misc]
    assert isinstance(system["content"], str)
    assert [part["type"] for part in turn["content"]] == ["text", "image_url", "image_url", "text"]
    images = [part["image_url"] for part in turn["content"] if "image_url" in part]
    assert [image["url"] for image in images] == URIS
    assert {image["detail"] for image in images} == {"high"}
    assert turn["content"][0]["text"] == "the paper"
    assert turn["content"][-1]["text"].startswith(f"the task {FORM}")


def test_the_responses_endpoint_gets_them_in_its_own_form() -> None:
    parts = responses_body(asked("openai/x"), {})["input"][0]["content"]

    assert [part["type"] for part in parts] == [
        "input_text", "input_image", "input_image", "input_text"
    ]  # fmt: skip
    assert [part["image_url"] for part in parts[1:3]] == URIS


@pytest.mark.skipif(
    find_spec("litellm") is None, reason="LiteLLM is an extra; `make litellm` runs these"
)
@pytest.mark.filterwarnings("ignore")
async def test_litellm_hands_images_on_to_openai_and_to_anthropic(serve: SERVE) -> None:
    server = serve()

    await sessions.answer(asked("litellm/openai/tiny"))
    await sessions.answer(asked("litellm/anthropic/claude-sonnet-4-5"))

    turn = server.bodies[0]["messages"][1]  # type: ignore[index]
    assert [part["image_url"]["url"] for part in turn["content"][1:3]] == URIS
    blocks = server.bodies[1]["blocks"]
    assert isinstance(blocks, list)
    images = [block["source"]["data"] for block in blocks if block["type"] == "image"]
    assert images == [page.base64 for page in PAGES]


@pytest.mark.parametrize("kind", ["ollama", "llamacpp"])
async def test_servers_of_ones_own_get_images_in_their_form(
    local: Callable[..., LocalModel], kind: str
) -> None:
    server = local(kind)

    await sessions.answer(asked(f"{kind}/small"), server.url)

    turn = server.asked[0]["messages"][1]
    if kind == "ollama":
        assert turn["images"] == [page.base64 for page in PAGES]
        assert turn["content"].startswith("the paper\n\nthe task")
    else:
        assert [part["image_url"]["url"] for part in turn["content"][1:3]] == URIS


@pytest.mark.parametrize(
    ("kind", "said", "sees"),
    [
        ("ollama", {"capabilities": ["completion", "vision"]}, True),
        ("ollama", {"capabilities": ["completion", "tools"]}, False),
        ("ollama", {}, None),
        ("llamacpp", {"modalities": {"vision": True, "audio": False}}, True),
        ("llamacpp", {"modalities": {"vision": False}}, False),
        ("llamacpp", {"modalities": {"vision": "yes"}}, None),
        ("llamacpp", {}, None),
        ("vllm", {}, None),
    ],
)
async def test_servers_of_ones_own_say_whether_a_model_sees(
    local: Callable[..., LocalModel], kind: str, said: dict[str, object], sees: bool | None
) -> None:
    server, model = local(kind, shown=said), f"{'openai' if kind == 'vllm' else kind}/small"
    provider = open_provider(model, base_url=server.url, timeout=5)

    known = await provider.takes_images(model)
    await provider.close()

    assert known is sees


def test_pages_are_part_of_the_key_and_requests_without_have_the_key_that_they_had() -> None:
    bare, other = asked("openai/x", pages=()), asked("openai/x", pages=shown(2, first=2))
    one = asked("openai/x")

    keys = [request.key(place="here") for request in (bare, one, other)]
    assert len({*keys}) == len({request.prompt_key() for request in (bare, one, other)}) == 3
    assert len({request.shared_key for request in (bare, one, other)}) == 3
    assert "pages" not in bare.model_dump()
    assert asked("openai/x", text="Whence?").shared_key == one.shared_key


async def test_the_ledger_keeps_hashes_of_pages_and_finds_the_call_again(tmp_path: Path) -> None:
    provider = ScriptedProvider(["{}"])
    request = asked("scripted/x")
    ledger = Ledger(tmp_path, run="r")
    for _ in range(2):
        await Client(lambda _: provider, ledger).complete(request, stage="judge")
    ledger.close()

    assert len(provider.requests) == 1
    (call,) = exported(tmp_path, run="r")
    assert [page.sha256 for page in call.request.pages] == [page.sha256 for page in PAGES]
    assert [page.base64 for page in call.request.pages] == ["", ""]
    assert call.request.prompt_key() == request.prompt_key()
    assert PAGES[0].base64.encode() not in (tmp_path / FILE).read_bytes()


@pytest.mark.parametrize(
    ("status", "words", "pages", "stops"),
    [
        (400, "image input is not supported by this model", PAGES, True),
        (400, "this model does not support vision", PAGES, True),
        (400, "small-vision is not a multimodal model", PAGES, True),
        (400, "Invalid content type. image_url is only supported by certain models.", PAGES, True),
        (404, "No endpoints found that support image input", PAGES, True),
        (500, "image input is not supported", PAGES, True),  # so says a server of one's own
        (400, "image input is not supported by this model", (), False),
        (400, "the server is imagining things", PAGES, False),
        (400, "too many images", PAGES, False),
        (400, "this model does not support more than 20 images", PAGES, False),
        (400, "the model small-vision does not support this parameter", PAGES, False),
        (400, "could not process image", PAGES, False),
        (413, "image too large: it is not supported", PAGES, False),
        (500, "failed to decode image: out of memory", PAGES, False),
        (503, "small-vision is overloaded", PAGES, False),
        (503, "images are not supported right now", PAGES, False),
    ],
)
async def test_a_server_that_refuses_images_stops_the_run_by_name_and_a_passing_fault_does_not(
    serve: SERVE, status: int, words: str, pages: object, stops: bool
) -> None:
    server = serve(complains(words, status))
    provider = open_provider("openai/small-vision", base_url=server.url, timeout=5)
    client = Client(lambda _: provider, CallsInMemory(), limits=CallLimits(max_retries=0))

    with pytest.raises(Exception, match=words) as caught:
        await client.complete(asked("openai/small-vision", pages=pages), stage="judge")
    await client.close()

    assert isinstance(caught.value, StopError) is stops
    assert ("--paper-as text" in str(caught.value)) is stops
