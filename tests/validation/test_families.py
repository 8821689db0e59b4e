"""Who wrote, confirmed and judged, and when that must be said."""

from __future__ import annotations

import pytest

from reviewscore.validation.families import PERSON, UNKNOWN, families_of, family_of
from tests.validation.invented import point


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("openai/gpt-5", "GPT"),
        ("openai/o3-mini", "GPT"),
        ("anthropic/claude-opus-4", "Claude"),
        ("ollama/llama3.1:8b", "Llama"),
        ("litellm/bedrock/meta.llama3-70b", "Llama"),
        ("ollama/deepseek-r1-distill-qwen", "DeepSeek"),
        ("llamacpp/Qwen2.5-7B-Instruct.gguf", "Qwen"),
        ("openai/ours", UNKNOWN),
        ("openai/philosophy", UNKNOWN),
        ("exchange:claude", UNKNOWN),
    ],
)
def test_the_family_of_a_model_is_told_by_its_name(model: str, family: str) -> None:
    assert family_of(model) == family


@pytest.mark.parametrize(
    ("changes", "models", "words"),
    [
        ({"writer_family": "GPT", "verifier_family": "GPT"}, ["openai/gpt-5"], "are of one family"),
        ({"writer_family": "GPT", "verifier_family": "GPT"}, ["openai/gpt-5"], "Writer, confirmer"),
        (
            {"writer_family": "GPT", "verifier_family": "Llama"},
            ["openai/gpt-5"],
            "Writer and judge are of one family (GPT)",
        ),
        ({"writer_family": "GPT"}, ["anthropic/claude-opus-4-1"], ""),
        ({"writer_family": "GPT", "verifier_family": "GPT"}, ["ollama/qwen3"], ""),
        ({}, ["openai/gpt-5"], "family of the writer is not known"),
        (
            {"writer_family": "GPT", "verifier_kind": "human"},
            ["openai/ours"],
            "of the judge is not",
        ),
        ({}, ["lexical"], ""),
    ],
)
def test_one_family_for_all_is_a_warning_and_an_unknown_one_is_said(
    changes: dict[str, str], models: list[str], words: str
) -> None:
    warning = families_of([point(**changes)], models).warning

    assert words in warning
    assert bool(warning) is bool(words)


def test_people_are_no_family_of_models() -> None:
    families = families_of([point(writer_kind="human")], ["lexical"])

    assert (families.writer, families.judge) == ((PERSON,), ())


def also(family: str | None = None, **changes: str) -> dict[str, object]:
    """What a second verifier says."""
    said = {"misinformed": "yes", "fair": "yes", "verifier": "V2", "verifier_kind": "model"}
    return {**said, **({"verifier_family": family} if family else {}), **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([{"confirmed": None, "verifier": None, "verifier_kind": None, "stratum": "hard"}], ""),
        ([{}], "confirmed by one reader"),
        ([{"verifier_family": "GPT", "also_confirmed": also("Qwen")}], "confirmed by two families"),
        ([{"verifier_family": "GPT", "also_confirmed": also("Qwen")}, {"verifier_family": "GPT"}],
         "confirmed by one reader"),
        ([{"verifier_family": "GPT", "also_confirmed": also("GPT")}],
         "confirmed by two readers of one family"),
        ([{"verifier_family": "GPT", "also_confirmed": also()}],
         "confirmed by two readers, whose families are not all known"),
        ([{"verifier_family": "GPT", "also_confirmed": also(verifier_kind="human")}],
         "confirmed by two families"),
    ],
)  # fmt: skip
def test_it_is_said_by_how_many_and_by_whom_all_remarks_were_confirmed(
    changes: list[dict[str, object]], words: str
) -> None:
    families = families_of([point(**each) for each in changes], ["lexical"])

    assert families.confirmed_by == words


def test_a_second_confirmer_is_named_with_the_first() -> None:
    item = point(verifier_family="GPT", also_confirmed=also("Qwen"))

    assert families_of([item], []).verifier == ("GPT", "Qwen")
