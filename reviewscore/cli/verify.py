"""``reviewscore verify``: whether a venue folder is what was written into it."""

from __future__ import annotations

import re
from pathlib import Path

import click

from reviewscore.cli import options
from reviewscore.cli.terminal import print_line
from reviewscore.cli.verb import Verb

DIFFERS = 1
_HEAD = re.compile(r"(\d{1,15}):([0-9a-f]{64})")


@click.command("verify", cls=Verb)
@click.argument("venue", type=options.PATH)
@click.option("--head", metavar="N:HASH", help="Compare with a head that was kept elsewhere.")
def command(venue: Path, *, head: str | None) -> int:
    """Check the log of a venue folder, its records and its delivered pages.

    Prints what was looked at, what differs, and the head of the log. Keep the head elsewhere: only
    with it is it found that the end of the log was cut off. Exit code 1: something differs.

    \b
    Example:  reviewscore verify iclr27
              reviewscore verify iclr27 --head 12:9f86d081884c7d659a2feaa0c55ad015...
    """
    from reviewscore.period.log import Head
    from reviewscore.period.verify import verify

    kept = None if head is None else _HEAD.fullmatch(head)
    if head is not None and kept is None:
        raise click.BadParameter("is NUMBER:HASH, as `verify` printed it", param_hint="--head")
    found = verify(venue, None if kept is None else Head(int(kept[1]), kept[2]))
    for check in found.checks:
        differ = f"{len(check.faults):,} differ" if check.faults else "as written"
        print_line(f"{check.what} ({check.count:,}): {differ}")
        for fault in check.faults:
            print_line(f"  {fault}")
    if found.torn:
        print_line(f"half-written entry at the end: {found.torn:,} bytes, noted by the next entry")
    print_line(f"head: {found.head}")
    return 0 if found.holds else DIFFERS
