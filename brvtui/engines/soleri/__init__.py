"""Soleri's vault search: BM25 finds a pool of candidates, and seven weighted signals rank them
(``docs/reference/soleri.md``).
"""
