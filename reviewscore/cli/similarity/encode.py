"""``reviewscore similarity encode``: vectors of papers by an encoder on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.cli.options import CONFIG_OPTION, engine_options, settings_from
from reviewscore.cli.similarity.choosing import PROFILES
from reviewscore.cli.tabling import DATA, PATH
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb


@click.command("encode", cls=Verb)
@DATA
@click.option("--model", required=True, help="hf/NAME, or the path of an encoder's folder (./x).")
@click.option("-o", "--output", type=PATH, required=True,
              help="File of vectors (.jsonl), for --embeddings.")  # fmt: skip
@click.option(
    "--take", type=click.Choice(["first", "mean"]), default="first", show_default=True,
    help="A paper's vector: the first token's (SPECTER), or the mean (sentence encoders).",
)  # fmt: skip
@PROFILES
@click.option(
    "--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True,
    help="Where the encoder computes.",
)  # fmt: skip
@engine_options
@CONFIG_OPTION
@click.option("--download", is_flag=True, help="Let hf/ models be fetched from their hub.")
def command(
    data: Path,
    model: str,
    output: Path,
    take: str,
    profiles: Path | None,
    device: str,
    engine: str | None,
    workers: int | None,
    download: bool,
) -> None:
    """Encode titles and abstracts of a folder's papers, for `--method embeddings`.

    Needs the extra `hf`. Nothing is fetched unless --download says so.

    \b
    Example:  reviewscore similarity encode DIR --model ./specter2_merged -o e.jsonl
    """
    from reviewscore.hf.models import ENCODER, PREFIX, Device, Loading, load
    from reviewscore.similarity.corpus import read_corpus
    from reviewscore.similarity.encoder import Taken, encode, write_embeddings

    settings = settings_from({"engine": engine, "workers": workers}).settings
    papers = list(read_corpus(data, profiles=profiles).papers.values())
    where: Device = "cpu" if device == "cpu" else "cuda" if device == "cuda" else "auto"
    loading = Loading(where, download=download)
    local = Path(model.removeprefix(PREFIX))
    name = local.name if local.is_dir() else local
    taken: Taken = "mean" if take == "mean" else "first"
    if settings.engine == "ray":
        from reviewscore.similarity.encoding_on_ray import encode_on_ray

        place = str(local.resolve()) if local.is_dir() else model
        found = encode_on_ray(papers, place, loading, taken, settings, say=say)
    else:
        found = encode(papers, load(model, ENCODER, loading), taken)
    write_embeddings(output, found)
    for some, words in ((found.cut, "longer than the encoder reads were cut"),
                        (found.empty, "without text have no vector")):  # fmt: skip
        if some:
            say(f"warning: {len(some):,} papers {words}")
    print_line(f"{len(found.vectors):,} papers by {PREFIX}{name} in {output}")
