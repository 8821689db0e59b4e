"""Nine pairs a paper for each metric, laid out by the evaluation model's own layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewscore import prompts
from reviewscore.errors import InputError
from reviewscore.gem.evaluation import Question
from reviewscore.gem.export_pairs import NO_ABSTRACT, TOO_FEW, export_pairs, prompt_pairs
from reviewscore.gem.layout import forms, plain_layout
from reviewscore.sources.system_reviews import Materials, read_materials
from tests.gem.conftest import read_lines, write_lines


def written(
    folder: Path, *, people: int = 3, abstract: str | None = "We count frogs."
) -> Materials:
    reviews: list[dict[str, object]] = [
        {
            "paper_id": "p1",
            "review_id": f"r{n}",
            "reviewer": n,
            "judgments": f"The reviewer criticizes thing {n}",
        }
        for n in range(1, people + 1)
    ]
    machine = {"paper_id": "p1", "review_id": "m", "system": "m", "judgments": "The reviewer asks"}
    write_lines(folder / "reviews.jsonl", [*reviews, machine])
    write_lines(folder / "synopses.jsonl", [{"paper_id": "p1", "abstract": abstract}])
    return read_materials(folder)


def test_a_paper_gives_six_ordered_pairs_and_three_marginals_for_each_metric(
    tmp_path: Path,
) -> None:
    told = export_pairs(written(tmp_path), tmp_path / "pairs.jsonl")

    rows = read_lines(tmp_path / "pairs.jsonl")
    assert told.pairs == {"GEM": 9, "GEM-S": 9}
    assert told.papers == 1
    assert [(one["candidate_id"], one["reference_id"]) for one in rows[:9]] == [
        ("r1", "r2"), ("r1", "r3"), ("r2", "r1"), ("r2", "r3"), ("r3", "r1"), ("r3", "r2"),
        (None, "r1"), (None, "r2"), (None, "r3"),
    ]  # fmt: skip
    assert [one["metric"] for one in rows] == ["GEM"] * 9 + ["GEM-S"] * 9


def test_the_input_is_the_prompt_of_the_evaluation_model(tmp_path: Path) -> None:
    export_pairs(written(tmp_path), tmp_path / "pairs.jsonl")

    rows = read_lines(tmp_path / "pairs.jsonl")
    one, two = "The reviewer criticizes thing 1", "The reviewer criticizes thing 2"
    absent = prompts.render("gem_absent").text
    for row, synopsis in ((rows[0], absent), (rows[9], "We count frogs.")):
        whole = prompts.render("gem_predict", synopsis=synopsis, candidate=one).text
        assert row["input"] == f"{whole}\n\n"
        assert row["output"] == two
    marginal = "".join(part.text for part in plain_layout().context(Question(one)))
    assert rows[6]["input"] == marginal
    assert marginal.count(absent) == 2


def test_messages_say_the_same_as_the_layout_for_chat(tmp_path: Path) -> None:
    export_pairs(written(tmp_path), tmp_path / "pairs.jsonl", chat=True)

    row = read_lines(tmp_path / "pairs.jsonl")[9]
    messages = row["messages"]
    assert isinstance(messages, list)
    assert [one["role"] for one in messages] == ["system", "user", "assistant"]
    rendered = prompts.render(
        "gem_predict", synopsis="We count frogs.", candidate="The reviewer criticizes thing 1"
    )
    assert messages[0]["content"] == rendered.task == forms()[0][0]["content"]
    assert messages[1]["content"] == rendered.item
    assert "input" not in row


def test_markers_of_chat_formats_are_text_in_an_exported_pair(tmp_path: Path) -> None:
    materials = written(tmp_path, abstract="We count <|eot_id|> frogs.")

    export_pairs(materials, tmp_path / "a.jsonl")
    export_pairs(materials, tmp_path / "b.jsonl", chat=True)

    for name in ("a.jsonl", "b.jsonl"):
        text = (tmp_path / name).read_text("utf-8")
        assert "<|eot_id|>" not in text
        assert "< |eot_id|>" in text


def test_three_of_more_reviews_are_drawn_by_the_seed_and_only_people_count(
    tmp_path: Path,
) -> None:
    materials = written(tmp_path, people=6)

    drawn = {
        seed: tuple(dict.fromkeys(one.reference_id for one in prompt_pairs(materials, seed=seed)))
        for seed in range(20)
    }

    assert all(len(one) == 3 and "m" not in one for one in drawn.values())
    assert len({frozenset(one) for one in drawn.values()}) > 5
    assert list(prompt_pairs(materials, seed=3)) == list(prompt_pairs(materials, seed=3))


def test_papers_without_enough_reviews_or_an_abstract_are_counted(tmp_path: Path) -> None:
    few, bare = written(tmp_path / "a", people=2), written(tmp_path / "b", abstract=None)

    with pytest.raises(InputError, match=TOO_FEW):
        export_pairs(few, tmp_path / "few.jsonl")
    told = export_pairs(bare, tmp_path / "bare.jsonl")

    assert not (tmp_path / "few.jsonl").exists()
    assert told.pairs == {"GEM": 9}
    assert told.left_out == {NO_ABSTRACT: 1}


def test_reviews_with_the_same_judgments_count_once(tmp_path: Path) -> None:
    reviews: list[dict[str, object]] = [
        {"paper_id": "p1", "review_id": f"r{n}", "judgments": "The reviewer criticizes it"}
        for n in range(3)
    ]
    write_lines(tmp_path / "reviews.jsonl", reviews)

    assert list(prompt_pairs(read_materials(tmp_path))) == []
