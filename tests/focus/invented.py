"""Points made up for tests: few words for many of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from hypothesis import strategies as st

from reviewscore.focus.facets import UNKNOWN, Facet, FacetPoint, FacetSet, Labelled, Polarity
from reviewscore.stats.resampling import Resampling

SMALL = FacetSet(
    "small",
    tuple(Facet(name=name, definition="A target.") for name in ("method", "theory", "experiment")),
    tuple(Facet(name=name, definition="An aspect.") for name in ("novelty", "validity")),
)
QUICK = Resampling(resamples=200, scheme="papers")
_NUMBER = count()


def point(
    system: str,
    paper: str,
    label: str,
    *,
    polarity: Polarity = Polarity.WEAKNESS,
    review: str = "r1",
) -> Labelled:
    """A point with a label such as ``method/novelty`` or ``method/unknown``."""
    target, aspect = label.split("/")
    name = f"{next(_NUMBER)}"
    return Labelled(FacetPoint(name, paper, review, system, polarity, "Words."), target, aspect)


def weaknesses(system: str, paper: str, *labels: str) -> list[Labelled]:
    return [point(system, paper, label) for label in labels]


def strengths(system: str, paper: str, *labels: str) -> list[Labelled]:
    return [point(system, paper, label, polarity=Polarity.STRENGTH) for label in labels]


def on_both_sides(kind: Callable[..., list[Labelled]], paper: str, *labels: str) -> list[Labelled]:
    """The same points (`weaknesses` or `strengths`) by the model and by people."""
    return kind("model", paper, *labels) + kind("people", paper, *labels)


def studies(*, unknown: bool = True) -> st.SearchStrategy[Sequence[Labelled]]:
    """Points of people and of a model on up to four papers; both have one on the first."""
    more = (UNKNOWN,) if unknown else ()
    one = st.builds(
        point,
        st.sampled_from(("people", "model")),
        st.sampled_from(("p1", "p2", "p3", "p4")),
        st.tuples(
            st.sampled_from(("method", "theory", "experiment", *more)),
            st.sampled_from(("novelty", "validity", *more)),
        ).map("/".join),
        polarity=st.sampled_from(Polarity),
        review=st.sampled_from(("r1", "r2")),
    )
    always = [point(name, "p1", "method/novelty") for name in ("people", "model")]
    return st.lists(one, max_size=30).map(lambda some: [*always, *some])
