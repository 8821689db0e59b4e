"""What a review point asks for or says is missing, as words that a passage would have to hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from reviewscore.judges.lexical.forms import denies
from reviewscore.judges.lexical.lexicon import Aspect, aspects_in
from reviewscore.text.stems import content_stems, stem, words


@dataclass(frozen=True)
class WantedContent:
    """The wanted or denied content of one sentence of a point.

    Attributes:
        aspects: Review aspects it names, in lexicon order.
        parts: Stems of the other content words: each must be found for a flag.
        query: Stems to retrieve passages by: the parts and the words that named the aspects.
        comparison: Whether it asks for a comparison.
        sensitivity: Whether it asks how results change with something.
        number: Whether the answer is a number.
        definition: Whether it asks how something is defined or computed, or says that is missing.
        name: Whether it asks what something named means, or says that is missing.
        listing: Whether the answer is a list of names.
        manner: Whether it asks how or why, which no caption answers.
        vague: Whether it asks for a comparison with things it does not name.
        rivals: Stems of the names that something is to be compared with.
        joined: Whether aspects that stand on their own are listed side by side.
    """

    aspects: tuple[Aspect, ...]
    parts: tuple[str, ...]
    query: tuple[str, ...]
    comparison: bool
    sensitivity: bool
    number: bool
    definition: bool
    name: bool
    listing: bool
    manner: bool
    vague: bool
    rivals: tuple[str, ...]
    joined: bool

    @property
    def empty(self) -> bool:
        """Whether nothing is named that could be looked up."""
        return not self.aspects and not self.parts


_LEAD = re.compile(
    r"^(?:(?:lack of (?:empirical |clear )?[\w ]{0,30}:)|[A-Z][\w /-]{2,40}:)\s+", re.UNICODE
)
_TAIL = re.compile(
    r",? (?:which|making|raising|leading to|limiting|thus|therefore|hence|so that|although|though"
    r"|even though|despite|because|since|and this|as this|as it|given|especially|in order to"
    r"|to (?:validate|support|demonstrate|justify|show|verify|understand|isolate|assess|prove"
    r"|substantiate|confirm|better|help|make|strengthen|evaluate|allow|quantify|determine|ensure"
    r"|facilitate|contextualize))\b.*$",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"[,;]? (?:but|however|yet|because|since(?! \d)|although|though|while|whereas)\b[,]? ",
    re.IGNORECASE,
)
"""Words at which a sentence turns from one statement to another."""
_COMPARISON = re.compile(
    r"\b(?:compar\w+|versus|vs\.?|(?:better|worse|faster|slower|higher|lower|different"
    r"|differ\w*) (?:than|from)|relative to|outperform\w*|benchmark(?:ed|ing))\b",
    re.IGNORECASE,
)
_PROPER = re.compile(r"\b[A-Za-z]*[A-Z][\w+-]*[A-Z\d][\w+-]*")
"""A name as papers give them to methods: with a capital and a further capital or digit."""
_CAPITALISED = re.compile(r"\b[A-Za-z]*[A-Z][\w+-]*")
_EXAMPLES = re.compile(r"\b(?:like|such as|e\.g\.,?|including|for example)\b", re.IGNORECASE)
_AND = re.compile(r"\b(?:and|or)\b", re.IGNORECASE)
_VAGUE = re.compile(
    r"\b(?:other|another|recent\w*|newer|latest|state-of-the-art|state of the art|sota|alternative"
    r"|not (?:mentioned|included|covered)|modern|advanced|very)\b",
    re.IGNORECASE,
)
"""Things to compare with that are not named, so that nothing quoted can be known to be them."""
_SENSITIVITY = re.compile(
    r"\bsensitiv\w*|\bhow (?:does|do|is|are|did) [^?]{0,80}\b(?:vary|varies|change[sd]?|affect(?:s"
    r"|ed)?|depend(?:s|ed)?|influence[sd]?|impact(?:s|ed)?|degrade[sd]?)\b|\b(?:effects?|impact"
    r"|influence|role) of\b|\brobust\w* (?:is|are) [^?]{0,60} to\b|\brobust to\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"\bhow (?:is|are|was|were) [^?]{0,80}\b(?:calculated|computed|defined|determined|measured"
    r"|chosen|selected|obtained|estimated|constructed|updated|trained|initiali[sz]ed|sampled"
    r"|generated|derived|normali[sz]ed|implemented|set)\b|\bhow (?:do|does|did) (?:you|they|it"
    r"|the authors) (?:calculate|compute|define|determine|measure|choose|select|obtain|estimate"
    r"|construct|update|train|initiali[sz]e|sample|generate|derive|normali[sz]e|implement|set)\b"
    r"|\bwhat (?:is|are|does|do) (?:the )?(?:\w+ )?(?:definition|meaning|mean\b|stand for|denote)"
    r"|\b(?:not|never)(?: \w+ly)? (?:defined|introduced|explained|specified)\b|\bundefined\b",
    re.IGNORECASE,
)
_LISTING = re.compile(
    r"^(?:which|what) (?:\w+ ){0,3}(?:data-?sets?|benchmarks?|baselines?|methods?|models|metrics?"
    r"|measures)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"^what (?:exactly )?(?:is|are) (?:meant by )?(?:an? |the )?(?:\S+ ){0,2}\S+\?$|^what (?:does"
    r"|do) (?:\S+ ){1,4}(?:mean|stand for|denote|refer to|represent)\b|^what (?:is"
    r"|are) (?:the )?(?:definition|meaning) of |^(?:\S+ ){1,5}(?:is|are|was|were) (?:not"
    r"|never) (?:\w+ly )?(?:defined|introduced|explained)\b|^(?:\S+ ){1,5}(?:is|are) undefined\b"
    r"|\b(?:do|does|did) not define (?:\S+ ?){1,5}$",
    re.IGNORECASE,
)
_COMPLEXITY = re.compile(r"\b(?:computational|time|space) complexity\b", re.IGNORECASE)
_LIST_GAP = re.compile(
    r"^\W*(?:(?:and/or|and|or|nor|as well as)\W+)?(?:(?:any|the|its|potential|possible"
    r"|an?) )*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\bhow (?:many|much|long|large|big|often|fast|slow|deep|small|high|low)\b|\bwhat (?:is|was|are"
    r"|were) the (?:\w+ ){0,2}(?:number|size|value|dimension\w*|rate|length|percentage|fraction"
    r"|ratio|amount|accuracy|cost|time|run-?time|overhead)\b|\b(?:what"
    r"|which) [^?]*\b(?:learning rates?|batch sizes?)\b",
    re.IGNORECASE,
)


_MANNER = re.compile(
    r"^\W*(?:why|how (?!many|much|long|large|big|often|fast|slow|deep|small|high|low)\w)"
    r"|\b(?:explain\w*|clear|describ\w+|justif\w+) (?:how|why)\b",
    re.IGNORECASE,
)
"""Questions of manner or reason, which a caption does not answer."""
_MIN_CORE = 12
"""Characters; what is left of a shorter sentence says too little on its own."""


def _core(sentence: str) -> str:
    """The part of a sentence that asks or denies, without a label and without why it matters."""
    plain = _LEAD.sub("", sentence)
    parts = _TURN.split(plain)
    denying = [part for part in parts if denies(part)] if len(parts) > 1 else []
    if denying:
        plain = denying[0]
    core = _TAIL.sub("", plain)
    return core if len(core) > _MIN_CORE else sentence


def wanted_content(sentence: str) -> WantedContent:
    """What one sentence of a point asks for or denies.

    Args:
        sentence: A question or a statement, list marks removed.
    """
    core = _core(sentence)
    named = aspects_in(core)
    rest = core
    spans = [span for _, pairs in named for span in pairs]
    for start, end in spans:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    complexity = " complexity" if _COMPLEXITY.search(core) else ""  # a cost alone is not it
    words_of_aspects = content_stems(core)
    parts = content_stems(rest + complexity) if spans or complexity else words_of_aspects
    lexical = [stem(word) for start, end in spans for word in words(core[start:end])]
    query = tuple(dict.fromkeys([*parts, *lexical, *words_of_aspects]))
    comparison = _COMPARISON.search(core) is not None
    return WantedContent(
        aspects=tuple(aspect for aspect, _ in named),
        parts=parts,
        query=query,
        comparison=comparison,
        sensitivity=_SENSITIVITY.search(core) is not None,
        number=_NUMBER.search(core) is not None,
        definition=_DEFINITION.search(core) is not None,
        name=_NAMED.search(core) is not None,
        listing=_LISTING.search(core) is not None,
        manner=_MANNER.search(core) is not None,
        vague=comparison and _VAGUE.search(core) is not None,
        rivals=_rivals(core) if comparison else (),
        joined=_listed(core, [pairs for aspect, pairs in named if not aspect.qualifies]),
    )


def _listed(core: str, named: list[tuple[tuple[int, int], ...]]) -> bool:
    """Whether the words of aspects follow each other as a list does."""
    spans = sorted(span for spans in named for span in spans)
    return all(
        start <= end or _LIST_GAP.match(core[end:start]) for (_, end), (start, _) in pairwise(spans)
    )


def _rivals(core: str) -> tuple[str, ...]:
    """Stems of the names after the word that asks for a comparison, in order.

    When unnamed things come first ("recent methods such as ..."), only names given as examples of
    one such group count.
    """
    asked = _COMPARISON.search(core)
    if asked is None:
        return ()
    after = core[asked.end() :]
    names = _PROPER.findall(after)
    if _VAGUE.search(core):
        group, _, examples = _EXAMPLES.sub("\n", after, count=1).partition("\n")
        names = [] if _AND.search(group) else _CAPITALISED.findall(examples)
    return tuple(dict.fromkeys(stem(word) for name in names for word in words(name)))
