"""Which evaluation model is meant by the flags, ready to be used."""

from __future__ import annotations

import difflib
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.terminal import say
from reviewscore.config import Plain
from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.gem.backgrounds import Evaluators
    from reviewscore.gem.completions import CompletionsModel
    from reviewscore.gem.evaluation import Steadiness
    from reviewscore.hf.models import Device
    from reviewscore.schema.confidentiality import Permission
    from reviewscore.sources.system_reviews import Materials
    from reviewscore.stats.writing import Setup

EMBEDDED = "lexical-cache"


evaluator_options = options.together(
    options.preset(
        "--model",
        default=EMBEDDED,
        help="Evaluation model: lexical-cache, hf/NAME or hf/./FOLDER, "
        "server/NAME (with --base-url).",
    ),
    options.path(
        "--background",
        help="Reviews of other papers for lexical-cache, or a file that `gem prime` wrote; "
        "by default every paper is scored by what the other papers of the data teach.",
    ),
    click.option("--base-url", help="Address of a server with log-probabilities of prompts."),
    options.switch("--strict", help="Refuse a background of fewer than 100 papers."),
    options.preset(
        "--device", type=options.DEVICES, default="auto", help="Where hf/ models compute."
    ),
    options.DOWNLOAD,
    options.CONFIG_OPTION,
)
"""Flags about the evaluation model."""


@dataclass(frozen=True)
class EvaluatorChoice:
    """What the flags say of the evaluation model."""

    model: str
    background: Path | None
    base_url: str | None
    strict: bool
    device: Device
    download: bool

    def settings(self) -> dict[str, Plain]:
        """What can change a number."""
        return {
            "background": str(self.background) if self.background else None,
            "base_url": self.base_url,
            "device": self.device,
        }


def chosen(flags: dict[str, Any]) -> EvaluatorChoice:
    """The flags about the evaluation model, taken out of all flags."""
    return EvaluatorChoice(
        **{field.name: flags.pop(field.name) for field in fields(EvaluatorChoice)}
    )


@contextmanager
def find_evaluators(choice: EvaluatorChoice, materials: Materials) -> Iterator[Evaluators]:
    """The evaluation models that the flags name.

    Raises:
        SettingsError: There is no such model, or it cannot be used.
        InputError: The background cannot be used.
    """
    from reviewscore.gem.backgrounds import OneModel

    kind, _, name = choice.model.partition("/")
    if choice.model != EMBEDDED and choice.background is not None:
        raise SettingsError(f"--background is for {EMBEDDED}, not for {choice.model}")
    if choice.model == EMBEDDED:
        yield _lexical(materials, choice)
    elif kind == "hf" and name:
        from reviewscore.gem.evaluation import check_steadiness
        from reviewscore.gem.hf import open_model
        from reviewscore.hf.models import Loading

        model = open_model(choice.model, Loading(choice.device, download=choice.download))
        _warn(check_steadiness(model))
        yield OneModel(model)
    elif kind == "server" and name:
        with _server(choice) as server:
            yield OneModel(server)
    else:
        close = difflib.get_close_matches(choice.model, [EMBEDDED], n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise SettingsError(
            f"unknown evaluation model '{choice.model}'{hint} "
            f"There are {EMBEDDED}, hf/NAME and server/NAME"
        )


def permission(choice: EvaluatorChoice, models: Iterable[str] = ()) -> Permission:
    """What the evaluation model, and models beside it, may read."""
    from reviewscore.llm.confidentiality import permission_of

    settings = options.settings_from({}).settings
    server = {} if choice.base_url is None else {choice.model: choice.base_url}
    own, others = permission_of(settings, servers=server), permission_of(settings, models)
    return others if others.leaves else own


@contextmanager
def _server(choice: EvaluatorChoice) -> Iterator[CompletionsModel]:
    """A server's model, its answers recorded in the ledger that all runs share."""
    from reviewscore.gem.completions import CompletionsModel, Means
    from reviewscore.llm.client import CallLimits
    from reviewscore.llm.confidentiality import settled
    from reviewscore.llm.ledger.database import Ledger

    if choice.base_url is None:
        raise SettingsError(f"{choice.model} needs the server's address; give --base-url")
    settings = options.settings_from({}).settings
    settled(settings, servers={choice.model: choice.base_url})
    limits = CallLimits(
        connections=settings.max_connections,
        max_retries=settings.max_retries,
        requests_per_minute=settings.requests_per_minute,
        tokens_per_minute=settings.tokens_per_minute,
        timeout=settings.timeout,
    )
    book = Ledger(settings.ledger_place, run=f"gem-{uuid.uuid4().hex}")
    try:
        means = Means(book=book, limits=limits, say=say)
        with CompletionsModel(choice.model, base_url=choice.base_url, means=means) as model:
            _warn(model.check())
            yield model
    finally:
        book.close()


def setup_of(
    title: str,
    evaluators: Evaluators,
    settings: Mapping[str, Plain],
    files: Iterable[Path],
    notes: Iterable[str] = (),
) -> Setup:
    """How tables were made with an evaluation model.

    Args:
        title: Heading of the page.
        evaluators: Found the models.
        settings: Whatever can change a number.
        files: Read beside those of the models.
        notes: What a reader must know beside what the models say.
    """
    from reviewscore.gem.ranking import HONEST
    from reviewscore.gem.score import VERB
    from reviewscore.stats.writing import Setup, hashes

    honest = [HONEST] if evaluators.name == EMBEDDED else []
    return Setup(
        verb=VERB,
        title=title,
        role="evaluation model",
        model=evaluators.name,
        settings=settings,
        inputs=hashes(files),
        notes=[*honest, *evaluators.notes(), *notes],
    )


def _warn(steadiness: Steadiness) -> None:
    if steadiness.warning:
        say(f"warning: {steadiness.warning}")


def _lexical(materials: Materials, choice: EvaluatorChoice) -> Evaluators:
    from reviewscore.gem.backgrounds import Background, CrossFitted, Primed, Primer
    from reviewscore.gem.lexical.model import SUFFIX
    from reviewscore.sources.system_reviews import read_materials

    background = choice.background
    kept = options.settings_from({}).settings.ledger_folder / "gem"
    primer = Primer(kept, strict=choice.strict, say=say)
    if background is not None and background.suffix.lower() == SUFFIX:
        return Primed(background, primer)
    if background is None:
        return CrossFitted(materials, primer)
    other = Background(read_materials(background), primer, materials)
    if other.left_out:
        say(f"{other.left_out:,} papers of {background} are scored, and left out of the background")
    return other
