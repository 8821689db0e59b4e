"""BERTScore and BARTScore with small random models, against their definitions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from reviewscore.errors import SettingsError
from reviewscore.gem.baselines import BartScore, bart_scores
from reviewscore.gem.evaluation import LogProbability, Question
from reviewscore.text.similarity import TextPair
from tests import tiny_models
from tests.tiny_models import HIDDEN_MARKER, MARKERS, TEXTS

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from reviewscore.gem.hf import SequenceModel, open_model  # noqa: E402
from reviewscore.hf.bertscore import BertScore, match  # noqa: E402
from reviewscore.hf.models import ENCODER, SEQ2SEQ, Loaded, Loading, load  # noqa: E402

CPU = Loading(device="cpu")


def pair(candidate: str, reference: str) -> TextPair:
    return TextPair("frogs", candidate, reference)


class Told:
    """Gives each text -2 nats a token, and -1 where it follows a text of another length."""

    name = "told"

    def answers(self, questions: Sequence[Question]) -> list[LogProbability]:
        return [
            LogProbability(-float(len(one.reference)), len(one.reference))
            if len(one.reference) < len(one.candidate or "")
            else LogProbability(-2.0 * len(one.reference), len(one.reference))
            for one in questions
        ]


@pytest.mark.parametrize(
    ("variant", "expected", "name"),
    [
        ("precision", -1.0, "BARTScore-Precision"),
        ("recall", -2.0, "BARTScore-Recall"),
        ("f1", -1.5, "BARTScore-F1"),
    ],
)
def test_bartscore_is_nats_a_token_in_either_direction(
    variant: str, expected: float, name: str
) -> None:
    metric = BartScore(Told(), variant)  # type: ignore[arg-type]

    assert metric.scores([pair("ab", "abcd")]) == [expected]
    assert metric.name == name


def test_bartscore_has_no_value_where_a_text_is_empty() -> None:
    (found,) = bart_scores(Told(), [pair(" ", "abcd")])

    assert (found.recall, found.f1) == (None, None)


@pytest.fixture(scope="module")
def bart(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return load(str(tiny_models.seq2seq(tmp_path_factory.mktemp("bart"))), SEQ2SEQ, CPU)


def loss_of_library(loaded: Loaded, source: str, target: str) -> float:
    """Mean log-probability of the target by Transformers' own loss."""
    read, labels = (
        torch.tensor([loaded.tokenizer(text)["input_ids"]]) for text in (source, target)
    )
    with torch.inference_mode():
        return -float(loaded.model(input_ids=read, labels=labels).loss)


def test_bartscore_by_a_sequence_model_is_the_mean_of_its_loss(bart: Loaded) -> None:
    pairs = [pair(TEXTS[0], TEXTS[1]), pair(TEXTS[0], TEXTS[2]), pair(TEXTS[3], "Short.")]

    found = bart_scores(SequenceModel(bart), pairs)

    for one, scores in zip(pairs, found, strict=True):
        assert scores.recall == pytest.approx(
            loss_of_library(bart, one.candidate, one.reference), rel=1e-5
        )
        assert scores.precision == pytest.approx(
            loss_of_library(bart, one.reference, one.candidate), rel=1e-5
        )


def test_a_sequence_model_needs_a_text_to_start_from_and_cuts_none(bart: Loaded) -> None:
    model = SequenceModel(bart)

    none, long, blank, good = model.answers(
        [
            Question(TEXTS[0]),
            Question(TEXTS[0], " ".join(TEXTS * 5)),
            Question(" ", TEXTS[0]),
            Question(TEXTS[0], TEXTS[1]),
        ]
    )

    assert "needs a candidate" in none.reason
    assert long.nats is None
    assert "128" in long.reason
    assert blank == LogProbability(None, 0, "the reference is empty")
    assert good.nats is not None


def test_a_causal_model_serves_bartscore_too(tmp_path: Path) -> None:
    model = open_model(str(tiny_models.causal(tmp_path / "m")), CPU)

    (score,) = BartScore(model).scores([pair(TEXTS[0], TEXTS[1])])

    assert score is not None
    assert score < 0


def test_each_token_is_matched_with_its_best_partner() -> None:
    candidate = torch.tensor([[1.0, 0.0], [0.6, 0.8]])
    reference = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.8, 0.6]])

    found = match(candidate, reference)

    assert found.precision == pytest.approx((1.0 + 0.96) / 2)
    assert found.recall == pytest.approx((0.8 + 1.0 + 0.96) / 3)
    assert found.f1 == pytest.approx(2 * 0.98 * 0.92 / 1.9)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return load(str(tiny_models.encoder(tmp_path_factory.mktemp("bert"))), ENCODER, CPU)


def test_a_text_matches_itself_wholly_and_others_less(bert: Loaded) -> None:
    metric = BertScore(bert)

    same, other = metric.scores([pair(TEXTS[0], TEXTS[0]), pair(TEXTS[0], TEXTS[2])])

    assert same == pytest.approx(1.0, abs=1e-5)
    assert other is not None
    assert other < 0.999


def test_precision_and_recall_change_places_with_the_texts(bert: Loaded) -> None:
    forth, back = pair(TEXTS[0], TEXTS[2]), pair(TEXTS[2], TEXTS[0])

    precision = BertScore(bert, variant="precision").scores([forth])
    recall = BertScore(bert, variant="recall").scores([back])

    assert precision == pytest.approx(recall, abs=1e-6)


@pytest.mark.parametrize("layer", [None, 1])
def test_a_score_is_that_of_the_two_texts_read_alone(bert: Loaded, layer: int | None) -> None:
    def embedded(text: str) -> object:
        read = torch.tensor([bert.tokenizer(text)["input_ids"]])
        with torch.inference_mode():
            told = bert.model(input_ids=read, output_hidden_states=True)
        states = told.hidden_states[-1 if layer is None else layer][0, 1:-1]
        return torch.nn.functional.normalize(states, dim=-1)

    # Texts that are read together are padded to one length, which must change nothing.
    metric = BertScore(bert, layer=layer)
    scores = metric.scores([pair("Short.", TEXTS[2]), pair(TEXTS[2], TEXTS[4])])

    assert scores[0] == pytest.approx(
        match(embedded("Short."), embedded(TEXTS[2])).f1,
        abs=1e-5,  # type: ignore[arg-type]
    )


def test_long_texts_are_read_in_windows_that_end_with_sentences(bert: Loaded) -> None:
    metric = BertScore(bert)
    text = " ".join(TEXTS) + " " + "unbroken" * 60

    windows = metric.windows(text)

    assert len(windows) > 2
    assert max(map(len, windows)) <= 62
    words = [bert.tokenizer.decode(window).strip() for window in windows]
    assert "".join("".join(words).split()) == "".join(text.split())
    assert words[0].endswith((".", "network."))
    assert metric.scores([pair(text, text)])[0] == pytest.approx(1.0, abs=1e-5)


def test_an_empty_text_has_no_bertscore(bert: Loaded) -> None:
    assert BertScore(bert).scores([pair("", TEXTS[0]), pair(TEXTS[0], " ")]) == [None, None]


def test_markers_are_text_to_the_baselines_too(bert: Loaded) -> None:
    control = {0, 1, 2, 3, 4, 5, 6}

    (window,) = BertScore(bert).windows("".join(MARKERS[:3]) + HIDDEN_MARKER)

    assert not control & set(window)


def test_a_layer_that_is_not_there_is_refused(bert: Loaded) -> None:
    with pytest.raises(SettingsError, match="no layer 9"):
        BertScore(bert, layer=9)
