"""Reviews for GEM as users write them, and which is scored against which."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from reviewscore.errors import InputError
from reviewscore.gem.alterations.alteration import AlterationCase
from reviewscore.gem.score import (
    GEM,
    GEM_RAW,
    GEM_S,
    NO_OTHER,
    NO_SYNOPSIS,
    NO_TEXT,
    SAME_TEXT,
    Cases,
    Variant,
    possible,
    summary_section,
)
from reviewscore.sources.system_reviews import PEOPLE, Materials, read_materials

RAW = (
    "Summary Of The Paper:\n\nIt is on {0}.\n\nStrength And Weaknesses:\n\nGood {0}.\n\n"
    "Summary Of The Review:\n\nAccept {0}."
)


def written(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    return path


def every_case(
    given: Materials, variant: Variant, *, candidate: str | None = None
) -> tuple[list[AlterationCase], dict[str, Counter[str]]]:
    """The cases of all papers, and how many candidates were left out."""
    found = Cases(given, variant, candidate=candidate)
    return list(chain.from_iterable(found)), found.dropped


def review(paper: str, reviewer: int, **more: Any) -> dict[str, Any]:
    return {
        "paper_id": paper,
        "reviewer": reviewer,
        "review": RAW.format(f"topic {reviewer}"),
        "review_summary": f"The reviewer appreciates topic {reviewer}.",
        **more,
    }


def materials(tmp_path: Path, records: list[dict[str, Any]]) -> Materials:
    return read_materials(written(tmp_path / "reviews.jsonl", records))


def test_records_are_read_under_either_name_and_get_identifiers(tmp_path: Path) -> None:
    found = materials(
        tmp_path,
        [
            review("p", 1),
            {"paper_id": "p", "reviewer": "R2", "sections": {"Strengths": "It is good."}},
            {"paper_id": "p", "review_id": "own", "text": "x", "judgments": ["a", "b"]},
        ],
    )

    first, second, third = found.papers["p"]
    assert (first.review_id, first.system) == ("p/people/1", PEOPLE)
    assert second.raw == "Strengths:\n\nIt is good."
    assert third.judgments == "a\nb"


def test_other_systems_come_from_files_of_their_own_or_from_the_record(tmp_path: Path) -> None:
    other = written(tmp_path / "model.jsonl", [{"paper_id": "p", "text": "made"}])
    file = written(
        tmp_path / "reviews.jsonl",
        [review("p", 1), {"paper_id": "p", "text": "too", "system": "second"}],
    )

    found = read_materials(file, others=[("first", other)])

    assert found.systems() == [PEOPLE, "first", "second"]
    assert [path.name for path in found.files] == ["reviews.jsonl", "model.jsonl"]


def test_a_folder_and_parquet_are_read_with_what_is_known_of_the_papers(tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame([review("p", 1), review("p", 2)]).to_parquet(tmp_path / "reviews.parquet")
    written(tmp_path / "synopses.jsonl", [{"paper_id": "p", "abstract": "A", "assw": ["s", "w"]}])
    written(tmp_path / "papers.jsonl", [{"paper_id": "p", "abstract": "B", "text": "T"}])

    found = read_materials(tmp_path)

    assert len(found.papers["p"]) == 2
    assert found.synopses["p"].abstract == "A"
    assert found.synopses["p"].assw == "s\nw"
    assert found.synopses["p"].text == "T", "what one file does not say comes from the other"


def test_numbers_and_empty_cells_of_a_table_are_names_and_no_names(tmp_path: Path) -> None:
    import pandas as pd

    table = {
        "paper_id": [7.0, 7.0, 7.0], "reviewer": [1.0, None, 3.0], "system": [None, None, "model"],
        "review_id": [None, None, 5.0], "text": ["a", "b", "c"],
    }  # fmt: skip
    pd.DataFrame(table).to_parquet(tmp_path / "reviews.parquet")

    found = read_materials(tmp_path)

    assert [(one.review_id, one.reviewer, one.system) for one in found.papers["7"]] == [
        ("7/people/1", "1", PEOPLE), ("7/people/line 2", None, PEOPLE), ("5", "3", "model"),
    ]  # fmt: skip


def test_a_line_without_a_reviewer_is_not_taken_for_the_reviewer_of_its_number(
    tmp_path: Path,
) -> None:
    found = materials(tmp_path, [review("p", 2), {"paper_id": "p", "text": "x"}])

    assert len(found.papers["p"]) == 2


@pytest.mark.parametrize(
    ("line", "field", "says"),
    [
        ('{"reviewer": 1, "text": "x"}', "paper_id", "is missing"),
        ('{"paper_id": "p", "text": 3}', "text", "string"),
        ("[]", None, "not a JSON object"),
        ('{"paper_id": "p", "text": "x"', None, "cut off"),
    ],
)
def test_a_bad_line_is_named_with_its_field_or_skipped(
    tmp_path: Path, line: str, field: str | None, says: str
) -> None:
    file = tmp_path / "reviews.jsonl"
    file.write_text(f"{json.dumps(review('p', 1))}\n{line}\n", "utf-8")

    with pytest.raises(InputError, match=says) as error:
        read_materials(file)
    assert error.value.line == 2
    assert error.value.field == field
    skipped = read_materials(file, skip_bad_lines=True)
    assert len(skipped.skipped) == 1
    assert len(skipped.papers["p"]) == 1


def test_two_reviews_of_one_name_are_refused_with_both_places(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"also at reviews\.jsonl line 1"):
        materials(tmp_path, [review("p", 1), review("p", 1)])


def test_empty_reviews_are_left_out_and_counted(tmp_path: Path) -> None:
    found = materials(tmp_path, [review("p", 1), {"paper_id": "p", "reviewer": 2, "text": "  "}])

    assert len(found.papers["p"]) == 1
    assert "1 reviews without any text" in found.warnings[0]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: folder / "none.jsonl", "no such file"),
        (lambda folder: folder, "has no reviews"),
        (lambda folder: written(folder / "r.odt", []), "no file of records"),
        (lambda folder: written(folder / "r.jsonl", []), "holds no reviews"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, make: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_materials(make(tmp_path))


def test_a_persons_review_is_scored_against_the_others_and_a_models_against_all(
    tmp_path: Path,
) -> None:
    given = materials(
        tmp_path, [review("p", n) for n in (1, 2, 3)] + [review("p", 4, system="model")]
    )

    found, dropped = every_case(given, GEM)

    by_name = {one.candidate.review_id: [x.reviewer for x in one.references] for one in found}
    assert by_name["p/people/1"] == ["2", "3"]
    assert by_name["p/model/4"] == ["1", "2", "3"]
    assert not any(dropped.values())


def test_one_reviewer_as_the_candidate_is_nobodys_reference(tmp_path: Path) -> None:
    given = materials(
        tmp_path, [review("p", n) for n in (1, 2, 3)] + [review("p", 4, system="model")]
    )

    found, _ = every_case(given, GEM, candidate="1")

    assert [one.candidate.reviewer for one in found] == ["1", "4"]
    assert all([x.reviewer for x in one.references] == ["2", "3"] for one in found)


def test_what_cannot_be_scored_is_counted_by_reason(tmp_path: Path) -> None:
    same = review("q", 1)["review_summary"]
    given = materials(
        tmp_path,
        [
            review("p", 1),
            review("q", 1),
            review("q", 2, review_summary=same),
            review("r", 1),
            review("r", 2, review_summary=None),
        ],
    )

    _, dropped = every_case(given, GEM)

    assert dropped[PEOPLE] == {NO_OTHER: 2, SAME_TEXT: 2, NO_TEXT: 1}
    _, dropped = every_case(given, GEM_S["abstract"])
    assert dropped[PEOPLE][NO_SYNOPSIS] == 0
    _, dropped = every_case(
        materials(tmp_path, [review("p", 1), review("p", 2)]), GEM_S["abstract"]
    )
    assert dropped[PEOPLE] == {NO_SYNOPSIS: 2}


def test_a_stand_in_synopsis_is_by_neither_candidate_nor_reference(tmp_path: Path) -> None:
    given = materials(tmp_path, [review("p", n) for n in (1, 2, 3)])

    found, _ = every_case(given, GEM_S["stand-in"])

    first = found[0]
    assert [x.reviewer for x in first.references] == ["2", "3"]
    assert [pair.synopsis for pair in first.pairs] == ["It is on topic 3.", "It is on topic 2."]
    two, dropped = every_case(
        materials(tmp_path, [review("p", 1), review("p", 2)]), GEM_S["stand-in"]
    )
    assert not two
    assert dropped[PEOPLE] == {NO_SYNOPSIS: 2}


def test_a_reviewer_who_wrote_twice_is_no_reference_and_no_stand_in_for_himself(
    tmp_path: Path,
) -> None:
    given = materials(
        tmp_path,
        [
            review("p", 1, review_id="first"),
            review("p", 1, review_id="second", review=RAW.format("it again")),
            review("p", 2),
            review("p", 3, review=RAW.format("topic 2")),  # the second reviewer's, word for word
        ],
    )

    found, _ = every_case(given, GEM)
    assert [x.reviewer for x in found[0].references] == ["2", "3"]
    stood_in, _ = every_case(given, GEM_S["stand-in"])
    assert not [one for one in stood_in if one.candidate.review_id == "first"]


def test_assw_is_the_abstract_and_what_the_authors_state(tmp_path: Path) -> None:
    written(
        tmp_path / "synopses.jsonl",
        [{"paper_id": "p", "abstract": "A.", "assw": "S.\nW."}, {"paper_id": "q", "assw": "S."}],
    )
    given = materials(tmp_path, [review(paper, n) for paper in "pq" for n in (1, 2)])

    found, dropped = every_case(given, GEM_S["assw"])

    assert {pair.synopsis for one in found for pair in one.pairs} == {"A.\n\nS.\nW."}
    assert dropped[PEOPLE] == {NO_SYNOPSIS: 2}
    names = [one.name for one in possible(given)]
    assert names == ["GEM", "GEM-S (abstract)", "GEM-S (ASSW)", "GEM-raw"]


def test_only_what_the_data_has_texts_for_is_possible(tmp_path: Path) -> None:
    raw = materials(tmp_path, [{"paper_id": "p", "text": "x"}])
    assert list(possible(raw)) == [GEM_RAW]
    judged = materials(tmp_path, [{"paper_id": "p", "judgments": "x"}])
    assert list(possible(judged)) == [GEM]


def test_the_summary_of_the_paper_is_not_the_summary_of_the_review() -> None:
    assert summary_section(RAW.format("it")) == "It is on it."
    assert summary_section("No headings at all.") is None
    assert summary_section("  ") is None
