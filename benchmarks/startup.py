"""Start-up: ``--help`` and ``import reviewscore`` beside a bare Python and ``import click``."""

from __future__ import annotations

from benchmarks.measure import QUICK, Measured, head, row, run

HEAVY = ("litellm", "sklearn", "pandas", "anthropic", "openai", "z3", "pyarrow", "pydantic",
         "sqlalchemy")  # fmt: skip


def typical(*command: str, times: int = 1 if QUICK else 7) -> Measured:
    """The run with the median wall clock, after one to warm up."""
    run(*command)
    runs = sorted((run(*command) for _ in range(times)), key=lambda one: one.seconds)
    return runs[len(runs) // 2]


def main() -> None:
    """Measure start-up."""
    head("Start-up")
    bare, click = typical("-c", "pass"), typical("-c", "import click")
    help_text = typical("-m", "reviewscore", "--help")
    row(
        "`reviewscore --help`",
        f"{help_text.seconds:.3f} s",
        f"`import click` {click.seconds:.3f} s",
        help_text.seconds / click.seconds,
        "<= 0.3 s",
    )
    package = typical("-c", "import reviewscore")
    row(
        "`import reviewscore`",
        f"{package.seconds:.3f} s",
        f"bare Python {bare.seconds:.3f} s",
        package.seconds / bare.seconds,
        "-",
    )
    code = f"import sys, reviewscore; print([n for n in {HEAVY!r} if n in sys.modules])"
    loaded = run("-c", code).output.strip()
    row("heavy packages that it imports", loaded, "-", None, "none", met=loaded == "[]")


if __name__ == "__main__":
    main()
