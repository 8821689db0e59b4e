"""``reviewscore focus references|export-sft``: what reviewers are compared with, and tuned on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reviewscore.cli import options
from reviewscore.cli.closing import close, go_on, settings_of
from reviewscore.cli.focus.points import BY, by_reviewer
from reviewscore.cli.inputs import tell
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb


@click.command("references", cls=Verb)
@options.DATA
@options.path("-o", "--output", required=True, help="Folder of the points.")
@click.option("--model", required=True, help="Who writes: openai/NAME, anthropic/NAME, ...")
@options.path(
    "--metareviews",
    help="File of paper_id and meta_review, if papers or synopses in DATA have none; "
    "metareviews.jsonl in DATA, as `fetch` writes it, is read without.",
)
@options.SKIP_BAD_LINES
@options.asking_options
@options.DRY_RUN_JSON
def references_command(
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
    from reviewscore.llm.confidentiality import permission_of
    from reviewscore.sources.system_reviews import (
        beside,
        meta_reviews_of,
        read_materials,
        read_meta_reviews,
    )

    settings = settings_of(model, flags)
    materials = read_materials(data, skip_bad_lines=skip_bad_lines)
    materials = materials.permitted(permission_of(settings))
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
    if not go_on(expected, settings, dry_run=dry_run):
        return 0
    outcome = make_references(sources, output, settings, retry_errors=retry_errors, say=say)
    return close(outcome, output)


@click.command("export-sft", cls=Verb)
@options.DATA
@options.path("-o", "--output", required=True, help="Folder of the files.")
@options.path("--papers", help="Papers, if they are not in the folder DATA.")
@BY
@click.option("--system", help="Whose reviews are learnt; experts if there are any, else people.")
@options.preset(
    "--per",
    type=click.Choice(["review", "paper"]),
    default="review",
    help="One example a review, or one a paper with the points of all its reviews.",
)
@click.option(
    "--form", type=options.FORMS,
    help="Which text points come from; raw if every review has it.",
)  # fmt: skip
@click.option(
    "--test-share", type=click.FloatRange(0, 1),
    help="Share of papers for testing; 0.144 by default.",
)  # fmt: skip
@options.preset("--seed", type=click.IntRange(0), default=0, help="Of the split.")
@click.option(
    "--max-tokens", type=click.IntRange(1),
    help="Leave longer examples out (estimated, four characters a token); 65,536 by default.",
)  # fmt: skip
@options.SKIP_BAD_LINES
@options.YES
def export_sft_command(
    data: Path,
    output: Path,
    papers: Path | None,
    by: str,
    system: str | None,
    per: str,
    form: str | None,
    test_share: float | None,
    seed: int,
    max_tokens: int | None,
    skip_bad_lines: bool,
    yes: bool,
) -> None:
    """Write papers and their strengths and weaknesses as chats, to fine-tune a reviewer on.

    One chat a line (system, user, assistant), in train.jsonl and test.jsonl. A paper is in one of
    them; which, depends on its name and the seed alone. What the tuned model writes goes into
    `reviewscore focus --system`.

    \b
    Example:  reviewscore focus export-sft data -o sft --per paper
    """
    from reviewscore.focus.export_sft import MAX_TOKENS, SIDES, TEST_SHARE, Plan, export_sft
    from reviewscore.schema.confidentiality import Permission
    from reviewscore.sources.collection import read_papers
    from reviewscore.sources.system_reviews import TextForm, read_materials

    materials = read_materials(data, skip_bad_lines=skip_bad_lines)
    materials = by_reviewer(materials) if by == "reviewer" else materials
    known = read_papers(papers or data, skip_bad_lines=skip_bad_lines)
    default = options.settings_from({}).settings.consent
    may = Permission(leaves=True, default=default)  # any model may be trained on it
    materials, known = materials.permitted(may, known.papers), known.permitted(may)
    tell(materials)
    tell(known)
    plan = Plan(
        system=system,
        per="paper" if per == "paper" else "review",
        form=TextForm(form) if form else None,
        test_share=TEST_SHARE if test_share is None else test_share,
        seed=seed,
        max_tokens=max_tokens or MAX_TOKENS,
    )
    told = export_sft(materials, known, output, plan, allow_foreign=yes)
    for side in SIDES:
        count, of = told.examples[side], told.papers[side]
        print_line(f"{output / f'{side}.jsonl'}: {count:,} examples of {of:,} papers")
    print_line(f"{told.points:,} points of {told.system}; at most ~{told.longest:,} tokens")
    for reason, count in told.left_out.items():
        if count:
            say(f"left out: {count:,} {reason}")
    if told.not_exact:
        say(f"{told.not_exact:,} examples whose points the splitter parts otherwise")
    if not all(told.examples[side] for side in SIDES):
        say("warning: one of the two files is empty; choose another --test-share or --seed")
