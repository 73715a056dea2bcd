"""White space as JavaScript sees it, which decides how the engine splits queries and trims titles."""

from __future__ import annotations

import re

_QUADS = "".join(chr(code) for code in range(0x2000, 0x200B))
SPACE = f"\t\n\v\f\r \xa0\u1680{_QUADS}\u2028\u2029\u202f\u205f\u3000\ufeff"
"""Every character of it."""
_SPACES = re.compile(f"[{SPACE}]+")


def spaced_words(text: str) -> list[str]:
    """The words of ``text`` as splitting on white space leaves them, punctuation kept."""
    return [word for word in _SPACES.split(text) if word]


def trim(text: str) -> str:
    """``text`` without white space at its ends."""
    return text.strip(SPACE)


def first_word(text: str) -> str:
    """What stands before the first white space of ``text``: empty when it begins with one."""
    return _SPACES.split(text, maxsplit=1)[0]


def folded(text: str) -> str:
    """``text`` trimmed, each run of white space as one space."""
    return " ".join(spaced_words(text))
