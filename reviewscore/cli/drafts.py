"""``reviewscore drafts``: a server for reviewers' drafts that keeps nothing, and its keys."""

from __future__ import annotations

import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from reviewscore.cli import options
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Parts, Verb
from reviewscore.errors import SettingsError

_VERBS = {
    "serve": "Serve a form and a JSON address for drafts (the default).",
    "key": "Give a person a key to the server, or revoke it.",
}


@click.group(
    "drafts",
    cls=Parts,
    package="reviewscore.cli",
    verbs=_VERBS,
    places={"serve": "drafts", "key": "drafts"},
)
def command() -> None:
    """Let reviewers look at a draft before they submit it; nothing is kept.

    \b
    Example:  reviewscore drafts serve
    """


@click.command("serve", cls=Verb, writes_files=True)
@options.CONFIG_OPTION
@click.option("--model", help="Who looks: lexical (the default), or a model as of audit.")
@options.together(*map(options.setting, ("base_url", "protocol", "context", "context_tokens")))
@options.together(*map(options.setting, ("encoder", "canaries")))
@options.preset("--host", default="127.0.0.1", help="Address of this machine to listen at.")
@options.preset(
    "--port", type=click.IntRange(0, 65535), default=8792, help="Port; 0 takes a free one."
)
@click.option("--public-url", help="Address by which people reach it: https://NAME[:PORT].")
@options.path("--keys", help="File of keys, as drafts key writes it; needed beyond this machine.")
@options.switch("--allow-provider", help="Let drafts leave this machine, if the venue's rule does.")
@options.preset("--per-day", type=click.IntRange(1), default=20, help="Drafts a person and day.")
@options.preset("--at-once", type=click.IntRange(1, 256), default=2, help="Drafts at once.")
@options.preset("--waiting", type=click.IntRange(0, 10_000), default=8, help="Drafts that wait.")
@options.preset("--seconds", type=click.FloatRange(1), default=600.0, help="Most for one draft.")
@options.preset("--max-mb", type=click.FloatRange(0.1, 200), default=30.0, help="Most of a PDF.")
def serve_command(model: str | None, allow_provider: bool, **flags: Any) -> None:
    """Serve a form and a JSON address for drafts, until stopped.

    A reviewer sends a draft and the paper and gets passages of the paper, as `report --for
    reviewer` words them. Texts lie in memory and in a folder that is removed; models on this
    machine alone are asked, unless --allow-provider is given.

    \b
    Example:  reviewscore drafts serve --model ollama/llama3.1:8b --keys keys.jsonl
    """
    from reviewscore.bounds import put_in_force
    from reviewscore.llm.connect import check
    from reviewscore.pages.access_keys import AccessKeys
    from reviewscore.pages.http_guard import LOOPBACK, answer_until_stopped, check_reach, listen
    from reviewscore.papers.canaries import put_canaries_in_force, read_canaries
    from reviewscore.period import drafts
    from reviewscore.period.drafts_app import DraftServer
    from reviewscore.runs.context import with_window

    named = ("base_url", "protocol", "context", "context_tokens", "encoder", "canaries")
    resolved = options.settings_from({"model": model, **{name: flags[name] for name in named}})
    settings = drafts.check_private(resolved.settings, confirmed=allow_provider)
    put_in_force(settings.bounds)
    check(settings)
    put_canaries_in_force(read_canaries(settings.canaries))
    public, host, keys = flags["public_url"], flags["host"], flags["keys"]
    check_reach(public, reachable=host not in LOOPBACK)
    if public is not None and keys is None:
        raise SettingsError("other machines would reach it: give each person a key (--keys FILE)")
    known = None if keys is None else AccessKeys(keys)
    if known is not None:
        known.names()  # what is wrong with the file is said now
    limits = drafts.DraftLimits(
        *(flags[name] for name in ("per_day", "at_once", "waiting", "seconds", "max_mb"))
    )
    door = listen(flags["port"], host)
    # The server hands the signal on when it has ended; the folder is to be removed after that.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with drafts.private_folder() as folder, drafts.nothing_logged():
        settings = with_window(replace(resolved, settings=settings), say=say).settings
        looks = drafts.Drafts(settings, folder, limits, say)
        server = DraftServer(looks, known, public)
        print_line(public or f"http://{host}:{door.getsockname()[1]}")
        say(f"{settings.model} looks at drafts; nothing is kept. Ctrl-C ends.")
        answer_until_stopped(server.app(), door, limit_concurrency=256)


@click.command("key", cls=Verb)
@click.argument("file", type=options.PATH)
@click.argument("name")
@options.switch("--revoke", help="Let the key of that name open nothing any more.")
def key_command(file: Path, name: str, revoke: bool) -> None:
    """Print a new key for a person, once; FILE holds its hash, by which it cannot be told.

    NAME is a pseudonym. A further key of a name takes the place of the one before. A server that
    runs knows at once.

    \b
    Example:  reviewscore drafts key keys.jsonl R17
    """
    from reviewscore.pages.access_keys import AccessKeys

    keys = AccessKeys(file)
    if revoke:
        keys.revoke(name)
        print_line(f"the key of {name} opens nothing any more")
    else:
        print_line(keys.issue(name))
