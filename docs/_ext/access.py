"""Mend what keyboards and screen readers miss in the theme's pages."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

SCROLLED = ('<div class="table-wrapper', '<div class="math-wrapper')
"""What can be wider than a page and scrolls in itself: it must be reached by keys."""


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


def setup(app: Sphinx) -> dict[str, bool]:
    """Mend pages after the theme has made them."""
    app.connect("html-page-context", _mended, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
