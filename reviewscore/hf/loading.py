"""Models of Hugging Face: found on this disk, on the best device, without foreign code.

PyTorch and Transformers are the extra ``hf`` and are imported only when a model is loaded. Code
that comes with a model is never run (``trust_remote_code`` stays off), and nothing is fetched
unless the user allows it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    import torch

PREFIX = "hf/"
CAUSAL, SEQ2SEQ, ENCODER = "AutoModelForCausalLM", "AutoModelForSeq2SeqLM", "AutoModel"
"""Transformers' classes for what a model does."""
Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "float32", "bfloat16", "float16"]
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_HERE = ("./", "../", ".\\", "..\\")
"""How a path begins that counts from the current folder."""
_NO = ("", "0", "false", "no", "off")
_UNLIMITED = 1 << 24
"""Token counts above this are Transformers' way to say that no limit is known."""


@dataclass(frozen=True, slots=True)
class Loading:
    """How a model is loaded.

    Attributes:
        device: ``auto`` is the first CUDA device if there is one.
        precision: Type of the weights; ``auto`` is the model's own on CUDA and float32 on CPUs,
            where half precision is both slower and less exact.
        download: Whether a model that is not on this disk may be fetched. HF_HUB_OFFLINE forbids
            it all the same.
    """

    device: Device = "auto"
    precision: Precision = "auto"
    download: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model ready for use.

    Attributes:
        name: ``hf/NAME``; of a model in a local folder, the folder's name alone.
        model: The model, in evaluation mode, on its device.
        tokenizer: Its tokenizer.
        device: Where it computes.
        limit: Most tokens it can read at once; None if it does not say.
    """

    name: str
    model: Any
    tokenizer: Any
    device: torch.device
    limit: int | None


def load(name: str, kind: str, loading: Loading | None = None) -> Loaded:
    """Load a model and its tokenizer.

    Args:
        name: ``hf/NAME``, a name at the hub, or a local folder that is written as a path.
        kind: Transformers' class for what the model does, one of those above.
        loading: How it is loaded.

    Raises:
        SettingsError: The extra is not installed, the model is not here or of another kind, its
            name could mean two things, or there is no such device.
    """
    place, local = place_of(name)
    _check_installed(name)
    import torch
    import transformers

    messages: Any = transformers.utils.logging
    messages.disable_progress_bar()  # a library prints nothing
    loading = loading or Loading()
    device = _device(loading.device)
    precision = loading.precision
    if precision == "auto" and device.type == "cpu":
        precision = "float32"
    options = {"local_files_only": not may_download(loading), "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, **options)
        dtype = precision if precision == "auto" else getattr(torch, precision)
        model = getattr(transformers, kind).from_pretrained(place, dtype=dtype, **options)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise SettingsError(_told(place, error, loading)) from error
    limit = _limit(model.config, tokenizer)
    shown = f"{PREFIX}{Path(place).name if local else place}"
    return Loaded(shown, model.to(device).eval(), tokenizer, device, limit)


def place_of(name: str) -> tuple[str, bool]:
    """What Transformers is asked for, and whether it is a folder of this machine.

    A folder is written as one: absolute, or from ``./`` on. Transformers would take any folder that
    is called as a model at the hub, and who made the current folder would choose the model.

    Args:
        name: As for `load`.

    Raises:
        SettingsError: It is a name at the hub, and there is a file or folder that is called so.
    """
    place = name.removeprefix(PREFIX)
    if Path(place).is_absolute() or place.startswith(_HERE) or place in (".", ".."):
        return place, True
    if Path(place).exists():
        raise SettingsError(
            f"{name} is the name of a model at the hub, and the current folder has a "
            f"{place} too: for that one, write {PREFIX}./{place}; for the other, start elsewhere"
        )
    return place, False


def may_download(loading: Loading) -> bool:
    """Whether a model may be fetched: allowed by the user, not forbidden by the environment."""
    forbidden = any(os.environ.get(name, "").lower() not in _NO for name in _OFFLINE)
    return loading.download and not forbidden


def _check_installed(name: str) -> None:
    missing = [package for package in ("torch", "transformers") if find_spec(package) is None]
    if missing:
        raise SettingsError(
            f"{name} needs {' and '.join(missing)}, which are not installed: "
            "pip install '.[hf]' in a checkout of reviewscore"
        )


def _device(wanted: Device) -> torch.device:
    import torch

    there = torch.cuda.is_available()
    if wanted == "cuda" and not there:
        raise SettingsError("device cuda: PyTorch sees no CUDA device; use cpu or auto")
    return torch.device("cuda" if there and wanted != "cpu" else "cpu")


def _limit(config: Any, tokenizer: Any) -> int | None:
    """The model's own limit, else what its tokenizer says."""
    told = getattr(config.get_text_config(), "max_position_embeddings", None)
    if told is None:
        told = tokenizer.model_max_length
    return int(told) if told and told < _UNLIMITED else None


def _told(place: str, error: Exception, loading: Loading) -> str:
    first = (str(error).splitlines() or [type(error).__name__])[0]
    if not isinstance(error, OSError) or may_download(loading):
        return f"{PREFIX}{place} cannot be loaded ({first})"
    return (
        f"{PREFIX}{place} is not on this disk ({first}); give the folder of a model that was saved "
        "before, or allow it to be downloaded"
    )
