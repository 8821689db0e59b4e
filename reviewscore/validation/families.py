"""Families of models: who wrote planted points, who confirmed them, and who judges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from reviewscore.config import EMBEDDED
from reviewscore.llm.provider import EXCHANGE
from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.planted_point import PlantedPoint
from reviewscore.schema.record import Record

_FAMILIES = {
    "GPT": r"gpt|chatgpt|o[1-9](?![a-z0-9])|davinci",
    "Claude": r"claude",
    "Gemini": r"gemini|gemma|palm",
    "Llama": r"llama|vicuna|alpaca",
    "Qwen": r"qwen|qwq",
    "Mistral": r"mistral|mixtral|ministral|magistral",
    "DeepSeek": r"deepseek",
    "Phi": r"phi",
    "Command": r"command|aya",
    "GLM": r"glm",
    "Kimi": r"kimi",
    "Granite": r"granite",
    "OLMo": r"olmo",
    "SmolLM": r"smollm",
}
"""Families by how the names of their models begin."""
UNKNOWN = "unknown"
PERSON = "person"


class Families(Record):
    """Families of those who took part; several where several did.

    Attributes:
        writer: Of those who wrote the remarks: a family, ``person`` or ``unknown``.
        verifier: Of those who confirmed them; empty if nobody did.
        judge: Of the models that judge; empty for the embedded judge.
        confirmed_by: How many confirmed each remark, and whether they are of two families, in
            words; empty if not all were confirmed.
    """

    writer: tuple[str, ...]
    verifier: tuple[str, ...]
    judge: tuple[str, ...]
    confirmed_by: str = ""

    @property
    def warning(self) -> str:
        """What must be said of them; empty if nothing."""
        if not self.judge:
            return ""
        shared = sorted(set(self.writer) & set(self.judge) - {UNKNOWN})
        if shared:
            confirmed = set(shared) >= set(self.verifier) != set()
            roles = "Writer, confirmer and judge" if confirmed else "Writer and judge"
            return (
                f"{roles} are of one family ({', '.join(shared)}): what its members overlook alike "
                "does not show, and the figures may be too good."
            )
        families = {"the writer": self.writer, "the judge": self.judge}
        lacking = [role for role, names in families.items() if UNKNOWN in names]
        if lacking:
            return (
                f"The family of {' and of '.join(lacking)} is not known. If both are of one "
                "family, the figures may be too good."
            )
        return ""


def family_of(model: str) -> str:
    """The family of a model by its name, such as ``Llama`` for ``ollama/llama3.1:8b``.

    Args:
        model: The name, with its provider.
    """
    name = model.casefold()
    if name.startswith(EXCHANGE):
        return UNKNOWN
    _, _, own = name.rpartition("/")
    for before in ("", r".*[-_. ]"):  # what a name begins with says more than what it is made of
        for family, begins in _FAMILIES.items():
            if re.match(rf"{before}(?:{begins})(?![a-z])", own):
                return family
    return UNKNOWN


def known_family(model: str) -> str | None:
    """The family of a model; None if it is not known."""
    family = family_of(model)
    return None if family == UNKNOWN else family


def families_of(points: Sequence[PlantedPoint], models: Iterable[str]) -> Families:
    """The families of those who wrote, confirmed and judge.

    Args:
        points: The planted points; they may name a family.
        models: The models that judge.
    """
    return Families(
        writer=_named(points, lambda point: (point.writer_kind, point.writer_family)),
        verifier=tuple(sorted({name for point in points for name in _verifiers(point)})),
        judge=tuple(sorted({family_of(model) for model in models if model != EMBEDDED})),
        confirmed_by=_confirmed_by(points),
    )


def _verifiers(point: PlantedPoint) -> tuple[str, ...]:
    """The families of those who confirmed a point, in their order."""
    also = point.also_confirmed
    said = [] if point.verifier_kind is None else [(point.verifier_kind, point.verifier_family)]
    said += [] if also is None else [(also.verifier_kind, also.verifier_family)]
    return tuple(_name(kind, family) for kind, family in said)


def _confirmed_by(points: Sequence[PlantedPoint]) -> str:
    """Who confirmed all of the points, in words; empty where some were not confirmed."""
    groups = [_verifiers(point) for point in points]
    if not groups or not all(groups):
        return ""
    if min(map(len, groups)) == 1:
        return "confirmed by one reader"
    if any(UNKNOWN in group for group in groups):
        return "confirmed by two readers, whose families are not all known"
    apart = all(len(set(group)) > 1 for group in groups)
    return "confirmed by two families" if apart else "confirmed by two readers of one family"


def _named(
    points: Iterable[PlantedPoint],
    who: Callable[[PlantedPoint], tuple[AnnotatorKind | None, str | None]],
) -> tuple[str, ...]:
    return tuple(sorted({_name(*who(point)) for point in points}))


def _name(kind: AnnotatorKind | None, family: str | None) -> str:
    return PERSON if kind is AnnotatorKind.HUMAN else family or UNKNOWN
