"""Every spelling of every sign: ASCII, Unicode, words, LaTeX, NLTK and Prover9, TPTP."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """Kind of a token; the value is how messages name it."""

    NAME = "a name"
    NUMBER = "a number"
    FORALL = "'forall'"
    EXISTS = "'exists'"
    NOT = "'-'"
    AND = "'&'"
    OR = "'|'"
    XOR = "'xor'"
    IMPLIES = "'->'"
    IFF = "'<->'"
    EQUAL = "'='"
    UNEQUAL = "'!='"
    LESS = "'<'"
    MORE = "'>'"
    AT_MOST = "'<='"
    AT_LEAST = "'>='"
    OPEN = "'('"
    CLOSE = "')'"
    OPEN_LIST = "'['"
    CLOSE_LIST = "']'"
    COMMA = "','"
    DOT = "'.'"
    COLON = "':'"
    END = "the end of the formula"


SPELLINGS: dict[Kind, tuple[str, ...]] = {
    Kind.IFF: ("<->", "<=>", "↔", "⇔", "≡", "⟷"),
    Kind.XOR: ("<~>", "⊕", "⊻"),
    Kind.IMPLIES: ("->", "=>", "→", "⇒", "⟶", "⊃"),
    Kind.AND: ("&&", "&", "∧", "/\\"),
    Kind.OR: ("||", "|", "∨", "\\/"),
    Kind.UNEQUAL: ("!=", "≠"),
    Kind.AT_MOST: ("<=", "≤"),
    Kind.AT_LEAST: (">=", "≥"),
    Kind.LESS: ("<",),
    Kind.MORE: (">",),
    Kind.EQUAL: ("==", "="),
    Kind.NOT: ("¬", "~", "!", "-", "−"),
    Kind.FORALL: ("∀",),
    Kind.EXISTS: ("∃", "?"),
    Kind.OPEN: ("(",),
    Kind.CLOSE: (")",),
    Kind.OPEN_LIST: ("[",),
    Kind.CLOSE_LIST: ("]",),
    Kind.COMMA: (",",),
    Kind.DOT: (".",),
    Kind.COLON: (":",),
}
WORDS: dict[Kind, tuple[str, ...]] = {
    Kind.AND: ("and",),
    Kind.OR: ("or",),
    Kind.XOR: ("xor",),
    Kind.NOT: ("not",),
    Kind.IMPLIES: ("implies",),
    Kind.IFF: ("iff",),
    Kind.FORALL: ("forall", "all"),
    Kind.EXISTS: ("exists", "exist", "thereexists"),
}
LATEX: dict[Kind, tuple[str, ...]] = {
    Kind.AND: ("land", "wedge"),
    Kind.OR: ("lor", "vee"),
    Kind.XOR: ("oplus", "veebar"),
    Kind.NOT: ("lnot", "neg"),
    Kind.IMPLIES: ("rightarrow", "to", "Rightarrow", "implies", "longrightarrow", "supset"),
    Kind.IFF: ("leftrightarrow", "Leftrightarrow", "iff", "equiv", "longleftrightarrow"),
    Kind.UNEQUAL: ("neq", "ne"),
    Kind.AT_MOST: ("leq", "le"),
    Kind.AT_LEAST: ("geq", "ge"),
    Kind.LESS: ("lt",),
    Kind.MORE: ("gt",),
    Kind.FORALL: ("forall",),
    Kind.EXISTS: ("exists",),
}
LATEX_SPACE = frozenset(
    (
        *("quad", "qquad", "left", "right", "displaystyle", ",", ";", ":", "!", " "),
        *("big", "Big", "bigl", "bigr", "Bigl", "Bigr"),
    )
)
"""Commands that change how a formula looks, not what it says."""

LATEX_FONTS = frozenset(
    (
        *("text", "textit", "textrm", "textsf", "texttt", "operatorname"),
        *("mathrm", "mathit", "mathsf", "mathbf", "mathtt"),
    )
)
"""Commands whose argument in braces is a name."""

FUNCTIONS: dict[str, Kind] = {
    "And": Kind.AND,
    "Or": Kind.OR,
    "Xor": Kind.XOR,
    "Not": Kind.NOT,
    "Implies": Kind.IMPLIES,
    "Iff": Kind.IFF,
    "ForAll": Kind.FORALL,
    "Forall": Kind.FORALL,
    "Exists": Kind.EXISTS,
}
"""Function notation: ``Implies(P, Q)``, ``ForAll([x], P(x))``."""

QUANTIFIERS = (Kind.FORALL, Kind.EXISTS)
ARROWS = (Kind.IMPLIES, Kind.IFF)
JOINS = (Kind.AND, Kind.OR, Kind.XOR)
EQUALS = (Kind.EQUAL, Kind.UNEQUAL)
COMPARISONS = (*EQUALS, Kind.LESS, Kind.MORE, Kind.AT_MOST, Kind.AT_LEAST)

KIND_OF_SIGN = {spelling: kind for kind, all_of in SPELLINGS.items() for spelling in all_of}
KIND_OF_WORD = {word: kind for kind, all_of in WORDS.items() for word in all_of}
KIND_OF_COMMAND = {word: kind for kind, all_of in LATEX.items() for word in all_of}

NOT_USED = {
    "{": "there are no sets; write one predicate per element, such as A(x) | B(x)",
    "}": "there are no sets; write one predicate per element, such as A(x) | B(x)",
    "+": "there is no arithmetic; write a predicate instead",
    "*": "there is no arithmetic; write a predicate instead",
    "/": "there is no arithmetic; write a predicate instead",
    "^": "'^' is not an operator; write & for 'and', xor for 'either .. or .. but not both'",
    "∄": "write -exists x (...) instead",
    "∈": "there are no sets; write a predicate such as In(a, b)",
    "'": "a quotation mark is not closed; names need none, they use letters, digits and _ only",
    '"': "a quotation mark is not closed; names need none, such as room_8",
    "`": "no quotes or code fences; write the formula alone",
    "…": "the formula must be written out in full",
    ";": "write one formula at a time",
    "\\": "this LaTeX command is not known; write the operators in ASCII: - & | -> <->",
}
"""Characters outside of the grammar, and what to write instead."""
