"""Sentences as vectors, by a small encoder on this machine: the optional extra ``semantic``.

The encoder is a model in the ONNX format that fastembed runs on the processor. It is imported and
loaded only when a text is encoded, once a process; weights lie in a folder of this machine and are
fetched by `fetch` alone, which `reviewscore doctor --fetch-encoder` calls after it has asked.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from reviewscore.bounds import Bound, read_bounded
from reviewscore.errors import InputError, SettingsError
from reviewscore.files import hash_file
from reviewscore.json_text import load_json
from reviewscore.schema.record import storable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from reviewscore.config import Settings

AUTO = "auto"
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
"""The encoder that is looked for and fetched."""
SOURCE = "Qdrant/all-MiniLM-L6-v2-onnx"
"""Where fastembed fetches it from, at huggingface.co."""
LICENCE = "Apache-2.0"
MEGABYTES = 90
"""Size of what is fetched."""
INSTALL = "pip install '.[semantic]' in a checkout of reviewscore"

_SHORT = MODEL.partition("/")[2]
_IN_HUB = f"models--{SOURCE.replace('/', '--')}/snapshots"
_MODEL_FILES = ("model.onnx", "onnx/model.onnx")
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
_POOLING = "1_Pooling/config.json"
_FIRST, _MEAN = "pooling_mode_cls_token", "pooling_mode_mean_tokens"
_MOST = Bound("", 0.1, of="a file that says how tokens are pooled")
_THREADS = 2
_KEPT = 4096
"""Vectors that are kept: of the points of a batch, and of the passages of the last few papers."""
_HASH = 8
"""Hexadecimal digits of the weights' sum in an encoder's name."""
_LONGEST_NAME = 60


class SentenceEncoder(Protocol):
    """Turns texts into vectors; texts that mean much the same lie close to each other."""

    @property
    def name(self) -> str:
        """Its model and a short sum of its weights; another name may give other vectors."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts: shape (texts, dimensions), rows of length 1.

        The vector of a text does not depend on the texts beside it.
        """


class FastembedEncoder:
    """An encoder in a folder, run by fastembed.

    Args:
        folder: Has ``model.onnx`` or ``onnx/model.onnx``, ``tokenizer.json`` and
            ``tokenizer_config.json``. Tokens are averaged, unless ``1_Pooling/config.json`` says
            that the first one counts.

    Attributes:
        folder: The folder.
        name: Name of the model, as its folder is called, and a short sum of weights and tokenizer.

    Raises:
        SettingsError: The folder lacks a file, or one cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise SettingsError(f"no folder {folder}; name a folder with an encoder, auto or none")
        model = _model_file(folder)
        if model is None:
            raise SettingsError(
                f"{folder} has neither {' nor '.join(_MODEL_FILES)}; name the folder of a sentence "
                f"encoder in the ONNX format, such as {SOURCE}"
            )
        lacking = [name for name in _TOKENIZER_FILES if not (folder / name).is_file()]
        if lacking:
            raise SettingsError(
                f"{folder} has no {' and no '.join(lacking)}; copy them from where {model} is from"
            )
        self.folder, self._model_file = folder, model
        self._first_token = _first_token_counts(folder)
        self.name = f"{_model_name(folder)} {self._sum()[:_HASH]}"
        self._vector = lru_cache(maxsize=_KEPT)(self._encoded)

    def _sum(self) -> str:
        """SHA-256 of all that decides a vector."""
        names = (self._model_file, *_TOKENIZER_FILES)
        try:
            sums = [hash_file(self.folder / name).sha256 for name in names]
        except InputError as error:
            raise SettingsError(str(error)) from error
        return hashlib.sha256(repr([sums, self._first_token]).encode()).hexdigest()

    def load(self) -> None:
        """Load the weights, if they are not loaded, and try them.

        Raises:
            SettingsError: They cannot be loaded, or give no vectors.
        """
        _ = self._width

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, as of `SentenceEncoder`; those of the last few thousand are kept.

        Raises:
            SettingsError: The weights cannot be loaded, or give no vectors.
        """
        import numpy as np

        vectors = np.empty((len(texts), self._width), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(text)
        return vectors

    @cached_property
    def _width(self) -> int:
        """Dimensions of a vector."""
        return len(self._vector("A text to try the encoder with."))

    def _encoded(self, text: str) -> NDArray[np.float32]:
        """The vector of one text.

        Texts are encoded one by one: no vector then hangs on its neighbours, and it costs no time
        (texts of different lengths are not padded) and the least memory.
        """
        import numpy as np

        with self._failures("gives no vectors"):
            given = np.asarray(next(iter(self._model.embed([storable(text)]))), np.float32)
        if given.ndim != 1:
            raise SettingsError(
                f"the encoder in {self.folder} gives an array of shape {given.shape} for a text, "
                "and not a vector; it is no sentence encoder: name another folder, or none"
            )
        length = np.linalg.norm(given)
        if not (np.isfinite(length) and length):
            raise SettingsError(
                f"the encoder in {self.folder} gives a vector that has no length or is no number; "
                "its weights may be broken: copy or fetch them anew"
            )
        return np.asarray(given / length, np.float32)

    @cached_property
    def _model(self) -> Any:
        """The model as fastembed holds it."""
        called = f"reviewscore/{self.name}"
        with self._failures("cannot be loaded"):
            text_embedding = _fastembed()
            from fastembed.common.model_description import ModelSource, PoolingType

            if called not in {one["model"] for one in text_embedding.list_supported_models()}:
                text_embedding.add_custom_model(
                    called,
                    pooling=PoolingType.CLS if self._first_token else PoolingType.MEAN,
                    normalization=True,
                    sources=ModelSource(hf=SOURCE),  # must be named, and is not asked
                    dim=0,
                    model_file=self._model_file,
                )
            return text_embedding(
                called,
                cache_dir=str(self.folder),
                specific_model_path=str(self.folder),
                local_files_only=True,
                threads=_threads(),
                providers=["CPUExecutionProvider"],
            )

    @contextmanager
    def _failures(self, what: str) -> Iterator[None]:
        try:
            yield
        except SettingsError:
            raise
        except Exception as error:  # onnxruntime and tokenizers raise errors of no common kind
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise SettingsError(
                f"the encoder in {self.folder} {what} ({reason[0][:200]}); copy or fetch it anew, "
                "or go on with --encoder none"
            ) from error


def installed() -> bool:
    """Whether the extra ``semantic`` is there."""
    return find_spec("fastembed") is not None


def own_folder(data: Path) -> Path:
    """Where the user's own copy of the encoder lies, or is put by hand.

    Args:
        data: The user's data folder (`Settings.ledger_folder`).
    """
    return data / "encoders" / _SHORT


def weights_folder(data: Path) -> Path | None:
    """The folder with the weights of `MODEL` on this machine; None if there is none.

    Args:
        data: As of `own_folder`.
    """
    places = [data / "encoders"]
    named = os.environ.get("FASTEMBED_CACHE_PATH")
    shared = Path(named) if named else Path(tempfile.gettempdir()) / "fastembed_cache"
    if named or _is_own(shared):
        places.append(shared)
    for place in places:
        snapshots = sorted((place / _IN_HUB).glob("*"), key=lambda path: path.stat().st_mtime)
        for folder in (place / _SHORT, *reversed(snapshots)):
            if _model_file(folder) is not None:
                return folder
    return None


def located(setting: str | None, data: Path) -> str | None:
    """The setting ``encoder`` as a folder that means the same in another process; None for none.

    Args:
        setting: As of `encoder_at`.
        data: As of `own_folder`.
    """
    if setting == AUTO:
        folder = weights_folder(data) if installed() else None
        return None if folder is None else str(folder.absolute())
    return None if setting is None else str(Path(setting).absolute())


def encoder_at(
    setting: str | None, data: Path, *, origin: str | None = None, load: bool = False
) -> FastembedEncoder | None:
    """The encoder that a setting names.

    Args:
        setting: ``auto`` for the one on this machine if the extra and weights are there, a folder,
            or None.
        data: As of `own_folder`.
        origin: Where the setting comes from, for messages.
        load: Whether its weights are loaded and tried at once, and not with the first text.

    Returns:
        The same one for the same folder, or None.

    Raises:
        SettingsError: A named encoder cannot be used, or one that was found is broken.
    """
    folder = located(setting, data)
    if folder is None:
        return None
    named = "encoder" if origin is None else f"encoder ({origin})"
    if not installed():
        raise SettingsError(
            f"{named}: {setting} needs fastembed, which is not installed: {INSTALL}"
        )
    try:
        encoder = _of_folder(Path(folder))
        if load:
            encoder.load()
        return encoder
    except SettingsError as error:
        raise SettingsError(f"{named}: {error}") from error


def encoder_of(
    settings: Settings, *, origin: str | None = None, load: bool = False
) -> FastembedEncoder | None:
    """The encoder that the settings name; as `encoder_at`."""
    return encoder_at(settings.encoder, settings.ledger_folder, origin=origin, load=load)


def fetch(data: Path) -> FastembedEncoder:
    """Fetch the weights of `MODEL` into the user's data folder, with fastembed, and try them.

    Args:
        data: As of `own_folder`.

    Raises:
        SettingsError: The extra is not installed, or they cannot be fetched; says what to do.
    """
    if not installed():
        raise SettingsError(f"fastembed is not installed: {INSTALL}")
    own = own_folder(data)
    # Nobody's login goes along, and nothing is put elsewhere.
    os.environ["HF_HUB_DISABLE_IMPLICIT_TOKEN"] = "1"
    os.environ["HF_HUB_DISABLE_SHARED_BLOBS"] = "1"
    try:
        _fastembed()(MODEL, cache_dir=str(own.parent), threads=1, lazy_load=True)
    except Exception as error:  # what a download raises depends on the hub's library
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise SettingsError(
            f"the encoder could not be fetched ({reason[0][:200]}); on a machine with network, "
            f"download {SOURCE} from huggingface.co and copy its {_MODEL_FILES[0]}, "
            f"{', '.join(_TOKENIZER_FILES)} to {own}"
        ) from error
    encoder = encoder_at(AUTO, data, load=True)
    if encoder is None:
        raise SettingsError(f"fastembed put no weights into {own.parent}; copy them to {own}")
    return encoder


@cache
def _of_folder(folder: Path) -> FastembedEncoder:
    return FastembedEncoder(folder)


def _model_file(folder: Path) -> str | None:
    return next((name for name in _MODEL_FILES if (folder / name).is_file()), None)


def _model_name(folder: Path) -> str:
    """What the model is called: its folder's name, or its repository's in a hub's cache."""
    name = folder.absolute().name
    if folder.parent.name == "snapshots":
        name = folder.parent.parent.name.rpartition("--")[2].removesuffix("-onnx")
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:_LONGEST_NAME]


def _first_token_counts(folder: Path) -> bool:
    """Whether a text's vector is that of its first token; else it is the mean of all.

    Raises:
        SettingsError: It is neither, or the file that says so cannot be read.
    """
    file = folder / _POOLING
    if not file.is_file():
        return False
    try:
        said = load_json(read_bounded(file, _MOST).decode())
    except (InputError, ValueError) as error:
        raise SettingsError(f"{file} cannot be read: {error}") from error
    modes = said.items() if isinstance(said, dict) else ()
    chosen = {name for name, value in modes if name.startswith("pooling_mode_") and value is True}
    if chosen not in ({_FIRST}, {_MEAN}):
        raise SettingsError(
            f"{file} sets neither {_MEAN} nor {_FIRST} alone, and no other is known"
        )
    return chosen == {_FIRST}


def _is_own(folder: Path) -> bool:
    """Whether a folder is this user's; the system's place for temporary files is everybody's."""
    try:
        return folder.stat().st_uid == os.getuid()
    except (OSError, AttributeError):  # it is not there, or the system has no such numbers
        return folder.is_dir()


def _threads() -> int:
    """Two at most, and what OMP_NUM_THREADS allows: workers of a batch have one each."""
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    wanted = int(allowed) if allowed.isdecimal() and int(allowed) else _THREADS
    return min(wanted, _THREADS, os.cpu_count() or 1)


def _fastembed() -> Any:
    """Fastembed's class for texts, silent and without telemetry."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # read when the hub's library loads
    import onnxruntime
    from fastembed import TextEmbedding
    from loguru import logger

    onnxruntime.set_default_logger_severity(4)  # what fails is raised too
    onnxruntime.disable_telemetry_events()
    logger.disable("fastembed")
    return TextEmbedding
