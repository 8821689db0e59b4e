"""Prompts to servers of one's own: how much is read, and what becomes of prompts that were cut."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.addresses import is_loopback, is_near
from reviewscore.config import Settings
from reviewscore.errors import (
    MissingKeyError,
    PromptCutError,
    ProviderError,
    SettingsError,
    StopError,
)
from reviewscore.llm import local_servers
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.connect import check, price_of
from reviewscore.llm.context import least_of
from reviewscore.llm.context_window import (
    estimated_tokens,
    fewest_tokens,
    openai_window,
    refused_length,
    request_text,
)
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.provider import Provider, check_model, open_provider
from reviewscore.llm.providers.ollama import OllamaProvider, _think, own_address
from reviewscore.schema.call import Completion, Request, Usage
from tests.local_models import Kind, LocalModel, tokens
from tests.sessions import request

SENTENCE = "We count frogs at ponds, in the rain and after it; each night has twelve hours. "
PAPER = SENTENCE * 200
MODELS = {
    "ollama": "ollama/small",
    "llamacpp": "llamacpp/small",
    "vllm": "openai/small",
    "lmstudio": "openai/small",
}


def about(server: LocalModel, paper: str = PAPER, **fields: Any) -> Request:
    asked = request(model=MODELS[server.kind], **fields)
    return asked.model_copy(update={"prefix": paper, "max_tokens": 64})


def opened(server: LocalModel, **how: Any) -> Provider:
    return open_provider(MODELS[server.kind], base_url=server.url, timeout=5, **how)


def client(server: LocalModel, store: CallsInMemory | None = None) -> Client:
    provider = opened(server)
    return Client(lambda _: provider, store or CallsInMemory(), limits=CallLimits(max_retries=0))


async def judged(server: LocalModel, *requests: Request) -> list[Completion]:
    """The replies that the client takes."""
    asking = client(server)
    try:
        return [(await asking.complete(one, stage="judge"))[0] for one in requests]
    finally:
        await asking.close()


@pytest.mark.parametrize(
    ("refusal", "tokens"),
    [
        ("This model's maximum context length is 2048 tokens. However, you requested 9", 2048),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("Requested tokens (5000) exceed context window of 512", 512),
        ("the input length exceeds the context length", None),
    ],
)
def test_a_refusal_of_a_prompts_length_tells_the_context(refusal: str, tokens: int | None) -> None:
    window = refused_length(refusal)

    assert window is not None
    assert window.tokens == tokens


@pytest.mark.parametrize("refusal", ["temperature is not supported", "the model is out of memory"])
def test_other_refusals_tell_no_context(refusal: str) -> None:
    assert refused_length(refusal) is None


@pytest.mark.parametrize("kind", MODELS)
async def test_a_prompt_that_was_read_whole_is_judged(
    local: Callable[..., LocalModel], kind: Kind
) -> None:
    server = local(kind)

    (reply,) = await judged(server, about(server))

    assert reply.usage.input_tokens == tokens(request_text(about(server)))
    assert len(server.asked) == 1


@pytest.mark.parametrize("cuts", ["front", "middle", "end", "half"])
@pytest.mark.parametrize("kind", MODELS)
async def test_a_prompt_that_was_cut_is_never_judged(
    local: Callable[..., LocalModel], kind: Kind, cuts: str
) -> None:
    server, store = local(kind, granted=2000, cuts=cuts), CallsInMemory()
    asking = client(server, store)

    with pytest.raises(PromptCutError):
        await asking.complete(about(server), stage="judge")

    await asking.close()
    assert asking.traffic.calls == 0
    assert await store.find(about(server).key(place=asking.provider_of("x").place)) is None


async def test_a_prompt_that_fills_what_the_server_reads_is_not_judged(
    local: Callable[..., LocalModel],
) -> None:
    asked = request_text(about(local("lmstudio")))
    server = local("lmstudio", window=tokens(asked) - 100, cuts="middle")

    with pytest.raises(PromptCutError, match="full"):
        await judged(server, about(server))


async def test_what_helps_is_said_as_the_server_takes_it(
    local: Callable[..., LocalModel],
) -> None:
    cures = {}
    for kind in ("llamacpp", "vllm", "lmstudio"):
        server = local(kind, granted=2000, cuts="front")
        with pytest.raises(PromptCutError) as failure:
            await judged(server, about(server))
        cures[kind] = str(failure.value)

    assert "--ctx-size" in cures["llamacpp"]
    assert "--max-model-len" in cures["vllm"]
    assert "lms load NAME --context-length" in cures["lmstudio"]


async def test_a_count_that_leaves_out_what_is_cached_is_no_cut(
    local: Callable[..., LocalModel],
) -> None:
    server = local(counts="fresh")
    requests = [about(server, text=f"Why? {number}") for number in range(3)]

    replies = await judged(server, *requests)

    assert len(replies) == 3
    assert replies[1].usage.input_tokens < least_of(requests[1]) / 2
    # One prompt with a word of its own in front showed that the paper is read; then it is known.
    assert len(server.asked) == 3 + 1


async def test_a_cut_prompt_is_seen_through_a_count_without_what_is_cached(
    local: Callable[..., LocalModel],
) -> None:
    server = local(counts="fresh", granted=1500, cuts="front")

    with pytest.raises(PromptCutError):
        await judged(server, about(server))


async def test_a_server_that_does_not_count_is_told_of_once(
    local: Callable[..., LocalModel],
) -> None:
    server, said = local("lmstudio", counts="nothing"), list[str]()
    provider = opened(server)
    asking = Client(lambda _: provider, CallsInMemory(), say=said.append)

    for number in range(2):
        await asking.complete(about(server, text=str(number)), stage="judge")

    await asking.close()
    assert len([words for words in said if "does not say how many tokens" in words]) == 1


async def test_a_recorded_reply_to_a_cut_prompt_is_not_used_again(
    local: Callable[..., LocalModel],
) -> None:
    server, store = local("lmstudio"), CallsInMemory()
    asking = client(server, store)
    reply, key = await asking.complete(about(server), stage="judge")
    (call,) = store.calls
    cut = reply.model_copy(update={"text": "cut", "usage": Usage(input_tokens=900)})
    await store.add(call.model_copy(update={"completion": cut}), possibly_billed=0.0)

    again, _ = await asking.complete(about(server), stage="judge")

    await asking.close()
    assert again.text != "cut"
    assert len(server.asked) == 2
    found = await store.find(key)
    assert found is not None
    assert found.text != "cut"


async def test_short_prompts_are_not_counted(local: Callable[..., LocalModel]) -> None:
    server = local("lmstudio", counts="nothing")

    await judged(server, about(server, paper="A short paper."))

    assert len(server.asked) == 1


async def test_ollama_gets_the_context_that_the_prompt_needs_and_it_only_grows(
    local: Callable[..., LocalModel],
) -> None:
    server = local()
    papers = (PAPER, PAPER * 3, "short")

    await judged(server, *(about(server, paper) for paper in papers))

    contexts = [body["options"]["num_ctx"] for body in server.asked]
    needed = [estimated_tokens(request_text(about(server, paper))) for paper in papers]
    assert all(context > size for context, size in zip(contexts, needed, strict=True))
    assert contexts == sorted(contexts)
    assert contexts[1] == contexts[2] < server.window


async def test_ollama_begins_with_the_context_of_the_longest_prompt(
    local: Callable[..., LocalModel],
) -> None:
    server = local()
    provider = opened(server, longest=20_000)

    await provider.complete(about(server))

    await provider.close()
    assert server.asked[0]["options"]["num_ctx"] == 20_480


@pytest.mark.parametrize("cuts", ["", "front"])
async def test_ollama_is_asked_with_more_context_where_the_estimate_was_too_low(
    local: Callable[..., LocalModel], cuts: str
) -> None:
    server = local(cuts=cuts, dense=3)

    (reply,) = await judged(server, about(server))

    contexts = [body["options"]["num_ctx"] for body in server.asked]
    assert len(contexts) > 1
    assert contexts == sorted(set(contexts))
    assert reply.usage.input_tokens == 3 * tokens(request_text(about(server))) < contexts[-1]


@pytest.mark.parametrize("cuts", ["", "front", "middle", "end"])
async def test_ollama_is_asked_for_no_more_than_the_model_reads(
    local: Callable[..., LocalModel], cuts: str
) -> None:
    server = local(cuts=cuts, dense=2, window=6000)

    with pytest.raises(PromptCutError, match="6,000"):
        await judged(server, about(server))

    assert all(body["options"]["num_ctx"] <= 6000 for body in server.asked)


async def test_ollama_is_not_asked_what_surely_is_too_long(
    local: Callable[..., LocalModel],
) -> None:
    server = local(window=2000)

    with pytest.raises(PromptCutError, match="2,000"):
        await judged(server, about(server))

    assert not server.asked


async def test_ollama_is_asked_in_its_own_words(local: Callable[..., LocalModel]) -> None:
    server = local()
    asked = about(server, structured="schema")

    (reply,) = await judged(server, asked)

    body = server.asked[0]
    assert body["format"]["title"] == "QuestionReply"
    assert (body["think"], body["stream"], body["truncate"], body["shift"]) == (False,) * 4
    assert body["keep_alive"]
    assert body["options"]["num_predict"] == 64
    assert reply.parameters["num_ctx"] == body["options"]["num_ctx"]
    assert reply.parameters["format"] == "schema"


@pytest.mark.parametrize(
    ("name", "effort", "think"),
    [("small", None, False), ("small", "high", True), ("gpt-oss:20b", "high", "high")],
)
async def test_models_think_only_where_an_effort_is_set(
    local: Callable[..., LocalModel], name: str, effort: str | None, think: object
) -> None:
    assert _think(request(model=f"ollama/{name}", effort=effort)) == think


async def test_llamacpp_gets_the_schema_and_keeps_prompts(
    local: Callable[..., LocalModel],
) -> None:
    server = local("llamacpp")

    await judged(server, about(server, structured="schema"))

    body = server.asked[0]
    assert body["response_format"]["type"] == "json_schema"
    assert body["cache_prompt"] is True
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


@pytest.mark.parametrize(
    ("kind", "tokens"),
    [("ollama", 9000), ("llamacpp", 9000), ("vllm", 9000), ("lmstudio", 9000)],
)
async def test_each_server_says_how_much_it_reads(
    local: Callable[..., LocalModel], kind: Kind, tokens: int
) -> None:
    server = local(kind, window=tokens)
    provider = opened(server)

    window = await provider.window(MODELS[kind])

    await provider.close()
    assert window.tokens == tokens
    assert window.source


async def test_a_server_that_says_nothing_has_no_window(
    local: Callable[..., LocalModel],
) -> None:
    server = local("lmstudio", window=0)
    provider = opened(server)

    assert (await provider.window("openai/other")).tokens is None
    assert await provider.count_tokens("openai/other", "a b") is None
    await provider.close()


@pytest.mark.parametrize("kind", ["llamacpp", "vllm"])
async def test_a_servers_own_tokenizer_counts(local: Callable[..., LocalModel], kind: Kind) -> None:
    server = local(kind)
    provider = opened(server)

    assert await provider.count_tokens(MODELS[kind], PAPER) is None  # before it is known
    await provider.window(MODELS[kind])
    assert await provider.count_tokens(MODELS[kind], PAPER) == tokens(PAPER)
    await provider.close()


async def test_a_model_that_is_not_there_stops_with_what_to_type(
    local: Callable[..., LocalModel],
) -> None:
    server = local()
    provider = opened(server)

    with pytest.raises(StopError, match="ollama pull other"):
        await provider.window("ollama/other")
    await provider.close()


async def test_a_model_that_ollama_asks_elsewhere_is_refused(
    local: Callable[..., LocalModel],
) -> None:
    server = local(shown={"remote_host": "https://ollama.com"})
    provider = opened(server)

    with pytest.raises(StopError, match="elsewhere"):
        await provider.complete(about(server))
    await provider.close()
    assert not server.asked

    with pytest.raises(SettingsError, match="does not run here"):
        check_model("ollama/large:cloud", base_url=None)


async def test_ollama_behind_openais_door_is_sent_to_its_own(
    local: Callable[..., LocalModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def get(path: str) -> object:
        return {"version": "0.13"} if path == "/api/version" else {}

    window = await openai_window(get, "small")

    assert window.tokens is None
    assert "--model ollama/" in window.cure_for(9000)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("data", "id", "max_model_len", "n_ctx", "version", "total_slots"))
            | st.just("default_generation_settings"),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_JSON)
def test_strange_answers_say_nothing_impossible(answer: object) -> None:
    async def get(_: str) -> object:
        return answer

    window = asyncio.run(openai_window(get, "small"))

    assert window.tokens is None or window.tokens > 0
    assert window.cure_for(5000)


async def test_of_several_servers_the_one_that_reads_least_counts(
    local: Callable[..., LocalModel],
) -> None:
    addresses = ",".join(local("llamacpp", window=tokens).url for tokens in (9000, 5000, 7000))
    provider = open_provider("llamacpp/small", base_url=addresses, timeout=5)

    window = await provider.window("llamacpp/small")

    await provider.close()
    assert window.tokens == 5000


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("127.0.0.1:9999", "http://127.0.0.1:9999"),
        ("http://localhost:9999/", "http://localhost:9999"),
    ],
)
def test_ollama_is_looked_for_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, host: str, address: str
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)

    assert own_address() == address


def test_nothing_goes_to_another_machine_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "gpu.example.org")

    with pytest.raises(SettingsError, match=r"--base-url http://gpu\.example\.org:11434"):
        check_model("ollama/small", base_url=None)
    check_model("ollama/small", base_url="http://gpu.example.org:11434")


@pytest.mark.parametrize("model", ["ollama/small", "llamacpp/small"])
def test_own_servers_cost_nothing(model: str) -> None:
    price = price_of(Settings(model=model), model)

    assert price is not None
    assert price.usd(Usage(input_tokens=10**6, output_tokens=10**6)) == 0.0


def test_an_address_is_of_one_kind_of_server() -> None:
    settings = Settings(
        model="ollama/small", panel=("openai/x",), base_url="http://127.0.0.1:1234/v1"
    )

    with pytest.raises(SettingsError, match="ollama and openai"):
        check(settings)


@pytest.mark.parametrize(
    ("address", "near", "own"),
    [
        ("http://127.0.0.1:1/v1", True, True),
        ("http://[::1]:1", True, True),
        ("http://localhost:1", True, True),
        ("http://10.0.0.7/v1", True, False),
        ("http://gpu1:8000", True, False),
        ("http://gpu1.local:8000", True, False),
        ("https://api.example.org/v1", False, False),
        ("http://127.0.0.1.example.org", False, False),
        ("http://[bad", False, False),
    ],
)
def test_addresses_are_known_by_their_form(address: str, near: bool, own: bool) -> None:
    assert (is_near(address), is_loopback(address)) == (near, own)


@given(st.text(max_size=300), st.text(max_size=300))
def test_the_fewest_tokens_grow_with_the_text(first: str, second: str) -> None:
    both = fewest_tokens(f"{first}\n\n{second}")

    assert both >= max(fewest_tokens(first), fewest_tokens(second))
    assert fewest_tokens(first) >= len(first.split())


def test_lines_of_tables_count_little() -> None:
    assert fewest_tokens("-" * 5000) < 5


def test_servers_that_answer_here_are_listed(
    local: Callable[..., LocalModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = local("lmstudio")
    monkeypatch.setattr(local_servers, "LM_STUDIO", server.root)
    monkeypatch.setattr(local_servers, "VLLM", "http://127.0.0.1:9")
    monkeypatch.setattr("reviewscore.llm.providers.llamacpp.ADDRESS", "http://127.0.0.1:9")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")

    (only,) = local_servers.answering()

    assert only.kind == "LM Studio"
    assert only.words.endswith(f"--model openai/small --base-url {server.root}/v1")
    with pytest.raises(MissingKeyError, match="LM Studio at"):
        check(Settings(model="openai/gpt-5"))


def test_something_else_that_listens_is_no_model_server(
    local: Callable[..., LocalModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = local("llamacpp")
    kind = local_servers._Kind("vLLM", server.root, "/props", "data", "id", "")

    assert local_servers._asked(kind) is None


async def test_a_broken_reply_of_ollama_is_a_named_failure(
    local: Callable[..., LocalModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = OllamaProvider(base_url="http://127.0.0.1:9", timeout=1)

    async def answers(path: str, body: object) -> object:
        return {} if path == "/api/show" else {"done": True, "message": None}

    monkeypatch.setattr(provider, "_post", answers)
    with pytest.raises(ProviderError):
        await provider.complete(request(model="ollama/small"))
    await provider.close()


@pytest.mark.parametrize(
    ("model", "address", "command"),
    [
        ("ollama/small", "http://127.0.0.1:9", "OLLAMA_HOST=127.0.0.1:9 ollama serve"),
        ("llamacpp/small", "http://127.0.0.1:9", "llama-server -m FILE.gguf"),
        ("openai/small", "http://127.0.0.1:9/v1", "start the model's server there"),
    ],
)
async def test_a_server_of_this_machine_that_is_not_there_is_given_up_with_what_starts_it(
    model: str, address: str, command: str
) -> None:
    heard: list[str] = []
    provider = open_provider(model, base_url=address, timeout=5)
    asking = Client(lambda _: provider, CallsInMemory(), say=heard.append)  # eight retries else

    began = time.monotonic()
    with pytest.raises(StopError, match="connection refused") as stopped:
        await asking.complete(request(model=model), stage="s")
    await asking.close()

    assert time.monotonic() - began < 20
    assert command in str(stopped.value)
    assert any("trying again (1 of 2)" in words for words in heard)


@pytest.mark.parametrize(
    ("model", "place", "command"),
    [
        ("ollama/small", "http://127.0.0.1:11434", "ollama serve"),
        ("openai/small", "http://127.0.0.1:11434/v1", "ollama serve"),
        ("openai/org/small", "http://localhost:8000/v1", "vllm serve org/small --port 8000"),
        ("openai/small", "http://127.0.0.1:1234/v1", "lms server start"),
        ("llamacpp/small", "http://[::1]:9000/v1", "--port 9000"),
    ],
)
def test_the_command_that_starts_a_server_goes_by_provider_and_port(
    model: str, place: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_servers, "answering", list)
    start = local_servers.starter(model, place)

    assert start is not None
    assert start().startswith("start it: ")
    assert start().endswith(command)
    assert local_servers.starter(model, "http://gpu.example.org:8000/v1") is None
