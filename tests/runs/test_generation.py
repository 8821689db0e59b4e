"""What a session that writes texts does between two questions."""

from __future__ import annotations

import asyncio
import time
from typing import cast

from reviewscore.config import Settings
from reviewscore.llm.client import Client
from reviewscore.runs.generation import GenerationSession
from reviewscore.text.stems import stem


def test_what_is_computed_between_questions_is_counted_and_done_by_one_thread_at_a_time() -> None:
    under_way: list[int] = []
    most: list[int] = []

    async def run() -> tuple[list[str], int, int]:
        session = GenerationSession(client=cast(Client, None), settings=Settings(), say=print)

        def work(number: int) -> str:
            under_way.append(number)
            most.append(len(under_way))
            time.sleep(0.002)
            word = stem(f"running{'x' * number}ness")
            under_way.remove(number)
            return word

        tasks = [asyncio.create_task(session.compute(lambda n=n: work(n))) for n in range(8)]  # type: ignore[misc]
        await asyncio.sleep(0)
        waiting = session.computing
        return await asyncio.gather(*tasks), waiting, session.computing

    words, waiting, left = asyncio.run(run())

    assert (waiting, left) == (8, 0)
    assert max(most) == 1
    assert words[0] == stem("runningness")
