"""The loop of the reconstruction: judges that follow a script, feedback, the formulas prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

import pytest

from reviewscore import prompts
from reviewscore.arguments import reconstruct as loop
from reviewscore.arguments.reconstruct import feedback, infers, reconstruct, verbatim
from reviewscore.errors import BadReplyError, InputError
from reviewscore.logic.operators import SPELLINGS, WORDS, TokenKind
from reviewscore.logic.parser import parse
from reviewscore.logic.validity import prove
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


@pytest.mark.parametrize(
    ("premises", "conclusion", "expected"),
    [
        (["A & B | C", "A ->"], "A", ["- P1, column 7: ", "(A & B) | ...", "- P2, column 5: "]),
        (["A", "B\n& (C"], "A &", ["- P2, line 2, column 3: ", "- the conclusion, column 4: "]),
        (["A", "B", "-A"], "C", ["premises P1, P3 contradict each other"]),
        (["A & -A"], "C", ["Premise P1 contradicts itself"]),
        (["A"], "B | -B", ["true by logic alone"]),
        (["A"], "-A", ["prove the opposite", "This is how it can fail"]),
        (["A"], "B & -B", ["conclusion contradicts itself"]),
        (["A", "B"], "B", ["circular: premise P2 says the same"]),
        (["Premiere(a)"], "Premiered(a)", ["in no premise", "Premiered.", "mean Premiere where"]),
        (
            ["A"],
            "B",
            ["does not follow", "This is how it can fail:", "holds: A;", "A -> B\n"],
        ),
    ],
)
def test_a_failed_proof_says_where_and_why(
    premises: list[str], conclusion: str, expected: list[str]
) -> None:
    proof = prove({f"P{n}": text for n, text in enumerate(premises, start=1)}, conclusion)

    words = feedback(proof, None)

    for part in expected:
        assert part in words
    assert "\n\n" not in words


@pytest.mark.parametrize(
    ("reasons", "text", "inference"),
    [
        (("rain was left out", "one pond was seen"), "-", True),
        (("rain was left out",), "Weak, because rain was left out.", False),
        (("rain was left out",), "Rain was left out; therefore it is weak.", False),
        ((), "It is weak.", False),
        (("rain was left out", "Rain  was left out."), "-", False),
        (("rain was left out in May", "rain was left out"), "-", False),
        (("the counts are weak.", "rain was left out"), "-", False),
        (("rain was left out",), "If rain was left out, then the counts are weak.", True),
        (("rain was left out",), "Leaving out rain implies weak counts.", True),
        (("rain was left out",), "That the counts are weak follows from the lack of rain.", True),
        (("rain was left out",), "Rain does not imply frogs.", False),
        (("rain was left out",), "If possible, add rain. Only then are counts fair.", False),
        (("rain was left out",), "The counts are as follows: weak.", False),
        (("rain was left out",), "Rain is left out. Say what this implies.", False),
    ],
)
def test_two_reasons_or_a_stated_step_make_an_inference(
    reasons: tuple[str, ...], text: str, inference: bool
) -> None:
    extraction = Extraction(conclusion="The counts are weak", reasons=reasons)

    assert infers(extraction, text) is inference


def test_names_that_do_not_fit_are_told_apart_from_formulas_that_cannot_be_read() -> None:
    keys = {"A": "a thing", "Unused": "another thing", "B(x)": "x is so"}

    words = feedback(prove({"P1": "A", "P2": "Fresh"}, "B", keys=keys), None)

    assert "names do not fit together" in words
    assert "- P2, column 1: 'Fresh' is not among the keys" in words
    assert "- the conclusion, column 1: 'B' has 0 arguments here but 1 in its key" in words
    assert "Also: 'Unused' has a key" in words


def test_the_missing_link_is_told_in_words_and_as_a_formula() -> None:
    keys = {"A": "rain was left out", "B": "the counts are weak"}

    words = feedback(prove({"P1": "A"}, "B", keys=keys), None)

    assert "and yet it is not the case that the counts are weak" in words
    assert "If rain was left out, then the counts are weak.\nA -> B" in words


def test_an_unknown_outcome_asks_for_something_simpler() -> None:
    assert "simpler" in feedback(Proof(validity=Validity.UNKNOWN), None)


def test_an_invalid_argument_without_a_countermodel_still_says_what_to_do() -> None:
    words = feedback(Proof(validity=Validity.INVALID), None)

    assert "This is how it can fail" not in words
    assert "Add the unstated premise" in words


def test_an_unfaithful_verdict_is_told_with_the_judges_reasons_fenced() -> None:
    verdict = Faithfulness(faithful=False, rationale="Premise P2 is stronger than the review.")

    words = feedback(Proof(validity=Validity.VALID, needed=("P1",)), verdict)

    assert "does not say what the reviewer said" in words
    assert "Premise P2 is stronger than the review.\n</reasons-of-the-judge-" in words
    assert "reasons" not in feedback(None, Faithfulness(faithful=False))


@pytest.mark.parametrize("faithful", [True, None])
def test_nothing_is_said_where_nothing_failed(faithful: bool | None) -> None:
    assert feedback(Proof(validity=Validity.VALID), Faithfulness(faithful=faithful)) == ""
    assert feedback(Proof(validity=Validity.VALID), None) == ""
    assert feedback(None, None) == ""


OPERATORS = {
    "-": "-P(a)",
    "&": "P(a) & Q(a)",
    "|": "P(a) | Q(a)",
    "xor": "P(a) xor Q(a)",
    "->": "P(a) -> Q(a)",
    "<->": "P(a) <-> Q(a)",
    "=": "a = b",
    "!=": "a != b",
    "<": "a < b",
    "<=": "a <= 9",
    ">": "a > b",
    ">=": "size(a) >= 0.5",
    "forall x (...)": "forall x (P(x))",
    "exists x (...)": "exists x (P(x))",
}


def section(name: str) -> str:
    text = prompts.render("formulas").text
    return text.partition(f"{name}:\n")[2] if name == "Examples" else text.partition("Rules:")[0]


def test_every_example_parses() -> None:
    examples = re.findall(r"^- `(.+)`$", section("Examples"), re.MULTILINE)

    assert 4 <= len(examples) <= 8
    for example in examples:
        parse(example)


def test_every_operator_that_is_named_is_accepted_and_none_is_kept_back() -> None:
    named = re.findall(r"`([^`]+)`", section("Operators"))

    assert set(named) == set(OPERATORS)
    for formula in OPERATORS.values():
        parse(formula)
    told = {word.split()[0] for word in named}
    brackets = (TokenKind.OPEN, TokenKind.CLOSE, TokenKind.OPEN_LIST, TokenKind.CLOSE_LIST)
    for kind in (*SPELLINGS, *WORDS):
        if kind not in (*brackets, TokenKind.COMMA, TokenKind.DOT, TokenKind.COLON):
            assert told & {*SPELLINGS.get(kind, ()), *WORDS.get(kind, ())}, kind


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
