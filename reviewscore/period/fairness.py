"""Whom flags fall on: rates by what reviews are like, for program chairs, before any delivery.

Rates are of groups of reviews, never of people: nothing names or ranks reviewers, and small groups
are withheld (`venue.panels`). A marker is a property of the text. It says nothing of who wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from reviewscore.errors import SettingsError
from reviewscore.files import write_whole
from reviewscore.pages.figures import FigurePage, html, markdown
from reviewscore.period.stop_rule import Said, read_sample, settled, sheets_of, verdicts_of
from reviewscore.period.venue import VenueFolder, is_venue, run_of
from reviewscore.runs.parts import read_parts
from reviewscore.schema.review import Review
from reviewscore.sources.collection import named_table, read_collection
from reviewscore.sources.strata import read_review_facts
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import PAPERS
from reviewscore.venue.outcomes import FALSE_ALARM
from reviewscore.venue.panels import AT_LEAST, Grouping, Venue
from reviewscore.venue.study import Strata, Studied, folders_of, study_venue
from reviewscore.venue.venue_page import tidy, venue_page

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ARTICLES = frozenset(("a", "an", "the"))
_LEAST_WORDS = 50
"""Words from which a rate of articles says something of a text."""
_MODEL = (
    r"(?:chat ?gpt|gpt-?\w*|claude|gemini|copilot|llama|an? (?:ai|llm)|ai|llms?"
    r"|(?:a |an )?(?:large )?language models?|(?:an? )?ai (?:tool|assistant)s?)\b"
)
_WROTE = r"(?:written|generated|drafted|produced|polished|edited|revised|translated|refined)"
_OWN = re.compile(
    rf"\bas an ai (?:language )?model\b"
    rf"|\b(?:this|my|the) (?:review|report|text of this review)\b[^.\n]{{0,30}}\b{_WROTE}\b"
    rf"[^.\n]{{0,30}}\b(?:by|with|using|through) (?:the help of )?{_MODEL}"
    rf"|\bI(?: have)? used? {_MODEL}[^.\n]{{0,30}}\b(?:write|draft|polish|edit|translat|rephras"
    r"|grammar|wording|writing|improve the (?:text|language))",
    re.IGNORECASE,
)
"""A review that says of itself that a model had a hand in it; of a paper's text it is no word."""
_ROUND = 20
"""A number from which its decimals are not shown."""


def study_fairness(
    runs: Sequence[Path],
    strata: Strata | None = None,
    *,
    judged: Sequence[Path] = (),
    at_least: int = AT_LEAST,
    how: Resampling = PAPERS,
    accept_changed: bool = False,
) -> Studied:
    """Rates of flags, and of false alarms, by what reviews are like.

    Args:
        runs: Run folders or venue folders, as of `study_venue`.
        strata: Where the data, areas and pseudonyms stand.
        judged: Sheets in which people judged a random sample of flags (`period.stop_rule`), drawn
            for the first of the runs; the one that its folder keeps if none is named, and without
            any there are no false alarms.
        at_least: Reviews that a row must have to be shown.
        how: How intervals are made.
        accept_changed: Go on with records that something else has changed, and say so.

    Raises:
        RunFolderError: A folder is no run, or no sample was drawn.
        SettingsError: The reviews are not at hand.
        InputError: A table, a sheet or the data cannot be used; names file, line and field.
    """
    where, folder = strata or Strata(), runs[0]
    if not where.data:
        where = replace(where, data=tuple(VenueFolder(run).data for run in runs if is_venue(run)))
    places = [run_of(run) for run in runs]
    data = folders_of(read_parts(places, accept_changed=accept_changed), where.data)
    if not data:
        raise SettingsError("the reviews are not at hand; name their folder with --data")
    facts = read_review_facts([named_table(path, "reviews") for path in data])
    known = {name for one in facts.values() for name in one.scores}
    reviews = (review for path in data for review in read_collection(path).reviews)
    where = replace(
        where,
        scores=tuple(name for name in ("rating", "confidence") if name in known),
        further=tuple(groupings_of(reviews)),
    )
    sheets = sheets_of(folder, judged)
    verdicts = _verdicts(folder, sheets) if sheets else None
    return study_venue(
        places, where, at_least=at_least, how=how, judged=verdicts, accept_changed=accept_changed
    )


def _verdicts(folder: Path, judged: Sequence[Path]) -> dict[str, bool]:
    """Whether people call a flag of the sample right; without those they differ on."""
    together = settled(read_sample(folder), verdicts_of(judged))
    sure = (Said.RIGHT, Said.WRONG)
    return {point: said is Said.RIGHT for point, said in together.items() if said in sure}


def groupings_of(reviews: Iterable[Review]) -> Iterator[Grouping]:
    """Partitions of reviews by their length, by how many articles they have, and by what they say.

    Args:
        reviews: All reviews of the venue; each is read once and not kept.
    """
    words: dict[str, float] = {}
    articles: dict[str, float] = {}
    says: dict[str, str] = {}
    for review in reviews:
        text = "\n".join(review.fields.values())
        found = _WORD.findall(text)
        words[review.review_id] = len(found)
        if len(found) >= _LEAST_WORDS:
            articles[review.review_id] = articles_of(found)
        says[review.review_id] = "says so" if _OWN.search(text) else "does not say so"
    yield Grouping("length", "By length of the review", *_thirds(words, "words"), notes=(
        "Thirds of the reviews by their words. A longer review has more points, and so more that "
        "can be flagged: rates are of points.",
    ))  # fmt: skip
    yield Grouping(
        "articles", "By articles (a, an, the) in a hundred words",
        *_thirds(articles, "in a hundred words"), notes=(
            "A surface marker: writers whose first language has no articles leave out more of "
            "them, and so do lists of short notes, formulas and quoted text. It tells nothing of "
            f"any one writer. Reviews of fewer than {_LEAST_WORDS} words are not in it.",
        ))  # fmt: skip
    yield Grouping("declared", "By whether the review says that a model had a hand in it", says,
                   ("says so", "does not say so"), (
        "By the review's own words alone, such as 'this review was polished with ChatGPT'. Nothing "
        "is guessed from style, and most who use one may not say so.",
    ))  # fmt: skip


def articles_of(words: Sequence[str]) -> float:
    """Articles in a hundred words of a text; it must have words."""
    return 100 * sum(word.casefold() in _ARTICLES for word in words) / len(words)


def _thirds(values: Mapping[str, float], unit: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Reviews by the third that they lie in, and the names of the thirds; equal values together."""
    if not values:
        return {}, ()
    low, high = np.quantile(list(values.values()), (1 / 3, 2 / 3))
    first, last = (f"{end:,.0f}" if end >= _ROUND else f"{end:.1f}" for end in (low, high))
    names = (f"lowest third (up to {first} {unit})", "middle third",
             f"highest third (above {last} {unit})")  # fmt: skip
    return {
        key: names[int(value > low) + int(value > high)] for key, value in values.items()
    }, names


def fairness_page(venue: Venue) -> FigurePage:
    """The rates as a page for program chairs."""
    page = venue_page(venue)
    few = (
        f"No false alarms in a row: fewer than {venue.at_least} of its reviews, or reviews by "
        f"fewer than {venue.at_least_reviewers} reviewers, have judged flags, or it is the next "
        "smallest."
    )
    alarms = () if FALSE_ALARM.name in venue.measures else (
        "No judged flags were given (--judged), so that false alarms are not measured: a group "
        "that is flagged more often may also be misinformed more often.",
    )  # fmt: skip
    return replace(
        page,
        title="Whom flags fall on",
        lead=f"{page.lead} Read it before anything is delivered: where false alarms differ between "
        "groups by more than their intervals, the judge treats their reviews unequally.",
        banners=(*page.banners, *alarms),
        foot=page.foot if alarms else (*page.foot, few),
    )


def write_fairness(venue: Venue, out: Path, *, allow_foreign: bool = False) -> list[Path]:
    """Write the page as HTML or Markdown, or its rows as CSV, by the file's ending.

    Args:
        venue: The rates.
        out: Its place; a file that is there is replaced.
        allow_foreign: Of no account, since no folder is written.

    Raises:
        SettingsError: The ending is none of these.
        RunFolderError: The file cannot be written.
    """
    match out.suffix.lower():
        case ".html" | ".htm":
            text = html(fairness_page(venue))
        case ".md":
            text = markdown(fairness_page(venue))
        case ".csv":
            text = tidy(venue)
        case ending:
            raise SettingsError(f"unknown ending '{ending}'; use .html, .md or .csv")
    write_whole(out, text, named=True)
    return [out]
