"""The labels as a set of `annotations/`: units, labels, annotators, and where they come from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reviewscore.annotate.label_store import Given, now
from reviewscore.annotate.material import text_sha256
from reviewscore.annotate.progress import middle_of
from reviewscore.annotate.rules import stated_of
from reviewscore.annotate.workspace import Workspace, check_kinds
from reviewscore.files import write_whole
from reviewscore.schema.annotation import (
    Annotator,
    AnnotatorKind,
    Label,
    LabelField,
    Unit,
    readers_in_words,
)
from reviewscore.schema.presupposition import LabelledPresupposition
from reviewscore.schema.record import Record
from reviewscore.schema.review import PointType
from reviewscore.sources.annotations import ANNOTATORS, LABELS, UNITS

SOURCE = "SOURCE.md"
ADJUDICATED = "adjudicated.jsonl"
LEFT_OUT = "left_out.jsonl"
_SCALES = {LabelField.UNANSWERABILITY: True, LabelField.FACTUALITY: False}


@dataclass(frozen=True)
class ExportedLabels:
    """What was written.

    Attributes:
        labels: Labels in ``labels.jsonl``.
        left_out: Labels of a scale that does not fit the type the point has to most annotators.
        open_types: Points that are a question to as many as they are a weakness to.
    """

    files: tuple[Path, ...]
    units: int
    labels: int
    left_out: int
    open_types: tuple[str, ...]

    @property
    def words(self) -> str:
        """All that in a sentence."""
        told = f"{self.labels:,} labels of {self.units:,} units written to {self.files[0].parent}"
        if self.left_out:
            told += (
                f"; {self.left_out} labels are on another scale than their point's type asks for "
                f"and lie in {LEFT_OUT}"
            )
        if self.open_types:
            told += f"; settle the type of {', '.join(self.open_types[:5])}"
            told += " and others" if len(self.open_types) > 5 else ""  # noqa: PLR2004
        return told


def export(workspace: Workspace, *, with_text: bool = False) -> ExportedLabels:
    """Write the set; files of an earlier export are replaced, ``SOURCE.md`` is kept.

    A unit has one scale: where annotators differ on question or weakness, labels on the scale of
    the minority go to ``left_out.jsonl``, until the coordinator settles the type.

    Args:
        workspace: The set.
        with_text: Write the words of points and premises, where their licence allows it; else
            their SHA-256.

    Raises:
        StopError: The disk is full; the earlier files are whole.
        RunFolderError: The folder cannot be written.
        SettingsError: It is not known who of the annotators is a person.
    """
    store = workspace.store
    units, kinds = store.units(), store.kinds()
    given = [answer for answer in store.given() if not _nothing_stated(answer)]
    check_kinds(kinds)
    questions, open_types = _settled(workspace, given)
    fit: list[Given] = []
    apart: list[Given] = []
    for one in given:
        asked = _SCALES.get(one.field)
        misfit = (
            asked is not None
            and one.unit_id == one.point_id
            and (one.point_id in open_types or (one.point_id in questions) is not asked)
        )
        (apart if misfit else fit).append(one)
    place = {unit.unit_id: n for n, unit in enumerate(units)}
    fields = list(LabelField)
    fit.sort(key=lambda g: (place[g.unit_id], g.annotator, fields.index(g.field)))
    used = units if with_text else [_without_text(unit) for unit in units]
    files = {
        UNITS: _lines(used),
        LABELS: _lines(_label(one, kinds[one.annotator], workspace, with_text) for one in fit),
        ANNOTATORS: _lines(_annotators(workspace)),
        ADJUDICATED: _decisions(workspace),
        LEFT_OUT: _lines(_label(one, kinds[one.annotator], workspace, with_text) for one in apart),
    }
    for name, text in files.items():
        write_whole(workspace.folder / name, text)
    if not (workspace.folder / SOURCE).exists():
        write_whole(workspace.folder / SOURCE, _source(workspace, with_text=with_text))
    paths = tuple(workspace.folder / name for name in (*files, SOURCE))
    shown = workspace.material.points
    names = tuple(
        shown[name].short_name if name in shown else name
        for name in sorted(open_types, key=place.__getitem__)
    )
    return ExportedLabels(paths, len(units), len(fit), len(apart), names)


def _settled(workspace: Workspace, given: list[Given]) -> tuple[set[str], set[str]]:
    """Points that are questions, and those on which that is open."""
    decisions = workspace.store.decisions()
    sides: dict[str, list[int | str]] = {}
    for one in given:
        if one.field is LabelField.TYPE:
            question = one.entry.value == PointType.QUESTION
            side = PointType.QUESTION if question else PointType.CLAIM
            sides.setdefault(one.point_id, []).append(side)
    questions: set[str] = set()
    open_ones: set[str] = set()
    for point, votes in sides.items():
        decision = decisions.get((point, LabelField.TYPE))
        kind = middle_of(LabelField.TYPE, votes) if decision is None else decision.value
        if kind is None:
            open_ones.add(point)
        elif kind == PointType.QUESTION:
            questions.add(point)
    return questions, open_ones


def _nothing_stated(answer: Given) -> bool:
    """Whether a label says that nothing is left of the presuppositions that were stated."""
    return answer.field is LabelField.PRESUPPOSITIONS and not stated_of(answer.entry.value)


def _label(one: Given, kind: AnnotatorKind | None, workspace: Workspace, with_text: bool) -> Label:
    assert kind is not None  # check_kinds has seen to it
    entry = one.entry
    return Label(
        unit_id=one.unit_id,
        annotator=one.annotator,
        annotator_kind=kind,
        field=one.field,
        value=_stated(one, with_text=with_text)
        if one.field is LabelField.PRESUPPOSITIONS
        else entry.value,
        justification=entry.reason or None,
        codebook=workspace.codebook.value,
        at=entry.at,
        saw_scores=True if entry.saw_scores else None,
        seconds=entry.seconds or None,
    )


def _stated(answer: Given, *, with_text: bool) -> tuple[LabelledPresupposition, ...]:
    """Presuppositions, the paper's words in them left out where they may not be passed on."""
    stated = stated_of(answer.entry.value)
    if with_text:
        return stated
    return tuple(
        known.model_copy(
            update={
                "passages": tuple(
                    passage.model_copy(update={"quote": None}) for passage in known.passages
                )
            }
        )
        for known in stated
    )


def _without_text(unit: Unit) -> Unit:
    return unit.model_copy(update={"text": None, "sha256": text_sha256(unit)})


def _annotators(workspace: Workspace) -> Iterable[Annotator]:
    """Annotators with their group: those who were given the same papers."""
    store = workspace.store
    relevance, assigned = store.relevance(), store.assigned()
    papers = {name: frozenset(p for p, names in assigned.items() if name in names)
              for name in store.annotators()}  # fmt: skip
    groups = {found: f"{n}" for n, found in enumerate(dict.fromkeys(papers.values()), start=1)}
    for name, publications in store.annotators().items():
        yield Annotator(
            annotator=name,
            group=groups[papers[name]],
            publications=publications,
            relevance={paper: value for (who, paper), value in relevance.items() if who == name},
        )


def _decisions(workspace: Workspace) -> str:
    rows = (
        {"unit_id": one.unit_id, "field": one.field.value, "value": one.value, "note": one.note,
         "codebook": workspace.codebook.value, "at": one.at}
        for one in workspace.store.decisions().values()
    )  # fmt: skip
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _lines(records: Iterable[Record]) -> str:
    return "".join(f"{one.model_dump_json(exclude_none=True)}\n" for one in records)


def _source(workspace: Workspace, *, with_text: bool) -> str:
    kinds = list(workspace.store.kinds().values())
    who = readers_in_words(kinds.count(AnnotatorKind.HUMAN), kinds.count(AnnotatorKind.MODEL))
    words = (
        "Words of points and premises are included: check that their licence allows it."
        if with_text
        else "Words are left out; units have the SHA-256 of their text."
    )
    return (
        f"# Source\n\nLabelled by {who} in the annotation workspace (`reviewscore annotate`), set "
        f"`{workspace.name}`, run `{workspace.material.name}`, {workspace.codebook.value}, first "
        f"exported {now()}. {words}\n\nPapers and reviews: say here where they come from, and "
        "under which licence.\n"
    )
