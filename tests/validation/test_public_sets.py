"""Public labelled sets from invented rows: truths, what is left out, and faults of files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError, SettingsError
from reviewscore.validation.labelled import LabelledTrials
from reviewscore.validation.labelled_sets import read_set
from reviewscore.validation.public_sets import read_mapping, same_value
from tests.validation.invented import BELLS, REEFS

STATEMENT = {"title": "Bells", "content": BELLS, "hypothesis": "Bells were filed.", "answer": True}
ITEM = {
    "paper_id": 7, "paper_title": "Bells", "paper_content": BELLS, "reviewer_id": "h1",
    "reviewer_type": "human", "review_item_number": 1, "review_item": "No order is named.",
    "correctness": "Correct", "annotator_source": "primary",
}  # fmt: skip


def lines(file: Path, *rows: Any) -> Path:
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def truths(given: LabelledTrials) -> dict[str, bool]:
    return {trial.name: trial.misinformed for trial in given.trials}


def read(name: str, *files: Path, mapping: Path | None = None, seed: int = 0) -> LabelledTrials:
    return read_set(name, files, seed=seed, mapping=mapping)


@pytest.mark.parametrize("names", [("content", "hypothesis", "answer"),
                                   ("text", "statement", "true")])  # fmt: skip
def test_an_altered_statement_is_misinformed_and_a_true_one_fair(
    tmp_path: Path, names: tuple[str, str, str]
) -> None:
    text, statement, true = names
    said = (("Bells were cast.", False), ("Bells were filed.", True))
    rows = [{"title": "Bells", text: BELLS, statement: words, true: value} for words, value in said]

    made = read("bamboo", lines(tmp_path / "s.jsonl", *rows))

    assert truths(made) == {"s:1": True, "s:2": False}
    assert [review.fields.keys() for review in made.collection.reviews] == [{"weaknesses"}] * 2
    (paper,) = made.collection.papers.values()
    assert paper.load().text == BELLS
    assert paper.load().title == "Bells"


def test_files_of_one_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    files = [lines(tmp_path / "s.jsonl", STATEMENT), lines(tmp_path / "b" / "s.jsonl", STATEMENT)]

    made = read("bamboo", *files)

    assert {trial.part for trial in made.trials} == {*map(str, files)}
    assert len(made.collection.papers) == 1


def test_names_tell_a_judge_nothing_and_go_with_the_seed(tmp_path: Path) -> None:
    file = lines(tmp_path / "s.jsonl", STATEMENT)

    first, second = read("bamboo", file), read("bamboo", file, seed=1)

    (name,) = first.collection.papers
    assert name not in second.collection.papers
    assert "bell" not in (name + first.trials[0].review_id).lower()
    assert first.collection.records == read("bamboo", file).collection.records


def test_a_line_that_cannot_be_used_is_named_and_ends_nothing(tmp_path: Path) -> None:
    wrong = [STATEMENT | {"answer": "yes"}, {"title": "Bells"}, STATEMENT | {"content": "  "}]
    made = read("bamboo", lines(tmp_path / "s.jsonl", *wrong, STATEMENT))

    assert truths(made) == {"s:4": False}
    faults = [str(fault).replace(str(tmp_path), "") for fault in made.faults]
    assert faults[0].startswith("/s.jsonl:1: field 'answer': true or false is needed")
    assert faults[1].startswith("/s.jsonl:2: field 'content': is missing; add the field")
    assert "/s.jsonl:3" in faults[2]
    assert "has no text" in faults[2]


def test_files_without_a_remark_say_where_the_formats_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"formats/labelled\.md"):
        read("bamboo", lines(tmp_path / "s.jsonl"))


def published_qasper(file: Path, *votes: Sequence[bool]) -> Path:
    questions = [
        {"question_id": f"q{number}", "question": f"Which bells ({number})?",
         "answers": [{"answer": {"unanswerable": vote}} for vote in own]}
        for number, own in enumerate(votes)
    ]  # fmt: skip
    sections = [
        {"section_name": "Filing ::: Files", "paragraphs": ["Bells were filed.", " "]},
        {"section_name": None, "paragraphs": ["All were old."]},
    ]
    paper = {"title": "Bells", "abstract": "We tune.", "full_text": sections, "qas": questions,
             "figures_and_tables": [{"file": "1.png", "caption": "Table 1: Bells."}]}  # fmt: skip
    file.write_text(json.dumps({"1907.1": paper}))
    return file


def test_a_question_that_the_paper_answers_is_misinformed_and_mixed_votes_are_left_out(
    tmp_path: Path,
) -> None:
    votes = ([False, False], [True], [True, False], [])

    made = read("qasper", published_qasper(tmp_path / "q.json", *votes))

    assert truths(made) == {"1907.1 q0": True, "1907.1 q1": False}
    assert made.excluded == {"labels differ": 1, "without a label": 1}
    assert {*made.collection.reviews[0].fields} == {"questions"}
    (paper,) = made.collection.papers.values()
    assert paper.load().text == (
        "# Bells\n\n## Abstract\n\nWe tune.\n\n### Files\n\nBells were filed.\n\nAll were old.\n\n"
        "## Figures and tables\n\nTable 1: Bells."
    )


def test_questions_and_papers_a_line_each_may_come_in_any_order(tmp_path: Path) -> None:
    questions = lines(
        tmp_path / "q.jsonl",
        {"question_id": "a", "paper_id": "b", "question": "Why?", "unanswerable_votes": [True]},
        {"question_id": "c", "paper_id": "lost", "question": "Why?", "unanswerable_votes": [True]},
    )
    papers = lines(tmp_path / "p.jsonl", {"paper_id": "b", "title": "Bells", "text": BELLS})

    made = read("qasper", questions, papers)

    assert truths(made) == {"b a": False}
    assert "q.jsonl:2: there is no paper 'lost'; name its file too" in str(made.faults[0])


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 1, "a": 2}'])
def test_a_published_file_that_is_none_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "q.json").write_text(text)

    with pytest.raises(InputError, match=r"q\.json.*; "):
        read("qasper", tmp_path / "q.json")


def test_a_contradicted_claim_is_misinformed_about_that_abstract_alone(tmp_path: Path) -> None:
    claims = lines(
        tmp_path / "claims.jsonl",
        {"id": 1, "claim": "Bells are cast.", "evidence": {
            "4": [{"sentences": [0], "label": "CONTRADICT"}],
            "5": [{"sentences": [0], "label": "SUPPORT"}, {"sentences": [1], "label": "SUPPORT"}],
            "6": [{"sentences": [0], "label": "SUPPORT"}]}, "cited_doc_ids": [4, 5, 6]},
        {"id": 2, "claim": "Reefs are loud.", "evidence": {}},
        {"id": 3, "claim": "Reefs are loud."},
        {"id": 4, "claim": "Files.", "evidence": {"4": [{"label": "SUPPORT"},
                                                        {"label": "CONTRADICT"}]}},
        {"id": 5, "claim": "Files.", "evidence": {"4": [{"label": "MAYBE"}]}},
    )  # fmt: skip
    corpus = lines(
        tmp_path / "corpus.jsonl",
        {"doc_id": 4, "title": "Bells", "abstract": ["Bells are filed.", "They ring."]},
        {"doc_id": 5, "title": "Casts", "abstract": ["Bells are cast."]},
        {"doc_id": 9, "title": "Nobody cites it", "abstract": ["Nothing."]},
    )

    made = read("scifact", corpus, claims)

    assert truths(made) == {"1 4": True, "1 5": False}
    assert made.excluded == {"claims without evidence": 2, "labels differ": 1}
    assert len(made.collection.papers) == 2
    assert "Bells are filed. They ring." in {one.load().text for one in
                                             made.collection.papers.values()}  # fmt: skip
    said = " ".join(map(str, made.faults))
    assert "claims.jsonl:5: field 'evidence.4.label'" in said
    assert "there is no paper '6'" in said


def as_parquet(file: Path, *rows: dict[str, Any]) -> Path:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(list(rows)), file)
    return file


@pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
def test_criticisms_count_where_all_annotators_agree(tmp_path: Path, ending: str) -> None:
    rows = [
        ITEM,
        ITEM | {"annotator_source": "secondary", "correctness": " correct "},
        ITEM | {"review_item_number": 2, "review_item": "It rings.", "correctness": "Not Correct"},
        ITEM | {"review_item_number": 3},
        ITEM | {"review_item_number": 3, "correctness": "Not Correct"},
        ITEM | {"review_item_number": 4, "correctness": None},
    ]
    write = as_parquet if ending == ".parquet" else lines

    made = read("peerreview-bench", write(tmp_path / f"eval{ending}", *rows))

    assert truths(made) == {"7 h1 1": False, "7 h1 2": True}
    assert {trial.part for trial in made.trials} == {"human"}
    assert made.excluded == {"labels differ": 1, "without a label": 1}
    assert made.notes == ("Values of correctness: “correct” fair, “not correct” misinformed.",)


def test_a_value_that_the_table_lacks_is_named_with_its_count_and_cure(tmp_path: Path) -> None:
    rows = [ITEM | {"review_item_number": number, "correctness": "Partly"} for number in (1, 2)]
    file = lines(tmp_path / "e.jsonl", *rows)

    with pytest.raises(InputError) as refused:
        read("peerreview-bench", file)

    assert "'partly' (2)" in str(refused.value)
    assert "--mapping" in str(refused.value)
    table = tmp_path / "mine.toml"
    table.write_text('[correctness]\n"Partly" = "misinformed"\n"Unsure" = "left out"\n')
    assert truths(read("peerreview-bench", file, mapping=table)) == {"7 h1 1": True, "7 h1 2": True}


def test_a_value_may_be_left_out_by_the_table(tmp_path: Path) -> None:
    table = tmp_path / "mine.toml"
    table.write_text('[correctness]\n"Correct" = "fair"\n"Unsure" = "left out"\n')
    unsure = ITEM | {"review_item_number": 2, "correctness": "Unsure"}

    made = read("peerreview-bench", lines(tmp_path / "e.jsonl", ITEM, unsure), mapping=table)

    assert truths(made) == {"7 h1 1": False}
    assert made.excluded == {"left out by the table of values": 1}


@pytest.mark.parametrize("text", ["", "[correctness]\nYes = 1\n", '[correctness]\nYes = "maybe"\n'])
def test_a_table_that_says_nothing_is_refused(tmp_path: Path, text: str) -> None:
    table = tmp_path / "mine.toml"
    table.write_text(text)

    with pytest.raises(InputError, match=r"mine\.toml"):
        read_mapping(table)


def test_a_table_is_for_one_set_alone(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="peerreview-bench alone"):
        read("bamboo", lines(tmp_path / "s.jsonl", STATEMENT), mapping=tmp_path / "mine.toml")


def test_rows_that_contradict_each_other_are_left_out(tmp_path: Path) -> None:
    rows = [ITEM, ITEM | {"review_item": "Other words."}, ITEM | {"paper_content": REEFS},
            {name: value for name, value in ITEM.items() if name != "correctness"}]  # fmt: skip

    made = read("peerreview-bench", lines(tmp_path / "e.jsonl", *rows))

    said = list(map(str, made.faults))
    assert truths(made) == {"7 h1 1": False}
    assert "e.jsonl:2: field 'review_item': '7 h1 1' has other words than before" in said[0]
    assert "e.jsonl:3: paper '7' has another text than before" in said[1]
    assert "e.jsonl:4: field 'correctness': is missing" in said[2]


@given(st.text())
def test_values_are_compared_without_case_and_spare_blanks(value: str) -> None:
    assert same_value(f" {value.upper()}\t") == same_value(value.upper())
    assert same_value(same_value(value)) == same_value(value)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


_NAMES = [*STATEMENT, *ITEM, "claim", "evidence", "question", "id", "unanswerable_votes", "doc_id"]


@given(
    st.sampled_from(["bamboo", "qasper", "scifact", "peerreview-bench"]),
    st.dictionaries(st.sampled_from(_NAMES), _JSON),
)
def test_no_record_is_more_than_a_named_fault(
    tmp_path_factory: pytest.TempPathFactory, name: str, row: dict[str, Any]
) -> None:
    file = lines(tmp_path_factory.mktemp("any") / "any.jsonl", row)

    try:
        made = read(name, file)
    except InputError as error:
        assert str(error)
    else:
        assert made.trials


def test_one_value_with_two_truths_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "mine.toml"
    table.write_text('[correctness]\n"Correct" = "fair"\n"correct " = "misinformed"\n')

    with pytest.raises(InputError, match="twice, as two truths"):
        read_mapping(table)


def test_the_same_statement_about_texts_that_differ_in_blanks_is_kept(tmp_path: Path) -> None:
    other = STATEMENT | {"content": STATEMENT["content"].replace(" ", "  ", 1)}

    made = read("bamboo", lines(tmp_path / "s.jsonl", STATEMENT, other))

    assert len(made.trials) == 2
