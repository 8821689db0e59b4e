"""How much of a paper goes into what models read at once."""

from __future__ import annotations

from reviewscore.config import Settings
from reviewscore.errors import InputError, SettingsError
from reviewscore.judges.excerpts import paper_room
from reviewscore.llm.context_window import estimated_tokens
from reviewscore.papers.parts import shown
from reviewscore.printable import counted
from reviewscore.runs.scoring import chosen_reviews
from reviewscore.sources.collection import Collection

_NAMED = 5


def check_context(collection: Collection, settings: Settings) -> None:
    """Refuse papers that are longer than models read, before anything is asked about them.

    Args:
        collection: Papers and reviews.
        settings: Say how much models read, and what is done with longer papers.

    Raises:
        SettingsError: Papers are to be judged whole and do not fit; or nothing would.
        InputError: A chosen paper or point does not exist.
    """
    room = None if settings.embedded else paper_room(settings)
    if room is None or settings.context == "excerpts":
        return
    sizes: dict[str, int] = {}
    for paper_id in dict.fromkeys(
        review.paper_id for review in chosen_reviews(collection, settings)
    ):
        try:
            paper = shown(collection.paper(paper_id), settings.paper_parts)
        except InputError:  # it fails by itself, with its reason
            continue
        sizes[paper_id] = estimated_tokens(paper.read_text)
    longer = sorted((name for name in sizes if sizes[name] > room), key=lambda name: -sizes[name])
    if not longer:
        return
    named = ", ".join(f"{name} (about {sizes[name]:,})" for name in longer[:_NAMED])
    more = ", .." if len(longer) > _NAMED else ""
    raise SettingsError(
        f"{len(longer):,} of {counted(len(sizes), 'paper')} do not fit: there is room for "
        f"{room:,} tokens of a paper in --context-tokens {settings.context_tokens}, and longer are "
        f"{named}{more}. Nothing was asked. Judge them by the passages nearest to each point "
        "(--context excerpts, on which nothing is judged absent), show less of them (--paper-parts "
        "main), choose papers that fit (--paper ID), or take a model that reads more"
    )
