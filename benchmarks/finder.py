"""Fit the weights of the views by which passages are ranked, and measure what the finder shows.

    python -m benchmarks.finder [--kept] [--encoder FOLDER] [--write]

Trained on the open halves of `annotations/points-dev` (all points with passages, misinformed or
not) and `annotations/planted`, and on the QASPER sample: the chance that a draw by the softmax of
the scores hits a passage that a reader marked is made as large as can be (listwise loss, Cao et al.
2007) under an L2 penalty. Figures of the open half come from ten folds: no paper is in training and
test at once. The invented set of `examples/validate`, to which nothing is fitted, is measured by
the weights of the package, also where the other texts are missing. The kept half is measured at the
end of a piece of work alone, by the weights of the whole open half; with ``--kept --write`` what
was measured goes to the package, which says it beside passages.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from benchmarks.finder_sets import (
    CHARACTERS,
    Order,
    Sought,
    by_words,
    chance,
    encoder_in,
    estimates,
    hits,
    report,
    sought,
)
from benchmarks.measure import ROOT, SHARED, head, row, skip
from reviewscore.judges.lexical import finder
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.retrieval.encoder import SentenceEncoder
from reviewscore.retrieval.index import PaperIndex
from reviewscore.retrieval.ranking import WEIGHTS, WITH, WITHOUT, features, shown_passages
from reviewscore.schema.review import PointKind
from reviewscore.schema.verdict import Finding
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import wilson
from reviewscore.text.linear import LinearModel, fitted_model, load_linear_models, weights_json
from reviewscore.validation.planted import cut, read_planted
from reviewscore.validation.trials import papers_of

INVENTED = ROOT / "examples" / "validate"
"""The planted remarks that are shipped with their papers."""
SHOWN = (1, 3, 5)
MEASURED = Path(finder.__file__).with_name("measured.json")
PENALTY = 0.03
"""Inverse strength of the L2 penalty; chosen of 0.01, 0.03, 0.1 and 0.3 in the same folds."""
FOLDS = 10


class Example(NamedTuple):
    """A remark with the views of its paper's passages.

    Attributes:
        remark: The remark.
        views: Shape (passages, views).
        hit: Shape (passages,): whether a passage meets an answer.
    """

    remark: Sought
    views: np.ndarray
    hit: np.ndarray


def examples(
    remarks: Sequence[Sought], encoder: SentenceEncoder | None
) -> tuple[list[Example], list[str]]:
    """The remarks that have an answer among the passages that may be shown; names of the views."""
    made, names = [], []
    for remark in remarks:
        columns = features(remark.index, remark.text, encoder=encoder)
        names = list(columns) or names
        if not columns:
            continue
        shown = shown_passages(remark.index)
        hit = np.array([remark.answered([(p.start, p.end)]) for p in remark.index.passages], bool)
        if (hit & shown).any():
            made.append(Example(remark, np.column_stack(list(columns.values()))[shown], hit[shown]))
    return made, names


def fit(some: Sequence[Example]) -> np.ndarray:
    """Weights of the views, shape (views,)."""
    rows = np.vstack([example.views for example in some])
    scale = rows.std(axis=0) + 1e-9
    scaled = [(example.views / scale, example.hit) for example in some]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total = float(weights @ weights) / (2 * PENALTY)
        slope = weights / PENALTY
        for views, hit in scaled:
            scores = views @ weights
            raised = np.exp(scores - scores.max())
            share = raised / raised.sum()
            held = float(share[hit].sum())
            total -= float(np.log(held + 1e-12))
            slope = slope + views.T @ (share - np.where(hit, share, 0.0) / (held + 1e-12))
        return total, slope

    start = np.zeros(rows.shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x) / scale


def model_of(weights: np.ndarray, names: Sequence[str]) -> LinearModel:
    """The weights as a file holds them."""
    return fitted_model(("far", "near"), [weights.tolist()], [0.0], names)


def held_out(remarks: Sequence[Sought], encoder: SentenceEncoder | None) -> dict[int, list[int]]:
    """The order of each remark's passages by weights that its paper had no part in."""
    some, names = examples(remarks, encoder)
    papers = sorted({remark.paper for remark in remarks})
    orders: dict[int, list[int]] = {}
    for fold in range(FOLDS):
        out = set(papers[fold::FOLDS])
        fitted = model_of(fit([one for one in some if one.remark.paper not in out]), names)
        weights = {name: row[-1] for name, row in fitted.weights.items()}
        for one in remarks:
            if one.paper in out:
                orders[id(one)] = ordered(one, encoder, weights)
    return orders


def ordered(
    one: Sought, encoder: SentenceEncoder | None, weights: Mapping[str, float] | None
) -> list[int]:
    """The passages of a remark's paper as the embedded judge orders them.

    Args:
        one: The remark.
        encoder: A sentence encoder; None to go by words alone.
        weights: Of the views; None for those of the package.
    """
    return list(finder.nearest(one.text, one.index, one.places, encoder=encoder, weights=weights))


def main() -> None:
    """Print the tables of the folds; write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--kept", action="store_true", help="measure the kept half as well")
    parser.add_argument("--encoder", type=Path, help="folder of a sentence encoder")
    parser.add_argument("--write", action="store_true", help="write the weights to the package")
    arguments = parser.parse_args()
    report_invented(INVENTED)
    if not arguments.data.is_dir():
        skip(f"no data at {arguments.data}")
        return
    remarks = sought(arguments.data, "open")
    kept = sought(arguments.data, "kept") if arguments.kept else []
    models = load_linear_models(WEIGHTS) if WEIGHTS.is_file() else {}
    encoders: dict[str, SentenceEncoder | None] = {WITHOUT: None}
    if arguments.encoder:
        encoders[WITH] = encoder_in(arguments.encoder)
    ways: dict[str, Order] = {}
    for name, encoder in encoders.items():
        orders = held_out(remarks, encoder)
        some, names = examples(remarks, encoder)
        models[name] = model_of(fit(some), names)
        weights = {view: row[-1] for view, row in models[name].weights.items()}
        orders |= {id(one): ordered(one, encoder, weights) for one in kept}
        ways[name] = lambda one, orders=orders: orders[id(one)]
        for half, shown in (("open", remarks), ("kept", kept), ("both", [*remarks, *kept])):
            if shown and (kept or half == "open"):
                report(shown, ways[name], f"{name}, {half}", with_encoder=name == WITH)
    if arguments.write:
        WEIGHTS.write_text(weights_json(card(remarks, models), models), "utf-8")
        if kept:
            MEASURED.write_text(json.dumps(measured([*remarks, *kept], ways), indent=1), "utf-8")


def report_invented(folder: Path) -> None:
    """Print what the embedded judge shows of planted remarks by the weights of the package.

    Remarks are counted each for itself: two papers are too few to draw them anew.

    Args:
        folder: Papers, and ``planted.jsonl`` beside them.
    """
    papers = {name: handle.load() for name, handle in papers_of([folder]).items()}
    points = [
        point
        for point in read_planted(folder / "planted.jsonl").points
        if point.cuts and not point.refuted
    ]
    remarks = [
        Sought(
            "invented",
            PaperIndex(papers[point.paper_id]),
            point.remark,
            tuple((passage.start, passage.end) for passage in point.passages),
        )
        for point in points
    ]
    head(f"Finder: invented set, {len(points)} planted remarks, {len(papers)} papers")
    columns = hits(remarks, lambda one: ordered(one, None, None))
    plain = hits(remarks, by_words)
    for most in SHOWN:
        found, words = columns[f"first {most}"], plain[f"first {most}"]
        baseline = f"BM25 {words.mean():.2f}"
        name = f"invented set: answer among the first {most}" if most > 1 else (
            "invented set: answer in the first"
        )  # fmt: skip
        row(name, of_all(found), baseline, None, "-", better="higher")
    texts = {
        "stands": [(point, papers[point.paper_id].text) for point in points],
        "is cut": [(point, cut(papers[point.paper_id].text, point)) for point in points],
    }
    for answer, versions in texts.items():
        called = [
            finder.find(point.remark, build_paper(PaperRow(paper_id=point.id, text=text))).finding
            is Finding.ADDRESSED
            for point, text in versions
        ]
        false = answer == "is cut"
        row(f"invented set: addressed where the answer {answer}", of_all(np.array(called, float)),
            "", None, "0" if false else "-", better="lower" if false else "higher",
            met=not any(called) if false else None)  # fmt: skip


def of_all(hit: np.ndarray) -> str:
    """The share of remarks with Wilson's interval; `hit` is 0 or 1, shape (remarks,)."""
    low, high = wilson(float(hit.sum()), len(hit))
    return f"{hit.mean():.2f} [{low:.2f}, {high:.2f}], n = {len(hit)}"


def measured(remarks: Sequence[Sought], ways: Mapping[str, Order]) -> dict[str, object]:
    """What the package says of the finder: of the real points that two readers call misinformed."""
    real = [one for one in remarks if one.source == "real" and one.measured]
    kinds: dict[str, dict[str, object]] = {}
    curve: dict[str, list[dict[str, object]]] = {}
    for way, order_of in ways.items():
        name = {WITHOUT: "without", WITH: "with"}[way]
        for kind in ("all", *(kind.value for kind in PointKind if kind is not PointKind.NONE)):
            some = [one for one in real if kind in ("all", one.kind)]
            if some:
                share, _ = first_three(some, order_of)
                if share.low is not None:
                    numbers = {"shown": 3, **_numbers(share), "n": len(some)}
                    kinds.setdefault(kind, {})[name] = numbers
        columns = hits(real, order_of)
        shares = estimates(real, columns, columns)
        curve[name] = [
            {
                "characters": most,
                **_numbers(shares[f"{most} characters"][0]),
                "chance": round(chance(real, most), 3),
            }
            for most in CHARACTERS
        ]
    return {
        "version": LexicalJudges.version,
        "n_papers": len({one.paper for one in real}),
        "kinds": kinds,
        "curve": curve,
        "data": "points of reviews of NeurIPS 2025 submissions that two readers, both models, say "
        "are mistaken about the paper, and the passages that either of them named",
        "absent": False,
    }


def first_three(some: Sequence[Sought], order_of: Order) -> tuple[Estimate, Estimate]:
    """Share of the points whose answer is among the first three passages."""
    column = {"first 3": hits(some, order_of)["first 3"]}
    return estimates(some, column, column)["first 3"]


def _numbers(share: Estimate) -> dict[str, float | None]:
    return {
        name: None if value is None else round(value, 3)
        for name, value in (("share", share.value), ("low", share.low), ("high", share.high))
    }


def card(remarks: Sequence[Sought], models: Mapping[str, LinearModel]) -> dict[str, object]:
    """What the weights were fitted to."""
    counts = Counter(one.source for one in remarks)
    return {
        "what": "Weights of the views by which passages are ranked (retrieval/ranking.py).",
        "fitted by": "benchmarks/finder.py: listwise softmax, L2 penalty",
        "penalty": PENALTY,
        "remarks": dict(sorted(counts.items())),
        "papers": len({one.paper for one in remarks}),
        "sets": sorted(models),
    }


if __name__ == "__main__":
    main()
