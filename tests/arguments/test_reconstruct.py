"""The loop of the reconstruction, with judges that follow a script."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

import pytest

from reviewscore.arguments import reconstruct as loop
from reviewscore.arguments.reconstruct import reconstruct, verbatim
from reviewscore.errors import BadReplyError, InputError
from reviewscore.schema.argument import (
    ArgumentState,
    Draft,
    Extraction,
    Faithfulness,
    Premise,
    Round,
    Streamlined,
)
from reviewscore.schema.paper import Paper
from reviewscore.schema.proof import Proof, Validity
from reviewscore.schema.review import ReviewPoint
from reviewscore.schema.verdict import Provenance
from tests.conftest import make_point

TEXT = "The counts are not convincing, because  rain\nwas left out."
POINT = make_point(TEXT)
PAPER = Paper(paper_id="frogs", title="Frogs", text="")


def stage(name: str) -> tuple[Provenance, ...]:
    return (Provenance(stage=name, judge="fake"),)


def draft(premises: list[str], conclusion: str) -> Draft:
    return Draft(
        premises=tuple(
            Premise(premise_id="P1", text=f"draft of {one}", formula=one, explicit=number == 0)
            for number, one in enumerate(premises)
        ),
        conclusion="drafted conclusion",
        conclusion_formula=conclusion,
        keys={"Rain": "rain was left out", "Weak": "the counts are weak", "Sun": "the sun shone"},
        proof="modus ponens",
        provenance=stage("draft"),
    )


VALID = draft(["Rain", "Sun", "Rain -> Weak"], "Weak")
ILL_FORMED = draft(["Rain &"], "Weak")
INVALID = draft(["Rain"], "Weak")
CIRCULAR = draft(["Rain", "Weak"], "Weak")
INCONSISTENT = draft(["Rain", "-Rain"], "Weak")
TAUTOLOGY = draft(["Rain"], "Weak | -Weak")
ILL_TYPED = draft(["Rain", "Snow"], "Weak")
NESTED = draft(["Rain", "Rain -> (Weak & (Sun -> Weak))"], "Weak")

EXTRACTION = Extraction(conclusion="counts are not convincing", reasons=("rain was left out",))


@dataclass
class Fake:
    """Judges that give drafts and verdicts in turn; the last draft is repeated."""

    drafts: list[Draft]
    verdicts: list[Faithfulness] = field(default_factory=list)
    extraction: Extraction = EXTRACTION
    name: str = "fake"
    version: str | None = None
    repeats_itself: bool = False
    reads_responses: bool = True
    gives_scores: bool = True
    short: bool = False
    seen: list[Round | None] = field(default_factory=list)
    judged: list[tuple[tuple[str, ...], str]] = field(default_factory=list)

    async def extract_argument(self, point: ReviewPoint) -> Extraction:
        return self.extraction.model_copy(update={"provenance": stage("extract")})

    async def draft_argument(
        self, point: ReviewPoint, paper: Paper, extraction: Extraction, *, last: Round | None
    ) -> Draft:
        self.seen.append(last)
        return self.drafts[min(len(self.seen), len(self.drafts)) - 1]

    async def streamline(self, draft: Draft, needed: tuple[Premise, ...]) -> Streamlined:
        texts = [f"English of {premise.formula}" for premise in needed]
        return Streamlined(
            premises=tuple(texts[1:] if self.short else texts),
            conclusion="English of the conclusion",
            provenance=stage("streamline"),
        )

    async def faithfulness(
        self, point: ReviewPoint, premises: tuple[Premise, ...], conclusion: str
    ) -> Faithfulness:
        listed = tuple(f"{one.premise_id} {one.text}" for one in premises)
        self.judged.append((listed, conclusion))
        return self.verdicts.pop(0)

    async def _unasked(self, *_: object, **__: object) -> NoReturn:
        raise AssertionError("not part of the loop")

    propose_points = point_type = _unasked
    question_answerability = claim_factuality = premises_factuality = _unasked


YES = Faithfulness(faithful=True, rationale="as the reviewer wrote", provenance=stage("faithful"))
NO = Faithfulness(faithful=False, rationale="P1 is too strong", provenance=stage("faithful"))
UNASKED = Faithfulness(faithful=None)


async def test_each_failure_is_told_and_tried_again_until_the_argument_is_accepted() -> None:
    judges = Fake([ILL_FORMED, INVALID, CIRCULAR, INCONSISTENT, VALID, VALID], [NO, YES])

    argument = await reconstruct(POINT, PAPER, judges)

    assert argument.state is ArgumentState.ACCEPTED
    assert (argument.validity, argument.faithful) == (Validity.VALID, True)
    assert [one.number for one in argument.rounds] == [1, 2, 3, 4, 5, 6]
    told = ["could not be read", "does not follow", "circular", "contradict", "too strong", ""]
    for attempt, words in zip(argument.rounds, told, strict=True):
        assert words in attempt.feedback
    assert argument.rounds[-1].feedback == ""
    assert judges.seen == [None, *argument.rounds[:-1]]
    assert [one.finding.validity for one in argument.rounds[:4]] == [
        Validity.ILL_FORMED,
        Validity.INVALID,
        Validity.VALID,
        Validity.INCONSISTENT_PREMISES,
    ]
    assert [one.state.value for one in argument.rounds] == [
        "ill_formed",
        "invalid",
        "circular",
        "inconsistent",
        "unfaithful",
        "accepted",
    ]
    assert [one.faithful for one in argument.rounds] == [None] * 4 + [False, True]


async def test_an_accepted_argument_keeps_the_needed_premises_in_plain_english() -> None:
    judges = Fake([VALID], [YES])

    argument = await reconstruct(POINT, PAPER, judges)

    assert [(one.premise_id, one.text, one.needed) for one in argument.premises] == [
        ("P1", "Rain was left out.", True),
        ("P3", "If rain was left out, then the counts are weak.", True),
    ]
    assert argument.conclusion == "The counts are weak."
    assert judges.judged == [
        (
            ("P1 Rain was left out.", "P3 If rain was left out, then the counts are weak."),
            "The counts are weak.",
        )
    ]
    (attempt,) = argument.rounds
    assert [one.needed for one in attempt.premises] == [True, False, True]
    assert attempt.premises[1].text == "draft of Sun"
    assert [one.stage for one in attempt.provenance] == ["extract", "draft", "faithful"]


async def test_where_a_template_would_need_brackets_the_judges_write_the_english() -> None:
    judges = Fake([NESTED], [YES])

    argument = await reconstruct(POINT, PAPER, judges)

    assert [one.text for one in argument.premises] == [
        "English of Rain",
        "English of Rain -> (Weak & (Sun -> Weak))",
    ]
    assert argument.conclusion == "English of the conclusion"
    assert "streamline" in [one.stage for one in argument.rounds[0].provenance]


@pytest.mark.parametrize(
    ("last", "state"),
    [
        (ILL_FORMED, ArgumentState.ILL_FORMED),
        (INVALID, ArgumentState.INVALID),
        (CIRCULAR, ArgumentState.CIRCULAR),
        (INCONSISTENT, ArgumentState.INCONSISTENT),
        (TAUTOLOGY, ArgumentState.TAUTOLOGICAL),
        (ILL_TYPED, ArgumentState.ILL_TYPED),
    ],
)
async def test_when_rounds_run_out_the_last_attempt_has_its_true_state(
    last: Draft, state: ArgumentState
) -> None:
    argument = await reconstruct(POINT, PAPER, Fake([INVALID, last]), rounds=3)

    assert argument.state is state
    assert len(argument.rounds) == 3
    assert len(argument.premises) == len(last.premises)
    assert all(premise.needed is None for premise in argument.premises)
    assert argument.conclusion == "drafted conclusion"
    assert argument.rounds[-1].feedback == argument.rounds[-2].feedback
    assert [len(one.provenance) for one in argument.rounds] == [2, 1, 1]


async def test_an_argument_that_stays_unfaithful_is_not_accepted() -> None:
    argument = await reconstruct(POINT, PAPER, Fake([VALID], [NO, NO]), rounds=2)

    assert (argument.state, argument.validity) == (ArgumentState.UNFAITHFUL, Validity.VALID)
    assert argument.faithful is False
    assert len(argument.premises) == 2


async def test_a_solver_that_gives_up_leaves_the_argument_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gives_up = Proof(validity=Validity.UNKNOWN, reason="work")
    monkeypatch.setattr(loop.shared(), "prove", lambda *_, **__: gives_up)

    argument = await reconstruct(POINT, PAPER, Fake([VALID]), rounds=1)

    assert (argument.state, argument.validity) == (ArgumentState.UNKNOWN, Validity.UNKNOWN)
    assert "simpler" in argument.rounds[0].feedback


async def test_a_valid_argument_that_nobody_judged_is_done_and_says_so() -> None:
    argument = await reconstruct(POINT, PAPER, Fake([VALID], [UNASKED]))

    assert (argument.state, argument.faithful) == (ArgumentState.VALID_UNJUDGED, None)
    assert len(argument.rounds) == 1


async def test_judges_that_repeat_themselves_have_one_round() -> None:
    argument = await reconstruct(POINT, PAPER, Fake([INVALID, VALID], repeats_itself=True))

    assert argument.state is ArgumentState.INVALID
    assert len(argument.rounds) == 1


async def test_premises_with_the_same_id_are_all_proved() -> None:
    argument = await reconstruct(POINT, PAPER, Fake([INCONSISTENT]), rounds=1)

    assert [one.premise_id for one in argument.premises] == ["P1", "P2"]
    assert argument.state is ArgumentState.INCONSISTENT


async def test_english_for_too_few_premises_is_a_bad_reply() -> None:
    with pytest.raises(BadReplyError, match=r"2 premises .* 1 came back"):
        await reconstruct(POINT, PAPER, Fake([NESTED], short=True))


async def test_a_reconstruction_has_at_least_one_round() -> None:
    with pytest.raises(InputError, match="at least 1"):
        await reconstruct(POINT, PAPER, Fake([VALID]), rounds=0)


async def test_the_argument_keeps_the_reviewers_own_words() -> None:
    argument = await reconstruct(POINT, PAPER, Fake([VALID], [YES]))

    assert argument.verbatim_conclusion == "counts are not convincing"
    assert argument.verbatim_reasons == ("rain\nwas left out",)


def test_words_that_the_reviewer_did_not_write_are_dropped_or_replaced() -> None:
    made_up = Extraction(
        conclusion="The method is bad.",
        reasons=("it never rains (.*)", " ", "rain was  left out"),
        provenance=stage("extract"),
    )

    found = verbatim(made_up, POINT)

    assert found == Extraction(
        conclusion=TEXT, reasons=("rain\nwas left out",), provenance=stage("extract")
    )
