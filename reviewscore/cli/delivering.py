"""Flags of `report` that write a folder for each person, with what this person may see."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.main import PARTLY
from reviewscore.cli.terminal import print_line, say
from reviewscore.errors import SettingsError
from reviewscore.printable import counted, first_of

if TYPE_CHECKING:
    from reviewscore.period.budget import Pushed
    from reviewscore.period.deliver import Delivery

_SHOWN = 20
"""Papers without anybody, and reviews that are left out, that are named."""

delivery_options = options.together(
    options.path(
        "--out-of",
        "table",
        help="Table of assignments (person, role, paper, review, conflict): a folder a person, "
        "with what this person may see alone.",
    ),
    click.option(
        "--release",
        type=click.Choice(["flags", "points"]),
        help="With --for author --out-of: what authors see, points that the paper speaks to or "
        "all.",
    ),
    click.option("--person", help="With --out-of: write this person's folder alone."),
)


@dataclass(frozen=True)
class PeoplesPages:
    """What the flags of `delivery_options` say, and for whom."""

    table: Path | None
    release: str | None
    person: str | None
    reader: str | None

    @classmethod
    def of(cls, flags: dict[str, Any], reader: str | None) -> PeoplesPages:
        """What was given.

        Args:
            flags: Flags of the command, from which those of `delivery_options` are taken out.
            reader: For whom pages are.

        Raises:
            SettingsError: A flag would have no effect, or no role is named.
        """
        from reviewscore.period.assignments import VenueRole

        made = cls(flags.pop("table"), flags.pop("release"), flags.pop("person"), reader)
        alone = made.table is None
        if alone and (made.release or made.person or (reader or "").endswith("-chair")):
            raise SettingsError("chairs, --release and --person go with --out-of assignments.csv")
        if not alone and reader not in set(VenueRole):
            raise SettingsError("with --out-of, name a role: --for area-chair, reviewer, ..")
        if made.release is not None and reader != VenueRole.AUTHOR:
            raise SettingsError("--release goes with --for author")
        return made

    def write(
        self,
        run: Path,
        output: Path | None,
        data: Path | None,
        pushed: Pushed | None,
        *,
        accept_changed: bool,
    ) -> int:
        """Write the folders, and say what is in them and what is in none.

        Args:
            run: A run folder or a venue folder.
            output: Where to; the pages of a venue folder if not given.
            data: Folder of the papers and reviews, if it has moved.
            pushed: Which flags are shown openly.
            accept_changed: Go on with records that something else has changed.
        """
        from reviewscore.period.assignments import VenueRole, read_assignments
        from reviewscore.period.deliver import Release, deliver, is_behind, runs_of
        from reviewscore.period.venue import is_venue, run_of
        from reviewscore.period.verify import PAGES
        from reviewscore.runs.folder import manifest_of

        assert self.table is not None
        if output is None and not is_venue(run):
            raise SettingsError("name a folder for the pages with -o")
        if is_venue(run) and is_behind(run):
            say(
                f"warning: the last sync is not in these pages, but for what it withdrew, which is "
                f"left out; run the audit of {run} again, then deliver again"
            )
        elif not manifest_of(run_of(run)).complete:
            say(f"warning: the audit of {run} is not complete; finish it, then deliver again")
        delivery = deliver(
            run,
            read_assignments(self.table),
            VenueRole(self.reader or ""),
            run / PAGES if output is None else output,
            person=self.person,
            released=None if self.release is None else Release(self.release),
            pushed=pushed,
            runs=runs_of(run, data, accept_changed=accept_changed),
        )
        self._tell(delivery)
        return PARTLY if delivery.faults else 0

    def _tell(self, delivery: Delivery) -> None:
        for one in delivery.people:
            print_line(f"{one.folder}: {counted(one.pages, 'page')} with something to read")
            for name in one.absent:
                say(
                    f"{one.person}: '{name}' is not there (withdrawn, removed, or not judged yet), "
                    "or has no points"
                )
        for names, why in (
            (delivery.withdrawn, "the venue holds no more"),
            (delivery.refused, "nobody may judge (consent none)"),
        ):
            if names:
                of = counted(len(names), "review")
                say(f"left out: {of} of the run that {why}: {first_of(names, _SHOWN)}")
        for folder in delivery.removed:
            say(f"{folder}: taken away, as this person is no {self.reader} any more")
        if delivery.unassigned:
            what = "review" if self.reader == "reviewer" else "paper"
            of = counted(len(delivery.unassigned), what)
            say(f"{of} that no {self.reader} may see: {first_of(delivery.unassigned, _SHOWN)}")
        if delivery.unknown:
            of = counted(len(delivery.unknown), "conflict")
            listed = first_of(delivery.unknown, _SHOWN)
            say(f"{of} with papers that are not in this run; check their names: {listed}")
        for fault in delivery.faults:
            say(f"error: {fault}")
