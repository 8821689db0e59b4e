"""The map of an argument: everything drawn, everything escaped, unknown unlike any score."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from reviewscore.pages.argument_map import WIDTH, argdown, svg
from reviewscore.schema.argument import Argument, ArgumentState, Premise
from reviewscore.schema.proof import Validity
from reviewscore.schema.verdict import KnowledgeSource, PremiseVerdict

SPACE = "{http://www.w3.org/2000/svg}"


def premise(number: int, score: int | None, **more: object) -> Premise:
    verdict = PremiseVerdict(source=KnowledgeSource.GIVEN_PAPER, factuality=score, untrivialness=2)
    values: dict[str, object] = {
        "premise_id": f"P{number}", "text": f"Premise {number}.", "formula": "p", "explicit": True,
        "needed": True, "verdict": verdict,
    }  # fmt: skip
    return Premise.model_validate(values | more)


def argument(*premises: Premise, conclusion: str = "So it is.") -> Argument:
    return Argument(
        verbatim_conclusion="c",
        verbatim_reasons=("r",),
        premises=premises,
        conclusion=conclusion,
        conclusion_formula="c",
        state=ArgumentState.ACCEPTED,
        validity=Validity.VALID,
        rounds=(),
    )


def drawn(one: Argument) -> ElementTree.Element:
    return ElementTree.fromstring(str(svg(one)).replace("<svg ", f'<svg xmlns="{SPACE[1:-1]}" ', 1))


def frames(one: Argument) -> list[str]:
    return [rect.get("class", "") for rect in drawn(one).iter(f"{SPACE}rect")]


def test_a_premise_shows_its_score_who_said_it_and_whether_the_proof_needs_it() -> None:
    one = argument(premise(1, 1), premise(2, 5, explicit=False, needed=False))

    assert frames(one) == [
        "conclusion", "premise explicit needed s1", "premise implicit s5",
    ]  # fmt: skip
    words = "".join(drawn(one).itertext())
    assert "definitely false 1/5" in words
    assert "P2 · presumed" in words


def test_unknown_looks_unlike_any_score() -> None:
    silent = PremiseVerdict(factuality=None)
    one = argument(premise(1, None), premise(2, 3, verdict=None), premise(3, 4, verdict=silent))

    assert all("unknown" in name for name in frames(one)[1:])
    assert "".join(drawn(one).itertext()).count("not known") == 3


def test_the_map_can_be_heard() -> None:
    label = drawn(argument(premise(1, 2))).get("aria-label", "")

    assert "Conclusion: So it is." in label
    assert "P1, written, factuality 2 of 5: Premise 1." in label


@given(
    st.lists(st.tuples(st.text(max_size=400), st.none() | st.integers(1, 5)), max_size=13),
    st.text(max_size=300),
)
def test_any_text_is_drawn_inside_the_frame_and_stays_text(
    premises: list[tuple[str, int | None]], conclusion: str
) -> None:
    printable = [
        ("".join(char for char in text if char.isprintable()), score) for text, score in premises
    ]
    one = argument(
        *(premise(n, score, text=text) for n, (text, score) in enumerate(printable, start=1)),
        conclusion="".join(char for char in conclusion if char.isprintable()),
    )

    root = drawn(one)

    height = float(root.get("viewBox", "").split()[3])
    for rect in root.iter(f"{SPACE}rect"):
        assert 0 <= float(rect.get("x", "")) <= WIDTH
        assert float(rect.get("x", "")) + float(rect.get("width", "")) <= WIDTH + 0.2
        assert float(rect.get("y", "")) + float(rect.get("height", "")) <= height
    assert {element.tag.removeprefix(SPACE) for element in root.iter()} <= {
        "svg", "g", "rect", "text", "tspan", "polyline",
    }  # fmt: skip


def test_argdown_lists_premises_above_the_conclusion_and_disarms_its_own_marks() -> None:
    one = argument(premise(1, 2, text="[x] is <b>\n#y"), premise(2, None, explicit=False))

    assert argdown(one, "a [title]") == (
        "<a (title)>\n\n"
        "(1) (x) is ‹b› ♯y #explicit {factuality: 2}\n"
        "(2) Premise 2. #implicit\n"
        "----\n"
        "(3) So it is."
    )
