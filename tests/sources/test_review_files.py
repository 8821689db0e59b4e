"""Files of single reviews: all that are given are read or named in an error."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.runs.input_data import data_again
from reviewscore.sources.collection import Collection, read_collection, single
from reviewscore.sources.reviews import holds_paper, review_names
from tests.conftest import PAPER
from tests.growth import LINEAR, growth, timed

TEXT = "Weaknesses\n- There is no ablation study.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "paper.txt").write_text(PAPER)
    for name in ("ada/review.txt", "bob/review.txt", "bob/second.md", "bob/two.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(TEXT if "json" not in name else '{"text": "- No proof."}')
    return tmp_path


def ids(found: Collection) -> list[str]:
    return [review.review_id for review in found.reviews]


def test_several_files_and_folders_are_read_each_once(folder: Path) -> None:
    given = [folder / "ada" / "review.txt", folder / "bob", folder / "bob" / "second.md"]

    found = single(folder / "paper.txt", given)

    assert ids(found) == ["ada/review", "bob/review", "second", "two"]
    assert found.unread == []
    assert found.warnings == [f"{given[2]}: is given twice and read once"]
    assert found.pair is not None
    assert len(found.pair) == len(found.files) == 5


def test_one_file_keeps_the_name_it_had(folder: Path) -> None:
    assert ids(single(folder / "paper.txt", folder / "ada" / "review.txt")) == ["review"]


def test_each_file_that_cannot_be_used_is_named(folder: Path) -> None:
    bob = folder / "bob"
    (bob / "empty.txt").touch()
    (bob / "latin.txt").write_bytes(b"\xff\xfe\xff")
    (bob / "review.odt").write_text("x")
    (bob / ".DS_Store").touch()
    (bob / "deeper").mkdir()
    (bob / "third.json").write_text('{"review_id": "second", "text": "- No proof."}')
    (bob / "half.jsonl").write_text('{"review_id": "a", "text": "- No proof."}\n{"review_id')
    given = [bob, folder / "gone.txt", folder / "paper.txt"]

    found = single(folder / "paper.txt", given)

    assert ids(found) == ["review", "second", "two"]
    failed = {Path(str(fault.file)).name for fault in found.unread}
    assert failed == {
        *("empty.txt", "latin.txt", "review.odt", "deeper", "third.json", "half.jsonl"),
        *("gone.txt", "paper.txt"),
    }
    assert any(".DS_Store" in warning for warning in found.warnings)


def test_the_paper_may_lie_among_its_reviews(folder: Path) -> None:
    (folder / "bob" / "paper.txt").write_text(PAPER)

    found = single(folder / "bob" / "paper.txt", folder / "bob")

    assert ids(found) == ["review", "second", "two"]
    assert found.unread == []


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_paper_in_other_formats_is_no_review_of_itself(tmp_path: Path) -> None:
    for name in ("paper.pdf", "paper.txt", "reviews/R1.txt"):
        (tmp_path / Path(name).name).write_bytes((EXAMPLES / name).read_bytes())
    (tmp_path / "submission.md").write_bytes((EXAMPLES / "paper.txt").read_bytes())
    record = {"title": "A paper", "text": (EXAMPLES / "paper.txt").read_text("utf-8")}
    (tmp_path / "record.json").write_text(json.dumps(record))
    for ending in ("docx", "tex", "json"):
        (tmp_path / f"paper.{ending}").write_text("{}")

    found = single(tmp_path / "paper.pdf", tmp_path)

    assert ids(found) == ["R1"]
    named = {f"paper.{ending}" for ending in ("docx", "tex", "json", "txt")}
    assert named == {Path(one.split(": ")[0]).name for one in found.warnings if "left out" in one}
    assert {Path(str(one.file)).name for one in found.unread} == {"submission.md", "record.json"}
    assert all("text of the paper" in one.problem for one in found.unread)


def test_a_review_that_quotes_the_paper_is_a_review() -> None:
    paper = (EXAMPLES / "paper.txt").read_text("utf-8")
    review = (EXAMPLES / "reviews" / "R2.txt").read_text("utf-8")

    assert not holds_paper(review + paper[: len(paper) // 5], paper)
    assert holds_paper(paper[: len(paper) // 2], paper)
    assert not holds_paper("", "")


def test_a_response_goes_with_its_review(folder: Path) -> None:
    bob = folder / "bob"
    (bob / "second.response.txt").write_text("We added one.\n")
    (bob / "two.Response.md").write_text("It is in the appendix.")

    found = single(folder / "paper.txt", bob)

    assert ids(found) == ["review", "second", "two"]
    said = [review.author_response for review in found.reviews]
    assert said == [None, "We added one.", "It is in the appendix."]
    assert found.unread == []
    assert bob / "second.response.txt" in found.files
    assert found.pair is not None
    again = single(found.pair[0], found.pair[1:])
    assert [review.author_response for review in again.reviews] == said


def test_a_response_that_is_not_named_with_its_review_is_left_out_with_a_warning(
    folder: Path,
) -> None:
    review, response = folder / "bob" / "second.txt", folder / "bob" / "second.response.txt"
    review.write_text("There is no ablation study of the loss.")
    response.write_text("We added one.")

    alone = single(folder / "paper.txt", review)
    named = single(folder / "paper.txt", [review, response])

    assert [one.author_response for one in alone.reviews] == [None]
    assert [warning for warning in alone.warnings if str(response) in warning]
    assert [one.author_response for one in named.reviews] == ["We added one."]
    assert named.warnings == []


def test_a_response_without_one_review_of_its_own_is_named_in_an_error(folder: Path) -> None:
    bob = folder / "bob"
    (bob / "review.md").write_text(TEXT)
    (bob / "two.json").write_text('{"text": "- No proof.", "author_response": "There is."}')
    (bob / "many.jsonl").write_text('{"text": "- No proof."}\n{"text": "- No data."}\n')
    (bob / "second.response.md").write_text("Ours.")
    names = ("gone", "review", "second", "two", "many")
    for name in names:
        (bob / f"{name}.response.txt").write_text("It is there.")

    found = single(folder / "paper.txt", bob)

    assert set(ids(found)) == {"review.txt", "review.md", "second", "two", "many-1", "many-2"}
    failed = {Path(str(fault.file)).name for fault in found.unread}
    assert failed == {f"{name}.response.txt" for name in names}
    said = {review.review_id: review.author_response for review in found.reviews}
    assert (said["second"], said["two"], said["many-1"]) == ("Ours.", "There is.", None)


def test_the_example_reviews_are_three_and_one_is_answered() -> None:
    found = single(EXAMPLES / "paper.pdf", EXAMPLES / "reviews")

    assert ids(found) == ["R1", "R2", "R3"]
    assert [review.author_response is not None for review in found.reviews] == [False, True, False]
    assert found.unread == []


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_review_is_named_as_a_review(folder: Path, text: str) -> None:
    (folder / "late.txt").write_text(text)

    with pytest.raises(InputError, match="is empty; give the review's text") as raised:
        single(folder / "paper.txt", folder / "late.txt")

    assert raised.value.file == folder / "late.txt"


def test_without_a_review_that_can_be_used_all_faults_are_told(folder: Path) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(InputError, match="holds no reviews"):
        single(folder / "paper.txt", folder / "empty")
    with pytest.raises(InputError, match=r"empty.*none\.txt"):
        single(folder / "paper.txt", [folder / "empty", folder / "none.txt"])


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["a", "b", "r", "r.txt"])] * 2, st.sampled_from(
            ["r.txt", "r.md", "r", "r.txt.md", "s.txt"]
        )),
        unique=True, min_size=1, max_size=6,
    )
)  # fmt: skip
def test_names_are_unique_and_do_not_depend_on_the_order(
    places: list[tuple[str, str, str]],
) -> None:
    files = [Path("/x", *place) for place in places]

    names = review_names(files)

    assert len(set(names.values())) == len(files)
    assert review_names(files[::-1]) == names
    assert all(len(set(review_names(pair).values())) == len(pair)
               for pair in itertools.combinations(files, 2))  # fmt: skip


def test_a_run_is_read_again_without_the_reviews_that_are_gone(folder: Path) -> None:
    from reviewscore.config import resolve
    from reviewscore.runs.audit import audit

    found = single(folder / "paper.txt", [folder / "ada" / "review.txt", folder / "bob"])
    manifest = audit(found, folder / "run", resolve({})).manifest
    (folder / "bob" / "review.txt").unlink()

    again = data_again(folder / "run").collection

    assert again is not None
    assert ids(again) == ["ada/review", "second", "two"]
    assert [Path(str(fault.file)).name for fault in again.unread] == ["review.txt"]
    old = manifest.model_copy(
        update={"pair": manifest.pair[:2] if manifest.pair else None, "pair_beside": None}
    )
    (folder / "run" / "manifest.json").write_text(old.model_dump_json())
    read = data_again(folder / "run").collection
    assert read is not None
    assert ids(read) == ["review"]
    (folder / "paper.txt").unlink()
    assert data_again(folder / "run").collection is None


def test_a_name_that_is_no_text_is_shown_in_the_identifier(folder: Path) -> None:
    name = "r\udcff.txt"
    try:
        (folder / name).write_text(TEXT)
    except (OSError, UnicodeError):
        pytest.skip("this file system takes text alone")

    assert ids(single(folder / "paper.txt", folder / name)) == [r"r\udcff"]


def test_a_hard_link_is_the_same_file_and_named(folder: Path) -> None:
    first, again = folder / "ada" / "review.txt", folder / "bob" / "again.txt"
    again.hardlink_to(first)
    (folder / "paper-too.txt").hardlink_to(folder / "paper.txt")

    found = single(folder / "paper.txt", [first, again, folder / "paper-too.txt"])

    assert ids(found) == ["review"]
    assert found.warnings == [f"{again}: is the same file as {first} and read once"]
    assert [error.file for error in found.unread] == [folder / "paper-too.txt"]


@timed
def test_names_of_thousands_of_files_take_time_that_grows_with_their_number() -> None:
    def made(count: int) -> list[Path]:
        return [Path("/", f"r{number}.txt") for number in range(count)]

    assert len(set(review_names(made(1000)).values())) == 1000
    assert growth(review_names, made, 2000) < LINEAR


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from(["x", "x.txt", "x.md", "y.x", "x.txt.md"])
        ),
        unique=True,
        max_size=8,
    )
)
def test_a_file_goes_by_its_name_without_ending_where_no_other_does(
    given_: list[tuple[str, str]],
) -> None:
    files = [Path("/", folder, name) for folder, name in given_]

    for file, name in review_names(files).items():
        others = [one for one in files if one != file and one.parent == file.parent]
        shared = any(file.stem in (one.stem, one.name) for one in others)
        assert name.rpartition("/")[2] == (file.name if shared else file.stem)


def test_records_that_name_another_paper_of_the_folder_are_not_taken_for_this_one_s(
    tmp_path: Path,
) -> None:
    for name in ("frogs.pdf", "newts.pdf"):
        (tmp_path / name).write_bytes(b"%PDF-1.5")
    (tmp_path / "frogs-R1.txt").write_text("Weaknesses:\n- There is no ablation.\n", "utf-8")
    record = {"review_id": "R2", "text": "There is no theory."}
    for number, paper in enumerate(("newts", "submission 7"), 2):
        file = tmp_path / f"frogs-R{number}.json"
        file.write_text(json.dumps([record | {"paper_id": paper}]), "utf-8")

    found = read_collection(tmp_path)

    (fault,) = found.unread
    assert "names the paper 'newts', and lies with 'frogs'" in str(fault)
    assert {(one.review_id, one.paper_id) for one in found.reviews} == {
        ("frogs-R1", "frogs"),
        ("R2", "frogs"),
    }
