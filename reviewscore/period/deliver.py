"""A folder for each person with the pages that this person may see, and nothing else.

What may be seen is asked of `Assignments.may_see`, point by point, where a page is made. A person's
folder is written beside the old one and takes its place when it is whole, so that nothing of an
earlier delivery stays in it.
"""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from reviewscore.config import Plain
from reviewscore.errors import InputError, RunFolderError, SettingsError
from reviewscore.files import unwritable
from reviewscore.period import log
from reviewscore.period.assignments import Assignments, VenueRole, folder_of
from reviewscore.period.budget import Pushed, pushed_in
from reviewscore.period.later import LaterOf, later_of
from reviewscore.period.venue import (
    VenueFolder,
    is_venue,
    run_of,
    runs_in,
    venue_above,
    whole_venue,
)
from reviewscore.period.verify import DIFFERED, PAGE_SUMS, PAGES, note_pages, watched
from reviewscore.report.role_pages import PAGES_LIST, SheetSource, beside_points, write_folder
from reviewscore.report.roles import Reader, Sheet, called, proof
from reviewscore.runs.folder import LockedFolder
from reviewscore.runs.paper_offsets import RunByPaper
from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.verdict import Finding

_NEW, _OLD = ".new", ".old"
_ASIDE = re.compile(
    rf"\.(?P<name>.+-[0-9a-f]{{8}})\.(?P<role>{'|'.join(VenueRole)})(?P<end>\{_NEW}|\{_OLD})"
)
"""Names of folders beside those that take their places; see `_aside`."""
_RELEASED = (
    "The venue releases to you the points that your paper was found to speak to, with the "
    "passages, which you may quote in your response. The other points of the reviews are not "
    "here: nothing is said of them."
)
_OBJECT = (
    "If something here is wrong, tell whoever sent you this page, and name the point as it is "
    "named here."
)


class Release(StrEnum):
    """What a venue lets authors see of their papers' reviews."""

    FLAGS = "flags"  # points that the paper speaks to, with the passages that show it
    POINTS = "points"  # all points


@dataclass(frozen=True)
class PersonDelivery:
    """What one person was given.

    Attributes:
        person: Their pseudonym.
        folder: Where it lies.
        pages: How many papers (for reviewers, reviews) have something to read.
        of: Papers (for reviewers, reviews) that the person may see in this role.
        absent: Those of them that are not in the run, or given to nobody.
    """

    person: str
    folder: Path
    pages: int
    of: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass
class Delivery:
    """What was delivered.

    Attributes:
        people: What each person was given.
        unassigned: Papers (for reviewers, reviews) of the run that nobody of the role may see.
        unknown: Papers of conflicts that are not in the run, as the table spells them.
        refused: Reviews of the run that are given to nobody, as their consent is `none` now.
        withdrawn: Reviews of the run that the venue does not hold any more.
        removed: Folders of people who no longer have anything to see.
        faults: Why somebody's folder could not be written; they keep what they had before.
    """

    people: list[PersonDelivery] = field(default_factory=list)
    unassigned: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    removed: list[Path] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def deliver(
    run: Path,
    assignments: Assignments,
    role: VenueRole,
    out: Path,
    *,
    person: str | None = None,
    released: Release | None = None,
    pushed: Pushed | None = None,
    runs: Sequence[RunByPaper] = (),
) -> Delivery:
    """Write ``out/PERSON/ROLE`` for everybody of a role, or for one person.

    Args:
        run: A run folder, or a venue folder that was audited. The log of the venue, also of one
            that the run lies in, then says who saw what; what the venue no longer holds, or nobody
            may judge by the consent of now, is given to nobody.
        assignments: Who may see what.
        role: For whom.
        out: The folder; beside the people's folders stands ``pages.sha256`` (in the venue folder,
            where these are its pages). After a delivery to all, only people who have the role now
            have a folder of it.
        person: This one alone.
        released: What authors may see; nothing is delivered to them without it.
        pushed: Which flags are shown openly; others are folded below. None shows all, and so does
            a page of a program chair.
        runs: What is read of the run; as `runs_of` has it if not given.

    Raises:
        SettingsError: Nothing is released to authors, or nobody of that name has the role.
        RunFolderError: The run cannot be read, or the folder cannot be written.
    """
    people = assignments.people(role)
    if role is VenueRole.AUTHOR and released is None:
        raise SettingsError(
            "nothing is released to authors unless the venue says so; type --release flags (points "
            "that the paper speaks to, with the passages) or --release points (all points)"
        )
    if not people or person not in (None, *people):
        who = "" if person is None else f" '{person}'"
        raise SettingsError(f"the assignments have no {role.value}{who}; check the column role")
    run = whole_venue(run)
    above = run if is_venue(run) else venue_above(run)
    venue = VenueFolder(above) if above is not None else None
    own = venue is not None and out.resolve() == (venue.path / PAGES).resolve()
    if venue is not None and not own and out.resolve().is_relative_to(venue.path.resolve()):
        raise SettingsError(
            f"{out} is within {venue.path}, whose pages go to {venue.path / PAGES}; leave out -o, "
            "or name a folder elsewhere"
        )
    root = venue.path if own and venue is not None else out
    out = root / PAGES if own else out
    lock: AbstractContextManager[object] = (
        LockedFolder(out, what="these pages") if venue is None else venue.open_for_writing()
    )
    watch: AbstractContextManager[list[str]] = (
        watched(root, PAGES, PAGE_SUMS) if own else nullcontext([])
    )
    with lock, watch as differed:
        _clean(out)
        later = later_of(venue) if venue and role.reader is Reader.META_REVIEWER else None
        held = _held(runs or runs_of(run), venue)
        pages = _Pages(held, assignments, role, released, pushed, out, later)
        delivery = Delivery(unknown=pages.unknown, refused=held.refused, withdrawn=held.withdrawn)
        for name in people if person is None else (person,):
            try:
                delivery.people.append(pages.write(name))
            except (RunFolderError, InputError) as error:
                delivery.faults.append(f"{name}: {error}")
        if person is None:
            delivery.unassigned = pages.unassigned(people)
            delivery.removed = _remove_others(out, role, people)
        sums = note_pages(root, [*(one.folder for one in delivery.people), *delivery.removed])
        if venue is not None:
            files = [*pushed_in(venue.path), *([sums] if own else [])]
            _log(venue.path, role, released, delivery, files, differed)
    return delivery


def own_sheets(
    run: Path,
    assignments: Assignments,
    role: VenueRole,
    person: str,
    *,
    released: Release | None = None,
    runs: Sequence[RunByPaper] = (),
) -> list[tuple[Sheet, list[PointScore]]]:
    """What `deliver` would give a person in a role now, each page with its points.

    Args:
        run: A run folder, or a venue folder that was audited.
        assignments: Who may see what.
        role: As what.
        person: Who.
        released: What authors may see; nothing without it.
        runs: As of `deliver`.

    Raises:
        RunFolderError: The run cannot be read.
        InputError: A paper cannot be read.
    """
    if role is VenueRole.AUTHOR and released is None:
        return []
    run = whole_venue(run)
    above = run if is_venue(run) else venue_above(run)
    venue = VenueFolder(above) if above is not None else None
    held = _held(runs or runs_of(run, accept_changed=True), venue)
    kept = released if role is VenueRole.AUTHOR else None
    later = later_of(venue) if venue and role.reader is Reader.META_REVIEWER else None
    return list(_Pages(held, assignments, role, kept, None, run, later).own(person))


def _log(
    venue: Path,
    role: VenueRole,
    released: Release | None,
    delivery: Delivery,
    files: list[Path],
    differed: list[str],
) -> None:
    """Note who was given what, what was taken away, and what had been changed before."""
    what: dict[str, Plain] = {
        "role": role.value,
        "released": None if released is None else released.value,
        **({DIFFERED: differed} if differed else {}),
    }
    for one in delivery.people:
        of = "all but conflicts" if role is VenueRole.PROGRAM_CHAIR else ", ".join(one.of)
        details = {**what, "pages": one.pages, "of": of}
        last = one is delivery.people[-1]  # the same files for all
        log.append(venue, "delivered", who=one.person, details=details, files=files if last else ())
    if delivery.removed:
        gone = ", ".join(folder.parent.name for folder in delivery.removed)
        log.append(venue, "taken away", details={**what, "folders": gone}, files=files)
    if delivery.faults:
        count = len(delivery.faults)
        log.append(venue, "not delivered", details={**what, "people": count}, files=files)


def runs_of(
    run: Path, data: Path | None = None, *, accept_changed: bool = False
) -> list[RunByPaper]:
    """The run and, of a venue, that of the judge on this machine for what may not leave it.

    Args:
        run: A run folder, or a venue folder that was audited.
        data: Folder of the papers and reviews, if it has moved.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: The run cannot be read, or its records were changed.
        InputError: The named data cannot be read, or are others.
    """
    run = whole_venue(run)
    where = VenueFolder(run).data if data is None and is_venue(run) else data
    return [
        RunByPaper(path, where, checked=data is not None, accept_changed=accept_changed)
        for path in runs_in(run_of(run))
    ]


def is_behind(path: Path) -> bool:
    """Whether a sync brought changes to a venue that its run does not know yet.

    Raises:
        RunFolderError: The record of a sync cannot be read.
    """
    venue = VenueFolder(path)
    judged = venue.record.judged
    return any(sync.number > judged and (sync.papers or sync.reviews) for sync in venue.syncs())


@dataclass(frozen=True)
class _Held:
    """What may be given to people.

    Attributes:
        runs: Each run with the reviews whose points are taken from it; a review is in one alone.
        refused: As of `Delivery`.
        withdrawn: As of `Delivery`.
    """

    runs: list[tuple[RunByPaper, frozenset[str]]]
    refused: tuple[str, ...]
    withdrawn: tuple[str, ...]


def _held(runs: Sequence[RunByPaper], venue: VenueFolder | None) -> _Held:
    """What may be given now: verdicts of before consent or the venue changed are left out.

    A review that the judge on this machine has judged is given as that one judged it.
    """
    taken: set[str] = set()
    refused: dict[str, None] = {}
    withdrawn: dict[str, None] = {}
    none = venue is not None and venue.record.consent == "none"
    found = []
    for run in reversed(runs):  # the main one last
        own = set[str]()
        for paper_id, reviews in run.reviews_by_paper.items():
            for name in reviews:
                if venue is not None and not run.in_data(name):
                    withdrawn[name] = None
                elif none or run.is_refused(name, paper_id):
                    refused[name] = None
                elif name not in taken:
                    own.add(name)
        taken |= own
        found.append((run, frozenset(own)))
    return _Held(found[::-1], tuple(refused), tuple(withdrawn))


@dataclass(frozen=True)
class _Material:
    """Points of one version of a paper, or of one review, and what their pages are made from."""

    source: SheetSource
    paper_id: str
    points: list[PointScore]


class _Pages:
    """The pages of everybody of one role."""

    def __init__(
        self,
        held: _Held,
        assignments: Assignments,
        role: VenueRole,
        released: Release | None,
        pushed: Pushed | None,
        out: Path,
        later: LaterOf | None,
    ) -> None:
        self._assignments, self._role, self._released = assignments, role, released
        self._pushed, self._out = pushed, out
        self._runs = [
            (run, given, SheetSource(role.reader, run.manifest, run.changed, run.title, run.paper,
                                     run.review, beside_points(run.path, role.reader, later)))
            for run, given in held.runs
        ]  # fmt: skip
        self._versions: dict[str, dict[str, None]] = defaultdict(dict)
        self._paper_of: dict[str, str] = {}
        for run, given in held.runs:
            for paper_id, reviews in run.reviews_by_paper.items():
                for name in filter(given.__contains__, reviews):
                    self._versions[base_paper_id(paper_id)][paper_id] = None
                    self._paper_of[name] = paper_id

    @property
    def unknown(self) -> tuple[str, ...]:
        """Papers of conflicts that are not in the run."""
        return self._assignments.conflicts_beside(self._versions)

    def unassigned(self, people: Iterable[str]) -> tuple[str, ...]:
        """Papers, or reviews, of the run that none of these people may see in this role."""
        seen = {name for person in people for name in self._of(person)}
        names = self._paper_of if self._role is VenueRole.REVIEWER else self._versions
        return tuple(name for name in names if name not in seen)

    def _of(self, person: str) -> tuple[str, ...]:
        """The papers, for reviewers the reviews, that a person may see, in the table's order."""
        names: dict[str, str] = {}
        for row in self._assignments.pages_of(person, self._role):
            if self._role is VenueRole.REVIEWER:
                name = row.review or ""
                names[name] = self._paper_of.get(name, row.paper or "")
            else:
                papers = self._versions if row.paper is None else [base_paper_id(row.paper)]
                names.update({paper: paper for paper in papers})
        apart = self._role is VenueRole.REVIEWER
        return tuple(
            name for name, paper in names.items()
            if self._assignments.may_see(person, paper_id=paper, role=self._role,
                                         review_id=name if apart else None)
        )  # fmt: skip

    def write(self, person: str) -> PersonDelivery:
        """Write a person's folder, which takes the place of an earlier one when it is whole.

        Raises:
            RunFolderError: It cannot be written, or points cannot be read.
            InputError: A paper cannot be read.
        """
        name, role = folder_of(person), self._role.value
        target, draft, old = self._out / name / role, *_aside(self._out, name, role)
        for path in (target.parent, target, draft):
            if path.is_symlink():
                raise RunFolderError(f"{path} is a link; take it away")
        of = self._of(person)
        faults: list[RunFolderError] = []
        try:
            heading = f"For the {role.replace('-', ' ')}"
            sheets = self._sheets(person, of)
            write_folder(draft, sheets, self._role.reader, faults, heading=heading)
            if faults:
                raise faults[0]
            target.parent.mkdir(exist_ok=True)
            if target.exists():
                target.rename(old)
            draft.rename(target)
            shutil.rmtree(old, ignore_errors=True)
        except OSError as error:
            raise unwritable(target, error) from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        pages = len([path for path in target.glob("*.html") if path.name != "index.html"])
        absent = tuple(one for one in of if one not in self._paper_of and one not in self._versions)
        return PersonDelivery(person, target, pages, of, absent)

    def _sheets(self, person: str, of: Iterable[str]) -> Iterator[Sheet]:
        """What a person's pages hold; what is not in the run is said."""
        material: Iterable[tuple[str, list[_Material]]] = (
            (name, list(self._material(person, name))) for name in of
        )
        openly = None
        if self._pushed is not None and self._role is not VenueRole.PROGRAM_CHAIR:
            material = list(material)
            points = [point for _, parts in material for part in parts for point in part.points]
            openly = self._pushed(person, points)
        for name, parts in material:
            for part in parts:
                for page in part.source.sheets(part.paper_id, part.points, openly):
                    yield self._delivered(page)
            if not parts:
                yield Sheet(name, name, self._nothing(name), about=name, ids=(name,))

    def own(self, person: str) -> Iterator[tuple[Sheet, list[PointScore]]]:
        """What a person's pages hold, each with the points that it is made of."""
        for name in self._of(person):
            for part in self._material(person, name):
                for page in part.source.sheets(part.paper_id, part.points):
                    yield self._delivered(page), part.points

    def _delivered(self, page: Sheet) -> Sheet:
        """A page with what was released, and where to object."""
        lead = _RELEASED if self._released is Release.FLAGS else page.lead
        return replace(page, lead=lead, foot=f"{page.foot} {_OBJECT}")

    def _nothing(self, name: str) -> str:
        """Why there is no page."""
        if name in (self._paper_of if self._role is VenueRole.REVIEWER else self._versions):
            return "Nothing of it is released."
        return "It is not there (withdrawn, removed, or not judged yet), or has no points."

    def _material(self, person: str, name: str) -> Iterator[_Material]:
        """The points of a paper in all its versions, or of a review, that a person may see."""
        review = name if self._role is VenueRole.REVIEWER else None
        versions = self._versions.get(name, ()) if review is None else [self._paper_of.get(name)]
        for paper_id in filter(None, versions):
            for run, given, source in self._runs:
                points = [
                    point
                    for point in run.points(paper_id, review)
                    if point.review_id in given
                    and self._assignments.may_see(person, paper_id=point.paper_id, role=self._role,
                                                  review_id=point.review_id)
                    and (self._released is not Release.FLAGS or _flagged(point))
                ]  # fmt: skip
                if points:
                    yield _Material(source, paper_id, points)


def _flagged(point: PointScore) -> bool:
    """Whether a verified passage speaks against a point."""
    return (called(point) and bool(proof(point))) or point.finding is Finding.ADDRESSED


def _aside(out: Path, name: str, role: str) -> tuple[Path, Path]:
    """Where a folder is written, and where the old one goes for the moment of the change."""
    return out / f".{name}.{role}{_NEW}", out / f".{name}.{role}{_OLD}"


def _clean(out: Path) -> None:
    """Take away what a kill left; an old folder whose successor is not there comes back."""
    for path in sorted(out.glob(".*")) if out.is_dir() else ():
        left = _ASIDE.fullmatch(path.name)
        if left is None or path.is_symlink() or not path.is_dir():
            continue
        target = out / left["name"] / left["role"]
        if left["end"] == _OLD and target.parent.is_dir() and not target.exists():
            path.rename(target)
        shutil.rmtree(path, ignore_errors=True)


def _remove_others(out: Path, role: VenueRole, people: Iterable[str]) -> list[Path]:
    """Take away the delivered folders of people who do not have the role any more."""
    kept, removed = {folder_of(person) for person in people}, []
    for path in sorted(out.iterdir()):
        folder = path / role.value
        there = (folder / PAGES_LIST).is_file() and not (path.is_symlink() or folder.is_symlink())
        if path.name not in kept and there:
            shutil.rmtree(folder)
            removed.append(folder)
            if not any(path.iterdir()):
                path.rmdir()
    return removed
