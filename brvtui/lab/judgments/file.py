"""A project's judgments file. Only one process at a time changes it, and changes are atomic."""

from __future__ import annotations

import errno
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from brvtui import faults
from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.lab.judgments.model import JudgedDocument, Judgment, JudgmentsError, new_id
from brvtui.lab.judgments.reading import HEADER, LARGEST, MOST_QUERIES, VERSION, parse_judgments
from brvtui.regular_files import leads_out, read_regular
from brvtui.tree.reading.inside import PathError, open_folder, read_inside
from brvtui.tree.reading.project import MARKER, OWN_FOLDER, FoundProject

# The text of a judgments file after a change. Unchanged parts keep their formatting and comments.


_TITLE = "# Queries with the notes that they should find, graded 0 to 3, for brv-tui eval. Commit this file.\n"


class CannotEdit(ValueError):
    """The text cannot be changed without affecting other parts of the file."""


def new_text(judgments: Sequence[Judgment]) -> str:
    """The text of a new judgments file."""
    return edited_text(f"{_TITLE}version = {VERSION}\n", (), judgments)


def edited_text(text: str, before: Sequence[Judgment], after: Sequence[Judgment]) -> str:
    """``text``, which contains the judgments ``before``, changed to contain ``after``. Judgments match by id.

    A new judgment follows the judgment that precedes it in ``after``. Raises :class:`CannotEdit`.
    """
    starts = [match.start() for match in HEADER.finditer(text)]
    if len(starts) != len(before):
        raise CannotEdit("its queries do not start with [[query]] lines")
    ends = [*starts[1:], len(text)] if starts else []
    wanted = {judgment.id: judgment for judgment in after}
    behind = _new_ones(before, after)
    head = text[: starts[0]] if starts else text
    pieces = [_insert_after(head, behind.pop("", ())) if starts else head]
    for start, end, old in zip(starts, ends, before, strict=True):
        block, new = text[start:end], wanted.get(old.id)
        if new is None:
            rest = _split(block)[1]
            pieces.append(rest.lstrip("\n") if rest.strip() else "")
        else:
            result = block if new == old else _changed_block(block, old, new)
            pieces.append(result if old is before[-1] else _insert_after(result, behind.pop(old.id, ())))
    result = "".join(pieces)
    blocks = "\n".join(map(_block, itertools.chain.from_iterable(behind.values())))
    return f"{result.rstrip()}\n\n{blocks}" if blocks and result.strip() else blocks or result


def _new_ones(before: Sequence[Judgment], after: Sequence[Judgment]) -> dict[str, list[Judgment]]:
    """The new judgments in ``after``, keyed by the id of the existing judgment that precedes them (empty: none)."""
    known, last = {judgment.id for judgment in before}, ""
    groups: dict[str, list[Judgment]] = {}
    for judgment in after:
        if judgment.id in known:
            last = judgment.id
        else:
            groups.setdefault(last, []).append(judgment)
    return groups


def _split(block: str) -> tuple[str, str]:
    """A query's block without trailing empty lines and comments, and these lines, which belong to the next query."""
    lines = block.splitlines(keepends=True)
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return "".join(lines[:end]), "".join(lines[end:])


def _insert_after(block: str, new: Sequence[Judgment]) -> str:
    """``block`` followed by the ``new`` queries, which come before the next query's comments."""
    if not new:
        return block
    own, rest = _split(block)
    blocks = "\n".join(_block(judgment) for judgment in new)
    return f"{own}\n{blocks}\n{rest.lstrip()}"


def _changed_block(block: str, old: Judgment, new: Judgment) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(block)
        queries: Any = document["query"]
        table = queries[0]
        was, values = _values(old), _values(new)
        for key in was.keys() - values.keys():
            del table[key]
        for key, value in values.items():
            if was.get(key) != value:
                table[key] = tomlkit.parse(f"{key} = {value}\n")[key]
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, IndexError, TypeError, ValueError) as error:
        raise CannotEdit(str(error)) from error


def _block(judgment: Judgment) -> str:
    lines = [f"{key} = {value}" for key, value in _values(judgment).items()]
    return "\n".join(["[[query]]", *lines, ""])


def _values(judgment: Judgment) -> Mapping[str, str]:
    texts = {
        "id": judgment.id,
        "text": judgment.text,
        "scope": judgment.scope,
        "expected": judgment.expected,
        "comment": judgment.comment,
    }
    values = {key: _quoted(value) for key, value in texts.items() if value}
    if judgment.documents:
        values["documents"] = "[\n" + "".join(f"    {_inline(each)},\n" for each in judgment.documents) + "]"
    return values


def _inline(document: JudgedDocument) -> str:
    fields = f"path = {_quoted(document.path)}, grade = {document.grade}"
    for key, value in (("title", document.title), ("digest", document.digest)):
        fields += f", {key} = {_quoted(value)}" if value else ""
    return f"{{ {fields} }}"


def _quoted(text: str) -> str:
    """``text`` as a TOML string. JSON's escapes are valid in TOML, which also requires one for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


NAME = "judgments.toml"
_BARE_FOLDER = f".{OWN_FOLDER}"
Judgments = tuple[Judgment, ...]


class JudgmentsFile:
    """The judgments file of a project. Methods block and are thread-safe."""

    def __init__(self, path: Path, trusted: bool) -> None:
        """Stores ``path``, which may be a symlink only if it is ``trusted`` because the user gave it."""
        self.path = path
        self.trusted = trusted

    @classmethod
    def of(cls, project: FoundProject) -> JudgmentsFile:
        """The file of ``project``: ``.brv/brv-tui/judgments.toml``, or ``.brv-tui/judgments.toml`` if there is no
        ``.brv``.
        """
        marker = project.root / MARKER
        if not marker.is_dir():
            return cls(project.root / _BARE_FOLDER / NAME, False)
        return cls(marker / OWN_FOLDER / NAME, False)

    def read(self) -> Judgments:
        """The judgments in file order; empty if there is no file. Raises :class:`JudgmentsError`."""
        data = self._data()
        return () if data is None else parse_judgments(data, str(self.path))

    def change(self, edit: Callable[[Judgments], Judgments]) -> Judgments:
        """Replaces the judgments with the result of ``edit``, and returns that result.

        The file is locked while ``edit`` runs. Unchanged judgments keep their comments and formatting. Raises
        :class:`JudgmentsError` and leaves the file unchanged; a file that cannot be read is never overwritten.
        """
        folder = self.path.parent
        try:
            self._refuse_link_out()
            if not self.trusted and folder.is_symlink():
                raise JudgmentsError(
                    f"{folder}: this is a symlink, which may lead out of the project; replace it with a folder"
                )
            writing.make_ordinary_folder(folder)
            with locked(folder):
                self._clear_up(folder)
                data = self._data()
                before = () if data is None else parse_judgments(data, str(self.path))
                after = edit(before)
                if len(after) > MOST_QUERIES:
                    raise JudgmentsError(
                        f"{self.path}: would have more than {MOST_QUERIES} queries; remove some with brv-tui judge "
                        "remove, or keep the new ones in another file (--judgments FILE)"
                    )
                if after != before:
                    self._write(data, before, after)
                return after
        except OSError as error:
            raise JudgmentsError(f"cannot be changed: {faults.error_line(error, self.path)}") from error

    def _write(self, data: bytes | None, before: Judgments, after: Judgments) -> None:
        """Writes ``after`` if parsing the new text returns ``after``. Raises :class:`JudgmentsError` and OSError."""
        try:
            text = new_text(after) if data is None else edited_text(data.decode("utf-8"), before, after)
            encoded = text.encode("utf-8")
        except CannotEdit as error:
            raise JudgmentsError(f"{self.path}: {error}; edit the file by hand") from error
        except UnicodeEncodeError as error:
            raise JudgmentsError(
                f"{self.path}: a note's name is not UTF-8 and cannot be written; rename the note"
            ) from error
        if len(encoded) > LARGEST:
            raise JudgmentsError(
                f"{self.path}: would be larger than {LARGEST} bytes; keep some queries in another file"
            )
        if parse_judgments(encoded, str(self.path)) != after:
            raise JudgmentsError(
                f"{self.path}: this change would affect other parts of the file; edit the file by hand"
            )
        if self.trusted:
            writing.write(self.path, encoded, private=False)
            return
        folder = self.path.parent
        marker = folder.parent.resolve()  # resolved once, so that the folder checked is the one written to
        self._refuse_link_out(marker)
        try:
            with open_folder(marker, folder.name) as inside:
                writing.write(self.path, encoded, private=False, folder=inside)
        except PathError as error:
            raise JudgmentsError(f"{self.path}: {error}; replace it with a folder") from error

    def _data(self) -> bytes | None:
        """The bytes of the file; None if there is none. Raises :class:`JudgmentsError`."""
        try:
            if self.trusted:
                return read_regular(self.path, LARGEST, follow_links=True)
            folder = self.path.parent
            self._refuse_link_out()
            return read_inside(folder.parent.resolve(), f"{folder.name}/{self.path.name}", LARGEST)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise JudgmentsError(f"{self.path}: cannot be read ({faults.reason(error)}); fix that first") from error

    def _refuse_link_out(self, resolved: Path | None = None) -> None:
        """Raises OSError if the ``.brv`` folder that contains the file, or its ``resolved`` path, is outside of the
        project.
        """
        marker = self.path.parent.parent
        if not self.trusted and leads_out(marker.parent, resolved or marker):
            raise OSError(errno.EACCES, f"{marker.name} is a symlink that points outside the project", str(self.path))

    def _clear_up(self, folder: Path) -> None:
        for part in writing.abandoned_parts(folder):
            with suppress(OSError):
                writing.remove(part)


def judgment_of(judgments: Judgments, text: str, scope: str) -> Judgment | None:
    """The judgment for the query ``text`` in ``scope``; None if there is none."""
    return next((each for each in judgments if (each.text, each.scope) == (text, scope)), None)


def with_grade(judgments: Judgments, text: str, scope: str, document: JudgedDocument, graded: bool) -> Judgments:
    """``judgments`` with ``document`` graded for the query ``text``, or without the document if not ``graded``.

    A query without a judgment is added.
    """
    old = judgment_of(judgments, text, scope)
    if old is None:
        return with_query(judgments, text, scope, "", (document,)) if graded else judgments
    places = [number for number, each in enumerate(old.documents) if each.path == document.path]
    documents = list(old.documents)
    if places and graded:
        documents[places[0]] = document
    elif places:
        del documents[places[0]]
    elif graded:
        documents.append(document)
    changed = replace(old, documents=tuple(documents))
    return tuple(changed if each is old else each for each in judgments)


def with_query(
    judgments: Judgments, text: str, scope: str, expected: str, documents: tuple[JudgedDocument, ...], comment: str = ""
) -> Judgments:
    """``judgments`` with the query ``text`` added at the end, unless it is already judged."""
    if judgment_of(judgments, text, scope) is not None:
        return judgments
    added = Judgment(new_id(text, {each.id for each in judgments}), text, scope, expected, comment, documents)
    return (*judgments, added)
