"""The exported set is read back without a fault, and `agree` measures it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.annotate.export import export
from reviewscore.annotate.label_store import LABELS_FILE
from reviewscore.annotate.material import read_material
from reviewscore.annotate.pages import adjudication
from reviewscore.annotate.progress import alphas, disagreements, progress, state_of
from reviewscore.annotate.rules import Codebook
from reviewscore.annotate.workspace import Workspace, open_workspace
from reviewscore.cli.main import main
from reviewscore.schema.annotation import LabelField
from reviewscore.sources.annotations import read_annotations
from tests.agreement.invented import judged as judged_run
from tests.agreement.invented import truth
from tests.agreement.presupposed import by_presuppositions, run_by_presuppositions
from tests.annotate.invented import (
    ARGUMENT,
    CLAIM,
    FACTUALITY,
    QUESTION,
    TYPE,
    finish,
    give,
    make_workspace,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = make_workspace(tmp_path / "set")
    for who, whole, faithful in (("A1", 2, 5), ("A2", 4, 4), ("A3", 4, 3)):
        made.store.introduce(who, 3)
        made.store.relate(who, "frogs", 4)
        finish(made, who, whole=whole, faithful=faithful)
    return made


def test_the_set_is_read_back_as_it_was_given(workspace: Workspace, tmp_path: Path) -> None:
    done = export(workspace, with_text=True)

    found = read_annotations(tmp_path / "set")
    assert (found.faults, found.warnings) == ((), ())
    assert len(found.labels) == done.labels == len(workspace.store.given())
    assert found.units is not None
    assert found.units[f"{ARGUMENT}/P1"].text == "One seed was used."
    assert found.annotators["A1"].publications == 3
    assert found.annotators["A1"].relevance == {"frogs": 4}
    assert {one.group for one in found.annotators.values()} == {"1"}
    given = {(g.annotator, g.unit_id, g.field): g.entry for g in workspace.store.given()}
    for label in found.labels:
        entry = given[label.annotator, label.unit_id, label.field]
        assert (label.value, label.justification) == (entry.value, entry.reason)
        assert label.codebook == "codebook 1"


def test_words_are_left_out_unless_asked_for(workspace: Workspace, tmp_path: Path) -> None:
    export(workspace)

    assert "One seed was used." not in (tmp_path / "set" / "units.jsonl").read_text("utf-8")
    units = read_annotations(tmp_path / "set").units
    assert units is not None
    assert all(one.sha256 and not one.text for one in units.values())


def test_labels_after_a_look_are_marked_in_the_set(tmp_path: Path) -> None:
    made = make_workspace(tmp_path / "set", annotators=("A1",))
    made.session("A1", made.material.points[CLAIM]).peek(version=0)
    give(made, "A1", CLAIM, TYPE, "claim", seconds=12)

    export(made)

    (label,) = read_annotations(tmp_path / "set").labels
    assert (label.saw_scores, label.seconds) == (True, 12.0)


def test_a_point_has_one_scale_and_the_rest_is_told(tmp_path: Path) -> None:
    made = make_workspace(tmp_path / "set")
    for who, kind in (("A1", "question"), ("A2", "claim"), ("A3", "claim")):
        field = LabelField.UNANSWERABILITY if kind == "question" else FACTUALITY
        give(made, who, QUESTION, TYPE, kind)
        give(made, who, QUESTION, field, 4)

    assert export(made).left_out == 1
    assert read_annotations(tmp_path / "set").faults == ()
    made.store.decide((QUESTION, TYPE), "question", "It asks.")
    assert export(made).left_out == 2
    assert read_annotations(tmp_path / "set").faults == ()
    (row,) = (tmp_path / "set" / "adjudicated.jsonl").read_text("utf-8").splitlines()
    assert json.loads(row)["note"] == "It asks."


def test_an_open_type_keeps_both_scales_out(tmp_path: Path) -> None:
    made = make_workspace(tmp_path / "set", annotators=("A1", "A2"))
    for who, kind, field in (
        ("A1", "question", LabelField.UNANSWERABILITY),
        ("A2", "claim", FACTUALITY),
    ):
        give(made, who, QUESTION, TYPE, kind)
        give(made, who, QUESTION, field, 4)

    done = export(made)

    assert (done.left_out, done.open_types) == (2, (QUESTION,))
    assert f"settle the type of {QUESTION}" in done.words


def test_source_is_written_once_and_then_left_to_its_owner(
    workspace: Workspace, tmp_path: Path
) -> None:
    export(workspace)
    (tmp_path / "set" / "SOURCE.md").write_text("Mine.\n", "utf-8")
    export(workspace)

    assert (tmp_path / "set" / "SOURCE.md").read_text("utf-8") == "Mine.\n"


def test_progress_and_alpha_are_those_of_the_labels(workspace: Workspace) -> None:
    rows = progress(workspace, state_of(workspace))
    found = {one.what: one for one in alphas(workspace.store.given())}

    assert [(row.done, row.points) for row in rows] == [(4, 4)] * 3
    assert rows[0].relevance == 4.0
    assert found["type"].value == 1.0
    assert found["type"].units == 4
    assert found["premises: factuality"].units == 2
    assert found["premises: knowledge source"].why == "every rating is the same"
    # Two claims, each 2, 4, 4: observed disagreement 2/3 of pairs, expected 8/15 of pairs.
    assert found["claims: factuality"].value == pytest.approx(1 - (2 / 3) / (8 / 15))


def test_disagreements_wait_until_all_labels_of_a_paper_are_in(tmp_path: Path) -> None:
    made = make_workspace(tmp_path / "set", annotators=("A1", "A2"))
    finish(made, "A1", whole=2)
    assert disagreements(made, state_of(made)) == []

    finish(made, "A2", whole=4)
    found = disagreements(made, state_of(made))

    assert found[0].weight == 2
    assert found[0].middle == 2
    assert {one.field for one in found} == {LabelField.UNANSWERABILITY, FACTUALITY}


def test_the_verb_exports_and_agree_measures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = judged_run(tmp_path / "run", truth(3, 4))
    made = open_workspace("x", tmp_path / "set", read_material(run), annotators=("A1", "A2"),
                          codebook=Codebook.FIRST)  # fmt: skip
    for who in ("A1", "A2"):
        for name, point in made.material.points.items():
            assert point.score is not None
            kind = point.score.type
            assert kind is not None
            give(made, who, name, TYPE, kind.value)
            field = LabelField.UNANSWERABILITY if kind.value == "question" else FACTUALITY
            give(made, who, name, field, 4)
    made.store.close()

    folder = str(tmp_path / "set")
    for arguments in (
        ("annotate", str(run), "--set", "x", "-o", folder, "--export"),
        ("agree", "--human", folder, "--check"),
        ("agree", str(run), "--human", folder, "--resamples", "100"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        assert not ended.value.code

    told = capsys.readouterr().out
    assert "48 labels of" in told
    assert "0 faults" in told


def test_what_is_at_stake_between_annotators_is_said(tmp_path: Path) -> None:
    made = make_workspace(tmp_path / "set", annotators=("A1", "A2"), codebook=Codebook.SECOND)
    for who, kind, standing in (("A1", "criticism", 2), ("A2", "request", 4)):
        for point in made.material.points:
            give(made, who, point, TYPE, "claim")
            give(made, who, point, LabelField.KIND, kind)
            give(made, who, point, FACTUALITY, 4)
            give(made, who, point, LabelField.STANDING, standing)
    give(made, "A2", CLAIM, LabelField.KIND, "none")

    found = {(one.point.point_id, one.field): (one.weight, one.stake)
             for one in disagreements(made, state_of(made))}  # fmt: skip

    assert found[CLAIM, LabelField.KIND] == (3, "a point or none")
    assert found[QUESTION, LabelField.KIND] == (1, "")
    assert found[QUESTION, LabelField.STANDING] == (2, "would stand or not")
    assert (CLAIM, LabelField.STANDING) not in found  # one of two has none left
    assert "would stand or not" in adjudication(made)
    made.store.close()


def test_what_is_labelled_by_codebook_2_measures_a_run_by_presuppositions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scored = [by_presuppositions(name, kind, said.whole, supplied=said.whole <= 2)
              for name, kind, said in truth(3, 4)]  # fmt: skip
    run = run_by_presuppositions(tmp_path / "run", scored)
    made = open_workspace("x", tmp_path / "set", read_material(run), annotators=("A1", "A2"))
    for who in ("A1", "A2"):
        for name, point in made.material.points.items():
            score = point.score
            assert score is not None
            assert score.type is not None
            assert score.kind is not None
            assert score.standing is not None
            give(made, who, name, TYPE, score.type.value)
            give(made, who, name, LabelField.KIND, score.kind.value)
            question = score.type.value == "question"
            field = LabelField.UNANSWERABILITY if question else FACTUALITY
            give(made, who, name, field, score.standing)
            give(made, who, name, LabelField.STANDING, score.standing)
    table = {row.what: row for row in alphas(made.store.given())}
    made.store.close()

    assert (table["kind"].value, table["standing"].value) == (1, 1)
    for arguments in (
        ("annotate", str(run), "--set", "x", "-o", str(tmp_path / "set"), "--export"),
        ("agree", str(run), "--human", str(tmp_path / "set"), "--resamples", "100"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        assert not ended.value.code
    told = capsys.readouterr().out
    assert "96 labels of" in told
    assert "Agreement with people on standing" in told


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--annotators", "Ada"], "no pseudonym"),
        ([], "nobody is to label"),
        (["--export"], "holds no labels of a workspace"),
    ],
)
def test_wrong_use_is_told(
    extra: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = judged_run(tmp_path / "run", truth(2, 3))

    with pytest.raises(SystemExit) as ended:
        main(["annotate", str(run), "--set", "x", "-o", str(tmp_path / "set"), *extra])

    assert ended.value.code == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "set" / LABELS_FILE).exists()
