"""Words of a text as stems, and words that name nothing: for reviews and papers alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

_WORD = re.compile(r"[^\W\d_]+(?:['’]s\b)?|\d+(?:\.\d+)*")
_JOINED = (
    ("hyper", re.compile(r"\bhyper[-\s]+param", re.IGNORECASE), "hyperparam"),
    ("data", re.compile(r"\bdata[-\s]+(set|base)", re.IGNORECASE), r"data\1"),
    ("run", re.compile(r"\brun(?:ning)?[-\s]+times?\b", re.IGNORECASE), "runtime"),
    ("-", re.compile(r"\b(pre|fine|semi|meta|multi|sub|non|co|re)-(?=[a-z])", re.I), r"\1"),
    (" tun", re.compile(r"\bfine tun", re.IGNORECASE), "finetun"),
)
"""What a text that is rewritten holds in lower case, the pattern, and what it becomes.

No such literal holds i, s or k: patterns that ignore case also match their foreign forms.
"""


_LETTERS = "αβγδεζηθικλμµνξπρσςτυφχψωϵϕΓΔΘΛΞΠΣΦΨΩ"
_NAMES = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu mu nu xi pi rho sigma sigma tau
upsilon phi chi psi omega epsilon phi gamma delta theta lambda xi pi sigma phi psi omega
"""
_GREEK = str.maketrans(dict(zip(_LETTERS, _NAMES.split(), strict=True)))
"""Greek letters by name, as reviewers who write LaTeX spell them."""


@cache
def _stem_of() -> Callable[[str], str]:
    import snowballstemmer

    stem_of: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem_of


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The stem of a word in lower case; single letters and numbers stay as they are."""
    if len(word) == 1:
        return word
    plain = word.lower()
    for ending in ("'s", "’s"):
        plain = plain.removesuffix(ending)
    return _stem_of()(plain) if plain.isalpha() else plain


def words(text: str) -> list[str]:
    """Words and numbers of a text in order; compounds written apart or with a hyphen are joined."""
    lower = text.lower()
    for literal, pattern, joined in _JOINED:
        if literal in lower:
            text = pattern.sub(joined, text)
    return _WORD.findall(text if text.isascii() else text.translate(_GREEK))


def stems(text: str) -> list[str]:
    """Stems of the words and numbers of a text, in order.

    Single letters keep their case, so that a symbol ``N`` is not the article of another text.
    """
    return [stem(word) for word in words(text)]


FUNCTION_WORDS = frozenset(
    """
a about above across after afterwards again against all almost alone along already also although
always am among amongst amoungst amount an and another any anyhow anyone anything anyway anywhere
are around as at back be became because become becomes becoming been before beforehand behind
being below beside besides between beyond bill both bottom but by call can cannot cant co con
could couldnt cry de describe detail do done down due during each eg eight either eleven else
elsewhere empty enough etc even ever every everyone everything everywhere except few fifteen fifty
fill find fire first five for former formerly forty found four from front full further get give go
had has hasnt have he hence her here hereafter hereby herein hereupon hers herself him himself his
how however hundred i ie if in inc indeed interest into is it its itself keep last latter latterly
least less ltd made many may me meanwhile might mill mine more moreover most mostly move much must
my myself name namely neither never nevertheless next nine no nobody none noone nor not nothing
now nowhere of off often on once one only onto or other others otherwise our ours ourselves out
over own part per perhaps please put rather re same see seem seemed seeming seems serious several
she should show side since sincere six sixty so some somehow someone something sometime sometimes
somewhere still such system take ten than that the their them themselves then thence there
thereafter thereby therefore therein thereupon these they thick thin third this those though three
through throughout thru thus to together too top toward towards twelve twenty two un under until
up upon us very via was we well were what whatever when whence whenever where whereafter whereas
whereby wherein whereupon wherever whether which while whither who whoever whole whom whose why
will with within without would yet you your yours yourself yourselves
""".split()  # noqa: SIM905
)
"""Function words alone: the stop words of the Glasgow Information Retrieval Group, as scikit-learn
has them."""

_NAMELESS = """
minimal minimally substantial substantially brief briefly applicability applicable effectiveness
consider potential motivation concept concepts
usage main overall fully rigorously
easy easily simple simply typical standard behind clearer deeper real-time quantitatively
qualitatively methodology novel scheme
a an the this that these those it its they them their theirs he she his her we our ours us you
your yours i my me one ones some any each every all both either neither other others another
such same own most more less least few fewer much many several various no not nor none never
ever only just also too very quite rather so than then thus hence therefore however moreover
furthermore although though while whereas because since as if unless until when where which who
whom whose what why how whether there here and or but yet for of in on at by to from with
without within into onto upon over under above below between among amongst across through
throughout during before after about against per via regarding concerning respect towards toward
beyond besides except despite is are was were be been being am do does did done doing have has
had having can could may might must shall should will would cannot get gets got make makes made
making take takes taken took give gives given use uses used using etc eg ie e g vs versus like
well even still already often sometimes always usually mainly mostly particularly especially
specifically specific explicitly explicit exactly exact clearly clear really actually currently
current further additional extra new first second third last next potential potentially possible
possibly authors author paper papers manuscript work works submission article study studies
reviewer reviewers readers reader section sections appendix main text method methods approach
approaches technique techniques proposed propose proposes framework frameworks system systems
algorithm algorithms model models model's procedure way ways provide provides provided providing
discuss discusses discussed discussing discussion discussions describe describes described
description descriptions explain explains explained explaining explanation explanations mention
mentions mentioned report reports reported reporting present presents presented presentation
include includes included including show shows shown showing demonstrate demonstrates
demonstrated demonstration consider considers considered considering consideration
considerations address addresses addressed addressing elaborate clarify clarified clarification
state states stated define defined definition offer offers offered contain contains conduct
conducted perform performs performed performing carry carried examine examined investigate
investigated investigation explore explored exploring exploration analyze analyzed analyse
analysed analyzing analysis analyses evaluate evaluated evaluates evaluating evaluation
evaluations evidence lack lacks lacking absence absent missing miss omitted neglected neglect
ignore ignored fail fails failed detail details detailed information insight insights justify
justified justification validation validate validated verify result results resulting finding
findings case cases question questions issue issues concern concerns problem problems aspect
aspects term terms type types kind kinds set sets choice choices chosen choose choosing select
selected selection amount different difference differences differ range effect effects impact
impacts influence role affect affects affected important importance key core crucial critical
essential necessary significant significantly significance good better best bad worse worst high
higher low lower large larger small smaller strong stronger weak weaker general generally
overall whole full fully complete completely comprehensive thorough thoroughly extensive
extensively adequate adequately sufficient sufficiently enough limited limit limits rigorous
proper properly practical practice practically real world setting settings scenario scenarios
context condition conditions example examples instance instances understand understanding
understood know known compare compared compares comparing comparison comparisons comparative
relative related relation existing previous prior recent recently sota art please thank thanks
curious wonder wondering interested interesting seem seems seemed appear appears think believe
note noted suggest suggests tested test tests testing experiment experiments experimental
empirical empirically theoretical theoretically claim claims claimed claiming need needs needed
require requires required requirement requirements help helps helpful useful advantage
advantages benefit benefits contribution contributions novelty idea ideas purpose goal goals aim
reason reasons rationale motivation intuition implication implications performance quality
figure table fig tab eq equation line page lines pages supplementary supplement material
available availability sensitive sensitivity vary varies varying variation variations change
changes changed happen happens obtain obtained obtains computed compute calculated calculate
determined determine based depend depends dependent correspond corresponding respectively handle
handles handled deal deals work's process processes processing individual isolate separate
support supports supported broader ensure ensures ensured measure measures measured measuring
tell say says said mean means actual entire able likely likelihood let lets due account fact
indeed instead
"""


@cache
def stop_stems() -> frozenset[str]:
    """The words and their stems, in lower case."""
    listed = _NAMELESS.split()
    return frozenset(listed) | frozenset(map(stem, listed))


_KEPT_SINGLE = re.compile(r"^[A-HJ-Zα-ωΑ-ΩλμσβγδεθτL]$")
"""Single letters that name something: all but the article and the pronoun."""


def content_stems(text: str) -> tuple[str, ...]:
    """Stems of the words of a text that name something, each once, in order.

    What reviewers and papers say of anything (`stop_stems`) names nothing.
    """
    return tuple(dict.fromkeys(found for found in map(_content_stem, words(text)) if found))


@lru_cache(maxsize=50_000)
def _content_stem(word: str) -> str | None:
    """The stem of a word that names something, else None."""
    if len(word) == 1 and not (word.isdigit() or _KEPT_SINGLE.match(word)):
        return None
    stemmed = stem(word)
    return None if word.lower() in stop_stems() or stemmed in stop_stems() else stemmed
