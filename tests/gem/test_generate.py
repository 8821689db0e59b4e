"""Candidate models review papers; what fails is counted, what is there is not asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.config import Settings
from reviewscore.errors import SettingsError
from reviewscore.gem.generate import Reason, ReviewReply, check_review, generate, sections_of
from reviewscore.runs.session import Outcome
from reviewscore.sources.collection import read_papers
from reviewscore.sources.system_reviews import read_materials
from tests.gem.conftest import read_lines
from tests.loopback import Loopback, completion, contents

Run = Callable[..., Outcome]
GOOD = [Reason(reason=f"Reason {n}.", evidence=["Sec. 2", " "]) for n in range(4)]


@pytest.fixture
def run(data: Path, tmp_path: Path, loopback: Loopback) -> Run:
    def go(*models: str, **how: object) -> Outcome:
        settings = Settings(base_url=loopback.url, cache_dir=tmp_path / "ledger")
        papers = read_papers(data)
        return generate(papers, models, tmp_path / "out", settings, **how)  # type: ignore[arg-type]

    return go


def test_every_model_reviews_every_paper_under_its_own_name(run: Run, tmp_path: Path) -> None:
    outcome = run("openai/small", "openai/large")

    rows = read_lines(tmp_path / "out" / "reviews.jsonl")
    assert [one["review_id"] for one in rows] == [
        "frogs/openai/large", "frogs/openai/small", "toads/openai/large", "toads/openai/small",
    ]  # fmt: skip
    assert outcome.manifest.counts == {"reviews made": 4}
    read = read_materials(tmp_path / "out")
    assert read.warnings == []
    assert read.systems() == ["openai/large", "openai/small"]
    assert "strengths:\n\n1. Reason 1.\n   - " in next(read.all()).raw


def test_a_further_model_asks_only_its_own_questions(run: Run, loopback: Loopback) -> None:
    run("openai/small")

    outcome = run("openai/small", "openai/large")

    assert (outcome.new, outcome.before) == (2, 2)
    assert max(loopback.served.values()) == 1


def test_a_paper_that_a_model_declines_is_counted_and_the_others_go_on(
    run: Run, loopback: Loopback, tmp_path: Path
) -> None:
    def quirk(body: dict[str, object], _seen: int) -> web.Response | None:
        if "Counting Toads" not in "".join(contents(body)):
            return None
        answer = completion("", key="0" * 64, size=1, finish="content_filter")
        return web.json_response(answer)

    loopback.quirk = quirk

    outcome = run("openai/small")

    assert outcome.manifest.counts == {"reviews failed": 1, "reviews made": 1}
    assert outcome.manifest.failures == {"reviews": {"the provider's filter withheld the reply": 1}}
    assert read_materials(tmp_path / "out").warnings == [
        f"{tmp_path / 'out' / 'reviews.jsonl'}: 1 reviews without any text are left out"
    ]


def test_without_a_model_there_is_nothing_to_do(run: Run) -> None:
    with pytest.raises(SettingsError, match="--model"):
        run()


@pytest.mark.parametrize(
    ("summary", "strengths", "weaknesses", "problem"),
    [
        (" ", GOOD, GOOD, "summary"),
        ("It counts.", GOOD[:3], GOOD, "strengths: 3 reasons"),
        ("It counts.", GOOD, [*GOOD[:3], Reason(reason=" ", evidence=[])], "weaknesses: 3"),
    ],
)
def test_a_review_that_lacks_a_part_is_refused(
    summary: str, strengths: list[Reason], weaknesses: list[Reason], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        check_review(
            ReviewReply(summary=summary, strengths=strengths, weaknesses=weaknesses, questions=[])
        )


def test_a_review_is_text_under_headings() -> None:
    made = ReviewReply(summary=" It counts. ", strengths=GOOD, weaknesses=GOOD, questions=[])

    assert sections_of(made)["summary"] == "It counts."
    assert sections_of(made)["strengths"].startswith("1. Reason 0.\n   - Sec. 2\n2. Reason 1.")
    assert "questions" not in sections_of(made)


def test_a_model_reviews_what_reviewers_had_and_no_revision(
    run: Run, loopback: Loopback, data: Path
) -> None:
    papers = [
        {**row, "documents": [{"kind": "revision", "text": "Snow fell late in the revision."}]}
        for row in read_lines(data / "papers.jsonl")
    ]
    (data / "papers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in papers))
    asked: list[str] = []

    def quirk(body: dict[str, object], _seen: int) -> None:
        asked.append("".join(contents(body)))

    loopback.quirk = quirk

    run("openai/small")

    assert len(asked) == len(papers)
    assert all("Counting" in prompt and "Snow fell" not in prompt for prompt in asked)
