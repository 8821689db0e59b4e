"""``reviewscore withdraw``: take papers and reviews out of a venue folder and the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli import options
from reviewscore.cli.closing import agreed_to
from reviewscore.cli.main import PARTLY, WRONG_USE
from reviewscore.cli.terminal import print_line
from reviewscore.cli.verb import Verb

if TYPE_CHECKING:
    from reviewscore.period.withdraw import Receipt


@click.command("withdraw", cls=Verb)
@click.argument("venue", type=options.PATH)
@click.argument("names", metavar="PAPER|REVIEW...", nargs=-1, required=True)
@options.switch("--dry-run", help="Say what would be removed, and remove nothing.")
@options.switch("--yes", help="Remove it without asking.")
@options.switch("--exchange", help="Take prompts and replies out of exchange:FOLDER too.")
@click.option("--who", metavar="NAME", help="Who asked for it, by a pseudonym, for the log.")
@options.setting("ledger")
@options.CONFIG_OPTION
def command(
    venue: Path,
    names: tuple[str, ...],
    *,
    dry_run: bool,
    yes: bool,
    exchange: bool,
    who: str | None,
    ledger: str | None,
) -> int:
    """Remove papers or reviews from a venue folder and the ledger, for good.

    A paper goes with all its versions and reviews. Texts, verdicts, labels, cached prompts and
    replies go; pages on which they stand go whole, and `report` makes them anew. A
    receipt says what was removed, and later syncs leave it out. Then all files are searched for
    eight consecutive words of the texts. Exit code 3: something is left; it is named.

    \b
    Example:  reviewscore withdraw iclr27 paper-17 --dry-run
              reviewscore withdraw iclr27 review-204 --yes
    """
    from reviewscore.period.withdraw import RECEIPTS, withdraw

    place = options.settings_from({"ledger": ledger}).settings.ledger_place

    def done(*, dry: bool) -> Receipt:
        return withdraw(venue, names, ledger=place, exchange=exchange, who=who, dry=dry)

    if dry_run or not yes:
        _print(done(dry=True), "to be removed")
    if dry_run:
        return 0
    if not agreed_to(f"this removes them from {venue} and the ledger for good", yes=yes):
        return WRONG_USE
    receipt = done(dry=False)
    _print(receipt, "removed")
    for left in receipt.remains:
        print_line(f"still there: {left}")
    print_line("not looked at: files outside the folder (sheets, exports, reports), what was sent")
    print_line(f"receipt: {venue / RECEIPTS}/{receipt.number:04d}.json")
    return PARTLY if receipt.remains else 0


def _print(receipt: Receipt, what: str) -> None:
    from reviewscore.printable import counted

    papers, reviews = (len(ids) for ids in (receipt.papers, receipt.reviews))
    print_line(f"{what}: {counted(papers, 'paper')}, {counted(reviews, 'review')}")
    for place, count in receipt.removed.items():
        print_line(f"  {place}: {count:,}")
    if not receipt.removed:
        print_line("  nothing")
