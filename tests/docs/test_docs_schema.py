"""docs/reference/trace.schema.json matches the code, and real output matches the schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from brvtui.cli.program import cli
from brvtui.trace import to_plain
from tests.docs.pages import page, script
from tests.support.trees import Tree

SCHEMA = json.loads(page("docs/reference/trace.schema.json"))
TRACE = jsonschema.Draft202012Validator(SCHEMA)
MAKE = "run make schema: docs/reference/trace.schema.json is out of date"
NOW = "2026-11-20T12:00:00Z"
QUERIES = ("token rotation", "auth/tokens", "auth tokens", "zzz", "rotated?", "", "the of", "auth/tokens/rotation.md")


def validator(definition: str) -> jsonschema.Draft202012Validator:
    """Validates against one of the schema's definitions."""
    rest = {key: value for key, value in SCHEMA.items() if key != "$ref"}
    return jsonschema.Draft202012Validator({**rest, "$ref": f"#/$defs/{definition}"})


@pytest.fixture
def project(tree: Tree) -> Tree:
    """A tree whose traces contain at least one of every kind of data."""
    tree.note("auth/tokens/rotation.md", "Token rotation", "A token is used once.", 7)
    tree.note("auth/tokens/lifetimes.md", "Token lifetimes", "Tokens live ten minutes.", 30)
    tree.file("auth/context.md", "# Auth\n\nTokens and logins.\n", 3)
    tree.summary("auth/tokens", "Tokens and their rotation.")
    tree.notes(60, days=20)
    return tree


def test_schema_file_is_current() -> None:
    assert script("tools/make_schema.py").schema() == SCHEMA, MAKE


def test_schema_is_valid_and_forbids_extra_fields() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    open_ = [name for name, model in SCHEMA["$defs"].items() if "properties" in model and model["additionalProperties"]]
    assert open_ == []


@pytest.mark.parametrize("query", QUERIES)
def test_trace_matches_the_schema(query: str, project: Tree) -> None:
    session = project.session()
    for trace in (session.preview(query), session.run(query), session.run(query)):
        TRACE.validate(_as_json(to_plain(trace)))


def test_changed_trace_violates_the_schema(project: Tree) -> None:
    plain = _as_json(to_plain(project.session().preview("token rotation")))
    for change in ({"extra": 1}, {"tier": "3"}, {"outcome": "lost"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**plain, **change}, SCHEMA, jsonschema.Draft202012Validator)


@pytest.mark.parametrize("options", [(), ("--detail",), ("--limit", "3"), ("--detail", "--limit", "3")])
def test_query_output_matches_the_schema(options: tuple[str, ...], project: Tree) -> None:
    (line,) = _lines(project, "query", "token rotation", "--format", "json", *options)
    validator("QueryOutput").validate(line)


@pytest.mark.parametrize("options", [(), ("--limit", "3")])
def test_saved_trace_matches_the_schema(options: tuple[str, ...], project: Tree) -> None:
    file = project.root / "saved.json"
    _lines(project, "query", "token rotation", "--save", str(file), "--format", "json", *options)
    validator("SavedTrace").validate(json.loads(file.read_text()))


def test_explain_output_matches_the_schema(project: Tree) -> None:
    lines = _lines(project, "explain", "token rotation", "rotation", "p001", "auth/context.md", "--format", "json")
    assert [line["found"] for line in lines] == [True, False, False]
    for line in lines:
        validator("ExplainOutput").validate(line)


@pytest.mark.parametrize("options", [("--all",), ("--days", "365", "--engine", "soleri"), ("--event", "prune")])
def test_maturity_output_matches_the_schema(options: tuple[str, ...], project: Tree) -> None:
    (line,) = _lines(project, "maturity", *options, "--format", "json")
    validator("MaturityOutput").validate(line)


@pytest.mark.parametrize("options", [(), ("--no-trace",)])
def test_replay_output_matches_the_schema(options: tuple[str, ...], project: Tree) -> None:
    file = project.root / "queries.json"
    file.write_text(json.dumps([*QUERIES[:4], {"id": "five", "query": "tokens"}]))
    lines = _lines(project, "replay", "--queries", str(file), *options)
    assert [line["id"] for line in lines] == [0, 1, 2, 3, "five"]
    for line in lines:
        validator("ReplayLine").validate(line)


def test_replayed_sequence_output_matches_the_schema(project: Tree) -> None:
    file = project.root / "sequence.json"
    moves = [{"query": "tokens"}, {"query": "tokens", "wait": 61}, {"query": "x", "touch": "auth/context.md"}]
    file.write_text(json.dumps(moves))
    for line in _lines(project, "replay", "--sequence", str(file)):
        validator("SequenceLine").validate(line)


def _lines(project: Tree, *arguments: str) -> list[Any]:
    command = [arguments[0], "--project", str(project.root), "--now", NOW, *arguments[1:]]
    done = CliRunner().invoke(cli, command, standalone_mode=False)
    assert done.exception is None
    return [json.loads(line) for line in done.stdout.splitlines()]


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))
