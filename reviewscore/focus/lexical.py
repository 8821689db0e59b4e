"""The embedded annotator: facets by words and their weights, without a model.

It knows the default facets alone, reads words and not meaning, and says so wherever it is used. A
weight is how strongly a word speaks for a facet, 1 weakly to 6 almost surely. Each pattern counts
once in a point.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TypeAlias

from reviewscore.focus.facets import DEFAULT, FacetKind, FacetPoint, Labelled

Weighted: TypeAlias = tuple[tuple[float, str], ...]

TARGETS: dict[str, Weighted] = {
    "problem": (
        (
            5.0,
            r"(?:important|significant|relevant|interesting|critical|crucial|challenging|timely"
            r"|practical|real|open|meaningful\w*|useful|key|pressing|considered)\s+(?:\w+\s+){0,2}?"
            r"(?:problem|issue|challenge|question|task|topic|setting)s?",
        ),
        (4.0, r"(?:importance|significance|relevance|timeliness|meaningfulness)\s+of\s+the\s+"
              r"(?:\w+\s+){0,2}?(?:problem|topic|task|question|issue|work)"),
        (2.0, r"problems?|tasks? (?:definition|formulation)|research questions?"),
        (2.5, r"(?:un|well-|poorly )?motivat(?:ed|ion|es)"),
        (1.5, r"address(?:es|ed|ing)?"),
    ),
    "prior research": (
        (6.0, r"related works?|literature|citations?|cit(?:e|es|ed|ing)|bibliograph\w*"
              r"|references?"),
        (2.0, r"(?:discussion|coverage|positioning|mention) of (?:prior|previous|existing"
              r"|earlier)"),
        (3.0, r"contextuali[sz]\w*|positioned"),
    ),
    "method": (
        (2.5, r"(?:methods?|methodolog\w+|approach(?:es)?|algorithms?|architectures?|frameworks?"
              r"|mechanisms?|techniques?|schemes?|protocols?|modules?|strateg(?:y|ies))"),
        (2.5, r"ideas?|concepts?|designs?"),
        (1.5, r"models?|propos(?:es|ed|al|ing)|formulation|objective|loss(?:es)?|representation"
              r"|implementation|system|procedure|networks?|combin\w+|integrat\w+"),
        (2.0, r"computation\w*|efficien\w+|costs?|complexit\w+|overhead|scalab\w+|runtime"),
        (2.0, r"reli(?:es|ance|ant)|requir\w+|restrict\w+|depend\w+ on"),
        (4.0, r"(?:clarity|explanations?|descriptions?|definitions?|details?|unclear|illustrations?"
              r"|pseudo-?code)\s+(?:\w+\s+){0,4}?(?:methods?|methodolog\w+|models?|algorithms?"
              r"|approach(?:es)?|architectur\w+|mechanisms?|framework|implementation|definition)"),
        (3.0, r"(?:methodolog\w+|method|algorithm|approach) (?:\w+ )?(?:lacks?|is|are) "
              r"(?:\w+ )?(?:clarity|unclear|not clear)"),
        (3.0, r"(?:introduc\w+|propos\w+|novelty|new|novel) (?:\w+ ){0,3}?"
              r"(?:datasets?|benchmarks?)"),
        (3.0, r"detailed (?:methodology|algorithm|method|description)"),
    ),
    "theory": (
        (4.5, r"theor(?:y|ies|etic\w*|ems?)"),
        (4.5, r"proofs?|prov(?:e|es|ed|en|ing)|lemmas?|corollar\w+|propositions?"),
        (4.0, r"convergence|bounds?|guarantees?|derivations?"),
        (3.5, r"assum(?:e|es|ed|ptions?)"),
        (2.5, r"mathematic\w*|justif\w+|formal(?:ly|ism)?|rigor\w*"),
    ),
    "experiment": (
        (4.5, r"experiment\w*|empiric\w+|ablat\w+|baselines?|numerical (?:stud|result|exp)\w+"),
        (3.5, r"evaluat\w+|validation|benchmarks?|simulations?|benchmarking"),
        (3.0, r"results?|performances?|accurac(?:y|ies)|state-of-the-art|sota|outperform\w*"),
        (3.0, r"compar(?:e|es|ed|ing|isons?)|improvements? over|statistic\w+"),
        (2.5, r"datasets?|metrics?|hyper-?parameters?|qualitative|quantitative|toy|real data"),
        (2.0, r"demonstrat\w+|reproducib\w+|replicat\w+|tested|tests?|settings?"),
        (2.0, r"analys[ie]s|stud(?:y|ies)|investigation"),
        (2.0, r"implementation details"),
    ),
    "conclusion": (
        (6.0, r"societal|ethic\w+|broader impacts?|social impacts?|negative impacts?"),
        (4.5, r"limitations? (?:\w+ )?(?:of|is|are|and|or|not|discuss\w*)"
              r"|(?:potential|the) limitations?"),
        (3.5, r"conclusions?|takeaways?|implications?|findings?|insights?|future work"),
        (3.0, r"discuss(?:ion|ed|es) (?:of|on|the)"),
        (2.0, r"claims?|over-?claim\w*|statements?"),
    ),
    "paper": (
        (6.0, r"well[- ](?:written|organi[sz]ed|structured|presented)"
              r"|(?:clearly|badly|poorly|nicely)"
              r"[- ](?:written|organi[sz]ed|structured)|easy to (?:read|follow|understand)"),
        (6.0, r"(?:clarity|quality|presentation|organi[sz]ation|structure|readability|title|writing"
              r"|content) (?:and \w+ )?of the (?:\w+ )?(?:paper|submission|manuscript|work|writing"
              r"|presentation|details|text|materials?)"),
        (5.0, r"writing|written|grammar\w*|grammatical|typos?|readab\w+|proofread\w*|polish\w*"
              r"|acronyms?|title|english"),
        (4.0, r"(?:overall|generally|paper is|clear and|the paper)\s+(?:\w+\s+){0,2}?(?:clarity"
              r"|clear|quality|novelty|readable|understandable|dispersed|shallow|organi[sz]\w+)"),
        (3.5, r"presentation|organi[sz]ation|figures?|notations?|captions?|structure"),
        (2.5, r"clarity|clear(?:er|ly)?|(?:hard|difficult) to (?:read|follow|understand|see)"
              r"|dense|confus\w+|convoluted|sections?"),
        (1.0, r"papers?|submission|manuscript|overall|abstract|introduction"),
    ),
}  # fmt: skip

ASPECTS: dict[str, Weighted] = {
    "impact": (
        (6.0, r"societal|ethic\w+|broader impacts?|social impacts?"),
        (4.0, r"importan(?:t|ce)|impact\w*|significance|meaningful\w*|timel\w+|useful\w*|valuable"),
        (3.5, r"significant (?!improve|perform|gain|reduc|speed|computation|increase|boost)\w+"),
        (3.0, r"applicab\w+|applications?|practical\w*|real-world|practitioners?|communit\w+"),
        (3.0, r"relevan(?:t|ce)|implications?|potential (?:for|to|impl)\w*|open-source\w*"),
        (3.0, r"gap between|enables?|paves|opens? up|advances?|filling|fills"),
        (2.0, r"interesting (?:\w+ )?(?:problem|topic|question)|promis\w+"),
    ),
    "novelty": (
        (6.0, r"novel\w*|original\w*|innovati\w+|incremental\w*|creativ\w+|unprecedented"),
        (4.0, r"(?:simple |straightforward |trivial )?extension of|(?:similar|close) to (?:previous"
              r"|existing|prior)|(?:previous|existing|prior) works? with|similarity to"),
        (3.5, r"new|first (?:work|paper|to)|unique|unexplored|counter-?intuitive"),
        (3.0, r"(?:interesting|promising|clever|elegant|neat) (?:and \w+ )?(?:\w+ )?ideas?"),
        (2.0, r"propos(?:es|al|ing)|introduc(?:es|tion of)|differentiat\w+|builds? on"),
    ),
    "clarity": (
        (5.0, r"clarit\w+|clear(?:er|ly)?|unclear\w*|clarif\w+|ambigu\w+|confus\w+|vague\w*|fuzzy"),
        (5.0, r"writing|written|readab\w+|grammar\w*|grammatical|typos?|acronyms?|polish\w*|title"
              r"|proofread\w*"),
        (5.0, r"(?:easy|hard|difficult|challenging|complex) to (?:\w+ )?(?:read|follow|understand"
              r"|see|grasp|interpret|parse)|hard-to-\w+|difficult\w* in interpreting"),
        (4.0, r"presentation|presented|organi[sz]\w+|structured?|explain\w*|explanations?"
              r"|illustrat\w+"),
        (3.5, r"figures?|notations?|dense|dispersed|convoluted"
              r"|inconsisten\w+ in the (?:expl|not)\w+"),
        (3.0, r"descri(?:bed?|bes|ption)|definitions?|defined|details?|detailed|pseudo-?code"
              r"|introduction of"),
        (2.0, r"well-motivated"),
    ),
    "validity": (
        (3.5, r"convinc\w+|thorough\w*|comprehensive\w*|extensive\w*|rigor\w*|sound(?:ness)?"
              r"|correct\w*|incorrect\w*|wrong\w*|inaccura\w+|invalid|errors?|flaw\w*"),
        (3.5, r"ablat\w+|baselines?|guarantees?|proofs?|prov(?:e|es|en|ing)|convergence"
              r"|outperform\w*|reproducib\w+|replicat\w+"),
        (3.0, r"experiment\w*|empiric\w+|evaluat\w+|results?|performances?|state-of-the-art"
              r"|accurac\w+|compar(?:e|ed|isons?)|validation"),
        (3.0, r"insufficient\w*|evidence|support(?:s|ed|ing)?|justif\w+|assum\w+|robust\w*"),
        (2.5, r"theor(?:y|etic\w*|ems?)|analys[ie]s|stud(?:y|ies)|investigation|datasets?"),
        (2.5, r"effective\w*|efficien\w+|scalab\w+|reli(?:es|ance)|requir\w+|weak\w*|strong\w*"
              r"|fail\w*|limitations?|generali[sz]\w+|stability|singularit\w+|overhead"),
        (1.5, r"lack\w*|limited|missing|omission|absence|reasonable|suitable|proper|adequate\w*"),
        (1.5, r"demonstrat\w+|improve(?:s|d|ments?)|restrict\w*|small"),
    ),
    "not-specific": (
        (4.0, r"(?:issues|concerns) (?:\w+ ){0,4}resolved"),
        (3.0, r"(?:good|high|overall) quality of the (?:paper|work|submission)"),
    ),
}  # fmt: skip


@cache
def compiled(kind: str) -> tuple[tuple[str, float, re.Pattern[str]], ...]:
    """All patterns of targets or aspects, as facet, weight and pattern for lower-case text."""
    lexicon = TARGETS if kind == "target" else ASPECTS
    return tuple(
        (name, weight, re.compile(rf"\b(?:{pattern})\b"))
        for name, patterns in lexicon.items()
        for weight, pattern in patterns
    )


NAME = "lexical"
_LEAD = re.compile(r"^\W*the reviewer\s+\w+\s+")
_LONGEST = 2_000
"""Characters of a point that are read: what it is about stands at its beginning."""
_USUAL = {FacetKind.TARGET: "method", FacetKind.ASPECT: "validity"}
"""Where no word speaks for a facet."""


def annotate(points: Iterable[FacetPoint]) -> Iterator[Labelled]:
    """Label points, in order."""
    for point in points:
        target, aspect = facets_of(point.text)
        yield Labelled(point, target, aspect)


def facets_of(text: str) -> tuple[str, str]:
    """Target and aspect of a point: the facets whose words weigh most, the first one of equals."""
    words = _LEAD.sub("", text[:_LONGEST].lower(), count=1)
    return _best(FacetKind.TARGET, words), _best(FacetKind.ASPECT, words)


def _best(kind: FacetKind, text: str) -> str:
    weights = dict.fromkeys(DEFAULT.names(kind), 0.0)
    for name, weight, pattern in compiled(kind.value):
        if pattern.search(text):
            weights[name] += weight
    best = max(weights.values())
    return (
        next(name for name, weight in weights.items() if weight == best) if best else _USUAL[kind]
    )
