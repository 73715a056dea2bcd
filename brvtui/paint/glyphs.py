"""Every sign that the app draws, and a letter form of each for terminals without Unicode."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # signs are drawn before there is an answer, whose trace takes long to import
    from brvtui.trace import Kind

AUTO, ON = "auto", "on"
"""Settings of ASCII output: chosen by the terminal's encoding, or always."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of signs; every value is one cell wide unless its name says otherwise."""

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
    """Three cells."""
    skipped_arrow: str
    """Three cells."""
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


_STATES = ("hit", "missed", "passed", "failed", "taken", "skipped", "not_reached", "not_run")


def _states(signs: str) -> dict[str, str]:
    return dict(zip(_STATES, signs, strict=True))


UNICODE = Glyphs(
    unicode=True,
    maturity={"draft": "○", "validated": "◐", "core": "●"},
    kind={"summary": "▤", "archive_stub": "▱"},
    state=_states("»–✓✗»⊘·~"),
    fills={
        "relevance": "█",
        "importance": "▓",
        "recency": "▒",
        "local bonus": "░",
        "maturity": "▚",
        "propagated": "█",
        "named note": "█",
        "named folder": "█",
        "below the named folder": "█",
        "bm25 leg": "█",
        "vector leg": "▓",
        "intent": "▚",
        "other": "▒",
        "lost": "╱",
    },
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
    state=_states(">-+x>/.~"),
    fills={
        "relevance": "R",
        "importance": "I",
        "recency": "r",
        "local bonus": "L",
        "maturity": "M",
        "propagated": "P",
        "named note": "N",
        "named folder": "N",
        "below the named folder": "N",
        "bm25 leg": "W",
        "vector leg": "V",
        "intent": "x",
        "other": "?",
        "lost": "/",
    },
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

STATE_WORDS = {state: state.replace("_", " ") for state in _STATES}

STATE_ROLES = {
    "hit": "taken",
    "missed": "muted",
    "passed": "ok",
    "failed": "bad",
    "taken": "taken",
    "skipped": "muted",
    "not_reached": "faint",
    "not_run": "muted",
}


def glyph_of(kind: Kind, maturity: str, glyphs: Glyphs) -> tuple[str, str]:
    """The sign of a result and its role."""
    if kind.value in glyphs.kind:
        return glyphs.kind[kind.value], "summary" if kind.value == "summary" else "stub"
    return glyphs.maturity.get(maturity, " "), maturity if maturity in glyphs.maturity else "muted"


def for_terminal(letters: str = AUTO, encoding: str | None = None) -> Glyphs:
    """Letters or signs, as the setting ``ascii`` says; by itself, signs where the output is UTF-8."""
    if letters != AUTO:
        return ASCII if letters == ON else UNICODE
    used = (encoding or getattr(sys.__stdout__, "encoding", "") or "").lower().replace("-", "")
    return UNICODE if used in ("utf8", "utf8sig") else ASCII
