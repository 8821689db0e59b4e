"""``reviewscore gem generate``: models review papers, to be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reviewscore.cli.asking import agreed, asking_options, close, expected_lines, settings_of
from reviewscore.cli.gem.evaluator import DATA, SKIP_BAD_LINES, output_option
from reviewscore.cli.tabling import tell
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb


@click.command("generate", cls=Verb)
@DATA
@output_option("Folder of the reviews.")
@click.option(
    "--model", "models", multiple=True, required=True, help="A candidate; several times for more."
)
@SKIP_BAD_LINES
@asking_options
def command(
    data: Path,
    output: Path,
    models: tuple[str, ...],
    skip_bad_lines: bool,
    retry_errors: bool,
    dry_run: bool,
    **flags: Any,
) -> int:
    """Have models review the papers of a folder, each model a system of its own.

    Then `gem prepare` reduces the reviews to judgments, with `--system NAME=FILE` beside people's,
    and `gem` ranks the systems.

    \b
    Example:  reviewscore gem generate data -o generated --model openai/gpt-5 --model openai/gpt-4o
    """
    from reviewscore.gem.generate import expected_to_generate, generate
    from reviewscore.sources.collection import read_papers

    settings = settings_of(models[0], flags)
    papers = read_papers(data, skip_bad_lines=skip_bad_lines)
    tell(papers)
    expected = expected_to_generate(papers, models, settings)
    for line in expected_lines(expected):
        print_line(line, err=not dry_run)
    if dry_run or not agreed(expected, settings):
        return 0
    outcome = generate(papers, models, output, settings, retry_errors=retry_errors, say=say)
    return close(outcome, output)
