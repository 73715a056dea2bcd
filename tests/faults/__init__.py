"""Faults that are real: nothing that fails is a stand-in. benchmarks/results/performance.md says what the full runs
showed."""
