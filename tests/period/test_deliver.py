"""Folders of people: each holds what this person may see, and no byte of anything else."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.period import log
from reviewscore.period.assignments import Assignment, Assignments, VenueRole, folder_of
from reviewscore.period.deliver import Delivery, Release, deliver, runs_of
from reviewscore.period.taken_back import TakenBack
from reviewscore.period.venue import TAKEN_BACK
from reviewscore.period.verify import note_pages, verify
from reviewscore.report.role_pages import ShownFlags
from reviewscore.report.roles import called, proof
from reviewscore.runs.paper_offsets import OFFSETS
from reviewscore.schema.point_id import content_ids
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.verdict import Finding
from tests.commands import invoker
from tests.report.synthetic import lexical_points, manifest, model_points, write_run

MARK = re.compile(rb"zq[a-z]+\d+(?:x\d+)?z")
"""Words that are in one text alone: of a paper, a review, a point or a response."""
Row = dict[str, object]


def points_of(review: str, paper: str, kinds: Iterable[PointScore]) -> list[PointScore]:
    """Points of a review, each with a word that no other text has."""
    number = review[2:]
    kinds = list(kinds)
    texts = [f"{kind.text} zqpoint{number}x{n}z" for n, kind in enumerate(kinds)]
    return [
        kind.model_copy(update={"point_id": name, "number": n, "review_id": review,
                                "paper_id": paper, "text": text})
        for n, (kind, text, name) in enumerate(
            zip(kinds, texts, content_ids(review, texts), strict=True), start=1)
    ]  # fmt: skip


class Venue:
    """An invented run with its data.

    Args:
        folder: Where it is written.
        reviews: The paper (or version) of each review ``rv<n>``.
        kinds: Points of each review.
    """

    def __init__(
        self, folder: Path, reviews: Mapping[str, str], kinds: Iterable[PointScore] | None = None
    ) -> None:
        self.run, self.data, self.reviews = folder / "run", folder / "data", dict(reviews)
        kinds = list(model_points()[:4] if kinds is None else kinds)
        self.points = [p for name, paper in self.reviews.items()
                       for p in points_of(name, paper, kinds)]  # fmt: skip
        judge = self.points[0].judge
        write_run(self.run, self.points, made=manifest(judge, inputs=()))
        self.data.mkdir(parents=True)
        texts = {
            paper: {"paper_id": paper, "title": f"zqtitle{number_of(paper)}z", "text": "A text."}
            for paper in self.reviews.values()
        }
        rows = [
            {"review_id": name, "paper_id": paper, "sections": {"weaknesses": "Only words."},
             "author_response": f"We thank the reviewer zqresponse{name[2:]}z for the remarks."}
            for name, paper in self.reviews.items()
        ]  # fmt: skip
        write_lines(self.data / "papers.jsonl", texts.values())
        write_lines(self.data / "reviews.jsonl", rows)

    def deliver(self, rows: Iterable[Row], role: VenueRole, out: Path, **how: object) -> Delivery:
        runs = runs_of(self.run, self.data)
        return deliver(self.run, table(rows), role, out, runs=runs, **how)  # type: ignore[arg-type]


def number_of(paper: str) -> str:
    return re.sub(r"\D", "", paper.partition("@")[0])


def write_lines(file: Path, records: Iterable[Mapping[str, object]]) -> None:
    file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def table(rows: Iterable[Row]) -> Assignments:
    return Assignments(Assignment.model_validate(row) for row in rows)


def row(person: str, role: str, paper: str | None = None, review: str | None = None) -> Row:
    return {"person": person, "role": role, "paper": paper, "review": review}


def marks_in(folder: Path) -> set[str]:
    """The words of other texts in all files of a folder, and in their names."""
    found: set[str] = set()
    for path in folder.rglob("*"):
        raw = path.read_bytes() if path.is_file() else b""
        found |= {word.decode() for word in MARK.findall(raw + path.name.encode())}
    return found


def ids_in(folder: Path) -> set[str]:
    """Ids of papers and reviews in all files of a folder, and in their names."""
    return {
        word.decode()
        for path in folder.rglob("*")
        for word in re.findall(
            rb"\b(?:rv|pa)\d+(?=\D)", (path.read_bytes() if path.is_file() else b"")
            + path.name.encode() + b" ")
    }  # fmt: skip


def expected(venue: Venue, rows: list[Row], person: str, role: VenueRole) -> set[str]:
    """What a person's pages may hold, worked out from the rows by hand: words and ids."""
    base = {name: paper.partition("@")[0] for name, paper in venue.reviews.items()}
    own = [one for one in rows if one["person"] == person]
    barred = {one["paper"] for one in own if one["role"] == "conflict"}
    if role is not VenueRole.AUTHOR:
        barred |= {one["paper"] for one in own if one["role"] == "author"}
    allowed: set[str] = set()
    for one in own:
        if one["role"] != role.value:
            continue
        for point in venue.points:
            paper = base[point.review_id]
            mine = one["review"] == point.review_id if role is VenueRole.REVIEWER else (
                role is VenueRole.PROGRAM_CHAIR or one["paper"] == paper)  # fmt: skip
            if paper in barred or not mine:
                continue
            number = point.review_id[2:]
            allowed |= {point.review_id, paper, f"zqtitle{paper[2:]}z"}
            allowed |= {point.text.split()[-1]}
            if role not in (VenueRole.REVIEWER, VenueRole.AUTHOR):
                allowed.add(f"zqresponse{number}z")
        if one["paper"] not in barred and one["paper"]:
            allowed.add(str(one["paper"]))
        if role is VenueRole.REVIEWER and base.get(str(one["review"])) not in barred:
            allowed.add(str(one["review"]))
    return allowed


def drawn(draw: random.Random, venue: Venue, people: int) -> list[Row]:
    """Random people with random roles and conflicts, some of papers that are not in the run."""
    papers = [*{paper.partition("@")[0] for paper in venue.reviews.values()}, "pa9999"]
    papers.sort()
    rows = [row("zoe", "program-chair"), row("zoe", "conflict", papers[0])]
    for number in range(people - 1):
        person = f"p{number}"
        role = draw.choice(["area-chair", "senior-chair", "reviewer", "reviewer", "author"])
        for _ in range(draw.choice([1, 1, 2])):
            if role == "reviewer":
                rows.append(row(person, role, None, draw.choice([*venue.reviews])))
            else:
                rows.append(row(person, role, draw.choice(papers)))
        if draw.random() < 0.3:
            other = draw.choice(["conflict", "author", "area-chair"])
            rows.append(row(person, other, draw.choice(papers)))
    return rows


def test_1000_people_find_no_byte_of_what_is_not_theirs(tmp_path: Path) -> None:
    draw = random.Random(34)
    papers = [f"pa{n}{draw.choice(['', '', '@v2'])}" for n in range(40)]
    reviews = {f"rv{n}": draw.choice(papers) for n in range(130)}
    venue = Venue(tmp_path, reviews)
    rows = drawn(draw, venue, 1000)
    found: dict[str, int] = defaultdict(int)

    for role in set(VenueRole) - {VenueRole.CONFLICT}:
        out = tmp_path / "pages"
        released = Release.POINTS if role is VenueRole.AUTHOR else None
        delivery = venue.deliver(rows, role, out, released=released)
        assert delivery.faults == []
        for one in delivery.people:
            inside = marks_in(one.folder) | ids_in(one.folder)
            assert inside <= expected(venue, rows, one.person, role), one.person
            found[role.value] += len(inside)
            found["people"] += 1

    assert found["people"] >= 1000
    assert min(found[role.value] for role in set(VenueRole) - {VenueRole.CONFLICT}) > 100
    folders = {path.name for path in (tmp_path / "pages").iterdir() if path.is_dir()}
    assert folders == {folder_of(str(one["person"])) for one in rows
                       if one["role"] != "conflict"}  # fmt: skip


def test_a_chair_finds_the_papers_assigned_in_all_their_versions(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa1@v2", "rv3": "pa2", "rv4": "pa11"})

    (one,) = venue.deliver([row("ada", "area-chair", "pa1@v2")], VenueRole.AREA_CHAIR,
                           tmp_path / "pages").people  # fmt: skip

    assert {name for name in ids_in(one.folder) if name.startswith("rv")} == {"rv1", "rv2"}
    assert {"zqresponse1z", "zqresponse2z", "zqpoint1x0z", "zqpoint2x0z"} <= marks_in(one.folder)
    assert one.pages == 2


def test_a_reviewer_with_two_reviews_of_one_paper_gets_a_page_of_each(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa1", "rv3": "pa1"})
    rows = [row("ada", "reviewer", None, "rv1"), row("ada", "reviewer", "pa1", "rv3")]

    (one,) = venue.deliver(rows, VenueRole.REVIEWER, tmp_path / "pages").people

    pages = {path.name for path in one.folder.glob("*.html")}
    assert pages == {"index.html", "rv1.html", "rv3.html"}
    assert not marks_in(one.folder) & {"zqpoint2x0z", "zqresponse1z", "zqresponse3z"}
    assert "rv3" not in (one.folder / "rv1.html").read_text()


def test_what_a_venue_does_not_release_no_author_gets(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    rows = [row("ada", "author", "pa1")]
    flagged = {point.text.split()[-1] for point in venue.points
               if called(point) and proof(point) and point.paper_id == "pa1"}  # fmt: skip
    everything = {point.text.split()[-1] for point in venue.points if point.paper_id == "pa1"}

    with pytest.raises(SettingsError, match="type --release flags"):
        venue.deliver(rows, VenueRole.AUTHOR, tmp_path / "pages")
    assert not (tmp_path / "pages").exists()
    for released, words in ((Release.FLAGS, flagged), (Release.POINTS, everything)):
        (one,) = venue.deliver(rows, VenueRole.AUTHOR, tmp_path / "pages", released=released).people
        assert marks_in(one.folder) == {*words, "zqtitle1z"}

    assert 0 < len(flagged) < len(everything)


def test_of_findings_authors_get_those_that_the_paper_speaks_to(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1"}, lexical_points())
    spoken = {point.text.split()[-1] for point in venue.points
              if point.finding is Finding.ADDRESSED}  # fmt: skip

    (one,) = venue.deliver([row("ada", "author", "pa1")], VenueRole.AUTHOR, tmp_path / "pages",
                           released=Release.FLAGS).people  # fmt: skip

    assert marks_in(one.folder) == {*spoken, "zqtitle1z"}


def test_papers_that_are_not_in_the_run_are_named_and_those_of_nobody_too(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2", "rv3": "pa3"})
    rows = [row("ada", "area-chair", "pa1"), row("ada", "area-chair", "pa77"),
            row("bob", "area-chair", "pa88"), row("cid", "area-chair", "pa2"),
            row("cid", "conflict", "pa2")]  # fmt: skip

    delivery = venue.deliver(rows, VenueRole.AREA_CHAIR, tmp_path / "pages")

    ada, bob, cid = delivery.people
    assert [one.absent for one in delivery.people] == [("pa77",), ("pa88",), ()]
    assert "pa77: It is not there" in (ada.folder / "index.md").read_text()
    assert "pa88: It is not there" in (bob.folder / "index.md").read_text()
    assert "on 0 of 0 papers" in (cid.folder / "index.md").read_text()
    assert delivery.unassigned == ("pa2", "pa3")


def test_a_second_delivery_leaves_nothing_of_the_first(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    out = tmp_path / "pages"
    before = [row("ada", "area-chair", "pa1"), row("bob", "area-chair", "pa1"),
              row("bob", "author", "pa2")]  # fmt: skip
    venue.deliver(before, VenueRole.AREA_CHAIR, out)
    venue.deliver(before, VenueRole.AUTHOR, out, released=Release.POINTS)
    (out / "mine").mkdir()
    (out / "mine" / "notes.txt").write_text("a stranger's", "utf-8")

    delivery = venue.deliver([row("ada", "area-chair", "pa2")], VenueRole.AREA_CHAIR, out)

    ada, bob = out / folder_of("ada") / "area-chair", out / folder_of("bob")
    assert delivery.removed == [bob / "area-chair"]
    assert [path.name for path in bob.iterdir()] == ["author"]  # another role's delivery stays
    assert ids_in(ada) == {"pa2", "rv2"}
    assert (out / "mine" / "notes.txt").is_file()
    assert [path.name for path in out.iterdir() if path.name.startswith(".")] == [".lock"]
    checked = subprocess.run(["sha256sum", "--strict", "-c", "pages.sha256"], cwd=out, check=True,
                             capture_output=True, text=True)  # fmt: skip
    files = [path for path in out.rglob("*") if path.suffix in (".html", ".md", ".json")]
    assert checked.stdout.count(": OK") == len(files)


def test_one_person_is_written_alone(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    rows = [row("ada", "area-chair", "pa1"), row("bob", "area-chair", "pa2")]
    venue.deliver(rows, VenueRole.AREA_CHAIR, tmp_path / "pages")
    other = tmp_path / "pages" / folder_of("bob") / "area-chair" / "index.html"
    old = other.stat().st_ino

    delivery = venue.deliver(rows[:1], VenueRole.AREA_CHAIR, tmp_path / "pages", person="ada")

    assert [one.person for one in delivery.people] == ["ada"]
    assert other.stat().st_ino == old
    for name in ("bob", "Ada", "../ada", "", folder_of("ada")):
        with pytest.raises(SettingsError, match="check the column role"):
            venue.deliver(rows[:1], VenueRole.AREA_CHAIR, tmp_path / "pages", person=name)


def test_a_kill_between_two_names_loses_no_page(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    rows = [row("ada", "area-chair", "pa1"), row("b.d", "area-chair", "pa2")]
    out = tmp_path / "pages"
    venue.deliver(rows, VenueRole.AREA_CHAIR, out)
    name = folder_of("b.d")
    (out / name / "area-chair").rename(out / f".{name}.area-chair.old")
    (out / f".{name}.area-chair.new").mkdir()

    venue.deliver(rows, VenueRole.AREA_CHAIR, out, person="ada")

    assert ids_in(out / name / "area-chair") == {"pa2", "rv2"}
    assert {path.name for path in out.iterdir() if path.name.startswith(".")} == {".lock"}


def test_no_page_is_written_through_a_link(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    rows = [row("ada", "area-chair", "pa1"), row("bob", "area-chair", "pa2")]
    out, elsewhere = tmp_path / "pages", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (out / folder_of("ada")).symlink_to(elsewhere)

    delivery = venue.deliver(rows, VenueRole.AREA_CHAIR, out)

    assert [one.person for one in delivery.people] == ["bob"]
    assert "is a link" in delivery.faults[0]
    assert [*elsewhere.iterdir()] == []


def test_a_folder_that_only_looks_like_one_of_ours_stays(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1"})
    out = tmp_path / "home"
    for name in (".config.new", ".vim.area-chair.old", ".x.reviewer.new"):
        (out / name).mkdir(parents=True)

    venue.deliver([row("ada", "area-chair", "pa1")], VenueRole.AREA_CHAIR, out)

    assert sorted(path.name for path in out.glob(".*.*")) == [
        ".config.new", ".vim.area-chair.old", ".x.reviewer.new"
    ]  # fmt: skip


@pytest.mark.parametrize("place", ["", "data", "pages/sub", "run/../run"])
def test_pages_go_into_no_other_folder_of_the_venue(tmp_path: Path, place: str) -> None:
    made = Venue(tmp_path, {"rv1": "pa1"})
    folder = as_venue(made, tmp_path / "venue")
    before = sorted(folder.rglob("*"))

    with pytest.raises(SettingsError, match="leave out -o"):
        deliver(folder, table([row("ada", "area-chair", "pa1")]), VenueRole.AREA_CHAIR,
                folder / place)  # fmt: skip

    assert sorted(folder.rglob("*")) == before


FOLDED = "<summary>On demand"


def test_flags_that_are_not_pushed_stand_folded_below_the_others(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2", "rv3": "pa3"})
    asked: dict[str, list[str]] = {}

    def first_flag(person: str, points: Iterable[PointScore]) -> ShownFlags:
        asked[person] = [point.review_id for point in points]
        flags = [point.point_id for point in venue.points if called(point)]
        return ShownFlags("2026-05-04", frozenset(flags[:1]), frozenset(flags[1:2]))

    rows = [row("ada", "area-chair", "pa1"), row("ada", "area-chair", "pa2"),
            row("head", "program-chair")]  # fmt: skip
    (one,) = venue.deliver(rows, VenueRole.AREA_CHAIR, tmp_path / "p", pushed=first_flag).people
    (head,) = venue.deliver(rows, VenueRole.PROGRAM_CHAIR, tmp_path / "p", pushed=first_flag).people

    assert asked == {"ada": ["rv1"] * 4 + ["rv2"] * 4}  # of what is theirs alone
    first, second = ((one.folder / f"pa{n}.html").read_text() for n in (1, 2))
    assert first.index("zqpoint1x0z") < first.index(FOLDED) < first.index("zqpoint1x1z")
    assert "zqpoint1x0z" not in first[first.index(FOLDED) :]
    assert "On demand: shown before" in first
    assert "On demand: shown before" not in second
    assert second.index(FOLDED) < second.index("zqpoint2x0z")
    index = (one.folder / "index.md").read_text()
    assert "2026-05-04: 1 new flag on 1 paper, listed first" in index
    assert index.index("pa1.md): 1 new, ") < index.index("pa2.md): 0 new, ")
    assert "# For the area chair" in index
    assert 'href="index.html"' in first
    assert "On demand" not in (head.folder / "pa2.html").read_text()


def test_offsets_that_are_kept_are_used_and_forged_ones_are_found(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    rows = [row("ada", "area-chair", "pa1")]
    venue.deliver(rows, VenueRole.AREA_CHAIR, tmp_path / "pages")
    file = venue.run / OFFSETS
    kept = json.loads(file.read_text("utf-8"))
    kept["points"]["pa1"]["rv1"] = kept["points"]["pa2"]["rv2"]
    file.write_text(json.dumps(kept), "utf-8")

    delivery = venue.deliver(rows, VenueRole.AREA_CHAIR, tmp_path / "pages")

    assert delivery.people == []
    assert "does not fit the run; take it away" in delivery.faults[0]
    assert ids_in(tmp_path / "pages" / folder_of("ada")) == {"pa1", "rv1"}  # as it was


def test_points_that_are_changed_after_the_run_are_read_anew_and_refused(tmp_path: Path) -> None:
    venue = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    file = venue.run / "points.jsonl"
    made = manifest(venue.points[0].judge, inputs=())
    digest = {"sha256": "0" * 64, "size": file.stat().st_size}
    made = made.model_validate_json(made.model_copy().model_dump_json())
    written = json.loads(made.model_dump_json()) | {"digests": {"points.jsonl": digest}}
    (venue.run / "manifest.json").write_text(json.dumps(written), "utf-8")

    with pytest.raises(RunFolderError, match="after the run by something else"):
        runs_of(venue.run)

    assert runs_of(venue.run, accept_changed=True)[0].changed == ("points.jsonl",)
    assert not (venue.run / OFFSETS).exists()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_data_of_other_kinds_serve_as_well(tmp_path: Path, kind: str) -> None:
    import pandas as pd

    venue = Venue(tmp_path, {"rv1": "pa1"})
    for name in ("papers", "reviews"):
        file = venue.data / f"{name}.jsonl"
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        sections = [line.pop("sections", None) for line in lines]
        frame = pd.DataFrame([line | ({"text": "Only words."} if part else {})
                              for line, part in zip(lines, sections, strict=True)])  # fmt: skip
        file.unlink()
        if kind == "csv":
            frame.to_csv(file.with_suffix(".csv"), index=False)
        else:
            frame.to_parquet(file.with_suffix(".parquet"))

    (one,) = venue.deliver([row("ada", "area-chair", "pa1")], VenueRole.AREA_CHAIR,
                           tmp_path / "pages").people  # fmt: skip

    assert {"zqtitle1z", "zqresponse1z"} <= marks_in(one.folder)


def note_sync(folder: Path, number: int, judged: int = 1, **counts: object) -> None:
    """Write the records of a venue after a sync."""
    at = "2031-02-03T04:05:06+00:00"
    sync = {"schema": "reviewscore.sync/1", "number": number, "at": at, **counts}
    place = folder / "syncs" / f"{number:04d}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "sync.json").write_text(json.dumps(sync), "utf-8")
    record = {"schema": "reviewscore.venue_folder/1", "source": "x", "kind": "folder", "made": at,
              "syncs": number, "judged": judged}  # fmt: skip
    (folder / "venue.json").write_text(json.dumps(record), "utf-8")


def as_venue(venue: Venue, folder: Path) -> Path:
    """The same as a venue folder that was audited."""
    folder.mkdir()
    note_sync(folder, 1)
    venue.run.rename(folder / "run")
    venue.data.rename(folder / "data")
    return folder


def add_review(folder: Path, record: Row) -> None:
    with (folder / "data" / "reviews.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")


def test_a_review_that_was_judged_twice_is_given_as_it_was_judged_on_this_machine(
    tmp_path: Path,
) -> None:
    made = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa1"})
    folder = as_venue(made, tmp_path / "venue")
    local = [p.model_copy(update={"judge": "ollama/imagined"}) for p in made.points[:4]]
    write_run(folder / "run" / "local", local, made=manifest("ollama/imagined", inputs=()))
    ids: list[str] = []

    def none(_: str, points: Iterable[PointScore]) -> ShownFlags:
        ids.extend(point.point_id for point in points)
        return ShownFlags("2026-05-04", frozenset())

    rows = table([row("ada", "area-chair", "pa1")])
    deliver(folder, rows, VenueRole.AREA_CHAIR, folder / "pages", pushed=none)

    assert sorted(ids) == sorted(point.point_id for point in made.points)
    pages = [p.read_text() for p in (folder / "pages").rglob("pa1*.html")]
    (theirs,) = (page for page in pages if "Judged by ollama/imagined" in page)
    assert "zqpoint1x0z" in theirs
    assert [page for page in pages if "zqpoint1x0z" in page] == [theirs]


@pytest.mark.parametrize("said_by", ["review", "paper", "venue"])
def test_nobody_is_given_what_nobody_may_judge_any_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], said_by: str
) -> None:
    made = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    folder = as_venue(made, tmp_path / "venue")
    report = invoker("report", capsys)
    file = folder / "assignments.csv"
    file.write_text("person,role,paper\nada,area-chair,pa1\nada,area-chair,pa2\n", "utf-8")
    words = (folder, "--for", "area-chair", "--out-of", file)
    report(*words)
    name = {"review": "data/reviews.jsonl", "paper": "data/papers.jsonl", "venue": "venue.json"}
    changed = folder / name[said_by]
    first, *others = changed.read_text().splitlines()
    first = json.dumps(json.loads(first) | {"consent": "none"})
    changed.write_text("\n".join([first, *others, ""]))

    ended = report(*words)

    gone = "2 reviews" if said_by == "venue" else "1 review"
    assert f"left out: {gone} of the run that nobody may judge (consent none): rv1" in ended.stderr
    marks = marks_in(folder / "pages")
    assert not any(mark.startswith("zqpoint1x") for mark in marks)
    assert any(mark.startswith("zqpoint2x") for mark in marks) == (said_by != "venue")


def test_what_was_withdrawn_is_given_to_nobody_before_the_next_audit_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    folder = as_venue(made, tmp_path / "venue")
    for data in ("papers", "reviews"):
        file = folder / "data" / f"{data}.jsonl"
        file.write_text(file.read_text().split("\n", 1)[1])
    table_file = folder / "assignments.csv"
    table_file.write_text("person,role\npc,program-chair\n", "utf-8")

    ended = invoker("report", capsys)(folder, "--for", "program-chair", "--out-of", table_file)

    assert "left out: 1 review of the run that the venue holds no more: rv1" in ended.stderr
    assert not any(mark.startswith("zqpoint1x") for mark in marks_in(folder / "pages"))
    assert any(mark.startswith("zqpoint2x") for mark in marks_in(folder / "pages"))


def test_the_run_of_a_venue_is_delivered_as_the_venue_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Venue(tmp_path, {"rv1": "pa1"})
    folder = as_venue(made, tmp_path / "venue")
    file = folder / "assignments.csv"
    file.write_text("person,role,paper\nada,area-chair,pa1\n", "utf-8")
    words = ("--for", "area-chair", "--out-of", file, "--budget", "1")

    ended = invoker("report", capsys)(folder / "run", *words)

    assert ended.exit_code == 0, ended.stderr
    assert [(entry.event, entry.who) for entry in log.read(folder)] == [("delivered", "ada")]
    assert (folder / "pages" / folder_of("ada") / "area-chair").is_dir()
    assert (folder / "pushed.jsonl").is_file()
    deliver(folder / "run", table([row("bob", "area-chair", "pa1")]), VenueRole.AREA_CHAIR,
            tmp_path / "elsewhere")  # fmt: skip
    assert [entry.who for entry in log.read(folder)] == ["ada", "bob"]


@pytest.mark.parametrize("reader", ["reviewer", "author", "meta-reviewer"])
def test_pages_for_all_of_a_role_are_in_the_log_of_the_venue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reader: str
) -> None:
    folder = as_venue(Venue(tmp_path, {"rv1": "pa1"}), tmp_path / "venue")

    ended = invoker("report", capsys)(folder, "--for", reader, "-o", tmp_path / "pages")

    (entry,) = log.read(folder)
    count = len(ended.stdout.splitlines())
    assert count > 0
    assert (entry.event, entry.who) == ("reported", None)
    assert entry.details == {"role": reader, "pages": count}


def test_the_log_of_a_venue_says_who_saw_what_and_the_pages_verify(tmp_path: Path) -> None:
    made = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    folder = as_venue(made, tmp_path / "venue")
    local = points_of("rv3", "pa1", model_points()[:2])
    add_review(folder, {"review_id": "rv3", "paper_id": "pa1", "sections": {"text": "Words."}})
    write_run(folder / "run" / "local", local, made=manifest("ollama/imagined", inputs=()))
    rows = table([row("ada", "area-chair", "pa1"), row("bob", "area-chair", "pa2")])

    deliver(folder, rows, VenueRole.AREA_CHAIR, folder / "pages")
    deliver(
        folder, table([row("ada", "area-chair", "pa1")]), VenueRole.AREA_CHAIR, folder / "pages"
    )

    entries = [(entry.event, entry.who, entry.details.get("of")) for entry in log.read(folder)]
    assert entries == [
        ("delivered", "ada", "pa1"), ("delivered", "bob", "pa2"), ("delivered", "ada", "pa1"),
        ("taken away", None, None),
    ]  # fmt: skip
    ada = folder / "pages" / folder_of("ada") / "area-chair"
    assert ids_in(ada) == {"pa1", "rv1", "rv3"}  # what was judged on this machine is there too
    assert "Judged by ollama/imagined" in "".join(p.read_text() for p in ada.glob("pa1*.html"))
    assert [fault for check in verify(folder).checks for fault in check.faults] == []
    (ada / "index.md").write_text("forged", "utf-8")
    assert any("index.md" in fault for check in verify(folder).checks for fault in check.faults)


def test_a_delivery_does_not_pass_off_a_page_that_something_else_changed(tmp_path: Path) -> None:
    made = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    folder = as_venue(made, tmp_path / "venue")
    rights = table([row("ada", "area-chair", "pa1"), row("bob", "senior-chair", "pa2")])
    deliver(folder, rights, VenueRole.AREA_CHAIR, folder / "pages")
    page = folder / "pages" / folder_of("ada") / "area-chair" / "index.html"
    page.write_text("<p>forged</p>")
    note_pages(folder)

    deliver(folder, rights, VenueRole.SENIOR_CHAIR, folder / "pages")

    (fault,) = verify(folder).checks[0].faults
    assert "pages.sha256 had been changed before" in fault


def test_chairs_alone_see_what_a_reviewer_took_back(tmp_path: Path) -> None:
    made = Venue(tmp_path, {"rv1": "pa1"})
    folder = as_venue(made, tmp_path / "venue")
    span = {"field": "final_justification", "start": 0, "end": 9}
    remark = TakenBack.model_validate(
        {"review_id": "rv1", "point_id": made.points[0].point_id, "text": "zqbackz",
         "span": span, "at": "2031-02-03T04:05:06+00:00"}
    )  # fmt: skip
    (folder / TAKEN_BACK).write_text(remark.model_dump_json(by_alias=True) + "\n", "utf-8")
    rows = [row("ada", "area-chair", "pa1"), row("bob", "reviewer", "pa1", "rv1"),
            row("eve", "author", "pa1")]  # fmt: skip
    who = table(rows)

    (ada,) = deliver(folder, who, VenueRole.AREA_CHAIR, folder / "pages").people
    (bob,) = deliver(folder, who, VenueRole.REVIEWER, folder / "pages").people
    (eve,) = deliver(folder, who, VenueRole.AUTHOR, folder / "pages", released=Release.FLAGS).people

    chair = (ada.folder / "pa1.md").read_text("utf-8")
    assert "Later 1 point was taken back." in chair
    assert "zqbackz" in chair[chair.index("Later: The reviewer took this back") :]
    assert "zqbackz" in (ada.folder / "pa1.html").read_text("utf-8")
    others = [path.read_text("utf-8") for one in (bob, eve) for path in one.folder.glob("*.*")]
    assert not any("zqbackz" in text for text in others)
    assert "The venue releases to you" in (eve.folder / "pa1.md").read_text("utf-8")


def test_a_venue_is_delivered_into_its_own_pages_by_name_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    folder = as_venue(made, tmp_path / "venue")
    file = folder / "assignments.csv"
    file.write_text("person,role,review\nada,reviewer,rv1\n", "utf-8")
    report = invoker("report", capsys)

    ended = report(folder, "--for", "reviewer", "--out-of", file)

    assert ended.exit_code == 0, ended.stderr
    pages = folder / "pages" / folder_of("ada") / "reviewer"
    assert ids_in(pages) == {"pa1", "rv1"}
    assert "zqtitle1z" in marks_in(pages)
    assert "1 review that no reviewer may see: rv2" in ended.stderr
    assert [entry.who for entry in log.read(folder)] == ["ada"]
    assert report(folder, "-o", "-").exit_code == 0  # the run of the venue, as ever


def test_a_sync_that_no_audit_took_up_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = as_venue(Venue(tmp_path, {"rv1": "pa1"}), tmp_path / "venue")
    file = folder / "assignments.csv"
    file.write_text("person,role,review\nada,reviewer,rv1\n", "utf-8")

    def told() -> bool:
        ended = invoker("report", capsys)(folder, "--for", "reviewer", "--out-of", file)
        assert ended.exit_code == 0, ended.stderr
        return "warning: the last sync is not in these pages" in ended.stderr

    note_sync(folder, 2)
    before = told()
    note_sync(folder, 3, reviews={"withdrawn": 1})
    behind = told()
    note_sync(folder, 3, judged=3, reviews={"withdrawn": 1})

    assert [before, behind, told()] == [False, True, False]


def test_the_command_names_what_it_wrote_and_what_is_of_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Venue(tmp_path, {"rv1": "pa1", "rv2": "pa2"})
    file = tmp_path / "assignments.csv"
    file.write_text("person,role,paper\nada,area-chair,pa1\nada,area-chair,pa9\n"
                    "ada,conflict,pa-2\n", "utf-8")  # fmt: skip
    report = invoker("report", capsys)
    ask = (made.run, "--data", made.data, "--out-of", file)

    ended = report(*ask, "--for", "area-chair", "-o", tmp_path / "pages")

    assert ended.exit_code == 0
    folder = tmp_path / "pages" / folder_of("ada") / "area-chair"
    assert ended.stdout.splitlines() == [f"{folder}: 1 page with something to read"]
    assert "ada: 'pa9' is not there" in ended.stderr
    assert "1 paper that no area-chair may see: pa2" in ended.stderr
    assert "1 conflict with papers that are not in this run" in ended.stderr
    assert "pa-2" in ended.stderr
    for words, problem in {
        ("--for", "area-chair"): "name a folder for the pages with -o",
        ("--for", "meta-reviewer", "-o", "x"): "name a role",
        ("-o", "x"): "name a role",
        ("--for", "area-chair", "--release", "points", "-o", "x"): "--release goes with",
        ("--for", "author", "-o", "x"): "type --release flags",
        ("--for", "area-chair", "--person", "eve", "-o", "x"): "have no area-chair 'eve'",
    }.items():
        refused = report(*ask, *words)
        assert refused.exit_code == 2
        assert problem in refused.stderr
    refused = report(made.run, "--for", "area-chair", "-o", "x")
    assert refused.exit_code == 2
    assert "go with --out-of" in refused.stderr
