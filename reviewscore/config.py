"""The settings of a run and where each value came from (default, file, environment, flag)."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from reviewscore import addresses
from reviewscore.errors import SettingsError

Plain = addresses.Plain
EMBEDDED = "lexical"
"""Name of the judge that needs no model."""


class Settings(BaseModel):
    """Everything that can be set for a run.

    Attributes:
        model: ``lexical``, ``provider/name`` or ``exchange:FOLDER``.
        panel: Further models that score the same items; the lower median counts.
        judges: Another model for single judges, by the judge's name.
        repeats: How often each model scores an item; the median counts.
        protocol: ``paper`` (one call per premise, as published) or ``economy`` (all premises of
            an argument in one call, the type of a point in one call).
        batch: Whether calls go as batch jobs, at about half the price and within a day.
        base_url: Address of a server compatible with ``openai/``, or several with commas between
            that serve the same models; the first one names them all in records.
        temperature: Sampling temperature; None leaves it out. Left out for reasoning models.
        effort: How hard reasoning models think (``low``, ``medium``, ``high``); None is theirs.
        max_tokens: Reply limit in tokens, four times that for reasoning models; doubles up to
            twice when a reply is cut off.
        structured: How a reply's form is asked for. ``auto``: by JSON schema where a call has no
            paper, else by any JSON object with the schema in words, since providers count the
            schema as part of what they cache.
        score: Which ReviewScore of arguments to compute.
        rounds: Most rounds of a reconstruction (ReviewScore, sec. 3.2: 10).
        points: Who splits reviews: the model where there is one (``auto``), or the rules.
        limitations: Whether the reviewer's remarks on limitations are points too.
        author_response: Whether judges see the authors' response.
        paper_parts: The parts of papers that judges see. ``main``: no references, no appendix;
            ``all``: the whole text; ``auto``: ``main`` for papers read from a PDF or TEI file,
            ``all`` for texts that were given.
        calibration: File that `agree --calibrate` wrote for this judge: points get a corrected
            score beside the judge's own.
        max_connections: Most calls under way at once, for each model.
        max_retries: How often a failed call is tried again.
        timeout: Seconds to wait for one reply.
        requests_per_minute: Most calls a minute, for each model; None for no limit.
        tokens_per_minute: Most tokens a minute, for each model; None for no limit.
        max_usd: Most dollars the run may spend, all its sessions together; None for no cap.
        confirm_above: Dollars above which the user is asked first, at a terminal.
        prices: File of prices that replaces the shipped list.
        wait: Seconds to wait for replies in an exchange folder.
        cache: Whether calls go into the ledger all runs share, or into one in the run folder.
        refresh: Use no reply that another run has paid for.
        cache_dir: Folder of the shared ledger; None is the user's own place for data.
        ledger: Address of a PostgreSQL database that holds the shared ledger in its stead.
        limit: Only so many reviews; None for all.
        paper: Only these papers; empty for all.
        point: Only these points; empty for all.
        skip_bad_lines: Go on without lines that cannot be read, and count them.
        engine: Where work runs: ``local`` is this process, ``ray`` the processes of a Ray cluster
            (that of ``RAY_ADDRESS``, or one on this machine for the while).
        workers: Worker processes of the engine; None is one for each of its processors.
        store: Where workers of an audit write, as a path or an address that fsspec knows (such as
            ``s3://bucket/run``) and that all machines reach; None is the run folder.
        prompts_dir: Folder of prompts that replaces the shipped one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = EMBEDDED
    panel: tuple[str, ...] = ()
    judges: dict[str, str] = Field(default_factory=dict)
    repeats: int = Field(default=1, ge=1, le=25)
    protocol: Literal["paper", "economy"] = "paper"
    batch: bool = False
    base_url: str | None = Field(default=None, repr=False)
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    effort: str | None = Field(default=None, pattern=r"^[a-z]+$")
    max_tokens: int = Field(default=4096, ge=64)
    structured: Literal["auto", "schema", "object", "text"] = "auto"
    score: Literal["base", "advanced", "both"] = "both"
    rounds: int = Field(default=10, ge=1, le=10)
    points: Literal["auto", "rules"] = "auto"
    limitations: bool = False
    author_response: bool = False
    paper_parts: Literal["auto", "main", "all"] = "auto"
    calibration: Path | None = None
    max_connections: int = Field(default=8, ge=1, le=1024)
    max_retries: int = Field(default=8, ge=0, le=20)
    timeout: float = Field(default=600.0, gt=0)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    max_usd: float | None = Field(default=None, gt=0)
    confirm_above: float = Field(default=5.0, ge=0)
    prices: Path | None = None
    wait: float = Field(default=0.0, ge=0)
    cache: bool = True
    refresh: bool = False
    cache_dir: Path | None = None
    ledger: str | None = Field(default=None, repr=False)  # a password may be in it
    limit: int | None = Field(default=None, ge=1)
    paper: tuple[str, ...] = ()
    point: tuple[str, ...] = ()
    skip_bad_lines: bool = False
    engine: Literal["local", "ray"] = "local"
    workers: int | None = Field(default=None, ge=1, le=4096)
    store: str | None = Field(default=None, repr=False)
    prompts_dir: Path | None = None

    @property
    def embedded(self) -> bool:
        """Whether the embedded judge answers, and no model is asked."""
        return self.model == EMBEDDED

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is asked, each once; the first one splits and rebuilds."""
        return tuple(dict.fromkeys((self.model, *self.panel, *self.judges.values())))

    @property
    def servers(self) -> tuple[str, ...]:
        """The addresses of `base_url`."""
        return addresses.several(self.base_url)

    @property
    def ledger_folder(self) -> Path:
        """Where the ledger that all runs share lies, and what else is kept for all of them."""
        return self.cache_dir or user_data_path("reviewscore", appauthor=False)

    @property
    def ledger_place(self) -> Path | str:
        """The ledger that all runs share: the address of a database, or a folder."""
        return self.ledger or self.ledger_folder

    @field_validator("calibration", "prices", "cache_dir", "store", "prompts_dir")
    @classmethod
    def _no_nul(cls, path: Path | str | None) -> Path | str | None:
        if "\0" in str(path):
            raise ValueError("no file or folder has a NUL in its name")
        return path

    @field_validator("ledger")
    @classmethod
    def _address(cls, address: str | None) -> str | None:
        return None if address is None else addresses.check_database(address)

    @field_validator("judges")
    @classmethod
    def _known_judges(cls, judges: dict[str, str]) -> dict[str, str]:
        for name in judges:
            if name not in JUDGES:
                raise ValueError(f"unknown judge '{name}'{_hint(name, JUDGES)}")
        return judges

    @model_validator(mode="after")
    def _one_kind(self) -> Settings:
        if self.embedded and (self.panel or self.judges or self.batch):
            raise ValueError("the lexical judge takes no panel, other judges or batch jobs")
        if self.engine == "local" and (self.workers is not None or self.store is not None):
            raise ValueError("--workers and --store are for --engine ray")
        if self.embedded and self.calibration is not None:
            raise ValueError("the lexical judge gives no scores that could be calibrated")
        if EMBEDDED in self.models[1:]:
            raise ValueError("lexical cannot sit on a panel or stand in for one judge")
        if self.ledger is not None and not self.cache:
            raise ValueError(
                "no-cache keeps calls in the run folder, ledger in a database: give one of them "
                "(REVIEWSCORE_LEDGER=none takes the other back)"
            )
        return self

    @property
    def selection(self) -> dict[str, Plain]:
        """What was left out on purpose: the settings that pick some points, where set."""
        picks: dict[str, Plain] = {
            "limit": self.limit,
            "paper": list(self.paper),
            "point": list(self.point),
        }
        return {name: value for name, value in picks.items() if value}

    def decisive(self) -> dict[str, Plain]:
        """The settings that can change a score; a run folder holds one set of them."""
        asked: dict[str, Plain] = {
            "panel": list(self.panel),
            "judges": [f"{judge}={model}" for judge, model in sorted(self.judges.items())],
            "repeats": self.repeats,
            "protocol": self.protocol,
            "base_url": addresses.without_credentials(next(iter(self.servers), None)),
            "temperature": self.temperature,
            "effort": self.effort,
            "max_tokens": self.max_tokens,
            "structured": self.structured,
        }
        return {
            "model": self.model,
            **(dict.fromkeys(asked) if self.embedded else asked),
            "score": self.score,
            "rounds": self.rounds,
            "points": "rules" if self.embedded else self.points,
            "limitations": self.limitations,
            "author_response": self.author_response,
            "paper_parts": self.paper_parts,
        }


JUDGES = ("split_points", "point_type", "question_answerability", "claim_factuality",
          "reconstruction", "faithfulness", "premise_factuality")  # fmt: skip
"""Judges that may have a model of their own."""

TABLES = {
    "models": {"default": "model", **{name: name for name in (
        "panel", "base_url", "temperature", "effort", "max_tokens", "structured")},
        **{name: f"judges.{name}" for name in JUDGES}},
    "audit": {name: name for name in ("score", "rounds", "repeats", "protocol", "points",
                                      "limitations", "author_response", "paper_parts",
                                      "skip_bad_lines", "prompts_dir", "calibration")},
    "limits": {name: name for name in (
        "max_connections", "max_retries", "timeout", "max_usd", "confirm_above", "prices",
        "requests_per_minute", "tokens_per_minute", "batch", "wait")},
    "engine": {"name": "engine", "workers": "workers", "store": "store"},
    "cache": {"enabled": "cache", "refresh": "refresh", "folder": "cache_dir",
              "ledger": "ledger"},
}  # fmt: skip
"""Tables and keys of ``reviewscore.toml``, and the setting each one sets."""


@dataclass(frozen=True)
class Resolved:
    """Settings with the origin of each value, such as ``default`` or ``flag``."""

    settings: Settings
    origins: dict[str, str]


def resolve(flags: Mapping[str, object], *, folder: Path | None = None) -> Resolved:
    """Settings from defaults, file, environment and flags, the later ones first.

    Args:
        flags: Values given on the command line; None means not given.
        folder: Where the data lies; its ``reviewscore.toml`` is read if there is one.

    Raises:
        SettingsError: An unknown name or an impossible value, with its origin.
    """
    values: dict[str, object] = {}
    origins = dict.fromkeys(Settings.model_fields, "default")
    path = _settings_file(folder)
    if path is not None:
        for name, value in _read_file(path).items():
            _check_trust(name, path, folder)
            values[name], origins[name] = value, str(path)
    for name in Settings.model_fields:
        variable = f"REVIEWSCORE_{name.upper()}"
        text = os.environ.get(variable)
        if text:
            values[name], origins[name] = _from_text(name, text), variable
    _check_variables()
    for name, value in flags.items():
        if value is not None and value != ():
            values[name], origins[name] = value, "flag"
    address = os.environ.get("OPENAI_BASE_URL")
    if address and "base_url" not in values and str(values.get("model")).startswith("openai/"):
        values["base_url"], origins["base_url"] = address, "OPENAI_BASE_URL"
    try:
        return Resolved(settings=Settings.model_validate(values), origins=origins)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        problem = first["msg"].removeprefix("Value error, ")
        if not first["loc"]:
            raise SettingsError(problem) from error
        name = str(first["loc"][0])
        raise SettingsError(f"{name} ({origins.get(name, 'unknown')}): {problem}") from error


def _check_trust(name: str, path: Path, folder: Path | None) -> None:
    """Whoever made the data must not choose where the user's key and the texts are sent."""
    foreign = folder is not None and path.resolve().parent == folder.resolve()
    if foreign and path.resolve().parent != Path.cwd().resolve() and name in _OWN:
        raise SettingsError(
            f"{path}: {name} is not taken from a file beside the data; give it by "
            f"--{name.replace('_', '-')}, or in reviewscore.toml of the current folder"
        )


_OWN = ("base_url", "prompts_dir", "prices", "cache_dir", "ledger", "calibration", "store")


def _check_variables() -> None:
    """Refuse a misspelt variable, as a misspelt key in the file is refused."""
    known = {f"REVIEWSCORE_{name.upper()}" for name in Settings.model_fields}
    for variable in os.environ:
        if variable.startswith("REVIEWSCORE_") and variable not in known | {"REVIEWSCORE_CONFIG"}:
            close = difflib.get_close_matches(variable, sorted(known), n=1, cutoff=0.8)
            if close:
                raise SettingsError(f"unknown variable {variable}; did you mean {close[0]}?")


def _from_text(name: str, text: str) -> object:
    if text.lower() == "none":
        return None
    if name in ("paper", "point", "panel"):
        return tuple(part.strip() for part in text.split(","))
    if name == "judges":
        return pairs(text.split(","), origin="REVIEWSCORE_JUDGES")
    return text


def pairs(texts: Iterable[str], *, origin: str, form: str = "JUDGE=MODEL") -> dict[str, str]:
    """``NAME=MODEL`` texts as a table.

    Args:
        texts: The texts.
        origin: Where they come from, for the message.
        form: What they should look like, likewise.

    Raises:
        SettingsError: A text has no ``=``.
    """
    found = {}
    for text in texts:
        judge, mark, model = text.strip().partition("=")
        if not mark or not model:
            raise SettingsError(f"{origin}: write {form}, not '{text}'")
        found[judge] = model
    return found


def _settings_file(folder: Path | None) -> Path | None:
    named = os.environ.get("REVIEWSCORE_CONFIG")
    if named:
        path = Path(named)
        if not path.is_file():
            raise SettingsError(f"REVIEWSCORE_CONFIG: no file {path}")
        return path
    for place in (Path.cwd(), folder):
        if place is not None and (place / "reviewscore.toml").is_file():
            return place / "reviewscore.toml"
    own = Path.cwd() / "pyproject.toml"
    if own.is_file() and "reviewscore" in _load(own).get("tool", {}):
        return own
    return None


def _load(path: Path) -> dict[str, dict[str, object]]:
    try:
        loaded: dict[str, dict[str, object]] = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path}: {error}") from error
    return loaded


def _read_file(path: Path) -> dict[str, object]:
    tables: Mapping[str, object] = _load(path)
    if path.name == "pyproject.toml":
        tool = tables["tool"]
        tables = tool["reviewscore"] if isinstance(tool, dict) else {}
    values: dict[str, object] = {}
    for table, content in tables.items():
        if table not in TABLES or not isinstance(content, dict):
            raise SettingsError(f"{path}: unknown table [{table}]{_hint(table, TABLES)}")
        for key, value in content.items():
            if key not in TABLES[table]:
                hint = _hint(key, TABLES[table])
                raise SettingsError(f"{path}: unknown key '{key}' in [{table}]{hint}")
            name, _, judge = TABLES[table][key].partition(".")
            if judge:
                values.setdefault(name, {})
                chosen = values[name]
                assert isinstance(chosen, dict)
                chosen[judge] = value
            else:
                values[name] = value
    return values


def _hint(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; known are {', '.join(known)}"
