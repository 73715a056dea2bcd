"""Plain search: a baseline to compare the other engines with (``docs/engines.md``, "Plain search")."""
