"""Which section of a paper a name means, such as ``methods section`` for ``3 Methodology``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reviewscore.schema.paper import Section, Zone

_EXPERIMENTS = (
    r"(?:(?:main|our|numerical|empirical) )?(?:experiments?|experimentations?|"
    r"experimental (?:results?|evaluations?|studies)|(?:empirical |experimental )?evaluations?|"
    r"experiments? results?)"
)
_METHOD = r"(?:(?:our|the|proposed) )*(?:methods?|methodology|methodologies|approach)"
_CONVENTIONAL = (
    (r"abstract", r"abstract"),
    (r"intro(?:duction)?", r"introduction"),
    (
        r"related works?|(?:literature review|prior works?)",
        r"related (?:works?|literature)|literature review",
    ),
    (r"backgrounds?", r"background"),
    (r"preliminar(?:y|ies)", r"preliminar(?:y|ies)"),
    (rf"{_METHOD}", _METHOD),
    (rf"{_EXPERIMENTS}|experimental|empirical", _EXPERIMENTS),
    (r"(?:main )?results?", r"(?:main )?results?"),
    (r"discussions?", r"discussions?"),
    (r"conclusions?|concluding", r"conclusions?|concluding remarks"),
    (r"limitations?", r"limitations?"),
)
"""Names that reviewers use, and the titles that papers have for them."""
_NAMES = tuple(
    (
        re.compile(name),
        re.compile(rf"(?:{title})(?:,? (?:and|&) .+)?|(?:[a-z]+,? )?[a-z]+ (?:and|&) (?:{title})"),
    )
    for name, title in _CONVENTIONAL
)
_NO_WORD = re.compile(r"[^a-z0-9&,]+")


def section_named(sections: Sequence[Section], name: str) -> int | None:
    """Place of the section that a name means; None unless there is exactly one.

    Conventional names mean the title that the paper has for them, alone or with another; all other
    names must be the title itself. Of conventional names the main text's section counts where the
    appendix has one too.
    """
    wanted = _level(name)
    title = next((title for known, title in _NAMES if known.fullmatch(wanted)), None)
    places = [
        place
        for place, section in enumerate(sections)
        if section.zone not in (Zone.REFERENCES, Zone.CHECKLIST, Zone.BOILERPLATE)
        and _is_named(_level(section.title), wanted, title)
    ]
    if title is None:
        return places[0] if len(places) == 1 else None
    for fewer in (
        places,
        [place for place in places if sections[place].zone is not Zone.APPENDIX],
        [place for place in places if sections[place].level == 1],
        [place for place in places if _level(sections[place].title) == wanted],
    ):
        if len(fewer) == 1:
            return fewer[0]
    return None


def _is_named(title: str, wanted: str, conventional: re.Pattern[str] | None) -> bool:
    if title == wanted and len(wanted) > 3:  # noqa: PLR2004 - shorter titles are scraps
        return True
    return conventional is not None and conventional.fullmatch(title) is not None


def _level(title: str) -> str:
    return _NO_WORD.sub(" ", title.casefold()).strip()
