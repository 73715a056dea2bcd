"""The health of a memory: defects of notes, and what they cost."""
