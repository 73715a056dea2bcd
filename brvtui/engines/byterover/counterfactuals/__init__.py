"""What it would take that a query is answered at tier 2 (``docs/engine.md``, "What it would take")."""
