"""Flags, shared by verbs; those of settings are made from the fields of `Settings`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import click

from reviewscore.cli.verb import Verb
from reviewscore.config import Resolved, Settings, resolve

Command = TypeVar("Command", bound=Callable[..., Any])


def together(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """A decorator that adds several flags, or several such decorators, in the order of the help."""
    return lambda command: reduce(lambda done, add: add(done), reversed(options), command)


def preset(*names: str, default: object, help: str, type: Any = None) -> Callable[[Any], Any]:
    """An option with a default, which the help shows."""
    return click.option(*names, default=default, show_default=True, type=type, help=help)


def path(*names: str, **attributes: Any) -> Callable[[Any], Any]:
    """An option that names a file or a folder."""
    return click.option(*names, type=PATH, **attributes)


def switch(*names: str, help: str) -> Callable[[Any], Any]:
    """An option without a value, off unless it is given."""
    return click.option(*names, is_flag=True, help=help)


PATH = click.Path(path_type=Path)


class RunPath(click.Path):
    """A run folder, or a venue folder, whose run is meant."""

    name = "path"

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The run folder."""
        from reviewscore.period.venue import is_venue, run_of

        path = super().convert(value, param, ctx)
        return run_of(path) if isinstance(path, Path) and is_venue(path) else path


RUN = RunPath()
DATA = click.argument("data", type=PATH)
YES = switch("--yes", help="Write into a folder that holds other things.")
SKIP_BAD_LINES = switch("--skip-bad-lines", help="Go on without lines that cannot be used.")
FORMS = click.Choice(["judgments", "raw"])
DEVICES = click.Choice(["auto", "cpu", "cuda"])
DOWNLOAD = switch("--download", help="Let hf/ models be fetched from their hub.")


_CONFIG = "reviewscore.config"
"""Where click keeps the settings file that was named."""


def _keep_config(context: click.Context, _: click.Parameter, named: Path | None) -> None:
    if named is not None:
        context.meta[_CONFIG] = named


CONFIG_OPTION = click.option(
    "--config",
    type=PATH,
    is_eager=True,  # paths are made of what it says
    expose_value=False,
    callback=_keep_config,
    help="Settings file, read over your own settings.toml.",
)
"""For every verb that reads settings; see `settings_from`."""


def settings_from(flags: Mapping[str, object], *, folder: Path | None = None) -> Resolved:
    """Settings of the verb that runs, with its ``--config``; see `config.resolve`.

    Of a verb that reads something in a venue folder, the venue's consent counts too.
    """
    resolved = resolve(flags, folder=folder, config=named_config())
    context = click.get_current_context(silent=True)
    given = {} if context is None else context.params
    values = (value for name, value in given.items() if name != "output")
    several = (value if isinstance(value, tuple) else (value,) for value in values)
    places = [place for some in several for place in some if isinstance(place, Path)]
    if not places:
        return resolved
    from reviewscore.period.venue import ruled_by_venues  # costs what others need not pay

    return ruled_by_venues(resolved, places)


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


_DRY_JSON = "reviewscore.dry_json"
"""Where click keeps that the dry run's estimate is wanted as JSON."""


def _keep_json(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    context.meta[_DRY_JSON] = wanted


DRY_RUN_JSON = click.option(
    "--json",
    is_flag=True,
    expose_value=False,
    callback=_keep_json,
    help="With --dry-run: the estimate as one JSON object.",
)
"""For verbs with ``--dry-run`` that have no other use for ``--json``; see `wants_json`."""


def wants_json() -> bool:
    """Whether the verb that runs is to print its estimate as JSON."""
    context = click.get_current_context()
    return bool(context.meta.get(_DRY_JSON) or context.params.get("as_json"))


def check_json(*, dry_run: bool) -> None:
    """Refuse the flag `DRY_RUN_JSON` where there is no dry run.

    Raises:
        UsageError: It was given.
    """
    if click.get_current_context().meta.get(_DRY_JSON) and not dry_run:
        raise click.UsageError("--json prints what --dry-run estimates; give both.")


_WORDS = {
    "base_url": "Address of a server for openai/, ollama/ or llamacpp/, or several with commas.",
    "consent": "Who may judge papers and reviews that do not say: models of a provider too, those "
    "on this machine alone, or nobody.",
    "local_judge": "Model on this machine for what --model may not read, MODEL or MODEL@ADDRESS.",
    "temperature": "Sampling temperature.",
    "rounds": "Most rounds of a reconstruction.",
    "prompts_dir": "Prompts instead of the shipped ones.",
    "max_connections": "Calls at once.",
    "max_usd": "Stop before so many dollars are passed.",
    "prices": "Prices instead of the shipped list.",
    "speed": "Tokens a second that your own server reads and writes (READ/WRITE), for estimates.",
    "cache": "Record calls in the ledger all runs share (the default), or in the run folder.",
    "ledger": "PostgreSQL database that holds the shared ledger: postgresql://USER@HOST/DATABASE.",
    "refresh": "Use no reply another run has paid for.",
    "engine": "Where the work runs: this process, or the processes of a Ray cluster.",
    "workers": "Worker processes; as many as the cluster has processors if not given.",
    "score": "Which score.",
    "protocol": "One call per premise, as published; all premises of an argument in one; or what a "
    "point takes for granted, and whether it is so, with +proof beside it arguments of two reasons "
    "or a stated step, rebuilt and proved.",
    "per": "What a first question is about: a point, all points of a review (as by default with "
    "--protocol presupposition) or of all reviews of a paper.",
    "second_look": "Probabilities of being wrong, LOW/HIGH, between which --protocol "
    "presupposition looks again; off for no second looks.",
    "points_per_call": "Most points that one reply is asked about.",
    "repeats": "How often each model scores.",
    "author_response": "Show judges the authors' response where the input has one.",
    "paper_parts": "What judges see of a paper: main leaves out references and appendix; auto "
    "leaves out references, of papers read from a PDF, TEI, LaTeX or HTML file.",
    "paper_as": "How judges see papers: their text, the pages of their PDFs as images, or both.",
    "context": "Judge papers longer than --context-tokens by the passages nearest to each point "
    "(excerpts), or refuse them (whole, the default).",
    "context_tokens": "Tokens of prompt and reply that the models read at once.",
    "limitations": "Take points from the reviewer's remarks on limitations, as by default.",
    "encoder": "Sentence encoder of the embedded judge: auto (one on this machine, if the extra "
    "semantic is installed), none, or a folder.",
    "check_references": "Look works up that papers do not list: openalex or crossref; only the "
    "reference is sent.",
    "canaries": "Lines that the venue hid in its papers: no alarm; reviews that repeat "
    "one are named to the program chairs alone.",
    "calibration": "Scores corrected by human labels: a file that agree --calibrate wrote.",
    "limit": "Only so many reviews.",
    "point": "Only this point: its id, or REVIEW#NUMBER.",
    "skip_bad_lines": "Go on without lines that cannot be read, and count them.",
    "batch": "Hand calls over as batch jobs: half the price, within a day.",
    "store": "Where workers write, a path or address (s3://..) that all machines reach; the run "
    "folder if not given.",
    "wait": "Seconds to wait for replies in exchange:FOLDER.",
}
"""Help of the flags that are named like a setting."""
_TWO_SIDED = ("cache", "author_response", "limitations")
"""Switches that can also be turned off."""
_TYPES = {"max_usd": click.FLOAT, "wait": click.FloatRange(0)}
"""Where the help says less than the field of `Settings` allows."""


def setting(name: str) -> Callable[[Command], Command]:
    """The flag of a setting; type, range and choices are those of its field in `Settings`."""
    field = Settings.model_fields[name]
    flag, kinds = f"--{name.replace('_', '-')}", get_args(field.annotation) or (field.annotation,)
    choices = [known for known in (field.annotation, *kinds) if get_origin(known) is Literal]
    kind: dict[str, Any] = {}
    if kinds == (bool,):
        flag += f"/--no{flag[1:]}" if name in _TWO_SIDED else ""
        kind = {"is_flag": True, "default": None}
    elif choices:
        kind = {"type": click.Choice(get_args(choices[0]))}
    elif get_origin(field.annotation) is tuple:
        kind = {"multiple": True}
    elif name in _TYPES:
        kind = {"type": _TYPES[name]}
    elif Path in kinds:
        kind = {"type": PATH}
    elif int in kinds or float in kinds:
        low, high = (
            next((getattr(value, end) for value in field.metadata if hasattr(value, end)), None)
            for end in ("ge", "le")
        )
        kind = {"type": (click.IntRange if int in kinds else click.FloatRange)(low, high)}
    return click.option(flag, help=_WORDS[name], **kind)


_MODELS = (
    click.option(
        "--model",
        multiple=True,
        help="Who judges: lexical, ollama/NAME, llamacpp/NAME, openai/NAME, anthropic/NAME, "
        "litellm/PROVIDER/NAME or exchange:FOLDER; "
        "several times for a panel, whose median counts.",
    ),
    click.option("--judge", multiple=True, help="Another model for one judge: JUDGE=MODEL."),
)

engine_options = together(*map(setting, ("engine", "workers")))
"""Where the work runs."""

model_options = together(
    CONFIG_OPTION,
    *_MODELS,
    *map(setting, ("base_url", "temperature", "rounds", "prompts_dir", "max_connections")),
    *map(setting, ("max_usd", "prices", "speed", "cache", "ledger", "refresh")),
)
"""Who judges, and how."""

settings_options = together(
    model_options,
    engine_options,
    *map(setting, ("score", "protocol", "per", "second_look", "points_per_call", "repeats")),
    *map(setting, ("author_response", "paper_parts", "paper_as", "context", "context_tokens")),
    *map(setting, ("limitations", "check_references", "canaries", "calibration", "limit")),
    *map(setting, ("point", "skip_bad_lines", "batch", "store", "wait", "encoder", "consent")),
)
"""Who judges, and what is judged."""

asking_options = together(
    CONFIG_OPTION,
    *map(setting, ("base_url", "temperature", "prompts_dir", "max_connections")),
    *map(setting, ("max_usd", "prices", "speed", "wait")),
    engine_options,
    click.option("--retry-errors", is_flag=True, help="Ask again for what failed."),
    click.option("--dry-run", is_flag=True, help="Say what it would cost, and ask nothing."),
)
"""How a model is asked to write or to label."""

GROUPS = {
    "Data": (
        *("output", "review", "paper", "year", "limit", "point", "skip_bad_lines"),
        *(
            "paper_parts",
            "paper_as",
            "context",
            "context_tokens",
            "limitations",
            "author_response",
            "calibration",
            "check_references",
            "canaries",
            "profiles",
        ),
    ),
    "Models": (
        *("model", "judge", "base_url", "temperature", "rounds", "score", "protocol", "repeats"),
        *("per", "second_look", "points_per_call", "prompts_dir", "encoder"),
        *("writer", "confirmer", "items_per_paper", "consent", "local_judge"),
    ),
    "Engine": ("engine", "workers", "store"),
    "Cost": (
        *("dry_run", "json", "max_usd", "prices", "speed", "batch", "cache", "ledger", "refresh"),
        *("max_connections", "wait"),
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
        flags = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        left = {flag.name: flag.get_help_record(ctx) for flag in flags}
        for heading, names in GROUPS.items():
            rows = [row for name in names if (row := left.pop(name, None)) is not None]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
        rows = [row for row in left.values() if row is not None]
        with formatter.section("Other"):
            formatter.write_dl(rows)
