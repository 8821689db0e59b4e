"""How long prompts are, and how much servers of one's own read in one call.

Ollama says what the model can read (``/api/show``) and reads as much as a call asks for. llama.cpp
says what a slot reads (``/props``), vLLM what it was started with (``max_model_len`` in
``/v1/models``), LM Studio what a model was loaded with (``/api/v0/models``). What they say is data
of a stranger: whatever is not in the expected form is taken for not said.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reviewscore.errors import ProviderError, StopError
from reviewscore.schema.call import Request

Get = Callable[[str], Awaitable[Any]]
"""Fetches a path of a server as JSON."""
_MOST = 100_000_000
"""Tokens beyond which a limit is none that a server can mean."""


@dataclass(frozen=True)
class ContextWindow:
    """The longest prompt and reply together that a server reads.

    Attributes:
        tokens: How many; None if it does not say.
        source: Where it says so, in words.
        cure: What makes room for longer prompts; ``{tokens}`` stands for how many are needed.
        tokenizer: ``prompt`` or ``content``: the field of ``/tokenize`` that takes the text; None
            where the server has no tokenizer to ask.
        slots: How many calls the server works on at once; None if it does not say.
    """

    tokens: int | None = None
    source: str = ""
    cure: str = "give the model a longer context at its server, or take another model"
    tokenizer: str | None = None
    slots: int | None = None

    def cure_for(self, tokens: int) -> str:
        """What makes room for a prompt and reply of so many tokens."""
        return self.cure.replace("{tokens}", str(-(-tokens // 1024) * 1024))


_VLLM = "start vLLM with --max-model-len {tokens}, if model and memory allow"
_LLAMACPP = (
    "start llama-server with --ctx-size {tokens} (times the slots of --parallel), if model and "
    "memory allow"
)
_LM_STUDIO = "load the model again with room: lms load NAME --context-length {tokens}"
_OPENAI_DOOR = (
    "this is Ollama, whose OpenAI door takes no context length and cuts longer prompts: use "
    "--model ollama/NAME"
)
OLLAMA = (
    "take a model that reads longer prompts (ollama show NAME says how long), or a smaller one if "
    "memory is short (ollama ps shows the context that it really has)"
)


_TOO_LONG = re.compile(
    r"context (?:length|size|window)(?:\D{0,20}?(?P<tokens>\d+))?", re.IGNORECASE
)


def refused_length(text: str) -> ContextWindow | None:
    """What a server reads that refuses a prompt as too long by words; None for other refusals.

    Servers that do not tell their context beforehand, such as llama-cpp-python's, tell it then.
    """
    match = _TOO_LONG.search(text)
    if match is None:
        return None
    tokens = int(match["tokens"]) if match["tokens"] else None
    return ContextWindow(whole_number(tokens), "by its refusal")


def whole_number(value: object) -> int | None:
    """A number of tokens or slots that can be; None for anything else."""
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST
    return value if fits else None  # type: ignore[return-value]


def field(answer: object, *names: str) -> object:
    """A value inside of nested objects; None if it is not there."""
    for name in names:
        answer = answer.get(name) if isinstance(answer, Mapping) else None
    return answer


async def asked(get: Get, path: str) -> Any:
    """What a server answers at a path; None if it has nothing there.

    Raises:
        ProviderError, StopError: It cannot be reached.
    """
    try:
        return await get(path)
    except StopError:  # no access to this path; the calls themselves will say what is wrong
        return None
    except ProviderError as error:
        if error.unreached:
            raise
        return None


async def llamacpp_window(get: Get) -> ContextWindow | None:
    """What a llama.cpp server reads in a slot; None if the server is none."""
    props = await asked(get, "/props")
    tokens = whole_number(field(props, "default_generation_settings", "n_ctx"))
    if tokens is None:
        return None
    slots = whole_number(field(props, "total_slots"))
    return ContextWindow(tokens, "/props of llama.cpp", _LLAMACPP, "content", slots)


async def openai_window(get: Get, name: str) -> ContextWindow:
    """What a server that speaks OpenAI's protocol reads, whichever kind it is.

    Args:
        get: Fetches a path from the server's root on.
        name: The model's name there.
    """
    model = _entry(await asked(get, "/v1/models"), name)
    tokens = whole_number(field(model, "max_model_len"))
    if tokens is not None:
        return ContextWindow(tokens, "max_model_len of /v1/models", _VLLM, "prompt")
    if (window := await llamacpp_window(get)) is not None:
        return window
    model = _entry(await asked(get, "/api/v0/models"), name)
    if model is not None:
        tokens = whole_number(field(model, "loaded_context_length"))
        return ContextWindow(tokens, "/api/v0/models of LM Studio", _LM_STUDIO)
    if isinstance(field(await asked(get, "/api/version"), "version"), str):
        return ContextWindow(cure=_OPENAI_DOOR)
    return ContextWindow()


def _entry(answer: object, name: str) -> Mapping[str, object] | None:
    """A model in a list of models."""
    models = field(answer, "data")
    for model in models if isinstance(models, list) else []:
        if isinstance(model, Mapping) and model.get("id") == name:
            return model
    return None


TOKENS_PER_WORD, TOKENS_PER_SYMBOL = 1.22, 0.93
"""Fitted to the counts of the tokenizer cl100k in 100 papers of ICLR 2022, where it comes to 1.00
times the count and characters / 4 to 0.80; in 61 papers of NeurIPS 2025 to 1.01 (and 1.04)."""
_WORD, _SYMBOL = re.compile(r"[A-Za-z]+"), re.compile(r"\d{1,3}|[^\sA-Za-z\d]")
_RUN = re.compile(r"([^\w\s])\1{3,}")
"""Lines and dots of tables, of which tokenizers make few tokens."""
_LEAST = 0.7
"""Share of the estimate that tokenizers do not go below: in 81 papers (every second of 100 of ICLR
2022 and 61 of NeurIPS 2025) it came to 0.57 to 0.76 of the counts of cl100k, BERT's and Anthropic's
published tokenizer."""
TOKENIZER_MARGIN = 1.25
"""How many times the estimate a tokenizer may make of a text: those of `_LEAST` came to 0.92 to
1.23 times of it."""


def estimated_tokens(text: str) -> int:
    """Estimated tokens of a text; formulas, tables and references make many of few signs."""
    words, symbols = (sum(1 for _ in kind.finditer(text)) for kind in (_WORD, _SYMBOL))
    return round(TOKENS_PER_WORD * words + TOKENS_PER_SYMBOL * symbols)


def fewest_tokens(text: str) -> int:
    """Tokens that a text has at the very least, whichever tokenizer counts them.

    Tokenizers of language models make no token of two words with white space between, and of papers
    no fewer than `_LEAST` of the estimate.
    """
    words = sum(1 for _ in re.finditer(r"\S+", text))
    return max(words, int(_LEAST * estimated_tokens(_RUN.sub(r"\1\1\1", text))))


def request_text(request: Request) -> str:
    """All that is sent of a request, in order."""
    return "\n\n".join(message.content for message in request.conversation())
