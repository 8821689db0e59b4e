"""The table of a run's points: whatever becomes of run or table, it says what is there."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import RunFolderError
from reviewscore.files import write_whole
from reviewscore.runs.folder import POINTS, VIEW_INDEX
from reviewscore.schema.point_score import PointScore
from reviewscore.view.run_index import Filter, RunIndex, is_flag, verdict_of
from tests.report.synthetic import lexical_points, many_points, model_points, write_run

KINDS = [*model_points(), *lexical_points()]
WORDS = ("tide", "Ärger", "x2", "learning", "潮汐")
STRANGE = [
    "'; DROP TABLE points;--", 'a"b', "100%_/../..", "p?x=1&y#z", "\u202egnp", "שלום", "p\0q", "..",
    "<script>", "p@v2",
]  # fmt: skip


@contextmanager
def indexed(run: Path) -> Iterator[RunIndex]:
    index = RunIndex(run)
    try:
        index.read()
        yield index
    finally:
        index.close()


def run_of(folder: Path, papers: int = 3, per_paper: int = 7) -> Path:
    return write_run(folder / "run", many_points(papers, per_paper))


def count(index: RunIndex) -> int:
    return index.points(Filter())[1]


def walk(index: RunIndex, wanted: Filter, *, look: bool = False) -> list[str]:
    found, line = list[str](), index.after(None, wanted)
    while line is not None and len(found) < 1_000:
        found.append(line.point_id)
        if look:
            index.mark_seen([line.point_id])
        line = index.after(line.offset, wanted)
    return found


def test_a_run_that_grows_is_entered_up_to_its_last_whole_line(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    whole = (run / POINTS).read_bytes()
    (run / POINTS).write_bytes(whole[:-40])

    with indexed(run) as index:
        before, share = count(index), index.totals().read
        (run / POINTS).write_bytes(whole)
        index.read()
        after = count(index)

    assert (before, share) == (20, 1.0)
    assert after == 21


@pytest.mark.parametrize("in_place", [False, True])
def test_points_that_were_written_anew_take_the_place_of_the_others(
    tmp_path: Path, *, in_place: bool
) -> None:
    run = run_of(tmp_path)
    with indexed(run) as index:
        seen = index.points(Filter(verdict="flag"))[0][0].point_id
        index.mark_seen([seen])
        lines = (run / POINTS).read_bytes().splitlines(keepends=True)[::-1]
        longer = b"".join([*lines, lines[0].replace(b'"paper_id":"p2"', b'"paper_id":"new"')])
        if in_place:
            (run / POINTS).write_bytes(longer)
        else:
            write_whole(run / POINTS, longer.decode())
        index.read()

        assert count(index) == 22
        assert {"p0", "p1", "p2", "new"} == set(index.paper_ids())
        assert {seen} == {line.point_id for line in index.points(Filter(seen="yes"))[0]}
        assert index.scores(index.of_paper("new"))[0].paper_id == "new"


@pytest.mark.parametrize("damage", ["no table", "overwritten", "of another version"])
def test_a_damaged_table_is_made_anew(tmp_path: Path, damage: str) -> None:
    run = run_of(tmp_path, papers=40)
    file = run / VIEW_INDEX
    with indexed(run):
        pass
    if damage == "no table":
        file.write_bytes(b"not a table at all" * 400)
    elif damage == "overwritten":
        held = file.read_bytes()
        file.write_bytes(held[:4096] + os.urandom(len(held) - 4096))
    else:
        file.write_bytes(file.read_bytes().replace(b"version2", b"version0"))

    with indexed(run) as index:
        try:
            count(index)
        finally:
            index.read()
        assert count(index) == 280
        assert len(index.papers(Filter(words="learning"))[0]) == 40


def test_a_table_that_is_damaged_while_it_is_open_is_made_anew(tmp_path: Path) -> None:
    run = run_of(tmp_path, papers=40)
    with indexed(run) as index:
        (run / VIEW_INDEX).unlink()
        (run / VIEW_INDEX).write_bytes(b"not a table at all" * 400)
        for suffix in ("-wal", "-shm"):
            (run / f"{VIEW_INDEX}{suffix}").unlink(missing_ok=True)
        index.mark_seen([])
        index.read()

        assert count(index) == 280


def test_where_nothing_can_be_written_the_table_lies_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(tmp_path)
    (run / VIEW_INDEX / "in the way").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()

    with indexed(run) as index:
        assert count(index) == 21
        assert len(list((tmp_path / "elsewhere").iterdir())) > 0
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_in_place_of_the_table_is_not_followed(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    for suffix in ("", "-wal", "-shm"):
        (tmp_path / f"mine{suffix}").write_text("mine", "utf-8")
        (run / f"{VIEW_INDEX}{suffix}").symlink_to(tmp_path / f"mine{suffix}")

    with indexed(run) as index:
        assert count(index) == 21
    assert {"mine"} == {file.read_text("utf-8") for file in tmp_path.glob("mine*")}
    assert (run / VIEW_INDEX).stat().st_mode & 0o077 == 0


def test_a_record_that_is_none_is_told_and_those_before_it_stay(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    with (run / POINTS).open("ab") as file:
        file.write(b'{"no": "point"}\n')

    index = RunIndex(run)
    with pytest.raises(RunFolderError, match="no record of a point at byte"):
        index.read()

    assert count(index) == 21
    index.close()


@pytest.mark.parametrize(
    "words",
    ['"', '""', "NEAR(tide gauge)", "*", "learning*", "tide OR gauge", "words:learning",
     "^learning", "-learning", "learning\0rate", "\ud800", "{words}: x", "(" * 500, "a" * 5_000,
     "'; DROP--", " ".join(["learning"] * 3_000)],
)  # fmt: skip
def test_words_are_words_and_no_language_of_queries(tmp_path: Path, words: str) -> None:
    with indexed(run_of(tmp_path)) as index:
        _, found = index.points(Filter(words=words))
        _, papers = index.papers(Filter(words=words))

    assert (found == 0) == (papers == 0)
    if "OR" in words or "NEAR" in words:
        assert found == 0  # of no point, as all of the words are asked for


@pytest.mark.parametrize("name", STRANGE)
def test_identifiers_may_hold_anything(tmp_path: Path, name: str) -> None:
    one = model_points()[0].model_copy(
        update={"paper_id": name, "review_id": f"{name}-r", "point_id": f"{name}#1"}
    )
    with indexed(write_run(tmp_path / "run", [*model_points(), one])) as index:
        (line,) = index.of_paper(name)
        index.mark_seen([line.point_id])
        index.set_titles([(name, name)])

        assert index.scores([line]) == [one]
        assert index.find(f"{name}#1") == index.of_paper(name)[0]
        assert index.papers(Filter(seen="yes"), among=[name])[0][0].title == name.replace(
            "\0", "\\0"
        )
        assert index.totals([name]).points == 1
        assert index.points(Filter(), among=[name])[1] == 1


def test_what_no_file_can_hold_is_in_no_run(tmp_path: Path) -> None:
    with indexed(run_of(tmp_path)) as index:
        assert not index.has_paper("\ud800")
        assert index.find("\udcff") is None
        assert index.of_paper("p0\ud800") == []
        assert index.points(Filter(), among=["\ud800"])[1] == 0


def test_two_that_read_the_same_run_enter_each_point_once(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    with indexed(run) as first, indexed(run) as second:
        with (run / POINTS).open("a", encoding="utf-8") as file:
            file.writelines(f"{one.model_dump_json()}\n" for one in model_points())
        second.read()
        first.read()
        first.mark_seen(["tides-r1#1"])

        assert count(first) == count(second) == 27
        assert second.points(Filter(words="learning"))[1] == 7
        assert second.points(Filter(seen="yes"))[1] == 1


@st.composite
def points(draw: st.DrawFn) -> list[PointScore]:
    made = []
    for number in range(draw(st.integers(0, 25))):
        kind = draw(st.sampled_from(KINDS))
        paper = draw(st.sampled_from(["p0", "p1", "p2", "p%2F"]))
        said = " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=4)))
        made.append(
            kind.model_copy(
                update={
                    "point_id": f"id{number}", "paper_id": paper, "text": said,
                    "review_id": f"{paper}-{draw(st.integers(0, 2))}",
                }
            )
        )  # fmt: skip
    return made


filters = st.builds(
    Filter,
    words=st.lists(st.sampled_from([*WORDS, "lear", "TIDE"]), max_size=2).map(" ".join),
    verdict=st.sampled_from(["", "flag", "yes", "no", "unknown", "failed", "passages"]),
    type=st.sampled_from(["", "claim", "untyped"]),
    seen=st.sampled_from(["", "yes", "no"]),
)


def fits(score: PointScore, wanted: Filter, seen: set[str]) -> bool:
    quotes = [one.quote for one in (*score.evidence, *score.passages)]
    said = " ".join([score.text, *quotes]).casefold().replace("ä", "a").replace(".", " ").split()
    asked = wanted.words.casefold().replace("ä", "a").split()
    kind = score.type.value if score.type else "untyped"
    return (
        all(any(word.startswith(one) for word in said) for one in asked)
        and wanted.verdict in ("", verdict_of(score), "flag" if is_flag(score) else "")
        and wanted.type in ("", kind)
        and wanted.seen in ("", "yes" if score.point_id in seen else "no")
    )


@given(made=points(), wanted=filters, data=st.data())
def test_lists_hold_what_a_plain_count_finds(
    made: list[PointScore], wanted: Filter, data: st.DataObject
) -> None:
    seen = data.draw(st.sets(st.sampled_from([one.point_id for one in made]))) if made else set()
    among = data.draw(st.none() | st.sets(st.sampled_from(["p0", "p1", "p%2F", "none"])))
    mine = [one for one in made if among is None or one.paper_id in among]
    hits = [one for one in mine if fits(one, wanted, seen)]
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", made[: len(made) // 2])
        with indexed(run) as index:
            index.mark_seen(seen)
            write_lines(run, made[len(made) // 2 :])
            index.read()
            lines, total = index.points(wanted, among=among)
            papers, total_papers = index.papers(wanted, among=among)
            totals, counts = index.totals(among), index.counts(wanted, among)
            sorted_lines = index.points(wanted, 1, "id", among=among)[0]
            sorted_papers = index.papers(wanted, 1, "id", among=among)[0]
            walked = walk(index, wanted) if among is None else None

    assert {one.point_id for one in hits} == {line.point_id for line in lines}
    assert len(hits) == total
    assert Counter(one.paper_id for one in hits) == {line.paper_id: line.points for line in papers}
    flagged = [one for one in mine if fits(one, replace(wanted, verdict="flag"), seen)]
    assert counts == (total_papers, len(flagged), total)
    order = sorted(lines, key=lambda line: (len(line.paper_id), line.paper_id))
    assert [line.paper_id for line in order] == [line.paper_id for line in sorted_lines]
    assert {line.offset for line in lines} == {line.offset for line in sorted_lines}
    assert {line.paper_id for line in papers} == {line.paper_id for line in sorted_papers}
    unseen = sum(is_flag(one) and one.point_id not in seen for one in mine)
    flags = sum(map(is_flag, mine))
    reviews = len({(one.paper_id, one.review_id) for one in mine})
    expected = (len({one.paper_id for one in mine}), reviews, len(mine), flags, unseen)
    assert expected == (totals.papers, totals.reviews, totals.points, totals.flags, totals.unseen)
    assert [is_flag(one) for one in mine].count(True) >= sum(line.unseen or 0 for line in papers)
    if walked is not None:
        assert sorted(one.point_id for one in hits) == sorted(walked)


def write_lines(run: Path, scores: Sequence[PointScore]) -> None:
    with (run / POINTS).open("a", encoding="utf-8") as file:
        file.writelines(f"{one.model_dump_json()}\n" for one in scores)


def test_whoever_looks_at_points_on_the_way_meets_each_once(tmp_path: Path) -> None:
    with indexed(run_of(tmp_path, papers=5)) as index:
        every = {line.point_id for line in index.points(Filter())[0]}
        flags = {line.point_id for line in index.points(Filter(verdict="flag"))[0]}

        met = walk(index, Filter(), look=True)

        assert sorted(every) == sorted(met)
        assert flags == set(met[: len(flags)])
        assert walk(index, Filter(verdict="flag", seen="no")) == []


def test_an_order_by_paper_goes_over_the_ends_of_its_pages(tmp_path: Path) -> None:
    with indexed(run_of(tmp_path, papers=40, per_paper=9)) as index:
        index.set_titles([(f"p{number}", f"Title {99 - number}") for number in range(40)])
        pages = [index.points(Filter(), page, "title") for page in range(1, 6)]
        one = index.papers(Filter(words="title 61"))

    found = [line for lines, _ in pages for line in lines]
    assert [len(lines) for lines, _ in pages] == [100, 100, 100, 60, 0]
    assert len({line.offset for line in found}) == 360
    assert [line.title for line in found] == sorted(line.title for line in found)
    assert [line.paper_id for line in one[0]] == ["p38"]
