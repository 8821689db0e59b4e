"""What decides the records of a run, and whether two runs were made alike.

The decisive values of a run are plain: its settings, the sum of each prompt that it uses and of
each input, and the versions of the methods that are this package's own code. The version of the
package is none of them: what did not change between two versions gives the same records.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping

from reviewscore.config import EMBEDDED, Plain, Settings
from reviewscore.schema.record import Record

INPUT = "input "
"""Begins the name of a decisive value that is the sum of an input file."""
PROMPT = "prompt "
"""Begins the name of a decisive value that is the sum of a prompt."""
METHOD = "method "
"""Begins the name of a decisive value that is the version of a method of the package's own."""
FRAME = ("role", "reply_format", "answer_now", "ask_again")
"""Prompts that every question to a model is put with."""

_ALL_PROMPTS = "reviewscore_version"
"""Decisive once, together with every prompt of the package, used or not."""
_PROMPT_ID = re.compile(rf"{PROMPT}(?P<name>.+)/v(?P<version>\d+)")


class Difference(Record):
    """A decisive value that two runs do not share.

    Attributes:
        name: Of the value: a setting, ``prompt ID`` or ``input N FILE``.
        before: Value in the first run; None if it has none.
        now: Value in the second.
    """

    name: str
    before: Plain = None
    now: Plain = None

    @property
    def words(self) -> str:
        """The difference in words."""
        if self.name.startswith(INPUT):
            name = self.name.split(" ", 2)[2]
            return f"the input file {name} is another one, or has changed"
        if self.name.startswith(PROMPT):
            if self.now is None:
                return f"the {self.name} is no longer used"
            return f"the {self.name} {'was not used' if self.before is None else 'has changed'}"
        return f"{self.name} was {self.before!r} and is now {self.now!r}"


def prompt_names(decisive: Mapping[str, Plain]) -> tuple[str, ...]:
    """The prompts that an audit can put to a model, by its settings.

    Args:
        decisive: Settings as `Settings.decisive` gives them.
    """
    if decisive["model"] == EMBEDDED:
        return ()
    economy = decisive["protocol"] == "economy"
    names = [*FRAME, "paper", "text_lacks", "question_answerability", "claim_factuality"]
    names += ["point_type"] if economy else ["is_argument", "is_question"]
    if decisive["points"] != "rules":
        names.append("split_points")
    if decisive["score"] != "base":
        names += ["extract_argument", "reconstruct_argument", "formulas", "streamline"]
        names += ["faithfulness", "feedback", "premise_factuality"]
        names += ["premises_factuality"] if economy else []
    return tuple(names)


def differences(
    old: Mapping[str, Plain], new: Mapping[str, Plain], *, inputs: bool = True
) -> tuple[Difference, ...]:
    """All decisive values that differ, by name; one that is absent has its default.

    Args:
        old: Decisive values of one run.
        new: Those of another.
        inputs: Whether what was judged counts too, or only how.
    """
    before, now = in_use(old), in_use(new)
    both = _Defaults(before), _Defaults(now)
    values = (
        (name, before.get(name, both[0].of(name)), now.get(name, both[1].of(name)))
        for name in sorted(before.keys() | now.keys())
        if inputs or not of_input(name)
    )
    return tuple(
        Difference(name=name, before=one, now=other) for name, one, other in values if one != other
    )


def first_difference(old: Mapping[str, Plain], new: Mapping[str, Plain]) -> str | None:
    """The first decisive value that differs, in words; None if all are equal."""
    found = differences(old, new)
    return found[0].words if found else None


def sum_of(decisive: Mapping[str, Plain], *, inputs: bool = True) -> str:
    """SHA-256 of what is decisive; the same for runs that do not differ.

    Args:
        decisive: Decisive values of a run.
        inputs: As in `differences`.
    """
    used = in_use(decisive)
    defaults = _Defaults(used)
    kept = sorted(
        (name, value)
        for name, value in used.items()
        if value != defaults.of(name) and (inputs or not of_input(name))
    )
    return hashlib.sha256(repr(kept).encode()).hexdigest()


def in_use(decisive: Mapping[str, Plain]) -> Mapping[str, Plain]:
    """Decisive values without the prompts that the run did not use, where all were written down.

    Until only what is used was decisive, a manifest held the sums of all prompts, and the version
    of the package.
    """
    if _ALL_PROMPTS not in decisive:
        return decisive
    names = prompt_names({**_Defaults(decisive).settings, **decisive})
    latest: dict[str, int] = {}
    for name, version in _prompts(decisive):
        latest[name] = max(version, latest.get(name, 0))
    kept = {f"{PROMPT}{name}/v{latest[name]}" for name in names if name in latest}
    return {
        name: value
        for name, value in decisive.items()
        if name in kept or not (name == _ALL_PROMPTS or name.startswith(PROMPT))
    }


def of_input(name: str) -> bool:
    """Whether a decisive value says what was judged, and not how."""
    return name.startswith(INPUT) or name == "year"


def of_the_same_prompts(
    one: Mapping[str, Plain], other: Mapping[str, Plain]
) -> tuple[dict[str, Plain], dict[str, Plain]]:
    """Decisive values of two runs without prompts of which only one has any version."""
    shared = {name for name, _ in _prompts(one)} & {name for name, _ in _prompts(other)}

    def kept(name: str) -> bool:
        found = _PROMPT_ID.fullmatch(name)
        return found is None or found["name"] in shared

    first, second = ({name: side[name] for name in side if kept(name)} for side in (one, other))
    return first, second


def _prompts(decisive: Mapping[str, Plain]) -> Iterator[tuple[str, int]]:
    for name in decisive:
        if (found := _PROMPT_ID.fullmatch(name)) is not None:
            yield found["name"], int(found["version"])


class _Defaults:
    """What values that a run did not write down had: it was made before there were any."""

    def __init__(self, decisive: Mapping[str, Plain]) -> None:
        model = decisive.get("model")
        known = Settings(model=model) if isinstance(model, str) else Settings(model="any/model")
        self.settings = known.decisive()

    def of(self, name: str) -> Plain:
        """The value that an absent one stands for; methods are counted from 1."""
        if name.startswith(METHOD):
            return 1
        return None if name == "model" else self.settings.get(name)
