"""The numbers of a run, as plain data: counts, shares with intervals, histograms, cost."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from reviewscore.arguments.aggregate import round_half_up
from reviewscore.config import EMBEDDED, Plain
from reviewscore.files import write_whole
from reviewscore.pages.wording import passage_doubts
from reviewscore.report.argument_counts import ArgumentCounts, LoopTally
from reviewscore.runs.folder import SUMMARY, changed_records, read_manifest, read_points
from reviewscore.runs.manifest import ConsentCounts, Manifest, PagesShown, Spending
from reviewscore.runs.unvalidated import worth_words
from reviewscore.schema.author_answer import AlignmentMethod, AnswerStance
from reviewscore.schema.paper import DoubtKind, UnreadTotal
from reviewscore.schema.place import Place
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.record import Record
from reviewscore.schema.review import PointType
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.schema.verdict import Finding, UnknownReason
from reviewscore.stats.resampling import wilson

UNTYPED = "untyped"
"""Name of the row for points that failed before their type was known."""

LEXICAL_NOTE = (
    "The lexical judge is an evidence finder: it points at passages of the paper to read, gives no "
    "score and judges no truth; its silence on a point means nothing."
)

Five = tuple[int, int, int, int, int]
"""How often each of the scores 1, 2, 3, 4 and 5 was given."""

_KNOWN = (True, False, None)
_TYPES = (*(kind.value for kind in PointType), UNTYPED)


class StatusCounts(Record):
    """Points of one type by how scoring them ended.

    Attributes:
        scored: With a score.
        unknown: With an honest absence of one.
        unscored: With a finding of the embedded judge, which gives no score.
        error: Failed.
    """

    scored: int = 0
    unknown: int = 0
    unscored: int = 0
    error: int = 0

    @property
    def total(self) -> int:
        """All points of the type."""
        return self.scored + self.unknown + self.unscored + self.error


class Share(Record):
    """Share of misinformed points among those where this is known.

    Attributes:
        misinformed: Points judged misinformed.
        n: Points where `misinformed` is known; unknown and failed points are not in it.
        unknown: Points without a verdict on this.
        error: Points that failed.
        share: ``misinformed / n``, 0..1; None if n is 0, or points were judged on excerpts.
        low: Lower end of the 95 % Wilson interval of the share.
        high: Upper end.
        unquoted: Of the misinformed points, those where no verdict that says so has a quote that
            is in the paper.
    """

    misinformed: int
    n: int
    unknown: int
    error: int
    share: float | None
    low: float | None
    high: float | None
    unquoted: int = 0


class Responses(Record):
    """What the authors' responses change (ReviewScore, sec. 4.4).

    Attributes:
        n: Points that were judged with and without a response, where both are known.
        changed: Those that are misinformed by one and not by the other.
        settled: Of these, misinformed only with the response.
        excused: Of these, misinformed only without it.
        unknown: Points with a response where one of the two is not known.
        share: `changed` of `n`, 0..1; None if `n` is 0.
        low: Lower end of its 95 % Wilson interval.
        high: Upper end.
    """

    n: int
    changed: int
    settled: int
    excused: int
    unknown: int
    share: float | None
    low: float | None
    high: float | None


class NamedPlaces(Record):
    """Places of the papers that points name.

    Attributes:
        points: Points that name one or more.
        places: Places named, each counted once a point.
        at_hand: Those of them that the text at hand holds; that others are not there is no fault
            of the reviews'.
    """

    points: int = 0
    places: int = 0
    at_hand: int = 0

    def and_of(self, places: Iterable[Place]) -> NamedPlaces:
        """These and the places of one point more."""
        named = {place.label: place.target is not None for place in places}
        return NamedPlaces(
            points=self.points + bool(named),
            places=self.places + len(named),
            at_hand=self.at_hand + sum(named.values()),
        )


class AlignedResponses(Record):
    """What of the authors' responses was aligned with points.

    Attributes:
        points: Points of reviews that authors responded to.
        answered: Those of them that something of the response was aligned with.
        stances: Answered points by what the authors say of them, by plain cues.
        methods: Aligned stretches by how that was done.
    """

    points: int = 0
    answered: int = 0
    stances: dict[AnswerStance, int] = Field(default_factory=lambda: dict.fromkeys(AnswerStance, 0))
    methods: dict[AlignmentMethod, int] = Field(
        default_factory=lambda: dict.fromkeys(AlignmentMethod, 0)
    )

    def and_of(self, score: PointScore) -> AlignedResponses:
        """These and one point more."""
        stances, methods, leading = dict(self.stances), dict(self.methods), score.leading_answer
        if leading is not None:
            stances[leading.stance] += 1
        for answer in score.author_answers or ():
            methods[answer.method] += 1
        return AlignedResponses(
            points=self.points + 1,
            answered=self.answered + (leading is not None),
            stances=stances,
            methods=methods,
        )


class SuppliedShare(Record):
    """Share of points that the paper speaks to, which is no flag.

    Attributes:
        supplied: Such points; those that are misinformed besides are among them.
        n: Points where that is known.
        unknown: Points where it is not.
        share: ``supplied / n``, 0..1; None if n is 0, or points were judged on excerpts.
        low: Lower end of the 95 % Wilson interval of the share.
        high: Upper end.
    """

    supplied: int
    n: int
    unknown: int
    share: float | None
    low: float | None
    high: float | None


class PresuppositionCounts(Record):
    """What looks at presuppositions say beside `JudgedCounts.overall`, to which it is never added.

    Attributes:
        overall: Share of points that the paper speaks to.
        per_type: The same by type.
        acknowledged: By type, points that are not misinformed and criticise what the authors state
            themselves.
        bundled: Points of several parts.
        parts_misinformed: Such points that are known not to be misinformed, of which another
            part is.
        contested: Points that are unknown since looks differ.
    """

    overall: SuppliedShare
    per_type: dict[str, SuppliedShare]
    acknowledged: dict[str, int]
    bundled: int = 0
    parts_misinformed: int = 0
    contested: int = 0


class ArgumentFailures(Record):
    """By what arguments fail that are misinformed by their premises; `Share` counts them all.

    Attributes:
        fact: By a fact alone.
        link: By their inference alone: the facts hold, the conclusion does not follow.
        mixed: By both.
        unknown: A link fails, and whether the facts hold is not known.
    """

    fact: int = 0
    link: int = 0
    mixed: int = 0
    unknown: int = 0

    def and_of(self, score: PointScore) -> ArgumentFailures:
        """These and one such argument more."""
        name = "unknown" if score.failure is None else score.failure.value
        return self.model_copy(update={name: getattr(self, name) + 1})


class JudgedCounts(Record):
    """What a model's scores say.

    Attributes:
        overall: Share over all points.
        per_type: Share by type. Of arguments, the conjunction of the premises decides where it
            was asked for, else the score of the whole (ReviewScore, sec. 3.1).
        base: Scores 1..5 of the BASE ReviewScore by type (unanswerability of questions,
            factuality of claims and arguments: two scales, so never added up).
        weighted: Scores of arguments by weighted average, rounded half up.
        failures: By what arguments among the misinformed points fail, where premises decide; None
            where no argument is misinformed by them.
        panel: Points that several judges scored.
        divided: Those of them on which some judges say misinformed and others do not.
        calibrated: Share after a calibration by human labels, of the points that it covers; None
            where none was asked for.
        responses: What the authors' responses change; None where judges saw none.
        presuppositions: The other level of ``--protocol presupposition``; None of other protocols,
            in which `base` is standing.
    """

    overall: Share
    per_type: dict[str, Share]
    base: dict[str, Five]
    weighted: Five
    failures: ArgumentFailures | None = None
    panel: int = 0
    divided: int = 0
    calibrated: Share | None = None
    responses: Responses | None = None
    presuppositions: PresuppositionCounts | None = Field(
        default=None, exclude_if=lambda value: value is None
    )


class ExcerptCounts(Record):
    """Points whose judge saw excerpts of the paper.

    Attributes:
        points: How many.
        undecidable: Those of them that are unknown since excerpts cannot show what was said.
        median_share: Median share of a paper that was seen, 0..1.
    """

    points: int
    undecidable: int
    median_share: float


class Replies(Record):
    """Replies of models that held no record: broken, cut off, of another form, withheld.

    Attributes:
        unusable: Such replies; all but the last to a question were asked for again.
        n: Replies that were read.
        share: ``unusable / n``, 0..1.
        low: Lower end of its 95 % Wilson interval.
        high: Upper end.
    """

    unusable: int
    n: int
    share: float
    low: float
    high: float

    @classmethod
    def of(cls, spending: Spending) -> Replies | None:
        """Those of a run; None where they were not counted."""
        if not spending.replies:
            return None
        bad, n = spending.unusable, spending.replies
        low, high = wilson(bad, n)
        return cls(unusable=bad, n=n, share=bad / n, low=low, high=high)


class Summary(Record):
    """The numbers of one run, as written to ``summary.json``.

    Attributes:
        reviewscore_version: Version of reviewscore that wrote it; several with commas between.
        judge: ``lexical``, or the model asked for; of a panel all of them.
        judge_version: Version of the embedded judge; None for models.
        model: The model asked for; None for the embedded judge.
        models_answered: The models that the provider says answered.
        complete: Whether the last session reached the end.
        selection: Settings that left points out on purpose; empty for a whole run.
        papers: Papers of the run, those without points too.
        reviews: Reviews of the run, those without points too.
        reviews_without_points: Reviews in which no point was found.
        bad_lines: Lines of the input that could not be read and were left out.
        points: Points of the run.
        no_points: What was taken out of reviews and is no point (kind ``none``): not judged, and
            in no other number here.
        counts: Points by type (``question``, ``claim``, ``argument``, ``untyped``) and status.
        judged: Shares and histograms of a model's scores; None for the embedded judge.
        findings: Points of each type by what the embedded judge says; None for models. They are
            counts: no rate is made of them.
        places: Places that points name; None where they were not read, as before.
        languages: Reviews with points in another language than English, by its ISO 639 code.
        aligned: What of the authors' responses was aligned with points; None without a response.
        note: What must be said beside these numbers.
        validation: What the latest validation of the judge says, or that there is none of the
            embedded judge or of replies in a folder; None where `note` says that.
        arguments: How reconstructing the arguments went; None where none was asked for.
        spending: Calls, tokens and dollars.
        replies: How many replies could not be used; None where they were not counted.
        seconds: Time of all sessions.
        sessions: How many sessions the run took.
        doubtful: Papers that were badly read, or hold hidden text or text for a model.
        unread: How much of the papers judges did not see; None if they saw everything.
        pages: What judges saw of papers as images; None where they read text alone.
        prompts: Prompts that the records rest on, as ``judge/v1``, with their SHA-256.
        changed: Files of records that something else than reviewscore changed after the run.
        versions: Papers that may not be what reviewers read, by the kind of doubt.
        after_review: Points that are not flagged because what speaks against them came after the
            reviews, by the kind of doubt.
        excerpts: Points that were judged on excerpts; None where none was.
        consent: What was not judged, for want of consent; None where nothing was left out.
    """

    schema_id: Literal["reviewscore.summary/1"] = Field(
        default="reviewscore.summary/1", alias="schema"
    )
    reviewscore_version: str
    judge: str
    judge_version: str | None
    model: str | None
    models_answered: tuple[str, ...]
    complete: bool
    selection: dict[str, Plain]
    papers: int
    reviews: int
    reviews_without_points: int
    bad_lines: int
    points: int
    no_points: int = Field(default=0, exclude_if=lambda value: not value)
    counts: dict[str, StatusCounts]
    judged: JudgedCounts | None
    findings: dict[str, dict[str, int]] | None
    places: NamedPlaces | None = None
    languages: dict[str, int] = Field(default_factory=dict)
    aligned: AlignedResponses | None = None
    note: str | None
    validation: str | None = None
    arguments: ArgumentCounts
    spending: Spending
    replies: Replies | None = None
    seconds: float
    sessions: int = 1
    doubtful: tuple[str, ...] = ()
    unread: UnreadTotal | None = None
    pages: PagesShown | None = Field(default=None, exclude_if=lambda value: value is None)
    prompts: dict[str, str] = Field(default_factory=dict)
    changed: tuple[str, ...] = ()
    versions: dict[DoubtKind, tuple[str, ...]] = Field(
        default_factory=dict, exclude_if=lambda value: not value
    )
    after_review: dict[DoubtKind, int] = Field(
        default_factory=dict, exclude_if=lambda value: not value
    )
    excerpts: ExcerptCounts | None = Field(default=None, exclude_if=lambda value: value is None)
    consent: ConsentCounts | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def lexical(self) -> bool:
        """Whether the embedded judge answered."""
        return self.judge == EMBEDDED


class _LevelTally:
    """Counts of what looks at presuppositions say."""

    def __init__(self) -> None:
        self.supplied: Counter[tuple[str, bool | None]] = Counter()
        self.acknowledged: Counter[str] = Counter()
        self.bundled = self.parts_misinformed = self.contested = 0

    def add(self, kind: str, score: PointScore) -> None:
        self.supplied[kind, score.supplied] += 1
        self.acknowledged[kind] += score.acknowledged is True and score.misinformed is False
        self.contested += score.reason is UnknownReason.CONTESTED
        others = score.parts[1:]
        self.bundled += bool(others)
        self.parts_misinformed += score.misinformed is False and any(
            part.misinformed for part in others
        )

    def share(self, *kinds: str, rates: bool) -> SuppliedShare:
        counts = {flag: sum(self.supplied[kind, flag] for kind in kinds) for flag in _KNOWN}
        hits, n = counts[True], counts[True] + counts[False]
        low, high = wilson(hits, n) if n and rates else (None, None)
        share = hits / n if n and rates else None
        return SuppliedShare(
            supplied=hits, n=n, unknown=counts[None], share=share, low=low, high=high
        )

    def counts(self, kinds: Sequence[str], *, rates: bool) -> PresuppositionCounts:
        """What they come to.

        Args:
            kinds: Types of points.
            rates: Whether shares may be given: on excerpts nothing is known not to be there.
        """
        return PresuppositionCounts(
            overall=self.share(*kinds, rates=rates),
            per_type={kind: self.share(kind, rates=rates) for kind in kinds if kind != UNTYPED},
            acknowledged={kind: self.acknowledged[kind] for kind in kinds},
            bundled=self.bundled,
            parts_misinformed=self.parts_misinformed,
            contested=self.contested,
        )


class _Tally:
    """Counts that grow point by point, so that no run is too large."""

    def __init__(self) -> None:
        self.points = self.no_points = 0
        self.papers: set[str] = set()
        self.reviews: set[str] = set()
        self.status: Counter[tuple[str, Status]] = Counter()
        self.misinformed: Counter[tuple[str, bool | None]] = Counter()
        self.unquoted: Counter[str] = Counter()
        self.base: Counter[tuple[str, int]] = Counter()
        self.weighted: Counter[int] = Counter()
        self.findings: Counter[tuple[str, Finding]] = Counter()
        self.failures: ArgumentFailures | None = None
        self.panel = self.divided = 0
        self.calibrated: Counter[bool | None] = Counter()
        self.responses: Counter[tuple[bool | None, bool | None]] = Counter()
        self.loop = LoopTally()
        self.places: NamedPlaces | None = None
        self.languages: dict[str, set[str]] = {}
        self.aligned: AlignedResponses | None = None
        self.prompts: dict[str, str] = {}
        self.versions: dict[DoubtKind, dict[str, None]] = {}
        self.after_review: Counter[DoubtKind] = Counter()
        self.levels: _LevelTally | None = None
        self.shares: list[float] = []
        self.undecidable = 0

    def add(self, score: PointScore) -> None:
        if not score.is_point:
            self.no_points += 1
            return
        kind = score.type.value if score.type else UNTYPED
        self.points += 1
        self.papers.add(score.paper_id)
        self.reviews.add(score.review_id)
        self.status[kind, score.status] += 1
        if score.status is not Status.ERROR:
            self.misinformed[kind, score.misinformed] += 1
            self.unquoted[kind] += score.unquoted
        self._add_verdict(kind, score)
        self._add_doubts(score)
        for origin in score.origins:
            if origin.prompt_id and origin.prompt_sha256:
                self.prompts[origin.prompt_id] = origin.prompt_sha256
        if score.deciding_argument is not None:
            self.loop.add(score.deciding_argument)
        elif score.looks and (score.argument or score.extraction or score.error):
            self.loop.add_beside(score)
        if score.language is not None:
            self.languages.setdefault(score.language, set()).add(score.review_id)
        if score.places is not None:
            self.places = (self.places or NamedPlaces()).and_of(score.places)
        if score.author_answers is not None:
            self.aligned = (self.aligned or AlignedResponses()).and_of(score)

    def _add_doubts(self, score: PointScore) -> None:
        for doubt in score.doubts:
            if not doubt.kind.of_passages:
                self.versions.setdefault(doubt.kind, {})[score.paper_id] = None
        if score.excerpts is not None:
            self.shares.append(score.excerpts.share)
            self.undecidable += score.reason is UnknownReason.EXCERPTS
        if unflagged := passage_doubts(score):
            self.after_review[unflagged[0].kind] += 1

    def _add_verdict(self, kind: str, score: PointScore) -> None:
        self.panel += score.panel_split is not None
        self.divided += score.panel_split is True
        if score.calibrated is not None:
            self.calibrated[score.calibrated.misinformed] += 1
        if score.without_response is not None:
            self.responses[score.without_response.misinformed, score.misinformed] += 1
        if score.base is not None:
            self.base[kind, score.base] += 1
        if score.protocol is not None and score.status is not Status.ERROR:
            self.levels = self.levels or _LevelTally()
            self.levels.add(kind, score)
        if score.advanced is not None and score.advanced.conjunction is False:
            self.failures = (self.failures or ArgumentFailures()).and_of(score)
        if score.finding is not None:
            self.findings[kind, score.finding] += 1
        if score.type is PointType.ARGUMENT and score.advanced and score.advanced.score is not None:
            self.weighted[round_half_up(score.advanced.score)] += 1

    def share(self, *kinds: str) -> Share:
        counts: Counter[bool | None] = Counter()
        for (kind, flag), count in self.misinformed.items():
            counts[flag] += count if kind in kinds else 0
        failed = sum(self.status[kind, Status.ERROR] for kind in kinds)
        unquoted = sum(self.unquoted[kind] for kind in kinds)
        share = _share(counts, failed, unquoted=unquoted)
        if not self.shares:
            return share
        # What excerpts do not show is unknown, never not misinformed: a share would be too high.
        return share.model_copy(update={"share": None, "low": None, "high": None})

    def judged(self, kinds: tuple[str, ...]) -> JudgedCounts:
        return JudgedCounts(
            overall=self.share(*kinds),
            per_type={kind: self.share(kind) for kind in kinds if kind != UNTYPED},
            base={
                kind: _five([self.base[kind, score] for score in FIVE_POINTS.values])
                for kind in kinds
                if kind != UNTYPED
            },
            weighted=_five([self.weighted[score] for score in FIVE_POINTS.values]),
            failures=self.failures,
            panel=self.panel,
            divided=self.divided,
            calibrated=_share(self.calibrated, 0) if self.calibrated else None,
            responses=_responses(self.responses) if self.responses else None,
            presuppositions=(
                None if self.levels is None else self.levels.counts(kinds, rates=not self.shares)
            ),
        )


def _responses(counts: Counter[tuple[bool | None, bool | None]]) -> Responses:
    """By what is said without the response and with it."""
    known = {pair: count for pair, count in counts.items() if None not in pair}
    n, settled, excused = sum(known.values()), counts[False, True], counts[True, False]
    changed = settled + excused
    low, high = wilson(changed, n) if n else (None, None)
    return Responses(
        n=n,
        changed=changed,
        settled=settled,
        excused=excused,
        unknown=counts.total() - n,
        share=changed / n if n else None,
        low=low,
        high=high,
    )


def _share(counts: Counter[bool | None], failed: int, *, unquoted: int = 0) -> Share:
    hits, n = counts[True], counts[True] + counts[False]
    low, high = wilson(hits, n) if n else (None, None)
    return Share(
        misinformed=hits,
        n=n,
        unknown=counts[None],
        error=failed,
        share=hits / n if n else None,
        low=low,
        high=high,
        unquoted=unquoted,
    )


def _five(counts: list[int]) -> Five:
    number, two, three, four, five = counts
    return number, two, three, four, five


def summarise(run: Path, *, accept_changed: bool = False) -> Summary:
    """Count a run's points, one at a time.

    Args:
        run: The run folder.
        accept_changed: Go on with records that something else has changed, and say so.

    Raises:
        RunFolderError: The folder is no run folder, its records were changed, or one cannot be
            read.
    """
    manifest = read_manifest(run, accept_changed=accept_changed)
    tally = _Tally()
    for score in read_points(run):
        tally.add(score)
    return _summary(manifest, tally, changed_records(run, manifest))


def _summary(manifest: Manifest, tally: _Tally, changed: tuple[str, ...]) -> Summary:
    kinds = tuple(
        kind
        for kind in _TYPES
        if kind != UNTYPED or any(tally.status[UNTYPED, status] for status in Status)
    )
    lexical = manifest.judge == EMBEDDED
    unvalidated, validation = worth_words(manifest)
    return Summary(
        reviewscore_version=", ".join(manifest.reviewscore_versions),
        judge=manifest.judge,
        judge_version=manifest.judge_version,
        model=None if lexical else manifest.judge,
        models_answered=manifest.models_answered,
        complete=manifest.complete,
        selection=manifest.selection,
        doubtful=manifest.doubtful,
        unread=UnreadTotal.over(manifest.unread.values()),
        pages=manifest.pages,
        # A killed run has not counted its input; then what has points is what is known.
        papers=max(manifest.counts.papers, len(tally.papers)),
        reviews=max(manifest.counts.reviews, len(tally.reviews)),
        reviews_without_points=manifest.counts.reviews_without_points,
        bad_lines=manifest.counts.bad_lines,
        points=tally.points,
        no_points=tally.no_points,
        counts={
            kind: StatusCounts(**{status.value: tally.status[kind, status] for status in Status})
            for kind in kinds
        },
        judged=None if lexical else tally.judged(kinds),
        findings=(
            {kind: {f.value: tally.findings[kind, f] for f in Finding} for kind in kinds}
            if lexical
            else None
        ),
        places=tally.places,
        languages={code: len(tally.languages[code]) for code in sorted(tally.languages)},
        aligned=tally.aligned,
        note=LEXICAL_NOTE if lexical else unvalidated or None,
        validation=validation or None,
        arguments=tally.loop.counts(),
        spending=manifest.spending,
        replies=Replies.of(manifest.spending),
        seconds=sum(seconds for _, seconds in manifest.times),
        sessions=max(1, len(manifest.times)),
        prompts=dict(sorted(tally.prompts.items())),
        changed=changed,
        consent=manifest.consent,
        versions={kind: tuple(papers) for kind, papers in tally.versions.items()},
        after_review=dict(tally.after_review),
        excerpts=(
            ExcerptCounts(
                points=len(tally.shares),
                undecidable=tally.undecidable,
                median_share=statistics.median(tally.shares),
            )
            if tally.shares
            else None
        ),
    )


def write_summary(run: Path, *, accept_changed: bool = False) -> Summary:
    """Count a run's points and write ``summary.json`` into its folder.

    Args:
        run: The run folder.
        accept_changed: As of `summarise`.

    Raises:
        RunFolderError: The folder cannot be read or written, or its records were changed.
        StopError: The disk is full.
    """
    summary = summarise(run, accept_changed=accept_changed)
    write_whole(run / SUMMARY, summary.model_dump_json(indent=2) + "\n")
    return summary
