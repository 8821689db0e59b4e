"""The documents: what they show is what one sees, and where they point there is something."""

from __future__ import annotations

import ast
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest

from reviewscore.cli.main import group
from reviewscore.judges.lexical.measured import measured
from tests.doc_pages import DOCS, PAGES, ROOT, Program, fences, missing, run, stage, steps
from tests.finder_figures import use_figures

sys.path.insert(0, str(DOCS / "_ext"))
import code_tables

TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in PAGES}
README = (ROOT / "README.md").read_text("utf-8")
RUNNABLE = [name for name, text in TEXTS.items() if steps(text)]
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_ADDRESS = re.compile(r"https?://[^\s)>\]\"'`|,;]+")
_MARK = re.compile(r"<!-- generated: (?:record|records|row) (\S+) -->")


@pytest.mark.parametrize("name", [*RUNNABLE, "README.md"])
def test_what_a_page_shows_is_what_one_sees(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stage(tmp_path, monkeypatch)
    monkeypatch.setenv("CI", "true")

    for step in steps((ROOT / name).read_text("utf-8")):
        if isinstance(step, Program):
            capsys.readouterr()
            exec(step.code, {})
            assert step.printed == capsys.readouterr().out
            continue
        printed = io.StringIO()
        assert run(step.command, printed) == 0, printed.getvalue()
        assert missing(step.shown, printed.getvalue()) is None, printed.getvalue()


def test_each_tutorial_is_run() -> None:
    tutorials = {name for name in TEXTS if name.startswith("docs/tutorials/")}

    assert len(tutorials) >= 5
    assert tutorials <= set(RUNNABLE)


def test_a_line_that_is_not_printed_is_noticed() -> None:
    assert missing(["a", "...", "c ..."], "a\nb\nc 1\n") is None
    assert missing(["a", "c"], "a\nb\nc\n") == "c"
    assert missing(["...", "b"], "a\nb\nc\n") == "(more was printed) c"
    assert missing(["took 0.1 s"], "took 12.5 s\n") is None


@pytest.mark.parametrize("name", [*TEXTS, "README.md", "CHANGELOG.md"])
def test_links_inside_the_project_lead_somewhere(name: str) -> None:
    text = TEXTS.get(name) or (ROOT / name).read_text("utf-8")
    for target in _LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        address = urlsplit(target)
        if address.scheme or not address.path:
            continue
        assert ((ROOT / name).parent / address.path).exists(), target


def docstrings(path: Path) -> str:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    found = (ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds))
    return "\n".join(text for text in found if text)


def test_addresses_outside_are_whole_and_encrypted() -> None:
    written = {**TEXTS, "README.md": README}
    for path in sorted((ROOT / "reviewscore").rglob("*.py")):
        written[path.relative_to(ROOT).as_posix()] = docstrings(path)
    for name, text in written.items():
        for found in _ADDRESS.findall(text):
            address = urlsplit(found.rstrip("."))
            local = address.hostname == "127.0.0.1" or "." not in (address.hostname or ".")
            assert address.scheme == "https" or local, f"{name}: {found}"
            assert local or "." in (address.hostname or ""), f"{name}: {found}"


@pytest.mark.parametrize("verb", group.list_commands(click.Context(group)))
def test_the_guide_shows_every_verb(verb: str) -> None:
    told = "\n".join(text for name, text in TEXTS.items() if "/reference/" not in name)

    assert f"reviewscore {verb}" in told


def commands(text: str) -> Iterator[list[str]]:
    """Words of every command of ours in the fences of a page."""
    for language, body in fences(text):
        if language not in {"", "sh", "console", "bash"}:
            continue
        for line in body.replace("\\\n", " ").splitlines():
            for part in re.split(r" && | \| ", line.removeprefix("$ ")):
                if part.startswith("reviewscore "):
                    yield shlex.split(part, comments=True)[1:]


@pytest.mark.parametrize("name", [*TEXTS, "README.md", "examples/README.md"])
def test_commands_that_are_shown_have_the_flags_that_are_shown(name: str) -> None:
    context = click.Context(group)
    for verb, *words in commands((ROOT / name).read_text("utf-8")):
        command = group.get_command(context, verb)
        while isinstance(command, click.Group):
            parts = command.list_commands(context)
            part = words.pop(0) if words and words[0] in parts else parts[0]
            command = command.get_command(context, part)
        assert command is not None, verb
        known = {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)}
        used = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert used <= known | {"--help"}, f"{verb}: {used - known}"


@pytest.mark.parametrize("address", sorted({a for t in TEXTS.values() for a in _MARK.findall(t)}))
def test_every_field_of_a_file_says_what_it_means(address: str) -> None:
    silent = [
        f"{name}.{field.name}"
        for name, model in code_tables.parts(code_tables.record(address)).items()
        for field in code_tables.fields(model)
        if not field.meaning
    ]

    assert silent == []


def test_settings_and_columns_say_what_they_mean() -> None:
    for table in (code_tables.settings(), code_tables.columns(), code_tables.prompts()):
        rows = [line for line in table.splitlines() if line.startswith("| `")]
        assert len(rows) > 10
        assert not [row for row in rows if re.search(r"\|\s*\|", row)]


def test_examples_in_json_are_json() -> None:
    for text in TEXTS.values():
        for language, body in fences(text):
            if language == "json":
                json.loads(body)


def test_the_docs_hold_what_was_measured_of_the_finder_and_nothing_where_it_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (code_tables.finder() == "") == measured().absent

    use_figures(tmp_path, monkeypatch)

    text = code_tables.finder()
    assert "| questions | 50 % [38, 62] | 32 |" in text
    assert text.count('<svg class="curve"') == 1
    assert "Version 6 with an encoder. " in text
