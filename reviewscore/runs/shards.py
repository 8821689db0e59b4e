"""What workers of an audit write: one Parquet file a paper, on any store that fsspec knows.

A shard holds a row for each point, with the columns of ``export`` and the whole record as JSON
text, and in its metadata what else became of the paper. It appears only once it is whole.
"""

from __future__ import annotations

import hashlib
import io
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from reviewscore.addresses import without_credentials
from reviewscore.errors import ReviewScoreError, RunFolderError, SettingsError
from reviewscore.runs.export import parquet_row, parquet_schema
from reviewscore.runs.folder import ErrorRecord
from reviewscore.schema.paper import Unread
from reviewscore.schema.point_score import PointScore, read_point
from reviewscore.schema.record import Record

if TYPE_CHECKING:
    import pyarrow as pa

SHARDS = "shards"
"""Folder of them in a run folder, where no other place is named."""
_KEY = b"reviewscore"
_RECORD = "record"


class Shard(Record):
    """What became of one paper.

    Attributes:
        decisive_sha256: Of the settings it was made with, as in the manifest.
        paper_id: The paper.
        reviews: Its reviews that were asked for.
        whole: Whether all points of these reviews were asked for, and are here.
        scores: Its points.
        errors: Reviews that failed, which a later session tries again.
        without_points: Reviews in which no point was found.
        points: Points found, also those that were scored before.
        rejected: Proposed points that were not verbatim in their review.
        warnings: What is doubtful about the paper.
        doubtful: The papers that this is about.
        unread: How much of the paper judges did not see, by its identifier.
    """

    schema_id: Literal["reviewscore.shard/1"] = Field(default="reviewscore.shard/1", alias="schema")
    decisive_sha256: str
    paper_id: str
    reviews: tuple[str, ...] = ()
    whole: bool = True
    scores: tuple[PointScore, ...] = Field(default=(), exclude=True)
    errors: tuple[ErrorRecord, ...] = ()
    without_points: int = 0
    points: int = 0
    rejected: int = 0
    warnings: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    unread: dict[str, Unread] = Field(default_factory=dict)


class Shards:
    """The shards of one run.

    Args:
        place: A folder, or an address such as ``s3://bucket/run``.

    Raises:
        SettingsError: The kind of address needs a package that is not there, or is not known.
        RunFolderError: It cannot be reached.
    """

    def __init__(self, place: str) -> None:
        self.place = str(without_credentials(place))
        with _named(self.place):  # some kinds connect at once
            try:
                import fsspec.core

                files, root = fsspec.core.url_to_fs(place)
            except (ImportError, ValueError) as error:
                raise SettingsError(f"--store {self.place}: {error}") from error
        self._files: Any = files
        self._root: str = root.rstrip("/")

    def write(self, shard: Shard) -> None:
        """Write a paper's shard in one step.

        Raises:
            RunFolderError: It cannot be written.
        """
        data = _as_parquet(shard)
        path = self._path(shard.paper_id)
        # A worker that was taken to be lost may still be writing the same paper's shard.
        draft = f"{path}.{uuid.uuid4().hex}.new"
        with _named(self._shown(shard.paper_id)):
            if self._local:  # elsewhere an object is there whole, or not at all
                self._files.makedirs(self._root, exist_ok=True)
                self._files.pipe_file(draft, data)
                self._files.mv(draft, path)
            else:
                self._files.pipe_file(path, data)

    def read(self, paper_id: str) -> Shard | None:
        """A paper's shard; None if there is none.

        Raises:
            RunFolderError: It cannot be read.
        """
        path = self._path(paper_id)
        with _named(self._shown(paper_id)):
            try:
                data = self._files.cat_file(path)
            except FileNotFoundError:
                return None
        return _from_parquet(data, self._shown(paper_id))

    def there(self, paper_ids: Sequence[str]) -> list[str]:
        """The papers, of some, that have a shard; asks for one listing.

        Raises:
            RunFolderError: The place cannot be read.
        """
        with _named(self.place):
            try:
                self._files.invalidate_cache()
                names = set(self._files.ls(self._root, detail=False))
            except FileNotFoundError:
                return []
        values = {name.rpartition("/")[2] for name in names}
        return [paper_id for paper_id in paper_ids if _name(paper_id) in values]

    @property
    def _local(self) -> bool:
        protocol = self._files.protocol
        return "file" in ((protocol,) if isinstance(protocol, str) else protocol)

    def _path(self, paper_id: str) -> str:
        return f"{self._root}/{_name(paper_id)}"

    def _shown(self, paper_id: str) -> str:
        """A shard's place as it may be shown: no password stands in it."""
        return f"{self.place.rstrip('/')}/{_name(paper_id)}"


@contextmanager
def _named(place: str) -> Iterator[None]:
    """Errors of a store with their place; each kind of store has errors of its own."""
    try:
        yield
    except ReviewScoreError:
        raise
    except Exception as error:  # such as botocore's, when it finds no credentials
        told = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise RunFolderError(f"{place}: {without_credentials(told)}") from error


def _name(paper_id: str) -> str:
    """File name of a paper's shard: identifiers may hold any signs."""
    name = hashlib.sha256(paper_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[:32]}.parquet"


def _as_parquet(shard: Shard) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [parquet_row(score) | {_RECORD: score.model_dump_json()} for score in shard.scores]
    schema = _schema().with_metadata({_KEY: shard.model_dump_json().encode()})
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), out, compression="zstd")
    return out.getvalue()


def _schema() -> pa.Schema:
    import pyarrow as pa

    text = "The whole record, as a line of points.jsonl."
    return parquet_schema().append(pa.field(_RECORD, pa.string(), metadata={"doc": text}))


def _from_parquet(data: bytes, path: str) -> Shard:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(data))
        shard = Shard.model_validate_json((file.schema_arrow.metadata or {})[_KEY])
        records = file.read(columns=[_RECORD])[_RECORD].to_pylist()
        scores = tuple(read_point(record) for record in records)
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise RunFolderError(
            f"{path} is no shard of this version of reviewscore; take it away, and its paper is "
            "judged again from the recorded calls"
        ) from error
    return shard.model_copy(update={"scores": scores})
