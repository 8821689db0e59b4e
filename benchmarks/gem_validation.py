"""GEM by `lexical-cache` put to every test on real reviews: `python -m benchmarks.gem_validation`.

The papers of the GEM paper's evaluation set that the development data holds (rows below 300) are
scored; the others are the background. Candidate: review 1; references: reviews 2 and 3; synopsis:
the summary section of the review that is neither.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import SHARED, keep, skip
from reviewscore.gem.backgrounds import Background, Primer
from reviewscore.gem.baselines import Compression, Variant
from reviewscore.gem.score import GEM_RAW, GEM_S
from reviewscore.gem.trial import GemOfPapers, subjects_of, trial
from reviewscore.gem.validation import Subject, mismatched
from reviewscore.sources.system_reviews import PEOPLE, Materials, SystemReview, TextForm
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.tables import markdown
from reviewscore.text.similarity import Bleu, RougeL, TextMetric, TextPair

if TYPE_CHECKING:
    import pandas as pd

FILE = SHARED / "iclr2023_reviews" / "iclr2023_reviews_dev.parquet"
EVALUATION_ROWS = 300
ROUNDS = 10
MASKED = (0.02, 0.05)
"""Share of the background's papers below which a word counts as one of the topic."""
_WORD = re.compile(r"\w+(?:['’\-]\w+)*")


def split() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Records of the papers that are scored, and of the background."""
    import pandas as pd

    rows = pd.read_parquet(FILE).sort_values(["paper_id", "reviewer"])
    return rows[rows.source_row < EVALUATION_ROWS], rows[rows.source_row >= EVALUATION_ROWS]


def materials(rows: pd.DataFrame) -> Materials:
    """Records as reviews."""
    papers: dict[str, list[SystemReview]] = {}
    for one in rows.itertuples():
        name = f"{one.paper_id}/{one.reviewer}"
        papers.setdefault(str(one.paper_id), []).append(
            SystemReview(
                str(one.paper_id), name, str(one.reviewer), PEOPLE, one.review, one.review_summary
            )
        )
    return Materials(papers, {})


def pair_area(metric: TextMetric, subjects: Sequence[Subject]) -> float:
    """Area under the ROC curve over single pairs, mean over derangements."""
    from sklearn.metrics import roc_auc_score

    def known(some: Sequence[Subject]) -> list[float]:
        pairs = [pair for one in some for pair in one.pairs() if pair is not None]
        return [score for score in metric.scores(pairs) if score is not None]

    own = known(subjects)
    areas = []
    for seed in range(ROUNDS):
        other = known(mismatched(subjects, seed=seed))
        truth = np.r_[np.ones(len(own)), np.zeros(len(other))]
        areas.append(roc_auc_score(truth, own + other))
    return float(np.mean(areas))


class Masked:
    """A metric that sees no word which few papers' reviews have."""

    def __init__(self, metric: TextMetric, often: Counter[str], least: float) -> None:
        self.name = f"{metric.name}, words of under {least:.0f} papers masked"
        self._metric, self._often, self._least = metric, often, least

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """Scores of the masked pairs."""
        return self._metric.scores(
            [
                TextPair(one.paper_id, self._mask(one.candidate), self._mask(one.reference))
                for one in pairs
            ]
        )

    def _mask(self, text: str) -> str:
        def kept(found: re.Match[str]) -> str:
            word = found.group(0)
            return word if self._often[word.lower()] >= self._least else "topic"

        return _WORD.sub(kept, text)


def often(background: pd.DataFrame) -> Counter[str]:
    """In how many papers' judgments each word stands."""
    counts: Counter[str] = Counter()
    for texts in background.groupby("paper_id")["review_summary"].apply(list):
        counts.update({word.lower() for text in texts for word in _WORD.findall(text)})
    return counts


def main() -> None:
    """Print all tables."""
    if not FILE.is_file():
        skip(f"no reviews at {FILE}")
        return
    scored, rest = split()
    given, known = materials(scored), materials(rest)
    evaluators = Background(known, Primer(None, say=print), given)
    how = Resampling(scheme="papers")
    for variant, others in ((GEM_S["stand-in"], [Bleu(), RougeL(), Compression()]), (GEM_RAW, [])):
        stands_in = Variant(variant.name, variant.form, "stand-in")
        subjects = subjects_of(given, stands_in, evaluators, candidate="1")
        raw = "-raw" if variant.form is TextForm.RAW else ""
        gems: list[TextMetric] = [
            GemOfPapers(evaluators, variant.form, synopsis=False, name=f"GEM{raw}"),
            GemOfPapers(evaluators, variant.form, synopsis=True, name=f"GEM-S{raw}"),
        ]
        print(f"\n# {len(subjects)} papers, {variant.form}\n")
        for table in trial([*gems, *others], subjects, resampling=how).tables[:-1]:
            print(markdown(table))
        print("## Area over single pairs, mean of 10 derangements\n")
        shown = [*gems, *others]
        if variant.form is TextForm.JUDGMENTS:
            papers = rest.paper_id.nunique()
            words = often(rest)
            shown += [Masked(gems[0], words, share * papers) for share in MASKED]
        for metric in shown:
            area = pair_area(metric, subjects)
            name = f"{variant.form}: area of {metric.name}, single pairs"
            keep(name, f"{area:.3f}", "chance 0.500", area / 0.5, "-", better="higher")
            print(f"- {metric.name}: {area:.3f}")


if __name__ == "__main__":
    main()
