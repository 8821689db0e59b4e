"""What decides a run's records: only what it uses, and what is not written down has its default."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.config import Plain, Settings
from reviewscore.runs.manifest import differences, first_difference, prompt_names, sum_of

MODEL = Settings(model="openai/x").decisive()
EARLY: dict[str, Plain] = {
    **MODEL,
    "reviewscore_version": "0.0.9",
    "prompt claim_factuality/v1": "old",
    "prompt claim_factuality/v2": "used",
    "prompt gem_review/v1": "of another verb",
    "year": None,
}
"""As manifests were when all prompts and the version of the package were decisive."""
NOW: dict[str, Plain] = {**MODEL, "prompt claim_factuality/v2": "used", "method points": 1}

VALUES = st.none() | st.booleans() | st.integers(2, 20) | st.sampled_from(["auto", "main", "x"])
DECISIVE = st.dictionaries(
    st.sampled_from(
        [*MODEL, "method points", "prompt role/v1", "prompt role/v2", "input 1 a", "judge_version"]
    ).filter(lambda name: name != "model"),
    VALUES,
)


def test_an_early_manifest_is_compared_by_what_its_run_used() -> None:
    assert differences(EARLY, NOW) == ()
    assert sum_of(EARLY) == sum_of(NOW)
    assert first_difference(EARLY | {"prompt gem_review/v1": "changed"}, NOW) is None
    assert first_difference(EARLY | {"prompt claim_factuality/v1": "changed"}, NOW) is None


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ({"prompt claim_factuality/v2": "changed"}, "prompt claim_factuality/v2 has changed"),
        ({"prompt claim_factuality/v3": "new"}, "prompt claim_factuality/v3 was not used"),
        ({"method points": 2}, "method points was 1 and is now 2"),
        ({"limitations": False}, "limitations was True and is now False"),
        ({"a_later_setting": "x"}, "a_later_setting was None and is now 'x'"),
        ({"input 1 papers.jsonl": "ab"}, "input file papers.jsonl is another one"),
    ],
)
def test_what_a_run_uses_decides_and_is_named(now: dict[str, Plain], words: str) -> None:
    for before in (EARLY, {name: NOW[name] for name in NOW if name not in ("limitations", *now)}):
        if before is EARLY or "prompt claim_factuality/v2" in before:
            assert words in str(first_difference(before, NOW | now))


def test_a_prompt_that_is_no_longer_used_is_named() -> None:
    now = {name: value for name, value in NOW.items() if not name.startswith("prompt ")}

    assert first_difference(EARLY, now) == "the prompt claim_factuality/v2 is no longer used"


@pytest.mark.parametrize("name", sorted(MODEL.keys() - {"model"}))
def test_a_setting_that_was_not_there_yet_had_its_default(name: str) -> None:
    for model in ("lexical", "openai/x"):
        now = Settings(model=model).decisive()
        before = {one: value for one, value in now.items() if one != name}

        assert first_difference(before, now) is None
        assert sum_of(before) == sum_of(now)


@given(DECISIVE, DECISIVE)
def test_sums_are_equal_exactly_where_nothing_differs(
    one: dict[str, Plain], other: dict[str, Plain]
) -> None:
    assert (sum_of(one) == sum_of(other)) is (not differences(one, other))
    how = {"inputs": False}
    assert (sum_of(one, **how) == sum_of(other, **how)) is (not differences(one, other, **how))


def test_the_embedded_judge_uses_no_prompt() -> None:
    assert prompt_names(Settings().decisive()) == ()
