"""The mixture: which share each distribution has, learned by expectation maximisation.

The components are the background; words, pairs and triples of the reference's own history, of the
candidate, and of the synopsis. Where a component has nothing to say its share goes to the others:
every set of components that can speak (a *regime*) has shares of its own, so that the mixture sums
to one in each.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from reviewscore.gem.lexical.caches import Cache
from reviewscore.gem.lexical.reference import Reference
from reviewscore.gem.lexical.vocabulary import Floats, Ints
from reviewscore.sources.spooled import SpooledList

COMPONENTS = (
    "background",
    *(
        f"{whose} {size}"
        for whose in ("own", "candidate", "synopsis")
        for size in ("words", "pairs", "triples")
    ),
)
REGIMES = 1 << (len(COMPONENTS) - 1)
_EACH = 3
_PRIOR = 200.0
"""How many words the mean over regimes counts for in each of them."""
_STEPS = 60
_SETTLED = 1e-5
"""Change of the shares from which on they count as found."""


def components(
    reference: Reference, candidate: Cache | None, synopsis: Cache | None
) -> tuple[Floats, Ints]:
    """Probabilities of a reference's words under each component.

    Returns:
        Shape (components, n), and the regime of each word, shape (n,).
    """
    values = np.zeros((len(COMPONENTS), len(reference)))
    values[0] = reference.background
    regime = np.zeros(len(reference), dtype=np.int64)
    sources = (
        (reference.own, reference.own_known),
        candidate.components(reference) if candidate else None,
        synopsis.components(reference) if synopsis else None,
    )
    for number, source in enumerate(sources):
        if source is None:
            continue
        for size, (value, known) in enumerate(zip(*source, strict=True)):
            place = number * _EACH + size
            values[1 + place] = value
            regime += np.multiply(known, 1 << place)
    return values, regime


def log_probability(values: Floats, regime: Ints, shares: Floats) -> float:
    """Natural logarithm of a text's probability.

    Args:
        values: Shape (components, n).
        regime: Shape (n,).
        shares: Shape (regimes, components), rows sum to 1.
    """
    return float(np.log(np.einsum("nk,kn->n", shares[regime], values)).sum())


def learn(samples: Iterable[tuple[Floats, Ints]]) -> Floats:
    """Shares of the components in every regime.

    Args:
        samples: What `components` gave for texts that the background has not seen.

    Returns:
        Shape (regimes, components), rows sum to 1; 0 for components that cannot speak.
    """
    waiting = SpooledList[Floats]()
    regimes = []
    for part, known in samples:
        waiting.append(part)
        regimes.append(known)
    regime = np.concatenate(regimes)
    order = np.argsort(regime, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    regime = regime[order]
    values = np.empty((len(COMPONENTS), len(order)))
    at = 0
    for part in waiting:  # each to its regime: they are held once
        values[:, place[at : at + part.shape[1]]] = part
        at += part.shape[1]
    seen, starts = np.unique(regime, return_index=True)
    ends = [*starts[1:], len(regime)]
    speak = _can_speak()
    weight = np.zeros(len(COMPONENTS))
    mass = np.zeros(len(COMPONENTS))
    for number, begin, end in zip(seen.tolist(), starts, ends, strict=True):
        shares = _fit(values[:, begin:end], speak[number] / speak[number].sum(), 1.0)
        mass += shares * (end - begin)
        weight += speak[number] * (end - begin)
    mean = mass / np.maximum(weight, 1.0)
    table = speak * mean
    table[:, 0] += 1.0 - table.sum(axis=1)
    table[:, 0] = np.maximum(table[:, 0], 0.05)  # many may speak at once: none takes it all
    table /= table.sum(axis=1, keepdims=True)
    for number, begin, end in zip(seen.tolist(), starts, ends, strict=True):
        table[number] = _fit(values[:, begin:end], table[number], _PRIOR)
    return table


def _can_speak() -> Floats:
    """Shape (regimes, components): 1 for the components of each regime."""
    numbers = np.arange(REGIMES)[:, None]
    bits: NDArray[np.int64] = (numbers >> np.arange(len(COMPONENTS) - 1)) & 1
    return np.concatenate([np.ones((REGIMES, 1)), bits], axis=1)


def _fit(values: Floats, start: Floats, prior: float) -> Floats:
    """Shares by expectation maximisation, drawn to where they start."""
    shares = start
    used = start > 0
    inside = values[used]
    joint = np.empty_like(inside)
    pseudo = start[used] * prior
    now = shares[used]
    for _ in range(_STEPS):
        np.multiply(now[:, None], inside, out=joint)
        joint /= np.maximum(joint.sum(axis=0), 1e-300)
        claims = joint.sum(axis=1) + pseudo
        before, now = now, claims / claims.sum()
        if np.abs(now - before).max() < _SETTLED:
            break
    out = np.zeros(len(start))
    out[used] = now
    return out
