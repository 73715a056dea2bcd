"""What was read of a repository is kept: the next process reads what changed, and a broken file counts as none."""

from __future__ import annotations

import gzip
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.corpus.code.index import CodeIndex, build_index
from brvtui.corpus.code.rules import code_rules
from brvtui.store.kept_code import KeptCode
from tests.corpus.code.making import limited, read_here, write
from tests.corpus.code.test_incremental import TEXTS, reading


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(tmp_path / "cache"))
    root = write(tmp_path / "shop", {path: texts[0] for path, texts in TEXTS.items()})
    (root / "binary.py").write_bytes(b"\0")
    return root


def built(root: Path, before: CodeIndex | None = None) -> CodeIndex:
    return build_index(root, before=before, read=read_here)


def test_it_comes_back_as_it_was(root: Path) -> None:
    index, kept = built(root), KeptCode(root)
    assert kept.read() is None
    kept.write(index)
    again = KeptCode(root).read()
    assert again.files == index.files
    paths: list[str] = []
    followed = build_index(root, before=again, read=reading(paths))
    assert followed.graph() == index.graph()
    assert paths == []
    write(root, {"a.py": TEXTS["a.py"][1]})
    assert build_index(root, before=again, read=reading(paths)).graph() == built(root).graph()
    assert paths == ["a.py"]


def test_it_is_for_its_owner_alone(root: Path) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700


def test_other_rules_and_other_places_have_another(root: Path, tmp_path: Path) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    assert KeptCode(root, limited(file_bytes=10_000)).read() is None
    rules = code_rules()
    assert KeptCode(root, replace(rules, python=replace(rules.python, builtins=()))).read() is None
    elsewhere = KeptCode(write(tmp_path / "other", {}))
    elsewhere.path.parent.mkdir(parents=True)
    elsewhere.path.write_bytes(kept.path.read_bytes())
    assert elsewhere.read() is None


@pytest.mark.parametrize("keep", [0, 1, 10, 40, -20, -1])
def test_a_torn_file_counts_as_none(root: Path, keep: int) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    kept.path.write_bytes(kept.path.read_bytes()[:keep])
    assert kept.read() is None


@pytest.mark.parametrize("line", ["[]", "{}", "[[1,2,3,4],5,6,7]", '[["a.py",1,1,1],"",null,[1]]', "nonsense", "null"])
def test_lines_that_are_not_right_count_as_none(root: Path, line: str) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    header, *_ = gzip.decompress(kept.path.read_bytes()).splitlines()
    kept.path.write_bytes(gzip.compress(header + b"\n" + f"{line}\n".encode() * 6))
    assert kept.read() is None


def test_no_symlink_is_followed(root: Path, tmp_path: Path) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    other = tmp_path / "elsewhere"
    other.write_bytes(kept.path.read_bytes())
    kept.path.unlink()
    kept.path.symlink_to(other)
    assert kept.read() is None
