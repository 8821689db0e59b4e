"""Every exception this package raises, drawn as one tree.

::

    ReviewScoreError
    ├── InputError            a file, record or argument is wrong (exit code 2)
    │   └── TooLargeError         it passes a bound on what is held (`bounds`)
    ├── SettingsError         a setting is unknown or has an impossible value (exit code 2)
    ├── RunFolderError        a run folder cannot be used or written (exit code 2)
    │   └── LedgerVersionError    a ledger is of a version that this one knows nothing of
    ├── PromptError           a prompt is missing, changed or badly rendered (exit code 2)
    ├── FormulaError          the text of a formula does not parse; carries the position
    ├── StopError             a stated limit ends the run (exit code 4)
    │   ├── StoppedError          the run is being stopped from outside
    │   └── ConfidentialityError  texts would leave this machine, which is not allowed
    └── ModelError            a model gave no usable reply
        ├── ProviderError         the provider failed; `retryable` says whether to try again
        ├── RefusalError          the model declined to answer
        ├── TruncatedError        the reply was cut off by the length limit
        ├── FilteredError         the provider's content filter withheld the reply
        ├── PromptCutError        the server read less than it was sent, or cannot read as much
        └── BadReplyError         the reply does not fit the expected record, after asking again

The command line ends with the exit codes named here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from pathlib import Path
from typing import TypeVar


class ReviewScoreError(Exception):
    """Base of all errors of this package; they can be pickled, whatever they are made from."""

    def __reduce__(self) -> tuple[object, ...]:
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(
    kind: type[ReviewScoreError], args: tuple[object, ...], state: dict[str, object]
) -> ReviewScoreError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class InputError(ReviewScoreError):
    """A file, record or argument that cannot be used.

    Args:
        problem: What is wrong, as a sentence without its place.
        file: The file it is in.
        line: 1-based line (JSONL) or row (Parquet).
        field: Name of the field.
        cure: What the user can do.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        field: str | None = None,
        cure: str | None = None,
    ) -> None:
        self.problem, self.file, self.line, self.field, self.cure = problem, file, line, field, cure
        place = "" if file is None else str(file)
        if line is not None:
            place += f":{line}"
        words = [f"{place}: " if place else "", f"field '{field}': " if field else "", problem]
        if cure:
            words.append(f" ({cure})" if problem.endswith(".") else f"; {cure}")
        super().__init__("".join(words))


class TooLargeError(InputError):
    """A file, record or answer that passes a bound; no more than the bound was held."""


class SettingsError(ReviewScoreError):
    """A setting that is unknown or has an impossible value."""


class MissingKeyError(SettingsError):
    """A provider's key that is not set."""


class RunFolderError(ReviewScoreError):
    """A run folder that cannot be used or written."""


class LedgerVersionError(RunFolderError):
    """A ledger whose tables are of a version that this program knows nothing of."""


class PromptError(ReviewScoreError):
    """A prompt that is missing, changed or badly rendered."""


class StopError(ReviewScoreError):
    """A stated limit ends the run; the message says how to go on."""


class StoppedError(StopError):
    """No new call is made because the run is being stopped."""


class ConfidentialityError(StopError):
    """Texts would leave this machine, and the venue's rule forbids it or is not known."""


class FormulaError(ReviewScoreError):
    """The text of a formula does not parse.

    Args:
        code: Short stable name of the kind of error, such as ``unexpected-token``.
        message: A sentence that a person or a model can act on.
        line: 1-based line in the formula's text.
        column: 1-based column in the formula's text.
    """

    def __init__(self, code: str, message: str, *, line: int = 1, column: int = 1) -> None:
        self.code, self.message, self.line, self.column = code, message, line, column
        super().__init__(f"line {line}, column {column}: {message}")


class ModelError(ReviewScoreError):
    """A model gave no usable reply."""


class ProviderError(ModelError):
    """The provider failed.

    Args:
        message: What happened.
        retryable: Whether the same request may succeed later.
        retry_after: Seconds the provider asks to wait, if it said so.
        status: HTTP status, if there was one.
        in_doubt: Whether the request may have been answered and billed without our seeing it.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool,
        retry_after: float | None = None,
        status: int | None = None,
        in_doubt: bool = False,
    ) -> None:
        self.retryable, self.retry_after, self.status = retryable, retry_after, status
        self.in_doubt = in_doubt
        super().__init__(message)

    @property
    def unreached(self) -> bool:
        """Whether the request never came to the server."""
        return self.status is None and not self.in_doubt


class RefusalError(ModelError):
    """The model declined to answer."""


class TruncatedError(ModelError):
    """The reply was cut off by the length limit."""


class FilteredError(ModelError):
    """The provider's content filter withheld the reply."""


class PromptCutError(ModelError):
    """The server read less of a prompt than it was sent, or cannot read as much; nothing counts."""


class BadReplyError(ModelError):
    """The reply does not fit the expected record, after asking again.

    Args:
        message: What does not fit.
        reply: The last reply's text.
    """

    def __init__(self, message: str, *, reply: str) -> None:
        self.reply = reply
        super().__init__(message)


Result = TypeVar("Result")


async def capture_errors(work: Awaitable[Result]) -> Result | ModelError | StopError:
    """The result of a branch, or the error that ended it: what others pay for is recorded."""
    try:
        return await work
    except (ModelError, StopError) as error:
        return error


async def gather_results(works: Iterable[Awaitable[Result]]) -> list[Result | ModelError]:
    """The results of branches side by side, with the error of each that has no usable reply.

    Raises:
        StopError: Nothing more can be asked; every branch has come to its end before.
    """
    from asyncio import gather  # costs what a command that asks nothing need not pay

    results: list[Result | ModelError] = []
    for result in await gather(*map(capture_errors, works)):
        if isinstance(result, StopError):
            raise result
        results.append(result)
    return results


def error_message(error: ModelError) -> str:
    """Kind and message of an error, as it is recorded."""
    return f"{type(error).__name__}: {error}"
