r"""Converts a note's bytes to editable text and back, without changing any byte outside an edit.

See ``docs/explanation/safe-saving.md``, "Text". In editable text, only ``\n`` breaks lines. Each byte that is not UTF-8
is shown as a visible mark, and so is each character that would break a line, control the terminal or change the reading
direction. Encoding turns the marks back into the original bytes.
"""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Newline = Literal["\n", "\r\n", "\r"]

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ANY_BREAK = re.compile("\r\n|\r|\n")
_PICTURES, _DELETE = 0x2400, 0x7F
_BRAILLE, _PRIVATE = 0x2800, 0xE000
_ESCAPED_BYTE = 0xDC00
_SPARE = (range(_BRAILLE + 1, _BRAILLE + 0x100), range(_PRIVATE, 0xF900), range(0xF0000, 0xFFFFE))
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMES = {"\r": "carriage return", "\x1b": "escape", "\x7f": "delete", "\ufeff": "byte order mark"}


class NotText(Exception):
    """Raised if a file cannot be edited. The message is the reason in a few words."""


@dataclass(frozen=True, slots=True)
class EditableText:
    """A text that can be edited, and the information needed to encode it again.

    ``newline`` is the line end of every line. If a file mixes line ends, ``newline`` is a line feed, and each carriage
    return has a mark. ``marks`` maps each mark to the character that it replaces.
    """

    text: str
    newline: Newline
    has_bom: bool
    marks: Mapping[str, str]

    def plain(self, edited: str) -> str:
        r"""Returns ``edited`` with each mark replaced by its character. Lines still end in ``\n``."""
        return edited.translate({ord(mark): char for mark, char in self.marks.items()}) if self.marks else edited

    def encode(self, edited: str) -> bytes:
        """Returns the bytes of the file after editing. Unedited text keeps its original bytes."""
        return self.encode_plain(self.plain(_SURROGATE.sub("\ufffd", edited)))

    def encode_plain(self, plain: str) -> bytes:
        """Returns the bytes of the file for a text without marks, such as a merge of :meth:`plain` texts."""
        ended = plain if self.newline == "\n" else plain.replace("\n", self.newline)
        data = ended.encode("utf-8", "surrogateescape")
        return codecs.BOM_UTF8 + data if self.has_bom else data

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """The marks, each with a name for the character that it replaces."""
        return tuple((mark, _name(char)) for mark, char in self.marks.items())


def note_text(data: bytes, before: EditableText | None = None, replaced: str = "") -> EditableText:
    """Converts ``data`` to editable text. Raises :class:`NotText` if ``data`` is not (mostly) UTF-8 text.

    ``before`` is the editable text that an editor shows now, and ``replaced`` is its current content. If given, the
    marks of ``before`` are used again where possible, and no character of ``replaced`` becomes a mark, so that the user
    can undo the replacement.
    """
    if b"\0" in data:
        raise NotText("contains NUL bytes, so it is UTF-16 or binary; convert it to UTF-8 first")
    has_bom = data.startswith(codecs.BOM_UTF8)
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    newline = _newline(text)
    if newline != "\n":
        text = text.replace(newline, "\n")
    kept = before.marks if before and not any(mark in text for mark in before.marks) else {}
    marks = {**kept, **dict(_marks(text, kept, replaced))}
    marked = text.translate({ord(char): mark for mark, char in marks.items()}) if marks else text
    return EditableText(marked, newline, has_bom, MappingProxyType(marks))


def without_hidden(text: str) -> str:
    """Removes the characters that editable text would replace with marks."""
    return _HIDDEN.sub("", text)


def _newline(text: str) -> Newline:
    """Returns the line end that ``text`` uses; a line feed if it uses several kinds or none."""
    if "\r" not in text:
        return "\n"
    kinds = set(_ANY_BREAK.findall(text))
    if kinds == {"\r\n"}:
        return "\r\n"
    return "\r" if kinds == {"\r"} else "\n"


def _marks(text: str, kept: Mapping[str, str], replaced: str) -> Iterator[tuple[str, str]]:
    """Yields a mark for each hidden character of ``text`` that does not have one yet.

    A mark is a character that occurs neither in ``text`` nor in ``replaced``.
    """
    hidden = sorted(set(_HIDDEN.findall(text)).difference(kept.values()))
    if not hidden:
        return
    taken = {*text, *replaced, *kept}
    spare = map(chr, itertools.chain(*_SPARE))
    for char in hidden:
        wanted = _wanted(char)
        mark = wanted if wanted not in taken else next(mark for mark in spare if mark not in taken)
        taken.add(mark)
        yield mark, char


def _wanted(char: str) -> str:
    """Returns the preferred mark for ``char``: its control picture, or the Braille pattern of a byte."""
    code = ord(char)
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "\u2421"
    return chr(_BRAILLE + code - _ESCAPED_BYTE) if _is_byte(char) else chr(_PRIVATE + code % 0x100)


def _is_byte(char: str) -> bool:
    return _ESCAPED_BYTE + 0x80 <= ord(char) <= _ESCAPED_BYTE + 0xFF


def _name(char: str) -> str:
    if _is_byte(char):
        return f"byte {ord(char) - _ESCAPED_BYTE:02X}, not UTF-8"
    return _NAMES.get(char, f"U+{ord(char):04X}")
