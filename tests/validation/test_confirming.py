"""From what confirmers reply about two versions to the truths of a remark."""

from __future__ import annotations

import pytest

from reviewscore.schema.planted_point import Confirmation, Stratum
from reviewscore.validation.confirming import ConfirmReply, decided, versions_of, with_confirmations
from tests.validation.invented import TEXT, paper, passage, point, span

SEEDS = "Five seeds were run for each harbour."
YES, DOUBT, NO = Confirmation


def reply(answered: str, *passages: str) -> ConfirmReply:
    return ConfirmReply.model_validate(
        {"reasoning": "Read.", "answered": answered, "passages": list(passages)}
    )


@pytest.mark.parametrize(
    ("whole", "cut", "misinformed", "fair"),
    [
        (reply("yes", SEEDS), reply("no"), YES, YES),
        (reply("yes"), reply("no"), DOUBT, YES),  # without a passage nobody can see it
        (reply("yes", "Seven seeds were run for each."), reply("no"), DOUBT, YES),
        (reply("partly", SEEDS), reply("no"), DOUBT, YES),
        (reply("foreign"), reply("no"), DOUBT, YES),
        (reply("no"), reply("no"), NO, YES),
        (reply("yes", SEEDS), reply("partly", "Harbours need forecasts."), YES, DOUBT),
        (reply("yes", SEEDS), reply("yes", "Harbours need forecasts."), YES, NO),
        (reply("yes", SEEDS), reply("yes", SEEDS), YES, DOUBT),  # it is not there any more
        (reply("yes", SEEDS), reply("foreign"), YES, NO),
    ],
)
def test_a_truth_is_confirmed_by_what_can_be_seen(
    whole: ConfirmReply, cut: ConfirmReply, misinformed: Confirmation, fair: Confirmation
) -> None:
    versions = versions_of(point(), paper(), None)

    said = decided(point(), versions, whole, cut)

    assert (said.misinformed, said.fair) == (misinformed, fair)


def test_what_still_answers_is_named_at_its_place_in_the_whole_paper() -> None:
    item = point()
    left = "One forecast takes 41 ms on a laptop."

    said = decided(
        item, versions_of(item, paper(), None), reply("yes", SEEDS), reply("partly", left)
    )

    assert [TEXT[one.start : one.end] for one in said.remaining] == [left]


@pytest.mark.parametrize(
    ("here", "there", "misinformed", "fair"),
    [
        ("foreign", "no", YES, YES),
        ("yes", "no", YES, YES),
        ("partly", "no", DOUBT, YES),
        ("no", "no", NO, YES),
        ("foreign", "partly", YES, DOUBT),
        ("foreign", "foreign", YES, NO),
    ],
)
def test_a_remark_about_another_paper_is_foreign_here_and_fair_there(
    here: str, there: str, misinformed: Confirmation, fair: Confirmation
) -> None:
    item = point(form="another_paper", fair_about="moods", passages=[], cuts=[], decoys=[])
    other = paper(TEXT.replace("tides", "moods"))

    said = decided(item, versions_of(item, paper(), other), reply(here), reply(there))

    assert (said.misinformed, said.fair, said.remaining) == (misinformed, fair, ())


@pytest.mark.parametrize(
    ("changes", "stratum"),
    [
        ({}, Stratum.PLAIN),
        ({"form": "hedged"}, Stratum.HARD),
        ({"passages": [passage("The seeds are 3, 5 and 8.", "appendix")],
          "cuts": [span("The seeds are 3, 5 and 8.")]}, Stratum.HARD),
        ({"passages": [passage("The seeds are 3, 5 and 8.", "table")],
          "cuts": [span("The seeds are 3, 5 and 8.")]}, Stratum.HARD),
        ({"passages": [passage(SEEDS), passage("The seeds are 3, 5 and 8.", "appendix")]},
         Stratum.PLAIN),
    ],
)  # fmt: skip
def test_plain_is_what_is_neither_hedged_nor_in_the_appendix_alone(
    changes: dict[str, object], stratum: Stratum
) -> None:
    item = point(stratum="hard", confirmed=None, verifier=None, verifier_kind=None, **changes)
    sure = decided(item, versions_of(item, paper(), None), reply("yes", SEEDS), reply("no"))

    made = with_confirmations(item, paper(), [sure, sure], ["openai/gpt-5", "x/qwen3"])

    assert made.stratum is stratum
    assert (made.verifier, made.verifier_family) == ("V1", "GPT")
    assert made.also_confirmed is not None
    assert (made.also_confirmed.verifier, made.also_confirmed.verifier_family) == ("V2", "Qwen")
    assert type(made).model_validate_json(made.model_dump_json(by_alias=True)) == made
