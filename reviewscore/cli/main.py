"""The group of commands, global behaviour and exit codes.

0 done · 1 no: a threshold was missed (`agree --fail-under`), the rounds ran out (`reconstruct`), a
prompt differs (`prompts verify`), something is suspicious (`inspect`), a venue folder is not what
was written (`verify`) · 2 wrong use · 3 done in part, some points or files failed · 4 stopped by a
limit · 130 interrupted.
"""

from __future__ import annotations

import difflib
import io
import os
import sys
from contextlib import nullcontext, redirect_stderr

import click

from reviewscore import __version__
from reviewscore.bounds import Bounds, put_in_force
from reviewscore.cli.terminal import ReaderGoneError, ask_rule, print_line, safe_streams, say
from reviewscore.cli.verb import LazyGroup
from reviewscore.errors import ReviewScoreError, StopError
from reviewscore.notices import asking, shown
from reviewscore.printable import printable

WRONG_USE, PARTLY, STOPPED, INTERRUPTED = 2, 3, 4, 130

_VERBS = {
    "fetch": "Fetch papers and reviews from OpenReview, or read its exported notes.",
    "sync": "Keep a venue folder in step with its source; say what changed.",
    "audit": "Score every point of a batch of reviews into a run folder.",
    "validate": "Measure a judge on planted remarks: can it be trusted on these papers?",
    "inspect": "Say what papers hold: sections, loss, hidden text, text for a model.",
    "reconstruct": "Rebuild one argument as premises and conclusion, proved and judged.",
    "logic": "Prove arguments that are written in first-order formulas.",
    "agree": "Measure how far judges agree with people, with intervals.",
    "gem": "Measure how informative reviews are, without a gold standard.",
    "focus": "Count what reviews look at, and what they overlook.",
    "similarity": "Measure how well reviewers' papers fit a submission, and how good that is.",
    "annotate": "Label points in the browser, several people, blind; read labels made apart.",
    "drafts": "Serve suggestions for reviewers before they submit; nothing is kept.",
    "view": "Open the app: runs, papers with their passages marked, flags to look at.",
    "report": "Write the report of a run as HTML, Markdown or JSON.",
    "export": "Write the points of one run or many as CSV, Parquet or JSONL.",
    "merge": "Make one run folder of the parts of a venue.",
    "venue": "Report on a venue: rates by type, area and reviewer load, naming nobody.",
    "compare": "Measure drift between two judges, settings or years, with intervals.",
    "verify": "Check the log, the records and the pages of a venue folder.",
    "withdraw": "Remove a paper or review from a venue folder and the ledger.",
    "purge": "Remove a run and its copies, such as its calls in the ledger.",
    "cache": "Look at the ledger of paid calls, export it, empty it.",
    "prompts": "List, show or verify the prompts.",
    "doctor": "Say what this installation has and lacks.",
}


class _Verbs(LazyGroup):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the verb that is meant by one that is misspelt."""
        if args and args[0] not in self.verbs and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], self.verbs, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            ctx.fail(f"No such command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Verbs,
    package="reviewscore.cli",
    verbs=_VERBS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="reviewscore")
def group() -> None:
    """Audit reviews of scientific papers: find misinformed review points, with proof.

    First try, without any key:  reviewscore audit examples -o runs/examples
    """
    put_in_force(None, source=_bounds)


def _bounds() -> Bounds:
    """The bounds that are set, looked up when the first file is read."""
    from reviewscore.cli.options import named_config
    from reviewscore.config import bounds_from_settings

    return bounds_from_settings(named_config())


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    completing = "_REVIEWSCORE_COMPLETE" in os.environ  # nothing is said into a line being typed
    talk = redirect_stderr(io.StringIO()) if completing else nullcontext()
    with (
        talk,
        safe_streams(),
        shown(lambda sentence: say(f"warning: {sentence}")),
        asking(ask_rule),
    ):
        sys.exit(_exit_code(arguments))


def _exit_code(arguments: list[str] | None) -> int:
    try:
        code = group.main(args=arguments, prog_name="reviewscore", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        print_line("interrupted", err=True)
        return INTERRUPTED
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except StopError as error:
        print_line(f"stopped: {error}", err=True)
        return STOPPED
    except ReviewScoreError as error:
        print_line(f"error: {error}", err=True)
        return WRONG_USE
    except OSError as error:
        if error.filename is None:
            raise
        print_line(f"error: {error.filename}: {error.strerror}", err=True)
        return WRONG_USE
    except ReaderGoneError:
        code = 0
    return code if isinstance(code, int) else 0


def _show(error: click.ClickException) -> None:
    """Print what click refuses; names in it stay on their line."""
    if not isinstance(error, click.MissingParameter | click.exceptions.NoArgsIsHelpError):
        context = error.ctx if isinstance(error, click.UsageError) else None
        error = click.UsageError(printable(error.format_message()), context)
    error.show()
