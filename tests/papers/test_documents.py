"""Several documents of one paper: each quote with its document, its page and its offsets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from reportlab.pdfgen.canvas import Canvas

from reviewscore.errors import InputError
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.parts import shown, without_doubtful
from reviewscore.papers.places import target
from reviewscore.papers.quotes import find_quote
from reviewscore.schema.paper import DocumentKind, DoubtKind, Paper, Zone
from reviewscore.schema.place import PlaceKind
from reviewscore.sources.collection import read_collection
from tests.papers.pdfs import make, prose

OWN = (
    "Counting Frogs\n\nAbstract\nWe count frogs in ponds from sound alone.\n\n"
    "1 Method\nWe train a small network on windows of two seconds each.\n"
    "Windows overlap by one second at all of the ponds.\n"
    "All four ponds lie in one country and are small.\n"
    "The nights were dry at every pond but one.\n"
)
NEW = "We train with Adam and a learning rate of 0.001 in all runs.\n"
SUPPLEMENT = "A Details\nFour microphones were placed around each of the ponds.\n"
CODE = "# count.py\nThe counter reads its windows from a plain wave file.\n"


def row(*documents: dict[str, str], **fields: str) -> PaperRow:
    return PaperRow.model_validate({"paper_id": "frogs", **fields, "documents": [*documents]})


def several() -> Paper:
    return build_paper(
        row(
            {"kind": "revision", "text": OWN + NEW},
            {"kind": "code", "text": CODE},
            {"kind": "supplement", "text": SUPPLEMENT},
            text=OWN,
        )
    )


def test_what_reviewers_had_comes_first_and_each_document_keeps_its_text() -> None:
    paper = several()

    assert [one.kind for one in paper.documents] == [*DocumentKind]
    texts = [paper.text[one.start : one.end] for one in paper.documents]
    assert texts == [OWN, SUPPLEMENT, CODE, OWN + NEW]
    assert paper.title == "Counting Frogs"


@pytest.mark.parametrize(
    ("quote", "document", "doubt", "place"),
    [
        ("windows of two seconds", "submission", None, "1 Method"),  # in the revision too
        ("Four microphones were placed", "supplement", None, "supplement"),
        ("reads its windows from a plain wave", "code", None, "code"),
        ("Adam and a learning rate", "revision", DoubtKind.REVISION, "revision, 1 Method"),
    ],
)
def test_a_quote_names_its_document_and_what_is_in_the_revision_alone_is_a_doubt(
    quote: str, document: str, doubt: DoubtKind | None, place: str
) -> None:
    paper = several()

    found = find_quote(shown(paper, "auto"), quote)

    assert found.verified
    assert found.document is not None and found.start is not None and found.end is not None
    assert found.document.value == document
    assert (found.doubt.kind if found.doubt else None) is doubt
    assert found.place == place or found.place.startswith(f"{place},")
    assert paper.text[found.start : found.end] == quote


def test_judges_read_of_a_revision_what_is_new_and_its_context() -> None:
    paper = several()
    seen = shown(paper, "auto")

    assert NEW.strip() in seen.read_text
    assert seen.read_text.count("Windows overlap by one second") == 1
    assert [span.part for span in seen.unread_spans] == ["what a revision repeats"]
    assert NEW.strip() not in without_doubtful(seen).read_text


def test_headings_between_documents_are_nobody_s_text() -> None:
    paper = several()

    found = find_quote(paper, "===== Revision, handed in after the reviews =====")

    assert not found.verified and found.of_venue
    main = shown(paper, "main")
    assert SUPPLEMENT.split("\n")[1] not in main.read_text


def test_places_are_those_of_the_submission_before_those_of_other_documents() -> None:
    paper = several()
    section = target(paper, PlaceKind.SECTION, "1")
    appendix = target(paper, PlaceKind.SECTION, "Counting")
    assert section is not None and section.end <= paper.documents[0].end
    assert appendix is None

    theirs = build_paper(
        row(
            {"kind": "supplement", "text": "Table 7: Ponds and nights.\n"},
            {"kind": "revision", "text": OWN + "\nTable 8: Rain and hail.\n"},
            text=OWN,
        )
    )
    place = target(theirs, PlaceKind.TABLE, "7")
    assert place is not None and theirs.document_at(place.start) == theirs.documents[1]
    assert target(theirs, PlaceKind.TABLE, "8") is None  # reviewers did not have the revision


def test_where_only_a_revision_is_at_hand_it_is_a_doubt_about_the_paper() -> None:
    paper = build_paper(row({"kind": "revision", "text": OWN}))

    assert [doubt.kind for doubt in paper.doubts] == [DoubtKind.REVISED_VERSION]
    assert find_quote(paper, "windows of two seconds").doubt is None
    with_more = build_paper(
        row({"kind": "supplement", "text": SUPPLEMENT}, {"kind": "revision", "text": OWN})
    )
    assert [one.kind.value for one in with_more.documents] == ["revision", "supplement"]
    assert find_quote(with_more, "windows of two seconds").doubt is None
    assert with_more.doubts == paper.doubts


def test_a_submission_among_documents_is_the_paper_s_own_text() -> None:
    paper = build_paper(row({"kind": "submission", "text": OWN}))

    assert paper == build_paper(PaperRow(paper_id="frogs", text=OWN))
    assert paper.documents == ()
    assert '"documents"' not in paper.model_dump_json()


@pytest.mark.parametrize(
    ("documents", "fields", "problem"),
    [
        ([{"kind": "submission", "text": OWN}], {"text": OWN}, "two submissions"),
        ([{"kind": "supplement", "text": "x"}], {}, "neither a submission nor a revision"),
        ([{"kind": "supplement"}], {"text": OWN}, "the supplement has no text"),
        ([{"kind": "poster", "text": "x"}], {"text": OWN}, "kind"),
        ([{"kind": "code", "text": "x"}] * 21, {"text": OWN}, "more than 20"),
    ],
)
def test_documents_that_cannot_be_used_are_refused_with_a_reason(
    documents: list[dict[str, str]], fields: dict[str, str], problem: str
) -> None:
    with pytest.raises(ValidationError, match=problem):
        row(*documents, **fields)


@given(
    texts=st.lists(
        st.tuples(
            st.sampled_from(["supplement", "code", "revision"]),
            st.text(alphabet="ab Z.\n1#", min_size=1).filter(str.strip),
        ),
        max_size=4,
    )
)
def test_any_documents_make_one_text_with_true_offsets(texts: list[tuple[str, str]]) -> None:
    given_ = [{"kind": kind, "text": text} for kind, text in texts]

    paper = shown(build_paper(row(*given_, text=OWN)), "auto")

    for document in paper.documents[1:]:
        alone = [
            build_paper(PaperRow(paper_id="x", text=text)).text
            for kind, text in texts
            if kind == document.kind.value
        ]
        assert paper.text[document.start : document.end] in alone
        assert paper.submission.text == OWN
        assert paper.text.startswith(paper.as_reviewed.text)
    assert all(section.zone is not Zone.BODY for section in paper.sections if section.start > 400)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    def page(words: str) -> object:
        def draw(canvas: Canvas, number: int) -> None:
            prose(canvas, number, lines=4)
            canvas.drawString(72, 400, f"{words} on sheet {number} of this document.")

        return draw

    make(tmp_path / "p1.pdf", page("Rain fell softly"), pages=3)  # type: ignore[arg-type]
    make(tmp_path / "p1_supplement.pdf", page("Hail fell hard"), pages=3)  # type: ignore[arg-type]
    (tmp_path / "p1").mkdir()
    make(tmp_path / "p1" / "revision.pdf", page("Snow fell late"))  # type: ignore[arg-type]
    (tmp_path / "p1-code.zip").write_bytes(b"PK")
    (tmp_path / "p1-R1.txt").write_text("Weaknesses\n- There is no ablation study.\n")
    return tmp_path


def test_documents_beside_a_paper_are_recognised_by_name_and_said(folder: Path) -> None:
    found = read_collection(folder)

    paper = found.paper("p1")

    assert [one.kind.value for one in paper.documents] == ["submission", "supplement", "revision"]
    assert [review.review_id for review in found.reviews] == ["p1-R1"]
    said = "\n".join(found.warnings)
    assert "p1_supplement.pdf: is taken for the supplement of p1.pdf" in said
    assert "revision.pdf: is taken for the revision of p1.pdf" in said
    assert "p1-code.zip: is named as the code of p1.pdf, and such files are not read" in said
    assert {file.name for file in found.files} >= {"p1.pdf", "p1_supplement.pdf", "revision.pdf"}


def test_pages_count_in_each_document(folder: Path) -> None:
    paper = read_collection(folder).paper("p1")

    quotes = [
        find_quote(paper, f"{words} on sheet {page} of this")
        for words, page in (("Rain fell softly", 2), ("Hail fell hard", 1), ("Snow fell late", 0))
    ]

    assert [quote.page for quote in quotes] == [3, 2, 1]
    assert [quote.place for quote in quotes] == [
        "body, p. 3",
        "supplement, p. 2",
        "revision, p. 1",
    ]
    assert quotes[2].doubt is not None and quotes[2].doubt.sign == "revision.pdf"


def test_a_paper_travels_with_all_its_documents(folder: Path) -> None:
    handle = read_collection(folder).papers["p1"]
    assert handle.raw is not None

    here = handle.load()
    packed = handle.raw().packed()
    for file in folder.rglob("*.pdf"):
        file.unlink()

    assert len(here.documents) == 3
    assert packed.paper() == here


@pytest.mark.parametrize(
    ("file", "problem"), [("../secret.txt", "outside of the folder"), ("none.pdf", "no file")]
)
def test_a_document_must_lie_in_the_folder(tmp_path: Path, file: str, problem: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "secret.txt").write_text("no")
    record = {"paper_id": "a", "text": OWN, "documents": [{"kind": "code", "file": file}]}
    (data / "papers.jsonl").write_text(json.dumps(record) + "\n")
    (data / "reviews.jsonl").write_text(
        json.dumps({"review_id": "r", "paper_id": "a", "text": "No ablation."}) + "\n"
    )

    with pytest.raises(InputError, match=problem) as error:
        read_collection(data)

    assert (error.value.line, error.value.field) == (1, "documents.file")
