"""Nothing that lies in the current folder or in the data is imported or executed, by any verb."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reviewscore.cli.main import group
from tests.conftest import ROOT, THOROUGH
from tests.traps import Traps
from tests.validation.invented import set_of_two_papers

EXAMPLES = ROOT / "examples"
NOTES = ROOT / "tests" / "data" / "openreview" / "v2_iclr2024_thread.json"

WITH_CHILDREN = {
    "inspect": ["paper.pdf"],
    "audit": [".", "-o", "run-again"],
    "reconstruct": ["There is no ablation, so the gain is unexplained.", "--paper", "paper.pdf"],
    "logic": ["arguments.jsonl"],
    "doctor": [],
}
"""Verbs that start a child process, or use what lies at the end of one."""

OTHERS = {
    "purge": ["run", "--dry-run"],
    "fetch": ["--from-export", "notes.json", "-o", "fetched"],
    "agree": ["run", "--human", "labels", "--check"],
    "annotate import": ["labels/labels.jsonl", "--reviews", ".", "-o", "imported"],
    "gem score": ["gem", "-o", "gem-scores", "--variant", "gem", "--resamples", "100"],
    "gem validate": ["gem", "-o", "gem-valid", "--resamples", "100"],
    "gem compare": ["gem-scores", "gem-scores"],
    "gem prepare": ["gem", "-o", "prepared", "--model", "exchange:mail"],
    "gem generate": [".", "-o", "generated", "--model", "exchange:mail"],
    "gem export-pairs": ["prepared", "-o", "pairs.jsonl"],
    "gem prime": ["gem/reviews.jsonl", "-o", "background.npz"],
    "focus profile": ["gem", "-o", "focus-profile"],
    "focus gaps": ["gem", "--review", "sparse-replay-R1"],
    "focus references": ["gem", "-o", "experts", "--model", "exchange:mail"],
    "focus agree": ["labels", "gem"],
    "focus sample": ["gem", "-o", "sample.csv", "--points", "5"],
    "focus export-sft": [".", "-o", "sft"],
    "similarity score": ["similarity", "--top", "2", "-o", "scores"],
    "similarity evaluate": ["similarity", "--method", "tfidf", "--resamples", "100"],
    "similarity encode": ["similarity", "--model", "./encoder", "-o", "encoded.jsonl"],
    "similarity sweep": ["similarity", "--text", "title", "-o", "sweep", "--resamples", "100"],
    "similarity judge": ["similarity", "--model", "exchange:mail", "-o", "judged", "--dry-run"],
    "similarity reviews": ["run", "--profiles", "similarity"],
    "drafts key": ["keys.jsonl", "R1"],
    "sync": [".", "-o", "kept-in-step"],
    "withdraw": ["kept-in-step", "R3", "--yes"],
    "verify": ["kept-in-step"],
    "validate": ["planted/papers.jsonl", "--items", "planted/planted.jsonl", "-o", "trust"],
    "report": ["run"],
    "export": ["run", "-o", "points.parquet"],
    "merge": ["run", "run-again", "-o", "merged"],
    "venue": ["run", "-o", "venue", "--resamples", "100"],
    "compare": ["run", "run-again", "-o", "drift", "--resamples", "100"],
    "cache info": [],
    "cache export": ["-o", "calls.jsonl"],
    "cache clear": ["--yes"],
    "prompts list": [],
    "prompts show": ["role"],
    "prompts verify": [],
}
"""Verbs that are cheap to run, so that one process runs them all."""

SERVERS = {
    "annotate label": ["run", "--set", "labels", "--annotators", "A1", "--port", "0"],
    "drafts serve": ["--port", "0"],
    "view": [".", "--port", "0", "--no-browser"],
}
"""Verbs that end only when they are told to."""

SCRIPT = """import sys
from reviewscore.cli.main import main
sys.exit(main())
"""
"""What `pip` puts into the folder of programs."""
SEVERAL = """import json, sys
from contextlib import redirect_stdout
from reviewscore.cli.main import main
with open("/dev/null", "w") as nowhere:
    for words in json.loads(sys.argv[1]):
        print("verb", *words, file=sys.stderr)
        try:
            with redirect_stdout(nowhere):
                main(words)
        except SystemExit:
            pass
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of programs (``bin``), and one of data (``data``) that is full of traps."""
    place = tmp_path_factory.mktemp("place")
    (place / "bin").mkdir()
    (place / "bin" / "reviewscore").write_text(SCRIPT)
    (place / "bin" / "several").write_text(SEVERAL)
    data = place / "data"
    shutil.copytree(EXAMPLES, data)
    shutil.copytree(ROOT / "annotations" / "example", data / "labels")
    shutil.copy(NOTES, data / "notes.json")
    (data / "mail").mkdir()
    (data / "planted").mkdir()
    set_of_two_papers(data / "planted")
    argument = {"premises": {"P1": "A", "P2": "A -> B"}, "conclusion": "B"}
    (data / "arguments.jsonl").write_text(json.dumps(argument) + "\n")
    done = start(place, "reviewscore", "audit", ".", "-o", "run", "-q").communicate()
    assert (data / "run" / "points.jsonl").is_file(), done
    return place


@pytest.fixture(scope="module")
def traps(place: Path) -> Iterator[Traps]:
    return Traps(place / "data", place / "marks")


def start(place: Path, program: str, *words: str) -> subprocess.Popen[str]:
    """Start a program in the folder of the data, as a shell does."""
    return subprocess.Popen(
        [sys.executable, str(place / "bin" / program), *words],
        cwd=place / "data",
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "REVIEWSCORE_CACHE_DIR": str(place / "ledger"),
            "XDG_CONFIG_HOME": str(place / "no-settings"),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def verbs(command: click.Command, *names: str) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield " ".join(names)
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from verbs(below, *names, name)


def test_every_verb_is_tried() -> None:
    assert {*WITH_CHILDREN, *OTHERS, *SERVERS} == set(verbs(group))


@pytest.mark.parametrize("verb", WITH_CHILDREN)
def test_a_folder_of_traps_runs_nothing(place: Path, traps: Traps, verb: str) -> None:
    process = start(place, "reviewscore", verb, *WITH_CHILDREN[verb])
    out, err = process.communicate(timeout=120)

    assert traps.fired() == []
    assert process.returncode in (0, 1), err  # 1: not proved, or something suspicious
    assert out


@pytest.mark.parametrize("verb", SERVERS)
def test_a_folder_of_traps_runs_nothing_while_people_work(
    place: Path, traps: Traps, verb: str
) -> None:
    process = start(place, "reviewscore", verb.split(maxsplit=1)[0], *SERVERS[verb])
    assert process.stdout is not None
    line = next((line for line in process.stdout if "http://127.0.0.1" in line), "")
    process.terminate()
    process.communicate(timeout=60)

    assert line
    assert traps.fired() == []


def test_a_folder_of_traps_runs_nothing_by_any_other_verb(place: Path, traps: Traps) -> None:
    lines = [[*verb.split(), *words] for verb, words in OTHERS.items()]
    process = start(place, "several", json.dumps(lines))
    _, err = process.communicate(timeout=300)

    assert traps.fired() == []
    assert process.returncode == 0, err
    assert err.count("verb ") >= len(lines)
    assert "Traceback" not in err


@pytest.mark.parametrize("verb", OTHERS if THOROUGH else [])
def test_a_folder_of_traps_runs_nothing_by_a_verb_alone(
    place: Path, traps: Traps, verb: str
) -> None:
    process = start(place, "reviewscore", *verb.split(), *OTHERS[verb])
    _, err = process.communicate(timeout=120)

    assert traps.fired() == []
    assert "Traceback" not in err


def test_a_trap_fires_where_python_looks_for_modules(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    traps = Traps(tmp_path / "folder", tmp_path / "marks")

    subprocess.run([sys.executable, "-c", "import pydantic"], cwd=tmp_path / "folder", check=True)

    assert "pydantic" in traps.fired()
