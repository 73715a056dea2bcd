"""Finds the problems in the text of a note or a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.derived import Key
from brvtui.tree.editing.problems import KnownFiles, Problem, Severity, problems
from brvtui.tree.reading.links import Names

if TYPE_CHECKING:
    from brvtui.snapshot import Snapshot
    from brvtui.tree.editing.note_text import EditableText

_KNOWN_FILES: Key[KnownFiles] = Key("known files")


def problems_of(snapshot: Snapshot, path: str, note: EditableText, edited: str) -> tuple[Problem, ...]:
    """The problems in ``edited``, an edited text of the ``note`` at ``path``, by position. Raises no errors."""
    if snapshot.kind.is_html:
        from brvtui.notes.topic_problems import topic_problems

        return topic_problems(note.plain(edited), snapshot.by_path)
    return problems(path, note, edited, _known_files(snapshot), snapshot.limits)


def refused_name(snapshot: Snapshot, path: str) -> tuple[Problem, ...]:
    """The problem of a topic whose name keeps V4 from reading it; empty for every other file."""
    if not snapshot.kind.is_html:
        return ()
    from brvtui.tree.spaces.contents import unseen_name

    why = unseen_name(path)
    return (Problem(0, 0, f"V4 does not read this file, whatever it contains: {why}", Severity.ERROR),) if why else ()


def _known_files(snapshot: Snapshot) -> KnownFiles:
    def read() -> KnownFiles:
        return KnownFiles(Names(file.path for file in snapshot.files), snapshot.reads_frontmatter)

    return snapshot.derived.of(_KNOWN_FILES, read)
