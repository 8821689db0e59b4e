"""``reviewscore validate``: can a judge be trusted on these papers?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli import options
from reviewscore.cli.validate_on import SETS, say_left_out, validate_on
from reviewscore.config import Settings, as_settings

if TYPE_CHECKING:
    from reviewscore.sources.lazy_papers import PaperHandle
    from reviewscore.validation.writing import WritePlan


@click.command("validate", cls=options.GroupedCommand)
@click.argument("papers", nargs=-1, required=True, type=options.PATH)
@options.path(
    "--items", help="Planted points, one object a line [default: planted.jsonl beside the papers]"
)
@click.option("--writer", help="Without --items: the model that writes them, named like --model.")
@click.option(
    "--confirmer", multiple=True, help="A model that confirms what was written; twice for two."
)
@options.preset(
    "--items-per-paper",
    type=click.IntRange(1, 24),
    default=8,
    help="Remarks that the writer is asked for about each paper.",
)
@click.option(
    "--on", type=click.Choice(SETS), help="PAPERS are files of this labelled set, without --items."
)
@options.path("--mapping", help="Of peerreview-bench: what values of correctness mean (TOML).")
@options.path("-o", "--output", required=True, help="Folder of the run and its page.")
@click.option(
    "--also",
    multiple=True,
    type=click.Choice(["injections", "positions", "paraphrases"]),
    help="Ask the same remarks in other ways too; may be given several times.",
)
@options.switch("--dry-run", help="Calls, tokens, dollars, hours; asks nothing.")
@options.DRY_RUN_JSON
@options.preset(
    "--resamples", type=click.IntRange(100), default=2000, help="Bootstrap samples of papers."
)
@options.preset(
    "--seed", type=click.IntRange(0), default=0, help="Of names, order and bootstrap samples."
)
@options.switch("--retry-errors", help="Try remarks again that failed.")
@options.YES
@options.ACCEPT_CHANGED
@options.switch("-q", "--quiet", help="Say nothing but errors.")
@options.settings_options
def command(
    papers: tuple[Path, ...],
    items: Path | None,
    writer: str | None,
    confirmer: tuple[str, ...],
    items_per_paper: int,
    on: str | None,
    mapping: Path | None,
    output: Path,
    also: tuple[str, ...],
    dry_run: bool,
    resamples: int,
    seed: int,
    retry_errors: bool,
    yes: bool,
    accept_changed: bool,
    quiet: bool,
    **flags: object,
) -> int:
    """Measure a judge on planted remarks: misinformed ones, and the same ones made fair.

    Each remark is judged twice, by the pipeline of `audit`: about its paper, and about the same
    paper without the passages that answer it. PAPERS are folders or files with papers; of a folder
    that holds planted.jsonl too, these are the remarks. The same command again does only what is
    missing. A model can write the remarks (--writer) and others confirm them (--confirmer); they
    are kept in the folder items of -o. With --on, PAPERS are files of a labelled set, whose
    remarks are judged once each.

    \b
    Example:  reviewscore validate papers.jsonl --items planted.jsonl -o trust --model openai/gpt-5
              reviewscore validate papers.jsonl -o trust --model openai/gpt-5 \\
                  --writer anthropic/claude-opus-4-1 --confirmer ollama/qwen3:32b
              reviewscore validate senhallu_4k.jsonl --on bamboo -o trust --model openai/gpt-5
    """
    from reviewscore.bounds import put_in_force
    from reviewscore.cli.audit import dry_run_of, score
    from reviewscore.cli.closing import exit_code
    from reviewscore.cli.main import PARTLY
    from reviewscore.cli.tabling import say_written
    from reviewscore.cli.terminal import print_line, say, waiting
    from reviewscore.cli.written_items import items_to_judge, source_of
    from reviewscore.runs.unvalidated import keep_validation
    from reviewscore.stats.resampling import Resampling
    from reviewscore.validation.page import headline, write_validation
    from reviewscore.validation.trials import INVENTED, planted_trials
    from reviewscore.validation.validate import validation_of
    from reviewscore.validation.variations import variations_of

    options.check_json(dry_run=dry_run)
    _check_flags(on, mapping, also, items or writer or confirmer)
    resolved = options.settings_from(as_settings(flags))
    put_in_force(resolved.settings.bounds)
    how = Resampling(resamples, seed, "papers")
    if on is not None:
        return validate_on(
            on, papers, output, resolved, mapping=mapping, dry_run=dry_run, how=how, quiet=quiet,
            retry_errors=retry_errors, allow_foreign=yes, accept_changed=accept_changed,
        )  # fmt: skip
    source = source_of(items, papers, writer, confirmer, items_per_paper)
    handles = _permitted(papers, source, resolved.settings)
    ready = items_to_judge(
        source, handles, resolved, output,
        dry_run=dry_run, quiet=quiet, retry_errors=retry_errors, allow_foreign=yes,
    )  # fmt: skip
    varied = variations_of(also, author_response=resolved.settings.author_response)
    with waiting("making versions of papers", quiet=quiet):
        planted = planted_trials(ready.points, handles, seed=seed, also=varied)
    say_left_out(planted.left_out)
    if dry_run:
        return dry_run_of(planted.collection, resolved, beside=ready.beside)
    settings, outcome = score(
        planted.collection,
        ready.resolved,
        output,
        quiet=quiet,
        retry_errors=retry_errors,
        allow_foreign=yes or ready.written is not None,
        accept_changed=accept_changed,
    )
    made = validation_of(
        planted, output, settings, manifest=outcome.manifest, items=ready.file, how=how,
        written=ready.written,
    )  # fmt: skip
    written = write_validation(made, output, allow_foreign=True)
    invented = all(trial.point.source == INVENTED for trial in planted.trials)
    if made.complete and not made.changed and not invented:
        keep_validation(made.record, settings)
    if not quiet:
        print_line(headline(made))
        say_written(written)
        if invented:
            say("its papers are invented: later audits and reports do not repeat it")
    failed = f"{outcome.failed} remarks failed; --retry-errors tries them again"
    return exit_code(outcome, output, failed) or (PARTLY if ready.failed else 0)


def _permitted(
    papers: tuple[Path, ...], source: Path | WritePlan, settings: Settings
) -> Mapping[str, PaperHandle]:
    """The papers that judges, writer and confirmers may read; says how many others there are."""
    from reviewscore.cli.terminal import warn
    from reviewscore.llm.confidentiality import permission_of
    from reviewscore.sources.collection import Collection
    from reviewscore.validation.trials import papers_of

    writing = () if isinstance(source, Path) else (source.writer, *source.confirmers)
    may = permission_of(settings, (*settings.models, *writing))
    known = Collection(papers_of(papers), []).permitted(may)
    warn(known.warnings)
    return known.papers


def _check_flags(on: str | None, mapping: Path | None, also: object, planted: object) -> None:
    """Refuse flags that would have no effect."""
    if (mapping and not on) or (on and (also or planted)):
        words = "--items, --also, --writer and --confirmer go without --on; --mapping goes with it."
        raise click.UsageError(words)
