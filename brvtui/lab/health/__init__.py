"""The health of a memory: defects of notes, and their costs."""
