"""``python -m benchmarks``: everything, as Markdown tables on stdout."""

from __future__ import annotations

from benchmarks import batch, calls, logic_speed, startup


def main() -> None:
    """Run all measurements of speed and memory."""
    startup.main()
    batch.main()
    calls.main()
    logic_speed.main()


if __name__ == "__main__":
    main()
