"""TEI becomes a paper with its sections; documents that do harm are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.papers.load import load_paper
from reviewscore.papers.tei import read_tei
from reviewscore.schema.paper import Zone

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">Lamps in
 Winter</title></titleStmt></fileDesc>
<profileDesc><abstract><div><p>We light <ref>lamps</ref>.</p></div></abstract>
</profileDesc></teiHeader>
<text><body>
<div><head n="1">Introduction</head><p>Why <hi>lamps</hi>? See <ref type="bibr">[1]</ref>.</p></div>
<div><head n="2">Method</head><p>We burn oil &amp; wax.</p>
<formula xml:id="f0">h = 2 + w <label>(1)</label></formula></div>
<div><head n="2.1">Wicks</head><p>They are long.</p></div>
<figure><head>Figure 1 :</head><label>1</label><figDesc>Figure 1: A lamp.</figDesc></figure>
<figure type="table"><head>Table 1</head><label>1</label><figDesc>Hours of light.</figDesc>
<table><row><cell>oil</cell><cell>7.5</cell></row><row><cell>wax</cell><cell>3</cell></row></table>
</figure></body>
<back><div type="acknowledgement"><div><head>Acknowledgements</head><p>Thanks.</p></div></div>
<div type="references"><listBibl>
<biblStruct><analytic><title>On oil</title><author><persName><forename>A</forename>
<surname>Lampman</surname></persName></author></analytic>
<monogr><title>Lamps</title><imprint><date when="2019"/></imprint></monogr></biblStruct>
</listBibl></div>
<div type="annex"><div><head>More wicks</head><p>Longer ones.</p></div></div></back></text></TEI>"""


def write(tmp_path: Path, text: str, name: str = "lamps.tei.xml") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_sections_captions_tables_formulas_and_references_are_read(tmp_path: Path) -> None:
    paper = load_paper(write(tmp_path, TEI))

    assert (paper.paper_id, paper.source, paper.title) == ("lamps", "tei", "Lamps in Winter")
    assert paper.abstract == "We light lamps."
    assert [(one.label, one.level, one.zone) for one in paper.sections] == [
        ("front", 1, Zone.FRONT),
        ("Abstract", 1, Zone.ABSTRACT),
        ("1 Introduction", 1, Zone.BODY),
        ("2 Method", 1, Zone.BODY),
        ("2.1 Wicks", 2, Zone.BODY),
        ("Acknowledgements", 1, Zone.BACK),
        ("References", 1, Zone.REFERENCES),
        ("More wicks", 1, Zone.APPENDIX),
    ]
    lines = paper.text.splitlines()
    for line in (
        "We burn oil & wax.",
        "h = 2 + w (1)",
        "Figure 1: A lamp.",
        "oil 7.5",
        "A Lampman. On oil. Lamps. 2019",
    ):
        assert line in lines
    assert "Table 1: Hours of light.\noil 7.5\nwax 3" in paper.text
    assert paper.notes == paper.warnings == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<!DOCTYPE TEI [<!ENTITY a SYSTEM "file:///etc/hosts">]><TEI>&a;</TEI>', "document type"),
        (
            '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><t>&b;</t>',
            "declares a document type",
        ),
        ("<TEI>&undefined;</TEI>", "not well-formed XML"),
        ("<TEI><p>", "not well-formed XML"),
        ("", "not well-formed XML"),
        ("<html><body>Not found</body></html>", "is no TEI document"),
        ("<a>" * 300 + "</a>" * 300, "nests too deeply"),
        ('<TEI xmlns="http://www.tei-c.org/ns/1.0"><text/></TEI>', "holds no text"),
    ],
)
def test_a_document_that_cannot_be_used_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = write(tmp_path, text)

    with pytest.raises(InputError, match=problem) as caught:
        load_paper(path)
    assert caught.value.file == path
    assert caught.value.cure


PARTS = ["<p>", "</p>", "<div>", "</div>", "<head>", "</head>", "lamp", "&amp;", "\x0b", "é"]


@given(st.lists(st.sampled_from(PARTS)))
def test_any_document_is_read_or_refused(parts: list[str]) -> None:
    import tempfile

    body = " ".join(parts)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.tei.xml"
        path.write_text(TEI.replace("<p>We burn oil &amp; wax.</p>", body), "utf-8")
        try:
            paper = load_paper(path)
        except InputError as error:
            assert error.cure
        else:
            assert paper.sections[-1].end == len(paper.text)


def test_words_of_a_section_outside_of_its_paragraphs_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.tei.xml"
    body = "<div>Lamps burn <head>Light</head><p>at night</p> and by day.</div>"
    path.write_text(
        f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>{body}</body></text></TEI>'
    )

    assert read_tei(path).text.split("\n\n") == ["Lamps burn", "Light", "at night", "and by day."]
