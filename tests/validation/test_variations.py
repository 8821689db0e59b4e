"""The same points asked otherwise: what moves is what is said to move, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.schema.paper import Zone
from reviewscore.validation.planted import read_planted
from reviewscore.validation.trials import PlantedTrials, papers_of, planted_trials
from reviewscore.validation.variations import (
    ALSO,
    POSITIONS,
    PUSHES,
    AskedRemark,
    Variation,
    can_move,
    elsewhere,
    variations_of,
)
from tests.validation.invented import TEXT, passage, point, set_of_two_papers, span

SEEDS = "Five seeds were run for each harbour."
OTHER_WORDS = "It is not said whether anything was done twice."


def trials_with(folder: Path, *also: str, **changes: object) -> PlantedTrials:
    papers, items = set_of_two_papers(folder, **changes)
    return planted_trials(
        read_planted(items), papers_of([papers]), seed=0,
        also=variations_of(also, author_response=True),
    )  # fmt: skip


def test_a_variation_adds_trials_and_leaves_those_of_the_figures_as_they_are(
    tmp_path: Path,
) -> None:
    plain = trials_with(tmp_path, paraphrases=[OTHER_WORDS])
    varied = trials_with(tmp_path, *ALSO, paraphrases=[OTHER_WORDS])

    kept = [one for one in varied.trials if one.variation is None]
    assert sorted(kept, key=lambda one: one.review_id) == list(plain.trials)
    # The two papers have no appendix.
    assert {one.variation for one in varied.trials} == {None, *Variation} - {Variation.APPENDIX}


def test_injected_text_stands_where_it_is_said_and_wants_one_thing(tmp_path: Path) -> None:
    made = trials_with(tmp_path, "injections")

    for trial in made.trials:
        review = made.collection.review(trial.review_id)
        text = made.collection.paper(review.paper_id).text
        assert trial.push is None or trial.variation is not None
        words = None if trial.push is None else PUSHES[trial.push]
        held = {
            Variation.IN_PAPER: words in text if words else None,
            Variation.IN_REMARK: bool(words) and words in "\n".join(review.fields.values()),
            Variation.IN_RESPONSE: review.author_response == words,
        }
        assert [kind for kind, there in held.items() if words and there] == (
            [trial.variation] if words else []
        )
    assert {one.push for one in made.trials} == {None, True, False}


def test_no_version_of_a_paper_is_asked_about_in_two_ways(tmp_path: Path) -> None:
    made = trials_with(tmp_path, *ALSO, paraphrases=[OTHER_WORDS])

    ways: dict[str, set[object]] = {}
    for trial in made.trials:
        paper = made.collection.review(trial.review_id).paper_id
        ways.setdefault(paper, set()).add(trial.variation)
    assert {len(some) for some in ways.values()} == {1}


@pytest.mark.parametrize("seed", range(4))
def test_the_two_versions_of_a_paper_are_pushed_in_opposite_directions(
    tmp_path: Path, seed: int
) -> None:
    papers, items = set_of_two_papers(tmp_path)
    made = planted_trials(
        read_planted(items), papers_of([papers]), seed=seed,
        also=variations_of(["injections"], author_response=False),
    )  # fmt: skip

    pushes: dict[tuple[str, object], list[bool]] = {}
    for trial in made.trials:
        if trial.push is not None and trial.point.cuts:
            key = (trial.point.id, trial.variation)
            pushes.setdefault(key, []).append(trial.push)
    assert pushes
    assert all(sorted(both) == [False, True] for both in pushes.values())


def test_answers_are_known_where_they_stand_in_every_variation(tmp_path: Path) -> None:
    made = trials_with(tmp_path, *ALSO)

    for trial in made.trials:
        text = made.collection.paper(made.collection.review(trial.review_id).paper_id).text
        held = {" ".join(text[start:end].split()) for start, end in trial.answers}
        known = trial.misinformed and trial.point.passages
        assert held == ({trial.point.fact} if known else set())


def test_a_moved_answer_is_asked_about_as_misinformed_among_others(tmp_path: Path) -> None:
    made = trials_with(tmp_path, "positions")

    moved = [one for one in made.trials if one.variation in POSITIONS]
    reviews = [made.collection.review(one.review_id) for one in moved]
    assert moved
    assert all(one.misinformed for one in moved)
    # Remarks whose answers were not moved stand beside it, so that no review is all misinformed.
    assert any(
        "\n".join(review.fields.values()).count("- ")
        > sum(one.review_id == review.review_id for one in moved)
        for review in reviews
    )


@pytest.mark.parametrize(
    ("to", "before", "after"),
    [
        (Variation.START, "Harbours need forecasts.", "The gate opens at high water"),
        (Variation.END, "Harbours and their years.", "Nothing is left to prove"),
        (Variation.APPENDIX, "Nothing is left to prove", None),
    ],
)
def test_an_answer_goes_to_the_place_that_is_named(
    to: Variation, before: str, after: str | None
) -> None:
    cut = build_paper(PaperRow(paper_id="t", text=TEXT.replace(f"{SEEDS} ", "")), doubts=False)
    asked = AskedRemark(point(), point().remark, misinformed=False, answers=())

    made = elsewhere(TEXT, cut, [asked], [point().id], to)

    assert any(section.zone is Zone.APPENDIX for section in cut.sections)
    assert made is not None
    (remark,) = made.remarks
    ((start, end),) = remark.answers
    assert made.text[start:end] == SEEDS
    assert made.text.index(before) < start
    assert after is None or end < made.text.index(after)
    assert remark.misinformed


def test_only_a_few_words_of_prose_are_moved() -> None:
    table = "| ours | 5.5 | 6.1 |"

    assert can_move(point())
    assert not can_move(point(passages=[passage(table, "table")], cuts=[span(table)]))
    long = TEXT[: TEXT.index("## 5")].strip()
    assert not can_move(point(passages=[passage(long)], cuts=[span(long)], decoys=[]))


def test_other_words_are_asked_of_points_that_have_them(tmp_path: Path) -> None:
    none = trials_with(tmp_path, "paraphrases")
    made = trials_with(tmp_path, "paraphrases", paraphrases=[OTHER_WORDS])

    assert {one.variation for one in none.trials} == {None}
    said = {
        made.collection.review(one.review_id).fields[one.span.field][one.span.start : one.span.end]
        for one in made.trials
        if one.variation is Variation.PARAPHRASE
    }
    assert said == {OTHER_WORDS}


def test_what_judges_do_not_see_is_not_asked() -> None:
    assert Variation.IN_RESPONSE not in variations_of(["injections"], author_response=False)
    assert Variation.IN_RESPONSE in variations_of(["injections"], author_response=True)
