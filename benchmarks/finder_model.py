"""Fit the weights of the views by which passages are ranked, and measure them by cross-validation.

    python -m benchmarks.finder_model [--encoder FOLDER] [--write]

Trained on the open halves of `annotations/points-dev` (all points with passages, misinformed or
not) and `annotations/planted`, and on the QASPER sample: the chance that a draw by the softmax of
the scores hits a passage that a reader marked is made as large as can be (listwise loss, Cao et al.
2007) under an L2 penalty. A paper is never in training and test at once.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from benchmarks.finder import SHARED, Sought, encoder_in, report, sought
from reviewscore.judges.lexical import finder
from reviewscore.retrieval.ranking import (
    WEIGHTS,
    WITH,
    WITHOUT,
    SentenceEncoder,
    features,
    shown_passages,
)
from reviewscore.text.linear import LinearModel, fitted_model, load_linear_models, weights_json

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
        weights = fit([example for example in some if example.remark.paper not in out])
        own = {name: row[-1] for name, row in model_of(weights, names).weights.items()}
        for one in remarks:
            if one.paper in out:
                found = finder.nearest(
                    one.text, one.index, one.places, encoder=encoder, weights=own
                )
                orders[id(one)] = list(found)
    return orders


def main() -> None:
    """Print the tables of the folds; write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--encoder", type=Path, help="folder of a sentence encoder")
    parser.add_argument("--write", action="store_true", help="write the weights to the package")
    arguments = parser.parse_args()
    remarks = sought(arguments.data, "open")
    models = load_linear_models(WEIGHTS) if WEIGHTS.is_file() else {}
    encoders = {WITHOUT: None}
    if arguments.encoder:
        encoders[WITH] = encoder_in(arguments.encoder)
    for name, encoder in encoders.items():
        orders = held_out(remarks, encoder)
        report(
            remarks,
            lambda one, orders=orders: orders[id(one)],
            f"{name}, in ten folds",
            with_encoder=name == WITH,
        )
        some, names = examples(remarks, encoder)
        models[name] = model_of(fit(some), names)
    if arguments.write:
        WEIGHTS.write_text(weights_json(card(remarks, models), models), "utf-8")


def card(remarks: Sequence[Sought], models: Mapping[str, LinearModel]) -> dict[str, object]:
    """What the weights were fitted to."""
    counts = Counter(one.source for one in remarks)
    return {
        "what": "Weights of the views by which passages are ranked (retrieval/ranking.py).",
        "fitted by": "benchmarks/finder_model.py: listwise softmax, L2 penalty",
        "penalty": PENALTY,
        "remarks": dict(sorted(counts.items())),
        "papers": len({one.paper for one in remarks}),
        "sets": sorted(models),
    }


if __name__ == "__main__":
    main()
