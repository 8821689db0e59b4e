"""Shell completion: what bash, zsh and fish ask as a command is typed, and are told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, only_thorough

SOURCED = {
    "bash": """
        eval "$(_REVIEWSCORE_COMPLETE=bash_source reviewscore)"
        COMP_WORDS=(reviewscore aud) COMP_CWORD=1
        _reviewscore_completion reviewscore
        printf '%s\n' "${COMPREPLY[@]}"
    """,
    "zsh": """
        compdef() { :; }
        _describe() { print -l -- "${(@)completions_with_descriptions%%:*}"; }
        eval "$(_REVIEWSCORE_COMPLETE=zsh_source reviewscore)"
        words=(reviewscore aud) CURRENT=2
        _reviewscore_completion
    """,
    "fish": """
        _REVIEWSCORE_COMPLETE=fish_source reviewscore | source
        complete -C "reviewscore aud" | cut -f 1
    """,
}
"""Each shell reads the line of the documents and completes ``reviewscore aud``."""


def ask(shell: str, typed: str, incomplete: str) -> subprocess.CompletedProcess[str]:
    """Ask as the script of a shell does: fish gives the word, the others its place."""
    place = incomplete if shell == "fish" else str(len(typed.split()))
    asked = {"_REVIEWSCORE_COMPLETE": f"{shell}_complete", "COMP_CWORD": place}
    return subprocess.run(
        [sys.executable, "-m", "reviewscore"],
        env={**os.environ, **asked, "COMP_WORDS": f"{typed} {incomplete}"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "shell",
    [name if name == "bash" else pytest.param(name, marks=only_thorough) for name in SOURCED],
)
def test_verbs_parts_of_verbs_and_flags_are_completed(shell: str) -> None:
    verbs = ask(shell, "reviewscore", "ag")
    parts = ask(shell, "reviewscore cache", "cl")
    flags = ask(shell, "reviewscore audit examples", "--max-u")

    for told, word in ((verbs, "agree"), (parts, "clear"), (flags, "--max-usd")):
        assert told.stderr == ""
        assert told.stdout.count("plain") == 1
        assert word in told.stdout


def test_nothing_is_said_into_a_line_that_is_misspelt() -> None:
    told = ask("bash", "reviewscore adit", "--mo")

    assert (told.stdout, told.stderr) == ("", "")


@pytest.mark.parametrize("shell", SOURCED)
def test_a_shell_that_reads_the_line_of_the_documents_completes(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    line = next(one for one in SOURCED[shell].splitlines() if "_source reviewscore" in one).strip()
    documented = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    assert line.replace("zsh", "bash") in documented
    command = tmp_path / "reviewscore"
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m reviewscore "$@"\n'
    )
    command.chmod(0o755)

    done = subprocess.run(
        [program, "-c", SOURCED[shell]],
        env={**os.environ, "HOME": str(tmp_path), "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.split() == ["audit"], done.stderr
