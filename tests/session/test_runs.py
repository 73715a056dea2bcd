"""Probes and runs on the simulated cache."""

from __future__ import annotations

import pytest

from brvtui.trace.routing import CacheLook, Route
from tests.support.threads import failures_in_threads
from tests.support.trees import Tree


def test_a_probe_has_no_effect_and_a_run_fills_the_cache(quokkas: Tree) -> None:
    session = quokkas.session()
    for _ in range(3):
        trace = session.probe("quokka facts")
        assert (trace.mode, trace.section(Route).used, trace.section(CacheLook).entries) == ("probe", True, ())
    run = session.run("quokka facts")
    assert (run.mode, run.section(Route).used) == ("run", True)
    assert session.probe("QUOKKA facts").tier == 0
    assert session.probe("facts quokka").tier == 1
    session.engines.clear_caches()
    assert session.probe("quokka facts").section(Route).used


def test_the_simulated_cache_beside_what_is_typed(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka jumping facts")
    now = session.cache_now("quokka jumping")
    assert [entry.key for entry in now.look.entries] == ["quokka jumping facts"]
    assert now.look.entries[0].similarity == pytest.approx(2 / 3)
    assert now.look.simulated
    assert now.fingerprint.held


def test_queries_from_many_threads(quokkas: Tree) -> None:
    session = quokkas.session()

    def work(number: int) -> None:
        for turn in range(15):
            session.run(f"turn{number}x{turn} place{number}y{turn}")
            session.probe("wallaby")
            if turn % 5 == 0:
                quokkas.note(f"x/t{number}.md", f"Turn {turn}")
                session.load()

    assert failures_in_threads(work) == []
    assert len(session.cache_now("x").look.entries) == 50
