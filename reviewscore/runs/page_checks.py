"""Before a run: whether the pages of its papers can be shown, and its models see them."""

from __future__ import annotations

import asyncio

from reviewscore.config import Settings
from reviewscore.errors import InputError, ProviderError, SettingsError
from reviewscore.llm.connect import connect
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.provider import NO_IMAGES_CURE
from reviewscore.papers.page_images import DPI
from reviewscore.printable import counted
from reviewscore.runs.consent import chosen_reviews
from reviewscore.runs.manifest import PagesShown
from reviewscore.runs.session import Say
from reviewscore.sources.collection import Collection
from reviewscore.sources.shown_papers import paper_as_shown

_NAMED = 5
"""Papers that a message names."""


def check_pages(
    collection: Collection, settings: Settings, *, draw: bool = True, say: Say = lambda _: None
) -> PagesShown | None:
    """Refuse papers whose pages are to be shown and cannot be.

    Args:
        collection: Papers and reviews.
        settings: Say whether judges see pages.
        draw: Whether pages are drawn to see that they can be; a dry run only counts them.
        say: Told of papers that are judged by their text alone.

    Returns:
        What is shown; None if judges see no pages.

    Raises:
        SettingsError: Pages of a paper cannot be shown, and judges are not to see its text instead.
        InputError: A chosen paper or point does not exist.
    """
    if settings.paper_as == "text":
        return None
    pages, problems = dict[str, int](), dict[str, InputError]()
    for paper_id in dict.fromkeys(
        review.paper_id for review in chosen_reviews(collection, settings)
    ):
        try:
            collection.paper_unchecked(paper_id)
        except InputError:  # it fails by itself, with its reason
            continue
        try:
            paper = paper_as_shown(
                collection, paper_id, settings.paper_parts, "pages", doubts=False, draw=draw
            )
        except InputError as error:
            problems[paper_id] = error
        else:
            assert paper.shown_pages is not None
            pages[paper_id] = len(paper.shown_pages.images)
    if problems and settings.paper_as == "pages":
        raise SettingsError(
            f"{_words(problems, len(pages))}. Nothing was asked; --paper-as both judges papers "
            "without pages by their text alone"
        )
    if problems:
        say(f"{_words(problems, len(pages))}; judged by their text alone")
    return PagesShown(dpi=DPI, pages=pages, text_alone=tuple(problems))


def _words(problems: dict[str, InputError], others: int) -> str:
    names = ", ".join([*problems][:_NAMED]) + (", .." if len(problems) > _NAMED else "")
    first = next(iter(problems.values()))
    return (
        f"pages cannot be shown of {len(problems):,} of {counted(len(problems) + others, 'paper')} "
        f"({names}): {first}"
    )


def check_sight(settings: Settings) -> None:
    """Refuse models whose servers say that they see no images.

    Raises:
        SettingsError: One does.
        StopError: A server has no such model.
    """
    if settings.paper_as != "text":
        asyncio.run(_check_sight(settings))


async def _check_sight(settings: Settings) -> None:
    client = await connect(settings, CallsInMemory())
    try:
        for model in settings.models_with_paper:
            provider = client.provider_of(model)
            try:
                sees = await provider.takes_images(model)
            except ProviderError:  # its calls will tell of it
                continue
            if sees is False:
                raise SettingsError(
                    f"{model} takes no images of pages, as {provider.place} says; {NO_IMAGES_CURE}"
                )
    finally:
        await client.close()
