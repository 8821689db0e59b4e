"""Facets, and the words by which the embedded annotator knows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.focus.facets import DEFAULT, FacetKind, FacetPoint, Polarity, read_facets
from reviewscore.focus.human_labels import coded_labels, find_points, read_human_labels
from reviewscore.focus.lexical import ASPECTS, TARGETS, annotate, facets_of
from reviewscore.sources.system_reviews import read_materials
from reviewscore.stats.metrics import nominal_kappa

HAND_LABELS = Path(__file__).resolve().parents[2] / "annotations" / "focus-dev"

OWN = """
name = "clinical"
[[target]]
name = "patients"
definition = "Who was studied."
[[target]]
name = "treatment"
definition = "What was done."
[[aspect]]
name = "safety"
definition = "Whether it does harm."
[[aspect]]
name = "effect"
definition = "Whether it helps."
"""


def test_the_default_facets_are_seven_targets_and_five_aspects() -> None:
    assert DEFAULT.names(FacetKind.TARGET) == (
        "problem", "prior research", "method", "theory", "experiment", "conclusion", "paper",
    )  # fmt: skip
    assert DEFAULT.names(FacetKind.ASPECT) == (
        "impact", "novelty", "clarity", "validity", "not-specific",
    )  # fmt: skip


def test_the_lexicon_knows_the_default_facets_and_no_others() -> None:
    assert set(TARGETS) == set(DEFAULT.names(FacetKind.TARGET))
    assert set(ASPECTS) == set(DEFAULT.names(FacetKind.ASPECT))


def test_other_fields_bring_facets_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN)

    found = read_facets(tmp_path / "own.toml")

    assert found.name == "clinical"
    assert found.names(FacetKind.TARGET) == ("patients", "treatment")
    assert found.of(FacetKind.ASPECT)[0].definition == "Whether it does harm."


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('name = "treatment"', 'name = "Patients"', "'patients' is there twice"),
        ('name = "treatment"', 'name = "unknown"', "cannot be a facet"),
        ('name = "treatment"', 'nam = "treatment"', "nam"),
        ('definition = "What was done."', 'definition = ""', "definition"),
        ("[[target]]", "[[target]", "is not TOML"),
        ('[[aspect]]\nname = "safety"\ndefinition = "Whether it does harm."\n', "", "aspect"),
    ],
)
def test_a_facet_file_that_cannot_be_used_is_named_with_the_field(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    (tmp_path / "own.toml").write_text(OWN.replace(old, new, 1))

    with pytest.raises(InputError, match=says) as error:
        read_facets(tmp_path / "own.toml")
    assert "own.toml" in str(error.value)


def test_a_missing_facet_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_facets(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "target", "aspect"),
    [
        ("The paper is well written.", "paper", "clarity"),
        ("The proof of Theorem 2 is wrong.", "theory", "validity"),
        ("No comparison with strong baselines.", "experiment", "validity"),
        ("A novel algorithm for pruning.", "method", "novelty"),
        ("Addresses an important problem.", "problem", "impact"),
        ("Related work is not cited.", "prior research", "validity"),
        ("Negative societal impacts are not discussed.", "conclusion", "impact"),
        ("The description of the algorithm is hard to follow.", "method", "clarity"),
        ("Hm.", "method", "validity"),
    ],
)
def test_words_tell_what_a_point_is_about(text: str, target: str, aspect: str) -> None:
    assert facets_of(text) == (target, aspect)


def test_how_a_judgment_begins_says_nothing_of_its_facets() -> None:
    plain = facets_of("the novel algorithm")
    assert facets_of("The reviewer appreciates the novel algorithm") == plain
    assert facets_of("- The reviewer criticizes the novel algorithm") == plain


@given(st.text(max_size=400))
def test_every_text_gets_a_facet_of_the_set_and_always_the_same(text: str) -> None:
    target, aspect = facets_of(text)

    assert target in DEFAULT.names(FacetKind.TARGET)
    assert aspect in DEFAULT.names(FacetKind.ASPECT)
    assert facets_of(text) == (target, aspect)


def test_points_are_labelled_in_order_and_long_ones_are_cut() -> None:
    texts = ("The paper is well written. " + "x" * 2_000_000, "A proof is missing.")
    points = [
        FacetPoint(f"r#{n}", "p", "r", "s", Polarity.STRENGTH, t) for n, t in enumerate(texts)
    ]

    found = list(annotate(points))

    assert [one.point for one in found] == points
    assert [one.target for one in found] == ["paper", "theory"]


@pytest.mark.shared
def test_labels_by_words_agree_with_labels_by_hand(shared: Path) -> None:
    """Cohen's kappa on 150 points that were labelled before the lexicon was written."""
    human = read_human_labels(HAND_LABELS, DEFAULT)
    files = ("iclr2023_reviews/iclr2023_reviews_dev.parquet", "iclr2022/batch100")
    points = find_points(human.units, [read_materials(shared / name) for name in files])
    assert len(points) == 150
    for place, kind, least in ((0, FacetKind.TARGET, 0.60), (1, FacetKind.ASPECT, 0.55)):
        by_hand = [human.labels["A1"][kind][name] for name in points]
        by_words = [facets_of(one.text)[place] for one in points.values()]
        sides = (coded_labels(names, DEFAULT, kind) for names in (by_hand, by_words))
        kappa, _ = nominal_kappa(*sides, categories=len(DEFAULT.of(kind))).point()
        assert kappa >= least
