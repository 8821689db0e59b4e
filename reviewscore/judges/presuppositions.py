"""From looks at a point's presuppositions to what is said of the point: the one rule, and pure.

Two levels that are never added up. `supplied`: the paper speaks to the point; no flag.
`misinformed`: it does, or the point speaks of something that is not in the paper, and the point
would not stand before a fair reviewer. Only a verified passage that reviewers could see shows
either. What cannot be known stays unknown, with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, median_low

from reviewscore.schema.paper import Evidence, Scope
from reviewscore.schema.presupposition import (
    Look,
    Presupposition,
    PresuppositionVerdict,
    RemarkPart,
)
from reviewscore.schema.review import PointKind
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.schema.verdict import UnknownReason

PRESUPPOSITION_VERSION = 1
"""Raise it when the same looks would give a point another score, status or flag, or when other
points would get a second look."""


def carries(passage: Evidence) -> bool:
    """Whether a passage can carry a flag: it is in the text, and reviewers could see it.

    What a judge says that it read off a figure or a table is not verified, and cannot; nor can the
    caption that it copied for a reading off a figure, which does not hold what was read.
    """
    return passage.verified and passage.doubt is None and passage.source is None


def refuted(known: Presupposition) -> bool:
    """Whether a passage that can carry a flag refutes a central presupposition."""
    return known.central and known.contradicted and any(map(carries, known.nearest))


def states_too(known: Presupposition) -> bool:
    """Whether the authors state a presupposition themselves, in a passage that shows it."""
    true = not isinstance(known.true, str) and known.true > FIVE_POINTS.middle
    stated = known.acknowledged and true and not known.contradicted
    return stated and any(map(carries, known.nearest))


def leading(presuppositions: Sequence[Presupposition]) -> Presupposition | None:
    """The presupposition that says most of a point; None if there is none.

    A central one that a passage refutes comes first, then one that is refuted without a passage,
    one about what is not in the paper, one that cannot be seen, and any other central one.
    """

    def rank(known: Presupposition) -> tuple[bool, ...]:
        fits = (refuted(known), known.contradicted, known.foreign, known.invisible)
        return (not known.central, *(not (known.central and yes) for yes in fits))

    return min(presuppositions, key=rank, default=None)


@dataclass(frozen=True)
class _Outcome:
    """What one look says of a part; None is unknown."""

    supplied: bool | None
    misinformed: bool | None
    reason: UnknownReason | None = None


def _outcome(part: RemarkPart, *, scope: Scope) -> _Outcome:
    central = [presupposition for presupposition in part.presuppositions if presupposition.central]
    against = [presupposition for presupposition in central if presupposition.contradicted]
    proved = any(map(refuted, central))
    invisible = any(presupposition.invisible for presupposition in central)
    excerpts = scope is Scope.EXCERPTS
    supplied = True if proved else None if against or invisible or excerpts else False
    if excerpts and not _shown_by_excerpts(part, central, proved=proved):
        return _Outcome(supplied, None, UnknownReason.EXCERPTS)
    if invisible:
        return _Outcome(supplied, None, UnknownReason.NOT_VISIBLE)
    foreign = any(presupposition.foreign for presupposition in central)
    if foreign and scope is not Scope.WHOLE:
        return _Outcome(supplied, None, UnknownReason.EXCERPTS)
    if not FIVE_POINTS.misinformed(part.standing):
        return _Outcome(supplied, misinformed=False)
    if proved or foreign:
        return _Outcome(supplied, misinformed=True)
    later = any(
        passage.verified and passage.doubt is not None
        for presupposition in against
        for passage in presupposition.nearest
    )
    return _Outcome(supplied, None, UnknownReason.AFTER_REVIEW if later else UnknownReason.UNPROVED)


def _shown_by_excerpts(
    part: RemarkPart, central: Sequence[Presupposition], *, proved: bool
) -> bool:
    """Whether excerpts of a paper can show what is said of a part.

    As in `judges.excerpts`: a passage must show it, the middle of the scale says nothing, and what
    is not among excerpts is not absent.
    """
    if proved:
        return part.standing != FIVE_POINTS.middle
    open_ = any(
        presupposition.invisible or presupposition.foreign or presupposition.supplies is not None
        for presupposition in central
    )
    passages = (passage for known in part.presuppositions for passage in known.nearest)
    return (
        part.standing > FIVE_POINTS.middle
        and not open_
        and any(passage.verified for passage in passages)
    )


def with_rule(look: Look, *, scope: Scope) -> Look:
    """A look, each part with its own verdict.

    Args:
        look: What a judge said.
        scope: How much of the paper it saw.
    """
    parts = []
    for part in look.parts:
        outcome = _outcome(part, scope=scope)
        update = {"supplied": outcome.supplied, "misinformed": outcome.misinformed}
        parts.append(part.model_copy(update=update))
    return look.model_copy(update={"parts": tuple(parts)})


def needs_second_look(look: Look, between: tuple[float, float] | None) -> bool:
    """Whether a first look calls for a second: it would not stand, or nobody is sure.

    Whatever is flagged would not stand.

    Args:
        look: The first look.
        between: Lowest and highest probability at which nobody is sure; None for no second looks.
    """
    if between is None or look.standing is None:
        return False
    return FIVE_POINTS.misinformed(look.standing) or between[0] <= look.probability <= between[1]


def verdict_of(looks: Sequence[Look], *, scope: Scope) -> PresuppositionVerdict:
    """What looks at a point come to.

    Of a bundled remark the main part decides. Misinformed is true if the rule holds in all looks,
    false if it holds in none, else unknown (``contested``). Where it holds in none the point stays
    unknown all the same if a look could not see what would decide, or if it would not stand and no
    look shows why. A look that takes it for no point counts as one in which the rule does not hold,
    and has no standing. It is no point if no look flags it and most judges take it for none, or if
    all do.

    Args:
        looks: All looks, of one judge or of several, in order; at least one.
        scope: How much of the paper the judges saw.
    """
    outcomes = [
        _Outcome(supplied=False, misinformed=False)
        if look.main is None
        else _outcome(look.main, scope=scope)
        for look in looks
    ]
    kind = _kind(looks, flagged=any(outcome.misinformed for outcome in outcomes))
    kept = tuple(with_rule(look, scope=scope) for look in looks)
    type_ = next(look.type for look in looks if look.kind is kind)
    standings = [look.standing for look in looks if look.standing is not None]
    if kind is PointKind.NONE or not standings:
        return PresuppositionVerdict(
            kind=PointKind.NONE, type=type_, reason=UnknownReason.NO_POINT, looks=kept
        )
    standing = median_low(standings)
    misinformed, reason = _flag(outcomes, standing)
    return PresuppositionVerdict(
        kind=kind,
        type=type_,
        supplied=_agreed([outcome.supplied for outcome in outcomes]),
        misinformed=misinformed,
        reason=reason,
        standing=standing,
        probability=median(look.probability for look in looks if look.standing is not None),
        acknowledged=misinformed is not True and all(map(_acknowledged, looks)),
        parts=next(look.parts for look in kept if look.standing == standing),
        looks=kept,
    )


def _kind(looks: Sequence[Look], *, flagged: bool) -> PointKind:
    """The commonest kind by judges, each of whom has that of its first look at it as a point.

    It is none only where most judges say so, or all if a look flags it.
    """
    kinds: dict[tuple[str, int], PointKind] = {}
    for look in looks:
        judge = look.judge, look.repeat
        if kinds.get(judge, PointKind.NONE) is PointKind.NONE:
            kinds[judge] = look.kind
    counted = Counter(kinds.values())
    none = counted.pop(PointKind.NONE, 0)
    if not counted or (none > counted.total() and not flagged):
        return PointKind.NONE
    return counted.most_common(1)[0][0]


def _flag(outcomes: Sequence[_Outcome], standing: int) -> tuple[bool | None, UnknownReason | None]:
    flags = [outcome.misinformed for outcome in outcomes]
    if all(flags):
        return True, None
    if any(flags):
        return None, UnknownReason.CONTESTED
    reasons = [outcome.reason for outcome in outcomes]
    unseen = (UnknownReason.NOT_VISIBLE, UnknownReason.EXCERPTS)
    first = next((reason for reason in reasons if reason in unseen), None)
    if first is not None:
        return None, first
    if FIVE_POINTS.misinformed(standing):
        later = UnknownReason.AFTER_REVIEW in reasons
        return None, UnknownReason.AFTER_REVIEW if later else UnknownReason.UNPROVED
    return False, None


def _agreed(values: Sequence[bool | None]) -> bool | None:
    """What all looks say; None if they differ, or one does not know."""
    return values[0] if len(set(values)) == 1 else None


def _acknowledged(look: Look) -> bool:
    presuppositions = () if look.main is None else look.main.presuppositions
    return any(
        presupposition.central and states_too(presupposition) for presupposition in presuppositions
    )


def passages_of(looks: Sequence[Look]) -> tuple[Evidence, ...]:
    """Verified passages of main parts, each once, those of refuted presuppositions first."""
    presuppositions: list[Presupposition] = []
    for look in looks:
        presuppositions += () if look.main is None else look.main.presuppositions
    ordered = sorted(
        presuppositions,
        key=lambda presupposition: not (presupposition.central and presupposition.contradicted),
    )
    verified = (
        passage
        for presupposition in ordered
        for passage in presupposition.nearest
        if passage.verified
    )
    return tuple(dict.fromkeys(verified))
