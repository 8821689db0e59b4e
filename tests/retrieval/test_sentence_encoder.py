"""The sentence encoder: found, loaded, asked, and refused where it is broken."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from reviewscore.errors import SettingsError
from reviewscore.retrieval.encoder import (
    FastembedEncoder,
    encoder_at,
    fetch,
    located,
    own_folder,
    weights_folder,
)
from tests.fake_fastembed import HUB, WIDTH, FakeFastembed, take_away, write_encoder

TEXTS = ("Frogs call at night.", "We count frogs.", "The learning rate is 0.001.")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeFastembed:
    return FakeFastembed().install(monkeypatch)


def named(folder: Path) -> FastembedEncoder:
    encoder = encoder_at(str(folder), folder)
    assert encoder is not None
    return encoder


def test_each_text_has_a_vector_of_length_one(fake: FakeFastembed, tmp_path: Path) -> None:
    vectors = named(write_encoder(tmp_path / "mini")).encode(TEXTS)

    assert (vectors.shape, vectors.dtype) == ((3, WIDTH), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


def test_no_texts_have_no_vectors(fake: FakeFastembed, tmp_path: Path) -> None:
    assert named(write_encoder(tmp_path / "mini")).encode(()).shape == (0, WIDTH)


def test_half_a_character_of_a_broken_text_stops_nothing(
    fake: FakeFastembed, tmp_path: Path
) -> None:
    assert named(write_encoder(tmp_path / "mini")).encode(["a \ud800 b"]).shape == (1, WIDTH)


def test_weights_are_loaded_with_the_first_text_and_once(
    fake: FakeFastembed, tmp_path: Path
) -> None:
    encoder = named(write_encoder(tmp_path / "mini"))
    assert fake.loaded == []

    encoder.encode(TEXTS[:1])
    named(tmp_path / "mini").encode(TEXTS[1:])

    assert fake.loaded == [tmp_path / "mini"]


def test_the_name_changes_with_whatever_changes_a_vector(
    fake: FakeFastembed, tmp_path: Path
) -> None:
    folders = [write_encoder(tmp_path / str(number) / "mini", weights="w") for number in range(4)]
    other = write_encoder(tmp_path / "other" / "mini", weights="x")
    (folders[1] / "tokenizer.json").write_text("{ }")
    (folders[2] / "1_Pooling").mkdir()
    (folders[2] / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')

    names = [FastembedEncoder(folder).name for folder in (*folders, other)]

    assert names[0] == names[3]
    assert len(set(names)) == 4
    assert all(name.startswith("mini ") and len(name) == 13 for name in names)


def test_a_name_is_plain_whatever_the_folder_is_called(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "a b\x1b[31mé\n")

    assert FastembedEncoder(folder).name.startswith("a-b-31m- ")


@pytest.mark.parametrize("file", ["model.onnx", "onnx/model.onnx"])
def test_weights_may_lie_in_a_folder_of_their_own(
    fake: FakeFastembed, tmp_path: Path, file: str
) -> None:
    assert named(write_encoder(tmp_path / "mini", file=file)).encode(TEXTS).shape == (3, WIDTH)


@pytest.mark.parametrize(
    ("said", "pooling"),
    [
        (None, "MEAN"),
        ('{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}', "CLS"),
        ('{"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}', "MEAN"),
    ],
)
def test_tokens_are_averaged_unless_the_folder_says_otherwise(
    fake: FakeFastembed, tmp_path: Path, said: str | None, pooling: str
) -> None:
    folder = write_encoder(tmp_path / "mini", weights=str(said))
    if said is not None:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(said)

    named(folder).load()

    assert set(fake.pooling.values()) == {pooling}


@pytest.mark.parametrize(
    ("allowed", "threads"), [("", 2), ("1", 1), ("64", 2), ("0", 2), ("many", 2)]
)
def test_two_threads_compute_at_most(
    fake: FakeFastembed,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    allowed: str,
    threads: int,
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", allowed)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)

    named(write_encoder(tmp_path / "mini")).load()

    assert fake.options["threads"] == threads
    assert fake.options["providers"] == ["CPUExecutionProvider"]


def test_libraries_say_nothing_and_tell_nobody(
    fake: FakeFastembed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HF_HUB_DISABLE_TELEMETRY", raising=False)

    named(write_encoder(tmp_path / "mini")).load()

    assert fake.silenced == [4, "telemetry", "fastembed"]
    assert os.environ["HF_HUB_DISABLE_TELEMETRY"] == "1"


def test_without_the_extra_there_is_no_encoder_and_a_named_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    take_away(monkeypatch)
    write_encoder(own_folder(tmp_path))

    assert encoder_at("auto", tmp_path) is None
    with pytest.raises(SettingsError, match=r"encoder \(flag\).*fastembed.*'\.\[semantic\]'"):
        encoder_at(str(own_folder(tmp_path)), tmp_path, origin="flag")


def test_without_weights_there_is_no_encoder(fake: FakeFastembed, tmp_path: Path) -> None:
    assert encoder_at("auto", tmp_path) is None
    assert located("auto", tmp_path) is None
    assert fake.loaded == []
    assert fake.fetched == []


def test_none_is_none_whatever_is_there(fake: FakeFastembed, tmp_path: Path) -> None:
    write_encoder(own_folder(tmp_path))

    assert encoder_at(None, tmp_path) is None
    assert located(None, tmp_path) is None


@pytest.mark.parametrize("where", ["own", "hub", "cache"])
def test_weights_are_found_where_they_are_put_or_fetched(
    fake: FakeFastembed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(cache))
    folder = write_encoder(
        {"own": own_folder(tmp_path), "hub": tmp_path / "encoders" / HUB, "cache": cache / HUB}[
            where
        ]
    )

    encoder = encoder_at("auto", tmp_path)

    assert encoder is not None
    assert encoder.folder == folder
    assert encoder.name.startswith("all-MiniLM-L6-v2 ")


def test_a_folder_of_everybodys_is_no_place_of_ones_own(
    fake: FakeFastembed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("FASTEMBED_CACHE_PATH")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    write_encoder(tmp_path / "fastembed_cache" / HUB)
    assert weights_folder(tmp_path / "data") is not None

    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)

    assert weights_folder(tmp_path / "data") is None


def test_another_process_is_told_a_folder(
    fake: FakeFastembed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = write_encoder(own_folder(tmp_path))
    monkeypatch.chdir(folder.parent)

    assert located("auto", tmp_path) == str(folder)
    assert located("all-MiniLM-L6-v2", tmp_path) == str(folder)


def without(folder: Path, name: str) -> None:
    (folder / name).unlink()


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        ("model.onnx", "neither model.onnx nor onnx/model.onnx; name the folder"),
        ("tokenizer.json", "has no tokenizer.json; copy"),
        ("tokenizer_config.json", "has no tokenizer_config.json; copy"),
    ],
)
def test_a_folder_that_lacks_a_file_is_refused_by_name(
    fake: FakeFastembed, tmp_path: Path, lacking: str, words: str
) -> None:
    folder = write_encoder(tmp_path / "mini")
    without(folder, lacking)

    with pytest.raises(SettingsError) as refused:
        encoder_at(str(folder), tmp_path, origin="REVIEWSCORE_ENCODER")

    for part in ("encoder (REVIEWSCORE_ENCODER)", str(folder), words):
        assert part in str(refused.value)


def test_a_folder_that_is_not_there_is_refused(fake: FakeFastembed, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no folder .*absent; name"):
        encoder_at(str(tmp_path / "absent"), tmp_path)


@pytest.mark.parametrize(
    "said", ["{", "[]", '{"pooling_mode_max_tokens": true}', "{}", "[" * 3000, '"' + "x" * 200_000]
)
def test_a_way_of_pooling_that_is_not_known_is_refused(
    fake: FakeFastembed, tmp_path: Path, said: str
) -> None:
    folder = write_encoder(tmp_path / "mini")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(said)

    with pytest.raises(SettingsError, match="1_Pooling"):
        encoder_at(str(folder), tmp_path)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("broken", "cannot be loaded (INVALID_PROTOBUF: protobuf parsing failed); copy or fetch"),
        ("flat", "an array of shape (2, 16) for a text"),
        ("nan", "no length or is no number"),
        ("zero", "no length or is no number"),
    ],
)
def test_weights_that_give_no_vectors_are_refused(
    fake: FakeFastembed, tmp_path: Path, weights: str, words: str
) -> None:
    encoder = named(write_encoder(tmp_path / "mini", weights=weights))

    with pytest.raises(SettingsError) as refused:
        encoder.load()

    assert str(encoder.folder) in str(refused.value)
    assert words in str(refused.value)


def test_a_text_is_encoded_once(fake: FakeFastembed, tmp_path: Path) -> None:
    encoder = named(write_encoder(tmp_path / "mini"))
    encoder.load()
    fake.texts.clear()

    first = encoder.encode([*TEXTS, TEXTS[0]])
    again = encoder.encode(TEXTS[1:])

    assert fake.texts == list(TEXTS)
    assert np.array_equal(first[1:3], again)
    assert np.array_equal(first[0], first[3])


def test_what_a_caller_does_to_vectors_is_its_own(fake: FakeFastembed, tmp_path: Path) -> None:
    encoder = named(write_encoder(tmp_path / "mini"))
    expected = encoder.encode(TEXTS)

    encoder.encode(TEXTS)[:] = 0

    assert np.array_equal(encoder.encode(TEXTS), expected)


def test_weights_are_fetched_into_the_users_folder_without_a_login(
    fake: FakeFastembed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "0")
    monkeypatch.setenv("HF_HUB_DISABLE_SHARED_BLOBS", "0")

    encoder = fetch(tmp_path)

    assert fake.fetched == [tmp_path / "encoders"]
    assert encoder.folder == weights_folder(tmp_path) == tmp_path / "encoders" / HUB
    assert os.environ["HF_HUB_DISABLE_IMPLICIT_TOKEN"] == "1"
    assert os.environ["HF_HUB_DISABLE_SHARED_BLOBS"] == "1"


def test_what_cannot_be_fetched_may_be_copied(fake: FakeFastembed, tmp_path: Path) -> None:
    fake.network = False

    with pytest.raises(SettingsError) as refused:
        fetch(tmp_path)

    for words in ("the hub cannot be reached", str(own_folder(tmp_path)), "model.onnx",
                  "tokenizer_config.json", "Qdrant/all-MiniLM-L6-v2-onnx"):  # fmt: skip
        assert words in str(refused.value)
    assert "and more words" not in str(refused.value)
