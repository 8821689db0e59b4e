"""A cluster that is started here: its workers see no folder of the user, and no key too many."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from reviewscore.config import Settings
from reviewscore.llm.connect import RunContext
from reviewscore.processes.child import environment
from reviewscore.runs.ray_cluster import NETWORK, variables_for
from reviewscore.runs.ray_pool import open_pool
from tests.traps import Traps

pytestmark = [
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PGPASSWORD", "OPENREVIEW_PASSWORD")


@asynccontextmanager
async def nothing(_: RunContext) -> AsyncIterator[str]:
    yield "nothing"


async def seen(_: str) -> tuple[dict[str, str], list[str], str]:
    """What a worker was started with."""
    return dict(os.environ), sys.path, os.getcwd()  # noqa: PTH109 - as libraries ask


async def test_workers_run_no_trap_and_have_the_keys_of_their_models_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    traps = Traps(folder, tmp_path / "marks")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    for name in KEYS:
        monkeypatch.setenv(name, "planted")
    variables = variables_for(Settings(model="openai/x"))

    settings = Settings(engine="ray", workers=1)
    async with open_pool(nothing, settings, variables=variables) as pool:
        given, path, where = await pool.do(seen)

    assert traps.fired() == []
    assert [name for name in KEYS if name in given] == ["OPENAI_API_KEY"]
    assert str(folder) not in path
    assert Path(where) != folder
    assert Path.cwd() == folder  # this process is where it was


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, set()),
        ({"model": "openai/x"}, {"OPENAI_API_KEY"}),
        ({"model": "openai/x", "panel": ("anthropic/y",)}, {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}),
        ({"ledger": "postgresql://u@h/d"}, {"PGPASSWORD"}),
        ({"engine": "ray", "store": "s3://b/r"}, {"AWS_SECRET_ACCESS_KEY"}),
        ({"engine": "ray", "store": "here"}, set()),
        ({"model": "litellm/groq/x"}, {*KEYS, "AWS_SECRET_ACCESS_KEY", "GROQ_API_KEY"}),
    ],
)
def test_each_worker_has_what_its_settings_need(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, object], expected: set[str]
) -> None:
    secrets = {*KEYS, "AWS_SECRET_ACCESS_KEY", "GROQ_API_KEY"}
    for name in secrets:
        monkeypatch.setenv(name, "planted")

    variables = variables_for(Settings.model_validate(settings))

    assert secrets & environment(variables).keys() == expected
    if "model" in settings:
        assert set(NETWORK) <= set(variables)
