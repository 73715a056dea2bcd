"""Soleri's vault search: BM25 finds a pool, seven weighted signals rank it (``docs/reference/soleri.md``)."""
