"""Every spelling of every sign: ASCII, Unicode, words, LaTeX, NLTK and Prover9, TPTP."""

from __future__ import annotations

from enum import Enum


class TokenKind(Enum):
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


SPELLINGS: dict[TokenKind, tuple[str, ...]] = {
    TokenKind.IFF: ("<->", "<=>", "↔", "⇔", "≡", "⟷"),
    TokenKind.XOR: ("<~>", "⊕", "⊻"),
    TokenKind.IMPLIES: ("->", "=>", "→", "⇒", "⟶", "⊃"),
    TokenKind.AND: ("&&", "&", "∧", "/\\"),
    TokenKind.OR: ("||", "|", "∨", "\\/"),
    TokenKind.UNEQUAL: ("!=", "≠"),
    TokenKind.AT_MOST: ("<=", "≤"),
    TokenKind.AT_LEAST: (">=", "≥"),
    TokenKind.LESS: ("<",),
    TokenKind.MORE: (">",),
    TokenKind.EQUAL: ("==", "="),
    TokenKind.NOT: ("¬", "~", "!", "-", "−"),
    TokenKind.FORALL: ("∀",),
    TokenKind.EXISTS: ("∃", "?"),
    TokenKind.OPEN: ("(",),
    TokenKind.CLOSE: (")",),
    TokenKind.OPEN_LIST: ("[",),
    TokenKind.CLOSE_LIST: ("]",),
    TokenKind.COMMA: (",",),
    TokenKind.DOT: (".",),
    TokenKind.COLON: (":",),
}
WORDS: dict[TokenKind, tuple[str, ...]] = {
    TokenKind.AND: ("and",),
    TokenKind.OR: ("or",),
    TokenKind.XOR: ("xor",),
    TokenKind.NOT: ("not",),
    TokenKind.IMPLIES: ("implies",),
    TokenKind.IFF: ("iff",),
    TokenKind.FORALL: ("forall", "all"),
    TokenKind.EXISTS: ("exists", "exist", "thereexists"),
}
LATEX: dict[TokenKind, tuple[str, ...]] = {
    TokenKind.AND: ("land", "wedge"),
    TokenKind.OR: ("lor", "vee"),
    TokenKind.XOR: ("oplus", "veebar"),
    TokenKind.NOT: ("lnot", "neg"),
    TokenKind.IMPLIES: ("rightarrow", "to", "Rightarrow", "implies", "longrightarrow", "supset"),
    TokenKind.IFF: ("leftrightarrow", "Leftrightarrow", "iff", "equiv", "longleftrightarrow"),
    TokenKind.UNEQUAL: ("neq", "ne"),
    TokenKind.AT_MOST: ("leq", "le"),
    TokenKind.AT_LEAST: ("geq", "ge"),
    TokenKind.LESS: ("lt",),
    TokenKind.MORE: ("gt",),
    TokenKind.FORALL: ("forall",),
    TokenKind.EXISTS: ("exists",),
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

FUNCTIONS: dict[str, TokenKind] = {
    "And": TokenKind.AND,
    "Or": TokenKind.OR,
    "Xor": TokenKind.XOR,
    "Not": TokenKind.NOT,
    "Implies": TokenKind.IMPLIES,
    "Iff": TokenKind.IFF,
    "ForAll": TokenKind.FORALL,
    "Forall": TokenKind.FORALL,
    "Exists": TokenKind.EXISTS,
}
"""Function notation: ``Implies(P, Q)``, ``ForAll([x], P(x))``."""

QUANTIFIERS = (TokenKind.FORALL, TokenKind.EXISTS)
ARROWS = (TokenKind.IMPLIES, TokenKind.IFF)
JOINS = (TokenKind.AND, TokenKind.OR, TokenKind.XOR)
EQUALS = (TokenKind.EQUAL, TokenKind.UNEQUAL)
COMPARISONS = (*EQUALS, TokenKind.LESS, TokenKind.MORE, TokenKind.AT_MOST, TokenKind.AT_LEAST)

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
