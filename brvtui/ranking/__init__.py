"""Scoring formulas as pure functions of plain values and arrays: no I/O, no clock, no state."""
