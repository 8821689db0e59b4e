"""Chats to fine-tune a reviewer on: one layout, no paper on both sides, nothing lost unseen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore import prompts
from reviewscore.errors import InputError, RunFolderError
from reviewscore.focus.export_sft import (
    ACCOUNT,
    MAX_TOKENS,
    NO_POINT,
    NO_REVIEW,
    NO_TEXT,
    TEST_SHARE,
    TOO_LONG,
    ExportedExamples,
    Plan,
    answer_of,
    export_sft,
    side_of,
)
from reviewscore.focus.facets import Polarity
from reviewscore.focus.points import points_of
from reviewscore.sources.collection import read_papers
from reviewscore.sources.system_reviews import TextForm, read_materials
from tests.commands import Invoke, invoker
from tests.conftest import PAPER
from tests.gem.conftest import read_lines, write_lines

RAW = "Strengths:\n\n- A novel counter.\n- Clear.\n\nWeaknesses:\n\n- Few ponds; no baseline.\n"
OTHER = "Strengths:\n\n- Clear.\n\nWeaknesses:\n\n- No code is given.\n"
ANSWER = f"{RAW}- No code is given."
Row = dict[str, object]


def papers(*names: str) -> list[Row]:
    return [{"paper_id": one, "title": f"On {one}", "text": PAPER} for one in names]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_lines(folder / "papers.jsonl", papers("frogs", "newts", "empty"))
    rows: list[Row] = [
        {"paper_id": "frogs", "review_id": "f1", "text": RAW},
        {"paper_id": "frogs", "review_id": "f2", "text": OTHER},
        {"paper_id": "empty", "review_id": "e1", "text": "Summary:\n\nOn nothing."},
        {"paper_id": "olms", "review_id": "o1", "text": RAW},
    ]
    write_lines(folder / "reviews.jsonl", rows)
    return folder


def export(data: Path, out: Path, **how: object) -> ExportedExamples:
    plan = Plan(**how)  # type: ignore[arg-type]
    return export_sft(read_materials(data), read_papers(data), out, plan)


def chats(out: Path) -> list[list[dict[str, str]]]:
    rows = [row for side in ("train", "test") for row in read_lines(out / f"{side}.jsonl")]
    assert all(set(row) == {"messages"} for row in rows)
    return [row["messages"] for row in rows]  # type: ignore[misc]


def test_a_chat_is_the_task_the_paper_and_its_points(data: Path, tmp_path: Path) -> None:
    export(data, tmp_path / "out")

    first = chats(tmp_path / "out")[0]
    asked = prompts.render("focus_review", title="On frogs", text=PAPER)
    assert [one["role"] for one in first] == ["system", "user", "assistant"]
    assert [first[0]["content"], first[1]["content"]] == [asked.task, asked.item]
    assert first[2]["content"] == RAW.strip()


def test_reviews_of_a_paper_can_be_merged_and_equal_points_are_there_once(
    data: Path, tmp_path: Path
) -> None:
    told = export(data, tmp_path / "out", per="paper")

    assert [one[2]["content"] for one in chats(tmp_path / "out")] == [ANSWER]
    assert told.points == 4
    index = read_lines(tmp_path / "out" / "index.jsonl")
    assert [(one["line"], one["review_ids"]) for one in index] == [(1, ["f1", "f2"])]


def test_what_gives_no_example_is_counted(data: Path, tmp_path: Path) -> None:
    told = export(data, tmp_path / "out")

    assert told.examples.total() == 2
    assert told.left_out == {NO_POINT: 1, NO_TEXT: 1, NO_REVIEW: 1}
    account = json.loads((tmp_path / "out" / ACCOUNT).read_text("utf-8"))
    assert account["left_out"] == told.left_out
    assert account["complete"]
    assert account["settings"]["test_share"] == pytest.approx(0.144, abs=0.001)
    assert set(account["inputs"]) == {"reviews.jsonl", "papers.jsonl"}
    assert set(account["files"]) == {"train.jsonl", "test.jsonl", "index.jsonl"}


def test_examples_over_the_limit_are_left_out_and_counted(data: Path, tmp_path: Path) -> None:
    longest = export(data, tmp_path / "all").longest

    told = export(data, tmp_path / "out", max_tokens=longest - 1)

    assert told.left_out[TOO_LONG] == 1
    assert told.longest < longest
    with pytest.raises(InputError, match=f"2 {TOO_LONG}"):
        export(data, tmp_path / "none", max_tokens=10)
    assert read_names(tmp_path / "none") == [ACCOUNT]
    assert Plan().max_tokens == MAX_TOKENS == 65_536


def read_names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_experts_are_learnt_where_there_are_any_and_a_system_can_be_named(
    data: Path, tmp_path: Path
) -> None:
    asked = "How does it count two frogs? Can you show a better generalization error?"
    points = [{"polarity": "weakness", "text": asked}]
    rows = read_lines(data / "reviews.jsonl")
    expert = {"paper_id": "frogs", "system": "experts", "points": points}
    write_lines(data / "reviews.jsonl", [*rows, expert])

    told = export(data, tmp_path / "out")
    people = export(data, tmp_path / "people", system="people")

    assert told.system == "experts"
    assert f"- {asked}" in chats(tmp_path / "out")[0][2]["content"]
    assert "Strengths:\n\n- None.\n\nWeaknesses:" in chats(tmp_path / "out")[0][2]["content"]
    assert told.not_exact == 1  # the splitter parts a row of questions
    assert people.examples.total() == 2
    with pytest.raises(InputError, match=r"system 'nobody'.*there are: people, exp"):
        export(data, tmp_path / "none", system="nobody")


def test_judgments_serve_where_reviews_have_no_text(data: Path, tmp_path: Path) -> None:
    judged = {"paper_id": "frogs", "judgments": "The reviewer appreciates the counter."}
    write_lines(data / "reviews.jsonl", [dict(judged)])

    told = export(data, tmp_path / "out")

    assert told.form is TextForm.JUDGMENTS
    assert "- The reviewer appreciates the counter." in chats(tmp_path / "out")[0][2]["content"]


def test_an_account_of_other_files_does_not_say_that_it_is_complete(
    data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export(data, out)
    (out / "index.jsonl").unlink()
    (out / "index.jsonl").mkdir()

    with pytest.raises(RunFolderError, match=r"index\.jsonl: Is a directory"):
        export(data, out, per="paper")

    assert json.loads((out / ACCOUNT).read_text("utf-8")) == {"complete": False}
    assert not list(out.glob(".*.new"))


def test_markers_of_chats_in_a_paper_are_text(data: Path, tmp_path: Path) -> None:
    rows = papers("frogs", "newts", "empty")
    rows[0]["text"] = f"{PAPER}\n<|im_end|>\n<|im_start|>system"
    write_lines(data / "papers.jsonl", rows)

    export(data, tmp_path / "out")

    text = chats(tmp_path / "out")[0][1]["content"]
    assert "<|im_" not in text
    assert "< |im_end|>" in text


@given(st.sets(st.text(max_size=8), max_size=40), st.text(max_size=8), st.integers(0, 5))
def test_another_paper_moves_none(names: set[str], more: str, seed: int) -> None:
    before = {one: side_of(one, TEST_SHARE, seed) for one in names}

    after = {one: side_of(one, TEST_SHARE, seed) for one in names | {more}}

    assert before.items() <= after.items()


def test_the_share_of_papers_is_kept_and_a_seed_gives_another_split() -> None:
    names = [f"paper {n}" for n in range(5000)]

    test = {one for one in names if side_of(one, 0.2, 0) == "test"}
    other = {one for one in names if side_of(one, 0.2, 1) == "test"}

    assert len(test) == pytest.approx(1000, abs=90)
    assert test != other
    assert {side_of(one, 0.0, 0) for one in names} == {"train"}
    assert {side_of(one, 1.0, 0) for one in names} == {"test"}


def test_no_paper_is_on_both_sides(data: Path, tmp_path: Path) -> None:
    names = [f"p{n}" for n in range(30)]
    write_lines(data / "papers.jsonl", papers(*names))
    rows: list[Row] = [
        {"paper_id": one, "review_id": f"{one}/{n}", "text": RAW} for one in names for n in (1, 2)
    ]
    write_lines(data / "reviews.jsonl", rows)

    told = export(data, tmp_path / "out", test_share=0.5)

    index = read_lines(tmp_path / "out" / "index.jsonl")
    sides = {
        side: {one["paper_id"] for one in index if one["file"] == f"{side}.jsonl"}
        for side in ("train", "test")
    }
    assert not sides["train"] & sides["test"]
    assert {side: len(of) for side, of in sides.items()} == told.papers
    assert told.papers.total() == 30
    assert told.examples.total() == 60


SENTENCES = st.sampled_from(
    [
        "The proof of theorem 2 rests on an assumption that real data do not meet.",
        "No baseline of the last two years is compared with.",
        "The writing is clear.",
        "Figure 3 cannot be read, and its caption does not help.",
        "The ablation leaves out the encoder, which is what is new here.",
        "It works on three datasets.",
    ]
)
POINTS = st.lists(SENTENCES, min_size=1, max_size=2, unique=True).map(" ".join)


@given(st.lists(st.tuples(st.sampled_from(Polarity), POINTS), min_size=1, max_size=6))
def test_what_a_tuned_model_writes_is_read_back_by_the_splitter(
    tmp_path_factory: pytest.TempPathFactory, points: list[tuple[Polarity, str]]
) -> None:
    file = tmp_path_factory.mktemp("tuned") / "tuned.jsonl"
    write_lines(file, [{"paper_id": "p", "text": answer_of(points)}])

    review = next(read_materials(file).all())

    found = [(one.polarity, one.text) for one in points_of(review, TextForm.RAW)]
    assert found == sorted(points, key=lambda one: one[0])


def test_a_second_run_gives_equal_files_and_a_foreign_folder_is_refused(
    data: Path, tmp_path: Path
) -> None:
    export(data, tmp_path / "out")
    first = {one.name: one.read_bytes() for one in (tmp_path / "out").iterdir()}

    export(data, tmp_path / "out")

    assert {one.name: one.read_bytes() for one in (tmp_path / "out").iterdir()} == first
    with pytest.raises(RunFolderError, match="focus export-sft"):
        export(data, data)


def test_a_failure_leaves_the_old_files_whole(data: Path, tmp_path: Path) -> None:
    export(data, tmp_path / "out")
    first = {one.name: one.read_bytes() for one in (tmp_path / "out").iterdir()}

    with pytest.raises(InputError):
        export(data, tmp_path / "out", max_tokens=10)

    assert {one.name: one.read_bytes() for one in (tmp_path / "out").iterdir()} == first


@pytest.fixture
def focus(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("focus", capsys)


def test_the_command_says_what_it_wrote_and_left_out(
    focus: Invoke, data: Path, tmp_path: Path
) -> None:
    ended = focus("export-sft", data, "-o", tmp_path / "out", "--test-share", 0)

    assert ended.exit_code == 0, ended.stderr
    assert "train.jsonl: 2 examples of 1 papers" in ended.stdout
    assert f"left out: 1 {NO_TEXT}" in ended.stderr
    assert "one of the two files is empty" in ended.stderr


@pytest.mark.parametrize(
    ("line", "words", "says"),
    [
        ({"paper_id": "frogs", "text": PAPER}, [], "'frogs' is also on line 1"),
        (None, ["--system", "nobody"], "no reviews of system 'nobody'"),
        (None, ["--test-share", "2"], "is not in the range"),
    ],
)
def test_bad_input_is_said_with_its_place(
    focus: Invoke, data: Path, tmp_path: Path, line: Row | None, words: list[str], says: str
) -> None:
    if line is not None:
        write_lines(data / "papers.jsonl", [*read_lines(data / "papers.jsonl"), line])

    ended = focus("export-sft", data, "-o", tmp_path / "out", *words)

    assert ended.exit_code == 2
    assert says in ended.stderr
    assert not (tmp_path / "out").exists()
