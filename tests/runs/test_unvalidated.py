"""A run says of which of its models nobody knows what they are worth."""

from __future__ import annotations

from pathlib import Path

import pytest

import reviewscore as rs
from reviewscore.config import Settings, resolve
from reviewscore.report.lines import summary_lines
from reviewscore.report.markdown import markdown_report
from reviewscore.report.role_pages import write_for
from reviewscore.report.roles import Reader
from reviewscore.report.summary import summarise, write_summary
from reviewscore.runs.folder import read_manifest
from reviewscore.runs.unvalidated import (
    keep_validation,
    latest_validation,
    unvalidated,
    unvalidated_words,
    validation_file,
)
from reviewscore.schema.validation import MeasuredShare, ValidationRecord
from tests.commands import invoker
from tests.conftest import ROOT
from tests.loopback import Loopback

EXAMPLES = ROOT / "examples"
HERE = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("settings", "models"),
    [
        ({}, ()),
        ({"model": "openai/gpt-5"}, ("openai/gpt-5",)),
        ({"model": "exchange:replies"}, ()),
        ({"model": "openai/gpt-5", "base_url": HERE}, ("openai/gpt-5",)),
        ({"model": "ollama/small"}, ("ollama/small",)),
        ({"model": "openai/nobody-knows-it"}, ("openai/nobody-knows-it",)),
        ({"model": "openai/gpt-5", "panel": ("llamacpp/x",)}, ("openai/gpt-5", "llamacpp/x")),
    ],
)
def test_models_are_named_of_which_no_validation_is_at_hand(
    settings: dict[str, object], models: tuple[str, ...], tmp_path: Path
) -> None:
    assert unvalidated(Settings.model_validate({**settings, "cache_dir": tmp_path})) == models


def test_the_beginning_of_a_run_its_summary_and_its_pages_say_it_in_one_line(
    server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ("--model", "openai/loop", "--base-url", server.url, "--limit", "1", "--score", "base")

    ended = invoker("audit", capsys)(str(EXAMPLES), "-o", "run", *model)

    words = unvalidated_words(("openai/loop",))
    assert words.startswith("no validation of openai/loop is at hand")
    assert ended.stderr.count(words) == ended.stdout.count(words) == 1
    assert read_manifest(Path("run")).unvalidated == ("openai/loop",)
    assert words[1:] in Path("run/report.html").read_text("utf-8")
    assert words[1:30] in markdown_report(Path("run"))


def test_the_embedded_judge_is_no_model_whose_verdicts_nobody_knows() -> None:
    run = rs.audit(EXAMPLES, "run")

    assert not [line for line in summary_lines(run.summary) if "better than chance" in line]
    assert "unvalidated" not in Path("run/manifest.json").read_text("utf-8")


def record(judge: str) -> ValidationRecord:
    return ValidationRecord(
        judge=judge, at="2026-01-02T03:04:05+00:00", made_with="0" * 64, items_sha256="1" * 64,
        items=48, papers=8, shares={"sensitivity": MeasuredShare(value=0.75, n=48)},
        sentence="This judge finds 75.0 %.",
    )  # fmt: skip


def test_the_latest_validation_of_a_judge_is_kept_for_later_runs(tmp_path: Path) -> None:
    settings = Settings(model="openai/gpt-5", cache_dir=tmp_path)
    panel = Settings(model="openai/gpt-5", panel=("llamacpp/x",), cache_dir=tmp_path)

    assert keep_validation(record("openai/gpt-5"), settings)

    assert latest_validation(settings) == record("openai/gpt-5")
    assert unvalidated(settings) == ()
    assert latest_validation(panel) is None  # a panel is another judge


def test_what_replies_in_a_folder_are_worth_is_not_kept(tmp_path: Path) -> None:
    settings = Settings(model="exchange:replies", cache_dir=tmp_path)

    assert not keep_validation(record("exchange:replies"), settings)
    assert latest_validation(settings) is None


@pytest.mark.parametrize(
    "content", [b"{", b"\xff", record("other/model").model_dump_json().encode()]
)
def test_a_record_that_cannot_be_used_is_no_validation(content: bytes, tmp_path: Path) -> None:
    settings = Settings(model="openai/gpt-5", cache_dir=tmp_path)
    file = validation_file(settings)
    file.parent.mkdir(parents=True)
    file.write_bytes(content)

    assert latest_validation(settings) is None
    assert unvalidated(settings) == ("openai/gpt-5",)


def audited(server: Loopback, *models: str, out: str = "run") -> Path:
    """A run of one review of the examples; of several models, by a panel."""
    rs.audit(EXAMPLES, out, limit=1, model=list(models), base_url=server.url,
             score="base")  # fmt: skip
    return Path(out)


def every_page(run: Path) -> dict[str, str]:
    """What a run says on all paths: terminal, record, pages, and the pages for chairs."""
    summary = write_summary(run)
    chairs = [write_for(run, Reader.META_REVIEWER, out=run / f"for.{end}")[0]
              for end in ("html", "md")]  # fmt: skip
    files = [run / "summary.json", *chairs]
    return {
        "terminal": "\n".join(summary_lines(summary)),
        "markdown": markdown_report(run),
        **{path.name: path.read_text("utf-8") for path in files},
    }


@pytest.mark.parametrize(
    ("models", "words"),
    [
        (("openai/loop",), "o validation of openai/loop is at hand"),
        (("openai/loop", "openai/other"), "o validation of openai/loop, openai/other is at hand"),
        (("exchange:examples/exchange",), "o validation of replies in a folder is at hand"),
        (("lexical",), "o validation of lexical is at hand"),
    ],
)
def test_every_path_says_that_a_judge_was_not_validated(
    models: tuple[str, ...], words: str, server: Loopback
) -> None:
    if models[0].startswith("exchange:"):
        models = (f"exchange:{EXAMPLES / 'exchange'}",)
        rs.audit(EXAMPLES, "run", model=models[0], cache=False)
    elif models == ("lexical",):
        rs.audit(EXAMPLES, "run")
    else:
        audited(server, *models)

    said = {name: page.replace("\\", "") for name, page in every_page(Path("run")).items()}

    assert [name for name, page in said.items() if words not in page] == []


@pytest.mark.parametrize("models", [("openai/loop",), ("openai/loop", "openai/other")])
def test_every_path_says_a_validation_that_was_made_after_the_run(
    models: tuple[str, ...], server: Loopback
) -> None:
    run = audited(server, *models)
    settings = resolve({"model": models[0], "panel": models[1:]}).settings
    keep_validation(record(" + ".join(models)), settings)

    said = every_page(run)

    words = "48 planted points of 8 papers, with other settings: this judge finds 75.0 %"
    assert [name for name, page in said.items() if words not in page] == []
    assert not [name for name, page in said.items() if "o validation of" in page]


def test_the_later_of_two_validations_is_said(server: Loopback) -> None:
    settings = resolve({"model": "openai/loop"}).settings
    later, earlier = record("openai/loop"), record("openai/loop").model_copy(
        update={"at": "2025-01-02T03:04:05+00:00", "items": 7}
    )  # fmt: skip
    keep_validation(later, settings)
    run = audited(server, "openai/loop")
    keep_validation(earlier, settings)

    assert "with 48 planted points" in str(summarise(run).validation)


def test_pages_for_reviewers_and_authors_are_silent_on_the_judge(server: Loopback) -> None:
    run = audited(server, "openai/loop")

    for reader in (Reader.REVIEWER, Reader.AUTHOR):
        (page,) = write_for(run, reader, out=run / "page.md")
        assert "validation" not in page.read_text("utf-8")
