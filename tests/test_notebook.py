"""The Python example of the README in a Jupyter kernel, where a loop is running."""

from __future__ import annotations

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


def test_the_example_of_the_readme_runs_in_a_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage(tmp_path, monkeypatch)
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        (folder := tmp_path / "jupyter" / name.lower()).mkdir(parents=True)
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    (example,) = (
        one for one in steps((ROOT / "README.md").read_text("utf-8")) if isinstance(one, Program)
    )
    cells = [LOOP, example.code, AWAITED, "score"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells])

    nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()

    assert "".join(one["text"] for one in notebook.cells[1].outputs) == example.printed
    run, score = notebook.cells[2].outputs[-1]["data"], notebook.cells[3].outputs[-1]["data"]
    assert run["text/plain"] == example.printed.splitlines()[0]
    assert 'href="runs/python/report.html"' in run["text/html"]
    assert "the first 4 of 4" in run["text/html"]
    assert "ten random seeds" in score["text/html"]
    assert "the paper speaks to this" in score["text/html"]
