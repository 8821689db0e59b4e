"""Invented runs that hold every kind of point a report must show."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reviewscore.config import Plain
from reviewscore.files import InputFile
from reviewscore.runs.folder import ErrorRecord
from reviewscore.runs.manifest import Counts, Manifest, Setting, Spending
from reviewscore.schema.argument import Argument, ArgumentState, Failure, Premise, Round
from reviewscore.schema.paper import Evidence, Paper, Section
from reviewscore.schema.place import Place, PlaceKind, Target
from reviewscore.schema.point_id import content_ids
from reviewscore.schema.point_score import Advanced, PointScore, Status
from reviewscore.schema.proof import Proof, Validity
from reviewscore.schema.review import PointType, Review, Role
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Finding, KnowledgeSource, PremiseVerdict, Provenance, Verdict

MODEL = "openai/imagined-1"
HEADING = "1 Method\n"
BODY = (
    "We train a small tide gauge network on twelve harbours. The learning rate is 0.003 and is "
    "halved every ten epochs. Each harbour contributes one year of readings at ten-minute steps. "
    "We repeat every run with five seeds and report the mean and the standard deviation. "
)
APPENDIX = "A Details\nBaselines were tuned with the same budget of forty trials as our method. "
PAPER = Paper(
    paper_id="tides",
    title="Predicting Tides with Very Small Networks",
    text=HEADING + BODY + APPENDIX,
    sections=(
        Section(
            title="Method",
            number="1",
            level=1,
            start=0,
            heading_end=len(HEADING),
            end=len(HEADING + BODY),
        ),
        Section(
            title="Details",
            number="A",
            level=1,
            start=len(HEADING + BODY),
            heading_end=len(HEADING + BODY) + 10,
            end=len(HEADING + BODY + APPENDIX),
        ),
    ),
)
WEAKNESSES = (
    "The paper reads well, but some points worry me.\n"
    "- The results cannot be trusted because the authors ran every experiment only once.\n"
    "- The baselines were not tuned.\n"
    "- The theory is thin, since no bound is shown and bounds are what theory is.\n"
    "- A rather vague remark on the general spirit of the work.\n"
)
QUESTIONS = "What learning rate was used? Would this work on rivers?"
REVIEW = Review(
    review_id="tides-r1",
    paper_id="tides",
    reviewer="reviewer seven",
    fields={"weaknesses": WEAKNESSES, "questions": QUESTIONS},
)


def quote(text: str, paper: Paper = PAPER) -> Evidence:
    """A verified quote of the invented paper."""
    start = paper.text.index(text)
    section = paper.section_at(start)
    return Evidence(
        quote=text,
        start=start,
        end=start + len(text),
        section=section.label if section else None,
        verified=True,
    )


def origin(stage: str, judge: str = MODEL) -> Provenance:
    return Provenance(
        stage=stage,
        judge=judge,
        model_answered="imagined-1-0401",
        prompt_id=f"{stage}/v1",
        prompt_sha256="ab" * 32,
    )


def point(
    number: int,
    text: str,
    *,
    review: Review = REVIEW,
    judge: str = MODEL,
    status: Status = Status.SCORED,
    **found: object,
) -> PointScore:
    """A point whose words are looked up in the review."""
    field = next((name for name, words in review.fields.items() if text in words), None)
    start = review.fields[field].index(text) if field else 0
    values: dict[str, object] = {
        "point_id": f"{review.review_id}#{number}",
        "review_id": review.review_id,
        "paper_id": review.paper_id,
        "section": field or "weaknesses",
        "role": Role.QUESTIONS if field == "questions" else Role.WEAKNESSES,
        "text": text,
        "span": Span(field=field or "weaknesses", start=start, end=start + len(text)),
        "status": status,
        "judge": judge,
        "reviewscore_version": "0.1.0",
    }
    return PointScore.model_validate(values | found)


def _premise(number: int, text: str, formula: str, **more: object) -> Premise:
    return Premise.model_validate(
        {"premise_id": f"P{number}", "text": text, "formula": formula, "explicit": True} | more
    )


def _round(
    number: int, state: ArgumentState, validity: Validity, *, feedback: str = "", **more: object
) -> Round:
    values = {
        "number": number,
        "premises": (_premise(1, "Every experiment was run once.", "forall x. RunOnce(x)"),),
        "conclusion": "The results cannot be trusted.",
        "conclusion_formula": "-Trusted(results)",
        "state": state,
        "finding": Proof(validity=validity),
        "feedback": feedback,
        "provenance": (origin("reconstruct_argument"),),
    }
    return Round.model_validate(values | more)


def accepted_argument() -> Argument:
    """Four rounds, one premise that is judged false of the paper."""
    return Argument(
        verbatim_conclusion="The results cannot be trusted",
        verbatim_reasons=("the authors ran every experiment only once",),
        premises=(
            _premise(
                1,
                "The authors ran every experiment only once.",
                "RunOnce(experiments)",
                needed=True,
                verdict=PremiseVerdict(
                    source=KnowledgeSource.GIVEN_PAPER,
                    factuality=1,
                    untrivialness=2,
                    rationale="The paper says that each run was repeated with five seeds.",
                    evidence=(quote("We repeat every run with five seeds"),),
                    provenance=(origin("premise_factuality"),),
                ),
            ),
            _premise(
                2,
                "Results of experiments that were run once cannot be trusted.",
                "RunOnce(experiments) -> -Trusted(results)",
                explicit=False,
                needed=True,
                verdict=PremiseVerdict(
                    source=KnowledgeSource.ANNOTATOR_KNOWLEDGE,
                    factuality=4,
                    untrivialness=1,
                    rationale="Most people of the field would agree.",
                ),
            ),
        ),
        intermediate_conclusions=("No spread of the results is known.",),
        conclusion="The results cannot be trusted.",
        conclusion_formula="-Trusted(results)",
        keys={"RunOnce(x)": "x was run once", "Trusted(x)": "x can be trusted"},
        proof="From P1 and P2 by modus ponens.",
        state=ArgumentState.ACCEPTED,
        validity=Validity.VALID,
        faithful=True,
        failure=Failure.FACT,
        rounds=(
            _round(
                1,
                ArgumentState.ILL_FORMED,
                Validity.ILL_FORMED,
                feedback="line 1, column 4: a bracket is missing",
            ),
            _round(
                2,
                ArgumentState.INVALID,
                Validity.INVALID,
                feedback="The conclusion does not follow.",
            ),
            _round(
                3,
                ArgumentState.UNFAITHFUL,
                Validity.VALID,
                faithful=False,
                faithfulness_rationale="The reviewer did not speak of fraud.",
                feedback="Leave out the premise on fraud.",
            ),
            _round(
                4,
                ArgumentState.ACCEPTED,
                Validity.VALID,
                faithful=True,
                faithfulness_rationale="Says the same.",
            ),
        ),
    )


def failed_argument() -> Argument:
    """The rounds ran out without a valid form."""
    return accepted_argument().model_copy(
        update={
            "premises": (
                _premise(1, "No bound is shown.", "-Shown(bound)"),
                _premise(2, "Theory is bounds.", "forall x. Theory(x) -> Bound(x)"),
            ),
            "conclusion": "The theory is thin.",
            "conclusion_formula": "Thin(theory)",
            "state": ArgumentState.INVALID,
            "validity": Validity.INVALID,
            "faithful": None,
            "failure": None,
            "rounds": (
                _round(1, ArgumentState.UNKNOWN, Validity.UNKNOWN, feedback="The solver gave up."),
                _round(
                    2,
                    ArgumentState.INVALID,
                    Validity.INVALID,
                    feedback="Thin follows from nothing.",
                ),
            ),
        }
    )


def model_points() -> list[PointScore]:
    """One point of each kind, as a model would leave them."""
    return [
        point(
            1,
            "What learning rate was used?",
            type=PointType.QUESTION,
            base=1,
            advanced=Advanced(score=1.0),
            misinformed=True,
            verdict=Verdict(
                scale="unanswerability",
                score=1,
                rationale="The method section states the rate and its schedule.",
                answer="0.003, halved every ten epochs.",
                evidence=(
                    quote("The learning rate is 0.003 and is halved every ten epochs."),
                    Evidence(quote="The rate was 0.1 throughout.", verified=False),
                ),
                provenance=(origin("question_answerability"),),
            ),
            evidence=(quote("The learning rate is 0.003 and is halved every ten epochs."),),
            provenance=(origin("point_type"),),
        ),
        point(
            2,
            "The results cannot be trusted because the authors ran every experiment only once.",
            type=PointType.ARGUMENT,
            base=2,
            advanced=Advanced(score=2.0, conjunction=False),
            misinformed=True,
            verdict=Verdict(
                scale="factuality",
                score=2,
                rationale="The reason given does not hold.",
                evidence=(quote("report the mean and the standard deviation"),),
            ),
            evidence=(
                quote("report the mean and the standard deviation"),
                quote("We repeat every run with five seeds"),
            ),
            argument=accepted_argument(),
        ),
        point(
            3,
            "The baselines were not tuned.",
            type=PointType.CLAIM,
            base=4,
            advanced=Advanced(score=4.0),
            misinformed=False,
            verdict=Verdict(
                scale="factuality", score=4, rationale="The budget of the baselines stays unclear."
            ),
        ),
        point(
            4,
            "The theory is thin, since no bound is shown and bounds are what theory is.",
            type=PointType.ARGUMENT,
            status=Status.UNKNOWN,
            base=3,
            advanced=Advanced(),
            verdict=Verdict(scale="factuality", score=3, rationale="A matter of taste."),
            argument=failed_argument(),
        ),
        point(
            5,
            "Would this work on rivers?",
            type=PointType.QUESTION,
            status=Status.UNKNOWN,
            verdict=Verdict(scale="unanswerability", rationale="The paper cannot tell."),
        ),
        point(
            6,
            "A rather vague remark on the general spirit of the work.",
            status=Status.ERROR,
            error="RefusalError: the model declined to answer",
        ),
    ]


def naming_places() -> PointScore:
    """A point that names a section of the paper twice, and a table that is not in the text."""
    text = "The baselines were not tuned."
    spans = [Span(field="weaknesses", start=start, end=start + 3) for start in (0, 5, 9)]
    section = Target(start=len(HEADING + BODY), end=len(HEADING + BODY + APPENDIX) - 1, page=2)
    return point(
        3,
        text,
        type=PointType.CLAIM,
        base=2,
        misinformed=True,
        verdict=Verdict(scale="factuality", score=2, evidence=(quote("Baselines were tuned"),)),
        evidence=(quote("Baselines were tuned"),),
        places=(
            Place(kind=PlaceKind.SECTION, label="Section A", span=spans[0], target=section),
            Place(kind=PlaceKind.SECTION, label="Section A", span=spans[1], target=section),
            Place(kind=PlaceKind.TABLE, label="Table 9", span=spans[2]),
        ),
    )


def lexical_points() -> list[PointScore]:
    """One point for each finding of the embedded judge."""

    def looked_up(
        number: int, text: str, finding: Finding, *quotes: str, **more: object
    ) -> PointScore:
        return point(
            number,
            text,
            judge="lexical",
            judge_version="2",
            status=Status.UNSCORED,
            finding=finding,
            passages=tuple(map(quote, quotes)),
            rationale="Words of the point stand in this passage." if quotes else "Of worth.",
            **more,
        )

    rate, seeds = "The learning rate is 0.003", "We repeat every run with five seeds"
    return [
        looked_up(1, "What learning rate was used?", Finding.ADDRESSED, rate,
                  type=PointType.QUESTION),
        looked_up(2, "The baselines were not tuned.", Finding.PASSAGES, seeds, rate,
                  type=PointType.CLAIM),
        looked_up(3, "Would this work on rivers?", Finding.CANNOT_JUDGE,
                  type=PointType.QUESTION),
        looked_up(4, "The theory is thin, since no bound is shown and bounds are what theory is.",
                  Finding.ADDRESSED, seeds, type=PointType.ARGUMENT),
    ]  # fmt: skip


def old_lexical_record(
    number: int, finding: str, *quotes: str, status: str = "unknown", **more: object
) -> dict[str, object]:
    """A line as the embedded judge wrote it when it still wrote scores (``point/1``)."""
    score = {"flagged": 2, "nothing_found": 4}.get(finding)
    passages = [quote(one).model_dump(mode="json") for one in quotes]
    argument = failed_argument().model_dump(mode="json", by_alias=True)
    for premise in argument["premises"]:
        premise["verdict"] = {"factuality": 2, "finding": "flagged", "evidence": passages}
    line = point(
        number, "What learning rate was used?", judge="lexical", judge_version="1"
    ).model_dump(mode="json", by_alias=True, exclude={"finding", "passages", "rationale"})
    verdict = {"scale": "factuality", "score": score, "finding": finding, "rationale": "Old words."}
    return (
        line
        | {
            "schema": "reviewscore.point/1",
            "type": "argument",
            "status": "scored" if score else status,
            "base": score,
            "advanced": {"score": 4.0, "conjunction": False, "all_trivial": False},
            "misinformed": True,
            "verdict": verdict | {"evidence": passages},
            "evidence": passages,
            "argument": argument,
        }
        | more
    )


def manifest(judge: str = MODEL, **changes: object) -> Manifest:
    lexical = judge == "lexical"
    values: dict[str, object] = {
        "reviewscore_version": "0.1.0",
        "judge": judge,
        "judge_version": "2" if lexical else None,
        "settings": {
            "model": Setting(value=judge, origin="flag"),
            "rounds": Setting(value=4, origin="REVIEWSCORE_ROUNDS"),
            "temperature": Setting(value=0.0, origin="default"),
        },
        "decisive": {"model": judge, "rounds": 4},
        "decisive_sha256": "cd" * 32,
        "prompts": {} if lexical else {"claim_factuality/v1": "ef" * 32},
        "versions": {"python": "3.11"},
        "inputs": (InputFile(name="reviews.jsonl", sha256="12" * 32, size=2048),),
        "models_answered": () if lexical else ("imagined-1-0401",),
        "counts": Counts(papers=1, reviews=2, reviews_without_points=1),
        "spending": Spending()
        if lexical
        else Spending(
            calls=40, reused=4, input_tokens=90000, output_tokens=7000, usd=1.25, prices="list"
        ),
        "times": (("2031-02-03T04:05:06Z", 75.0),),
        "complete": True,
    }
    picked: dict[str, Plain] = {}
    return Manifest.model_validate({"selection": picked} | values | changes)


def write_run(
    folder: Path,
    points: Iterable[PointScore],
    *,
    made: Manifest | None = None,
    errors: Iterable[ErrorRecord] = (),
) -> Path:
    """Write a run folder as the pipeline would."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text((made or manifest()).model_dump_json(), "utf-8")
    with (folder / "points.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(score.model_dump_json() + "\n" for score in points)
    with (folder / "errors.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(error.model_dump_json() + "\n" for error in errors)
    return folder


def many_points(papers: int, per_paper: int) -> Iterable[PointScore]:
    """Many points of every kind, of many papers."""
    kinds = model_points()
    for paper in range(papers):
        for number in range(per_paper):
            kind = kinds[number % len(kinds)]
            yield kind.model_copy(
                update={
                    "point_id": f"p{paper}-r{number // 8}#{number + 1}",
                    "review_id": f"p{paper}-r{number // 8}",
                    "paper_id": f"p{paper}",
                }
            )


def named_by_content(points: Iterable[PointScore]) -> list[PointScore]:
    """The same points as a run of today has them, whose identifiers are made of words."""
    reviews: dict[str, list[PointScore]] = {}
    for score in points:
        reviews.setdefault(score.review_id, []).append(score)
    return [
        score.model_copy(update={"point_id": name, "number": number})
        for review, group in reviews.items()
        for number, (name, score) in enumerate(
            zip(content_ids(review, (one.text for one in group)), group, strict=True), start=1
        )
    ]


def without_quotes(score: PointScore) -> PointScore:
    """The same point, with nothing but an invented quote behind it."""
    invented = (Evidence(quote="The sky is green on Tuesdays.", verified=False),)
    update: dict[str, object] = {"evidence": ()}
    if score.verdict is not None:
        update["verdict"] = score.verdict.model_copy(update={"evidence": invented})
    return score.model_copy(update=update)
