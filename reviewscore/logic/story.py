"""What the prover found, in words: how an argument can fail, and what it lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewscore.logic.countermodel import UNNAMED
from reviewscore.logic.english import LONGEST, clause, fact, individual
from reviewscore.logic.fol import And, Formula, Implies, Not, is_numeral
from reviewscore.logic.model import Model
from reviewscore.logic.printer import to_text
from reviewscore.logic.vocabulary import Key
from reviewscore.schema.proof import Link

_MAX_FACTS = 12
"""A story with more facts is no help to a reader."""


def story(model: Model, conclusion: Formula, keys: Mapping[str, Key]) -> str | None:
    """How all premises can be true while the conclusion is false; None if it would be long.

    Args:
        model: Makes the premises true and the conclusion false.
        conclusion: The conclusion.
        keys: What names mean.
    """
    told = sorted(
        fact(name, individuals, keys)
        for name, individuals in model.facts
        if not all(map(is_numeral, individuals)) or not individuals
    )
    given = sorted(
        f"{_application(name, individuals, keys)} is {individual(value, keys)}"
        for (name, individuals), value in model.values.items()
        if individuals or name != value
    )
    if len(told) + len(given) > _MAX_FACTS:
        return None
    scene = _scene(model, keys)
    holds = "; ".join((*given, *told))
    situation = f"It could be that only this holds: {holds}" if holds else "Suppose nothing holds"
    denied = clause(Not(conclusion), keys) or "the conclusion is false"
    return (
        f"All premises can be true while the conclusion is false. {scene}{situation}; "
        f"and yet {denied}."
    )


def _scene(model: Model, keys: Mapping[str, Key]) -> str:
    """Who and what there is, unless all is said without individuals."""
    spoken = any(individuals for _, individuals in model.facts) or bool(model.values)
    if not spoken and set(model.domain) <= set(UNNAMED):
        return ""
    return f"Suppose there is only {_listed([individual(one, keys) for one in model.domain])}. "


def _application(name: str, individuals: tuple[str, ...], keys: Mapping[str, Key]) -> str:
    return fact(name, individuals, keys) if individuals else individual(name, keys)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def missing_link(
    premises: Sequence[Formula], conclusion: Formula, keys: Mapping[str, Key]
) -> Link | None:
    """The weakest premise that would make an argument valid: if all of them, then the conclusion.

    Whatever else would make it valid implies this. None if it would be long.
    """
    if not premises:
        link = conclusion
    else:
        link = Implies(premises[0] if len(premises) == 1 else And(tuple(premises)), conclusion)
    formula = to_text(link)
    if len(formula) > LONGEST:
        return None
    told = clause(link, keys)
    return Link(formula=formula, text=f"{told[0].upper()}{told[1:]}." if told else formula)
