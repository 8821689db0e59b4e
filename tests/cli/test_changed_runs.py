"""Runs whose records were changed by hand: every verb refuses them until they are accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reviewscore.annotate.material import read_material
from reviewscore.cli.main import WRONG_USE, group, main
from reviewscore.errors import RunFolderError
from reviewscore.notices import shown
from reviewscore.runs.folder import digests_of, read_manifest
from tests.agreement.invented import judged, labels_of, truth, write_labels
from tests.report.synthetic import many_points, write_run

EXAMPLES = Path(__file__).parents[2] / "examples"
Words = tuple[str, ...]
SAID = "points.jsonl was changed after the run"


def sealed(run: Path) -> Path:
    """The run as a session leaves it: with the digests of its records."""
    manifest = read_manifest(run).model_copy(update={"digests": digests_of(run)})
    (run / "manifest.json").write_text(manifest.model_dump_json())
    return run


def changed(run: Path) -> Path:
    """The same run with a record that somebody edited; it is a record still."""
    points = run / "points.jsonl"
    whole = points.read_bytes()
    points.write_bytes(whole.replace(b'"rationale":"', b'"rationale":"No. ', 1))
    assert points.read_bytes() != whole
    return run


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    first, second = list(many_points(14, 9)), list(many_points(28, 9))[14 * 9 :]
    return (
        sealed(write_run(tmp_path / "first", first)),
        sealed(write_run(tmp_path / "second", second)),
    )


READERS = {
    "report": ["report", "first"],
    "report as Markdown": ["report", "first", "-o", "page.md"],
    "report as JSON": ["report", "first", "-o", "page.json"],
    "a reader's page": ["report", "first", "--for", "author", "-o", "pages"],
    "export": ["export", "first", "-o", "x.csv"],
    "export of lines": ["export", "first", "-o", "-"],
    "venue": ["venue", "first", "second", "--resamples", "100"],
    "compare": ["compare", "first", "second", "--resamples", "100"],
    "merge": ["merge", "first", "second", "-o", "both"],
    "cache export": ["cache", "export", "first", "-o", "calls.jsonl"],
    "cache info": ["cache", "info", "first"],
    "focus": ["focus", "first"],
    "focus gaps": ["focus", "gaps", "first"],
    "similarity": ["similarity", "first", "--profiles", "profiles"],
    "annotate": ["annotate", "first", "--set", "s", "--port", "0"],
    "agree": ["agree", "labelled", "--human", "labels", "--resamples", "100"],
    "a label sheet": ["agree", "labelled", "--sheet", "sheet.csv"],
}
"""Verbs that read a run, each with the words that make it do so."""
NEEDS_MORE = {"focus", "focus gaps", "similarity", "annotate"}
"""Those for which these runs lack something else: papers, profiles, somebody at a browser."""


def said_by(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """How a command ended, and what it said beside its results."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0), capsys.readouterr().err


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A run of points that people have labelled."""
    write_labels(tmp_path / "labels", labels_of(truth(8, 6)))
    return sealed(judged(tmp_path / "labelled", truth(8, 6)))


@pytest.mark.parametrize("verb", READERS)
def test_a_changed_run_is_refused_until_it_is_accepted_and_then_said(
    verb: str, runs: tuple[Path, Path], labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if verb not in NEEDS_MORE:
        assert said_by(READERS[verb], capsys)[0] == 0
    if verb == "merge":
        Path("both").rename("before")
    before = sorted(Path().rglob("*"))
    run = next(one for one in (*runs, labelled) if one.name in READERS[verb])
    changed(run)

    code, refused = said_by(READERS[verb], capsys)
    assert code == WRONG_USE
    assert refused.startswith(f"error: {run.name}/points.jsonl was changed after the run")
    assert "--accept-changed" in refused
    assert sorted(Path().rglob("*")) == before  # nothing is made of it

    if verb != "annotate":  # which then waits for a browser
        code, accepted = said_by([*READERS[verb], "--accept-changed"], capsys)
        assert accepted.count(SAID) == 1
        assert (code == 0) == (verb not in NEEDS_MORE)


def test_every_verb_that_takes_a_run_has_the_option() -> None:
    takes = {
        " ".join(path)
        for path, command in verbs(group, ())
        if any(isinstance(one, click.Argument) and one.name in RUNS for one in command.params)
    }
    accepts = {
        " ".join(path)
        for path, command in verbs(group, ())
        if any(one.name == "accept_changed" for one in command.params)
    }
    assert takes - {"purge"} <= accepts  # it removes a run whatever became of its records
    assert accepts - takes == {"audit", "validate", "focus profile", "focus gaps"}


RUNS = {"run", "runs", "first", "second"}
"""What arguments that name runs are called; `focus` takes one in place of its data."""


def verbs(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[Words, click.Command]]:
    """All commands below a group, with the words that call them."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from verbs(below, (*path, name))


def test_material_to_label_is_refused_and_accepted_in_the_same_way(runs: tuple[Path, Path]) -> None:
    run = changed(runs[0])
    with pytest.raises(RunFolderError, match=r"points\.jsonl was changed.*--accept-changed"):
        read_material(run)
    said: list[str] = []
    with shown(said.append):
        assert read_material(run, accept_changed=True).points
    assert [SAID in sentence for sentence in said] == [True]


def test_a_run_is_not_taken_up_again_over_changed_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = ["audit", str(EXAMPLES), "-o", "run", "-q"]
    assert said_by(audit, capsys)[0] == 0
    before = changed(Path("run")).joinpath("points.jsonl").read_bytes()
    manifest = Path("run/manifest.json").read_bytes()

    code, refused = said_by(audit, capsys)
    assert code == WRONG_USE
    assert SAID in refused
    assert Path("run/manifest.json").read_bytes() == manifest

    lines = before.splitlines(keepends=True)
    Path("run/points.jsonl").write_bytes(b"".join(lines[:-1]))  # so that one is to be done again
    unfinished = json.loads(manifest) | {"complete": False}
    Path("run/manifest.json").write_text(json.dumps(unfinished))
    assert said_by(audit, capsys)[0] == WRONG_USE
    code, accepted = said_by([*audit, "--accept-changed"], capsys)
    assert code == 0
    assert accepted.count(SAID) == 1
    assert read_manifest(Path("run"), accept_changed=True).changed == ("points.jsonl",)
    assert SAID in Path("run/report.html").read_text()
    # What was changed is in it for good: each reader accepts it anew.
    for words in (["export", "run"], audit):
        code, refused = said_by(words, capsys)
        assert code == WRONG_USE
        assert "run/points.jsonl holds records that were changed" in refused


def test_a_changed_file_of_errors_is_refused_too(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (runs[0] / "errors.jsonl").write_bytes((runs[0] / "errors.jsonl").read_bytes() + b"{}\n")
    code, refused = said_by(["report", "first"], capsys)
    assert code == WRONG_USE
    assert "first/errors.jsonl was changed" in refused


def test_the_pages_say_it_before_any_number(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    changed(runs[0])
    for words in (
        *(["report", "first", "-o", f"page.{ending}"] for ending in ("html", "md", "json")),
        *(["report", "first", "--for", "author", "-o", f"author.{end}"] for end in ("html", "md")),
        *([verb, "first", "second", "--resamples", "100", "-o", verb] for verb in TOGETHER),
        ["merge", "first", "second", "-o", "both"],
    ):
        assert said_by([*words, "--accept-changed"], capsys)[0] == 0

    for page in ("page.html", "page.md", "author.html", "author.md"):
        text = Path(page).read_text().replace("\\", "")
        assert SAID in text
        assert text.index(SAID) < 20_000 + text.index("<h1" if page.endswith("l") else "# ")
    assert json.loads(Path("page.json").read_text())["changed"] == ["points.jsonl"]
    for verb in TOGETHER:
        pages = [one.read_text().replace("\\", "") for one in Path(verb).iterdir()]
        assert sum(f"first: {SAID}" in text for text in pages) >= 2
    assert json.loads(Path("both/manifest.json").read_text())["changed"] == ["points.jsonl"]


TOGETHER = ("venue", "compare")


def test_a_table_of_agreement_says_it(labelled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(labelled)
    words = ["agree", "labelled", "--human", "labels", "--resamples", "100", "--json"]
    with pytest.raises(SystemExit):
        main([*words, "--accept-changed"])
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert sum(SAID in note for note in notes) == 1
