"""Two levels and what a remark takes for granted: cards, counts, filters, exports, role pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.pages.presuppositions import (
    fair_words,
    lead_words,
    look_words,
    own_words,
    paper_words,
    part_words,
    places_of,
    refuting,
    shown_parts,
)
from reviewscore.pages.wording import headline
from reviewscore.report.html import write_report
from reviewscore.report.lines import summary_lines
from reviewscore.report.markdown import markdown_report
from reviewscore.report.role_pages import markdown
from reviewscore.report.roles import Reader, faults, sheet, with_answers
from reviewscore.report.summary import summarise, write_summary
from reviewscore.runs.export import COLUMNS, parquet_row, row
from reviewscore.schema.author_answer import (
    AlignmentCertainty,
    AlignmentMethod,
    AnswerStance,
    AuthorAnswer,
)
from reviewscore.schema.paper import Doubt, DoubtKind, Evidence, Scope
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.presupposition import NOT_VISIBLE, Look, Supplies
from reviewscore.schema.review import PointKind
from reviewscore.schema.verdict import UnknownReason
from tests.report.presupposed import (
    ABSENT,
    HARBOURS,
    ONCE,
    PAPERS,
    RATE,
    REVIEWS,
    SEEDS,
    TUNED,
    granted,
    judged,
    look,
    part,
    presupposed_points,
)
from tests.report.synthetic import manifest, model_points, write_run

(MISINFORMED, SUPPLIED, STATED, BUNDLE, FOREIGN, INVISIBLE, CONTESTED, FAIR) = presupposed_points()
FEW = STATED.presuppositions[0]
THEOREM = granted("The paper has a Theorem 4.", true=1, foreign=True)
NEAR_THEOREM = granted("The paper has a Theorem 4.", true=4, foreign=True, nearest=(RATE,))


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        (MISINFORMED, "The paper gives in full what is said to be lacking: section 1 Method."),
        (SUPPLIED, "The paper gives most of what is said to be lacking: section A Details."),
        (STATED, "The authors state this too: section 1 Method."),
        (BUNDLE, "The paper gives a part of what is said to be lacking: section 1 Method."),
        (FOREIGN, "Nothing of the kind was found in the paper."),
        (INVISIBLE, "What would decide is not in the text at hand."),
        (FAIR, "The paper does not give what is said to be lacking."),
        (
            judged(1, look(part(1, granted("It has one run.", true=1)))),
            "The judge says that this is not so; no passage of the paper shows it.",
        ),
        (
            judged(1, look(part(2, granted("It has one run.", true=2, nearest=ONCE.nearest)))),
            "The paper says otherwise: section 1 Method.",
        ),
        (
            judged(1, look(part(5, granted("It has one run.", true=5, nearest=ONCE.nearest)))),
            "This is surely so (5/5), going by the paper: section 1 Method.",
        ),
        (
            judged(1, look(part(1, ONCE), kind=PointKind.REQUEST)),
            "The paper gives in full what is asked for: section 1 Method.",
        ),
        (
            judged(1, look(part(5, granted("No storms.", supplies=Supplies.NO))),
                   scope=Scope.EXCERPTS),
            "The part of the paper that was seen does not give what is said to be lacking.",
        ),
    ],
)  # fmt: skip
def test_the_sentence_on_top_says_what_is_taken_for_granted_and_what_the_paper_says(
    score: PointScore, sentence: str
) -> None:
    statement = score.presuppositions[0].statement

    assert lead_words(score) == f"The remark takes for granted: “{statement}” {sentence}"


@pytest.mark.parametrize(
    ("supplies", "true", "sentence"),
    [
        (Supplies.FULLY, 1, "The paper answers this in full: section 1 Method."),
        (Supplies.MOSTLY, 2, "The paper answers most of this: section 1 Method."),
        (Supplies.PARTLY, 4, "The paper answers a part of this: section 1 Method."),
        (Supplies.TOPIC_ONLY, 5, "The paper speaks of the topic, but does not answer this: "
         "section 1 Method."),
        (Supplies.NO, 5, "The paper does not answer this: section 1 Method."),
    ],
)  # fmt: skip
def test_of_a_question_it_says_how_far_the_paper_answers_it(
    supplies: Supplies, true: int, sentence: str
) -> None:
    runs = granted(
        "The number of runs is not said.", supplies=supplies, true=true, nearest=(SEEDS,)
    )
    score = judged(1, look(part(3, runs), kind=PointKind.QUESTION))

    assert lead_words(score) == f"The question takes for granted: “{runs.statement}” {sentence}"


@pytest.mark.parametrize(
    ("sections", "places"),
    [
        (("4.1 Setup",), "section 4.1 Setup"),
        (("4.1 Setup", "A Details", "4.1 Setup"), "section 4.1 Setup and section A Details"),
        (("4.1 Setup", "5 Limits", "A Details"),
         "section 4.1 Setup; section 5 Limits and section A Details"),
        (("1 A", "2 B", "3 C", "4 D"), "section 1 A; section 2 B; section 3 C and elsewhere"),
        (("Abstract", "front"), "abstract and front matter"),
        (("Introduction",), "section Introduction"),
        ((None,), ""),
    ],
)  # fmt: skip
def test_places_are_named_as_in_a_sentence(sections: tuple[str | None, ...], places: str) -> None:
    passages = [SEEDS.model_copy(update={"section": section}) for section in sections]

    assert places_of(passages, last=" and ") == places


def test_the_sentence_is_about_what_a_passage_refutes_whatever_stands_first() -> None:
    score = judged(1, look(part(1, granted("It is long."), ONCE)))

    assert ONCE.statement in lead_words(score)


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (
            MISINFORMED,
            "A fair remark would say what is left open by section 1 Method.",
        ),
        (FOREIGN, "A fair remark would be about something that is in this paper."),
        (
            judged(1, look(part(2, granted("It has one run.", true=2, nearest=ONCE.nearest)))),
            "A fair remark would leave this out, or say what is wrong in section 1 Method.",
        ),
        (
            judged(1, look(part(1, granted("It has one run.", true=1, nearest=(SEEDS,)), ONCE))),
            "A fair remark would leave this out, or say what is wrong in section 1 Method.",
        ),
        (judged(1, look(part(1, granted("It has one run.", true=1)))), ""),
        (
            judged(1, look(part(1, ONCE), kind=PointKind.QUESTION)),
            "A fair question would ask what is left open by section 1 Method.",
        ),
        (SUPPLIED, ""),
        (FAIR, ""),
    ],
)
def test_what_would_have_to_change_is_said_of_a_remark_that_would_not_stand(
    score: PointScore, words: str
) -> None:
    assert fair_words(score) == words


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (judged(5, look(part(1, THEOREM)), scope=Scope.EXCERPTS), UnknownReason.EXCERPTS),
        (judged(5, look(part(1, THEOREM)), scope=Scope.MAIN), UnknownReason.EXCERPTS),
        (CONTESTED, UnknownReason.CONTESTED),
        (
            judged(1, look(part(1, ONCE, granted("It has no plot.", true=NOT_VISIBLE)))),
            UnknownReason.NOT_VISIBLE,
        ),
    ],
)
def test_of_a_point_without_a_verdict_nothing_is_said_to_have_to_change(
    score: PointScore, reason: UnknownReason
) -> None:
    assert (score.misinformed, score.reason) == (None, reason)
    assert fair_words(score) == ""
    assert not any("A fair remark would" in line for line in own_words(score))
    author = markdown(sheet(Reader.AUTHOR, "tides", "Tides", [score]))
    assert "A fair remark would" not in author + score._repr_html_()


def test_of_a_bundled_remark_it_is_said_how_many_parts_are_misinformed() -> None:
    assert part_words(BUNDLE) == (
        "1 of 2 parts misinformed; the main part, which stands first, decides."
    )
    assert part_words(MISINFORMED) == ""


def test_the_parts_of_a_point_without_a_verdict_have_none(tmp_path: Path) -> None:
    missing = granted("It has no plot.", true=NOT_VISIBLE)
    bundles = [
        judged(1, look(part(1, ONCE), part(1, ONCE)), look(part(4, ONCE), number=2)),
        judged(4, look(part(4, missing, text="no plot"), part(1, ONCE, text="one run"))),
    ]

    for score in bundles:
        assert any(known.misinformed for known in score.parts)
        assert part_words(score) == ""
        assert {shown.misinformed for shown in shown_parts(score)} == {None}
        assert '"badge bad">misinformed' not in score._repr_html_()
        cells = row(score)
        assert (cells["parts"], cells["parts_misinformed"]) == (2, None)
    counts = summarise(write_run(tmp_path / "run", bundles)).judged
    assert counts is not None and counts.presuppositions is not None
    assert (counts.presuppositions.bundled, counts.presuppositions.parts_misinformed) == (2, 0)


def test_a_look_is_told_with_its_flag_its_standing_and_its_probability() -> None:
    assert look_words(MISINFORMED.looks[1]) == (
        "Look 2 by openai/imagined-1: misinformed, standing 2/5: a fair reviewer who knows the "
        "passages would probably not make this remark; probability 0.90 that an expert would call "
        "it wrong."
    )


def test_nothing_of_the_kind_is_said_of_points_of_other_protocols() -> None:
    assert [own_words(score) for score in model_points()] == [()] * 6


def test_points_are_ranked_by_standing_then_by_probability() -> None:
    likely = judged(8, look(part(5, granted("No storms.")), probability=0.6))
    scores = sorted((FAIR, STATED, likely, MISINFORMED), key=lambda one: -headline(one).order)

    assert scores[-1] is MISINFORMED
    assert headline(likely).order < headline(STATED).order
    assert headline(SUPPLIED).short == "not misinformed: the paper speaks to it (4/5)"
    assert headline(STATED).short == "not misinformed: the authors state it (5/5)"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", presupposed_points())


def test_the_summary_counts_two_levels_apart_and_what_authors_state_too(run: Path) -> None:
    write_summary(run)
    summary = summarise(run)

    judged_counts = json.loads((run / "summary.json").read_text("utf-8"))["judged"]
    levels = judged_counts["presuppositions"]
    assert (judged_counts["overall"]["misinformed"], judged_counts["overall"]["n"]) == (2, 6)
    assert (levels["overall"]["supplied"], levels["overall"]["n"]) == (2, 5)
    assert levels["overall"]["unknown"] == 3
    assert levels["overall"]["share"] == pytest.approx(0.4)
    assert levels["acknowledged"]["claim"] == 1
    assert (levels["bundled"], levels["parts_misinformed"], levels["contested"]) == (1, 1, 1)
    words = "\n".join(summary_lines(summary))
    assert "the paper speaks to: 2 of 5 (40.0%" in words
    assert "3 unknown), flagged or not" in words
    assert "1, each judged by its main part; in 1 another part alone is misinformed" in words
    assert "judged misinformed: 2 of 6" in words
    assert len(summary_lines(summary)) <= 10


def test_what_authors_state_is_counted_only_where_it_is_known_not_to_be_misinformed(
    tmp_path: Path,
) -> None:
    unknown = {"misinformed": None, "status": Status.UNKNOWN, "reason": UnknownReason.NOT_VISIBLE}
    points = [STATED, STATED.model_copy(update={"point_id": "tides-r2#9", **unknown})]

    counts = summarise(write_run(tmp_path / "run", points)).judged

    assert points[1].acknowledged
    assert counts is not None and counts.presuppositions is not None
    assert counts.presuppositions.acknowledged["claim"] == 1


def test_of_other_protocols_the_summary_says_nothing_of_levels(tmp_path: Path) -> None:
    write_summary(write_run(tmp_path / "run", model_points()))

    assert "presuppositions" not in (tmp_path / "run" / "summary.json").read_text("utf-8")
    page = write_report(tmp_path / "run", None, None)[0].read_text("utf-8")
    assert 'data-filter="supplied"' not in page
    assert "unanswerability (BASE)" in page


def test_on_excerpts_no_rate_is_made_of_what_the_paper_speaks_to(tmp_path: Path) -> None:
    points = [judged(1, look(part(1, ONCE)), scope=Scope.EXCERPTS)]
    levels = summarise(write_run(tmp_path / "run", points)).judged

    assert levels is not None
    assert levels.presuppositions is not None
    assert (levels.presuppositions.overall.supplied, levels.presuppositions.overall.share) == (
        *(1, None),
    )


def test_the_report_has_the_table_of_a_point_both_levels_and_filters_for_them(run: Path) -> None:
    page = write_report(run, PAPERS, REVIEWS)[0].read_text("utf-8")

    assert page.count('<table class="figures granted">') == 9  # one of each part
    assert page.count('<span class="badge">the paper speaks to this</span>') == 2
    assert page.count('<span class="badge">the authors state this too</span>') == 1
    assert "1 of 2 parts misinformed; the main part, which stands first, decides." in page
    assert 'data-filter="supplied"' in page
    assert 'data-filter="stated"' in page
    assert page.count('data-supplied="yes"') == 2
    assert page.count('data-stated="yes"') == 1
    assert page.count("2 looks</summary>") == 2
    assert "claims, standing" in page
    assert "Two levels, which are never added up." in page
    assert "unanswerability" not in page
    assert "no passage speaks to, is unknown" in page
    assert "counts all the same" not in page
    assert "The scores are this program's own" in page


def test_a_run_that_has_judged_nothing_is_explained_by_its_protocol(tmp_path: Path) -> None:
    begun = manifest(decisive={"protocol": "presupposition"})

    page = write_report(write_run(tmp_path / "run", [], made=begun), None, None)[0]

    text = page.read_text("utf-8")
    assert "A score is the standing of a remark" in text
    assert "An argument is called misinformed if" not in text


def test_a_statement_of_a_judge_is_text_and_no_markup(tmp_path: Path) -> None:
    points = [judged(1, look(part(1, granted("<script>alert(1)</script>", true=1))))]
    folder = write_run(tmp_path / "run", points)

    page = write_report(folder, PAPERS, REVIEWS)[0].read_text("utf-8")

    assert "<script>alert" not in page + markdown_report(folder)
    assert "&lt;script&gt;alert(1)" in page


def test_exports_hold_both_levels_standing_and_parts_in_columns() -> None:
    cells = row(BUNDLE)

    assert [cells[name] for name in ("protocol", "supplied", "misinformed", "standing")] == [
        *("presupposition", False, False, 4),
    ]
    assert (cells["parts"], cells["parts_misinformed"]) == (2, 1)
    assert cells["granted"] == "The paper reports no spread of its results."
    assert (row(STATED)["acknowledged"], row(MISINFORMED)["acknowledged"]) == (True, False)
    looks = json.loads(str(parquet_row(BUNDLE)["looks"]))
    assert [known["misinformed"] for known in looks[0]["parts"]] == [False, True]
    assert parquet_row(model_points()[0])["looks"] is None
    other = row(model_points()[0])
    assert {other[name] for name in ("protocol", "supplied", "standing", "parts", "granted")} == {
        None,
    }


def test_the_column_base_says_that_a_low_standing_alone_is_no_flag() -> None:
    unproved = row(judged(1, look(part(1, granted("It has one run.", true=1)))))

    assert (unproved["scale"], unproved["base"], unproved["misinformed"]) == ("standing", 1, None)
    assert "save for standing" in COLUMNS["base"]


def page_for(reader: Reader) -> str:
    return markdown(sheet(reader, "tides", "Tides", presupposed_points()))


def test_the_meta_reviewer_reads_why_and_both_classes_that_are_no_flag() -> None:
    page = page_for(Reader.META_REVIEWER)

    assert "The remark takes for granted: “The paper reports a single run" in page
    assert "## Not misinformed; the paper speaks to this" in page
    assert "## Not misinformed; the authors state this too" in page
    assert page.index("Nothing of the kind was found") > page.index("without a verified quote")


def test_the_reviewer_reads_one_kind_note_with_a_wording_that_would_stand() -> None:
    page = page_for(Reader.REVIEWER)
    notes = sheet(Reader.REVIEWER, "tides", "Tides", presupposed_points()).parts[0].entries

    assert "A wording that takes this into account: “I have read section 1 Method." in page
    assert "It seems to take for granted: “The paper reports a single run" in page
    assert len(notes) == 1
    assert faults(notes[0]) == ()


def test_a_statement_that_is_unkind_is_left_out_of_a_note() -> None:
    unkind = granted("The authors ignore seeds.", true=1, nearest=ONCE.nearest)
    page = sheet(Reader.REVIEWER, "tides", "Tides", [judged(1, look(part(1, unkind)))])

    assert "ignore" not in markdown(page)
    assert "A wording that takes this into account" in markdown(page)


def test_the_author_finds_each_point_in_one_part_of_the_page() -> None:
    parts = sheet(Reader.AUTHOR, "tides", "Tides", presupposed_points()).parts

    names = [entry.point for shown in parts for entry in shown.entries]
    assert sorted(names) == sorted(score.short_name for score in presupposed_points())
    assert [shown.heading for shown in parts][-2:] == [
        "Not misinformed; the paper speaks to this",
        "Not misinformed; the authors state this too",
    ]


@pytest.mark.parametrize("source", ["figure", "table"])
def test_what_a_judge_read_off_a_page_is_no_passage_and_no_failed_quote(source: str) -> None:
    words = "The bars rise with the number of harbours."
    reading = Evidence.model_validate({"quote": words, "verified": False, "source": source})
    html = judged(1, look(part(1, granted("No study.", nearest=(SEEDS, reading)))))._repr_html_()

    shown = html[html.index(words) :][:200]
    assert f"read off a {source}" in shown
    assert f"<s>{words}" not in html
    assert f'<mark class="quote">{words}' not in html


@pytest.mark.parametrize(
    ("score", "quoted"),
    [
        (MISINFORMED, True),
        (FOREIGN, False),
        (judged(5, look(part(1, NEAR_THEOREM))), False),
        (judged(5, look(part(1, NEAR_THEOREM)), look(part(2, ONCE), number=2)), True),
        (judged(5, look(part(1, ONCE)), look(part(2, NEAR_THEOREM), number=2)), True),
    ],
)
def test_one_rule_says_everywhere_whether_a_flag_has_a_quote(
    score: PointScore, quoted: bool
) -> None:
    page = markdown(sheet(Reader.META_REVIEWER, "tides", "Tides", [score]))

    assert score.misinformed
    assert score.unquoted is not quoted
    assert bool(refuting(score)) is quoted
    assert ("do not rely on them" in page) is not quoted
    assert (SEEDS.quote in page) is quoted
    assert row(score)["unquoted"] is not quoted


@pytest.mark.parametrize("reader", [Reader.AUTHOR, Reader.META_REVIEWER])
def test_what_is_merely_near_is_handed_to_nobody_as_an_answer(reader: Reader) -> None:
    later = TUNED.model_copy(update={"doubt": Doubt(kind=DoubtKind.REVISED_TEXT, sign="blue")})
    near = granted("The loss is not given.", supplies=Supplies.TOPIC_ONLY, nearest=(RATE,))
    points = [
        judged(1, look(part(4, near, granted(ONCE.statement, true=1, nearest=(later, SEEDS))))),
        judged(3, look(part(4, *STATED.presuppositions, near, granted("x", nearest=(later,))))),
    ]

    parts = sheet(reader, "tides", "Tides", points).parts
    handed = [
        [shown.text for shown in entry.quotes]
        for name in ("the paper speaks to this", "the authors state this too")
        for part_ in parts
        if part_.heading == f"Not misinformed; {name}"
        for entry in part_.entries
    ]

    assert handed == [[SEEDS.quote], [HARBOURS.quote]]


def test_a_draft_for_the_meta_reviewer_quotes_only_what_refutes_the_point() -> None:
    answer = AuthorAnswer(
        text="We differ", start=0, end=9, cue_start=0, cue_end=9, stance=AnswerStance.CONTESTS,
        method=AlignmentMethod.QUOTE, certainty=AlignmentCertainty.SURE, basis="",
    )  # fmt: skip
    near = granted("The loss is not given.", supplies=Supplies.TOPIC_ONLY, nearest=(RATE,))
    score = judged(1, look(part(1, near, ONCE))).model_copy(update={"author_answers": (answer,)})

    page = with_answers(sheet(Reader.META_REVIEWER, "tides", "Tides", [score]), [score], {})
    drafts = {entry.draft for part_ in page.parts for entry in part_.entries if entry.draft}

    assert {RATE, SEEDS} <= set(score.evidence)
    assert len(drafts) == 1
    assert SEEDS.quote in min(drafts)
    assert RATE.quote not in min(drafts)


@pytest.mark.parametrize(
    "more",
    [
        {"nearest": ()},
        {"nearest": (ABSENT,)},
        {"true": 3},
        {"true": NOT_VISIBLE},
        {"true": 1, "foreign": True},
    ],
)
def test_that_authors_state_it_too_is_said_of_nothing_without_a_passage(
    more: dict[str, object],
) -> None:
    few = FEW.model_copy(update=more)
    score = judged(3, look(part(5, few)))

    assert "the authors state this too" not in paper_words(few, score)
    assert "The authors state this too" not in lead_words(score)


@pytest.mark.parametrize(
    "looks",
    [
        (look(part(5, FEW)), look(part(5, granted(FEW.statement)), number=2)),
        (look(part(5, FEW.model_copy(update={"central": False}))),),
    ],
)
def test_that_authors_state_it_too_is_said_on_top_only_where_all_looks_say_it_of_the_core(
    looks: tuple[Look, ...],
) -> None:
    score = judged(3, *looks)

    assert not score.acknowledged
    assert lead_words(score).endswith(
        "This is surely so (5/5), going by the paper: section 1 Method."
    )


def test_a_caption_that_stands_for_a_reading_off_a_figure_is_called_that() -> None:
    caption = SEEDS.model_copy(update={"source": "figure"})
    score = judged(1, look(part(1, granted(ONCE.statement, true=1, nearest=(caption,)))))
    html = score._repr_html_()

    assert score.misinformed is None
    assert "no passage of the paper shows it" in lead_words(score)
    assert "alone it carries no flag" in html[html.index(f"{caption.quote}</mark>") :][:400]
