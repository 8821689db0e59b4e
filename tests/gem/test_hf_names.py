"""Names of models of Hugging Face: who made the current folder chooses none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewscore.errors import SettingsError
from reviewscore.hf.models import ENCODER, load, place_of


@pytest.mark.parametrize("prefix", ["hf/", ""])
@pytest.mark.parametrize("name", ["gpt2", "allenai/specter2"])
def test_a_folder_that_is_called_as_a_model_is_not_taken_for_it(prefix: str, name: str) -> None:
    assert place_of(prefix + name) == (name, False)
    Path(name).mkdir(parents=True)

    with pytest.raises(SettingsError, match=rf"write hf/\./{name}"):
        load(prefix + name, ENCODER)


@pytest.mark.parametrize("prefix", ["hf/", ""])
def test_a_folder_is_written_as_a_path(prefix: str, tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    for path in (str(tmp_path / "tiny"), "./tiny", "../tiny", "."):
        assert place_of(prefix + path) == (path, True)
