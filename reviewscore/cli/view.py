"""``reviewscore view``: the app in which people work on runs."""

from __future__ import annotations

import signal
import sys
import webbrowser
from contextlib import ExitStack, closing
from pathlib import Path

import click

from reviewscore.cli import options
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import SettingsError
from reviewscore.printable import printable


@click.command("view", cls=Verb, writes_files=True)
@click.argument("folder", type=click.Path(), default="runs")
@click.option(
    "--data",
    type=options.DataPath(),
    help="Folder of papers and reviews, if it has moved: gives the paper beside the points.",
)
@options.preset("--host", default="127.0.0.1", help="Address of this machine to listen at.")
@options.preset("--port", type=click.IntRange(0, 65535), default=8793, help="0 takes a free one.")
@click.option("--public-url", help="Address by which people reach it: https://NAME[:PORT].")
@options.path("--assignments", help="Who is what to which paper: others see these papers alone.")
@click.option(
    "--release",
    type=click.Choice(["flags", "points"]),
    help="With --assignments: what authors see of their papers' reviews; nothing without it.",
)
@options.preset("--as", "name", default="owner", help="Your pseudonym in what you say of flags.")
@options.switch(
    "--blind",
    help="Judge flags and other points, drawn at random and mixed, without their verdicts.",
)
@options.path(
    "--keep",
    default=Path("judgments"),
    help="Folder for what is said of runs beside which nothing can be written.",
)
@options.switch("--no-browser", help="Only print the address.")
def command(
    folder: str,
    data: Path | None,
    host: str,
    port: int,
    public_url: str | None,
    assignments: Path | None,
    release: str | None,
    name: str,
    keep: Path,
    *,
    blind: bool,
    no_browser: bool,
) -> None:
    """Open the app: runs, papers with their passages marked, flags to look at.

    FOLDER is a run folder, or one that holds runs (the default is runs); or the address of one on a
    store, such as s3://bucket/runs, which is copied here and kept in step. It answers this machine
    alone; others need an invitation (page People) and a proxy with TLS (--public-url).

    \b
    Example:  reviewscore view runs
    """
    from reviewscore.pages.http_guard import LOOPBACK, check_reach, listen
    from reviewscore.period.assignments import read_assignments
    from reviewscore.period.deliver import Release
    from reviewscore.period.drafts import private_folder
    from reviewscore.sources.annotations import is_pseudonym
    from reviewscore.view.app import serve
    from reviewscore.view.context import View
    from reviewscore.view.open_run import OpenRuns
    from reviewscore.view.people import OWNER, People
    from reviewscore.view.shelf import Shelf

    if name != OWNER and not is_pseudonym(name):
        raise SettingsError(f"--as {name}: give a pseudonym such as AC7")
    check_reach(public_url, reachable=host not in LOOPBACK)
    rights = None if assignments is None else read_assignments(assignments)
    released = None if release is None else Release(release)
    with ExitStack() as stack:
        cache = stack.enter_context(private_folder())
        place, remote = Path(folder), "://" in folder
        if remote:
            place = _copied(folder, cache, keep, stack)
        shelf = Shelf(place)
        people = People(keep if remote else shelf.folder, rights, name, released=released)
        door = listen(port, host)
        here = f"http://127.0.0.1:{door.getsockname()[1]}"
        opened = OpenRuns(shelf, data, kept=keep, mirrored=remote, cache=cache)
        runs = stack.enter_context(closing(opened))
        view = View(runs, people, cache, public_url, blind=blind)
        address = f"{public_url or here}/enter/{people.secret}"
        print_line(address)
        where = f"in {keep}" if remote else "in the run folders"
        say(f"Ctrl-C ends; what was said in the app is kept {where}.")
        if invited := people.names():
            say(f"Let in by invitations in {people.folder}: {', '.join(map(printable, invited))}.")
        if not no_browser and public_url is None:
            webbrowser.open(address)
        _end_in_order()
        try:
            serve(view, door)
        finally:
            if stopped := view.jobs.close():
                say(f"{stopped} audits were stopped; page New audit goes on with them")


def _end_in_order() -> None:
    """Have a signal end the server as Ctrl-C does, so that audits are stopped after it."""
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup sets it
            # The server hands it on when it has ended; audits are to be stopped after that.
            signal.signal(number, lambda *_: sys.exit(0))


def _copied(address: str, cache: Path, keep: Path, stack: ExitStack) -> Path:
    """A copy of the runs of a store, kept in step until the app ends."""
    from reviewscore.addresses import without_credentials
    from reviewscore.cli.terminal import waiting
    from reviewscore.sources.data_folder import file_name
    from reviewscore.view.remote_runs import RemoteRuns

    # Pages show its name.
    plain = str(without_credentials(address)).partition("?")[0].rstrip("/")
    copy = cache / (file_name(plain.rpartition("/")[2]) or "runs")
    with waiting("copying runs"):
        remote = RemoteRuns(address, copy, keep)
    keep.mkdir(parents=True, exist_ok=True)
    stack.callback(remote.close)
    remote.start()
    return copy
