"""What is flagged, what is only quoted, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.judges.lexical.finder import FLAGGED_SCORE, NOTHING_FOUND_SCORE, Found, find
from reviewscore.judges.lexical.index import index_of
from reviewscore.papers.rows import PaperRow, build_paper
from reviewscore.schema.paper import Paper
from reviewscore.schema.verdict import Finding

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
def test_a_dedicated_passage_is_flagged_and_quoted(text: str, quoted: str) -> None:
    found = look_up(text)

    assert found.finding is Finding.FLAGGED
    assert found.score == FLAGGED_SCORE
    assert any(quoted in " ".join(evidence.quote.split()) for evidence in found.evidence)


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
    ],
)
def test_what_a_quote_would_not_settle_is_never_flagged(text: str) -> None:
    assert look_up(text).finding is not Finding.FLAGGED


@pytest.mark.parametrize(
    "text",
    [
        "The writing is hard to follow.",
        "The novelty is limited.",
        "The authors should sort slugs as well.",
        "How might the network be extended to slugs?",
        "More pictures are needed.",
        "...",
        "Why?",
    ],
)
def test_opinions_and_empty_points_cannot_be_judged(text: str) -> None:
    found = look_up(text)

    assert found.finding is Finding.CANNOT_JUDGE
    assert found.score is None
    assert found.evidence == ()


def test_a_hedged_denial_of_something_there_is_possibly_addressed() -> None:
    found = look_up("The limitations for broken shells are not discussed thoroughly.")

    assert found.finding is Finding.POSSIBLY_ADDRESSED
    assert found.score is None
    assert "broken shells" in found.evidence[0].quote


def test_nothing_found_says_so_and_quotes_nothing() -> None:
    found = look_up("There is no experiment with octopus tentacles.")

    assert found.finding is Finding.NOTHING_FOUND
    assert found.score == NOTHING_FOUND_SCORE
    assert found.evidence == ()
    assert "other ones" in found.rationale


def test_a_flag_names_the_section_it_rests_on() -> None:
    found = look_up("The paper does not discuss the limitations of the method.")

    assert "'5 Limitations'" in found.rationale
    assert found.evidence[0].section == "5 Limitations"


def test_a_point_with_a_second_request_is_not_flagged() -> None:
    text = "There are no experiments. Can the authors explain the network?"

    assert look_up(text).finding is not Finding.FLAGGED


def test_a_paper_without_sections_is_searched_without_flags_on_headings() -> None:
    paper = Paper(paper_id="bare", title="Bare", text="The snail is sorted by its shell. " * 9)

    found = find("There is no ablation study.", paper)

    assert found.finding is Finding.NOTHING_FOUND


def test_an_empty_paper_holds_nothing() -> None:
    paper = Paper(paper_id="empty", title="Empty", text="")

    assert find("Which dataset is used?", paper).finding is Finding.NOTHING_FOUND


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

    for evidence in found.evidence:
        assert evidence.verified
        assert evidence.start is not None
        assert paper.text[evidence.start : evidence.end] == evidence.quote
        section = paper.section_at(evidence.start)
        assert section is not None
        assert section.label == evidence.section
    assert (found.finding in (Finding.FLAGGED, Finding.POSSIBLY_ADDRESSED)) == bool(found.evidence)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gets_the_same_outcome_twice(text: str) -> None:
    assert find(text, snails()) == find(text, snails())
