"""``reviewscore gem prepare``: a model reduces reviews to judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reviewscore.cli.asking import agreed, asking_options, close, expected_lines, settings_of
from reviewscore.cli.gem.evaluator import DATA, SKIP_BAD_LINES, output_option
from reviewscore.cli.systems import named_files
from reviewscore.cli.tabling import tell
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError


@click.command("prepare", cls=Verb)
@DATA
@output_option("Folder of the texts.")
@click.option("--model", required=True, help="Who writes: openai/NAME, anthropic/NAME, ...")
@click.option(
    "--papers", type=click.Path(path_type=Path), help="Papers, if they are not in the folder DATA."
)
@click.option("--system", "systems", multiple=True, help="Reviews of another system: NAME=FILE.")
@click.option("--assw/--no-assw", default=True, help="Ask what each paper states about itself.")
@click.option("--anew", is_flag=True, help="Ask also where judgments came with the reviews.")
@SKIP_BAD_LINES
@asking_options
def command(
    data: Path,
    output: Path,
    model: str,
    papers: Path | None,
    systems: tuple[str, ...],
    assw: bool,
    anew: bool,
    skip_bad_lines: bool,
    retry_errors: bool,
    dry_run: bool,
    **flags: Any,
) -> int:
    """Have a model reduce reviews to judgments, one a line, and list what papers state.

    Style and details of the paper then no longer pass for information. Run it again to go on
    where it ended; `reviewscore gem` reads the folder.

    \b
    Example:  reviewscore gem prepare data -o prepared --model openai/gpt-5
    """
    from reviewscore.gem.prepare import expected_to_prepare, prepare
    from reviewscore.sources.collection import read_papers
    from reviewscore.sources.system_reviews import read_materials

    settings = settings_of(model, flags)
    materials = read_materials(data, others=named_files(systems), skip_bad_lines=skip_bad_lines)
    tell(materials)
    known = None
    try:
        known = read_papers(papers or data, skip_bad_lines=skip_bad_lines)
    except InputError:
        if papers is not None:
            raise
        say("no papers beside the reviews: judgments alone, no abstracts (name --papers)")
    expected = expected_to_prepare(materials, known, settings, assw=assw, anew=anew)
    for line in expected_lines(expected):
        print_line(line, err=not dry_run)
    if dry_run or not agreed(expected, settings):
        return 0
    outcome = prepare(
        materials, known, output, settings,
        assw=assw, anew=anew, retry_errors=retry_errors, say=say,
    )  # fmt: skip
    return close(outcome, output)
