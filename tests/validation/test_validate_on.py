"""``validate --on``: from the files of a labelled set, through the pipeline, to the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reviewscore.config import resolve
from reviewscore.runs.folder import read_manifest
from reviewscore.runs.unvalidated import latest_validation
from tests.answering import answer
from tests.commands import Ended, invoker
from tests.loopback import Loopback
from tests.validation.invented import BELLS, REEFS
from tests.validation.test_public_sets import lines, published_qasper
from tests.validation.test_validate import Verb, of_server

STATEMENTS = (
    # The scripted model calls what shares four long words with a sentence of the paper false.
    (REEFS, "Microphones were calibrated against a pistonphone after each deployment.", False),
    (REEFS, "Recordings during heavy storms were kept in every analysis.", False),
    (REEFS, "Whales sing at dawn.", True),
    (BELLS, "The temperature of the foundry was lowered during filing.", False),
    (BELLS, "Organs are louder.", True),
)


class OnSet:
    """The verb on an invented file of statements."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rows = [
            {"title": "Reefs" if text == REEFS else "Bells", "content": text, "hypothesis": words,
             "answer": true}
            for text, words, true in STATEMENTS
        ]  # fmt: skip
        self.file, self.out = lines(folder / "senhallu.jsonl", *rows), folder / "on"
        self._capsys = capsys

    def __call__(self, *words: object) -> Ended:
        return invoker("validate", self._capsys)(
            self.file, "--on", "bamboo", "-o", self.out, *words
        )

    @property
    def numbers(self) -> dict[str, Any]:
        return dict(json.loads((self.out / "validate.json").read_text()))

    @property
    def page(self) -> str:
        return (self.out / "validate.html").read_text("utf-8")


@pytest.fixture
def on_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> OnSet:
    return OnSet(tmp_path, capsys)


def test_a_model_is_measured_on_a_labelled_set_from_files_to_page(
    on_set: OnSet, server: Loopback
) -> None:
    ended = on_set(*of_server(server))

    numbers = on_set.numbers
    figures = numbers["whole"]["estimates"]
    assert ended.exit_code == 0
    assert numbers["schema"] == "reviewscore.validate_on/1"
    assert numbers["complete"]
    assert (figures["sensitivity"]["value"], figures["sensitivity"]["n"]) == (1.0, 3)
    assert (figures["specificity"]["value"], figures["specificity"]["n"]) == (1.0, 2)
    assert [group["group"] for group in numbers["baselines"]] == ["flag all", "a coin"]
    assert ended.stdout.startswith(
        "Measured on BAMBOO (SenHallu, AbsHallu): 5 remarks about 2 papers. This judge flags "
        "100.0 % [34.2, 100.0] of altered statements and 0.0 % [0.0, 65.8] of true statements. "
    )
    assert "do not act on its flags" in ended.stdout  # two papers cannot tell
    assert len(read_manifest(on_set.out).inputs) == 2 + 1


def test_the_page_never_calls_labelled_remarks_planted(on_set: OnSet, server: Loopback) -> None:
    on_set(*of_server(server))

    assert "planted" not in on_set.page.lower()
    assert "flag all" in on_set.page
    assert "MIT" in on_set.page
    assert "a model may have been trained on it" in on_set.page


def test_parts_of_a_set_have_figures_of_their_own(
    on_set: OnSet, tmp_path: Path, server: Loopback
) -> None:
    second = tmp_path / "abshallu.jsonl"
    second.write_text(on_set.file.read_text().splitlines()[2] + "\n")

    on_set(second, *of_server(server))

    parts = {part["group"]: part for part in on_set.numbers["parts"]}
    assert {name: part["fair"] for name, part in parts.items()} == {
        "abshallu": 1, "senhallu": 2
    }  # fmt: skip
    assert parts["abshallu"]["estimates"]["f1"]["value"] is None
    assert "abshallu" in on_set.page


def test_what_was_planted_for_the_same_judge_stands_beside(
    on_set: OnSet, tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Loopback
) -> None:
    Verb(tmp_path, capsys)(*of_server(server))

    on_set(*of_server(server))

    numbers = on_set.numbers
    assert numbers["planted"]["items"] == 5
    assert numbers["planted_alike"]
    text = (on_set.out / "validate.md").read_text()
    (row,) = [line for line in text.splitlines() if line.startswith("| Planted")]
    assert "100.0 %" in row
    assert "the same judge on 5 planted points of 2 papers" in text


def test_nothing_is_kept_of_the_judge_for_later_runs(on_set: OnSet) -> None:
    on_set()

    assert latest_validation(resolve({}).settings) is None


def test_the_embedded_judge_has_shares_addressed_and_no_recall(on_set: OnSet) -> None:
    ended = on_set()

    numbers = on_set.numbers
    assert ended.exit_code == 0
    assert [*numbers["whole"]["estimates"]] == [
        "addressed_misinformed", "addressed_fair", "difference", "verdicts"
    ]  # fmt: skip
    assert numbers["baselines"] == []
    assert "recall is not measured" in on_set.page
    assert "It judges no truth" in ended.stdout


def test_the_same_command_again_asks_nothing_more(on_set: OnSet, server: Loopback) -> None:
    on_set(*of_server(server))
    asked, first = len(server.bodies), on_set.numbers

    on_set(*of_server(server))

    assert len(server.bodies) == asked
    assert on_set.numbers["whole"] == first["whole"]


def test_no_prompt_names_the_set_or_a_truth(on_set: OnSet, server: Loopback) -> None:
    on_set(*of_server(server))

    prompts = json.dumps(server.bodies).lower()
    assert not any(word in prompts for word in ("bamboo", "senhallu", "hypothesis", "altered"))


def test_two_runs_on_a_labelled_set_are_not_compared_as_planted_ones(
    on_set: OnSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    on_set()

    ended = invoker("compare", capsys)(on_set.out, on_set.out, "-o", tmp_path / "both")

    assert ended.exit_code == 2
    assert "is no validation with planted points" in ended.stderr


def test_replies_from_a_folder_are_waited_for(on_set: OnSet, tmp_path: Path) -> None:
    model = ("--model", f"exchange:{tmp_path / 'ex'}", "--score", "base")

    stopped = on_set(*model)

    assert stopped.exit_code == 4
    assert on_set.numbers["states"] == {"pending": [3, 2]}
    assert "Not everything was judged" in on_set.page
    while answer(tmp_path / "ex"):
        ended = on_set(*model)
    assert ended.exit_code == 0
    assert on_set.numbers["whole"]["estimates"]["sensitivity"]["n"] == 3


def test_questions_are_judged_as_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Loopback
) -> None:
    file = published_qasper(tmp_path / "q.json", [False], [True], [True, False])

    ended = invoker("validate", capsys)(
        file, "--on", "qasper", "-o", tmp_path / "on", *of_server(server)
    )

    numbers = json.loads((tmp_path / "on" / "validate.json").read_text())
    points = (tmp_path / "on" / "points.jsonl").read_text().splitlines()
    assert ended.exit_code == 0
    assert {json.loads(point)["type"] for point in points} == {"question"}
    assert numbers["excluded"] == {"labels differ": 1}
    assert "labels differ" in (tmp_path / "on" / "validate.html").read_text("utf-8")


def test_a_dry_run_asks_nothing(on_set: OnSet, server: Loopback) -> None:
    ended = on_set(*of_server(server), "--dry-run")

    assert ended.exit_code == 0
    assert "5 points" in ended.stdout
    assert server.bodies == []
    assert not on_set.out.exists()


def test_lines_that_cannot_be_used_are_said_and_counted(on_set: OnSet) -> None:
    with on_set.file.open("a") as file:
        file.write("{}\n" * 5)

    ended = on_set()

    assert ended.exit_code == 0
    assert "left out: 2 more" in ended.stderr
    assert len(on_set.numbers["left_out"]) == 5


@pytest.mark.parametrize(
    "words",
    [
        ("--on", "bamboo", "--items", "x"),
        ("--items", "x", "--mapping", "y"),
        ("--on", "bamboo", "--also", "injections"),
    ],
)
def test_flags_of_planted_remarks_and_of_sets_do_not_mix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    ended = invoker("validate", capsys)(tmp_path, "-o", tmp_path / "on", *words)

    assert ended.exit_code == 2
    assert "--items, --also, --writer and --confirmer go without --on" in ended.stderr
