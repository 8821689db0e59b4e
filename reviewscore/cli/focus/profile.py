"""``reviewscore focus profile``: what reviews look at, beside a reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli.tabling import tabling_options
from reviewscore.config import pairs
from reviewscore.errors import InputError

if TYPE_CHECKING:
    from reviewscore.sources.written import Materials

_HONEST = (
    "labels are by the embedded annotator: words and their weights, no meaning. On 150 points "
    "labelled by hand by its author, before it was written, it agrees by kappa 0.79 on targets and "
    "0.90 on aspects; on 50 of them labelled by somebody else by 0.71 and 0.89 (people with each "
    "other: 0.89 and 0.94)"
)


@click.command("profile")
@click.argument("data", type=click.Path(path_type=Path))
@tabling_options
@click.option(
    "--system",
    "others",
    multiple=True,
    help="Reviews of another system on the same papers: NAME=FILE.",
)
@click.option(
    "--by",
    type=click.Choice(["system", "reviewer"]),
    default="system",
    show_default=True,
    help="What names a system: the field system, or the field reviewer.",
)
@click.option("--reference", help="The system that others are compared with; people by default.")
@click.option(
    "--form",
    type=click.Choice(["judgments", "raw"]),
    help="Which text points come from; judgments if every review has them.",
)
@click.option("--skip-bad-lines", is_flag=True, help="Go on without lines that cannot be used.")
def command(
    data: Path,
    output: Path | None,
    others: tuple[str, ...],
    by: str,
    reference: str | None,
    form: str | None,
    level: float,
    resamples: int,
    seed: int,
    skip_bad_lines: bool,
    as_json: bool,
    yes: bool,
) -> None:
    """Count what the strengths and weaknesses of reviews are about, and compare systems.

    DATA is a file of reviews (.jsonl, .parquet) or a folder with one, as for `gem`. Targets:
    problem, prior research, method, theory, experiment, conclusion, paper. Aspects: impact,
    novelty, clarity, validity, not-specific.

    \b
    Example:  reviewscore focus examples/gem -o focus
    """
    from reviewscore.agreement import results
    from reviewscore.agreement.measure import Resampling
    from reviewscore.focus.facets import DEFAULT
    from reviewscore.focus.lexical import NAME, annotate
    from reviewscore.focus.plots import draw
    from reviewscore.focus.profile import all_points, profile_systems
    from reviewscore.focus.write import VERB, write_points
    from reviewscore.sources.written import PEOPLE, Form, read_materials

    if output is not None:
        results.check_folder(output, VERB, allow_foreign=yes)
    named = [(name, Path(file)) for name, file in pairs(others, origin="--system").items()]
    materials = read_materials(data, others=named, skip_bad_lines=skip_bad_lines)
    for warning in materials.warnings:
        click.echo(f"warning: {warning}", err=True)
    materials = _by_reviewer(materials) if by == "reviewer" else materials
    systems = materials.systems()
    if reference is not None and reference not in systems:
        raise InputError(
            f"no reviews of system '{reference}'",
            file=data,
            cure=f"there are: {', '.join(systems)}",
        )
    points, used = all_points(materials, Form(form) if form else None)
    how = Resampling(resamples, seed, scheme="papers", level=level)
    found = profile_systems(
        materials, list(annotate(points)), DEFAULT, how, reference=reference or PEOPLE
    )
    setup = results.Setup(
        verb=VERB,
        title="Focus of reviews",
        role="annotator",
        model=NAME,
        settings={
            "facets": DEFAULT.name, "by": by, "reference": reference or PEOPLE, "form": str(used),
            "level": level, "resamples": resamples, "seed": seed,
        },
        inputs=results.hashes(materials.files),
        notes=[_HONEST, f"points come from {used}", *found.notes],
    )  # fmt: skip
    if output is not None:
        written = results.write_tables(found.tables, setup, output, allow_foreign=yes)
        written.append(write_points(found.labelled, output))
        written += draw(found.coded, reference or PEOPLE, output)
        click.echo(f"{len(written)} files; read {written[0]} first", err=True)
    told = results.numbers if as_json else results.page
    click.echo(told(found.tables, setup))


def _by_reviewer(materials: Materials) -> Materials:
    """The same reviews, each reviewer a system; those without a name keep their system."""
    return replace(
        materials,
        papers={
            paper: [replace(one, system=one.reviewer or one.system) for one in group]
            for paper, group in materials.papers.items()
        },
    )
