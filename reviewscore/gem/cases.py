"""Which review is scored against which others, and given what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from reviewscore.errors import InputError
from reviewscore.points.sections import sections_of
from reviewscore.schema.review import Review, Role
from reviewscore.sources.written import PEOPLE, Form, Materials, Written
from reviewscore.text.similarity import Pair

Known: TypeAlias = Literal["nothing", "abstract", "assw", "stand-in"]

_SHOWN = 5
"""Most names of reviewers in a message."""
NO_TEXT = "without text in this form"
NO_OTHER = "without another reviewer's text"
NO_SYNOPSIS = "without a synopsis"
SAME_TEXT = "whose reference is the same text"


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to score.

    Attributes:
        name: As in tables: GEM, GEM-S (abstract), GEM-S (ASSW), GEM-S (stand-in), GEM-raw.
        form: Which text of a review is read.
        known: What both terms are conditioned on. ``abstract``: the paper's abstract; ``assw``:
            that and the strengths and weaknesses its authors state; ``stand-in``: the summary
            section of a review that is neither candidate nor reference.
    """

    name: str
    form: Form
    known: Known = "nothing"

    @property
    def conditional(self) -> bool:
        """Whether a synopsis is known (GEM-S)."""
        return self.known != "nothing"


GEM = Variant("GEM", Form.JUDGMENTS)
GEM_RAW = Variant("GEM-raw", Form.RAW)
GEM_S = {
    "abstract": Variant("GEM-S (abstract)", Form.JUDGMENTS, "abstract"),
    "assw": Variant("GEM-S (ASSW)", Form.JUDGMENTS, "assw"),
    "stand-in": Variant("GEM-S (stand-in)", Form.JUDGMENTS, "stand-in"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate and what it is scored against.

    Attributes:
        candidate: The review that is scored.
        references: The reviews behind the pairs, in order.
        pairs: One for each reference.
    """

    candidate: Written
    references: tuple[Written, ...]
    pairs: tuple[Pair, ...]


def text_of(review: Written, form: Form) -> str:
    """The text of a review in one form; empty if it is not there."""
    return review.judgments if form == Form.JUDGMENTS else review.raw


class Cases:
    """All candidates of all systems with their references, paper by paper.

    References are reviews by people. A person's review is scored against those of the others on
    the same paper.

    Args:
        materials: The reviews.
        variant: How they are scored.
        candidate: Only this reviewer's reviews are the people's candidates, and are no references
            for any system (the paper's own setting, sec. 4.2); else everybody's are.

    Attributes:
        dropped: For each system how many candidates were left out so far, by reason.

    Raises:
        InputError: There is no such candidate.
    """

    def __init__(
        self, materials: Materials, variant: Variant, *, candidate: str | None = None
    ) -> None:
        if candidate is not None:
            _check_reviewer(materials, candidate)
        self._materials, self._variant, self._candidate = materials, variant, candidate
        self.dropped: dict[str, Counter[str]] = {name: Counter() for name in materials.systems()}

    def __iter__(self) -> Iterator[list[Case]]:
        """The cases of each paper; those of one without any are empty."""
        for group in self._materials.papers.values():
            yield list(self._of(list(group)))  # texts are read once

    def _of(self, group: Sequence[Written]) -> Iterator[Case]:
        materials, variant, candidate = self._materials, self._variant, self._candidate
        people = [one for one in group if one.system == PEOPLE and text_of(one, variant.form)]
        references = [one for one in people if candidate is None or one.reviewer != candidate]
        for one in group:
            if one.system == PEOPLE and candidate is not None and one.reviewer != candidate:
                continue
            if not text_of(one, variant.form).strip():
                self.dropped[one.system][NO_TEXT] += 1
                continue
            case, reason = _case(one, references, people, materials, variant)
            if case is None:
                self.dropped[one.system][reason] += 1
            else:
                yield case


def _check_reviewer(materials: Materials, name: str) -> None:
    names = {one.reviewer for one in materials.all() if one.system == PEOPLE and one.reviewer}
    if name not in names:
        known = ", ".join(sorted(names)[:_SHOWN]) or "none with a name"
        raise InputError(f"no reviewer is called '{name}'", cure=f"there are {known}")


def _case(
    one: Written,
    references: Sequence[Written],
    people: Sequence[Written],
    materials: Materials,
    variant: Variant,
) -> tuple[Case | None, str]:
    """A candidate with its references, or why there is none."""
    own = text_of(one, variant.form)
    others = [ref for ref in references if not _same_person(ref, one)]
    if not others:
        return None, NO_OTHER
    others = [ref for ref in others if text_of(ref, variant.form) != own]
    if not others:
        return None, SAME_TEXT
    pairs: list[Pair] = []
    used: list[Written] = []
    for reference in others:
        synopsis = _synopsis(variant, one, reference, people, materials)
        if synopsis is None and variant.conditional:
            continue
        used.append(reference)
        pairs.append(Pair(one.paper_id, own, text_of(reference, variant.form), synopsis))
    if not pairs:
        return None, NO_SYNOPSIS
    return Case(one, tuple(used), tuple(pairs)), ""


def _synopsis(
    variant: Variant,
    candidate: Written,
    reference: Written,
    people: Sequence[Written],
    materials: Materials,
) -> str | None:
    """What is known of the paper; None if it is not at hand."""
    if variant.known == "stand-in":
        known = (candidate, reference)
        third = (
            summary_section(one.raw)
            for one in people
            if not any(_same_person(one, other) or one.raw == other.raw for other in known)
        )
        return next(filter(None, third), None)
    row = materials.synopses.get(candidate.paper_id)
    if row is None or not (row.abstract or "").strip():
        return None
    if variant.known == "assw":
        return f"{row.abstract}\n\n{row.assw}" if (row.assw or "").strip() else None
    return row.abstract


def _same_person(one: Written, other: Written) -> bool:
    """Whether two reviews of a paper are one, or by one reviewer (who may have written twice)."""
    if one.system != other.system:
        return False
    return one.review_id == other.review_id or (
        one.reviewer is not None and one.reviewer == other.reviewer
    )


@lru_cache(maxsize=64)  # the reviews of a paper are asked for several times in a row
def summary_section(raw: str) -> str | None:
    """What a review says under a heading for the paper's summary; None if there is none."""
    if not raw.strip():
        return None
    review = Review(review_id="one", paper_id="one", fields={"text": raw})
    parts = [
        raw[one.start : one.end].strip()
        for one in sections_of(review)
        if one.role is Role.SUMMARY and "review" not in one.name.lower()  # not "of the review"
    ]
    return "\n".join(filter(None, parts)) or None


def possible(materials: Materials) -> Iterator[Variant]:
    """The variants for which these materials have texts."""
    if any(one.judgments for one in materials.all()):
        yield GEM
        known = list(materials.synopses.values())
        if any((one.abstract or "").strip() for one in known):
            yield GEM_S["abstract"]
            if any((one.assw or "").strip() for one in known):
                yield GEM_S["assw"]
        elif any(one.raw for one in materials.all()):
            yield GEM_S["stand-in"]
    if any(one.raw for one in materials.all()):
        yield GEM_RAW
