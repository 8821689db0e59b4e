"""A child that shows what it was started with; see `test_child`."""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Write the environment, the module path and more as JSON."""
    import reviewscore

    seen = {
        "environment": dict(os.environ),
        "path": sys.path,
        "folder": os.getcwd(),  # noqa: PTH109 - as libraries ask
        "arguments": sys.argv[1:],
        "package": reviewscore.__file__,
        "flags": [sys.flags.safe_path, sys.flags.no_user_site, sys.flags.utf8_mode],
    }
    sys.stderr.write("x" * 1_000_000)  # more than a pipe holds
    print(json.dumps(seen))  # noqa: T201
