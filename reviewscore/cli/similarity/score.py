"""``reviewscore similarity score|encode``: how near reviewers' papers are to submissions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.similarity.choosing import (
    PROFILES,
    VERSION,
    choosing_options,
    chosen_recipes,
    chosen_versions,
    library_of,
)
from reviewscore.cli.tabling import Tabling
from reviewscore.cli.terminal import print_line, say, warn
from reviewscore.cli.verb import Verb
from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.similarity.affinity import Affinity, Recipe
    from reviewscore.similarity.pairs import PaperPair


@click.command("score", cls=Verb)
@options.DATA
@options.path("-o", "--output", help="Folder of scores, tables.")
@choosing_options
@PROFILES
@VERSION
@click.option("--top", type=click.IntRange(1), help="Only so many reviewers of a submission.")
@options.preset(
    "--own-papers",
    type=click.Choice(["mark", "leave-out"]),
    default="mark",
    help="What to do where a submission is in a reviewer's own profile.",
)
@options.preset("--seed", type=click.IntRange(0), default=0, help="Of ties of years and of lsa.")
@options.switch("--json", "as_json", help="Print all tables as JSON.")
@options.YES
def command(
    data: Path,
    profiles: Path | None,
    only: str | None,
    top: int | None,
    own_papers: str,
    **choice: Any,
) -> None:
    """Score how near reviewers' past papers are to submissions.

    DATA is a folder with papers and profiles (.jsonl, .parquet, .csv), or with archives and
    submissions as openreview-expertise has them. With -o, scores.csv has lines of submission,
    reviewer, score as openreview-expertise writes them, pairs.csv all there is to say.

    \b
    Example:  reviewscore similarity score examples/similarity --top 3 -o similarity
    """
    from reviewscore.similarity.corpus import read_corpus
    from reviewscore.similarity.pairs import VERB, PairFiles, pairs
    from reviewscore.similarity.plots import draw_nearest
    from reviewscore.similarity.tables import SHOWN, overview
    from reviewscore.stats.writing import Setup, hashes

    tabling = Tabling.of(choice)
    tabling.check_folder(VERB)
    encoded, recent = choice.pop("encoded"), choice["recent"]
    choice["methods"] = choice["methods"] or ("tfidf",)
    recipe = _only(chosen_recipes(**choice, seed=tabling.seed))
    corpus = read_corpus(data, profiles=profiles)
    warn(corpus.warnings)
    library, files_read = library_of(corpus, encoded)
    scored = [
        (chosen_version, library.affinity(recipe, chosen_version))
        for chosen_version in chosen_versions(corpus, only, data)
    ]
    _warn_of_lone(scored)
    leave_out = own_papers == "leave-out"
    conflicts = {version: corpus.conflicts(version) for version, _ in scored}

    def stream(version: str, affinity: Affinity, top: int | None = top) -> Iterator[PaperPair]:
        return pairs(affinity, conflicts[version], top=top, without_conflicts=leave_out)

    def write_pairs(folder: Path) -> tuple[str, list[Path]]:
        files = PairFiles(folder, [name for name, _ in scored])
        total = files.write(
            (affinity.recipe.name, name, stream(name, affinity)) for name, affinity in scored
        )
        return f"{total:,} pairs; ", files.written

    nearest = _first(stream(*scored[0], top=top or 3), SHOWN)
    setup = Setup(
        verb=VERB,
        title="Similarity of reviewers and submissions",
        role="method",
        model=recipe.name,
        settings={
            "method": recipe.base, "pool": recipe.pool, "centre": recipe.centre,
            "text": recipe.representation, "recent": recent, "top": top,
            "own_papers": own_papers, "seed": tabling.seed,
        },
        inputs=hashes(files_read),
        notes=list(corpus.warnings),
    )  # fmt: skip
    tables = overview(scored, nearest, [*map(len, conflicts.values())])
    tabling.publish(
        tables, setup, beside=write_pairs,
        draw=lambda folder: draw_nearest(scored[0][1], nearest, folder),
    )  # fmt: skip


def _only(recipes: list[Recipe]) -> Recipe:
    if len(recipes) > 1:
        raise SettingsError("one method, text and pooling at a time; `evaluate` compares several")
    return recipes[0]


def _warn_of_lone(scored: list[tuple[str, Affinity]]) -> None:
    """Say where scores are less the mean over a single reviewer."""
    for version, affinity in scored:
        if (
            affinity.recipe.levelled
            and len(affinity.reviewers) - len(affinity.unread.reviewers) == 1
        ):
            say(
                f"warning: version {version} has one reviewer with papers, whose scores are all "
                "0: they are less the mean over reviewers (--no-centre)",
            )


def _first(pairs: Iterator[PaperPair], submissions: int) -> dict[str, list[PaperPair]]:
    """The pairs of the first submissions."""
    some: dict[str, list[PaperPair]] = {}
    for pair in pairs:
        if pair.submission not in some and len(some) == submissions:
            break
        some.setdefault(pair.submission, []).append(pair)
    return dict(islice(some.items(), submissions))


@click.command("encode", cls=Verb)
@options.DATA
@click.option("--model", required=True, help="hf/NAME, or the path of an encoder's folder (./x).")
@options.path("-o", "--output", required=True, help="File of vectors (.jsonl), for --embeddings.")
@options.preset(
    "--take",
    type=click.Choice(["first", "mean"]),
    default="first",
    help="A paper's vector: the first token's (SPECTER), or the mean (sentence encoders).",
)
@PROFILES
@options.preset(
    "--device", type=options.DEVICES, default="auto", help="Where the encoder computes."
)
@options.engine_options
@options.CONFIG_OPTION
@options.DOWNLOAD
def encode_command(
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
    from reviewscore.schema.confidentiality import Permission
    from reviewscore.similarity.corpus import read_corpus
    from reviewscore.similarity.encoder import Taken, encode, write_embeddings

    settings = options.settings_from({"engine": engine, "workers": workers}).settings
    may = Permission(default=settings.consent)  # the encoder is on this machine
    read = read_corpus(data, profiles=profiles)
    corpus = read.permitted(may)
    warn(corpus.warnings[len(read.warnings) :])
    papers = list(corpus.papers.values())
    where: Device = "cpu" if device == "cpu" else "cuda" if device == "cuda" else "auto"
    loading = Loading(where, download=download)
    local = Path(model.removeprefix(PREFIX))
    name = local.name if local.is_dir() else local
    taken: Taken = "mean" if take == "mean" else "first"
    if settings.engine == "ray":
        from reviewscore.similarity.encoding_on_ray import encode_on_ray

        place = str(local.resolve()) if local.is_dir() else model
        encoded = encode_on_ray(papers, place, loading, taken, settings, say=say)
    else:
        encoded = encode(papers, load(model, ENCODER, loading), taken)
    write_embeddings(output, encoded)
    for some, words in ((encoded.cut, "longer than the encoder reads were cut"),
                        (encoded.empty, "without text have no vector")):  # fmt: skip
        if some:
            say(f"warning: {len(some):,} papers {words}")
    print_line(f"{len(encoded.vectors):,} papers by {PREFIX}{name} in {output}")
