"""Two answers to one query, and why they differ: causes that sum to the change of each score (``docs/lab.md``)."""
