"""GRE-bench: means of systems, their ranks, sizes and other benchmarks, as tables and plots."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite, log, nan
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError
from reviewscore.files import read_lines
from reviewscore.gem.score import SCORES, Scores
from reviewscore.papers.load import input_error
from reviewscore.sources.system_reviews import PEOPLE
from reviewscore.stats.estimates import BootstrapPlan, Estimate, PendingEstimate, mean
from reviewscore.stats.metrics import RankCorrelation, rank_correlation
from reviewscore.stats.plots import colour_of, new_figure, save_all, short_name
from reviewscore.stats.resampling import Clusters, Resampling, percent
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table, chance

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MEANS, DIFFERENCES = "gem-means", "gem-differences"
ONE_PAPER = "one paper alone has no interval"
HONEST = (
    "lexical-cache measures lexical and topical informativeness: which words of a review come back "
    "in others of the same paper. Its nats cannot be compared with those of neural models or of "
    "another background. Read the means of systems, not the scores of single reviews."
)


def score_tables(scores: Sequence[Scores], how: Resampling) -> list[Table]:
    """Means of all systems, and if there are several, how they differ from people's.

    The unit is the paper: a system's reviews of one paper are averaged first, and whole papers are
    drawn.

    Args:
        scores: One for each variant.
        how: How intervals are made; papers are drawn whatever it says.
    """
    papers = sorted(set[str]().union(*(score.papers() for score in scores)))
    if not papers:
        return []
    plan = BootstrapPlan(Clusters.by(papers), how)
    systems = list(dict.fromkeys(name for score in scores for name in score.dropped))
    variants = [PaperScores.of(score) for score in scores]
    columns = ("system", *(each.variant for each in variants))

    def of_variant(each: PaperScores, name: str) -> PendingEstimate:
        column = _column(each.systems.get(name, {}), papers)
        return plan.ask(mean(each.variant, column), each.dropped[name])

    def to_people(each: PaperScores, name: str) -> PendingEstimate:
        sides = (_column(each.systems.get(side, {}), papers) for side in (name, PEOPLE))
        return _difference(plan, each.variant, *sides)

    tables = [
        Table(
            MEANS,
            f"Informativeness in nats, mean over papers with {how.percent} intervals "
            "(GRE-bench, arXiv 2411.07228, Table 6)",
            columns,
            tuple((name, *(of_variant(each, name) for each in variants)) for name in systems),
        )
    ]
    if len(systems) > 1 and PEOPLE in systems:
        others = [name for name in systems if name != PEOPLE]
        tables.append(
            Table(
                DIFFERENCES,
                f"Difference to people in nats, paired by paper, with {how.percent} intervals and "
                "permutation p",
                columns,
                tuple((name, *(to_people(each, name) for each in variants)) for name in others),
            )
        )
    plan.run()
    for table in tables:
        for row in table.rows:
            without_spread(cell for cell in row if isinstance(cell, PendingEstimate))
    return tables


def _difference(plan: BootstrapPlan, name: str, left: Floats, right: Floats) -> PendingEstimate:
    """Of two systems' means, on the papers that both have scores for."""
    both = ~np.isnan(left) & ~np.isnan(right)
    first, second = (np.where(both, side, nan) for side in (left, right))
    return plan.ask(mean(name, first), minus=mean(name, second))


def without_spread(slots: Iterable[PendingEstimate]) -> None:
    """Take intervals from means of one paper: every resample is that paper again."""
    for slot in slots:
        if slot.answer.n == 1:
            nothing = {"low": None, "high": None, "p": None, "reason": ONE_PAPER}
            slot.estimate = slot.answer.model_copy(update=nothing)


LEVEL = 0.9
"""Of intervals, as in the paper's figure 5."""
RANKING = "gem-ranking"
TIES = (
    "'=' beside a place: the interval of the difference to a neighbour, paired by paper, includes "
    "0. Neighbours alone are compared, and no correction is made for the number of comparisons."
)


class ScoreRow(BaseModel):
    """What is read of a line of ``scores.jsonl``.

    Attributes:
        variant: How it was made: GEM, GEM-S (abstract), ...
        nats: The review's mean over its references; None if it has none.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    variant: str
    system: str
    paper_id: str
    nats: float | None


@dataclass(frozen=True)
class PaperScores:
    """Scores by one variant: of each system, by paper, in nats.

    Attributes:
        dropped: Of each system, how many reviews have no score, by reason.
    """

    variant: str
    systems: Mapping[str, Mapping[str, float]]
    dropped: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Scores) -> PaperScores:
        """From the scores of single reviews; a system's reviews of a paper are averaged."""
        dropped = {
            name: {f"reviews {why}": count for why, count in reasons.items()}
            for name, reasons in scores.dropped.items()
        }
        return cls(
            scores.variant.name,
            {system: scores.by_paper(system) for system in scores.systems()},
            dropped,
        )

    def means(self) -> dict[str, float]:
        """Mean over papers of every system that has a score."""
        return {
            name: sum(known.values()) / len(known) for name, known in self.systems.items() if known
        }


def read_scores(path: Path) -> list[PaperScores]:
    """Read the scores that `reviewscore gem` wrote; a system's reviews of a paper are averaged.

    Args:
        path: The folder, or its ``scores.jsonl``.

    Raises:
        InputError: There is no such file, or a line is no score; names file and line.
    """
    path = path / SCORES if path.is_dir() else path
    if not path.is_file():
        raise InputError("there is no such file", file=path, cure="name a folder that `gem` wrote")
    nested_values: dict[str, dict[str, dict[str, list[float]]]] = {}
    for number, (_, raw) in enumerate(read_lines(path), start=1):
        try:
            row = ScoreRow.model_validate_json(raw)
        except ValidationError as error:
            raise input_error(error, file=path, line=number) from error
        papers = nested_values.setdefault(row.variant, {}).setdefault(row.system, {})
        if row.nats is not None:
            papers.setdefault(row.paper_id, []).append(row.nats)
    return [
        PaperScores(
            variant,
            {
                name: {paper: sum(nats) / len(nats) for paper, nats in papers.items()}
                for name, papers in systems.items()
            },
        )
        for variant, systems in nested_values.items()
    ]


@dataclass(frozen=True)
class Placed:
    """A system's place.

    Attributes:
        place: 1 is the best.
        tied: Whether a neighbour's place could as well be its own.
        mean: Mean over papers in nats, with its interval and n papers.
        ahead: Difference to the next system, on the papers of both; None for the last.
    """

    place: int
    system: str
    tied: bool
    mean: Estimate
    ahead: Estimate | None


@dataclass(frozen=True)
class Ranking:
    """All systems by one variant, the best first.

    Attributes:
        unplaced: Systems without any score.
        level: Of the intervals.
        table: The ranking as a table.
    """

    variant: str
    places: tuple[Placed, ...]
    unplaced: tuple[str, ...]
    level: float
    table: Table


def rank(scores: PaperScores, how: Resampling | None = None) -> Ranking:
    """Rank systems by their mean over papers; people are one of the systems.

    Args:
        scores: Of one variant.
        how: How intervals are made; by default at 90 %. The papers are the units, and drawn.
    """
    how = how or Resampling(level=LEVEL)
    means = scores.means()
    order = sorted(means, key=lambda name: (-means[name], name))
    unplaced = tuple(name for name in scores.systems if name not in means)
    papers = sorted({paper for known in scores.systems.values() for paper in known})
    slots, gaps = _asked(scores, order, papers, how)
    ties = [_includes_zero(gap.answer) for gap in gaps]
    places: list[Placed] = []
    rows: list[tuple[Cell, ...]] = []
    for at, name in enumerate(order):
        tied = any(ties[max(0, at - 1) : at + 1])
        gap = gaps[at] if at < len(gaps) else None
        places.append(
            Placed(at + 1, name, tied, slots[at].answer, gap.answer if gap is not None else None)
        )
        rows.append((f"{at + 1}{'=' if tied else ''}", name, slots[at], gap))
    rows += [("–", name, "no score", None) for name in unplaced]
    uneven = len({frozenset(scores.systems[name]) for name in order}) > 1
    more = ("the systems have scores on different papers: means may not be comparable",)
    table = Table(
        f"{RANKING}-{_slug(scores.variant)}",
        f"Ranking by {scores.variant}: nats, mean over papers with {how.percent} intervals "
        "(GRE-bench, arXiv 2411.07228, sec. 5)",
        ("place", "system", "mean", "ahead of the next by"),
        tuple(rows),
        keys=2,
        notes=(TIES, *(more if uneven else ())),
    )
    return Ranking(scores.variant, tuple(places), unplaced, how.level, table)


def _asked(
    scores: PaperScores, order: Sequence[str], papers: Sequence[str], how: Resampling
) -> tuple[list[PendingEstimate], list[PendingEstimate]]:
    """Means of all systems, and differences of neighbours."""
    if not papers:
        return [], []
    plan = BootstrapPlan(Clusters.by(papers), how)
    columns = [_column(scores.systems[name], papers) for name in order]
    slots = [
        plan.ask(mean("mean", column), scores.dropped.get(name))
        for name, column in zip(order, columns, strict=True)
    ]
    gaps = [_difference(plan, "mean", *pair) for pair in pairwise(columns)]
    plan.run()
    without_spread([*slots, *gaps])
    return slots, gaps


def _column(known: Mapping[str, float], papers: Sequence[str]) -> Floats:
    """Shape (papers,); NaN where there is no score."""
    return np.array([known.get(paper, nan) for paper in papers])


def _includes_zero(gap: Estimate) -> bool:
    """Whether two neighbours cannot be told apart; without an interval they cannot."""
    return gap.low is None or gap.high is None or gap.low <= 0 <= gap.high


def _slug(name: str) -> str:
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name.lower()).split())


SIZE = "parameters_billions"
CORRELATIONS, BENCHMARKS = "gem-correlations", "gem-benchmarks"
_NAMES = ("system", "model_name")
_HOW = (
    "n systems with both scores; p two-sided over all orders up to 8 systems, else over drawn "
    "ones; systems of one maker are not independent, so that p is too small"
)


def read_columns(path: Path) -> dict[str, dict[str, float]]:
    """Numbers of systems from a CSV file: by column, then by system; empty cells are left out.

    Args:
        path: The file; a column ``system`` (or ``model_name``) names the systems.

    Raises:
        InputError: The file, a system's name or a number cannot be used; names file and line.
    """
    try:
        text = read_bounded(path, in_force().table).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot be read: {error}", file=path, cure="give a CSV file") from error
    key = next((text for text in _NAMES if rows and text in rows[0]), None)
    if key is None:
        raise InputError("has no column 'system'", file=path, cure="name the systems in it")
    value_groups: dict[str, dict[str, float]] = {
        name: {} for name in rows[0] if name and name != key
    }
    seen: set[str] = set()
    for line, row in enumerate(rows, start=2):
        system = (row[key] or "").strip()
        if not system or system in seen:
            problem = f"'{system}' is there twice" if system else "names no system"
            raise InputError(problem, file=path, line=line, field=key, cure="one line a system")
        seen.add(system)
        for column, known in value_groups.items():
            if text := (row[column] or "").strip():
                known[system] = _number(text, path, line, column)
    return value_groups


def _number(text: str, path: Path, line: int, column: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not isfinite(value):
        raise InputError(
            f"'{text}' is no number", file=path, line=line, field=column, cure="or leave it empty"
        )
    return value


def read_sizes(path: Path) -> dict[str, float]:
    """Billions of parameters by system, from a CSV file ``system,parameters_billions``.

    Raises:
        InputError: As `read_columns`; or the column is missing, or a size is not above 0.
    """
    columns = read_columns(path)
    if SIZE not in columns:
        raise InputError(f"has no column '{SIZE}'", file=path, cure="write billions into it")
    for system, size in columns[SIZE].items():
        if size <= 0:
            raise InputError(
                f"'{system}' has {size:g} billion parameters", file=path, field=SIZE,
                cure="leave it empty where the size is not known",
            )  # fmt: skip
    return columns[SIZE]


def compare_models(
    left: Sequence[PaperScores], right: Sequence[PaperScores], *, names: tuple[str, str]
) -> Table:
    """How alike two evaluation models rank the same systems, by variant.

    Args:
        left: Scores by one evaluation model.
        right: Scores by the other.
        names: Of the two.
    """
    others = {paper_scores.variant: paper_scores.means() for paper_scores in right}
    rows: list[tuple[Cell, ...]] = []
    for scores in left:
        if scores.variant in others:
            pair = (scores.means(), others[scores.variant])
            rho, tau = (rank_correlation(*pair, kind=kind) for kind in ("spearman", "kendall"))
            rows.append((scores.variant, in_words(rho), in_words(tau)))
    return Table(
        CORRELATIONS,
        f"Rank correlation of systems' means by {names[0]} and by {names[1]} "
        "(arXiv 2411.07228, sec. 5)",
        ("variant", "Spearman", "Kendall"),
        tuple(rows),
        notes=(_HOW,),
    )


def compare_benchmarks(
    means: Mapping[str, Mapping[str, float]], others: Mapping[str, Mapping[str, float]]
) -> Table:
    """Spearman's correlation of systems' means with other benchmarks.

    Args:
        means: By variant, then by system.
        others: By benchmark, then by system (`read_columns`).
    """
    rows = tuple(
        (variant, *(in_words(rank_correlation(known, other)) for other in others.values()))
        for variant, known in means.items()
    )
    return Table(
        BENCHMARKS,
        "Spearman's rank correlation with other benchmarks (arXiv 2411.07228, Table 3)",
        ("variant", *others),
        rows,
        notes=(_HOW,),
    )


def in_words(correlation: RankCorrelation) -> str:
    """A correlation as tables print it."""
    if correlation.value is None or correlation.p is None:
        return f"– (n={correlation.n}: {correlation.reason})"
    return f"{correlation.value:.2f} (n={correlation.n}, {chance(correlation.p)})".replace("-", "−")


BY_SIZE = "gem-by-size"
_GREY = "#718096"
_SHORT = 24
_STEP = 0.12
"""Distance of systems without a size, as a share of the width that sizes take."""
_WIDE = 100.0
"""From this ratio of sizes on, ticks stand at powers of ten alone."""
_APART, _SIGN, _LINE = 0.015, 0.0095, 0.03
"""Of a label: its distance to the point, a sign's width and a line's height, as shares of axes."""


def draw_by_size(
    rankings: Sequence[Ranking], sizes: Mapping[str, float], folder: Path
) -> list[Path]:
    """Draw systems' means against their size, a panel for each variant.

    Error bars are the rankings' intervals; people are a grey line with their interval as a band
    (arXiv 2411.07228, fig. 5). Systems whose size is not known stand in a strip at the right.

    Args:
        rankings: One for each variant.
        sizes: Billions of parameters by system.
        folder: Where to.

    Returns:
        The files written; SVG and PNG. Nothing is drawn where no system has a score.
    """
    drawn = [
        ranking for ranking in rankings if any(place.system != PEOPLE for place in ranking.places)
    ]
    return save_all(_figures(drawn, sizes), folder)


def _figures(
    rankings: Sequence[Ranking], sizes: Mapping[str, float]
) -> Iterator[tuple[str, Figure]]:
    if not rankings:
        return
    figure, axes = new_figure(1, len(rankings), 4.6, 3.8)
    systems = sorted({place.system for ranking in rankings for place in ranking.places} - {PEOPLE})
    makers = sorted({_maker(system) for system in systems})
    colours = {maker: colour_of(n) for n, maker in enumerate(makers)}
    for axis, ranking in zip(axes, rankings, strict=True):
        _panel(axis, ranking, sizes, colours)
    axes[0].set_ylabel("nats, mean over papers")
    handles, labels = [], []
    for axis in axes:  # a maker may be missing in one panel
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=7, frameon=False)
    yield BY_SIZE, figure


def _panel(
    axis: Axes, ranking: Ranking, sizes: Mapping[str, float], colours: Mapping[str, str]
) -> None:
    people = next((place for place in ranking.places if place.system == PEOPLE), None)
    others = [place for place in ranking.places if place.system != PEOPLE]
    known = [sizes[one.system] for one in others if one.system in sizes]
    unknown = sorted(one.system for one in others if one.system not in sizes)
    left, right = min(known, default=1.0) / 2, max(known, default=1.0) * 2
    step = (right / left) ** _STEP
    places = {**sizes, **{name: right * step**n for n, name in enumerate(unknown, start=1)}}
    end = right * step ** (len(unknown) + 1) if unknown else right
    axis.set_xscale("log")
    axis.set_title(f"{ranking.variant} ({percent(ranking.level)} intervals)", fontsize=9)
    axis.set_xlabel("billions of parameters")
    _ticks(axis, known)
    if unknown:
        axis.axvline(right, color=_GREY, lw=0.6, ls=":")
        axis.text(
            (right * end) ** 0.5, 0.0, "size not known", transform=axis.get_xaxis_transform(),
            ha="center", va="bottom", fontsize=6, color=_GREY,
        )  # fmt: skip
    for placement in others:
        _point(axis, placement, places[placement.system], colours[_maker(placement.system)])
    if people is not None and people.mean.value is not None:
        _band(axis, people)
    axis.set_xlim(left, end * step)  # room for the last label
    _labels(axis, [(places[one.system], one) for one in others])


def _ticks(axis: Axes, known: Sequence[float]) -> None:
    """Round sizes within the range; the axis ends where sizes are not known."""
    from matplotlib.ticker import NullLocator

    low, high = min(known, default=1.0) / 2, max(known, default=1.0) * 2
    decades = range(-3, 7)
    wide = high / low > _WIDE
    marks = [n * 10.0**decade for decade in decades for n in ((1,) if wide else (1, 2, 5))]
    inside = [mark for mark in marks if known and low <= mark <= high]
    axis.set_xticks(inside, [f"{mark:g}" for mark in inside])
    axis.xaxis.set_minor_locator(NullLocator())


def _point(axis: Axes, placement: Placed, at: float, colour: str) -> None:
    value, low, high = placement.mean.value, placement.mean.low, placement.mean.high
    assert value is not None, "only systems with a score have a place"
    if low is not None and high is not None:
        axis.plot([at, at], [low, high], color=colour, lw=1.0)
    maker = _maker(placement.system)
    _, labels = axis.get_legend_handles_labels()
    axis.plot(at, value, "o", ms=4, color=colour, label=None if maker in labels else maker)


def _labels(axis: Axes, placed: Sequence[tuple[float, Placed]]) -> None:
    """Names beside their points, each moved up until it covers no other."""
    low, high = axis.get_ylim()
    left, right = axis.get_xlim()
    taken: list[tuple[float, float, float]] = []
    for at, placement in sorted(placed, key=lambda pair: (pair[1].mean.value or 0.0, pair[0])):
        name = short_name(placement.system, _SHORT)
        x = log(at / left) / log(right / left) + _APART
        y = ((placement.mean.value or 0.0) - low) / (high - low)
        end = x + _SIGN * len(name)
        for from_, to, height in sorted(taken, key=lambda box: box[2]):
            if from_ < end and x < to and abs(height - y) < _LINE:
                y = height + _LINE
        taken.append((x, end, y))
        axis.text(x, y, name, transform=axis.transAxes, fontsize=5, va="center")


def _band(axis: Axes, people: Placed) -> None:
    value, low, high = people.mean.value, people.mean.low, people.mean.high
    assert value is not None
    axis.axhline(value, color=_GREY, lw=1.0, zorder=0, label=PEOPLE)
    if low is not None and high is not None:
        axis.axhspan(low, high, color=_GREY, alpha=0.2, lw=0, zorder=0)


def _maker(system: str) -> str:
    """Who made a model, from ``maker/name``; the whole name where it has no slash."""
    return system.partition("/")[0]
