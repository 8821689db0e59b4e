"""``reviewscore focus profile``: what reviews look at, beside a reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli.focus.labelling import Annotator, labelling_options
from reviewscore.cli.options import GroupedCommand
from reviewscore.cli.tabling import tabling_options
from reviewscore.config import pairs
from reviewscore.errors import InputError

if TYPE_CHECKING:
    from reviewscore.sources.written import Materials

KEPT = "annotated"
"""Folder of a model's labels within that of the results."""


@click.command("profile", cls=GroupedCommand)
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
@labelling_options
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
    **flags: Any,
) -> int:
    """Count what the strengths and weaknesses of reviews are about, and compare systems.

    DATA is a file of reviews (.jsonl, .parquet) or a folder with one, as for `gem`. Targets:
    problem, prior research, method, theory, experiment, conclusion, paper. Aspects: impact,
    novelty, clarity, validity, not-specific.

    \b
    Example:  reviewscore focus examples/gem -o focus
    """
    from reviewscore.agreement import results
    from reviewscore.agreement.measure import Resampling
    from reviewscore.focus.plots import draw
    from reviewscore.focus.profile import all_points, profile_systems
    from reviewscore.focus.write import VERB, write_points
    from reviewscore.sources.written import PEOPLE, Form

    annotator = Annotator.of(flags, output, KEPT)
    if output is not None:
        results.check_folder(output, VERB, allow_foreign=yes or annotator.began)
    materials = _materials(data, others, skip_bad_lines=skip_bad_lines)
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
    labels = annotator.label(points, materials.files)
    if labels.points is None:
        return labels.code
    found = profile_systems(
        materials, labels.points, annotator.facets, how, reference=reference or PEOPLE
    )
    setup = results.Setup(
        verb=VERB,
        title="Focus of reviews",
        role="annotator",
        model=annotator.name,
        settings={
            **labels.settings, "by": by, "reference": reference or PEOPLE, "form": str(used),
            "level": level, "resamples": resamples, "seed": seed,
        },
        inputs=results.hashes(materials.files),
        notes=[*labels.notes, f"points come from {used}", *found.notes],
    )  # fmt: skip
    if output is not None:
        written = results.write_tables(
            found.tables, setup, output, allow_foreign=yes or annotator.began
        )
        written.append(write_points(found.labelled, output))
        written += draw(found.coded, reference or PEOPLE, output)
        click.echo(f"{len(written)} files; read {written[0]} first", err=True)
    told = results.numbers if as_json else results.page
    click.echo(told(found.tables, setup))
    return labels.code


def _materials(data: Path, others: tuple[str, ...], *, skip_bad_lines: bool) -> Materials:
    """All reviews; the user is told what was left out of them."""
    from reviewscore.sources.written import read_materials

    named = [(name, Path(file)) for name, file in pairs(others, origin="--system").items()]
    materials = read_materials(data, others=named, skip_bad_lines=skip_bad_lines)
    for warning in materials.warnings:
        click.echo(f"warning: {warning}", err=True)
    return materials


def _by_reviewer(materials: Materials) -> Materials:
    """The same reviews, each reviewer a system; those without a name keep their system."""
    return replace(
        materials,
        papers={
            paper: [replace(one, system=one.reviewer or one.system) for one in group]
            for paper, group in materials.papers.items()
        },
    )
