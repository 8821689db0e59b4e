"""The invented set for similarity is what its page says it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewscore.similarity.affinity import Library, recipe
from reviewscore.similarity.corpus import ONLY, read_corpus
from reviewscore.similarity.goldstandard import ratings_file, read_ratings
from tests.commands import invoker

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "similarity"
CORPUS = read_corpus(FOLDER)
README = (FOLDER / "README.md").read_text("utf-8")


def test_the_set_has_the_counts_it_says() -> None:
    papers = [one for some in CORPUS.profiles[ONLY].values() for one in some]
    ratings = read_ratings(ratings_file(FOLDER))

    assert CORPUS.warnings == ()
    assert (len(CORPUS.papers), len(CORPUS.submissions)) == (20, 6)
    assert (len(papers), len(CORPUS.profiles[ONLY]), len(ratings.pairs)) == (14, 4, 20)
    for words in ("20 titles and abstracts, 6 of", "14 papers of 4 reviewers", "20 ratings"):
        assert words in README


def test_the_page_says_that_it_is_invented_and_too_small() -> None:
    assert "**invented**" in README
    assert "far too few" in README


def test_the_default_finds_the_reviewer_of_each_field() -> None:
    found = Library(CORPUS).affinity(recipe("tfidf"), ONLY)
    matrix = found.matrix()
    nearest = {one: found.reviewers[matrix[row].argmax()]
               for row, one in enumerate(found.submissions)}  # fmt: skip

    assert nearest | {"s6": ""} == {
        "s1": "ponds", "s2": "bakery", "s3": "rivers", "s4": "traffic", "s5": "ponds", "s6": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    "line", [line for line in README.splitlines() if line.startswith("reviewscore similarity")]
)
def test_its_commands_run(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word.replace("examples/similarity", str(FOLDER)) for word in line.split()[2:]]

    ended = invoker("similarity", capsys)(*words)

    assert ended.exit_code == 0, ended.stderr
    assert "| " in ended.stdout
