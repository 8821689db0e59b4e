"""The prompt of an evaluation model in parts, so that foreign text stays foreign.

Synopsis, candidate and reference come from outside and may hold a model's control markers
(``<|eot_id|>``, ``[INST]``). They are therefore never put into the prompt as text: the prompt is
rendered with a mark in each hole and cut at the marks, and each part is turned into tokens alone.
The synopsis stands before the candidate, so that all candidates on a paper share a beginning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reviewscore import prompts
from reviewscore.errors import SettingsError
from reviewscore.gem.evaluation import Question
from reviewscore.hf.models import TokenPart
from reviewscore.papers.hidden import without_unseen
from reviewscore.papers.hygiene import broken_up, without_surrogates

Turns = list[dict[str, str]]
Template = Callable[[Turns], str]
"""A chat template: turns of a conversation as the text that ends where the reply begins."""

_MARKS = ("7c1eSYNOPSISf02b", "7c1eCANDIDATEf02b")


@dataclass(frozen=True, slots=True)
class Layout:
    """The fixed texts around synopsis and candidate.

    Attributes:
        before: What stands before the synopsis.
        between: What stands between synopsis and candidate.
        after: What stands between the candidate and the reference, whose tokens follow at once.
        absent: What stands where there is no synopsis, or no candidate.
        chat: Whether the fixed texts are those of a chat template, markers included.
    """

    before: str
    between: str
    after: str
    absent: str
    chat: bool

    def context(
        self, question: Question
    ) -> tuple[TokenPart, TokenPart, TokenPart, TokenPart, TokenPart]:
        """All that stands before the reference; the first three parts do not tell the candidate."""
        return (
            TokenPart(self.before, foreign=False),
            self._filled(question.synopsis),
            TokenPart(self.between, foreign=False),
            self._filled(question.candidate),
            TokenPart(self.after, foreign=False),
        )

    def _filled(self, text: str | None) -> TokenPart:
        shown = without_unseen(text or "")
        if not shown.strip():
            return TokenPart(self.absent, foreign=False)
        return TokenPart(str(without_surrogates(shown)), foreign=True)


def reference_of(question: Question) -> str:
    """The text that is scored, as it can be encoded."""
    return str(without_surrogates(without_unseen(question.reference)))


def plain_layout() -> Layout:
    """The prompt for models without a chat template; the reference begins after an empty line."""
    task, item = _rendered()
    return _cut(f"{task}\n\n{item}\n\n", chat=False)


def chat_layout(template: Template) -> Layout:
    """The prompt inside a chat template: the task as system turn, the rest as the user's.

    Templates that have no system turn get the task at the head of the user's.

    Args:
        template: Renders turns up to where the reply begins; raises ValueError if it cannot.

    Raises:
        SettingsError: The template loses or repeats a part of the prompt.
    """
    problem: Exception | None = None
    task, _ = _rendered()
    for turns in forms():
        try:
            text = template(turns)
            if task not in text:
                raise ValueError("the chat template loses the task")
            return _cut(text, chat=True)
        except ValueError as error:
            problem = error
    raise SettingsError(f"the model's chat template cannot be used: {problem}") from problem


def forms() -> tuple[Turns, Turns]:
    """The prompt as turns, for a chat template: with a system turn, and without one."""
    task, item = _rendered()
    return (
        [{"role": "system", "content": task}, {"role": "user", "content": item}],
        [{"role": "user", "content": f"{task}\n\n{item}"}],
    )


def turns(question: Question) -> Turns:
    """The filled prompt as turns of a conversation, for programs that have their own template.

    Control markers of synopsis and candidate are broken up, since such a program reads them.
    """
    parts = plain_layout().context(question)
    before, synopsis, between, candidate, _ = (
        broken_up(part.text) if part.foreign else part.text for part in parts
    )
    task, _ = _rendered()
    user = f"{before.removeprefix(task).lstrip()}{synopsis}{between}{candidate}"
    return [{"role": "system", "content": task}, {"role": "user", "content": user}]


def _rendered() -> tuple[str, str]:
    synopsis, candidate = _MARKS
    rendered = prompts.render("gem_predict", synopsis=synopsis, candidate=candidate)
    return rendered.task, rendered.item


def _cut(text: str, *, chat: bool) -> Layout:
    """Cut a rendered prompt at the marks.

    Raises:
        ValueError: A mark is not there exactly once, or not in order.
    """
    first, second = _MARKS
    before, mark, rest = text.partition(first)
    between, other, after = rest.partition(second)
    if not mark or not other or first in rest or second in after:
        raise ValueError("the chat template loses, repeats or swaps what is put into it")
    return Layout(before, between, after, prompts.render("gem_absent").text, chat)
