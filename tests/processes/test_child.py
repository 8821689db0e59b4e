"""Children start isolated: no current folder, no keys, the same modules as here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import reviewscore
from reviewscore.logic.pool import Provers
from reviewscore.papers.pdf import PdfReaders
from reviewscore.processes.child import environment, module_path, own_command, start_child
from reviewscore.processes.pool import ChildPool
from tests.conftest import ROOT
from tests.traps import Traps

SECRETS = (
    *("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AZURE_API_KEY"),
    *("PGPASSWORD", "OPENREVIEW_PASSWORD", "OPENREVIEW_TOKEN", "AWS_SECRET_ACCESS_KEY"),
    *("HF_TOKEN", "REVIEWSCORE_LEDGER", "SOMETHING_ELSE"),
)


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SECRETS:
        monkeypatch.setenv(name, "planted-secret")


def shown(*arguments: str, **given: Any) -> dict[str, Any]:
    """What a child sees of what it was started with."""
    child = start_child("tests.processes.showing", *arguments, **given)
    out, _ = child.communicate(timeout=60)
    seen: dict[str, Any] = json.loads(out)
    return seen


@pytest.mark.usefixtures("secrets")
def test_a_child_has_no_key_that_it_was_not_given() -> None:
    seen = shown("word", variables=("OPENAI_API_KEY", "AZURE_*"), settings={"OWN": "1"})

    names = {name for name, value in seen["environment"].items() if "planted" in value}
    assert names == {"OPENAI_API_KEY", "AZURE_API_KEY"}
    assert seen["environment"]["OWN"] == "1"
    assert seen["arguments"] == ["word"]


@pytest.mark.usefixtures("secrets")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_neither_the_prover_nor_the_pdf_reader_has_a_key() -> None:
    provers, readers = Provers(1), PdfReaders(1)
    try:
        provers.prove({"P1": "A"}, "A")
        readers.read(ROOT / "examples" / "paper.pdf")
        for pool in (provers.pool, readers.pool):
            (child,) = pool.children
            process = Path(f"/proc/{child.process.pid}")
            assert b"planted" not in process.joinpath("environ").read_bytes()
            assert process.joinpath("cwd").resolve() != Path.cwd()
    finally:
        provers.close()
        readers.close()


def test_pythons_own_variables_are_never_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONSTARTUP", "trap.py")
    monkeypatch.setenv("PYTHONPATH", ".")

    assert not any(name.startswith("PYTHON") for name in environment(["*"]))
    assert environment(["*"]).keys() > environment().keys()


def test_a_child_starts_in_no_folder_of_the_user_and_finds_what_is_found_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traps = Traps(tmp_path, tmp_path.parent / f"{tmp_path.name}-marks")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "path", ["", ".", *sys.path])

    seen = shown()

    assert traps.fired() == []
    assert Path(seen["package"]) == Path(reviewscore.__file__)
    assert seen["flags"] == [True, 1, 1]
    assert Path(seen["folder"]) == Path(reviewscore.__file__).parent / "processes"
    assert str(tmp_path) not in seen["path"]
    assert all(Path(entry).is_absolute() for entry in seen["path"])


def test_the_order_of_modules_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = str(tmp_path / "first"), str(tmp_path / "last")
    monkeypatch.setattr(sys, "path", [first, str(tmp_path), *sys.path, last])

    path = module_path()

    assert path[0] == first
    assert path[-1] == last
    assert str(tmp_path) not in path


def test_a_package_in_the_current_folder_is_found_there_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [str(ROOT), "/somewhere"])

    assert module_path() == ["/somewhere", str(ROOT)]


def test_a_current_folder_that_was_taken_away_is_no_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert str(ROOT) in module_path()
    assert shown()["package"] == reviewscore.__file__


def test_a_child_that_cannot_begin_is_an_answer_and_not_a_hang() -> None:
    pool = ChildPool("reviewscore.no_such_module", 1, grace=1)
    try:
        answer = pool.ask("{}", seconds=30)
    finally:
        pool.close()

    assert (answer.line, answer.late) == ("", False)
    assert answer.code


def test_the_package_s_own_command_takes_nothing_from_the_folder_it_runs_in(tmp_path: Path) -> None:
    for name in ("json.py", "reviewscore.py"):
        (tmp_path / name).write_text("raise SystemExit('of the folder')\n", "utf-8")

    ended = subprocess.run(
        own_command("--version"), cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stdout.split()[0]) == (0, "reviewscore,"), ended.stderr
