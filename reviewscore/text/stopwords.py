"""Words that name nothing: function words, and words any review uses of any paper."""

from __future__ import annotations

from functools import cache

from reviewscore.text.stems import stem

_WORDS = """
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
    listed = _WORDS.split()
    return frozenset(listed) | frozenset(map(stem, listed))
