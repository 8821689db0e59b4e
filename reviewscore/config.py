"""The settings of a run and where each value came from (default, file, environment, flag)."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from platformdirs import user_config_path, user_data_path
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)

from reviewscore import addresses
from reviewscore.bounds import Bound, Bounds
from reviewscore.errors import InputError, SettingsError
from reviewscore.notices import notice
from reviewscore.toml_files import read_toml

Plain = addresses.Plain
POINT_TOKENS = {"paper": 0, "economy": 300, "presupposition": 700, "presupposition+proof": 700}
"""Tokens of a reply that are allowed for each point, where it is asked about several, by protocol;
about twice what most need."""
PRESUPPOSING = ("presupposition", "presupposition+proof")
"""Protocols whose verdicts rest on what points take for granted, so that scores are standing."""
EMBEDDED = "lexical"
"""Name of the judge that needs no model."""
_YEAR = 31_536_000.0
"""Seconds; no clock of the system's takes as many as a float can say."""


class Settings(BaseModel):
    """Everything that can be set for a run.

    Attributes:
        model: ``lexical``, ``provider/name`` or ``exchange:FOLDER``.
        panel: Further models that score the same items; the lower median counts.
        judges: Another model for single judges, by the judge's name.
        repeats: How often each model scores an item; the median counts.
        protocol: ``paper`` (one call per premise, as published) or ``economy`` (all premises of
            an argument in one call, the type of a point in one call, or in none where a model
            split the review and said it), both of the ReviewScore paper; ``presupposition``: what
            a point takes for granted, and whether it is so; ``presupposition+proof``: the same,
            and beside it arguments with an inference rebuilt and proved.
        per: What one first question about points is about: a ``point``, all points of a
            ``review``, or of all reviews of a ``paper``. None is the protocol's own: ``review`` of
            ``presupposition``, else ``point``. Not for the protocol ``paper``, nor for excerpts,
            which are other ones for each point.
        second_look: Of ``presupposition``, lowest and highest probability at which a point gets a
            second look (as ``LOW/HIGH``), beside those that would not stand; ``off`` for none.
        points_per_call: Most points that one reply is asked about; longer reviews are split.
        batch: Whether calls go as batch jobs, at about half the price and within a day.
        base_url: Address of a server for ``openai/``, ``ollama/`` or ``llamacpp/``, or several
            with commas between that serve the same models; the first one names them all in records.
        confidentiality: The venue's rule: ``local`` lets no paper and no review leave this machine,
            ``provider`` lets models' providers have them; None is not known, and asked for.
        consent: The venue's consent for each paper and review, where these do not say more:
            ``provider``, ``local`` or ``none``; the strictest counts. None leaves it to them.
        local_judge: Model on this machine that judges what `model` may not read, into a run of its
            own; ``MODEL@http://127.0.0.1:PORT/v1`` names its server.
        temperature: Sampling temperature; None leaves it out. Left out for reasoning models.
        effort: How hard reasoning models think (``low``, ``medium``, ``high``); None is theirs.
        max_tokens: Reply limit in tokens, four times that for reasoning models; doubles up to
            twice when a reply is cut off.
        structured: How a reply's form is asked for. ``auto``: by JSON schema where a call has no
            paper, else by any JSON object with the schema in words, since providers count the
            schema as part of what they cache; a form that a server refuses is replaced by the
            next best for the rest of the run. With another value a refusal stops the run.
        score: Which ReviewScore of arguments to compute.
        rounds: Most rounds of a reconstruction (ReviewScore, sec. 3.2: 10).
        points: Who splits reviews: the model where there is one (``auto``), or the rules.
        limitations: Whether the reviewer's remarks on limitations are points too.
        author_response: Whether judges see the authors' response.
        paper_parts: The parts of papers that judges see. ``main``: no references, no appendix;
            ``all``: the whole text; ``auto``: no references for papers read from a PDF or TEI
            file, ``all`` for texts that were given.
        paper_as: How judges see papers: their ``text``, the ``pages`` of their PDFs as images, or
            ``both`` (of papers without a PDF the text alone).
        context: What judges see of a paper: ``whole``, all of `paper_parts`, or ``excerpts``, the
            passages nearest to each point, of papers that are longer than `context_tokens` allow.
        context_tokens: Tokens of prompt and reply that the models read at once. Papers that do not
            fit are refused before anything is asked, or shown as excerpts; None is not known: for
            excerpts a server of one's own is asked, and 16,384 are taken where none says.
        encoder: Sentence encoder by which the embedded judge ranks passages: ``auto`` (the one on
            this machine, if the extra ``semantic`` is installed; nothing is fetched), a folder,
            or None (written ``none``).
        check_references: Index of publications in which works are looked up that reviews name and
            papers do not list: ``openalex`` or ``crossref``, after ``=`` the address of a mirror.
            Only the reference leaves this machine.
        canaries: File of lines that the venue hid in its papers: they are no alarm, and reviews
            that repeat one are named to the program chairs alone.
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
        speed: Tokens a second that a server of one's own reads and writes, all calls together, as
            ``READ/WRITE``; for the hours of estimates.
        wait: Seconds to wait for replies in an exchange folder.
        cache: Whether calls go into the ledger all runs share, or into one in the run folder.
        refresh: Use no reply that another run has paid for.
        cache_dir: Folder of the shared ledger; None is the user's own place for data.
        ledger: Address of a PostgreSQL database that holds the shared ledger in its stead.
        limit: Only so many reviews; None for all.
        paper: Only these papers; empty for all.
        point: Only these points, by identifier or as ``REVIEW#NUMBER``; empty for all.
        skip_bad_lines: Go on without lines that cannot be read, and count them.
        engine: Where work runs: ``local`` is this process, ``ray`` the processes of a Ray cluster
            (that of ``RAY_ADDRESS``, or one on this machine for the while).
        workers: Worker processes of the engine; None is one for each of its processors.
        store: Where workers of an audit write, as a path or an address that fsspec knows (such as
            ``s3://bucket/run``) and that all machines reach; None is the run folder.
        prompts_dir: Folder of prompts that replaces the shipped one.
        max_reply_mb: Most megabytes of one answer of a model's server, decompressed.
        max_results_mb: Most megabytes of the results of one batch job, or of the replies in one
            exchange folder.
        max_page_mb: Most megabytes of one answer of OpenReview that is no PDF, decompressed.
        max_pdf_mb: Most megabytes of one PDF.
        max_text_mb: Most megabytes of one text file, or of one record of a JSONL or Parquet file.
        max_table_mb: Most megabytes of a file that is read as a whole and holds many records (CSV,
            spreadsheet, JSON export), and of such a file on a remote store.
        max_review_mb: Most megabytes of the texts of one review.
        max_reviews_per_paper: Most reviews of one paper.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = EMBEDDED
    panel: tuple[str, ...] = ()
    judges: dict[str, str] = Field(default_factory=dict)
    repeats: int = Field(default=1, ge=1, le=25)
    protocol: Literal["paper", "economy", "presupposition", "presupposition+proof"] = "paper"
    per: Literal["review", "paper", "point"] | None = None
    second_look: str = Field(default="0.3/0.7", pattern=r"^(off|\d(\.\d{1,6})?/\d(\.\d{1,6})?)$")
    points_per_call: int = Field(default=20, ge=1, le=100)
    batch: bool = False
    base_url: str | None = Field(default=None, repr=False)
    confidentiality: Literal["local", "provider"] | None = None
    consent: Literal["provider", "local", "none"] | None = None
    local_judge: str | None = Field(default=None, min_length=1)
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    effort: str | None = Field(default=None, pattern=r"^[a-z]+$")
    max_tokens: int = Field(default=4096, ge=64)
    structured: Literal["auto", "schema", "object", "text"] = "auto"
    score: Literal["base", "advanced", "both"] = "both"
    rounds: int = Field(default=10, ge=1, le=10)
    points: Literal["auto", "rules"] = "auto"
    limitations: bool = True
    author_response: bool = False
    paper_parts: Literal["auto", "main", "all"] = "auto"
    paper_as: Literal["text", "pages", "both"] = "text"
    context: Literal["whole", "excerpts"] = "whole"
    context_tokens: int | None = Field(default=None, ge=2048)
    encoder: str | None = "auto"
    calibration: Path | None = None
    check_references: str | None = Field(
        default=None, pattern=r"^(openalex|crossref)(=https?://\S+)?$"
    )
    canaries: Path | None = None
    max_connections: int = Field(default=8, ge=1, le=1024)
    max_retries: int = Field(default=8, ge=0, le=20)
    timeout: float = Field(default=600.0, gt=0, le=_YEAR, allow_inf_nan=False)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    max_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    confirm_above: float = Field(default=5.0, ge=0)
    prices: Path | None = None
    speed: str | None = Field(default=None, pattern=r"^\d{1,7}(\.\d{1,3})?/\d{1,7}(\.\d{1,3})?$")
    wait: float = Field(default=0.0, ge=0, le=_YEAR, allow_inf_nan=False)
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
    max_reply_mb: float = Field(default=Bounds.max_reply_mb, gt=0, le=1e6)
    max_results_mb: float = Field(default=Bounds.max_results_mb, gt=0, le=1e6)
    max_page_mb: float = Field(default=Bounds.max_page_mb, gt=0, le=1e6)
    max_pdf_mb: float = Field(default=Bounds.max_pdf_mb, gt=0, le=1e6)
    max_text_mb: float = Field(default=Bounds.max_text_mb, gt=0, le=1e6)
    max_table_mb: float = Field(default=Bounds.max_table_mb, gt=0, le=1e6)
    max_review_mb: float = Field(default=Bounds.max_review_mb, gt=0, le=1e6)
    max_reviews_per_paper: int = Field(default=Bounds.max_reviews_per_paper, ge=1)
    _confidentiality_origin: str = PrivateAttr(default="settings")

    @property
    def confidentiality_origin(self) -> str:
        """Where the venue's rule was said: a file, a variable, or the user's answer."""
        return self._confidentiality_origin

    def with_confidentiality(
        self, rule: Literal["local", "provider"] | None, origin: str
    ) -> Settings:
        """These settings with the venue's rule, and where it was said."""
        settings = self.model_copy(update={"confidentiality": rule})
        settings._confidentiality_origin = origin
        return settings

    @property
    def bounds(self) -> Bounds:
        """How much of what comes from outside is held."""
        return Bounds(**{name: getattr(self, name) for name in BOUNDS})

    @property
    def embedded(self) -> bool:
        """Whether the embedded judge answers, and no model is asked."""
        return self.model == EMBEDDED

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is asked, each once; the first one splits and rebuilds."""
        return tuple(dict.fromkeys((self.model, *self.panel, *self.judges.values())))

    @property
    def models_with_paper(self) -> tuple[str, ...]:
        """Those of `models` that are shown papers."""
        others = (model for judge, model in self.judges.items() if judge not in _WITHOUT_PAPER)
        return tuple(dict.fromkeys((self.model, *self.panel, *others)))

    @property
    def types_from_split(self) -> bool:
        """Whether points that a model split off keep the type it gave them, without a call."""
        asked = self.points == "rules" or "point_type" in self.judges
        return self.protocol == "economy" and self.asked_per == "point" and not asked

    @property
    def presupposes(self) -> bool:
        """Whether verdicts rest on what points take for granted."""
        return self.protocol in PRESUPPOSING

    @property
    def proves_beside(self) -> bool:
        """Whether arguments are rebuilt and proved beside such verdicts."""
        return self.protocol == "presupposition+proof"

    @property
    def asked_per(self) -> Literal["review", "paper", "point"]:
        """What one first question about points is about; nothing but a point without a model."""
        if self.embedded:
            return "point"
        together = self.presupposes and self.context == "whole"
        return self.per or ("review" if together else "point")

    @property
    def longest_reply(self) -> int:
        """Tokens of the longest reply that is allowed, without a reasoning model's thoughts."""
        if self.asked_per == "point":
            return self.max_tokens
        return max(self.max_tokens, self.points_per_call * POINT_TOKENS[self.protocol])

    @property
    def second_look_between(self) -> tuple[float, float] | None:
        """The two probabilities of `second_look`; None for no second looks."""
        low, _, high = self.second_look.partition("/")
        return (float(low), float(high)) if high else None

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

    @field_validator("encoder", mode="before")
    @classmethod
    def _folder_or_word(cls, encoder: object) -> object:
        text = str(encoder) if isinstance(encoder, Path) else encoder
        return None if text == "none" else text

    @field_validator(
        "calibration", "canaries", "prices", "cache_dir", "store", "prompts_dir", "encoder"
    )
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

    @model_validator(mode="after")
    def _of_pages(self) -> Settings:
        if self.paper_as == "text":
            return self
        if self.embedded:
            raise ValueError("the lexical judge reads text: pages (paper_as) need a model")
        if self.context == "excerpts":
            raise ValueError("excerpts are passages of text: give --paper-as text with them")
        if self.batch:
            raise ValueError(
                "batch jobs take no pages: their files would hold each page once for every call; "
                "leave --batch away, or give --paper-as text"
            )
        return self

    @model_validator(mode="after")
    def _of_the_protocol(self) -> Settings:
        if self.embedded and self.presupposes:
            raise ValueError("the lexical judge looks points up: presuppositions need a model")
        low, high = self.second_look_between or (0.0, 1.0)
        if not 0 <= low <= high <= 1:
            raise ValueError(f"second_look is LOW/HIGH of 0 to 1, not {self.second_look}")
        if self.protocol == "paper" and self.per not in (None, "point"):
            raise ValueError("the published protocol asks point by point; --per is for the others")
        if self.context == "excerpts" and self.asked_per != "point":
            raise ValueError(
                "excerpts are the passages nearest to one point: --per point asks with them"
            )
        if self.author_response and (self.presupposes or self.asked_per != "point"):
            raise ValueError(
                "the authors' response is shown by the protocols paper and economy, point by point"
            )
        one_by_one = {"point_type", "question_answerability", "claim_factuality"}
        if self.asked_per != "point" and (alone := sorted(one_by_one & self.judges.keys())):
            raise ValueError(
                f"--judge {alone[0]} answers point by point: with --per {self.asked_per} one model "
                "says it all"
            )
        if self.calibration is not None and self.presupposes:
            raise ValueError("calibrations are learnt of ReviewScores, not of standing")
        return self

    @property
    def read_and_write(self) -> tuple[float, float] | None:
        """The two speeds of `speed`, tokens a second; None if they are not known."""
        read, _, write = (self.speed or "").partition("/")
        return (float(read), float(write)) if read and write else None

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
            "per": None if self.asked_per == "point" else self.asked_per,
            "second_look": self.second_look if self.presupposes else None,
            "points_per_call": None if self.asked_per == "point" else self.points_per_call,
            "base_url": addresses.without_credentials(next(iter(self.servers), None)),
            "temperature": self.temperature,
            "effort": self.effort,
            "max_tokens": self.max_tokens,
            "structured": self.structured,
            "paper_as": None if self.paper_as == "text" else self.paper_as,
            "context": self.context,
            "context_tokens": self.context_tokens if self.context == "excerpts" else None,
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
          "reconstruction", "faithfulness", "premise_factuality", "presuppositions")  # fmt: skip
"""Judges that may have a model of their own."""
_WITHOUT_PAPER = ("split_points", "point_type", "faithfulness")
"""Those that are shown no paper."""

BOUNDS = tuple(Bounds.__dataclass_fields__)
"""Settings that bound what is held of what comes from outside."""

TABLES = {
    "models": {"default": "model", **{name: name for name in (
        "panel", "base_url", "confidentiality", "consent", "local_judge", "temperature", "effort",
        "max_tokens", "structured")},
        **{name: f"judges.{name}" for name in JUDGES}},
    "audit": {name: name for name in ("score", "rounds", "repeats", "protocol", "per",
                                      "second_look", "points_per_call", "points",
                                      "limitations", "author_response", "paper_parts",
                                      "paper_as", "context", "context_tokens",
                                      "skip_bad_lines",
                                      "prompts_dir", "calibration", "encoder",
                                      "check_references", "canaries")},
    "limits": {name: name for name in (
        "max_connections", "max_retries", "timeout", "max_usd", "confirm_above", "prices",
        "speed",
        "requests_per_minute", "tokens_per_minute", "batch", "wait")},
    "engine": {"name": "engine", "workers": "workers", "store": "store"},
    "cache": {"enabled": "cache", "refresh": "refresh", "folder": "cache_dir",
              "ledger": "ledger"},
    "bounds": {name: name for name in BOUNDS},
}  # fmt: skip
"""Tables and keys of a settings file, and the setting each one sets."""

_PROJECT = "pyproject.toml"
_MOST = Bound("", 0.25, of="a file of settings")

HARMLESS = frozenset({
    "temperature", "structured", "score", "rounds", "protocol", "per", "second_look",
    "points_per_call", "points", "limitations", "author_response", "paper_parts", "paper_as",
    "context", "context_tokens", "skip_bad_lines", "max_connections", "max_retries", "timeout",
    "requests_per_minute", "tokens_per_minute", "wait", "speed",
})  # fmt: skip
"""Settings that any file may give, one that merely lies in the current folder or beside the data
too. All others decide where texts and keys go, what is paid, or what is written where."""


@dataclass(frozen=True)
class Resolved:
    """Settings with the origin of each value, such as ``default`` or ``flag``."""

    settings: Settings
    origins: dict[str, str]


def user_settings_file() -> Path:
    """The user's own settings file; it need not be there."""
    return user_config_path("reviewscore", appauthor=False) / "settings.toml"


def resolve(
    flags: Mapping[str, object],
    *,
    folder: Path | None = None,
    config: Path | None = None,
    cleared: Iterable[str] = (),
) -> Resolved:
    """Settings from defaults, files, environment and flags, the later ones first.

    The venue's rule ``local`` stays, wherever it was said: nothing overrides it.

    Files are the user's own (`user_settings_file`), and over it either one that was named
    (``config``, else ``REVIEWSCORE_CONFIG``) or one that was merely met: ``reviewscore.toml`` in
    the current folder, ``reviewscore.toml`` beside the data, or ``[tool.reviewscore]`` in
    ``pyproject.toml`` of the current folder. Whoever made the data may have made that one: it
    gives `HARMLESS` settings alone.

    Args:
        flags: Values given on the command line; None means not given.
        folder: Where the data lies.
        config: The settings file that was named.
        cleared: Settings that the caller sets to nothing, whatever files and environment say.

    Raises:
        SettingsError: An unknown name, an impossible value, or one from a file that may not give
            it; with its origin.
    """
    chosen = _Chosen()
    values, origins = chosen.values, chosen.origins
    for path, read in _from_files(folder, config):
        for key, value in read.items():
            chosen.give(key, _over(values.get(key), value), str(path))
    for name in Settings.model_fields:
        variable = f"REVIEWSCORE_{name.upper()}"
        text = os.environ.get(variable)
        if text:
            chosen.give(name, _from_text(name, text), variable)
    _check_variables()
    given = {name: value for name, value in flags.items() if value is not None and value != ()}
    for name, value in {**given, **dict.fromkeys(cleared)}.items():
        chosen.give(name, value, "flag")
    address = os.environ.get("OPENAI_BASE_URL")
    if address and "base_url" not in values and str(values.get("model")).startswith("openai/"):
        values["base_url"], origins["base_url"] = address, "OPENAI_BASE_URL"
    try:
        settings = Settings.model_validate(values)
        rule, origin = settings.confidentiality, origins["confidentiality"]
        return Resolved(settings=settings.with_confidentiality(rule, origin), origins=origins)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        problem = first["msg"].removeprefix("Value error, ")
        if not first["loc"]:
            raise SettingsError(problem) from error
        name = str(first["loc"][0])
        raise SettingsError(f"{name} ({origins.get(name, 'unknown')}): {problem}") from error


@dataclass
class _Chosen:
    """Values with their origins, as one source after the other gives them."""

    values: dict[str, object] = field(default_factory=dict)
    origins: dict[str, str] = field(
        default_factory=lambda: dict.fromkeys(Settings.model_fields, "default")
    )

    def give(self, name: str, value: object, origin: str) -> None:
        """Put a value over an earlier one; only the venue's rule ``local`` stays."""
        if name != "confidentiality" or self.values.get(name) != "local":
            self.values[name], self.origins[name] = value, origin


def bounds_from_settings(config: Path | None = None) -> Bounds:
    """The bounds alone, for verbs that need no other setting: from files and environment.

    Args:
        config: The settings file that was named.

    Raises:
        SettingsError: One of them is impossible, or a file cannot be read.
    """
    values: dict[str, object] = {}
    for _, read in _from_files(None, config):
        values |= read
    for name in BOUNDS:
        if text := os.environ.get(f"REVIEWSCORE_{name.upper()}"):
            values[name] = text
    try:
        chosen = {name: values[name] for name in BOUNDS if name in values}
        return Settings.model_validate(chosen).bounds
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise SettingsError(f"{first['loc'][0]}: {first['msg']}") from error


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
    values = {}
    for text in texts:
        judge, mark, model = text.strip().partition("=")
        if not mark or not model:
            raise SettingsError(f"{origin}: write {form}, not '{text}'")
        values[judge] = model
    return values


def as_settings(flags: Mapping[str, object]) -> dict[str, object]:
    """Flags as settings: the first ``model`` leads, the others sit on its panel.

    Args:
        flags: Values by the flags' names. ``model`` is one or several, ``judge`` a table or texts
            ``JUDGE=MODEL``.

    Raises:
        SettingsError: A ``judge`` is not ``JUDGE=MODEL``, or a model is no name.
    """
    models, judges = several(flags.get("model"), "model"), flags.get("judge")
    if not isinstance(judges, Mapping):
        judges = pairs(several(judges, "judge"), origin="--judge")
    return {
        **{name: value for name, value in flags.items() if name not in ("model", "judge")},
        "model": models[0] if models else None,
        "panel": models[1:],
        "judges": dict(judges) or None,
    }


def several(given: object, name: str) -> tuple[str, ...]:
    """One text or many as many; none if there is None.

    Raises:
        SettingsError: There is something else.
    """
    texts = () if given is None else (given,) if isinstance(given, str) else given
    if not isinstance(texts, Iterable):
        raise SettingsError(f"{name}: give a text or several, not {given!r}")
    texts = tuple(texts)
    for text in texts:
        if not isinstance(text, str):
            raise SettingsError(f"{name}: {text!r} is no text")
    return texts


def _over(earlier: object, later: object) -> object:
    """What two files say together: tables are joined, of other values the later one counts."""
    return {**earlier, **later} if isinstance(earlier, dict) and isinstance(later, dict) else later


def _count_from(folder: Path, values: dict[str, object]) -> None:
    """Let relative paths of the user's own file count from there: no folder of data is meant."""
    for name in ("calibration", "canaries", "prices", "cache_dir", "prompts_dir"):
        if isinstance(path := values.get(name), str):
            values[name] = folder / path
    if isinstance(path := values.get("encoder"), str) and path not in ("auto", "none"):
        values["encoder"] = folder / path


def _from_files(
    folder: Path | None, config: Path | None
) -> Iterator[tuple[Path, dict[str, object]]]:
    """The files that are read, with what each says, the later ones over the earlier."""
    if (own := user_settings_file()).is_file():
        values = _read_file(own, trusted=True)
        _count_from(own.parent, values)
        yield own, values
    origin, named = "--config", config
    if named is None and (text := os.environ.get("REVIEWSCORE_CONFIG")):
        origin, named = "REVIEWSCORE_CONFIG", Path(text)
    if named is not None:
        if not named.is_file():
            raise SettingsError(f"{origin}: no file {named}")
        yield named, _read_file(named, trusted=True)
    elif (met := _met(folder)) is not None:
        yield met, _read_file(met, trusted=False)


def _met(folder: Path | None) -> Path | None:
    """The settings file that lies in the current folder or beside the data."""
    for place in (Path.cwd(), folder):
        if place is not None and (place / "reviewscore.toml").is_file():
            return place / "reviewscore.toml"
    project = Path.cwd() / _PROJECT
    if not project.exists():
        return None
    try:
        ours = _of_project(_load(project)) is not None
    except SettingsError as error:  # most likely it has nothing to do with us
        notice(f"no settings are taken from {project}, which cannot be read: {error}")
        return None
    return project if ours else None


def _of_project(tables: Mapping[str, object]) -> Mapping[str, object] | None:
    """Our table in a project's file; None if there is none."""
    tool = tables.get("tool")
    section = tool.get("reviewscore") if isinstance(tool, dict) else None
    return section if isinstance(section, dict) else None


def _load(path: Path) -> dict[str, object]:
    try:
        return read_toml(path, _MOST, regular=True)
    except InputError as error:
        raise SettingsError(str(error)) from error


def _read_file(path: Path, *, trusted: bool) -> dict[str, object]:
    loaded = _load(path)
    tables = _of_project(loaded) if path.name == _PROJECT else loaded
    if tables is None:
        raise SettingsError(f"{path}: has no table [tool.reviewscore]")
    values: dict[str, object] = {}
    for table, content in tables.items():
        if table not in TABLES or not isinstance(content, dict):
            raise SettingsError(f"{path}: unknown table [{table}]{_hint(table, TABLES)}")
        for key, value in content.items():
            if key not in TABLES[table]:
                hint = _hint(key, TABLES[table])
                raise SettingsError(f"{path}: unknown key '{key}' in [{table}]{hint}")
            name, _, judge = TABLES[table][key].partition(".")
            if not trusted and name not in HARMLESS:
                raise SettingsError(_not_from_there(path, table, key, name))
            if judge:
                values.setdefault(name, {})
                chosen = values[name]
                assert isinstance(chosen, dict)
                chosen[judge] = value
            else:
                values[name] = value
    return values


def _not_from_there(path: Path, table: str, key: str, name: str) -> str:
    """Why a file that was merely met may not set this, and what to do."""
    does = "guards this machine" if name in BOUNDS else "decides where texts, keys or money go"
    return (
        f"{path}: '{key}' in [{table}] {does}, and is not taken "
        "from a file that merely lies in the current folder or beside the data; put it into "
        f"{user_settings_file()}, set REVIEWSCORE_{name.upper()}, or, if you trust this file, "
        f"name it: --config {path}"
    )


def _hint(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; known are {', '.join(known)}"
