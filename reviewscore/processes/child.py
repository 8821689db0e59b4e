"""How Python child processes are started: isolated, and without keys.

Nothing that lies in the current folder or in the data may be imported or loaded by a child: it
starts without the current folder on its module path (``-P``), without the user's site folder
(``-s``), in a folder of this package (libraries are looked for in the current folder too), and
with no variable that is not named here, so none of Python's own either. What a person could type
themselves (`own_command`) runs where they are, with their variables.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

PACKAGE_ROOT = str(Path(__file__).resolve().parents[2])
"""The folder that the package was imported from."""
_NEUTRAL = Path(__file__).resolve().parent
"""Current folder of children: there is nothing in it but this code."""

PLAIN_VARIABLES = (
    *("PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),  # some interpreters do not start without
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"),  # nor on Windows without
)
"""Variables that every child gets; ``*`` at the end stands for any ending."""


def start_child(
    module: str,
    *arguments: str,
    variables: Iterable[str] = (),
    settings: Mapping[str, str] | None = None,
) -> subprocess.Popen[str]:
    """Start ``main()`` of a module in a Python process of its own.

    Text goes in and out by its pipes, in UTF-8. What it writes on stderr is dropped: nobody reads
    it, and it could be without end. Ctrl-C does not reach it.

    Not by `multiprocessing`, which would run the user's main script again.

    Args:
        module: Module of this package.
        arguments: Its ``sys.argv[1:]``.
        variables: Names of variables that it gets beside `PLAIN_VARIABLES`, such as the key of
            the model that it calls; ``*`` at the end stands for any ending.
        settings: Further variables, with their values.
    """
    begin = (
        f"import sys; sys.path[:] = {module_path()!r}; "
        f"from importlib import import_module; import_module({module!r}).main()"
    )
    return subprocess.Popen(
        [sys.executable, "-P", "-s", "-c", begin, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        cwd=_NEUTRAL,
        env={
            **environment(variables),
            "PYTHONUTF8": "1",
            **(settings or {}),
        },
        start_new_session=True,
    )


def own_command(*arguments: str) -> list[str]:
    """This package's command line for a process of its own, which may run in any folder.

    Nothing that lies in the current folder is imported by it either.
    """
    begin = (
        f"import sys; sys.path[:] = {module_path()!r}\n"
        "try:\n    from reviewscore.cli.main import main\n"
        "except KeyboardInterrupt:\n    sys.exit(130)\n"  # stopped before anything was begun
        "main()"
    )
    return [sys.executable, "-P", "-c", begin, *arguments]


def environment(variables: Iterable[str] = ()) -> dict[str, str]:
    """The variables of this process that a child gets; Python's own are never among them.

    Args:
        variables: As for `start_child`.
    """
    wanted = {*PLAIN_VARIABLES, *variables}
    starts = tuple(name[:-1] for name in wanted if name.endswith("*"))
    return {
        name: value
        for name, value in os.environ.items()
        if (name in wanted or (starts and name.startswith(starts)))
        and not name.startswith("PYTHON")
    }


def module_path() -> list[str]:
    """Where children find modules: as this process does, but never in the current folder.

    The order is kept, so that a child has the same versions of everything. Only where the package
    itself lies in the current folder is that folder searched, as the last one.
    """
    try:
        here = Path.cwd().resolve()
    except FileNotFoundError:  # it was taken away
        here = None
    path = [
        place for place in sys.path if Path(place).is_absolute() and Path(place).resolve() != here
    ]
    return path if PACKAGE_ROOT in path else [*path, PACKAGE_ROOT]
