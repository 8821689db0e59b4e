"""What a dry run prints: refusals, both ends of the cost, the table of ways to ask, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reviewscore.cli.main import group
from reviewscore.errors import ReviewScoreError
from tests.conftest import ROOT

EXAMPLES = str(ROOT / "examples")
Dry = Callable[..., Result]


@pytest.fixture
def dry(monkeypatch: pytest.MonkeyPatch) -> Dry:
    """A dry run of the example audit, without a key."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return lambda *more: invoke("audit", EXAMPLES, "--dry-run", *more)


def invoke(*line: object) -> Result:
    return CliRunner().invoke(group, [str(one) for one in line], standalone_mode=False)


def refusal(result: Result) -> str:
    assert isinstance(result.exception, ReviewScoreError), result.output
    return str(result.exception)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--model", "gpt-5"], "unknown model 'gpt-5'; did you mean 'openai/gpt-5'?"),
        (["--model", "openai/gpt-5", "--model", "gpt5"], "unknown model 'gpt5'"),
        (["--model", "openai/gpt-5", "--judge", "faithfulness=x/y"], "unknown model 'x/y'"),
        (["--model", "exchange:"], "write exchange:FOLDER"),
        (["--model", "openai/x", "--max-usd", "5"], "the price of openai/x is not known"),
    ],
)
def test_a_dry_run_refuses_what_the_run_refuses_in_the_same_words(
    dry: Dry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], says: str
) -> None:
    told = refusal(dry(*flags))
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    assert says in told
    assert told == refusal(invoke("audit", EXAMPLES, "-o", tmp_path / "run", *flags))


def test_both_ends_of_the_cost_are_said_with_what_is_guessed(dry: Dry) -> None:
    words = dry("--model", "openai/gpt-4.1", "--max-connections", "4").stdout

    assert "of the input comes from the provider's cache, as simulated; $" in words
    assert "if nothing does (price table of" in words
    assert "by 4 calls at once" in words
    assert "replies are guessed: 250 tokens each, " in words
    assert "reconstruct_argument 750" in words


def test_limits_of_the_settings_are_named_with_their_hours(
    dry: Dry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVIEWSCORE_REQUESTS_PER_MINUTE", "2")
    monkeypatch.setenv("REVIEWSCORE_TOKENS_PER_MINUTE", "2000000")

    words = dry("--model", "openai/gpt-4.1").stdout

    assert "at least 1.5 h: 1.5 h by 2 requests a minute; " in words
    assert "by 2,000,000 tokens a minute, reply limits counted" in words


def test_models_and_protocols_stand_side_by_side_in_one_table(dry: Dry) -> None:
    words = dry("--model", "openai/gpt-4.1", "--model", "openai/unheard-of").stdout

    rows = [re.split(" {2,}", line) for line in words.splitlines() if line.startswith("openai/")]
    assert [row[:2] for row in rows] == [
        ["openai/gpt-4.1 + openai/unheard-of (this command)", "paper"],
        ["openai/gpt-4.1 + openai/unheard-of", "economy"],
        ["openai/gpt-4.1 + openai/unheard-of", "presupposition"],
        ["openai/gpt-4.1 + openai/unheard-of", "presupposition+proof"],
        ["openai/gpt-4.1", "paper"],
        ["openai/gpt-4.1", "economy"],
        ["openai/gpt-4.1", "presupposition"],
        ["openai/gpt-4.1", "presupposition+proof"],
        ["openai/unheard-of", "paper"],
        ["openai/unheard-of", "economy"],
        ["openai/unheard-of", "presupposition"],
        ["openai/unheard-of", "presupposition+proof"],
    ]
    assert [row[6] for row in rows].count("unknown") == 8  # never taken for nothing
    assert "0.00" not in words


@pytest.mark.parametrize("protocol", ["paper", "presupposition", "presupposition+proof"])
def test_the_cost_of_every_protocol_is_named_before_anything_is_asked(
    dry: Dry, protocol: str
) -> None:
    words = dry("--model", "openai/gpt-4.1", "--protocol", protocol).stdout

    (line,) = (line for line in words.splitlines() if line.startswith("by protocol: "))
    ways = line.removeprefix("by protocol: ").split("; ")
    pattern = r"(\S+) ~[\d,]+ calls, ~[\d.]+ k tokens in, \$\d+\.\d\d( \(this command\))?"
    named = [re.fullmatch(pattern, way) for way in ways]
    assert [match and match[1] for match in named] == [
        *("paper", "economy", "presupposition", "presupposition+proof"),
    ]
    assert [match[1] for match in named if match and match[2]] == [protocol]


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--author-response"], ["paper", "economy"]),
        (["--judge", "claim_factuality=openai/gpt-4.1"], ["paper", "economy"]),
        (["--context", "excerpts", "--context-tokens", "9000"],
         ["paper", "economy", "presupposition", "presupposition+proof"]),
        (["--protocol", "presupposition", "--per", "paper"],
         ["paper", "economy", "presupposition", "presupposition+proof"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("panel", [[], ["--model", "openai/gpt-5-nano"]])
def test_no_way_to_ask_is_offered_that_would_be_refused(
    dry: Dry, flags: list[str], named: list[str], panel: list[str]
) -> None:
    result = dry("--model", "openai/gpt-4.1", *panel, *flags, "--json")
    words = dry("--model", "openai/gpt-4.1", *panel, *flags).stdout

    ways = json.loads(result.stdout)["ways"]
    assert [way["protocol"] for way in ways] == named * (3 if panel else 1)
    (line,) = (line for line in words.splitlines() if line.startswith("by protocol: "))
    assert [way.split()[0] for way in line.removeprefix("by protocol: ").split("; ")] == named
    assert words.count("(this command)") == 2


def test_batch_jobs_have_no_time_that_is_known(dry: Dry) -> None:
    words = dry("--model", "openai/gpt-4.1", "--batch").stdout

    assert "time: unknown; each wave of batch jobs takes up to a day" in words


def test_a_script_gets_the_same_as_one_object(dry: Dry) -> None:
    result = dry("--model", "openai/gpt-4.1", "--model", "openai/unheard-of", "--json")

    told: dict[str, Any] = json.loads(result.stdout)
    assert told["schema"] == "reviewscore.cost_estimate/1"
    assert (told["papers"], told["reviews"], sum(told["points"].values())) == (1, 3, 27)
    (this,) = (way for way in told["ways"] if way["this_command"])
    assert (this["models"], this["usd"]) == (["openai/gpt-4.1", "openai/unheard-of"], None)
    alone = next(way for way in told["ways"] if way["models"] == ["openai/gpt-4.1"])
    assert 0 < alone["usd"] < alone["usd_uncached"]
    assert alone["hours"]["at_least"] == alone["hours"]["connections"]
    assert told["limits"]["max_connections"] == 8


def test_the_embedded_judge_has_no_ways_to_ask(dry: Dry) -> None:
    assert json.loads(dry("--json").stdout)["ways"] == []
    assert "no calls, no cost" in dry().stdout


@pytest.mark.parametrize(
    "line",
    [
        ["audit", EXAMPLES, "--model", "openai/gpt-5", "--json"],
        ["gem", "generate", EXAMPLES, "-o", "made", "--model", "openai/gpt-5", "--json"],
    ],
)
def test_json_without_a_dry_run_is_wrong_use(line: list[str]) -> None:
    result = invoke(*line)

    assert "--json prints what --dry-run estimates; give both" in str(result.exception)


GENERATE = ("gem", "generate", EXAMPLES, "-o", "made", "--dry-run", "--model", "openai/gpt-4.1")


def test_other_verbs_estimate_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = invoke(*GENERATE, "--model", "openai/gpt-5-nano").stdout
    (alone,) = json.loads(invoke(*GENERATE, "--json").stdout)["ways"]

    assert "2 calls: gem_review 2" in words
    assert "with nothing from a cache (" in words
    assert words.count("\nopenai/gpt") == 3
    assert (alone["protocol"], alone["usd"]) == (None, alone["usd_uncached"])
    assert "did you mean 'openai/gpt-5'" in refusal(invoke(*GENERATE, "--model", "gpt-5"))
