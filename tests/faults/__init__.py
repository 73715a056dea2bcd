"""Real faults without stand-ins. benchmarks/results/performance.md contains the results of the full runs."""
