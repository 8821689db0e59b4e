"""What a mistyped command says: what was named, and what to type instead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reviewscore.cli.main import group
from reviewscore.cli.verb import LazyGroup
from tests.commands import invoker
from tests.papers.pdfs import make, prose

TEXT = "Lamps in the Dark\n\nAbstract\nWe count lamps by ear.\n\n1 Method\nWe listen at night.\n"


def verbs(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The verbs that write to the place after ``-o``."""
    if isinstance(command, LazyGroup | click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from verbs(below, (*words, name))
    elif any("-o" in param.opts for param in command.params):
        yield words


VERBS = list(verbs(group))


def arguments(words: tuple[str, ...]) -> list[str]:
    """What each verb needs beside the place, as far as it is looked at before that."""
    command: click.Command = group
    for word in words:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word) or command
    given: list[str] = []
    for param in command.params:
        if param.required and param.name != "output":
            flag = [param.opts[0]] if isinstance(param, click.Option) else []
            choices = getattr(param.type, "choices", None)
            given += [*flag, str(choices[0]) if choices else "here"]
    return given


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_every_verb_says_at_once_that_its_destination_cannot_be_written(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "here").write_text("{}")
    verb, *more = words

    ended = invoker(verb, capsys)(*more, *arguments(words), "-o", tmp_path / "file" / "out")

    assert ended.exit_code == 2
    assert f"{tmp_path / 'file'} is a file and can hold none; name another place" in ended.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_that_may_not_be_written_is_said_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)

    ended = invoker("audit", capsys)("nowhere", "-o", closed / "run")

    assert ended.exit_code == 2
    assert f"{closed}: cannot be written: Permission denied; name another place" in ended.stderr


def test_a_folder_that_is_missing_above_a_file_is_named_with_what_makes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = invoker("cache", capsys)("export", "-o", tmp_path / "no such" / "x.jsonl")

    assert ended.exit_code == 2
    assert f"there is no folder {tmp_path / 'no such'}; make it (mkdir -p '" in ended.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a PDF, texts and a folder of nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pdfs").mkdir()
    make(tmp_path / "pdfs" / "p1.pdf", prose)
    (tmp_path / "empty").mkdir()
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.docx").write_text("x")
    (tmp_path / "paper.txt").write_text(TEXT)
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "papers.jsonl").write_text("{}\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("audit --paper paper.txt --review empty.txt", "is empty; give the review's text"),
        ("audit --paper empty.txt --review paper.txt", "is empty; give the paper's text"),
        ("audit --paper old.doc --review paper.txt", "an old Office file"),
        ("audit --paper paper.txt", "needs its reviews: --review FILE"),
        ("audit paper.txt", "type reviewscore audit --paper paper.txt --review FILE if it is a"),
        ("audit pdfs", "holds 1 PDF and no reviews; put each review beside its paper"),
        ("audit pdfs", "as in p1-R1.txt; or type reviewscore audit --paper pdfs/p1.pdf"),
        ("audit empty", "has no papers.jsonl or papers.parquet and is empty"),
        ("audit texts", "it holds a.docx"),
        ("inspect pdfs", "type reviewscore inspect pdfs/*.pdf"),
        ("inspect empty", "is a folder without papers or reviews"),
        ("inspect empty.txt", "give the file's text"),
        ("report paper.txt", "it is a file: name the folder that `audit -o` wrote"),
        ("report nowhere", "there is no such folder"),
        ("report data", "it holds papers: type reviewscore audit data -o RUN"),
        ("report empty", "name the folder that `audit -o` wrote"),
        ("logic old.doc", "an old Office file"),
        ("logic pdfs/p1.pdf", "is a PDF, not text"),
        ("reconstruct paper.txt --paper paper.txt", 'one argument: "$(cat paper.txt)"'),
        ("fetch pdfs -o out", "is a folder here, not a venue or forum of OpenReview"),
    ],
)
def test_what_was_named_is_called_what_it_is_with_what_to_type(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    verb, *more = words.split()

    ended = invoker(verb, capsys)(*more)

    assert ended.exit_code == 2
    assert said in ended.stderr
    assert len([line for line in ended.stderr.splitlines() if "rror: " in line]) == 1


@pytest.mark.parametrize("verb", ["audit", "inspect"])
def test_a_text_that_is_too_large_is_asked_about_with_the_setting_that_allows_it(
    folder: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    with (folder / "big.txt").open("wb") as file:
        file.truncate(96_000_000)
    words = ["--paper", "big.txt", "--review", "paper.txt"] if verb == "audit" else ["big.txt"]

    ended = invoker(verb, capsys)(*words)

    assert ended.exit_code == 2
    assert "it has 96.0 MB; is it the right file?" in ended.stderr
    assert "REVIEWSCORE_MAX_TEXT_MB=MEGABYTES" in ended.stderr


def test_a_folder_that_was_fetched_may_be_called_as_its_venue(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from reviewscore.cli.fetch import _check_no_file

    (folder / "mine").mkdir()
    (folder / "mine" / "fetch.json").write_text("{}")

    _check_no_file("mine")
