"""``reviewscore focus references``: a model makes an expert's points of meta-review and reviews."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reviewscore.cli.asking import agreed, asking_options, close, expected_lines, settings_of
from reviewscore.cli.tabling import DATA, PATH, SKIP_BAD_LINES, tell
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb


@click.command("references", cls=Verb)
@DATA
@click.option("-o", "--output", type=PATH, required=True, help="Folder of the points.")
@click.option("--model", required=True, help="Who writes: openai/NAME, anthropic/NAME, ...")
@click.option(
    "--metareviews", type=PATH,
    help="File of paper_id and meta_review, if papers or synopses in DATA have none; "
    "metareviews.jsonl in DATA, as `fetch` writes it, is read without.",
)  # fmt: skip
@SKIP_BAD_LINES
@asking_options
def command(
    data: Path,
    output: Path,
    model: str,
    metareviews: Path | None,
    skip_bad_lines: bool,
    retry_errors: bool,
    dry_run: bool,
    **flags: Any,
) -> int:
    """Have a model make an expert reference of each paper, from its meta-review and reviews.

    The strengths and weaknesses that the meta-review names, each with the reviews' detail, without
    reviewers and ratings. Run it again to go on where it ended; the folder is then a system
    `experts` to compare others with.

    \b
    Example:  reviewscore focus references data -o experts --model openai/gpt-5
              reviewscore focus experts --system mine=mine.jsonl --reference experts
    """
    from reviewscore.focus.references import expected_references, make_references, sources_of
    from reviewscore.sources.system_reviews import (
        beside,
        meta_reviews_of,
        read_materials,
        read_meta_reviews,
    )

    settings = settings_of(model, flags)
    materials = read_materials(data, skip_bad_lines=skip_bad_lines)
    tell(materials)
    texts = meta_reviews_of(materials)
    if metareviews is None and (metareviews := beside(data)) is not None:
        texts = read_meta_reviews(metareviews, skip_bad_lines=skip_bad_lines) | texts
    elif metareviews is not None:
        texts |= read_meta_reviews(metareviews, skip_bad_lines=skip_bad_lines)
    files = [] if metareviews is None else [metareviews]
    sources = sources_of(materials, texts, files=files)
    for reason, count in sources.left_out.items():
        say(f"left out: {count:,} papers {reason}")
    expected = expected_references(sources, settings)
    for line in expected_lines(expected):
        print_line(line, err=not dry_run)
    if dry_run or not agreed(expected, settings):
        return 0
    outcome = make_references(sources, output, settings, retry_errors=retry_errors, say=say)
    return close(outcome, output)
