"""An audit of a venue that is killed or interrupted anywhere comes to the same end."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewscore.period.verify import verify
from reviewscore.runs.folder import read_manifest
from tests.loopback import Loopback
from tests.period.moving_venue import COUNTRIES, DENSE, LAYERS, RATE, MovingVenue, listed


class Killed(BaseException):
    """As a kill: nothing catches it."""


def moved(folder: Path, server: Loopback | None = None, **flags: object) -> MovingVenue:
    """A venue whose reviews were edited and withdrawn since it was audited."""
    folder.mkdir(exist_ok=True)
    venue = MovingVenue(folder, server, **flags)
    venue.write("r3", weaknesses=listed("It will be withdrawn soon."))
    venue.next_day()
    venue.write("r1", weaknesses=listed("New words stand at the head.", LAYERS, COUNTRIES))
    venue.sync()
    del venue.reviews["r3"]
    venue.write("r2", weaknesses=listed("No statistical test is reported."))
    venue.sync()
    return venue


def end_of(venue: MovingVenue) -> dict[str, object]:
    """All that an audit leaves, whatever the order of its points."""
    run = venue.path / "run"
    manifest = read_manifest(run)
    kept = {"decisive", "counts", "complete", "growing", "inputs"}
    files = ("edits.jsonl", "syncs/0002/retired.jsonl", "syncs/0003/retired.jsonl")
    return {
        "points": sorted((run / "points.jsonl").read_bytes().splitlines()),
        "manifest": manifest.model_dump(include=kept),
        "judged": venue.folder.record.judged,
        **{name: (venue.path / name).read_bytes() for name in files},
    }


@pytest.fixture
def killing(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Kills at the file that is put into place when the number here comes down to 0."""
    left, replace = [10**6], Path.replace

    def put(self: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", put)
    yield left
    left[0] = 10**6


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files left open
def test_a_kill_before_any_file_is_put_into_place_is_taken_up_again(
    tmp_path: Path, killing: list[int]
) -> None:
    venue = moved(tmp_path)
    before = Path(shutil.copytree(venue.path, tmp_path / "before"))
    venue.audit()
    wanted, number, kills = end_of(venue), 0, 0
    assert wanted["judged"] == 3
    assert {score.text for score in venue.points.values()} >= {LAYERS, COUNTRIES}
    assert not {score.text for score in venue.points.values()} & {DENSE, RATE}

    while True:
        shutil.rmtree(venue.path)
        shutil.copytree(before, venue.path)
        killing[0] = number
        try:
            venue.audit()
        except Killed:
            kills += 1
        else:
            break
        killing[0] = 10**6
        venue.audit()
        assert end_of(venue) == wanted, f"killed at file {number}"
        assert verify(venue.path).holds, f"killed at file {number}"
        number += 1
    assert kills > 12


@pytest.mark.parametrize("points", ["rules", "auto"])
def test_an_interruption_in_the_middle_of_judging_comes_to_the_same_end(
    tmp_path: Path, server: Loopback, points: str
) -> None:
    flags = {"protocol": "presupposition", "points": points, "max_connections": 1}
    whole = moved(tmp_path / "whole", server, **flags)
    whole.audit()
    wanted = end_of(whole)
    for number in (1, 2):
        venue = moved(tmp_path / str(number), server, **flags, cache=False)
        server.bodies.clear()
        server.interrupt_at(number)
        stopped = venue.audit()
        server.quirk = None
        assert stopped.interrupted
        venue.audit()
        assert venue.audit().new == 0
        got = end_of(venue)
        assert got["points"] == wanted["points"]
        assert got["edits.jsonl"] == wanted["edits.jsonl"]
