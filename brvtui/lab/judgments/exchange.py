"""Imports and exports judgments in the formats of BEIR, TREC and qmd's benchmark."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from brvtui import faults
from brvtui.disk import writing
from brvtui.lab.judgments.model import (
    GRADES,
    OUTCOMES,
    JudgedDocument,
    Judgment,
    JudgmentsError,
    JudgmentsWriteError,
    is_id,
    new_id,
)
from brvtui.lab.judgments.reading import LONGEST_TEXT, MOST_DOCUMENTS, MOST_QUERIES
from brvtui.regular_files import leads_out, read_regular
from brvtui.text.visible import json_line
from brvtui.tree.reading.json_file import LARGEST_NAMED_JSON, read_json
from brvtui.tree.reading.project import NOT_IN_MARKER, is_reserved
from brvtui.wording import shortened

_QUERIES, _QRELS = "queries.jsonl", "qrels"
_HEAD = "query-id\tcorpus-id\tscore"
_QMD_TYPE = "semantic"
_LITERAL_ESCAPE = re.compile("%(?=[0-9A-Fa-f]{2})")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,1000}")
Grades = dict[str, dict[str, int]]
"""The grades of documents, keyed by query id."""


@dataclass(frozen=True, slots=True)
class ForeignFormat:
    """A file format: the title, and functions for reading and writing a file or folder."""

    title: str
    read: Callable[[Path, Path | None, Sequence[Judgment]], tuple[Judgment, ...]]
    """Reads judgments. The arguments are the path, the queries file (or None) and the known judgments."""
    write: Callable[[Path, Sequence[Judgment]], tuple[Path, ...]]
    """Writes judgments and returns the written files."""


def read_beir(folder: Path, queries: Path | None, known: Sequence[Judgment]) -> tuple[Judgment, ...]:
    """The queries of ``queries.jsonl`` in ``folder``, with the grades of all files in ``qrels``.

    Raises :class:`JudgmentsError`, as do all functions in this module.
    """
    files = sorted((folder / _QRELS).glob("*.tsv")) if (folder / _QRELS).is_dir() else []
    _refuse_links_out(folder, [*([] if queries else [folder / _QUERIES]), *files])
    judgments = _limited(_jsonl_queries(queries or folder / _QUERIES), folder)
    grades: Grades = {}
    if not files:
        raise JudgmentsError(f"{folder / _QRELS}: has no .tsv file; choose the folder that contains {_QUERIES}")
    for file in files:
        for place, line in _lines(file):
            if line.split("\t")[0] == "query-id":
                continue
            fields = line.split("\t")
            if len(fields) != 3:
                raise JudgmentsError(f"{place}: must be a query's id, a document and a grade, with tabs between them")
            grades.setdefault(fields[0], {})[_path_of(fields[1], _beir_name)] = _grade(fields[2], place)
    return _joined(judgments, grades, folder)


def write_beir(folder: Path, judgments: Sequence[Judgment]) -> tuple[Path, ...]:
    """Writes ``queries.jsonl`` and ``qrels/test.tsv`` to ``folder``. Scope, expectation and comment become metadata."""
    queries, qrels = folder / _QUERIES, folder / _QRELS / "test.tsv"
    _refuse_links_out(folder, [queries, qrels])
    lines = []
    for each in judgments:
        fields = {"scope": each.scope, "expected": each.expected, "comment": each.comment}
        metadata = {key: value for key, value in fields.items() if value}
        lines.append(json_line({"_id": each.id, "text": each.text, "metadata": metadata}))
    rows = [_HEAD]
    rows += [
        f"{each.id}\t{_beir_name(document.path)}\t{document.grade}" for each in judgments for document in each.documents
    ]
    return (_write(queries, b"".join(lines)), _write(qrels, "\n".join([*rows, ""]).encode()))


def _refuse_links_out(folder: Path, files: Sequence[Path]) -> None:
    if linked := next((file for file in files if leads_out(folder, file)), None):
        raise JudgmentsError(f"{linked}: this symlink points outside {folder}; replace it with a file or folder")


def _beir_name(path: str) -> str:
    """``path`` with control characters such as tabs percent-encoded; a ``%`` is encoded only if it looks like the start
    of such an escape.
    """
    return _without_controls(_LITERAL_ESCAPE.sub("%25", path))


def _path_of(name: str, write: Callable[[str], str]) -> str:
    """The path that ``write`` encodes as ``name``; ``name`` itself if there is none."""
    path = unquote(name)
    return path if write(path) == name else name


def read_trec(file: Path, queries: Path | None, known: Sequence[Judgment]) -> tuple[Judgment, ...]:
    """The judgments in a TREC qrels file.

    Query texts come from ``queries`` (BEIR's lines of JSON, or lines with an id, a tab and the text), or else from the
    known judgments with the same ids.
    """
    grades: Grades = {}
    for place, line in _lines(file):
        fields = line.split()
        if len(fields) != 4:
            raise JudgmentsError(f"{place}: must be a query's id, 0, a document and a grade")
        grades.setdefault(fields[0], {})[_path_of(fields[2], trec_name)] = _grade(fields[3], place)
    if queries is not None:
        is_json = queries.suffix in (".json", ".jsonl")
        judgments = _limited(_jsonl_queries(queries) if is_json else _tabbed_queries(queries), queries)
        return _joined(judgments, grades, file)
    return _joined({each.id: each for each in known if each.id in grades}, grades, file)


def write_trec(file: Path, judgments: Sequence[Judgment]) -> tuple[Path, ...]:
    """Writes a TREC qrels file, with paths encoded by :func:`trec_name`."""
    rows = [
        f"{each.id} 0 {trec_name(document.path)} {document.grade}" for each in judgments for document in each.documents
    ]
    return (_write(file, "\n".join([*rows, ""]).encode()),)


def trec_name(path: str) -> str:
    """``path`` with spaces, control characters and ``%`` percent-encoded. A terminal may show TREC files."""
    return _without_controls(path.replace("%", "%25").replace(" ", "%20"))


def _without_controls(path: str) -> str:
    """``path`` with unprintable characters percent-encoded. Spaces are kept."""
    if path.isprintable():
        return path
    return "".join(char if char.isprintable() else quote(char, errors="surrogateescape") for char in path)


def read_qmd(file: Path, queries: Path | None, known: Sequence[Judgment]) -> tuple[Judgment, ...]:
    """The queries of a ``qmd bench`` fixture. Each expected file has grade 1."""
    value = _json(file)
    listed = value.get("queries") if isinstance(value, dict) else None
    if not isinstance(listed, list) or len(listed) > MOST_QUERIES:
        raise JudgmentsError(f'{file}: must be a JSON object with a list of at most {MOST_QUERIES} "queries"')
    judgments: dict[str, Judgment] = {}
    grades: Grades = {}
    for number, item in enumerate(listed, start=1):
        place = f"{file}, query {number}"
        files = item.get("expected_files") if isinstance(item, dict) else None
        if not isinstance(files, list) or not all(isinstance(path, str) for path in files):
            raise JudgmentsError(f'{place}: must have "id", "query" and a list of "expected_files"')
        name = _name(item.get("id", number), place)
        judgments[name] = Judgment(name, _string(item, "query", place), comment=_string(item, "description", place, ""))
        grades[name] = dict.fromkeys(files, 1)
    return _joined(judgments, grades, file)


def write_qmd(file: Path, judgments: Sequence[Judgment]) -> tuple[Path, ...]:
    """Writes a ``qmd bench`` fixture. Documents graded 1 or higher are expected files; scopes are left out."""
    queries = []
    for each in judgments:
        files = [document.path for document in each.documents if document.grade > 0]
        queries.append(
            {
                "id": each.id,
                "query": each.text,
                "type": _QMD_TYPE,
                "description": each.comment,
                "expected_files": files,
                "expected_in_top_k": max(1, len(files)),
            }
        )
    fixture = {"description": "Exported by brv-tui", "version": 1, "queries": queries}
    text = json.dumps(fixture, indent=2).replace("\x7f", r"\u007f")
    return (_write(file, f"{text}\n".encode()),)


FORMATS: Mapping[str, ForeignFormat] = {
    "beir": ForeignFormat("BEIR: a folder with queries.jsonl and qrels/*.tsv", read_beir, write_beir),
    "trec": ForeignFormat("TREC: a qrels file", read_trec, write_trec),
    "qmd": ForeignFormat("qmd: a JSON file for qmd bench", read_qmd, write_qmd),
}


def _joined(queries: Mapping[str, Judgment], grades: Grades, place: Path) -> tuple[Judgment, ...]:
    """The queries, each with its graded documents. Invalid ids are replaced."""
    lost = [name for name in grades if name not in queries]
    if lost:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        raise JudgmentsError(
            f"{place}: no text for the query {shortened(lost[0], 64)}{more}; pass the texts with --queries"
        )
    judgments: list[Judgment] = []
    taken, numbers = set[str](), dict[str, int]()
    for name, each in queries.items():
        own = name if is_id(name) and name not in taken else new_id(name, taken, numbers)
        taken.add(own)
        graded = grades.get(name, {})
        if len(graded) > MOST_DOCUMENTS or any(len(path) > LONGEST_TEXT or not path for path in graded):
            raise JudgmentsError(
                f"{place}: {name} may have {MOST_DOCUMENTS} documents with names of 1 to {LONGEST_TEXT} characters"
            )
        documents = tuple(JudgedDocument(path, grade) for path, grade in graded.items())
        judgments.append(Judgment(own, each.text, each.scope, each.expected, each.comment, documents))
    return tuple(judgments)


def _limited(queries: Iterator[tuple[str, Judgment]], place: Path) -> dict[str, Judgment]:
    """The queries, keyed by id. Raises :class:`JudgmentsError` if there are more than a judgments file may contain."""
    by_id: dict[str, Judgment] = {}
    for name, each in queries:
        by_id[name] = each
        if len(by_id) > MOST_QUERIES:
            raise JudgmentsError(f"{place}: has more than {MOST_QUERIES} queries; import fewer at once")
    return by_id


def _jsonl_queries(file: Path) -> Iterator[tuple[str, Judgment]]:
    for place, line in _lines(file):
        try:
            item = json.loads(line)
        except (ValueError, RecursionError):
            item = None
        if not isinstance(item, dict):
            raise JudgmentsError(f'{place}: must be an object with "_id" and "text"')
        metadata = item.get("metadata")
        more = metadata if isinstance(metadata, dict) else {}
        expected = _string(more, "expected", place, "")
        name = _name(item.get("_id"), place)
        yield (
            name,
            Judgment(
                name,
                _string(item, "text", place),
                _string(more, "scope", place, ""),
                expected if expected in OUTCOMES else "",
                _string(more, "comment", place, ""),
            ),
        )


def _tabbed_queries(file: Path) -> Iterator[tuple[str, Judgment]]:
    for place, line in _lines(file):
        name, tab, text = line.partition("\t")
        if not tab or not text.strip():
            raise JudgmentsError(f"{place}: must be an id, a tab and the query's text")
        yield name, Judgment(name, _bounded(text.strip(), place))


def _string(item: Mapping[str, Any], key: str, place: str, default: str | None = None) -> str:
    value = item.get(key, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise JudgmentsError(f'{place}: "{key}" must be a string')
    return _bounded(value, place)


def _name(value: object, place: str) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise JudgmentsError(f"{place}: a query's id must be a string or a whole number")
    return str(value)


def _bounded(text: str, place: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise JudgmentsError(f"{place}: a text has more than {LONGEST_TEXT} characters; shorten it")
    return text


def _grade(text: str, place: str) -> int:
    """The grade in ``text``, limited to the range from 0 to 3."""
    if not _WHOLE_NUMBER.fullmatch(text.strip()):
        raise JudgmentsError(f"{place}: the grade {shortened(text, 40)} must be a whole number")
    return min(max(int(text), GRADES[0]), GRADES[-1])


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    """Yields the place and text of each non-empty line."""
    try:
        text = read_regular(file, LARGEST_NAMED_JSON, follow_links=True).decode("utf-8-sig")
    except OSError as error:
        raise JudgmentsError(f"{file}: cannot be read ({faults.reading_reason(error)})") from error
    except UnicodeDecodeError as error:
        raise JudgmentsError(f"{file}: is not UTF-8 text; convert it first") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{file}, line {number}", line.rstrip("\r")


def _json(file: Path) -> Any:
    try:
        return read_json(file, LARGEST_NAMED_JSON, follow_links=True)
    except OSError as error:
        raise JudgmentsError(f"{file}: cannot be read ({faults.reading_reason(error)})") from error
    except ValueError as error:
        raise JudgmentsError(f"{file}: is not JSON ({shortened(str(error))})") from error


def _write(file: Path, data: bytes) -> Path:
    try:
        if is_reserved(file):
            raise JudgmentsError(f"{file}: {NOT_IN_MARKER}; choose another place")
        writing.make_ordinary_folder(file.parent)
        writing.write(file, data, private=False)
    except (OSError, RuntimeError) as error:
        raise JudgmentsWriteError(
            f"{file}: cannot be written ({faults.reason(error)}); choose another place"
        ) from error
    return file
