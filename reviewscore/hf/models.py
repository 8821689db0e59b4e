"""Models of Hugging Face: loaded from this disk, without foreign code; their texts as tokens.

PyTorch and Transformers are the extra ``hf`` and are imported only when a model is loaded. Code
that comes with a model is never run (``trust_remote_code`` stays off), and nothing is fetched
unless the user allows it. Of foreign text, nothing becomes a control token.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
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
    value = getattr(config.get_text_config(), "max_position_embeddings", None)
    if value is None:
        value = tokenizer.model_max_length
    return int(value) if value and value < _UNLIMITED else None


def _told(place: str, error: Exception, loading: Loading) -> str:
    first = (str(error).splitlines() or [type(error).__name__])[0]
    if not isinstance(error, OSError) or may_download(loading):
        return f"{PREFIX}{place} cannot be loaded ({first})"
    return (
        f"{PREFIX}{place} is not on this disk ({first}); give the folder of a model that was saved "
        "before, or allow it to be downloaded"
    )


Ids = tuple[int, ...]
_MOST_KEPT = 4096
"""Parts whose tokens are remembered."""


@dataclass(frozen=True, slots=True)
class TokenPart:
    """A stretch of a prompt.

    Attributes:
        text: Its text.
        foreign: Whether it comes from outside, so that markers in it are text and nothing more.
    """

    text: str
    foreign: bool


class TokenReader:
    """A tokenizer that reads markers in fixed text, and none in foreign text.

    A tokenizer may know markers that it does not count as special (``<think>``) and that it would
    read anywhere: where one is met in a foreign text, a space breaks it up.

    Args:
        tokenizer: Of Transformers.

    Attributes:
        control: Tokens that mean something to the model beyond text.
        lead: What the tokenizer puts before every text.
        trail: What it puts behind every text.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.get_added_vocab()
        self._markers = {number: text for text, number in added.items() if text.strip()}
        self._markers |= dict(
            zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True)
        )
        self.control = frozenset(self._markers)
        self.lead, self.trail = self._around()
        self._kept: dict[TokenPart, Ids] = {}

    def of(self, part: TokenPart) -> Ids:
        """The tokens of a part alone, without those that the tokenizer puts around texts."""
        if part not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[part] = self._foreign(part.text) if part.foreign else self._ids(part.text)
        return self._kept[part]

    def foreign(self, text: str) -> Ids:
        """The tokens of a foreign text; none for one of blanks."""
        return self.of(TokenPart(text, foreign=True)) if text.strip() else ()

    def _foreign(self, text: str) -> Ids:
        ids = self._ids(text, split_special_tokens=True)
        while met := [self._markers[number] for number in ids if number in self._markers]:
            changed = without_markers(text, met)
            if changed == text:  # the tokenizer's word for what it does not know
                break
            text = changed
            ids = self._ids(text, split_special_tokens=True)
        return ids

    def _ids(self, text: str, **options: bool) -> Ids:
        if not text:
            return ()
        # Long texts are refused by our own rule; the tokenizer's warning would say the same.
        read = self._tokenizer(text, add_special_tokens=False, verbose=False, **options)
        return tuple(read["input_ids"])

    def _around(self) -> tuple[Ids, Ids]:
        bare, whole = self._ids("a"), tuple(self._tokenizer("a")["input_ids"])
        for start in range(len(whole) - len(bare) + 1):
            end = start + len(bare)
            if whole[start:end] == bare:
                return whole[:start], whole[end:]
        return (), ()


def without_markers(text: str, markers: Sequence[str]) -> str:
    """A text in which none of the given markers is left: a space parts the first sign from it.

    Args:
        text: The text.
        markers: A tokenizer's own markers; those of blanks alone, or of one sign, are no markers.
    """
    for marker in markers:
        if len(marker.strip()) > 1:
            text = text.replace(marker, f"{marker[0]} {marker[1:]}")
    return text


def padded(rows: Sequence[Ids], device: torch.device, *, filler: int = 0) -> torch.Tensor:
    """Token ids. Shape (rows, longest row); the rest of a row is filled."""
    import torch

    longest = max(map(len, rows))
    filled = [[*row, *[filler] * (longest - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.long, device=device)
