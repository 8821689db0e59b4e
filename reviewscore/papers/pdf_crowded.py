"""Which characters of a PDF page stand so close together that nobody can read them.

So stand letters that are squeezed or piled up, and words that a file gives as the meaning of one
letter that it draws ("actual text"): these are read by machines only.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_CLOSE = 0.1
"""Share of the letters' size up to which the next one is too close; a narrow letter takes 0.2."""
_ACROSS = 0.5
"""Share of it by which the middles of a high and a low letter of a line differ, at most."""
_LEAST = 12
"""Characters in a row, at least: ligatures, accents and formulas pile up a few."""


def crowded(
    boxes: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """The places of characters that nobody can tell apart.

    A row of characters that share one box as wide as they need (as a whole line of actual text
    does) is not among them.

    Args:
        boxes: Shape (n, 4), left, bottom, right, top of each character in order.
        sizes: Shape (n,), height of its line.
    """
    if len(boxes) < _LEAST:
        return np.empty(0, dtype=np.int64)
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    apart = np.abs(middles[1:] - middles[:-1])
    size = sizes[:-1]
    found = np.zeros(len(boxes), dtype=np.bool_)
    for along, across in ((0, 1), (1, 0)):  # lines of text, and turned ones
        near = (apart[:, along] < _CLOSE * size) & (apart[:, across] < _ACROSS * size)
        turns = np.flatnonzero(np.diff(near, prepend=False, append=False)).reshape(-1, 2)
        for first, last in turns.tolist():
            row = boxes[first : last + 1]
            reach = float((row[:, 2:].max(axis=0) - row[:, :2].min(axis=0)).max())
            if len(row) >= _LEAST and reach < _CLOSE * float(sizes[first]) * len(row):
                found[first : last + 1] = True
    return np.flatnonzero(found)
