"""The symbols that the app draws, each with a letter that replaces it on a terminal without Unicode."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # signs are drawn before the first answer, but importing the trace takes long
    from brvtui.trace import Kind

AUTO, ON = "auto", "on"
"""Values of the ``ascii`` setting: ``auto`` uses ASCII only if the terminal's encoding requires it, ``on`` always."""
_LONGER = {"≥": ">=", "≤": "<=", "→": "->", "←": "<-"}
TO_LETTERS: Mapping[int, str] = {
    ord(sign): letters
    for sign, letters in (*zip("·×÷−–—…“”‘’≠│┄─↑↓≈•›└⚠✓✗", ".x/---~\"\"''#|--^v~*>-!+x", strict=True), *_LONGER.items())
}
"""The letters that replace the tool's own signs on terminals without Unicode, for :meth:`str.translate`."""
_CHOSEN: ContextVar[str] = ContextVar("_CHOSEN", default=AUTO)


class Glyphs(NamedTuple):
    """One set of signs. Each sign is one cell wide unless its docstring gives another width."""

    unicode: bool
    maturity: Mapping[str, str]
    kind: Mapping[str, str]
    state: Mapping[str, str]
    fills: Mapping[str, str]
    eighths: str
    full: str
    empty: str
    tick: str
    open: str
    closed: str
    prompt: str
    arrow: str
    """An arrow between two steps, three cells wide."""
    skipped_arrow: str
    """An arrow to a skipped step, three cells wide."""
    warn: str
    watching: str
    thumb: str
    dash: str
    here: str
    bullet: str
    up: str
    down: str
    minus: str
    derived: str
    check: str
    cross: str


_STATES = (
    ("hit", "taken", "»", ">"),
    ("missed", "muted", "–", "-"),
    ("passed", "ok", "✓", "+"),
    ("failed", "bad", "✗", "x"),
    ("taken", "taken", "»", ">"),
    ("skipped", "muted", "⊘", "/"),
    ("not_reached", "faint", "·", "."),
    ("not_run", "muted", "~", "~"),
)
"""The states of a step: value, role, sign, and letter."""
STATE_WORDS = {state: state.replace("_", " ") for state, *_ in _STATES}
STATE_ROLES = {state: role for state, role, *_ in _STATES}

_PARTS = (
    ("relevance", "relevance", "█", "R"),
    ("importance", "importance", "▓", "I"),
    ("recency", "recency", "▒", "r"),
    ("local bonus", "local", "░", "L"),
    ("maturity", "maturity", "▚", "M"),
    ("propagated", "propagated", "█", "P"),
    ("named note", "named", "█", "N"),
    ("named folder", "named", "█", "N"),
    ("below the named folder", "named", "█", "N"),
    ("bm25 leg", "relevance", "█", "W"),
    ("vector leg", "propagated", "▓", "V"),
    ("intent", "maturity", "▚", "x"),
    ("words", "relevance", "█", "W"),
    ("vector", "propagated", "▓", "V"),
    ("severity", "importance", "▚", "!"),
    ("age", "recency", "▒", "a"),
    ("tags", "maturity", "░", "t"),
    ("domain", "local", "▞", "m"),
    ("links", "named", "▣", "g"),
    ("reach", "relevance", "█", "R"),
    ("confidence", "importance", "▓", "C"),
    ("nearness", "local", "░", "N"),
    ("other", "other", "▒", "?"),
    ("lost", "lost", "╱", "/"),
)
"""The parts of a score: name, role, and the sign and the letter that fill their bars."""
PART_ROLES = {part: role for part, role, *_ in _PARTS}

UNICODE = Glyphs(
    unicode=True,
    maturity={"draft": "○", "validated": "◐", "core": "●"},
    kind={"summary": "▤", "archive_stub": "▱"},
    state={state: sign for state, _, sign, _ in _STATES},
    fills={part: sign for part, _, sign, _ in _PARTS},
    eighths="▏▎▍▌▋▊▉█",
    full="▰",
    empty="▱",
    tick="┊",
    open="▾",
    closed="▸",
    prompt="›",
    arrow="──▸",
    skipped_arrow="╌╌╌",
    warn="⚠",
    watching="≈",
    thumb="▐",
    dash="┄",
    here="▌",
    bullet="•",
    up="▴",
    down="▾",
    minus="−",
    derived="▫",
    check="✓",
    cross="✗",
)

ASCII = Glyphs(
    unicode=False,
    maturity={"draft": "d", "validated": "v", "core": "c"},
    kind={"summary": "s", "archive_stub": "a"},
    state={state: letter for state, _, _, letter in _STATES},
    fills={part: letter for part, _, _, letter in _PARTS},
    eighths="#",
    full="#",
    empty=".",
    tick="|",
    open="v",
    closed=">",
    prompt=">",
    arrow="-->",
    skipped_arrow=" - ",
    warn="!",
    watching="~",
    thumb="#",
    dash="-",
    here=">",
    bullet="*",
    up="^",
    down="v",
    minus="-",
    derived="f",
    check="+",
    cross="x",
)

MATURITIES = ("draft", "validated", "core")
NOTE_LETTERS: Mapping[int, str] = {
    **{ord(sign): ASCII.maturity[maturity] for maturity, sign in UNICODE.maturity.items()},
    **{ord(sign): ASCII.kind[kind] for kind, sign in UNICODE.kind.items()},
    ord(UNICODE.derived): ASCII.derived,
}
"""The letters that replace maturity signs in the tool's own texts.

In the text of a note, such a sign is only a bullet.
"""


def glyph_of(kind: Kind, maturity: str, glyphs: Glyphs) -> tuple[str, str]:
    """Returns the glyph of a result or note, and its role."""
    if kind.value in glyphs.kind:
        return glyphs.kind[kind.value], "summary" if kind.value == "summary" else "stub"
    return glyphs.maturity.get(maturity, " "), maturity if maturity in glyphs.maturity else "muted"


@contextmanager
def drawn_in(letters: str) -> Iterator[None]:
    """Sets the value of the ``ascii`` setting for :func:`for_terminal` within the block."""
    token = _CHOSEN.set(letters)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def for_terminal(letters: str = "", encoding: str | None = None) -> Glyphs:
    """Returns the glyphs for ``letters``, a value of the ``ascii`` setting.

    For ``auto``, these are Unicode signs if the encoding of the output is UTF-8. If ``letters`` is empty, the value set
    by :func:`drawn_in` is used.
    """
    letters = letters or _CHOSEN.get()
    if letters != AUTO:
        return ASCII if letters == ON else UNICODE
    used = (encoding or getattr(sys.__stdout__, "encoding", "") or "").lower().replace("-", "")
    return UNICODE if used in ("utf8", "utf8sig") else ASCII


def in_letters(text: str) -> str:
    """Replaces the tool's own signs in ``text`` with letters. Letters of other scripts are kept.

    The text keeps its width if each sign with a longer replacement is followed by a space.
    """
    for sign, letters in _LONGER.items():
        text = text.replace(f"{sign} ", letters)
    return text.translate(TO_LETTERS)
