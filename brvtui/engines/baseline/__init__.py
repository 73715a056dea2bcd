"""Plain search, to compare the other engines with (``docs/engines.md``, "Plain search")."""
