"""What a provider must offer, and how a model's name finds one.

A provider is a module ``llm/providers/<name>.py`` with a subclass of `Provider` under
``@provider("<name>")``; nothing else names it. Other packages name theirs as entry points of the
group ``reviewscore.providers``. A module is imported when a model of its provider is asked for.
"""

from __future__ import annotations

import difflib
import os
import pkgutil
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar, Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from reviewscore.addresses import several, without_credentials
from reviewscore.errors import MissingKeyError, ModelError, ProviderError, SettingsError
from reviewscore.llm import providers
from reviewscore.llm.context_window import ContextWindow
from reviewscore.llm.parameters import Refusals
from reviewscore.schema.call import Completion, Parameters, Request

EXCHANGE = "exchange:"
"""Start of a model's name that is a folder of prompts and replies."""
GROUP = "reviewscore.providers"
"""Entry points of other packages' providers; each is named as its models' names begin."""


@dataclass(frozen=True)
class SentRequest:
    """How a request was sent; its reply may come in another session, which has to know.

    Attributes:
        model: The model, as the request names it.
        parameters: What was sent beside the messages.
        door: The endpoint, where a provider has several.
    """

    model: str
    parameters: Parameters = field(default_factory=dict)
    door: str = ""


@dataclass(frozen=True)
class JobLine:
    """One request of a job.

    Attributes:
        text: JSON in UTF-8, with the key as custom id.
        sent: How it is sent.
    """

    text: bytes
    sent: SentRequest


@dataclass(frozen=True)
class JobState:
    """How far a job is.

    Attributes:
        status: ``running``; ``ended`` (results can be fetched, some may be failures, also after
            the job expired or was cancelled midway); ``failed`` (the whole job was refused).
        done: Requests that are finished, well or not.
        total: Requests in the job.
        problem: Why the job failed, in the provider's words.
    """

    status: Literal["running", "ended", "failed"]
    done: int = 0
    total: int = 0
    problem: str = ""


@dataclass(frozen=True)
class JobSearch:
    """What a search for a job came to.

    Attributes:
        job: The job's id; None if it was not found.
        sure: Whether it was surely never made if it was not found. If not, a later search
            may know.
    """

    job: str | None = None
    sure: bool = True


Result = tuple[str, Completion | ModelError]
"""The key of a request, and its reply or why there is none."""


class JobApi(Protocol):
    """One provider's batch jobs.

    Attributes:
        place: Where jobs go; equal to the place of the provider's single calls.
        most_requests: Most requests in one job.
        most_bytes: Most bytes of the lines of one job.
        one_model: Whether a job holds requests to one model only.
    """

    place: str
    most_requests: int
    most_bytes: int
    one_model: bool

    def line(self, key: str, request: Request) -> JobLine:
        """One request of a job."""
        ...

    async def submit(self, lines: Sequence[bytes], *, label: str) -> str:
        """Hand a job over and return its id.

        Args:
            lines: What `line` made.
            label: Our own name of the job, by which `find` finds it where the provider can.

        Raises:
            ProviderError, StopError: As single calls do.
        """
        ...

    async def find(
        self, label: str, *, keys: frozenset[str], since: float, known: frozenset[str]
    ) -> JobSearch:
        """Look for a job that may have been handed over although its id was never recorded.

        Args:
            label: Our own name of the job.
            keys: Keys of all its requests.
            since: Unix time at which it was handed over, if it was.
            known: Ids of jobs that it is not.
        """
        ...

    async def state(self, job_id: str) -> JobState:
        """How far a job is."""
        ...

    def results(self, job_id: str, sent: Mapping[str, SentRequest]) -> AsyncIterator[Result]:
        """Replies of an ended job; a request without any result is left out.

        A failure that may go well another time (expiry, a server error, a parameter that the
        model refuses and that will now be left out) is a `ProviderError` with `retryable` set.
        A request that was cancelled at the provider is one without it.

        Args:
            job_id: The job.
            sent: Keys of the requests whose results are wanted, and how they were sent.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


NO_IMAGES_CURE = (
    "take a model that sees images, or show judges the text of papers (--paper-as text)"
)
_OF_IMAGES = re.compile(r"\b(images?|image_url|vision|multi-?modal(ity)?|modalit(y|ies))\b", re.I)
_REFUSED = re.compile(
    r"not support|n't support|unsupported|only supported|not (be )?(allowed|accepted|enabled)|"
    r"\b(does not|do not|doesn't|don't|cannot|can't) (accept|take|allow|see|have)\b|"
    r"\bnot an? (vision|multi-?modal)\b|\bunknown variant\b|\bat most 0\b|\bno endpoints\b|"
    r"\b(accepts|supports|takes) only\b|\bonly (accepts|supports|takes)\b",
    re.I,
)
_TOO_MUCH = re.compile(r"\btoo (many|large|big|long)\b|\bmore than\b|\bexceed", re.I)
_TOO_LARGE, _SERVER_ERROR = 413, 500


def refuses_images(error: ProviderError, model: str) -> bool:
    """Whether a server says that a model takes no images at all, in answer to a call with some.

    Args:
        error: What the server answered.
        model: The model, as ``provider/name``; that its name speaks of vision says nothing.
    """
    # Servers of one's own answer so with the status of a server error too, which is retried.
    passing = error.retryable and error.status != _SERVER_ERROR
    if error.status in (None, _TOO_LARGE) or passing:
        return False
    text = str(error)
    for name in (model.partition("/")[2], model.rpartition("/")[2]):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", text, flags=re.I)
    words = (_OF_IMAGES.search(text), _REFUSED.search(text))
    return all(words) and _TOO_MUCH.search(text) is None


class ElsewhereError(Exception):
    """Another process is making this very call, or has just made it; never leaves the client."""


@dataclass(frozen=True)
class Traits:
    """How a provider is to be used.

    Attributes:
        paced: Calls take time at a server: so many at once, slower when it complains.
        warms: The provider caches a shared prefix, so the first call with it goes alone.
        records: The provider is itself the record of its replies: they are not looked up in the
            ledger, and cost nothing to get again.
        counts: Servers may cut a prompt without a word: what they say they read is held against
            what was sent (`llm.context`).
        free: It runs on a server of the user's own; calls cost nothing.
        constrains: Replies are held to a JSON schema that is no part of the prompt, so that asking
            for one costs no cached prefix.
    """

    paced: bool = True
    warms: bool = True
    records: bool = False
    counts: bool = False
    free: bool = False
    constrains: bool = False


@dataclass(frozen=True)
class ProviderOptions:
    """What a provider is opened with.

    Attributes:
        base_url: Address of a server of one's own, or several with commas between, for providers
            that take one (`Provider.addressed`); None for the provider's own. Others take theirs
            from their SDK's own variables.
        timeout: Seconds to wait for one reply.
        refusals: What is known in the run of models that refuse something.
        wait: Seconds to wait for replies that people write.
        idle: Whether no work goes on that may bring another request.
        longest: Tokens of the longest prompt and its reply, estimated; 0 where it is not known.
    """

    base_url: str | None = None
    timeout: float = 600.0
    refusals: Refusals | None = None
    wait: float = 0.0
    idle: Callable[[], bool] = lambda: True
    longest: int = 0


class Provider:
    """Sends one request. Providers translate; they never retry, cache, count or parse.

    Attributes:
        place: Where requests go (an address or name); part of the key of a call.
        traits: How it is to be used.
        variables: Patterns of the environment variables that it reads, for workers elsewhere.
        models: Beginnings of its models' names, for those who leave the provider's name away.
        form: How its models are written.
        jobs: Whether it takes batch jobs.
        addressed: Whether `base_url` is the address of its servers.
    """

    place: str
    traits: Traits = Traits()
    variables: ClassVar[tuple[str, ...]] = ("*",)
    models: ClassVar[tuple[str, ...]] = ()
    form: ClassVar[str] = "{}/NAME"
    jobs: ClassVar[bool] = False
    addressed: ClassVar[bool] = False

    @classmethod
    def check(cls, model: str, *, base_url: str | None) -> None:
        """Refuse a model that cannot be asked, before anything is made or paid for.

        Raises:
            SettingsError: It cannot.
        """

    @classmethod
    def open(cls, model: str, options: ProviderOptions) -> Provider:
        """A provider for a model."""
        raise NotImplementedError

    @classmethod
    def open_jobs(cls, options: ProviderOptions) -> JobApi:
        """Its batch jobs, for those that have them."""
        raise NotImplementedError

    async def complete(self, request: Request) -> Completion:
        """Ask once.

        Raises:
            ProviderError: The provider failed; says whether trying again may help.
            StopError: Nothing more can be asked (no access, no money left).
        """
        raise NotImplementedError

    async def window(self, model: str) -> ContextWindow:
        """What the server says of the longest prompt that it reads, and what would help.

        Raises:
            ProviderError, StopError: It cannot be asked, or has no such model.
        """
        return ContextWindow()

    async def count_tokens(self, model: str, text: str) -> int | None:
        """Tokens of a text by the server's own tokenizer; None if it has none to ask."""
        return None

    async def takes_images(self, model: str) -> bool | None:
        """Whether a model is shown images of pages; None if the server does not say.

        Raises:
            ProviderError, StopError: It cannot be asked, or has no such model.
        """
        return None

    def halt(self) -> None:
        """Stop waiting for replies that may take hours; they can be collected later."""

    async def close(self) -> None:
        """Release connections."""


AnyProvider = TypeVar("AnyProvider", bound=type[Provider])
_REGISTERED: dict[str, type[Provider]] = {}


def provider(name: str) -> Callable[[AnyProvider], AnyProvider]:
    """Register a class as the provider of models whose names begin with ``name/``.

    Raises:
        ValueError: The name is taken.
    """

    def register(kind: AnyProvider) -> AnyProvider:
        ours = kind.__module__.startswith(f"{providers.__name__}.")
        if name in _REGISTERED or (name in _shipped() and not ours):
            raise ValueError(f"there is another provider '{name}'")
        _REGISTERED[name] = kind
        return kind

    return register


def _shipped() -> list[str]:
    """Modules in which providers are looked for by name."""
    return [module.name for module in pkgutil.iter_modules(providers.__path__)]


def _find(name: str) -> type[Provider] | None:
    """The provider of a name, loaded at first use.

    Raises:
        SettingsError: It is another package's, and cannot be loaded.
    """
    if name not in _REGISTERED and name in _shipped():
        import_module(f"{providers.__name__}.{name}")
    if name not in _REGISTERED and (points := entry_points(group=GROUP, name=name)):
        _load(name, list(points))
    return _REGISTERED.get(name)


def _load(name: str, points: list[EntryPoint]) -> None:
    packages = " and ".join(sorted(point.dist.name if point.dist else "?" for point in points))
    if len(points) > 1:
        raise SettingsError(
            f"provider '{name}' is given by several packages ({packages}); uninstall all but one"
        )
    try:
        kind = points[0].load()
        if name not in _REGISTERED and isinstance(kind, type) and issubclass(kind, Provider):
            _REGISTERED[name] = kind
    except Exception as error:  # a stranger's module may raise anything
        raise SettingsError(
            f"provider '{name}' of the package {packages} cannot be loaded "
            f"({type(error).__name__}: {error}); update that package, or uninstall it"
        ) from error
    if name not in _REGISTERED:
        raise SettingsError(
            f"provider '{name}' of the package {packages}: {points[0].value} is no subclass of "
            "reviewscore.llm.provider.Provider; update that package, or uninstall it"
        )


def _forms() -> dict[str, str]:
    """How the models of each known provider are written; of other packages' by their names."""
    forms = {point.name: Provider.form for point in entry_points(group=GROUP)}
    for name in _shipped():
        if (kind := _find(name)) is not None:
            forms[name] = kind.form
    return {name: form.format(name) for name, form in sorted(forms.items())}


def provider_name(model: str) -> str:
    """What a model's name says of its provider: ``openai``, ``exchange``, ..."""
    return "exchange" if model.startswith(EXCHANGE) else model.partition("/")[0]


def model_name(model: str) -> str:
    """The provider's own name of a model: what follows the first ``/``."""
    return model.partition("/")[2]


def provider_class(model: str) -> type[Provider]:
    """The provider of a model.

    Raises:
        SettingsError: There is none, or it cannot be loaded.
    """
    kind = _find(provider_name(model))
    if kind is None or not (model.startswith(EXCHANGE) or model_name(model)):
        *ways, last = ["lexical", *_forms().values()]
        meant = _meant(model)
        lead = f"did you mean '{meant}'? Use" if meant else "use"
        raise SettingsError(f"unknown model '{model}'; {lead} {', '.join(ways)} or {last}")
    return kind


def check_model(
    model: str, *, base_url: str | None, batch: bool = False, keys: bool = True
) -> None:
    """Refuse a model that cannot be asked, before anything is made or paid for.

    Args:
        model: ``provider/name`` or ``exchange:FOLDER``.
        base_url: As in `ProviderOptions`.
        batch: Whether calls are to go as batch jobs.
        keys: Whether its key has to be there.

    Raises:
        SettingsError: No provider will take the name, or its key is missing or cannot be sent, or
            its address holds credentials, or it has no batch jobs.
    """
    kind = provider_class(model)
    try:
        kind.check(model, base_url=base_url)
    except MissingKeyError:
        if keys:
            raise
    if batch and not kind.jobs:
        names = [name for name in _shipped() if (other := _find(name)) and other.jobs]
        takers = " and ".join(f"{name}/" for name in names)
        raise SettingsError(f"{model}: batch jobs are there for {takers} only")


def _meant(model: str) -> str | None:
    """The model that an unknown name is likely to stand for."""
    start, slash, name = model.partition("/")
    known = {name: _find(name) for name in _shipped()}
    for maker, kind in known.items():
        if kind is not None and kind.models and model.startswith(kind.models) and not slash:
            return f"{maker}/{model}"
    names = [name for name, form in _forms().items() if form.startswith(f"{name}/")]
    close = difflib.get_close_matches(start, [*names, "lexical"], n=1)
    if not close or close[0] == model:
        return None
    return close[0] if close[0] == "lexical" else f"{close[0]}/{name or 'NAME'}"


def check_key(name: str, *, needed: bool = True, cure: str = "set it") -> None:
    """Refuse a key that cannot be sent.

    Args:
        name: Its environment variable.
        needed: Whether there has to be one.
        cure: What to do if there is none.

    Raises:
        MissingKeyError: There is none.
        SettingsError: There is none that can be sent.
    """
    key = os.environ.get(name, "")
    if needed and not key:
        raise MissingKeyError(f"{name} is not set; {cure}")
    if not all("!" <= sign <= "~" for sign in key):
        raise SettingsError(
            f"{name} holds a space, a line break or a sign that no key has; copy it again"
        )


def check_address(address: str | None, name: str) -> None:
    """Refuse a server's address that is none, or holds a password.

    Raises:
        SettingsError: It is such a one.
    """
    try:
        _ = urlsplit(address or "").port
    except ValueError as error:
        raise SettingsError(f"{name} is no address ({error}); write http://HOST:PORT/v1") from error
    if address is not None and without_credentials(address) != address:
        raise SettingsError(
            f"{name} holds a name or password, which is not sent; put the key into its own variable"
        )


def open_provider(
    model: str,
    *,
    base_url: str | None,
    timeout: float,
    refusals: Refusals | None = None,
    wait: float = 0.0,
    idle: Callable[[], bool] = lambda: True,
    longest: int = 0,
) -> Provider:
    """The provider of a model; arguments as in `ProviderOptions`.

    Raises:
        SettingsError: As `check_model`.
    """
    check_model(model, base_url=base_url)
    options = ProviderOptions(base_url, timeout, refusals, wait, idle, longest)
    return provider_class(model).open(model, options)


def open_jobs(
    model: str, *, base_url: str | None, timeout: float, refusals: Refusals | None = None
) -> JobApi:
    """The batch jobs of a model's provider; arguments as in `ProviderOptions`.

    Raises:
        SettingsError: There are none, or the provider's key is missing.
    """
    check_model(model, base_url=base_url, batch=True)
    if len(several(base_url)) > 1:
        raise SettingsError("batch jobs go to one server; give one --base-url")
    return provider_class(model).open_jobs(ProviderOptions(base_url, timeout, refusals))
