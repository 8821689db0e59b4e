"""A table of assignments: how it is read, what is refused, and whom it lets see what."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas as pd
import pytest

from reviewscore.errors import InputError
from reviewscore.period.assignments import (
    Assignment,
    Assignments,
    VenueRole,
    folder_of,
    read_assignments,
)
from tests.sources.test_source_bounds import row as sheet_row
from tests.sources.test_source_bounds import spreadsheet

HEAD = "person,role,paper,review,conflict\n"
ROWS = [
    {"person": "chair", "role": "area-chair", "paper": "p1"},
    {"person": "chair", "role": "area-chair", "paper": "p2"},
    {"person": "chair", "role": "conflict", "paper": "p2"},
    {"person": "reader", "role": "reviewer", "paper": "p1", "review": "r1"},
    {"person": "writer", "role": "author", "paper": "p1"},
    {"person": "head", "role": "program-chair"},
    {"person": "head", "role": "conflict", "paper": "p3"},
]


def made(*rows: dict[str, object]) -> Assignments:
    return Assignments(Assignment.model_validate(row) for row in rows)


def table(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "assignments.csv"
    file.write_text(HEAD + text, "utf-8")
    return file


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet", "jsonl", "json"])
def test_a_table_of_any_kind_gives_the_same_rights(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"assignments.{ending}"
    frame = pd.DataFrame(ROWS)
    match ending:
        case "csv":
            frame.to_csv(file, index=False)
        case "xlsx":
            lines = [dict(zip("ABCD", frame.columns, strict=True))]
            lines += [{at: row[name] for at, name in zip("ABCD", frame.columns, strict=True)
                       if name in row} for row in ROWS]  # fmt: skip
            cells = (sheet_row(number, **line) for number, line in enumerate(lines, start=1))
            spreadsheet(file, "".join(cells))
        case "parquet":
            frame.to_parquet(file)
        case "jsonl":
            file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
        case _:
            file.write_text(json.dumps(ROWS), "utf-8")

    found = read_assignments(file)

    assert found.people(VenueRole.AREA_CHAIR) == ("chair",)
    assert found.may_see("chair", paper_id="p1")
    assert not found.may_see("chair", paper_id="p2")
    assert found.may_see("reader", paper_id="p1", review_id="r1")
    assert found.may_see("head", paper_id="p1")
    assert not found.may_see("head", paper_id="p3")


@pytest.mark.parametrize(
    ("row", "field", "cure"),
    [
        ("ada,king,p1,,", "role", "correct the value"),
        ("ada,area-chair,,,", "paper", "name the paper"),
        ("ada,author,,r1,", "paper", "name the paper"),
        ("ada,reviewer,p1,,", "review", "name the review"),
        ("ada,conflict,,r1,", "paper", "name the paper"),
        ("ada,reviewer,,r1,yes", "paper", "name the paper"),
        ("ada,area-chair,p1,,perhaps", "conflict", "correct the value"),
        (",area-chair,p1,,", "person", "add the field"),
        ("ada,,p1,,", "role", "add the field"),
        ("../ada,area-chair,p1,,", "person", "pseudonym"),
        ("/etc,area-chair,p1,,", "person", "pseudonym"),
        ("..,area-chair,p1,,", "person", "pseudonym"),
        (".ada,area-chair,p1,,", "person", "pseudonym"),
        ("-ada,area-chair,p1,,", "person", "pseudonym"),
        ("a\\b,area-chair,p1,,", "person", "pseudonym"),
        ("\u0430da,area-chair,p1,,", "person", "pseudonym"),  # a Cyrillic letter
        ("~Ada_King1,area-chair,p1,,", "person", "pseudonym"),
        ("ada@example.org,area-chair,p1,,", "person", "pseudonym"),
        ("a" * 81 + ",area-chair,p1,,", "person", "pseudonym"),
        ("FIRST,area-chair,p1,,", "person", "in one way"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_with_its_line_field_and_cure(
    tmp_path: Path, row: str, field: str, cure: str
) -> None:
    file = table(tmp_path, f"first,area-chair,p9,,\n{row}\n")

    with pytest.raises(InputError) as refused:
        read_assignments(file)

    assert (refused.value.file, refused.value.line, refused.value.field) == (file, 3, field)
    assert cure in (refused.value.cure or "")


def test_a_conflict_in_a_column_that_is_spelled_otherwise_is_no_right(tmp_path: Path) -> None:
    file = tmp_path / "assignments.csv"
    file.write_text("person,role,paper,conflicts\nada,area-chair,p1,yes\n", "utf-8")

    with pytest.raises(InputError, match=r"field 'conflicts': is no column.*take others out"):
        read_assignments(file)


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no assignments"):
        read_assignments(table(tmp_path, ""))


def test_a_conflict_wins_over_every_role() -> None:
    for role in ("area-chair", "senior-chair", "author", "program-chair", "reviewer"):
        right = {"person": "ada", "role": role, "paper": "p1", "review": "r1"}
        for conflict in ({"role": "conflict"}, {"role": role, "conflict": True}):
            of_version = {"person": "ada", "paper": "p1@v2", "review": "r1", **conflict}
            barred = made(right, of_version)

            assert made(right).may_see("ada", paper_id="p1", review_id="r1")
            assert not barred.may_see("ada", paper_id="p1", review_id="r1")
            assert not barred.may_see("ada", paper_id="p1@v3", review_id="r1")
            assert barred.pages_of("ada") == ()


@pytest.mark.parametrize("spelled", ["P1", "p1 ", "p1\u200b", "\uff501", "p1@V2", "\ufeffp1"])
def test_a_conflict_holds_however_its_paper_is_spelled(spelled: str) -> None:
    chair = {"person": "ada", "role": "program-chair"}
    found = made(chair, {"person": "ada", "role": "conflict", "paper": spelled})

    assert not found.may_see("ada", paper_id="p1")
    assert found.may_see("ada", paper_id="p11")
    assert not found.conflicts_beside(["p1"])


def test_a_conflict_with_a_paper_that_nobody_knows_is_named() -> None:
    chair = {"person": "ada", "role": "program-chair"}
    found = made(chair, {"person": "ada", "role": "conflict", "paper": "p-1"})

    assert found.conflicts_beside(["p1", "p2"]) == ("p-1",)


def test_an_author_sees_of_their_paper_what_authors_do_whatever_else_they_are() -> None:
    own = {"person": "ada", "role": "author", "paper": "p1"}
    found = made(
        own,
        {"person": "ada", "role": "program-chair"},
        {"person": "ada", "role": "area-chair", "paper": "p1@v2"},
        {"person": "ada", "role": "reviewer", "review": "r1"},
    )

    assert found.may_see("ada", paper_id="p1", role=VenueRole.AUTHOR)
    assert found.may_see("ada", paper_id="p2", role=VenueRole.PROGRAM_CHAIR)
    for role in (VenueRole.PROGRAM_CHAIR, VenueRole.AREA_CHAIR, VenueRole.REVIEWER):
        assert not found.may_see("ada", paper_id="p1@v2", review_id="r1", role=role)


def test_a_reviewer_sees_the_own_review_and_no_page_of_the_paper() -> None:
    found = made({"person": "ada", "role": "reviewer", "paper": "p1", "review": "r1"})

    assert found.may_see("ada", paper_id="p1@v2", review_id="r1")
    assert not found.may_see("ada", paper_id="p1")
    assert not found.may_see("ada", paper_id="p1", review_id="r2")
    assert not found.may_see("ada", paper_id="p9", review_id="r1")  # the row says another paper


def test_versions_of_a_paper_are_one_paper_and_longer_names_are_others() -> None:
    found = made({"person": "ada", "role": "area-chair", "paper": "p1@v2"})

    assert found.may_see("ada", paper_id="p1")
    assert found.may_see("ada", paper_id="p1@v3")
    for other in ("p11", "p1@v", "p1@v2x", "P1", "p1 ", "p1@v2@v", ""):
        assert not found.may_see("ada", paper_id=other)


def test_200_requests_of_forged_names_see_nothing() -> None:
    found = made(*ROWS)
    draw = random.Random(34)
    forged = ["", " ", "Chair", "CHAIR", "chair ", "ch\u0430ir", "../chair", "chair/..", "chair\0",
              folder_of("chair"), "/chair", "*", "None"]  # fmt: skip
    forged += ["".join(draw.choices("chair./\\ \u200b", k=5)) for _ in range(200)]

    for person in set(forged) - {"chair"}:
        for role in (None, *VenueRole):
            assert not found.may_see(person, paper_id="p1", review_id="r1", role=role)
            assert found.pages_of(person, role) == ()


def test_folders_of_people_differ_on_systems_that_know_no_case() -> None:
    names = ["ada", "Ada", "ADA", "a.da", "a-da", "a_da", "con", "CON", "ada."]

    folders = [folder_of(name) for name in names]

    assert len({folder.lower() for folder in folders}) == len(names)
    assert all(folder == Path(folder).name and not folder.startswith(".") for folder in folders)


def test_a_column_of_numbers_with_gaps_holds_names(tmp_path: Path) -> None:
    file = tmp_path / "assignments.parquet"
    people, papers = [7, 7, 8], [123.0, None, 9.0]
    roles = ["Area Chair", "program_chair", "conflict"]
    pd.DataFrame({"person": people, "role": roles, "paper": papers}).to_parquet(file)

    found = read_assignments(file)

    assert found.may_see("7", paper_id="123", role=VenueRole.AREA_CHAIR)
    assert found.may_see("7", paper_id="9", role=VenueRole.PROGRAM_CHAIR)
    assert not found.may_see("8", paper_id="9")
