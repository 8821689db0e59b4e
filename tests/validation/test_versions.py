"""Versions of a paper: what is cut out together, and what decoys are left out."""

from __future__ import annotations

import pytest

from reviewscore.errors import InputError
from reviewscore.schema.planted_point import PlantedPoint, TextEdit
from reviewscore.validation.versions import Lots, as_judged, joint_versions, meet
from tests.validation.invented import TEXT, paper, passage, point, span

SEEDS, RATE = "Five seeds were run for each harbour.", "All runs use a rate of 0.0137."
TIMES = "One forecast takes 41 ms on a laptop."


def about(item: str, words: str, *cuts: str, decoys: tuple[str, ...] = ()) -> PlantedPoint:
    return point(
        id=item, passages=[passage(words)], cuts=[span(cut) for cut in cuts or (words,)],
        decoys=[span(decoy) for decoy in decoys],
    )  # fmt: skip


def sorts(*points: PlantedPoint) -> list[tuple[frozenset[str], str]]:
    """What versions of several seeds lack, and their texts."""
    return [
        (version.lacking, version.text)
        for seed in range(12)
        for version in joint_versions(TEXT, points, Lots(seed))
    ]


def test_each_answer_is_cut_out_of_one_version_and_stands_in_the_other() -> None:
    points = about("a", SEEDS), about("b", RATE), about("c", TIMES)

    made = sorts(*points)

    assert {len(lacking) for lacking, _ in made} == {0, 1, 2, 3}
    for first, second in zip(made[::2], made[1::2], strict=True):
        assert first[0] | second[0] == {"a", "b", "c"}
        assert not first[0] & second[0]
    for lacking, text in made:
        assert [words in text for words in (SEEDS, RATE, TIMES)] == [
            name not in lacking for name in "abc"
        ]


@pytest.mark.parametrize(
    "other", [about("b", RATE, RATE, SEEDS), about("b", RATE, f"{RATE} {SEEDS}")]
)
def test_points_whose_cuts_and_answers_meet_share_their_fate(other: PlantedPoint) -> None:
    made = sorts(about("a", SEEDS), other, about("c", TIMES))

    assert {lacking & {"a", "b"} for lacking, _ in made} == {frozenset(), frozenset("ab")}
    for lacking, text in made:
        assert (SEEDS in text) is (RATE in text) is ("a" not in lacking)


def test_answers_are_where_they_stand_in_the_version() -> None:
    points = about("a", SEEDS, decoys=("The gate is cheap.",)), about("c", TIMES)

    for seed in range(12):
        for version in joint_versions(TEXT, points, Lots(seed)):
            known = {"a": SEEDS, "c": TIMES}
            assert {
                one.id: [version.text[start:end] for start, end in version.answers(one)]
                for one in points
                if one.id not in version.lacking
            } == {name: [known[name]] for name in known if name not in version.lacking}


def test_a_decoy_takes_no_answer_and_no_part_of_another_cut() -> None:
    points = about("a", SEEDS, decoys=("The gate is cheap.", TIMES)), about("c", TIMES)

    texts = [(lacking, text) for lacking, text in sorts(*points)]

    assert all((TIMES in text) is ("c" not in lacking) for lacking, text in texts)
    assert not [text for _, text in texts if "The gate is cheap." in text]


def test_a_paper_without_planted_points_of_its_own_stays_as_it_is() -> None:
    (version,) = joint_versions(TEXT, (), Lots(0))

    assert (version.text, version.lacking) == (TEXT, frozenset())


def test_lots_are_the_same_for_the_same_seed_alone() -> None:
    drawn = [[Lots(seed).name(name) for name in "abcd"] for seed in (0, 0, 1)]

    assert drawn[0] == drawn[1] != drawn[2]
    assert {Lots(seed).number(3, "n") for seed in range(30)} == {0, 1, 2}


def test_a_version_is_read_anew_under_another_name_unless_reading_changes_it() -> None:
    read = as_judged(paper(), TEXT.replace("cheap", "dear"), name="0a0a")

    assert (read.paper_id, read.text) == ("0a0a", TEXT.replace("cheap", "dear"))
    assert as_judged(paper()).paper_id == "tides"
    with pytest.raises(InputError, match="paper 'tides' changes when it is read again"):
        as_judged(paper(), TEXT.replace("\n", "\r\n"))


def test_words_put_in_where_a_stretch_begins_meet_it_and_those_behind_it_do_not() -> None:
    stretch = TextEdit(start=3, end=5)

    put_in = [TextEdit(start=place, end=place, insert="so") for place in range(2, 7)]

    assert [meet(one, stretch) for one in put_in] == [False, True, True, False, False]
    assert [meet(stretch, one) for one in put_in] == [False, True, True, False, False]
