from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.finder import (
    INVENTED,
    PENALTY,
    card,
    examples,
    fit,
    held_out,
    measured,
    model_of,
    report_invented,
)
from benchmarks.finder_sets import Sought, by_words, chance, chunks, hits, report, shown_within
from benchmarks.measure import RECORDS
from reviewscore.judges.lexical.measured import Finder, Measured, PointGroup
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.retrieval.index import PaperIndex
from reviewscore.retrieval.ranking import WITHOUT, ranked_passages, shown_passages
from reviewscore.schema.review import PointKind

ANIMALS = ("heron", "otter", "newt", "pike", "toad")


def paper(number: int) -> PaperIndex:
    """An invented paper in which each animal has a sentence of its own."""
    lines = [
        f"The {animal} of pond {number} was counted by ear on {place} cold mornings in spring."
        for place, animal in enumerate(ANIMALS, 2)
    ]
    text = "1 Introduction\nPonds hold many animals that nobody counts.\n\n2 Counts\n"
    return PaperIndex(
        build_paper(PaperRow(paper_id=f"pond-{number}", text=text + "\n".join(lines) + "\n"))
    )


def remark(index: PaperIndex, animal: str, kind: PointKind = PointKind.QUESTION) -> Sought:
    text = index.paper.text
    start = text.index(f"The {animal}")
    return Sought("real", index, f"How was the {animal} counted?", ((start, start + 20),), (), kind)


REMARKS = [remark(paper(number), animal) for number in range(12) for animal in ANIMALS[:2]]


def test_the_fit_raises_what_answers_above_what_does_not() -> None:
    some, names = examples(REMARKS, None)
    weights = {name: row[-1] for name, row in model_of(fit(some), names).weights.items()}

    assert len(some) == len(REMARKS)
    assert PENALTY > 0
    for one in REMARKS:
        first = ranked_passages(one.index, one.text, weights=weights)[0]
        assert one.answered([(one.index.passages[first].start, one.index.passages[first].end)])


def test_every_remark_is_ordered_by_weights_that_its_paper_had_no_part_in() -> None:
    orders = held_out(REMARKS, None)

    assert set(orders) == {id(one) for one in REMARKS}
    for one in REMARKS:
        assert sorted(orders[id(one)]) == np.flatnonzero(shown_passages(one.index)).tolist()


def test_hits_grow_with_what_is_shown() -> None:
    columns = hits(REMARKS, by_words)

    assert columns["first 1"].sum() <= columns["first 3"].sum() <= columns["first 10"].sum()
    assert columns["first 10"].all()
    assert columns["7400 characters"].all()


def test_passages_are_shown_up_to_a_number_of_characters() -> None:
    one = REMARKS[0]

    assert shown_within(one, by_words(one), 5) == []
    shown = shown_within(one, by_words(one), 200)
    assert 0 < sum(end - start for start, end in shown) <= 200


def test_chunks_cover_a_short_paper_and_chance_lies_between() -> None:
    one = REMARKS[0]

    assert one.answered(chunks(one))
    assert 0 < chance([one], 200) < 1


def test_what_is_written_for_the_package_can_be_read_there() -> None:
    kinds = [*REMARKS, remark(paper(40), "pike", PointKind.CRITICISM)]

    made = Measured.model_validate_json(json.dumps(measured(kinds, {WITHOUT: by_words})))

    assert made.kinds[PointGroup.ALL][Finder.WITHOUT].n == len(kinds)
    assert made.curve[Finder.WITHOUT][0].characters == 300
    assert card(kinds, {})["remarks"] == {"real": len(kinds)}


def test_a_remark_that_is_for_training_alone_is_in_no_figure() -> None:
    one = REMARKS[0]
    hidden = Sought("real", one.index, one.text, one.answers, measured=False)

    made = Measured.model_validate_json(
        json.dumps(measured([*REMARKS, hidden], {WITHOUT: by_words}))
    )

    assert made.kinds[PointGroup.ALL][Finder.WITHOUT].n == len(REMARKS)


@pytest.mark.parametrize("spans", [[], [(10**6, 10**6 + 5)]])
def test_what_meets_no_answer_answers_nothing(spans: list[tuple[int, int]]) -> None:
    assert not REMARKS[0].answered(spans)


def test_each_figure_has_a_name_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RECORDS, str(tmp_path / "records.jsonl"))
    some = REMARKS[:6]
    planted = [dataclasses.replace(one, source="planted") for one in some]

    report_invented(INVENTED)
    for half in ("open", "both"):
        report([*some, *planted], by_words, half)

    figures = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    names = [figure["name"] for figure in figures]
    assert len(set(names)) == len(names)
    invented = {figure["name"]: figure for figure in figures if "invented" in figure["name"]}
    assert len(invented) == 5
    assert all("n = 34" in figure["text"] for figure in invented.values())
    assert invented["invented set: addressed where the answer is cut"]["met"] is not None
