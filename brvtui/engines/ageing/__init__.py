"""The effect of time on signals, maturity and best possible scores."""
