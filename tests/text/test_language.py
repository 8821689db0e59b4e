"""In which language a text is, and what says nothing about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.text import language
from reviewscore.text.language import language_name, language_of, prose

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Die Arbeit vergleicht ihren Teich nur mit einer einzigen Pfütze."),
        ("fr", "Les expériences ne couvrent qu'un seul étang et aucune grenouille."),
        ("es", "El método es interesante, pero la comparación con trabajos previos no basta."),
        ("pt", "A comparação com trabalhos anteriores é insuficiente e falta o código."),
        ("it", "Perché il tasso di apprendimento non è indicato nella tabella?"),
        ("zh", "本文提出的Transformer方法在CIFAR-10上的比较不充分，缺少消融实验。"),
        ("ja", "アブレーション実験が不足している。なぜ学習率が書かれていないのか？"),
        ("ko", "실험이 하나의 데이터셋만 사용한다."),
        ("ru", "Эксперименты проведены только на одном наборе данных."),
        ("ar", "التجارب تستخدم مجموعة بيانات واحدة فقط. لماذا لم يذكر معدل التعلم؟"),
        ("en", "The pond is never ablated, so it is unclear where the gain comes from."),
        ("en", "Novel pond architecture. Strong baselines, extensive ablations, clear writing."),
        (
            "en",
            "Let $x_i \\in R^n$ and $\\alpha_k$ be given: why is $\\|x\\|_2$ bounded by the norm?",
        ),
        ("en", "As in [1, 2] (Müller, 2019), Schröder et al. show that the frogs of Łódź leap."),
    ],
)
def test_a_text_has_its_language(code: str, text: str) -> None:
    assert language_of(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Warum?",
        "$\\sum_{i=1}^n \\alpha_i x_i$ and \\mathcal{L}",
        "```\nfür alle Daten: Modell laden und lange rechnen\n```",
        "https://beispiel.de/die/arbeit/ist/nicht/gut/genug/und/zu/lang",
        "LSTM, GRU, ResNet-50, ViT-B/16, BERT, GPT-2, T5, LLaMA, CIFAR-10, ImageNet, COCO.",
        "Müller, Schröder, Gómez, Łukasz, Đorđe, Nguyễn, Škoda, Brânză, García Márquez.",
        "α β γ δ ε ζ η θ ι κ λ μ",
        "x = y + 1; y -= 3",
    ],
)
def test_what_says_little_has_no_language(text: str) -> None:
    assert language_of(text) is None


def test_english_is_told_without_the_library() -> None:
    language._identifier.cache_clear()

    assert language_of("The authors do not say which of the ponds is meant in this table.") == "en"
    assert language._identifier.cache_info().currsize == 0


def test_what_is_in_brackets_of_a_citation_or_formula_is_no_prose() -> None:
    assert " ".join(prose("See [3] and (Ek, 2019): $a+b$ is `c`.").split()) == "See and : is ."


@pytest.mark.parametrize(("code", "name"), [("de", "German"), ("zh", "Chinese"), ("en", "English")])
def test_languages_go_by_their_english_names(code: str, name: str) -> None:
    assert language_name(code) == name


def test_a_rare_language_goes_by_its_code() -> None:
    assert "code xh" in language_name("xh")


@pytest.mark.shared
def test_no_real_english_review_and_no_line_of_one_is_in_another_language() -> None:
    path = SHARED / "iclr2022" / "sample12" / "reviews.jsonl"
    if not path.exists():
        pytest.skip(f"development data not found: {path}")
    boxes = [
        box
        for line in path.read_text("utf-8").splitlines()
        for box in json.loads(line)["sections"].values()
    ]

    found = {language_of(line) for box in boxes for line in box.split("\n")}

    assert found <= {"en", None}
    assert {language_of(box) for box in boxes if len(box) > 200} == {"en"}
