"""Runs whose records were changed by hand: every verb that reads one says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.annotate.material import read_material
from reviewscore.cli.main import main
from reviewscore.notices import shown
from reviewscore.store.run_dir import digests_of, read_manifest
from tests.agreement.invented import judged, labels_of, truth, write_labels
from tests.report.synthetic import many_points, write_run

SAID = "points.jsonl was changed after the run"


def sealed(run: Path) -> Path:
    """The run as a session leaves it: with the digests of its records."""
    manifest = read_manifest(run).model_copy(update={"digests": digests_of(run)})
    (run / "manifest.json").write_text(manifest.model_dump_json())
    return run


def changed(run: Path) -> Path:
    """The same run with a record that somebody edited; it is a record still."""
    points = run / "points.jsonl"
    points.write_bytes(points.read_bytes().replace(b'"rationale":"', b'"rationale":"No. ', 1))
    return run


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    first, second = list(many_points(14, 9)), list(many_points(28, 9))[14 * 9 :]
    return (
        sealed(write_run(tmp_path / "first", first)),
        sealed(write_run(tmp_path / "second", second)),
    )


VERBS = {
    "report": ["report", "first"],
    "report as Markdown": ["report", "first", "-o", "-"],
    "a reader's page": ["report", "first", "--for", "author", "-o", "pages"],
    "export": ["export", "first", "-o", "x.csv"],
    "venue": ["venue", "first", "second", "--resamples", "100"],
    "compare": ["compare", "first", "second", "--resamples", "100"],
    "merge": ["merge", "first", "second", "-o", "both"],
    "cache": ["cache", "export", "first", "-o", "calls.jsonl"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_it_once_and_only_then(
    verb: str, runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for hand, times in ((False, 0), (True, 1)):
        if hand:
            changed(runs[0])
        with pytest.raises(SystemExit) as ended:
            main(VERBS[verb])
        told = capsys.readouterr()
        assert told.err.count(SAID) == times
        assert not ended.value.code
        if verb == "merge":
            Path("both").rename(f"both-{hand}")


def test_labelling_says_it(runs: tuple[Path, Path]) -> None:
    said: list[str] = []
    with shown(said.append):
        read_material(runs[0])
        assert said == []
        read_material(changed(runs[0]))
    assert [SAID in sentence for sentence in said] == [True]


def test_agree_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = sealed(judged(tmp_path / "run", truth(8, 6)))
    labels = write_labels(tmp_path / "set", labels_of(truth(8, 6)))
    for hand in (False, True):
        if hand:
            changed(run)
        with pytest.raises(SystemExit):
            main(["agree", str(run), "--human", str(labels), "--resamples", "100"])
        assert capsys.readouterr().err.count(SAID) == hand


def test_the_pages_say_it_before_any_number(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run = changed(runs[0])
    for ending in ("html", "md", "json"):
        with pytest.raises(SystemExit):
            main(["report", str(run), "-o", f"page.{ending}"])
    capsys.readouterr()

    assert SAID in Path("page.html").read_text()
    assert (
        SAID.replace(".", "\\.") in Path("page.md").read_text()
        or SAID in Path("page.md").read_text()
    )
    assert json.loads(Path("page.json").read_text())["changed"] == ["points.jsonl"]
