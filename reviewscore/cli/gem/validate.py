"""``reviewscore gem validate``: does a metric notice what it should, and can it be cheated?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli.gem.evaluator import evaluator_options, find_evaluators, say
from reviewscore.config import Plain
from reviewscore.errors import InputError

if TYPE_CHECKING:
    from reviewscore.gem.backgrounds import Evaluators
    from reviewscore.gem.cases import Variant
    from reviewscore.gem.evaluation import Metric
    from reviewscore.gem.materials import Materials
    from reviewscore.gem.write import Account

BASELINES = ("bleu", "rouge-l", "compression")


@click.command("validate")
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
    type=click.Choice(BASELINES),
    help="Validate these metrics beside GEM.",
)
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
    model: str,
    background: Path | None,
    base_url: str | None,
    strict: bool,
    candidate: str | None,
    limit: int | None,
    resamples: int,
    seed: int,
    skip_bad_lines: bool,
    yes: bool,
) -> None:
    """Alter reviews and see what metrics make of it: degradations, manipulations, attacks.

    Standardised mean differences with intervals and p-values, the area of matched against
    mismatched reviews, and a ladder of smaller and smaller parts.

    \b
    Example:  reviewscore gem validate reviews.parquet --baseline bleu --baseline rouge-l
    """
    from reviewscore.agreement.measure import Resampling
    from reviewscore.gem.materials import read_materials
    from reviewscore.gem.trial import subjects_of, trial
    from reviewscore.gem.write import page, write_tables

    materials = read_materials(data, skip_bad_lines=skip_bad_lines)
    for warning in materials.warnings:
        say(f"warning: {warning}")
    variant = _variant(materials, form, data)
    with find_evaluators(
        model, materials, background=background, base_url=base_url, strict=strict
    ) as evaluators:
        subjects = subjects_of(
            materials, variant, evaluators, candidate=candidate, limit=limit, seed=seed
        )
        metrics = _metrics(evaluators, variant, baselines)
        how = Resampling(resamples, seed, scheme="papers")
        found = trial(metrics, subjects, resampling=how, seed=seed, say=say)
        settings: dict[str, Plain] = {
            "form": str(variant.form), "synopsis": variant.known, "candidate": candidate,
            "papers": len(subjects), "resamples": resamples, "seed": seed,
            "background": str(background) if background else None, "base_url": base_url,
        }  # fmt: skip
        account = _account(evaluators, materials, found.notes, settings)
    if output is not None:
        written = write_tables(found.tables, account, output, allow_foreign=yes)
        say(f"{len(written)} files; read {written[0]} first")
    click.echo(page(found.tables[:-1], account))


def _variant(materials: Materials, form: str | None, data: Path) -> Variant:
    """What is read, with a synopsis wherever papers have one."""
    from dataclasses import replace

    from reviewscore.gem.cases import GEM, GEM_RAW, Known, cases, possible
    from reviewscore.gem.materials import Form

    can = list(possible(materials))
    wanted = Form(form) if form else Form.JUDGMENTS if GEM in can else Form.RAW
    base = GEM if wanted is Form.JUDGMENTS else GEM_RAW
    if base not in can:
        raise InputError(f"has no text in the form {wanted}", file=data, cure="choose the other")
    synopses: tuple[Known, ...] = ("abstract", "stand-in")
    for known in synopses:
        variant = replace(base, known=known)
        if len({one.candidate.paper_id for one in cases(materials, variant)[0]}) > 1:
            return variant
    return base


def _metrics(evaluators: Evaluators, variant: Variant, baselines: tuple[str, ...]) -> list[Metric]:
    from reviewscore.gem.baselines.compression import Compression
    from reviewscore.gem.baselines.overlap import Bleu, RougeL
    from reviewscore.gem.trial import GemOfPapers

    raw = "-raw" if variant.form == "raw" else ""
    metrics: list[Metric] = [
        GemOfPapers(evaluators, variant.form, synopsis=False, name=f"GEM{raw}")
    ]
    if variant.conditional:
        name = f"GEM-S{raw} ({variant.known})"
        metrics.append(GemOfPapers(evaluators, variant.form, synopsis=True, name=name))
    kinds: dict[str, type[Metric]] = {"bleu": Bleu, "rouge-l": RougeL, "compression": Compression}
    metrics += [kinds[name]() for name in dict.fromkeys(baselines)]
    return metrics


def _account(
    evaluators: Evaluators, materials: Materials, notes: list[str], settings: dict[str, Plain]
) -> Account:
    from reviewscore.gem.tables import HONEST
    from reviewscore.gem.write import Account
    from reviewscore.store.manifest import hash_file

    honest = [HONEST] if evaluators.name == "lexical-cache" else []
    return Account(
        title="Validation of metrics of reviews",
        model=evaluators.name,
        settings=settings,
        inputs={one.name: hash_file(one).sha256 for one in materials.files},
        notes=[*honest, *evaluators.notes(), *notes],
    )
