"""Find, load, render and hash the prompt files.

A prompt is a file ``prompts/<name>/v<N>.md``: TOML front matter between ``+++`` lines, then a
Jinja template. Values are inserted as they are and never read as templates. Text from papers,
reviews and models is put between fences whose name holds a hash of the text, so that the text
cannot close its own fence. Characters without width or with direction are left out of what is
filled in (`hidden.without_unseen`); records keep them. A line ``{# item #}`` parts what is the same
for every item (the task, which providers can cache) from the item itself.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewscore.errors import PromptError
from reviewscore.papers.hidden import without_unseen
from reviewscore.toml_files import parse_toml

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import SandboxedEnvironment

SUMS = "SHA256SUMS"
_ITEM = "\n{# item #}\n"
_DIRECTORY: ContextVar[Path | None] = ContextVar("prompts directory", default=None)
_FRONT_MATTER = re.compile(r"\A\+\+\+\n(.*?)\n\+\+\+\n", re.DOTALL)


@dataclass(frozen=True)
class Prompt:
    """One prompt file.

    Attributes:
        prompt_id: ``name/vN``.
        variables: Names the template needs.
        output: Name of the record the reply is read into; empty for parts of other prompts.
        source: What the prompt is after, with its place in the paper.
        body: The template.
        sha256: Hash of the file's bytes.
    """

    prompt_id: str
    variables: tuple[str, ...]
    output: str
    source: str
    body: str
    sha256: str


@dataclass(frozen=True)
class Rendered:
    """A prompt with its values filled in, as it is sent.

    Attributes:
        task: What is the same for every item; empty where the template has no ``{# item #}``.
        item: The rest.
    """

    task: str
    item: str
    prompt: Prompt

    @property
    def text(self) -> str:
        """Task and item in one piece."""
        return f"{self.task}\n\n{self.item}" if self.task else self.item


def sha256(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def fence(text: str, name: str) -> str:
    """Put foreign text between fences that it cannot contain."""
    tag = f"{name}-{sha256(text)[:12]}"
    return f"<{tag}>\n{text}\n</{tag}>"


@contextmanager
def use_directory(path: Path | None) -> Iterator[None]:
    """Read prompts from another folder within the block; None changes nothing."""
    token = _DIRECTORY.set(path or _DIRECTORY.get())
    try:
        yield
    finally:
        _DIRECTORY.reset(token)


def directory() -> Path:
    """The folder prompts are read from.

    Order: `use_directory` (``--prompts-dir``), REVIEWSCORE_PROMPTS_DIR, the folder shipped in the
    package, and the checkout's own ``prompts/``.

    Raises:
        PromptError: No folder holds prompts; names the places tried.
    """
    chosen = _DIRECTORY.get()
    if chosen is None and (named := os.environ.get("REVIEWSCORE_PROMPTS_DIR")):
        chosen = Path(named)
    if chosen is not None:
        if not (chosen / SUMS).is_file():
            raise PromptError(f"{chosen} holds no prompts ({SUMS} is missing)")
        return chosen
    package = Path(__file__).parent
    shipped, checkout = package / "_prompts", package.parent / "prompts"
    if (shipped / SUMS).is_file():
        return shipped
    # A stranger's `prompts` may stand beside the package in site-packages: only a checkout counts.
    if (package.parent / "pyproject.toml").is_file() and (checkout / SUMS).is_file():
        return checkout
    raise PromptError(f"no prompts found; tried {shipped} and {checkout}; reinstall reviewscore")


def load(name: str, version: int) -> Prompt:
    """Read one version of a prompt.

    Raises:
        PromptError: There is no such prompt, or its front matter is broken.
    """
    return _load(directory(), name, version)


@lru_cache(maxsize=256)
def _load(folder: Path, name: str, version: int) -> Prompt:
    path = folder / name / f"v{version}.md"
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise PromptError(f"no prompt '{name}/v{version}' in {folder}") from error
    text = raw.decode()
    head = _FRONT_MATTER.match(text)
    if head is None:
        raise PromptError(f"{path}: the front matter between '+++' lines is missing")
    try:
        fields: Any = parse_toml(head[1])
        prompt = Prompt(
            prompt_id=fields["id"],
            variables=tuple(fields["variables"]),
            output=fields["output"],
            source=fields["source"],
            body=text[head.end() :].strip("\n"),
            sha256=hashlib.sha256(raw).hexdigest(),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise PromptError(f"{path}: front matter: {error}") from error
    if prompt.prompt_id != f"{name}/v{version}":
        raise PromptError(f"{path}: its id says '{prompt.prompt_id}'")
    return prompt


@lru_cache(maxsize=1)
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    environment.filters["fence"] = fence
    return environment


@lru_cache(maxsize=64)
def _template(body: str) -> Template:
    return _environment().from_string(body)


def latest(name: str) -> Prompt:
    """The highest version of a prompt.

    Raises:
        PromptError: There is no such prompt, or its front matter is broken.
    """
    versions = [int(path.stem[1:]) for path in (directory() / name).glob("v*.md")]
    return load(name, max(versions, default=1))


def render(name: str, /, **variables: object) -> Rendered:
    """Fill the holes of a prompt's latest version.

    Raises:
        PromptError: A variable is missing or not named in the front matter.
    """
    from jinja2 import TemplateError

    prompt = latest(name)
    if set(variables) != set(prompt.variables):
        wrong = sorted(set(variables) ^ set(prompt.variables))
        raise PromptError(f"prompt '{prompt.prompt_id}': variables {wrong} do not fit")
    task, mark, item = prompt.body.partition(_ITEM)
    parts = (task, item) if mark else ("", task)
    try:
        filled = [without_unseen(_template(part).render(**variables)).strip("\n") for part in parts]
    except TemplateError as error:
        raise PromptError(f"prompt '{prompt.prompt_id}': {error}") from error
    return Rendered(task=filled[0], item=filled[1], prompt=prompt)


def available() -> tuple[Prompt, ...]:
    """All prompts of the folder, by name and version."""
    files = sorted(directory().glob("*/v*.md"))
    return tuple(load(path.parent.name, int(path.stem.removeprefix("v"))) for path in files)


def verify() -> tuple[str, ...]:
    """What is wrong with the folder's sums: changed, missing or unlisted files; empty if nothing.

    The sums file can also be checked with ``sha256sum -c``.
    """
    folder = directory()
    listed: dict[str, str] = {}
    for line in (folder / SUMS).read_text().splitlines():
        sha256, _, name = line.partition("  ")
        listed[name] = sha256
    problems = []
    for name, sha256 in listed.items():
        path = folder / name
        if not path.is_file():
            problems.append(f"{name}: listed in {SUMS} but missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            problems.append(f"{name}: changed since it was listed; a changed prompt needs a new vN")
    texts = {path.relative_to(folder).as_posix() for path in folder.glob("*/v*.md")}
    problems += [f"{name}: not listed in {SUMS}" for name in sorted(texts - set(listed))]
    return tuple(problems)
