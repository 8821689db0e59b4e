"""The review aspects the finder knows: how reviewers name them and how papers head and state them.

Each aspect has up to four readings: what a reviewer calls it, what a heading or caption dedicated
to it looks like, what a sentence about it must say, and what a sentence says that is so plainly
about it that it needs no heading. Words that name an aspect are not asked for again as parts of
the wanted content. Patterns ignore case; line ends in them do not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Aspect:
    """Something reviews commonly ask for.

    Attributes:
        name: Short name.
        asked: How a review point names it.
        heading: How a heading or caption dedicated to it reads.
        said: What a sentence about it says.
        alone: A sentence so plainly about it that it needs no heading; None if there is no such.
        flaggable: Whether a dedicated heading and a sentence can settle a point about it.
        qualifies: Whether it only qualifies another aspect that is named with it.
        may_concede: Whether a sentence that concedes something is what was asked for.
    """

    name: str
    asked: re.Pattern[str]
    heading: re.Pattern[str]
    said: re.Pattern[str]
    alone: re.Pattern[str] | None = None
    flaggable: bool = True
    qualifies: bool = False
    may_concede: bool = False


def _pattern(text: str) -> re.Pattern[str]:
    """Compile one reading; its lines are joined, so that each may start with a bar."""
    joined = "".join(line.strip("\n").lstrip() for line in text.splitlines())
    return re.compile(rf"\b(?:{joined})", re.IGNORECASE)


def _aspect(
    name: str,
    asked: str,
    heading: str,
    said: str,
    alone: str | None = None,
    *,
    flaggable: bool = True,
    qualifies: bool = False,
    may_concede: bool = False,
) -> Aspect:
    """Compile one entry of the lexicon."""
    return Aspect(
        name=name,
        asked=_pattern(asked),
        heading=_pattern(heading),
        said=_pattern(said),
        alone=_pattern(alone) if alone else None,
        flaggable=flaggable,
        qualifies=qualifies,
        may_concede=may_concede,
    )


ASPECTS: tuple[Aspect, ...] = (
    _aspect(
        "societal impact",
        r"""(?:(?:potential|possible|negative|broader|ethical|social|societal|adverse
            |any)[ /,]+(?:and |or )?)*(?:societal|social|ethical|negative|broader)(?: societal
            | social)?[ ](?:impacts?|implications?|consequences?|considerations?|concerns?|issues
            |effects?|risks?|aspects?|outcomes?)\b|ethics\b|(?:potential )?misuse\b""",
        r"""(?:broader|societal|social|ethic\w*
            |negative)(?: and \w+)? (?:societal |social )?(?:impacts?|considerations?|concerns?
            |implications?|statements?|aspects?|discussion|review|consequences?|issues)\b
            |ethics?\b|societal\b|impact statement""",
        r"""(?:misus\w+|harm(?:s|ful|fully)?\b|malicious\w*|negative(?:ly)? (?:\w+ )?(?:impact\w*
            |effects?|societ\w+|social|ethic\w+|consequences?|use|applications?)|unethical\w*
            |abus(?:e|ed|ive)\b|(?:social|societal|gender|racial|unfair|existing|human|dataset
            |data) bias(?:es)?|bias(?:es)? (?:against|in the)|unfair\w*|discriminat(?:ory|ion)
            |privacy|surveillance|weapon\w*|deepfakes?|disinformation|misinformation|dangerous
            |threats?\b|ethical\w*|carbon|environmental impact|energy consumption
            |societal (?:impact|concern|risk|effect)s?|(?:risks?|concerns?) (?:of|to|for|about
            |that|in)\b)""",
        r"""(?:negative|adverse|harmful) (?:\w+ ){0,3}(?:societ\w+|social|ethical)|(?:societal
            |social|ethical) (?:\w+ )?(?:concerns?|risks?|issues?|impacts?|implications?)
            |malicious (?:use|purposes?|intent|actors?)|misused?\b""",
    ),
    _aspect(
        "limitations",
        r"""(?:potential |possible |specific |main |key |any |current )*(?:limitations?|drawbacks?
            |shortcomings?|weakness(?:es)?|downsides?|failure (?:cases?|modes?))\b""",
        r"""(?:limitations?|drawbacks?|shortcomings?|failure (?:cases?|modes?)|failures\b|caveats?
            |negative results)""",
        r"""(?:limitations?\b|limited (?:to|by|in)|drawbacks?\b|shortcomings?\b|fail(?:s|ed
            |ures?)?\b|cannot\b|(?:not|un)able\b|restrict(?:s|ed|ive|ion|ions)\b|only (?:consider
            |work|appl|handle|support)\w*|(?:does|do) not\b|caveats?\b|struggles?\b|suffers?\b)""",
        r"""(?:a|one|the|main|another|first|second|key|major|several|some|our|potential)
            [ ]limitations? (?:of (?:our|this|the (?:proposed|present|current))\b|is\b|are\b)""",
        may_concede=True,
    ),
    _aspect(
        "ablation",
        r"""ablat\w*(?: stud(?:y|ies)| analys[ie]s| experiments?)?|(?:contributions?|effects?
            |impact)[ ]of (?:each|individual|the individual|different|the different)
            [ ](?:\w+ )?(?:components?|modules?|parts?)""",
        r"""ablat\w*|(?:effects?|impact|contribution|importance|role|effectiveness) of[ ](?:each
            |individual|different|the|our) (?:\w+ )?(?:components?|modules?|loss\w*)
            |component analysis""",
        r"""(?:ablat\w*|without (?:the|our|any|using)\b|w/o\b|remov(?:e|ed|ing|al)\b|replac\w+
            |variants?\b|disabl\w+|(?:each|individual) (?:component|module)s?|contributes?\b)""",
    ),
    _aspect(
        "sensitivity",
        r"""(?:how )?sensitiv\w*(?: analys[ie]s)?(?: to (?:the )?choice of)?
            |robust\w* to (?:the )?(?:choice of|(?=hyper-?parameters?))|(?:effects?|impact
            |influence) of[ ](?:the )?(?:choice of |different |various )?(?=hyper-?\s?parameters?)
            |how (?:do|does) (?:the )?(?:choice of )?(?=hyper-?\s?parameters?)""",
        r"""(?:sensitiv\w*|ablat\w*|(?:effects?|impact|influence|role) (?:of|on)\b|robustness to
            |varying|(?:hyper-?)?parameters? (?:stud\w+|analys\w+|sensitiv\w+))""",
        r"""(?:sensitiv\w*|insensitiv\w*|robust\b|stable\b|degrad\w+|affects?\b|improv\w+|drops?\b
            |better|worse|performs?\b|performance|accuracy|results?\b|errors?\b|rewards?\b
            |scores?\b|converge\w*|tends? to|leads? to|reduces?\b|increases\b|decreases\b
            |outperform\w*)""",
    ),
    _aspect(
        "hyper-parameters",
        r"""(?:key |important |main )?hyper-?\s?parameters?(?: (?:choices?|settings?|tuning|values?
            |selection|search|details))?""",
        r"""hyper-?\s?parameters?|(?:implementation|training|experiment\w*|model|optimi[sz]ation)
            [ ](?:details?|settings?|set-?ups?|procedures?|protocols?)""",
        r"""(?:hyper-?\s?parameters?|learning rate|batch size|weight decay|optimi[sz]er|epochs?
            |dropout|grid search|tuned?\b|momentum|adam\b|sgd\b)""",
        r"""(?:learning rate|batch size|weight decay|momentum)\b[^.]{0,30}(?:of|to|is|was|=|as|from
            |at|in)\b[^.]{0,12}\d""",
    ),
    _aspect(
        "computational cost",
        r"""(?:computational(?:ly)?|computation|time|space|training|inference|runtime
            |running)[ -](?:and (?:memory|time|space|sample|runtime) )?(?:complexit(?:y|ies)
            |costs?|overheads?|requirements?|efficien(?:t|cy)|expens\w+|resources?|burden|budget
            |intensive|demands?|footprint)|complexity analysis|flops""",
        r"""(?:(?:computation\w*|time|space|training|inference|running|run)[ -](?:and (?:memory|time
            |space) )?(?:complexit\w+|costs?|overheads?|requirements?|efficiency|speed
            |resources?\b)|complexit(?:y|ies)(?: analysis| comparison)?$|run-?times?\b|wall-?clock
            |latency|efficiency (?:analysis|comparison|study)|speed-?ups?\b|flops
            |computing (?:costs?|resources)|cost analysis|time & memory
            |(?<!over )(?<!during )(?<!at )(?:training|running|inference|computation) times?\b)""",
        r"""(?:(?:time|computational|space|overall|total|linear|quadratic) complexity\b|run-?time
            |running time|\d seconds?\b|\d minutes\b|\d hours?\b|wall-?clock|gpu (?:hours?|days?)
            |flops|o\s?\(|overhead|faster|slower|speed-?ups?\b|latency|computation\w* (?:cost|time
            |complexity|overhead|efficien\w+)|(?:training|inference|running) (?:time|cost)s?)""",
        r"""(?:time|computational|space|worst-case|overall
            |total)[ -](?:\w+ )?complexity\b[^.]{0,60}(?:\bO\s?\(|\b(?:linear|quadratic|cubic
            |logarithmic|polynomial)\b)|(?:training|inference|running|run
            |runtime)\b[^.]{0,60}\b(?:takes?|took|requires?
            |costs?)\b[^.]{0,40}\b\d[\d.,]*\s?(?:hours?|days?|minutes?|seconds?|ms\b|s\b|gpu)""",
    ),
    _aspect(
        "running time",
        r"""(?:training|inference|running|computation|wall-?clock) (?:times?\b|speed)|run-?times?\b
            |wall-?clock|latency""",
        r"""(?:run-?times?\b(?! memory)|wall-?clock|latency|(?:time|speed|efficiency
            |cost) (?:analysis|comparison|study|report)|time (?:and|&) (?:memory|space)
            |speed-?ups?\b|(?<!over )(?<!during )(?<!at )(?:training|running|inference|computation
            |run) (?:times?|costs?|speed)\b)""",
        r"""(?:(?:training|running|inference|computation|run)[ -]?times?\b(?! memory)|\d seconds?\b
            |\d minutes\b|\d hours?\b|gpu (?:hours?|days?)|faster|slower|speed-?ups?\b|latency
            |wall-?clock)""",
        r"""(?:training|inference|running|run|runtime)\b[^.]{0,60}\b(?:takes?|took|requires?
            |costs?)\b[^.]{0,40}\b\d[\d.,]*\s?(?:hours?|days?|minutes?|seconds?|ms\b|s\b)""",
    ),
    _aspect(
        "theory",
        r"""(?:theoretical|formal|mathematical|convergence)(?: or \w+| and \w+)? (?:analys[ie]s
            |guarantees?|foundations?|justifications?|results?|bounds?|support|grounding
            |underpinnings?|understanding|proofs?|properties|framework)(?: (?:or
            |and) guarantees?)?|theoretical(?:ly)?\b|generali[sz]ation bounds?|proofs?\b
            |guarantees?\b""",
        r"""(?<!testing )(?<!of main )(?:theor(?:y|etical|ies|ems?)\b(?! (?:inspiration|motivation
            |background|predictions))|convergence|guarantees?|(?:generali[sz]ation|error|regret
            |sample|risk|upper|lower)[ ](?:bounds?|complexity)|bounds?\b|(?:statistical|asymptotic
            |consistency|stability) (?:analysis|properties|guarantees?))""",
        r"""(?:(?:theorem|lemma|proposition|corollary) [A-Z]?\d|we (?:\w+ )?(?:prove|derive
            |establish)\b|(?:is|are|be) (?:guaranteed|bounded by)|guarantees? (?:that|the|of|for
            |a)\b|(?:upper|lower|error|regret|generali[sz]ation) bounds? (?:of|on|for|is)\b
            |converges? (?:to|with|at|in|linearly|asymptotically)\b|convergence (?:of|to|rate))""",
    ),
    _aspect(
        "experiments",
        r"""(?:empirical|experimental|numerical)(?:ly)? (?:validations?|evaluations?|evidence
            |results?|experiments?|verification|stud(?:y|ies)|support|demonstrations?|analys[ie]s
            |implementations?)(?: or experiments)?|experiments?\b|simulations?\b""",
        r"""(?:experiments?\b(?! set|al set| detail)|(?:experimental|empirical) (?:results?
            |evaluation|validation|stud\w+|analysis|verification|evidence)|numerical (?:results?
            |experiments?|simulations?|examples?)|simulations?\b|evaluation\b)""",
        r"""(?:we (?:\w+ )?(?:evaluate|test|validate|compare|demonstrate|verify|observe|find|show)\b
            |(?:results?|experiments?|table \d+|figure \d+|fig\. \d+) (?:\w+ )?(?:shows?
            |demonstrates?|indicates?|confirms?|verif(?:y|ies)|validates?|suggests?|reports?
            |summari[sz]es?)|outperforms?|achieves?)""",
        qualifies=True,
    ),
    _aspect(
        "baselines",
        r"baselines?(?: (?:methods?|models?|algorithms?))?",
        r"""(?:baselines?\b|compared methods?|competing methods?|competitors?|methods? compared
            |comparison (?:methods?|partners?|with|to)\b)""",
        r"""(?:baselines?\b|compared? (?:\w+ ){0,4}(?:with|to|against)|we compare|competitors?
            |comparison)""",
        qualifies=True,
    ),
    _aspect(
        "datasets",
        r"""data-?\s?sets?\b(?: used)?|benchmarks?(?: datasets?)? (?:used|were)|training data\b
            |data (?:collection|splits?|preprocessing|pre-processing)""",
        r"""(?:data-?\s?sets?\b|^data$|data (?:collection|splits?|preparation|preprocessing
            |pre-processing|sets?|statistics|description|details)|benchmarks?\b|corpora\b
            |corpus\b)""",
        r"""(?:(?:use[ds]?|using|evaluat\w+|experiments?|test(?:ed)?|train(?:ed)?|conduct\w*
            |consider|perform\w*|collect\w*|consists? of|contains?
            |report\w*)\b[^.]*\b(?:data-?sets?|benchmarks?|corpus|corpora|images|samples)\b
            |data-?sets? (?:used|are|is|include|consist|contain)\w*)""",
        qualifies=True,
    ),
    _aspect(
        "metrics",
        r"""(?:evaluation |performance |quality |specific )*metrics?\b(?= (?:\w+ )?(?:is|are|was
            |were)\b|\?)|(?:evaluation |performance |quality |specific )+(?:metrics?\b
            |measures?\b)|evaluation (?:protocols?|criteria)""",
        r"""(?:(?:evaluation |performance )(?:metrics?|measures?|protocols?|criteria)
            |^metrics?\b(?! for)|and metrics?$|metrics? and\b)""",
        r"""(?:(?:use|report|evaluate|measure|adopt|compute|consider
            |employ)[sd]?\b[^.]*\b(?:metrics?|scores?|accuracy|error|f1|auc\w*|bleu|fid|recall
            |precision)\b|metrics? (?:used|are|is|include)\w*|measured (?:by|using|with
            |in terms))""",
        qualifies=True,
    ),
    _aspect(
        "code",
        r"""(?:source |public |the |released? |open[- ]sourc\w+ )*(?:code|implementation)
            [ ](?:\w+ ){0,3}?(?:available|released?|availability|public\w*|provided|shared?
            |open[- ]sourc\w+)|code\b|source code""",
        r"(?:reproducib\w+|code\b(?: (?:availability|release))?$|software\b)",
        r"""(?:code\b[^.]*(?:available|released?|provided?|public\w*|github|attached|included?
            |supplement\w*|submit\w*|anonymous|http)|(?:available|released?|provided?|github
            |supplement\w*)[^.]*\bcode\b)""",
        r"""(?:(?:our|all|full|source) )+codes?\b[^.]{0,60}\b(?:available|released|provided|included
            |attached|submitted|public\w*|open-?sourced)\b|the codes? (?:[^.]{0,40} )?(?:is|are
            |will be|can be|has been) (?:\w+ )?(?:available|released|provided|included|attached
            |submitted|public\w*|open-?sourced|found)\b|(?:release|provide|include|open-?source
            |publish|submit)(?:d|ted)?\b[^.]{0,20}\b(?:our|the|source|all the
            |full) (?:source )?code\b""",
    ),
    _aspect(
        "statistical significance",
        r"statistical(?:ly)? (?:significan\w+|tests?|analys[ie]s|methods?)|significance tests?",
        r"(?:statistical (?:significance|tests?|analysis)|significance)\b",
        r"(?:p-?values?|t-tests?|wilcoxon|mann-whitney|anova|statistical(?:ly)? significan\w*)",
        r"(?:t-tests?|wilcoxon|mann-whitney|anova|p-?values?)\b",
    ),
    _aspect(
        "error bars",
        r"""(?:error bars?|standard (?:deviations?|errors?)|confidence intervals?|variances? (?:of
            |across)[ ](?:the )?(?:results?|runs?|seeds?))(?:(?: and| or|,) (?:error bars?
            |standard deviations?|confidence intervals?))*""",
        r"(?:error bars?|standard (?:deviations?|errors?)|confidence intervals?)",
        r"(?:standard (?:deviations?|errors?)|error bars?|confidence intervals?|±|shaded)",
        r"""(?:(?:standard (?:deviations?|errors?)|error bars?|confidence intervals?
            |shaded (?:areas?|regions?))\b[^.]{0,80}\b(?:seeds?|runs?|trials?|times|repetitions?
            |replications?|over|across|show|represent\w*|indicat\w+|denot\w+)|(?:seeds?|runs?
            |trials?)\b[^.]{0,60}\b(?:standard (?:deviations?|errors?)|error bars?
            |confidence intervals?))\b""",
    ),
    _aspect(
        "random seeds",
        r"""(?:(?:multiple|random|different|number of|how many) )+(?:random )?(?:seeds?|runs?
            |trials?|repetitions?)""",
        r"(?:random seeds?|(?:multiple|several|\d+) (?:runs?|seeds?|trials?))",
        r"(?:seeds?|runs?|trials?|times|repetitions?|replications?)\b",
        r"""(?:averaged?|means?|repeat\w*|standard (?:deviations?|errors?)|run|conducted|over|with
            |use)\b[^.]{0,60}\b(?:\d+|two|three|four|five|six|eight|ten
            |twenty)\b[^.]{0,30}\b(?:seeds?|runs?|trials?|times|repetitions?|replications?)\b""",
    ),
    _aspect(
        "implementation details",
        r"""(?:implementation|training|experiment\w*|technical|architect\w+|optimi[sz]ation)
            [ ](?:details?|procedures?|set-?ups?|settings?|protocols?|configurations?)|(?:network
            |model|specific) architectures?\b(?: (?:is|are|was|were) used)?|(?:which
            |what) (?:\w+ )?(?:optimi[sz]ers?|architectures?)\b|optimi[sz]ers? (?:is|are|was
            |were)? ?used|reproducib\w+""",
        r"""(?:(?:implementation|training|experiment\w*|model|architect\w+|network|optimi[sz]ation
            |hyper-?parameters?|reproducib\w+)(?: and \w+)? (?:details?|set-?ups?|settings?
            |procedures?|protocols?|architectures?|statement|configurations?|process)
            |architectures?\b|reproducib\w+|set-?up\b|hyper-?parameters?)""",
        r"""(?:learning rate|batch size|optimi[sz]er|epochs?|hidden (?:layers?|units?|size)
            |implement(?:ed|ation)|trained (?:with|using|for|on)|adam\b|sgd\b|pytorch|tensorflow
            |hyper-?parameters?)""",
        r"""(?:we|is|are|was|were) (?:\w+ )?(?:use|used|train|trained|optimi[sz]e|optimi[sz]ed
            |implement|implemented)\b[^.]{0,60}\b(?:adam\w*|sgd|rmsprop|pytorch|tensorflow|jax
            |learning rate)\b""",
    ),
    _aspect(
        "related work",
        r"""(?:related|prior|previous|existing) (?:works?|literature|research|studies)\b
            |literature review|(?:existing |prior )?literature\b""",
        r"(?:related works?|prior works?|previous works?|literature|background\b)",
        r"(?:propos\w+|introduc\w+|et al|\(\d{4}\)|stud(?:y|ied)|prior|previous)",
        flaggable=False,
    ),
    _aspect(
        "comparison",
        r"""(?:direct |empirical |experimental |quantitative )*(?:comparisons?|compare[sd]?
            |comparing|comparative(?: \w+)?|benchmark(?:ed|ing))\b""",
        r"""(?:compar\w+|versus|vs\.?|baselines?|against|results|benchmark\w*|evaluation|performance
            |experiments?|relation\w* (?:to|with|between)|connection\w*|difference\w*)""",
        r"""(?:compar\w+|than\b|outperform\w*|versus|vs\.?\b|better\b|worse\b|similar to|baselines?
            |higher|lower|unlike|in contrast|differ\w*|whereas)""",
        qualifies=True,
    ),
    _aspect(
        "human evaluation",
        r"""(?:user|human) (?:stud(?:y|ies)|evaluations?|ratings?|assessments?|judg\w+|subjects?
            |experiments?)""",
        r"""(?:user|human) (?:stud(?:y|ies)|evaluations?|ratings?|assessments?|judg\w+|experiments?
            |annotat\w+)|amt\b|crowd\w*|mechanical turk""",
        r"""(?:participants?|annotators?|raters?|(?:user|human) (?:study|evaluat\w+|rating\w*
            |judg\w+)|workers|turk\w*|subjects\b|respondents?)""",
    ),
    _aspect(
        "scalability",
        r"scalab\w*|scal(?:e|es|ing) (?:with|to)\b",
        r"(?:scalab\w*|scaling\b|large[- ]scale|scale\b)",
        r"""(?:scal(?:e|es|ing|able|ability)\b|larger?\b|linear(?:ly)?\b|quadratic\w*|grows?\b
            |increas\w+)""",
        qualifies=True,
    ),
    _aspect(
        "noise robustness",
        r"robust\w*(?: (?:to|against) (?:\w+ )?nois\w*)?|nois(?:e|y)\b",
        r"(?:robust\w*|nois(?:e|y)\b|corrupt\w*|perturb\w*|adversar\w*)",
        r"(?:robust\w*|nois(?:e|y)\b|corrupt\w*|perturb\w*|degrad\w*|attack\w*)",
        qualifies=True,
    ),
    _aspect(
        "assumptions",
        r"(?:key |main |theoretical |underlying )*assumptions?\b",
        r"assumptions?\b|conditions?\b|problem set(?:ting|up)\b",
        r"(?:assum(?:e|es|ed|ing|ptions?)\b|conditions?\b)",
        qualifies=True,
    ),
    _aspect(
        "qualitative results",
        r"""(?:qualitative|visual) (?:results?|examples?|analys[ie]s|comparisons?)
            |visuali[sz]ations?\b""",
        r"(?:qualitative|visual\w*|example\w*|case stud\w+)",
        r"(?:qualitative\w*|visual\w*|figure|fig\.|example\w*|illustrat\w*|shown in)",
        qualifies=True,
    ),
)
"""All aspects, most telling first."""


def aspects_in(text: str) -> tuple[tuple[Aspect, tuple[tuple[int, int], ...]], ...]:
    """The aspects a review point names, each with the spans of its words, in lexicon order."""
    found: list[tuple[Aspect, tuple[tuple[int, int], ...]]] = []
    for aspect in ASPECTS:
        spans = tuple(m.span() for m in aspect.asked.finditer(text) if m.end() > m.start())
        if spans:
            found.append((aspect, spans))
    return tuple(found)
