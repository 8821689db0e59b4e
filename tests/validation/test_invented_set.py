"""The invented set in `examples/validate`: made as it is shipped, and nothing gives items away."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import PlantedForm, PlantedPoint, Stratum
from reviewscore.schema.point_label import PassagePlace
from reviewscore.validation.leaks import LeakKind, leaks
from reviewscore.validation.planted import cut_out, read_planted
from reviewscore.validation.trials import papers_of

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "validate"
PAPERS = {name: handle.load() for name, handle in papers_of([FOLDER]).items()}
POINTS = read_planted(FOLDER / "planted.jsonl").points
OWN = tuple(point for point in POINTS if point.cuts)


@lru_cache(maxsize=1)
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_set", FOLDER / "make_set.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def own_of(paper_id: str) -> list[PlantedPoint]:
    return [point for point in OWN if point.paper_id == paper_id]


def test_what_the_script_makes_is_what_is_shipped(tmp_path: Path) -> None:
    script().write_all(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["papers.jsonl", "planted.jsonl"]
    for path in tmp_path.iterdir():
        assert (FOLDER / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_set_has_forty_items_of_all_forms_and_places() -> None:
    forms = Counter((point.paper_id, point.form) for point in POINTS)
    places = Counter(passage.place for point in OWN for passage in point.passages)

    assert len(POINTS) == 40
    assert all(2 <= forms[name, form] <= 3 for name in PAPERS for form in PlantedForm)
    assert set(PassagePlace) - {PassagePlace.CHECKLIST} == set(places)
    assert min(places.values()) >= 4
    assert all(point.decoys and point.paraphrases for point in OWN)
    assert all(PAPERS.keys() > {point.fair_about} for point in POINTS if point.fair_about)


def wordings(point: PlantedPoint) -> list[PlantedPoint]:
    others = [point.model_copy(update={"remark": remark}) for remark in point.paraphrases]
    return [point, *others]


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.id)
def test_no_check_stops_at_an_item_in_either_wording(point: PlantedPoint) -> None:
    for wording in wordings(point):
        assert not leaks(PAPERS[point.paper_id], wording)


@pytest.mark.parametrize("name", PAPERS)
def test_items_do_not_meet_so_that_any_of_them_can_be_cut_at_once(name: str) -> None:
    own = own_of(name)
    edits = sorted((edit.start, edit.end) for point in own for edit in point.edits)
    taken = [(edit.start, edit.end, point.id) for point in own for edit in point.edits]

    assert all(left[1] <= right[0] for left, right in pairwise(edits))
    for point in own:
        for passage in point.passages:
            met = {
                item for start, end, item in taken if start < passage.end and passage.start < end
            }
            assert met == {point.id}


def joint(points: Sequence[PlantedPoint], *, cut: bool) -> PlantedPoint:
    """All decoys of these points as one item, with their cuts or without."""
    edits = [edit for point in points for edit in (point.edits if cut else point.decoys)]
    ordered = tuple(sorted(edits, key=lambda edit: edit.start))
    return points[0].model_copy(update={"cuts": ordered, "decoys": (), "passages": ()})


@pytest.mark.parametrize("cut", [True, False], ids=["all answers cut", "none cut"])
@pytest.mark.parametrize("name", PAPERS)
def test_both_extremes_of_joint_versions_read_on(name: str, cut: bool) -> None:
    paper, item = PAPERS[name], joint(own_of(name), cut=cut)
    found = [leak for leak in leaks(paper, item) if leak.kind is not LeakKind.LEFTOVER]
    text = cut_out(paper.text, item.edits).text
    read = build_paper(PaperRow(paper_id=name, text=text), doubts=False)

    assert not found
    assert read.text == text
    assert [(one.number, one.title) for one in read.sections] == numbered(paper)
    assert all(one.strip() for one in text.split("\n\n"))


def numbered(paper: Paper) -> list[tuple[str | None, str]]:
    return [(section.number, section.title) for section in paper.sections]


def test_a_verifier_makes_items_plain_unless_they_are_hedged_or_in_the_appendix_alone() -> None:
    said = {point.id: {"misinformed": "yes", "fair": "yes"} for point in POINTS}
    made = [
        script().planted_point(item, PAPERS[item["paper"]].text, said) for item in script().items()
    ]
    deep = {
        point.id
        for point in made
        if point.passages and {one.place for one in point.passages} == {PassagePlace.APPENDIX}
    }

    assert deep
    assert all(point.verifier == "V1" for point in made)
    for point in made:
        hard = point.form is PlantedForm.HEDGED or point.id in deep
        assert point.stratum is (Stratum.HARD if hard else Stratum.PLAIN)


def test_a_quote_that_stands_twice_or_in_two_paragraphs_is_refused() -> None:
    place_of = script().place_of
    text = "One day. Two days.\n\nOne night."

    assert place_of("Two .. days.", text) == (9, 18)
    with pytest.raises(ValueError, match="stands 2 times"):
        place_of("One", text)
    with pytest.raises(ValueError, match="does not follow"):
        place_of("Two .. night.", text)


def test_what_is_confirmed_is_of_items_that_there_are() -> None:
    file = FOLDER / "confirmed.json"
    confirmed = json.loads(file.read_text("utf-8")) if file.is_file() else {}

    assert confirmed.keys() <= {point.id for point in POINTS}
