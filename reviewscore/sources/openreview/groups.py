"""A table of assignments from an export of OpenReview's notes and groups: pseudonyms alone.

A person is the paper's number and the anonymous part of a group's or signature's id, such as
``p12.Area_Chair_aB3d``: OpenReview gives people another one for each paper. Members of groups that
are named by their profile are never read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from json import JSONDecodeError
from pathlib import Path

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.sources.openreview.fetch import files_of, records_in
from reviewscore.sources.openreview.threads import Forums, Thread

_GROUP = re.compile(
    r".+/(?:Submission|Paper)(\d{1,9})/((?P<senior>Senior_)?Area_Chair_[A-Za-z0-9]{1,20})"
)
_NUMBER = re.compile(r"/(?:Submission|Paper)(\d{1,9})/")
_COLUMNS = ("person", "role", "paper", "review")


def assignments_in(path: Path) -> tuple[str, int]:
    """The table of an export, as CSV, and how many groups are of no paper in it.

    Reviewers come from the signatures of their reviews, authors as one for each paper, area chairs
    and senior area chairs from groups. Conflicts are in no group: they are to be added.

    Args:
        path: A file or folder of exported notes and groups (JSON, JSONL).

    Raises:
        InputError: There is no submission in it.
    """
    forums, groups = Forums(), dict[str, None]()
    for file in files_of(path):
        for record in records_in(file):
            if not isinstance(record, InputError):
                with suppress(InputError):  # a note that cannot be used assigns nobody
                    forums.add(record)
        groups.update(dict.fromkeys(_groups(file)))
    rows, papers = list[tuple[str, ...]](), dict[str, str]()
    for opened in forums.threads():
        number, paper = _number(opened), opened.submission.note_id
        papers[number] = paper
        rows.append((f"p{number}.Authors", "author", paper, ""))
        rows += [
            (f"p{number}.{review.reviewer}", "reviewer", paper, review.note.note_id)
            for review in opened.reviews
            if review.reviewer
        ]
    if not rows:
        cure = "export the submissions with details=replies"
        raise InputError("holds no submission", file=path, cure=cure)
    chairs = [match for name in groups if (match := _GROUP.fullmatch(name))]
    for match in chairs:
        role = "senior-chair" if match["senior"] else "area-chair"
        if match[1] in papers:
            rows.append((f"p{match[1]}.{match[2]}", role, papers[match[1]], ""))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_COLUMNS, *rows])
    return text.getvalue(), sum(match[1] not in papers for match in chairs)


def _number(opened: Thread) -> str:
    """The paper's number at its venue; its id where nothing says it."""
    if opened.submission.number is not None:
        return str(opened.submission.number)
    matches = (_NUMBER.search(review.note.invitation) for review in opened.reviews)
    return next((match[1] for match in matches if match), opened.submission.note_id)


def _groups(file: Path) -> Iterator[str]:
    """Ids of groups, and of groups that are members of groups, in a file."""
    raw = read_bounded(file, in_force().table)
    for text in raw.splitlines() if file.suffix.lower() == ".jsonl" else [raw]:
        try:
            yield from _ids(load_json(text.decode("utf-8", "replace")))
        except (UnusableJsonError, JSONDecodeError):
            continue  # `records_in` has said so


def _ids(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _ids(one)
    elif isinstance(value, Mapping) and "groups" in value:
        yield from _ids(value["groups"])
    elif isinstance(value, Mapping) and "members" in value:
        members = value["members"]
        names = [value.get("id"), *(members if isinstance(members, list) else ())]
        yield from (name for name in names if isinstance(name, str))
