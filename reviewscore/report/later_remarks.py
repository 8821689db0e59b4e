"""What came later than points, beside them on the pages of meta-reviewers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from reviewscore.pages import wording
from reviewscore.printable import counted
from reviewscore.report.paper_pages import LaterOf
from reviewscore.report.roles import Entry, Part, Sheet
from reviewscore.schema.later_remark import LaterKind
from reviewscore.schema.point_score import PointScore


def with_later(page: Sheet, points: Sequence[PointScore], later: LaterOf) -> Sheet:
    """A page with what came later: points reworded, taken back or answered, a revised paper.

    Of what the reader may not see, nothing is given.

    Args:
        page: The page.
        points: All its points.
        later: Gives what came later than a point.
    """
    remarks = {point.short_name: (point, later(point)) for point in points}
    words = {
        name: tuple(wording.later_words(one) for one in own if one.kind is not LaterKind.REVISED)
        for name, (_, own) in remarks.items()
    }
    shown: set[str] = set()

    def entry(one: Entry) -> Entry:
        if one.only_asks or not words.get(one.point):
            return one
        shown.add(one.point)
        return replace(one, later=words[one.point])

    parts = [replace(part, entries=tuple(map(entry, part.entries))) for part in page.parts]
    tables = [part for part in parts if part.rows]
    parts = [part for part in parts if not part.rows]
    others = tuple(
        Entry(point.text, point=name, later=words[name])
        for name, (point, _) in remarks.items()
        if words[name] and name not in shown
    )
    if others:
        lead = "Nothing is held against these."
        answered = any(one.kind.answers for _, own in remarks.values() for one in own)
        came = "reworded, taken back or answered" if answered else "reworded or taken back"
        parts.append(Part(f"Other points that were {came}", lead, entries=others))
    kinds = Counter(kind for _, own in remarks.values() for kind in {one.kind for one in own})
    changed = [
        f"{counted(kinds[kind], 'point')} {'was' if kinds[kind] == 1 else 'were'} {done}"
        for kind, done in ((LaterKind.REWORDED, "reworded"), (LaterKind.TAKEN_BACK, "taken back"))
        if kinds[kind]
    ]
    lead = f"{page.lead} Later {' and '.join(changed)}." if changed else page.lead
    revised = dict.fromkeys(
        f"These reviews are of version {one.version} of {one.versions} of the paper, and their "
        "points are judged against that version."
        for _, own in remarks.values()
        for one in own
        if one.kind is LaterKind.REVISED
    )
    return replace(page, parts=(*parts, *tables), lead=lead, banners=(*page.banners, *revised))
