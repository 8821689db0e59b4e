"""Which reviews a run is about, and in what order."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from reviewscore.config import Settings
from reviewscore.errors import InputError
from reviewscore.schema.review import Review
from reviewscore.sources.collection import Collection
from reviewscore.sources.spooled import ListView


def chosen_reviews(collection: Collection, settings: Settings) -> Sequence[Review]:
    """Reviews to score, those of one paper together, in the order of the papers' first review.

    Raises:
        InputError: A chosen paper or point does not exist.
    """
    by_paper: dict[str, array[int]] = {}
    names: list[str] = []
    for number, review in enumerate(collection.reviews):
        by_paper.setdefault(review.paper_id, array("i")).append(number)
        names.append(review.review_id)
    for name in settings.paper:
        if name not in by_paper:
            raise InputError(f"no review is of paper '{name}'", cure="check --paper")
    wanted = by_paper if not settings.paper else set(settings.paper)
    numbers = [n for paper, group in by_paper.items() if paper in wanted for n in group]
    if settings.point:
        for name in settings.point:
            if "#" not in name:
                raise InputError(f"'{name}' is no point id", cure="write REVIEW#NUMBER")
        owners = {name.rpartition("#")[0] for name in settings.point}
        unknown = owners - {names[number] for number in numbers}
        if unknown:
            raise InputError(f"no review '{min(unknown)}'", cure="check --point")
        numbers = [number for number in numbers if names[number] in owners]
    return ListView(collection.reviews, numbers[: settings.limit])
