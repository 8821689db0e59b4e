"""The benchmark of points against readers' labels, on invented labels and reviews."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import points_measured
from benchmarks.measure import RECORDS
from benchmarks.points_measured import Group, groups
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.review import Review

SOURCE = "neurips/submissions"
TEXT = "There is no ablation of the gate.\n\nThe gain may be chance, as one seed was run."
CONCERNS = tuple(TEXT.split("\n\n"))


def mark(text: str) -> dict[str, object]:
    start = TEXT.index(text)
    return {"field": "weaknesses", "start": start, "end": start + len(text),
            "sha256": sum_of_words(text)}  # fmt: skip


def place(tmp_path: Path, half: str) -> tuple[Path, Path]:
    """Labels of two readers of four reviews, and the reviews."""
    labels, data = tmp_path / "labels", tmp_path / "data"
    (labels / half).mkdir(parents=True)
    (data / "neurips").mkdir(parents=True)
    reviews = [Review(review_id=f"p{n}-r1", paper_id=f"p{n}", fields={}) for n in range(4)]
    for reader in "AB":
        common = {"source": SOURCE, "annotator": f"{reader}1", "annotator_kind": "model"}
        points = [
            {**common, "paper_id": one.paper_id, "review_id": one.review_id, "kind": "criticism",
             "spans": [mark(concern)], "type": kind}
            for one in reviews
            for concern, kind in zip(CONCERNS, ("claim", "argument"), strict=True)
        ]  # fmt: skip
        focus = [
            {**common, "paper_id": one.paper_id, "review_id": one.review_id, "polarity": "weakness",
             "span": mark(concern), "target": "experiment", "aspect": aspect}
            for one in reviews
            for concern, aspect in zip(CONCERNS, ("validity", "clarity"), strict=True)
        ]  # fmt: skip
        for name, lines in (("submissions", points), ("reviews", []), ("focus", focus)):
            file = labels / half / f"{name}-{reader}.jsonl"
            file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    pd.DataFrame([
        {"review_id": one.review_id, "paper_id": one.paper_id,
         "sections": json.dumps({"weaknesses": TEXT})}
        for one in reviews
    ]).to_parquet(data / points_measured.FILES[SOURCE])  # fmt: skip
    return labels, data


def measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *words: str
) -> list[dict[str, object]]:
    records = tmp_path / "records.jsonl"
    monkeypatch.setenv(RECORDS, str(records))
    monkeypatch.setattr(sys, "argv", ["points_measured", *words])
    points_measured.main()
    return [json.loads(line) for line in records.read_text().splitlines()]


@pytest.mark.parametrize("by", ["reviews", "papers"])
def test_every_figure_is_given_with_its_interval_and_n(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    labels, data = place(tmp_path, "open")

    made = measured(monkeypatch, tmp_path, "--labels", str(labels), "--data", str(data), "--by", by)

    texts = {str(one["name"]): str(one["text"]) for one in made}
    assert texts[f"{SOURCE}, A: whole"].endswith("n = 8")
    assert "100.0 % [" in texts[f"{SOURCE}, A: whole"]
    assert texts[f"{SOURCE}, B: no points"].startswith("0.0 % [0.0, ")
    assert texts[f"{SOURCE}: readers' share matched"].startswith("100.0 % [")
    assert texts[f"{SOURCE}: readers' type kappa"].startswith("1.000 [1.000, 1.000]")
    assert f"{SOURCE}, A: type kappa" in texts
    assert f"{SOURCE}, B: target kappa" in texts or f"{SOURCE}, B: aspect kappa" in texts


def test_the_half_that_is_kept_is_measured_only_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels, data = place(tmp_path, "kept")
    words = ("--labels", str(labels), "--data", str(data))

    (skipped,) = measured(monkeypatch, tmp_path, *words)
    made = measured(monkeypatch, tmp_path, *words, "--half", "kept")

    assert str(skipped["skipped"]).startswith("no labels at ")
    assert len(made) > 10


def test_data_that_are_not_there_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels, data = place(tmp_path, "open")
    words = ("--labels", str(labels), "--data")

    (absent,) = measured(monkeypatch, tmp_path, *words, str(tmp_path / "none"))
    (data / points_measured.FILES[SOURCE]).unlink()
    made = measured(monkeypatch, tmp_path, *words, str(data))

    assert str(absent["skipped"]).startswith("no data at ")
    assert all("submissions_reviews.parquet" in str(one["skipped"]) for one in made[1:])


def test_a_venue_with_several_sources_is_a_group_of_its_own() -> None:
    assert groups(["iclr2023_reviews", SOURCE, "neurips/reviews_2023", SOURCE]) == [
        Group("iclr2023_reviews", ("iclr2023_reviews",)),
        Group("neurips/reviews_2023", ("neurips/reviews_2023",)),
        Group(SOURCE, (SOURCE,)),
        Group("NeurIPS", ("neurips/reviews_2023", SOURCE)),
    ]
