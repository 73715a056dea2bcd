"""An app that shows few toasts at once, and quotes in them nothing but text."""

from __future__ import annotations

from textual.notifications import SeverityLevel

from brvtui.app.crashing import ReportingApp
from brvtui.text.visible import visible

_MOST_TOASTS = 2
_WEIGHT: dict[SeverityLevel, int] = {"information": 0, "warning": 1, "error": 2}


class ToastingApp(ReportingApp):
    """Keeps toasts from covering the screen."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Shows a toast. What it quotes is text, never escapes nor markup, whatever Textual's widgets ask for."""
        super().notify(visible(message), title=title, severity=severity, timeout=timeout, markup=False)
        self.call_later(self._thin_out)

    def _thin_out(self) -> None:
        """Keeps only a few toasts: drops earlier copies of a message, then the least severe, the oldest first."""
        held = list(self._notifications)
        said = {one.message: place for place, one in enumerate(held)}
        again = [one for place, one in enumerate(held) if said[one.message] != place]
        rest = sorted((one for one in held if one not in again), key=lambda one: _WEIGHT[one.severity])
        for one in again + rest[: max(0, len(rest) - _MOST_TOASTS)]:
            self._unnotify(one)
