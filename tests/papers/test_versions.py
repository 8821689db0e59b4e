"""What reviewers could not see: answers to reviews, revised text, published versions."""

from __future__ import annotations

import pytest

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.parts import without_doubtful
from reviewscore.papers.quotes import find_quote
from reviewscore.papers.versions import revised_spans, version_doubts
from reviewscore.schema.paper import DoubtKind, Paper, Zone
from tests.growth import LINEAR, growth, timed

HEAD = "Counting Frogs with Microphones\n\nAnonymous authors\n\n"
NAMED = "Counting Frogs with Microphones\n\nAda Frog\nPond Institute\nada@pond.example.org\n\n"
BODY = (
    "Abstract\nWe count frogs in ponds from sound alone.\n\n"
    "1 Introduction\nCounting animals by hand is slow and dull work for people.\n\n"
    "2 Method\nWe train a small network on windows of two seconds each.\n\n"
)
LATER = "Our counter reaches the same accuracy in heavy rain as it does on dry nights."


def paper(text: str) -> Paper:
    return build_paper(PaperRow(paper_id="frogs", text=text))


@pytest.mark.parametrize(
    "title",
    [
        "Additional Experiments for Rebuttal",
        "Response to Reviewers",
        "Responses to the Anonymous Referees",
        "Rebuttal",
        "Experiments Requested by Reviewers",
        "Results Added During the Rebuttal Period",
        "Summary of Changes",
    ],
)
def test_a_section_that_answers_reviews_has_a_zone_of_its_own_and_proves_nothing(
    title: str,
) -> None:
    seen = paper(f"{HEAD}{BODY}3 {title}\n{LATER}\n\n3.1 Rain\nRain fell on four nights in May.\n")

    doubt = find_quote(seen, LATER).doubt
    below = find_quote(seen, "Rain fell on four nights in May").doubt

    assert [s.title for s in seen.sections if s.zone is Zone.REBUTTAL] == [title, "Rain"]
    assert doubt is not None and doubt.kind is DoubtKind.REBUTTAL_SECTION
    assert below == doubt  # named after the section that answers reviews
    assert find_quote(seen, "We train a small network on windows").doubt is None


@pytest.mark.parametrize("heading", ["A Additional Experiments for Rebuttal", "A. Rebuttal"])
def test_a_lone_line_is_a_heading_of_answers_where_no_other_rule_takes_it_for_one(
    heading: str,
) -> None:
    end = f"References\nA. Frog. Ponds. 2019.\n\n{heading}\nThey asked for more.\n\n"
    seen = paper(
        f"{HEAD}{BODY}{end}A.1 Rain\n{LATER}\n\nB PONDS ELSEWHERE\nAll ponds lie in one country.\n"
    )

    assert find_quote(seen, "They asked for more").doubt is not None
    assert find_quote(seen, LATER).doubt is not None
    assert find_quote(seen, "All ponds lie in one country").doubt is None


@pytest.mark.parametrize(
    "title",
    [
        "Experiments",
        "Response of Frogs to Rain",
        "Answers to Common Questions",
        "Changes in Habitat",
        "New Results for Large Ponds",
        "Discussion",
        "Rebutting the Null Hypothesis",
    ],
)
def test_other_headings_are_no_answers_to_reviews(title: str) -> None:
    seen = paper(f"{HEAD}{BODY}3 {title}\n{LATER}\n")

    assert find_quote(seen, LATER).doubt is None


def test_no_heading_or_mark_counts_in_a_paper_about_reviewing() -> None:
    about = "Peer review is slow, and reviewers differ in what they say of a rebuttal. " * 4
    seen = paper(
        f"{HEAD}{BODY}3 Data\n{about}\n\n4 Response to Reviewers\n{LATER}\n\n"
        f"5 Effects\nChanges were often suggested by one of the reviewers.\n"
    )

    assert find_quote(seen, LATER).doubt is None
    assert not seen.revised_spans


@pytest.mark.parametrize(
    "mark",
    [
        "[Revised]",
        "(added in the revision)",
        "[New in this version]",
        "Revised:",
        "Added during the rebuttal:",
        "As suggested by one of our reviewers, we went out in rain.",
        "As suggested by an anonymous\nreviewer, we went out in rain.",
        "Following the reviewers' comments, we went out in rain.",
        "We have added this experiment during the rebuttal period.",
    ],
)
def test_a_paragraph_that_is_marked_as_revised_proves_nothing_and_others_do(mark: str) -> None:
    seen = paper(
        f"{HEAD}{BODY}3 Rain\nNights were dry at all ponds but one.\n\n{mark} {LATER}\n\n"
        "We went out with two biologists on each of the nights.\n"
    )

    doubt = find_quote(seen, LATER).doubt

    assert doubt is not None and doubt.kind is DoubtKind.REVISED_TEXT
    assert " ".join(mark.split()).startswith(doubt.sign) or doubt.sign in " ".join(mark.split())
    assert find_quote(seen, "Nights were dry at all ponds but one").doubt is None
    assert find_quote(seen, "We went out with two biologists on each").doubt is None


def test_a_mark_at_the_beginning_of_a_section_is_one_of_the_section() -> None:
    seen = paper(
        f"{HEAD}{BODY}3 Rain\nIt was suggested by one of our reviewers to go out in rain.\n\n"
        f"{LATER}\n\n4 Ponds\nAll ponds lie in one country and are small.\n"
    )

    assert find_quote(seen, LATER).doubt is not None
    assert find_quote(seen, "All ponds lie in one country").doubt is None


@pytest.mark.parametrize(
    "sentence",
    [
        "We revised the labels in a second pass over all the recordings.",
        "Formally, we define the revised score as follows for each pond.",
        "The scale (revised) of 1990 is used by two biologists at each pond.",
        "The code will be added to the camera-ready version of this paper.",
        "New results for ponds are in Table 2.",
    ],
)
def test_ordinary_sentences_are_no_marks(sentence: str) -> None:
    assert not paper(f"{HEAD}{BODY}3 Rain\n{sentence}\n").revised_spans


@pytest.mark.parametrize(
    ("head", "end", "sign"),
    [
        (NAMED, "", "an e-mail address before the abstract"),
        ("Published as a conference paper at POND 2024\n\n" + NAMED, "", "Published as a conf"),
        (
            "Frogs\n\nAda Frog\n\nProceedings of the 9th Pond Meeting, pages 10-20\n\n",
            "",
            "Proceedings of the 9th",
        ),
        (
            "Counting Frogs\n\nAda Frog\n\n",
            "Acknowledgements\nThis work was supported by the pond fund.\n",
            "its acknowledgements",
        ),
    ],
)
def test_a_published_paper_is_a_doubt_about_all_of_it(head: str, end: str, sign: str) -> None:
    (doubt,) = paper(f"{head}{BODY}{end}").doubts

    assert doubt.kind is DoubtKind.CAMERA_READY
    assert sign in doubt.sign
    assert "pond.example.org" not in doubt.sign


@pytest.mark.parametrize(
    "text",
    [
        HEAD + BODY,
        "Counting Frogs\n\nAda Frog\n\n" + BODY,  # a name alone may be anything
        NAMED.replace("Ada Frog", "Anonymous authors") + BODY,
        "Under review as a conference paper at POND 2024\n\n" + NAMED + BODY,
        "Counting Frogs\n\n" + BODY + "Acknowledgements\nWithheld; we thank nobody here.\n",
        HEAD + BODY + "References\nA. Frog. Published as a conference paper at POND 2020.\n",
        HEAD + BODY + "Figure 2: changes are shown in red.\n",
    ],
)
def test_a_submission_is_no_published_paper(text: str) -> None:
    assert paper(text).doubts == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "In this revised manuscript all changes are marked in blue.",
        "We thank the anonymous reviewers for their comments.",
    ],
)
def test_an_anonymous_paper_that_speaks_of_its_revision_is_a_doubt(sentence: str) -> None:
    (doubt,) = paper(f"{HEAD}{BODY}3 Ponds\n{sentence}\n").doubts

    assert doubt.kind is DoubtKind.REVISED_VERSION


def test_a_running_head_counts_as_a_line_of_the_paper() -> None:
    (doubt,) = version_doubts("Frogs\n", (), ["12", "Published as a conference paper at POND 24"])

    assert doubt.kind is DoubtKind.CAMERA_READY
    assert not version_doubts("Frogs\n", (), ["Under review as a conference paper at POND 24"])


def test_judges_can_be_shown_a_paper_without_what_came_after_the_reviews() -> None:
    seen = paper(f"{HEAD}{BODY}3 Rebuttal\n{LATER}\n")

    assert LATER in seen.read_text
    assert LATER not in without_doubtful(seen).read_text
    assert "two seconds" in without_doubtful(seen).read_text
    whole = paper(HEAD + BODY)
    assert without_doubtful(whole) is whole


@timed
@pytest.mark.parametrize("piece", ["suggested by the reviewers\n\n", "( newly   ", "we added it "])
def test_looking_for_marks_takes_time_in_proportion_to_the_text(piece: str) -> None:
    def work(text: str) -> None:
        revised_spans(text, (), ())
        version_doubts(text, ())

    assert growth(work, lambda size: piece * (size // len(piece)), 30_000) < LINEAR
