"""Formulas in English by templates, with the keys; and whether an English text says a formula.

The templates are stiff but exact: every connective and quantifier keeps its place. Where a name
has no key, or a key has no place for an argument, there is no template and a model must write.

What the prover found is told with them: how an argument can fail, and what it lacks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from reviewscore.logic import fol
from reviewscore.logic.countermodel import UNNAMED, Model
from reviewscore.logic.printer import to_text
from reviewscore.logic.vocabulary import Key
from reviewscore.schema.proof import Link

_LOWERED = frozenset(
    (
        *("the", "a", "an", "this", "that", "these", "those", "there", "it", "its"),
        *("they", "their", "in", "on", "at", "for", "by", "with", "all", "every", "each"),
        *("some", "any", "no", "none", "if", "when", "one", "most", "many", "few"),
        *("several", "what", "only", "results", "we"),
    )
)
"""First words of a meaning that are no names, so that they begin with a small letter inside."""

_STOP = _LOWERED | frozenset(
    (
        *("is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does"),
        *("did", "of", "to", "from", "and", "or", "not", "as", "than", "then", "which"),
        *("who", "whose", "can", "must", "should", "would", "could", "will", "may"),
        *("might", "such", "so", "both", "either"),
    )
)
_ARTICLES = frozenset(["a", "i", "an"])
LONGEST = 10_000
"""Characters of a sentence; a longer one is no help to a reader, and meanings that repeat their
variables would let sentences grow without end."""
_PREFIX = 5
"""Words that agree in so many first letters count as forms of one word."""


class _NoWordsError(Exception):
    """A name has no key that could stand in a sentence, or the sentence would be too long."""


def sentence(formula: fol.Formula, keys: Mapping[str, Key]) -> str | None:
    """One English sentence that says what the formula says; None if a key is missing.

    Args:
        formula: A closed formula.
        keys: What its names mean.
    """
    try:
        text = _clause(formula, keys)
    except _NoWordsError:
        return None
    return f"{text[0].upper()}{text[1:]}."


def clause(formula: fol.Formula, keys: Mapping[str, Key]) -> str | None:
    """Like `sentence`, to stand inside another one."""
    try:
        return _clause(formula, keys)
    except _NoWordsError:
        return None


def individual(name: str, keys: Mapping[str, Key]) -> str:
    """The words for an individual: its key's, or its own name."""
    key = keys.get(name)
    return _inside(key.meaning) if key and not key.slots else name


def fact(name: str, individuals: tuple[str, ...], keys: Mapping[str, Key]) -> str:
    """What holds of individuals, in the words of the key; as a formula where there is none."""
    words = tuple(individual(text, keys) for text in individuals)
    if name == fol.LESS:
        return f"{words[0]} is less than {words[1]}"
    try:
        return _filled(keys.get(name), words)
    except _NoWordsError:
        return f"{name}({', '.join(individuals)})" if individuals else name


def unsaid(text: str, formula: fol.Formula, keys: Mapping[str, Key]) -> tuple[str, ...]:
    """Names of the formula of whose meaning the text says less than half.

    A name counts as said if half of the content words of its meaning stand in the text, in any
    form. Names without a key cannot be looked for.

    Args:
        text: English that should say what the formula says.
        formula: The formula.
        keys: What its names mean.
    """
    said = _content(text, frozenset())
    missing = []
    for name in _names(formula):
        key = keys.get(name)
        wanted = _content(key.meaning, frozenset(key.slots)) if key else frozenset[str]()
        if wanted and 2 * len(wanted & said) < len(wanted):
            missing.append(name)
    return tuple(missing)


def _names(formula: fol.Formula) -> list[str]:
    vocabulary = fol.symbols(formula)
    named = {name for name, _ in (*vocabulary.predicates, *vocabulary.functions)}
    return sorted((named | vocabulary.constants) - {fol.LESS})


def _content(text: str, without: frozenset[str]) -> frozenset[str]:
    words = re.findall(r"\w+", text)
    return frozenset(
        word.lower()[:_PREFIX]
        for word in words
        if word not in without and word.lower() not in _STOP
    )


def _clause(formula: fol.Formula, keys: Mapping[str, Key]) -> str:
    match formula:
        case fol.Atom() | fol.Equal():
            return _atomic(formula, keys)
        case fol.Not(body):
            return _negated(body, keys)
        case fol.ForAll() | fol.Exists():
            return _quantified(formula, keys)
        case fol.Implies(left, right):
            return f"if {_side(left, keys)}, then {_side(right, keys)}"
    parts = [_part(part, keys) for part in fol.parts_of(formula)]
    if sum(map(len, parts)) > LONGEST:
        raise _NoWordsError
    if isinstance(formula, fol.Xor):
        return f"either {parts[0]} or {parts[1]}, but not both"
    words = {fol.And: " and ", fol.Or: " or ", fol.Iff: " exactly if "}
    return words[type(formula)].join(parts)


def _atomic(formula: fol.Atom | fol.Equal, keys: Mapping[str, Key]) -> str:
    match formula:
        case fol.Equal(left, right):
            return f"{_term(left, keys)} is the same as {_term(right, keys)}"
        case fol.Atom(name, (left, right)) if name == fol.LESS:
            return f"{_term(left, keys)} is less than {_term(right, keys)}"
        case fol.Atom(name, terms):
            return _filled(keys.get(name), tuple([_term(term, keys) for term in terms]))


def _negated(body: fol.Formula, keys: Mapping[str, Key]) -> str:
    match body:
        case fol.Equal(left, right):
            return f"{_term(left, keys)} is not the same as {_term(right, keys)}"
        case fol.Atom(name, (left, right)) if name == fol.LESS:
            return f"{_term(left, keys)} is at least {_term(right, keys)}"
        case fol.Exists(variable, inner):
            return f"there is no {variable} such that {_side(inner, keys)}"
    return f"it is not the case that {_part(body, keys)}"


def _quantified(formula: fol.Quantified, keys: Mapping[str, Key]) -> str:
    variables = [formula.variable]
    body = formula.body
    while type(body) is type(formula) and isinstance(body, fol.Quantified):
        variables.append(body.variable)
        body = body.body
    listed = " and ".join(variables)
    if isinstance(formula, fol.ForAll):
        return f"for every {listed}, {_side(body, keys)}"
    return f"there is some {listed} such that {_side(body, keys)}"


def _side(formula: fol.Formula, keys: Mapping[str, Key]) -> str:
    """A part whose reach the words around it make plain, unless it holds an arrow on the left."""
    text = _clause(formula, keys)
    return f"({text})" if isinstance(formula, fol.Iff | fol.Xor) else text


def _part(formula: fol.Formula, keys: Mapping[str, Key]) -> str:
    text = _clause(formula, keys)
    plain = isinstance(formula, fol.Atom | fol.Equal) or (
        isinstance(formula, fol.Not) and isinstance(fol.parts_of(formula)[0], fol.Atom | fol.Equal)
    )
    return text if plain else f"({text})"


def _term(term: fol.Term, keys: Mapping[str, Key]) -> str:
    match term:
        case fol.Var(name):
            return name
        case fol.Const(name) if fol.is_numeral(name):
            return name
        case fol.Const(name):
            return _filled(keys.get(name), ())
        case fol.Func(name, terms):
            return _filled(keys.get(name), tuple([_term(term, keys) for term in terms]))


def _filled(key: Key | None, words: tuple[str, ...]) -> str:
    """The meaning with words in place of the key's variables.

    Raises:
        _NoWordsError: There is no key, or no place in it for one of the words, or too many.
    """
    if key is None or len(key.slots) != len(words) or not key.meaning.strip(" ."):
        raise _NoWordsError
    places = Counter(re.findall(r"\w+", key.meaning))
    if any(slot not in places or slot.lower() in _ARTICLES for slot in key.slots):
        raise _NoWordsError
    values = dict(zip(key.slots, words, strict=True))
    if sum(places[slot] * len(words) for slot, words in values.items()) > LONGEST:
        raise _NoWordsError
    # Later words are not looked through for variables: all are put in at once.
    return _inside(re.sub(r"\w+", lambda word: values.get(word[0], word[0]), key.meaning))


def _inside(meaning: str) -> str:
    """A meaning as it stands inside a sentence."""
    text = " ".join(meaning.split()).rstrip(" .")
    first = re.match(r"\w+", text)
    return text[0].lower() + text[1:] if first and first[0].lower() in _LOWERED else text


_MAX_FACTS = 12
"""A story with more facts is no help to a reader."""


def story(model: Model, conclusion: fol.Formula, keys: Mapping[str, Key]) -> str | None:
    """How all premises can be true while the conclusion is false; None if it would be long.

    Args:
        model: Makes the premises true and the conclusion false.
        conclusion: The conclusion.
        keys: What names mean.
    """
    texts = sorted(
        fact(name, individuals, keys)
        for name, individuals in model.facts
        if not all(map(fol.is_numeral, individuals)) or not individuals
    )
    given = sorted(
        f"{_application(name, individuals, keys)} is {individual(value, keys)}"
        for (name, individuals), value in model.values.items()
        if individuals or name != value
    )
    if len(texts) + len(given) > _MAX_FACTS:
        return None
    scene = _scene(model, keys)
    holds = "; ".join((*given, *texts))
    situation = f"It could be that only this holds: {holds}" if holds else "Suppose nothing holds"
    denied = clause(fol.Not(conclusion), keys) or "the conclusion is false"
    return (
        f"All premises can be true while the conclusion is false. {scene}{situation}; "
        f"and yet {denied}."
    )


def _scene(model: Model, keys: Mapping[str, Key]) -> str:
    """Who and what there is, unless all is said without individuals."""
    spoken = any(individuals for _, individuals in model.facts) or bool(model.values)
    if not spoken and set(model.domain) <= set(UNNAMED):
        return ""
    return f"Suppose there is only {_listed([individual(text, keys) for text in model.domain])}. "


def _application(name: str, individuals: tuple[str, ...], keys: Mapping[str, Key]) -> str:
    return fact(name, individuals, keys) if individuals else individual(name, keys)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def missing_link(
    premises: Sequence[fol.Formula], conclusion: fol.Formula, keys: Mapping[str, Key]
) -> Link | None:
    """The weakest premise that would make an argument valid: if all of them, then the conclusion.

    Whatever else would make it valid implies this. None if it would be long.
    """
    if not premises:
        link = conclusion
    else:
        link = fol.Implies(
            premises[0] if len(premises) == 1 else fol.And(tuple(premises)), conclusion
        )
    formula = to_text(link)
    if len(formula) > LONGEST:
        return None
    string = clause(link, keys)
    return Link(formula=formula, text=f"{string[0].upper()}{string[1:]}." if string else formula)
