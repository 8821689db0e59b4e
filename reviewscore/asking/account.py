"""The folder that models write or label texts into, and the run's account of itself."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from reviewscore import __version__, prompts
from reviewscore.config import Plain, Settings
from reviewscore.errors import RunFolderError
from reviewscore.judges.asker import ASKING_VERSION
from reviewscore.schema.record import Record
from reviewscore.store.decisive import FRAME, METHOD, PROMPT, first_difference, of_the_same_prompts
from reviewscore.store.jsonl import read_whole, write_whole
from reviewscore.store.manifest import InputFile, Spending, only_version

_ASKED = ("base_url", "temperature", "effort", "max_tokens", "structured")
"""Settings that can change a reply."""
_LOCK = ".lock"
_KEPT = ("run_id", "times", "spending", "models_answered", "refused")
"""What a session takes over from those before it."""


class Account(Record):
    """What a run was made with and what came of it.

    Attributes:
        run_id: Name of the run in the ledger.
        reviewscore_version: Version of reviewscore that wrote it last.
        reviewscore_versions: All versions that sessions were made with, in order.
        decisive: Whatever can change a text (models, settings, prompts that are used); a folder
            holds one set of these, and going on with another is refused.
        prompts: SHA-256 of each prompt used, by its id.
        inputs: The files read.
        counts: How many of what.
        failures: How many failed, by what was asked and then by kind.
        models_answered: Models as the providers named them.
        refused: What servers refused, by model and server: parameters and forms of replies that
            were left out from then on; a later session begins with it.
        spending: Calls, tokens and dollars of all sessions.
        warnings: What must be known to use the texts.
        times: Start of each session, UTC, ISO 8601, and its seconds.
        complete: Whether the last session reached the end.
    """

    schema_id: Literal["reviewscore.account/1"] = Field(
        default="reviewscore.account/1", alias="schema"
    )
    run_id: str = Field(default_factory=lambda: uuid.uuid4().hex)
    reviewscore_version: str = __version__
    reviewscore_versions: tuple[str, ...] = Field(default_factory=only_version)
    decisive: dict[str, Plain]
    prompts: dict[str, str]
    inputs: tuple[InputFile, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    failures: dict[str, dict[str, int]] = Field(default_factory=dict)
    models_answered: tuple[str, ...] = ()
    refused: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    spending: Spending = Spending()
    warnings: tuple[str, ...] = ()
    times: tuple[tuple[str, float], ...] = ()
    complete: bool = False


@dataclass
class Outcome:
    """How a session ended.

    Attributes:
        account: The run's account of itself, all sessions together.
        interrupted: Ctrl-C ended it.
        stopped: A limit ended it; the message says how to go on.
        failed: Texts that failed, in the whole folder.
        new: Texts that this session has written.
        before: Texts that were there before it.
        seconds: Time of this session.
    """

    account: Account
    interrupted: bool = False
    stopped: str | None = None
    failed: int = 0
    new: int = 0
    before: int = 0
    seconds: float = 0.0


def new_account(
    names: tuple[str, ...],
    settings: Settings,
    *,
    inputs: tuple[InputFile, ...] = (),
    more: Mapping[str, Plain] | None = None,
) -> Account:
    """What a run is to be made with.

    Args:
        names: Names of the prompts that are used, beside those that every question is put with.
        settings: How they are asked.
        inputs: The files read.
        more: Further settings that can change a text.
    """
    asked = settings.decisive()
    used = {one.prompt_id: one.sha256 for one in map(prompts.latest, (*names, *FRAME))}
    decisive: dict[str, Plain] = {
        **{name: asked[name] for name in _ASKED},
        f"{METHOD}asking": ASKING_VERSION,
        **{f"{PROMPT}{name}": digest for name, digest in used.items()},
        **(more or {}),
    }
    return Account(decisive=decisive, prompts=used, inputs=inputs)


class Folder:
    """A folder opened for writing; one process at a time.

    Args:
        path: The folder; made if it is not there.
        name: File of the account.
        account: What is to be made.

    Attributes:
        account: That, with what an earlier session left.

    Raises:
        RunFolderError: Another process writes to it, it was made otherwise, it holds something
            else, or it cannot be written.
    """

    def __init__(self, path: Path, name: str, account: Account) -> None:
        self.path, self._file = path, path / name
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{path}: {error.strerror}; name another folder") from error
        self._lock = FileLock(path / _LOCK, blocking=False)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise RunFolderError(f"{path}: another process is writing to it") from error
        except OSError as error:
            raise RunFolderError(f"{path}: {error.strerror}") from error
        try:
            self.account = self._continued(account)
            self.update(self.account)
        except BaseException:
            self._lock.release()
            raise

    def _continued(self, new: Account) -> Account:
        if not self._file.is_file():
            others = [entry.name for entry in self.path.iterdir() if entry.name != _LOCK]
            if others:
                raise RunFolderError(
                    f"{self.path} holds {others[0]!r} and no {self._file.name}; "
                    "choose another folder"
                )
            return new
        try:
            old = Account.model_validate_json(read_whole(self._file) or b"")
        except ValidationError as error:
            raise RunFolderError(
                f"{self._file}: not an account of this version of reviewscore"
            ) from error
        # A prompt that one session asks and the other does not decides nothing between them.
        before, now = of_the_same_prompts(old.decisive, new.decisive)
        difference = first_difference(before, now)
        if difference is not None:
            raise RunFolderError(
                f"{self.path} was made otherwise: {difference}; "
                "use the same settings, or another folder"
            )
        kept = {name: getattr(old, name) for name in _KEPT}
        kept["decisive"] = {**old.decisive, **new.decisive}
        kept["prompts"] = {**old.prompts, **new.prompts}
        versions = (*old.reviewscore_versions, *new.reviewscore_versions)
        kept["reviewscore_versions"] = tuple(dict.fromkeys(versions))
        return new.model_copy(update=kept)

    def update(self, account: Account) -> None:
        """Replace the account."""
        self.account = account
        write_whole(self._file, account.model_dump_json(indent=2) + "\n")

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()
