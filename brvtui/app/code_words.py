"""What the app says of notes, as it reads where the symbols of a repository stand in their place."""

from __future__ import annotations

import re

_PHRASES = {
    "maturity (○ draft, ◐ validated, ● core, ▤ summary, ▱ archived stub), title": "title",
    " by maturity (○ draft, ◐ validated, ● core)": "",
    "context tree": "repository",
    "whole tree": "whole repository",
    "note text": "source",
    "Notes": "Symbols",
    "notes": "symbols",
    "Note": "Symbol",
    "note": "symbol",
}
_WRITTEN = re.compile("|".join(rf"(?<!\w){re.escape(phrase)}(?!\w)" for phrase in _PHRASES))


def over_code(text: str) -> str:
    """``text`` with the words for code in place of those for notes: *the screen Symbols*, *the selected symbol*."""
    return _WRITTEN.sub(lambda found: _PHRASES[found[0]], text)
