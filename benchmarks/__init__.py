"""Scripts that print what they measured and where; none is a test. ``benchmarks/results/performance.md`` holds what
they printed."""
