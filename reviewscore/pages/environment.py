"""The one environment of all templates: how pages look, and what they are allowed to do."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache, partial
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from reviewscore.pages import argument_map, point_card, presuppositions, wording
from reviewscore.papers.converted import gaps_in_words
from reviewscore.text.language import language_name

_OWN = "reviewscore.pages"
_PIECES = 200
"""Pieces of a page, of a few words up to a card, that are written at once."""
_LONG_WORD = re.compile(r"(\S{200})(?=\S)")
_WITHIN = Markup(
    "background: var(--paper); color: var(--ink); padding: .6rem 1rem; border-radius: .5rem; "
    "font: 15px/1.5 system-ui, sans-serif; max-width: 60rem;"
)
"""What the style of a page gives to its body, for a part of another page."""


def environment(room: str = _OWN, **names: object) -> Environment:
    """The templates of a room, with the components, style and policy that all pages share.

    Args:
        room: The package that has templates of its own, which may extend or import those here.
        names: What its templates use besides. ``script`` (`Markup`) is one for `file_policy`.
    """
    made = Environment(
        loader=ChoiceLoader([PackageLoader(fromkey) for fromkey in dict.fromkeys((room, _OWN))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(gaps_in_words=gaps_in_words, soft=soft)
    style = assets("base.css", "points.css")
    made.globals.update(
        style=Markup(style),
        # Inside of another page the same rules hold within its part of it, and nowhere else.
        nested_style=Markup(".reviewscore {%s\n%s}")
        % (Markup(style.replace(":root", "&")), _WITHIN),
        file_policy=partial(file_policy, style),
        wording=wording,
        argument_map=argument_map.svg,
        argdown=argument_map.argdown,
        language_name=language_name,
        quote_in_paper=point_card.quote_in_paper,
        stands_in=point_card.stands_in,
        passage_doubts=wording.passage_doubts,
        packed=point_card.packed,
        presuppositions=presuppositions,
    )
    made.globals.update(names)
    return made


@cache
def own_environment() -> Environment:
    """The templates of pages that need no room's own."""
    return environment()


def render(template: Template, **shown: object) -> str:
    """A page with these values, all of them escaped, that can be written as UTF-8."""
    return encodable(template.render(shown))


def rendered(template: Template, **shown: object) -> Iterator[bytes]:
    """The same as it is written, piece by piece: a page of many points is never held whole."""
    pieces = template.stream(shown)
    pieces.enable_buffering(_PIECES)
    return (piece.encode("utf-8", "replace") for piece in pieces)


def encodable(text: str) -> str:
    """A text with a UTF-8 form: a lone surrogate, which has none, becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def soft(text: str | None) -> Markup:
    """Foreign text, escaped, with places to break lines in words that no person would write.

    Browsers take many seconds to lay out a word of 100,000 characters.
    """
    parts = _LONG_WORD.split(text or "")
    return Markup("<wbr>").join(parts)


def assets(*names: str, room: str = _OWN) -> str:
    """Styles or scripts of a room, one after another."""
    folder = files(room) / "templates"
    return "\n".join((folder / name).read_text("utf-8").strip() for name in names)


def content_security_policy(*, style: str, script: str, **more: str) -> str:
    """What a page may load and run (CSP level 3): nothing but its own style and script.

    Args:
        style: Source expression of its style.
        script: Source expression of its script; ``'none'`` if it has none.
        more: Further directives, with ``_`` for ``-``; they may replace the default ones.
    """
    directives = {
        "default_src": "'none'",
        "style_src": style,
        "script_src": script,
        "base_uri": "'none'",
        "form_action": "'none'",
    }
    return "; ".join(
        f"{name.replace('_', '-')} {source}" for name, source in (directives | more).items()
    )


def file_policy(style: str, script: str = "", **more: str) -> str:
    """The policy of a page that is one file, with its style and script in it.

    Args:
        style: Its style.
        script: Its script; empty if it has none.
        more: As `content_security_policy` takes them.
    """
    script = inline_source(script) if script else "'none'"
    return content_security_policy(style=inline_source(style), script=script, **more)


def inline_source(text: str) -> str:
    """A source expression that allows one inline style or script (CSP level 3, sec. 2.3.1)."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
