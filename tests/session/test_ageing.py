"""Questions about signals and maturity."""

from __future__ import annotations

import pytest

from tests.support.trees import Tree


def test_maturity(quokkas: Tree) -> None:
    session = quokkas.session()
    board = session.ageing.board()
    row = board.row(board.snapshot.by_path["x/n.md"])
    assert (row.importance_stored, row.access_count, row.source) == (61, 4, "sidecar")
    assert session.ageing.forecast(70, board).board is board
    assert session.ageing.forecast(70).any_change.all()
    assert session.ageing.curve("x/m.md", 30).importance[0] == pytest.approx(50 * 0.995**5)
    used, updated = session.ageing.after_hits("x/n.md", 2), session.ageing.after_updates("x/m.md", 1)
    assert (used.signals.importance, used.signals.maturity) == (67, "validated")
    assert (updated.signals.importance, updated.days) == (55, 0)
    for ask in (session.ageing.curve, lambda path: session.ageing.after_hits(path, 1)):
        with pytest.raises(KeyError):
            ask("x/gone.md")
    assert board.snapshot is session.snapshot


def test_a_note_of_an_older_board_is_still_looked_up_on_it(tree: Tree) -> None:
    path = tree.note("a/gone.md", "Gone", days=3)
    session = tree.session()
    board = session.ageing.board()
    (tree.tree / path).unlink()
    session.load()
    assert session.ageing.after_hits(path, 1, board).signals.access_count == 1
    assert session.ageing.after_updates(path, 1, board).signals.update_count == 1
    with pytest.raises(KeyError):
        session.ageing.after_hits(path, 1)
