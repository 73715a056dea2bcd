"""The topics that V4's own migration makes of notes of ByteRover 3.

See ``docs/reference/byterover-v4.md``, "The migration".
"""
