"""Two judges on the same planted points: paired differences, who is right, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reviewscore.errors import ReviewScoreError, RunFolderError, SettingsError
from reviewscore.pages.figures import html, markdown
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import ONE_PAPER
from reviewscore.validation.comparison import (
    ValidationComparison,
    compare_validations,
    validations_named,
)
from reviewscore.validation.comparison_page import _weighed, comparison_page, sentence, tidy
from reviewscore.validation.figures import ANOTHER_PAPER, PlantedValidation
from reviewscore.validation.judgments import JudgedTrial, TrialState
from tests.commands import invoker
from tests.loopback import Loopback
from tests.validation.invented import passage, set_of_two_papers
from tests.validation.judged import judged, quote, score, trial, validation

HOW = Resampling(200, 0, "papers")


def pairs(hits: Sequence[bool | None], alarms: Sequence[bool | None]) -> list[JudgedTrial]:
    """Trials of points on five papers, by whether the judge flags them in either version."""
    return [
        judged(flag, misinformed=misinformed, paper=f"p{n % 5}", item=str(n))
        for misinformed, flags in ((True, hits), (False, alarms))
        for n, flag in enumerate(flags)
    ]


def first_right(right: int, of: int) -> list[bool]:
    return [n < right for n in range(of)]


@pytest.fixture
def compared(tmp_path: Path) -> Any:
    def compare(first: Any, second: Any) -> ValidationComparison:
        for name, given in (("a", first), ("b", second)):
            made = given if isinstance(given, PlantedValidation) else validation(given, judge=name)
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / "validate.json").write_text(made.model_dump_json())
        return compare_validations(tmp_path / "a", tmp_path / "b", HOW)

    return compare


def test_shares_are_of_trials_on_which_both_have_a_verdict(compared: Any) -> None:
    found = compared(
        pairs([True, False, None, True], [False, False, True, True]),
        pairs([True, True, True, False], [False, None, False, True]),
    )

    values = {
        name: (one.value, one.n) for name, one in found.sections[0].groups[0].estimates.items()
    }
    assert values["sensitivity_first"] == (pytest.approx(2 / 3), 3)
    assert values["sensitivity_second"] == (pytest.approx(2 / 3), 3)
    assert values["sensitivity"] == (pytest.approx(0.0), 3)
    assert values["specificity"] == (pytest.approx(1 / 3), 3)
    assert values["verdicts"] == (pytest.approx(0.0), 8)
    misinformed, fair = found.right
    assert (misinformed.both, misinformed.only_first, misinformed.only_second) == (1, 1, 1)
    assert (misinformed.neither, misinformed.unknown) == (0, 1)
    assert (fair.both, fair.only_first, fair.only_second, fair.neither, fair.unknown) == (
        1, 0, 1, 1, 1
    )  # fmt: skip


def test_the_area_is_of_trials_with_both_scores(compared: Any) -> None:
    found = compared(pairs([True, False], [True, False]), pairs([True, True], [False, None]))

    head = found.sections[0].groups[0].estimates
    assert head["area_first"].value == pytest.approx((0.5 + 0) / 2)
    assert head["area_second"].value == pytest.approx(1.0)
    assert head["area"].value == pytest.approx(0.75)
    assert head["area"].n == 3


def test_quote_precision_is_of_the_passages_that_each_gives(compared: Any) -> None:
    def of(*shifts: int) -> list[JudgedTrial]:
        return [
            JudgedTrial(
                trial(id=str(n), paper_id=f"p{n}"), TrialState.VERDICT,
                (score(True, evidence=tuple(map(quote, shifts))),),
            )
            for n in range(3)
        ]  # fmt: skip

    head = compared(of(0, 9_000), of(0)).sections[0].groups[0].estimates

    values = [head[f"quote_precision{side}"].value for side in ("_first", "_second", "")]
    assert values == [pytest.approx(0.5), pytest.approx(1.0), pytest.approx(0.5)]
    assert head["quote_precision"].n == 6 + 3
    assert head["quote_precision"].low is None  # all papers differ alike


def test_points_that_one_judge_alone_has_are_left_out_and_counted(compared: Any) -> None:
    found = compared(pairs([True] * 6, [False] * 6), pairs([True] * 4, [False] * 4))

    assert (found.points, found.trials, found.only_first, found.only_second) == (4, 8, 2, 0)
    assert "Left out: 2 planted points that only A has" in markdown(comparison_page(found))


def test_what_waits_is_in_no_figure(compared: Any) -> None:
    waiting = [
        JudgedTrial(one.trial, TrialState.PENDING, ()) if one.trial.point.id == "0" else one
        for one in pairs([True] * 3, [False] * 3)
    ]

    found = compared(pairs([True] * 3, [False] * 3), validation(waiting, complete=False))

    assert (found.trials, found.pending) == (4, 2)
    assert "B has not judged everything" in markdown(comparison_page(found))


def test_other_versions_of_a_paper_are_no_pair(compared: Any) -> None:
    theirs = validation(pairs([True] * 3, [False] * 3))
    other = [
        one.model_copy(update={"version": "elsewhere"}) if one.item == "0" else one
        for one in theirs.trials
    ]

    found = compared(
        pairs([True] * 3, [False] * 3), theirs.model_copy(update={"trials": tuple(other)})
    )

    assert (found.trials, found.other_version) == (4, 2)


def test_one_paper_gives_no_interval(compared: Any) -> None:
    one = [judged(flag, misinformed=True, item=str(n)) for n, flag in enumerate([True, False])]
    fair = [judged(flag, misinformed=False, item=str(n)) for n, flag in enumerate([True, False])]

    head = compared([*one, *fair], [*reversed(one), *fair]).sections[0].groups[0].estimates

    for name in ("sensitivity", "specificity", "area"):
        assert head[name].low is None
        assert head[name].reason == ONE_PAPER


def test_forms_and_places_of_too_few_points_are_named_and_not_compared(compared: Any) -> None:
    deep = {"passages": [passage("Nothing is left to prove.", "appendix")], "form": "denial"}
    foreign = {"form": "another_paper", "fair_about": "moons", "cuts": [], "decoys": [],
               "passages": []}  # fmt: skip
    rows = [
        *pairs([True] * 10, [False] * 10),
        *(judged(True, misinformed=mis, item="deep", **deep) for mis in (True, False)),
        *(judged(True, misinformed=mis, item="foreign", **foreign) for mis in (True, False)),
    ]

    strata, form, place = (found := compared(rows, rows)).sections

    assert [one.group for one in strata.groups] == ["plain", ANOTHER_PAPER]
    assert [one.group for one in form.groups] == ["question"]
    assert [one.group for one in place.groups] == ["main"]
    assert found.small == {"form": ("denial", "another_paper"), "place": ("appendix",)}
    page = markdown(comparison_page(found))
    assert "denial, about another paper" in page
    assert "appendix alone" in page


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ((10, 0), (18, 0), "points more ["),
        ((18, 0), (10, 0), "points fewer ["),
        ((18, 0), (18, 12), "it flags 60.0 points more ["),
        ((11, 0), (18, 12), "is yours to weigh"),
        ((15, 2), (15, 2), "nothing here speaks for one of them"),
        ((10, 10), (10, 10), "of neither is it shown that it can tell the two apart"),
        ((10, 10), (20, 0), "of a it is not shown that it can tell the two apart"),
        ((0, 0), (20, 0), "b finds 100.0 points more of planted misinformed remarks than a"),
    ],
)  # fmt: skip
def test_the_sentence_says_who_is_better_and_what_to_do(
    compared: Any, first: tuple[int, int], second: tuple[int, int], words: str
) -> None:
    sides = [
        pairs(first_right(hits, 20), [n >= 20 - alarms for n in range(20)])
        for hits, alarms in (first, second)
    ]

    assert words in sentence(compared(*sides)).lower()


def test_no_difference_that_is_shown_is_not_said_to_be_none(compared: Any) -> None:
    rows = pairs(first_right(15, 20), [n >= 18 for n in range(20)])

    words = sentence(compared(rows, rows))

    assert "not shown to find more or fewer" in words
    assert "no difference is shown in fair ones" in words
    assert "alike" not in words


def of(**changes: Any) -> PlantedValidation:
    return validation(pairs([True] * 3, [False] * 3), **changes)


def renamed(field: str, value: object) -> PlantedValidation:
    made = of()
    trials = tuple(one.model_copy(update={field: value}) for one in made.trials)
    return made.model_copy(update={"trials": trials})


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (of(items="2" * 64), "other planted points"),
        (of(seed=7), "with --seed 0 for both"),
        (of(embedded=True), "gives no verdict"),
        (renamed("paper_id", "elsewhere"), "share no paper"),
        (renamed("version", "elsewhere"), "no trial in common"),
    ],
)
def test_validations_that_are_not_of_the_same_trials_are_refused(
    compared: Any, other: PlantedValidation, words: str
) -> None:
    with pytest.raises(SettingsError, match=words):
        compared(of(), other)


def test_another_truth_in_the_same_version_is_a_fault(compared: Any) -> None:
    made = of()
    turned = (one.model_copy(update={"misinformed": not one.misinformed}) for one in made.trials)

    with pytest.raises(RunFolderError, match="another truth"):
        compared(made, made.model_copy(update={"trials": tuple(turned)}))


def test_numbers_that_are_no_validation_are_refused_with_file_field_and_cure(
    compared: Any, tmp_path: Path
) -> None:
    compared(of(), of())
    file = tmp_path / "a" / "validate.json"
    numbers = json.loads(file.read_text())
    del numbers["trials"][2]["version"]
    file.write_text(json.dumps(numbers))

    with pytest.raises(ReviewScoreError, match=r"validate\.json: trials\.2\.version: .*again"):
        compare_validations(tmp_path / "a", tmp_path / "b", HOW)


def test_a_validation_and_a_run_are_not_compared(tmp_path: Path) -> None:
    (tmp_path / "validate.json").write_text("{}")
    (tmp_path / "run").mkdir()

    assert validations_named(tmp_path, tmp_path / "validate.json")
    assert not validations_named(tmp_path / "run", tmp_path / "nowhere")
    with pytest.raises(SettingsError, match=r"run is none.*run `validate` by the judge of"):
        validations_named(tmp_path / "run", tmp_path)


def test_numbers_of_the_page_are_rows_and_are_drawn(compared: Any) -> None:
    found = compared(pairs([True] * 5, [False] * 5), pairs([True, False] * 5, [False] * 10))

    lines = tidy(found).splitlines()
    assert lines[0].startswith("table,group,measure,kind,value")
    assert any(line.startswith("strata,plain,sensitivity,difference,-0.") for line in lines)
    assert any(line.startswith("strata,plain,area_first,coefficient,1.0") for line in lines)
    page = html(comparison_page(found))
    assert page.index('class="picture"') < page.index("Each judge on the same remarks")


def test_two_models_are_compared_from_their_folders(
    tmp_path: Path, server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    papers, items = set_of_two_papers(tmp_path)
    for name in ("one", "two"):
        model = ("--model", f"openai/{name}", "--base-url", server.url, "--score", "base")
        invoker("validate", capsys)(papers, "--items", items, "-o", tmp_path / name, *model)
    compare = invoker("compare", capsys)

    ended = compare(tmp_path / "one", tmp_path / "two" / "validate.json", "-o", tmp_path / "out")

    assert ended.exit_code == 0
    assert "A is openai/one" in ended.stdout
    assert "both judged 6 planted points of 2 papers" in ended.stdout
    numbers = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert numbers["schema"] == "reviewscore.compare_validations/1"
    assert (numbers["trials"], numbers["first"]["place"], numbers["second"]["place"]) == (
        12, "one", "two"
    )  # fmt: skip
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {
        ".html", ".md", ".csv", ".json"
    }  # fmt: skip
    refused = compare(tmp_path / "one", tmp_path / "two", "--unpaired")
    assert refused.exit_code == 2
    assert "trial by trial" in refused.stderr


@pytest.mark.parametrize(
    ("hits", "kept", "given", "words"),
    [
        (1, 0, 0, "Use B."),
        (0, -1, 0, "Use A."),
        (0, 1, 1, "Use B."),
        (0, 1, -1, "A gives a verdict more often, which the shares above leave out"),
        (1, -1, 0, "finding or sparing"),
        (0, 0, 1, "B gives a verdict more often; where both do"),
        (0, 0, 0, "Nothing here speaks for one of them"),
    ],
)
def test_no_judge_is_advised_that_is_better_only_where_it_speaks(
    hits: int, kept: int, given: int, words: str
) -> None:
    assert words in _weighed(hits, kept, given)
