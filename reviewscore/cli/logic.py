"""``reviewscore logic``: prove arguments that are written in formulas, and say what was found."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from reviewscore.cli import options
from reviewscore.cli.main import PARTLY
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError
from reviewscore.schema.proof import Proof, Validity

if TYPE_CHECKING:
    from reviewscore.sources.formal import FormalArgument


@click.command("logic", cls=Verb)
@click.argument("file", type=click.File("r", encoding="utf-8", errors="replace"))
@options.switch("--explain", help="Print findings for people instead of JSON.")
@options.switch(
    "--lenient", help="Read what the grammar refuses, under assumptions that are listed."
)
@options.preset(
    "--seconds",
    type=click.FloatRange(min=0.1, max=3600),
    default=20.0,
    help="Most time for one argument.",
)
@click.option("--workers", type=click.IntRange(1, 64), help="Provers at once; one per core.")
def command(file: TextIO, explain: bool, lenient: bool, seconds: float, workers: int | None) -> int:
    """Prove arguments in formulas: JSON or JSONL in (FILE, or - for standard input), JSON out.

    An argument is {"keys": {..}, "premises": {"P1": ".."}, "conclusion": ".."}; keys may be left
    out. Exit code 0 if all were read, whatever was found; 3 if a record could not be used.

    \b
    Example:  echo '{"premises": ["A", "A -> B"], "conclusion": "B"}' | reviewscore logic -
    """
    from reviewscore.logic.pool import Provers
    from reviewscore.logic.z3_backend import ProofLimits
    from reviewscore.papers.file_kinds import check_head
    from reviewscore.sources.formal import read_arguments

    source = str(getattr(file, "name", "<stdin>"))
    if Path(source).is_file():
        check_head(Path(source))
    limits, provers = ProofLimits(seconds=seconds), Provers(workers)
    failed, nothing = False, True

    def prove(argument: FormalArgument) -> Proof:
        return provers.prove(
            argument.premises,
            argument.conclusion,
            keys=argument.keys,
            lenient=lenient,
            limits=limits,
        )

    try:
        arguments = read_arguments(file, source)
        for argument, proof in _in_order(arguments, prove, provers.workers):
            nothing = False
            if proof is None:
                failed = True
                say(f"error: {argument}")
                continue
            name = getattr(argument, "argument_id", "")
            for line in _explained(name, proof) if explain else [_as_json(name, proof)]:
                print_line(line)
    finally:
        provers.close()
    if nothing:
        raise InputError("no argument in it", file=source)
    return PARTLY if failed else 0


def _in_order(
    arguments: Iterator[FormalArgument | InputError],
    prove: Callable[[FormalArgument], Proof],
    workers: int,
) -> Iterator[tuple[FormalArgument | InputError, Proof | None]]:
    """Each argument with its proof, several under way at once; None for one that is unusable."""
    waiting: deque[tuple[FormalArgument | InputError, Future[Proof] | None]] = deque()
    with ThreadPoolExecutor(workers) as threads:
        for one in arguments:
            asked = None if isinstance(one, InputError) else threads.submit(prove, one)
            waiting.append((one, asked))
            # Ready ones go out at once: standard input may be a person or a slow program.
            while waiting and (len(waiting) > 4 * workers or _ready(waiting[0][1])):
                first, future = waiting.popleft()
                yield first, future.result() if future else None
        for first, future in waiting:
            yield first, future.result() if future else None


def _ready(future: Future[Proof] | None) -> bool:
    return future is None or future.done()


def _as_json(name: str, proof: Proof) -> str:
    record = {"id": name, "shows": proof.shows, **proof.model_dump(mode="json")}
    return json.dumps(record, ensure_ascii=False)


def _explained(name: str, proof: Proof) -> list[str]:
    return [f"{name}: {headline(proof)}", *[f"  {line}" for line in details(proof)]]


_REASONS = {
    "work": "the limit of work was reached",
    "time": "the time was used up",
    "memory": "the memory was used up",
}


def headline(proof: Proof) -> str:
    """The finding in one line."""
    if proof.validity is Validity.VALID:
        return _valid(proof)
    core = " and ".join(proof.inconsistent_core)
    together = "contradicts itself" if len(proof.inconsistent_core) == 1 else "cannot all hold"
    why = "contradicts itself" if proof.contradictory_conclusion else "does not follow"
    why = "is the opposite of what follows" if proof.refuted else why
    return {
        Validity.INVALID: f"not valid: the conclusion {why}",
        Validity.INCONSISTENT_PREMISES: (
            f"inconsistent premises: {core} {together}, so everything would follow"
        ),
        Validity.UNKNOWN: f"unknown: {_REASONS.get(proof.reason, 'a limit was reached')}",
        Validity.ILL_FORMED: "ill-typed" if proof.ill_typed else "ill-formed",
    }[proof.validity]


def _valid(proof: Proof) -> str:
    if proof.tautological_conclusion:
        return "valid, but shows nothing: the conclusion is true by logic alone"
    if proof.circular:
        return f"valid, but circular: {proof.circular_premise} says the same as the conclusion"
    return "valid"


def details(proof: Proof) -> list[str]:
    """What more there is to say, one line each."""
    told = []
    if proof.validity is Validity.VALID and not proof.tautological_conclusion:
        smallest = ", a smallest set" if proof.minimum == proof.needed else ""
        told.append(f"proof from {_listed(proof.needed)}{smallest}")
    if proof.unused:
        told.append(f"not needed by it: {_listed(proof.unused)}")
    if proof.trivial:
        told.append(f"true by logic alone: {_listed(proof.trivial)}")
    told += [
        f"{'warning' if one.warning else 'error'} {one.code} in {one.where}, line {one.line}, "
        f"column {one.column}: {one.message}"
        for one in proof.problems
    ]
    told += _reasons(proof)
    told += [
        f"{'assumed' if one.assumed else 'normalised'} {one.code} in {one.where}, line {one.line}, "
        f"column {one.column}"
        for one in proof.normalised
    ]
    return told


def _reasons(proof: Proof) -> list[str]:
    told = []
    if proof.unproved_predicates:
        told.append(f"in no premise: {_listed(proof.unproved_predicates)}")
    told += [f"did you mean {near} for {name}?" for name, near in proof.similar_predicates]
    if proof.countermodel:
        told.append(f"how it can fail: {proof.countermodel}")
    if proof.missing_link:
        link = proof.missing_link
        words = "" if link.text == link.formula else f" ({link.text})"
        told.append(f"missing link, at its weakest: {link.formula}{words}")
    return told


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
