"""``reviewscore prompts``: list, show or verify the prompts."""

from __future__ import annotations

import click

from reviewscore import prompts
from reviewscore.cli.terminal import print_line, print_text, say
from reviewscore.cli.verb import Verb


@click.group("prompts")
def command() -> None:
    """List, show or verify the prompts."""


@command.command("list", cls=Verb)
def list_prompts() -> None:
    """Print each prompt's id, short sum and what it is after; runs use the latest versions."""
    for prompt in prompts.available():
        latest = prompts.latest(prompt.prompt_id.partition("/")[0])
        older = "" if prompt.prompt_id == latest.prompt_id else " (an older version)"
        print_line(f"{prompt.prompt_id:28} {prompt.sha256[:12]}  {prompt.source}{older}")


@command.command("show", cls=Verb)
@click.argument("prompt_id")
def show(prompt_id: str) -> None:
    """Print one prompt, such as premise_factuality/v1 (the latest version if none is named)."""
    name, _, version = prompt_id.partition("/v")
    known = {prompt.prompt_id: prompt for prompt in prompts.available()}
    if not version and any(text.partition("/")[0] == name for text in known):
        prompt_id = prompts.latest(name).prompt_id
    if prompt_id not in known:
        raise click.UsageError(f"No prompt '{prompt_id}'; see 'reviewscore prompts list'.")
    prompt = known[prompt_id]
    print_line(f"# {prompt.prompt_id}  sha256 {prompt.sha256}")
    if prompt.variables:
        print_line(f"# holes: {', '.join(prompt.variables)}")
    print_text(prompt.body)


@command.command("verify", cls=Verb)
def verify() -> int:
    """Check every prompt against SHA256SUMS; exit code 1 if one differs."""
    problems = prompts.verify()
    for problem in problems:
        say(problem)
    if not problems:
        print_line(f"{len(prompts.available())} prompts in {prompts.directory()}: all sums agree")
    return 1 if problems else 0
