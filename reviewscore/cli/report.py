"""``reviewscore report``: write the report of a run as HTML, Markdown or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.sources.files import Collection
    from reviewscore.store.manifest import Manifest


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="x.html, x.md or x.json, or - for Markdown on stdout; RUN/report.html if not given.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Folder of papers and reviews, if it has moved: gives context to points and quotes.",
)
@click.option(
    "--for",
    "reader",
    type=click.Choice(["meta-reviewer", "reviewer", "author"]),
    help="A page for one reader: misinformed points with proof, kind notes, or a rebuttal sheet.",
)
def command(run: Path, output: Path | None, data: Path | None, reader: str | None) -> None:
    """Write the report of a run as HTML, Markdown or JSON.

    \b
    Example:  reviewscore report runs/iclr24 -o iclr24.md
              reviewscore report runs/iclr24 --for meta-reviewer -o pages
    """
    if reader is not None:
        for path in _for(run, reader, output, data):
            click.echo(str(path))
        return
    from reviewscore.report.html import write_report
    from reviewscore.report.markdown import markdown_report
    from reviewscore.report.summary import summarise, write_summary
    from reviewscore.store.jsonl import write_whole
    from reviewscore.store.run_dir import read_manifest

    if output == Path("-"):
        click.echo(markdown_report(run), nl=False)
        return
    ending = ".html" if output is None else output.suffix.lower()
    if ending == ".md" and output is not None:
        write_whole(output, markdown_report(run))
    elif ending == ".json" and output is not None:
        write_whole(output, summarise(run).model_dump_json(indent=2) + "\n")
    elif ending in (".html", ".htm"):
        papers = reviews = None
        collection = _collection(read_manifest(run), data)
        if collection is not None:
            papers = collection.paper
            reviews = {review.review_id: review for review in collection.reviews}.__getitem__
        write_summary(run)
        output = write_report(run, papers, reviews, out=output)[0]
    else:
        raise SettingsError(f"unknown ending '{ending}'; use .html, .md or .json")
    click.echo(str(output))


def _for(run: Path, reader: str, output: Path | None, data: Path | None) -> list[Path]:
    """The pages for one reader."""
    from reviewscore.report.role_files import write_for
    from reviewscore.report.roles import Reader
    from reviewscore.store.run_dir import read_manifest

    collection = _collection(read_manifest(run), data)

    def title(paper_id: str) -> str | None:
        handle = None if collection is None else collection.papers.get(paper_id)
        return None if handle is None else handle.title

    return write_for(run, Reader(reader), titles=title, out=output)


def _collection(manifest: Manifest, data: Path | None) -> Collection | None:
    """What the run was made of: named now, or noted then and still there."""
    from reviewscore.sources.files import read_collection, single
    from reviewscore.store.manifest import hash_file

    pair = [Path(name) for name in manifest.pair or ()]
    if data is None and pair and all(path.is_file() for path in pair):
        return single(pair[0], pair[1], year=manifest.year)
    if data is None and manifest.data is not None and Path(manifest.data).is_dir():
        data = Path(manifest.data)
    if data is None:
        click.echo(
            "warning: papers and reviews are not where they were, so points and quotes stand "
            "without their surroundings; name the folder with --data",
            err=True,
        )
        return None
    collection = read_collection(data, skip_bad_lines=True)
    if {hash_file(path).sha256 for path in collection.files} != {
        one.sha256 for one in manifest.inputs
    }:
        click.echo(f"warning: {data} is not what this run was made of, or has changed", err=True)
    return collection
