"""A Ray cluster on this machine, in a process of its own: ``python -m tests.ray_cluster 2``.

It prints its address and ends, with all its processes, when its input is closed.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.conftest import ROOT


@contextmanager
def cluster(processors: int) -> Iterator[str]:
    """A cluster with so many processors; yields its address."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.ray_cluster", str(processors)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.stdin.close()
        server.wait(60)
        server.stdout.close()


def main() -> None:
    """Serve until the input ends."""
    import ray

    ray.init(
        num_cpus=int(sys.argv[1]),
        include_dashboard=False,
        logging_level=logging.CRITICAL,
        log_to_driver=False,
        object_store_memory=100_000_000,
    )
    print(ray.get_runtime_context().gcs_address, flush=True)  # noqa: T201
    sys.stdin.read()
    ray.shutdown()


if __name__ == "__main__":
    main()
