"""A submission with line numbers is judged as the same paper without them."""

from __future__ import annotations

import re
from functools import cache

import pytest

from reviewscore.judges.lexical.finder import find
from reviewscore.papers.load import load_paper
from reviewscore.points.places import with_places
from reviewscore.schema.paper import Paper
from tests.conftest import SHARED, make_point

REMARKS = (
    "There is no ablation study (see Table 1).",
    "The number of random seeds is not reported for Table 1.",
    "Exchangeability is assumed in Section 3.3 without a word on storms.",
    "Snow is ignored, which is a weakness.",
    "How many channels does the encoder have (Section 3.2)?",
    "How long does training take?",
    "Is the code released?",
)


@cache
def _paper(layout: str) -> Paper:
    return load_paper(SHARED / "pdf_submissions" / f"{layout}.pdf")


def _seen(layout: str, remark: str) -> tuple[str, list[str]]:
    """The finding and the passages, line ends aside."""
    paper = _paper(layout)
    found = find(remark, paper, with_places(make_point(remark), paper).places or ())
    quotes = [re.sub(r"-\n|[\s-]", "", one.quote) for one in found.passages]
    return found.finding, quotes


@pytest.mark.shared
@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("layout", ["neurips", "iclr", "icml", "acl"])
@pytest.mark.parametrize("remark", REMARKS)
def test_line_numbers_change_neither_finding_nor_passages(layout: str, remark: str) -> None:
    assert _seen(layout, remark) == _seen("plain", remark)
