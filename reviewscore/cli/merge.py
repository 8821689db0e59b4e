"""``reviewscore merge``: one run folder of the parts of a venue."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from reviewscore.cli import options
from reviewscore.cli.terminal import print_line, say, waiting
from reviewscore.cli.verb import Verb


@click.command("merge", cls=Verb)
@click.argument("runs", nargs=-1, required=True, type=options.RUN)
@options.path("-o", "--output", required=True, help="The new run folder.")
@options.ACCEPT_CHANGED
def command(runs: tuple[Path, ...], output: Path, *, accept_changed: bool) -> None:
    """Make one run folder of runs that are parts of one audit.

    The parts must be made by one judge with the same settings and prompts, and share no point.

    \b
    Example:  reviewscore merge runs/part-1 runs/part-2 -o runs/iclr24
    """
    from reviewscore.printable import counted
    from reviewscore.report.lines import summary_lines
    from reviewscore.report.summary import write_summary
    from reviewscore.runs.merge import merge

    with waiting("reading and merging the runs"):
        made = merge(runs, output, accept_changed=accept_changed)
    for line in summary_lines(write_summary(output, accept_changed=accept_changed)):
        print_line(line)
    if made.repeated:
        print_line(f"{counted(made.repeated, 'point')} met twice, word for word, kept once")
    if not made.manifest.complete:
        say("warning: a part is not complete, so neither is the whole")
    print_line(f"run:    {output}")
    print_line(
        "next:   " + shlex.join(("reviewscore", "venue", str(output), "-o", f"{output.name}-venue"))
    )
