"""A folder of papers, reviews and meta-reviews as other verbs read it, written whole or not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from reviewscore.papers.hygiene import without_surrogates
from reviewscore.store.jsonl import JsonLines, write_whole
from reviewscore.store.results import results_folder

PAPERS, REVIEWS, METAREVIEWS = "papers.jsonl", "reviews.jsonl", "metareviews.jsonl"
ACCOUNT = "fetch.json"
"""Account of how the data came there; every such folder has one."""
PDFS = "pdfs"


class DataFolder:
    """Writes records into drafts that replace the files when all are written.

    Records go out one by one, so that a venue need not fit into memory.

    Args:
        out: The folder; made if it is not there.

    Raises:
        RunFolderError: It holds other things, or cannot be written.
    """

    def __init__(self, out: Path) -> None:
        results_folder(out, verb="fetch", marker=ACCOUNT, inside=(PDFS,))
        self._out = out
        self._drafts = {name: out / f".{name}.new" for name in (PAPERS, REVIEWS, METAREVIEWS)}
        self._files: dict[str, JsonLines] = {}
        self.written = dict.fromkeys(self._drafts, 0)

    def account(self, made: Mapping[str, Any]) -> None:
        """Write how the data came there."""
        told = {"schema": "reviewscore.fetch/1", **made}
        write_whole(self._out / ACCOUNT, json.dumps(told, indent=1, ensure_ascii=False) + "\n")

    def add(self, name: str, record: Mapping[str, Any]) -> None:
        """Write a record into one of the three files; fields without a value are left out."""
        known = {key: value for key, value in record.items() if value not in (None, "", {}, [])}
        self._files[name].append(json.dumps(without_surrogates(known), ensure_ascii=False))
        self.written[name] += 1

    def __enter__(self) -> DataFolder:
        for name, draft in self._drafts.items():
            draft.unlink(missing_ok=True)
            self._files[name] = JsonLines(draft)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name, draft in self._drafts.items():
            self._files[name].close()
            if error is None:
                draft.replace(self._out / name)
            draft.unlink(missing_ok=True)
