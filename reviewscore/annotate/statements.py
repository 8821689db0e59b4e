"""A presupposition from the form that an annotator filled in, its passages found in the paper."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from reviewscore.schema.marks import MarkedPassage, sum_of_words
from reviewscore.schema.paper import Paper
from reviewscore.schema.presupposition import NOT_VISIBLE, LabelledPresupposition
from reviewscore.sources.point_labels import place_of_words

LONGEST_STATEMENT = 2_000
"""Characters of a statement."""
_SHOWN = 60


class UnfitError(Exception):
    """A form that is no presupposition; the message says what is wrong and what to do."""


def stated_by(form: Mapping[str, str], paper: Paper | None) -> LabelledPresupposition:
    """The presupposition that a form states.

    Args:
        form: ``statement``, ``true``, ``supplies`` (empty for none), ``central`` (``yes``), and
            ``passages``, a verbatim passage of the paper a line.
        paper: The paper; None if it is not at hand.

    Raises:
        UnfitError: Something is missing, or a passage is not in the paper.
    """
    statement = " ".join(form.get("statement", "").split())
    true = form.get("true", "")
    if not statement:
        raise UnfitError("say in a sentence what the remark takes for granted")
    if len(statement) > LONGEST_STATEMENT:
        raise UnfitError(f"a statement has at most {LONGEST_STATEMENT:,} characters")
    if not true:
        raise UnfitError("choose whether it is so")
    given = {
        "statement": statement,
        "true": true if true == NOT_VISIBLE else _whole(true),
        "supplies": form.get("supplies") or None,
        "central": form.get("central") == "yes",
        "passages": _passages(form.get("passages", ""), paper),
    }
    try:
        return LabelledPresupposition.model_validate(given, strict=False)
    except ValidationError as error:
        raise UnfitError("choose one of the values of the form") from error


def _whole(text: str) -> int:
    return int(text) if len(text) == 1 and text.isascii() and text.isdecimal() else 0


def _passages(lines: str, paper: Paper | None) -> list[MarkedPassage]:
    quotes = list(dict.fromkeys(filter(None, (line.strip() for line in lines.splitlines()))))
    if quotes and paper is None:
        raise UnfitError(
            "passages are looked up in the paper, which is not at hand: leave them out, or have "
            "the workspace started with --data FOLDER"
        )
    return [_found(quote, paper) for quote in quotes if paper is not None]


def _found(quote: str, paper: Paper) -> MarkedPassage:
    place = place_of_words(paper.text, quote)
    if place is None:
        cut = quote if len(quote) <= _SHOWN else f"{quote[:_SHOWN]} .."
        raise UnfitError(f"“{cut}” is not in the paper: quote it verbatim, a passage a line")
    words = paper.text[slice(*place)]
    return MarkedPassage(start=place[0], end=place[1], sha256=sum_of_words(words), quote=words)
