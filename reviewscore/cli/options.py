"""Flags that set something, shared by the verbs that judge; each has a setting of its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from reviewscore.cli.verb import Verb
from reviewscore.config import Resolved, resolve

Command = TypeVar("Command", bound=Callable[..., Any])

_CONFIG = "reviewscore.config"
"""Where click keeps the settings file that was named."""


def _keep_config(context: click.Context, _: click.Parameter, named: Path | None) -> None:
    if named is not None:
        context.meta[_CONFIG] = named


CONFIG_OPTION = click.option(
    "--config",
    type=click.Path(path_type=Path),
    is_eager=True,  # paths are made of what it says
    expose_value=False,
    callback=_keep_config,
    help="Settings file, read over your own settings.toml.",
)
"""For every verb that reads settings; see `settings_from`."""


def settings_from(flags: Mapping[str, object], *, folder: Path | None = None) -> Resolved:
    """Settings of the verb that runs, with its ``--config``; see `config.resolve`."""
    return resolve(flags, folder=folder, config=named_config())


def named_config() -> Path | None:
    """The settings file that was named with ``--config``."""
    context = click.get_current_context(silent=True)
    named: Path | None = None if context is None else context.meta.get(_CONFIG)
    return named


ACCEPT_CHANGED = click.option(
    "--accept-changed",
    is_flag=True,
    help="Read a run although its records were changed after it was made, and say so.",
)
"""For every verb that reads a run; without it such a run is refused."""


MODEL_OPTIONS = (
    CONFIG_OPTION,
    click.option(
        "--model",
        multiple=True,
        help="Who judges: lexical, openai/NAME, anthropic/NAME, litellm/PROVIDER/NAME "
        "or exchange:FOLDER; "
        "several times for a panel, whose median counts.",
    ),
    click.option("--judge", multiple=True, help="Another model for one judge: JUDGE=MODEL."),
    click.option(
        "--base-url",
        help="Address of a server compatible with openai/, or several with commas between.",
    ),
    click.option("--temperature", type=click.FloatRange(0, 2), help="Sampling temperature."),
    click.option("--rounds", type=click.IntRange(1, 10), help="Most rounds of a reconstruction."),
    click.option(
        "--prompts-dir",
        type=click.Path(path_type=Path),
        help="Prompts instead of the shipped ones.",
    ),
    click.option("--max-connections", type=click.IntRange(1, 1024), help="Calls at once."),
    click.option("--max-usd", type=float, help="Stop before so many dollars are passed."),
    click.option(
        "--prices", type=click.Path(path_type=Path), help="Prices instead of the shipped list."
    ),
    click.option(
        "--cache/--no-cache",
        default=None,
        help="Record calls in the ledger all runs share (the default), or in the run folder.",
    ),
    click.option(
        "--ledger",
        help="PostgreSQL database that holds the shared ledger: postgresql://USER@HOST/DATABASE.",
    ),
    click.option(
        "--refresh", is_flag=True, default=None, help="Use no reply another run has paid for."
    ),
)

ENGINE_OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        help="Where the work runs: this process, or the processes of a Ray cluster.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, 4096),
        help="Worker processes; as many as the cluster has processors if not given.",
    ),
)

AUDIT_OPTIONS = (
    *ENGINE_OPTIONS,
    click.option("--score", type=click.Choice(["base", "advanced", "both"]), help="Which score."),
    click.option(
        "--protocol",
        type=click.Choice(["paper", "economy"]),
        help="One call per premise, as published, or all premises of an argument in one.",
    ),
    click.option("--repeats", type=click.IntRange(1, 25), help="How often each model scores."),
    click.option(
        "--author-response/--no-author-response",
        default=None,
        help="Show judges the authors' response where the input has one.",
    ),
    click.option(
        "--paper-parts",
        type=click.Choice(["auto", "main", "all"]),
        help="What judges see of a paper: main leaves out references and appendix; auto leaves out "
        "references, of papers read from a PDF, TEI, LaTeX or HTML file.",
    ),
    click.option(
        "--limitations/--no-limitations",
        default=None,
        help="Take points from the reviewer's remarks on limitations too.",
    ),
    click.option(
        "--calibration",
        type=click.Path(path_type=Path),
        help="Scores corrected by human labels: a file that agree --calibrate wrote.",
    ),
    click.option("--limit", type=click.IntRange(min=1), help="Only so many reviews."),
    click.option("--point", multiple=True, help="Only this point (its id)."),
    click.option(
        "--skip-bad-lines",
        is_flag=True,
        default=None,
        help="Go on without lines that cannot be read, and count them.",
    ),
    click.option(
        "--batch",
        is_flag=True,
        default=None,
        help="Hand calls over as batch jobs: half the price, within a day.",
    ),
    click.option(
        "--store",
        help="Where workers write, a path or address (s3://..) that all machines reach; the run "
        "folder if not given.",
    ),
    click.option(
        "--wait", type=click.FloatRange(0), help="Seconds to wait for replies in exchange:FOLDER."
    ),
)

GROUPS = {
    "Data": (
        *("output", "review", "paper", "year", "limit", "point", "skip_bad_lines"),
        *("paper_parts", "limitations", "author_response", "calibration", "profiles"),
    ),
    "Models": (
        *("model", "judge", "base_url", "temperature", "rounds", "score", "protocol", "repeats"),
        "prompts_dir",
    ),
    "Engine": ("engine", "workers", "store"),
    "Cost": (
        *(
            "dry_run",
            "max_usd",
            "prices",
            "batch",
            "cache",
            "ledger",
            "refresh",
            "max_connections",
            "wait",
        ),
    ),
}
"""Headings of the help and the flags under each; the rest is under ``Other``."""


class DataPath(click.Path):
    """A path, or an address such as ``s3://bucket/iclr24``, whose files are copied here."""

    name = "path"

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A path on this machine."""
        if isinstance(value, str) and "://" in value:
            from reviewscore.sources.remote import at_hand

            return at_hand(value, settings_from({}).settings.ledger_folder)
        return super().convert(value, param, ctx)


class GroupedCommand(Verb):
    """A command whose help lists its flags in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the flags, group by group."""
        flags = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        left = {one.name: one.get_help_record(ctx) for one in flags}
        for heading, names in GROUPS.items():
            rows = [row for name in names if (row := left.pop(name, None)) is not None]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
        rows = [row for row in left.values() if row is not None]
        with formatter.section("Other"):
            formatter.write_dl(rows)


def engine_options(command: Command) -> Command:
    """Add the flags about where the work runs."""
    for option in reversed(ENGINE_OPTIONS):
        command = option(command)
    return command


def model_options(command: Command) -> Command:
    """Add the flags about who judges and how."""
    for option in reversed(MODEL_OPTIONS):
        command = option(command)
    return command


def settings_options(command: Command) -> Command:
    """Add the flags about who judges and what is judged."""
    for option in reversed(AUDIT_OPTIONS):
        command = option(command)
    return model_options(command)
