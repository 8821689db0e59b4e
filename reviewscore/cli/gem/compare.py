"""``reviewscore gem compare``: do two evaluation models rank systems alike?"""

from __future__ import annotations

import json
from pathlib import Path

import click

from reviewscore.cli.terminal import print_text
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError, RunFolderError


@click.command("compare", cls=Verb)
@click.argument("left", type=click.Path(path_type=Path))
@click.argument("right", type=click.Path(path_type=Path))
def command(left: Path, right: Path) -> None:
    """Compare how two evaluation models rank the same systems.

    LEFT and RIGHT are folders that `gem -o` wrote.

    \b
    Example:  reviewscore gem compare gem-lexical gem-llama
    """
    from reviewscore.gem.ranking import compare_models, read_scores
    from reviewscore.stats.tables import markdown

    names = (_name(left), _name(right))
    table = compare_models(read_scores(left), read_scores(right), names=names)
    if not table.rows:
        raise InputError("has no score in common with the first", file=right, cure="score alike")
    print_text(markdown(table), markdown=True)


def _name(folder: Path) -> str:
    """The evaluation model, and the folder."""
    from reviewscore.files import read_whole
    from reviewscore.gem.score import VERB
    from reviewscore.stats.writing import numbers_name

    try:
        model = json.loads(read_whole(folder / numbers_name(VERB)) or b"")["model"]
    except (RunFolderError, ValueError, KeyError, TypeError):
        return folder.name
    return f"{model} ({folder.name})"
