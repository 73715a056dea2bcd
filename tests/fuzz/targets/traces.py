"""Saved traces of every engine, read and shown in every form."""

from __future__ import annotations

from pathlib import Path

from brvtui.report.saved import Form, rendered, text_report
from brvtui.saved.traces import SavedError, as_json, read
from brvtui.session import Session
from tests.fuzz.targets.target import QUERY, Target, Wrong, message_form, planted
from tests.fuzz.test_rendering import controls, printed


def saved_traces(session: Session) -> list[bytes]:
    """Trace files from ``session``: one per engine, for other tiers, and for a plain search."""
    asked = [session.preview(query) for query in (QUERY, "gate", "nothing of this kind", "x/good.md")]
    asked.append(session.run(QUERY))
    asked.append(session.preview(QUERY))
    asked.append(session.with_plain_search(session.preview(QUERY), 3))
    asked += [session.preview(QUERY, engine=engine) for engine in ("jeffs_brain", "soleri", "knowing")]
    return [as_json(session.explainer.saved(trace)) for trace in asked]


class SavedTraces(Target):
    """Each input is a file as ``query --save`` writes it."""

    def __init__(self, folder: Path) -> None:
        self.session = planted(folder).session()
        self.file = folder / "saved.json"
        self.copy = folder / "again.json"

    def seeds(self) -> list[bytes]:
        return saved_traces(self.session)

    def run(self, data: bytes) -> str:
        self.file.write_bytes(data)
        try:
            saved = read(self.file)
        except SavedError as error:
            return message_form(error, "saved.json")
        for width in (36, 110):
            if controls(printed(text_report(saved, width, True), width)):
                raise Wrong("a report holds controls")
        for form in Form:
            if controls(rendered(saved, form).decode("utf-8")):
                raise Wrong(f"the form {form} holds controls")
        self.copy.write_bytes(as_json(saved))
        if read(self.copy) != saved:
            raise Wrong("a trace that is saved again is another")
        return f"shown {saved.trace.engine} {saved.trace.tier} {len(saved.trace.hits)}"
