"""A paper from its LaTeX source: nothing is run, and macros are only looked up.

Formulas stay as they are written; sections, floats, equations and theorems are numbered as LaTeX
numbers them, so that "Table 2" of a review can be found. Files that the source includes are read
where they lie below its folder.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewscore.errors import InputError
from reviewscore.papers.hygiene import one_line, read_text
from reviewscore.papers.marked_text import IMAGE, MarkedText, rows_of_cells
from reviewscore.papers.sections import FIRST_LETTER

_MOST_CHARACTERS = 6_000_000
_MOST_FILES = 200
_NAMED = 5
_INCLUDE = re.compile(
    r"(?<!\\)\\(?:(?:input|include|subfile)\s*\{([^{}\n]{1,200})\}|input\s+([\w./-]{1,200}))"
)
_PARTIAL_RULE = re.compile(r"\\cmidrule\s*(?:\([^)]*\))?\s*\{[^{}]*\}")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n[ \t]*|(?<!\\)%[^\n]*\Z")
_SHORT_MACRO = re.compile(
    r"\\(?:(?:re)?newcommand\*?|providecommand\*?|DeclareMathOperator\*?)\s*"
    r"\{?\\([A-Za-z]+)\}?\s*(?=\{)|\\def\s*\\([A-Za-z]+)\s*(?=\{)"
)
_LONGEST_BODY = 200
_PASSES = 3
_MOST_GROWTH = 3
"""Times a source may grow by its own macros."""
_THEOREM = re.compile(r"\\newtheorem\*?\{(\w+\*?)\}(?:\[(\w+)\])?\{([^{}]{1,40})\}(?:\[(\w+)\])?")
_THEOREMS = {
    "theorem": "Theorem", "lemma": "Lemma", "proposition": "Proposition",
    "corollary": "Corollary", "definition": "Definition", "assumption": "Assumption",
    "remark": "Remark", "example": "Example", "claim": "Claim",
}  # fmt: skip
_SECTIONS = {"part": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3}
_RUN_IN = {"paragraph", "subparagraph"}
_FLOATS = {
    "figure": "Figure", "wrapfigure": "Figure", "subfigure": "", "sidewaysfigure": "Figure",
    "table": "Table", "wraptable": "Table", "sidewaystable": "Table", "subtable": "",
    "algorithm": "Algorithm", "algorithm2e": "Algorithm", "listing": "Listing",
}  # fmt: skip
_EQUATIONS = {"equation", "align", "gather", "multline", "eqnarray", "alignat", "flalign", "math",
              "displaymath"}  # fmt: skip
_ROWS_OF_EQUATIONS = {"align", "gather", "eqnarray", "alignat", "flalign"}
_HEADED = {"abstract": "Abstract", "thebibliography": "References"}
_BLOCK_MACROS = {*_SECTIONS, "caption", "includegraphics", "appendix"}
_TABULARS = {"tabular", "tabularx", "tabulary", "longtable", "tblr", "NiceTabular", "array"}
_VERBATIM = {"verbatim", "lstlisting", "minted", "Verbatim", "alltt"}
_DRAWN = {"tikzpicture", "pgfpicture", "picture", "axis"}
_SKIPPED = {"comment", "filecontents"}
_TEXT = {
    "textbf", "textit", "emph", "texttt", "textsc", "textsf", "textrm", "underline", "text",
    "textup", "textmd", "textsl", "mbox", "rotatebox", "resizebox", "scalebox", "parbox",
    "colorbox", "textcolor", "color", "href", "multicolumn", "multirow",
}  # fmt: skip
_SILENT = {
    "label", "vspace", "hspace", "bibliographystyle", "setlength", "usepackage", "documentclass",
    "setcounter", "cline", "date", "author", "thanks", "title", "newcommand", "renewcommand",
    "providecommand", "graphicspath", "definecolor", "DeclareMathOperator", "maketitle",
    "bibliography", "arraystretch", "captionsetup", "index", "rowcolor", "cellcolor",
}  # fmt: skip
"""Macros whose arguments are no words; what has no arguments and is no symbol is silent anyway."""
_LONE = {"answerYes": "[Yes]", "answerNo": "[No]", "answerNA": "[NA]", "answerTODO": "[TODO]",
         "LaTeX": "LaTeX", "TeX": "TeX", "eg": "e.g.", "ie": "i.e.", "etal": "et al."}  # fmt: skip
_CITATION = re.compile(r"(?:no)?[cC]ite[A-Za-z]*\Z|(?:paren|text|auto|foot)cites?\Z")
_REFERENCE = {"ref", "eqref", "autoref", "cref", "Cref", "pageref", "nameref", "vref"}
_NAMED_REFERENCE = {"autoref", "cref", "Cref", "vref"}
_ALGORITHMIC = re.compile(
    r"(?:State|Statex|If|ElsIf|For|ForAll|While|Repeat|Until|Require|Ensure|Input|Output|Return"
    r"|Procedure|Function|Comment|Loop|KwIn|KwOut|KwData|KwResult|tcp|tcc|STATE|IF|ELSE|ELSIF|FOR"
    r"|WHILE|REQUIRE|ENSURE|RETURN)\Z"
)
_LINE_END = "\x04"
"""An end of a line that the source asks for."""
_BREAK = "\x01"
"""Parts blocks while words are gathered."""
_POINTER = re.compile("\x02([^\x02\x03]*)\x03([^\x02]*)\x02")
"""A reference by its label, until all labels are known."""


@dataclass
class _Numbers:
    """What LaTeX counts.

    Attributes:
        section: Numbers of section, subsection and subsubsection.
        counters: Numbers of floats, equations, theorems and footnotes, by name.
        appendix: Whether sections have letters.
        current: What a label that stands here points to: what it is, and its number.
        labels: The same, by label.
    """

    section: list[int] = field(default_factory=lambda: [0, 0, 0])
    counters: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    appendix: bool = False
    current: tuple[str, str] = ("Section", "")
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)

    def step(self, name: str, kind: str = "") -> str:
        """Counts one further of its kind."""
        self.counters[name] += 1
        number = str(self.counters[name])
        self.current = (kind or name, number)
        return number

    def step_section(self, level: int) -> str:
        """Counts one further section."""
        self.section[level - 1] += 1
        self.section[level:] = [0] * (len(self.section) - level)
        parts = [str(part) for part in self.section[:level]]
        if self.appendix:
            parts[0] = chr(FIRST_LETTER + (self.section[0] - 1) % 26)
        number = ".".join(parts)
        self.current = ("Appendix" if self.appendix else "Section", number)
        return number


def read_latex(path: Path) -> MarkedText:
    """Title, abstract, sections, captions, tables, formulas and references of a LaTeX source.

    Raises:
        InputError: If it cannot be read, is too large, or holds no text.
    """
    notes: list[str] = []
    source = _whole_source(path, notes)
    from pylatexenc.latexwalker import LatexWalker, LatexWalkerError

    preamble, document = _parted(source)
    begun = _Reader(preamble + document)
    try:
        nodes, _, _ = LatexWalker(
            _expanded(preamble, document), latex_context=_context(), tolerant_parsing=True
        ).get_latex_nodes()
        title = _title_source(source)
        named, _, _ = LatexWalker(
            title, latex_context=_context(), tolerant_parsing=True
        ).get_latex_nodes()
        begun.title(named)
        begun.read(nodes)
    except RecursionError as error:
        raise InputError("nests too deeply", file=path, cure="give the PDF") from error
    except LatexWalkerError as error:
        raise InputError(f"is not LaTeX: {error}", file=path, cure="give the PDF") from error
    paper = begun.paper()
    if not paper.text.strip():
        raise InputError("holds no text", file=path, cure="give the main file of the source")
    paper.notes += notes
    return paper


def _whole_source(path: Path, notes: list[str]) -> str:
    """The source with the files that it includes, without comments.

    Raises:
        InputError: If it cannot be read, or is too large.
    """
    folder = path.resolve().parent
    absent: list[str] = []
    read = 0

    def included(match: re.Match[str]) -> str:
        nonlocal read
        name = (match[1] or match[2]).strip()
        file = (folder / (name if name.endswith((".tex", ".bbl")) else f"{name}.tex")).resolve()
        read += 1
        if not file.is_relative_to(folder) or not file.is_file() or read > _MOST_FILES:
            absent.append(name)
            return ""
        return _COMMENT.sub("", read_text(file))

    source = _COMMENT.sub("", read_text(path))
    for _ in range(_PASSES):
        source = _INCLUDE.sub(included, source)
        if len(source) > _MOST_CHARACTERS:
            raise InputError("is too large", file=path, cure="give the source of one paper")
    listed = path.with_suffix(".bbl")
    if "\\begin{thebibliography}" not in source and listed.is_file():
        entries = _COMMENT.sub("", read_text(listed))
        source = re.sub(r"\\bibliography\s*\{[^{}]*\}", lambda _: entries, source, count=1)
    if absent:
        named = ", ".join(absent[:_NAMED]) + (", ..." if len(absent) > _NAMED else "")
        notes.append(f"the source includes files that are not there: {named}")
    return _PARTIAL_RULE.sub("", source)


def _parted(source: str) -> tuple[str, str]:
    begin, end = source.find("\\begin{document}"), source.rfind("\\end{document}")
    if begin < 0:
        return "", source
    begin += len("\\begin{document}")
    return source[:begin], source[begin : end if end > begin else len(source)]


def _title_source(source: str) -> str:
    match = re.search(r"\\(?:icml)?title\s*(?:\[[^\]]*\])?\s*(?=\{)", source)
    return "" if match is None else _group(source, match.end())[1:-1]


def _group(source: str, start: int) -> str:
    """The group that begins at an offset, with its braces."""
    depth = 0
    for at in range(start, min(len(source), start + 5000)):
        if source[at] in "{}" and source[at - 1] != "\\":
            depth += 1 if source[at] == "{" else -1
            if not depth:
                return source[start : at + 1]
    return "{}"


def _expanded(preamble: str, document: str) -> str:
    """The document with macros without arguments, such as a method's name, written out."""
    bodies = {}
    for match in _SHORT_MACRO.finditer(preamble):
        body = _group(preamble, match.end())
        if len("{}") < len(body) <= _LONGEST_BODY and "#" not in body:
            bodies[match[1] or match[2]] = body
    if not bodies:
        return document
    names = "|".join(sorted(map(re.escape, bodies), key=len, reverse=True))
    used = re.compile(rf"\\({names})(?![A-Za-z@])(?:\{{\}}|[ \t]+(?=[a-z(]))?")

    def body_of(match: re.Match[str]) -> str:
        spaced = " " if match.group()[-1] in " \t" and "xspace" in bodies[match[1]] else ""
        return bodies[match[1]].replace("\\xspace", "") + spaced

    most = _MOST_GROWTH * len(document) + 10_000
    for _ in range(_PASSES):
        longer = used.sub(body_of, document)
        if longer == document or len(longer) > most:
            break
        document = longer
    return document


_MACRO_ARGUMENTS = {
    "*[{": ("part", "paragraph", "caption", "captionof", "includegraphics"),
    "[[{": ("citep", "citet", "cite", "citealp", "citealt", "citeauthor", "parencite", "textcite",
            "autocite", "nocite"),
    "{": ("pageref", "nameref", "vref", "vspace", "hspace", "thanks", "graphicspath", "index",
          "rowcolor", "cellcolor", "color", "bibliographystyle", "arraystretch", "captionsetup",
          "footnotetext", "cline"),
    "[{": ("bibitem",),
    "{{": ("textcolor", "href", "scalebox", "setlength", "colorbox"),
    "[{{": ("rotatebox", "parbox"),
    "{{{": ("multicolumn",),
    "*{{{": ("resizebox",),
    "[{[{{": ("multirow",),
}  # fmt: skip
"""Arguments that pylatexenc does not know, or knows otherwise."""
_ENVIRONMENT_ARGUMENTS = {
    "[{": ("tabular", "longtable", "tblr", "NiceTabular", "minipage", "subfigure", "subtable"),
    "{[{": ("tabulary", "tabular*"),
    "{": ("thebibliography", "adjustbox", "multicols"),
    "[{{": ("wrapfigure", "wraptable"),
    "[": ("algorithm", "algorithmic", "assumption", "example", "claim"),
}  # fmt: skip


def _context() -> Any:
    """The macros and environments whose arguments must be known."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import std_environment, std_macro

    context = get_default_latex_context_db()
    context.add_context_category(
        "paper",
        macros=[
            std_macro(name, form) for form, names in _MACRO_ARGUMENTS.items() for name in names
        ],
        environments=[
            std_environment(name, form)
            for form, names in _ENVIRONMENT_ARGUMENTS.items()
            for name in names
        ],
        prepend=True,
    )
    return context


class _Reader:
    """Puts the nodes of a source into words, block by block.

    Args:
        source: The whole source, for what it declares.
    """

    def __init__(self, source: str) -> None:
        self._blocks: list[tuple[str, str, int]] = []  # words, number and level of a heading
        self._numbers = _Numbers()
        self._footnotes: list[str] = []
        self._lists: list[int | None] = []
        self._title = ""
        self._theorems = {name: (kind, name, "") for name, kind in _THEOREMS.items()}
        for match in _THEOREM.finditer(source):
            shared = self._theorems.get(match[2] or "", ("", match[2] or match[1], ""))
            within = match[4] or shared[2]
            self._theorems[match[1]] = (match[3], shared[1], within)

    def title(self, nodes: Sequence[Any]) -> None:
        """Takes the title."""
        self._title = one_line(self._words(nodes))

    def read(self, nodes: Sequence[Any]) -> None:
        """Takes the document."""
        self._flow(nodes)

    def paper(self) -> MarkedText:
        """What was read, references by number."""
        paper = MarkedText(title=self._title)
        paper.add(self._title)
        in_abstract = False
        for words, number, level in self._blocks:
            text = _POINTER.sub(self._reference, words)
            if level:
                in_abstract = text == "Abstract" and not number
                paper.head(one_line(text), number, level)
                continue
            text = "\n".join(filter(None, map(one_line, text.split("\n"))))
            paper.add(text)
            if in_abstract and text:
                paper.abstract = f"{paper.abstract}\n\n{text}".strip()
        return paper

    def _reference(self, match: re.Match[str]) -> str:
        kind, number = self._numbers.labels.get(match[1], ("", "??"))
        shown = f"({number})" if match[2] == "eqref" else number
        named = match[2] in _NAMED_REFERENCE and kind
        return f"{kind} {shown}" if named else shown

    def _flow(self, nodes: Sequence[Any]) -> None:
        """The words of nodes, cut into blocks at paragraph breaks."""
        self._add(self._words(nodes))

    def _add(self, words: str) -> None:
        for block in re.split(rf"{_BREAK}|\n[ \t]*\n", words):
            if block.strip():
                words_in_line = re.sub(r"[ \t]*\n[ \t]*", " ", block.strip())
                self._blocks.append((words_in_line.replace(_LINE_END, "\n").strip(), "", 0))
        for note in self._footnotes:
            self._blocks.append((note, "", 0))
        self._footnotes.clear()

    def _lines(self, lines: Iterable[str]) -> None:
        """A block whose line ends stay."""
        block = "\n".join(line for line in lines if line.strip())
        if block:
            self._blocks.append((block, "", 0))

    def _words(self, nodes: Sequence[Any]) -> str:
        """The words of nodes; what is a block of its own is set apart and gathered at once."""
        gathered: list[str] = []
        for node in nodes or ():
            if node is None:
                continue
            word = self._word(node)
            if word is None:  # a block of its own: what stands before it comes first
                self._add("".join(gathered))
                gathered = []
                self._block(node)
            else:
                gathered.append(word)
        return "".join(gathered)

    def _word(self, node: Any) -> str | None:
        """A node in words; None if it is a block of its own."""
        match type(node).__name__:
            case "LatexCharsNode" | "LatexSpecialsNode":
                return _in_characters(str(getattr(node, "chars", "") or node.specials_chars))
            case "LatexMathNode" if node.displaytype != "display":
                return f"${_formula_source(node.nodelist)}$"
            case "LatexGroupNode":
                return self._words(node.nodelist)
            case "LatexMacroNode":
                return self._macro(node)
            case "LatexCommentNode":
                return ""
        return None

    def _macro(self, node: Any) -> str | None:
        name = node.macroname.rstrip("*")
        arguments = _arguments(node)
        if name in _BLOCK_MACROS:
            return None
        pointer = self._pointer(name, arguments)
        if pointer is not None:
            return pointer
        known = {**_SPACES, **_LONE, **dict.fromkeys(_SILENT, "")}.get(name)
        if known is not None:
            return known
        if _ALGORITHMIC.match(name):
            mark = "" if name.lower().startswith("state") else f"{name} "
            return f"{_BREAK}{mark}{self._words(arguments)}"
        if name in _TEXT or name in _RUN_IN:
            words = self._words(arguments[-1:])
            return words if name in _TEXT else f"{_BREAK}{words.rstrip('.')}. "
        return _symbol(node) or self._words(arguments)

    def _pointer(self, name: str, arguments: Sequence[Any]) -> str | None:
        """What names, or points to, another place; None for other macros."""
        if name == "label":
            self._numbers.labels[_source(arguments)] = self._numbers.current
            return ""
        if name in _REFERENCE:
            names = _source(arguments).split(",")
            return ", ".join(f"\x02{text.strip()}\x03{name}\x02" for text in names)
        if _CITATION.match(name):
            return "" if name == "nocite" else f"[{_source(arguments)}]"
        if name in ("bibitem", "item"):
            entry = f"[{_source(arguments[-1:])}]" if name == "bibitem" else self._item(arguments)
            return f"{_BREAK}{entry} "
        if name == "footnote":
            words = self._apart(arguments[-1:]).replace(_BREAK, " ")
            self._footnotes.append(f"{self._numbers.step('footnote')} {words}")
            return ""
        return None

    def _item(self, arguments: Sequence[Any]) -> str:
        """The mark of an item: its own, the next number of its list, or a dash."""
        if arguments:
            return self._apart(arguments)
        if not self._lists or self._lists[-1] is None:
            return "-"
        self._lists[-1] += 1
        return f"{self._lists[-1]}."

    def _apart(self, nodes: Sequence[Any]) -> str:
        """The words of nodes, blocks among them left out."""
        kept, self._blocks = self._blocks, []
        words = self._words(nodes)
        self._blocks = kept
        return _POINTER.sub(lambda match: match.group(), words).strip()

    def _block(self, node: Any) -> None:
        if type(node).__name__ == "LatexMathNode":
            self._lines([f"$${_formula_source(node.nodelist)}$$"])
        elif type(node).__name__ == "LatexEnvironmentNode":
            self._environment(node)
        else:
            self._macro_block(node)

    def _macro_block(self, node: Any) -> None:
        name, arguments = node.macroname, _arguments(node)
        if name == "appendix":
            self._numbers.appendix = True
            self._numbers.section = [0, 0, 0]
        elif name == "includegraphics":
            self._blocks.append((IMAGE, "", 0))
        elif name == "caption":
            self._add(self._apart(arguments[-1:]))
        else:
            level = _SECTIONS[name]
            starred = _source(arguments[:1]) == "*"
            number = "" if starred else self._numbers.step_section(level)
            self._blocks.append((self._apart(arguments[-1:]), number, level))

    def _environment(self, node: Any) -> None:
        name = node.environmentname.rstrip("*")
        if name in _SKIPPED:
            return
        if name in _EQUATIONS:
            self._equation(node)
        elif name in _FLOATS:
            self._float(node, _FLOATS[name])
        elif name in _TABULARS:
            self._lines(rows_of_cells(self._cells(node.nodelist)).split("\n"))
        elif name in _VERBATIM:
            self._lines(node.latex_verbatim().split("\n")[1:-1])
        elif name in _DRAWN:
            self._blocks.append((IMAGE, "", 0))
        elif node.environmentname in self._theorems:
            self._theorem(node)
        else:
            self._division(node, name)

    def _division(self, node: Any, name: str) -> None:
        """An environment that holds running text."""
        if name in _HEADED:
            self._blocks.append((_HEADED[name], "", 1))
        if name == "appendices":
            self._numbers.appendix, self._numbers.section = True, [0, 0, 0]
        self._lists.append(0 if name == "enumerate" else None)
        self._flow(node.nodelist)
        self._lists.pop()

    def _theorem(self, node: Any) -> None:
        kind, counter, within = self._theorems[node.environmentname]
        number = self._numbers.step(counter, kind)
        if within:
            number = f"{self._numbers.section[0]}.{number}"
            self._numbers.current = (kind, number)
        said = self._apart(_arguments(node))
        self._add(f"{kind} {number}{f' ({said})' if said else ''}. {self._words(node.nodelist)}")

    def _float(self, node: Any, kind: str) -> None:
        """A float: its caption with its number, then what it holds."""
        captions = [value for value in _within(node.nodelist) if _is_macro(value, "caption")]
        if kind and captions:
            number = self._numbers.step(kind)
            words = self._apart(_arguments(captions[0])[-1:]).replace(_BREAK, " ")
            self._add(f"{kind} {number}: {words}")
            for label in (value for value in _within(node.nodelist) if _is_macro(value, "label")):
                self._numbers.labels[_source(_arguments(label))] = self._numbers.current
        first = captions[:1] if kind else []
        self._flow([value for value in node.nodelist if value not in first])

    def _equation(self, node: Any) -> None:
        """Displayed formulas, a line for each number."""
        name = node.environmentname
        numbered = not name.endswith("*") and name not in ("math", "displaymath")
        source = "".join(value.latex_verbatim() for value in node.nodelist if value is not None)
        rows = [source]
        if name.rstrip("*") in _ROWS_OF_EQUATIONS:
            rows = re.split(r"\\\\(?:\[[^\]]*\])?", source)
        lines = []
        for row in filter(str.strip, rows):
            plain = re.search(r"\\(?:nonumber|notag)\b", row)
            tag = re.search(r"\\tag\*?\{([^{}]*)\}", row)
            number = tag[1] if tag else ""
            if numbered and not plain and not tag:
                number = self._numbers.step("Equation")
            for label in re.findall(r"\\label\s*\{([^{}]*)\}", row):
                self._numbers.labels[label.strip()] = ("Equation", number)
            lines.append(f"$${_tidied(row)}$$ {f'({number})' if number else ''}".strip())
        self._lines(lines)

    def _cells(self, nodes: Sequence[Any]) -> list[list[str]]:
        """The cells of each row of a table."""
        rows: list[list[list[Any]]] = [[[]]]
        for node in nodes or ():
            if node is None:
                continue
            if getattr(node, "specials_chars", "") == "&":
                rows[-1].append([])
            elif _is_macro(node, "\\") or _is_macro(node, "tabularnewline"):
                rows.append([[]])
            else:
                rows[-1][-1].append(node)
        return [[cell for values in row for cell in self._cell(values)] for row in rows]

    def _cell(self, nodes: Sequence[Any]) -> Iterator[str]:
        """A cell, and empty ones beside it where it spans columns."""
        yield self._apart(nodes).replace(_BREAK, " ")
        for node in nodes:
            if _is_macro(node, "multicolumn"):
                columns = _source(_arguments(node)[:1])
                yield from [""] * (min(int(columns), 30) - 1 if columns.isdecimal() else 0)


_SPACES = {"\\": _LINE_END, "newline": _LINE_END, "par": _BREAK, "quad": " ", "qquad": " ",
           "and": " "}  # fmt: skip
_CHARACTERS = {"~": " ", "``": '"', "''": '"', "---": "—", "--": "–", "&": " "}
_MATH_NOISE = re.compile(r"\\(?:label\s*\{[^{}]*\}|nonumber\b|notag\b|tag\*?\{[^{}]*\})")


def _tidied(source: str) -> str:
    """A formula on one line, without what is no part of it."""
    return " ".join(_MATH_NOISE.sub("", source).split())


def _in_characters(words: str) -> str:
    """Words with what LaTeX writes in ASCII as the characters that it prints."""
    for written, printed in _CHARACTERS.items():
        words = words.replace(written, printed)
    return words


_TITLE_MARKUP = re.compile(
    r"(?<![\\$])\$(?!\s)[^$\n]{1,300}(?<![\s\\])\$(?!\d)"  # money is no formula
    r"|\\[\"'`^~=.]\\?[A-Za-z]"
    r"|\\(?:[A-Za-z]+|[^A-Za-z\s])(?:\s?\{(?:[^{}]|\{[^{}]*\}){0,300}\})*"
)
_LONGEST_TITLE = 2000


def plain_title(title: str) -> str:
    """A title with its formulas and commands of LaTeX as the characters that they print."""
    if len(title) > _LONGEST_TITLE or not _TITLE_MARKUP.search(title):
        return title
    from pylatexenc.latex2text import LatexNodes2Text

    reader = LatexNodes2Text(strict_latex_spaces=False)
    try:
        words = _TITLE_MARKUP.sub(lambda match: str(reader.latex_to_text(match[0])), title)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError):
        return title  # what is no LaTeX stays as it is
    return words if words.strip() else title


def _formula_source(nodes: Sequence[Any]) -> str:
    return _tidied("".join(node.latex_verbatim() for node in nodes or () if node is not None))


def _arguments(node: Any) -> list[Any]:
    value = getattr(node, "nodeargd", None)
    return [item for item in (value.argnlist if value is not None else ()) if item is not None]


def _source(nodes: Sequence[Any]) -> str:
    """An argument as it is written, without its braces; the last of several."""
    return nodes[-1].latex_verbatim().strip("{}[]").strip() if nodes else ""


def _is_macro(node: Any, name: str) -> bool:
    return getattr(node, "macroname", None) == name


def _within(nodes: Sequence[Any]) -> Iterator[Any]:
    """All nodes, those in groups and environments that are no float of their own too."""
    for node in nodes or ():
        if node is None:
            continue
        yield node
        if getattr(node, "environmentname", "") not in ("subfigure", "subtable"):
            yield from _within(getattr(node, "nodelist", ()))


def _symbol(node: Any) -> str:
    """A letter with its accent, or a symbol, as a character; empty for other macros."""
    from pylatexenc.latex2text import LatexNodes2Text, get_default_latex_context_db

    if get_default_latex_context_db().get_macro_spec(node.macroname) is None:
        return ""
    return str(LatexNodes2Text(math_mode="verbatim").nodelist_to_text([node]))
