"""The points of one run or many as a file: CSV for spreadsheets, Parquet for analysis, or JSONL."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import RootModel

from reviewscore.errors import SettingsError
from reviewscore.files import drafted
from reviewscore.judges.presuppositions import leading
from reviewscore.runs.folder import read_points
from reviewscore.runs.parts import read_parts
from reviewscore.schema.author_answer import AuthorAnswer
from reviewscore.schema.paper import Evidence, Seen
from reviewscore.schema.place import Place
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.presupposition import Look
from reviewscore.schema.review import Occurrence
from reviewscore.schema.verdict import Provenance

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Cell = str | int | float | bool | None

RUN = "run"
"""Column that comes first where several runs are written: the name of the run's folder."""

COLUMNS = {
    "point_id": "Identifier of the review point, unique in the run: made of its review and words, "
    "so that it stays when the review around it changes.",
    "review_id": "Identifier of the review it stands in.",
    "paper_id": "Identifier of the paper that is reviewed.",
    "number": "Place of the point among those of its review, from 1, as reports number them.",
    "section": "Heading or field of the review's form that it stands under.",
    "role": "What that section is for: weaknesses, questions, mixed, and so on.",
    "language": "ISO 639 code of the language that it is written in, where that is not English.",
    "type": "question, claim or argument; empty if it failed before this was known.",
    "kind": "criticism, request or question, beside the type; none for what is no point, which is "
    "not judged and counts in no rate; empty where nobody said.",
    "status": "scored, unknown or error; unscored for the embedded judge.",
    "scale": "What `base` measures: unanswerability (questions), factuality (others), or standing, "
    "of looks at presuppositions.",
    "base": "BASE ReviewScore 1 to 5, where 1 and 2 are misinformed, save for standing, of which "
    "`misinformed` says that; empty is unknown, and for the embedded judge, which gives no score.",
    "advanced": "ADVANCED ReviewScore 1 to 5 (weighted for arguments); empty is unknown.",
    "conjunction": "Arguments: whether every premise has factuality 3 or more; empty is unknown.",
    "all_trivial": "Arguments: all weights were 0, so `advanced` is a plain mean.",
    "misinformed": "Whether the point is judged misinformed; empty is unknown, and for the "
    "embedded judge.",
    "calibrated": "Score after calibration by human labels, 1 to 5; empty without one.",
    "calibrated_misinformed": "Whether the point is misinformed after calibration.",
    "finding": "What the embedded judge says instead of a score: addressed, passages or "
    "cannot_judge; empty for models.",
    "passage_count": "Passages of that finding, all verbatim in the paper; empty for models.",
    "first_passage": "The first of them; of the finding passages the closest one, those in places "
    "that the point names before others.",
    "second_passage": "The next of them.",
    "third_passage": "The one after that; all of them stand in `passages`.",
    "acknowledged": "Whether one of them confirms what the point criticises, as the authors state "
    "this too; of looks at presuppositions, whether it is not misinformed and all say so; empty "
    "for other models.",
    "rationale": "Why, in the judge's words.",
    "answer": "For an answerable question, the answer from the paper.",
    "quotes": "Number of quotes of verdicts that are verbatim in the paper, those on premises too; "
    "empty for the embedded judge.",
    "unquoted": "Whether it is judged misinformed and no verdict that says so has such a quote.",
    "first_quote": "The first of these quotes.",
    "argument_state": "How reconstructing the argument ended.",
    "rounds": "Number of rounds the reconstruction took.",
    "premises": "Number of premises of the reconstruction.",
    "conclusion": "Conclusion of the reconstruction.",
    "text": "The point's own words, verbatim from the review.",
    "context": "Words just before it that it needs to be understood.",
    "also_in": "Sections of the review that repeat it, separated by semicolons; empty for most.",
    "field": "Text box of the review that the point stands in.",
    "start": "Offset of its first character in that text box.",
    "end": "Offset just after its last character.",
    "named_places": "Places of the paper that the point names, such as lines 212-215 or Table 3b, "
    "separated by semicolons; empty where there are none, or the record is of before.",
    "places_not_at_hand": "Those of them that the text at hand does not hold, which is no fault of "
    "the review's.",
    "answer_stance": "What the authors' response says of the point, by plain cues: contests, "
    "changed or answers; empty where nothing was aligned with the point. Of several stretches, "
    "this and the next five columns are of the one that says most.",
    "answer_method": "How the stretch was aligned: quote, number or retrieval.",
    "answer_certainty": "How sure that is: sure, likely or possible.",
    "answer_start": "Offset of its first character in the authors' response.",
    "answer_end": "Offset just after its last character.",
    "answer_words": "The sentence that holds the cue, else its first, verbatim; a short one with "
    "the next.",
    "error": "What failed, if status is error.",
    "judge": "lexical, or the model asked for.",
    "judge_version": "Version of the embedded judge; empty for models.",
    "models_answered": "Models that the provider says answered, separated by blanks.",
    "reviewscore_version": "Version of the program that wrote the record.",
    "reason": "Why it is unknown although a judge had an answer: after_review, where that rests "
    "on text alone that reviewers could not see; excerpts, where it says more than the excerpts of "
    "the paper that the judge saw can show; or why none was asked: no_point. "
    "Of looks at presuppositions also contested (looks differ), not_visible (the text at hand "
    "lacks what would decide) and unproved (no verified passage shows why).",
    "seen": "What of the paper the judge saw, where that was excerpts, and always for looks at "
    "presuppositions (whole, main, excerpts); empty for all that judges are shown.",
    "seen_share": "The share of its characters that these are, 0 to 1.",
    "doubts": "Why reviewers may not have read what is at hand, separated by semicolons: of the "
    "paper camera_ready or revised_version; of passages, which then carry no flag, "
    "rebuttal_section, revised_text or revision.",
    "quoted_documents": "Of papers of several documents, those that quotes and passages stand in: "
    "submission, supplement, code, revision.",
    "protocol": "presupposition, or empty for the protocols of the ReviewScore paper.",
    "supplied": "Of looks at presuppositions: whether the paper speaks to the point, which is no "
    "flag and is never added to `misinformed`; empty is unknown.",
    "standing": "Would a fair reviewer still make the remark beside the passages? 1 to 5.",
    "probability": "That an expert would call the point wrong about this paper, 0 to 1; it ranks.",
    "inference": "Of --protocol presupposition+proof, arguments: whether two reasons or a stated "
    "step are given, so that the argument was rebuilt beside the verdict; empty elsewhere.",
    "parts": "Parts of the remark, the main one of which decides.",
    "parts_misinformed": "Those of them that are misinformed; empty where `misinformed` is.",
    "granted": "What the remark takes for granted, as the sentence on top of its page has it.",
    "failure": "By what an argument fails that is misinformed by its premises: fact, link (all "
    "facts hold; an implicit conditional, which links them to the conclusion, does not), or mixed; "
    "empty where a link fails and whether the facts hold is not known, and for all else.",
    "neighbours": "Parquet only: the sentences of the review before and after it, as JSON text; "
    "empty where they were not looked up.",
    "occurrences": "Parquet only: where the review repeats it, with the words there, as JSON text.",
    "author_answers": "Parquet only: all stretches of the authors' response that answer the point, "
    "as JSON text; empty without a response and in records of before.",
    "places": "Parquet only: the named places with where the review names them and where in the "
    "paper they are, as JSON text; empty in records of before.",
    "passages": "Parquet only: the passages of a finding with offsets, as JSON text.",
    "evidence": "Parquet only: all verified quotes with offsets, as JSON text.",
    "argument": "Parquet only: the whole reconstruction with its rounds, as JSON text.",
    "looks": "Parquet only: all that judges said of its presuppositions, part by part with "
    "passages and offsets, as JSON text; empty of other protocols.",
    "provenance": "Parquet only: what was asked of which model with which prompt, as JSON text.",
}
"""Each column and what it means."""

NESTED = (
    *("neighbours", "occurrences", "author_answers", "places"),
    *("passages", "evidence", "argument", "looks", "provenance"),
)
"""Columns of JSON text, left out of CSV: spreadsheets cut cells off at 32,767 characters."""

_INTEGERS = {
    *("standing", "parts", "parts_misinformed"),
    *("number", "base", "passage_count", "quotes", "rounds", "premises", "start", "end"),
    *("answer_start", "answer_end"),
}
_NUMBERS = {"advanced", "calibrated", "seen_share", "probability"}
_FLAGS = {
    *("conjunction", "all_trivial", "misinformed", "calibrated_misinformed"),
    *("acknowledged", "unquoted", "supplied", "inference"),
}
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_CHUNK = 1000

_Occurrences = RootModel[tuple[Occurrence, ...]]
_Answers = RootModel[tuple[AuthorAnswer, ...]]
_Quotes = RootModel[tuple[Evidence, ...]]
_Places = RootModel[tuple[Place, ...]]
_Looks = RootModel[tuple[Look, ...]]
_Origins = RootModel[tuple[Provenance, ...]]


@dataclass(frozen=True)
class _Line:
    """A point and the name of its run; None where there is but one run."""

    run: str | None
    score: PointScore


def export(runs: Path | Sequence[Path], out: Path, *, accept_changed: bool = False) -> int:
    """Write the points of one run or many as the kind of file that the ending asks for.

    Points are read and written in chunks, so that memory does not grow with the runs; the file
    appears only once it is whole. A point that is in several runs has a row of each, told apart by
    the column `RUN`; nothing is decided between them.

    Args:
        runs: The run folder, or several.
        out: ``.csv`` and ``.parquet`` have the columns of `COLUMNS`; ``.jsonl`` has the records
            of ``points.jsonl``. Of several runs, `RUN` comes first in each. In CSV, text that a
            spreadsheet would take for a formula begins with an apostrophe.
        accept_changed: Go on with records that something else has changed.

    Returns:
        How many points were written.

    Raises:
        SettingsError: The ending is not known.
        RunFolderError: A run cannot be read or is named twice, or the file not be written.
        StopError: The disk is full.
    """
    writer = _WRITERS.get(out.suffix.lower())
    if writer is None:
        raise SettingsError(
            f"{out}: unknown ending '{out.suffix}'; known are {', '.join(_WRITERS)}"
        )
    several = not isinstance(runs, Path) and len(runs) > 1
    with drafted(out, named=True) as draft:
        places = [runs] if isinstance(runs, Path) else runs
        return writer(_lines(places, accept_changed=accept_changed), draft, several)


def _lines(runs: Sequence[Path], *, accept_changed: bool) -> Iterator[_Line]:
    for part in read_parts(runs, accept_changed=accept_changed):
        name = part.name if len(runs) > 1 else None
        for score in read_points(part.path):
            if score.error is None:
                yield _Line(name, score)
                continue
            error = part.manifest.for_others(score.error)
            yield _Line(name, score.model_copy(update={"error": error}))


def records(runs: Sequence[Path], *, accept_changed: bool = False) -> Iterator[str]:
    """The points of runs as JSONL, without line ends; as `export` writes them.

    Args:
        runs: The run folders.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: A run cannot be read or is named twice.
    """
    return map(_json, _lines(runs, accept_changed=accept_changed))


def frame(runs: Sequence[Path], *, accept_changed: bool = False) -> pd.DataFrame:
    """The points of runs as a data frame: a row for each, with the flat columns of `COLUMNS`.

    What is unknown is missing (``<NA>``): numbers and truth values keep their kinds beside it.

    Args:
        runs: The run folders.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: A run cannot be read or is named twice.
    """
    import pandas as pd

    named = {RUN: "string"} if len(runs) > 1 else {}
    kinds = named | {name: _kind(name) for name in COLUMNS if name not in NESTED}
    rows = [
        {RUN: line.run, **row(line.score)} for line in _lines(runs, accept_changed=accept_changed)
    ]
    return pd.DataFrame(rows, columns=list(kinds), dtype=object).astype(kinds)


def _kind(name: str) -> str:
    """The kind of a flat column in a data frame."""
    if name in _INTEGERS:
        return "Int64"
    if name in _FLAGS:
        return "boolean"
    return "Float64" if name in _NUMBERS else "string"


def _json(line: _Line) -> str:
    text = line.score.model_dump_json()
    return text if line.run is None else f'{{"{RUN}":{json.dumps(line.run)},{text[1:]}'


def row(score: PointScore) -> dict[str, Cell]:
    """The flat columns of one point, in the order of `COLUMNS`."""
    verdict, argument, advanced = score.verdict, score.argument, score.advanced
    quotes = [quote for quote in score.evidence if quote.verified]
    seen = [quote for quote in quotes if quote.doubt is None]
    unscored = score.finding is not None
    leading = score.leading_answer
    nearest = [passage.quote for passage in score.passages[:3]]
    first, second, third = nearest + [None] * (3 - len(nearest))
    return {
        "point_id": score.point_id,
        "review_id": score.review_id,
        "paper_id": score.paper_id,
        "number": score.ordinal or None,
        "section": score.section,
        "role": score.role.value,
        "language": score.language,
        "type": score.type.value if score.type else None,
        "kind": score.kind.value if score.kind else None,
        "status": score.status.value,
        "scale": verdict.scale if verdict else None,
        "base": score.base,
        "advanced": advanced.score if advanced else None,
        "conjunction": advanced.conjunction if advanced else None,
        "all_trivial": advanced.all_trivial if advanced and argument else None,
        "misinformed": score.misinformed,
        "calibrated": score.calibrated.score if score.calibrated else None,
        "calibrated_misinformed": score.calibrated.misinformed if score.calibrated else None,
        "finding": score.finding.value if score.finding else None,
        "passage_count": len(score.passages) if unscored else None,
        "first_passage": first,
        "second_passage": second,
        "third_passage": third,
        "acknowledged": _acknowledged(score),
        "rationale": verdict.rationale if verdict else score.rationale or None,
        "answer": verdict.answer if verdict else None,
        "quotes": None if unscored else len(quotes),
        "unquoted": None if unscored else score.unquoted,
        "first_quote": (seen or quotes)[0].quote if quotes else None,
        "argument_state": argument.state.value if argument else None,
        "rounds": len(argument.rounds) if argument else None,
        "premises": len(argument.premises) if argument else None,
        "conclusion": argument.conclusion if argument else None,
        **_in_review(score),
        "answer_stance": leading.stance.value if leading else None,
        "answer_method": leading.method.value if leading else None,
        "answer_certainty": leading.certainty.value if leading else None,
        "answer_start": leading.start if leading else None,
        "answer_end": leading.end if leading else None,
        "answer_words": leading.cue if leading else None,
        "error": score.error,
        "judge": score.judge,
        "judge_version": score.judge_version,
        "models_answered": " ".join(_models(score)) or None,
        "reviewscore_version": score.reviewscore_version,
        "reason": score.reason.value if score.reason else None,
        **_seen(score.seen),
        "doubts": "; ".join(dict.fromkeys(doubt.kind.value for doubt in score.doubts)) or None,
        "quoted_documents": "; ".join(_documents(score)) or None,
        **_of_looks(score),
        "failure": score.failure.value if score.failure else None,
    }


def _acknowledged(score: PointScore) -> bool | None:
    if score.finding is None:
        return score.acknowledged
    return any(passage.acknowledges for passage in score.passages)


def _of_looks(score: PointScore) -> dict[str, Cell]:
    """What looks at presuppositions say beside the flag."""
    known = leading(score.presuppositions)
    return {
        "protocol": score.protocol,
        "supplied": score.supplied,
        "standing": score.standing,
        "probability": score.probability,
        "inference": _inference(score),
        "parts": len(score.parts) or None,
        "parts_misinformed": (
            sum(part.misinformed is True for part in score.parts)
            if score.parts and score.misinformed is not None
            else None
        ),
        "granted": None if known is None else known.statement,
    }


def _inference(score: PointScore) -> bool | None:
    """Whether an argument stands beside a verdict; None where none was looked for."""
    if not score.looks or (score.argument is None and score.extraction is None):
        return None
    return score.argument is not None


def _seen(seen: Seen | None) -> dict[str, Cell]:
    return {"seen": seen.kind if seen else None, "seen_share": seen.share if seen else None}


def _in_review(score: PointScore) -> dict[str, Cell]:
    """A point's words, where they stand, and the places that it names."""
    return {
        "text": score.text,
        "context": score.context,
        "also_in": "; ".join(dict.fromkeys(a.section for a in score.occurrences)) or None,
        "field": score.span.field,
        "start": score.span.start,
        "end": score.span.end,
        "named_places": _labels(score.places),
        "places_not_at_hand": _labels(
            place for place in score.places or () if place.target is None
        ),
    }


def _labels(places: Iterable[Place] | None) -> str | None:
    return "; ".join(dict.fromkeys(place.label for place in places or ())) or None


def _documents(score: PointScore) -> Iterator[str]:
    named = (one.document for one in (*score.evidence, *score.passages))
    yield from dict.fromkeys(kind.value for kind in named if kind is not None)


def _models(score: PointScore) -> Iterator[str]:
    answered = (origin.model_answered for origin in score.origins)
    yield from dict.fromkeys(name for name in answered if name)


def _write_csv(lines: Iterable[_Line], path: Path, several: bool) -> int:
    flat = [name for name in COLUMNS if name not in NESTED]
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([RUN, *flat] if several else flat)
        for line in lines:
            cells = [_csv_cell(cell) for cell in row(line.score).values()]
            writer.writerow([_csv_cell(line.run), *cells] if several else cells)
            count += 1
    return count


def _csv_cell(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    text = str(cell)
    return f"'{text}" if isinstance(cell, str) and text.startswith(_FORMULA_STARTS) else text


def _write_parquet(lines: Iterable[_Line], path: Path, several: bool) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = parquet_schema(several=several)
    source, count = iter(lines), 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while chunk := list(islice(source, _CHUNK)):
            rows = [
                {**({RUN: line.run} if several else {}), **parquet_row(line.score)}
                for line in chunk
            ]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(chunk)
    return count


def parquet_row(score: PointScore) -> dict[str, Cell]:
    """One point with the columns of `COLUMNS`, nested ones too."""
    return row(score) | _nested(score)


def parquet_schema(*, several: bool = False) -> pa.Schema:
    """Names, types and meanings of the columns of `COLUMNS`, of several runs with `RUN` first."""
    import pyarrow as pa

    def kind(name: str) -> pa.DataType:
        if name in _INTEGERS:
            return pa.int64()
        if name in _FLAGS:
            return pa.bool_()
        return pa.float64() if name in _NUMBERS else pa.string()

    named = {RUN: "Name of the run's folder."} if several else {}
    return pa.schema(
        [
            pa.field(name, kind(name), metadata={"doc": text})
            for name, text in (named | COLUMNS).items()
        ]
    )


def _nested(score: PointScore) -> dict[str, Cell]:
    answers = score.author_answers
    around = score.neighbours
    return {
        "neighbours": None if around is None else around.model_dump_json(),
        "occurrences": _Occurrences(score.occurrences).model_dump_json(),
        "author_answers": None if answers is None else _Answers(answers).model_dump_json(),
        "places": None if score.places is None else _Places(score.places).model_dump_json(),
        "passages": _Quotes(score.passages).model_dump_json(),
        "evidence": _Quotes(score.evidence).model_dump_json(),
        "argument": score.argument.model_dump_json() if score.argument else None,
        "looks": _Looks(score.looks).model_dump_json() if score.looks else None,
        "provenance": _Origins(score.provenance).model_dump_json(),
    }


def _write_jsonl(lines: Iterable[_Line], path: Path, several: bool) -> int:
    del several  # each line knows its run
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(_json(line) + "\n")
            count += 1
    return count


_WRITERS: dict[str, Callable[[Iterable[_Line], Path, bool], int]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".jsonl": _write_jsonl,
}
"""How each ending is written."""
