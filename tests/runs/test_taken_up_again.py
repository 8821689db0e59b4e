"""A run is taken up again by whoever would go on with it in the same way, and by nobody else."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from reviewscore import __version__, prompts
from reviewscore.config import Settings, resolve
from reviewscore.errors import RunFolderError
from reviewscore.judges import asker
from reviewscore.report.summary import summarise
from reviewscore.runs import audit as module
from reviewscore.runs.audit import audit, finished
from reviewscore.runs.folder import MANIFEST, read_manifest
from reviewscore.runs.manifest import Manifest, prompt_names
from reviewscore.runs.parts import check_alike, read_parts, settings_sum
from reviewscore.sources.collection import read_collection
from tests.conftest import ROOT
from tests.loopback import Loopback
from tests.runs.conftest import frogs

WEAKNESSES = (
    "- The gain is unexplained because no part of the network is ever removed.\n- Too dense."
)
_SOMETIMES = {"ask_again", "presuppositions_second_look", "streamline", "text_lacks"}
"""Prompts that an audit needs only where a reply, a formula, a text or a first look wants it."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A paper with two reviews: an argument, two claims and a question."""
    second = {"weaknesses": WEAKNESSES, "questions": "- Why frogs?"}
    reviews = [{"sections": sections} for sections in ({"weaknesses": "- Too short."}, second)]
    return frogs(tmp_path / "data", reviews)


@pytest.fixture
def first_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as no method has changed since manifests began to name them."""
    for name in ("READING", "POINTS", "POINT_IDS"):
        monkeypatch.setattr(module, f"{name}_VERSION", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Prompts of the user's own."""
    return Path(shutil.copytree(ROOT / "prompts", tmp_path / "prompts"))


class Runs:
    """Runs of the same data into the same folder."""

    def __init__(self, data: Path, out: Path, **flags: object) -> None:
        self.data, self.out, self.flags = data, out, flags

    def go(self, **flags: object) -> Manifest:
        audit(read_collection(self.data), self.out, resolve({**self.flags, **flags}))
        return read_manifest(self.out)

    def rewrite(self, **fields: object) -> None:
        """Change fields of the manifest; None takes one out."""
        file = self.out / MANIFEST
        kept = {**json.loads(file.read_text()), **fields}
        gone = {name for name, value in fields.items() if value is None}
        file.write_text(json.dumps({name: kept[name] for name in kept if name not in gone}))

    def made_early(self, folder: Path) -> None:
        """Write the manifest as an early version did: all prompts, no methods, no list."""
        new = read_manifest(self.out)
        kept = {name: value for name, value in new.decisive.items() if " " not in name}
        kept |= {name: new.decisive[name] for name in new.decisive if name.startswith("input ")}
        del kept["paper_parts"]  # it was no setting yet
        with prompts.use_directory(folder):
            every = {one.prompt_id: one.sha256 for one in prompts.available()}
        kept |= {f"prompt {name}": digest for name, digest in every.items()}
        kept["reviewscore_version"] = "0.0.9"
        self.rewrite(
            decisive=kept,
            decisive_sha256="e" * 64,
            prompts=every,
            reviewscore_version="0.0.9",
            reviewscore_versions=None,
        )


@pytest.fixture
def runs(data: Path, folder: Path, server: Loopback, tmp_path: Path) -> Runs:
    """A run of which one review is done."""
    found = Runs(
        *(data, tmp_path / "run"),
        model="openai/loopback",
        base_url=server.url,
        prompts_dir=folder,
        cache_dir=tmp_path / "ledger",
        protocol="economy",
        score="base",
    )
    assert not found.go(limit=1).counts.points > 1
    return found


def add(folder: Path, name: str) -> None:
    """A prompt more, or another version of one."""
    file = folder / f"{name}.md"
    file.parent.mkdir(exist_ok=True)
    body = (ROOT / "prompts" / "role" / "v1.md").read_text().replace("role/v1", name)
    file.write_text(body)


def change(folder: Path, name: str) -> None:
    """Other words in a prompt."""
    file = folder / f"{name}.md"
    file.write_text(file.read_text() + "\nBe brief.\n")
    prompts._load.cache_clear()  # it is another process that finds it changed


def resumed(runs: Runs, server: Loopback) -> Manifest:
    """Go on; what was done is not asked again."""
    before = len(server.bodies)
    manifest = runs.go()
    assert manifest.counts.points == 4
    assert "Too short" not in str(server.bodies[before:])
    assert runs.go() == manifest  # and finished means finished
    return manifest


def test_an_unrelated_prompt_file_changes_nothing(
    runs: Runs, server: Loopback, folder: Path
) -> None:
    add(folder, "invented/v1")
    change(folder, "gem_review/v1")
    change(folder, "faithfulness/v2")  # only reconstructions use it
    change(folder, "claim_factuality/v1")  # of an earlier version than is used

    resumed(runs, server)


@pytest.mark.parametrize("name", ["claim_factuality/v3", "point_type/v2", "role/v1", "paper/v2"])
def test_a_prompt_that_is_used_and_has_changed_is_refused_by_its_name(
    runs: Runs, folder: Path, name: str
) -> None:
    change(folder, name)

    with pytest.raises(RunFolderError, match=f"made otherwise: the prompt {name} has changed"):
        runs.go()


def test_a_newer_version_of_a_prompt_that_is_used_is_refused_by_its_name(
    runs: Runs, folder: Path
) -> None:
    shutil.copy(folder / "claim_factuality" / "v3.md", folder / "claim_factuality" / "v9.md")
    file = folder / "claim_factuality" / "v9.md"
    file.write_text(file.read_text().replace("claim_factuality/v3", "claim_factuality/v9"))

    with pytest.raises(RunFolderError, match="prompt claim_factuality/v3 is no longer used"):
        runs.go()


def test_another_version_goes_on_and_the_run_names_both(
    runs: Runs, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "__version__", "99.0")

    manifest = resumed(runs, server)

    assert manifest.reviewscore_version == "99.0"
    assert manifest.reviewscore_versions == (__version__, "99.0")
    assert summarise(runs.out).reviewscore_version == f"{__version__}, 99.0"


@pytest.mark.parametrize("name", ["POINTS", "READING", "ASKING", "AGGREGATION"])
def test_a_method_that_has_changed_is_refused_by_its_name(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    was = getattr(module, f"{name}_VERSION")
    monkeypatch.setattr(module, f"{name}_VERSION", was + 1)

    words = {"AGGREGATION": "scores"}.get(name, name.lower())
    with pytest.raises(RunFolderError, match=f"method {words} was {was} and is now {was + 1}"):
        runs.go()


def test_a_method_that_the_run_does_not_use_decides_nothing(
    runs: Runs, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECONSTRUCTION_VERSION", 2)

    resumed(runs, server)


@pytest.mark.usefixtures("first_methods")
def test_a_folder_of_an_early_version_goes_on_if_what_it_used_is_the_same(
    runs: Runs, server: Loopback, folder: Path
) -> None:
    runs.made_early(folder)
    change(folder, "gem_review/v1")
    add(folder, "invented/v1")

    manifest = resumed(runs, server)

    assert manifest.reviewscore_versions == ("0.0.9", __version__)
    assert manifest.decisive_sha256 == "e" * 64  # by which its shards know it


@pytest.mark.usefixtures("first_methods")
def test_a_folder_of_an_early_version_is_refused_if_what_it_used_has_changed(
    runs: Runs, folder: Path
) -> None:
    runs.made_early(folder)
    change(folder, "question_answerability/v3")

    with pytest.raises(RunFolderError, match="prompt question_answerability/v3 has changed"):
        runs.go()
    with pytest.raises(RunFolderError, match="paper_parts was 'auto' and is now 'main'"):
        runs.go(paper_parts="main")


@pytest.mark.usefixtures("first_methods")
def test_runs_of_an_early_version_and_of_this_one_are_made_alike(
    runs: Runs, folder: Path, tmp_path: Path
) -> None:
    early = runs.out
    runs.out = tmp_path / "new"
    runs.go()
    runs.out = early
    runs.made_early(folder)

    parts = read_parts([early, tmp_path / "new"])

    check_alike(parts, cure="")
    assert settings_sum(parts[0].manifest) == settings_sum(parts[1].manifest)


@pytest.mark.usefixtures("first_methods")
def test_a_finished_run_of_an_early_version_is_finished(
    runs: Runs, server: Loopback, folder: Path
) -> None:
    resumed(runs, server)
    runs.made_early(folder)

    assert finished(read_collection(runs.data), runs.out, resolve(runs.flags))


def test_the_embedded_judge_goes_on_whatever_the_prompts_are_and_not_as_another_version(
    data: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(data, tmp_path / "run", prompts_dir=folder)
    runs.go(limit=1)
    change(folder, "claim_factuality/v3")
    assert runs.go().counts.points == 4

    monkeypatch.setattr(module.LexicalJudges, "version", "another")
    with pytest.raises(RunFolderError, match="is now 'another'"):
        runs.go()


@pytest.mark.parametrize(
    "flags",
    [
        {"score": score, "protocol": protocol, "points": points}
        for score in ("base", "both")
        for protocol in ("paper", "economy")
        for points in ("auto", "rules")
    ]
    + [
        {"score": "both", "protocol": protocol, "points": "rules", "per": per}
        for protocol, per in product(("economy", "presupposition"), ("point", "review", "paper"))
    ],
    ids=lambda flags: "-".join(flags.values()),
)
def test_the_prompts_that_are_decisive_are_those_that_an_audit_puts(
    data: Path,
    server: Loopback,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: dict[str, Any],
) -> None:
    put, render = set[str](), prompts.render

    def noted(name: str, /, **variables: object) -> prompts.Rendered:
        put.add(name)
        return render(name, **variables)

    asker._paper_block.cache_clear()
    monkeypatch.setattr(prompts, "render", noted)
    names = set(prompt_names(Settings(model="openai/loopback", **flags).decisive()))
    sometimes = set(_SOMETIMES)
    if flags["protocol"] == "economy":
        sometimes |= {"premise_factuality"}
        sometimes |= {"point_type"} if flags["points"] == "auto" else set()  # if the rules split
        if flags.get("per") in ("review", "paper"):  # where judges of a panel differ on the type
            sometimes |= {"question_answerability", "claim_factuality"}

    found = Runs(data, tmp_path / "run", model="openai/loopback", base_url=server.url, **flags).go()

    assert put <= names
    assert names - put <= sometimes
    assert {one.partition("/")[0] for one in found.prompts} == names
