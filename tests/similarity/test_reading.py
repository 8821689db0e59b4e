"""Ratings, predictions and corpora from files: what is read, and how bad input is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.similarity.comparison import Predicted, compare, read_predictions
from reviewscore.similarity.corpus import ONLY, read_corpus
from reviewscore.similarity.goldstandard import ratings_file, ratings_of, read_ratings
from tests.similarity.invented import corpus, write_corpus, write_jsonl, write_ratings

WIDE = """ParticipantID\tPaper1\tPaper2\tPaper3\tExpertise1\tExpertise2\tExpertise3
ann\tfrogs\tcakes\t\t5.0\t1.25\t
bob\tcakes\t\t\t4\t\t
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_the_released_layout_and_one_rating_a_line_are_the_same(tmp_path: Path) -> None:
    wide = read_ratings(written(tmp_path, "wide.csv", WIDE))
    long = read_ratings(
        written(
            tmp_path, "long.csv", "reviewer,paper,rating\nann,frogs,5\nann,cakes,1.25\nbob,cakes,4"
        )
    )

    assert wide.participants == long.participants == ("ann", "bob")
    assert wide.papers == long.papers == (("frogs", "cakes"), ("cakes",))
    assert np.array_equal(wide.expertise, long.expertise, equal_nan=True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (WIDE.replace("1.25", "5.5"), "r.csv:2: field 'Expertise2': 5.5 is outside of 1 to 5"),
        (WIDE.replace("1.25", "0"), "r.csv:2: field 'Expertise2': 0 is outside of 1 to 5"),
        (WIDE.replace("1.25", "nan"), "r.csv:2: field 'Expertise2': nan is outside of 1 to 5"),
        (WIDE.replace("1.25", "high"), "r.csv:2: field 'expertise': "),
        (WIDE.replace("1.25", ""), "r.csv:2: field 'Paper2': has no Expertise2; fill in both"),
        (WIDE.replace("frogs\tcakes", "frogs\tfrogs"), "'ann' has rated 'frogs' before"),
        (WIDE.replace("bob", ""), "r.csv:3: field 'reviewer_id'"),
        ("reviewer_id,paper_id\nann,frogs", "r.csv:2: field 'expertise': is missing; add"),
        ("reviewer_id,paper_id,expertise\n", "holds no ratings"),
        ("a,b\n1,2,3\n", "r.csv:2: has 3 cells under 2 headings"),
    ],
)
def test_ratings_that_cannot_be_used_are_told_with_place_and_cure(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_ratings(written(tmp_path, "r.csv", text))

    assert says in str(caught.value)


def test_a_folder_without_ratings_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no evaluations or ratings"):
        ratings_file(tmp_path)
    with pytest.raises(InputError, match="there is no such file"):
        read_ratings(ratings_file(tmp_path / "none.csv"))
    with pytest.raises(InputError, match="of no known kind"):
        read_ratings(written(tmp_path, "ratings.xls", ""))


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=2),
        st.dictionaries(
            st.text("xyz", min_size=1, max_size=2),
            st.sampled_from([1.0, 1.25, 3.5, 5.0]),
            min_size=1,
        ),
        min_size=1,
    )
)
def test_ratings_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, rated: dict[str, dict[str, float]]
) -> None:
    folder = tmp_path_factory.mktemp("ratings")
    lines = [f"{who}\t{paper}\t{one}" for who, some in rated.items() for paper, one in some.items()]
    text = "\n".join(["reviewer_id\tpaper_id\texpertise", *lines])

    found = read_ratings(written(folder, "r.tsv", text))

    expected = ratings_of([(who, list(some.items())) for who, some in rated.items()])
    assert found.pairs == expected.pairs
    assert np.array_equal(found.expertise, expected.expertise, equal_nan=True)


def test_predictions_are_read_by_method_and_version(tmp_path: Path) -> None:
    file = write_jsonl(
        tmp_path / "p.jsonl",
        [
            {"algorithm": name, "version": version, "reviewer_id": "ann", "paper_id": 7,
             "similarity": 0.5}
            for name in ("x", "y") for version in (1, 2)
        ],
    )  # fmt: skip

    found = read_predictions(file)

    assert [one.name for one in found] == ["x", "y"]
    assert found[0].versions == {"1": {("ann", "7"): 0.5}, "2": {("ann", "7"): 0.5}}


def test_scores_of_openreview_expertise_and_nested_json_are_read(tmp_path: Path) -> None:
    bare = read_predictions(written(tmp_path, "bert.csv", "frogs,~Ann_A1,0.25\ncakes,~Ann_A1,-1\n"))
    nested = read_predictions(
        written(tmp_path, "n.json", json.dumps({"~Ann_A1": {"frogs": 0.25, "cakes": -1}})), "bert"
    )

    assert bare[0].versions == nested[0].versions
    assert bare[0].name == nested[0].name == "bert"
    assert bare[0].versions[ONLY]["~Ann_A1", "frogs"] == 0.25


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("reviewer_id,paper_id,similarity\na,p,near", "p.csv:2: field 'similarity'"),
        ("reviewer_id,paper_id,similarity\na,p,inf", "p.csv:2: field 'similarity': is infinite"),
        ("reviewer_id,paper_id,similarity\na,p,1\na,p,2", "p.csv:3: field 'similarity': reviewer"),
        ("reviewer_id,paper_id,similarity\na,p,\n", "holds no predictions"),
        ("reviewer_id,similarity\na,1\n", "p.csv:2: field 'paper_id': is missing"),
        ("p,a,0.5\np,b\n", "p.csv:2: has 2 cells"),
    ],
)
def test_predictions_that_cannot_be_used_are_told_with_place_and_cure(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_predictions(written(tmp_path, "p.csv", text))

    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["[1]", "{", '{"a": 1}'])
def test_json_that_holds_no_scores_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"p\.json"):
        read_predictions(written(tmp_path, "p.json", text))


RATED = ratings_of([("ann", [("frogs", 5.0), ("cakes", 1.0)]), ("bob", [("cakes", 4.0)])])


def test_a_missing_prediction_is_named_and_never_zero(tmp_path: Path) -> None:
    text = "reviewer_id,paper_id,similarity\nann,frogs,0.5\nann,cakes,\nbob,cakes,1\n"
    found = read_predictions(written(tmp_path, "mine.csv", text))

    with pytest.raises(InputError) as caught:
        compare(RATED, found)

    assert "mine.csv: field 'similarity': 'mine' has no similarity for 1 of 3 rated pairs: " in str(
        caught.value
    )
    assert "reviewer 'ann', paper 'cakes'; add the predictions" in str(caught.value)


def method(name: str, *versions: dict[tuple[str, str], float]) -> Predicted:
    return Predicted(name, {str(at): one for at, one in enumerate(versions)})


ALL = {("ann", "frogs"): 0.5, ("ann", "cakes"): 0.1, ("bob", "cakes"): 1.0}
PART = {pair: value for pair, value in ALL.items() if pair != ("bob", "cakes")}


def test_common_pairs_are_the_same_for_all_methods_and_the_others_are_named() -> None:
    found = compare(RATED, [method("x", ALL), method("y", PART)], common=True)

    assert found.ratings.pairs == [("ann", "frogs"), ("ann", "cakes")]
    assert found.similarity.shape == (2, 1, 1, 2)
    assert "reviewer 'bob', paper 'cakes'" in found.notes[0]
    assert "1 of 3 rated pairs are left out" in found.notes[-1]


def test_one_version_stands_for_all() -> None:
    found = compare(RATED, [method("x", ALL, ALL), method("y", ALL)])

    assert found.similarity.shape[:2] == (2, 2)
    assert found.versions == (2, 1)


@pytest.mark.parametrize(
    ("methods", "says"),
    [
        (
            [method("x", ALL, ALL), method("y", ALL, ALL, ALL)],
            "'x' has no predictions of version 2",
        ),
        ([method("x", ALL), method("x", ALL)], "two methods are called 'x'; name them: NAME=FILE"),
    ],
)
def test_methods_that_cannot_be_compared_are_told(methods: list[Predicted], says: str) -> None:
    with pytest.raises(InputError, match=says):
        compare(RATED, methods)


def test_no_common_pair_is_an_error() -> None:
    with pytest.raises(InputError, match="no rated pair has a prediction of every method"):
        compare(RATED, [method("x", {("zoe", "frogs"): 1.0})], common=True)


def test_a_tilde_before_a_profile_does_not_matter() -> None:
    tilde = {(f"~{who}", paper): value for (who, paper), value in ALL.items()}

    assert compare(RATED, [method("x", tilde)]).ratings.pairs == RATED.pairs


def test_a_corpus_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = read_corpus(write_corpus(tmp_path / "c"))
    expected = corpus()

    assert found.submissions == ("frogs", "cakes", "floods")
    assert found.profiles == expected.profiles
    assert found.papers["toads"] == expected.papers["toads"]
    assert found.warnings == ()


def test_papers_without_abstract_are_counted(tmp_path: Path) -> None:
    found = read_corpus(
        write_corpus(tmp_path / "c", toads={"abstract": None}, bread={"abstract": ""})
    )

    assert found.warnings == ("2 of 8 papers have no abstract: their titles alone are read",)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"toads": {"paper_id": None}}, "papers.jsonl:2: field 'paper_id': is missing"),
        ({"toads": {"paper_id": "frogs"}}, "papers.jsonl:2: field 'paper_id': 'frogs' is also at"),
        ({"toads": {"paper_id": "frog"}}, "profiles.jsonl:1: field 'paper_id': 'toads' is no"),
        ({"toads": {"title": 4}}, "papers.jsonl:2: field 'title': "),
        ({"toads": {"year": "soon"}}, "papers.jsonl:2: field 'year': "),
        ({one: {"is_submission": False} for one in ("frogs", "cakes", "floods")},
         "field 'is_submission': has no submissions"),
    ],
)  # fmt: skip
def test_a_corpus_that_cannot_be_used_is_told_with_place_and_cure(
    tmp_path: Path, changed: dict[str, dict[str, object]], says: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_corpus(write_corpus(tmp_path / "c", **changed))

    assert says in str(caught.value)
    assert caught.value.cure


def test_a_paper_that_is_twice_in_a_profile_is_told(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "c")
    with (folder / "profiles.jsonl").open("a") as file:
        file.write('{"reviewer_id": "ann", "paper_id": "toads"}\n')

    with pytest.raises(InputError, match=r"profiles\.jsonl:6: .*'toads' of reviewer 'ann' is also"):
        read_corpus(folder)


@pytest.mark.parametrize("missing", ["papers", "profiles"])
def test_a_folder_that_lacks_a_file_is_told(tmp_path: Path, missing: str) -> None:
    folder = write_corpus(tmp_path / "c")
    (folder / f"{missing}.jsonl").unlink()

    with pytest.raises(InputError, match=f"has no {missing}; give a folder"):
        read_corpus(folder)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        read_corpus(tmp_path / "none")


def test_counts_of_words_are_read_from_lines_and_from_parquet_alike(tmp_path: Path) -> None:
    import pandas as pd

    folder = write_corpus(tmp_path / "c")
    rows = [("frogs", "Croak", 3), ("toads", "croak", 1), ("frogs", "pond", 2), ("gone", "x", 1)]
    frame = pd.DataFrame(rows, columns=["paper_id", "word", "count"])
    found = []
    for name in ("fulltext_counts.csv", "fulltext_counts.parquet"):
        path = folder / name
        (frame.to_csv if name.endswith("csv") else frame.to_parquet)(path, index=False)
        counts = read_corpus(folder).counts
        assert counts is not None
        table = counts.table.toarray()
        found.append(
            {
                (paper, word): table[row, column]
                for paper, row in counts.rows.items()
                for column, word in enumerate(counts.words)
                if table[row, column]
            }
        )
        path.unlink()

    assert found[0] == found[1]
    assert found[0] == {("frogs", "croak"): 3, ("toads", "croak"): 1, ("frogs", "pond"): 2}


@pytest.mark.parametrize("count", ["-1", "many", ""])
def test_a_count_that_is_none_is_told(tmp_path: Path, count: str) -> None:
    folder = write_corpus(tmp_path / "c")
    written(folder, "fulltext_counts.csv", f"paper_id,word,count\nfrogs,croak,{count}\n")

    with pytest.raises(InputError, match=r"fulltext_counts\.csv:2: field 'count'"):
        read_corpus(folder)


def test_a_table_of_counts_with_other_columns_is_told(tmp_path: Path) -> None:
    import pandas as pd

    folder = write_corpus(tmp_path / "c")
    pd.DataFrame({"paper": ["frogs"]}).to_parquet(folder / "fulltext_counts.parquet")

    with pytest.raises(InputError, match="is no table of paper_id, word, count"):
        read_corpus(folder)


def test_ratings_beside_a_corpus_are_found(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "c")
    file = write_ratings(folder)

    assert ratings_file(folder) == file


@pytest.mark.parametrize(
    "text",
    [
        "reviewer_id;paper_id;expertise\nann;frogs;2.5\n",
        "Reviewer ID,Paper ID,Expertise\nann,frogs,2.5\n",
        "ParticipantID\tPaper1\tExpertise1\nann\tfrogs\t2.5\n",
    ],
)
def test_ratings_come_as_spreadsheets_write_them(tmp_path: Path, text: str) -> None:
    path = tmp_path / "evaluations.csv"
    path.write_text(text, "utf-8")

    assert read_ratings(path).pairs == [("ann", "frogs")]
