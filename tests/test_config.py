"""Settings: where each value came from, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewscore.config import resolve
from reviewscore.errors import SettingsError


def test_defaults_need_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REVIEWSCORE_CACHE_DIR")

    resolved = resolve({})

    assert resolved.settings.embedded
    assert set(resolved.origins.values()) == {"default"}


def test_flags_beat_environment_beats_file_beats_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reviewscore.toml").write_text(
        '[models]\ndefault = "openai/file"\n[audit]\nrounds = 3\nscore = "base"\n'
    )
    monkeypatch.setenv("REVIEWSCORE_MODEL", "openai/environment")
    monkeypatch.setenv("REVIEWSCORE_ROUNDS", "4")

    resolved = resolve({"model": "openai/flag", "rounds": None})

    assert resolved.settings.model == "openai/flag"
    assert resolved.settings.rounds == 4
    assert resolved.settings.score == "base"
    assert resolved.origins["model"] == "flag"
    assert resolved.origins["rounds"] == "REVIEWSCORE_ROUNDS"
    assert resolved.origins["score"].endswith("reviewscore.toml")


def test_settings_beside_the_data_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "reviewscore.toml").write_text("[limits]\nmax_connections = 3\n")

    assert resolve({}, folder=folder).settings.max_connections == 3


def test_a_table_of_the_project_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.reviewscore.audit]\nrounds = 2\n")

    assert resolve({}).settings.rounds == 2


def test_a_named_file_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVIEWSCORE_CONFIG", "nowhere.toml")

    with pytest.raises(SettingsError, match="nowhere"):
        resolve({})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[audits]\n", "did you mean 'audit'"),
        ("[audit]\nround = 3\n", "did you mean 'rounds'"),
        ("[audit]\nrounds = 11\n", "rounds"),
        ("[audit\n", "reviewscore.toml"),
    ],
)
def test_mistakes_in_the_file_are_named(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "reviewscore.toml").write_text(text)

    with pytest.raises(SettingsError, match=complaint):
        resolve({})


def test_none_can_be_said_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVIEWSCORE_TEMPERATURE", "none")
    monkeypatch.setenv("REVIEWSCORE_PAPER", "a, b")

    settings = resolve({}).settings

    assert settings.temperature is None
    assert settings.selection == {"paper": ["a", "b"]}


def test_settings_of_a_model_do_not_bind_the_embedded_judge() -> None:
    first = resolve({"temperature": 0.5, "base_url": "http://x"}).settings.decisive()

    assert first == resolve({}).settings.decisive()
