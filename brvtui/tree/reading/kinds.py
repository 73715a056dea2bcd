"""The kinds of projects: the features of each kind, and the terms used for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectKind:
    """The features and terms of a project kind. The defaults describe a ByteRover 3 context tree.

    A refusal is a sentence with the reason; it is empty if the action is allowed.
    """

    noun: str = "note"
    engine: str = ""
    """The only engine that ranks this kind; empty if every engine for notes does."""
    other_engine: str = ""
    """The message that refuses any other engine; the engine's name comes before this text."""
    only_engine: str = ""
    """The message that refuses to switch engines. Keys of the app are in braces."""
    native: str = "byterover"
    """The engine that writes such projects and whose rules determine how signals age."""
    why_empty: str = ""
    """The message for an empty project; empty if this kind has no message of its own."""
    has_files: bool = True
    """True if each note is a file that can be edited; False if notes are parts of files, such as symbols."""
    has_maturity: bool = True
    """True if notes have signals and a maturity, and are subject to ageing."""
    is_html: bool = False
    """True if notes are HTML topics, for which no index is stored. The engine of such a kind is a skill bundle, not a
    package, and its log contains only entries that have not been sent.
    """
    not_varied: str = ""
    """The reason why queries cannot run for a different time, revision or engine."""
    not_verified: str = ""
    """The reason why no installed engine can verify answers."""
    not_added: str = ""
    """The reason why files cannot be created, moved or archived."""
    not_moved: str = ""
    """The reason why existing files cannot be moved or archived."""

    @property
    def can_vary(self) -> bool:
        """True if queries can run for a different time, revision or engine."""
        return not self.not_varied


TREE = ProjectKind()
SPACE = ProjectKind(
    noun="topic",
    engine="byterover_v4",
    other_engine="ranks notes, but this is a ByteRover V4 space: use byterover_v4",
    only_engine="only ByteRover V4 ranks a space",
    native="byterover_v4",
    is_html=True,
    not_varied="topics are used as they are: only the clock, profile and constants can be changed",
    not_added="topics of a space can be edited here; only ByteRover creates, moves or archives them or sets signals",
    not_moved="topics of a space can be edited here; only ByteRover moves or archives them or sets signals",
)
_READ_ONLY = "this is code: it is shown here, but cannot be changed"
CODE = ProjectKind(
    noun="symbol",
    engine="knowing",
    other_engine="ranks notes; over code, knowing answers",
    only_engine="over code, only knowing answers: {engine.mode} changes how it packs, {engine.profile} its profile",
    why_empty="this folder has no source files in a language that brv-tui reads",
    has_files=False,
    has_maturity=False,
    not_varied="code is used as it is: only the engine, profile and constants can be changed",
    not_verified="this is code: no installed engine ranks it",
    not_added=_READ_ONLY,
    not_moved=_READ_ONLY,
)
OF_ENGINE = {SPACE.engine: SPACE}
"""The project kind of each engine that ranks only one kind."""
