"""Plain search: a baseline for comparison with the other engines (``docs/reference/baseline.md``)."""
