"""Pure scoring mathematics on plain values and arrays: no I/O, no clock, no state."""
