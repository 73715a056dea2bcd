"""The Settings screen, generated from the schema; it writes the user's settings file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult

from brvtui.app.actions.screens import SETTINGS_SCREEN
from brvtui.app.arrangement import Arrangement, Split
from brvtui.app.keys.bindings import bindings
from brvtui.app.modes import LAB
from brvtui.app.screens.dialog import FieldDialog
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.settings.setting_rows import SettingRow, read_typed, setting_rows, stepped
from brvtui.app.settings.settings_pane import SettingsPane
from brvtui.app.states import Phase, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.config import ConfigError
from brvtui.config.schema import Layer, Value, value_text
from brvtui.paint.line import Line
from brvtui.paint.text import wrap

if TYPE_CHECKING:
    from brvtui.app.project.layouts import Layouts
    from brvtui.app.project.project import Project

# The dialog for typing a setting.


class SettingField(FieldDialog[Value]):
    """Asks for the value of a setting; returns a valid value, or None."""

    def __init__(self, row: SettingRow, value: str, read: Callable[[str], Value]) -> None:
        """Creates a field for the setting in ``row`` with its ``value``, which typing replaces if it is a key.

        ``read`` converts the typed text, or raises ConfigError.
        """
        super().__init__(row.whole_label, value, row.allowed)
        self.field.select_on_focus = row.is_key
        self._read = read

    def submit(self, text: str) -> None:
        """Closes the dialog and returns the value, if it is valid."""
        try:
            self.dismiss(self._read(text))
        except ConfigError as error:
            self.show_problem(str(error))


# The pane that describes the selected setting.


_LABEL = 10
_PANES_CHANGED = (
    "projects in which you have changed the panes keep their own: {panes.few} on the Query screen changes them"
)
_ON_HEADING = "{settings.change} or a click opens or closes this group. {pane.filter} searches all groups."
_TRIED_ANEW = ("engine", "profile")
"""The settings that, when changed, trigger another attempt to open a project."""


class SettingPane(Pane):
    """Describes the selected setting."""

    TITLE = "Setting"
    READS = (ProjectState,)
    HELP_TEXT = (
        "This pane explains the selected setting: its purpose, value, default and range, and where its value comes "
        "from."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.row: SettingRow | None = None

    def also_reads(self) -> tuple[object, ...]:
        """Returns the setting and the theme (which a key can change), since the lines are built from them."""
        return (self.row, self.app.theme, *super().also_reads())

    def restyle(self) -> None:
        """Repaints the pane, including the name of the current theme."""
        self.rebuild()
        super().restyle()

    def put(self, row: SettingRow | None) -> None:
        """Shows ``row``."""
        self.row = row
        self.rebuild()

    def heading(self, view: View) -> str:
        """Returns the title with the setting's name."""
        return f"{self.row.group} · {self.row.label}" if self.row else self.TITLE

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the summary of the setting, then a line for each fact."""
        row = self.row
        if row is None:
            return wrapped(self.services.with_keys(_ON_HEADING), width)
        lines = wrapped(self.services.with_keys(row.summary), width, "text")
        if why := self.services.configuration.why_read_only(row.name):
            lines += [*wrapped(f"{self.glyphs.warn} {why}", width, "warn"), Line()]
        if row.problem:
            lines += [
                part for why in row.problem.splitlines() for part in wrapped(f"{self.glyphs.warn} {why}", width, "warn")
            ]
            lines.append(Line())
        facts = self._facts(row, view.project.phase is Phase.FAILED)
        if row.name == "theme" and self.app.theme != row.value:
            facts.append(("note", f"only for this session: {self.app.theme}"))
        for label, text in facts:
            for place, part in enumerate(wrap(text, max(width - _LABEL - 2, 8))):
                lines.append(Line().gap().fit(label if place == 0 else "", _LABEL, "muted").add(part, "text"))
        return lines

    def _facts(self, row: SettingRow, has_failed: bool) -> list[tuple[str, str]]:
        source = row.source
        facts = [("value", row.value), ("default", row.default), ("can be", self.services.with_keys(row.allowed))]
        facts.append(("from", source.place or "the default"))
        is_own_left_out = row.left_out is not None and row.left_out.layer is Layer.USER
        if is_own_left_out and source.layer is Layer.DEFAULT:
            facts.append(("yours", "ignored"))
        elif source.layer not in (Layer.DEFAULT, Layer.USER):
            own = "not set" if row.own is None else value_text(row.name, row.own)
            if row.own is not None and row.own != row.current:
                own = f"{own}, without effect"
            facts.append(("yours", "ignored" if is_own_left_out else own))
            facts.append(("note", f"{source.place} overrides your own settings file, to which changes are written"))
        if row.remark:
            facts.append(("note", row.remark))
        if row.restart:
            tries = has_failed and row.name in _TRIED_ANEW
            facts.append(
                ("note", f"a change {'opens the project again' if tries else 'takes effect at the next start'}")
            )
            if row.name == "panes":
                facts.append(("note", self.services.with_keys(_PANES_CHANGED)))
        if row.personal:
            facts.append(("note", "a project's settings file cannot set it"))
        if not row.editable and row.allowed:
            facts.append(("note", "a table: edit the file by hand"))
        facts += [("key", row.name), ("variable", row.variable)]
        return [(label, text) for label, text in facts if text]


def _wide_settings(width: int, height: int) -> Split:
    right = max(40, width * 38 // 100)
    return Split("settings", True, ("settings", "setting"), (width - right, right))


SETTINGS = Arrangement(
    panes=("settings", "setting"),
    beside="settings",
    tabs=("setting",),
    wide=_wide_settings,
    beside_share=0.56,
    is_stacked=True,
)


class SettingsScreen(FrameScreen):
    """Lists all settings, with a description of the selected one."""

    TITLE = "Settings"
    PLAN = SETTINGS
    BINDINGS = bindings(SETTINGS_SCREEN)
    AUTO_FOCUS = "#settings"

    def __init__(self, layouts: Layouts, project: Project) -> None:
        """Creates the screen, which also lists the constants of the engine in use in ``project``."""
        super().__init__(layouts)
        self._project = project

    def make_panes(self) -> ComposeResult:
        """Yields the list and the description."""
        yield SettingsPane(id="settings")
        yield SettingPane(id="setting")

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, including editing a note, which the key bar offers on screens with notes."""
        return super().idle | {"note.edit", "note.new"}

    def show(self, view: View) -> None:
        """Shows ``view`` and the selected setting."""
        super().show(view)
        self.query_one(SettingPane).put(self.query_one(SettingsPane).row)

    @property
    def leads_back(self) -> bool:
        """Always True, since Esc in the list returns to the last screen."""
        return True

    async def action_back(self) -> None:
        """Goes back as on other screens; from the list, returns to the last screen."""
        self.clear_selection()
        pane = self.pane
        if pane is None or pane.id != self.home or self.body.maximised:
            await super().action_back()
        elif not pane.clear_filter():
            await self.services.switch_mode(self.services.last_mode)

    @on(SettingsPane.RowsWanted)
    def _make_rows(self, request: SettingsPane.RowsWanted) -> None:
        sources = (request.configuration, request.library, request.closing, self._project.session, request.engine)
        make, put = partial(setting_rows, *sources), self._put_rows
        self.services.background.run(make, put, group="setting rows", exclusive=True, owner=self)

    def _put_rows(self, rows: tuple[SettingRow, ...]) -> None:
        self.query_one(SettingsPane).put(rows)
        self._chosen()

    @on(SettingsPane.RowChosen)
    def _chosen(self) -> None:
        self.query_one(SettingPane).put(self.query_one(SettingsPane).row)

    @on(SettingsPane.ChangeRequested)
    async def _change(self, event: SettingsPane.ChangeRequested) -> None:
        row = self.query_one(SettingsPane).rows_by_name[event.name]
        why_read_only = self.services.configuration.why_read_only(row.name)
        if why_read_only:
            self.notify(why_read_only, severity="warning")
        elif row.is_constant:
            await self.services.switch_mode(LAB.name)
            await self.app.run_action("screen.pane('sliders')")
        elif event.typed:
            await self._type(row)
        elif event.step:
            self.services.change_setting(row.name, partial(stepped, row.name, event.step))
        elif row.is_own:
            self.services.keep_setting(row.name, None)
        elif row.left_out is not None:
            self.notify(f"the ignored value is in {row.left_out.place}: change it there", severity="warning")
        elif row.source.layer is Layer.DEFAULT:
            self.notify(f"{row.name} already has its default", timeout=3)
        else:
            there = "" if row.source.layer is Layer.OPENED else ": change it there"
            self.notify(f"{row.name} comes from {row.source.place}{there}", severity="warning")

    async def _type(self, row: SettingRow) -> None:
        if row.name == "theme":
            await self.run_action("app.choose_theme")
            return
        if not row.editable:
            message = f"{row.name} can only be changed by hand, in {row.source.place}"
            if row.source.layer is Layer.USER:
                press = self.services.with_keys("press {settings.default} to remove ")
                message = f"{press}{row.name} from {row.source.place}; make any other change there by hand"
            self.notify(message, severity="warning")
            return

        def read(text: str) -> Value:
            return read_typed(row, text, self.services.configuration, self.services.library)

        def keep(value: Value | None) -> None:
            if value is not None:
                self.services.keep_setting(row.name, value)

        text = str(row.current if row.own is None else row.own)
        self.app.push_screen(SettingField(row, text, read), keep)
