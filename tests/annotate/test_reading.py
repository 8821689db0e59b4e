"""Whole reviews beside their papers, and what annotators say that remarks take for granted."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from reviewscore.annotate.app import build_app
from reviewscore.annotate.export import export
from reviewscore.annotate.label_session import RefusedError
from reviewscore.annotate.label_store import LabelEntry
from reviewscore.annotate.material import read_material
from reviewscore.annotate.reading import shown_review
from reviewscore.annotate.rules import stated_of, stated_text
from reviewscore.annotate.statements import UnfitError, stated_by
from reviewscore.annotate.workspace import Workspace, open_workspace
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.schema.annotation import LabelField
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.presupposition import LabelledPresupposition, Supplies
from reviewscore.schema.review import Occurrence
from reviewscore.schema.span import Span
from reviewscore.sources.annotations import read_annotations
from tests.agreement.marked import CONCERNS, reviews, write_reviews
from tests.annotate.invented import TYPE, give, make_workspace
from tests.annotate.test_app import HOST, found

KIND, STANDING = LabelField.KIND, LabelField.STANDING
STATED = LabelField.PRESUPPOSITIONS
PAPER = build_paper(
    PaperRow(paper_id="p", text="We use a gate.\n\nThe rate was\n0.003. Five seeds were run.")
)
FORM = {
    "was": "", "statement": "The rate is not given.", "true": "1", "supplies": "fully",
    "central": "yes", "passages": "The rate was 0.003 for all harbours.",
}  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    data = write_reviews(tmp_path / "data", reviews(2))
    made = open_workspace("tides", tmp_path / "set", read_material(data), annotators=("A1", "A2"))
    yield made
    made.store.close()


@pytest.fixture
def client(workspace: Workspace) -> Iterator[TestClient]:
    with TestClient(build_app(workspace), base_url=HOST) as made:
        made.headers["origin"] = HOST
        made.get(f"/enter/{workspace.token('A1')}")
        workspace.store.introduce("A1", 3)
        workspace.store.relate("A1", "tides0", 4)
        yield made


def points_of(workspace: Workspace, review: str = "tides0-r1") -> list[str]:
    shown = shown_review(workspace, "A1", review)
    assert shown is not None
    return [place.point.point_id for place in shown.points]


def judged(workspace: Workspace, point: str, kind: str = "criticism") -> None:
    """Type and kind, after which score, standing and presuppositions are asked for."""
    give(workspace, "A1", point, TYPE, "claim")
    give(workspace, "A1", point, KIND, kind)


def send(client: TestClient, point: str, **fields: str) -> tuple[int, str]:
    """The form of a presupposition, as the newest page sends it."""
    page = client.get(f"/by/A1/point/{quote(point, safe='')}").text
    data = {"csrf": found(page, "csrf"), "version": found(page, "version"), **FORM, **fields}
    address = f"/by/A1/state/{quote(point, safe='')}"
    reply = client.post(address, data=data, headers={"x-part": "1"})
    return reply.status_code, reply.text


def saved(workspace: Workspace, point: str) -> list[LabelledPresupposition]:
    entry = workspace.store.page("A1", point).labels.get((point, STATED))
    return list(stated_of(None if entry is None else entry.value))


def test_points_are_marked_in_their_place_in_the_review(workspace: Workspace) -> None:
    shown = shown_review(workspace, "A1", "tides0-r1")

    assert shown is not None
    assert (shown.number, shown.count, shown.before, shown.after) == (1, 4, None, "tides0-r2")
    text = reviews(2)["tides0-r1"].fields
    assert {name: "".join(one.text for one in parts) for name, parts in shown.fields} == text
    marked = [one.text for _, parts in shown.fields for one in parts if one.number is not None]
    assert [CONCERNS[0] in marked[0], marked[1]] == [True, CONCERNS[2]]
    assert [place.number for place in shown.points] == [1, 2]
    last = shown_review(workspace, "A1", "tides1-r2")
    assert last is not None
    assert (last.number, last.before, last.after) == (4, "tides1-r1", None)
    assert shown_review(workspace, "A1", "another") is None


def test_where_a_review_repeats_a_point_is_marked_with_its_number(workspace: Workspace) -> None:
    (first, _) = points_of(workspace)
    points = dict(workspace.material.points)
    again = Occurrence(section="weaknesses", text="Thanks!",
                       span=Span(field="weaknesses", start=47, end=54))  # fmt: skip
    points[first] = replace(points[first], occurrences=(again,))
    text = reviews(2)["tides0-r1"].fields["weaknesses"]
    assert text[47:54] == "Thanks!"

    repeating = replace(workspace, material=replace(workspace.material, points=points))
    shown = shown_review(repeating, "A1", "tides0-r1")

    assert shown is not None
    marked = [(one.number, one.text) for one in shown.fields[0][1] if one.number is not None]
    assert [number for number, _ in marked] == [1, 1]
    assert marked[1] == (1, "Thanks!")


def test_a_review_is_read_whole_beside_its_paper_and_the_next_one_after_it(
    client: TestClient, workspace: Workspace
) -> None:
    first, second = points_of(workspace)
    give(workspace, "A1", first, TYPE, "claim")
    give(workspace, "A1", first, KIND, "none")

    page = client.get("/by/A1/review/tides0-r1").text

    assert "Review 1 of 4" in page
    assert "The rate was 0.003 for all harbours." in page
    assert page.count('<mark class="spot') == 2
    assert 'aria-label="Point 1, done"' in page
    assert 'aria-label="Point 2, open"' in page
    judge = re.search(r'href="([^"]+)" data-go="j">Judge its points', page)
    assert judge is not None
    assert judge[1].endswith(quote(second, safe=""))
    assert 'href="/by/A1/review/tides0-r2"' in page
    assert "Review before" not in page
    assert 'href="/by/A1/review/tides0-r1"' in client.get("/by/A1").text


def test_by_codebook_2_each_review_is_read_before_its_first_point(
    client: TestClient, workspace: Workspace
) -> None:
    def onward(point: str) -> str:
        page = client.get(f"/by/A1/point/{quote(point, safe='')}").text
        link = re.search(r'href="([^"]+)" data-go="n"', page)
        assert link is not None
        return link[1]

    first, second = points_of(workspace)
    start = client.get("/by/A1").text
    assert 'href="/by/A1/review/tides0-r1" data-go="n"' in start
    for point in (first, second):
        give(workspace, "A1", point, TYPE, "claim")
        assert onward(first).endswith(f"/point/{quote(second, safe='')}")
        give(workspace, "A1", point, KIND, "none")
    assert onward(second) == "/by/A1/review/tides0-r2"
    asked = client.get(f"/by/A1/point/{quote(points_of(workspace, 'tides1-r1')[0], safe='')}")
    form = {"csrf": found(asked.text, "csrf"), "value": "4"}
    address = str(asked.url).replace("/point/", "/near/")
    reply = client.post(address, data=form, follow_redirects=False)
    assert reply.headers["location"] == "/by/A1/review/tides1-r1"


def test_a_point_stands_in_its_whole_review_with_the_others(
    client: TestClient, workspace: Workspace
) -> None:
    first, second = points_of(workspace)

    page = client.get(f"/by/A1/point/{quote(second, safe='')}").text

    assert "Review 1 of 4, its point 2 of 2" in page
    marks = re.findall(
        r'<mark class="spot( here-now)?"><a class="number open" href="([^"]+)"', page
    )
    assert [bool(here) for here, _ in marks] == [False, True]
    assert marks[0][1].endswith(quote(first, safe=""))


def test_reviews_are_shown_to_those_alone_who_read_them(tmp_path: Path) -> None:
    data = write_reviews(tmp_path / "data", reviews(2))
    made = open_workspace("tides", tmp_path / "set", read_material(data),
                          annotators=("A1", "A2"), per_point=1)  # fmt: skip
    with TestClient(build_app(made), base_url=HOST) as client:
        client.get(f"/enter/{made.token('A1')}")
        made.store.introduce("A1", 3)
        asked = client.get("/by/A1/review/tides0-r1")
        other = client.get("/by/A1/review/tides1-r1")

    assert "How near is this paper to you?" in asked.text
    assert other.status_code == 404
    made.store.close()


def test_a_presupposition_is_saved_with_the_place_of_its_passage(
    client: TestClient, workspace: Workspace
) -> None:
    (point, _) = points_of(workspace)
    judged(workspace, point)

    status, page = send(client, point)

    assert status == 200
    assert "1 stated" in page
    (known,) = saved(workspace, point)
    paper = workspace.material.paper("tides0")
    assert paper is not None
    (passage,) = known.passages
    assert paper.text[passage.start : passage.end] == FORM["passages"]
    assert (known.true, known.supplies, known.central) == (1, Supplies.FULLY, True)


def test_presuppositions_are_changed_removed_and_brought_back(
    client: TestClient, workspace: Workspace
) -> None:
    (point, _) = points_of(workspace)
    judged(workspace, point)
    send(client, point)
    send(client, point, statement="There is a second rate.", true="not_visible", central="")
    send(client, point, was=FORM["statement"], true="2", supplies="")
    assert [(one.statement, one.true, one.central) for one in saved(workspace, point)] == [
        (FORM["statement"], 2, True), ("There is a second rate.", "not_visible", False),
    ]  # fmt: skip

    send(client, point, was=FORM["statement"], what="remove")
    assert [one.statement for one in saved(workspace, point)] == ["There is a second rate."]
    session = workspace.session("A1", workspace.material.points[point])
    session.undo(version=workspace.store.page("A1", point).version)
    assert [one.true for one in saved(workspace, point)] == [2, "not_visible"]


def test_a_presupposition_whose_reply_was_lost_is_saved_once(
    client: TestClient, workspace: Workspace
) -> None:
    (point, _) = points_of(workspace)
    judged(workspace, point)
    version = str(workspace.store.page("A1", point).version)

    first, again = (send(client, point, version=version) for _ in range(2))

    assert (first[0], again[0]) == (200, 200)
    assert len(saved(workspace, point)) == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"statement": " "}, "say in a sentence"),
        ({"statement": "x" * 2001}, "at most 2,000 characters"),
        ({"true": ""}, "choose whether it is so"),
        ({"true": "7"}, "choose one of the values"),
        ({"supplies": "maybe"}, "choose one of the values"),
        ({"passages": "No such words stand there."}, "is not in the paper: quote it verbatim"),
    ],
)
def test_what_is_no_presupposition_is_not_saved_and_stays_in_the_form(
    client: TestClient, workspace: Workspace, fields: dict[str, str], told: str
) -> None:
    (point, _) = points_of(workspace)
    judged(workspace, point)

    status, page = send(client, point, **{"statement": "My very own words.", **fields})

    assert status == 422
    assert told in page
    assert fields.get("statement", "My very own words.").strip() in page
    assert saved(workspace, point) == []


def test_a_presupposition_from_a_window_out_of_date_is_kept_in_the_page(
    client: TestClient, workspace: Workspace
) -> None:
    (point, _) = points_of(workspace)
    judged(workspace, point)
    old = str(workspace.store.page("A1", point).version)
    send(client, point)

    status, page = send(client, point, version=old, statement="Words of the other window.")

    assert status == 409
    assert "Words of the other window." in page
    assert "Your words are kept" in page
    assert [one.statement for one in saved(workspace, point)] == [FORM["statement"]]


def test_the_same_is_not_stated_twice_and_not_by_the_form_of_a_scale(
    client: TestClient, workspace: Workspace
) -> None:
    (point, _) = points_of(workspace)
    judged(workspace, point)
    send(client, point)

    status, page = send(client, point, true="4")
    form = {"csrf": found(page, "csrf"), "version": found(page, "version"), "unit": point,
            "field": "presuppositions", "value": "[]"}  # fmt: skip
    reply = client.post(f"/by/A1/label/{quote(point, safe='')}", data=form)

    assert status == 422
    assert "this is stated already" in page
    assert reply.status_code == 422
    assert len(saved(workspace, point)) == 1


def test_hostile_statements_are_shown_as_text(client: TestClient, workspace: Workspace) -> None:
    (point, _) = points_of(workspace)
    judged(workspace, point)

    _, page = send(client, point, statement="</textarea><script>window.ran=1</script>")

    assert "<script>window" not in page
    assert "&lt;script&gt;window.ran=1" in page


def test_without_the_paper_a_passage_is_refused_and_says_why() -> None:
    with pytest.raises(UnfitError, match="started with --data FOLDER"):
        stated_by(FORM, None)
    assert stated_by({**FORM, "passages": ""}, None).passages == ()


def test_a_passage_that_a_line_break_divides_is_found() -> None:
    known = stated_by({**FORM, "passages": "The rate was 0.003.\n\n The rate was 0.003. \n"}, PAPER)

    (passage,) = known.passages
    assert passage.quote == "The rate was\n0.003."


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "statement": st.text(max_size=30),
            "true": st.sampled_from(["", "1", "5", "6", "not_visible", "x", "１"]),
            "supplies": st.sampled_from(["", "fully", "no", "none"]),
            "central": st.sampled_from(["", "yes", "no"]),
            "passages": st.one_of(
                st.text(max_size=40), st.sampled_from(["a gate", "We use\n0.003", "rate was 0.003"])
            ),
        },
    )
)
def test_any_form_is_a_presupposition_with_passages_of_the_paper_or_says_why_not(
    form: dict[str, str],
) -> None:
    try:
        known = stated_by(form, PAPER)
    except UnfitError as error:
        assert str(error)
        return
    assert known.statement
    for passage in known.passages:
        assert PAPER.text[passage.start : passage.end] == passage.quote
        assert sum_of_words(passage.quote) == passage.sha256


def test_presuppositions_survive_a_process_that_is_killed_at_once(tmp_path: Path) -> None:
    write_reviews(tmp_path / "data", reviews(1))
    code = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from tests.annotate.test_reading import *\n"
        "w = open_workspace('t', Path(sys.argv[1]), read_material(Path(sys.argv[2])), "
        "annotators=('A1',))\n"
        "point = points_of(w)[0]\njudged(w, point)\n"
        "give(w, 'A1', point, STATED, stated_text([stated_by(FORM, "
        "w.material.paper('tides0'))]))\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).resolve().parents[2]

    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "set"), str(tmp_path / "data")],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ended.returncode == -9, ended.stderr
    again = open_workspace("t", tmp_path / "set", read_material(tmp_path / "data"))
    (known,) = saved(again, points_of(again)[0])
    assert known.statement == FORM["statement"]
    again.store.close()


@pytest.mark.parametrize("with_text", [False, True])
def test_an_export_holds_kind_standing_and_presuppositions(
    workspace: Workspace, tmp_path: Path, with_text: bool
) -> None:
    first, second = points_of(workspace)
    for point in (first, second):
        judged(workspace, point, "request")
        give(workspace, "A1", point, STANDING, 2)
    stated = stated_by(FORM, workspace.material.paper("tides0"))
    give(workspace, "A1", first, STATED, stated_text([stated]))
    give(workspace, "A1", second, STATED, stated_text([stated]))
    give(workspace, "A1", second, STATED, stated_text([]))  # taken out again

    export(workspace, with_text=with_text)

    labels = read_annotations(tmp_path / "set")
    assert labels.faults == ()
    by_field = {label.field: label for label in labels.labels if label.unit_id == first}
    assert (by_field[KIND].value, by_field[STANDING].value) == ("request", 2)
    (known,) = by_field[STATED].presuppositions
    assert known.passages[0].quote == (FORM["passages"] if with_text else None)
    assert not [one for one in labels.labels if (one.unit_id, one.field) == (second, STATED)]
    assert {label.codebook for label in labels.labels} == {"codebook 2"}
    words = (tmp_path / "set" / "labels.jsonl").read_text("utf-8")
    assert (FORM["passages"] in words) is with_text


def test_a_set_of_the_first_codebook_has_no_form_for_presuppositions(tmp_path: Path) -> None:
    made = make_workspace(tmp_path / "set")
    point = next(iter(made.material.points.values()))

    entry = LabelEntry(stated_text([]))

    with pytest.raises(RefusedError, match="another decision"):
        made.session("A1", point).save((point.point_id, STATED), entry, version=0)
    made.store.close()
