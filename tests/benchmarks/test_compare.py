"""Two results files: what counts as a loss, what cannot be compared, and how a run goes wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.__main__ import outcome, typical
from benchmarks.compare import changes, doubts, main
from benchmarks.figures import Better, Figure
from benchmarks.measure import ROOT
from benchmarks.register import ALL, Benchmark
from benchmarks.results import Machine, Ran, Results, as_markdown

RATIOS = st.floats(1e-6, 1e6)
BETTER: st.SearchStrategy[Better] = st.sampled_from(["lower", "higher"])
QUIET = Machine(
    cpu="a", cores=2, memory_gb=8, system="s", python="3.11",
    load_start=(0.1, 0.1, 0.1), load_end=(0.1, 0.1, 0.1),
)  # fmt: skip


def one(ratio: float | None, better: Better = "lower", **more: object) -> Figure:
    fields = {"name": "n", "text": "1 s", "ratio": ratio, "better": better, **more}
    return Figure.model_validate(fields)


def results(*ran: Ran, **more: object) -> Results:
    fields: dict[str, object] = {
        "date": "d", "commit": "c", "quick": False, "machine": QUIET, "versions": {},
        "benchmarks": ran,
    }  # fmt: skip
    return Results.model_validate(fields | more)


def ran(*figures: Figure, name: str = "b", state: str = "done", why: str = "") -> Ran:
    return Ran.model_validate({"name": name, "state": state, "why": why, "figures": figures})


def lost(old: Results, new: Results, most: float = 0.2) -> list[str]:
    return [each.change for each in changes(old, new, most=most) if each.bad]


FIGURES = st.lists(
    st.builds(one, st.none() | RATIOS | st.just(0.0), BETTER, name=st.text("abc", min_size=1)),
    unique_by=lambda each: each.name,
)


@given(FIGURES, st.sampled_from(["done", "failed", "not run"]))
def test_a_file_has_lost_nothing_against_itself(figures: list[Figure], state: str) -> None:
    same = results(ran(*figures, state=state))

    assert lost(same, same, most=0.0) == []


@given(RATIOS, BETTER, st.floats(0.01, 0.9), st.floats(0.001, 0.05))
def test_a_ratio_that_is_worse_by_more_than_the_limit_is_a_loss(
    ratio: float, better: Better, most: float, more: float
) -> None:
    factor = 1 + most + more if better == "lower" else 1 - most - more

    assert len(lost(results(ran(one(ratio, better))), results(ran(one(ratio * factor, better))), most)) == 1  # fmt: skip  # noqa: E501


@given(RATIOS, BETTER, st.floats(0.01, 0.9), st.floats(0, 0.99))
def test_a_ratio_that_is_worse_by_less_or_better_is_none(
    ratio: float, better: Better, most: float, share: float
) -> None:
    factor = 1 + share * most if better == "lower" else 1 - share * most
    gained = ratio / (1 + share) if better == "lower" else ratio * (1 + share)
    old = results(ran(one(ratio, better)))

    assert lost(old, results(ran(one(ratio * factor, better))), most) == []
    assert lost(old, results(ran(one(gained, better))), most) == []


@given(RATIOS, RATIOS, BETTER)
def test_what_is_a_loss_one_way_is_a_gain_the_other_way(
    left: float, right: float, better: Better
) -> None:
    assume(left != right)
    one_way = lost(results(ran(one(left, better))), results(ran(one(right, better))), 0.0)
    back = lost(results(ran(one(right, better))), results(ran(one(left, better))), 0.0)

    assert len(one_way) + len(back) <= 1


@pytest.mark.parametrize(
    "new",
    [
        results(),
        results(ran(state="failed", why="ValueError")),
        results(ran(state="not run", why="no data")),
        results(ran(one(1.0, name="other"))),
        results(ran(one(1.0, "higher"))),
        results(ran(one(None))),
    ],
    ids=["missing", "failed", "not run", "figure gone", "other end better", "no ratio"],
)
def test_what_is_not_there_any_more_or_not_comparable_is_a_loss(new: Results) -> None:
    assert len(lost(results(ran(one(1.0))), new)) == 1


def test_a_goal_that_a_figure_without_baseline_no_longer_meets_is_a_loss() -> None:
    old, new = results(ran(one(None, met=True))), results(ran(one(None, met=False)))

    assert lost(old, new) == ["goal no longer met"]
    assert lost(new, old) == []


def test_what_is_new_or_was_not_run_before_is_no_loss() -> None:
    old = results(ran(state="not run", why="no data"))

    assert lost(old, results(ran(one(1.0)), ran(one(2.0), name="c"))) == []


def test_busy_machines_and_other_machines_are_said() -> None:
    busy = QUIET.model_copy(update={"load_start": (5.0, 1.0, 1.0), "cpu": "b"})
    said = " ".join(doubts(results(), results(machine=busy)))

    assert "machines" in said
    assert "NEW began on a busy machine (load 5.0 on 2 cores)" in said


def test_exit_codes_say_what_came_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {}
    for name, ratio in (("good", 1.0), ("bad", 1.3)):
        files[name] = tmp_path / f"{name}.json"
        files[name].write_text(results(ran(one(ratio))).model_dump_json(), "utf-8")
    quick = tmp_path / "quick.json"
    quick.write_text(results(ran(one(1.0)), quick=True).model_dump_json(), "utf-8")
    broken = tmp_path / "broken.json"
    broken.write_text(files["good"].read_text("utf-8").replace('"ratio":1.0', '"ratio":"x"'))

    assert main([str(files["good"]), str(files["good"])]) == 0
    assert main([str(files["good"]), str(files["bad"])]) == 1
    assert "30% worse" in capsys.readouterr().out
    assert main([str(files["good"]), str(files["bad"]), "--loss", "0.4"]) == 0
    for other in (tmp_path / "none.json", broken, quick):
        assert main([str(files["good"]), str(other)]) == 2
        assert str(other) in capsys.readouterr().err
    main([str(broken), str(broken)])
    assert "benchmarks.0.figures.0.ratio" in capsys.readouterr().err


def test_of_several_runs_that_with_the_median_ratio_is_told_with_their_range() -> None:
    found = typical([[one(3.0)], [one(1.0)], [one(2.0)]])[0]

    assert (found.ratio, found.low, found.high) == (2.0, 1.0, 3.0)


def test_a_benchmark_that_cannot_run_is_told_and_ends_nothing() -> None:
    told = outcome(Benchmark("no_such_benchmark"), quick=True, times=2)

    assert told.state == "failed"
    assert "no_such_benchmark" in told.why


def test_the_table_names_machine_and_failures() -> None:
    page = as_markdown(results(ran(one(1.0)), ran(name="c", state="failed", why="a | b")))

    assert "- Machine: a, 2 cores, 8 GB, s" in page
    assert "| c | **failed**: a \\| b |" in page


def test_every_benchmark_is_listed_once_with_a_module_of_its_own() -> None:
    names = [each.name for each in ALL]

    assert len(set(names)) == len(names)
    assert all((ROOT / "benchmarks" / f"{name}.py").is_file() for name in names)


def test_help_says_what_can_be_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--help"], cwd=ROOT, capture_output=True, text=True,
        check=True,
    )  # fmt: skip

    assert "--only" in done.stdout
    assert "logic_speed" in done.stdout
