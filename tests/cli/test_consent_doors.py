"""Whatever command asks a provider: no text arrives there that is for this machine, or nobody."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

import reviewscore as rs
from reviewscore.addresses import is_loopback
from reviewscore.cli.main import group
from reviewscore.errors import ConfidentialityError, InputError, ReviewScoreError
from reviewscore.llm import batch_jobs
from reviewscore.period.venue import VenueRecord
from reviewscore.runs.consent import LOCAL
from reviewscore.runs.folder import read_manifest
from reviewscore.schema.confidentiality import Permission
from reviewscore.validation.labelled_sets import read_set
from tests import consents
from tests.conftest import ROOT
from tests.consents import elsewhere, paper, refuse_unknown, review, sent, venue
from tests.loopback import Loopback
from tests.scoring_server import ScoringServer
from tests.validation.test_own_labels import label, units_set

MODEL = ("--model", "openai/m", "--max-connections", "2")
DOORS = {
    "audit": ("audit", "data", "-o", "out", *MODEL),
    "audit of pages": ("audit", "data", "-o", "out", *MODEL, "--paper-as", "both"),
    "audit of papers": (
        *("audit", "data", "-o", "out", *MODEL, "--protocol", "presupposition", "--per", "paper"),
    ),
    "audit by rules": ("audit", "data", "-o", "out", "--model", "exchange:folder",
                       "--judge", "split_points=openai/m"),
    "audit in batches": ("audit", "data", "-o", "out", *MODEL, "--batch"),
    "gem prepare": ("gem", "prepare", "data", "-o", "out", *MODEL),
    "gem prepare beside": ("gem", "prepare", "reviews.jsonl", "--papers", "data", "-o", "out",
                           *MODEL),
    "gem generate": ("gem", "generate", "data", "-o", "out", *MODEL),
    "gem validate": ("gem", "validate", "data", "-o", "out", "--baseline", "examiner=openai/m",
                     "--background", "others.jsonl",
                     "--resamples", "100"),
    "gem writer": ("gem", "validate", "data", "-o", "out", "--writer", "openai/m",
                   "--background", "others.jsonl", "--resamples", "100"),
    "focus": ("focus", "data", "-o", "out", *MODEL),
    "focus gaps": ("focus", "gaps", "data", "-o", "out", *MODEL),
    "focus references": (
        *("focus", "references", "data", "-o", "out", *MODEL, "--metareviews", "meta.jsonl"),
    ),
    "similarity judge": ("similarity", "judge", "near", "-o", "out", *MODEL),
    "validate --writer": ("validate", "data", "-o", "out", "--writer", "openai/m"),
    "validate --confirmer": (
        *("validate", "data", "-o", "out", "--writer", "openai/m", "--confirmer", "exchange:f"),
    ),
}  # fmt: skip


@pytest.fixture
def provider(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """A server that stands for a provider's, and answers nothing twice."""
    loopback.quirk = refuse_unknown
    elsewhere(monkeypatch, loopback.url)
    monkeypatch.setenv("REVIEWSCORE_BASE_URL", loopback.url)
    monkeypatch.setenv("REVIEWSCORE_MAX_RETRIES", "0")
    monkeypatch.setenv("REVIEWSCORE_CONFIRM_ABOVE", "1000")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    quick = partial(batch_jobs.Patience, first=0.05, most=0.1)
    monkeypatch.setattr(batch_jobs, "Patience", quick)
    return loopback


@pytest.fixture(autouse=True)
def _data() -> None:
    """What the commands read, in the current folder."""
    data = venue(Path("data"))
    shutil.copy(data / "reviews.jsonl", "reviews.jsonl")
    metas = [{"paper_id": name, "meta_review": f"The {word} counter is weak."} for name, word in
             (("a", consents.OPEN), ("b", consents.LOCAL), ("c", consents.NONE))]  # fmt: skip
    Path("meta.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in metas))
    others = [
        json.dumps(review(f"x{number}", place, "provider")).replace("frogs", f"toads of {number}")
        for number in range(6)
        for place in (1, 2)
    ]
    Path("others.jsonl").write_text("".join(f"{line}\n" for line in others))
    near = Path("near")
    near.mkdir()
    papers = [paper("a", "provider", is_submission=True), paper("b", "local", is_submission=True),
              paper("p", "provider"), paper("q", "local"), paper("r", "none")]  # fmt: skip
    (near / "papers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in papers))
    own = [{"reviewer_id": "one", "paper_id": name} for name in "pqr"]
    (near / "profiles.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in own))


def command(*line: object) -> tuple[str, BaseException | None]:
    """What a command printed, and how it failed, if it did."""
    result = CliRunner().invoke(group, [str(word) for word in line], standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, ReviewScoreError):
        raise result.exception
    return result.output, result.exception


def forbidden(texts: str) -> list[str]:
    """The words of texts that no provider may have, as far as they are there."""
    return [word for word in (consents.LOCAL, consents.NONE) if word in texts]


@pytest.mark.parametrize("name", DOORS)
def test_no_text_reaches_a_provider_that_may_not(name: str, provider: Loopback) -> None:
    command(*DOORS[name])

    asked = sent(provider)
    assert consents.OPEN in asked
    assert forbidden(asked) == []


@pytest.mark.parametrize("name", DOORS)
def test_the_venues_default_closes_every_door(
    name: str, provider: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVIEWSCORE_CONSENT", "local")

    command(*DOORS[name])

    asked = sent(provider)
    assert consents.OPEN not in asked
    assert forbidden(asked) == []


def below_a_venue(consent: str) -> None:
    """Make the current folder, in which the data lie, a venue's."""
    record = VenueRecord(source="pile", kind="folder", made="2027-01-01T00:00:00+00:00")
    made = record.model_copy(update={"consent": consent})
    Path("venue.json").write_text(made.model_dump_json())


@pytest.mark.parametrize("name", DOORS)
def test_the_consent_of_the_venue_folder_above_the_data_closes_every_door(
    name: str, provider: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    below_a_venue("local")
    monkeypatch.setenv("REVIEWSCORE_CONSENT", "provider")  # a venue is only made stricter

    command(*DOORS[name])

    asked = sent(provider)
    assert consents.OPEN not in asked
    assert forbidden(asked) == []


def test_the_consent_of_a_venue_folder_counts_for_texts_one_by_one_and_training_files(
    provider: Loopback,
) -> None:
    below_a_venue("local")
    point = rs.split(rs.load_collection(Path("data")).review("a-R1"))[0]
    given = {"model": "openai/m", "base_url": provider.url}

    with pytest.raises(ConfidentialityError, match="consent: local"):
        rs.score(point, data="data", **given)
    with pytest.raises(ConfidentialityError, match="consent: local"):
        rs.score(point, data=rs.load_collection(Path("data")), **given)
    with suppress(ReviewScoreError):
        rs.audit("data", "out", model="openai/m", base_url=provider.url)
    Path("paper.json").write_text(json.dumps(paper("a", "provider")))
    _, error = command("reconstruct", "It is so because it is.", "--paper", "paper.json", *MODEL)
    command("gem", "export-pairs", "data", "-o", "pairs.jsonl")
    command("focus", "export-sft", "data", "-o", "sft")

    assert isinstance(error, ConfidentialityError)
    assert provider.bodies == []
    files = [Path("pairs.jsonl"), *Path("sft").glob("*.jsonl")]
    assert not [file for file in files if file.is_file() and consents.OPEN in file.read_text()]


@pytest.mark.parametrize("name", DOORS)
def test_a_model_on_this_machine_reads_what_is_for_it_and_nothing_that_nobody_may(
    name: str, provider: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewscore.llm.confidentiality.is_loopback", is_loopback)
    monkeypatch.delenv("REVIEWSCORE_CONFIDENTIALITY")

    command(*DOORS[name])

    assert forbidden(sent(provider)) == [consents.LOCAL]


@pytest.fixture
def scoring() -> Iterator[ScoringServer]:
    started = ScoringServer(limit=16_384).start()
    yield started
    started.stop()


def test_an_evaluation_model_elsewhere_scores_what_providers_may_have(
    scoring: ScoringServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(monkeypatch, scoring.url)

    printed, _ = command(
        *("gem", "data", "--model", "server/m", "--base-url", scoring.url, "-o", "out"),
        *("--resamples", "100"),
    )

    prompts = [body["prompt"] for body in scoring.scored()]
    asked = " ".join("".join(one if isinstance(one, str) else scoring.words(one))
                     for one in prompts)  # fmt: skip
    assert consents.OPEN in asked
    assert forbidden(asked) == []
    assert "6 reviews left out, which these models may not read (consent)" in printed


def test_single_texts_are_refused_by_name(provider: Loopback) -> None:
    file = Path("paper.json")
    file.write_text(json.dumps(paper("b", "local")))
    collection = rs.load_collection("data")
    local = rs.split(collection.review("a-R4"))[0]
    of_paper = rs.split(collection.review("b-R2"))[0]
    given = {"model": "openai/m", "base_url": provider.url}

    _, error = command("reconstruct", "It is so because it is.", "--paper", file, *MODEL)

    assert isinstance(error, ConfidentialityError)
    assert "paper 'b' may be judged by models on this machine alone (consent: local)" in str(error)
    with pytest.raises(ConfidentialityError, match="review 'a-R4'"):
        rs.score(local, collection.paper("a"), **given)
    with pytest.raises(ConfidentialityError, match="review 'b-R2'"):
        rs.score(of_paper, data=collection, **given)
    with pytest.raises(ConfidentialityError, match="by nobody"):
        rs.score(rs.split(collection.review("c-R1"))[0], data=collection)
    assert provider.bodies == []
    assert rs.score(of_paper, data=collection).review_id == "b-R2"


def test_validation_sends_no_planted_remark_about_a_paper_for_this_machine(
    provider: Loopback,
) -> None:
    rows = [json.loads(line) for line in
            (ROOT / "examples/validate/papers.jsonl").read_text("utf-8").splitlines()]  # fmt: skip
    rows[0]["consent"] = "local"
    Path("papers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")

    printed, _ = command(
        *("validate", "papers.jsonl", "--items", ROOT / "examples/validate/planted.jsonl"),
        *("-o", "out", *MODEL, "--protocol", "economy", "--score", "base", "--resamples", "100"),
    )

    asked = " ".join(sent(provider).split())
    words = [json.dumps(row["text"])[1:-1].replace("\\n", " ").split() for row in rows]
    runs = [{" ".join(own[n : n + 8]) for n in range(len(own) - 8)} for own in words]
    assert not [run for run in runs[0] - runs[1] if run in asked]
    assert [run for run in runs[1] if run in asked]
    assert "1 paper left out, which these models may not read (consent)" in printed


def test_labels_about_what_a_judge_may_not_read_are_left_out_and_counted(tmp_path: Path) -> None:
    folder = units_set(tmp_path / "set", label("r1.a", 2), label("r1.b", 3))
    rows = [json.loads(line) for line in (folder / "reviews.jsonl").read_text().splitlines()]
    (folder / "reviews.jsonl").write_text(json.dumps(rows[0] | {"consent": "local"}))

    here = read_set("labels", [folder], seed=0)
    with pytest.raises(InputError, match=r"not for this judge to read \(consent\): 2"):
        read_set("labels", [folder], seed=0, may=Permission(leaves=True))

    assert len(here.trials) == 2


def test_prepared_texts_keep_the_consent_of_what_they_are_made_of(provider: Loopback) -> None:
    here = Loopback(quirk=refuse_unknown).start()
    try:
        command("gem", "prepare", "data", "-o", "ready", "--model", "openai/m",
                "--base-url", here.url)  # fmt: skip
    finally:
        here.stop()

    command("gem", "prepare", "ready", "-o", "again", "--anew", *MODEL)

    assert consents.LOCAL in sent(here)
    assert consents.OPEN in sent(provider)
    assert forbidden(sent(provider)) == []


def test_training_files_hold_nothing_that_is_for_this_machine_only() -> None:
    command("gem", "export-pairs", "data", "-o", "pairs.jsonl")
    command("focus", "export-sft", "data", "-o", "sft")

    written = Path("sft/train.jsonl").read_text() + Path("sft/test.jsonl").read_text()
    assert consents.OPEN in written
    assert forbidden(written) == []


def test_a_dry_run_counts_what_would_be_left_out(provider: Loopback) -> None:
    words, _ = command(*DOORS["audit"], "--dry-run")
    record, _ = command(*DOORS["audit"], "--dry-run", "--json")

    assert "2 papers with 3 reviews may be judged on this machine only" in words
    assert json.loads(record)["consent"] == {
        "local_papers": 2, "local_reviews": 3, "none_papers": 2, "none_reviews": 3,
        "kept_points": 0, "local_judge": None,
    }  # fmt: skip
    assert json.loads(record)["reviews"] == 6
    assert provider.bodies == []


def test_a_local_judge_elsewhere_is_refused_before_anything_is_asked(provider: Loopback) -> None:
    for more in ((), ("--dry-run",)):
        _, error = command(*DOORS["audit"], "--local-judge", "openai/other", *more)

        assert "--local-judge openai/other: what it is given would leave" in str(error)
    assert provider.bodies == []
    assert not Path("out").exists()


def test_a_local_judge_has_a_run_of_its_own_that_goes_with_the_run(provider: Loopback) -> None:
    provider.quirk = None
    printed, _ = command(*DOORS["audit"], "--score", "base", "--local-judge", "lexical")

    assert read_manifest(Path("out", LOCAL)).judge == "lexical"
    assert "judged on this machine only, into out/local:" in printed
    assert "lexical judges them apart" in printed

    command("purge", "out", "--yes")

    assert not Path("out").exists()


def test_a_consent_is_given_by_a_flag(provider: Loopback) -> None:
    _, error = command(*DOORS["audit"], "--consent", "none")

    assert error is None
    assert provider.bodies == []
    assert review("a", 1, "provider")["review_id"] == "a-R1"
