"""Which reviews are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reviewscore.cli.options import ACCEPT_CHANGED, DataPath
from reviewscore.cli.systems import named_files
from reviewscore.cli.tabling import tell
from reviewscore.errors import InputError, SettingsError

if TYPE_CHECKING:
    from reviewscore.focus.profile import Points
    from reviewscore.sources.written import Form, Materials, Written

Command = TypeVar("Command", bound=Callable[..., Any])

WHENCE = {"judgments": "judgments, one a line", "raw": "reviews as written"}
"""What points are taken from, in words."""

BY = click.option(
    "--by",
    type=click.Choice(["system", "reviewer"]),
    default="system",
    show_default=True,
    help="What names a system: the field system, or the field reviewer.",
)

_OPTIONS = (
    click.argument("data", type=click.Path(path_type=Path)),
    click.option(
        "--system",
        "systems",
        multiple=True,
        help="Reviews of another system on the same papers: NAME=FILE.",
    ),
    BY,
    click.option(
        "--form",
        type=click.Choice(["judgments", "raw"]),
        help="Which text points come from; judgments if every review has them.",
    ),
    click.option(
        "--data",
        "moved",
        type=DataPath(),
        help="Of a run: the folder of its papers and reviews, if it has moved.",
    ),
    ACCEPT_CHANGED,
    click.option("--skip-bad-lines", is_flag=True, help="Go on without lines that cannot be used."),
)


def reading_options(command: Command) -> Command:
    """Add DATA and the flags about which reviews are read, and how."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Read:
    """What was read.

    Attributes:
        materials: All reviews.
        points: Their strengths and weaknesses, found anew whenever they are gone through.
        form: Which text these are from.
        run: The run folder that DATA is; None if it is none.
    """

    materials: Materials
    points: Points
    form: Form
    run: Path | None


def read(flags: dict[str, Any]) -> Read:
    """Read reviews as the flags of `reading_options` say, and take these out of `flags`.

    Raises:
        InputError: A file is missing or a line cannot be used.
        SettingsError: A flag cannot be used.
    """
    from reviewscore.focus.profile import Points
    from reviewscore.runs.folder import MANIFEST
    from reviewscore.sources.written import Form, read_materials

    data, moved = Path(flags.pop("data")), flags.pop("moved")
    others, skip = named_files(flags.pop("systems")), flags.pop("skip_bad_lines")
    accept_changed = flags.pop("accept_changed")
    run = data if (data / MANIFEST).is_file() else None
    if run is None and moved is not None:
        raise SettingsError(f"--data is for runs of `audit`, and {data} is none")
    if run is not None and others:
        raise SettingsError("--system goes with a file of reviews, not with a run")
    materials = (
        read_materials(data, others=others, skip_bad_lines=skip)
        if run is None
        else _of_run(run, moved, accept_changed=accept_changed)
    )
    tell(materials)
    if flags.pop("by") == "reviewer":
        materials = by_reviewer(materials)
    form = flags.pop("form")
    points = Points.of(materials, Form(form) if form else None)
    return Read(materials, points, points.form, run)


def _of_run(run: Path, moved: Path | None, *, accept_changed: bool) -> Materials:
    from reviewscore.cli.run_data import collection_of
    from reviewscore.sources.written import materials_of

    collection = collection_of(run, moved, accept_changed=accept_changed)
    if collection is None:
        raise InputError("its reviews are not at hand", file=run, cure="name them with --data")
    return materials_of(collection)


def by_reviewer(materials: Materials) -> Materials:
    """The same reviews, each reviewer a system; those without a name keep their system."""
    from reviewscore.sources.shelved import Altered

    def renamed(review: Written) -> Written:
        return replace(review, system=review.reviewer or review.system)

    return replace(materials, papers=Altered(materials.papers, renamed))
