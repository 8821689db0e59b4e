"""The list of papers: what needs a person first is first, and a title is never an id."""

from __future__ import annotations

import re
from dataclasses import replace

from reviewscore.pages.environment import own_environment
from reviewscore.pages.paper_list import FlagLine, PaperLine, in_order, titled

HOSTILE = "<script>alert(1)</script>\"'"
LINE = PaperLine("p1", "Tides", "#tides", reviews=2, points=8, flags=2, possible=1, failed=1)


def drawn(lines: list[PaperLine], *, lexical: bool = False) -> str:
    macros = own_environment().get_template("papers.html").module
    return str(macros.paper_list(lines, lexical))  # type: ignore[attr-defined]


def test_papers_with_most_flags_are_first_then_titles_and_ids_as_people_count_them() -> None:
    few = replace(LINE, paper_id="p9", title="A study", flags=1)
    ids = [replace(few, paper_id=name, title="") for name in ("p10", "p2")]
    tenth, second = (replace(few, paper_id=name, title=f"B {name}") for name in ("10", "2"))

    ordered = in_order([*ids, tenth, few, second, LINE])

    assert ordered == [LINE, few, second, tenth, ids[1], ids[0]]


def test_flags_that_nobody_has_looked_at_come_before_flags_that_somebody_has() -> None:
    done, waiting = replace(LINE, flags=9, unseen=0), replace(LINE, flags=1, unseen=1)

    assert in_order([done, waiting]) == [waiting, done]
    assert "Not looked at" in drawn([done, waiting])
    assert "Not looked at" not in drawn([LINE])


def test_a_paper_without_a_title_says_so_beside_its_id() -> None:
    html = drawn([replace(LINE, title="")])

    assert '<a href="#tides">untitled</a> <span class="muted">p1</span>' in html
    assert titled("", "p1") == "untitled (p1)"
    assert titled("word " * 40, "p1").endswith("word … (p1)")


def test_the_bar_shows_the_share_of_flags_of_points_that_are_close_and_of_failures() -> None:
    shares = [(part.colour, part.left, part.width) for part in LINE.bar]

    assert shares == [("flag", 0.0, 25.0), ("near", 25.0, 12.5), ("lost", 37.5, 12.5)]
    assert replace(LINE, points=0, flags=0, possible=0, failed=0).bar == ()


def test_titles_and_ids_are_text_and_the_table_has_a_caption_and_heads() -> None:
    html = drawn([replace(LINE, title=HOSTILE, paper_id=HOSTILE)], lexical=True)

    assert "<script" not in html
    assert html.count("<caption") == 1
    assert re.findall(r'scope="(col|row)"', html) == ["col"] * 4 + ["row"]


def test_first_flags_are_links_with_the_points_own_words() -> None:
    macros = own_environment().get_template("papers.html").module
    flag = FlagLine("#p-1", f"No ablation. {HOSTILE}", "s1", "judged misinformed (1/5)", "Tides")

    html = str(macros.first_flags([flag]))  # type: ignore[attr-defined]

    assert re.search(r'<a href="#p-1">No ablation\. &lt;script', html)
    assert "<script" not in html
