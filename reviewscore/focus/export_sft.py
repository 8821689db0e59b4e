"""Papers and their reviews as chats to fine-tune a reviewer on. Entry point: `export_sft`.

One chat a line, as OpenAI's fine-tuning takes it (Shin et al. 2025, arXiv 2502.17086, app. A.3):
the task, the paper, and its strengths and weaknesses in one layout. Papers are for training or for
testing, never for both.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from reviewscore import __version__, prompts
from reviewscore.errors import InputError, RunFolderError
from reviewscore.files import JsonLines, results_folder, write_whole
from reviewscore.focus.facets import Polarity
from reviewscore.focus.points import points_of
from reviewscore.focus.references import EXPERTS, plain
from reviewscore.llm.prices import tokens_in
from reviewscore.papers.hygiene import broken_up
from reviewscore.schema.paper import Paper
from reviewscore.sources.collection import Collection
from reviewscore.sources.system_reviews import PEOPLE, Materials, SystemReview, TextForm
from reviewscore.stats.writing import hashes

Per: TypeAlias = Literal["review", "paper"]
Side: TypeAlias = Literal["train", "test"]

VERB, ACCOUNT, INDEX = "focus export-sft", "sft.json", "index.jsonl"
PROMPT = "focus_review"
TEST_SHARE = 98 / 680
"""Share of papers for testing: 98 of 680 (app. A.3.1)."""
MAX_TOKENS = 65_536
"""Most tokens of a training example of gpt-4o and gpt-4o-mini; what is over it would be cut off.

Microsoft's table of fine-tuning models ("training example context length", Azure OpenAI).
"""
SIDES: tuple[Side, ...] = ("train", "test")
NOTHING = "None."
"""Entry of a list without a point; the splitter takes it for none."""
NO_TEXT = "papers without a text"
NO_REVIEW = "papers without a review by the system"
NO_POINT = "reviews without a strength or weakness"
TOO_LONG = "examples over the limit of tokens"

_NOT_COMPLETE = '{"complete": false}\n'
_HEADINGS = {Polarity.STRENGTH: "Strengths:", Polarity.WEAKNESS: "Weaknesses:"}
_PER_MESSAGE = 4
"""Tokens around a message: its role and its ends."""


@dataclass(frozen=True)
class Plan:
    """What is written.

    Attributes:
        system: Whose reviews are the answers; None means `EXPERTS` if there are any, else people.
        per: One example a review, or one a paper with the points of all its reviews.
        form: Which text points come from; None means as written if every review of the system has
            that, else judgments.
        test_share: Share of papers for testing, 0..1.
        seed: Of the split.
        max_tokens: Longer examples are left out.
    """

    system: str | None = None
    per: Per = "review"
    form: TextForm | None = None
    test_share: float = TEST_SHARE
    seed: int = 0
    max_tokens: int = MAX_TOKENS


@dataclass(frozen=True)
class Example:
    """One chat.

    Attributes:
        review_ids: The reviews that the answer is of.
        points: How many strengths and weaknesses it has, together.
        exact: Whether the splitter reads back exactly these points from the answer.
        messages: System, user and assistant.
    """

    paper_id: str
    review_ids: tuple[str, ...]
    points: int
    exact: bool
    messages: tuple[dict[str, str], ...]

    @property
    def tokens(self) -> int:
        """Estimated by this project's rule: four characters each, and some for each message."""
        texts = sum(tokens_in(len(one["content"])) for one in self.messages)
        return texts + _PER_MESSAGE * len(self.messages)


@dataclass
class ExportedExamples:
    """What was written.

    Attributes:
        system: Whose reviews the answers are.
        form: Which text points came from.
        examples: By side.
        papers: By side; those that gave an example.
        points: In all examples.
        not_exact: Examples whose points the splitter reads otherwise out of the answer.
        longest: Most tokens of an example that was written.
        left_out: Papers, reviews and examples, by reason.
    """

    system: str
    form: TextForm
    examples: Counter[str] = field(default_factory=Counter)
    papers: Counter[str] = field(default_factory=Counter)
    points: int = 0
    not_exact: int = 0
    longest: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def side_of(paper_id: str, share: float, seed: int) -> Side:
    """Whether a paper is for training or testing; no other paper has a say in it.

    Args:
        paper_id: The paper.
        share: Of papers for testing, 0..1.
        seed: Another one gives another split.
    """
    digest = hashlib.sha256(f"{seed}:{paper_id}".encode()).digest()
    return "test" if int.from_bytes(digest[:8], "big") < share * 2**64 else "train"


def answer_of(points: Sequence[tuple[Polarity, str]]) -> str:
    """Points, each of one line, in the layout that the prompt asks for."""
    lists = []
    for polarity, heading in _HEADINGS.items():
        lines = [f"- {text}" for side, text in points if side is polarity]
        lists.append("\n".join([heading, "", *(lines or [f"- {NOTHING}"])]))
    return "\n\n".join(lists)


def export_sft(
    materials: Materials,
    papers: Collection,
    out: Path,
    plan: Plan | None = None,
    *,
    allow_foreign: bool = False,
) -> ExportedExamples:
    """Write ``train.jsonl``, ``test.jsonl``, what is in each of their lines, and an account.

    Files are written beside the old ones and then take their place; the account, which holds
    their hashes, comes last, and says that it is not complete meanwhile.

    Args:
        materials: The reviews.
        papers: Their papers; read one at a time.
        out: The folder.
        plan: What is written.
        allow_foreign: Write into a folder that holds other things.

    Raises:
        InputError: There are no reviews of the system, or nothing is left to write.
        RunFolderError: The folder holds other things, or cannot be written.
    """
    plan = plan or Plan()
    told = _begun(materials, plan)
    results_folder(out, verb=VERB, marker=ACCOUNT, allow_foreign=allow_foreign)
    if not (out / ACCOUNT).exists():  # the folder is ours from now on, whatever happens
        write_whole(out / ACCOUNT, _NOT_COMPLETE)
    names = (*(f"{side}.jsonl" for side in SIDES), INDEX)
    drafts = {name: out / f".{name}.new" for name in names}
    try:
        _write(materials, papers, plan, told, drafts)
        if not told.examples:
            reasons = ", ".join(f"{count:,} {why}" for why, count in told.left_out.items() if count)
            raise InputError(
                f"nothing is left to write ({reasons})",
                file=materials.files[0] if materials.files else None,
                cure="give papers with texts and reviews with strengths or weaknesses",
            )
        _put_in_place(drafts, out)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    inputs = [*materials.files, *papers.files]
    write_whole(out / ACCOUNT, _account(told, plan, inputs, [out / name for name in names]))
    return told


def _put_in_place(drafts: dict[str, Path], out: Path) -> None:
    write_whole(out / ACCOUNT, _NOT_COMPLETE)
    for name, draft in drafts.items():
        try:
            draft.replace(out / name)
        except OSError as error:
            raise RunFolderError(f"{out / name}: {error.strerror}; name another folder") from error


def _begun(materials: Materials, plan: Plan) -> ExportedExamples:
    systems = materials.systems()
    system = plan.system or (EXPERTS if EXPERTS in systems else PEOPLE)
    if system not in systems:
        raise InputError(
            f"no reviews of system '{system}'",
            file=materials.files[0] if materials.files else None,
            cure=f"there are: {', '.join(systems)} (--system)",
        )
    mine = [one for one in materials.all() if one.system == system]
    written = all(one.raw.strip() or one.points for one in mine)
    return ExportedExamples(system, plan.form or (TextForm.RAW if written else TextForm.JUDGMENTS))


def _write(
    materials: Materials,
    papers: Collection,
    plan: Plan,
    told: ExportedExamples,
    drafts: dict[str, Path],
) -> None:
    files: dict[str, JsonLines] = {}
    try:
        for name, draft in drafts.items():
            draft.unlink(missing_ok=True)
            files[name] = JsonLines(draft)
        for paper_id in dict.fromkeys((*materials.papers, *papers.papers)):
            side = side_of(paper_id, plan.test_share, plan.seed)
            reviews = [
                one for one in materials.papers.get(paper_id, []) if one.system == told.system
            ]
            before = told.examples[side]
            for one in _examples(paper_id, reviews, papers, plan, told):
                told.examples[side] += 1
                _put(one, f"{side}.jsonl", told, files)
            told.papers[side] += told.examples[side] > before
    finally:
        for file in files.values():
            file.close()


def _put(one: Example, name: str, told: ExportedExamples, files: dict[str, JsonLines]) -> None:
    told.points += one.points
    told.not_exact += not one.exact
    told.longest = max(told.longest, one.tokens)
    # Nothing but messages: providers refuse fields that they do not know.
    files[name].append(json.dumps({"messages": one.messages}, ensure_ascii=False))
    placed = {
        "file": name,
        "line": told.examples[name.removesuffix(".jsonl")],
        "paper_id": one.paper_id,
        "review_ids": one.review_ids,
        "points": one.points,
        "tokens": one.tokens,
    }
    files[INDEX].append(json.dumps(placed, ensure_ascii=False))


def _examples(
    paper_id: str,
    reviews: Sequence[SystemReview],
    papers: Collection,
    plan: Plan,
    told: ExportedExamples,
) -> Iterator[Example]:
    """The examples of one paper; what gives none is counted."""
    if not reviews:
        told.left_out[NO_REVIEW] += 1
        return
    if paper_id not in papers.papers:
        told.left_out[NO_TEXT] += 1
        return
    found = [(one, _points(one, told.form)) for one in reviews]
    told.left_out[NO_POINT] += sum(not points for _, points in found)
    found = [(one, points) for one, points in found if points]
    if not found:
        return
    try:
        paper = papers.paper(paper_id).as_reviewed
    except InputError:
        told.left_out[NO_TEXT] += 1
        return
    if plan.per == "paper":
        merged = dict.fromkeys(point for _, points in found for point in points)
        parts = [(tuple(one.review_id for one, _ in found), list(merged))]
    else:
        parts = [((one.review_id,), points) for one, points in found]
    for names, points in parts:
        example = _example(paper, names, points)
        if example.tokens > plan.max_tokens:
            told.left_out[TOO_LONG] += 1
        else:
            yield example


def _points(review: SystemReview, form: TextForm) -> list[tuple[Polarity, str]]:
    return [(one.polarity, plain(one.text)) for one in points_of(review, form)]


def _example(
    paper: Paper, review_ids: tuple[str, ...], points: Sequence[tuple[Polarity, str]]
) -> Example:
    # Markers of chats in a paper would be read as such by trainers that fill in templates.
    rendered = prompts.render(PROMPT, title=broken_up(paper.title), text=broken_up(paper.text))
    said = [(side, broken_up(text)) for side, text in points]
    answer = answer_of(said)
    turns = (("system", rendered.task), ("user", rendered.item), ("assistant", answer))
    messages = tuple({"role": role, "content": content} for role, content in turns)
    back = _points(SystemReview(paper.paper_id, "", None, "", answer, ""), TextForm.RAW)
    exact = back == sorted(said, key=lambda point: point[0])  # strengths first, as in the answer
    return Example(paper.paper_id, review_ids, len(points), exact, messages)


def _account(
    told: ExportedExamples, plan: Plan, inputs: Sequence[Path], files: Sequence[Path]
) -> str:
    used = prompts.latest(PROMPT)
    settings = {**asdict(plan), "system": told.system, "form": told.form}
    account = {
        "schema": "reviewscore.sft/1",
        "reviewscore_version": __version__,
        "complete": True,
        "settings": settings,
        "tokens": "an estimate: characters / 4, and 4 a message",
        "prompt": {used.prompt_id: used.sha256},
        "inputs": hashes(inputs),
        "files": hashes(files),
        "examples": dict(told.examples),
        "papers": dict(told.papers),
        "points": told.points,
        "examples_read_back_otherwise": told.not_exact,
        "longest_tokens": told.longest,
        "left_out": {why: count for why, count in told.left_out.items() if count},
    }
    return json.dumps(account, indent=1, ensure_ascii=False) + "\n"
