"""A Ray cluster on this machine, for the while of a run, in a process of its own.

All processes of Ray have the environment and the current folder of the one that starts it. So that
one is a child (`processes.child`): workers see neither the folder that the user is in, nor keys
that they have no use for.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from reviewscore.config import Settings
from reviewscore.errors import SettingsError
from reviewscore.llm.provider import provider_class
from reviewscore.processes.child import start_child

_END = 30.0
"""Seconds that a cluster may take to end by itself."""

EVERY_WORKER = (
    *("HOME", "USER", "LOGNAME", "XDG_*", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
    *("RAY_*", "CUDA_*", "NVIDIA_*", "HIP_*", "ROCR_*", "OMP_*", "MKL_*", "OPENBLAS_*"),
    *("HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "TRANSFORMERS_*", "TORCH_*"),
)
"""Variables of every process of a cluster, beside those of all children."""

NETWORK = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
)
"""Variables of workers that leave the machine."""

_OF_STORES = ("AWS_*", "AZURE_*", "GOOGLE_*", "FSSPEC_*")


def variables_for(settings: Settings) -> tuple[str, ...]:
    """The variables that a run's workers need: the keys of its models, ledger and store."""
    wanted: list[str] = []
    if not settings.embedded:
        wanted += NETWORK
        for model in settings.models:
            wanted += provider_class(model).variables
    if settings.ledger is not None:
        wanted.append("PG*")
    if "://" in (settings.store or ""):
        wanted += [*NETWORK, *_OF_STORES]
    return tuple(wanted)


@contextmanager
def starting(processors: int | None, variables: Iterable[str]) -> Iterator[LocalCluster]:
    """Begin to start a cluster, which ends with the block, or with this process.

    Args:
        processors: How many it has; as many as the machine if not given.
        variables: Names of variables that its workers need, as of `variables_for`.
    """
    process = start_child(
        "reviewscore.runs.ray_cluster",
        str(processors or 0),
        variables=(*EVERY_WORKER, *variables),
        settings={"PYTHONSAFEPATH": "1", "PYTHONNOUSERSITE": "1"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield LocalCluster(process)
    finally:
        process.stdin.close()
        try:
            process.wait(_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


class LocalCluster:
    """A cluster that is starting."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def address(self) -> str:
        """Its address, once it is there.

        Raises:
            SettingsError: It could not be started.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        said: dict[str, str] = json.loads(line) if line else {"problem": "it ended at once"}
        if "problem" in said:
            raise SettingsError(f"Ray cannot be started: {said['problem']}")
        return said["address"]


def main() -> None:
    """Start a cluster of so many processors, say its address, and serve until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reply, sys.stdout = sys.stdout, sys.stderr
    # Workers are started by path, and find modules as this process does.
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    import ray
    from ray.exceptions import RayError

    try:
        ray.init(
            address="local",
            num_cpus=int(sys.argv[1]) or None,
            include_dashboard=False,
            logging_level=logging.CRITICAL,
            log_to_driver=False,
        )
        said = {"address": ray.get_runtime_context().gcs_address}
    except (RayError, ConnectionError, ValueError, RuntimeError, OSError) as error:
        said = {"problem": str(error).partition("\n")[0] or type(error).__name__}
    reply.write(json.dumps(said) + "\n")
    reply.flush()
    if "address" in said:
        sys.stdin.read()
        ray.shutdown()
