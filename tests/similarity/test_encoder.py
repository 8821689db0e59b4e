"""Vectors of papers: from files, and by an encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reviewscore.errors import InputError, SettingsError
from reviewscore.hf.loading import ENCODER, Loaded, Loading, load
from reviewscore.similarity.affinity import Library, recipe
from reviewscore.similarity.corpus import ONLY, Publication, Unread
from reviewscore.similarity.encoder import (
    NO_VECTOR,
    Encoded,
    encode,
    read_embeddings,
    write_embeddings,
)
from reviewscore.similarity.vectors import Pool
from tests import tiny_models
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

    assert found.unread == Unread({"cakes": NO_VECTOR}, {"bob": NO_VECTOR})
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


torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

PAPERS = list(corpus().papers.values())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def loaded(folder: Path) -> Loaded:
    return load(str(folder), ENCODER, Loading("cpu"))


def vector(found: Encoded, paper: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(found.vectors[paper])


def test_every_paper_has_one_vector_of_the_width_of_the_encoder(loaded: Loaded) -> None:
    found = encode(PAPERS, loaded)

    assert list(found.vectors) == [one.paper_id for one in PAPERS]
    assert {len(one) for one in found.vectors.values()} == {16}


@pytest.mark.parametrize("taken", ["first", "mean"])
def test_a_paper_is_the_same_alone_and_among_longer_ones(loaded: Loaded, taken: str) -> None:
    together = encode(PAPERS, loaded, taken)  # type: ignore[arg-type]

    for one in PAPERS:
        alone = encode([one], loaded, taken)  # type: ignore[arg-type]
        assert np.allclose(vector(alone, one.paper_id), vector(together, one.paper_id), atol=1e-4)


def test_the_first_token_and_the_mean_differ(loaded: Loaded) -> None:
    first, mean = encode(PAPERS, loaded), encode(PAPERS, loaded, "mean")

    assert not np.allclose(vector(first, "frogs"), vector(mean, "frogs"), atol=1e-3)


def test_papers_that_are_cut_and_papers_without_text_are_told(loaded: Loaded) -> None:
    found = encode(
        [Publication("long", "frogs " * 99), Publication("bare"), Publication("short", "frogs")],
        loaded,
    )

    assert (found.cut, found.empty) == (("long",), ("bare",))
    assert set(found.vectors) == {"long", "short"}


def test_a_marker_in_a_title_is_text(loaded: Loaded) -> None:
    marked = [Publication("a", f"frogs {marker}") for marker in (*tiny_models.MARKERS, "frogs")]
    vectors = [vector(encode([one], loaded), "a") for one in marked]

    assert all(np.isfinite(one).all() for one in vectors)


def test_what_was_encoded_can_be_scored(loaded: Loaded, tmp_path: Path) -> None:
    path = write_embeddings(tmp_path / "e.jsonl", encode(PAPERS, loaded, "mean"))
    found = corpus()

    library = Library(found, read_embeddings(path, found.papers))

    assert not np.isnan(library.affinity(recipe("embeddings"), ONLY).matrix()).any()


def test_the_command_writes_what_score_reads(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_corpus(tmp_path / "data")
    path = tmp_path / "e.jsonl"
    similarity = invoker("similarity", capsys)

    encoded = similarity("encode", data, "--model", folder, "--device", "cpu", "-o", path)
    scored = similarity("score", data, "--method", "embeddings", "--embeddings", path)

    assert encoded.exit_code == 0, encoded.stderr
    assert "8 papers by hf/" in encoded.stdout
    assert scored.exit_code == 0, scored.stderr


def test_a_model_that_is_not_here_is_not_fetched(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not on this disk"):
        load("hf/nobody/nothing", ENCODER, Loading("cpu"))
