"""Merges, superseded notes and several archivings: no line is lost, links and judgments follow, undo restores all."""

from __future__ import annotations

import random
import stat
from pathlib import Path

import pytest

from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.following import digest_of
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.notes.plan import NoteError
from brvtui.tree.editing.archive import archived_as
from brvtui.tree.editing.joining import joined, share_words
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.links import LinkState
from tests.support.examples import seeds
from tests.support.trees import Tree

OLD, NEW = "auth/jwt/old.md", "auth/jwt/new.md"
_WORDS = ("token", "session", "refresh", "expiry", "rotate", "cache", "deploy", "webhook", "retry", "größe", "設定")
_PARTS = ("Reason", "Raw Concept", "Narrative", "Facts", "Relations", "Größe")
_FOLDERS = ("auth/jwt", "auth/session", "deploy", "infra/k8s/nodes")


def _files(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file with its content, modification time and permissions."""
    return {
        path.relative_to(root).as_posix(): (
            path.read_bytes(),
            path.stat().st_mtime_ns,
            stat.S_IMODE(path.stat().st_mode),
        )
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def _links(tree: Tree) -> dict[str, list[str]]:
    """The targets of the links in every note; an empty target for a broken link."""
    session = tree.session()
    index = session.notes.links()
    return {note.path: [link.path for link in index.links_of(note.path)] for note in session.snapshot.notes}


def _sentence(pick: random.Random) -> str:
    return " ".join(pick.choices(_WORDS, k=pick.randint(2, 9)))


def _body(pick: random.Random, paths: list[str], path: str) -> str:
    lines = [f"# {_sentence(pick)}", ""] if pick.random() < 0.9 else []
    for heading in pick.sample(_PARTS, pick.randint(0, len(_PARTS))):
        lines += [f"## {heading}", ""] if pick.random() < 0.8 else [f"## {heading}"]
        for _ in range(pick.randint(0, 3)):
            kind = pick.randrange(5)
            if kind == 0:
                lines += [f"- **{pick.choice(_WORDS)}**: {_sentence(pick)}" for _ in range(pick.randint(1, 4))]
            elif kind == 1:
                lines += ["```py", f"def {pick.choice(_WORDS)}():", "", f"    return {pick.random()}", "```"]
            elif kind == 2:
                target = pick.choice(paths)
                way = "../" * path.count("/") + target
                lines += [f"@{target}" if pick.random() < 0.5 else f"see [it]({way}) and {_sentence(pick)}"]
            else:
                lines += [_sentence(pick) for _ in range(pick.randint(1, 2))]
            lines.append("")
    if pick.random() < 0.1:
        lines += ["~~~", "# not a title, and not closed"]
    return "\n".join(lines) + pick.choice(("", "\n", "\n\n"))


def _fields(pick: random.Random, paths: list[str]) -> str:
    if pick.random() < 0.2:
        return ""
    rows = [f"title: {_sentence(pick)}", f"summary: '{_sentence(pick)}'"]
    rows += [f"tags: [{', '.join(pick.sample(_WORDS[:9], 2))}]", f"related: [{', '.join(pick.sample(paths, 2))}]"]
    rows += ["keywords:\n  - one\n  - two # why", f"createdAt: '2026-0{pick.randint(1, 9)}-01T00:00:00.000Z'"]
    rows += ["author: {name: Ada, of: [a, b]}", "draft: true", f"importance: {pick.randint(1, 99)}"]
    return "\n".join(["---", *pick.sample(rows, pick.randint(0, len(rows))), "---", ""])


def _random_tree(tree: Tree, pick: random.Random) -> list[str]:
    paths = [f"{pick.choice(_FOLDERS)}/n{number}.md" for number in range(pick.randint(4, 12))]
    shared = _body(pick, paths, "a/b/c.md")
    for path in paths:
        body = shared if pick.random() < 0.2 else _body(pick, paths, path)
        text = _fields(pick, paths) + body
        file = tree.file(path, text.replace("\n", "\r\n") if pick.random() < 0.2 else text, days=pick.random() * 100)
        file.chmod(pick.choice((0o644, 0o600, 0o664)))
    return paths


def _lines(text: str) -> list[str]:
    """The lines of the body that are not blank."""
    return [line.rstrip() for line in text[parse(text).body_start :].splitlines() if line.strip()]


def _without_links(line: str) -> str:
    """The part of ``line`` before its link, which a merge may rewrite."""
    return line.split("](")[0].split("@")[0]


@pytest.mark.parametrize("seed", seeds(20, 500))
def test_random_repairs_lose_nothing_and_are_undone_byte_for_byte(tree: Tree, seed: int) -> None:
    pick = random.Random(seed)
    paths = _random_tree(tree, pick)
    before, links = _files(tree.tree), _links(tree)
    notes = tree.session().notes
    old, new, third = pick.sample(paths, 3)
    way = seed % 4
    if way == 0:
        plan = notes.plan_archiving(pick.sample(paths, pick.randint(1, 4)))
    elif way == 1:
        plan = notes.plan_replacing([(old, new)], is_merge=False)
    else:
        pairs = [(old, new), (third, new)] if way == 2 else [(old, new), (new, third)] if way == 3 else [(old, new)]
        plan = notes.plan_replacing(pairs, is_merge=True, joins=True)
    notes.apply(plan)
    after = _files(tree.tree)
    assert after != before
    for path, final in plan.replaced:
        kept = after[final][0].decode()
        known = {_without_links(line) for line in _lines(kept)}
        originals = [before[final][0].decode(), *([before[path][0].decode()] if way > 1 else [])]
        for original in originals:
            missing = {_without_links(line) for line in _lines(original)} - known
            titles = [line for line in missing if line.startswith("# ")]
            assert not missing.difference(titles, {"", "- ", "---"})
        fields, now = parse(before[final][0].decode()).fields, parse(kept).fields
        assert all(fields[key] == now[key] for key in fields.keys() - {"related"})
        assert after[archived_as(path).full][0] == before[path][0]
    replaced = dict(plan.replaced)
    if replaced:
        for path, targets in _links(tree).items():
            if path in links and path not in replaced.values():
                wanted = [replaced.get(target, target) for target in links[path]]
                lost = [then for then, now in zip(wanted, targets, strict=True) if then != now]
                assert len(lost) == sum(f"{path}, line" in notice for notice in plan.notices)
            assert not set(targets) & replaced.keys()
    notes.undo()
    assert _files(tree.tree) == before
    notes.redo()
    assert {path: data for path, (data, *_) in _files(tree.tree).items()} == {
        path: data for path, (data, *_) in after.items()
    }


KEPT = """---
title: New expiry
tags: [auth]
createdAt: '2026-03-01T00:00:00.000Z'
---
# New expiry

## Facts
- tokens live 15 minutes
- see @auth/jwt/old.md

## Relations
@auth/jwt/old.md
"""
OTHER = """---
title: Old expiry
tags: [auth, jwt]
createdAt: '2026-01-01T00:00:00.000Z'
owner: Ada
---
# Old expiry

## Facts
- tokens live 15 minutes
- they are signed

## Rules
never log them
"""


def test_joined_text_has_each_line_once_in_its_section() -> None:
    text = joined(KEPT, OTHER)
    assert parse(text).fields == parse(KEPT).fields
    assert text.count("tokens live 15 minutes") == 1
    assert "Old expiry" not in text
    assert "Ada" not in text
    order = [
        "# New expiry",
        "## Facts",
        "they are signed",
        "## Rules",
        "never log",
        "## Relations",
    ]
    assert sorted(order, key=text.index) == order


def test_joining_keeps_line_ends_and_closes_code(tree: Tree) -> None:
    text = joined("# A\r\n\r\n## B\r\nb\r\n\r\n## C\r\nc\r\n", "# A\n\n## B\n~~~\ncode\n")
    assert "\n" not in text.replace("\r\n", "")
    assert text.index("code\r\n~~~\r\n") < text.index("## C")
    assert joined("", "") == ""
    assert joined("# A\n\nb", "# C\n\nb\n") == "# A\n\nb"


def test_texts_share_words_regardless_of_frontmatter_and_case() -> None:
    assert share_words("a b c", "---\nx: y z w q\n---\nA B d")
    assert not share_words("a b c", "a d e")
    assert not share_words("---\ntags: [a, b]\n---\nc d", "---\ntags: [a, b]\n---\ne f")


@pytest.mark.parametrize("joins", [False, None])
def test_kept_note_gets_no_text_from_a_similar_one(tree: Tree, joins: bool | None) -> None:
    _pair(tree)
    similar = OTHER if joins is False else f"{KEPT}\nnever log them\n"
    tree.file(OLD, similar, days=9)
    session = tree.session()
    file = JudgmentsFile.of(session.project)
    file.change(lambda _: (Judgment("expiry", "token expiry", documents=(JudgedDocument(OLD, 3),)),))
    before = _files(tree.tree)
    plan = session.notes.plan_replacing([(OLD, NEW)], is_merge=True, joins=joins)
    session.notes.apply(plan)
    text = (tree.tree / NEW).read_text()
    assert "never log" not in text
    assert not set(KEPT.splitlines()) - set(text.splitlines()) - {"@auth/jwt/old.md", "- see @auth/jwt/old.md"}
    assert (tree.tree / archived_as(OLD).full).read_text() == similar
    assert {link.path for link in session.notes.links().links_of("deploy/use.md")} == {NEW}
    (document,) = file.read()[0].documents
    assert (document.path, document.digest) == (NEW, digest_of(text))
    session.notes.undo()
    assert _files(tree.tree) == before


def test_kept_note_is_not_written_if_it_has_no_links_to_the_other_note(tree: Tree) -> None:
    tree.file(OLD, "# Old\n\ntokens live 15 minutes\n", days=9)
    tree.file(NEW, "# New\n\ntokens live 20 minutes", days=3)
    session = tree.session()
    file = JudgmentsFile.of(session.project)
    file.change(lambda _: (Judgment("expiry", "token expiry", documents=(JudgedDocument(OLD, 3),)),))
    plan = session.notes.plan_replacing([(OLD, NEW)], is_merge=True)
    assert NEW not in plan.paths
    session.notes.apply(plan)
    assert [each.path for each in file.read()[0].documents] == [NEW]


def _pair(tree: Tree) -> None:
    tree.file(OLD, OTHER, days=9)
    tree.file(NEW, KEPT, days=3)
    tree.file("deploy/use.md", "# Use\n\n@auth/jwt/old.md and [it](../auth/jwt/old.md)\n", days=5)


def test_judged_queries_follow_a_merge_and_its_undo(tree: Tree) -> None:
    _pair(tree)
    session = tree.session()
    file = JudgmentsFile.of(session.project)
    documents = (JudgedDocument(OLD, 3), JudgedDocument(NEW, 1))
    file.change(lambda _: (Judgment("expiry", "token expiry", documents=documents),))
    session.notes.apply(session.notes.plan_replacing([(OLD, NEW)], is_merge=True))
    assert [(each.path, each.grade) for each in file.read()[0].documents] == [(NEW, 3)]
    session.notes.undo()
    assert file.read()[0].documents == documents


def test_superseded_note_is_archived_and_linked_from_the_newer_one(tree: Tree) -> None:
    _pair(tree)
    session = tree.session()
    session.notes.apply(session.notes.plan_replacing([(OLD, NEW)], is_merge=False))
    index, stub = session.notes.links(), archived_as(OLD).stub
    assert {link.path for link in index.links_of(NEW)} == {stub}
    assert {link.path for link in index.links_of("deploy/use.md")} == {NEW}
    assert all(link.state is LinkState.NOTE for path in (NEW, "deploy/use.md") for link in index.links_of(path))
    assert parse((tree.tree / NEW).read_text()).fields == parse(KEPT).fields
    assert (tree.tree / archived_as(OLD).full).read_text() == OTHER


def test_new_title_replaces_heading_and_field(tree: Tree) -> None:
    _pair(tree)
    notes = tree.session().notes
    notes.apply(notes.plan_title(NEW, "Expiry: 15 minutes"))
    text = (tree.tree / NEW).read_text()
    quoted = KEPT.replace("title: New expiry", "title: 'Expiry: 15 minutes'")
    assert text == quoted.replace("# New expiry", "# Expiry: 15 minutes")
    notes.apply(notes.plan_title("deploy/use.md", "\\1 usage"))
    assert (tree.tree / "deploy/use.md").read_text().startswith("# \\1 usage\n")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [([], "two different notes"), ([(OLD, OLD)], "two different notes"), ([(OLD, "gone.md")], "gone.md"),
     ([("_archived/a.stub.md", NEW)], "not a note")],
)  # fmt: skip
def test_impossible_merges_are_refused(tree: Tree, pairs: list[tuple[str, str]], message: str) -> None:
    _pair(tree)
    before = _files(tree.tree)
    with pytest.raises(NoteError, match=message):
        tree.session().notes.plan_replacing(pairs, is_merge=True)
    tree.file(OLD, "---\ntitle: [\n---\n# Old\n")
    with pytest.raises(NoteError, match="fix it first"):
        tree.session().notes.plan_replacing([(OLD, NEW)], is_merge=True)
    tree.file(OLD, OTHER, days=9)
    assert _files(tree.tree) == before
