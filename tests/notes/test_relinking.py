"""The text of a link that follows: written as it was, or not at all."""

from __future__ import annotations

import pytest

from brvtui.notes.moving import relinked
from brvtui.tree.reading.links import Names, links_in

NAMES = Names(
    ["a/b/n.md", "a/b/other.md", "x/y z.md", "x/q/w.md", "A/B/N m.md", "top.md", "it's/b/c.md", "tab\there/a/b.md"]
)


@pytest.mark.parametrize(
    ("text", "target", "made"),
    [
        ("@a/b/n.md", "x/q/w.md", "@x/q/w.md"),
        ("@a/b/n", "x/q/w.md", "@x/q/w"),
        ("@a/b/n.md", "x/y z.md", None),
        ("@a/b/n.md", "top.md", None),
        ("@A/B/n.md", "A/B/N m.md", "@a/b/n_m.md"),
        ("[t](n.md)", "a/b/other.md", "other.md"),
        ("[t](./n.md)", "a/b/other.md", "./other.md"),
        ("[t](./n.md)", "top.md", "../../top.md"),
        ("[t](n)", "x/y z.md", "../../x/y%20z"),
        ("[t](<n.md>)", "x/y z.md", "../../x/y z.md"),
        ("[t](a/b/n.md)", "x/q/w.md", "x/q/w.md"),
        ("---\nrelated: [a/b/n.md]\n---\n", "x/y z.md", "x/y z.md"),
        ("---\nrelated: ['a/b/n.md']\n---\n", "x/y z.md", "'x/y z.md'"),
        ("---\nrelated: ['@a/b/n']\n---\n", "it's/b/c.md", "'@it''s/b/c'"),
        ('---\nrelated: ["a/b/n.md"]\n---\n', "tab\there/a/b.md", '"tab\\there/a/b.md"'),
        ("---\nrelated: ['a/b/n.md']\n---\n", "tab\there/a/b.md", '"tab\\there/a/b.md"'),
        ("---\nrelated: [a/b/n.md]\n---\n", "gone/a/b.md", None),
    ],
)
def test_follow(text: str, target: str, made: str | None) -> None:
    (link,) = links_in(text)
    found = NAMES.resolve(link, "a/b/source.md")
    assert found.path in ("a/b/n.md", "A/B/N m.md")
    assert relinked(text, found, "a/b/source.md", target, NAMES) == made
