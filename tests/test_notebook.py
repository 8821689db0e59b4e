"""The Python example of the README and the notebook of the examples in a Jupyter kernel."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbclient
import nbformat
import pytest

from tests.doc_pages import ROOT, Program, stage, steps

LOOP = "import asyncio\nassert asyncio.get_running_loop().is_running()\n"
AWAITED = (
    "again = await rs.audit_async('examples', 'runs/python', model='lexical')\n"
    "assert list(again.points) == list(run.points)\n"
    "run\n"
)
FIRST_STEPS = ROOT / "examples" / "first_steps.ipynb"


@pytest.fixture(autouse=True)
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels keep what they write in a folder of the test."""
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        (folder := tmp_path / "jupyter" / name.lower()).mkdir(parents=True)
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")


def execute(notebook: nbformat.NotebookNode, folder: Path) -> None:
    nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(folder)}}
    ).execute()


def test_the_example_of_the_readme_runs_in_a_kernel_where_a_loop_is_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage(tmp_path, monkeypatch)
    (example,) = (
        one for one in steps((ROOT / "README.md").read_text("utf-8")) if isinstance(one, Program)
    )
    cells = [LOOP, example.code, AWAITED, "score"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells])

    execute(notebook, tmp_path)

    assert "".join(one["text"] for one in notebook.cells[1].outputs) == example.printed
    run, score = notebook.cells[2].outputs[-1]["data"], notebook.cells[3].outputs[-1]["data"]
    assert run["text/plain"] == example.printed.splitlines()[0]
    assert 'href="runs/python/report.html"' in run["text/html"]
    assert "the first 4 of 4" in run["text/html"]
    assert "ten random seeds" in score["text/html"]
    assert "the paper speaks to this" in score["text/html"]


def test_the_notebook_of_the_examples_is_kept_without_what_it_prints() -> None:
    notebook = nbformat.read(FIRST_STEPS, as_version=4)

    nbformat.validate(notebook)
    written = FIRST_STEPS.read_text("utf-8")
    assert nbformat.writes(notebook) == written.removesuffix("\n")  # ids and version are in it
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_the_notebook_of_the_examples_runs_from_the_audit_to_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples, opened = tmp_path / "examples", tmp_path / "opened"
    examples.mkdir()
    for name in ("papers.jsonl", "reviews.jsonl"):
        shutil.copy(FIRST_STEPS.parent / name, examples)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >"{opened}"\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    notebook = nbformat.read(FIRST_STEPS, as_version=4)

    execute(notebook, examples)

    shown = {one.id: one.outputs[-1]["data"] for one in notebook.cells if one.get("outputs")}
    assert list(shown) == ["audit", "frame", "split", "score", "report"]
    assert shown["audit"]["text/plain"].startswith("Run('../runs/first_steps', 27 points of 3")
    assert 'href="../runs/first_steps/report.html"' in shown["audit"]["text/html"]
    assert "<table" in shown["frame"]["text/html"]
    assert "ReviewPoint('" in shown["split"]["text/plain"]
    assert "ten random seeds" in shown["score"]["text/html"]
    report = tmp_path / "runs" / "first_steps" / "report.html"
    assert opened.read_text("utf-8").strip() == report.as_uri()
    assert report.is_file()
