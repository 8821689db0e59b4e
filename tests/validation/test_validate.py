"""The verb: from papers and planted points to a page, and what later runs say of the judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reviewscore as rs
from reviewscore.config import resolve
from reviewscore.report.lines import summary_lines
from reviewscore.report.markdown import markdown_report
from reviewscore.runs.folder import read_manifest
from reviewscore.runs.unvalidated import latest_validation
from reviewscore.validation.page import cost_row
from tests.answering import answer
from tests.commands import Ended, invoker
from tests.conftest import ROOT
from tests.loopback import Loopback
from tests.validation.invented import set_of_two_papers

EXAMPLES = ROOT / "examples"


class Verb:
    """The verb on two invented papers."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], **changes: Any) -> None:
        self.papers, self.items = set_of_two_papers(folder, **changes)
        self.out, self._capsys = folder / "trust", capsys

    def __call__(self, *words: object) -> Ended:
        named = (self.papers, "--items", self.items, "-o", self.out)
        return invoker("validate", self._capsys)(*named, *words)

    @property
    def numbers(self) -> dict[str, Any]:
        return dict(json.loads((self.out / "validate.json").read_text()))

    def plain(self) -> dict[str, Any]:
        return dict(self.numbers["sections"][0]["groups"][0]["estimates"])


@pytest.fixture
def verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Verb:
    return Verb(tmp_path, capsys)


def of_server(server: Loopback) -> tuple[str, ...]:
    return ("--model", "openai/loop", "--base-url", server.url, "--score", "base")


def test_the_embedded_judge_is_measured_from_papers_to_page(verb: Verb) -> None:
    ended = verb()

    plain = verb.plain()
    assert ended.exit_code == 0
    assert ended.stdout.startswith(
        "Measured with 5 planted points of 2 papers. The evidence finder shows the answer to "
    )
    assert plain["first_5"]["n"] == plain["addressed_whole"]["n"] == 5
    assert plain["first_5"]["value"] >= 0.6
    assert "sensitivity" not in plain
    assert verb.numbers["states"] == {"finding": [6, 6]}
    page = (verb.out / "validate.html").read_text("utf-8")
    assert "Can this judge be trusted here?" in page
    assert "these figures bound trust from above" in page
    assert page.count('class="picture"') == 1  # it gives no probability and no score
    assert page.index('class="picture"') < page.index("What came of each remark")


def test_a_model_is_measured_through_the_pipeline_of_an_audit(verb: Verb, server: Loopback) -> None:
    ended = verb(*of_server(server))

    numbers, plain = verb.numbers, verb.plain()
    assert ended.exit_code == 0
    assert numbers["complete"]
    # The scripted model finds the answer where it stands, and another sentence where it is cut.
    assert plain["sensitivity"]["value"] == 1.0
    assert plain["specificity"]["value"] == 1.0
    assert plain["quote_precision"]["value"] == 1.0
    assert (plain["area"]["value"], plain["difference"]["value"]) == (1.0, 1.0)
    assert "finds 100.0 %" in ended.stdout
    assert read_manifest(verb.out).decisive["model"] == "openai/loop"
    prompts = json.dumps(server.bodies)
    assert not any(word in prompts for word in ("item.0", "planted", "whole version"))


def test_no_prompt_names_a_review_or_a_version(verb: Verb, server: Loopback) -> None:
    verb(*of_server(server))

    prompts = json.dumps(server.bodies)
    points = [json.loads(line) for line in (verb.out / "points.jsonl").read_text().splitlines()]
    names = {point[key] for point in points for key in ("review_id", "paper_id")}
    assert len(names) == 4 + 4
    assert not any(name in prompts for name in names)


def test_the_same_command_again_asks_nothing_more(verb: Verb, server: Loopback) -> None:
    verb(*of_server(server))
    asked, first = len(server.bodies), verb.numbers

    verb(*of_server(server))

    assert len(server.bodies) == asked
    assert verb.numbers["sections"] == first["sections"]


def test_replies_from_a_folder_are_waited_for_and_what_waits_is_in_no_figure(
    verb: Verb, tmp_path: Path
) -> None:
    model = ("--model", f"exchange:{tmp_path / 'ex'}", "--score", "base")

    stopped = verb(*model)

    assert stopped.exit_code == 4
    assert verb.numbers["states"] == {"pending": [6, 6]}
    assert not verb.numbers["complete"]
    assert verb.numbers["record"]["sentence"] == "Nothing was judged."
    assert 'class="picture"' not in (verb.out / "validate.html").read_text("utf-8")
    while answer(tmp_path / "ex"):
        ended = verb(*model)
    assert ended.exit_code == 0
    assert verb.plain()["sensitivity"]["n"] == 5


def test_a_dry_run_asks_nothing_and_counts_both_versions(verb: Verb, server: Loopback) -> None:
    ended = verb(*of_server(server), "--dry-run")

    assert ended.exit_code == 0
    assert "12 points" in ended.stdout
    assert server.bodies == []
    assert not verb.out.exists()


def test_a_folder_with_papers_and_planted_points_is_enough(
    verb: Verb, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    validate = invoker("validate", capsys)

    ended = validate(tmp_path, "-o", verb.out)
    refused = validate(verb.papers, "-o", tmp_path / "other")

    assert ended.exit_code == 0
    assert "Measured with 5 planted points of 2 papers." in ended.stdout
    assert refused.exit_code == 2
    assert "no planted points are given" in refused.stderr
    assert "--items" in refused.stderr


def test_points_that_cannot_be_used_are_named_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verb = Verb(tmp_path, capsys)
    lines = verb.items.read_text().splitlines()
    verb.items.write_text("\n".join([lines[0].replace('"reefs"', '"seals"'), "{}", *lines[1:]]))

    ended = verb()

    assert ended.exit_code == 0
    assert "there is no paper 'seals'" in ended.stderr
    assert "planted.jsonl:2" in ended.stderr
    assert len(verb.numbers["left_out"]) == 2


def test_later_audits_and_reports_say_the_latest_validation(
    verb: Verb, server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    verb(*of_server(server))

    ended = invoker("audit", capsys)(str(EXAMPLES), "-o", "run", "--limit", "1", *of_server(server))

    words = "with 5 planted points of 2 papers: this judge finds 100.0 %"
    assert words in ended.stdout
    assert "no validation" not in ended.stdout + ended.stderr
    kept = read_manifest(Path("run")).validation
    assert kept is not None
    assert kept.judge == "openai/loop"
    assert words in Path("run/report.html").read_text("utf-8")
    assert "with 5 planted points" in markdown_report(Path("run"))


def test_a_run_with_other_settings_says_so(verb: Verb, server: Loopback) -> None:
    verb(*of_server(server), "--protocol", "economy")

    run = rs.audit(EXAMPLES, "run", limit=1, model="openai/loop", base_url=server.url, score="base",
                   protocol="paper")  # fmt: skip

    assert run.summary.validation is not None
    assert "of 2 papers, with other settings: this judge finds" in run.summary.validation


def test_the_embedded_judge_says_its_validation_or_that_there_is_none(verb: Verb) -> None:
    before = summary_lines(rs.audit(EXAMPLES, "before").summary)
    verb()
    after = summary_lines(rs.audit(EXAMPLES, "after").summary)

    assert [line for line in before if line.startswith("no validation of lexical")]
    assert [line for line in after if "the evidence finder shows the answer to" in line]
    assert not [line for line in after if line.startswith("no validation")]
    assert not [line for line in after if "misinformed" in line]  # it judges no truth


def test_a_selection_is_no_validation(verb: Verb) -> None:
    verb("--limit", 1)

    numbers = verb.numbers
    assert not numbers["complete"]
    assert sum(numbers["states"]["pending"]) > 0
    assert latest_validation(resolve({}).settings) is None


def test_figures_of_records_that_something_else_changed_are_doubted_and_not_kept(
    verb: Verb,
) -> None:
    verb()
    kept = latest_validation(resolve({}).settings)
    points = verb.out / "points.jsonl"
    points.write_text("".join(points.read_text().splitlines(keepends=True)[1:]))

    refused, ended = verb(), verb("--accept-changed")

    assert (refused.exit_code, ended.exit_code) == (2, 0)
    assert verb.numbers["changed"] == ["points.jsonl"]
    assert "points.jsonl" in (verb.out / "validate.html").read_text("utf-8")
    assert latest_validation(resolve({}).settings) == kept


def test_a_purge_removes_the_page_with_the_run(
    verb: Verb, capsys: pytest.CaptureFixture[str]
) -> None:
    verb()

    invoker("purge", capsys)(verb.out, "--yes")

    assert not verb.out.exists()


def test_points_for_another_text_and_a_file_without_points_are_refused(verb: Verb) -> None:
    verb.papers.write_text(verb.papers.read_text().replace("shrimps", "prawns"))
    lines = verb.items.read_text().splitlines()
    verb.items.write_text(
        "\n".join(line for line in lines if json.loads(line)["paper_id"] == "reefs")
    )

    ended = verb()

    assert ended.exit_code == 2
    assert "is not the one that 'item." in ended.stderr
    verb.items.write_text("")
    assert verb().exit_code == 2


def test_the_same_remarks_are_asked_in_other_ways(verb: Verb, server: Loopback) -> None:
    before = (verb(*of_server(server)), verb.plain())[1]

    dry = verb(*of_server(server), "--also", "injections", "--also", "positions", "--dry-run")
    refused = verb(*of_server(server), "--also", "injections")

    assert dry.exit_code == 0
    assert "24 points" not in dry.stdout
    assert refused.exit_code == 2  # a folder holds one run; others go beside it
    verb.out = verb.out.with_name("otherwise")
    assert verb(*of_server(server), "--also", "injections", "--also", "positions").exit_code == 0
    assert verb.plain() == before
    rows = {row["variation"]: row["estimates"] for row in verb.numbers["variations"]}
    assert {"injected into the paper", "injected into the remark", "answer at the start"} <= set(
        rows
    )
    assert rows["answer at the start"]["sensitivity"]["value"] == 1.0
    assert rows["injected into the paper"]["followed"]["value"] == 0.0
    page = (verb.out / "validate.html").read_text("utf-8")
    assert "The same remarks asked in other ways" in page


def test_what_is_said_of_invented_papers_is_not_repeated_by_later_audits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verb = Verb(tmp_path, capsys, source="examples/validate")

    ended = verb()

    assert "later audits and reports do not repeat it" in ended.stderr
    assert latest_validation(resolve({}).settings) is None


def test_the_cost_of_a_remark_is_said_of_calls_that_were_all_new() -> None:
    assert cost_row(3.0, 1500, 40, 0) == ("cost per 1,000 remarks", "$2.00")
    assert cost_row(0.0, 80, 0, 164) == (
        "cost of judging",
        "$0.00 for 0 new calls; 164 were at hand",
    )


def test_variations_are_set_against_trials_of_the_same_stratum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Loopback
) -> None:
    verb = Verb(tmp_path, capsys)
    lines = [json.loads(line) for line in verb.items.read_text().splitlines()]
    lines[0]["stratum"] = "hard"
    verb.items.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    verb(*of_server(server), "--also", "injections")

    rows = {row["variation"]: row["trials"] for row in verb.numbers["variations"]}
    assert rows["injected into the paper"] == 2 * 4
