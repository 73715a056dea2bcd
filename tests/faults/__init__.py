"""Faults that are real: nothing that fails is a stand-in. docs/performance.md says what the full runs showed."""
