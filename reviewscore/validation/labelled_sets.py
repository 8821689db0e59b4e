"""Labelled sets by the names that ``--on`` takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from reviewscore.errors import SettingsError
from reviewscore.schema.confidentiality import Permission
from reviewscore.validation import public_sets
from reviewscore.validation.labelled import LabelledTrials, SetKind, SetReading
from reviewscore.validation.own_labels import LABELS_OF_YOUR_OWN, read_labels

Reader = Callable[[SetReading, Sequence[Path]], None]
READERS: Mapping[str, tuple[SetKind, Reader]] = {
    "bamboo": (public_sets.BAMBOO, public_sets.read_bamboo),
    "qasper": (public_sets.QASPER, public_sets.read_qasper),
    "scifact": (public_sets.SCIFACT, public_sets.read_scifact),
    "labels": (LABELS_OF_YOUR_OWN, read_labels),
}
"""Sets whose files say all that is needed."""


def read_set(
    name: str,
    places: Sequence[Path],
    *,
    seed: int,
    mapping: Path | None = None,
    may: Permission | None = None,
) -> LabelledTrials:
    """Read a labelled set into remarks that can be judged.

    Args:
        name: Such as ``bamboo``.
        places: Its files; nothing is fetched.
        seed: Of the names of papers and reviews, and of their order.
        mapping: Of ``peerreview-bench``: a table of what values of ``correctness`` mean.
        may: What the judge may read; of labels of your own.

    Raises:
        InputError: A file cannot be read, or there is nothing that can be judged.
        SettingsError: A table is given of another set.
    """
    bench = public_sets.PEERREVIEW_BENCH
    if mapping is not None and name != bench.name:
        raise SettingsError(f"--mapping is for --on {bench.name} alone")
    if name == bench.name:
        reading = SetReading(bench, seed)
        public_sets.read_peerreview_bench(reading, places, mapping)
        return reading.trials()
    kind, read = READERS[name]
    reading = SetReading(kind, seed, may or Permission())
    read(reading, places)
    return reading.trials()
