"""Windows and lists from which readers guess what was cut, and what is counted of their guesses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.leak_guesses import (
    GAMES,
    JITTER,
    SIZE,
    SeamWindows,
    Truth,
    answering,
    keep_guesses,
    lists_game,
    made_edits,
    read_guesses,
    right_share,
    show_guesses,
    windows_game,
    write_games,
)
from reviewscore.errors import InputError
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import PlantedPoint
from tests.validation.invented import point, span

TOWNS = ("Ahlen", "Brig", "Cork", "Dole", "Eger", "Faro")


def answer(town: str) -> str:
    return f"The clock of {town} was wound by hand twice in every week."


def decoy(town: str) -> str:
    return f"Pigeons live in the tower of {town}."


def section(number: int, town: str) -> str:
    facts = [
        f"Tower {number}.{tower} of {town} chimes with a large bell of bronze."
        for tower in range(1, 61)
    ]
    facts[30:30] = [answer(town)]
    facts[40:40] = [decoy(town)]
    return f"## {number} Clocks of {town}\n\n{' '.join(facts)}"


TEXT = "# Clocks of Small Towns\n\n" + "\n\n".join(
    section(number, town) for number, town in enumerate(TOWNS, 1)
)
SUM = hashlib.sha256(TEXT.encode()).hexdigest()


def planted(town: str) -> PlantedPoint:
    words = span(answer(town), TEXT)
    return point(
        id=f"clocks.{town}", paper_id="clocks", paper_text_sha256=SUM, cuts=[words],
        remark=f"Nobody says who set the time in {town}.",
        passages=[{**words, "sha256": sum_of_words(answer(town)), "place": "main"}],
        decoys=[span(decoy(town), TEXT)],
    )  # fmt: skip


FOREIGN = point(
    id="clocks.foreign", paper_id="clocks", paper_text_sha256=SUM, form="another_paper",
    fair_about="bells", remark="Bells are not tuned.", passages=[], cuts=[], decoys=[],
)  # fmt: skip
POINTS = [*map(planted, TOWNS), FOREIGN]
PAPERS: dict[str, Paper] = {
    "clocks": build_paper(PaperRow(paper_id="clocks", text=TEXT), doubts=False)
}


@pytest.fixture(scope="module", name="windows")
def windows_of_half() -> SeamWindows:
    return SeamWindows(PAPERS["clocks"], POINTS, POINTS[:3])


@pytest.mark.parametrize("shift", [-JITTER, 0, JITTER])
def test_the_middle_of_a_window_with_a_cut_lies_near_the_seam(
    windows: SeamWindows, shift: int
) -> None:
    for one, town in zip(POINTS[:3], TOWNS, strict=False):
        window = windows.cut(one, shift)

        seam = windows.text.index(f"Tower {TOWNS.index(town) + 1}.31 ")
        assert answer(town) not in windows.text
        assert abs((window.start + window.end) / 2 - seam - shift) < 30


@pytest.mark.parametrize("shift", [-JITTER, 0, JITTER])
def test_a_window_without_a_cut_shows_neither_edit_nor_answer(
    windows: SeamWindows, shift: int
) -> None:
    for one in POINTS[3:6]:
        window = windows.uncut(one, shift)

        shown = windows.text[window.start : window.end]
        start = TEXT.index(shown)
        assert answer(one.id.partition(".")[2]) not in shown
        assert not any(
            start <= edit.start <= start + len(shown) for edit in made_edits(POINTS, POINTS[:3])
        )


def test_windows_of_both_arms_are_alike_in_length_and_drawn_by_a_seed() -> None:
    windows = windows_game(PAPERS, POINTS, 3)

    assert {one.id for one, _, _ in windows} == {one.id for one in POINTS[:6]}
    assert {taken for _, taken, _ in windows} == {True, False}
    assert all(SIZE - 40 <= len(text) <= SIZE for _, _, text in windows)
    assert windows == windows_game(PAPERS, POINTS, 3) != windows_game(PAPERS, POINTS, 4)


def test_edits_of_two_items_that_overlap_are_made_once() -> None:
    first, second = POINTS[:2]
    wider = answering(first).model_copy(update={"end": answering(first).end + 5})
    third = second.model_copy(update={"cuts": (wider,), "decoys": first.decoys})

    assert made_edits([first, third], [first, third]) == [*first.cuts, *first.decoys]


def test_lists_have_every_remark_and_ask_for_those_that_can_be_cut() -> None:
    counts = set()
    for seed in range(30):
        ((truths, page),) = lists_game(PAPERS, POINTS, seed)
        counts.add(sum(truth.cut for truth in truths))
        assert {truth.item for truth in truths} == {one.id for one in POINTS[:6]}
        assert all(one.remark in page for one in POINTS)

    assert counts == set(range(7))


def filled(folder: Path, game: str, truths: Sequence[Truth], *, right: bool) -> None:
    words = {True: "cut", False: "uncut"}
    lines = [
        {"id": truth.id, "guess": words[truth.cut is right], "why": f"trace: {number}"}
        for number, truth in enumerate(truths)
    ]
    form = folder / game / "form.jsonl"
    form.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.mark.parametrize(("right", "met"), [(True, "1.000"), (False, "0.000")])
def test_guesses_are_read_from_forms_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], right: bool, met: str
) -> None:
    write_games(tmp_path, PAPERS, POINTS)
    known = json.loads((tmp_path / "truth.json").read_text())
    for game in GAMES:
        truths = [Truth(**truth) for truth in known[game]]
        assert read_guesses(tmp_path, game, truths) == []
        filled(tmp_path, game, truths, right=right)
        guesses = read_guesses(tmp_path, game, truths)
        show_guesses(game, guesses, truths)

        assert right_share(guesses).value == float(met)
        assert f"{game}: guessed right | {met}" in capsys.readouterr().out
        keep_guesses(tmp_path / "kept" / f"{game}.jsonl", guesses)
        kept = json.loads((tmp_path / "kept" / f"{game}.jsonl").read_text().splitlines()[0])
        assert (kept["guess"] is kept["cut"]) is right
        assert kept["basis"] == "trace"
        assert "why" not in kept


def test_files_for_readers_hold_no_truth(tmp_path: Path) -> None:
    write_games(tmp_path, PAPERS, POINTS)

    for game in GAMES:
        pages = "".join(file.read_text() for file in (tmp_path / game).iterdir())
        assert not any(one.id in pages for one in POINTS)
    assert "Nobody says" in (tmp_path / "seams" / "001.md").read_text()
    assert "Nobody says" not in (tmp_path / "bare" / "001.md").read_text()


@pytest.mark.parametrize(
    "line",
    ["{", '{"id": "001"}', '{"id": "001", "guess": "maybe"}', '{"id": "9", "guess": "cut"}', "[]"],
)
def test_a_line_of_a_form_that_cannot_be_used_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "seams").mkdir()
    (tmp_path / "seams" / "form.jsonl").write_text(f'{{"id": "001", "guess": ""}}\n{line}\n')
    truth = Truth("001", "clocks.Ahlen", "clocks", "question", "main", cut=True)

    with pytest.raises(InputError) as refused:
        read_guesses(tmp_path, "seams", [truth])

    assert refused.value.line == 2
    assert refused.value.cure
