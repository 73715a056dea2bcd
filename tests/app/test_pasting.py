"""Bursts of keys from a terminal without bracketed paste are pastes; keys from people and scripts are not."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterable
from itertools import count

import pytest
from textual import events
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from brvtui.app.configured import ConfiguredApp
from brvtui.app.pasting import PasteParser, PasteReader, PastingDriver

_NAMES = {"\n": "enter", "\r": "enter", "\t": "tab"}


class Terminal:
    """A reader with its own clock, and its output: keys as they are, pastes in angle brackets."""

    def __init__(self, field: bool = True) -> None:
        self.now = 100.0
        self.handed: list[str] = []
        self.reader = PasteReader(self._hand_on, lambda: field, lambda: self.now)

    def _hand_on(self, message: Message) -> None:
        if isinstance(message, events.Paste):
            self.handed.append(f"<{message.text}>")
        else:
            assert isinstance(message, events.Key)
            self.handed.append("\n" if message.key == "enter" else message.character or message.key)

    def send(self, text: str, gap: float = 0.0001, pause: float = 1) -> list[str]:
        """Sends ``text`` with ``gap`` seconds before each key, waits for ``pause`` seconds, and returns the whole
        output.
        """
        for char in text:
            self.now += gap
            self.reader.read(events.Key(_NAMES.get(char, char), "\r" if char == "\n" else char))
        self.now += pause
        self.reader.flush()
        return self.handed


PASTES = (
    "harbor worker\nqueue rows\n\tand tabs\n",
    "one\ntwo",
    "name\tvalue",
    "a\nbcd",
    "first line\n\n\nafter blank lines\n",
    "ｗｉｄｅ\n日本語\n",
    "carrier resends\nb",
    "harbor worker\t7",
    "harbor worker\n\x11\nabc\n",
    "webhook retries \x11 and more text\n",
    "JUNKJUNK line\x13",
    "ab\x13cde",
    "- item\n- item\n" * 500,
)


@pytest.mark.parametrize("text", PASTES)
@pytest.mark.parametrize("gap", [0, 0.001, 0.008])
@pytest.mark.parametrize("field", [True, False])
def test_lines_that_arrive_together_are_one_paste(text: str, gap: float, field: bool) -> None:
    assert Terminal(field).send(text, gap) == [text[0], f"<{text[field:]}>"], "the first letter is text only in a field"


KEYS = (
    "harbor\n",
    "ll",
    "jjjjjjjjjjjj",
    "\n\n\n\n",
    "\t\t\t",
    "/harbor\n",
    "harbor\njj",
    "j\nk",
    "\nabc",
    "x",
    "abc\x13",
    "\x13\x13\x13",
    "x\x11",
)


@pytest.mark.parametrize("text", KEYS)
@pytest.mark.parametrize("field", [True, False])
def test_simultaneous_keys_stay_keys(text: str, field: bool) -> None:
    assert Terminal(field).send(text) == list(text)


@pytest.mark.parametrize("text", [*PASTES[:-1], *KEYS])
def test_keys_of_a_fast_typist_stay_keys(text: str) -> None:
    """Thirty keys a second, as sent by a held key, is faster than people type."""
    assert Terminal().send(text, 0.033) == list(text)


def test_single_line_burst_is_typed_in_a_field_but_pasted_elsewhere() -> None:
    assert Terminal(field=True).send("delete everything") == list("delete everything")
    assert Terminal(field=False).send("delete everything") == ["d", "<delete everything>"]


@pytest.mark.parametrize("pause", [0.05, 0.2, 0.45])
def test_paste_in_pieces_submits_no_line(pause: float) -> None:
    """A terminal delivers 4,096 bytes at a time, with delays if the screen is busy. A line break between two pieces
    must not submit the field.
    """
    terminal = Terminal()
    for piece in ("one\ntwo", "\nthree", " and four\n"):
        for char in piece:
            terminal.reader.read(events.Key(_NAMES.get(char, char), char))
        terminal.reader.flush()
        terminal.now += pause
    assert "\n" not in terminal.handed[:-1]
    assert "".join(terminal.handed).replace("<", "").replace(">", "") == "one\ntwo\nthree and four\n"


@pytest.mark.parametrize("pause", [0.05, 0.2, 1.0])
def test_keys_after_a_paste_are_keys(pause: float) -> None:
    terminal = Terminal()
    terminal.send("one\ntwo", pause=pause)
    for key in "\nab":
        terminal.send(key, pause=pause)
    assert terminal.handed == ["o", "<ne\ntwo>", "\n", "a", "b"]


def test_other_events_wait_for_delayed_keys() -> None:
    terminal = Terminal()
    for char in "abc":
        terminal.reader.read(events.Key(char, char))
    terminal.reader.read(events.Key("up", None))
    assert terminal.handed == ["a", "b", "c", "up"]


async def test_paste_reader_flushes_without_further_input() -> None:
    """With the system's clock, the reader flushes by itself."""
    handed: list[Message] = []
    reader = PasteReader(handed.append, lambda: True)
    for char in "one\ntwo":
        reader.read(events.Key(_NAMES.get(char, char), char))
    async with asyncio.timeout(5):
        while len(handed) < 2:
            await asyncio.sleep(0.01)
    assert isinstance(handed[1], events.Paste)
    assert handed[1].text == "ne\ntwo"


@pytest.mark.parametrize("text", ["\ufffd" * 2_000, "1;" * 1_000, "ab\x01\n" * 500])
@pytest.mark.parametrize("gap", [0, 0.002])
@pytest.mark.parametrize("piece", [50, 2_000])
def test_flood_becomes_few_messages_and_later_keys_still_work(text: str, gap: float, piece: int) -> None:
    """In a busy app, the pieces of a flood arrive late, so that each piece might look like typed keys."""
    terminal = Terminal()
    for at in range(0, len(text), piece):
        terminal.send(text[at : at + piece], gap, pause=0.02)
    terminal.now += 0.5
    assert len(terminal.handed) < 700
    assert "".join(part[1:-1] if len(part) > 1 else part for part in terminal.handed) == text
    before = len(terminal.handed)
    assert terminal.send("\x11")[before:] == ["\x11"]


def test_floods_of_special_keys_are_dropped_but_held_keys_are_not() -> None:
    terminal = Terminal()
    for key in ["up"] * 3_000 + ["alt+x"] * 3_000:
        terminal.reader.read(events.Key(key, None))
    assert 100 < len(terminal.handed) < 700
    terminal.handed.clear()
    for _ in range(3_000):
        terminal.now += 0.033
        terminal.reader.read(events.Key("down", None))
    assert len(terminal.handed) > 2_900, "a key that is held down"


def test_app_uses_the_pasting_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(App, "get_driver_class", lambda self: LinuxDriver)
    assert ConfiguredApp().driver_class is PastingDriver


ESCAPED = {
    "ab\x1b[31mcd": "abcd",
    "\x1bq": "\x1aq",
    "a\x1b": "a\x1a",
    "a\x1b[20": "a\x1a[20",
    "x\x1b[31m\ry": "x\ry",
    "\x1b\x1b[B": "\x1a",
    "a\x1b[200~b": "ab",
    "\x1b[<0;1;1M": "",
    "\x1b]0;t\x07c": "c",
    "\x1b]0;t\x1b\\c": "c",
    "\x1bOP\x07\x11": "\x1aOP\x07\x11",
}


@pytest.mark.parametrize("text", ESCAPED)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 99])
def test_escapes_in_a_paste_are_not_keys(text: str, size: int) -> None:
    parser, sent = PasteParser(), f"k\x1b[A\x1b[200~{text}\x1b[201~\x1b[Bz"
    found = [event for at in range(0, len(sent), size) for event in parser.feed(sent[at : at + size])]
    keys = [event.key for event in found if isinstance(event, events.Key)]
    pasted = [event.text for event in found if isinstance(event, events.Paste)]
    assert keys == ["k", "up", "down", "z"]
    assert "".join(pasted) == ESCAPED[text]


LONG = {
    "an answer": "\x1b[?" + "1;" * 5_000 + "c",
    "a colour": "\x1b]11;rgb:" + "f" * 9_000 + "\x07",
    "a colour that ends in two characters": "\x1b]11;rgb:" + "f" * 9_000 + "\x1b\\",
    "settings": "\x1bP1$r" + "A" * 9_000 + "\x1b\\",
    "a command": "\x1b_" + "ä" * 9_000 + "\x1b\\",
}


def _keys(parts: Iterable[str]) -> list[str]:
    """The characters of the keys in ``parts``, or their names if they have none."""
    parser = PasteParser()
    found = [event for part in parts for event in parser.feed(part)]
    return [event.character or event.key for event in found if isinstance(event, events.Key)]


@pytest.mark.parametrize("text", LONG.values(), ids=list(LONG))
@pytest.mark.parametrize("size", [100, 4_096, 99_999])
def test_overlong_escape_sequences_are_not_keys(text: str, size: int) -> None:
    sent = f"k\x1b[A{text}\x1b[Bz"
    assert _keys(sent[at : at + size] for at in range(0, len(sent), size)) == ["k", "up", "down", "z"]


def test_control_character_ends_an_unterminated_string() -> None:
    assert _keys(["\x1bP1$r" + "A" * 5_000, "A" * 5_000, "\x11"]) == ["\x11"]


def test_alt_p_before_text_does_not_swallow_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(0, 0.02)
    monkeypatch.setattr("brvtui.app.pasting.time.monotonic", lambda: next(clock))
    assert "".join(_keys(["\x1bP", *"x" * 100])).count("x") == 100


def test_key_after_a_pause_ends_an_unterminated_paste(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("brvtui.app.pasting.time.monotonic", lambda: now)
    parser = PasteParser()
    assert [*parser.feed("\x1b[200~one ")] == []
    now += 2
    assert [*parser.feed("two " * 100)] == [], "the rest of a paste that comes late"
    now += 2
    paste, key = parser.feed("\x11")
    assert isinstance(paste, events.Paste)
    assert paste.text == "one " + "two " * 100
    assert isinstance(key, events.Key)
    assert key.key == "ctrl+q"


IMPOSSIBLE = ["1114112;1", "55296;1", f"{'9' * 20};1", "1:2;1", "97;1:2", "97;1;55296", "97;1;1114112:97"]


@pytest.mark.parametrize("codes", IMPOSSIBLE)
@pytest.mark.parametrize("end", "uA~")
def test_sequence_of_an_impossible_character_is_not_a_key(codes: str, end: str) -> None:
    found = PasteParser().feed(f"k\x1b[{codes}{end}z")
    characters = [event.character or "" for event in found if isinstance(event, events.Key)]
    assert "".join(characters).encode().decode() == "kz"


@pytest.mark.parametrize("size", ["0;0;0;0", "99999;80;1;1", "24;0;480;800", "24;99999:1;480;800", "9" * 20 + ";1;1;1"])
def test_impossible_window_sizes_are_ignored(size: str) -> None:
    found = [*PasteParser().feed(f"k\x1b[48;{size}tz\x1b[48;24;80;480;800t")]
    assert [event.size for event in found if isinstance(event, events.Resize)] == [(80, 24)]
    assert [event.key for event in found if isinstance(event, events.Key)] == ["k", "z"]


@pytest.mark.parametrize("size", ["24;80;0;0", "24;80;480;12000"])
def test_window_size_is_accepted_with_any_pixel_count(size: str) -> None:
    found = [*PasteParser().feed(f"\x1b[48;{size}t\x1b[<0;3;4M")]
    assert [event.size for event in found if isinstance(event, events.Resize)] == [(80, 24)]
    assert any(isinstance(event, events.MouseDown) for event in found)


def test_impossible_window_size_in_two_pieces_is_ignored() -> None:
    parser = PasteParser()
    found = [event for part in ("\x1b[48;0;", "80;480;800t", "\x1b[<0;3;4M") for event in parser.feed(part)]
    assert [type(event) for event in found] == [events.MouseDown]


def test_large_paste_is_read_quickly() -> None:
    parser, chunk = PasteParser(), "\x1b[31mred " * 400
    parts = ["\x1b[200~", *[chunk] * 300, "\x1b[201~"]
    (paste,) = (event for part in parts for event in parser.feed(part))
    assert isinstance(paste, events.Paste)
    assert paste.text == "red " * 120_000


def test_keys_directly_after_a_paste_belong_to_the_paste() -> None:
    terminal = Terminal()
    terminal.reader.read(events.Paste("abc def"))
    assert terminal.send("\x11 more\n") == ["<abc def>", "<\x11 more\n>"]
    late = Terminal()
    late.reader.read(events.Paste("abc def"))
    assert late.send("\n", gap=0.05) == ["<abc def>", "\n"]


@pytest.mark.parametrize("name", ["linux_driver:LinuxDriver", "web_driver:WebDriver"])
def test_every_terminal_driver_uses_the_paste_parser(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("textual.constants.DRIVER", f"textual.drivers.{name}")
    driver = ConfiguredApp().get_driver_class()
    module = importlib.import_module(f"textual.drivers.{name.partition(':')[0]}")
    assert vars(module)["XTermParser"] is PasteParser
    decode = vars(module)["getincrementaldecoder"]("utf-8")().decode
    assert [decode(part) for part in (b"caf\xe9 caf\xc3", b"\xa9", b"\xff\xfe")] == ["caf\ufffd caf", "é", "\ufffd" * 2]
    assert (driver is PastingDriver) is (name == "linux_driver:LinuxDriver")
