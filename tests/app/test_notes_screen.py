"""The Notes screen: reading, following links, going back, and changed files; by keys and by mouse."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.markdown import Document
from brvtui.app.notes.note import NotePane, character_at
from brvtui.app.notes.reading import page_document
from brvtui.app.notes.screen import NotesScreen, NotesTree
from brvtui.app.project import opening
from brvtui.lab.about import About
from brvtui.session import Session
from tests.app.driving import NARROW, WIDE, MakeApp, ask, at_all_sizes, press, settled, until
from tests.app.linked import HUB, HUB_TEXT, STORE, note_of, open_linked
from tests.app.looking import AppPilot, brv, flat, frame, screen, shown, text_of, toast_text, toasts, view
from tests.support.trees import Tree


@pytest.fixture
def app(linked: Tree, make_app: MakeApp) -> BrvTui:
    return make_app(linked.root)


@at_all_sizes
async def test_note_is_rendered_with_its_frontmatter(size: tuple[int, int], pilot: AppPilot) -> None:
    await open_linked(pilot)
    assert "frontmatter · 1 field · f in this pane shows it" in text_of(pilot, "#note").splitlines()[0]
    assert "token_store" not in text_of(pilot, "#note")
    await press(pilot, "f3", "f")
    text = text_of(pilot, "#note")
    assert "frontmatter" in text
    assert "related  auth/jwt/token_store.md" in text
    assert "(no such note)" in " ".join(text.split())
    assert "## The end" not in text
    assert "The end" in text
    assert f"{'Note│About  ' if size == NARROW else 'Note · '}{HUB}" in shown(pilot)
    await pilot.click("#note", offset=(8, 1))
    await settled(pilot)
    assert "token_store" not in text_of(pilot, "#note"), "a click on the heading folds it again"
    await press(pilot, "slash", *"token_store")
    assert "token_store" in text_of(pilot, "#note"), "words are found in the frontmatter"


async def test_only_frontmatter_in_a_table_can_be_folded(linked: Tree, make_app: MakeApp) -> None:
    linked.file(HUB, f"{HUB_TEXT}\n┄┄ frontmatter of the text\n")
    async with make_app(linked.root).run_test(size=WIDE) as pilot:
        await open_linked(pilot)
        note = note_of(brv(pilot))
        row = next(place for place, line in enumerate(note.lines) if "of the text" in line.plain)
        await pilot.click("#note", offset=(8, row + 1))
        await settled(pilot)
        assert "token_store" not in text_of(pilot, "#note")
        for key in ("f3", "r", "f", "r"):
            await press(pilot, key)
        await until(pilot, lambda: "token_store" not in text_of(pilot, "#note"))
        await press(pilot, "f")
        await until(pilot, lambda: "token_store" in text_of(pilot, "#note"))


async def test_links_can_be_followed_and_b_goes_back(app: BrvTui, pilot: AppPilot) -> None:
    await open_linked(pilot)
    await press(pilot, "f3", "f")
    await pilot.press("enter")
    assert note_of(app).link == 0
    await press(pilot, "enter")
    assert view(pilot).selection.file == STORE
    await press(pilot, "b")
    note = note_of(app)
    await pilot.press("f3", "right_square_bracket", "right_square_bracket", "right_square_bracket")
    (spot,) = note.links[note.link].spots
    assert note.lines[spot.line].plain[spot.start : spot.end] == "the store"
    assert any("reverse" in role for _, role in note.spans(spot.line))
    await pilot.press("left_square_bracket")
    assert note.link == 1
    await press(pilot, "right_square_bracket", "enter")
    assert view(pilot).selection.file == STORE
    assert "kept hashed" in text_of(pilot, "#note")
    assert app.screen.query_one(NotesTree).chosen == STORE
    assert note.link == -1
    await press(pilot, "b")
    assert view(pilot).selection.file == HUB
    await press(pilot, "B")
    assert view(pilot).selection.file == STORE
    await press(pilot, "backspace", "backspace")
    assert view(pilot).selection.file == HUB
    assert "no link was followed" in toast_text(pilot)
    await press(pilot, "f3", "r")
    assert "## The end" in text_of(pilot, "#note")
    assert f"Note, raw · {HUB}" in shown(pilot)
    await pilot.press("right_square_bracket")
    assert note_of(app).links[note_of(app).link].target.path == STORE
    await press(pilot, "r")
    assert "## The end" not in text_of(pilot, "#note")
    await pilot.press("f3")

    async def follow(word: str) -> None:
        for place, link in enumerate(note.links):
            (first, *_) = link.spots
            if word in note.lines[first.line].plain[first.start : first.end]:
                note.link = place
        await press(pilot, "enter")

    await follow("nowhere")
    assert "leads nowhere: no such note" in toast_text(pilot)
    await follow("web")
    assert "not a note in this tree: https://example.org" in toast_text(pilot)
    assert view(pilot).selection.file == HUB
    await follow("the end")
    assert note.lines[note.offset_row].plain.strip() == "The end" or note.offset_row == note.last_offset
    await follow("folder")
    tree = app.screen.query_one(NotesTree)
    assert tree.chosen == "auth/oauth"
    assert app.focused is tree


async def test_note_pane_handles_clicked_links_search_and_changed_files(app: BrvTui, linked: Tree) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await open_linked(pilot)
        note = note_of(app)
        spot = next(spot for link in note.links for spot in link.spots if "the store" in _words(note, spot))
        await pilot.click("#note", offset=(spot.start + 2, spot.line + 1))
        await settled(pilot)
        assert view(pilot).selection.file == STORE
        assert app.focused is note
        await pilot.click("#note", offset=(3, 2))
        assert view(pilot).selection.file == STORE
        await press(pilot, "b")
        await press(pilot, "f3", "slash", *"paragraph 39")
        assert "Paragraph 39." in shown(pilot)
        assert "match 1 of 1" in shown(pilot)
        await pilot.press("escape", "g")
        await pilot.press("f3", "pagedown")
        offset = note_of(app).offset_row
        assert offset
        linked.file(HUB, HUB_TEXT.format(filler="\n\n".join(f"Sentence {number}." for number in range(40))), 1)
        await until(pilot, lambda: "Sentence 7." in text_of(pilot, "#note"))
        await settled(pilot)
        assert note_of(app).offset_row == offset


def _words(note: NotePane, spot: object) -> str:
    line, start, end = (getattr(spot, name) for name in ("line", "start", "end"))
    return note.lines[line].plain[start:end]


async def test_link_to_a_heading_of_another_note_shows_that_heading(app: BrvTui, linked: Tree) -> None:
    linked.note("hub/first.md", "First", "[end](links.md#the-end)", days=1)
    async with app.run_test(size=NARROW) as pilot:
        await open_linked(pilot, "hub/first.md")
        await press(pilot, "f3", "enter", "enter")
        note = note_of(app)
        assert view(pilot).selection.file == HUB
        assert note.document is not None
        assert note.offset_row == min(note.document.headings["the-end"], note.last_offset)
        assert "Last words" in shown(pilot)


async def test_query_terms_are_highlighted(app: BrvTui, pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    await press(pilot, "escape", "2")
    note = note_of(app)
    lit = {text.lower() for number in range(len(note.lines)) for text, role in note.spans(number) if "match" in role}
    assert {"token", "store"} <= lit


async def test_o_opens_a_result_on_the_notes_screen(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("escape", "o")
        assert not isinstance(frame(pilot), NotesScreen)
        await ask(pilot, "refresh token rotation")
        await press(pilot, "escape", "j")
        second = screen(pilot).results.choices[1]
        await press(pilot, "o")
        assert isinstance(frame(pilot), NotesScreen)
        assert app.screen.query_one(NotesTree).chosen == view(pilot).selection.file == second
        assert note_of(app).rendered is not None
        assert note_of(app).rendered.page.path == second
        await press(pilot, "1", "f8", "G", "k", "o")
        assert isinstance(frame(pilot), NotesScreen)


async def test_removed_or_changed_file_is_reported(app: BrvTui, linked: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "watch", lambda *_: None)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).project.overview)
        await pilot.press("escape", "2")
        (linked.tree / HUB).unlink()
        brv(pilot).selection.select(HUB)
        await until(pilot, lambda: "the file is gone" in text_of(pilot, "#note"))
        linked.file(STORE, "# Other\n\nnewer\n", 0)
        brv(pilot).selection.select(STORE)
        await until(pilot, lambda: "changed on disk" in text_of(pilot, "#note"))
        assert "newer" in text_of(pilot, "#note")


async def test_note_moved_by_another_program_links_to_its_new_path(app: BrvTui, linked: Tree, pilot: AppPilot) -> None:
    await open_linked(pilot)
    text = note_of(app).rendered.page.text  # type: ignore[union-attr]
    (linked.tree / HUB).rename(linked.tree / "moved.md")
    await until(pilot, lambda: "moved to moved.md: it has the same text" in text_of(pilot, "#note"))
    await settled(pilot)
    assert "this is the state before it was" in text_of(pilot, "#note")
    assert note_of(app).rendered.page.text == text  # type: ignore[union-attr]
    assert "overview for a model" not in text_of(pilot, "#about")
    await pilot.press("f4", "f")
    await until(pilot, lambda: "the file is gone" in text_of(pilot, "#about"))
    for key in ("M", "X", "w"):
        app.clear_notifications()
        await pilot.press(key)
        if key == "w":
            await until(pilot, lambda: toasts(pilot))
        assert not app.has_modal
        (message,) = toasts(pilot)
        if view(pilot).answer.trace is not None or key != "w":
            assert message == f"{HUB}: there is no such note (any more)"
    await pilot.press("f3", "enter", "enter")
    await until(pilot, lambda: view(pilot).selection.file == "moved.md")


async def test_git_conflict_is_marked_until_resolved(linked: Tree, pilot: AppPilot) -> None:
    await open_linked(pilot)
    assert "⚠" not in text_of(pilot, "#tree")
    linked.file(HUB, f"{HUB_TEXT}\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> topic\n")
    await until(pilot, lambda: "⚠" in text_of(pilot, "#tree") and "an unresolved conflict" in text_of(pilot, "#note"))
    linked.file(HUB, HUB_TEXT)
    await until(pilot, lambda: "⚠" not in text_of(pilot, "#tree"))
    await until(pilot, lambda: "an unresolved conflict" not in text_of(pilot, "#note"))


async def test_slow_note_shows_a_loading_message(monkeypatch: pytest.MonkeyPatch, pilot: AppPilot) -> None:
    await open_linked(pilot, STORE)
    hold = threading.Event()
    about = Session.about

    def slow(session: Session, path: str, before: About | None = None) -> object:
        hold.wait(30)
        return about(session, path, before)

    monkeypatch.setattr(Session, "about", slow)
    brv(pilot).selection.select(HUB)
    await pilot.pause()
    assert "kept hashed" in text_of(pilot, "#note"), "the note before stays for a moment"
    await until(pilot, lambda: "reading the note…" in text_of(pilot, "#note"))
    hold.set()
    await settled(pilot)
    assert "Go to the store" in text_of(pilot, "#note")


async def test_slow_reload_keeps_the_position(app: BrvTui, linked: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await open_linked(pilot)
        await pilot.press("f3", "pagedown")
        offset = note_of(app).offset_row
        assert offset
        hold = threading.Event()

        def slow(page: About, width: int, raw: bool, is_abandoned: Callable[[], bool], folded: str) -> Document:
            hold.wait(30)
            return page_document(page, width, raw, is_abandoned, folded)

        monkeypatch.setattr("brvtui.app.notes.reading.page_document", slow)
        linked.file(HUB, HUB_TEXT.format(filler="\n\n".join(f"Sentence {number}." for number in range(40))), 1)
        await until(pilot, lambda: note_of(app)._waits)
        await pilot.pause()
        assert note_of(app).offset_row == offset
        hold.set()
        await until(pilot, lambda: "Sentence 7." in text_of(pilot, "#note"))
        await settled(pilot)
        assert note_of(app).offset_row == offset


async def test_only_the_newest_of_many_notes_is_read(monkeypatch: pytest.MonkeyPatch, pilot: AppPilot) -> None:
    await open_linked(pilot, STORE)
    read: list[str] = []
    about = Session.about

    def counted(session: Session, path: str, before: About | None = None) -> object:
        read.append(path)
        return about(session, path, before)

    monkeypatch.setattr(Session, "about", counted)
    paths = [note.path for note in brv(pilot).project.session.snapshot.notes]  # type: ignore[union-attr]
    for path in paths:
        brv(pilot).selection.select(path)
    await until(pilot, lambda: read and read[-1] == paths[-1])
    await settled(pilot)
    assert len(read) < len(paths)
    assert view(pilot).note.page is not None
    assert view(pilot).note.page.path == paths[-1]  # type: ignore[union-attr]


async def test_long_note_is_rendered_outside_the_event_loop(
    app: BrvTui, linked: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = "## Part {0}\n\nSome **bold** text, `code` and a [link](x/{0}.md) that goes on for a while.\n\n- item\n\n"
    linked.file("hub/long.md", "# Long\n\n" + "".join(part.format(number) for number in range(2_000)), 1)
    threads = []

    def watched(*args: object) -> object:
        threads.append(threading.current_thread())
        return page_document(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("brvtui.app.notes.reading.page_document", watched)
    async with app.run_test(size=WIDE) as pilot:
        await open_linked(pilot, "hub/long.md")
        await pilot.press("f3", "G")
        assert "Part 1999" in shown(pilot)
        await press(pilot, "slash", *"part 1000")
        assert "Part 1000" in shown(pilot)
        assert threading.main_thread() not in threads
        assert "… 1700 more" in text_of(pilot, "#about")


async def test_keys_without_a_project_do_nothing(tree: Tree, make_app: MakeApp) -> None:
    app = make_app(tree.root / "nowhere")
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("escape", "o", "2")
        for pane in ("f3", "f4"):
            await pilot.press(
                pane, "enter", "r", "right_square_bracket", "left_square_bracket", "f", "b", "B", "G", "n"
            )
        await settled(pilot)
        assert "no such folder" in flat(pilot, "#tree")
        assert screen(pilot).field.value == ""


def test_cells_of_wide_text_map_to_characters() -> None:
    assert [character_at("a日b", cell) for cell in range(5)] == [0, 1, 1, 2, 3]
