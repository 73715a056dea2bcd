"""Strings as YAML scalars: read back as they were, and quoted only where that is needed."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.editing.fields import double_quoted, scalar

READABLE = st.text(st.characters(exclude_categories=["Cs"])).filter(
    lambda text: not yaml.reader.Reader.NON_PRINTABLE.search(scalar(text))
)


@pytest.mark.parametrize(
    ("text", "in_block", "in_flow"),
    [
        ("auth/jwt/x.md", "auth/jwt/x.md", "auth/jwt/x.md"),
        ("a, b.md", "a, b.md", "'a, b.md'"),
        ("a/[b].md", "a/[b].md", "'a/[b].md'"),
        ("it's", "it's", "it's"),
        ("'it", "'''it'", "'''it'"),
        ("@a/b", "'@a/b'", "'@a/b'"),
        ("a: b", "'a: b'", "'a: b'"),
        ("a:b", "a:b", "a:b"),
        ("a #b", "'a #b'", "'a #b'"),
        ("a#b", "a#b", "a#b"),
        ("true", "'true'", "'true'"),
        ("12", "'12'", "'12'"),
        ("", "''", "''"),
        (" a", "' a'", "' a'"),
        ("a\tb", '"a\\tb"', '"a\\tb"'),
        ("\x01é\u2028", '"\\x01é\\L"', '"\\x01é\\L"'),
    ],
)
def test_quotes(text: str, in_block: str, in_flow: str) -> None:
    assert (scalar(text), scalar(text, in_flow=True)) == (in_block, in_flow)


@given(READABLE)
def test_they_are_read_back(text: str) -> None:
    assert yaml.safe_load(f"key: {scalar(text)}\n") == {"key": text}
    assert yaml.safe_load(f"key: [{scalar(text, in_flow=True)}, x]\n") == {"key": [text, "x"]}
    assert yaml.safe_load(f"key: {double_quoted(text)}\n") == {"key": text}
    assert "\n" not in scalar(text)
