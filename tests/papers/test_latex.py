"""A paper from its LaTeX source."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.papers.latex import plain_title, read_latex
from reviewscore.papers.load import load_paper
from reviewscore.papers.places import target
from reviewscore.schema.paper import Zone
from reviewscore.schema.place import PlaceKind

SOURCE = r"""\documentclass{article}
\newcommand{\ours}{\textsc{Tidal}}
\newtheorem{theorem}{Theorem}[section]
\newtheorem{lemma}[theorem]{Lemma}
\title{Tides by \\ Moonlight\thanks{Money.}}
\author{A. Harbour}
\begin{document}
\maketitle
\begin{abstract}We forecast tides.\end{abstract}
% The error is 50 percent.
\section{Introduction}\label{sec:intro}
We show \ours{} works na\"ively in 5\% of \emph{cases} \citep[see][p.~3]{a,b}. See
Table~\ref{t:a}, \cref{fig:x} and Eq.~\eqref{e:1}.\footnote{A note.}

\paragraph{Setup.} We use $n=5$ seeds.
\begin{enumerate}\item One \item Two\end{enumerate}
\begin{align}
a &= b \label{e:1} \\
c &= d \nonumber
\end{align}
\begin{theorem}[Main] Water is wet. \end{theorem}
\begin{lemma} Also ice. \end{lemma}
\input{results}
\input{../secret}
\section*{Limitations} None.
\begin{thebibliography}{9}\bibitem{a} A. B. Moons. 2019.\end{thebibliography}
\appendix
\section{Proofs} See \ref{sec:intro}.
\end{document}
"""
RESULTS = r"""\subsection{Errors}
\begin{figure*}[t]\centering\includegraphics[width=\textwidth]{a.pdf}\caption{A wave $x$.}
\label{fig:x}\end{figure*}
\begin{table}\caption{Errors.}\label{t:a}\begin{tabular}{@{}lcc@{}}\toprule
Coast & \multicolumn{2}{c}{Error} \\ \cmidrule(lr){2-3} Alder & 3 & 4 \\ \bottomrule
\end{tabular}\end{table}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (tmp_path / "secret.tex").write_text("A secret of another folder.")
    (folder / "results.tex").write_text(RESULTS)
    (folder / "main.tex").write_text(SOURCE)
    return folder / "main.tex"


def test_sections_are_numbered_as_latex_numbers_them(path: Path) -> None:
    paper = load_paper(path)

    assert (paper.source, paper.title, paper.abstract) == (
        "latex", "Tides by Moonlight", "We forecast tides.",
    )  # fmt: skip
    assert [(one.label, one.level) for one in paper.sections[1:]] == [
        ("Abstract", 1),
        ("1 Introduction", 1),
        ("1.1 Errors", 2),
        ("Limitations", 1),
        ("References", 1),
        ("A Proofs", 1),
    ]
    assert paper.sections[-1].zone is Zone.APPENDIX


def test_words_references_and_macros_are_read_and_comments_are_not(path: Path) -> None:
    text = load_paper(path).text

    assert "We show Tidal works naïvely in 5% of cases [a,b]." in text
    assert "See Table 1, Figure 1 and Eq. (1)." in text
    assert "Setup. We use $n=5$ seeds.\n" in text
    assert "1. One\n\n2. Two" in text
    assert "\n\n1 A note.\n" in text
    assert "50 percent" not in text
    assert "Money" not in text


@pytest.mark.parametrize(
    ("kind", "label", "words"),
    [
        (PlaceKind.EQUATION, "1", "$$a &= b$$ (1)"),
        (PlaceKind.TABLE, "1", "| Alder | 3 | 4 |"),
        (PlaceKind.FIGURE, "1", "A wave $x$."),
        (PlaceKind.THEOREM, "1.1", "(Main). Water is wet."),
        (PlaceKind.LEMMA, "1.2", "Also ice."),
    ],
)
def test_places_of_a_review_are_found(path: Path, kind: PlaceKind, label: str, words: str) -> None:
    paper = load_paper(path)

    place = target(paper, kind, label)
    assert place is not None
    assert words in paper.text[place.start : place.end]


def test_figures_are_missing_and_formulas_are_not(path: Path) -> None:
    assert load_paper(path).missing.words == "all figures"


def test_files_of_other_folders_are_never_read(path: Path) -> None:
    paper = load_paper(path)

    assert "secret of another" not in paper.text
    assert any("../secret" in note for note in paper.notes)


@pytest.mark.parametrize("source", ["\\documentclass{article}\\begin{document}\\end{document}"])
def test_an_empty_source_is_an_error(tmp_path: Path, source: str) -> None:
    file = tmp_path / "x.tex"
    file.write_text(source)

    with pytest.raises(InputError, match="no text"):
        read_latex(file)


def test_a_source_that_nests_without_end_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "x.tex"
    file.write_text("word " + "{" * 20_000)

    with pytest.raises(InputError, match=r"nests too deeply|is not LaTeX"):
        read_latex(file)


PIECES = st.sampled_from(
    ["\\section{A}", "\\begin{table}", "\\end{table}", "{", "}", "$", "\\[", "\\]", "&", "\\\\",
     "\\begin{tabular}{l}", "\\end{tabular}", "\\cite", "\\ref{x}", "\\item", "%", "word ", "\n\n",
     "\\begin{equation}", "\\end{equation}", "\\footnote{", "\\label{x}", "\\unknown[", "]", "~",
     "\\verb|", "\\caption{c}"]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=14))
def test_a_broken_source_is_read_or_refused(pieces: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.tex"
        file.write_text("word " + "".join(pieces))
        try:
            found = read_latex(file)
        except InputError:
            return
    assert all(one.start < one.end <= len(found.text) for one in found.headings)


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        (r"Learning in $O(n)$ with \textbf{care} \& $\alpha$-mixing",
         "Learning in O(n) with care & α-mixing"),
        ("From $5 to $10: 50% more", "From $5 to $10: 50% more"),
        (r"G\"odel \emph{and \textit{us}}", "Gödel and us"),
        ("Plain", "Plain"),
        (r"\input{/etc/hostname}", r"\input{/etc/hostname}"),
        ("\\" * 3000, "\\" * 3000),
    ],
)  # fmt: skip
def test_titles_are_shown_without_markup(title: str, plain: str) -> None:
    assert plain_title(title) == plain
