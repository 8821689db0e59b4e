"""Settings: where each value came from, and what is refused."""

from __future__ import annotations

import json
import os
import re
import tomllib
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from reviewscore.addresses import without_credentials
from reviewscore.bounds import Bounds
from reviewscore.config import (
    BOUNDS,
    HARMLESS,
    JUDGES,
    TABLES,
    bounds_from_settings,
    resolve,
    user_settings_file,
)
from reviewscore.errors import SettingsError
from reviewscore.notices import shown
from reviewscore.toml_files import parse_toml
from tests.commands import invoker


def test_defaults_need_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REVIEWSCORE_CACHE_DIR")

    resolved = resolve({})

    assert resolved.settings.embedded
    assert set(resolved.origins.values()) == {"default"}


@pytest.fixture
def own() -> Path:
    """The user's own settings file; it is not there yet."""
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    return file


def test_flags_beat_environment_beats_files_beat_defaults(
    tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.write_text(
        '[models]\ndefault = "openai/own"\ntemperature = 0.1\n'
        '[audit]\nscore = "advanced"\nprotocol = "economy"\n[limits]\ntimeout = 7\n'
    )
    (tmp_path / "reviewscore.toml").write_text(
        '[audit]\nrounds = 3\nscore = "base"\nprotocol = "paper"\n'
    )
    monkeypatch.setenv("REVIEWSCORE_MODEL", "openai/environment")
    monkeypatch.setenv("REVIEWSCORE_ROUNDS", "4")

    resolved = resolve({"model": "openai/flag", "protocol": None})

    assert resolved.settings.model == "openai/flag"
    assert resolved.settings.rounds == 4
    assert resolved.settings.score == "base"
    assert resolved.settings.timeout == 7
    assert resolved.origins["model"] == "flag"
    assert resolved.origins["rounds"] == "REVIEWSCORE_ROUNDS"
    assert resolved.origins["score"].endswith("reviewscore.toml")
    assert resolved.origins["timeout"] == str(own)
    assert resolved.origins["protocol"].endswith("reviewscore.toml")


DECISIVE = {
    "models": {
        "default": '"openai/x"',
        "panel": '["openai/x"]',
        "base_url": '"http://elsewhere.test/v1"',
        "confidentiality": '"provider"',
        "consent": '"provider"',
        "local_judge": '"openai/m"',
        "effort": '"high"',
        "max_tokens": "99999",
        **dict.fromkeys(JUDGES, '"openai/x"'),
    },
    "audit": {
        "repeats": "25",
        "prompts_dir": '"here"',
        "calibration": '"c.json"',
        "encoder": '"here"',
        "check_references": '"openalex"',
        "canaries": '"c.txt"',
    },
    "limits": {
        "max_usd": "999",
        "confirm_above": "999",
        "prices": '"p.toml"',
        "batch": "true",
    },
    "engine": {"name": '"ray"', "workers": "2", "store": '"s3://elsewhere"'},
    "cache": {
        "enabled": "false",
        "refresh": "true",
        "folder": '"here"',
        "ledger": '"postgresql://elsewhere/db"',
    },
    "bounds": dict.fromkeys(BOUNDS, "999"),
}
"""What decides where texts, keys and money go or guards this machine, by table."""
KEYS = [(table, key, value) for table, keys in DECISIVE.items() for key, value in keys.items()]


def test_every_other_key_is_harmless() -> None:
    others = {
        name
        for table, keys in TABLES.items()
        for key, name in keys.items()
        if key not in DECISIVE.get(table, {})
    }

    assert others == HARMLESS


@pytest.mark.parametrize(("table", "key", "value"), KEYS, ids=[key for _, key, _ in KEYS])
@pytest.mark.parametrize("place", ["here", "data", "project"])
def test_data_decide_neither_where_texts_and_keys_go_nor_what_is_paid(
    tmp_path: Path, place: str, table: str, key: str, value: str
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    file = {"here": tmp_path, "data": data, "project": tmp_path}[place] / (
        "pyproject.toml" if place == "project" else "reviewscore.toml"
    )
    start = "tool.reviewscore." if place == "project" else ""
    file.write_text(f"[{start}{table}]\n{key} = {value}\n")

    with pytest.raises(SettingsError) as refused:
        resolve({}, folder=data)

    for words in (str(file), f"'{key}' in [{table}]", "--config", str(user_settings_file())):
        assert words in str(refused.value)


@pytest.mark.parametrize("way", ["--config", "REVIEWSCORE_CONFIG", "settings.toml"])
def test_a_file_that_the_user_chose_decides_everything(
    way: str, tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '[models]\ndefault = "openai/x"\nbase_url = "http://127.0.0.1:9/v1"\n'
    named = tmp_path / "reviewscore.toml"  # even where it would be met
    (own if way == "settings.toml" else named).write_text(text)
    if way == "REVIEWSCORE_CONFIG":
        monkeypatch.setenv(way, str(named))

    resolved = resolve({}, config=named if way == "--config" else None)

    assert resolved.settings.base_url == "http://127.0.0.1:9/v1"
    assert resolved.origins["base_url"] == str(own if way == "settings.toml" else named)


def test_a_named_file_is_read_over_the_users_own_and_in_place_of_one_that_is_met(
    tmp_path: Path, own: Path
) -> None:
    own.write_text(
        '[models]\ndefault = "openai/own"\nfaithfulness = "openai/f"\n[audit]\nrounds = 2\n'
    )
    (tmp_path / "reviewscore.toml").write_text("[audit]\nrounds = 3\nlimitations = false\n")
    named = tmp_path / "named.toml"
    named.write_text('[models]\nsplit_points = "openai/s"\n[audit]\nrounds = 5\n')

    settings = resolve({}, config=named).settings

    assert (settings.model, settings.rounds, settings.limitations) == ("openai/own", 5, True)
    assert settings.judges == {"faithfulness": "openai/f", "split_points": "openai/s"}


def test_the_flag_that_names_a_file_beats_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rounds in (2, 3):
        (tmp_path / f"{rounds}.toml").write_text(f"[audit]\nrounds = {rounds}\n")
    monkeypatch.setenv("REVIEWSCORE_CONFIG", str(tmp_path / "2.toml"))

    assert resolve({}, config=tmp_path / "3.toml").settings.rounds == 3


def test_paths_in_the_users_own_file_are_not_looked_for_beside_data(own: Path) -> None:
    own.write_text('[audit]\nprompts_dir = "prompts"\n[limits]\nprices = "/p.toml"\n')

    settings = resolve({}).settings

    assert settings.prompts_dir == own.parent / "prompts"
    assert settings.prices == Path("/p.toml")


_VALUES = st.one_of(st.sampled_from(["a", "openai/x", "ray"]), st.integers(0, 9), st.booleans())


@given(
    st.dictionaries(
        st.sampled_from([(table, key) for table, keys in TABLES.items() for key in keys]), _VALUES
    )
)
def test_whatever_a_file_of_the_data_says_nothing_decisive_is_taken_from_it(
    tmp_path_factory: pytest.TempPathFactory, said: dict[tuple[str, str], object]
) -> None:
    data = tmp_path_factory.mktemp("data")
    lines = [f"{table}.{key} = {json.dumps(value)}\n" for (table, key), value in said.items()]
    (data / "reviewscore.toml").write_text("".join(lines))
    plain = resolve({}).settings.model_dump()

    try:
        settings = resolve({}, folder=data).settings.model_dump()
    except SettingsError as error:
        event(str(error).partition(": ")[2][:12])
        return
    assert {name for name, value in settings.items() if value != plain[name]} <= HARMLESS


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nreviewscore = 3\n", "[tool.other]\n", ""])
def test_a_projects_file_without_our_table_says_nothing(tmp_path: Path, text: str) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text(text)

    assert set(resolve({}).origins.values()) == {"default", "REVIEWSCORE_CACHE_DIR"}
    with pytest.raises(SettingsError, match=r"has no table \[tool.reviewscore\]"):
        resolve({}, config=project)


def test_no_file_of_variables_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("REVIEWSCORE_MODEL=openai/x\nOPENAI_API_KEY=planted\n")

    assert resolve({}).settings.embedded
    assert "OPENAI_API_KEY" not in os.environ


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


def test_the_encoder_is_a_word_or_a_folder(monkeypatch: pytest.MonkeyPatch, own: Path) -> None:
    def encoder(**flags: object) -> str | None:
        return resolve(flags).settings.encoder

    assert (encoder(), encoder(encoder="none"), encoder(encoder=Path("x"))) == ("auto", None, "x")
    own.write_text('[audit]\nencoder = "weights"\n')
    assert encoder() == str(own.parent / "weights")
    own.write_text('[audit]\nencoder = "none"\n')
    assert encoder() is None
    monkeypatch.setenv("REVIEWSCORE_ENCODER", "auto")
    assert encoder() == "auto"


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


@pytest.mark.parametrize("address", ["http://u:p@host/v1", "http://u:p@ss@host/v1"])
def test_an_address_is_shown_without_its_password(address: str) -> None:
    assert without_credentials(address) == "http://host/v1"


def test_a_sign_in_a_path_is_no_password() -> None:
    assert without_credentials("http://host/a@b") == "http://host/a@b"


BOMBS = {
    "a key of 20,000 parts": ".".join("a" * 20_000) + " = 1\n",
    "a table of 20,000 names": "[" + ".".join(["a", "'b'", '"c"', " d "] * 5_000) + "]\n",
    "arrays in one another": "a = " + "[" * 50_000 + "]" * 50_000 + "\n",
    "tables in one another": "a = " + "{a=" * 5_000 + "1" + "}" * 5_000 + "\n",
    "a file without end": "# no settings\n" * 30_000,
    "no text": "\udcff\udcfe",
    "no TOML": "[audit\n",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_file_of_settings_costs_more_than_a_look(bomb: str, tmp_path: Path) -> None:
    file = tmp_path / "reviewscore.toml"
    file.write_text(BOMBS[bomb], errors="surrogateescape")
    tracemalloc.start()
    try:
        with pytest.raises(SettingsError, match=re.escape(str(file))):
            resolve({})
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert most < 5_000_000


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_projects_file_that_cannot_be_read_is_passed_over_with_a_word(
    bomb: str, tmp_path: Path
) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text(BOMBS[bomb], errors="surrogateescape")
    said: list[str] = []
    with shown(said.append):
        assert resolve({}).settings.embedded
        assert bounds_from_settings() == Bounds()

    assert len(said) == 1
    assert str(project) in said[0]
    with pytest.raises(SettingsError, match=re.escape(str(project))):
        resolve({}, config=project)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_projects_file_that_is_no_file_is_passed_over(kind: str, tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    if kind == "pipe":
        os.mkfifo(project)
    else:
        project.symlink_to("/dev/zero")
    said: list[str] = []
    with shown(said.append):
        assert resolve({}).settings.embedded

    assert "no ordinary file" in said[0]


def test_a_broken_file_of_somebody_elses_stops_no_verb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool\n")
    (tmp_path / "paper.txt").write_text("# A paper\n\nIt says something.\n")
    ended = invoker("inspect", capsys)("paper.txt")

    assert ended.exit_code == 0
    assert ended.stderr.count("pyproject.toml") == ended.stderr.count("warning: ") * 2 == 2
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("value", ["inf", "nan", "-inf", "1e300"])
@pytest.mark.parametrize("name", ["timeout", "wait"])
def test_a_time_is_a_number_of_seconds(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SettingsError, match=f"{name} \\(flag"):
        resolve({name: float(value)})
    file = tmp_path / "reviewscore.toml"
    file.write_text(f"[limits]\n{name} = {value}\n")
    with pytest.raises(SettingsError, match=re.escape(f"{name} ({file}")):
        resolve({})
    file.unlink()
    monkeypatch.setenv(f"REVIEWSCORE_{name.upper()}", value)
    with pytest.raises(SettingsError, match=f"{name} \\(REVIEWSCORE"):
        resolve({})


@pytest.mark.parametrize("value", ["inf", "nan"])
def test_no_flag_takes_what_is_no_number(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    for verb, *words in (
        ("logic", "-", "--timeout", value),
        ("audit", ".", "-o", "run", "--max-usd", value),
        ("audit", ".", "-o", "run", "--wait", value),
    ):
        ended = invoker(verb, capsys)(*words)
        assert ended.exit_code == 2
        assert words[-2] in ended.stderr


NAMES = st.text(st.characters(codec="utf-8"), max_size=5).map(json.dumps) | st.from_regex(
    r"[A-Za-z0-9_-]{1,4}", fullmatch=True
)
VALUES = st.recursive(
    st.sampled_from(["1.5", "true", '"a.b.c"', "'[[[['", '"""x\n".y."z"""', "'''[{'''", "1e3"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda all_: f"[ {', '.join(all_)} ] "),
    max_leaves=5,
)


@given(st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=16), VALUES), max_size=5))
def test_what_the_library_reads_in_bounds_is_read_alike(
    lines: list[tuple[list[str], str]],
) -> None:
    text = "".join(f"{' . '.join(names)} = {value} # [[.{{\n" for names, value in lines)
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            parse_toml(text)
    else:
        assert parse_toml(text) == expected
