"""``reviewscore gem``: files, messages and exit codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import Invoke, invoker
from tests.gem.conftest import write_lines
from tests.gem.invented_reviews import papers
from tests.loopback import ANSWERS, Loopback
from tests.scoring_server import ScoringServer

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "gem"
WRITTEN: dict[str, dict[str, object]] = {
    "CompletionReply": {"sentences": ["It is so."]},
    "RephraseReply": {"passages": ["In other words."]},
    "OneLineReply": {"strengths": "a clear aim", "weaknesses": "few data"},
    "AbstractReviewReply": {
        "summary_of_the_paper": "On frogs.",
        "strengths": ["A new pond.", "A count.", "A night.", "A map."],
        "weaknesses": ["Few ponds.", "One night.", "No toads.", "No map."],
        "questions": ["Why frogs?"],
        "clarity_quality_novelty_and_reproducibility": "Clear.",
        "summary_of_the_review": "Fair.",
        "judgments": ["The reviewer appreciates the count.", "The reviewer questions the pond."],
    },
    "ExaminerReply": {
        "understanding": "Good.",
        "coverage": "Fair.",
        "substantiation": "Weak.",
        "constructiveness": "Good.",
        "overall_assessment": "Fair.",
        "overall_score": 6,
    },
}


@pytest.fixture
def gem(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("gem", capsys)


@pytest.fixture
def server() -> Iterator[ScoringServer]:
    started = ScoringServer().start()
    yield started
    started.stop()


def few(folder: Path, many: int, *, seed: int = 0) -> Path:
    """A file of invented papers with three people's judgments each."""
    write_lines(
        folder / "reviews.jsonl",
        [
            {"paper_id": f"s{seed}p{n}", "reviewer": place, "text": text, "judgments": text}
            for n, group in enumerate(papers(many, seed=seed))
            for place, text in enumerate(group, 1)
        ],
    )
    return folder / "reviews.jsonl"


def test_the_example_is_scored_ranked_and_drawn_in_one_command(gem: Invoke, tmp_path: Path) -> None:
    sizes = tmp_path / "sizes.csv"
    sizes.write_text("system,parameters_billions\ncareful-writer,70\n")

    ended = gem(EXAMPLE, "-o", tmp_path / "out", "--sizes", sizes, "--resamples", 100)

    assert ended.exit_code == 0, ended.stderr
    assert "| careful-writer |" in ended.stdout
    assert "no paper is scored by a model that has seen it" in ended.stdout
    assert "cannot be compared with those of neural models" in ended.stdout
    assert "fewer than 100" in ended.stderr
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "gem.md", "gem.json", "scores.jsonl", "tables", "gem-by-size.svg", "gem-by-size.png",
    }  # fmt: skip
    numbers = json.loads((tmp_path / "out" / "gem.json").read_text("utf-8"))
    means = {row["system"]: row["GEM"]["value"] for row in numbers["tables"]["gem-means"]}
    assert means["careful-writer"] > means["people"] > means["generic-writer"]


def test_estimates_are_printed_as_json(gem: Invoke) -> None:
    ended = gem("score", EXAMPLE, "--variant", "gem", "--resamples", 100, "--json")

    assert json.loads(ended.stdout)["tables"]["gem-means"][0]["GEM"]["n"] == 12


def test_a_background_is_primed_used_and_never_scored(gem: Invoke, tmp_path: Path) -> None:
    scored, other = few(tmp_path / "a", 8), few(tmp_path / "b", 12, seed=1)
    file = tmp_path / "background.npz"

    primed = gem("prime", other, "-o", file)
    by_file = gem(scored, "--background", file, "--variant", "gem", "--resamples", 100)
    by_reviews = gem(scored, "--background", other, "--variant", "gem", "--resamples", 100)
    none = gem(other, "--background", file, "--variant", "gem")

    assert "36 reviews of 12 papers (judgments)" in primed.stdout
    tables = [told.stdout.split("## ")[1] for told in (by_file, by_reviews)]
    assert tables[0] == tables[1]
    assert none.exit_code == 2
    assert "36 whose paper is in the background" in none.stderr


def test_few_papers_are_refused_where_that_is_wanted(gem: Invoke) -> None:
    ended = gem(EXAMPLE, "--strict")

    assert ended.exit_code == 2
    assert "fewer than 100" in ended.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--model", "lexical-cash"], "did you mean 'lexical-cache'"),
        (["--model", "server/x"], "give --base-url"),
        (["--model", "hf/x", "--background", "b.npz"], "--background is for lexical-cache"),
        (["--variant", "gem-s-assw"], "no texts for GEM-S (ASSW)"),
        (["--background", "none.npz"], "no such file"),
        (["--system", "name"], "write NAME=FILE"),
        (["--system", "=x.jsonl"], "write NAME=FILE"),
        (["--system", "people=x.jsonl"], "name it otherwise"),
        (["--system", "x=a.jsonl", "--system", "x=b.jsonl"], "'x' is there twice"),
        (["--candidate", "99"], "no reviewer is called '99'"),
    ],
)
def test_what_cannot_be_is_said_with_a_cure(gem: Invoke, words: list[str], says: str) -> None:
    ended = gem(EXAMPLE, *words)

    assert ended.exit_code == 2
    assert says in ended.stderr


@pytest.mark.parametrize(
    ("verb", "option", "says"),
    [
        ("score", "--sizes", "none.csv"),
        ("score", "--benchmarks", "none.csv"),
        ("score", "-o", "no folder of `gem`"),
        ("validate", "-o", "no folder of `gem`"),
    ],
)
def test_files_and_folders_are_looked_at_before_anything_is_scored(
    gem: Invoke, tmp_path: Path, verb: str, option: str, says: str
) -> None:
    (tmp_path / "mine.txt").write_text("x")

    ended = gem(verb, EXAMPLE, option, tmp_path if option == "-o" else tmp_path / "none.csv")

    assert ended.exit_code == 2
    assert says in ended.stderr
    assert "fewer than 100" not in ended.stderr


def test_without_judgments_only_what_was_written_is_scored(gem: Invoke, tmp_path: Path) -> None:
    records = [
        {"paper_id": f"p{n}", "reviewer": place, "text": text}
        for n, group in enumerate(papers(10))
        for place, text in enumerate(group)
    ]
    write_lines(tmp_path / "reviews.jsonl", records)

    ended = gem(tmp_path, "--resamples", 100)

    assert "GEM-raw alone" in ended.stderr
    assert "| system" in ended.stdout


def test_metrics_are_validated_and_tabled(gem: Invoke, tmp_path: Path) -> None:
    scored, other = few(tmp_path / "a", 12), few(tmp_path / "b", 30, seed=1)

    ended = gem(
        "validate", scored, "--background", other, "--baseline", "bleu", "--baseline", "rouge-l",
        "--baseline", "compression", "--resamples", 100, "-o", tmp_path / "out",
    )  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    for name in ("GEM", "BLEU", "ROUGE-L", "compression"):
        assert f"| {name} " in ended.stdout
    assert "stance flip" in ended.stdout
    assert "12 of the data's 12 papers are used" in ended.stdout
    assert (tmp_path / "out" / "tables" / "gem-validation-numbers.csv").is_file()
    for words, says in (
        (["--baseline", "bertscore"], "needs a model"),
        (["--baseline", "blue"], "unknown baseline"),
        (["--form", "raw", "--limit", "2", "--candidate", "7"], "no reviewer is called '7'"),
    ):
        refused = gem("validate", scored, "--background", other, *words)
        assert refused.exit_code == 2
        assert says in refused.stderr


def test_a_writer_alters_reviews_too_and_a_graded_examiner_reads_papers(
    gem: Invoke, data: Path, tmp_path: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", loopback.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for name, reply in WRITTEN.items():
        monkeypatch.setitem(ANSWERS, name, lambda _, reply=reply: reply)
    reviews = [
        {"paper_id": paper, "reviewer": n, "text": text, "judgments": text}
        for paper, group in zip(("frogs", "toads"), papers(2), strict=True)
        for n, text in enumerate(group)
    ]
    write_lines(data / "reviews.jsonl", reviews)
    other = few(tmp_path / "b", 12, seed=1)

    ended = gem(
        "validate", data, "--background", other, "--baseline", "examiner=openai/any",
        "--writer", "openai/any", "--resamples", 100,
    )  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    assert "4 alterations by openai/any" in ended.stderr
    assert "| examiner" in ended.stdout
    # A reply with another number of texts than was asked for is no alteration, and is counted.
    assert "texts were asked for" in ended.stdout
    assert "abstract-only review" in ended.stdout


def test_a_server_with_log_probabilities_is_an_evaluation_model(
    gem: Invoke, tmp_path: Path, server: ScoringServer
) -> None:
    words = (few(tmp_path / "a", 3), "--model", "server/tiny", "--base-url", server.url)

    first = gem(*words, "--variant", "gem", "--resamples", 100, "-o", tmp_path / "one")
    asked = len(server.scored())
    again = gem(*words, "--variant", "gem", "--resamples", 100, "-o", tmp_path / "two")

    assert first.exit_code == 0, first.stderr
    assert "evaluation model: server/tiny" in first.stdout
    assert "lexical" not in first.stdout
    assert again.stdout == first.stdout
    # The second run asks for the self-check alone: what was computed is in the ledger.
    assert 0 < len(server.scored()) - asked < asked / 2
    compared = gem("compare", tmp_path / "one", tmp_path / "two")
    assert "Spearman" in compared.stdout


def test_pairs_for_fine_tuning_are_written(gem: Invoke, tmp_path: Path) -> None:
    ended = gem("export-pairs", EXAMPLE, "-o", tmp_path / "pairs.jsonl", "--chat")

    assert ended.exit_code == 0
    assert "108 for GEM, 108 for GEM-S, of 12 papers" in ended.stdout
    lines = (tmp_path / "pairs.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 216
    assert [turn["role"] for turn in json.loads(lines[0])["messages"]][-1] == "assistant"


def test_reviews_are_generated_prepared_and_scored(
    gem: Invoke, data: Path, tmp_path: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    address = ("--base-url", loopback.url)
    made, ready = tmp_path / "made", tmp_path / "ready"

    priced = gem("generate", data, "-o", made, "--model", "openai/gpt-4o", "--dry-run")
    assert "2 calls: gem_review 2" in priced.stdout
    assert not made.exists()
    generated = gem("generate", data, "-o", made, "--model", "openai/any", *address)
    assert generated.exit_code == 0, generated.stderr
    asked = []
    for _ in range(2):
        prepared = gem(
            "prepare", data, "-o", ready, "--model", "openai/any", *address,
            "--system", f"any={made / 'reviews.jsonl'}",
        )  # fmt: skip
        assert prepared.exit_code == 0, prepared.stderr
        asked.append(len(loopback.bodies))
    assert asked[0] == asked[1]
    scored = gem(ready, "--background", few(tmp_path / "b", 12, seed=1), "--resamples", 100)
    assert scored.exit_code == 0, scored.stderr
    assert "| openai/any |" not in scored.stdout
    assert "| any " in scored.stdout


def test_help_shows_what_there_is(gem: Invoke) -> None:
    told = gem("--help").stdout

    for name in ("score", "validate", "compare", "prepare", "generate", "export-pairs", "prime"):
        assert name in told
        assert gem(name, "--help").stdout.startswith("Usage:")
    assert gem("validat").exit_code == 2


@pytest.mark.parametrize("name", ["gem.md", "scores.jsonl", "tables"])
def test_results_are_written_through_no_link_that_lies_in_their_folder(
    gem: Invoke, tmp_path: Path, name: str
) -> None:
    out, outside = tmp_path / "out", tmp_path / "outside"
    out.mkdir()
    (out / "gem.json").write_text("{}")  # a folder of this verb
    outside.mkdir() if name == "tables" else outside.write_text("mine")
    (out / name).symlink_to(outside)

    ended = gem(EXAMPLE, "-o", out, "--resamples", 100, "--variant", "gem")

    assert ended.exit_code == 2
    assert f"{out / name} is a link" in ended.stderr
    assert outside.is_dir() or outside.read_text() == "mine"
    assert not (outside.is_dir() and list(outside.iterdir()))
