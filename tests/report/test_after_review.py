"""Pages and files say what reviewers could not see, and hold nothing against them for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import reviewscore
from reviewscore.cli.inspect import command as inspect_command
from reviewscore.pages.point_card import quote_in_paper
from reviewscore.pages.wording import headline
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.quotes import find_quote
from reviewscore.report.html import write_report
from reviewscore.report.markdown import markdown_report
from reviewscore.report.roles import Reader, Sheet, sheet
from reviewscore.report.summary import summarise
from reviewscore.runs.export import export, row
from reviewscore.schema.paper import DocumentKind, Doubt, DoubtKind
from reviewscore.schema.point_score import PointScore, Status, UnknownReason
from reviewscore.schema.review import PointType
from reviewscore.schema.verdict import Verdict
from tests.report.synthetic import manifest, point, quote, write_run

SENTENCE = "The learning rate is 0.003 and is halved every ten epochs."
CAMERA = Doubt(kind=DoubtKind.CAMERA_READY, sign="the line “Published at POND”")
LATER = Doubt(kind=DoubtKind.REBUTTAL_SECTION, sign="D Answers", score=1)
WHERE = "it stands in a section that answers reviews (D Answers)"


def unflagged() -> PointScore:
    evidence = (
        quote(SENTENCE).model_copy(
            update={
                "doubt": LATER.model_copy(update={"score": None}),
                "document": DocumentKind.SUPPLEMENT,
            }
        ),
    )
    verdict = Verdict(scale="unanswerability", evidence=evidence, rationale="why", doubt=LATER)
    return point(
        1,
        "What learning rate was used?",
        type=PointType.QUESTION,
        status=Status.UNKNOWN,
        reason=UnknownReason.AFTER_REVIEW,
        doubts=(CAMERA, LATER),
        verdict=verdict,
        evidence=evidence,
    )


def said(page: Sheet) -> str:
    entries = [entry for part in page.parts for entry in part.entries]
    quotes = [f"{one.text} {one.section}" for entry in entries for one in entry.quotes]
    return "\n".join([*(" ".join(entry.own) for entry in entries), *quotes])


def test_the_headline_says_that_nothing_is_flagged() -> None:
    line = headline(unflagged())

    assert line.words == "not flagged: what speaks against it came after the reviews"
    assert (line.tone, line.misinformed) == ("unknown", "unknown")


def test_reports_say_it_at_the_top_and_beside_the_point(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [unflagged()])

    write_report(run, None, None, out=tmp_path / "r.html")
    for page in (markdown_report(run), (tmp_path / "r.html").read_text("utf-8")):
        assert "1 of 1 paper may differ from what reviewers read" in page
        assert "1 point not flagged" in page
        assert "judged 1/5 on it, which does not count" in page.replace("\\", "")
        assert "supplement, " in page and "reviewers could not see this" in page


def test_the_summary_counts_it_and_is_written_as_before_without_it(tmp_path: Path) -> None:
    summary = summarise(write_run(tmp_path / "run", [unflagged()]))
    plain = summarise(write_run(tmp_path / "plain", []))

    assert summary.versions == {DoubtKind.CAMERA_READY: ("tides",)}
    assert summary.after_review == {DoubtKind.REBUTTAL_SECTION: 1}
    assert summary.judged is not None and summary.judged.overall.unknown == 1
    assert "versions" not in plain.model_dump_json()


@pytest.mark.parametrize("reader", [Reader.META_REVIEWER, Reader.AUTHOR])
def test_chairs_and_authors_see_why_it_is_not_flagged(reader: Reader) -> None:
    page = sheet(reader, "tides", "Tides", [unflagged()])

    assert any("published" in banner for banner in page.banners)
    assert said(page).count("Not flagged: what speaks against this point") == 1
    assert f"{SENTENCE} supplement, " in said(page) and WHERE in said(page)


def test_a_reviewer_hears_nothing_of_it() -> None:
    assert not said(sheet(Reader.REVIEWER, "tides", "Tides", [unflagged()]))


def test_a_flag_is_proved_by_what_reviewers_could_see_alone() -> None:
    later = unflagged().evidence[0]
    seen = quote("ten epochs.")
    flagged = point(
        1,
        "What learning rate was used?",
        type=PointType.QUESTION,
        base=1,
        misinformed=True,
        verdict=Verdict(scale="unanswerability", score=1, evidence=(later, seen)),
        evidence=(later, seen),
    )

    page = sheet(Reader.META_REVIEWER, "tides", "Tides", [flagged])

    assert "ten epochs." in said(page) and SENTENCE not in said(page)
    assert row(flagged)["first_quote"] == "ten epochs."
    assert not flagged.unquoted


def test_tables_have_the_reason_the_doubts_and_the_documents(tmp_path: Path) -> None:
    cells = row(unflagged())

    assert cells["reason"] == "after_review"
    assert cells["doubts"] == "camera_ready; rebuttal_section"
    assert cells["quoted_documents"] == "supplement"
    assert cells["misinformed"] is None
    run = write_run(tmp_path / "run", [unflagged()])
    assert export(run, tmp_path / "a.csv") == export(run, tmp_path / "a.parquet") == 1


DENIAL = "There is no ablation study."
ABLATION = "Table 3 shows an ablation study of the window overlap and the third layer."
PART = f"2.1 Ablation Study\n{ABLATION}\n"
TEXT = (
    "Counting Frogs\n\nAnonymous authors\n\nAbstract\nWe count frogs in ponds from sound alone.\n\n"
    "1 Method\nWe train a small network on windows of two seconds each.\n\n"
)


@pytest.mark.parametrize(
    ("fields", "finding", "kind"),
    [
        ({"text": f"{TEXT}2 More\nThis is more.\n\n{PART}"}, "addressed", None),
        (
            {"text": f"{TEXT}2 Rebuttal\nWe thank you all.\n\n{PART}"},
            "passages",
            DoubtKind.REBUTTAL_SECTION,
        ),
        (
            {"text": TEXT, "documents": [{"kind": "revision", "text": f"{TEXT}{PART}"}]},
            "passages",
            DoubtKind.REVISION,
        ),
        (
            {"text": TEXT, "documents": [{"kind": "supplement", "text": PART}]},
            "addressed",
            None,
        ),
    ],
)
def test_an_audit_points_at_what_reviewers_had_and_names_the_rest(
    tmp_path: Path, fields: dict[str, object], finding: str, kind: DoubtKind | None
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "papers.jsonl").write_text(json.dumps({"paper_id": "frogs", **fields}) + "\n")
    review = {"review_id": "r", "paper_id": "frogs", "sections": {"weaknesses": f"- {DENIAL}"}}
    (data / "reviews.jsonl").write_text(json.dumps(review) + "\n")

    run = reviewscore.audit(data, tmp_path / "run", model="lexical")

    (record,) = run.points
    assert record.finding is not None and record.finding.value == finding
    assert [doubt.kind for doubt in record.doubts] == ([kind] if kind else [])
    assert any(passage.quote == ABLATION for passage in record.passages)
    assert all((passage.doubt is None) is (kind is None) for passage in record.passages[:1])
    place = record.passages[0].place
    assert place.startswith("supplement") is (finding == "addressed" and "documents" in fields)


def test_inspect_names_the_version_and_what_came_after_the_reviews(tmp_path: Path) -> None:
    named = TEXT.replace("Anonymous authors", "Ada Frog\nada@pond.example.org")
    file = tmp_path / "a.txt"
    file.write_text(f"{named}2 Response to Reviewers\n{ABLATION}\n")

    output = CliRunner().invoke(inspect_command, [str(file)]).output
    record = json.loads(CliRunner().invoke(inspect_command, [str(file), "--json"]).output)

    assert "version     it is published or names its authors" in output
    assert "section 2 Response to Reviewers" in output and "no flag rests on it" in output
    assert len(record["version"]) == len(record["after_review"]) == 1
    assert not record["suspicious"]


def test_inspect_shows_each_document_of_a_record(tmp_path: Path) -> None:
    file = tmp_path / "papers.jsonl"
    documents = [{"kind": "supplement", "text": f"A More\n{ABLATION}\n"}]
    file.write_text(json.dumps({"paper_id": "frogs", "text": TEXT, "documents": documents}) + "\n")

    output = CliRunner().invoke(inspect_command, [str(file)]).output

    assert f"{file}: frogs: jsonl" in output
    assert f"{file}: frogs, supplement: jsonl" in output


def test_manifest_of_a_run_with_documents_hashes_their_files(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "more.txt").write_text(ABLATION)
    documents = [{"kind": "supplement", "file": "more.txt"}]
    (data / "papers.jsonl").write_text(
        json.dumps({"paper_id": "frogs", "text": TEXT, "documents": documents}) + "\n"
    )
    review = {"review_id": "r", "paper_id": "frogs", "sections": {"weaknesses": f"- {DENIAL}"}}
    (data / "reviews.jsonl").write_text(json.dumps(review) + "\n")

    run = reviewscore.audit(data, tmp_path / "run", model="lexical")

    assert "more.txt" in {Path(one.name).name for one in run.manifest.inputs}
    assert manifest().inputs  # those of other runs are as they were


def test_a_quote_is_shown_in_the_surroundings_of_its_own_document() -> None:
    documents = ({"kind": "supplement", "text": f"A More\nWe add this. {ABLATION}"},)
    row_ = PaperRow.model_validate({"paper_id": "frogs", "text": TEXT, "documents": documents})
    paper = build_paper(row_)

    shown = quote_in_paper(find_quote(paper, ABLATION), paper)

    assert shown is not None
    assert (shown.before, shown.marked, shown.after) == ("A More\nWe add this. ", ABLATION, "")
