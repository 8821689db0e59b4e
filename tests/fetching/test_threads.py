"""Threads of 15 venues in both APIs: kinds, scores, roles, who answered whom, and the decision."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.schema.review import Role
from reviewscore.sources.openreview.forms import FORMS, ScoreScale, form_of, read_score, year_of
from reviewscore.sources.openreview.notes import NoteKind, kind_of, read_note, unwrapped
from reviewscore.sources.openreview.threads import Thread, body, thread
from tests.fetching.server import load, threads


def submission(name: str) -> dict[str, Any]:
    found: dict[str, Any] = load(f"{name}_thread")["submission"]
    return found


def read(record: dict[str, Any]) -> Thread:
    return thread(read_note(record))


@pytest.mark.parametrize("name", threads())
def test_every_thread_is_read_as_its_expected_record_says(name: str) -> None:
    found = read(load(name)["submission"])

    assert {
        "api": found.submission.api,
        "kinds": {kind.value: count for kind, count in found.kinds.items()},
        "reviews": [
            {
                "id": one.note.note_id,
                "reviewer": one.reviewer,
                "rating": one.rating and one.rating.value,
                "confidence": one.confidence and one.confidence.value,
                "roles": {role.value: list(names) for role, names in one.roles.items()},
                "responses": [each.note_id for each in one.responses],
            }
            for one in found.reviews
        ],
        "decision": found.decision,
    } == load("expected")[name]
    assert found.warnings == ()


def test_no_note_says_who_a_person_is() -> None:
    found = read(submission("v1_iclr2017"))

    assert "Writer" not in repr(found.reviews[0].responses[0].signatures)
    assert found.reviews[0].responses[0].by_person
    assert found.submission.signatures == ()


def test_an_answer_to_an_answer_belongs_to_the_review_at_its_head() -> None:
    record = submission("v2_iclr2024")
    replies = record["details"]["replies"]
    answer = next(one for one in replies if one["id"] == "Com24")
    replies.append({**copy.deepcopy(answer), "id": "Deep", "replyto": "Com24"})
    replies.append({**copy.deepcopy(answer), "id": "Round", "replyto": "Round"})

    found = read(record)

    assert [one.note_id for one in found.reviews[0].responses] == ["Com24", "Deep"]
    assert [one.note_id for one in found.general] == ["Round"]


def test_deleted_notes_and_notes_of_other_forums_do_not_count() -> None:
    record = submission("v2_iclr2024")
    replies = record["details"]["replies"]
    replies[0]["ddate"] = 1600000000000
    replies.append({**copy.deepcopy(replies[1]), "id": "x", "forum": "Other"})

    found = read(record)

    assert found.reviews == ()
    assert any("forum 'Other'" in one for one in found.warnings)


def test_a_deleted_submission_is_refused() -> None:
    with pytest.raises(InputError, match="was deleted"):
        read({**submission("v2_iclr2024"), "ddate": 1})


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": None}, "id"),
        ({"invitations": []}, "invitations"),
        ({"invitations": None}, "invitations"),
        ({"content": None}, "content"),
        ({"content": []}, "content"),
    ],
)
def test_a_note_without_what_it_needs_is_named(change: dict[str, object], field: str) -> None:
    with pytest.raises(InputError) as raised:
        read_note({**submission("v2_iclr2024"), **change})

    assert raised.value.field == field


def test_a_bad_reply_is_left_out_and_told() -> None:
    record = submission("v2_iclr2024")
    record["details"]["replies"].append({"id": "Bad", "content": 7})

    found = read(record)

    assert len(found.reviews) == 1
    assert any("a note is left out" in one for one in found.warnings)


def test_null_fields_wrong_types_and_values_without_a_wrapper_do_no_harm() -> None:
    assert unwrapped({"a": {"value": None}, "b": None, "c": {"readers": ["x"]}, "d": "plain"}) == {
        "d": "plain"
    }
    record = submission("v2_iclr2024")
    record["details"]["replies"][0]["content"] |= {"rating": None, "strengths": {"value": 3}}
    record |= {"signatures": None, "cdate": "soon", "number": "12"}

    found = read(record)

    assert found.reviews[0].rating is None
    assert Role.STRENGTHS not in found.reviews[0].roles
    assert found.submission.created is not None
    assert found.submission.number is None


def test_a_form_that_is_not_known_is_read_by_names_with_a_warning_and_loses_nothing() -> None:
    record = submission("v2_iclr2024")
    record["invitations"] = ["New.cc/2031/Conference/-/Submission"]
    record["details"]["replies"][0]["content"]["star_sign"] = {"value": "Leo is the best sign."}
    known = submission("v2_iclr2024")
    known["details"]["replies"][0]["content"]["big_issues"] = {"value": "It does not hold."}

    found, other = read(record), read(known)

    assert found.reviews[0].roles[Role.WEAKNESSES] == ("weaknesses",)
    assert found.reviews[0].fields["star_sign"] == "Leo is the best sign."
    assert found.reviews[0].rating is not None
    assert found.reviews[0].rating.value == 6.0
    assert any("no form is known for New.cc/2031/Conference" in one for one in found.warnings)
    assert any("boxes that are not known: big_issues" in one for one in other.warnings)
    assert "big_issues" in other.reviews[0].fields


def test_a_score_off_the_scale_is_told() -> None:
    record = submission("v2_iclr2025")
    record["details"]["replies"][0]["content"]["rating"] = {"value": 4}

    assert any("'4' is not on the form's scale" in one for one in read(record).warnings)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (8, 8.0),
        (2.5, 2.5),
        ("8", 8.0),
        ("10: Top 5 % of accepted papers", 10.0),
        ("3 good", 3.0),
        ("3.5 = Between 3 and 4", 3.5),
        ("-1: no", -1.0),
        ("Not applicable", None),
        ("3rd", None),
        ("1.2.3", None),
    ],
)
def test_scores_are_read_whole(raw: object, value: float | None) -> None:
    found = read_score(raw, None)

    assert found is not None
    assert found.value == value
    assert found.raw == str(raw)


@pytest.mark.parametrize("raw", [None, True, ""])
def test_no_score_is_none(raw: object) -> None:
    assert read_score(raw, None) is None


@given(st.text(max_size=40))
def test_any_text_is_a_score_or_none_of_the_scale(raw: str) -> None:
    found = read_score(raw, ScoreScale.between(1, 10))

    assert found is None or found.allowed == (found.value in (None, *range(1, 11)))


@given(
    st.dictionaries(
        st.sampled_from(("id", "forum", "replyto", "invitations", "content", "signatures", "cdate",
                         "details", "ddate", "number")),
        st.none() | st.booleans() | st.integers() | st.text(max_size=8)
        | st.lists(st.text(max_size=8) | st.none(), max_size=3)
        | st.dictionaries(st.text(max_size=5), st.none() | st.text(max_size=5), max_size=3),
    )
)  # fmt: skip
def test_any_object_is_a_note_or_a_named_error(record: dict[str, object]) -> None:
    try:
        note = read_note(record)
    except InputError:
        return
    assert note.tail == note.tail.lower()
    assert kind_of(note) in NoteKind


def test_every_venue_and_year_has_at_most_one_form() -> None:
    names = [
        ("ICLR.cc/2017/conference", "ICLR 2017"),
        ("ICLR.cc/2023/Conference", "ICLR 2022-2023"),
        ("ICLR.cc/2026/Conference", "ICLR 2026"),
        ("NeurIPS.cc/2021/Track/Datasets_and_Benchmarks/Round1", "NeurIPS 2021-2022"),
        ("NeurIPS.cc/2025/Conference", "NeurIPS 2025"),
        ("TMLR", "TMLR"),
        ("aclweb.org/ACL/ARR/2025/February", "ARR"),
        ("colmweb.org/COLM/2024/Conference", "COLM 2024-2025"),
    ]

    for venue, name in names:
        form = form_of(venue)
        assert form is not None
        assert form.name == name
    assert form_of("ICLR.cc/2013/conference") is None
    assert year_of("TMLR") is None
    spans = [(one.venue.pattern, one.years) for one in FORMS]
    assert len(set(spans)) == len(spans)


def test_the_words_of_answers_and_chairs_are_found() -> None:
    found = read(submission("v2_icml2025"))

    assert body(found.reviews[0].responses[0]) == "It does not see the label."
    chairs = read(submission("v1_iclr2019")).meta_reviews
    assert body(chairs[0])
