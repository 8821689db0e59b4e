"""What people say of flags: kept at once and for good, shown to whom it may be, counted apart."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import fsspec
import pytest
from starlette.testclient import TestClient

from reviewscore.cli.main import main
from reviewscore.errors import RunFolderError
from reviewscore.pages.point_card import anchor_of
from reviewscore.period.assignments import Assignment, Assignments, VenueRole
from reviewscore.period.deliver import Release
from reviewscore.period.removed_ids import RemovedIds
from reviewscore.period.stop_rule import draw_flags, verdicts_of
from reviewscore.report.html import write_report
from reviewscore.report.role_pages import write_for
from reviewscore.report.roles import Reader as For
from reviewscore.runs.folder import JUDGMENTS, read_points
from reviewscore.runs.judgments import Judgments, read_judgments
from reviewscore.runs.purge import holdings_of
from reviewscore.schema.judgment import FlagJudgment, FlagOpinion, FlagQuestion, PointSampling
from reviewscore.view.blind import BlindDraw, DrawnPoint, blind_figures, draw
from reviewscore.view.judgments import JudgmentStore, new_judgment
from reviewscore.view.remote_runs import RemoteRuns
from tests.view.judging import HERE, JudgedApp, audited, copied, flags_of, shown_panel


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return audited(tmp_path_factory.mktemp("audited") / "run")


@pytest.fixture
def run(example: Path, tmp_path: Path) -> Path:
    return copied(example, tmp_path / "run")


def lines(run: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (run / JUDGMENTS).read_text().splitlines()]


def a_judgment(who: str, point: str, verdict: FlagOpinion, **more: object) -> FlagJudgment:
    values = {"who": who, "point_id": point, "paper_id": "p", "review_id": "r", "verdict": verdict}
    return FlagJudgment.model_validate(values | {"flagged": True} | more)


def test_what_is_said_is_in_the_run_and_on_the_card_before_the_page_answers(run: Path) -> None:
    app, score = JudgedApp(run), flags_of(run)[0]
    owner = app.opened_by()

    answered = owner.say(score, "disagree", "See <b>Section 5</b>.", **{"from": "flags"})

    (kept,) = lines(run)
    assert answered.status_code == 200
    assert (kept["who"], kept["verdict"], kept["note"]) == (
        "owner", "disagree", "See <b>Section 5</b>."
    )  # fmt: skip
    assert (kept["order"], kept["sampling"], kept["saw_verdict"]) == (1, "flags", True)
    assert (kept["flagged"], kept["was"]) == (True, "the paper speaks to this")
    panel = shown_panel(answered.text, score)
    assert 'value="disagree" data-judge="d" aria-pressed="true"' in panel
    assert "<b>Section 5</b>" not in answered.text
    assert app.runs.get(app.key).index.totals().unseen == len(flags_of(run)) - 1


def test_the_last_thing_that_a_person_says_counts_until_it_is_taken_back(run: Path) -> None:
    app, score = JudgedApp(run), flags_of(run)[0]
    owner = app.opened_by()
    for verdict in ("agree", "unsure", "retracted"):
        owner.say(score, verdict)

    found = read_judgments(run)

    assert [one.verdict for one in found.history(score.point_id)] == [
        FlagOpinion.AGREE, FlagOpinion.UNSURE, FlagOpinion.RETRACTED
    ]  # fmt: skip
    assert found.standing(score.point_id) == ()


def test_a_failure_to_save_is_said_and_keeps_what_was_typed(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, score = JudgedApp(run), flags_of(run)[0]
    owner = app.opened_by()

    def full(*_: object) -> None:
        raise RunFolderError("No space left on device")

    monkeypatch.setattr("reviewscore.view.judgments.append_judgment", full)
    page = owner.say(score, "agree", "a long thought")
    fragment = owner.say(score, "agree", "a long thought", fragment="1")

    assert page.status_code == fragment.status_code == 507
    assert "No space left" in fragment.text
    panel = shown_panel(page.text, score)
    assert "No space left" in panel
    assert "a long thought</textarea>" in panel
    assert not (run / JUDGMENTS).exists()


def test_what_was_kept_is_said_to_be_kept_although_the_table_is_held_by_another(run: Path) -> None:
    app, score = JudgedApp(run), flags_of(run)[0]
    owner = app.opened_by()
    index = app.runs.get(app.key).index
    with closing(sqlite3.connect(run / "view.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answered = owner.say(score, "agree")
    unseen = index.totals().unseen

    assert answered.status_code == 200
    assert len(lines(run)) == 1
    owner.get("")
    assert index.totals().unseen == unseen - 1


@pytest.mark.parametrize(
    ("verdict", "note", "status"),
    [("certainly", "", 422), ("misinformed", "", 422), ("agree", "x" * 4001, 507)],
)
def test_only_what_was_asked_is_kept(run: Path, verdict: str, note: str, status: int) -> None:
    app = JudgedApp(run)

    assert app.opened_by().say(flags_of(run)[0], verdict, note).status_code == status
    assert not (run / JUDGMENTS).exists()


def test_people_who_differ_are_listed_with_what_each_says(run: Path) -> None:
    app, (first, second, *_) = JudgedApp(run), flags_of(run)
    owner, other = app.opened_by(), app.opened_by("AC7")
    owner.say(first, "agree")
    other.say(first, "disagree", "it says the opposite")
    owner.say(second, "agree")
    other.say(second, "unsure")

    page = owner.get("/judgments").text

    assert "agreed 1, disagreed 0, unsure 0, people differ on 1" in page
    assert "review of flags" in page
    assert "Points on which people differ (1)" in page
    assert "it says the opposite" in page
    assert "AC7" in shown_panel(owner.get(f"/paper/{first.paper_id}").text, first)


def test_the_sheet_of_judged_flags_is_read_by_the_stop_rule(run: Path, tmp_path: Path) -> None:
    app, flags = JudgedApp(run), flags_of(run)
    owner = app.opened_by()
    for score, verdict in zip(flags, ("agree", "disagree", "unsure"), strict=False):
        owner.say(score, verdict, f"why {verdict}")

    sheet = tmp_path / "judged.csv"
    sheet.write_text(owner.get("/judgments.csv").text)
    assert "right,owner,why agree" in sheet.read_text()

    said = verdicts_of([sheet])
    assert [said[score.point_id]["owner"] for score in flags[:3]] == ["right", "wrong", "unsure"]
    assert draw_flags(read_points(run), 5).of == 0  # the embedded judge flags nothing


def test_of_a_point_that_is_no_flag_it_is_asked_whether_that_is_right(run: Path) -> None:
    plain = next(score for score in read_points(run) if score.finding == "passages")
    owner = JudgedApp(run).opened_by()
    page = owner.get(f"/paper/{plain.paper_id}").text
    assert "Is it right that this is no flag?" in shown_panel(page, plain)

    owner.say(plain, "agree")

    said = owner.get("/judgments").text
    assert "1 point judged by 1 person.</p>" in said
    assert "judgments.csv" not in said  # a sheet of no flags


_CHILD = """
import sys
from pathlib import Path
from reviewscore.schema.judgment import FlagJudgment, FlagOpinion
from reviewscore.view.judgments import JudgmentStore
store = JudgmentStore(Path(sys.argv[1]), Path(sys.argv[1]) / "kept")
number = 0
while True:
    number += 1
    store.add(FlagJudgment(who="child", point_id=f"p{number}", paper_id="p", review_id="r",
                           verdict=FlagOpinion.AGREE, note="x" * 3000))
    print(number, flush=True)
"""


def test_nothing_acknowledged_is_lost_with_twenty_people_and_a_killed_writer(
    tmp_path: Path,
) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline()
    store, acknowledged = JudgmentStore(tmp_path, tmp_path / "kept"), list[str]()

    def person(number: int) -> None:
        for turn in range(10):
            said = a_judgment(f"P{number}", f"point-{turn}", FlagOpinion.UNSURE)
            acknowledged.append(store.add(said).judgment_id)

    people = [threading.Thread(target=person, args=(number,)) for number in range(20)]
    for one in people:
        one.start()
    child.stdout.readline()
    os.kill(child.pid, signal.SIGKILL)
    for one in people:
        one.join()
    told = [int(line) for line in child.stdout.read().split()]
    child.wait()
    child.stdout.close()

    with (tmp_path / JUDGMENTS).open("ab") as file:
        file.write(b'{"schema":"reviewscore.judgment/1","judg')  # a writer killed within a line
    store.add(a_judgment("after", "q", FlagOpinion.AGREE))
    found = Judgments([tmp_path])
    found.read()
    names = {one.judgment_id for one in found.all_standing()}

    assert len(acknowledged) == 200
    assert set(acknowledged) <= names
    assert {f"p{number}" for number in (1, 2, *told)} <= set(found.points())
    assert found.unreadable == 0
    assert len(found.standing("point-3")) == 20
    assert found.standing("q")


def test_a_table_of_points_that_is_made_anew_knows_what_was_looked_at(run: Path) -> None:
    app, score = JudgedApp(run), flags_of(run)[0]
    app.opened_by().say(score, "agree")
    app.runs.close()
    (run / "view.sqlite").unlink()

    totals = JudgedApp(run).runs.get(app.key).index.totals()

    assert totals.unseen == len(flags_of(run)) - 1


def test_a_run_beside_which_nothing_can_be_written_has_its_judgments_elsewhere(
    run: Path, tmp_path: Path
) -> None:
    score, kept = flags_of(run)[0], tmp_path / "kept"
    inside = JudgmentStore(run, kept)
    outside = JudgmentStore(run, kept, mirrored=True)

    inside.add(new_judgment(score, "A1", FlagOpinion.AGREE, ""))
    outside.add(new_judgment(score, "A2", FlagOpinion.DISAGREE, ""))

    assert len(lines(run)) == 1
    inside.said.read()
    assert {one.who for one in inside.said.standing(score.point_id)} == {"A1", "A2"}


def test_runs_of_a_store_are_copied_and_judgments_put_beside_them(
    run: Path, tmp_path: Path
) -> None:
    store = fsspec.filesystem("memory")
    store.rm("/judged", recursive=True) if store.exists("/judged") else None
    for file in ("manifest.json", "points.jsonl", "errors.jsonl"):
        store.pipe_file(f"/judged/run/{file}", (run / file).read_bytes())
    kept, score = tmp_path / "kept", flags_of(run)[0]

    remote = RemoteRuns("memory://judged", tmp_path / "copy", kept)
    copy = tmp_path / "copy" / "run"
    app = JudgedApp(copy, kept=kept)
    app.runs.mirrored = True
    assert app.opened_by().say(score, "agree").status_code == 200
    remote.put()
    other = RemoteRuns("memory://judged", tmp_path / "other", tmp_path / "other-kept")
    other.bring()

    (name,) = [path for path in store.ls("/judged/run", detail=False) if "judgments-" in path]
    assert not (copy / JUDGMENTS).exists()
    assert name.endswith(".jsonl")
    found = read_judgments(tmp_path / "other" / "run")
    assert [one.verdict for one in found.all_standing()] == [FlagOpinion.AGREE]


def test_a_blind_session_tells_no_verdict_and_takes_points_in_the_order_of_the_draw(
    run: Path,
) -> None:
    app = JudgedApp(run, blind=True)
    owner = app.opened_by()
    drawn = draw(run, 1)
    assert {one.flag for one in drawn.points.values()} == {True, False}
    scores = {score.point_id: score for score in read_points(run)}
    told = re.compile(r"class=\"chip|the paper speaks|closest passages|addressed|Why</b>")
    order = []
    for _ in range(4):
        page = owner.get("/next")
        assert told.search(page.text) is None
        points = re.findall(r'name="point" value="([^"]+)"', page.text)
        (point,) = [name for name in points if name not in order]
        order.append(point)
        assert owner.say(scores[point], "agree").status_code == 422
        assert owner.say(scores[point], "misinformed").status_code == 200

    kept = lines(run)
    assert [line["point_id"] for line in kept] == order
    assert {line["sampling"] for line in kept} == {"random"}
    assert {line["saw_verdict"] for line in kept} == {False}
    later = next(name for name in scores if name not in (*order, next_of(app)))
    assert owner.say(scores[later], "misinformed", fragment="1").status_code == 507
    for place in ("/judgments", "/judgments.csv", "/mine", "/live"):
        assert owner.get(place).status_code == 404
    assert "You have judged 4 of" in owner.get("").text


def next_of(app: JudgedApp) -> str:
    opened = app.runs.get(app.key)
    drawn = BlindDraw.model_validate_json((app.run / "blind.json").read_bytes())
    return drawn.next_for(opened.judgments.said, "owner") or ""


def test_only_random_points_judged_without_their_verdicts_give_a_precision() -> None:
    points = {
        name: DrawnPoint(paper_id=f"paper-{name[1]}", flag=name[0] == "f")
        for name in ("f1", "f2", "f3", "o1", "o2", "o3")
    }
    drawn = BlindDraw(seed=1, flags=30, others=300, points=points)
    said = Judgments([])
    blind = {
        "asked": FlagQuestion.MISINFORMED,
        "sampling": PointSampling.RANDOM,
        "saw_verdict": False,
    }
    yes, no = FlagOpinion.MISINFORMED, FlagOpinion.NOT_MISINFORMED
    for who, name, verdict, more in (
        ("A1", "f1", yes, blind),
        ("A1", "f2", no, blind),
        ("A1", "f3", yes, {**blind, "saw_verdict": True}),
        ("A2", "f3", FlagOpinion.AGREE, {}),
        ("A1", "o1", yes, blind),
        ("A1", "o2", no, blind),
        ("A2", "o2", yes, blind),
        ("A1", "o3", no, {**blind, "sampling": PointSampling.SEARCH}),
    ):
        said._add(a_judgment(who, name, verdict, **more))

    figures = blind_figures(drawn, said)

    assert (figures.precision.precision.value, figures.precision.precision.n) == (0.5, 2)
    assert figures.precision.papers == 2
    assert (figures.missed.right, figures.missed.wrong, figures.missed.of) == (1, 0, 300)
    assert figures.missed.differing == ("o2",)
    assert drawn.weight("f1") == 10.0


def rows(*given: tuple[str, VenueRole, str | None, str | None]) -> Assignments:
    return Assignments(
        Assignment(person=person, role=role, paper=paper, review=review)
        for person, role, paper, review in given
    )


def test_a_reviewer_answers_their_own_flags_and_the_answer_stands_on_every_page(
    run: Path, tmp_path: Path
) -> None:
    own, foreign = flags_of(run)[0], next(
        score for score in read_points(run) if score.review_id != flags_of(run)[0].review_id
    )  # fmt: skip
    table = rows(
        ("rev-a", VenueRole.REVIEWER, own.paper_id, own.review_id),
        ("barred", VenueRole.REVIEWER, own.paper_id, own.review_id),
        ("barred", VenueRole.CONFLICT, own.paper_id, None),
        ("ac", VenueRole.AREA_CHAIR, own.paper_id, None),
    )
    app = JudgedApp(run, rights=table)
    reviewer = app.opened_by("rev-a")
    words = 'I meant <script>alert("x")</script> the second table.'

    assert reviewer.answer(own, words).status_code == 200
    assert reviewer.answer(foreign, "not mine").status_code == 404
    assert app.opened_by("barred").answer(own, "barred").status_code == 404
    assert reviewer.get(f"/paper/{own.paper_id}").status_code == 404
    assert reviewer.say(own, "agree").status_code == 404

    (kept,) = lines(run)
    assert (kept["kind"], kept["by"], kept["verdict"]) == ("answer", "reviewer", None)
    card = app.opened_by("ac").get(f"/paper/{own.paper_id}").text
    assert "The reviewer answers on" in shown_panel(card, own)
    listed = app.opened_by("ac").get("/judgments").text
    assert "What reviewers and authors answer (1)" in listed
    assert f"point={anchor_of(own.point_id)}" in listed
    assert "The reviewer answers" not in reviewer.get("/judgments").text
    report = write_report(run, None, None)[0].read_text()
    for_reviewer = write_for(run, For.REVIEWER, out=tmp_path / "r")
    for_authors = write_for(run, For.AUTHOR, out=tmp_path / "a.html")[0].read_text()
    for_chairs = write_for(run, For.META_REVIEWER, out=tmp_path / "m.html")[0].read_text()
    of_review = "".join(path.read_text() for path in for_reviewer if path.suffix == ".html")
    for page in (card, listed, report, for_chairs, of_review):
        assert "The reviewer answers on" in page
        assert "<script>alert" not in page
    assert "The reviewer answers" not in for_authors
    assert "looked at by" not in report  # an answer judges nothing


def test_authors_see_and_answer_what_the_venue_releases_and_nothing_else(run: Path) -> None:
    score = flags_of(run)[0]
    table = rows(("au", VenueRole.AUTHOR, score.paper_id, None))

    before = JudgedApp(run, rights=table).opened_by("au")
    assert "has not released anything" in before.get("/mine").text
    assert before.answer(score, "it is there").status_code == 404

    after = JudgedApp(run, rights=table, released=Release.FLAGS).opened_by("au")
    assert after.answer(score, "it is in Section 4.3").status_code == 200
    assert "it is in Section 4.3" in after.get("/mine").text
    assert after.answer(score, "  ").status_code == 200
    assert not list(read_judgments(run).all_standing())


def test_a_chair_s_report_says_how_many_flags_were_looked_at(run: Path, tmp_path: Path) -> None:
    app, flags = JudgedApp(run), flags_of(run)
    app.opened_by().say(flags[0], "agree")

    report = write_report(run, None, None)[0].read_text()
    for_authors = write_for(run, For.AUTHOR, out=tmp_path / "a.html")[0].read_text()

    assert f"1 of {len(flags)} flags was looked at by 1 person: agreed 1" in report
    assert "looked at by" not in for_authors


def test_withdraw_and_purge_know_what_people_said(run: Path, tmp_path: Path) -> None:
    app, (first, *others) = JudgedApp(run), flags_of(run)
    other = next((one for one in others if one.review_id != first.review_id), None)
    assert other is not None
    owner = app.opened_by()
    owner.say(first, "agree", "about the first")
    owner.say(other, "agree", "about the other")

    left = list(RemovedIds(set(), {first.review_id}).kept_lines(run / JUDGMENTS))
    held = holdings_of(run, tmp_path, kept_in=tmp_path)

    assert len(left) == 1
    assert b"about the other" in left[0]
    assert {JUDGMENTS, ".judgments.lock"} <= {file.name for file in held.files}
    assert held.foreign == ()


def test_the_names_of_judgments_are_pseudonyms(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["view", "nowhere", "--as", "Ada Lovelace"])

    assert "pseudonym" in capsys.readouterr().err


def test_what_is_said_needs_the_form_of_the_app(run: Path) -> None:
    app, score = JudgedApp(run), flags_of(run)[0]
    owner = app.opened_by()
    owner.csrf = "wrong"
    stranger = TestClient(owner.client.app, base_url=HERE)

    assert owner.say(score, "agree").status_code == 403
    assert stranger.get(f"/run/{app.key}/judgments").status_code == 403
    assert not (run / JUDGMENTS).exists()
