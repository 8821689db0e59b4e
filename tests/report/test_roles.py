"""The same run for a meta-reviewer, a reviewer and an author: what each is shown, and what not."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.pages.point_card import SheetQuote
from reviewscore.report.role_pages import markdown, write_for
from reviewscore.report.roles import (
    _CLOSINGS,
    _OPENINGS,
    Entry,
    Reader,
    Sheet,
    called,
    faults,
    notes,
    proof,
    sheet,
)
from reviewscore.schema.paper import Unread
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from reviewscore.schema.verdict import Verdict
from tests.report.synthetic import (
    PAPER,
    lexical_points,
    manifest,
    model_points,
    naming_places,
    point,
    quote,
    write_run,
)

SENTENCE = "The learning rate is 0.003 and is halved every ten epochs."


def question(number: int, *quotes: str, text: str = "What learning rate was used?") -> PointScore:
    evidence = tuple(quote(one) for one in quotes)
    return point(
        number,
        text,
        type=PointType.QUESTION,
        base=1,
        misinformed=True,
        verdict=Verdict(scale="unanswerability", score=1, answer="0.003", evidence=evidence),
        evidence=evidence,
    )


def own_words(page: Sheet) -> str:
    return " ".join(
        " ".join((*entry.own, entry.closing)) for part in page.parts for entry in part.entries
    )


def test_a_meta_reviewer_sees_each_misinformed_point_with_its_proof() -> None:
    points = model_points()

    page = sheet(Reader.META_REVIEWER, "tides", "Tides", points)

    proved = [one for one in points if called(one) and proof(one)]
    assert proved
    shown = [
        entry.point
        for part in page.parts
        if part.heading.startswith("Review ")
        for entry in part.entries
    ]
    assert shown == [one.short_name for one in proved]
    asked = next(part for part in page.parts if part.heading == "What to ask")
    assert len(asked.entries) == len(proved)
    assert all(entry.closing.endswith("?") for entry in asked.entries)


def test_points_without_a_verified_quote_are_kept_apart() -> None:
    page = sheet(Reader.META_REVIEWER, "tides", "Tides", [question(1), question(2, SENTENCE)])

    bare = next(part for part in page.parts if "without a verified quote" in part.heading)
    assert [entry.point for entry in bare.entries] == ["tides-r1#1"]
    assert "do not rely on them" in bare.lead


def test_the_weight_of_a_review_counts_only_points_with_a_verdict() -> None:
    fine = point(2, "Would this work on rivers?", type=PointType.QUESTION, base=5,
                 misinformed=False)  # fmt: skip
    unknown = point(3, "x", type=PointType.CLAIM, misinformed=None)

    page = sheet(Reader.META_REVIEWER, "tides", "T", [question(1, SENTENCE), fine, unknown])

    assert page.parts[-1].rows == (("tides-r1", "3", "1", "1", "1", "1 of 2"),)


def test_a_reviewer_gets_a_kind_note_with_an_exact_quote_and_no_score() -> None:
    page = sheet(Reader.REVIEWER, "tides", "Tides", [question(1, SENTENCE)])

    ((part,),) = (page.parts,)
    (note,) = part.entries
    assert note.quotes == (SheetQuote(SENTENCE, quote(SENTENCE).section),)
    assert note.closing.endswith("?")
    assert "misinformed" not in markdown(page)
    assert "1/5" not in markdown(page)


def test_a_reviewer_hears_nothing_of_points_that_are_fine_or_unproved() -> None:
    fine = point(2, "Would this work on rivers?", type=PointType.QUESTION, base=5,
                 misinformed=False)  # fmt: skip

    page = sheet(Reader.REVIEWER, "tides", "Tides", [question(1), fine])

    assert page.parts == ()
    assert "No passage of the paper was found" in page.lead


def test_no_note_says_the_same_passage_twice_and_neighbours_are_worded_otherwise() -> None:
    quotes = (SENTENCE, SENTENCE, "We repeat every run with five seeds")
    points = [question(n, text, text=f"Q{n}?") for n, text in enumerate(quotes, start=1)]

    made = notes([(one, proof(one)) for one in points])

    assert [entry.said for entry in made] == ["Q1?", "Q3?"]
    assert made[0].own != made[1].own


@pytest.mark.parametrize("kind", list(PointType))
def test_every_pattern_of_a_note_keeps_the_rules(kind: PointType) -> None:
    for opening in _OPENINGS[kind]:
        for closing in _CLOSINGS[kind]:
            assert faults(Entry("said", (opening,), (SheetQuote("q"),), closing)) == ()


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (Entry("s", ("Look.",), (), "Is it?"), "it has no quote"),
        (Entry("s", ("Look.",), (SheetQuote("q"),), "It is."), "it does not end with a question"),
        (Entry("s", ("You are wrong.",), (SheetQuote("q"),), "Is it?"), "its words are not kind"),
        (Entry("s", ("It has 2/5.",), (SheetQuote("q"),), "Is it?"), "its words are not kind"),
        (Entry(" ", ("Look.",), (SheetQuote("q"),), "Is it?"), "does not say what it is about"),
    ],
)
def test_a_note_that_breaks_a_rule_is_not_sent(entry: Entry, fault: str) -> None:
    assert any(fault in one for one in faults(entry))


def test_an_author_sees_which_premises_are_contradicted_where() -> None:
    page = sheet(Reader.AUTHOR, "tides", "Tides", model_points())

    words = own_words(page)
    assert "contradicted by the paper" in words
    assert "(presumed, " in words
    headings = [part.heading for part in page.parts]
    assert headings[0] == "Answered or contradicted by the paper"
    assert "Without a verdict" in headings


@pytest.mark.parametrize("reader", list(Reader))
def test_no_page_calls_a_finding_of_the_embedded_judge_a_verdict(reader: Reader) -> None:
    unread = Unread(parts={"appendix": 10}, characters=100)

    page = sheet(reader, "tides", "Tides", lexical_points(), unread=unread)

    words = markdown(page).replace("\\", "")
    for unfit in ("misinformed", "proof", "verdict", "stands", "Scores"):
        assert unfit not in words.replace("Each stands in the paper", "")
    assert "evidence finder" in page.banners[0]
    assert "Not read by the judge: appendix" in page.banners[1]


def test_a_meta_reviewer_gets_counts_of_findings_and_the_passages_that_answer() -> None:
    page = sheet(Reader.META_REVIEWER, "tides", "Tides", lexical_points())

    answered, asked, near, table = page.parts
    assert table.rows == (("tides-r1", "4", "2", "1", "1"),)
    assert [entry.point for entry in answered.entries] == ["tides-r1#1", "tides-r1#4"]
    assert answered.entries[0].quotes[0].text == "The learning rate is 0.003"
    assert all(entry.closing.endswith("?") for entry in asked.entries)
    assert near.heading == "Review tides-r1: passages to read"
    assert [entry.point for entry in near.entries] == ["tides-r1#2"]


def test_a_reviewer_and_an_author_get_the_passages_to_read_and_notes_on_answers_alone() -> None:
    reviewer = sheet(Reader.REVIEWER, "tides", "Tides", lexical_points())
    author = sheet(Reader.AUTHOR, "tides", "Tides", lexical_points())

    noted, near = reviewer.parts
    assert [entry.point for entry in noted.entries] == ["tides-r1#1", "tides-r1#4"]
    assert [entry.point for entry in near.entries] == ["tides-r1#2"]
    assert near.heading.endswith("passages to read")
    assert "What comes nearest to your other points follows." in reviewer.lead
    assert "reasons" not in own_words(reviewer)  # nothing was looked at in parts
    assert [len(part.entries) for part in author.parts] == [2, 1, 1]
    assert [quote.text for quote in author.parts[1].entries[0].quotes] == [
        "We repeat every run with five seeds", "The learning rate is 0.003",
    ]  # fmt: skip


@pytest.mark.parametrize("reader", [Reader.META_REVIEWER, Reader.AUTHOR])
def test_pages_are_one_file_or_a_folder_with_a_page_for_each_paper(
    tmp_path: Path, reader: Reader
) -> None:
    other = [one.model_copy(update={"paper_id": "a/b", "review_id": "z", "point_id": f"z#{n}"})
             for n, one in enumerate(model_points())]  # fmt: skip
    run = write_run(tmp_path / "run", [*model_points(), *other], made=manifest())

    one = write_for(run, reader)
    text = write_for(run, reader, out=tmp_path / "all.md")
    many = write_for(run, reader, titles=lambda _: "A <b>title</b>", out=tmp_path / "pages")

    assert [path.name for path in one] == [f"for-{reader.value}.html"]
    assert text[0].read_text().count("\n# ") + 1 == 3  # a list and two pages
    names = ("a-b-c14cddc0", "tides")
    assert [path.name for path in many] == [
        f"{name}.{ending}" for name in ("index", *names) for ending in ("html", "md")
    ]
    page = (tmp_path / "pages" / f"{names[1]}.html").read_text()
    assert "A &lt;b&gt;title&lt;/b&gt;" in page
    assert "default-src &#39;none&#39;" in page
    with pytest.raises(SettingsError, match=r"unknown ending '\.docx'"):
        write_for(run, reader, out=tmp_path / "x.docx")


def test_pages_of_any_ids_have_names_of_their_own(tmp_path: Path) -> None:
    names = ["index", "p" * 300, "p" * 299 + "q", "Tides", "tides", "a/b", "a_b", "a-b", "CON",
             "..", "-x", "x\u202ey", "\x1b[2J"]  # fmt: skip
    run = write_run(tmp_path / "run", points_of_papers(names), made=manifest())

    _, _, *pages = write_for(run, Reader.AUTHOR, out=tmp_path / "pages")

    assert len({path.name.casefold() for path in pages}) == len(pages) == 2 * len(names)
    assert all(len(path.name) <= 120 and path.is_file() for path in pages)
    assert not {"con", "..", ""} & {path.stem.casefold() for path in pages}
    assert not any(path.name.startswith("-") for path in pages)
    _, _, *again = write_for(run, Reader.AUTHOR, out=tmp_path / "again")
    assert [path.name for path in again] == [path.name for path in pages]


def test_a_page_that_cannot_be_written_loses_no_other(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", points_of_papers(["a", "b", "c"]), made=manifest())
    (tmp_path / "pages" / "a.html" / "taken").mkdir(parents=True)
    failed: list[RunFolderError] = []

    pages = write_for(run, Reader.AUTHOR, out=tmp_path / "pages", failed=failed)

    assert [path.name for path in pages[2:]] == ["a.md", "b.html", "b.md", "c.html", "c.md"]
    assert len(failed) == 1
    assert "a.html" in str(failed[0])
    with pytest.raises(RunFolderError, match=r"a\.html"):
        write_for(run, Reader.AUTHOR, out=tmp_path / "pages")


@pytest.mark.parametrize("reader", [Reader.REVIEWER, Reader.META_REVIEWER])
def test_papers_are_listed_by_title_with_most_to_read_first_and_no_page_is_empty(
    tmp_path: Path, reader: Reader
) -> None:
    fine = point(2, "Would this work on rivers?", type=PointType.QUESTION, base=5,
                 misinformed=False)  # fmt: skip
    of = {
        "bare": [fine],
        "few": [question(1, SENTENCE)],
        "many": [question(1, SENTENCE), question(2, "We repeat every run with five seeds")],
    }
    run = write_run(
        tmp_path / "run",
        [
            one.model_copy(
                update={"paper_id": name, "review_id": f"{name}-r", "point_id": f"{name}#{place}"}
            )
            for name, points in of.items()
            for place, one in enumerate(points)
        ],
        made=manifest(),
    )
    titles = {"bare": "All is well", "few": r"Learning $\mathcal{O}(n)$", "many": "Tides"}

    index, listed, *pages = write_for(run, reader, titles=titles.get, out=tmp_path / "pages")

    ending = "-r" if reader is Reader.REVIEWER else ""
    assert [path.name for path in pages[::2]] == [f"few{ending}.html", f"many{ending}.html"]
    assert (index.name, listed.name) == ("index.html", "index.md")
    texts = [index.read_text(), listed.read_text()]
    if reader is not Reader.REVIEWER:
        (alone,) = write_for(run, reader, titles=titles.get, out=tmp_path / "alone.md")
        (page,) = write_for(run, reader, titles=titles.get, out=tmp_path / "alone.html")
        texts += [alone.read_text(), page.read_text()]
        assert texts[2].count("\n# ") == 2
        assert texts[3].count('<article class="sheet"') == 2
    for text in texts:
        places = [text.index(word) for word in ("Tides", "Nothing to read", "All is well")]
        assert places == sorted(places)
        assert "Learning" in text
        assert "mathcal" not in text
    assert f'href="many{ending}.html">Tides</a>' in index.read_text()
    assert f"(many{ending}.md): 2 of 2 points" in listed.read_text()
    for written in pages:
        assert SENTENCE in written.read_text().replace("\\", "")


def test_pages_of_an_earlier_report_are_taken_away_and_nothing_else_is(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    first = write_run(tmp_path / "first", points_of_papers(["a", "b", "c", "d"]), made=manifest())
    second = write_run(tmp_path / "second", points_of_papers(["b"]), made=manifest())
    write_for(first, Reader.AUTHOR, out=pages)
    (pages / "notes.html").write_text("a stranger's", "utf-8")
    (pages / "c.md").write_text("with words of my own", "utf-8")
    (tmp_path / "elsewhere.html").write_bytes((pages / "d.html").read_bytes())
    (pages / "d.html").unlink()
    (pages / "d.html").symlink_to(tmp_path / "elsewhere.html")

    written = write_for(second, Reader.META_REVIEWER, out=pages)

    ours = {"index.html", "index.md", "b.html", "b.md"}
    assert {path.name for path in written} == ours
    left = {path.name for path in pages.iterdir()} - {"pages.json"}
    assert left - ours == {"notes.html", "c.md", "d.html"}
    assert (pages / "c.md").read_text("utf-8") == "with words of my own"
    assert (tmp_path / "elsewhere.html").is_file()
    write_for(second, Reader.META_REVIEWER, out=pages)
    assert {path.name for path in pages.iterdir()} - {"pages.json"} == left


@pytest.mark.parametrize("listed", ["../notes.html", "sub/notes.html", "/notes.html", "run.json"])
def test_a_list_of_pages_that_names_other_places_is_refused(tmp_path: Path, listed: str) -> None:
    run = write_run(tmp_path / "run", points_of_papers(["a"]), made=manifest())
    pages = tmp_path / "pages"
    write_for(run, Reader.AUTHOR, out=pages)
    (tmp_path / "notes.html").write_text("mine", "utf-8")
    digest = hashlib.sha256(b"mine").hexdigest()
    forged = {"schema": "reviewscore.pages/1", "reader": "author", "files": {listed: digest}}
    (pages / "pages.json").write_text(json.dumps(forged), "utf-8")

    with pytest.raises(RunFolderError, match=r"pages\.json: not a list of pages"):
        write_for(run, Reader.AUTHOR, out=pages)

    assert (tmp_path / "notes.html").read_text("utf-8") == "mine"


def reviews_with_words_of_their_own(count: int) -> list[PointScore]:
    """The points of several reviews of a paper; in each stands a word that is in no other."""
    return [
        one.model_copy(update={
            "review_id": f"by{review}", "point_id": f"by{review}#{number}",
            "text": f"{one.text} marker{review}mark", "section": f"heading{review}head",
        })
        for review in range(count)
        for number, one in enumerate([*model_points(), question(9, SENTENCE)][: review + 2])
    ]  # fmt: skip


@pytest.mark.parametrize("points", ["verdicts", "findings"])
def test_a_reviewer_is_sent_a_page_that_knows_no_other_review(tmp_path: Path, points: str) -> None:
    made = reviews_with_words_of_their_own(4)
    if points == "findings":
        made = [
            one.model_copy(update={"review_id": f"by{review}", "point_id": f"by{review}#{number}",
                                   "text": f"{one.text} marker{review}mark"})
            for review in range(4)
            for number, one in enumerate(lexical_points())
        ]  # fmt: skip
    run = write_run(tmp_path / "run", made, made=manifest())

    index, _, *pages = write_for(run, Reader.REVIEWER)

    assert index.parent == run / "for-reviewer"
    assert [path.stem for path in pages[::2]] == ["by0", "by1", "by2", "by3"]
    for number, path in enumerate(pages):
        text = path.read_text()
        assert f"marker{number // 2}mark" in text
        for other in {0, 1, 2, 3} - {number // 2}:
            assert not re.search(rf"by{other}|marker{other}mark|heading{other}head", text)
        assert not re.search(r"\b\d+ reviews\b|these reviews", text)


def test_no_file_shows_a_reviewer_the_reviews_of_others(tmp_path: Path) -> None:
    several = write_run(tmp_path / "run", reviews_with_words_of_their_own(2), made=manifest())
    single = write_run(tmp_path / "one", reviews_with_words_of_their_own(1), made=manifest())

    for ending in ("html", "md"):
        with pytest.raises(SettingsError, match=r"name a folder \(-o notes\)"):
            write_for(several, Reader.REVIEWER, out=tmp_path / f"notes.{ending}")
        write_for(single, Reader.REVIEWER, out=tmp_path / f"single.{ending}")

        assert not (tmp_path / f"notes.{ending}").exists()
        assert "marker0mark" in (tmp_path / f"single.{ending}").read_text()


def test_the_list_of_reviewers_pages_names_the_reviews_of_a_paper_together(tmp_path: Path) -> None:
    of = {"a1": ("tides", 2), "b1": ("rivers", 1), "a2": ("tides", 0), "b2": ("rivers", 1)}
    made = [
        question(n, quoted).model_copy(
            update={"paper_id": paper, "review_id": review, "point_id": f"{review}#{n}"}
        )
        for review, (paper, count) in of.items()
        for n, quoted in enumerate([SENTENCE, "We repeat every run with five seeds"][:count])
    ]
    made.append(question(3).model_copy(
        update={"paper_id": "tides", "review_id": "a3", "point_id": "a3#3"}))  # fmt: skip
    run = write_run(tmp_path / "run", made, made=manifest())

    _, listed, *_ = write_for(run, Reader.REVIEWER)

    lines = [line for line in listed.read_text().splitlines() if line.startswith("- ")]
    assert [re.findall(r"\b[ab]\d\b", line)[0] for line in lines] == ["a1", "b1", "b2", "a3"]


def points_of_papers(names: list[str]) -> list[PointScore]:
    """The same points for each of several papers."""
    return [
        one.model_copy(
            update={"paper_id": name, "review_id": f"r{row}", "point_id": f"r{row}#{number}"}
        )
        for row, name in enumerate(names)
        for number, one in enumerate(model_points())
    ]


@pytest.mark.parametrize("reader", list(Reader))
def test_places_stand_with_their_point_on_each_readers_page(tmp_path: Path, reader: Reader) -> None:
    run = write_run(tmp_path / "run", [naming_places()], made=manifest())

    _, _, html, text = write_for(
        run, reader, papers={"tides": PAPER}.__getitem__, out=tmp_path / "pages"
    )
    (alone,) = write_for(run, reader, out=tmp_path / "alone.md")

    assert html.read_text().count("<summary>Section A, p. 2</summary>") == 1
    assert "A Details" in html.read_text()
    assert "- Section A, p. 2: “A Details Baselines were tuned" in text.read_text()
    assert text.read_text().count("- Table 9 (not in the text at hand)") == 1
    assert "- Section A, p. 2\n" in alone.read_text()


@pytest.mark.parametrize(("doubt", "named"), [("", "Tides of Ponds"), ("it is cut", "tides")])
def test_a_paper_that_names_itself_gives_its_page_the_title(
    tmp_path: Path, doubt: str, named: str
) -> None:
    paper = PAPER.model_copy(update={"title": "Tides of Ponds", "title_doubt": doubt})
    run = write_run(tmp_path / "run", [question(1)])

    (page,) = write_for(
        run, Reader.AUTHOR, titles=lambda _: None, papers=lambda _: paper, out=tmp_path / "x.md"
    )

    assert f": {named}\n" in page.read_text()
