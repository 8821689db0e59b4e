"""Consent of papers and reviews: what a judge reads, what is judged apart, what is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pandas as pd
import pytest

import reviewscore as rs
from reviewscore.config import Settings, resolve, user_settings_file
from reviewscore.errors import InputError, SettingsError
from reviewscore.runs.consent import LOCAL, by_route, effective, local_route
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.runs.manifest import ConsentCounts
from reviewscore.runs.merge import merge
from reviewscore.schema.confidentiality import Consent, strictest
from reviewscore.sources.collection import read_collection, single
from tests import consents
from tests.consents import elsewhere, sent, venue
from tests.loopback import Loopback
from tests.runs.test_merge import part

AWAY = {"model": "openai/m", "base_url": "http://models.example.org/v1"}


def reviews(run: Path) -> set[str]:
    return {score.review_id for score in read_points(run)}


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet", "json"])
def test_consent_is_known_of_every_kind_of_table_before_a_paper_is_read(
    ending: str, tmp_path: Path
) -> None:
    folder = venue(tmp_path / "data")
    for name in ("papers", "reviews"):
        file = folder / f"{name}.jsonl"
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        file.unlink()
        frame = pd.DataFrame(rows)
        if ending == "parquet":
            frame.to_parquet(folder / f"{name}.parquet")
        elif ending == "csv":
            if "sections" in frame:
                frame["sections"] = frame["sections"].map(json.dumps)
            frame.to_csv(folder / f"{name}.csv", index=False)
        else:
            text = json.dumps(rows) if ending == "json" else "\n".join(map(json.dumps, rows))
            (folder / f"{name}.{ending}").write_text(text, "utf-8")

    collection = read_collection(folder)

    assert {name: handle.consent for name, handle in collection.papers.items()} == {
        "a": "provider", "e": "provider", "b": "local", "c": "none",
    }  # fmt: skip
    assert collection.review("a-R4").consent == "local"
    assert collection.review("a-R1").consent is None
    assert collection.paper("b").consent == "local"


@pytest.mark.parametrize("name", ["papers", "reviews"])
@pytest.mark.parametrize("value", [False, "no", "LOCAL", 1, ["local"], ""])
def test_another_value_is_an_error_that_names_file_line_field_and_cure(
    name: str, value: object, tmp_path: Path
) -> None:
    folder = venue(tmp_path / "data")
    file = folder / f"{name}.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    rows[1]["consent"] = value
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")

    with pytest.raises(InputError) as caught:
        read_collection(folder)

    assert (caught.value.file, caught.value.line, caught.value.field) == (file, 2, "consent")
    assert 'write "provider", "local" or "none"' in str(caught.value)


def test_a_paper_in_a_file_of_its_own_has_a_consent_too(tmp_path: Path) -> None:
    paper, review = consents.paper("b", "local"), consents.review("b", 1, "local")
    (tmp_path / "paper.json").write_text(json.dumps(paper))
    (tmp_path / "review.json").write_text(json.dumps(review | {"consent": "none"}))

    collection = single(tmp_path / "paper.json", tmp_path / "review.json")

    assert collection.papers["b"].consent == "local"
    assert collection.reviews[0].consent == "none"
    assert rs.split(collection.reviews[0])[0].consent == "none"


def test_texts_without_a_consent_are_written_as_before() -> None:
    review = rs.Review(review_id="r", paper_id="p", fields={"text": "Why?"})
    paper = rs.Paper(paper_id="p", title="T", text="Text.")

    assert "consent" not in review.model_dump_json()
    assert "consent" not in paper.model_dump_json()


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ((), None),
        ((None, None), None),
        ((None, "provider"), "provider"),
        (("provider", "local"), "local"),
        (("local", None, "none"), "none"),
    ],
)
def test_the_strictest_consent_counts(
    rules: tuple[Consent | None, ...], expected: Consent | None
) -> None:
    assert strictest(*rules) == expected


def test_the_paper_and_the_venue_count_for_a_review(tmp_path: Path) -> None:
    collection = read_collection(venue(tmp_path / "data"))
    first = collection.review("a-R1")

    assert effective(first, collection.papers["a"]) == "provider"
    assert effective(first, collection.papers["b"]) == "local"
    assert effective(first, collection.papers["a"], "none") == "none"
    assert effective(first, None) is None


def test_a_judge_elsewhere_is_given_what_providers_may_have(tmp_path: Path) -> None:
    routes = by_route(read_collection(venue(tmp_path / "data")), Settings(**AWAY))

    assert [one.review_id for one in routes.judged.reviews] == [
        "a-R1", "a-R2", "a-R3", "e-R1", "e-R2", "e-R3",
    ]  # fmt: skip
    assert [one.review_id for one in routes.local.reviews] == ["a-R4", "b-R1", "b-R2"]
    assert routes.counts == ConsentCounts(
        local_papers=2, local_reviews=3, none_papers=2, none_reviews=3
    )


@pytest.mark.parametrize(
    "judge",
    [
        {"model": "lexical"},
        {"model": "exchange:folder"},
        {"model": "ollama/m"},
        {"model": "openai/m", "base_url": "http://127.0.0.1:1/v1"},
    ],
)
def test_a_judge_on_this_machine_is_given_all_but_what_nobody_may_judge(
    judge: dict[str, str], tmp_path: Path
) -> None:
    settings = Settings.model_validate(judge)
    routes = by_route(read_collection(venue(tmp_path / "data")), settings)

    assert len(routes.judged.reviews) == 9
    assert len(routes.local.reviews) == 0
    assert routes.counts == ConsentCounts(none_papers=2, none_reviews=3)


def test_one_member_of_a_panel_elsewhere_is_enough(tmp_path: Path) -> None:
    collection = read_collection(venue(tmp_path / "data"))

    routes = by_route(collection, Settings(model="exchange:folder", panel=("anthropic/m",)))

    assert len(routes.local.reviews) == 3


def test_a_default_of_the_venue_is_for_all_that_say_nothing_stricter(tmp_path: Path) -> None:
    collection = read_collection(venue(tmp_path / "data", declared=False))

    everything = by_route(collection, Settings(**AWAY))
    nothing = by_route(collection, Settings(**AWAY, consent="local"))
    nobody = by_route(collection, Settings(consent="none"))

    assert everything.counts is None
    assert (len(nothing.judged.reviews), len(nothing.local.reviews)) == (0, 12)
    assert nobody.counts == ConsentCounts(none_papers=4, none_reviews=12)


def test_a_default_comes_from_no_file_that_merely_lies_beside_the_data(tmp_path: Path) -> None:
    for line in ('consent = "provider"', 'local_judge = "lexical"'):
        (tmp_path / "reviewscore.toml").write_text(f"[models]\n{line}\n")

        with pytest.raises(SettingsError, match="decides where texts"):
            resolve({}, folder=tmp_path)


def test_a_default_comes_from_the_users_own_file(tmp_path: Path) -> None:
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    file.write_text('[models]\nconsent = "local"\n')

    assert resolve({}).settings.consent == "local"
    assert "consent" not in resolve({}).settings.decisive()


def test_a_run_sends_and_counts_by_consent_and_judges_the_rest_apart(
    tmp_path: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(monkeypatch, loopback.url)
    here = Loopback().start()
    data, out = venue(tmp_path / "data"), tmp_path / "run"
    try:
        run = rs.audit(
            data, out, model="openai/m", base_url=loopback.url, score="base",
            local_judge=f"openai/small@{here.url}",
        )  # fmt: skip
    finally:
        here.stop()

    assert consents.LOCAL not in sent(loopback)
    assert consents.NONE not in sent(loopback) + sent(here)
    assert consents.OPEN in sent(loopback)
    assert consents.LOCAL in sent(here)
    assert reviews(out) == {"a-R1", "a-R2", "a-R3", "e-R1", "e-R2", "e-R3"}
    assert reviews(out / LOCAL) == {"a-R4", "b-R1", "b-R2"}
    assert (
        run.manifest.consent
        == run.summary.consent
        == ConsentCounts(
            local_papers=2,
            local_reviews=3,
            none_papers=2,
            none_reviews=3,
            local_judge="openai/small",
        )
    )
    assert run.summary.reviews == 6
    assert {one.review_id for one in run.reviews} == reviews(out)
    apart = read_manifest(out / LOCAL)
    assert (apart.judge, apart.complete, apart.consent) == ("openai/small", True, None)
    page = (out / "report.html").read_text("utf-8")
    assert 'href="local/report.html"' in page
    assert "2 papers with 3 reviews may be judged on this machine only" in page
    assert "2 papers with 3 reviews may be judged by nobody" in page
    assert (out / LOCAL / "report.html").is_file()


def test_the_embedded_judge_can_judge_apart_what_a_model_elsewhere_may_not(
    tmp_path: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(monkeypatch, loopback.url)
    data, out = venue(tmp_path / "data"), tmp_path / "run"

    rs.audit(
        data, out, model="openai/m", base_url=loopback.url, protocol="presupposition",
        local_judge="lexical", paper="b", point="b-R1#1",
    )  # fmt: skip

    assert loopback.bodies == []
    assert [score.review_id for score in read_points(out / LOCAL)] == ["b-R1"]
    assert read_manifest(out).complete
    assert read_manifest(out).counts.points == 0


@pytest.mark.parametrize("judge", ["openai/m", "anthropic/m", "openai/m@http://10.0.0.7/v1"])
def test_a_local_judge_whose_texts_would_leave_is_refused(judge: str, tmp_path: Path) -> None:
    collection = read_collection(venue(tmp_path / "data"))

    with pytest.raises(SettingsError, match="would leave this machine"):
        local_route(collection, resolve({**AWAY, "local_judge": judge}))


def test_a_run_that_goes_on_with_a_stricter_consent_keeps_what_it_has_and_says_so(
    tmp_path: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(monkeypatch, loopback.url)
    data, out = venue(tmp_path / "data", declared=False), tmp_path / "run"
    given = {"model": "openai/m", "base_url": loopback.url, "score": "base"}
    rs.audit(data, out, **given, limit=1)
    before, asked = (out / "points.jsonl").read_bytes(), len(loopback.bodies)

    run = rs.audit(data, out, **given, consent="local")

    assert (out / "points.jsonl").read_bytes() == before
    assert len(loopback.bodies) == asked
    left = cast(ConsentCounts, run.manifest.consent)
    assert (left.local_reviews, left.kept_points) == (12, len(before.splitlines()))
    assert "were judged before that was known" in " ".join(left.words)


def test_a_run_that_goes_on_with_a_looser_default_judges_what_it_left_out(
    tmp_path: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(monkeypatch, loopback.url)
    data, out = venue(tmp_path / "data", declared=False), tmp_path / "run"
    given = {"model": "openai/m", "base_url": loopback.url, "score": "base", "paper": "a"}
    rs.audit(data, out, **given, consent="local", local_judge="lexical")
    first, apart = reviews(out), reviews(out / LOCAL)

    second = rs.audit(data, out, **given)

    assert (len(first), len(apart), len(reviews(out))) == (0, 5, 5)
    assert second.manifest.consent is None


def test_merged_runs_add_up_what_was_left_out(tmp_path: Path) -> None:
    some = ConsentCounts(local_papers=1, local_reviews=2, local_judge="lexical")
    more = ConsentCounts(none_papers=1, none_reviews=4, local_reviews=1, local_judge="lexical")
    a, b = part(tmp_path, "a", consent=some), part(tmp_path, "b", seed=1, consent=more)
    plain = [part(tmp_path, name, seed=n) for n, name in enumerate("cd", start=2)]

    whole = merge([a, b], tmp_path / "whole").manifest
    without = merge(plain, tmp_path / "without").manifest

    assert whole.consent == ConsentCounts(
        local_papers=1, local_reviews=3, none_papers=1, none_reviews=4, local_judge="lexical"
    )
    assert without.consent is None
    assert "consent" not in json.loads(without.model_dump_json())
