"""Planted points become reviews of versions of papers, and nothing tells which version it is."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from reviewscore.errors import InputError
from reviewscore.schema.paper import Paper
from reviewscore.validation.planted import PlantedPoints, read_planted
from reviewscore.validation.trials import PlantedTrial, PlantedTrials, papers_of, planted_trials
from tests.validation.invented import set_of_two_papers


def trials_in(folder: Path, seed: int = 0, **changes: object) -> PlantedTrials:
    papers, items = set_of_two_papers(folder, **changes)
    return planted_trials(read_planted(items), papers_of([papers]), seed=seed)


def version_of(made: PlantedTrials, trial: PlantedTrial) -> Paper:
    return made.collection.paper(made.collection.review(trial.review_id).paper_id)


@pytest.mark.parametrize("seed", range(4))
def test_each_point_is_judged_where_its_answer_stands_and_where_it_is_cut_out(
    tmp_path: Path, seed: int
) -> None:
    made = trials_in(tmp_path, seed)

    truths = Counter((one.point.id, one.misinformed) for one in made.trials)
    assert len(truths) == 12
    assert set(truths.values()) == {1}
    assert len(made.collection.papers) == 2 * 2
    for trial in made.trials:
        text = version_of(made, trial).text
        assert {text[start:end] for start, end in trial.answers} == (
            {trial.point.fact} if trial.misinformed and trial.point.passages else set()
        )
        if trial.point.cuts:
            assert (trial.point.fact in text) is trial.misinformed


def test_a_remark_is_a_bullet_of_a_review_about_one_version(tmp_path: Path) -> None:
    made = trials_in(tmp_path)

    for trial in made.trials:
        box = made.collection.review(trial.review_id).fields[trial.span.field]
        assert box[trial.span.start : trial.span.end] == trial.point.remark
        assert f"- {trial.point.remark}" in box.splitlines()
        assert trial.span.field == ("questions" if "?" in trial.point.remark else "weaknesses")


def test_decoys_of_all_points_are_cut_out_of_both_versions(tmp_path: Path) -> None:
    made = trials_in(tmp_path)

    texts = [paper.text for paper in map(made.collection.paper, made.collection.papers)]
    decoys = ("Their chairs were green", "grey\nsuits", "The reef is loud", "The files were new")
    assert not [text for text in texts if any(decoy in text for decoy in decoys)]


def test_how_many_answers_a_version_lacks_is_drawn(tmp_path: Path) -> None:
    lacking = set()
    for seed in range(20):
        made = trials_in(tmp_path, seed)
        by_version = Counter(
            version_of(made, one).paper_id for one in made.trials if not one.misinformed
        )
        reefs = [version_of(made, one) for one in made.trials if one.point.paper_id == "reefs"]
        lacking |= {by_version[version.paper_id] for version in reefs if "snaps" in version.text}

    assert lacking >= {0, 1, 2, 3}


def test_a_remark_about_another_paper_is_fair_where_it_belongs(tmp_path: Path) -> None:
    made = trials_in(tmp_path)

    titles = {
        trial.misinformed: version_of(made, trial).title
        for trial in made.trials
        if trial.point.fair_about
    }
    assert titles == {True: "Tuning Old Bells", False: "Listening to Reefs"}


def test_many_remarks_are_several_reviews(tmp_path: Path) -> None:
    papers, items = set_of_two_papers(tmp_path)
    (first, *_) = read_planted(items).points
    many = tuple(first.model_copy(update={"id": f"item.{number}"}) for number in range(11))

    made = planted_trials(PlantedPoints(many), papers_of([papers]), seed=0)

    assert Counter(Counter(one.review_id for one in made.trials).values()) == {6: 2, 5: 2}


def test_names_tell_neither_paper_nor_point_nor_version(tmp_path: Path) -> None:
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
