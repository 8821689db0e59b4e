"""``reviewscore focus profile``: what reviews look at, beside a reference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli.focus.labelling import Annotator, labelling_options
from reviewscore.cli.focus.reading import WHENCE, Read, read, reading_options
from reviewscore.cli.options import GroupedCommand
from reviewscore.cli.tabling import tabling_options
from reviewscore.cli.terminal import print_text, say
from reviewscore.errors import InputError

if TYPE_CHECKING:
    from reviewscore.focus.profile import Profile
    from reviewscore.focus.write import PointLines
    from reviewscore.likeness.pair import Metric
    from reviewscore.stats.writing import Setup

KEPT = "annotated"
"""Folder of a model's labels within that of the results."""
MOST = 500
"""Systems in one study: their intervals are held in memory together, and take minutes."""


@click.command("profile", cls=GroupedCommand)
@reading_options
@tabling_options
@click.option("--reference", help="The system that others are compared with; people by default.")
@click.option(
    "--bertscore",
    metavar="MODEL",
    help="Compare texts by this encoder too (hf/NAME or ./FOLDER; needs the extra hf).",
)
@labelling_options
def command(
    output: Path | None,
    level: float,
    resamples: int,
    seed: int,
    as_json: bool,
    yes: bool,
    reference: str | None,
    bertscore: str | None,
    **flags: Any,
) -> int:
    """Count what the strengths and weaknesses of reviews are about, and compare systems.

    DATA is a file of reviews (.jsonl, .parquet) or a folder with one, as for `gem`; or a run of
    `audit`, whose report then shows what its reviews look at and what each leaves out. Targets:
    problem, prior research, method, theory, experiment, conclusion, paper. Aspects: impact,
    novelty, clarity, validity, not-specific.

    \b
    Example:  reviewscore focus examples/gem -o focus
              reviewscore focus runs/iclr24 --by reviewer
    """
    from reviewscore.focus.profile import profile_systems
    from reviewscore.focus.write import VERB, PointLines
    from reviewscore.sources.written import PEOPLE
    from reviewscore.stats import writing as results
    from reviewscore.stats.resampling import Resampling
    from reviewscore.store.run_dir import FOCUS

    by, found = flags["by"], read(flags)
    if output is None and found.run is not None:
        output = found.run / FOCUS
    annotator = Annotator.of(flags, output, KEPT)
    if output is not None:
        results.check_folder(output, VERB, allow_foreign=yes or annotator.began)
    _check_systems(found, reference)
    reference = reference or PEOPLE
    metrics = _metrics(bertscore)
    labels = annotator.label(found.points, found.materials.files)
    if labels.points is None:
        return labels.code
    lines = PointLines()
    profile = profile_systems(
        found.materials, lines.noted(labels.points), annotator.facets,
        Resampling(resamples, seed, scheme="papers", level=level),
        reference=reference, form=found.form, metrics=metrics,
    )  # fmt: skip
    setup = results.Setup(
        verb=VERB,
        title="Focus of reviews",
        role="annotator",
        model=annotator.name,
        settings={
            **labels.settings, "by": by, "reference": reference, "form": str(found.form),
            "bertscore": bertscore, "level": level, "resamples": resamples, "seed": seed,
        },
        inputs=results.hashes(found.materials.files),
        notes=[
            *labels.notes, f"points come from {WHENCE[found.form]}", *profile.notes,
            *_left_out(found),
        ],
    )  # fmt: skip
    if output is not None:
        foreign = yes or annotator.began  # by now, labels of this session too
        _write(profile, lines, setup, reference, output, found.run, foreign=foreign)
    told = results.numbers if as_json else results.page
    print_text(told(profile.tables, setup), markdown=True)
    return labels.code


def _write(
    profile: Profile, lines: PointLines, setup: Setup, reference: str, out: Path,
    run: Path | None, *, foreign: bool,
) -> None:  # fmt: skip
    from reviewscore.focus.digest import write_digest
    from reviewscore.focus.plots import draw
    from reviewscore.stats import writing as results

    written = results.write_tables(
        profile.tables, setup, out, allow_foreign=foreign,
        draw=lambda folder: draw(profile.coded, profile.differences, reference, folder),
    )  # fmt: skip
    written.append(lines.write(out))
    say(f"{len(written)} files; read {written[0]} first")
    if run is not None:
        write_digest(run, profile, setup, reference)
        say(f"`reviewscore report {run}` shows it")


def _check_systems(found: Read, reference: str | None) -> None:
    systems = found.materials.systems()
    if len(systems) > MOST:
        raise InputError(
            f"{len(systems):,} systems; at most {MOST} are compared",
            file=found.materials.files[0] if found.materials.files else None,
            cure="give the reviews of fewer, or leave out --by reviewer",
        )
    if reference is not None and reference not in systems:
        raise InputError(
            f"no reviews of system '{reference}'",
            file=found.materials.files[0] if found.materials.files else None,
            cure=f"there are: {', '.join(systems)}",
        )


def _left_out(found: Read) -> list[str]:
    lines = len(found.materials.skipped)
    return [f"lines that could not be read and were left out: {lines:,}"] if lines else []


def _metrics(bertscore: str | None) -> list[Metric]:
    """How texts are compared: as in Table 3 of the paper, its encoder where one is named."""
    from reviewscore.likeness.overlap import Bleu, RougeL

    found: list[Metric] = [RougeL(), Bleu()]
    if bertscore is not None:
        from reviewscore.hf import ENCODER, load
        from reviewscore.likeness.bertscore import BertScore

        found.append(BertScore(load(bertscore, ENCODER)))
    return found
