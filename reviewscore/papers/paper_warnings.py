"""What makes verdicts on a paper doubtful, in words: loss, hidden text, text for a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewscore.papers.addressing import Addressing, addressing
from reviewscore.papers.canaries import canaries_in_force
from reviewscore.papers.hidden import Hidden, unseen_characters
from reviewscore.papers.pdf import PdfReading
from reviewscore.schema.paper import Paper
from reviewscore.text.language import language_name

MOST_LOST = 0.05
"""Share of the characters of a PDF from which on a paper counts as badly read."""
_MOST_UNMAPPED = 0.01
_MOST_VOWELLESS = 0.12
_MOST_BROKEN = 0.12
_LEAST_WORDS = 200
_UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd]|\\(cid:\\d+\\)")
_WORD = re.compile(r"(?<![^\W_])[a-z]{3,}(?![^\W_])")
_VOWEL = re.compile("[aeiouy]")
_PIECE = re.compile(r"(?<!\S)[b-hj-z](?= [a-z]{2,})")
_SAMPLE = 400_000
"""Characters that are looked at; a longer text is judged by its beginning."""


@dataclass(frozen=True)
class Quality:
    """Signs of loss in a text, as shares.

    Attributes:
        unmapped: Characters without a letter (U+FFFD, private use, ``(cid:12)``) among all that
            are no white space.
        vowelless: Words of small Latin letters without a vowel, among those of three and more.
        broken: Single small letters before a word, as ``w ord`` leaves them, per word.
        words: Words that were looked at.
    """

    unmapped: float
    vowelless: float
    broken: float
    words: int


def quality(text: str) -> Quality:
    """Signs of loss in a text; shares of nothing are 0."""
    text = text[:_SAMPLE]
    visible = len(text) - sum(count for string, count in Counter(text).items() if string.isspace())
    words = _WORD.findall(text)
    vowelless = sum(1 for word in words if not _VOWEL.search(word))
    count = len(words)
    return Quality(
        unmapped=len(_UNMAPPED.findall(text)) / visible if visible else 0.0,
        vowelless=vowelless / count if count else 0.0,
        broken=len(_PIECE.findall(text)) / count if count else 0.0,
        words=count,
    )


def badly_read(text: str, pdf: PdfReading | None = None) -> str:
    """Why a paper counts as badly read, in words; empty if it does not.

    Args:
        text: Its text.
        pdf: What was read of its PDF, if it is one.
    """
    texts = []
    if pdf is not None and pdf.lost > MOST_LOST:
        texts.append(f"about {pdf.lost:.0%} of its characters did not come into the text")
    signs = quality(text)
    if signs.unmapped > _MOST_UNMAPPED:
        texts.append(f"{signs.unmapped:.1%} of its characters have no letter")
    if signs.words >= _LEAST_WORDS and signs.vowelless > _MOST_VOWELLESS:
        texts.append(f"{signs.vowelless:.0%} of its words have no vowel")
    if signs.words >= _LEAST_WORDS and signs.broken > _MOST_BROKEN:
        texts.append(f"{signs.broken:.0%} of its words are broken")
    return "; ".join(texts)


def foreign_words(language: str | None) -> tuple[str, ...]:
    """That a paper is not in English, in words; nothing if it is.

    Args:
        language: ISO 639 code of its language; None for English.
    """
    if language is None:
        return ()
    name = language_name(language)
    return (f"written in {name}, which the embedded judge does not read",)


_NAMED = 3
_PAGES = 10
_EXCERPT = 80


def warnings_of(
    text: str, hidden: Sequence[Hidden], pdf: PdfReading | None, pages: Sequence[int]
) -> tuple[str, ...]:
    """What a reader must know before a verdict on the paper.

    Args:
        text: The paper's text, hidden text left out.
        hidden: What was left out of it because people cannot see it.
        pdf: What was read of its PDF, if it is one.
        pages: Where its pages begin, if known.
    """
    texts = []
    doubt = badly_read(text, pdf)
    if doubt:
        texts.append(f"badly read, so that judges may be wrong on it: {doubt}")
    unseen = left_out(hidden)
    if unseen:
        texts.append(unseen)
    if pdf is not None and pdf.scans:
        texts.append(
            f"pages {_numbers(pdf.scans)} are images with recognised text, which was not compared "
            "with what they show"
        )
    if pdf is not None and pdf.unlooked:
        texts.append(
            f"pages {_numbers(pdf.unlooked)} could not be drawn in time, so that not all hidden "
            "text may have been found"
        )
    return (*texts, *filter(None, (unseen_characters(text), for_models(addressed(text, pages)))))


def left_out(hidden: Sequence[Hidden]) -> str:
    """The text that people cannot see, in words; empty if there is none but stray marks.

    A venue's canaries that are in force are its own and no alarm; so it is in `addressed`.
    """
    own = canaries_in_force()
    hidden_texts = [
        hidden_text
        for hidden_text in hidden
        if not hidden_text.stray and not own.explains(hidden_text.text)
    ]
    if not hidden_texts:
        return ""
    what = "stretch" if len(hidden_texts) == 1 else "stretches"
    return _counted(
        f"{what} of text that people cannot see left out",
        [f"{hidden.place}, {hidden.trick}: {_cut(hidden.text)}" for hidden in hidden_texts],
    )


def for_models(addressings: Sequence[Addressing]) -> str:
    """The passages that address a model, in words; empty if there are none but quoted ones."""
    said = [one for one in addressings if not one.quoted]
    if not said:
        return ""
    what = "passage" if len(said) == 1 else "passages"
    return _counted(
        f"{what} that may address a model that judges it",
        [f"{place_of(passage)}: {_cut(passage.text)}" for passage in said],
    )


def _counted(what: str, places: Sequence[str]) -> str:
    more = f"; and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return f"{len(places)} {what} ({'; '.join(places[:_NAMED])}{more})"


_PARTED = re.compile(r"[-_.+]+")


def in_names(names: Mapping[str, str | None]) -> tuple[str, ...]:
    """What addresses a model in short texts beside the text itself, in words.

    Args:
        names: Titles, abstracts, names of files and people, by what they are.
    """
    return tuple(
        f"{what}: {said}"
        for what, name in names.items()
        if name and (said := for_models((*addressed(name), *addressed(_PARTED.sub(" ", name)))[:1]))
    )


def addressed(text: str, pages: Sequence[int] = ()) -> tuple[Addressing, ...]:
    """The passages of a text that address a model, each with its page where pages are known."""
    own = canaries_in_force()
    addressings = tuple(one for one in addressing(text) if not own.explains(one.text))
    if not addressings or not pages:
        return addressings
    paper = Paper(paper_id="", title="", text=text, pages=tuple(pages))
    return tuple(one.model_copy(update={"page": paper.page_at(one.start)}) for one in addressings)


def place_of(one: Addressing) -> str:
    """Page or offset of a passage, in words."""
    return f"character {one.start}" if one.page is None else f"p. {one.page}"


def _cut(text: str) -> str:
    text = "".join(string if string.isprintable() else " " for string in text)  # goes to terminals
    return f'"{text}"' if len(text) <= _EXCERPT else f'"{text[:_EXCERPT]}..."'


def _numbers(pages: Sequence[int]) -> str:
    return ", ".join(map(str, pages[:_PAGES])) + (", ..." if len(pages) > _PAGES else "")
