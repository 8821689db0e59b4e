"""Passages that confirm what a reviewer criticises are told from those that answer it."""

from __future__ import annotations

import pytest

from reviewscore.judges.lexical.concessions import acknowledges, concedes, marked
from reviewscore.judges.lexical.content import wanted_content
from reviewscore.judges.lexical.finder import find
from reviewscore.judges.lexical.forms import Clause, clauses_of, form_of, main_clause
from reviewscore.judges.lexical.lexicon import ASPECTS
from reviewscore.judges.lexical.support import fit
from reviewscore.papers.sections import find_sections
from reviewscore.retrieval.index import index_of
from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.verdict import Finding


def clause(text: str) -> Clause:
    return Clause(text, form_of(text))


@pytest.mark.parametrize(
    ("point", "passage"),
    [
        ("There is no evaluation on estuary gauges.",
         "We do not evaluate on estuary gauges, which is left for future work."),
        ("Only calm harbours were tested.",
         "A limitation is that our tests cover calm harbours alone."),
        ("The paper does not report error bars for the tide forecasts.",
         "Error bars of the forecasts are not explicitly reported, as runs are costly."),
        ("The step size of the gauge network is tuned by hand.",
         "The step size of the network is manually tuned for each harbour."),
        ("The forecasts only span thirty-minute windows.",
         "Due to constraints of our stations, forecasts span thirty-minute windows."),
        ("The network needs the salinity of every harbour.",
         "We acknowledge that the network needs the salinity of a harbour."),
    ],
)  # fmt: skip
def test_a_passage_that_concedes_the_same_thing_confirms_the_point(
    point: str, passage: str
) -> None:
    assert acknowledges(passage, clause(point))


@pytest.mark.parametrize(
    ("point", "passage"),
    [
        ("There is no evaluation on estuary gauges.",
         "Table 4 holds the evaluation on eleven estuary gauges."),  # answers
        ("There is no evaluation on estuary gauges.",
         "We leave the salinity of open seas for future work."),  # concedes another thing
        ("Is there an evaluation on estuary gauges?",
         "We do not evaluate on estuary gauges."),  # nothing is criticised
        ("The limitations of the gauge network are not discussed.",
         "A limitation of the gauge network is that it needs salinity."),  # an answer
        ("The gauge network only suits calm harbours.",
         "Existing models have the limitation that a gauge network suits calm harbours."),
        ("The gauge network only suits calm harbours.",
         "Our gauge network overcomes this limitation in calm harbours and rough ones."),
        ("The gauge network only suits calm harbours.",
         "Our gauge network is not limited to calm harbours."),
        ("There is no proof of the estuary bound.",
         "We leave the proof of the estuary bound to Appendix B."),
        ("", "We do not evaluate on estuary gauges."),
    ],
)  # fmt: skip
def test_answers_other_concessions_and_limits_of_others_confirm_nothing(
    point: str, passage: str
) -> None:
    assert not acknowledges(passage, clause(point))


PAPER = (
    "# Tides\n\n## 4 Experiments\n\nThe gauges stand in twelve harbours of one coast.\n\n"
    "## 5 Ablation study\n\nIn this ablation study we remove the salinity input. "
    "We do not run an ablation study of the moon phase input, for want of time.\n\n"
    "## 6 Limitations\n\nA limitation of our gauges is that storms break them.\n"
)


def paper() -> Paper:
    return Paper(paper_id="t", title="Tides", text=PAPER, sections=find_sections(PAPER))


@pytest.mark.parametrize(
    ("point", "finding"),
    [
        ("There is no ablation study of the moon phase input.", Finding.PASSAGES),
        ("There is no ablation study of the salinity input.", Finding.ADDRESSED),
        ("The paper does not discuss its limitations.", Finding.ADDRESSED),
        ("What are the limitations of the gauges?", Finding.ADDRESSED),
    ],
)
def test_nothing_is_addressed_by_a_passage_that_confirms_it(point: str, finding: Finding) -> None:
    found = find(point, paper())
    looked_up = main_clause(clauses_of(point))

    assert looked_up is not None
    assert found.finding is finding
    confirming = [acknowledges(quote.quote, looked_up) for quote in found.passages]
    assert any(confirming) == (finding is Finding.PASSAGES)


def test_no_passage_that_could_answer_is_one_that_confirms() -> None:
    points = [
        f"The paper does not {deed} {thing}."
        for deed in ("discuss", "report", "provide")
        for thing in ("an ablation study of the moon phase", "limitations of the gauges")
    ]
    for passage in index_of(paper()).passages:
        for point in points:
            for aspect in (None, *wanted_content(point).aspects):
                assert aspect is None or aspect in ASPECTS
                if fit(passage, aspect):
                    assert not acknowledges(passage.text, clause(point))


def test_passages_of_a_finding_are_marked_and_records_without_a_mark_stay_as_they_were() -> None:
    said = "We do not evaluate on estuary gauges, which is left for future work."
    passages = (
        Evidence(quote="Gauges stand in harbours.", start=0, end=25, verified=True),
        Evidence(quote=said, start=30, end=30 + len(said), verified=True),
    )

    plain, confirming = marked(passages, clause("There is no evaluation on estuary gauges."))

    assert plain == passages[0]
    assert confirming.acknowledges
    assert "acknowledges" not in plain.model_dump_json()
    assert Evidence.model_validate_json(confirming.model_dump_json()) == confirming
    assert Evidence.model_validate_json(plain.model_dump_json()) == plain


def test_a_concession_is_of_this_work() -> None:
    assert concedes("This remains an open question.")
    assert concedes("Our model is limited to calm harbours.")
    assert not concedes("Prior methods have this limitation.")
