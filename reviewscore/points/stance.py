"""Whether a sentence of a review criticises, asks, praises, decides or is only polite."""

from __future__ import annotations

import re
from enum import StrEnum

SHORT = 260
"""Longest sentence in characters that can be only a remark."""

LOOKED_AT = 1000
"""Characters of a sentence that are looked at."""


def cue(*patterns: str) -> re.Pattern[str]:
    """A pattern that finds any of the cues at the start of a word."""
    return re.compile(r"\b(?:" + "|".join(patterns) + ")", re.IGNORECASE)


_POLITE = cue(
    r"look(?:ing)? forward to",
    r"thank(?:s| you| the authors)",
    r"(?:i|we) (?:\w+ )?hope (?:that )?(?:(?:the )?authors? (?:can|could|will) (?:address|"
    r"respond)|my|"
    r"these|this|the (?:comments|feedback|rebuttal|review))",
    r"hopefully (?:\w+ ){0,3}(?:author|address)",
    r"(?:happy|willing|open|glad|inclined|ready|consider|would like|likely) (?:\w+ ){0,3}(?:to )?"
    r"(?:\w+ )?(?:rais|increas|updat|chang|revis|re-?consider|re-?evaluat|improv|adjust|upgrad|"
    r"reassess)\w* (?:\w+ ){0,4}(?:score|rating|review|assessment|recommendation|evaluation|"
    r"opinion|mind|vote|grade|decision)",
    r"(?:(?:rais|increas|updat|chang|revis|lower|adjust|keep|maintain|chang)\w*) (?:\w+ )?(?:my|"
    r"the|this) (?:\w+ )?(?:score|rating|recommendation|evaluation|assessment|decision|vote)",
    r"apolog\w+",
    r"(?:no|(?:n[o'’]t|not) (?:find|see|have|notice|spot|identify) (?:any )?)\W?(?:major |"
    r"significant |"
    r"serious |obvious |particular |other |further )*(?:weakness(?:es)?|concerns?|flaws?)\W*$",
    r"good luck",
    r"congratulat\w+",
)
_POINTER = re.compile(
    r"\W*(?:please|kindly|also|and)?,? ?(?:also )?(?:see|refer(?: back)? to|check|read|address|"
    r"respond "
    r"to|answer|clarify) (?:\w+ ){0,5}(?:(?:weakness\w*|strengths?|cons|concerns?|questions?|"
    r"comments?|"
    r"points?|issues?|sections?|box(?:es)?|summary)\b(?: \w+){0,4}|(?:the )?(?:above|"
    r"below)(?: \w+){0,4}|"
    r"suggestions)\W*$",
    re.IGNORECASE,
)
_DECISION = cue(
    r"(?:i|we|my|therefore|thus|hence|overall|so|reviewer|in (?:summary|conclusion|"
    r"total))\b.{0,120}"
    r"\b(?:recommend\w*|vot(?:e|ing)|lean(?:s|ing)?|inclin\w+|scor\w+|rat(?:e|ed|ing)|tend\w*|"
    r"suggest\w*|give|giving|favou?r|support\w*|advocat\w*|opt|decid\w*|argue|side|think|believe|"
    r"consider|recommendation)\b"
    r".{0,80}\b(?:accept(?:ance|ed|ing)?|reject(?:ion|ed|ing)?|borderline|threshold|publi(?:cation|"
    r"shed)|score|rating|[1-9]/10)\b",
    r"(?:above|below|under|meets?|reach\w*) (?:\w+ )?(?:the )?(?:acceptance|accept) "
    r"(?:threshold|bar)",
    r"(?:weak|strong|clear|borderline|marginal\w*|leaning) (?:accept|reject|acceptance|"
    r"rejection)\b",
    r"ready (?:for|to be) publi\w+",
    r"(?:warrants?|worth|merits?|deserves?|worthy of|in favou?r of|justify) (?:\w+ ){0,2}"
    r"(?:accept\w*|publi\w*|reject\w*)",
    r"not (?:\w+ ){0,3}(?:ready|suitable|fit|meet)\b.{0,40}(?:accept|publi|bar|standard)",
    r"should be (?:accepted|rejected|published)",
    r"i (?:am|'m) not (?:an expert|very familiar|familiar|too familiar)",
    r"i (?:did not|didn't|have not|haven't) (?:\w+ )?(?:check|verif|read|"
    r"go through)\w* (?:\w+ ){0,3}"
    r"(?:proof|derivation|appendi|detail|math|supplement|code)\w*",
)
_REMARK = cue(
    r"(?:as follows|(?:listed|detailed|outlined|described|given) below)\W*$",
    r"reproducib\w+ is not (?:an?|applicable|relevant|the)\b",
    r"aspects of the contributions exist in prior work",
    r"the contributions are (?:only )?(?:marginally |somewhat )?(?:significant|new|"
    r"novel)\b.{0,40}$",
    r"strengths? and (?:the )?weakness(?:es)?",
    r"(?:i am|i'm|im) not (?:\w+ ){0,4}(?:in|of|from) (?:this|the|that) (?:area|field|topic|"
    r"subfield)",
    r"(?:several|some|following|many|few|multiple|number of|list of) (?:\w+ ){0,2}(?:concerns|"
    r"questions|"
    r"issues|weaknesses|comments|suggestions|problems|points)(?: (?:about|with|on|for|in|of|"
    r"regarding|"
    r"to|that|below|here)(?: \w+){0,5})?\s*[.:]?\W*$",
    r"(?:after|having) (?:\w+ )?(?:read|see)\w* (?:\w+ ){0,4}(?:rebuttal|responses?|repl(?:y|ies))",
)
_EMPTY = re.compile(
    r"""^\W*(?:
        (?:n\W?a|none|nothing|nil|no|yes|not\ (?:applicable|available|relevant)|tbd|see\ above|
           see\ below|as\ above|ok(?:ay)?|good|fine|same\ as\ above|nope|empty|affirmed|
           nbsp|idem|ditto)
        (?:\ (?:noted|found|that\ i\ (?:know|am\ aware)\ of|to\ report|at\ this\ (?:time|point)|
           specifically|really|in\ particular|applicable|observed))?
      | (?:(?:i\ )?(?:have|see|there\ are|there\ is|i\ do\ not\ have\ any|do\ not\ have)\ )?
        (?:no|any)\ (?:\w+\ ){0,3}(?:questions?|comments?|concerns?|weakness(?:es)?|issues?|
           suggestions?|typos|requests?|changes)(?:\ (?:for|from|to|at|on|in)\b.{0,40})?
      | (?:please\ |kindly\ )?(?:(?:also\ )?(?:see|refer(?:\ to)?|check|cf|look\ at|
           as\ (?:in|mentioned|stated|noted|discussed)|same\ as|mentioned|listed|
           described|covered)\b)
        (?:\ \w+){0,3}\W+(?:above|below|weakness\w*|strengths?|summary|main|review|questions?|
           comments?|box|previous|other|cons)\b.{0,60}
    )\W*$""",
    re.IGNORECASE | re.VERBOSE,
)


def is_empty(text: str) -> bool:
    """Whether a box or entry says nothing: ``-``, ``N/A``, ``None``, ``See above``."""
    if len(text) > SHORT:
        return False
    return not any(char.isalnum() for char in text) or _EMPTY.match(text) is not None


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: it ends with a question mark, closing signs aside."""
    tail = sentence[-40:].rstrip(" \t\r\n\"'”’)]}*_.!")
    return tail.endswith("?")


def is_aside(sentence: str) -> bool:
    """Whether a sentence is politeness, a decision, or a pointer to another box."""
    text = sentence[:LOOKED_AT]
    if is_empty(text) or _DECISION.search(text):
        return True
    if len(text) <= SHORT and _REMARK.search(text):
        return True
    polite = _POINTER.match(text) is not None or _POLITE.search(text) is not None
    return polite and not is_question(text)


def is_pointer(sentence: str) -> bool:
    """Whether a sentence only sends the reader to another place of the review."""
    return _POINTER.match(sentence) is not None and not is_question(sentence)


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence holds words of politeness, or of a score that may change."""
    return _POLITE.search(sentence) is not None


def is_decision(sentence: str) -> bool:
    """Whether a sentence recommends acceptance or rejection, or says what was not checked."""
    return _DECISION.search(sentence) is not None


class Stance(StrEnum):
    """What a sentence does."""

    CRITICAL = "critical"  # a weakness or a request for change
    QUESTION = "question"
    PRAISE = "praise"
    NEUTRAL = "neutral"  # description, background, reasons
    ASIDE = "aside"  # politeness, decisions and pointers to other boxes


_CRITICAL = cue(
    r"unclear",
    r"not (?:\w+ ){0,3}(?:clear|convinc|novel|new|enough|sufficient|well|easy|explain|discuss|"
    r"compar|provid|mention|address|justif|support|defin|describ|show|present|stud|evaluat|"
    r"report|includ|consider|understand|see|sure|significant|surpris|true|correct|consistent|"
    r"obvious|fair|self|good|strong|very|properly|clearly|fully|persua|realistic|practical)",
    r"lack(?:s|ed|ing)?\b",
    r"missing",
    r"limited",
    r"insufficient\w*",
    r"incremental",
    r"marginal(?:ly)? (?:\w+ )?(?:improv|gain|better|contribut|novel|increase|benefit|differ|"
    r"above)\w*",
    r"(?:is|are|only|rather|very|quite|seems?|somewhat|fairly|looks?) (?:\w+ )?marginal\b",
    r"weak(?:er|est|ness|nesses|ly)?\b(?![- ](?:supervis|label))",
    r"concern(?:s|ed)?\b",
    r"unfortunately",
    r"(?:hard|difficult|tough|challenging|impossible) (?:\w+ ){0,2}to\b",
    r"difficult to",
    r"confus\w+",
    r"(?:should|must|needs? to|ought to) (?:\w+ )?(?:be|have|also|include|provide|add|compare|"
    r"discuss|explain|clarif\w+|report|show|cite|mention|define|describe|consider|make|give|do|"
    r"use|improve|present|evaluate|state|address|justify|test|run)",
    r"(?:would|could|might|may|will) (?:\w+ ){0,2}be (?:\w+ ){0,2}(?:helpful|better|nice|"
    r"interesting|"
    r"good|great|useful|valuable|beneficial|worth\w*|preferable)(?: \w+)? (?:to|if|for|with|when)",
    r"(?:would|could|might) be (?:\w+ ){0,2}(?:useful|helpful|interesting|nice|good|great|valuable|"
    r"beneficial|better|appreciated)\b(?=\W*(?:$|[.;,]))",
    r"(?:would|could|might|may|will) (?:\w+ ){0,3}(?:benefit from|help(?:ful)?\b|strengthen|"
    r"improve|"
    r"like to (?:see|know|have|understand|ask)|have (?:been|liked)|prefer|appreciate|expect)",
    r"(?:suggest|recommend|encourage|urge) (?:\w+ ){0,4}(?:to|that|adding|including|the authors|"
    r"authors|using|providing|discussing)",
    r"please (?!see|refer)",
    r"wonder\w*",
    r"curious",
    r"fail(?:s|ed)? to",
    r"poor(?:ly)?\b",
    r"worse",
    r"over-?(?:claim|stat|sell)\w*",
    r"inconsisten\w+",
    r"incorrect\w*",
    r"wrong\w*",
    r"typos?\b",
    r"grammatical",
    r"doubt\w*",
    r"skeptical",
    r"trivial",
    r"straightforward (?:\w+ )?(?:combination|extension|application|adaptation)",
    r"(?:simple|direct|mere) (?:combination|extension|application)",
    r"combination of (?:existing|known|previous|two)",
    r"vague\w*",
    r"ambigu\w+",
    r"ad[- ]hoc",
    r"hardly",
    r"somewhat (?:limited|unclear|hard|difficult|weak|incremental|confusing|lacking|low|unfair)",
    r"no (?:\w+ ){0,2}(?:comparison|discussion|analysis|evidence|experiment|explanation|"
    r"ablation|code|theor|guarantee|mention|detail|result|evaluation|justification|reference|"
    r"proof|error bar|baseline|description|intuition|definition|empirical|significant)\w*",
    r"neither",
    r"never (?:\w+ )?(?:explain|defin|mention|discuss|introduc|evaluat|stated|show|compar|justif)",
    r"without (?:\w+ ){0,2}(?:explanation|justif|any|discuss|further|detail|proper)\w*",
    r"questionable",
    r"problematic",
    r"un(?:fair|realistic|convincing|justified|supported)",
    r"unnecessar\w+",
    r"too (?:many|much|strong|small|simple|short|long|brief|few|limited|dense|restrictive|weak|"
    r"similar|vague|complicated|complex|general)",
    r"restrict(?:ive|ed)",
    r"sloppy",
    r"mislead\w*",
    r"contradict\w*",
    r"(?:downside|drawback|shortcoming|caveat)s?",
    r"hand-?wav\w+",
    r"cherry",
    r"(?:minor|my|one|another|only|main) suggestion",
    r"outdated",
    r"undefined",
    r"(?:more|further|additional|better|deeper|other) (?:\w+ ){0,2}(?:experiment|detail|discussion|"
    r"explanation|analys|clarification|comparison|baseline|dataset|evidence|justification|"
    r"ablation|evaluation|information|intuition|insight)\w* (?:\w+ ){0,4}(?:would|should|could|"
    r"needs?|needed|is required|are required|are necessary|is necessary)\b",
    r"only (?:\w+ ){0,3}(?:on|one|two|a|compare|evaluat|test|consider|small|toy|minor|margin)",
    r"can be (?:further |significantly |greatly |much )?(?:improved|better|strengthened)",
    r"could be (?:\w+ )?(?:improved|better|clearer|more|clarified|expanded|made|stronger|"
    r"explained)",
    r"low(?:ers)? (?:the )?(?:novelty|quality|originality)",
    r"(?:novelty|contribution|originality|significance)\w* (?:\w+ ){0,6}(?:is|are|seems?|appears?|"
    r"remains?) (?:\w+ ){0,3}(?:low|limited|minor|small|thin|moderate|weak|questionable)",
    r"lower than",
    r"similar to (?:\[|the (?:work|paper|idea)|prior|previous|existing)",
    r"(?:minor|small) (?:issue|comment|improvement|error|mistake|novelty)",
    r"mistakes?\b",
    r"errors? in",
    r"rather (?:than )?(?:limited|weak|small|minor|trivial|incremental)",
)
_WEAKLY_CRITICAL = cue(
    r"not\b",
    r"(?:isn|aren|doesn|don|didn|wasn|can|couldn|won|hasn|haven)['’]?t\b",
    r"cannot",
    r"less\b",
)
_CONTRAST = cue(r"however", r"but", r"although", r"though", r"despite", r"yet", r"while")
_PRAISE = cue(
    r"well[- ](?:written|motivated|organi[sz]ed|structured|presented|designed|executed|explained|"
    r"supported|done|justified|positioned|grounded|thought)",
    r"easy to (?:\w+ ){0,2}(?:follow|read|understand|reproduce|implement|use)",
    r"(?:is|are|seems?|appears?|looks?|quite|very|and|an?|also|highly|really|overall) "
    r"(?:\w+ly |very |quite |also |fairly |pretty |somewhat |overall )*"
    r"(?:novel|interesting|important|impressive|strong|good|solid|sound|convincing|thorough|"
    r"extensive|comprehensive|original|significant|nice|elegant|clear|clean|intuitive|reasonable|"
    r"effective|useful|valuable|timely|relevant|reproducible|promising|insightful|excellent|"
    r"great|high|sufficient|adequate|new|innovative|rigorous|appealing|compelling|practical|"
    r"technically|simple|competitive|detailed|straightforward to|refreshing)",
    r"clearly (?:written|presented|explained|described|motivated|stated)",
    r"(?:i|we) (?:\w+ )?(?:like|enjoy|appreciate|commend|applaud|believe the (?:work|paper) is)\w*",
    r"novel(?:ty)?\b",
    r"outperform\w*",
    r"state[- ]of[- ]the[- ]art",
    r"strengths?\b",
    r"(?:good|nice|great|excellent|impressive|interesting|strong|solid|extensive|comprehensive|"
    r"thorough|detailed|convincing|promising|clear|important|novel|original|valuable|useful|"
    r"insightful|rigorous|sound|high|superior) \w+",
    r"(?:code|implementation|source)s? (?:\w+ ){0,3}(?:is|are|has been|was|were) (?:\w+ )?"
    r"(?:provided|available|included|released|given|submitted)",
    r"(?:can|should|could) be (?:\w+ )?reproduced",
    r"reproducible",
    r"contributes?",
    r"benefici\w+",
    r"sheds?\b",
    r"new (?:insight|perspective)",
    r"(?:should|can|could) be (?:\w+ )?(?:easy|possible|straightforward|able)",
)
_NEGATED_PRAISE = cue(
    r"(?:not|never|hardly|neither|nor|(?:is|are|was|were|do|does|did|seem|has|have)n['’]t) "
    r"(?!only\b|just\b|merely\b)(?:(?:even|be|a|an|the|very|really|that|so|too|quite|seem|look|"
    r"particularly|especially|to|always|all|entirely|sufficiently) ){0,3}"
    r"(?:helpful|useful|novel|new|good|great|nice|strong|convincing|clear|interesting|impressive|"
    r"solid|sound|important|valuable|insightful|rigorous|effective|original|significant|promising|"
    r"intuitive|reasonable|comprehensive|thorough|practical)(?: \w+)?",
)
_NEGATED_CRITICISM = cue(
    r"no (?:major |significant |serious |particular |further |obvious |real |clear |other |big )*"
    r"(?:concerns?|weakness(?:es)?|issues?|complaints?|problems?|questions?|drawbacks?|doubts?)",
    r"not (?:only|limited to|just|merely)\b",
    r"(?:n[o'’]t|not) (?:find|see|have|notice|spot|identify) (?:any )?(?:\w+ )?(?:concerns?|"
    r"issues?|"
    r"problems?|weakness(?:es)?|flaws?|doubts?)",
    r"not (?:\w+ ){0,3}trivial(?:ly)?",
    r"should not be (?:\w+ )?(?:hard|difficult)",
    r"need to be commended|(?:hard|difficult|expensive) to (?:obtain|collect|acquire|annotate)",
    r"without (?:a )?doubt",
    r"to (?:the best of )?my (?:best )?knowledge",
    r"address(?:es|ed|ing)? (?:\w+ ){0,4}(?:issues?|problems?|limitations?|drawbacks?|concerns?|"
    r"shortcomings?|challeng\w+|lack)",
    r"(?:overcom|mitigat|solv|tackl|alleviat|resolv)\w+ (?:\w+ ){0,5}(?:issues?|problems?|"
    r"limitations?|drawbacks?|shortcomings?|difficult\w*|lack)",
    r"(?:challenging|limited (?:data|resources?|compute|budget|supervision|labels?)|"
    r"missing (?:data|values?|labels?|modalit\w+|entries))",
    r"weakly[- ]supervised",
    r"non-?trivial",
    r"should (?:\w+ )?be (?:\w+ )?(?:reproducible|reproduced|easy|possible|able|straightforward|"
    r"sufficient|fine|ok)",
    r"(?:are|is) (?:probably |likely )?(?:not|n't) (?:too |very |overly )?(?:limiting|restrictive|"
    r"difficult|hard|a problem|an issue)",
    r"lack of (?:data|labels?|supervision|annotat\w+|labeled)",
    r"hard (?:negative|label|constraint|example|attention|sample|prompt)\w*",
)
_RATED = re.compile(
    r"^\W*(?:[\w/&, ]{3,40}?\s*(?:[:\-–]|is|are|seems|looks)\s*)?(?:very |fairly |quite |overall |"
    r"rather |relatively |generally |pretty )*"
    r"(?:good|fair|high|medium|not (?:applicable|available|relevant)|ok|okay|fine|low|poor|"
    r"excellent|average|moderate|marginal|"
    r"acceptable|decent|clear|yes|no|n/?a|limited|great|solid|strong|weak|significant|novel|"
    r"reasonable|satisfactory|sufficient|adequate|easy|hard|below average|above average|"
    r"\d+/\d+)\W*$",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\W*(?:in |overall,? )?(?:this|the) (?:\w+ )?(?:paper|work|article|manuscript|study|"
    r"submission)s? "
    r"(?:\w+ly )?(?:aims?|proposes?|presents?|introduces?|stud(?:y|ies)|investigates?|addresses|"
    r"considers?|develops?|describes?|explores?|tackles?|focus(?:es)? on|is about|deals with|"
    r"shows?|"
    r"provides?|extends?|examines?)\b|\W*the authors? (?:propose|present|introduce|study|"
    r"investigate|"
    r"develop)s?\b",
    re.IGNORECASE,
)


def is_summary(sentence: str) -> bool:
    """Whether a sentence tells what the paper does and no more."""
    return _SUMMARY.match(sentence) is not None and not has_criticism(sentence)


def is_bare_rating(text: str) -> bool:
    """Whether a line only grades a topic, such as ``Novelty: fair``."""
    return len(text) <= SHORT and _RATED.match(text) is not None


def is_polite(sentence: str) -> bool:
    """Whether a sentence is only politeness or a decision, whatever section it stands in."""
    text = sentence[:LOOKED_AT]
    if is_empty(text) or is_pointer(text):
        return True
    if not is_aside(text):
        return False
    if is_courtesy(text):
        return _REASONED.search(text) is None
    return is_decision(text) and _CRITICAL.search(text) is None


_REASONED = cue(
    r"unclear",
    r"lack(?:s|ing)?\b",
    r"missing",
    r"insufficient",
    r"not (?:\w+ )?(?:clear|enough)",
    r"because",
    r"since",
    r"due to",
    r"concern is",
)


def stance_of(sentence: str) -> Stance:
    """What a sentence of a mixed section does, by its words alone."""
    text = sentence[:LOOKED_AT]
    if is_aside(text):
        return Stance.ASIDE
    if is_question(text):
        return Stance.QUESTION
    stripped = _NEGATED_CRITICISM.sub(" ", text)
    critical = _CRITICAL.search(stripped) is not None
    praise = _PRAISE.search(_NEGATED_PRAISE.sub(" ", text)) is not None
    critical = critical or (not praise and _WEAKLY_CRITICAL.search(stripped) is not None)
    if critical and (_mostly_praise(stripped) or _conceded(stripped)):
        critical = False
    if critical:
        return Stance.CRITICAL
    if praise or stripped != text:
        return Stance.PRAISE
    return Stance.NEUTRAL


def _mostly_praise(text: str) -> bool:
    """A sentence whose only criticism stands before a contrast that praises."""
    cut = None
    for match in _CONTRAST.finditer(text):
        cut = match
    if cut is None or cut.group().lower() not in {"but", "however", "yet"}:
        return False
    after = text[cut.end() :]
    return _CRITICAL.search(after) is None and _PRAISE.search(after) is not None


_MAIN_CLAUSE = re.compile(r",\s+(?=(?:the|their|this|these|it|they|i|we|its)\b)", re.IGNORECASE)
_CONCESSION = re.compile(
    r"\W*(?:overall,? |in general,? )?(?:while|although|though|even though|despite|even if)\b",
    re.IGNORECASE,
)


def _conceded(text: str) -> bool:
    """A sentence whose only criticism is what it concedes before its main clause."""
    if _CONCESSION.match(text) is None:
        return False
    for comma in _MAIN_CLAUSE.finditer(text):
        after = text[comma.end() :]
        if _CRITICAL.search(after) is None and _PRAISE.search(after) is not None:
            return True
    return False


def has_criticism(sentence: str) -> bool:
    """Whether a sentence asks or criticises, even if it also praises."""
    return stance_of(sentence) in (Stance.CRITICAL, Stance.QUESTION)
