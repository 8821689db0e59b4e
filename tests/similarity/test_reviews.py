"""How near the reviewers of a run are to its papers: computed, and shown in its report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from reviewscore.errors import RunFolderError
from reviewscore.report.similarity import HONEST, Nearness, similarity_lines
from reviewscore.runs.folder import SIMILARITY, read_manifest, read_points
from reviewscore.schema.review import Review
from reviewscore.schema.similarity import SimilarityDigest
from reviewscore.similarity.affinity import Library, Recipe, recipe
from reviewscore.similarity.corpus import ONLY, Corpus, Publication
from reviewscore.similarity.digest import ALONE, NAMELESS, NO_PROFILE, digest
from tests.commands import Invoke, invoker
from tests.similarity.invented import TEXTS, corpus, write_corpus, write_jsonl

BODY = "We count frogs in ponds. We compare with no baseline. The threshold is fixed. " * 20
HOSTILE = "<script>alert(1)</script>"


def review(name: str, reviewer: str | None, paper: str = "frogs") -> Review:
    return Review(review_id=name, paper_id=paper, reviewer=reviewer, fields={"text": "Good."})


def paper(name: str, title: str = "", abstract: str = "") -> Publication:
    return Publication(name, title, abstract)


PAPERS = {
    "frogs": paper("frogs", *TEXTS["frogs"]),
    "cakes": paper("cakes", *TEXTS["cakes"]),
    "silent": paper("silent", "?!"),
}


def found(
    reviews: Sequence[Review],
    papers: Mapping[str, Publication | str] = PAPERS,
    profiles: Corpus | None = None,
    how: Recipe | None = None,
) -> SimilarityDigest:
    return digest(profiles or corpus(submissions=()), papers, reviews, how or Recipe())


def test_a_review_gets_value_percentiles_and_nearest_papers() -> None:
    told = found([review("r", "ann"), review("s", "cyd", "cakes")])

    ann, cyd = told.reviews["r"], told.reviews["s"]
    assert ann.value is not None
    assert ann.value > 0
    assert (ann.among_reviewers, ann.among_papers) == (100.0, 100.0)
    assert [one.title for one in ann.nearest] == ["Toads at night", "Newts in ponds"]
    assert ann.nearest[0].similarity > ann.nearest[1].similarity > 0
    assert cyd.among_reviewers == pytest.approx(200 / 3)
    assert cyd.nearest == ()  # none of their papers has a word in common with cakes
    assert (told.reviewers, told.papers, told.method) == (3, 2, "tfidf")


def test_values_and_percentiles_are_those_of_the_whole_matrix() -> None:
    reviews = [review(f"{who} {one}", who, one) for who in ("ann", "bob", "cyd")
               for one in ("frogs", "cakes")]  # fmt: skip
    told = found(reviews)

    joined = corpus(submissions=("frogs", "cakes"))
    affinity = Library(joined).affinity(Recipe(), ONLY)
    matrix = affinity.matrix()
    for one in reviews:
        row = affinity.submissions.index(one.paper_id)
        column = affinity.reviewers.index(str(one.reviewer))
        here = told.reviews[one.review_id]
        assert here.value == pytest.approx(matrix[row, column], abs=1e-12)
        assert here.among_reviewers == pytest.approx(
            100 * sum(matrix[row] <= matrix[row, column]) / 3
        )
        assert here.among_papers == 50 * sum(matrix[:, column] <= matrix[row, column])


def test_who_has_no_similarity_is_told_why_and_never_0() -> None:
    profiles = corpus({"ann": ("toads",), "bob": ("bread",), "dot": ()}, submissions=())
    papers = {**PAPERS, "torn": "the paper cannot be read (is empty)"}
    told = found(
        [
            review("nameless", None), review("stranger", "eve"), review("bare", "dot"),
            review("mute", "ann", "silent"), review("torn", "ann", "torn"),
        ],
        papers,
        profiles,
    ).reviews  # fmt: skip

    assert {name: one.why for name, one in told.items()} == {
        "nameless": NAMELESS,
        "stranger": NO_PROFILE,
        "bare": "has no papers",
        "mute": "the paper has no words",
        "torn": "the paper cannot be read (is empty)",
    }
    assert {one.value for one in told.values()} == {None}


def test_a_lone_reviewer_is_compared_with_nobody() -> None:
    profiles = corpus({"ann": ("toads",)}, submissions=())

    assert found([review("r", "ann")], profiles=profiles).reviews["r"].why == ALONE
    plain = found([review("r", "ann")], profiles=profiles, how=recipe("tpms")).reviews["r"]
    assert plain.value is not None
    assert plain.among_reviewers is None


def test_nobody_with_papers_is_no_crash() -> None:
    told = found([review("r", "ann")], profiles=corpus({"ann": ()}, submissions=()))

    assert told.reviews["r"].why == "has no papers"


def test_a_paper_of_the_reviewer_s_own_is_told_by_title_or_identifier() -> None:
    profiles = corpus({"ann": ("toads", "frogs"), "bob": ("bread", "cakes")}, submissions=())
    papers = {
        "frogs": paper("frogs", "Bread and wine", "Bread rises"),  # the name alone is the same
        "x1": paper("x1", TEXTS["frogs"][0].upper(), "Frogs"),
        "cakes": paper("cakes", "", TEXTS["cakes"][1]),
    }
    told = found(
        [review("a", "ann"), review("b", "ann", "x1"), review("c", "bob", "cakes")],
        papers, profiles,
    ).reviews  # fmt: skip

    assert {name: one.own for name, one in told.items()} == {"a": False, "b": True, "c": True}


def test_all_versions_of_a_profile_count() -> None:
    plain = corpus()
    people = {"1": {"ann": ("toads",), "bob": ("bread",)}, "2": {"ann": ("newts", "toads")}}
    profiles = Corpus(plain.papers, (), people)

    assert len(found([review("r", "ann")], profiles=profiles).reviews["r"].nearest) == 2


def test_many_without_a_profile_are_counted_at_a_terminal_and_named_in_the_report() -> None:
    told = found([review(f"r{at}", f"x{at}") for at in range(7)])

    assert list(similarity_lines(told, shown=5))[-1] == (
        "without a similarity (has no profile): x0, x1, x2, x3, x4, 2 more"
    )
    assert "x6" in list(similarity_lines(told))[-1]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    write_jsonl(
        folder / "papers.jsonl",
        [{"paper_id": name, "title": TEXTS[name][0], "abstract": TEXTS[name][1], "text": BODY}
         for name in ("frogs", "cakes")],
    )  # fmt: skip
    write_jsonl(
        folder / "reviews.jsonl",
        [
            {"review_id": f"r{at}", "paper_id": "frogs", "reviewer": who,
             "sections": {"weaknesses": "- The writing is unclear and hard to follow."}}
            for at, who in enumerate(("ann", f"eve {HOSTILE}"))
        ],
    )  # fmt: skip
    return folder


@pytest.fixture
def profiles(tmp_path: Path) -> Path:
    folder = write_corpus(tmp_path / "profiles", toads={"title": f"Toads {HOSTILE}"})
    for path in (folder / "papers.jsonl",):
        path.write_text(path.read_text("utf-8").replace('"is_submission": true', '"x": 1'), "utf-8")
    return folder


def test_an_audit_with_profiles_shows_similarity_beside_each_review(
    data: Path, profiles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = invoker("audit", capsys)
    audit(data, "-o", tmp_path / "plain")
    ended = audit(data, "-o", tmp_path / "run", "--profiles", profiles)

    assert ended.exit_code == 0, ended.stderr
    assert "similarity: known for 1 of 2 reviews" in ended.stderr
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "Similarity of ann&#39;s papers to this one" in page
    assert "percentile 100 among 3 reviewers for this paper" in page
    assert '<th scope="row">80 to 100</th>' in page
    assert page.count('aria-label="1 review"') == 1
    assert "papers to this one: unknown (has no profile)" in page
    assert "<li>Toads &lt;script&gt;" in page
    assert HONEST.split(":")[0] in page
    assert "<script>alert(1)" not in page
    scores, plain = ([(one.point_id, one.base, one.advanced, one.status) for one in
                      read_points(tmp_path / name)] for name in ("run", "plain"))  # fmt: skip
    assert scores == plain


def test_a_finished_run_gets_similarities_and_loses_those_of_other_files(
    data: Path, profiles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    invoker("audit", capsys)(data, "-o", run, "-q")
    similarity, report = invoker("similarity", capsys), invoker("report", capsys)

    ended = similarity(run, "--profiles", profiles, "--method", "bm25")
    assert ended.exit_code == 0, ended.stderr
    assert "known for 1 of 2 reviews (method bm25; 3 reviewers" in ended.stdout
    assert "How near the reviewers" in report(run, "-o", "-").stdout
    assert "(method bm25" in _page(report, run)
    digest_file = run / SIMILARITY
    told = json.loads(digest_file.read_text("utf-8"))
    digest_file.write_text(json.dumps({**told, "inputs": ["0" * 64]}), "utf-8")
    page = _page(report, run)
    assert "for other files than this run was made of" in page
    assert "Similarity of ann" not in page
    digest_file.write_text("{}")
    with pytest.raises(RunFolderError, match=r"similarity .* --profiles"):
        Nearness.of(run, read_manifest(run))


def _page(report: Invoke, run: Path) -> str:
    assert report(run).exit_code == 0
    return (run / "report.html").read_text("utf-8")


def test_profiles_that_cannot_be_read_are_said_before_anything_is_judged(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = invoker("audit", capsys)
    ended = audit(data, "-o", tmp_path / "run", "--profiles", data)
    nowhere = audit(data, "-o", "-", "--profiles", data)
    vectors = invoker("similarity", capsys)("reviews", data, "--profiles", data,
                                            "--method", "embeddings")  # fmt: skip

    assert (ended.exit_code, nowhere.exit_code, vectors.exit_code) == (2, 2, 2)
    assert "has no profiles" in ended.stderr
    assert not (tmp_path / "run").exists()
    assert "-o - writes none" in nowhere.stderr


def test_archives_without_submissions_are_profiles(tmp_path: Path) -> None:
    from reviewscore.similarity.corpus import read_corpus

    archives = tmp_path / "archives"
    archives.mkdir()
    write_jsonl(archives / "ann.jsonl", [{"id": "toads", "content": {"title": "Toads"}}])

    assert read_corpus(tmp_path, submitted=False).profiles == {ONLY: {"ann": ("toads",)}}
