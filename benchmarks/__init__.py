"""Scripts that print what they measured and where; none is a test. ``docs/performance.md`` holds what they printed."""
