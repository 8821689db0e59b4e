"""No paper and no review leaves this machine unless its venue's rule allows it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import reviewscore as rs
from reviewscore import notices
from reviewscore.addresses import is_loopback
from reviewscore.cli.main import group
from reviewscore.config import Settings, resolve, user_settings_file
from reviewscore.errors import ConfidentialityError, ReviewScoreError
from reviewscore.llm.confidentiality import rule_of, settled
from reviewscore.llm.connect import connect
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.runs.folder import read_manifest
from tests.conftest import ROOT
from tests.loopback import Loopback

EXAMPLES = ROOT / "examples"
AWAY = ("--base-url", "http://models.example.org/v1")

COMMANDS = {
    "audit": ("audit", EXAMPLES, "-o", "out", "--model", "openai/m", *AWAY),
    "audit in batches": ("audit", EXAMPLES, "-o", "out", "--model", "openai/m", "--batch", *AWAY),
    "one judge of an audit": (
        *("audit", EXAMPLES, "-o", "out", "--model", "exchange:folder", *AWAY),
        *("--judge", "faithfulness=openai/m"),
    ),
    "reconstruct": (
        *("reconstruct", "No ablation, so the gain is unexplained."),
        *("--paper", EXAMPLES / "paper.txt", "--model", "openai/m", *AWAY),
    ),
    "gem prepare": ("gem", "prepare", EXAMPLES, "-o", "out", "--model", "openai/m", *AWAY),
    "gem generate": (
        *("gem", "generate", EXAMPLES, "-o", "out", "--model", "exchange:folder"),
        *("--model", "openai/m", *AWAY),
    ),
    "gem by a server": (
        *("gem", EXAMPLES / "gem", "--model", "server/m", "--base-url", AWAY[1], "-o", "out"),
    ),
    "gem validate": (
        *("gem", "validate", EXAMPLES / "gem", "--baseline", "examiner=openai/m", "-o", "out"),
    ),
    "focus": ("focus", EXAMPLES / "gem", "--model", "openai/m", "-o", "out", *AWAY),
    "focus references": (
        *("focus", "references", EXAMPLES / "gem", "--model", "openai/m", "-o", "out", *AWAY),
        *("--metareviews", "metareviews.jsonl"),
    ),
    "similarity judge": (
        *("similarity", "judge", EXAMPLES / "similarity", "--model", "openai/m", "-o", "out"),
        *AWAY,
    ),
}


def refusal(*line: object) -> str:
    """What a command says that refuses to let texts leave; empty if it does not."""
    result = CliRunner().invoke(group, [str(word) for word in line], standalone_mode=False)
    assert isinstance(result.exception, ReviewScoreError), (result.output, result.exception)
    return str(result.exception) if isinstance(result.exception, ConfidentialityError) else ""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    meta = {"paper_id": "sparse-replay", "meta_review": "One seed is too few for its claim."}
    Path("metareviews.jsonl").write_text(json.dumps(meta) + "\n")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("REVIEWSCORE_CONFIRM_ABOVE", "1000")


@pytest.fixture
def own_settings() -> Path:
    """The user's own settings file, which says that texts stay here."""
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    file.write_text('[models]\nconfidentiality = "local"\n')
    return file


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_sends_nothing_away_where_the_setting_says_local(
    name: str, own_settings: Path
) -> None:
    words = refusal(*COMMANDS[name])

    assert 'confidentiality = "local"' in words
    assert str(own_settings) in words
    assert "--model lexical" in words


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_without_a_terminal_sends_nothing_away_where_no_rule_is_known(name: str) -> None:
    words = refusal(*COMMANDS[name])

    assert "REVIEWSCORE_CONFIDENTIALITY=provider" in words
    assert str(user_settings_file()) in words


def test_the_python_functions_refuse_like_the_commands(own_settings: Path) -> None:
    with pytest.raises(ConfidentialityError, match="may not leave"):
        rs.audit(EXAMPLES, "out", model="openai/m", base_url=AWAY[1], confidentiality="provider")


def test_a_client_refuses_a_model_that_the_settings_do_not_name() -> None:
    settings = Settings(model="exchange:folder", confidentiality="local")

    async def opened() -> None:
        client = await connect(settings, CallsInMemory())
        client.provider_of("openai/m")

    with pytest.raises(ConfidentialityError):
        asyncio.run(opened())


def test_nothing_overrides_local(
    own_settings: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    named = tmp_path / "other.toml"
    named.write_text('[models]\nconfidentiality = "provider"\n')
    monkeypatch.setenv("REVIEWSCORE_CONFIDENTIALITY", "provider")

    resolved = resolve({"confidentiality": "provider"}, config=named, cleared=("confidentiality",))

    assert resolved.settings.confidentiality == "local"
    assert resolved.origins["confidentiality"] == str(own_settings)


def test_a_file_that_merely_lies_beside_the_data_cannot_open_the_gate(tmp_path: Path) -> None:
    (tmp_path / "reviewscore.toml").write_text('[models]\nconfidentiality = "provider"\n')

    with pytest.raises(ReviewScoreError, match="decides where texts"):
        resolve({}, folder=tmp_path)


@pytest.mark.parametrize(
    ("model", "base_url", "variables", "stays"),
    [
        ("lexical", None, {}, True),
        ("exchange:folder", None, {}, True),
        ("openai/m", "http://127.0.0.1:8000/v1", {}, True),
        ("openai/m", "http://localhost:8000/v1,http://[::1]:8001/v1", {}, True),
        ("openai/m", "http://127.0.0.1:8000/v1,http://10.0.0.7:8000/v1", {}, False),
        ("openai/m", "http://127.0.0.1.example.org/v1", {}, False),
        ("openai/m", None, {}, False),
        ("anthropic/m", "http://127.0.0.1:8000", {}, False),
        ("anthropic/m", None, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:8000"}, True),
        ("litellm/ollama/m", None, {}, False),
        ("litellm/ollama/m", None, {"OLLAMA_API_BASE": "http://127.0.0.1:11434"}, True),
    ],
)
def test_only_what_is_on_loopback_or_in_a_folder_stays_here(
    model: str,
    base_url: str | None,
    variables: dict[str, str],
    stays: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    settings = Settings(model=model, base_url=base_url, confidentiality="local")

    if stays:
        assert settled(settings) is settings
    else:
        with pytest.raises(ConfidentialityError):
            settled(settings)


def test_names_that_only_begin_like_this_machine_are_others() -> None:
    assert is_loopback("http://127.8.9.1/v1")
    assert not is_loopback("http://localhost.example.org/v1")
    assert not is_loopback("127.0.0.1")


def test_a_dry_run_asks_no_rule_since_nothing_leaves(own_settings: Path) -> None:
    line = [str(word) for word in (*COMMANDS["audit"], "--dry-run")]

    assert CliRunner().invoke(group, line, standalone_mode=False).exception is None


def test_a_model_on_this_machine_needs_no_rule(loopback: Loopback, own_settings: Path) -> None:
    run = rs.audit(EXAMPLES, "out", model="openai/loop", base_url=loopback.url, score="base")

    assert run.stopped is None
    assert run.manifest.confidentiality is not None
    assert run.manifest.confidentiality.rule == "local"


def test_the_user_is_asked_once_and_the_answer_is_kept_with_the_run() -> None:
    questions = []

    def answer(question: str) -> str:
        questions.append(question)
        return "provider"

    settings = Settings(model="openai/m", base_url=AWAY[1])
    with notices.asking(answer):
        first = settled(settings)
        second = settled(settings)

    assert len(questions) == 1
    assert "models.example.org" in questions[0]
    assert first == second
    assert rule_of(first) is not None


def test_a_run_that_goes_on_keeps_to_the_rule_in_its_manifest(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every address counts as away, so that a server of the test stands for a provider.
    monkeypatch.setattr("reviewscore.llm.confidentiality.is_loopback", lambda _: False)
    given = {"model": "openai/loop", "base_url": loopback.url, "score": "base"}
    monkeypatch.setenv("REVIEWSCORE_CONFIDENTIALITY", "provider")
    rs.audit(EXAMPLES, "out", **given, limit=1)
    monkeypatch.delenv("REVIEWSCORE_CONFIDENTIALITY")

    whole = rs.audit(EXAMPLES, "out", **given)

    rule = read_manifest(Path("out")).confidentiality
    assert whole.stopped is None
    assert rule is not None
    assert (rule.rule, rule.origin) == ("provider", "REVIEWSCORE_CONFIDENTIALITY")
    assert json.loads(Path("out/manifest.json").read_text())["settings"]["confidentiality"] == {
        "value": "provider",
        "origin": "REVIEWSCORE_CONFIDENTIALITY",
    }
    with pytest.raises(ConfidentialityError):
        rs.audit(EXAMPLES, "another", **given)
