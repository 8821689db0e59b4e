"""Vectors that an encoder has made, from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reviewscore.errors import InputError, SettingsError
from reviewscore.similarity.affinity import Library, recipe
from reviewscore.similarity.corpus import ONLY, UnreadPaper
from reviewscore.similarity.encoder import NO_VECTOR, read_embeddings
from reviewscore.similarity.vectors import Pool
from tests.commands import invoker
from tests.similarity.invented import corpus, write_corpus, write_jsonl, write_ratings

VECTORS = {
    "frogs": (1.0, 0.0), "toads": (3.0, 0.0), "newts": (1.0, 1.0), "cakes": (0.0, 1.0),
    "bread": (0.0, 2.0), "rivers": (-1.0, 0.0), "lakes": (-1.0, 0.0), "floods": (-2.0, 0.0),
}  # fmt: skip


def encoded(folder: Path, *without: str) -> Path:
    return write_jsonl(
        folder / "embeddings.jsonl",
        [{"paper_id": name, "embedding": one} for name, one in VECTORS.items()
         if name not in without],
    )  # fmt: skip


def library(folder: Path, *without: str) -> Library:
    found = corpus()
    return Library(found, read_embeddings(encoded(folder, *without), found.papers))


def test_the_highest_cosine_counts(tmp_path: Path) -> None:
    found = library(tmp_path).affinity(recipe("embeddings"), ONLY)

    assert np.allclose(found.matrix(), [[1, 0, -1], [0.5**0.5, 1, 0], [-(0.5**0.5), 0, 1]])
    assert found.nearest("frogs", "ann", 1) == [("toads", 1.0)]


@pytest.mark.parametrize("pool", Pool)
def test_every_pooling_takes_embeddings(tmp_path: Path, pool: Pool) -> None:
    found = library(tmp_path).affinity(recipe("embeddings").varied(pool=pool), ONLY)

    assert found.matrix().argmax(axis=1).tolist() == [0, 1, 2]


def test_papers_without_a_vector_have_no_similarity(tmp_path: Path) -> None:
    found = library(tmp_path, "cakes", "bread").affinity(recipe("embeddings"), ONLY)

    assert found.unread == UnreadPaper({"cakes": NO_VECTOR}, {"bob": NO_VECTOR})
    assert np.isnan(found.matrix()[1]).all()
    assert np.isnan(found.matrix()[:, 1]).all()


def test_embeddings_can_be_averaged_with_words(tmp_path: Path) -> None:
    found = library(tmp_path).affinity(recipe("embeddings+tfidf"), ONLY)

    assert found.matrix().argmax(axis=1).tolist() == [0, 1, 2]


def test_without_their_file_the_cure_is_told() -> None:
    with pytest.raises(SettingsError, match="--embeddings"):
        Library(corpus()).affinity(recipe("embeddings"), ONLY)


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({"paper_id": "frogs", "embedding": [1, 2]}, "'frogs' is there twice"),
        ({"paper_id": "toads", "embedding": [1]}, "has 1 numbers, others have 2"),
        ({"paper_id": "toads", "embedding": []}, "field 'embedding'"),
        ({"paper_id": "toads"}, "field 'embedding': is missing"),
        ({"paper_id": "toads", "embedding": [1, "x"]}, "field 'embedding"),
        ({"paper_id": "toads", "embedding": [1, float("inf")]}, "holds what is no number"),
    ],
)
def test_vectors_that_cannot_be_used_are_told_with_their_line(
    tmp_path: Path, record: dict[str, object], says: str
) -> None:
    file = write_jsonl(tmp_path / "e.jsonl", [{"paper_id": "frogs", "embedding": [1, 0]}, record])

    with pytest.raises(InputError) as caught:
        read_embeddings(file, corpus().papers)

    assert "e.jsonl:2" in str(caught.value)
    assert says in str(caught.value)


def test_vectors_of_other_papers_alone_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no embedding of a paper that is known"):
        read_embeddings(encoded(tmp_path), ())


def test_the_commands_take_a_file_of_embeddings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_corpus(tmp_path / "data")
    write_ratings(folder)
    words = (folder, "--method", "embeddings", "--embeddings", encoded(tmp_path))

    for verb in ("score", "evaluate"):
        ended = invoker("similarity", capsys)(verb, *words)
        assert ended.exit_code == 0, ended.stderr
        assert "embeddings" in ended.stdout
