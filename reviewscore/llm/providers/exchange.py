"""Prompts out to a folder, replies in from it: for people, other programs, and closed networks.

``prompts.jsonl`` holds one prompt a line (``prompt``: its id, ``record``: the name of the reply's
form, ``messages``, ``schema``); ``replies.jsonl`` one reply a line (``prompt``: the id, and
``reply``: a JSON object, or ``text``; optional ``by``: who answered, ``finish``). The id is a hash
of what the reader gets to see, so that a prompt that changes is a new prompt. Later replies to a
prompt count. ``open.jsonl`` holds the lines of the prompts that wait for a reply, and nothing once
there is none. A prompt that shows pages of a paper names them in ``pages``, in their order: PNG
files in the folder's ``pages/``, each called by the hash of its bytes and written once.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewscore.bounds import (
    BoundedLine,
    bounded_lines,
    check_size,
    in_force,
    not_regular,
    open_regular,
)
from reviewscore.errors import InputError, SettingsError, StopError, TooLargeError
from reviewscore.files import write_whole
from reviewscore.llm.batch_jobs import QUIET, BatchCollector, Idle, Waiting
from reviewscore.llm.provider import EXCHANGE, Provider, ProviderOptions, Traits, provider
from reviewscore.llm.structured import check_whole
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Request
from reviewscore.schema.page_image import PageImage

PROMPTS, REPLIES, OPEN, PAGES = "prompts.jsonl", "replies.jsonl", "open.jsonl", "pages"
_DRAFT = f".{OPEN}.new"
_LOOK = 0.5
"""Seconds between looks for new replies."""


class ExchangeReply(BaseModel):
    """One line of ``replies.jsonl``; other fields are kept out of it and ignored."""

    model_config = ConfigDict(frozen=True)

    prompt: str = Field(min_length=64, max_length=64)
    reply: dict[str, object] | None = None
    text: str | None = None
    by: str = "exchange"
    finish: Literal["stop", "length", "filter", "refusal"] = "stop"


@provider("exchange")
class ExchangeProvider(Provider):
    """A folder that stands between this program and whoever answers.

    Args:
        folder: The folder; made if it is not there.
        wait: Seconds to wait for a new reply once all that can be asked has been asked.
        idle: Says whether the rest of the program is at rest.
        quiet: Seconds without a new prompt before all is taken to have been asked.
    """

    traits = Traits(paced=False, warms=False, records=True)
    variables = ()
    form = "{}:FOLDER"

    def __init__(
        self, folder: Path, *, wait: float = 0.0, idle: Idle | None = None, quiet: float = QUIET
    ) -> None:
        self.place = f"exchange:{folder}"
        self._folder, self._wait = folder, wait
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(error.strerror), file=folder) from error
        self._replies: dict[str, ExchangeReply] = {}
        self._line_end = ""
        self._read, self._lines, self._tail = 0, 0, b""
        self._open: dict[str, str] = {}
        self._collector = BatchCollector(self._await_replies, idle=idle, quiet=quiet)
        for name in (PROMPTS, REPLIES, OPEN, _DRAFT):
            _check_own(folder / name)
        self._look()
        self._asked_before = self._known_prompts()
        self._write_open()

    @classmethod
    def check(cls, model: str, *, base_url: str | None) -> None:
        """A folder has to be named."""
        if not model.removeprefix(EXCHANGE):
            raise SettingsError("exchange: needs a folder; write exchange:FOLDER")

    @classmethod
    def open(cls, model: str, options: ProviderOptions) -> Provider:
        """The folder that the name holds."""
        return cls(Path(model.removeprefix(EXCHANGE)), wait=options.wait, idle=options.idle)

    async def complete(self, request: Request) -> Completion:
        """The reply from the folder; the prompt is written to it if there is none yet.

        Raises:
            StopError: Prompts wait for replies and nothing more can be done without them.
            InputError: A line of the replies cannot be read.
        """
        key = request.prompt_key()
        if key not in self._replies:
            self._put(key, request)
            return await self._collector.ask(key, request)
        return _completion(self._replies[key])

    def _put(self, key: str, request: Request) -> None:
        if key in self._asked_before:
            return
        self._asked_before.add(key)
        self._write_pages(request)
        try:
            _check_own(self._folder / PROMPTS)  # the folder is shared: it may be another by now
            with (self._folder / PROMPTS).open("ab") as file:
                file.write((self._line_end + _line(key, request)).encode())
        except OSError as error:
            raise StopError(f"{self._folder / PROMPTS}: {error.strerror}") from error
        self._line_end = ""

    def _write_pages(self, request: Request) -> None:
        """Put the pages of a prompt into the folder, before the line that names them.

        Raises:
            InputError: A link or something else stands in a page's place.
            StopError: They cannot be written.
        """
        if not request.pages:
            return
        try:
            _check_folder(self._folder / PAGES)
            (self._folder / PAGES).mkdir(exist_ok=True)
            for page in request.pages:
                path = self._folder / page_file(page)
                _check_own(path)
                if not path.exists():
                    write_whole(path, [page.png])
        except OSError as error:
            raise StopError(f"{self._folder / PAGES}: {error.strerror}") from error

    def _write_open(self) -> None:
        """Keep a file of the prompts that wait for replies; none if none do."""
        path = self._folder / OPEN
        draft = path.with_name(_DRAFT)
        try:
            if not self._open:
                path.unlink(missing_ok=True)
                return
            draft.unlink(missing_ok=True)  # a link there would be followed
            draft.write_bytes("".join(self._open.values()).encode())
            draft.replace(path)
        except OSError as error:
            raise StopError(f"{path}: {error.strerror}") from error

    def _known_prompts(self) -> set[str]:
        texts, last = set(), b""
        for line in _lines_in(self._folder / PROMPTS):
            last = line.data
            if known := _prompt_of(line.data):  # a line cut off by a kill is written anew
                texts.add(known)
        self._line_end = "\n" if last and not last.endswith(b"\n") else ""
        return texts

    def _look(self) -> bool:
        """Read new lines of the replies; whether there were any.

        A last line without an end counts if it is whole, and is read again when it has ended.
        """
        path = self._folder / REPLIES
        _check_own(path)
        if not path.is_file():
            return False
        check_size(path, in_force().results)
        before, tail = self._read, b""
        with open_regular(path) as file:
            file.seek(self._read)
            for line in bounded_lines(file, in_force().reply):
                if line.cut:
                    raise _too_large(line, path, self._lines + 1)
                if not line.data.endswith(b"\n"):
                    tail = line.data
                    break
                self._lines += 1
                self._read += line.size
                if line.data.strip():
                    reply = _parsed(line.data, path, self._lines)
                    self._replies[reply.prompt] = reply
        if tail != self._tail and _is_json(tail):
            reply = _parsed(tail, path, self._lines + 1)
            self._replies[reply.prompt] = reply
            self._tail = tail
            return True
        return self._read > before

    async def _await_replies(self, wave: tuple[Waiting, ...]) -> None:
        until = time.monotonic() + self._wait
        left = list(wave)
        self._open |= {one.key: _line(one.key, one.request) for one in wave}
        self._write_open()
        while True:
            if self._look():
                until = time.monotonic() + self._wait
            for job in left:
                if job.key in self._replies and not job.reply.done():
                    job.reply.set_result(_completion(self._replies[job.key]))
            if any(self._open.pop(one.key, None) for one in left if one.key in self._replies):
                self._write_open()
            left = [one for one in left if not one.reply.done()]
            if not left:
                return
            if time.monotonic() >= until:
                wait = "1 prompt waits" if len(left) == 1 else f"{len(left)} prompts wait"
                raise StopError(
                    f"{wait} for replies in {self._folder / REPLIES} (see {self._folder / OPEN}); "
                    "run the same command again when they are there"
                )
            await asyncio.sleep(min(_LOOK, max(0.01, until - time.monotonic())))

    def halt(self) -> None:
        """Wait for no more replies; prompts and replies stay in the folder."""
        self._collector.halt()

    async def close(self) -> None:
        """Wait no more."""
        await self._collector.close()


def lines_of(folder: Path, prompts: Collection[str]) -> int:
    """How many lines of an exchange folder are some prompts, or replies to them.

    Args:
        folder: The folder; it need not be there.
        prompts: Ids of the prompts.

    Raises:
        InputError: A file of the folder is a link, or none.
    """
    return sum(
        _prompt_of(line.data) in prompts
        for name in (PROMPTS, OPEN, REPLIES)
        for line in _lines_in(folder / name)
    )


def prompts_that(folder: Path, hold: Callable[[str], bool]) -> frozenset[str]:
    """Ids of the prompts of an exchange folder that hold a text, or whose replies do.

    Args:
        folder: The folder; it need not be there.
        hold: Whether a line does, as JSON text.

    Raises:
        InputError: A file of the folder is a link, or none.
    """
    return frozenset(
        _prompt_of(line.data)
        for name in (PROMPTS, OPEN, REPLIES)
        for line in _lines_in(folder / name)
        if hold(line.data.decode("utf-8", "replace"))
    )


def take_out(folder: Path, prompts: Collection[str]) -> None:
    """Take prompts, and the replies to them, out of an exchange folder; other lines stay.

    Pages that no prompt names any more go with them.

    Args:
        folder: The folder.
        prompts: Ids of the prompts.

    Raises:
        InputError: A file of the folder is a link, or none.
        RunFolderError, StopError: It cannot be written.
    """
    for name in (REPLIES, OPEN, PROMPTS):
        path = folder / name
        if any(_prompt_of(line.data) in prompts for line in _lines_in(path)):
            kept = (line.data for line in _lines_in(path) if _prompt_of(line.data) not in prompts)
            write_whole(path, kept)
    _check_folder(folder / PAGES)
    named = {name for line in _lines_in(folder / PROMPTS) for name in _pages_of(line.data)}
    for path in (folder / PAGES).glob("*.png"):
        if f"{PAGES}/{path.name}" not in named:
            _check_own(path)
            path.unlink()


def _lines_in(path: Path) -> Iterator[BoundedLine]:
    _check_own(path)
    if path.is_file():
        with open_regular(path) as file:
            for number, line in enumerate(bounded_lines(file, in_force().results), start=1):
                if line.cut:
                    raise _too_large(line, path, number)
                yield line


def _prompt_of(line: bytes) -> str:
    """The id of the prompt that a line is about; empty of one that cannot be read."""
    try:
        return str(json.loads(line)["prompt"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def _pages_of(line: bytes) -> list[str]:
    """The pages that a prompt's line names; none of one that cannot be read."""
    try:
        return [str(name) for name in json.loads(line).get("pages", ())]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return []


def _check_folder(path: Path) -> None:
    """Refuse a folder in the folder that is a link, or none.

    Raises:
        InputError: It is one.
    """
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise InputError("is no folder", file=path, cure="move it away: pages are written there")


def _check_own(path: Path) -> None:
    """Refuse a file of the folder that is none.

    Through a link, texts would leave the folder or come from elsewhere; at a pipe, a run hangs.

    Raises:
        InputError: It is one.
    """
    if path.is_symlink():
        raise InputError(
            "is a link, which is not followed", file=path, cure="put the file itself there"
        )
    if path.exists() and not path.is_file():
        raise not_regular(path)


def _line(key: str, request: Request) -> str:
    """A prompt as it is written for whoever answers."""
    line = {
        "prompt": key,
        "record": request.schema_name,
        "messages": [message.model_dump() for message in request.conversation()],
        **({"pages": [page_file(page) for page in request.pages]} if request.pages else {}),
        "schema": json.loads(request.reply_schema),
    }
    return json.dumps(without_surrogates(line), ensure_ascii=False) + "\n"


def page_file(page: PageImage) -> str:
    """Where a page lies in an exchange folder."""
    return f"{PAGES}/{page.sha256}.png"


def _too_large(line: BoundedLine, path: Path, number: int) -> TooLargeError:
    bound = in_force().reply
    problem = bound.problem(line.size, whole=True)
    return TooLargeError(problem, file=path, line=number, cure=bound.cure)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _parsed(line: bytes, path: Path, number: int) -> ExchangeReply:
    try:
        reply = ExchangeReply.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        raise InputError(first["msg"], file=path, line=number, field=field) from error
    try:
        check_whole(line.decode())
    except ValueError as error:
        raise InputError(str(error), file=path, line=number) from error
    if (reply.reply is None) == (reply.text is None):
        raise InputError(
            "there is no answer in it, or two",
            file=path,
            line=number,
            cure="give either 'reply' (a JSON object) or 'text'",
        )
    return reply


def _completion(reply: ExchangeReply) -> Completion:
    text = reply.text if reply.text is not None else json.dumps(reply.reply, ensure_ascii=False)
    return Completion(
        text=str(without_surrogates(text)),
        model=reply.by,
        reply_id=f"exchange-{reply.prompt[:16]}",
        finish=reply.finish,
        parameters={"by": reply.by},
    )
