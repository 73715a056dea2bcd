"""The Terms and Tokens panes, on a screen of their own."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from brvtui.app.arrangement import Arrangement, Split
from brvtui.app.health.terms_pane import TermsPane
from brvtui.app.health.tokens_pane import TokensPane
from brvtui.app.health.words import Words, WordsWanted
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.widgets.pane import Pane
from tests.app.driving import MakeApp, settled, until
from tests.app.looking import AppPilot, brv
from tests.support.trees import Tree


class WordsScreen(FrameScreen):
    TITLE = "Words"
    PLAN = Arrangement(
        ("terms", "tokens"), "", ("terms", "tokens"), lambda width, _: Split("words", True, ("terms", "tokens"), (1, 1))
    )
    AUTO_FOCUS = "#terms"

    def __init__(self, app: AppPilot) -> None:
        super().__init__(brv(app).layouts)
        self._words = Words(brv(app), brv(app).project)
        self.wanted: list[str] = []

    def make_panes(self) -> ComposeResult:
        yield TermsPane(id="terms")
        yield TokensPane(id="tokens")

    @on(WordsWanted)
    def _want(self, event: WordsWanted) -> None:
        self._words.want(event)

    @on(Pane.NoteWanted)
    def _note(self, event: Pane.NoteWanted) -> None:
        self.wanted.append(event.file)


async def shown(pilot: AppPilot) -> tuple[WordsScreen, TermsPane, TokensPane]:
    await settled(pilot)
    own = WordsScreen(pilot)
    await pilot.app.push_screen(own)
    await until(pilot, lambda: own.is_made)
    own.show(brv(pilot).store.view)
    terms, tokens = own.query_one(TermsPane), own.query_one(TokensPane)
    await until(pilot, lambda: terms.choices)
    return own, terms, tokens


async def test_terms_are_listed_filtered_and_opened(make_app: MakeApp, garden: Tree) -> None:
    garden.file("ops/split.md", "# Hooks\n\nA web hook; the webhook.\n")
    async with make_app(garden.root).run_test(size=(160, 40)) as pilot:
        own, terms, _ = await shown(pilot)
        assert len(terms.choices) > 20
        await pilot.press("slash", *"webh")
        await until(pilot, lambda: terms.choices == ["webhook"])
        await pilot.press("enter", "enter")
        await until(pilot, lambda: "note ops/split.md" in terms.choices)
        assert any("web hook" in line.plain for line in terms.lines)
        await pilot.press("down", "enter")
        await until(pilot, lambda: own.wanted == ["ops/split.md"])
        await pilot.press("up", "enter")
        await until(pilot, lambda: terms.choices == ["webhook"])


async def test_order_and_kind_of_terms_change_by_key(make_app: MakeApp, garden: Tree) -> None:
    garden.file("ops/split.md", "# Hooks\n\nA web hook; the webhook.\n")
    async with make_app(garden.root).run_test(size=(160, 40)) as pilot:
        _, terms, _ = await shown(pilot)
        first = terms.choices
        await pilot.press(*"SSS")
        await until(pilot, lambda: terms.choices != first and terms.choices == sorted(terms.choices))
        await pilot.press(*"ooo")
        await until(pilot, lambda: terms.choices == ["rollback", "webhook"])


async def test_tokens_show_the_query_and_then_the_typed_text(make_app: MakeApp, garden: Tree) -> None:
    async with make_app(garden.root).run_test(size=(160, 40)) as pilot:
        await settled(pilot)
        await pilot.press(*"zyxw")
        _, _, tokens = await shown(pilot)

        def text() -> str:
            return "\n".join(line.plain for line in tokens.lines)

        await until(pilot, lambda: text().count("zyxw") > 5)
        tokens.focus()
        await pilot.press("slash", *"qqqq", "enter")
        await until(pilot, lambda: "zyxw" not in text() and text().count("qqqq") > 5)
        assert tokens.has_focus
        await pilot.press("slash", "escape")
        await until(pilot, lambda: "qqqq" not in text() and "zyxw" in text())
