"""Two versions of a paper for all its planted points: what is cut out of one stands in the other.

How many answers a version lacks, and which, is drawn, so that no balance tells. The decoys of all
points are cut out of both versions, so that a seam tells nothing of a point. Points of which a cut
takes what answers another one share its fate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from reviewscore.errors import InputError
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import PlantedPassage, PlantedPoint, TextEdit
from reviewscore.validation.planted import cut_out, found_again

_NAME_BYTES = 6


@dataclass(frozen=True)
class JointVersion:
    """A paper's text without the answers to some of its planted points.

    Attributes:
        mapped: The text, with the way back to the one before.
        lacking: Points whose answers were cut out, by identifier.
    """

    mapped: MappedText
    lacking: frozenset[str]

    @property
    def text(self) -> str:
        """The text."""
        return self.mapped.text

    def answers(self, point: PlantedPoint) -> tuple[tuple[int, int], ...]:
        """Where what answers a point stands in the text: start, and the place just after."""
        if point.id in self.lacking:
            return ()
        places = (found_again(passage, self.mapped) for passage in point.passages)
        return tuple(place for place in places if place is not None)


@dataclass(frozen=True)
class Lots:
    """What a seed draws: names, orders and numbers that say nothing of what they stand for.

    Attributes:
        seed: The seed.
    """

    seed: int

    def name(self, *of: str) -> str:
        """A name of twelve hexadecimal digits."""
        drawn = "\0".join((str(self.seed), *of)).encode("utf-8", "surrogatepass")
        return blake2b(drawn, digest_size=_NAME_BYTES).hexdigest()

    def number(self, below: int, *of: str) -> int:
        """A number from 0, less than `below`."""
        return int(self.name(*of), 16) % below


def as_judged(paper: Paper, text: str | None = None, *, name: str | None = None) -> Paper:
    """A paper as judges of planted remarks see it: read anew from its text.

    Args:
        paper: The paper.
        text: Another version of its text; without one its own is read anew.
        name: Another identifier.

    Raises:
        InputError: The text changes when it is read again.
    """
    text = paper.text if text is None else text
    row = PaperRow(
        paper_id=name or paper.paper_id, title=paper.title, text=text, year=paper.year,
        consent=paper.consent,
    )  # fmt: skip
    version = build_paper(row, doubts=False)
    if version.text != text:
        raise InputError(
            f"the text of paper '{paper.paper_id}' changes when it is read again, so that its "
            "points are left out",
            cure="give the paper as the text that `inspect` reads",
        )
    return version


def joint_versions(
    text: str, points: Sequence[PlantedPoint], lots: Lots
) -> tuple[JointVersion, ...]:
    """The versions of a paper's text; the text alone where nothing is to be cut out.

    Args:
        text: The text that the points have their offsets in.
        points: Its planted points, with cuts.
        lots: Draws which answers are cut out together.
    """
    if not points:
        return (JointVersion(MappedText(text), frozenset()),)
    paper_id = points[0].paper_id
    groups = sorted(_bound(points), key=lambda group: lots.name("version", group[0].id))
    first = lots.number(len(groups) + 1, "lacking", paper_id)
    decoys = tuple(_decoys(points))
    return tuple(
        _version(text, [point for group in some for point in group], decoys)
        for some in (groups[:first], groups[first:])
    )


def _bound(points: Sequence[PlantedPoint]) -> list[list[PlantedPoint]]:
    """Points in groups that are cut out together, as their cuts and answers meet."""
    groups: list[list[PlantedPoint]] = []
    for point in points:
        apart, met = [], [point]
        for group in groups:
            if any(_bind(point, other) for other in group):
                met = [*group, *met]
            else:
                apart.append(group)
        groups = [*apart, met]
    return groups


def _bind(one: PlantedPoint, other: PlantedPoint) -> bool:
    """Whether a cut of either takes something of the other's cuts or answers."""
    return any(
        any(meet(cut, edit) for edit in right.cuts)
        or any(meet(cut, passage) for passage in right.passages)
        for left, right in ((one, other), (other, one))
        for cut in left.cuts
    )


def meet(left: TextEdit | PlantedPassage, right: TextEdit | PlantedPassage) -> bool:
    """Whether two stretches overlap; they do too where both begin at one place, if one is empty."""
    return (left.start < right.end and right.start < left.end) or left.start == right.start


def _decoys(points: Sequence[PlantedPoint]) -> Iterator[TextEdit]:
    """Decoys that stand apart from each other and from all cuts and answers, in order."""
    taken: list[TextEdit | PlantedPassage] = []
    for point in points:
        taken += (*point.cuts, *point.passages)
    decoys = sorted(
        (decoy for point in points for decoy in point.decoys), key=lambda edit: edit.start
    )
    for decoy in decoys:
        if not any(meet(decoy, other) for other in taken):
            taken.append(decoy)
            yield decoy


def _version(
    text: str,
    lacking: Sequence[PlantedPoint],
    decoys: Sequence[TextEdit],
) -> JointVersion:
    cuts = [edit for point in lacking for edit in point.cuts]
    mapped = cut_out(text, list(_apart([*cuts, *decoys])))
    return JointVersion(mapped, frozenset(point.id for point in lacking))


def _apart(edits: Iterable[TextEdit]) -> Iterator[TextEdit]:
    """Edits in order; of one that another before it meets, what that leaves is taken out."""
    end = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= end:
            yield edit
        elif edit.end > end:
            yield TextEdit(start=end, end=edit.end)
        end = max(end, edit.end)
