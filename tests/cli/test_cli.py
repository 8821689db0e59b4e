"""The command line: what it prints, and with which exit code it ends."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from reviewscore.cli.main import main
from tests.conftest import PAPER
from tests.loopback import Loopback

REVIEW = """Summary
The paper counts frogs.

Weaknesses
- There is no ablation study.
- Because only one pond is used, the claim of generality is not supported.

Questions
- Which learning rate is used?
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A paper and a review as text files."""
    paper, review = tmp_path / "paper.txt", tmp_path / "review.txt"
    paper.write_text(PAPER)
    review.write_text(REVIEW)
    return paper, review


def cli(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


def audit_files(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], *more: object
) -> tuple[int, str, str]:
    return cli(capsys, "audit", "--paper", files[0], "--review", files[1], *more)


def test_one_paper_and_one_review_make_a_run(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    code, out, err = audit_files(capsys, files, "-o", tmp_path / "run")

    assert code == 0
    assert "judge: lexical (the default)" in err
    assert "report.html" in out
    assert {entry.name for entry in (tmp_path / "run").iterdir()} >= {
        "manifest.json",
        "points.jsonl",
        "errors.jsonl",
        "summary.json",
        "report.html",
    }
    assert len((tmp_path / "run" / "points.jsonl").read_text().splitlines()) == 3


def test_without_a_folder_the_run_is_named_after_the_data(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    audit_files(capsys, files, "-q")

    assert (tmp_path / "runs" / "paper" / "points.jsonl").is_file()


def test_a_dash_writes_records_to_stdout(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    _, out, _ = audit_files(capsys, files, "-o", "-")

    assert [json.loads(line)["point_id"] for line in out.splitlines()]
    assert not (tmp_path / "runs").exists()


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]) -> None:
    assert audit_files(capsys, files, "-q") == (0, "", "")


def test_a_dry_run_needs_no_key_and_asks_nothing(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    code, out, _ = audit_files(capsys, files, "--dry-run", "--model", "openai/gpt-5")

    assert code == 0
    assert "1 paper · 1 review · 3 points" in out
    assert "calls" in out
    assert "about $" in out
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_does_not_invent_a_price(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]
) -> None:
    _, out, _ = audit_files(capsys, files, "--dry-run", "--model", "openai/unheard-of")

    assert "cost: unknown" in out


def test_settings_are_shown_with_their_origin(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]
) -> None:
    _, out, _ = audit_files(capsys, files, "--show-config", "--rounds", "3")

    lines = [line.split() for line in out.splitlines()]
    assert ["rounds", "=", "3", "#", "flag;", "REVIEWSCORE_ROUNDS"] in lines
    assert ["default", "=", '"lexical"', "#", "default;", "REVIEWSCORE_MODEL"] in lines


def test_shown_settings_are_a_settings_file(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    flags = ("--model", "openai/x", "--judge", "faithfulness=openai/y", "--rounds", "3")
    _, out, _ = audit_files(capsys, files, "--show-config", *flags)
    (tmp_path / "shown.toml").write_text(out)

    _, again, _ = audit_files(capsys, files, "--show-config", "--config", "shown.toml")

    def settings(text: str) -> list[str]:
        return [line.partition(" # ")[0].rstrip() for line in text.splitlines()]

    assert "faithfulness" in tomllib.loads(out)["models"]
    assert settings(out) == settings(again)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["audit"], "Name a folder"),
        (["audit", "nowhere"], "nowhere"),
        (["audit", "--review", "r.txt"], "exactly one --paper"),
        (["audit", "x", "--review", "r.txt", "--paper", "p.txt"], "not both"),
        (["audit", "--paper", "none.pdf", "--review", "none.txt"], "none"),
        (["audti"], "Did you mean 'audit'"),
        (["audit", ".", "--rounds", "11"], "11"),
        (["report", "nowhere"], "no run folder"),
        (["export", "nowhere", "-o", "x.csv"], "no run folder"),
        (["prompts", "show", "nothing"], "No prompt"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    code, _, err = cli(capsys, *arguments)

    assert code == 2
    assert complaint in err


def test_unknown_models_and_missing_keys_end_with_2(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]
) -> None:
    assert (
        "'gpt-5'; did you mean 'openai/gpt-5'?" in audit_files(capsys, files, "--model", "gpt-5")[2]
    )
    assert (
        "'openi/x'; did you mean 'openai/x'?" in audit_files(capsys, files, "--model", "openi/x")[2]
    )
    assert "did you mean 'lexical'" in audit_files(capsys, files, "--model", "lexcal")[2]
    assert "OPENAI_API_KEY is not set" in audit_files(capsys, files, "--model", "openai/x")[2]


@pytest.mark.parametrize(
    ("status", "ends", "says"),
    [
        pytest.param(404, 3, "--retry-errors", id="failed points"),
        pytest.param(401, 4, "check the key", id="a refused key"),
    ],
)
def test_failed_points_end_with_3_and_a_refused_key_with_4(
    capsys: pytest.CaptureFixture[str],
    files: tuple[Path, Path],
    server: Loopback,
    status: int,
    ends: int,
    says: str,
) -> None:
    from aiohttp import web

    server.quirk = lambda *_: web.json_response({"error": {}}, status=status)

    code, _, err = audit_files(capsys, files, "--model", "openai/x", "--base-url", server.url, "-q")

    assert code == ends
    assert says in err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path) -> Path:
    """A finished run."""
    audit_files(capsys, files, "-q", "-o", tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_reports_are_written_by_ending(
    capsys: pytest.CaptureFixture[str], run: Path, tmp_path: Path, ending: str
) -> None:
    code, out, _ = cli(capsys, "report", run, "-o", tmp_path / f"x.{ending}")

    assert code == 0
    assert out.strip().endswith(f"x.{ending}")
    assert (tmp_path / f"x.{ending}").stat().st_size > 200


def test_an_unknown_ending_is_refused(
    capsys: pytest.CaptureFixture[str], run: Path, tmp_path: Path
) -> None:
    assert cli(capsys, "report", run, "-o", tmp_path / "x.docx")[0] == 2
    assert cli(capsys, "export", run, "-o", tmp_path / "x.docx")[0] == 2


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_points_are_exported_by_ending(
    capsys: pytest.CaptureFixture[str], run: Path, tmp_path: Path, ending: str
) -> None:
    code, out, _ = cli(capsys, "export", run, "-o", tmp_path / f"x.{ending}")

    assert code == 0
    assert out.startswith("3 points")


def test_an_argument_is_rebuilt_without_a_model(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]
) -> None:
    text = "Because only one pond is used, the claim of generality is not supported."

    code, out, _ = cli(capsys, "reconstruct", text, "--paper", files[0])

    assert code == 0
    assert "valid_unjudged" in out
    assert "only one pond is used" in out


def test_an_argument_is_rebuilt_with_a_model_as_json(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]
) -> None:
    server = Loopback().start()
    text = "It is weak because one pond is too few."
    code, out, _ = cli(
        capsys, "reconstruct", text, "--paper", files[0], "--json",
        "--model", "openai/x", "--base-url", server.url,
    )  # fmt: skip
    server.stop()

    assert code == 0
    assert json.loads(out)["state"] == "accepted"
    assert len(json.loads(out)["rounds"]) == 4


def test_rounds_that_run_out_end_with_1(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]
) -> None:
    server = Loopback().start()
    code, out, _ = cli(
        capsys, "reconstruct", "Weak because small.", "--paper", files[0], "--rounds", "1",
        "--model", "openai/x", "--base-url", server.url,
    )  # fmt: skip
    server.stop()

    assert code == 1
    assert "ill_formed" in out
    assert "told to the model:" in out


def test_prompts_are_listed_shown_and_verified(capsys: pytest.CaptureFixture[str]) -> None:
    assert "premise_factuality/v1" in cli(capsys, "prompts", "list")[1]
    assert "{{ premise" in cli(capsys, "prompts", "show", "premise_factuality/v1")[1]
    assert "{{ premise" in cli(capsys, "prompts", "show", "premise_factuality")[1]
    assert cli(capsys, "prompts", "verify")[0] == 0


def test_changed_prompts_fail_verification(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "SHA256SUMS").write_text("0" * 64 + "  x/v1.md\n")
    monkeypatch.setenv("REVIEWSCORE_PROMPTS_DIR", str(tmp_path))

    code, _, err = cli(capsys, "prompts", "verify")

    assert code == 1
    assert "missing" in err


def test_the_doctor_finds_a_working_solver_and_prints_no_key(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")

    code, out, _ = cli(capsys, "doctor")

    assert code == 0
    assert "proves modus ponens" in out
    assert "very-secret" not in out


def test_reports_and_exports_go_to_stdout_or_into_the_run(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    audit_files(capsys, files, "-o", run)

    assert cli(capsys, "report", run, "-o", "-")[1].startswith("# Review audit")
    records = cli(capsys, "export", run, "-o", "-")[1].splitlines()
    assert [json.loads(line)["type"] for line in records] == ["claim", "argument", "question"]
    assert f"3 points written to {run / 'points.csv'}" in cli(capsys, "export", run)[1]


def test_a_dry_run_says_batch_prices_guesses_and_thoughts(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]
) -> None:
    flags = ("--dry-run", "--model", "openai/gpt-5", "--batch")
    _, out, _ = audit_files(capsys, files, *flags)

    assert "at the price of batch jobs" in out
    assert "a reasoning model's thoughts" in out
    assert "the means of the ReviewScore paper" in out


def test_left_out_lines_are_counted_in_the_summary(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "papers.jsonl").write_text(
        json.dumps({"paper_id": "frogs", "title": "Frogs", "text": PAPER}) + "\n"
    )
    review = {"review_id": "r", "paper_id": "frogs", "sections": {"weaknesses": "- Too short."}}
    (tmp_path / "reviews.jsonl").write_text(json.dumps(review) + "\nnonsense\n")

    _, out, _ = cli(capsys, "audit", tmp_path, "-o", tmp_path / "run", "--skip-bad-lines")

    assert "1 point of 1 review, judge lexical 6; 1 line of the input left out" in out


def test_prompts_without_holes_say_nothing_of_them_and_old_versions_are_marked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "holes" not in cli(capsys, "prompts", "show", "formulas")[1]
    listed = cli(capsys, "prompts", "list")[1].splitlines()
    old = [line.split()[0] for line in listed if "older version" in line]
    assert "claim_factuality/v1" in old
    assert "claim_factuality/v3" not in old


@pytest.mark.parametrize("field", ["file", "pdf"])
def test_a_nul_in_a_name_is_a_fault_of_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, field: str
) -> None:
    record = json.dumps({"paper_id": "p", field: "a\0b.pdf"})
    (tmp_path / "papers.jsonl").write_text(f"{record}\n")
    (tmp_path / "reviews.jsonl").write_text('{"review_id": "r", "paper_id": "p", "text": "x"}\n')
    (tmp_path / "paper.json").write_text(record)
    (tmp_path / "review.txt").write_text(REVIEW)

    for words in (
        ("audit", tmp_path, "-o", "run"),
        ("audit", "--paper", "paper.json", "--review", "review.txt", "-o", "run"),
        ("inspect", "papers.jsonl"),
        ("inspect", "paper.json"),
        ("reconstruct", "As x, y.", "--paper", "paper.json"),
        ("focus", "export-sft", tmp_path, "-o", "sft"),
    ):
        code, _, err = cli(capsys, *words)

        assert code == 2, words
        assert f"field '{field}'" in err
        assert "NUL" in err


def test_a_nul_in_a_setting_is_refused_with_its_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for table, key in (("models", "prompts_dir"), ("limits", "prices"), ("audit", "calibration")):
        (tmp_path / "reviewscore.toml").write_text(f'[{table}]\n{key} = "a\\u0000b"\n')

        code, _, err = cli(capsys, "audit", ".", "--show-config")

        assert (code, key in err) == (2, True)


def test_several_reviews_are_judged_and_what_fails_is_named(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "review.txt").write_text(REVIEW)
    (more / "empty.md").touch()
    run = tmp_path / "run"

    for _ in range(2):  # the second time all is there already
        code, _, err = audit_files(capsys, files, "--review", more, "-o", run, "-q")

        assert code == 3
        assert "empty.md" in err
    points = (run / "points.jsonl").read_text().splitlines()
    assert {json.loads(line)["review_id"] for line in points} == {
        f"{tmp_path.name}/review",
        "more/review",
    }
    (failed,) = (run / "errors.jsonl").read_text().splitlines()
    assert (json.loads(failed)["what"], "empty.md" in failed) == ("file", True)
    code, out, _ = audit_files(capsys, files, "--review", more, "--dry-run")
    assert (code, "2 reviews" in out) == (3, True)

    code, _, err = cli(capsys, "report", run)

    assert code == 0
    assert "not where they were" not in err
    assert "There is no ablation study" in (run / "report.html").read_text()
    assert len(json.loads((run / "manifest.json").read_text())["pair"]) == 4


def test_without_one_review_that_can_be_used_nothing_is_run(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    files[1].write_text(" ")

    code, _, err = audit_files(capsys, files, "--review", tmp_path / "gone", "-o", "run")

    assert code == 2
    assert "review.txt" in err
    assert "gone" in err
    assert not (tmp_path / "run").exists()


def test_names_that_are_no_text_are_audited_and_reported(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "d\udcff"
    try:
        folder.mkdir()
    except (OSError, UnicodeError):
        pytest.skip("this file system takes text alone")
    pair = [(folder / f"\udcfe{name}.txt") for name in ("paper", "review")]
    for old, new in zip(files, pair, strict=True):
        old.rename(new)

    code, _, _ = audit_files(capsys, (pair[0], pair[1]), "-o", folder / "run")
    assert code == 0
    code, _, _ = cli(capsys, "report", folder / "run", "-o", folder / "x.md")
    assert code == 0


@pytest.mark.parametrize("name", ["manifest.json", "points.jsonl", "errors.jsonl"])
def test_what_a_run_is_read_by_is_never_written_over(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path, name: str
) -> None:
    run = tmp_path / "run"
    assert audit_files(capsys, files, "-o", run, "-q")[0] == 0
    (run / "errors.jsonl").touch()
    before = (run / name).read_bytes()

    for verb in ("report", "export"):
        code, _, err = cli(capsys, verb, run, "-o", run / name)

        assert code == 2
        assert name in err
    assert (run / name).read_bytes() == before


@pytest.mark.parametrize("name", ["x.html", "x.md", "x.json", "-"])
def test_data_that_a_run_was_not_made_of_are_refused_whatever_is_written(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path, name: str
) -> None:
    audit_files(capsys, files, "-o", tmp_path / "run", "-q")
    other = tmp_path / "other"
    other.mkdir()
    (other / "paper.txt").write_text(PAPER + "Another line.\n")
    (other / "review.txt").write_text(REVIEW)
    out = name if name == "-" else tmp_path / name

    refused = cli(capsys, "report", tmp_path / "run", "-o", out, "--data", other)
    taken = cli(capsys, "report", tmp_path / "run", "-o", out, "--data", tmp_path)

    assert (refused[0], refused[1], taken[0]) == (2, "", 0)
    assert "'paper.txt' is not what this run was made of" in refused[2]


@pytest.mark.parametrize("year", ["-1", "0", "1899", "2101", "1000000000"])
def test_a_year_that_no_paper_has_is_refused(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path, year: str
) -> None:
    code, _, err = audit_files(capsys, files, "--year", year, "-o", tmp_path / "run")

    assert code == 2
    assert "--year" in err
    assert not (tmp_path / "run").exists()
