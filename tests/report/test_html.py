"""The report page: self-contained, honest, and deaf to what texts ask of it."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewscore.errors import RunFolderError
from reviewscore.report.html import write_report
from reviewscore.report.summary import write_summary
from reviewscore.schema.paper import Evidence, Paper, Unread
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Review, Role
from reviewscore.schema.span import Span
from tests.report.synthetic import (
    PAPER,
    lexical_points,
    manifest,
    many_points,
    model_points,
    named_by_content,
    naming_places,
    point,
    without_quotes,
    write_run,
)

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> {{ 7 * 7 }} \" ' & ]]>"


def page(tmp_path: Path, points: list[PointScore], **made: object) -> str:
    run = write_run(tmp_path / "run", points, made=manifest(**made))  # type: ignore[arg-type]
    return write_report(run, None, None)[0].read_text("utf-8")


def hashes(html: str, tag: str) -> list[str]:
    texts = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", html, re.DOTALL)
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def policy(html: str) -> str:
    found = re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]*)"', html)
    assert found is not None
    return found[1].replace("&#39;", "'")


def test_only_the_pages_own_script_and_style_may_run(tmp_path: Path) -> None:
    html = page(tmp_path, model_points())

    scripts, styles = hashes(html, "script"), hashes(html, "style")
    assert len(scripts) == 1
    assert scripts[0] in policy(html)
    assert all(style in policy(html) for style in styles)
    assert "default-src 'none'" in policy(html)
    assert "unsafe" not in policy(html)


def test_no_inline_handler_or_style_attribute_needs_an_exception(tmp_path: Path) -> None:
    tags = re.findall(r"<[a-z][^>]*>", page(tmp_path, model_points()))

    assert not [tag for tag in tags if re.search(r"\son\w+=|\sstyle=", tag)]


def test_nothing_is_fetched_from_anywhere(tmp_path: Path) -> None:
    html = page(tmp_path, model_points())

    assert not re.findall(r"""<(?:img|link|iframe|script)[^>]*(?:src|href)=""", html)
    assert not re.findall(r"url\(", html)


def test_hostile_texts_are_shown_and_never_act(tmp_path: Path) -> None:
    scores = [
        score.model_copy(
            update={
                "text": HOSTILE,
                "section": HOSTILE,
                "point_id": HOSTILE,
                "error": HOSTILE,
                "paper_id": HOSTILE,
            }
        )
        for score in model_points()
    ]

    html = page(tmp_path, scores)

    assert "alert(1)" in html
    assert "<script>alert" not in html
    assert "<img" not in html
    assert "{{ 7 * 7 }}" in html
    assert html.count("<script") == 1


@pytest.mark.parametrize("named", [list, named_by_content])
def test_points_stand_in_the_order_of_their_review_under_short_names(
    tmp_path: Path, named: Callable[[list[PointScore]], list[PointScore]]
) -> None:
    points = [
        model_points()[0].model_copy(
            update={"point_id": f"tides-r1#{n}", "review_id": "tides-r1", "text": f"Remark {n}."}
        )
        for n in range(1, 13)
    ]

    shown = page(tmp_path, named(points)[::-1])

    expected = [f"tides-r1#{n}" for n in range(1, 13)]
    assert re.findall(r"<article.*?>(tides-r1#\d+)</a>", shown, re.DOTALL) == expected
    texts = [re.search(r"<mark>(.*?)</mark>", part) for part in shown.split("<article")[1:]]
    assert [one[1] for one in texts if one] == [f"Remark {n}." for n in range(1, 13)]


def test_a_lone_surrogate_does_not_break_the_page(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", model_points())
    reviews = Review(review_id="r", paper_id="p", fields={"weaknesses": "odd \ud800 sign"})

    written = write_report(path, None, lambda _: reviews)

    assert written[0].read_text("utf-8")


def test_the_point_is_marked_in_its_review(tmp_path: Path) -> None:
    text = "Good paper. The marked weakness stands here. Thanks."
    start = text.index("The marked")
    end = text.index(" Thanks")
    score = point(1, text[start:end]).model_copy(
        update={
            "span": Span(field="weaknesses", start=start, end=end),
            "role": Role.WEAKNESSES,
        }
    )
    review = Review(review_id=score.review_id, paper_id=score.paper_id, fields={"weaknesses": text})
    run = write_run(tmp_path / "run", [score])

    html = write_report(run, lambda _: PAPER, lambda _: review)[0].read_text("utf-8")

    assert "<mark>The marked weakness stands here.</mark>" in html
    assert "Good paper." in html


def test_quotes_that_are_not_in_the_paper_are_struck_through(tmp_path: Path) -> None:
    scores = []
    for score in model_points():
        verdict = score.verdict
        if verdict is not None:
            invented = Evidence(quote="Frogs rule the world entirely.", verified=False)
            verdict = verdict.model_copy(update={"evidence": (*verdict.evidence, invented)})
        scores.append(score.model_copy(update={"verdict": verdict}))

    html = page(tmp_path, scores)

    struck = re.search(r"<(?:s|del)[ >][^<]*Frogs rule the world entirely", html)
    assert struck is not None
    assert "not in the paper" in html


def test_a_run_of_the_embedded_judge_carries_a_banner_and_no_share(tmp_path: Path) -> None:
    html = page(tmp_path, lexical_points(), judge="lexical")

    shown = re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)
    assert "evidence finder" in shown
    assert not re.search(r"misinformed|proof|verdict", html, re.IGNORECASE)
    assert "interval" not in shown
    assert " %" not in shown


def test_findings_stand_in_their_own_words_those_to_read_first_first(tmp_path: Path) -> None:
    html = page(tmp_path, lexical_points(), judge="lexical")

    rows = re.findall(r'<tr data-order.*?data-finding="(\w+)"', html)
    assert rows == ["addressed", "addressed", "passages", "cannot_judge"]
    chips = re.findall(r'<span class="chip (\w+)">', html[html.index('id="h-table"') :])
    assert chips[:4] == ["addressed", "addressed", "passages", "unknown"]
    passages = re.findall(r'<mark class="quote">(.*?)</mark>', html)
    second = html.index('id="' + re.findall(r'<article class="point \w+" id="([^"]+)"', html)[1])
    assert html.index("We repeat every run", second) < html.index("The learning rate is", second)
    assert len(passages) == 4


def test_every_page_of_a_long_report_of_findings_has_the_banner(tmp_path: Path) -> None:
    points = [
        lexical_points()[0].model_copy(
            update={"point_id": f"p{n}-r#1", "review_id": f"p{n}-r", "paper_id": f"p{n}"}
        )
        for n in range(600)
    ]
    run = write_run(tmp_path / "run", points, made=manifest("lexical"))

    written = write_report(run, None, None)

    assert len(written) > 2
    for path in written:
        assert "evidence finder" in path.read_text("utf-8")


def test_what_judges_did_not_read_is_said_in_the_head_and_with_the_paper(tmp_path: Path) -> None:
    unread = {"tides": Unread(parts={"references": 50, "appendix": 150}, characters=1000)}

    html = page(tmp_path, model_points(), unread=unread)

    (banner,) = re.findall(r'<p class="banner" role="note">(Not read.*?)</p>', html)
    assert "references of 1 paper, appendix of 1 paper (200 of their 1,000 characters)" in banner
    (paper,) = re.findall(r'<p class="muted unread">(.*?)</p>', html)
    assert "appendix (150 characters)" in paper
    assert html.count("Judged without: appendix.") == sum(
        one.verdict is not None for one in model_points()
    )


def test_selections_and_unfinished_runs_carry_banners(tmp_path: Path) -> None:
    html = page(tmp_path, model_points(), selection={"limit": 2}, complete=False)

    assert "limit" in html
    assert "not complete" in html or "unfinished" in html or "did not reach" in html


def test_large_runs_are_split_into_pages_that_stay_small(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", many_points(12, 60))

    written = write_report(run, None, None)

    assert len(written) > 2
    assert written[0].name == "report.html"
    assert written[1].name in written[0].read_text("utf-8")
    assert all(file.stat().st_size < 2_000_000 for file in written)


def test_careful_words_are_used(tmp_path: Path) -> None:
    html = page(tmp_path, model_points())

    assert "judged misinformed" in html or "judged likely misinformed" in html
    assert "wrong" not in re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)


def test_the_first_of_many_pages_has_the_one_table_of_points(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", many_points(40, 30))

    index, *pages = write_report(run, None, None)

    assert index.read_text().count('<form class="controls"') == 1
    assert all('<form class="controls"' not in page.read_text() for page in pages)


def test_the_table_of_a_split_report_knows_the_words_of_evidence(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [*many_points(12, 60), *model_points()])

    index, *_ = write_report(run, None, None)

    words = re.findall(r'data-words="([^"]*)"', index.read_text())
    assert any({"0.003", "halved"} & set(one.split()) for one in words)
    assert all(len(one.split()) == len(set(one.split())) for one in words)
    assert "data-words" not in page(tmp_path / "small", model_points()).replace("dataset.words", "")


def test_filters_show_papers_with_their_ids_as_they_are_and_findings_in_words(
    tmp_path: Path,
) -> None:
    points = [one.model_copy(update={"paper_id": "a_b"}) for one in lexical_points()]

    html = page(tmp_path, points, judge="lexical")

    assert '<option value="a_b">untitled (a_b)</option>' in html
    assert '<option value="cannot_judge">cannot judge</option>' in html


def test_a_paper_that_is_quoted_comes_along_packed(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", model_points())

    html = write_report(run, {"tides": PAPER}.__getitem__, None)[0].read_text()

    (packed,) = re.findall(r'class="packed" data-paper="tides" data-text="([^"]+)"', html)
    assert zlib.decompress(base64.b64decode(packed)).decode() == PAPER.text
    jumps = re.findall(
        r'class="jump" hidden data-paper="tides" data-start="(\d+)" data-end="(\d+)"', html
    )
    quotes = [PAPER.text[int(start) : int(end)] for start, end in jumps]
    assert any(one.startswith("The learning rate") for one in quotes)


@pytest.mark.parametrize("paper", [None, PAPER])
def test_the_page_is_valid_enough_to_be_read_by_machines(
    tmp_path: Path, paper: Paper | None
) -> None:
    run = write_run(tmp_path / "run", model_points())
    html = write_report(run, None if paper is None else lambda _: PAPER, None)[0].read_text()

    assert html.lower().startswith("<!doctype html>")
    assert '<html lang="en"' in html
    assert re.search(r"<meta charset=.utf-8.", html, re.IGNORECASE)
    for tag in ("div", "section", "details", "table", "ul", "ol", "blockquote"):
        assert len(re.findall(rf"<{tag}[ >]", html)) == html.count(f"</{tag}>"), tag


def test_an_answer_without_a_verified_quote_is_not_said_to_be_found_in_the_paper(
    tmp_path: Path,
) -> None:
    html = page(tmp_path, [without_quotes(one) for one in model_points()])

    assert "Answer found in the paper" not in html
    assert "Answer as the judge gives it" in html
    assert "No quote for this was found in the paper" in html
    assert "1 without a verified quote" in html


def test_only_prompts_that_were_used_are_listed(tmp_path: Path) -> None:
    shipped = {"claim_factuality/v1": "ef" * 32, "never_used/v1": "cd" * 32}
    decisive = {"model": "x", "prompt never_used/v1": "cd" * 32}

    html = page(tmp_path, model_points(), prompts=shipped, decisive=decisive)

    assert "question_answerability/v1 <code" in html
    assert "never_used" not in html


def test_named_places_show_their_passage_and_those_not_at_hand_say_so(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [naming_places()])

    html = write_report(run, {"tides": PAPER}.__getitem__, None)[0].read_text()
    bare = write_report(run, None, None, out=tmp_path / "bare.html")[0].read_text()

    (places,) = re.findall(r'<ul class="places".*?</ul>', html, re.DOTALL)
    assert places.count("<li>") == 2
    assert "<summary>Section A, p. 2</summary>" in places
    (span,) = re.findall(r'class="jump" hidden .*data-start="(\d+)" data-end="(\d+)"', places)
    assert PAPER.text[int(span[0]) : int(span[1])].startswith("A Details")
    assert "<li>Table 9 (not in the text at hand)</li>" in places
    assert "<li>Section A, p. 2</li>" in bare
    assert "1 point name" in html


def test_nothing_is_shown_at_a_place_of_a_paper_that_has_changed(tmp_path: Path) -> None:
    other = PAPER.model_copy(update={"text": "x" * len(PAPER.text)})
    run = write_run(tmp_path / "run", [naming_places()])

    html = write_report(run, {"tides": other}.__getitem__, None)[0].read_text()

    assert "<li>Section A, p. 2</li>" in html


@pytest.mark.parametrize("name", ["report.html", "summary.json", "report-1.html"])
def test_a_report_is_written_into_its_run_folder_and_nowhere_else(
    tmp_path: Path, name: str
) -> None:
    run, outside = write_run(tmp_path / "run", many_points(40, 30)), tmp_path / "outside"
    outside.write_text("mine\n")
    (run / name).symlink_to(outside)

    with pytest.raises(RunFolderError, match=f"{name} is a link"):
        write_summary(run)
        write_report(run, None, None)
    assert outside.read_text() == "mine\n"


def test_a_pipe_beside_a_report_holds_nothing_up(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", model_points())
    os.mkfifo(run / "report-1.html")

    assert write_report(run, None, None) == [run / "report.html"]
