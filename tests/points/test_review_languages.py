"""Reviews that are not in English: nothing of them is lost, and each point has its language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.config import resolve
from reviewscore.judges.asker import Asker, SamplingParams
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.judges.model_judges import ModelJudges
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.pipeline import make_record, review_points, score_point
from reviewscore.points.split import accept_proposed, split_review
from reviewscore.report.lines import summary_lines
from reviewscore.report.roles import Reader, sheet
from reviewscore.report.summary import summarise
from reviewscore.runs.audit import audit
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import Status
from reviewscore.schema.review import Review, Role
from reviewscore.schema.verdict import Finding
from reviewscore.sources.collection import read_collection
from tests.loopback import proposed


def review(**fields: str) -> Review:
    return Review(review_id="r", paper_id="p", fields=fields)


GERMAN = (
    "Es fehlt eine Ablation des Teichs. Die Daten sind viel zu klein. Der Vergleich mit den "
    "Pfützen ist unfair (vgl. Abb. 3)."
)
CHINESE = (
    "缺点：\n1、缺少消融实验。没有它无法判断增益来源。\n2、只用了一个池塘（见表3）。\n\n"
    "为什么没有给出学习率？"
)


@pytest.mark.parametrize(
    ("box", "code", "points"),
    [
        (
            GERMAN,
            "de",
            [
                "Es fehlt eine Ablation des Teichs.",
                "Die Daten sind viel zu klein.",
                "Der Vergleich mit den Pfützen ist unfair (vgl. Abb. 3).",
            ],
        ),
        (
            CHINESE,
            "zh",
            [
                "缺少消融实验。没有它无法判断增益来源。",
                "只用了一个池塘（见表3）。",
                "为什么没有给出学习率？",
            ],
        ),
        (
            "・アブレーション実験がない。\n・池が一つしかない。",
            "ja",
            ["アブレーション実験がない。", "池が一つしかない。"],
        ),
        (
            "Les expériences ne couvrent qu'un seul étang. Il manque une étude.\n\nLe code ?",
            "fr",
            ["Les expériences ne couvrent qu'un seul étang.", "Il manque une étude.", "Le code ?"],
        ),
    ],
)
def test_entries_and_sentences_are_points(box: str, code: str, points: list[str]) -> None:
    found = split_review(review(weaknesses=box))

    assert [point.text for point in found] == points
    assert {point.language for point in found} == {code}


def test_a_heading_goes_with_what_stands_under_it() -> None:
    first, second, question = split_review(review(text=CHINESE))

    assert (first.context, second.context, question.context) == ("缺点：", "缺点：", "")
    assert first.role is Role.MIXED


def test_a_bare_line_of_a_few_words_over_entries_is_their_heading() -> None:
    box = (
        "Schwächen\n- Die Arbeit vergleicht nicht mit neueren Verfahren.\n"
        "- Es fehlt eine Ablationsstudie zum zweiten Modul.\nFragen\n"
        "- Welche Lernrate wurde benutzt?"
    )
    points = split_review(review(text=box))

    assert [(point.context, point.text.split()[0]) for point in points] == [
        ("Schwächen", "Die"), ("Schwächen", "Es"), ("Fragen", "Welche"),
    ]  # fmt: skip


def test_a_heading_with_nothing_under_it_is_a_point_itself() -> None:
    box = f"{GERMAN}\n\nUnd außerdem noch dies hier:"

    assert split_review(review(weaknesses=box))[-1].text == "Und außerdem noch dies hier:"


def test_of_a_mixed_review_each_point_has_its_own_language() -> None:
    box = (
        "The pond is never ablated, so it is unclear where the gain comes from.\n"
        "Die Ergebnisse beruhen auf einem einzigen Startwert und sind nicht belastbar.\n"
        "Fehlerbalken fehlen.\n"
        "The comparison with the puddles is unfair because they are not tuned."
    )

    found = split_review(review(weaknesses=box))

    assert [point.language for point in found] == [None, "de", "de", None]


def test_short_boxes_go_with_the_review() -> None:
    found = split_review(review(weaknesses=GERMAN, questions="Warum $a = 0.1$?"))

    assert found[-1].language == "de"


@pytest.mark.parametrize(
    "box",
    [
        "- Müller, Schröder, Gómez, Łukasz, Đorđe, Nguyễn, Škoda, Brânză, García Márquez.",
        "- $\\sum_{i=1}^n \\alpha_i x_i \\leq \\beta$ for $n > 3$",
        "- `for x in data: loss = model(x).mean(); loss.backward()`",
        "- The authors miss the work below.\n- [1] Ek, Å. et al. Über die Statistik verketteter "
        "Vorgänge in der angewandten Mathematik und Mechanik. Zeitschrift, 1923.",
    ],
)
def test_names_formulas_code_and_literature_are_no_other_language(box: str) -> None:
    assert {point.language for point in split_review(review(weaknesses=box))} == {None}


_LINES = st.sampled_from(
    [
        *GERMAN.split(". "),
        *CHINESE.split("\n"),
        "Stärken:",
        "# Fazit",
        "- Kein Code",
        "(a) Nein",
        "",
    ]
)


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(_LINES, min_size=1, max_size=12))
def test_nothing_of_a_german_review_is_lost_but_marks(lines: list[str]) -> None:
    box = "\n".join([GERMAN, *lines])

    kept = [False] * len(box)
    for point in split_review(review(weaknesses=box)):
        assert box[point.span.start : point.span.end] == point.text
        kept[point.span.start : point.span.end] = [True] * len(point.text)
        lead = box.rfind(point.context, 0, point.span.start) if point.context else -1
        if lead >= 0:
            kept[lead : lead + len(point.context)] = [True] * len(point.context)

    lost = [char for char, seen in zip(box, kept, strict=True) if not seen and char.isalnum()]
    assert set(lost) <= set("123a")  # the numbers of list entries


def foreign_paper(text: str) -> Paper:
    return build_paper(PaperRow(paper_id="p", title="Teiche", text=text))


PAPER = "We train with Adam and a learning rate of 0.001. An ablation of the pond is in Table 4."


@pytest.mark.parametrize(
    ("box", "paper", "why"),
    [
        (GERMAN, PAPER, "The point is in German"),
        (CHINESE, PAPER, "The point is in Chinese"),
        ("Which learning rate was used for the pond in Table 4?", GERMAN, "The paper is in German"),
    ],
)
async def test_the_embedded_judge_says_that_it_does_not_read_the_language(
    box: str, paper: str, why: str
) -> None:
    judges, read = LexicalJudges(), foreign_paper(paper)

    records = [await score_point(p, read, judges) for p in split_review(review(weaknesses=box))]

    assert {record.status for record in records} == {Status.UNSCORED}
    assert {record.finding for record in records} == {Finding.CANNOT_JUDGE}
    assert {record.type for record in records} == {None}
    assert all(record.rationale.startswith(why) for record in records)


def test_a_paper_in_another_language_is_said() -> None:
    paper = foreign_paper(GERMAN)

    assert paper.language == "de"
    assert any("written in German" in warning for warning in paper.warnings)
    assert foreign_paper(PAPER).language is None


def model(*answers: dict[str, object]) -> ModelJudges:
    provider = ScriptedProvider([json.dumps(answer) for answer in answers])
    client = Client(lambda _: provider, CallsInMemory(), limits=CallLimits(connections=4))
    return ModelJudges(Asker(client, model="scripted/x", sampling=SamplingParams(max_tokens=500)))


async def test_a_model_splits_and_judges_what_is_not_in_english() -> None:
    texts = ("缺少消融实验。没有它无法判断增益来源。", "为什么没有给出学习率？")
    quote = {"section": "1", "sentence": "学习率为0.1，批大小为三十二。"}
    verdict = {"reasoning": "said", "unanswerability": 1, "quotes": [quote], "answer": "0.1"}
    judges = model(
        {"points": [proposed(text) for text in texts]},
        {"reasoning": "no", "is_argument": False},
        {"reasoning": "so", "kind": "question"},
        verdict,
    )
    paper = foreign_paper("我们在三个池塘上进行了实验。\n\n学习率为0.1，\n批大小为三十二。")

    points, origin, rejected = await review_points(review(weaknesses=CHINESE), judges)
    record = await score_point(points[1], paper, judges)

    assert ([point.language for point in points], rejected) == (["zh", "zh"], ())
    assert origin
    assert (record.status, record.misinformed, record.language) == (Status.SCORED, True, "zh")
    assert [evidence.verified for evidence in record.evidence] == [True]


def test_a_proposal_in_another_script_is_found_word_for_word() -> None:
    points, rejected = accept_proposed(
        review(weaknesses=CHINESE), ["只用了一个池塘（见表3）。", "缺少基线。"]
    )

    assert [(point.text, point.language) for point in points] == [
        ("只用了一个池塘（见表3）。", "zh")
    ]
    assert rejected == ("缺少基线。",)


def test_the_summary_says_which_reviews_are_not_in_english(tmp_path: Path) -> None:
    papers = [{"paper_id": "p", "title": "Ponds", "text": PAPER}]
    boxes = {"de": GERMAN, "zh": CHINESE, "en": "No seeds are given for the pond of Table 4."}
    reviews = [
        {"review_id": name, "paper_id": "p", "sections": {"weaknesses": box}}
        for name, box in boxes.items()
    ]
    for name, rows in (("papers", papers), ("reviews", reviews)):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    collection = read_collection(tmp_path)

    audit(collection, tmp_path / "run", resolve({}))

    summary = summarise(tmp_path / "run")
    assert summary.languages == {"de": 1, "zh": 1}
    assert "German 1, Chinese 1" in "\n".join(summary_lines(summary))


def test_pages_for_readers_say_that_a_foreign_review_was_not_looked_up() -> None:
    point = make_record(
        split_review(review(weaknesses=GERMAN))[0],
        LexicalJudges(),
        status=Status.UNSCORED,
        finding=Finding.CANNOT_JUDGE,
    )

    for reader in Reader:
        (said,) = [one for one in sheet(reader, "p", "Ponds", [point]).banners if "German" in one]
        assert "not looked up" in said
