"""The tables of benchmarks/README.md: released and own methods on the gold standard."""

from __future__ import annotations

from benchmarks.figures import Better
from benchmarks.measure import SHARED, head, keep, skip
from reviewscore.similarity.affinity import Library, recipe
from reviewscore.similarity.bags import Representation
from reviewscore.similarity.comparison import (
    TRIED,
    MethodComparison,
    compare,
    predicted,
    read_predictions,
)
from reviewscore.similarity.corpus import read_corpus
from reviewscore.similarity.goldstandard import EASY, HARD, LOSS, measures, read_ratings
from reviewscore.similarity.tables import Honesty, tables
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.tables import markdown

OWN = ("tfidf", "bm25", "lsa", "acl-style", "tfidf+bm25+lsa")
_PERCENTILE = Resampling(method="percentile")


def main() -> None:
    """Print loss and triplets on titles and abstracts, then on full texts."""
    folder = SHARED / "goldstandard"
    if not folder.is_dir():
        skip(f"no gold standard at {folder}")
        return
    ratings = read_ratings(folder / "evaluations.csv")
    library = Library(read_corpus(folder))
    methods = read_predictions(folder / "predictions.parquet")
    methods += [predicted(library, recipe(name), ratings) for name in OWN]
    _print("title and abstract", compare(ratings, methods), "tpms")
    library = Library(read_corpus(folder, profiles=folder / "profiles_full.parquet"))
    wanted = [recipe("tpms")]
    wanted += [recipe(name).varied(representation=Representation.FULL) for name in ("tpms", *OWN)]
    methods = [predicted(library, one, ratings) for one in wanted]
    _print("full texts", compare(ratings, methods, common=True), "tpms, full texts")


def _print(title: str, compared: MethodComparison, baseline: str) -> None:
    _keep(title, compared, baseline)
    print(f"\n### Similarity, {title}\n")
    for table in tables(compared, baseline, _PERCENTILE, Honesty(TRIED), cutoffs=()):
        print(markdown(table))


def _keep(title: str, compared: MethodComparison, baseline: str) -> None:
    """Keep the main figures of each method beside the baseline's."""
    head(f"Similarity, {title}")
    found = measures(compared.ratings, compared.similarity, ())
    base = found[compared.names.index(baseline)]
    for method, values in zip(compared.names, found, strict=True):
        for name in (LOSS, EASY, HARD):
            value, other = values[name].point()[0], base[name].point()[0]
            if method != baseline:
                better: Better = "lower" if name == LOSS else "higher"
                keep(
                    f"{title}: {name} of {method}",
                    f"{value:.3f}",
                    f"{baseline} {other:.3f}",
                    value / other,
                    "-",
                    better=better,
                )


if __name__ == "__main__":
    main()
