"""The causes of an answer without results: filters that leave documents out, and words that no document matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from brvtui.engines.contract import Context, Engine, Query
from brvtui.snapshot.missing_words import missing_words
from brvtui.trace import Trace


def with_causes(
    engine: Engine[Any], context: Context[Any], query: Query, trace: Trace, words: Iterable[str], filters: Iterable[str]
) -> Trace:
    """``trace``, where it has no result, with what the scope and the options called ``filters`` leave out.

    If they leave nothing out, with the searched ``words`` as the text of documents contains them.
    """
    given = {name: value for name in filters if (value := query.options.get(name))}
    if trace.total_found:
        return trace
    trace = replace(trace, notices=(*trace.notices, *context.snapshot.unread))
    if given or query.scope:
        options = {name: value for name, value in query.options.items() if name not in given}
        unfiltered = engine.answer(context, Query(query.text, options=options))
        if unfiltered.total_found:
            left_out = {"scope": query.scope, **given} if query.scope else given
            text = " and ".join(f"{name} {value}" for name, value in left_out.items())
            return replace(trace, filters=text, filtered_out=unfiltered.total_found)
    return replace(trace, missing=missing_words(context.snapshot, query.text, words))
