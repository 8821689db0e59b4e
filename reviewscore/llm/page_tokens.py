"""How many tokens the images of pages come to: by the rules that providers publish, an estimate.

Sources, as read in November 2026; after the fact counts come from the provider:

- Anthropic, "Images and vision" (platform.claude.com/docs): a token for each patch of 28 x 28
  pixels that is begun; no page of ours is large enough to be scaled down.
- OpenAI, "Images and vision", calculating costs: the image is scaled down until its shorter side
  has 768 pixels, and counts a base and so much for each tile of 512 x 512 that is begun. Small
  models count patches of 32 x 32 with a factor; models since gpt-5.2 patches too, with the factor
  1.2 that users measured (community.openai.com, topic 1377015), who measured less for small ones.
- Google, media resolution: 1,120 tokens an image from Gemini 3 on; 258 for each tile of 768 x 768
  before.

Of other models nobody says; patches of 28 x 28 are counted, as of Qwen's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from reviewscore.llm.provider import model_name

T = TypeVar("T")

Size = tuple[int, int]
"""Width and height in pixels."""

PATCH = 28
_TILE, _SHORT_SIDE, _OPENAI_PATCH = 512, 768, 32
_PATCHED: Mapping[str, float] = {
    r"gpt-(4\.1|5(\.\d)?)-mini": 1.62,
    r"gpt-(4\.1|5(\.\d)?)-nano": 2.46,
    r"o4-mini": 1.72,
    r"gpt-5\.[2-9]|gpt-[6-9]": 1.2,
}
"""Names of OpenAI's models that count patches, with their factors; the first that fits."""
_TILED: Mapping[str, tuple[int, int]] = {
    r"gpt-4o-mini": (2833, 5667),
    r"gpt-5": (70, 140),
    r"o1|o3": (75, 150),
    r"gpt-4": (85, 170),
}
"""Names of those that count tiles, with the tokens of the base and of each tile."""
_GEMINI_3, _GEMINI_TILE, _GEMINI_TILE_SIDE = 1120, 258, 768
_WORST, _WORST_PAGE = 2.0, 4784
"""What a page may cost at most, for caps: so many times its estimate, and no less than this."""


def page_tokens(model: str, size: Size) -> int:
    """Estimated tokens of input that a page comes to.

    Args:
        model: ``provider/name``.
        size: Of its image.
    """
    name = model_name(model).rpartition("/")[2]
    if (factor := _first(_PATCHED, name)) is not None:
        return math.ceil(factor * _patches(size, _OPENAI_PATCH))
    if (tiled := _first(_TILED, name)) is not None:
        scale = min(1.0, _SHORT_SIDE / min(size))
        base, tile = tiled
        return base + tile * _patches((size[0] * scale, size[1] * scale), _TILE)
    if "gemini" in name:
        older = re.search(r"gemini-[12]\b", name) is not None
        return _GEMINI_TILE * _patches(size, _GEMINI_TILE_SIDE) if older else _GEMINI_3
    return _patches(size, PATCH)


def tokens_of_pages(model: str, sizes: Iterable[Size]) -> int:
    """Estimated tokens of several pages; arguments as in `page_tokens`."""
    return sum(page_tokens(model, size) for size in sizes)


def most_tokens_of_pages(model: str, sizes: Iterable[Size]) -> int:
    """Tokens that several pages may come to at most; arguments as in `page_tokens`."""
    return sum(max(math.ceil(_WORST * page_tokens(model, size)), _WORST_PAGE) for size in sizes)


def _first(rules: Mapping[str, T], name: str) -> T | None:
    return next((value for rule, value in rules.items() if re.match(rule, name)), None)


def _patches(size: tuple[float, float], side: int) -> int:
    """Squares of so many pixels a side that cover an image, those that are begun counted whole."""
    return math.ceil(size[0] / side) * math.ceil(size[1] / side)
