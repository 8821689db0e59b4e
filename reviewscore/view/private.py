"""A look at one's own draft in the app: the form and the page of `drafts serve`, nothing kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from reviewscore.bounds import MEGABYTE
from reviewscore.config import EMBEDDED, Settings
from reviewscore.errors import ReviewScoreError
from reviewscore.llm.connect import check
from reviewscore.pages.http_guard import same_secret
from reviewscore.period.drafts import DraftError, DraftLimits, Drafts, check_private, nothing_logged
from reviewscore.period.drafts_app import DraftPages
from reviewscore.runs.context import with_window
from reviewscore.view.context import View
from reviewscore.view.judge_choice import JudgesHere, judges_here, leaves_unasked, resolved_of
from reviewscore.view.people import Visitor

PLACE = "/private"
_LIMITS = DraftLimits(per_day=100)
LONGEST = int(_LIMITS.megabytes * MEGABYTE)


@dataclass
class PrivateDrafts:
    """The private part of an app.

    Guests are looked at by the embedded judge alone; whoever started the app may choose another.

    Attributes:
        view: The app.
    """

    view: View
    _drafts: dict[str, Drafts] = field(default_factory=dict)

    async def form(self, request: Request) -> Response:
        """The form."""
        return await self._written(await self.view.visitor(request), {})

    async def page(self, request: Request) -> Response:
        """What the paper may say to the draft that was sent."""
        visitor = await self.view.visitor(request)
        sent: dict[str, str | bytes] = {}
        try:
            with nothing_logged():
                sent = await self._pages(self._of(_embedded())).sent(request)
                if not same_secret(self.view.form_secret(visitor), str(sent.get("csrf", ""))):
                    raise DraftError(403, "this form is out of date", "send it again as it is here")
                pages = self._pages(await run_in_threadpool(self._looking, visitor, sent))
                sheet, _ = await pages.answered(request, visitor.name, sent)
        except Exception as error:  # the outer loop: one bad draft never ends the app
            return await self._written(visitor, sent, DraftError.of(error))
        return pages.page(sheet)

    async def _written(
        self, visitor: Visitor, typed: dict[str, str | bytes], fault: DraftError | None = None
    ) -> Response:
        here = await run_in_threadpool(judges_here) if visitor.owns else None
        choices = [] if here is None else [(one.name, one.words) for one in here.choices]
        pages = self._pages(self._of(_embedded()))
        return pages.form(self.view.form_secret(visitor), typed, fault, choices)

    def _pages(self, drafts: Drafts) -> DraftPages:
        return DraftPages(drafts, place=PLACE, home="/?all=1", home_words="Runs")

    def _of(self, settings: Settings) -> Drafts:
        """Looks at drafts with these settings; each counts and limits for itself."""
        name = settings.model_dump_json()
        if name not in self._drafts:
            self._drafts[name] = Drafts(settings, self.view.cache, _LIMITS)
        return self._drafts[name]

    def _looking(self, visitor: Visitor, sent: dict[str, str | bytes]) -> Drafts:
        """Looks with the judge that was chosen.

        Raises:
            DraftError: It may not, or cannot be asked.
        """
        if not visitor.owns:
            return self._of(_embedded())
        try:
            return self._of(_chosen(judges_here(), sent))
        except ReviewScoreError as error:
            raise DraftError(422, str(error), "choose another judge") from error


def _embedded() -> Settings:
    return resolved_of(EMBEDDED, None).settings


def _chosen(here: JudgesHere, sent: dict[str, str | bytes]) -> Settings:
    """The settings of the judge that was chosen, if drafts may be shown to it.

    Raises:
        ReviewScoreError: They may not, or it cannot be asked.
    """
    resolved, allowed = resolved_of(*here.chosen(sent)), sent.get("may_leave") == "yes"
    settings = resolved.settings
    if leaves_unasked(settings):
        if not allowed:
            raise DraftError(422, "draft and paper would leave this machine", "say that they may")
        settings = settings.with_confidentiality("provider", "said in the app")
    settings = check_private(settings, confirmed=allowed)
    check(settings)
    return with_window(replace(resolved, settings=settings), say=lambda _: None).settings
