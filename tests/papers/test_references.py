"""Lists of references of papers in invented layouts, and cited works looked up in them."""

from __future__ import annotations

import pytest

from reviewscore.papers.references import (
    ReferenceEntry,
    in_references,
    read_reference,
    references_of,
)
from reviewscore.schema.cited_work import CitedWork, Listing
from reviewscore.schema.paper import Paper, Section, Zone

BODY = "Counting Toads\n\nWe count.\n\n"
NUMBERED = """[1] Ada Frogman and Bo Toad. Counting toads at
night. Journal of Ponds, 12(3):1-9, 2019.
[2] Cy Newt, Ada Frogman, and Di Olm. PondNet: Networks for ponds. arXiv preprint
arXiv:2301.12345, 2023.

17

[3] Bo Toad. Warts. In Skin, pages 1999-2010. Pond Press, 2021.
"""
DOTTED = """1. Frogman, A. & Toad, B. Counting toads at night. J. Ponds 12, 1-9 (2019).
2. Newt, C., Frogman, A. & Olm, D. PondNet: Networks for ponds. Preprint at arXiv:2301.12345 (2023).
3. Toad, B. Warts. In Skin, 1999-2010 (Pond Press, 2021).
"""
PARAGRAPHS = """Ada Frogman and Bo Toad. 2019. Counting toads at night. Journal of Ponds, 12(3).

Cy Newt, Ada Frogman, and Di Olm. 2023. PondNet: Networks for ponds. arXiv:2301.12345.

341

342

Bo Toad. 2021. Warts. In Skin, pages 1999-2010. Pond Press.
"""
MARKDOWN = """- Frogman, A. and Toad, B. (2019). Counting toads at night. Journal of Ponds , 12(3).
- Newt, C., Frogman, A., and Olm, D. (2023). PondNet: Networks
- for ponds. arXiv preprint arXiv:2301.12345 .
- Toad, B. (2021). Warts. In Skin , pages 1999-2010. Pond Press.
"""
WRAPPED = """Frogman, A. and Toad, B. Counting toads at
night. Journal of Ponds, 12(3), 2019.
Newt, C., Frogman, A., and Olm, D. PondNet: Net-
works for ponds. arXiv preprint arXiv:2301.12345,
2023.
Toad, B. Warts. In Skin, pages 1999-2010. Pond Press, 2021.
"""
LAYOUTS = {
    "numbered": NUMBERED, "dotted": DOTTED, "paragraphs": PARAGRAPHS, "markdown": MARKDOWN,
    "wrapped": WRAPPED,
}  # fmt: skip


def paper(listed: str) -> Paper:
    text = f"{BODY}References\n{listed}"
    start = len(BODY)
    sections = (
        Section(title="", level=1, start=0, heading_end=0, end=start),
        Section(
            title="References", level=1, start=start, heading_end=start + 11, end=len(text),
            zone=Zone.REFERENCES,
        ),
    )  # fmt: skip
    return Paper(
        paper_id="p", title="Counting Toads", text=text, sections=sections, pages=(0, start)
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_entries_are_read_in_every_layout(layout: str) -> None:
    entries = references_of(paper(LAYOUTS[layout]))

    assert [entry.year for entry in entries] == [2019, 2023, 2021]
    assert [entry.surnames[0] for entry in entries] == ["Frogman", "Newt", "Toad"]
    assert [entry.title for entry in entries] == [
        "Counting toads at night", "PondNet: Networks for ponds", "Warts",
    ]  # fmt: skip
    assert (entries[1].name, entries[1].arxiv) == ("PondNet", "2301.12345")


def test_numbers_of_a_list_are_kept_and_spans_lead_to_the_entries() -> None:
    one = paper(NUMBERED)
    entries = references_of(one)

    assert [entry.number for entry in entries] == [1, 2, 3]
    assert one.text[entries[2].start : entries[2].end].startswith("Bo Toad. Warts.")


def work(**said: object) -> CitedWork:
    return CitedWork.model_validate({"words": "x", "mentions": (), **said})


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("said", "number"),
    [
        ({"authors": ("Frogman",), "year": 2019}, 0),
        ({"authors": ("Frogman", "Toad"), "year": 2019}, 0),
        ({"authors": ("FROGMAN",), "year": 2020}, 0),
        ({"title": "Counting Toads at Night"}, 0),
        ({"title": "Pond-Net — networks for ponds"}, 1),
        ({"arxiv": "2301.12345"}, 1),
        ({"name": "PondNet"}, 1),
        ({"authors": ("Newt",)}, 1),
        ({"authors": ("Newt",), "year": 2023, "name": "PondNet"}, 1),
        ({"title": "Warts", "authors": ("Toad",)}, 2),
    ],
)
def test_a_work_is_found_in_the_list(layout: str, said: dict[str, object], number: int) -> None:
    one = paper(LAYOUTS[layout])
    entries = references_of(one)

    listed = in_references(work(**said), entries, one)

    assert listed.listing is Listing.FOUND
    assert [entry.start for entry in listed.entries] == [entries[number].start]
    assert listed.entries[0].page == 2


@pytest.mark.parametrize(
    "said",
    [
        {"authors": ("Kermit",), "year": 2019},
        {"authors": ("Frogman",), "year": 2011},
        {"authors": ("Toad", "Frogman"), "year": 2021},
        {"title": "Counting newts in the deepest caves"},
        {"number": 9},
        {"name": "ToadNet"},
    ],
)
def test_a_work_that_is_not_listed_is_not_found(said: dict[str, object]) -> None:
    one = paper(NUMBERED)

    assert in_references(work(**said), references_of(one), one).listing is Listing.NOT_FOUND


def test_a_work_by_an_address_alone_that_is_not_printed_is_not_known() -> None:
    one = paper(NUMBERED)

    listed = in_references(work(url="https://ponds.test/a.pdf"), references_of(one), one)

    assert listed.listing is Listing.UNKNOWN


def test_two_entries_of_the_same_people_and_year_are_ambiguous_without_a_letter() -> None:
    one = paper(
        "- Frogman, A. (2020a). Toads by night. Ponds.\n"
        "- Frogman, A. (2020b). Newts by day. Ponds.\n"
        "- Olm, D. (2020). Caves and their beasts. Ponds.\n"
    )
    entries = references_of(one)
    people = {"authors": ("Frogman",), "year": 2020}

    assert in_references(work(**people), entries, one).listing is Listing.AMBIGUOUS
    assert in_references(work(**people, letter="b"), entries, one).listing is Listing.FOUND


@pytest.mark.parametrize("unit", ["A", "Aa-", "A.-", "'A", "Aa’", "A. ", "Aa Bb, "])
def test_an_entry_that_is_no_name_is_read_at_once(unit: str) -> None:
    assert read_reference(unit * (1_500 // len(unit)) + "! 2020").year in (None, 2020)


@pytest.mark.parametrize("unit", [" \n", "\n", "\t•\n", "123\n", "1 1 1 a\n", "Aa Bb\n\n"])
def test_a_long_list_that_is_none_is_read(unit: str) -> None:
    listed = paper("Lee, A. Ponds. 2020.\n" + unit * (400_000 // len(unit)) + "[")

    assert len(references_of(listed)) <= 3_000


def test_a_text_without_a_list_says_so() -> None:
    one = Paper(paper_id="p", title="t", text="No list.")

    assert references_of(one) == ()
    assert in_references(work(number=1), (), one).listing is Listing.NO_LIST


@pytest.mark.parametrize(
    "words", ["", "x", "[", "(2020)", "et al.", "A. B. C. D.", "https://", "İ. ß."]
)
def test_an_entry_of_anything_is_read_without_a_fault(words: str) -> None:
    assert isinstance(read_reference(words), ReferenceEntry)
