"""Parses a judgments file. The text is untrusted, so all of it is checked and limited."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from brvtui.lab.judgments.model import GRADES, OUTCOMES, JudgedDocument, Judgment, JudgmentsError, is_id
from brvtui.typed_tables import parse_tables
from brvtui.wording import nearest, shortened

LARGEST = 2 * 1_048_576
"""The maximum size of a judgments file in bytes: about 5,000 queries, which can need 160 MB of memory when parsed."""
MOST_QUERIES, MOST_DOCUMENTS = 20_000, 1_000
LONGEST_TEXT = 2_000
"""The maximum length of a query, a scope, a path or a comment."""
_MOST_RUN, _OF_EACH = 1_500_000, 200
"""The maximum number of characters in the queries that a command runs by default, and the number added per query.

The maximum takes about a minute on the sample tree with the slowest engine.
"""
VERSION = 1
HEADER = re.compile(r"^[ \t]*\[\[[ \t]*query[ \t]*\]\][ \t]*(?:#.*)?$", re.MULTILINE)
"""The first line of a query."""
_TOP = ("version", "query")
_KEYS = ("id", "text", "scope", "expected", "comment", "documents")
_DOCUMENT_KEYS = ("path", "grade", "title", "digest")


def parse_judgments(data: bytes, origin: str) -> tuple[Judgment, ...]:
    """The judgments in the TOML text ``data``; ``origin`` names the file in messages.

    Raises :class:`JudgmentsError`.
    """
    try:
        tables = parse_tables(data)
    except ValueError as error:
        raise JudgmentsError(f"{origin}: not valid TOML: {error}; fix the file (nothing was changed)") from error
    _check_keys(tables, _TOP, origin)
    if tables.get("version", VERSION) != VERSION:
        raise JudgmentsError(f"{origin}: version must be {VERSION}; a newer brv-tui may be able to read this file")
    queries = tables.get("query", [])
    if not isinstance(queries, list) or len(queries) > MOST_QUERIES:
        raise JudgmentsError(
            f"{origin}: query must be a list of at most {MOST_QUERIES} tables, each starting with [[query]]"
        )
    lines = _lines(data, len(queries))
    judgments: list[Judgment] = []
    taken: dict[str, int] = {}
    for number, table in enumerate(queries):
        place = f"{origin}, {f'line {lines[number]}' if lines else f'query {number + 1}'}"
        judgment = _judgment(table, place)
        if judgment.id in taken:
            raise JudgmentsError(
                f"{place}: query {taken[judgment.id]} already has the id {judgment.id}; choose another"
            )
        taken[judgment.id] = number + 1
        judgments.append(judgment)
    return tuple(judgments)


def affordable(judgments: tuple[Judgment, ...], runs: int) -> tuple[Judgment, ...]:
    """The first ``judgments``, as many as a command runs by default if it runs each of them ``runs`` times."""
    left = _MOST_RUN // runs
    for number, each in enumerate(judgments):
        left -= _OF_EACH + len(each.text)
        if left < 0:
            return judgments[: max(number, 1)]
    return judgments


def _lines(data: bytes, count: int) -> list[int]:
    """The starting line of each of ``count`` queries; empty if the lines cannot be determined."""
    text = data.decode("utf-8")
    lines, line, end = [], 1, 0
    for match in HEADER.finditer(text):
        line += text.count("\n", end, match.start())
        end = match.start()
        lines.append(line)
    return lines if len(lines) == count else []


def _judgment(table: Any, place: str) -> Judgment:
    if not isinstance(table, dict):
        raise JudgmentsError(f"{place}: a query must be a table that starts with [[query]]")
    _check_keys(table, _KEYS, place)
    for key in ("id", "text"):
        if key not in table:
            raise JudgmentsError(f"{place}: {key} is missing; add it")
    name = _text(table, "id", place)
    if not is_id(name):
        raise JudgmentsError(f"{place}: id = {shortened(repr(name))} must be 1 to 64 letters, digits, dots or dashes")
    text = _text(table, "text", place)
    if not text.strip():
        raise JudgmentsError(f"{place}: text is empty; write the query")
    expected = _text(table, "expected", place)
    if expected and expected not in OUTCOMES:
        raise JudgmentsError(f"{place}: expected = {shortened(repr(expected))} must be one of {', '.join(OUTCOMES)}")
    listed = table.get("documents", [])
    if not isinstance(listed, list) or len(listed) > MOST_DOCUMENTS:
        raise JudgmentsError(f"{place}: documents must be a list of at most {MOST_DOCUMENTS} tables")
    documents = tuple(_document(item, f"{place}, document {number}") for number, item in enumerate(listed, start=1))
    if len({document.path for document in documents}) < len(documents):
        raise JudgmentsError(f"{place}: a document is listed twice; keep one of its grades")
    return Judgment(name, text, _text(table, "scope", place), expected, _text(table, "comment", place), documents)


def _document(item: Any, place: str) -> JudgedDocument:
    if not isinstance(item, dict):
        raise JudgmentsError(f'{place}: must be a table such as {{ path = "auth/tokens.md", grade = 3 }}')
    _check_keys(item, _DOCUMENT_KEYS, place)
    path = _text(item, "path", place)
    if not path:
        raise JudgmentsError(f"{place}: path is missing; give the note's path in the tree")
    grade = item.get("grade")
    if type(grade) is not int or grade not in GRADES:
        raise JudgmentsError(f"{place}: grade must be 0, 1, 2 or 3, not {shortened(repr(grade), 40)}")
    return JudgedDocument(path, grade, _text(item, "title", place), _text(item, "digest", place))


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in known:
            raise JudgmentsError(f"{place}: unknown key {shortened(key)}{nearest(key, known)}; fix or remove it")


def _text(table: Mapping[str, Any], key: str, place: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise JudgmentsError(f"{place}: {key} = {shortened(repr(value), 40)} must be a string in quotes")
    if len(value) > LONGEST_TEXT:
        raise JudgmentsError(f"{place}: {key} has more than {LONGEST_TEXT} characters; shorten it")
    return value
