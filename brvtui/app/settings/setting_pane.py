"""The pane that describes the chosen setting."""

from __future__ import annotations

from brvtui.app.settings.setting_rows import SettingRow
from brvtui.app.states import Phase, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.config.schema import value_text
from brvtui.config.sources import Layer
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap

_LABEL = 10
_PANES_CHANGED = (
    "in a project where panes were changed they stay so: {panes.few} on the screen Query changes them there"
)
_TRIED_ANEW = ("engine", "profile")
"""Settings whose change has a project tried again that could not be opened."""


class SettingPane(Pane):
    """Describes the setting that is chosen in the list."""

    TITLE = "Setting"
    READS = (ProjectState,)
    HELP_TEXT = "What the chosen setting is for, its value, default and range, and where the value comes from."

    def __init__(self, *, id: str) -> None:
        """A pane without a setting."""
        super().__init__(id=id)
        self.row: SettingRow | None = None

    def also_reads(self) -> tuple[object, ...]:
        """The setting, and the theme in use: a key changes that for the session alone."""
        return (self.row, self.app.theme, *super().also_reads())

    def restyle(self) -> None:
        """Also says which theme is in use."""
        self.rebuild()
        super().restyle()

    def put(self, row: SettingRow | None) -> None:
        """Shows ``row``."""
        self.row = row
        self.rebuild()

    def heading(self, view: View) -> str:
        """The setting's name."""
        return f"Setting · {self.row.name}" if self.row else self.TITLE

    def build(self, view: View, width: int) -> list[Line]:
        """The summary of the setting, then a line for each fact."""
        row = self.row
        if row is None:
            return [line(" choose a setting", "muted")]
        made = [line(f" {part}", "text") for part in wrap(self.services.with_keys(row.summary), width - 2)]
        made.append(Line())
        if why := self.services.configuration.why_read_only(row.name):
            made += [*wrapped(f"{self.glyphs.warn} {why}", width, "warn"), Line()]
        if row.problem:
            made += [
                part for why in row.problem.splitlines() for part in wrapped(f"{self.glyphs.warn} {why}", width, "warn")
            ]
            made.append(Line())
        facts = _facts(row, view.project.phase is Phase.FAILED)
        if row.name == "theme" and self.app.theme != row.value:
            facts.append(("note", f"in use now, for this session alone: {self.app.theme}"))
        for label, text in facts:
            for place, part in enumerate(wrap(self.services.with_keys(text), max(width - _LABEL - 2, 8))):
                made.append(Line().gap().fit(label if place == 0 else "", _LABEL, "muted").add(part, "text"))
        return made


def _facts(row: SettingRow, has_failed: bool) -> list[tuple[str, str]]:
    source = row.source
    facts = [("value", row.value), ("default", row.default), ("can be", row.allowed)]
    facts.append(("from", source.place or "the default"))
    if row.variable:
        facts.append(("variable", row.variable))
    is_own_left_out = row.left_out is not None and row.left_out.layer is Layer.USER
    if is_own_left_out and source.layer is Layer.DEFAULT:
        facts.append(("yours", "left out"))
    elif source.layer not in (Layer.DEFAULT, Layer.USER):
        own = "not set" if row.own is None else value_text(row.own)
        if row.own is not None and row.own != row.current:
            own = f"{own}, without effect"
        facts.append(("yours", "left out" if is_own_left_out else own))
        facts.append(("note", f"{source.place} goes before your own settings file, where changes are written"))
    if row.remark:
        facts.append(("note", row.remark))
    if row.restart:
        tries = has_failed and row.name in _TRIED_ANEW
        facts.append(("note", f"a change {'tries the project again' if tries else 'holds from the next start'}"))
        if row.name == "panes":
            facts.append(("note", _PANES_CHANGED))
    if row.personal:
        facts.append(("note", "a project's settings file cannot set it"))
    if not row.editable and row.allowed:
        facts.append(("note", "a table: edit the file by hand"))
    return [(label, text) for label, text in facts if text]
