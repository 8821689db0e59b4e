"""Who can judge on this machine: the embedded finder, model servers that answer, keys found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from reviewscore.config import EMBEDDED, Resolved, Settings, resolve
from reviewscore.llm.confidentiality import permission_of
from reviewscore.llm.local_servers import LocalServer, answering
from reviewscore.llm.prices import price_list
from reviewscore.llm.provider import EXCHANGE, provider_class

OTHER = "other"
"""The choice of a model that is typed."""
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""Variables of keys that are named where they are set; what they hold is never looked at."""
_MOST_OF_A_SERVER = 30


@dataclass(frozen=True)
class JudgeChoice:
    """A judge that can be chosen.

    Attributes:
        name: What a form calls it.
        words: What people call it.
        model: As ``--model`` takes it.
        base_url: Its server's address, where it has to be named.
    """

    name: str
    words: str
    model: str
    base_url: str | None = None


@dataclass(frozen=True)
class JudgesHere:
    """What this machine has.

    Attributes:
        choices: Judges, the embedded one first.
        keys: Providers of whose keys the environment has one, each with its variable's name.
        suggested: Models of these providers whose price is known.
    """

    choices: tuple[JudgeChoice, ...]
    keys: dict[str, str]
    suggested: tuple[str, ...]

    def chosen(self, form: Mapping[str, object]) -> tuple[str, str | None]:
        """The model of a form and its server's address; the embedded judge where it says nothing.

        A model that waits for people's replies in a folder is none that can be chosen here.
        """
        name = form.get("judge", "")
        if name == OTHER:
            model = str(form.get("model", "")).strip()
            model = "" if model.startswith(EXCHANGE) else model
            return model, str(form.get("base_url", "")).strip() or None
        found = next((one for one in self.choices if one.name == name), self.choices[0])
        return found.model, found.base_url


def judges_here() -> JudgesHere:
    """Looks which judges there are; nothing but this machine is asked."""
    choices = [
        JudgeChoice(
            EMBEDDED, "Embedded: finds passages to read, without a model, at no cost", EMBEDDED
        )
    ]
    own = resolve({}).settings
    if own.model not in (EMBEDDED, "") and not own.model.startswith(EXCHANGE):
        words = f"{own.model} (your own setting)"
        choices.append(JudgeChoice(f"{own.model} (own)", words, own.model))
    choices += [choice for server in answering() for choice in _of_server(server)]
    keys = {name: variable for name, variable in _KEYS.items() if os.environ.get(variable)}
    priced = price_list(own.prices).models
    suggested = tuple(
        f"{name}/{model}"
        for name in keys
        for model in priced
        if model.startswith(tuple(provider_class(f"{name}/any").models))
    )
    return JudgesHere(tuple(choices), keys, suggested)


def _of_server(server: LocalServer) -> list[JudgeChoice]:
    _, form, *address = server.model.split()  # --model PROVIDER/NAME [--base-url ADDRESS]
    base_url = address[1] if address else None
    return [
        JudgeChoice(
            f"{form.replace('NAME', name)} {base_url or ''}".strip(),
            f"{name} ({server.kind} on this machine)",
            form.replace("NAME", name),
            base_url,
        )
        for name in server.models[:_MOST_OF_A_SERVER]
    ]


def resolved_of(model: str, base_url: str | None, **more: object) -> Resolved:
    """The settings by which a chosen judge is asked.

    Raises:
        SettingsError: There is no such model, or a setting is impossible.
    """
    resolved = resolve({"model": model, "base_url": base_url, **more})
    for name in resolved.settings.models:
        if name != EMBEDDED:
            provider_class(name)
    return resolved


def leaves_unasked(settings: Settings) -> bool:
    """Whether texts would leave this machine, and nobody has said whether they may."""
    return permission_of(settings).leaves and settings.confidentiality is None
