"""The Settings screen, which is made from the schema and writes the user's settings file."""

from __future__ import annotations

from functools import partial

from textual import on
from textual.app import ComposeResult

from brvtui.app.actions.screens import SETTINGS_SCREEN
from brvtui.app.arrangement import SETTINGS
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.settings.setting_field import SettingField
from brvtui.app.settings.setting_pane import SettingPane
from brvtui.app.settings.setting_rows import SettingRow, read_typed, setting_rows, stepped
from brvtui.app.settings.settings_pane import SettingsPane
from brvtui.app.view import View
from brvtui.config.schema import Value
from brvtui.config.sources import Layer


class SettingsScreen(FrameScreen):
    """Lists all settings, and describes the chosen one beside the list."""

    TITLE = "Settings"
    PLAN = SETTINGS
    BINDINGS = bindings(SETTINGS_SCREEN)
    AUTO_FOCUS = "#settings"

    def make_panes(self) -> ComposeResult:
        """The list, the chosen setting."""
        yield SettingsPane(id="settings")
        yield SettingPane(id="setting")

    @property
    def idle(self) -> frozenset[str]:
        """Also the key that edits a note: the key bar offers it where notes are shown."""
        return super().idle | {"note.edit"}

    def show(self, view: View) -> None:
        """Shows the settings in effect."""
        super().show(view)
        self.query_one(SettingPane).put(self.query_one(SettingsPane).row)

    @property
    def leads_back(self) -> bool:
        """From everywhere: from the list to the queries."""
        return True

    async def action_back(self) -> None:
        """Goes back as on every screen; from the list, which is where back ends, to the queries."""
        pane = self.pane
        if pane is None or pane.id != self.home or self.body.maximised:
            await super().action_back()
        elif not pane.clear_filter():
            await self.services.switch_mode("query")

    @on(SettingsPane.RowsWanted)
    def _make_rows(self, wanted: SettingsPane.RowsWanted) -> None:
        make, put = (
            partial(setting_rows, wanted.configuration, wanted.library, wanted.closing),
            partial(self._put_rows, wanted),
        )
        self.services.background.run(make, put, group="setting rows", exclusive=True, owner=self)

    def _put_rows(self, wanted: SettingsPane.RowsWanted, rows: tuple[SettingRow, ...]) -> None:
        self.query_one(SettingsPane).put(wanted, rows)
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
        elif event.typed:
            await self._type(row)
        elif event.step:
            self.services.change_setting(row.name, partial(stepped, row.name, event.step))
        elif row.is_own:
            self.services.keep_setting(row.name, None)
        elif row.left_out is not None:
            self.notify(f"what is left out stands in {row.left_out.place}: change it there", severity="warning")
        elif row.source.layer is Layer.DEFAULT:
            self.notify(f"{row.name} is at its default", timeout=3)
        else:
            there = "" if row.source.layer is Layer.OPENED else ": change it there"
            self.notify(f"{row.name} comes from {row.source.place}{there}", severity="warning")

    async def _type(self, row: SettingRow) -> None:
        if row.name == "theme":
            await self.run_action("app.choose_theme")
            return
        if not row.editable:
            said = f"{row.name} is changed by hand alone: in {row.source.place}"
            if row.source.layer is Layer.USER:
                takes = self.services.with_keys("{settings.default} takes ")
                said = f"{takes}{row.name} out of {row.source.place}; any other change is made there by hand"
            self.notify(said, severity="warning")
            return

        def read(text: str) -> Value:
            return read_typed(row, text, self.services.configuration, self.services.library)

        def keep(value: Value | None) -> None:
            if value is not None:
                self.services.keep_setting(row.name, value)

        text = str(row.current if row.own is None else row.own)
        self.app.push_screen(SettingField(row.name, text, row.allowed, read), keep)
