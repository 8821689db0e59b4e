"""Linear models whose weights are read from a file."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from reviewscore.text.linear import LinearModel, fitted_model, load_linear_models, weights_json

MODEL = LinearModel(
    classes=("cat", "dog"),
    intercepts=(0.0, -1.0),
    weights={"barks": (0.0, 3.0), "purrs": (2.0, 0.0)},
)


def test_scores_are_the_weights_times_the_values_of_the_features() -> None:
    assert MODEL.scores({"barks": 2.0, "purrs": 1.0}) == (2.0, 5.0)


def test_a_feature_without_a_weight_counts_for_nothing() -> None:
    assert MODEL.scores({}) == MODEL.scores({"wears a hat": 7.0})


def test_the_class_of_the_highest_score_is_chosen_and_of_equal_ones_the_first() -> None:
    assert MODEL.choose({}) == "cat"
    assert MODEL.choose({"barks": 1.0}) == "dog"
    assert MODEL.choose({"barks": 1 / 3}) == "cat"


def test_probabilities_are_those_of_logistic_regression() -> None:
    assert MODEL.probabilities({})["cat"] == pytest.approx(1 / (1 + math.exp(-1)))
    assert MODEL.probabilities({"barks": 1e6}) == {"cat": 0.0, "dog": 1.0}


@pytest.mark.parametrize(
    ("classes", "intercepts", "row", "problem"),
    [
        (("cat",), (0.0,), (1.0,), "two classes"),
        (("cat", "dog"), (0.0,), (1.0, 2.0), "one intercept"),
        (("cat", "dog"), (0.0, 0.0), (1.0,), "feature 'barks'"),
    ],
)
def test_columns_that_do_not_fit_the_classes_are_an_error(
    classes: tuple[str, ...], intercepts: tuple[float, ...], row: tuple[float, ...], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        LinearModel(classes, intercepts, {"barks": row})


NUMBERS = st.floats(-50, 50).map(lambda number: round(number, 3))


@st.composite
def models(draw: st.DrawFn) -> LinearModel:
    classes = draw(st.lists(st.text(min_size=1), min_size=2, max_size=4, unique=True))
    row = st.tuples(*[NUMBERS] * len(classes))
    return LinearModel(tuple(classes), draw(row), draw(st.dictionaries(st.text(), row)))


@given(st.dictionaries(st.text(), models(), min_size=1, max_size=2), st.text())
def test_a_file_holds_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, written: dict[str, LinearModel], words: str
) -> None:
    file = Path(tmp_path_factory.mktemp("weights")) / "weights.json"
    file.write_text(weights_json({"data": words}, written), "utf-8")

    read = load_linear_models(file)

    assert {"data": words} == json.loads(file.read_text("utf-8"))["card"]
    assert [(m.classes, m.intercepts, m.weights) for m in written.values()] == [
        (m.classes, m.intercepts, m.weights) for m in read.values()
    ]


def test_two_classes_of_scikit_learn_share_one_row_of_coefficients() -> None:
    model = fitted_model(["no", "yes"], [[1.23456, 0.0001]], [0.5], ["loud", "rare"])

    assert model.intercepts == (0.0, 0.5)
    assert model.weights == {"loud": (0.0, 1.235)}


@pytest.mark.parametrize("classes", [2, 3])
def test_a_fitted_model_chooses_as_scikit_learn_does(classes: int) -> None:
    rng = np.random.default_rng(classes)
    table = rng.normal(size=(60, 4))
    labels = np.array([f"class {number}" for number in rng.integers(classes, size=60)])
    fitted = LogisticRegression().fit(table, labels)
    names = ["one", "two", "three", "four"]

    model = fitted_model(fitted.classes_, fitted.coef_, fitted.intercept_, names)

    rows = [dict(zip(names, row, strict=True)) for row in table]
    sure = np.sort(fitted.predict_proba(table))[:, -2:] @ [-1, 1] > 0.01  # weights are rounded
    chosen = np.array([model.choose(row) for row in rows])
    assert sure.sum() > 50
    assert list(fitted.predict(table)[sure]) == list(chosen[sure])
    for row, expected in zip(rows, fitted.predict_proba(table), strict=True):
        assert list(model.probabilities(row).values()) == pytest.approx(list(expected), abs=0.01)
