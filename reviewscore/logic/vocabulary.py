"""One role and one number of arguments for each name of an argument, as its keys say.

A name that is a predicate here and a constant there, or has two arities, marks a bad translation
(12 % and 2 % of formalisations by models); the proof would treat it as two unrelated names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from reviewscore.errors import FormulaError
from reviewscore.logic.fol import is_numeral
from reviewscore.logic.parser import NameRole, ParsedFormula, Use

_KEY = re.compile(r"\s*([A-Za-z]\w*)\s*(?:\(\s*([^()]*?)\s*\))?\s*")


@dataclass(frozen=True, slots=True)
class Key:
    """What a name means.

    Attributes:
        name: The name.
        slots: Variables that stand in the meaning for the arguments, in order.
        meaning: A sentence (predicates), or words for an individual (constants, functions).
    """

    name: str
    slots: tuple[str, ...]
    meaning: str


def read_keys(keys: Mapping[str, str]) -> tuple[dict[str, Key], tuple[str, ...]]:
    """Keys by name, and the texts that are no ``Name`` or ``Name(x, y)``.

    Args:
        keys: ``Name(x)`` or ``Name`` to what it means; of two keys for a name the first counts.
    """
    found: dict[str, Key] = {}
    unread: list[str] = []
    for symbol, meaning in keys.items():
        match = _KEY.fullmatch(symbol)
        if match is None:
            unread.append(symbol)
            continue
        slots = tuple(word.strip() for word in match[2].split(",")) if match[2] else ()
        found.setdefault(match[1], Key(match[1], slots, " ".join(meaning.split())))
    return found, tuple(unread)


def conflicts(readings: Sequence[tuple[str, ParsedFormula]]) -> Iterator[tuple[str, FormulaError]]:
    """Each name that is used in two ways, once per way.

    Args:
        readings: Labels and parsed formulas, in order; the first use of a name counts as right.

    Yields:
        The label of the formula that disagrees, and an error at the place of the name in it.
    """
    first: dict[str, tuple[str, Use]] = {}
    rows: set[tuple[str, NameRole, int, str]] = set()
    for label, reading in readings:
        for use in reading.uses:
            where, known = first.setdefault(use.name, (label, use))
            way = (use.name, use.role, use.arity, use.spelled)
            if way in rows or _same(known, use):
                continue
            rows.add(way)
            yield label, reading.source.error(*_complaint(where, known, use), use.offset)


def undeclared(
    readings: Sequence[tuple[str, ParsedFormula]], keys: Mapping[str, Key]
) -> Iterator[tuple[str, FormulaError]]:
    """Each name that has no key, or a key with another number of arguments; once per name."""
    texts: set[str] = set()
    for label, reading in readings:
        for use in reading.uses:
            key = keys.get(use.name)
            if use.name in texts or is_numeral(use.name):
                continue
            if key is None:
                code, message = "undeclared", _without_key(use, keys)
            elif len(key.slots) != use.arity:
                code, message = (
                    "key-arity",
                    f"'{use.name}' has {use.arity} argument{'s' * (use.arity != 1)} here but "
                    f"{len(key.slots)} in its key; make both the same.",
                )
            else:
                continue
            texts.add(use.name)
            yield label, reading.source.error(code, message, use.offset)


def unused(
    readings: Sequence[tuple[str, ParsedFormula]], keys: Mapping[str, Key]
) -> tuple[str, ...]:
    """Names that have a key but occur in no formula."""
    used = {use.name for _, reading in readings for use in reading.uses}
    return tuple(name for name in keys if name not in used)


def _same(known: Use, use: Use) -> bool:
    return (known.role, known.arity, known.spelled) == (use.role, use.arity, use.spelled)


def _complaint(where: str, known: Use, use: Use) -> tuple[str, str]:
    before, here = _described(known), _described(use)
    if (known.role, known.arity) == (use.role, use.arity):
        return (
            "names-collapse",
            f"'{use.spelled}' here and '{known.spelled}' in {where} both read as {use.name}; write "
            "one thing with one name, of letters, digits and _ only.",
        )
    if known.role is use.role:
        return (
            "two-arities",
            f"'{use.name}' is {here} here but {before} in {where}; give it the same number of "
            "arguments everywhere.",
        )
    return (
        "two-roles",
        f"'{use.name}' is {here} here but {before} in {where}; use two different names.",
    )


def _without_key(use: Use, keys: Mapping[str, Key]) -> str:
    near = get_close_matches(use.name, list(keys), n=1)
    hint = f" did you mean {near[0]}?" if near else " add a key that says what it means."
    return f"'{use.name}' is not among the keys;{hint}"


def _described(use: Use) -> str:
    if use.role is NameRole.CONSTANT:
        return "the name of an individual"
    if use.arity == 0:
        return "a proposition without arguments"
    return f"a {use.role} with {use.arity} argument{'s' if use.arity > 1 else ''}"
