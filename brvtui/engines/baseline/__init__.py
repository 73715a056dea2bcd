"""Plain search, to compare the other engines with (``docs/baseline.md``)."""
