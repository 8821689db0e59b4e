"""Passages of a paper in the order of how near they are to a remark.

Several plain views of nearness are added up with fitted weights: BM25 (Robertson and Zaragoza,
Foundations and Trends in Information Retrieval 3(4), 2009) of a passage alone, of a passage with
its neighbours, and over its section; the zone it stands in; and, where a sentence encoder is at
hand, the cosine of the vectors. `benchmarks.finder_model` fits the weights and writes the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from reviewscore.papers.sentences import SentenceKind
from reviewscore.retrieval.index import PaperIndex, Passage, bm25_of
from reviewscore.schema.paper import Zone
from reviewscore.text.linear import load_linear_models
from reviewscore.text.sentences import sentences
from reviewscore.text.stems import content_stems, stems

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from reviewscore.retrieval.encoder import SentenceEncoder

    Numbers = npt.NDArray[np.float64]

WEIGHTS = Path(__file__).with_name("ranking_weights.json")
WITHOUT, WITH = "without_encoder", "with_encoder"
"""Names of the two sets of weights in the file."""
_HIDDEN = frozenset({Zone.REFERENCES, Zone.FRONT, Zone.BOILERPLATE})
_ZONES = tuple(zone for zone in Zone if zone not in _HIDDEN)
_LONGEST = 6000
"""Characters of a remark that are read; what it is about stands at its beginning."""
_MOST_SENTENCES = 12
_DIGIT = re.compile(r"\d")
_ENCODED = 1200
"""Characters of a passage, with its table's caption, that are encoded."""


def ranked_passages(
    index: PaperIndex,
    text: str,
    *,
    encoder: SentenceEncoder | None = None,
    weights: Mapping[str, float] | None = None,
    sharing: bool = False,
) -> list[int]:
    """Numbers of the passages of ``index.passages`` nearest to a remark, the nearest first.

    Headings, scraps, references, front matter and a venue's boilerplate are left out. Without an
    encoder, what shares no word with the remark that names something comes last.

    Args:
        index: The paper.
        text: The remark.
        encoder: A sentence encoder; None to go by words alone.
        weights: Of the views; None for those that come with the package.
        sharing: Whether to leave out what comes last.

    Returns:
        All other passages; of equally near ones the first in the paper stands first.
    """
    import numpy as np

    columns = features(index, text, encoder=encoder)
    shown = shown_passages(index)
    if not columns or not shown.any():
        return []
    if weights is None:
        weights = _weights(WITHOUT if encoder is None else WITH)
    scores = np.zeros(len(index.passages))
    for name, values in columns.items():
        scores += weights.get(name, 0.0) * values
    apart = np.zeros(len(scores), bool) if encoder is not None else columns["content"] == 0
    order = np.lexsort((-scores, apart))  # stable
    if sharing:
        shown = shown & ~apart
    ranked: list[int] = order[shown[order]].tolist()
    return ranked


def shown_passages(index: PaperIndex) -> npt.NDArray[np.bool_]:
    """Shape (passages,): whether a passage may be shown."""
    return _views(index).shown


def features(
    index: PaperIndex, text: str, *, encoder: SentenceEncoder | None = None
) -> dict[str, Numbers]:
    """Views of how near each passage is, by name; each of shape (passages,).

    Empty if the remark shares no word with the paper and there is no encoder.
    """
    remark = text[:_LONGEST]
    views = _views(index)
    every, content = list(dict.fromkeys(stems(remark))), list(content_stems(remark))
    words = views.alone(every)
    if encoder is None and not words.any():
        return {}
    named = views.alone(content)
    columns = {
        "words": _relative(words),
        "content": _relative(named),
        "content of a sentence": _relative(views.best_sentence(remark)),
        "words around": _relative(views.around(every)),
        "content around": _relative(views.around(content)),
        "words of the section": _relative(views.over_section(words)),
        "content of the section": _relative(views.over_section(named)),
    }
    columns |= {f"zone {zone.value}": values for zone, values in views.zones.items()}
    return columns | (views.meanings(remark, encoder) if encoder is not None else {})


@cache
def _weights(name: str) -> dict[str, float]:
    """Weight of each view."""
    model = load_linear_models(WEIGHTS)[name]
    return {view: row[-1] for view, row in model.weights.items()}


def _relative(values: Numbers) -> Numbers:
    """Values as shares of the largest one; zeros if none is above 0."""
    highest = values.max(initial=0.0)
    shares: Numbers = values / highest if highest > 0 else values
    return shares


def _standardised(values: Numbers) -> Numbers:
    """Values less their mean, in standard deviations."""
    standardised: Numbers = (values - values.mean()) / (values.std() + 1e-6)
    return standardised


class _Views:
    """What is worked out once a paper.

    Attributes:
        shown: Shape (passages,): whether a passage may be shown.
        zones: For each zone, 1.0 where a passage stands in it.
    """

    def __init__(self, index: PaperIndex) -> None:
        import numpy as np

        self._passages = passages = index.passages
        self._alone = index.bm25
        self.shown = np.array(
            [
                passage.zone not in _HIDDEN
                and passage.kind is not SentenceKind.HEADING
                and passage.quotable
                and not _bare(passage)
                for passage in passages
            ],
            bool,
        )
        numbers = {place: count for count, place in enumerate({p.section for p in passages})}
        self._section = np.array([numbers[passage.section] for passage in passages], int)
        self.zones = {
            zone: np.array([passage.zone is zone for passage in passages], float) for zone in _ZONES
        }
        bags = [sorted(passage.stems) for passage in passages]
        self._around = bm25_of(
            [
                [stem for near in self._near(number) for stem in bags[near]]
                for number in range(len(passages))
            ]
        )
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}

    def _near(self, number: int) -> list[int]:
        """A passage, and the one before and after it in its section."""
        near = range(max(0, number - 1), min(len(self._section), number + 2))
        return [other for other in near if self._section[other] == self._section[number]]

    def alone(self, query: list[str]) -> Numbers:
        """BM25 of each passage."""
        return self._alone.scores(query)

    def around(self, query: list[str]) -> Numbers:
        """BM25 of each passage with its neighbours."""
        return self._around.scores(query)

    def best_sentence(self, remark: str) -> Numbers:
        """BM25 of each passage for the sentence of the remark that it is nearest to."""
        import numpy as np

        scores = [self.alone(list(content_stems(said))) for said in _said(remark)]
        best: Numbers = np.max(scores, axis=0)
        return best

    def over_section(self, values: Numbers) -> Numbers:
        """The sum over each passage's section, by the root of how many passages it holds."""
        import numpy as np

        sums, counts = np.bincount(self._section, values), np.bincount(self._section)
        share: Numbers = (sums / np.sqrt(counts))[self._section]
        return share

    def meanings(self, remark: str, encoder: SentenceEncoder) -> dict[str, Numbers]:
        """Cosines of the remark, and of its nearest sentence, with each passage."""
        said = _said(remark)
        vectors = encoder.encode([remark, *said])
        cosines = self._encoded(encoder) @ vectors.T
        whole, nearest = cosines[:, 0].astype(float), cosines[:, 1:].max(axis=1).astype(float)
        return {
            "meaning": whole,
            "meaning in this paper": _standardised(whole),
            "meaning of a sentence": nearest,
            "meaning of a sentence in this paper": _standardised(nearest),
            "meaning around": self._mean_around(whole),
            "meaning of the section": self.over_section(whole),
        }

    def _mean_around(self, values: Numbers) -> Numbers:
        """A third of the value of each passage and its neighbours, these at half weight."""
        total = values.copy()
        same = self._section[1:] == self._section[:-1]
        total[1:] += values[:-1] * same / 2
        total[:-1] += values[1:] * same / 2
        return total / 3

    def _encoded(self, encoder: SentenceEncoder) -> npt.NDArray[np.float32]:
        if encoder.name not in self._vectors:
            texts = [
                f"{passage.text} {passage.context}".strip()[:_ENCODED] for passage in self._passages
            ]
            self._vectors[encoder.name] = encoder.encode(texts)
        return self._vectors[encoder.name]


def _bare(passage: Passage) -> bool:
    """Whether it is a row of a table without a value, or one of names alone: a second header."""
    if passage.kind is not SentenceKind.ROW or "|" not in passage.text:
        return False
    name, *values = (cell.strip() for cell in passage.text.strip().strip("|").split("|"))
    return not any(values) or not (name or any(map(_DIGIT.search, values)))


def _said(remark: str) -> list[str]:
    spans = sentences(remark, 0, len(remark))[:_MOST_SENTENCES]
    return [remark[span.start : span.end] for span in spans] or [remark]


_KEPT: WeakKeyDictionary[PaperIndex, _Views] = WeakKeyDictionary()
"""The views of the papers at hand; they go with their index."""


def _views(index: PaperIndex) -> _Views:
    views = _KEPT.get(index)
    if views is None:
        views = _KEPT[index] = _Views(index)
    return views
