"""The sentence encoder with fastembed and real weights (``make semantic``).

``ENCODER_WEIGHTS`` names a folder with all-MiniLM-L6-v2; without it these tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import reviewscore as rs
from reviewscore.errors import SettingsError
from reviewscore.retrieval.encoder import FastembedEncoder, encoder_at, own_folder
from reviewscore.retrieval.index import PaperIndex
from reviewscore.schema.paper import Paper
from tests.commands import invoker
from tests.conftest import ROOT

pytest.importorskip("fastembed", reason="fastembed is not installed: make semantic")
onnx = pytest.importorskip("onnx", reason="onnx is not installed: make semantic")
if "ENCODER_WEIGHTS" not in os.environ:
    pytest.skip("ENCODER_WEIGHTS names no folder: make semantic", allow_module_level=True)

WEIGHTS = Path(os.environ["ENCODER_WEIGHTS"])
TEXTS = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")


@pytest.fixture(scope="module")
def encoder() -> FastembedEncoder:
    return FastembedEncoder(WEIGHTS)


def test_similarities_are_the_published_ones(encoder: FastembedEncoder) -> None:
    """The quickstart of Sentence Transformers prints these of all-MiniLM-L6-v2."""
    vectors = encoder.encode(TEXTS)

    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    assert vectors.shape == (3, 384)
    assert np.allclose(vectors @ vectors.T, expected, atol=1e-3)


def test_a_vector_does_not_depend_on_the_texts_beside_it(encoder: FastembedEncoder) -> None:
    texts = ["Frogs.", "We count frogs in ponds from sound alone. " * 40, *TEXTS]

    together = FastembedEncoder(WEIGHTS).encode(texts)

    assert np.array_equal(together[::-1], FastembedEncoder(WEIGHTS).encode(texts[::-1]))
    assert np.array_equal(together[1:2], encoder.encode(texts[1:2]))


@pytest.mark.parametrize("text", ["", " ", "\x00\ud800", "日本語", "word " * 5000])
def test_any_text_has_a_vector(encoder: FastembedEncoder, text: str) -> None:
    assert np.isclose(np.linalg.norm(encoder.encode([text])), 1)


def test_a_point_lies_near_the_passage_that_answers_it_in_other_words(
    encoder: FastembedEncoder, paper: Paper
) -> None:
    index = PaperIndex(paper)
    texts = tuple(passage.text for passage in index.passages)

    near = (
        encoder.encode(texts)
        @ encoder.encode(
            ["The authors never say when their approach stops working, such as in bad weather."]
        )[0]
    )

    assert "heavy rain" in texts[int(near.argmax())]


def test_nothing_reaches_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], encoder: FastembedEncoder
) -> None:
    folder = tmp_path / "talkative"
    shutil.copytree(WEIGHTS, folder)
    model = onnx.load(folder / "model.onnx")
    unused = onnx.numpy_helper.from_array(np.zeros(1, np.float32), "not used by any node")
    model.graph.initializer.append(unused)  # onnxruntime warns of it
    onnx.save(model, folder / "model.onnx")

    assert np.array_equal(FastembedEncoder(folder).encode(TEXTS), encoder.encode(TEXTS))
    assert capfd.readouterr() == ("", "")


def truncated(folder: Path) -> None:
    with (folder / "model.onnx").open("r+b") as file:
        file.truncate(1_000_000)


def pooled_already(folder: Path) -> None:
    """A model that gives one number for each text."""
    from onnx import TensorProto, helper

    shape = ["texts", "tokens"]
    names = ("input_ids", "attention_mask")
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["input_ids"], ["numbers"], to=TensorProto.FLOAT),
            helper.make_node("ReduceMean", ["numbers"], ["mean"], axes=[1], keepdims=0),
        ],
        "mean",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in names],
        [helper.make_tensor_value_info("mean", TensorProto.FLOAT, ["texts"])],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(made, folder / "model.onnx")


def no_numbers(folder: Path) -> None:
    model = onnx.load(folder / "model.onnx")
    (shift,) = (
        array for array in model.graph.initializer if array.name == "embeddings.LayerNorm.bias"
    )
    shift.CopyFrom(onnx.numpy_helper.from_array(np.full(384, np.nan, np.float32), shift.name))
    onnx.save(model, folder / "model.onnx")


def no_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (truncated, "cannot be loaded"),
        (no_tokenizer, "cannot be loaded"),
        (pooled_already, "gives no vectors"),
        (no_numbers, "no length or is no number"),
    ],
)
def test_what_is_broken_is_named_with_a_cure_and_nothing_else_is_said(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    spoil: object,
    words: str,
) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(WEIGHTS, folder)
    assert callable(spoil)
    spoil(folder)

    with pytest.raises(SettingsError) as refused:
        FastembedEncoder(folder).load()

    for part in (str(folder), words, "copy or fetch"):
        assert part in str(refused.value)
    assert capfd.readouterr() == ("", "")


OFFLINE = """
import sys
NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
def refuse(event, args):
    if event in NETWORK:
        sys.stderr.write(f"{event} {args}\\n")
        raise RuntimeError("a socket was used")
sys.addaudithook(refuse)
from reviewscore.cli.main import main
main(sys.argv[1:])
"""


def test_an_audit_with_it_uses_no_network_and_prints_what_one_without_prints(
    tmp_path: Path,
) -> None:
    said = {}
    for setting in ("none", str(WEIGHTS)):
        run = tmp_path / "run"
        words = ("audit", ROOT / "examples", "-o", run, "--encoder", setting)
        ended = subprocess.run(
            [sys.executable, "-c", OFFLINE, *map(str, words)],
            capture_output=True, text=True, check=True, cwd=tmp_path,
        )  # fmt: skip
        said[setting] = [line for line in ended.stderr.splitlines() if "splitting" not in line]
        version = rs.load_run(run).manifest.judge_version
        shutil.rmtree(run)
    bare, ranked = (lines[0] for lines in said.values())

    assert version == f"6 with {FastembedEncoder(WEIGHTS).name}"
    assert "sentence encoder" in ranked
    assert "sentence encoder" not in bare
    assert said["none"][1:] == said[str(WEIGHTS)][1:]


def test_the_doctor_finds_a_copy_in_the_users_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(WEIGHTS, own_folder(tmp_path / "ledger"))

    told = invoker("doctor", capsys)().stdout

    assert "fastembed    installed" in told
    assert f"in {own_folder(tmp_path / 'ledger')}" in told


def test_what_fastembed_fetched_before_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    snapshot = tmp_path / "models--Qdrant--all-MiniLM-L6-v2-onnx" / "snapshots" / "0123"
    shutil.copytree(WEIGHTS, snapshot)

    encoder = encoder_at("auto", tmp_path / "data")

    assert encoder is not None
    assert encoder.folder == snapshot
    assert encoder.encode(TEXTS).shape == (3, 384)


def test_a_fetch_that_may_not_use_the_network_says_what_to_copy(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\nfrom reviewscore.retrieval.encoder import fetch\n"
        "from reviewscore.errors import SettingsError\n"
        "try: fetch(pathlib.Path(sys.argv[1]))\nexcept SettingsError as error: print(error)\n"
    )

    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True, text=True, check=True, env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip

    assert "could not be fetched" in ended.stdout
    assert f"to {own_folder(tmp_path)}" in ended.stdout
    assert ended.stderr == ""
