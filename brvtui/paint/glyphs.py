"""The signs that the app draws, and a letter to replace each sign on a terminal without Unicode."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # signs are drawn before the first answer, and the trace takes long to import
    from brvtui.trace import Kind

AUTO, ON = "auto", "on"
"""Two values of the ``ascii`` setting: use ASCII only if the terminal's encoding requires it, or always."""
_LONGER = {"≥": ">=", "≤": "<=", "→": "->", "←": "<-"}
TO_LETTERS: Mapping[int, str] = {
    ord(sign): letters
    for sign, letters in (*zip("·×÷−–—…“”‘’≠│┄─↑↓≈•›└⚠✓✗", ".x/---~\"\"''#|--^v~*>-!+x", strict=True), *_LONGER.items())
}
"""The replacements for the tool's own signs on terminals without Unicode, for :meth:`str.translate`."""
_CHOSEN: ContextVar[str] = ContextVar("_CHOSEN", default=AUTO)


class Glyphs(NamedTuple):
    """One set of signs. Every value is one cell wide unless its comment says otherwise."""

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
"""The parts of a score: name, role, and the sign and the letter that fill their bar."""
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
"""The letters for maturity signs in the tool's own explanations; in a note's text, such a sign is only a bullet."""


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
    """Returns the glyphs for ``letters``, a value of the ``ascii`` setting; for ``auto``, Unicode signs if the output
    is UTF-8.

    If ``letters`` is empty, the value set by :func:`drawn_in` is used.
    """
    letters = letters or _CHOSEN.get()
    if letters != AUTO:
        return ASCII if letters == ON else UNICODE
    used = (encoding or getattr(sys.__stdout__, "encoding", "") or "").lower().replace("-", "")
    return UNICODE if used in ("utf8", "utf8sig") else ASCII


def in_letters(text: str) -> str:
    """Returns ``text`` with letters in place of the tool's own signs. Letters of other scripts are kept.

    The width of the text stays the same if a blank follows each sign with a longer replacement.
    """
    for sign, letters in _LONGER.items():
        text = text.replace(f"{sign} ", letters)
    return text.translate(TO_LETTERS)
