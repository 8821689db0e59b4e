"""``reviewscore doctor``: say what this installation has and lacks."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import click

from reviewscore import __version__, prompts
from reviewscore.cli import options
from reviewscore.cli.terminal import print_line
from reviewscore.cli.verb import Verb
from reviewscore.config import user_settings_file
from reviewscore.errors import PromptError, RunFolderError

_PACKAGES = (
    *("z3-solver", "openai", "anthropic", "pydantic"),
    *("bm25s", "pypdfium2", "pandas", "pyarrow", "sqlalchemy"),
)
_EXTRAS = {
    "litellm": "litellm", "torch": "hf", "openreview": "openreview",
    "pg8000": "postgresql", "ray": "ray", "uvicorn": "web",
}  # fmt: skip
"""Packages that an installation may lack, and the extra that brings each."""
_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")


@click.command("doctor", cls=Verb)
@options.CONFIG_OPTION
def command() -> int:
    """Print versions, prompts, keys found (names only), the ledger and the solver's state."""
    print_line(f"reviewscore {__version__} · Python {platform.python_version()}")
    healthy = True
    for name in _PACKAGES:
        try:
            print_line(f"{name:12} {version(name)}")
        except PackageNotFoundError:
            healthy = False
            print_line(f"{name:12} missing: install reviewscore again")
    healthy &= _prompts()
    healthy &= _solver()
    for name in _KEYS:
        print_line(f"{name:18} {'set' if os.environ.get(name) else 'not set'}")
    healthy &= _ledger()
    for name, extra in _EXTRAS.items():
        state = "installed" if find_spec(name) else f"not installed (the extra {extra})"
        print_line(f"{name:12} {state}")
    file = user_settings_file()
    print_line(f"settings     {file}{'' if file.is_file() else ' (not there)'}")
    own = [name for name in os.environ if name.startswith("REVIEWSCORE_")]
    print_line("settings from the environment: " + (", ".join(sorted(own)) or "none"))
    return 0 if healthy else 1


def _ledger() -> bool:
    from reviewscore.llm.ledger.upkeep import info

    try:
        found = info(options.settings_from({}).settings.ledger_place)
    except RunFolderError as error:
        print_line(f"ledger       {error}")
        return False
    print_line(f"ledger       {found.name} ({found.size / 1e6:.1f} MB)")
    return True


def _prompts() -> bool:
    try:
        problems = prompts.verify()
        print_line(f"prompts      {len(prompts.available())} in {prompts.directory()}")
    except PromptError as error:
        problems = (str(error),)
    for problem in problems:
        print_line(f"prompts      {problem}")
    return not problems


def _solver() -> bool:
    from reviewscore.logic.validity import prove
    from reviewscore.schema.proof import Validity

    proof = prove({"P1": "A", "P2": "A -> B"}, "B")
    works = proof.validity is Validity.VALID
    print_line(f"solver       {'proves modus ponens' if works else 'does not work'}")
    return works
