"""The invented set for GEM is what its page says it is."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from pathlib import Path

from reviewscore.gem.export_pairs import prompt_pairs
from reviewscore.gem.prepare import LONGEST_LINE, STANCES
from reviewscore.gem.score import GEM as PLAIN
from reviewscore.gem.score import GEM_RAW, GEM_S, Cases, possible, summary_section
from reviewscore.sources.system_reviews import PEOPLE, read_materials

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "gem"
MATERIALS = read_materials(FOLDER)
README = (FOLDER / "README.md").read_text("utf-8")
HEADINGS = (
    "Summary Of The Paper:", "Strength And Weaknesses:",
    "Clarity, Quality, Novelty And Reproducibility:", "Summary Of The Review:",
)  # fmt: skip


def test_the_set_is_read_without_warnings_and_has_the_counts_it_says() -> None:
    counts = Counter(one.system for one in MATERIALS.all())

    assert MATERIALS.warnings == []
    assert MATERIALS.skipped == []
    assert counts == {PEOPLE: 36, "careful-writer": 12, "generic-writer": 12}
    assert len(MATERIALS.papers) == len(MATERIALS.synopses) == 12
    assert "| 60 reviews" in README
    assert "| 12 titles and abstracts" in README


def test_the_page_says_that_it_is_invented_and_too_small() -> None:
    assert "**invented**" in README
    assert "far too small" in README


def test_every_judgment_is_a_line_with_one_of_the_four_beginnings() -> None:
    form = re.compile(rf"The reviewer (?:{'|'.join(STANCES)}) \w.*[^.]")
    for review in MATERIALS.all():
        lines = review.judgments.splitlines()
        assert 6 <= len(lines) <= 9, review.review_id
        assert len(set(lines)) == len(lines), review.review_id
        for line in lines:
            assert form.fullmatch(line), line
            assert len(line) < LONGEST_LINE


def test_every_text_has_the_four_headings_and_some_sentences() -> None:
    for review in MATERIALS.all():
        places = [review.raw.find(heading) for heading in HEADINGS]
        assert places == sorted(places), review.review_id
        assert min(places) == 0, review.review_id
        assert 5 <= len(re.findall(r"[.?](?=\s|$)", review.raw)) <= 9, review.review_id
        assert summary_section(review.raw) is not None, review.review_id


def test_all_variants_but_assw_can_be_scored_and_every_review_has_its_references() -> None:
    assert list(possible(MATERIALS)) == [PLAIN, GEM_S["abstract"], GEM_RAW]
    for variant in (PLAIN, GEM_S["abstract"], GEM_RAW):
        made = Cases(MATERIALS, variant)
        found = list(chain.from_iterable(made))
        assert len(found) == 60
        assert not any(made.dropped.values())
        assert {len(one.references) for one in found} == {2, 3}


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower())) - {*STANCES, "reviewer"}


def shared_with_people(system: str) -> float:
    """Mean share of a review's words that another person used on the same paper."""
    shares = [
        len(words(one.judgments) & words(other.judgments)) / len(words(one.judgments))
        for group in MATERIALS.papers.values()
        for one in group
        for other in group
        if one.system == system and other.system == PEOPLE and one != other
    ]
    return sum(shares) / len(shares)


def test_people_agree_in_part_and_the_careful_writer_more_than_the_generic_one() -> None:
    people = shared_with_people(PEOPLE)
    assert 0.15 < people < 0.6
    assert shared_with_people("generic-writer") < people < shared_with_people("careful-writer")


def test_every_paper_gives_pairs_to_fine_tune_on() -> None:
    assert len(list(prompt_pairs(MATERIALS))) == 12 * 18
