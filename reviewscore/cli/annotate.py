"""``reviewscore annotate``: a local workspace where people label points."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli import options
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.annotate.material import Material


@click.command("annotate", cls=Verb, writes_files=True)
@click.argument("run", type=options.PATH)
@click.option("--set", "name", required=True, help="Name of the set of labels.")
@options.path("-o", "--output", help="Folder of the set; annotations/NAME if not named.")
@click.option("--annotators", help="Pseudonyms: A1,A2 of people, M1:model; each gets an address.")
@options.preset(
    "--per-item", type=click.IntRange(1, 100), default=3, help="Annotators of each point."
)
@options.preset(
    "--port",
    type=click.IntRange(0, 65535),
    default=8791,
    help="Port on 127.0.0.1; 0 takes a free one.",
)
@click.option(
    "--data",
    type=options.DataPath(),
    help="Folder of papers and reviews, if it has moved: gives the paper beside the point.",
)
@options.switch("--export", "only_export", help="Only write the labels, and end.")
@options.switch("--with-text", help="Export the words too, where their licence allows it.")
@options.ACCEPT_CHANGED
def command(
    run: Path,
    name: str,
    output: Path | None,
    annotators: str | None,
    per_item: int,
    port: int,
    data: Path | None,
    only_export: bool,
    with_text: bool,
    accept_changed: bool,
) -> None:
    """Label points in the browser: blind, several annotators, on this machine alone.

    RUN is a run folder, or a folder of papers and reviews that no model has judged.

    \b
    Example:  reviewscore annotate runs/iclr24 --set iclr24 --annotators A1,A2,A3
    """
    from reviewscore.annotate.material import read_material
    from reviewscore.annotate.workspace import open_workspace

    if not name.strip() or Path(name).name != name:
        raise SettingsError(f"{name!r} is no name of a set; use letters and numbers")
    folder = output or Path("annotations") / name
    if only_export:
        material = read_material(run, data, accept_changed=accept_changed)
        _export(material, name, folder, with_text=with_text)
        return
    _need_web()
    from reviewscore.annotate.app import HOST, listen, serve
    from reviewscore.annotate.guard import addresses

    names = [word.strip() for word in (annotators or "").split(",") if word.strip()]
    material = read_material(run, data, accept_changed=accept_changed)
    workspace = open_workspace(name, folder, material, annotators=names, per_point=per_item)
    try:
        door = listen(port)
        if len(workspace.store.annotators()) < per_item:
            say(f"warning: fewer annotators than {per_item} for each point")
        if workspace.gone:
            say(f"warning: {workspace.gone} labelled units are not in {run} any more; kept")
        if material.collection is None:
            say("warning: papers are not at hand; name them with --data")
        for who, address in addresses(workspace, f"{HOST}:{door.getsockname()[1]}").items():
            print_line(f"{who:12} {address}")
        say("Labels are saved one by one; Ctrl-C ends, the same command goes on.")
        serve(workspace, door)
    finally:
        workspace.store.close()


def _export(material: Material, name: str, folder: Path, *, with_text: bool) -> None:
    from reviewscore.annotate.export import export
    from reviewscore.annotate.label_store import LABELS_FILE
    from reviewscore.annotate.workspace import open_workspace

    if not (folder / LABELS_FILE).is_file():
        raise SettingsError(f"{folder} holds no labels of a workspace; start one first")
    workspace = open_workspace(name, folder, material, alone=False)
    try:
        print_line(export(workspace, with_text=with_text).words)
    finally:
        workspace.store.close()


def _need_web() -> None:
    try:
        import python_multipart  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise SettingsError(
            f"{error.name} is not installed; run: pip install '.[web]' in a checkout of reviewscore"
        ) from error
