"""Rows of a tree: order, open folders, and filters, against a plain reference."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brvtui.app.contents import Branch
from brvtui.app.states import ancestors
from brvtui.app.widgets.outline import Order, WordFilter, kept, ordered, rows


def _file(path: str, importance: float = 0.0, mtime_ms: int = 0, aside: bool = False) -> Branch:
    name = path.rpartition("/")[2]
    return Branch(
        path, name, False, "context", "draft", aside=aside, importance=importance, mtime_ms=mtime_ms, low=path.lower()
    )


def _folder(path: str, *children: Branch) -> Branch:
    return Branch(path, path.rpartition("/")[2], True, "domain", "", children, low=path.lower())


TREE = (
    _folder(
        "a",
        _folder("a/b", _file("a/b/one.md", 10, 3), _file("a/b/two.md", 30, 1)),
        _file("a/three.md", 20, 2),
        _file("a/stub.md", aside=True),
    ),
    _folder("c", _file("c/one.md", 5, 9)),
)


def _walk(branches: tuple[Branch, ...]) -> list[Branch]:
    return [found for branch in branches for found in (branch, *_walk(branch.children))]


_FILES = [branch for branch in _walk(TREE) if not branch.is_folder]


def _paths(result: list[tuple[Branch, int]]) -> list[str]:
    return [branch.path for branch, _ in result]


def _any(branch: Branch) -> bool:
    return True


def test_closed_folders_hide_their_contents() -> None:
    assert _paths(rows(TREE, Order.NAME, set(), _any)) == ["a", "c"]
    result = rows(TREE, Order.NAME, {"a"}, _any)
    assert _paths(result) == ["a", "a/b", "a/three.md", "a/stub.md", "c"]
    assert [depth for _, depth in result] == [0, 1, 1, 1, 0]


def test_hidden_files_have_no_row() -> None:
    result = rows(TREE, Order.NAME, None, lambda branch: not branch.aside)
    assert _paths(result) == ["a", "a/b", "a/b/one.md", "a/b/two.md", "a/three.md", "c", "c/one.md"]


def test_files_are_sorted_after_folders_in_each_order() -> None:
    children = (*TREE[0].children[:1], _file("a/x.md", 1, 5), _file("a/y.md", 2, 4))
    assert [child.path for child in ordered(children, Order.IMPORTANCE)] == ["a/b", "a/y.md", "a/x.md"]
    assert [child.path for child in ordered(children, Order.AGE)] == ["a/b", "a/x.md", "a/y.md"]
    assert [child.path for child in ordered(children, Order.NAME)] == ["a/b", "a/x.md", "a/y.md"]
    assert [Order.NAME.next, Order.IMPORTANCE.next, Order.AGE.next] == [
        Order.IMPORTANCE,
        Order.AGE,
        Order.NAME,
    ]


def test_filter_counts_matching_files_in_every_parent_folder() -> None:
    found = kept(_FILES, WordFilter.of("ONE a"))
    assert found.files == {"a/b/one.md"}
    assert found.folders == {"a": 1, "a/b": 1}
    found = kept(_FILES, WordFilter.of("one"))
    assert found.folders == {"a": 1, "a/b": 1, "c": 1}
    assert found.paths == found.files | set(found.folders)


def test_ancestors_are_the_folders_above_a_path() -> None:
    assert list(ancestors("a/b/one.md")) == ["a/b", "a"]
    assert list(ancestors("root.md")) == list(ancestors("")) == []


@given(st.sets(st.sampled_from([branch.path for branch in _walk(TREE) if branch.is_folder])), st.sampled_from(Order))
def test_rows_equal_a_recursive_walk(opened: set[str], order: Order) -> None:
    def walk(branches: tuple[Branch, ...], depth: int) -> list[tuple[str, int]]:
        result = []
        for branch in ordered(branches, order):
            result.append((branch.path, depth))
            result += walk(branch.children, depth + 1) if branch.path in opened else []
        return result

    assert [(branch.path, depth) for branch, depth in rows(TREE, order, opened, _any)] == walk(TREE, 0)
