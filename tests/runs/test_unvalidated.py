"""A run says of which of its models nobody knows what they are worth."""

from __future__ import annotations

from pathlib import Path

import pytest

import reviewscore as rs
from reviewscore.config import Settings
from reviewscore.report.lines import summary_lines
from reviewscore.report.markdown import markdown_report
from reviewscore.runs.folder import read_manifest
from reviewscore.runs.unvalidated import unvalidated, unvalidated_words
from tests.commands import invoker
from tests.conftest import ROOT
from tests.loopback import Loopback

EXAMPLES = ROOT / "examples"
HERE = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("settings", "models"),
    [
        ({}, ()),
        ({"model": "openai/gpt-5"}, ()),
        ({"model": "exchange:replies"}, ()),
        ({"model": "openai/gpt-5", "base_url": HERE}, ("openai/gpt-5",)),
        ({"model": "ollama/small"}, ("ollama/small",)),
        ({"model": "openai/nobody-knows-it"}, ("openai/nobody-knows-it",)),
        ({"model": "openai/gpt-5", "panel": ("llamacpp/x",)}, ("llamacpp/x",)),
    ],
)
def test_models_on_ones_own_machine_and_unknown_ones_are_named(
    settings: dict[str, object], models: tuple[str, ...]
) -> None:
    assert unvalidated(Settings.model_validate(settings)) == models


def test_the_beginning_of_a_run_its_summary_and_its_pages_say_it_in_one_line(
    server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ("--model", "openai/loop", "--base-url", server.url, "--limit", "1", "--score", "base")

    ended = invoker("audit", capsys)(str(EXAMPLES), "-o", "run", *model)

    words = unvalidated_words(("openai/loop",))
    assert words.startswith("no validation of openai/loop on these papers is at hand")
    assert ended.stderr.count(words) == ended.stdout.count(words) == 1
    assert read_manifest(Path("run")).unvalidated == ("openai/loop",)
    assert words[1:] in Path("run/report.html").read_text("utf-8")
    assert words[1:30] in markdown_report(Path("run"))


def test_the_embedded_judge_has_words_of_its_own() -> None:
    run = rs.audit(EXAMPLES, "run")

    assert not [line for line in summary_lines(run.summary) if "no validation" in line]
    assert "unvalidated" not in Path("run/manifest.json").read_text("utf-8")
