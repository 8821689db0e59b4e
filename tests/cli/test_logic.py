"""``reviewscore logic``: JSON in, verdicts out, bad records told and passed over."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from reviewscore.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["logic", *arguments])
    out, err = capsys.readouterr()
    return int(str(ended.value.code)), out, err


GOOD = {"id": "a", "premises": ["A", "A -> B"], "conclusion": "B"}


def test_one_object_a_line_gives_one_verdict_a_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "arguments.jsonl"
    file.write_text(json.dumps(GOOD) + "\n\n" + json.dumps({**GOOD, "conclusion": "C"}) + "\n")

    code, out, _ = run(capsys, str(file))

    verdicts = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [one["validity"] for one in verdicts] == ["valid", "invalid"]
    assert (verdicts[0]["id"], verdicts[0]["shows"]) == ("a", True)
    assert verdicts[0]["needed"] == ["P1", "P2"]


@pytest.mark.parametrize("text", [json.dumps(GOOD, indent=2), json.dumps([GOOD, GOOD])])
def test_whole_json_is_read_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    file = tmp_path / "arguments.json"
    file.write_text(text)

    code, out, _ = run(capsys, str(file))

    assert code == 0
    assert all(json.loads(line)["shows"] for line in out.splitlines())


def test_bad_records_are_told_and_the_others_proved(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        json.dumps(GOOD),
        "{broken",
        "3",
        '{"premises": 3, "conclusion": "B"}',
        '{"premises": {}}',
        json.dumps(GOOD),
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))

    code, out, err = run(capsys, "-")

    assert code == 3
    assert len(out.splitlines()) == 2
    assert "<stdin>:2: not JSON" in err
    assert "<stdin>:3: item 3 is not an object" in err
    assert ":4: field 'premises'" in err
    assert ":5: field 'conclusion'" in err


def test_explanations_are_for_people(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [
        GOOD,
        {"premises": ["A", "Unneeded", "B | -B"], "conclusion": "A"},
        {"premises": ["A"], "conclusion": "B | -B"},
        {"premises": ["A", "-A"], "conclusion": "B"},
        {"premises": ["A & -A"], "conclusion": "B"},
        {"premises": ["Premiere(a)"], "conclusion": "Premiered(a)"},
        {"premises": ["A"], "conclusion": "-A"},
        {"premises": ["A"], "conclusion": "B & -B"},
        {"premises": ["A &"], "conclusion": "B"},
        {"premises": ["P(a)", "P(a, b)"], "conclusion": "P(a)"},
        {"premises": ["1. A -> B -> C."], "conclusion": "C"},
    ]
    file = tmp_path / "arguments.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))

    code, out, _ = run(capsys, str(file), "--explain", "--lenient", "--workers", "1")

    assert code == 0
    for words in (
        "a: valid\n  proof from P1, P2, a smallest set",
        "2: valid, but circular: P1 says the same as the conclusion",
        "not needed by it: P2, P3\n  true by logic alone: P3",
        "3: valid, but shows nothing: the conclusion is true by logic alone",
        "4: inconsistent premises: P1 and P2 cannot all hold",
        "5: inconsistent premises: P1 contradicts itself",
        "6: not valid: the conclusion does not follow",
        "did you mean Premiere for Premiered?",
        "how it can fail: All premises can be true",
        "missing link, at its weakest: Premiere(a) -> Premiered(a)",
        "7: not valid: the conclusion is the opposite of what follows",
        "8: not valid: the conclusion contradicts itself",
        "9: ill-formed\n  error formula-expected in P1, line 1, column 4",
        "10: ill-typed\n  error two-arities in P2",
        "normalised label in P1, line 1, column 1",
        "assumed chain in P1, line 1, column 11",
    ):
        assert words in out, words


def test_a_reached_limit_is_unknown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    endless = [
        "forall x exists y (R(x, y)) & forall x (-R(x, x))",
        "forall x, y, z ((R(x, y) & R(y, z)) -> R(x, z))",
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"premises": endless, "conclusion": "Q"}))

    code, out, _ = run(capsys, str(file), "--explain", "--seconds", "30")

    assert code == 0
    assert out == "1: unknown: the limit of work was reached\n"


@pytest.mark.parametrize(
    ("text", "ends", "says"),
    [
        pytest.param('{\n"premises": [\n', 3, "not JSON", id="broken over several lines"),
        pytest.param(
            '{"premises": "A", "conclusion": "B"}',
            3,
            "field 'premises': should be a list of formulas, or an object",
            id="premises that are neither a list nor an object",
        ),
        pytest.param("\n", 2, "no argument in it", id="no argument"),
    ],
)
def test_a_file_without_an_argument_that_can_be_read_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, ends: int, says: str
) -> None:
    file = tmp_path / "arguments.json"
    file.write_text(text)

    code, _, err = run(capsys, str(file))

    assert code == ends
    assert says in err
