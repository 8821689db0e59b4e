"""BERTScore: the best match of each token in the other text, by embeddings (arXiv 1904.09675).

Precision is the mean over the candidate's tokens of the highest cosine with a token of the
reference, recall the same the other way round, F1 their harmonic mean, about 0 to 1, the higher
the better. Neither inverse document frequencies nor a rescaling by a baseline is applied, which
are the library's defaults too. It is written out here, since the library ``bert-score`` (0.3.13,
its last release, of 2023) cuts long texts off without a word, reads control markers in foreign
text, and is not kept up with Transformers; the measure itself is a few lines.

Texts longer than the encoder reads are cut into windows at the ends of sentences (a sentence
longer than a window, after so many tokens), each read alone; tokens match across windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reviewscore.errors import SettingsError
from reviewscore.hf.models import Ids, Loaded, TokenReader, padded
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.text.similarity import TextPair

if TYPE_CHECKING:
    import torch

Variant = Literal["precision", "recall", "f1"]
_WINDOW = 512
"""Tokens of a window at most: what encoders are trained on."""
_AT_ONCE = 16
"""Windows in one batch."""
_PAIRS = 64
"""Pairs whose embeddings are held at once."""


@dataclass(frozen=True, slots=True)
class Match:
    """How well two texts match, by their tokens.

    Attributes:
        precision: Mean best cosine of the candidate's tokens, -1 to 1.
        recall: Mean best cosine of the reference's tokens, -1 to 1.
    """

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean; 0 where the two do not sum to more than 0."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both > 0 else 0.0


def match(candidate: torch.Tensor, reference: torch.Tensor) -> Match:
    """Greedy matching of tokens.

    Args:
        candidate: Embeddings of length 1. Shape (tokens, width).
        reference: Embeddings of length 1. Shape (tokens, width).
    """
    cosines = candidate @ reference.T
    best, best_of_reference = cosines.max(dim=1).values, cosines.max(dim=0).values
    return Match(float(best.double().mean()), float(best_of_reference.double().mean()))


class BertScore:
    """BERTScore by one encoder, as a metric.

    Args:
        loaded: The encoder (`loading.load` with ``ENCODER``).
        variant: Which of the three.
        layer: Whose hidden states are the embeddings, 0 being the input; None is the last one.
        name: Name in tables.

    Raises:
        SettingsError: The encoder has no such layer, or is too narrow for any text.
    """

    def __init__(
        self,
        loaded: Loaded,
        *,
        variant: Variant = "f1",
        layer: int | None = None,
        name: str = "BERTScore",
    ) -> None:
        self.name, self._variant, self._layer = name, variant, layer
        self._loaded, self._reader = loaded, TokenReader(loaded.tokenizer)
        layers = loaded.model.config.get_text_config().num_hidden_layers
        if layer is not None and not 0 <= layer <= layers:
            raise SettingsError(f"{loaded.name} has layers 0 to {layers}, and no layer {layer}")
        # Some encoders count positions from the padding's number on: the tokenizer knows.
        limits = (_WINDOW, loaded.limit, loaded.tokenizer.model_max_length)
        around = len(self._reader.lead) + len(self._reader.trail)
        self._room = min(limit for limit in limits if limit is not None) - around
        if self._room < 1:
            raise SettingsError(f"{loaded.name} reads too few tokens for any text")

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """One score for each pair, in order; None where a text is empty."""
        out: list[float | None] = []
        for start in range(0, len(pairs), _PAIRS):
            some = pairs[start : start + _PAIRS]
            texts = dict.fromkeys(
                text for pair in some for text in (pair.candidate, pair.reference)
            )
            known = self._embedded(list(texts))
            for pair in some:
                value, other = known[pair.candidate], known[pair.reference]
                hit = None if value is None or other is None else match(value, other)
                out.append(None if hit is None else getattr(hit, self._variant))
        return out

    def windows(self, text: str) -> list[Ids]:
        """A text's tokens in windows that the encoder reads; none for one of blanks."""
        whole = self._reader.foreign(str(without_surrogates(text)))
        if len(whole) <= self._room:
            return [whole] if whole else []
        out: list[Ids] = []
        for piece in self._pieces(text):
            if out and len(out[-1]) + len(piece) <= self._room:
                out[-1] += piece
            else:
                out.append(piece)
        return out

    def _pieces(self, text: str) -> Iterator[Ids]:
        """The tokens of each sentence, in pieces where it is longer than a window."""
        from sentencex import segment

        for sentence in segment("en", str(without_surrogates(text))):
            ids = self._reader.foreign(sentence)
            for start in range(0, len(ids), self._room):
                yield ids[start : start + self._room]

    def _embedded(self, texts: list[str]) -> dict[str, torch.Tensor | None]:
        """Embeddings of length 1 of each text's tokens. Shape (tokens, width); None for blanks."""
        import torch

        windows = [(text, ids) for text in texts for ids in self.windows(text)]
        windows.sort(key=lambda pair: len(pair[1]))  # stable: a text's windows may change places
        value_groups: dict[str, list[torch.Tensor]] = {text: [] for text in texts}
        for start in range(0, len(windows), _AT_ONCE):
            some = windows[start : start + _AT_ONCE]
            for (text, _), rows in zip(some, self._read([ids for _, ids in some]), strict=True):
                value_groups[text].append(rows)
        return {text: torch.cat(rows) if rows else None for text, rows in value_groups.items()}

    def _read(self, windows: Sequence[Ids]) -> Iterator[torch.Tensor]:
        import torch

        reader, device = self._reader, self._loaded.device
        rows = [(*reader.lead, *ids, *reader.trail) for ids in windows]
        filler = self._loaded.tokenizer.pad_token_id or 0
        read = padded(rows, device, filler=filler)
        mask = padded([(1,) * len(row) for row in rows], device)
        with torch.inference_mode():
            value: Any = self._loaded.model(
                input_ids=read, attention_mask=mask, output_hidden_states=self._layer is not None
            )
            states = (
                value.last_hidden_state if self._layer is None else value.hidden_states[self._layer]
            )
            lengths = torch.nn.functional.normalize(states.float(), dim=-1)
        for number, ids in enumerate(windows):
            first = len(reader.lead)
            yield lengths[number, first : first + len(ids)]
