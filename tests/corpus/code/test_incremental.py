"""Updated code indexes have the same graph as fresh ones."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from brvtui.corpus.code.index import build_index
from brvtui.corpus.code.reader_process import Source
from brvtui.corpus.code.records import CodeFile, SkippedSource
from brvtui.corpus.code.rules import CodeRules
from tests.corpus.code.making import ends, read_here, write

TEXTS = {
    "a.py": (
        "class Base:\n    def run_all_jobs(self): pass\n    def run_all_tasks(self): pass\n",
        "class Base:\n    def run_all_jobs(self): self.stop()\n    def stop(self): pass\n",
        "from b import Base\n",
    ),
    "b.py": (
        "from a import Base\nclass Job(Base):\n    def go(self): self.run_all_jobs()\n",
        "from a import *\nclass Base: pass\nclass Job(Base):\n    x = 1\n    def go(self): self.x\n",
        "def go(: broken\n",
    ),
    "c.py": (
        "from b import Job as J\nclass Deep(J):\n  def all(self):\n    self.run_all_jobs()\n    super().stop()\n",
        "import b\nclass Deep(b.Job):\n    def all(self): self.x\n    def stop(self): self.run_all_tasks()\n",
    ),
    "d.py": (
        "from c import *\ndef f(d: Deep):\n    Deep.stop()\n    Deep.run_all_jobs()\n    J.go()\n",
        "import c\n@c.Deep.stop\ndef f():\n    c.J.run_all_tasks()\n    raise c.Base()\n",
    ),
    "tests/test_b.py": (
        "import a\nfrom b import Job\ndef test_job():\n    Job().go()\n    a.Base()\n",
        "from a import Base\ndef test_base():\n    Base()\n",
    ),
    "p/x.go": (
        "package p\ntype Keeper interface { Read(); Close() }\nfunc Use(k Keeper) {}\n",
        "package p\ntype Keeper interface { Read(); Stop() }\n",
    ),
    "p/y.go": (
        "package p\ntype Disk struct{}\nfunc (d *Disk) Read() { d.Close() }\nfunc (d *Disk) Close() {}\n",
        "package p\n// Code generated. DO NOT EDIT.\n",
    ),
}
EDITS = [(path, text) for path, texts in TEXTS.items() for text in texts]
REMOVALS = [(path, None) for path in TEXTS]
CHANGES = st.lists(st.sampled_from([*EDITS, *EDITS, *EDITS, *REMOVALS]), min_size=1, max_size=8)


def change(root: Path, path: str, text: str | None) -> None:
    if text is None:
        (root / path).unlink(missing_ok=True)
    else:
        write(root, {path: text})


@settings(max_examples=60, deadline=None)
@given(CHANGES)
def test_updated_index_equals_a_fresh_index(changes: list[tuple[str, str | None]]) -> None:
    with TemporaryDirectory() as folder:
        root = write(Path(folder), {path: texts[0] for path, texts in TEXTS.items()})
        index = build_index(root, "r://r", read=read_here)
        index.graph()
        for path, text in changes:
            change(root, path, text)
            index = build_index(root, "r://r", before=index, read=read_here)
            fresh = build_index(root, "r://r", read=read_here)
            assert index.graph() == fresh.graph()


def reading(paths: list[str]):
    """Reads as usual, and adds the paths of the files read to ``paths``."""

    def read(sources: Iterable[Source], rules: CodeRules) -> Iterable[CodeFile | SkippedSource]:
        for path, source in sources:
            paths.append(path)
            yield from read_here([(path, source)], rules)

    return read


def test_only_changed_files_are_read(tmp_path: Path) -> None:
    write(tmp_path, {path: texts[0] for path, texts in TEXTS.items()})
    index = build_index(tmp_path, read=read_here)
    paths: list[str] = []
    assert build_index(tmp_path, before=index, read=reading(paths)).graph() == index.graph()
    assert paths == []
    write(tmp_path, {"b.py": TEXTS["b.py"][1]})
    build_index(tmp_path, before=index, read=reading(paths))
    assert paths == ["b.py"]


def test_edit_that_keeps_size_and_modification_time_is_parsed(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "def one(): pass\n"})
    index, before = build_index(tmp_path, read=read_here), (tmp_path / "a.py").stat()
    write(tmp_path, {"a.py": "def two(): pass\n"})
    os.utime(tmp_path / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [node.name for node in build_index(tmp_path, before=index, read=read_here).graph().nodes] == ["two"]


def test_file_with_unchanged_bytes_is_not_parsed_again(tmp_path: Path) -> None:
    write(tmp_path, {path: texts[0] for path, texts in TEXTS.items()})
    index = build_index(tmp_path, read=read_here)
    os.utime(tmp_path / "b.py", ns=(1, 1))
    paths: list[str] = []
    assert build_index(tmp_path, before=index, read=reading(paths)).graph() == index.graph()
    assert paths == []


def test_only_a_changed_files_dependents_are_relinked(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "base.py": "class Base:\n    def stop(self): pass\n",
            "job.py": "from base import Base\nclass Job(Base): pass\n",
            "use.py": "from job import Job\ndef use():\n    Job.stop()\n",
            "alone.py": "def alone(): other()\n",
        },
    )
    index = build_index(tmp_path, read=read_here)
    index.graph()
    assert index.memory.relinked == ("alone.py", "base.py", "job.py", "use.py")
    write(tmp_path, {"base.py": "class Base:\n    def halt(self): pass\n"})
    index = build_index(tmp_path, before=index, read=read_here)
    graph = index.graph()
    assert index.memory.relinked == ("base.py", "job.py", "use.py")
    assert ("use.py.use", "calls", "external://job.Job.stop") in ends(graph)
    write(tmp_path, {"job.py": "class Job:\n    def stop(self): pass\n"})
    index = build_index(tmp_path, before=index, read=read_here)
    assert ("use.py.use", "calls", "job.py.Job.stop") in ends(index.graph())
    assert index.memory.relinked == ("job.py", "use.py")
    index.graph()
    assert index.memory.relinked == ()
    write(tmp_path, {"new.py": ""})
    index = build_index(tmp_path, before=index, read=read_here)
    index.graph()
    assert len(index.memory.relinked) == 5


def test_file_is_relinked_when_a_star_import_gains_its_name(tmp_path: Path) -> None:
    files = {
        "a.py": "from b import *\ndef go():\n    foo()\n",
        "b.py": "from c import *\n",
        "c.py": "def bar(): pass\n",
    }
    index = build_index(write(tmp_path, files), read=read_here)
    index.graph()
    write(tmp_path, {"c.py": "def foo(): pass\n"})
    graph = build_index(tmp_path, before=index, read=read_here).graph()
    assert ("a.py.go", "calls", "c.py.foo") in ends(graph)


def test_file_is_relinked_when_its_package_declares_a_used_name(tmp_path: Path) -> None:
    files = {
        "A.java": "package p;\nclass A { void go() { B.run(); } }\n",
        "X.java": "package p;\nclass X { }\n",
        "Q.java": "package q;\nclass Q { }\n",
    }
    index = build_index(write(tmp_path, files), read=read_here)
    index.graph()
    write(tmp_path, {"X.java": "package p;\nclass B { static void run() { } }\n"})
    index = build_index(tmp_path, before=index, read=read_here)
    assert ("A.java.A.go", "calls", "X.java.B.run") in ends(index.graph())
    assert index.memory.relinked == ("A.java", "X.java")


def test_file_is_relinked_when_a_base_type_changes(tmp_path: Path) -> None:
    files = {
        "base.py": "",
        "job.py": "import base\nclass Job(base.Base): pass\n",
        "use.py": "from job import Job\ndef use():\n    Job.stop()\n",
    }
    index = build_index(write(tmp_path, files), read=read_here)
    index.graph()
    write(tmp_path, {"base.py": "class Base:\n    def stop(self): pass\n"})
    graph = build_index(tmp_path, before=index, read=read_here).graph()
    assert ("use.py.use", "calls", "base.py.Base.stop") in ends(graph)
