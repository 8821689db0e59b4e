"""The embedded annotator: facets by words, cues and their weights, without a model.

It knows the default facets alone, reads words and not meaning, and says so wherever it is used. A
cue is a pattern of words that reviewers use, such as praise of a problem. Two linear models sum
weights of cues and of word stems; the second, which chooses the aspect, also looks at the target
that the first has chosen. The weights, and what they were fitted to, are in
``lexical_weights.json``; `benchmarks.focus_weights` fits them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import sqrt
from pathlib import Path

from reviewscore.focus.facets import FacetKind, FacetPoint, Labelled, Polarity
from reviewscore.text.linear import LinearModel, load_linear_models
from reviewscore.text.sentences import sentences
from reviewscore.text.stems import stem, words

VERSION = 2
"""Of the features and weights: other ones label points otherwise."""

CUES: dict[str, str] = {
    "figure": r"fig(?:ure|\.)?s?\s*\(?[a-z]?\d|\bfig\.",
    "table": r"\btab(?:le|\.)s?\s*:?\d|captions?",
    "equation": r"\beqn?s?\b\.?\s*\(?\d|equations?\b",
    "line": r"\blines?\s*:?\d|\bl\.?\s?\d{2}|\brow \d",
    "theorem no": (r"\b(?:theorem|lemma|proposition|corollary|assumption|definition|thm?)\.?\s*\d"),
    "section no": r"\bsec(?:tion|\.)?\s*\d|page \d",
    "algorithm no": r"algorithm \d",
    "symbol": r"\$[^$]+\$|\\\w+",
    "question": r"\w+\W?\?",
    "why": r"\bwhy\b",
    "what is": r"\bwhat (?:is|are|does|do|was|exactly)\b",
    "how is": r"\bhow (?:is|are|does|do|did|was|were|exactly|the|it|to)\b",
    "which": r"\bwhich (?:of|one)\b",
    "bare reference": (
        r"\b(?:arxiv|cvpr|neurips|iclr|icml|emnlp|acl|aaai|eccv|iccv|ijcai)\b,?\s*(?:preprint"
        r" )?\W?\d{2,4}\W*$"
    ),
    "et al": r"et al|\[\d+(?:[,\s-]+\d+)*\]",
    "brackets cite": r"\(\w+,? (?:et al\.?,? )?\d{4}\)",
    "url": r"https?://",
    "unclear": (
        r"unclear|not (?:\w+ )?(?:clear|obvious|evident)|(?:isn'?t|wasn'?t|aren'?t) (?:\w+"
        r" )?clear|clarif\w+|confus\w+|ambigu\w+|vague\w*|mislead\w*|imprecise"
    ),
    "unclear why": (
        r"(?:unclear|not (?:\w+ )?clear|clarify|explain|understand|wonder\w*|see)\s+(?:to me"
        r" )?(?:\w+ ){0,2}?(?:why|how|what|whether|if|where|which)"
    ),
    "do not understand": (
        r"(?:don'?t|do not|didn'?t|not|cannot|hard to|difficult to) (?:\w+"
        r" ){0,2}?(?:understand|follow|parse|read|get|see|find)"
    ),
    "not defined": (
        r"(?:not|never|n't|without|un|no) ?(?:\w+ )?(?:being )?(?:defined|explained|described|"
        r"mentioned|specified|introduced|stated|reported|provided|given|detailed|illustrated|"
        r"discussed|elaborated)"
    ),
    "more detail": (
        r"(?:more|missing|lack\w*(?: of)?|no|insufficient|further|few|enough|sufficient)"
        r" (?:\w+ )?(?:details?|explanations?|descriptions?|clarifications?|information|"
        r"elaboration|intuitions?)"
    ),
    "elaborate": r"elaborate|explain|explanation|describe|description|specify|define|state\b",
    "typo": (
        r"typos?|grammar\w*|grammatical|spell\w*|misspel\w+|formatting|proofread|wording|"
        r"english|font|colou?rs?\b|capitali\w+|legend|resolution|should be\b"
    ),
    "written": (
        r"(?:well|clearly|nicely|poorly|badly|better)?[ -]?(?:written|organi[sz]ed|structured|"
        r"laid out)|writing|easy to (?:read|follow|understand)|readab\w+|to follow|narrative|"
        r"exposition|presentation|presented"
    ),
    "notation": r"notations?|symbols?|variables?\b",
    "clearly": (
        r"\bclear(?:ly)?\b|intuitive|illustrat\w+|visuali[sz]\w+|well[- ](?:described|"
        r"explained|defined)|in detail"
    ),
    "novel": r"novel\w*|original(?:ity)?\b|innovati\w+|creativ\w+|unprecedented",
    "not novel": (
        r"(?:limited|lack\w*(?: of| in)?|weak|marginal|not|low|incremental|little|medium|no|"
        r"concerns? about (?:its|the)) (?:\w+ ){0,3}?(?:novel\w*|originality|innovati\w+|"
        r"contributions?|new)|incremental\w*|straightforward extension|not new|trivial|well[-"
        r" ]known|existing (?:techniques?|methods?|components?|works?|approach\w*)|combination"
        r" of"
    ),
    "first to": (
        r"\bfirst (?:to|work|paper|time|in|that|convergence|method|framework|\w+ (?:to|"
        r"analysis|framework))|first-of"
    ),
    "new": r"\bnew\b|unexplored|under-?explored|less explored|overlooked|perspective|fresh",
    "similar to": (
        r"similar (?:to|idea|approach|work|method)|same (?:as|idea)|differ(?:ence|ent|s)?"
        r" (?:from|between|to|with)|builds? (?:on|upon)|based on|inspired by|borrow\w*|"
        r"largely|mostly"
    ),
    "important problem": (
        r"(?:important|significant|relevant|interesting|critical|crucial|challenging|timely|"
        r"practical|real|open|meaningful|useful|key|pressing|essential|fundamental|exciting|"
        r"valid|hot|common) (?:and \w+ )?(?:\w+ ){0,2}?(?:problems?|issues?|challenges?|"
        r"questions?|tasks?|topics?|settings?|areas?|directions?|scenarios?|trade-off|"
        r"limitation)"
    ),
    "problem is interesting": (
        r"(?:problem|topic|task|question|issue|setting|direction|area)s? (?:\w+ ){0,6}?(?:is|"
        r"are|seems?) (?:\w+ )?(?:important|interesting|timely|relevant|challenging|"
        r"significant|critical|meaningful|practical)"
    ),
    "problem": r"\bproblems?\b|\btasks?\b|\btopics?\b|research questions?|\bgoals?\b",
    "address": r"\b(?:address|tackl|stud|investigat|target|consider|solv|deal)\w*",
    "motivation": r"motivat\w+|rationale",
    "well motivated": r"well[- ]motivated|(?:strong|clear|good|clearly) (?:\w+ )?motivat\w+",
    "significance": (
        r"significance|importan(?:t|ce)|impact\w*|influen\w+|broad\w*|crucial|highly relevant"
    ),
    "useful": (
        r"useful\w*|valuable|benefi\w+|practical\w*|practitioners?|communit\w+|future (?:work|"
        r"research)|adopt\w*|applicab\w+|applications?|real[- ]world|deploy\w*|inspir\w+|"
        r"open-?sourc\w+|releas\w+|plug-and-play|easy to (?:implement|use|adopt)|easily|"
        r"attractive|potential"
    ),
    "flexible": (
        r"flexib\w+|general(?:ity|ly)?\b|any\b|arbitrary|agnostic|versatil\w+|scal(?:able|es|"
        r"ability)|efficien\w+|faster|without (?:re)?training|simple|simplicity"
    ),
    "experiment": r"experiment\w*|empiric\w+|evaluat\w+|ablat\w+|benchmarks?\b|simulations?",
    "results": r"results?\b|performances?|accurac\w+|gains?\b|improvements?",
    "baseline": (
        r"baselines?|compar\w+|competit\w+|state[- ]of[- ]the[- ]art|\bsota\b|previous"
        r" methods|existing methods"
    ),
    "outperform": (
        r"outperform\w*|superior\w*|(?:better|higher|best|strong|good|impressive|significant|"
        r"competitive|excellent|promising|consistent) (?:\w+ ){0,2}?(?:results?|performances?|"
        r"accurac\w+|gains?|improvements?|than)|state[- ]of[- ]the[- ]art|\bsota\b|improv\w+"
        r" (?:over|performance|the)"
    ),
    "thorough experiments": (
        r"(?:extensive|thorough|comprehensive|rigorous|solid|sufficient|convincing|systematic|"
        r"various|detailed|wide|large|diverse|multiple|many|careful|strong) (?:and \w+"
        r" )?(?:\w+ ){0,2}?(?:experiment\w*|evaluat\w+|ablation\w*|empirical\w*|stud(?:y|ies)|"
        r"analys[ie]s|comparisons?|validation|results?|datasets?|tasks?|baselines?|"
        r"benchmarks?)"
    ),
    "missing experiment": (
        r"(?:lack\w*|no|missing|without|limited|insufficient|not|only|small|more|additional|"
        r"other|further|recent|larger) (?:of )?(?:\w+ ){0,4}?(?:experiment\w*|evaluat\w+|"
        r"ablation\w*|comparisons?|compared?|baselines?|datasets?|benchmarks?|models|results|"
        r"analys[ie]s|tests?|validation|metrics?|error bars|statistic\w+)"
    ),
    "dataset": r"datasets?|imagenet|cifar\S*|mnist|benchmark|data\b",
    "metrics": (
        r"metrics?|standard deviations?|error bars?|confidence intervals?|statistic\w+|"
        r"significance test|seeds?|variance"
    ),
    "hyperparameter": r"hyper-?parameters?|sensitiv\w+|tun(?:e|ed|ing)|values? of",
    "runtime": (
        r"run-?times?|inference (?:time|speed)|computational (?:cost|complexity|overhead)|"
        r"cost|latency|memory|overhead|training time|expensive"
    ),
    "would like": (
        r"(?:would|could|can|should|might|may) (?:be |have )?(?:\w+ )?(?:nice|good|great|"
        r"helpful|better|like|interesting|useful|benefit|strengthen\w*|include|provide|show|"
        r"add|consider|discuss|compare)"
    ),
    "only": r"\bonly\b|solely|just\b|limited to|restricted|focus(?:es|ed)? on",
    "code": r"\bcodes?\b|reproduc\w+|replicab\w+|source",
    "user study": r"human|user stud\w+|annotat\w+|qualitative|quantitative|case stud\w+",
    "setup": r"set-?ups?|settings?|configuration|protocol",
    "theory": r"theor(?:y|ies|etic\w*|ems?)|lemmas?|corollar\w+|propositions?",
    "proof": r"proofs?|prov(?:e|es|ed|en|able|ably|ing)\b|deriv(?:e|es|ed|ation)\w*",
    "bound": (
        r"bounds?\b|regret|converge\w*|guarantees?|rates?\b|optimal(?:ity)?|complexity|"
        r"convex\w*|gradient|lipschitz|asymptotic\w*"
    ),
    "assumption": r"assum(?:e|es|ed|ing|ptions?)|conditions?\b|hold\b|unrealistic",
    "justify": r"justif\w+|rigor\w*|formal\w*|mathematic\w*|principled|sound(?:ness)?\b|solid",
    "intuition": r"intuit\w+|insights? (?:into|on|about)|reason\w*",
    "limitations": (
        r"limitations? (?:of|section|discussion|is|are)|(?:discuss\w*|address\w*|mention|"
        r"acknowledg\w*|about|potential) (?:\w+ ){0,3}?limitations?|failure (?:cases?|modes?)|"
        r"fails?\b|societal|ethic\w+|broader impact|negative"
    ),
    "findings": (
        r"findings?|insights?|insightful|observations?|takeaways?|implications?|phenomen\w+|"
        r"conclusions?|reveal\w*"
    ),
    "claim": r"claims?|claimed|over-?claim\w*|overstat\w+|statements?|argument",
    "trade-off": (
        r"trade-?offs?|when (?:\w+ ){0,4}(?:fail|work)|future (?:work|research|directions)"
    ),
    "related work": (
        r"related works?|literature|prior (?:work|art|research|methods?)|previous works?|"
        r"earlier work|background|survey"
    ),
    "cite": (
        r"cit(?:e|es|ed|ing|ation|ations)\b|references?\b|bibliograph\w*|acknowledg\w+|"
        r"relevant (?:works?|papers?|references?|literature)|discuss(?:ion)? (?:\w+"
        r" ){0,4}(?:works?|papers?|literature|methods)"
    ),
    "position": r"position\w*|contextuali[sz]\w*|relation(?:ship)? (?:to|with)|connection",
    "method": (
        r"methods?\b|methodolog\w*|approach\w*|algorithms?|architectures?|frameworks?|"
        r"techniques?|modules?|pipeline|components?|strateg\w+"
    ),
    "idea": r"\bideas?\b|concepts?\b|designs?\b|formulation|combin\w+|integrat\w+|mechanisms?",
    "interesting idea": (
        r"(?:interesting|nice|neat|elegant|clever|good|sensible|appealing|compelling|"
        r"intuitive|reasonable|cool|great|simple|natural|promising|intriguing) (?:and \w+"
        r" )?(?:\w+ )?(?:ideas?|approach\w*|methods?|concepts?|solutions?|designs?|direction|"
        r"way|formulation)|(?:idea|method|approach|solution|design|framework|model|"
        r"formulation)s? (?:\w+ ){0,8}?(?:is|are|seems?|looks?) (?:\w+ )?(?:interesting|nice|"
        r"neat|elegant|clever|good|sensible|intuitive|reasonable|simple|natural|promising|"
        r"intriguing|compelling)"
    ),
    "propose start": (
        r"(?:the |this )?(?:authors?|paper|work|manuscript|they|it)?\s*(?:\w+ )?(?:propos\w+|"
        r"introduc\w+|develop\w*|present\w*|provides?|extends?|design\w*|combin\w+|explor\w+)"
    ),
    "effective": r"effective\w*|robust\w*|stable|stability",
    "requires": (
        r"requir\w+|rel(?:y|ies|iance)|depend\w*|need(?:s|ed)?\b|heavily|complicated|"
        r"complex\b|involved"
    ),
    "new data": (
        r"(?:new|novel|introduc\w+|propos\w+|collect\w*|constructed|curated|releas\w+) (?:\w+"
        r" ){0,4}?(?:datasets?|benchmark|corpus)|datasets? (?:\w+ ){0,5}?(?:valuable|useful|"
        r"released|contribution|well[- ])"
    ),
    "paper": r"\b(?:paper|manuscript|submission|article)\b",
    "this work": r"\b(?:this|the|their) work\b|contributions?",
    "overall": r"overall|in general|generally|as a whole",
    "none": (
        r"no (?:\w+ )?(?:major |significant |other )?(?:weakness\w*|flaws?|concerns?|"
        r"shortcomings?)|(?:not|n't) (?:\w+ )?(?:find|see|have|identify|observe)\w* (?:\w+"
        r" )?(?:weakness\w*|concerns)|minor|strong paper|resolved|i (?:like|enjoyed)|quality"
    ),
    "sound": (
        r"technically sound|\bsound\b|correct\w*|makes? sense|reasonable|valid\b|well[-"
        r" ](?:justified|supported|validated|founded)|convinc\w+|careful\w*"
    ),
    "wrong": (
        r"incorrect\w*|wrong\w*|inaccura\w+|invalid|errors?\b|flaw\w*|contradict\w*|"
        r"inconsisten\w*|unfair\w*|bias\w*|not (?:\w+ )?(?:true|correct|hold|convincing|"
        r"convinced|fair|sufficient|enough)|unconvincing|doubt\w*|concern\w*|questionable|"
        r"problematic"
    ),
    "lack": (
        r"lack\w*|missing|absen\w+|omi(?:t|ts|tted|ssion)\b|without|neglect\w*|ignor\w+|"
        r"overlook\w*|fail\w* to|(?:does|do|did|is|are) not|doesn'?t|\bno\b|none of"
    ),
    "degree": (
        r"limited|weak\w*|insufficient\w*|marginal\w*|modest|poor\w*|narrow|small\b|simple\b|"
        r"toy|naive|restrict\w*"
    ),
    "how many": (
        r"how many|number of|what value|what size|which (?:dataset|model|version)|(?:training|"
        r"implementation|experimental) (?:details?|settings?|setup)"
    ),
    "practical": (
        r"practical\w*|practitioners?|real[- ]world|deploy\w*|industr\w+|applications?|"
        r"applicab\w+"
    ),
    "release": (
        r"releas\w+|publicly|open-?sourc\w+|available|communit\w+|resource|valuable|useful"
    ),
    "enables": (
        r"enabl\w+|allow\w*|facilitat\w+|can be (?:\w+ )?(?:used|applied|integrated|extended|"
        r"generalized)|works? (?:with|for|across)|paves?|advance\w*|inspir\w+|promising"
    ),
    "efficient": r"efficien\w+|fast\w*|speed\w*|lightweight|cheap\w*|cost\w*",
    "praise": (
        r"\b(?:good|great|nice|nicely|interesting|impressive|elegant|clever|strong|solid|"
        r"excellent|cool|intriguing|neat|insightful|appreciate|like)\b"
    ),
    "contribution": r"contributions?",
    "not contribution": (
        r"(?:contributions?|novelty|originality) (?:\w+ ){0,5}?(?:limited|unclear|marginal|"
        r"weak|small|incremental|minor|insufficient|not)|(?:limited|minor|marginal|small|"
        r"insufficient|lacks?|no) (?:\w+ ){0,2}?(?:contributions?|innovations?|novelty)"
    ),
    "discuss": r"discuss\w*|analy[sz]\w+|investigat\w+|explor\w+|stud(?:y|ied|ies)\b",
    "verify": (r"verif\w+|validat\w+|demonstrat\w+|show(?:s|n|ed)?\b|support\w*|evidence|prove\b"),
    "whether": (
        r"whether|\bif\b|is it|are (?:the|there|these)|does (?:the|this|it)|did (?:the|you)|do"
        r" (?:the|you)"
    ),
    "can you": (
        r"(?:can|could|would|will|do|did|have) (?:the authors?|you|they)|please|i (?:suggest|"
        r"recommend|wonder|would)|curious"
    ),
    "error": (
        r"incorrect\w*|wrong\w*|inaccura\w+|invalid|flaw\w*|errors? in|mistake\w*|"
        r"contradict\w*|false\b|(?:does|do|may|might) not (?:\w+ )?hold"
    ),
    "reference missing": (
        r"(?:works?|papers?|references?|literature|citations?) (?:\w+ ){0,4}?(?:missing|not"
        r" (?:\w+ )?(?:cited|discussed|mentioned|included|compared))|(?:cite|mention|discuss|"
        r"acknowledge|missing) (?:\w+ ){0,4}?(?:works?|papers?|references?|literature|"
        r"citations?)"
    ),
    "we like": (
        r"(?:i|we) (?:\w+ )?(?:like|enjoy|appreciate)\w*|(?:idea|method|approach|model|paper|"
        r"work)s? is (?:\w+ )?(?:interesting|nice|neat|good|cool|great|intriguing|fine)"
    ),
}
"""Names of cues and what they look like in lower-case text, from the beginning of a word."""

LABELS: dict[str, str] = {
    "novelty": r"novel\w*|originality|innovation|creativ\w*",
    "clarity": r"clarity|writing|presentation|readability",
    "significance": r"significance|impact|relevance|applicab\w*|practical\w*",
    "quality": r"quality|soundness|technical\w*",
    "experiments": (
        r"(?:\w+ )?(?:experiment\w*|evaluation|results?|ablation\w*|baselines?|empirical\w*|"
        r"comparison|performance|validation)(?: \w+)?"
    ),
    "related": r"related works?|literature(?: review)?|prior work|citations?|references",
    "theory": r"(?:\w+ )?(?:theor\w+|analysis|proofs?|assumptions?)",
    "motivation": r"(?:\w+ )?motivation|problem",
    "reproducibility": r"reproducib\w*|code",
}
"""What a label before a colon at the beginning of a point may name ("**Clarity:** .."), by cue."""

CRITERIA: dict[str, tuple[str, ...]] = {
    "clear": ("written", "clearly"),
    "new": ("novel", "new", "first to"),
    "matters": ("significance", "useful", "important problem", "well motivated"),
    "holds": ("outperform", "thorough experiments", "sound", "justify"),
}
"""Cues of each criterion: a point that shows several criteria may have no single aspect."""

NAME = "lexical"
WEIGHTS = Path(__file__).with_name("lexical_weights.json")
_LEAD = re.compile(r"^\W*the reviewer\s+\w+\s+", re.IGNORECASE)
_LONGEST = 2_000
"""Characters of a point that are read: what it is about stands at its beginning."""
_PRESENT, _WORDS = 0.5, 2.0
"""Value of a cue that is there, and length of the vector of words."""
_LATER = 0.5
"""Share of its value that a word has after the first sentence."""
_LATER_CUE = 0.3
"""Likewise a cue: reasons and examples do not change what a point is about."""
_EARLY = 45
"""Characters in which a cue stands at the beginning of a point."""
_SHORTEST = 12
"""Characters of a piece that counts as a sentence: less is a number or a label."""
_SHORT, _LONG = 12, 80
"""Words of a short and of a long point."""
_MOST_SENTENCES = 4


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(rf"(?<!\w)(?:{pattern})")) for name, pattern in CUES.items())


@cache
def _labels() -> tuple[tuple[str, re.Pattern[str]], ...]:
    before = (
        r"(?:limited|lack of|poor|strong|good|weak|missing|insufficient|concerns? (?:on|about))"
    )
    return tuple(
        (name, re.compile(rf"[\W\d]*(?:{before} )?(?:{pattern})\b[^:.]{{0,25}}[*]*\s*[:.]"))
        for name, pattern in LABELS.items()
    )


@cache
def models() -> Mapping[str, LinearModel]:
    """The models by kind of facet."""
    return load_linear_models(WEIGHTS)


def annotate(points: Iterable[FacetPoint]) -> Iterator[Labelled]:
    """Label points, in order."""
    for point in points:
        target, aspect = facets_of(point.text, point.polarity)
        yield Labelled(point, target, aspect)


def facets_of(text: str, polarity: Polarity) -> tuple[str, str]:
    """Target and aspect of a point: the facets with the highest sums, the first one of equals."""
    values = features(text, polarity)
    target = models()[FacetKind.TARGET].choose(values)
    values[target_feature(target)] = 1.0
    return target, models()[FacetKind.ASPECT].choose(values)


def target_feature(target: str) -> str:
    """Name of the feature by which the aspect depends on the target."""
    return f"target:{target}"


def features(text: str, polarity: Polarity) -> dict[str, float]:
    """Features of a point that are not zero, by name.

    ``word:`` is the stem of a word; ``cue:`` a cue, ``early:`` and ``strength:`` or ``weakness:``
    the same at the beginning of a point, and in the first sentence of a point of this polarity;
    ``label:`` a label before a colon; ``criteria:`` how many criteria are spoken of.

    Args:
        text: The point, verbatim; more than its first 2,000 characters are not read.
        polarity: Praise or criticism.
    """
    read = _LEAD.sub("", text[:_LONGEST], count=1)
    pieces = [read[start:end].lower() for start, end in sentences(read, 0, len(read))]
    parts = [piece for piece in pieces if len(piece) > _SHORTEST] or [read.lower()]
    values = _words(parts)
    length = len(read.split())
    values |= _cues(read.lower(), parts, polarity)
    values |= {f"label:{name}": 1.0 for name, pattern in _labels() if pattern.match(parts[0])}
    values["length"] = min(length, _LONG) / _LONG
    values["sentences"] = min(len(parts), _MOST_SENTENCES) / _MOST_SENTENCES
    values[f"polarity:{polarity}"] = _PRESENT
    if length < _SHORT:
        values["short"] = _PRESENT
    return values


def _words(parts: list[str]) -> dict[str, float]:
    """Stems of words; those of the first sentence count most."""
    values: dict[str, float] = {}
    for place, part in enumerate(parts):
        value = _LATER if place else 1.0
        for word in words(part):
            if not word[0].isdigit():
                values.setdefault(f"word:{stem(word)}", value)
    length = sqrt(sum(value * value for value in values.values())) / _WORDS
    return {name: value / length for name, value in values.items()}


def _cues(text: str, parts: list[str], polarity: Polarity) -> dict[str, float]:
    values: dict[str, float] = {}
    first = parts[0]
    for name, pattern in _patterns():
        hit = pattern.search(first)
        if hit:
            values[f"cue:{name}"] = values[f"{polarity}:{name}"] = _PRESENT
            if hit.start() < _EARLY:
                values[f"early:{name}"] = _PRESENT
        elif len(parts) > 1 and pattern.search(text):
            values[f"cue:{name}"] = _PRESENT * _LATER_CUE
    criteria = sum(any(f"cue:{cue}" in values for cue in cues) for cues in CRITERIA.values())
    values[f"criteria:{criteria}"] = values[f"{polarity}:criteria {criteria}"] = _PRESENT
    return values
