"""Which evaluation model is meant by the flags, ready to be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.gem.backgrounds import Evaluators
    from reviewscore.gem.materials import Materials

Command = TypeVar("Command", bound=Callable[..., Any])
EMBEDDED = "lexical-cache"


def evaluator_options(command: Command) -> Command:
    """Add the flags about the evaluation model."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--model",
        default=EMBEDDED,
        show_default=True,
        help="Evaluation model: lexical-cache, hf/NAME or hf/FOLDER, "
        "server/NAME (with --base-url).",
    ),
    click.option(
        "--background",
        type=click.Path(path_type=Path),
        help="Reviews of other papers for lexical-cache, or a file that `gem prime` wrote; "
        "by default every paper is scored by what the other papers of the data teach.",
    ),
    click.option("--base-url", help="Address of a server with log-probabilities of prompts."),
    click.option("--strict", is_flag=True, help="Refuse a background of fewer than 100 papers."),
)


@contextmanager
def find_evaluators(
    model: str,
    materials: Materials,
    *,
    background: Path | None,
    base_url: str | None,
    strict: bool,
) -> Iterator[Evaluators]:
    """The evaluation models that the flags name.

    Raises:
        SettingsError: There is no such model.
        InputError: The background cannot be used.
    """
    if model == EMBEDDED:
        yield _lexical(materials, background, strict=strict)
        return
    raise SettingsError(f"unknown evaluation model '{model}'")


def say(sentence: str) -> None:
    """Tell the user something beside the results."""
    click.echo(sentence, err=True)


def primed_folder() -> Path:
    """Where primed models are kept."""
    from reviewscore.config import resolve

    return resolve({}).settings.ledger_folder / "gem"


def _lexical(materials: Materials, background: Path | None, *, strict: bool) -> Evaluators:
    from reviewscore.gem.backgrounds import Background, CrossFitted, Primed, Primer
    from reviewscore.gem.materials import read_materials

    if background is not None and background.suffix == ".npz":
        return Primed(background)
    primer = Primer(primed_folder(), strict=strict, say=say)
    if background is None:
        return CrossFitted(materials, primer)
    other = Background(read_materials(background), primer, materials.papers)
    if other.left_out:
        say(f"{other.left_out:,} papers of {background} are scored, and left out of the background")
    return other
