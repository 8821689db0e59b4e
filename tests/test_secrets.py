"""Keys come from the environment and go nowhere but to the provider's own host."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import web
from click.testing import CliRunner

from reviewscore.cli.main import group
from reviewscore.errors import SettingsError
from tests.conftest import ROOT
from tests.loopback import Body, Loopback

OPENAI, ANTHROPIC = "sk-planted-openai-4711", "sk-ant-planted-0815"


def audited(tmp_path: Path, model: str, server: Loopback) -> str:
    """Audit the examples with planted keys; everything that was printed."""
    base = server.url.removesuffix("/v1")
    own = {
        "PYTHONPATH": str(ROOT),
        "OPENAI_API_KEY": OPENAI,
        "OPENAI_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": ANTHROPIC,
        "ANTHROPIC_BASE_URL": f"{base}/anthropic",
        "REVIEWSCORE_CACHE_DIR": str(tmp_path / "ledger"),
    }
    line = [sys.executable, "-m", "reviewscore", "audit", str(ROOT / "examples")]
    done = subprocess.run(
        [*line, "-o", str(tmp_path / "run"), "--model", model],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    shown = subprocess.run(
        [sys.executable, "-m", "reviewscore", "doctor"],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr + shown.stdout + shown.stderr


def files_with(folder: Path, secret: str) -> list[str]:
    return [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and secret.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("model", ["openai/loop", "anthropic/loop"])
@pytest.mark.parametrize("refused", [False, True])
def test_planted_keys_are_in_no_file_and_no_output(
    tmp_path: Path, server: Loopback, model: str, refused: bool
) -> None:
    def quirk(body: Body, seen: int) -> web.Response | None:
        if not refused:
            return None
        words = f"Incorrect API key provided: {OPENAI} or {ANTHROPIC}"
        return web.json_response({"error": {"message": words}}, status=401)

    server.quirk = quirk

    printed = audited(tmp_path, model, server)

    for secret in (OPENAI, ANTHROPIC):
        assert secret not in printed
        assert files_with(tmp_path, secret) == []


def test_a_settings_file_in_the_folder_of_the_data_does_not_choose_the_server(
    tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("papers.jsonl", "reviews.jsonl"):
        (tmp_path / name).write_bytes((ROOT / "examples" / name).read_bytes())
    (tmp_path / "reviewscore.toml").write_text(
        f'[models]\ndefault = "openai/loop"\nbase_url = "{server.url}"\n'
    )
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI)
    runner = CliRunner()

    refused = runner.invoke(group, ["audit", ".", "-o", "run"])
    assert isinstance(refused.exception, SettingsError)
    assert not server.served
    named = runner.invoke(group, ["audit", ".", "-o", "run", "--config", "reviewscore.toml"])

    assert named.exit_code == 0, named.output
    assert server.served


def test_every_request_goes_to_the_configured_host_with_its_own_key_only(
    tmp_path: Path, server: Loopback
) -> None:
    seen: list[str] = []

    def quirk(body: Body, _: int) -> web.Response | None:
        seen.append(str(body))
        return None

    server.quirk = quirk

    audited(tmp_path, "openai/loop", server)

    assert seen
    assert not any(OPENAI in one or ANTHROPIC in one for one in seen)
