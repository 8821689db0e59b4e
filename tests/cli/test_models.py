"""Flags about models and money, and the ledger's verb, as a user meets them."""

from __future__ import annotations

import gzip
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from reviewscore.cli.main import group
from reviewscore.errors import ReviewScoreError, SettingsError, StopError
from reviewscore.llm.ledger import upkeep
from reviewscore.llm.ledger.store import Location
from reviewscore.llm.ledger.upkeep import exported
from reviewscore.llm.provider import open_jobs
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.schema.call import Call
from tests.conftest import ROOT
from tests.loopback import Loopback

EXAMPLES = str(ROOT / "examples")
PRICES = 'source = "mine"\ndate = "today"\n[models]\nloop = {input = 1, cached = 0.1, output = 2}\n'


def cli(*line: str) -> tuple[int, str]:
    """Exit code (4 for a limit, 2 for wrong use) and all that was printed."""
    result = CliRunner().invoke(group, list(line), standalone_mode=False)
    if isinstance(result.exception, StopError):
        return 4, result.output + str(result.exception)
    if isinstance(result.exception, ReviewScoreError):
        return 2, result.output + str(result.exception)
    if result.exception is not None:
        raise result.exception
    return result.return_value or 0, result.output


def audit(server: Loopback, out: Path, *more: str) -> tuple[int, str]:
    line = ("audit", EXAMPLES, "-o", str(out), "--model", "openai/loop", "--base-url", server.url)
    return cli(*line, *more)


def prices(tmp_path: Path) -> str:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES)
    return str(path)


def test_the_cap_stops_before_it_is_passed_and_the_run_goes_on_with_a_higher_one(
    server: Loopback, tmp_path: Path
) -> None:
    own = ("--prices", prices(tmp_path), "--no-cache")
    out = tmp_path / "run"

    stopped, words = audit(server, out, *own, "--max-usd", "0.2")
    spent = read_manifest(out).spending.usd
    finished, _ = audit(server, out, *own, "--max-usd", "20")

    assert stopped == 4
    assert "--max-usd" in words
    assert spent is not None
    assert 0 < spent <= 0.2
    assert finished == 0
    assert max(server.served.values()) == 1


def test_a_cap_without_a_known_price_is_refused(server: Loopback, tmp_path: Path) -> None:
    code, words = audit(server, tmp_path / "run", "--max-usd", "5")

    assert code == 2
    assert "--prices" in words
    assert not server.bodies


def test_a_second_run_pays_nothing_and_refresh_pays_again(server: Loopback, tmp_path: Path) -> None:
    audit(server, tmp_path / "one")
    once = len(server.bodies)
    audit(server, tmp_path / "two")
    again = len(server.bodies)
    audit(server, tmp_path / "three", "--refresh")

    assert again == once
    assert len(server.bodies) == 2 * once
    spent = read_manifest(tmp_path / "two").spending
    assert (spent.calls, spent.reused) == (0, once)


def test_no_cache_keeps_the_calls_in_the_run_folder(server: Loopback, tmp_path: Path) -> None:
    audit(server, tmp_path / "one", "--no-cache")

    assert (tmp_path / "one" / "ledger.sqlite").is_file()
    code, words = cli("cache", "info", str(tmp_path / "one"))
    assert code == 0
    assert "openai/loop" in words
    assert str(tmp_path / "one") in words


def test_what_a_run_has_used_can_be_exported(server: Loopback, tmp_path: Path) -> None:
    audit(server, tmp_path / "one", "--limit", "1")
    audit(server, tmp_path / "two", "--limit", "1")
    target = tmp_path / "calls.jsonl.gz"

    code, words = cli("cache", "export", str(tmp_path / "two"), "-o", str(target))

    lines = gzip.decompress(target.read_bytes()).splitlines()
    assert code == 0
    assert f"{len(lines)} calls" in words
    keys = {json.loads(line)["key"] for line in lines}
    used = {
        step.call_sha256
        for score in read_points(tmp_path / "two")
        for step in (*score.provenance, *(score.verdict.provenance if score.verdict else ()))
    }
    assert used <= keys


@pytest.mark.parametrize("name", ["calls.jsonl", "calls.jsonl.gz"])
def test_an_export_on_a_full_disk_leaves_the_old_file(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    resource = pytest.importorskip("resource")
    audit(server, tmp_path / "one", "--limit", "1")
    target = tmp_path / name
    target.write_bytes(b"earlier")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def on_a_full_disk(place: Location, *, run: str | None = None) -> Iterator[Call]:
        calls = list(exported(place, run=run))
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))
        yield from calls

    monkeypatch.setattr(upkeep, "exported", on_a_full_disk)
    try:
        code, words = cli("cache", "export", "-o", str(target))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert code == 4, words
    assert str(target) in words
    assert target.read_bytes() == b"earlier"
    assert not list(tmp_path.glob(".calls*"))


def test_an_export_into_a_folder_is_refused(tmp_path: Path) -> None:
    assert cli("cache", "export", "-o", str(tmp_path))[0] == 2
    assert cli("cache", "export", "-o", str(tmp_path / "no" / "x"))[0] == 2


def test_clearing_asks_to_be_meant(server: Loopback, tmp_path: Path) -> None:
    audit(server, tmp_path / "one", "--limit", "1")

    refused, words = cli("cache", "clear")
    done, freed = cli("cache", "clear", "--yes")

    assert (refused, done) == (2, 0)
    assert "--yes" in words
    assert "deleted" in freed
    assert "0.0 MB" in cli("cache", "info")[1]


def test_the_estimate_is_said_before_and_its_error_afterwards(
    server: Loopback, tmp_path: Path
) -> None:
    _, before = audit(server, tmp_path / "one", "--dry-run")
    _, during = audit(server, tmp_path / "one")
    _, after = audit(server, tmp_path / "two", "--dry-run")

    assert "replies are guessed" in before
    assert "past estimates" not in before
    assert "replies are guessed" in during
    assert "1 finished run came to" in after


def test_dollars_are_estimated_with_caches_and_batch_jobs(tmp_path: Path) -> None:
    def dollars(*more: str) -> float:
        _, words = cli("audit", EXAMPLES, "--dry-run", *more)
        return float(words.partition("about $")[2].partition(" ")[0])

    whole = dollars("--model", "openai/gpt-5.6")

    assert dollars("--model", "openai/gpt-5.6", "--batch") == pytest.approx(whole / 2, rel=0.05)
    assert dollars("--model", "openai/gpt-5.6", "--protocol", "economy") < whole
    assert dollars("--model", "openai/gpt-5.6", "--repeats", "3") > whole


def test_economy_asks_less_and_says_so_in_the_manifest(server: Loopback, tmp_path: Path) -> None:
    audit(server, tmp_path / "paper")
    calls = len(server.bodies)
    audit(server, tmp_path / "economy", "--protocol", "economy")

    assert len(server.bodies) - calls < calls
    assert read_manifest(tmp_path / "economy").decisive["protocol"] == "economy"
    assert {one.point_id for one in read_points(tmp_path / "paper")} == {
        one.point_id for one in read_points(tmp_path / "economy")
    }


def test_a_panel_of_models_and_repeats_scores_each_item_by_the_median(
    server: Loopback, tmp_path: Path
) -> None:
    more = ("--model", "openai/other", "--repeats", "2", "--limit", "1")
    code, words = audit(server, tmp_path / "run", *more)

    scores = list(read_points(tmp_path / "run"))
    assert code == 0
    assert scores[0].judge == "openai/loop x2 + openai/other x2"
    assert all(len(one.verdict.ratings) == 4 for one in scores if one.verdict is not None)
    assert "the panel is divided on 0 of" in words
    assert "Panel, the median counts: openai/loop: " in (tmp_path / "run/report.html").read_text()


def test_one_judge_may_have_another_model(server: Loopback, tmp_path: Path) -> None:
    audit(server, tmp_path / "run", "--judge", "claim_factuality=openai/other", "--limit", "1")

    asked = {body["model"] for body in server.bodies}
    assert asked == {"loop", "other"}


@pytest.mark.parametrize(
    ("flag", "words"),
    [("faithfullness=openai/x", "did you mean 'faithfulness'"), ("faithfulness", "JUDGE=MODEL")],
)
def test_a_misspelt_judge_is_refused_in_words(flag: str, words: str) -> None:
    code, told = cli("audit", EXAMPLES, "--model", "openai/x", "--judge", flag)

    assert code == 2
    assert words in told


def test_models_judges_and_limits_come_from_the_settings_file(tmp_path: Path) -> None:
    text = (
        '[models]\ndefault = "openai/x"\npanel = ["openai/y"]\nfaithfulness = "openai/z"\n'
        "[audit]\nrepeats = 2\n[limits]\nmax_usd = 3.5\nbatch = true\n[cache]\nenabled = false\n"
    )
    (tmp_path / "named.toml").write_text(text)
    assert tomllib.loads(text)

    _, shown = cli("audit", EXAMPLES, "--show-config", "--config", "named.toml")

    for line in ('panel = ["openai/y"]', 'faithfulness = "openai/z"', "repeats = 2",
                 "max_usd = 3.5", "batch = true", "enabled = false"):  # fmt: skip
        assert line in shown


def commands(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for below in command.list_commands(context):
        verb = command.get_command(context, below)
        assert verb is not None
        yield from commands(verb, f"{name} {below}".strip())


def test_every_verb_that_reads_settings_can_be_given_a_file_of_them() -> None:
    flags = {name: {one.name for one in command.params} for name, command in commands(group)}
    readers = {
        name for name, own in flags.items() if own & {"max_usd", "ledger", "engine", "prices"}
    }

    assert {"audit", "reconstruct", "cache info", "gem prepare", "similarity encode"} <= readers
    assert readers | {"doctor", "drafts serve", "gem score"} == {
        name for name, own in flags.items() if "config" in own
    }


def test_batch_jobs_are_for_providers_that_have_them() -> None:
    code, _ = cli("audit", EXAMPLES, "--model", "exchange:x", "--batch", "--dry-run")

    assert code == 0  # an exchange is no provider: it goes its own way
    with pytest.raises(SettingsError, match="batch jobs"):
        open_jobs("exchange:x", base_url=None, timeout=1)


def test_a_finished_run_asks_nothing_and_keeps_its_account(
    server: Loopback, tmp_path: Path
) -> None:
    audit(server, tmp_path / "one", "--no-cache")
    account = (tmp_path / "one" / "manifest.json").read_bytes()
    asked = len(server.bodies)

    code, words = audit(server, tmp_path / "one", "--retry-errors")
    points = len(list(read_points(tmp_path / "one")))

    assert code == 0
    assert asked == len(server.bodies)
    assert account == (tmp_path / "one" / "manifest.json").read_bytes()
    assert f"nothing to do: {points} points done before" in words
    assert "replies are guessed" not in words  # nothing is estimated or asked for


def test_a_part_that_was_done_before_is_told_with_the_time_of_this_session(
    server: Loopback, tmp_path: Path
) -> None:
    audit(server, tmp_path / "one", "--limit", "1")
    before = len(list(read_points(tmp_path / "one")))

    _, words = audit(server, tmp_path / "one")

    points = len(list(read_points(tmp_path / "one")))
    assert re.search(rf"this session: {points - before} new points in .* s, {before} done", words)
    assert re.search(r"; [0-9.]+ s in 2 sessions\n", words)


def test_a_run_that_began_with_its_own_ledger_goes_on_with_it(
    server: Loopback, tmp_path: Path
) -> None:
    audit(server, tmp_path / "one", "--no-cache", "--limit", "1")
    first = read_manifest(tmp_path / "one").spending.calls

    audit(server, tmp_path / "one")

    assert read_manifest(tmp_path / "one").spending.calls > first
    assert len(server.bodies) == read_manifest(tmp_path / "one").spending.calls


def test_selections_do_not_count_as_past_estimates(server: Loopback, tmp_path: Path) -> None:
    audit(server, tmp_path / "one", "--limit", "1")

    assert "past estimates" not in cli("cache", "info")[1]


def test_it_is_said_why_the_number_of_points_differs(tmp_path: Path) -> None:
    folder = tmp_path / "exchange"
    folder.mkdir()
    replies = (ROOT / "examples" / "exchange" / "replies.jsonl").read_bytes()
    (folder / "replies.jsonl").write_bytes(replies)

    _, words = cli("audit", EXAMPLES, "-o", str(tmp_path / "run"), "--model", f"exchange:{folder}")

    assert "27 points (9 arguments, 9 claims, 9 questions); counted by rules" in words
    assert "into 27 points; the model's own split, which counts, into 26" in words


def test_a_run_that_waits_for_replies_says_what_to_do_next(tmp_path: Path) -> None:
    folder = tmp_path / "exchange"
    run = str(tmp_path / "run")

    code, words = cli("audit", EXAMPLES, "-o", run, "--model", f"exchange:{folder}")

    assert code == 4
    assert f"next:   write replies to the prompts in {folder / 'open.jsonl'}" in words
    assert "reviewscore export" not in words


def test_a_run_that_was_stopped_is_gone_on_with_and_not_exported(tmp_path: Path) -> None:
    flags = ("--model", "openai/x", "--base-url", "http://127.0.0.1:9/v1")
    (tmp_path / "reviewscore.toml").write_text("[limits]\nmax_retries = 0\n")

    _, words = cli("audit", EXAMPLES, "-o", str(tmp_path / "run"), *flags)

    assert "next:   the same command again" in words
