"""The text of a judgments file after a change. What the change does not touch keeps its formatting and comments."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.lab.judgments.reading import HEADER, VERSION

_TITLE = "# Queries with the notes that they should find, graded 0 to 3. Read by brv-tui eval; made to be committed.\n"


class CannotEdit(ValueError):
    """The text is written in a way that cannot be changed without touching the rest of it."""


def new_text(judgments: Sequence[Judgment]) -> str:
    """A whole file."""
    return edited_text(f"{_TITLE}version = {VERSION}\n", (), judgments)


def edited_text(text: str, before: Sequence[Judgment], after: Sequence[Judgment]) -> str:
    """``text``, which holds the judgments ``before``, so that it holds ``after``; judgments are the same by their id.

    Those that are new stand at the end. Raises :class:`CannotEdit`.
    """
    starts = [found.start() for found in HEADER.finditer(text)]
    if len(starts) != len(before):
        raise CannotEdit("its queries are not begun by lines [[query]]")
    ends = [*starts[1:], len(text)] if starts else []
    wanted = {judgment.id: judgment for judgment in after}
    pieces = [text[: starts[0]] if starts else text]
    for start, end, old in zip(starts, ends, before, strict=True):
        block, new = text[start:end], wanted.pop(old.id, None)
        if new is None:
            pieces.append(_remains(block))
        else:
            pieces.append(block if new == old else _changed_block(block, old, new))
    made = "".join(pieces)
    for judgment in wanted.values():
        made = f"{made.rstrip()}\n\n{_block(judgment)}" if made.strip() else _block(judgment)
    return made


def _remains(block: str) -> str:
    """What is left of a removed query: comments at its end, which are about the next one."""
    lines = block.splitlines(keepends=True)
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    kept = "".join(lines[end:])
    return kept.lstrip("\n") if kept.strip() else ""


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
    """The keys of a judgment with their values in TOML; those that are empty are left out."""
    texts = {
        "id": judgment.id,
        "text": judgment.text,
        "scope": judgment.scope,
        "expected": judgment.expected,
        "comment": judgment.comment,
    }
    made = {key: _quoted(value) for key, value in texts.items() if value}
    if judgment.documents:
        made["documents"] = "[\n" + "".join(f"    {_inline(each)},\n" for each in judgment.documents) + "]"
    return made


def _inline(document: JudgedDocument) -> str:
    made = f"path = {_quoted(document.path)}, grade = {document.grade}"
    for key, value in (("title", document.title), ("digest", document.digest)):
        made += f", {key} = {_quoted(value)}" if value else ""
    return f"{{ {made} }}"


def _quoted(text: str) -> str:
    """``text`` as a TOML string: JSON's escapes are TOML's, but that TOML escapes the delete character too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
