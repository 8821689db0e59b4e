"""``reviewscore report``: write the report of a run as HTML, Markdown or JSON."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.errors import SettingsError


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="x.html, x.md or x.json.")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Folder of papers and reviews, if it has moved: gives context to points and quotes.",
)
def command(run: Path, output: Path | None, data: Path | None) -> None:
    """Write the report of a run as HTML, Markdown or JSON.

    \b
    Example:  reviewscore report runs/iclr24 -o iclr24.md
    """
    from reviewscore.report.html import write_report
    from reviewscore.report.markdown import markdown_report
    from reviewscore.report.summary import summarise, write_summary
    from reviewscore.store.run_dir import read_manifest

    ending = ".html" if output is None else output.suffix.lower()
    if ending == ".md" and output is not None:
        output.write_text(markdown_report(run), "utf-8")
    elif ending == ".json" and output is not None:
        output.write_text(summarise(run).model_dump_json(indent=2) + "\n", "utf-8")
    elif ending in (".html", ".htm"):
        papers = reviews = None
        noted = read_manifest(run).data
        if data is None and noted is not None and Path(noted).is_dir():
            data = Path(noted)
        if data is not None:
            from reviewscore.sources.files import read_collection

            collection = read_collection(data, skip_bad_lines=True)
            papers = collection.paper
            reviews = {review.review_id: review for review in collection.reviews}.__getitem__
        write_summary(run)
        output = write_report(run, papers, reviews, out=output)[0]
    else:
        raise SettingsError(f"unknown ending '{ending}'; use .html, .md or .json")
    click.echo(str(output))
