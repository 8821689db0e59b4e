"""What the finder says of points on an invented paper, on layouts of it, and on real papers."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.judges.lexical.finder import Found, find
from reviewscore.papers.load import PaperRow, build_paper, load_paper
from reviewscore.papers.parts import shown
from reviewscore.points.places import with_places
from reviewscore.points.split import split_review
from reviewscore.retrieval.index import index_of
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review
from reviewscore.schema.verdict import Finding
from tests.conftest import SHARED, make_point

TEXT = """Sorting Snails by Shell

Abstract
We sort snails by the pattern of their shells. Sorting is done by a small network.

1 Introduction
Snails are sorted by hand in most museums, which takes a long time and many people.

2 Related Work
Earlier sorting machines used scales and sieves. An ablation study of sieves was done by Shelly.

3 Method
A camera takes a picture of each snail. The whorl index is defined as the number of turns divided
by the height of the shell. A network with five layers assigns one of nine species.

3.1 Shell Segmentation
The shell is separated from the background by a threshold on the hue of each pixel. Shell
segmentation runs on every picture before the network sees it.

4 Experiments
We evaluate the network on 4,000 pictures and compare it with two museum workers.

4.1 Implementation Details
We train the network with the Adam optimizer and a learning rate of 0.002 for 30 epochs.

4.2 Sensitivity to the Threshold
Accuracy is stable when the threshold varies between 0.2 and 0.6 and drops by nine points for
larger values.

4.3 Running Time
Sorting one snail takes 0.4 seconds on a laptop, which is twelve times faster than a worker.

4.4 Comparison with Machines
Our network sorts better than SieveNet-2, which was trained on the same pictures of snails.

5 Limitations
Our network fails for broken shells, and it cannot tell juveniles of related species apart.

5.1 Colour Calibration
Colour calibration of the camera is left to future work.

References
S. Shelly. An ablation study of sieves for snails. 1999.
"""


def snails() -> Paper:
    """An invented paper."""
    return build_paper(PaperRow(paper_id="snails", title="Sorting Snails by Shell", text=TEXT))


def look_up(text: str) -> Found:
    """The outcome for one point on the invented paper."""
    return find(text, snails())


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("The paper does not discuss the limitations of the method.", "broken shells"),
        ("What are the limitations of the proposed method?", "broken shells"),
        ("Which optimizer and learning rate are used?", "0.002"),
        ("How sensitive is the method to the threshold?", "drops by nine points"),
        ("The paper does not report running times.", "0.4 seconds"),
        ("There are no experiments.", "4,000 pictures"),
        ("The whorl index is not defined.", "turns divided"),
        ("What is the whorl index?", "turns divided"),
        ("How does the method compare to SieveNet-2?", "better than SieveNet-2"),
        ("How does it compare to recent sorters like SieveNet-2?", "better than SieveNet-2"),
        ("The paper does not discuss shell segmentation.", "segmentation runs"),
    ],
)
def test_a_point_with_a_dedicated_passage_is_addressed_and_quoted(text: str, quoted: str) -> None:
    found = look_up(text)

    assert found.finding is Finding.ADDRESSED
    assert any(quoted in " ".join(passage.quote.split()) for passage in found.passages)


@pytest.mark.parametrize(
    "text",
    [
        "There is no ablation study.",  # only other people's, in related work
        "The paper does not discuss colour calibration.",  # conceded
        "How sensitive is the method to the number of species?",  # a part is not matched
        "The limitations are not discussed thoroughly.",  # hedged
        "Can the authors provide more experiments?",  # a degree
        "How does the method compare to other state-of-the-art sorters?",  # nothing named
        "What are the limitations, and how could they be overcome?",  # two questions
        "There is no user study.",
        "The shell angle is not defined.",
        "How does it compare to recent sorters like SieveNet-9?",  # another name
        "What is shown in Figure 4, the running time?",  # one place only
        "What is the full name of the whorl index?",
        "The network is not compared to these: [3], [4].",
        "Is this trained with the Adam optimizer?",
    ],
)
def test_what_a_quote_would_not_settle_is_never_addressed(text: str) -> None:
    assert look_up(text).finding is not Finding.ADDRESSED


@pytest.mark.parametrize(
    "text",
    [
        "The writing is hard to follow.",
        "The novelty is limited.",
        "...",
        "Why?",
    ],
)
def test_what_names_nothing_of_the_paper_cannot_be_judged(text: str) -> None:
    found = look_up(text)

    assert found.finding is Finding.CANNOT_JUDGE
    assert found.passages == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The authors should sort slugs as well.", "which no passage can settle"),
        ("How might the network be extended to slugs?", "what could be or may happen"),
        ("More pictures are needed.", "a judgement"),
        ("The novelty of the network is limited.", "worth, novelty or writing"),
    ],
)
def test_an_opinion_gets_passages_to_read_and_why_none_can_settle_it(text: str, why: str) -> None:
    found = look_up(text)

    assert found.finding is Finding.PASSAGES
    assert why in found.rationale
    assert "These passages are the nearest to the point." in found.rationale


def test_a_hedged_denial_of_something_there_gets_the_closest_passages() -> None:
    found = look_up("The limitations for broken shells are not discussed thoroughly.")

    assert found.finding is Finding.PASSAGES
    assert "broken shells" in found.passages[0].quote


def test_passages_are_ranked_by_what_they_hold_and_not_by_their_place() -> None:
    found = look_up("Can the authors explain how the threshold separates shells from the hue?")

    assert found.finding is Finding.PASSAGES
    assert "threshold on the hue" in " ".join(found.passages[0].quote.split())
    starts = [passage.start or 0 for passage in found.passages]
    assert len(starts) > 1
    again = look_up("Can the authors explain how sorting takes seconds on a laptop, and the shell?")
    starts = [passage.start or 0 for passage in again.passages]
    assert starts != sorted(starts)


def test_where_no_passage_is_near_the_finder_cannot_judge_and_says_what_it_read() -> None:
    found = look_up("There is no experiment with octopus tentacles.")

    assert found.finding is Finding.CANNOT_JUDGE
    assert found.passages == ()
    assert "No passage was found in the parts read: main text." in found.rationale
    assert "other ones" in found.rationale


def test_the_appendix_is_read_and_what_was_cut_is_said() -> None:
    text = f"{TEXT}\nA Training Details\nWe train on four GPUs of the kind V100 for two days.\n"
    row = PaperRow(paper_id="snails", title="Sorting Snails by Shell", text=text)
    paper = shown(build_paper(row, source="pdf"), "auto")

    there = find("How many GPUs of the kind V100 do you train on?", paper)
    absent = find("Does the method work on octopus tentacles?", paper)
    cut = find("How many GPUs of the kind V100 do you train on?", shown(paper, "main"))

    assert "V100" in there.passages[0].quote
    assert there.passages[0].section == "appendix"  # its heading is not recognised
    assert "main text, appendix" in absent.rationale
    assert "was not read" not in absent.rationale
    assert cut.rationale.endswith("main text; the appendix was not read.")
    assert not any("V100" in passage.quote for passage in cut.passages)
    nothing = find("There are no octopus tentacles.", shown(paper, "main"))
    assert "parts read: main text; the appendix was not read." in nothing.rationale


def test_references_are_no_evidence_in_any_format() -> None:
    for source in ("pdf", "text"):
        row = PaperRow(paper_id="snails", title="Sorting Snails by Shell", text=TEXT)
        paper = shown(build_paper(row, source=source), "auto")

        found = find("Can the authors discuss the work of Shelly from 1999 on sieves?", paper)

        assert all(passage.section != "References" for passage in found.passages)


def test_the_rationale_names_the_section_that_speaks_to_a_point() -> None:
    found = look_up("The paper does not discuss the limitations of the method.")

    assert "'5 Limitations'" in found.rationale
    assert found.passages[0].section == "5 Limitations"


def test_a_point_with_a_second_request_is_not_addressed() -> None:
    text = "There are no experiments. Can the authors explain the network?"

    assert look_up(text).finding is not Finding.ADDRESSED


def test_a_paper_without_sections_is_searched_without_answers_under_headings() -> None:
    paper = Paper(paper_id="bare", title="Bare", text="The snail is sorted by its shell. " * 9)

    found = find("There is no ablation study.", paper)

    assert found.finding is Finding.CANNOT_JUDGE


def test_an_empty_paper_holds_nothing() -> None:
    paper = Paper(paper_id="empty", title="Empty", text="")

    assert find("Which dataset is used?", paper).finding is Finding.CANNOT_JUDGE


def test_the_index_of_a_paper_is_built_once() -> None:
    assert index_of(snails()) is index_of(snails())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ("no the is not what limitations snail shell ? . " + "there rate how because").split(
                " "
            )
        ),
        max_size=14,
    )
)
def test_every_quote_is_the_papers_own_text_in_the_section_it_names(words: list[str]) -> None:
    paper = snails()

    found = find(" ".join(words), paper)

    for passage in found.passages:
        assert passage.verified
        assert passage.start is not None
        assert paper.text[passage.start : passage.end] == passage.quote
        section = paper.section_at(passage.start)
        assert section is not None
        assert section.label == passage.section
    assert (found.finding in (Finding.ADDRESSED, Finding.PASSAGES)) == bool(found.passages)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gets_the_same_outcome_twice(text: str) -> None:
    assert find(text, snails()) == find(text, snails())


def naming(text: str, paper: Paper) -> Found:
    return find(text, paper, with_places(make_point(text), paper).places or ())


CAPTIONED = TEXT.replace(
    "5 Limitations",
    "Table 2: Seconds a snail by network and worker, on one laptop.\n\n5 Limitations",
)


def test_what_stands_at_a_place_that_the_point_names_comes_first() -> None:
    paper = build_paper(PaperRow(paper_id="snails", text=CAPTIONED))
    text = "The sorting by the better network was trained no faster than by hand in Table 2."

    without, named = find(text, paper), naming(text, paper)

    assert not without.passages[0].quote.startswith("Table 2")
    assert named.passages[0].quote.startswith("Table 2: Seconds")
    assert "in Table 2, which the point names" in named.rationale
    assert "which the point names" not in without.rationale


def test_a_named_section_comes_first_only_with_what_bears_on_the_point() -> None:
    paper = build_paper(PaperRow(paper_id="snails", text=CAPTIONED))

    far = naming("The whorl index of Section 5 divides turns by the height of the shell.", paper)

    assert "whorl index is defined" in far.passages[0].quote
    assert "which the point names" not in far.rationale


def test_what_stands_at_a_named_place_is_shown_though_it_shares_no_word() -> None:
    paper = build_paper(PaperRow(paper_id="snails", text=CAPTIONED))

    found = naming("Odd fonts: Table 2.", paper)

    assert found.finding is Finding.PASSAGES
    assert found.passages[0].quote.startswith("Table 2: Seconds")
    assert "in Table 2, which the point names" in found.rationale


def test_words_that_a_point_quotes_are_named_so() -> None:
    paper = build_paper(PaperRow(paper_id="snails", text=CAPTIONED))

    found = naming('What does "cannot tell juveniles of related species" mean?', paper)

    assert "cannot tell juveniles" in found.passages[0].quote
    assert "The first passage holds words that the point quotes" in found.rationale


def test_the_same_words_are_shown_once() -> None:
    again = TEXT.replace("5 Limitations", "We sort snails by the pattern of their shells.\n" * 3)
    paper = build_paper(PaperRow(paper_id="twice", text=again))

    found = find("Are snails sorted by patterns alone?", paper)

    quotes = [" ".join(passage.quote.split()) for passage in found.passages]
    assert sum("pattern of their shells" in quote for quote in quotes) == 1


@pytest.mark.parametrize("text", ["Which optimizer is used in Table 2?", "Figure 9 is missing."])
def test_a_named_place_makes_no_point_addressed(text: str) -> None:
    paper = build_paper(PaperRow(paper_id="snails", text=CAPTIONED))

    assert naming(text, paper).finding is find(text, paper).finding is not Finding.ADDRESSED


REMARKS = (
    "There is no ablation study (see Table 1).",
    "The number of random seeds is not reported for Table 1.",
    "Exchangeability is assumed in Section 3.3 without a word on storms.",
    "Snow is ignored, which is a weakness.",
    "How many channels does the encoder have (Section 3.2)?",
    "How long does training take?",
    "Is the code released?",
)


@cache
def _paper(layout: str) -> Paper:
    return load_paper(SHARED / "pdf_submissions" / f"{layout}.pdf")


def _seen(layout: str, remark: str) -> tuple[str, list[str]]:
    """The finding and the passages that are shown first, line ends aside."""
    paper = _paper(layout)
    found = find(remark, paper, with_places(make_point(remark), paper).places or ())
    quotes = [re.sub(r"-\n|[\s-]", "", one.quote) for one in found.passages[:2]]
    return found.finding, quotes


@pytest.mark.shared
@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("layout", ["neurips", "iclr", "icml", "acl"])
@pytest.mark.parametrize("remark", REMARKS)
def test_line_numbers_change_neither_finding_nor_passages(layout: str, remark: str) -> None:
    assert _seen(layout, remark) == _seen("plain", remark)


def _records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.shared
def test_passages_are_verbatim_and_answers_are_rare_on_real_papers(shared: Path) -> None:
    folder = shared / "iclr2022" / "sample12"
    rows = _records(folder / "papers.jsonl")
    papers = {
        row["paper_id"]: build_paper(
            PaperRow(paper_id=row["paper_id"], title=row["title"], text=row["text"])
        )
        for row in rows
    }
    outcomes = []
    for row in _records(folder / "reviews.jsonl"):
        fields = {name: text for name, text in row["sections"].items() if text}
        review = Review(review_id=row["review_id"], paper_id=row["paper_id"], fields=fields)
        for point in split_review(review, include_limitations=True):
            for words in (point.text, *(again.text for again in point.occurrences)):
                outcomes.append((papers[row["paper_id"]], find(words, papers[row["paper_id"]])))

    assert len(outcomes) > 300
    for paper, found in outcomes:
        for passage in found.passages:
            assert paper.text[passage.start : passage.end] == passage.quote
    addressed = sum(found.finding is Finding.ADDRESSED for _, found in outcomes)
    assert addressed < 0.02 * len(outcomes)
