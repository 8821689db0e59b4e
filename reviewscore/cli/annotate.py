"""``reviewscore annotate``: a local workspace where people label points, and labels made apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli import options
from reviewscore.cli.main import PARTLY
from reviewscore.cli.terminal import print_line, say, warn
from reviewscore.cli.verb import Parts, Verb
from reviewscore.errors import InputError, SettingsError

if TYPE_CHECKING:
    from reviewscore.annotate.material import Material


_VERBS = {
    "label": "Label points in the browser, several people, blind (the default).",
    "import": "Read points that were marked and judged apart, one object each, into a set.",
}


@click.group(
    "annotate",
    cls=Parts,
    package="reviewscore.cli",
    verbs=_VERBS,
    places={"label": "annotate", "import": "annotate"},
)
def command() -> None:
    """Label points in the browser, or read points that readers marked elsewhere.

    \b
    Example:  reviewscore annotate runs/iclr24 --set iclr24 --annotators A1,A2,A3
    """


@click.command("label", cls=Verb, writes_files=True)
@click.argument("run", type=options.RUN)
@click.option("--set", "name", required=True, help="Name of the set of labels.")
@options.path("-o", "--output", help="Folder of the set; annotations/NAME if not named.")
@click.option("--annotators", help="Pseudonyms: A1,A2 of people, M1:model; each gets an address.")
@options.preset(
    "--per-item", type=click.IntRange(1, 100), default=3, help="Annotators of each point."
)
@click.option(
    "--codebook",
    type=click.Choice(["1", "2"]),
    help="What a new set follows: 2 (unless named) asks for kind, standing and presuppositions "
    "too, 1 is as published.",
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
def label_command(
    run: Path,
    name: str,
    output: Path | None,
    annotators: str | None,
    per_item: int,
    codebook: str | None,
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
    from reviewscore.annotate.app import serve
    from reviewscore.annotate.guard import addresses
    from reviewscore.annotate.rules import Codebook
    from reviewscore.pages.http_guard import HOST, listen

    names = [word.strip() for word in (annotators or "").split(",") if word.strip()]
    material = read_material(run, data, accept_changed=accept_changed)
    workspace = open_workspace(
        name,
        folder,
        material,
        annotators=names,
        per_point=per_item,
        codebook=None if codebook is None else Codebook(f"codebook {codebook}"),
    )
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


@click.command("import", cls=Verb)
@click.argument("sheets", nargs=-1, required=True, type=options.PATH)
@options.path("--reviews", multiple=True, required=True, help="Reviews that the points are of.")
@options.path(
    "--papers", multiple=True, help="Their papers, if not beside the reviews: finds passages."
)
@options.path("-o", "--output", required=True, help="Folder of the set.")
@options.switch("--with-text", help="Write the words too, where their licence allows it.")
@click.pass_context
def import_command(
    ctx: click.Context,
    sheets: tuple[Path, ...],
    reviews: tuple[Path, ...],
    papers: tuple[Path, ...],
    output: Path,
    with_text: bool,
) -> None:
    """Read sheets with one object a point into a set; points are found by their spans.

    A span is quoted verbatim, or given by its place and the sum of its words. What cannot be found
    is named with file and line and left out; the rest is read (exit code 3).

    \b
    Example:  reviewscore annotate import A1.jsonl A2.jsonl --reviews data/iclr24 -o set
    """
    from reviewscore.cli.point_labels import faults_in_words, papers_at, points_in_words, reviews_at
    from reviewscore.files import write_whole
    from reviewscore.sources.annotations import LABELS
    from reviewscore.sources.point_labels import (
        POINTS,
        points_file,
        read_point_labels,
        reviews_named,
        with_quotes,
    )

    for name in (POINTS, LABELS):
        if (output / name).exists():
            raise InputError("is there already", file=output / name, cure="name another folder")
    for sheet in sheets:
        if sheet.is_file() and points_file(sheet) is None:
            cure = "write one object a point; `agree --import` reads sheets of a run's units"
            raise InputError("holds no marked points, with `spans`", file=sheet, cure=cure)
    known = reviews_at(reviews, reviews_named(sheets))
    paper_of = papers_at(papers or _papers_beside(reviews))
    read = read_point_labels(sheets, known, paper_of, name=output.name)
    faults = [*read.faults, *read.elsewhere]
    for line in faults_in_words(faults):
        say(line)
    if not read.labels:
        raise InputError(
            "no line could be used", file=sheets[0], cure="mend the lines that are named above"
        )
    warn(read.warnings)
    labels = with_quotes(read.labels, known, paper_of) if with_text else read.labels
    output.mkdir(parents=True, exist_ok=True)
    lines = (label.model_dump_json(exclude_none=True) for label in labels)
    write_whole(output / POINTS, "".join(f"{line}\n" for line in lines))
    left_out = f"; {len(faults):,} faults" if faults else ""
    print_line(f"{output / POINTS}: {points_in_words(read)}{left_out}")
    ctx.exit(PARTLY if faults else 0)


def _papers_beside(reviews: Sequence[Path]) -> list[Path]:
    """The files of papers in folders that hold reviews too."""
    from reviewscore.sources.records import find_table

    found = (find_table(folder, "papers") for folder in reviews if folder.is_dir())
    return [file for file in found if file is not None]
