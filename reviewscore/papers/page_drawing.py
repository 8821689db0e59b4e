"""Draws pages of a PDF by PDFium, in a worker process; see `page_images`."""

from __future__ import annotations

import base64
import io
import math
from pathlib import Path

from pypdfium2 import PdfDocument, PdfiumError, PdfPage

from reviewscore.papers.page_images import Drawing, DrawingTask, DrawnPage, Resolution
from reviewscore.papers.pdf import Refusal


def drawn(task: DrawingTask) -> Drawing | Refusal:
    """The pages that a task asks for, or why there are none."""
    try:
        document = PdfDocument(Path(task.draw))
    except PdfiumError as error:
        return Refusal(problem=f"cannot be drawn ({error})", cure="")
    try:
        return _pages(document, task)
    except (PdfiumError, ValueError) as error:
        return Refusal(problem=f"cannot be drawn ({error})", cure="")
    except MemoryError:
        problem = f"needs more than {task.limits.megabytes:,} MB of memory to draw"
        return Refusal(problem=problem, cure="")
    finally:
        document.close()


def _pages(document: PdfDocument, task: DrawingTask) -> Drawing | Refusal:
    numbers = range(1, len(document) + 1) if task.pages is None else task.pages
    if len(numbers) > task.limits.pages:
        problem = f"has {len(numbers):,} pages to show; at most {task.limits.pages:,} are"
        return Refusal(problem=f"{problem} shown as images", cure="")
    pages, size = [], 0
    for number in numbers:
        if not 1 <= number <= len(document):
            return Refusal(problem=f"has no page {number:,}; it has {len(document):,}", cure="")
        page = document[number - 1]
        width, height, png = _drawn(page, task.resolution, images=task.images)
        page.close()
        size += len(png)
        if size > task.most:
            problem = f"has images of more than {task.most / 1e6:g} MB by page {number}"
            return Refusal(problem=problem, cure="", size=size)
        text = base64.b64encode(png).decode("ascii")
        pages.append(DrawnPage(page=number, width=width, height=height, png=text))
    return Drawing(count=len(document), pages=tuple(pages))


def _drawn(page: PdfPage, resolution: Resolution, *, images: bool) -> tuple[int, int, bytes]:
    """Width and height of a page in pixels, and its PNG, in grey where it has no colour."""
    width, height = (max(1.0, side) for side in page.get_size())
    scale = resolution.scale(width, height)
    if not images:
        return math.ceil(width * scale), math.ceil(height * scale), b""
    bitmap = page.render(scale=scale, may_draw_forms=False)
    pixels, image = bitmap.to_numpy(), bitmap.to_pil()
    if (pixels[..., 0] == pixels[..., 1]).all() and (pixels[..., 1] == pixels[..., 2]).all():
        image = image.convert("L")
    file = io.BytesIO()
    image.save(file, "PNG")
    bitmap.close()
    return image.width, image.height, file.getvalue()
