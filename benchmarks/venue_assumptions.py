"""What the simulation of a venue takes as given, and the ways in which a venue may be audited.

Whatever stands here was not measured by the simulation; each figure says where it is from.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from benchmarks.venue_costs import UnitCosts
from benchmarks.venue_engine import Latency, Plan
from benchmarks.venue_workload import Lengths, Protocol, Stage
from reviewscore.config import Settings
from reviewscore.llm.limiter import KEPT, KEPT_LONG
from reviewscore.runs.estimate import FIRST_TOKEN, TOKENS_PER_SECOND
from reviewscore.runs.session import AHEAD, IN_A_WAVE

SPREAD = 0.5
"""Sigma of the log-normal factor on the time that `runs.estimate` guesses for a reply."""
CONNECTIONS, WORKERS = 512, 4
REQUESTS, TOKENS = 10_000.0, 10_000_000.0
"""Calls and tokens a minute of an account."""
TURNAROUND = 3600.0
"""Seconds of a batch job; providers promise a day."""
GPUS, GPU_USD = 8, 2.5
PREFILL, DECODE = 8_000.0, 1_500.0
"""Input tokens (not cached) and output tokens a second of one GPU that does nothing else."""
ARGUMENTS = 10 / 16
"""Share of arguments among the points, where they are as common as in the cost model."""
LENGTHS: dict[str, Lengths | None] = {
    "submissions": Lengths(median=20_600, tenth=37_000),
    "sample": None,
}
"""Lengths of papers by name: of 61 submissions to NeurIPS 2025 in the version that reviewers read,
whose median and ninth decile are 20,991 and 37,725 estimated tokens, 20,156 and 37,246 at four
characters a token, all parts counted; and of the ICLR papers whose reviews are repeated (15,779 and
24,092 at four characters a token), which the simulation had until now."""
MODELS = ("gpt-4.1-mini", "gpt-5.6-luna", "claude-sonnet-5-5")

STATED = (
    ("lengths of papers",
     "log-normal, median {0.median:,} tokens, a tenth above {0.tenth:,}".format(
         LENGTHS["submissions"]),
     "61 submissions to NeurIPS 2025 as reviewers read them, with references, appendices and "
     "checklists: 20,991 and 37,725 by the estimate's tokens; without the checklists' questions, "
     "which judges are not shown by default, 15,671 and 31,420"),
    ("latency of a reply",
     f"{FIRST_TOKEN:g} s, and a second for each {TOKENS_PER_SECOND:g} tokens, times a log-normal "
     f"factor of mean 1 (sigma {SPREAD:g})",
     "assumption; no provider was asked"),
    ("limits of an account",
     f"{REQUESTS:,.0f} calls and {TOKENS:,.0f} tokens a minute, cached input counted in "
     f"full, and {Settings().max_tokens:,} tokens for each reply, as the client reserves them",
     "assumption: look up your own, which may be a tenth or ten times that"),
    ("calls at once, worker processes",
     f"{CONNECTIONS}, {WORKERS} (a core each)",
     "assumption"),
    ("batch jobs",
     f"a job takes {TURNAROUND / 3600:g} h; {IN_A_WAVE} reviews under way; no other limit",
     "assumption (providers promise 24 h); reviews: `runs/session.py`"),
    ("local servers",
     f"{GPUS} GPUs with vLLM, each {PREFILL:,.0f} new input tokens or {DECODE:,.0f} output tokens "
     f"a second, cached input free (optimistic), ${GPU_USD:g} an hour a GPU",
     "assumption: the order of a 30B model on a GPU of 80 GB; measure yours"),
    ("provider's cache",
     f"a prefix is found for {KEPT:g} s after its last use ({KEPT_LONG:g} s in batch jobs), and "
     "always then",
     "`llm/limiter.py`; real caches are best effort"),
    ("reasoning models",
     "four times the reply tokens, in dollars but not in time",
     "`judges/asker.py` (room to think)"),
    ("a ledger in PostgreSQL",
     "not measured: as large as in SQLite",
     "assumption"),
    ("failures, retries, unusable replies",
     "none",
     "assumption"),
)  # fmt: skip
"""Name, figure and origin of each assumption."""


@dataclass(frozen=True)
class Way:
    """A way to audit a venue.

    Attributes:
        gpus: Local servers, instead of a provider.
    """

    name: str
    plan: Plan
    batch: bool = False
    gpus: bool = False


def latency(factor: float = 1.0) -> Latency:
    """Seconds of a reply, drawn for its length."""
    shift = -SPREAD * SPREAD / 2

    def seconds(chance: random.Random, stage: Stage) -> float:
        drawn = chance.lognormvariate(shift, SPREAD)
        return factor * drawn * (FIRST_TOKEN + stage.output / TOKENS_PER_SECOND)

    return seconds


def job(chance: random.Random, stage: Stage) -> float:
    """Seconds of a batch job."""
    return TURNAROUND


def online(costs: UnitCosts, *, economy: bool = False, slower: float = 1.0) -> Plan:
    """An audit by a provider that replies at once."""
    return Plan(
        latency=latency(slower),
        connections=CONNECTIONS,
        requests=REQUESTS,
        tokens=TOKENS,
        reserved=Settings().max_tokens,
        workers=WORKERS,
        call_cpu=costs.call_cpu,
        paper_cpu=costs.paper_cpu,
        point_cpu=costs.point_cpu,
        open_reviews=CONNECTIONS * AHEAD,
        kept=KEPT,
        protocol=Protocol(economy),
    )


def ways(costs: UnitCosts) -> list[Way]:
    """Both protocols, at once and in batch jobs, and by local servers."""
    found = []
    for economy in (False, True):
        plan, name = online(costs, economy=economy), "economy" if economy else "paper"
        waves = replace(
            plan, latency=job, connections=math.inf, requests=math.inf, tokens=math.inf,
            workers=1, open_reviews=IN_A_WAVE, kept=KEPT_LONG,
        )  # fmt: skip
        local = replace(
            plan,
            requests=math.inf,
            tokens=60.0 * GPUS,
            weights=(1 / PREFILL, 0.0, 1 / DECODE),
            reserved=0.0,
            capacity="GPUs",
        )
        found += [
            Way(name, plan),
            Way(f"{name} --batch", waves, batch=True),
            Way(f"{name}, local servers", local, gpus=True),
        ]
    return found
