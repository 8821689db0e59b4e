"""The stop rule: a fair sample, what people say of it, and when delivery stops."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st

from reviewscore.errors import InputError, RunFolderError
from reviewscore.period.stop_rule import (
    COLUMNS,
    ENOUGH,
    JUDGED,
    SAMPLE,
    FlagPrecision,
    FlagSample,
    Said,
    StopDecision,
    draw_flags,
    precision_of,
    read_sample,
    settled,
    sheet_of,
    stop_decision,
    verdicts_of,
    write_sample,
)
from reviewscore.period.venue import VenueRecord
from reviewscore.schema.point_score import PointScore
from reviewscore.stats.estimates import Estimate
from tests.commands import Invoke, invoker
from tests.report.synthetic import lexical_points, manifest, model_points, write_run
from tests.report.venues import venue_points, venue_run, verdict

POINTS = venue_points(20, rate=0.5)
FLAGS = {point.point_id for point in POINTS if point.misinformed}


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("report", capsys)


def filled(file: Path, said: dict[str, str], who: str = "anna") -> Path:
    rows = "".join(f"{point},,,,,{what},{who}\n" for point, what in said.items())
    file.write_text(",".join(COLUMNS) + "\n" + rows, "utf-8")
    return file


def sample_of(papers: int, each: int = 1) -> FlagSample:
    flags = {f"p{n}/r0#{k}": f"p{n}" for n in range(papers) for k in range(each)}
    return FlagSample(seed=0, wanted=len(flags), of=1000, flags=flags)


def judged(sample: FlagSample, right: int) -> FlagPrecision:
    verdicts = {
        name: {"anna": Said.RIGHT if place < right else Said.WRONG}
        for place, name in enumerate(sample.flags)
    }
    return precision_of(sample, verdicts)


def test_a_sample_holds_flags_alone_and_as_many_as_were_asked_for() -> None:
    sample = draw_flags(POINTS, 10)

    assert len(sample.flags) == 10
    assert sample.flags.keys() <= FLAGS
    assert sample.of == len(FLAGS)
    assert draw_flags(POINTS, 10_000).flags.keys() == FLAGS


def test_the_same_seed_draws_the_same_flags_whatever_the_order_of_points() -> None:
    assert draw_flags(reversed(POINTS), 10) == draw_flags(POINTS, 10)
    assert draw_flags(POINTS, 10, seed=1).flags != draw_flags(POINTS, 10).flags


def test_a_larger_sample_holds_the_smaller_one() -> None:
    assert draw_flags(POINTS, 10).flags.items() <= draw_flags(POINTS, 20).flags.items()


def test_of_more_flags_no_flag_is_drawn_that_others_of_before_would_have_come_ahead_of() -> None:
    early = {point.point_id for point in POINTS[:120]}
    before, after = draw_flags(POINTS[:120], 15), draw_flags(POINTS, 15)

    assert after.flags.keys() & early <= before.flags.keys()


def test_every_flag_is_drawn_about_as_often() -> None:
    points = [verdict(f"p{n}/r0#1", None, misinformed=True) for n in range(10)]
    drawn = [name for seed in range(1000) for name in draw_flags(points, 3, seed=seed).flags]

    assert all(240 < drawn.count(point.point_id) < 360 for point in points)


def test_a_sheet_shows_the_point_and_the_papers_words_and_no_score(tmp_path: Path) -> None:
    points = model_points()
    rows = [*csv.DictReader(io.StringIO(sheet_of(draw_flags(points, 5), points)))]

    by_id = {row["point_id"]: row for row in rows}
    assert tuple(rows[0]) == COLUMNS
    assert by_id["tides-r1#1"]["text"] == "What learning rate was used?"
    assert "The learning rate is 0.003" in by_id["tides-r1#1"]["quotes"]
    assert "The rate was 0.1" not in by_id["tides-r1#1"]["quotes"]  # not in the paper
    assert {(row["verdict"], row["who"]) for row in rows} == {("", "")}


def test_no_cell_is_a_formula_and_ids_are_read_again_without_their_guard(tmp_path: Path) -> None:
    point = verdict("-HH/r0#1", None, misinformed=True, text="=HYPERLINK(1)")
    sheet = sheet_of(draw_flags([point], 1), [point])
    file = tmp_path / "flags.csv"
    file.write_text(sheet.replace(",,\n", ",right,=anna\n"), "utf-8")

    assert "'=HYPERLINK" in sheet
    assert "'-HH/r0#1" in sheet
    assert verdicts_of([file]) == {"-HH/r0#1": {"=anna": Said.RIGHT}}


def test_two_people_who_differ_count_for_nothing_and_are_named(tmp_path: Path) -> None:
    sample = sample_of(3)
    names = list(sample.flags)
    files = [
        filled(tmp_path / "a.csv", {names[0]: "right", names[1]: "Right ", names[2]: "unsure"}),
        filled(tmp_path / "b.csv", {names[0]: "wrong", names[1]: "unsure", names[2]: ""}, "bela"),
    ]

    together = settled(sample, verdicts_of(files))
    found = precision_of(sample, verdicts_of(files))

    assert together == {names[0]: None, names[1]: Said.RIGHT, names[2]: Said.UNSURE}
    assert (found.right, found.wrong, found.unsure, found.left) == (1, 0, 1, 0)
    assert found.differing == (names[0],)
    assert found.precision.n == 1
    assert names[0] in found.words


def test_flags_outside_the_sample_are_a_review_and_count_in_no_rate(tmp_path: Path) -> None:
    sample = sample_of(2)
    file = filled(tmp_path / "a.csv", {"p0/r0#0": "right", "p9/r0#0": "wrong", "other": "wrong"})

    found = precision_of(sample, verdicts_of([file]))

    assert (found.precision.value, found.precision.n, found.outside, found.left) == (1.0, 1, 2, 1)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("x,,,,,perhaps,anna", r"flags\.csv:2: field 'verdict'.*perhaps"),
        (",,,,,right,anna", r"flags\.csv:2: field 'point_id'"),
        ("x,,,,,right,anna\nx,,,,,wrong,anna", r"flags\.csv:3: field 'verdict'.*anna said 'right'"),
    ],
)
def test_a_verdict_that_cannot_be_read_is_named_with_file_line_and_field(
    tmp_path: Path, row: str, problem: str
) -> None:
    file = tmp_path / "flags.csv"
    file.write_text(",".join(COLUMNS) + f"\n{row}\n", "utf-8")

    with pytest.raises(InputError, match=problem):
        verdicts_of([file])


def test_whoever_gives_no_name_is_called_by_the_file(tmp_path: Path) -> None:
    assert verdicts_of([filled(tmp_path / "bela.csv", {"x": "right"}, "")]) == {
        "x": {"bela": Said.RIGHT}
    }


def test_points_of_one_paper_do_not_count_as_independent() -> None:
    alike, apart = judged(sample_of(4, 10), 20).precision, judged(sample_of(40), 20).precision

    assert alike.value == apart.value == 0.5
    assert None not in (alike.low, alike.high, apart.low, apart.high)
    assert alike.high - alike.low > apart.high - apart.low  # type: ignore[operator]


def measured(value: float | None, n: int, high: float | None, papers: int = 10) -> FlagPrecision:
    estimate = Estimate(coefficient="precision", value=value, low=0.0, high=high, n=n)
    return FlagPrecision(
        precision=estimate, papers=papers, right=0, wrong=0, unsure=0, differing=(), left=0,
        outside=0, of=100,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("found", "decision"),
    [
        (measured(None, 0, None), StopDecision.UNKNOWN),
        (measured(0.1, 9, 0.3), StopDecision.UNKNOWN),
        (measured(0.1, 10, 0.3), StopDecision.STOP),
        (measured(0.1, 10, 0.3, papers=4), StopDecision.UNKNOWN),
        (measured(0.5, 19, 0.7), StopDecision.UNKNOWN),
        (measured(0.9, 19, 1.0), StopDecision.UNKNOWN),
        (measured(0.59, 20, 0.8), StopDecision.STOP),
        (measured(0.6, 20, 0.8), StopDecision.GO_ON),
        (measured(0.5, 20, None, papers=1), StopDecision.STOP),
    ],
)
def test_delivery_stops_below_the_threshold_and_not_before_enough_is_known(
    found: FlagPrecision, decision: StopDecision
) -> None:
    assert stop_decision(found, 0.6) is decision


@given(st.integers(0, 30), st.floats(0, 1), st.floats(0, 1))
@few(max_examples=30, deadline=None)
def test_a_higher_threshold_never_lets_delivery_go_on_that_a_lower_one_stops(
    right: int, one: float, other: float
) -> None:
    found = judged(sample_of(30), right)
    low, high = sorted((one, other))

    if stop_decision(found, low) is StopDecision.STOP:
        assert stop_decision(found, high) is StopDecision.STOP


def test_one_person_who_calls_all_flags_right_does_not_hide_the_wrong_ones(
    tmp_path: Path, report: Invoke
) -> None:
    run = venue_run(tmp_path / "run", POINTS)
    names = drawn(run, report, 30)
    said = {name: "right" if number < 12 else "wrong" for number, name in enumerate(names)}
    sheets = [filled(tmp_path / "anna.csv", said),
              filled(tmp_path / "bela.csv", dict.fromkeys(names, "right"), "bela")]  # fmt: skip
    words = [run, "--for", "meta-reviewer", "--stop-below", "0.6", "-o", tmp_path / "pages"]

    ended = report(*words, "--judged", sheets[0], "--judged", sheets[1])

    assert report(*words, "--judged", sheets[0]).exit_code == 1
    assert ended.exit_code == 1
    assert "people differ on 18 of 30" in ended.stderr
    assert not (tmp_path / "pages").exists()


@pytest.mark.parametrize(
    ("right", "differing", "decision"),
    [
        (20, 10, StopDecision.GO_ON),  # a third
        (20, 11, StopDecision.GO_ON),  # more, and without them enough are right
        (20, 14, StopDecision.DIFFER),
        (0, 10, StopDecision.DIFFER),
        (0, 9, StopDecision.UNKNOWN),
    ],
)
def test_delivery_stops_where_people_differ_on_so_many_that_nothing_is_known(
    right: int, differing: int, decision: StopDecision
) -> None:
    names = tuple(map(str, range(differing)))
    found = measured(1.0 if right else None, right, 1.0)
    found = found.model_copy(update={"right": right, "differing": names})

    assert stop_decision(found, 0.6) is decision


def test_a_sample_that_nobody_judged_has_no_precision() -> None:
    found = precision_of(sample_of(3), {})

    assert found.precision.value is None
    assert found.left == 3


def test_a_sample_is_kept_and_read_again(tmp_path: Path) -> None:
    write_sample(tmp_path, sample_of(3))

    assert read_sample(tmp_path) == sample_of(3)
    with pytest.raises(RunFolderError, match="no sample of flags; draw one"):
        read_sample(tmp_path / "other")


def drawn(run: Path, report: Invoke, number: int = 40) -> list[str]:
    sheet = run.parent / "flags.csv"
    assert report(run, "--sample-flags", number, "-o", sheet).exit_code == 0
    return [row["point_id"] for row in csv.DictReader(io.StringIO(sheet.read_text("utf-8")))]


def test_delivery_that_is_stopped_writes_nothing_and_ends_with_one(
    tmp_path: Path, report: Invoke
) -> None:
    run = venue_run(tmp_path / "run", POINTS)
    names = drawn(run, report)
    sheet = filled(tmp_path / "anna.csv", dict.fromkeys(names, "wrong"))
    pages = tmp_path / "pages"
    words = [run, "--for", "meta-reviewer", "--judged", sheet, "--budget", 2, "-o", pages]

    ended = report(*words, "--stop-below", "0.6")

    assert ended.exit_code == 1
    assert "delivery stops" in ended.stderr
    assert not pages.exists()
    assert not (run / "pushed.jsonl").exists()
    assert report(*words, "--stop-below", "0").exit_code == 0
    assert pages.exists()


def test_too_few_verdicts_stop_nothing_and_it_is_said(tmp_path: Path, report: Invoke) -> None:
    run = venue_run(tmp_path / "run", POINTS)
    names = drawn(run, report)
    sheet = filled(tmp_path / "anna.csv", dict.fromkeys(names[:5], "wrong"))
    page = tmp_path / "page.html"

    ended = report(run, "--for", "author", "--judged", sheet, "--stop-below", "0.6", "-o", page)

    assert ended.exit_code == 0
    assert f"({ENOUGH} are enough)" in ended.stderr
    assert page.exists()


def test_sheets_in_the_folder_count_where_none_is_named(tmp_path: Path, report: Invoke) -> None:
    run = venue_run(tmp_path / "run", POINTS)
    said = {name: "right" for name in drawn(run, report)}

    before = report(run, "--stop-below", "0.6")
    filled(run / JUDGED, said)
    after = report(run, "--stop-below", "0.6")

    assert (before.exit_code, after.exit_code) == (0, 0)
    assert "nobody judged a sample" in before.stderr
    assert "40 right, 0 wrong" in after.stdout
    assert not (run / "report.html").exists()


def test_the_rule_of_a_venue_holds_for_its_run_folder_too(tmp_path: Path, report: Invoke) -> None:
    made = VenueRecord(source="somewhere", kind="folder", made="2026-05-01T00:00:00+00:00")
    (tmp_path / "venue.json").write_text(made.model_dump_json(), "utf-8")
    run = venue_run(tmp_path / "run", POINTS)
    report(tmp_path, "--sample-flags", 40, "-o", tmp_path / "flags.csv")
    filled(tmp_path / JUDGED, dict.fromkeys(read_sample(tmp_path).flags, "wrong"))

    ended = report(run, "--for", "meta-reviewer", "--stop-below", "0.6", "-o", tmp_path / "pages")

    assert ended.exit_code == 1
    assert "delivery stops" in ended.stderr


def test_a_sheet_needs_a_name_a_sample_and_flags(tmp_path: Path, report: Invoke) -> None:
    run = venue_run(tmp_path / "run", POINTS)
    finder = write_run(tmp_path / "finder", lexical_points(), made=manifest("lexical"))
    sheet = tmp_path / "flags.csv"

    assert report(run, "--sample-flags", 5).exit_code == 2
    assert report(finder, "--sample-flags", 5, "-o", sheet).exit_code == 2
    filled(sheet, {"x": "right"})
    assert report(run, "--judged", sheet).exit_code == 2
    assert not (run / SAMPLE).exists()
    assert report(run, "--sample-flags", 5, "--for", "author", "-o", sheet).exit_code == 2


def test_points_without_a_flag_are_never_in_a_sheet() -> None:
    points: list[PointScore] = [*POINTS, verdict("p99/r0#1", None, misinformed=None)]

    assert "p99/r0#1" not in draw_flags(points, 10_000).flags
