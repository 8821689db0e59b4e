"""``reviewscore gem validate``: does a metric notice what it should, and can it be cheated?"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.gem.evaluator import (
    EvaluatorChoice,
    chosen,
    evaluator_options,
    find_evaluators,
    permission,
    setup_of,
)
from reviewscore.cli.inputs import tell
from reviewscore.cli.tabling import Tabling
from reviewscore.cli.terminal import say
from reviewscore.cli.verb import Verb
from reviewscore.config import Plain
from reviewscore.errors import InputError, SettingsError

if TYPE_CHECKING:
    from reviewscore.gem.backgrounds import Evaluators
    from reviewscore.gem.score import Variant
    from reviewscore.gem.validation import AlteredSet, Subject
    from reviewscore.runs.generation import OpenAsker
    from reviewscore.sources.system_reviews import Materials
    from reviewscore.text.similarity import TextMetric

_PLAIN = ("bleu", "rouge-l", "compression")
_MODELLED = ("bertscore", "bartscore", "examiner")


class Companions:
    """Opens what a validation needs beside the evaluation model.

    Args:
        stack: Closes what was opened.
        choice: Device of models on this machine.
        max_usd: Spending cap of paid models.
    """

    def __init__(self, stack: ExitStack, choice: EvaluatorChoice, max_usd: float | None) -> None:
        self._stack, self._choice, self._max_usd = stack, choice, max_usd

    def baseline(self, named: str) -> TextMetric:
        """A metric by ``NAME`` or ``NAME=MODEL``.

        Raises:
            SettingsError: There is none, or its model is missing or cannot be used.
        """
        name, _, model = named.partition("=")
        if name in _PLAIN and not model:
            return _plain(name)
        if name in _MODELLED and model:
            return self._modelled(name, model)
        if name in _MODELLED:
            raise SettingsError(f"--baseline {name} needs a model: {name}=MODEL")
        raise SettingsError(
            f"unknown baseline '{named}'; there are {', '.join((*_PLAIN, *_MODELLED))}"
        )

    def altered(self, writer: str, subjects: Sequence[Subject]) -> list[AlteredSet]:
        """All alterations that a model makes.

        Raises:
            SettingsError: The model cannot be used.
            StopError: Nothing more can be asked; what was answered is on record.
        """
        from reviewscore.gem.alterations.with_model import MODEL_ALTERATIONS
        from reviewscore.gem.validation import model_altered_set

        opened = self._asker(writer)
        say(f"{len(MODEL_ALTERATIONS)} alterations by {writer}")
        return [model_altered_set(alteration, subjects, opened) for alteration in MODEL_ALTERATIONS]

    def _modelled(self, name: str, model: str) -> TextMetric:
        if name == "examiner":
            from reviewscore.gem.baselines import Examiner

            return Examiner(self._asker(model))
        from reviewscore.hf.models import ENCODER, SEQ2SEQ, Loading, load

        loading = Loading(self._choice.device, download=self._choice.download)
        if name == "bertscore":
            from reviewscore.hf.bertscore import BertScore

            return BertScore(load(model, ENCODER, loading))
        from reviewscore.gem.baselines import BartScore
        from reviewscore.gem.hf import SequenceModel

        return BartScore(SequenceModel(load(model, SEQ2SEQ, loading)))

    def _asker(self, model: str) -> OpenAsker:
        """Puts questions through the ledger that all runs share."""
        from reviewscore.llm.connect import RunContext, check
        from reviewscore.llm.ledger.database import Ledger
        from reviewscore.runs.generation import open_asker

        settings = options.settings_from({"model": model, "max_usd": self._max_usd}).settings
        check(settings)
        book = Ledger(settings.ledger_place, run=f"gem-{uuid.uuid4().hex}")
        self._stack.callback(book.close)
        return lambda: open_asker(settings, book, RunContext(say=say))


def _plain(name: str) -> TextMetric:
    from reviewscore.gem.baselines import Compression
    from reviewscore.text.similarity import Bleu, RougeL

    if name == "bleu":
        return Bleu()
    return RougeL() if name == "rouge-l" else Compression()


@click.command("validate", cls=Verb)
@options.DATA
@options.path("-o", "--output", help="Folder of tables.")
@click.option(
    "--form",
    type=options.FORMS,
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
@options.preset("--resamples", type=click.IntRange(100), default=1000, help="Bootstrap samples.")
@options.preset(
    "--seed", type=click.IntRange(0), default=0, help="Of alterations, derangements and bootstrap."
)
@options.SKIP_BAD_LINES
@options.YES
def command(
    data: Path,
    form: str | None,
    baselines: tuple[str, ...],
    writer: str | None,
    max_usd: float | None,
    candidate: str | None,
    limit: int | None,
    skip_bad_lines: bool,
    **flags: Any,
) -> None:
    """Alter reviews and see what metrics make of it: degradations, manipulations, attacks.

    Standardised mean differences with intervals and p-values, the area of matched against
    mismatched reviews, and a ladder of smaller and smaller parts.

    \b
    Example:  reviewscore gem validate reviews.parquet --baseline bleu --baseline rouge-l
    """
    from reviewscore.gem.score import VERB
    from reviewscore.gem.trial import subjects_of, trial
    from reviewscore.sources.system_reviews import read_materials

    tabling = Tabling.of(flags)
    tabling.check_folder(VERB)
    seed = tabling.seed
    choice = chosen(flags)
    asked = [name.partition("=")[2] for name in baselines if name.startswith("examiner=")]
    may = permission(choice, filter(None, [*asked, writer]))
    materials = read_materials(data, skip_bad_lines=skip_bad_lines).permitted(may)
    tell(materials)
    variant = _variant(materials, form, data)
    with ExitStack() as stack:
        evaluators = stack.enter_context(find_evaluators(choice, materials))
        subjects = subjects_of(
            materials, variant, evaluators, candidate=candidate, limit=limit, seed=seed
        )
        companions = Companions(stack, choice, max_usd)
        metrics = [*_gems(evaluators, variant), *map(companions.baseline, dict.fromkeys(baselines))]
        more = companions.altered(writer, subjects) if writer else []
        how = tabling.resampling(scheme="papers")
        found = trial(metrics, subjects, more=more, resampling=how, seed=seed, say=say)
        settings: dict[str, Plain] = {
            "form": str(variant.form), "synopsis": variant.known, "candidate": candidate,
            "papers": len(subjects), "resamples": tabling.resamples, "seed": seed, "writer": writer,
            "baselines": list(baselines), **choice.settings(),
        }  # fmt: skip
        notes = [
            f"{len(subjects):,} of the data's {len(materials.papers):,} papers are used: "
            "those with a candidate and a reference that one evaluation model has not seen",
            *found.notes,
        ]
        read = [*materials.files, *evaluators.files]
        setup = setup_of("Validation of metrics of reviews", evaluators, settings, read, notes)
    tabling.publish(found.tables, setup, foreign=True, shown=found.tables[:-1])


def _variant(materials: Materials, form: str | None, data: Path) -> Variant:
    """What is read, with a synopsis wherever papers have one."""
    from dataclasses import replace

    from reviewscore.gem.score import GEM, GEM_RAW, Cases, Known, possible
    from reviewscore.sources.system_reviews import TextForm

    can = list(possible(materials))
    wanted = TextForm(form) if form else TextForm.JUDGMENTS if GEM in can else TextForm.RAW
    base = GEM if wanted is TextForm.JUDGMENTS else GEM_RAW
    if base not in can:
        raise InputError(f"has no text in the form {wanted}", file=data, cure="choose the other")
    synopses: tuple[Known, ...] = ("abstract", "stand-in")
    for known in synopses:
        variant = replace(base, known=known)
        if sum(map(bool, Cases(materials, variant))) > 1:
            return variant
    return base


def _gems(evaluators: Evaluators, variant: Variant) -> list[TextMetric]:
    from reviewscore.gem.trial import GemOfPapers

    raw = "-raw" if variant.form == "raw" else ""
    metrics: list[TextMetric] = [
        GemOfPapers(evaluators, variant.form, synopsis=False, name=f"GEM{raw}")
    ]
    if variant.conditional:
        name = f"GEM-S{raw} ({variant.known})"
        metrics.append(GemOfPapers(evaluators, variant.form, synopsis=True, name=name))
    return metrics
