"""Prevents pasted text from acting as keys, even if it contains escapes or the terminal has no bracketed paste.

Without bracketed paste, pastes are recognised by their speed: nobody types a letter within ten milliseconds of another,
then a line break or a tab, and then more text.
"""

from __future__ import annotations

import codecs
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from textual import events
from textual._xterm_parser import XTermParser
from textual.app import App, ScreenStackError
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.keys import Keys
from textual.message import Message

from brvtui.app.text_entry import types_text

_GAP_S, _BREAK_GAP_S, _CHUNK_GAP_S = 0.01, 0.03, 0.5
"""The maximum pauses in seconds within a paste: before a letter, a line break, and a key that follows a paste.

The last one is long because a large paste keeps the screen busy.
"""
_CHUNK_PAUSE_S = 0.1
"""The time in seconds for holding back keys after a paste, so that a large paste changes the text only a few times."""
_FEWEST_BEHIND, _FEWEST_LETTERS = 3, 8
"""The minimum numbers of characters in a paste: after its first line break, and before it.

The second one also applies to text without a line break if no field has the focus. Fewer characters, or only a few
different ones, are keys that were typed ahead or held down.
"""
_MOST_AHEAD, _PER_S = 300, 100
"""The maximum numbers of keys that a person types ahead and presses per second. More keys are a flood.

The characters of a flood are treated as a paste, and its other keys are dropped.
"""
_BREAKS = {"enter": "\n", "ctrl+j": "\n", "tab": "\t"}
_START, _END, _ESCAPE, _SUBSTITUTE = "\x1b[200~", "\x1b[201~", "\x1b", "\x1a"
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
"""An escape sequence that sets a colour or a title, or moves the cursor."""
_CONTROL = re.compile(r"\x1b(?:\[[ -?]*([@-~]?)|[]PX^_][^\x00-\x1f]*(\x07|\x1b\\|))")
"""A sequence or string from a terminal, with its end if the end has arrived; control characters also end it."""
_LONGEST, _UNENDED_S = 32, 1.0
"""The maximum length of a key's sequence or a reply, and the seconds until a paste without an end mark is ended."""

_LARGEST = 9_999
"""The maximum number of rows and columns of a window, since Textual would lay out any number."""


class PasteParser(XTermParser):
    """Removes escapes from bracketed pastes; Textual's parser would read them and the text after them as keys.

    Outside of pastes, invalid input that would crash Textual's parser is dropped.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._before = ""
        """The last characters before a paste, which may be the beginning of its start mark."""
        self._paste: list[str] | None = None
        """The received parts of a paste, or None outside a paste. The last part may end within the end mark."""
        self._open = ""  # the first characters of an incomplete sequence
        self._last = float("-inf")
        self._sizes = self.terminal_size, self.terminal_pixel_size

    def feed(self, data: str) -> Iterable[Message]:
        """Yields the messages in ``data``; empty data ends the input."""
        pause = time.monotonic() - self._last
        if pause > (_CHUNK_GAP_S if len(self._open) > _LONGEST else _GAP_S):
            self._open = ""
        is_key = self._paste is not None and 0 < len(data) <= _LONGEST and pause > _UNENDED_S
        text = self._without_escapes(_END + data if is_key else data)
        for message in super().feed(text) if text or not data else ():
            if not isinstance(message, events.Resize) or self._take_size(message):
                yield message
        self._last = time.monotonic()

    def _take_size(self, event: events.Resize) -> bool:
        """Returns False for a window without rows or columns, or with too many.

        If a terminal reports 0 as its size in pixels, which would cause a division by zero, the size in cells is used.
        """
        if not all(0 < cells <= _LARGEST for cells in event.size):
            self.terminal_size, self.terminal_pixel_size = self._sizes
            return False
        if not event.pixel_size or not all(event.pixel_size):
            event.pixel_size = event.size
        self._sizes = self.terminal_size, self.terminal_pixel_size = event.size, event.pixel_size
        return True

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        """Returns the keys of ``sequence``; for a sequence with an invalid character, a key that is ignored."""
        try:
            keys = list(super()._sequence_to_key_events(sequence, alt))
            "".join(key.character or "" for key in keys).encode()
        except (OverflowError, ValueError):
            return [events.Key(Keys.Ignore, None)]
        return keys

    def _without_escapes(self, data: str) -> str:
        """Returns the text that Textual can read now: pastes only when complete, and without escapes."""
        read, rest = "", data
        while rest:
            if self._paste is None:
                head, mark, rest = (self._before + rest).partition(_START)
                read += self._without_long((head + mark)[len(self._before) :])
                self._before, self._paste = ("", [""]) if mark else (head[-len(_START) + 1 :], None)
            else:
                last = self._paste.pop()
                body, mark, rest = (last + rest).partition(_END)
                cut = len(body) if mark else max(0, len(body) - len(_END) + 1)
                self._paste += [body[:cut], body[cut:]]
                if mark:
                    read += _SEQUENCE.sub("", "".join(self._paste)).replace(_ESCAPE, _SUBSTITUTE) + mark
                    self._paste = None
        return read

    def _without_long(self, data: str) -> str:
        """Returns ``data`` without sequences and strings that are too long to be a key or a terminal's reply."""
        text, place, result = self._open + data, len(self._open), ""
        self._open = ""
        for sequence in _CONTROL.finditer(text):
            if len(sequence[0]) > _LONGEST:
                result += text[place : sequence.start()]
                place = sequence.end()
            if sequence.end() == len(text) and not (sequence[1] or sequence[2]):
                self._open = sequence[0][: _LONGEST + 1]
        return result + text[place:]


def guard(driver: type[Driver]) -> None:
    """Makes ``driver`` use :class:`PasteParser` and replace invalid UTF-8 in the input, instead of ending the app.

    Textual has no settings for this.
    """
    names = vars(sys.modules[driver.__module__])
    names["XTermParser"] = PasteParser
    names["getincrementaldecoder"] = lambda encoding: partial(codecs.getincrementaldecoder(encoding), "replace")


class PasteReader:
    """Passes on the messages of a terminal; a burst of keys that is a paste becomes one :class:`textual.events.Paste`.

    The first key of a burst is passed on immediately, the others after a pause and in order.
    """

    def __init__(
        self,
        hand_on: Callable[[Message], None],
        takes_letters: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Creates a reader.

        ``hand_on`` may be called from a different thread than :meth:`read`; ``takes_letters`` returns True if a field
        has the focus.
        """
        self._hand_on = hand_on
        self._takes_letters = takes_letters
        self._clock = clock
        self._lock = threading.RLock()
        self._delayed: list[events.Key] = []
        self._last = self._counted = float("-inf")
        self._keys = 0.0  # the number of keys that arrived faster than anyone presses them
        self._first = ""
        self._has_pasted = False
        self._pausing: threading.Timer | None = None

    def read(self, message: Message) -> None:
        """Handles the next message of the terminal."""
        with self._lock:
            text = _text_of(message)
            now = self._clock()
            waned = max(0.0, self._keys - _PER_S * (now - self._counted))
            self._keys = min(waned + isinstance(message, events.Key), _MOST_AHEAD + _PER_S * _CHUNK_GAP_S)
            self._counted, is_flood = now, self._keys > _MOST_AHEAD
            if isinstance(message, events.Key) and text and (is_flood or now - self._last <= self._gap(text)):
                self._delayed.append(message)
                self._wait()
            elif not (isinstance(message, events.Key) and is_flood):
                self.flush()
                self._has_pasted = False
                self._first = text
                self._hand_on(message)
            is_text = text or isinstance(message, events.Paste)  # a paste that contains an end mark continues after it
            self._last = self._clock() if is_text else float("-inf")  # our own processing time is not a pause

    def flush(self) -> None:
        """Passes on the delayed keys."""
        with self._lock:
            keys, self._delayed = self._delayed, []
            text = "".join(map(_text_of, keys))
            is_paste = bool(keys) and (self._keys > _MOST_AHEAD or self._is_paste(self._first + text))
            # outside a field, the key was not text
            lead = "" if self._has_pasted or self._takes_letters() else self._first
            self._has_pasted |= is_paste
            for message in [events.Paste(lead + text)] if is_paste else keys:
                self._hand_on(message)

    def _gap(self, text: str) -> float:
        if self._has_pasted:
            return _CHUNK_GAP_S
        return _BREAK_GAP_S if text in "\n\t" else _GAP_S

    def _is_paste(self, text: str) -> bool:
        body = text.strip("\n\t")
        place = next((at for at, char in enumerate(body) if char < " "), len(body))
        before, behind = body[:place], "".join(char for char in body[place:] if char.isprintable() and char != " ")
        if len(before) >= _FEWEST_LETTERS and len(set(before)) > _FEWEST_BEHIND:
            return place < len(body) or not self._takes_letters()
        return len(behind) >= _FEWEST_BEHIND and len(set(behind)) > 1

    def _wait(self) -> None:
        if self._pausing is None:
            self._pausing = threading.Timer(_BREAK_GAP_S, self._paused)
            self._pausing.daemon = True
            self._pausing.start()

    def _paused(self) -> None:
        with self._lock:
            self._pausing = None
            has_break = any(key.key in _BREAKS for key in self._delayed)
            gap = _CHUNK_PAUSE_S if self._has_pasted else _BREAK_GAP_S if has_break else _GAP_S
            if self._clock() - self._last >= gap:
                self.flush()
            else:
                self._wait()


def _text_of(message: Message) -> str:
    """Returns the text of a key, including control characters, as in a paste; empty for other messages."""
    if not isinstance(message, events.Key):
        return ""
    character = message.character or ""
    return _BREAKS.get(message.key) or (character if message.is_printable or character < " " else "")


def _takes_letters(app: App[object]) -> bool:
    """True if ``app`` treats keys as text: in a field, and before the first screen, since that has a field."""
    try:
        return types_text(app.focused)
    except ScreenStackError:
        return True


class PastingDriver(LinuxDriver):
    """Textual's terminal driver with a :class:`PasteReader` for bursts of keys."""

    def __init__(self, app: App[object], **options: Any) -> None:
        super().__init__(app, **options)
        self._pastes = PasteReader(super().process_message, lambda: _takes_letters(app))

    def process_message(self, message: Message) -> None:
        """Handles a message in the thread that reads the terminal."""
        self._pastes.read(message)

    def disable_input(self) -> None:
        """Passes on the delayed keys before the terminal is released."""
        self._pastes.flush()
        super().disable_input()
