"""How the documents are built: Sphinx, MyST Markdown, the furo theme, nothing from elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

from reviewscore import __version__  # noqa: E402 - found by the path above

project = "reviewscore"
author = "The reviewscore developers"
project_copyright = "The reviewscore developers. Apache-2.0."
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
    "generated",
    "access",
    "mathml",
]
exclude_patterns = ["_ext"]
default_role = "literal"
smartquotes = False  # options begin with two hyphens
nitpicky = True
# Nothing is fetched while building, so that types of other projects stay without a link; types of
# ours have a table under File formats, or none. Every other reference must lead somewhere.
nitpick_ignore_regex = [(r"py:(class|data|obj|attr|exc)", r".*")]

myst_enable_extensions = [
    "attrs_block",
    "attrs_inline",
    "colon_fence",
    "deflist",
    "dollarmath",
    "fieldlist",
]
myst_heading_anchors = 4
html_math_renderer = "mathml"

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"reviewscore {release}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5394", "color-brand-content": "#0b5394"},
    "dark_css_variables": {"color-brand-primary": "#8ab8e6", "color-brand-content": "#8ab8e6"},
}
highlight_language = "text"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

linkcheck_anchors = False
linkcheck_timeout = 20
linkcheck_ignore = [r"http://(localhost|127\.0\.0\.1).*"]
