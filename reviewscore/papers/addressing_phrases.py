"""How texts address a model that is to judge them: patterns of instructions, by language.

Each pattern is about an imperative or the second person, not about a topic: papers write about
language models and positive reviews all the time. Gaps are bounded, so that searches stay linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Aim(StrEnum):
    """What an instruction wants of the model."""

    OVERRIDE = "set its instructions aside"
    VERDICT = "judge kindly"
    ROLE = "speak to it as a model"


# `~` stands for the gap between two words: none where single letters were joined.
_ENGLISH: dict[Aim, tuple[str, ...]] = {
    Aim.OVERRIDE: (
        r"(?:ignore|disregard|forget|override|bypass|do~not~follow)~(?:(?:all|any|every|each|the|of"
        r"|your|these|those|my|our|its)~){0,4}(?:(?:previous|prior|above|preceding|earlier"
        r"|foregoing"
        r"|existing|original|other|system|initial|former)~){1,3}(?:\w+~){0,1}(?:instructions?"
        r"|prompts?|directions?|directives?|guidelines?|rules|commands?|orders|requests?"
        r"|messages?)",
        r"(?:ignore|disregard|forget)~(?:all~|any~)?(?:of~)?(?:the~|your~)(?:\w+~)?(?:instructions?"
        r"|prompts?|directives?|guidelines?)~(?:above|before|so~far|you~(?:were|have|got)"
        r"|given~to)",
        r"(?:reveal|print|repeat|output)~(?:me~)?your~(?:system~)?(?:prompt|instructions)\b",
    ),
    Aim.VERDICT: (
        r"!\b(?:give|write|provide|generate|produce|output|return"
        r"|submit|assign|issue|respond~with|answer~with)~(?:(?:only|us|it|this|the|paper|submission"
        r"|manuscript|work|article|authors?|a|an|as|one|your|very|highly|strongly|extremely"
        r"|overall)~){0,6}(?:positive|favou?rable|glowing|enthusiastic|supportive|excellent|"
        r"perfect|high|highest|maximum|top|accept|strong~accept)~(?:possible~)?"
        r"(?:peer~)?(?:reviews?|ratings?|scores?|evaluations?|assessments?|recommendations?"
        r"|feedback"
        r"|verdicts?|decisions?|comments?)\b",
        r"(?:do~not|don'?t|never|avoid|without)~(?:mention|highlight|list|raise|report|include"
        r"|point"
        r"~out|discuss|criti[cq]\w+|mentioning|highlighting|listing|raising|reporting)~(?:(?:any"
        r"|the"
        r"|its|of|this|paper|papers|potential|possible)~){0,4}(?:negatives?|weakness(?:es)?|flaws?"
        r"|shortcomings?|limitations?|drawbacks?|criticisms?)(?:~\w+){0,2}(?=\W*(?:$|[.!;\n\"”)]))",
        r"(?:please|must|you~should|always|only|reviewers?|llms?|ais?)~(?:strongly~|highly~)?"
        r"(?:recommend|advise|suggest)~(?:(?:to|the|this|paper|submission|it|for|its|a|an|clear"
        r"|strong|immediate|strongly)~){0,5}(?:accept(?:ance|ing|ed)?|publication)\b",
        r"!\b(?:rate|score|rank)~(?:this|the|our)~(?:paper|submission|manuscript|work"
        r"|article)~(?:very~)?"
        r"(?:(?:as~|with~|at~|a~|an~|the~){0,2}(?:highly|favou?rably|positively|10|ten\b|highest"
        r"|top"
        r"\b|best|excellent|perfect|outstanding|strong~accept))",
        r"emphasi[sz]e~(?:only~)?(?:the~|its~)?(?:exceptional~|outstanding~)?(?:strengths?"
        r"|contributions?|novelty)~(?:and|but|while|over)~(?:\w+~){0,3}(?:weakness(?:es)?"
        r"|downplay\w*|minor|fixable)",
    ),
    Aim.ROLE: (
        r"as~an?~(?:(?:large|helpful|ai|artificial|intelligence|powerful|generative)~){0,3}"
        r"(?:language~model|llm|ai~(?:model|assistant|reviewer)|assistant|chat~?bot)[,:]?~(?:you"
        r"|your"
        r"|please|ignore|do~not|always)\b",
        r"(?:if|when|since|because)~you~(?:are|were)~(?:an?~)?(?:(?:large|ai|artificial)~){0,2}"
        r"(?:language~models?|llms?|ai\b|ai~\w+|gpt|chatgpt|chat~?bot|machine)",
        r"(?:^\W{0,3}|(?:llm|ai)s?~and~)(?:llm|ai|language~model|automated|machine)s?(?:~based)?~"
        r"reviewers?~?[:,!]",
        r"(?:note|instructions?|message|attention|hint|reminder|for|to|dear)~(?:to~|for~)?(?:all~"
        r"|any~|the~)?(?:llm|ai|language~model|gpt|chatgpt|automated|machine)s?[ -]?(?:based~)?"
        r"(?:reviewers?|assistants?|judges?|evaluators?|graders?|agents?)~?[:,!]",
        r"(?:<~?\|?~?(?:im_start|system|assistant)~?\|?~?>|\[~?/?inst~?\]|<<~?sys~?>>)",
        r"you~are~now~(?:an?~|in~|acting~)(?:\w+~){0,4}(?:reviewer|mode|assistant|model|author)",
    ),
}

OTHERS: dict[str, dict[Aim, str]] = {
    "zh": {
        Aim.OVERRIDE: r"(?:忽略|无视|無視|忘记|忘記|不要理会)[^。\n]{0,8}?(?:之前|以前|以上|先前"
        r"|前面|"
        r"上述|上面|所有|此前)[^。\n]{0,8}?(?:指令|指示|提示|说明|說明|要求|命令)",
        Aim.VERDICT: r"(?:给出|給出|给予|写出?|撰写|提供|输出|生成|只给|请给)[^。\n]{0,10}?(?:正"
        r"面|积极|"
        r"積極|好评|肯定|高分|有利)[^。\n]{0,4}?(?:评审|評審|评价|評價|审稿|意见|评分|评论|审查"
        r"|的?分数)",
        Aim.ROLE: r"(?:作为|身为|如果你是)[^。\n]{0,6}?(?:语言模型|大模型|人工智能"
        r"|AI)[^。\n]{0,10}?"
        r"(?:你|您)[^。\n]{0,4}?(?:必须|应该|应当|需要|只能|不要)",
    },
    "ja": {
        Aim.OVERRIDE: r"(?:以前|これまで|前|上記|上|先|今まで|すべて|全て)の[^。\n]{0,8}?(?:指示"
        r"|命令|"
        r"プロンプト|指令)[^。\n]{0,6}?(?:無視|忘れ)",
        Aim.VERDICT: r"(?:肯定的|好意的|ポジティブ|高評価|高い|良い)[^。\n]{0,6}?(?:査読|レビュー"
        r"|評価|講評|"
        r"スコア)[^。\n]{0,8}?(?:ください|下さい|しなさい|書け|せよ|与えよ|出力|してくれ|のみ)",
        Aim.ROLE: r"(?:言語モデル|AI|人工知能)(?:として|である|の)[^。\n]{0,3}?(?:あなた|君)",
    },
    "ko": {
        Aim.OVERRIDE: r"(?:이전|위|앞선|앞|기존|모든)(?:의|에)?[^.\n]{0,10}?(?:지시|명령|프롬프트"
        r"|지침)"
        r"[^.\n]{0,8}?(?:무시|잊)",
        Aim.VERDICT: r"(?:긍정적|호의적|높은|좋은)[^.\n]{0,6}?(?:리뷰|평가|심사평|심사"
        r"|점수)[^.\n]{0,10}?"
        r"(?:작성|제공|출력|주세요|하세요|하십시오|해라|달라|줘)",
        Aim.ROLE: r"(?:언어 ?모델|인공지능|AI)(?:로서|인|으로서)[^.\n]{0,4}?(?:당신|너는|귀하)",
    },
    "de": {
        Aim.OVERRIDE: r"\b(?:ignorier\w*|vergiss|vergessen sie"
        r"|missachte\w*)\b.{0,30}?\b(?:vorherig|"
        r"vorig|bisherig|obig|früher|vorangegangen|bestehend)\w*\b.{0,20}?(?:anweisung|instruktion|"
        r"befehl|vorgabe|prompt)\w*",
        Aim.VERDICT: r"\b(?:gib|geben sie|schreibe?|schreiben sie|verfass\w*"
        r"|erstell\w*)\b.{0,40}?\b"
        r"(?:positiv|wohlwollend|günstig|gut|lobend)\w*\s(?:gutachten|bewertung|rezension|"
        r"begutachtung|review|note)\w*",
        Aim.ROLE: r"\bals\s(?:ein\w*\s)?(?:großes\s)?(?:ki[- ]?)?(?:sprachmodell|ki|llm)\b.{0,6}?\b"
        r"(?:musst|sollst|bist|müssen|sollen)\b",
    },
    "fr": {
        Aim.OVERRIDE: r"\b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|ne ten(?:ez"
        r"|ir)? (?:pas )?(?:aucun )?"
        r"compte)\b.{0,30}?\b(?:instructions?|consignes?|directives?|ordres?)\b.{0,16}?"
        r"(?:précédent|antérieur|ci-dessus|plus haut|initial)",
        Aim.VERDICT: r"\b(?:donn(?:e|ez|er)|écri(?:s|vez|re)|rédig(?:e|ez|er)|fourni\w+)\b.{0,30}?"
        r"\b(?:évaluation|critique|avis|rapport|relecture|recension|note)s?\b.{0,14}?"
        r"(?:positi(?:f|ve)|favorable|élogieu|excellent)",
        Aim.ROLE: r"\ben tant qu(?:e |')(?:un )?(?:grand )?(?:modèle de langage|ia"
        r"|llm)\b.{0,8}?\b(?:tu"
        r"|vous)\b",
    },
    "es": {
        Aim.OVERRIDE: r"\b(?:ignor(?:a|e|en|ar)|olvid(?:a|e|en|ar)|descart(?:a|e)"
        r"|hacer? caso omiso|"
        r"haz caso omiso)\b.{0,30}?\b(?:instrucciones|indicaciones|órdenes|directrices)\b.{0,16}?"
        r"(?:anterior|previa|de arriba|inicial)",
        Aim.VERDICT: r"\b(?:da|dé|den|escrib(?:e|a)|redact(?:a|e)|proporcion(?:a|e)|emit(?:e|a)"
        r"|gener(?:a"
        r"|e))\b.{0,30}?\b(?:reseña|revisión|evaluación|valoración|crítica|puntuación)\b.{0,14}?"
        r"(?:positiva|favorable|excelente|alta)",
        Aim.ROLE: r"\bcomo (?:un )?(?:gran )?(?:modelo de lenguaje|ia|llm)\b.{0,10}?\b(?:debes?"
        r"|tienes"
        r"|tiene que|eres)\b",
    },
    "ru": {
        Aim.OVERRIDE: r"\b(?:про)?(?:игнорируй|забудь|не обращай)\w*.{0,24}?(?:предыдущ|прежн"
        r"|выше|ранее"
        r"|прошл)\w*.{0,20}?(?:инструкц|указан|команд|промпт|правил)\w*",
        Aim.VERDICT: r"\b(?:дай|напиши|составь|поставь|предоставь"
        r"|сгенерируй)\w*.{0,30}?(?:положительн|"
        r"хорош|позитивн|благоприятн|высок)\w*\s(?:отзыв|рецензи|оценк|балл)\w*",
        Aim.ROLE: r"\bкак\s(?:больш\w+\s)?(?:языков\w+\sмодел\w+|ии"
        r"|искусственн\w+\sинтеллект\w*).{0,6}?"
        r"\b(?:ты|вы)\b",
    },
}
"""Patterns of other languages; those of English are in `english`."""


@dataclass(frozen=True)
class Pattern:
    """What is searched for in a text in small letters.

    Attributes:
        aim: What is said by it.
        phrase: What is searched for.
        imperative: Whether it counts only where a sentence begins, or after words such as "you
            must": elsewhere it tells what somebody did.
        told: Whether it counts nowhere after a subject such as "we" or "models often".
    """

    aim: Aim
    phrase: re.Pattern[str]
    imperative: bool
    told: bool = False

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Where a text in small letters says it."""
        for match in self.phrase.finditer(text):
            start = match.start()
            if self.told and _SUBJECT.search(text, max(0, start - _REACH), start):
                continue
            if not self.imperative or _BEFORE.search(text, max(0, start - _REACH), start):
                yield match


_REACH = 30
_SUBJECT = re.compile(
    r"\b(?:we|they|i|who|that|which|authors|models|methods|approaches|agents|users|systems|networks"
    r"|can|could|may|might|would|often|also|sometimes|tend to|able to|never|not)\s{1,4}\Z"
)
"""What stands before a verb that tells what somebody does, and before no order."""
_BEFORE = re.compile(
    r"(?:^|[.!?:;\"“”({\[>*]|\b(?:please|must|only|always|now|simply|just|you should|instead"
    r"|reviewers?|llms?|ais?|instructions?))[\s\-_,*]{0,4}\Z",
    re.MULTILINE,
)


def english(gap: str) -> tuple[Pattern, ...]:
    """The English patterns.

    Args:
        gap: Pattern of what parts two words.
    """
    found = []
    for aim, phrases in _ENGLISH.items():
        for imperative in (False, True):
            chosen = [one.lstrip("!") for one in phrases if one.startswith("!") == imperative]
            if chosen:
                phrase = re.compile("|".join(chosen).replace("~", f"(?:{gap})"), re.MULTILINE)
                found.append(Pattern(aim, phrase, imperative, told=aim is not Aim.ROLE))
    return tuple(found)


def others(language: str) -> tuple[Pattern, ...]:
    """The patterns of another language."""
    return tuple(
        Pattern(aim, re.compile(phrase.replace("AI", "ai")), False)
        for aim, phrase in OTHERS[language].items()
    )


STEMS = {
    "de": ("anweisung", "instruktion", "befehl", "vorgabe", "gutachten", "bewertung", "rezension",
           "begutachtung", "sprachmodell", "positives review", "als ki"),
    "fr": ("précédent", "antérieur", "ci-dessus", "consigne", "évaluation", "recension",
           "modèle de langage", "rédige", "critique posi"),
    "es": ("instrucciones", "indicaciones", "directrices", "órdenes", "reseña", "revisión",
           "evaluación", "valoración", "crítica", "puntuación", "modelo de lenguaje", "como ia"),
}  # fmt: skip
"""What a text in Latin letters must hold for a language's patterns to be worth a search."""

_EASTERN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
SCRIPTS = {"zh": _EASTERN, "ja": _EASTERN, "ko": _EASTERN, "ru": re.compile("[\u0430-\u044f]{3}")}
"""Letters that a text must hold for a language's patterns to be worth a search."""

DISGUISED = ("ignor", "disregard", "forget", "instruct", "prompt", "review", "accept", "positiv",
             "weakness", "negativ", "rating", "score", "languagemodel", "llm")  # fmt: skip
"""Words that undoing a disguise must bring to light for a text to be worth a search."""
