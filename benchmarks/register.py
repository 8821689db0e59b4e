"""All benchmarks, in the order in which they run: a new one is one line here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import SHARED

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Benchmark:
    """One of them; ``python -m benchmarks.NAME WORDS`` runs it.

    Attributes:
        name: Of its module.
        words: Arguments.
    """

    name: str
    words: tuple[str, ...] = ()

    @property
    def here(self) -> bool:
        """Whether its module is there."""
        return (_FOLDER / f"{self.name}.py").is_file()


SPEED = (
    Benchmark("startup"),
    Benchmark("batch"),
    Benchmark("calls"),
    Benchmark("client_speed"),
    Benchmark("queue_memory"),
    Benchmark("ledger_speed"),
    Benchmark("ray_overhead"),
    Benchmark("logic_speed"),
    Benchmark("agreement_speed"),
    Benchmark("focus_speed"),
    Benchmark("growth"),
    Benchmark("streams"),
    Benchmark("gem_hf"),
    Benchmark("gem_speed"),
    Benchmark("similarity_speed"),
    Benchmark("similarity_scale"),
    Benchmark("lexical_speed"),
    Benchmark("workspace_load"),
    Benchmark("drafts_load"),
    Benchmark("view"),
    Benchmark("pdf"),
    Benchmark("published_pdfs"),
)
QUALITY = (
    Benchmark("token_cost"),
    Benchmark("addressing"),
    Benchmark("logic_formulas", ("--data", str(SHARED / "fol"))),
    Benchmark("agreement_coverage"),
    Benchmark("lexical_types"),
    Benchmark("points_measured"),
    Benchmark("finder"),
    Benchmark("acknowledged"),
    Benchmark("remark_model"),
    Benchmark("planted"),
    Benchmark("places"),
    Benchmark("points_model"),
    Benchmark("numbered_papers"),
    Benchmark("gem_validation"),
    Benchmark("focus_measured"),
    Benchmark("similarity_quality"),
    Benchmark("venue_simulation"),
    Benchmark("venue_budget"),
    Benchmark("flag_ranking"),
)
ALL = tuple(one for one in (*SPEED, *QUALITY) if one.here)
