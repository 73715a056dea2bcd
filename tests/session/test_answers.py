"""Questions about an answer."""

from __future__ import annotations

import pytest

from tests.support.trees import Tree


def test_the_detail_of_a_hit(quokkas: Tree) -> None:
    session = quokkas.session()
    found = session.probe("quokka")
    made = session.answers.detail(found, found.hits[0].file)
    assert found.hits[0].text is not None
    assert made.score.raw == pytest.approx(found.hits[0].text.raw, rel=1e-12)
    with pytest.raises(KeyError):
        session.answers.detail(found, "nowhere.md")


def test_a_detail_is_made_on_the_snapshot_of_its_trace(quokkas: Tree) -> None:
    session = quokkas.session()
    trace = session.probe("quokka")
    file = trace.hits[0].file
    before = session.answers.detail(trace, file)
    quokkas.file(file, "# Something else entirely\n", days=1)
    session.load()
    assert session.answers.detail(trace, file) == before
    assert before is not None
    assert before.hit is not None
