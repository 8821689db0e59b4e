"""An invented venue folder with copies of its texts wherever there are some."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewscore.cli.main import main
from reviewscore.files import write_whole
from reviewscore.period.log import append
from reviewscore.period.stop_rule import FlagSample
from reviewscore.period.venue import VenueRecord
from reviewscore.period.verify import note_pages
from reviewscore.runs.folder import CANARIES, MANIFEST, POINTS, manifest_of
from reviewscore.schema.call import Call
from tests.ledgers import paid_call, record

FROGS = (
    "We count frogs in nine ponds for two years and compare the counts with those of two patient "
    "biologists who sat beside the water every night with a lamp and a notebook. "
)
OLD_FROGS = (
    "An earlier draft of this study looked at only three ponds and claimed that frogs never "
    "change their pond once they have found one they like. "
)
TOADS = (
    "Toads walk to the same pond each spring along roads that we map with small radio tags glued "
    "to their backs by a careful student of zoology. "
)
R1 = (
    "The authors never say how many frogs were counted twice because they moved between ponds at "
    'night. The claim "compare the counts with those of two patient biologists who sat" is bold.'
)
R1_OLD = (
    "In my first reading I wrongly believed that the ponds were counted by volunteers without "
    "any training whatsoever in the summer."
)
R2 = (
    "No interval is given for the mean number of frogs in a pond although nine ponds are hardly "
    "enough for any estimate. The second table lacks units for every single one of its columns."
)
R3 = (
    "The radio tags may change how toads walk, and the paper does not report any control group "
    "of toads without tags on the same roads."
)
REPLY = "We thank the reviewer and counted each frog once since every animal was marked with ink."
ROWS: dict[str, list[dict[str, Any]]] = {
    "papers": [
        {"paper_id": "frogs", "title": "Counting Frogs", "text": OLD_FROGS * 3},
        {"paper_id": "frogs@v2", "title": "Counting Frogs", "text": FROGS * 3},
        {"paper_id": "toads", "title": "Tracking Toads", "text": TOADS * 3},
    ],
    "reviews": [
        {"review_id": "frogs-r1", "paper_id": "frogs", "fields": {"weaknesses": R1},
         "author_response": REPLY},
        {"review_id": "frogs-r2", "paper_id": "frogs@v2", "fields": {"weaknesses": R2}},
        {"review_id": "toads-r1", "paper_id": "toads", "fields": {"weaknesses": R3}},
    ],
}  # fmt: skip


def lines(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def make_venue(venue: Path) -> Path:
    """A venue of two papers and three reviews, audited, labelled and delivered."""
    files = [lines(venue / "data" / f"{name}.jsonl", rows) for name, rows in ROWS.items()]
    made = VenueRecord(source="pile", kind="folder", made="2027-01-01T00:00:00+00:00", syncs=1)
    (venue / "venue.json").write_text(made.model_dump_json())
    write_syncs(venue)
    append(venue, "synced", files=files)
    with pytest.raises(SystemExit) as ended:
        main(["audit", str(venue / "data"), "-o", str(venue / "run"), "-q"])
    assert not ended.value.code
    write_beside(venue)
    row = {"review_id": "frogs-r1", "paper_id": "frogs", "line": 1, "words": R1,
           "span": {"field": "weaknesses", "start": 0, "end": 9}}  # fmt: skip
    write_whole(venue / "run" / CANARIES, f"{json.dumps(row)}\n", private=True)
    append(venue, "audited", files=[venue / "run" / MANIFEST, venue / "run" / POINTS])
    (venue / "pages" / "p1").mkdir(parents=True)
    report = (venue / "run" / "report.html").read_text()
    (venue / "pages" / "p1" / "frogs.html").write_text(report)
    (venue / "pages" / "p1" / "toads.html").write_text(f"<!-- reviewscore --><p>{R3}</p>")
    append(venue, "delivered", files=[note_pages(venue)])
    return venue


def write_syncs(venue: Path) -> None:
    """What syncs keep: rows that were replaced, changes by their ids, an index."""
    sync = venue / "syncs" / "0001"
    old = {"review_id": "frogs-r1", "paper_id": "frogs", "fields": {"weaknesses": R1_OLD}}
    past = {"what": "review", "id": "frogs-r1", "since": 1, "until": 1, "row": old}
    lines(sync / "past.jsonl", [past])
    change = {"sync": 1, "change": "new", "what": "paper", "id": "frogs", "paper_id": "frogs"}
    lines(sync / "changes.jsonl", [{**change, "before": None, "after": "0" * 64}])
    lines(sync / "retired.jsonl", [{"point_id": "frogs-r1.0123abcd", "score": {"text": R1_OLD}}])
    ids = [("paper", "frogs"), ("paper", "frogs@v2"), ("review", "frogs-r1"),
           ("review", "frogs-r2"), ("paper", "toads"), ("review", "toads-r1")]  # fmt: skip
    lines(venue / "index.jsonl", [{"what": what, "id": name} for what, name in ids])


def write_beside(venue: Path) -> None:
    """What people and other verbs put beside: labels, flags, raw files, a killed command's."""
    point = json.loads((venue / "run" / POINTS).read_text().splitlines()[0])["point_id"]
    lines(venue / "taken_back.jsonl", [
        {"review_id": "frogs-r1", "point_id": None, "text": R1, "at": "2027"},
        {"review_id": "toads-r1", "point_id": None, "text": R3, "at": "2027"},
    ])  # fmt: skip
    (venue / "judged_flags.csv").write_text(
        f'point_id,verdict,note\n{point},wrong,"{R1.replace(chr(34), "")}"\ntoads-r1#1,right,\n'
    )
    flags = {point: "frogs", "toads-r1.89abcdef": "toads"}
    sample = FlagSample(seed=0, wanted=2, of=2, flags=flags)
    (venue / "sample.json").write_text(sample.model_dump_json())
    (venue / "run" / ".points.jsonl.new").write_text(R1)
    raw = {"notes": [{"id": "n1", "forum": "frogs", "content": {"text": FROGS}}]}
    (venue / "source").mkdir()
    (venue / "source" / "frogs.json").write_text(json.dumps(raw))
    (venue / "source" / "frogs.pdf").write_bytes(b"%PDF-1.4 packed")
    (venue / "labels").mkdir()
    with closing(sqlite3.connect(venue / "labels" / "workspace.sqlite")) as db, db:
        db.execute("CREATE TABLE units (unit_id TEXT PRIMARY KEY, record TEXT)")
        db.execute("CREATE TABLE labels (point_id TEXT, unit_id TEXT, reason TEXT)")
        for unit, text in ((f"{point}", R1), (f"{point}/P1", R1), ("toads-r1.89abcdef", R3)):
            db.execute("INSERT INTO units VALUES (?, ?)", (unit, json.dumps({"text": text})))
            db.execute("INSERT INTO labels VALUES (?, ?, ?)", (point, unit, text))


def ledger_of(folder: Path) -> list[Call]:
    """Calls of two runs about both papers."""
    prompt = "<paper-0123>\n{}\n</paper-0123>"
    calls = [
        paid_call(f"Judge this remark: {text}", prefix=prompt.format(paper * 3))
        for paper, text in ((FROGS, R1), (FROGS, R2), (OLD_FROGS, R1), (TOADS, R3))
    ]
    record(folder, "run of the venue", *calls[:2])
    record(folder, "another run", *calls[2:])
    return calls


def point_ids(venue: Path) -> list[str]:
    return [row["point_id"] for row in rows_of(venue / "run" / POINTS)]


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def counts_of(venue: Path) -> tuple[int, int, int]:
    counts = manifest_of(venue / "run").counts
    return counts.papers, counts.reviews, counts.points
