"""Checklists and a venue's notes: whose text is it, and what may rest on it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from reviewscore.judges.lexical.finder import find
from reviewscore.papers.load import PaperRow, build_paper, load_paper
from reviewscore.papers.parts import QUESTIONS, shown
from reviewscore.papers.quotes import find_quote
from reviewscore.schema.paper import Paper, Zone
from reviewscore.schema.verdict import Finding
from tests.conftest import SHARED

BODY = (
    "# Tides\n\nAnonymous Author(s)\n\nPaper under double-blind review\n\n## Abstract\n\n"
    "We forecast tides with a small network and report errors on two coasts.\n\n"
    "## 1 Introduction\n\nTides rise and fall, and harbours want to know when they do.\n\n"
    "## 2 Results\n\nThe error is 4 centimetres on both coasts over ten seeds.\n\n"
    "## References\n\n- [1] A. Harbour. Moons. Sea Letters, 2019.\n\n"
)
LABELLED = """## Tidal Congress Paper Checklist

The checklist encourages good practice. Delete this block.

## 1. Claims

Question: Do the main claims reflect the contributions and scope?

Answer: [Yes]

Justification: The claims are restated in Section 2 with their errors.

Guidelines:

- The answer NA means that the abstract does not include the claims made in the paper.

## 2. Compute

Question: Does the paper give enough information on the computer resources?

Answer: [No]

Justification: Memory was not measured on the coasts.

## Guidelines:

- The paper should disclose whether the full project required preliminary or failed experiments.

## 3. Theory

Question: Are all assumptions given? Answer: [NA] Justification: No theory is here. Guidelines:

- The answer NA means that the paper does not include theoretical results.
"""
LISTED = """Tidal Congress Paper Checklist
- 1. Claims
- Question: Do the main claims reflect the contributions and scope?
- Answer: [Yes]
- Justification: The claims are restated in Section 2 with their errors.
Guidelines:
• The answer NA means that the abstract does not include the claims made in the paper.
2.
Compute
Question: Does the paper give enough information on the computer resources?
Answer: [No]
Justification: Memory was not measured on the coasts.
• The paper should disclose whether the full project required preliminary or failed experiments.
3. Theory
Question: Are all assumptions given?
Answer: [NA]
Justification: There is no theory here.
"""
BRACKETED = """## Checklist

1. For all authors...

- (a) Do the main claims reflect the contributions and scope? [Yes]
- (b) Did you describe the limitations of your work? [No] Memory was not measured on the coasts.

2. If you ran experiments...

- (a) Did you include the code needed to reproduce the main results? [Yes] See the archive.

"""
CODED = """Responsible Harbour Checklist

A For every submission:
✓ A1. Did you describe the limitations of your work?
Section 2

✗ A2. Did you discuss how your use of artifacts was consistent with their intended use, provided
that it was specified? For the artifacts you create, is that use
specified as well?
Left blank.

B1. If you used existing packages, did you report their settings?
In the second section.

"""
OPTIONS = """## Reproducibility Checklist

This paper:

- Includes a conceptual outline of the methods introduced (yes/partial/no/NA) yes
- Clearly delineates opinions from objective facts and results (yes/no) yes
- Provides references for less-familiar readers (yes/no) no

Does this paper make theoretical contributions? (yes/no) no
"""


def paper(checklist: str = LABELLED, after: str = "") -> Paper:
    return build_paper(PaperRow(paper_id="tides", text=BODY + checklist + after))


def venue(found: Paper) -> str:
    return "".join(
        found.text[span.start : span.end]
        for span in found.venue_text
        if span.zone is Zone.CHECKLIST
    )


@pytest.mark.parametrize(
    ("form", "of_venue", "of_authors"),
    [
        (LABELLED, ["Delete this block", "failed experiments"], ["Memory was not measured"]),
        (LISTED, ["The answer NA", "computer resources"], ["Memory was not measured"]),
        (BRACKETED, ["If you ran", "limitations of your work"], ["Memory was", "See the archive"]),
        (CODED, ["specified as well?", "existing packages"], ["Section 2", "second section"]),
        (OPTIONS, ["conceptual outline", "theoretical contributions?"], [" yes", " no"]),
    ],
    ids=["labelled", "listed", "bracketed", "coded", "options"],
)
def test_questions_are_the_venues_and_answers_the_authors(
    form: str, of_venue: list[str], of_authors: list[str]
) -> None:
    found = paper(form)

    checklist = [section for section in found.sections if section.zone is Zone.CHECKLIST]
    whole = found.text[checklist[0].start : checklist[-1].end]
    said = shown(found, "auto").read_text[len(BODY) :]
    assert checklist[0].title.endswith("Checklist")
    assert whole.strip() == form.strip()
    assert [words for words in of_venue if words not in venue(found)] == []
    assert [words for words in of_authors if words not in said] == []
    assert [words for words in of_venue if words in said] == []


def test_a_lost_heading_does_not_hide_a_checklist() -> None:
    found = paper(LABELLED.split("block.\n\n")[1])

    titles = [section.title for section in found.sections if section.zone is Zone.CHECKLIST]
    assert titles == ["1. Claims", "2. Compute", "3. Theory"]


def test_a_checklist_ends_where_an_appendix_begins() -> None:
    found = paper(LABELLED, "\n## A Proofs\n\nThe proof is short and stands here as an appendix.\n")

    assert (found.sections[-1].label, found.sections[-1].zone) == ("A Proofs", Zone.APPENDIX)
    assert "The proof is short" not in venue(found)


def test_items_of_a_checklist_are_no_sections_of_the_paper() -> None:
    numbers = [section.number for section in paper(LISTED).sections if section.number]

    assert numbers == ["1", "2"]


@pytest.mark.parametrize(
    "text",
    [
        "## A Prompts\n\nQuestion: Is it red?\n\nAnswer: Yes\n\nQuestion: Is it big?\n\n"
        "Answer: No\n\n"
        "Question: Is it old?\n\nAnswer: Yes\n",
        "## A Survey\n\nA1. Do you sail at night?\nOften.\n\nA2. Do you sail alone?\nNo.\n\n"
        "A3. Do you sail far?\nYes.\n",
    ],
)
def test_questions_in_a_data_set_are_no_checklist(text: str) -> None:
    assert venue(paper(text)) == ""


def test_guidelines_answer_no_reviewer() -> None:
    found = find("There are no failed experiments reported.", shown(paper(), "auto"))

    assert all("should disclose" not in one.quote for one in found.passages)
    assert find("Does the paper disclose failed experiments?", paper()).finding is not (
        Finding.ADDRESSED
    )


def test_an_authors_answer_is_shown_as_one_and_addresses_nothing() -> None:
    found = find("Was memory measured on the coasts?", shown(paper(), "auto"))

    assert found.finding is Finding.PASSAGES
    assert found.passages[0].quote.endswith("Memory was not measured on the coasts.")
    assert found.passages[0].section == "in the checklist the authors say (2. Compute)"


def test_a_quote_from_guidelines_is_rejected_and_an_answer_is_not() -> None:
    claimed = "the full project required preliminary or failed experiments"
    for one in (paper(), shown(paper(), "auto")):
        rejected = find_quote(one, claimed)
        kept = find_quote(one, "Memory was not measured on the coasts")

        assert (rejected.verified, rejected.of_venue, rejected.start) == (False, True, None)
        assert kept.verified
        assert not find_quote(one, "nobody ever wrote these words").of_venue


def test_a_note_of_anonymity_is_no_evidence() -> None:
    found = paper()

    notes = [found.text[s.start : s.end] for s in found.venue_text if s.zone is Zone.BOILERPLATE]
    assert notes == ["Anonymous Author(s)", "Paper under double-blind review"]
    assert find_quote(found, "Paper under double-blind review").of_venue


@pytest.mark.parametrize(
    "line",
    [
        "Under review as a conference paper at ICLR 2031",
        "Submitted to 39th Conference on Tides (TIDES 2031). Do not distribute.",
        "Preliminary work. Under review by the Tidal Congress. Do not distribute.",
        "This work is licensed under a Creative Commons licence.",
        "© 2031 Association for Tides",
    ],
)
def test_notes_of_many_venues_are_known(line: str) -> None:
    text = f"# Tides\n\n{line}\n\nWe forecast tides and harbours with a small network.\n"

    found = build_paper(PaperRow(paper_id="x", text=text))

    assert [found.text[span.start : span.end] for span in found.venue_text] == [line]


def test_model_judges_see_answers_without_questions_and_it_is_said() -> None:
    whole = paper()
    seen = shown(whole, "auto")

    assert seen.text == whole.text
    assert seen.unread is not None
    assert list(seen.unread.parts) == [QUESTIONS]
    assert seen.unread.parts[QUESTIONS] == len(venue(whole))
    assert all(whole.is_venue_text(one.start, one.end) for one in seen.unread_spans)


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
def test_checklists_of_submissions_are_parted() -> None:
    table = pd.read_parquet(SHARED / "neurips" / "submissions_papers.parquet")
    parted, leaking = 0, []
    for paper_id, text in zip(table.paper_id[:8], table.text[:8], strict=True):
        one = build_paper(PaperRow(paper_id=paper_id, text=text), doubts=False)
        checklist = [section for section in one.sections if section.zone is Zone.CHECKLIST]
        seen = shown(one, "all").read_text
        parted += len(checklist) > 10
        leaking += [paper_id] if "The answer NA means" in seen else []

    assert (parted, leaking) == (8, [])


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
@pytest.mark.parametrize("name", ["03", "12", "30"])
def test_checklists_of_published_papers_are_known_by_their_form(name: str) -> None:
    found = load_paper(Path(SHARED / "pdf_dev" / f"{name}.pdf"))

    (section,) = [one for one in found.sections if one.zone is Zone.CHECKLIST]
    assert section.title == "ACL 2023 Responsible NLP Checklist"
    assert "Did you cite the creators" in venue(found)
    assert "Did you" not in shown(found, "all").read_text[section.start :]
