"""The container of the app: what its files say, and what it runs."""

from __future__ import annotations

import json
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest
import yaml

from reviewscore.view.app import PORT
from tests.conftest import ROOT, THOROUGH

IMAGE = "reviewscore-test"


def instructions() -> list[tuple[str, str]]:
    lines = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines()
    told = (line.partition(" ") for line in lines if line and not line.startswith("#"))
    return [(name, rest.strip()) for name, _, rest in told]


def told(name: str) -> list[str]:
    return [rest for each, rest in instructions() if each == name]


def started_with() -> list[str]:
    (program,), (words,) = told("ENTRYPOINT"), told("CMD")
    return [*json.loads(program), *json.loads(words)]


def in_the_build(name: str) -> bool:
    """Whether the build is given a file or folder of the checkout."""
    given = True
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        pattern = line.removeprefix("!")
        if line and not line.startswith("#") and fnmatch(name, pattern):
            given = line.startswith("!")
    return given


def test_the_image_is_of_a_named_release_holds_no_secret_and_does_not_run_as_root() -> None:
    (base,) = told("FROM")
    assert base.startswith("python:3.11-slim-")  # what requirements.lock was made with
    assert told("USER")[-1].split(":")[0] not in ("root", "0")
    assert told("ADD") == []
    words = "\n".join((*told("ENV"), *told("ARG"))).lower()
    assert not [one for one in ("key", "token", "secret", "password") if one in words]
    assert all("--no-cache-dir" in line for line in told("RUN") if "pip install" in line)


def test_the_image_is_built_of_files_that_are_there_and_of_no_others() -> None:
    copied = {source for line in told("COPY") for source in shlex.split(line)[:-1]}

    assert copied == {path.name for path in ROOT.iterdir() if in_the_build(path.name)}


def test_the_app_is_published_on_this_machine_alone_and_may_do_little() -> None:
    (service,) = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"].values()
    (volume,) = service["volumes"]
    words = started_with()

    assert service["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert told("EXPOSE") == [str(PORT)]
    assert words[words.index("--public-url") + 1] == f"http://127.0.0.1:{PORT}"
    assert [volume["target"]] == told("VOLUME") == words[2:3]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert not {"privileged", "network_mode", "environment", "env_file"} & service.keys()


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


@contextmanager
def app(command: Sequence[object]) -> Iterator[str]:
    """The address that an app prints, while it runs."""
    with subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def check_pages(address: str, port: int) -> None:
    """Only who has the address is let in."""
    here = f"http://127.0.0.1:{port}"
    assert address.startswith(f"{here}/enter/")
    with pytest.raises(HTTPError, match="403"):
        urlopen(here)
    with build_opener(HTTPCookieProcessor(CookieJar())).open(address) as page:
        assert page.url == f"{here}/"
        assert page.status == 200


def test_what_the_container_runs_lets_in_who_has_the_address_it_prints(tmp_path: Path) -> None:
    port = free_port()
    _, *words = (word.replace(str(PORT), str(port)) for word in started_with())
    words[words.index("/data")] = str(tmp_path)

    with app([sys.executable, "-m", "reviewscore", *words, "--port", port]) as address:
        check_pages(address, port)


def has_docker() -> bool:
    """Whether there is a Docker to ask; its command alone is none."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_the_image_is_built_and_lets_in_who_has_the_address_it_prints(tmp_path: Path) -> None:
    if not THOROUGH or not has_docker():
        pytest.skip("needs THOROUGH=1 and a Docker that answers")
    subprocess.run(["docker", "build", "--tag", IMAGE, ROOT], check=True)
    port = free_port()
    _, *words = (word.replace(str(PORT), str(port)) for word in started_with())
    runs = tmp_path / "runs"
    runs.mkdir()
    runs.chmod(0o777)  # for whoever the container runs as
    run = ["docker", "run", "--rm", "--init", "--read-only", "--tmpfs", "/tmp"]
    published = ["--publish", f"127.0.0.1:{port}:{PORT}", "--volume", f"{runs}:/data"]

    with app([*run, *published, IMAGE, *words]) as address:
        check_pages(address, port)
