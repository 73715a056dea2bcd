"""The recorded answers of the real program about words, channels, fusion and use: a test for each family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from brvtui.engines.knowing.candidates import focused, noise_filtered, seed_count, seeds
from brvtui.engines.knowing.equivalence import (
    EquivalenceClass,
    PhraseTable,
    built_in_classes,
    expanded,
    graph_aliases,
)
from brvtui.engines.knowing.full_text import (
    decomposed_terms,
    expression,
    keyword_terms,
    related_words,
    searched_texts,
)
from brvtui.engines.knowing.fusion import ChannelList, fused
from brvtui.engines.knowing.keywords import (
    Keyword,
    KeywordRule,
    KeywordSet,
    cluster_hash,
    code_patterns,
    has_mixed_case,
    keyword_set,
    size,
    split_identifier,
)
from brvtui.engines.knowing.learning import is_worthy, learned_weight
from brvtui.engines.knowing.model import Graph, symbol
from brvtui.engines.knowing.name_lookup import NameLookup
from brvtui.engines.knowing.paths import path_match, path_terms
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.scoring import feedback_value
from brvtui.engines.knowing.session import RecentUse
from brvtui.engines.knowing.tiered import tiered_search
from brvtui.engines.knowing.use import FeedbackRecord, PendingUse, feedback_scores, pending_node
from brvtui.engines.knowing.words import (
    camel_words,
    concepts,
    identifiers,
    long_camel_words,
    meaningful_words,
    searchable,
    searched_columns,
    symbol_part,
)
from tests.engines.knowing.graph_cases import cases, close, graph, node

CODE, SEED = load_profile("knowing-code"), load_profile()
TEXT = CODE.full_text
BROKEN = "\ufffd"


def pairs(family: str) -> Iterator[tuple[str, Any, Any]]:
    """The name, the input and the expected answer of each case."""
    for case in cases(family):
        yield case["name"], case["input"], case["expected"]


def in_runs(words: Sequence[str]) -> list[list[str]]:
    """The words with each run of equal length sorted: the program's order within one is any."""
    return [sorted(run) for _, run in groupby(words, size)]


def test_keyword_set() -> None:
    for case in cases("keyword_set"):
        wanted = case["expected"]
        made = keyword_set(case["input"]["task"], CODE.keywords)
        assert [one.text for one in made.exact] == wanted["exact"], case["name"]
        assert [one.text for one in made.compounds] == wanted["compounds"], case["name"]
        theirs, ours = list(wanted["components"]), list(made.parts)
        if case.get("contains_invalid_utf8"):
            kept = [place for place, word in enumerate(theirs) if BROKEN not in word]
            theirs, ours = [theirs[place] for place in kept], [ours[place] for place in kept]
        if case.get("tie_sensitive"):
            assert in_runs(ours) == in_runs(theirs), case["name"]
        else:
            assert ours == theirs, case["name"]
        assert bool(made) != wanted["is_empty"], case["name"]


def test_code_patterns() -> None:
    for name, given, wanted in pairs("code_patterns"):
        for profile in (CODE, SEED):
            assert code_patterns(given["text"], profile.keywords) == wanted, name


def test_identifier_split() -> None:
    for _, given, wanted in pairs("identifier_split"):
        text = given["identifier"]
        assert {
            "has_mixed_case": has_mixed_case(text),
            "split_camel_words": camel_words(text),
            "split_identifier": split_identifier(text),
        } == wanted, text


def test_identifiers() -> None:
    for name, given, wanted in pairs("identifiers"):
        assert identifiers(given["content"], CODE.use.name_least) == wanted, name


def test_meaningful_words() -> None:
    for name, given, wanted in pairs("meaningful_words"):
        least = CODE.equivalence.alias_least
        assert meaningful_words(given["qualified_name"], given["generic"], least) == wanted, name


def test_cluster_hash() -> None:
    for name, given, wanted in pairs("cluster_hash"):
        assert cluster_hash(given["keywords"]) == wanted["hash_hex"], name


def test_fts_query() -> None:
    for name, given, wanted in pairs("fts_query"):
        words = given["keywords"]
        assert {
            "query": expression(keyword_terms(words), quoted=False),
            "decomposed": expression(decomposed_terms(words, TEXT, in_names=False), quoted=False),
            "decomposed_targeted": expression(decomposed_terms(words, TEXT), quoted=False),
            "expansions": related_words(words, TEXT, given.get("max_expansions", TEXT.expansions)),
        } == wanted, name


def test_bm25() -> None:
    for name, given, wanted in pairs("bm25"):
        held = Graph(tuple(node(record) for record in given["nodes"]))
        columns = {one.id: searched_columns(one, TEXT)._asdict() for one in held.nodes}
        assert columns == wanted["indexed_columns"], name
        found = searched_texts(held, TEXT).full_text.search([given["query"]], TEXT.columns.weights, given["limit"])
        assert [held.nodes[place].id for place, _ in found] == wanted["order"], name
        everything = searched_texts(held, TEXT).full_text.search(
            [given["query"]], TEXT.columns.weights, len(held.nodes)
        )
        assert close({held.nodes[place].id: -score for place, score in everything}, wanted["bm25_scores"]), name


def test_split_for_fts() -> None:
    for name, given, wanted in pairs("split_for_fts"):
        text = given["text"]
        made = {"camel_parts": long_camel_words(text, TEXT), "fts_text": searchable(text, TEXT)}
        assert made == wanted, name


def test_fts_symbol_name() -> None:
    for name, given, wanted in pairs("fts_symbol_name"):
        assert symbol_part(given["qualified_name"], TEXT.extensions) == wanted, name


def test_fts_concepts() -> None:
    for name, given, wanted in pairs("fts_concepts"):
        assert concepts(given["file_path"], TEXT) == wanted, name


def test_tiered_search() -> None:
    for name, given, wanted in pairs("tiered_search"):
        lookup = NameLookup(graph(given))
        keywords = recorded_keywords(given)
        hits = tiered_search(keywords, lookup, CODE.tiered)
        assert [{"qualified_name": hit.id, "tier": hit.tier} for hit in hits] == wanted, name


def recorded_keywords(given: dict[str, Any]) -> KeywordSet:
    """The keywords of a case: those that it names, or those of its task."""
    named = given.get("keyword_set")
    if named is None:
        return keyword_set(given["task"], CODE.keywords)
    exact, compounds, components = (
        tuple(Keyword(text, KeywordRule.WORD, text) for text in named[part])
        for part in ("exact", "compounds", "components")
    )
    return KeywordSet(exact, compounds, components)


def recorded_class(record: dict[str, Any]) -> EquivalenceClass:
    return EquivalenceClass(
        record["Concept"],
        tuple(record["Phrases"]),
        tuple(record["Targets"]),
        record["Weight"],
        record["Source"],
        record["Lang"],
    )


def test_equiv_match() -> None:
    rules = CODE.equivalence
    for name, given, wanted in pairs("equiv_match"):
        table = (
            built_in_classes(rules.verbs)
            if given.get("builtin")
            else PhraseTable([recorded_class(record) for record in given["classes"]])
        )
        matches = table.matches(given["query"], given.get("lang", ""))
        made = [
            {
                "concept": match.matched.concept,
                "first_phrase": match.phrases[0],
                "forced_injection": match.is_injected(rules),
                "matched_phrases": list(match.phrases),
                "phrase_count": len(match.phrases),
                "source": match.matched.source,
                "strong": match.is_strong(rules),
                "targets": list(match.matched.targets),
                "weight": match.matched.weight,
            }
            for match in matches
        ]
        assert made == wanted, name


def test_expand_verbs() -> None:
    for name, given, wanted in pairs("expand_verbs"):
        assert expanded(given["phrases"], CODE.equivalence.verbs) == wanted, name


def test_graph_aliases() -> None:
    for name, given, wanted in pairs("graph_aliases"):
        made = graph_aliases(given["seeds"], graph({**given, "seeds": ()}), CODE.equivalence)
        ours = [
            {
                "concept": one.concept,
                "phrases": list(one.phrases),
                "source": one.source,
                "targets": list(one.targets),
                "weight": one.weight,
            }
            for one in made
        ]
        assert ours == wanted, name


def test_path_terms() -> None:
    for name, given, wanted in pairs("path_terms"):
        assert path_terms(given["task"], CODE.paths) == wanted, name


def test_path_match() -> None:
    for name, given, wanted in pairs("path_match"):
        assert path_match(given["qualified_name"], given["term"], CODE.paths) == wanted, name


def test_rrf() -> None:
    for name, given, wanted in pairs("rrf"):
        channels = [ChannelList(one["name"], one["ids"], one["weight"]) for one in given["channels"]]
        made = fused(channels, given["k"], given["limit"])
        scores = {one.id: one.score for one in fused(channels, given["k"], len(wanted["formula_scores"]))}
        assert close(scores, wanted["formula_scores"]), name
        ours, theirs = [one.id for one in made], wanted["order"]
        if wanted["order_is_deterministic"]:
            assert ours == theirs, name
        else:
            assert sorted(ours) == sorted(theirs), name
            assert close([scores[id_] for id_ in ours], [scores[id_] for id_ in theirs]), name


def test_noise_filter() -> None:
    for name, given, wanted in pairs("noise_filter"):
        for profile in (CODE, SEED):
            kept, dropped = noise_filtered([node(record) for record in given["nodes"]], profile.noise)
            assert [one.qualified_name for one in kept] == wanted["kept"], name
            assert len(kept) + len(dropped) == len(given["nodes"]), name


def test_focused_seeds() -> None:
    for name, given, wanted in pairs("focused_seeds"):
        nodes = [symbol(qualified_name, "function") for qualified_name in given["candidates"]]
        order, package = focused(nodes, CODE.seeds)
        assert [one.qualified_name for one in order] == wanted["order"], name
        assert package == wanted["dominant_package_for_gap_fill"], name
        assert {one.qualified_name: one.package for one in nodes} == wanted["packages"], name


def test_seed_count() -> None:
    for name, given, wanted in pairs("seed_count"):
        found = [str(number) for number in range(min(given["isolated_matching_nodes"], CODE.tiered.prefix_most))]
        made = seeds(found, (), given["graph_node_count"], CODE.seeds)
        assert len(made) == wanted["seeds_used"], name
        assert seed_count(given["graph_node_count"], CODE.seeds) >= wanted["seeds_used"], name


def test_session() -> None:
    now = 1_000_000.0
    for name, given, wanted in pairs("session"):
        made = RecentUse(
            {id_: tuple(now - age for age in ages) for id_, ages in given.get("access_ages_seconds", {}).items()}
        )
        for id_, count in given.get("record_calls", {}).items():
            for _ in range(count):
                made = made.recorded([id_], now, CODE.session)
        assert close(made.boosts(given["query"], now, CODE.session), wanted["boosts"]), name
        assert {id_: len(made.times.get(id_, ())) for id_ in wanted["stored_accesses"]} == wanted["stored_accesses"]
        assert len(made.times) == wanted["tracked_count"], name


def test_implicit_feedback() -> None:
    for name, given, wanted in pairs("implicit_feedback"):
        assert [*traced(given["ops"])] == wanted, name


def traced(ops: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What each operation reports."""
    state, now = PendingUse(), 0.0
    for op in ops:
        made: dict[str, Any] = {"op": op["op"]}
        match op["op"]:
            case "register":
                state = state.returned([pending_node(symbol(name, "function"), now) for name in op["symbols"]])
                made["pending"] = len(state.pending)
            case "age":
                now += op["seconds"]
            case "detect":
                state, used = state.detected(op["content"], now, CODE.use)
                made["used"] = sorted(used)
                made["attributed_total"] = sum(one.is_used for one in state.pending.values())
            case "expire":
                state, verdict = state.expired(now, CODE.use)
                made |= {"pending": len(state.pending), "unused": sorted(one.id for one in verdict.unused)}
            case "flush":
                state, verdict = state.flushed()
                made |= {"pending": len(state.pending), "unused": sorted(one.id for one in verdict.unused)}
                made["used_with_short_name"] = sorted(f"{one.id}#{one.name}" for one in verdict.used)
        yield made


def test_feedback_scores() -> None:
    for name, given, wanted in pairs("feedback_scores"):
        records = [
            FeedbackRecord(
                record["symbol"],
                record["useful"],
                cluster(record["cluster_keywords"]),
                record["neighborhood_root"],
            )
            for record in given["records"]
        ]
        scores = feedback_scores(records, given["query"], cluster(given["query_cluster_keywords"]), CODE.use)
        assert close(scores, wanted["feedback_scores"]), name
        parts = {id_: feedback_value(score, CODE.scoring.feedback) for id_, score in scores.items()}
        assert close(parts, wanted["feedback_component"]), name


def cluster(keywords: Sequence[str]) -> str:
    """The cluster of a task; empty for a task without primary keywords."""
    return cluster_hash(keywords) if keywords else ""


def test_vocab() -> None:
    for name, given, wanted in pairs("vocab"):
        if "keyword" in given:
            assert is_worthy(given["keyword"], CODE.learning, CODE.keywords.stop_words) == wanted["worthy"], name
        else:
            assert close(learned_weight(given["count"], CODE.learning), wanted["weight"]), name
