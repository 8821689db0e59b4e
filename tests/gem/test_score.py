"""Scores of systems: backgrounds that never see what they score, means, intervals, files."""

from __future__ import annotations

import gc
import json
import tracemalloc
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from reviewscore.errors import InputError, RunFolderError
from reviewscore.gem.backgrounds import (
    FOLDS,
    Background,
    CrossFitted,
    KnownPapers,
    OneModel,
    Primed,
    Primer,
)
from reviewscore.gem.evaluation import LogProbability, Question
from reviewscore.gem.lexical.model import LexicalCache, paper_key, save
from reviewscore.gem.lexical.prime import prime
from reviewscore.gem.ranking import score_tables
from reviewscore.gem.score import GEM, GEM_RAW, IN_BACKGROUND, UNSCORED, score_systems, write_scores
from reviewscore.gem.trial import subjects_of
from reviewscore.sources.system_reviews import (
    PEOPLE,
    Materials,
    SystemReview,
    TextForm,
    read_materials,
)
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.tables import as_csv, markdown
from reviewscore.stats.writing import Setup, hashes, page, write_tables
from tests.gem.invented_reviews import papers

FEW = Resampling(resamples=100)
SETUP = Setup(
    "gem",
    "Title",
    "evaluation model",
    "model",
    {"seed": 0},
    {"reviews.jsonl": "0" * 64},
    ["a note"],
)


def materials(many: int = 30, *, seed: int = 0, prefix: str = "p") -> Materials:
    """Invented papers with three people's judgments each."""
    found = {}
    for number, group in enumerate(papers(many, seed=seed)):
        found[f"{prefix}{number}"] = people(f"{prefix}{number}", *group)
    return Materials(found, {})


def with_system(given: Materials, name: str, texts: dict[str, str]) -> Materials:
    found = {
        paper: [
            *group,
            SystemReview(paper, f"{paper}/{name}", None, name, texts[paper], texts[paper]),
        ]
        for paper, group in given.papers.items()
        if paper in texts
    }
    return replace(given, papers={**given.papers, **found})


def people(paper: str, *texts: str) -> list[SystemReview]:
    """One person's review each."""
    return [
        SystemReview(paper, f"{paper}/{n}", str(n), PEOPLE, text, text)
        for n, text in enumerate(texts, 1)
    ]


class Letters:
    """Every letter that was not read costs a nat; what has an exclamation mark cannot be scored."""

    name = "letters"

    def answers(self, questions: list[Question]) -> list[LogProbability]:
        out = []
        for one in questions:
            if "!" in one.reference:
                out.append(LogProbability(None, 3, "too long"))
            else:
                known = set(one.candidate or "")
                out.append(LogProbability(-float(sum(c not in known for c in one.reference)), 1))
        return out


def quiet(_: str) -> None:
    return None


def test_no_fold_learns_from_the_papers_it_scores(tmp_path: Path) -> None:
    given = materials()
    fitted = CrossFitted(given, Primer(tmp_path, say=quiet))

    groups = {paper: fitted.group(paper) for paper in given.papers}

    assert set(groups.values()) == set(range(FOLDS))
    for fold in range(FOLDS):
        seen = fitted.model(TextForm.JUDGMENTS, fold).state.papers  # type: ignore[attr-defined]
        own = {paper_key(paper) for paper, group in groups.items() if group == fold}
        assert not seen & own
        assert len(seen) + len(own) == len(given.papers)


def test_a_papers_fold_does_not_depend_on_the_order_of_the_file(tmp_path: Path) -> None:
    given = materials()
    turned = replace(given, papers=dict(reversed(given.papers.items())))
    primer = Primer(tmp_path, say=quiet)

    first, second = CrossFitted(given, primer), CrossFitted(turned, primer)

    assert all(first.group(paper) == second.group(paper) for paper in given.papers)


def test_a_model_is_primed_once_and_again_when_its_file_is_spoilt(tmp_path: Path) -> None:
    told: list[str] = []
    primer = Primer(tmp_path, say=told.append)
    known = KnownPapers(materials(), TextForm.JUDGMENTS)

    first = primer.primed(known)
    file = next(tmp_path.iterdir())
    again = primer.primed(known)
    file.write_bytes(b"spoilt")
    mended = primer.primed(known)

    question = [Question(*next(iter(known)).reviews[:2])]
    assert again.answers(question) == mended.answers(question)
    assert first.answers(question)[0].tokens == again.answers(question)[0].tokens
    assert sum("priming on" in line for line in told) == 1
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_few_papers_are_warned_of_once_and_refused_where_that_is_wanted(tmp_path: Path) -> None:
    told: list[str] = []
    primer = Primer(None, say=told.append)
    known = KnownPapers(materials(), TextForm.JUDGMENTS)

    primer.primed(known)
    primer.primed(known)

    assert len([line for line in told if line.startswith("warning: 30 papers")]) == 1
    with pytest.raises(InputError, match="fewer than 100"):
        Primer(None, strict=True, say=quiet).primed(known)


def test_papers_that_are_scored_are_taken_out_of_a_background() -> None:
    scored, background = materials(20), materials(40)
    found = Background(background, Primer(None, say=quiet), scored)

    assert found.left_out == 20
    model = found.model(TextForm.JUDGMENTS, 0)
    assert not model.state.papers & {paper_key(one) for one in scored.papers}  # type: ignore[attr-defined]
    assert "20 papers, none of which is scored" in found.notes()[0]


def test_a_paper_that_is_scored_is_known_by_its_reviews_under_another_name_too() -> None:
    scored = materials(20)
    renamed = {f"other/{name}": group for name, group in scored.papers.items()}
    background = replace(scored, papers={**materials(20, seed=7).papers, **renamed})

    found = Background(background, Primer(None, say=quiet), scored)

    assert found.left_out >= 20
    assert not {name for name in found.papers if name.startswith("other/")}


def test_files_are_named_by_path_where_two_have_one_name(tmp_path: Path) -> None:
    files = [tmp_path / place / name for place, name in (("a", "x"), ("b", "x"), ("a", "y"))]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(str(file))

    assert list(hashes([*files, files[0]])) == [str(files[0]), str(files[1]), "y"]


def test_papers_of_a_primed_file_are_not_scored_by_it(tmp_path: Path) -> None:
    given = materials(30)
    known = KnownPapers(given, TextForm.JUDGMENTS, [f"p{n}" for n in range(25)])
    save(Primer(None, say=quiet).primed(known).state, tmp_path / "b.npz")

    scores = score_systems(given, [GEM], Primed(tmp_path / "b.npz", Primer(None, say=quiet)))[0]

    assert {one.paper_id for one in scores.candidates} == {f"p{n}" for n in range(25, 30)}
    assert scores.dropped[PEOPLE] == {IN_BACKGROUND: 75}
    with pytest.raises(InputError, match="primed on judgments, and raw"):
        score_systems(given, [GEM_RAW], Primed(tmp_path / "b.npz", Primer(None, say=quiet)))


def test_a_primed_file_of_few_papers_is_warned_of_or_refused_too(tmp_path: Path) -> None:
    given, file, told = materials(), tmp_path / "b.npz", list[str]()
    save(prime(KnownPapers(given, TextForm.JUDGMENTS)), file)

    Primed(file, Primer(None, say=told.append))

    assert told[0].startswith("warning: 30 papers")
    with pytest.raises(InputError, match="fewer than 100") as error:
        Primed(file, Primer(None, strict=True, say=quiet))
    assert error.value.file == file


def test_one_review_by_each_reviewer_teaches() -> None:
    twice = [SystemReview("p", f"p/{n}", "1", PEOPLE, "", f"text {n}") for n in range(2)]
    other = [SystemReview("p", f"p/{n}", None, PEOPLE, "", f"text {n}") for n in (2, 3)]

    (found,) = KnownPapers(Materials({"p": [*twice, *other]}, {}), TextForm.JUDGMENTS, ["p"])

    assert found.reviews == ["text 0", "text 2", "text 3"]


def test_a_validation_puts_no_review_that_the_model_has_learned_from_in_anothers_place(
    tmp_path: Path,
) -> None:
    given, file = materials(30), tmp_path / "b.npz"
    save(prime(KnownPapers(given, TextForm.JUDGMENTS, [f"p{n}" for n in range(25)])), file)

    subjects = subjects_of(given, GEM, Primed(file, Primer(None, say=quiet)))

    assert [one.case.paper_id for one in subjects] == [f"p{n}" for n in range(25, 30)]
    fitted = CrossFitted(given, Primer(None, say=quiet))
    assert {fitted.group(one.case.paper_id) for one in subjects_of(given, GEM, fitted)} == {0}


def test_a_score_is_the_mean_over_references_and_a_systems_over_papers() -> None:
    given = Materials({"p": people("p", "ab", "bc", "cd")}, {})

    scores = score_systems(given, [GEM], OneModel(Letters()))[0]

    # Of "bc" the candidate "ab" tells one letter, of "cd" none.
    by_name = {one.review_id: one.nats for one in scores.candidates}
    assert by_name == {"p/1": 0.5, "p/2": 1.0, "p/3": 0.5}
    assert scores.by_paper(PEOPLE) == {"p": pytest.approx(2 / 3)}


def test_a_reference_that_cannot_be_scored_is_left_out_with_its_reason() -> None:
    given = Materials({"p": people("p", "ab", "b!", "b"), "q": people("q", "a", "!!")}, {})

    scores = score_systems(given, [GEM], OneModel(Letters()))[0]

    first, *_ = scores.candidates
    assert first.nats == 1.0
    assert [(told.nats, told.reason) for _, told in first.references] == [
        (None, "too long"),
        (1.0, ""),
    ]
    assert scores.dropped[PEOPLE] == {UNSCORED: 1}


def test_means_of_systems_have_intervals_and_differences_to_people_are_paired() -> None:
    given = materials(12)
    copied = {paper: group[0].judgments for paper, group in given.papers.items()}
    given = with_system(given, "copier", dict(list(copied.items())[:10]))

    scores = score_systems(given, [GEM], OneModel(Letters()))
    means, differences = score_tables(scores, FEW)

    assert [row[0] for row in means.rows] == [PEOPLE, "copier"]
    people, copier = (row[1].answer for row in means.rows)  # type: ignore[union-attr]
    assert (people.n, copier.n) == (12, 10)
    assert people.low < people.value < people.high
    assert differences.rows[0][1].answer.n == 10  # type: ignore[union-attr]
    assert 0 < differences.rows[0][1].answer.p <= 1  # type: ignore[union-attr]
    assert "copier" in markdown(means)
    assert as_csv(means).count("\n") == 3


def test_names_are_no_markup_and_reviews_that_were_left_out_are_no_papers() -> None:
    given = materials(12)
    name = "| <b>bold</b>\n# heading"
    given = with_system(given, name, {"p0": "", "p1": "a", "p2": "b"})

    text = page(score_tables(score_systems(given, [GEM], OneModel(Letters())), FEW), SETUP)

    assert "<b>" not in text
    assert not any(line.startswith("# heading") for line in text.splitlines())
    assert "- Left out: 1 reviews without text in this form (" in text


def test_without_any_score_there_is_no_table() -> None:
    alone = Materials({"p": people("p", "a")}, {})

    assert score_tables(score_systems(alone, [GEM], OneModel(Letters())), FEW) == []


class Constant:
    """Every text costs as much as it has characters."""

    name = "constant"

    def answers(self, questions: list[Question]) -> list[LogProbability]:
        return [LogProbability(-float(len(one.reference)), 1) for one in questions]


def peak_of_scoring(many: int, folder: Path) -> tuple[int, int]:
    """Bytes at the peak while so many papers from a file are scored, and those of its texts."""
    rows, size = [], 0
    for number, group in enumerate(papers(many)):
        for n, text in enumerate(group):
            long = " ".join([text] * 30)
            size += len(long)
            rows.append({"paper_id": f"p{number}", "reviewer": n, "review": long})
    file = folder / f"{many}.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    given = read_materials(file)
    tracemalloc.start()
    scores = score_systems(given, [GEM_RAW], OneModel(Constant()))
    assert len(scores[0].papers()) == many
    write_scores(scores, folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, size


def test_scoring_holds_the_texts_of_some_papers_alone(tmp_path: Path) -> None:
    few, some = peak_of_scoring(60, tmp_path)
    many, all_of_them = peak_of_scoring(240, tmp_path)

    assert many - few < (all_of_them - some) / 4


class Watched(Letters):
    """Notes how much is asked at once."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def answers(self, questions: list[Question]) -> list[LogProbability]:
        self.asked.append([one.reference for one in questions if one.candidate is None])
        return super().answers(questions)


def test_no_paper_is_parted_and_scores_keep_the_order_of_the_file() -> None:
    given = materials(100)
    fitted = Watched()

    scores = score_systems(given, [GEM], OneModel(fitted))[0]

    assert len(fitted.asked) == 3
    assert [len(some) for some in fitted.asked] == [129, 129, 42]
    order = [one.review_id for group in given.papers.values() for one in group]
    assert [one.review_id for one in scores.candidates] == order
    assert scores.papers() == set(given.papers)


def test_a_model_goes_with_the_texts_it_has_read() -> None:
    model = LexicalCache(prime(KnownPapers(materials(), TextForm.RAW)))
    model.answers([Question("the graph is clear", "a graph of nodes")])
    gone = weakref.ref(model)

    gc.disable()
    try:
        del model
        assert gone() is None
    finally:
        gc.enable()


def test_everything_is_written_into_a_folder_of_its_own(tmp_path: Path) -> None:
    scores = score_systems(materials(12), [GEM, GEM_RAW], OneModel(Letters()))
    found = score_tables(scores, FEW)

    written = write_tables(found, SETUP, tmp_path / "out")
    lines = write_scores(scores, tmp_path / "out").read_text("utf-8").splitlines()

    assert written[0].read_text("utf-8").startswith("# Title")
    numbers = json.loads((tmp_path / "out" / "gem.json").read_text("utf-8"))
    assert numbers["settings"] == {"seed": 0}
    assert set(numbers["tables"]["gem-means"][0]) == {"system", "GEM", "GEM-raw"}
    assert len(lines) == 2 * 36
    record = json.loads(lines[0])
    assert record["variant"] == "GEM"
    assert len(record["references"]) == 2
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("x")
    with pytest.raises(RunFolderError, match="no folder of `gem`"):
        write_tables(found, SETUP, tmp_path / "other")
    assert write_tables(found, SETUP, tmp_path / "other", allow_foreign=True)
