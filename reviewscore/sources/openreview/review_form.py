"""The form of a venue's reviews as the server defines it: its boxes, and its scales with words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from reviewscore.errors import InputError, StopError
from reviewscore.files import write_whole
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.sources.openreview.notes import nameless
from reviewscore.sources.openreview.server import Server
from reviewscore.sources.openreview.threads import Thread


def keep_form(
    threads: Iterable[Thread],
    file: Path,
    *,
    say: Callable[[str], None],
    server: Callable[[int], Server],
) -> None:
    """Keep the definition of the form beside the reviews, once; nothing else waits for it.

    Args:
        threads: Forums of the venue; the first review names its invitation.
        file: Where it is kept.
        say: Told if it cannot be had now.
        server: Opens a host, 1 or 2.
    """
    note = next((one.note for thread in threads for one in thread.reviews), None)
    if note is None or file.is_file():
        return
    of_venue = f"{note.venue}/-/{note.invitation.rpartition('/-/')[2]}"
    found: dict[str, object] = {}
    try:
        for name in dict.fromkeys((note.invitation, of_venue)):
            content = _content(server(note.api), name)
            if content:
                found = {"invitation": name, "content": nameless(content)}
                break
    except StopError as error:
        say(f"the definition of the review form could not be had: {error}")
        return
    write_whole(file, json.dumps(without_surrogates(found), indent=1, ensure_ascii=False) + "\n")


def _content(host: Server, name: str) -> Mapping[str, object] | None:
    """The boxes that an invitation asks for; None if it may not be seen."""
    try:
        some = host.get("/invitations", {"id": name}).get("invitations")
    except InputError:
        return None
    found: object = some[0] if isinstance(some, list) and some else None
    for path in (("edit", "note", "content"), ("reply", "content")):  # of API 2 and 1
        at = found
        for step in path:
            at = at.get(step) if isinstance(at, Mapping) else None
        if isinstance(at, Mapping):
            return at
    return None
