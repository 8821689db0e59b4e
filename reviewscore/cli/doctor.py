"""``reviewscore doctor``: say what this installation has and lacks."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import click

from reviewscore import __version__, prompts
from reviewscore.bounds import in_megabytes
from reviewscore.cli import options
from reviewscore.cli.closing import agreed_to
from reviewscore.cli.main import WRONG_USE
from reviewscore.cli.terminal import print_line
from reviewscore.cli.verb import Verb
from reviewscore.config import user_settings_file
from reviewscore.errors import PromptError, RunFolderError, SettingsError

_PACKAGES = (
    *("z3-solver", "openai", "anthropic", "pydantic"),
    *("bm25s", "pypdfium2", "pandas", "pyarrow", "sqlalchemy"),
)
_EXTRAS = {
    "litellm": "litellm", "torch": "hf", "openreview": "openreview",
    "fastembed": "semantic", "pg8000": "postgresql", "ray": "ray",
}  # fmt: skip
"""Packages that an installation may lack, and the extra that brings each."""
_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")


@click.command("doctor", cls=Verb)
@options.CONFIG_OPTION
@options.switch(
    "--fetch-encoder",
    help="Fetch the sentence encoder of the embedded judge, after asking, and do nothing else.",
)
@options.switch("--yes", help="Fetch it without asking.")
def command(fetch_encoder: bool, yes: bool) -> int:
    """Print versions, prompts, keys (names only), servers, ledger, texts kept, encoder, solver."""
    if fetch_encoder:
        return _fetch_encoder(yes=yes)
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
    _local_servers()
    healthy &= _stores()
    for name, extra in _EXTRAS.items():
        state = "installed" if find_spec(name) else f"not installed (the extra {extra})"
        print_line(f"{name:12} {state}")
    healthy &= _encoder()
    file = user_settings_file()
    print_line(f"settings     {file}{'' if file.is_file() else ' (not there)'}")
    own = [name for name in os.environ if name.startswith("REVIEWSCORE_")]
    print_line("settings from the environment: " + (", ".join(sorted(own)) or "none"))
    return 0 if healthy else 1


def _local_servers() -> None:
    """Model servers that answer on this machine; nothing else is contacted."""
    from reviewscore.llm.local_servers import answering

    servers = answering()
    if not servers:
        print_line(
            "model servers on this machine: none answers (Ollama, llama.cpp, LM Studio, vLLM)"
        )
        return
    print_line("model servers on this machine:")
    for server in servers:
        print_line(f"  {server.words}")


def _encoder() -> bool:
    """The sentence encoder of the embedded judge: which, or what is missing."""
    from reviewscore.retrieval.encoder import INSTALL, encoder_of, installed, own_folder

    resolved = options.settings_from({})
    settings = resolved.settings
    try:
        encoder = encoder_of(settings, origin=resolved.origins["encoder"], load=True)
        if encoder is not None:
            print_line(f"encoder      {encoder.name} in {encoder.folder}")
        elif settings.encoder is None:
            print_line(f"encoder      none ({resolved.origins['encoder']})")
        elif not installed():
            print_line(f"encoder      none; it takes the extra semantic: {INSTALL}")
        else:
            print_line(
                "encoder      none; type reviewscore doctor --fetch-encoder, or copy one to "
                f"{own_folder(settings.ledger_folder)}"
            )
    except SettingsError as error:
        print_line(f"encoder      {str(error).removeprefix('encoder ')}")
        return False
    return True


def _fetch_encoder(*, yes: bool) -> int:
    """Fetch the sentence encoder, if the user agrees.

    Raises:
        SettingsError: The extra is not installed, or it cannot be fetched.
    """
    from reviewscore.retrieval import encoder

    folder = options.settings_from({}).settings.ledger_folder
    if not encoder.installed():
        raise SettingsError(f"--fetch-encoder: fastembed is not installed: {encoder.INSTALL}")
    if (there := encoder.weights_folder(folder)) is not None:
        print_line(f"the encoder is there already: {there} (remove that folder to fetch it anew)")
        return 0
    what = (
        f"this fetches {encoder.MODEL} ({encoder.LICENCE}, about {encoder.MEGABYTES} MB) from "
        f"huggingface.co/{encoder.SOURCE} into {encoder.own_folder(folder).parent}; no text leaves "
        "this machine"
    )
    if not agreed_to(what, yes=yes):
        return WRONG_USE
    fetched = encoder.fetch(folder)
    print_line(f"encoder      {fetched.name} in {fetched.folder}")
    return 0


def _stores() -> bool:
    """The ledger, and what else on this machine keeps texts."""
    from reviewscore.llm.ledger.upkeep import info
    from reviewscore.runs.purge import text_stores

    settings = options.settings_from({}).settings
    try:
        found = info(settings.ledger_place)
        print_line(f"ledger       {found.name} ({in_megabytes(found.size)})")
        stores = list(text_stores(settings.ledger_place, kept_in=settings.ledger_folder))
    except RunFolderError as error:
        print_line(f"ledger       {error}")
        return False
    if stores:
        print_line("texts are kept on this machine (reviewscore purge RUN removes those of a run):")
    for store in stores:
        since = "" if store.oldest is None else f", since {store.oldest}"
        print_line(f"  {store.what}: {store.place} ({in_megabytes(store.size)}{since})")
        print_line(f"    to remove them all: {store.removal}")
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
