"""A budget of alarms: never more than it holds, never twice, never lost."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st

from reviewscore.errors import RunFolderError
from reviewscore.files import hash_file
from reviewscore.period.budget import PUSHED, pusher, read_pushed
from reviewscore.period.ranking import rank_flags
from reviewscore.period.venue import VenueRecord
from tests.commands import invoker
from tests.report.synthetic import model_points
from tests.report.venues import venue_points, venue_run

POINTS = venue_points(6, rate=0.5)
RANKED = [one.point.point_id for one in rank_flags(POINTS)]
MONDAY, TUESDAY = date(2026, 5, 4), date(2026, 5, 5)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return venue_run(tmp_path / "run", POINTS)


def test_the_flags_of_highest_rank_are_pushed_and_no_more_than_the_budget_holds(run: Path) -> None:
    assert pusher(run, 3, MONDAY)("anna", POINTS).flags == frozenset(RANKED[:3])


def test_the_same_day_again_gives_the_same_flags(run: Path) -> None:
    first = pusher(run, 3, MONDAY)("anna", POINTS)
    before = (run / PUSHED).read_bytes()

    assert pusher(run, 3, MONDAY)("anna", POINTS) == first
    assert (run / PUSHED).read_bytes() == before


def test_the_next_day_gives_the_next_flags_and_none_twice(run: Path) -> None:
    pusher(run, 3, MONDAY)("anna", POINTS)

    tuesday = pusher(run, 3, TUESDAY)("anna", POINTS)
    assert tuesday.flags == frozenset(RANKED[3:6])
    assert tuesday.before == frozenset(RANKED[:3])
    assert pusher(run, 3, MONDAY)("anna", POINTS).flags == frozenset(RANKED[:3])


def test_each_person_has_a_budget_of_their_own(run: Path) -> None:
    pushed = pusher(run, 2, MONDAY)

    assert pushed("anna", POINTS) == pushed("bela", POINTS)
    assert pushed("bela", POINTS).flags == frozenset(RANKED[:2])


def test_a_flag_that_came_later_on_the_day_fills_what_is_left_of_the_budget(run: Path) -> None:
    flags = {point.point_id: point for point in POINTS}
    early, late = flags[RANKED[4]], flags[RANKED[0]]
    pusher(run, 2, MONDAY)("anna", [early])

    both = pusher(run, 2, MONDAY)("anna", [early, late, flags[RANKED[1]]])

    assert both.flags == {RANKED[4], RANKED[0]}


def test_a_budget_of_nought_pushes_nothing(run: Path) -> None:
    assert pusher(run, 0, MONDAY)("anna", POINTS).flags == frozenset()
    assert not (run / PUSHED).exists()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), max_size=12))
@few(max_examples=25, deadline=None)
def test_over_any_days_nobody_gets_more_than_the_budget_or_a_flag_twice(
    tmp_path_factory: pytest.TempPathFactory, days: list[tuple[str, int]]
) -> None:
    run = venue_run(tmp_path_factory.mktemp("venue") / "run", POINTS)
    for person, day in days:
        pusher(run, 2, date(2026, 5, day))(person, POINTS)

    entries = [(one.person, one.point_id, one.day) for one in read_pushed(run)]
    per_day = [(person, day) for person, _, day in entries]

    assert len({entry[:2] for entry in entries}) == len(entries)
    assert all(per_day.count(one) <= 2 for one in per_day)


def test_a_half_written_line_is_no_push_and_spoils_no_other(run: Path) -> None:
    pusher(run, 1, MONDAY)("anna", POINTS)
    with (run / PUSHED).open("ab") as file:
        file.write(b'{"schema":"reviewscore.pushed/1","person":"an')

    assert pusher(run, 2, MONDAY)("anna", POINTS).flags == frozenset(RANKED[:2])
    assert len([*read_pushed(run)]) == 2


def test_a_line_that_is_no_push_is_named_with_file_and_field(run: Path) -> None:
    (run / PUSHED).write_text('{"person": "anna", "point_id": "x", "day": "someday"}\n', "utf-8")

    with pytest.raises(RunFolderError, match=r"pushed\.jsonl:1: field 'day'"):
        pusher(run, 1, MONDAY)


def test_ratings_beside_the_run_decide_which_flag_comes_first(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    rows = [
        {"review_id": f"p{n}/r0", "paper_id": f"p{n}", "text": "Words.", "rating": rating}
        for n, rating in enumerate((1, 9, 5))
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (data / "reviews.jsonl").write_text(lines, "utf-8")
    papers = [{"paper_id": f"p{n}", "title": "T", "text": "Words."} for n in range(3)]
    (data / "papers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in papers), "utf-8")
    inputs = tuple(hash_file(data / f"{name}.jsonl") for name in ("papers", "reviews"))
    points = venue_points(3, reviews=1, points=3, rate=5.0)
    run = venue_run(tmp_path / "run", points, data=str(data), inputs=inputs)

    (pushed,) = pusher(run, 1, MONDAY)("anna", points).flags

    assert pushed.startswith("p2/")


def test_of_a_venue_its_own_folder_remembers_and_its_own_ratings_rank(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = VenueRecord(source="somewhere", kind="folder", made="2026-05-01T00:00:00+00:00")
    (tmp_path / "data").mkdir()
    (tmp_path / "venue.json").write_text(made.model_dump_json(), "utf-8")
    rows = [{"review_id": f"p{n}/r0", "paper_id": f"p{n}", "text": "Words.", "rating": rating}
            for n, rating in enumerate((1, 9, 5))]  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "data" / "reviews.jsonl").write_text(lines, "utf-8")
    venue_run(tmp_path / "run", venue_points(3, reviews=1, points=3, rate=5.0))

    words = ["--for", "meta-reviewer", "--budget", 1, "-o", tmp_path / "page.html"]
    ended = invoker("report", capsys)(tmp_path, *words)

    again = invoker("report", capsys)(tmp_path / "run", *words)
    monkeypatch.chdir(tmp_path / "run")
    once_more = invoker("report", capsys)(".", *words)

    assert (ended.exit_code, again.exit_code, once_more.exit_code) == (0, 0, 0)
    assert [one.point_id[:2] for one in read_pushed(tmp_path)] == ["p2"]
    assert not (tmp_path / "run" / PUSHED).exists()


def test_a_page_shows_the_flags_of_the_budget_and_folds_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = venue_run(tmp_path / "run", model_points())
    report, page = invoker("report", capsys), tmp_path / "page.html"
    flags = ["--for", "meta-reviewer", "--budget", "1", "--day", "2026-05-04", "-o", page]

    assert report(run, *flags).exit_code == 0
    text = page.read_text("utf-8")
    (pushed,) = read_pushed(run)
    shown, folded = text.split("<summary>On demand", 1)
    words = {point.point_id: point.text for point in model_points()}
    hidden = words["tides-r1#2" if pushed.point_id == "tides-r1#1" else "tides-r1#1"]

    assert (pushed.person, pushed.day) == ("meta-reviewer", "2026-05-04")
    assert words[pushed.point_id] in shown
    assert hidden not in shown
    assert hidden in folded
    assert shown.count("<details") == shown.count("</details>") + 1  # that of the folded part
    assert folded.count("</details>") == folded.count("<details") + 1


def test_a_page_without_a_budget_folds_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = venue_run(tmp_path / "run", model_points())
    page = tmp_path / "page.md"

    assert invoker("report", capsys)(run, "--for", "meta-reviewer", "-o", page).exit_code == 0
    assert "On demand" not in page.read_text("utf-8")
    assert not (run / PUSHED).exists()


@pytest.mark.parametrize("words", [["--budget", "2"], ["--for", "author", "--day", "2026-05-04"]])
def test_a_flag_that_would_have_no_effect_is_refused(
    run: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert invoker("report", capsys)(run, *words).exit_code == 2
