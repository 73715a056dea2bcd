"""Soleri's vault search, in which BM25 finds a pool of candidates and seven weighted signals rank them
(``docs/reference/soleri.md``).
"""
