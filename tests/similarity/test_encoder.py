"""Papers encoded by a model of Hugging Face."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reviewscore.errors import SettingsError
from reviewscore.hf.models import ENCODER, Loaded, Loading, load
from reviewscore.similarity.affinity import Library, recipe
from reviewscore.similarity.corpus import ONLY, Publication
from reviewscore.similarity.encoder import Encoded, encode, read_embeddings, write_embeddings
from tests import tiny_models
from tests.commands import invoker
from tests.similarity.invented import corpus, write_corpus

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
