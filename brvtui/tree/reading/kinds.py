"""The kinds of projects, with the features of each kind and the words used for it."""

from __future__ import annotations

from typing import NamedTuple


class ProjectKind(NamedTuple):
    """The features of a project kind, and the words used for it. The defaults describe a ByteRover 3 context tree.

    A field named ``not_…`` is a sentence with the reason why an action is refused; it is empty if the action is
    allowed.
    """

    noun: str = "note"
    engine: str = ""
    """The only engine that ranks this kind; empty if every engine for notes does."""
    other_engine: str = ""
    """The message that refuses any other engine. It follows the engine's name."""
    only_engine: str = ""
    """The message that refuses to switch engines. It contains keys of the app in braces."""
    native: str = "byterover"
    """The engine that writes projects of this kind, and whose rules determine how signals age."""
    why_empty: str = ""
    """The message for an empty project; empty if this kind has no message of its own."""
    has_files: bool = True
    """True if each note is a file that can be edited; False if notes are parts of files, such as code symbols."""
    has_maturity: bool = True
    """True if notes have signals and a maturity, which age."""
    is_html: bool = False
    """True if notes are HTML topics. No index is stored for them.

    The engine of such a kind is a skill bundle, not a package, and its log contains only entries that it has not sent
    yet.
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
"""The project kinds of the engines that rank only one kind, keyed by engine."""
