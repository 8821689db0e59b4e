"""Settings: where each value came from, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reviewscore.addresses import without_credentials
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


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("mysql://u:s3cret@host/db", "begins with postgresql://"),
        ("/var/lib/ledger", "begins with postgresql://"),
        ("postgresql://u:s3cret@host", "no database"),
        ("postgresql:///db", "no host"),
        ("postgresql://u:s3cret/x@host/db", "%2F"),
        ("postgresql://u:1/s3cret@host/db", "%2F"),
        ("postgresql://u:s3cret#x@host/db", "%23"),
        ("postgresql://u@host:many/db", "no address"),
        ("postgresql://u@host/db?password=s3cret", "sslmode"),
        ("postgresql://u@host/db?sslmode=s3cret", "verify-full"),
    ],
)
def test_a_ledger_that_is_no_database_is_refused_and_not_shown(
    address: str, complaint: str
) -> None:
    with pytest.raises(SettingsError, match=re.escape(complaint)) as refused:
        resolve({"ledger": address})

    assert "s3cret" not in str(refused.value)


def test_a_ledger_in_a_database_takes_the_place_of_the_folder() -> None:
    address = "postgresql://u@host:5433/db?sslmode=verify-full"

    assert resolve({"ledger": address}).settings.ledger_place == address
    assert resolve({}).settings.ledger_place == resolve({}).settings.ledger_folder


def test_a_run_cannot_keep_its_calls_in_two_places() -> None:
    with pytest.raises(SettingsError, match="REVIEWSCORE_LEDGER=none"):
        resolve({"ledger": "postgresql://u@host/db", "cache": False})


def test_a_database_is_not_chosen_by_a_file_beside_the_data(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "reviewscore.toml").write_text('[cache]\nledger = "postgresql://elsewhere/db"\n')

    with pytest.raises(SettingsError, match="--ledger"):
        resolve({}, folder=data)


@pytest.mark.parametrize("address", ["http://u:p@host/v1", "http://u:p@ss@host/v1"])
def test_an_address_is_shown_without_its_password(address: str) -> None:
    assert without_credentials(address) == "http://host/v1"


def test_a_sign_in_a_path_is_no_password() -> None:
    assert without_credentials("http://host/a@b") == "http://host/a@b"
