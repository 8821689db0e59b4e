"""Planted points become reviews of versions of papers, and nothing tells which version it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.errors import InputError
from reviewscore.validation.planted import PlantedPoints, read_planted
from reviewscore.validation.trials import PlantedTrials, papers_of, planted_trials
from tests.validation.invented import set_of_two_papers


def trials_in(folder: Path, seed: int = 0, **changes: object) -> PlantedTrials:
    papers, items = set_of_two_papers(folder, **changes)
    return planted_trials(read_planted(items), papers_of([papers]), seed=seed)


def test_each_point_is_judged_about_the_whole_paper_and_about_its_own_cut_one(
    tmp_path: Path,
) -> None:
    made = trials_in(tmp_path)

    assert len(made.trials) == len(made.collection.reviews) == 12
    assert len(made.collection.papers) == 2 + 5
    for trial in made.trials:
        review = made.collection.review(trial.review_id)
        text = made.collection.paper(review.paper_id).text
        assert list(review.fields.values()) == [trial.point.remark]
        if trial.point.cuts:
            assert (trial.point.fact in text) is trial.misinformed


def test_a_remark_about_another_paper_is_fair_where_it_belongs(tmp_path: Path) -> None:
    made = trials_in(tmp_path)

    titles = {
        trial.misinformed: made.collection.paper(
            made.collection.review(trial.review_id).paper_id
        ).title
        for trial in made.trials
        if trial.point.fair_about
    }
    assert titles == {True: "Tuning Old Bells", False: "Listening to Reefs"}


def test_names_and_order_tell_neither_paper_nor_point_nor_version(tmp_path: Path) -> None:
    made = trials_in(tmp_path)

    names = [review.review_id for review in made.collection.reviews]
    held = json.dumps([names, list(made.collection.papers)])
    assert names == sorted(names)
    assert not any(word in held for word in ("item", "reefs", "bells", "cut", "whole"))
    assert {len(name) for name in (*names, *made.collection.papers)} == {12}


def test_the_seed_decides_names_and_order(tmp_path: Path) -> None:
    first, again, other = (trials_in(tmp_path, seed) for seed in (0, 0, 1))

    items = [[(one.point.id, one.misinformed) for one in made.trials] for made in (first, other)]
    assert first.trials == again.trials
    assert items[0] != items[1]
    assert sorted(items[0]) == sorted(items[1])


def test_versions_are_read_alike(tmp_path: Path) -> None:
    papers = trials_in(tmp_path).collection

    kinds = {(one.source, one.doubts, one.year) for one in map(papers.paper, papers.papers)}
    assert len(kinds) == 1


def test_a_point_that_cannot_be_judged_is_left_out_with_its_reason(tmp_path: Path) -> None:
    papers, items = set_of_two_papers(tmp_path)
    points = read_planted(items)
    (bells,) = [line for line in papers.read_text().splitlines() if "bells" in line]
    papers.write_text(bells + "\n")

    made = planted_trials(points, papers_of([papers]), seed=0)

    assert [fault.field for fault in made.left_out] == ["paper_id"] * 3
    assert len(made.trials) == 2 * 2 + 1  # the paper that the foreign remark is fair about is gone


def test_a_point_with_a_certain_leak_is_left_out(tmp_path: Path) -> None:
    remark = "Tea was there, and the order of pairs was randomised separately, one hopes."
    papers, items = set_of_two_papers(tmp_path)
    points = read_planted(items).points
    two = PlantedPoints((points[0], points[4].model_copy(update={"remark": remark})))

    made = planted_trials(two, papers_of([papers]), seed=0)

    (fault,) = made.left_out
    assert "the remark has 'the order of pairs' of the passage" in fault.problem
    assert {one.point.id for one in made.trials} == {"item.0"}


def test_points_of_which_a_truth_is_denied_are_counted_and_not_judged(tmp_path: Path) -> None:
    papers, items = set_of_two_papers(
        tmp_path, stratum="hard", confirmed={"misinformed": "no", "fair": "yes"}
    )

    with pytest.raises(InputError, match="denies a truth"):
        planted_trials(read_planted(items), papers_of([papers]), seed=0)


def test_papers_come_from_several_places_each_name_once(tmp_path: Path) -> None:
    papers, _ = set_of_two_papers(tmp_path)
    single = tmp_path / "note.txt"
    single.write_text("A note on gongs.\n\nGongs are loud, and this text is long enough.")

    known = papers_of([papers, single])

    assert {"reefs", "bells"} < known.keys()
    assert len(known) == 3
    with pytest.raises(InputError, match="also in a place named before"):
        papers_of([papers, papers])
