"""Who a request comes from: cookies, secrets of forms, and the addresses of each person."""

from __future__ import annotations

from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request

from reviewscore.annotate.workspace import COORDINATOR, Workspace
from reviewscore.pages.environment import content_security_policy
from reviewscore.pages.http_guard import GuardRules, origin, same_secret

LONGEST_FORM = 200_000
"""Bytes of a form."""
RULES = GuardRules(
    place="this workspace",
    policy=content_security_policy(
        style="'self'",
        script="'self'",
        form_action="'self'",
        connect_src="'self'",
        frame_ancestors="'none'",
    ),
    longest=LONGEST_FORM,
)
"""What a workspace answers."""


def cookie_name(workspace: Workspace, who: str) -> str:
    """Name of the cookie of one person in one set; sets on other ports have others."""
    return f"rs_{workspace.csrf('cookie')[:8]}_{who}"


def addresses(workspace: Workspace, host: str) -> dict[str, str]:
    """The address to hand out to each annotator, and the coordinator's."""
    names = [*workspace.store.annotators(), COORDINATOR]
    return {who: f"{origin(host)}/enter/{workspace.token(who)}" for who in names}


def home(who: str) -> str:
    """The path under which a person works; the cookie goes nowhere else."""
    return "/coordinator" if who == COORDINATOR else f"/by/{who}"


def point_path(who: str, point_id: str, act: str = "point") -> str:
    """The path of a point's page, or of what a form of it does.

    That is ``label``, ``state``, ``act`` or ``near``.
    """
    return f"{home(who)}/{act}/{quote(point_id, safe='')}"


def review_path(who: str, review_id: str) -> str:
    """The path of a whole review beside its paper."""
    return f"{home(who)}/review/{quote(review_id, safe='')}"


def person_of_token(workspace: Workspace, token: str) -> str | None:
    """The person a token belongs to."""
    text = None
    for who in (COORDINATOR, *workspace.store.annotators()):
        if same_secret(workspace.token(who), token):
            text = who
    return text


def has_cookie(workspace: Workspace, request: Request, who: str) -> bool:
    """Whether a request carries the person's cookie."""
    given = request.cookies.get(cookie_name(workspace, who), "")
    known = who == COORDINATOR or who in workspace.store.annotators()
    return known and same_secret(workspace.token(who), given)


def has_form_secret(workspace: Workspace, form: FormData, who: str) -> bool:
    """Whether a form carries the secret that only our own page knows."""
    given = str(form.get("csrf", ""))
    return same_secret(workspace.csrf(who), given)
