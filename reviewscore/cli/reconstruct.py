"""``reviewscore reconstruct``: rebuild one argument as premises and conclusion."""

from __future__ import annotations

import asyncio
import shlex
import textwrap
from pathlib import Path

import click

from reviewscore.cli import options
from reviewscore.cli.logic import details, headline
from reviewscore.cli.terminal import print_line, print_text, say
from reviewscore.config import Settings, as_settings
from reviewscore.schema.argument import Argument, Round


@click.command("reconstruct", cls=options.GroupedCommand)
@click.argument("argument")
@options.path("--paper", required=True, help="The paper: text, Markdown, PDF.")
@options.switch("--json", "as_json", help="Print the record instead of text.")
@options.model_options
def command(argument: str, paper: Path, as_json: bool, **flags: object) -> int:
    """Rebuild one argument as premises and conclusion, proved and judged faithful.

    Exit code 0 if the argument was proved, 1 if the rounds ran out.

    \b
    Example:  reviewscore reconstruct "No ablation, so the gain is unexplained." --paper paper.pdf
    """
    from reviewscore.prompts import use_directory

    if _is_file(argument):
        words = f'"$(cat {shlex.quote(argument)})"'
        raise click.UsageError(f"{argument} is a file; give the words of one argument: {words}")
    settings = options.settings_from(as_settings(flags)).settings
    with use_directory(settings.prompts_dir):
        found = asyncio.run(_reconstruct(argument, paper, settings))
    if settings.embedded:
        say(
            "judge: lexical, a template over the reviewer's own words: it has one try, and judges "
            "neither faithfulness nor truth; name a --model for a reconstruction",
        )
        if not found.verbatim_reasons:
            say("no reason was found in the text, only a conclusion")
    if as_json:
        print_text(found.model_dump_json(indent=2))
    else:
        for line in _lines(found):
            print_line(line)
    return 0 if found.state.passed else 1


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):  # words that no file can be called
        return False


async def _reconstruct(text: str, file: Path, settings: Settings) -> Argument:
    from reviewscore.arguments.reconstruct import reconstruct
    from reviewscore.judges.model_judges import judges_alone
    from reviewscore.llm.confidentiality import check_consent, permission_of
    from reviewscore.papers.load import load_paper
    from reviewscore.schema.review import ReviewPoint, Role
    from reviewscore.schema.span import Span

    paper = load_paper(file)
    check_consent(permission_of(settings), f"paper '{paper.paper_id}'", paper.consent)
    point = ReviewPoint(
        review_id="argument",
        paper_id=paper.paper_id,
        section="argument",
        role=Role.WEAKNESSES,
        text=text,
        span=Span(field="text", start=0, end=len(text)),
    )
    async with judges_alone(settings, "reconstruct", say) as judges:
        return await reconstruct(point, paper, judges, rounds=settings.rounds)


def _lines(argument: Argument) -> list[str]:
    from reviewscore.printable import counted

    last = argument.rounds[-1]
    rounds = counted(len(argument.rounds), "round")
    texts = [f"state: {argument.state.value} after {rounds}"]
    proving = [premise.premise_id for premise in argument.premises if premise.needed]
    texts += [f"map: {' + '.join(proving)} -> conclusion", ""] if proving else [""]
    for premise in argument.premises:
        kind = "stated" if premise.explicit else "unstated"
        needed = ", needed by the proof" if premise.needed else ""
        texts.append(f"{premise.premise_id} ({kind}{needed}): {premise.text}")
        texts.append(f"    {premise.formula}")
    texts += [f"∴ {argument.conclusion}", f"    {argument.conclusion_formula}", ""]
    texts += [f"{symbol}: {meaning}" for symbol, meaning in argument.keys.items()]
    texts += ["", f"prover: {headline(last.finding)}"]
    texts += [f"  {line}" for line in details(last.finding)]
    texts += ["", "rounds:"]
    for attempt in argument.rounds:
        texts += _round_lines(attempt)
    return texts


def _round_lines(attempt: Round) -> list[str]:
    texts = [f"{attempt.number}. {attempt.state.value}: {headline(attempt.finding)}"]
    texts += [f"     {premise.premise_id}: {premise.formula}" for premise in attempt.premises]
    texts.append(f"     C: {attempt.conclusion_formula}")
    if attempt.faithfulness_rationale:
        texts.append(f"   on faithfulness: {attempt.faithfulness_rationale}")
    if attempt.feedback:
        texts += ["   told to the model:", *[f"     {line}" for line in _wrapped(attempt.feedback)]]
    return texts


def _wrapped(text: str) -> list[str]:
    return [part for line in text.splitlines() if line for part in textwrap.wrap(line, 92)]
