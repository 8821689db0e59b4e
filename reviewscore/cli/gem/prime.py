"""``reviewscore gem prime``: learn a background once."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.cli.gem.evaluator import DATA, SKIP_BAD_LINES, output_option
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb


@click.command("prime", cls=Verb)
@DATA
@output_option("The file (.npz).")
@click.option(
    "--form",
    type=click.Choice(["judgments", "raw"]),
    default="judgments",
    show_default=True,
    help="Which text of the reviews: GEM and GEM-S read judgments, GEM-raw reads raw.",
)
@click.option("--strict", is_flag=True, help="Refuse fewer than 100 papers.")
@SKIP_BAD_LINES
def command(data: Path, output: Path, form: str, strict: bool, skip_bad_lines: bool) -> None:
    """Learn lexical-cache from the people's reviews of papers that will not be scored.

    \b
    Example:  reviewscore gem prime iclr2023.parquet -o background.npz
              reviewscore gem reviews.jsonl --background background.npz --variant gem
    """
    from reviewscore.gem.backgrounds import KnownPapers, Primer
    from reviewscore.gem.lexical.model import save
    from reviewscore.sources.system_reviews import TextForm, read_materials

    materials = read_materials(data, skip_bad_lines=skip_bad_lines)
    papers = KnownPapers(materials, TextForm(form))
    state = Primer(None, strict=strict, say=say).primed(papers).state
    save(state, output)
    size = output.stat().st_size / 1e6
    print_line(
        f"{output}: learned from {state.reviews:,} reviews of {len(state.papers):,} papers "
        f"({form}), {size:.1f} MB"
    )
