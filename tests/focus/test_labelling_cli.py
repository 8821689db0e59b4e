"""``reviewscore focus --model``: what is said and written, and the exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.focus import plots
from reviewscore.focus.facets import FacetKind, read_facets
from tests.commands import Invoke, invoker
from tests.loopback import Loopback, completion, contents

ECONOMICS = Path(__file__).resolve().parents[2] / "examples" / "focus" / "economics.toml"
FEW = ("--resamples", 100)


@pytest.fixture
def focus(
    capsys: pytest.CaptureFixture[str], loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> Invoke:
    monkeypatch.setenv("OPENAI_BASE_URL", loopback.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(plots, "draw", lambda *_: [])  # drawn in other tests, and slow
    return invoker("focus", capsys)


def test_a_model_labels_and_the_tables_are_made_of_its_labels(
    focus: Invoke, data: Path, tmp_path: Path, loopback: Loopback
) -> None:
    out = tmp_path / "out"

    ended = focus(data, "--model", "openai/loop", "-o", out, "--json", *FEW)
    asked = len(loopback.bodies)
    again = focus(data, "--model", "openai/loop", "-o", out, "--json", *FEW)

    assert ended.exit_code == 0, ended.stderr
    assert "16 calls" in ended.stderr
    assert "4 reviews made" in ended.stderr
    assert "embedded annotator" not in ended.stdout
    told = json.loads(ended.stdout)
    assert told["model"] == "openai/loop"
    assert told["settings"]["models_answered"] == ["loopback-1"]
    assert len(told["settings"]["prompt focus_target_strength/v1"]) == 64
    assert "focus_aspect_weakness/v1" in told["notes"][0]
    assert (out / "annotated" / "labels.jsonl").is_file()
    assert again.stdout == ended.stdout
    assert len(loopback.bodies) == asked
    other = focus(data, "--model", "openai/other", "-o", out, *FEW)
    assert other.exit_code == 2
    assert "model was 'openai/loop' and is now 'openai/other'" in other.stderr


def test_what_it_would_cost_is_said_without_a_key_or_a_folder(
    focus: Invoke,
    data: Path,
    tmp_path: Path,
    loopback: Loopback,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")

    priced = focus(data, "--model", "openai/gpt-4o", "--dry-run", "-o", tmp_path / "out")
    without = focus(data, "--dry-run")

    assert (priced.exit_code, without.exit_code) == (0, 0)
    assert "16 calls: focus_target_strength 4, focus_aspect_strength 4" in priced.stdout
    assert "about $" in priced.stdout
    assert "nothing to ask: the embedded annotator" in without.stdout
    assert not (tmp_path / "out").exists()
    assert loopback.bodies == []


def test_who_does_not_agree_to_the_cost_is_asked_once_and_nothing_is_spent(
    focus: Invoke,
    data: Path,
    tmp_path: Path,
    loopback: Loopback,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.setenv("REVIEWSCORE_CONFIRM_ABOVE", "0")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    asked: list[str] = []
    monkeypatch.setattr("click.confirm", lambda text, **_: bool(asked.append(text)))

    ended = focus(data, "--model", "openai/gpt-4o", "-o", tmp_path / "out")

    assert ended.exit_code == 0
    assert len(asked) == 1
    assert not (tmp_path / "out").exists()
    assert loopback.bodies == []


def test_failures_are_an_exit_code_and_unknown_labels_in_the_tables(
    focus: Invoke, data: Path, tmp_path: Path, loopback: Loopback
) -> None:
    def quirk(body: dict[str, object], _seen: int) -> web.Response | None:
        if "No proof" not in "".join(contents(body)):
            return None
        return web.json_response(completion("{}", key="0" * 64, size=10))

    loopback.quirk = quirk
    words = (data, "--model", "openai/loop", "-o", tmp_path / "out", *FEW)

    partly = focus(*words)
    loopback.quirk = None
    renewed = focus(*words, "--retry-errors")

    assert partly.exit_code == 3
    assert "--retry-errors" in partly.stderr
    assert "1 points without all labels: BadReplyError" in partly.stdout
    assert renewed.exit_code == 0
    assert "without all labels" not in renewed.stdout


def test_a_run_that_a_limit_stopped_goes_on_in_its_folder(
    focus: Invoke, data: Path, tmp_path: Path, loopback: Loopback
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'source = "test"\ndate = "2026-01-01"\n[models]\n'
        '"loop" = { input = 100.0, cached = 10.0, output = 100.0, batch = 0.5 }\n'
    )
    words = (data, "--model", "openai/loop", "-o", tmp_path / "out", "--prices", prices, *FEW)

    stopped = focus(*words, "--max-usd", 0.01)
    done = focus(*words, "--max-usd", 1000)

    assert stopped.exit_code == 4
    assert stopped.stdout == ""
    assert "--max-usd" in stopped.stderr
    assert done.exit_code == 0, done.stderr
    assert max(loopback.served.values()) == 1


def test_another_field_brings_its_facets(
    focus: Invoke, data: Path, tmp_path: Path, loopback: Loopback
) -> None:
    ended = focus(
        data, "--model", "openai/loop", "--facets", ECONOMICS, "-o", tmp_path / "out", *FEW
    )

    assert ended.exit_code == 0, ended.stderr
    facets = read_facets(ECONOMICS)
    assert all(name in ended.stdout for kind in FacetKind for name in facets.names(kind))
    assert "novelty" not in ended.stdout
    points = (tmp_path / "out" / "points.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(one)["target"] for one in points} <= set(facets.names(FacetKind.TARGET))
    assert all(re.search(r'"(data|credibility)": ', "".join(contents(b))) for b in loopback.bodies)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--model", "openai/loop"], "labels of openai/loop need a folder; name one with -o"),
        (["--facets", str(ECONOMICS)], "knows only its own facets; name a --model"),
        (["--facets", "none.toml", "--model", "openai/x", "--dry-run"], "cannot be read"),
        (["--facets", "twice.toml", "--model", "openai/x", "--dry-run"], "give each facet once"),
    ],
)
def test_who_cannot_label_is_said_with_a_cure(
    focus: Invoke, data: Path, words: list[str], says: str
) -> None:
    text = ECONOMICS.read_text("utf-8").replace('name = "data"', 'name = "Policy"')
    Path("twice.toml").write_text(text)

    ended = focus(data, *words)

    assert ended.exit_code == 2
    assert says in ended.stderr
