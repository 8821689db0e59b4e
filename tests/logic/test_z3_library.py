"""Z3's library is the one that was installed with it, wherever the program is started."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SHOW = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(args[0]) if event == "ctypes.dlopen" else None)
from reviewscore.logic.validity import prove
print(prove({"P1": "A"}, "A | B").validity)
print(*(name for name in opened if "libz3" in str(name)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="names of the library on Linux")
def test_a_library_in_the_current_folder_is_not_loaded(tmp_path: Path) -> None:
    spec = find_spec("z3")
    assert spec is not None
    assert spec.origin is not None
    libraries = list((Path(spec.origin).parent / "lib").glob("libz3.so*"))
    for library in libraries:
        (tmp_path / library.name).symlink_to(library)

    done = subprocess.run(
        [sys.executable, "-P", "-c", SHOW], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    validity, loaded = done.stdout.split()
    assert libraries
    assert validity == "valid"
    assert Path(loaded).parent == libraries[0].parent
