"""The text of a judgments file after a change. What the change does not touch keeps its formatting and comments."""

from __future__ import annotations

import itertools
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

    One that is new stands behind the one before it in ``after``. Raises :class:`CannotEdit`.
    """
    starts = [found.start() for found in HEADER.finditer(text)]
    if len(starts) != len(before):
        raise CannotEdit("its queries are not begun by lines [[query]]")
    ends = [*starts[1:], len(text)] if starts else []
    wanted = {judgment.id: judgment for judgment in after}
    behind = _new_ones(before, after)
    head = text[: starts[0]] if starts else text
    pieces = [_followed(head, behind.pop("", ())) if starts else head]
    for start, end, old in zip(starts, ends, before, strict=True):
        block, new = text[start:end], wanted.get(old.id)
        if new is None:
            rest = _split(block)[1]
            pieces.append(rest.lstrip("\n") if rest.strip() else "")
        else:
            made = block if new == old else _changed_block(block, old, new)
            pieces.append(made if old is before[-1] else _followed(made, behind.pop(old.id, ())))
    made = "".join(pieces)
    for judgment in itertools.chain.from_iterable(behind.values()):
        made = f"{made.rstrip()}\n\n{_block(judgment)}" if made.strip() else _block(judgment)
    return made


def _new_ones(before: Sequence[Judgment], after: Sequence[Judgment]) -> dict[str, list[Judgment]]:
    """Those of ``after`` that are new, by the id of the last one before them that is not; empty for none."""
    known, last = {judgment.id for judgment in before}, ""
    found: dict[str, list[Judgment]] = {}
    for judgment in after:
        if judgment.id in known:
            last = judgment.id
        else:
            found.setdefault(last, []).append(judgment)
    return found


def _split(block: str) -> tuple[str, str]:
    """A query's own lines, and those at its end that are empty or comments: they are about the next one."""
    lines = block.splitlines(keepends=True)
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return "".join(lines[:end]), "".join(lines[end:])


def _followed(block: str, new: Sequence[Judgment]) -> str:
    """``block`` with the ``new`` queries behind it, before the comments on the next one."""
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
