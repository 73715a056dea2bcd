"""Prints the size of the package and its tests: ``python -m benchmarks.size``.

A line of code is a line with a token that belongs neither to a comment nor to a docstring.
"""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def code_lines(text: str) -> int:
    """Returns the number of lines of code in ``text``, which is Python."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def main() -> None:
    """Prints the numbers of code lines, lines and modules in the package, and of lines in the tests."""
    files = sorted(Path("brvtui").rglob("*.py"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    tests = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in Path("tests").rglob("*.py"))
    print(f"lines of code {sum(map(code_lines, texts)):,}")
    print(f"lines in all  {sum(len(text.splitlines()) for text in texts):,}")
    print(f"modules       {sum(file.name != '__init__.py' for file in files):,} beside __init__.py")
    print(f"tests         {tests:,} lines")


if __name__ == "__main__":
    main()
