"""``python -m benchmarks``: everything, as Markdown tables on stdout."""

from __future__ import annotations

from benchmarks import (
    agreement_speed,
    batch,
    calls,
    client_speed,
    focus_speed,
    gem_hf,
    gem_speed,
    ledger_speed,
    logic_speed,
    pdf,
    queue_memory,
    similarity_scale,
    similarity_speed,
    startup,
    token_cost,
    workspace_load,
)


def main() -> None:
    """Run all measurements of speed and memory."""
    startup.main()
    batch.main()
    calls.main()
    client_speed.main()
    token_cost.main()
    queue_memory.main()
    ledger_speed.main()
    logic_speed.main()
    agreement_speed.main()
    focus_speed.main()
    gem_hf.main()
    gem_speed.main()
    similarity_speed.main()
    similarity_scale.main()
    workspace_load.main()
    pdf.main()


if __name__ == "__main__":
    main()
