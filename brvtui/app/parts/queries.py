"""Queries: when which is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from textual.timer import Timer

from brvtui.app.ask import Ask
from brvtui.app.parts.needs import MayRefuse, Times
from brvtui.app.prober import PAUSE_S, Prober
from brvtui.app.store import ViewStore


class Answers(Protocol):
    """Answers queries."""

    def begin(self, asked: Ask) -> None:
        """Begins to answer; the prober is told when that has :meth:`~Prober.finished` or :meth:`~Prober.failed`."""

    def clear(self) -> None:
        """Shows no answer any more."""


class Queries:
    """Puts queries to the engine that is chosen, one at a time."""

    def __init__(self, host: Times, project: MayRefuse, store: ViewStore, replaced: Callable[[], None]) -> None:
        """Nothing was asked, and nobody answers yet; ``replaced`` is called before an answer is."""
        self._host = host
        self._project = project
        self._store = store
        self._replaced = replaced
        self.typed = ""
        """What stands in the query's field."""
        self.prober = Prober(self._begin, self._pause)
        self._answers: Answers | None = None
        self._pausing: Timer | None = None

    def answered_by(self, answers: Answers) -> None:
        """Has ``answers`` asked from now on."""
        self._answers = answers

    def type(self, query: str) -> None:
        """Counts ``query`` as what stands in the field, and asks nothing."""
        self.typed = query

    def put(self, query: str, run: bool = False) -> None:
        """Puts ``query`` to the engine, or shows the empty state when it is blank."""
        self._put(query, run, at_once=False)

    def _put(self, query: str, run: bool, at_once: bool) -> None:
        if self._project.saved is not None:
            return
        self.typed = query
        self._replaced()
        if not query.strip():
            self._clear()
        elif self._project.session is not None and self._store.view.project.overview is not None:
            self.prober.ask(query, self._store.view.query.scope, run, at_once=at_once)

    def _clear(self) -> None:
        self.prober.forget()
        if self._answers is not None:
            self._answers.clear()
        view = self._store.view
        kept = not view.query.text.strip() or view.knows(view.selection.file)
        self._store.update(
            replace(self._store.view.query, text=""),
            replace(self._store.view.selection, file=view.selection.file if kept else "", detail=None),
        )

    def put_again(self) -> None:
        """Asks what was asked last, because something that it depends on has changed."""
        self._put(self.typed, run=False, at_once=True)

    def tree_changed(self) -> None:
        """Asks again, unless a model is writing the answer: that stays to be read, though it is of the tree before."""
        live = self._store.view.model.live
        if live is None or not live.is_about(self.typed, self._store.view.query.scope):
            self.put_again()

    def scope_to(self, folder: str) -> None:
        """Keeps queries to ``folder``; empty for the whole tree."""
        if not self._project.refuses():
            self._store.update(replace(self._store.view.query, scope=folder))
            self.put_again()

    def _begin(self, asked: Ask) -> None:
        assert self._answers is not None
        self._answers.begin(asked)

    def _pause(self) -> None:
        if self._pausing is not None:
            self._pausing.stop()
        self._pausing = self._host.set_timer(PAUSE_S, self.prober.go)
