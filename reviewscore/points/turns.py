"""How a sentence of a review goes on from those before it: whether it adds a concern or leans back.

Each function looks at a sentence and, where it says so, at its neighbours, and at nothing else.
"""

from __future__ import annotations

import re

from reviewscore.text.stems import FUNCTION_WORDS, stems

_AGAIN = (
    r"also|further(?:more)?|moreover|besides|additionally|in addition|similarly|likewise|"
    r"(?:more|most|equally) (?:importantly|seriously|critically|fundamentally)|"
    r"on top of (?:that|this)|apart from (?:this|that)|aside from(?: this| that)?|relatedly|"
    r"as another|(?:as )?an additional|in the same vein|along (?:the same|these|similar) lines"
)
_ADDS = re.compile(rf"\W*(?:and |or )?(?:{_AGAIN})\b(?! (?:to|than|note)\b)", re.IGNORECASE)
_ALSO_SAID = re.compile(
    r"\W*(?:(?:to|for|in) [^,;:.?!]{3,120}, )?"
    r"(?:it(?: is|'s|’s| would be| might be| seems| remains)|there (?:is|are)|i(?: am|'m|’m| "
    r"would|'d|’d| find| found| think| believe| wonder| suggest| recommend| have| do)?|"
    r"(?:the|this) (?:paper|authors?|work|manuscript)(?: is| are| do| does| should| could| "
    r"need| needs)?|(?:can|could|would) (?:you|the authors?)|what is|how|why|please) "
    r"also\b",
    re.IGNORECASE,
)
_THING = (
    r"(?:concern|weakness|issue|point|question|problem|limitation|drawback|comment|suggestion|"
    r"worry|confusion|thing|downside|shortcoming|flaw|complaint|criticism|reservation|gap|"
    r"observation|addition|remark)s?\b"
)
_NAMES = re.compile(
    rf"\W*(?:(?:and |but )?(?:another|one (?:more|other)|(?:a|an|my|the|our) (?:other|second|third|"
    rf"fourth|next|last|final|main|major|biggest|primary|minor|first|only|further|additional|"
    rf"related|small|bigger|larger|key|different|separate|general)) (?:[\w-]+ ){{0,3}}{_THING}|"
    rf"other (?:\w+ )?{_THING}|(?!this|that|it|which)(?:[\w-]+ ){{1,8}}(?:is|are|remains?) "
    rf"(?:another|(?:a|one) (?:further|more|second)|an additional) (?:[\w-]+ ){{0,2}}{_THING})",
    re.IGNORECASE,
)
_TAKES_UP = re.compile(
    r"\W*(?:(?:regarding|as for|with (?:regards?|respect) to|concerning|on the (?:experimental|"
    r"theoretical|empirical|writing|presentation) \w+),? |in terms of|"
    r"minor(?: \w+)?:|typos?:)",
    re.IGNORECASE,
)
_COUNTS = re.compile(
    r"\W*(?:(?:first|second|third|fourth|fifth|sixth|next|last|final)(?:ly)?,|lastly|finally|"
    r"secondly|thirdly|fourthly)",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\W*first(?:ly)?\b", re.IGNORECASE)
_NUMBER = re.compile(r"\W*(?:[(\[]?\d{1,2}[)\].](?!\d)|[(\[][a-hivx]{1,3}[)\]])", re.IGNORECASE)
_BACK = re.compile(
    r"\W*(?:it|its|they|their|them|this|that|these|those|such|he|she|so|or|and|but|if so|if not|"
    r"if yes|otherwise|why\?|how\?|how so|why not|what if not|for (?:example|instance|e\.?g)|e\.g|"
    r"i\.e|"
    r"in other words|in this case|in that case|is (?:it|this|that)|are (?:they|these|those)|"
    r"does (?:it|this|that)|do (?:they|these|those)|did (?:it|this|that|they)|was (?:it|this|that)|"
    r"would (?:it|this|that|they)|could (?:it|this|that)|can (?:it|this|that|they)|will (?:it|this|"
    r"that)|should (?:it|this|that)|has (?:it|this|that)|what (?:is|are|about) (?:this|that|it|"
    r"they|these)|why (?:is|are|does|do|did|was) (?:it|this|that|they|these)|how (?:is|are|does|do|"
    r"did|was|can) (?:it|this|that|they|these)|then|therefore|thus|hence|specifically|"
    r"in particular|because|since|same|however|i (?:mean|ask)|what about|any\b|or\b|"
    r"doing (?:so|this|that))\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\W*(?:\w+\W+){0,4}(?:it|they|them|this|that|these|those|such|same|here|the authors? then)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|they|them|this|these|those)\b", re.IGNORECASE)
_NO_PRONOUN = re.compile(
    r"\bit (?:is|was|would|seems|might|may|will|remains)\b(?=.{0,60}\b(?:to|that|whether|how|why|"
    r"if|what|which|for)\b)",
    re.IGNORECASE,
)
_TOPICS = tuple(
    re.compile(rf"\b(?:{words})", re.IGNORECASE)
    for words in (
        r"writ(?:ing|ten)|clarity|clear|notation|typo|gramma|presentation|figure|organi[sz]|readab|"
        r"sentence|follow|hard to read",
        r"novel|original|incremental|existing|prior work|combination",
        r"reproduc|code|hyper-?param|implementation|seed|open[- ]source",
        r"experiment|empirical|results?|baseline|dataset|evaluat|benchmark|ablation",
        r"theor|proof|assumption|theorem|lemma",
    )
)
_JOINS = re.compile(r"\W*and,? ", re.IGNORECASE)
_ASKS_FOR = re.compile(
    r"\W*(?:(?:and|so|then|\w+ly),? )?(?:(?:in|on|at|for|from|to|by|with|under|of) [^?]{0,80}?)?"
    r"(?:what|how|why|which|where|who|when)\b",
    re.IGNORECASE,
)
_TRIED = re.compile(r"\W*have (?:you|they|the authors?)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|cannot|could|should|would|will|"
    r"may|might|must|needs?|lacks?|seems?|fails?|remains?)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_REQUESTS = re.compile(
    r"\b(?:should|please|suggest|recommend|encourage|consider|needs? to|must|would (?:be|like|"
    r"benefit|help|strengthen|have)|could (?:be|also|consider|provide|you|the authors?|benefit)|"
    r"perhaps|maybe)\b",
    re.IGNORECASE,
)
_FEWEST_WORDS = 5
_TITLE_WORDS = 5
_LEAST_WORDS = 7
_FEW_WORDS = 12


def adds_on(sentence: str) -> bool:
    """Whether a sentence says at its head that it adds to what was said: ``Also, ..``."""
    return _ADDS.match(sentence) is not None or _ALSO_SAID.match(sentence) is not None


def joins_on(sentence: str) -> bool:
    """Whether a sentence goes on with ``And`` and needs no word of the one before it."""
    joined = _JOINS.match(sentence)
    return joined is not None and not points_back(sentence[joined.end() :])


def names_concern(sentence: str) -> bool:
    """Whether a sentence announces a concern of its own: ``Another weakness is ..``."""
    return _NAMES.match(sentence) is not None


def takes_up(sentence: str) -> bool:
    """Whether a sentence names the matter that it turns to: ``Regarding the proofs, ..``."""
    return _TAKES_UP.match(sentence) is not None


def counts_on(sentence: str) -> bool:
    """Whether a sentence counts in words: ``Secondly, ..``."""
    return _COUNTS.match(sentence) is not None


def counts_first(sentence: str) -> bool:
    """Whether a sentence begins a count in words: ``First, ..``."""
    return _FIRST.match(sentence) is not None


def is_numbered(sentence: str) -> bool:
    """Whether a sentence begins with a number or letter of a list."""
    return _NUMBER.match(sentence) is not None


def is_title(sentence: str) -> bool:
    """Whether a sentence of a few words without a verb is a title of those after it."""
    return len(sentence.split()) <= _TITLE_WORDS and _VERB.search(sentence) is None


def leans_back(sentence: str) -> bool:
    """Whether a sentence begins with a word that needs the sentence before it."""
    return _BACK.match(sentence) is not None


def points_back(sentence: str) -> bool:
    """Whether one of the first words of a sentence stands for something said before it."""
    return _POINTS_BACK.match(sentence) is not None


def stands_alone(question: str) -> bool:
    """Whether a question is understood without the sentence before it."""
    words = len(question.split())
    pronoun = words <= _FEW_WORDS and _PRONOUN.search(question) is not None
    return not (words < _LEAST_WORDS or leans_back(question) or points_back(question) or pronoun)


def asks_anew(question: str) -> bool:
    """Whether a question asks for something of its own: ``How ..``, not ``Was it ..``."""
    if _TRIED.match(question) is not None and len(question.split()) >= _LEAST_WORDS:
        return True
    return stands_alone(question) and (_ASKS_FOR.match(question) is not None or adds_on(question))


def asks_apart(question: str, before: str) -> bool:
    """Whether a question of yes or no shares no word of content with the sentence before it."""
    first = question.lstrip(" \t\n*_-(")[:1]
    if first.islower() or not stands_alone(question) or _PRONOUN.search(question) is not None:
        return False
    return not content(question) & content(before)


def asks_else(question: str, said: set[str]) -> bool:
    """Whether a question asks for something of which nothing was said.

    Args:
        question: The question.
        said: Stems of what stands before it, as `content` gives them.
    """
    if _ASKS_FOR.match(question) is None or len(question.split()) < _FEWEST_WORDS:
        return False
    if leans_back(question) or _PRONOUN.search(question) is not None:
        return False
    return said.isdisjoint(content(question))


def requests(sentence: str) -> bool:
    """Whether a sentence asks for a change or for more: ``Variance should be reported.``."""
    return _REQUESTS.search(sentence) is not None


def content(sentence: str) -> frozenset[str]:
    """Stems of the words of a sentence that are no function words."""
    return frozenset(stems(sentence.lower())) - FUNCTION_WORDS


def topics_of(sentence: str) -> frozenset[int]:
    """Which qualities of a paper the words of a sentence speak of, by number."""
    return frozenset(number for number, topic in enumerate(_TOPICS) if topic.search(sentence))
