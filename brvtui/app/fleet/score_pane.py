"""The fleet's score pane: the parts of the selected result's score, and the number of notes with each word."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.app.fleet.headline import what_to_do
from brvtui.app.states import FleetSelection, FleetState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.engines.registry import has
from brvtui.engines.together import OneRanking, RanksTogether
from brvtui.fleet.fleet_file import Member
from brvtui.fleet.questions import MemberAnswer
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.hits import added_rule, chips, lead_lines
from brvtui.paint.line import Line, line, rule
from brvtui.paint.score import sum_lines
from brvtui.paint.text import cut_left, plural
from brvtui.text.visible import visible
from brvtui.trace import Hit, NearMiss, Scale

_EMPTY = "the parts of the selected result's score, and their sum"
_NOT_COMPARABLE = (
    "Words are counted only in its own {notes}: a word that is rare there may be common in another member, so "
    "{scores} not comparable with scores of other members."
)
_MERGE = " {fleet.merge} ranks the notes of all members together."
_COMPARABLE = "Words are counted over {notes} of {members}, by {profile}: scores are comparable."
_NOT_COUNTED = "The question names this note, so no words are counted."


class FleetScorePane(Pane):
    """The selected result: its member, its engine's explanation, and the parts of its score."""

    TITLE = "Fleet score"
    READS = (FleetState, FleetSelection)
    HELP_TEXT = (
        "This pane explains the selected result: its member, the answer as the member's own engine explains it, and "
        "the parts of the best note's score. The member's other good notes are below. In one ranking, it shows the "
        "parts of the score and how many notes of all members contain each word of the question. If a member has no "
        "answer, the pane says why, and what to do."
    )

    @property
    def tab_name(self) -> str:
        """The name on the pane's tab, without "Fleet", which the screen shows."""
        return "Score"

    def heading(self, view: View) -> str:
        """Returns the title."""
        return self.tab_name

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the explanation of the selected result."""
        state = view.fleet
        if state.fleet is None or not (state.text or view.fleet_selection.member):
            return wrapped(_EMPTY, width)
        if state.together and state.ranking is not None and view.fleet_selection.member not in state.unread:
            return _of_ranking(state.ranking, view.fleet_selection, width, self.glyphs)
        first = state.covering[0].member if state.covering else ""
        name = view.fleet_selection.member or first
        member = next((one for one in state.fleet.members if one.name == name), None)
        if member is None:
            return wrapped(_EMPTY, width)
        lines = [_head(member, width)]
        if name in state.unread:
            absence = state.unread[name]
            return [
                *lines,
                Line(),
                *wrapped(absence.why, width, "warn"),
                *wrapped(self.services.with_keys(what_to_do(state, absence)), width, "text"),
            ]
        answer = state.answers.get(name)
        if answer is not None:
            return lines + _of_member(answer, width, self.glyphs, self.services.with_keys(_MERGE))
        return [*lines, Line(), *wrapped(_not_answered(state, member), width)]

    def update(self, view: View) -> None:
        """Shows ``view``; scrolls to the top if another result was selected."""
        if view.fleet_selection != self.view.fleet_selection:
            self.offset_row = 0
        super().update(view)


def _not_answered(state: FleetState, member: Member) -> str:
    known = state.known.get(member.name)
    text = f"open: {plural(known.notes, 'note')}, {known.engine} {known.profile}" if known is not None else "not asked"
    return text if member.repository else f"{text}; Enter opens this memory"


def _head(member: Member, width: int) -> Line:
    row = line(f" {member.name}", "bold accent")
    row.add(f"  {member.owner}" if member.owner else "", "text")
    return row.add(f"  {cut_left(visible(member.place), max(0, width - row.width - 3))}", "muted").cut(width)


def _of_member(answer: MemberAnswer, width: int, glyphs: Glyphs, merge: str) -> list[Line]:
    """Returns the engine's sentence, the parts of the best note's score, and the member's other notes.

    ``merge`` is a hint that suggests one ranking; it is shown only if the member's engine supports that.
    """
    lines = wrapped(answer.sentence, width, "text")
    if answer.hits:
        lines += [Line(), *_score(answer.hits[0], answer.scale, width, glyphs)]
    if len(answer.hits) > 1:
        lines += [Line(), rule(width, "next", dash=glyphs.dash)]
        before = answer.hits[0].found_by
        for hit in answer.hits[1:]:
            lines += [*added_rule(hit, before, width, glyphs), _short(hit, answer.scale, width, glyphs)]
            before = hit.found_by
    notes = f"{plural(answer.notes, 'note')} by {answer.engine} {answer.profile}"
    hint = _NOT_COMPARABLE.format(notes=notes, scores="this score is" if answer.hits else "its scores are")
    return [*lines, Line(), *wrapped(hint + (merge if has(answer.engine, RanksTogether) else ""), width)]


def _of_ranking(ranking: OneRanking, selection: FleetSelection, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the selected note of one ranking, its lead over others, and the number of notes with each word.

    If only a member is selected, the note is its best result; if nothing is selected, the best result of all.
    """
    member, file = selection
    mine = [one for one in ranking.hits if member in ("", one.member) and file in ("", one.hit.file)]
    near = [one for one in ranking.near_misses if member in ("", one.member) and file in ("", one.miss.file)]
    lines: list[Line] = []
    if mine:
        ranked = mine[0]
        lines += [line(f" {ranked.member}", "bold accent"), *_score(ranked.hit, Scale(), width, glyphs)]
        lines += [*lead_lines([one.hit for one in ranking.hits], ranked.hit, Scale().decimals, width), Line()]
    elif near:
        lines += [line(f" {near[0].member}", "bold accent"), *_near_miss(near[0].miss, width, glyphs), Line()]
    elif member:
        lines += [line(f" {member}", "bold accent"), *wrapped("none of its notes is a result", width), Line()]
    for word, title, content, path in ranking.frequencies:
        counts = f" is in {plural(content, 'text')}, {plural(title, 'title')}, {plural(path, 'path')}"
        lines.append(line(f" ‘{word}’", "accent").add(counts, "muted").cut(width))
    if not ranking.members:
        return [*lines, *wrapped(_NOT_COUNTED, width)]
    notes, members = plural(ranking.notes, "note"), plural(ranking.members, "member")
    return [*lines, *wrapped(_COMPARABLE.format(notes=notes, members=members, profile=ranking.profile), width)]


def _near_miss(miss: NearMiss, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the title, score, path and words of a near miss, and the reason why it is not a result."""
    sign, colour = glyph_of(miss.kind, miss.maturity, glyphs)
    score = Line().add(f"{miss.score:.{Scale().decimals}f}", "strong")
    return [
        line(f" {sign} ", colour).add(miss.title, "bold strong").right(width, score),
        line(f" {cut_left(visible(miss.path), width - 2)}", "muted"),
        Line().gap().extend(chips(miss.words, width - 2).spans),
        Line(),
        *wrapped(f"not in the results: {miss.reason}", width, "warn"),
        *wrapped(f"at rank {miss.rank}", width),
    ]


def _score(hit: Hit, scale: Scale, width: int, glyphs: Glyphs) -> list[Line]:
    words: Sequence[Line] = [Line().gap().extend(chips(hit.words, width - 2).spans)] if hit.words else []
    path = line(f" {cut_left(visible(hit.path), width - 2)}", "muted")
    return [
        _short(hit, scale, width, glyphs, "bold strong"),
        path,
        *words,
        *sum_lines(hit, scale, hit.score, {}, width, glyphs),
    ]


def _short(hit: Hit, scale: Scale, width: int, glyphs: Glyphs, role: str = "text") -> Line:
    sign, colour = glyph_of(hit.kind, hit.maturity, glyphs)
    score = Line().add(f"{hit.score:.{scale.decimals}f}", "strong")
    return line(f" {sign} ", colour).add(hit.title, role).right(width, score)
