"""The questions that a member answers by itself."""

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
    """A member as it is open: what it holds and by what it answers."""

    notes: int
    engine: str
    profile: str
    constants: str
    """A digest of the constants: members with equal ones rank alike."""
    domains: tuple[str, ...]
    """The names of its domains, in lower case."""
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateOf:
    """Asks for the :class:`MemberState`."""

    def of(self, opened: OpenMember) -> MemberState:
        """What the member is now."""
        project, context = opened.project, opened.context
        engine, constants = project.engines.named(project.engine), context.constants
        alike = engine.rank_alike(constants) if isinstance(engine, RanksTogether) else constants
        digest = blake2b(repr(alike).encode(), digest_size=8).hexdigest()
        snapshot = context.snapshot
        return MemberState(
            len(snapshot.notes),
            project.engine,
            project.engines.profile(project.engine),
            digest,
            () if project.kind.is_html else tuple(sorted(snapshot.domains)),
            snapshot.notices,
        )


@dataclass(frozen=True, slots=True)
class ConstantsOf:
    """Asks for the constants with which the member's engine answers."""

    def of(self, opened: OpenMember) -> Any:
        """The constants, of the engine's own type."""
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
    """How its scores are written and drawn."""
    trace: Trace | None = None
    """The whole trace, where it was asked for."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Asks for the answer to ``text`` by the member's own engine, as a preview."""

    text: str
    scope: str = ""
    with_trace: bool = False

    def of(self, opened: OpenMember) -> MemberAnswer:
        """The member's answer."""
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
    """The member has no note of a name, or several."""

    why: str
    near: tuple[str, ...]
    """The paths of its notes with such a name."""
    meant: tuple[str, ...]
    """The paths that the name could mean; empty where it means none."""


@dataclass(frozen=True, slots=True)
class Explaining:
    """Asks why a note is, or is not, in the member's answer to ``text``."""

    text: str
    note: str
    """A path, the end of one, or a title."""

    def of(self, opened: OpenMember) -> Explanation | NoSuchNote:
        """The explanation, with what would help; or that the member has no such note, or several."""
        context, engine, trace = opened.context, opened.engine, opened.trace(self.text)
        try:
            named = find_note(context.snapshot, self.note)
        except UnknownNote as error:
            return NoSuchNote(str(error), error.near, error.meant)
        made = engine.why(context, trace, named)
        if isinstance(engine, TriesRemedies):
            made = with_remedies(made, engine.remedies(context, trace, named, lambda: False))
        return made


@dataclass(frozen=True, slots=True)
class OutlookOf:
    """Asks what the next days bring to the member's notes; ``event`` keeps events of that kind."""

    days: int
    event: str = ""

    def of(self, opened: OpenMember) -> Outlook:
        """The outlook. Raises :class:`brvtui.engines.contract.EngineError` for an engine without forecasts."""
        project = opened.project
        return outlook(project.snapshot, project.engine, project.engines, self.days, self.event)


@dataclass(frozen=True, slots=True)
class EvaluationOf:
    """Asks how the member's engine answers its own judged queries."""

    def of(self, opened: OpenMember) -> Evaluation | None:
        """The evaluation; None where it has no judgments, as in a git repository.

        Raises :class:`brvtui.lab.judgments.model.JudgmentsError`.
        """
        project = opened.project
        if not isinstance(project, Session):
            return None
        judgments = JudgmentsFile.of(project.project).read()
        return evaluate(opened.engine, opened.context, judgments, Query("")) if judgments else None
