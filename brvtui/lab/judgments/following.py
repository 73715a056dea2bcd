"""Finds judged documents in a snapshot, including those whose files were moved or renamed."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.snapshot import Snapshot
from brvtui.tree.editing.archive import archived_as
from brvtui.tree.reading.files import CONTEXT_FILE, SUMMARY_FILE
from brvtui.tree.reading.frontmatter import block_span

_DIGITS = 16
_COMMON = (CONTEXT_FILE, SUMMARY_FILE, "index.md", "README.md")
"""File names that are too common to identify a note."""
_SAME_TITLE, _SAME_NAME = "it has the same title", "it has the same name"


@dataclass(frozen=True, slots=True)
class FollowedDocument:
    """A judged document and its current path."""

    document: JudgedDocument
    path: str
    """The current path; empty if the document is missing."""
    how: str
    """The evidence for the current path, or the reason why the document is missing; empty if it has not moved."""

    @property
    def moved(self) -> bool:
        """True if the path has changed."""
        return bool(self.path) and self.path != self.document.path

    @property
    def is_guess(self) -> bool:
        """True if the note at the current path has a different text, and only its title or name is the same."""
        return self.how in (_SAME_TITLE, _SAME_NAME)


def digest_of(text: str) -> str:
    """The first 16 hex digits of the SHA-256 of a note's words, without its frontmatter."""
    span = block_span(text)
    body = text[span[1] :].removeprefix("---") if span else text
    words = " ".join(body.split())
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def after_moves(judgments: tuple[Judgment, ...], path_now: Callable[[str], str]) -> tuple[Judgment, ...]:
    """``judgments`` with each path replaced by ``path_now``. If a moved note is now at the path of a missing note, it
    replaces the missing one.
    """

    def at_new_paths(judgment: Judgment) -> Judgment:
        paths = [path_now(document.path) for document in judgment.documents]
        moved = [path != document.path for path, document in zip(paths, judgment.documents, strict=True)]
        return _at_paths(judgment, paths, moved)

    return tuple(map(at_new_paths, judgments))


def _at_paths(judgment: Judgment, paths: Sequence[str], has_precedence: Sequence[bool]) -> Judgment:
    """``judgment`` with its documents at ``paths``.

    If several documents have the same path, the first one with precedence remains, or else the first one.
    """
    kept: dict[str, int] = {}
    for place in sorted(range(len(paths)), key=lambda place: not has_precedence[place]):
        kept.setdefault(paths[place], place)
    documents = (replace(judgment.documents[place], path=paths[place]) for place in sorted(kept.values()))
    return replace(judgment, documents=tuple(documents))


class DocumentFinder:
    """Finds judged documents in one snapshot. Reads notes only if a document is not at its path."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[str, str] = {}  # not functools.cache, which would keep the snapshot alive in a cycle

    def find(self, document: JudgedDocument) -> FollowedDocument:
        """The current place of ``document``: its path, or else a note with its text, its title or its name.

        A text, a title or a name is used only if it belongs to a single note. Raises no errors.
        """
        known = self._snapshot.parsed.get(document.path)
        for path in (document.path, f"{document.path}.md", f"{document.path}.html"):
            if (there := self._snapshot.parsed.get(path)) is not None and not there.unseen:
                return FollowedDocument(
                    document, path, "" if path == document.path else "it was listed without its extension"
                )
        if (reason := self._unread.get(document.path)) is not None:
            return FollowedDocument(document, "", f"not read: {reason}")
        name = document.path.rpartition("/")[2]
        attempts = (
            (self._digests.get(document.digest, ()) if document.digest else (), "it has the same text"),
            (self._titles.get(document.title.lower(), ()) if document.title else (), _SAME_TITLE),
            (self._names.get(name, ()) if name not in _COMMON else (), _SAME_NAME),
        )
        for places, how in attempts:
            if len(places) == 1:
                return FollowedDocument(document, places[0], how)
        if known is not None:
            return FollowedDocument(document, "", known.unseen)
        stub = archived_as(document.path).stub
        return FollowedDocument(document, "", f"archived as {stub}" if stub in self._snapshot.parsed else "gone")

    def moved(self, path: str, text: str) -> tuple[str, str]:
        """The new path of the note that was at ``path`` and contained ``text``, and the evidence; both are empty if the
        path is unknown. Having only the same title or name is not enough. For an archived note, the path leads to the
        stub. Raises no errors.
        """
        found = self.find(JudgedDocument(path, 0, "", digest_of(text)))
        if found.moved and self._digests.get(found.document.digest, ()):
            return found.path, found.how
        stub = archived_as(path).stub
        return (stub, "it was archived") if not found.path and stub in self._snapshot.parsed else ("", "")

    def followed(self, judgment: Judgment) -> tuple[Judgment, tuple[FollowedDocument, ...]]:
        """``judgment`` with current paths, and the documents that have moved or are missing.

        Missing documents keep their path, so that they remain relevant documents of the query.
        """
        documents = [self.find(document) for document in judgment.documents]
        paths = [item.path or item.document.path for item in documents]
        stayed = [bool(item.path) and not item.moved for item in documents]
        return _at_paths(judgment, paths, stayed), tuple(item for item in documents if item.how)

    def followed_surely(self, judgment: Judgment) -> Judgment:
        """``judgment`` with current paths. A document that only has the title or name of another one keeps its path."""
        followed, odd = self.followed(judgment)
        before = {item.path: item.document.path for item in odd if item.is_guess}
        documents = (replace(each, path=before.get(each.path, each.path)) for each in followed.documents)
        return replace(followed, documents=tuple(documents))

    def judged(self, path: str, grade: int) -> JudgedDocument:
        """The document at ``path`` with ``grade``, and with its title and digest, which allow finding it later. Raises
        no errors.
        """
        known = self._snapshot.parsed.get(path)
        return JudgedDocument(path, grade, known.title if known else "", self._digest(path))

    def _digest(self, path: str) -> str:
        if path not in self._known:
            try:
                self._known[path] = digest_of(self._snapshot.text(path))
            except OSError:
                self._known[path] = ""
        return self._known[path]

    @cached_property
    def _unread(self) -> Mapping[str, str]:
        """The reasons why files that exceed this program's limits are not read, keyed by path."""
        return {file.path: file.reason for file in self._snapshot.unseen if file.is_past_limit}

    @cached_property
    def _digests(self) -> Mapping[str, tuple[str, ...]]:
        by_digest: defaultdict[str, list[str]] = defaultdict(list)
        for note in self._snapshot.notes:
            by_digest[self._digest(note.path)].append(note.path)
        by_digest.pop("", None)
        return {digest: tuple(paths) for digest, paths in by_digest.items()}

    @cached_property
    def _titles(self) -> Mapping[str, tuple[str, ...]]:
        by_title: defaultdict[str, list[str]] = defaultdict(list)
        for note in self._snapshot.notes:
            by_title[note.title.lower()].append(note.path)
        return {title: tuple(paths) for title, paths in by_title.items()}

    @cached_property
    def _names(self) -> Mapping[str, tuple[str, ...]]:
        by_name: defaultdict[str, list[str]] = defaultdict(list)
        for note in self._snapshot.notes:
            by_name[note.path.rpartition("/")[2]].append(note.path)
        return {name: tuple(paths) for name, paths in by_name.items()}
