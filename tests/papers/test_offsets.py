"""Places are carried through rewriting, in both directions."""

from __future__ import annotations

import re

from hypothesis import event, given
from hypothesis import strategies as st

from reviewscore.papers.hygiene import tidy
from reviewscore.papers.offsets import MappedText

TEXTS = st.text(alphabet="ab-\n\r \f\ufeff\U000e0041", max_size=40)
PATTERNS = st.sampled_from(["-\n", "a+", " ", "\r\n?", "^", "b", "ab|ba"])


@given(TEXTS, st.lists(st.tuples(PATTERNS, st.sampled_from(["", "x", "xyz", "\n"])), max_size=3))
def test_a_place_is_the_first_character_from_there_on(
    text: str, passes: list[tuple[str, str]]
) -> None:
    mapped = MappedText(text)
    for pattern, new in passes:
        mapped = mapped.rewrite(re.compile(pattern), lambda _, new=new: new)  # type: ignore[misc]
    origins = [mapped.original_span(at, at + 1)[0] for at in range(len(mapped.text))]
    event("rewritten" if mapped.text != text else "same")

    assert origins == sorted(origins)
    for offset in range(len(text) + 1):
        expected = next((at for at, origin in enumerate(origins) if origin >= offset), len(origins))
        assert mapped.place_of(offset) == expected


@given(TEXTS)
def test_tidying_keeps_the_place_of_every_letter(text: str) -> None:
    tidied = tidy(text)

    for offset, letter in enumerate(text):
        if letter in "ab-":
            assert tidied.text[tidied.mapped.place_of(offset)] == letter
