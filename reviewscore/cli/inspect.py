"""``reviewscore inspect``: say what a paper or review holds before anything is judged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli.main import PARTLY, WRONG_USE
from reviewscore.cli.terminal import print_line, say, waiting
from reviewscore.cli.verb import Verb

if TYPE_CHECKING:
    from reviewscore.sources.inspection import Inspection

FOUND = 1
_CUT = 160
_FURNITURE = 5


@click.command("inspect", cls=Verb)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object per paper or review.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also hidden text that is no message, and phrases that are only quoted.",
)
@click.option("--near", metavar="TEXT", help="List the passages of papers nearest to a text.")
def command(files: tuple[Path, ...], as_json: bool, everything: bool, near: str | None) -> int:
    """Say what papers or reviews hold: sections, loss, hidden text, text for a model.

    FILES are PDF, Markdown, LaTeX, arXiv HTML, TEI or text files, or JSONL or Parquet with papers
    or reviews. Exit
    code 0: nothing found; 1: hidden text, text that addresses a model, or a bad reading; 3: some
    file or record could not be read; 2: none could.

    \b
    Example:  reviewscore inspect paper.pdf
              reviewscore inspect papers/*.pdf --json > found.jsonl
              reviewscore inspect paper.pdf --near "No ablation is given."
    """
    if near is not None:
        return _search(files, near, as_json=as_json)
    from reviewscore.errors import InputError
    from reviewscore.sources.inspection import inspect_file

    seen = found = failed = 0
    for file in files:
        try:
            with waiting(f"reading {file}", plain=not as_json):
                for one in inspect_file(file):
                    if isinstance(one, InputError):
                        failed += 1
                        say(f"error: {one}")
                        continue
                    seen += 1
                    found += one.suspicious
                    _print(one, as_json=as_json, everything=everything)
        except InputError as error:
            failed += 1
            say(f"error: {error}")
    if len(files) > 1 or seen + failed > 1:
        say(f"{seen} looked at, {found} to look at again, {failed} failed")
    if failed:
        return PARTLY if seen else WRONG_USE
    return FOUND if found else 0


def _search(files: tuple[Path, ...], text: str, *, as_json: bool) -> int:
    """Print the passages of each paper that are nearest to a text, by the embedded finder."""
    from reviewscore.cli import options
    from reviewscore.errors import InputError
    from reviewscore.judges.lexical.finder import passages_near
    from reviewscore.papers.load import load_paper
    from reviewscore.retrieval.encoder import encoder_of

    encoder = encoder_of(options.settings_from({}).settings)
    failed = 0
    for file in files:
        try:
            with waiting(f"reading {file}", plain=not as_json):
                passages = passages_near(text, load_paper(file), encoder=encoder)
        except InputError as error:
            failed += 1
            say(f"error: {error}")
            continue
        if as_json:
            found = [passage.model_dump(mode="json") for passage in passages]
            print_line(json.dumps({"file": str(file), "passages": found}, ensure_ascii=False))
            continue
        print_line(f"{file}: {'' if passages else 'no '}passages near to {text!r}")
        for number, passage in enumerate(passages, 1):
            print_line(f"  {number:2}. {' '.join(passage.quote.split())} ({passage.place})")
    if failed:
        return PARTLY if failed < len(files) else WRONG_USE
    return 0


def _print(one: Inspection, *, as_json: bool, everything: bool) -> None:
    if as_json:
        record = one.model_dump(mode="json")
        if not everything:
            record["hidden"] = [h.model_dump(mode="json") for h in one.hidden if not h.stray]
            record["addressing"] = [
                a.model_dump(mode="json") for a in one.addressing if not a.quoted
            ]
        print_line(json.dumps({**record, "suspicious": one.suspicious}, ensure_ascii=False))
        return
    if one.kind == "review" and not one.suspicious and not everything:
        return
    for line in _lines(one, everything=everything):
        print_line(line)


def _lines(one: Inspection, *, everything: bool) -> Iterator[str]:
    facts = [one.kind, f"{one.characters:,} characters"]
    if one.pages is not None:
        facts.insert(1, f"{one.pages} pages")
    if one.lost is not None:
        facts.append(f"about {one.lost:.1%} lost")
    yield f"{one.name}: {', '.join(facts)}"
    if one.title:
        doubt = f" (not sure: {one.title_doubt})" if one.title_doubt else ""
        yield f"  title       {one.title}{doubt}"
    if one.badly_read:
        yield f"  badly read  {one.badly_read}: judges may be wrong on it"
    for section in one.sections:
        page = "" if section.page is None else f", p. {section.page}"
        cut = "" if section.shown else ", cut with --paper-parts main"
        about = f"{section.zone}{page}, {section.characters:,} characters{cut}"
        yield f"  section     {section.label} ({about})"
    yield from _version(one)
    yield from _numbered(one)
    for text, count in list(one.furniture.items())[:_FURNITURE]:
        yield f"  left out    {count} x {text[:_CUT]}"
    if len(one.furniture) > _FURNITURE:
        yield f"  left out    and {len(one.furniture) - _FURNITURE} more headers, footers, numbers"
    yield from _findings(one, everything=everything)
    if one.missing:
        yield f"  missing     {one.missing}: what stands in them is unknown to judges"
    for note in one.notes:
        yield f"  note        {note}"


def _version(one: Inspection) -> Iterator[str]:
    """What reviewers may not have read."""
    for words in one.version:
        yield f"  version     it {words}"
    for place in one.after_review:
        yield f"  version     {place}: no flag rests on it, as reviewers could not see it"


def _numbered(one: Inspection) -> Iterator[str]:
    seen = one.line_numbers
    if seen is not None:
        pages = "" if seen.pages is None else f", on {seen.pages} of the pages"
        yield f"  lines       {seen.count:,} have numbers, {seen.first} to {seen.last}{pages}"
    elif one.kind != "review":
        yield "  lines       no line numbers"


def _findings(one: Inspection, *, everything: bool) -> Iterator[str]:
    for hidden in one.hidden:
        if everything or not hidden.stray:
            harmless = f" ({hidden.harmless})" if hidden.harmless else ""
            yield f"  hidden      {hidden.place}, {hidden.trick}: {hidden.text[:_CUT]!r}{harmless}"
    strays = sum(hidden.stray for hidden in one.hidden)
    if strays and not everything:
        what = "stretch that is" if strays == 1 else "stretches that are"
        yield f"  hidden      {strays} {what} no message (--all shows them)"
    for said in one.addressing:
        if everything or not said.quoted:
            place = f"character {said.start}" if said.page is None else f"p. {said.page}"
            manner = f"{said.language}, {said.spelling}" + (", quoted" if said.quoted else "")
            yield f"  for models  {place}, {said.aim} ({manner}): {said.text[:_CUT]!r}"
    quoted = sum(said.quoted for said in one.addressing)
    if quoted and not everything:
        yield f"  for models  {quoted} phrases that are only quoted (--all shows them)"
    yield from _beside(one, quoted=quoted > 0)
    if one.unlooked:
        pages = ", ".join(map(str, one.unlooked))
        yield f"  not looked  pages {pages} take too long to draw; judged by properties alone"


def _beside(one: Inspection, *, quoted: bool) -> Iterator[str]:
    """What else a model is told, or is kept from."""
    if one.about_prompts and (one.kind != "review" or quoted):
        yield f"  about       it speaks of prompts for models in {one.about_prompts} places"
    for named in one.named:
        yield f"  for models  {named}"
    if one.unseen:
        yield f"  unseen      {one.unseen}"
