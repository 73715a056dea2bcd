"""Relations, found where they are written (``@domain/topic/note``)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.reading.links import LinkKind, links_in, normalised


def relations(text: str) -> tuple[str, ...]:
    """The relations of the text as the engine lists them: normalised, each once, in order."""
    return tuple(dict.fromkeys(normalised(link.target) for link in links_in(text) if link.kind is LinkKind.RELATION))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@auth/jwt/tokens.md", ("auth/jwt/tokens.md",)),
        ("see @Auth/JWT/Tokens now", ("auth/jwt/tokens.md",)),
        ("@a/b/c/d.md", ("a/b/c/d.md",)),
        ("@a/b/x.md @c/d/y.md @a/b/x.md @A/B/X", ("a/b/x.md", "c/d/y.md")),
        (
            "## Relations\n@one/two/three.md\n@four/five-six/seven_8.md\n",
            ("one/two/three.md", "four/five-six/seven_8.md"),
        ),
        ("(@a/b/x.md), @a/b/y.md.", ("a/b/x.md", "a/b/y.md")),
        ("@alone and mail me@host", ()),
        ("@/a/b/c", ()),
        ("", ()),
    ],
)
def test_relations(text: str, found: tuple[str, ...]) -> None:
    assert relations(text) == found


def test_normalised() -> None:
    assert normalised("@Auth/My Note") == "auth/my_note.md"
    assert normalised("auth/jwt/x.md") == "auth/jwt/x.md"


@given(st.one_of(st.text(), st.text(st.sampled_from("@/ab.-_ é\n"))))
def test_relations_never_raise_and_never_leave_the_tree(text: str) -> None:
    found = relations(text)
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"[\w-]+(/[\w-]+){1,3}\.[a-z0-9]+(\.md)?", relation, re.ASCII) for relation in found)
