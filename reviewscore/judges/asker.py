"""Put one rendered prompt to a model and get a validated reply with its provenance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from reviewscore import prompts
from reviewscore.llm.client import Client
from reviewscore.llm.structured import ask, reply_schema
from reviewscore.schema.call import Message, Request
from reviewscore.schema.paper import Paper
from reviewscore.schema.verdict import Provenance

T = TypeVar("T", bound=BaseModel)

URGENCY = {
    "extract_argument": 3,
    "reconstruct_argument": 3,
    "streamline": 3,
    "faithfulness": 3,
    "split_points": 2,
    "is_argument": 2,
    "is_question": 1,
}
"""How much waits for a call: reconstructions are the longest chains, verdicts hold up nothing."""


class Reply(BaseModel):
    """Base of what models answer; every field is required, so that schemas can be strict."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


@dataclass(frozen=True)
class Judged(Generic[T]):
    """A reply and where it came from."""

    reply: T
    provenance: Provenance


class Asker:
    """Asks one model.

    The prompt is laid out so that providers can cache it: constant role, the paper, then the
    task. Nothing that changes from call to call stands before the paper.

    Args:
        client: Makes the calls.
        model: ``provider/name``.
        temperature: Sampling temperature; None leaves it out.
        max_tokens: Reply limit in tokens; it may double twice when a reply is cut off.
    """

    def __init__(
        self, client: Client, *, model: str, temperature: float | None, max_tokens: int
    ) -> None:
        self.model = model
        self._client, self._temperature, self._max_tokens = client, temperature, max_tokens

    async def ask(
        self,
        prompt: str,
        output: type[T],
        *,
        paper: Paper | None = None,
        check: Callable[[T], None] | None = None,
        **variables: object,
    ) -> Judged[T]:
        """Ask with one prompt.

        Args:
            prompt: Name of the prompt file.
            output: Record the reply must fit.
            paper: Paper that goes in front; None for questions that do not need it.
            check: Raises ValueError for a reply that fits the schema and still cannot be used.
            **variables: The prompt's holes.

        Raises:
            ModelError: There is no usable reply.
        """
        request, rendered = self.request(prompt, output, paper=paper, **variables)
        answer = await ask(
            self._client,
            request,
            output,
            stage=prompt,
            again=lambda error: prompts.render("ask_again", error=error).text,
            check=check,
            urgency=URGENCY.get(prompt, 0),
        )
        completion = answer.completion
        sent = "\n\n".join(turn.content for turn in answer.request.conversation())
        provenance = Provenance(
            stage=prompt,
            judge=self.model,
            model_answered=completion.model,
            reply_id=completion.reply_id,
            call_sha256=answer.key,
            prompt_id=rendered.prompt.prompt_id,
            prompt_sha256=rendered.prompt.sha256,
            rendered_sha256=prompts.sha256(sent),
            parameters=completion.parameters,
        )
        return Judged(reply=answer.value, provenance=provenance)

    def request(
        self, prompt: str, output: type[BaseModel], *, paper: Paper | None, **variables: object
    ) -> tuple[Request, prompts.Rendered]:
        """The request that `ask` would send, and the rendered task."""
        rendered = prompts.render(prompt, **variables)
        schema = reply_schema(output)
        form = prompts.render("reply_format", schema=schema).text
        request = Request(
            model=self.model,
            system=prompts.render("role").text,
            prefix="" if paper is None else _paper_block(paper.title, paper.text),
            messages=(Message(role="user", content=f"{rendered.text}\n\n{form}"),),
            schema_name=output.__name__,
            reply_schema=schema,
            temperature=self._temperature,
            max_tokens=self._max_tokens,
        )
        return request, rendered


@lru_cache(maxsize=32)
def _paper_block(title: str, text: str) -> str:
    return prompts.render("paper", title=title, text=text).text
