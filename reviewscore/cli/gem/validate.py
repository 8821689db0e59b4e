"""``reviewscore gem validate``: does a metric notice what it should, and can it be cheated?"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli.gem.companions import Companions
from reviewscore.cli.gem.evaluator import chosen, evaluator_options, find_evaluators
from reviewscore.cli.tabling import tell
from reviewscore.cli.terminal import print_text, say
from reviewscore.cli.verb import Verb
from reviewscore.config import Plain
from reviewscore.errors import InputError

if TYPE_CHECKING:
    from reviewscore.gem.backgrounds import Evaluators
    from reviewscore.gem.cases import Variant
    from reviewscore.sources.written import Materials
    from reviewscore.stats.writing import Setup
    from reviewscore.text.similarity import Metric


@click.command("validate", cls=Verb)
@click.argument("data", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of tables.")
@click.option(
    "--form",
    type=click.Choice(["judgments", "raw"]),
    help="Which text is altered and scored; judgments if the data has them.",
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="NAME[=MODEL]",
    help="Validate these beside GEM: bleu, rouge-l, compression, bertscore=hf/NAME, "
    "bartscore=hf/NAME, examiner=openai/NAME (which reads the papers).",
)
@click.option(
    "--writer",
    help="A model that alters reviews too: completion, abstract-only review, rephrasing.",
)
@click.option("--max-usd", type=float, help="Stop before so many dollars are passed.")
@evaluator_options
@click.option("--candidate", help="The reviewer whose reviews are altered; each paper's first.")
@click.option("--limit", type=click.IntRange(2), help="Only so many papers.")
@click.option("--resamples", type=click.IntRange(100), default=1000, show_default=True,
              help="Bootstrap samples.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Of alterations, derangements and bootstrap.")  # fmt: skip
@click.option("--skip-bad-lines", is_flag=True, help="Go on without lines that cannot be used.")
@click.option("--yes", is_flag=True, help="Write into a folder that holds other things.")
def command(
    data: Path,
    output: Path | None,
    form: str | None,
    baselines: tuple[str, ...],
    writer: str | None,
    max_usd: float | None,
    candidate: str | None,
    limit: int | None,
    resamples: int,
    seed: int,
    skip_bad_lines: bool,
    yes: bool,
    **flags: Any,
) -> None:
    """Alter reviews and see what metrics make of it: degradations, manipulations, attacks.

    Standardised mean differences with intervals and p-values, the area of matched against
    mismatched reviews, and a ladder of smaller and smaller parts.

    \b
    Example:  reviewscore gem validate reviews.parquet --baseline bleu --baseline rouge-l
    """
    from reviewscore.gem.trial import subjects_of, trial
    from reviewscore.gem.write import VERB
    from reviewscore.sources.written import read_materials
    from reviewscore.stats.resampling import Resampling
    from reviewscore.stats.writing import check_folder, page, write_tables

    if output is not None:
        check_folder(output, VERB, allow_foreign=yes)
    materials = read_materials(data, skip_bad_lines=skip_bad_lines)
    tell(materials)
    variant = _variant(materials, form, data)
    choice = chosen(flags)
    with ExitStack() as stack:
        evaluators = stack.enter_context(find_evaluators(choice, materials))
        subjects = subjects_of(
            materials, variant, evaluators, candidate=candidate, limit=limit, seed=seed
        )
        companions = Companions(stack, choice, max_usd)
        metrics = [*_gems(evaluators, variant), *map(companions.baseline, dict.fromkeys(baselines))]
        more = companions.altered(writer, subjects) if writer else []
        how = Resampling(resamples, seed, scheme="papers")
        found = trial(metrics, subjects, more=more, resampling=how, seed=seed, say=say)
        settings: dict[str, Plain] = {
            "form": str(variant.form), "synopsis": variant.known, "candidate": candidate,
            "papers": len(subjects), "resamples": resamples, "seed": seed, "writer": writer,
            "baselines": list(baselines), **choice.settings(),
        }  # fmt: skip
        notes = [
            f"{len(subjects):,} of the data's {len(materials.papers):,} papers are used: "
            "those with a candidate and a reference that one evaluation model has not seen",
            *found.notes,
        ]
        setup = _setup(evaluators, materials, notes, settings)
    if output is not None:
        written = write_tables(found.tables, setup, output, allow_foreign=yes)
        say(f"{len(written)} files; read {written[0]} first")
    print_text(page(found.tables[:-1], setup), markdown=True)


def _variant(materials: Materials, form: str | None, data: Path) -> Variant:
    """What is read, with a synopsis wherever papers have one."""
    from dataclasses import replace

    from reviewscore.gem.cases import GEM, GEM_RAW, Cases, Known, possible
    from reviewscore.sources.written import Form

    can = list(possible(materials))
    wanted = Form(form) if form else Form.JUDGMENTS if GEM in can else Form.RAW
    base = GEM if wanted is Form.JUDGMENTS else GEM_RAW
    if base not in can:
        raise InputError(f"has no text in the form {wanted}", file=data, cure="choose the other")
    synopses: tuple[Known, ...] = ("abstract", "stand-in")
    for known in synopses:
        variant = replace(base, known=known)
        if sum(map(bool, Cases(materials, variant))) > 1:
            return variant
    return base


def _gems(evaluators: Evaluators, variant: Variant) -> list[Metric]:
    from reviewscore.gem.trial import GemOfPapers

    raw = "-raw" if variant.form == "raw" else ""
    metrics: list[Metric] = [
        GemOfPapers(evaluators, variant.form, synopsis=False, name=f"GEM{raw}")
    ]
    if variant.conditional:
        name = f"GEM-S{raw} ({variant.known})"
        metrics.append(GemOfPapers(evaluators, variant.form, synopsis=True, name=name))
    return metrics


def _setup(
    evaluators: Evaluators, materials: Materials, notes: list[str], settings: dict[str, Plain]
) -> Setup:
    from reviewscore.gem.tables import HONEST
    from reviewscore.gem.write import VERB
    from reviewscore.stats.writing import Setup, hashes

    honest = [HONEST] if evaluators.name == "lexical-cache" else []
    return Setup(
        verb=VERB,
        title="Validation of metrics of reviews",
        role="evaluation model",
        model=evaluators.name,
        settings=settings,
        inputs=hashes([*materials.files, *evaluators.files]),
        notes=[*honest, *evaluators.notes(), *notes],
    )
