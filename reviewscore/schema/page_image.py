"""Pages of a paper as images, as models are shown them."""

from __future__ import annotations

import base64
import hashlib

from pydantic import Field

from reviewscore.schema.record import Record


class PageImage(Record):
    """A page as a PNG.

    Attributes:
        page: Its 1-based number in the PDF.
        sha256: SHA-256 of the PNG's bytes, by which it is known: the bytes are in no record. Empty
            of a page that was not drawn.
        width: Pixels.
        height: Pixels.
        base64: The PNG's bytes, as providers take them; empty of one that was read from a record.
    """

    page: int = Field(ge=1)
    sha256: str
    width: int = Field(ge=1)
    height: int = Field(ge=1)
    base64: str = Field(default="", exclude=True)

    @classmethod
    def of_png(cls, page: int, width: int, height: int, text: str) -> PageImage:
        """A page from its PNG in base64."""
        sha256 = hashlib.sha256(base64.b64decode(text)).hexdigest() if text else ""
        return cls(page=page, sha256=sha256, width=width, height=height, base64=text)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.width, self.height

    @property
    def png(self) -> bytes:
        """The PNG's bytes."""
        return base64.b64decode(self.base64)

    @property
    def data_uri(self) -> str:
        """The PNG as an address that holds it."""
        return f"data:image/png;base64,{self.base64}"


class ShownPages(Record):
    """How judges are shown a paper's own document as images.

    Attributes:
        images: Its pages, those that are shown, in order.
        count: Pages that the PDF has.
        text: Whether they are shown its text too.
        share: How much of its main text and appendix is shown so, as far as its text and its PDF
            tell, 0..1; less than 1 if a part is in neither.
    """

    images: tuple[PageImage, ...] = Field(min_length=1)
    count: int = Field(ge=1)
    text: bool
    share: float = Field(default=1, ge=0, le=1)
