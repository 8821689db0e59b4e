"""Works that reviews name, in invented sentences."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.references import read_reference
from reviewscore.points.cited_works import cited_works
from reviewscore.schema.cited_work import CitedWork
from reviewscore.schema.review import Review


def review(*boxes: str) -> Review:
    fields = {f"box {number}": text for number, text in enumerate(boxes)}
    return Review(review_id="r", paper_id="p", fields=fields)


def works(*boxes: str) -> tuple[CitedWork, ...]:
    return cited_works(review(*boxes))


PEOPLE = [
    ("Frogman et al. (2021) count toads.", [(("Frogman",), 2021, "")]),
    ("as in Frogman & Toad, 2020a, it fails", [(("Frogman", "Toad"), 2020, "a")]),
    ("known [Frogman et al., 2019; Toad 2020]", [(("Frogman",), 2019, ""), (("Toad",), 2020, "")]),
    ("see (Frogman et. al., 2019)", [(("Frogman",), 2019, "")]),
    ("Frogman et al.'s (2017) counter", [(("Frogman",), 2017, "")]),
    ("Toad's (1993) book", [(("Toad",), 1993, "")]),
    ("Newt, Olm and Axolotl (2018) agree", [(("Newt", "Olm", "Axolotl"), 2018, "")]),
    ("by van der Kikker et al. (2008)", [(("Kikker",), 2008, "")]),
    ("Žabić and Łągwa (2016)", [(("Žabić", "Łągwa"), 2016, "")]),
    ("FROGMAN et al. 2020 did", [(("FROGMAN",), 2020, "")]),
    ("Frogman et al. (NeurIPS 2022)", [(("Frogman",), 2022, "")]),
    ("Frogman et al. (2019, 2020a)", [(("Frogman",), 2019, ""), (("Frogman",), 2020, "a")]),
    ("the ponds of Frogman et al. are deep", [(("Frogman",), None, "")]),
    ("like [Frogman et al.2024 arXiv]", [(("Frogman",), 2024, "")]),
    ("de Frogman and McToad (2011)", [(("Frogman", "McToad"), 2011, "")]),
]


@pytest.mark.parametrize(("text", "expected"), PEOPLE)
def test_people_and_years_name_a_work(
    text: str, expected: list[tuple[tuple[str, ...], int | None, str]]
) -> None:
    found = [(work.authors, work.year, work.letter) for work in works(text)]

    assert found == expected


@pytest.mark.parametrize(
    "text",
    [
        "Table (2020) and Figure 3 (2019) are odd.",
        "trained on ImageNet 2012 with Python 3.11",
        "In 2020 and since (2021) nobody did; see Section [1].",
        "the value lies in [0, 1] or in the range [1, 10]",
        "NeurIPS 2024 (and ICML, 2023) reviews of May (2024)",
        "code at https://github.com/frogs/ponds and a[i] and x_[3]",
        "lines [80-190] are unclear",
        '"The Quick Frog Jumps Over Every Pond" is how I would phrase it.',
        "1. The paper is clear.\n2. The ponds are many.",
    ],
)
def test_what_only_looks_like_a_citation_names_no_work(text: str) -> None:
    assert works(text) == ()


def test_a_method_with_its_citation_is_one_work() -> None:
    (work,) = works("PondNet3 (Frogman et al., 2023) is missing. PondNet3 (Frogman, 2023) is fast.")

    assert (work.name, work.authors, work.year) == ("PondNet3", ("Frogman",), 2023)
    assert len(work.mentions) == 2


def test_a_name_without_a_year_is_a_work_where_the_paper_lists_it() -> None:
    listed = read_reference("A. Frogman and B. Toad. PondLoRA: small adapters for ponds. 2022.")
    text = review("You should compare with PondLoRA, and with ToadRA.")

    assert [work.name for work in cited_works(text, references=[listed])] == ["PondLoRA"]
    assert cited_works(text) == ()


LISTS = [
    '[1] Frogman, Ada, et al. "Counting toads at night." arXiv preprint arXiv:2410.17146 (2024).',
    "[1] Frogman, A., Toad, B., & Newt, C. (2024, May). Counting toads at night. Ponds (pp. 1-9).",
    "[1]: A. Frogman and B. Toad. Counting toads at night. Journal of Ponds, 12(3):1-9, 2024.",
    "- [1] Ada Frogman, Bo Toad, and Cy Newt. 2024. Counting toads at night. In Proc. of Ponds.",
    "**[1]** Frogman et al., “Counting toads at night”, ICML 2024",
    "[1] Counting toads at night, Frogman et al., 2024",
    "\\[1\\] Frogman A, Toad BC. Counting toads at night. Ponds. 2024;33:1-9.",
]


@pytest.mark.parametrize("entry", LISTS)
def test_an_entry_of_the_reviews_own_list_and_its_number_are_one_work(entry: str) -> None:
    (work,) = works(f"The counter is that of [1].\n\n{entry}")

    assert work.title == "Counting toads at night"
    assert (work.authors[0], work.year) == ("Frogman", 2024)
    assert work.number is None
    assert len(work.mentions) == 2


def test_a_list_on_one_line_and_a_range_of_numbers_are_joined() -> None:
    text = (
        "Older counters [1-2] do the same.\n"
        "References: [1] A. Frogman. Counting toads. 2019. [2] B. Toad. Counting newts. 2020."
    )

    assert [(work.title, len(work.mentions)) for work in works(text)] == [
        ("Counting toads", 2),
        ("Counting newts", 2),
    ]


def test_lists_of_two_fields_are_told_apart() -> None:
    found = works(
        "See [1].\n[1] A. Frogman. Counting toads in ponds. ICML 2019.",
        "And [1].\n[1] B. Newt. Counting olms in caves. ICML 2020.",
    )

    assert [(work.title, len(work.mentions)) for work in found] == [
        ("Counting toads in ponds", 2),
        ("Counting olms in caves", 2),
    ]


def test_entries_without_numbers_below_a_heading_are_works() -> None:
    found = works(
        "It lacks citations.\n\nReferences:\nFrogman, A. Counting toads in ponds. 2019.\n"
        "- Bo Newt, Cy Olm. Counting olms in caves. NeurIPS 2020"
    )

    assert [work.title for work in found] == ["Counting toads in ponds", "Counting olms in caves"]


def test_a_number_without_a_list_is_the_papers() -> None:
    found = works("The encoder of reference [11] of the paper, and ref. 12, and those of [3, 7].")

    assert [work.number for work in found] == [11, 3, 7, 12] or [work.number for work in found] == [
        11,
        12,
        3,
        7,
    ]


def test_numbers_beyond_the_reviews_own_list_are_the_papers() -> None:
    found = works("Unlike [a], [32,28] count.\n[a] Frogman, Ada. Counting toads. ECCV 2024.")

    assert [(work.title, work.number) for work in found] == [
        ("Counting toads", None),
        ("", 32),
        ("", 28),
    ]


@pytest.mark.parametrize(
    ("text", "arxiv", "doi", "url"),
    [
        ("see arXiv:2301.12345v2", "2301.12345", "", ""),
        ("see 2301.12345.", "2301.12345", "", ""),
        ("see https://arxiv.org/abs/2301.12345", "2301.12345", "", ""),
        ("see https://doi.org/10.1234/pond.7.", "", "10.1234/pond.7", ""),
        (
            "see https://openreview.net/forum?id=Frog",
            "",
            "",
            "https://openreview.net/forum?id=Frog",
        ),
    ],
)
def test_identifiers_and_addresses_name_works(text: str, arxiv: str, doi: str, url: str) -> None:
    (work,) = works(text)

    assert (work.arxiv, work.doi, work.url) == (arxiv, doi, url)


def test_an_address_beside_its_authors_is_no_work_of_its_own() -> None:
    (work,) = works("as Frogman et al., 2017 (https://arxiv.org/abs/1703.03717) say")

    assert (work.authors, work.arxiv) == (("Frogman",), "1703.03717")


@pytest.mark.parametrize(
    "text",
    [
        'The paper "Counting Toads at Night" is missing.',
        "You omit *Counting Toads at Night* (ICML 2019).",
        "See “Counting Toads at Night”, by Frogman.",
    ],
)
def test_a_title_names_a_work_where_something_says_that_it_is_one(text: str) -> None:
    assert [work.title for work in works(text)] == ["Counting Toads at Night"]


def test_the_paper_under_review_is_none_of_its_works() -> None:
    text = review('The paper "Counting Toads at Night" is good.')

    assert cited_works(text, title="Counting toads at night") == ()


PIECES = st.sampled_from(
    [
        *(text for text, _ in PEOPLE), *LISTS, "[1]", "[2-4]", "(", "[", "]", "\n", "References:\n",
        "et al.", "2020", "https://arxiv.org/abs/", "İ", "ß", "\u0301", "*", '"',
    ]
)  # fmt: skip


def distinct(form: str) -> str:
    """A hundred thousand characters of namings, each of another work."""
    names = (f"{a}{b}{c}".capitalize() for a, b, c in product("abdeghiklm", "aeiou", LETTERS))
    texts = (form.replace("{}", name) for name in islice(names, 100_000 // len(form)))
    return "".join(texts)[:100_000]


LETTERS = ["".join(pair) for pair in product("bcdfghjklmnp", "bcdfghjklmnp")]


@pytest.mark.parametrize(
    "text",
    [
        "References" + " " * 99_000 + "!",
        "References" + "\n" * 99_000,
        "Frogman & " * 9_000 + "!",
        "Frogman , and " * 7_000 + "!",
        "References\n[1] " + "A" * 90_000 + "! 2020",
        "References\n[1] " + "Aa-" * 30_000 + "! 2020",
        distinct("[1] {}, A. How {} counts toads. 2020.\n"),
        distinct("{} et al. (2020) say so. "),
        distinct('the paper "{} Counts The Toads" is. '),
        "[1] x\n" * 16_000,
    ],
    ids=lambda text: str(text)[:24],
)  # fmt: skip
def test_hostile_boxes_are_read_to_the_end(text: str) -> None:
    assert len(works(*[text] * 3)) <= 3_000


def test_names_of_a_long_list_are_found_in_one_reading() -> None:
    names = [f"{name}NET" for name in distinct("{} ").split()[:5_000]]
    listed = [replace(read_reference("Lee. Ponds. 2020."), name=name) for name in names]
    text = f"{names[7]}, ({names[8]}) and vs.{names[9]}. Not {names[10]}-X, x{names[11]}. "

    found = cited_works(review(text + "Toads " * 15_000), references=listed)

    assert [work.name for work in found] == names[7:10]


@given(st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=14).map(" ".join))
def test_spans_are_verbatim_and_nothing_crashes(text: str) -> None:
    for work in works(text, "and [1]"):
        assert work.mentions
        first = work.mentions[0]
        fields = {"box 0": text, "box 1": "and [1]"}
        assert fields[first.field][first.start : first.end] == work.words
        assert all(0 <= at.start < at.end <= len(fields[at.field]) for at in work.mentions)


SINGLE = [
    (
        "- Slow Counting of Shy Toads in Deep Ponds (ICLR 2025)",
        "Slow Counting of Shy Toads in Deep Ponds",
        (),
        2025,
        "",
    ),
    ("All but One: Careful Counting (AAAI, 2024)", "All but One: Careful Counting", (), 2024, ""),
    (
        "such as Counting Shy Toads at Night (ICML 2023).",
        "Counting Shy Toads at Night",
        (),
        2023,
        "",
    ),
    (
        "  - Careful counting of toads in ponds, NeurIPS 2023",
        "Careful counting of toads in ponds",
        (),
        2023,
        "",
    ),
    (
        'Newt et al., "Receding: Ponds in Summer", https://arxiv.org/abs/2401.01234',
        "Receding: Ponds in Summer",
        ("Newt",),
        None,
        "2401.01234",
    ),
    (
        "- Newt et al. (2024). Receding ponds in summer. ICML 2024",
        "Receding ponds in summer",
        ("Newt",),
        2024,
        "",
    ),
    (
        "    * Newt et al., Receding ponds in summer. ICML 2024",
        "Receding ponds in summer",
        ("Newt",),
        2024,
        "",
    ),
    (
        'is like Newt, Olga, et al. "Receding ponds soon." arXiv preprint arXiv:2401.01234 (2024).',
        "Receding ponds soon",
        ("Newt",),
        None,
        "2401.01234",
    ),
    (
        "ToadX: Self-Supervised Counting of Toads (Newt et al., 2020) is missing",
        "ToadX: Self-Supervised Counting of Toads",
        ("Newt",),
        2020,
        "",
    ),
    (
        'cite Frogman, 2024 "Receding Ponds in Summer" too',
        "Receding Ponds in Summer",
        ("Frogman",),
        2024,
        "",
    ),
    (
        'It is like "Deep counting for shy toads" by Newt et al. in spirit',
        "Deep counting for shy toads",
        ("Newt",),
        None,
        "",
    ),
]


@pytest.mark.parametrize(("text", "title", "authors", "year", "arxiv"), SINGLE)
def test_title_people_venue_and_address_beside_each_other_are_one_work(
    text: str, title: str, authors: tuple[str, ...], year: int | None, arxiv: str
) -> None:
    (work,) = works(text)

    assert (work.title, work.authors[:1], work.arxiv) == (title, authors, arxiv)
    assert year is None or work.year == year


def test_titles_with_venues_in_one_sentence_are_each_a_work() -> None:
    found = works(
        "Missing: Counting Shy Toads at Night (ICML 2022), Slow Ponds: Newts and Olms (NeurIPS "
        "2022), and Fast Learning of Robust Ponds (AISTATS 2023)."
    )

    assert [work.title for work in found] == [
        "Counting Shy Toads at Night",
        "Slow Ponds: Newts and Olms",
        "Fast Learning of Robust Ponds",
    ]


def test_a_list_of_titles_alone_in_the_middle_of_a_text_is_the_reviews_own() -> None:
    found = works(
        "Others [1,2,3] did so.\n\n[1] Counting toads without a net\n\n"
        "[2] Newts in caves: a study\n\n"
        "[3] PondNet-7 (blog)\n\nThe ponds are deep."
    )

    assert [(work.title or work.words, len(work.mentions)) for work in found] == [
        ("Counting toads without a net", 2),
        ("Newts in caves: a study", 2),
        ("PondNet-7 (blog)", 2),
    ]


def test_an_enumeration_in_square_brackets_is_no_list_of_works() -> None:
    text = "[1] On toads:\nfew.\n[2] Newt subsets missing: why?\n[3] Olm speed:\n\n[1] Ponds:\nx"

    assert works(text) == ()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("PONDNET [33] counts", [33]),
        ("the k-toads algorithm [36] counts", [36]),
        ("[42] proposes ponds.\n[42] is also fast.", [42]),
        ("as in [1, 2], but unlike Frogman et al. [7]", [1, 2, 7]),
        ("from [1, 10] and Line [3] and $x_i \\in [2]$ and [0,1]^d and Table [4]", []),
        ("some new references.\n5. The ponds are deep.", []),
    ],
)
def test_numbers_in_brackets_are_works_unless_they_are_something_else(
    text: str, numbers: list[int]
) -> None:
    assert [work.number for work in works(text)] == numbers


@pytest.mark.parametrize(
    ("text", "words", "author", "year"),
    [
        ("see B. Moor et al. 2024 there", "B. Moor et al. 2024", "Moor", 2024),
        ("see Yuki Lind et al. 2024 there", "Yuki Lind et al. 2024", "Lind", 2024),
        ("(L. Zhao et al. 2025)", "L. Zhao et al. 2025", "Zhao", 2025),
        ("[Ada Frogman and Bo U Toad, 2020]", "Ada Frogman and Bo U Toad, 2020", "Frogman", 2020),
        ("the Newt et al. benchmark", "Newt et al.", "Newt", None),
        ("as Newt et al. show", "Newt et al.", "Newt", None),
        ("Newt et al. ['21] and", "Newt et al. ['21]", "Newt", 2021),
        ("known [Newt, '24].", "Newt, '24", "Newt", 2024),
    ],
)
def test_given_names_belong_to_a_naming_and_years_may_lack(
    text: str, words: str, author: str, year: int | None
) -> None:
    (work,) = works(text)

    assert (work.words, work.authors[0], work.year) == (words, author, year)


@pytest.mark.parametrize(
    "text",
    [
        "P-DX (Contrastive Ponds, Newt et al., 2021)",
        "P-DX paper by Newt et al in 2021",
        "P-DX (Newt et al 2021)",
        "P-DX of Newt et al. (2021)",
    ],
)
def test_a_method_is_named_before_its_people(text: str) -> None:
    (work,) = works(text)

    assert (work.name, work.authors, work.year) == ("P-DX", ("Newt",), 2021)


@pytest.mark.parametrize("label", ["[1]", "[^1]", "[R1]", "[1*]", "[ref1]"])
def test_an_address_in_the_reviews_own_list_is_one_work(label: str) -> None:
    (work,) = works(
        f"prior work {label} did\n\n{label}: https://proceedings.mlr.press/v1/newt23.html"
    )

    assert work.url == "https://proceedings.mlr.press/v1/newt23.html"
    assert len(work.mentions) == 2


def test_addresses_in_a_row_are_each_a_work() -> None:
    found = works("see https://arxiv.org/abs/2401.00001, https://arxiv.org/abs/2401.00002.")

    assert [work.arxiv for work in found] == ["2401.00001", "2401.00002"]


@pytest.mark.parametrize(
    "text",
    [
        'Missing references\n- line 12: "requiring no additional ponds or toads" is unclear.',
        "a method called “Generalized Pond Attention” is proposed",
        'the title "Physically Compatible Pond Modeling from One Image of Water" should change',
        "methods such as KNN, Margin, et al. are missing",
        "The baselines are old (ICLR 2020).",
    ],
)
def test_remarks_names_of_sections_and_titles_of_the_paper_name_no_work(text: str) -> None:
    assert works(text) == ()


READ = [
    ("Newt, J., Olm, H., ... & Yin, D. (2024). Counting toads. Ponds.", "Newt", "Counting toads"),
    ("Newt, J. &amp; Olm, E.D.. (2021). Counting toads. Ponds.", "Newt", "Counting toads"),
    (
        "Deep Toads and Probable Ponds. Newt, R., Olm, N., 2024. arXiv preprint.",
        "Newt",
        "Deep Toads and Probable Ponds",
    ),
    ("Big Pond Counting, Newt et. al. 2019", "Newt", "Big Pond Counting"),
    ("Counting toads at night (Newt et al., ACL 2024)", "Newt", "Counting toads at night"),
    (
        "Counting toads at night. F Newt, HH Olm. _Ponds and Toads: a Journal_. 2009.",
        "Newt",
        "Counting toads at night",
    ),
]


@pytest.mark.parametrize(("entry", "author", "title"), READ)
def test_entries_of_other_layouts_are_read(entry: str, author: str, title: str) -> None:
    read = read_reference(entry)

    assert (read.surnames[0], read.title) == (author, title)


@pytest.mark.parametrize(
    "piece",
    [
        "Ab Cd ",
        "[1] ",
        "(",
        "A, ",
        "Newt et al. ",
        "A. ",
        '"A b c d e f ',
        "a: ",
        "2020 ",
        "Ab and Cd, ",
        "[1] Newt x\n",
        "Newt et al. (2020), ",
        "https://arxiv.org/abs/2401.00001 ",
        "A.-B. ",
    ],
)
def test_hostile_texts_end(piece: str) -> None:
    assert len(works(piece * (100_000 // len(piece)))) < 2_000
