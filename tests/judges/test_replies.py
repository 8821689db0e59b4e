"""What every kind of a model's reply keeps to: bounds, and scores that are whole numbers."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import reviewscore
from reviewscore.judges.asker import Reply
from reviewscore.judges.model_judges import FactualityReply, ReconstructionReply
from reviewscore.llm.structured import parse_reply, reply_schema
from reviewscore.schema.answer import FivePoints, Whole


def kinds() -> list[type[Reply]]:
    """All kinds of replies of the package."""
    package = Path(reviewscore.__file__).parent
    for path in sorted(package.rglob("*.py")):
        if "(Reply):" in path.read_text("utf-8"):
            parts_of_name = path.relative_to(package.parent).with_suffix("").parts
            importlib.import_module(".".join(parts_of_name))

    def below(kind: type[Reply]) -> Iterator[type[Reply]]:
        for one in kind.__subclasses__():
            if one.__module__.startswith(reviewscore.__name__):
                yield one
                yield from below(one)

    return sorted(set(below(Reply)), key=lambda kind: kind.__name__)


def parts(schema: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """All typed parts of a schema, with their places."""
    if isinstance(schema, dict):
        if "type" in schema:
            yield place, schema
        for name, part in schema.items():
            yield from parts(part, f"{place}.{name}")
    elif isinstance(schema, list):
        for number, part in enumerate(schema):
            yield from parts(part, f"{place}.{number}")


def test_every_text_and_list_of_a_reply_has_a_bound() -> None:
    unbounded = []
    for kind in kinds():
        for place, part in parts(kind.model_json_schema()):
            free = part["type"] == "string" and not {"enum", "const", "maxLength"} & part.keys()
            if free or (part["type"] == "array" and "maxItems" not in part):
                unbounded.append(f"{kind.__name__}{place}")

    assert unbounded == []
    assert len(kinds()) > 20
    assert not any("maxLength" in reply_schema(kind) for kind in kinds())


def test_every_number_of_a_reply_refuses_true_and_takes_digits() -> None:
    numbers = [
        (kind, name)
        for kind in kinds()
        for name, part in kind.model_json_schema()["properties"].items()
        if any(one["type"] == "integer" for _, one in parts(part))
    ]
    for kind, name in numbers:
        field = kind.model_fields[name]
        one = TypeAdapter(field.rebuild_annotation())
        assert one.validate_json('"1"', strict=True) == 1
        with pytest.raises(ValidationError, match="true or false"):
            one.validate_json("true", strict=True)

    assert len(numbers) >= 5


@pytest.mark.parametrize("written", ["4", "4.0", "4e0", '"4"'])
def test_a_whole_number_is_read_however_it_is_written(written: str) -> None:
    assert TypeAdapter(FivePoints).validate_json(written, strict=True) == 4


@pytest.mark.parametrize(
    "written",
    [
        "true", "4.5", '"four"', '"4/5"', "null", '"४"', "1e400", '" 4 "', '"4 "', '"+4"', '"-4"',
        '"04"', '"00"', '"4.0"', '"٤"', '"4\\n"', '"４"', '"4_0"', '"0x4"', '""', '"4\u00a0"',
    ],
)  # fmt: skip
def test_what_is_no_whole_number_is_refused(written: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Whole).validate_json(written, strict=True)


@pytest.mark.parametrize("written", ['"0"', '"10"', "0", "-0"])
def test_integral_strings_have_no_leading_zero_and_may_be_0(written: str) -> None:
    assert TypeAdapter(Whole).validate_json(written, strict=True) in (0, 10)


def test_true_is_not_taken_for_definitely_false() -> None:
    with pytest.raises(ValueError, match=r"factuality: .*not true or false"):
        parse_reply('{"reasoning": "", "factuality": true, "quotes": []}', FactualityReply)


@pytest.mark.parametrize(
    ("field", "entries", "problem"),
    [
        ("keys", '{"symbol": "K", "meaning": "m"}', "keys: .* at most 100"),
        ("premises", '{"text": "t", "formula": "F", "explicit": true}', "premises: .* at most 40"),
        ("intermediate_conclusions", '"so"', "intermediate_conclusions: .* at most 40"),
    ],
)
def test_a_reconstruction_without_measure_is_refused_by_name(
    field: str, entries: str, problem: str
) -> None:
    fields = {"keys": "[]", "premises": "[]", "intermediate_conclusions": "[]"}
    fields |= {"conclusion": '"c"', "conclusion_formula": '"C"', "proof": '""'}
    fields[field] = f"[{', '.join([entries] * 300)}]"
    text = "{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}"

    with pytest.raises(ValueError, match=problem):
        parse_reply(text, ReconstructionReply)


def test_a_formula_without_measure_is_refused_by_name() -> None:
    text = (
        '{"keys": [], "premises": [{"text": "t", "formula": "%s", "explicit": true}], '
        '"intermediate_conclusions": [], "conclusion": "c", "conclusion_formula": "C", "proof": ""}'
    )

    with pytest.raises(ValueError, match=r"premises.0.formula: .* at most 1500"):
        parse_reply(text % ("A & " * 2_000 + "A"), ReconstructionReply)


def example(part: dict[str, Any], defs: dict[str, Any]) -> Any:
    """A value that fits a part of a schema."""
    if "$ref" in part:
        return example(defs[part["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in part:
        return example(part["anyOf"][0], defs)
    if "enum" in part or "const" in part:
        return part.get("const", part.get("enum", [None])[0])
    match part["type"]:
        case "object":
            return {name: example(one, defs) for name, one in part["properties"].items()}
        case "array":
            return []
        case kind:
            return {"string": "a", "integer": 1, "number": 1.0, "boolean": True, "null": None}[kind]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_an_object_inside_of_another_one_is_no_answer(kind: type[Reply]) -> None:
    schema = kind.model_json_schema()
    answer = json.dumps(example(schema, schema.get("$defs", {})))
    try:
        parse_reply(answer, kind)
    except ValueError as error:
        assert "JSON" not in str(error)  # a rule of the kind's own

    with pytest.raises(ValueError, match="Field required"):
        parse_reply(f'{{"outer": {answer}}}', kind)
