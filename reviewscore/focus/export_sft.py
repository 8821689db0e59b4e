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
        texts = sum(tokens_in(len(message["content"])) for message in self.messages)
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
    exported_examples = _begun(materials, plan)
    results_folder(out, verb=VERB, marker=ACCOUNT, allow_foreign=allow_foreign)
    if not (out / ACCOUNT).exists():  # the folder is ours from now on, whatever happens
        write_whole(out / ACCOUNT, _NOT_COMPLETE)
    names = (*(f"{side}.jsonl" for side in SIDES), INDEX)
    drafts = {name: out / f".{name}.new" for name in names}
    try:
        _write(materials, papers, plan, exported_examples, drafts)
        if not exported_examples.examples:
            reasons = ", ".join(
                f"{count:,} {why}" for why, count in exported_examples.left_out.items() if count
            )
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
    write_whole(
        out / ACCOUNT, _account(exported_examples, plan, inputs, [out / name for name in names])
    )
    return exported_examples


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
    mine = [review for review in materials.all() if review.system == system]
    written = all(review.raw.strip() or review.points for review in mine)
    return ExportedExamples(system, plan.form or (TextForm.RAW if written else TextForm.JUDGMENTS))


def _write(
    materials: Materials,
    papers: Collection,
    plan: Plan,
    exported_examples: ExportedExamples,
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
                review
                for review in materials.papers.get(paper_id, [])
                if review.system == exported_examples.system
            ]
            before = exported_examples.examples[side]
            for example in _examples(paper_id, reviews, papers, plan, exported_examples):
                exported_examples.examples[side] += 1
                _put(example, f"{side}.jsonl", exported_examples, files)
            exported_examples.papers[side] += exported_examples.examples[side] > before
    finally:
        for file in files.values():
            file.close()


def _put(
    example: Example, name: str, exported_examples: ExportedExamples, files: dict[str, JsonLines]
) -> None:
    exported_examples.points += example.points
    exported_examples.not_exact += not example.exact
    exported_examples.longest = max(exported_examples.longest, example.tokens)
    # Nothing but messages: providers refuse fields that they do not know.
    files[name].append(json.dumps({"messages": example.messages}, ensure_ascii=False))
    placed = {
        "file": name,
        "line": exported_examples.examples[name.removesuffix(".jsonl")],
        "paper_id": example.paper_id,
        "review_ids": example.review_ids,
        "points": example.points,
        "tokens": example.tokens,
    }
    files[INDEX].append(json.dumps(placed, ensure_ascii=False))


def _examples(
    paper_id: str,
    reviews: Sequence[SystemReview],
    papers: Collection,
    plan: Plan,
    examples: ExportedExamples,
) -> Iterator[Example]:
    """The examples of one paper; what gives none is counted."""
    if not reviews:
        examples.left_out[NO_REVIEW] += 1
        return
    if paper_id not in papers.papers:
        examples.left_out[NO_TEXT] += 1
        return
    pairs = [(review, _points(review, examples.form)) for review in reviews]
    examples.left_out[NO_POINT] += sum(not points for _, points in pairs)
    pairs = [(review, points) for review, points in pairs if points]
    if not pairs:
        return
    try:
        paper = papers.paper(paper_id).as_reviewed
    except InputError:
        examples.left_out[NO_TEXT] += 1
        return
    if plan.per == "paper":
        merged = dict.fromkeys(point for _, points in pairs for point in points)
        parts = [(tuple(review.review_id for review, _ in pairs), list(merged))]
    else:
        parts = [((review.review_id,), points) for review, points in pairs]
    for names, points in parts:
        example = _example(paper, names, points)
        if example.tokens > plan.max_tokens:
            examples.left_out[TOO_LONG] += 1
        else:
            yield example


def _points(review: SystemReview, form: TextForm) -> list[tuple[Polarity, str]]:
    return [(point.polarity, plain(point.text)) for point in points_of(review, form)]


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
    exported_examples: ExportedExamples, plan: Plan, inputs: Sequence[Path], files: Sequence[Path]
) -> str:
    used = prompts.latest(PROMPT)
    settings = {**asdict(plan), "system": exported_examples.system, "form": exported_examples.form}
    account = {
        "schema": "reviewscore.sft/1",
        "reviewscore_version": __version__,
        "complete": True,
        "settings": settings,
        "tokens": "an estimate: characters / 4, and 4 a message",
        "prompt": {used.prompt_id: used.sha256},
        "inputs": hashes(inputs),
        "files": hashes(files),
        "examples": dict(exported_examples.examples),
        "papers": dict(exported_examples.papers),
        "points": exported_examples.points,
        "examples_read_back_otherwise": exported_examples.not_exact,
        "longest_tokens": exported_examples.longest,
        "left_out": {why: count for why, count in exported_examples.left_out.items() if count},
    }
    return json.dumps(account, indent=1, ensure_ascii=False) + "\n"
