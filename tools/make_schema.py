#!/usr/bin/env python3
"""Writes docs/reference/trace.schema.json from the dataclasses of the trace.

    python tools/make_schema.py [--check]

With --check, nothing is written, and the exit code is 1 if the file does not match the code.
"""

from __future__ import annotations

import ast
import inspect
import json
import pkgutil
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter

from brvtui import trace
from brvtui.engines import registry

FILE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "trace.schema.json"
SECTIONS = {kind.SECTION: kind for name in registry.names() for kind in registry.load(name).sections}
ROOTS = (trace.Trace, trace.Detail, trace.Explanation, trace.Outlook, *SECTIONS.values())
REF = "#/$defs/{model}"


def schema() -> dict[str, Any]:
    """The JSON Schema, with a trace at its root and the JSON output of each command in ``$defs``."""
    adapters = [(kind, "serialization", TypeAdapter(kind)) for kind in ROOTS]
    _, made = TypeAdapter.json_schemas(adapters, ref_template=REF)
    models = made["$defs"]
    packages = {import_module(kind.__module__.rpartition(".")[0]) for kind in SECTIONS.values()} - {trace}
    modules = [*_modules_of(trace), *(module for package in packages for module in _modules_of(package))]
    for module in modules:
        for (kind, field), text in _attribute_docs(module).items():
            if field in models.get(kind, {}).get("properties", {}):
                models[kind]["properties"][field]["description"] = text
    for model in models.values():
        _tidy(model)
    models["Trace"]["properties"]["sections"] = _object(
        "The data that only the trace's engine has, by name.",
        {name: {"$ref": REF.format(model=kind.__name__)} for name, kind in sorted(SECTIONS.items())},
        optional=tuple(SECTIONS),
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:brv-tui:trace:{trace.SCHEMA}",
        "title": "Trace of one query",
        "description": "What brv-tui says about one query: the whole decision, with the numbers behind it. "
        "docs/reference/byterover.md explains each of them. The documents that the commands write are in $defs: "
        "QueryOutput, SavedTrace, ExplainOutput, MaturityOutput, ReplayLine, SequenceLine.",
        "$ref": REF.format(model="Trace"),
        "$defs": dict(sorted({**models, **_outputs(models["Explanation"], models["Outlook"])}.items())),
    }


def _outputs(explanation: dict[str, Any], outlook: dict[str, Any]) -> dict[str, Any]:
    def ref(model: str) -> dict[str, Any]:
        return {"$ref": REF.format(model=model)}

    number = {"const": trace.SCHEMA}
    said = {"type": "string", "description": "Why the query got its answer, in one sentence."}
    result = {"path": {"type": "string"}, "score": {"type": "number"}, "kind": ref("Kind"), "title": {"type": "string"}}
    results = {"type": "array", "items": _object("", result)}
    tier = {"type": "integer", "minimum": 0, "maximum": 4}
    return {
        "QueryOutput": _object(
            "brv-tui query --format json: the answer of an engine; with --limit the search alone is a section, with "
            "--detail the details by a hit's file.",
            {
                "schema": number,
                "engine": {"type": "string"},
                "verdict_sentence": said,
                "trace": ref("Trace"),
                "detail": {"type": "object", "additionalProperties": ref("Detail")},
            },
            optional=("detail",),
        ),
        "SavedTrace": _object(
            "A file of brv-tui query --save FILE.json, which brv-tui show reads again: the answer, who saved it when, "
            "and the details of hits and near misses, by their file.",
            {
                "schema": number,
                "engine": {"type": "string"},
                "saved_by": {"type": "string"},
                "saved_at": {"type": "string"},
                "verdict_sentence": said,
                "trace": ref("Trace"),
                "detail": {"type": "object", "additionalProperties": ref("Detail")},
            },
        ),
        "ExplainOutput": _object(
            "One line of brv-tui explain --format json: one note of one query. The reason's number is its place in the "
            "engine's closed list.",
            {"schema": number, "verdict_sentence": said, **explanation["properties"]},
        ),
        "MaturityOutput": _object(
            "brv-tui maturity --format json: what time brings to the notes in a span of days.",
            {"schema": number, **outlook["properties"]},
        ),
        "ReplayLine": _object(
            "One line of brv-tui replay --queries: the search alone, and the tiers of asking twice on an empty cache.",
            {
                "id": {},
                "query": {"type": "string"},
                "tier": tier,
                "repeat_tier": tier,
                "search": _object("", {"total_found": {"type": "integer"}, "results": results}),
                "verdict_sentence": said,
                "trace": ref("Trace"),
            },
            optional=("trace",),
        ),
        "SequenceLine": _object(
            "One line of brv-tui replay --sequence: how the look-ups ended, and how many entries the cache holds then.",
            {
                "step": {"type": "integer"},
                "query": {"type": "string"},
                "tier": tier,
                "cached": {"type": "integer"},
                "exact": {"type": "string"},
                "fuzzy": {"type": "string"},
                "similarity": {"type": ["number", "null"]},
            },
        ),
    }


def _object(description: str, properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": properties}
    made["required"] = [name for name in properties if name not in optional]
    made["additionalProperties"] = False
    return {"description": description, **made} if description else made


def _tidy(model: dict[str, Any]) -> None:
    """Declares that every field is always written, and that there are no others."""
    model.pop("title", None)
    if "description" in model:
        model["description"] = inspect.cleandoc(model["description"]).replace("``", "`")
    if "properties" not in model:
        return
    for field in model["properties"].values():
        field.pop("title", None)
        field.pop("default", None)
        if field.get("type") == "object":
            field.setdefault("additionalProperties", True)
    model["required"] = list(model["properties"])
    model["additionalProperties"] = False


def _modules_of(package: ModuleType) -> list[ModuleType]:
    return [import_module(f"{package.__name__}.{module.name}") for module in pkgutil.iter_modules(package.__path__)]


def _attribute_docs(module: ModuleType) -> dict[tuple[str, str], str]:
    """The docstrings of fields, by class and field."""
    found = {}
    for kind in ast.parse(inspect.getsource(module)).body:
        if not isinstance(kind, ast.ClassDef):
            continue
        for field, below in zip(kind.body, kind.body[1:], strict=False):
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                text_below = inspect.cleandoc(str(below.value.value))
                found[kind.name, field.target.id] = text_below.replace("``", "`")
    return found


def text() -> str:
    """The schema in the format of the file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Writes the file, or checks it."""
    if "--check" in sys.argv[1:]:
        same = FILE.is_file() and FILE.read_text(encoding="utf-8") == text()
        print(f"{FILE.name}: {'as the code says' if same else 'out of date, run make schema'}")
        return 0 if same else 1
    FILE.write_text(text(), encoding="utf-8")
    print(f"{FILE.name}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
