"""The settings as a ``reviewscore.toml`` that would give them, each with its origin."""

from __future__ import annotations

import json
from collections.abc import Iterator

from reviewscore.addresses import Plain, without_credentials
from reviewscore.config import TABLES, Resolved, user_settings_file

_WIDTH = 44
"""Columns before the origin."""


def config_lines(resolved: Resolved) -> Iterator[str]:
    """The settings, table by table; what is not set, or is for one run only, is a comment."""
    own = user_settings_file()
    yield f"# your own settings: {own}{'' if own.is_file() else ' (not there)'}"
    values: dict[str, Plain] = resolved.settings.model_dump(mode="json")
    shown = set()
    for table, keys in TABLES.items():
        yield f"[{table}]"
        for key, setting in keys.items():
            name, _, judge = setting.partition(".")
            shown.add(name)
            value = values[name]
            if judge:
                value = value.get(judge) if isinstance(value, dict) else None
            origin = resolved.origins[name] if not judge or value is not None else "default"
            yield _line(key, value, f"{origin}; REVIEWSCORE_{name.upper()}")
        yield ""
    yield "# of one run, by flag or variable:"
    for name, value in values.items():
        if name not in shown:
            origin = f"{resolved.origins[name]}; REVIEWSCORE_{name.upper()}"
            yield f"# {_line(name, value, origin).removeprefix('# ')}"


def _line(key: str, value: Plain, origin: str) -> str:
    if value is None:
        return f"{f'# {key} is not set':{_WIDTH}} # {origin}"
    told = json.dumps(without_credentials(value), ensure_ascii=False)
    return f"{f'{key} = {told}':{_WIDTH}} # {origin}"
