"""Parameters that models refuse: known by name, or learned from their first refusal."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from reviewscore.errors import ProviderError, StopError
from reviewscore.llm.http import without_secrets
from reviewscore.schema.call import Completion, Parameters, Structured

FORMS: dict[Structured, tuple[str, ...]] = {
    "schema": ("json_schema", "json_object+schema", "json_object"),
    "object": ("json_object", "json_schema"),
    "text": (),
}
"""Ways to ask for a reply's form, the best first; after the last, words alone ask for it."""
OUTPUT = "output_config"
"""Anthropic's name of the parameter that asks for a form."""
SETTLED = 5.0
"""Seconds after which a call is taken not to be refused; servers refuse before they write."""

_REASONING = re.compile(r"(^|/)(o\d|gpt-[5-9])(?!.*chat)")
_REFUSALS = (
    *("unsupported", "not supported", "does not support", "doesn't support", "unknown", "invalid"),
    *("unrecognized", "unexpected", "not permitted", "not allowed", "not available", "extra"),
    "deprecated",
)
"""Words that refuse a parameter rather than its value."""
_OUT_OF_RANGE = ("too large", "too small", "at most", "at least", "maximum", "minimum", "between")
_FORM_WORDS = (
    *("response_format", "response format", "json_schema", "json schema", "json_object", "guided"),
    *("structured output", "structured_output", "grammar", "text.format"),
)
"""Words of a complaint about how the reply's form is asked for."""
_FORM_REFUSALS = (
    *_REFUSALS,
    *("must be", "must contain", "should be", "unavailable", "failed to", "cannot", "could not"),
    *("incompatible", "but got", "error parsing", "not implemented", "no endpoints"),
)
_PATH = re.compile(r"\w+(?:\.\w+)+")
"""A field inside another one, as ``output_config.effort``."""
_PLACE = re.compile(r"""["']loc["']: ?[\[(]([^\])]*)[\])]""")
"""Where a value is that does not pass, in the errors of servers that are made with pydantic."""
_LONGEST = 20_000
"""Characters of a complaint that are looked at."""
_SHOWN = 200
_ELSEWHERE = frozenset((401, 402, 403, 407, 408, 409, 425, 429, 503, 504, 524))
"""Error statuses that speak of access, credit, load or time, and of no parameter."""
_ERROR, _SERVER_ERROR = 400, 500


def reasons(name: str) -> bool:
    """Whether OpenAI's name of a model says that it reasons before it replies.

    Such models take no temperature, and their reply limit has to hold their reasoning too.
    """
    return _REASONING.search(name) is not None


def form_of(wanted: Structured, refused_names: frozenset[str], *, both: bool = True) -> str | None:
    """The best way to ask for a reply's form that is not refused; None for words alone.

    Args:
        wanted: How it is asked for where nothing is refused.
        refused_names: What the model is known to refuse.
        both: Whether "any object" may be sent with a schema, as small servers take it.
    """
    forms = (text for text in FORMS[wanted] if both or "+" not in text)
    return next((form for form in forms if form not in refused_names), None)


class Refusals:
    """What models at servers refuse, as the calls of a run learn it.

    Args:
        known: What earlier sessions of the run have learned, as in `known`.
        negotiates: Whether a reply's form may be asked for in another way than the one set.
        say: Told of what is learned.

    Attributes:
        known: Names of what is refused, by model and server; grows.
    """

    def __init__(
        self,
        known: Mapping[str, Sequence[str]] | None = None,
        *,
        negotiates: bool = True,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.known = {which: tuple(names) for which, names in (known or {}).items()}
        self.negotiates, self._say = negotiates, say

    def of(self, model: str, place: str) -> frozenset[str]:
        """What a model at a server is known to refuse."""
        return frozenset(self.known.get(f"{model} at {place}", ()))

    def add(self, model: str, place: str, name: str, *, told: str) -> None:
        """Take note of a refusal, and say so once.

        Raises:
            StopError: It is the form of replies, and no other one may be asked for.
        """
        which, told = f"{model} at {place}", without_secrets(told)[:_SHOWN]
        is_form = name == OUTPUT or any(name in forms for forms in FORMS.values())
        if is_form and not self.negotiates:
            raise StopError(
                f"{which} refuses replies in the form that the setting `structured` asks for "
                f"({name}): {told}; set it to auto, or to another form"
            )
        names = self.known.get(which, ())
        if name not in names:
            self.known[which] = (*names, name)
            self._say(f"{which} refuses {name} ({told}); it is left out from now on")


def merged(each: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, tuple[str, ...]]:
    """What several processes have learned, together."""
    text_groups: dict[str, tuple[str, ...]] = {}
    for texts in each:
        for which, names in texts.items():
            text_groups[which] = tuple(dict.fromkeys((*text_groups.get(which, ()), *names)))
    return text_groups


@dataclass
class _First:
    """A call that finds out for others what is refused."""

    since: float = field(default_factory=time.monotonic)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def left(self) -> float:
        """Seconds for which others wait."""
        return self.since + SETTLED - time.monotonic()


class Negotiation:
    """What to send beside the messages, as each model at one server takes it.

    Args:
        limits: Names of the reply limit, of which a server takes one.
        place: The server.
        refusals: What is known in the run; nothing if not given.
    """

    def __init__(
        self, limits: tuple[str, ...], *, place: str = "", refusals: Refusals | None = None
    ) -> None:
        self._limits, self._place, self._run = limits, place, refusals or Refusals()
        self._first: dict[str, _First] = {}
        self._taken: dict[str, set[str]] = {}

    def refused_by(self, model: str) -> frozenset[str]:
        """What a model is known to refuse."""
        return self._run.of(model, self._place)

    @asynccontextmanager
    async def turn(
        self, model: str, make: Callable[[frozenset[str]], Parameters]
    ) -> AsyncIterator[Parameters]:
        """What to send with a call.

        Where something is to be sent that the model has not been seen to take, one call goes first
        and the others wait for what becomes of it, for some seconds at most: so a refusal is met
        once, however many calls begin together.

        Args:
            model: The model.
            make: Makes the parameters, from what the model is known to refuse.
        """
        taken = self._taken.setdefault(model, set())
        while True:
            sent = make(self.refused_by(model))
            kinds = {f"{name} {value}" if name == "response_format" else name
                     for name, value in sent.items()}  # fmt: skip
            first = self._first.get(model)
            if kinds <= taken or (first is not None and first.left <= 0):
                yield sent
                taken |= kinds
                return
            if first is None:
                break
            with suppress(TimeoutError):
                await asyncio.wait_for(first.over.wait(), first.left)
        self._first[model] = first = _First()
        try:
            yield sent
            taken |= kinds
        finally:
            del self._first[model]
            first.over.set()

    async def ask(
        self,
        model: str,
        make: Callable[[frozenset[str]], Parameters],
        send: Callable[[Parameters], Awaitable[Completion]],
    ) -> Completion:
        """Ask once; ask again at once only to leave out what the model refuses.

        Args:
            model: The model.
            make: As in `turn`.
            send: Sends the request with these parameters.

        Raises:
            ProviderError, StopError: As `send`, or as `learn`.
        """
        while True:
            try:
                async with self.turn(model, make) as sent:
                    return await send(sent)
            except ProviderError as error:
                if not self.learn(model, error, sent):
                    raise

    def learn(self, model: str, error: ProviderError, sent: Parameters) -> bool:
        """Take note of what an error complains of; whether the request may be sent without it.

        Args:
            model: The model.
            error: What the server said, and its status.
            sent: What was sent beside the messages.

        Raises:
            StopError: The form of replies is refused, and no other one may be asked for.
        """
        status, message = error.status or 0, str(error)
        if status < _ERROR or status in _ELSEWHERE:
            return False
        name = self._unwanted(message[:_LONGEST].lower().replace("\\", ""), sent, status)
        if name is not None:
            self._run.add(model, self._place, name, told=message)
        return name is not None

    def _unwanted(self, text: str, sent: Parameters, status: int) -> str | None:
        if any(word in text for word in _OUT_OF_RANGE):
            return None  # a value out of range is not mended by leaving the parameter out
        form = sent.get("response_format")
        places = [re.findall(r"\w+", value) for value in _PLACE.findall(text)]
        if places:  # whatever else stands there may be the request, repeated
            fields = {name for place in places for name in place}
            if form is not None and "response_format" in fields:
                return str(form)
            refused = any(word in text for word in _REFUSALS)
            return next((name for name in sent if refused and name in fields), None)
        name = self._named(text, sent, status)
        about = min((text.find(word) for word in _FORM_WORDS if word in text), default=None)
        if form is not None and about is not None:
            first = name in (None, "response_format") or about <= text.find(str(name))
            if first and any(word in text for word in _FORM_REFUSALS):
                return str(form)
        return None if name == "response_format" else name

    def _named(self, text: str, sent: Parameters, status: int) -> str | None:
        """The parameter that words name; in those of a broken server it has to be quoted."""
        if not any(word in text for word in _REFUSALS):
            return None
        if status >= _SERVER_ERROR:
            quoted = set(re.findall(r"""["'`](\w+)["'`]""", text))
            sent = {name: value for name, value in sent.items() if name in quoted}
        for path in _PATH.findall(text):
            for name in reversed(path.split(".")):  # the innermost is the one complained of
                if name in sent:
                    return str(name)
        for name in sorted(sent, key=len, reverse=True):  # the longer limit's name holds the other
            # "use 'max_tokens' instead" names two: the one complained of comes first.
            others = [text.find(other) for other in self._limits if other in text]
            if name in text and (name not in self._limits or text.find(name) == min(others)):
                return name
        return None
