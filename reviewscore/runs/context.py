"""How much of a paper goes into what models read at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from reviewscore import prompts
from reviewscore.config import Resolved, Settings
from reviewscore.errors import InputError, ProviderError, SettingsError, StopError
from reviewscore.judges.excerpts import (
    EXCERPT_CONTEXT,
    excerpt_room,
    judged_on,
    paper_room,
    reply_room,
)
from reviewscore.llm.connect import RunContext, connect
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.local_servers import starter
from reviewscore.papers.parts import shown
from reviewscore.points.places import with_places
from reviewscore.points.split import split_review
from reviewscore.printable import counted
from reviewscore.runs.consent import chosen_reviews
from reviewscore.runs.estimate import own_server, shown_tokens
from reviewscore.runs.folder import MANIFEST, manifest_of
from reviewscore.runs.scoring import is_chosen
from reviewscore.runs.session import Say
from reviewscore.schema.paper import Paper
from reviewscore.sources.collection import Collection
from reviewscore.sources.shown_papers import paper_as_shown

_NAMED = 5
"""Papers that a message names."""
_REPLY_SHARE, _SHORTEST_REPLY = 4, 256
"""A reply of which no length was set is given a quarter of a short context, and no fewer tokens."""


def with_window(resolved: Resolved, out: Path | None = None, *, say: Say | None = None) -> Resolved:
    """Settings with the tokens that the models read at once, where papers may be excerpted.

    They are those that were set; else those that the run in the folder was begun with; else the
    fewest that a server of one's own tells of its model; else `EXCERPT_CONTEXT`. Replies of which
    no length was set take a quarter at the most.

    Args:
        resolved: Settings with their origins.
        out: The run folder; it need not be there.
        say: Told what is taken, where servers are to be asked; without it none is.

    Raises:
        StopError: A server cannot be reached, or has no such model.
    """
    settings, origins = resolved.settings, dict(resolved.origins)
    if settings.embedded or settings.context != "excerpts":
        return resolved
    tokens = settings.context_tokens
    if tokens is None and out is not None and (tokens := _begun_with(out)) is not None:
        origins["context_tokens"] = str(out / MANIFEST)
    if tokens is None and say is not None:
        tokens, source = asyncio.run(_told(settings, say)) or (EXCERPT_CONTEXT, "")
        origins["context_tokens"] = source or "assumed"
        say(
            f"papers that do not go into {tokens:,} tokens with task and reply are judged on "
            f"excerpts ({source or 'nobody says how much the model reads; this is assumed'}; "
            "--context-tokens sets another number)"
        )
    tokens = tokens or EXCERPT_CONTEXT
    update = {"context_tokens": tokens}
    if origins["max_tokens"] == "default":
        thinking = reply_room(settings) // settings.max_tokens
        share = tokens // (_REPLY_SHARE * thinking)
        update["max_tokens"] = min(settings.max_tokens, max(share, _SHORTEST_REPLY))
    return replace(resolved, settings=settings.model_copy(update=update), origins=origins)


def _begun_with(out: Path) -> int | None:
    """The tokens of context that a run on excerpts was begun with; None if there is no such run."""
    if not (out / MANIFEST).is_file():
        return None
    decisive = manifest_of(out).decisive
    tokens = decisive.get("context_tokens") if decisive.get("context") == "excerpts" else None
    return tokens if isinstance(tokens, int) else None


async def _told(settings: Settings, say: Say) -> tuple[int, str] | None:
    """The shortest context that servers of one's own tell of, and where; None if none does."""
    models = [model for model in settings.models if own_server(model, settings)]
    if not models:
        return None
    client = await connect(settings, CallsInMemory(), RunContext(say=say))
    windows = []
    try:
        for model in models:
            provider = client.provider_of(model)
            try:
                windows.append((model, await provider.window(model)))
            except ProviderError as error:  # other failures its calls will tell of
                start = starter(model, provider.place)
                if start is not None and error.unreached:
                    words = "or say with --context-tokens how much it reads at once"
                    raise StopError(f"{error}; {start()}; {words}") from error
    finally:
        await client.close()
    told = [(window.tokens, f"{model}: {window.source}") for model, window in windows
            if window.tokens is not None]  # fmt: skip
    return min(told, default=None)


def longest_on_excerpts(
    collection: Collection, settings: Settings, paper_id: str
) -> tuple[Paper, int]:
    """What is shown of a paper in its longest prompt, and that prompt's estimated tokens.

    Raises:
        InputError, SettingsError: The paper cannot be read, or nothing of it fits.
    """
    paper = shown(collection.paper(paper_id), settings.paper_parts)
    longest, size = paper, 0
    with prompts.use_directory(settings.prompts_dir):
        for review in chosen_reviews(collection, settings):
            if review.paper_id != paper_id:
                continue
            response = review.author_response if settings.author_response else None
            for point in split_review(review, include_limitations=settings.limitations):
                if is_chosen(point, settings):
                    placed = with_places(point, paper)
                    seen, tokens = judged_on(placed, paper, settings, response=response)
                    longest, size = (seen, tokens) if tokens > size else (longest, size)
    return longest, size


def longer_than(room: int, sizes: Mapping[str, int]) -> dict[str, int]:
    """The papers, or prompts about them, of more tokens than there is room for, the longest first.

    Args:
        room: Tokens that fit.
        sizes: Tokens by paper.
    """
    longer = ((name, size) for name, size in sizes.items() if size > room)
    return dict(sorted(longer, key=lambda pair: -pair[1]))


def in_words(longer: Mapping[str, int]) -> str:
    """The first few papers, each with its tokens."""
    named = [f"{name} (about {size:,})" for name, size in longer.items()]
    return ", ".join(named[:_NAMED]) + (", .." if len(named) > _NAMED else "")


def check_context(collection: Collection, settings: Settings) -> None:
    """Refuse papers that are longer than models read, before anything is asked about them.

    Args:
        collection: Papers and reviews.
        settings: Say how much models read, and what is done with longer papers.

    Raises:
        SettingsError: Papers are to be judged whole and do not fit; or nothing would.
        InputError: A chosen paper or point does not exist.
    """
    if settings.embedded:
        return
    if settings.context == "excerpts":
        excerpt_room(settings)  # it says what is missing
        return
    room = paper_room(settings)
    if room is None:
        return
    sizes: dict[str, int] = {}
    for paper_id in dict.fromkeys(
        review.paper_id for review in chosen_reviews(collection, settings)
    ):
        try:
            paper = paper_as_shown(
                collection, paper_id, settings.paper_parts, settings.paper_as, draw=False
            )
        except InputError:  # it fails by itself, with its reason
            continue
        sizes[paper_id] = shown_tokens(paper, settings.models)
    longer = longer_than(room, sizes)
    if not longer:
        return
    raise SettingsError(
        f"{len(longer):,} of {counted(len(sizes), 'paper')} do not fit: there is room for "
        f"{room:,} tokens of a paper in --context-tokens {settings.context_tokens}, and longer are "
        f"{in_words(longer)}. Nothing was asked. Judge them by the passages nearest to each point "
        "(--context excerpts, on which nothing is judged absent), show less of them (--paper-parts "
        "main), choose papers that fit (--paper ID), or take a model that reads more"
    )
