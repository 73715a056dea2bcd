"""ByteRover V4 spaces on disk: their locations, topics, signals and engine files.

See ``docs/reference/byterover-v4.md``.
"""
