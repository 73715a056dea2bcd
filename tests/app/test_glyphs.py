"""There is a symbol for every state and kind in a trace."""

from __future__ import annotations

import pytest

from brvtui.paint.glyphs import ASCII, STATE_ROLES, STATE_WORDS, UNICODE, Glyphs, glyph_of
from brvtui.trace import Kind, State
from tests.app.driving import WIDE, MakeApp, ask, press, settled, until
from tests.app.looking import flat, shown, toast_text
from tests.support.trees import Tree


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["signs", "letters"])
def test_every_state_has_a_sign_a_word_and_a_role(glyphs: Glyphs) -> None:
    states = {state.value for state in State}
    assert states == glyphs.state.keys() == STATE_WORDS.keys() == STATE_ROLES.keys()


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["signs", "letters"])
def test_notes_have_maturity_signs_and_other_kinds_their_own(glyphs: Glyphs) -> None:
    assert glyph_of(Kind.CONTEXT, "core", glyphs) == (glyphs.maturity["core"], "core")
    assert glyph_of(Kind.CONTEXT, "", glyphs) == (" ", "muted")
    assert glyph_of(Kind.SUMMARY, "core", glyphs) == (glyphs.kind[Kind.SUMMARY.value], "summary")
    assert glyph_of(Kind.ARCHIVE_STUB, "core", glyphs) == (glyphs.kind[Kind.ARCHIVE_STUB.value], "stub")


async def test_toasts_and_dialog_titles_use_ascii_signs(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_ASCII", "1")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback", "escape", "Y")
        await until(pilot, lambda: '"rollback"' in toast_text(pilot))
        await pilot.press("w")
        await until(pilot, lambda: 'for "rollback"' in shown(pilot))
        assert not set("“”‘’…") & set(toast_text(pilot) + shown(pilot))


async def test_help_explains_the_ascii_signs(garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_ASCII", "1")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "2", "f1")
        for words in ("(d draft, v", "validated, c core)", "stubs (a, the remains"):
            assert words in flat(pilot)
        assert not set("○◐●▤▱▫") & set(shown(pilot))
