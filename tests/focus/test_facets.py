"""Facets, and the words by which the embedded annotator knows them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.focus.facets import DEFAULT, FacetKind, FacetPoint, Polarity, read_facets
from reviewscore.focus.human_labels import coded_labels, find_points, read_human_labels
from reviewscore.focus.lexical import (
    CRITERIA,
    CUES,
    VERSION,
    WEIGHTS,
    annotate,
    facets_of,
    features,
    models,
)
from reviewscore.sources.system_reviews import read_materials
from reviewscore.stats.metrics import nominal_kappa

LABELS = Path(__file__).resolve().parents[2] / "annotations"
HAND_LABELS = LABELS / "focus-dev"

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


S, W = Polarity.STRENGTH, Polarity.WEAKNESS


@pytest.mark.parametrize(
    ("polarity", "text", "target", "aspect"),
    [
        (S, "The paper is well written.", "paper", "clarity"),
        (S, "The proofs are rigorous.", "theory", "validity"),
        (S, "A novel algorithm for pruning.", "method", "novelty"),
        (S, "Addresses an important problem.", "problem", "impact"),
        (S, "The results are convincing and beat all baselines.", "experiment", "validity"),
        (S, "The released data set will be useful to the community.", "method", "impact"),
        (W, "No comparison with strong baselines.", "experiment", "validity"),
        (W, "Related work is not cited.", "prior research", "validity"),
        (W, "The novelty is limited: the method combines known parts.", "method", "novelty"),
        (W, "The bound relies on an assumption that rarely holds.", "theory", "validity"),
        (W, "The limitations of the method are not discussed.", "conclusion", "validity"),
    ],
)
def test_words_and_cues_tell_what_a_point_is_about(
    polarity: Polarity, text: str, target: str, aspect: str
) -> None:
    assert facets_of(text, polarity) == (target, aspect)


@pytest.mark.parametrize(
    "text",
    [
        "The description of the algorithm is hard to follow.",
        "It is not explained how the threshold of the filter is chosen.",
        "The step size of the second stage is never stated.",
    ],
)
def test_what_is_missing_in_explanation_or_detail_is_clarity(text: str) -> None:
    assert facets_of(text, W) == ("method", "clarity")


@pytest.mark.parametrize(
    "text",
    [
        "The limitation of the baselines is that they are old.",
        "The conclusion of the experiments rests on two seeds.",
        "Our problem is with the evaluation: a single data set.",
    ],
)
def test_names_of_facets_do_not_decide_the_target(text: str) -> None:
    assert facets_of(text, W) == ("experiment", "validity")


def test_praise_that_says_nothing_specific_has_no_aspect() -> None:
    assert facets_of("We like the idea.", S) == ("method", "not-specific")


def test_how_a_judgment_begins_says_nothing_of_its_facets() -> None:
    plain = features("the novel algorithm", S)
    assert features("The reviewer appreciates the novel algorithm", S) == plain
    assert features("- The reviewer criticizes the novel algorithm", S) == plain


@given(st.text(max_size=400), st.sampled_from(Polarity))
def test_every_text_gets_a_facet_of_the_set_and_always_the_same(
    text: str, polarity: Polarity
) -> None:
    target, aspect = facets_of(text, polarity)

    assert target in DEFAULT.names(FacetKind.TARGET)
    assert aspect in DEFAULT.names(FacetKind.ASPECT)
    assert facets_of(text, polarity) == (target, aspect)


def test_the_weights_are_of_the_default_facets_and_of_features_that_there_are() -> None:
    heads = {"word", "cue", "early", "label", "criteria", "target", *Polarity}
    whole = {"length", "sentences", "short", *(f"polarity:{name}" for name in Polarity)}
    cues = {*CUES, *(f"criteria {number}" for number in range(len(CRITERIA) + 1))}
    for kind in FacetKind:
        model = models()[kind]
        assert set(model.classes) == set(DEFAULT.names(kind))
        for name in set(model.weights) - whole:
            head, _, rest = name.partition(":")
            assert head in heads, name
            assert rest in cues or head not in {"cue", "early", *Polarity}, name
    assert set(CRITERIA["holds"]) < set(CUES)


def test_the_card_names_the_version_of_the_features() -> None:
    assert json.loads(WEIGHTS.read_text("utf-8"))["card"]["version"] == VERSION


def test_labels_to_fit_the_weights_to_keep_to_papers_that_are_open() -> None:
    """The papers of the kept half, which measures the weights, have an even last digit."""
    seen = set()
    for line in (LABELS / "focus-train" / "labels.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        for half in ("points-dev", "focus-dev-2"):
            digest = hashlib.sha256(f"{half}:{record['paper_id']}".encode()).hexdigest()
            assert int(digest[-1], 16) % 2 == 1, record["paper_id"]
        assert all(record[kind] in DEFAULT.names(kind) for kind in FacetKind)
        assert record["annotator_kind"] == "model"
        assert set(record["span"]) == {"field", "start", "end", "sha256"}
        seen.add((record["review_id"], *record["span"].values()))
    assert len(seen) == 1546


def test_points_are_labelled_in_order_and_long_ones_are_cut() -> None:
    texts = ("The paper is well written. " + "x" * 2_000_000, "The proofs are rigorous.")
    points = [
        FacetPoint(f"r#{n}", "p", "r", "s", Polarity.STRENGTH, t) for n, t in enumerate(texts)
    ]

    found = list(annotate(points))

    assert [one.point for one in found] == points
    assert [one.target for one in found] == ["paper", "theory"]


@pytest.mark.shared
def test_labels_by_words_agree_with_labels_by_hand(shared: Path) -> None:
    """Cohen's kappa on 150 of the points that the weights were fitted to."""
    human = read_human_labels(HAND_LABELS, DEFAULT)
    files = ("iclr2023_reviews/iclr2023_reviews_dev.parquet", "iclr2022/batch100")
    points = find_points(human.units, [read_materials(shared / name) for name in files])
    assert len(points) == 150
    for place, kind, least in ((0, FacetKind.TARGET, 0.60), (1, FacetKind.ASPECT, 0.55)):
        by_hand = [human.labels["A1"][kind][name] for name in points]
        by_words = [facets_of(one.text, one.polarity)[place] for one in points.values()]
        sides = (coded_labels(names, DEFAULT, kind) for names in (by_hand, by_words))
        kappa, _ = nominal_kappa(*sides, categories=len(DEFAULT.of(kind))).point()
        assert kappa >= least
