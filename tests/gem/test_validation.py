"""The workflow as a whole, on invented reviews and with a tiny evaluation model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reviewscore.errors import InputError
from reviewscore.gem.alterations.alteration import Altered, with_others
from reviewscore.gem.alterations.rules import ALTERATIONS, LADDER
from reviewscore.gem.estimator import Gem, Scored
from reviewscore.gem.trial import area_table, differences, intervals, ladder_table, numbers
from reviewscore.gem.validation import (
    NO_REFERENCE,
    AlteredSet,
    Subject,
    Validation,
    altered_set,
    areas,
    ladder,
    mismatched,
    validate,
)
from reviewscore.sources.system_reviews import TextForm
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.tables import as_csv, guarded, latex, markdown
from reviewscore.text.similarity import RougeL, TextMetric, TextPair
from tests.gem.invented import Unigrams, case, subjects

FEW = Resampling(resamples=200, scheme="papers")
DELETION, SHUFFLED = ALTERATIONS[:2]


class Length:
    """Scores how long a candidate is, and remembers what it was asked."""

    name = "length"

    def __init__(self) -> None:
        self.asked: list[TextPair] = []

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        self.asked += pairs
        return [float(len(one.candidate)) for one in pairs]


class Fussy:
    """Scores the length of the reference, and none of the references it does not like."""

    name = "fussy"

    def scored(self, pairs: Sequence[TextPair]) -> list[Scored]:
        return [
            Scored(None, "it is bad") if "bad" in f"{one.candidate} {one.reference}"
            else Scored(float(len(one.reference) + len(one.candidate)))
            for one in pairs
        ]  # fmt: skip

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        return [one.value for one in self.scored(pairs)]


def validated(*metrics: TextMetric) -> Validation:
    papers = subjects()
    sets = [altered_set(one, papers) for one in (*ALTERATIONS, *LADDER)]
    return validate(metrics, papers, sets, resampling=FEW)


def test_gem_notices_what_takes_information_away() -> None:
    found = validated(Gem(Unigrams()))

    for name in ("sentence deletion", "shuffled paper", "keep 40 %", "keep 20 %"):
        outcome = found.outcome("GEM", name)
        assert (outcome.effect.direction, outcome.met) == ("falls", True), name
        assert outcome.effect.d is not None
        assert outcome.effect.high is not None
        assert outcome.effect.high < 0
    whole = found.outcome("GEM", "keep 100 %")
    assert (whole.effect.d, whole.unchanged, whole.met) == (0.0, 12, True)


def test_every_pair_is_scored_once() -> None:
    papers, metric = subjects(), Length()
    same = AlteredSet(LADDER[0], tuple((Altered(x.case.candidate),) * 2 for x in papers))

    validate([metric], papers, [altered_set(DELETION, papers), same], resampling=FEW)

    assert len(metric.asked) == len(set(metric.asked)) == 2 * 2 * len(papers)


def test_the_unit_is_the_paper_and_its_references_are_averaged_first() -> None:
    one = Subject(case("abc", TextForm.JUDGMENTS), ("r", "rrr"))
    two = replace(one, case=replace(one.case, paper_id="other"), references=("rr",))
    done = AlteredSet(DELETION, ((Altered("ab"), Altered("ab")), (Altered("a"),)))

    effect = validate([Fussy()], [one, two], [done], resampling=FEW).outcomes[0].effect

    assert effect.n == 2
    assert effect.before == pytest.approx(((3 + 1 + 3 + 3) / 2 + 3 + 2) / 2)
    assert effect.after == pytest.approx(((2 + 1 + 2 + 3) / 2 + 1 + 2) / 2)


def test_a_reference_counts_only_with_both_scores_and_losses_are_counted_by_reason() -> None:
    one = Subject(case("abc", TextForm.JUDGMENTS), ("bad", "rrr"))
    given = [
        replace(one, case=replace(one.case, paper_id=str(number)), references=references)
        for number, references in enumerate([("bad", "rrr"), ("r",), ("bad",), (), ("r",), ("r",)])
    ]
    texts = ("ab", "ab", "ab", "ab", None, "bad")
    made = [Altered(text, "" if text else "too short") for text in texts]
    done = AlteredSet(
        DELETION,
        tuple((one,) * len(x.references) for one, x in zip(made, given, strict=True)),
    )

    found = validate([Fussy()], given, [done], resampling=FEW)

    outcome = found.outcomes[0]
    assert outcome.effect.n == 2
    assert outcome.dropped == {"it is bad": 2, NO_REFERENCE: 1, "too short": 1}
    assert outcome.pairs == 2
    assert outcome.dropped_pairs == {"it is bad": 3, "too short": 1}
    page = markdown(differences(found))
    assert "2 of 6 papers, 2 pairs; 4 pairs left out (3 it is bad; 1 too short)" in page


@pytest.mark.parametrize("what", ["paper", "metric", "alteration"])
def test_what_comes_twice_is_refused(what: str) -> None:
    papers, metrics = subjects(), [Length()]
    sets = [altered_set(DELETION, papers)]
    doubled = {
        "paper": (metrics, [*papers, papers[0]], sets),
        "metric": (metrics * 2, papers, sets),
        "alteration": (metrics, papers, sets * 2),
    }

    with pytest.raises(InputError, match=f"{what} .* comes twice"):
        validate(*doubled[what], resampling=FEW)


def test_without_papers_everything_is_undefined_and_says_so() -> None:
    found = validate([Length()], [], [altered_set(DELETION, [])], resampling=FEW)

    assert found.outcomes[0].effect.d is None
    assert found.outcomes[0].met is None
    assert "no paper has a score before and after" in markdown(differences(found))


def test_mismatched_candidates_are_another_papers_and_the_rest_stays_together() -> None:
    papers = subjects()

    for own, other in zip(papers, mismatched(papers), strict=True):
        assert other.case.candidate != own.case.candidate
        assert (other.case.synopsis, other.references) == (own.case.synopsis, own.references)
    texts = [sorted(x.case.candidate for x in some) for some in (papers, mismatched(papers))]
    assert texts[0] == texts[1]


def test_a_reference_with_a_synopsis_of_its_own_sees_that_one_alone() -> None:
    one = replace(subjects()[0], synopses=("first of it", "second of it"))
    synopsis = next(each for each in ALTERATIONS if each.name == "synopsis as review")

    made = altered_set(synopsis, [one]).candidates[0]

    assert [x.text for x in made] == ["first of it", "second of it"]
    pairs = one.pairs([x.text for x in made])
    assert [x.synopsis for x in pairs if x is not None] == ["first of it", "second of it"]


def test_gem_tells_a_papers_own_reviews_from_another_papers() -> None:
    both = areas([Gem(Unigrams()), Length()], subjects(), resampling=FEW)
    gem, blind = (each.estimate for each in both)

    assert gem.value is not None
    assert gem.value > 0.8
    assert gem.n == 12
    assert blind.value == pytest.approx(0.5)


def test_more_rounds_draw_more_other_papers() -> None:
    metric = Length()

    found = areas([metric], subjects(1), rounds=3, resampling=FEW)[0].estimate

    assert len(metric.asked) > 3 * 12
    assert found.n == 12


def test_papers_without_one_of_the_scores_are_left_out_of_the_area() -> None:
    papers = subjects()
    papers[0] = replace(papers[0], references=("bad",))

    found = areas([Fussy()], papers, resampling=FEW)[0].estimate

    assert found.n == 11
    assert found.dropped == {"it is bad": 1}


def test_the_table_says_falls_rises_and_what_a_good_metric_does() -> None:
    found = validated(Length(), RougeL())

    table = differences(found, ALTERATIONS)
    page = markdown(table)

    assert len(table.columns) == 1 + len(ALTERATIONS)
    good, length, _ = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert (good["sentence deletion"], good["duplicated lines"]) == ("falls", "does not rise")
    assert str(length["sentence deletion"]).endswith(" falls")
    assert str(length["duplicated lines"]).endswith(" rises !")
    assert "falls" in page
    assert "\\toprule" in latex(table)
    assert "12 of 12 papers, 24 pairs" in page


def test_the_table_of_intervals_has_one_for_every_number() -> None:
    found = validated(RougeL())

    table = intervals(found, ALTERATIONS[:2], name="t4", title="As table 4")

    page, lines = markdown(table), as_csv(table).splitlines()
    assert page.count("[") == 2
    assert "paired design" in page
    assert len(lines) == 3
    assert "RougeL" not in page
    assert latex(table).count("tabular") == 2


def test_all_numbers_are_given_unrounded_with_reasons() -> None:
    found = validated(RougeL())

    lines = as_csv(numbers(found)).splitlines()

    assert len(lines) == 1 + len(found.outcomes)
    assert lines[1].startswith("ROUGE-L,sentence deletion,degradation,-")
    assert "no score changed" in as_csv(numbers(found))
    assert "nan" not in as_csv(numbers(found)).lower()


def test_areas_and_ladders_have_their_tables() -> None:
    found = validated(RougeL())
    steps = {each.name: found.outcome("ROUGE-L", each.name).after for each in LADDER}

    areas_page = markdown(area_table(areas([RougeL()], subjects(), resampling=FEW)))
    ladder_page = markdown(ladder_table({"ROUGE-L": ladder(steps)}))

    assert "area under the ROC curve" in areas_page
    assert "keep 100 % to keep 80 %" in ladder_page
    assert "n=12" in ladder_page


@pytest.mark.parametrize(
    ("cell", "shown"),
    [("-0.5", "-0.5"), ("-1e-05", "-1e-05"), ("-a", "'-a"), ("=1", "'=1"), ("", ""), ("a", "a")],
)
def test_negative_numbers_are_no_formulas(cell: str, shown: str) -> None:
    assert shown == guarded(cell)


@pytest.mark.shared
def test_overlap_tells_real_papers_apart_and_real_reviews_can_be_altered(shared: Path) -> None:
    import pandas as pd

    rows = pd.read_parquet(shared / "iclr2023_reviews" / "iclr2023_reviews_dev.parquet")
    rows = rows[rows["source_row"] < 60]
    texts = {
        str(name): {int(row.reviewer): str(row.review) for row in paper.itertuples()}
        for name, paper in rows.groupby("paper_id")
    }
    cases = with_others([replace(case(one[1]), paper_id=name) for name, one in texts.items()])
    papers = [Subject(one, (texts[one.paper_id][2], texts[one.paper_id][3])) for one in cases]

    found = areas([RougeL()], papers, resampling=FEW)[0].estimate
    done = [altered_set(one, papers) for one in (*ALTERATIONS, *LADDER)]

    assert found.value is not None
    assert found.value > 0.6
    missing = {x.reason for one in done for y in one.candidates for x in y if x.text is None}
    assert missing == {"the paper has no synopsis"}
