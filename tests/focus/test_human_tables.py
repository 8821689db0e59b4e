"""Agreement on facets, against scikit-learn and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, confusion_matrix, precision_recall_fscore_support

from reviewscore.focus.facets import UNKNOWN, Kind
from reviewscore.focus.human_labels import (
    Ratings,
    agreement_tables,
    coded_labels,
    confusion,
    facet_scores,
    nominal_kappa,
    same,
)
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.statistic import Floats, Reason
from reviewscore.stats.tables import Table, latex, markdown
from tests.focus.invented import SMALL, strengths, weaknesses

Q = 4
LABELS = st.lists(
    st.tuples(*[st.one_of(st.none(), st.integers(0, Q - 1))] * 2), min_size=1, max_size=30
)


def columns(labels: list[tuple[int | None, int | None]]) -> tuple[Floats, Floats]:
    both = np.array([[math.nan if one is None else one for one in pair] for pair in labels])
    return both[:, 0].astype(np.float64), both[:, 1].astype(np.float64)


@given(LABELS)
def test_kappa_is_that_of_scikit_learn_on_what_both_labelled(
    labels: list[tuple[int | None, int | None]],
) -> None:
    known = [pair for pair in labels if None not in pair]

    found = nominal_kappa(*columns(labels), Q)

    value, reason = found.point()
    assert found.n == len(known)
    if reason is Reason.NONE:
        theirs = cohen_kappa_score(*zip(*known, strict=True), labels=list(range(Q)))
        assert value == pytest.approx(theirs)
    else:
        assert len({left for left, _ in known}) <= 1 or len({right for _, right in known}) <= 1


@given(LABELS)
def test_confusion_precision_recall_and_f1_are_those_of_scikit_learn(
    labels: list[tuple[int | None, int | None]],
) -> None:
    known = [(left, right) for left, right in labels if left is not None and right is not None]
    first, second = columns(labels)
    names = list(range(Q))

    counts = confusion(first, second, Q)

    assert counts.sum() == len(known)
    if known:
        human, other = (list(side) for side in zip(*known, strict=True))
        assert (counts == confusion_matrix(human, other, labels=names)).all()
        theirs = precision_recall_fscore_support(human, other, labels=names, zero_division=np.nan)
        for place in names:
            for mine, their in zip(facet_scores(first, second, place), theirs, strict=False):
                value, _ = mine.point()
                assert value == pytest.approx(float(their[place]), nan_ok=True)
        assert same(first, second).point()[0] == pytest.approx(
            np.mean([left == right for left, right in known])
        )


def test_a_facet_that_one_side_never_gives_has_a_reason_in_words_of_facets() -> None:
    scores = facet_scores(np.array([0.0, 1.0]), np.array([0.0, 0.0]), 1)
    neither = facet_scores(np.array([0.0]), np.array([0.0]), 1)

    assert [one.point()[1] for one in scores] == [
        Reason.NOT_GIVEN, Reason.NONE, Reason.NOT_GIVEN,
    ]  # fmt: skip
    assert neither[1].point()[1] is Reason.NOT_MEANT
    assert neither[2].point()[1] is Reason.NEITHER_GIVES
    assert "annotator" in Reason.NOT_GIVEN.words


def ratings() -> Ratings:
    """Six points; the annotator errs once, A2 labelled the first three, one of them unknown."""
    points = [
        *strengths("people", "p1", "method/novelty", "theory/validity"),
        *weaknesses("people", "p2", "method/novelty", "experiment/validity"),
        *weaknesses("model", "p3", "theory/validity", "experiment/novelty"),
    ]
    truth = ["method", "theory", "method", "experiment", "theory", "method"]
    second = ["method", UNKNOWN, "theory", None, None, None]
    targets = {
        "A1": truth,
        "A2": second,
        "words": [one.target for one in points],
    }
    aspects = {name: [one.aspect for one in points] for name in targets}
    return Ratings(
        SMALL,
        [one.point for one in points],
        ("A1", "A2"),
        "words",
        {
            name: {
                Kind.TARGET: coded_labels(targets[name], SMALL, Kind.TARGET),
                Kind.ASPECT: coded_labels(aspects[name], SMALL, Kind.ASPECT),
            }
            for name in targets
        },
    )


def tables() -> dict[str, Table]:
    return {one.name: one for one in agreement_tables(ratings(), Resampling(200, scheme="papers"))}


def test_annotator_and_people_are_compared_on_all_points_and_on_each_side() -> None:
    found = tables()["focus-agreement"]

    assert [row[:5] for row in found.rows[:4]] == [
        ("target", "A1", "words", "all", 6),
        ("target", "A1", "words", "strengths", 2),
        ("target", "A1", "words", "weaknesses", 4),
        ("target", "A2", "words", "all", 2),
    ]
    assert {row[1:3] for row in found.rows} == {("A1", "words"), ("A2", "words"), ("A1", "A2")}
    text = markdown(found)
    assert "0.750" in text  # kappa: 5 of 6 agree, 12 of 36 by chance
    assert "0.833" in text


def test_unknown_labels_are_counted_and_no_category() -> None:
    found = tables()

    row = next(one for one in found["focus-agreement"].rows if one[1:4] == ("A2", "words", "all"))
    kappa = row[5]
    assert not isinstance(kappa, str | int | None)
    assert kappa.answer.dropped == {"points without a label by A2": 4}
    assert UNKNOWN not in found["focus-confusion-target-A1-A2"].columns


def test_confusion_matrices_have_the_first_in_rows_and_sums_at_the_ends() -> None:
    found = tables()["focus-confusion-target-A1-words"]

    assert found.columns == ("A1 \\ words", "method", "theory", "experiment", "all")
    assert found.rows == (
        ("method", 2, 0, 1, 3), ("theory", 0, 2, 0, 2), ("experiment", 0, 0, 1, 1),
        ("all", 2, 2, 2, 6),
    )  # fmt: skip
    assert "A1 \\textbackslash{} words" in latex(found)


def test_a_label_of_no_facet_is_an_error_of_the_program() -> None:
    with pytest.raises(KeyError):
        coded_labels(["nonsense"], SMALL, Kind.TARGET)
