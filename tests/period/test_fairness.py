"""Whom flags fall on: groups of reviews that are told by their text, and nobody's name."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from reviewscore.errors import SettingsError
from reviewscore.files import hash_file
from reviewscore.period.fairness import articles_of, fairness_page, groupings_of, study_fairness
from reviewscore.period.stop_rule import COLUMNS, JUDGED, draw_flags, write_sample
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Review
from reviewscore.stats.resampling import Resampling
from reviewscore.venue.panels import RatePanel
from reviewscore.venue.study import Strata
from tests.commands import Invoke, invoker
from tests.report.synthetic import lexical_points, manifest, write_run
from tests.report.venues import venue_points, venue_run

QUICK = Resampling(resamples=200, scheme="papers")
PLAIN = "The method is sound and the results are of use to a reader of the field. "
BARE = "Method is sound and results are of use for readers from field in general. "


def review(name: str, text: str) -> Review:
    return Review(review_id=name, paper_id=name.partition("/")[0], fields={"text": text})


def venue(folder: Path, points: list[PointScore], papers: int = 20) -> Path:
    """A run with its data: thirds of reviews without articles, by pseudonyms over papers."""
    data = folder / "data"
    data.mkdir()
    rows = [
        {"review_id": f"p{n}/r{k}", "paper_id": f"p{n}", "text": (BARE if k == 0 else PLAIN) * 6,
         "reviewer": f"hidden-{(n + 7 * k) % 25}", "rating": 3 + k, "confidence": 1 + n % 5}
        for n in range(papers) for k in range(3)
    ]  # fmt: skip
    known = [
        {"paper_id": f"p{n}", "title": "A Secret Title", "text": "Words.", "area": f"area {n % 2}"}
        for n in range(papers)
    ]
    for file, some in (("papers", known), ("reviews", rows)):
        lines = "".join(json.dumps(row) + "\n" for row in some)
        (data / f"{file}.jsonl").write_text(lines, "utf-8")
    inputs = tuple(hash_file(data / f"{file}.jsonl") for file in ("papers", "reviews"))
    return venue_run(folder / "run", points, data=str(data), inputs=inputs)


def judged_sheet(run: Path, points: list[PointScore]) -> Path:
    """All flags judged; those of reviews without articles are called wrong."""
    sample = draw_flags(points, 10_000)
    write_sample(run, sample)
    file = run.parent / "judged.csv"
    rows = [f"{name},,,,,{'wrong' if '/r0#' in name else 'right'},anna" for name in sample.flags]
    file.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n", "utf-8")
    return file


def panel(panels: tuple[RatePanel, ...], name: str) -> RatePanel:
    return next(one for one in panels if one.name == name)


def test_articles_are_counted_in_a_hundred_words() -> None:
    assert articles_of(["The", "cat", "saw", "a", "dog"]) == 40
    assert articles_of(["Cat", "saw", "dog"]) == 0


def test_reviews_are_sorted_into_thirds_by_length_and_by_articles() -> None:
    reviews = [review(f"p{n}/r0", (BARE if n < 3 else PLAIN) * (4 + n)) for n in range(9)]

    length, articles, _ = groupings_of(reviews)

    assert [length.order.index(length.of[f"p{n}/r0"]) for n in range(9)] == [0] * 3 + [1] * 3 + [
        2
    ] * 3
    assert {articles.of[f"p{n}/r0"] for n in range(3)} == {articles.order[0]}
    assert articles.order[0] not in {articles.of[f"p{n}/r0"] for n in range(3, 9)}


def test_a_review_of_a_few_words_has_no_rate_of_articles() -> None:
    length, articles, _ = groupings_of([review("p0/r0", "Fine paper."), review("p1/r0", PLAIN * 9)])

    assert articles.of.keys() == {"p1/r0"}
    assert length.of.keys() == {"p0/r0", "p1/r0"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("This review was polished with ChatGPT.", True),
        ("I used an LLM to improve the wording.", True),
        ("As an AI language model I cannot run the code.", True),
        ("My review has been translated by a language model.", True),
        ("The paper was written with ChatGPT, it seems.", False),
        ("The authors use GPT-4 to write summaries.", False),
        ("They generated the data with an LLM.", False),
        ("This report of the experiments is thin.", False),
    ],
)
def test_only_what_a_review_says_of_itself_counts_as_its_word(text: str, *, says: bool) -> None:
    *_, declared = groupings_of([review("p0/r0", text)])

    assert declared.of["p0/r0"] == ("says so" if says else "does not say so")


def test_flags_and_false_alarms_are_measured_by_group_with_intervals(tmp_path: Path) -> None:
    points = venue_points(20, rate=0.5)
    run = venue(tmp_path, points)

    found = study_fairness([run], judged=[judged_sheet(run, points)], how=QUICK).venue

    names = {one.name for one in found.panels}
    assert names >= {"overall", "length", "rating", "confidence", "articles", "area", "declared"}
    few, *others = [cell for cell in panel(found.panels, "articles").cells if not cell.withheld]
    assert few.rates["false_alarm"].value == 1.0
    assert {cell.rates["false_alarm"].value for cell in others} == {0.0}
    assert few.rates["misinformed"].low is not None
    overall = found.overall.rates["false_alarm"]
    assert overall.n == sum(bool(point.misinformed) for point in points)


def test_the_sheet_that_a_folder_keeps_counts_where_none_is_named(tmp_path: Path) -> None:
    points = venue_points(20, rate=0.5)
    run = venue(tmp_path, points)
    judged_sheet(run, points).rename(run / JUDGED)

    assert "false_alarm" in study_fairness([run], how=QUICK).venue.measures


def test_without_judged_flags_there_are_no_false_alarms_and_it_is_said(tmp_path: Path) -> None:
    run = venue(tmp_path, venue_points(20, rate=0.5))

    studied = study_fairness([run], how=QUICK)

    assert "false_alarm" not in studied.venue.measures
    assert any("--judged" in banner for banner in fairness_page(studied.venue).banners)


def test_small_groups_are_withheld_and_nobody_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points = venue_points(20, rate=0.5)
    run = venue(tmp_path, points)
    sheet = judged_sheet(run, points)
    page = tmp_path / "fairness.html"
    call: Invoke = invoker("venue", capsys)

    ended = call(run, "--fairness", "--judged", sheet, "--at-least", 15, "-o", page)
    text = page.read_text("utf-8")

    assert ended.exit_code == 0
    assert "withheld" in text  # twelve reviews have each confidence
    assert "Whom flags fall on" in text
    assert "ranks reviewers" in text
    for secret in ("hidden-", "A Secret Title", "p1/r1", "anna"):
        assert secret not in text


def test_judged_flags_of_few_reviews_are_withheld_where_flags_are_not(tmp_path: Path) -> None:
    points = venue_points(20, rate=0.5)
    run = venue(tmp_path, points)
    write_sample(run, draw_flags(points, 10_000))
    names = list(draw_flags(points, 10_000).flags)[:6]
    file = tmp_path / "few.csv"
    rows = [f"{name},,,,,wrong,anna" for name in names]
    file.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n", "utf-8")

    found = study_fairness([run], judged=[file], how=QUICK).venue

    assert any("No false alarms in a row" in line for line in fairness_page(found).foot)
    assert "false_alarm" not in found.overall.rates
    assert found.overall.rates["misinformed"].value is not None


def test_the_rows_are_written_as_csv_and_the_page_as_markdown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = venue(tmp_path, venue_points(20, rate=0.5))
    call: Invoke = invoker("venue", capsys)

    rows, page = tmp_path / "fairness.csv", tmp_path / "fairness.md"
    assert call(run, "--fairness", "-o", rows).exit_code == 0
    assert call(run, "--fairness", "-o", page).exit_code == 0
    tables = {row["table"] for row in csv.DictReader(io.StringIO(rows.read_text("utf-8")))}

    assert {"length", "articles", "declared"} <= tables
    assert page.read_text("utf-8").startswith("# Whom flags fall on")
    assert call(run, "--fairness", "-o", tmp_path / "x.pdf").exit_code == 2
    assert call(run, "--judged", rows).exit_code == 2


def test_reviews_that_are_not_at_hand_and_findings_are_refused(tmp_path: Path) -> None:
    away = venue_run(tmp_path / "away", venue_points(20))
    with pytest.raises(SettingsError, match="--data"):
        study_fairness([away], how=QUICK)

    (tmp_path / "here").mkdir()
    run = venue(tmp_path / "here", venue_points(20))
    finder = write_run(tmp_path / "finder", lexical_points(), made=manifest("lexical"))
    with pytest.raises(SettingsError, match="embedded judge"):
        study_fairness([finder], Strata(data=(run.parent / "data",)), how=QUICK)
