"""Parameters that models refuse: known by name, or learned from their first refusal."""

from __future__ import annotations

import re

from reviewscore.schema.call import Parameters

_REASONING = re.compile(r"(^|/)(o\d|gpt-[5-9])(?!.*chat)")
_REFUSALS = (
    *("unsupported", "not supported", "does not support", "doesn't support", "unknown", "invalid"),
    *("unrecognized", "unexpected", "not permitted", "not allowed", "not available", "extra"),
    "deprecated",
)
"""Words of a 400 that refuses a parameter rather than its value."""
_OUT_OF_RANGE = ("too large", "too small", "at most", "at least", "maximum", "minimum", "between")
_PATH = re.compile(r"\w+(?:\.\w+)+")
"""A field inside another one, as ``output_config.effort``."""
_FORMS = {"json_schema": ("json_schema", "guided"), "json_object": ("json_object",)}


def reasons(name: str) -> bool:
    """Whether OpenAI's name of a model says that it reasons before it replies.

    Such models take no temperature, and their reply limit has to hold their reasoning too.
    """
    return _REASONING.search(name) is not None


class Refused:
    """What each model has refused.

    Args:
        limits: Names of the reply limit, of which a server takes one.
    """

    def __init__(self, limits: tuple[str, ...]) -> None:
        self._limits = limits
        self._refused: dict[str, set[str]] = {}

    def of(self, model: str) -> frozenset[str]:
        """What a model is known to refuse."""
        return frozenset(self._refused.get(model, ()))

    def learn(self, model: str, message: str, sent: Parameters) -> bool:
        """Take note of what a 400 complains of; whether the request may be sent without it."""
        name = self._unwanted(message, sent)
        if name is not None:
            self._refused.setdefault(model, set()).add(name)
        return name is not None

    def _unwanted(self, message: str, sent: Parameters) -> str | None:
        lowered = message.lower()
        if not any(word in lowered for word in _REFUSALS) or any(
            word in lowered for word in _OUT_OF_RANGE
        ):
            return None  # a value out of range is not mended by leaving the parameter out
        form = sent.get("response_format")
        if isinstance(form, str) and any(word in lowered for word in _FORMS.get(form, ())):
            return form
        for path in _PATH.findall(lowered):
            for name in reversed(path.split(".")):  # the innermost is the one complained of
                if name in sent:
                    return str(name)
        for name in sorted(sent, key=len, reverse=True):  # the longer limit's name holds the other
            # "use 'max_tokens' instead" names two: the one complained of comes first.
            others = [lowered.find(other) for other in self._limits if other in lowered]
            if name in lowered and (name not in self._limits or lowered.find(name) == min(others)):
                return name
        return None
