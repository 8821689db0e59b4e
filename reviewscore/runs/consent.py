"""Which reviews and papers models may read, by the consent of each: the one place.

The strictest counts of what a review, its paper and the venue say. ``none`` is judged by nobody,
not even by the embedded judge; ``local`` by what stays on this machine: the embedded judge, models
on loopback, people with an exchange folder. Where nobody said anything, the venue's rule of
confidentiality decides (`llm.confidentiality`).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewscore.config import EMBEDDED, Resolved, Settings
from reviewscore.errors import InputError, SettingsError
from reviewscore.llm.confidentiality import permission_of
from reviewscore.runs.manifest import ConsentCounts
from reviewscore.schema.confidentiality import Consent, Permission, strictest
from reviewscore.schema.point_id import review_of
from reviewscore.schema.review import Review
from reviewscore.sources.collection import Collection
from reviewscore.sources.lazy_papers import PaperHandle
from reviewscore.sources.spooled import ListView

LOCAL = "local"
"""Folder of a run in which that is judged which may be judged on this machine only."""


def effective(
    review: Review, paper: PaperHandle | None, default: Consent | None = None
) -> Consent | None:
    """Who may judge a review: the strictest of what it, its paper and the venue say."""
    return strictest(review.consent, None if paper is None else paper.consent, default)


@dataclass(frozen=True)
class Routes:
    """The chosen reviews of a collection, by who may judge them; those of one paper together.

    Attributes:
        judged: With the reviews that the judge of the settings may read.
        local: With those that it may not, and a judge on this machine may.
        left: Who may judge each review that is not in `judged`, by its identifier.
        counts: How many these are; None if there are none.
    """

    judged: Collection
    local: Collection
    left: Mapping[str, Consent]
    counts: ConsentCounts | None


def by_route(collection: Collection, settings: Settings) -> Routes:
    """Sort the reviews that settings choose by who may judge them.

    Args:
        collection: Papers and reviews.
        settings: Name the judge, the venue's consent, and the papers and points that are chosen.

    Raises:
        InputError: A chosen paper or point does not exist.
        SettingsError: A model is unknown.
    """
    by_paper: dict[str, array[int]] = {}
    names: list[str] = []
    rules: dict[int, Consent] = {}
    for number, review in enumerate(collection.reviews):
        by_paper.setdefault(review.paper_id, array("i")).append(number)
        names.append(review.review_id)
        rule = effective(review, collection.papers.get(review.paper_id), settings.consent)
        if rule is not None:
            rules[number] = rule
    chosen = _chosen(by_paper, names, settings)
    # Where nothing is for this machine only, nobody asks where models are.
    may = permission_of(settings) if "local" in rules.values() else Permission()
    refused = {n: rule for n in chosen if (rule := may.refusal(rules.get(n))) is not None}
    judged = [number for number in chosen if number not in refused]
    local = [number for number in chosen if refused.get(number) == "local"]
    papers = {n: paper for paper, group in by_paper.items() for n in group if n in refused}
    kinds = Counter(refused.values())
    of = {rule: {papers[n] for n in refused if refused[n] == rule} for rule in kinds}
    counts = ConsentCounts(
        local_papers=len(of.get("local", ())),
        local_reviews=kinds["local"],
        none_papers=len(of.get("none", ())),
        none_reviews=kinds["none"],
        local_judge=_local_judge(settings)[0] if local else None,
    )

    def with_reviews(numbers: Sequence[int]) -> Collection:
        return replace(collection, reviews=ListView(collection.reviews, numbers[: settings.limit]))

    return Routes(
        judged=with_reviews(judged),
        local=with_reviews(local),
        left={names[number]: rule for number, rule in refused.items()},
        counts=counts if refused else None,
    )


def chosen_reviews(collection: Collection, settings: Settings) -> Sequence[Review]:
    """Reviews to score, those of one paper together, in the order of the papers' first review.

    Raises:
        InputError: A chosen paper or point does not exist.
    """
    return by_route(collection, settings).judged.reviews


def _chosen(
    by_paper: Mapping[str, Sequence[int]], names: Sequence[str], settings: Settings
) -> list[int]:
    """The places of the reviews that settings choose, by paper."""
    for name in settings.paper:
        if name not in by_paper:
            raise InputError(f"no review is of paper '{name}'", cure="check --paper")
    wanted = by_paper if not settings.paper else set(settings.paper)
    numbers = [n for paper, group in by_paper.items() if paper in wanted for n in group]
    if not settings.point:
        return numbers
    owners: set[str] = set()
    for name in settings.point:
        owner = review_of(name)
        if owner is None:
            cure = "write REVIEW#NUMBER, or the point_id of a record"
            raise InputError(f"'{name}' names no point", cure=cure)
        owners.add(owner)
    unknown = owners - {names[number] for number in numbers}
    if unknown:
        raise InputError(f"no review '{min(unknown)}'", cure="check --point")
    return [number for number in numbers if names[number] in owners]


def local_route(collection: Collection, resolved: Resolved) -> tuple[Collection, Resolved] | None:
    """What ``--local-judge`` is to judge into the folder `LOCAL` of the run, and how.

    Returns:
        Its papers and reviews, and settings for an ordinary run; None if there is nothing, or no
        such judge is named.

    Raises:
        InputError: As `by_route`.
        SettingsError: Texts that it is given would leave this machine, or it cannot be asked so.
    """
    settings = resolved.settings
    if settings.local_judge is None:
        return None
    judge = _of_local_judge(settings)
    local = by_route(collection, settings).local
    papers = {review.paper_id for review in local.reviews}
    if not papers:
        return None
    reviews = {review.review_id for review in local.reviews}
    update = {
        "paper": tuple(name for name in settings.paper if name in papers),
        "point": tuple(name for name in settings.point if review_of(name) in reviews),
    }
    origins = {**resolved.origins, "model": resolved.origins["local_judge"]}
    return local, Resolved(judge.model_copy(update=update), origins)


def _local_judge(settings: Settings) -> tuple[str | None, str | None]:
    """The model of ``--local-judge`` and the address of its server, as far as they are named."""
    model, at, address = (settings.local_judge or "").partition("@http")
    return model or None, f"http{address}" if at else None


def _of_local_judge(settings: Settings) -> Settings:
    """The settings with the judge on this machine in place of all others."""
    model, address = _local_judge(settings)
    changes: dict[str, object] = dict.fromkeys(
        ("local_judge", "calibration", "max_usd", "context_tokens", "workers", "store"), None
    )
    changes |= {"model": model, "base_url": address, "panel": ()}
    changes |= {"judges": {}, "batch": False, "engine": "local"}
    if model == EMBEDDED:
        changes |= {"protocol": "paper", "per": None, "paper_as": "text", "context": "whole"}
    try:
        judge = Settings.model_validate({**settings.model_dump(), **changes})
    except ValueError as error:
        raise SettingsError(f"--local-judge {model}: {error}") from error
    if permission_of(judge).leaves:
        raise SettingsError(
            f"--local-judge {model}: what it is given would leave this machine; name a model that "
            f"is here: {EMBEDDED}, ollama/NAME, llamacpp/NAME, exchange:FOLDER, or "
            "openai/NAME@http://127.0.0.1:PORT/v1"
        )
    return judge.with_confidentiality(settings.confidentiality, settings.confidentiality_origin)
