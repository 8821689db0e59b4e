"""What similarity tells is drawn too: as files, on its page, and in the report of a run."""

from __future__ import annotations

import json
import re
from pathlib import Path

from reviewscore.report.similarity import percentile_bins
from reviewscore.schema.similarity import ReviewSimilarity, SimilarityDigest
from tests.commands import Invoke
from tests.similarity.invented import write_corpus, write_ratings

QUICK = ("--resamples", 100)
METHODS = ("--method", "tfidf", "--method", "tpms")


def drawn(out: Path) -> set[str]:
    """Names of the plots of a folder, each of which is there in both forms and on the page."""
    names = {one.stem for one in out.glob("*.svg")}
    assert names == {one.stem for one in out.glob("*.png")}
    page = (out / "similarity.md").read_text("utf-8")
    assert set(re.findall(r"\]\((.+)\.svg\)", page)) == names
    return names


def texts(svg: Path) -> str:
    return " ".join(re.findall(r">([^<>]+)</text>", svg.read_text("utf-8")))


def test_every_table_of_methods_is_drawn(similarity: Invoke, folder: Path, tmp_path: Path) -> None:
    ended = similarity("evaluate", folder, *METHODS, *QUICK, "-o", tmp_path / "out")

    assert ended.exit_code == 0, ended.stderr
    tables = {one.stem for one in (tmp_path / "out" / "tables").glob("*.csv")}
    # The measures at the top stand in one plot by cut-off, whatever cut-offs there are.
    assert drawn(tmp_path / "out") == {re.sub(r"-top-\d+$", "-top", one) for one in tables}
    loss = texts(tmp_path / "out" / "similarity-loss.svg")
    for words in ("loss (lower is better)", "difference to tpms", "tfidf", "tpms"):
        assert words in loss
    assert "easy triplets (higher is better)" in texts(tmp_path / "out" / "similarity-triplets.svg")


def test_one_method_alone_is_drawn_without_a_difference(
    similarity: Invoke, folder: Path, tmp_path: Path
) -> None:
    ended = similarity("evaluate", folder, "--method", "bm25", *QUICK, "-o", tmp_path / "out")

    assert ended.exit_code == 0, ended.stderr
    assert drawn(tmp_path / "out") == {"similarity-loss", "similarity-triplets", "similarity-top"}


def test_the_nearest_reviewers_are_drawn_and_named(
    similarity: Invoke, folder: Path, tmp_path: Path
) -> None:
    ended = similarity("score", folder, "-o", tmp_path / "out")

    assert ended.exit_code == 0, ended.stderr
    assert drawn(tmp_path / "out") == {"similarity-nearest"}
    plot = texts(tmp_path / "out" / "similarity-nearest.svg")
    assert all(name in plot for name in ("frogs", "cakes", "floods", "ann", "bob", "cyd"))


def test_plots_of_an_earlier_run_do_not_stay(
    similarity: Invoke, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    similarity("sweep", folder, "--method", "tfidf", "--longest", 2, *QUICK, "-o", out)
    before = drawn(out)

    similarity("score", folder, "-o", out)

    assert before == {"similarity-sweep", "similarity-loss", "similarity-triplets"}
    assert drawn(out) == {"similarity-nearest"}


def test_what_is_odd_in_the_papers_stands_in_the_files_of_evaluate(
    similarity: Invoke, tmp_path: Path
) -> None:
    folder = write_corpus(tmp_path / "data", toads={"abstract": None})
    write_ratings(folder)

    ended = similarity("evaluate", folder, *METHODS, *QUICK, "-o", tmp_path / "out")

    told = json.loads((tmp_path / "out" / "similarity.json").read_text("utf-8"))["notes"]
    warnings = [line.removeprefix("warning: ") for line in ended.stderr.splitlines()]
    assert "papers have no abstract" in told[0]
    assert told[0] in warnings


def test_reviews_are_counted_by_the_fifth_of_their_reviewer() -> None:
    percents = (100.0, 80.1, 80.0, 20.0, 0.5, None)
    reviews = {
        f"r{number}": ReviewSimilarity(
            reviewer="ann", value=None if percent is None else 0.1, among_reviewers=percent
        )
        for number, percent in enumerate(percents)
    }
    found = SimilarityDigest(
        method="tfidf", centred=True, notes=(), inputs=(), profiles=(), reviewers=9, papers=2,
        reviews=reviews,
    )  # fmt: skip

    bins = percentile_bins(found)

    assert [(one.label, one.count, one.width) for one in bins] == [
        ("80 to 100", 2, 40.0), ("60 to 80", 1, 20.0), ("40 to 60", 0, 0.0),
        ("20 to 40", 0, 0.0), ("0 to 20", 2, 40.0),
    ]  # fmt: skip
    assert percentile_bins(found.model_copy(update={"reviews": {}})) == ()
