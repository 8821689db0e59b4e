"""Which judges of a run nobody has validated, and how that is said: before a run and with it.

What a model is worth as a judge of papers like these can be known from labels alone (`agree`). Of
models that many use something is known; of those on a machine of one's own, and of those that no
price list knows, nothing is.
"""

from __future__ import annotations

from collections.abc import Sequence

from reviewscore.config import Settings
from reviewscore.llm.connect import price_of
from reviewscore.llm.provider import provider_class
from reviewscore.runs.estimate import own_server

_MEASURED = "docs/tutorials/own_machine.md"


def unvalidated(settings: Settings) -> tuple[str, ...]:
    """The models of a run of which no validation is at hand; none for the embedded judge.

    Args:
        settings: Name the models, their server and the price list.
    """
    if settings.embedded:
        return ()
    return tuple(
        model
        for model in settings.models
        if not provider_class(model).traits.records
        and (own_server(model, settings) or price_of(settings, model) is None)
    )


def unvalidated_words(models: Sequence[str]) -> str:
    """That nobody knows what the verdicts of models are worth; empty without models."""
    if not models:
        return ""
    return (
        f"no validation of {', '.join(models)} on these papers is at hand: nobody knows whether "
        f"such verdicts are better than chance ({_MEASURED} says what a small one was worth)"
    )
