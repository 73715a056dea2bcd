"""The list of settings by group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.message import Message

from brvtui.app.actions.panes import SETTINGS_LIST
from brvtui.app.keys.bindings import bindings
from brvtui.app.settings.setting_rows import SettingRow
from brvtui.app.states import ProjectState
from brvtui.app.themes.library import Library
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.config import Configuration
from brvtui.config.schema import SettingProblem
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line

_NAME, _VALUE, _SOURCE = 22, 30, 11


class SettingsPane(ChoicePane):
    """Lists every setting; changed settings are highlighted."""

    TITLE = "Settings"
    READS = (ProjectState,)
    HELP_TEXT = (
        "This pane lists all settings, each with its value and where the value comes from. Press {settings.change} to "
        "change the selected setting: it switches the value, or opens a field or the list of themes. Press "
        "{settings.default} to reset it to the default. Changes are saved in your own settings file and take effect at "
        "once, unless the setting says otherwise."
    )
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

    @dataclass
    class ChangeRequested(Message):
        """Posted to change a setting: by ``step`` among its values, by typing if ``typed``, or else to its default."""

        name: str
        step: int
        typed: bool = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.rows_by_name: dict[str, SettingRow] = {}
        self._changed_name = ""
        """The name of the last changed setting, which stays visible while filtering."""
        self._rows: tuple[SettingRow, ...] = ()
        self._rows_request: SettingsPane.RowsWanted | None = None
        """The request for the current rows."""

    @property
    def row(self) -> SettingRow | None:
        """The setting under the cursor."""
        return self.rows_by_name.get(self.chosen)

    def also_reads(self) -> tuple[object, ...]:
        """Returns the settings in effect, the themes and the rows, from which the lines are built."""
        filtered = bool(self.word_filter)
        return (self.services.configuration, self.services.library, self._rows, filtered, *super().also_reads())

    def lacks(self, view: View) -> Iterable[Message]:
        """Requests new rows if settings or themes were reloaded, since a profile may have changed."""
        request, configuration, library = self._rows_request, self.services.configuration, self.services.library
        closing = view.project.closed_by
        if (
            request is None
            or request.configuration is not configuration
            or request.library is not library
            or request.closing != closing
        ):
            yield self.RowsWanted(configuration, library, closing)

    def put(self, request: RowsWanted, rows: tuple[SettingRow, ...]) -> None:
        """Lists ``rows``, the answer to ``request``."""
        self._rows_request, self._rows = request, rows
        self.rebuild()
        self.show_keys()

    def build(self, view: View, width: int) -> list[Line]:
        """Returns a heading for each group, and a line for each setting."""
        before = self.chosen
        self.rows_by_name = {row.name: row for row in self._rows}
        self.choices, self.owner = [], []
        lines: list[Line] = []
        group = ""
        for row in self._rows:
            if row.group != group:
                group = row.group
                lines.append(line(f" {group}", "bold muted"))
                self.owner.append(-1)
            lines.append(_line(row, row.name if self.word_filter else row.label, width, self.glyphs))
            self.owner.append(len(self.choices))
            self.choices.append(row.name)
        self.cursor = self.choices.index(before) if before in self.choices else 0
        return lines or [line(" reading the settings…", "muted")]

    def words(self, choice: str, lines: Sequence[Line]) -> str:
        """Returns the text that the filter searches: name, value, description and source."""
        row = self.rows_by_name[choice]
        return f"{row.name} {row.value} {row.summary} {(row.left_out or row.source).layer.value}"

    def keeps(self, choice: str, lines: Sequence[Line]) -> bool:
        """True for settings that match the filter, and for the last changed one, so that keys can change it again."""
        return choice == self._changed_name or super().keeps(choice, lines)

    def put_filter(self, text: str) -> None:
        """Filters by ``text``, and no longer keeps the last changed setting."""
        self._changed_name = ""
        super().put_filter(text)

    def filter_changed(self) -> None:
        """Updates the description of the setting, even if the filter matches none."""
        super().filter_changed()
        if self.field is None or not self.chosen:
            self.post_message(self.RowChosen())

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing for the setting under the cursor."""
        row = self.row
        if row is None or self.services.configuration.why_read_only(row.name):
            return frozenset({"settings.change", "settings.default"})
        idle = set() if row.is_own else {"settings.default"}
        return frozenset(idle if row.editable else idle | {"settings.change"})

    def moved(self, choice: str) -> None:
        """Updates the description of the setting."""
        self.post_message(self.RowChosen())

    def clicked(self, place: int) -> None:
        """Selects the clicked setting, or changes it if it was already selected."""
        if place == self.cursor:
            self.action_change(1)
        else:
            super().clicked(place)

    def action_change(self, step: int) -> None:
        """Requests a change of the setting."""
        if self.row is not None:
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


def _line(row: SettingRow, label: str, width: int, glyphs: Glyphs) -> Line:
    name = min(_NAME, width // 2)
    row_line = Line().gap(2).fit(label, name, "bold strong" if row.is_changed else "text").gap()
    if not row.is_changed and not row.problem:
        return row_line.add(row.value, "text").cut(width)
    layer = (row.left_out or row.source).layer
    value = max(min(_VALUE, width - name - _SOURCE - 4), 1)
    text = "ignored" if row.left_out else row.value
    shown, role = (f"{glyphs.warn} {text}", "warn") if row.problem or row.remark else (text, "accent")
    return row_line.fit(shown, value, role).gap().add(layer.value, "muted").cut(width)
