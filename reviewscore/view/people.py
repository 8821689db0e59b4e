"""Who may use the app: whoever started it, and people with an invitation that can be revoked."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request

from reviewscore.errors import SettingsError
from reviewscore.pages.access_keys import AccessKeys
from reviewscore.pages.http_guard import same_secret
from reviewscore.period.assignments import Assignments, VenueRole
from reviewscore.period.deliver import Release
from reviewscore.sources.annotations import is_pseudonym

INVITATIONS = "view_people.jsonl"
"""Invitations to the runs of a folder, in it; of each the hash alone."""
OWNER = "owner"
"""Who started the app."""
CHAIR_ROLES = (VenueRole.PROGRAM_CHAIR, VenueRole.SENIOR_CHAIR, VenueRole.AREA_CHAIR)
OWN_ROLES = (VenueRole.REVIEWER, VenueRole.AUTHOR)
"""Roles in which people see their own reviews or papers, as the pages for these readers do."""


@dataclass(frozen=True)
class Visitor:
    """Who asks.

    Attributes:
        name: Pseudonym, `OWNER` for whoever started the app.
        rights: What the venue says that people may see; None where it says nothing, so that
            everybody who was invited sees all runs.
    """

    name: str
    rights: Assignments | None = None

    @property
    def owns(self) -> bool:
        """Whether it is the one who started the app."""
        return self.name == OWNER

    def may_see(self, paper_id: str) -> bool:
        """Whether the verdicts on a paper are shown to them: chairs of the paper see them."""
        if self.owns or self.rights is None:
            return True
        return any(
            self.rights.may_see(self.name, paper_id=paper_id, role=role) for role in CHAIR_ROLES
        )

    @property
    def has_own(self) -> bool:
        """Whether they have reviews or papers of their own, which they see as reader of these."""
        return self.rights is not None and any(
            self.rights.pages_of(self.name, role) for role in OWN_ROLES
        )

    @property
    def chairs(self) -> bool:
        """Whether they see verdicts on any paper."""
        return self.sees_all or (
            self.rights is not None
            and any(self.rights.pages_of(self.name, role) for role in CHAIR_ROLES)
        )

    @property
    def sees_all(self) -> bool:
        """Whether no paper is kept from them."""
        return self.owns or self.rights is None


@dataclass
class People:
    """The people of one app.

    Attributes:
        folder: Where invitations are kept.
        rights: What people may see.
        name: What whoever started the app is called in what they say.
        released: What the venue releases to authors; None for nothing.
        secret: Known to this app alone, for as long as it runs.
    """

    folder: Path
    rights: Assignments | None = None
    name: str = OWNER
    released: Release | None = None
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def keys(self) -> AccessKeys:
        """Of whom there are invitations."""
        return AccessKeys(self.folder / INVITATIONS)

    def invite(self, name: str) -> str:
        """A new invitation, in place of an older one of that name.

        Raises:
            SettingsError: The name is no pseudonym.
        """
        if name in (OWNER, self.name) or not (self.names_in_table(name) or is_pseudonym(name)):
            raise SettingsError(f"{name!r} cannot be invited; give a pseudonym such as AC7")
        return self.keys.issue(name)

    def names_in_table(self, name: str) -> bool:
        """Whether a table of assignments names somebody."""
        return self.rights is not None and any(
            name in self.rights.people(role) for role in VenueRole
        )

    def who(self, visitor: Visitor) -> str:
        """The pseudonym under which somebody speaks."""
        return self.name if visitor.owns else visitor.name

    def names(self) -> list[str]:
        """Everybody who was invited."""
        return sorted(set(self.keys.names().values())) if self.keys.file.is_file() else []

    def of_key(self, key: str) -> Visitor | None:
        """Whose key it is; None if it is nobody's."""
        if same_secret(self.secret, key):
            return Visitor(OWNER, self.rights)
        name = self.keys.person(key) if self.keys.file.is_file() else None
        # The file may come with a folder of runs: nobody becomes the owner by it.
        if name is None or name in (OWNER, self.name):
            return None
        return Visitor(name, self.rights)

    def of_request(self, request: Request, *cookies: str) -> Visitor | None:
        """Who asks, by the first of some cookies that is somebody's; None if nobody who may."""
        keys = filter(None, (request.cookies.get(cookie, "") for cookie in cookies))
        return next(filter(None, map(self.of_key, keys)), None)
