"""The Answer pane renders Markdown."""

from __future__ import annotations

import pytest

from brvtui.app.query.answer import _FRONTMATTER, AnswerPane
from brvtui.paint.blocks import HIGHLIGHT
from tests.app.driving import HUGE, MakeApp, ask, press, settled, until
from tests.app.looking import AppPilot, screen, shown, view
from tests.support.trees import Tree

TEXT = """The wombat digs **deep** burrows, see [the map](https://example.org/map) and @other.md.

| tool | use |
| --- | --- |
| paw | digging |

- one
- two

```
# no heading
```
"""


def pane(pilot: AppPilot) -> AnswerPane:
    """The Answer pane."""
    return screen(pilot).query_one(AnswerPane)


def rows(pilot: AppPilot) -> list[str]:
    """The lines of the pane without their margins."""
    return [line.plain.strip() for line in pane(pilot).lines]


def roles(pilot: AppPilot, part: str) -> set[str]:
    """The roles of the spans with the text ``part``."""
    return {role for line in pane(pilot).lines for text, role in line.spans if text.strip() == part}


async def test_answer_and_note_are_rendered(tree: Tree, make_app: MakeApp) -> None:
    tree.file("wombat.md", f"---\ntitle: Wombat\ntags: [digger]\n---\n# Wombat\n\n{TEXT}")
    async with make_app(tree.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "wombat burrows", "escape")
        await press(pilot, "f7")
        await until(pilot, lambda: "Summary" in rows(pilot))
        assert "• The wombat digs deep burrows, see the map and @other.md." in rows(pilot)
        assert "## Summary" in view(pilot).answer.trace.answer.text
        await press(pilot, "right", "right")
        await until(pilot, lambda: "• one" in rows(pilot))
        assert "│ title: Wombat" in rows(pilot)
        assert "│ # no heading" in rows(pilot)
        assert any(row.startswith("tool") and row.endswith("use") for row in rows(pilot))
        assert "deep" in {text for line in pane(pilot).lines for text, role in line.spans if "bold" in role}
        assert roles(pilot, "burrows") == {HIGHLIGHT}
        assert "**" not in "".join(rows(pilot))


async def test_links_in_an_answer_lead_nowhere(tree: Tree, make_app: MakeApp) -> None:
    tree.file("wombat.md", f"# Wombat\n\n{TEXT}")
    async with make_app(tree.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "wombat burrows", "escape", "enter")
        await until(pilot, lambda: "• one" in rows(pilot))
        number = next(place for place, row in enumerate(rows(pilot)) if "the map" in row)
        corner = pane(pilot).content_region.offset
        before = (view(pilot).selection.file, pilot.app.screen)
        await pilot.click(offset=(corner.x + rows(pilot)[number].index("the map") + 2, corner.y + number))
        await press(pilot, "enter")
        assert (view(pilot).selection.file, pilot.app.screen) == before
        assert "example.org" not in "".join(str(strip) for strip in map(pane(pilot).paint_row, range(20)))


@pytest.mark.parametrize(
    "text",
    [
        "wombat \x1b]0;owned\x07 \u202e burrow",
        "wombat [x](javascript:alert(1)) <script>x</script> ![i](file:///etc/passwd)",
        "wombat\n---\n" * 200,
        "wombat " + "[" * 5_000,
        "wombat " + "> " * 3_000 + "deep",
        "wombat\n" + "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n",
    ],
    ids=["escapes", "html", "rules", "brackets", "quotes", "columns"],
)
async def test_hostile_answer_is_shown_as_text(tree: Tree, make_app: MakeApp, text: str) -> None:
    tree.file("wombat.md", f"# Wombat\n\n{text}\n\nat the end of the wombat\n")
    async with make_app(tree.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "wombat", "escape", "enter")
        await until(pilot, lambda: "at the end of the" in "".join(rows(pilot)))
        assert not set("\x1b\x07\u202e") & set(shown(pilot))
        assert all(line.width <= pane(pilot).room for line in pane(pilot).lines)


async def test_very_long_note_is_shown_as_plain_text(tree: Tree, make_app: MakeApp) -> None:
    tree.file("wombat.md", "# Wombat\n\n" + f"the **wombat** digs {'earth ' * 40}\n\n" * 900)
    async with make_app(tree.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "wombat", "escape", "enter")
        await settled(pilot)
        assert any("the **wombat** digs" in row for row in rows(pilot))
        assert len(rows(pilot)) < 3_000


def test_unclosed_frontmatter_is_searched_in_linear_time() -> None:
    text = "---\n" + "-a: b\n" * 10_000
    assert _FRONTMATTER.search(text) is None, "a slow search would never end"
