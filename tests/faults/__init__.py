"""Tests with real faults, not simulated ones. benchmarks/results/performance.md has the results of the full runs."""
