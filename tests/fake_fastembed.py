"""A stand-in for fastembed, onnxruntime and loguru: sentences as sums of their words' vectors.

The file with the weights says how it behaves: any text is fine, ``broken``, ``flat``, ``nan`` and
``zero`` are faults.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

WIDTH = 16
HUB = "models--Qdrant--all-MiniLM-L6-v2-onnx/snapshots/0123abcd"


class FakeFastembed:
    """What was done with it.

    Attributes:
        loaded: Folders whose weights were loaded, once for each time.
        options: How they were, last.
        texts: Texts that were encoded, in order.
        pooling: Of each model that was registered, by name.
        files: Its file with the weights, likewise.
        fetched: Folders into which weights were fetched.
        network: Whether fetching works.
        silenced: What was told to be silent.
    """

    def __init__(self) -> None:
        self.loaded: list[Path] = []
        self.options: dict[str, Any] = {}
        self.texts: list[str] = []
        self.pooling: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.fetched: list[Path] = []
        self.network = True
        self.silenced: list[object] = []

    def install(self, monkeypatch: pytest.MonkeyPatch) -> FakeFastembed:
        """Put it where it is imported from."""
        modules = {name: ModuleType(name) for name in (
            "fastembed", "fastembed.common", "fastembed.common.model_description",
            "onnxruntime", "loguru",
        )}  # fmt: skip
        for name, module in modules.items():
            module.__spec__ = ModuleSpec(name, None)
            monkeypatch.setitem(sys.modules, name, module)
        described = modules["fastembed.common.model_description"]
        vars(described).update(PoolingType=_Pooling, ModelSource=lambda hf: hf)
        vars(modules["fastembed"]).update(TextEmbedding=_text_embedding(self))
        vars(modules["onnxruntime"]).update(
            set_default_logger_severity=self.silenced.append,
            disable_telemetry_events=lambda: self.silenced.append("telemetry"),
        )
        vars(modules["loguru"]).update(logger=_Logger(self))
        return self


def take_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it look as if fastembed were not installed, whether it is or not."""
    monkeypatch.setitem(sys.modules, "fastembed", None)


class _Pooling:
    CLS, MEAN = "CLS", "MEAN"


class _Logger:
    def __init__(self, fake: FakeFastembed) -> None:
        self._fake = fake

    def disable(self, name: str) -> None:
        self._fake.silenced.append(name)


def _text_embedding(fake: FakeFastembed) -> type:
    class TextEmbedding:
        def __init__(
            self, model: str, *, cache_dir: str, specific_model_path: str = "", **options: Any
        ) -> None:
            if not specific_model_path:
                fake.fetched.append(Path(cache_dir))
                if not fake.network:
                    raise OSError("the hub cannot be reached\nand more words")
                write_encoder(Path(cache_dir) / HUB)
                return
            assert options["local_files_only"]
            self._says = (Path(specific_model_path) / fake.files[model]).read_text()
            fake.loaded.append(Path(specific_model_path))
            fake.options = options
            if self._says == "broken":
                raise RuntimeError("INVALID_PROTOBUF: protobuf parsing failed")

        @staticmethod
        def list_supported_models() -> list[dict[str, str]]:
            return [{"model": name} for name in fake.pooling]

        @staticmethod
        def add_custom_model(name: str, *, pooling: str, model_file: str, **_: object) -> None:
            fake.pooling[name], fake.files[name] = pooling, model_file

        def embed(self, texts: list[str]) -> Iterator[NDArray[np.float32]]:
            fake.texts += texts
            for text in texts:
                yield _vector(text, self._says)

    return TextEmbedding


def _vector(text: str, says: str) -> NDArray[np.float32]:
    row = np.zeros((2, WIDTH) if says == "flat" else WIDTH, np.float32)
    if says == "zero":
        return row
    for word in text.lower().split():
        row[..., sum(word.encode()) % WIDTH] += 1
    return row * np.float32("nan") if says == "nan" else row


def write_encoder(folder: Path, *, weights: str = "weights", file: str = "model.onnx") -> Path:
    """A folder with an encoder."""
    (folder / file).parent.mkdir(parents=True)
    (folder / file).write_text(weights)
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text("{}")
    return folder
