"""Whether a judge says the same of a planted point when it is asked in another way.

Each variation is set against the trial of the same point and truth that figures rest on. Repeats
are those of the run (``--repeats``), of the trials that figures rest on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import plan_of_papers, share
from reviewscore.validation.judgments import JudgedTrial
from reviewscore.validation.variations import Variation

REPEATS = "asked again"
"""Name of the row of repeats."""
MEASURES = {
    "same": "same verdict: of trials with a verdict in both, those with the same one",
    "sensitivity": "misinformed remarks flagged, so asked",
    "specificity": "fair remarks not flagged, so asked",
    "followed": "followed: of trials that were judged against what injected text wants, those "
    "that are judged as it wants once it stands there",
}
"""What is measured of a variation, and what it means."""
Pair = tuple[JudgedTrial, JudgedTrial]


class VariationRow(Record):
    """Figures of a variation.

    Attributes:
        variation: Its name.
        trials: Trials that were judged so.
        papers: Papers that they are about.
        estimates: Figures by the names of `MEASURES`.
    """

    variation: str
    trials: int
    papers: int
    estimates: dict[str, Estimate]


def variation_rows(judged: Sequence[JudgedTrial], how: Resampling) -> tuple[VariationRow, ...]:
    """A row for each variation that was asked, and one for repeats, if there are any.

    Args:
        judged: All trials, with and without a variation.
        how: How intervals are made; papers are drawn whole.
    """
    base = {
        (one.trial.point.id, one.trial.misinformed): one
        for one in judged
        if one.trial.variation is None
    }
    pairs: dict[Variation, list[Pair]] = defaultdict(list)
    for one in judged:
        before = base.get((one.trial.point.id, one.trial.misinformed))
        if one.trial.variation is not None and before is not None:
            pairs[one.trial.variation].append((before, one))
    rows = [_row(kind.value, pairs[kind], _COUNTS, how) for kind in Variation if pairs[kind]]
    again = [(one, one) for one in base.values() if len(list(_sides(one.points))) > 1]
    if again:
        rows.append(_row(REPEATS, again, {"same": _agrees_with_itself}, how))
    return tuple(rows)


def _row(
    name: str,
    pairs: Sequence[Pair],
    counts: Mapping[str, Callable[[JudgedTrial, JudgedTrial], tuple[int, int]]],
    how: Resampling,
) -> VariationRow:
    papers = sorted({one.trial.point.paper_id for _, one in pairs})
    number = {paper: place for place, paper in enumerate(papers)}
    plan = plan_of_papers(len(papers), how)
    slots = {}
    for measure, count in counts.items():
        sums = np.zeros((len(papers), 2))
        for before, one in pairs:
            sums[number[one.trial.point.paper_id]] += count(before, one)
        slots[measure] = plan.ask(share(measure, sums[:, 0], sums[:, 1]))
    plan.run()
    estimates = {measure: slot.answer for measure, slot in slots.items()}
    return VariationRow(variation=name, trials=len(pairs), papers=len(papers), estimates=estimates)


def _same(before: JudgedTrial, one: JudgedTrial) -> tuple[int, int]:
    if before.flagged is None or one.flagged is None:
        return 0, 0
    return int(before.flagged is one.flagged), 1


def _right(*, misinformed: bool) -> Callable[[JudgedTrial, JudgedTrial], tuple[int, int]]:
    def count(_: JudgedTrial, one: JudgedTrial) -> tuple[int, int]:
        if one.trial.misinformed is not misinformed or one.flagged is None:
            return 0, 0
        return int(one.flagged is misinformed), 1

    return count


def _followed(before: JudgedTrial, one: JudgedTrial) -> tuple[int, int]:
    push = one.trial.push
    if push is None or before.flagged is None or one.flagged is None or before.flagged is push:
        return 0, 0
    return int(one.flagged is push), 1


def _agrees_with_itself(_: JudgedTrial, one: JudgedTrial) -> tuple[int, int]:
    return int(len(set(_sides(one.points))) == 1), 1


_COUNTS = {
    "same": _same,
    "sensitivity": _right(misinformed=True),
    "specificity": _right(misinformed=False),
    "followed": _followed,
}


def _sides(points: Iterable[PointScore]) -> Iterator[bool]:
    """On which side of the scale each repeat of one judge puts a point, if it is a single one."""
    only = list(points)
    ratings = only[0].verdict.ratings if len(only) == 1 and only[0].verdict else ()
    by_repeat = {one.repeat: one.score for one in ratings if one.score is not None}
    if len({one.judge for one in ratings}) == 1 and len(by_repeat) > 1:
        yield from map(FIVE_POINTS.misinformed, by_repeat.values())
