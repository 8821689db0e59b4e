"""Audits in which judges see the pages of papers: what is asked, refused, recorded and flagged."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import reviewscore as rs
from reviewscore.config import resolve
from reviewscore.errors import ConfidentialityError, InputError, RunFolderError, SettingsError
from reviewscore.llm.batch_jobs import QUIET
from reviewscore.report.lines import summary_lines
from reviewscore.runs import scoring
from reviewscore.runs.export import row
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.verdict import UnknownReason
from reviewscore.sources.collection import Collection
from tests.answering import answer
from tests.commands import Invoke, invoker
from tests.conftest import PAPER
from tests.local_models import LocalModel
from tests.loopback import Loopback, contents, schema_name
from tests.runs.conftest import QUESTIONS, WEAKNESSES, audited, frogs, write_lines
from tests.sources.test_shown_papers import paged

PROTOCOLS: list[dict[str, object]] = [
    {"protocol": "paper"},
    {"protocol": "economy", "per": "review"},
    {"protocol": "presupposition"},
    {"protocol": "presupposition", "per": "point"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The frogs' paper as text, with its PDF beside it, and a review of five points."""
    review = {"sections": {"weaknesses": WEAKNESSES, "questions": QUESTIONS}}
    folder = frogs(tmp_path / "data", [review])
    paged(folder / "frogs.pdf")
    return folder


@pytest.fixture
def invoke(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("audit", capsys)


def two_papers(data: Path) -> Path:
    """The same with a paper that has no PDF."""
    papers = [json.loads(line) for line in (data / "papers.jsonl").read_text().splitlines()]
    reviews = [json.loads(line) for line in (data / "reviews.jsonl").read_text().splitlines()]
    write_lines(
        data / "papers.jsonl", [*papers, {**papers[0], "paper_id": "toads", "title": "Toads"}]
    )
    other = {**reviews[0], "review_id": "r2", "paper_id": "toads"}
    write_lines(data / "reviews.jsonl", [*reviews, other])
    return data


def turns(server: Loopback) -> list[Any]:
    """First user turns of the calls that show pages."""
    found = [body["messages"][1]["content"] for body in server.bodies]  # type: ignore[index]
    return [content for content in found if isinstance(content, list)]


@pytest.mark.parametrize("settings", PROTOCOLS)
@pytest.mark.parametrize("paper_as", ["pages", "both"])
def test_every_protocol_shows_the_same_pages_first_in_all_calls_about_a_paper(
    data: Path, tmp_path: Path, server: Loopback, settings: dict[str, object], paper_as: str
) -> None:
    flags = {**settings, "rounds": 1, "paper_as": paper_as}
    outcome = audited(data, tmp_path / "run", server, **flags)

    shown = turns(server)
    assert not outcome.failed
    assert len(shown) >= 1
    prefix, images = shown[0][0]["text"], [part["image_url"]["url"] for part in shown[0][1:-1]]
    assert len(images) == 4
    assert "1 to 3 and 5 of 5, in this order" in prefix
    assert ("windows of two seconds" in prefix) == (paper_as == "both")
    for content in shown:
        assert [part["type"] for part in content] == ["text", *["image_url"] * 4, "text"]
        assert content[0]["text"] == prefix
        assert [part["image_url"]["url"] for part in content[1:-1]] == images
        assert "the text of the paper above lacks" not in content[-1]["text"]
    for score in read_points(tmp_path / "run"):
        assert score.seen is not None
        assert score.seen.pages == 4
    manifest = read_manifest(tmp_path / "run")
    assert manifest.pages is not None
    assert (manifest.pages.dpi, manifest.pages.pages) == (110, {"frogs": 4})
    assert "frogs.pdf" in {file.name for file in manifest.inputs}
    summary = rs.load_run(tmp_path / "run").summary
    assert any("saw 4 pages of 1 paper as images" in line for line in summary_lines(summary))


def test_calls_without_a_paper_show_no_pages_and_text_alone_is_as_it_was(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    audited(data, tmp_path / "pages", server, paper_as="pages", rounds=4)
    bare = [body for body in server.bodies if not isinstance(_turn(body), list)]
    server.bodies.clear()
    audited(data, tmp_path / "text", server)

    assert {schema_name(body) for body in bare} >= {"ArgumentReply", "FaithfulnessReply"}
    assert not turns(server)
    assert "paper_as" not in str(read_manifest(tmp_path / "text").pages)
    assert read_manifest(tmp_path / "text").decisive["paper_as"] is None
    assert all(score.seen is None for score in read_points(tmp_path / "text"))


def _turn(body: dict[str, Any]) -> object:
    return body["messages"][1]["content"]


def test_a_paper_without_a_pdf_is_refused_before_anything_is_asked(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    with pytest.raises(SettingsError) as caught:
        audited(two_papers(data), tmp_path / "run", server, paper_as="pages")

    words = str(caught.value)
    assert words.startswith("pages cannot be shown of 1 of 2 papers (toads)")
    assert "put it beside the records as toads.pdf" in words
    assert "--paper-as both" in words
    assert not server.bodies
    assert not (tmp_path / "run").exists()


def test_both_judges_such_papers_by_their_text_says_so_and_counts_them(
    data: Path, tmp_path: Path, server: Loopback, invoke: Invoke
) -> None:
    flags = ("--model", "openai/x", "--base-url", server.url, "--paper-as", "both")

    code, out, told = invoke(two_papers(data), "-o", tmp_path / "run", *flags)

    assert code == 0
    assert "pages cannot be shown of 1 of 2 papers (toads)" in told
    assert "1 paper without pages, judged by text" in told
    assert "1 paper without pages by text alone" in out
    manifest = read_manifest(tmp_path / "run")
    assert manifest.pages is not None
    assert manifest.pages.text_alone == ("toads",)
    seen = {score.paper_id: score.seen for score in read_points(tmp_path / "run")}
    assert seen["toads"] is None
    assert seen["frogs"] is not None


def test_a_dry_run_counts_pages_and_their_tokens(data: Path, invoke: Invoke) -> None:
    given = (data, "--dry-run", "--model", "openai/gpt-4o")

    lines = invoke(*given, "--paper-as", "pages")[1]
    ways = {
        paper_as: json.loads(invoke(*given, "--json", "--paper-as", paper_as)[1])
        for paper_as in ("text", "pages", "both")
    }

    assert "pages: 4 images at 110 dpi (openai/gpt-4o ~765 tokens a page" in lines
    assert ways["pages"]["pages"] == {
        "images": 4, "dpi": 110, "tokens": {"openai/gpt-4o": 4 * 765}, "text_alone": 0
    }  # fmt: skip
    assert "pages" not in ways["text"]
    asked = {name: way["ways"][0]["questions"]["claim_factuality"] for name, way in ways.items()}
    assert asked["both"] - asked["text"] == pytest.approx(4 * 765, abs=400)
    assert asked["pages"] == pytest.approx(asked["both"] - _size(PAPER), abs=60)


def _size(text: str) -> int:
    from reviewscore.llm.context_window import estimated_tokens

    return estimated_tokens(text)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "the lexical judge reads text"),
        ({"model": "openai/x", "context": "excerpts"}, "excerpts are passages of text"),
        ({"model": "openai/x", "batch": True}, "batch jobs take no pages"),
    ],
)
def test_what_cannot_show_pages_is_refused_by_name(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        resolve({**settings, "paper_as": "pages"})


def test_a_model_that_does_not_see_is_refused_before_anything_is_asked(
    data: Path, tmp_path: Path, local: Any
) -> None:
    server: LocalModel = local("ollama", shown={"capabilities": ["completion"]})
    flags = {"model": "ollama/small", "base_url": server.url, "paper_as": "pages"}

    with pytest.raises(SettingsError, match="ollama/small takes no images of pages"):
        audited(data, tmp_path / "run", **flags)

    assert not server.asked
    assert set(server.paths) == {"/api/show"}


def test_pages_are_held_back_where_papers_are(data: Path, tmp_path: Path) -> None:
    flags = {"model": "openai/gpt-4o", "paper_as": "pages", "confidentiality": "local"}

    with pytest.MonkeyPatch.context() as patch, pytest.raises(ConfidentialityError):
        patch.setenv("OPENAI_API_KEY", "test")
        audited(data, tmp_path / "run", **flags)


def test_a_run_goes_on_with_the_same_pages_alone(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    audited(data, tmp_path / "run", server, paper_as="pages", point=("r1#1",))
    asked = len(server.bodies)
    audited(data, tmp_path / "run", server, paper_as="pages", point=("r1#1",))
    assert len(server.bodies) == asked

    with pytest.raises(RunFolderError, match="paper_as was 'pages' and is now None"):
        audited(data, tmp_path / "run", server)
    paged(data / "new.pdf").replace(data / "frogs.pdf")
    (data / "frogs.pdf").write_bytes((data / "frogs.pdf").read_bytes() + b"\n%changed")
    with pytest.raises(RunFolderError, match=r"the input file frogs\.pdf is another one"):
        audited(data, tmp_path / "run", server, paper_as="pages")


LACK = "The paper reports no accuracy by pond."
FIGURE = "The bars of Figure 1 show an accuracy for each of the four ponds."
PROSE = "Our counter fails in heavy rain, and we have tested it in one country only."


def look(nearest: list[dict[str, str]], *, standing: int = 1) -> dict[str, object]:
    """A reply on a point that takes a lack for granted which the paper supplies in full."""
    presupposition = {
        "statement": LACK, "nearest": nearest, "supplies": "fully", "true": 1, "central": True,
        "foreign": False, "acknowledged": False,
    }  # fmt: skip
    part = {"words": "", "presuppositions": [presupposition], "standing": standing}
    return {
        "kind": "criticism", "type": "claim", "parts": [part], "reason": "It is there.",
        "probability": 0.9,
    }  # fmt: skip


def read_off(source: str, sentence: str) -> dict[str, str]:
    return {"section": "3 Experiments", "sentence": sentence, "source": source}


def judged(data: Path, tmp_path: Path, nearest: list[dict[str, str]]) -> PointScore:
    """The score of the first point of the review, answered through an exchange folder."""
    place = tmp_path / "exchange"
    flags = {"model": f"exchange:{place}", "protocol": "presupposition", "points": "rules",
             "per": "point", "paper_as": "pages", "point": ("r1#1",)}  # fmt: skip
    for _ in range(2):
        audited(data, tmp_path / "run", **flags)
        lines = (place / "open.jsonl").read_text().splitlines()
        with (place / "replies.jsonl").open("a") as replies:
            for line in map(json.loads, lines):
                assert [(place / name).is_file() for name in line["pages"]] == [True] * 4
                replies.write(json.dumps({"prompt": line["prompt"], "reply": look(nearest)}) + "\n")
    audited(data, tmp_path / "run", **flags)
    (score,) = read_points(tmp_path / "run")
    return score


@pytest.mark.parametrize("source", ["figure", "table"])
def test_a_reading_off_a_page_is_not_verified_and_alone_carries_no_flag(
    data: Path, tmp_path: Path, source: str
) -> None:
    score = judged(data, tmp_path, [read_off(source, FIGURE)])

    (reading,) = score.presuppositions[0].nearest
    assert (reading.quote, reading.source, reading.verified) == (FIGURE, source, False)
    assert len(score.looks) == 2
    assert (score.misinformed, score.reason) == (None, UnknownReason.UNPROVED)
    assert score.evidence == ()
    assert row(score)["misinformed"] is None


def test_prose_that_is_read_off_a_page_is_found_in_the_text_and_carries_a_flag(
    data: Path, tmp_path: Path
) -> None:
    score = judged(data, tmp_path, [read_off("text", PROSE), read_off("figure", FIGURE)])

    prose, reading = score.presuppositions[0].nearest
    assert prose.verified
    assert prose.start is not None
    assert " ".join(PAPER[prose.start : prose.end].split()) == PROSE
    assert not reading.verified
    assert score.misinformed is True
    assert [quote.quote for quote in score.evidence] == [prose.quote]


def test_readers_of_a_folder_answer_by_its_pages(data: Path, tmp_path: Path) -> None:
    place = tmp_path / "exchange"
    flags = {"model": f"exchange:{place}", "paper_as": "both", "score": "base", "points": "rules"}
    while audited(data, tmp_path / "run", **flags).stopped:
        answer(place)

    assert len(list((place / "pages").iterdir())) == 4
    lines = [json.loads(line) for line in (place / "prompts.jsonl").read_text().splitlines()]
    shown = [line["pages"] for line in lines if "pages" in line]
    assert len({tuple(names) for names in shown}) == 1
    assert {line["record"] for line in lines if "pages" not in line} == {
        "ArgumentReply", "QuestionReply"
    }  # fmt: skip
    assert len(list(read_points(tmp_path / "run"))) == 5


def test_prompts_about_papers_that_are_still_drawn_are_waited_for(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paged(two_papers(data) / "toads.pdf")
    drawn = scoring.paper_as_shown

    def slow(collection: Collection, paper_id: str, *how: Any) -> Paper:
        time.sleep(2 * QUIET if paper_id == "toads" else 0)
        return drawn(collection, paper_id, *how)

    monkeypatch.setattr(scoring, "paper_as_shown", slow)
    flags = {"protocol": "presupposition", "points": "rules", "paper_as": "pages"}
    audited(data, tmp_path / "run", model=f"exchange:{tmp_path / 'exchange'}", **flags)

    assert len((tmp_path / "exchange" / "open.jsonl").read_text().splitlines()) == 2


def test_a_point_of_its_own_is_judged_by_pages_where_its_paper_has_some(
    data: Path, server: Loopback
) -> None:
    point = rs.split("r1", data=data)[1]
    flags = {"model": "openai/loopback", "base_url": server.url, "paper_as": "pages"}

    score = rs.score(point, data=data, score="base", **flags)

    assert score.seen is not None
    assert score.seen.pages == 4
    assert len(turns(server)) >= 1
    assert contents(server.bodies[-1])
    rs.score(point, data / "frogs.pdf", score="base", **flags)
    with pytest.raises(InputError, match="has no PDF whose pages could be shown"):
        rs.score(point, rs.load_paper(data / "papers.jsonl"), score="base", **flags)
