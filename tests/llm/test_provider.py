"""How a model's name finds its provider: shipped ones, and those of other packages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reviewscore.config import resolve
from reviewscore.errors import SettingsError
from reviewscore.llm import provider as providers
from reviewscore.llm.connect import check, connect
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.provider import Provider, check_model, open_jobs, open_provider, provider
from tests.sessions import request

OWN = """
from reviewscore.llm.provider import Provider, check_key, provider
from reviewscore.schema.call import Completion

@provider("own")
class OwnProvider(Provider):
    place = "my cellar"

    @classmethod
    def check(cls, model, *, base_url):
        check_key("OWN_KEY")

    @classmethod
    def open(cls, model, options):
        return cls()

    async def complete(self, request):
        return Completion(text=f"from {request.model}", model="m", reply_id="1")
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution with a provider on the path."""
    monkeypatch.setenv("OWN_KEY", "k")

    def place(code: str, *, name: str = "own", package: str = "strange", value: str = "") -> None:
        root = tmp_path / package
        told = root / f"{package}-1.0.dist-info"
        told.mkdir(parents=True)
        (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        value = value or f"{package}_provider:OwnProvider"
        (told / "entry_points.txt").write_text(f"[reviewscore.providers]\n{name} = {value}\n")
        (root / f"{package}_provider.py").write_text(code)
        monkeypatch.delitem(sys.modules, f"{package}_provider", raising=False)
        monkeypatch.syspath_prepend(root)

    yield place
    providers._REGISTERED.pop("own", None)


async def test_a_provider_of_another_package_answers_as_the_shipped_ones_do(
    install: Install,
) -> None:
    install(OWN)
    settings = resolve({"model": "own/x", "confidentiality": "provider"}).settings
    client = await connect(settings, CallsInMemory())

    completion, _ = await client.complete(request(1, model="own/x"), stage="s")

    assert completion.text == "from own/x"
    assert (await client.paid()).unpriced == 1
    assert client.provider_of("own/x").place == "my cellar"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import no_such_package", "ModuleNotFoundError"),
        ("raise SystemError('half installed')", "half installed"),
        ("class OwnProvider: pass", "no subclass"),
        (OWN.replace('provider("own")', 'provider("openai")'), "another provider 'openai'"),
    ],
)
def test_a_provider_that_is_broken_is_named_and_spoils_no_other(
    install: Install, code: str, told: str
) -> None:
    install(code)

    with pytest.raises(SettingsError, match=rf"'own' of the package strange.*{told}"):
        check(resolve({"model": "own/x"}).settings)

    check_model("openai/x", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(SettingsError, match=r"unknown model 'nobody/x'.*own/NAME"):
        check_model("nobody/x", base_url=None)


def test_a_name_that_two_packages_give_is_refused_with_both(install: Install) -> None:
    install(OWN)
    install(OWN, package="stranger")

    with pytest.raises(SettingsError, match="strange and stranger"):
        check_model("own/x", base_url=None)


def test_no_package_takes_a_shipped_providers_name(install: Install) -> None:
    install(OWN.replace("my cellar", "elsewhere"), name="openai")

    opened = open_provider("openai/x", base_url="http://127.0.0.1:1/v1", timeout=1)

    assert opened.place == "http://127.0.0.1:1/v1"
    with pytest.raises(ValueError, match="another provider 'openai'"):
        provider("openai")(Provider)


def test_what_a_provider_lacks_is_told_before_anything_is_asked(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(OWN)

    with pytest.raises(SettingsError, match="openai/ only"):
        open_jobs("own/x", base_url=None, timeout=1)
    monkeypatch.delenv("OWN_KEY")
    with pytest.raises(SettingsError, match="OWN_KEY is not set"):
        check_model("own/x", base_url=None)
