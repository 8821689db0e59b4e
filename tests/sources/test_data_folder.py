"""Ids as file names that all systems and commands allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.sources.data_folder import digest_name, file_name


@given(st.text(st.characters() | st.sampled_from("-._a/"), min_size=1))
def test_no_name_begins_with_a_dash_or_leaves_its_folder(name: str) -> None:
    for made in (file_name(name), digest_name(name)):
        assert made[:1] not in ("-", "")
        assert "/" not in made


@pytest.mark.parametrize(
    ("name", "made"),
    [("tides", "tides"), ("a-b_c.d", "a-b_c.d"), ("a/b", "a-b-c14cddc0"), ("-abc", "_abc-")],
)
def test_names_that_can_stay_do(name: str, made: str) -> None:
    assert file_name(name).startswith(made)
