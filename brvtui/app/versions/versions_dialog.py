"""The dialog about the installed engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from brvtui.app.actions.dialogs import VERSIONS
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog

if TYPE_CHECKING:
    from brvtui.lab.verification.results import Verification
    from brvtui.session.verifying import VerificationStatus

VERIFY, MIGRATE = "verify", "migrate"
"""What the dialog ends with."""
_SHOWN = 3


class VersionsDialog(Dialog[str]):
    """Says which engine is installed and what is known of it. Ends with what to do now, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(VERSIONS)

    def __init__(self, status: VerificationStatus, result: Verification | None, is_asking: bool, is_tree: bool) -> None:
        """Shows ``status``, and the ``result`` of this session, if there is one; ``is_tree``: of a context tree."""
        super().__init__("The installed engine", *_paragraphs(status, result, is_asking))
        self._acts = {VERIFY: status.installed is not None and not is_asking, MIGRATE: is_tree}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only an engine that is installed can be asked, and only once at a time; only a context tree is migrated."""
        return all(self._acts.get(str(one), True) for one in parameters)


def _paragraphs(status: VerificationStatus, result: Verification | None, is_asking: bool) -> Iterator[str]:
    if status.installed is not None:
        yield f"{status.installed.name}, in {status.installed.folder}"
    yield f"{status.sentence}."
    if is_asking:
        yield "It is being asked now, in the background."
    if result is None:
        yield (
            "Verifying asks it and brv-tui the same questions: over a copy of this project, without a network, at the "
            "same moment. Your project is not touched."
        )
        return
    yield f"In this session: {result.sentence}; {result.isolation}."
    for difference in result.differences[:_SHOWN]:
        query = difference.query or "every query"
        yield f"{query} first differs in {difference.step}: {difference.engine} there, {difference.ours} here."
