"""Labels of one's own as a labelled set: units and marked points, people and model readers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reviewscore.errors import InputError
from reviewscore.validation.labelled import LabelledTrials
from reviewscore.validation.labelled_sets import read_set
from tests.conftest import ROOT
from tests.validation.invented import BELLS
from tests.validation.test_public_sets import lines, truths

WEAK = "No constant temperature is held. The order of pairs is fixed."
ASKED = "Who served the tea?"


def texts(folder: Path) -> Path:
    """A folder with one paper and one review."""
    folder.mkdir(exist_ok=True)
    lines(folder / "papers.jsonl", {"paper_id": "bells", "title": "Bells", "text": BELLS})
    boxes = {"weaknesses": WEAK, "questions": ASKED}
    lines(folder / "reviews.jsonl", {"review_id": "r1", "paper_id": "bells", "sections": boxes})
    return folder


def unit(name: str, start: int, end: int, box: str = "weaknesses") -> dict[str, Any]:
    return {"unit_id": name, "paper_id": "bells", "review_id": "r1",
            "span": {"field": box, "start": start, "end": end}}  # fmt: skip


def label(
    name: str, value: object, field: str = "factuality", by: str = "A1", kind: str = "human"
) -> dict[str, Any]:
    return {"unit_id": name, "annotator": by, "annotator_kind": kind, "field": field,
            "value": value}  # fmt: skip


def units_set(folder: Path, *labels: dict[str, Any]) -> Path:
    texts(folder)
    lines(folder / "units.jsonl", unit("r1.a", 0, 32), unit("r1.b", 33, 61),
          unit("r1.c", 0, len(ASKED), "questions"))  # fmt: skip
    lines(folder / "labels.jsonl", *labels)
    return folder


def point(words: str, score: int | None, by: str = "A1", **changes: Any) -> dict[str, Any]:
    return {"review_id": "r1", "spans": [words], "type": "claim", "kind": "criticism",
            "score": score, "annotator": by, "annotator_kind": "human", **changes}  # fmt: skip


def read(*places: Path) -> LabelledTrials:
    return read_set("labels", places, seed=0)


def words_of(made: LabelledTrials) -> dict[str, str]:
    """The words of each remark by its name."""
    texts = {one.review_id: "".join(one.fields.values()) for one in made.collection.reviews}
    return {trial.name: texts[trial.review_id] for trial in made.trials}


def test_units_have_the_truth_of_their_score_and_the_words_of_their_review(tmp_path: Path) -> None:
    made = read(units_set(
        tmp_path / "set", label("r1.a", 2), label("r1.b", 3), label("r1.c", 1, "unanswerability"),
        label("r1.c", "question", "type"),
    ))  # fmt: skip

    assert truths(made) == {"r1.a": True, "r1.b": False, "r1.c": True}
    assert words_of(made) == {"r1.a": WEAK[:32], "r1.b": WEAK[33:], "r1.c": ASKED}
    boxes = {box for review in made.collection.reviews for box in review.fields}
    assert boxes == {"weaknesses", "questions"}
    assert made.notes == ("Labels by 1 person.",)
    assert not made.faults


def test_points_on_which_readers_differ_or_that_are_none_are_left_out_and_counted(
    tmp_path: Path,
) -> None:
    made = read(units_set(
        tmp_path / "set", label("r1.a", 2), label("r1.a", 4, by="A2"), label("r1.b", 4),
        label("r1.b", 5, by="A2"), label("r1.c", "none", "kind"),
    ))  # fmt: skip

    assert truths(made) == {"r1.b": False}
    assert made.excluded == {"labels differ": 1, "no point to a reader": 1}


def test_labels_by_models_count_only_where_nobody_labelled_and_are_called_so(
    tmp_path: Path,
) -> None:
    model = label("r1.a", 4, by="M1", kind="model")
    both = read(units_set(tmp_path / "both", label("r1.a", 2), model))
    alone = read(units_set(tmp_path / "alone", model))

    assert truths(both) == {"r1.a": True}
    assert both.notes == (
        "Labels by 1 person. Labels by models, left out as people labelled too: 1.",
    )
    assert truths(alone) == {"r1.a": False}
    assert "1 model reader" in alone.notes[0]
    assert "person" not in alone.notes[0]


def test_words_that_are_not_at_hand_or_have_changed_are_a_named_fault(tmp_path: Path) -> None:
    folder = units_set(tmp_path / "set", label("r1.a", 2), label("r1.b", 2), label("r1.c", 2))
    lines(folder / "units.jsonl", unit("r1.a", 0, 32), unit("r1.b", 33, 61) | {"sha256": "0" * 64},
          unit("r1.c", 0, 3) | {"review_id": "lost"})  # fmt: skip

    made = read(folder)

    assert truths(made) == {"r1.a": True}
    said = " ".join(map(str, made.faults))
    assert "the words of 'r1.b' have changed" in said
    assert "the words of 'r1.c' are not at hand; name the file of its review" in said


def test_marked_points_of_two_readers_are_one_where_they_overlap(tmp_path: Path) -> None:
    texts(tmp_path / "texts")
    first, second = WEAK[:32], WEAK[33:]
    one = lines(tmp_path / "A1.jsonl", point(first, 1), point(second, 4),
                point(ASKED, 5, type="question", kind="question"))  # fmt: skip
    two = lines(tmp_path / "A2.jsonl", point(first[3:], 2, "A2"), point(second, 2, "A2"))

    made = read(one, tmp_path / "texts", two)

    assert truths(made) == {"r1 weaknesses:0-32": True, "r1 questions:0-19": False}
    assert made.excluded == {"labels differ": 1}
    assert {trial.part for trial in made.trials} == {"claim", "question"}
    assert made.notes == ("Labels by 2 people.",)


@pytest.mark.parametrize(
    ("changes", "why"),
    [({"not_visible": True}, "not visible in the text of the paper"),
     ({"kind": "none"}, "no point to a reader"), ({"score": None}, "without a label")],
)  # fmt: skip
def test_marked_points_without_a_truth_are_counted_once(
    tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    texts(tmp_path)
    file = lines(tmp_path / "points.jsonl", point(WEAK[:32], 1),
                 point(WEAK[33:], 3) | changes)  # fmt: skip

    made = read(file, tmp_path)

    assert truths(made) == {"r1 weaknesses:0-32": True}
    assert made.excluded == {why: 1}


def test_places_without_labels_or_of_nothing_known_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no labels; name a set's folder"):
        read(texts(tmp_path / "texts"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty: holds no labels, reviews or papers"):
        read(tmp_path / "empty")


def test_a_set_that_lists_no_units_is_refused_with_its_cure(tmp_path: Path) -> None:
    folder = units_set(tmp_path / "set", label("r1.a", 2))
    (folder / "units.jsonl").unlink()

    with pytest.raises(InputError, match=r"does not say what was labelled; write units\.jsonl"):
        read(folder)


def test_the_example_set_is_read_with_the_reviews_and_papers_beside_it() -> None:
    made = read(ROOT / "annotations" / "example" / "twelve-papers")

    assert len(made.collection.papers) == 12
    labels = (ROOT / "annotations/example/twelve-papers/labels.jsonl").read_text().splitlines()
    scored = {json.loads(line)["unit_id"] for line in labels}
    assert {trial.name for trial in made.trials} <= scored
    assert {trial.misinformed for trial in made.trials} == {True, False}
