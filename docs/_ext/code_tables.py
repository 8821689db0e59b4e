"""Markdown tables of records, columns, settings, prompts and verbs, made from the code."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click
from pydantic import BaseModel

from reviewscore.config import HARMLESS, TABLES, Settings
from reviewscore.judges.lexical.measured import measured
from reviewscore.pages.finder import finder_figures
from reviewscore.prompts import available, latest
from reviewscore.runs.export import COLUMNS, NESTED

Schema = Mapping[str, Any]

_ENTRY = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_BOUNDS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "pattern": "as `{}`",
}
_KINDS = {
    "null": "`null`",
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "true or false",
}


class Field(NamedTuple):
    """One field of a record.

    Attributes:
        name: As it stands in the file.
        kind: Type and range, in Markdown.
        default: As JSON; empty if the field is required.
        meaning: What it says; empty if nothing is written about it.
    """

    name: str
    kind: str
    default: str
    meaning: str


def meanings(model: type[BaseModel]) -> dict[str, str]:
    """What the docstrings of a record and of those it is made from say of its fields."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        _, _, entries = inspect.cleandoc(one.__dict__.get("__doc__") or "").partition("Attributes:")
        for name, text in _ENTRY.findall(entries):
            found[name] = " ".join(text.split())
    for name, field in model.model_fields.items():
        if field.description:
            found[name] = field.description
    return found


def fields(model: type[BaseModel]) -> list[Field]:
    """The fields of a record, in order."""
    schema = model.model_json_schema(by_alias=True, mode="validation")
    said, wanted = meanings(model), schema.get("required", ())
    aliases = {field.alias: name for name, field in model.model_fields.items() if field.alias}
    rows = []
    for name, one in schema.get("properties", {}).items():
        own = aliases.get(name, name)
        text = said.get(own) or said.get(name, "")
        if name == "schema":
            text = text or "Name and version of the record's form."
        default = "" if name in wanted else json.dumps(one.get("default"), ensure_ascii=False)
        if "const" in one:
            default = "the same"
        if "default" not in one and name not in wanted:
            default = "empty"
        rows.append(Field(name, kind(one), default, re.sub(r"\bNone\b", "`null`", text)))
    return rows


def kind(schema: Schema) -> str:
    """A type and its range in words; records inside stand between signs ``@``."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind(one) for one in schema["anyOf"]))
    if schema.get("type") == "array":
        inside = schema.get("prefixItems") or [schema.get("items", {})]
        return "list of " + ", ".join(kind(one) for one in inside)
    if schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        return f"object of {kind(inner)}" if isinstance(inner, Mapping) else "object"
    return _plain(schema)


def _plain(schema: Schema) -> str:
    if "$ref" in schema:
        return _ref(schema["$ref"])
    values = [schema["const"]] if "const" in schema else schema.get("enum", ())
    if values:
        return ", ".join(f"`{value}`" for value in values)
    if schema.get("format") == "path":
        return "path"
    bounds = [form.format(schema[key]) for key, form in _BOUNDS.items() if key in schema]
    name = schema.get("type", "any value")
    return ", ".join([_KINDS.get(name, name), *bounds])


def _ref(address: str) -> str:
    return f"@{address.rpartition('/')[2]}@"


def record(address: str) -> type[BaseModel]:
    """A record by its module and name."""
    module, _, name = address.rpartition(".")
    found = getattr(import_module(module), name)
    assert issubclass(found, BaseModel)
    return found


def parts(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """A record and all records inside it, by name, from the outside in."""
    found: dict[str, type[BaseModel]] = {}
    waiting: list[Any] = [model]
    while waiting:
        one = waiting.pop(0)
        if not isinstance(one, type):
            waiting += getattr(one, "__args__", ())
        elif issubclass(one, BaseModel) and one.__name__ not in found:
            found[one.__name__] = one
            waiting += [field.annotation for field in one.model_fields.values()]
    return found


def records(address: str, *, level: int) -> str:
    """The table of a record, and those of the records inside it under headings of a level."""
    model = record(address)
    inside = parts(model)
    blocks = []
    for name, one in inside.items():
        heading = "" if one is model else f"{'#' * level} {name}\n\n"
        blocks.append(f"{heading}{_summary(one)}\n\n{_table(one, inside)}\n")
    return "\n".join(blocks)


def one_record(address: str) -> str:
    """The table of one record, without a heading."""
    model = record(address)
    return _table(model, parts(model))


def _summary(model: type[BaseModel]) -> str:
    return inspect.cleandoc(model.__doc__ or "").partition("\n\nAttributes:")[0]


def _table(model: type[BaseModel], inside: Mapping[str, type[BaseModel]]) -> str:
    values = model.model_json_schema(by_alias=True, mode="validation").get("$defs", {})

    def link(found: re.Match[str]) -> str:
        name = found[1]
        if name in inside:
            return f"[{name}](#{name.lower()})"
        return kind(values[name])

    rows = [
        (f"`{one.name}`", one.meaning, re.sub(r"@(\w+)@", link, one.kind), _code(one.default))
        for one in fields(model)
    ]
    return grid(("field", "meaning", "type and range", "if left out"), rows, kind="fields")


def _code(text: str) -> str:
    if text in ("", "empty", "the same"):
        return text or "must be given"
    return {"[]": "empty", "{}": "empty", '""': "empty"}.get(text, f"`{text}`")


def grid(head: tuple[str, ...], rows: list[tuple[str, ...]], *, kind: str = "") -> str:
    """A Markdown table; the kind is its class, by which the style sheet knows it."""
    lines = [head, tuple("---" for _ in head), *rows]
    cells = [[cell.replace("|", r"\|") for cell in one] for one in lines]
    mark = [f"{{.{kind}}}"] if kind else []
    return "\n".join([*mark, *(f"| {' | '.join(one)} |" for one in cells)])


def columns() -> str:
    """The columns of an exported table."""
    rows = [(f"`{name}`", text) for name, text in COLUMNS.items() if name not in NESTED]
    rows += [(f"`{name}`", text) for name, text in COLUMNS.items() if name in NESTED]
    return grid(("column", "meaning"), rows)


def settings() -> str:
    """All settings, by table of a settings file, and who may set each."""
    known = {one.name: one for one in fields(Settings)}
    shown: set[str] = set()
    blocks = []
    head = ("key", "meaning", "type and range", "default", "set by")
    for table, keys in TABLES.items():
        rows = []
        for key, setting in keys.items():
            name, _, judge = setting.partition(".")
            shown.add(name)
            said, form, default = _setting(known[name])
            if judge:
                said, form, default = f"Another model for `{judge}`.", "text", "as `default`"
            said = f"{said} Variable: `REVIEWSCORE_{name.upper()}`."
            by = "any file" if name in HARMLESS else "you"
            rows.append((f"`{key}`", said, form, default, by))
        blocks.append(f"## `[{table}]`\n\n{grid(head, rows, kind='fields')}\n")
    rest = [
        (f"`REVIEWSCORE_{one.name.upper()}`", *_setting(one))
        for one in known.values()
        if one.name not in shown
    ]
    head = ("variable", *head[1:-1])
    blocks.append(f"## For one run\n\n{grid(head, rest, kind='fields')}\n")
    return "\n".join(blocks)


def _setting(one: Field) -> tuple[str, str, str]:
    """Meaning, type and default, as TOML has no null."""
    default = _code(one.default)
    return (
        one.meaning.replace("`null`", "not set"),
        one.kind.replace(" or `null`", ""),
        "not set" if default == "`null`" else default,
    )


def prompts() -> str:
    """Every prompt with its sum."""
    rows = []
    for one in available():
        used = latest(one.prompt_id.partition("/")[0]).prompt_id == one.prompt_id
        name = f"`{one.prompt_id}`" + ("" if used else " older")
        reply = f"reply: `{one.output}`" if one.output else "a part of other prompts"
        rows.append((name, f"{one.source} ({reply})", f"`{one.sha256}`"))
    return grid(("prompt", "after", "SHA-256"), rows, kind="prompts")


def verbs() -> str:
    """The verbs and what they do."""
    from reviewscore.cli.main import group

    context = click.Context(group)
    rows = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        told = (command.help or "").partition("\n\n")[0].replace("\n", " ")
        rows.append((f"[`reviewscore {name}`](#verb-{name})", told))
    return grid(("verb", "what it does"), rows)


def all_verbs() -> str:
    """The help of every verb, for sphinx-click."""
    from reviewscore.cli.main import group

    blocks = []
    for name in group.list_commands(click.Context(group)):
        blocks.append(
            f".. _verb-{name}:\n\n.. click:: reviewscore.cli.{name}:command\n"
            f"   :prog: reviewscore {name}\n   :nested: full\n"
        )
    return "```{eval-rst}\n" + "\n".join(blocks) + "```\n"


def finder() -> str:
    """How often passages of the embedded judge hold the answer; nothing where not measured."""
    version = measured().version
    blocks = []
    for name in (version, f"{version} with an encoder"):
        figures = finder_figures(name)
        if figures is None:
            continue
        head = ("kind of point", f"answer among the first {figures.shown}", "points")
        blocks += [
            f"Version {name}. {figures.sentence} {figures.data}",
            grid(head, list(figures.rows)),
        ]
        if figures.curve is not None:
            blocks.append(f"<div>{figures.curve}</div>")
    return "\n\n".join(blocks)
