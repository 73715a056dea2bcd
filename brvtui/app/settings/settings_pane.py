"""The list of settings by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from textual.message import Message

from brvtui.app.actions.panes import SETTINGS_LIST
from brvtui.app.keys.bindings import bindings
from brvtui.app.settings.setting_names import OPEN
from brvtui.app.settings.setting_rows import CHANGED, UNUSABLE, SettingRow
from brvtui.app.states import EngineState, ProjectState
from brvtui.app.themes.library import Library
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import same
from brvtui.config import Configuration
from brvtui.config.schema import SettingProblem
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line

_NAME, _VALUE, _SOURCE, _KEYS = 44, 30, 11, 20
_HEADING = "heading: "
"""The prefix of the choices that are headings of groups."""


class SettingsPane(ChoicePane):
    """Lists every setting in groups that open and close, below a field that searches all of them."""

    TITLE = "Settings"
    READS = (ProjectState, EngineState)
    HELP_TEXT = (
        "This pane lists all settings in groups, changed ones first, then the engine's constants and the keys. "
        "Press {settings.change} or click to open or close a group, and {pane.filter} to search all groups. On a "
        "setting, {settings.change} or a second click changes it: it switches the value, or opens a field or the list "
        "of themes. Press {settings.default} to reset it to the default. Changes are saved in your own settings file "
        "and take effect at once, unless the setting says otherwise."
    )
    FILTER_DOES = "find a setting or a key"
    FIELD_ON_TOP = True
    BINDINGS = bindings(SETTINGS_LIST)

    class RowChosen(Message):
        """Posted when the cursor moves to another setting."""

    @dataclass
    class RowsWanted(Message):
        """Posted to request the rows of settings and themes, which are read in a thread."""

        configuration: Configuration
        library: Library
        closing: SettingProblem | None
        """The setting that prevents opening the project, if there is one."""
        engine: str
        """The engine whose constants are listed; empty if no project is open."""

    @dataclass
    class ChangeRequested(Message):
        """Posted to change a setting: by ``step`` among its values, by typing if ``typed``, or else to its default."""

        name: str
        step: int
        typed: bool = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.pinned = 1
        self.open_groups = {UNUSABLE, CHANGED, *OPEN}
        """The headings of the groups whose settings are listed."""
        self.rows_by_name: dict[str, SettingRow] = {}
        self._changed_name = ""
        """The name of the last changed setting, which stays visible while filtering."""
        self._rows: tuple[SettingRow, ...] = ()
        self._source: tuple[object, ...] = ()
        """The settings, themes, engine and profile of the last requested rows."""

    def on_mount(self) -> None:
        """Shows the search field, which stays open."""
        self.open_field()

    @property
    def row(self) -> SettingRow | None:
        """The setting under the cursor; None on the heading of a group."""
        return self.rows_by_name.get(self.chosen)

    @property
    def group(self) -> str:
        """The heading of the group under the cursor; empty on a setting."""
        return self.chosen.partition(_HEADING)[2]

    def also_reads(self) -> tuple[object, ...]:
        """Returns the settings in effect, the themes and the rows, since the lines are built from them."""
        filtered = bool(self.word_filter)
        return (self.services.configuration, self.services.library, self._rows, filtered, *super().also_reads())

    def lacks(self, view: View) -> Iterable[Message]:
        """Requests new rows if settings or themes were reloaded, since the values of a profile may have changed."""
        engine = view.engine.name if view.project.overview is not None else ""
        configuration, library, closing = self.services.configuration, self.services.library, view.project.closed_by
        source = (configuration, library, closing, engine, view.engine.profile)
        if not same(source, self._source):
            self._source = source
            yield self.RowsWanted(*source[:-1])

    def put(self, rows: tuple[SettingRow, ...]) -> None:
        """Lists ``rows``."""
        self._rows = rows
        self.rebuild()
        self.show_keys()

    def build(self, view: View, width: int) -> list[Line]:
        """Returns a line beside the search field, then each group's heading and the settings of open groups."""
        before = self.chosen
        self.rows_by_name = {row.name: row for row in self._rows}
        if before in self.rows_by_name:
            self.open_groups.add(self.rows_by_name[before].heading)
        self.choices, self.owner = [], []
        lines: list[Line] = []
        self.add_rows(lines, [line("/", "bold accent")])
        for heading, group in groupby(self._rows, key=lambda row: row.heading):
            rows, is_open = list(group), heading in self.open_groups
            head = line(f"{self.glyphs.open if is_open else self.glyphs.closed} ", "accent").add(heading, "bold text")
            self.add_rows(lines, [head.add(f"  {len(rows)}", "muted").cut(width)], f"{_HEADING}{heading}")
            for section, listed in groupby(rows if is_open or self.word_filter else (), key=lambda row: row.section):
                if section and heading not in (UNUSABLE, CHANGED):
                    self.add_rows(lines, [line(f"  {section}", "muted").cut(width)])
                for row in listed:
                    self.add_rows(lines, [_line(row, bool(self.word_filter), width, self.glyphs)], row.name)
        first_row = 1 if len(self.choices) > 1 else 0
        self.cursor = self.choices.index(before) if before in self.choices else first_row
        return lines if self._rows else [*lines, line(" reading the settings…", "muted")]

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns the line beside the search field, and the settings that match."""
        kept = super().filtered(lines)
        self.all = len(self._rows)
        if not self.word_filter:
            return kept
        self.owner.insert(0, -1)
        return [lines[0], *kept]

    def words(self, choice: str, lines: Sequence[Line]) -> str:
        """Returns the text that the filter searches: names, value, description and source."""
        row = self.rows_by_name[choice]
        named = f"{row.group} {row.section} {row.label} {row.name}"
        return f"{named} {row.value} {row.summary} {(row.left_out or row.source).layer.value}"

    def keeps(self, choice: str, lines: Sequence[Line]) -> bool:
        """True for settings that match the filter and for the last changed one, so that keys can change it again."""
        return choice in self.rows_by_name and (choice == self._changed_name or super().keeps(choice, lines))

    def clear_filter(self) -> bool:
        """Empties the search field, which stays open, and returns to the list; returns True if there was a filter."""
        had_filter = bool(self.word_filter)
        super().clear_filter()
        self.open_field()
        return had_filter

    def put_filter(self, text: str) -> None:
        """Filters by ``text``, and no longer keeps the last changed setting."""
        self._changed_name = ""
        super().put_filter(text)

    def filter_changed(self) -> None:
        """Updates the description of the setting, even if no setting matches the filter."""
        super().filter_changed()
        self.post_message(self.RowChosen())

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing for the setting under the cursor."""
        row = self.row
        if self.group:
            return frozenset({"settings.default"})
        if row is None or self.services.configuration.why_read_only(row.name):
            return frozenset({"settings.change", "settings.default"})
        idle = set() if row.is_own else {"settings.default"}
        return frozenset(idle if row.editable else idle | {"settings.change"})

    @property
    def renamed(self) -> Mapping[str, str]:
        """The key bar's description of the key that opens or closes a group, or goes to a constant."""
        does = "What if" if self.row is not None and self.row.is_constant else "change"
        if self.group:
            does = "close" if self.group in self.open_groups else "open"
        return {"settings.change": does, "pane.filter": "search"}

    def moved(self, choice: str) -> None:
        """Updates the description of the setting."""
        self.post_message(self.RowChosen())

    def clicked(self, place: int) -> None:
        """Selects the clicked setting, or changes it if it was already selected; opens or closes a clicked group."""
        is_selected = place == self.cursor
        self.move_to(place)
        if is_selected or self.row is None:
            self.action_change(1)

    def action_change(self, step: int) -> None:
        """Requests a change of the setting, or opens or closes the group."""
        if self.group:
            self.open_groups ^= {self.group}
            self.rebuild(force=True)
            self.show_keys()
        elif self.row is not None:
            self._request(self.ChangeRequested(self.row.name, step, typed=self.row.typed))

    def action_step(self, step: int) -> None:
        """Requests the next or previous value of a setting with few values."""
        if self.row is not None and self.row.steps:
            self._request(self.ChangeRequested(self.row.name, step))

    def action_restore(self) -> None:
        """Requests the removal of the setting from the user's file."""
        if self.row is not None:
            self._request(self.ChangeRequested(self.row.name, 0))

    def _request(self, request: ChangeRequested) -> None:
        self._changed_name = request.name
        self.post_message(request)


def _line(row: SettingRow, is_whole: bool, width: int, glyphs: Glyphs) -> Line:
    """Returns the name, value and source of ``row``; the group precedes the name if ``is_whole``."""
    is_apart = row.heading != row.group
    label = row.whole_label if is_whole or is_apart else row.label
    name = min(_NAME, width // 2)
    if row.is_key and not (row.is_changed or row.problem):
        name = max(name, width - _KEYS)
    row_line = Line().gap(2).fit(label, name, "bold strong" if row.is_changed else "text").gap()
    if not row.is_changed and not row.problem:
        return row_line.add(row.value, "accent").cut(width)
    layer = (row.left_out or row.source).layer
    value = max(min(_VALUE, width - name - _SOURCE - 4), 1)
    text = "ignored" if row.left_out else row.value
    shown, role = (f"{glyphs.warn} {text}", "warn") if row.problem or row.remark else (text, "accent")
    return row_line.fit(shown, value, role).gap().add(layer.value, "muted").cut(width)
