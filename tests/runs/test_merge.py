"""Parts of a venue as one run, and many runs as one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.files import InputFile
from reviewscore.report.summary import summarise
from reviewscore.runs.export import export
from reviewscore.runs.folder import ErrorRecord, read_manifest, read_points
from reviewscore.runs.manifest import Counts, Spending
from reviewscore.runs.merge import merge
from reviewscore.runs.parts import read_parts
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from reviewscore.schema.validation import ValidationRecord
from tests.report.synthetic import write_run
from tests.report.venues import venue_points, venue_run, verdict
from tests.runs.conftest import read_csv


def part(folder: Path, name: str, *, seed: int = 0, **changes: object) -> Path:
    points = venue_points(3, seed=seed, name=name)
    made: dict[str, object] = {
        "counts": Counts(papers=4, reviews=11, reviews_without_points=2, points=len(points)),
        "spending": Spending(calls=10, input_tokens=100, usd=0.5, prices="list"),
        "inputs": (InputFile(name=f"{name}.jsonl", sha256=name * 64, size=1),),
        "decisive": {"model": "openai/imagined-1", "rounds": 4, f"input 1 {name}.jsonl": name},
    }
    return venue_run(folder / name, points, **(made | changes))


def ids(run: Path) -> list[str]:
    return [score.point_id for score in read_points(run)]


def test_a_merged_run_holds_all_points_and_sums(tmp_path: Path) -> None:
    a, b = part(tmp_path, "a"), part(tmp_path, "b", seed=1)

    made = merge([a, b], tmp_path / "whole").manifest

    assert ids(a) + ids(b) == ids(tmp_path / "whole")
    assert made == read_manifest(tmp_path / "whole")
    assert (made.counts.papers, made.counts.reviews, made.counts.reviews_without_points) == (
        8,
        22,
        4,
    )
    assert len(ids(a)) + len(ids(b)) == made.counts.points
    assert (made.spending.calls, made.spending.input_tokens, made.spending.usd) == (20, 200, 1.0)
    assert [one.name for one in made.inputs] == ["a.jsonl", "b.jsonl"]
    assert made.complete


def test_a_merged_run_is_summarised_as_any_other(tmp_path: Path) -> None:
    a, b = part(tmp_path, "a"), part(tmp_path, "b", seed=1)
    merge([a, b], tmp_path / "whole")

    one, two, both = (summarise(run) for run in (a, b, tmp_path / "whole"))

    assert both.judged and one.judged and two.judged
    assert one.judged.overall.n + two.judged.overall.n == both.judged.overall.n


def test_the_order_of_parts_changes_the_order_of_points_alone(tmp_path: Path) -> None:
    a, b = part(tmp_path, "a"), part(tmp_path, "b", seed=1)
    there = merge([a, b], tmp_path / "ab").manifest
    back = merge([b, a], tmp_path / "ba").manifest

    assert there.run_id == back.run_id
    assert there.decisive == back.decisive
    assert sorted(ids(tmp_path / "ab")) == sorted(ids(tmp_path / "ba"))


def test_a_point_in_two_parts_is_kept_once_if_its_record_is_the_same(tmp_path: Path) -> None:
    shared = verdict("x/r#1", PointType.CLAIM, True)
    a = venue_run(tmp_path / "a", [shared, verdict("x/r#2", PointType.CLAIM, False)])
    b = venue_run(tmp_path / "b", [shared])

    made = merge([a, b], tmp_path / "whole")

    assert made.repeated == 1
    assert ids(tmp_path / "whole") == ["x/r#1", "x/r#2"]


def test_a_point_in_two_parts_that_differs_is_refused_by_name(tmp_path: Path) -> None:
    a = venue_run(tmp_path / "a", [verdict("x/r#1", PointType.CLAIM, True)])
    b = venue_run(tmp_path / "b", [verdict("x/r#1", PointType.CLAIM, False)])

    with pytest.raises(RunFolderError, match=r"point 'x/r#1' is in .*a and in .*b.*'base' differs"):
        merge([a, b], tmp_path / "whole")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b"]


def test_a_merged_run_notes_the_latest_validation_of_its_judge_or_that_there_is_none(
    tmp_path: Path,
) -> None:
    records = [
        ValidationRecord(
            judge="openai/imagined-1", at=f"{year}-01-02T03:04:05+00:00", made_with="0" * 64,
            items_sha256="1" * 64, items=48, papers=8, shares={}, sentence="It finds some.",
        )
        for year in (2025, 2026)
    ]  # fmt: skip
    model = "openai/imagined-1"
    none = [part(tmp_path, name, seed=n, unvalidated=(model,)) for n, name in enumerate("ab")]
    some = [part(tmp_path, name, seed=n, validation=records[n]) for n, name in enumerate("cd")]

    without = merge(none, tmp_path / "none").manifest
    latest = merge(some, tmp_path / "some").manifest
    either = merge([none[0], some[1]], tmp_path / "either").manifest

    assert (without.unvalidated, without.validation) == ((model,), None)
    assert (latest.unvalidated, latest.validation) == ((), records[1])
    assert (either.unvalidated, either.validation) == ((), records[1])


def test_runs_made_otherwise_are_not_merged(tmp_path: Path) -> None:
    a, b = part(tmp_path, "a"), part(tmp_path, "b", decisive={"model": "other/one", "rounds": 4})

    with pytest.raises(RunFolderError, match=r"made otherwise .* model is 'other/one' there"):
        merge([a, b], tmp_path / "whole")


@pytest.mark.parametrize("times", [1, 2])
def test_a_merge_needs_two_different_runs(tmp_path: Path, times: int) -> None:
    with pytest.raises((SettingsError, RunFolderError), match=r"two runs or more|named 2 times"):
        merge([part(tmp_path, "a")] * times, tmp_path / "whole")


def test_a_folder_with_something_in_it_is_not_overwritten(tmp_path: Path) -> None:
    a, b = part(tmp_path, "a"), part(tmp_path, "b", seed=1)

    with pytest.raises(RunFolderError, match="is there already"):
        merge([a, b], a)


def test_an_incomplete_part_makes_the_whole_incomplete_and_unpriced_calls_its_price_unknown(
    tmp_path: Path,
) -> None:
    a = part(tmp_path, "a", selection={"limit": 3, "paper": ["a1"]})
    b = part(tmp_path, "b", seed=1, complete=False, spending=Spending(calls=1),
             selection={"limit": 2, "paper": ["b1"]})  # fmt: skip

    made = merge([a, b], tmp_path / "whole").manifest

    assert not made.complete
    assert made.spending.usd is None
    assert made.selection == {"limit": 5, "paper": ["a1", "b1"]}


def test_parts_of_one_input_keep_it_and_its_place(tmp_path: Path) -> None:
    one = (InputFile(name="z.jsonl", sha256="a" * 64, size=1),
           InputFile(name="b.jsonl", sha256="b" * 64, size=1))  # fmt: skip
    made: dict[str, object] = {"inputs": one, "data": "iclr", "year": 2024,
                               "decisive": {"model": "openai/imagined-1", "year": 2024,
                                            "input 1 z.jsonl": "a" * 64,
                                            "input 2 b.jsonl": "b" * 64}}  # fmt: skip
    a, b = part(tmp_path, "a", **made), part(tmp_path, "b", seed=1, **made)

    whole = merge([a, b], tmp_path / "whole").manifest

    assert (whole.data, whole.year, whole.inputs) == ("iclr", 2024, one)
    assert whole.decisive == read_manifest(a).decisive


def test_failures_of_all_parts_are_kept_and_equal_ones_once(tmp_path: Path) -> None:
    def failure(review: str) -> ErrorRecord:
        return ErrorRecord(what="review", review_id=review, kind="Timeout", message="too slow")

    a = write_run(tmp_path / "a", venue_points(2, name="a"), errors=[failure("r1"), failure("r2")])
    b = write_run(tmp_path / "b", venue_points(2, name="b"), errors=[failure("r2"), failure("r3")])

    merge([a, b], tmp_path / "whole")

    lines = (tmp_path / "whole" / "errors.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["review_id"] for line in lines] == ["r1", "r2", "r3"]


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    runs = [part(tmp_path / year, "main", seed=n) for n, year in enumerate(("y1", "y2"))]

    assert [one.name for one in read_parts(runs)] == ["y1/main", "y2/main"]


def test_an_export_of_two_runs_names_the_run_of_each_row(tmp_path: Path) -> None:
    a, b = part(tmp_path, "a"), part(tmp_path, "b", seed=1)
    out = {ending: tmp_path / f"x{ending}" for ending in (".csv", ".jsonl", ".parquet")}

    counts = {export([a, b], path) for path in out.values()}

    rows = read_csv(out[".csv"])
    lines = [json.loads(line) for line in out[".jsonl"].read_text("utf-8").splitlines()]
    import pyarrow.parquet as pq

    table = pq.read_table(out[".parquet"]).to_pylist()
    expected = [("a", one) for one in ids(a)] + [("b", one) for one in ids(b)]
    assert counts == {len(expected)}
    for found in (rows, lines, table):
        assert expected == [(one["run"], one["point_id"]) for one in found]
    assert "run" == next(iter(rows[0])) == next(iter(lines[0])) == next(iter(table[0]))
    record = {name: value for name, value in lines[0].items() if name != "run"}
    assert PointScore.model_validate_json(json.dumps(record)).point_id == expected[0][1]


def test_a_point_in_two_runs_has_a_row_of_each(tmp_path: Path) -> None:
    a = venue_run(tmp_path / "a", [verdict("x/r#1", PointType.CLAIM, True)])
    b = venue_run(tmp_path / "b", [verdict("x/r#1", PointType.CLAIM, False)])

    export([a, b], tmp_path / "x.csv")

    rows = read_csv(tmp_path / "x.csv")
    assert [(one["run"], one["misinformed"]) for one in rows] == [("a", "true"), ("b", "false")]


def test_an_export_of_one_run_has_no_column_for_it(tmp_path: Path) -> None:
    export([part(tmp_path, "a")], tmp_path / "x.csv")

    assert (tmp_path / "x.csv").read_text("utf-8").startswith("point_id,")
