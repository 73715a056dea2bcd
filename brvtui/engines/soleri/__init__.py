"""Soleri's vault search: BM25 finds a pool, which seven weighted signals rank (``docs/reference/soleri.md``)."""
