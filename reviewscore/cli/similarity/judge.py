"""``reviewscore similarity judge``: a model's scores, 0 to 100, of reviewers and submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.closing import close, go_on, settings_of
from reviewscore.cli.similarity.choosing import PROFILES, VERSION, chosen_versions
from reviewscore.cli.terminal import say, warn
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError, SettingsError
from reviewscore.printable import counted

if TYPE_CHECKING:
    from reviewscore.config import Settings
    from reviewscore.similarity.corpus import Corpus
    from reviewscore.similarity.judge import PairQuestion

_SHOWN = 3
MOST = 1_000_000
"""Pairs in one folder: more would be no question of a model."""


@click.command("judge", cls=Verb)
@options.DATA
@options.path("-o", "--output", help="Folder of the scores.")
@click.option("--model", help="Who judges: openai/NAME, anthropic/NAME, exchange:FOLDER, ...")
@PROFILES
@VERSION
@options.switch("--rated", help="Only pairs that people rated, in DATA's evaluations.")
@click.option("--nearest", type=click.IntRange(1),
              help="Only so many reviewers of a submission, the nearest by tfidf.")  # fmt: skip
@options.preset(
    "--recent",
    type=click.IntRange(1),
    default=20,
    help="How many papers of a reviewer are shown, the most recent.",
)
@options.preset("--seed", type=click.IntRange(0), default=0, help="Of ties of years.")
@options.asking_options
@options.DRY_RUN_JSON
def command(
    data: Path,
    output: Path | None,
    model: str | None,
    profiles: Path | None,
    only: str | None,
    rated: bool,
    nearest: int | None,
    recent: int,
    seed: int,
    retry_errors: bool,
    dry_run: bool,
    **flags: Any,
) -> int:
    """Have a model judge how well reviewers know what submissions are about.

    Each pair is a question with titles and abstracts; all pairs, unless --rated or --nearest says
    otherwise. The folder gets predictions.csv for `evaluate`; the same command goes on.

    \b
    Example:  reviewscore similarity judge DIR --rated --model openai/gpt-5 -o judged --dry-run
              reviewscore similarity evaluate DIR judged/predictions.csv
    """
    from reviewscore.llm.confidentiality import permission_of
    from reviewscore.similarity.corpus import read_corpus
    from reviewscore.similarity.judge import questions

    if rated and nearest is not None:
        raise SettingsError("--rated and --nearest: choose one of the two")
    settings = settings_of(model, flags)
    if settings.embedded:
        raise SettingsError("this needs a model; name one with --model")
    if output is None and not dry_run:
        raise SettingsError(f"the scores of {settings.model} need a folder; name one with -o")
    read = read_corpus(data, profiles=profiles)
    corpus = read.permitted(permission_of(settings))
    warn(corpus.warnings[len(read.warnings) :])
    versions = chosen_versions(corpus, only, data)
    files = list(corpus.files)
    pairs = list(_rated(corpus, versions, data, files) if rated else
                 _computed(corpus, versions, nearest))  # fmt: skip
    asked, unread = questions(corpus, pairs, recent=recent, seed=seed)
    for noun, some in (("reviewer", unread.reviewers), ("submission", unread.submissions)):
        for why, count in Counter(some.values()).items():
            names = [name for name, text in some.items() if text == why]
            more = ", ..." if count > _SHOWN else ""
            what = counted(count, noun)
            say(f"warning: {what} not asked about, {why}: {', '.join(names[:_SHOWN])}{more}")
    if not asked:
        raise InputError("there is no pair to ask about", file=data, cure="add papers or profiles")
    how = {"recent": recent, "seed": seed}
    return _ask(asked, settings, output, files, how, retry_errors=retry_errors, dry_run=dry_run)


def _ask(
    asked: list[PairQuestion],
    settings: Settings,
    output: Path | None,
    files: list[Path],
    how: dict[str, int],
    *,
    retry_errors: bool,
    dry_run: bool,
) -> int:
    """Say what it costs, ask, and say how it ended."""
    from reviewscore.cli.terminal import TerminalProgress
    from reviewscore.files import hash_file
    from reviewscore.similarity.judge import PREDICTIONS, expected_to_judge, judge_pairs

    expected = expected_to_judge(asked, settings)
    if not go_on(expected, settings, dry_run=dry_run) or output is None:
        return 0
    with TerminalProgress(quiet=False, noun="pairs") as progress:
        progress.expect(len(asked))
        outcome = judge_pairs(
            asked, output, settings, more=how, inputs=[hash_file(file) for file in files],
            retry_errors=retry_errors, say=progress.say, step=progress.step,
        )  # fmt: skip
    code = close(outcome, output)
    say(f"{output / PREDICTIONS} is for `reviewscore similarity evaluate`")
    return code


def _rated(
    corpus: Corpus, versions: list[str], data: Path, files: list[Path]
) -> Iterator[tuple[str, str, str]]:
    """Version, reviewer and submission of rated pairs; the file of ratings joins the files."""
    from reviewscore.similarity.goldstandard import ratings_file, read_ratings

    file = ratings_file(data)
    files.append(file)
    for version in versions:
        names = {name.strip("~"): name for name in corpus.profiles[version]}
        for reviewer, paper in read_ratings(file).pairs:
            yield version, names.get(reviewer.strip("~"), reviewer), paper


def _computed(
    corpus: Corpus, versions: list[str], nearest: int | None
) -> Iterator[tuple[str, str, str]]:
    """Version, reviewer and submission of all pairs, or of the nearest reviewers."""
    from reviewscore.similarity.affinity import Library, Recipe
    from reviewscore.similarity.pairs import pairs

    total = len(corpus.submissions) * sum(len(corpus.profiles[version]) for version in versions)
    if nearest is None and total > MOST:
        raise SettingsError(f"{total:,} pairs; choose some with --nearest or --rated")
    library = Library(corpus)
    for version in versions:
        if nearest is None:
            for paper in corpus.submissions:
                yield from ((version, reviewer, paper) for reviewer in corpus.profiles[version])
            continue
        paper_pairs = pairs(
            library.affinity(Recipe(), version), corpus.conflicts(version), top=nearest
        )
        yield from ((version, pair.reviewer, pair.submission) for pair in paper_pairs)
