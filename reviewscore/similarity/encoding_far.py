"""Encoding on worker processes: each loads the encoder once and takes papers in portions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from reviewscore.engine.cluster import NETWORK
from reviewscore.engine.crew import Crew, LostError, open_crew
from reviewscore.engine.worker import Shared
from reviewscore.errors import StopError
from reviewscore.hf import ENCODER, Loaded, Loading, load, may_download
from reviewscore.llm.client import Limits
from reviewscore.llm.connect import RunContext
from reviewscore.similarity.corpus import Publication
from reviewscore.similarity.encoder import Encoded, Taken, encode

PORTION = 512
"""Papers that a worker takes at once."""
_TRIES = 3
"""How often a portion is encoded whose worker is lost."""


def encode_far(
    papers: Sequence[Publication],
    model: str,
    loading: Loading,
    taken: Taken,
    *,
    workers: int | None,
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
        workers: How many processes; None for one for each GPU, or each processor.
        say: Told what the user should know.

    Raises:
        SettingsError: Ray or the encoder cannot be used.
        StopError: A worker is lost over the same papers again and again.
    """

    async def spread() -> list[Encoded]:
        open_encoder = partial(_open, model, loading)
        async with open_crew(
            open_encoder,
            Shared(Limits()),
            workers=workers,
            say=say,
            on_gpus=loading.device != "cpu",
            variables=(*NETWORK, "HF_*") if may_download(loading) else (),
        ) as crew:
            portions = [papers[at : at + PORTION] for at in range(0, len(papers), PORTION)]
            slots = asyncio.Semaphore(2 * crew.size)
            each = (_portion(crew, slots, one, taken) for one in portions)
            return list(await asyncio.gather(*each))

    found = asyncio.run(spread())
    return Encoded(
        {paper: vector for one in found for paper, vector in one.vectors.items()},
        tuple(paper for one in found for paper in one.cut),
        tuple(paper for one in found for paper in one.empty),
    )


@asynccontextmanager
async def _open(model: str, loading: Loading, around: RunContext) -> AsyncIterator[Loaded]:
    yield load(model, ENCODER, loading)


async def _encode(loaded: Loaded, papers: Sequence[Publication], taken: Taken) -> Encoded:
    return encode(papers, loaded, taken)


async def _portion(
    crew: Crew, slots: asyncio.Semaphore, papers: Sequence[Publication], taken: Taken
) -> Encoded:
    async with slots:
        for _ in range(_TRIES):
            try:
                return await crew.do(_encode, papers, taken)
            except LostError:
                continue
    raise StopError(
        f"the process that encoded papers from '{papers[0].paper_id}' on died {_TRIES} times; "
        "it may lack memory: try with fewer --workers"
    )
