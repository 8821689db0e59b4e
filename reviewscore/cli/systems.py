"""``--system NAME=FILE``: reviews of other systems, from files of their own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reviewscore.errors import SettingsError


def named_files(texts: Iterable[str]) -> list[tuple[str, Path]]:
    """Names of systems and files of their reviews.

    Raises:
        SettingsError: A text is not NAME=FILE, a name comes twice, or it is that of people, whose
            reviews are the references.
    """
    from reviewscore.sources.system_reviews import PEOPLE

    found: dict[str, Path] = {}
    for text in texts:
        name, _, file = (part.strip() for part in text.partition("="))
        if not name or not file:
            raise SettingsError(f"--system: write NAME=FILE, not '{text}'")
        if name == PEOPLE:
            raise SettingsError(
                f"--system: '{PEOPLE}' are the reviewers in DATA; name it otherwise"
            )
        if name in found:
            raise SettingsError(f"--system: '{name}' is there twice; put its reviews into one file")
        found[name] = Path(file)
    return list(found.items())
