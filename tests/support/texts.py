"""The texts of the package: its string literals except docstrings, by their place in the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tests.docs.pages import sources

_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Text:
    """A literal; ``{}`` represents each value in an f-string."""

    file: str
    line: int
    text: str

    @property
    def place(self) -> str:
        """The file and the line, for a message."""
        return f"{self.file}:{self.line}"

    @property
    def unit(self) -> str:
        """The engine or the layer to which the file belongs."""
        parts = self.file.split("/")
        return "/".join(parts[:3] if parts[1] == "engines" else parts[:2])


def texts() -> Iterator[Text]:
    """Yields every literal of the package that contains a blank, and docstrings of commands, which are their help."""
    for file, source in sources(".py").items():
        tree = ast.parse(source)
        yield from (Text(file, line, text) for line, text in _texts(tree, _unseen(tree)) if " " in text.strip())
        if file.startswith("brvtui/cli/"):
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and node.decorator_list:
                    yield Text(file, node.lineno, ast.get_docstring(node) or "")


def _texts(node: ast.AST, unseen: set[int]) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.JoinedStr):
        yield node.lineno, "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _texts(part.value, unseen)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str) and id(node) not in unseen:
            yield node.lineno, node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _texts(child, unseen)


def _unseen(tree: ast.AST) -> set[int]:
    """Docstrings of modules, classes, functions, and of the names before them."""
    return {
        id(entry.value)
        for node in ast.walk(tree)
        if isinstance(node, _WITH_DOCSTRING)
        for entry in node.body
        if isinstance(entry, ast.Expr)
    }
