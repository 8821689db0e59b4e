"""Works looked up in a public index of publications; nothing but the reference is sent there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Self
from urllib.parse import quote

import aiohttp
from rapidfuzz import fuzz
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from reviewscore import __version__
from reviewscore.addresses import is_loopback
from reviewscore.bounds import in_force
from reviewscore.papers.references import folded
from reviewscore.schema.cited_work import CitedWork, Listing

_SERVERS = {"openalex": "https://api.openalex.org", "crossref": "https://api.crossref.org"}
_OK, _ABSENT, _TOO_MANY, _SERVER_ERROR = 200, 404, 429, 500
_ATTEMPTS = 4
_LONGEST_WAIT = 30.0
_GIVE_UP = 5
"""Works in a row of which nobody could say anything, after which no more are asked about."""
_SAME, _NEAR = 92, 75
"""Similarity of titles, 0..100, of one work and of one that may be."""
_FEWEST_WORDS = 3
_ROWS = "5"


class _AgainError(Exception):
    """An answer that may be another one soon.

    Attributes:
        wait: Seconds that the server asks for; None if it does not.
    """

    def __init__(self, wait: float | None = None) -> None:
        super().__init__()
        self.wait = wait


class _UnusableError(Exception):
    """An answer that says nothing."""


class ReferenceIndex:
    """OpenAlex or Crossref, asked about one work after the other.

    Failures of any kind are `Listing.UNKNOWN`, never `Listing.NOT_FOUND`.

    Args:
        service: ``openalex`` or ``crossref``; after ``=`` the address of a mirror of it.
        timeout: Seconds for one answer.
        pause: Seconds between attempts, where the server does not say; doubles each time.
    """

    def __init__(self, service: str, *, timeout: float = 20.0, pause: float = 1.0) -> None:
        self._name, _, address = service.partition("=")
        self._address = (address or _SERVERS[self._name]).rstrip("/")
        self._timeout, self._pause, self._failed = timeout, pause, 0

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=self._timeout),
            trust_env=not is_loopback(self._address),
            auto_decompress=False,
            headers={"User-Agent": f"reviewscore/{__version__}", "Accept-Encoding": "identity"},
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def listing(self, work: CitedWork) -> Listing:
        """Whether the index has a work; unknown too if too little is said to ask about it."""
        by_title = len(work.title.split()) >= _FEWEST_WORDS
        doi = work.doi or (f"10.48550/arxiv.{work.arxiv}" if work.arxiv and not by_title else "")
        if self._failed >= _GIVE_UP or not (doi or by_title):
            return Listing.UNKNOWN
        try:
            if not doi:
                listing = _compared(work, _candidates(await self._answer(*self._search(work))))
            elif (answer := await self._answer(self._by_doi(doi), {})) is not None:
                listing = Listing.FOUND if _has_doi(answer, doi) else Listing.UNKNOWN
            else:  # neither index has all that arXiv holds
                listing = Listing.NOT_FOUND if work.doi else Listing.UNKNOWN
        except (_AgainError, _UnusableError):
            self._failed += 1
            return Listing.UNKNOWN
        self._failed = 0
        return listing

    def _by_doi(self, doi: str) -> str:
        prefix = "doi:" if self._name == "openalex" else ""
        return f"works/{prefix}{quote(doi, safe='')}"

    def _search(self, work: CitedWork) -> tuple[str, dict[str, str]]:
        if self._name == "openalex":
            fields = "display_name,publication_year,authorships"
            return "works", {"search": work.title, "per-page": _ROWS, "select": fields}
        words = " ".join((work.title, *work.authors[:1]))
        return "works", {
            "query.bibliographic": words,
            "rows": _ROWS,
            "select": "title,author,issued",
        }

    async def _answer(self, path: str, query: Mapping[str, str]) -> Any:
        """The JSON of an answer; None if there is no such work.

        Raises:
            _AgainError, _UnusableError: There is no answer.
        """
        retrying = AsyncRetrying(
            stop=stop_after_attempt(_ATTEMPTS),
            retry=retry_if_exception_type(_AgainError),
            wait=self._wait,
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                return await self._once(path, query)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        asked = error.wait if isinstance(error, _AgainError) else None
        usual = self._pause * 2 ** (state.attempt_number - 1)
        return min(usual if asked is None else asked, _LONGEST_WAIT)

    async def _once(self, path: str, query: Mapping[str, str]) -> Any:
        most, body = in_force().page.size, bytearray()
        try:
            async with self._session.get(
                f"{self._address}/{path}", params=query, allow_redirects=False
            ) as answer:
                if answer.status == _TOO_MANY or answer.status >= _SERVER_ERROR:
                    wait = answer.headers.get("Retry-After", "")
                    raise _AgainError(float(wait) if wait.isdecimal() else None)
                if answer.status == _ABSENT:
                    return None
                if answer.status != _OK or "Content-Encoding" in answer.headers:
                    raise _UnusableError  # redirects too: they may lead anywhere
                async for piece in answer.content.iter_any():
                    body += piece
                    if len(body) > most:
                        raise _UnusableError
            answer = json.loads(body)
            if not isinstance(answer, dict):
                raise _UnusableError
            return answer
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _AgainError from error
        except (ValueError, RecursionError) as error:
            raise _UnusableError from error


def _has_doi(answer: Any, doi: str) -> bool:
    """Whether an answer of either index is about the work of a DOI."""
    message = answer.get("message")
    named = message.get("DOI") if isinstance(message, dict) else answer.get("doi")
    return str(named).lower().removeprefix("https://doi.org/") == doi.lower()


def _candidates(answer: Any) -> Iterator[tuple[str, list[str]]]:
    """Title and surnames of each work of an answer of either index.

    Raises:
        _UnusableError: It is in nobody's form.
    """
    try:
        rows = answer["results"] if "results" in answer else answer["message"]["items"]
        for row in rows:
            title = row.get("display_name") or next(iter(row.get("title") or ()), "")
            people = [
                one["author"]["display_name"] if "author" in one else one.get("family") or ""
                for one in row.get("authorships") or row.get("author") or ()
            ]
            yield folded(title), [folded(name).rpartition(" ")[2] for name in people]
    except (AttributeError, TypeError, KeyError, IndexError) as error:
        raise _UnusableError from error


def _compared(work: CitedWork, candidates: Iterator[tuple[str, list[str]]]) -> Listing:
    """Whether one of the works that an index offers is the one that was meant."""
    title, best = folded(work.title), Listing.NOT_FOUND
    names = {folded(name).rpartition(" ")[2] for name in work.authors}
    for other, people in candidates:
        alike = fuzz.ratio(title, other)
        if alike >= _SAME and (not names or not people or names & set(people)):
            return Listing.FOUND
        if alike >= _NEAR:
            best = Listing.AMBIGUOUS
    return best
