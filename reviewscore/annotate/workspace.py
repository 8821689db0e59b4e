"""A set being labelled: what, by whom (whole papers, to who has least to do), into which folder."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.annotate.label_session import LabelSession
from reviewscore.annotate.label_store import LABELS_FILE, LabelStore, give_out, rename_units
from reviewscore.annotate.material import LabelPoint, Material, text_sha256
from reviewscore.annotate.rules import Codebook
from reviewscore.errors import InputError, SettingsError
from reviewscore.schema.annotation import AnnotatorKind, Unit, UnitKind
from reviewscore.schema.point_id import same_words
from reviewscore.sources.annotations import LABELS, is_pseudonym

PER_POINT = 3
"""Annotators of each point (ReviewScore, arXiv 2509.21679, sec. 3.3)."""


def assign(
    papers: Mapping[str, Sequence[str]],
    annotators: Sequence[str],
    per_point: int = PER_POINT,
    *,
    taken: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, list[str]]:
    """Give every point of a paper to the same annotators, so that each reads few papers.

    The longest papers are given first, each to those who have the fewest points; among equals
    those who stand first. What was given before stays given.

    Args:
        papers: The points of each paper.
        annotators: All annotators, in order.
        per_point: Annotators wanted for each point; all of them if there are fewer.
        taken: The annotators of papers that were given out before.

    Returns:
        The annotators of each paper, in the order of `annotators`.
    """
    given = {paper: list((taken or {}).get(paper, ())) for paper in papers}
    load = dict.fromkeys(annotators, 0)
    for paper, names in given.items():
        for name in names:
            load[name] = load.get(name, 0) + len(papers[paper])
    place = {name: number for number, name in enumerate(annotators)}
    for paper in sorted(papers, key=lambda text: -len(papers[text])):
        free = [name for name in annotators if name not in given[paper]]
        free.sort(key=lambda name: (load[name], place[name]))
        for name in free[: max(0, per_point - len(given[paper]))]:
            given[paper].append(name)
            load[name] += len(papers[paper])
    return {
        paper: sorted(names, key=lambda name: place.get(name, len(place)))
        for paper, names in given.items()
    }


COORDINATOR = "coordinator"
_CODEBOOK = "codebook"


@dataclass(frozen=True)
class Standing:
    """How far an annotator is with one point: ``done``, ``begun``, ``skipped`` or ``open``."""

    point_id: str
    paper_id: str
    state: str
    reasons_missing: int


@dataclass(frozen=True)
class Workspace:
    """A set with its material.

    Attributes:
        name: Name of the set.
        folder: Where it lies.
        material: What is labelled.
        store: The labels.
        codebook: What it follows.
        known: How far annotators were with points when these had a certain version.
    """

    name: str
    folder: Path
    material: Material
    store: LabelStore
    codebook: Codebook
    known: dict[tuple[str, str], tuple[int, Standing]] = field(default_factory=dict)

    def token(self, who: str) -> str:
        """The secret in the address of an annotator or of the coordinator."""
        return self._sign(f"address {who}")[:32]

    def csrf(self, who: str) -> str:
        """What a form must carry to be believed."""
        return self._sign(f"form {who}")[:32]

    def _sign(self, words: str) -> str:
        secret = self.store.meta("secret").encode()
        return hmac.new(secret, words.encode(), hashlib.sha256).hexdigest()

    def points_of(self, annotator: str) -> list[LabelPoint]:
        """The points given to an annotator, in order."""
        mine = {paper for paper, names in self.store.assigned().items() if annotator in names}
        return [point for point in self.material.points.values() if point.paper_id in mine]

    @property
    def gone(self) -> int:
        """Labelled units whose words no review of the material has; their labels stay."""
        labelled = {answer.unit_id for answer in self.store.given()}
        here = {unit.unit_id for point in self.material.points.values() for unit in point.units}
        return len(labelled - here)

    def session(self, annotator: str, point: LabelPoint) -> LabelSession:
        """One annotator at one point."""
        return LabelSession(self.store, annotator, point, self.codebook)


def open_workspace(
    name: str,
    folder: Path,
    material: Material,
    *,
    annotators: Sequence[str] = (),
    per_point: int = PER_POINT,
    codebook: Codebook | None = None,
    alone: bool = True,
) -> Workspace:
    """Begin to label a set, or go on.

    Args:
        name: Name of the set.
        folder: Its folder.
        material: What is labelled.
        annotators: Pseudonyms of people, and of models as ``M1:model``; those who were named
            before need not be named again.
        per_point: Annotators wanted for each point.
        codebook: What a new set is to follow, the newest if it is not named; a set stays with
            its own.
        alone: Hold the set for writing; an export reads beside an open workspace.

    Raises:
        SettingsError: A name is no pseudonym, nobody is to label, or it is not known, or not
            the same as before, who is a person and who a model, or the set follows another
            codebook.
        InputError: The set was made elsewhere, or its units have other words now.
        RunFolderError: Another workspace is open on it, or it cannot be written.
    """
    named = _named(annotators)
    begun = (folder / LABELS_FILE).is_file()
    if not begun and (folder / LABELS).exists():
        raise InputError(
            "holds labels that no workspace made",
            file=folder / LABELS,
            cure="name another folder with -o",
        )
    if not begun and not annotators:
        raise SettingsError("nobody is to label yet; name pseudonyms with --annotators A1,A2,A3")
    store = LabelStore(folder, alone=alone)
    try:
        followed = _codebook(store, codebook)
        if alone:
            _enter(store, material, named, per_point, folder, followed)
    except BaseException:
        store.close()
        raise
    return Workspace(name, folder, material, store, followed)


def _codebook(store: LabelStore, wanted: Codebook | None) -> Codebook:
    """The codebook of a set; one that was begun before sets kept theirs follows the first."""
    kept = store.meta(_CODEBOOK) or (Codebook.FIRST if store.units() else "")
    followed = Codebook(kept or wanted or Codebook.SECOND)
    if wanted not in (None, followed):
        raise SettingsError(
            f"this set follows {followed}, and its labels say so; label by {wanted} under another "
            "--set"
        )
    return followed


def _named(annotators: Sequence[str]) -> dict[str, AnnotatorKind]:
    """Pseudonyms and kinds as they are given: ``A1``, ``A1:human``, ``M1:model``."""
    split = [annotator.partition(":") for annotator in annotators]
    for name, _, kind in split:
        if not is_pseudonym(name):
            raise SettingsError(
                f"{name[:40]!r} is no pseudonym; use letters and a number, such as A1: "
                "no names and no addresses"
            )
        if kind not in ("", *AnnotatorKind):
            raise SettingsError(
                f"{kind[:40]!r} is no kind of annotator; write {name} for a person, {name}:model "
                "for a reader that is none"
            )
    if len({name for name, _, _ in split}) != len(split):
        raise SettingsError("an annotator is named twice in --annotators")
    return {name: AnnotatorKind(kind or AnnotatorKind.HUMAN) for name, _, kind in split}


def _words(unit: Unit) -> tuple[str, str]:
    return unit.review_id, same_words(unit.text or "")


def _renamed(known: Sequence[Unit], material: Material) -> dict[str, str]:
    """Identifiers of the material by those of the set, of units that have others there.

    So it is in a set that was begun when identifiers were places; repeats are taken in order.
    """
    ids = {unit.unit_id for unit in known}
    free: dict[tuple[str, str], list[str]] = {}
    for point in material.points.values():
        if point.point_id not in ids:
            free.setdefault(_words(point.unit), []).append(point.point_id)
    names: dict[str, str] = {}
    for unit in known:
        same = free.get(_words(unit), [])
        if unit.kind is UnitKind.POINT and unit.unit_id not in material.points and same:
            names[unit.unit_id] = same.pop(0)
    for unit in known:
        if unit.kind is UnitKind.PREMISE and unit.point_id in names:
            premise = unit.unit_id.removeprefix(unit.point_id)
            names[unit.unit_id] = f"{names[unit.point_id]}{premise}"
    return names


def _enter(
    store: LabelStore,
    material: Material,
    named: Mapping[str, AnnotatorKind],
    per_point: int,
    folder: Path,
    codebook: Codebook,
) -> None:
    kinds = _kinds(store, named)
    units = [unit for point in material.points.values() for unit in point.units]
    names = _renamed(store.units(), material)
    known = {names.get(unit.unit_id, unit.unit_id): unit for unit in store.units()}
    for unit in units:
        if _words(known.get(unit.unit_id, unit)) != _words(unit):
            raise InputError(
                f"'{unit.unit_id}' has other words now than when this set was begun",
                file=folder / LABELS_FILE,
                cure="label another run under another --set",
            )
    papers = {
        paper: [point.point_id for point in points] for paper, points in material.papers.items()
    }
    shares = assign(papers, list(kinds), per_point, taken=store.assigned())
    with store.turn() as base:
        if names:
            rename_units(base, names)
        for place, unit in enumerate(units, start=len(known)):
            row = (text_sha256(unit), unit.model_dump_json(), unit.unit_id)
            if unit.unit_id not in known:
                base.execute(
                    "INSERT INTO units (sha256, record, unit_id, place) VALUES (?, ?, ?, ?)",
                    (*row, place),
                )
            elif known[unit.unit_id] != unit:  # it stands elsewhere now
                base.execute("UPDATE units SET sha256 = ?, record = ? WHERE unit_id = ?", row)
        give_out(base, kinds, shares)
        base.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (_CODEBOOK, codebook.value))


def _kinds(store: LabelStore, named: Mapping[str, AnnotatorKind]) -> dict[str, AnnotatorKind]:
    """All annotators of a set, those known before first, and what each is."""
    known = store.kinds()
    for name, kind in named.items():
        before = known.get(name) or kind
        if before is not kind:
            raise SettingsError(
                f"{name} is {before.value} in this set, and its labels say so; give the other "
                "another pseudonym"
            )
    kinds = {name: named.get(name) or known.get(name) for name in (*known, *named)}
    check_kinds(kinds)
    return {name: kind for name, kind in kinds.items() if kind is not None}


def check_kinds(kinds: Mapping[str, AnnotatorKind | None]) -> None:
    """Refuse a set that does not say who is a person and who a model.

    Raises:
        SettingsError: The kind of an annotator is not known.
    """
    if unknown := [name for name, kind in kinds.items() if kind is None]:
        raise SettingsError(
            f"this set was begun without saying whether {', '.join(unknown)} are people; start "
            f"the workspace with --annotators {','.join(unknown)} if they are, and with "
            f"{unknown[0]}:model for one that is a model"
        )
