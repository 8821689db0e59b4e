"""Encoding on worker processes: each loads the encoder once and takes papers in portions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from reviewscore.config import Settings
from reviewscore.errors import StopError
from reviewscore.hf.models import ENCODER, Loaded, Loading, load, may_download
from reviewscore.llm.connect import RunContext
from reviewscore.runs.ray_cluster import NETWORK
from reviewscore.runs.ray_pool import LostError, open_pool
from reviewscore.similarity.corpus import Publication
from reviewscore.similarity.encoder import Encoded, Taken, encode

PORTION = 512
"""Papers that a worker takes at once."""
_TRIES = 3
"""How often a portion is encoded whose worker is lost."""


def encode_on_ray(
    papers: Sequence[Publication],
    model: str,
    loading: Loading,
    taken: Taken,
    settings: Settings,
    *,
    say: Callable[[str], None],
) -> Encoded:
    """The vectors of papers, encoded on the workers of a Ray cluster.

    Portions are made of papers in their order, so batches differ from those of one process, and
    with them the last digits of vectors.

    Args:
        papers: What is encoded, by title and abstract.
        model: ``hf/NAME``, or a folder that all machines reach.
        loading: How it is loaded; on a cluster with GPUs each worker has one.
        taken: Whose vector is the paper's.
        settings: How many workers; one for each GPU, or each processor, if they do not say.
        say: Told what the user should know.

    Raises:
        SettingsError: Ray or the encoder cannot be used.
        StopError: A worker is lost over the same papers again and again.
    """

    async def spread() -> list[Encoded]:
        async with open_pool(
            partial(_open, model, loading),
            settings,
            say=say,
            on_gpus=loading.device != "cpu",
            variables=(*NETWORK, "HF_*") if may_download(loading) else (),
        ) as pool:
            slots = asyncio.Semaphore(2 * pool.size)

            async def portion(some: Sequence[Publication]) -> Encoded:
                try:
                    async with slots:
                        return await pool.do(_encode, some, taken, tries=_TRIES)
                except LostError as error:
                    raise StopError(
                        f"the process that encoded papers from '{some[0].paper_id}' on died "
                        f"{_TRIES} times; it may lack memory: try with fewer --workers"
                    ) from error

            starts = range(0, len(papers), PORTION)
            return await asyncio.gather(*(portion(papers[at : at + PORTION]) for at in starts))

    portions = asyncio.run(spread())
    return Encoded(
        {paper: vector for each in portions for paper, vector in each.vectors.items()},
        tuple(paper for each in portions for paper in each.cut),
        tuple(paper for each in portions for paper in each.empty),
    )


@asynccontextmanager
async def _open(model: str, loading: Loading, around: RunContext) -> AsyncIterator[Loaded]:
    yield load(model, ENCODER, loading)


async def _encode(loaded: Loaded, papers: Sequence[Publication], taken: Taken) -> Encoded:
    return encode(papers, loaded, taken)
