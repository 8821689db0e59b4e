"""Passages of the embedded judge: three are shown, the others unfold, and none is a verdict."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from reviewscore.pages.notebook import point_html
from reviewscore.pages.wording import ACKNOWLEDGED
from reviewscore.report.html import write_report
from reviewscore.report.markdown import markdown_report
from reviewscore.report.role_pages import markdown, write_for
from reviewscore.report.roles import Reader, sheet
from reviewscore.runs.export import export, frame
from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.verdict import Finding
from tests.finder_figures import FIGURES, use_figures
from tests.report.synthetic import PAPER, manifest, point, write_run

LINES = [f"Harbour {n} has a gauge of its own kind." for n in range(1, 11)]
TEXT = "\n".join(LINES)
HARBOURS = Paper(paper_id="tides", title="Harbours", text=TEXT)
SENTENCE = "Where a paper did answer such a point"


def passage(number: int, **more: object) -> Evidence:
    line = LINES[number - 1]
    start = TEXT.index(line)
    values = {"quote": line, "start": start, "end": start + len(line), "verified": True}
    return Evidence.model_validate(values | more)


def near(number: int = 2, count: int = 10, **more: object) -> PointScore:
    """A point with its closest passages, the second of which confirms it."""
    values: dict[str, object] = {
        "judge_version": "6",
        "finding": Finding.PASSAGES,
        "passages": tuple(passage(n, acknowledges=n == 2) for n in range(1, count + 1)),
        "rationale": "These passages come nearest.",
        "type": PointType.CLAIM,
        "kind": PointKind.CRITICISM,
    }
    text = "The baselines were not tuned."
    return point(number, text, judge="lexical", status=Status.UNSCORED, **(values | more))


def report(folder: Path, *points: PointScore) -> str:
    made = manifest("lexical", judge_version=points[0].judge_version)
    run = write_run(folder / "run", points, made=made)
    return write_report(run, lambda _: HARBOURS, None)[0].read_text("utf-8")


def split_card(html: str) -> tuple[str, str]:
    """A card before and within what unfolds."""
    card = html[html.index('<article class="point') : html.index("</article>")]
    before, _, unfolded = card.partition('<details class="further">')
    return before, unfolded


def test_a_card_shows_three_passages_in_order_and_unfolds_the_others(tmp_path: Path) -> None:
    before, unfolded = split_card(report(tmp_path, near()))

    def shown(part: str) -> list[str]:
        return re.findall(r'<mark class="quote">(.*?)</mark>', part)

    assert shown(before) == LINES[:3]
    assert shown(unfolded) == LINES[3:]
    assert "<summary>7 more passages</summary>" in unfolded
    assert unfolded.count('class="jump"') == 7


@pytest.mark.parametrize(("count", "words"), [(3, None), (4, "1 more passage"), (1, None)])
def test_nothing_unfolds_where_all_passages_are_shown(
    tmp_path: Path, count: int, words: str | None
) -> None:
    html = report(tmp_path, near(count=count))

    assert ("more passage" in html) == (words is not None)
    assert words is None or f"<summary>{words}</summary>" in html


def test_a_passage_that_confirms_the_point_says_so_wherever_it_is_shown(tmp_path: Path) -> None:
    html = report(tmp_path, near())
    before, _ = split_card(html)
    item = next(part for part in before.split("<li>") if f'quote">{LINES[1]}' in part)

    assert f'<span class="badge">{ACKNOWLEDGED}</span>' in item
    assert before.count(ACKNOWLEDGED) == 1
    assert markdown_report(tmp_path / "run").count(ACKNOWLEDGED) == 1
    for reader in Reader:
        assert markdown(sheet(reader, "tides", "T", [near()])).count(ACKNOWLEDGED) == 1
    assert ACKNOWLEDGED in point_html(near())


def test_markdown_and_pages_as_markdown_hold_three_passages(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [near()], made=manifest("lexical", judge_version="6"))

    texts = [markdown_report(run)]
    texts += [markdown(sheet(reader, "tides", "T", [near()])) for reader in Reader]

    for text in texts:
        assert [line for line in LINES if line.rstrip(".") in text] == LINES[:3]


@pytest.mark.parametrize("reader", list(Reader))
def test_every_reader_gets_the_passages_to_read(tmp_path: Path, reader: Reader) -> None:
    run = write_run(tmp_path / "run", [near()], made=manifest("lexical", judge_version="6"))

    html = write_for(run, reader, out=tmp_path / "one.html")[0].read_text("utf-8")

    assert "assages to read</h2>" in html
    assert "<summary>7 more passages</summary>" in html
    assert all(line in html for line in LINES)
    assert "misinformed" not in html.partition("<body")[2]


def test_pages_with_points_that_the_paper_speaks_to_come_before_those_with_near_passages() -> None:
    spoken = near(finding=Finding.ADDRESSED, passages=(passage(1),))
    pages = [
        sheet(Reader.META_REVIEWER, name, "T", points)
        for name, points in (("near", [near(1), near(2), near(3)]), ("spoken", [spoken]))
    ]

    assert [page.name for page in sorted(pages, key=lambda page: page.rank)] == ["spoken", "near"]
    assert [page.with_passages for page in pages] == [3, 1]


def test_what_confirms_a_point_is_no_note_to_its_reviewer() -> None:
    mixed = near(finding=Finding.ADDRESSED, passages=(passage(1), passage(2, acknowledges=True)))
    confirmed = near(finding=Finding.ADDRESSED, passages=(passage(2, acknowledges=True),))

    (part,) = sheet(Reader.REVIEWER, "tides", "T", [mixed]).parts
    assert [quote.text for quote in part.entries[0].quotes] == [LINES[0]]
    assert sheet(Reader.REVIEWER, "tides", "T", [confirmed]).parts == ()


def test_tables_hold_three_passages_and_whether_the_authors_state_it_too(tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "run", [near(), near(3, count=1)], made=manifest("lexical", judge_version="6")
    )

    export(run, tmp_path / "points.csv")
    with (tmp_path / "points.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    table = frame([run])

    assert [first[f"{name}_passage"] for name in ("first", "second", "third")] == LINES[:3]
    assert [second[f"{name}_passage"] for name in ("first", "second", "third")] == [
        LINES[0], "", "",
    ]  # fmt: skip
    assert first["passage_count"] == "10"
    assert table["acknowledged"].tolist() == [True, False]


def test_ten_passages_a_point_keep_pages_within_their_size(tmp_path: Path) -> None:
    def size(count: int) -> int:
        points = [near(n, count) for n in range(1, 101)]
        return len(report(tmp_path / str(count), *points))

    # The seven that unfold have no surroundings: each takes less than one of those shown.
    assert (size(10) - size(3)) / 7 < (size(3) - size(1)) / 2


def test_nothing_is_said_of_how_good_the_finder_is_where_it_was_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_figures(tmp_path, monkeypatch)
    older = near(judge_version="5")

    assert SENTENCE not in report(tmp_path, older)
    assert "How good is this finder?" not in report(tmp_path, older)
    assert SENTENCE not in markdown_report(tmp_path / "run")
    assert all(SENTENCE not in sheet(reader, "tides", "T", [older]).lead for reader in Reader)
    assert SENTENCE not in point_html(older)


def test_the_measured_sentence_stands_above_the_points_and_the_curve_is_folded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_figures(tmp_path, monkeypatch)

    html = report(tmp_path, *(near(n) for n in range(1, 4)))

    points = html[html.index('<main id="points">') :]
    assert points.count(SENTENCE) == 1
    assert points.index(SENTENCE) < points.index('<article class="point')
    assert '<a href="#finder">' in points
    section = html[html.index('<details class="about" id="finder">') :]
    section = section[: section.index("</details>")]
    assert '<svg class="curve"' in section
    assert "50 % [38, 62]" in section
    assert FIGURES["data"] in section


def test_the_measured_sentence_stands_once_on_every_other_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_figures(tmp_path, monkeypatch)
    run = write_run(
        tmp_path / "run", [near(1), near(2)], made=manifest("lexical", judge_version="6")
    )

    texts = [markdown_report(run), point_html(near())]
    texts += [markdown(sheet(reader, "tides", "T", [near(1), near(2)])) for reader in Reader]

    for text in texts:
        assert (
            text.replace("\\", "").count(f"{SENTENCE}, the answer was among the first three") == 1
        )


def test_pages_of_models_hold_nothing_of_the_finder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_figures(tmp_path, monkeypatch)
    judged = point(1, "The baselines were not tuned.", type=PointType.CLAIM, base=4,
                   misinformed=False)  # fmt: skip
    run = write_run(tmp_path / "run", [judged], made=manifest())

    html = write_report(run, lambda _: PAPER, None)[0].read_text("utf-8")

    assert SENTENCE not in html
    assert "further" not in html[html.index('<article class="point') : html.index("</article>")]
