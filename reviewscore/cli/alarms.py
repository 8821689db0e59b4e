"""Flags of `report` that hold its alarms within a budget, and stop them where too few are right."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli import options
from reviewscore.cli.terminal import print_line, say
from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.period.budget import Pushed
    from reviewscore.report.role_pages import ShownFlags

alarm_options = options.together(
    click.option("--budget", type=click.IntRange(0), help="Flags a person and day that are shown "
                 "openly, those of the highest rank; the rest is folded. With --for."),
    click.option("--day", type=click.DateTime(["%Y-%m-%d"]), help="Day of that budget, such as "
                 "2026-05-03; today (UTC) if not given."),
    click.option("--sample-flags", type=click.IntRange(1), help="Draw so many flags at random for "
                 "people to judge, into the sheet -o FILE.csv."),
    click.option("--judged", multiple=True, type=options.PATH, help="Such a sheet, filled in: "
                 "right, wrong or unsure; several times."),
    click.option("--stop-below", type=click.FloatRange(0, 1), help="Least share of right flags; "
                 "below it nothing is written and the exit code is 1."),
)  # fmt: skip
"""Flags on flags: a budget of them, and whether they are right."""


@dataclass(frozen=True)
class Alarms:
    """What the flags of `alarm_options` say."""

    budget: int | None = None
    day: datetime | None = None
    sample_flags: int | None = None
    judged: tuple[Path, ...] = ()
    stop_below: float | None = None

    def check(self, *, delivers: bool) -> None:
        """Refuse flags that would have no effect.

        Args:
            delivers: Whether pages are written for somebody.

        Raises:
            UsageError: Names the first, and what to do.
        """
        for idle, words in (
            (self.budget is not None and not delivers, "--budget is for pages: say --for."),
            (self.day is not None and self.budget is None, "--day is the day of a --budget."),
            (
                self.sample_flags is not None and delivers,
                "--sample-flags is no page: run it alone.",
            ),
        ):
            if idle:
                raise click.UsageError(words)

    def ends(
        self, folder: Path, run: Path, output: Path | None, *, delivers: bool, accept_changed: bool
    ) -> int | None:
        """The exit code of a command that is done with the flags here; None if it goes on.

        Args:
            folder: The venue's folder, or the run's.
            run: The run folder.
            output: Where the user wants something written.
            delivers: Whether pages are written for somebody.
            accept_changed: Go on with records that something else has changed.
        """
        from reviewscore.period.venue import whole_venue

        folder = whole_venue(folder)
        if self.sample_flags is not None:
            self._draw(folder, run, output, accept_changed=accept_changed)
            return 0
        if not self.judged and self.stop_below is None:
            return None
        if self._stops(folder):
            return 1
        return None if delivers or output is not None else 0

    def _draw(self, folder: Path, run: Path, output: Path | None, *, accept_changed: bool) -> None:
        """Draw a sample and write its sheet.

        Raises:
            SettingsError: No sheet is named, or there is no flag.
            RunFolderError: The run cannot be read.
        """
        from reviewscore.files import write_whole
        from reviewscore.period.stop_rule import draw_flags, sheet_of, write_sample
        from reviewscore.runs.folder import read_manifest, read_points

        if output is None or output.suffix.lower() != ".csv":
            raise SettingsError("--sample-flags writes a sheet; name it with -o flags.csv")
        read_manifest(run, accept_changed=accept_changed)
        sample = draw_flags(read_points(run), self.sample_flags or 1)
        if not sample.flags:
            raise SettingsError(
                f"{run} has no flags to draw from: no point is called misinformed, which the "
                "embedded judge never says of any"
            )
        write_whole(output, sheet_of(sample, read_points(run)), named=True)
        write_sample(folder, sample)
        say(f"{len(sample.flags):,} of {sample.of:,} flags drawn; fill in verdict and who")
        print_line(str(output))

    def _stops(self, folder: Path) -> bool:
        """Say how many flags people call right; whether delivery stops for it.

        Raises:
            RunFolderError: No sample was drawn.
            InputError: A sheet cannot be used.
        """
        from reviewscore.period import stop_rule as rule
        from reviewscore.stats.tables import shown

        sheets = rule.sheets_of(folder, self.judged)
        if not sheets:
            say("how many flags are right is not known: nobody judged a sample (--sample-flags)")
            return False
        measured = rule.precision_of(rule.read_sample(folder), rule.verdicts_of(sheets))
        found = measured.precision
        print_line(
            f"right: {shown(found, 'share')} of {found.n:,} judged flags of {measured.papers:,} "
            f"papers, drawn from {measured.of:,} ({measured.words})"
        )
        if self.stop_below is None:
            return False
        decision = rule.stop_decision(measured, self.stop_below)
        if decision is rule.StopDecision.UNKNOWN:
            say(
                f"too few to tell if {self.stop_below:.0%} are right ({rule.ENOUGH} are enough); "
                "delivery goes on"
            )
        elif decision is rule.StopDecision.STOP:
            say(f"delivery stops: fewer than {self.stop_below:.0%} are right; nothing was written")
        elif decision is rule.StopDecision.DIFFER:
            differing = len(measured.differing)
            say(f"delivery stops: people differ on {differing} of {found.n + differing} judged "
                "flags; let them settle these; nothing was written")  # fmt: skip
        return decision in (rule.StopDecision.STOP, rule.StopDecision.DIFFER)

    def pusher(self, folder: Path, data: Path | None) -> Pushed | None:
        """What chooses the flags that each person is shown openly; None without a budget.

        Raises:
            RunFolderError: What was pushed before cannot be read.
        """
        from reviewscore.period.budget import pusher
        from reviewscore.period.venue import whole_venue

        if self.budget is None:
            return None
        return pusher(whole_venue(folder), self.budget, self.day and self.day.date(), data=data)

    def shown(
        self, folder: Path, run: Path, person: str, data: Path | None, *, accept_changed: bool
    ) -> ShownFlags | None:
        """The flags that a person is shown openly; None without a budget.

        Raises:
            RunFolderError: The run, or what was pushed before, cannot be read.
        """
        pushed = self.pusher(folder, data)
        if pushed is None:
            return None
        from reviewscore.runs.folder import read_manifest, read_points

        read_manifest(run, accept_changed=accept_changed)  # nothing is pushed of changed records
        return pushed(person, read_points(run))
