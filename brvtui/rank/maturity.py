"""Maturity with hysteresis, and what events do to signals (``docs/engine.md``, "Maturity")."""

from __future__ import annotations

from brvtui.profile import Signals

LEVELS = ("draft", "validated", "core")


def next_maturity(importance: float, maturity: str, signals: Signals) -> str:
    """The maturity that a note of this importance and maturity moves to (often its own)."""
    if importance >= signals.core_from:
        return "core"
    if importance >= signals.validated_from and maturity == "draft":
        return "validated"
    if maturity == "core" and importance < signals.core_until:
        return "validated"
    if maturity == "validated" and importance < signals.validated_until:
        return "draft"
    return maturity


def after_access(importance: float, maturity: str, signals: Signals) -> tuple[float, str]:
    """Importance (0..max) and maturity after one access hit."""
    raised = min(signals.max_importance, importance + signals.access_gain)
    return raised, next_maturity(raised, maturity, signals)
