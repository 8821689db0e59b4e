"""Arguments with one planted fault each, made by a generator with a seed."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import NamedTuple

NAMES = ["Noisy", "Small", "Costly", "Recent", "Public", "Strong", "Old", "Fair"]
THINGS = ["ours", "baseline", "corpus", "table_2"]


class Planted(NamedTuple):
    """An argument and what is wrong with it."""

    fault: str
    premises: dict[str, str]
    conclusion: str


def planted(count: int, seed: int) -> list[Planted]:
    """Faults of six kinds in turn, each in a sound argument of random shape."""
    chance = random.Random(seed)
    makers = [_inconsistent, _circular, _equivalent, _tautological, _arity, _role]
    return [makers[number % len(makers)](chance) for number in range(count)]


def _sound(chance: random.Random) -> tuple[list[str], str]:
    """A chain of rules from a fact to a conclusion, with premises it does not need."""
    names = chance.sample(NAMES, chance.randint(3, 6))
    thing = chance.choice(THINGS)
    rules = [
        chance.choice(
            [
                f"forall x ({a}(x) -> {b}(x))",
                f"forall y (-{b}(y) -> -{a}(y))",
                f"-exists z ({a}(z) & -{b}(z))",
            ]
        )
        for a, b in pairwise(names)
    ]
    spare = [f"Spare({one})" for one in chance.sample(THINGS, chance.randint(0, 2))]
    premises = [f"{names[0]}({thing})", *rules, *spare]
    chance.shuffle(premises)
    return premises, f"{names[-1]}({thing})"


def _with(fault: str, chance: random.Random, premises: list[str], conclusion: str) -> Planted:
    chance.shuffle(premises)
    return Planted(fault, {f"P{n}": one for n, one in enumerate(premises)}, conclusion)


def _inconsistent(chance: random.Random) -> Planted:
    premises, conclusion = _sound(chance)
    return _with("inconsistent", chance, [*premises, f"-({conclusion})"], conclusion)


def _circular(chance: random.Random) -> Planted:
    premises, conclusion = _sound(chance)
    return _with("circular", chance, [*premises, conclusion], conclusion)


def _equivalent(chance: random.Random) -> Planted:
    a, b = chance.sample(NAMES, 2)
    premises, _ = _sound(chance)
    same = chance.choice([f"forall y (-{b}(y) -> -{a}(y))", f"-exists z ({a}(z) & -{b}(z))"])
    return _with("circular", chance, [*premises, same], f"forall x ({a}(x) -> {b}(x))")


def _tautological(chance: random.Random) -> Planted:
    premises, _ = _sound(chance)
    a, b = chance.sample(NAMES, 2)
    conclusion = chance.choice(
        [
            f"forall x ({a}(x) -> {a}(x))",
            f"forall x (({a}(x) & {b}(x)) -> {b}(x))",
            f"{a}(ours) | -{a}(ours)",
            "ours = ours",
        ]
    )
    return _with("tautological", chance, premises, conclusion)


def _arity(chance: random.Random) -> Planted:
    premises, conclusion = _sound(chance)
    name = conclusion.partition("(")[0]
    return _with("arity", chance, [*premises, f"{name}(ours, baseline)"], conclusion)


def _role(chance: random.Random) -> Planted:
    premises, conclusion = _sound(chance)
    name = conclusion.partition("(")[0]
    return _with("role", chance, [*premises, f"Likes({name}, ours)"], conclusion)
