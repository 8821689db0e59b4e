"""A point's presuppositions in words: what it takes for granted, and what the paper says to that.

Statements are the judge's, places and passages the paper's; the sentences around them are ours and
follow from the record alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from reviewscore.judges.presuppositions import carries, leading, refuted, states_too
from reviewscore.printable import counted
from reviewscore.schema.paper import Evidence, Scope, Zone
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.presupposition import Look, Presupposition, RemarkPart, Supplies
from reviewscore.schema.review import PointKind
from reviewscore.schema.scale import FIVE_POINTS, STANDING

SUPPLIED = "the paper speaks to this"
"""The first of two levels, which is no flag."""
STATED = "the authors state this too"
"""Said of a point that criticises what the authors state themselves; no word on its worth."""
LEVELS = {"supplied": SUPPLIED, "stated": STATED}
"""What `level` names, in words."""
_PLACES_NAMED = 3
_SUPPLIES = {
    Supplies.FULLY: "gives in full {}",
    Supplies.MOSTLY: "gives most of {}",
    Supplies.PARTLY: "gives a part of {}",
    Supplies.TOPIC_ONLY: "speaks of the topic, but not of {}",
    Supplies.NO: "does not give {}",
}
_ANSWERS = {
    Supplies.FULLY: "answers this in full",
    Supplies.MOSTLY: "answers most of this",
    Supplies.PARTLY: "answers a part of this",
    Supplies.TOPIC_ONLY: "speaks of the topic, but does not answer this",
    Supplies.NO: "does not answer this",
}
_LACKING, _ASKED_FOR = "what is said to be lacking", "what is asked for"
_TRUE = ("surely not so", "probably not so", "open", "probably so", "surely so")
_UNNUMBERED = {Zone.FRONT.value: "front matter", Zone.ABSTRACT.value: "abstract"}


@dataclass(frozen=True)
class ShownPresupposition:
    """A row of the table of a remark, or of a part of it.

    Attributes:
        statement: What it takes for granted, in the judge's words.
        paper: What the paper says to that, in ours.
        nearest: The passages; those that are not in the paper are marked as such.
    """

    statement: str
    paper: str
    nearest: tuple[Evidence, ...]


@dataclass(frozen=True)
class ShownPart:
    """A part of a remark.

    Attributes:
        words: Its words; empty for the remark as a whole.
        standing: Its standing in words.
        misinformed: Whether it is flagged; None is unknown, as of every part of such a point.
        rows: What it takes for granted.
    """

    words: str
    standing: str
    misinformed: bool | None
    rows: tuple[ShownPresupposition, ...]


def shown_parts(score: PointScore) -> tuple[ShownPart, ...]:
    """The parts of a point with what each takes for granted, the main one first."""
    return tuple(
        ShownPart(
            words=part.text if len(score.parts) > 1 else "",
            standing=standing_words(part.standing),
            misinformed=None if score.misinformed is None else part.misinformed,
            rows=tuple(
                ShownPresupposition(known.statement, paper_words(known, score), known.nearest)
                for known in part.presuppositions
            ),
        )
        for part in score.parts
    )


def standing_words(standing: int) -> str:
    """A standing with what it means."""
    return f"standing {standing}/{FIVE_POINTS.high}: {STANDING[standing]}"


def paper_words(known: Presupposition, score: PointScore) -> str:
    """What the paper says to a presupposition, in words for a cell of a table."""
    words = [_paper(known, score)]
    if states_too(known):
        words.append(STATED)
    if not known.central:
        words.append(f"not what the {_noun(score)} hangs on")
    return "; ".join(words)


def _paper(known: Presupposition, score: PointScore) -> str:
    if known.invisible:
        return "what would decide is not in the text at hand"
    if known.foreign:
        return f"nothing of the kind was found in {_seen(score)}"
    if known.supplies is not None and (known.supplies.enough or not known.contradicted):
        return f"{_seen(score)} {_supply(known.supplies, score)}"
    assert not isinstance(known.true, str)
    degree = f"{_TRUE[known.true - 1]} ({known.true}/{FIVE_POINTS.high})"
    return f"this is {degree}, going by {_seen(score)}"


def _supply(supplies: Supplies, score: PointScore) -> str:
    """How far the paper holds what a point calls lacking, asks for, or asks."""
    if score.kind is PointKind.QUESTION:
        return _ANSWERS[supplies]
    return _SUPPLIES[supplies].format(_ASKED_FOR if score.kind is PointKind.REQUEST else _LACKING)


def _seen(score: PointScore) -> str:
    """What a judge had of the paper: what that lacks may stand elsewhere."""
    scope = Scope.WHOLE if score.seen is None else score.seen.kind
    return {
        Scope.WHOLE: "the paper",
        Scope.MAIN: "the main text",
        Scope.EXCERPTS: "the part of the paper that was seen",
    }[scope]


def refuting(score: PointScore) -> tuple[Evidence, ...]:
    """The passages that refute what the main part of a point takes for granted, each once.

    Of all looks: the one whose standing is the point's may flag it without a passage.
    """
    return _behind(score, refuted)


def level_passages(score: PointScore) -> tuple[Evidence, ...]:
    """The passages that show the level of a point: those that are merely near do not."""
    if level(score) == "supplied":
        return refuting(score)
    if level(score) == "stated":
        return _behind(score, lambda known: known.central and states_too(known))
    return ()


def _behind(score: PointScore, chosen: Callable[[Presupposition], bool]) -> tuple[Evidence, ...]:
    mains = (look.main for look in score.looks if look.main is not None)
    known = (one for main in mains for one in main.presuppositions if chosen(one))
    given = (passage for one in known for passage in one.nearest if carries(passage))
    return tuple(dict.fromkeys(given))


def places_of(passages: Iterable[Evidence], *, last: str = "; ") -> str:
    """Where passages stand, as ``section 4.3 Ablations, p. 6``; empty if that is not known.

    Args:
        passages: The passages.
        last: What stands before the last of several places; ``" and "`` within a sentence.
    """
    named = list(dict.fromkeys(_place(passage) for passage in passages if passage.place))
    if len(named) > _PLACES_NAMED:
        return "; ".join(named[:_PLACES_NAMED]) + " and elsewhere"
    return last.join(filter(None, ("; ".join(named[:-1]), *named[-1:])))


def _place(passage: Evidence) -> str:
    label = passage.section
    if label is None or not passage.place.startswith(label):
        return passage.place
    name = _UNNUMBERED.get(label.lower())
    return f"section {passage.place}" if name is None else passage.place.replace(label, name, 1)


def lead_words(score: PointScore) -> str:
    """What a point takes for granted and what the paper says to that, in a sentence each.

    Empty if the judge named nothing.
    """
    known = leading(score.presuppositions)
    if known is None:
        return ""
    statement = known.statement.strip()
    return f"The {_noun(score)} takes for granted: “{statement}” {_answer(known, score)}"


def _noun(score: PointScore) -> str:
    return "question" if score.kind is PointKind.QUESTION else "remark"


def _answer(known: Presupposition, score: PointScore) -> str:
    verified = [passage for passage in known.nearest if passage.verified]
    carrying = [passage for passage in verified if carries(passage)]
    where = places_of(carrying or verified)
    if score.acknowledged and states_too(known):
        return f"{STATED[:1].upper()}{STATED[1:]}{f': {where}' if where else ''}."
    if known.contradicted and not carrying and not known.foreign:
        later = [passage for passage in verified if passage.doubt is not None]
        if later:
            return f"What the paper says to that came after the reviews: {places_of(later)}."
        return "The judge says that this is not so; no passage of the paper shows it."
    text = _against(known, score) if known.contradicted and carrying else _paper(known, score)
    apart = known.invisible or (known.foreign and not carrying)
    sentence = f"{text[:1].upper()}{text[1:]}"
    return f"{sentence}{f': {where}' if where and not apart else ''}."


def _against(known: Presupposition, score: PointScore) -> str:
    supplies = known.supplies
    enough = supplies is not None and supplies.enough
    return f"the paper {_supply(supplies, score) if supplies and enough else 'says otherwise'}"


def fair_words(score: PointScore) -> str:
    """What would have to change for a misinformed remark to be fair; empty of all others.

    It is about the presupposition that the sentence on top is about.
    """
    known = leading(score.presuppositions)
    if known is None or score.misinformed is not True:
        return ""
    fair = f"A fair {_noun(score)} would"
    if refuted(known):
        where = _carrying_places(known)
        if known.supplies is not None and known.supplies.enough:
            verb = "ask" if score.kind is PointKind.QUESTION else "say"
            return f"{fair} {verb} what is left open by {where}."
        return f"{fair} leave this out, or say what is wrong in {where}."
    if known.central and known.foreign:
        return f"{fair} be about something that is in this paper."
    return ""


def _carrying_places(known: Presupposition) -> str:
    """Where the passages stand that refute a presupposition, as words of a sentence."""
    return places_of(filter(carries, known.nearest), last=" and ") or "the passages"


def words_for_reviewer(score: PointScore) -> tuple[str, ...]:
    """What a note to a reviewer says of a point that passages refute; else empty.

    The last sentence offers a wording that takes the passages into account.
    """
    known = leading(score.presuppositions)
    if known is None or not refuted(known):
        return ()
    assumed = f"It seems to take for granted: “{known.statement.strip()}”"
    read = f"I have read {_carrying_places(known)}. What is still open to me is …"
    return (assumed, f"A wording that takes this into account: “{read}”")


def part_words(score: PointScore) -> str:
    """How many parts of a bundled remark are flagged; empty for one of a single part.

    Also empty where the flag of the point is unknown: the parts are those of a single look.
    """
    parts = score.parts
    if len(parts) < 2 or score.misinformed is None:  # noqa: PLR2004 - a bundle
        return ""
    flagged = sum(part.misinformed is True for part in parts)
    unknown = sum(part.misinformed is None for part in parts)
    words = f"{flagged} of {counted(len(parts), 'part')} misinformed"
    words += f", {unknown} unknown" if unknown else ""
    return f"{words}; the main part, which stands first, decides."


def level(score: PointScore) -> str:
    """Of a point that is not misinformed: ``supplied``, ``stated`` by the authors too, or empty."""
    if score.misinformed is not False:
        return ""
    return "supplied" if score.supplied else "stated" if score.acknowledged else ""


def own_words(score: PointScore) -> tuple[str, ...]:
    """What pages for readers say of a point; empty of what was judged by another protocol."""
    if not score.looks:
        return ()
    lines = (lead_words(score), part_words(score), fair_words(score))
    return tuple(line for line in lines if line)


def argument_words(score: PointScore) -> str:
    """What the argument beside a verdict is, or why there is none; empty if none was looked for."""
    if score.argument is not None:
        return "The argument stands beside the verdict, which does not rest on it."
    if score.extraction is None:
        return ""
    reasons = counted(len(score.extraction.reasons), "reason")
    return f"No argument was rebuilt: the remark gives {reasons} and states no step."


def look_words(look: Look) -> str:
    """What a look said of the main part, and of which judge it is."""
    said = "no point" if look.main is None else _flag_words(look.main)
    chance = f"; probability {look.probability:.2f} that an expert would call it wrong"
    return f"Look {look.number} by {look.judge}: {said}{chance if look.main is not None else ''}."


def _flag_words(part: RemarkPart) -> str:
    flag = {True: "misinformed", False: "not misinformed", None: "unknown"}[part.misinformed]
    return f"{flag}, {standing_words(part.standing)}"
