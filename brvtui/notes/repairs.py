"""Plans that repair a memory: merging notes, archiving superseded ones, changing titles, and several plans at once."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from brvtui.lab.backlinks import LinkIndex
from brvtui.lab.judgments.following import digest_of
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.notes.applying import read_content
from brvtui.notes.moving import Relocation, relinked_text
from brvtui.notes.plan import FileContent, NoteError, Plan, Step, Write
from brvtui.snapshot import Snapshot
from brvtui.tree.editing.archive import archived_as
from brvtui.tree.editing.fields import BrokenFrontmatter, FieldsError, set_fields
from brvtui.tree.editing.joining import joined, share_words, with_relation
from brvtui.tree.reading.contents import title_span
from brvtui.tree.reading.files import ARCHIVE, Role, role_of
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.saving.note_files import SaveError
from brvtui.wording import counted

_BRACKETS = re.compile(r"[\\\[\]]")


def plan_together(plans: Sequence[Plan], title: str) -> Plan:
    """Returns one plan with the steps of all ``plans``, which must change different files, and each notice once."""
    notices = dict.fromkeys(notice for plan in plans for notice in plan.notices)
    return Plan(title, tuple(step for plan in plans for step in plan.steps), tuple(notices))


def plan_title(tree: Path, path: str, title: str) -> Plan:
    """Returns a plan that changes the title of the note at ``path``, and its frontmatter field of that name if it has
    one.

    Raises :class:`NoteError`.
    """
    before, text = _read(tree, path)
    try:
        after = set_fields(text, {"title": title}) if "title" in parse(text).fields else text
    except FieldsError as error:
        raise NoteError(f"{path}: {error}") from error
    span, start = title_span(after), parse(after).body_start
    after = f"{after[: span[0]]}{title}{after[span[1] :]}" if span else f"{after[:start]}# {title}\n\n{after[start:]}"
    return Plan(f"retitle {path}", (Write(path, before, FileContent(after.encode("utf-8"), None, before.mode)),))


def plan_replacing(
    snapshot: Snapshot,
    index: LinkIndex,
    pairs: Sequence[tuple[str, ...]],
    is_merge: bool,
    archive: Callable[[str], Plan],
    joins: bool | None = None,
) -> Plan:
    """Returns a plan that replaces, for each of ``pairs``, the first note by the second.

    Without ``is_merge``, the second note gets a link to the place of the first in the archive. Otherwise, the second
    note gets the text of the first if ``joins`` is True or, if ``joins`` is None, unless the two share most of their
    words. ``archive`` plans to archive the first. Other notes' links to it then lead to the second. Raises
    :class:`NoteError`.
    """
    replaced = _replaced(pairs)
    tree = snapshot.project.tree
    for path in {*replaced, *replaced.values()}:
        if role_of(path) not in (Role.NOTE, Role.CONTEXT) or path.startswith(f"{ARCHIVE}/"):
            raise NoteError(f"{path}: not a note, so it cannot be merged or superseded")
    joining = {old for old in replaced if is_merge and joins}
    if is_merge and joins is None:
        joining = {old for old, new in replaced.items() if not share_words(_read(tree, old)[1], _read(tree, new)[1])}
    stubs = {old: archived_as(old).stub for old in replaced}
    to_new, to_stub = (Relocation(snapshot, index, "", "", files, False) for files in (replaced, stubs))
    steps: list[Step] = []
    notices: list[str] = []
    for source in sorted({*to_new.sources, *replaced.values()} - replaced.keys()):
        own = [old for old, new in replaced.items() if new == source]
        before, _ = _read(tree, source)
        moved = to_new if is_merge or not own else to_stub
        data, left = relinked_text(tree, moved, source, before.data)
        notices += left
        if own:
            after = data.decode("utf-8")
            for old in own:
                other = _read(tree, old)[0].data if old in joining else b""
                relinked = relinked_text(tree, to_new, old, other)[0].decode("utf-8")
                after = _merged(after, relinked, old, source) if is_merge else _linked(snapshot, after, old, source)
            data = after.encode("utf-8")
        if data != before.data:
            steps.append(Write(source, before, FileContent(data, None if own else before.mtime_ns, before.mode)))
    archiving = [archive(old) for old in replaced]
    whole = plan_together([Plan("", tuple(steps), tuple(notices)), *archiving], "")
    (old, new), *others = replaced.items()
    does = "merge {} into {}" if joining else f"archive {{}}, {'replaced' if is_merge else 'superseded'} by {{}}"
    title = does.format(old, new) + (f", and {counted(len(others), 'more note', 'more notes')}" if others else "")
    return replace(whole, title=title, replaced=tuple(replaced.items()))


def judged_after(judgments: Iterable[Judgment], plan: Plan, tree: Path) -> tuple[tuple[Judgment, Judgment], ...]:
    """The ``judgments`` that ``plan`` changes, before and after: replaced notes become the notes that replace them,
    with the higher of both grades. Raises :class:`NoteError`.
    """
    replaced, changes = dict(plan.replaced), list[tuple[Judgment, Judgment]]()
    writes = {step.path: step.after for step in plan.steps if isinstance(step, Write) and step.after}
    for judgment in judgments:
        documents: dict[str, JudgedDocument] = {}
        for document in judgment.documents:
            path = replaced.get(document.path, document.path)
            if path != document.path:
                text = writes[path].data.decode("utf-8", "replace") if path in writes else _read(tree, path)[1]
                digest = digest_of(text)
                document = replace(document, path=path, title="", digest=digest)
            known = documents.setdefault(path, document)
            documents[path] = replace(known, grade=max(known.grade, document.grade))
        after = replace(judgment, documents=tuple(documents.values()))
        changes += [(judgment, after)] if after != judgment else []
    return tuple(changes)


def _replaced(pairs: Iterable[tuple[str, ...]]) -> dict[str, str]:
    """Returns the note that finally replaces each replaced note. Raises :class:`NoteError` if there is none."""
    replaced: dict[str, str] = {}

    def final(path: str) -> str:
        return final(replaced[path]) if path in replaced else path

    for old, new in pairs:
        if old not in replaced and final(new) != old:
            replaced[old] = final(new)
    if not replaced:
        raise NoteError("two different notes are needed: select a finding about a pair of notes")
    return {old: final(old) for old in replaced}


def _merged(kept: str, other: str, old: str, new: str) -> str:
    """Returns both texts as one, without their links to each other."""
    itself = {f"@{new}", f"@{new.removesuffix('.md')}"}
    try:
        lines = joined(kept, other).splitlines(keepends=True)
        text = "".join(line for line in lines if line.strip().removeprefix("- ") not in itself)
        related = parse(text).fields.get("related")
        if isinstance(related, list) and new in related:
            text = set_fields(text, {"related": [path for path in related if path != new]})
        return text
    except (BrokenFrontmatter, FieldsError) as error:
        raise NoteError(f"{old} or {new}: the frontmatter cannot be read ({error}); fix it first") from error


def _linked(snapshot: Snapshot, text: str, old: str, new: str) -> str:
    """Returns ``text``, the text of the note at ``new``, with a link to the archived note at ``old``."""
    title = _BRACKETS.sub(r"\\\g<0>", snapshot.parsed[old].title) if old in snapshot.parsed else old
    way = quote(posixpath.relpath(archived_as(old).stub, posixpath.dirname(new) or "."))
    return with_relation(text, f"Supersedes [{title}]({way}).")


def _read(tree: Path, path: str) -> tuple[FileContent, str]:
    try:
        content = read_content(tree, path)
        return content, content.data.decode("utf-8")
    except SaveError as error:
        raise NoteError(str(error)) from error
    except UnicodeDecodeError as error:
        raise NoteError(f"{path}: byte {error.start} is not UTF-8; fix it first") from error
