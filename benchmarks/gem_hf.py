"""GEM by a causal model: what questions share read once, against one whole pass for each pair.

The model is small, random and made here; lengths are those of papers and reviews in tokens. The
baseline computes logits for the reference alone, as a careful loop would.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from benchmarks.measure import QUICK, head, row, skip

if TYPE_CHECKING:
    from reviewscore.gem.hf import Asked

VOCABULARY = 2_000
STEM = 400
"""Tokens of task and abstract; judgments of candidate and reference are equally long."""
CANDIDATES, REFERENCES = 4, 4


def model() -> Any:
    """A Llama of 8 million weights; its vocabulary has a share of them as in one of 8 billion."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=256, intermediate_size=1024, num_hidden_layers=8,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=2048,
        tie_word_embeddings=True,
    )  # fmt: skip
    return LlamaForCausalLM(config).eval()


def paper(length: int) -> list[Asked]:
    """Questions on one paper: each candidate against each reference of a length."""
    from reviewscore.gem.hf import Asked

    rng = random.Random(1)

    def tokens(count: int) -> tuple[int, ...]:
        return tuple(rng.randrange(VOCABULARY) for _ in range(count))

    stem = tokens(STEM)
    references = [tokens(length) for _ in range(REFERENCES)]
    contexts = [stem + tokens(length) for _ in range(CANDIDATES)]
    return [Asked(stem, context, one) for context in contexts for one in references]


def one_by_one(causal: Any, asked: list[Asked]) -> list[float]:
    """One pass over the whole text for each pair."""
    import torch

    from reviewscore.gem.hf import log_probabilities

    out = []
    for one in asked:
        read = torch.tensor([[*one.context, *one.reference]])
        with torch.inference_mode():
            logits = causal(input_ids=read, logits_to_keep=len(one.reference) + 1).logits
        wanted = torch.tensor([one.reference])
        out.append(float(log_probabilities(logits[:, :-1], wanted).double().sum()))
    return out


def quickest(*works: Callable[[], object], rounds: int = 3) -> list[float]:
    """Fewest seconds of one core for each call, in turns and after a round to warm up.

    Time of the core, and not of the clock: other work on the machine would tell in the ratio.
    """
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(rounds + 1):
        for work, taken in zip(works, seconds, strict=True):
            begun = time.process_time()
            work()
            taken.append(time.process_time() - begun)
    return [min(taken[1:]) for taken in seconds]


def main() -> None:
    """Measure pairs a second."""
    head("GEM by a causal model on this machine")
    if find_spec("torch") is None or find_spec("transformers") is None:
        skip("PyTorch and Transformers are not installed (make hf)")
        return
    import torch

    from reviewscore.gem.hf import Passes, answered

    torch.set_num_threads(1)
    causal = model()
    passes = Passes(causal, torch.device("cpu"))
    for length, goal in ((75, 3),) if QUICK else ((75, 3), (150, 3), (300, 2)):
        asked = paper(length)
        ours, theirs = quickest(
            lambda asked=asked: answered(passes, asked),
            lambda asked=asked: one_by_one(causal, asked),
        )
        found = [one.nats or 0.0 for one in answered(passes, asked)]
        apart = max(abs(a - b) for a, b in zip(found, one_by_one(causal, asked), strict=True))
        row(
            f"{CANDIDATES} candidates, {REFERENCES} references, {length} tokens each",
            f"{len(asked) / ours:.1f} pairs/s of one core",
            f"a pass each {len(asked) / theirs:.1f} pairs/s, sums apart by {apart:.0e} nats",
            ours / theirs,
            f"{theirs / ours:.1f} times as fast (>= {goal})",
            met=theirs / ours >= goal,
        )


if __name__ == "__main__":
    main()
