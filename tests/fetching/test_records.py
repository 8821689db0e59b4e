"""What is written of a thread: nobody's name, honest versions, all words of authors and chairs."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from reviewscore.focus import references
from reviewscore.sources.collection import read_collection
from reviewscore.sources.openreview.forms import FORMS, form_of
from reviewscore.sources.openreview.notes import nameless, read_note
from reviewscore.sources.openreview.thread_store import scrubbed
from reviewscore.sources.openreview.threads import (
    Forums,
    metareview_record,
    paper_record,
    review_record,
)
from reviewscore.sources.section_roles import POINT_ROLES, field_role
from tests.commands import Invoke, invoker
from tests.fetching.server import Replay, load
from tests.fetching.test_fetch import lines
from tests.fetching.test_threads import read, submission


def reply(record: dict[str, Any], number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = record["details"]["replies"][number]
    return found


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Thanks, ~Jane_van_Doe12!", "Thanks, ~!"),
        ("~José_García1 and ~jane_doe2", "~ and ~"),
        ("see Fig.~3 and ~x_1, ~100 words, a~b_c", "see Fig.~3 and ~x_1, ~100 words, a~b_c"),
        ("jane@example.org", ""),
        ("mAP@0.5 is 3", "mAP@0.5 is 3"),
        (["~Jane_Doe1", 3], ["~", 3]),
        ({"to": "~Jane_Doe1"}, {"to": "~"}),
    ],
)
def test_no_profile_and_no_address_is_left_in_a_field(text: object, kept: object) -> None:
    assert nameless(text) == kept


def test_a_long_text_without_an_end_is_searched_in_no_time() -> None:
    assert nameless("~a" + "_1" * 200_000) == "~a" + "_1" * 200_000


@pytest.mark.parametrize("name", ["V/Paper1/~Jane_Doe1", "~Jane_Doe1", "jane@example.org"])
def test_whoever_signs_with_a_name_is_not_named_by_any_way_in(name: str) -> None:
    record = submission("v2_iclr2024")
    reply(record)["signatures"] = [name]

    for one in (record, scrubbed(record)):
        found = read(one)
        assert found.reviews[0].reviewer is None
        assert found.reviews[0].note.by_person
    assert name not in json.dumps(scrubbed(record))


def test_what_a_submission_says_of_its_authors_is_not_kept() -> None:
    record = submission("v2_iclr2024")
    record["content"] |= {
        "corresponding_author": {"value": "Jane Doe"},
        "contact_email": {"value": "x"},
        "reviewer_nomination": {"value": "~Jane_Doe1"},
    }
    reply(record)["content"]["questions_for_authors"] = {"value": "Why?"}

    kept = json.dumps(scrubbed(record))

    assert "Jane" not in kept
    assert "contact_email" not in kept
    assert "Why?" in kept


def test_a_box_for_authors_without_text_is_not_lost() -> None:
    record = submission("v2_iclr2024")
    reply(record)["content"]["questions_for_authors"] = {"value": ["a", "b"]}
    found = read(record)

    assert review_record(found, found.reviews[0])["extra"]["questions_for_authors"] == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "version", "modified"),
    [
        ({"cdate": 1600000000000, "mdate": 1600000000000}, "only", None),
        ({"cdate": 1600000000000, "mdate": 1600000060000}, "latest", "2020-09-13T12:27:40+00:00"),
        ({"cdate": 1600000060000, "mdate": 1600000000000}, "only", None),
        ({"cdate": None, "mdate": None, "tcdate": None, "tmdate": None}, "latest", None),
    ],
)
def test_a_review_is_called_the_only_version_where_its_times_say_so(
    change: dict[str, object], version: str, modified: str | None
) -> None:
    record = submission("v2_iclr2024")
    first = reply(record)
    first |= {"invitations": first["invitations"][:1], **change}
    found = read(record)

    written = review_record(found, found.reviews[0])

    assert (written["version"], written.get("modified")) == (version, modified)


def test_words_of_chairs_are_found_in_the_decision_where_there_is_no_meta_review() -> None:
    record = metareview_record(read(submission("v1_iclr2023")))

    assert record is not None
    assert record["meta_review"]
    assert record["decision"]


def test_several_meta_reviews_of_a_paper_make_one_record() -> None:
    record = submission("v1_iclr2019")
    chair = next(one for one in record["details"]["replies"] if "Meta_Review" in one["invitation"])
    record["details"]["replies"].append({**copy.deepcopy(chair), "id": "Second"})
    words = chair["content"]["metareview"]

    written = metareview_record(read(record))

    assert written is not None
    assert written["meta_review"] == f"{words}\n\n{words}"


def test_an_answer_to_all_reviewers_is_kept_with_the_paper() -> None:
    record = submission("v2_iclr2024")
    answer = next(one for one in record["details"]["replies"] if one["id"] == "Com24")
    record["details"]["replies"].append(
        {**copy.deepcopy(answer), "id": "All", "replyto": record["id"]}
    )

    written = paper_record(read(record), None)

    assert written["general_response"] == answer["content"]["comment"]["value"]


@pytest.mark.parametrize(
    ("content", "area"),
    [
        ({"primary_area": "graphs"}, "graphs"),
        ({"subject_areas": ["speech", "theory"]}, "speech"),
        ({"keywords": ["graphs"]}, None),
        ({"primary_area": " "}, None),
    ],
)
def test_the_area_that_authors_chose_is_kept_and_keywords_are_none(
    content: dict[str, object], area: str | None
) -> None:
    record = submission("v2_iclr2024")
    held = {name: one for name, one in record["content"].items() if "area" not in name.lower()}
    record["content"] = {**held, **{name: {"value": one} for name, one in content.items()}}

    assert paper_record(read(record), None).get("area") == area


def test_a_journals_paper_is_of_the_year_in_which_it_was_submitted() -> None:
    assert paper_record(read(submission("v2_tmlr")), None)["year"] == 2020


def test_of_two_copies_of_a_note_the_one_changed_last_is_read() -> None:
    record = submission("v2_iclr2024")
    newer, older = reply(record), copy.deepcopy(reply(record))
    newer["mdate"] = older["mdate"] + 1000
    older["content"]["rating"] = {"value": "1: old"}
    forums = Forums()
    forums.add(record)
    forums.add(older)
    forums.add({**record, "mdate": 1, "content": {}})

    (found,) = forums.threads()

    assert found.reviews[0].rating is not None
    assert found.reviews[0].rating.value == 6.0
    assert found.submission.text("title")


def test_workshops_have_no_form_of_their_conference() -> None:
    names = ("ICLR.cc/2024/Workshop/Agents", "NeurIPS.cc/2023/Workshop/X", "EMNLP/2023/Workshop/Y",
             "ICML.cc/2025/Position_Paper_Track")  # fmt: skip

    assert [form_of(name) for name in names] == [None] * 4
    assert form_of("NeurIPS.cc/2022/Track/Datasets_and_Benchmarks") is not None


@pytest.mark.parametrize(
    ("box", "raw", "value"),
    [("recommendation", "8: accept", 8.0), ("overall_assessment", 3.5, 3.5)],
)
def test_the_score_of_a_form_that_is_not_known_is_found_under_its_usual_names(
    box: str, raw: object, value: float
) -> None:
    record = submission("v2_iclr2024")
    record["invitations"] = ["New.cc/2031/Conference/-/Submission"]
    content = reply(record)["content"]
    del content["rating"]
    content |= {box: {"value": raw}, "reviewer_confidence": content.pop("confidence")}

    found = read(record).reviews[0]

    assert found.rating is not None
    assert found.rating.value == value
    assert found.confidence is not None
    assert box not in found.fields


BOXES = [(form, name) for form in FORMS for name in form.roles]


@pytest.mark.parametrize(
    ("form", "name"), BOXES, ids=[f"{form.name} {name}" for form, name in BOXES]
)
def test_the_audit_finds_points_in_the_boxes_that_the_form_has_for_them(
    form: Any, name: str
) -> None:
    role = form.roles[name]

    assert (role in POINT_ROLES) == (field_role(name) in POINT_ROLES)
    assert role is field_role(name) or {role, field_role(name)} <= POINT_ROLES


def test_no_score_of_a_form_is_written_as_a_box() -> None:
    for form in FORMS:
        scores = {form.rating, form.confidence, *form.scores} - {None}
        assert not any(form.is_text(str(name)) for name in scores), form.name
        assert not scores & set(form.roles), form.name


def test_references_are_made_from_a_fetched_folder_as_it_is(
    openreview: Replay, fetch: Invoke, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    fetch("Sub19", "-o", tmp_path / "data", "--no-pdfs")

    ended = invoker("focus", capsys)(
        "references", tmp_path / "data", "-o", tmp_path / "out", "--model", "openai/gpt-4o",
        "--dry-run",
    )  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    assert f"{references.EXTRACT} 1" in ended.stdout


def test_what_was_left_out_is_counted_in_the_account(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    record = load("v2_iclr2025_thread")["submission"]
    openreview.extra = [{**record, "id": "Gone", "forum": "Gone", "ddate": 1}]

    fetch("ICLR.cc/2025/Conference", "-o", tmp_path / "data")

    account = json.loads((tmp_path / "data" / "fetch.json").read_text())
    assert account["warnings"] == {"left out: submission 'Gone' was deleted": 1}
    assert len(read_collection(tmp_path / "data").papers) == len(
        lines(tmp_path / "data" / "papers.jsonl")
    )
    assert read_note(record).signatures == ("Authors",)
