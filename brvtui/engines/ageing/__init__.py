"""How signals, maturity and ceilings change with time."""
