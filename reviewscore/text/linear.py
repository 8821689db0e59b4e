"""Small linear models over named features: scores and classes from a file of readable weights.

A file is JSON with a ``card`` (what the weights were trained on, how, and how well they do) and
``models`` by name; of each the classes, and rows of weights by feature. Training is no part of
the package: the scripts that fit the weights write the file with `weights_json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_DIGITS = 3
"""Decimals of a weight in a file."""


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Logistic regression: a score for each class, the sum of weights times values of features.

    Attributes:
        classes: Names of the classes, at least two.
        intercepts: A number for each class.
        weights: For each feature a number for each class, in the classes' order.
    """

    classes: tuple[str, ...]
    intercepts: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]

    def __post_init__(self) -> None:
        columns = len(self.classes)
        if columns < 2:  # noqa: PLR2004 - one class decides nothing
            raise ValueError("a linear model needs two classes or more")
        if len(self.intercepts) != columns:
            raise ValueError("a linear model needs one intercept for each class")
        for name, row in self.weights.items():
            if len(row) != columns:
                raise ValueError(f"feature '{name}' needs one weight for each class")

    def scores(self, features: Mapping[str, float]) -> tuple[float, ...]:
        """Log of the odds of each class, up to a number that all have in common.

        Args:
            features: Values of those features that are not zero; names without a weight count
                for nothing.
        """
        totals = list(self.intercepts)
        weights = self.weights
        for name, value in features.items():
            row = weights.get(name)
            if row is not None:
                for column, weight in enumerate(row):
                    totals[column] += weight * value
        return tuple(totals)

    def probabilities(self, features: Mapping[str, float]) -> dict[str, float]:
        """Probability of each class, 0..1; they add up to 1."""
        scores = self.scores(features)
        highest = max(scores)
        shares = [math.exp(score - highest) for score in scores]
        total = sum(shares)
        return {name: share / total for name, share in zip(self.classes, shares, strict=True)}

    def choose(self, features: Mapping[str, float]) -> str:
        """The class of the highest score; of equal ones the first."""
        scores = self.scores(features)
        return self.classes[scores.index(max(scores))]


def load_linear_models(path: Path) -> dict[str, LinearModel]:
    """The models of a file by name.

    Raises:
        ValueError: The file is no JSON, or a model's columns do not fit its classes.
        KeyError: A part of a model is missing.
    """
    models = json.loads(path.read_text("utf-8"))["models"]
    return {
        name: LinearModel(
            classes=tuple(model["classes"]),
            intercepts=tuple(model["intercepts"]),
            weights={feature: tuple(row) for feature, row in model["weights"].items()},
        )
        for name, model in models.items()
    }


def fitted_model(
    classes: Sequence[str],
    coefficients: Sequence[Sequence[float]],
    intercepts: Sequence[float],
    features: Sequence[str],
) -> LinearModel:
    """A model from what scikit-learn's ``LogisticRegression`` has fitted, rounded as in a file.

    Args:
        classes: Names of the classes (``classes_``).
        coefficients: Shape (classes, features), or (1, features) of two classes (``coef_``).
        intercepts: Shape (classes,), or (1,) of two classes (``intercept_``).
        features: Names of the features; those whose weights round to zero are left out.
    """
    rows = [[round(float(weight), _DIGITS) for weight in row] for row in coefficients]
    constants = [round(float(number), _DIGITS) for number in intercepts]
    if len(rows) == 1:  # two classes share one row: the odds of the second against the first
        rows, constants = [[0.0] * len(features), *rows], [0.0, *constants]
    columns = zip(features, zip(*rows, strict=True), strict=True)
    return LinearModel(
        classes=tuple(str(name) for name in classes),
        intercepts=tuple(constants),
        weights={name: row for name, row in columns if any(row)},
    )


def weights_json(card: Mapping[str, object], models: Mapping[str, LinearModel]) -> str:
    """The text of a file of models: the card first, then a feature a line, by name."""
    parts = [f'{{"card": {json.dumps(card, indent=1, ensure_ascii=False)},\n"models": {{']
    texts = []
    for name, model in models.items():
        lines = ",\n".join(
            f"  {json.dumps(feature, ensure_ascii=False)}: {json.dumps(row)}"
            for feature, row in sorted(model.weights.items())
        )
        texts.append(
            f"{json.dumps(name)}: {{\n"
            f' "classes": {json.dumps(model.classes)},\n'
            f' "intercepts": {json.dumps(model.intercepts)},\n'
            f' "weights": {{\n{lines}}}}}'
        )
    return "".join([*parts, "\n", ",\n".join(texts), "}}\n"])
