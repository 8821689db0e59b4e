"""``reviewscore gem prepare|generate|export-pairs|prime``: what scores are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reviewscore.cli import options
from reviewscore.cli.closing import close, go_on, settings_of
from reviewscore.cli.inputs import named_files, tell
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError


@click.command("prepare", cls=Verb)
@options.DATA
@options.path("-o", "--output", required=True, help="Folder of the texts.")
@click.option("--model", required=True, help="Who writes: openai/NAME, anthropic/NAME, ...")
@options.path("--papers", help="Papers, if they are not in the folder DATA.")
@click.option("--system", "systems", multiple=True, help="Reviews of another system: NAME=FILE.")
@click.option("--assw/--no-assw", default=True, help="Ask what each paper states about itself.")
@options.switch("--anew", help="Ask also where judgments came with the reviews.")
@options.SKIP_BAD_LINES
@options.asking_options
@options.DRY_RUN_JSON
def prepare_command(
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
    from reviewscore.llm.confidentiality import permission_of
    from reviewscore.sources.collection import read_papers
    from reviewscore.sources.system_reviews import read_materials

    settings = settings_of(model, flags)
    materials = read_materials(data, others=named_files(systems), skip_bad_lines=skip_bad_lines)
    known, may = None, permission_of(settings)
    try:
        known = read_papers(papers or data, skip_bad_lines=skip_bad_lines)
    except InputError:
        if papers is not None:
            raise
        say("no papers beside the reviews: judgments alone, no abstracts (name --papers)")
    materials = materials.permitted(may, known.papers if known else None)
    known = known and known.permitted(may)
    tell(materials)
    expected = expected_to_prepare(materials, known, settings, assw=assw, anew=anew)
    if not go_on(expected, settings, dry_run=dry_run):
        return 0
    outcome = prepare(
        materials, known, output, settings,
        assw=assw, anew=anew, retry_errors=retry_errors, say=say,
    )  # fmt: skip
    return close(outcome, output)


@click.command("generate", cls=Verb)
@options.DATA
@options.path("-o", "--output", required=True, help="Folder of the reviews.")
@click.option(
    "--model", "models", multiple=True, required=True, help="A candidate; several times for more."
)
@options.SKIP_BAD_LINES
@options.asking_options
@options.DRY_RUN_JSON
def generate_command(
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
    from reviewscore.llm.confidentiality import permission_of
    from reviewscore.sources.collection import read_papers

    settings = settings_of(models[0], flags)
    papers = read_papers(data, skip_bad_lines=skip_bad_lines)
    papers = papers.permitted(permission_of(settings, models))
    tell(papers)
    expected = expected_to_generate(papers, models, settings)
    if not go_on(expected, settings, dry_run=dry_run):
        return 0
    outcome = generate(papers, models, output, settings, retry_errors=retry_errors, say=say)
    return close(outcome, output)


@click.command("export-pairs", cls=Verb)
@options.DATA
@options.path("-o", "--output", required=True, help="The file (JSONL).")
@options.switch("--chat", help="Write messages (system, user, assistant).")
@options.preset(
    "--seed",
    type=click.IntRange(0),
    default=0,
    help="Which three reviews of a paper with more are drawn.",
)
@options.SKIP_BAD_LINES
def export_pairs_command(
    data: Path, output: Path, chat: bool, seed: int, skip_bad_lines: bool
) -> None:
    """Write prompts and continuations: nine a paper for GEM, nine for GEM-S.

    Of three people's reviews: six ordered pairs, and three without a candidate.

    \b
    Example:  reviewscore gem export-pairs prepared -o pairs.jsonl
    """
    from reviewscore.gem.export_pairs import export_pairs
    from reviewscore.schema.confidentiality import Permission
    from reviewscore.sources.system_reviews import read_materials

    default = options.settings_from({}).settings.consent
    may = Permission(leaves=True, default=default)  # any model may be trained on it
    materials = read_materials(data, skip_bad_lines=skip_bad_lines).permitted(may)
    tell(materials)
    exported_pairs = export_pairs(materials, output, seed=seed, chat=chat)
    kinds = ", ".join(f"{count:,} for {name}" for name, count in exported_pairs.pairs.items())
    print_line(f"{exported_pairs.path}: {kinds}, of {exported_pairs.papers:,} papers")
    for reason, count in exported_pairs.left_out.items():
        say(f"left out: {count:,} {reason}")


@click.command("prime", cls=Verb)
@options.DATA
@options.path("-o", "--output", required=True, help="The file (.npz).")
@options.preset(
    "--form",
    type=options.FORMS,
    default="judgments",
    help="Which text of the reviews: GEM and GEM-S read judgments, GEM-raw reads raw.",
)
@options.switch("--strict", help="Refuse fewer than 100 papers.")
@options.SKIP_BAD_LINES
def prime_command(data: Path, output: Path, form: str, strict: bool, skip_bad_lines: bool) -> None:
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
