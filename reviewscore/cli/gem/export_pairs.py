"""``reviewscore gem export-pairs``: what an evaluation model can be fine-tuned on."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.cli.gem.evaluator import DATA, SKIP_BAD_LINES, output_option
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb


@click.command("export-pairs", cls=Verb)
@DATA
@output_option("The file (JSONL).")
@click.option("--chat", is_flag=True, help="Write messages (system, user, assistant).")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Which three reviews of a paper with more are drawn.")  # fmt: skip
@SKIP_BAD_LINES
def command(data: Path, output: Path, chat: bool, seed: int, skip_bad_lines: bool) -> None:
    """Write prompts and continuations: nine a paper for GEM, nine for GEM-S.

    Of three people's reviews: six ordered pairs, and three without a candidate.

    \b
    Example:  reviewscore gem export-pairs prepared -o pairs.jsonl
    """
    from reviewscore.gem.export_pairs import export_pairs
    from reviewscore.sources.system_reviews import read_materials

    told = export_pairs(
        read_materials(data, skip_bad_lines=skip_bad_lines), output, seed=seed, chat=chat
    )
    kinds = ", ".join(f"{count:,} for {name}" for name, count in told.pairs.items())
    print_line(f"{told.path}: {kinds}, of {told.papers:,} papers")
    for reason, count in told.left_out.items():
        say(f"left out: {count:,} {reason}")
