"""An invented set to label: two papers, a question, a claim and an argument with two premises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reviewscore.annotate.label_store import LabelEntry
from reviewscore.annotate.material import LabelPoint, Material
from reviewscore.annotate.rules import Codebook
from reviewscore.annotate.workspace import Workspace, open_workspace
from reviewscore.schema.annotation import LabelField, Unit, UnitKind
from reviewscore.schema.point_id import content_id
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from tests.agreement.invented import Said
from tests.agreement.invented import point as scored

TYPE, FACTUALITY = LabelField.TYPE, LabelField.FACTUALITY
QUESTION, CLAIM, ARGUMENT = "frogs-r1#1", "frogs-r1#2", "frogs-r1#3"
SECRET_WORDS = "a secret rationale of the judge"


def judged(name: str, kind: PointType, whole: int = 2) -> PointScore:
    """A point as a model judged it, with words that no blind page may show."""
    score = scored(name, kind, Said(whole))
    assert score.verdict is not None
    return score.model_copy(
        update={"verdict": score.verdict.model_copy(update={"rationale": SECRET_WORDS})}
    )


def make_point(
    name: str, text: str, *, paper: str = "frogs", premises: Sequence[str] = ()
) -> LabelPoint:
    """A point with premises."""
    review = name.partition("#")[0]
    kind = PointType.ARGUMENT if premises else PointType.CLAIM
    return LabelPoint(
        unit=Unit(unit_id=name, paper_id=paper, review_id=review, text=text),
        section="weaknesses",
        premises=tuple(
            Unit(
                unit_id=f"{name}/P{n}",
                kind=UnitKind.PREMISE,
                paper_id=paper,
                review_id=review,
                point_id=name,
                text=words,
            )
            for n, words in enumerate(premises, start=1)
        ),
        conclusion="The gain may be chance." if premises else "",
        score=judged(name, kind),
    )


def make_material(*more: LabelPoint) -> Material:
    """Three points of one paper, one of another."""
    points = (
        make_point(QUESTION, "How many ponds were used?"),
        make_point(CLAIM, "The evaluation is weak."),
        make_point(
            ARGUMENT,
            "With a single seed, the gain may be chance.",
            premises=("One seed was used.", "If one seed was used, the gain may be chance."),
        ),
        make_point("birds-r1#1", "There is no theory.", paper="birds"),
        *more,
    )
    return Material("run", {one.point_id: one for one in points})


def today(material: Material, *, space: str = " ") -> Material:
    """The same material with identifiers made of words, as a run of today has it."""
    names = {one.point_id: content_id(one.unit.review_id, one.unit.text or "")
             for one in material.points.values()}  # fmt: skip

    def renamed(unit: Unit) -> Unit:
        owner = names[unit.point_id or unit.unit_id]
        new = {"unit_id": owner + unit.unit_id.removeprefix(unit.point_id or unit.unit_id)}
        new |= {"text": (unit.text or "").replace(" ", space)}
        return unit.model_copy(update=new | ({"point_id": owner} if unit.point_id else {}))

    points = (
        replace(one, unit=renamed(one.unit), premises=tuple(map(renamed, one.premises)))
        for one in material.points.values()
    )
    return Material("today", {one.point_id: one for one in points})


def make_workspace(
    folder: Path,
    material: Material | None = None,
    annotators: Sequence[str] = ("A1", "A2", "A3"),
    per_point: int = 3,
    codebook: Codebook | None = Codebook.FIRST,
) -> Workspace:
    """A workspace of these points, begun or taken up again."""
    return open_workspace(
        "frogs",
        folder,
        material or make_material(),
        annotators=annotators,
        per_point=per_point,
        codebook=codebook,
    )


def give(
    workspace: Workspace,
    who: str,
    unit: str,
    field: LabelField,
    value: int | str,
    *,
    reason: str | None = None,
    seconds: float = 0.0,
) -> None:
    """One label, by someone who sees the newest page."""
    point = workspace.material.points[unit.partition("/")[0]]
    version = workspace.store.page(who, point.point_id).version
    workspace.session(who, point).save(
        (unit, field), LabelEntry(value, reason), version=version, seconds=seconds
    )


def show(workspace: Workspace, who: str, point_id: str = ARGUMENT) -> None:
    """Show the reconstruction to someone."""
    version = workspace.store.page(who, point_id).version
    workspace.session(who, workspace.material.points[point_id]).show(version=version)


def finish(workspace: Workspace, who: str, *, whole: int = 4, faithful: int = 5) -> None:
    """All labels of all points by one annotator."""
    for point_id in workspace.material.points:
        kind = {QUESTION: "question", ARGUMENT: "argument"}.get(point_id, "claim")
        give(workspace, who, point_id, TYPE, kind)
        field = LabelField.UNANSWERABILITY if kind == "question" else FACTUALITY
        give(workspace, who, point_id, field, whole, reason="Section 3.")
    show(workspace, who)
    give(workspace, who, ARGUMENT, LabelField.FAITHFULNESS, faithful)
    for premise in (f"{ARGUMENT}/P1", f"{ARGUMENT}/P2") if faithful > 3 else ():
        give(workspace, who, premise, LabelField.SOURCE, "given_paper")
        give(workspace, who, premise, FACTUALITY, whole)
        give(workspace, who, premise, LabelField.UNTRIVIALNESS, 2)
