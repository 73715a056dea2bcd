"""The app in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.browser import PROGRAM, opened
from tests.support.trees import Tree
from tests.web.test_serve import Served, served

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(PROGRAM is None, reason="no chromium here (Debian: apt-get install chromium)"),
]
__all__ = ["served"]


@pytest.fixture(autouse=True)
def all_panes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The served app begins with every pane."""
    monkeypatch.setenv("BRV_TUI_PANES", "all")


async def test_typed_query_fills_the_panes_in_a_browser(served: Served, tree: Tree, tmp_path: Path) -> None:
    async with opened(tmp_path / "browser") as page:
        await page.open(served.printed)
        await page.until(lambda text: "1 note " in text)
        await page.type("quokka")
        trace = tree.session().preview("quokka")
        panes = [f" {pane} " for pane in ("Route", "Tree", "Results", "Score", "Retry", "Cache", "Answer")]
        found = ["› quokka ", "Needs an agent loop", "x/n.md", f"{trace.hits[0].score:.2f}", *panes]
        await page.until(lambda text: all(one in text for one in found))
        await page.press("Enter")
        await page.until(lambda text: " RUN " in text and "1/50" in text)
        assert all(address.startswith(served.url) for address in page.requested)
        assert await page.evaluate("location.href") == served.url, "the token leaves the address bar"
        assert "brv-tui" not in await page.evaluate("document.cookie")
        await page.call("Page.reload")
        await page.until(lambda text: "1 note " in text)
        assert len(page.requested) >= 3


_PASTE = """
(text => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const paste = new ClipboardEvent("paste", {clipboardData, bubbles: true});
    document.querySelector(".xterm-helper-textarea").dispatchEvent(paste);
})
"""


async def test_large_paste_arrives_complete(served: Served, tmp_path: Path) -> None:
    """The server closes connections with larger messages, and pieces must not split a character."""
    async with opened(tmp_path / "browser") as page:
        await page.open(served.printed)
        await page.until(lambda text: "1 note " in text)
        await page.type("q")
        for count, character in ((2_000_000, "e"), (2_000_000, "\u20ac"), (1_000_000, "\U0001f600")):
            await page.evaluate(f"{_PASTE}('{character}'.repeat({count}))")
            await page.until(lambda text, count=count: f"the query has {count + 1:,} characters" in text)  # type: ignore[misc]
            await page.call("Input.dispatchKeyEvent", type="rawKeyDown", key="u", windowsVirtualKeyCode=85, modifiers=2)
            await page.until(lambda text: "Ask a question" in text)
            await page.type("q")
