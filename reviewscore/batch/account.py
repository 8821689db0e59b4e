"""A run's own account of itself: its manifest at the beginning and at the end."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from reviewscore import __version__, prompts
from reviewscore.addresses import without_credentials
from reviewscore.arguments.aggregate import AGGREGATION_VERSION
from reviewscore.arguments.reconstruct import RECONSTRUCTION_VERSION
from reviewscore.config import Resolved, Settings
from reviewscore.judges.asker import ASKING_VERSION
from reviewscore.judges.lexical import LexicalJudges
from reviewscore.llm.ledger.store import Paid
from reviewscore.llm.prices import price_list
from reviewscore.papers.load import READING_VERSION
from reviewscore.points import POINTS_VERSION
from reviewscore.schema.record import storable
from reviewscore.sources.files import Collection
from reviewscore.sources.run_data import noted
from reviewscore.store.decisive import INPUT, METHOD, PROMPT, prompt_names, sum_of
from reviewscore.store.manifest import Manifest, Setting, Spending, hash_file

_TOLD = ("z3-solver", "pydantic", "openai", "anthropic", "bm25s")
"""Packages whose versions a run's account names."""


@dataclass
class Outcome:
    """How a session of a run ended.

    Attributes:
        interrupted: Ctrl-C ended it.
        stopped: A limit ended it; the message says how to go on.
        failed: Points and reviews that failed, in the whole folder.
        new: Points that this session has done.
        before: Points that were done before it.
        seconds: Time of this session.
    """

    manifest: Manifest
    interrupted: bool = False
    stopped: str | None = None
    failed: int = 0
    new: int = 0
    before: int = 0
    seconds: float = 0.0


def new_manifest(
    collection: Collection, resolved: Resolved, *, out: Path, data: Path | None = None
) -> Manifest:
    """What a run is to be made with.

    Args:
        collection: Papers and reviews.
        resolved: Settings with their origins.
        out: The run folder.
        data: Folder the collection was read from.
    """
    lie = noted(out, data, collection.pair)
    settings = resolved.settings
    judge_version = LexicalJudges().version if settings.embedded else None
    problems = prompts.verify() if settings.prompts_dir is None else ()
    chosen = settings.decisive()
    sums = {one.prompt_id: one.sha256 for one in map(prompts.latest, prompt_names(chosen))}
    inputs = (*map(hash_file, collection.files), *collection.records)
    decisive = {
        **chosen,
        "judge_version": judge_version,
        **{f"{METHOD}{name}": version for name, version in _methods(settings).items()},
        **{f"{PROMPT}{name}": digest for name, digest in sums.items()},
        **{f"{INPUT}{n} {one.name}": one.sha256 for n, one in enumerate(inputs, start=1)},
        "year": collection.year,
    }
    if settings.calibration is not None:
        decisive["calibration"] = hash_file(settings.calibration).sha256
    return Manifest(
        reviewscore_version=__version__,
        judge=settings.model,
        judge_version=judge_version,
        settings={
            name: Setting(value=without_credentials(value), origin=resolved.origins[name])
            for name, value in settings.model_dump(mode="json").items()
        },
        decisive=decisive,
        decisive_sha256=sum_of(decisive),
        selection=settings.selection,
        prompts=sums,
        versions={
            "python": platform.python_version(),
            **{name: version(name) for name in _TOLD},
        },
        inputs=inputs,
        data=lie.data,
        data_beside=lie.data_beside,
        pair=lie.pair,
        pair_beside=lie.pair_beside,
        year=collection.year,
        warnings=tuple(
            storable(warning)
            for warning in (
                *collection.warnings,
                *(f"left out: {fault}" for fault in collection.unread),
                *problems,
            )
        ),
    )


def _methods(settings: Settings) -> dict[str, int]:
    """Versions of what this package itself does to make a run's records, as far as it is used.

    The embedded judge has a version of its own.
    """
    used = {"points": POINTS_VERSION, "reading": READING_VERSION, "scores": AGGREGATION_VERSION}
    if not settings.embedded:
        used["asking"] = ASKING_VERSION
    if settings.score != "base":
        used["reconstruction"] = RECONSTRUCTION_VERSION
    return used


def spent(paid: Paid, settings: Settings, *, reused: int) -> Spending:
    """What a run has spent, at list prices where they are known."""
    priced = not paid.unpriced
    return Spending(
        calls=paid.calls,
        reused=reused,
        batched=paid.batched,
        input_tokens=paid.input_tokens,
        cached_tokens=paid.cached_tokens,
        written_tokens=paid.written_tokens,
        output_tokens=paid.output_tokens,
        usd=paid.usd if priced else None,
        doubtful_usd=paid.doubtful,
        prices=price_list(settings.prices).source if priced else None,
    )
