"""A venue whose source a test changes, synced and audited day by day."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from reviewscore.config import Resolved, resolve
from reviewscore.period.audit import venue_audit
from reviewscore.period.sync import sync
from reviewscore.period.venue import VenueFolder
from reviewscore.runs.audit import audit
from reviewscore.runs.folder import read_points
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.session import Outcome
from reviewscore.schema.point_score import PointScore
from tests.conftest import PAPER
from tests.loopback import Loopback, schema_name
from tests.runs.conftest import write_lines

DENSE = "The writing is dense and hard to follow in most places."
COUNTRY = "The counter is tested in one country only, so its use elsewhere is open."
COUNTRIES = "The counter is tested in one country only, so its use in the tropics is open."
LAYERS = "The gain is unexplained because no part of the network is ever removed."
RATE = "What learning rate is used to train the convolutional network with Adam?"
_FIRST = datetime(2026, 5, 1, 10, tzinfo=UTC)


def listed(*points: str) -> str:
    return "\n".join(f"- {point}" for point in points)


def audit_venue(path: Path, resolved: Resolved, **how: bool) -> Outcome[Manifest]:
    """Judge what changed in a venue, as `reviewscore audit` and `rs.audit` do, without a report."""
    with venue_audit(path, resolved, accept_changed=how.get("accept_changed", False)) as step:
        kept = step.kept_in(step.out, resolved.settings)
        outcome = audit(step.collection, step.out, resolved, data=step.venue.data, kept=kept, **how)
        step.settle()
    return outcome


class MovingVenue:
    """A source of one paper and two reviews, and the venue folder that is kept in step with it."""

    def __init__(self, folder: Path, server: Loopback | None = None, **flags: object) -> None:
        self.source, self.path, self.server = folder / "source", folder / "venue", server
        self.source.mkdir()
        self.flags: dict[str, object] = {"points": "rules", **flags}
        if server is not None:
            self.flags |= {"model": "openai/loopback", "base_url": server.url}
        self.papers = {"frogs": {"paper_id": "frogs", "title": "Frogs", "text": PAPER}}
        self.reviews: dict[str, dict[str, object]] = {}
        self.days = 0
        self.write("r1", weaknesses=listed(LAYERS, COUNTRY, DENSE))
        self.write("r2", weaknesses=listed("No statistical test is reported."), questions=RATE)

    def write(self, review: str, **boxes: str) -> None:
        """What a review says from the next sync on."""
        held = self.reviews.get(review, {"review_id": review, "paper_id": "frogs"})
        self.reviews[review] = {**held, "sections": boxes}

    def sync(self) -> None:
        """A day later, the venue is brought to the state of its source."""
        write_lines(self.source / "papers.jsonl", list(self.papers.values()))
        write_lines(self.source / "reviews.jsonl", list(self.reviews.values()))
        sync(self.source, self.path, now=_FIRST + timedelta(days=self.days), yes=True)
        self.days += 1

    def audit(self, **flags: object) -> Outcome[Manifest]:
        """What changed is judged."""
        return audit_venue(self.path, resolve({**self.flags, **flags}))

    def next_day(self, **flags: object) -> Outcome[Manifest]:
        """A sync and an audit."""
        self.sync()
        return self.audit(**flags)

    def asked(self) -> Counter[str]:
        """What was asked since the last time, by the record of the reply."""
        assert self.server is not None
        found = Counter(schema_name(body) for body in self.server.bodies)
        self.server.bodies.clear()
        return found

    @property
    def folder(self) -> VenueFolder:
        return VenueFolder(self.path)

    @property
    def points(self) -> dict[str, PointScore]:
        """The scores by the words of their points."""
        return {score.text: score for score in read_points(self.path / "run")}

    def lines(self, name: str) -> list[dict[str, object]]:
        """The records of a file of the venue folder."""
        file = self.path / name
        return [*map(json.loads, file.read_text().splitlines())] if file.is_file() else []
