"""Affinities against plain loops; who is near to what; what has no similarity."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from reviewscore.errors import SettingsError
from reviewscore.similarity import vectors
from reviewscore.similarity.affinity import NO_PAPER, NO_TEXT, NO_WORDS, RECIPES, Library, recipe
from reviewscore.similarity.bags import PLAIN, TPMS, Representation
from reviewscore.similarity.corpus import (
    ONLY,
    Corpus,
    Publication,
    UnreadPaper,
    counts_of,
    most_recent,
)
from reviewscore.similarity.pairs import pairs
from reviewscore.similarity.vectors import Pool, Vectors, centred, pooled
from tests.similarity.invented import corpus

NAMES = [*(name for name in RECIPES if name != "embeddings"), "tfidf+bm25+lsa"]


def scores(name: str, found: Corpus | None = None) -> dict[tuple[str, str], float]:
    """Similarity by reviewer and submission."""
    one = Library(found or corpus()).affinity(recipe(name), ONLY)
    matrix = one.matrix()
    return {
        (who, paper): float(matrix[row, column])
        for row, paper in enumerate(one.submissions)
        for column, who in enumerate(one.reviewers)
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("paper", "who"), [("frogs", "ann"), ("cakes", "bob"), ("floods", "cyd")])
def test_every_method_finds_the_reviewer_of_the_field(name: str, paper: str, who: str) -> None:
    found = scores(name)

    assert who == max(("ann", "bob", "cyd"), key=lambda one: found[one, paper])


def test_tpms_is_what_its_definition_gives_in_plain_loops() -> None:
    known = corpus()
    texts = {name: f"{one.title} {one.abstract}" for name, one in known.papers.items()}
    people = {who: Counter(word for one in some for word in TPMS.words(texts[one]))
              for who, some in known.profiles[ONLY].items()}  # fmt: skip
    papers = {one: Counter(TPMS.words(texts[one])) for one in known.submissions}
    documents = [*people.values(), *papers.values()]

    def weights(bag: Counter[str]) -> dict[str, float]:
        return {
            word: (0.5 + 0.5 * count / max(bag.values()))
            * math.log(len(documents) / sum(word in one for one in documents))
            for word, count in bag.items()
        }

    found = scores("tpms")
    for who, own in people.items():
        for paper, bag in papers.items():
            left, right = weights(own), weights(bag)
            product = sum(left[word] * right[word] for word in left.keys() & right.keys())
            expected = product / math.hypot(*left.values()) / math.hypot(*right.values())
            assert found[who, paper] == pytest.approx(expected, abs=1e-12)


def test_tfidf_is_what_its_recipe_gives_in_plain_loops() -> None:
    known = corpus()
    bags = {name: Counter(PLAIN.words(f"{one.title} {one.abstract}"))
            for name, one in known.papers.items()}  # fmt: skip
    used = {*known.submissions, *(one for some in known.profiles[ONLY].values() for one in some)}

    def weights(name: str) -> dict[str, float]:
        raw = {
            word: (1 + math.log(count))
            * math.log(len(used) / sum(word in bags[one] for one in used))
            for word, count in bags[name].items()
        }
        return {word: value / math.hypot(*raw.values()) for word, value in raw.items()}

    def cosine(left: str, right: str) -> float:
        one, other = weights(left), weights(right)
        return sum(one[word] * other[word] for word in one.keys() & other.keys())

    found = scores("tfidf")
    for paper in known.submissions:
        means = {who: sum(cosine(paper, one) for one in some) / len(some)
                 for who, some in known.profiles[ONLY].items()}  # fmt: skip
        level = sum(means.values()) / len(means)
        for who, mean in means.items():
            assert found[who, paper] == pytest.approx(mean - level, abs=1e-12)


def plain_pool(values: list[float], pool: Pool) -> float:
    if pool is Pool.MEAN:
        return sum(values) / len(values)
    if pool is Pool.MAX:
        return max(values)
    if pool is Pool.P75:
        return float(np.quantile(values, 0.75))
    return sum(value / rank for rank, value in enumerate(sorted(values)[:-4:-1], 1))


@given(
    sizes=st.lists(st.integers(0, 6), min_size=1, max_size=5),
    seed=st.integers(0, 1000),
    pool=st.sampled_from([Pool.MEAN, Pool.MAX, Pool.P75, Pool.TOP3]),
    sparse=st.booleans(),
)
def test_pooling_is_what_plain_loops_give(
    sizes: list[int], seed: int, pool: Pool, sparse: bool
) -> None:
    rng = np.random.default_rng(seed)
    documents = rng.normal(size=(max(sum(sizes), 1), 4))
    submissions = rng.normal(size=(3, 4))
    ends = np.cumsum([0, *sizes])
    members = [np.arange(low, high) for low, high in pairwise(ends)]
    kind = csr_array if sparse else np.array

    blocks = list(pooled(Vectors(kind(submissions), kind(documents)), members, pool))

    found = np.concatenate([one.scores for one in blocks])
    for row, submission in enumerate(submissions):
        for column, some in enumerate(members):
            values = [float(documents[one] @ submission) for one in some]
            if values:
                assert found[row, column] == pytest.approx(plain_pool(values, pool))
            else:
                assert np.isnan(found[row, column])


@pytest.mark.parametrize("pool", Pool)
@pytest.mark.parametrize("name", ["tfidf", "lsa"])
def test_large_sets_are_the_same_to_six_digits(
    name: str, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = recipe(name).varied(pool=pool)
    exact = Library(corpus()).affinity(wanted, ONLY).matrix()
    monkeypatch.setattr(vectors, "_LARGE", 0)
    monkeypatch.setattr(vectors, "_BLOCK_BYTES", 1)  # each submission is a block

    found = Library(corpus()).affinity(wanted, ONLY).matrix()

    assert np.allclose(found, exact, atol=1e-6)


def test_a_dense_side_in_steps_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = Library(corpus()).affinity(recipe("tfidf"), ONLY).matrix()
    monkeypatch.setattr(vectors, "_WRITTEN", -1_000_000)  # the reviewers' side is written out
    monkeypatch.setattr(vectors, "_DENSE_CELLS", 1)

    assert np.allclose(Library(corpus()).affinity(recipe("tfidf"), ONLY).matrix(), exact)


def test_centring_leaves_out_reviewers_without_a_similarity() -> None:
    found = centred(np.array([[1.0, 3.0, np.nan], [np.nan, np.nan, np.nan]]))

    assert found[0, :2].tolist() == [-1, 1]
    assert np.isnan(found[0, 2])
    assert np.isnan(found[1]).all()


def test_a_reviewer_without_papers_has_no_similarity_and_it_is_not_zero() -> None:
    found = corpus({"ann": ("toads",), "bob": ("bread",), "new": ()})

    one = Library(found).affinity(recipe("tfidf"), ONLY)

    assert one.unread == UnreadPaper(reviewers={"new": NO_PAPER})
    assert np.isnan(one.matrix()[:, 2]).all()
    assert {pair.reviewer for pair in pairs(one, set())} == {"ann", "bob"}


def test_a_reviewer_and_a_submission_of_one_name_are_two() -> None:
    found = corpus({"ann": ("toads",), "bob": ("bread",), "frogs": ()})

    one = Library(found).affinity(recipe("tfidf"), ONLY)

    assert one.unread == UnreadPaper(reviewers={"frogs": NO_PAPER})
    assert not np.isnan(one.matrix()[0, :2]).any()
    assert one.nearest("frogs", "ann")


@pytest.mark.parametrize("name", NAMES)
def test_a_submission_without_words_has_no_similarity(name: str) -> None:
    found = corpus(submissions=("frogs", "blank"), blank=Publication("blank", "42!", ""))

    one = Library(found).affinity(recipe(name), ONLY)

    assert one.unread == UnreadPaper({"blank": NO_WORDS})
    assert np.isnan(one.matrix()[1]).all()
    assert not np.isnan(one.matrix()[0]).any()


@pytest.mark.parametrize("name", NAMES)
def test_texts_of_one_word_and_papers_without_abstract_are_compared(name: str) -> None:
    found = corpus(submissions=("frogs", "one", "floods"), one=Publication("one", "Ovens"))

    assert scores(name, found)["bob", "one"] > scores(name, found)["ann", "one"]


BLANK = Publication("blank", "42")
BARE = {
    "no paper": corpus({"ann": ()}, ("frogs",)),
    "no word": corpus({"ann": ("blank",)}, ("blank",), blank=BLANK),
    "no word in the submission": corpus({"ann": ("toads",)}, ("blank",), blank=BLANK),
    "one of each": corpus({"ann": ("toads",)}, ("frogs",)),
    "the same paper": corpus({"ann": ("frogs",)}, ("frogs",)),
    "one word each": corpus(
        {"ann": ("pond",), "bob": ("dough",)}, ("pond", "dough"),
        pond=Publication("pond", "Ponds"), dough=Publication("dough", "Dough"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("found", list(BARE.values()), ids=list(BARE))
@pytest.mark.parametrize("name", NAMES)
def test_the_barest_sets_are_computed_without_a_warning(name: str, found: Corpus) -> None:
    for pool in Pool:
        one = Library(found).affinity(recipe(name).varied(pool=pool), ONLY)
        known = ~np.isnan(one.matrix())
        assert known.all() == (one.unread == UnreadPaper())
        assert len(list(pairs(one, found.conflicts(ONLY), top=2))) == known.sum()


def test_other_scripts_are_compared_by_words_of_their_own() -> None:
    found = corpus(
        {"ann": ("toads",), "russian": ("лягушка",), "chinese": ("青蛙",)},
        ("frogs", "пруд", "池塘"),
        лягушка=Publication("лягушка", "Лягушки в пруду"),
        пруд=Publication("пруд", "Жизнь в пруду"),
        青蛙=Publication("青蛙", "池塘里的青蛙"),
        池塘=Publication("池塘", "城市池塘"),
    )
    known = scores("tfidf", found)

    assert max(known, key=lambda pair: known[pair] if pair[1] == "пруд" else -9)[0] == "russian"
    assert max(known, key=lambda pair: known[pair] if pair[1] == "池塘" else -9)[0] == "chinese"
    assert Library(found).affinity(recipe("tpms"), ONLY).unread.submissions["пруд"] == NO_WORDS


def test_a_paper_of_ones_own_is_a_conflict_by_identifier_and_by_title() -> None:
    found = corpus(
        {"ann": ("frogs",), "bob": ("copy",), "cyd": ("lakes",)},
        copy=Publication("copy", "BAKING  cakes."),
    )
    found = replace(found, papers={**found.papers, "cakes": Publication("cakes", "Baking cakes")})

    assert found.conflicts(ONLY) == {("ann", "frogs"), ("bob", "cakes")}


def test_conflicts_are_marked_or_left_out() -> None:
    found = corpus({"ann": ("frogs", "toads"), "bob": ("bread",)})
    one = Library(found).affinity(recipe("tfidf"), ONLY)
    own = found.conflicts(ONLY)

    marked = {(pair.reviewer, pair.submission) for pair in pairs(one, own) if pair.conflict}
    left = list(pairs(one, own, without_conflicts=True, top=1))

    assert marked == own
    assert [pair.reviewer for pair in left if pair.submission == "frogs"] == ["bob"]


def test_the_nearest_reviewers_come_first_and_percentiles_count_those_not_nearer() -> None:
    one = Library(corpus()).affinity(recipe("tfidf"), ONLY)

    found = [pair for pair in pairs(one, set(), top=2) if pair.submission == "frogs"]

    assert found[0].reviewer == "ann"
    assert found[0].similarity > found[1].similarity
    assert [round(pair.percentile) for pair in found] == [100, 67]


def test_of_equal_scores_the_first_reviewers_are_kept() -> None:
    names = [f"r{number}" for number in range(9)]
    one = Library(corpus({name: ("toads",) for name in names})).affinity(recipe("tfidf"), ONLY)

    found = [pair.reviewer for pair in pairs(one, set(), top=4) if pair.submission == "frogs"]

    assert found == names[:4]


def test_the_nearest_papers_of_a_reviewer_are_told() -> None:
    one = Library(corpus()).affinity(recipe("tfidf"), ONLY)

    assert [paper for paper, _ in one.nearest("frogs", "ann")] == ["toads", "newts"]


def test_titles_alone_do_not_see_abstracts() -> None:
    named = recipe("tfidf").varied(representation=Representation.TITLE)
    one = Library(corpus()).affinity(named, ONLY)
    row = one.matrix()[one.submissions.index("frogs")]

    assert named.name == "tfidf, titles"
    assert row[one.reviewers.index("ann")] == row[one.reviewers.index("cyd")]  # no word shared


def full(**texts: dict[str, int]) -> Corpus:
    return replace(corpus(), counts=counts_of(texts))


def test_full_texts_that_are_not_there_are_told_and_not_compared() -> None:
    found = full(frogs={"croak": 3}, toads={"croak": 1}, bread={"yeast": 2}, cakes={"yeast": 1})
    wanted = recipe("tfidf").varied(representation=Representation.FULL)

    one = Library(found).affinity(wanted, ONLY)

    assert one.unread == UnreadPaper({"floods": NO_TEXT}, {"cyd": NO_TEXT})
    assert one.papers[0] == ("toads",)


def test_full_texts_as_text_and_as_counts_are_the_same() -> None:
    texts = {"frogs": "croak croak pond", "toads": "croak", "bread": "yeast", "rivers": "flood"}
    counted = full(**{name: dict(Counter(text.split())) for name, text in texts.items()})
    plain = corpus()
    written = replace(
        plain,
        papers={name: replace(one, text=texts.get(name, "")) for name, one in plain.papers.items()},
    )
    wanted = recipe("tfidf").varied(representation=Representation.FULL)

    left, right = (Library(one).affinity(wanted, ONLY).matrix() for one in (counted, written))

    assert np.allclose(left, right, equal_nan=True)


def dated(**years: int | None) -> dict[str, Publication]:
    return {name: Publication(name, year=year) for name, year in years.items()}


def test_the_most_recent_papers_are_kept_and_those_without_a_year_come_last() -> None:
    known = dated(old=1999, new=2024, none=None, mid=2010)

    assert most_recent(list(known), known, 3, reviewer="a") == ("new", "mid", "old")


def test_ties_of_years_are_drawn_by_seed_and_reviewer() -> None:
    known = dated(**{f"p{at}": 2020 for at in range(30)})
    papers = list(known)

    first = most_recent(papers, known, 5, reviewer="a", seed=1)

    assert first == most_recent(papers, known, 5, reviewer="a", seed=1)
    assert first != most_recent(papers, known, 5, reviewer="a", seed=2)
    assert first != most_recent(papers, known, 5, reviewer="b", seed=1)


@given(st.lists(st.integers(1990, 2030) | st.none(), max_size=12), st.integers(1, 14))
def test_no_paper_that_is_left_out_is_newer_than_one_kept(
    years: list[int | None], count: int
) -> None:
    known = dated(**{f"p{at}": year for at, year in enumerate(years)})
    kept = most_recent(list(known), known, count, reviewer="a")
    left = set(known) - set(kept)

    assert len(kept) == min(count, len(known))
    assert max((known[one].year or 0 for one in left), default=0) <= min(
        (known[one].year or 0 for one in kept), default=0
    )


def test_an_unknown_method_is_named_with_those_there_are() -> None:
    with pytest.raises(SettingsError, match="unknown method 'tfdif'; use one of tfidf, tpms"):
        recipe("tfidf+tfdif")


def test_a_name_says_what_differs_from_the_recipe() -> None:
    changed = recipe("tpms").varied(pool=Pool.MAX, centre=True, recent=5)

    assert changed.name == "tpms, max, centred, 5 papers"
    assert recipe("acl-style").name == "acl-style"
