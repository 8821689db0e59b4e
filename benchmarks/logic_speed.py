"""Time of proofs in a warm worker, and of smallest sets of premises against trying all subsets.

    python -m benchmarks.logic_speed

The arguments are the GPT-3.5 formalisations of the development data where they lie beside the
checkout, else generated ones; the sets of premises are generated.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Callable
from itertools import combinations

from benchmarks.measure import QUICK, SHARED, head, row
from reviewscore.logic.fol import Not
from reviewscore.logic.parser import parse
from reviewscore.logic.pool import Provers
from reviewscore.logic.z3_backend import ProofLimits, ProofSession, irreducible, smallest
from reviewscore.schema.proof import Validity

DENIED = "denied"
_EVERY = 60 if QUICK else 3
"""Of the arguments, each so many-th is timed."""


def arguments() -> list[tuple[dict[str, str], str]]:
    """Premises and conclusions to prove."""
    file = SHARED / "fol" / "linc_gpt-3.5_folio.jsonl"
    if not file.is_file():
        return [chain(8, seed) for seed in range(300)]
    lines = file.read_text(encoding="utf-8").splitlines()[::_EVERY]
    records = [json.loads(line) for line in lines]
    return [
        ({f"P{n}": text for n, text in enumerate(one["premises"])}, one["conclusion"])
        for one in records
    ]


def chain(rules: int, seed: int) -> tuple[dict[str, str], str]:
    """Rules of which a chain leads to the conclusion, with others beside it."""
    chance = random.Random(seed)
    used = chance.randint(2, rules)
    texts = [f"forall x (A{n}(x) -> A{n + 1}(x))" for n in range(used - 1)] + ["A0(a)"]
    texts += [f"forall x (B{n}(x) -> B{n + 1}(x))" for n in range(rules - used)]
    chance.shuffle(texts)
    return {f"P{n}": text for n, text in enumerate(texts)}, f"A{used - 1}(a)"


def alternatives(premises: int) -> tuple[list[str], str]:
    """Premises in pairs of which either serves, so that there are many irreducible sets."""
    texts = [f"forall x (Q{n // 2}(x) & R{n}(x))" for n in range(premises)]
    return texts, " & ".join(f"Q{n}(a)" for n in range(premises // 2))


def all_needed(premises: int) -> tuple[list[str], str]:
    """A chain of rules, every one of which is needed."""
    texts = ["A0(a)", *[f"forall x (A{n}(x) -> A{n + 1}(x))" for n in range(premises - 1)]]
    return texts, f"A{premises - 1}(a)"


def session_of(texts: list[str], goal: str) -> tuple[ProofSession, list[str]]:
    """A session with the premises and the denied conclusion."""
    session = ProofSession(ProofLimits())
    labels = [f"P{n}" for n in range(len(texts))]
    for label, text in zip(labels, texts, strict=True):
        session.add(label, parse(text))
    session.add(DENIED, Not(parse(goal)))
    return session, labels


def all_subsets(texts: list[str], goal: str) -> tuple[str, ...] | None:
    """The baseline, as in the ReviewScore paper: a fresh solver per subset, small ones first."""
    trees, denied = [parse(text) for text in texts], Not(parse(goal))
    for size in range(len(texts) + 1):
        for chosen in combinations(range(len(texts)), size):
            session = ProofSession(ProofLimits())
            session.assume([*[trees[n] for n in chosen], denied])
            if session.impossible():
                return tuple(f"P{n}" for n in chosen)
    return None


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """Milliseconds, and what came of it."""
    began = time.perf_counter()
    result = work()
    return (time.perf_counter() - began) * 1000, result


def proofs() -> None:
    """Round trips to one warm worker, without and with explanations."""
    provers = Provers(1)
    provers.prove({"P1": "A"}, "A & B")
    for explain, name in ((False, "proof"), (True, "proof with counter-model and link")):
        times = []
        for premises, conclusion in arguments():
            spent, proof = timed(
                lambda p=premises, c=conclusion, e=explain: provers.prove(
                    p, c, lenient=True, explain=e
                )
            )
            if proof.validity is not Validity.ILL_FORMED:
                times.append(spent)
        times.sort()
        median, high = statistics.median(times), times[int(len(times) * 0.99)]
        goals = ("<= 5 ms", "<= 25 ms") if not explain else ("-", "-")
        # The baseline is the round trip alone: a formula that is refused before any proof.
        idle = statistics.median(timed(lambda: provers.prove({"P1": "A("}, "B"))[0] for _ in times)
        base = f"{idle:.2f} ms round trip"
        told = f"{median:.1f} ms of {len(times)} proofs"
        row(f"{name}, median", told, base, median / idle, goals[0])
        row(f"{name}, 99th percentile", f"{high:.1f} ms", base, high / idle, goals[1])
    provers.close()


def sets() -> None:
    """Irreducible and smallest sets, beside trying all subsets where that ends soon."""
    for premises in (8,) if QUICK else (8, 12):
        for make, name in ((all_needed, "all needed"), (alternatives, "half needed, in pairs")):
            texts, goal = make(premises)
            base, expected = timed(lambda t=texts, g=goal: all_subsets(t, g))
            session, labels = session_of(texts, goal)
            core = session.check([*labels, DENIED]).core
            quick, _ = timed(lambda s=session, c=core: irreducible(s, c, fixed=[DENIED]))
            session, labels = session_of(texts, goal)
            spent, found = timed(lambda s=session, n=labels: smallest(s, n, DENIED))
            assert found == expected
            what = f"of {premises} premises ({name})"
            times = f"all subsets {base:,.0f} ms"
            goal = "baseline >= 1,000 times" if premises == 12 else "-"
            enough = base / quick >= 1000 if premises == 12 else None
            row(f"irreducible set {what}", f"{quick:.1f} ms", times, quick / base, goal, met=enough)
            row(f"smallest set {what}, the same", f"{spent:.1f} ms", times, spent / base, "-")
    for make, name in ((all_needed, "all needed"), (alternatives, "half needed, in pairs")):
        session, labels = session_of(*make(20))
        core = session.check([*labels, DENIED]).core
        quick, _ = timed(lambda s=session, c=core: irreducible(s, c, fixed=[DENIED]))
        spent, _ = timed(lambda s=session, n=labels: smallest(s, n, DENIED))
        row(f"irreducible set of 20 premises ({name})", f"{quick:.1f} ms", "-", None, "<= 50 ms")
        row(f"smallest set of 20 premises ({name})", f"{spent:.0f} ms", "-", None, "<= 1,000 ms")


def main() -> None:
    """Print the rows."""
    head("Logic")
    proofs()
    sets()


if __name__ == "__main__":
    main()
