"""The questions that a member can answer on its own."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from brvtui.engines.advice import with_remedies
from brvtui.engines.contract import Query, TriesRemedies
from brvtui.engines.registry import verdict_sentence
from brvtui.engines.together import RanksTogether
from brvtui.fleet.opening import OpenMember
from brvtui.lab.evaluation.evaluate import evaluate
from brvtui.lab.evaluation.results import Evaluation
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.session import Session
from brvtui.session.ageing import outlook
from brvtui.snapshot.naming import UnknownNote, find_note
from brvtui.trace import Explanation, Hit, Outlook, Scale, Trace


@dataclass(frozen=True, slots=True)
class MemberState:
    """The state of an open member: its contents and its engine."""

    notes: int
    engine: str
    profile: str
    constants: str
    """A digest of the engine's constants. Members with equal digests rank by the same rules."""
    domains: tuple[str, ...]
    """The names of the member's domains, in lower case."""
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateRequest:
    """Requests the :class:`MemberState`."""

    def of(self, opened: OpenMember) -> MemberState:
        """The current state of the member."""
        project, context = opened.project, opened.context
        engine, constants = project.engines.named(project.engine), context.constants
        if opened.digested[0] is not constants:
            alike = engine.rank_alike(constants) if isinstance(engine, RanksTogether) else constants
            opened.digested = constants, blake2b(repr(alike).encode(), digest_size=8).hexdigest()
        snapshot = context.snapshot
        return MemberState(
            len(snapshot.notes),
            project.engine,
            project.engines.profile(project.engine),
            opened.digested[1],
            () if project.kind.is_html else tuple(sorted(snapshot.domains)),
            snapshot.notices,
        )


@dataclass(frozen=True, slots=True)
class ConstantsOf:
    """Requests the constants of the member's engine."""

    def of(self, opened: OpenMember) -> Any:
        """The constants, in the engine's own type."""
        return opened.context.constants


@dataclass(frozen=True, slots=True)
class MemberAnswer:
    """The answer of a member's own engine."""

    engine: str
    profile: str
    notes: int
    covered: bool
    tier: int | None
    sentence: str
    total_found: int
    hits: tuple[Hit, ...]
    scale: Scale = Scale()
    """The format of the answer's scores."""
    trace: Trace | None = None
    """The whole trace, if requested."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Requests the answer of the member's own engine to ``text``, as a preview."""

    text: str
    scope: str = ""
    with_trace: bool = False

    def of(self, opened: OpenMember) -> MemberAnswer:
        """Returns the member's answer."""
        trace = opened.trace(self.text, self.scope)
        return MemberAnswer(
            trace.engine,
            trace.profile,
            trace.snapshot.notes,
            trace.covered,
            trace.tier,
            verdict_sentence(trace),
            trace.total_found,
            trace.hits,
            trace.scale,
            trace if self.with_trace else None,
        )


@dataclass(frozen=True, slots=True)
class NoSuchNote:
    """The reply if a name matches no note of the member, or more than one."""

    why: str
    near: tuple[str, ...]
    """The paths of notes with similar names."""
    meant: tuple[str, ...]
    """The paths of the matching notes; empty if none match."""


@dataclass(frozen=True, slots=True)
class Explaining:
    """Requests the reason why a note is, or is not, in the member's answer to ``text``."""

    text: str
    note: str
    """A path, the end of a path, or a title."""

    def of(self, opened: OpenMember) -> Explanation | NoSuchNote:
        """Returns the explanation with remedies, or NoSuchNote unless exactly one note matches."""
        context, engine, trace = opened.context, opened.engine, opened.trace(self.text)
        try:
            named = find_note(context.snapshot, self.note)
        except UnknownNote as error:
            return NoSuchNote(str(error), error.near, error.meant)
        explanation = engine.why(context, trace, named)
        if isinstance(engine, TriesRemedies):
            explanation = with_remedies(explanation, engine.remedies(context, trace, named, lambda: False))
        return explanation


@dataclass(frozen=True, slots=True)
class OutlookOf:
    """Requests the events that are ahead for the member's notes in the next ``days``.

    ``event`` selects one kind of event.
    """

    days: int
    event: str = ""

    def of(self, opened: OpenMember) -> Outlook:
        """Returns the outlook. Raises :class:`brvtui.engines.contract.EngineError` if the engine makes no forecasts."""
        project = opened.project
        return outlook(project.snapshot, project.engine, project.engines, self.days, self.event)


@dataclass(frozen=True, slots=True)
class EvaluationOf:
    """Requests an evaluation of the member's engine with the member's own judged queries."""

    def of(self, opened: OpenMember) -> Evaluation | None:
        """Returns the evaluation; None if the member has no judgments, as in a git repository.

        Raises :class:`brvtui.lab.judgments.model.JudgmentsError`.
        """
        project = opened.project
        if not isinstance(project, Session):
            return None
        judgments = JudgmentsFile.of(project.project).read()
        return evaluate(opened.engine, opened.context, judgments, Query("")) if judgments else None
