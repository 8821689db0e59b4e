"""Whether planted remarks give away which answers were cut, to a reader who knows how it is done.

Three games, each with one guess for every item of `annotations/planted` that has cuts:

    python -m benchmarks.leak_guesses --write FOLDER     # files to read, and forms to fill in
    python -m benchmarks.leak_guesses --read FOLDER      # what was guessed right

``seams`` shows a stretch of a version of a paper, with the remark: around a place where an answer
was taken out, or around one where nothing was. ``bare`` shows the same windows without the remark:
what is guessed right there comes from traces alone, while with the remark a reader also sees
whether the window speaks of its matter, which a window with the answer in it cannot be shown for.
A reader plays one of these two. ``lists`` shows the title of a paper and the remarks of a version
of it, and nothing else.

``truth.json`` belongs where readers do not see it. Versions are drawn by a seed; the papers are no
part of this repository.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.measure import SHARED, head, row, skip
from benchmarks.planted import FILES, HALVES, PLANTED
from reviewscore.errors import InputError
from reviewscore.papers.offsets import MappedText
from reviewscore.papers.sentences import SentenceKind
from reviewscore.retrieval.index import Passage, index_of
from reviewscore.schema.paper import Paper, Zone
from reviewscore.schema.planted_point import PlantedPoint, TextEdit
from reviewscore.sources.collection import read_papers
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import wilson
from reviewscore.stats.shares import PAPERS, plan_of_papers, share
from reviewscore.stats.tables import Cell, Table, markdown
from reviewscore.text.stems import content_stems
from reviewscore.validation.planted import cut_out, read_planted

SEED = 33
SIZE, JITTER = 1_800, 300
"""Characters of a window, and how far its middle lies from the place, at most."""
AIM = 0.60
"""The upper end of the interval of what is guessed right should not lie above it."""
BASES = ("trace", "topic", "none")
"""What a guess about a window may rest on."""
GAMES = ("seams", "bare", "lists")
KEPT = Path(__file__).parent / "leak_data"
"""What readers guessed, without texts."""
_UNSHOWN = frozenset({Zone.REFERENCES, Zone.BACK, Zone.CHECKLIST, Zone.BOILERPLATE, Zone.FRONT})
"""Zones in which no answer stands, as a rule: a window there would tell that nothing was taken."""
_REASON = 90
"""Characters of a reason that are printed."""

_WINDOWS = f"""
- Which of the two it is was drawn by a coin for each item.
- The place lies within {JITTER} characters of the middle of the window, either way: the seam, or
  the end of a sentence, caption or row at which nothing was taken.
- Windows without a cut are of the same paper: of like kind (text, caption, row; main text or
  appendix), from the same section where there is room, and from there as near to the answer as
  can be; the answer never stands in them.
- A cut takes words, clauses, sentences, captions, table rows or columns. A few words may stand in
  place of what is gone. White space is closed up, wrapped paragraphs of every version are
  filled anew, whether something was taken out of them or not.
  A window with a cut may hold cuts of other remarks and neutral deletions (decoys) too; a window
  without one holds none.
- Texts come from PDFs: torn formulas, headers and missing words are there in whole papers too.

Guess for each file: was something taken out of this window? ``cut`` or ``uncut``, and why in a few
words that begin with what the guess rests on: ``trace:`` (something in the text looks torn, odd or
out of form), ``topic:`` (what the window speaks of, or should) or ``none:`` (a coin).
"""
RULES = {
    "seams": f"""Each file holds a remark from a review and a window of about {SIZE:,} characters of
a paper's text. In some windows the passage (or the first of the passages) that answers the remark
was taken out, and the seam was closed; in the others nothing was taken out at all.
{_WINDOWS}""",
    "bare": f"""Each file holds a window of about {SIZE:,} characters of a paper's text. In some
windows a passage that answers a remark of a review, which is not shown, was taken out, and the seam
was closed; in the others nothing was taken out at all.
{_WINDOWS}""",
    "lists": """Each file holds the title of a paper and the remarks of one review of it, not the
paper. Each remark was made so that the whole paper answers or contradicts it. Of some remarks the
answer was cut out of the version of the paper that the review is about; of the others it stands.

- The number of remarks with a cut answer was drawn from 0 to 6, each as likely, for each paper;
  then which ones, then the order of all.
- One remark of each list is about another paper; it is not guessed and not in the form.

Guess for each remark in the form: is its answer ``cut`` or ``uncut`` (still in the paper)? And why,
in a few words.
""",
}


@dataclass(frozen=True)
class Truth:
    """What is true of a guess.

    Attributes:
        id: Its name in the form.
        item: The planted point.
        paper_id: Its paper.
        form: Its form.
        place: Where its first passage stands.
        cut: Whether its answer was cut.
        nearness: Share of the remark's stems that the window holds, 0..1; None without a window.
    """

    id: str
    item: str
    paper_id: str
    form: str
    place: str
    cut: bool
    nearness: float | None = None


@dataclass(frozen=True)
class Window:
    """A stretch of a version of a paper.

    Attributes:
        start: Offset of its first character in the version.
        end: Offset just after its last one.
    """

    start: int
    end: int

    @classmethod
    def around(cls, text: str, place: int, shift: int) -> Window:
        """The window whose middle lies `shift` characters behind a place; words stay whole."""
        size = min(SIZE, len(text))
        start = max(0, min(place + shift - size // 2, len(text) - size))
        end = start + size
        while 0 < start < place and not text[start - 1].isspace():
            start += 1
        while place < end < len(text) and not text[end].isspace():
            end -= 1
        return cls(start, end)


def answering(point: PlantedPoint) -> TextEdit:
    """The cut that takes most of a point's first passage."""
    first = point.passages[0]
    return max(point.cuts, key=lambda edit: min(edit.end, first.end) - max(edit.start, first.start))


def made_edits(points: Sequence[PlantedPoint], cut: Sequence[PlantedPoint]) -> list[TextEdit]:
    """Edits of a version in order: cuts of some of the points, decoys of all.

    Where two overlap, the one that answers stays, then a cut, then a decoy.
    """
    wanted = [answering(point) for point in cut]
    wanted += [edit for point in cut for edit in point.cuts]
    wanted += [edit for point in points for edit in point.decoys]
    made: list[TextEdit] = []
    for edit in wanted:
        if edit not in made and not any(_meet(edit, other) for other in made):
            made.append(edit)
    return sorted(made, key=lambda edit: edit.start)


def _meet(left: TextEdit, right: TextEdit) -> bool:
    return (left.start < right.end and right.start < left.end) or left.start == right.start


class SeamWindows:
    """Windows of one version of a paper.

    Attributes:
        text: The text of the version.
    """

    def __init__(
        self, paper: Paper, points: Sequence[PlantedPoint], cut: Sequence[PlantedPoint]
    ) -> None:
        self._paper = paper
        self._edits = made_edits(points, cut)
        self._mapped: MappedText = cut_out(paper.text, self._edits)
        self._units = index_of(paper).passages
        self._used: list[int] = []
        self.text = self._mapped.text

    def cut(self, point: PlantedPoint, shift: int) -> Window:
        """The window around the place where a point's answer was taken."""
        return Window.around(self.text, self._mapped.place_of(answering(point).start), shift)

    def uncut(self, point: PlantedPoint, shift: int) -> Window:
        """A window of like kind in which nothing was taken, nor answers the point.

        Raises:
            InputError: There is no room for one.
        """
        place = answering(point).start
        own = _unit_at(self._units, place)
        rooms = [
            (unit, window)
            for unit in self._units
            if unit.kind is not SentenceKind.HEADING
            and (window := self._room(unit.end, shift, point)) is not None
        ]
        if not rooms:
            raise InputError(f"'{point.id}': no window without a cut", cure="draw by another seed")

        def unlike(room: tuple[Passage, Window]) -> tuple[int, ...]:
            unit, window = room
            middle = (window.start + window.end) // 2
            return (
                any(abs(middle - other) < SIZE // 2 for other in self._used),
                unit.zone in _UNSHOWN and unit.zone is not own.zone,
                unit.kind is not own.kind,
                unit.zone is not own.zone,
                unit.section != own.section,
                abs(unit.end - place),
            )

        window = min(rooms, key=unlike)[1]
        self._used.append((window.start + window.end) // 2)
        return window

    def _room(self, place: int, shift: int, point: PlantedPoint) -> Window | None:
        """The window around a place of the whole text; None if it shows an edit or an answer."""
        window = Window.around(self.text, self._mapped.place_of(place), shift)
        start, end = self._mapped.original_span(window.start, window.end)
        if self._paper.text[start:end].split() != self.text[window.start : window.end].split():
            return None
        taken = [(edit.start, edit.end) for edit in (*self._edits, *point.edits)]
        taken += [(passage.start, passage.end) for passage in point.passages]
        return None if any(low <= end and start <= high for low, high in taken) else window


def _unit_at(units: Sequence[Passage], place: int) -> Passage:
    """The sentence, caption or row at a place, or the nearest one."""
    return min(units, key=lambda unit: max(unit.start - place, place - unit.end + 1, 0))


def nearness(point: PlantedPoint, text: str) -> float:
    """Share of the stems of a point's remark that a text holds, 0..1."""
    wanted = set(content_stems(point.remark))
    return len(wanted & set(content_stems(text))) / max(1, len(wanted))


def windows_game(
    papers: Mapping[str, Paper], points: Sequence[PlantedPoint], seed: int = SEED
) -> list[tuple[PlantedPoint, bool, str]]:
    """Items, whether their answers are cut, and their windows, in drawn order."""
    drawn, shown = Random(f"{seed} seams"), []
    for paper, own in _by_paper(papers, points):
        guessed = [point for point in own if point.cuts]
        cut = [point for point in guessed if drawn.random() < 0.5]
        windows = SeamWindows(paper, own, cut)
        for point in guessed:
            shift, taken = drawn.randint(-JITTER, JITTER), point in cut
            window = (windows.cut if taken else windows.uncut)(point, shift)
            shown.append((point, taken, windows.text[window.start : window.end]))
    drawn.shuffle(shown)
    return shown


def _window_pages(
    windows: Sequence[tuple[PlantedPoint, bool, str]], *, bare: bool
) -> Iterator[tuple[list[Truth], str, str]]:
    for number, (point, taken, text) in enumerate(windows, 1):
        page = f"## Window\n\n~~~~~~text\n{text}\n~~~~~~\n"
        if not bare:
            page = f"## Remark\n\n{point.remark}\n\n{page}"
        name = f"{number:03}"
        yield [_truth(name, point, taken, nearness(point, text))], f"{name}.md", page


def lists_game(
    papers: Mapping[str, Paper], points: Sequence[PlantedPoint], seed: int = SEED
) -> list[tuple[list[Truth], str]]:
    """Truths and list of remarks of each paper, in drawn order."""
    drawn = Random(f"{seed} lists")
    versions = list(_by_paper(papers, points))
    drawn.shuffle(versions)
    pages = []
    for number, (paper, own) in enumerate(versions, 1):
        guessed = [point for point in own if point.cuts]
        cut = drawn.sample(guessed, drawn.randint(0, len(guessed)))
        drawn.shuffle(own)
        names = {point.id: f"{number:02}.{place}" for place, point in enumerate(own, 1)}
        lines = [f"# {paper.title}", ""]
        lines += [f"- **{names[point.id]}** {' '.join(point.remark.split())}" for point in own]
        truths = [_truth(names[one.id], one, one in cut) for one in own if one in guessed]
        pages.append((truths, "\n".join(lines) + "\n"))
    return pages


def _by_paper(
    papers: Mapping[str, Paper], points: Sequence[PlantedPoint]
) -> Iterator[tuple[Paper, list[PlantedPoint]]]:
    for paper_id in sorted({point.paper_id for point in points}):
        if paper_id not in papers:
            raise InputError(f"paper '{paper_id}' is not at hand", cure="put the data beside")
        own = [point for point in points if point.paper_id == paper_id and not point.refuted]
        yield papers[paper_id], sorted(own, key=lambda point: point.id)


def _truth(name: str, point: PlantedPoint, cut: bool, near: float | None = None) -> Truth:
    place = point.passages[0].place.value
    return Truth(name, point.id, point.paper_id, point.form.value, place, cut, near)


def write_games(
    folder: Path, papers: Mapping[str, Paper], points: Sequence[PlantedPoint], seed: int = SEED
) -> None:
    """Write files to read, forms to fill in, and the truths."""
    windows = windows_game(papers, points, seed)
    pages = {"seams": list(_window_pages(windows, bare=False))}
    Random(f"{seed} bare").shuffle(windows)
    pages["bare"] = list(_window_pages(windows, bare=True))
    lists = enumerate(lists_game(papers, points, seed), 1)
    pages["lists"] = [(truths, f"{number:02}.md", text) for number, (truths, text) in lists]
    known = {}
    for game, some in pages.items():
        place = folder / game
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "RULES.md").write_text(RULES[game], "utf-8")
        for _, name, text in some:
            (place / name).write_text(text, "utf-8")
        truths = [truth for own, _, _ in some for truth in own]
        form = [{"id": truth.id, "guess": "", "why": ""} for truth in truths]
        (place / "form.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in form))
        known[game] = [asdict(truth) for truth in truths]
    (folder / "truth.json").write_text(json.dumps(known, indent=1) + "\n")


@dataclass(frozen=True)
class Guess:
    """What a reader guessed, without the reason.

    Attributes:
        truth: What is true of it.
        cut: Whether the reader takes the answer for cut.
        why: The reason.
    """

    truth: Truth
    cut: bool
    why: str = ""

    @property
    def basis(self) -> str:
        """What the guess rests on, as the reader says: the word before a colon."""
        word = self.why.partition(":")[0].strip().lower()
        return word if word in BASES else ""

    @property
    def right(self) -> bool:
        """Whether it is what is true."""
        return self.cut is self.truth.cut


def read_guesses(folder: Path, game: str, truths: Sequence[Truth]) -> list[Guess]:
    """The guesses of the forms of a game (``form*.jsonl``), in the order of the truths.

    Raises:
        InputError: A line cannot be used, or an item was guessed twice.
    """
    of = {truth.id: truth for truth in truths}
    guesses: dict[str, Guess] = {}
    for file in sorted((folder / game).glob("form*.jsonl")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            try:
                said = json.loads(line)
                name, guess, why = said["id"], said["guess"], str(said.get("why", ""))
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    "is no line of a form", file=file, line=number, cure="write id, guess, why"
                ) from error
            if guess == "":
                continue
            if guess not in ("cut", "uncut") or name not in of or name in guesses:
                problem = f"'{name}', '{guess}' cannot be used"
                cure = "give each id of the form one guess, cut or uncut"
                raise InputError(problem, file=file, line=number, cure=cure)
            guesses[name] = Guess(of[name], guess == "cut", why)
    return [guesses[truth.id] for truth in truths if truth.id in guesses]


def right_share(guesses: Sequence[Guess]) -> Estimate:
    """The share guessed right, with its interval by paper."""
    papers = sorted({guess.truth.paper_id for guess in guesses})
    hits, base = np.zeros(len(papers)), np.zeros(len(papers))
    for guess in guesses:
        at = papers.index(guess.truth.paper_id)
        hits[at] += guess.right
        base[at] += 1
    plan = plan_of_papers(len(papers), PAPERS)
    slot = plan.ask(share("guessed right", hits, base))
    plan.run()
    return slot.answer


def shares(guesses: Sequence[Guess]) -> Table:
    """The share guessed right: of all, of each truth, form and place."""
    groups: dict[str, Callable[[Guess], str]] = {
        "all": lambda guess: "",
        "truth": lambda guess: "cut" if guess.truth.cut else "uncut",
        "form": lambda guess: guess.truth.form,
        "place": lambda guess: guess.truth.place,
        "rests on": lambda guess: guess.basis,
    }
    rows: list[tuple[Cell, ...]] = []
    for name, of in groups.items():
        for value in sorted(set(map(of, guesses))):
            some = [guess for guess in guesses if of(guess) == value]
            right = sum(guess.right for guess in some)
            low, high = wilson(right, len(some))
            said = f"{right} of {len(some)}"
            rows.append((name, value, said, right_share(some), f"[{low:.3f}, {high:.3f}]"))
    return Table("guessed-right", "Guessed right", ("of", "", "right", "share, by paper", "Wilson"),
                 tuple(rows), keys=2)  # fmt: skip


def by_nearness(truths: Iterable[Truth]) -> list[Guess]:
    """What a rule guesses that takes the windows that are nearest to their remark for cut."""
    known = [truth for truth in truths if truth.nearness is not None]
    middle = float(np.median([truth.nearness for truth in known])) if known else 0.0
    return [Guess(truth, (truth.nearness or 0.0) > middle) for truth in known]


def show_guesses(game: str, guesses: Sequence[Guess], truths: Sequence[Truth]) -> None:
    """Print what was guessed right, and the reasons of it."""
    head(f"{game}: guessed right ({len(guesses)} of {len(truths)} items guessed)")
    made = right_share(guesses)
    low, high = wilson(sum(guess.right for guess in guesses), len(guesses))
    shown = "-" if made.low is None or made.high is None else f"[{made.low:.3f}, {made.high:.3f}]"
    value = f"{made.value:.3f} {shown} by paper, [{low:.3f}, {high:.3f}] Wilson"
    met = high <= AIM and (made.high or 1.0) <= AIM
    row(f"{game}: guessed right", value, "0.5 (a coin)", None, f"upper end <= {AIM}",
        better="lower", met=met)  # fmt: skip
    rule = by_nearness(truths)
    if rule:
        right = sum(guess.right for guess in rule)
        row(f"{game}: a rule that takes the windows nearest to their remark for cut",
            f"{right} of {len(rule)}", "", None, "-", better="lower")  # fmt: skip
    print(markdown(shares(guesses)))
    reasons = Counter(
        (" ".join(guess.why.split())[:_REASON], guess.cut) for guess in guesses if guess.right
    )
    for (why, cut), times in reasons.most_common():
        print(f"{times} right as {'cut' if cut else 'uncut'}: {why or '(no reason)'}")


def keep_guesses(file: Path, guesses: Sequence[Guess]) -> None:
    """Keep guesses without texts."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({**asdict(guess.truth), "guess": guess.cut, "basis": guess.basis})
        for guess in guesses
    ]
    file.write_text("".join(f"{line}\n" for line in lines))


def _planted(data: Path) -> tuple[dict[str, Paper], list[PlantedPoint]]:
    points = [point for half in HALVES for point in read_planted(PLANTED / f"{half}.jsonl").points]
    wanted = {point.paper_id for point in points}
    papers = {
        paper_id: handle.load()
        for file in FILES.values()
        for paper_id, handle in read_papers(data / file).papers.items()
        if paper_id in wanted
    }
    return papers, points


def main() -> None:
    """Write the games, or read what was guessed."""
    parser = argparse.ArgumentParser(description="Guesses of what was cut, from leaks alone.")
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--write", type=Path, metavar="FOLDER")
    todo.add_argument("--read", type=Path, metavar="FOLDER")
    parser.add_argument("--truth", type=Path, help="where truth.json lies, if moved (with --read)")
    parser.add_argument(
        "--keep", metavar="READER", help=f"keep guesses in {KEPT.name} (with --read)"
    )
    parser.add_argument("--data", type=Path, default=SHARED)
    options = parser.parse_args()
    if options.write:
        if not options.data.is_dir():
            skip(f"no data at {options.data}")
            return
        write_games(options.write, *_planted(options.data))
        print(f"written to {options.write}; move truth.json away from readers")
        return
    file = options.truth or options.read / "truth.json"
    if not file.is_file():
        parser.error(f"{file} is not there; say with --truth where it was moved")
    known = json.loads(file.read_text("utf-8"))
    for game in GAMES:
        truths = [Truth(**truth) for truth in known[game]]
        guesses = read_guesses(options.read, game, truths)
        if not guesses:
            print(f"{game}: nothing guessed yet")
            continue
        show_guesses(game, guesses, truths)
        if options.keep:
            keep_guesses(KEPT / f"{game}-{options.keep}.jsonl", guesses)


if __name__ == "__main__":
    main()
