"""The coordinator's pages: progress, agreement so far, disagreements, export."""

from __future__ import annotations

from reviewscore.annotate.guard import addresses
from reviewscore.annotate.pages import Notice, frame, render
from reviewscore.annotate.progress import alphas, disagreements, finished_papers, progress, state_of
from reviewscore.annotate.workspace import COORDINATOR, Workspace


def overview(workspace: Workspace, host: str, notice: Notice | None = None) -> str:
    """Progress and agreement."""
    return render("coordinator.html", **_numbers(workspace, host), notice=notice)


def numbers_part(workspace: Workspace, host: str) -> str:
    """The tables alone, to be put anew into an open page."""
    return render("numbers.html", **_numbers(workspace, host))


def _numbers(workspace: Workspace, host: str) -> dict[str, object]:
    store, state = workspace.store, state_of(workspace)
    rows = progress(workspace, state)
    handed_out = addresses(workspace, host)
    return {
        **frame(workspace, COORDINATOR),
        "rows": rows,
        "alphas": alphas(store.given()),
        "points": len(workspace.material.points),
        "papers": len(workspace.material.papers),
        "finished": len(finished_papers(workspace, state)),
        "done": sum(row.done for row in rows),
        "assigned": sum(row.points for row in rows),
        "addresses": {row.annotator: handed_out[row.annotator] for row in rows},
    }


def adjudication(workspace: Workspace, notice: Notice | None = None) -> str:
    """Where annotators disagree, to be settled."""
    state = state_of(workspace)
    found = disagreements(workspace, state)
    return render(
        "disagreements.html",
        **frame(workspace, COORDINATOR),
        found=found,
        settled=sum(one.decision is not None for one in found),
        finished=len(finished_papers(workspace, state)),
        papers=len(workspace.material.papers),
        notice=notice,
    )
