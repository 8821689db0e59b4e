"""Pages for everyone: reached by keys, read aloud, and whole without a network."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

SCROLLED = ('<div class="table-wrapper', '<div class="math-wrapper')
"""What can be wider than a page and scrolls in itself: it must be reached by keys."""
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|link)\b[^>]*(?:src|href)=["'](?:https?:)?//[^"']+"""
    r"""|(?:url\(|@import)\s*["']?(?:https?:)?//[^"')\s]+"""
)
"""What a browser would fetch from elsewhere by itself; links to follow are no such thing."""


def _mended(_: Sphinx, __: str, ___: str, context: dict[str, object], ____: nodes.Node) -> None:
    body, navigation = context.get("body"), context.get("furo_navigation_tree")
    if isinstance(body, str):
        for start in SCROLLED:
            body = body.replace(start, start.replace("<div", '<div tabindex="0"'))
        context["body"] = body.replace("<pre>", '<pre tabindex="0">')
    if isinstance(navigation, str):
        context["furo_navigation_tree"] = navigation.replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )


def _whole(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    for page in (*Path(app.outdir).rglob("*.html"), *Path(app.outdir).rglob("*.css")):
        found = _LOADED.search(page.read_text("utf-8"))
        if found is not None:
            raise SphinxError(f"{page.name} fetches from elsewhere: {found[0]}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Mend pages after the theme has made them."""
    app.connect("html-page-context", _mended, priority=900)
    app.connect("build-finished", _whole)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
