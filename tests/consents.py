"""Papers and reviews of three consents, whose words tell where they came from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from aiohttp import web

from tests.loopback import ANSWERS, Loopback, schema_name

OPEN, LOCAL, NONE = "zzopen", "zzlocal", "zznone"
"""Words that stand in every sentence of what any model may read, models here, or nobody."""
PLACES = ("pond", "marsh", "river", "garden", "forest")
SHARED = {"provider": OPEN, "local": LOCAL, "none": NONE}


def paper(paper_id: str, consent: str, **more: object) -> dict[str, object]:
    """A paper whose own consent is given, in words that tell it."""
    word = SHARED[consent]
    body = " ".join(
        f"The {word} counter number {n} hears the {word} frogs of pond {n} at night and counts."
        for n in range(30)
    )
    return {
        "paper_id": paper_id,
        "title": f"Counting {word} frogs",
        "abstract": f"We count {word} frogs at night.",
        "text": f"1 Introduction\n\n{body}\n\n2 Results\n\nThe {word} counter errs by two.",
        "year": 2024,
        "consent": consent,
        **more,
    }


def review(paper_id: str, number: int, counts: str, **more: object) -> dict[str, object]:
    """A review of a paper; its words tell which consent counts for it."""
    word, place = SHARED[counts], PLACES[number - 1]
    return {
        "review_id": f"{paper_id}-R{number}",
        "paper_id": paper_id,
        "reviewer": f"R{number}",
        "sections": {
            "strengths": f"- The {word} frogs of the {place} suit {word} counters well.",
            "weaknesses": f"- The {word} gain in the {place} is open because no part is removed.\n"
            f"- The {word} counter is tested in one {word} {place} only.",
            "questions": f"- How many {word} frogs were counted in each {word} {place} at night?",
        },
        **more,
    }


def venue(folder: Path, *, declared: bool = True) -> Path:
    """A folder of two open papers, one for this machine only, and one that nobody may judge.

    The reviews of the open papers are open, but one of each other consent.
    """
    folder.mkdir(parents=True)
    papers = [paper("a", "provider"), paper("e", "provider"), paper("b", "local"),
              paper("c", "none")]  # fmt: skip
    reviews = [
        *(review("a", n, "provider") for n in (1, 2, 3)),
        review("a", 4, "local", consent="local"),
        review("a", 5, "none", consent="none"),
        *(review("e", n, "provider") for n in (1, 2, 3)),
        review("b", 1, "local"),
        review("b", 2, "local", consent="provider"),
        review("c", 1, "none"),
        review("c", 2, "none", consent="local"),
    ]
    for name, rows in (("papers", papers), ("reviews", reviews)):
        kept = rows if declared else [{k: v for k, v in row.items() if k != "consent"}
                                      for row in rows]  # fmt: skip
        lines = "".join(f"{json.dumps(row)}\n" for row in kept)
        (folder / f"{name}.jsonl").write_text(lines, "utf-8")
    return folder


def refuse_unknown(body: Mapping[str, object], _seen: int) -> web.Response | None:
    """An answer that is not tried again, to what the scripted model does not know."""
    try:
        if schema_name(dict(body)) in ANSWERS:
            return None
    except IndexError:
        pass
    return web.json_response({"error": {"message": "not known"}}, status=400)


def sent(server: Loopback) -> str:
    """All that a server was asked."""
    return json.dumps(server.bodies)


def elsewhere(monkeypatch: pytest.MonkeyPatch, *urls: str) -> None:
    """Let servers of a test stand for those of a provider; their venue allows that."""
    import reviewscore.llm.confidentiality as gate

    here: Callable[[str], bool] = gate.is_loopback
    monkeypatch.setattr(gate, "is_loopback", lambda url: here(url) and url not in urls)
    monkeypatch.setenv("REVIEWSCORE_CONFIDENTIALITY", "provider")
