"""The interface of a target, and checks that all targets use."""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from pathlib import Path

from brvtui.session import Session
from brvtui.text.visible import visible
from brvtui.trace import Trace
from tests.support.trees import Tree

QUERY = "quokka anchor"
_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\d+|\[[^\]]*\]|/\S+")


class Wrong(AssertionError):
    """A fault. Its message is the same for all inputs."""


class Target(ABC):
    """Runs inputs of one kind, one after another, in its own folder."""

    @abstractmethod
    def __init__(self, folder: Path) -> None:
        """Prepares the place for the inputs in ``folder``."""

    @abstractmethod
    def seeds(self) -> list[bytes]:
        """Returns real inputs."""

    @abstractmethod
    def run(self, data: bytes) -> str:
        """Returns the form of the output for ``data``. Raises :class:`Wrong`, or any exception of the code under
        test.
        """


def message_form(error: object, named: str = "") -> str:
    """The form of the message of ``error``, which must be one clean line and contain ``named``."""
    line = visible(str(error))
    if not line.strip():
        raise Wrong("a message says nothing")
    if any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in line):
        raise Wrong("a message holds controls")
    if len(line) > 3_000:
        raise Wrong("a message is longer than 3000 characters")
    if named and named not in line:
        raise Wrong(f"a message does not name {named}")
    return _VARYING.sub("_", str(error))[:120]


def hits(trace: Trace) -> list[tuple[str, float]]:
    """Paths and scores of the results."""
    return [(hit.path, hit.score) for hit in trace.hits]


def planted(folder: Path) -> Tree:
    """A project with a dozen notes, some of which match the query."""
    tree = Tree(folder / "project")
    tree.note("x/good.md", "Quokka", "all about the quokka and its anchor", 3, importance=70, maturity="core")
    tree.note("x/other.md", "Anchor", "an anchor holds; see @x/good.md and [good](good.md)", 30)
    tree.note("yard/gate.md", "Gate", "the gate opens north; no quokka", 90)
    tree.summary("x", "quokka and anchor")
    tree.notes(10)
    return tree


def same_hits(session: Session, expected: list[tuple[str, float]], what: str) -> None:
    """Raises :class:`Wrong` if the answer of ``session`` differs from ``expected``."""
    if hits(session.preview(QUERY)) != expected:
        raise Wrong(f"{what} changes the results")
