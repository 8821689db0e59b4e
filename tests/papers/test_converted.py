"""Texts that converters made: what they lack is counted, what they wrote otherwise is read."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.cli.inspect import command
from reviewscore.judges.asker import Asker
from reviewscore.judges.lexical.finder import find
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.judges.model_judges import FactualityReply
from reviewscore.llm.client import Client
from reviewscore.llm.provider import Traits
from reviewscore.papers.converted import gaps_in_words, in_one_notation, left_out
from reviewscore.papers.load import PaperRow, build_paper, load_paper
from reviewscore.papers.parts import shown
from reviewscore.papers.places import rests_on_missing
from reviewscore.papers.quotes import find_quote
from reviewscore.papers.sentences import SentenceKind, sentences
from reviewscore.pipeline import score_point
from reviewscore.points.split import split_review
from reviewscore.report.lines import paper_unread_words, unread_evidence_words, unread_words
from reviewscore.schema.paper import Missing, Paper, Unread, UnreadTotal, Zone
from reviewscore.schema.place import PlaceKind
from reviewscore.schema.point_score import Status
from reviewscore.schema.review import Review
from reviewscore.schema.verdict import Finding

FORMULA = "<!-- formula-not-decoded -->"
IMAGE = "<!-- image -->"
PLAIN = "# Tides\n\n## 1 Introduction\n\nTides rise and fall in every harbour of the north.\n"
TABLE = (
    "Table 2: Settings of the training runs.\n\n"
    "| Setting | Alder | Birch |\n|---|---|---|\n| Optimizer | Adam | Lion |\n"
    "| Batch size | 64 | 128 |\n"
)
DOCLING = (
    "## Tides\n\n## 1 Introduction\n\nTides rise &amp; fall, and n &lt; 5 harbours are seen.\n\n"
    f"## 2 Method\n\nThe loss is the sum of both terms of the model:\n\n{FORMULA}\n\n"
    f"The other loss reads\n\n$$L = x$$ (2)\n\n{IMAGE}\n\nFigure 1: A wave at night.\n\n"
    f"## Datasets\n\nWe use two harbours of the north in all runs.\n\n{TABLE}\n"
    "## 3 Results\n\nErrors are small on both coasts over ten seeds of the model.\n"
)


def read(text: str) -> Paper:
    return build_paper(PaperRow(paper_id="tides", text=text))


@pytest.mark.parametrize(
    ("mark", "formulas", "figures"),
    [
        (FORMULA, 1, 0),
        (IMAGE, 0, 1),
        ("![](_page_3_Figure_2.jpeg)", 0, 1),
        ("![Refer to caption](images/ab.jpg)", 0, 1),
        ("**==> picture [200 x 90] intentionally omitted <==**", 0, 1),
        ("where DISPLAYFORM0 holds", 1, 0),
        ("an EQUATION in a sentence, a [link](x.md), and x < y", 0, 0),
        ("<!-- a remark of the authors -->", 0, 0),
    ],
)
def test_placeholders_of_many_converters_are_counted(
    mark: str, formulas: int, figures: int
) -> None:
    found = left_out(f"Before it.\n\n{mark}\n\nAfter it.\n")

    assert (found.formulas, found.figures, found.figures_unseen) == (
        formulas, figures, bool(figures),
    )  # fmt: skip


def test_what_is_missing_is_said_in_words() -> None:
    assert Missing(formulas=26, figures=3, figures_unseen=True).words == (
        "26 formulas and all figures"
    )
    assert Missing(formulas=1).words == "1 formula"
    assert Missing().words == ""


def test_entities_are_characters_again_and_quotes_with_them_are_found() -> None:
    paper = read(DOCLING)

    assert "Tides rise & fall, and n < 5 harbours" in paper.text
    assert find_quote(paper, "rise & fall, and n < 5 harbours").verified


def test_a_text_that_speaks_of_entities_keeps_them() -> None:
    text = "We write &amp; where Chen & Li write and, as Moor & Sun do."

    assert in_one_notation(text).text == text


@given(st.text(alphabet=st.sampled_from("ab &<>!|()[]-\n#;amplt"), max_size=80))
def test_a_text_without_entities_and_tables_stays_as_it_is(text: str) -> None:
    if "&" not in text and "<table" not in text:
        assert in_one_notation(text).text == text


def test_images_within_the_text_do_not_fill_it() -> None:
    found = in_one_notation(f"A.\n\n![Wave](data:image/png;base64,{'A' * 90_000})\n\nB.")

    assert (len(found.text) < 50, found.missing.figures) == (True, 1)


def test_tables_in_html_become_rows() -> None:
    table = (
        "Text before it.\n<table><tr><td>Coast</td><td colspan=2>Error &amp; n</td></tr>"
        "<tr><td>Alder</td><td>3</td><td>4</td></tr></table>\nText after it."
    )

    assert in_one_notation(table).text == (
        "Text before it.\n\n\n| Coast | Error & n |  |\n|---|---|---|\n| Alder | 3 | 4 |\n\n"
        "\nText after it."
    )


def test_tables_that_never_end_are_left_alone() -> None:
    text = "<table><tr><td>" * 3000

    assert in_one_notation(text).text == text


def test_a_row_stands_with_its_caption_and_header() -> None:
    rows = [unit for unit in sentences(read(DOCLING)) if unit.kind is SentenceKind.ROW]

    assert [row.text for row in rows] == [
        "| Optimizer | Adam | Lion |",
        "| Batch size | 64 | 128 |",
    ]
    assert rows[1].context == (
        "Table 2: Settings of the training runs.\n| Setting | Alder | Birch |"
    )


def test_a_row_is_a_passage_that_names_its_table_and_addresses_nothing() -> None:
    found = find("What batch size was used for Birch?", read(DOCLING))

    assert found.finding is Finding.PASSAGES
    row = next(one for one in found.passages if "128" in one.quote)
    assert row.quote == "| Batch size | 64 | 128 |"
    assert row.section is not None
    assert "Table 2: Settings" in row.section
    assert row.section.endswith("columns Setting, Alder, Birch")


def test_numbers_decide_where_all_headings_are_of_one_level() -> None:
    levels = {one.title: one.level for one in read(DOCLING).sections}

    assert (levels["Method"], levels["Datasets"], levels["Results"]) == (1, 2, 1)


def test_a_heading_in_related_work_is_related_work() -> None:
    text = (
        "## T\n\n## 1 Introduction\n\nTides rise and fall in harbours.\n\n## 2 Related Work\n\n"
        "Others did this.\n\n## Moons\n\nMoons were studied before.\n\n## 3 Method\n\nWe do it.\n\n"
        "## References\n\n- [1] A. B. 2019.\n\n## Proofs\n\nIt is easy.\n"
    )

    zones = {one.title: (one.zone, one.level) for one in read(text).sections}
    assert zones["Moons"] == (Zone.RELATED_WORK, 2)
    assert zones["Proofs"] == (Zone.APPENDIX, 1)


def test_placeholders_in_a_markdown_file_hide_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tides.md"
    path.write_text(DOCLING)

    paper = load_paper(path)

    assert paper.warnings == ()
    assert paper.missing.words == "1 formula and all figures"
    assert FORMULA in paper.text


def test_inspect_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "tides.md"
    path.write_text(DOCLING)

    result = CliRunner().invoke(command, [str(path)], standalone_mode=False)

    assert "missing     1 formula and all figures" in result.output


def test_pages_say_what_is_missing() -> None:
    unread = shown(read(DOCLING), "auto").unread
    assert unread is not None

    total = UnreadTotal.over([unread, Unread(parts={"references": 10}, characters=100)])
    assert total is not None
    assert unread_words(total).endswith(
        "missing in the texts: 1 formula of 1 paper and the figures of 1 paper"
    )
    assert total.characters == 100
    assert paper_unread_words(unread) == ("Missing in the text at hand: 1 formula and all figures.")
    assert unread_evidence_words(unread).startswith("Judged without: 1 formula and all figures.")


def test_a_model_is_told_in_one_line_and_only_where_something_is_missing() -> None:
    client = SimpleNamespace(provider_of=lambda model: SimpleNamespace(traits=Traits()))
    asker = Asker(cast(Client, client), model="openai/any")

    def item(paper: Paper) -> str:
        request, _ = asker.request(
            "claim_factuality",
            FactualityReply,
            paper=paper,
            point="p",
            context="",
            places=(),
            response=None,
        )
        return request.messages[0].content

    plain, lacking = item(read(PLAIN)), item(read(DOCLING))
    more = [line for line in lacking.splitlines() if line not in plain.splitlines()]
    assert len(more) == 1
    assert "1 formula and all figures" in more[0]


@pytest.mark.parametrize(
    ("kind", "label", "missing"),
    [
        (PlaceKind.EQUATION, "1", True),
        (PlaceKind.EQUATION, "2", False),
        (PlaceKind.FIGURE, "1", True),
        (PlaceKind.TABLE, "2", False),
        (PlaceKind.SECTION, "9", False),
    ],
)
def test_a_named_formula_or_figure_may_be_missing(
    kind: PlaceKind, label: str, missing: bool
) -> None:
    assert bool(rests_on_missing(read(DOCLING), kind, label)) is missing
    assert not rests_on_missing(read(PLAIN), kind, label)


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        ("Equation (1) does not define the loss of the model.", True),
        ("In Figure 1, the wave at night is not explained.", True),
        ("In Table 2 and Figure 1, the optimizer is not explained.", False),
        ("The loss of the model in Equation (2) is not explained.", False),
    ],
)
async def test_a_point_that_rests_on_what_is_missing_says_so_and_is_never_addressed(
    said: str, lacking: bool
) -> None:
    review = Review(review_id="r", paper_id="tides", fields={"weaknesses": f"- {said}"})
    (point,) = split_review(review)

    score = await score_point(point, read(DOCLING), LexicalJudges())

    assert score.status is Status.UNSCORED
    assert ("lacks" in score.rationale) is lacking
    assert not lacking or score.finding is Finding.PASSAGES
    assert not lacking or score.passages


def test_people_see_gaps_in_words() -> None:
    text = "As in <!-- formula-not-decoded --> and <!-- image --> we see."

    assert gaps_in_words(text) == "As in [formula missing] and [figure missing] we see."
