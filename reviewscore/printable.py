"""Text to print: foreign text made safe (what a terminal obeys or hides), numbers in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, line feed and tab apart
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    "\u2028\u2029\ud800-\udfff]"  # further line ends; halves of characters
)


ALWAYS_UNSEEN = (
    "\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb"
)
"""Characters that nobody sees wherever they stand, as a regular expression's class has them."""
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Variation selectors, likewise."""
_JOINING = "\u0600-\u07ff\u0860-\u0dff\u0f00-\u109f\u1780-\u18af"
"""Scripts that need joiners between letters: Arabic and its kin, those of India, Burmese, Khmer."""
_PICTURES = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_JOINED = f"{_JOINING}{_PICTURES}"
_SELECTED = f"{_PICTURES}#*0-9\u3400-\u9fff\U00020000-\U0003ffff\u1820-\u18aa"
_JOINER = "[\u200c\u200d]"
UNSEEN_ONE = re.compile(
    "(?P<flag>\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f)"
    f"|[{ALWAYS_UNSEEN}\U000e0000-\U000e007f]"
    f"|{_JOINER}(?:(?<![{_JOINED}\ufe0f].)|(?<=[{ALWAYS_UNSEEN}].)"  # what joins is seen itself
    f"|(?<=\ufe0f.)(?:(?<![{_SELECTED}]..)|(?<=[{ALWAYS_UNSEEN}]..))"
    f"|(?![{_JOINED}])|(?=[{ALWAYS_UNSEEN}]))"
    f"|[{SELECTORS}](?:(?<![{_SELECTED}].)|(?<=[{ALWAYS_UNSEEN}].))"
)
"""A character that people do not see and no script or picture needs where it stands; or the flag of
a region, which is seen."""


def printable(text: str, *, lines: bool = False) -> str:
    r"""Text that shows what a terminal obeys or hides as ``\u001b``, and obeys and hides nothing.

    That is control characters and those of direction, and those without width that no script or
    picture needs where they stand. The escapes are those of JSON (in halves beyond U+FFFF), so that
    a JSON record stays a record and keeps its values.

    Args:
        text: The text.
        lines: Whether line feeds end lines; else they are shown as ``\n``, so that no name or
            message can look like a line of its own.
    """
    safe = _OBEYED.sub(_escape, text)
    if not safe.isascii():
        safe = UNSEEN_ONE.sub(lambda match: match["flag"] or _escape(match), safe)
    return safe if lines else safe.replace("\n", "\\n")


def _escape(match: re.Match[str]) -> str:
    halves = match.group().encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{halves[at : at + 4]}" for at in range(0, len(halves), 4))


_FOLDERS = re.compile(
    r"(?<![\w.:/\\~-])"  # not within an address, a word or a relative path
    r"(?:/|~/|[A-Za-z]:[\\/])(?:[^\s/\\:;,'\"<>|()]+[\\/])+(?=[^\s/\\])"
)


def without_folders(text: str, known: Iterable[str] = ()) -> str:
    """A text for others, in which files are called by their names: folders are this machine's own.

    Args:
        text: The text.
        known: Absolute folders that it may name, whatever characters are in them.
    """
    for folder in sorted(known, key=len, reverse=True):
        for separator in "/\\":
            text = text.replace(folder.rstrip("/\\") + separator, "")
    return _FOLDERS.sub("", text)


_BREAKS = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
"""Line breaks of all kinds, and tabs."""
_MARKUP = re.compile(
    r"([\\`*_{}\[\]>|~$&@])"  # acts anywhere
    r"|(<)(?=[A-Za-z/!?])"  # begins a tag or an address
    r"|(?<=[Ww][Ww][Ww])(\.)|(:)(?=\S)"  # makes an address or an emoji
    r"|^([-+#=])"  # makes a list or a heading of a line
)
_NUMBERED = re.compile(r"^([0-9]{1,9})([.)])")


def on_one_line(text: str) -> str:
    """Words without line breaks; what a terminal would obey is shown as its escape."""
    return printable(_BREAKS.sub(" ", text))


def markdown_escaped(text: str) -> str:
    """Foreign text on one line, with nothing in it that Markdown or HTML could act on."""
    return _NUMBERED.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", " ".join(text.split())))


def without_escapes(text: str) -> str:
    """A page of Markdown with what `markdown_escaped` put in taken out, to be read as it is."""
    return _ESCAPED.sub(r"\1", text)


_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def counted(count: int, noun: str) -> str:
    """A number of things: ``1 paper``, ``2 papers``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def first_of(names: Sequence[str], most: int) -> str:
    """Names with commas between; of very many the first, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
