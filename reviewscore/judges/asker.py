"""Put one rendered prompt to a model and get a validated reply with its provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from reviewscore import prompts
from reviewscore.config import Settings
from reviewscore.llm.client import Client
from reviewscore.llm.parameters import reasons
from reviewscore.llm.provider import Traits
from reviewscore.llm.structured import ask, reply_schema
from reviewscore.retrieval.excerpts import placed_excerpts
from reviewscore.schema.call import Message, Request, Structured
from reviewscore.schema.page_image import PageImage, ShownPages
from reviewscore.schema.paper import Paper
from reviewscore.schema.verdict import Provenance

T = TypeVar("T", bound=BaseModel)

ASKING_VERSION = 1
"""Raise it when the same prompt files and settings would give another request, or the same reply
would be read otherwise (another frame, other checks, a call more or less for an item)."""

URGENCY = {
    "extract_argument": 3,
    "reconstruct_argument": 3,
    "streamline": 3,
    "faithfulness": 3,
    "split_points": 2,
    "is_argument": 2,
    "point_type": 2,
    "presuppositions_review": 2,
    "base_review": 2,
    "is_question": 1,
}
"""How much waits for a call: reconstructions are the longest chains, verdicts hold up nothing."""


JUDGE_OF = {
    "is_argument": "point_type",
    "is_question": "point_type",
    "extract_argument": "reconstruction",
    "reconstruct_argument": "reconstruction",
    "streamline": "reconstruction",
    "premises_factuality": "premise_factuality",
    "presuppositions_review": "presuppositions",
    "presuppositions_point": "presuppositions",
    "presuppositions_second_look": "presuppositions",
}
"""Judge that a prompt belongs to, where it has another name."""
ROOM_TO_THINK = 4
"""Factor on the reply limit of reasoning models, whose reasoning counts as reply."""


class Reply(BaseModel):
    """Base of what models answer; every field is required, so that schemas can be strict."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


@dataclass(frozen=True)
class Judged(Generic[T]):
    """A reply and where it came from."""

    reply: T
    provenance: Provenance


@dataclass(frozen=True)
class SamplingParams:
    """How questions are put.

    Attributes:
        temperature: Sampling temperature; None leaves it out.
        effort: How hard a reasoning model is to think; None leaves it out.
        max_tokens: Reply limit in tokens; it may double twice when a reply is cut off.
        structured: How a reply's form is asked for; ``auto`` depends on the call.
        repeat: Number of the repetition, from 0.
    """

    temperature: float | None = 0.0
    effort: str | None = None
    max_tokens: int = 4096
    structured: Literal["auto", "schema", "object", "text"] = "auto"
    repeat: int = 0

    @classmethod
    def of(cls, settings: Settings, *, repeat: int = 0) -> SamplingParams:
        """The sampling that settings name."""
        return cls(
            temperature=settings.temperature,
            effort=settings.effort,
            max_tokens=settings.max_tokens,
            structured=settings.structured,
            repeat=repeat,
        )


class Asker:
    """Puts questions to a model, or to another one for single judges.

    The prompt is laid out so that providers can cache it: constant role, the paper, the task with
    the form of its reply, then the item. Nothing that changes from call to call stands in front.

    Args:
        client: Makes the calls.
        model: ``provider/name``.
        judges: Models of single judges, by the judge's name.
        sampling: How questions are put.

    Attributes:
        model: As given; `sampling` likewise.
    """

    def __init__(
        self,
        client: Client,
        *,
        model: str,
        judges: Mapping[str, str] | None = None,
        sampling: SamplingParams | None = None,
    ) -> None:
        self.model, self.sampling = model, sampling or SamplingParams()
        self._client, self._judges = client, judges or {}

    async def ask(
        self,
        prompt: str,
        output: type[T],
        *,
        paper: Paper | None = None,
        check: Callable[[T], None] | None = None,
        max_tokens: int = 0,
        **variables: object,
    ) -> Judged[T]:
        """Ask with one prompt.

        Args:
            prompt: Name of the prompt file.
            output: Record the reply must fit.
            paper: Paper that goes in front; None for questions that do not need it.
            check: Raises ValueError for a reply that fits the schema and still cannot be used.
            max_tokens: Reply limit where that is more than the sampling's.
            **variables: The prompt's holes.

        Raises:
            ModelError: There is no usable reply.
        """
        request, rendered = self.request(
            prompt, output, paper=paper, max_tokens=max_tokens, **variables
        )
        model = request.model
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
        provenance = Provenance(
            stage=prompt,
            judge=model,
            model_answered=completion.model,
            reply_id=completion.reply_id,
            call_sha256=answer.key,
            prompt_id=rendered.prompt.prompt_id,
            prompt_sha256=rendered.prompt.sha256,
            rendered_sha256=answer.request.prompt_key(),
            parameters=completion.parameters,
        )
        return Judged(reply=answer.value, provenance=provenance)

    def request(
        self,
        prompt: str,
        output: type[BaseModel],
        *,
        paper: Paper | None,
        max_tokens: int = 0,
        **variables: object,
    ) -> tuple[Request, prompts.Rendered]:
        """The request that `ask` would send, and the rendered task."""
        rendered = prompts.render(prompt, **variables)
        sampling, model = self.sampling, self._judges.get(JUDGE_OF.get(prompt, prompt), self.model)
        schema = reply_schema(output)
        form = prompts.render("reply_format", schema=schema).text
        now = prompts.render("answer_now").text
        if paper is not None and paper.missing.words:
            lacks = prompts.render("text_lacks", missing=paper.missing.words).text
            now = f"{lacks}\n\n{now}"
        thinks = sampling.effort is not None or reasons(model)
        request = Request(
            model=model,
            system=prompts.render("role").text,
            prefix="" if paper is None else paper_prefix(paper),
            pages=() if paper is None else _page_images(paper),
            task=f"{rendered.task}\n\n{form}" if rendered.task else form,
            messages=(Message(role="user", content=f"{rendered.item}\n\n{now}"),),
            schema_name=output.__name__,
            reply_schema=schema,
            structured=_structured(
                sampling.structured,
                self._client.provider_of(model).traits,
                has_paper=paper is not None,
            ),
            temperature=sampling.temperature,
            effort=sampling.effort,
            max_tokens=max(sampling.max_tokens, max_tokens) * (ROOM_TO_THINK if thinks else 1),
            repeat=sampling.repeat,
        )
        return request, rendered


def _structured(
    wanted: Structured | Literal["auto"], traits: Traits, *, has_paper: bool
) -> Structured:
    """How to ask for the form: schemas stand before the paper in what most providers cache."""
    if wanted != "auto":
        return wanted
    return "object" if has_paper and not traits.constrains else "schema"


def paper_prefix(paper: Paper) -> str:
    """The paper, or the excerpts of it that are shown, as every prompt about it begins."""
    if paper.shown_pages is not None:
        return _pages_block(paper, paper.shown_pages)
    if paper.excerpt_share is None:
        return _paper_block(paper.title, paper.read_text)
    return prompts.render("excerpts", title=paper.title, excerpts=placed_excerpts(paper)).text


@lru_cache(maxsize=128)  # as many papers as are under way at once, so that calls share one copy
def _paper_block(title: str, text: str) -> str:
    return prompts.render("paper", title=title, text=text).text


def _page_images(paper: Paper) -> tuple[PageImage, ...]:
    return () if paper.shown_pages is None else paper.shown_pages.images


def _pages_block(paper: Paper, pages: ShownPages) -> str:
    """What stands before the images of a paper's pages: title, text if it is shown, and which."""
    documents = paper.documents[1:]
    first = paper.documents[0].end if documents else len(paper.text)
    parts = {
        "text": [(0, first)] if pages.text else [],
        "others": [(document.start, document.end) for document in documents],
    }
    read = {name: [_read(paper, span) for span in spans] for name, spans in parts.items()}
    numbers = [image.page for image in pages.images]
    return prompts.render(
        "paper_pages",
        title=paper.title,
        text="".join(read["text"]),
        others=[text for text in read["others"] if text],
        pages=in_ranges(numbers),
        count=pages.count,
        left_out=len(numbers) < pages.count,
    ).text


def _read(paper: Paper, span: tuple[int, int]) -> str:
    """What judges see of a stretch of a paper's text."""
    start, end = span
    spans = ((max(first, start), min(last, end)) for first, last in paper.read_spans)
    return "".join(paper.text[first:last] for first, last in spans if first < last)


def in_ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers in words, such as ``1 to 9 and 12``."""
    texts: list[str] = []
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        texts.append(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}")
    *before, last = texts
    return f"{', '.join(before)} and {last}" if before else last
