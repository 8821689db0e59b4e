"""What comes from outside is held up to a bound, and no further."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.bounds import (
    Bound,
    Bounds,
    Decompressor,
    EncodingError,
    bounded_lines,
    in_force,
    put_in_force,
    read_bounded,
)
from reviewscore.config import Settings, bounds_from_settings, resolve
from reviewscore.errors import SettingsError, TooLargeError

TEXTS = st.binary(max_size=3000) | st.integers(1, 400_000).map(lambda size: b"a" * size)
TINY = Bound("max_text_mb", 0.00001)


def pieces(coding: str, body: bytes, step: int = 100) -> list[bytes]:
    decompressor = Decompressor(coding, 10**9)
    parts = [body[at : at + step] for at in range(0, len(body), step)]
    return [piece for part in parts for piece in decompressor.pieces(part)]


def deflated(data: bytes, *, raw: bool) -> bytes:
    made = zlib.compressobj(9, zlib.DEFLATED, -15 if raw else 15)
    return made.compress(data) + made.flush()


@given(data=TEXTS, more=TEXTS, step=st.integers(1, 5000))
def test_a_body_is_the_same_whatever_pieces_it_comes_in(
    data: bytes, more: bytes, step: int
) -> None:
    bodies = {
        "": data,
        "identity": data,
        "gzip": gzip.compress(data),
        "x-gzip": gzip.compress(data),
        "deflate": deflated(data, raw=False),
        "Deflate": deflated(data, raw=True),
    }

    for coding, body in bodies.items():
        assert b"".join(pieces(coding, body, step)) == data
    both = gzip.compress(data) + gzip.compress(more)
    assert b"".join(pieces("gzip", both, step)) == data + more


def test_a_small_body_that_grows_comes_in_small_pieces() -> None:
    bomb = gzip.compress(b"a" * 50_000_000)
    tracemalloc.start()

    sizes = [len(piece) for piece in Decompressor("gzip", 10**9).pieces(bomb)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert sum(sizes) == 50_000_000
    assert max(sizes) <= 65_536
    assert peak < 2_000_000


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "compress", "\x1b[2J"])
def test_a_coding_that_nobody_asked_for_is_named(coding: str) -> None:
    with pytest.raises(EncodingError, match="gzip, deflate was asked for"):
        Decompressor(coding, 10**9)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_damaged_body_is_named(coding: str) -> None:
    with pytest.raises(EncodingError, match="damaged"):
        pieces(coding, b"\x00\x01\x02 this is no compressed text")


@given(data=st.lists(st.binary(max_size=30), max_size=8).map(b"\n".join))
def test_lines_are_those_of_the_file_and_long_ones_are_cut(data: bytes) -> None:
    lines = list(bounded_lines(io.BytesIO(data), TINY))

    whole = list(io.BytesIO(data))
    assert [line.size for line in lines] == list(map(len, whole))
    assert [line.data for line in lines] == [line[: TINY.size] for line in whole]
    assert [line.cut for line in lines] == [len(line) > TINY.size for line in whole]


def test_a_file_is_held_up_to_the_bound_whatever_its_size_says(tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(3_000_000_000)
    tracemalloc.start()

    with pytest.raises(TooLargeError, match=r"20 MB that max_text_mb allows: it has 3,000\.0 MB"):
        read_bounded(large, Bounds().text)
    with pytest.raises(TooLargeError, match=r"given up after 20\.0 MB"):
        read_bounded(Path("/dev/zero"), Bounds().text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 45_000_000


def test_each_bound_is_a_setting_with_the_same_default() -> None:
    assert Settings().bounds == Bounds()
    assert Bounds().max_reply_mb == 32
    assert Bounds().max_reviews_per_paper == 500


def test_bounds_come_from_the_table_of_the_settings_file_and_from_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bounds.toml"
    file.write_text("[bounds]\nmax_text_mb = 3\nmax_pdf_mb = 7.5\n")
    monkeypatch.setenv("REVIEWSCORE_MAX_PDF_MB", "8")

    assert resolve({}, config=file).settings.bounds == Bounds(max_text_mb=3, max_pdf_mb=8)
    assert bounds_from_settings(file) == Bounds(max_text_mb=3, max_pdf_mb=8)


def test_bounds_are_not_taken_from_a_file_that_merely_lies_there(tmp_path: Path) -> None:
    (tmp_path / "reviewscore.toml").write_text("[bounds]\nmax_text_mb = 30000\n")

    with pytest.raises(SettingsError, match="max_text_mb"):
        bounds_from_settings()


def test_settings_of_other_kinds_do_not_matter_where_bounds_alone_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REVIEWSCORE_BATCH", "true")  # impossible without a model

    assert bounds_from_settings() == Bounds()


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan", "much"])
def test_an_impossible_bound_is_an_error(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVIEWSCORE_MAX_TEXT_MB", value)

    with pytest.raises(SettingsError, match="max_text_mb"):
        bounds_from_settings()
    with pytest.raises(SettingsError, match="max_text_mb"):
        resolve({})


def test_bounds_are_looked_up_when_they_are_first_needed() -> None:
    asked = []
    put_in_force(None, source=lambda: asked.append(1) or Bounds(max_text_mb=1))  # type: ignore[func-returns-value]

    assert asked == []
    assert in_force().max_text_mb == in_force().max_text_mb == 1
    assert asked == [1]
    put_in_force(Bounds(max_text_mb=2))
    assert in_force().max_text_mb == 2
