"""Judgments with one more grade, or one more query: what the app changes. Pure functions."""

from __future__ import annotations

from dataclasses import replace

from brvtui.lab.judgments.file import Judgments
from brvtui.lab.judgments.model import JudgedDocument, Judgment, new_id


def judgment_of(judgments: Judgments, text: str, scope: str) -> Judgment | None:
    """The judgment of the query ``text`` in ``scope``; None when it is not judged."""
    return next((each for each in judgments if (each.text, each.scope) == (text, scope)), None)


def with_grade(judgments: Judgments, text: str, scope: str, document: JudgedDocument, graded: bool) -> Judgments:
    """``judgments`` in which ``document`` of the query ``text`` has its grade; none when it is not ``graded``.

    A query that was not judged is added.
    """
    old = judgment_of(judgments, text, scope)
    if old is None:
        return with_query(judgments, text, scope, "", (document,)) if graded else judgments
    places = [number for number, each in enumerate(old.documents) if each.path == document.path]
    documents = list(old.documents)
    if places and graded:
        documents[places[0]] = document
    elif places:
        del documents[places[0]]
    elif graded:
        documents.append(document)
    made = replace(old, documents=tuple(documents))
    return tuple(made if each is old else each for each in judgments)


def with_query(
    judgments: Judgments, text: str, scope: str, expected: str, documents: tuple[JudgedDocument, ...], comment: str = ""
) -> Judgments:
    """``judgments`` with the query ``text`` at their end, unless it is judged already."""
    if judgment_of(judgments, text, scope) is not None:
        return judgments
    made = Judgment(new_id(text, {each.id for each in judgments}), text, scope, expected, comment, documents)
    return (*judgments, made)
