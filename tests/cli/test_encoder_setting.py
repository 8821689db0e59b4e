"""The sentence encoder from the command line: what audits and the doctor say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reviewscore as rs
from reviewscore.config import Settings
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.retrieval.encoder import own_folder
from reviewscore.runs.ray_pool import absolute_paths
from tests.commands import invoker
from tests.conftest import PAPER
from tests.fake_fastembed import HUB, FakeFastembed, take_away, write_encoder


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeFastembed:
    return FakeFastembed().install(monkeypatch)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    paper = {"paper_id": "frogs", "title": "Frogs", "text": PAPER}
    weaknesses = "- There is no ablation.\n- Which optimizer is used?"
    review = {"review_id": "r", "paper_id": "frogs", "sections": {"weaknesses": weaknesses}}
    (folder / "papers.jsonl").write_text(json.dumps(paper) + "\n")
    (folder / "reviews.jsonl").write_text(json.dumps(review) + "\n")
    return folder


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """Weights where the setting ``auto`` finds them."""
    return write_encoder(own_folder(tmp_path / "ledger"))


def test_records_manifest_and_terminal_name_the_encoder(
    fake: FakeFastembed,
    data: Path,
    weights: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended = invoker("audit", capsys)(data, "-o", tmp_path / "run")

    version = rs.load_run(tmp_path / "run").manifest.judge_version
    assert ended.exit_code == 0
    assert version is not None
    assert version.startswith("6 with all-MiniLM-L6-v2 ")
    points = list(rs.load_run(tmp_path / "run").points)
    origins = {one.judge_version for point in points for one in point.provenance}
    assert {point.judge_version for point in points} == origins == {version}
    assert f"sentence encoder {version.removeprefix('6 with ')};" in ended.stderr
    assert fake.loaded == [weights]


def test_without_an_encoder_nothing_is_said_of_one(
    fake: FakeFastembed, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = invoker("audit", capsys)(data, "-o", tmp_path / "run")

    assert rs.load_run(tmp_path / "run").manifest.judge_version == "6"
    assert "with the sentence encoder" not in ended.stderr
    assert fake.loaded == []


def test_a_run_goes_on_with_the_encoder_it_began_with_and_with_no_other(
    fake: FakeFastembed, data: Path, weights: Path, tmp_path: Path
) -> None:
    rs.audit(data, tmp_path / "run")

    assert rs.audit(data, tmp_path / "run", encoder=weights).failed == 0
    with pytest.raises(
        RunFolderError, match=r"lexical 6 with all-MiniLM-L6-v2 \w{8} and is now lexical 6 "
    ):
        rs.audit(data, tmp_path / "run", encoder="none")


def test_a_broken_encoder_is_named_before_a_run_begins(
    fake: FakeFastembed, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_encoder(tmp_path / "mini", weights="broken")

    ended = invoker("audit", capsys)(data, "-o", tmp_path / "run", "--encoder", folder)

    assert ended.exit_code == 2
    assert f"encoder (flag): the encoder in {folder} cannot be loaded" in ended.stderr
    assert "--encoder none" in ended.stderr
    assert not (tmp_path / "run").exists()


def test_one_point_is_looked_up_with_the_encoder_too(
    fake: FakeFastembed, data: Path, weights: Path, tmp_path: Path
) -> None:
    run = rs.audit(data, tmp_path / "run")
    point = rs.split(run.reviews[0])[0]

    assert rs.score(point, data=run).judge_version == run.manifest.judge_version
    assert rs.score(point, data=run, encoder=None).judge_version == "6"


def test_a_model_needs_no_encoder(fake: FakeFastembed, data: Path, tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "mini", weights="broken")
    replies = tmp_path / "replies"
    replies.mkdir()

    run = rs.audit(data, tmp_path / "run", encoder=folder, model=f"exchange:{replies}")

    assert run.manifest.judge_version is None
    assert fake.loaded == []


def test_workers_are_told_the_folder_that_was_found(fake: FakeFastembed, weights: Path) -> None:
    settings = Settings(cache_dir=weights.parents[1])

    assert absolute_paths(settings).encoder == str(weights)
    assert absolute_paths(settings.model_copy(update={"encoder": None})).encoder is None


def doctor_line(capsys: pytest.CaptureFixture[str], *flags: str) -> str:
    told = invoker("doctor", capsys)(*flags).stdout.splitlines()
    (line,) = (line for line in told if line.startswith("encoder "))
    return line


def test_the_doctor_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    take_away(monkeypatch)

    assert "pip install '.[semantic]'" in doctor_line(capsys)


def test_the_doctor_says_what_to_type_and_where_to_copy(
    fake: FakeFastembed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = doctor_line(capsys)

    assert "reviewscore doctor --fetch-encoder" in line
    assert str(own_folder(tmp_path / "ledger")) in line


def test_the_doctor_names_the_encoder_and_its_folder(
    fake: FakeFastembed, weights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = doctor_line(capsys)

    assert "all-MiniLM-L6-v2 " in line
    assert str(weights) in line


def test_the_doctor_says_who_turned_it_off(
    fake: FakeFastembed,
    weights: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("REVIEWSCORE_ENCODER", "none")

    assert doctor_line(capsys) == "encoder      none (REVIEWSCORE_ENCODER)"


def test_the_doctor_finds_broken_weights(
    fake: FakeFastembed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_encoder(own_folder(tmp_path / "ledger"), weights="nan")

    ended = invoker("doctor", capsys)()

    assert ended.exit_code == 1
    assert "encoder      (default): the encoder in " in ended.stdout
    assert "weights may be broken" in ended.stdout


def test_nothing_is_fetched_before_the_user_agrees(
    fake: FakeFastembed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = invoker("doctor", capsys)("--fetch-encoder")

    assert ended.exit_code == 2
    assert fake.fetched == []
    for words in ("sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0", "90 MB",
                  "huggingface.co/Qdrant/all-MiniLM-L6-v2-onnx",
                  str(tmp_path / "ledger" / "encoders"), "--yes"):  # fmt: skip
        assert words in ended.stderr


@pytest.mark.parametrize(("answer", "fetched"), [(True, 1), (False, 0)])
def test_at_a_terminal_the_user_is_asked(
    fake: FakeFastembed,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: bool,
    fetched: int,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda text, **_: asked.append(text) or answer)

    ended = invoker("doctor", capsys)("--fetch-encoder")

    assert (len(asked), len(fake.fetched)) == (1, fetched)
    assert ended.exit_code == (0 if answer else 2)


def test_it_is_fetched_once_and_used_from_then_on(
    fake: FakeFastembed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = invoker("doctor", capsys)("--fetch-encoder", "--yes")
    again = invoker("doctor", capsys)("--fetch-encoder", "--yes")

    assert (first.exit_code, again.exit_code, len(fake.fetched)) == (0, 0, 1)
    assert HUB in first.stdout
    assert "there already" in again.stdout
    assert HUB in doctor_line(capsys)


def test_a_failed_fetch_says_what_to_do(
    fake: FakeFastembed, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.network = False

    ended = invoker("doctor", capsys)("--fetch-encoder", "--yes")

    assert ended.exit_code == 2
    assert "copy its model.onnx" in ended.stderr


def test_without_the_extra_nothing_can_be_fetched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    take_away(monkeypatch)

    ended = invoker("doctor", capsys)("--fetch-encoder", "--yes")

    assert ended.exit_code == 2
    assert "pip install '.[semantic]'" in ended.stderr


def test_an_encoder_that_is_not_there_is_an_error_for_programs_too(
    fake: FakeFastembed, data: Path, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=r"encoder \(flag\): no folder"):
        rs.audit(data, tmp_path / "run", encoder=tmp_path / "absent")
