"""A folder of runs from a stranger gives no rights and leads to nothing outside of it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from reviewscore.files import hash_file
from reviewscore.pages.access_keys import AccessKey
from reviewscore.pages.point_card import anchor_of
from reviewscore.runs.folder import VIEW_INDEX, read_points
from reviewscore.runs.paper_offsets import OFFSETS, PaperOffsets
from reviewscore.view.audit_jobs import AuditOrder, SentFile
from reviewscore.view.people import INVITATIONS
from reviewscore.view.run_index import RunIndex
from tests.report.synthetic import manifest, many_points, model_points, write_run
from tests.view import owned_app
from tests.view.opened import opened

SECRET = "The words of a paper that nobody sent"
ENDLESS = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT"
SCHEMES = {
    "a trigger": [
        f"CREATE TRIGGER t AFTER INSERT ON seen BEGIN INSERT INTO meta SELECT 'x', max(x) FROM "
        f"({ENDLESS} x FROM c); END"
    ],
    "a view": [
        "ALTER TABLE meta RENAME TO other",
        f"CREATE VIEW meta AS {ENDLESS} name, value FROM other, c",
    ],
}


@pytest.mark.parametrize("name", ["owner", "AC7"])
def test_an_invitation_that_lay_in_the_folder_makes_nobody_the_owner(
    tmp_path: Path, name: str
) -> None:
    write_run(tmp_path / "runs" / "run", model_points())
    digest = hashlib.sha256(b"a-key-of-a-stranger").hexdigest()
    key = AccessKey(name=name, sha256=digest, at="2031-02-03T04:05:06Z")
    (tmp_path / "runs" / INVITATIONS).write_text(key.model_dump_json() + "\n", "utf-8")

    with opened(tmp_path / "runs") as app:
        app.view.people.name = "AC7"
        assert app.browser().get("/enter/a-key-of-a-stranger").status_code == 403


@pytest.mark.parametrize("scheme", SCHEMES)
def test_statements_in_a_prepared_table_are_never_run(tmp_path: Path, scheme: str) -> None:
    run = write_run(tmp_path / "run", model_points())
    index = RunIndex(run)
    index.read()
    index.close()
    with sqlite3.connect(run / VIEW_INDEX) as base:
        for statement in SCHEMES[scheme]:
            base.execute(statement)
    base.close()

    index = RunIndex(run)
    index.read()
    index.mark_seen(["none"])

    assert index.totals().points == len(model_points())
    index.close()


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM meta WHERE name = 'file'", "UPDATE meta SET value = 'x' WHERE name = 'read'"],
)
def test_points_of_a_prepared_table_are_entered_anew(tmp_path: Path, change: str) -> None:
    run = write_run(tmp_path / "run", model_points())
    index = RunIndex(run)
    index.read()
    index.close()
    with sqlite3.connect(run / VIEW_INDEX) as base:
        base.execute(change)
        base.execute("UPDATE papers SET title = 'forged', points = 'many'")
    base.close()

    index = RunIndex(run)
    index.read()

    assert index.totals().points == len(model_points())
    assert {line.title for line in index.of_paper(index.paper_ids()[0])} == {""}
    index.close()


@pytest.mark.parametrize("how", ["pair", "folder", "note"])
def test_a_run_without_sums_names_no_file_of_this_machine(tmp_path: Path, how: str) -> None:
    points = [one.model_copy(update={"paper_id": "paper"}) for one in model_points()]
    data = tmp_path / "data"
    data.mkdir()
    paper, review = data / "papers.jsonl", data / "reviews.jsonl"
    record = {"paper_id": "paper", "title": "", "text": SECRET}
    paper.write_text(json.dumps(record) + "\n", "utf-8")
    review.write_text('{"review_id": "r", "paper_id": "paper", "text": "x"}\n', "utf-8")
    (data / "paper.txt").write_text(SECRET, "utf-8")
    (data / "r.txt").write_text("x", "utf-8")
    named: dict[str, object] = {"inputs": ()}
    if how == "pair":
        named["pair"] = [str(data / "paper.txt"), str(data / "r.txt")]
    if how == "folder":
        named["data"] = str(data)
    if how == "note":
        named = {}
    run = write_run(tmp_path / "runs" / "run", points, made=manifest(**named))  # type: ignore[arg-type]
    note = PaperOffsets(data=str(data), states={}, points={}, papers={"paper": (1, 0)})
    if how == "note":
        (run / OFFSETS).write_text(note.model_dump_json(), "utf-8")

    with opened(tmp_path / "runs") as app:
        owner = app.enter()
        pages = [owner.get(f"{app.run()}/{kind}/paper").text for kind in ("paper", "pane")]
        assert SECRET not in "".join(pages)
        known = (hash_file(paper), hash_file(review))
    write_run(tmp_path / "more" / "run", points, made=manifest(data=str(data), inputs=known))
    with opened(tmp_path / "more") as app:
        assert SECRET in app.enter().get(f"{app.run()}/pane/paper").text


def order(app: owned_app.App, **changes: object) -> Path:
    """A folder of an audit as a stranger prepares it."""
    folder = app.folder / "job"
    (folder / "data" / ".waiting").mkdir(parents=True)
    values: dict[str, object] = {
        "papers": (SentFile(name="p", place="p.txt"),),
        "reviews": (SentFile(name="r", place="p/r.txt"),),
        "model": "lexical",
    }
    made = AuditOrder.model_construct(**(values | changes))  # type: ignore[arg-type]
    (folder / "audit.json").write_text(made.model_dump_json(by_alias=True), "utf-8")
    return folder


@pytest.mark.parametrize(
    "place", ["../../../../kept.txt", "/kept.txt", ".hidden", "a/../b", "a\nb"]
)
def test_an_order_that_names_other_files_is_none(
    app: owned_app.App, tmp_path: Path, place: str
) -> None:
    (tmp_path / "kept.txt").write_text("kept", "utf-8")
    where = place.replace("/kept", f"{tmp_path}/kept") if place[0] == "/" else place
    order(app, reviews=(SentFile.model_construct(name="r", place="", waiting=where),))

    for act in ("sort", "estimate", "start"):
        assert app.post("/new/job", act=act, **{"paper-0": "none"}).status_code == 507

    assert (tmp_path / "kept.txt").read_text("utf-8") == "kept"


@pytest.mark.parametrize("link", ["data/p.txt", "estimate.txt", "estimate.log", "run"])
def test_an_order_with_links_is_not_begun(app: owned_app.App, tmp_path: Path, link: str) -> None:
    (tmp_path / "kept").write_text(SECRET, "utf-8")
    (order(app) / link).symlink_to(tmp_path / "kept")

    assert app.post("/new/job", act="estimate").status_code == 507
    assert (tmp_path / "kept").read_text("utf-8") == SECRET
    assert SECRET not in app.client.get("/new/job").text


def test_a_prepared_order_asks_for_a_word_before_its_server_reads_anything(
    app: owned_app.App,
) -> None:
    server = "http://papers.example.org/v1"
    order(app, model="openai/model", base_url=server, may_leave=True)

    page = app.client.get("/new/job").text
    app.post("/new/job", act="estimate")

    assert server in page
    assert 'name="confirmed"' in page
    assert app.view.jobs.get("job").state is None
    assert app.view.jobs.get("job").asks


def test_the_next_point_tells_nothing_of_a_paper_that_is_not_theirs(tmp_path: Path) -> None:
    run = write_run(tmp_path / "runs" / "run", many_points(4, 12))
    with opened(tmp_path / "runs", "AC1,area-chair,p1\n") as app:
        guest, query = app.enter("AC1"), f"{app.run()}/next?list=points"
        places = {
            guest.get(f"{query}&paper={one.paper_id}&point={anchor_of(one.point_id)}",
                      follow_redirects=False).headers["location"]
            for one in read_points(run) if one.paper_id != "p1"
        }  # fmt: skip
        assert places == {guest.get(query, follow_redirects=False).headers["location"]}
