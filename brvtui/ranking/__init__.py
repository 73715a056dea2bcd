"""Scoring formulas, as pure functions of plain values and arrays."""
