"""Soleri's vault search: BM25 finds a pool of candidates, which seven weighted signals then rank
(``docs/reference/soleri.md``).
"""
