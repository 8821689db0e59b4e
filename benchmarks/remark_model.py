"""Fit the models that tell the type and kind of a remark, and compare them with rules.

    python -m benchmarks.remark_model [--labels FILE ...] [--write]

Trained on the points that readers marked in `annotations/points-dev` (the open half, and `train`
where it is there), whose texts are not part of this repository, and on the invented remarks of
`remark_examples.csv`. Measured on the open half by cross-validation: a paper is never in training
and test at once, and what is not of the open half is in training only. With ``--write`` the
weights of all labels together are written with their card to the package.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks.measure import SHARED, head, row, skip
from benchmarks.points_measured import FILES, HOW, LABELS, reviews_of
from reviewscore.judges.lexical.argument import conclusion_and_reasons
from reviewscore.judges.lexical.forms import is_interrogative, sentences_of
from reviewscore.judges.lexical.remarks import CUES, WEIGHTS, remark_features
from reviewscore.points.sections import sections_of
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.review import Review, Role
from reviewscore.sources.point_labels import read_point_labels, reviews_named
from reviewscore.stats.estimates import BootstrapPlan, Estimate
from reviewscore.stats.metrics import nominal_kappa
from reviewscore.stats.resampling import Clusters
from reviewscore.stats.statistic import Floats
from reviewscore.text.linear import LinearModel, fitted_model, weights_json

EXAMPLES = Path(__file__).with_name("remark_examples.csv")
FOLDS = 10
SEED = 0
PENALTY = 0.05
"""Inverse strength of the L2 penalty; chosen of 0.03, 0.05, 0.1, 0.2 and 0.3 in the same folds."""
LEAST = 4.0
"""Weight of the remarks that a feature must occur in."""
INVENTED = 8.0
"""Weight of an invented remark; a point of a further reader has 1."""
ASKED = ("type", "kind")


@dataclass(frozen=True)
class Remark:
    """One labelled remark.

    Attributes:
        source: The data it is of, or ``invented``.
        paper: Its paper.
        reader: Who labelled it: ``A``, ``B``, or what is in training only.
        text: Its words.
        role: Of the section it stands in.
        values: Its type and kind.
        weight: In training; two readers of the same points count half each.
    """

    source: str
    paper: str
    reader: str
    text: str
    role: Role | None
    values: Mapping[str, str]
    weight: float


def role_of(review: Review, label: PointLabel) -> Role | None:
    """The role of the section in which a point begins."""
    first = label.spans[0]
    around = [
        section.role
        for section in sections_of(review)
        if section.field == first.field and section.start <= first.start < section.end
    ]
    return around[-1] if around else None


def remarks_of(files: Iterable[Path], data: Path) -> list[Remark]:
    """The labelled points of these files whose reviews are in the data."""
    remarks = []
    for file in files:
        reviews = reviews_of(reviews_named([file]), FILES, data)
        reader = file.stem[-1] if file.parent.name == "open" else "more"
        for label in read_point_labels([file], reviews).labels:
            if not label.is_point:
                continue
            review = reviews[label.review_id]
            text = "\n".join(
                review.fields[span.field][span.start : span.end] for span in label.spans
            )
            remarks.append(
                Remark(
                    label.source or "neurips/submissions",
                    label.paper_id,
                    reader,
                    text,
                    role_of(review, label),
                    {"type": label.type.value, "kind": label.kind.value},
                    1.0 if reader == "more" else 0.5,
                )
            )
    return remarks


def invented() -> list[Remark]:
    """Remarks that were made up to say what the codebook says."""
    with EXAMPLES.open(encoding="utf-8") as file:
        return [
            Remark("invented", "", "more", case.pop("text"), None, case, INVENTED)
            for case in csv.DictReader(file)
        ]


def fitted(
    remarks: Sequence[Remark], features: Sequence[Mapping[str, float]], asked: str
) -> LinearModel:
    """A logistic regression on features that are not too rare."""
    totals: Counter[str] = Counter()
    for remark, values in zip(remarks, features, strict=True):
        totals.update(dict.fromkeys(values, remark.weight))
    kept = [{n: v for n, v in values.items() if totals[n] >= LEAST} for values in features]
    vectorizer = DictVectorizer()
    table = vectorizer.fit_transform(kept)
    model = LogisticRegression(C=PENALTY, max_iter=3000)
    model.fit(
        table,
        [remark.values[asked] for remark in remarks],
        sample_weight=[remark.weight for remark in remarks],
    )
    return fitted_model(
        model.classes_, model.coef_, model.intercept_, vectorizer.get_feature_names_out()
    )


def cross_validated(
    remarks: Sequence[Remark], features: Sequence[Mapping[str, float]], asked: str
) -> list[str | None]:
    """What a model says of each remark of the open half whose paper it was not fitted on."""
    papers = sorted({remark.paper for remark in remarks if remark.reader != "more"})
    order = np.random.default_rng(SEED).permutation(len(papers))
    fold = {paper: int(place) % FOLDS for paper, place in zip(papers, order, strict=True)}
    said: list[str | None] = [None] * len(remarks)
    for number in range(FOLDS):
        inside = [i for i, r in enumerate(remarks) if fold.get(r.paper) != number]
        model = fitted([remarks[i] for i in inside], [features[i] for i in inside], asked)
        for i, remark in enumerate(remarks):
            if remark.reader != "more" and fold[remark.paper] == number:
                said[i] = model.choose(features[i])
    return said


def by_rule(text: str, asked: str) -> str:
    """The rule that the models replace; of the kind, the plainest one."""
    asks = any(is_interrogative(sentence) for sentence in sentences_of(text))
    if asked == "kind":
        return "question" if asks else "criticism"
    return "question" if asks else ("argument" if conclusion_and_reasons(text)[1] else "claim")


@dataclass(frozen=True)
class Comparison:
    """Kappa of rule and model with a reader, and how much the model's is higher."""

    rule: Estimate
    model: Estimate
    gain: Estimate


def compared(
    remarks: Sequence[Remark], said: Sequence[str | None], asked: str, names: Sequence[str]
) -> Comparison:
    """Cohen's kappa of the rule and of the model with the labels of these remarks, by paper."""

    def column(values: Iterable[str | None]) -> Floats:
        return np.array([names.index(str(value)) for value in values], dtype=np.float64)

    labels = column(remark.values[asked] for remark in remarks)
    rule, model = (
        nominal_kappa(labels, column(values), len(names))
        for values in ([by_rule(remark.text, asked) for remark in remarks], said)
    )
    plan = BootstrapPlan(Clusters.by([remark.paper for remark in remarks]), HOW)
    slots = plan.ask(rule), plan.ask(model), plan.ask(model, minus=rule)
    plan.run()
    return Comparison(*(slot.answer for slot in slots))


def in_words(estimate: Estimate) -> str:
    """A figure with its interval, as the card has it."""
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def measure(
    remarks: Sequence[Remark], features: Sequence[Mapping[str, float]]
) -> dict[str, dict[str, str]]:
    """Print the figures of each source and reader, and what the models miss; those of all."""
    figures: dict[str, dict[str, str]] = {}
    for asked in ASKED:
        names = sorted({remark.values[asked] for remark in remarks})
        said = cross_validated(remarks, features, asked)
        head(f"{asked.capitalize()} of a remark: kappa with readers, cross-validated by paper")
        for source in (*sorted({r.source for r in remarks if r.reader != "more"}), "all"):
            for reader in ("A", "B"):
                chosen = [
                    i
                    for i, remark in enumerate(remarks)
                    if remark.reader == reader and source in ("all", remark.source)
                ]
                part = [remarks[i] for i in chosen]
                made = compared(part, [said[i] for i in chosen], asked, names)
                row(
                    f"{source}, reader {reader} (n = {len(part)})",
                    in_words(made.model),
                    f"rule {in_words(made.rule)}",
                    None,
                    f"gain {in_words(made.gain)}",
                    better="higher",
                )
                if source == "all":
                    figures.setdefault(asked, {})[f"reader {reader}"] = (
                        f"kappa {in_words(made.model)}, n = {len(part)}; by rule "
                        f"{in_words(made.rule)}; difference {in_words(made.gain)}"
                    )
        missed = Counter(
            (remark.values[asked], value)
            for remark, value in zip(remarks, said, strict=True)
            if value is not None and value != remark.values[asked]
        )
        for (label, value), count in missed.most_common():
            print(f"  {label} taken for {value}: {count} (both readers)")
    return figures


def write(
    remarks: Sequence[Remark],
    features: Sequence[Mapping[str, float]],
    figures: Mapping[str, Mapping[str, str]],
) -> None:
    """Write the weights of all labels, with their card."""
    counts = Counter(remark.reader for remark in remarks)
    sources = Counter(remark.source for remark in remarks)
    card = {
        "what": "Type and kind of a point of a review (codebook 2): logistic regressions.",
        "data": (
            f"{counts['A']} and {counts['B']} points of two readers of the open half of "
            f"annotations/points-dev, {counts['more'] - sources['invented']} of readers of "
            f"further reviews, {sources['invented']} invented remarks; readers are models."
        ),
        "features": "Named after what they are; see reviewscore/judges/lexical/remarks.py.",
        "figures": figures,
        "measured": "Cross-validation by paper on the open half; 95 % intervals by paper.",
        "fitted by": f"benchmarks/remark_model.py, L2, C = {PENALTY}",
        "cues": sha256(CUES.read_bytes()).hexdigest(),
        "licence": "That of the package; no text of a review is in it.",
    }
    models = {asked: fitted(remarks, features, asked) for asked in ASKED}
    WEIGHTS.write_text(weights_json(card, models), "utf-8")


def main() -> None:
    """Compare models and rules, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description="Models of the type and kind of a remark.")
    parser.add_argument("--labels", type=Path, nargs="+", help="label files, JSONL")
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--write", action="store_true", help="write the weights of the package")
    arguments = parser.parse_args()
    files = arguments.labels or [
        *sorted((LABELS / "open").glob("[!f]*-[AB].jsonl")),
        *sorted((LABELS / "train").glob("*.jsonl")),
    ]
    if not all((arguments.data / file).is_file() for file in FILES.values()):
        skip(f"no reviews in {arguments.data}")
        return
    remarks = [*remarks_of(files, arguments.data), *invented()]
    features = [remark_features(remark.text, remark.role) for remark in remarks]
    figures = measure(remarks, features)
    if arguments.write:
        write(remarks, features, figures)


if __name__ == "__main__":
    main()
