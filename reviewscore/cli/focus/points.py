"""Which reviews are read, and who gives their points facets: flags and checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.closing import close, go_on, settings_of
from reviewscore.cli.inputs import named_files, tell
from reviewscore.cli.terminal import print_line, warn
from reviewscore.errors import InputError, SettingsError

if TYPE_CHECKING:
    from reviewscore.config import Plain, Settings
    from reviewscore.focus.facets import FacetPoint, FacetSet, Labelled
    from reviewscore.focus.profile import SystemPoints
    from reviewscore.schema.confidentiality import Permission
    from reviewscore.sources.system_reviews import Materials, SystemReview, TextForm


WHENCE = {"judgments": "judgments, one a line", "raw": "reviews as written"}
"""What points are taken from, in words."""

BY = options.preset(
    "--by",
    type=click.Choice(["system", "reviewer"]),
    default="system",
    help="What names a system: the field system, or the field reviewer.",
)

reading_options = options.together(
    options.DATA,
    click.option(
        "--system", "systems", multiple=True,
        help="Reviews of another system on the same papers: NAME=FILE.",
    ),
    BY,
    click.option(
        "--form", type=options.FORMS,
        help="Which text points come from; judgments if every review has them.",
    ),
    click.option(
        "--data", "moved", type=options.DataPath(),
        help="Of a run: the folder of its papers and reviews, if it has moved.",
    ),
    options.ACCEPT_CHANGED,
    options.SKIP_BAD_LINES,
)  # fmt: skip
"""DATA and the flags about which reviews are read, and how."""


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
    points: SystemPoints
    form: TextForm
    run: Path | None

    def permitted(self, may: Permission) -> Read:
        """What of it models may read."""
        from reviewscore.focus.profile import SystemPoints

        materials = self.materials.permitted(may)
        if materials is self.materials:
            return self
        warn(set(materials.warnings) - set(self.materials.warnings))
        points = SystemPoints.of(materials, self.form)
        return replace(self, materials=materials, points=points)


def read(flags: dict[str, Any]) -> Read:
    """Read reviews as the flags of `reading_options` say, and take these out of `flags`.

    Raises:
        InputError: A file is missing or a line cannot be used.
        SettingsError: A flag cannot be used.
    """
    from reviewscore.cli.inputs import collection_of
    from reviewscore.focus.profile import SystemPoints
    from reviewscore.runs.folder import MANIFEST
    from reviewscore.sources.system_reviews import TextForm, materials_of, read_materials

    data, moved = Path(flags.pop("data")), flags.pop("moved")
    others, skip = named_files(flags.pop("systems")), flags.pop("skip_bad_lines")
    accept_changed = flags.pop("accept_changed")
    run = data if (data / MANIFEST).is_file() else None
    if run is None and moved is not None:
        raise SettingsError(f"--data is for runs of `audit`, and {data} is none")
    if run is not None and others:
        raise SettingsError("--system goes with a file of reviews, not with a run")
    if run is None:
        materials = read_materials(data, others=others, skip_bad_lines=skip)
    elif (collection := collection_of(run, moved, accept_changed=accept_changed)) is not None:
        materials = materials_of(collection)
    else:
        raise InputError("its reviews are not at hand", file=run, cure="name them with --data")
    tell(materials)
    if flags.pop("by") == "reviewer":
        materials = by_reviewer(materials)
    form = flags.pop("form")
    points = SystemPoints.of(materials, TextForm(form) if form else None)
    return Read(materials, points, points.form, run)


def by_reviewer(materials: Materials) -> Materials:
    """The same reviews, each reviewer a system; those without a name keep their system."""
    from reviewscore.sources.spooled import MappedGroups

    def renamed(review: SystemReview) -> SystemReview:
        return replace(review, system=review.reviewer or review.system)

    return replace(materials, papers=MappedGroups(materials.papers, renamed))


_HONEST = (
    "labels are by the embedded annotator: words, cues and their weights, no meaning; how far it "
    "agrees with readers stands in docs/guide/focus.md"
)
labelling_options = options.together(
    click.option(
        "--model",
        help="Who labels: lexical (embedded, the default), openai/NAME, anthropic/NAME, ...",
    ),
    options.path("--facets", help="Targets and aspects of another field, as TOML (needs --model)."),
    options.asking_options,
)  # fmt: skip
"""Flags about who labels and how."""


@dataclass(frozen=True)
class Labelling:
    """Points with facets, and how they got them.

    Attributes:
        points: In order, to be gone through once; None if there is nothing to go on with.
        code: Exit code of the command.
        settings: Whatever can change a label.
        notes: What a reader must know.
    """

    points: Iterable[Labelled] | None
    code: int = 0
    settings: dict[str, Plain] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnnotatorChoice:
    """Who labels, as the flags say.

    Attributes:
        settings: Name the model and the limits.
        facets: The labels.
        folder: Where a model's labels are kept; None if there are no results to keep.
        retry_errors: Ask again for what failed.
        dry_run: Ask nothing.
    """

    settings: Settings
    facets: FacetSet
    folder: Path | None
    retry_errors: bool
    dry_run: bool

    @classmethod
    def of(cls, flags: dict[str, Any], output: Path | None, kept: str) -> AnnotatorChoice:
        """The annotator that flags name.

        Args:
            flags: Of `labelling_options`.
            output: Folder of the results.
            kept: Name of the folder in it that a model's labels are kept in.

        Raises:
            InputError: The file of facets cannot be used.
            SettingsError: It cannot label with these facets, or not without a folder.
        """
        from reviewscore.focus.facets import DEFAULT, read_facets

        retry, dry = flags.pop("retry_errors"), flags.pop("dry_run")
        file, model = flags.pop("facets"), flags.pop("model")
        settings = settings_of(model, flags)
        if settings.embedded and file is not None:
            raise SettingsError(
                "--facets: the embedded annotator knows only its own facets; name a --model"
            )
        if not settings.embedded and output is None and not dry:
            # Labels are paid for: without a folder neither a failure nor who labelled what by
            # which prompt would be on record.
            raise SettingsError(
                f"the labels of {settings.model} need a folder; name one with -o, "
                "or label without a model (--model lexical)"
            )
        facets = DEFAULT if file is None else read_facets(file)
        return cls(settings, facets, None if output is None else output / kept, retry, dry)

    @property
    def name(self) -> str:
        """The model, or the name of the embedded annotator."""
        return self.settings.model

    @property
    def permission(self) -> Permission:
        """What it may read."""
        from reviewscore.llm.confidentiality import permission_of

        return permission_of(self.settings)

    @property
    def began(self) -> bool:
        """Whether labels are in the folder of the results, and these perhaps not yet."""
        return self.folder is not None and self.folder.is_dir()

    def label(self, points: Iterable[FacetPoint], files: Sequence[Path]) -> Labelling:
        """Label points, and tell the user what it costs and how it ends.

        Args:
            points: The points.
            files: The files that the points come from.
        """
        from reviewscore.focus.lexical import VERSION, annotate

        if not self.settings.embedded:
            return self._ask(list(points), files)
        if self.dry_run:
            print_line("nothing to ask: the embedded annotator labels (name a --model)")
            return Labelling(None)
        how: dict[str, Plain] = {"facets": self.facets.name, "annotator_version": VERSION}
        return Labelling(annotate(points), 0, how, (_HONEST,))

    def _ask(self, points: Sequence[FacetPoint], files: Sequence[Path]) -> Labelling:
        from reviewscore.cli.terminal import TerminalProgress
        from reviewscore.files import hash_file
        from reviewscore.focus.annotator import PROMPTS, expected_to_label, label_points

        expected = expected_to_label(points, self.facets, self.settings)
        if not go_on(expected, self.settings, dry_run=self.dry_run) or self.folder is None:
            return Labelling(None)
        with TerminalProgress(quiet=False, noun="reviews") as progress:
            progress.expect(len({point.review_id for point in points}))
            labels = label_points(
                points, self.facets, self.folder, self.settings,
                inputs=[hash_file(file) for file in files], retry_errors=self.retry_errors,
                say=progress.say, step=progress.step,
            )  # fmt: skip
        account = labels.outcome.manifest
        by = ", ".join(name for name in account.prompts if name.startswith(PROMPTS))
        answered = ", ".join(account.models_answered) or "nobody"
        return Labelling(
            labels.points,
            close(labels.outcome, self.folder, err=True),
            {**account.decisive, "models_answered": list(account.models_answered)},
            (f"labels are by a model (answered: {answered}) with the prompts {by}",),
        )
