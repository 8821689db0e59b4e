"""The judges that models answer: a prompt, the record its reply must fit, and what is made of it.

Where reviews are split, points typed, scored and rebuilt as arguments: ReviewScore, arXiv
2509.21679, sec. 3 and appendix C. The loop around a reconstruction is in `arguments`.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import ExitStack, asynccontextmanager
from typing import Literal, TypedDict

from reviewscore import prompts
from reviewscore.config import POINT_TOKENS, Settings
from reviewscore.errors import ModelError, error_message, gather_results
from reviewscore.judges.asker import Asker, Judged, Reply, SamplingParams
from reviewscore.judges.by_review import ByReview, PointAnswer, ReviewPoints
from reviewscore.judges.judge import Judges, Looks, Proposal
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.judges.named_places import NamedPlace, named_places
from reviewscore.judges.panel import Panel
from reviewscore.judges.presupposition_judge import PresuppositionJudge
from reviewscore.llm.client import Client
from reviewscore.llm.connect import RunContext, connect
from reviewscore.llm.ledger.store import CallsInMemory, CallStore
from reviewscore.logic.explain import unsaid
from reviewscore.logic.parser import parse
from reviewscore.logic.vocabulary import read_keys
from reviewscore.papers.quotes import find_quote
from reviewscore.retrieval.encoder import encoder_of
from reviewscore.schema.answer import (
    FivePoints,
    Formula,
    Keys,
    Sentence,
    Several,
    Steps,
    Text,
    Untrivialness,
    Whole,
)
from reviewscore.schema.argument import Draft, Extraction, Faithfulness, Premise, Round, Streamlined
from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.review import PointKind, PointType, ProposedPoint, Review, ReviewPoint
from reviewscore.schema.scale import FIVE_POINTS, UNTRIVIALNESS
from reviewscore.schema.verdict import (
    KnowledgeSource,
    PremiseVerdict,
    Provenance,
    TypeVerdict,
    Verdict,
)
from reviewscore.sources.section_roles import first_boxes


class Quote(Reply):
    """A sentence the model says it copied from the paper."""

    section: Sentence
    sentence: Sentence


class SplitReply(Reply):
    """Verbatim review points, in order; what prompts up to ``split_points/v3`` ask for."""

    points: Several[Text]


class ReviewPointReply(Reply):
    """A verbatim review point, what it is, and where else and after what it stands."""

    text: Text
    kind: Literal["criticism", "request", "question"]
    type: Literal["question", "argument", "claim"]
    also: Several[Text]
    lead_in: Text


class ReviewPointsReply(Reply):
    """The points of a review, in order."""

    points: Several[ReviewPointReply]


class ArgumentReply(Reply):
    """Whether a point gives a reason."""

    reasoning: Text
    is_argument: bool


class QuestionReply(Reply):
    """Whether a point asks or states."""

    reasoning: Text
    kind: Literal["question", "claim"]


class PointTypeReply(Reply):
    """The type of a point, in one answer."""

    reasoning: Text
    kind: Literal["argument", "question", "claim"]


class AnswerabilityReply(Reply):
    """Unanswerability with sources and answer."""

    reasoning: Text
    unanswerability: FivePoints
    quotes: Several[Quote]
    answer: Text | None


class FactualityReply(Reply):
    """Factuality with sources."""

    reasoning: Text
    factuality: FivePoints
    quotes: Several[Quote]


class BasePointReply(Reply):
    """Type and BASE score of one of several points."""

    point: Whole
    type: Literal["question", "argument", "claim"]
    reasoning: Text
    score: FivePoints
    quotes: Several[Quote]
    answer: Text | None


class BaseReviewReply(Reply):
    """Types and BASE scores of the points of a review."""

    points: Several[BasePointReply]


class FaithfulnessReply(Reply):
    """Faithful or not, and why."""

    reasoning: Text
    faithful: bool


class PremiseReply(Reply):
    """Source, factuality and untrivialness."""

    reasoning: Text
    source: Literal["given_paper", "annotator_knowledge", "other_papers"]
    factuality: FivePoints
    settled_by_general_knowledge: bool
    untrivialness: Untrivialness
    quotes: Several[Quote]


class OnePremiseReply(PremiseReply):
    """The same for one of several premises."""

    premise: Sentence


class PremisesReply(Reply):
    """Verdicts on all premises of an argument."""

    verdicts: Steps[OnePremiseReply]


class ExtractReply(Reply):
    """The reviewer's own words for conclusion and reasons."""

    conclusion: Sentence
    reasons: Steps[Sentence]


class KeyReply(Reply):
    """A predicate, proposition or constant, and what it means."""

    symbol: Formula
    meaning: Formula


class PremiseDraft(Reply):
    """A premise in English and as a formula."""

    text: Sentence
    formula: Formula
    explicit: bool


class ReconstructionReply(Reply):
    """A reconstruction with formulas."""

    keys: Keys[KeyReply]
    premises: Steps[PremiseDraft]
    intermediate_conclusions: Steps[Sentence]
    conclusion: Sentence
    conclusion_formula: Formula
    proof: Text


class StreamlineReply(Reply):
    """Formulas in English, in the order they were given."""

    premises: Steps[Sentence]
    conclusion: Sentence


class ModelJudges:
    """All judges, answered by models; implements `judges.judge.ReviewJudges`.

    Args:
        asker: Puts the questions.
        economy: Whether to ask for the type of a point, and for all premises of an argument, in
            one call each.
        types_from_split: Whether the type that a point was split with is taken, without a call.
        presuppositions: Who is asked for presuppositions; None where BASE scores are asked for.
        points_per_call: Most points that one reply about a review is asked about.
    """

    version: str | None = None
    repeats_itself = False
    reads_responses = True
    gives_scores = True

    def __init__(
        self,
        asker: Asker,
        *,
        economy: bool = False,
        types_from_split: bool = False,
        presuppositions: PresuppositionJudge | None = None,
        points_per_call: int = 20,
    ) -> None:
        self.name = asker.model
        self._asker, self._economy = asker, economy
        self._types_from_split, self._most = types_from_split, points_per_call
        self._presuppositions = presuppositions
        self._base: dict[str, PointAnswer[BasePointReply] | ModelError] = {}

    async def by_review(self, reviews: Sequence[ReviewPoints], paper: Paper) -> None:
        """One reply for all points of reviews: first looks, or types and BASE scores.

        Raises:
            StopError: Nothing more can be asked.
        """
        if self._presuppositions is not None:
            await self._presuppositions.by_review(reviews, paper)
            return
        question = ByReview(
            asker=self._asker,
            prompt="base_review",
            output=BaseReviewReply,
            points_of=lambda reply: reply.points,
            check=lambda reply: None,
            most=self._most,
            reply_tokens=POINT_TOKENS["economy"],
            variables={},
        )
        self._base |= await question.ask(reviews, paper)

    def forget(self, points: Iterable[ReviewPoint]) -> None:
        """Forget what replies about reviews say of points."""
        points = tuple(points)
        if self._presuppositions is not None:
            self._presuppositions.forget(points)
        for point in points:
            self._base.pop(point.point_id, None)

    async def looks(self, point: ReviewPoint, paper: Paper) -> Looks:
        """All looks at the presuppositions of a point.

        Raises:
            ModelError: There is no usable reply to one of them.
            StopError: Nothing more can be asked.
        """
        assert self._presuppositions is not None
        return Looks(await self._presuppositions.looks(point, paper))

    async def second_looks(self, point: ReviewPoint, paper: Paper) -> Looks:
        """A second look at a point, whatever the first one came to.

        Raises:
            ModelError: There is no usable reply to one of them.
            StopError: Nothing more can be asked.
        """
        assert self._presuppositions is not None
        return Looks((await self._presuppositions.looks(point, paper, always_second=True))[1:])

    def _kept(self, point: ReviewPoint) -> PointAnswer[BasePointReply] | None:
        """What a reply about its review says of a point.

        Raises:
            ModelError: There was no usable reply.
        """
        kept = self._base.get(point.point_id)
        if isinstance(kept, ModelError):
            raise kept
        return kept

    async def propose_points(self, review: Review, sections: tuple[str, ...]) -> Proposal | None:
        """Stretches of the review (ReviewScore, def. 1 and sec. 3.3)."""
        boxes = "\n\n".join(f"[{name}]\n{text}" for name, text in first_boxes(review).items())
        names = list(sections)
        if prompts.latest("split_points").output == SplitReply.__name__:  # a folder of before
            plain = await self._asker.ask("split_points", SplitReply, review=boxes, sections=names)
            texts = tuple(ProposedPoint(text=text) for text in plain.reply.points)
            return Proposal(points=texts, provenance=plain.provenance)
        judged = await self._asker.ask(
            "split_points", ReviewPointsReply, review=boxes, sections=names
        )
        points = tuple(_proposed(point) for point in judged.reply.points)
        return Proposal(points=points, provenance=judged.provenance)

    def abstention(self, point: ReviewPoint, paper: Paper) -> str | None:
        """Nothing: models read other languages than English."""
        return None

    async def point_type(self, point: ReviewPoint) -> TypeVerdict:
        """First whether it argues, and if not, whether it asks (ReviewScore, fig. 21 and 22)."""
        if (kept := self._kept(point)) is not None:
            return _typed(kept.reply.type, "", kept.provenance)
        if self._types_from_split and point.type is not None:
            return TypeVerdict(type=point.type)  # the split's provenance is the point's
        if self._economy:
            both = await self._asker.ask(
                "point_type", PointTypeReply, point=point.text, context=point.context
            )
            return _typed(both.reply.kind, both.reply.reasoning, both.provenance)
        first = await self._asker.ask(
            "is_argument", ArgumentReply, point=point.text, context=point.context
        )
        if first.reply.is_argument:
            return _typed(PointType.ARGUMENT, first.reply.reasoning, first.provenance)
        second = await self._asker.ask(
            "is_question", QuestionReply, point=point.text, context=point.context
        )
        return _typed(
            second.reply.kind, second.reply.reasoning, first.provenance, second.provenance
        )

    async def question_answerability(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Unanswerability of a question (ReviewScore, fig. 15 and 18).

        The answer and the quotes are kept only when the score says the paper answers the question.
        """
        kept = self._kept(point)
        if kept is not None and kept.reply.type == PointType.QUESTION.value:
            return _answerability(kept.reply.score, kept, paper)
        judged = await self._asker.ask(
            "question_answerability",
            AnswerabilityReply,
            paper=paper,
            **_shown(point, paper, response),
        )
        return _answerability(judged.reply.unanswerability, judged, paper)

    async def claim_factuality(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Factuality of a weakness as a whole (ReviewScore, fig. 16 and 19)."""
        kept = self._kept(point)
        if kept is not None and kept.reply.type != PointType.QUESTION.value:
            return _factuality(kept.reply.score, kept, paper)
        judged = await self._asker.ask(
            "claim_factuality", FactualityReply, paper=paper, **_shown(point, paper, response)
        )
        return _factuality(judged.reply.factuality, judged, paper)

    async def extract_argument(self, point: ReviewPoint) -> Extraction:
        """The verbatim conclusion and reasons (ReviewScore, fig. 23)."""
        judged = await self._asker.ask(
            "extract_argument", ExtractReply, point=point.text, context=point.context
        )
        return Extraction(
            conclusion=judged.reply.conclusion,
            reasons=tuple(judged.reply.reasons),
            provenance=(judged.provenance,),
        )

    async def draft_argument(
        self, point: ReviewPoint, paper: Paper, extraction: Extraction, *, last: Round | None
    ) -> Draft:
        """A reconstruction; after a failed round, from that attempt and what was wrong with it."""
        judged = await self._asker.ask(
            "reconstruct_argument",
            ReconstructionReply,
            paper=paper,
            point=point.text,
            conclusion=extraction.conclusion,
            reasons="\n".join(f"- {reason}" for reason in extraction.reasons) or "(none stated)",
            formulas=prompts.render("formulas").text,
            last_attempt="" if last is None else _as_text(last),
            feedback="" if last is None else last.feedback,
            attempt=1 if last is None else last.number + 1,
        )
        reply = judged.reply
        return Draft(
            premises=tuple(
                Premise(
                    premise_id=f"P{number}",
                    text=premise.text,
                    formula=premise.formula,
                    explicit=premise.explicit,
                )
                for number, premise in enumerate(reply.premises, start=1)
            ),
            intermediate_conclusions=tuple(reply.intermediate_conclusions),
            conclusion=reply.conclusion,
            conclusion_formula=reply.conclusion_formula,
            keys={key.symbol: key.meaning for key in reply.keys},
            proof=reply.proof,
            provenance=(judged.provenance,),
        )

    async def streamline(self, draft: Draft, needed: tuple[Premise, ...]) -> Streamlined:
        """The English of the needed formulas, one sentence each (ReviewScore, fig. 28)."""
        formulas = [premise.formula for premise in needed]

        def one_each(reply: StreamlineReply) -> None:
            if len(reply.premises) != len(needed):
                raise ValueError(
                    f"{len(needed)} premises were given but {len(reply.premises)} came back; "
                    "return one sentence for each, in the same order"
                )
            texts = [*reply.premises, reply.conclusion]
            _check_meanings(texts, [*formulas, draft.conclusion_formula], draft.keys)

        judged = await self._asker.ask(
            "streamline",
            StreamlineReply,
            check=one_each,
            keys="\n".join(f"{symbol}: {meaning}" for symbol, meaning in draft.keys.items()),
            premises="\n".join(formulas),
            conclusion=draft.conclusion_formula,
        )
        return Streamlined(
            premises=tuple(judged.reply.premises),
            conclusion=judged.reply.conclusion,
            provenance=(judged.provenance,),
        )

    async def faithfulness(
        self, point: ReviewPoint, premises: tuple[Premise, ...], conclusion: str
    ) -> Faithfulness:
        """Whether a reconstruction is faithful; if not, what must change (ReviewScore, fig. 29).

        Premises keep their ids, so that the next attempt knows which ones the rationale means.
        """
        judged = await self._asker.ask(
            "faithfulness",
            FaithfulnessReply,
            point=point.text,
            context=point.context,
            premises=_listed(premises),
            conclusion=conclusion,
        )
        return Faithfulness(
            faithful=judged.reply.faithful,
            rationale=judged.reply.reasoning,
            provenance=(judged.provenance,),
        )

    async def premises_factuality(
        self,
        premises: tuple[Premise, ...],
        point: ReviewPoint,
        paper: Paper,
        *,
        response: str | None,
    ) -> tuple[PremiseVerdict, ...]:
        """Verdicts on premises, as of the year of the paper (ReviewScore, fig. 16, 17 and 20).

        In economy all are judged in one call: cheaper, but each may be swayed by the others.
        """
        shown = _shown(point, paper, response)
        if self._economy and len(premises) > 1:
            [verdicts] = await gather_results([self._in_one_call(premises, paper, shown)])
            if isinstance(verdicts, ModelError):
                return (PremiseVerdict(error=error_message(verdicts)),) * len(premises)
            return verdicts

        async def verdict_on(premise: Premise) -> PremiseVerdict:
            judged = await self._asker.ask(
                "premise_factuality",
                PremiseReply,
                paper=paper,
                premise=premise.text,
                year=paper.year,
                **shown,
            )
            return _premise_verdict(judged.reply, paper, judged.provenance)

        return tuple(
            PremiseVerdict(error=error_message(result))
            if isinstance(result, ModelError)
            else result
            for result in await gather_results(map(verdict_on, premises))
        )

    async def _in_one_call(
        self, premises: tuple[Premise, ...], paper: Paper, shown: _Shown
    ) -> tuple[PremiseVerdict, ...]:
        wanted = [premise.premise_id for premise in premises]

        def one_each(reply: PremisesReply) -> None:
            given = [verdict.premise.strip() for verdict in reply.verdicts]
            if given != wanted:
                raise ValueError(f"verdicts are needed for {wanted} in this order, not for {given}")

        judged = await self._asker.ask(
            "premises_factuality",
            PremisesReply,
            paper=paper,
            check=one_each,
            premises=_listed(premises),
            year=paper.year,
            **shown,
        )
        return tuple(
            _premise_verdict(reply, paper, judged.provenance) for reply in judged.reply.verdicts
        )


def evidence_from(quotes: Sequence[Quote], paper: Paper) -> tuple[Evidence, ...]:
    """Look every quote up; one that is not in the paper stays unverified."""
    return tuple(find_quote(paper, quote.sentence) for quote in quotes if quote.sentence.strip())


def _answerability(
    score: int, answer: Judged[AnswerabilityReply] | PointAnswer[BasePointReply], paper: Paper
) -> Verdict:
    """A verdict on a question; what answers it counts only if the score says that it does."""
    reply, answerable = answer.reply, FIVE_POINTS.misinformed(score)
    return Verdict(
        scale="unanswerability",
        score=score,
        rationale=reply.reasoning,
        answer=reply.answer if answerable else None,
        evidence=evidence_from(reply.quotes, paper) if answerable else (),
        provenance=(answer.provenance,),
    )


def _factuality(
    score: int, answer: Judged[FactualityReply] | PointAnswer[BasePointReply], paper: Paper
) -> Verdict:
    return Verdict(
        scale="factuality",
        score=score,
        rationale=answer.reply.reasoning,
        evidence=evidence_from(answer.reply.quotes, paper),
        provenance=(answer.provenance,),
    )


class _Shown(TypedDict):
    """What the prompts of verdicts show of a point."""

    point: str
    context: str
    places: tuple[NamedPlace, ...]
    response: str | None


def _shown(point: ReviewPoint, paper: Paper, response: str | None) -> _Shown:
    return {
        "point": point.text,
        "context": point.context,
        "places": named_places(point, paper),
        "response": response,
    }


def _listed(premises: tuple[Premise, ...]) -> str:
    return "\n".join(f"{premise.premise_id}: {premise.text}" for premise in premises)


def _proposed(point: ReviewPointReply) -> ProposedPoint:
    return ProposedPoint(
        text=point.text,
        kind=PointKind(point.kind),
        type=PointType(point.type),
        also=tuple(point.also),
        lead_in=point.lead_in,
    )


def _typed(kind: str, reasoning: str, *provenance: Provenance) -> TypeVerdict:
    return TypeVerdict(type=PointType(kind), rationale=reasoning, provenance=provenance)


def _premise_verdict(reply: PremiseReply, paper: Paper, provenance: Provenance) -> PremiseVerdict:
    """Untrivialness counts as said only where general knowledge may settle a premise (fig. 20)."""
    source = KnowledgeSource(reply.source)
    open_scale = source is KnowledgeSource.ANNOTATOR_KNOWLEDGE or reply.settled_by_general_knowledge
    return PremiseVerdict(
        source=source,
        factuality=reply.factuality,
        untrivialness=reply.untrivialness if open_scale else UNTRIVIALNESS.high,
        rationale=reply.reasoning,
        evidence=evidence_from(reply.quotes, paper),
        provenance=(provenance,),
    )


def _as_text(attempt: Round) -> str:
    lines = [f"{symbol} ::: {meaning}" for symbol, meaning in attempt.keys.items()]
    lines += [
        f"{premise.premise_id}: {premise.formula} ::: {premise.text}"
        for premise in attempt.premises
    ]
    lines.append(f"C: {attempt.conclusion_formula} ::: {attempt.conclusion}")
    return "\n".join(lines)


def _check_meanings(texts: list[str], formulas: list[str], keys: dict[str, str]) -> None:
    """Refuse English that leaves out what a name of its formula means.

    Raises:
        ValueError: Names the sentences and what they leave out.
    """
    known, _ = read_keys(keys)
    problems = []
    for number, (text, formula) in enumerate(zip(texts, formulas, strict=True), start=1):
        place = f"premise {number}" if number < len(texts) else "the conclusion"
        problems += [
            f"{place} does not say what {name} means ({known[name].meaning})"
            for name in unsaid(text, parse(formula), known)
        ]
    if problems:
        raise ValueError("; ".join(problems))


@asynccontextmanager
async def open_judges(
    settings: Settings, book: CallStore, around: RunContext | None = None
) -> AsyncIterator[tuple[Judges, Client | None]]:
    """The judges that the settings name, with the client that makes their calls, if any.

    Args:
        settings: Names the models.
        book: The record of calls; not used by the embedded judge.
        around: What goes on around the client.

    Raises:
        SettingsError: A model is unknown or its key is missing, or the encoder cannot be used.
    """
    if settings.embedded:
        yield LexicalJudges(encoder_of(settings)), None
        return
    client = await connect(settings, book, around)
    try:
        yield judges_of(settings, client), client
    finally:
        await client.close()


@asynccontextmanager
async def judges_alone(
    settings: Settings, purpose: str, say: Callable[[str], None] = lambda _: None
) -> AsyncIterator[Judges]:
    """The judges that the settings name, for questions that belong to no run.

    Their calls are recorded in the ledger that all runs share; without it, nowhere.

    Args:
        settings: Name the models.
        purpose: What they are asked for, as calls are booked.
        say: Told what the user should know.

    Raises:
        SettingsError, RunFolderError: A model or the ledger cannot be used.
    """
    from reviewscore.llm.ledger.database import Ledger

    with ExitStack() as stack:
        book: Ledger | CallsInMemory = CallsInMemory()
        if settings.cache and not settings.embedded:
            run = f"{purpose}-{uuid.uuid4().hex}"
            place, fresh = settings.ledger_place, settings.refresh
            book = await asyncio.to_thread(Ledger, place, run=run, fresh=fresh)
            stack.callback(book.close)
        async with open_judges(settings, book, RunContext(say=say)) as (judges, _):
            yield judges


def judges_of(settings: Settings, client: Client) -> Judges:
    """One set of judges, or a panel of several."""
    members = []
    for model in dict.fromkeys((settings.model, *settings.panel)):
        for repeat in range(settings.repeats):
            sampling = SamplingParams.of(settings, repeat=repeat)
            asker = Asker(client, model=model, judges=settings.judges, sampling=sampling)
            members.append(_member(settings, asker))
    return members[0] if len(members) == 1 else Panel(members)


def _member(settings: Settings, asker: Asker) -> ModelJudges:
    looking = None
    if settings.presupposes:
        looking = PresuppositionJudge(
            asker,
            second_look=settings.second_look_between,
            points_per_call=settings.points_per_call,
        )
    return ModelJudges(
        asker,
        economy=settings.protocol == "economy",
        types_from_split=settings.types_from_split,
        presuppositions=looking,
        points_per_call=settings.points_per_call,
    )
