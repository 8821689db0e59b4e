"""Pages for tests of providers: small images, each of its own grey."""

from __future__ import annotations

import base64
import io

from PIL import Image

from reviewscore.schema.page_image import PageImage


def shown(count: int, *, first: int = 1) -> tuple[PageImage, ...]:
    """So many pages, numbered from `first` on; equal numbers, equal bytes."""
    return tuple(_page(number) for number in range(first, first + count))


def _page(number: int) -> PageImage:
    file = io.BytesIO()
    Image.new("L", (30, 40), number).save(file, "PNG")
    text = base64.b64encode(file.getvalue()).decode()
    return PageImage.of_png(number, 30, 40, text)
