"""Judgments: reading, changing without loss, following documents, and foreign formats."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.lab.judgments.exchange import FORMATS, trec_name
from brvtui.lab.judgments.file import JudgmentsFile, edited_text, new_text
from brvtui.lab.judgments.following import DocumentFinder, after_moves, digest_of
from brvtui.lab.judgments.model import OUTCOMES, JudgedDocument, Judgment, JudgmentsError, meets, new_id
from brvtui.lab.judgments.reading import HEADER, MOST_QUERIES, parse_judgments
from brvtui.tree.reading.project import NotesFolder, find_project
from tests.support.trees import Tree

ROTATION = Judgment(
    "rotation", "how are tokens rotated", "auth", "tier 2", "asked weekly",
    (JudgedDocument("auth/rotation.md", 3, "Rotation", "0123456789abcdef"), JudgedDocument("auth/expiry.md", 1)),
)  # fmt: skip
INGRESS = Judgment("ingress", "kubernetes ingress", expected="not covered")
_WRITTEN = """# our own words, above
version = 1

# the one that pages people
[[query]]
id = "rotation"        # keep this id
text = 'how are tokens rotated'
scope = "auth"
expected = "tier 2"
comment = "asked weekly"
documents = [{path="auth/rotation.md", grade=3, title="Rotation", digest="0123456789abcdef"},
             {path="auth/expiry.md", grade=1}]

# nobody has this yet
[[query]]
id = "ingress"
text = "kubernetes ingress"
expected = "not covered"
"""


def names() -> st.SearchStrategy[str]:
    return st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


def judgments() -> st.SearchStrategy[tuple[Judgment, ...]]:
    documents = st.lists(
        st.builds(JudgedDocument, names(), st.integers(0, 3), names() | st.just("")),
        max_size=3,
        unique_by=lambda d: d.path,
    )
    one = st.builds(
        Judgment,
        st.from_regex(r"[a-z][a-z0-9-]{0,6}", fullmatch=True),
        names().filter(str.strip),
        names() | st.just(""),
        st.sampled_from(("", *OUTCOMES)),
        names() | st.just(""),
        documents.map(tuple),
    )
    return st.lists(one, max_size=4, unique_by=lambda judgment: judgment.id).map(tuple)


class TestText:
    @given(judgments())
    def test_written_judgments_are_read_back(self, made: tuple[Judgment, ...]) -> None:
        assert parse_judgments(new_text(made).encode(), "j.toml") == made

    @given(judgments(), judgments())
    def test_any_edited_judgments_are_read_back(
        self, before: tuple[Judgment, ...], after: tuple[Judgment, ...]
    ) -> None:
        order = {judgment.id: place for place, judgment in enumerate(before)}
        known = iter(sorted((each for each in after if each.id in order), key=lambda each: order[each.id]))
        after = tuple(next(known) if each.id in order else each for each in after)
        text = edited_text(new_text(before), before, after)
        assert parse_judgments(text.encode(), "j.toml") == after

    def test_edit_keeps_comments_and_unchanged_text(self) -> None:
        before = parse_judgments(_WRITTEN.encode(), "j.toml")
        assert before == (ROTATION, INGRESS)
        result = edited_text(_WRITTEN, before, (replace(ROTATION, scope="", expected="tier 3"), INGRESS))
        assert result == _WRITTEN.replace('scope = "auth"\n', "").replace("tier 2", "tier 3")
        result = edited_text(_WRITTEN, before, (INGRESS,))
        assert result.startswith("# our own words, above\nversion = 1\n")
        assert result.endswith(_WRITTEN[_WRITTEN.index("# nobody") :])
        added = replace(INGRESS, id="more")
        assert edited_text(_WRITTEN, before, (*before, added)).startswith(_WRITTEN)
        again = edited_text(edited_text(_WRITTEN, before, (INGRESS,)), (INGRESS,), before)
        assert again.index(ROTATION.text) < again.index("# nobody") < again.index(INGRESS.text)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[[query]\n", "not valid TOML"),
            ("version = 2\n", "version must be 1"),
            ('queries = "x"\n', "unknown key queries; did you mean query?"),
            ('query = "x"\n', "starting with [[query]]"),
            ('\n\n[[query]]\nid = "a"\n', "line 3: text is missing"),
            ('[[query]]\nid = "a b"\ntext = "x"\n', "line 1: id = 'a b' must be"),
            ('[[query]]\nid = "a"\ntext = " "\n', "text is empty"),
            ('[[query]]\nid = "a"\ntext = 3\n', "text = 3 must be a string"),
            ('[[query]]\nid = "a"\ntext = "x"\nexpected = "tier 9"\n', "must be one of not covered"),
            (
                '[[query]]\nid = "a"\ntext = "x"\ndocuments = [{path = "n.md", grade = 4}]\n',
                "grade must be 0, 1, 2 or 3",
            ),
            ('[[query]]\nid = "a"\ntext = "x"\ndocuments = [{path = "n.md", grade = true}]\n', "grade must be"),
            ('[[query]]\nid = "a"\ntext = "x"\ndocuments = [{grade = 1}]\n', "document 1: path is missing"),
            ('[[query]]\nid = "a"\ntext = "x"\ndocuments = ["n.md"]\n', "document 1: must be a table"),
            (
                '[[query]]\nid = "a"\ntext = "x"\n[[query]]\nid = "a"\ntext = "y"\n',
                "line 4: query 1 already has the id a",
            ),
            (f'[[query]]\nid = "a"\ntext = "{"x" * 2001}"\n', "more than 2000 characters"),
            (f"{'a.' * 80}a = 1\n", "a key of more than 64 parts"),
            ("x = " + "[" * 5000, "not valid TOML"),
        ],
    )
    def test_broken_file_is_reported_in_one_line_with_its_position(self, text: str, message: str) -> None:
        with pytest.raises(JudgmentsError) as raised:
            parse_judgments(text.encode(), "j.toml")
        line = str(raised.value)
        assert line.startswith("j.toml")
        assert message in line
        assert "\n" not in line
        assert len(line) < 400

    def test_ids_are_derived_from_the_query(self) -> None:
        assert new_id("How are Tokens rotated?", ()) == "how-are-tokens-rotated"
        assert new_id("x", {"x", "x-2"}) == "x-3"
        assert new_id("ключ", ()) == "query"

    def test_outcome_is_compared_with_the_expectation(self) -> None:
        assert meets("tier 2", "tier 2") is True
        assert meets("tier 2", "not covered") is False
        assert meets("covered", "tier 3") is True
        assert meets("tier 2", "covered") is None
        assert meets("not covered", "covered") is False
        assert meets("", "tier 2") is None


class TestFile:
    def test_judgments_file_is_next_to_the_tree(self, tree: Tree, tmp_path: Path) -> None:
        file = JudgmentsFile.of(find_project(tree.root))
        assert file.read() == ()
        assert file.change(lambda before: (*before, ROTATION)) == (ROTATION,)
        assert file.path == tree.root / ".brv" / "brv-tui" / "judgments.toml"
        assert file.read() == (ROTATION,)
        assert os.stat(file.path).st_mode & 0o077 == os.stat(tree.root / ".brv" / "config.json").st_mode & 0o077
        bare = tmp_path / "bare"
        bare.mkdir()
        (bare / "n.md").write_text("# N")
        own = JudgmentsFile.of(find_project(NotesFolder(bare)))
        own.change(lambda _: (INGRESS,))
        # the folder still opens without a .brv
        assert JudgmentsFile.of(find_project(NotesFolder(bare))).read() == (INGRESS,)

    def test_broken_file_is_never_overwritten(self, tree: Tree) -> None:
        file = JudgmentsFile.of(find_project(tree.root))
        file.path.parent.mkdir()
        for broken in (b"[[query]\n", b"\xff\xfe", b"version = 9\n"):
            file.path.write_bytes(broken)
            with pytest.raises(JudgmentsError, match=r"judgments\.toml"):
                file.change(lambda before: (*before, ROTATION))
            assert file.path.read_bytes() == broken

    def test_uneditable_file_stays_unchanged(self, tree: Tree) -> None:
        file = JudgmentsFile.of(find_project(tree.root))
        file.path.parent.mkdir()
        text = 'query = [{id = "a", text = "x"}]\n'
        file.path.write_text(text)
        with pytest.raises(JudgmentsError, match="by hand"):
            file.change(lambda before: (*before, ROTATION))
        tricky = '[[query]]\nid = "a"\ntext = """\n[[query]]\n"""\n'
        file.path.write_text(tricky)
        with pytest.raises(JudgmentsError, match="by hand"):
            file.change(lambda before: (*before, ROTATION))
        assert file.path.read_text() == tricky

    def test_links_out_of_the_project_are_refused(self, tree: Tree, tmp_path: Path) -> None:
        file = JudgmentsFile.of(find_project(tree.root))
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        file.path.parent.symlink_to(elsewhere)
        with pytest.raises(JudgmentsError, match="symlink"):
            file.change(lambda _: (ROTATION,))
        assert list(elsewhere.iterdir()) == []
        (elsewhere / "judgments.toml").write_text(new_text([ROTATION]))
        with pytest.raises(JudgmentsError, match="cannot be read"):
            file.read()
        file.path.parent.unlink()
        file.path.parent.mkdir()
        file.path.symlink_to(elsewhere / "judgments.toml")
        with pytest.raises(JudgmentsError, match="cannot be read"):
            file.read()

    def test_link_that_replaces_the_folder_during_a_change_is_not_followed(self, tree: Tree, tmp_path: Path) -> None:
        file = JudgmentsFile.of(find_project(tree.root))
        file.change(lambda _: (ROTATION,))
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()

        def swap(before: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
            file.path.parent.rename(tmp_path / "moved")
            file.path.parent.symlink_to(elsewhere)
            return (*before, INGRESS)

        with pytest.raises(JudgmentsError, match="replace it with a folder"):
            file.change(swap)
        assert list(elsewhere.iterdir()) == []

    def test_file_with_too_many_queries_is_refused(self, tree: Tree) -> None:
        file = JudgmentsFile.of(find_project(tree.root))
        full = tuple(Judgment(f"q{number}", "g") for number in range(MOST_QUERIES))
        file.change(lambda before: full)
        with pytest.raises(JudgmentsError, match="would have more than 20000 queries; remove some with brv-tui judge"):
            file.change(lambda before: (*before, INGRESS))
        assert file.read() == full

    def test_concurrent_writers_keep_all_judgments(self, tree: Tree) -> None:
        code = (
            "import sys; from pathlib import Path; from brvtui.lab.judgments.file import JudgmentsFile;"
            "from brvtui.lab.judgments.model import Judgment; from brvtui.tree.reading.project import find_project;"
            "file = JudgmentsFile.of(find_project(Path(sys.argv[1])));"
            "[file.change(lambda old: (*old, Judgment(f'{sys.argv[2]}{n}', 'x'))) for n in range(15)]"
        )
        running = [subprocess.Popen([sys.executable, "-c", code, str(tree.root), name]) for name in "ab"]
        assert [one.wait(60) for one in running] == [0, 0]
        held = JudgmentsFile.of(find_project(tree.root)).read()
        assert sorted(each.id for each in held) == sorted(f"{name}{n}" for name in "ab" for n in range(15))

    def test_killed_writer_leaves_the_old_or_the_new_file(self, tree: Tree) -> None:
        """Kills the writer before its n-th call that changes the disk. The next change cleans up."""
        code = """
import os, sys
from pathlib import Path
from brvtui.disk import writing
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import Judgment
from brvtui.tree.reading.project import find_project
file = JudgmentsFile.of(find_project(Path(sys.argv[1])))
left = int(sys.argv[2])
def audit(event, args):
    global left
    changes = event in ("os.mkdir", "os.rename", "os.remove") or (event == "open" and args[2] & 3)
    named = os.fsdecode(args[0]) if changes and isinstance(args[0], (str, bytes)) else ""
    if changes and Path(named).is_relative_to(file.path.parent):
        left -= 1
        if left < 0:
            os._exit(9)
for name in ("fsync", "write", "fchmod"):
    def counted(*args, real=getattr(os, name)):
        audit("os.mkdir", (str(file.path),))
        return real(*args)
    setattr(os, name, counted)
sys.addaudithook(audit)
file.change(lambda old: (*old, Judgment(f"new-{sys.argv[2]}", "y")))
"""
        file = JudgmentsFile.of(find_project(tree.root))
        file.change(lambda _: (ROTATION,))
        killed = 0
        for number in range(12):
            before = file.read()
            done = subprocess.run([sys.executable, "-c", code, str(tree.root), str(number)], timeout=60)
            after = file.read()
            assert [each.id for each in after][: len(before)] == [each.id for each in before]
            if done.returncode == 0:
                assert len(after) == len(before) + 1
                break
            assert done.returncode == 9
            killed += 1
            assert len(after) in (len(before), len(before) + 1)
        assert 2 <= killed < 12
        file.change(lambda old: (*old, INGRESS))
        assert [item.name for item in file.path.parent.iterdir()] == ["judgments.toml"]


class TestFollowing:
    def test_moved_note_is_recognised_only_by_its_text(self, tree: Tree) -> None:
        tree.note("b/deploy.md", "Setup", "another text")
        tree.note("a/elsewhere.md", "Renamed", "")
        text = (tree.tree / "a/elsewhere.md").read_text()
        finder = DocumentFinder(tree.snapshot())
        assert finder.moved("a/deploy.md", "# Setup\n\nfirst this, then that\n") == ("", "")
        assert finder.moved("a/deploy.md", text) == ("a/elsewhere.md", "it has the same text")

    def test_moved_note_is_found(self, tree: Tree) -> None:
        tree.note("auth/rotation.md", "Rotation", "each use gives a new one")
        tree.note("auth/expiry.md", "Expiry", "sessions end")
        tree.note("ops/gone.md", "Gone", "not for long")
        tree.notes(3)
        finder = DocumentFinder(tree.snapshot())
        text, titled, named, lost = (
            finder.judged(path, 3) for path in ("auth/rotation.md", "auth/expiry.md", "pad/p001.md", "ops/gone.md")
        )
        assert text.title == "Rotation"
        assert len(text.digest) == 16
        (tree.tree / "auth/rotation.md").unlink()
        tree.file("security/tokens.md", "---\ntitle: x\n---\n# Rotation\n\neach use gives\na new one\n")
        (tree.tree / "auth/expiry.md").unlink()
        tree.note("security/ends.md", "Expiry", "sessions end after a day")
        (tree.tree / "ops/gone.md").unlink()
        (tree.tree / "pad/p001.md").rename(tree.tree / "auth/p001.md")
        finder = DocumentFinder(tree.snapshot())
        assert finder.find(text).path == "security/tokens.md"
        assert finder.find(titled).path == "security/ends.md"
        assert finder.find(titled).how == "it has the same title"
        assert finder.find(named).path == "auth/p001.md"
        assert (finder.find(lost).path, finder.find(lost).how) == ("", "gone")
        result, odd = finder.followed(Judgment("a", "x", documents=(text, lost)))
        assert [document.path for document in result.documents] == ["security/tokens.md", "ops/gone.md"]
        assert [item.moved for item in odd] == [True, False]

    def test_note_moved_to_the_path_of_a_removed_one_takes_its_place(self, tmp_path: Path) -> None:
        file = JudgmentsFile(tmp_path / "judgments.toml", trusted=True)
        gone, moved, other = JudgedDocument("ops/b.md", 0), JudgedDocument("ops/a.md", 3), JudgedDocument("c.md", 1)
        file.change(lambda _: (Judgment("a", "x", documents=(gone, moved, other)), INGRESS))
        file.change(lambda known: after_moves(known, lambda path: path.replace("ops/a.md", "ops/b.md")))
        followed = (JudgedDocument("ops/b.md", 3), other)
        assert file.read() == (Judgment("a", "x", documents=followed), INGRESS)

    def test_note_moved_to_a_judged_path_keeps_the_judgment_there(self, tree: Tree) -> None:
        tree.note("ops/b.md", "Deploy", "its text")
        there = DocumentFinder(tree.snapshot()).judged("ops/b.md", 1)
        judgment = Judgment("a", "x", documents=(replace(there, path="ops/a.md", grade=3), there))
        result, _ = DocumentFinder(tree.snapshot()).followed(judgment)
        assert result.documents == (there,)

    def test_text_shared_by_two_notes_identifies_neither(self, tree: Tree) -> None:
        tree.note("a/x.md", "Same", "text of its own")
        tree.note("b/y.md", "Same", "other text")
        finder = DocumentFinder(tree.snapshot())
        assert finder.find(JudgedDocument("c/z.md", 3, "Same")).path == ""
        assert finder.find(JudgedDocument("c/x.md", 3, "Other")).path == "a/x.md"

    def test_archived_note_is_reported(self, tree: Tree) -> None:
        tree.file("_archived/ops/old.stub.md", "---\ntype: archive_stub\n---\na stub")
        tree.note("x/n.md", "N")
        found = DocumentFinder(tree.snapshot()).find(JudgedDocument("ops/old.md", 3))
        assert (found.path, found.how) == ("", "archived as _archived/ops/old.stub.md")

    def test_digest_covers_words_but_not_frontmatter(self) -> None:
        assert digest_of("# A\n\nb  c\n") == digest_of("---\nkey: 1\n---\n# A\nb c")
        assert digest_of("# A") != digest_of("# B")


class TestExchange:
    @pytest.mark.parametrize("linked", ["queries.jsonl", "qrels", "qrels/test.tsv"])
    def test_links_out_of_beir_folder_are_rejected(self, tmp_path: Path, linked: str) -> None:
        folder, other = tmp_path / "beir", tmp_path / "other"
        FORMATS["beir"].write(folder, [Judgment("a", "x", documents=(JudgedDocument("n.md", 3),))])
        (folder / linked).rename(other)
        (folder / linked).symlink_to(other)
        with pytest.raises(JudgmentsError, match="this symlink points outside"):
            FORMATS["beir"].read(folder, None, ())

    @pytest.mark.parametrize("linked", ["queries.jsonl", "qrels", "qrels/test.tsv"])
    @pytest.mark.parametrize("is_dangling", [False, True])
    def test_beir_export_writes_nothing_through_links_that_point_outside(
        self, tmp_path: Path, linked: str, is_dangling: bool
    ) -> None:
        folder, other = tmp_path / "beir", tmp_path / "other"
        (folder / linked).parent.mkdir(parents=True)
        (folder / linked).symlink_to(other)
        if linked == "qrels" and not is_dangling:
            other.mkdir()
        elif not is_dangling:
            other.write_text("mine")
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(JudgmentsError, match="this symlink points outside"):
            FORMATS["beir"].write(folder, [Judgment("a", "x", documents=(JudgedDocument("n.md", 3),))])
        assert sorted(tmp_path.rglob("*")) == before
        assert other.is_dir() or is_dangling or other.read_text() == "mine"

    @pytest.mark.parametrize(("form", "name"), [("beir", "out"), ("trec", "qrels.txt"), ("qmd", "bench.json")])
    def test_exported_judgments_are_imported(self, form: str, name: str, tmp_path: Path) -> None:
        spaced = replace(ROTATION, documents=(JudgedDocument("auth/a 100% note.md", 3), JudgedDocument("b.md", 0)))
        known = (spaced, INGRESS)
        FORMATS[form].write(tmp_path / name, known)
        result = FORMATS[form].read(tmp_path / name, None, known)
        bare = replace(spaced, documents=tuple(replace(each, title="", digest="") for each in spaced.documents))
        if form == "beir":
            assert result == (bare, INGRESS)
        elif form == "trec":
            assert result == (bare,)  # a TREC file cannot contain a query without documents
        else:
            positive = (JudgedDocument("auth/a 100% note.md", 1),)
            assert result == (
                Judgment("rotation", spaced.text, comment="asked weekly", documents=positive),
                Judgment("ingress", INGRESS.text),
            )

    @pytest.mark.parametrize(("form", "name"), [("beir", "out"), ("trec", "qrels.txt"), ("qmd", "bench.json")])
    def test_exported_names_contain_no_controls(self, form: str, name: str, tmp_path: Path) -> None:
        """Control characters would take effect in a terminal, and a tab or a line feed would break a row."""
        paths = ("x\x1b]52;c;cHduZWQ=\x07.md", "a\tb\nc\x7f\x9b.md", "\u202e\u200b \u2028.md", "a%1B %28b%29 50%.md")
        judged = Judgment("a", "x", documents=tuple(JudgedDocument(path, 1) for path in paths))
        for file in FORMATS[form].write(tmp_path / name, [judged]):
            assert all(line.replace("\t", " ").isprintable() for line in file.read_text().split("\n"))
        assert FORMATS[form].read(tmp_path / name, None, [judged]) == (judged,)

    def test_escapes_in_foreign_names_are_kept(self, tmp_path: Path) -> None:
        (tmp_path / "qrels").mkdir()
        (tmp_path / "queries.jsonl").write_text('{"_id": "a", "text": "x"}\n')
        names = ("<dbpedia:Animalia_%28book%29>", "a%25b", "a%0a", "%E9%1B", "a%1B%28b", "100%")
        (tmp_path / "qrels" / "test.tsv").write_text("".join(f"a\t{name}\t1\n" for name in names))
        (result,) = FORMATS["beir"].read(tmp_path, None, ())
        assert result.documents == tuple(JudgedDocument(name, 1) for name in names)

    def test_foreign_trec_document_ids_stay_as_they_are(self, tmp_path: Path) -> None:
        names = ("<dbpedia:Animalia_%28book%29>", "http://h.example/a%2Fb", "caf%E9", "caf%c3%a9", "100%", "50%%20")
        (tmp_path / "qrels").write_text("".join(f"a 0 {name} 1\n" for name in names))
        (result,) = FORMATS["trec"].read(tmp_path / "qrels", None, (Judgment("a", "x"),))
        assert result.documents == tuple(JudgedDocument(name, 1) for name in names)

    def test_foreign_formats_are_imported(self, tmp_path: Path) -> None:
        (tmp_path / "qrels").mkdir()
        (tmp_path / "queries.jsonl").write_text('{"_id": "PLAIN 1", "text": "a query", "metadata": {}}\n')
        (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\r\nPLAIN 1\tMED-10\t7\r\n")
        (result,) = FORMATS["beir"].read(tmp_path, None, ())
        assert result == Judgment("plain-1", "a query", documents=(JudgedDocument("MED-10", 3),))
        qrels = tmp_path / "q.txt"
        qrels.write_text("1 0 n.md -1\n1 0 m.md 2\n")
        topics = tmp_path / "topics.tsv"
        topics.write_text("1\tthe query\n")
        (result,) = FORMATS["trec"].read(qrels, topics, ())
        assert result == Judgment("1", "the query", documents=(JudgedDocument("n.md", 0), JudgedDocument("m.md", 2)))
        with pytest.raises(JudgmentsError, match="no text for the query 1"):
            FORMATS["trec"].read(qrels, None, ())

    @pytest.mark.parametrize(
        ("form", "content", "message"),
        [
            ("trec", "1 0 n.md\n", "line 1: must be a query's id"),
            ("trec", "1 0 n.md high\n", "line 1: the grade high"),
            ("trec", "1 0 n.md 1_0\n", "line 1: the grade 1_0"),
            ("trec", "1 0 n.md \u0663\n", "line 1: the grade \u0663"),
            ("qmd", "[]", "must be a JSON object"),
            *(
                (
                    "qmd",
                    f'{{"queries": [{{"id": {name}, "query": "q", "expected_files": []}}]}}',
                    "a query's id must be",
                )
                for name in ("NaN", "Infinity", "1.5", "null", "true", "[]")
            ),
            ("qmd", '{"queries": [{"id": "a", "expected_files": []}]}', 'query 1: "query" must be a string'),
            ("qmd", "{", "is not JSON"),
            ("beir", "", "has no .tsv file"),
        ],
    )
    def test_broken_foreign_files_are_reported_with_their_line(
        self, form: str, content: str, message: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "given"
        file.write_text(content)
        (tmp_path / "queries.jsonl").write_text("")
        with pytest.raises(JudgmentsError, match=message):
            FORMATS[form].read(tmp_path if form == "beir" else file, None, ())

    @pytest.mark.parametrize("form", ["beir", "trec"])
    def test_importing_too_many_queries_is_refused(self, form: str, tmp_path: Path) -> None:
        (tmp_path / "qrels").mkdir()
        (tmp_path / "qrels/test.tsv").write_text("q0\tn.md\t1\n")
        (tmp_path / "trec").write_text("q0 0 n.md 1\n")
        (tmp_path / "queries.jsonl").write_text(
            "".join(f'{{"_id": "q{number}", "text": "gate"}}\n' for number in range(MOST_QUERIES + 1))
        )
        with pytest.raises(JudgmentsError, match="has more than 20000 queries"):
            FORMATS[form].read(tmp_path / form if form == "trec" else tmp_path, tmp_path / "queries.jsonl", ())

    def test_colliding_ids_are_made_unique_in_linear_time(self, tmp_path: Path) -> None:
        """Existing ids are checked about once per query."""
        names = [chr(0x4E00 + number) for number in range(5_000)]
        (tmp_path / "qrels").write_text("".join(f"{name} 0 n.md 1\n" for name in names))
        (tmp_path / "q.tsv").write_text("".join(f"{name}\tgate\n" for name in names))
        begun = time.process_time()
        result = FORMATS["trec"].read(tmp_path / "qrels", tmp_path / "q.tsv", ())
        assert time.process_time() - begun < 1
        assert [each.id for each in result][::4_999] == ["query", "query-5000"]

    def test_trec_names_contain_no_white_space(self) -> None:
        assert trec_name("a b%c\u2003d.md") == "a%20b%25c%E2%80%83d.md"
        assert trec_name("über/ü.md") == "über/ü.md"
        assert trec_name("caf\udce9\udc9b.md") == "caf%E9%9B.md"

    def test_qmd_fixture_has_its_fields(self, tmp_path: Path) -> None:
        FORMATS["qmd"].write(tmp_path / "b.json", (ROTATION,))
        value = json.loads((tmp_path / "b.json").read_text())
        (query,) = value["queries"]
        assert query["expected_files"] == ["auth/rotation.md", "auth/expiry.md"]
        assert query["expected_in_top_k"] == 2
        assert query["type"] in ("exact", "semantic", "topical", "cross-domain", "alias")


def test_query_header_is_found_in_any_valid_toml_form() -> None:
    text = '  [[ query ]]  # here\nid = "a"\ntext = "x"\n'
    assert len(HEADER.findall(text)) == len(tomllib.loads(text)["query"]) == 1
