"""Works looked up in an index on loopback, which answers, fails, stalls and misleads."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from reviewscore.bounds import Bounds, put_in_force
from reviewscore.schema.cited_work import CitedWork, Listing
from reviewscore.sources.reference_lookup import ReferenceIndex

Answer = tuple[int, dict[str, str], bytes]


class Index(ThreadingHTTPServer):
    """An index whose answers a test gives: the last one again and again."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.asked: list[str] = []
        self.agents: list[str] = []
        self.delay = 0.0
        self.address = f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Index

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.agents.append(self.headers["User-Agent"])
        answers = self.server.answers
        status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for start in range(0, len(body), 65_536):
            time.sleep(self.server.delay)
            try:
                self.wfile.write(body[start : start + 65_536])
            except OSError:
                return

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def index() -> Iterator[Index]:
    server = Index()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


TITLE = "Counting toads at night"


def work(**said: object) -> CitedWork:
    return CitedWork.model_validate({"words": "private words", "mentions": (), **said})


def openalex(*works: tuple[str, str]) -> Answer:
    rows = [
        {"display_name": title, "authorships": [{"author": {"display_name": name}}]}
        for title, name in works
    ]
    return 200, {}, json.dumps({"results": rows}).encode()


def crossref(*works: tuple[str, str]) -> Answer:
    rows = [{"title": [title], "author": [{"family": name}]} for title, name in works]
    return 200, {}, json.dumps({"message": {"items": rows}}).encode()


def ask(
    index: Index, *works: CitedWork, service: str = "openalex", timeout: float = 5
) -> list[Listing]:
    async def asked() -> list[Listing]:
        place = f"{service}={index.address}"
        async with ReferenceIndex(place, timeout=timeout, pause=0.01) as known:
            return [await known.listing(one) for one in works]

    return asyncio.run(asked())


@pytest.mark.parametrize(("service", "answer"), [("openalex", openalex), ("crossref", crossref)])
def test_a_title_is_found_not_found_or_ambiguous(
    index: Index, service: str, answer: Callable[..., Answer]
) -> None:
    index.answers = [
        answer(("Other ponds", "Newt"), ("Counting Toads at Night.", "Ada Frogman")),
        answer(("Caves of the deep", "Olm")),
        answer(("Counting toads at night", "Olm")),
        answer(),
    ]
    one = work(title=TITLE, authors=("Frogman",))

    found = ask(index, one, one, one, one, service=service)

    assert found == [Listing.FOUND, Listing.NOT_FOUND, Listing.AMBIGUOUS, Listing.NOT_FOUND]


@pytest.mark.parametrize("service", ["openalex", "crossref"])
def test_a_doi_is_asked_for_by_itself(index: Index, service: str) -> None:
    doi = "10.1234/pond.7"
    known = {"doi": f"https://doi.org/{doi.upper()}", "message": {"DOI": doi.upper()}}
    index.answers = [(200, {}, json.dumps(known).encode()), (404, {}, b"")]
    one = work(doi=doi, title=TITLE)

    assert ask(index, one, one, service=service) == [Listing.FOUND, Listing.NOT_FOUND]
    assert "10.1234/pond.7" in unquote(index.asked[0])


@pytest.mark.parametrize("service", ["openalex", "crossref"])
@pytest.mark.parametrize(
    "body",
    [
        b"null", b"{}", b"7", b'{"doi": "https://doi.org/10.1234/pond.8"}',
        b'{"message": {"DOI": "10.1234/pond.70"}}', b'{"doi": null, "message": []}',
    ],
)  # fmt: skip
def test_an_answer_about_another_work_says_nothing(index: Index, service: str, body: bytes) -> None:
    index.answers = [(200, {}, body)]

    assert ask(index, work(doi="10.1234/pond.7"), service=service) == [Listing.UNKNOWN]


def test_a_preprint_that_an_index_lacks_is_not_known(index: Index) -> None:
    index.answers = [(404, {}, b"")]

    assert ask(index, work(arxiv="2301.12345")) == [Listing.UNKNOWN]


def test_nothing_but_the_reference_is_sent(index: Index) -> None:
    index.answers = [openalex()]

    ask(index, work(title=TITLE, authors=("Frogman",), url="https://secret.test/"))

    query = parse_qs(urlsplit(index.asked[0]).query)
    assert query["search"] == [TITLE]
    assert set(query) == {"search", "per-page", "select"}
    assert "secret" not in index.asked[0]
    assert "@" not in index.agents[0]


def test_a_work_of_which_little_is_said_is_not_asked_about(index: Index) -> None:
    index.answers = [openalex()]

    assert ask(index, work(authors=("Frogman",), year=2020)) == [Listing.UNKNOWN]
    assert index.asked == []


def test_a_busy_index_is_asked_again_when_it_says(index: Index) -> None:
    index.answers = [(429, {"Retry-After": "0"}, b""), (503, {}, b""), openalex((TITLE, "Frogman"))]

    assert ask(index, work(title=TITLE)) == [Listing.FOUND]
    assert len(index.asked) == 3


@pytest.mark.parametrize(
    "answer",
    [
        (500, {}, b""),
        (429, {}, b""),
        (403, {}, b"no"),
        (200, {}, b"<html>a proxy</html>"),
        (200, {}, b"[" * 100_000),
        (200, {}, b'{"results": [7]}'),
        (200, {}, b'{"results": null}'),
        (200, {}, b"[]"),
        (200, {"Content-Encoding": "gzip"}, gzip.compress(b'{"results": []}')),
    ],
)
def test_an_index_that_fails_leaves_a_work_unknown(index: Index, answer: Answer) -> None:
    index.answers = [answer]

    assert ask(index, work(title=TITLE)) == [Listing.UNKNOWN]


def test_a_redirect_is_not_followed(index: Index) -> None:
    index.answers = [(302, {"Location": f"{index.address}/elsewhere"}, b"")]

    assert ask(index, work(title=TITLE)) == [Listing.UNKNOWN]
    assert len(index.asked) == 1


def test_a_huge_answer_is_given_up(index: Index) -> None:
    put_in_force(Bounds(max_page_mb=0.1))
    index.answers = [(200, {}, b'{"results": [' + b" " * 5_000_000 + b"]}")]

    assert ask(index, work(title=TITLE)) == [Listing.UNKNOWN]


def test_a_slow_answer_is_given_up(index: Index) -> None:
    index.answers, index.delay = [(200, {}, b" " * 65_536 * 8)], 0.1

    assert ask(index, work(title=TITLE), timeout=0.2) == [Listing.UNKNOWN]


def test_after_several_failures_nobody_is_asked_any_more(index: Index) -> None:
    index.answers = [(403, {}, b"")]

    assert set(ask(index, *[work(title=TITLE)] * 9)) == {Listing.UNKNOWN}
    assert len(index.asked) == 5


def test_a_server_that_is_not_there_leaves_a_work_unknown(index: Index) -> None:
    index.server_close()

    assert ask(index, work(title=TITLE)) == [Listing.UNKNOWN]
