"""The commands of the palette as data, and how they are found and ordered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from brvtui.app.actions.action import Action, Place, PlaceKind
from brvtui.app.actions.registry import PLACES
from brvtui.app.keys.naming import key_name, keys_of
from brvtui.app.modes import EDITOR, SCREENS, Mode
from brvtui.app.widgets.word_filter import WordFilter

NOT_OFFERED = (PlaceKind.DIALOG, PlaceKind.FIELD)
"""Kinds of places that need a question, or a text, to act on."""

ALSO: Mapping[str, str] = {
    "app.quit": "exit leave",
    "app.screenshot": "export picture image print",
    "app.themes": "dark light color colour",
    "copy.shown": "clipboard share",
    "help.keys": "shortcuts keyboard",
    "note.archive": "delete remove",
    "note.drafts": "recover unsaved conflict",
    "note.move": "name path folder",
    "note.new": "create add write",
    "panes.maximise": "maximize zoom full screen fullscreen",
    "pane.filter": "search find",
    "query.run_anywhere": "ask search",
    "results.why": "explain missing remedy fix",
    "layout.reset": "resize",
    "results.judge": "rate wrong right",
    "feedback.accepted": "useful accept",
    "feedback.dismissed": "useless reject",
    "screens.lab": "evaluate eval quality tune test",
    "screens.log": "history agent asked",
    "screens.maturity": "aging ageing expire stale decay forecast",
    "screens.settings": "preferences options config configuration setup",
    "trace.save": "export download share report",
    "tree.order": "sort",
    "board.order": "sort",
    "judged.order": "sort",
}
"""Words by which newcomers look for actions that are called otherwise, by the names of these."""


@dataclass(frozen=True, slots=True)
class Act:
    """An action, and the screen where it acts."""

    action: Action
    mode: str
    """The name of the screen that must be in front; empty for any."""


@dataclass(frozen=True, slots=True)
class Command:
    """One row of the palette: an action, or a note to show."""

    title: str
    aside: str
    """The place where the action acts, or the path of the note."""
    keys: str = ""
    act: Act | None = None
    note: str = ""

    @property
    def low(self) -> str:
        """The text that is searched, in lower case."""
        return f"{self.title}\n{self.aside}\n{self.act.action.label if self.act else ''}".lower()

    def is_meant_by(self, words: Sequence[str]) -> bool:
        """Whether each of ``words`` is part of its text, or begins one of those that newcomers look for it by."""
        low, also = self.low, ALSO.get(self.act.action.name, "").split() if self.act else ()
        return all(word in low or any(one.startswith(word) for one in also) for word in words)


def offered(
    front: str, near: Collection[str], editing: bool, keymap: Mapping[str, str], idle: Collection[str] = ()
) -> list[Command]:
    """Returns every action but those named in ``idle``, the nearest first; those of the editor only while ``editing``.

    Actions named in ``near`` come first, then those of the screen in ``front``, of the app, of every screen, of the
    other panes in front, and of other screens.
    """
    modes = [mode for mode in (*SCREENS, EDITOR) if mode is not EDITOR or editing]
    modes.sort(key=lambda mode: mode.name != front)
    ranked: list[tuple[int, Command]] = []
    for place in PLACES:
        if place.kind not in NOT_OFFERED:
            ranked += _of(place, modes, front, near, keymap)
    ranked = [pair for pair in ranked if pair[1].act is None or pair[1].act.action.name not in idle]
    return [command for _, command in sorted(ranked, key=lambda pair: pair[0])]


def _of(
    place: Place, modes: Sequence[Mode], front: str, near: Collection[str], keymap: Mapping[str, str]
) -> Iterator[tuple[int, Command]]:
    """Yields the commands of one place, each with its rank."""
    mode, where, rank = "", "everywhere", 2
    if place.kind is PlaceKind.EVERY_SCREEN:
        where, rank = "every screen", 3
    elif place.kind is PlaceKind.EVERY_PANE:
        where, rank = "every pane", 6
    elif place.kind is not PlaceKind.APP:
        screens = (place.name,) if place.kind is PlaceKind.SCREEN else place.screens
        held = next((mode for mode in modes if mode.name in screens), None)
        if held is None:
            return
        mode = held.name
        where = held.title if place.kind is PlaceKind.SCREEN else f"{held.title}, {place.title}"
        rank = 5 if mode != front else 1 if place.kind is PlaceKind.SCREEN else 4
    for action in place.actions:
        keys = " ".join(key_name(key) for key in keys_of(action.name, action.keys, keymap))
        yield 0 if action.name in near else rank, Command(action.description, where, keys, Act(action, mode))


def found(word_filter: WordFilter, commands: Iterable[Command]) -> list[Command]:
    """Returns the commands that every word of ``word_filter`` means.

    First come titles that begin with the words as they are, then those with words that begin so, then those that hold
    the words elsewhere; equals keep their order.
    """
    kept = [command for command in commands if command.is_meant_by(word_filter.words)]
    return sorted(kept, key=lambda command: _rank(word_filter, command.title.lower()))


def _rank(word_filter: WordFilter, title: str) -> int:
    if title.startswith(" ".join(word_filter.words)):
        return 0
    if all(title.startswith(word) or f" {word}" in title for word in word_filter.words):
        return 1
    return 2 if word_filter.keeps(title) else 3
