"""Which reviews a run is about, and in what order."""

from __future__ import annotations

from reviewscore.config import Settings
from reviewscore.errors import InputError
from reviewscore.schema.review import Review
from reviewscore.sources.files import Collection


def chosen_reviews(collection: Collection, settings: Settings) -> list[Review]:
    """Reviews to score, those of one paper together, in the order of the papers' first review.

    Raises:
        InputError: A chosen paper or point does not exist.
    """
    known = {review.paper_id for review in collection.reviews}
    for name in settings.paper:
        if name not in known:
            raise InputError(f"no review is of paper '{name}'", cure="check --paper")
    by_paper: dict[str, list[Review]] = {}
    for review in collection.reviews:
        if not settings.paper or review.paper_id in settings.paper:
            by_paper.setdefault(review.paper_id, []).append(review)
    reviews = [review for group in by_paper.values() for review in group]
    if settings.point:
        for name in settings.point:
            if "#" not in name:
                raise InputError(f"'{name}' is no point id", cure="write REVIEW#NUMBER")
        owners = {name.rpartition("#")[0] for name in settings.point}
        unknown = owners - {review.review_id for review in reviews}
        if unknown:
            raise InputError(f"no review '{min(unknown)}'", cure="check --point")
        reviews = [review for review in reviews if review.review_id in owners]
    return reviews[: settings.limit]
