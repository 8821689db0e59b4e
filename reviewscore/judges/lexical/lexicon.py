"""The review aspects the finder knows: how reviewers name them and how papers head and state them.

Each aspect has three readings: what a reviewer calls it, what a heading or caption dedicated to
it looks like, and what a sentence must say to count as being about it. Stems of the words a
reviewer uses for an aspect are not asked for again as named parts of the wanted content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Aspect:
    """Something reviews commonly ask for.

    Attributes:
        name: Short name, used in rationales.
        asked: How a review point names it.
        heading: How a heading or caption dedicated to it reads.
        said: What a sentence about it says.
        alone: A sentence so plainly about it that it needs no heading; None if there is no such.
        flaggable: Whether a dedicated heading and a sentence can settle a point about it.
        may_concede: Whether a sentence that concedes something is what was asked for.
    """

    name: str
    asked: re.Pattern[str]
    heading: re.Pattern[str]
    said: re.Pattern[str]
    alone: re.Pattern[str] | None = None
    flaggable: bool = True
    may_concede: bool = False


def _aspect(
    name: str,
    asked: str,
    heading: str,
    said: str,
    *,
    alone: str | None = None,
    flaggable: bool = True,
    may: bool = False,
) -> Aspect:
    """Compile one line of the lexicon."""
    named, headed, stated = (
        re.compile(rf"\b(?:{part})", re.IGNORECASE) for part in (asked, heading, said)
    )
    plain = re.compile(alone, re.IGNORECASE) if alone else None
    return Aspect(name, named, headed, stated, plain, flaggable, may)


ASPECTS: tuple[Aspect, ...] = (
    _aspect(
        "societal impact",
        r"(?:(?:potential|possible|negative|broader|ethical|social|societal|adverse"
        r"|any)[ /,]+(?:and |or )?)*"
        r"(?:societal|social|ethical|negative|broader)(?: societal| social)? (?:impacts?"
        r"|implications?"
        r"|consequences?|considerations?|concerns?|issues|effects?|risks?|aspects?|outcomes?)\b"
        r"|ethics\b|misuse\b",
        r"(?:broader|societal|social|ethic\w*|negative|potential)(?: and \w+)? (?:societal "
        r"|social )?"
        r"(?:impacts?|considerations?|concerns?|implications?|statements?|aspects?|discussion"
        r"|review"
        r"|consequences?)\b|ethics?\b|societal\b|impact statement",
        r"(?:misus\w+|harm\w*|malicious\w*|malign\w*|negative\w*|unethical\w*|abus\w+|bias(?:es"
        r"|ed)?\b"
        r"|unfair\w*|discriminat(?:ion|ory|ed?)\b|privacy|surveillance|weapon\w*|deepfakes?"
        r"|disinformation"
        r"|misinformation|societ(?:y|al)|adverse\w*|dangerous|threat\w*|ethical\w*|carbon"
        r"|environmental"
        r" impact|job loss|concerns?\b|risks?\b)",
        alone=r"\b(?:negative|adverse|harmful)\b[^.]{0,40}\b(?:societ\w+|social|ethical)\b"
        r"|\b(?:societal|social|ethical)\b[^.]{0,20}\b(?:concerns?|risks?|issues?|impacts?"
        r"|implications?)\b|\bmalicious (?:use|purposes?|intent)|\bmisused?\b",
    ),
    _aspect(
        "limitations",
        r"(?:potential |possible |specific |main |key |any |current |the )*(?:limitations?"
        r"|drawbacks?"
        r"|shortcomings?|weakness(?:es)?|downsides?|failure (?:cases?|modes?))\b",
        r"(?:limitations?|drawbacks?|shortcomings?|failure (?:cases?|modes?)|failures\b|caveats?"
        r"|negative results)",
        r"(?:limitation\w*|limited\b|drawback\w*|shortcoming\w*|fail(?:s|ed|ure|ures)?\b|cannot\b"
        r"|not able"
        r"|unable|restrict\w*|only (?:consider|work|appl|handle|support)\w*|does not|do not"
        r"|caveat\w*"
        r"|weakness\w*|struggle\w*|suffer\w*)",
        may=True,
        alone=r"\b(?:a|one|the|main|another|first|second|key|major|several|some|our"
        r"|potential) limitations? (?:of (?:our|this|the proposed|the present|the current)\b"
        r"|is\b|are\b)|\bour (?:method|approach|work|model|framework|algorithm) (?:has|have"
        r"|is|suffers)[^.]{0,30}\blimit(?:ations?|ed)\b",
    ),
    _aspect(
        "ablation",
        r"ablat\w*(?: stud(?:y|ies)| analys[ie]s| experiments?)?|contributions? of (?:each"
        r"|individual|"
        r"different|the different) (?:components?|modules?|parts?)",
        r"ablat\w*|(?:effects?|impact|contribution|importance|role) of (?:each|individual"
        r"|different) "
        r"(?:components?|modules?)|component analysis",
        r"(?:ablat\w*|without\b|w/o\b|remov\w+|replac\w+|variants?\b|components?\b|disabl\w+"
        r"|contribut\w+)",
    ),
    _aspect(
        "sensitivity",
        r"(?:how )?sensitiv\w*|robust\w* to (?:the )?(?:choice|hyper-?parameters?)|(?:effects?"
        r"|impact"
        r"|influence) of (?:the )?(?:choice of |different )?(?:hyper-?parameters?)",
        r"(?:sensitiv\w*|ablat\w*|(?:effects?|impact|influence|choice|role|analysis|study) (?:of"
        r"|on)\b"
        r"|robustness to|varying|hyper-?parameter (?:stud\w+|analys\w+|sensitiv\w+|choice"
        r"|selection)"
        r"|parameter (?:stud\w+|analys\w+|sensitiv\w+))",
        r"(?:sensitiv\w*|insensitiv\w*|robust\b|vary\w*|varied|varies|different (?:values?"
        r"|choices?|settings?"
        r"|numbers?)|rang(?:e|ing)\b|increas\w+|decreas\w+|larger|smaller|stable|degrad\w+"
        r"|affect\w*|effects? of)",
    ),
    _aspect(
        "hyper-parameters",
        r"hyper-?\s?parameters?(?: (?:choices?|settings?|tuning|values?|selection|search|details))?"
        r"|learning rates?|batch sizes?",
        r"hyper-?\s?parameters?|(?:implementation|training|experiment\w*|model|optimi[sz]ation) "
        r"(?:details?|settings?|set-?ups?|procedures?|protocols?)",
        r"(?:hyper-?\s?parameters?|learning rate|batch size|weight decay|optimi[sz]er|epochs?"
        r"|dropout"
        r"|grid search|tuned?\b|momentum|adam\b|sgd\b)",
        alone=r"\b(?:learning rate|batch size|weight decay|momentum)\b[^.]{0,30}\b(?:of|to|is|was"
        r"|=|as|from|at|in)\b[^.]{0,12}\d",
    ),
    _aspect(
        "computational cost",
        r"(?:computational(?:ly)?|computation|time|space|sample|memory|training|inference|runtime"
        r"|running)"
        r"[ -](?:and (?:memory|time|space|sample|runtime) )?"
        r"(?:complexit(?:y|ies)|costs?|overheads?|requirements?|times?|efficien(?:t|cy)|expens\w+"
        r"|resources?"
        r"|burden|budget|intensive|demands?|usage|footprint)|run-?times?|wall-?clock(?: time)?"
        r"|complexity analysis"
        r"|computational (?:and|or) memory|inference speed|latency|flops",
        r"(?:(?:computation\w*|time|memory|space|training|inference|running"
        r"|run)[ -](?:\w+ )?(?:complexit\w+"
        r"|costs?|overheads?|requirements?|times?|efficiency|speed|resources?|analysis|usage)\b"
        r"|complexit(?:y|ies)"
        r"(?: analysis| comparison)?|run-?times?\b|wall-?clock|latency|efficiency (?:analysis"
        r"|comparison)|speed-?up"
        r"|flops|computing (?:costs?|resources)|cost analysis)",
        r"(?:complexit\w+|run-?time|running time|seconds?\b|minutes?\b|hours?\b|wall-?clock"
        r"|gpus?\b|flops|memory"
        r"|o\s?\(|overhead|faster|slower|speed\w*|latency|computation\w* (?:cost|time|complexity"
        r"|overhead|efficien"
        r"\w+)|training time|inference time|cost\w*)",
        alone=r"\b(?:time|computational|space|memory|worst-case|overall"
        r"|total)[ -](?:\w+ )?complexity\b[^.]{0,60}(?:\bO\s?\(|\b(?:linear|quadratic|cubic"
        r"|logarithmic|polynomial)\b)|\b(?:training|inference|running|run"
        r"|runtime)\b[^.]{0,60}\b(?:takes?|took|requires?"
        r"|costs?)\b[^.]{0,40}\b\d[\d.,]*\s?(?:hours?|days?|minutes?|seconds?|ms|s\b|gpu)",
    ),
    _aspect(
        "theory",
        r"(?:theoretical|formal|mathematical|convergence)(?: or \w+| and \w+)? (?:analys[ie]s"
        r"|guarantees?"
        r"|foundations?|justifications?|results?|bounds?|support|grounding|underpinnings?"
        r"|understanding|proofs?"
        r"|properties|framework|guarantee)|theoretical(?:ly)?\b|generali[sz]ation bounds?"
        r"|proofs?\b|guarantees?\b",
        r"(?:theor(?:y|etical|ies|ems?)\b(?! (?:inspiration|motivation|background))|convergence"
        r"|guarantees?|(?:generali[sz]ation|error|regret"
        r"|sample|risk|upper|lower) (?:bounds?|complexity)|bounds?\b|(?:statistical|asymptotic"
        r"|consistency|stability)"
        r" (?:analysis|properties|guarantees?))",
        r"(?:theorems?\b|lemmas?\b|propositions?\b|corollar\w+|proofs?\b|prove\w*|theoretical\w*"
        r"|guarantee\w*"
        r"|bound(?:s|ed)?\b|converge\w*)",
    ),
    _aspect(
        "experiments",
        r"(?:empirical|experimental|numerical)(?:ly)? (?:validations?|evaluations?|evidence"
        r"|results?|experiments?"
        r"|verification|stud(?:y|ies)|support|demonstrations?|analys[ie]s|implementations?)"
        r"|experiments?\b|simulations?\b",
        r"(?:experiments?\b|experimental (?:results?|evaluation|validation|stud\w+)"
        r"|empirical (?:results?|evaluation"
        r"|stud\w+|validation|analysis|verification|evidence)|numerical (?:results?|experiments?"
        r"|simulations?|examples?)"
        r"|simulations?\b|evaluation\b)",
        r"(?:we (?:\w+ )?(?:evaluate|test|validate|run|conduct|perform|compare|demonstrate|verify"
        r"|simulate|train"
        r"|present (?:\w+ )?experiment\w*)|experiments? (?:on|with|show|demonstrate|in)"
        r"|experimental results|"
        r"empirical(?:ly)? (?:results|evaluat\w+|verif\w+|validat\w+)|numerical experiments?)",
    ),
    _aspect(
        "baselines",
        r"baselines?(?: (?:methods?|models?|algorithms?))?",
        r"(?:baselines?\b|compared methods?|competing methods?|comparison (?:methods?|partners?"
        r"|with|to)\b"
        r"|competitors?|methods? compared)",
        r"(?:baselines?\b|compare[ds]? (?:\w+ ){0,4}(?:with|to|against)|we compare|competitors?"
        r"|comparison)",
    ),
    _aspect(
        "datasets",
        r"data-?\s?sets?\b(?: used)?|benchmarks?(?: datasets?)? (?:used|were)|training data\b"
        r"|data (?:collection|splits?"
        r"|preprocessing|pre-processing)",
        r"(?:data-?\s?sets?\b|data\b(?: (?:collection|splits?|preparation|preprocessing"
        r"|pre-processing|generation|sets?"
        r"|statistics|description|details))?|benchmarks?\b|corpora\b|corpus\b)",
        r"(?:data-?\s?sets?\b|benchmarks?\b|corpus|corpora|images?\b|samples?\b|examples?\b"
        r"|split\b|instances?\b)",
    ),
    _aspect(
        "metrics",
        r"(?:evaluation |performance |quality |specific )*(?:metrics?|measures? (?:is|are|was"
        r"|were) used|evaluation"
        r" (?:protocols?|criteria|measures?))",
        r"(?:metrics?\b|evaluation (?:protocols?|criteria|measures?|procedure|metrics?)"
        r"|performance measures?)",
        r"(?:metrics?\b|measure[ds]?\b|score\w*|accuracy|f1\b|auc\w*|error rate|criteri\w+)",
    ),
    _aspect(
        "code",
        r"(?:source |public |the |released? |open[- ]sourc\w+ )*(?:code"
        r"|implementation) (?:\w+ ){0,3}?(?:available|released?"
        r"|availability|public\w*|provided|shared?|open[- ]sourc\w+)|code\b|source code",
        r"(?:reproducib\w+|code\b(?: (?:availability|release))?|software\b)",
        r"(?:code\b[^.]*(?:available|released?|provided?|public\w*|github|attached|included?"
        r"|supplement\w*|submit\w*"
        r"|anonymous|http)|(?:available|released?|provided?|github|supplement\w*)[^.]*\bcode\b)",
        alone=r"\bcode\b[^.]*\b(?:available|released|provided|included|attached|submitted"
        r"|public\w*|open-?sourced)\b|\b(?:release|provide|include|open-?source"
        r"|publish)\b[^.]{0,40}\bcode\b",
    ),
    _aspect(
        "statistical significance",
        r"statistical(?:ly)? (?:significan\w+|tests?|analys[ie]s)|significance tests?|error bars?"
        r"|standard deviations?"
        r"|confidence intervals?|(?:multiple|random|different|number of"
        r"|how many) (?:random )?(?:seeds?|runs?|trials?)"
        r"|variances? (?:of|across) (?:the )?(?:results?|runs?|seeds?)",
        r"(?:statistical (?:significance|tests?|analysis)|significance|error bars?"
        r"|standard (?:deviations?|errors?)"
        r"|confidence intervals?|random seeds?|(?:multiple|several|\d+) (?:runs?|seeds?|trials?))",
        r"(?:standard (?:deviations?|errors?)|error bars?|confidence intervals?|p-?values?"
        r"|t-tests?|wilcoxon|statistical"
        r"(?:ly)? significan\w*|(?:random |different |independent )(?:seeds?|runs?|trials?)"
        r"|averaged? over|±)",
        alone=r"\b(?:averaged?|mean|repeat\w*|standard deviations?|error bars?"
        r"|confidence intervals?)\b[^.]{0,60}\b(?:\d+|two|three|four|five|six|eight|ten"
        r"|twenty|multiple|several)\b[^.]{0,30}\b(?:seeds?|runs?|trials?|times|repetitions?"
        r"|replications?)\b|\b(?:\d+|three|five|ten) (?:\w+ )?(?:random )?seeds\b",
    ),
    _aspect(
        "implementation details",
        r"(?:implementation|training|experiment\w*|technical|architect\w+"
        r"|optimi[sz]ation) (?:details?|procedures?|set-?ups?"
        r"|settings?|protocols?|configurations?)|(?:network|model"
        r"|specific) architectures?\b(?: (?:is|are|was|were) used)?"
        r"|(?:which|what) (?:\w+ )?(?:optimi[sz]ers?|architectures?)\b|optimi[sz]ers? (?:is|are"
        r"|was|were)? ?used|reproducib\w+",
        r"(?:(?:implementation|training|experiment\w*|model|architect\w+|network|optimi[sz]ation"
        r"|hyper-?parameters?"
        r"|reproducib\w+)(?: and \w+)? (?:details?|set-?ups?|settings?|procedures?|protocols?"
        r"|architectures?|statement"
        r"|configurations?|process)|architectures?\b|reproducib\w+|set-?up\b|hyper-?parameters?)",
        r"(?:learning rate|batch size|optimi[sz]er|epochs?|layers?\b|implement\w*|hidden"
        r"|trained\b|architecture\w*"
        r"|adam\b|sgd\b|pytorch|tensorflow|hyper-?parameters?)",
        alone=r"\b(?:we|is|are|was|were) (?:\w+ )?(?:use|used|train|trained|optimi[sz]e"
        r"|optimi[sz]ed|implement|implemented)\b[^.]{0,60}\b(?:adam\w*|sgd|rmsprop|pytorch"
        r"|tensorflow|jax|layers?|learning rate)\b",
    ),
    _aspect(
        "related work",
        r"(?:related|prior|previous|existing) (?:works?|literature|research|studies)\b"
        r"|literature review",
        r"(?:related works?|prior works?|previous works?|literature|background\b)",
        r"(?:propos\w+|introduc\w+|et al|\(\d{4}\)|stud(?:y|ied)|prior|previous)",
        flaggable=False,
    ),
    _aspect(
        "comparison",
        r"(?:direct |empirical |experimental |quantitative )*(?:comparisons?|compare[sd]?"
        r"|comparing|comparative(?: "
        r"\w+)?|benchmark(?:ed|ing))\b",
        r"(?:compar\w+|versus|vs\.?|baselines?|against|results|benchmark\w*|evaluation"
        r"|performance|experiments?|"
        r"relation\w* (?:to|with|between)|connection\w*|difference\w*)",
        r"(?:compar\w+|than\b|outperform\w*|versus|vs\.?\b|better\b|worse\b|similar to|baselines?"
        r"|higher|lower|unlike"
        r"|in contrast|differ\w*|whereas)",
    ),
    _aspect(
        "human evaluation",
        r"(?:user|human) (?:stud(?:y|ies)|evaluations?|ratings?|assessments?|judg\w+|subjects?"
        r"|experiments?)",
        r"(?:user|human) (?:stud(?:y|ies)|evaluations?|ratings?|assessments?|judg\w+|experiments?"
        r"|annotat\w+)|amt\b"
        r"|crowd\w*|mechanical turk",
        r"(?:participants?|annotators?|raters?|(?:user|human) (?:study|evaluat\w+|rating\w*"
        r"|judg\w+)|workers|turk\w*"
        r"|subjects\b|respondents?)",
    ),
    _aspect(
        "scalability",
        r"scalab\w*|scal(?:e|es|ing) (?:with|to)\b",
        r"(?:scalab\w*|scaling\b|large[- ]scale|scale\b)",
        r"(?:scal(?:e|es|ing|able|ability)\b|large[r]?\b|linear\w*|quadratic\w*|grows?\b"
        r"|increas\w+)",
    ),
    _aspect(
        "noise robustness",
        r"robust\w*(?: (?:to|against) (?:\w+ )?nois\w*)?|nois(?:e|y)\b",
        r"(?:robust\w*|nois(?:e|y)\b|corrupt\w*|perturb\w*|adversar\w*)",
        r"(?:robust\w*|nois(?:e|y)\b|corrupt\w*|perturb\w*|degrad\w*|attack\w*)",
    ),
    _aspect(
        "assumptions",
        r"(?:key |main |theoretical |underlying )*assumptions?\b",
        r"assumptions?\b|conditions?\b|problem set(?:ting|up)\b",
        r"(?:assum\w+|conditions?\b)",
    ),
    _aspect(
        "qualitative results",
        r"(?:qualitative|visual) (?:results?|examples?|analys[ie]s|comparisons?)"
        r"|visuali[sz]ations?\b",
        r"(?:qualitative|visual\w*|example\w*|case stud\w+)",
        r"(?:qualitative\w*|visual\w*|figure|fig\.|example\w*|illustrat\w*|shown in)",
    ),
)
"""All aspects, most telling first."""


CONCESSION = re.compile(
    r"\b(?:we|is|are|be|it) (?:\w+ )?(?:leave|left|defer)\w*\b|\bleave (?:it|this|that|these"
    r"|the)\b|\bleav(?:e|ing)\b[^.]*"
    r"\bfuture|\bfuture (?:work|research|stud\w+|directions?|investigat\w+|version)\b"
    r"|\bbeyond (?:the|our) scope\b"
    r"|\bout of (?:the |our )?scope\b|\bwe (?:do|did|have|could|can|will) ?n[o']t\b|\bwe (?:do"
    r"|did|could) not\b|\bcannot\b"
    r"|\bwe (?:omit|skip|exclude|ignore|neglect)\b|\bnot (?:yet )?(?:been )?(?:considered"
    r"|addressed|included|discussed"
    r"|reported|explored|studied|investigated|provided|available|compared)\b|\bremain\w* (?:open"
    r"|to be|unclear|unknown"
    r"|an? )\b|\bopen (?:question|problem)s?\b|\bin the future\b|\black of\b|\bno (?:theoretical"
    r"|guarantee|experiment)"
    r"|\binteresting (?:direction|to)\b|\bnot (?:the )?focus\b|\bwould be interesting\b"
    r"|\bhard to\b|\bdifficult to\b"
    r"|\bunfortunately\b|\bare missing\b|\bwe (?:hope|plan|intend) to\b",
    re.IGNORECASE,
)
"""Words by which a passage takes back what it seems to offer."""

COMPARATIVE = re.compile(
    r"\b(?:than|compar\w+|outperform\w*|versus|vs|better|worse|faster|slower|higher|lower"
    r"|superior|inferior|improv\w+"
    r"|on par|similar to|against|baselines?)\b",
    re.IGNORECASE,
)
"""Words of a sentence that compares two things."""

SENSITIVITY_HEADING = re.compile(
    r"\b(?:sensitiv\w*|ablat\w*|(?:effects?|impact|influence|choice|role) (?:of|on)|robustness"
    r"|varying"
    r"|(?:hyper-?)?parameter (?:stud\w+|analys\w+|sensitiv\w+|choice|selection))",
    re.IGNORECASE,
)
"""Headings and captions of sections that vary something and report what changes."""


def aspects_in(text: str) -> tuple[tuple[Aspect, tuple[tuple[int, int], ...]], ...]:
    """The aspects a review point names, each with the spans of its words, in lexicon order."""
    found: list[tuple[Aspect, tuple[tuple[int, int], ...]]] = []
    for aspect in ASPECTS:
        spans = tuple(m.span() for m in aspect.asked.finditer(text) if m.end() > m.start())
        if spans:
            found.append((aspect, spans))
    return tuple(found)
