"""A file that is no text is called what it is, with what to do about it."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.papers.file_kinds import check_head, check_text, not_utf8
from reviewscore.papers.hygiene import read_text

WORDS = "The lamps were compared in one room only, so the claim of brightness is too wide.\n"


def archive(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        for name in names:
            packed.writestr(name, WORDS)
    return made.getvalue()


@pytest.mark.parametrize(
    ("data", "kind", "cure"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), r"old Office file.*\.doc", "as PDF"),
        (archive("[Content_Types].xml", "word/document.xml"), r"Word file \(\.docx\)", "as PDF"),
        (archive("mimetype", "content.xml"), "OpenDocument", "as PDF"),
        (archive("xl/workbook.xml"), "Excel", r"\.xlsx"),
        (archive("a.txt"), r"packed \(ZIP\)", "unpack it"),
        (b"PK\x03\x04 cut off", r"packed \(ZIP\)", "unpack it"),
        (b"{\\rtf1\\ansi " + WORDS.encode() + b"}", "RTF", "as PDF"),
        (b"%!PS-Adobe-3.0\n", "PostScript", "ps2pdf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "picture", "words in pictures are not read"),
        (b"\x1f\x8b\x08\0\xff\xff", "gzip", "unpack it"),
        (WORDS.encode("utf-16"), "text in UTF-16", "iconv -f UTF-16"),
        (WORDS.encode("utf-16-le"), "text in UTF-16LE", "iconv -f UTF-16LE -t UTF-8"),
        (WORDS.encode("utf-16-be"), "text in UTF-16BE", "iconv -f UTF-16BE -t UTF-8"),
        ("Прибор".encode("utf-16"), "text in UTF-16", "iconv"),
        (bytes(range(256)) * 9, "binary data", "give a PDF or a text file"),
        ("Zwölf Lampen".encode("latin-1"), "is not UTF-8 text", "iconv -f WINDOWS-1252"),
    ],
)
def test_what_is_no_utf8_text_is_called_what_it_is(
    tmp_path: Path, data: bytes, kind: str, cure: str
) -> None:
    path = tmp_path / "review.txt"
    path.write_bytes(data)

    with pytest.raises(InputError, match=kind) as caught:
        read_text(path)

    assert caught.value.file == path
    assert re.search(cure, caught.value.cure or "")


@pytest.mark.parametrize(
    "text", [WORDS, "\ufeff" + WORDS, "a\0b", "\0", "", "PK", "GIF8 is a file"]
)
def test_text_stays_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "review.txt"
    path.write_text(text, "utf-8")

    assert read_text(path) == text.removeprefix("\ufeff")
    check_head(path)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_whatever_people_write_in_utf8_is_taken_for_text(text: str) -> None:
    check_text(Path("a.txt"), text.encode())


@given(st.binary(min_size=1))
def test_any_other_bytes_get_a_name_and_a_cure(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        assert not_utf8(Path("a.txt"), data, error).cure


def test_single_bad_bytes_in_a_text_are_no_other_kind_of_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": "caf\xe9"}\n' * 3)

    check_head(path)
