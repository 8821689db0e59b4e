"""The prover: sets of premises that a proof needs, and the library it loads."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.logic.fol import Formula, Not
from reviewscore.logic.parser import parse
from reviewscore.logic.z3_backend import (
    CheckOutcome,
    ProofLimits,
    ProofSession,
    irreducible,
    smallest,
)
from tests.logic.formulas import propositional

DENIED = "denied"


def session_of(premises: list[Formula], conclusion: Formula) -> tuple[ProofSession, list[str]]:
    session = ProofSession(ProofLimits())
    labels = [f"P{number}" for number in range(len(premises))]
    for label, premise in zip(labels, premises, strict=True):
        session.add(label, premise)
    session.add(DENIED, Not(conclusion))
    return session, labels


def by_trying_all(session: ProofSession, labels: list[str]) -> tuple[str, ...] | None:
    for size in range(len(labels) + 1):
        for chosen in combinations(labels, size):
            if session.impossible(*chosen, DENIED):
                return chosen
    return None


@settings(max_examples=60, deadline=None)
@given(st.lists(propositional(), max_size=6), propositional())
def test_the_smallest_set_is_the_one_that_trying_all_subsets_finds_first(
    premises: list[Formula], conclusion: Formula
) -> None:
    session, labels = session_of(premises, conclusion)
    expected = by_trying_all(session, labels)

    found = smallest(session, labels, DENIED)

    assert found == expected
    if expected is not None:
        core = session.check([*labels, DENIED]).core
        kept = irreducible(session, core)
        assert session.impossible(*kept)
        for left_out in kept:
            rest = [one for one in kept if one != left_out]
            assert session.check(rest).outcome is CheckOutcome.SATISFIABLE


def test_many_alternatives_are_searched_without_trying_all() -> None:
    # Twenty premises, ten pairs, of which any one of each pair suffices.
    premises = [parse(f"A{n // 2} & B{n}") for n in range(20)]
    conclusion = parse(" & ".join(f"A{n}" for n in range(10)))
    session, labels = session_of(premises, conclusion)

    assert smallest(session, labels, DENIED) == tuple(labels[::2])


def test_more_than_twenty_premises_or_a_reached_limit_give_no_smallest_set() -> None:
    session, labels = session_of([parse(f"A{n}") for n in range(21)], parse("A0"))
    assert smallest(session, labels, DENIED) is None

    spent = ProofSession(ProofLimits(seconds=0.0))
    spent.add("P0", parse("A"))
    spent.add(DENIED, parse("-A"))
    assert smallest(spent, ["P0"], DENIED) is None


def test_a_set_that_does_not_suffice_has_no_smallest_part() -> None:
    session, labels = session_of([parse("A"), parse("B")], parse("C"))

    assert smallest(session, labels, DENIED) is None


def test_a_fixed_formula_stays_in_an_irreducible_set() -> None:
    session, _ = session_of([parse("A"), parse("B")], parse("A"))
    core = session.check(["P0", "P1", DENIED]).core

    assert irreducible(session, core, fixed=[DENIED]) == ("P0", DENIED)


SHOW = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(args[0]) if event == "ctypes.dlopen" else None)
from reviewscore.logic.validity import prove
print(prove({"P1": "A"}, "A | B").validity)
print(*(name for name in opened if "libz3" in str(name)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="names of the library on Linux")
def test_a_library_in_the_current_folder_is_not_loaded(tmp_path: Path) -> None:
    spec = find_spec("z3")
    assert spec is not None
    assert spec.origin is not None
    libraries = list((Path(spec.origin).parent / "lib").glob("libz3.so*"))
    for library in libraries:
        (tmp_path / library.name).symlink_to(library)

    done = subprocess.run(
        [sys.executable, "-P", "-c", SHOW], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    validity, loaded = done.stdout.split()
    assert libraries
    assert validity == "valid"
    assert Path(loaded).parent == libraries[0].parent
