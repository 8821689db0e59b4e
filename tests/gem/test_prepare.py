"""Reviews become judgments, papers what they state; nothing is lost or asked twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore import __version__, prompts
from reviewscore.config import Settings
from reviewscore.errors import InputError, RunFolderError, SettingsError
from reviewscore.gem.prepare import (
    LONGEST_LINE,
    MIXED,
    MOST,
    Judgment,
    JudgmentsReply,
    StatedReply,
    check_judgments,
    check_stated,
    judgment_lines,
    prepare,
    stated_lines,
)
from reviewscore.runs.session import Outcome
from reviewscore.schema.paper import Paper
from reviewscore.sources.collection import Collection, read_papers
from reviewscore.sources.lazy_papers import PaperHandle
from reviewscore.sources.system_reviews import read_materials
from tests.answering import answer
from tests.conftest import ROOT
from tests.gem.conftest import REVIEWS, read_lines, write_lines
from tests.loopback import Body, Loopback, contents, fenced, schema_name
from tests.quirks import replies

Run = Callable[..., Outcome]


@pytest.fixture
def run(data: Path, tmp_path: Path, loopback: Loopback) -> Run:
    def go(out: str = "out", *, with_papers: bool = True, **how: object) -> Outcome:
        chosen = {name: how.pop(name) for name in list(how) if name in Settings.model_fields}
        fields = {
            "model": "openai/loop",
            "base_url": loopback.url,
            "cache_dir": tmp_path / "ledger",
            **chosen,
        }
        return prepare(
            read_materials(data),
            read_papers(data) if with_papers else None,
            tmp_path / out,
            Settings.model_validate(fields),
            **how,  # type: ignore[arg-type]
        )

    return go


def spoil(loopback: Loopback, part: str, text: str = "{}", *, refusal: str | None = None) -> None:
    """Answer prompts whose review or paper holds a part in another way."""
    otherwise = replies(text, refusal=refusal)

    def quirk(body: Body, seen: int) -> web.Response | None:
        there = part in fenced("\n".join(contents(body)), "review")
        return otherwise(body, seen) if there else None

    loopback.quirk = quirk


def test_the_folder_holds_reviews_and_synopses_that_gem_reads(run: Run, tmp_path: Path) -> None:
    outcome = run()

    read = read_materials(tmp_path / "out")
    assert outcome.failed == 0
    assert outcome.manifest.complete
    assert read.warnings == []
    assert [one.review_id for one in read.all()] == ["f1", "f2", "t1"]
    first = next(read.all())
    assert first.judgments == (
        "The reviewer criticizes Too few ponds\nThe reviewer questions Why frogs"
    )
    assert first.raw == "Too few ponds. Why frogs?"
    synopsis = read.synopses["frogs"]
    assert synopsis.abstract is not None
    assert synopsis.abstract.startswith("We count frogs in ponds")
    assert synopsis.assw is not None
    assert synopsis.assw.startswith("Strengths that the authors state:\n- Counting is automatic.")


def test_every_text_says_which_prompt_and_model_it_came_from(run: Run, tmp_path: Path) -> None:
    outcome = run()

    for name, prompt in (("reviews", "gem_judgments/v1"), ("synopses", "gem_assw/v1")):
        for row in read_lines(tmp_path / "out" / f"{name}.jsonl"):
            origin = row["provenance"]
            assert isinstance(origin, dict)
            assert origin["prompt_id"] == prompt
            assert origin["prompt_sha256"] == outcome.manifest.prompts[prompt]
            assert origin["model_answered"] == "loopback-1"
    assert outcome.manifest.models_answered == ("loopback-1",)
    assert outcome.manifest.spending.calls == 5
    assert outcome.manifest.spending.input_tokens > 0


def test_the_paper_stands_in_front_of_the_question_about_it(run: Run, loopback: Loopback) -> None:
    run()

    asked = [body for body in loopback.bodies if schema_name(body) == "StatedReply"]
    assert len(asked) == 2
    assert all(contents(one)[1].startswith("# Paper under review") for one in asked)


def test_a_reply_that_never_fits_leaves_the_review_without_judgments_and_is_counted(
    run: Run, tmp_path: Path, loopback: Loopback
) -> None:
    spoil(loopback, "Too few ponds", '{"judgments": [], "no_judgment": false}')

    outcome = run()

    assert outcome.failed == 1
    assert outcome.manifest.failures["judgments"] == {"no reply fitted": 1}
    row = read_lines(tmp_path / "out" / "reviews.jsonl")[0]
    assert (row["state"], row["judgments"], row["text"]) == (
        "failed", None, "Too few ponds. Why frogs?",
    )  # fmt: skip
    assert "only there" in str(row["reason"])
    asked = [one for one in loopback.bodies if "Too few ponds" in "".join(contents(one))]
    assert len(asked) == 3
    assert outcome.manifest.counts["judgments made"] == 2


def test_a_refusal_is_a_reason_of_its_own_and_stops_nobody(run: Run, loopback: Loopback) -> None:
    spoil(loopback, "Too few ponds", refusal="no, thank you")

    outcome = run()

    assert outcome.manifest.failures == {"judgments": {"the model declined": 1}, "assw": {}}
    assert outcome.manifest.counts == {
        "judgments failed": 1, "judgments made": 2, "assw made": 2,
    }  # fmt: skip


def test_a_finished_folder_asks_nothing_again(run: Run, loopback: Loopback, tmp_path: Path) -> None:
    first = run()
    served, texts = len(loopback.bodies), (tmp_path / "out" / "reviews.jsonl").read_bytes()

    again = run()

    assert (again.new, again.before) == (0, 5)
    assert len(loopback.bodies) == served
    assert (tmp_path / "out" / "reviews.jsonl").read_bytes() == texts
    assert again.manifest.spending.calls == first.manifest.spending.calls == 5
    assert len(again.manifest.times) == 2


def test_what_a_kill_left_is_gone_on_with_and_nothing_is_paid_twice(
    run: Run, loopback: Loopback, tmp_path: Path
) -> None:
    run()
    whole = (tmp_path / "out" / "reviews.jsonl").read_bytes()
    half = whole.splitlines(keepends=True)[0] + b'{"paper_id": "fr'
    (tmp_path / "out" / "reviews.jsonl").write_bytes(half)

    outcome = run()

    assert outcome.new == 2
    assert (tmp_path / "out" / "reviews.jsonl").read_bytes() == whole
    assert max(loopback.served.values()) == 1
    assert outcome.manifest.spending.reused == 2


def test_a_failure_is_asked_for_again_only_if_that_is_wanted(run: Run, loopback: Loopback) -> None:
    spoil(loopback, "Too few ponds", "no object")
    run()
    loopback.quirk = None

    kept = run()
    renewed = run(retry_errors=True)

    assert (kept.failed, kept.new) == (1, 0)
    assert (renewed.failed, renewed.new) == (0, 1)


def test_a_review_that_has_changed_is_prepared_anew(run: Run, data: Path, tmp_path: Path) -> None:
    run()
    changed = [{**REVIEWS[0], "text": "Too many ponds."}, *REVIEWS[1:]]
    write_lines(data / "reviews.jsonl", [dict(one) for one in changed])

    outcome = run()

    assert outcome.new == 1
    rows = read_lines(tmp_path / "out" / "reviews.jsonl")
    assert [one["review_id"] for one in rows] == ["f1", "f2", "t1"]
    assert rows[0]["judgments"] == "The reviewer criticizes Too many ponds"


def test_judgments_that_came_with_the_reviews_stay_and_the_mixture_is_told(
    run: Run, data: Path, tmp_path: Path
) -> None:
    given = {**REVIEWS[0], "judgments": "The reviewer criticizes the ponds"}
    write_lines(data / "reviews.jsonl", [given, *(dict(one) for one in REVIEWS[1:])])

    outcome = run()
    anew = run("anew", anew=True)

    assert outcome.manifest.counts["judgments given"] == 1
    assert outcome.manifest.warnings == (MIXED,)
    row = read_lines(tmp_path / "out" / "reviews.jsonl")[0]
    assert (row["judgments"], row["provenance"]) == ("The reviewer criticizes the ponds", None)
    assert anew.manifest.counts["judgments made"] == 3
    assert anew.manifest.warnings == ()


def test_a_review_without_a_judgment_is_said_to_have_none(
    run: Run, loopback: Loopback, tmp_path: Path
) -> None:
    spoil(loopback, "Too few ponds", '{"judgments": [], "no_judgment": true}')

    outcome = run()

    row = read_lines(tmp_path / "out" / "reviews.jsonl")[0]
    assert (row["state"], row["judgments"]) == ("none", None)
    assert outcome.failed == 0


def test_without_papers_or_without_the_wish_nothing_is_asked_about_papers(
    run: Run, loopback: Loopback
) -> None:
    outcome = run(with_papers=False)
    unwished = run("unwished", assw=False)
    later = run("unwished")

    assert outcome.manifest.counts["assw no-text"] == 2
    assert unwished.manifest.counts["assw not-asked"] == 2
    assert "gem_assw/v1" not in unwished.manifest.prompts
    assert later.manifest.counts["assw made"] == 2


def test_an_abstract_stays_where_the_model_failed(
    run: Run, loopback: Loopback, tmp_path: Path
) -> None:
    loopback.quirk = replies("-", "StatedReply")

    outcome = run()

    assert outcome.manifest.failures["assw"] == {"no reply fitted": 2}
    row = read_lines(tmp_path / "out" / "synopses.jsonl")[0]
    assert str(row["abstract"]).startswith("We count frogs")
    assert row["assw"] is None


def test_a_cap_stops_the_run_and_a_higher_one_goes_on(run: Run, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'source = "test"\ndate = "2026-01-01"\n[models]\n'
        '"loop" = { input = 100.0, cached = 10.0, output = 100.0, batch = 0.5 }\n'
    )

    stopped = run(max_usd=0.01, prices=prices)

    assert stopped.stopped is not None
    assert "--max-usd" in stopped.stopped
    assert not stopped.manifest.complete
    assert run(max_usd=100000.0, prices=prices).manifest.complete


def test_a_folder_made_otherwise_or_of_something_else_is_refused(
    run: Run, tmp_path: Path, data: Path
) -> None:
    run()

    with pytest.raises(RunFolderError, match=r"temperature was 0\.0 and is now 0\.5"):
        run(temperature=0.5)
    with pytest.raises(RunFolderError, match="choose another folder"):
        run("data")
    with (data / "papers.jsonl").open("a") as file:
        file.write(json.dumps({"paper_id": "newts", "text": "Newts."}) + "\n")
    with pytest.raises(RunFolderError, match=r"papers\.jsonl is another one"):
        run()


def test_an_interrupt_keeps_what_is_done_and_the_next_run_asks_only_the_rest(
    run: Run, loopback: Loopback
) -> None:
    loopback.interrupt_at(1)

    first = run(max_connections=1)
    second = run(max_connections=1)

    assert first.interrupted
    assert not first.manifest.complete
    assert first.new < 5
    assert second.manifest.complete
    assert first.new + second.new == 5
    assert max(loopback.served.values()) == 1


def test_people_or_programs_can_answer_through_a_folder(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "exchange"

    waiting = run(model=f"exchange:{folder}")
    answered = answer(folder)
    done = run(model=f"exchange:{folder}")

    assert waiting.stopped is not None
    assert answered == 5
    assert done.manifest.complete
    assert done.manifest.counts == {"judgments made": 3, "assw made": 2}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (InputError("is no PDF", file="frogs.pdf"), "the paper cannot be read"),
        (ZeroDivisionError("a bug"), "unexpected error"),
    ],
)
def test_whatever_goes_wrong_with_one_paper_is_counted_and_the_others_go_on(
    data: Path, tmp_path: Path, loopback: Loopback, error: Exception, kind: str
) -> None:
    def broken() -> Paper:
        raise error

    handle = PaperHandle("frogs", None, 1, broken)
    (data / "papers.jsonl").unlink()
    settings = Settings(model="openai/loop", base_url=loopback.url, cache_dir=tmp_path / "ledger")

    outcome = prepare(
        read_materials(data), Collection({"frogs": handle}, []), tmp_path / "out", settings
    )

    assert outcome.manifest.failures["assw"] == {kind: 1}
    assert read_lines(tmp_path / "out" / "synopses.jsonl")[0]["abstract"] is None
    assert outcome.manifest.counts["judgments made"] == 3


def test_the_embedded_judge_cannot_write(run: Run) -> None:
    with pytest.raises(SettingsError, match="--model"):
        run(model="lexical")


def reply(*rests: str, stance: str = "criticizes", none: bool = False) -> JudgmentsReply:
    made = [Judgment.model_validate({"stance": stance, "rest": one}) for one in rests]
    return JudgmentsReply(judgments=made, no_judgment=none)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (reply(), "must be empty"),
        (reply("the proof", none=True), "must be empty"),
        (reply(*["the proof"] * (MOST + 1)), "at most"),
        (reply(" . "), "no words"),
        (reply("x" * (LONGEST_LINE + 1)), "characters"),
        (reply("the proof\nthe data"), "several lines"),
        (reply("The reviewer criticizes the proof"), "repeats the beginning"),
        (reply("criticizes the proof"), "repeats the beginning"),
        (reply("the proof. The reviewer appreciates the data"), "second judgment"),
        (reply("that the rebuttal did not help"), "leave this entry out"),
        (reply("the work so that they lower their score"), "leave this entry out"),
        (reply("much and votes weak reject"), "leave this entry out"),
    ],
)
def test_judgments_that_cannot_be_scored_are_refused(bad: JudgmentsReply, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_judgments(bad)


@pytest.mark.parametrize(
    "rest", ["the rejection sampling", "the score function", "questions of privacy left open"]
)
def test_words_of_the_field_are_no_verdict(rest: str) -> None:
    check_judgments(reply(rest))


def test_judgments_are_lines_without_full_stops() -> None:
    made = reply("the  proof.", "the data", stance="questions")

    check_judgments(made)

    assert (
        judgment_lines(made) == "The reviewer questions the proof\nThe reviewer questions the data"
    )


@pytest.mark.parametrize("points", [[" "], ["one\ntwo"], ["x" * 401], ["x"] * (MOST + 1)])
def test_points_that_are_no_lines_are_refused(points: list[str]) -> None:
    with pytest.raises(ValueError, match="weaknesses"):
        check_stated(StatedReply(strengths=[], weaknesses=points))


def test_a_paper_that_states_nothing_has_no_lines() -> None:
    assert stated_lines(StatedReply(strengths=[], weaknesses=[])) == ""
    assert stated_lines(StatedReply(strengths=[], weaknesses=["Slow."])) == (
        "Weaknesses that the authors state:\n- Slow."
    )


def test_a_prompt_that_was_never_asked_decides_nothing_and_one_that_was_is_named(
    run: Run, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(ROOT / "prompts", tmp_path / "prompts"))
    first = run(assw=False, prompts_dir=folder).manifest
    for name in ("gem_assw/v1", "gem_review/v1"):
        change(folder, name)

    later = run(prompts_dir=folder).manifest
    run(assw=False, prompts_dir=folder)  # asks less, which changes nothing of what is there

    assert not {"prompt gem_assw/v1", "prompt paper/v2"} & first.decisive.keys()
    assert {"gem_assw/v1", "paper/v2"} < later.prompts.keys()
    change(folder, "gem_assw/v1")
    with pytest.raises(RunFolderError, match="prompt gem_assw/v1 has changed"):
        run(prompts_dir=folder)


def test_a_folder_of_an_early_version_goes_on_and_names_both(run: Run, tmp_path: Path) -> None:
    run()
    made_early(tmp_path, "method asking", "structured")

    account = run().manifest

    assert account.reviewscore_versions == ("0.0.9", __version__)
    with pytest.raises(RunFolderError, match="structured was 'auto' and is now 'text'"):
        run(structured="text")


def test_a_folder_of_a_version_that_read_papers_otherwise_is_not_continued(
    run: Run, tmp_path: Path
) -> None:
    run()
    made_early(tmp_path, "method reading")  # the first reading of papers had no number

    with pytest.raises(RunFolderError, match="method reading was 1 and is now"):
        run()


def made_early(folder: Path, *names: str) -> None:
    """Write the account as a version did that knew nothing of these."""
    file = folder / "out" / "prepare.json"
    early = json.loads(file.read_text())
    for name in names:
        del early["decisive"][name]
    del early["reviewscore_versions"]
    early["reviewscore_version"] = "0.0.9"
    file.write_text(json.dumps(early))


def change(folder: Path, name: str) -> None:
    """Other words in a prompt."""
    file = folder / f"{name}.md"
    file.write_text(file.read_text() + "\nBe brief.\n")
    prompts._load.cache_clear()  # it is another process that finds it changed
