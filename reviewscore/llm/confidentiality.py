"""Whether papers and reviews may leave this machine, as their venue rules; the one place.

Models on this machine (loopback), the embedded judge and ``exchange:`` folders take nothing away.
Before any other model is asked, the venue's rule has to be known: from the setting
``confidentiality``, from the manifest of the run that is gone on with, or from the user, who is
asked at a terminal, once. ``local`` refuses, whatever else is set; and so does a rule that nobody
gives.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from reviewscore.addresses import host_of, is_loopback, several
from reviewscore.config import EMBEDDED, Settings, user_settings_file
from reviewscore.errors import ConfidentialityError, ReviewScoreError
from reviewscore.files import read_whole
from reviewscore.llm.provider import model_name, provider_class, provider_name
from reviewscore.notices import ask_once
from reviewscore.schema.confidentiality import ConfidentialityRule, Consent, Permission

_ANSWERED = "asked at the terminal"
_ON_LOOPBACK = ("ollama", "llamacpp")
"""Providers that reach no other machine unless an address names it."""
_ADDRESSED = ("openai", *_ON_LOOPBACK)
"""Providers that the setting `base_url` is the address of."""
_QUESTION = (
    "papers and reviews would leave this machine for {}. Many venues forbid that. local: they must "
    "stay here, and nothing is asked; provider: their venue allows it. The answer is kept with the "
    "run; REVIEWSCORE_CONFIDENTIALITY, or confidentiality in your settings.toml, answers for all "
    "runs"
)
_WAYS_OUT = (
    "take the embedded judge (--model lexical), a model on this machine (such as "
    "--model openai/NAME --base-url http://127.0.0.1:PORT/v1), or people (--model exchange:FOLDER)"
)


def rule_of(settings: Settings) -> ConfidentialityRule | None:
    """The rule that settings give; None if they give none."""
    if settings.confidentiality is None:
        return None
    return ConfidentialityRule(
        rule=settings.confidentiality, origin=settings.confidentiality_origin
    )


def kept_rule(manifest: Path) -> ConfidentialityRule | None:
    """The rule that the manifest of an earlier session holds; None if there is none.

    What is wrong with a manifest is said where it is read as a whole.
    """
    try:
        kept = json.loads(read_whole(manifest) or b"{}")
        return ConfidentialityRule.model_validate(kept["confidentiality"])
    except (ReviewScoreError, OSError, ValueError, KeyError, TypeError):
        return None


def with_kept(settings: Settings, kept: ConfidentialityRule | None) -> Settings:
    """The settings with the rule that an earlier session of a run has kept to."""
    if kept is None or (settings.confidentiality is not None and kept.rule != "local"):
        return settings
    if settings.confidentiality == "local":
        return settings
    return settings.with_confidentiality(kept.rule, kept.origin)


def settled(
    settings: Settings,
    models: Iterable[str] | None = None,
    *,
    servers: Mapping[str, str] | None = None,
) -> Settings:
    """The settings with the venue's rule, where texts would leave this machine; else as they are.

    Args:
        settings: Name models and may give the rule.
        models: Those that are asked; the settings' own if not given.
        servers: Models with their servers' addresses, where settings do not name them.

    Raises:
        ConfidentialityError: The rule forbids that texts leave this machine, or is not known.
        SettingsError: A model is unknown.
    """
    away = _away(settings, models, servers)
    if not away:
        return settings
    places = "; ".join(f"{model} ({_host(address)})" for model, address in away.items())
    rule = rule_of(settings) or _asked(_QUESTION.format(places))
    if rule is None:
        raise ConfidentialityError(
            f"papers and reviews would leave this machine for {places}, and nobody has said that "
            "their venue allows it. If it does, set REVIEWSCORE_CONFIDENTIALITY=provider, or "
            f'confidentiality = "provider" under [models] in {user_settings_file()}; if it does '
            f"not, {_WAYS_OUT}"
        )
    if rule.rule == "local":
        raise ConfidentialityError(
            f'papers and reviews may not leave this machine (confidentiality = "local", '
            f"{rule.origin}), and would go to {places}; no flag overrides that: {_WAYS_OUT}"
        )
    return settings.with_confidentiality(rule.rule, rule.origin)


def permission_of(
    settings: Settings,
    models: Iterable[str] | None = None,
    *,
    servers: Mapping[str, str] | None = None,
) -> Permission:
    """Which texts models may read, by where they take them; arguments as of `settled`.

    Raises:
        SettingsError: A model is unknown.
    """
    return Permission(bool(_away(settings, models, servers)), settings.consent)


def check_consent(permission: Permission, what: str, *declared: Consent | None) -> None:
    """Refuse a single text that models may not read.

    Args:
        permission: What they may read.
        what: The text, in words.
        declared: What was said of it.

    Raises:
        ConfidentialityError: They may not.
    """
    refused = permission.refusal(*declared)
    if refused is not None:
        where = "nobody" if refused == "none" else "models on this machine alone"
        cure = "leave it out" if refused == "none" else _WAYS_OUT
        raise ConfidentialityError(f"{what} may be judged by {where} (consent: {refused}): {cure}")


def _away(
    settings: Settings, models: Iterable[str] | None, servers: Mapping[str, str] | None
) -> dict[str, str]:
    """The models whose texts would leave this machine, each with where they would go."""
    if servers is not None:
        return {name: address for name, address in servers.items() if not is_loopback(address)}
    named = settings.models if models is None else models
    return _destinations((name for name in named if name != EMBEDDED), settings.base_url)


def _asked(question: str) -> ConfidentialityRule | None:
    """The rule that the user gives; None where nobody can be asked."""
    match ask_once(question):
        case "provider":
            return ConfidentialityRule(rule="provider", origin=_ANSWERED)
        case "local":
            return ConfidentialityRule(rule="local", origin=_ANSWERED)
        case _:
            return None


def _destinations(models: Iterable[str], base_url: str | None) -> dict[str, str]:
    """The models whose texts would leave this machine, each with where they would go."""
    places: dict[str, str] = {}
    for model in models:
        if provider_class(model).traits.records:
            continue
        addresses = _addresses(model, base_url)
        away = [address for address in addresses if not is_loopback(address)]
        if away or not (addresses or provider_name(model) in _ON_LOOPBACK):
            places[model] = away[0] if away else ""
    return places


def _addresses(model: str, base_url: str | None) -> tuple[str, ...]:
    """The addresses that are named for a model; none for what its provider itself decides."""
    name = provider_name(model)
    if name in _ADDRESSED:
        return several(base_url)
    if name == "anthropic":
        names = ["ANTHROPIC_BASE_URL"]
    elif name == "litellm":
        maker = model_name(model).partition("/")[0].upper()
        names = [f"{maker}_API_BASE", f"{maker}_BASE_URL"]
    else:
        names = []
    return tuple(address for variable in names if (address := os.environ.get(variable)))


def _host(address: str) -> str:
    return host_of(address) or "its provider"
