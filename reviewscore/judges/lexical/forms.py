"""Form of a review point: what kind of sentence it is, and so what could be looked up for it.

Only two forms can ever be flagged, because only they are settled by a passage: a categorical
denial ("there is no ablation study") and a factual question ("which optimizer is used?").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from reviewscore.judges.lexical.lexicon import ASPECTS
from reviewscore.text.sentences import sentences

_KEPT = 64
"""Sentences that are remembered: those of a point are looked at for its type and its finding."""
_MARK = re.compile(
    r"^\s*(?:[-*•–—+]+\s+|\(?(?:[wWqQ]\d{1,2}|\d{1,2}|[a-hA-H]|[ivx]{1,4})[.):]\s*)+|^\s*[*_]{1,3}"
)
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")

_EXPLAIN = r"(?:clarif|explain|elaborat|comment|specif|justif|describe|tell|confirm)\w*"
_PLEASE = re.compile(
    rf"\b(?:please|pls\.?|kindly)\s+(?:\w+ly\s+|also\s+|further\s+)?(?:{_EXPLAIN}|answer|respond"
    r"|state|let (?:me|us) know|correct me|provide (?:an? )?(?:explanation|clarif|answer|justif))"
    r"|^(?:clarify|explain|elaborate)\b"
    rf"|\b(?:could|can|would|will) (?:the )?(?:authors?|you)\b[^.;]*\b(?:{_EXPLAIN}|discuss|provide"
    r"|share|show|give|report|compare|add|include)\b"
    r"|\b(?:i|we)(?:'m| am| are|'re) (?:curious|wondering)|\b(?:i|we) wonder\b"
    r"|\b(?:i|we) (?:would|'d) (?:like|love) to (?:know|ask|understand|hear)"
    r"|\bmy (?:main |first |other )?questions? (?:is|are|to)\b"
    r"|\b(?:would be|'d be) (?:curious|interested) to (?:know|hear|see|understand)",
    re.IGNORECASE,
)
"""Words that ask without a question mark."""
_QUOTED = re.compile(r"[\"“][^\"“”]{0,300}[\"”]|(?<!\w)['‘][^'‘’]{5,300}['’](?!\w)")
_NO_WORDS = re.compile(r"\(\s*\?+\s*\)|\[\s*\?+\s*\]")
_TITLE_WORDS = 4
_TITLE_CAPITALS = 0.8
"""Share of words with a capital from which on a sentence is the title of a work."""


@lru_cache(maxsize=_KEPT)
def strip_marks(text: str) -> str:
    """The text on one line without list marks, numbering or surrounding emphasis."""
    plain = " ".join(text.split())
    while (shorter := _MARK.sub("", plain, count=1).strip()) != plain:
        plain = shorter
    return plain.strip("*_ ").strip()


@lru_cache(maxsize=4)
def sentences_of(text: str) -> tuple[str, ...]:
    """Sentences of a review point, in order, list marks removed (verbatim otherwise)."""
    plain = (
        strip_marks(part[start:end])
        for part in _PARAGRAPH.split(text)
        for start, end in sentences(part, 0, len(part))
    )
    return tuple(piece for piece in plain if any(letter.isalpha() for letter in piece))


def _is_title(sentence: str) -> bool:
    """Whether a sentence is the title of a work, most of its words with a capital."""
    values = re.findall(r"[A-Za-z]{4,}", sentence)
    capitals = sum(word[0].isupper() for word in values)
    return len(values) >= _TITLE_WORDS and capitals > _TITLE_CAPITALS * len(values)


@lru_cache(maxsize=_KEPT)
def is_interrogative(sentence: str) -> bool:
    """Whether a sentence asks something, by its mark or by its words.

    Question marks in quoted text and in the titles of works are not the reviewer's.
    """
    plain = _NO_WORDS.sub("", _QUOTED.sub("QUOTE", sentence))
    if "?" in plain:
        return not _is_title(plain)
    return _PLEASE.search(plain) is not None


class QuestionForm(StrEnum):
    """What kind of sentence a point, or one sentence of it, is."""

    CATEGORICAL_DENIAL = "categorical_denial"  # X is not in the paper
    HEDGED_DENIAL = "hedged_denial"  # X is not there enough
    FACTUAL_QUESTION = "factual_question"  # settled by what the paper says or does
    REQUEST = "request"  # asks the authors to do or to explain something
    HYPOTHETICAL = "hypothetical"  # what could be, or what may go wrong
    SUGGESTION = "suggestion"  # what the authors should do
    DEGREE = "degree"  # more, fewer, too small
    QUALITY = "quality"  # worth, novelty, writing
    ASSERTION = "assertion"  # says something of the work


OPINIONS = frozenset(
    {QuestionForm.HYPOTHETICAL, QuestionForm.SUGGESTION, QuestionForm.DEGREE, QuestionForm.QUALITY}
)
"""Forms no passage can settle: the finder does not look anything up for them."""


@dataclass(frozen=True)
class Clause:
    """One sentence of a point with its form.

    Attributes:
        text: The sentence, white space collapsed, list marks removed.
        form: Its form.
    """

    text: str
    form: QuestionForm


_PAPER = (
    r"(?:this|the|your|their|present|current|proposed)?\s*(?:present |current |proposed )?(?:paper"
    r"|authors?|work|manuscript|study|submission|article|you|they|it|evaluation|experiments?"
    r"|experimental (?:section|evaluation|results)|analysis|empirical (?:evaluation|validation))"
)
_DEED = (
    r"(?:provid|discuss|includ|report|mention|compar|evaluat|address|consider|describ|explain|defin"
    r"|present|show|analy[sz]|stat|specif|giv|offer|contain|conduct|perform|cit|test|stud|explor"
    r"|investigat|examin|releas|shar|ablat|justif|detail|ment|demonstrat|report|introduc|use|list"
    r"|quantif|measur|clarif|elaborat|cover|acknowledg|propos|run|ran|made?|carr|benchmark|publish)"
    r"\w*"
)
_DENIAL = re.compile(
    rf"^(?:also,? |there,? |furthermore,? |moreover,? |however,? |but )*"
    rf"(?:no\b(?! doubt| longer| matter| one)|not? any\b|(?:complete |total |general )?lack(?:s"
    rf"|ing)?\b"
    rf"|(?:the )?(?:absence|lack|omission) of|missing\b|without any\b)"
    rf"|\bthere(?:'s| is| are| was| were| seems to be| appears to be| exist| exists) (?:also "
    rf"|still )?"
    rf"(?:no\b(?! doubt| need| reason| problem)|not any\b|n't any\b|(?:a |an )?(?:lack|absence) of)"
    rf"|\b{_PAPER}\s+(?:also |simply |completely |still )?(?:do|does|did)(?:n't|n’t| not)"
    rf"(?: even| also| seem to| appear to| \w+ly)? {_DEED}"
    rf"|\b{_PAPER}\s+(?:have|has)(?:n't|n’t| not)(?: been)?(?: \w+ly)? {_DEED}"
    rf"|\b{_PAPER}\s+(?:also |simply |completely )?(?:lacks?|lacked|omits?|omitted|neglects?"
    rf"|ignores?"
    rf"|(?:fails?|failed) to {_DEED})\b"
    rf"|\bnot (?:yet )?(?:\w+ly )?{_DEED}$"
    rf"|\b(?:is|are|was|were|been)(?: also| simply| completely)? (?:not|never)(?: even| \w+ly)? "
    rf"{_DEED}"
    rf"|\b(?:isn't|aren't|wasn't|weren't|isn’t|aren’t|wasn’t|weren’t) {_DEED}"
    rf"|\b(?:is|are|was|were)(?: also| simply| completely| entirely)? (?:missing|lacking|absent"
    rf"|omitted"
    rf"|neglected|undefined|unspecified)\b"
    rf"|\bno (?:[\w-]+ ){{1,5}}(?:is|are|was|were|has been|have been) {_DEED}",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:adequate(?:ly)?|sufficient(?:ly)?|enough|thorough(?:ly)?|comprehensive(?:ly)?|detailed"
    r"|(?:in|much|any|many|enough|full|more|further) (?:more )?details?|fully|extensive(?:ly)?"
    r"|clear(?:ly)?|deep(?:er|ly)?|in-depth|rigorous(?:ly)?|proper(?:ly)?|systematic(?:ally)?"
    r"|strong(?:er|ly)?|convincing(?:ly)?|meaningful(?:ly)?|more|most|further|additional|other"
    r"|another|broad(?:er|ly)?|wide(?:r|ly)?|various|some|certain|several|many|recent|newer|latest"
    r"|state-of-the-art|sota|state of the art|advanced|modern|limited|insufficient(?:ly)?"
    r"|particularly|complete(?:ly)?|concrete|completely|directly|real|large(?:r|-scale)?|diverse"
    r"|different|alternative|relevant|satisf\w+|good|solid|fair|careful(?:ly)?|appropriate(?:ly)?"
    r"|nuanced|explicit connection|intuiti\w+|compelling|well|similar|related|existing|important"
    r"|significant(?:ly)?|robust|much|really|quite|only|beyond|truly|necessarily|entirely|all|every"
    r"|always|both|exhaustive(?:ly)?|quantitative(?:ly)?|qualitative(?:ly)?|formal(?:ly)?"
    r"|precise(?:ly)?|exact(?:ly)?|full|deeply|substantial(?:ly)?|step-by-step|practical|simple"
    r"|simpler|standard|specific(?:s|ally)?|long-term|novel|new|clarity)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"^(?:the )?(?:only )?(?:somewhat |relatively |rather |very )?(?:limited|insufficient"
    r"|inadequate|incomplete|minimal|weak|little|few|brief|superficial|sparse|narrow)\b|\b(?:is|are"
    r"|seems?|appears?|remains?)(?: \w+)? (?:limited|insufficient|inadequate|incomplete"
    r"|lacking in)\b",
    re.IGNORECASE,
)
_QUALITY = re.compile(
    r"\b(?:clarity|unclear|confus\w+|hard to (?:follow|read|understand|parse)|"
    r"difficult (?:to (?:follow|read|understand|parse|digest|grasp)|for (?:\w+ )*readers)|"
    r"challenging (?:to (?:follow|read)|for (?:\w+ )*readers)|dense|verbose|jargon|readab\w+|"
    r"well[- ]written|poorly written|badly written|writing|wording|typos?|gramma\w+|presentation|"
    r"organi[sz](?:ed|ation)|polish\w*|novelty|(?:not|isn't|limited|little|minor) (?:very |that |"
    r"so )?novel|incremental|groundbreaking|originality|straightforward combination|trivial|"
    r"contributions?|(?:un)?convinc\w+|(?:un)?interesting|impress\w+|marginal|accessib\w+|"
    r"hinder\w*|(?:limits?|reduces?) (?:the )?(?:accessibility|impact|significance)|motivat\w+|"
    r"overly (?:technical|complex)|highly technical|(?:too )?technical (?:and|content|jargon)|"
    r"overclaim\w*|overstat\w*|oversell\w*|justified|compelling|not surprising|well[- ]known|"
    r"cherry[- ]pick\w*|sound(?:ness)?|rigou?r|playful|(?:for|to) (?:my|our) (?:taste|liking)|"
    r"matter of taste)\b",
    re.IGNORECASE,
)
_SUGGESTION = re.compile(
    r"\b(?:could|would|might|may|can) (?:also |greatly |further )?(?:benefit|be (?:improved|better"
    r"|nice|good|great|helpful|interesting|useful|beneficial|valuable|strengthened|enhanced|clearer"
    r"|more|stronger)|strengthen|enhance|improve|help|like to see|love to see|have liked"
    r"|appreciate)|\b(?:authors?|paper|they|you|it|work)\b[^.?!]{0,40}\b(?:should|need to|needs to"
    r"|ought to|must)\b|\b(?:should|must|needs? to) be\b|\b(?:I"
    r"|we) (?:would )?(?:strongly )?(?:suggest|recommend|encourage|advise|urge)|\bplease (?:add"
    r"|include|consider|fix|correct|provide|compare|cite|report|use)|^(?:consider|add|include"
    r"|provide|improve|expand|compare|conduct|perform|extend|address|fix|cite)\b|\bsuggest(?:ion|ed"
    r"|s)?\b|\bneeds? (?:significant |substantial |further |more )?(?:improvement|revision)",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"\b(?:may|might|could|would)\b|^(?:the )?(?:potential(?:ly)?|possible|possibly"
    r"|risk of)\b(?! (?:negative |ethical |societal |social )*(?:societal|social|ethical|negative"
    r"|limitations?)[^.]{0,60} (?:not|missing|lack\w*|absent)\b)|\bwhat if\b|\bin the future\b"
    r"|\bplan(?:s|ning|ned)? (?:to|on|for)\b|\bfuture (?:work|directions?|research)\b"
    r"|\bpotentially\b|\bis it (?:also )?(?:possible|feasible)\b|\bpossib(?:le|ility) to\b"
    r"|\bpromising directions?\b|\bmitigat\w+\b|\bmodifications?\b|\bcan (?:this|the|your|these|it"
    r"|such|similar)\b[^?]{0,60}\b(?:extend\w*|appl(?:y|ied)|adapt\w*|scale\w*|generali[sz]\w*"
    r"|transfer\w*|improve\w*|handle\w*|work|used?|reduc\w*|relax\w*)\b",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"\b(?:more|fewer|less|larger|smaller|broader|wider|deeper|further|additional(?:ly)?|improve\w*"
    r"|extra|greater|better|stronger|better than|in (?:more |greater |further )?detail"
    r"|thorough(?:ly)?|detailed|comprehensive|extensive(?:ly)?|too (?:many|few|small|large|simple"
    r"|short|strong|weak)|not (?:very )?(?:large|big|substantial)|modest|diverse|beyond|additional"
    r"|elaborate further|other (?:\w+ ){0,3}(?:methods|datasets|tasks|domains|models|baselines"
    r"|approaches|settings|types|areas))\b",
    re.IGNORECASE,
)
_ASKING = (
    r"(?:can|could|would|will|may|might) (?:the |you |i |we )?(?:authors?|you|i|we)?\s*(?:please "
    r"|also |kindly |perhaps |possibly )*"
)
_FACT_ASKED = re.compile(
    rf"^{_ASKING}(?:clarify|explain|describe|specify|state|confirm|tell (?:me|us)|comment on"
    rf"|indicate|"
    r"report|say)\s+(?:on |about )?(?:how|what|which|where|whether|if|when|who)\b",
    re.IGNORECASE,
)
_OFFER_ASKED = re.compile(
    rf"^{_ASKING}(?:discuss|provide|include|report|share|give|conduct|perform|present|show|add)\s+"
    r"(?:(?:any|an?|the|some|their|your|its|key|main) )*",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"^\W*(?:and |but |so )?(?:why|for what reason|what is the (?:reason|intuition|rationale"
    r"|motivation)|how come|what motivat)",
    re.IGNORECASE,
)
_OPINION_ASKED = re.compile(
    r"\b(?:implications?|insights?|advantages?|benefits?|novel\w*|innovations?|contributions?|"
    r"challenges?|strateg(?:y|ies)|applications?|differentiat\w*|intuitions?|significan(?:ce|tly)|"
    r"(?<!negative )(?<!societal )(?<!social )(?<!ethical )(?<!broader )impacts? (?:on|of)|"
    r"drawbacks?|scenarios?|real[- ]world|practical\w*|lessons|takeaways?|key differences?|"
    r"uncertain\w* quant\w*|considered|explored|thought|envision|foresee|expect|believe|think|best|"
    r"ideal|promising|plan|plans|tried|next steps?|guidelines?|recommend\w*|reasonable|necessary|"
    r"needed|ensure\w*|guarantee that|justif\w+|address(?:es|ed)?|mean by|fair\b)\b",
    re.IGNORECASE,
)


def _asks_for_an_aspect(sentence: str) -> bool:
    """Whether a sentence asks for something papers have or lack ("can you provide ablations?")."""
    offer = _OFFER_ASKED.match(sentence)
    return offer is not None and any(
        aspect.asked.match(sentence, offer.end()) for aspect in ASPECTS if not aspect.qualifies
    )


def _question_form(sentence: str) -> QuestionForm:
    """Form of a sentence that asks something."""
    if _FACT_ASKED.search(sentence) or _asks_for_an_aspect(sentence):
        return QuestionForm.DEGREE if _DEGREE.search(sentence) else QuestionForm.FACTUAL_QUESTION
    if re.match(_ASKING + r"\w", sentence, re.IGNORECASE) and re.match(
        r"(?:can|could|would|will|may|might) (?:the authors?|you|i|we)\b", sentence, re.IGNORECASE
    ):
        return QuestionForm.DEGREE if _DEGREE.search(sentence) else QuestionForm.REQUEST
    if _HYPOTHETICAL.search(sentence):
        return QuestionForm.HYPOTHETICAL
    if _DEGREE.search(sentence) and not _WHY.search(sentence):
        return QuestionForm.DEGREE
    unmarked = "?" not in sentence
    if unmarked or _WHY.search(sentence) or _OPINION_ASKED.search(sentence):
        return QuestionForm.REQUEST
    return QuestionForm.FACTUAL_QUESTION


def _statement_form(sentence: str) -> QuestionForm:
    """Form of a sentence that asks nothing."""
    denial = _DENIAL.search(sentence)
    if denial and not re.search(
        r"\black(?:s|ing)? (?:of )?(?:\w+ )?(?:and \w+ )?"
        r"(?:clarity|novelty|rigou?r|originality|details?|depth|context|coherence"
        r"|structure|precision|diversity|breadth|focus|motivation|comprehensiveness)\b",
        sentence,
        re.IGNORECASE,
    ):
        return (
            QuestionForm.HEDGED_DENIAL
            if _HEDGE.search(sentence)
            else QuestionForm.CATEGORICAL_DENIAL
        )
    if _SUGGESTION.search(sentence):
        return QuestionForm.SUGGESTION
    if _QUALITY.search(sentence):
        return QuestionForm.QUALITY
    if _LIMITED.search(sentence):
        return QuestionForm.HEDGED_DENIAL
    if _HYPOTHETICAL.search(sentence):
        return QuestionForm.HYPOTHETICAL
    return QuestionForm.DEGREE if _DEGREE.search(sentence) else QuestionForm.ASSERTION


def denies(text: str) -> bool:
    """Whether a sentence or a part of one says that something is missing."""
    return _DENIAL.search(text.strip()) is not None


def form_of(sentence: str) -> QuestionForm:
    """Form of one sentence."""
    plain = strip_marks(sentence)
    return _question_form(plain) if is_interrogative(plain) else _statement_form(plain)


def clauses_of(text: str) -> tuple[Clause, ...]:
    """The sentences of a point, each with its form."""
    return tuple(Clause(sentence, form_of(sentence)) for sentence in sentences_of(text))


_SETTLED = (QuestionForm.FACTUAL_QUESTION, QuestionForm.CATEGORICAL_DENIAL)


def main_clause(clauses: tuple[Clause, ...]) -> Clause | None:
    """The sentence of a point that is looked up; None if there is none.

    That is the first question if something is asked, else the first denial, else the first
    sentence that is not a mere opinion, else the first sentence.
    """
    asked = [clause for clause in clauses if is_interrogative(clause.text)]
    pool = asked or list(clauses)
    for wanted in (
        _SETTLED,
        (QuestionForm.HEDGED_DENIAL,),
        (QuestionForm.REQUEST, QuestionForm.ASSERTION),
    ):
        for clause in pool:
            if clause.form in wanted:
                return clause
    return pool[0] if pool else None
