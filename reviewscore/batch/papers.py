"""The papers of a run: read when they are needed, those in files ahead of that, in threads."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable

from reviewscore.papers.parts import Parts, shown
from reviewscore.schema.paper import Paper, Unread
from reviewscore.sources.collection import Collection

PAPERS_HELD = 64
"""Papers kept in memory; reviews of one paper follow each other."""
PAPERS_AHEAD = 4
"""Papers read from files before they are needed, so that judging need not wait for reading."""


class Papers:
    """Reads papers, each once while it is held, and remembers what is doubtful about them.

    Args:
        collection: Where they come from.
        parts: The parts that judges see.
        say: Told what is doubtful about a paper when it is first read.

    Attributes:
        unread: How much of a paper judges do not see, by its identifier.
    """

    def __init__(self, collection: Collection, parts: Parts, say: Callable[[str], None]) -> None:
        self._collection, self._parts, self._say = collection, parts, say
        self._held: OrderedDict[str, asyncio.Future[Paper]] = OrderedDict()
        self._doubts: dict[str, tuple[str, ...]] = {}
        self.unread: dict[str, Unread] = {}

    @property
    def doubtful(self) -> tuple[str, ...]:
        """Identifiers of papers with warnings, in the order of reading."""
        return tuple(name for name, warnings in self._doubts.items() if warnings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful, paper by paper."""
        return tuple(_line(name, one) for name, all_ in self._doubts.items() for one in all_)

    async def paper(self, paper_id: str) -> Paper:
        """A paper as judges see it.

        Raises:
            InputError: If there is no such paper, or its text cannot be used.
        """
        held = self._held.get(paper_id)
        if held is None:
            held = self._hold(paper_id)
        self._held.move_to_end(paper_id)
        paper = await asyncio.shield(held)
        if paper_id not in self._doubts:
            self._doubts[paper_id] = paper.warnings
            if paper.unread is not None:
                self.unread[paper_id] = paper.unread
            for warning in paper.warnings:
                self._say(_line(paper_id, warning))
        return paper

    def ahead(self, paper_ids: Iterable[str]) -> None:
        """Begin to read papers that will be needed next, if they lie in files of their own."""
        for paper_id in paper_ids:
            handle = self._collection.papers.get(paper_id)
            if handle is not None and handle.in_file and paper_id not in self._held:
                self._hold(paper_id)

    def _hold(self, paper_id: str) -> asyncio.Future[Paper]:
        handle = self._collection.papers.get(paper_id)
        reading: asyncio.Future[Paper]
        if handle is not None and handle.in_file:
            reading = asyncio.ensure_future(asyncio.to_thread(self._read, paper_id))
            # A paper read ahead that nobody asks for any more may have failed unseen.
            reading.add_done_callback(lambda done: done.cancelled() or done.exception())
        else:
            reading = asyncio.get_running_loop().create_future()
            reading.set_result(self._read(paper_id))
        self._held[paper_id] = reading
        while len(self._held) > PAPERS_HELD:
            self._held.popitem(last=False)
        return reading

    def _read(self, paper_id: str) -> Paper:
        return shown(self._collection.paper(paper_id), self._parts)


def _line(paper_id: str, warning: str) -> str:
    return f"paper '{paper_id}': {warning}"
