"""What lexical-cache makes of reviews, and its file."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.errors import InputError, RunFolderError
from reviewscore.gem.estimator import Gem
from reviewscore.gem.evaluation import Question
from reviewscore.gem.lexical import background
from reviewscore.gem.lexical.model import LexicalCache, ModelState, load, paper_key, save
from reviewscore.gem.lexical.prime import Known, prime
from reviewscore.gem.lexical.words import SHIFT, STANCES, lines_of
from reviewscore.text.similarity import TextPair
from tests.gem.invented_reviews import papers

GROUPS = papers(40, seed=1)


@cache
def primed() -> ModelState:
    return prime([Known(group, paper_id=f"p{number}") for number, group in enumerate(GROUPS[:30])])


@cache
def model() -> LexicalCache:
    return LexicalCache(primed())


def gem(candidate: str, reference: str, synopsis: str | None = None) -> float:
    found = Gem(model(), synopsis=synopsis is not None).scores(
        [TextPair("p", candidate, reference, synopsis)]
    )[0]
    assert found is not None
    return found


def test_reviews_of_one_paper_tell_more_of_each_other_than_those_of_two_papers() -> None:
    held_out = GROUPS[30:]
    same = [gem(group[0], group[1]) for group in held_out]
    other = [gem(held_out[(n + 1) % 10][0], group[1]) for n, group in enumerate(held_out)]
    assert np.mean(same) > np.mean(other)


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 39), st.integers(0, 39))
def test_the_order_of_a_candidates_lines_does_not_matter(
    rng: random.Random, left: int, right: int
) -> None:
    candidate, reference = GROUPS[left][0], GROUPS[right][1]
    lines = candidate.split("\n")
    rng.shuffle(lines)
    assert gem("\n".join(lines), reference) == pytest.approx(gem(candidate, reference), abs=1e-9)


@given(st.integers(0, 39), st.integers(1, 5))
@settings(max_examples=15, deadline=None)
def test_lines_said_twice_count_once(number: int, times: int) -> None:
    candidate, reference = GROUPS[number][0], GROUPS[number][1]
    assert gem("\n".join([candidate] * times), reference) == gem(candidate, reference)


def test_a_candidate_without_content_tells_nothing() -> None:
    assert gem("", GROUPS[0][1]) == 0.0
    assert gem("The reviewer of the the.", GROUPS[0][1]) == 0.0


def test_a_reference_without_words_has_no_score_and_says_why() -> None:
    answer = model().answers([Question(" \n ")])[0]
    assert answer.nats is None
    assert "no words" in answer.reason


def test_what_the_synopsis_says_already_is_worth_less_in_the_candidate() -> None:
    group = GROUPS[33]
    assert gem(group[0], group[1], group[0]) < gem(group[0], group[1], "nothing of it")


def test_control_markers_of_chats_are_words_like_others() -> None:
    plain = model().answers([Question(GROUPS[0][1], GROUPS[0][0])])[0]
    marked = model().answers([Question(GROUPS[0][1], f"{GROUPS[0][0]}\n<|eot_id|></s>[INST]")])[0]
    assert marked.tokens == plain.tokens
    assert plain.nats is not None
    assert marked.nats is not None
    assert marked.nats <= plain.nats


def test_a_review_of_a_megabyte_is_scored() -> None:
    rng = random.Random(0)
    long = "\n".join(f"The reviewer questions word{rng.random()}." for _ in range(25_000))
    assert len(long) > 1_000_000
    assert gem(long, GROUPS[0][1]) < gem(GROUPS[0][0], GROUPS[0][1])
    assert model().answers([Question(long)])[0].nats is not None


@pytest.mark.parametrize("word", ["a" * 1_000, "_" * 300, "审稿人认为这篇论文" * 20])
def test_words_of_hundreds_of_signs_have_a_probability(word: str) -> None:
    answer = model().answers([Question(f"{GROUPS[0][1]}\n{word}")])[0]

    assert answer.nats is not None
    assert math.isfinite(answer.nats)
    assert gem(f"about {word}", word) > gem("about it", word)


def test_a_model_that_has_met_too_many_new_words_starts_afresh(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("reviewscore.gem.lexical.model._MOST_UNSEEN", 3)
    fresh = LexicalCache(primed())
    question = Question("one strangeness\ntwo strangenesses", "three strangers qq ww ee rr")
    first = fresh.answers([question])[0]
    fresh.answers([Question(f"zz{n} yy{n}") for n in range(5)])
    assert fresh.vocabulary.unseen < 10
    assert fresh.answers([question])[0] == first


def test_the_same_score_comes_out_of_another_process(tmp_path: Path) -> None:
    file = tmp_path / "model.npz"
    save(primed(), file)
    questions = [(group[1], group[0], group[2]) for group in GROUPS[30:34]]
    code = (
        "import json, sys; from pathlib import Path\n"
        "from reviewscore.gem.lexical.model import LexicalCache\n"
        "from reviewscore.gem.evaluation import Question\n"
        "model = LexicalCache.load(Path(sys.argv[1]))\n"
        "asked = [Question(*one) for one in json.loads(sys.argv[2])]\n"
        "print(json.dumps([one.nats for one in model.answers(asked)]))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(file), json.dumps(questions)],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    )
    here = LexicalCache.load(file).answers([Question(*one) for one in questions])
    assert json.loads(told.stdout) == [one.nats for one in here]


def test_priming_twice_gives_the_same_model() -> None:
    again = prime([Known(group, paper_id=f"p{n}") for n, group in enumerate(GROUPS[:30])])
    np.testing.assert_array_equal(again.shares, primed().shares)
    np.testing.assert_array_equal(again.persistence.excess, primed().persistence.excess)


def test_papers_are_read_once_and_counted_in_parts_as_in_one_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background, "_AT_ONCE", 100)
    again = prime(Known(group, paper_id=f"p{n}") for n, group in enumerate(GROUPS[:30]))

    for one in fields(again.counts):
        counted, whole = (getattr(state.counts, one.name) for state in (again, primed()))
        np.testing.assert_array_equal(counted, whole)
    question = [Question(GROUPS[31][0], GROUPS[31][1])]
    assert LexicalCache(again).answers(question) == model().answers(question)


def test_counts_are_those_of_all_triples_at_once() -> None:
    vocabulary = LexicalCache(primed()).vocabulary
    texts = [vocabulary.code(lines_of(text)) for group in GROUPS for text in group]
    triples = Counter(
        triple
        for one in texts
        for triple in zip(
            *(vocabulary.known(side).tolist() for side in (one.before, one.last, one.word)),
            strict=True,
        )
    )

    counts = background.count(iter(texts), vocabulary)

    often = {triple: many for triple, many in sorted(triples.items()) if many > 1}
    keys = [(a * SHIFT + b) * SHIFT + c for a, b, c in often]
    assert counts.triples.tolist() == keys
    assert counts.triple_counts.tolist() == list(often.values())
    begins = Counter[tuple[int, int]]()
    for (before, last, _), many in triples.items():
        begins[before, last] += many
    beginning = sorted({triple[:2] for triple in often})
    assert counts.triple_totals.tolist() == [begins[one] for one in beginning]
    pairs = Counter(triple[1:] for triple in triples)
    assert counts.pairs.tolist() == [a * SHIFT + b for a, b in sorted(pairs)]
    assert counts.pair_counts.tolist() == [pairs[one] for one in sorted(pairs)]


def test_a_model_comes_back_from_its_file_and_knows_its_papers(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "model.npz"
    save(primed(), file)
    state = load(file)
    assert paper_key("p3") in state.papers
    assert paper_key("p30") not in state.papers
    assert state.reviews == 90
    question = Question(GROUPS[35][0], GROUPS[35][1])
    assert LexicalCache(state).answers([question]) == model().answers([question])


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "not a primed model"), (b"PK\x03\x04 cut", "not a primed model")]
)
def test_a_file_that_is_no_model_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "model.npz"
    file.write_bytes(content)
    with pytest.raises(InputError, match=says) as error:
        load(file)
    assert str(file) in str(error.value)


@pytest.mark.parametrize("words", [("w{0}a w{0}b", "w{0}c"), ("\ud800 a{0}", "\ud800 b{0}")])
def test_models_without_common_words_or_with_broken_signs_come_back_too(
    tmp_path: Path, words: tuple[str, str]
) -> None:
    state = prime([Known([text.format(n) for text in words]) for n in range(8)])
    save(state, tmp_path / "model.npz")

    question = Question("w1a a\ud800", "w1a")
    assert LexicalCache.load(tmp_path / "model.npz").answers([question]) == LexicalCache(
        state
    ).answers([question])


def test_a_place_that_cannot_be_written_and_another_ending_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunFolderError, match=r"model\.npz"):
        save(primed(), tmp_path / "file" / "model.npz")
    with pytest.raises(RunFolderError, match=r"name it model\.bin\.npz"):
        save(primed(), tmp_path / "model.bin")


def test_a_file_with_pickled_code_in_it_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.npz"
    np.savez(file, about=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="not a primed model"):
        load(file)


def test_a_missing_file_and_another_version_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "none.npz")
    monkeypatch.setattr("reviewscore.gem.lexical.model.VERSION", 99)
    save(primed(), tmp_path / "model.npz")
    monkeypatch.undo()
    with pytest.raises(InputError, match="another version"):
        load(tmp_path / "model.npz")


def test_too_few_papers_are_refused_with_a_cure() -> None:
    with pytest.raises(InputError, match="too few") as error:
        prime([Known(group) for group in GROUPS[:3]])
    assert "100" in str(error.value)
    with pytest.raises(InputError, match="too few"):
        prime([Known([group[0]]) for group in GROUPS])


def test_papers_with_two_reviews_or_a_synopsis_are_learned_from_too() -> None:
    two = prime([Known(group[:2]) for group in GROUPS])
    assert two.reviews == 80
    known = prime([Known(group, synopsis=group[0]) for group in GROUPS])
    assert not np.array_equal(known.shares, prime([Known(group) for group in GROUPS]).shares)


@pytest.mark.parametrize(
    ("line", "stance"),
    [
        ("The reviewer appreciates the idea.", "appreciates"),
        ("- the Reviewer criticizes it", "criticizes"),
        ("Reviewer also suggests more", "suggests"),
        ("The reviewer questions: why?", "questions"),
        ("The paper appreciates nothing", "other"),
        ("It is unclear.", "other"),
    ],
)
def test_a_line_has_the_stance_of_its_verb(line: str, stance: str) -> None:
    assert STANCES[lines_of(line)[0].stance] == stance


def test_blanks_do_not_change_what_a_line_says() -> None:
    wide, narrow = "The reviewer  suggests a robot.", "The reviewer suggests a robot."

    assert lines_of(f"{wide}\n{narrow}") == lines_of(f"{narrow}\n{wide}") == lines_of(narrow)


def test_a_line_is_a_sentence_and_said_once() -> None:
    lines = lines_of("One thing. Another thing!\none thing.\n\n  One   thing.")
    assert [" ".join(one.words) for one in lines] == ["one thing .", "another thing !"]
